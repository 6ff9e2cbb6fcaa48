// Frames as docs/viewer-protocol.md lays them out. The bytes go to the graphics card as they came; nothing is
// unpacked, so a frame leaves no garbage but its own buffer.
const HEADER = 96;
const MAGIC = 0x31464e52; // "RNF1"

export const ATTRIBUTES = ['none', 'density', 'speed', 'pressure', 'age'];

const four = (bytes) => (bytes + 3) & ~3;

// Number of the scene that a message shows.
export const sceneOf = (buffer) => (buffer.byteLength < HEADER ? 0 : new DataView(buffer).getUint32(76, true));

export class Frame {
    constructor() {
        this.count = 0;
        this.low = new Float32Array(3);
        this.extent = new Float32Array(3);
        this.buffer = null;
    }

    // Takes a message; false: it is no frame, and what was there stays.
    take(buffer) {
        if (buffer.byteLength < HEADER) return false;
        const view = new DataView(buffer);
        if (view.getUint32(0, true) !== MAGIC) return false;
        const count = view.getUint32(4, true);
        const has = view.getUint32(8, true);
        let at = HEADER + four(count * 6);
        const part = has & 1 ? at : -1;
        if (has & 1) at += four(count);
        const velocity = has & 2 ? at : -1;
        if (has & 2) at += four(count * 3);
        const acceleration = has & 4 ? at : -1;
        if (has & 4) at += four(count * 3);
        if (has & 8) at += count * 4;
        if (buffer.byteLength < at) return false;
        for (let k = 0; k < 3; k++) {
            this.low[k] = view.getFloat32(32 + 4 * k, true);
            this.extent[k] = view.getFloat32(44 + 4 * k, true) - this.low[k];
        }
        this.buffer = buffer;
        this.count = count;
        this.positionAt = HEADER;
        this.partAt = part;
        this.velocityAt = velocity;
        this.accelerationAt = acceleration;
        this.attribute = view.getUint32(12, true);
        this.time = view.getFloat64(16, true);
        this.from = view.getFloat32(56, true);
        this.to = view.getFloat32(60, true);
        this.velocityUnit = view.getFloat32(64, true);
        this.accelerationUnit = view.getFloat32(68, true);
        this.radius = view.getFloat32(72, true);
        this.scene = view.getUint32(76, true);
        return true;
    }

    // How far along a ray the first particle within reach of it lies; null: there is none.
    along(ray, reach) {
        if (!this.count) return null;
        const places = new Uint16Array(this.buffer, HEADER, this.count * 3);
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
