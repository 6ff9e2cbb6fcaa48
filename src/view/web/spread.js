// The range of values that the colours stand for: the values of most particles, so that one outlier does not make all
// the others look alike. The range follows slowly, so that colours do not flicker.
import {FORMAT} from './frame.js';

const MOST_LOOKED_AT = 65536;
const OUTSIDE = 0.03;     // of the particles lie below the range, as many above
const FOLLOWS = 0.4;      // s
const FROM_ZERO = ['speed', 'age'];
// Water at rest is of one colour: the range is no narrower than this part of the values, and than this.
const NARROWEST = {density: 0.01};
const LEAST = {density: 1, speed: 0.01, pressure: 10, age: 0.1};

export class Spread {
    constructor() {
        this.counts = new Uint32Array(256);
        this.low = 0;
        this.high = 1;
        this.name = null;
    }

    forget() {
        this.name = null;
    }

    // Bytes below which a part of all particles lies.
    level(part, total) {
        let sum = 0;
        for (let k = 0; k < 256; k++) {
            sum += this.counts[k];
            if (sum >= part * total) return k / 255;
        }
        return 1;
    }

    // Counts values in 256 steps; returns their ends and how many were looked at.
    count(frame, part) {
        const step = Math.max(1, Math.floor(frame.count / MOST_LOOKED_AT));
        let total = 0;
        this.counts.fill(0);
        if (part.format === FORMAT.u8) {
            const bytes = new Uint8Array(frame.buffer, part.at, frame.count);
            for (let i = 0; i < bytes.length; i += step, total++) this.counts[bytes[i]]++;
            return {from: part.from, to: part.to, total};
        }
        const whole = new Uint32Array(frame.buffer, part.at, frame.count);
        let [from, to] = [Infinity, -Infinity];
        for (let i = 0; i < whole.length; i += step) [from, to] = [Math.min(from, whole[i]), Math.max(to, whole[i])];
        const scale = to > from ? 255 / (to - from) : 0;
        for (let i = 0; i < whole.length; i += step, total++) this.counts[Math.floor((whole[i] - from) * scale)]++;
        return {from, to, total};
    }

    // fluids: how many there are; each value of the attribute `fluid` has a colour of its own.
    take(frame, part, now, fluids = 0) {
        if (!part || !frame.count) return;
        const {name} = part;
        if (name === 'fluid' && fluids) {
            [this.low, this.high, this.name] = [-0.5, fluids - 0.5, name];
            return;
        }
        const {from, to, total} = this.count(frame, part);
        const wide = to - from;
        let low = FROM_ZERO.includes(name) ? from : from + wide * this.level(OUTSIDE, total);
        let high = from + wide * this.level(1 - OUTSIDE, total);
        const least = Math.max((NARROWEST[name] ?? 0) * Math.abs(high), LEAST[name] ?? 1e-12);
        if (high - low < least) {
            const middle = (low + high) / 2;
            low = FROM_ZERO.includes(name) ? low : middle - least / 2;
            high = low + least;
        }
        const isNew = name !== this.name;
        const t = isNew ? 1 : 1 - Math.exp(-Math.max(now - this.then, 0) / 1000 / FOLLOWS);
        this.low += (low - this.low) * t;
        this.high += (high - this.high) * t;
        if (isNew) [this.low, this.high] = [low, high];
        this.name = name;
        this.then = now;
    }

    // How a number of the frame becomes a place in the range: add, then multiply.
    uniform(part) {
        const wide = part ? Math.max(part.to - part.from, 1e-9) : 1;
        return [((part?.from ?? 0) - this.low) / wide, wide / Math.max(this.high - this.low, 1e-30)];
    }
}
