// A link that restores the settings: everything is in the part after #, which browsers do not send.
const LONGEST = 12000;

const round = (v) => v.map((x) => Number(x.toPrecision(5)));

export function makeLink(app) {
    const {camera, look, walls} = app.stage;
    const said = new URLSearchParams();
    const opened = app.opened;
    if (opened.scene) said.set('json', JSON.stringify(opened.scene));
    if (app.scene?.name) said.set('scene', app.scene.name);
    const set = {...opened.set, ...app.changedValues()};
    if (Object.keys(set).length) said.set('set', JSON.stringify(set));
    said.set('look', look.name);
    said.set('color', app.color);
    said.set('walls', walls);
    said.set('eye', JSON.stringify([round(camera.eye), round(camera.target)]));
    const link = `${location.origin}${location.pathname}#${said}`;
    return link.length <= LONGEST ? link : null;
}

// What a link contains; null: nothing.
export function readLink(hash) {
    if (hash.length < 2 || hash.length > LONGEST * 3) return null;
    const said = new URLSearchParams(hash.slice(1));
    if (![...said.keys()].some((key) => ['scene', 'json', 'set', 'look', 'color', 'walls', 'eye'].includes(key))) return null;
    const json = (name) => {
        try {
            return JSON.parse(said.get(name) ?? 'null');
        } catch {
            return null;
        }
    };
    const isPoint = (p) => Array.isArray(p) && p.length === 3 && p.every(Number.isFinite);
    const eye = json('eye');
    return {
        open: said.has('json') ? {scene: json('json'), name: said.get('scene') ?? undefined, set: json('set') ?? {}}
            : said.has('scene') ? {name: said.get('scene'), set: json('set') ?? {}} : null,
        look: said.get('look'), color: said.get('color'), walls: said.get('walls'),
        eye: Array.isArray(eye) && eye.length === 2 && eye.every(isPoint) ? eye : null,
    };
}
