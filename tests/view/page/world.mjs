// What the facts share: one browser, one viewer with a small scene, and ways to look at a page.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {SLOW, openBrowser, openPage, startViewer} from './browser.mjs';

const SCENE = ['dam-break', '--set', 'fluid.spacing=0.006', '--threads', '1'];

// A picture that is soon drawn without a graphics card, for what is not about how it looks; the panel is still beside it.
export const SMALL = {viewport: {width: 800, height: 400}};

// A small world in which every live parameter tells within a few steps: water falls onto the floor, a pipe pours.
export const LITTLE = {
    title: 'a little of everything',
    fluid: {preset: 'classic', spacing: 0.04, speed_expected: 3, tension: 'none'},
    domain: {low: [0, 0, 0], high: [1, 1, 0.5]},
    walls: {bare: true},
    blocks: [{low: [0.1, 0.05, 0.1], high: [0.4, 0.35, 0.4], velocity: [0, -4, 0], jitter: 0.1}],
    pipes: [{name: 'tap', center: [0.75, 0.7, 0.25], direction: [0, -1, 0], radius: 0.09, speed: 1}],
};

// Oil on water.
export const TWO = {
    title: 'oil and water',
    fluid: {preset: 'classic', spacing: 0.05, dim: 2},
    fluids: [{name: 'water', material: 'water'}, {name: 'oil', material: 'olive-oil', color: [0.9, 0.7, 0.1]}],
    domain: {low: [0, 0], high: [1, 1]},
    blocks: [{fluid: 'water', low: [0, 0], high: [1, 0.4]}, {fluid: 'oil', low: [0, 0.4], high: [1, 0.7]}],
};

// Waits until f, run in the page, is true. Asked from here again and again: waiting inside the page is forbidden by its
// own rules about scripts.
export async function until(page, f, argument) {
    const end = Date.now() + SLOW;
    while (!await page.evaluate(f, argument)) {
        if (Date.now() > end) throw new Error(`waited ${SLOW} ms in vain for ${f}`);
        await new Promise((done) => setTimeout(done, 30));
    }
}
export const hasFrame = (page) => until(page, () => window.runnel?.stage.frame?.count > 0);
export const state = (page) => page.evaluate(() => window.runnel.state);
export const report = (page) => page.evaluate(() => window.runnel.report);

// Opens a scene from the page's side; it waits at its start.
export async function openScene(page, what) {
    const number = await page.evaluate((w) => {
        const {number} = window.runnel.scene;
        window.runnel.open(w);
        return number;
    }, what);
    await until(page, (n) => window.runnel.scene.number > n && window.runnel.state === 'ready', number);
}

// From the start, so many steps, as one who presses Step does; the report of the last one.
export async function steps(page, count) {
    await page.evaluate(() => { window.runnel.report = null; });
    await page.click('#restart');
    await until(page, () => window.runnel.report?.step === 0);
    await page.evaluate((n) => { for (let k = 0; k < n; k++) window.runnel.order('step'); }, count);
    await until(page, (n) => window.runnel.report?.step === n, count);
    return report(page);
}

// Where the water is on average, m.
export const middle = (page) => page.evaluate(() => {
    const {frame} = window.runnel.stage;
    const places = new Uint16Array(frame.buffer, frame.positionAt, frame.count * 3);
    const sum = [0, 0, 0];
    places.forEach((v, i) => { sum[i % 3] += v; });
    return sum.map((v, k) => frame.low[k] + (v / frame.count / 65535) * frame.extent[k]);
});

// A place of the page where there is water, in pixels: the n-th particle as the camera sees it.
export const seenAt = (page, n = 0) => page.evaluate((i) => {
    const {frame, camera, canvas} = window.runnel.stage;
    const p = new Uint16Array(frame.buffer, frame.positionAt + 6 * i, 3);
    const at = [0, 1, 2].map((k) => frame.low[k] + (p[k] / 65535) * frame.extent[k]);
    const m = camera.both;
    const clip = [0, 1, 3].map((r) => m[r] * at[0] + m[4 + r] * at[1] + m[8 + r] * at[2] + m[12 + r]);
    const box = canvas.getBoundingClientRect();
    return [box.left + ((clip[0] / clip[2] + 1) / 2) * box.width, box.top + ((1 - clip[1] / clip[2]) / 2) * box.height];
}, n);

// Colours that the picture has, by drawing and reading at once.
export const colors = (page) => page.evaluate(() => {
    const {stage} = window.runnel;
    stage.dirty = true;
    stage.draw({});
    const {gl, width, height} = stage;
    const bytes = new Uint8Array(width * height * 4);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    const seen = new Set();
    let blue = 0;
    for (let k = 0; k < bytes.length; k += 4) {
        seen.add((bytes[k] << 16) | (bytes[k + 1] << 8) | bytes[k + 2]);
        if (bytes[k + 2] > bytes[k] + 60) blue++;
    }
    return {count: seen.size, blue: blue / (width * height)};
});

export class World {
    static async open(command) {
        const world = new World();
        world.command = command;
        world.browser = await openBrowser();
        world.folder = mkdtempSync(join(tmpdir(), 'runnel-page-'));
        world.viewer = await startViewer(command, [...SCENE, '--out', world.folder, '--port', '0']);
        world.port = new URL(world.viewer.address).port;
        return world;
    }

    async restartViewer() {
        this.viewer = await startViewer(this.command, [...SCENE, '--out', this.folder, '--port', this.port]);
    }

    // A page with a picture of water in it, and with control.
    async page(options = {}) {
        const page = await openPage(this.browser, this.viewer.address + (options.hash ?? ''), options);
        if (options.isBare) return page;
        await until(page, () => window.runnel?.scene);
        if (!(await page.evaluate(() => window.runnel.hasControl))) await page.evaluate(() => window.runnel.server.send({type: 'control'}));
        await until(page, () => window.runnel.hasControl);
        return page;
    }

    // The dam break, running.
    async runningPage(options = {}) {
        const page = await this.page(options);
        await page.evaluate(() => window.runnel.open({name: 'dam-break', set: {'fluid.spacing': 0.006}}));
        await until(page, () => window.runnel.scene.name === 'dam-break' && window.runnel.state === 'ready');
        await page.evaluate(() => {
            window.runnel.server.send({type: 'speed', speed: 1});
            window.runnel.order('start');
        });
        await until(page, () => window.runnel.state === 'running' && window.runnel.report?.step > 0 && window.runnel.stage.frame.count > 0);
        return page;
    }

    // What one would have seen, when a fact fails; RUNNEL_SHOTS names a folder.
    async showWrong(name) {
        for (const context of this.browser.contexts()) {
            for (const page of context.pages())
                if (process.env.RUNNEL_SHOTS) await page.screenshot({path: join(process.env.RUNNEL_SHOTS, `${name}.png`)}).catch(() => {});
            await context.close();
        }
    }

    async close() {
        await this.browser.close();
        await this.viewer.kill();
        rmSync(this.folder, {recursive: true, force: true});
    }
}
