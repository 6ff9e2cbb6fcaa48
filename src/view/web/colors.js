// Colours of the attributes: five tones each, lightness even from end to end (OKLab, Ottosson 2020), as in the
// program's own pictures (src/render/color.c). Attributes without tones of their own share `other`.
const MAPS = {
    density: [[0.93, 0.042, 222], [0.8075, 0.09, 232], [0.685, 0.13, 241], [0.5625, 0.16, 252], [0.44, 0.165, 261]],
    speed: [[0.38, 0.15, 268], [0.525, 0.13, 245], [0.67, 0.115, 200], [0.815, 0.14, 150], [0.96, 0.11, 105]],
    pressure: [[0.94, 0.045, 95], [0.815, 0.125, 75], [0.69, 0.175, 48], [0.565, 0.19, 25], [0.44, 0.15, 350]],
    age: [[0.94, 0.06, 165], [0.815, 0.11, 180], [0.69, 0.105, 215], [0.565, 0.135, 272], [0.44, 0.15, 305]],
};
MAPS.other = [[0.38, 0.12, 310], [0.525, 0.13, 345], [0.67, 0.14, 25], [0.815, 0.13, 65], [0.96, 0.09, 100]];
MAPS.none = MAPS.density.map(() => [0.64, 0.13, 243]);

export const SHADES = 256;

function srgb([l, a, b]) {
    const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
    const linear = [4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
        -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
        -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z];
    return linear.map((v) => {
        const c = Math.min(Math.max(v, 0), 1);
        return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
    });
}

const lab = ([l, c, h]) => [l, c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];

// 256 shades of a map, RGBA. fluids: [{name, color}] of a scene with several, for the attribute `fluid`: one colour each.
export function shades(name, fluids = []) {
    if (name === 'fluid' && fluids.length) return Uint8Array.from({length: SHADES * 4}, (_, k) => {
        const {color} = fluids[Math.floor((Math.floor(k / 4) * fluids.length) / SHADES)];
        return k % 4 === 3 ? 255 : Math.round(255 * color[k % 4]);
    });
    const tones = (MAPS[name] ?? MAPS.other).map(lab);
    const out = new Uint8Array(SHADES * 4);
    for (let k = 0; k < SHADES; k++) {
        const along = (k / (SHADES - 1)) * (tones.length - 1);
        const i = Math.min(Math.floor(along), tones.length - 2);
        const t = along - i;
        out.set(srgb(tones[i].map((v, m) => v + (tones[i + 1][m] - v) * t)), k * 4);
        out[k * 4 + 3] = 255;
    }
    return out;
}
