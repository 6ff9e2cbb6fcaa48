// The cells of the neighbour search that hold water, as lines: cubes of one radius, counted from the domain's low corner.
import {program} from './gl.js';

const MOST = 8000;      // cells that are drawn
const EVERY = 120;      // ms between two counts
const EDGES = [];
for (let c = 0; c < 8; c++)
    for (let k = 0; k < 3; k++) if (!(c & (1 << k))) for (const e of [c, c | (1 << k)]) EDGES.push(e & 1, (e >> 1) & 1, (e >> 2) & 1);

export class Cells {
    constructor(gl) {
        this.gl = gl;
        this.lines = program(gl, `
            in vec3 corner;
            in vec3 cell;
            uniform mat4 both;
            uniform vec3 first;
            uniform float side;
            void main() { gl_Position = both * vec4(first + (cell + corner) * side, 1.0); }`, `
            uniform vec4 ink;
            out vec4 color;
            void main() { color = ink; }`, ['corner', 'cell']);
        this.array = gl.createVertexArray();
        gl.bindVertexArray(this.array);
        const corners = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, corners);
        gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(EDGES), gl.STATIC_DRAW);
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
        this.buffer = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        this.places = new Uint16Array(MOST * 3);
        gl.bufferData(gl.ARRAY_BUFFER, this.places.byteLength, gl.DYNAMIC_DRAW);
        gl.enableVertexAttribArray(1);
        gl.vertexAttribPointer(1, 3, gl.UNSIGNED_SHORT, false, 0, 0);
        gl.vertexAttribDivisor(1, 1);
        gl.bindVertexArray(null);
        this.count = 0;
        this.next = 0;
    }

    // Finds the cells that hold particles; positions of a frame are shares of its box.
    find(frame, first, side, isFlat) {
        const places = new Uint16Array(frame.buffer, frame.positionAt, frame.count * 3);
        const step = frame.extent.map((v) => v / 65535 / side);
        const from = frame.low.map((v, k) => (v - first[k]) / side);
        const seen = new Set();
        this.count = 0;
        this.all = 0;
        for (let i = 0; i < places.length; i += 3) {
            const x = Math.max(0, Math.floor(from[0] + places[i] * step[0]));
            const y = Math.max(0, Math.floor(from[1] + places[i + 1] * step[1]));
            const z = isFlat ? 0 : Math.max(0, Math.floor(from[2] + places[i + 2] * step[2]));
            const key = x + 65536 * (y + 65536 * z);
            if (seen.has(key)) continue;
            seen.add(key);
            if (this.count < MOST) this.places.set([x, y, z], 3 * this.count++);
        }
        this.all = seen.size;
    }

    draw(stage, ink) {
        const {gl} = this;
        const {frame, scene} = stage;
        const side = scene.derived?.radius;
        if (!(side > 0) || !frame.count) return;
        const now = performance.now();
        if (frame.buffer !== this.of && now >= this.next) {
            this.find(frame, scene.low, side, scene.dim === 2);
            this.of = frame.buffer;
            this.next = now + EVERY;
            gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
            gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.places, 0, this.count * 3);
        }
        gl.useProgram(this.lines.program);
        gl.uniformMatrix4fv(this.lines.at.both, false, stage.camera.both);
        gl.uniform3fv(this.lines.at.first, scene.low);
        gl.uniform1f(this.lines.at.side, side);
        gl.uniform4fv(this.lines.at.ink, ink);
        gl.bindVertexArray(this.array);
        gl.drawArraysInstanced(gl.LINES, 0, EDGES.length / 3, this.count);
    }
}
