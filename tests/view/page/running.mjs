// While it runs: the buttons, every live parameter, the debug view. What they do is read off the step report.
import assert from 'node:assert/strict';
import {LITTLE, SMALL, TWO, openScene, report, seenAt, state, steps, until} from './world.mjs';

const COUNT = 45; // steps after which a parameter has told

const PASTE = {'fluid.viscosity': 5, 'fluid.viscosity_solver': 'implicit'};
const THINNING = {'fluid.flow_index': 0.5, 'fluid.shear_time': 1, 'fluid.viscosity_law': 'carreau'};

// path, another value, and what must hold before it can tell.
const PARAMETERS = [
    ['fluid.pressure', 'gas'], ['fluid.stiffness', 40000], ['fluid.exponent', 3], ['fluid.negative_pressure', true],
    ['fluid.viscosity_model', 'none', {'fluid.viscosity': 5}], ['fluid.viscosity', 5], ['fluid.numerical_viscosity', 1],
    ['fluid.tension', 'akinci', {'fluid.cohesion': 5, 'fluid.curvature': 5}], ['fluid.cohesion', 50, {'fluid.tension': 'akinci'}],
    ['fluid.curvature', 50, {'fluid.tension': 'akinci'}], ['fluid.smooth_normals', true, {'fluid.tension': 'akinci', 'fluid.curvature': 50}],
    ['fluid.surface_tension', 20, {'fluid.tension': 'color-field'}],
    ['fluid.color_threshold', 1, {'fluid.tension': 'color-field', 'fluid.surface_tension': 20}],
    ['fluid.viscosity_solver', 'implicit', {'fluid.viscosity': 5}], ['fluid.viscosity_tolerance', 0.1, PASTE],
    ['fluid.viscosity_iterations', 1, PASTE], ['fluid.viscosity_law', 'power-law', {...PASTE, 'fluid.flow_index': 0.5}],
    ['fluid.flow_index', 0.5, {...PASTE, 'fluid.flow_index': 0.8, 'fluid.viscosity_law': 'power-law'}],
    ['fluid.viscosity_infinite', 2, {...PASTE, ...THINNING}], ['fluid.shear_time', 3, {...PASTE, ...THINNING}],
    ['fluid.yield_stress', 50, {...PASTE, 'fluid.yield_stress': 5, 'fluid.viscosity_law': 'bingham'}],
    ['fluid.yield_growth', 0.01, {...PASTE, 'fluid.yield_stress': 50, 'fluid.viscosity_law': 'bingham'}],
    ['fluid.viscosity_min', 20, {...PASTE, ...THINNING}], ['fluid.viscosity_max', 2, {...PASTE, ...THINNING}],
    ['fluid.material', 'honey'], ['gravity', [3, -5, 0]], ['gravity_ramp', 1], ['time.integrator', 'leapfrog'], ['time.step', 0.0004], ['time.step_max', 0.0005],
    ['time.courant', 0.4], ['time.speed_share', 0.8], ['time.force_factor', 0.05], ['walls.bounce', 0.9], ['pipes.0.speed', 3], ['fluid.sound_ratio', 5],
    ['gravity_sine.amplitude', [3, 0, 0], {'gravity_sine.frequency': 5}], ['gravity_sine.frequency', 5, {'gravity_sine.amplitude': [3, 0, 0]}],
    ['gravity_sine.phase', 90, {'gravity_sine.amplitude': [3, 0, 0], 'gravity_sine.frequency': 5}],
];

// Without effect on the classic scheme.
const CORRECTED = ['fluid.diffusion', 'fluid.relaxation', 'fluid.shifting', 'fluid.bulk', 'fluid.impact', 'fluid.gradient_correction'];

async function turnKnob(page, path, value) {
    const field = page.locator(`#body-live .field[data-path="${path}"]`);
    if (typeof value === 'boolean') await field.locator('input').setChecked(value);
    else if (typeof value === 'string') await field.locator('select').selectOption(value);
    else
        for (const [k, v] of [value].flat().entries()) {
            await field.locator('input[type=text]').nth(k).fill(String(v));
            await field.locator('input[type=text]').nth(k).press('Enter');
        }
    const isSet = until(page, ([p, v]) => JSON.stringify(window.runnel.values[p]) === JSON.stringify(v), [path, value]);
    await isSet.catch(async (e) => { throw new Error(`${path} = ${value}: ${await field.textContent()}: ${e.message}`); });
}

export const running = {
    async unsafe_step_turns_the_state_amber_and_says_why(world) {
        const page = await world.page(SMALL);
        await openScene(page, {scene: LITTLE});
        await page.evaluate(() => {
            const {time_step: safe} = window.runnel.scene.derived;
            window.runnel.server.send({type: 'set', path: 'time.step', value: 2 * safe});
        });
        await page.evaluate(() => window.runnel.order('start'));
        await until(page, () => document.getElementById('state').dataset.state === 'caution');
        assert.match(await page.textContent('#state'), /unsafe step/);
        assert.match(await page.getAttribute('#state', 'title'), /longer than the safe one of [\d.]+ ms/);
        await page.evaluate(() => window.runnel.server.send({type: 'set', path: 'time.step', value: 0}));
        await until(page, () => document.getElementById('state').dataset.state === 'running');
        return page;
    },

    async pause_step_start_and_restart_do_what_they_say(world) {
        const page = await world.runningPage();
        await page.click('#start');
        await until(page, () => window.runnel.state === 'paused');
        await until(page, () => !/frames|real time/.test(document.getElementById('numbers').textContent)); // none are due
        await page.waitForTimeout(400);
        const before = (await report(page)).step;
        await page.click('#step');
        await until(page, (b) => window.runnel.report.step === b + 1, before);
        await page.click('#restart');
        await until(page, () => window.runnel.report.step === 0 && window.runnel.stage.frame.time === 0);
        await page.evaluate(() => window.runnel.server.send({type: 'speed', speed: 0.0004}));
        await page.click('#start');
        await until(page, () => / 0\.000[2-6] × real time/.test(document.getElementById('numbers').textContent)); // slow, not standing still
        await page.evaluate(() => window.runnel.server.send({type: 'speed', speed: 1}));
        await until(page, () => window.runnel.state === 'running' && window.runnel.report.step > 1);
        return page;
    },

    async gauges_are_listed_with_value_unit_and_plot(world) {
        const page = await world.page(SMALL);
        const gauges = [{name: 'inside', kind: 'volume', low: [-9, -9, -9], high: [9, 9, 9]}, {kind: 'energy'}];
        await openScene(page, {scene: {...LITTLE, gauges}});
        await page.click('#tab-debug');
        await steps(page, 8);
        await until(page, () => document.querySelectorAll('.gauges tr').length === 5);
        await until(page, () => /^[\d.e-]+\s*m³$/.test(document.querySelector('.gauges .value').textContent));
        assert.equal(await page.textContent('.gauges tr:nth-child(2) td'), 'energy_1.kinetic');
        assert.match(await page.getAttribute('.gauges tr', 'title'), /^from .* to .* m³, mean .* m³$/);
        await openScene(page, {scene: LITTLE});
        await until(page, () => document.querySelectorAll('.gauges tr').length === 0);
        return page;
    },

    async a_fluid_takes_another_material_and_takes_it_back(world) {
        const page = await world.page(SMALL);
        await openScene(page, {scene: TWO});
        await page.click('#tab-live');
        await turnKnob(page, 'fluids.1.material', 'glycerine');
        await until(page, () => window.runnel.values['fluids.1.rest_density'] === 1261 && window.runnel.values['fluids.1.viscosity'] === 1.41);
        assert.equal(await page.evaluate(() => window.runnel.values['fluid.viscosity_solver']), 'implicit');
        assert.match(await page.textContent('#body-live .field[data-path="fluids.1.material"]'), /oil: material/);
        await turnKnob(page, 'fluids.1.viscosity', 3);
        await steps(page, 5);
        while (await page.evaluate(() => window.runnel.undoCount > 0)) { // soon after each other they are one change
            const count = await page.evaluate(() => window.runnel.undoCount);
            await page.click('#body-live >> text=Undo');
            await until(page, (n) => window.runnel.undoCount < n, count);
        }
        await until(page, () => window.runnel.values['fluids.1.material'] === 'olive-oil' && window.runnel.values['fluids.1.rest_density'] === 914);
        await page.evaluate(() => window.runnel.server.send({type: 'set', path: 'fluids.1.rest_density', value: 1}));
        await until(page, () => /998\.2 times the density/.test(document.getElementById('toast').textContent));
        return page;
    },

    async speed_is_kept_to(world) {
        const page = await world.runningPage();
        for (const [value, most] of [['0.02', 0.03], ['0.1', 0.13]]) {
            await page.selectOption('#speed', value);
            await page.waitForTimeout(600);
            const from = await report(page);
            const began = Date.now();
            await page.waitForTimeout(1200);
            const to = await report(page);
            const pace = (to.time - from.time) / ((Date.now() - began) / 1000);
            assert.ok(pace > 0 && pace < most * 1.3, `speed ${value}: ${pace} simulated seconds a second`);
        }
        return page;
    },

    async every_live_parameter_changes_the_water_and_is_undone(world) {
        const page = await world.page(SMALL);
        await openScene(page, {scene: LITTLE});
        await page.click('#tab-live');
        const told = ({time, particles, kinetic, potential, elastic, speed_max: fastest}) =>
            JSON.stringify({time, particles, kinetic, potential, elastic, fastest});
        const first = told(await steps(page, COUNT));
        assert.equal(told(await steps(page, COUNT)), first, 'the same steps tell the same');
        const live = await page.evaluate(() => Object.keys(window.runnel.values).filter((path) => !path.startsWith('pipes.')));
        const tried = [...PARAMETERS.map(([p]) => p), ...CORRECTED, 'walls.contact_angle']; // the walls here are bare: nothing wets them
        assert.deepEqual(live.filter((path) => !tried.includes(path)), [], 'live parameters that no row tries');
        for (const [path, value, given = {}] of PARAMETERS) {
            for (const [p, v] of Object.entries(given)) await turnKnob(page, p, v);
            const without = Object.keys(given).length ? told(await steps(page, COUNT)) : first;
            await turnKnob(page, path, value);
            const changed = await steps(page, COUNT);
            assert.notEqual(told(changed), without, `${path} changed nothing`);
            if (path.startsWith('time.step')) assert.ok(changed.time_step <= value * 1.001, `${path}: steps of ${changed.time_step}`);
            if (path === 'time.step') assert.equal(changed.bound, 'fixed');
            if (path === 'time.step_max') assert.equal(changed.bound, 'max');
            while (await page.evaluate(() => window.runnel.undoCount > 0)) {
                const count = await page.evaluate(() => window.runnel.undoCount);
                await page.click('#body-live >> text=Undo');
                await until(page, (n) => window.runnel.undoCount < n, count);
            }
        }
        assert.equal(told(await steps(page, COUNT)), first, 'all is undone');
        return page;
    },

    async value_out_of_range_is_told_at_the_field(world) {
        const page = await world.runningPage();
        await page.click('#tab-live');
        const field = page.locator('#body-live .field[data-path="walls.bounce"]');
        await field.locator('input[type=text]').fill('7');
        await field.locator('input[type=text]').press('Enter');
        await field.locator('.problem').waitFor();
        assert.match(await field.locator('.problem').textContent(), /outside 0 … 1/);
        return page;
    },

    async slider_turns_while_the_water_flows(world) {
        const page = await world.runningPage();
        await page.click('#tab-live');
        const slider = page.locator('#body-live .field[data-path="fluid.viscosity"] input[type=range]');
        await slider.focus();
        for (let k = 0; k < 12; k++) await page.keyboard.press('ArrowRight');
        await until(page, () => window.runnel.values['fluid.viscosity'] > 0.00102);
        assert.equal(await state(page), 'running');
        // one step back, or more where a busy machine was slow with the keys
        for (let left = await page.evaluate(() => window.runnel.undoCount); left > 0; left--) {
            await page.keyboard.press('Control+z');
            await until(page, (n) => window.runnel.undoCount < n, left);
        }
        await until(page, () => Math.abs(window.runnel.values['fluid.viscosity'] - 0.001) < 1e-7);
        return page;
    },

    async debug_view_shows_neighbors_cells_arrows_and_plots(world) {
        const page = await world.runningPage();
        await page.click('#start');
        await until(page, () => window.runnel.state === 'paused');
        // on a busy machine the last frame comes later
        await until(page, () => Math.abs(window.runnel.stage.frame.time - window.runnel.report.time) < 1e-6);
        await page.focus('#canvas');
        await page.keyboard.press('5');
        await page.mouse.click(...await seenAt(page, 5));
        await until(page, () => window.runnel.picked?.neighbors);
        const picked = await page.evaluate(() => window.runnel.picked);
        assert.ok(picked.neighbors.length > 3, `${picked.neighbors.length} neighbours`);
        for (const other of picked.neighbors)
            assert.ok(Math.hypot(...other.map((v, k) => v - picked.attributes.position[k])) <= picked.radius * 1.001, 'a neighbour is beyond the reach');
        picked.attributes.position.forEach((v, k) => assert.ok(v >= picked.cell.low[k] - 1e-6 && v <= picked.cell.high[k] + 1e-6, 'it lies in its cell'));
        assert.equal(await page.getAttribute('#tab-debug', 'aria-selected'), 'true');
        assert.match(await page.textContent('#body-debug'), /Neighbours\d+/);
        const plain = await page.evaluate(() => window.runnel.stage.canvas.toDataURL().length);
        for (const name of ['velocity', 'acceleration', 'cells']) await page.locator('#body-debug label', {hasText: name}).locator('input').check();
        await until(page, () => window.runnel.stage.frame.get('velocity') && window.runnel.stage.frame.get('acceleration') && window.runnel.stage.cells?.count > 20);
        assert.ok(plain > 0);
        await page.click('#start');
        await until(page, () => window.runnel.state === 'running');
        await page.waitForTimeout(700);
        const plots = await page.evaluate(() => [...document.querySelectorAll('.plots canvas')].map((canvas) => {
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const inks = new Set();
            for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 200) inks.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
            return {label: canvas.getAttribute('aria-label'), inks: inks.size};
        }));
        assert.equal(plots.length, 5);
        for (const {label, inks} of plots) assert.ok(inks > 2 && label, `${label}: ${inks} inks`);
        assert.match(plots.map((p) => p.label).join(), /Frames.*Time per step.*compression.*Energy.*Particles/);
        return page;
    },
};
