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
        this.next = 0;
        node.title = 'The range of most particles: 3 % lie below the left end, 3 % above the right end';
        node.append(this.title, this.strip, el('div.ends', {}, this.low, this.high));
    }

    // attribute: {name, title, unit}. Without particles the legend is hidden.
    show(isShown, attribute) {
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
