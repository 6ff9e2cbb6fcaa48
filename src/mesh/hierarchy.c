/* The hierarchy from checked mesh to boxes: build, refit, dipoles. */
#include "mesh/hierarchy.h"

#include "base/error.h"

#include <assert.h>
#include <string.h>

rn_result rni_vertices_check(const float *vertex, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            const float x = vertex[(size_t)3 * v + axis];
            if (!(fabsf(x) <= RNI_MESH_LARGEST))
                return rni_fail(RN_ERROR_ARGUMENT,
                                "%c of vertex %u is %g; it must be finite and at most %g in size",
                                "xyz"[axis], v, (double)x, (double)RNI_MESH_LARGEST);
        }
    return RN_OK;
}

rn_result rni_mesh_check(const rn_mesh *mesh)
{
    if (mesh->struct_bytes != sizeof *mesh)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "mesh.struct_bytes is %u instead of %zu; begin with rn_mesh_default(), and with "
                        "the header of the library that is loaded",
                        mesh->struct_bytes, sizeof *mesh);
    if (mesh->triangle_count >= RNI_CHILD_IS_LEAF)
        return rni_fail(RN_ERROR_LIMIT, "the mesh has %u triangles; at most %u are possible",
                        mesh->triangle_count, RNI_CHILD_IS_LEAF - 1);
    if ((mesh->vertex_count > 0 && !mesh->vertex) || (mesh->triangle_count > 0 && !mesh->triangle))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "mesh.vertex and mesh.triangle must not be NULL where their counts are not 0");
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (uint32_t k = 0; k < 3; k++)
            if (mesh->triangle[(size_t)3 * t + k] >= mesh->vertex_count)
                return rni_fail(RN_ERROR_ARGUMENT,
                                "corner %u of triangle %u is vertex %u, but there are %u vertices "
                                "(the first is 0)",
                                k, t, mesh->triangle[(size_t)3 * t + k], mesh->vertex_count);
    return rni_vertices_check(mesh->vertex, mesh->vertex_count);
}

/* --- boxes and leaves --------------------------------------------------------------------------- */

static void fill_leaf(rni_leaf *leaf, const rn_mesh *mesh)
{
    double longest_sq = 0.0;
    for (uint32_t lane = 0; lane < RNI_WIDTH; lane++) {
        const uint32_t *corner = mesh->triangle + (size_t)3 * leaf->triangle[lane];
        double v[3][3], edge[3][3], normal[3];
        for (int k = 0; k < 3; k++)
            for (int axis = 0; axis < 3; axis++) {
                leaf->corner[k][axis][lane] = mesh->vertex[(size_t)3 * corner[k] + (size_t)axis];
                v[k][axis] = (double)leaf->corner[k][axis][lane];
            }
        for (int k = 0; k < 3; k++) {
            rni_sub3(v[(k + 1) % 3], v[k], edge[k]);
            longest_sq = fmax(longest_sq, rni_dot3(edge[k], edge[k]));
        }
        rni_cross3(edge[0], edge[1], normal);
        const double length = sqrt(rni_dot3(normal, normal));
        for (int axis = 0; axis < 3; axis++)
            leaf->normal[axis][lane] = length > 0.0 ? (float)(normal[axis] / length) : 0.0f;
    }
    leaf->reach = (float)sqrt(longest_sq) * 1.000001f;
}

static void leaf_box(const rni_leaf *leaf, float low[3], float high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = leaf->corner[0][axis][0];
        for (int k = 0; k < 3; k++)
            for (uint32_t lane = 0; lane < RNI_WIDTH; lane++) {
                const float x = leaf->corner[k][axis][lane];
                if (x < low[axis]) low[axis] = x;
                if (x > high[axis]) high[axis] = x;
            }
    }
}

static void node_box(const rni_wide_node *node, float low[3], float high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = INFINITY;
        high[axis] = -INFINITY;
        for (uint32_t lane = 0; lane < node->count; lane++) {
            if (node->low[axis][lane] < low[axis]) low[axis] = node->low[axis][lane];
            if (node->high[axis][lane] > high[axis]) high[axis] = node->high[axis][lane];
        }
    }
}

typedef struct fill_job {
    rni_hierarchy *h;
    const rn_mesh *mesh;
} fill_job;

#define LEAVES_PER_PIECE 256u

static void fill_piece(void *data, uint32_t piece, uint32_t worker)
{
    fill_job *job = data;
    (void)worker;
    const uint32_t begin = piece * LEAVES_PER_PIECE, left = job->h->leaf_count - begin;
    for (uint32_t k = 0; k < (left < LEAVES_PER_PIECE ? left : LEAVES_PER_PIECE); k++)
        fill_leaf(&job->h->leaf[begin + k], job->mesh);
}

void rni_hierarchy_refit(rni_hierarchy *h, rni_crew *crew, const rn_mesh *mesh)
{
    fill_job job = {h, mesh};
    rni_crew_pieces(crew, rni_piece_count(h->leaf_count, LEAVES_PER_PIECE), fill_piece, &job);
    for (uint32_t k = h->node_count; k-- > 0;) {
        rni_wide_node *node = &h->node[k];
        for (uint32_t lane = 0; lane < node->count; lane++) {
            float low[3], high[3];
            const uint32_t child = node->child[lane];
            if (child & RNI_CHILD_IS_LEAF)
                leaf_box(&h->leaf[child & ~RNI_CHILD_IS_LEAF], low, high);
            else node_box(&h->node[child], low, high);
            for (int axis = 0; axis < 3; axis++) {
                node->low[axis][lane] = low[axis];
                node->high[axis][lane] = high[axis];
            }
        }
    }
    node_box(h->node, h->low, h->high);
    assert(!rni_validate_hierarchy(h));
}

rn_result rni_hierarchy_build(rni_hierarchy *h, rni_memory *memory, rni_crew *crew,
                              rn_cpu_level cpu, const rn_mesh *mesh, rn_mesh_split split)
{
    *h = (rni_hierarchy){.memory = memory,
                         .triangle_count = mesh->triangle_count,
                         .kernel = &rni_hierarchy_kernel_plain};
#ifdef RNI_X86
    if (cpu == RN_CPU_AVX2 || cpu == RN_CPU_AVX512) h->kernel = &rni_hierarchy_kernel_avx2;
#else
    (void)cpu;
#endif
    const rn_result result = rni_hierarchy_split(h, mesh, split);
    if (result != RN_OK) {
        rni_hierarchy_free(h);
        return result;
    }
    rni_hierarchy_refit(h, crew, mesh);
    return RN_OK;
}

void rni_hierarchy_free(rni_hierarchy *h)
{
    if (!h->memory) return;
    rni_buffer_free(h->memory, &h->nodes);
    rni_buffer_free(h->memory, &h->leaves);
    rni_buffer_free(h->memory, &h->dipoles);
    *h = (rni_hierarchy){0};
}

/* --- dipoles ------------------------------------------------------------------------------------ */

/* The dipole of a child is used beyond this many radii: with its first derivatives the winding number
 * of test meshes is then right to 0.003. */
#define DIPOLE_RADII 2.5

/* Moments of a set of triangles. */
typedef struct moments {
    double size; /* sum of areas */
    double centre[3], area[3], slope[3][3];
} moments;

/* Adds a set; the centre of *sum is final. */
static void add_moments(moments *sum, const moments *m)
{
    for (int i = 0; i < 3; i++) {
        sum->area[i] += m->area[i];
        for (int j = 0; j < 3; j++)
            sum->slope[i][j] += m->slope[i][j] + (m->centre[i] - sum->centre[i]) * m->area[j];
    }
}

static moments sum_moments(const moments *parts, uint32_t count, const float fallback[3])
{
    moments sum = {.size = 0.0};
    for (uint32_t k = 0; k < count; k++) {
        sum.size += parts[k].size;
        for (int axis = 0; axis < 3; axis++)
            sum.centre[axis] += parts[k].size * parts[k].centre[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        sum.centre[axis] = sum.size > 0.0 ? sum.centre[axis] / sum.size : (double)fallback[axis];
    for (uint32_t k = 0; k < count; k++) add_moments(&sum, &parts[k]);
    return sum;
}

static moments leaf_moments(const rni_leaf *leaf)
{
    moments parts[RNI_WIDTH] = {{.size = 0.0}};
    for (uint32_t lane = 0; lane < leaf->count; lane++) {
        double v[3][3], ab[3], ac[3];
        rni_leaf_corners(leaf, lane, v);
        rni_sub3(v[1], v[0], ab);
        rni_sub3(v[2], v[0], ac);
        rni_cross3(ab, ac, parts[lane].area);
        for (int axis = 0; axis < 3; axis++) {
            parts[lane].area[axis] *= 0.5;
            parts[lane].centre[axis] = (v[0][axis] + v[1][axis] + v[2][axis]) / 3.0;
        }
        parts[lane].size = sqrt(rni_dot3(parts[lane].area, parts[lane].area));
    }
    const float first[3] = {leaf->corner[0][0][0], leaf->corner[0][1][0], leaf->corner[0][2][0]};
    return sum_moments(parts, leaf->count, first);
}

/* Square of the distance from the centre to the farthest corner of the box. */
static double radius_sq(const rni_wide_node *node, uint32_t lane, const double centre[3])
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double d = fmax(fabs(centre[axis] - (double)node->low[axis][lane]),
                              fabs((double)node->high[axis][lane] - centre[axis]));
        sum += d * d;
    }
    return sum;
}

static void store_dipole(rni_dipoles *to, uint32_t lane, const moments *m, double r_sq)
{
    to->reach_sq[lane] = (float)(DIPOLE_RADII * DIPOLE_RADII * r_sq) * 1.00001f + 1e-36f;
    for (int i = 0; i < 3; i++) {
        to->centre[i][lane] = (float)m->centre[i];
        to->area[i][lane] = (float)m->area[i];
        for (int j = 0; j < 3; j++) to->slope[3 * i + j][lane] = (float)m->slope[i][j];
    }
}

rn_result rni_hierarchy_add_dipoles(rni_hierarchy *h)
{
    rni_buffer sums = {0};
    rn_result result = rni_buffer_need(h->memory, &h->dipoles, h->node_count, sizeof(rni_dipoles));
    if (result == RN_OK) result = rni_buffer_need(h->memory, &sums, h->node_count, sizeof(moments));
    if (result != RN_OK) return result;
    h->dipole = h->dipoles.data;
    moments *of_node = sums.data;
    for (uint32_t k = h->node_count; k-- > 0;) {
        const rni_wide_node *node = &h->node[k];
        moments parts[RNI_WIDTH] = {{.size = 0.0}};
        h->dipole[k] = (rni_dipoles){.reach_sq = {-1, -1, -1, -1, -1, -1, -1, -1}};
        for (uint32_t lane = 0; lane < node->count; lane++) {
            const uint32_t child = node->child[lane];
            parts[lane] = child & RNI_CHILD_IS_LEAF
                              ? leaf_moments(&h->leaf[child & ~RNI_CHILD_IS_LEAF])
                              : of_node[child];
            store_dipole(&h->dipole[k], lane, &parts[lane],
                         radius_sq(node, lane, parts[lane].centre));
        }
        const float first[3] = {node->low[0][0], node->low[1][0], node->low[2][0]};
        of_node[k] = sum_moments(parts, node->count, first);
    }
    rni_buffer_free(h->memory, &sums);
    return RN_OK;
}

/* --- validity ----------------------------------------------------------------------------------- */

static bool box_holds(const rni_wide_node *node, uint32_t lane, const float low[3],
                      const float high[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (node->low[axis][lane] > low[axis] || node->high[axis][lane] < high[axis]) return false;
    return true;
}

const char *rni_validate_hierarchy(const rni_hierarchy *h)
{
    uint64_t triangles = 0, leaves = 0, nodes = 1;
    for (uint32_t k = 0; k < h->node_count; k++) {
        const rni_wide_node *node = &h->node[k];
        if (node->count > RNI_WIDTH) return "a node has more than eight children";
        for (uint32_t lane = 0; lane < node->count; lane++) {
            float low[3], high[3];
            const uint32_t child = node->child[lane], at = child & ~RNI_CHILD_IS_LEAF;
            const bool is_leaf = (child & RNI_CHILD_IS_LEAF) != 0;
            if (at >= (is_leaf ? h->leaf_count : h->node_count)) return "a child does not exist";
            if (!is_leaf && at <= k) return "a child is not behind its parent";
            if (is_leaf)
                leaf_box(&h->leaf[at], low, high), triangles += h->leaf[at].count, leaves++;
            else node_box(&h->node[at], low, high), nodes++;
            if (!box_holds(node, lane, low, high)) return "a box does not hold its child";
        }
    }
    if (nodes != h->node_count || leaves != h->leaf_count) return "a node or leaf has no parent";
    return triangles == h->triangle_count ? 0 : "a triangle is lost or doubled";
}
