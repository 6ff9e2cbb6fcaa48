/* What surrounds a colon: torso, spine with ribs, and pelvis with the upper ends of the femora, in the place of the colon
 * (colon_line.c): patient standing, x to the patient's left, y up, z to the front, the anus near the origin.
 *
 * Sizes are those of a tall adult. Bones are for radiographs: their outlines and densities are right, not every process. */
#include "mesh/implicit.h"
#include "mesh/maker.h"
#include "mesh/net.h"

#include "base/error.h"
#include "base/pi.h"

#include <math.h>

#define PARTS_MAX      400u
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

typedef struct bones {
    double scale, width;
    uint32_t count;
    rni_implicit_part part[PARTS_MAX];
} bones;

/* --- parts ---------------------------------------------------------------------------------------------- */

static void scale_point(const bones *b, const double from[3], double side, double to[3])
{
    to[0] = b->scale * b->width * side * from[0];
    to[1] = b->scale * from[1];
    to[2] = b->scale * from[2];
}

static rni_implicit_part *add_part(bones *b, rni_implicit_kind kind, const double a[3], double side)
{
    rni_implicit_part *p = &b->part[b->count < PARTS_MAX ? b->count++ : PARTS_MAX - 1];
    *p = (rni_implicit_part){.kind = kind};
    scale_point(b, a, side, p->a);
    return p;
}

/* On both sides of the body; parts on the middle plane are given once, by add_middle(). */
static void add_cones(bones *b, const double from[3], const double to[3], double r0, double r1)
{
    for (int side = -1; side <= 1; side += 2) {
        rni_implicit_part *p = add_part(b, RNI_IMPLICIT_CONE, from, side);
        scale_point(b, to, side, p->b);
        p->size[0] = b->scale * r0;
        p->size[1] = b->scale * r1;
    }
}

static void add_ellipsoids(bones *b, const double at[3], double rx, double ry, double rz)
{
    for (int side = -1; side <= 1; side += 2) {
        rni_implicit_part *p = add_part(b, RNI_IMPLICIT_ELLIPSOID, at, side);
        p->size[0] = b->scale * rx;
        p->size[1] = b->scale * ry;
        p->size[2] = b->scale * rz;
    }
}

static void add_middle(bones *b, rni_implicit_kind kind, const double at[3], const double size[3])
{
    rni_implicit_part *p = add_part(b, kind, at, 1);
    for (int k = 0; k < 3; k++) p->size[k] = b->scale * size[k];
}

static void add_plates(bones *b, const double *x, const double *y, const double *z, double thickness)
{
    for (int side = -1; side <= 1; side += 2) {
        rni_implicit_part *p = add_part(b, RNI_IMPLICIT_PLATE, x, side);
        scale_point(b, y, side, p->b);
        scale_point(b, z, side, p->c);
        p->size[0] = 0.5 * b->scale * thickness;
    }
}

static void add_holes(bones *b, const double at[3], double r)
{
    add_ellipsoids(b, at, r, r, r);
    b->part[b->count - 1].is_cut = b->part[b->count - 2].is_cut = true;
}

#define AT(x, y, z) ((const double[3]){(x), (y), (z)})

/* --- spine ---------------------------------------------------------------------------------------------- */

/* From L5 up to T6: height of the middle, and how far in front the body lies. */
static const double VERTEBRA[][2] = {{0.222, -0.052}, {0.263, -0.042}, {0.304, -0.037},
                                     {0.345, -0.039}, {0.386, -0.046}, {0.424, -0.055},
                                     {0.460, -0.064}, {0.494, -0.072}, {0.526, -0.078},
                                     {0.557, -0.082}, {0.587, -0.085}, {0.616, -0.086}};
#define VERTEBRAE COUNT_OF(VERTEBRA)

static void add_vertebra(bones *b, uint32_t n)
{
    const double y = VERTEBRA[n][0], z = VERTEBRA[n][1];
    const double pitch = n > 0 ? y - VERTEBRA[n - 1][0] : 0.041;
    const double s = n < 5 ? 1 : 1 - 0.05 * (n - 4.0); /* smaller towards the head */
    const bool is_lumbar = n < 5;
    add_middle(b, RNI_IMPLICIT_BARREL, AT(0, y, z), AT(0.0262 * s, 0.37 * pitch, 0.0185 * s));
    /* Pedicles and the arch behind the canal. */
    add_cones(b, AT(0.0145 * s, y + 0.006, z - 0.012 * s), AT(0.017 * s, y + 0.005, z - 0.032 * s),
              0.0062 * s, 0.006 * s);
    add_cones(b, AT(0.017 * s, y + 0.003, z - 0.032 * s), AT(0, y - 0.007, z - 0.042 * s),
              0.005 * s, 0.0045 * s);
    add_middle(b, RNI_IMPLICIT_ELLIPSOID, AT(0, y - (is_lumbar ? 0.011 : 0.02), z - 0.056 * s),
               is_lumbar ? AT(0.0042, 0.011, 0.017) : AT(0.0035, 0.017, 0.014));
    const double reach = is_lumbar ? (n == 2 ? 0.047 : 0.042) : 0.030 * s + 0.004;
    add_cones(b, AT(0.017 * s, y + 0.003, z - 0.029 * s), AT(reach, y + 0.008, z - 0.036 * s),
              0.0058 * s, 0.0036 * s);
    /* Joints: the lower ones meet the upper ones of the next vertebra below. */
    add_cones(b, AT(0.0185 * s, y + 0.004, z - 0.032 * s),
              AT(0.0195 * s, y + 0.42 * pitch, z - 0.034 * s), 0.0055 * s, 0.0048 * s);
    if (n > 0)
        add_cones(b, AT(0.017 * s, y, z - 0.036 * s),
                  AT(0.0165 * s, y - 0.62 * pitch, VERTEBRA[n - 1][1] - 0.037 * s), 0.0055 * s,
                  0.0048 * s);
}

/* Rib of a thoracic vertebra: backwards, around the side, forwards and down. */
static void add_rib(bones *b, uint32_t n)
{
    const double y0 = VERTEBRA[n][0] + 0.004, z0 = VERTEBRA[n][1] - 0.026;
    const uint32_t floating = n - 5; /* 0: the twelfth */
    const double end = floating == 0 ? 0.9 : floating == 1 ? 1.5 : 1.8 + 0.16 * floating; /* rad */
    const double wide = 0.168 - 0.004 * floating, deep = 0.118;
    const uint32_t steps = 7;
    double last[3] = {0.012, y0, z0};
    for (uint32_t k = 1; k <= steps; k++) {
        const double angle = 0.22 + (end - 0.22) * k / steps;
        const double fall = (0.055 + 0.012 * floating) * (1 - cos(fmin(angle, 2.6))) * 1.35;
        const double next[3] = {wide * sin(angle), y0 - fall, -0.018 - deep * cos(angle)};
        add_cones(b, last, next, 0.0062, 0.0062);
        for (int axis = 0; axis < 3; axis++) last[axis] = next[axis];
    }
}

static rn_result add_bones(rni_making *making, void (*collect)(bones *b, const double *value),
                           double blend)
{
    rni_buffer memory = {0};
    rn_result result = rni_buffer_need(&making->mesh->memory, &memory, 1, sizeof(bones));
    if (result != RN_OK) return result;
    bones *b = memory.data;
    b->scale = making->value[0];
    b->width = making->value[1];
    b->count = 0;
    collect(b, making->value);
    result = rni_implicit_add(making->mesh, b->part, b->count, blend * b->scale, making->triangles);
    rni_buffer_free(&making->mesh->memory, &memory);
    return result;
}

static void collect_spine(bones *b, const double *value)
{
    for (uint32_t n = 0; n < VERTEBRAE; n++) add_vertebra(b, n);
    for (uint32_t n = 5; n < VERTEBRAE && value[2] > 0.5; n++) add_rib(b, n);
}

static rn_result make_spine(rni_making *making)
{
    return add_bones(making, collect_spine, 0.003);
}

/* --- pelvis --------------------------------------------------------------------------------------------- */

static void add_sacrum(bones *b)
{
    static const double SEGMENT[5][4] = {/* y, z, half width, half depth */
                                         {0.186, -0.078, 0.055, 0.026},
                                         {0.160, -0.106, 0.047, 0.021},
                                         {0.136, -0.127, 0.038, 0.017},
                                         {0.113, -0.135, 0.029, 0.0135},
                                         {0.091, -0.134, 0.021, 0.011}};
    for (int n = 0; n < 5; n++)
        add_middle(b, RNI_IMPLICIT_ELLIPSOID, AT(0, SEGMENT[n][0], SEGMENT[n][1]),
                   AT(SEGMENT[n][2], 0.0175, SEGMENT[n][3]));
    add_cones(b, AT(0.002, 0.085, -0.132), AT(0.001, 0.045, -0.115), 0.008, 0.0045);
    /* The crest in the middle of the back. */
    add_cones(b, AT(0.001, 0.185, -0.105), AT(0.001, 0.115, -0.145), 0.005, 0.004);
    for (int n = 0; n < 4; n++)
        for (int deep = -1; deep <= 1; deep++)
            add_holes(b,
                      AT(0.024 - 0.0028 * n, 0.5 * (SEGMENT[n][0] + SEGMENT[n + 1][0]),
                         0.5 * (SEGMENT[n][1] + SEGMENT[n + 1][1]) + 0.008 * deep),
                      0.0052);
}

static void add_ilium(bones *b)
{
    /* The crest from the front to the back, above a fan of plates. */
    static const double CREST[][3] = {
        {0.118, 0.150, 0.052},  {0.126, 0.178, 0.058},  {0.137, 0.212, 0.038},
        {0.140, 0.240, 0.006},  {0.126, 0.253, -0.030}, {0.100, 0.247, -0.065},
        {0.070, 0.222, -0.092}, {0.052, 0.190, -0.108}, {0.050, 0.158, -0.106}};
    const double socket[3] = {0.084, 0.108, -0.006}, joint[3] = {0.056, 0.160, -0.088};
    for (size_t n = 0; n + 1 < COUNT_OF(CREST); n++) {
        add_plates(b, n < 6 ? socket : joint, CREST[n], CREST[n + 1], 0.0090);
        add_cones(b, CREST[n], CREST[n + 1], 0.0062, 0.0062);
    }
    add_plates(b, socket, joint, CREST[6], 0.008);
    /* From the sacrum to the socket, and the joint with the sacrum. */
    add_cones(b, AT(0.058, 0.162, -0.082), AT(0.080, 0.112, -0.020), 0.0125, 0.016);
    add_cones(b, AT(0.040, 0.176, -0.080), AT(0.060, 0.172, -0.086), 0.014, 0.012);
}

static void add_hip(bones *b)
{
    add_ellipsoids(b, AT(0.088, 0.090, 0.000), 0.036, 0.038, 0.036);
    add_cones(b, AT(0.078, 0.100, 0.022), AT(0.022, 0.088, 0.074), 0.0125, 0.0105); /* pubis */
    add_cones(b, AT(0.018, 0.092, 0.075), AT(0.0165, 0.062, 0.069), 0.0115, 0.0105);
    add_cones(b, AT(0.020, 0.056, 0.064), AT(0.056, 0.012, -0.008), 0.0078, 0.0085);
    add_cones(b, AT(0.080, 0.074, -0.020), AT(0.064, 0.012, -0.024), 0.016, 0.0175); /* ischium */
    /* The socket, open to the side and below. */
    add_holes(b, AT(0.0955, 0.0870, 0.002), 0.0282);
    add_holes(b, AT(0.108, 0.0790, 0.003), 0.0290);
}

static void add_femur(bones *b)
{
    add_ellipsoids(b, AT(0.0955, 0.0870, 0.002), 0.0246, 0.0246, 0.0246);
    add_cones(b, AT(0.0955, 0.0870, 0.002), AT(0.134, 0.058, 0.000), 0.0160, 0.0185);
    add_ellipsoids(b, AT(0.1475, 0.0640, -0.006), 0.0165, 0.0230, 0.0190);
    add_ellipsoids(b, AT(0.1260, 0.0230, -0.012), 0.0120, 0.0160, 0.0110);
    add_cones(b, AT(0.1390, 0.0450, 0.000), AT(0.1310, -0.170, 0.008), 0.0200, 0.0155);
    /* The ligament in the joint keeps it to the hip. */
    add_cones(b, AT(0.0840, 0.0860, 0.002), AT(0.0600, 0.0900, 0.002), 0.0035, 0.0050);
}

static void collect_pelvis(bones *b, const double *value)
{
    (void)value;
    add_ilium(b);
    add_hip(b);
    add_sacrum(b);
    add_femur(b);
}

static rn_result make_pelvis(rni_making *making)
{
    return add_bones(making, collect_pelvis, 0.004);
}

/* --- torso ---------------------------------------------------------------------------------------------- */

typedef struct torso {
    double scale, width, depth;
    uint32_t rows, columns;
} torso;

/* Height, half width, half depth, and the middle of the depth. */
static const double SECTION[][4] = {{-0.26, 0.190, 0.125, -0.010}, {-0.10, 0.200, 0.135, -0.012},
                                    {0.04, 0.206, 0.140, -0.014},  {0.16, 0.204, 0.142, -0.008},
                                    {0.30, 0.206, 0.146, 0.000},   {0.44, 0.208, 0.146, 0.000},
                                    {0.60, 0.205, 0.138, -0.006},  {0.78, 0.195, 0.125, -0.012}};
#define SECTIONS COUNT_OF(SECTION)

static double section_at(double y, int k)
{
    uint32_t n = 0;
    while (n + 2 < SECTIONS && y > SECTION[n + 1][0]) n++;
    double t = (y - SECTION[n][0]) / (SECTION[n + 1][0] - SECTION[n][0]);
    t = t * t * (3 - 2 * t);
    return SECTION[n][k] + t * (SECTION[n + 1][k] - SECTION[n][k]);
}

static void torso_at(const void *user, uint32_t row, uint32_t column, double at[3])
{
    const torso *t = user;
    const double low = SECTION[0][0], high = SECTION[SECTIONS - 1][0];
    /* Rows are spread over the two rounded ends and the side between them. */
    const double place = (double)row / t->rows, end = 0.14;
    double y, share = 1;
    if (place < end) {
        share = sin(0.5 * RNI_PI * place / end);
        y = low + 0.05 * (1 - cos(0.5 * RNI_PI * place / end));
    } else if (place > 1 - end) {
        share = sin(0.5 * RNI_PI * (1 - place) / end);
        y = high - 0.05 * (1 - cos(0.5 * RNI_PI * (1 - place) / end));
    } else {
        y = low + 0.05 + (high - low - 0.1) * (place - end) / (1 - 2 * end);
    }
    const double angle = 2 * RNI_PI * column / t->columns, c = cos(angle), s = sin(angle);
    const double round = share * pow(pow(fabs(c), 2.5) + pow(fabs(s), 2.5), -1 / 2.5);
    at[0] = t->scale * t->width * section_at(y, 1) * round * c;
    at[1] = t->scale * y;
    at[2] = t->scale * (section_at(y, 3) + t->depth * section_at(y, 2) * round * s);
}

static rn_result make_torso(rni_making *making)
{
    torso t = {.scale = making->value[0], .width = making->value[1], .depth = making->value[2]};
    t.columns = 4 * (uint32_t)(sqrt(0.5 * making->triangles) / 4);
    if (t.columns < 8) t.columns = 8;
    t.rows = (making->triangles + 2 * t.columns) / (2 * t.columns);
    const rni_net net = {.rows = t.rows,
                         .columns = t.columns,
                         .wraps_columns = true,
                         .first_is_pole = true,
                         .last_is_pole = true,
                         .at = torso_at,
                         .user = &t};
    return rni_net_add(making->mesh, &net);
}

/* --- the table ------------------------------------------------------------------------------------------ */

#define SCALE                                                                         \
    {                                                                                 \
        "scale", 1, 1e-3, 1e3, "size; 1: an adult around the colon of the same scale" \
    }
#define WIDTH                                                  \
    {                                                          \
        "width", 1, 0.5, 2, "wider or narrower along x, times" \
    }

static const rn_mesh_parameter torso_parameters[] = {
    SCALE, WIDTH, {"depth", 1, 0.5, 2, "thicker or thinner along z, times"}};
const rni_maker rni_maker_torso = {
    .info = {"torso", "the trunk of a body around a colon, from the chest to the thighs", 6000, 200,
             false, COUNT_OF(torso_parameters), torso_parameters},
    .make = make_torso};

static const rn_mesh_parameter spine_parameters[] = {
    SCALE, WIDTH, {"ribs", 1, 0, 1, "1: with the lower ribs; 0: without"}};
const rni_maker rni_maker_spine = {
    .info = {"spine", "lumbar and lower thoracic vertebrae behind a colon, with ribs", 80000, 6000,
             false, COUNT_OF(spine_parameters), spine_parameters},
    .make = make_spine};

static const rn_mesh_parameter pelvis_parameters[] = {SCALE, WIDTH};
const rni_maker rni_maker_pelvis = {
    .info = {"pelvis", "hip bones, sacrum and the upper ends of the femora around a colon", 80000,
             6000, false, COUNT_OF(pelvis_parameters), pelvis_parameters},
    .make = make_pelvis};
