// The state of the page and its commands; panels, keys and pointer tools all work through it.
import {$, bytes, download, el, memory} from './dom.js';
import {titleText} from './view_panel.js';
import {LOOKS} from './looks/table.js';
import {WALLS} from './walls.js';
import {makeLink} from './share.js';
import {openHelp} from './help.js';
import {TOOLS} from './hand.js';
import {VideoRecorder} from './recorder.js';
import {three} from './vector.js';

const TOAST_MS = 6000;
const WINDOW = 2; // frames in flight

const after = (rows, name) => rows[(rows.findIndex((row) => row.name === name) + 1) % rows.length].name;

export class App {
    constructor(server, stage) {
        this.server = server;
        this.stage = stage;
        this.state = 'gone';
        this.color = 'density';
        this.colors = [];          // attributes that particles can be coloured by: {name, title, unit}
        this.opened = {set: {}};   // how the present scene can be opened again
        this.values = null;        // live parameters
        this.firstValues = null;   // as they were when the scene was opened
        this.hasControl = false;
        this.picked = null;
        this.drawnPerSecond = 0;
        this.recorder = new VideoRecorder(stage.canvas);
    }

    // --- messages to the user ---
    say(sentence, isBad = false, ...buttons) {
        clearTimeout(this.toastTimer);
        $('toast').classList.toggle('bad', isBad);
        $('toast').replaceChildren(sentence, ...buttons);
        if (!buttons.length) this.toastTimer = setTimeout(() => $('toast').replaceChildren(), TOAST_MS);
    }

    quiet() {
        $('toast').replaceChildren();
    }

    cover(title, ...lines) {
        $('cover').hidden = !title;
        if (title) $('cover').replaceChildren(el('h2', {}, title), ...lines.map((line) => (typeof line === 'string' ? el('p', {}, line) : line)));
    }

    help() {
        openHelp($('welcome'));
    }

    // --- the run ---
    mayWork() {
        if (!this.server.isOpen) {
            this.say('The connection to the server is lost; nothing can be changed until it is back.', true);
            return false;
        }
        if (this.hasControl) return true;
        if (this.isWatch) {
            this.say('This run can only be watched; `runnel view` can be controlled.', true);
            return false;
        }
        this.say('Another client has control; you are watching.', true,
            el('button.small', {onclick: () => this.requestControl()}, this.isFree ? 'Take control' : 'Request control'));
        return false;
    }

    requestControl(off = false) {
        this.server.send({type: 'control', off});
        this.quiet();
    }

    order(type) {
        if (this.mayWork()) this.server.send({type});
    }

    startOrPause() {
        if (this.state === 'ended') this.order('restart');
        this.order(this.state === 'running' ? 'pause' : 'start');
    }

    open({name, scene, set = {}}) {
        if (!this.mayWork()) return;
        this.opening = {name, scene, set};
        if (!name && !scene) this.opening.name = this.scene?.name;
        this.server.send({type: 'open', ...this.opening});
    }

    // Live values that differ from those when the scene was opened; all of them when the scene was opened before this page.
    changedValues() {
        const changed = {};
        for (const [path, value] of Object.entries(this.values ?? {}))
            if (JSON.stringify(value) !== JSON.stringify(this.firstValues?.[path])) changed[path] = value;
        return changed;
    }

    // --- the picture ---
    want() {
        const {arrows, look} = this.stage;
        const names = [look.attribute ?? this.color, ...Object.keys(arrows).filter((name) => arrows[name])];
        const attributes = names.filter((name) => this.hello?.attributes?.some((known) => known.name === name));
        this.server.send({type: 'want', attributes, rate: 60, window: WINDOW});
    }

    setLook(name) {
        const refusal = this.stage.setLook(name);
        if (refusal) this.say(refusal, true);
        else memory.set('look', name);
        this.want();
        this.onlook?.();
    }

    // Another scene may have other attributes: several fluids are told apart, unless another colour was chosen.
    offerColors(rows) {
        const has = (name) => rows.some((row) => row.name === name);
        const isNew = has('fluid') && !this.colors.some((row) => row.name === 'fluid');
        this.colors = rows;
        if (!rows.length) return;
        if (isNew && this.color === 'density') this.setColor('fluid');
        else if (!has(this.color)) this.setColor(has('density') ? 'density' : rows[0].name);
        this.onlook?.();
    }

    setColor(name) {
        if (!this.colors.some((row) => row.name === name)) return;
        this.color = name;
        this.stage.setColor(name);
        if (this.stage.look.attribute) this.setLook(LOOKS.find((look) => !look.attribute).name);
        this.want();
        this.onlook?.();
    }

    setWalls(name) {
        if (!WALLS.some((row) => row.name === name)) return;
        this.stage.walls = name;
        this.stage.dirty = true;
        this.onlook?.();
    }

    nextLook() { this.setLook(after(LOOKS, this.stage.look.name)); }
    nextColor() { if (this.colors.length) this.setColor(after(this.colors, this.color)); }
    colorRow() { return this.colors.find((row) => row.name === this.color) ?? {name: this.color, title: titleText(this.color), unit: ''}; }
    nextWalls() { this.setWalls(after(WALLS, this.stage.walls)); }

    setArrows(kind, isOn) {
        this.stage.arrows[kind] = isOn;
        this.stage.dirty = true;
        this.want();
    }

    setCells(isOn) {
        this.stage.hasCells = isOn;
        this.stage.dirty = true;
    }

    lookAtPicked() {
        if (this.picked) this.stage.camera.lookTo(three(this.picked.attributes.position), this.picked.radius * 9);
    }

    unpick() {
        this.picked = null;
        this.stage.dirty = true;
        this.server.send({type: 'pick', off: true});
        this.onpicked?.();
    }

    setTool(name) {
        this.hand.tool = name;
        this.stage.dirty = true;
        this.stage.canvas.dataset.tool = name;
        const {hint} = TOOLS.find((tool) => tool.name === name);
        $('hint').textContent = hint;
        if (this.scene && getComputedStyle($('hint')).display === 'none') this.say(hint); // a small screen
        this.ontool?.();
    }

    setTheme(name) {
        document.documentElement.dataset.theme = name;
        this.stage.setTheme?.(name);
        this.ontheme?.();
    }

    nextTheme() {
        const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
        memory.set('theme', next);
        this.setTheme(next);
    }

    fold(isFolded = !document.body.classList.contains('folded')) {
        document.body.classList.toggle('folded', isFolded);
        $('fold').setAttribute('aria-expanded', String(!isFolded));
    }

    // --- saving and sharing ---
    fileName() {
        return `runnel-${this.scene?.name ?? 'scene'}`.replace(/[^\w-]+/g, '-');
    }

    record() {
        if (!VideoRecorder.can()) return this.say('This browser cannot record a canvas.', true);
        this.stage.isSteady = !this.recorder.isOn;
        if (this.recorder.isOn) this.recorder.stop();
        else this.recorder.start(this.fileName(), (size) => this.say(`The video is in your downloads (${bytes(size)}).`));
        $('record').setAttribute('aria-pressed', String(this.recorder.isOn));
        $('record').lastChild.textContent = this.recorder.isOn ? 'Stop' : 'Record';
        return undefined;
    }

    // What is drawn over the water.
    extra() {
        return {picked: this.picked, hand: this.hand.shown(), gravity: this.hand.tool === 'tilt' ? this.hand.gravity() : null};
    }

    savePicture() {
        this.stage.drawFine(this.extra()); // the canvas can be read only right after it was drawn
        this.stage.canvas.toBlob((blob) => {
            if (!blob) return;
            download(blob, `${this.fileName()}.png`);
            this.say(`The picture is in your downloads (${bytes(blob.size)}).`);
        });
    }

    async share() {
        const link = makeLink(this);
        if (!link) return this.say('This scene is too large for a link; save it under Files instead.', true);
        try {
            await navigator.clipboard.writeText(link);
            this.say(`The link is copied. It restores the scene${this.scene?.loaded ? ' from its start' : ''}, changed values, look and camera.`);
        } catch {
            history.replaceState(null, '', link);
            this.say('The link is in the address bar now; copy it from there.');
        }
        return link;
    }
}
