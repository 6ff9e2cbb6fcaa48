// Mouse, pen and touch: moving the camera, and acting on the water.
import {add, clamp, cross, dot, length, scale, sub, three, turned, unit} from './vector.js';

export const TOOLS = [
    {name: 'orbit', title: 'Rotate', hint: 'Drag to rotate, right button or two fingers to pan, wheel to zoom. Shift-drag pushes the water.'},
    {name: 'push', title: 'Push', hint: 'Drag through the water to push it along.'},
    {name: 'pull', title: 'Pull', hint: 'Hold to pull the water to the pointer.'},
    {name: 'pour', title: 'Pour', hint: 'Hold to pour water above the pointer.'},
    {name: 'pick', title: 'Pick', hint: 'Click a particle to see its neighbours; its values are under Debug.'},
    {name: 'tilt', title: 'Tilt', hint: 'Drag to tilt gravity in that direction. Double-click to level it.'},
];

const TURN = 0.006;      // radians a pixel
const SEND_EVERY = 25;   // ms
const TAKES = 0.06;      // s
const STEEPEST_TILT = 1; // radians
const PUSH_INK = [1, 0.78, 0.25, 0.95];
const POUR_INK = [0.3, 0.75, 1, 0.95];

export class Hand {
    constructor(app, canvas) {
        this.app = app;
        this.canvas = canvas;
        this.tool = 'orbit';
        this.pointers = new Map();
        this.work = null; // the tool that is acting on the water
        canvas.addEventListener('pointerdown', (e) => this.down(e));
        canvas.addEventListener('pointermove', (e) => this.move(e));
        for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas.addEventListener(end, (e) => this.up(e));
        canvas.addEventListener('pointerleave', () => this.hoverAt(null));
        canvas.addEventListener('contextmenu', (e) => e.preventDefault());
        canvas.addEventListener('dblclick', () => this.tool === 'tilt' && this.level());
        canvas.addEventListener('wheel', (e) => {
            e.preventDefault();
            const lines = e.deltaMode === 1 ? 30 : 1;
            const factor = Math.exp(clamp(e.deltaY * lines, -400, 400) * 0.0012);
            this.app.stage.camera.zoomAt(factor, this.wheelPoint(e.clientX, e.clientY));
        }, {passive: false});
        setInterval(() => this.beat(), SEND_EVERY);
    }

    ray(x, y) {
        const box = this.canvas.getBoundingClientRect();
        return this.app.stage.camera.ray(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    }

    toolOf(event) {
        if (event.button === 2 || event.button === 1) return 'pan';
        if (event.shiftKey) return 'push';
        if (event.altKey) return 'pull';
        return this.tool;
    }

    down(event) {
        this.canvas.focus({preventScroll: true});
        this.canvas.setPointerCapture(event.pointerId);
        this.pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
        if (this.pointers.size === 2) {
            this.endWork();
            this.pinch = this.spread();
            return;
        }
        if (this.pointers.size > 2) return;
        this.doing = this.toolOf(event);
        if (this.doing === 'pick') this.pick(event.clientX, event.clientY);
        else if (this.doing === 'tilt') this.tiltFrom = {x: event.clientX, y: event.clientY, gravity: this.gravity()};
        else if (['push', 'pull', 'pour'].includes(this.doing)) this.beginWork(this.doing, event.clientX, event.clientY);
    }

    move(event) {
        const before = this.pointers.get(event.pointerId);
        if (!before) return this.hoverAt(event);
        const now = {x: event.clientX, y: event.clientY};
        this.pointers.set(event.pointerId, now);
        const {camera} = this.app.stage;
        const [dx, dy] = [now.x - before.x, now.y - before.y];
        if (this.pointers.size >= 2) return this.twoFingers();
        if (this.doing === 'orbit') camera.orbit(dx * TURN, dy * TURN);
        else if (this.doing === 'pan') camera.pan(dx, dy, this.canvas.clientHeight);
        else if (this.doing === 'tilt') this.tilt(now);
        else if (this.work) this.moveWork(now.x, now.y);
    }

    up(event) {
        if (!this.pointers.delete(event.pointerId)) return;
        if (this.pointers.size === 0) {
            this.doing = null;
            this.endWork();
        } else if (this.pointers.size === 1) {
            this.doing = 'orbit'; // one finger remains: it rotates, whatever the tool
        }
    }

    spread() {
        const [a, b] = [...this.pointers.values()];
        return {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, wide: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 10)};
    }

    twoFingers() {
        const now = this.spread();
        const {camera} = this.app.stage;
        camera.zoom(this.pinch.wide / now.wide);
        camera.pan(now.x - this.pinch.x, now.y - this.pinch.y, this.canvas.clientHeight);
        this.pinch = now;
    }

    // --- the water ---

    // Distance at which the ray meets water, else passes the target.
    reach(ray) {
        const {frame, camera} = this.app.stage;
        const hit = frame.along(ray, frame.radius * 2.5);
        if (hit !== null) return hit;
        const forward = camera.forward();
        return dot(sub(camera.target, ray.origin), forward) / Math.max(dot(ray.direction, forward), 0.1);
    }

    // The point that zooming keeps in place stays the same while the wheel turns.
    wheelPoint(x, y) {
        const now = performance.now();
        const last = this.wheeled;
        if (!last || now - last.at > 300 || Math.hypot(x - last.x, y - last.y) > 5) {
            const ray = this.ray(x, y);
            this.wheeled = {point: add(ray.origin, scale(ray.direction, this.reach(ray))), x, y};
        }
        this.wheeled.at = now;
        return this.wheeled.point;
    }

    beginWork(kind, x, y) {
        if (!this.app.mayWork()) return;
        const ray = this.ray(x, y);
        const depth = this.reach(ray);
        this.work = {kind, depth, position: add(ray.origin, scale(ray.direction, depth)), direction: [0, 0, 0], axis: ray.direction, fresh: true};
        this.work.before = this.work.position;
    }

    moveWork(x, y) {
        const ray = this.ray(x, y);
        this.work.position = add(ray.origin, scale(ray.direction, this.work.depth));
        this.work.axis = ray.direction;
        this.work.fresh = true;
    }

    endWork() {
        if (!this.work) return;
        this.app.server.send({type: this.work.kind === 'pour' ? 'pour' : 'force', off: true});
        this.work = null;
        this.app.stage.dirty = true;
    }

    // Sends the action of the tool at a fixed rate.
    beat() {
        const {work, app} = this;
        if (!work) return;
        const size = app.stage.size;
        const radius = Math.max(size * 0.07, app.stage.frame.radius * 5);
        if (work.kind === 'pour') this.pour(work);
        else if (work.kind === 'pull') {
            app.server.send({type: 'force', position: work.position, radius: radius * 1.6, direction: [0, 0, 0],
                pull: this.strongest() * 0.6, axis: work.axis});
        } else {
            // The water follows the pointer within TAKES seconds of wall-clock time.
            const swipe = scale(sub(work.position, work.before), 1000 / SEND_EVERY / this.pace()); // m/s in simulated time
            const wanted = scale(swipe, 1 / (TAKES * this.pace()));
            const most = this.strongest();
            const strong = length(wanted);
            work.direction = strong > most ? scale(wanted, most / strong) : wanted;
            app.server.send({type: 'force', position: work.position, radius, direction: work.direction, axis: work.axis});
        }
        work.before = work.position;
        app.stage.dirty = true;
    }

    // Simulated seconds per second: a slow simulation needs a stronger force.
    pace() {
        return clamp(this.app.report?.pace || 1, 0.02, 1);
    }

    // m/s^2: brings water to the speed of a fall through the scene within 2 TAKES, but no more than 40 times gravity, or than the fluid stands.
    strongest() {
        const g = Math.max(length(this.gravity()), 5);
        const stands = 0.9 * (this.app.report?.force_max ?? Infinity);
        return Math.min(1.2 * Math.sqrt(2 * g * this.app.stage.size) / (2 * TAKES * this.pace()), 40 * 9.81, stands);
    }

    pour(work) {
        const {stage, scene, server} = this.app;
        const down = unit(this.gravity());
        const radius = Math.max(stage.size * 0.028, stage.frame.radius * 4);
        let from = sub(work.position, scale(down, stage.size * 0.16));
        from = from.map((v, k) => {
            const edge = Math.min(radius * 1.2, (scene.high[k] - scene.low[k]) / 2);
            return scene.dim === 2 && k === 2 ? 0 : clamp(v, scene.low[k] + edge, scene.high[k] - edge);
        });
        work.shown = from;
        work.radius = radius;
        if (!work.fresh) return;
        work.fresh = false;
        const speed = Math.sqrt(2 * Math.max(length(this.gravity()), 2) * stage.size * 0.06);
        server.send({type: 'pour', position: from, direction: down, speed, radius});
    }

    // Where the tool would act: a ring follows the mouse.
    hoverAt(event) {
        const was = this.hover;
        const kind = event?.pointerType === 'mouse' ? this.toolOf({shiftKey: event.shiftKey, altKey: event.altKey}) : null;
        this.hover = this.app.hasControl && ['push', 'pull', 'pour'].includes(kind) ? {x: event.clientX, y: event.clientY, kind} : null;
        if (was || this.hover) this.app.stage.dirty = true;
    }

    hoverRing() {
        if (!this.hover || !this.app.stage.frame.buffer) return null;
        const {x, y, kind} = this.hover;
        const ray = this.ray(x, y);
        const radius = Math.max(this.app.stage.size * 0.07, this.app.stage.frame.radius * 5);
        const [ink, wide] = kind === 'pour' ? [POUR_INK, radius * 0.4] : [PUSH_INK, kind === 'pull' ? radius * 1.6 : radius];
        return {position: add(ray.origin, scale(ray.direction, this.reach(ray))), radius: wide, ink: [...ink.slice(0, 3), 0.55]};
    }

    // What the overlay draws.
    shown() {
        const {work, app} = this;
        if (!work) return this.hoverRing();
        const radius = Math.max(app.stage.size * 0.07, app.stage.frame.radius * 5);
        if (work.kind === 'pour') return work.shown ? {position: work.shown, radius: work.radius, ink: POUR_INK} : null;
        return {position: work.position, radius: work.kind === 'pull' ? radius * 1.6 : radius, ink: PUSH_INK};
    }

    pick(x, y) {
        const ray = this.ray(x, y);
        this.app.server.send({type: 'pick', origin: ray.origin, direction: ray.direction});
    }

    // --- gravity ---
    gravity() {
        return three(this.app.values?.gravity ?? this.app.scene?.scene?.gravity ?? [0, -9.81, 0]);
    }

    tilt(now) {
        if (!this.app.mayWork()) return;
        const {camera} = this.app.stage;
        const time = performance.now();
        if (time < (this.nextTilt ?? 0)) return;
        this.nextTilt = time + 2 * SEND_EVERY;
        const g = length(this.tiltFrom.gravity) || 9.81;
        const down = unit(length(this.tiltFrom.gravity) ? this.tiltFrom.gravity : [0, -1, 0]);
        const right = camera.right();
        // Upwards on the screen is away from the eye, along the ground; in 2D it is up.
        const away = this.app.scene.dim === 2 ? camera.above() : unit(cross(camera.up, right));
        const lean = add(scale(right, now.x - this.tiltFrom.x), scale(away, this.tiltFrom.y - now.y));
        const axis = cross(down, lean);
        if (length(axis) === 0) return;
        const angle = clamp(length(lean) * 0.004, 0, STEEPEST_TILT);
        const gravity = scale(turned(down, unit(axis), angle), g);
        this.app.server.send({type: 'tilt', gravity: this.app.scene.dim === 2 ? gravity.slice(0, 2) : gravity});
    }

    level() {
        const wanted = this.app.scene?.scene?.gravity ?? [0, -9.81, 0];
        this.app.server.send({type: 'tilt', gravity: wanted});
    }
}
