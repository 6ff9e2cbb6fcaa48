/* Binary glTF 2.0 (.glb): the triangles of all nodes of the scene, with their transforms and
 * TEXCOORD_0. Materials, skins, animations and morph targets are skipped. Refused, with their path
 * in the file: points, lines, strips and fans; sparse accessors; buffers outside of the file;
 * required extensions that change the geometry (compression). */
#include "files/glb.h"
#include "files/mesh_file.h"

#include "base/error.h"
#include "mesh/data.h"
#include "mesh/record_table.h"

#include <math.h>
#include <string.h>

#define NODE_DEPTH_MAX 64u

typedef struct glb_scan {
    rni_glb glb;
    rn_mesh_data *mesh;
    rni_record_table known; /* vertices of the present node */
    uint64_t visits;        /* of nodes: more than there are nodes means a loop */
} glb_scan;

/* --- transforms -------------------------------------------------------------------------------- */

/* Columns of an affine map: x' = m[0] x + m[1] y + m[2] z + m[3]. */
typedef struct affine {
    double m[4][3];
} affine;

static const affine IDENTITY = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};

static void apply(const affine *map, const double at[3], double out[3])
{
    for (int r = 0; r < 3; r++)
        out[r] = map->m[0][r] * at[0] + map->m[1][r] * at[1] + map->m[2][r] * at[2] + map->m[3][r];
}

static affine compose(const affine *outer, const affine *inner)
{
    affine both;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 3; r++)
            both.m[c][r] = outer->m[0][r] * inner->m[c][0] + outer->m[1][r] * inner->m[c][1] +
                           outer->m[2][r] * inner->m[c][2] + (c == 3 ? outer->m[3][r] : 0);
    return both;
}

static double determinant(const affine *map)
{
    const double(*m)[3] = map->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* From translation, rotation (a quaternion) and scale. */
static affine from_parts(const double t[3], const double q[4], const double s[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    affine map = {{{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
                   {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
                   {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)},
                   {t[0], t[1], t[2]}}};
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) map.m[c][r] *= s[c];
    return map;
}

static rn_result read_transform(glb_scan *scan, const json_t *node, size_t number, affine *map)
{
    double t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1}, matrix[16];
    *map = IDENTITY;
    rni_glb_path path = {.list = "nodes", .number = number};
    if (json_object_get(node, "matrix")) {
        rn_result result = rni_glb_numbers(&scan->glb, path, node, "matrix", 16, matrix);
        for (int c = 0; c < 4 && result == RN_OK; c++)
            for (int r = 0; r < 3; r++) map->m[c][r] = matrix[4 * c + r];
        return result;
    }
    rn_result result = rni_glb_numbers(&scan->glb, path, node, "translation", 3, t);
    if (result == RN_OK) result = rni_glb_numbers(&scan->glb, path, node, "rotation", 4, q);
    if (result == RN_OK) result = rni_glb_numbers(&scan->glb, path, node, "scale", 3, s);
    if (result == RN_OK) *map = from_parts(t, q, s);
    return result;
}

/* --- primitives -------------------------------------------------------------------------------- */

typedef struct primitive {
    rni_glb_path path;
    rni_glb_accessor position, index, texture;
    bool has_index, has_texture;
} primitive;

static rn_result open_primitive(glb_scan *scan, const json_t *json, primitive *p)
{
    static const char *const MODES[] = {"points", "lines",           "line loops",   "line strips",
                                        "",       "triangle strips", "triangle fans"};
    uint64_t mode = 4;
    rn_result result = rni_glb_whole(&scan->glb, p->path, json, "mode", &mode);
    if (result == RN_OK && mode != 4)
        result = rni_glb_fail(&scan->glb, p->path,
                              mode < 7 ? MODES[mode] : "an unknown kind of primitive",
                              "is not read; export it as triangles");
    const json_t *attributes = json_object_get(json, "attributes");
    if (result == RN_OK && !json_is_object(attributes))
        result = rni_glb_fail(&scan->glb, p->path, "attributes", "is missing");
    if (result == RN_OK)
        result = rni_glb_accessor_open(&scan->glb, p->path, attributes, "POSITION", &p->position);
    p->has_index = json_object_get(json, "indices") != NULL;
    p->has_texture = json_object_get(attributes, "TEXCOORD_0") != NULL;
    if (result == RN_OK && p->has_index)
        result = rni_glb_accessor_open(&scan->glb, p->path, json, "indices", &p->index);
    if (result == RN_OK && p->has_texture)
        result = rni_glb_accessor_open(&scan->glb, p->path, attributes, "TEXCOORD_0", &p->texture);
    if (result != RN_OK) return result;
    if (p->position.width != 3 || p->position.type != RNI_STORED_F32)
        return rni_glb_fail(&scan->glb, p->path, "POSITION", "is not of type VEC3 of floats");
    if (p->has_index && (p->index.width != 1 || p->index.type == RNI_STORED_F32 ||
                         p->index.type == RNI_STORED_I8 || p->index.type == RNI_STORED_I16))
        return rni_glb_fail(&scan->glb, p->path, "indices",
                            "is not of type SCALAR of unsigned integers");
    if (p->has_texture && (p->texture.width != 2 || p->texture.count != p->position.count))
        return rni_glb_fail(&scan->glb, p->path, "TEXCOORD_0",
                            "is not of type VEC2 with one for each position");
    return RN_OK;
}

static rn_result add_corner(glb_scan *scan, const primitive *p, const affine *map, uint64_t at,
                            uint32_t *vertex, float uv[2])
{
    double local[3], world[3];
    float position[3];
    bool is_new;
    for (uint32_t axis = 0; axis < 3; axis++) local[axis] = rni_glb_value(&p->position, at, axis);
    apply(map, local, world);
    for (int axis = 0; axis < 3; axis++) {
        position[axis] = (float)world[axis];
        if (!isfinite(position[axis]))
            return rni_glb_fail(&scan->glb, p->path, "POSITION",
                                "has a value that is not finite, as a float (up to 3.4e38)");
    }
    for (uint32_t axis = 0; axis < 2 && p->has_texture; axis++) {
        uv[axis] = (float)rni_glb_value(&p->texture, at, axis);
        if (!isfinite(uv[axis]))
            return rni_glb_fail(&scan->glb, p->path, "TEXCOORD_0", "has a value that is not finite");
    }
    rn_result result = rni_record_table_add(&scan->known, position, vertex, &is_new);
    if (result == RN_OK && is_new) result = rn_mesh_data_add_vertices(scan->mesh, position, 1);
    return result;
}

static rn_result read_primitive(glb_scan *scan, const json_t *json, const affine *map,
                                uint32_t first_vertex, primitive *p)
{
    rn_result result = open_primitive(scan, json, p);
    if (result != RN_OK) return result;
    const uint64_t corners = p->has_index ? p->index.count : p->position.count;
    if (corners % 3 != 0)
        return rni_glb_fail(&scan->glb, p->path, p->has_index ? "indices" : "POSITION",
                            "has a number of corners that is no multiple of three");
    const bool is_mirrored = determinant(map) < 0;
    for (uint64_t k = 0; k < corners; k += 3) {
        uint32_t corner[3] = {0, 0, 0};
        float uv[6] = {0};
        for (uint64_t c = 0; c < 3; c++) {
            const double at = p->has_index ? rni_glb_value(&p->index, k + c, 0) : (double)(k + c);
            if (at >= (double)p->position.count)
                return rni_glb_fail(&scan->glb, p->path, "indices",
                                    "names a vertex past the last one");
            const uint64_t to = is_mirrored && c ? 3 - c : c;
            result = add_corner(scan, p, map, (uint64_t)at, &corner[to], &uv[2 * to]);
            if (result != RN_OK) return result;
            corner[to] += first_vertex;
        }
        result = rn_mesh_data_add_triangles(scan->mesh, corner, p->has_texture ? uv : NULL, 1);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result read_mesh(glb_scan *scan, uint64_t number, const affine *map)
{
    rni_glb_path path = {.list = "meshes", .number = number};
    const json_t *mesh = rni_glb_item(&scan->glb, "meshes", number);
    const json_t *primitives = mesh ? json_object_get(mesh, "primitives") : NULL;
    if (!json_is_array(primitives))
        return rni_glb_fail(&scan->glb, path, "primitives", "is missing");
    const uint32_t first_vertex = scan->mesh->vertex_count;
    rni_record_table_clear(&scan->known);
    for (size_t k = 0; k < json_array_size(primitives); k++) {
        primitive p = {
            .path = {.list = "meshes", .number = number, .sub = "primitives", .sub_number = k}};
        rn_result result = read_primitive(scan, json_array_get(primitives, k), map, first_vertex, &p);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* --- nodes ------------------------------------------------------------------------------------- */

static rn_result read_nodes(glb_scan *scan, const json_t *numbers, const affine *outer,
                            unsigned depth);

static rn_result read_node(glb_scan *scan, uint64_t number, const affine *outer, unsigned depth)
{
    rni_glb_path path = {.list = "nodes", .number = number};
    const json_t *node = rni_glb_item(&scan->glb, "nodes", number);
    if (!json_is_object(node)) return rni_glb_fail(&scan->glb, path, "the node", "does not exist");
    if (depth > NODE_DEPTH_MAX ||
        ++scan->visits > json_array_size(json_object_get(scan->glb.root, "nodes")))
        return rni_glb_fail(&scan->glb, path, "the node",
                            "is its own ancestor, has two parents, or is more than 64 levels deep");
    affine own, map;
    rn_result result = read_transform(scan, node, number, &own);
    if (result != RN_OK) return result;
    map = compose(outer, &own);
    if (json_object_get(node, "mesh")) {
        uint64_t mesh = 0;
        result = rni_glb_whole(&scan->glb, path, node, "mesh", &mesh);
        if (result == RN_OK) result = read_mesh(scan, mesh, &map);
    }
    const json_t *children = json_object_get(node, "children");
    return result == RN_OK && children ? read_nodes(scan, children, &map, depth + 1) : result;
}

static rn_result read_nodes(glb_scan *scan, const json_t *numbers, const affine *outer, unsigned depth)
{
    for (size_t k = 0; k < json_array_size(numbers); k++) {
        const json_t *number = json_array_get(numbers, k);
        if (!json_is_integer(number) || json_integer_value(number) < 0)
            return rni_glb_fail(&scan->glb, (rni_glb_path){.list = "nodes"}, "a child",
                                "is not a node number");
        rn_result result = read_node(scan, (uint64_t)json_integer_value(number), outer, depth);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result read_scene(glb_scan *scan)
{
    uint64_t number = 0;
    const rni_glb_path path = {.list = "scene"};
    rn_result result = rni_glb_whole(&scan->glb, path, scan->glb.root, "scene", &number);
    const json_t *scene = rni_glb_item(&scan->glb, "scenes", number);
    if (result != RN_OK) return result;
    if (scene) return read_nodes(scan, json_object_get(scene, "nodes"), &IDENTITY, 1);
    /* Without a scene: a library of meshes, each where it was modelled. */
    const size_t count = json_array_size(json_object_get(scan->glb.root, "meshes"));
    for (size_t k = 0; k < count && result == RN_OK; k++) result = read_mesh(scan, k, &IDENTITY);
    return result;
}

rn_result rni_glb_read(rni_mesh_reader *reader)
{
    glb_scan scan = {.mesh = reader->mesh};
    rni_record_table_init(&scan.known, &reader->mesh->memory, 3);
    reader->format = "glTF binary";
    rn_result result = rni_glb_open(reader->input, &scan.glb);
    if (result == RN_OK) result = read_scene(&scan);
    if (result == RN_OK && scan.mesh->triangle_count == 0)
        result = rni_fail(RN_ERROR_FILE, "%s: the scene of the file has no triangles",
                          reader->input->name);
    rni_record_table_free(&scan.known);
    rni_glb_close(&scan.glb);
    return result;
}
