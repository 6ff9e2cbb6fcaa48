// Backdrop, floor, solids and the sides of the domain.
import {FULL_SCREEN, program} from './gl.js';
import {LIGHT_GLSL, SHADOW_GLSL, setLight} from './light.js';
import {IDENTITY, meshCorners, poseMatrix} from './meshes.js';
import {sceneShapes} from './shapes.js';
import {dot, length, scale, sub, unit} from './vector.js';

export const WALLS = [
    {name: 'solid', title: 'Solid'},
    {name: 'glass', title: 'Glass'},
    {name: 'cut', title: 'Cut away'},
    {name: 'lines', title: 'Lines only'},
];

const FLOOR_REACH = 2.2; // sizes of the scene

export class Walls {
    constructor(gl) {
        this.gl = gl;
        this.back = program(gl, FULL_SCREEN, `
            in vec2 uv;
            out vec4 color;
            ${LIGHT_GLSL}
            void main() { color = vec4(screenColor(backdrop(uv.y)), 1.0); }`);
        this.face = program(gl, `
            in vec3 place;
            in vec3 normal;
            uniform mat4 both, pose;
            out vec3 world, side;
            void main() {
                world = (pose * vec4(place, 1.0)).xyz;
                side = mat3(pose) * normal;
                gl_Position = both * vec4(world, 1.0);
            }`, `
            in vec3 world, side;
            out vec4 color;
            uniform vec3 albedo, eye, middle;
            uniform vec2 screen;
            uniform vec4 cut;        // what is in front of this plane is not drawn
            uniform float glass, reach, shade, mesh;
            uniform vec2 half_size;  // of the domain, on the ground
            ${LIGHT_GLSL}
            ${SHADOW_GLSL}
            void main() {
                if (dot(cut.xyz, world) > cut.w) discard;
                vec3 n = normalize(side);
                float shadow = mix(1.0, shadowAt(world), shade);
                vec3 c = lit(albedo, n, shadow) * mix(1.0, 0.86 + 0.14 * shadow, shade);
                float a = 1.0;
                if (reach > 0.0) {
                    vec2 at = world.xz - middle.xz;
                    // The ground is darker beside the domain. Lines show the scale.
                    c *= 1.0 - 0.42 * exp(-9.0 * length(max(abs(at) - half_size, 0.0)) / length(half_size));
                    vec2 part = world.xz / mesh, wide = fwidth(part);
                    vec2 line = 1.0 - smoothstep(0.5 * wide, 1.5 * wide, abs(fract(part - 0.5) - 0.5));
                    c *= 1.0 - 0.13 * max(line.x, line.y) * smoothstep(0.5, 0.1, max(wide.x, wide.y));
                    float far = smoothstep(0.30, 0.95, length(at) / reach);
                    c = mix(c, backdrop(gl_FragCoord.y / screen.y), far);
                }
                if (glass > 0.0) {
                    float facing = abs(dot(n, normalize(eye - world)));
                    a = glass * mix(0.85, 0.16, pow(facing, 0.7));
                }
                color = vec4(screenColor(c), a);
            }`, ['place', 'normal']);
        this.line = program(gl, `
            in vec3 place;
            uniform mat4 both, pose;
            void main() { gl_Position = both * (pose * vec4(place, 1.0)); }`, `
            uniform vec4 ink;
            out vec4 color;
            void main() { color = ink; }`, ['place']);
        this.parts = {};
        for (const name of ['pipes', 'sides', 'floor'])
            this.parts[name] = {triangles: this.store(true), lines: this.store(false)};
        this.meshes = [];
        this.finishes = []; // of the meshes: names, or null
    }

    // Solids, in coordinates of their own: poses of a frame say where they are.
    setMeshes({meshes}) {
        const gl = this.gl;
        for (const {triangles, lines} of this.meshes)
            for (const {vao, buffer} of [triangles, lines]) {
                gl.deleteVertexArray(vao);
                gl.deleteBuffer(buffer);
            }
        this.meshes = meshes.map((mesh) => {
            const made = {triangles: this.store(true), lines: this.store(false)};
            this.fill(made.triangles, meshCorners(mesh));
            this.fill(made.lines, mesh.lines);
            return made;
        });
    }

    store(hasNormals) {
        const gl = this.gl;
        const made = {vao: gl.createVertexArray(), buffer: gl.createBuffer(), count: 0, floats: hasNormals ? 6 : 3};
        gl.bindVertexArray(made.vao);
        gl.bindBuffer(gl.ARRAY_BUFFER, made.buffer);
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 3, gl.FLOAT, false, made.floats * 4, 0);
        if (hasNormals) {
            gl.enableVertexAttribArray(1);
            gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
        }
        gl.bindVertexArray(null);
        return made;
    }

    fill(store, floats) {
        const gl = this.gl;
        gl.bindBuffer(gl.ARRAY_BUFFER, store.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, floats, gl.STATIC_DRAW);
        store.count = floats.length / store.floats;
    }

    frame(scene) {
        const shapes = sceneShapes(scene);
        this.finishes = scene.finishes ?? [];
        for (const name of ['pipes', 'sides'])
            for (const kind of ['triangles', 'lines']) this.fill(this.parts[name][kind], shapes[name][kind]);
        this.size = length(sub(scene.high, scene.low));
        this.middle = scene.low.map((v, k) => (v + scene.high[k]) / 2);
        const r = this.size * FLOOR_REACH;
        const y = scene.low[1] - this.size * 1e-3;
        const [x, , z] = this.middle;
        const c = [[x - r, y, z - r], [x - r, y, z + r], [x + r, y, z + r], [x + r, y, z - r]];
        const floats = scene.dim === 2 ? [] : [c[0], c[1], c[2], c[0], c[2], c[3]].flatMap((p) => [...p, 0, 1, 0]);
        this.fill(this.parts.floor.triangles, new Float32Array(floats));
        this.flat = scene.dim === 2;
        const ten = 10 ** Math.floor(Math.log10(this.size));
        this.mesh = ten / (this.size / ten < 2 ? 10 : this.size / ten < 5 ? 5 : 2);
        this.half = [0, 2].map((k) => (scene.high[k] - scene.low[k]) / 2);
    }

    // kind: 'triangles' or 'lines'; at: uniforms of the program in use.
    drawStore({vao, count}, kind, at, pose) {
        const gl = this.gl;
        if (!count) return;
        gl.uniformMatrix4fv(at.pose, false, pose);
        gl.bindVertexArray(vao);
        gl.drawArrays(kind === 'lines' ? gl.LINES : gl.TRIANGLES, 0, count);
    }

    // A part by name; 'solids' are the meshes where the frame's poses put them, and the pipes; 'opaque' and 'clear' are the
    // solids that are not of glass, and those that are.
    drawPart(name, kind, at, poses) {
        if (this.parts[name]) return this.drawStore(this.parts[name][kind], kind, at, IDENTITY);
        for (const pose of poses) {
            const isClear = this.finishes[pose.mesh] === 'glass';
            if (this.meshes[pose.mesh] && (name === 'solids' || isClear === (name === 'clear')))
                this.drawStore(this.meshes[pose.mesh][kind], kind, at, poseMatrix(pose));
        }
        return name === 'clear' ? undefined : this.drawStore(this.parts.pipes[kind], kind, at, IDENTITY);
    }

    // Sets the uniforms of faces; returns a function that draws a part.
    faces(stage, glass) {
        const gl = this.gl;
        const {at} = this.face;
        const {camera, theme, shadow} = stage;
        gl.useProgram(this.face.program);
        setLight(gl, at, theme);
        shadow.use(at, 7, this.size * 0.004 + 2 * (stage.frame.radius || 0));
        gl.uniformMatrix4fv(at.both, false, camera.both);
        gl.uniform3fv(at.eye, camera.eye);
        gl.uniform3fv(at.middle, this.middle);
        gl.uniform2f(at.screen, stage.width, stage.height);
        gl.uniform1f(at.glass, glass);
        gl.uniform1f(at.mesh, this.mesh);
        gl.uniform2fv(at.half_size, this.half);
        gl.uniform1f(at.shade, this.flat ? 0 : stage.look.shade);
        return (name, albedo, reach, cut) => {
            gl.uniform3fv(at.albedo, albedo);
            gl.uniform1f(at.reach, reach);
            gl.uniform4fv(at.cut, cut);
            this.drawPart(name, 'triangles', at, stage.frame.poses);
        };
    }

    // An upright plane through the target that faces the eye: what is nearer is cut away.
    cutPlane(camera) {
        const away = sub(camera.eye, camera.target);
        const flat = sub(away, scale(camera.up, dot(away, camera.up)));
        const n = unit(length(flat) > 0.05 * length(away) ? flat : away);
        const d = n[0] * camera.target[0] + n[1] * camera.target[1] + n[2] * camera.target[2];
        return [...n, d];
    }

    drawOpaque(stage) {
        const gl = this.gl;
        const {theme, camera} = stage;
        const nowhere = [0, 0, 0, 1];
        gl.disable(gl.DEPTH_TEST);
        gl.disable(gl.BLEND);
        gl.depthMask(true);
        gl.useProgram(this.back.program);
        setLight(gl, this.back.at, theme);
        gl.bindVertexArray(stage.empty);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        gl.enable(gl.DEPTH_TEST);
        gl.enable(gl.CULL_FACE);
        const draw = this.faces(stage, 0);
        draw('floor', theme.floor, this.size * FLOOR_REACH, nowhere);
        if (stage.walls === 'solid' || stage.walls === 'cut') {
            const cut = stage.walls === 'cut' ? this.cutPlane(camera) : nowhere;
            draw('sides', theme.floor.map((v, k) => (v + theme.wall[k]) / 2), 0, nowhere);
            if (stage.walls === 'cut') gl.disable(gl.CULL_FACE);
            draw('opaque', theme.wall, 0, cut);
        }
        gl.disable(gl.CULL_FACE);
        this.drawLines(stage, 'sides', 0.2);
        if (stage.walls === 'lines' || stage.walls === 'glass') this.drawLines(stage, 'solids', 0.3);
    }

    drawLines(stage, name, strength) {
        const gl = this.gl;
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.useProgram(this.line.program);
        gl.uniformMatrix4fv(this.line.at.both, false, stage.camera.both);
        gl.uniform4f(this.line.at.ink, ...stage.theme.line.map((v) => v ** 0.4545), strength);
        this.drawPart(name, 'lines', this.line.at, stage.frame.poses);
        gl.disable(gl.BLEND);
    }

    // After the water: walls in front of it, transparent: vessels of glass, or all.
    drawGlass(stage) {
        const hasClear = this.finishes.includes('glass') && stage.walls !== 'lines';
        if (stage.walls !== 'glass' && !hasClear) return;
        const gl = this.gl;
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.enable(gl.CULL_FACE);
        gl.depthMask(false);
        this.faces(stage, 0.55)(stage.walls === 'glass' ? 'solids' : 'clear', stage.theme.wall, 0, [0, 0, 0, 1]);
        gl.depthMask(true);
        gl.disable(gl.CULL_FACE);
        gl.disable(gl.BLEND);
    }
}
