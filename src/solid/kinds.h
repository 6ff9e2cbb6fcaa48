/* The rows of the table, a file each, and what they share. */
#ifndef RNI_SOLID_KINDS_H
#define RNI_SOLID_KINDS_H

#include "base/pi.h"
#include "solid/solid.h"

extern const rni_solid_kind rni_solid_plane;
extern const rni_solid_kind rni_solid_box;
extern const rni_solid_kind rni_solid_sphere;
extern const rni_solid_kind rni_solid_cylinder;
extern const rni_solid_kind rni_solid_capsule;
extern const rni_solid_kind rni_solid_triangles; /* mesh_solid.c */

/* Parameters that several shapes have. */
#define RNI_SOLID_AXIS(text)                                                     \
    {                                                                            \
        "axis", "", RNI_RULE_DIRECTION, false, text, RNI_SOLID_FIELD(axis, 3, 1) \
    }
#define RNI_SOLID_RADIUS                                                                    \
    {                                                                                       \
        "radius", "m", RNI_RULE_POSITIVE, true, "its radius", RNI_SOLID_FIELD(radius, 1, 1) \
    }
#define RNI_SOLID_LENGTH(text)                                                       \
    {                                                                                \
        "length", "m", RNI_RULE_POSITIVE, true, text, RNI_SOLID_FIELD(half, 1, 0.5f) \
    }

/* m: of d along the axis of the definition; in double, for exact_distance. */
double rni_solid_exact_along(const rn_solid *def, const double d[3]);

/* d before the turns of a definition, in degrees about x, then y, then z; in double, for exact_distance. */
void rni_solid_undo_turn(const float turn[3], const double d[3], double out[3]);

#endif
