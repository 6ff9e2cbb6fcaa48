// What the colours mean.
import {SHADES, UNITS, shades} from './colors.js';
import {el, short} from './dom.js';

export class Legend {
    constructor(node) {
        this.node = node;
        this.title = el('b');
        this.strip = el('canvas', {width: SHADES, height: 1, 'aria-hidden': 'true'});
        this.low = el('span');
        this.high = el('span');
        this.next = 0;
        node.title = 'What most particles have: three in a hundred lie below the left end, three above the right one';
        node.append(this.title, this.strip, el('div.ends', {}, this.low, this.high));
    }

    // Without particles there is nothing to tell.
    show(isShown, attribute) {
        this.isShown = isShown;
        this.node.hidden = !isShown || !this.hasRange;
        this.title.textContent = `${attribute[0].toUpperCase()}${attribute.slice(1)}, ${UNITS[attribute] ?? ''}`;
        const pixels = new ImageData(new Uint8ClampedArray(shades(attribute)), SHADES, 1);
        this.strip.getContext('2d', {willReadFrequently: true}).putImageData(pixels, 0, 0);
        this.attribute = attribute;
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
