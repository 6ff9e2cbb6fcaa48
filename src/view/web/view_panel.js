// How the water looks.
import {el} from './dom.js';
import {icon} from './icons.js';
import {LOOKS} from './looks/table.js';
import {WALLS} from './walls.js';

export const COLORS = [
    {name: 'density', title: 'Density'}, {name: 'speed', title: 'Speed'},
    {name: 'pressure', title: 'Pressure'}, {name: 'age', title: 'Age'}];

// One of several, as a radio group that arrow keys walk through.
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
        this.color = choice('Colour by', COLORS, (name) => app.setColor(name));
        this.walls = choice('Walls', WALLS, (name) => app.setWalls(name));
        this.hint = el('p.help');
        this.sharp = el('p.help');
        this.node = el('div', {}, el('h2', {}, 'Look'), this.look.node, this.hint,
            el('h2', {}, 'Colour by'), this.color.node, el('p.help', {}, 'Of particles; the legend is in the picture.'),
            el('h2', {}, 'Walls'), this.walls.node,
            el('h2', {}, 'Eye'),
            el('div.choices', {}, el('button', {onclick: () => app.stage.camera.reset()}, 'As the scene has it (0)')),
            this.sharp);
    }

    show() {
        const {stage, color} = this.app;
        this.look.show(stage.look.name);
        this.color.show(color);
        this.walls.show(stage.walls);
        this.hint.textContent = stage.look.hint;
    }

    showSharpness(sharp, best) {
        this.sharp.textContent = sharp < best * 0.95
            ? `Drawing is slow here, so the picture has ${Math.round((100 * sharp) / best)} % of the width and height it could have.` : '';
    }
}
