// The scene, all its parameters, and the values derived from them.
import {bytes, el, short, whole} from './dom.js';
import {Field, defaultOf, valueAt} from './fields.js';
import {SceneText} from './scene_text.js';

const GROUPS = {
    '': 'World', run: 'Run', fluid: 'Fluid', time: 'Time step', domain: 'Domain', walls: 'Walls', view: 'View', pipes: 'Pipes'};
const APPLY_AFTER = 450; // ms without a further change

export class ScenePanel {
    constructor(app) {
        this.app = app;
        this.node = el('div');
        this.fields = new Map();
        this.pending = {};
        this.scenes = el('div.scenes', {role: 'group', 'aria-label': 'Scenes'});
        this.file = el('input', {type: 'file', accept: '.json,application/json', hidden: true,
            onchange: () => this.file.files[0] && this.openFile(this.file.files[0])});
        this.opener = el('button.small', {onclick: () => this.file.click(), title: 'Or drop one onto the page'}, 'Open a file …');
        this.derived = el('dl.derived');
        this.problems = el('ul.problems', {hidden: true, role: 'alert'});
        this.about = el('p.text');
        this.bar = el('div.pending', {hidden: true});
        this.search = el('input', {type: 'search', placeholder: 'Find a parameter', 'aria-label': 'Find a parameter',
            oninput: () => this.filter()});
        this.groups = el('div');
        this.none = el('p.help', {hidden: true, role: 'status'}, 'No parameter matches.');
        this.text = new SceneText(app);
        this.node.append(
            el('div.split', {}, el('h2', {}, 'Scene'),
                this.opener),
            this.file, this.scenes, this.about, this.derived, this.problems, this.text.node,
            el('div.split', {}, el('h2', {}, 'Parameters'), this.search), this.none, this.groups, this.bar);
    }

    hello({scenes, parameters, watch}) {
        for (const part of [this.scenes, this.groups, this.opener]) part.inert = Boolean(watch);
        this.text.node.hidden = this.opener.hidden = Boolean(watch);
        this.text.hello({parameters});
        this.scenes.replaceChildren(...(scenes ?? []).map((scene) => el('button', {
            onclick: () => this.choose(scene.name), 'data-scene': scene.name, title: scene.title ?? ''},
            scene.name.split('/').pop())));
        this.fields.clear();
        const groups = new Map();
        for (const parameter of parameters ?? []) {
            if (parameter.path === 'title' || parameter.path === 'description' || parameter.path.includes('.N.')) continue;
            const group = parameter.path.includes('.') ? parameter.path.split('.')[0] : '';
            const field = new Field(parameter, (path, value) => this.change(path, value));
            this.fields.set(parameter.path, field);
            if (!groups.has(group)) groups.set(group, []);
            groups.get(group).push(field.node);
        }
        this.groups.replaceChildren(...[...groups].map(([name, nodes]) => el('details', {open: name === 'fluid'},
            el('summary', {}, `${GROUPS[name] ?? name} `, el('span.count', {}, `${nodes.length}`)), ...nodes)));
    }

    filter() {
        const text = this.search.value.trim().toLowerCase();
        for (const field of this.fields.values())
            field.node.hidden = text !== '' && !`${field.path} ${field.parameter.help}`.toLowerCase().includes(text);
        for (const group of this.groups.children) {
            const isHit = [...group.querySelectorAll('.field')].some((node) => !node.hidden);
            group.hidden = !isHit;
            if (text && isHit) group.open = true;
        }
        this.none.hidden = [...this.groups.children].some((group) => !group.hidden);
    }

    choose(name) {
        this.discard();
        this.app.open({name});
    }

    async openFile(file) {
        if (file.size > 900000) return this.app.say(`${file.name} is too large for a scene: ${bytes(file.size)}.`, true);
        try {
            const scene = JSON.parse(await file.text());
            this.discard();
            this.app.open({scene});
        } catch (error) {
            this.app.say(`${file.name} cannot be read: ${error.message}`, true);
        }
        this.file.value = '';
    }

    scene(message) {
        this.about.textContent = message.description ?? '';
        for (const button of this.scenes.children)
            button.setAttribute('aria-pressed', String(button.dataset.scene === message.name));
        this.text.scene(message);
        for (const [path, field] of this.fields) {
            if (path in this.pending) continue;
            const standard = defaultOf(field.parameter, message.scene?.fluid?.preset);
            const value = valueAt(message.scene, path) ?? standard;
            field.write(value);
            field.mark(JSON.stringify(value) !== JSON.stringify(standard));
        }
        this.showProblems([]);
        this.showDerived(message.derived ?? {});
        // Changes that the new scene has are no longer pending.
        for (const path of Object.keys(this.sent ?? {}))
            if (JSON.stringify(this.pending[path]) === JSON.stringify(this.sent[path])) delete this.pending[path];
        this.sent = null;
        this.showBar();
    }

    values(values) {
        for (const [path, value] of Object.entries(values)) this.fields.get(path)?.write(value);
    }

    showDerived(d) {
        const isFilling = d.particles !== undefined && d.particles_start !== d.particles; // measured values are for all of them
        const name = (what) => (!isFilling ? `Expected ${what.toLowerCase()}`
            : d.endless ? `${what} with ${whole(d.particles)}` : `${what} when full`);
        const rows = [
            ['Particles', !isFilling ? whole(d.particles_start ?? d.particles)
                : `${whole(d.particles_start)}, ${d.endless ? 'then without limit' : `up to ${whole(d.particles)}`}`],
            ['Memory', d.bytes === null || d.bytes === undefined ? 'not measured' : `${isFilling ? 'up to ' : ''}${bytes(d.bytes)}`],
            ['Time step', d.time_step ? `${short(d.time_step * 1000)} ms` : '–'],
            [name('Steps'), d.steps_per_s ? `${short(d.steps_per_s)} per second` : 'not measured'],
            [name('Frames'), d.steps_per_s ? `${short(Math.min(60, d.steps_per_s))} per second` : '–'],
            ['Spacing, support radius', `${short(d.spacing)} m, ${short(d.radius)} m`],
            ['Neighbours per particle', short(d.neighbors)],
            ['Speed of sound', `${short(d.sound_speed)} m/s`],
            ['Viscosity, numerical part', `${short(d.fluid_viscosity)} + ${short(d.numerical_viscosity)} Pa s`],
        ];
        this.derived.replaceChildren(...rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
    }

    change(path, value) {
        const {state} = this.app;
        const isLive = this.fields.get(path)?.parameter.live;
        if (isLive && state !== 'ready') return this.app.server.send({type: 'set', path, value});
        this.pending[path] = value;
        this.showBar();
        clearTimeout(this.timer);
        if (state === 'ready') this.timer = setTimeout(() => this.apply(), APPLY_AFTER);
    }

    apply() {
        if (!Object.keys(this.pending).length) return;
        this.sent = {...this.pending};
        for (const field of this.fields.values()) field.complain(null);
        this.app.open({...this.app.opened, set: {...this.app.opened.set, ...this.pending}});
    }

    discard() {
        clearTimeout(this.timer);
        this.pending = {};
        this.showProblems([]);
        if (this.app.scene) this.scene(this.app.scene);
        for (const field of this.fields.values()) field.complain(null);
    }

    showBar() {
        const count = Object.keys(this.pending).length;
        const wasHidden = this.bar.hidden;
        this.bar.hidden = count === 0 || this.app.state === 'ready' && !this.app.hasProblems;
        if (wasHidden && !this.bar.hidden && this.groups.contains(document.activeElement))
            document.activeElement.scrollIntoView({block: 'nearest'}); // the bar must not cover the changed field
        this.bar.replaceChildren(
            el('span', {}, count === 1 ? '1 change pending' : `${count} changes pending`),
            el('button.main.small', {onclick: () => this.apply()}, 'Apply and restart'),
            el('button.small', {onclick: () => this.discard()}, 'Discard'));
    }

    showProblems(list) {
        const loose = [];
        const isTaken = list.length > 0 && this.text.showProblems(list);
        for (const {path, sentence} of isTaken ? [] : list) {
            const field = this.fields.get(path);
            if (!field) {
                loose.push(path ? `${path}: ${sentence}` : sentence);
                continue;
            }
            field.complain(sentence);
            const group = field.node.closest('details');
            if (group) group.open = true;
        }
        this.app.hasProblems = list.length > 0;
        this.problems.hidden = loose.length === 0;
        this.problems.replaceChildren(...loose.map((text) => el('li', {}, text)));
        if (loose.length) this.problems.scrollIntoView({block: 'nearest'});
        this.showBar();
    }
}
