/* Gravity at a time: constant, plus a table, plus a sine, all raised over the ramp. */
#include "base/error.h"
#include "base/pi.h"
#include "fluid/water.h"

#include <math.h>
#include <string.h>

static rn_result check_stops(const rn_fluid_gravity_stop *stops, uint32_t count)
{
    if (count > RN_GRAVITY_MAX_STOPS)
        return rni_fail(RN_ERROR_ARGUMENT, "gravity table: %u stops; there may be %u", count,
                        RN_GRAVITY_MAX_STOPS);
    if (count > 0 && !stops) return rni_fail(RN_ERROR_ARGUMENT, "gravity table: stops is NULL");
    for (uint32_t k = 0; k < count; k++) {
        if (!isfinite(stops[k].time) || (k > 0 && !(stops[k].time > stops[k - 1].time)))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "gravity table: the time of stop %u is %g s; times must ascend", k,
                            stops[k].time);
        for (int a = 0; a < 3; a++)
            if (!(fabsf(stops[k].gravity[a]) <= 1e6f))
                return rni_fail(RN_ERROR_ARGUMENT,
                                "gravity table: gravity[%d] of stop %u is %g; it must be from -1e6 to "
                                "1e6",
                                a, k, (double)stops[k].gravity[a]);
    }
    return RN_OK;
}

rn_result rn_fluid_set_gravity_table(rn_fluid *f, const rn_fluid_gravity_stop *stops, uint32_t count)
{
    rn_result result = check_stops(stops, count);
    if (result != RN_OK) return result;
    result = rni_buffer_need(&f->memory, &f->gravity_table, count, sizeof *stops);
    if (result != RN_OK) return result;
    if (count > 0) memcpy(f->gravity_table.data, stops, count * sizeof *stops);
    f->gravity_stop_count = count;
    return RN_OK;
}

/* Linear between the stops, constant before the first and after the last. */
static void add_table(const rn_fluid *f, double sum[3])
{
    const rn_fluid_gravity_stop *stops = f->gravity_table.data;
    if (f->gravity_stop_count == 0) return;
    uint32_t low = 0, high = f->gravity_stop_count - 1;
    if (f->time <= stops[low].time) high = low;
    if (f->time >= stops[high].time) low = high;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (stops[middle].time <= f->time) low = middle;
        else high = middle;
    }
    double part = 0;
    if (high > low) part = (f->time - stops[low].time) / (stops[high].time - stops[low].time);
    for (int a = 0; a < 3; a++)
        sum[a] += (1 - part) * (double)stops[low].gravity[a] + part * (double)stops[high].gravity[a];
}

void rni_fluid_gravity(const rn_fluid *f, float gravity[3])
{
    const rn_fluid_params *p = &f->def.params;
    double part = 1, ramp = (double)p->gravity_ramp;
    if (f->time < ramp) part = 0.5 - 0.5 * cos(RNI_PI * f->time / ramp);
    if (f->gravity_stop_count == 0 && !(p->gravity_frequency > 0)) {
        for (int a = 0; a < 3; a++) gravity[a] = (float)part * p->gravity[a];
        return;
    }
    double sum[3] = {(double)p->gravity[0], (double)p->gravity[1], (double)p->gravity[2]};
    add_table(f, sum);
    const double turns = (double)p->gravity_frequency * f->time + (double)p->gravity_phase / 360;
    const double wave = p->gravity_frequency > 0 ? sin(2 * RNI_PI * turns) : 0.0;
    for (uint32_t a = 0; a < 3; a++) {
        sum[a] += wave * (double)p->gravity_amplitude[a];
        gravity[a] = a < f->def.dim ? (float)(part * sum[a]) : 0.0f;
    }
}

void rn_fluid_get_gravity(const rn_fluid *f, float gravity[3])
{
    rni_fluid_gravity(f, gravity);
}
