#include "fluid/nasty_meshes.h"

#include "base/pi.h"
#include "base/random.h"
#include "fact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rni_random random_state;

static double chance(void)
{
    return rni_random_unit(&random_state);
}

static rn_mesh_data *new_surface(void)
{
    rn_mesh_data *data = NULL;
    assert_int_equal(rn_mesh_data_create(NULL, &data), RN_OK);
    return data;
}

static uint32_t add_vertex(rn_mesh_data *to, double x, double y, double z)
{
    const float v[3] = {(float)x, (float)y, (float)z};
    const uint32_t number = rn_mesh_data_get_mesh(to).vertex_count;
    assert_int_equal(rn_mesh_data_add_vertices(to, v, 1), RN_OK);
    return number;
}

static void add_triangle(rn_mesh_data *to, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[3] = {a, b, c};
    assert_int_equal(rn_mesh_data_add_triangles(to, corner, NULL, 1), RN_OK);
}

/* --- shapes ---------------------------------------------------------------------------------------- */

/* A box whose faces are n x m rectangles; each face has vertices of its own. */
static rn_mesh_data *box(const double low[3], const double high[3], uint32_t n, uint32_t m)
{
    rn_mesh_data *to = new_surface();
    for (uint32_t face = 0; face < 6; face++) {
        const uint32_t axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        uint32_t first = 0;
        for (uint32_t k = 0; k < (n + 1) * (m + 1); k++) {
            double x[3];
            x[axis] = face % 2 ? high[axis] : low[axis];
            x[u] = low[u] + (high[u] - low[u]) * (k % (n + 1)) / n;
            x[v] = low[v] + (high[v] - low[v]) * (k / (n + 1)) / m;
            const uint32_t number = add_vertex(to, x[0], x[1], x[2]);
            if (k == 0) first = number;
        }
        for (uint32_t k = 0; k < n * m; k++) {
            const uint32_t a = first + k / n * (n + 1) + k % n, b = a + 1, c = a + n + 2,
                           d = a + n + 1;
            add_triangle(to, a, face % 2 ? b : c, face % 2 ? c : b);
            add_triangle(to, a, face % 2 ? c : d, face % 2 ? d : c);
        }
    }
    return to;
}

static rn_mesh_data *cube(double half, uint32_t n, uint32_t m)
{
    return box((double[3]){-half, -half, -half}, (double[3]){half, half, half}, n, m);
}

/* A sphere of rings whose vertices are at radii between near and far. is_wild: at random, else by turns. */
static rn_mesh_data *star(uint32_t rings, double near, double far, bool is_wild)
{
    rn_mesh_data *to = new_surface();
    const uint32_t around = 2 * rings;
    const uint32_t south = add_vertex(to, 0, -near, 0), north = add_vertex(to, 0, near, 0);
    for (uint32_t k = 1; k < rings; k++)
        for (uint32_t l = 0; l < around; l++) {
            const double polar = RNI_PI * k / rings, angle = 2 * RNI_PI * l / around;
            const double part = is_wild ? pow(chance(), 3) : (k + l) % 2;
            const double r = near + (far - near) * part;
            add_vertex(to, r * sin(polar) * cos(angle), -r * cos(polar), r * sin(polar) * sin(angle));
        }
    for (uint32_t l = 0; l < around; l++) {
        const uint32_t next = (l + 1) % around, top = 2 + (rings - 2) * around;
        add_triangle(to, south, 2 + l, 2 + next);
        add_triangle(to, north, top + next, top + l);
        for (uint32_t k = 0; k + 2 < rings; k++) {
            const uint32_t a = 2 + k * around + l, b = 2 + k * around + next;
            add_triangle(to, a, a + around, b + around);
            add_triangle(to, a, b + around, b);
        }
    }
    return to;
}

/* A tube of radius r about a spiral that comes back on itself: its turns touch or cross each other. */
static rn_mesh_data *coil(double size, double r, uint32_t length, uint32_t around)
{
    rn_mesh_data *to = new_surface();
    const uint32_t first = add_vertex(to, 0.5 * size, -size, 0),
                   last = add_vertex(to, 0.5 * size * cos(4 * RNI_PI), size, 0);
    for (uint32_t k = 0; k <= length; k++)
        for (uint32_t l = 0; l < around; l++) {
            const double t = 4 * RNI_PI * k / length, angle = 2 * RNI_PI * l / around;
            const double out = 0.5 * size + r * cos(angle);
            add_vertex(to, out * cos(t), size * (2.0 * k / length - 1) + r * sin(angle),
                       out * sin(t));
        }
    for (uint32_t l = 0; l < around; l++) {
        const uint32_t next = (l + 1) % around, end = 2 + length * around;
        add_triangle(to, first, 2 + next, 2 + l);
        add_triangle(to, last, end + l, end + next);
        for (uint32_t k = 0; k < length; k++) {
            const uint32_t a = 2 + k * around + l, b = 2 + k * around + next;
            add_triangle(to, a, b, b + around);
            add_triangle(to, a, b + around, a + around);
        }
    }
    return to;
}

/* --- dirt ------------------------------------------------------------------------------------------ */

/* Appends a surface; is_turned: its triangles look the other way. */
static void append(rn_mesh_data *to, const rn_mesh_data *from, bool is_turned)
{
    const rn_mesh mesh = rn_mesh_data_get_mesh(from);
    const uint32_t first = rn_mesh_data_get_mesh(to).vertex_count;
    for (size_t v = 0; v < mesh.vertex_count; v++)
        add_vertex(to, (double)mesh.vertex[3 * v], (double)mesh.vertex[3 * v + 1],
                   (double)mesh.vertex[3 * v + 2]);
    for (size_t t = 0; t < mesh.triangle_count; t++) {
        const uint32_t *c = mesh.triangle + 3 * t;
        add_triangle(to, first + c[0], first + c[is_turned ? 2 : 1], first + c[is_turned ? 1 : 2]);
    }
}

static rn_mesh_data *soup_of(const rn_mesh_data *from)
{
    rn_mesh_data *to = new_surface();
    const rn_mesh mesh = rn_mesh_data_get_mesh(from);
    uint32_t step = (uint32_t)(0.618 * mesh.triangle_count) | 1u, t = 0;
    for (uint32_t a = step, b = mesh.triangle_count;;) { /* a step without a common divisor visits all */
        while (b > 0) {
            const uint32_t left = a % b;
            a = b, b = left;
        }
        if (a == 1) break;
        a = ++step, b = mesh.triangle_count;
    }
    for (uint32_t k = 0; k < mesh.triangle_count; k++, t = (t + step) % mesh.triangle_count)
        for (int copies = chance() < 0.2 ? 2 : 1; copies > 0; copies--) {
            uint32_t corner[3];
            for (size_t c = 0; c < 3; c++) {
                const float *v = mesh.vertex + 3 * (size_t)mesh.triangle[3 * (size_t)t + c];
                corner[c] = add_vertex(to, (double)v[0], (double)v[1], (double)v[2]);
            }
            const bool is_turned = chance() < 0.2;
            add_triangle(to, corner[0], corner[is_turned ? 2 : 1], corner[is_turned ? 1 : 2]);
        }
    return to;
}

/* --- the table ------------------------------------------------------------------------------------- */

static const char *const NAMES[] = {
    "box of 12",         "box of 12,288",         "box of needles",   "star of spikes",
    "wild star",         "double box, thin wall", "boxes that touch", "boxes that cross",
    "coil that crosses", "block in the water",
};

uint32_t nasty_shapes(void)
{
    return sizeof NAMES / sizeof *NAMES;
}

static void make_surfaces(nasty_mesh *n, uint32_t shape, double s)
{
    const double half = 0.15 + 0.05 * chance(), wall = s * (0.02 + 0.4 * chance());
    const double c = half * (0.2 + 0.3 * chance());
    switch (shape) {
    case 0: n->surface[0] = cube(half, 1, 1); break;
    case 1: n->surface[0] = cube(half, 32, 32); break;
    case 2: n->surface[0] = cube(half, 200, 1); break;
    case 3: n->surface[0] = star(8 + (uint32_t)(5 * chance()), 0.1, 0.3, false); break;
    case 4: n->surface[0] = star(8 + (uint32_t)(12 * chance()), 0.08, 0.32, true); break;
    case 5:
        n->surface[0] = cube(half, 2, 3);
        n->surface[1] = cube(half - wall, 4, 1);
        break;
    case 6: /* along an edge, which then has four triangles, and at a corner */
        n->surface[0] = box((double[3]){-half, -half, -half}, (double[3]){0, 0, half}, 2, 2);
        n->surface[1] = box((double[3]){0, 0, -half}, (double[3]){half, half, half}, 2, 2);
        break;
    case 7:
        n->surface[0] = box((double[3]){-half, -half, -half}, (double[3]){c, c, half}, 1, 2);
        n->surface[1] =
            box((double[3]){-c, -c, -0.9 * half}, (double[3]){half, half, 0.8 * half}, 3, 1);
        break;
    case 8: n->surface[0] = coil(0.22, 0.07 + 0.1 * chance(), 40, 11); break;
    default: n->surface[0] = cube(0.6 * half, 3, 3); break;
    }
    n->is_hollow = shape != 5 && shape != 9;
}

nasty_mesh make_nasty(uint32_t number, uint64_t seed, double spacing)
{
    const uint32_t shape = number % nasty_shapes();
    const bool is_soup = number >= nasty_shapes();
    nasty_mesh n = {{0}, new_surface(), {NULL}, false};
    random_state = rni_random_make(seed * 1000 + shape);
    snprintf(n.name, sizeof n.name, "%s%s, seed %llu", NAMES[shape], is_soup ? " as soup" : "",
             (unsigned long long)seed);
    make_surfaces(&n, shape, spacing);
    for (uint32_t k = 0; k < NASTY_SURFACES && n.surface[k]; k++)
        append(n.mesh, n.surface[k], shape == 5 && k == 1); /* a cavity looks inwards */
    if (shape == 1 || shape == 2) { /* the same box by fewer triangles, for the test */
        const double half = (double)rn_mesh_data_get_mesh(n.surface[0]).vertex[0];
        rn_mesh_data_destroy(n.surface[0]);
        n.surface[0] = cube(fabs(half), 1, 1);
    }
    if (!is_soup) return n;
    rn_mesh_data *soup = soup_of(n.mesh);
    rn_mesh_data_destroy(n.mesh);
    n.mesh = soup;
    return n;
}

nasty_mesh make_fine(uint64_t seed)
{
    nasty_mesh n = {{0}, NULL, {NULL}, true};
    random_state = rni_random_make(seed);
    const double half = 0.15 + 0.05 * chance();
    snprintf(n.name, sizeof n.name, "box of a million triangles, seed %llu",
             (unsigned long long)seed);
    n.surface[0] = cube(half, 1, 1);
    n.mesh = cube(half, 289, 289);
    return n;
}

void free_nasty(nasty_mesh *nasty)
{
    rn_mesh_data_destroy(nasty->mesh);
    for (uint32_t k = 0; k < NASTY_SURFACES; k++) rn_mesh_data_destroy(nasty->surface[k]);
}

/* --- the independent test -------------------------------------------------------------------------- */

/* Van Oosterom and Strackee 1983. */
static double solid_angle(const double p[3][3])
{
    double length[3], dot[3];
    for (int k = 0; k < 3; k++) {
        const double *a = p[k], *b = p[(k + 1) % 3];
        length[k] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        dot[k] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    const double triple = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                          p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                          p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    return 2 * atan2(triple, length[0] * length[1] * length[2] + dot[0] * length[2] +
                                 dot[1] * length[0] + dot[2] * length[1]);
}

uint32_t nasty_region(const nasty_mesh *nasty, const double x[3])
{
    uint32_t region = 0;
    for (uint32_t n = 0; n < NASTY_SURFACES && nasty->surface[n]; n++) {
        const rn_mesh mesh = rn_mesh_data_get_mesh(nasty->surface[n]);
        double sum = 0;
        for (size_t t = 0; t < mesh.triangle_count; t++) {
            double p[3][3];
            for (size_t k = 0; k < 9; k++)
                p[k / 3][k % 3] =
                    (double)mesh.vertex[3 * (size_t)mesh.triangle[3 * t + k / 3] + k % 3] - x[k % 3];
            sum += solid_angle((const double(*)[3])p);
        }
        const long winding = lround(sum / (4 * RNI_PI));
        region |= (uint32_t)(winding & 15) << (4 * n);
    }
    return region;
}
