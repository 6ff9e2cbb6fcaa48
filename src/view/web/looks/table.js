// The looks. A look is an object with
//   name, title, hint   its name in links, on its button, and the help below
//   attribute           the attribute that it shows; null: the one that the user chooses, with a legend
//   shade               how dark its shadows are, 0 to 1
//   open(gl)            compiles what it needs; throws GlError when this browser cannot
//   resize(stage)       the picture has a new size
//   draw(stage)         the whole picture but glass and overlays, into stage.finish.target
// stage: gl, frame, part (the shown attribute, or null), camera, scene, theme, isDark, isFine, shadow, spread, width, height, size (m), pixels, shades (texture),
// setPoints(at, swell), drawPoints(), drawScene(), empty (a vertex array without arrays, for FULL_SCREEN).
// docs/adding-a-look.md adds one step by step.
import {spheres} from './spheres.js';
import {water} from './water.js';

export const LOOKS = [spheres, water];
