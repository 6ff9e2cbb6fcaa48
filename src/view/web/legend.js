// The legend of the colours.
import {SHADES, shades} from './colors.js';
import {el, short} from './dom.js';

export class Legend {
    constructor(node) {
        this.node = node;
        this.title = el('b');
        this.strip = el('canvas', {width: SHADES, height: 1, 'aria-hidden': 'true'});
        this.low = el('span');
        this.high = el('span');
        this.ends = el('div.ends', {}, this.low, this.high);
        this.fluids = el('div.fluids', {hidden: true});
        this.next = 0;
        node.title = 'The range of most particles: 3 % lie below the left end, 3 % above the right end';
        node.append(this.title, this.strip, this.ends, this.fluids);
    }

    // attribute: {name, title, unit}. Without particles the legend is hidden.
    // fluids: [{name, color}] of a scene with several: a square and a name each, when colours show them.
    show(isShown, attribute, fluids = []) {
        const hasFluids = attribute.name === 'fluid' && fluids.length > 0;
        this.strip.hidden = this.ends.hidden = hasFluids;
        this.fluids.hidden = !hasFluids;
        this.fluids.replaceChildren(...(hasFluids ? fluids : []).map(({name, color}) => {
            const square = el('i', {'aria-hidden': 'true'});
            square.style.background = `rgb(${color.map((c) => Math.round(255 * c)).join(' ')})`;
            return el('span', {}, square, name);
        }));
        this.isShown = isShown;
        this.node.hidden = !isShown || !this.hasRange;
        this.title.textContent = attribute.unit ? `${attribute.title}, ${attribute.unit}` : attribute.title;
        const pixels = new ImageData(new Uint8ClampedArray(shades(attribute.name)), SHADES, 1);
        this.strip.getContext('2d', {willReadFrequently: true}).putImageData(pixels, 0, 0);
        this.attribute = attribute.name;
    }

    range(attribute, from, to, now, count) {
        this.hasRange = count > 0;
        this.node.hidden = !this.isShown || !this.hasRange;
        if (attribute !== this.attribute || (now < this.next && attribute === this.shown)) return;
        this.next = now + 250;
        this.shown = attribute;
        this.low.textContent = short(from);
        this.high.textContent = short(to);
    }
}
