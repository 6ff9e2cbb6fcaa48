// The looks. A look is an object with
//   name, title, hint   how it is called, in links, on its button and below it
//   attribute           what frames must carry for it; null: what one colours by, with a legend
//   shade               how dark its shadows are, 0 to 1
//   open(gl)            compiles what it needs; throws GlError when this browser cannot
//   resize(stage)       the picture has another size
//   draw(stage)         the whole picture but glass and overlays, into stage.finish.target
// stage: gl, frame, camera, scene, theme, isDark, isFine, shadow, spread, width, height, size (m), pixels, shades (texture),
// setPoints(at, swell), drawPoints(), drawScene(), empty (a vertex array without arrays, for FULL_SCREEN).
// A new look is a module like spheres.js, a row here, and its name in the list of src/view/CMakeLists.txt.
import {spheres} from './spheres.js';
import {water} from './water.js';

export const LOOKS = [spheres, water];
