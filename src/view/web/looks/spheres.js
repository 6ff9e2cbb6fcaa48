// Every particle a shaded sphere, coloured by an attribute.
import {program, useTexture} from '../gl.js';
import {LIGHT_GLSL, POINT_GLSL, SHADOW_GLSL, setLight} from '../light.js';

let made;

export const spheres = {
    name: 'spheres',
    title: 'Particles',
    hint: 'Each particle a sphere, coloured by an attribute',
    attribute: null,
    shade: 0.85,

    open(gl) {
        made = program(gl, `
            ${POINT_GLSL}
            ${SHADOW_GLSL}
            uniform sampler2D shades;
            uniform vec2 spread;
            out vec3 center;
            out vec3 albedo;
            out float shadow;
            void main() {
                vec3 world = worldPlace();
                vec4 eye = eyePlace(world);
                center = eye.xyz;
                albedo = texture(shades, vec2(clamp((part + spread.x) * spread.y, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
                shadow = 0.25 + 0.75 * shadowAt(world);
                gl_Position = proj * eye;
                gl_PointSize = pointSize(eye);
            }`, `
            in vec3 center, albedo;
            in float shadow;
            out vec4 color;
            uniform mat4 proj, view;
            uniform float radius;
            ${LIGHT_GLSL}
            void main() {
                vec2 p = vec2(gl_PointCoord.x, 1.0 - gl_PointCoord.y) * 2.0 - 1.0;
                float r = dot(p, p);
                if (r > 1.0) discard;
                vec3 n = vec3(p, sqrt(1.0 - r));
                float z = center.z + n.z * radius;
                gl_FragDepth = (proj[2][2] * z + proj[3][2]) / -z * 0.5 + 0.5;
                vec3 world = transpose(mat3(view)) * n;
                vec3 c = lit(albedo, world, shadow);
                vec3 half_way = normalize(mat3(view) * lamp + vec3(0.0, 0.0, 1.0));
                float gleam = max(dot(n, half_way), 0.0);
                gleam *= gleam, gleam *= gleam, gleam *= gleam, gleam *= gleam, gleam *= gleam;
                c += 0.16 * shadow * sun * gleam;
                c *= 0.72 + 0.28 * n.z; // slightly darker towards the edge, so that spheres stand out
                color = vec4(screenColor(c), 1.0);
            }`, ['place', 'part']);
    },

    resize() {},

    draw(stage) {
        const {gl, frame, camera} = stage;
        gl.bindFramebuffer(gl.FRAMEBUFFER, stage.finish.target);
        gl.viewport(0, 0, stage.width, stage.height);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        stage.drawScene();
        if (!frame.count) return;
        gl.useProgram(made.program);
        stage.setPoints(made.at);
        setLight(gl, made.at, stage.theme);
        stage.shadow.use(made.at, 7, 3 * frame.radius);
        useTexture(gl, 0, stage.shades, made.at.shades);
        gl.uniform2fv(made.at.spread, stage.spread.uniform(stage.part));
        stage.drawPoints();
    },
};
