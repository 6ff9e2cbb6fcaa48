// Connects the parts: the server's messages, the picture, the panels.
import {$, el, memory, short, whole} from './dom.js';
import {App} from './app.js';
import {isMeshes, sceneOf} from './frame.js';
import {DebugPanel} from './debug_panel.js';
import {FilesPanel} from './files_panel.js';
import {Hand, TOOLS} from './hand.js';
import {LOOKS} from './looks/table.js';
import {Legend} from './legend.js';
import {LivePanel} from './live_panel.js';
import {ScenePanel} from './scene_panel.js';
import {Server} from './server.js';
import {Stage} from './stage.js';
import {ViewPanel, choice, colorsOf} from './view_panel.js';
import {setIcon} from './icons.js';
import {listenToKeys} from './keys.js';
import {readLink} from './share.js';
import {three} from './vector.js';
import {welcomeOnce} from './help.js';

const SPEEDS = [[0, 'as fast as possible'], [2, '2 ×'], [1, 'real time'], [0.5, '1/2'], [0.25, '1/4'], [0.1, '1/10'], [0.02, '1/50']];
const STATES = {ready: 'ready', running: 'running', paused: 'paused', ended: 'ended', failed: 'failed', gone: 'no server', over: 'ended'};
const CONTROLS = ['start', 'restart', 'step', 'speed'];
const ms = (seconds) => `${short(1000 * seconds)} ms`;
// Flags of the step report that turn the state amber: short form, and the sentence.
const CAUTIONS = {
    'unsafe-step': ['unsafe step', (r) => `The time step of ${ms(r.time_step)} is longer than the safe one${r.safe_step ? ` of ${ms(r.safe_step)}` : ''}: `
        + 'the water may become unstable. Set time.step to 0 for the safe step.'],
    full: ['full', () => 'The largest number of particles is reached; pipes wait. Raise fluid.max_particles.'],
};

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
    app.cover('This browser has no WebGL2', 'The picture needs it. Current versions of Firefox, Chrome, Edge and Safari have it; '
        + 'it may be switched off (look at about:support or chrome://gpu), or the machine has no graphics driver.',
    'The simulation runs nevertheless; `runnel run --picture` draws without a browser.');
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
        app.legend.show(!stage.look.attribute, app.colorRow(), app.scene?.fluids);
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

// --- the bottom bar ---
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
    const tools = choice('Mouse tool', rows, (name) => app.setTool(name));
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
    if (!link.open || !app.hasControl) return;
    const isSame = link.open.scene ? JSON.stringify(link.open.scene) === JSON.stringify(app.scene?.scene)
        : link.open.name === app.scene?.name && app.scene.builtin !== false;
    const isPresent = isSame && !Object.keys(link.open.set).length;
    if (isPresent) return;
    // A link on another site may have led here: ask before the running scene is replaced.
    const count = Object.keys(link.open.set).length;
    app.say(`This link opens ${link.open.name ?? 'a scene of its own'}${count ? ` with ${count} changed value${count > 1 ? 's' : ''}` : ''}. `, false,
        el('button.small.main', {onclick: () => {
            app.quiet();
            app.keepEye = Boolean(link.eye);
            app.open(link.open);
        }}, 'Open it'), el('button.small', {onclick: () => app.quiet()}, 'Dismiss'));
}

// --- messages of the server ---
function showState(state, sentence) {
    app.state = state;
    app.sentence = sentence ?? '';
    showChip();
    const isRunning = state === 'running';
    const isDead = ['gone', 'over'].includes(state);
    for (const id of CONTROLS) $(id).disabled = isDead || Boolean(app.isWatch);
    setIcon($('start').firstChild, isRunning ? 'pause' : 'play');
    $('start').lastChild.textContent = isRunning ? 'Pause' : state === 'paused' ? 'Resume' : state === 'ended' ? 'Again' : 'Start';
    app.panels.scene.showBar();
}

// The state, amber while the last step report has a reason for caution.
function showChip() {
    const caution = app.state === 'running' && app.report?.flags?.map((flag) => CAUTIONS[flag]).find(Boolean);
    const chip = $('state');
    const text = caution ? `${STATES[app.state]}: ${caution[0]}` : STATES[app.state] ?? app.state;
    if (chip.textContent !== text) chip.textContent = text;
    chip.dataset.state = caution ? 'caution' : app.state;
    chip.title = caution ? caution[1](app.report) : app.sentence;
    if (caution && app.cautioned !== caution) app.say(chip.title, true);
    if (caution || app.state !== 'running') app.cautioned = caution;
}

// Control is shown when several clients are connected; at the start of a scene no reports count them.
function showControl() {
    const button = $('control');
    button.hidden = app.isWatch || (app.hasControl && !app.waiting && !(app.report?.clients > 1));
    button.classList.toggle('main', Boolean(app.hasControl && app.waiting));
    button.textContent = app.hasControl ? (app.waiting ? 'Hand over control' : 'Release control')
        : app.waits ? 'Waiting for control' : 'Request control';
    button.onclick = () => app.requestControl(Boolean(app.hasControl || app.waits));
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
        app.hasControl = hello.control;
        app.isWatch = hello.watch;
        app.colors = colorsOf(hello.attributes, app.scene?.fluids);
        if (app.colors.length && !app.colors.some(({name}) => name === app.color)) app.color = stage.color = app.colors[0].name;
        for (const id of CONTROLS) $(id).disabled = Boolean(hello.watch);
        app.cover(null);
        for (const panel of Object.values(panels)) panel.hello?.(hello);
        app.waiting = 0;
        app.onlook();
        showControl();
        app.want();
    });
    server.on('scene', (message) => {
        const frameOf = (scene) => JSON.stringify([scene?.name, scene?.low, scene?.high, scene?.view]);
        const before = frameOf(app.scene);
        app.scene = flat(message);
        const isOther = app.isFresh !== false || frameOf(app.scene) !== before; // else the camera stays where it is
        // A scene that another client, the command line or a file has changed is linked as a whole.
        app.opened = app.opening ?? (message.builtin === false ? {name: message.name, scene: message.scene, set: {}} : {name: message.name, set: {}});
        app.opening = null;
        app.firstValues = null;
        if (stage.frame.scene !== message.number) stage.forget();
        stage.setScene(app.scene);
        if (isOther && !app.keepEye) stage.camera.frame(app.scene);
        app.isFresh = app.keepEye = false;
        app.picked = null;
        if ($('toast').classList.contains('bad')) app.quiet(); // it was about the previous scene
        $('title').textContent = `${message.name} · ${message.title ?? ''}`;
        $('title').title = message.title ?? '';
        document.title = `${message.name} · Runnel`;
        app.offerColors(colorsOf(app.hello?.attributes, app.scene.fluids));
        panels.view.hello();
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
        showChip();
        showControl();
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
            : `${problems?.length} values were refused; they are marked under Scene.`, true);
    });
    server.on('error', ({sentence}) => {
        panels.files.refused();
        if (sentence) app.say(sentence, true);
    });
    server.on('control', ({control, free, waits, waiting}) => {
        const isNew = control && !app.hasControl;
        const [isRequested, isWaiting] = [control && waiting > (app.waiting ?? 0), waits && !app.waits];
        if (control && app.waiting && !waiting) app.quiet(); // the client that requested control has gone
        Object.assign(app, {hasControl: control, isFree: free, waits, waiting});
        if (isNew) app.say('You have control now.');
        else if (isRequested) app.say('Another client requests control.', false, el('button.small', {onclick: () => app.requestControl(true)}, 'Hand over'),
            el('button.small', {onclick: () => app.quiet()}, 'Keep'));
        else if (isWaiting) app.say('You get control when the controlling client releases it.');
        else if (free && !control) app.say('No client has control now.', false, el('button.small', {onclick: () => app.requestControl()}, 'Take control'));
        showControl();
    });
    server.on('gone', ({seconds, reason}) => {
        const hasEnded = app.isWatch && ['ended', 'over'].includes(app.state);
        showState(hasEnded ? 'over' : 'gone');
        app.isFresh = app.scene === undefined;
        if (hasEnded) return app.say('The run has ended; its files are in the folder of --out. The last picture remains.');
        app.cover('Connection lost', reason
            || 'The server does not respond; it may have been stopped, or the tunnel to it may be closed.',
            `Reconnecting in ${Math.ceil(seconds)} s.`, el('p', {}, el('button', {onclick: () => server.now()}, 'Try now')));
    });
    server.on('meshes', ({hash}) => {
        // Large meshes come over HTTP, where the browser keeps them; only the newest count.
        app.meshesHash = hash;
        fetch(`meshes/${hash}`, {credentials: 'same-origin'}).then((answer) => answer.ok ? answer.arrayBuffer() : null).then((buffer) => {
            if (buffer && app.meshesHash === hash && isMeshes(buffer)) stage.setMeshes(buffer);
        }).catch(() => app.say('The meshes of the scene could not be loaded.', true));
    });
    server.onbinary = (buffer) => {
        if (isMeshes(buffer)) stage.setMeshes(buffer);
        else app.newest = buffer;
    };
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
    const buffer = app.newest;
    app.newest = null;
    if (!buffer) return;
    const isOld = sceneOf(buffer) < (app.scene?.number ?? 0); // another scene was opened meanwhile
    if (!isOld && stage.frame.take(buffer)) stage.upload(buffer);
    server.send({type: 'got'});
    app.legend.range(stage.part?.name, stage.spread.low, stage.spread.high, performance.now(), stage.frame.count);
}

// Enough digits to distinguish slow from stopped.
const tellPace = (pace) => (pace >= 0.0095 ? pace.toFixed(pace >= 0.095 ? 1 : 2) : String(Number(pace.toPrecision(1))));

function tick(now) {
    requestAnimationFrame(tick);
    if (wasDrawn) stage.pace(now - lastDraw);
    if (wasDrawn && stage.frame.buffer) app.firstPicture ??= performance.now(); // ms since the page was asked for
    // Where drawing takes long, every other turn belongs to the page: buttons must respond.
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
    // A paused simulation has no pace, and is drawn only when the camera moves.
    const pace = app.state !== 'running' ? '' : ` · ${Math.round(app.drawnPerSecond)} frames/s${app.pace > 0 ? ` · ${tellPace(app.pace)} × real time` : ''}`;
    $('numbers').replaceChildren(...(frame.buffer ? [`${frame.time.toFixed(2)} s`,
        el('span.more', {}, ` · ${whole(frame.count)} particles${pace}`)] : []));
}
