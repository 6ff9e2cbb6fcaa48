/* The water inside a checkpoint whose checksums were put right by somebody who means harm: it is
 * refused, or it is a state that can go on. */
#include "place.h"

#include "base/random.h"

#include <runnel/fluid.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_fluid *fluid_make(bool is_dry)
{
    rn_fluid *fluid = NULL;
    rn_fluid_def def = rn_fluid_def_default();
    def.spacing = 0.1f;
    def.threads = 1;
    for (int axis = 0; axis < 3; axis++) def.domain_high[axis] = 1;
    if (rn_fluid_create(&def, &fluid) != RN_OK) fail_msg("%s", rn_last_error());
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    pipe.center[0] = pipe.center[1] = pipe.center[2] = 0.5f;
    pipe.direction[0] = 1;
    pipe.radius = 0.15f;
    pipe.speed = 1;
    if (rn_fluid_add_pipe(fluid, &pipe, NULL) != RN_OK) fail_msg("%s", rn_last_error());
    rn_fluid_block block = rn_fluid_block_default();
    block.high[0] = block.high[1] = block.high[2] = 0.4f;
    if (!is_dry && rn_fluid_add_block(fluid, &block, NULL) != RN_OK)
        fail_msg("%s", rn_last_error());
    return fluid;
}

static void changed_states_are_refused_or_go_on(void **state)
{
    (void)state;
    rni_random random = rni_random_make(3);
    rn_fluid *from = fluid_make(false);
    for (int k = 0; k < 5; k++) assert_int_equal(rn_fluid_step(from, NULL), RN_OK);
    uint64_t bytes = rn_fluid_get_state_bytes(from), hash = rn_fluid_get_state_hash(from);
    unsigned char *whole = malloc(bytes), *copy = malloc(bytes);
    assert_true(whole && copy);
    rn_fluid_write_state(from, whole);
    unsigned refused = 0, taken = 0;
    rn_fluid *fluid = fluid_make(true);
    for (unsigned m = 0; m < 1500; m++) {
        uint64_t before = rn_fluid_get_state_hash(fluid);
        memcpy(copy, whole, bytes);
        for (uint32_t k = 1 + rni_random_below(&random, 3); k > 0; k--) {
            uint32_t span = m % 2 ? (uint32_t)bytes : 256; /* every other near the front */
            uint32_t at = rni_random_below(&random, span < bytes ? span : (uint32_t)bytes);
            copy[at] = (unsigned char)(m % 3 ? rni_random_below(&random, 256) : 0xff);
        }
        uint64_t length = m % 5 ? bytes : rni_random_below(&random, (uint32_t)bytes);
        if (rn_fluid_read_state(fluid, copy, length) == RN_OK) {
            (void)rn_fluid_step(fluid, NULL); /* may fail, must not break */
            rn_fluid_particles p = rn_fluid_get_particles(fluid);
            for (uint32_t i = 0; i < p.count; i++)
                assert_true(isfinite(p.position[i][0]) && isfinite(p.velocity[i][1]));
            taken++;
        } else {
            assert_true(rn_last_error()[0] != 0);
            assert_int_equal(rn_fluid_get_state_hash(fluid), before); /* as it was */
            refused++;
        }
    }
    rn_fluid_destroy(fluid);
    print_message("%u refused, %u went on\n", refused, taken);
    rn_fluid *back = fluid_make(true);
    assert_int_equal(rn_fluid_read_state(back, whole, bytes), RN_OK);
    assert_int_equal(rn_fluid_get_state_hash(back), hash);
    rn_fluid_destroy(back);
    rn_fluid_destroy(from);
    free(whole);
    free(copy);
}

/* Every field of a state that no run can have left is refused with a sentence that names it. */
static void forged_fields_are_refused_by_name(void **state)
{
    (void)state;
    rn_fluid *fluid = fluid_make(false);
    for (int k = 0; k < 5; k++) assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
    uint64_t bytes = rn_fluid_get_state_bytes(fluid), hash = rn_fluid_get_state_hash(fluid);
    uint32_t count = rn_fluid_get_particles(fluid).count;
    unsigned char *whole = malloc(bytes), *copy = malloc(bytes);
    assert_true(whole && copy);
    rn_fluid_write_state(fluid, whole);
    /* The head, one pipe, and the entries of position, velocity, id, birth and previous density; then the arrays. */
    const size_t entries = 80 + 24, position = entries + 5 * 32,
                 velocity = position + 12 * (size_t)count, id = velocity + 12 * (size_t)count,
                 birth = id + 4 * (size_t)count, density = birth + 4 * (size_t)count;
    assert_int_equal(bytes, density + 4 * (size_t)count);
    const float nan_f = NAN, minus = -1, later = 1e6f, huge = 2e9f;
    const double nan_d = (double)NAN, back = -1, long_way = 1e300, zero_d = 0;
    const uint64_t many = 1ull << 60, none = 0;
    uint32_t id_of_first, more = count + 1;
    const uint32_t six = 6, eight = 8;
    memcpy(&id_of_first, whole + id, 4);
    const struct {
        size_t at, bytes;
        const void *value;
        const char *word;
    } forged[] = {
        {0, 4, "RNS9", "RNS9"},
        {0, 4, "RNS2", "the state has format RNS2"},
        {0, 4, "RNS2", "reads RNS5: run the scene again"},
        {0, 4, "PNG ", "do not begin with RNS5"},
        {8, 4, &more, "particles"},
        {12, 4, &more, "ids"},
        {16, 8, &nan_d, "time is"},
        {16, 8, &back, "time is"},
        {16, 8, &long_way, "time is"},
        {16, 8, &zero_d, "time is 0"},
        {24, 8, &none, "after 0 steps"},
        {24, 8, &many, "steps"},
        {32, 8, &many, "that came"},
        {40, 8, &many, "that left"},
        {48, 4, &nan_f, "last step"},
        {48, 4, &later, "last step 1e+06 s"},
        {72, 4, &nan_f, "speed_expected"},
        {72, 4, &minus, "speed_expected"},
        {64, 4, &more, "bytes where its head says"},
        {64, 4, &six, "attribute"},
        {68, 4, &eight, "flags are 8"},
        {80, 8, &nan_d, "pipe 0 has travelled"},
        {88, 8, &many, "pipe 0 has poured"},
        {96, 8, &nan_d, "pipe 0 has a pressure"},
        {entries, 8, "charm\0\0", "has an attribute \"charm\""},
        {entries, 24, "velocity\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "lacks the attribute \"position\""},
        {entries + 24, 4, &six, "\"position\" has 3 components of type 6"},
        {entries + 28, 4, &six, "bytes where its head says"},
        {position + 4, 4, &nan_f, "particle 0 is not finite: its position"},
        {position + 4, 4, &huge, "particle 0 is outside"},
        {velocity + 8, 4, &huge, "particle 0 is faster than"},
        {velocity + 8, 4, &nan_f, "particle 0 is not finite: its velocity"},
        {id, 4, &more, "particle 0 has id"},
        {id + 4, 4, &id_of_first, "both have id"},
        {birth, 4, &nan_f, "particle 0 is not finite: its birth"},
        {birth, 4, &minus, "particle 0 was born at -1 s"},
        {birth, 4, &later, "particle 0 was born at 1e+06 s"},
        {density + 4, 4, &nan_f, "particle 1 is not finite: its previous_density"},
        {density + 4, 4, &minus, "particle 1 has a density of -1"},
        {density + 4, 4, &none, "density of 0 kg/m^3; scheme corrected has 500 to 2000"}};
    for (size_t k = 0; k < sizeof forged / sizeof *forged; k++) {
        memcpy(copy, whole, bytes);
        memcpy(copy + forged[k].at, forged[k].value, forged[k].bytes);
        if (rn_fluid_read_state(fluid, copy, bytes) == RN_OK)
            fail_msg("forged field %zu was taken", k);
        if (!strstr(rn_last_error(), forged[k].word))
            fail_msg("field %zu: '%s' does not say '%s'", k, rn_last_error(), forged[k].word);
        assert_int_equal(rn_fluid_get_state_hash(fluid), hash);
    }
    assert_int_equal(rn_fluid_read_state(fluid, whole, bytes), RN_OK);
    rn_fluid_destroy(fluid);
    free(whole);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_states_are_refused_or_go_on),
                                       cmocka_unit_test(forged_fields_are_refused_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
