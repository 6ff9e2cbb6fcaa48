/* Every shape at many sizes, and colons of many patients: closed, oriented, free of themselves. */
#include "../allocators.h"
#include "shapes.h"

#include "../fact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static rn_mesh_data *make(const char *name, uint32_t triangles, uint64_t seed, const char *setting)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *data;
    def.name = name;
    def.triangles = triangles;
    def.seed = seed;
    def.setting = &setting;
    def.setting_count = setting ? 1 : 0;
    if (rn_mesh_make(&def, &data) != RN_OK) fail_msg("%s: %s", name, rn_last_error());
    return data;
}

static void expect_closed(const rn_mesh_data *data, const char *name, uint64_t seed)
{
    const rn_mesh_diagnosis d = diagnose(data, 0);
    for (int kind = 0; kind < RN_MESH_FAULT_KINDS; kind++)
        if (d.fault[kind].count)
            fail_msg("%s of %u triangles, seed %u: %u times %s", name, d.triangle_count,
                     (unsigned)seed, (unsigned)d.fault[kind].count,
                     rn_mesh_fault_name((rn_mesh_fault_kind)kind));
    if (!d.is_closed || !(d.volume > 0) || d.component_count != 1)
        fail_msg("%s: closed %d, volume %g, %u parts", name, d.is_closed, d.volume,
                 d.component_count);
}

static void expect_count(const rn_mesh_data *data, const char *name, uint32_t wanted)
{
    const uint32_t count = rn_mesh_data_get_mesh(data).triangle_count;
    if (count != wanted) fail_msg("%s: %u triangles; %u were asked for", name, count, wanted);
}

static void every_shape_is_clean_with_any_number_of_triangles(void **state)
{
    (void)state;
    for (uint32_t place = 0; rn_mesh_get_maker_info(place); place++) {
        const rn_mesh_maker_info *info = rn_mesh_get_maker_info(place);
        const bool is_sheet = strcmp(info->name, "landscape") == 0;
        const uint32_t least = info->least_triangles + info->least_triangles % 2;
        const uint32_t counts[] = {least, least + 2, 2 * least + 6, info->standard_triangles, 8040};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            if (counts[k] < least) continue;
            rn_mesh_data *data = make(info->name, counts[k], 1, is_sheet ? "closed=1" : NULL);
            expect_closed(data, info->name, 1);
            expect_count(data, info->name, counts[k]);
            rn_mesh_data_destroy(data);
        }
        rn_mesh_data *odd = make(info->name, 8041, 1, is_sheet ? "closed=1" : NULL);
        expect_count(odd, info->name, 8040);
        rn_mesh_data_destroy(odd);
    }
}

static void colons_of_all_patients_are_free_of_themselves(void **state)
{
    (void)state;
    double volume[21] = {0};
    for (uint64_t seed = 1; seed <= 20; seed += FACT_SLOWNESS > 1 ? 7 : 1) {
        static const uint32_t COUNTS[] = {1200, 8040, 40000};
        for (int k = 0; k < 3; k++) {
            rn_mesh_data *data = make("colon", COUNTS[k], seed, NULL);
            expect_closed(data, "colon", seed);
            expect_count(data, "colon", COUNTS[k]);
            if (k == 2) {
                const rn_mesh_diagnosis d = diagnose(data, 0);
                volume[seed] = d.volume;
                /* Human proportions: some litres in a box of about 35 x 55 x 25 cm. */
                assert_true(d.volume > 1.5e-3 && d.volume < 4.5e-3);
                assert_true(d.high[0] - d.low[0] > 0.25 && d.high[0] - d.low[0] < 0.5);
                assert_true(d.high[1] - d.low[1] > 0.4 && d.high[1] - d.low[1] < 0.75);
            }
            rn_mesh_data_destroy(data);
        }
    }
    assert_true(volume[1] != volume[8]); /* another seed, another patient */
}

static void open_ends_are_open(void **state)
{
    (void)state;
    for (int open = 1; open <= 3; open++) {
        char setting[32];
        snprintf(setting, sizeof setting, "open=%d", open);
        rn_mesh_data *data = make("colon", 8040, 2, setting);
        const rn_mesh_diagnosis d = diagnose(data, 0);
        const uint64_t edges = d.fault[RN_MESH_OPEN_EDGE].count;
        assert_true(edges >= 9 && d.fault[RN_MESH_INVERTED].count == 0 && d.component_count == 1);
        expect_faults(&d, RN_MESH_OPEN_EDGE, (int)edges, -1);
        rn_mesh_data_destroy(data);
    }
    rn_mesh_data *sheet = make("landscape", 999, 3, NULL);
    const rn_mesh mesh = rn_mesh_data_get_mesh(sheet);
    expect_count(sheet, "landscape", 999);
    for (size_t t = 0; t < mesh.triangle_count; t++) { /* looks up */
        const float *a = mesh.vertex + 3 * (size_t)mesh.triangle[3 * t];
        const float *b = mesh.vertex + 3 * (size_t)mesh.triangle[3 * t + 1];
        const float *c = mesh.vertex + 3 * (size_t)mesh.triangle[3 * t + 2];
        assert_true((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0);
    }
    rn_mesh_data_destroy(sheet);
}

/* Texels hold the trails of the fluid: no two triangles may share an area of the texture. */
static void textures_cover_each_place_once(void **state)
{
    (void)state;
    for (uint32_t place = 0; rn_mesh_get_maker_info(place); place++) {
        const rn_mesh_maker_info *info = rn_mesh_get_maker_info(place);
        rn_mesh_data *data =
            make(info->name, 0, 1, strcmp(info->name, "landscape") ? NULL : "closed=1");
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        double area = 0;
        for (size_t t = 0; mesh.texture && t < mesh.triangle_count; t++) {
            const float *uv = mesh.texture + 6 * t;
            for (int k = 0; k < 6; k++) assert_true(uv[k] >= 0 && uv[k] <= 1.00001f);
            area += 0.5 * fabs((double)((uv[2] - uv[0]) * (uv[5] - uv[1]) -
                                        (uv[3] - uv[1]) * (uv[4] - uv[0])));
        }
        if (!(area <= 1.00001)) fail_msg("%s: the texture has an area of %g", info->name, area);
        if (mesh.texture) assert_true(area > 0.3);
        rn_mesh_data_destroy(data);
    }
}

static void known_volumes_are_met(void **state)
{
    (void)state;
    rn_mesh_data *data = make("sphere", 20000, 1, "radius=0.5");
    rn_mesh_diagnosis d = diagnose(data, 0);
    assert_true(fabs(d.volume / (4.0 / 3 * 3.14159265 * 0.125) - 1) < 2e-3);
    rn_mesh_data_destroy(data);
    data = make("box", 12000, 1, "x=2");
    d = diagnose(data, 0);
    assert_true(fabs(d.volume - 0.08) < 1e-8);
    rn_mesh_data_destroy(data);
    data = make("pipe", 20000, 1, "wall=0");
    d = diagnose(data, 0);
    assert_true(fabs(d.volume / (0.5 * 3.14159265 * 0.0025) - 1) < 5e-3);
    rn_mesh_data_destroy(data);
}

static void refuse(const char *name, uint32_t triangles, const char *setting, const char *part)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *data;
    def.name = name;
    def.triangles = triangles;
    def.setting = &setting;
    def.setting_count = setting ? 1 : 0;
    assert_int_equal(rn_mesh_make(&def, &data), RN_ERROR_ARGUMENT);
    assert_null(data);
    if (!strstr(rn_last_error(), part)) fail_msg("'%s' is not in '%s'", part, rn_last_error());
}

static void wrong_parameters_are_refused_with_a_remedy(void **state)
{
    (void)state;
    refuse("kolon", 0, NULL, "the shapes are colon, landscape");
    refuse(NULL, 0, NULL, "there is no shape");
    refuse("colon", 5, NULL, "at least 1200");
    refuse("colon", 0, "scale=0", "a number from 0.001 to 1000");
    refuse("colon", 0, "scale=nan", "a number from");
    refuse("colon", 0, "scale", "is no value of scale");
    refuse("colon", 0, "radius=2", "its parameters are scale");
    refuse("pipe", 0, "bend=300", "make it longer, or use less");
    refuse("venturi", 0, "throat=0.1", "must be less than radius");
    refuse("jug", 0, "neck=0.2", "must not exceed belly");
    rn_mesh_make_def def = {0};
    rn_mesh_data *data;
    assert_int_equal(rn_mesh_make(&def, &data), RN_ERROR_ARGUMENT);
}

static void any_failed_allocation_is_reported(void **state)
{
    (void)state;
    for (uint32_t place = 0; rn_mesh_get_maker_info(place); place++) {
        const rn_mesh_maker_info *info = rn_mesh_get_maker_info(place);
        rn_result result = RN_ERROR_MEMORY;
        for (int64_t n = 0; result != RN_OK; n++) {
            budget b = {.is_inside = ATOMIC_FLAG_INIT, .left = n};
            rn_mesh_make_def def = rn_mesh_make_def_default();
            rn_mesh_data *data;
            def.name = info->name;
            def.triangles = info->least_triangles + 8;
            def.allocator = budget_allocator(&b);
            result = rn_mesh_make(&def, &data);
            assert_true(result == RN_OK || result == RN_ERROR_MEMORY);
            rn_mesh_data_destroy(data);
            assert_int_equal(b.live, 0);
            assert_true(n < 400);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_is_clean_with_any_number_of_triangles),
        cmocka_unit_test(colons_of_all_patients_are_free_of_themselves),
        cmocka_unit_test(open_ends_are_open),
        cmocka_unit_test(textures_cover_each_place_once),
        cmocka_unit_test(known_volumes_are_met),
        cmocka_unit_test(wrong_parameters_are_refused_with_a_remedy),
        cmocka_unit_test(any_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("mesh.make", tests, NULL, NULL);
}
