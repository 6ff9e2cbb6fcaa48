/* Broad phase: which of many moving boxes touch during the next time step, each pair once.
 *
 *     cc boxes.c -o boxes $(pkg-config --cflags --libs runnel)
 *     ./boxes
 */
#include <runnel/broadphase.h>

#include <stdio.h>

#define COUNT 2000u

typedef struct body {
    float low[3], high[3]; /* m */
    float velocity[3];     /* m/s */
} body;

static float random_float(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

int main(void)
{
    static body bodies[COUNT];
    uint32_t state = 1;
    for (uint32_t i = 0; i < COUNT; i++)
        for (int axis = 0; axis < 3; axis++) {
            bodies[i].low[axis] = 10 * random_float(&state);
            bodies[i].high[axis] = bodies[i].low[axis] + 0.1f + 0.3f * random_float(&state);
            bodies[i].velocity[axis] = random_float(&state) - 0.5f;
        }
    rn_boxes boxes = {.low = bodies[0].low,
                      .high = bodies[0].high,
                      .low_stride_bytes = sizeof bodies[0],
                      .high_stride_bytes = sizeof bodies[0],
                      .count = COUNT,
                      .velocity = bodies[0].velocity,
                      .velocity_stride_bytes = sizeof bodies[0],
                      .time_step = 0.1f}; /* s: the box of the whole path counts */
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase *phase = NULL;
    rn_pairs pairs = {0};
    if (rn_broadphase_create(&def, &phase) != RN_OK || rn_broadphase_update(phase, &boxes) != RN_OK ||
        rn_broadphase_find_pairs(phase, &pairs) != RN_OK) {
        fprintf(stderr, "%s\n", rn_last_error());
        rn_broadphase_destroy(phase);
        return 1;
    }
    printf("%llu pairs of %u boxes may touch; the first: %u and %u\n",
           (unsigned long long)pairs.count, COUNT, pairs.pair[0].a, pairs.pair[0].b);
    bool has_any = pairs.count > 0; /* pairs belong to phase: not after the next line */
    rn_broadphase_destroy(phase);
    return has_any ? 0 : 1;
}
