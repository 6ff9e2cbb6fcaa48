#include "bench/wave.h"

#include "bench/layouts.h"

#include "base/error.h"
#include "base/pi.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

#define DROP_COUNT 360u
#define JITTER     0.22

/* The scene in its own unit: a tank 4 long, 1.6 high, 0.5 deep. The wave runs towards larger x. */
static const double tank[3] = {4.0, 1.6, 0.5};

typedef struct drop {
    double x, y, z, radius;
} drop;

typedef struct scene {
    drop drops[DROP_COUNT];
} scene;

/* The tube under the lip, where the air is; it bends along the crest. */
typedef struct tube {
    double x, y, radius;
    double lip_angle; /* how far the lip reaches round the tube, from the top towards the front */
} tube;

static tube tube_at(double z)
{
    double along = z / tank[2];
    return (tube){2.30 + 0.07 * sin(2 * RNI_PI * along), 0.74, 0.37,
                  (104 + 22 * cos(2 * RNI_PI * along)) * RNI_PI / 180};
}

/* Spray: dense and small near the end of the lip, rarer ahead of it and where the lip comes down.
 */
static scene make_scene(void)
{
    scene s;
    rni_random random = rni_random_make(2718);
    for (uint32_t d = 0; d < DROP_COUNT; d++) {
        /* Half of them near the middle, where the picture is cut. */
        double z = tank[2] * (0.5 + (rni_random_unit(&random) - 0.5) * (d % 2 ? 1 : 0.12));
        tube t = tube_at(z);
        double near = rni_random_unit(&random);
        drop *p = &s.drops[d];
        p->z = z;
        if (d % 3) {
            double angle = t.lip_angle + (near * 0.9 - 0.55) * (0.5 + near);
            double r = t.radius * (1.02 + 0.75 * near * rni_random_unit(&random));
            p->x = t.x + r * sin(angle) + 0.10 * near;
            p->y = t.y + r * cos(angle);
            p->radius = 0.010 + 0.026 * (1 - near) * rni_random_unit(&random);
        } else {
            p->x = t.x + t.radius * (0.95 + 0.9 * near * near);
            p->y = 0.36 + 0.34 * rni_random_unit(&random) * (1 - near * 0.6);
            p->radius = 0.010 + 0.020 * rni_random_unit(&random);
        }
    }
    return s;
}

static bool is_in_drop(const scene *s, double x, double y, double z)
{
    for (uint32_t d = 0; d < DROP_COUNT; d++) {
        const drop *p = &s->drops[d];
        double dx = x - p->x;
        double dy = y - p->y;
        double dz = z - p->z;
        if (dx * dx + dy * dy + dz * dz <= p->radius * p->radius) return true;
    }
    return false;
}

static bool is_water(const scene *s, double x, double y, double z)
{
    tube t = tube_at(z);
    double dx = x - t.x;
    double dy = y - t.y;
    double ripple = 0.008 * sin(23 * x + 9 * z) + 0.005 * sin(41 * x - 17 * z);
    double crest = 0.17; /* thickness of the water over the tube */
    bool is_tube = dx * dx + dy * dy < t.radius * t.radius;
    if (dx <= 0) {
        double back = 0.40 + (t.y + t.radius + crest - 0.40) * exp(-dx * dx / (0.85 * 0.85));
        double swell = 0.03 * sin(5.0 * x) * (1 - exp(-dx * dx));
        if (y < back + swell + ripple * fmin(1, -dx * 4)) return !is_tube;
    } else {
        double rise = 0.07 / (1 + exp(-(dx - 0.75) * 9));
        if (y < 0.37 + rise + ripple && !is_tube) return true;
        double angle = atan2(dx, dy) / t.lip_angle;
        double r = sqrt(dx * dx + dy * dy);
        if (angle < 1) {
            double inner = t.radius * (1 + 0.05 * angle);
            double thickness =
                crest * pow(1 - angle, 0.75) + 0.012 * sin(60 * angle + 20 * z) * angle;
            if (r >= inner && r <= inner + thickness) return true;
        }
    }
    return is_in_drop(s, x, y, z);
}

/* Writes the points of the lattice of that spacing, in units of it; with position NULL only counts.
 */
static uint32_t fill(const scene *s, double spacing, float *position)
{
    rni_random random = rni_random_make(31);
    uint32_t count = 0;
    uint32_t cells[3];
    for (int axis = 0; axis < 3; axis++)
        cells[axis] = (uint32_t)fmax(1, floor(tank[axis] / spacing));
    for (uint32_t k = 0; k < cells[2]; k++)
        for (uint32_t j = 0; j < cells[1]; j++)
            for (uint32_t i = 0; i < cells[0]; i++) {
                double x = i + 0.5 + JITTER * (2 * rni_random_unit(&random) - 1);
                double y = j + 0.5 + JITTER * (2 * rni_random_unit(&random) - 1);
                double z = k + 0.5 + JITTER * (2 * rni_random_unit(&random) - 1);
                if (!is_water(s, x * spacing, y * spacing, z * spacing)) continue;
                if (position) {
                    position[3 * (size_t)count] = (float)x;
                    position[3 * (size_t)count + 1] = (float)y;
                    position[3 * (size_t)count + 2] = (float)z;
                }
                count++;
            }
    return count;
}

rn_result rni_wave_make(uint32_t wanted, rni_wave *wave)
{
    scene s = make_scene();
    *wave = (rni_wave){0};
    /* About half of the tank is water; one count tells how much it is. */
    double spacing = cbrt(0.5 * tank[0] * tank[1] * tank[2] / wanted);
    uint32_t count = fill(&s, spacing, NULL);
    if (count > 0) spacing *= cbrt((double)count / wanted);
    count = fill(&s, spacing, NULL);
    wave->position = malloc(((size_t)count * 3 + 1) * sizeof *wave->position);
    if (!wave->position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u points", count);
    wave->count = fill(&s, spacing, wave->position);
    rni_layout_shuffle(wave->position, 3, count, 3);

    double middle = tank[2] / 2;
    tube t = tube_at(middle);
    double lens[3] = {t.x + (t.radius + 0.05) * sin(0.75), t.y + (t.radius + 0.05) * cos(0.75),
                      middle};
    for (int axis = 0; axis < 3; axis++) {
        wave->size[axis] = (float)(tank[axis] / spacing);
        wave->lens[axis] = (float)(lens[axis] / spacing);
    }
    return RN_OK;
}

void rni_wave_release(rni_wave *wave)
{
    free(wave->position);
    *wave = (rni_wave){0};
}
