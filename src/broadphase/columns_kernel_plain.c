/* The hot loops of "layered-columns" in plain C: one lane. */
#include "broadphase/columns.h"

#define KERNEL_NAME rni_column_kernel_plain
#define WIDTH       1u

typedef struct kernel_box {
    float low[3], high[3];
} kernel_box;

static inline kernel_box box_spread(const float low[3], const float high[3])
{
    return (kernel_box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

static inline uint32_t count_below(const float *x, uint32_t left, float at)
{
    (void)left;
    return *x < at;
}

static inline uint32_t run_test(const float *block, uint32_t n, uint32_t p, uint32_t left,
                                const kernel_box *box, bool has_z, uint32_t *inside)
{
    (void)left;
    const float *at = block + p;
    *inside = at[0] <= box->high[0];
    return *inside && at[n] >= box->low[0] && at[2 * (size_t)n] <= box->high[1] &&
           at[3 * (size_t)n] >= box->low[1] &&
           (!has_z || (at[4 * (size_t)n] <= box->high[2] && at[5 * (size_t)n] >= box->low[2]));
}

static inline uint32_t put_pairs(rn_pair *to, uint32_t hits, const uint32_t *index, uint32_t i)
{
    (void)hits;
    *to = i < *index ? (rn_pair){i, *index} : (rn_pair){*index, i};
    return 1;
}

static inline uint32_t put_hits(uint32_t *to, uint32_t hits, const uint32_t *index)
{
    (void)hits;
    *to = *index;
    return 1;
}

#include "broadphase/columns_kernel.h"
