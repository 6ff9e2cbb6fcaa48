// How the water looks.
import {el} from './dom.js';
import {icon} from './icons.js';
import {LOOKS} from './looks/table.js';
import {WALLS} from './walls.js';

// Attributes that people look for first; others follow in the order of the server.
const FIRST = ['fluid', 'density', 'speed', 'pressure', 'age'];
const rank = ({name}) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

// kg/m^3 -> kg/m³; "1" of plain numbers -> nothing.
export const unitText = (unit) => (unit === '1' ? '' : (unit ?? '').replace(/\^2/g, '²').replace(/\^3/g, '³'));
export const titleText = (name) => `${name[0].toUpperCase()}${name.slice(1)}`.replaceAll('_', ' ');

// What particles can be coloured by: every attribute of one component; which fluid they are of, where there are several.
export function colorsOf(attributes, fluids = []) {
    return (attributes ?? []).filter(({name, components}) => components === 1 && (name !== 'fluid' || fluids.length > 1))
        .map(({name, unit}) => ({name, title: titleText(name), unit: unitText(unit)}))
        .sort((a, b) => rank(a) - rank(b));
}

// One of several, as a radio group that arrow keys move through.
export function choice(label, rows, take) {
    const buttons = rows.map((row) => el('button', {type: 'button', role: 'radio', title: row.hint ?? '', 'data-name': row.name,
        onclick: () => take(row.name)}, ...(row.icon ? [icon(row.icon), el('em', {}, row.title)] : [row.title])));
    const node = el('div.choices', {role: 'radiogroup', 'aria-label': label,
        onkeydown: (event) => {
            const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
            if (!step) return;
            const next = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
            buttons[next].focus();
            buttons[next].click();
            event.preventDefault();
            event.stopPropagation();
        }}, ...buttons);
    return {
        node,
        show(name) {
            for (const button of buttons) {
                const isIt = button.dataset.name === name;
                button.setAttribute('aria-checked', String(isIt));
                button.tabIndex = isIt ? 0 : -1;
            }
        },
    };
}

export class ViewPanel {
    constructor(app) {
        this.app = app;
        this.look = choice('Look', LOOKS, (name) => app.setLook(name));
        this.walls = choice('Walls', WALLS, (name) => app.setWalls(name));
        this.hint = el('p.help');
        this.colors = el('div');
        this.sharp = el('p.help');
        this.node = el('div', {}, el('h2', {}, 'Look'), this.look.node, this.hint,
            el('h2', {}, 'Colour by'), this.colors, el('p.help', {}, 'Colours of the particles; the legend is in the picture.'),
            el('h2', {}, 'Walls'), this.walls.node,
            el('h2', {}, 'Camera'),
            el('div.choices', {}, el('button', {onclick: () => app.stage.camera.reset()}, 'Reset to the scene\'s view (0)')),
            this.sharp);
    }

    hello() {
        this.color = choice('Colour by', this.app.colors, (name) => this.app.setColor(name));
        this.colors.replaceChildren(this.color.node);
        this.show();
    }

    show() {
        const {stage, color} = this.app;
        this.look.show(stage.look.name);
        this.color?.show(color);
        this.walls.show(stage.walls);
        this.hint.textContent = stage.look.hint;
    }

    showSharpness(sharp, best) {
        this.sharp.textContent = sharp < best * 0.95
            ? `Drawing is slow on this machine: the picture has ${Math.round((100 * sharp) / best)} % of the full resolution.` : '';
    }
}
