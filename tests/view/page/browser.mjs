// A real browser for tests: finds playwright-core and a Chromium, starts `runnel view`, opens pages.
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {spawn} from 'node:child_process';
import {delimiter, dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const SKIPPED = 77; // what CTest takes for "skipped"
export const SLOW = 30000; // ms: a machine without a graphics card, with other work to do

const tree = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

export function skip(sentence) {
    console.log(`skipped: ${sentence}`);
    process.exit(SKIPPED);
}

function findChromium() {
    if (process.env.RUNNEL_CHROMIUM) return process.env.RUNNEL_CHROMIUM;
    for (const name of ['chromium', 'chromium-browser', 'google-chrome'])
        for (const folder of (process.env.PATH ?? '').split(delimiter))
            if (existsSync(join(folder, name))) return join(folder, name);
    return null;
}

function findPlaywright() {
    const places = [process.env.RUNNEL_PLAYWRIGHT, join(tree, 'build/browser'), tree].filter(Boolean);
    for (const place of places)
        try {
            return createRequire(join(place, 'x.js'))('playwright-core');
        } catch { /* the next place */ }
    return null;
}

export async function openBrowser() {
    const executablePath = findChromium();
    if (!executablePath) skip('there is no chromium; ./dev test --browser installs it');
    const playwright = findPlaywright();
    if (!playwright) skip('playwright-core is not in build/browser; ./dev test --browser installs it');
    return playwright.chromium.launch({executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
        '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist']});
}

// `runnel view` on a port, or another command that serves the page; {address, ended: Promise, kill(): Promise}.
export function startViewer(command, args, verb = 'view') {
    return new Promise((done, failed) => {
        const child = spawn(command, [verb, ...args, ...(verb === 'view' ? ['--no-open'] : [])], {stdio: ['ignore', 'pipe', 'pipe']});
        const ended = new Promise((end) => { child.on('exit', end); });
        let said = '';
        const listen = (text) => {
            said += text;
            const found = said.match(/http:\/\/\S+/);
            if (found) done({address: found[0], ended, kill: (signal = 'SIGTERM') => { child.kill(signal); return ended; }});
        };
        child.stdout.on('data', listen);
        child.stderr.on('data', listen);
        child.on('error', failed);
        ended.then((code) => failed(new Error(`the viewer ended with ${code}: ${said}`)));
    });
}

// A page that has been opened, with all that went wrong in it: page.complaints.
export async function openPage(browser, address, options = {}) {
    const {before, first, hash, isBare, ...context} = options;
    const page = await (await browser.newContext({viewport: {width: 900, height: 600}, ...context})).newPage();
    page.setDefaultTimeout(SLOW);
    page.complaints = [];
    page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()));
    page.on('pageerror', (error) => page.complaints.push(String(error.stack ?? error)));
    if (!first) await page.addInitScript(() => localStorage.setItem('runnel.welcomed', '1'));
    if (before) await page.addInitScript(before);
    await page.goto(address);
    return page;
}
