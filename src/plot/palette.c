#include "plot/palette.h"

static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#e69f00", "#56b4e9", "#333333", "#8c564b"};
static const char *const dashes[] = {"none", "7 4", "2 3", "9 3 2 3"};

#define COLOR_COUNT (sizeof colors / sizeof *colors)
#define DASH_COUNT  (sizeof dashes / sizeof *dashes)

const char *rni_palette_color(uint32_t series)
{
    return colors[series % COLOR_COUNT];
}

const char *rni_palette_dash(uint32_t series)
{
    return dashes[series / COLOR_COUNT % DASH_COUNT];
}

rni_rgb rni_palette_blue(double amount)
{
    static const double stops[][3] = {
        {206, 230, 247}, {141, 199, 236}, {70, 153, 217}, {23, 104, 186}, {10, 62, 138}};
    const uint32_t stop_count = sizeof stops / sizeof *stops;
    double last = (double)(stop_count - 1);
    double place = (amount > 0 ? (amount < 1 ? amount : 1) : 0) * last; /* a NaN becomes 0 */
    uint32_t low = (uint32_t)place < (uint32_t)last ? (uint32_t)place : (uint32_t)last - 1;
    double part = place - (double)low;
    double rgb[3];
    for (int k = 0; k < 3; k++)
        rgb[k] = stops[low][k] + (stops[low + 1][k] - stops[low][k]) * part + 0.5;
    return (rni_rgb){(uint8_t)rgb[0], (uint8_t)rgb[1], (uint8_t)rgb[2]};
}
