/* The body around a colon: torso, spine with ribs, pelvis; made once, moved and scaled to the colon. */
#ifndef RNI_RADIOGRAPH_BODY_H
#define RNI_RADIOGRAPH_BODY_H

#include <runnel/mesh.h>
#include <runnel/xray.h>

enum { RNI_BODY_TORSO, RNI_BODY_SPINE, RNI_BODY_PELVIS, RNI_BODY_PARTS };

typedef struct rni_body {
    rn_mesh_data *mesh[RNI_BODY_PARTS]; /* in the world */
    float low[3], high[3];              /* m: the colon that it was made for */
    float *thickness;                   /* m, by vertex of the largest mesh: scratch of films */
    float *fat;                         /* lumps of fat between the organs: x, y, z */
    uint32_t fat_count;
    float lump;         /* m: side of a cube with the volume of a lump */
    float skin, cortex; /* m: thickness of the fat under the skin, and of hard bone */
} rni_body;

/* Whether something of this size is a colon. */
bool rni_body_suits(const float low[3], const float high[3]);

/* Makes the body for a colon with these bounds; keeps it if they are the same as before. */
rn_result rni_body_fit(rni_body *body, const float low[3], const float high[3]);
void rni_body_release(rni_body *body); /* zero is fine */

/* Materials of the picture, by their number. */
typedef struct rni_body_materials {
    uint32_t fat, tissue, spongiosa, bone;
} rni_body_materials;

rn_result rni_body_add(const rni_body *body, rn_xray *xray, rni_body_materials materials);

#endif
