/* The table of methods, used by the command, the docs, the tests and the benchmarks. */
#include "search/method.h"

#include "base/error.h"

#include <string.h>

/* clang-format off */
static const rni_method *const table[] = {
    &rni_method_grid, /* the default */
    &rni_method_auto,
    &rni_method_hash,
    &rni_method_hierarchical_hash,
    &rni_method_cell_sort,
    &rni_method_kdtree,
    &rni_method_linear_kdtree,
    &rni_method_brute,
};
/* clang-format on */

const rni_method *rni_method_at(uint32_t place)
{
    return place < sizeof table / sizeof *table ? table[place] : NULL;
}

const rn_search_method_info *rn_search_get_method_info(uint32_t place)
{
    const rni_method *method = rni_method_at(place);
    return method ? &method->info : NULL;
}

rn_result rn_search_method_from_name(const char *name, rn_search_method *method)
{
    if (!name || !method) return rni_fail(RN_ERROR_ARGUMENT, "name and method must not be NULL");
    if (strcmp(name, "default") == 0) {
        *method = table[0]->info.method;
        return RN_OK;
    }
    char names[256] = "default";
    for (uint32_t place = 0; rni_method_at(place); place++) {
        if (strcmp(name, table[place]->info.name) == 0) {
            *method = table[place]->info.method;
            return RN_OK;
        }
        size_t used = strlen(names);
        if (used + strlen(table[place]->info.name) + 3 < sizeof names) {
            strcpy(names + used, ", ");
            strcpy(names + used + 2, table[place]->info.name);
        }
    }
    return rni_fail(RN_ERROR_ARGUMENT, "'%s' is not a search method; the methods are %s", name,
                    names);
}
