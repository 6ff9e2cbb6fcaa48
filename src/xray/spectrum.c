/* The spectrum of a tube with a tungsten anode.
 *
 * Bremsstrahlung: every electron slows down in the anode from the peak voltage, by the law of Thomson and Whiddington
 * T^2 = T0^2 - C rho x. An interval dT of its energy adds dT / E photons of every energy E below T (this gives the thick
 * target of Kramers 1923), which are absorbed on the way x / tan(anode angle) out of the anode. C is larger than what
 * straight electrons have, because most turn round near the surface; it is chosen so that behind 2.8 mm of aluminium
 * the half-value layers are those of the radiation qualities RQR 4 to RQR 9 of IEC 61267 within 4 %.
 * Lines: K alpha and K beta of tungsten, their number rising as (U - 1)^1.67 with U = kVp / 69.5 (Green and
 * Cosslett 1968), scaled to about 7 % of all photons at 100 kV behind 2.5 mm of aluminium. */
#include "xray/xray.h"

#include "base/pi.h"

#include <math.h>
#include <string.h>

#define ELECTRON_STEPS 100
#define SLOWING        2.2e6 /* keV^2 cm^2/g: C */
#define TUNGSTEN       19.3  /* g/cm^3 */
#define K_EDGE         69.525
#define LINES_AT_TWICE 13.0 /* photons in lines for U = 2, in the unit of dT / E */

static const struct {
    double energy, share; /* keV; of all K photons */
} LINES[] = {{57.98, 0.287}, {59.32, 0.499}, {67.1, 0.165}, {69.1, 0.049}};

rn_xray_tube rn_xray_tube_default(void)
{
    return (rn_xray_tube){.struct_bytes = sizeof(rn_xray_tube), .kvp = 90, .anode_angle = 12};
}

static bool is_table(const float *table)
{
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++)
        if (!(table[e] >= 0) || !isfinite(table[e])) return false;
    return true;
}

static rn_result check(const rn_xray_tube *tube)
{
    if (tube->struct_bytes != sizeof *tube)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "tube.struct_bytes is %u instead of %zu; begin with rn_xray_tube_default()",
                        tube->struct_bytes, sizeof *tube);
    if (!(tube->kvp >= 20 && tube->kvp <= 150))
        return rni_fail(RN_ERROR_ARGUMENT, "kvp is %g kV; it must be from 20 to 150",
                        (double)tube->kvp);
    if (!(tube->anode_angle >= 5 && tube->anode_angle <= 45))
        return rni_fail(RN_ERROR_ARGUMENT, "anode_angle is %g degrees; it must be from 5 to 45",
                        (double)tube->anode_angle);
    if (tube->filter_count > RN_XRAY_FILTERS)
        return rni_fail(RN_ERROR_ARGUMENT, "there are %u filters; at most %u", tube->filter_count,
                        RN_XRAY_FILTERS);
    if (tube->tungsten && !is_table(tube->tungsten))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "attenuation of tungsten is negative or not finite at some energy");
    for (uint32_t k = 0; k < tube->filter_count; k++)
        if (!tube->filter[k].attenuation || !is_table(tube->filter[k].attenuation) ||
            !(tube->filter[k].thickness >= 0) || !isfinite(tube->filter[k].thickness))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "filter %u needs attenuation and thickness, finite and not negative", k);
    return RN_OK;
}

/* Photons per keV, without filters. */
static double bremsstrahlung(const rn_xray_tube *tube, double energy, double absorption)
{
    const double top = (double)tube->kvp;
    if (energy >= top) return 0;
    const double slope = 1 / tan((double)tube->anode_angle * RNI_PI / 180);
    const double step = (top - energy) / ELECTRON_STEPS;
    double sum = 0;
    for (int n = 0; n < ELECTRON_STEPS; n++) {
        const double t = energy + (n + 0.5) * step;
        const double depth = 0.01 * (top * top - t * t) / (SLOWING * TUNGSTEN); /* m */
        sum += step * exp(-absorption * depth * slope);
    }
    return sum / energy;
}

static double filtered(const rn_xray_tube *tube, uint32_t e)
{
    double sum = 0;
    for (uint32_t k = 0; k < tube->filter_count; k++)
        sum += (double)tube->filter[k].attenuation[e] * (double)tube->filter[k].thickness;
    return exp(-sum);
}

rn_result rn_xray_make_spectrum(const rn_xray_tube *tube, float photons[RN_XRAY_ENERGIES])
{
    if (!tube || !photons) return rni_fail(RN_ERROR_ARGUMENT, "tube and photons must not be NULL");
    rn_result result = check(tube);
    if (result != RN_OK) return result;
    double number[RN_XRAY_ENERGIES] = {0}, total = 0;
    for (uint32_t e = 1; e < RN_XRAY_ENERGIES; e++) {
        const double low = e, high = fmin(e + 1.0, (double)tube->kvp);
        if (high <= low) break;
        const double absorption = tube->tungsten ? (double)tube->tungsten[e] : 0;
        number[e] = (high - low) * bremsstrahlung(tube, 0.5 * (low + high), absorption);
    }
    const double excess = (double)tube->kvp / K_EDGE - 1;
    if (excess > 0) {
        const double lines = LINES_AT_TWICE * pow(excess, 1.67);
        for (size_t k = 0; k < sizeof LINES / sizeof *LINES; k++)
            number[(uint32_t)LINES[k].energy] += lines * LINES[k].share;
    }
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) total += number[e] *= filtered(tube, e);
    if (!(total > 1e-280))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "no photons pass the filters at %g kV; use thinner ones, or more voltage",
                        (double)tube->kvp);
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) photons[e] = (float)(number[e] / total);
    return RN_OK;
}
