// What the debug view draws over the picture: arrows of all particles, and details of the picked one.
import {program} from './gl.js';
import {add, cross, scale, three, unit} from './vector.js';

const MOST_ARROWS = 6000;
const RING = 48;
const WIDE = 2; // of a line, pixels of the page
const CAPACITY = 6 * 4096; // floats a kind of line may take

export class Overlay {
    constructor(gl) {
        this.gl = gl;
        this.arrows = program(gl, `
            in vec3 place;
            in vec3 arrow;
            uniform vec3 low, extent;
            uniform mat4 both;
            uniform float reach, ahead;
            uniform vec3 eye;
            void main() {
                vec3 from = low + place * extent;
                from += normalize(eye - from) * ahead; // in front of its own ball and the next ones
                vec3 along = arrow * reach;
                vec3 side = cross(along, from - eye);
                float l = length(side);
                side = l > 0.0 ? side / l * length(along) * 0.18 : vec3(0.0);
                vec3 tip = from + along;
                vec3 p = from;
                if (gl_VertexID == 1 || gl_VertexID == 2 || gl_VertexID == 4) p = tip;
                if (gl_VertexID == 3) p = tip - along * 0.3 + side;
                if (gl_VertexID == 5) p = tip - along * 0.3 - side;
                gl_Position = both * vec4(p, 1.0);
            }`, `
            uniform vec4 ink;
            out vec4 color;
            void main() { color = ink; }`, ['place', 'arrow']);
        // Lines are drawn as strips: WebGL's own lines are one pixel wide.
        this.lines = program(gl, `
            in vec3 begin, end;
            uniform mat4 both;
            uniform vec2 screen;
            uniform float wide; // pixels
            void main() {
                vec4 a = both * vec4(begin, 1.0), b = both * vec4(end, 1.0);
                vec4 p = (gl_VertexID & 1) == 0 ? a : b;
                vec2 d = (b.xy / b.w - a.xy / a.w) * screen;
                float l = length(d);
                vec2 n = l > 0.0 ? vec2(-d.y, d.x) / l : vec2(0.0, 1.0);
                p.xy += n * ((gl_VertexID & 2) == 0 ? wide : -wide) / screen * p.w;
                gl_Position = min(a.w, b.w) > 0.0 ? p : vec4(2.0, 2.0, 2.0, 1.0);
            }`, `
            uniform vec4 ink;
            out vec4 color;
            void main() { color = ink; }`, ['begin', 'end']);
        this.arrowArray = gl.createVertexArray();
        this.lineArray = gl.createVertexArray();
        this.buffer = gl.createBuffer();
        this.floats = new Float32Array(CAPACITY);
        gl.bindVertexArray(this.lineArray);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, CAPACITY * 4, gl.DYNAMIC_DRAW);
        for (const k of [0, 1]) {
            gl.enableVertexAttribArray(k);
            gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k);
            gl.vertexAttribDivisor(k, 1);
        }
        gl.bindVertexArray(null);
    }

    // Arrows of every k-th particle, straight from the frame's bytes. The longest is as long as 8 radii.
    drawArrows(stage, part, ink) {
        const {gl} = this;
        const {frame} = stage;
        if (!part || !frame.count) return;
        const every = Math.min(Math.max(1, Math.ceil(frame.count / MOST_ARROWS)), 40);
        gl.useProgram(this.arrows.program);
        gl.bindVertexArray(this.arrowArray);
        gl.bindBuffer(gl.ARRAY_BUFFER, stage.particles);
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 6 * every, frame.positionAt);
        gl.vertexAttribDivisor(0, 1);
        gl.enableVertexAttribArray(1);
        gl.vertexAttribPointer(1, 3, gl.BYTE, true, 3 * every, part.at);
        gl.vertexAttribDivisor(1, 1);
        gl.uniform3fv(this.arrows.at.low, frame.low);
        gl.uniform3fv(this.arrows.at.extent, frame.extent);
        gl.uniformMatrix4fv(this.arrows.at.both, false, stage.camera.both);
        gl.uniform3fv(this.arrows.at.eye, stage.camera.eye);
        gl.uniform1f(this.arrows.at.ahead, frame.radius * 4);
        gl.uniform1f(this.arrows.at.reach, frame.radius * 14);
        gl.uniform4fv(this.arrows.at.ink, ink);
        gl.drawArraysInstanced(gl.LINES, 0, 6, Math.floor(frame.count / every));
    }

    begin() { this.used = 0; }

    put(a, b) {
        if (this.used + 6 > CAPACITY) return;
        this.floats.set(a, this.used);
        this.floats.set(b, this.used + 3);
        this.used += 6;
    }

    end(stage, ink) {
        const {gl} = this;
        if (!this.used) return;
        gl.useProgram(this.lines.program);
        gl.uniformMatrix4fv(this.lines.at.both, false, stage.camera.both);
        gl.uniform4fv(this.lines.at.ink, ink);
        gl.bindVertexArray(this.lineArray);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.floats, 0, this.used);
        gl.uniform2f(this.lines.at.screen, stage.width, stage.height);
        gl.uniform1f(this.lines.at.wide, Math.max(1, (WIDE * stage.width) / stage.canvas.clientWidth));
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.used / 6);
    }

    ring(center, radius, u, v) {
        let before = add(center, scale(u, radius));
        for (let k = 1; k <= RING; k++) {
            const a = (2 * Math.PI * k) / RING;
            const next = add(center, add(scale(u, radius * Math.cos(a)), scale(v, radius * Math.sin(a))));
            this.put(before, next);
            before = next;
        }
    }

    box(low, high) {
        const corner = (c) => [0, 1, 2].map((k) => (c & (1 << k) ? high[k] : low[k]));
        for (let c = 0; c < 8; c++)
            for (let k = 0; k < 3; k++) if (!(c & (1 << k))) this.put(corner(c), corner(c | (1 << k)));
    }

    drawPicked(stage, picked) {
        const center = three(picked.attributes.position);
        const [right, above] = [stage.camera.right(), stage.camera.above()];
        const r = stage.frame.radius;
        this.begin();
        this.ring(center, r * 1.6, right, above);
        this.ring(center, picked.radius, right, above);
        this.end(stage, [1, 0.82, 0.2, 1]);
        this.begin();
        for (const other of picked.neighbors ?? []) {
            const p = three(other);
            this.put(center, p);
            this.ring(p, r * 0.7, right, above);
        }
        this.end(stage, [1, 0.55, 0.2, 0.9]);
        if (picked.cell) {
            const [a, b] = [three(picked.cell.low), three(picked.cell.high)];
            this.begin();
            this.box(a, b);
            this.end(stage, [0.85, 0.4, 1, 1]);
            // Neighbours are in this cell and the cells around it.
            const flat = stage.scene.dim === 2 ? 0 : picked.radius;
            const wide = [picked.radius, picked.radius, flat];
            this.begin();
            this.box(a.map((v, k) => v - wide[k]), b.map((v, k) => v + wide[k]));
            this.end(stage, [0.85, 0.4, 1, 0.45]);
        }
        this.arrow(stage, center, picked.attributes.velocity, [0.25, 0.95, 0.55, 1]);
        this.arrow(stage, center, picked.attributes.acceleration, [1, 0.3, 0.35, 1]);
    }

    // A direction as an arrow of fixed length.
    arrow(stage, from, value, ink, reach = stage.frame.radius * 12) {
        const v = three(value);
        const size = Math.hypot(...v);
        if (!(size > 0)) return;
        const along = scale(v, reach / size);
        const tip = add(from, along);
        const side = scale(unit(cross(along, stage.camera.forward())), reach * 0.12);
        this.begin();
        this.put(from, tip);
        this.put(tip, add(add(from, scale(along, 0.75)), side));
        this.put(tip, add(add(from, scale(along, 0.75)), scale(side, -1)));
        this.end(stage, ink);
    }

    // The direction of gravity, from the middle of the domain, with a ring that is level in the scene.
    drawGravity(stage, gravity) {
        const middle = scale(add(stage.scene.low, stage.scene.high), 0.5);
        const reach = stage.size * 0.16;
        const ink = stage.isDark ? [1, 0.82, 0.3, 1] : [0.75, 0.35, 0, 1];
        const up = stage.camera.up;
        const side = unit(cross(up, stage.camera.forward()));
        this.begin();
        if (stage.scene.dim !== 2) this.ring(middle, reach * 0.7, side, cross(side, up));
        this.end(stage, [...ink.slice(0, 3), 0.5]);
        this.arrow(stage, middle, gravity, ink, reach);
    }

    // Where the pointer tool acts.
    drawHand(stage, hand) {
        this.begin();
        this.ring(hand.position, hand.radius, stage.camera.right(), stage.camera.above());
        this.end(stage, hand.ink);
    }
}
