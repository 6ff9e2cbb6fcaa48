// The mouse, two fingers and the keyboard on the water.
import assert from 'node:assert/strict';
import {hasFrame, middle, openScene, report, seenAt, until} from './world.mjs';

// A ball of water without gravity: only the hand can make it fast.
const BALL = {
    fluid: {spacing: 0.02, speed_expected: 3}, gravity: [0, 0, 0], domain: {low: [0, 0, 0], high: [1, 1, 1]},
    balls: [{center: [0.5, 0.5, 0.5], radius: 0.15}], view: {eye: [0.5, 0.5, 2.6], target: [0.5, 0.5, 0.5]},
};
const POOL = {fluid: {spacing: 0.03, speed_expected: 3}, domain: {low: [0, 0, 0], high: [1, 0.6, 0.4]}, blocks: [{low: [0, 0, 0], high: [1, 0.15, 0.4]}]};

async function play(page, scene, speed) {
    await openScene(page, {scene});
    await page.evaluate((s) => {
        window.runnel.report = null; // those of the scene before
        window.runnel.stage.forget();
        window.runnel.server.send({type: 'speed', speed: s});
        window.runnel.order('start');
    }, speed);
    await until(page, () => window.runnel.report?.step > 2 && window.runnel.stage.frame.count > 0);
    await page.focus('#canvas');
}

const fingers = (client, type, ...points) => client.send('Input.dispatchTouchEvent', {type, touchPoints: points.map(([x, y], id) => ({x, y, id}))});

export const hand = {
    async pushing_with_the_mouse_moves_water(world) {
        const page = await world.page();
        await play(page, BALL, 0.1);
        await page.keyboard.press('2');
        const box = await page.locator('#canvas').boundingBox();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        const before = await middle(page);
        const still = (await report(page)).kinetic;
        await page.mouse.move(x - 40, y);
        const ring = await page.evaluate(() => window.runnel.hand.shown());
        assert.ok(ring && Math.abs(ring.position[2] - 0.5) < 0.2, `a ring shows where it will work: ${JSON.stringify(ring)}`);
        await page.mouse.down();
        for (let k = 0; k < 20; k++) {
            await page.mouse.move(x - 40 + 5 * k, y);
            await page.waitForTimeout(40);
        }
        await until(page, (b) => window.runnel.report.kinetic > 10 * b + 1e-4, still);
        await page.mouse.up();
        await until(page, (x0) => {
            const {frame} = window.runnel.stage;
            const places = new Uint16Array(frame.buffer, frame.positionAt, frame.count * 3);
            let sum = 0;
            for (let i = 0; i < places.length; i += 3) sum += places[i];
            return frame.low[0] + (sum / frame.count / 65535) * frame.extent[0] > x0 + 0.01; // along with the mouse
        }, before[0]);
        return page;
    },

    async pulling_gathers_water(world) {
        const page = await world.page();
        await play(page, BALL, 0.1);
        await page.keyboard.press('3');
        const before = await middle(page);
        const box = await page.locator('#canvas').boundingBox();
        await page.mouse.move(box.x + box.width / 2 + 45, box.y + box.height / 2); // beside its middle
        await page.mouse.down();
        await until(page, () => window.runnel.report.kinetic > 1e-2);
        await page.waitForTimeout(500);
        await page.mouse.up();
        const after = await middle(page);
        assert.ok(after[0] > before[0] + 1e-4, `from ${before} to ${after}: not towards the pointer`);
        return page;
    },

    async pouring_brings_water(world) {
        const page = await world.page();
        await play(page, POOL, 1);
        await page.keyboard.press('4');
        const {came, particles} = await report(page);
        await page.mouse.move(...await seenAt(page, 100));
        await page.mouse.down();
        await until(page, ([c, n]) => window.runnel.report.came > c + 20 && window.runnel.report.particles > n + 20, [came, particles]);
        await page.mouse.up();
        await page.waitForTimeout(300);
        const ended = (await report(page)).came;
        await page.waitForTimeout(400);
        assert.equal((await report(page)).came, ended, 'it pours on');
        return page;
    },

    async tilting_leans_the_water_and_h_levels_it(world) {
        const page = await world.page();
        await play(page, POOL, 1);
        await page.keyboard.press('6');
        const before = await middle(page);
        const box = await page.locator('#canvas').boundingBox();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 120, y, {steps: 8});
        await until(page, () => Math.abs(window.runnel.values.gravity[0]) > 1);
        await page.waitForTimeout(900);
        await page.mouse.up();
        const after = await middle(page);
        assert.ok(after[0] > before[0] + 0.002, `from ${before[0]} to ${after[0]}: not where the hand leant it`);
        await page.keyboard.press('h');
        await until(page, () => Math.abs(window.runnel.values.gravity[0]) < 1e-6);
        await page.waitForTimeout(900); // what follows at once is one change, and undone as one
        await page.keyboard.press('o');
        await until(page, () => window.runnel.values.gravity[0] > 0.5);
        await page.keyboard.press('Control+z');
        await until(page, () => Math.abs(window.runnel.values.gravity[0]) < 1e-6);
        return page;
    },

    async mouse_turns_moves_and_zooms_the_eye(world) {
        const page = await world.page();
        await hasFrame(page);
        const eye = () => page.evaluate(() => ({eye: [...window.runnel.stage.camera.eye], target: [...window.runnel.stage.camera.target]}));
        const away = ({eye: e, target: t}) => Math.hypot(...e.map((v, k) => v - t[k]));
        const box = await page.locator('#canvas').boundingBox();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        await page.focus('#canvas');
        await page.keyboard.press('1');
        const first = await eye();
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 50, y);
        await page.mouse.up();
        const turned = await eye();
        assert.notDeepEqual(turned.eye, first.eye);
        assert.deepEqual(turned.target, first.target);
        await page.mouse.down({button: 'right'});
        await page.mouse.move(x + 100, y + 20);
        await page.mouse.up({button: 'right'});
        const moved = await eye();
        assert.notDeepEqual(moved.target, turned.target);
        await page.mouse.wheel(0, -300);
        await page.waitForTimeout(100);
        assert.ok(away(await eye()) < away(moved) * 0.9);
        await page.keyboard.press('0');
        assert.deepEqual(await eye(), await page.evaluate(() => ({eye: [...window.runnel.stage.camera.home.eye], target: [...window.runnel.stage.camera.home.target]})));
        return page;
    },

    async two_fingers_move_and_zoom_and_one_turns(world) {
        const page = await world.page({viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
        await hasFrame(page);
        const client = await page.context().newCDPSession(page);
        const eye = () => page.evaluate(() => {
            const {eye: e, target: t} = window.runnel.stage.camera;
            return {eye: [...e], target: [...t], away: Math.hypot(...e.map((v, k) => v - t[k]))};
        });
        const first = await eye();
        await fingers(client, 'touchStart', [150, 300]);
        await fingers(client, 'touchMove', [200, 300]);
        await fingers(client, 'touchEnd');
        const turned = await eye();
        assert.notDeepEqual(turned.eye, first.eye);
        assert.deepEqual(turned.target, first.target);
        await fingers(client, 'touchStart', [150, 300], [250, 300]);
        for (let k = 1; k <= 5; k++) await fingers(client, 'touchMove', [150 - 10 * k, 300], [250 + 10 * k, 300]);
        await fingers(client, 'touchEnd');
        const zoomed = await eye();
        assert.ok(zoomed.away < turned.away * 0.7, `${turned.away} then ${zoomed.away}`);
        await fingers(client, 'touchStart', [150, 300], [250, 300]);
        for (let k = 1; k <= 5; k++) await fingers(client, 'touchMove', [150, 300 + 10 * k], [250, 300 + 10 * k]);
        await fingers(client, 'touchEnd');
        const moved = await eye();
        assert.notDeepEqual(moved.target, zoomed.target);
        assert.ok(Math.abs(moved.away - zoomed.away) < 0.02 * zoomed.away);
        return page;
    },

    async finger_pushes_water(world) {
        const page = await world.page({viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
        await play(page, BALL, 0.1);
        const client = await page.context().newCDPSession(page);
        await page.tap('#tools [data-name="push"]');
        const still = (await report(page)).kinetic;
        const box = await page.locator('#canvas').boundingBox();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        await fingers(client, 'touchStart', [x - 40, y]);
        for (let k = 1; k <= 20; k++) {
            await fingers(client, 'touchMove', [x - 40 + 5 * k, y]);
            await page.waitForTimeout(40);
        }
        await until(page, (b) => window.runnel.report.kinetic > 10 * b + 1e-4, still);
        await fingers(client, 'touchEnd');
        return page;
    },
};
