#include "fact.h"

#include <runnel/geometry.h>

#include "base/random.h"

/* Bit by bit, as the definition says. */
static uint64_t slow_code(const uint32_t *axes, int dim, int bits)
{
    uint64_t code = 0;
    for (int bit = 0; bit < bits; bit++) {
        for (int axis = 0; axis < dim; axis++)
            code |= (uint64_t)(axes[axis] >> bit & 1u) << (bit * dim + axis);
    }
    return code;
}

static void codes_interleave_the_bits_and_come_back(void **state)
{
    (void)state;
    rni_random random = rni_random_make(3);
    for (int k = 0; k < 10000; k++) {
        uint32_t p[3], q[3];
        for (int axis = 0; axis < 3; axis++)
            p[axis] = (uint32_t)rni_random_u64(&random) >> (k % 32);
        uint64_t code = rn_morton2_encode(p[0], p[1]);
        assert_true(code == slow_code(p, 2, 32));
        rn_morton2_decode(code, &q[0], &q[1]);
        assert_memory_equal(p, q, 8);
        for (int axis = 0; axis < 3; axis++) p[axis] &= 0x1fffff;
        code = rn_morton3_encode(p[0], p[1], p[2]);
        assert_true(code == slow_code(p, 3, 21));
        rn_morton3_decode(code, &q[0], &q[1], &q[2]);
        assert_memory_equal(p, q, 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_interleave_the_bits_and_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
