/* The hierarchy against brute force, for each split rule, instruction set and mesh. */
#include "fact.h"

#include "base/cpu.h"
#include "base/random.h"
#include "bench/mesh_layouts.h"
#include "mesh/hierarchy.h"

#include <stdlib.h>
#include <string.h>

typedef struct holder {
    rni_memory memory;
    rni_crew *crew;
    rni_hierarchy hierarchy;
} holder;

static void open_holder(holder *o, const rn_mesh *mesh, rn_mesh_split split, rn_cpu_level cpu)
{
    memset(o, 0, sizeof *o);
    assert_int_equal(rni_memory_init(&o->memory, &(rn_allocator){0}), RN_OK);
    assert_int_equal(rni_crew_create(&o->memory, 2, &(rn_tasks){0}, &o->crew), RN_OK);
    assert_int_equal(rni_mesh_check(mesh), RN_OK);
    assert_int_equal(rni_hierarchy_build(&o->hierarchy, &o->memory, o->crew, cpu, mesh, split),
                     RN_OK);
    const char *wrong = rni_validate_hierarchy(&o->hierarchy);
    if (wrong) fail_msg("%s", wrong);
}

static void close_holder(holder *o)
{
    rni_hierarchy_free(&o->hierarchy);
    rni_crew_destroy(o->crew);
    assert_int_equal(o->memory.held_bytes, 0);
}

static void corners_of(const rn_mesh *mesh, uint32_t t, double triangle[3][3])
{
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t axis = 0; axis < 3; axis++)
            triangle[k][axis] = (double)mesh->vertex[3 * mesh->triangle[3 * t + k] + axis];
}

/* Written apart from the library: the minimum over a triangle's interior and edges in long double, by
 * solving for barycentric coordinates. */
static long double judged_distance(const double v[3][3], const float p[3])
{
    long double best = (long double)INFINITY, e0[3], e1[3], d[3];
    for (int axis = 0; axis < 3; axis++) {
        e0[axis] = (long double)v[1][axis] - (long double)v[0][axis];
        e1[axis] = (long double)v[2][axis] - (long double)v[0][axis];
        d[axis] = (long double)p[axis] - (long double)v[0][axis];
    }
    long double a = 0, b = 0, c = 0, f = 0, g = 0;
    for (int axis = 0; axis < 3; axis++) {
        a += e0[axis] * e0[axis], b += e0[axis] * e1[axis], c += e1[axis] * e1[axis];
        f += e0[axis] * d[axis], g += e1[axis] * d[axis];
    }
    const long double det = a * c - b * b;
    if (det > 0) {
        const long double s = (c * f - b * g) / det, t = (a * g - b * f) / det;
        if (s >= 0 && t >= 0 && s + t <= 1) {
            long double sum = 0;
            for (int axis = 0; axis < 3; axis++) {
                const long double r = d[axis] - s * e0[axis] - t * e1[axis];
                sum += r * r;
            }
            best = sum;
        }
    }
    for (int k = 0; k < 3; k++) {
        long double ee = 0, along = 0, sum = 0;
        for (int axis = 0; axis < 3; axis++) {
            const long double e = (long double)v[(k + 1) % 3][axis] - (long double)v[k][axis];
            ee += e * e;
            along += e * ((long double)p[axis] - (long double)v[k][axis]);
        }
        long double t = ee > 0 ? along / ee : 0;
        t = t < 0 ? 0 : (t > 1 ? 1 : t);
        for (int axis = 0; axis < 3; axis++) {
            const long double e = (long double)v[(k + 1) % 3][axis] - (long double)v[k][axis];
            const long double r = (long double)p[axis] - (long double)v[k][axis] - t * e;
            sum += r * r;
        }
        if (sum < best) best = sum;
    }
    return sqrtl(best);
}

static void triangle_test_agrees_with_long_doubles(void **state)
{
    (void)state;
    rni_mesh_layout soup;
    assert_int_equal(rni_mesh_layout_make(RNI_MESH_SOUP, 400, 5, &soup), RN_OK);
    float points[3 * 200];
    rni_mesh_points_near(&soup, 0.2, 6, 200, points);
    for (uint32_t t = 0; t < soup.mesh.triangle_count; t++)
        for (uint32_t i = 0; i < 200; i++) {
            double v[3][3], sum = 0.0;
            const double p[3] = {(double)points[3 * i], (double)points[3 * i + 1],
                                 (double)points[3 * i + 2]};
            rni_near near;
            corners_of(&soup.mesh, t, v);
            rni_triangle_nearest((const double(*)[3])v, p, &near);
            const double truth = (double)judged_distance((const double(*)[3])v, points + 3 * i);
            if (fabs(sqrt(near.distance_sq) - truth) > 1e-12)
                fail_msg("triangle %u, point %u: %.17g instead of %.17g", t, i,
                         sqrt(near.distance_sq), truth);
            for (int axis = 0; axis < 3; axis++) {
                double x = 0.0;
                for (int k = 0; k < 3; k++) x += near.weight[k] * v[k][axis];
                assert_true(fabs(x - near.point[axis]) < 1e-6);
                sum += near.weight[axis];
                assert_true(near.weight[axis] >= 0.0);
            }
            assert_true(fabs(sum - 1.0) < 1e-12);
        }
    rni_mesh_layout_release(&soup);
}

static rni_near brute_closest(const rn_mesh *mesh, const float point[3])
{
    rni_near best = {.distance_sq = (double)INFINITY, .triangle = UINT32_MAX};
    const double p[3] = {(double)point[0], (double)point[1], (double)point[2]};
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double v[3][3];
        rni_near near;
        corners_of(mesh, t, v);
        rni_triangle_nearest((const double(*)[3])v, p, &near);
        near.triangle = t;
        if (near.distance_sq < best.distance_sq) best = near;
    }
    return best;
}

static void compare_points(const rni_mesh_layout *layout, const float *points, uint32_t count,
                           const char *name)
{
    rni_near *truth = calloc(count, sizeof *truth);
    for (uint32_t i = 0; i < count; i++) truth[i] = brute_closest(&layout->mesh, points + 3 * i);
    for (int level = RN_CPU_PLAIN; level <= RN_CPU_AVX2; level++)
        for (int split = 0; split <= RN_SPLIT_LONGEST_SIDE; split++) {
            if ((int)rn_cpu_best() < level) continue;
            holder o;
            open_holder(&o, &layout->mesh, (rn_mesh_split)split, (rn_cpu_level)level);
            for (uint32_t i = 0; i < count; i++) {
                rni_near near;
                if (!rni_hierarchy_closest(&o.hierarchy, points + 3 * i, (double)INFINITY, &near))
                    fail_msg("%s, split %d, point %u: nothing is closest", name, split, i);
                if (near.triangle != truth[i].triangle || near.distance_sq != truth[i].distance_sq)
                    fail_msg(
                        "%s, split %d, cpu %d, point %u: triangle %u at %.17g instead of %u at %.17g",
                        name, split, level, i, near.triangle, sqrt(near.distance_sq),
                        truth[i].triangle, sqrt(truth[i].distance_sq));
                const double d = sqrt(near.distance_sq);
                assert_false(d > 0.0 &&
                             rni_hierarchy_closest(&o.hierarchy, points + 3 * i, 0.999 * d, &near));
                assert_true(rni_hierarchy_closest(&o.hierarchy, points + 3 * i, 1.001 * d, &near));
            }
            close_holder(&o);
        }
    free(truth);
}

static void closest_points_are_those_of_brute_force(void **state)
{
    (void)state;
    static const char *const names[] = {"torus", "sphere", "spikes", "soup", "plate"};
    for (int kind = 0; kind < 5; kind++) {
        rni_mesh_layout layout;
        static float points[3 * 4000];
        assert_int_equal(rni_mesh_layout_make((rni_mesh_kind)kind, 1200, 7, &layout), RN_OK);
        rni_mesh_points_near(&layout, 0.3, 8, 2000, points);
        rni_mesh_points_near(&layout, 0.0, 9, 500, points + 3 * 2000);
        rni_mesh_points_near(&layout, 10.0, 10, 500, points + 3 * 2500);
        rni_mesh_points_near(&layout, 1e-5, 10, 500, points + 3 * 3000);
        for (uint32_t i = 3500; i < 4000; i++) /* vertices themselves, and the centre of the sphere */
            for (uint32_t axis = 0; axis < 3; axis++)
                points[3 * i + axis] =
                    i < 3990 ? layout.vertex[3 * (i % layout.mesh.vertex_count) + axis] : 0.0f;
        compare_points(&layout, points, 4000, names[kind]);
        rni_mesh_layout_release(&layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangle_test_agrees_with_long_doubles),
        cmocka_unit_test(closest_points_are_those_of_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
