/* Colours that colour-blind readers can distinguish. */
#ifndef RNI_PLOT_PALETTE_H
#define RNI_PLOT_PALETTE_H

#include <stdint.h>

#define RNI_COLOR_PAPER "#fcfcfa"
#define RNI_COLOR_INK   "#1f2933"
#define RNI_COLOR_QUIET "#5f6b76" /* labels; contrast 5:1 against the background */
#define RNI_COLOR_GRID  "#e3e6e8"

/* The colour of a series, the first ones from Okabe and Ito (2008); repeats after 8. */
const char *rni_palette_color(uint32_t series);
/* The stroke-dasharray that distinguishes series of the same colour; "none" for the first 8. */
const char *rni_palette_dash(uint32_t series);

typedef struct rni_rgb {
    uint8_t r, g, b;
} rni_rgb;

/* Pale to strong blue for 0 to 1, darkening evenly. */
rni_rgb rni_palette_blue(double amount);

#endif
