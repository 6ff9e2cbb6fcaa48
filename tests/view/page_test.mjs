// The viewer's page in a real browser, with the real program behind it. node page_test.mjs RUNNEL [REGEX]
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {SLOW, openBrowser, openPage, startViewer} from './browser.mjs';

const [command, only = '.'] = process.argv.slice(2);
if (!command) {
    console.error('usage: node page_test.mjs RUNNEL [REGEX]');
    process.exit(2);
}
const browser = await openBrowser();
const folder = mkdtempSync(join(tmpdir(), 'runnel-page-'));
const SCENE = ['dam-break', '--set', 'fluid.spacing=0.006', '--threads', '1', '--out', folder];
let viewer = await startViewer(command, [...SCENE, '--port', '0']);
const port = new URL(viewer.address).port;

// Waits until f, run in the page, is true.
const until = (page, f, argument) => page.waitForFunction(f, argument, {timeout: SLOW, polling: 50});
const hasFrame = (page) => until(page, () => window.runnel?.stage.frame?.count > 0);

// Colours that the middle of the canvas has, by drawing and reading at once.
const colors = (page) => page.evaluate(() => {
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

const facts = {
    async page_opens_and_shows_water() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        const {count, blue} = await colors(page);
        assert.ok(count > 200, `${count} colours`);
        assert.ok(blue > 0.003, `${blue} of the picture is blue`);
        assert.match(await page.title(), /dam-break/);
        return page;
    },

    async every_look_and_wall_and_color_draws() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        for (const look of ['water', 'spheres'])
            for (const walls of ['solid', 'glass', 'cut', 'lines']) {
                await page.evaluate(([l, w]) => { window.runnel.setLook(l); window.runnel.setWalls(w); }, [look, walls]);
                const {count} = await colors(page);
                assert.ok(count > 100, `${look}, ${walls}: ${count} colours`);
            }
        for (const name of ['speed', 'pressure', 'age', 'density']) {
            await page.evaluate((n) => window.runnel.setColor(n), name);
            await until(page, (n) => window.runnel.stage.shown === n, name);
            assert.match(await page.textContent('#legend'), new RegExp(name, 'i'));
        }
        assert.equal(await page.evaluate(() => window.runnel.stage.gl.getError()), 0);
        return page;
    },

    async pause_step_start_and_restart_do_what_they_say() {
        const page = await openPage(browser, viewer.address);
        await until(page, () => window.runnel.state === 'running');
        await page.click('#start');
        await until(page, () => window.runnel.state === 'paused');
        await page.waitForTimeout(500);
        const before = await page.evaluate(() => window.runnel.report.step);
        await page.click('#step');
        await until(page, (b) => window.runnel.report.step === b + 1, before);
        await page.click('#restart');
        await until(page, () => window.runnel.stage.frame.time < 0.01);
        if (await page.evaluate(() => window.runnel.state) !== 'running') await page.click('#start');
        await until(page, () => window.runnel.state === 'running' && window.runnel.report.step > 1);
        return page;
    },

    async live_parameter_reaches_the_water_and_can_be_undone() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        await page.click('#tab-live');
        const field = page.locator('#body-live .field[data-path="fluid.viscosity"] input[type=text]');
        await field.fill('2.5');
        await field.press('Enter');
        await until(page, () => window.runnel.values['fluid.viscosity'] === 2.5);
        await page.click('#body-live >> text=Undo');
        await until(page, () => Math.abs(window.runnel.values['fluid.viscosity'] - 0.001) < 1e-6);
        return page;
    },

    async value_out_of_range_is_told_at_the_field() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        await page.click('#tab-live');
        const field = page.locator('#body-live .field[data-path="walls.bounce"]');
        await field.locator('input[type=text]').fill('7');
        await field.locator('input[type=text]').press('Enter');
        await field.locator('.problem').waitFor();
        assert.match(await field.locator('.problem').textContent(), /outside 0 … 1/);
        return page;
    },

    async scene_is_chosen_and_changed_before_the_start() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        await page.click('[data-scene="hydrostatic"]');
        await until(page, () => window.runnel.scene.name === 'hydrostatic' && window.runnel.state === 'ready');
        const particles = await page.evaluate(() => window.runnel.scene.derived.particles);
        const field = page.locator('#body-scene .field[data-path="fluid.spacing"] input[type=text]');
        await field.fill('0.04');
        await field.press('Enter');
        await until(page, (n) => window.runnel.scene.derived.particles < n, particles);
        await page.click('#start');
        await until(page, () => window.runnel.state === 'running');
        await page.click('[data-scene="dam-break"]');
        await until(page, () => window.runnel.scene.name === 'dam-break');
        return page;
    },

    async pushing_pouring_tilting_and_picking_reach_the_water() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        if (await page.evaluate(() => window.runnel.state) !== 'running') await page.click('#start');
        await page.evaluate(() => {
            window.said = [];
            const {server} = window.runnel;
            const send = server.send.bind(server);
            server.send = (m) => { window.said.push(m.type); send(m); };
        });
        const box = await page.locator('#canvas').boundingBox();
        const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.6];
        for (const [key, type] of [['2', 'force'], ['4', 'pour'], ['6', 'tilt']]) {
            await page.focus('#canvas');
            await page.keyboard.press(key);
            await page.mouse.move(x, y);
            await page.mouse.down();
            await page.mouse.move(x + 60, y - 10, {steps: 6});
            await page.waitForTimeout(300);
            await page.mouse.up();
            await until(page, (t) => window.said.includes(t), type);
        }
        await until(page, () => Math.abs(window.runnel.values.gravity[0]) > 0.1);
        await page.keyboard.press('h');
        await until(page, () => Math.abs(window.runnel.values.gravity[0]) < 0.01);
        await page.evaluate(() => {
            const {stage, server} = window.runnel;
            const p = new Uint16Array(stage.frame.buffer, 96, 3);
            const at = [0, 1, 2].map((k) => stage.frame.low[k] + (p[k] / 65535) * stage.frame.extent[k]);
            const d = at.map((v, k) => v - stage.camera.eye[k]);
            server.send({type: 'pick', origin: stage.camera.eye, direction: d});
        });
        await until(page, () => window.runnel.picked?.neighbors);
        return page;
    },

    // A ball of water without gravity, in slow motion: only the hand can make it fast.
    async pushing_with_the_mouse_moves_water() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        await page.evaluate(() => window.runnel.open({name: 'drop', set: {'fluid.spacing': 0.004}}));
        await until(page, () => window.runnel.scene.name === 'drop' && window.runnel.state === 'ready');
        await page.evaluate(() => {
            window.runnel.server.send({type: 'speed', speed: 0.02});
            window.runnel.server.send({type: 'start'});
        });
        await until(page, () => window.runnel.report.time > 0.04 && window.runnel.report.time < 0.1);
        const before = await page.evaluate(() => window.runnel.report.kinetic);
        await page.focus('#canvas');
        await page.keyboard.press('2');
        const box = await page.locator('#canvas').boundingBox();
        const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.3];
        await page.mouse.move(x - 60, y);
        await page.mouse.down();
        for (let k = 0; k < 30; k++) {
            await page.mouse.move(x - 60 + 4 * k, y);
            await page.waitForTimeout(40);
        }
        await until(page, (b) => window.runnel.report.kinetic > 2 * b, before);
        await page.mouse.up();
        await page.click('[data-scene="dam-break"]');
        await until(page, () => window.runnel.scene.name === 'dam-break');
        await page.selectOption('#speed', '1');
        return page;
    },

    async keyboard_alone_is_enough() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        const eye = await page.evaluate(() => window.runnel.stage.camera.eye[0]);
        await page.focus('#canvas');
        await page.keyboard.press('ArrowLeft');
        assert.notEqual(await page.evaluate(() => window.runnel.stage.camera.eye[0]), eye);
        await page.keyboard.press('?');
        await page.waitForSelector('dialog[open]');
        await page.keyboard.press('Escape');
        await page.waitForSelector('dialog:not([open])', {state: 'attached'});
        await page.keyboard.press('d');
        assert.equal(await page.getAttribute('#tab-debug', 'aria-selected'), 'true');
        await page.focus('#tab-debug');
        await page.keyboard.press('ArrowRight');
        assert.equal(await page.getAttribute('#tab-files', 'aria-selected'), 'true');
        return page;
    },

    async first_opening_explains_itself() {
        const page = await openPage(browser, viewer.address, {first: true});
        await page.waitForSelector('dialog[open]');
        assert.match(await page.textContent('dialog'), /Push, Pull and Pour/);
        await page.click('dialog button');
        await hasFrame(page);
        return page;
    },

    async link_restores_settings_after_asking() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        await page.evaluate(() => window.runnel.setWalls('glass'));
        const link = await page.evaluate(async () => {
            const said = [];
            navigator.clipboard.writeText = async (text) => said.push(text);
            return window.runnel.share();
        });
        assert.match(link, /#scene=dam-break.*walls=glass/);
        await page.context().close();
        const other = await openPage(browser, `${viewer.address}#scene=hydrostatic&walls=glass&set=${encodeURIComponent('{"fluid.spacing":0.04}')}`);
        await other.click('text=Open it');
        await until(other, () => window.runnel.scene.name === 'hydrostatic' && window.runnel.stage.walls === 'glass');
        return other;
    },

    async state_is_saved_and_loaded() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        await page.click('#tab-files');
        await page.click('text=Save the state');
        await page.click('[aria-label="Load moment.rnck"]');
        await until(page, () => ['paused', 'ready'].includes(window.runnel.state));
        return page;
    },

    async phone_shows_water_and_a_panel_that_folds() {
        const page = await openPage(browser, viewer.address, {viewport: {width: 390, height: 780}, hasTouch: true, isMobile: true});
        await hasFrame(page);
        const {blue} = await colors(page);
        assert.ok(blue > 0.001, `${blue} of the picture is blue`);
        assert.equal(await page.isVisible('#panel'), false);
        await page.tap('#fold');
        assert.equal(await page.isVisible('#panel'), true);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 390, `the page is ${wide} wide`);
        return page;
    },

    async missing_webgl2_is_said() {
        const page = await openPage(browser, viewer.address, {before: () => {
            const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind === 'webgl2' ? null : get.call(this, kind, ...rest);
            };
        }});
        await page.waitForSelector('#cover:not([hidden])');
        assert.match(await page.textContent('#cover'), /no WebGL2/);
        return page;
    },

    async server_that_goes_and_comes_back_is_followed() {
        const page = await openPage(browser, viewer.address);
        await hasFrame(page);
        await viewer.kill();
        await page.waitForSelector('#cover:not([hidden])');
        assert.match(await page.textContent('#cover'), /server is gone/);
        viewer = await startViewer(command, [...SCENE, '--port', port]);
        await page.waitForSelector('#cover', {state: 'hidden'});
        await until(page, () => window.runnel.state !== 'gone');
        page.complaints = page.complaints.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text));
        return page;
    },
};

let failures = 0;
for (const [name, fact] of Object.entries(facts)) {
    if (!new RegExp(only).test(name)) continue;
    const started = Date.now();
    try {
        const page = await fact();
        assert.deepEqual(page.complaints, [], 'the console is quiet');
        await page.context().close();
        console.log(`ok      ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failures++;
        console.log(`FAILED  ${name}: ${error.stack ?? error}`);
        for (const context of browser.contexts()) await context.close();
    }
}
await browser.close();
await viewer.kill();
rmSync(folder, {recursive: true, force: true});
console.log(failures ? `${failures} failed` : 'all hold');
process.exit(failures ? 1 : 0);
