// One screen with an introduction and the list of keys.
import {el, memory} from './dom.js';

// Key and command.
export const KEYS = [
    ['space', 'start or pause'], ['.', 'one step'], ['r', 'restart'],
    ['1 … 6', 'rotate, push, pull, pour, pick, tilt'], ['arrows', 'rotate the camera'], ['shift arrows', 'pan'], ['+ −', 'zoom'],
    ['0', 'reset the camera'], ['s', 'next look'], ['c', 'next colour'], ['w', 'next wall style'],
    ['i j k o', 'tilt: away, left, towards you, right'], ['h', 'level gravity'],
    ['ctrl z', 'undo'], ['ctrl shift z', 'redo'], ['d', 'debug'], ['m', 'hide or show the panel'], ['t', 'light or dark'],
    ['v', 'record a video'], ['p', 'save a picture'], ['l', 'copy a link'], ['?', 'this help']];

const CARDS = [
    ['Start', 'Choose a scene, change its parameters under Scene, press Start.'],
    ['Move the camera', 'Drag rotates, right button or two fingers pan, wheel or pinch zooms.'],
    ['Act on the water', 'Push, Pull, Pour and Tilt are below; Shift-drag also pushes.'],
    ['Change parameters', 'Under Live: viscosity, tension, gravity … at once, with Undo.'],
    ['Look closer', 'View has colours, looks and walls; Debug has plots and neighbours.'],
    ['Save and share', 'Save a checkpoint, record a video, or copy a link.'],
];

export function openHelp(dialog) {
    const hasKeys = matchMedia('(hover: hover)').matches; // touch screens have no keys
    dialog.replaceChildren(
        el('h2', {id: 'welcome-title'}, 'Water in your browser'),
        el('div.scroll', {},
            el('p', {}, 'Runnel simulates the water on the machine that serves this page and shows it here, live.'),
            el('div.cards', {}, ...CARDS.map(([title, text]) => el('div', {}, el('b', {}, title), text))),
            el('details', {open: hasKeys}, el('summary', {}, 'Keys'),
                el('ul.keys', {}, ...KEYS.map(([key, what]) => el('li', {}, el('kbd', {}, key), what))))),
        el('p', {}, el('button.main', {autofocus: true, onclick: () => dialog.close()}, 'Close')));
    if (!dialog.open) dialog.showModal();
    memory.set('welcomed', '1');
}

export function welcomeOnce(dialog) {
    if (!memory.get('welcomed')) openHelp(dialog);
}
