// Pipes and the domain of a scene as triangles (position, normal: 6 floats a corner) and as lines (3 floats a corner).
import {add, cross, scale, sub, three, unit} from './vector.js';

const SEGMENTS = 48;

class Mesh {
    constructor() {
        this.triangles = [];
        this.lines = [];
    }

    // Corners anticlockwise as seen from the tip of normal.
    triangle(corners, normals) {
        corners.forEach((p, k) => this.triangles.push(...p, ...(normals[k] ?? normals[0])));
    }

    quad(a, b, c, d, normal) {
        this.triangle([a, b, c], [normal, normal, normal]);
        this.triangle([a, c, d], [normal, normal, normal]);
    }

    line(a, b) {
        this.lines.push(...a, ...b);
    }

    // Corners of 0 .. 7, bit k set: high on axis k. inside: walls face inwards.
    box(corner, axes, inside, sides = [0, 1, 2, 3, 4, 5]) {
        for (const side of sides) {
            const k = side >> 1;
            const u = (k + 1) % 3;
            const v = (k + 2) % 3;
            const base = (side & 1) << k;
            const outward = scale(axes[k], side & 1 ? 1 : -1);
            const ring = [base, base | (1 << u), base | (1 << u) | (1 << v), base | (1 << v)].map((c) => corner[c]);
            if (((side & 1) === 0) !== inside) ring.reverse();
            this.quad(...ring, inside ? scale(outward, -1) : outward);
        }
    }

    edges(corner) {
        for (let c = 0; c < 8; c++)
            for (let k = 0; k < 3; k++) if (!(c & (1 << k))) this.line(corner[c], corner[c | (1 << k)]);
    }
}

function corners(center, axes, half) {
    return Array.from({length: 8}, (_, c) => {
        let p = center;
        for (let k = 0; k < 3; k++) p = add(p, scale(axes[k], c & (1 << k) ? half[k] : -half[k]));
        return p;
    });
}

// A tube without ends.
function addTube(mesh, {center, axis, radius, length}) {
    const along = unit(three(axis));
    const u = unit(cross(along, Math.abs(along[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
    const v = cross(along, u);
    const half = scale(along, length / 2);
    const at = (s) => add(scale(u, Math.cos((2 * Math.PI * s) / SEGMENTS)), scale(v, Math.sin((2 * Math.PI * s) / SEGMENTS)));
    for (let s = 0; s < SEGMENTS; s++) {
        const [n, m] = [at(s), at(s + 1)];
        const [p, q] = [add(center, scale(n, radius)), add(center, scale(m, radius))];
        const [a, b, c, d] = [sub(p, half), sub(q, half), add(q, half), add(p, half)];
        mesh.triangle([a, b, c], [n, m, m]);
        mesh.triangle([a, c, d], [n, m, n]);
        mesh.line(a, b);
        mesh.line(d, c);
    }
}

const SIDES = ['x-low', 'x-high', 'y-low', 'y-high', 'z-low', 'z-high'];
const UPRIGHT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

// {pipes, sides}: each {triangles, lines} of Float32Arrays; sides are those of the domain. Solids come from the server.
export function sceneShapes(scene) {
    const size = Math.hypot(...sub(scene.high, scene.low));
    const flat = scene.dim === 2 ? size * 0.02 : 0;
    const low = [...scene.low];
    const high = [...scene.high];
    if (flat) [low[2], high[2]] = [-flat, flat];
    const corner = corners(scale(add(low, high), 0.5), UPRIGHT, scale(sub(high, low), 0.5));
    const pipes = new Mesh();
    for (const pipe of scene.pipes ?? [])
        addTube(pipes, {
            center: sub(three(pipe.center), scale(unit(three(pipe.direction)), pipe.radius * 1.2)),
            axis: pipe.direction, radius: pipe.radius * 1.15, length: pipe.radius * 2});
    const sides = new Mesh();
    const drawn = scene.view?.walls ?? ['x-low', 'y-low', 'z-low'];
    sides.box(corner, UPRIGHT, true, drawn.map((name) => SIDES.indexOf(name)).filter((k) => k >= 0));
    sides.edges(corner);
    for (const outlet of scene.outlets ?? []) {
        const [a, b] = [three(outlet.low), three(outlet.high)];
        sides.edges(corners(scale(add(a, b), 0.5), UPRIGHT, scale(sub(b, a), 0.5)));
    }
    const pack = (mesh) => ({triangles: new Float32Array(mesh.triangles), lines: new Float32Array(mesh.lines)});
    return {pipes: pack(pipes), sides: pack(sides)};
}
