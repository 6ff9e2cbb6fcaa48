// Before the start: choosing a scene, its parameters, what follows from them, and the scene as text.
import assert from 'node:assert/strict';
import {LITTLE, SMALL, openScene, until} from './world.mjs';

const derived = (page, name) => page.evaluate((n) => {
    const rows = [...document.querySelectorAll('.derived dt')];
    return rows.find((row) => row.textContent === n)?.nextSibling.textContent;
}, name);

async function drop(page, name, text) {
    const data = await page.evaluateHandle(([n, t]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([t], n, {type: 'application/json'}));
        return transfer;
    }, [name, text]);
    await page.dispatchEvent('#view', 'dragover', {dataTransfer: data});
    await page.dispatchEvent('#view', 'drop', {dataTransfer: data});
}

export const before = {
    async scene_is_chosen_and_what_follows_is_told(world) {
        const page = await world.page();
        await page.click('[data-scene="hydrostatic"]');
        await until(page, () => window.runnel.scene.name === 'hydrostatic' && window.runnel.state === 'ready');
        for (const name of ['Particles', 'Memory', 'Time step', 'Expected frames']) assert.match(await derived(page, name), /\d/, name);
        const told = {};
        for (const name of ['Particles', 'Memory', 'Time step']) told[name] = await derived(page, name);
        const field = page.locator('#body-scene .field[data-path="fluid.spacing"] input[type=text]');
        await field.fill('0.04');
        await field.press('Enter');
        await until(page, (was) => [...document.querySelectorAll('.derived dd')][0].textContent !== was, told.Particles);
        for (const [name, was] of Object.entries(told)) assert.notEqual(await derived(page, name), was, name);
        await openScene(page, {scene: LITTLE}); // its pipe never ends: what is told is of the end of the run
        assert.match(await derived(page, 'Memory'), /^up to \d/);
        assert.match(await derived(page, 'Particles'), /then without limit$/);
        const names = await page.locator('.derived dt').allTextContents();
        const steps = names.find((name) => /^Steps with [\d,]+$/.test(name));
        assert.ok(steps, names.join(', '));
        assert.match(await derived(page, steps), /\d/);
        await page.click('#start');
        await until(page, () => window.runnel.state === 'running');
        return page;
    },

    async every_parameter_has_name_unit_range_default_and_help(world) {
        const page = await world.page();
        const fields = await page.evaluate(() => [...document.querySelectorAll('#body-scene .field')].map((node) => ({
            path: node.dataset.path, label: node.querySelector('label').textContent, help: node.querySelector('.help').textContent,
            unit: node.querySelector('.unit').textContent})));
        const table = await page.evaluate(() => window.runnel.hello.parameters.filter((p) => !p.path.includes('.N.') && !['title', 'description'].includes(p.path)));
        assert.deepEqual(fields.map((f) => f.path).sort(), table.map((p) => p.path).sort());
        for (const {path, label, help, unit} of fields) {
            const row = table.find((p) => p.path === path);
            assert.ok(label && help.length > 8, `${path}: ${label}, ${help}`);
            if (['number', 'integer', 'vector'].includes(row.type)) assert.match(unit, /…/, path);
            if (row.default !== null && row.default !== '' && row.type === 'number') assert.match(help, /Default/, path);
        }
        return page;
    },

    async what_is_refused_is_told_at_its_field(world) {
        const page = await world.page();
        await openScene(page, {scene: LITTLE});
        const field = page.locator('#body-scene .field[data-path="fluid.spacing"]');
        await field.locator('input[type=text]').fill('0.9'); // in range, but wider than the domain
        await field.locator('input[type=text]').press('Enter');
        await field.locator('.problem:not([hidden])').or(page.locator('#toast.bad')).first().waitFor();
        const search = page.locator('#body-scene input[type=search]');
        await search.fill('viscosity');
        assert.equal(await page.isVisible('#body-scene .field[data-path="fluid.spacing"]'), false);
        assert.equal(await page.isVisible('#body-scene .field[data-path="fluid.viscosity"]'), true);
        await search.fill('nobody is called that');
        await page.locator('#body-scene', {hasText: 'No parameter matches'}).waitFor();
        await search.fill('');
        assert.equal(await page.isVisible('text=No parameter matches'), false);
        const number = page.locator('#body-scene .field[data-path="fluid.spacing"]');
        await number.locator('input[type=text]').fill('abc');
        await number.locator('input[type=text]').press('Enter');
        assert.match(await number.locator('.problem').textContent(), /is not a number/);
        await page.evaluate(() => window.runnel.open({scene: {solids: [{shape: 'bxo'}], fluid: {spacng: 1}}}));
        await page.locator('#toast.bad', {hasText: '2 values were refused'}).waitFor();
        await openScene(page, {scene: LITTLE});
        assert.equal(await page.textContent('#toast'), '', 'what was wrong with another scene is told no more');
        return page;
    },

    async scene_file_is_dropped_in(world) {
        const page = await world.page();
        await drop(page, 'mine.json', JSON.stringify({...LITTLE, title: 'dropped in'}));
        await until(page, () => window.runnel.scene.title === 'dropped in' && window.runnel.state === 'ready');
        const home = await page.evaluate(() => window.runnel.stage.camera.target);
        await drop(page, 'wide.json', JSON.stringify({...LITTLE, title: 'wide', domain: {low: [0, 0, 0], high: [3, 1, 0.5]}}));
        await until(page, () => window.runnel.scene.title === 'wide' && window.runnel.state === 'ready');
        assert.notDeepEqual(await page.evaluate(() => window.runnel.stage.camera.target), home, 'the eye goes to the new scene');
        await drop(page, 'mine.json', JSON.stringify({...LITTLE, title: 'dropped in'}));
        await until(page, () => window.runnel.scene.title === 'dropped in' && window.runnel.state === 'ready');
        await drop(page, 'broken.json', '{"fluid": [}');
        await page.locator('#toast.bad', {hasText: 'broken.json cannot be read'}).waitFor();
        await drop(page, 'wrong.json', JSON.stringify({...LITTLE, solids: [{shape: 'bal', center: [0, 0, 0]}]}));
        await page.locator('#toast.bad', {hasText: 'bal'}).waitFor();
        assert.equal(await page.evaluate(() => window.runnel.scene.title), 'dropped in');
        return page;
    },

    async scene_as_text_has_what_differs_from_its_preset(world) {
        const page = await world.page(SMALL);
        await page.click('text=Scene as text');
        const textOf = async (scene) => {
            await openScene(page, {scene});
            return JSON.parse(await page.locator('.editor textarea').inputValue());
        };
        const live = await textOf({...LITTLE, fluid: {spacing: 0.04}, time: {courant: 1}}); // 1 is what other presets have
        assert.deepEqual([live.fluid.preset, live.time], ['live', {courant: 1}]);
        assert.equal((await textOf({...LITTLE, time: {courant: 1}})).time, undefined);
        assert.equal((await textOf({...LITTLE, walls: {}, fluid: {preset: 'balanced', spacing: 0.04}})).fluid.preset, 'balanced');
        return page;
    },

    async scene_is_edited_as_text_with_errors_at_the_line(world) {
        const page = await world.page();
        await openScene(page, {scene: LITTLE});
        await page.click('text=Scene as text');
        const area = page.locator('.editor textarea');
        const text = await area.inputValue();
        assert.deepEqual(Object.keys(JSON.parse(text)).sort(), ['blocks', 'domain', 'fluid', 'pipes', 'title', 'walls'].sort());
        await page.click('button:has-text("+ Ball")');
        await until(page, () => window.runnel.scene.solids?.some((s) => s.shape === 'sphere'));
        await area.fill((await area.inputValue()).replace('"sphere"', '"spere"'));
        await page.evaluate(() => {
            const {server} = window.runnel;
            const send = server.send.bind(server);
            server.send = (message) => { window.sentUndo ||= message.type === 'undo'; send(message); };
        });
        await area.press('End');
        await area.press('Space');
        const before = await area.inputValue();
        await area.press('Control+z');
        assert.notEqual(await area.inputValue(), before, 'ctrl z takes back what was typed');
        assert.ok(!await page.evaluate(() => window.sentUndo), 'and no parameter');
        const problem = page.locator('#body-scene details .problems li');
        await problem.waitFor();
        assert.match(await problem.textContent(), /^line \d+ solids\.0\.shape: .*did you mean sphere/);
        await problem.locator('button').click();
        const marked = await page.evaluate(() => {
            const a = document.querySelector('.editor textarea');
            return a.value.slice(a.selectionStart, a.selectionEnd);
        });
        assert.equal(marked, '"spere"');
        await area.fill('{\n  "fluid": {"spacing": 0.04},\n  "domain": {"low": [0, 0, 0], "high": [1, 1 0.5]}\n}');
        await page.locator('#body-scene details .problems li', {hasText: 'line 3'}).waitFor();
        assert.equal(await page.locator('.gutter b').textContent(), '3');
        await page.click('button:has-text("Revert")');
        assert.match(await area.inputValue(), /"sphere"/);
        return page;
    },

    async running_scene_keeps_changes_until_they_are_used(world) {
        const page = await world.runningPage();
        await page.click('#tab-scene');
        const field = page.locator('#body-scene .field[data-path="fluid.spacing"] input[type=text]');
        await field.fill('0.009');
        await field.press('Enter');
        await page.locator('.pending', {hasText: '1 change pending'}).waitFor();
        await page.click('text=Apply and restart >> visible=true');
        await until(page, () => window.runnel.state === 'ready' && Math.abs(window.runnel.scene.derived.spacing - 0.009) < 1e-6);
        return page;
    },
};
