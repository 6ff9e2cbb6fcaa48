// Where everything meets: the server's messages, the picture, the panels.
import {$, el, memory, short, whole} from './dom.js';
import {App} from './app.js';
import {ATTRIBUTES, sceneOf} from './frame.js';
import {DebugPanel} from './debug_panel.js';
import {FilesPanel} from './files_panel.js';
import {Hand, TOOLS} from './hand.js';
import {LOOKS} from './looks/table.js';
import {Legend} from './legend.js';
import {LivePanel} from './live_panel.js';
import {ScenePanel} from './scene_panel.js';
import {Server} from './server.js';
import {Stage} from './stage.js';
import {ViewPanel, choice} from './view_panel.js';
import {setIcon} from './icons.js';
import {listenToKeys} from './keys.js';
import {readLink} from './share.js';
import {three} from './vector.js';
import {welcomeOnce} from './help.js';

const SPEEDS = [[0, 'as fast as it goes'], [2, '2 ×'], [1, 'real time'], [0.5, '1/2'], [0.25, '1/4'], [0.1, '1/10'], [0.02, '1/50']];
const STATES = {ready: 'ready', running: 'running', paused: 'paused', ended: 'ended', failed: 'failed', gone: 'no server', over: 'ended'};

const server = new Server();
const stage = new Stage($('canvas'));
const app = new App(server, stage);
window.runnel = app; // for the console, and for tests

for (const node of document.querySelectorAll('[data-icon]')) setIcon(node, node.dataset.icon);

// --- theme ---
const system = matchMedia('(prefers-color-scheme: dark)');
const setSystemTheme = () => app.setTheme(memory.get('theme') ?? (system.matches ? 'dark' : 'light'));
setSystemTheme();
system.addEventListener('change', setSystemTheme);
$('theme').onclick = () => app.nextTheme();
$('help').onclick = () => app.help();
$('fold').onclick = () => app.fold();

if (!stage.gl) {
    app.cover('This browser has no WebGL2', 'The picture of the water needs it. Current versions of Firefox, Chrome, Edge and Safari have it; '
        + 'it may be switched off (look at about:support or chrome://gpu), or the machine has no graphics driver.',
    'The program runs on all the same; runnel run with --picture draws without a browser.');
    $('title').textContent = 'WebGL2 is missing';
    document.body.classList.add('bare');
} else {
    begin();
}

function begin() {
    app.hand = new Hand(app, stage.canvas);
    const panels = {scene: new ScenePanel(app), live: new LivePanel(app), view: new ViewPanel(app), debug: new DebugPanel(app),
        files: new FilesPanel(app)};
    app.panels = panels;
    app.legend = new Legend($('legend'));
    const looks = choice('Look', LOOKS, (name) => app.setLook(name));
    $('looks').append(looks.node);
    makeTabs(panels);
    makeBar();
    listenToKeys(app);
    listenToServer(panels);
    takeDrops(panels.scene);
    app.onlook = () => {
        panels.view.show();
        looks.show(stage.look.name);
        app.legend.show(!stage.look.attribute, app.color);
    };
    app.ontheme = () => panels.debug.show();
    app.onpicked = () => panels.debug.showPicked(app.picked);
    app.setTool('orbit');
    if (memory.get('look')) stage.setLook(memory.get('look'));
    app.onlook();
    if (matchMedia('(max-width: 760px)').matches) app.fold(true);
    welcomeOnce($('welcome'));
    addEventListener('hashchange', () => useLink(true));
    server.open();
    requestAnimationFrame(tick);
}

// --- tabs ---
function makeTabs(panels) {
    const names = Object.keys(panels);
    const tabs = names.map((name) => el('button', {role: 'tab', id: `tab-${name}`, 'aria-controls': `body-${name}`, onclick: () => app.showTab(name)},
        name[0].toUpperCase() + name.slice(1)));
    $('tabs').append(...tabs);
    $('tabs').onkeydown = (event) => {
        const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (!step) return;
        const next = (tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length;
        app.showTab(names[next]);
        tabs[next].focus();
    };
    for (const name of names) {
        Object.assign(panels[name].node, {id: `body-${name}`, tabIndex: -1});
        panels[name].node.setAttribute('role', 'tabpanel');
        panels[name].node.setAttribute('aria-labelledby', `tab-${name}`);
        $('bodies').append(panels[name].node);
    }
    app.showTab = (name) => {
        app.fold(false);
        names.forEach((other, k) => {
            tabs[k].setAttribute('aria-selected', String(other === name));
            tabs[k].tabIndex = other === name ? 0 : -1;
            panels[other].node.hidden = other !== name;
        });
        panels[name].show?.();
    };
    app.showTab('scene');
}

// --- the bar below ---
function makeBar() {
    $('start').onclick = () => app.startOrPause();
    $('restart').onclick = () => app.order('restart');
    $('step').onclick = () => app.order('step');
    $('record').onclick = () => app.record();
    $('picture').onclick = () => app.savePicture();
    $('share').onclick = () => app.share();
    $('speed').append(...SPEEDS.map(([value, name]) => el('option', {value}, name)));
    $('speed').onchange = () => app.mayWork() && server.send({type: 'speed', speed: Number($('speed').value)});
    const rows = TOOLS.map((tool, k) => ({...tool, icon: tool.name, hint: `${tool.hint} (${k + 1})`}));
    const tools = choice('What the mouse does', rows, (name) => app.setTool(name));
    $('tools').append(...tools.node.childNodes);
    $('tools').onkeydown = (event) => {
        const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        const at = TOOLS.findIndex((tool) => tool.name === app.hand.tool);
        if (!step) return;
        const next = (at + step + TOOLS.length) % TOOLS.length;
        app.setTool(TOOLS[next].name);
        $('tools').children[next].focus();
    };
    app.ontool = () => tools.show(app.hand.tool);
}

function takeDrops(scenePanel) {
    const view = $('view');
    addEventListener('dragover', (event) => {
        event.preventDefault();
        view.classList.add('dropping');
    });
    addEventListener('dragleave', (event) => event.relatedTarget ?? view.classList.remove('dropping'));
    addEventListener('drop', (event) => {
        event.preventDefault();
        view.classList.remove('dropping');
        if (event.dataTransfer.files[0]) scenePanel.openFile(event.dataTransfer.files[0]);
    });
}

// --- links ---
function useLink(isNew) {
    const link = readLink(location.hash);
    if (!link || (app.linkUsed && !isNew)) return;
    app.linkUsed = true;
    if (link.look) app.setLook(link.look);
    if (link.color && !stage.look.attribute) app.setColor(link.color);
    if (link.walls) app.setWalls(link.walls);
    if (link.eye) stage.camera.set({...stage.camera, eye: link.eye[0], target: link.eye[1]});
    if (!link.open || !app.steers) return;
    const isPresent = link.open.name === app.scene?.name && !Object.keys(link.open.set).length;
    if (isPresent) return;
    // Somebody else's page may have led here: changing what runs is asked for first.
    const count = Object.keys(link.open.set).length;
    app.say(`This link opens ${link.open.name ?? 'a scene of its own'}${count ? ` with ${count} changed value${count > 1 ? 's' : ''}` : ''}. `, false,
        el('button.small.main', {onclick: () => {
            app.quiet();
            app.keepEye = Boolean(link.eye);
            app.open(link.open);
        }}, 'Open it'), el('button.small', {onclick: () => app.quiet()}, 'Leave it'));
}

// --- the server speaks ---
function showState(state, sentence) {
    app.state = state;
    $('state').textContent = STATES[state] ?? state;
    $('state').dataset.state = state;
    $('state').title = sentence ?? '';
    const isRunning = state === 'running';
    setIcon($('start').firstChild, isRunning ? 'pause' : 'play');
    $('start').lastChild.textContent = isRunning ? 'Pause' : state === 'paused' ? 'Go on' : state === 'ended' ? 'Again' : 'Start';
    app.panels.scene.showBar();
}

// Who steers is of interest when there are several; one that waits at its start sends no reports that count them.
function showWheel() {
    const wheel = $('wheel');
    wheel.hidden = app.isWatch || (app.steers && !app.asked && !(app.report?.clients > 1));
    wheel.classList.toggle('main', Boolean(app.steers && app.asked));
    wheel.textContent = app.steers ? (app.asked ? 'Hand over the wheel' : 'You steer: let go') : app.waits ? 'Waiting for the wheel' : 'Ask for the wheel';
    wheel.onclick = () => app.askForWheel(Boolean(app.steers || app.waits));
}

function flat(scene) {
    const s = {...scene, low: three(scene.low), high: three(scene.high)};
    if (s.dim === 2) s.high[2] = s.low[2] = 0;
    const view = s.view && {...s.view};
    for (const name of ['eye', 'target', 'up']) if (view?.[name]) view[name] = three(view[name]);
    return {...s, view};
}

function listenToServer(panels) {
    server.on('hello', (hello) => {
        app.hello = hello;
        app.steers = hello.steers;
        app.isWatch = hello.watch;
        for (const id of ['start', 'restart', 'step', 'speed']) $(id).disabled = Boolean(hello.watch);
        app.cover(null);
        for (const panel of Object.values(panels)) panel.hello?.(hello);
        app.asked = 0;
        showWheel();
        app.want();
    });
    server.on('scene', (message) => {
        const frameOf = (scene) => JSON.stringify([scene?.name, scene?.low, scene?.high, scene?.view]);
        const before = frameOf(app.scene);
        app.scene = flat(message);
        const isOther = app.isFresh !== false || frameOf(app.scene) !== before; // else the eye stays where it was turned to
        app.opened = app.opening ?? {name: message.name, set: {}};
        app.opening = null;
        app.firstValues = null;
        if (stage.frame.scene !== message.number) stage.forget();
        stage.setScene(app.scene);
        if (isOther && !app.keepEye) stage.camera.frame(app.scene);
        app.isFresh = app.keepEye = false;
        app.picked = null;
        if ($('toast').classList.contains('bad')) app.quiet(); // it was about what is no more
        $('title').textContent = `${message.name} · ${message.title ?? ''}`;
        $('title').title = message.title ?? '';
        document.title = `${message.name} · Runnel`;
        panels.scene.scene(app.scene);
        panels.debug.clear();
        app.onpicked();
        useLink(false);
    });
    server.on('state', ({state, sentence, speed}) => {
        showState(state, sentence);
        if (sentence && (state === 'failed' || state === 'ended')) app.say(sentence, state === 'failed');
        if (speed !== undefined) showSpeed(speed);
    });
    server.on('values', (message) => {
        app.values = message.values;
        app.undoCount = message.undo;
        if (app.hand.tool === 'tilt') stage.dirty = true; // the arrow of gravity
        app.firstValues ??= message.undo ? null : message.values;
        panels.live.values(message);
        panels.scene.values(message.values);
    });
    server.on('report', (report) => {
        panels.debug.report(report);
        app.report = report;
        showWheel();
        app.pace = 0.9 * (app.pace ?? report.pace) + 0.1 * report.pace; // a tenth of a second is too short to read
    });
    server.on('picked', (picked) => {
        const isNew = picked.id !== null && picked.id !== app.picked?.id;
        app.picked = picked.id === null ? null : picked;
        stage.dirty = true;
        app.onpicked();
        if (isNew) app.showTab('debug');
    });
    server.on('files', (message) => panels.files.files(message));
    server.on('problems', ({problems}) => {
        app.opening = null;
        panels.scene.showProblems(problems ?? []);
        panels.live.showProblems(problems ?? []);
        app.say(problems?.length === 1 ? `${problems[0].path ? `${problems[0].path}: ` : ''}${problems[0].sentence}`
            : `${problems?.length} things were refused; they are marked under Scene.`, true);
    });
    server.on('error', ({sentence}) => {
        panels.files.refused();
        if (sentence) app.say(sentence, true);
    });
    server.on('steers', ({steers, free, waits, asked}) => {
        const isNew = steers && !app.steers;
        const [isAsked, isWaiting] = [steers && asked > (app.asked ?? 0), waits && !app.waits];
        if (steers && app.asked && !asked) app.quiet(); // who asked has gone
        Object.assign(app, {steers, isFree: free, waits, asked});
        if (isNew) app.say('You steer now.');
        else if (isAsked) app.say('Somebody asks for the wheel.', false, el('button.small', {onclick: () => app.askForWheel(true)}, 'Hand it over'),
            el('button.small', {onclick: () => app.quiet()}, 'Keep it'));
        else if (isWaiting) app.say('The wheel is yours when it is let go.');
        else if (free && !steers) app.say('Nobody steers now.', false, el('button.small', {onclick: () => app.askForWheel()}, 'Take the wheel'));
        showWheel();
    });
    server.on('gone', ({seconds, reason}) => {
        const hasEnded = app.isWatch && ['ended', 'over'].includes(app.state);
        showState(hasEnded ? 'over' : 'gone');
        app.isFresh = app.scene === undefined;
        if (hasEnded) return app.say('The run has ended; its files are where --out said. The picture stays.');
        app.cover('The server is gone', reason
            || 'The program that computes the water does not answer; perhaps it was stopped, or the tunnel to it is closed.',
            `Trying again in ${Math.ceil(seconds)} s.`, el('p', {}, el('button', {onclick: () => server.now()}, 'Try now')));
    });
    server.onframe = (buffer) => { app.waiting = buffer; };
}

function showSpeed(speed) {
    const select = $('speed');
    if (![...select.options].some((option) => Number(option.value) === speed))
        select.append(el('option', {value: speed}, `${short(speed)} ×`));
    select.value = String(speed);
}

// --- every picture ---
const SLOW_PICTURE = 60; // ms
let lastDraw = 0;
let drawn = 0;
let since = performance.now();
let wasDrawn = false;

function takeFrame() {
    const buffer = app.waiting;
    app.waiting = null;
    if (!buffer) return;
    const isOld = sceneOf(buffer) < (app.scene?.number ?? 0); // it waited while another scene was opened
    if (!isOld && stage.frame.take(buffer)) stage.upload(buffer);
    server.send({type: 'got'});
    app.legend.range(ATTRIBUTES[stage.frame.attribute], stage.spread.low, stage.spread.high, performance.now(),
        stage.frame.count);
}

// Digits enough to tell slow from standing still.
const tellPace = (pace) => (pace >= 0.0095 ? pace.toFixed(pace >= 0.095 ? 1 : 2) : String(Number(pace.toPrecision(1))));

function tick(now) {
    requestAnimationFrame(tick);
    if (wasDrawn) stage.pace(now - lastDraw);
    if (wasDrawn && stage.frame.buffer) app.firstPicture ??= performance.now(); // ms since the page was asked for
    // Where drawing takes long, every other turn is the page's own: buttons must not wait for the water.
    const isPagesTurn = wasDrawn && now - lastDraw > SLOW_PICTURE;
    if (!isPagesTurn) takeFrame();
    wasDrawn = !isPagesTurn && stage.draw(app.extra());
    lastDraw = now;
    if (wasDrawn) drawn++;
    if (now - since < 500) return;
    app.drawnPerSecond = 0.5 * app.drawnPerSecond + (500 * drawn) / (now - since); // a mean of about a second
    drawn = 0;
    since = now;
    app.panels.view.showSharpness(stage.sharp, stage.screen);
    const {frame} = stage;
    // What stands still has no pace, and is drawn only when it is turned.
    const pace = app.state !== 'running' ? '' : ` · ${Math.round(app.drawnPerSecond)} frames/s${app.pace > 0 ? ` · ${tellPace(app.pace)} × real time` : ''}`;
    $('numbers').replaceChildren(...(frame.buffer ? [`${frame.time.toFixed(2)} s`,
        el('span.more', {}, ` · ${whole(frame.count)} particles${pace}`)] : []));
}
