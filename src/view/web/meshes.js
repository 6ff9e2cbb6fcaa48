// Meshes of solids, as the server sends them, made ready to be drawn.
import {cross, sub, unit} from './vector.js';

const corner = (list, k) => [list[3 * k], list[3 * k + 1], list[3 * k + 2]];

// Position and normal of every corner of every triangle: 6 floats each.
export function meshCorners({vertices, normals, indices}) {
    const floats = new Float32Array(6 * indices.length);
    for (let t = 0; t < indices.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => corner(vertices, indices[t + k]));
        const flat = normals ? null : unit(cross(sub(b, a), sub(c, a)));
        [a, b, c].forEach((p, k) => {
            floats.set(p, 6 * (t + k));
            floats.set(flat ?? corner(normals, indices[t + k]), 6 * (t + k) + 3);
        });
    }
    return floats;
}

// A pose as a matrix, column by column.
export function poseMatrix({position, rotation: [x, y, z, w]}) {
    return new Float32Array([
        1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
        2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
        2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
        ...position, 1]);
}

export const IDENTITY = poseMatrix({position: [0, 0, 0], rotation: [0, 0, 0, 1]});
