// Parameters that can change while the simulation runs, with undo.
import {el, short} from './dom.js';
import {Field} from './fields.js';

// Parameters that are listed first.
const FIRST = ['gravity', 'fluid.material', 'fluid.viscosity', 'fluid.stiffness', 'fluid.tension', 'fluid.cohesion', 'fluid.surface_tension',
    'fluid.numerical_viscosity', 'walls.bounce', 'time.integrator', 'time.courant', 'time.step_max'];
// Names where the path alone is not clear.
const NAMES = {'fluid.numerical_viscosity': 'Damping (numerical viscosity)', 'walls.bounce': 'Bounce off walls', 'time.step': 'Fixed time step',
    'time.step_max': 'Longest time step', 'time.courant': 'Time step, share of the safe one (courant)'};
const FLUID = ['material', 'rest_density', 'viscosity', 'viscosity_law'];
const QUIET = 40; // ms between two values of a slider

export class LivePanel {
    constructor(app) {
        this.app = app;
        this.fields = new Map();
        this.waiting = new Map();
        this.undo = el('button.small', {onclick: () => app.server.send({type: 'undo'}), title: 'Ctrl Z'}, '↶ Undo');
        this.redo = el('button.small', {onclick: () => app.server.send({type: 'redo'}), title: 'Ctrl Shift Z'}, '↷ Redo');
        this.level = el('button.small', {onclick: () => app.hand.level()}, 'Level');
        this.gravity = el('span');
        this.list = el('div');
        this.about = el('p.help');
        this.node = el('div', {}, el('div.split', {}, el('h2', {}, 'Live parameters'), el('span', {}, this.undo, ' ', this.redo)),
            this.about,
            el('div.split', {}, this.gravity, this.level), this.list);
    }

    hello({parameters, watch}) {
        this.list.inert = this.level.disabled = Boolean(watch);
        this.about.textContent = watch ? 'This run can only be watched.' : 'Changes take effect at the next step.';
        this.table = new Map((parameters ?? []).map((p) => [p.path, p]));
        this.fields.clear();
        this.list.replaceChildren();
    }

    // pipes.0.speed is described by the table's pipes.N.speed.
    parameter(path) {
        const found = this.table?.get(path) ?? this.table?.get(path.replace(/\.\d+\./, '.N.'));
        return found && {...found, path};
    }

    values({values, undo, redo}) {
        const rank = (path) => {
            if (/^pipes\..*\.(speed|flow_rate)$/.test(path)) return 1.5;
            if (path.startsWith('pipes.')) return 90;
            // Each fluid with what people look for first; the rest of its law behind everything else.
            const [list, number, what] = path.split('.');
            if (list === 'fluids') return FLUID.includes(what) ? 1.6 + 0.01 * number + 0.001 * FLUID.indexOf(what) : 95;
            return FIRST.includes(path) ? FIRST.indexOf(path) : 99;
        };
        const paths = Object.keys(values).sort((a, b) => rank(a) - rank(b));
        if (paths.some((path) => !this.fields.has(path)) || paths.length !== this.fields.size) this.build(paths);
        for (const path of paths) this.fields.get(path)?.write(values[path]);
        this.undo.disabled = !undo;
        this.redo.disabled = !redo;
        if (undo) this.undo.title = `${undo} changes to undo (Ctrl Z)`;
        const g = values.gravity;
        if (g) this.gravity.textContent = `Gravity ${short(Math.hypot(...g))} m/s²`;
    }

    build(paths) {
        this.fields.clear();
        this.list.replaceChildren();
        for (const path of paths) {
            const parameter = this.parameter(path);
            if (!parameter) continue;
            const name = /^(pipes|fluids)\./.test(path) ? this.itemName(path) : NAMES[path];
            const field = new Field(parameter, (p, value) => this.send(p, value), {slider: true, name, reference: this.reference(path)});
            this.fields.set(path, field);
            this.list.append(field.node);
        }
    }

    // The centre of a slider when the value itself is 0: the derived value of the scene, else 1.
    reference(path) {
        const name = path.split('.').pop();
        const derived = this.app.scene?.derived ?? {};
        return (path.startsWith('time.step') ? derived.time_step : derived[name]) || (['cohesion', 'curvature'].includes(name) ? 1 : 0);
    }

    itemName(path) {
        const [list, number, what] = path.split('.');
        return `${this.app.scene?.[list]?.[number]?.name ?? `${list.slice(0, -1)} ${number}`}: ${what.replaceAll('_', ' ')}`;
    }

    // A slider sends at most one value in QUIET ms; the newest counts.
    send(path, value) {
        const isQuiet = this.waiting.has(path);
        this.waiting.set(path, value);
        if (isQuiet) return;
        setTimeout(() => {
            this.app.server.send({type: 'set', path, value: this.waiting.get(path)});
            this.waiting.delete(path);
        }, QUIET);
    }

    showProblems(list) {
        for (const {path, sentence} of list) this.fields.get(path)?.complain(sentence);
    }
}
