/* Rubbish that is nearly a scene: built-in scenes with pieces changed, dropped, doubled or borrowed.
 * Reading may fail but must not break; what is read comes back from what is written. The same on
 * every machine; fuzz/ has the longer way. */
#include "fact.h"

#include "base/random.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

#define MUTATION_COUNT 6000u
#define CAPACITY       16384u

static const char *const PIECES[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     ":",
                                     "\"",
                                     "null",
                                     "-1",
                                     "1e300",
                                     "1e-300",
                                     "true",
                                     "\"x\"",
                                     "[0,0,0]",
                                     "{}",
                                     "[]",
                                     "NaN",
                                     "\\u0000",
                                     "\xff",
                                     "\"fluid\": {",
                                     "99999999999999999999",
                                     "\"high\":",
                                     "0.5",
                                     "\"sphere\"",
                                     "\n",
                                     "\"events\": ["};

static size_t put_in(char *data, size_t size, size_t at, const char *piece)
{
    size_t length = strlen(piece);
    if (size + length > CAPACITY) return size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, piece, length);
    return size + length;
}

static size_t mutate(rni_random *random, char *data, size_t size)
{
    if (size == 0) return put_in(data, 0, 0, "{}");
    size_t at = rni_random_below(random, (uint32_t)size);
    size_t length = 1 + rni_random_below(random, 8);
    switch (rni_random_below(random, 6)) {
    case 0: data[at] = (char)(data[at] ^ (1 << rni_random_below(random, 8))); return size;
    case 1: data[at] = (char)('0' + rni_random_below(random, 10)); return size;
    case 2: /* a digit changed: the most likely to stay JSON */
        while (at < size && (data[at] < '0' || data[at] > '9')) at++;
        if (at < size) data[at] = (char)('0' + rni_random_below(random, 10));
        return size;
    case 3:
        if (at + length >= size) return size;
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 4:
        return put_in(data, size, at,
                      PIECES[rni_random_below(random, sizeof PIECES / sizeof *PIECES)]);
    default: { /* a minus before a number */
        while (at < size && (data[at] < '1' || data[at] > '9')) at++;
        return at < size ? put_in(data, size, at, "-") : size;
    }
    }
}

static void mutated_scenes_are_read_or_refused(void **state)
{
    (void)state;
    rni_random random = rni_random_make(3);
    unsigned read_count = 0;
    for (unsigned m = 0; m < MUTATION_COUNT; m++) {
        const rni_scene_builtin *from = rni_scene_builtin_at(rni_random_below(&random, 8));
        size_t size = from->bytes;
        char *data = malloc(CAPACITY);
        assert_non_null(data);
        memcpy(data, from->text, size);
        for (uint32_t k = 1 + rni_random_below(&random, 2); k > 0; k--)
            size = mutate(&random, data, size);
        /* Exactly as large as it is, so that a byte too far is seen. */
        data = realloc(data, size ? size : 1);
        rni_scene *scene = NULL;
        rni_problems problems;
        rn_result result = rni_scene_read(data, size, "m.json", &scene, &problems);
        if (result == RN_OK) {
            read_count++;
            rni_scene_check(scene, "m.json", &problems);
            char *text = rni_scene_write(scene);
            rni_scene *back = NULL;
            if (rni_scene_read(text, strlen(text), "back.json", &back, NULL) != RN_OK)
                fail_msg("%s", rn_last_error());
            rni_scene_free(back);
            free(text);
        } else {
            assert_null(scene);
            assert_true(problems.count > 0);
            assert_true(strncmp(rn_last_error(), "m.json", 6) == 0);
        }
        rni_scene_free(scene);
        free(data);
    }
    print_message("%u of %u were still read\n", read_count, MUTATION_COUNT);
    assert_in_range(read_count, MUTATION_COUNT / 20, MUTATION_COUNT * 19 / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutated_scenes_are_read_or_refused)};
    return cmocka_run_group_tests_name("scene.mutation", tests, NULL, NULL);
}
