// What is drawn around the water, as triangles (position, normal: 6 floats a corner) and lines (3 floats a
// corner). Solids come from the server as a mesh; pipes, outlets and the sides of the domain are made here.
import {add, cross, scale, sub, three, unit} from './vector.js';

const SEGMENTS = 48;

class Mesh {
    constructor() {
        this.triangles = [];
        this.lines = [];
    }

    // Corners counter-clockwise as seen from the tip of normal.
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

    // Faces of an upright box that look inwards. Corners 0 .. 7: bit k set is high on axis k.
    sides(corner, sides) {
        for (const side of sides) {
            const k = side >> 1;
            const u = (k + 1) % 3;
            const v = (k + 2) % 3;
            const base = (side & 1) << k;
            const ring = [base, base | (1 << u), base | (1 << u) | (1 << v), base | (1 << v)].map((c) => corner[c]);
            if (side & 1) ring.reverse();
            this.quad(...ring, scale(UPRIGHT[k], side & 1 ? -1 : 1));
        }
    }

    edges(corner) {
        for (let c = 0; c < 8; c++)
            for (let k = 0; k < 3; k++) if (!(c & (1 << k))) this.line(corner[c], corner[c | (1 << k)]);
    }

    // The mouth of a pipe: a short tube that ends a little behind the place where the stream begins.
    pipe(pipe) {
        const axis = unit(three(pipe.direction));
        const center = sub(three(pipe.center), scale(axis, pipe.radius * 1.2));
        const u = unit(cross(axis, Math.abs(axis[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
        const v = cross(axis, u);
        const half = scale(axis, pipe.radius);
        const at = (s) => add(scale(u, Math.cos((2 * Math.PI * s) / SEGMENTS)), scale(v, Math.sin((2 * Math.PI * s) / SEGMENTS)));
        for (let s = 0; s < SEGMENTS; s++) {
            const [n, m] = [at(s), at(s + 1)];
            const [p, q] = [n, m].map((normal) => add(center, scale(normal, pipe.radius * 1.15)));
            const [a, b, c, d] = [sub(p, half), sub(q, half), add(q, half), add(p, half)];
            this.triangle([a, b, c], [n, m, m]);
            this.triangle([a, c, d], [n, m, n]);
            this.line(a, b);
            this.line(d, c);
        }
    }

    packed() {
        return {triangles: new Float32Array(this.triangles), lines: new Float32Array(this.lines)};
    }
}

// The 32-bit numbers of a base64 text, little endian as all browsers' machines are.
function words(text, Type) {
    const bytes = Uint8Array.from(atob(text ?? ''), (letter) => letter.charCodeAt(0));
    return new Type(bytes.buffer);
}

// The server's mesh {vertices, triangles, lines}: corners of triangles one after the other.
function expanded(mesh) {
    const vertices = words(mesh?.vertices, Float32Array);
    const indices = words(mesh?.triangles, Uint32Array);
    const triangles = new Float32Array(indices.length * 6);
    indices.forEach((vertex, k) => triangles.set(vertices.subarray(vertex * 6, vertex * 6 + 6), k * 6));
    return {triangles, lines: words(mesh?.lines, Float32Array)};
}

function joined(a, b) {
    const both = new Float32Array(a.length + b.length);
    both.set(a);
    both.set(b, a.length);
    return both;
}

function corners(low, high) {
    return Array.from({length: 8}, (_, c) => [0, 1, 2].map((k) => (c & (1 << k) ? high : low)[k]));
}

const SIDES = ['x-low', 'x-high', 'y-low', 'y-high', 'z-low', 'z-high'];
const UPRIGHT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

// {solids, sides}: each {triangles, lines} of Float32Arrays; sides are the domain's own.
export function sceneShapes(scene) {
    const low = [...scene.low];
    const high = [...scene.high];
    if (scene.dim === 2) {
        high[2] = Math.hypot(...sub(scene.high, scene.low)) * 0.02;
        low[2] = -high[2];
    }
    const pipes = new Mesh();
    for (const pipe of scene.pipes ?? []) pipes.pipe(pipe);
    const sides = new Mesh();
    const corner = corners(low, high);
    const drawn = scene.view?.walls ?? ['x-low', 'y-low', 'z-low'];
    sides.sides(corner, drawn.map((name) => SIDES.indexOf(name)).filter((k) => k >= 0));
    sides.edges(corner);
    for (const outlet of scene.outlets ?? []) sides.edges(corners(three(outlet.low), three(outlet.high)));
    const solids = expanded(scene.mesh);
    const more = pipes.packed();
    return {
        solids: {triangles: joined(solids.triangles, more.triangles), lines: joined(solids.lines, more.lines)},
        sides: sides.packed(),
    };
}
