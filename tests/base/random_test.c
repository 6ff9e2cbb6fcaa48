#include "fact.h"

#include "base/random.h"

#include <math.h>

static void the_same_seed_gives_the_same_numbers(void **state)
{
    (void)state;
    rni_random a = rni_random_make(42), b = rni_random_make(42), c = rni_random_make(43);
    int equal = 0;
    for (int k = 0; k < 1000; k++) {
        uint64_t number = rni_random_u64(&a);
        assert_true(number == rni_random_u64(&b));
        equal += number == rni_random_u64(&c);
    }
    assert_int_equal(equal, 0);
}

static void numbers_stay_in_their_range_and_fill_it(void **state)
{
    (void)state;
    rni_random random = rni_random_make(1);
    uint32_t seen[7] = {0};
    double sum = 0.0, sum_sq = 0.0;
    for (int k = 0; k < 70000; k++) {
        uint32_t below = rni_random_below(&random, 7);
        assert_true(below < 7);
        seen[below]++;
        double unit = rni_random_unit(&random);
        assert_true(unit >= 0.0 && unit < 1.0);
        float between = rni_random_float(&random, -2.0f, -1.0f);
        assert_true(between >= -2.0f && between < -1.0f);
        double normal = rni_random_normal(&random);
        sum += normal;
        sum_sq += normal * normal;
    }
    for (int k = 0; k < 7; k++) assert_in_range(seen[k], 9600, 10400);
    assert_true(fabs(sum / 70000) < 0.02);
    assert_true(fabs(sum_sq / 70000 - 1.0) < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_numbers),
        cmocka_unit_test(numbers_stay_in_their_range_and_fill_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
