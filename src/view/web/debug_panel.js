// The picked particle in numbers, arrows of all, and the step report as plots.
import {el, short, whole} from './dom.js';
import {Plot} from './plots.js';

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
        this.ofPicked = el('div.choices', {}, el('button.small', {onclick: () => app.lookAtPicked()}, 'Look at it'),
            el('button.small', {onclick: () => app.unpick()}, 'Let it go'));
        this.plots = {
            pace: new Plot('Frames a second', '/s'),
            stages: new Plot('Time of a step', 'ms', true),
            compression: new Plot('Compression, greatest', '%'),
            energy: new Plot('Energy', 'J'),
            particles: new Plot('Particles', ''),
        };
        this.flags = el('p.problem', {hidden: true});
        this.node = el('div', {}, el('h2', {}, 'Show'),
            el('div.checks', {}, el('label', {}, this.velocity, 'velocity'), el('label', {}, this.acceleration, 'force'),
                el('label', {}, this.cells, 'cells')),
            el('p.help', {}, 'Arrows of velocity and of force on a kilogram (acceleration) in parts of the longest; '
                + 'cells of the neighbour search that hold water.'),
            el('h2', {}, 'Picked particle'), this.picked, this.ofPicked,
            el('h2', {}, 'Step report'), this.flags, this.readings,
            el('div.plots', {}, ...Object.values(this.plots).map((plot) => plot.canvas)));
        this.showPicked(null);
    }

    clear() {
        for (const plot of Object.values(this.plots)) plot.clear();
        this.readings.replaceChildren();
    }

    report(r) {
        const {total, ...stages} = r.ms ?? {};
        this.sent = 0.9 * (this.sent ?? r.frames_per_s) + 0.1 * r.frames_per_s; // a tenth of a second holds few
        this.plots.pace.put({drawn: this.app.drawnPerSecond, sent: this.sent});
        this.plots.stages.put(Object.keys(stages).length ? stages : {total: total ?? 0});
        this.plots.compression.put({compression: Math.max(0, 100 * (r.density_max - 1))});
        this.plots.energy.put({kinetic: r.kinetic, potential: r.potential, elastic: r.elastic});
        this.plots.particles.put({particles: r.particles});
        this.last = r;
        if (performance.now() < this.next || !this.node.offsetParent) return;
        this.next = performance.now() + SHOWN_EVERY;
        this.show();
    }

    show() {
        const r = this.last;
        if (!r) return;
        const styles = getComputedStyle(document.documentElement);
        const style = {line: styles.getPropertyValue('--line'), soft: styles.getPropertyValue('--soft'), ink: styles.getPropertyValue('--ink')};
        for (const plot of Object.values(this.plots)) plot.draw(style);
        const rows = [
            ['Step', r.step?.toLocaleString('en')], ['Time step', `${short(r.time_step * 1000)} ms`], ['Bound by', r.bound ?? '–'],
            ['Steps a second', short(r.steps_per_s)], ['Simulated seconds a second', short(r.pace)],
            ['Neighbours each', short(r.neighbors_mean)], ['Fastest', `${short(r.speed_max)} m/s`],
            ['Mean density', `${short(100 * r.density_mean)} % of rest`], ['Came, left', `${whole(r.came)}, ${whole(r.left)}`]];
        this.readings.replaceChildren(...rows.map(([name, value]) => el('tr', {}, el('td', {}, name), el('td', {}, value ?? '–'))));
        this.flags.hidden = !r.flags?.length;
        this.flags.textContent = (r.flags ?? []).join('; ');
    }

    showPicked(p) {
        this.ofPicked.hidden = !p || p.id === null;
        if (!p || p.id === null) {
            this.picked.replaceChildren(el('p.help', {}, 'None. Choose the tool Pick (5) and click a particle: its neighbours, '
                + 'its cell, its velocity and the force on it are shown.'));
            return;
        }
        const key = (ink, text) => el('span', {}, dot(ink), text);
        const dot = (ink) => {
            const mark = el('span.key');
            mark.style.background = ink;
            return mark;
        };
        const v = (a) => `${(a ?? []).map(short).join(', ')}`;
        const rows = [[key('#ffd133', 'Number'), p.id], [key('#ff8c33', 'Neighbours'), (p.neighbors ?? []).length],
            [key('#d966ff', 'Cell'), p.cell ? `from ${v(p.cell.low)} m` : '–'],
            [key('#40f28c', 'Velocity'), `${v(p.velocity)} m/s`], [key('#ff4d59', 'Force a kilogram'), `${v(p.acceleration)} m/s²`],
            ['Density', `${short(p.density)} kg/m³`], ['Pressure', `${short(p.pressure)} Pa`], ['Place', `${v(p.position)} m`]];
        this.picked.replaceChildren(el('table.readings', {}, ...rows.map(([name, value]) =>
            el('tr', {}, el('td', {}, name), el('td', {}, String(value))))));
    }
}
