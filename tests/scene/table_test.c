/* The one table: every row is sound, and everything that is made from it agrees with it. */
#include "fact.h"

#include "scene/parameters.h"
#include "solid/solid.h"

#include <stdlib.h>
#include <string.h>

/* Calls fact for each row with the defaults it lives in. */
static void for_each_row(void (*fact)(const rni_parameter *p, const void *base, size_t bytes))
{
    rni_scene scene = rni_scene_default();
    for (uint32_t k = 0; k < rni_parameter_count; k++)
        fact(&rni_parameters[k], &scene, sizeof scene);
    for (uint32_t k = 0; k < rni_parameter_list_count; k++) {
        const rni_parameter_list *list = &rni_parameter_lists[k];
        void *item = calloc(1, list->item_bytes);
        assert_non_null(item);
        list->fill(item);
        for (uint32_t c = 0; c < list->parameter_count; c++)
            fact(&list->table[c], item, list->item_bytes);
        free(item);
    }
}

static void row_is_sound(const rni_parameter *p, const void *base, size_t bytes)
{
    (void)base;
    assert_true(p->offset + p->bytes <= bytes);
    assert_true(strlen(p->help) > 5);
    assert_true(p->help[strlen(p->help) - 1] != '.');
    assert_non_null(p->unit);
    bool has_choices = p->type == RNI_TYPE_CHOICE || p->type == RNI_TYPE_FLAGS;
    assert_int_equal(has_choices, p->choice_at != NULL);
    bool has_range = p->type == RNI_TYPE_NUMBER || p->type == RNI_TYPE_INTEGER ||
                     p->type == RNI_TYPE_VECTOR || p->type == RNI_TYPE_NUMBERS;
    assert_int_equal(has_range, p->high > p->low);
    if (p->type == RNI_TYPE_VECTOR) assert_int_equal(p->bytes, 3 * sizeof(float));
    if (p->type == RNI_TYPE_CHOICE) assert_int_equal(p->bytes, sizeof(uint32_t));
    if (p->type == RNI_TYPE_BOOL) assert_int_equal(p->bytes, sizeof(bool));
    if (p->zero) assert_true(p->low == 0);
    if (p->is_live) assert_true(p->type != RNI_TYPE_TEXT && p->type != RNI_TYPE_FLAGS);
}

static void every_row_is_sound(void **state)
{
    (void)state;
    for_each_row(row_is_sound);
}

static void names_are_unique(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rni_parameter_count; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(rni_parameters[i].path, rni_parameters[j].path);
    for (uint32_t k = 0; k < rni_parameter_list_count; k++) {
        const rni_parameter_list *list = &rni_parameter_lists[k];
        assert_null(rni_parameter_find(list->name, strlen(list->name)));
        for (uint32_t i = 0; i < list->parameter_count; i++)
            for (uint32_t j = 0; j < i; j++)
                assert_string_not_equal(list->table[i].path, list->table[j].path);
    }
}

/* What a group holds stands together: writing opens and closes it once. */
static void groups_are_contiguous(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rni_parameter_count; i++) {
        size_t length = rni_parameter_group_length(&rni_parameters[i]);
        if (!length) continue;
        bool has_left = false;
        for (uint32_t j = i + 1; j < rni_parameter_count; j++) {
            bool is_same = rni_parameter_group_length(&rni_parameters[j]) == length &&
                           memcmp(rni_parameters[i].path, rni_parameters[j].path, length) == 0;
            assert_false(is_same && has_left);
            has_left |= !is_same;
        }
    }
}

static char *text_of(const rni_parameter *p, const void *base)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    rni_parameter_write(file, p, base);
    fclose(file);
    return text;
}

static void default_is_in_range(const rni_parameter *p, const void *base, size_t bytes)
{
    (void)bytes;
    char *text = text_of(p, base);
    if (p->type == RNI_TYPE_NUMBER || p->type == RNI_TYPE_INTEGER) {
        double value = strtod(text, NULL);
        if (value < p->low || value > p->high) fail_msg("%s: the default is %s", p->path, text);
    }
    free(text);
}

static void every_default_is_in_its_range(void **state)
{
    (void)state;
    for_each_row(default_is_in_range);
}

static void numbers_come_back_from_few_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        bool is_float;
        const char *text;
    } cases[] = {{(double)0.02f, true, "0.02"},   {1000, true, "1000"},
                 {(double)-9.81f, true, "-9.81"}, {0.1, false, "0.1"},
                 {1e-7, false, "1e-07"},          {-0.0, true, "0"},
                 {1234567, true, "1234567"},      {1.0 / 3, false, "0.3333333333333333"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[64] = "";
        FILE *file = fmemopen(text, sizeof text, "w");
        rni_number_write(file, cases[k].value, cases[k].is_float);
        fclose(file);
        assert_string_equal(text, cases[k].text);
    }
}

/* What rows of solids name is in the table of scenes, with the same unit, and nothing there is without a row. */
static void every_parameter_of_a_shape_is_in_the_table(void **state)
{
    (void)state;
    const rni_parameter_list *list = rni_parameter_list_find("solids", 6);
    const rni_solid_kind *kind;
    for (uint32_t shape = 0; (kind = rni_solid_kind_at(shape)) != NULL; shape++)
        for (uint32_t k = 0; k < kind->parameter_count; k++) {
            const rni_solid_parameter *own = &kind->parameters[k];
            const rni_parameter *p = rni_parameter_find_in(list, own->name, strlen(own->name));
            assert_non_null(p);
            assert_true(p->is_of_shape);
            assert_string_equal(p->unit, own->unit);
            assert_int_equal(p->bytes, own->count * sizeof(float));
        }
    for (uint32_t k = 0; k < list->parameter_count; k++)
        if (list->table[k].is_of_shape) assert_true(*rni_parameter_shapes(&list->table[k]).text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_sound),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(groups_are_contiguous),
        cmocka_unit_test(every_default_is_in_its_range),
        cmocka_unit_test(every_parameter_of_a_shape_is_in_the_table),
        cmocka_unit_test(numbers_come_back_from_few_digits),
    };
    return cmocka_run_group_tests_name("scene.table", tests, NULL, NULL);
}
