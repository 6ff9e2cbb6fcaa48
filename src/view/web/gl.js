// WebGL2 helpers that every pass needs.
export class GlError extends Error {}

export function openGl(canvas) {
    const gl = canvas.getContext('webgl2', {
        alpha: false, antialias: false, depth: true, powerPreference: 'high-performance'});
    if (!gl) return null;
    const float = gl.getExtension('EXT_color_buffer_float');
    const half = gl.getExtension('EXT_color_buffer_half_float');
    // Texture formats for depth and thickness of the water; null: the browser has none.
    gl.depthFormat = float ? [gl.R32F, gl.RED, gl.FLOAT] : half ? [gl.R16F, gl.RED, gl.HALF_FLOAT] : null;
    gl.sumFormat = float || half ? [gl.RG16F, gl.RG, gl.HALF_FLOAT] : null;
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    const name = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    gl.isSoftware = /swiftshader|llvmpipe|softpipe|software/i.test(String(name));
    return gl;
}

function shader(gl, type, text) {
    const made = gl.createShader(type);
    gl.shaderSource(made, `#version 300 es\nprecision highp float;\nprecision highp sampler2DShadow;\n${text}`);
    gl.compileShader(made);
    if (!gl.getShaderParameter(made, gl.COMPILE_STATUS) && !gl.isContextLost())
        throw new GlError(gl.getShaderInfoLog(made));
    return made;
}

// A program with its uniforms by name: p.at.radius.
export function program(gl, vertex, fragment, attributes = []) {
    const made = gl.createProgram();
    gl.attachShader(made, shader(gl, gl.VERTEX_SHADER, vertex));
    gl.attachShader(made, shader(gl, gl.FRAGMENT_SHADER, fragment));
    attributes.forEach((name, place) => gl.bindAttribLocation(made, place, name));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost())
        throw new GlError(gl.getProgramInfoLog(made));
    const at = {};
    const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) ?? 0;
    for (let k = 0; k < count; k++) {
        const name = gl.getActiveUniform(made, k).name.replace('[0]', '');
        at[name] = gl.getUniformLocation(made, name);
    }
    return {program: made, at};
}

export const FULL_SCREEN = `
out vec2 uv;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    uv = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;

export function texture(gl, width, height, [inside, format, type], filter = gl.NEAREST) {
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texImage2D(gl.TEXTURE_2D, 0, inside, width, height, 0, format, type, null);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return made;
}

export const DEPTH = (gl) => [gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT];
export const COLOR = (gl) => [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE];

// Something to draw into; color and depth are textures, or null.
export function target(gl, color, depth) {
    const made = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, made);
    if (color) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
    else gl.drawBuffers([gl.NONE]);
    if (depth) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
    return made;
}

export function useTexture(gl, unit, made, place) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.uniform1i(place, unit);
}
