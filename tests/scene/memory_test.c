/* The n-th allocation fails, for n = 1, 2, 3 ... until loading and building pass: no leak, a sentence. */
#include "fact.h"

#include "failing.h"
#include "scene/scene.h"

#include <string.h>

static void loading_survives_each_failing_allocation(void **state)
{
    (void)state;
    long failure;
    for (failure = 0; failure < 1000; failure++) {
        rni_scene *scene = NULL;
        const char *sets[] = {"gravity=0,-1,0", "pipes.0.speed=2"};
        until_failure = failure;
        rn_result result = rni_scene_load("water-channel", sets, 2, &scene, NULL);
        until_failure = -1;
        if (result == RN_OK) {
            rni_scene_free(scene);
            break;
        }
        assert_null(scene);
        assert_true(strlen(rn_last_error()) > 5);
    }
    assert_in_range(failure, 2, 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loading_survives_each_failing_allocation)};
    return cmocka_run_group_tests_name("scene.memory", tests, NULL, NULL);
}
