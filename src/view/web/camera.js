// A camera that orbits, pans and zooms around a target. y is up unless the scene says otherwise.
import {add, clamp, cross, dot, length, lookAt, multiply, perspective, scale, sub, turned, unit} from './vector.js';

const STEEPEST = 1.53; // radians from the horizon: straight up and down have no left and right
const NARROWEST = 1.35; // width by height of what a scene's angle is for; taller windows see more above and below
const FILLED = 0.84;    // share of the picture that a scene without a view fills

export class Camera {
    constructor() {
        this.view = new Float32Array(16);
        this.proj = new Float32Array(16);
        this.both = new Float32Array(16);
        this.size = 1; // of the scene, m
        this.set({eye: [2, 1.5, 3], target: [0, 0, 0], up: [0, 1, 0], fov: 40});
        this.resize(1, 1);
    }

    set({eye, target, up, fov}) {
        this.eye = eye;
        this.target = target;
        this.up = unit(up);
        this.fov = fov;
        this.dirty = true;
    }

    // The view of the scene, or one that shows the whole domain.
    frame(scene) {
        const low = scene.low;
        const high = scene.high;
        this.size = length(sub(high, low));
        const middle = scale(add(low, high), 0.5);
        const view = scene.view ?? {};
        const up = view.up && length(view.up) > 0 ? view.up : [0, 1, 0];
        const fov = view.fov || 40;
        let eye = view.eye;
        let target = view.target;
        if (!eye || !target || length(sub(eye, target)) === 0) {
            target = middle;
            const from = scene.dim === 2 ? [0, 0, 1] : unit([0.55, 0.5, 1]);
            eye = add(middle, scale(from, this.away(low, high, from, up, fov)));
        }
        this.set({eye, target, up, fov});
        this.home = {eye, target, up, fov};
    }

    // Distance from which the camera sees all corners of a box, with a margin.
    away(low, high, from, up, fov) {
        const half = scale(sub(high, low), 0.5);
        const right = unit(cross(up, from));
        const above = cross(from, right);
        const tall = Math.tan((fov * Math.PI) / 360) * FILLED;
        let away = 0;
        for (let c = 0; c < 8; c++) {
            const corner = half.map((v, k) => (c & (1 << k) ? v : -v));
            const beside = Math.max(Math.abs(dot(corner, above)), Math.abs(dot(corner, right)) / NARROWEST);
            away = Math.max(away, dot(corner, from) + beside / tall);
        }
        return away;
    }

    reset() {
        if (this.home) this.set(this.home);
    }

    // A tall window sees as much of the width as a wide one.
    resize(width, height) {
        this.width = width;
        this.height = height;
        this.dirty = true;
    }

    tanHalf() {
        const aspect = this.width / this.height;
        return Math.tan((this.fov * Math.PI) / 360) * Math.max(1, NARROWEST / aspect);
    }

    update() {
        const away = length(sub(this.eye, this.target));
        const near = Math.max(away * 0.02, this.size * 0.002);
        this.far = away + this.size * 4;
        lookAt(this.view, this.eye, this.target, this.up);
        perspective(this.proj, this.tanHalf(), this.width / this.height, near, this.far);
        multiply(this.both, this.proj, this.view);
        this.dirty = false;
    }

    right() { return [this.view[0], this.view[4], this.view[8]]; }
    above() { return [this.view[1], this.view[5], this.view[9]]; }
    forward() { return unit(sub(this.target, this.eye)); }

    // Angles in radians.
    orbit(across, upward) {
        let away = turned(sub(this.eye, this.target), this.up, -across);
        const side = unit(cross(this.up, away));
        const steep = Math.asin(clamp(dot(unit(away), this.up), -1, 1));
        const next = clamp(steep + upward, -STEEPEST, STEEPEST);
        away = turned(away, side, -(next - steep));
        this.eye = add(this.target, away);
        this.dirty = true;
    }

    // Metres per pixel of the page, at a depth in front of the camera.
    metresPerPixel(depth, pageHeight) {
        return (2 * this.tanHalf() * depth) / pageHeight;
    }

    pan(dx, dy, pageHeight) {
        const m = this.metresPerPixel(length(sub(this.eye, this.target)), pageHeight);
        const move = add(scale(this.right(), -dx * m), scale(this.above(), dy * m));
        this.eye = add(this.eye, move);
        this.target = add(this.target, move);
        this.dirty = true;
    }

    zoom(factor) {
        const away = sub(this.eye, this.target);
        const next = clamp(length(away) * factor, this.size * 0.03, this.size * 12);
        this.eye = add(this.target, scale(unit(away), next));
        this.dirty = true;
    }

    // Moves towards a point or away from it; the point stays where it is in the picture.
    zoomAt(factor, point) {
        const away = length(sub(this.eye, this.target));
        const f = clamp(away * factor, this.size * 0.03, this.size * 12) / away;
        this.eye = add(point, scale(sub(this.eye, point), f));
        this.target = add(point, scale(sub(this.target, point), f));
        this.dirty = true;
    }

    // Turns to a point and moves close to it.
    lookTo(point, away) {
        const back = unit(sub(this.eye, this.target));
        this.target = point;
        this.eye = add(point, scale(back, away));
        this.dirty = true;
    }

    // The ray through a place of the picture, x and y from -1 to 1, y up.
    ray(x, y) {
        const t = this.tanHalf();
        const direction = add(this.forward(),
            add(scale(this.right(), x * t * (this.width / this.height)), scale(this.above(), y * t)));
        return {origin: this.eye, direction: unit(direction)};
    }
}
