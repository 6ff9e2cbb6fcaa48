// The scene as text: solids, blocks, pipes, outlets and events, which have no form fields. Buttons insert new objects;
// errors are shown at their lines; before the start the picture follows the text.
import {download, el} from './dom.js';
import {defaultOf} from './fields.js';
import {jsonPlaces, layOut, lineOf, placeOf} from './json_places.js';
import {three} from './vector.js';

const USE_AFTER = 700; // ms without a further key
const LISTS = ['blocks', 'balls', 'solids', 'pipes', 'outlets', 'gauges', 'events'];

const rounded = (v) => Number(v.toPrecision(3));

// New objects, in the middle of the domain and of a visible size. [title, list, make({at, size, spacing})]
const THINGS = [
    ['Box', 'solids', ({at, size}) => ({name: 'box', shape: 'box', center: at(0.5, 0.15, 0.5), size: size.map((v) => rounded(v * 0.2))})],
    ['Ball', 'solids', ({at, least}) => ({name: 'ball', shape: 'sphere', center: at(0.5, 0.25, 0.5), radius: rounded(least * 0.15)})],
    ['Post', 'solids', ({at, size, least}) => ({name: 'post', shape: 'cylinder', center: at(0.5, 0.3, 0.5), axis: [0, 1, 0],
        radius: rounded(least * 0.08), length: rounded(size[1] * 0.6)}), 'only3D'],
    ['Water', 'blocks', ({at}) => ({name: 'water', low: at(0.4, 0.5, 0.4), high: at(0.6, 0.75, 0.6)})],
    ['Pipe', 'pipes', ({at, least, spacing, down}) => ({name: 'pipe', center: at(0.5, 0.8, 0.5), direction: down,
        radius: rounded(Math.max(least * 0.06, spacing * 3)), speed: 1})],
    ['Level gauge', 'gauges', ({at}) => ({name: 'level', kind: 'level', center: at(0.5, 0, 0.5)})],
    ['Drain', 'outlets', ({at}) => ({name: 'drain', low: at(0.45, 0, 0.45), high: at(0.55, 0.05, 0.55)})],
    ['Event', 'events', () => ({time: 1, set: {'fluid.viscosity': 1}})],
];

export class SceneText {
    constructor(app) {
        this.app = app;
        this.gutter = el('div.gutter', {'aria-hidden': 'true'});
        this.area = el('textarea', {spellcheck: false, wrap: 'off', rows: 22, autocapitalize: 'off', 'aria-label': 'The scene as JSON',
            oninput: () => this.typed(), onscroll: () => { this.gutter.scrollTop = this.area.scrollTop; },
            onkeydown: (event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.use();
            }});
        this.problems = el('ul.problems', {hidden: true, role: 'alert'});
        this.count = el('span.count');
        this.useButton = el('button.small.main', {onclick: () => this.use(), title: 'Ctrl Enter'}, 'Apply');
        this.things = el('div.choices', {role: 'group', 'aria-label': 'Insert'}, ...THINGS.map(([title, list, make, only]) =>
            el('button.small', {onclick: () => this.put(title, list, make), 'data-only': only ?? ''}, `+ ${title}`)));
        this.node = el('details', {ontoggle: () => document.body.classList.toggle('wide', this.node.open)},
            el('summary', {}, 'Scene as text ', this.count),
            el('p.help', {}, 'The whole scene as in a scene file, with solids, blocks of water, pipes, outlets and events. Values '
                + 'that are defaults are left out. Until you press Start, the picture shows what you type.'),
            this.things, el('div.editor', {}, this.gutter, this.area), this.problems,
            el('div.choices', {}, this.useButton, el('button.small', {onclick: () => this.revert()}, 'Revert'),
                el('button.small', {onclick: () => download(new Blob([this.area.value], {type: 'application/json'}),
                    `${app.fileName()}.json`)}, 'Download')));
        this.isTyped = false;
    }

    hello({parameters}) {
        this.table = parameters ?? [];
    }

    // Without values that are defaults, or those of the preset. The preset itself stays: the viewer and `runnel run` have different ones.
    plain(scene) {
        const out = structuredClone(scene ?? {});
        const preset = out.fluid?.preset;
        const drop = (object, key, parameter) => {
            const isIt = JSON.stringify(object?.[key]) === JSON.stringify(defaultOf(parameter, preset));
            if (object && (isIt || object[key] === '')) delete object[key];
        };
        for (const parameter of this.table) {
            if (parameter.path === 'fluid.preset') continue;
            const parts = parameter.path.split('.');
            const key = parts.pop();
            if (parts[1] === 'N') for (const item of out[parts[0]] ?? []) drop(item, key, parameter);
            else drop(parts.reduce((at, name) => at?.[name], out), key, parameter);
        }
        for (const [key, value] of Object.entries(out))
            if (typeof value === 'object' && value !== null && !Object.keys(value).length) delete out[key];
        return out;
    }

    scene(message) {
        const scene = this.plain(message.scene);
        this.kept = layOut(scene);
        const count = (name) => (scene[name].length === 1 ? `1 ${name.slice(0, -1)}` : `${scene[name].length} ${name}`);
        this.count.textContent = LISTS.filter((name) => scene[name]?.length).map(count).join(', ');
        for (const button of this.things.children) button.hidden = button.dataset.only === 'only3D' && message.dim === 2;
        if (this.isTyped && document.activeElement === this.area) this.complain([]); // it came from this text
        else this.write(this.kept);
    }

    write(text) {
        this.area.value = text;
        this.isTyped = false;
        this.complain([]);
        this.number();
    }

    revert() {
        clearTimeout(this.timer);
        this.write(this.kept ?? '');
    }

    number(wrong = new Set()) {
        const count = this.area.value.split('\n').length;
        this.gutter.replaceChildren(...Array.from({length: count}, (_, k) => el(wrong.has(k + 1) ? 'b' : 'span', {}, String(k + 1))));
        this.gutter.scrollTop = this.area.scrollTop;
        this.useButton.textContent = this.app.state === 'ready' ? 'Apply' : 'Apply and restart';
    }

    // [{at, sentence}]
    complain(list) {
        const text = this.area.value;
        this.problems.hidden = !list.length;
        this.problems.replaceChildren(...list.map(({at, sentence}) => el('li', {}, el('button.link', {onclick: () => this.show(at)},
            `line ${lineOf(text, at[0])}`), ` ${sentence}`)));
        this.number(new Set(list.map(({at}) => lineOf(text, at[0]))));
    }

    show([from, to]) {
        this.area.focus();
        this.area.setSelectionRange(from, to);
        const line = parseFloat(getComputedStyle(this.area).lineHeight);
        this.area.scrollTop = Math.max(0, (lineOf(this.area.value, from) - 4) * line);
    }

    // The scene in the text; null: the text has an error, which is shown.
    read() {
        try {
            this.places = jsonPlaces(this.area.value);
            return JSON.parse(this.area.value);
        } catch (error) {
            this.complain([{at: [error.at ?? 0, (error.at ?? 0) + 1], sentence: error.message}]);
            return null;
        }
    }

    typed() {
        this.isTyped = true;
        this.number();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            if (this.app.state === 'ready') this.use();
            else if (this.read()) this.complain([]);
        }, USE_AFTER);
    }

    use() {
        clearTimeout(this.timer);
        const scene = this.read();
        if (!scene) return;
        this.complain([]);
        this.isAsked = true;
        this.app.open({scene});
    }

    // Shows problems with a scene that was sent from here; whether it was.
    showProblems(list) {
        if (!this.isAsked || !this.node.open) return false;
        this.isAsked = false;
        this.complain(list.map(({path, sentence}) => ({at: placeOf(this.places, path), sentence: path ? `${path}: ${sentence}` : sentence})));
        return true;
    }

    put(title, list, make) {
        const scene = this.read();
        if (!scene) return;
        const {low, high, dim, derived, scene: whole} = this.app.scene;
        const size = high.map((v, k) => v - low[k]).slice(0, dim);
        const g = three(whole?.gravity);
        const down = Math.hypot(...g) > 0 ? g.map((v) => rounded(v / Math.hypot(...g))) : [0, -1, 0];
        const thing = make({size, least: Math.min(...size), spacing: derived?.spacing ?? 0, down: down.slice(0, dim),
            at: (...part) => size.map((v, k) => rounded(low[k] + v * part[k]))});
        if (!Array.isArray(scene[list])) scene[list] = [];
        scene[list].push(thing);
        this.area.value = layOut(scene);
        this.isTyped = true;
        this.show(placeOf(jsonPlaces(this.area.value), `${list}.${scene[list].length - 1}`));
        this.typed();
        if (this.app.state === 'ready') this.use();
        else this.app.say(`${title} is in the text; Apply and restart adds it to the simulation.`);
    }
}
