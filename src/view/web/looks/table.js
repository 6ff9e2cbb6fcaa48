// The looks. A look is an object with name, title, hint, shade (how dark its shadows are), and
//   open(gl)       compiles what it needs; throws GlError when this browser cannot
//   resize(stage)  the picture has another size
//   draw(stage)    the whole picture but glass and overlays, into the canvas (framebuffer null)
// stage: gl, frame, camera, theme, shadow, walls, width, height, shades (texture), drawPoints(), drawScene().
// A new look is a module like spheres.js and a row here.
import {spheres} from './spheres.js';
import {water} from './water.js';

export const LOOKS = [spheres, water];
