#include "cli/command.h"

#include "bench/mesh.h"
#include "files/json.h"

#include <math.h>

static const char *choice_structure(uint32_t place)
{
    const rn_mesh_structure_info *info = rn_mesh_structure_get_info(place);
    return info ? info->name : NULL;
}

static const char *choice_split(uint32_t place)
{
    return rn_mesh_split_name((rn_mesh_split)place);
}

static const rni_option options[] = {
    {"triangles", RNI_OPTION_COUNTS, "N,..", "number of triangles", "8040,40000,1000000",
     "whole numbers, e.g. --triangles 8040", 8, 1e8, NULL},
    {"points", RNI_OPTION_COUNT, "N", "number of queries of each kind", "20000",
     "a whole number, e.g. --points 20000", 1, 1e8, NULL},
    {"structure", RNI_OPTION_CHOICES, "NAME,..", "data structure",
     "hierarchy,hashed-grid,distance-field,brute", "a structure, e.g. --structure hierarchy", 0, 0,
     choice_structure},
    {"split", RNI_OPTION_CHOICE, "RULE", "how the hierarchy splits", "surface-area",
     "a split rule, e.g. --split longest-side", 0, 0, choice_split},
    {"reps", RNI_OPTION_COUNT, "N", "repetitions; the fastest one of every 200 queries counts", "5",
     "a whole number, e.g. --reps 5", 1, 1000, NULL},
    {"peers", RNI_OPTION_FLAG, NULL, "also run Embree and CGAL on the same mesh and points", NULL,
     NULL, 0, 0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object per line", NULL, NULL, 0, 0, NULL},
    {0}};

static void print_json(const rni_mesh_case *c, const rni_mesh_row *row)
{
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "structure", row->structure);
    rni_json_whole(&json, "triangles", c->layout.mesh.triangle_count);
    rni_json_whole(&json, "points", c->count);
    rni_json_rounded(&json, "build_ms", row->build_ms);
    rni_json_rounded(&json, "closest_ns", row->closest_ns);
    rni_json_rounded(&json, "near_ns", row->near_ns);
    rni_json_rounded(&json, "distance_ns", row->distance_ns);
    rni_json_rounded(&json, "inside_ns", row->inside_ns);
    rni_json_rounded(&json, "segment_ns", row->segment_ns);
    rni_json_rounded(&json, "move_ns", row->move_ns);
    rni_json_rounded(&json, "touch_share", row->touch_share);
    rni_json_rounded(&json, "mean_distance", row->distance);
    rni_json_rounded(&json, "held_mb", row->held_mb);
    rni_json_end(&json);
    putchar('\n');
    fflush(stdout);
}

static void print_number(double number)
{
    if (isfinite(number)) printf(" %9.*f", number < 100.0 ? 1 : 0, number);
    else printf(" %9s", "-");
}

static void print_row(const rni_mesh_case *c, const rni_mesh_row *row, bool is_json)
{
    if (is_json) {
        print_json(c, row);
        return;
    }
    printf("%-17s %9u", row->structure, c->layout.mesh.triangle_count);
    const double numbers[] = {row->build_ms,  row->closest_ns, row->near_ns, row->distance_ns,
                              row->inside_ns, row->segment_ns, row->move_ns, row->held_mb};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) print_number(numbers[k]);
    putchar('\n');
    fflush(stdout);
}

/* Whether the row found the same mean distance as the first one; floats of peers differ a little. */
static bool agrees(const rni_mesh_row *row, double *distance)
{
    if (!isfinite(row->distance)) return true;
    if (!isfinite(*distance)) *distance = row->distance;
    return fabs(row->distance - *distance) <= 1e-5 * *distance;
}

static int run_case(const rni_arguments *a, const rni_mesh_case *c, double *closest)
{
    uint32_t structures[RNI_MAX_LIST];
    const uint32_t count = rni_arguments_choices(a, "structure", structures);
    static const char *const peers[] = {"embree-mesh", "cgal-mesh"};
    const bool is_json = rni_arguments_has(a, "json");
    double distance = (double)NAN;
    rni_mesh_row row;
    for (uint32_t k = 0; k < count; k++) {
        rn_mesh_query_def def = rn_mesh_query_def_default();
        def.structure = rn_mesh_structure_get_info(structures[k])->structure;
        def.split = (rn_mesh_split)rni_arguments_choice(a, "split");
        if (rni_bench_mesh(c, &def, &row) != RN_OK)
            return rni_give_up(a->command, "%s", rn_last_error());
        print_row(c, &row, is_json);
        *closest = fmin(*closest, row.closest_ns);
        if (!agrees(&row, &distance))
            return rni_give_up(a->command,
                               "%s finds other closest points: mean distance %.9g, not %.9g",
                               row.structure, row.distance, distance);
    }
    for (size_t k = 0; k < 2 && rni_arguments_has(a, "peers"); k++) {
        char reason[RNI_REASON_BYTES];
        if (!rni_bench_mesh_peer(c, peers[k], &row, reason)) {
            fprintf(stderr, "%s\n", reason);
            continue;
        }
        print_row(c, &row, is_json);
        if (!is_json)
            printf("closest points: ours is %.1f times as fast as %s\n", row.closest_ns / *closest,
                   row.structure);
        if (!agrees(&row, &distance))
            return rni_give_up(a->command,
                               "%s finds other closest points: mean distance %.9g, not %.9g",
                               row.structure, row.distance, distance);
    }
    return RNI_EXIT_DONE;
}

static int run(const rni_arguments *a)
{
    uint32_t triangles[RNI_MAX_LIST];
    const uint32_t count = rni_arguments_counts(a, "triangles", triangles);
    if (!rni_arguments_has(a, "json"))
        printf("%-17s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "structure", "triangles", "build ms",
               "closest", "near", "distance", "inside", "segment", "move", "MB");
    int code = RNI_EXIT_DONE;
    for (uint32_t k = 0; k < count && code == RNI_EXIT_DONE; k++) {
        rni_mesh_case c;
        double closest = (double)INFINITY;
        if (rni_mesh_case_make(triangles[k], rni_arguments_count(a, "points"),
                               rni_arguments_count(a, "reps"), &c) != RN_OK)
            return rni_give_up(a->command, "%s", rn_last_error());
        code = run_case(a, &c, &closest);
        rni_mesh_case_release(&c);
    }
    return code;
}

const rni_command rni_command_bench_mesh = {
    .name = "mesh",
    .path = "runnel bench mesh",
    .summary = "measures queries on triangle meshes: closest points, inside tests, segments, moves",
    .usage = "[options]",
    .about =
        "Nanoseconds per query on one thread, on a ring of radius 1 m with folds. Columns: closest is\n"
        "the closest point of places up to 0.15 m away along each axis, near the same within 0.02 m,\n"
        "distance the signed distance, inside the inside test by the winding number, segment the first\n"
        "hit between two of these places, move a move inside the mesh that never passes it (water of\n"
        "spacing 1 cm that moves by up to 0.4 of it). All structures find the same closest points.",
    .examples = "runnel bench mesh --triangles 8040,40000\n"
                "runnel bench mesh --structure hierarchy --peers\n"
                "runnel bench mesh --triangles 40000 --split longest-side --json",
    .options = options,
    .run = run,
};
