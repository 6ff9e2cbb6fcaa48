// The position of each value in a JSON text, by its path (solids.2.size), and the error of a text that is not JSON.
export class JsonError extends Error {
    constructor(sentence, at) {
        super(sentence);
        this.at = at;
    }
}

const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;
const DEEPEST = 60;

class Reader {
    constructor(text) {
        this.text = text;
        this.at = 0;
        this.places = new Map(); // path: [from, to]
    }

    match(pattern) {
        pattern.lastIndex = this.at;
        const found = pattern.exec(this.text);
        if (found) this.at += found[0].length;
        return found?.[0] ?? null;
    }

    fail(sentence) {
        const met = this.at >= this.text.length ? 'the text ends' : `there is ${JSON.stringify(this.text[this.at])}`;
        throw new JsonError(`${sentence}, but ${met}`, this.at);
    }

    take(sign) {
        this.match(SPACE);
        if (this.text[this.at] !== sign) return false;
        this.at++;
        return true;
    }

    value(path, depth) {
        this.match(SPACE);
        const from = this.at;
        if (depth > DEEPEST) this.fail('lists and objects are too deep');
        if (this.take('{')) this.members(path, depth);
        else if (this.take('[')) this.items(path, depth);
        else if (this.match(STRING) === null && this.match(NUMBER) === null && this.match(WORD) === null)
            this.fail(this.text[this.at] === '"' ? 'a string must end with " on its line' : 'a value is expected here');
        this.places.set(path, [from, this.at]);
    }

    members(path, depth) {
        if (this.take('}')) return;
        do {
            this.match(SPACE);
            const key = this.match(STRING);
            if (key === null) this.fail('a name in quotes is expected here');
            if (!this.take(':')) this.fail(`a colon should follow ${key}`);
            this.value(path ? `${path}.${JSON.parse(key)}` : JSON.parse(key), depth + 1);
        } while (this.take(','));
        if (!this.take('}')) this.fail('a comma or } is expected here');
    }

    items(path, depth) {
        if (this.take(']')) return;
        let k = 0;
        do this.value(`${path}.${k++}`, depth + 1); while (this.take(','));
        if (!this.take(']')) this.fail('a comma or ] is expected here');
    }
}

// Throws JsonError.
export function jsonPlaces(text) {
    const reader = new Reader(text);
    reader.value('', 0);
    reader.match(SPACE);
    if (reader.at < text.length) reader.fail('nothing may follow');
    return reader.places;
}

// The position of a path, or of the nearest object that contains it.
export function placeOf(places, path) {
    for (let name = path; ; name = name.slice(0, Math.max(name.lastIndexOf('.'), 0))) {
        if (places.has(name)) return places.get(name);
        if (!name) return [0, 0];
    }
}

export const lineOf = (text, at) => text.slice(0, at).split('\n').length;

function oneLine(value) {
    if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
    if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
    return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`).join(', ')}}`;
}

// Formatted: what fits on a line is on one.
export function layOut(value, indent = '', wide = 76) {
    const short = oneLine(value);
    if (value === null || typeof value !== 'object' || short.length + indent.length <= wide) return short;
    const deeper = `${indent}  `;
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    const rows = Object.entries(value).map(([key, item]) =>
        `${deeper}${Array.isArray(value) ? '' : `${JSON.stringify(key)}: `}${layOut(item, deeper, wide)}`);
    return `${open}\n${rows.join(',\n')}\n${indent}${close}`;
}
