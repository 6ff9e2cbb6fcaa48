// One screen that explains it all; also the list of keys.
import {el, memory} from './dom.js';

// key, what; the first row of a command is the one that is shown.
export const KEYS = [
    ['space', 'start or pause'], ['.', 'one step'], ['r', 'from the start'],
    ['1 … 6', 'turn, push, pull, pour, pick, tilt'], ['arrows', 'turn the picture'], ['shift arrows', 'move it'], ['+ −', 'zoom'],
    ['0', 'the eye as the scene has it'], ['s', 'next look'], ['c', 'next colour'], ['w', 'next kind of walls'],
    ['i j k o', 'tilt: away, left, nearer, right'], ['h', 'level again'],
    ['ctrl z', 'undo'], ['ctrl shift z', 'redo'], ['d', 'debug'], ['m', 'fold the panel'], ['t', 'light or dark'],
    ['v', 'record a video'], ['p', 'save a picture'], ['l', 'copy a link'], ['?', 'this']];

const CARDS = [
    ['Start', 'Choose a scene, press Start. Every number can be changed before, under Scene.'],
    ['Turn the picture', 'Drag. Right button or two fingers move it, wheel or pinch zooms.'],
    ['Play with the water', 'Push, Pull, Pour and Tilt are below; with a mouse Shift and drag pushes.'],
    ['Turn the knobs', 'Under Live: viscosity, tension, gravity … at once, with Undo.'],
    ['Look closer', 'View has colours, water and walls; Debug has plots and neighbours.'],
    ['Keep it', 'Save the state, record a video, or copy a link with all settings.'],
];

export function openHelp(dialog) {
    const hasKeys = matchMedia('(hover: hover)').matches; // fingers have none
    dialog.replaceChildren(
        el('h2', {id: 'welcome-title'}, 'Water in your browser'),
        el('div.scroll', {},
            el('p', {}, 'Runnel computes the water on the machine that served this page, particle by particle. You see it here, live.'),
            el('div.cards', {}, ...CARDS.map(([title, text]) => el('div', {}, el('b', {}, title), text))),
            el('details', {open: hasKeys}, el('summary', {}, 'Keys'),
                el('ul.keys', {}, ...KEYS.map(([key, what]) => el('li', {}, el('kbd', {}, key), what))))),
        el('p', {}, el('button.main', {autofocus: true, onclick: () => dialog.close()}, 'To the water')));
    if (!dialog.open) dialog.showModal();
    memory.set('welcomed', '1');
}

export function welcomeOnce(dialog) {
    if (!memory.get('welcomed')) openHelp(dialog);
}
