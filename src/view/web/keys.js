// The keyboard, for everything the mouse can do. Keys are those that help.js lists.
import {TOOLS} from './hand.js';
import {add, cross, length, scale, turned, unit} from './vector.js';

const TURN = 0.08;
const TILT = 0.12; // radians a press

function tilt(app, across, away) {
    if (!app.mayWork()) return;
    const gravity = app.hand.gravity();
    const {camera} = app.stage;
    const right = camera.right();
    const lean = add(scale(right, across), scale(app.scene.dim === 2 ? camera.above() : unit(cross(camera.up, right)), away));
    const axis = cross(gravity, lean);
    if (!length(axis)) return;
    const next = turned(gravity, unit(axis), TILT);
    app.server.send({type: 'tilt', gravity: app.scene.dim === 2 ? next.slice(0, 2) : next});
}

export function listenToKeys(app) {
    const {camera} = app.stage;
    const move = (event, x, y) => {
        if (event.shiftKey) camera.pan(-x * 30, y * 30, app.stage.canvas.clientHeight);
        else camera.orbit(-x * TURN, y * TURN);
    };
    const table = {
        ' ': () => app.startOrPause(), '.': () => app.order('step'), r: () => app.order('restart'),
        ArrowLeft: (e) => move(e, -1, 0), ArrowRight: (e) => move(e, 1, 0), ArrowUp: (e) => move(e, 0, 1), ArrowDown: (e) => move(e, 0, -1),
        '+': () => camera.zoom(0.88), '=': () => camera.zoom(0.88), '-': () => camera.zoom(1.14), 0: () => camera.reset(),
        s: () => app.nextLook(), c: () => app.nextColor(), w: () => app.nextWalls(),
        i: () => tilt(app, 0, 1), k: () => tilt(app, 0, -1), j: () => tilt(app, -1, 0), o: () => tilt(app, 1, 0), h: () => app.hand.level(),
        d: () => app.showTab('debug'), m: () => app.fold(), t: () => app.nextTheme(),
        v: () => app.record(), p: () => app.savePicture(), l: () => app.share(), '?': () => app.help(),
    };
    TOOLS.forEach((tool, k) => { table[k + 1] = () => app.setTool(tool.name); });
    addEventListener('keydown', (event) => {
        const {target} = event;
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') {
            if (target.matches?.('input[type=text], input[type=search], textarea')) return;
            event.preventDefault();
            app.server.send({type: event.shiftKey ? 'redo' : 'undo'});
            return;
        }
        if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
        if (target.matches?.('input:not([type=checkbox]), select, textarea')) return;
        const isButton = target.matches?.('button, a, summary, input');
        if (isButton && (event.key === ' ' || event.key === 'Enter')) return;
        if (event.key.startsWith('Arrow') && target.closest?.('[role=tablist], [role=radiogroup], #bodies')) return;
        const act = table[event.key] ?? table[event.key.toLowerCase()];
        if (!act) return;
        event.preventDefault();
        act(event);
    });
}
