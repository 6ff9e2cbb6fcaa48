/* Save a fluid and continue it later: the state as bytes, read into a fluid that was made from the same
 * definition, gives the same results bit for bit.
 *
 *     cc checkpoint_state.c -o checkpoint_state $(pkg-config --cflags --libs runnel)
 *     ./checkpoint_state
 */
#include <runnel/fluid.h>

#include <stdio.h>
#include <stdlib.h>

static rn_fluid *make_tank(void)
{
    rn_fluid_def def = rn_fluid_def_default();
    def.spacing = 0.05f;
    def.domain_high[0] = def.domain_high[1] = def.domain_high[2] = 1;
    rn_fluid *fluid = NULL;
    return rn_fluid_create(&def, &fluid) == RN_OK ? fluid : NULL;
}

static rn_result run(rn_fluid *fluid, double until)
{
    rn_result result = RN_OK;
    while (result == RN_OK && rn_fluid_get_time(fluid) < until) result = rn_fluid_step(fluid, NULL);
    return result;
}

int main(void)
{
    rn_fluid *first = make_tank(), *second = make_tank();
    rn_fluid_block block = rn_fluid_block_default();
    block.high[0] = 0.4f, block.high[1] = 0.6f, block.high[2] = 1;
    if (!first || !second || rn_fluid_add_block(first, &block, NULL) != RN_OK ||
        run(first, 0.1) != RN_OK) {
        fprintf(stderr, "%s\n", rn_last_error());
        return 1;
    }
    /* Write these bytes to a file, with a checksum; solids, pipes and outlets are not part of them. */
    uint64_t bytes = rn_fluid_get_state_bytes(first);
    void *state = malloc(bytes);
    if (!state) return 1;
    rn_fluid_write_state(first, state);
    printf("%llu bytes for %u particles at %.4f s\n", (unsigned long long)bytes,
           rn_fluid_get_particles(first).count, rn_fluid_get_time(first));

    /* The second tank is empty until it reads the state. */
    if (rn_fluid_read_state(second, state, bytes) != RN_OK || run(first, 0.2) != RN_OK ||
        run(second, 0.2) != RN_OK) {
        fprintf(stderr, "%s\n", rn_last_error());
        return 1;
    }
    uint64_t a = rn_fluid_get_state_hash(first), b = rn_fluid_get_state_hash(second);
    printf("hash of both at 0.2 s: %016llx, %016llx\n", (unsigned long long)a, (unsigned long long)b);
    free(state);
    rn_fluid_destroy(first);
    rn_fluid_destroy(second);
    return a == b ? 0 : 1;
}
