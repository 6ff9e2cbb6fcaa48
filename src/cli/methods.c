#include "cli/command.h"
#include "cli/json.h"

#include <runnel/search.h>

static int run(const rni_arguments *arguments)
{
    bool is_json = rni_arguments_has(arguments, "json");
    const rn_search_method_info *info;
    if (is_json) fputs("[", stdout);
    for (uint32_t place = 0; (info = rn_search_method_at(place)) != NULL; place++) {
        if (is_json) {
            fputs(place ? ",\n " : "", stdout);
            rni_json json = rni_json_begin(stdout);
            rni_json_text(&json, "name", info->name);
            rni_json_bool(&json, "default", place == 0);
            rni_json_text(&json, "summary", info->summary);
            rni_json_text(&json, "source", info->source);
            rni_json_end(&json);
        } else {
            printf("%-19s%s%s\n%-19s  from: %s\n", info->name, info->summary,
                   place ? "" : " (the default)", "", info->source);
        }
    }
    if (is_json) fputs("]\n", stdout);
    return RNI_EXIT_DONE;
}

static const rni_option options[] = {
    {"json", RNI_OPTION_FLAG, NULL, "one array of objects for programs", NULL, NULL, 0, 0, NULL},
    {0}};

const rni_command rni_command_methods = {
    .name = "methods",
    .path = "runnel methods",
    .summary = "the methods of neighbour search, one line each",
    .usage = "[--json]",
    .examples = "runnel methods\nrunnel methods --json",
    .options = options,
    .run = run,
};
