/* The centre line of a colon: from the anus to the caecum, another one for every seed. */
#ifndef RNI_MESH_COLON_LINE_H
#define RNI_MESH_COLON_LINE_H

#include <stdbool.h>
#include <stdint.h>

#define RNI_COLON_POINTS 481u

typedef struct rni_colon_line {
    double at[RNI_COLON_POINTS][3]; /* m, equally spaced along the line */
    double radius[RNI_COLON_POINTS];
    double haustra[RNI_COLON_POINTS]; /* 0: smooth, as in the rectum; 1: deep folds */
    double side[RNI_COLON_POINTS][3]; /* unit, across the line; turns as little as possible */
    double step;                      /* m between points */
} rni_colon_line;

/* variation: 0: the same for every seed; 1: as different as patients are. The tube around the line never meets itself:
 * where the line would come too close or bend too much, it is moved; and if that fails, the variation is
 * reduced. scale: 1 for an adult. */
void rni_colon_line_make(rni_colon_line *line, uint64_t seed, double scale, double variation);
/* Whether the tube is free of itself: bends are wider than its radius, and other parts stay away. */
bool rni_colon_line_is_free(const rni_colon_line *line);

#endif
