/* Gaussian blurs: along rows, then along columns; wide ones on a smaller picture. */
#include "xray/xray.h"

#include <math.h>
#include <string.h>

#define REACH_MAX 64  /* pixels on each side */
#define WIDEST    8.0 /* pixels: standard deviations that are not made smaller first */

typedef struct blur {
    const float *from;
    float *to;
    uint32_t width, height;
    uint32_t from_width, from_height;
    int reach;
    float weight[REACH_MAX + 1];
} blur;

static void choose_weights(blur *b, double sigma)
{
    b->reach = (int)ceil(3 * sigma);
    if (b->reach > REACH_MAX) b->reach = REACH_MAX;
    double sum = 0;
    for (int n = 0; n <= b->reach; n++) {
        const double value = sigma > 0 ? exp(-0.5 * n * n / (sigma * sigma)) : 1;
        b->weight[n] = (float)value;
        sum += n ? 2 * value : value;
    }
    for (int n = 0; n <= b->reach; n++) b->weight[n] = (float)((double)b->weight[n] / sum);
}

static uint32_t within(int64_t place, uint32_t count)
{
    return place < 0 ? 0 : place >= (int64_t)count ? count - 1 : (uint32_t)place;
}

static void along_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const blur *b = data;
    const float *from = b->from + (size_t)row * b->width;
    float *to = b->to + (size_t)row * b->width;
    for (uint32_t c = 0; c < b->width; c++) {
        float sum = b->weight[0] * from[c];
        for (int n = 1; n <= b->reach; n++)
            sum += b->weight[n] *
                   (from[within((int64_t)c - n, b->width)] + from[within((int64_t)c + n, b->width)]);
        to[c] = sum;
    }
}

static void along_columns(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const blur *b = data;
    const float *from = b->from + (size_t)row * b->width;
    float *to = b->to + (size_t)row * b->width;
    for (uint32_t c = 0; c < b->width; c++) to[c] = b->weight[0] * from[c];
    for (int n = 1; n <= b->reach; n++) {
        const float *above = b->from + (size_t)within((int64_t)row - n, b->height) * b->width;
        const float *below = b->from + (size_t)within((int64_t)row + n, b->height) * b->width;
        for (uint32_t c = 0; c < b->width; c++) to[c] += b->weight[n] * (above[c] + below[c]);
    }
}

rn_result rni_xray_blur(rn_xray *x, float *picture, uint32_t width, uint32_t height,
                        const double sigma[2])
{
    rn_result result =
        rni_buffer_need(&x->memory, &x->blurred[1], (uint64_t)width * height, sizeof(float));
    if (result != RN_OK) return result;
    blur b = {.from = picture, .to = x->blurred[1].data, .width = width, .height = height};
    choose_weights(&b, sigma[0]);
    rni_crew_pieces(x->crew, height, along_row, &b);
    b.from = x->blurred[1].data;
    b.to = picture;
    choose_weights(&b, sigma[1]);
    rni_crew_pieces(x->crew, height, along_columns, &b);
    return RN_OK;
}

/* --- wide blurs --------------------------------------------------------------------------------------- */

static void shrink_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const blur *b = data;
    for (uint32_t c = 0; c < b->width; c++) {
        uint64_t left, right, top, bottom;
        rni_share(b->from_width, c, b->width, &left, &right);
        rni_share(b->from_height, row, b->height, &top, &bottom);
        float sum = 0;
        for (uint64_t y = top; y < bottom; y++)
            for (uint64_t n = left; n < right; n++) sum += b->from[y * b->from_width + n];
        b->to[(size_t)row * b->width + c] = sum / (float)((right - left) * (bottom - top));
    }
}

static void grow_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const blur *b = data;
    const float step[2] = {(float)b->from_width / (float)b->width,
                           (float)b->from_height / (float)b->height};
    const float y = ((float)row + 0.5f) * step[1] - 0.5f, low_y = floorf(y);
    const float *above = b->from + (size_t)within((int64_t)low_y, b->from_height) * b->from_width;
    const float *below = b->from + (size_t)within((int64_t)low_y + 1, b->from_height) * b->from_width;
    for (uint32_t c = 0; c < b->width; c++) {
        const float at = ((float)c + 0.5f) * step[0] - 0.5f, low = floorf(at);
        const uint32_t left = within((int64_t)low, b->from_width);
        const uint32_t right = within((int64_t)low + 1, b->from_width);
        const float up = above[left] + (at - low) * (above[right] - above[left]);
        const float down = below[left] + (at - low) * (below[right] - below[left]);
        b->to[(size_t)row * b->width + c] = up + (y - low_y) * (down - up);
    }
}

static uint32_t smaller(uint32_t count, double sigma)
{
    const double wanted = ceil(count * fmin(1, WIDEST / sigma));
    return wanted < 1 ? 1 : (uint32_t)wanted;
}

rn_result rni_xray_blur_wide(rn_xray *x, const float *from, float *to, const double sigma[2])
{
    const uint32_t width = x->view.width, height = x->view.height;
    const uint32_t small[2] = {smaller(width, sigma[0]), smaller(height, sigma[1])};
    rn_result result =
        rni_buffer_need(&x->memory, &x->small, (uint64_t)small[0] * small[1], sizeof(float));
    if (result != RN_OK) return result;
    blur b = {.from = from, .to = x->small.data, .width = small[0], .height = small[1]};
    b.from_width = width;
    b.from_height = height;
    rni_crew_pieces(x->crew, small[1], shrink_row, &b);
    const double scaled[2] = {sigma[0] * small[0] / width, sigma[1] * small[1] / height};
    result = rni_xray_blur(x, x->small.data, small[0], small[1], scaled);
    if (result != RN_OK) return result;
    b = (blur){.from = x->small.data, .to = to, .width = width, .height = height};
    b.from_width = small[0];
    b.from_height = small[1];
    rni_crew_pieces(x->crew, height, grow_row, &b);
    return RN_OK;
}
