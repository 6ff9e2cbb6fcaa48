// Elements without markup in strings: text from outside never becomes HTML.
export const $ = (id) => document.getElementById(id);

// el('button.small', {title: '…', onclick: f}, 'text', child, …)
export function el(kind, options = {}, ...children) {
    const [tag, ...classes] = kind.split('.');
    const made = document.createElement(tag);
    if (classes.length) made.className = classes.join(' ');
    for (const [name, value] of Object.entries(options)) {
        if (value === undefined || value === null) continue;
        if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
        else if (name in made && name !== 'list') made[name] = value;
        else made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

const PREFIXES = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

// A number with three significant digits.
export function short(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return '–';
    if (!Number.isFinite(value)) return String(value);
    const size = Math.abs(value);
    if (size === 0) return '0';
    if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace('e+', 'e');
    if (size >= 1000) return Math.round(value).toLocaleString('en');
    return String(Number(value.toPrecision(3)));
}

export const whole = (count) => (Number.isFinite(count) ? count.toLocaleString('en') : '–');

export function bytes(count) {
    if (!(count > 0)) return '–';
    for (const [size, name] of PREFIXES) if (count >= size) return `${(count / size).toPrecision(3)} ${name}B`;
    return `${count} B`;
}

// localStorage may be forbidden.
export const memory = {
    get(name) {
        try { return localStorage.getItem(`runnel.${name}`); } catch { return null; }
    },
    set(name, value) {
        try { localStorage.setItem(`runnel.${name}`, value); } catch { /* then it is forgotten */ }
    },
};

export function download(blob, name) {
    const link = el('a', {href: URL.createObjectURL(blob), download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
