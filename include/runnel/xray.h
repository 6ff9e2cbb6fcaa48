/* runnel/xray.h - radiographs: what a point source of X-rays and a flat detector see of particles, closed
 * meshes, films on walls and volumes.
 *
 * Does:     sums path lengths per material along the ray of every pixel, applies the polychromatic law of Beer
 *           and Lambert with the spectrum of a tube, adds scatter and quantum noise, and shows the result
 *           through a window. The same bits for any number of threads. After warm-up a picture allocates nothing.
 * Does not: know cross-sections: attenuation by energy is the caller's (the command takes it from xraylib).
 *           Nor follow scattered photons: scatter is a blur and an offset.
 * Smallest use:
 *     rn_xray_def def = rn_xray_def_default();
 *     rn_xray *xray = NULL;
 *     if (rn_xray_create(&def, &xray) != RN_OK) return fail(rn_last_error());
 *     rn_xray_view view = rn_xray_view_default();
 *     rn_xray_part part = {.material = 0, .replaces = RN_XRAY_NOTHING};
 *     rn_xray_beam beam = rn_xray_beam_default();
 *     beam.photons = spectrum, beam.attenuation[0] = water;
 *     rn_xray_picture picture = rn_xray_picture_default();
 *     if (rn_xray_begin(xray, &view) != RN_OK || rn_xray_add_mesh(xray, part, &mesh) != RN_OK ||
 *         rn_xray_expose(xray, &beam, &picture) != RN_OK) return fail(rn_last_error());
 *     show(picture.energy);
 *     rn_xray_destroy(xray);
 *
 * Tables by energy have RN_XRAY_ENERGIES floats: bin e is the photons from e to e + 1 keV, and attenuation is that
 * at its middle. Pictures are rows of pixels from the top. Calls on one object must not overlap in time.
 */
#ifndef RUNNEL_XRAY_H
#define RUNNEL_XRAY_H

#include <runnel/base.h>
#include <runnel/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RN_XRAY_ENERGIES  150u
#define RN_XRAY_MATERIALS 16u
#define RN_XRAY_NOTHING   UINT32_MAX
#define RN_XRAY_FILTERS   4u
#define RN_XRAY_RAMP      8u

/* --- the tube ------------------------------------------------------------------------------------------- */

typedef struct rn_xray_filter {
    const float *attenuation; /* 1/m, by energy */
    float thickness;          /* m */
} rn_xray_filter;

/* A tube with a tungsten anode. Start from rn_xray_tube_default(). */
typedef struct rn_xray_tube {
    uint32_t struct_bytes;
    float kvp;             /* peak voltage, 20 to 150 kV; default 90 */
    float anode_angle;     /* degrees, 5 to 45; default 12 */
    const float *tungsten; /* attenuation of the anode, 1/m, by energy; NULL: no self-absorption */
    uint32_t filter_count;
    rn_xray_filter filter[RN_XRAY_FILTERS];
} rn_xray_tube;

RN_API rn_xray_tube rn_xray_tube_default(void);

/* Photons by energy, their sum 1: bremsstrahlung of a thick target (Kramers 1923) with absorption at the depth
 * where the electrons have slowed down, K lines of tungsten above 69.5 kV, filters by Beer and Lambert. */
RN_API rn_result rn_xray_make_spectrum(const rn_xray_tube *tube, float photons[RN_XRAY_ENERGIES]);

/* --- geometry ------------------------------------------------------------------------------------------- */

typedef struct rn_xray rn_xray;

typedef struct rn_xray_def {
    uint32_t struct_bytes; /* set by rn_xray_def_default(); any other value is refused */
    uint32_t threads;      /* 0: one per processor. With tasks.run: tasks per job */
    rn_cpu_level cpu;      /* default RN_CPU_AUTO; the bits are the same */
    rn_allocator allocator;
    rn_tasks tasks;
    /* Rays through films along each side of a pixel, 1 to 4; default 2: films are thinner than pixels. Everything
     * else has one ray through the middle of the pixel. */
    uint32_t samples;
} rn_xray_def;

RN_API rn_xray_def rn_xray_def_default(void);

/* On failure *xray is NULL and nothing leaks. */
RN_API rn_result rn_xray_create(const rn_xray_def *def, rn_xray **xray);
RN_API void rn_xray_destroy(rn_xray *xray); /* NULL is fine */

/* Source and detector. The central ray meets the middle of the detector at a right angle. */
typedef struct rn_xray_view {
    uint32_t struct_bytes;
    uint32_t width, height; /* pixels, 8 to 8192; default 1024 x 1024 */
    float detector_mm[2];   /* width and height; default 430 x 430 */
    float source_image_mm;  /* from the source to the detector; default 1100 */
    float source_object_mm; /* from the source to `center`; default 850 */
    float center[3];        /* m: on the central ray */
    float direction[3];     /* of the central ray, any length; default -z */
    float up[3];            /* of the picture, any length; default y */
} rn_xray_view;

RN_API rn_xray_view rn_xray_view_default(void);

/* Starts a picture: all path lengths become 0. */
RN_API rn_result rn_xray_begin(rn_xray *xray, const rn_xray_view *view);

/* What an object consists of, below RN_XRAY_MATERIALS, and in what it lies: the path length of that material
 * shrinks by what the object takes. RN_XRAY_NOTHING: it lies in vacuum. */
typedef struct rn_xray_part {
    uint32_t material, replaces;
} rn_xray_part;

/* Borrowed for the call. */
typedef struct rn_xray_particles {
    uint32_t struct_bytes;
    uint32_t count;
    const float *position; /* x, y, z; m; finite */
    size_t stride_bytes;   /* from one position to the next; 0: packed */
    float spacing;         /* m: a particle has the volume spacing^3; positive */
    float radius; /* in spacings: of the kernel that spreads the volume, 0.5 to 8; default 2 */
} rn_xray_particles;

RN_API rn_xray_particles rn_xray_particles_default(void);

/* Path length by the line integral of each particle's kernel (1 - r^2/h^2)^3: 9/(2 pi h^2) (1 - b^2/h^2)^(7/2)
 * times its volume, at the distance b of the ray. Its integral over the picture is the volume of the particles.
 * Kernels smaller than 2 pixels are widened to that. */
RN_API rn_result rn_xray_add_particles(rn_xray *xray, rn_xray_part part,
                                       const rn_xray_particles *particles);

/* Path length from entries to exits of a closed mesh, concave ones and shells inside shells included; a mesh
 * turned inside out counts as if it were not. Where entries and exits of a ray do not match (an open mesh), the
 * length is interpolated between the neighbouring rays of the same row. */
RN_API rn_result rn_xray_add_mesh(rn_xray *xray, rn_xray_part part, const rn_mesh *mesh);

/* A film on the wall: the space between the mesh and the mesh moved against its normals by `thickness` (m, of
 * each vertex, not negative). Along a ray that is thickness / |cos| for a flat wall, and stays finite where the
 * ray touches a curved one. is_outside: the mesh is moved along its normals instead. */
RN_API rn_result rn_xray_add_film(rn_xray *xray, rn_xray_part part, const rn_mesh *mesh,
                                  const float *thickness, bool is_outside);

/* A volume of numbers, such as CT numbers. Borrowed for the call. */
typedef struct rn_xray_volume {
    uint32_t struct_bytes;
    uint32_t count[3];  /* voxels along each axis; at least 1 */
    const float *value; /* x fastest; values that are not finite count as the lowest of the ramp */
    float origin[3];    /* m: middle of the first voxel */
    float axis[3][3];   /* m: from a voxel to the next along each axis; not in one plane */
    /* From values to materials: at value[k] a voxel is `density[k]` of material[k], as a share of the density for
     * which its attenuation is given; between two corners it is a mixture of both, outside the corners the first
     * or the last. Values ascend. */
    uint32_t ramp_count; /* 1 to RN_XRAY_RAMP */
    float ramp_value[RN_XRAY_RAMP];
    float ramp_density[RN_XRAY_RAMP];
    uint32_t ramp_material[RN_XRAY_RAMP]; /* RN_XRAY_NOTHING: vacuum */
} rn_xray_volume;

RN_API rn_xray_volume rn_xray_volume_default(void);

/* Path lengths by marching through the volume in steps of half a voxel, values interpolated between voxels. */
RN_API rn_result rn_xray_add_volume(rn_xray *xray, const rn_xray_volume *volume);

/* Path length of a material (m), a float per pixel, until the next call; NULL: there is none of it. */
RN_API const float *rn_xray_get_length(const rn_xray *xray, uint32_t material);

/* --- exposure ------------------------------------------------------------------------------------------- */

/* Borrowed for the call. */
typedef struct rn_xray_beam {
    uint32_t struct_bytes;
    const float *photons;                        /* relative numbers by energy */
    const float *attenuation[RN_XRAY_MATERIALS]; /* 1/m, by energy; of every material that is there */
    const float *absorbed; /* share of its energy that a photon leaves in the detector; NULL: all */
    const float *kerma;    /* m^2/kg: mass energy absorption of air; needed for a dose */
    /* nGy: mean air kerma at the detector behind the object, in the middle half of the picture, as automatic
     * exposure would set it. 0 (default): no noise, and the open beam is 1 J/m^2. */
    float dose;
    /* Scatter: `scatter` times the primary picture where the object removes energy (times 1 - transmission),
     * blurred by a Gaussian of scatter_mm at the detector, plus scatter_offset times the mean of the primary. */
    float scatter;        /* 0 to 10; default 0 */
    float scatter_offset; /* 0 to 10; default 0 */
    float scatter_mm;     /* standard deviation, 1 to 1000; default 40 */
    float focus_mm; /* standard deviation of the focal spot's shadow at the detector; default 0 */
    float detector_mm; /* standard deviation of the light in the scintillator, after the noise; default 0 */
    uint64_t seed; /* of the noise; default 1 */
} rn_xray_beam;

RN_API rn_xray_beam rn_xray_beam_default(void);

/* Arrays belong to the object and are valid until its next call. */
typedef struct rn_xray_picture {
    uint32_t struct_bytes;
    uint32_t width, height;
    const float *energy; /* J/m^2 that reach the detector unscattered: without blur and noise */
    const float *signal; /* J/m^2 that the detector absorbs: with scatter, blur and noise */
    double open_energy, open_signal; /* the same without an object */
    double kerma;                    /* nGy: mean behind the object; 0: no kerma table */
    double quanta;     /* mean effective number of photons per pixel in the middle; 0: no noise */
    uint64_t odd_rays; /* of meshes, whose entries and exits do not match */
} rn_xray_picture;

RN_API rn_xray_picture rn_xray_picture_default(void);

RN_API rn_result rn_xray_expose(rn_xray *xray, const rn_xray_beam *beam, rn_xray_picture *picture);

/* --- display -------------------------------------------------------------------------------------------- */

/* The density of a pixel is -ln(signal / open_signal). */
typedef struct rn_xray_display {
    uint32_t struct_bytes;
    /* Densities from level - window / 2 to level + window / 2 become black to white. window 0 (default): chosen so
     * that 1 % of the pixels are darker and 0.5 % brighter, or more are black, so that half of the
     * pixels are darker than 60 % grey; pixels that more than half of the beam reaches do not
     * count, if there are others. */
    float window, level;
    bool is_dark_dense; /* default false: dense is bright */
    bool is_round;      /* black outside a circle, as an image intensifier shows; default false */
    float field[2]; /* share of width and height between the blades of the collimator, 0 to 1; 0 (default): all */
    float shoulder; /* 0 to 1: how much the curve from black to white bends, as that of film; default 0: straight */
    float equalize; /* 0 to 1: share of the coarse differences taken away; default 0 */
    float sharpen;  /* 0 to 8: edges added, times; default 0 */
} rn_xray_display;

RN_API rn_xray_display rn_xray_display_default(void);

/* The last exposure as width * height values from 0 (black) to 65535 (white). used (or NULL): the display with the
 * window and level that were used. */
RN_API rn_result rn_xray_show(rn_xray *xray, const rn_xray_display *display, uint16_t *gray,
                              rn_xray_display *used);

#ifdef __cplusplus
}
#endif
#endif
