#include "cli/mesh_report.h"

#include "files/mesh_file.h"

#include <math.h>

bool rni_mesh_open(const char *path, rn_mesh_data **data, const char **format)
{
    return rn_mesh_data_create(NULL, data) == RN_OK &&
           rni_mesh_file_read(path, *data, format) == RN_OK;
}

bool rni_mesh_diagnose_all(const rn_mesh_data *data, double spacing, uint32_t threads,
                           rn_mesh_diagnosis *d)
{
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    rn_mesh_diagnose_def def = rn_mesh_diagnose_def_default();
    *d = rn_mesh_diagnosis_default();
    def.spacing = spacing;
    def.threads = threads;
    return rn_mesh_diagnose(&mesh, &def, d) == RN_OK;
}

/* --- text -------------------------------------------------------------------------------------- */

/* What to do about each kind of fault. */
static const char *const REMEDIES[RN_MESH_FAULT_KINDS] = {
    "water leaves through holes; close them in a modelling program, or use the mesh as an open sheet",
    "the inside is ambiguous there; separate the parts that meet at the edge",
    "`runnel mesh repair` turns them",
    "`runnel mesh repair` drops them",
    "`runnel mesh repair` drops them",
    "unite the parts in a modelling program",
    "particles on both sides are closer than a spacing; make the wall thicker or the spacing smaller",
    "no particle fits in; make the gap wider or the spacing smaller"};

static const char *plural_of(int kind, uint64_t count)
{
    static const char *const MANY[RN_MESH_FAULT_KINDS] = {
        "open edges",           "non-manifold edges", "inverted triangles", "duplicate triangles",
        "degenerate triangles", "self-intersections", "thin walls",         "narrow gaps"};
    return count == 1 ? rn_mesh_fault_name((rn_mesh_fault_kind)kind) : MANY[kind];
}

static void print_fault(FILE *file, int kind, const rn_mesh_fault *fault)
{
    fprintf(file, "fault     %llu %s: %s\n", (unsigned long long)fault->count,
            plural_of(kind, fault->count), REMEDIES[kind]);
    for (uint32_t k = 0; k < fault->place_count; k++) {
        const rn_mesh_place *place = &fault->place[k];
        fprintf(file, "            triangle %u", place->triangle);
        if (place->other != place->triangle) fprintf(file, " and %u", place->other);
        fprintf(file, " at %.6g, %.6g, %.6g\n", (double)place->position[0],
                (double)place->position[1], (double)place->position[2]);
    }
    if (fault->count > fault->place_count) fputs("            ...\n", file);
}

static void print_thickness(FILE *file, const char *what, double thickness, double spacing)
{
    if (thickness > 0)
        fprintf(file, "%s %.4g m, %.3g spacings\n", what, thickness, thickness / spacing);
    else fprintf(file, "%s more than two spacings\n", what);
}

void rni_mesh_report_print(FILE *file, const rn_mesh_diagnosis *d, double spacing, bool has_texture)
{
    uint64_t faults = 0;
    fprintf(file, "mesh      %u triangles, %u vertices%s%s\n", d->triangle_count, d->vertex_count,
            has_texture ? ", texture coordinates" : "", d->unused_vertex_count ? ", " : "");
    if (d->unused_vertex_count)
        fprintf(file, "          %u vertices are in no triangle\n", d->unused_vertex_count);
    fprintf(file, "bounds    %.6g, %.6g, %.6g to %.6g, %.6g, %.6g m\n", d->low[0], d->low[1],
            d->low[2], d->high[0], d->high[1], d->high[2]);
    fprintf(file, "area      %.6g m^2\n", d->area);
    if (d->is_closed) fprintf(file, "volume    %.6g m^3\n", d->volume);
    else fprintf(file, "volume    none: the mesh is not closed, or not oriented\n");
    fprintf(file, "parts     %u, %u closed\n", d->component_count, d->closed_component_count);
    if (!d->is_orientable)
        fputs("sides     only one: a part is twisted, like a Moebius strip\n", file);
    if (spacing > 0) {
        print_thickness(file, "thinnest  wall", d->thinnest_wall, spacing);
        print_thickness(file, "thinnest  gap ", d->narrowest_gap, spacing);
    }
    for (int kind = 0; kind < RN_MESH_FAULT_KINDS; kind++) {
        if (d->fault[kind].count == 0) continue;
        faults += d->fault[kind].count;
        print_fault(file, kind, &d->fault[kind]);
    }
    if (faults == 0) fputs("faults    none\n", file);
}

/* --- JSON -------------------------------------------------------------------------------------- */

static void write_places(rni_json *json, const char *key, const rn_mesh_place *place, uint32_t count)
{
    rni_json_key(json, key);
    fputc('[', json->file);
    for (uint32_t k = 0; k < count; k++) {
        if (k) fputs(", ", json->file);
        const double at[3] = {(double)place[k].position[0], (double)place[k].position[1],
                              (double)place[k].position[2]};
        rni_json one = rni_json_begin(json->file);
        rni_json_whole(&one, "triangle", place[k].triangle);
        rni_json_whole(&one, "other", place[k].other);
        rni_json_floats(&one, "position", at, 3);
        rni_json_end(&one);
    }
    fputc(']', json->file);
}

static void write_thickness(rni_json *json, const char *key, double thickness)
{
    if (thickness > 0) rni_json_number(json, key, thickness);
    else rni_json_null(json, key);
}

void rni_mesh_report_json(rni_json *json, const rn_mesh_diagnosis *d, double spacing, bool has_texture)
{
    rni_json_whole(json, "triangles", d->triangle_count);
    rni_json_whole(json, "vertices", d->vertex_count);
    rni_json_whole(json, "unused_vertices", d->unused_vertex_count);
    rni_json_bool(json, "texture", has_texture);
    rni_json_bool(json, "closed", d->is_closed);
    rni_json_bool(json, "orientable", d->is_orientable);
    rni_json_whole(json, "components", d->component_count);
    rni_json_whole(json, "closed_components", d->closed_component_count);
    rni_json_numbers(json, "low", d->low, 3);
    rni_json_numbers(json, "high", d->high, 3);
    rni_json_number(json, "area", d->area);
    rni_json_number(json, "volume", d->volume);
    if (spacing > 0) {
        rni_json_number(json, "spacing", spacing);
        write_thickness(json, "thinnest_wall", d->thinnest_wall);
        write_thickness(json, "narrowest_gap", d->narrowest_gap);
    }
    rni_json_key(json, "faults");
    fputc('[', json->file);
    for (int kind = 0, printed = 0; kind < RN_MESH_FAULT_KINDS; kind++) {
        if (d->fault[kind].count == 0) continue;
        if (printed++) fputs(", ", json->file);
        rni_json one = rni_json_begin(json->file);
        rni_json_text(&one, "fault", rn_mesh_fault_name((rn_mesh_fault_kind)kind));
        rni_json_whole(&one, "count", d->fault[kind].count);
        write_places(&one, "places", d->fault[kind].place, d->fault[kind].place_count);
        rni_json_end(&one);
    }
    fputc(']', json->file);
}
