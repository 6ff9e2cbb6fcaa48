// Solids of a scene as triangles (position, normal: 6 floats a corner) and as lines (3 floats a corner).
import {add, cross, dot, scale, sub, three, turned, unit} from './vector.js';

const SEGMENTS = 48;
const RINGS = 20;

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

// "Turned about x, then y, then z", degrees.
function turnedAxes(turn) {
    const angle = three(turn).map((a) => (a * Math.PI) / 180);
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) =>
        turned(turned(turned(axis, [1, 0, 0], angle[0]), [0, 1, 0], angle[1]), [0, 0, 1], angle[2]));
}

function corners(center, axes, half) {
    return Array.from({length: 8}, (_, c) => {
        let p = center;
        for (let k = 0; k < 3; k++) p = add(p, scale(axes[k], c & (1 << k) ? half[k] : -half[k]));
        return p;
    });
}

function addBox(mesh, solid, flat) {
    const axes = turnedAxes(solid.turn);
    const half = scale(three(solid.size), 0.5);
    if (flat) half[2] = flat;
    const corner = corners(three(solid.center), axes, half);
    mesh.box(corner, axes, Boolean(solid.hollow));
    mesh.edges(corner);
}

function addSphere(mesh, solid) {
    const center = three(solid.center);
    const sign = solid.hollow ? -1 : 1;
    const at = (ring, part) => {
        const a = (Math.PI * ring) / RINGS;
        const b = (2 * Math.PI * part) / SEGMENTS;
        return [Math.sin(a) * Math.cos(b), Math.cos(a), Math.sin(a) * Math.sin(b)];
    };
    const put = (...normals) => {
        if (sign < 0) normals.reverse();
        mesh.triangle(normals.map((n) => add(center, scale(n, solid.radius))), normals.map((n) => scale(n, sign)));
    };
    for (let r = 0; r < RINGS; r++)
        for (let s = 0; s < SEGMENTS; s++) {
            put(at(r, s), at(r, s + 1), at(r + 1, s));
            put(at(r, s + 1), at(r + 1, s + 1), at(r + 1, s));
        }
    for (let s = 0; s < SEGMENTS; s++) {
        const ring = (k) => [Math.cos((2 * Math.PI * k) / SEGMENTS), Math.sin((2 * Math.PI * k) / SEGMENTS), 0];
        mesh.line(add(center, scale(ring(s), solid.radius)), add(center, scale(ring(s + 1), solid.radius)));
    }
}

function addCylinder(mesh, solid, caps = true) {
    const center = three(solid.center);
    const axis = unit(three(solid.axis ?? [0, 1, 0]));
    const u = unit(cross(axis, Math.abs(axis[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
    const v = cross(axis, u);
    const inside = Boolean(solid.hollow);
    const half = scale(axis, (solid.length ?? 0) / 2);
    const put = (points, normals) => {
        const order = inside ? [2, 1, 0] : [0, 1, 2];
        mesh.triangle(order.map((k) => points[k]), order.map((k) => scale(normals[k], inside ? -1 : 1)));
    };
    const at = (s) => add(scale(u, Math.cos((2 * Math.PI * s) / SEGMENTS)), scale(v, Math.sin((2 * Math.PI * s) / SEGMENTS)));
    for (let s = 0; s < SEGMENTS; s++) {
        const [n, m] = [at(s), at(s + 1)];
        const [p, q] = [add(center, scale(n, solid.radius)), add(center, scale(m, solid.radius))];
        const [a, b, c, d] = [sub(p, half), sub(q, half), add(q, half), add(p, half)];
        put([a, b, c], [n, m, m]);
        put([a, c, d], [n, m, n]);
        mesh.line(a, b);
        mesh.line(d, c);
        if (!caps) continue;
        put([add(center, half), d, c], [axis, axis, axis]);
        const down = scale(axis, -1);
        put([sub(center, half), b, a], [down, down, down]);
    }
}

// The part of a plane that lies in the domain.
function addPlane(mesh, solid, corner) {
    const point = three(solid.center);
    const normal = unit(three(solid.axis ?? [0, 1, 0]));
    const cut = [];
    for (let c = 0; c < 8; c++)
        for (let k = 0; k < 3; k++) {
            if (c & (1 << k)) continue;
            const [a, b] = [corner[c], corner[c | (1 << k)]];
            const [da, db] = [dot(sub(a, point), normal), dot(sub(b, point), normal)];
            if ((da < 0) !== (db < 0)) cut.push(add(a, scale(sub(b, a), da / (da - db))));
        }
    if (cut.length < 3) return;
    const middle = scale(cut.reduce(add), 1 / cut.length);
    const u = unit(sub(cut[0], middle));
    const v = cross(normal, u);
    const angle = (p) => Math.atan2(dot(sub(p, middle), v), dot(sub(p, middle), u));
    cut.sort((a, b) => angle(a) - angle(b));
    cut.forEach((p, k) => {
        const q = cut[(k + 1) % cut.length];
        mesh.triangle([middle, p, q], [normal, normal, normal]);
        mesh.line(p, q);
    });
}

const SIDES = ['x-low', 'x-high', 'y-low', 'y-high', 'z-low', 'z-high'];
const UPRIGHT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

// {solids, pipes, sides}: each {triangles, lines} of Float32Arrays; sides are the domain's own.
export function sceneShapes(scene) {
    const size = Math.hypot(...sub(scene.high, scene.low));
    const flat = scene.dim === 2 ? size * 0.02 : 0;
    const low = [...scene.low];
    const high = [...scene.high];
    if (flat) [low[2], high[2]] = [-flat, flat];
    const corner = corners(scale(add(low, high), 0.5), UPRIGHT, scale(sub(high, low), 0.5));
    const solids = new Mesh();
    for (const solid of scene.solids ?? []) {
        if (solid.drawn === false) continue;
        if (solid.shape === 'box') addBox(solids, solid, flat);
        else if (solid.shape === 'sphere' && !flat) addSphere(solids, solid);
        else if (solid.shape === 'sphere') addCylinder(solids, {...solid, axis: [0, 0, 1], length: 2 * flat});
        else if (solid.shape === 'cylinder') addCylinder(solids, solid);
        else if (solid.shape === 'plane') addPlane(solids, solid, corner);
    }
    const pipes = new Mesh();
    for (const pipe of scene.pipes ?? [])
        addCylinder(pipes, {
            center: sub(three(pipe.center), scale(unit(three(pipe.direction)), pipe.radius * 1.2)),
            axis: pipe.direction, radius: pipe.radius * 1.15, length: pipe.radius * 2}, false);
    const sides = new Mesh();
    const drawn = scene.view?.walls ?? ['x-low', 'y-low', 'z-low'];
    sides.box(corner, UPRIGHT, true, drawn.map((name) => SIDES.indexOf(name)).filter((k) => k >= 0));
    sides.edges(corner);
    for (const outlet of scene.outlets ?? []) {
        const [a, b] = [three(outlet.low), three(outlet.high)];
        sides.edges(corners(scale(add(a, b), 0.5), UPRIGHT, scale(sub(b, a), 0.5)));
    }
    const pack = (mesh) => ({triangles: new Float32Array(mesh.triangles), lines: new Float32Array(mesh.lines)});
    return {solids: pack(solids), pipes: pack(pipes), sides: pack(sides)};
}
