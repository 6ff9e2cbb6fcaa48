/* The fluid state inside a checkpoint, modified by an attacker who can compute checksums. A valid
 * state with patches from the input (offset, length, bytes) is either refused with a sentence or
 * continues to run; the same holds for the raw input bytes. */
#include <runnel/fluid.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rn_fluid *make(uint32_t dim)
{
    rn_fluid *fluid = NULL;
    rn_fluid_def def = rn_fluid_def_default();
    def.dim = dim;
    def.spacing = 0.1f;
    def.threads = 1;
    def.max_particles = 500;
    def.open[0][1] = true;
    for (uint32_t a = 0; a < dim; a++) def.domain_high[a] = 1;
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    for (uint32_t a = 0; a < dim; a++) pipe.center[a] = 0.5f;
    pipe.radius = 0.12f, pipe.speed = 3;
    rn_fluid_outlet outlet = rn_fluid_outlet_default();
    for (uint32_t a = 0; a < dim; a++) outlet.low[a] = 0.7f, outlet.high[a] = 0.8f;
    rn_fluid_block block = rn_fluid_block_default();
    for (uint32_t a = 0; a < dim; a++) block.high[a] = 0.4f;
    if (rn_fluid_create(&def, &fluid) != RN_OK || rn_fluid_add_pipe(fluid, &pipe, NULL) != RN_OK ||
        rn_fluid_add_outlet(fluid, &outlet, NULL) != RN_OK ||
        rn_fluid_add_block(fluid, &block, NULL) != RN_OK)
        abort();
    for (int k = 0; k < 20; k++)
        if (rn_fluid_step(fluid, NULL) != RN_OK) abort();
    return fluid;
}

static void try_state(rn_fluid *fluid, const void *bytes, size_t size)
{
    uint64_t before = rn_fluid_get_state_hash(fluid);
    if (rn_fluid_read_state(fluid, bytes, size) != RN_OK) {
        if (!rn_last_error()[0] || rn_fluid_get_state_hash(fluid) != before) abort();
        return;
    }
    for (int k = 0; k < 2; k++)
        if (rn_fluid_step(fluid, NULL) != RN_OK && !rn_last_error()[0]) abort();
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++)
            if (!isfinite(p.position[i][a]) || !isfinite(p.velocity[i][a])) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rn_fluid *fluids[2];
    static uint8_t whole[2][32768];
    static size_t bytes[2];
    for (uint32_t k = 0; k < 2 && !fluids[k]; k++) {
        fluids[k] = make(2 + k);
        bytes[k] = (size_t)rn_fluid_get_state_bytes(fluids[k]);
        if (bytes[k] > sizeof whole[k]) abort();
        rn_fluid_write_state(fluids[k], whole[k]);
    }
    if (size < 1) return 0;
    uint32_t k = data[0] & 1;
    try_state(fluids[k], data + 1, size - 1);
    uint8_t *copy = malloc(bytes[k]);
    if (!copy) return 0;
    memcpy(copy, whole[k], bytes[k]);
    for (size_t at = 1; at + 3 < size;) {
        size_t place = (data[at] | (size_t)data[at + 1] << 8) % bytes[k], length = data[at + 2] % 9;
        for (at += 3; length > 0 && at < size && place < bytes[k]; length--)
            copy[place++] = data[at++];
    }
    try_state(fluids[k], copy, bytes[k]);
    free(copy);
    return 0;
}
