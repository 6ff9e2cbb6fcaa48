/* Radiographs of particles, walls and a body around them.
 *
 * Job:    what is in the picture, of which substance, seen by which tube and detector -> grey values, transmitted
 *         energy, and notes as a DICOM file would have them.
 * Input:  particles and meshes in the world, m. A mesh whose triangles look inwards is hollow: the fluid is in it.
 * Order:  rni_radiograph_create (tube, substances), then rni_radiograph_take for each moment, then the writers.
 * Rules:  hollow meshes are full of gas and lie in tissue, if there is a body; particles and films replace gas.
 * Next:   substance.h (attenuation), body.h (torso, bones), radiograph.c, notes.c (files).
 */
#ifndef RNI_RADIOGRAPH_RADIOGRAPH_H
#define RNI_RADIOGRAPH_RADIOGRAPH_H

#include <runnel/xray.h>

typedef enum rni_radiograph_body {
    RNI_BODY_AUTO = 0, /* around a hollow mesh that has the size of a colon */
    RNI_BODY_NONE = 1,
    RNI_BODY_ADULT = 2 /* torso, spine and pelvis, in any case */
} rni_radiograph_body;
const char *rni_radiograph_body_name(uint32_t place); /* NULL past the last */

/* Where rays come from: a row of directions. */
const char *rni_radiograph_rays_name(uint32_t place); /* "front", "back", ...; NULL past the last */

/* Start from rni_radiograph_def_default(). */
typedef struct rni_radiograph_def {
    uint32_t threads;
    float kvp;                     /* kV */
    float aluminium_mm, copper_mm; /* filters */
    float screen_mm;               /* caesium iodide of the detector */
    /* nGy at the detector behind the object; 0: no noise; negative: 25, and as many photons in pixels below 1 mm */
    float dose;
    float scatter, scatter_offset;                        /* runnel/xray.h */
    float source_image_mm, source_object_mm, detector_mm; /* 0: chosen so that everything fits */
    uint32_t rays;                                        /* of rni_radiograph_rays_name() */
    const char *fluid, *gas, *wall;                       /* substances */
    float film_mm;                                        /* thickness of the film on a wet wall */
    bool has_film; /* all of a hollow mesh is wet, if the shot does not say how much */
    rni_radiograph_body body;
    const char *volume; /* file with a volume of CT numbers instead of a body; NULL: none */
    rn_xray_display display;
    uint64_t seed;
} rni_radiograph_def;

rni_radiograph_def rni_radiograph_def_default(void);

typedef struct rni_radiograph_object {
    rn_mesh mesh;         /* in the world */
    bool is_organ;        /* hollow, whatever its triangles say */
    const float *wetness; /* 0 to 1 by vertex: share of film_mm; NULL: not known */
} rni_radiograph_object;

/* One moment. Everything is borrowed for the call. */
typedef struct rni_radiograph_shot {
    uint32_t width, height;
    rn_xray_particles particles; /* count 0: none */
    uint32_t object_count;
    const rni_radiograph_object *object;
} rni_radiograph_shot;

typedef struct rni_radiograph rni_radiograph;

rn_result rni_radiograph_create(const rni_radiograph_def *def, rni_radiograph **radiograph);
void rni_radiograph_destroy(rni_radiograph *radiograph); /* NULL is fine */

/* Grey values from 0 (black) to 65535, rows from the top, valid until the next call. */
rn_result rni_radiograph_take(rni_radiograph *radiograph, const rni_radiograph_shot *shot,
                              const uint16_t **gray);

/* Of the last picture: the energy that reaches the detector unscattered, J/m^2, as a NumPy array of 32-bit floats. */
rn_result rni_radiograph_write_raw(const rni_radiograph *radiograph, const char *path);
/* Keywords of DICOM, and what is needed to read the raw file, as JSON. */
rn_result rni_radiograph_write_notes(const rni_radiograph *radiograph, const char *path);

#endif
