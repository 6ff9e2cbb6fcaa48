/* Bar and caption. */
#ifndef RNI_RENDER_LABEL_H
#define RNI_RENDER_LABEL_H

#include "render/canvas.h"

/* Pixels that bar and caption take at the foot of the picture. */
float rni_label_height(const rni_picture *picture);

/* The same for the title at its head; 0 without one. */
float rni_title_height(const rni_picture *picture);

/* 1, 2 or 5 times a power of ten, about so large. */
double rni_nice_step(double about);

/* m: side of the squares on the floor. */
float rni_square_side(const rni_canvas *canvas);

#endif
