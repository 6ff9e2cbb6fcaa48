// The step report as scrolling plots of half a minute each.
import {short} from './dom.js';

const SAMPLES = 300; // at ten a second
// Distinct for colour-blind readers (after Okabe and Ito 2008).
export const INKS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8c6bb1', '#999999', '#b5a500', '#7f3b08'];

export class Ring {
    constructor() {
        this.values = new Float32Array(SAMPLES);
        this.count = 0;
        this.at = 0;
    }

    put(value) {
        this.values[this.at] = Number.isFinite(value) ? value : 0;
        this.at = (this.at + 1) % SAMPLES;
        this.count = Math.min(this.count + 1, SAMPLES);
    }

    // k = 0: the oldest.
    get(k) {
        return this.values[(this.at - this.count + k + SAMPLES) % SAMPLES];
    }
}

export class Plot {
    // lines: names; isStacked: one upon the other; unit.
    constructor(title, unit, isStacked = false) {
        this.title = title;
        this.unit = unit;
        this.isStacked = isStacked;
        this.rings = new Map();
        this.canvas = document.createElement('canvas');
        this.canvas.setAttribute('role', 'img');
        this.sums = new Float32Array(SAMPLES);
    }

    put(values) {
        for (const [name, value] of Object.entries(values)) {
            if (!this.rings.has(name)) this.rings.set(name, new Ring());
            this.rings.get(name).put(value);
        }
    }

    clear() {
        this.rings.clear();
    }

    top() {
        let top = 0;
        let low = Infinity;
        const count = Math.max(0, ...[...this.rings.values()].map((r) => r.count));
        for (let k = 0; k < count; k++) {
            let sum = 0;
            for (const ring of this.rings.values()) {
                const v = k < ring.count ? ring.get(k) : 0;
                sum = this.isStacked ? sum + v : Math.max(sum, v);
                low = Math.min(low, v);
            }
            top = Math.max(top, sum);
        }
        return {top: top || 1, low: this.isStacked || low > 0 ? 0 : Math.min(low, 0)};
    }

    // Positions of the names: in rows as wide as the plot.
    labels(c, width) {
        let x = 0;
        let y = 0;
        return [...this.rings.keys()].map((name) => {
            const wide = c.measureText(name).width + 20;
            if (x > 0 && x + wide > width + 8) {
                x = 0;
                y += 16;
            }
            const place = {x, y};
            x += wide;
            return place;
        });
    }

    draw(style) {
        const {canvas} = this;
        const width = canvas.clientWidth;
        if (!width) return;
        const ratio = Math.min(window.devicePixelRatio || 1, 2);
        const height = canvas.clientHeight;
        if (canvas.width !== Math.round(width * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        const c = canvas.getContext('2d', {willReadFrequently: true}); // small, and not to wait for the water's pictures
        c.setTransform(ratio, 0, 0, ratio, 0, 0);
        c.clearRect(0, 0, width, height);
        c.font = '12px system-ui, sans-serif';
        const {top, low} = this.top();
        const labels = this.rings.size > 1 ? this.labels(c, width) : [];
        const roof = 18 + (labels.length ? labels.at(-1).y + 16 : 0);
        const y = (v) => height - 2 - ((v - low) / (top - low)) * (height - roof - 5);
        c.strokeStyle = style.line;
        c.lineWidth = 1;
        c.strokeRect(0.5, roof + 0.5, width - 1, height - roof - 1.5);
        this.sums.fill(0);
        let place = 0;
        const now = [];
        for (const [name, ring] of this.rings) {
            const ink = INKS[place++ % INKS.length];
            this.trace(c, ring, ink, width, y);
            now.push(ring.count ? ring.get(ring.count - 1) : 0);
            if (this.rings.size < 2) continue;
            const {x, y: down} = labels[place - 1];
            c.fillStyle = ink;
            c.fillRect(x, 20 + down, 8, 8);
            c.fillStyle = style.soft;
            c.fillText(name, x + 11, 28 + down);
        }
        c.fillStyle = style.ink;
        c.fillText(this.title, 0, 12);
        const value = this.isStacked ? now.reduce((a, b) => a + b, 0) : now[0];
        const text = now.length === 1 || this.isStacked ? `${short(value)} ${this.unit}` : `top ${short(top)} ${this.unit}`;
        c.textAlign = 'right';
        c.fillText(text, width, 12);
        c.textAlign = 'left';
        canvas.setAttribute('aria-label', `${this.title}: ${text}`);
    }

    trace(c, ring, ink, width, y) {
        const x = (k) => ((SAMPLES - ring.count + k) / (SAMPLES - 1)) * width;
        c.beginPath();
        if (!this.isStacked) {
            for (let k = 0; k < ring.count; k++) c.lineTo(x(k), y(ring.get(k)));
            c.strokeStyle = ink;
            c.lineWidth = 1.8;
            c.stroke();
            return;
        }
        const first = SAMPLES - ring.count;
        for (let k = 0; k < ring.count; k++) c.lineTo(x(k), y(this.sums[first + k]));
        for (let k = ring.count - 1; k >= 0; k--) {
            this.sums[first + k] += ring.get(k);
            c.lineTo(x(k), y(this.sums[first + k]));
        }
        c.fillStyle = ink;
        c.fill();
    }
}
