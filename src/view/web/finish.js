// The last pass: the picture goes to the canvas with smooth edges. Spheres cut out of squares and walls have aliased
// edges that multisampling does not smooth; so edges are detected by contrast and blended along (after Lottes, FXAA,
// 2009). A grain below one shade keeps dark skies from banding.
import {COLOR, DEPTH, FULL_SCREEN, program, target, texture, useTexture} from './gl.js';

const SMOOTH = `
    in vec2 uv;
    out vec4 color;
    uniform sampler2D picture;
    uniform vec2 texel;
    const float FAINT = 0.045;  // contrast that is no edge
    const float REACH = 8.0;    // pixels along an edge
    float light(vec3 c) { return dot(c, vec3(0.299, 0.587, 0.114)); }
    float grain(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))) - 0.5; }
    void main() {
        ivec2 p = ivec2(gl_FragCoord.xy), last = textureSize(picture, 0) - 1;
        ivec2 low = max(p - 1, ivec2(0)), high = min(p + 1, last);
        vec3 here = texelFetch(picture, p, 0).rgb;
        float m = light(here);
        float nw = light(texelFetch(picture, ivec2(low.x, high.y), 0).rgb), ne = light(texelFetch(picture, high, 0).rgb);
        float sw = light(texelFetch(picture, low, 0).rgb), se = light(texelFetch(picture, ivec2(high.x, low.y), 0).rgb);
        float least = min(m, min(min(nw, ne), min(sw, se)));
        float most = max(m, max(max(nw, ne), max(sw, se)));
        vec3 c = here;
        if (most - least > max(FAINT, most * 0.11)) {
            vec2 along = vec2((sw + se) - (nw + ne), (sw + nw) - (se + ne));
            float slack = max((nw + ne + sw + se) * 0.03, 0.008);
            along = clamp(along / (min(abs(along.x), abs(along.y)) + slack), -REACH, REACH) * texel;
            vec3 near = 0.5 * (texture(picture, uv - along / 6.0).rgb + texture(picture, uv + along / 6.0).rgb);
            vec3 wide = 0.5 * near + 0.25 * (texture(picture, uv - along * 0.5).rgb + texture(picture, uv + along * 0.5).rgb);
            float w = light(wide);
            c = w < least || w > most ? near : wide; // too far: something else was met
        }
        vec2 off = uv - 0.5;
        c *= 1.0 - 0.15 * dot(off, off) * 2.0 * smoothstep(0.2, 0.8, dot(off, off) * 2.0);
        color = vec4(c + grain(gl_FragCoord.xy) / 255.0, 1.0);
    }`;

export class Finish {
    constructor(gl) {
        this.gl = gl;
        this.smooth = program(gl, FULL_SCREEN, SMOOTH);
        this.owned = [];
    }

    resize(width, height) {
        const {gl} = this;
        for (const old of this.owned) (old instanceof WebGLTexture ? gl.deleteTexture(old) : gl.deleteFramebuffer(old));
        this.color = texture(gl, width, height, COLOR(gl), gl.LINEAR);
        const depth = texture(gl, width, height, DEPTH(gl));
        this.target = target(gl, this.color, depth);
        this.owned = [this.color, depth, this.target];
        this.texel = [1 / width, 1 / height];
    }

    draw(stage) {
        const {gl} = this;
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        gl.viewport(0, 0, stage.width, stage.height);
        gl.disable(gl.DEPTH_TEST);
        gl.disable(gl.BLEND);
        gl.useProgram(this.smooth.program);
        gl.uniform2fv(this.smooth.at.texel, this.texel);
        useTexture(gl, 0, this.color, this.smooth.at.picture);
        gl.bindVertexArray(stage.empty);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
}
