// A surface in screen space: depth of spheres, smoothed within a narrow range of depths so that edges stay (after Truong
// and Yuksel 2018), normals from it, thickness by summation; then Fresnel reflection of a plain sky, refraction of
// the background, and absorption, also of the light on its way down into the water. Spray, which has a low
// density, is white.
import {COLOR, DEPTH, FULL_SCREEN, GlError, program, target, texture, useTexture} from '../gl.js';
import {LIGHT_GLSL, POINT_GLSL, setLight} from '../light.js';

const TAPS = 10;       // on each side, in each direction
const FEW_TAPS = 5;    // without a graphics card, while things move
// Passes of smoothing: reach in radii, and in pixels at most. The last uses every pixel, to hide the gaps between the taps
// of the others.
const ROUNDS = [[7, 60], [3.5, 30], [3.5, TAPS]];
const SWELL = 1.45;    // spheres are drawn larger by this factor, so that they form a closed surface
const made = {};

const BALL = `
    ${POINT_GLSL}
    out vec3 center;
    out float torn;
    uniform vec2 density; // of the frame's low and high end, in parts of that at rest
    void main() {
        vec4 eye = eyePlace(worldPlace());
        center = eye.xyz;
        torn = 1.0 - smoothstep(0.50, 0.74, mix(density.x, density.y, part));
        gl_Position = proj * eye;
        gl_PointSize = pointSize(eye);
    }`;

const DEPTH_OF_BALL = `
    in vec3 center;
    out float depth;
    uniform mat4 proj;
    uniform float radius;
    void main() {
        vec2 p = gl_PointCoord * 2.0 - 1.0;
        float r = dot(p, p);
        if (r > 1.0) discard;
        float z = center.z + sqrt(1.0 - r) * radius;
        depth = z;
        gl_FragDepth = (proj[2][2] * z + proj[3][2]) / -z * 0.5 + 0.5;
    }`;

const THICKNESS = `
    in vec3 center;
    in float torn;
    out vec2 thick; // total, and the share of spray
    uniform float radius;
    void main() {
        vec2 p = gl_PointCoord * 2.0 - 1.0;
        float r = dot(p, p);
        if (r > 1.0) discard;
        thick = 2.0 * radius * sqrt(1.0 - r) * vec2(1.0, torn);
    }`;

// Depths are negative; 0: no water. Of a pair at equal distance both count or none, so that the surface does not lean.
const smoothing = (taps) => `
    in vec2 uv;
    out float depth;
    uniform sampler2D depths;
    uniform ivec2 along;
    uniform float reach, pixels, narrow, most; // most: pixels
    void main() {
        ivec2 here = ivec2(gl_FragCoord.xy);
        ivec2 last = textureSize(depths, 0) - 1;
        float z = texelFetch(depths, here, 0).r;
        depth = z;
        if (z == 0.0) return;
        float wide = min(reach * pixels / -z, most);
        if (wide < 1.0) return;
        int count = int(min(ceil(wide), ${taps}.0));
        float jump = wide / float(count);
        float low = z - narrow, high = z + narrow;
        float sum = z, weights = 1.0;
        for (int k = 1; k <= ${taps}; k++) {
            if (k > count) break;
            int d = int(float(k) * jump + 0.5);
            ivec2 at = here + along * d, against = here - along * d;
            if (any(lessThan(min(at, against), ivec2(0))) || any(greaterThan(max(at, against), last))) break;
            float a = texelFetch(depths, at, 0).r;
            float b = texelFetch(depths, against, 0).r;
            if (a == 0.0 || b == 0.0 || a > high || b > high) continue;
            bool open = a >= low && b >= low;
            float w = exp(-4.5 * float(k * k) / float((count + 1) * (count + 1)));
            sum += w * (max(a, low) + max(b, low));
            weights += 2.0 * w;
            if (open) { // a slope may go on: the range follows it
                low = min(low, min(a, b) - narrow);
                high = max(high, max(a, b) + narrow);
            }
        }
        depth = sum / weights;
    }`;

const COMPOSE = `
    in vec2 uv;
    out vec4 color;
    uniform sampler2D depths, thicknesses, behind, behindDepth;
    uniform mat4 proj, view;
    uniform sampler2D lightDepth;
    uniform mat4 shadowView;
    uniform float size, bright, grain, deep, flatScene;
    ${LIGHT_GLSL}
    vec3 eyeAt(ivec2 p, float z) {
        vec2 ndc = (vec2(p) + 0.5) / vec2(textureSize(depths, 0)) * 2.0 - 1.0;
        return vec3(ndc.x * -z / proj[0][0], ndc.y * -z / proj[1][1], z);
    }
    // The flatter of both sides, so that an edge does not bend the normal.
    vec3 slope(ivec2 here, ivec2 step, vec3 middle, float most) {
        float a = texelFetch(depths, here + step, 0).r, b = texelFetch(depths, here - step, 0).r;
        bool hasA = a != 0.0 && abs(a - middle.z) < most, hasB = b != 0.0 && abs(b - middle.z) < most;
        if (hasA && hasB) return eyeAt(here + step, a) - eyeAt(here - step, b);
        if (hasA) return eyeAt(here + step, a) - middle;
        if (hasB) return middle - eyeAt(here - step, b);
        return vec3(step, 0.0) * middle.z * -1e-3;
    }
    // Powers are slow without a graphics card; products replace them.
    vec3 linear(vec3 c) { return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878); }
    float power4(float x) { return x * x * x * x; }
    vec3 sky(vec3 d) {
        float up = clamp(d.y, -1.0, 1.0);
        vec3 zenith = mix(vec3(0.20, 0.38, 0.70), vec3(0.25, 0.48, 0.85), bright);
        vec3 rim = mix(vec3(0.55, 0.72, 0.90), vec3(0.92, 0.96, 1.0), bright);
        vec3 ground = mix(vec3(0.03, 0.05, 0.08), vec3(0.42, 0.45, 0.47), bright);
        vec3 c = up > 0.0 ? mix(rim, zenith, sqrt(up)) : mix(rim, ground, min(-up * 3.0, 1.0));
        float toLamp = max(dot(d, lamp), 0.0);
        // A soft light beside the sun makes the surface look wet.
        float wide = power4(toLamp), narrow = power4(power4(power4(wide)));
        return c + 1.6 * wide * wide * wide * toLamp * toLamp + 6.0 * narrow * narrow;
    }
    void main() {
        ivec2 here = ivec2(gl_FragCoord.xy);
        float z = texelFetch(depths, here, 0).r;
        float wall = texelFetch(behindDepth, here, 0).r;
        vec3 plain = texelFetch(behind, here, 0).rgb;
        float water = z == 0.0 ? 1.0 : (proj[2][2] * z + proj[3][2]) / -z * 0.5 + 0.5;
        if (water >= wall) {
            color = vec4(plain, 1.0);
            gl_FragDepth = wall;
            return;
        }
        gl_FragDepth = water;
        vec3 middle = eyeAt(here, z);
        vec3 n = normalize(cross(slope(here, ivec2(1, 0), middle, grain), slope(here, ivec2(0, 1), middle, grain)));
        vec3 v = normalize(middle);
        if (dot(n, v) > 0.0) n = -n;
        // Five samples, so that single spheres do not show; the thickness is at least that of a drop.
        vec2 apart = grain * 0.5 * proj[1][1] / -z * vec2(proj[0][0] / proj[1][1], 1.0) * 0.5;
        vec2 sum = 2.0 * texture(thicknesses, uv).rg;
        sum += texture(thicknesses, uv + vec2(apart.x, 0.0)).rg + texture(thicknesses, uv - vec2(apart.x, 0.0)).rg;
        sum += texture(thicknesses, uv + vec2(0.0, apart.y)).rg + texture(thicknesses, uv - vec2(0.0, apart.y)).rg;
        sum /= 6.0;
        float rim = smoothstep(0.02, 0.30, sum.r / grain); // edges of spheres are not edges of the water
        float thick = max(max(sum.r, 0.6 * grain) / size, flatScene * 0.035);
        mat3 back = transpose(mat3(view));
        vec3 world = back * n;

        vec2 aside = n.xy * min(thick * 1.6, 0.07);
        vec2 there = clamp(uv + aside, vec2(0.001), vec2(0.999));
        if (texture(behindDepth, there).r < water) there = uv;
        vec3 through = linear(texture(behind, there).rgb);

        // Distance that the light has travelled through water.
        vec3 lamped = (shadowView * vec4(back * (middle - view[3].xyz), 1.0)).xyz * 0.5 + 0.5;
        float way = 0.0;
        for (int k = 0; k < 4; k++) {
            vec2 off = (vec2(k & 1, k >> 1) - 0.5) * 2.0 * grain / deep;
            way += max(lamped.z - texture(lightDepth, lamped.xy + off).r, 0.0);
        }
        way = flatScene > 0.5 ? 0.0 : max(way * 0.25 * deep - 0.5 * grain, 0.0) / size;

        vec3 pass = exp(-thick * vec3(70.0, 19.0, 9.0));
        vec3 sunk = exp(-way * vec3(16.0, 6.5, 3.6));
        float facing = max(dot(world, lamp), 0.0);
        vec3 light = 0.50 * fill * (0.45 + 0.55 * sunk) + sun * (0.16 + 0.74 * facing * facing) * sunk;
        vec3 body = mix(vec3(0.010, 0.23, 0.56), vec3(0.012, 0.30, 0.68), bright) * light;
        vec3 inside = through * pass + body * (1.0 - pass);

        float front = clamp(dot(-v, n), 0.0, 1.0);
        float fresnel = 0.04 + 0.96 * power4(1.0 - front) * (1.0 - front);
        vec3 mirrored = back * reflect(v, n);
        float veil = smoothstep(0.0, 0.012, thick); // a thin film reflects less than a pool
        vec3 c = mix(inside, sky(mirrored), fresnel * mix(0.35, 1.0, veil));
        vec3 middleWay = normalize(lamp - back * v);
        float gleam = max(dot(world, middleWay), 0.0);
        float soft = power4(power4(gleam)), sharp = power4(soft);
        c += sun * veil * sunk.b * (1.1 * sharp * sharp * sharp + 0.10 * soft);

        float spray = sum.g / grain;
        spray = spray / (spray + 0.55) * exp(-4.0 * max(sum.r - sum.g, 0.0) / grain);
        vec3 white = vec3(0.86, 0.93, 0.97) * (fill * 0.9 + sun * (0.25 + 0.55 * facing));
        c = mix(c, white, min(spray, 0.82));
        color = vec4(mix(plain, screenColor(c), rim), 1.0);
    }`;

export const water = {
    name: 'water',
    title: 'Water',
    hint: 'A surface that reflects, refracts and absorbs; spray is white',
    attribute: 'density',
    shade: 0.6,

    open(gl) {
        if (!gl.depthFormat) throw new GlError('this browser cannot draw into float textures');
        made.depth = program(gl, BALL, DEPTH_OF_BALL, ['place', 'part']);
        made.thickness = program(gl, BALL, THICKNESS, ['place', 'part']);
        made.coarse = gl.isSoftware ? program(gl, FULL_SCREEN, smoothing(FEW_TAPS)) : null;
        made.fine = null; // made when it is first needed
        made.compose = program(gl, FULL_SCREEN, COMPOSE);
        made.owned = [];
    },

    resize({gl, width, height}) {
        for (const old of made.owned) (old instanceof WebGLTexture ? gl.deleteTexture(old) : gl.deleteFramebuffer(old));
        made.behind = texture(gl, width, height, COLOR(gl), gl.LINEAR);
        made.behindDepth = texture(gl, width, height, DEPTH(gl));
        made.depths = [0, 1].map(() => texture(gl, width, height, gl.depthFormat));
        // Thickness is smooth: half the resolution is enough.
        made.half = [Math.ceil(width / 2), Math.ceil(height / 2)];
        made.thick = texture(gl, ...made.half, gl.sumFormat, gl.LINEAR);
        const thickDepth = texture(gl, ...made.half, DEPTH(gl));
        const ballDepth = texture(gl, width, height, DEPTH(gl));
        made.scene = target(gl, made.behind, made.behindDepth);
        made.into = [target(gl, made.depths[0], ballDepth), target(gl, made.depths[1], null)];
        made.thickTarget = target(gl, made.thick, thickDepth);
        made.owned = [made.behind, made.behindDepth, ...made.depths, made.thick, thickDepth, ballDepth, made.scene, ...made.into,
            made.thickTarget];
    },

    draw(stage) {
        const {gl} = stage;
        gl.viewport(0, 0, stage.width, stage.height);
        gl.bindFramebuffer(gl.FRAMEBUFFER, made.scene);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        stage.drawScene();
        this.drawDepth(stage);
        this.drawThickness(stage);
        this.smooth(stage);
        this.compose(stage);
    },

    drawDepth(stage) {
        const {gl, frame} = stage;
        gl.bindFramebuffer(gl.FRAMEBUFFER, made.into[0]);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.enable(gl.DEPTH_TEST);
        gl.useProgram(made.depth.program);
        stage.setPoints(made.depth.at, SWELL);
        if (frame.count) stage.drawPoints();
    },

    drawThickness(stage) {
        const {gl, frame, part} = stage;
        gl.bindFramebuffer(gl.READ_FRAMEBUFFER, made.scene);
        gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, made.thickTarget);
        gl.blitFramebuffer(0, 0, stage.width, stage.height, 0, 0, ...made.half, gl.DEPTH_BUFFER_BIT, gl.NEAREST); // walls hide water
        gl.bindFramebuffer(gl.FRAMEBUFFER, made.thickTarget);
        gl.viewport(0, 0, ...made.half);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.depthMask(false);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE);
        gl.useProgram(made.thickness.program);
        stage.setPoints(made.thickness.at, 1.2);
        gl.uniform1f(made.thickness.at.pixels, stage.pixels / 2);
        const rest = stage.scene.scene?.fluid?.rest_density || 1000;
        const range = part?.name === 'density' ? [part.from / rest, part.to / rest] : [1, 1];
        gl.uniform2fv(made.thickness.at.density, range);
        if (frame.count) stage.drawPoints();
        gl.disable(gl.BLEND);
        gl.depthMask(true);
        gl.viewport(0, 0, stage.width, stage.height);
    },

    smooth(stage) {
        const {gl, frame} = stage;
        const isFine = !made.coarse || stage.isFine;
        if (isFine) made.fine ??= program(gl, FULL_SCREEN, smoothing(TAPS));
        const {program: smooth, at} = isFine ? made.fine : made.coarse;
        gl.disable(gl.DEPTH_TEST);
        gl.useProgram(smooth);
        gl.uniform1f(at.pixels, stage.pixels);
        gl.uniform1f(at.narrow, frame.radius * 4);
        gl.bindVertexArray(stage.empty);
        const rounds = isFine ? ROUNDS.length : 2;
        for (let k = 0; k < 2 * rounds; k++) {
            const from = k % 2;
            gl.bindFramebuffer(gl.FRAMEBUFFER, made.into[1 - from]);
            const [reach, most] = ROUNDS[k >> 1];
            gl.uniform1f(at.reach, frame.radius * reach);
            gl.uniform1f(at.most, most);
            gl.uniform2i(at.along, from === 0 ? 1 : 0, from === 0 ? 0 : 1);
            useTexture(gl, 0, made.depths[from], at.depths);
            gl.drawArrays(gl.TRIANGLES, 0, 3);
        }
    },

    compose(stage) {
        const {gl, camera, frame} = stage;
        const {at} = made.compose;
        gl.bindFramebuffer(gl.FRAMEBUFFER, stage.finish.target);
        gl.enable(gl.DEPTH_TEST);
        gl.depthFunc(gl.ALWAYS);
        gl.useProgram(made.compose.program);
        setLight(gl, at, stage.theme);
        gl.uniformMatrix4fv(at.proj, false, camera.proj);
        gl.uniformMatrix4fv(at.view, false, camera.view);
        gl.uniform1f(at.size, stage.size);
        gl.uniform1f(at.grain, (frame.radius || 0.01) * 3);
        gl.uniform1f(at.bright, stage.isDark ? 0 : 1);
        useTexture(gl, 0, made.depths[0], at.depths);
        useTexture(gl, 1, made.thick, at.thicknesses);
        useTexture(gl, 2, made.behind, at.behind);
        useTexture(gl, 3, made.behindDepth, at.behindDepth);
        gl.uniform1f(at.flatScene, stage.scene.dim === 2 ? 1 : 0);
        stage.shadow.useDepths(at, 4);
        gl.bindVertexArray(stage.empty);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        gl.depthFunc(gl.LESS);
        stage.shadow.endDepths(4);
    },
};
