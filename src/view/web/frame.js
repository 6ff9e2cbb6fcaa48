// Frames and meshes as docs/viewer-protocol.md lays them out. The bytes of a frame go to the graphics card
// unchanged; nothing is unpacked, so a frame leaves no garbage but its own buffer.
const HEADER = 64;
const ROW = 40; // of the attribute table
const POSE = 32;
const NAME = 24;
const FRAME = 0x32464e52; // "RNF2"
const MESHES = 0x324d4e52; // "RNM2"

export const FORMAT = {u8: 0, i8: 1, u32: 2};
const BYTES = [1, 1, 4];

const text = new TextDecoder();
const nameAt = (buffer, at) => text.decode(new Uint8Array(buffer, at, NAME)).replace(/\0.*$/s, '');

export const isMeshes = (buffer) => buffer.byteLength >= 16 && new DataView(buffer).getUint32(0, true) === MESHES;

// Number of the scene that a frame shows.
export const sceneOf = (buffer) => (buffer.byteLength < HEADER ? 0 : new DataView(buffer).getUint32(60, true));

export class Frame {
    constructor() {
        this.count = 0;
        this.low = new Float32Array(3);
        this.extent = new Float32Array(3);
        this.attributes = new Map();
        this.poses = [];
        this.buffer = null;
    }

    // Reads a message; false: it is not a frame, and the previous one stays.
    take(buffer) {
        if (buffer.byteLength < HEADER) return false;
        const view = new DataView(buffer);
        if (view.getUint32(0, true) !== FRAME) return false;
        const count = view.getUint32(4, true);
        const rows = view.getUint32(8, true);
        const poses = view.getUint32(12, true);
        const posesAt = HEADER + ROW * rows;
        const positionAt = posesAt + POSE * poses;
        if (buffer.byteLength < positionAt + 6 * count) return false;
        const attributes = this.readAttributes(view, rows, count);
        if (!attributes) return false;
        for (let k = 0; k < 3; k++) {
            this.low[k] = view.getFloat32(32 + 4 * k, true);
            this.extent[k] = view.getFloat32(44 + 4 * k, true) - this.low[k];
        }
        this.buffer = buffer;
        this.count = count;
        this.attributes = attributes;
        this.positionAt = positionAt;
        this.poses = Array.from({length: poses}, (_, k) => this.readPose(view, posesAt + POSE * k));
        this.time = view.getFloat64(16, true);
        this.radius = view.getFloat32(56, true);
        this.scene = view.getUint32(60, true);
        return true;
    }

    // Name -> {name, components, format, at, from, to}: an array at byte `at` whose numbers (u8 as 0 to 1) go from
    // `from` to `to`. null: the message is too short for them.
    readAttributes(view, rows, count) {
        const attributes = new Map();
        for (let k = 0; k < rows; k++) {
            const row = HEADER + ROW * k;
            const name = nameAt(view.buffer, row);
            const components = view.getUint8(row + NAME);
            const format = view.getUint8(row + NAME + 1);
            const at = view.getUint32(row + 28, true);
            const isWhole = format === FORMAT.u32;
            if (!(format in BYTES) || at + count * components * BYTES[format] > view.byteLength) return null;
            attributes.set(name, {name, components, format, at, from: isWhole ? 0 : view.getFloat32(row + 32, true),
                to: isWhole ? 1 : view.getFloat32(row + 36, true)});
        }
        return attributes;
    }

    readPose(view, at) {
        const float = (k) => view.getFloat32(at + 4 * k, true);
        return {mesh: view.getUint32(at, true), position: [float(1), float(2), float(3)],
            rotation: [float(4), float(5), float(6), float(7)]};
    }

    get(name) {
        return this.attributes.get(name) ?? null;
    }

    // Distance along a ray to the first particle within reach of it; null: there is none.
    along(ray, reach) {
        if (!this.count) return null;
        const places = new Uint16Array(this.buffer, this.positionAt, this.count * 3);
        const [ox, oy, oz] = ray.origin;
        const [dx, dy, dz] = ray.direction;
        const [sx, sy, sz] = [this.extent[0] / 65535, this.extent[1] / 65535, this.extent[2] / 65535];
        let best = Infinity;
        for (let i = 0; i < places.length; i += 3) {
            const x = this.low[0] + places[i] * sx - ox;
            const y = this.low[1] + places[i + 1] * sy - oy;
            const z = this.low[2] + places[i + 2] * sz - oz;
            const t = x * dx + y * dy + z * dz;
            if (t <= 0 || t >= best) continue;
            if (x * x + y * y + z * z - t * t < reach * reach) best = t;
        }
        return best < Infinity ? best : null;
    }
}

// {scene, meshes: [{name, vertices, normals, indices, lines}]} of a message with meshes; normals null: flat faces.
export function readMeshes(buffer) {
    const view = new DataView(buffer);
    const meshes = [];
    for (let k = 0; k < view.getUint32(8, true); k++) {
        const row = 16 + 48 * k;
        const [vertices, indices, lines, verticesAt, normalsAt, indicesAt] =
            [0, 1, 2, 3, 4, 5].map((place) => view.getUint32(row + NAME + 4 * place, true));
        meshes.push({name: nameAt(buffer, row), vertices: new Float32Array(buffer, verticesAt, 3 * vertices),
            normals: normalsAt ? new Float32Array(buffer, normalsAt, 3 * vertices) : null,
            indices: new Uint32Array(buffer, indicesAt, indices),
            lines: new Float32Array(buffer, indicesAt + 4 * indices, 6 * lines)});
    }
    return {scene: view.getUint32(4, true), meshes};
}
