// Everyone: phones, keyboards, weak eyes, strangers; no WebGL2, no server.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {openPage, startViewer} from './browser.mjs';
import {LITTLE, colors, hasFrame, openScene, state, until} from './world.mjs';

// Texts whose contrast is below 4.5 : 1, as the page is shown now.
const faint = (page) => page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const pen = canvas.getContext('2d', {willReadFrequently: true});
    const known = new Map(); // reading a pixel back is slow
    const rgba = (color) => {
        if (known.has(color)) return known.get(color);
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = color;
        pen.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
        known.set(color, [r, g, b, a / 255]);
        return known.get(color);
    };
    const over = (top, under) => [0, 1, 2].map((k) => top[k] * top[3] + under[k] * (1 - top[3]));
    const ground = (node, under) => {
        const chain = [];
        for (let n = node; n; n = n.parentElement) chain.unshift(n);
        return chain.reduce((color, n) => over(rgba(getComputedStyle(n).backgroundColor), color), under);
    };
    const light = (c) => {
        const [r, g, b] = c.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        const node = text.parentElement;
        if (!text.data.trim() || !node.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
        if (node.closest('button:disabled, script, style, option, [aria-hidden=true]')) continue;
        // What lies over the picture may have black or white under it.
        const grounds = node.closest('#view') ? [[0, 0, 0], [255, 255, 255]] : [[255, 255, 255]];
        for (const under of grounds) {
            const back = ground(node, under);
            const [a, b] = [light(over(rgba(getComputedStyle(node).color), back)), light(back)];
            const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (ratio < 4.5) found.push(`${ratio.toFixed(2)} "${text.data.trim().slice(0, 30)}" in ${node.tagName}.${node.className}`);
        }
    }
    return [...new Set(found)];
});

// Things one can work with that have no name for who cannot see them.
const nameless = (page) => page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea, canvas[tabindex]')]
    .filter((node) => node.checkVisibility() && !(node.getAttribute('aria-label') || node.textContent.trim() || node.title
        || [...node.labels ?? []].some((label) => label.textContent.trim())))
    .map((node) => node.outerHTML.slice(0, 90)));

export const everyone = {
    async text_has_contrast_in_both_themes_and_controls_have_names(world) {
        const page = await world.runningPage({viewport: {width: 1366, height: 768}});
        await page.click('#start');
        await until(page, () => window.runnel.state === 'paused');
        for (const theme of ['light', 'dark']) {
            await page.evaluate((t) => window.runnel.setTheme(t), theme);
            for (const name of ['ready', 'running', 'ended', 'failed', 'gone', 'paused']) {
                await page.evaluate((n) => { document.getElementById('state').dataset.state = n; }, name);
                assert.deepEqual((await faint(page)).filter((text) => /chip/.test(text)), [], `${theme}, ${name}`);
            }
            for (const tab of ['scene', 'live', 'view', 'debug', 'files']) {
                await page.click(`#tab-${tab}`);
                await page.evaluate(() => Promise.all(document.getAnimations().map((fade) => fade.finished.catch(() => {})))); // colours fade over
                assert.deepEqual(await faint(page), [], `${theme}, ${tab}`);
                assert.deepEqual(await nameless(page), [], `${theme}, ${tab}`);
            }
            await page.keyboard.press('?');
            await page.waitForSelector('dialog[open]');
            assert.deepEqual(await faint(page), [], `${theme}, help`);
            await page.keyboard.press('Escape');
            await page.evaluate(() => window.runnel.say('Something was refused.', true));
            assert.deepEqual(await faint(page), [], `${theme}, refusal`);
            await page.evaluate(() => window.runnel.quiet());
        }
        return page;
    },

    async keyboard_alone_is_enough(world) {
        const page = await world.runningPage();
        const eye = await page.evaluate(() => window.runnel.stage.camera.eye[0]);
        await page.focus('#canvas');
        await page.keyboard.press('ArrowLeft');
        assert.notEqual(await page.evaluate(() => window.runnel.stage.camera.eye[0]), eye);
        await page.keyboard.press('Space');
        await until(page, () => window.runnel.state === 'paused');
        await page.keyboard.press('.');
        await page.keyboard.press('Space');
        await until(page, () => window.runnel.state === 'running');
        await page.keyboard.press('r');
        const look = await page.evaluate(() => window.runnel.stage.look.name);
        await page.keyboard.press('s');
        assert.notEqual(await page.evaluate(() => window.runnel.stage.look.name), look);
        await page.keyboard.press('s');
        await page.keyboard.press('c');
        assert.equal(await page.evaluate(() => window.runnel.color), 'speed');
        await page.keyboard.press('w');
        assert.equal(await page.evaluate(() => window.runnel.stage.walls), 'glass');
        await page.keyboard.press('?');
        await page.waitForSelector('dialog[open]');
        assert.match(await page.textContent('dialog'), /start or pause.*one step.*undo/s);
        await page.keyboard.press('Escape');
        await page.waitForSelector('dialog:not([open])', {state: 'attached'});
        await page.keyboard.press('d');
        assert.equal(await page.getAttribute('#tab-debug', 'aria-selected'), 'true');
        await page.focus('#tab-debug');
        await page.keyboard.press('ArrowRight');
        assert.equal(await page.getAttribute('#tab-files', 'aria-selected'), 'true');
        return page;
    },

    async tab_reaches_everything_with_a_ring_that_shows(world) {
        const page = await world.page();
        await hasFrame(page);
        await page.evaluate(() => window.runnel.showTab('view'));
        const reached = new Set();
        for (let k = 0; k < 60; k++) {
            await page.keyboard.press('Tab');
            const at = await page.evaluate(() => {
                const node = document.activeElement;
                const {outlineStyle, outlineWidth} = getComputedStyle(node);
                return {id: node.id || node.closest('[id]')?.id || node.tagName, ring: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2, tag: node.tagName};
            });
            if (at.tag === 'BODY' || reached.has('share') && at.id === 'skip') break;
            assert.ok(at.ring, `${at.tag} ${at.id} shows no ring`);
            reached.add(at.id);
        }
        for (const id of ['skip', 'theme', 'help', 'fold', 'tab-view', 'body-view', 'canvas', 'restart', 'start', 'step', 'speed', 'tools', 'record', 'picture', 'share'])
            assert.ok(reached.has(id), `Tab does not reach ${id}; it reaches ${[...reached]}`);
        return page;
    },

    async first_opening_explains_itself_in_one_screen(world) {
        for (const options of [{viewport: {width: 1366, height: 768}}, {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true}]) {
            const page = await world.page({first: true, ...options});
            await page.waitForSelector('dialog[open]');
            assert.match(await page.textContent('dialog'), /Push, Pull, Pour and Tilt/);
            const fits = await page.evaluate(() => {
                const inside = document.querySelector('dialog .scroll');
                return inside.scrollHeight - inside.clientHeight;
            });
            assert.ok(fits <= 1, `${fits} pixels do not fit on ${options.viewport.width} x ${options.viewport.height}`);
            await page.click('dialog button.main');
            await hasFrame(page);
            if (options.hasTouch) return page;
            await page.context().close();
        }
        return null;
    },

    async phone_shows_water_and_a_panel_that_folds(world) {
        const page = await world.runningPage({viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
        const {blue} = await colors(page);
        assert.ok(blue > 0.001, `${blue} of the picture is blue`);
        assert.equal(await page.isVisible('#panel'), false);
        for (const id of ['start', 'restart', 'step', 'speed', 'tools']) assert.equal(await page.isVisible(`#${id}`), true, id);
        await page.tap('#fold');
        assert.equal(await page.isVisible('#panel'), true);
        for (const tab of ['scene', 'live', 'view', 'debug', 'files']) {
            await page.tap(`#tab-${tab}`);
            const {wide, small} = await page.evaluate(() => ({
                wide: document.documentElement.scrollWidth,
                small: [...document.querySelectorAll('#bar button, #top button, #tabs button')].filter((b) => b.checkVisibility())
                    .map((b) => b.getBoundingClientRect()).filter((r) => r.width < 34 || r.height < 34).length}));
            assert.ok(wide <= 390, `${tab}: the page is ${wide} wide`);
            assert.equal(small, 0, `${tab}: ${small} buttons are too small for a finger`);
        }
        return page;
    },

    async nothing_is_wider_than_the_window_with_several_that_look(world) {
        const first = await world.page();
        await openScene(first, {scene: {...LITTLE, title: 'A title that does not fit into the head of any page, '.repeat(2),
            description: `one word: ${'Donaudampfschifffahrt'.repeat(6)}`}});
        const page = await world.page({isBare: true});
        await hasFrame(page);
        await page.locator('#control', {hasText: 'Request control'}).waitFor(); // also before the start
        await page.click('#start');
        for (const [width, height] of [[1280, 720], [1060, 800], [1024, 768], [820, 1180], [768, 1024], [761, 700], [844, 390], [390, 844], [360, 640]]) {
            await page.setViewportSize({width, height});
            const wide = await page.evaluate(() => ['html', '#top', '#bar', '#bodies'].map((name) => document.querySelector(name))
                .filter((node) => node.scrollWidth > node.clientWidth).map((node) => `${node.id || node.tagName}: ${node.scrollWidth} of ${node.clientWidth}`));
            assert.deepEqual(wide, [], `at ${width} x ${height}`);
            const [toast, hint, fold] = await page.evaluate(() => ['toast', 'hint', 'fold'].map((id) => document.getElementById(id).getBoundingClientRect().toJSON()));
            assert.ok(hint.height === 0 || toast.bottom <= hint.top, `at ${width}: what is told ends at ${toast.bottom}, the hint begins at ${hint.top}`);
            assert.ok(fold.right <= width, `at ${width}: the last button ends at ${fold.right}`);
        }
        await first.context().close();
        return page;
    },

    async missing_webgl2_is_said(world) {
        const page = await world.page({isBare: true, before: () => {
            const get = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind === 'webgl2' ? null : get.call(this, kind, ...rest);
            };
        }});
        await page.waitForSelector('#cover:not([hidden])');
        assert.match(await page.textContent('#cover'), /no WebGL2/);
        assert.equal(await page.isVisible('#start'), false, 'buttons that do nothing');
        return page;
    },

    async second_page_watches_and_may_take_control(world) {
        const first = await world.runningPage();
        const second = await world.page({isBare: true});
        await hasFrame(second);
        assert.equal(await second.evaluate(() => window.runnel.hasControl), false);
        await second.click('#start');
        await second.locator('#toast', {hasText: 'Another client has control'}).waitFor();
        await second.click('#toast >> text=Request control');
        await until(second, () => window.runnel.waits);
        await second.locator('#toast:not(.bad)', {hasText: 'You get control when'}).waitFor();
        await first.locator('#toast', {hasText: 'Another client requests control'}).waitFor();
        await first.click('#toast >> text=Keep');
        await second.locator('#control', {hasText: 'Waiting'}).click();
        await first.locator('#control', {hasText: 'Release control'}).waitFor();
        await second.locator('#control', {hasText: 'Request control'}).click();
        await first.click('#toast >> text=Hand over');
        await until(second, () => window.runnel.hasControl);
        await until(first, () => !window.runnel.hasControl);
        await second.context().close();
        await first.click('#toast >> text=Take control');
        await until(first, () => window.runnel.hasControl);
        return first;
    },

    async run_is_watched_and_its_end_is_told(world) {
        const run = await startViewer(world.command, ['water-channel', '--set', 'fluid.particles=3000', '--time', '60', '--wall', '12', '--every', '60', '--threads', '1',
            '--out', join(world.folder, 'watched'), '--watch', '--port', '0'], 'run');
        const page = await openPage(world.browser, run.address);
        await until(page, () => window.runnel.report?.step > 10 && window.runnel.stage.frame.count > 0);
        for (const id of ['start', 'restart', 'step', 'speed']) assert.equal(await page.isDisabled(`#${id}`), true, id);
        await page.click('#tab-live');
        assert.match(await page.textContent('#body-live'), /only be watched/);
        await page.focus('#canvas');
        await page.keyboard.press('2');
        const box = await page.locator('#canvas').boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        await page.locator('#toast', {hasText: 'can only be watched'}).waitFor();
        await run.ended;
        await page.locator('#toast', {hasText: 'The run has ended'}).waitFor();
        assert.equal(await page.isVisible('#cover'), false);
        page.complaints = page.complaints.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text));
        return page;
    },

    async server_that_is_killed_and_comes_back_is_followed(world) {
        const page = await world.runningPage();
        await world.viewer.kill('SIGKILL');
        await page.waitForSelector('#cover:not([hidden])');
        assert.match(await page.textContent('#cover'), /Connection lost/);
        assert.equal(await state(page), 'gone');
        for (const id of ['start', 'restart', 'step', 'speed']) assert.equal(await page.isDisabled(`#${id}`), true, `${id} without a server`);
        await world.restartViewer();
        await page.waitForSelector('#cover', {state: 'hidden'});
        for (const id of ['start', 'restart', 'step', 'speed']) await page.waitForSelector(`#${id}:not([disabled])`);
        await until(page, () => window.runnel.state === 'running' && window.runnel.report.step > 3);
        const then = await page.evaluate(() => window.runnel.stage.frame.time);
        await until(page, (t) => window.runnel.stage.frame.time > t, then);
        await page.click('#start');
        await until(page, () => window.runnel.state === 'paused');
        page.complaints = page.complaints.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text));
        return page;
    },
};
