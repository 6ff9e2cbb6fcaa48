/* Out and back: what is written is read as the same scene. */
#include "fact.h"

#include "base/random.h"
#include "scene/parameters.h"

#include <stdlib.h>
#include <string.h>

static void comes_back(const rni_scene *scene)
{
    char *text = rni_scene_write(scene);
    assert_non_null(text);
    rni_scene *back = NULL;
    if (rni_scene_read(text, strlen(text), "written", &back, NULL) != RN_OK)
        fail_msg("%s\n%s", rn_last_error(), text);
    char *again = rni_scene_write(back);
    assert_string_equal(text, again);
    /* Plain values byte by byte; lists are pointers and were compared as text. */
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        const rni_parameter *p = &rni_parameters[k];
        if (memcmp((const char *)scene + p->offset, (const char *)back + p->offset, p->bytes) != 0)
            fail_msg("%s did not come back", p->path);
    }
    for (uint32_t k = 0; k < rni_parameter_list_count; k++)
        assert_int_equal(rni_item_count_of(scene, &rni_parameter_lists[k]),
                         rni_item_count_of(back, &rni_parameter_lists[k]));
    assert_int_equal(scene->event_count, back->event_count);
    for (uint32_t k = 0; k < scene->event_count; k++)
        assert_memory_equal(&scene->events[k], &back->events[k], sizeof scene->events[k]);
    rni_scene_free(back);
    free(again);
    free(text);
}

static void built_in_scenes_come_back(void **state)
{
    (void)state;
    const rni_scene_builtin *builtin;
    for (uint32_t k = 0; (builtin = rni_scene_builtin_at(k)) != NULL; k++) {
        rni_scene *scene = NULL;
        assert_int_equal(rni_scene_load(builtin->name, NULL, 0, &scene, NULL), RN_OK);
        comes_back(scene);
        rni_scene_free(scene);
    }
}

/* Some value that the parameter allows. */
static void randomize(rni_random *random, const rni_parameter *p, void *base)
{
    char *field = (char *)base + p->offset;
    double share = rni_random_below(random, 1u << 30) / (double)(1u << 30);
    double value = p->low + (p->high - p->low) * share * share * share;
    float single = (float)value;
    uint64_t large = (uint64_t)value;
    uint32_t whole = (uint32_t)large;
    uint32_t count = 0;
    if (p->choice_at)
        while (p->choice_at(count)) count++;
    switch (p->type) {
    case RNI_TYPE_NUMBER:
        memcpy(field, p->bytes == 8 ? (void *)&value : (void *)&single, p->bytes);
        break;
    case RNI_TYPE_INTEGER:
        memcpy(field, p->bytes == 8 ? (void *)&large : (void *)&whole, p->bytes);
        break;
    case RNI_TYPE_BOOL: *(bool *)field = share < 0.5; break;
    case RNI_TYPE_CHOICE:
        whole = rni_random_below(random, count);
        memcpy(field, &whole, sizeof whole);
        break;
    case RNI_TYPE_VECTOR:
        for (int a = 0; a < 3; a++) {
            single = (float)(p->low + (p->high - p->low) * rni_random_below(random, 1000) / 999.0);
            memcpy(field + (size_t)a * sizeof single, &single, sizeof single);
        }
        break;
    case RNI_TYPE_TEXT:
        memset(field, 0, p->bytes);
        snprintf(field, p->bytes, "a \"%u\" \\ \n\xc3\xa4", rni_random_below(random, 1000));
        break;
    case RNI_TYPE_FLAGS:
        for (uint32_t k = 0; k < count; k++) ((bool *)field)[k] = rni_random_below(random, 2);
        break;
    case RNI_TYPE_NUMBERS:
        count = rni_random_below(random, RN_PIPE_MAX_STOPS + 1);
        memcpy((char *)base + p->count_offset, &count, sizeof count);
        for (uint32_t k = 0; k < count; k++) ((float *)(void *)field)[k] = single + (float)k;
        for (uint32_t k = 0; k < count; k++)
            if ((double)((float *)(void *)field)[k] > p->high)
                ((float *)(void *)field)[k] = (float)p->high;
        break;
    }
}

static void any_values_come_back(void **state)
{
    (void)state;
    rni_random random = rni_random_make(7);
    for (uint32_t round = 0; round < 200; round++) {
        rni_scene *scene = NULL;
        assert_int_equal(rni_scene_load("drop", NULL, 0, &scene, NULL), RN_OK);
        for (uint32_t k = 0; k < rni_parameter_count; k++)
            randomize(&random, &rni_parameters[k], scene);
        for (uint32_t k = 0; k < rni_parameter_list_count; k++) {
            const rni_parameter_list *list = &rni_parameter_lists[k];
            uint32_t count = rni_random_below(&random, 4);
            char *items = calloc(count + 1, list->item_bytes);
            free(rni_items_of(scene, list));
            *(void **)(void *)((char *)scene + list->items_offset) = items;
            *(uint32_t *)(void *)((char *)scene + list->count_offset) = count;
            for (uint32_t i = 0; i < count; i++) {
                list->fill(items + i * list->item_bytes);
                for (uint32_t c = 0; c < list->parameter_count; c++)
                    randomize(&random, &list->table[c], items + i * list->item_bytes);
            }
        }
        comes_back(scene);
        rni_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_scenes_come_back),
        cmocka_unit_test(any_values_come_back),
    };
    return cmocka_run_group_tests_name("scene.round_trip", tests, NULL, NULL);
}
