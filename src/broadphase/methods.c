/* The table of methods, read by the command, the docs, the tests and the benchmarks. */
#include "broadphase/method.h"

#include "base/error.h"

/* clang-format off */
static const rni_box_method *const table[] = {
    &rni_box_method_layered_columns, /* the default */
    &rni_box_method_auto,
    &rni_box_method_sweep_and_prune,
    &rni_box_method_linear_kdtree,
    &rni_box_method_hierarchical_hash,
    &rni_box_method_multilevel_hash,
    &rni_box_method_brute,
};
/* clang-format on */

const rni_box_method *rni_box_method_at(uint32_t place)
{
    return place < sizeof table / sizeof *table ? table[place] : NULL;
}

rn_result rni_box_method_find(rn_broadphase_method wanted, const rni_box_method **method)
{
    *method = table[0];
    if (wanted == RN_BROADPHASE_DEFAULT) return RN_OK;
    for (uint32_t place = 0; (*method = rni_box_method_at(place)); place++) {
        if ((*method)->info.method == wanted) return RN_OK;
    }
    return rni_fail(RN_ERROR_ARGUMENT,
                    "method %d is not in the table; see rn_broadphase_get_method_info()",
                    (int)wanted);
}

const rn_broadphase_method_info *rn_broadphase_get_method_info(uint32_t place)
{
    const rni_box_method *method = rni_box_method_at(place);
    return method ? &method->info : NULL;
}

rn_result rn_broadphase_method_from_name(const char *name, rn_broadphase_method *method)
{
    if (!name || !method) return rni_fail(RN_ERROR_ARGUMENT, "name and method must not be NULL");
    if (strcmp(name, "default") == 0) {
        *method = table[0]->info.method;
        return RN_OK;
    }
    char names[256] = "default";
    for (uint32_t place = 0; rni_box_method_at(place); place++) {
        const char *here = table[place]->info.name;
        if (strcmp(name, here) == 0) {
            *method = table[place]->info.method;
            return RN_OK;
        }
        size_t used = strlen(names);
        if (used + strlen(here) + 3 < sizeof names) {
            memcpy(names + used, ", ", 2);
            memcpy(names + used + 2, here, strlen(here) + 1);
        }
    }
    return rni_fail(RN_ERROR_ARGUMENT, "'%s' is no broad-phase method; there are %s", name, names);
}
