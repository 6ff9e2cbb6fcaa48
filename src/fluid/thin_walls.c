#define RNI_LANES 4
#include "base/lanes.h"

#include "base/error.h"
#include "fluid/mesh_walls.h"
#include "fluid/near_cells.h"
#include "fluid/thin_walls.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* --- the thin places of a mesh --------------------------------------------------------------------- */

/* Faces whose normals have a cosine below this are the two sides of a wall; else they meet in an edge. */
#define OPPOSITE (-0.5)
/* Of the radius: how far below a triangle the other side is looked for first. */
#define BEGIN 1e-4
/* Places on a triangle that are tried: one a radius, at most the square of this. */
#define MOST_ROWS 8.0

typedef struct thin_search {
    const rn_wall_mesh *wall;
    double radius; /* in lengths of the mesh */
    double inward; /* along the normal into the solid: -1 or 1 */
    uint8_t *is_thin;
} thin_search;

static void corners_of(const rn_mesh *mesh, uint32_t t, double corner[3][3])
{
    for (size_t k = 0; k < 3; k++)
        for (size_t a = 0; a < 3; a++)
            corner[k][a] = (double)mesh->vertex[3 * (size_t)mesh->triangle[3 * (size_t)t + k] + a];
}

/* The unit normal; false: the triangle has no area. */
static bool normal_of(const double corner[3][3], double n[3])
{
    double edge[2][3];
    rni_sub3(corner[1], corner[0], edge[0]);
    rni_sub3(corner[2], corner[0], edge[1]);
    rni_cross3(edge[0], edge[1], n);
    const double size = sqrt(rni_dot3(n, n));
    for (int a = 0; a < 3; a++) n[a] = size > 0 ? n[a] / size : 0;
    return size > 0;
}

/* Whether another side of the solid is within the radius behind p, a place on a triangle with the normal n. */
static bool is_thin_at(const thin_search *s, const double p[3], const double n[3])
{
    float from[3], to[3];
    rni_crossing crossing;
    double corner[3][3], other[3];
    for (int a = 0; a < 3; a++) {
        const double way = s->inward * s->radius * n[a];
        from[a] = (float)(p[a] + BEGIN * way), to[a] = (float)(p[a] + way);
    }
    if (!rni_hierarchy_segment(&s->wall->hierarchy, from, to, &crossing)) return false;
    corners_of(&s->wall->mesh, crossing.triangle, corner);
    return normal_of((const double(*)[3])corner, other) && rni_dot3(n, other) < OPPOSITE;
}

static bool is_thin_triangle(const thin_search *s, uint32_t t)
{
    double corner[3][3], n[3], longest = 0;
    corners_of(&s->wall->mesh, t, corner);
    if (!normal_of((const double(*)[3])corner, n)) return false;
    for (int k = 0; k < 3; k++) {
        double edge[3];
        rni_sub3(corner[(k + 1) % 3], corner[k], edge);
        longest = fmax(longest, sqrt(rni_dot3(edge, edge)));
    }
    /* The middles of equal smaller triangles. */
    const int rows = (int)fmin(fmax(ceil(longest / s->radius), 1), MOST_ROWS);
    for (int i = 0; i < rows; i++)
        for (int j = 0; i + j < rows; j++)
            for (int down = 0; down < 2 && i + j + down < rows; down++) {
                const double third = down ? 2.0 / 3 : 1.0 / 3;
                const double u = (i + third) / rows, v = (j + third) / rows;
                double p[3];
                for (int a = 0; a < 3; a++)
                    p[a] = (1 - u - v) * corner[0][a] + u * corner[1][a] + v * corner[2][a];
                if (is_thin_at(s, p, n)) return true;
            }
    return false;
}

#define PIECE 256u

static void search_piece(void *data, uint32_t piece, uint32_t worker)
{
    const thin_search *s = data;
    const uint32_t count = s->wall->mesh.triangle_count;
    (void)worker;
    for (uint32_t t = piece * PIECE; t < count && t < (piece + 1) * PIECE; t++)
        s->is_thin[t] = is_thin_triangle(s, t);
}

/* The triangles that are marked; is_thin NULL: every one. */
static rn_result make_thin_mesh(rn_fluid *f, const rn_mesh *all, const uint8_t *is_thin,
                                rni_thin_mesh **out)
{
    rn_mesh mesh = *all;
    rni_buffer triangles = {0};
    rni_thin_mesh *thin = rni_memory_take(&f->memory, sizeof *thin);
    if (!thin) return RN_ERROR_MEMORY;
    memset(thin, 0, sizeof *thin);
    rn_result result =
        rni_buffer_need(&f->memory, &triangles, all->triangle_count + 1u, sizeof(uint32_t[3]));
    if (result == RN_OK)
        result =
            rni_buffer_need(&f->memory, &thin->buffer, all->triangle_count + 1u, sizeof(uint32_t));
    uint32_t(*to)[3] = triangles.data;
    thin->triangle = thin->buffer.data;
    mesh.triangle = triangles.data;
    mesh.triangle_count = 0;
    for (uint32_t t = 0; t < all->triangle_count && result == RN_OK; t++) {
        if (is_thin && !is_thin[t]) continue;
        thin->triangle[mesh.triangle_count] = t;
        memcpy(to[mesh.triangle_count++], all->triangle + 3 * (size_t)t, sizeof *to);
    }
    if (result == RN_OK)
        result = rni_hierarchy_build(&thin->hierarchy, &f->memory, f->crew, RN_CPU_AUTO, &mesh,
                                     RN_SPLIT_SURFACE_AREA);
    rni_buffer_free(&f->memory, &triangles);
    if (result == RN_OK) *out = thin;
    else rni_thin_triangles_free(f, thin);
    return result;
}

rn_result rni_thin_triangles(rn_fluid *f, rni_mesh_field *of, uint8_t **is_thin)
{
    const rn_wall_mesh *wall = of->mesh;
    const uint32_t count = wall->mesh.triangle_count;
    *is_thin = NULL;
    if (wall->is_two_sided) return make_thin_mesh(f, &wall->mesh, NULL, &of->thin);
    if (wall->is_sheet) return RN_OK; /* there is water on one side only */
    uint8_t *marks = rni_memory_take(&f->memory, count);
    if (!marks) return RN_ERROR_MEMORY;
    thin_search search = {wall, (double)f->derived.radius / (double)of->scale,
                          of->is_hollow ? 1 : -1, marks};
    rni_crew_pieces(f->crew, rni_piece_count(count, PIECE), search_piece, &search);
    rn_result result = RN_OK;
    if (memchr(marks, 1, count)) {
        *is_thin = marks;
        result = make_thin_mesh(f, &wall->mesh, marks, &of->thin);
    } else rni_memory_give(&f->memory, marks, count);
    return result;
}

void rni_thin_triangles_free(rn_fluid *f, rni_thin_mesh *thin)
{
    if (!thin) return;
    rni_hierarchy_free(&thin->hierarchy);
    rni_buffer_free(&f->memory, &thin->buffer);
    rni_memory_give(&f->memory, thin, sizeof *thin);
}

/* --- particles -------------------------------------------------------------------------------- */

static float thin_distance(const rn_fluid *f, const float x[3], float most)
{
    const rni_walls *walls = f->walls;
    const float h = f->derived.radius;
    uint32_t listed;
    const uint32_t *list = rni_walls_near(walls, x, &listed);
    float least = INFINITY;
    for (uint32_t k = 0; k < listed; k++) {
        const rni_solid *s = &walls->solids[list[k]];
        if (s->kind->is_thin && s->kind->is_thin(s, h))
            least = rni_lower(least, s->kind->thin_distance(s, x, most));
    }
    return least;
}

enum { NOT_ASKED, NONE_NEAR, MAYBE_NEAR };

/* Whether a thin place can be within the radius of x. Most cells have none near them, and each is asked once: the answer
 * is the same whoever asks first. (The lists of a cell have all solids within a radius of it.) */
static bool may_be_near_thin(const rn_fluid *f, const float x[3])
{
    const rni_walls *walls = f->walls;
    const uint32_t cell = rni_near_cell(walls, (rni_v){x[0], x[1], x[2], 0});
    const uint32_t at[3] = {cell % walls->cells[0], cell / walls->cells[0] % walls->cells[1],
                            cell / walls->cells[0] / walls->cells[1]};
    float middle[3], half_sq = 0;
    for (int a = 0; a < 3; a++) {
        const float half = walls->cell_inverse[a] > 0 ? 0.5f / walls->cell_inverse[a] : 0.0f;
        middle[a] = half > 0 ? walls->cell_low[a] + 2 * half * ((float)at[a] + 0.5f) : x[a];
        if (fabsf(x[a] - middle[a]) > half) return true; /* the outermost cells reach further */
        half_sq += half * half;
    }
    uint8_t known = atomic_load_explicit(&walls->thin_cell[cell], memory_order_relaxed);
    if (known == NOT_ASKED) {
        const float most = 1.001f * (f->derived.radius + sqrtf(half_sq));
        known = thin_distance(f, middle, most) <= most ? MAYBE_NEAR : NONE_NEAR;
        atomic_store_explicit(&walls->thin_cell[cell], known, memory_order_relaxed);
    }
    return known == MAYBE_NEAR;
}

static void find_distances(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const rn_fluid *f = data;
    const float h = f->derived.radius;
    (void)piece;
    for (uint32_t i = begin; i < end; i++) {
        const float *x = f->now.position[i];
        const float least = may_be_near_thin(f, x) ? thin_distance(f, x, h) : INFINITY;
        f->walls->thin_distance[i] = least <= h ? least : INFINITY;
    }
}

/* Forgets what cells were told of other walls. */
static rn_result ready_cells(rn_fluid *f)
{
    rni_walls *walls = f->walls;
    if (walls->thin_cell && walls->thin_version == walls->version) return RN_OK;
    rn_result result = rni_buffer_need(&f->memory, &walls->thin_cell_buffer, walls->cell_count,
                                       sizeof *walls->thin_cell);
    walls->thin_cell = walls->thin_cell_buffer.data;
    walls->thin_version = walls->version;
    for (uint32_t c = 0; c < walls->cell_count && result == RN_OK; c++)
        atomic_init(&walls->thin_cell[c], NOT_ASKED);
    return result;
}

rn_result rni_thin_walls_look(rn_fluid *f)
{
    rni_walls *walls = f->walls;
    walls->thin_distance = NULL;
    if (!walls->has_thin) return RN_OK;
    rn_result result =
        rni_buffer_need(&f->memory, &walls->thin_buffer, f->now.count + 1u, sizeof(float));
    if (result == RN_OK) result = ready_cells(f);
    if (result != RN_OK) return result;
    walls->thin_distance = walls->thin_buffer.data;
    rni_for_particles(f, find_distances, f);
    return RN_OK;
}

/* --- the segment between two ----------------------------------------------------------------------- */

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

void rni_thin_walls_near(const rn_fluid *f, const float x[3], rni_thin_near *near)
{
    const rni_walls *walls = f->walls;
    uint32_t listed;
    const uint32_t *list = rni_walls_near(walls, x, &listed);
    near->count = 0;
    for (uint32_t k = 0; k < listed; k++) {
        const rni_solid *s = &walls->solids[list[k]];
        if (!s->kind->thin_triangles) continue;
        const uint32_t room = RNI_THIN_MOST - near->count;
        const uint32_t found =
            s->kind->thin_triangles(s, x, f->derived.radius, &near->corner[near->count], room);
        near->count += found < room ? found : room;
    }
    for (uint32_t t = 0; t < near->count; t++) {
        float edge[2][3], *n = near->normal[t];
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < 2; k++)
                edge[k][a] = near->corner[t][k + 1][a] - near->corner[t][0][a];
        cross(edge[0], edge[1], n);
        near->height[t] = -dot(n, near->corner[t][0]);
    }
}

/* Whether d passes triangle t, whose plane it crosses: all edges turn the same way around it. */
static bool passes(const rni_thin_near *near, uint32_t t, const float d[3])
{
    float turn[3], side[3];
    for (int k = 0; k < 3; k++) {
        cross(near->corner[t][k], near->corner[t][(k + 1) % 3], side);
        turn[k] = dot(side, d);
    }
    return (turn[0] >= 0 && turn[1] >= 0 && turn[2] >= 0) ||
           (turn[0] <= 0 && turn[1] <= 0 && turn[2] <= 0);
}

bool rni_thin_walls_cross(const rni_thin_near *near, const float d[3])
{
    for (uint32_t t = 0; t < near->count; t++) {
        const float here = near->height[t], there = here + dot(near->normal[t], d);
        if (here * there <= 0 && passes(near, t, d)) return true;
    }
    return false;
}

bool rni_thin_walls_part(const rn_fluid *f, const float x[3], const float y[3])
{
    rni_thin_near near;
    const float d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    rni_thin_walls_near(f, x, &near);
    return rni_thin_walls_cross(&near, d);
}
