#include "fluid/surface_tension.h"

#include "base/pi.h"
#include "fluid/kernels.h"
#include "fluid/passes.h"
#include "fluid/phases.h"
#include "fluid/scheme.h"
#include "fluid/walls.h"

#include <math.h>

/* The kernel k = t^3 (WIDE + NARROW t / h^2), t = h^2 - r^2. Wider ones make the surface stiff like a skin (in 3D
 * the drop of `runnel lab drop` then swings 10 % too fast); with narrower ones, which are those of the pressure,
 * there is no tension. Attraction between all particles, not only those at the surface, freezes a drop. */
#define WIDE   0.4
#define NARROW 0.6
/* Covers where s falls from 1 to 0: only the outermost layer counts. Where the second one does as well (up to 0.97),
 * the tension acts a spacing below the surface: a wave 60 spacings long is 12 % too slow, and the pressure in a
 * drop of 10 spacings 30 % too high. Covers of a scheme whose density is a sum are pressed towards 1. */
#define COVER_LOW         0.88f
#define COVER_HIGH        0.92f
#define COVER_LOW_SUMMED  0.90f
#define COVER_HIGH_SUMMED 1.00f
/* Of the lattice's value: tension of the disordered surface, measured with `runnel lab laplace` and `drop`. */
#define USUAL_RATIO 2.2 /* radius over spacing */
#define MEASURED_2D 1.02
#define MEASURED_3D 1.25
#define BY_RATIO_3D 1.8 /* less for a larger radius */

/* Degrees: the contact angle at a wall that counts as fluid. Above it, less of the wall counts: FILLING less for
 * each degree. Below it, the layer at the wall has s > 0, WETTING for each degree, and the wall draws it; this
 * is weaker with a larger radius. Measured with `runnel lab contact-angle`. */
#define ANGLE_OF_FLUID_2D   82.0f
#define ANGLE_OF_FLUID_3D   15.0f
#define FILLING_2D          0.0041
#define FILLING_STEP_2D     0.17f /* less over the first STEP_WIDTH degrees */
#define STEP_WIDTH          8.0f
#define FILLING_BACK_3D     0.0004f /* more for each degree above BACK_FROM */
#define BACK_FROM           75.0f
#define FILLING_3D          0.0033
#define WETTING             0.0215
#define WETTING_BY_RATIO    1.5
#define FILLING_BY_RATIO    1.2 /* in 2D */
#define FILLING_BY_RATIO_3D 0.8

/* --- the kernel ------------------------------------------------------------------------------------- */

static double kernel(double h, double r_sq)
{
    const double t = h * h - r_sq;
    return t > 0 ? t * t * t * (WIDE + NARROW * t / (h * h)) : 0;
}

/* Sum over the plane of the lattice at distance z. */
static double plane_sum(uint32_t dim, double spacing, double h, double z)
{
    const int reach = (int)ceil(h / spacing), reach_y = dim == 3 ? reach : 0;
    double sum = 0;
    for (int j = -reach_y; j <= reach_y; j++)
        for (int i = -reach; i <= reach; i++)
            sum += kernel(h, (double)(i * i + j * j) * spacing * spacing + z * z);
    return sum;
}

static double lattice_sum(uint32_t dim, double spacing, double h)
{
    double sum = plane_sum(dim, spacing, h, 0);
    for (int k = 1; k * spacing < h; k++) sum += 2 * plane_sum(dim, spacing, h, k * spacing);
    return sum;
}

/* The integral of k, over the volume of a particle: what the sum over neighbours in disorder is. */
static double disordered_sum(uint32_t dim, double spacing, double h)
{
    if (dim == 2) return RNI_PI * pow(h, 8) * (WIDE / 4 + NARROW / 5) / pow(spacing, 2);
    return 4 * RNI_PI * pow(h, 9) * (WIDE * 16 / 315 + NARROW * 128 / 3465) / pow(spacing, 3);
}

double rni_surface_tension_energy(const rn_fluid_def *def, double h)
{
    const double spacing = (double)def->spacing;
    double lack = 0; /* the plane at distance k lacks in k layers */
    for (int k = 1; k * spacing < h; k++) lack += k * plane_sum(def->dim, spacing, h, k * spacing);
    lack /= lattice_sum(def->dim, spacing, h);
    const double ratio = fmin(fmax(h / spacing, 2.0), 2.4);
    const double measured =
        def->dim == 3 ? MEASURED_3D - BY_RATIO_3D * (ratio - USUAL_RATIO) : MEASURED_2D;
    return 1 / (measured * spacing * lack);
}

/* --- walls ------------------------------------------------------------------------------------------ */

/* Part of the cover in a layer of the wall at distance z, per m of its thickness. */
static double layer_cover(uint32_t dim, double h, double z)
{
    enum { STEPS = 200 };
    if (z >= h) return 0;
    const double step = sqrt(h * h - z * z) / STEPS;
    double sum = 0;
    for (int k = 0; k <= STEPS; k++) {
        const double s = k * step, part = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * step / 3;
        sum += part * (dim == 3 ? 2 * RNI_PI * s : 2) * kernel(h, z * z + s * s);
    }
    return sum;
}

/* The layers behind a wall from the apparent distance z of the first on. */
static double layers_cover(uint32_t dim, double spacing, double h, double z)
{
    double sum = 0;
    for (int k = 0; z + k * spacing < h; k++) sum += spacing * layer_cover(dim, h, z + k * spacing);
    return sum;
}

/* The walls' normals, which fall with the distance, tell how near they are: what a wall gives is a table over
 * its normal as a share of that at the wall. */
void rni_surface_tension_prepare(rn_fluid *f)
{
    rni_tension_walls *walls = &f->tension_walls;
    const rni_wall_tables *tables = &f->walls->tables;
    const double spacing = (double)f->def.spacing, h = (double)f->derived.radius;
    const double scale = 1 / (lattice_sum(f->def.dim, spacing, h) * pow(spacing, f->def.dim));
    const double small = 1e-3 * spacing;
    const float most = tables->values[0][RNI_WALL_NORMAL];
    walls->inverse_normal = most > 0 ? 1 / most : 0;
    uint32_t row = RNI_WALL_TABLE;
    for (uint32_t k = 0; k <= RNI_TENSION_TABLE; k++) {
        const float wanted = most * (float)k / RNI_TENSION_TABLE;
        while (row > 0 && tables->values[row][RNI_WALL_NORMAL] < wanted) row--;
        double slope;
        const double z = rni_image_distance((double)row * h / RNI_WALL_TABLE, spacing, &slope);
        const double cover = layers_cover(f->def.dim, spacing, h, z);
        const double beyond = layers_cover(f->def.dim, spacing, h, z + small);
        walls->share[k] = (float)(scale * cover);
        walls->pull[k] = (float)(scale * slope * (cover - beyond) / small);
    }
    const double more = fmin(fmax(h / spacing - USUAL_RATIO, -0.2), 0.2); /* of the radius */
    walls->wetting = (float)(WETTING * (1 + WETTING_BY_RATIO * more));
    walls->filling = (float)(f->def.dim == 3 ? FILLING_3D * (1 + FILLING_BY_RATIO_3D * more)
                                             : FILLING_2D * (1 + FILLING_BY_RATIO * more));
    double slope;
    walls->inverse_share =
        (float)(1 / (scale * layers_cover(f->def.dim, spacing, h,
                                          rni_image_distance(0.5 * spacing, spacing, &slope))));
    walls->share[RNI_TENSION_TABLE + 1] = walls->share[RNI_TENSION_TABLE];
    walls->pull[RNI_TENSION_TABLE + 1] = walls->pull[RNI_TENSION_TABLE];
}

/* What the walls near a particle give. */
typedef struct wall_part {
    float share, pull; /* of the cover; its slope, 1 / m */
    float wetted;      /* s of the layer at a wall that the fluid wets */
    float filled;      /* how much of other walls counts as fluid, up to 1 */
    float away[3];     /* unit, out of the wall */
} wall_part;

static wall_part wall_part_of(const rn_fluid *f, uint32_t i)
{
    const rni_tension_walls *walls = &f->tension_walls;
    const rni_touch *touch = &f->walls->touch[i];
    const float *n = touch->normal;
    wall_part part = {.filled = 1};
    const float length_sq = rni_solid_dot(n, n);
    if (!(length_sq > 0)) return part;
    const float length = sqrtf(length_sq);
    const float place = rni_lower(length * walls->inverse_normal, 1.0f) * RNI_TENSION_TABLE;
    part.share = rni_table_at(walls->share, place);
    part.pull = rni_table_at(walls->pull, place);
    const float angle = rni_solid_dot(touch->wetting, n) / length_sq;
    const bool is_flat = f->def.dim == 2;
    const float more = angle - (is_flat ? ANGLE_OF_FLUID_2D : ANGLE_OF_FLUID_3D);
    part.wetted = rni_higher(-walls->wetting * more, 0.0f);
    const float above = rni_higher(more, 0.0f), step = is_flat ? FILLING_STEP_2D : 0.0f;
    part.filled = 1 - above * walls->filling - step * rni_lower(above / STEP_WIDTH, 1.0f);
    if (!is_flat) part.filled += FILLING_BACK_3D * rni_higher(above - BACK_FROM, 0.0f);
    for (int a = 0; a < 3; a++) part.away[a] = n[a] / length;
    return part;
}

/* --- the stage -------------------------------------------------------------------------------------- */

typedef struct tension_loop {
    rn_fluid *fluid;
    float low, inverse_width, energy; /* energy over rest density: m^2 / s^2 */
    float membrane;                   /* m: from the gradient to the stress, in terms of s */
    bool has_walls;
} tension_loop;

/* s of particle i, whose neighbours give it this cover. */
static float surface_of(const tension_loop *c, uint32_t i, float cover)
{
    const rn_fluid *f = c->fluid;
    float wetted = 0;
    if (c->has_walls && f->walls->share[i] > 0) {
        const wall_part part = wall_part_of(f, i);
        const float at_wall = rni_lower(part.share * f->tension_walls.inverse_share, 1.0f);
        cover += part.filled * part.share, wetted = part.wetted * at_wall;
    }
    const float q = rni_lower(rni_higher(1 - (cover - c->low) * c->inverse_width, 0.0f), 1.0f);
    return q * q * (3 - 2 * q) + wetted;
}

static void find_surface(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const tension_loop *c = data;
    rn_fluid *f = c->fluid;
    for (uint32_t i = begin; i < end; i++) f->surface[i] = surface_of(c, i, f->surface[i]);
}

static void note_numbers(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    rn_fluid *f = data;
    for (uint32_t i = begin; i < end; i++) f->surface[i] = (float)f->fluid_number[i];
}

/* Planes of fluid->interface: numbers 8 to 11 and 12 to 15 of passes/tension.h; the gradient of passes/cover.h. */
enum { FIRST, SECOND, GRADIENT };

static rni_record *plane(const rn_fluid *f, uint32_t k)
{
    return f->interface + (size_t)k * ((size_t)f->now.capacity + RNI_FLUID_PADDING);
}

/* The stress of the interface near particle i, in terms of s: that of a skin, sigma |grad C| (1 - n n), which has no
 * normal part. */
static void find_stress(const tension_loop *c, uint32_t i, float first[4], float second[4])
{
    const rn_fluid *f = c->fluid;
    const float *g = plane(f, GRADIENT)[i];
    const float size = sqrtf(rni_solid_dot(g, g)), inverse = size > 0 ? 1 / size : 0.0f;
    const float across = c->membrane * inverse, all = c->membrane * size;
    first[2] = all - across * g[0] * g[0];
    first[3] = all - across * g[1] * g[1];
    second[0] = f->def.dim == 3 ? all - across * g[2] * g[2] : 0.0f;
    second[1] = -across * g[0] * g[1];
    second[2] = -across * g[0] * g[2];
    second[3] = -across * g[1] * g[2];
}

/* From the covers by fluids and the gradient to what passes/tension.h gathers of several fluids. */
static void find_interfaces(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const tension_loop *c = data;
    rn_fluid *f = c->fluid;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t own = f->fluid_number[i];
        const rni_phase *phase = &f->phase[own];
        float cover = 0, *first = plane(f, FIRST)[i];
        for (uint32_t b = 0; b < f->def.phase_count; b++)
            if (!phase->is_apart[b]) cover += b < 4 ? f->normal[i][b] : f->cohesion[i][b - 4];
        first[0] = phase->law.surface_tension * surface_of(c, i, cover);
        first[1] = (float)own;
        find_stress(c, i, first, plane(f, SECOND)[i]);
    }
}

/* n . Pi n */
static float stress_along(const rn_fluid *f, uint32_t i, const float n[3])
{
    const float *a = plane(f, FIRST)[i], *b = plane(f, SECOND)[i];
    return a[2] * n[0] * n[0] + a[3] * n[1] * n[1] + b[0] * n[2] * n[2] +
           2 * (b[1] * n[0] * n[1] + b[2] * n[0] * n[2] + b[3] * n[1] * n[2]);
}

static void add_walls(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const tension_loop *c = data;
    const rn_fluid *f = c->fluid;
    for (uint32_t i = begin; i < end; i++) {
        if (!(f->walls->share[i] > 0)) continue;
        const wall_part part = wall_part_of(f, i);
        float s = part.filled * (f->ratio ? plane(f, FIRST)[i][0] : f->surface[i]);
        /* An interface goes on behind the wall, in layers that mirror it. */
        if (f->ratio) s += 2 * stress_along(f, i, part.away);
        const float pull = c->energy * part.pull * s;
        for (int a = 0; a < 3; a++) f->cohesion[i][a] -= pull * part.away[a];
    }
}

/* Covers, then what the pass over pairs gathers of them. */
static rni_pass_arrays find_surfaces(tension_loop *loop, const rni_tension_constants *constants)
{
    rn_fluid *f = loop->fluid;
    rni_pass_arrays arrays = {.store = {f->surface}, .constants = constants};
    if (f->ratio) {
        rni_for_particles(f, note_numbers, f);
        arrays.gather[0] = f->surface;
        arrays.store[0] = f->normal[0], arrays.store[1] = f->cohesion[0];
        arrays.store[2] = plane(f, GRADIENT)[0];
    }
    rni_pass_run(f, &rni_pass_cover, &arrays);
    rni_for_particles(f, f->ratio ? find_interfaces : find_surface, loop);
    rni_pass_arrays next = {.store = {f->cohesion[0]}, .constants = constants};
    next.gather[0] = f->ratio ? plane(f, FIRST)[0] : f->surface;
    if (f->ratio) next.gather[1] = plane(f, SECOND)[0];
    return next;
}

static void list_pairs(const rn_fluid *f, rni_tension_constants *constants)
{
    for (uint32_t b = 0; f->ratio && b < f->def.phase_count; b++)
        for (uint32_t a = 0; a < b; a++) {
            const bool is_apart = f->phase[a].is_apart[b];
            const float tension = f->phase[a].interface[b];
            if (tension > 0)
                constants->pair[constants->pair_count++] = (rni_tension_pair){
                    (float)a, (float)b, is_apart ? 0.0f : tension, is_apart ? 0.0f : 1.0f};
        }
}

void rni_stage_surface_tension(rn_fluid *f)
{
    const rn_fluid_params *p = &f->def.params;
    if (!rni_has_surface_energy(p)) return;
    const double h = (double)f->derived.radius, spacing = (double)f->def.spacing,
                 sum = lattice_sum(f->def.dim, spacing, h),
                 disordered = disordered_sum(f->def.dim, spacing, h);
    const double tension = f->ratio ? 1 : (double)p->surface_tension; /* of several: in s */
    const double rest = (double)f->def.rest_density,
                 energy = rni_surface_tension_energy(&f->def, h) * tension / rest;
    const bool is_summed = !f->scheme->keeps_density;
    const float low = is_summed ? COVER_LOW_SUMMED : COVER_LOW;
    const float high = is_summed ? COVER_HIGH_SUMMED : COVER_HIGH;
    tension_loop loop = {.fluid = f,
                         .low = low,
                         .inverse_width = 1 / (high - low),
                         .energy = (float)energy,
                         .has_walls = !rni_has_bare_walls(&f->def)};
    if (f->ratio) loop.membrane = (float)(sum / (disordered * energy * rest));
    rni_tension_constants constants = {
        .wide = (float)WIDE,
        .narrow = (float)(NARROW / (h * h)),
        .wide_slope = (float)(6 * WIDE),
        .narrow_slope = (float)(8 * NARROW / (h * h)),
        .cover = (float)(1 / sum),
        .pull = (float)(energy / sum),
        .gradient = (float)(1 / disordered),
        .has_many = f->def.phase_count > 4,
    };
    list_pairs(f, &constants);
    const rni_pass_arrays arrays = find_surfaces(&loop, &constants);
    rni_pass_run(f, &rni_pass_tension, &arrays);
    if (loop.has_walls) rni_for_particles(f, add_walls, &loop);
}
