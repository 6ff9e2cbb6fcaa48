/* runnel params: the table of parameters. */
#include "cli/command.h"
#include "cli/spelling.h"

#include "scene/parameter_rows.h"

#include <stdlib.h>
#include <string.h>

/* Whether the row matches: NULL matches every row, a path itself and everything below it; N in a row
 * matches any number. */
static bool is_asked(const rni_parameter_row *r, const char *asked)
{
    if (!asked) return true;
    const char *path = r->path;
    for (; *asked && *path; asked++, path++) {
        if (*path == 'N' && *asked >= '0' && *asked <= '9') {
            while (asked[1] >= '0' && asked[1] <= '9') asked++;
        } else if (*path != *asked) {
            return false;
        }
    }
    return !*asked && (!*path || *path == '.');
}

/* The default is 0, and 0 has a special meaning. */
static bool is_zero(const rni_parameter_row *r)
{
    return r->parameter->zero && strcmp(r->standard, "0") == 0;
}

static void print_text(const rni_parameter_row *r)
{
    const rni_parameter *p = r->parameter;
    const rni_shapes_text shapes = rni_parameter_shapes(p);
    printf("%-27s %s%s%s%s%s%s\n", r->path, p->help, p->is_live ? " [live]" : "",
           rni_parameter_must_be_given(p) ? " [required]" : "", *shapes.text ? " [" : "",
           shapes.text, *shapes.text ? "]" : "");
    printf("%-27s   %s", "", r->needs.text);
    if (*r->standard) printf("; default %s", r->standard);
    if (p->zero) printf("%s%s", is_zero(r) ? ": " : "; 0: ", p->zero);
    fputc('\n', stdout);
}

/* A table of docs/scenes.md. */
static void print_markdown(const rni_parameter_row *r, bool is_first)
{
    const rni_parameter *p = r->parameter;
    const char *name = r->list ? p->path : r->path;
    if (is_first) fputs("| name | value | default | |\n|---|---|---|---|\n", stdout);
    printf("| `%s` | %s | ", name, r->needs.text);
    if (*r->standard) printf("`%s`", r->standard);
    else fputs("required", stdout);
    if (p->zero) printf("%s%s", is_zero(r) ? ": " : "; 0: ", p->zero);
    const rni_shapes_text shapes = rni_parameter_shapes(p);
    printf(" | %s%s%s%s |\n", p->help, p->is_live ? "; live" : "", *shapes.text ? "; for: " : "",
           shapes.text);
}

/* "solids.0.sise": the parameter of that list with a similar name. */
static const char *meant_in_list(const char *asked, const char *leaf)
{
    static char path[64];
    for (uint32_t k = 0; k < rni_parameter_list_count; k++) {
        const rni_parameter_list *list = &rni_parameter_lists[k];
        size_t length = strlen(list->name);
        if (strncmp(asked, list->name, length) != 0 || asked[length] != '.') continue;
        for (uint32_t p = 0; p < list->parameter_count; p++) {
            if (!rni_spelling_is_near(leaf, list->table[p].path)) continue;
            snprintf(path, sizeof path, "%s.N.%s", list->name, list->table[p].path);
            return path;
        }
        return list->name;
    }
    return NULL;
}

static const char *meant(const char *asked)
{
    const char *leaf = strrchr(asked, '.');
    const char *near = leaf ? meant_in_list(asked, leaf + 1) : NULL;
    if (near) return near;
    for (uint32_t k = 0; k < rni_parameter_count; k++)
        if (rni_spelling_is_near(asked, rni_parameters[k].path)) return rni_parameters[k].path;
    for (uint32_t k = 0; k < rni_parameter_list_count; k++)
        if (rni_spelling_is_near(asked, rni_parameter_lists[k].name))
            return rni_parameter_lists[k].name;
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        size_t group = rni_parameter_group_length(&rni_parameters[k]);
        const char *own = rni_parameters[k].path + (group ? group + 1 : 0);
        if (rni_spelling_is_near(leaf ? leaf + 1 : asked, own)) return rni_parameters[k].path;
    }
    return NULL;
}

typedef enum form { FORM_TEXT, FORM_JSON, FORM_MARKDOWN } form;

static uint32_t print_rows(const rni_parameter *table, uint32_t count, const rni_parameter_list *list,
                           const char *asked, form as, uint32_t printed)
{
    for (uint32_t k = 0; k < count; k++) {
        rni_parameter_row r = rni_parameter_row_make(&table[k], list);
        if (!is_asked(&r, asked)) continue;
        if (as == FORM_JSON) {
            fputs(printed ? ",\n " : "[", stdout);
            rni_parameter_row_write(stdout, &r);
        } else if (as == FORM_MARKDOWN) {
            print_markdown(&r, printed == 0);
        } else {
            print_text(&r);
        }
        printed++;
    }
    return printed;
}

static int run(const rni_arguments *arguments)
{
    const char *asked = arguments->operand_count ? arguments->operand[0] : NULL;
    bool is_json = rni_arguments_has(arguments, "json");
    bool is_markdown = rni_arguments_has(arguments, "markdown");
    bool is_schema = rni_arguments_has(arguments, "schema");
    if (is_json + is_markdown + is_schema > 1)
        return rni_misuse(arguments->command, "choose one of --json, --markdown and --schema");
    if (is_schema) {
        if (asked) return rni_misuse(arguments->command, "--schema takes no PATH");
        rni_schema_write(stdout);
        return RNI_EXIT_DONE;
    }
    form as = is_json ? FORM_JSON : is_markdown ? FORM_MARKDOWN : FORM_TEXT;
    uint32_t printed = print_rows(rni_parameters, rni_parameter_count, NULL, asked, as, 0);
    for (uint32_t k = 0; k < rni_parameter_list_count; k++) {
        const rni_parameter_list *list = &rni_parameter_lists[k];
        printed = print_rows(list->table, list->parameter_count, list, asked, as, printed);
    }
    if (printed == 0 && asked) {
        const char *near = meant(asked);
        if (strcmp(asked, "events") == 0)
            return rni_misuse(
                arguments->command,
                "an event has a time and a set of parameters marked [live]; docs/scenes.md has "
                "an example");
        if (near)
            return rni_misuse(arguments->command, "there is no parameter '%s'; did you mean %s?",
                              asked, near);
        return rni_misuse(arguments->command,
                          "there is no parameter '%s'; `runnel params` lists all", asked);
    }
    if (is_json) fputs("]\n", stdout);
    return RNI_EXIT_DONE;
}

static const rni_option options[] = {
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON array of objects", NULL, NULL, 0, 0, NULL},
    {"markdown", RNI_OPTION_FLAG, NULL, "print a Markdown table", NULL, NULL, 0, 0, NULL},
    {"schema", RNI_OPTION_FLAG, NULL, "print the JSON Schema of scene files, for editors", NULL,
     NULL, 0, 0, NULL},
    {0}};

const rni_command rni_command_params = {
    .name = "params",
    .path = "runnel params",
    .summary = "lists every parameter of a scene: unit, range, default, meaning",
    .usage = "[PATH] [--json | --markdown | --schema]",
    .about = "PATH is a parameter (fluid.viscosity), a group (fluid) or a list (pipes). Parameters "
             "marked\n"
             "[live] may change during the simulation: by an event of the scene, or in the viewer.",
    .examples = "runnel params\n"
                "runnel params fluid.viscosity\n"
                "runnel params pipes\n"
                "runnel params --schema > scene.schema.json",
    .operand_max = 1,
    .operand_name = "PATH",
    .options = options,
    .run = run,
};
