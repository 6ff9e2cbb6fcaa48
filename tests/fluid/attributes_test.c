/* The attribute table: what a row says is what happens to its array. Every test walks all rows, so
 * a new row is tested by being there. */
#include "water_test.h"

#include "fluid/attributes.h"
#include "fluid/retry.h"
#include "fluid/scheme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A dam break with walls, a rough block and two attributes of the user; of `fluids` fluids. */
static rn_fluid *make_mixture(bool has_own, uint32_t fluids)
{
    rn_fluid_def def = water_def(3, 0.05f, 1, 0.5f, 0.5f);
    def.threads = 2;
    def.measure_loads = true;
    def.params.tension = RN_TENSION_AKINCI;
    def.params.cohesion = 0.1f, def.params.smooth_normals = true;
    def.params.viscosity_law = RN_LAW_POWER, def.params.flow_index = 0.5f;
    def.phase_count = fluids;
    for (uint32_t k = 0; k < fluids; k++) {
        def.phases[k] = rn_fluid_phase_default();
        snprintf(def.phases[k].name, RN_PHASE_NAME, "fluid %u", k);
        def.phases[k].viscosity_law = RN_LAW_POWER, def.phases[k].flow_index = 0.5f;
    }
    rn_fluid *fluid = water_create(&def);
    const rn_fluid_attribute_info own[] = {{"heat", "K", 1, RN_ATTRIBUTE_FLOAT},
                                           {"tag", NULL, 3, RN_ATTRIBUTE_UINT32}};
    for (int k = 0; k < 2 && has_own; k++) assert_ok(rn_fluid_add_attribute(fluid, &own[k]));
    rn_solid rough = rn_solid_default();
    rough.shape = RN_SOLID_BOX;
    rough.center[0] = 0.8f, rough.center[1] = rough.center[2] = 0.25f;
    rough.half[0] = rough.half[1] = rough.half[2] = 0.1f;
    rough.friction = 0.5f;
    assert_ok(rn_fluid_add_solid(fluid, &rough, NULL));
    assert_ok(rn_fluid_watch_contacts(fluid, 0.1f));
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.4f, 0.5f}, 0.2f);
    return fluid;
}

static rn_fluid *make_fluid(bool has_own)
{
    return make_mixture(has_own, 2);
}

static char *entry_of(const rn_fluid *f, uint32_t row, uint32_t i)
{
    return rni_row_data(f, row) + (size_t)i * rni_row(f, row)->element_bytes;
}

/* Values that tell row and particle apart, in every byte of a sorted row but the cells' own input. */
static void mark_rows(rn_fluid *f)
{
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!rni_row_is_owner(row) || !(row->flags & RNI_SORTED) || k == RNI_ROW_POSITION) continue;
        for (uint32_t i = 0; i < f->now.count; i++)
            for (uint32_t n = 0; n < row->element_bytes / 4; n++) {
                const float value = (float)(i + 100000 * n + 1000 * k);
                const uint32_t fluid = i % 2; /* other numbers name no fluid */
                if (k == RNI_ROW_FLUID) memcpy(entry_of(f, k, i), &fluid, 4);
                else memcpy(entry_of(f, k, i) + 4 * (size_t)n, &value, 4);
            }
    }
}

/* A copy of the arrays of all rows that own memory; from malloc, freed with drop_copies(). */
typedef struct copies {
    char *row[RNI_ROW_MAX];
} copies;

static copies copy_rows(const rn_fluid *f)
{
    copies c = {{NULL}};
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!rni_row_is_owner(row) || !rni_row_data(f, k)) continue;
        const size_t bytes = (size_t)f->now.count * row->element_bytes;
        c.row[k] = malloc(bytes);
        assert_non_null(c.row[k]);
        memcpy(c.row[k], rni_row_data(f, k), bytes);
    }
    return c;
}

static void drop_copies(copies *c)
{
    for (uint32_t k = 0; k < RNI_ROW_MAX; k++) free(c->row[k]);
}

static void rows_are_consistent(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(true), *single = make_mixture(true, 1), *mixture = make_fluid(true);
    rn_fluid_params params = rn_fluid_get_params(single);
    params.tension = RN_TENSION_SURFACE_ENERGY; /* other rows than those of Akinci */
    assert_ok(rn_fluid_set_params(single, &params));
    params = rn_fluid_get_params(mixture);
    params.tension = RN_TENSION_SURFACE_ENERGY;
    assert_ok(rn_fluid_set_params(mixture, &params));
    assert_int_equal(rni_row_count(single), rni_row_count(f));
    assert_int_equal(rni_row_count(mixture), rni_row_count(f));
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        assert_non_null(row->info.name);
        assert_in_range(row->info.components * 4 + row->lane * 4, 4, row->element_bytes);
        if (row->flags & RNI_KEPT) assert_true(row->flags & RNI_SORTED);
        if (row->flags & RNI_SAVED) assert_true(row->flags & RNI_KEPT);
        if (row->flags & RNI_IN_FILES) assert_true(row->flags & RNI_SHOWN);
        if (row->flags & RNI_BORROWED) assert_int_equal(row->flags, RNI_BORROWED);
        const rn_fluid *user = rni_row_data(f, k) ? f : rni_row_data(single, k) ? single : mixture;
        assert_non_null(rni_row_data(user, k)); /* these fluids need them all */
        if (rni_row_is_owner(row) && row->flags & RNI_SORTED) assert_non_null(user->spare[k]);
        if (rni_row_is_owner(row) && row->flags & RNI_KEPT) assert_non_null(user->kept[k]);
        for (uint32_t other = 0; other < k; other++)
            assert_string_not_equal(row->info.name, rni_row(f, other)->info.name);
    }
    rn_fluid_destroy(mixture);
    rn_fluid_destroy(single);
    rn_fluid_destroy(f);
}

static void sorting_permutes_exactly_the_sorted_rows(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(true);
    mark_rows(f);
    copies before = copy_rows(f);
    uint32_t *order = malloc(f->now.count * sizeof *order), moved = 0;
    assert_ok(rni_fluid_sort(f, 0, order));
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!before.row[k]) continue;
        for (uint32_t i = 0; i < f->now.count; i++) {
            const uint32_t from = row->flags & RNI_SORTED ? order[i] : i;
            if (memcmp(entry_of(f, k, i), before.row[k] + (size_t)from * row->element_bytes,
                       row->element_bytes) != 0)
                fail_msg("%s: particle %u is not particle %u before the sort", row->info.name, i,
                         from);
            moved += order[i] != i;
        }
    }
    assert_true(moved > 0);
    rni_attributes_exchange(f); /* and back */
    for (uint32_t k = 0; k < rni_row_count(f); k++)
        if (before.row[k] && rni_row(f, k)->flags & RNI_SORTED)
            assert_memory_equal(rni_row_data(f, k), before.row[k],
                                (size_t)f->now.count * rni_row(f, k)->element_bytes);
    drop_copies(&before);
    free(order);
    rn_fluid_destroy(f);
}

static void a_retry_brings_back_exactly_the_kept_rows(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(true);
    water_steps(f, 2);
    mark_rows(f);
    copies before = copy_rows(f);
    const uint32_t count = f->now.count;
    for (int attempt = 0; attempt < 3; attempt++) { /* the state survives several attempts */
        const rni_step_start start = rni_retry_keep(f);
        for (int sorts = 0; sorts <= attempt; sorts++) {
            assert_ok(rni_fluid_sort(f, 0, NULL));
            for (uint32_t k = 0; k < rni_row_count(f); k++)
                if (rni_row_is_owner(rni_row(f, k)) && rni_row(f, k)->flags & RNI_SORTED &&
                    k != RNI_ROW_POSITION)
                    memset(rni_row_data(f, k), 0x41, (size_t)count * rni_row(f, k)->element_bytes);
        }
        f->now.count = count / 2;
        rni_retry_restore(f, &start);
        assert_int_equal(f->now.count, count);
        for (uint32_t k = 0; k < rni_row_count(f); k++)
            if (before.row[k] && rni_row(f, k)->flags & RNI_KEPT)
                assert_memory_equal(rni_row_data(f, k), before.row[k],
                                    (size_t)count * rni_row(f, k)->element_bytes);
        rni_retry_end(f);
    }
    drop_copies(&before);
    rn_fluid_destroy(f);
}

static void set_own(rn_fluid *f)
{
    rn_fluid_span heat, tag, id;
    assert_ok(rn_fluid_get_attribute(f, "heat", &heat));
    assert_ok(rn_fluid_get_attribute(f, "tag", &tag));
    assert_ok(rn_fluid_get_attribute(f, "id", &id));
    for (uint32_t i = 0; i < id.count; i++) {
        uint32_t number;
        memcpy(&number, (char *)id.data + i * (size_t)id.stride_bytes, 4);
        ((float *)heat.data)[i] = (float)number;
        for (uint32_t n = 0; n < 3; n++) ((uint32_t *)tag.data)[3 * i + n] = 7 * number + n;
    }
}

static void check_own(const rn_fluid *f)
{
    rn_fluid_span heat, tag;
    assert_ok(rn_fluid_get_attribute(f, "heat", &heat));
    assert_ok(rn_fluid_get_attribute(f, "tag", &tag));
    assert_int_equal(tag.stride_bytes, 12);
    for (uint32_t i = 0; i < f->now.count; i++) {
        const uint32_t id = rn_fluid_get_particles(f).id[i];
        assert_true(((const float *)heat.data)[i] == (float)id);
        for (uint32_t n = 0; n < 3; n++)
            assert_int_equal(((const uint32_t *)tag.data)[3 * i + n], 7 * id + n);
    }
}

static void attributes_of_the_user_stay_with_their_particles(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(true), *other = make_fluid(true), *plain = make_fluid(false);
    set_own(f);
    water_steps(f, 20);
    check_own(f);
    const uint64_t bytes = rn_fluid_get_state_bytes(f);
    char *saved = malloc((size_t)bytes);
    rn_fluid_write_state(f, saved);
    assert_ok(rn_fluid_read_state(other, saved, bytes));
    check_own(other);
    water_steps(other, 5);
    check_own(other);
    /* They do not change the physics; and a fluid without them says what it lacks, or has too many. */
    water_steps(plain, 20);
    assert_int_equal(rn_fluid_get_state_hash(plain), rn_fluid_get_state_hash(f));
    assert_int_equal(rn_fluid_read_state(plain, saved, bytes), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "\"heat\""));
    rn_fluid_write_state(plain, saved);
    assert_int_equal(rn_fluid_read_state(f, saved, rn_fluid_get_state_bytes(plain)), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "lacks the attribute \"heat\""));
    check_own(f);
    free(saved);
    rn_fluid_destroy(f);
    rn_fluid_destroy(other);
    rn_fluid_destroy(plain);
}

static void users_see_exactly_the_shown_rows(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(true);
    uint32_t shown = 0;
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        rn_fluid_span span;
        if (!(row->flags & RNI_SHOWN)) {
            assert_int_equal(rn_fluid_get_attribute(f, row->info.name, &span), RN_ERROR_ARGUMENT);
            continue;
        }
        assert_string_equal(rn_fluid_get_attribute_info(f, shown++)->name, row->info.name);
        assert_ok(rn_fluid_get_attribute(f, row->info.name, &span));
        /* Users see the density of the particle's own fluid. */
        const uint32_t from = k == RNI_ROW_DENSITY ? RNI_ROW_TRUE_DENSITY : k;
        assert_ptr_equal(span.data, rni_row_data(f, from));
    }
    assert_null(rn_fluid_get_attribute_info(f, shown));
    assert_null(rn_fluid_get_attribute_info(NULL, shown - 2)); /* those of the user are this fluid's */
    rn_fluid_destroy(f);
}

static void unusable_attributes_are_refused(void **state)
{
    (void)state;
    rn_fluid *f = make_fluid(true);
    const struct {
        rn_fluid_attribute_info info;
        const char *word;
    } wrong[] = {{{NULL, "", 1, RN_ATTRIBUTE_FLOAT}, "name"},
                 {{"", "", 1, RN_ATTRIBUTE_FLOAT}, "name"},
                 {{"Heat", "", 1, RN_ATTRIBUTE_FLOAT}, "a-z"},
                 {{"a_name_of_24_characters_", "", 1, RN_ATTRIBUTE_FLOAT}, "23"},
                 {{"wind", "a unit that is much too long", 1, RN_ATTRIBUTE_FLOAT}, "unit"},
                 {{"wind", "", 0, RN_ATTRIBUTE_FLOAT}, "components is 0"},
                 {{"wind", "", 4, RN_ATTRIBUTE_FLOAT}, "components is 4"},
                 {{"wind", "", 1, (rn_attribute_type)2}, "type is 2"},
                 {{"heat", "", 1, RN_ATTRIBUTE_FLOAT}, "already"},
                 {{"previous_density", "", 1, RN_ATTRIBUTE_FLOAT}, "already"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(rn_fluid_add_attribute(f, &wrong[k].info), RN_ERROR_ARGUMENT);
        if (!strstr(rn_last_error(), wrong[k].word))
            fail_msg("%zu: '%s' does not say '%s'", k, rn_last_error(), wrong[k].word);
    }
    char name[24];
    for (uint32_t k = 2; k <= RN_FLUID_MAX_ATTRIBUTES; k++) {
        snprintf(name, sizeof name, "own_%u", k);
        const rn_fluid_attribute_info info = {name, "", 1, RN_ATTRIBUTE_FLOAT};
        const rn_result wanted = k < RN_FLUID_MAX_ATTRIBUTES ? RN_OK : RN_ERROR_LIMIT;
        assert_int_equal(rn_fluid_add_attribute(f, &info), wanted);
    }
    water_steps(f, 2);
    rn_fluid_destroy(f);
}

/* The smallest scheme: that of wcsph without pressure. It has no rows of its own. */
static void no_pressure(rn_fluid *f, const rni_evaluation *evaluation)
{
    (void)evaluation;
    memset(f->pressure, 0, f->now.count * sizeof(float));
}

static double no_energy(const rn_fluid *f, uint32_t begin, uint32_t end)
{
    (void)f, (void)begin, (void)end;
    return 0;
}

/* An empty fluid whose memory is that of a scheme without rows. */
static rn_fluid *make_smallest(void)
{
    static rni_scheme smallest;
    smallest = rni_scheme_wcsph;
    smallest.name = "smallest", smallest.rows = 0;
    smallest.pressure = no_pressure, smallest.elastic_energy = no_energy;
    rn_fluid_def def = water_def(3, 0.05f, 1, 0.5f, 0.5f);
    def.scheme = RN_SCHEME_WCSPH;
    rn_fluid *f = water_create(&def);
    const uint32_t row = RNI_ROW_PREVIOUS_DENSITY;
    void **buffers[] = {(void **)&f->previous_density, &f->spare[row], &f->kept[row]};
    for (int k = 0; k < 3; k++) {
        assert_non_null(*buffers[k]);
        rni_memory_give(&f->memory, *buffers[k],
                        ((size_t)f->now.capacity + RNI_FLUID_PADDING) * sizeof(float));
        *buffers[k] = NULL;
    }
    f->needed_rows &= ~RNI_ROW_BIT(row);
    f->scheme = &smallest;
    return f;
}

static void a_scheme_without_rows_steps_retries_and_saves(void **state)
{
    (void)state;
    rn_fluid *f = make_smallest(), *copy = make_smallest();
    water_block(f, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.4f, 0.5f}, 0.2f);
    water_steps(f, 3);
    assert_false(f->has_previous_density);
    assert_ok(rn_fluid_update_density(f));
    const rni_step_start start = rni_retry_keep(f);
    const uint64_t hash = rn_fluid_get_state_hash(f);
    assert_ok(rni_fluid_sort(f, 0, NULL));
    memset(f->now.position, 0x41, f->now.count * sizeof *f->now.position);
    rni_retry_restore(f, &start);
    rni_retry_end(f);
    assert_int_equal(rn_fluid_get_state_hash(f), hash);
    assert_float_equal(f->density[0], f->def.rest_density, 0); /* until the next evaluation */

    const uint64_t byte_count = rn_fluid_get_state_bytes(f);
    char *bytes = malloc(byte_count);
    rn_fluid_write_state(f, bytes);
    assert_ok(rn_fluid_read_state(copy, bytes, byte_count));
    water_steps(f, 3), water_steps(copy, 3);
    assert_int_equal(rn_fluid_get_state_hash(f), rn_fluid_get_state_hash(copy));
    rn_fluid_def def = water_def(3, 0.05f, 1, 0.5f, 0.5f);
    def.scheme = RN_SCHEME_WCSPH;
    rn_fluid *other = water_create(&def); /* of a scheme that needs more */
    assert_int_equal(rn_fluid_read_state(other, bytes, byte_count), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "lacks the attribute \"previous_density\""));
    free(bytes);
    rn_fluid_destroy(f), rn_fluid_destroy(copy), rn_fluid_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_consistent),
        cmocka_unit_test(sorting_permutes_exactly_the_sorted_rows),
        cmocka_unit_test(a_retry_brings_back_exactly_the_kept_rows),
        cmocka_unit_test(attributes_of_the_user_stay_with_their_particles),
        cmocka_unit_test(users_see_exactly_the_shown_rows),
        cmocka_unit_test(unusable_attributes_are_refused),
        cmocka_unit_test(a_scheme_without_rows_steps_retries_and_saves),
    };
    return cmocka_run_group_tests_name("fluid.attributes", tests, NULL, NULL);
}
