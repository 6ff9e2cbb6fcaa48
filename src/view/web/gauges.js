// The gauges of the scene: value, unit, range, and a small plot of the last half minute.
import {el, short} from './dom.js';
import {INKS, Ring} from './plots.js';
import {unitText} from './view_panel.js';

const HEIGHT = 30; // px

// One value of a gauge.
class Row {
    constructor({name, unit}) {
        this.unit = unitText(unit);
        this.ring = new Ring();
        this.value = el('td.value');
        this.canvas = el('canvas.spark', {role: 'img', 'aria-label': `${name} over the last half minute`});
        this.node = el('tr', {}, el('td', {}, name), el('td', {}, this.canvas), this.value);
    }

    put({value, min, mean, max}) {
        if (value === null) return;
        this.ring.put(value);
        this.reading = {value, min, mean, max};
    }

    show(style) {
        const r = this.reading;
        this.value.textContent = r ? `${short(r.value)} ${this.unit}` : '–';
        if (r) this.node.title = `from ${short(r.min)} to ${short(r.max)} ${this.unit}, mean ${short(r.mean)} ${this.unit}`;
        this.draw(style);
    }

    draw(style) {
        const {canvas, ring} = this;
        const width = canvas.clientWidth;
        if (!width || ring.count < 2) return;
        const ratio = Math.min(window.devicePixelRatio || 1, 2);
        if (canvas.width !== Math.round(width * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(HEIGHT * ratio);
        }
        let low = Infinity;
        let high = -Infinity;
        for (let k = 0; k < ring.count; k++) {
            low = Math.min(low, ring.get(k));
            high = Math.max(high, ring.get(k));
        }
        const size = high - low || 1;
        const c = canvas.getContext('2d', {willReadFrequently: true}); // small, and not to wait for the water's pictures
        c.setTransform(ratio, 0, 0, ratio, 0, 0);
        c.clearRect(0, 0, width, HEIGHT);
        c.strokeStyle = style.line;
        c.beginPath();
        c.moveTo(0, HEIGHT - 0.5);
        c.lineTo(width, HEIGHT - 0.5);
        c.stroke();
        c.beginPath();
        for (let k = 0; k < ring.count; k++) {
            c.lineTo((k / (ring.count - 1)) * width, HEIGHT - 3 - ((ring.get(k) - low) / size) * (HEIGHT - 6));
        }
        c.strokeStyle = INKS[0];
        c.lineWidth = 1.6;
        c.stroke();
    }
}

export class GaugeList {
    constructor() {
        this.rows = new Map();
        this.table = el('table.readings.gauges');
        this.node = el('div', {hidden: true}, el('h2', {}, 'Gauges'), this.table);
    }

    clear() {
        this.rows.clear();
        this.table.replaceChildren();
        this.node.hidden = true;
    }

    // gauges: [{name, unit, value, min, mean, max}], as in a report.
    put(gauges) {
        for (const gauge of gauges) {
            if (!this.rows.has(gauge.name)) {
                const row = new Row(gauge);
                this.rows.set(gauge.name, row);
                this.table.append(row.node);
                this.node.hidden = false;
            }
            this.rows.get(gauge.name).put(gauge);
        }
    }

    show(style) {
        for (const row of this.rows.values()) row.show(style);
    }
}
