// The lamp, the sky and the shadow that all passes share, and the particles' vertex shader.
import {DEPTH, program, target, texture} from './gl.js';
import {add, length, lookAt, multiply, orthographic, scale, sub, unit} from './vector.js';

// Pixels of the shadow's side; without a graphics card fewer.
const shadowSide = (gl) => (gl.isSoftware ? 512 : 1024);
export const LAMP = unit([0.42, 1, 0.5]);

// Colours in linear light.
export const THEMES = {
    light: {skyTop: [0.33, 0.52, 0.78], skyLow: [0.74, 0.81, 0.88], wall: [0.66, 0.60, 0.53],
        line: [0.10, 0.16, 0.24], floor: [0.70, 0.71, 0.71], sun: 0.78, fill: 0.42},
    dark: {skyTop: [0.003, 0.006, 0.014], skyLow: [0.014, 0.024, 0.044], wall: [0.33, 0.305, 0.275],
        line: [0.55, 0.68, 0.85], floor: [0.052, 0.064, 0.084], sun: 1.05, fill: 0.34},
};

export const LIGHT_GLSL = `
uniform vec3 lamp, skyTop, skyLow;
uniform float sun, fill;
vec3 screenColor(vec3 linear) {
    // sRGB by roots of roots: within 0.003 of the power, and cheap where there is no graphics card.
    vec3 a = sqrt(clamp(linear, 0.0, 1.0)), b = sqrt(a), c = sqrt(b);
    return clamp(0.662002687 * a + 0.684122060 * b - 0.323583601 * c - 0.0225411470 * linear, 0.0, 1.0);
}
vec3 backdrop(float height) { return mix(skyLow, skyTop, smoothstep(0.25, 1.05, height)); }
vec3 lit(vec3 albedo, vec3 normal, float shadow) {
    float up = normal.y * 0.5 + 0.5;
    float facing = max(dot(normal, lamp), 0.0);
    return albedo * (fill * mix(vec3(0.62, 0.66, 0.74), vec3(1.05, 1.08, 1.12), up)
                     + sun * facing * shadow * vec3(1.0, 0.97, 0.92));
}`;

export const SHADOW_GLSL = `
uniform sampler2DShadow shadowMap;
uniform mat4 shadowView;
uniform float shadowBias;
uniform bool coarse; // no graphics card: one sample
float shadowAt(vec3 world) {
    vec3 p = (shadowView * vec4(world, 1.0)).xyz * 0.5 + 0.5;
    if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
    p.z -= shadowBias;
    if (coarse) return texture(shadowMap, p);
    float s = 0.75 / float(textureSize(shadowMap, 0).x);
    return 0.25 * (texture(shadowMap, p + vec3(-s, -s, 0.0)) + texture(shadowMap, p + vec3(s, -s, 0.0))
                 + texture(shadowMap, p + vec3(-s, s, 0.0)) + texture(shadowMap, p + vec3(s, s, 0.0)));
}`;

// Positions are shares of the frame's box; a point is as wide as the particle appears.
export const POINT_GLSL = `
in vec3 place;
in float part;
uniform vec3 low, extent;
uniform mat4 view, proj;
uniform float radius, pixels; // pixels: half the height of the picture times proj[1][1]
vec3 worldPlace() { return low + place * extent; }
vec4 eyePlace(vec3 world) { return view * vec4(world, 1.0); }
float pointSize(vec4 eye) { return max(2.0 * radius * pixels / max(-eye.z, 1e-6), 1.5); }`;

export function setLight(gl, at, theme) {
    gl.uniform3fv(at.lamp, LAMP);
    gl.uniform3fv(at.skyTop, theme.skyTop);
    gl.uniform3fv(at.skyLow, theme.skyLow);
    gl.uniform1f(at.sun, theme.sun);
    gl.uniform1f(at.fill, theme.fill);
}

export class Shadow {
    constructor(gl) {
        this.gl = gl;
        this.side = shadowSide(gl);
        this.map = texture(gl, this.side, this.side, DEPTH(gl), gl.LINEAR);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
        this.target = target(gl, null, this.map);
        // The same map read as plain depths: how far light has gone through the water.
        this.plain = gl.createSampler();
        gl.samplerParameteri(this.plain, gl.TEXTURE_COMPARE_MODE, gl.NONE);
        gl.samplerParameteri(this.plain, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.samplerParameteri(this.plain, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        this.matrix = new Float32Array(16);
        this.points = program(gl, `
            in vec3 place;
            uniform vec3 low, extent;
            uniform mat4 shadowView;
            uniform float size;
            void main() {
                gl_Position = shadowView * vec4(low + place * extent, 1.0);
                gl_PointSize = size;
            }`, `
            void main() {
                vec2 p = gl_PointCoord * 2.0 - 1.0;
                if (dot(p, p) > 1.0) discard;
            }`, ['place']);
        this.walls = program(gl, `
            in vec3 place;
            uniform mat4 shadowView, pose;
            void main() { gl_Position = shadowView * (pose * vec4(place, 1.0)); }`, 'void main() {}', ['place']);
    }

    frame(scene) {
        const half = 0.5 * length(sub(scene.high, scene.low));
        const middle = scale(add(scene.low, scene.high), 0.5);
        const view = lookAt(new Float32Array(16), add(middle, scale(LAMP, 2 * half)), middle, [0, 0, 1]);
        multiply(this.matrix, orthographic(new Float32Array(16), half, half, 3 * half), view);
        this.half = half;
    }

    draw(frame, drawPoints, drawTriangles) {
        const gl = this.gl;
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
        gl.viewport(0, 0, this.side, this.side);
        gl.enable(gl.DEPTH_TEST);
        gl.depthMask(true);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        gl.useProgram(this.walls.program);
        gl.uniformMatrix4fv(this.walls.at.shadowView, false, this.matrix);
        drawTriangles(this.walls.at);
        if (!frame.count) return;
        gl.useProgram(this.points.program);
        gl.uniformMatrix4fv(this.points.at.shadowView, false, this.matrix);
        gl.uniform3fv(this.points.at.low, frame.low);
        gl.uniform3fv(this.points.at.extent, frame.extent);
        gl.uniform1f(this.points.at.size, Math.max((frame.radius / this.half) * this.side * 1.1, 2));
        drawPoints();
    }

    // As depths, into a sampler2D called lightDepth; deep: metres from 0 to 1.
    useDepths(at, unit) {
        const gl = this.gl;
        gl.activeTexture(gl.TEXTURE0 + unit);
        gl.bindTexture(gl.TEXTURE_2D, this.map);
        gl.bindSampler(unit, this.plain);
        gl.uniform1i(at.lightDepth, unit);
        gl.uniformMatrix4fv(at.shadowView, false, this.matrix);
        gl.uniform1f(at.deep, 2 * this.half);
    }

    endDepths(unit) {
        this.gl.bindSampler(unit, null);
    }

    // bias in metres.
    use(at, unit, bias) {
        const gl = this.gl;
        gl.activeTexture(gl.TEXTURE0 + unit);
        gl.bindTexture(gl.TEXTURE_2D, this.map);
        gl.uniform1i(at.shadowMap, unit);
        gl.uniformMatrix4fv(at.shadowView, false, this.matrix);
        gl.uniform1i(at.coarse, gl.isSoftware ? 1 : 0);
        gl.uniform1f(at.shadowBias, bias / (2 * this.half));
    }
}
