// Checkpoints, scenes, a video, a picture, links.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {LITTLE, SMALL, openScene, report, until} from './world.mjs';
import {openPage, startViewer} from './browser.mjs';

async function downloaded(page, act) {
    const [file] = await Promise.all([page.waitForEvent('download'), act()]);
    return {name: file.suggestedFilename(), bytes: readFileSync(await file.path())};
}

export const keep = {
    async state_and_scene_are_saved_and_loaded(world) {
        const page = await world.page();
        await openScene(page, {scene: LITTLE});
        await page.evaluate(() => window.runnel.order('start'));
        await until(page, () => window.runnel.report.step > 30);
        await page.click('#start');
        await until(page, () => window.runnel.state === 'paused');
        await page.waitForTimeout(300);
        const then = await report(page);
        await page.click('#tab-files');
        await page.click('text=Save a checkpoint');
        await page.locator('[aria-label="Load moment.rnck"]').waitFor();
        await page.locator('#toast', {hasText: 'Saved moment'}).waitFor();
        await page.click('text=Save the scene');
        await page.locator('[aria-label="Load moment.json"]').waitFor();
        await page.click('text=Save a checkpoint');
        await page.locator('#toast.bad', {hasText: 'already'}).waitFor();
        const lists = await page.evaluate(() => {
            window.lists = 0;
            window.runnel.server.on('files', () => { window.lists++; });
            return window.lists;
        });
        await page.click('text=Refresh');
        await until(page, (n) => window.lists > n, lists);
        assert.doesNotMatch(await page.textContent('#toast'), /saved/i, 'what was refused is not told to be saved by the next list');
        await page.click('#start');
        await until(page, (s) => window.runnel.report.step > s + 20, then.step);
        await page.click('[aria-label="Load moment.rnck"]');
        await until(page, (s) => window.runnel.state === 'paused' && window.runnel.report.step === s, then.step);
        const now = await report(page);
        assert.equal(now.time, then.time);
        assert.equal(now.particles, then.particles);
        for (const name of ['time_step', 'neighbors_mean', 'density_mean', 'kinetic', 'came'])
            assert.ok(Math.abs(now[name] - then[name]) <= 1e-4 * Math.abs(then[name]), `${name}: ${now[name]} after loading, ${then[name]} before`);
        const {bytes, particles_start: begun} = await page.evaluate(() => window.runnel.scene.derived);
        assert.ok(bytes > 0 && begun === then.particles, `${bytes} bytes, ${begun} particles: what is told is of the loaded state`);
        await page.click('[aria-label="Load moment.json"]');
        await until(page, () => window.runnel.state === 'ready' && window.runnel.report.step === 0);
        assert.equal(await page.evaluate(() => window.runnel.scene.title), LITTLE.title);
        return page;
    },

    async picture_is_a_png_finer_than_the_screen(world) {
        const page = await world.runningPage(SMALL);
        const {name, bytes} = await downloaded(page, () => page.click('#picture'));
        assert.match(name, /^runnel-dam-break\.png$/);
        assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
        const shown = await page.evaluate(() => document.getElementById('canvas').clientWidth);
        assert.ok(bytes.readUInt32BE(16) >= 2 * shown - 2, `${bytes.readUInt32BE(16)} pixels for ${shown}`);
        return page;
    },

    async video_is_recorded_and_plays(world) {
        const page = await world.runningPage();
        await page.click('#record');
        assert.equal(await page.getAttribute('#record', 'aria-pressed'), 'true');
        await page.waitForTimeout(3000);
        const {name, bytes} = await downloaded(page, () => page.click('#record'));
        assert.ok(bytes.length > 5000, `${bytes.length} bytes`);
        const kind = name.endsWith('.mp4') ? 'video/mp4' : 'video/webm';
        const viewer = await page.context().newPage();
        const seen = await viewer.evaluate(async ([data, type]) => {
            const video = document.createElement('video');
            video.muted = true;
            video.src = `data:${type};base64,${data}`;
            document.body.append(video);
            await new Promise((done, failed) => {
                video.onloadeddata = done;
                video.onerror = () => failed(new Error(video.error.message));
            });
            await video.play();
            await new Promise((done) => { setTimeout(done, 1000); });
            const canvas = document.createElement('canvas');
            canvas.width = canvas.height = 64;
            const c = canvas.getContext('2d');
            c.drawImage(video, 0, 0, 64, 64);
            const inks = new Set(c.getImageData(0, 0, 64, 64).data);
            return {width: video.videoWidth, time: video.currentTime, inks: inks.size};
        }, [bytes.toString('base64'), kind]);
        assert.ok(seen.width > 100 && seen.time > 0 && seen.inks > 20, JSON.stringify(seen));
        await viewer.close();
        return page;
    },

    async link_restores_settings_after_asking(world) {
        const page = await world.runningPage();
        await page.evaluate(() => {
            window.runnel.setWalls('glass');
            window.runnel.setLook('water');
            window.runnel.stage.camera.orbit(0.5, 0.1);
            window.runnel.server.send({type: 'set', path: 'fluid.viscosity', value: 0.5});
            navigator.clipboard.writeText = async () => {};
        });
        await until(page, () => window.runnel.values['fluid.viscosity'] === 0.5);
        const {link, eye} = await page.evaluate(async () => ({link: await window.runnel.share(), eye: window.runnel.stage.camera.eye}));
        await openScene(page, {name: 'hydrostatic', set: {'fluid.spacing': 0.05}});
        await page.context().close();
        const other = await world.page({hash: link.slice(link.indexOf('#'))});
        await other.click('text=Open it');
        await until(other, () => window.runnel.scene.name === 'dam-break' && window.runnel.values['fluid.viscosity'] === 0.5);
        const now = await other.evaluate(() => ({walls: window.runnel.stage.walls, look: window.runnel.stage.look.name, eye: window.runnel.stage.camera.eye,
            spacing: window.runnel.scene.derived.spacing}));
        assert.equal(now.walls, 'glass');
        assert.equal(now.look, 'water');
        assert.ok(Math.abs(now.spacing - 0.006) < 1e-6, `spacing ${now.spacing}`);
        eye.forEach((v, k) => assert.ok(Math.abs(v - now.eye[k]) < 1e-3, `eye ${eye} and ${now.eye}`));
        return other;
    },

    async link_has_the_values_of_the_command_line_and_of_loaded_files(world) {
        const viewer = await startViewer(world.command, ['hydrostatic', '--set', 'fluid.spacing=0.05', '--set', 'fluid.viscosity=0.25',
            '--out', world.folder, '--port', '0', '--paused']);
        const page = await openPage(world.browser, viewer.address);
        await until(page, () => window.runnel?.scene && window.runnel.values);
        const share = () => page.evaluate(async () => {
            navigator.clipboard.writeText = async () => {};
            return new URLSearchParams((await window.runnel.share()).split('#')[1]).get('json');
        });
        let scene = JSON.parse(await share());
        assert.ok(Math.abs(scene.fluid.spacing - 0.05) < 1e-6 && Math.abs(scene.fluid.viscosity - 0.25) < 1e-6, JSON.stringify(scene.fluid));
        await page.evaluate(() => window.runnel.server.send({type: 'save', name: 'linked', kind: 'scene', replace: true}));
        await page.locator('[aria-label="Load linked.json"]').waitFor({state: 'attached'});
        await openScene(page, {name: 'hydrostatic'});
        assert.equal(await share(), null, 'the name of a built-in scene is enough');
        await page.evaluate(() => window.runnel.server.send({type: 'load', name: 'linked.json'}));
        await until(page, () => window.runnel.scene.name === 'linked.json');
        scene = JSON.parse(await share());
        assert.ok(Math.abs(scene.fluid.viscosity - 0.25) < 1e-6, JSON.stringify(scene.fluid));
        await viewer.kill();
        page.complaints = page.complaints.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text));
        return page;
    },
};
