// Gauges, the values of the picked particle, arrows of all particles, and the step report as plots.
import {el, short, whole} from './dom.js';
import {GaugeList} from './gauges.js';
import {Plot} from './plots.js';
import {titleText, unitText} from './view_panel.js';

const SHOWN_EVERY = 240; // ms

export class DebugPanel {
    constructor(app) {
        this.app = app;
        this.velocity = el('input', {type: 'checkbox', onchange: () => app.setArrows('velocity', this.velocity.checked)});
        this.acceleration = el('input', {type: 'checkbox', onchange: () => app.setArrows('acceleration', this.acceleration.checked)});
        this.cells = el('input', {type: 'checkbox', onchange: () => app.setCells(this.cells.checked)});
        this.readings = el('table.readings');
        this.next = 0;
        this.picked = el('div');
        this.ofPicked = el('div.choices', {}, el('button.small', {onclick: () => app.lookAtPicked()}, 'Move the camera there'),
            el('button.small', {onclick: () => app.unpick()}, 'Unpick'));
        this.plots = {
            pace: new Plot('Frames per second', '/s'),
            stages: new Plot('Time per step', 'ms', true),
            compression: new Plot('Largest compression', '%'),
            energy: new Plot('Energy', 'J'),
            particles: new Plot('Particles', ''),
        };
        this.flags = el('p.problem', {hidden: true});
        this.gauges = new GaugeList();
        this.node = el('div', {}, this.gauges.node, el('h2', {}, 'Show'),
            el('div.checks', {}, el('label', {}, this.velocity, 'velocity'), el('label', {}, this.acceleration, 'acceleration'),
                el('label', {}, this.cells, 'cells')),
            el('p.help', {}, 'Arrows show velocity and acceleration, relative to the longest; '
                + 'cells are those of the neighbour search that hold particles.'),
            el('h2', {}, 'Picked particle'), this.picked, this.ofPicked,
            el('h2', {}, 'Step report'), this.flags, this.readings,
            el('div.plots', {}, ...Object.values(this.plots).map((plot) => plot.canvas)));
        this.showPicked(null);
    }

    clear() {
        for (const plot of Object.values(this.plots)) plot.clear();
        this.readings.replaceChildren();
        this.gauges.clear();
    }

    report(r) {
        const {total, ...stages} = r.ms ?? {};
        this.sent = 0.9 * (this.sent ?? r.frames_per_s) + 0.1 * r.frames_per_s; // a tenth of a second has few frames
        this.plots.pace.put({drawn: this.app.drawnPerSecond, sent: this.sent});
        this.plots.stages.put(Object.keys(stages).length ? stages : {total: total ?? 0});
        this.plots.compression.put({compression: Math.max(0, 100 * (r.density_max - 1))});
        this.plots.energy.put({kinetic: r.kinetic, potential: r.potential, elastic: r.elastic});
        this.plots.particles.put({particles: r.particles});
        this.gauges.put(r.gauges ?? []);
        this.last = r;
        // The last report is shown too, when none follows: after a single step, or on a pause.
        this.timer ??= setTimeout(() => {
            this.timer = undefined;
            this.next = performance.now() + SHOWN_EVERY;
            if (this.node.offsetParent) this.show();
        }, Math.max(0, this.next - performance.now()));
    }

    show() {
        const r = this.last;
        if (!r) return;
        const styles = getComputedStyle(document.documentElement);
        const style = {line: styles.getPropertyValue('--line'), soft: styles.getPropertyValue('--soft'), ink: styles.getPropertyValue('--ink')};
        for (const plot of Object.values(this.plots)) plot.draw(style);
        this.gauges.show(style);
        // Before the first step of a scene there is nothing to report.
        const of = (text) => (r.time_step > 0 ? text : '–');
        const rows = [
            ['Step', r.step?.toLocaleString('en')], ['Time step', of(`${short(r.time_step * 1000)} ms`)], ['Limited by', of(r.bound ?? '–')],
            ['Steps per second', short(r.steps_per_s)], ['Simulated seconds per second', short(r.pace)],
            ['Neighbours per particle', of(short(r.neighbors_mean))], ['Largest speed', of(`${short(r.speed_max)} m/s`)],
            ['Mean density', of(`${short(100 * r.density_mean)} % of rest`)], ['Particles added, removed', `${whole(r.came)}, ${whole(r.left)}`]];
        this.readings.replaceChildren(...rows.map(([name, value]) => el('tr', {}, el('td', {}, name), el('td', {}, value ?? '–'))));
        this.flags.hidden = !r.flags?.length;
        this.flags.textContent = (r.flags ?? []).join('; ');
    }

    showPicked(p) {
        this.ofPicked.hidden = !p || p.id === null;
        if (!p || p.id === null) {
            this.picked.replaceChildren(el('p.help', {}, 'None. Choose the tool Pick (5) and click a particle: its neighbours, '
                + 'its cell, its velocity and its acceleration are drawn, and all its values listed.'));
            return;
        }
        const key = (ink, text) => el('span', {}, dot(ink), text);
        const dot = (ink) => {
            const mark = el('span.key');
            mark.style.background = ink;
            return mark;
        };
        const text = (value) => (Array.isArray(value) ? value.map(short).join(', ') : short(value));
        const values = p.attributes ?? {};
        const inks = {velocity: '#40f28c', acceleration: '#ff4d59'};
        const units = new Map((this.app.hello?.attributes ?? []).map(({name, unit}) => [name, unitText(unit)]));
        const rows = [[key('#ffd133', 'Id'), p.id], [key('#ff8c33', 'Neighbours'), (p.neighbors ?? []).length],
            [key('#d966ff', 'Cell'), p.cell ? `from ${text(p.cell.low)} m` : '–'],
            ...Object.entries(values).filter(([name]) => name !== 'id').map(([name, value]) =>
                [inks[name] ? key(inks[name], titleText(name)) : titleText(name),
                    `${text(value)} ${name === 'position' ? 'm' : units.get(name) ?? ''}`.trim()])];
        this.picked.replaceChildren(el('table.readings', {}, ...rows.map(([name, value]) =>
            el('tr', {}, el('td', {}, name), el('td', {}, String(value))))));
    }
}
