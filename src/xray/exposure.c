/* From path lengths to what the detector absorbs: Beer and Lambert over all energies, dose, scatter, noise. */
#include "xray/spectral.h"
#include "xray/xray.h"

#include "base/cpu.h"
#include "base/output.h"
#include "base/pi.h"

#include <math.h>
#include <string.h>

#define KEV 1.602176634e-16 /* J */
#define FEW 40.0            /* photons: fewer are counted one by one */

typedef struct spectral {
    rn_xray *x;
    const rn_xray_beam *beam;
    rni_spectral_table table;
    const float *length[RN_XRAY_MATERIALS]; /* of its materials */
    rni_spectral_fn integrate;
    double open[RNI_SPECTRAL_SUMS];
    double scale;      /* of energies, by the dose */
    double mean;       /* of the primary signal */
    double pixel_area; /* m^2 */
} spectral;

rn_xray_beam rn_xray_beam_default(void)
{
    return (rn_xray_beam){.struct_bytes = sizeof(rn_xray_beam), .scatter_mm = 40, .seed = 1};
}

rn_xray_picture rn_xray_picture_default(void)
{
    return (rn_xray_picture){.struct_bytes = sizeof(rn_xray_picture)};
}

/* --- checks ------------------------------------------------------------------------------------------- */

static rn_result check_table(const float *table, const char *name, uint32_t material)
{
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++)
        if (!(table[e] >= 0) || !isfinite(table[e]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "%s (material %u) is %g at %g keV; it must be finite and not negative",
                            name, material, (double)table[e], e + 0.5);
    return RN_OK;
}

static rn_result check_tables(const rn_xray *x, const rn_xray_beam *beam)
{
    if (!beam->photons) return rni_fail(RN_ERROR_ARGUMENT, "the beam has no photons");
    rn_result result = check_table(beam->photons, "photons", 0);
    for (uint32_t m = 0; m < RN_XRAY_MATERIALS && result == RN_OK; m++) {
        if (!x->is_used[m]) continue;
        if (!beam->attenuation[m])
            return rni_fail(RN_ERROR_ARGUMENT, "material %u is there, but attenuation[%u] is NULL",
                            m, m);
        result = check_table(beam->attenuation[m], "attenuation", m);
    }
    if (result == RN_OK && beam->absorbed) result = check_table(beam->absorbed, "absorbed", 0);
    if (result == RN_OK && beam->kerma) result = check_table(beam->kerma, "kerma", 0);
    return result;
}

static bool is_within(float value, float low, float high)
{
    return value >= low && value <= high;
}

static rn_result check(const rn_xray *x, const rn_xray_beam *beam)
{
    if (beam->struct_bytes != sizeof *beam)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "beam.struct_bytes is %u instead of %zu; begin with rn_xray_beam_default()",
                        beam->struct_bytes, sizeof *beam);
    if (!x->has_view)
        return rni_fail(RN_ERROR_ARGUMENT, "there is no view; call rn_xray_begin() first");
    if (!is_within(beam->dose, 0, 1e12f) || (beam->dose > 0 && !beam->kerma))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "dose is %g nGy; it must be from 0 to 1e12, and needs a kerma table",
                        (double)beam->dose);
    if (!is_within(beam->scatter, 0, 10) || !is_within(beam->scatter_offset, 0, 10) ||
        !is_within(beam->scatter_mm, 1, 1000))
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "scatter is %g, scatter_offset %g, scatter_mm %g; they must be from 0 to 10, 0 "
            "to 10 and 1 to 1000",
            (double)beam->scatter, (double)beam->scatter_offset, (double)beam->scatter_mm);
    if (!is_within(beam->focus_mm, 0, 20) || !is_within(beam->detector_mm, 0, 20))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "focus_mm is %g and detector_mm %g; they must be from 0 to 20",
                        (double)beam->focus_mm, (double)beam->detector_mm);
    return check_tables(x, beam);
}

/* --- Beer and Lambert --------------------------------------------------------------------------------- */

static rn_result prepare(spectral *s)
{
    const rn_xray_beam *beam = s->beam;
    double total = 0;
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) total += (double)beam->photons[e] * (e + 0.5);
    /* Energies that have next to no photons are left out. */
    const double least = 1e-9 * total;
    if (!(total > 0)) return rni_fail(RN_ERROR_ARGUMENT, "the beam has no photons at any energy");
    for (uint32_t m = 0; m < RN_XRAY_MATERIALS; m++)
        if (s->x->is_used[m]) s->length[s->table.materials++] = s->x->length[m].data;
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++) {
        if (!((double)beam->photons[e] * (e + 0.5) > least)) continue;
        const uint32_t n = s->table.energies++;
        const double energy = e + 0.5, share = (double)beam->photons[e] * energy / total;
        const double absorbed = share * (beam->absorbed ? (double)beam->absorbed[e] : 1);
        const double value[RNI_SPECTRAL_SUMS] = {share, absorbed, absorbed * energy,
                                                 beam->kerma ? share * (double)beam->kerma[e] : 0};
        for (uint32_t k = 0; k < RNI_SPECTRAL_SUMS; k++) {
            s->table.weight[n][k] = (float)value[k];
            s->open[k] += value[k];
        }
        uint32_t used = 0;
        for (uint32_t m = 0; m < RN_XRAY_MATERIALS; m++)
            if (s->x->is_used[m]) s->table.attenuation[n][used++] = beam->attenuation[m][e];
    }
    return RN_OK;
}

static rn_result choose_kernel(const rn_xray *x, rni_spectral_fn *kernel)
{
    rn_cpu_level cpu;
    rn_result result = rni_cpu_choose(x->def.cpu, &cpu);
    *kernel = rni_spectral_plain;
#ifdef RNI_X86
    if (result == RN_OK && cpu == RN_CPU_AVX2) *kernel = rni_spectral_avx2;
    if (result == RN_OK && cpu == RN_CPU_AVX512) *kernel = rni_spectral_avx512;
#endif
    return result;
}

static void expose_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const spectral *s = data;
    rn_xray *x = s->x;
    const uint32_t width = x->view.width;
    float length[RN_XRAY_MATERIALS * RNI_SPECTRAL_CHUNK], sum[RNI_SPECTRAL_SUMS][RNI_SPECTRAL_CHUNK];
    double kerma = 0, signal = 0;
    for (uint32_t from = 0; from < width; from += RNI_SPECTRAL_CHUNK) {
        const uint32_t count = width - from < RNI_SPECTRAL_CHUNK ? width - from : RNI_SPECTRAL_CHUNK;
        const size_t at = (size_t)row * width + from;
        memset(length, 0, sizeof length);
        for (uint32_t m = 0; m < s->table.materials; m++)
            memcpy(length + (size_t)m * RNI_SPECTRAL_CHUNK, s->length[m] + at, count * sizeof(float));
        s->integrate(&s->table, length, sum);
        for (uint32_t n = 0; n < count; n++) {
            ((float *)x->energy.data)[at + n] = sum[RNI_SPECTRAL_ENERGY][n];
            ((float *)x->signal.data)[at + n] = sum[RNI_SPECTRAL_SIGNAL][n];
            ((float *)x->quantum.data)[at + n] =
                sum[RNI_SPECTRAL_SIGNAL][n] > 0
                    ? sum[RNI_SPECTRAL_MOMENT][n] / sum[RNI_SPECTRAL_SIGNAL][n]
                    : 0;
            signal += (double)sum[RNI_SPECTRAL_SIGNAL][n];
            if (from + n >= width / 4 && from + n < width - width / 4)
                kerma += (double)sum[RNI_SPECTRAL_KERMA][n];
        }
    }
    double *sums = x->row_sum.data;
    sums[2 * (size_t)row] = signal;
    sums[2 * (size_t)row + 1] = kerma;
}

/* The mean over the picture (place 0) or its middle half (place 1). */
static double mean_of(const rn_xray *x, uint32_t place)
{
    const uint32_t width = x->view.width, height = x->view.height;
    const uint32_t first = place ? height / 4 : 0, end = height - first;
    const double columns = place ? width - 2 * (width / 4) : width;
    const double *sums = x->row_sum.data;
    double sum = 0;
    for (uint32_t row = first; row < end; row++) sum += sums[2 * (size_t)row + place];
    return sum / (columns * (end - first));
}

/* --- dose, scatter and noise -------------------------------------------------------------------------- */

static void scale_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const spectral *s = data;
    const uint32_t width = s->x->view.width;
    float *energy = (float *)s->x->energy.data + (size_t)row * width;
    float *signal = (float *)s->x->signal.data + (size_t)row * width;
    float *removed = (float *)s->x->blurred[0].data + (size_t)row * width;
    const float scale = (float)s->scale, per_open = (float)(1 / s->open[RNI_SPECTRAL_SIGNAL]);
    for (uint32_t c = 0; c < width; c++) {
        const float passed = signal[c] * per_open;
        energy[c] *= scale;
        signal[c] *= scale;
        removed[c] = signal[c] * (passed < 1 ? 1 - passed : 0);
    }
}

static void scatter_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const spectral *s = data;
    const uint32_t width = s->x->view.width;
    float *signal = (float *)s->x->signal.data + (size_t)row * width;
    const float *removed = (const float *)s->x->blurred[0].data + (size_t)row * width;
    const float offset = (float)((double)s->beam->scatter_offset * s->mean);
    for (uint32_t c = 0; c < width; c++) signal[c] += s->beam->scatter * removed[c] + offset;
}

/* Numbers by place instead of by order: the n-th of a pixel, from 0 (excluded) to 1. */
static double uniform(uint64_t seed, uint64_t pixel, uint64_t n)
{
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + pixel * UINT64_C(0x9e3779b97f4a7c15) +
                 n * UINT64_C(0xbf58476d1ce4e5b9) + UINT64_C(0x94d049bb133111eb);
    for (int k = 0; k < 2; k++) {
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
    }
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

/* Photons counted where `mean` are expected: Poisson, normal where there are many. */
static double counted(double mean, uint64_t seed, uint64_t pixel)
{
    const double u = uniform(seed, pixel, 0);
    if (mean > FEW) {
        const double normal = sqrt(-2 * log(u)) * cos(2 * RNI_PI * uniform(seed, pixel, 1));
        return fmax(0, mean + sqrt(mean) * normal);
    }
    double share = exp(-mean), below = share;
    uint32_t n = 0;
    while (u > below && n < 400) {
        n++;
        share *= mean / n;
        below += share;
    }
    return n;
}

static void noise_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const spectral *s = data;
    const uint32_t width = s->x->view.width;
    for (uint32_t c = 0; c < width; c++) {
        const size_t at = (size_t)row * width + c;
        float *signal = (float *)s->x->signal.data + at;
        const double quantum = KEV * (double)((float *)s->x->quantum.data)[at];
        if (!(quantum > 0) || !(*signal > 0)) continue;
        const double photons = (double)*signal * s->pixel_area / quantum;
        *signal = (float)(counted(photons, s->beam->seed, at) * quantum / s->pixel_area);
    }
}

/* A standard deviation at the detector, in pixels. */
static void in_pixels(const rn_xray *x, float mm, double sigma[2])
{
    sigma[0] = (double)(mm / x->view.detector_mm[0]) * x->view.width;
    sigma[1] = (double)(mm / x->view.detector_mm[1]) * x->view.height;
}

static rn_result blur_signal(rn_xray *x, float mm)
{
    if (!(mm > 0)) return RN_OK;
    double sigma[2];
    in_pixels(x, mm, sigma);
    if (sigma[0] > 8 || sigma[1] > 8)
        return rni_xray_blur_wide(x, x->signal.data, x->signal.data, sigma);
    return rni_xray_blur(x, x->signal.data, x->view.width, x->view.height, sigma);
}

static rn_result add_scatter(spectral *s)
{
    rn_xray *x = s->x;
    if (!(s->beam->scatter > 0) && !(s->beam->scatter_offset > 0)) return RN_OK;
    double sigma[2];
    in_pixels(x, s->beam->scatter_mm, sigma);
    rn_result result = rni_xray_blur_wide(x, x->blurred[0].data, x->blurred[0].data, sigma);
    if (result == RN_OK) rni_crew_pieces(x->crew, x->view.height, scatter_row, s);
    return result;
}

/* Effective photons per pixel in the middle of the picture. */
static double quanta_of(const spectral *s)
{
    const rn_xray *x = s->x;
    const uint32_t width = x->view.width, height = x->view.height;
    double sum = 0, count = 0;
    for (uint32_t row = height / 4; row < height - height / 4; row++)
        for (uint32_t c = width / 4; c < width - width / 4; c++) {
            const size_t at = (size_t)row * width + c;
            const double quantum = KEV * (double)((const float *)x->quantum.data)[at];
            count += 1;
            if (quantum > 0)
                sum += (double)((const float *)x->signal.data)[at] * s->pixel_area / quantum;
        }
    return sum / count;
}

static rn_result make_room(rn_xray *x)
{
    rni_buffer *const images[] = {&x->energy, &x->signal, &x->quantum, &x->blurred[0]};
    rn_result result =
        rni_buffer_need(&x->memory, &x->row_sum, 2 * (uint64_t)x->view.height, sizeof(double));
    for (size_t k = 0; k < sizeof images / sizeof *images && result == RN_OK; k++)
        result = rni_buffer_need(&x->memory, images[k], rni_xray_pixels(x), sizeof(float));
    return result;
}

static rn_result expose(spectral *s, rn_xray_picture *full)
{
    rn_xray *x = s->x;
    const rn_xray_beam *beam = s->beam;
    rni_crew_pieces(x->crew, x->view.height, expose_row, s);
    const double kerma = mean_of(x, 1);
    s->scale = 1;
    if (beam->dose > 0) {
        if (!(kerma > 1e-30))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "nothing reaches the middle of the detector; use a higher voltage, or "
                            "check the size of the object: lengths are in metres");
        s->scale = 1e-9 * (double)beam->dose / kerma;
    }
    s->mean = s->scale * mean_of(x, 0);
    rni_crew_pieces(x->crew, x->view.height, scale_row, s);
    rn_result result = add_scatter(s);
    if (result == RN_OK) result = blur_signal(x, beam->focus_mm);
    if (result != RN_OK) return result;
    if (beam->dose > 0) {
        full->quanta = quanta_of(s);
        rni_crew_pieces(x->crew, x->view.height, noise_row, s);
    }
    full->kerma = 1e9 * s->scale * kerma;
    full->open_energy = s->scale * s->open[RNI_SPECTRAL_ENERGY];
    full->open_signal = s->scale * s->open[RNI_SPECTRAL_SIGNAL];
    return blur_signal(x, beam->detector_mm);
}

rn_result rn_xray_expose(rn_xray *x, const rn_xray_beam *beam, rn_xray_picture *picture)
{
    if (!x || !beam || !picture)
        return rni_fail(RN_ERROR_ARGUMENT, "xray, beam and picture must not be NULL");
    rn_result result =
        rni_output_check(picture, RNI_OUTPUT_BYTES(rn_xray_picture, odd_rays), "rn_xray_picture");
    if (result == RN_OK) result = check(x, beam);
    if (result != RN_OK) return result;
    x->has_picture = false;
    spectral s = {.x = x, .beam = beam};
    s.pixel_area = 1e-6 * (double)x->view.detector_mm[0] / x->view.width *
                   (double)x->view.detector_mm[1] / x->view.height;
    rn_xray_picture full = rn_xray_picture_default();
    result = choose_kernel(x, &s.integrate);
    if (result == RN_OK) result = prepare(&s);
    if (result == RN_OK) result = make_room(x);
    if (result == RN_OK) result = expose(&s, &full);
    if (result != RN_OK) return result;
    full.width = x->view.width;
    full.height = x->view.height;
    full.energy = x->energy.data;
    full.signal = x->signal.data;
    full.odd_rays = x->odd_rays;
    x->open_signal = full.open_signal;
    x->has_picture = true;
    rni_output_write(picture, &full, sizeof full);
    return RN_OK;
}
