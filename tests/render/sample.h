/* Small pictures, and questions to their pixels. */
#ifndef RNI_TESTS_RENDER_SAMPLE_H
#define RNI_TESTS_RENDER_SAMPLE_H

#include "fact.h"

#include "render/picture.h"

#include <stdlib.h>

/* A picture of 200 x 160 pixels without labels, looking along -z at the origin from 10 m, up y; what
 * is 10 m away has 20 pixels a metre. */
rni_picture sample_front(const float *position, uint32_t count, float radius);

/* Adds or replaces a packed attribute of the frame. */
void sample_put(rni_picture *picture, const char *name, uint32_t components, const float *data);

/* Renders, from malloc; fails the test when that fails. */
uint8_t *sample_render(const rni_picture *picture);

/* Largest difference of a channel between two pixels. */
int sample_contrast(const uint8_t *a, const uint8_t *b);

/* Pixels that differ by more than `contrast` between two pictures of the same size. */
uint32_t sample_differing(const rni_picture *size, const uint8_t *a, const uint8_t *b, int contrast);

/* How blue: blue less red. */
int sample_blue(const rni_picture *picture, const uint8_t *rgba, uint32_t x, uint32_t y);

#endif
