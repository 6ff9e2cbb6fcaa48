#include "cli/command.h"
#include "files/json.h"

#include <runnel/broadphase.h>
#include <runnel/search.h>

#include <string.h>

/* One method of either table. */
typedef struct method {
    const char *task, *name, *summary, *source;
    bool is_default;
} method;

/* Neighbour search first, then the broad phase. */
static bool method_at(uint32_t place, method *out)
{
    uint32_t k = 0;
    const rn_search_method_info *search;
    for (; (search = rn_search_get_method_info(k)) != NULL; k++) {
        if (k != place) continue;
        *out = (method){"neighbors", search->name, search->summary, search->source, k == 0};
        return true;
    }
    const rn_broadphase_method_info *boxes = rn_broadphase_get_method_info(place - k);
    if (!boxes) return false;
    *out = (method){"pairs", boxes->name, boxes->summary, boxes->source, place == k};
    return true;
}

static int run(const rni_arguments *arguments)
{
    bool is_json = rni_arguments_has(arguments, "json");
    const char *task = "";
    method m;
    if (is_json) fputs("[", stdout);
    for (uint32_t place = 0; method_at(place, &m); place++) {
        if (is_json) {
            fputs(place ? ",\n " : "", stdout);
            rni_json json = rni_json_begin(stdout);
            rni_json_text(&json, "name", m.name);
            rni_json_text(&json, "task", m.task);
            rni_json_bool(&json, "default", m.is_default);
            rni_json_text(&json, "summary", m.summary);
            rni_json_text(&json, "source", m.source);
            rni_json_end(&json);
        } else {
            if (m.task != task)
                printf("%s%s\n", place ? "\n" : "",
                       strcmp(m.task, "pairs") ? "Neighbour search (runnel neighbors)"
                                               : "Broad phase (runnel pairs)");
            task = m.task;
            printf("  %-19s%s%s\n  %-19s  from: %s\n", m.name, m.summary,
                   m.is_default ? " (the default)" : "", "", m.source);
        }
    }
    if (is_json) fputs("]\n", stdout);
    return RNI_EXIT_DONE;
}

static const rni_option options[] = {{"json", RNI_OPTION_FLAG, NULL,
                                      "print one JSON array of "
                                      "objects",
                                      NULL, NULL, 0, 0, NULL},
                                     {0}};

const rni_command rni_command_methods = {
    .name = "methods",
    .path = "runnel methods",
    .summary = "lists the methods of neighbour search and broad phase",
    .usage = "[--json]",
    .examples = "runnel methods\nrunnel methods --json",
    .options = options,
    .run = run,
};
