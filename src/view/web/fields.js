// A parameter of the table as a form field: name, unit, range, default, help, and its problem.
import {el, short} from './dom.js';
import {clamp} from './vector.js';

let nextId = 0;

const title = (path) => {
    const name = path.split('.').pop().replaceAll('_', ' ');
    return name[0].toUpperCase() + name.slice(1);
};

// Units with superscripts.
const pretty = (unit) => (unit ?? '').replaceAll('^2', '²').replaceAll('^3', '³').replaceAll('^4', '⁴').replaceAll('Pa s', 'Pa·s');

function rangeText({low, high, type, unit: plainUnit}) {
    const unit = pretty(plainUnit);
    if (!['number', 'integer', 'vector', 'numbers'].includes(type)) return unit;
    const bound = (v) => (Math.abs(v) >= 1e4 ? v.toExponential(0).replace('e+', 'e') : short(v));
    return `${bound(low)} … ${bound(high)}${unit ? ` ${unit}` : ''}`;
}

function defaultText({default: d, zero}) {
    if (d === null || d === undefined || d === '') return '';
    const text = Array.isArray(d) ? d.map((v) => (typeof v === 'number' ? short(v) : v)).join(', ') || 'none'
        : typeof d === 'number' ? short(d) : String(d);
    return zero && (d === 0) ? ` Default 0: ${zero}.` : ` Default ${text}.`;
}

const plain = (value) => (typeof value === 'number' ? String(Number(value.toPrecision(7))) : String(value ?? ''));

function parseNumber(text, parameter) {
    const value = Number(text.trim().replace(',', '.'));
    if (text.trim() === '' || !Number.isFinite(value)) throw new Error(`"${text}" is not a number`);
    if (parameter.type === 'integer' && !Number.isInteger(value)) throw new Error(`${value} is not a whole number`);
    if (value < parameter.low || value > parameter.high)
        throw new Error(`${short(value)} is outside ${rangeText(parameter)}`);
    return value;
}

// --- the kinds: each makes {node, read(), write(value)}; change is called when the user is done ---
function textInput(id, change, numeric) {
    const node = el('input', {type: 'text', id, inputMode: numeric ? 'decimal' : 'text', autocomplete: 'off',
        spellcheck: false, onchange: change});
    return node;
}

// Maps the position of a slider (0 to 1) to a value and back. Narrow ranges are linear; wide ones are logarithmic, two decades to
// each side of the value at the start of the scene.
function sliderScale(parameter, start, reference) {
    const {low, high} = parameter;
    if (high - low <= 100) return {to: (p) => low + p * (high - low), from: (v) => (v - low) / (high - low)};
    const middle = start || parameter.default || reference;
    if (typeof middle !== 'number' || !(middle > 0)) return null;
    return {
        // The left end is 0 where 0 is allowed; the help below says what 0 means.
        to: (p) => (p === 0 && low <= 0 ? 0 : clamp(Number((middle * 10 ** (4 * p - 2)).toPrecision(3)), low, high)),
        from: (v) => (v > 0 ? clamp((Math.log10(v / middle) + 2) / 4, 0, 1) : 0),
    };
}

function numberKind(parameter, id, change, options) {
    const input = textInput(id, change, true);
    const row = el('div.row', {}, input);
    let slider = null;
    let scale = null;
    const kind = {node: row, read: () => parseNumber(input.value, parameter)};
    kind.write = (value) => {
        input.value = plain(value);
        if (options.slider && !scale && parameter.type === 'number') {
            scale = sliderScale(parameter, value, options.reference);
            if (scale) {
                slider = el('input', {type: 'range', min: 0, max: 1, step: 0.005, 'aria-label': `${title(parameter.path)}, slider`,
                    oninput: () => {
                        input.value = plain(Number(scale.to(Number(slider.value)).toPrecision(3)));
                        change();
                    }});
                row.prepend(slider);
            }
        }
        if (slider && document.activeElement !== slider) slider.value = scale.from(value);
    };
    return kind;
}

function vectorKind(parameter, id, change) {
    const inputs = ['x', 'y', 'z'].map((axis, k) => {
        const input = textInput(k ? `${id}-${axis}` : id, change, true);
        if (k) input.setAttribute('aria-label', `${title(parameter.path)} ${axis}`);
        return input;
    });
    let count = 3;
    return {
        node: el('div.row', {}, ...inputs),
        read: () => inputs.slice(0, count).map((input) => parseNumber(input.value, parameter)),
        write: (value) => {
            count = value?.length ?? 3;
            inputs.forEach((input, k) => {
                input.value = plain(value?.[k]);
                input.hidden = k >= count;
            });
        },
    };
}

function flagsKind(parameter, id, change) {
    const boxes = (parameter.choices ?? []).map((name, k) =>
        el('input', {type: 'checkbox', value: name, id: k ? '' : id, onchange: change}));
    return {
        node: el('div.row.checks', {}, ...boxes.map((box) => el('label', {}, box, box.value))),
        read: () => boxes.filter((box) => box.checked).map((box) => box.value),
        write: (value) => boxes.forEach((box) => { box.checked = (value ?? []).includes(box.value); }),
    };
}

const KINDS = {
    number: numberKind,
    integer: numberKind,
    vector: vectorKind,
    flags: flagsKind,
    bool(parameter, id, change) {
        const node = el('input', {type: 'checkbox', id, onchange: change});
        return {node: el('div.row', {}, node), read: () => node.checked, write: (v) => { node.checked = Boolean(v); }};
    },
    choice(parameter, id, change) {
        const node = el('select', {id, onchange: change}, ...(parameter.choices ?? []).map((c) => el('option', {value: c}, c)));
        return {node: el('div.row', {}, node), read: () => node.value, write: (v) => { node.value = v; }};
    },
    text(parameter, id, change) {
        const node = textInput(id, change, false);
        return {node: el('div.row', {}, node), read: () => node.value, write: (v) => { node.value = v ?? ''; }};
    },
    numbers(parameter, id, change) {
        const node = textInput(id, change, true);
        return {
            node: el('div.row', {}, node),
            read: () => node.value.split(/[\s,;]+/).filter(Boolean).map((t) => parseNumber(t, parameter)),
            write: (v) => { node.value = (v ?? []).map(plain).join(', '); },
        };
    },
};

export class Field {
    // Calls changed(path, value) when the user entered a valid value. options: slider, name.
    constructor(parameter, changed, options = {}) {
        this.parameter = parameter;
        this.path = parameter.path;
        const id = `field-${nextId++}`;
        this.problem = el('p.problem', {hidden: true, id: `${id}-problem`});
        const change = () => {
            try {
                const value = this.kind.read();
                this.complain(null);
                changed(this.path, value, this);
            } catch (error) {
                this.complain(error.message);
            }
        };
        this.kind = (KINDS[parameter.type] ?? KINDS.text)(parameter, id, change, options);
        const about = parameter.help ?? '';
        const help = el('p.help', {id: `${id}-help`}, `${about.slice(0, 1).toUpperCase()}${about.slice(1)}.${defaultText(parameter)}`
            + (parameter.zero && parameter.default !== 0 ? ` 0: ${parameter.zero}.` : ''));
        this.node = el('div.field', {}, el('div.name', {}, el('label', {htmlFor: id, title: this.path}, options.name ?? title(this.path)),
            el('span.unit', {}, rangeText(parameter))), this.kind.node, help, this.problem);
        this.node.dataset.path = this.path;
        this.node.querySelector('input:not([type=range]), select')?.setAttribute('aria-describedby', `${id}-help ${id}-problem`);
    }

    write(value) {
        if (this.node.contains(document.activeElement) && document.activeElement.type === 'text') return;
        this.kind.write(value);
    }

    mark(isChanged) {
        this.node.classList.toggle('changed', isChanged);
    }

    complain(sentence) {
        this.node.classList.toggle('wrong', Boolean(sentence));
        this.problem.hidden = !sentence;
        this.problem.textContent = sentence ?? '';
    }
}

// The value of a path in a scene; undefined: there is none.
// The value that a scene with this preset has unless it gives another.
export const defaultOf = (parameter, preset) => parameter.presets?.[preset] ?? parameter.default;

export function valueAt(scene, path) {
    let value = scene;
    for (const part of path.split('.')) value = value?.[part];
    return value;
}
