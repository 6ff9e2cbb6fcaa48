/* A lock exchange: two fluids side by side in a closed channel; the dense one runs along the floor, the light one along
 * the lid. */
#include "lab/study.h"

#include <math.h>
#include <stdio.h>

#define LENGTH 8.0 /* m, of the channel; the gate is in the middle */
#define HEIGHT 1.0 /* m */
/* Times over sqrt(H / g'): the fronts are fitted between these, after they have formed and before the ends. */
#define FIT_BEGIN 2.0
#define FIT_END   6.0
#define EXACT     0.5 /* front speed over sqrt(g' H), Benjamin 1968, without loss of energy */
/* Of the corrected scheme: the theory has no viscosity, and sound is far faster here than the fronts, which run by a tenth of
 * gravity. With 0.02 the Reynolds number sqrt(g' H) H / nu is 130 at 1:1.1 and 50 mm, and the dense front runs at 0.40.
 * Nothing strikes in a closed channel that is full, so that an eighth is enough. */
#define NUMERICAL_VISCOSITY 0.0025f
/* Share of the height at which a fluid counts as being there, and columns in which that is measured. */
#define THERE 0.1
enum { COLUMNS = 160 };

enum { RATIO, SPACING, PARTICLES, DENSE, LIGHT, COLUMN_COUNT };
static const rni_lab_column columns[COLUMN_COUNT] = {
    {"density_ratio", "density ratio", false, 3}, {"spacing_m", "spacing m", false, 3},
    {"particles", "particles", false, 0},         {"dense_front", "dense front", false, 3},
    {"light_front", "light front", false, 3},
};

typedef struct lock_case {
    double ratio, spacing;
    double front[2]; /* over sqrt(g' H): of the dense and the light fluid */
    uint32_t particles;
} lock_case;

/* A line through the places of a front. */
typedef struct line {
    double n, t, x, tt, tx;
} line;

static void add_point(line *l, double t, double x)
{
    l->n++, l->t += t, l->x += x, l->tt += t * t, l->tx += t * x;
}

static double slope_of(const line *l)
{
    return (l->n * l->tx - l->t * l->x) / (l->n * l->tt - l->t * l->t);
}

/* m from the gate that a fluid has come: in the last column with enough of it, the share that it has there. */
static double front_of(const rn_fluid *fluid, uint32_t phase, double spacing)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    rn_fluid_span numbers;
    if (rn_fluid_get_attribute(fluid, "fluid", &numbers) != RN_OK) return (double)NAN;
    double share[COLUMNS] = {0};
    const double width = LENGTH / COLUMNS, one = spacing * spacing / (width * HEIGHT);
    for (uint32_t i = 0; i < p.count; i++) {
        if (((const uint32_t *)numbers.data)[i] != phase) continue;
        const double x = (double)p.position[i][0], along = phase == 0 ? x : LENGTH - x;
        const uint32_t k = (uint32_t)fmin(fmax(along / width, 0), COLUMNS - 1);
        share[k] += one;
    }
    uint32_t last = COLUMNS - 1;
    while (last > 0 && share[last] < THERE) last--;
    const double next = last + 1 < COLUMNS ? share[last + 1] : 0;
    const double part = (share[last] - THERE) / fmax(share[last] - next, 1e-9);
    return (last + 0.5 + part) * width - LENGTH / 2;
}

typedef struct race {
    const lock_case *lock;
    rni_lab_trace *trace;
    double unit; /* s */
    line fronts[2];
} race;

static rn_result note_fronts(void *user, const rn_fluid *fluid, double seconds)
{
    race *r = user;
    const double time = seconds / r->unit;
    double front[2];
    for (uint32_t phase = 0; phase < 2; phase++) {
        front[phase] = front_of(fluid, phase, r->lock->spacing) / HEIGHT;
        if (time >= FIT_BEGIN) add_point(&r->fronts[phase], time, front[phase]);
    }
    return rni_lab_trace_add(r->trace, time, front[0]);
}

static rn_result exchange(lock_case *c, rn_fluid *fluid, rni_lab_trace *trace)
{
    const double speed = sqrt((1 - 1 / c->ratio) * RNI_LAB_GRAVITY * HEIGHT);
    race r = {.lock = c, .trace = trace, .unit = HEIGHT / speed};
    rn_result result =
        rni_lab_sample(fluid, &(rni_lab_sampling){FIT_END * r.unit, 0.1 * r.unit, note_fronts, &r});
    c->particles = rn_fluid_get_arrays(fluid).count;
    for (uint32_t phase = 0; phase < 2; phase++) c->front[phase] = slope_of(&r.fronts[phase]);
    return result;
}

static rn_result run_case(const rni_lab *lab, void *one, rni_lab_trace *trace)
{
    lock_case *c = one;
    rn_fluid_def def = rni_lab_two_def(lab, c->spacing, (double[]){LENGTH, HEIGHT, 0}, c->ratio);
    if (def.scheme == RN_SCHEME_CORRECTED) def.params.numerical_viscosity = NUMERICAL_VISCOSITY;
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    for (uint32_t k = 0; k < 2 && result == RN_OK; k++) {
        rn_fluid_block block = rn_fluid_block_default();
        block.low[0] = (float)(k * LENGTH / 2);
        block.high[0] = (float)((k + 1) * LENGTH / 2), block.high[1] = HEIGHT;
        block.phase = k;
        result = rn_fluid_add_block(fluid, &block, NULL);
    }
    if (result == RN_OK) result = exchange(c, fluid, trace);
    rn_fluid_destroy(fluid);
    return result;
}

static void name(const void *one, char text[64])
{
    const lock_case *c = one;
    snprintf(text, 64, "1:%g, %g m", c->ratio, c->spacing);
}

static void fill_row(const void *one, rni_lab_table *table)
{
    const lock_case *c = one;
    const double numbers[COLUMN_COUNT] = {c->ratio, c->spacing, c->particles, c->front[0],
                                          c->front[1]};
    rni_lab_table_numbers(table, numbers, COLUMN_COUNT);
}

static void conclude(rni_lab *lab, const void *all, uint32_t count)
{
    const lock_case *cases = all;
    double worst = 0;
    rni_lab_words list = {0};
    for (uint32_t k = 0; k < count; k++) {
        for (int side = 0; side < 2; side++)
            worst = fmax(worst, fabs(cases[k].front[side] / EXACT - 1));
        rni_lab_words_add(&list, "%.3f and %.3f (1:%g, %g m)", cases[k].front[0], cases[k].front[1],
                          cases[k].ratio, cases[k].spacing);
    }
    const char *verdict = rni_lab_verdict(worst <= 0.12, worst <= 0.2);
    rni_lab_conclude(
        lab, verdict,
        "The claim that the fronts of a lock exchange run at 0.5 sqrt(g' H) within 12 %% %s here: the dense "
        "and the light front have %s. Experiments have 0.45 to 0.48 (Shin et al. 2004).",
        verdict, list.text);
}

static rn_result run(rni_lab *lab)
{
    lock_case full[] = {{.ratio = 1.1, .spacing = 0.05},
                        {.ratio = 1.1, .spacing = 0.025},
                        {.ratio = 1.25, .spacing = 0.05},
                        {.ratio = 1.25, .spacing = 0.025}};
    lock_case quick[] = {{.ratio = 1.1, .spacing = 0.05}, {.ratio = 1.25, .spacing = 0.05}};
    return rni_lab_study_run(
        lab,
        &(rni_lab_study){
            columns, COLUMN_COUNT, RNI_LAB_CASES(lab, full, quick), .name = name, .run = run_case,
            .row = fill_row, .conclude = conclude,
            .chart = {.title = "A lock exchange in a channel of 8 m",
                      .subtitle = "front of the dense fluid; without loss of energy: a slope of 0.5",
                      .x_label = "time / sqrt(H / g')",
                      .y_label = "distance from the gate / H"}});
}

const rni_lab_experiment rni_lab_lock_exchange = {
    .name = "lock-exchange",
    .summary = "fronts of a dense and a light fluid that change places in a closed channel",
    .source = "Benjamin 1968, Shin et al. 2004",
    .claim =
        "the fronts of a lock exchange run at 0.5 sqrt(g' H), g' the gravity reduced by the densities, within 12 %",
    .run = run,
};
