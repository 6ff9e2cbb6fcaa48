// Vectors as arrays of 3, matrices as Float32Array(16) in columns, as WebGL takes them.
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
    a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => {
    const l = length(a);
    return l > 0 ? scale(a, 1 / l) : [0, 1, 0];
};
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
// 2D scenes name two numbers.
export const three = (a) => [a?.[0] ?? 0, a?.[1] ?? 0, a?.[2] ?? 0];

// a turned by angle (radians) about a unit axis.
export function turned(a, axis, angle) {
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    return add(add(scale(a, c), scale(cross(axis, a), s)), scale(axis, dot(axis, a) * (1 - c)));
}

export function lookAt(out, eye, target, up) {
    const z = unit(sub(eye, target));
    const x = unit(cross(up, z));
    const y = cross(z, x);
    out.set([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
        -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
    return out;
}

export function perspective(out, tanHalf, aspect, near, far) {
    out.fill(0);
    out[0] = 1 / (tanHalf * aspect);
    out[5] = 1 / tanHalf;
    out[10] = (far + near) / (near - far);
    out[11] = -1;
    out[14] = (2 * far * near) / (near - far);
    return out;
}

export function orthographic(out, half, near, far) {
    out.fill(0);
    out[0] = out[5] = 1 / half;
    out[10] = 2 / (near - far);
    out[14] = (far + near) / (near - far);
    out[15] = 1;
    return out;
}

export function multiply(out, a, b) {
    for (let c = 0; c < 4; c++)
        for (let r = 0; r < 4; r++) {
            let sum = 0;
            for (let k = 0; k < 4; k++) sum += a[k * 4 + r] * b[c * 4 + k];
            out[c * 4 + r] = sum;
        }
    return out;
}
