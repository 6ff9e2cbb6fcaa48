/* Normals of a wall mesh for drawing: smooth over faces that nearly agree, sharp at creases.
 *
 * Each corner of each triangle has its own: the mean of the normals of the triangles at the same place, weighted by
 * their angles there, without those beyond a crease. Places are compared by their bits, so that seams of textures and
 * triangles that share no vertices are smooth, too. */
#include "mesh/exact.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <stdlib.h>

/* The cosine of the angle between faces from which on an edge is a crease: 45 degrees. */
#define CREASE 0.7071

typedef struct place {
    float x[3];
    uint32_t corner;
} place;

static int compare(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
    return p->corner < q->corner ? -1 : p->corner > q->corner;
}

static bool is_same(const place *p, const place *q)
{
    return p->x[0] == q->x[0] && p->x[1] == q->x[1] && p->x[2] == q->x[2];
}

/* The unit normal of the triangle of a corner, and the angle there; 0: it has no area. */
static double measure_corner(const rn_mesh *mesh, uint32_t corner, double normal[3])
{
    const uint32_t first = corner - corner % 3;
    double x[3][3], edge[2][3];
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t n = first + (corner + k) % 3; /* first is a multiple of 3 */
        for (size_t a = 0; a < 3; a++)
            x[k][a] = (double)mesh->vertex[3 * (size_t)mesh->triangle[n] + a];
    }
    rni_sub3(x[1], x[0], edge[0]);
    rni_sub3(x[2], x[0], edge[1]);
    rni_cross3(edge[0], edge[1], normal);
    const double size = sqrt(rni_dot3(normal, normal));
    for (int a = 0; a < 3; a++) normal[a] = size > 0 ? normal[a] / size : 0;
    return atan2(size, rni_dot3(edge[0], edge[1]));
}

/* Where more corners than these meet, as at the tip of a cone of needles, they are smoothed in groups. */
#define MOST_CORNERS 64u

/* Corners at one place. */
static void smooth_place(const rn_mesh *mesh, const place *p, uint32_t count, float *out)
{
    double normal[MOST_CORNERS][3], angle[MOST_CORNERS];
    for (uint32_t i = 0; i < count; i++) angle[i] = measure_corner(mesh, p[i].corner, normal[i]);
    for (uint32_t i = 0; i < count; i++) {
        double sum[3] = {0, 0, 0};
        for (uint32_t j = 0; j < count; j++) {
            if (i != j && !(rni_dot3(normal[i], normal[j]) > CREASE)) continue;
            for (int a = 0; a < 3; a++) sum[a] += angle[j] * normal[j][a];
        }
        const double size = sqrt(rni_dot3(sum, sum));
        for (size_t a = 0; a < 3; a++)
            out[3 * (size_t)p[i].corner + a] = size > 0 ? (float)(sum[a] / size) : a == 1;
    }
}

rn_result rni_wall_mesh_find_normals(rn_wall_mesh *wall)
{
    const rn_mesh *mesh = &wall->mesh;
    const uint64_t corners = 3 * (uint64_t)mesh->triangle_count;
    rni_buffer buffer = {0};
    rn_result result = rni_buffer_need(&wall->memory, &wall->normals, corners, 3 * sizeof(float));
    if (result == RN_OK) result = rni_buffer_need(&wall->memory, &buffer, corners, sizeof(place));
    if (result != RN_OK) return result;
    place *places = buffer.data;
    float *normals = wall->normals.data;
    for (uint32_t c = 0; c < corners; c++) {
        const float *x = mesh->vertex + 3 * (size_t)mesh->triangle[c];
        places[c] = (place){{x[0] + 0.0f, x[1] + 0.0f, x[2] + 0.0f}, c}; /* no -0 */
    }
    qsort(places, (size_t)corners, sizeof *places, compare);
    for (uint32_t first = 0, end; first < corners; first = end) {
        end = first + 1;
        while (end < corners && end - first < MOST_CORNERS && is_same(&places[first], &places[end]))
            end++;
        smooth_place(mesh, places + first, end - first, normals);
    }
    rni_buffer_free(&wall->memory, &buffer);
    return RN_OK;
}
