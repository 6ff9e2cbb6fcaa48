#include "cli/lab.h"
#include "cli/folder.h"
#include "cli/json.h"
#include "cli/spelling.h"

#include <stdarg.h>
#include <string.h>

static const rni_lab_experiment *const experiments[] = {
    /* the search */
    &rni_lab_cell_sorting, &rni_lab_h_mask, &rni_lab_hierarchical_neighbors, &rni_lab_scaling,
    &rni_lab_which_method,
    /* boxes */
    &rni_lab_hierarchical_2d, &rni_lab_hierarchical_3d, &rni_lab_kdtree_table1,
    &rni_lab_kdtree_table2, &rni_lab_kdtree_table3,
    /* the water */
    &rni_lab_hydrostatic, &rni_lab_poiseuille, &rni_lab_dam_break, &rni_lab_drop, &rni_lab_kernels,
    &rni_lab_time_steps, &rni_lab_soak};

#define EXPERIMENT_COUNT (sizeof experiments / sizeof *experiments)

static const rni_option options[] = {
    {"quick", RNI_OPTION_FLAG, NULL, "a small version, for a look: a few seconds", NULL, NULL, 0, 0,
     NULL},
    {"out", RNI_OPTION_FOLDER, "DIR", "where NAME.csv and NAME.svg go; made when it is not there",
     "out/lab", "a folder, e.g. --out out/lab", 0, 0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "one JSON object a row, the conclusion last", NULL, NULL, 0, 0,
     NULL},
    {"threads", RNI_OPTION_COUNT, "N",
     "0: one for each processor; without it, experiments from papers run as published, on one "
     "thread, the others on all processors",
     NULL, "a whole number, e.g. --threads 2", 0, 1024, NULL},
    {"minutes", RNI_OPTION_NUMBER, "M",
     "soak: how long, by the clock; without it 30, as one of all 1, --quick some seconds", NULL,
     "minutes, e.g. --minutes 30", 0.001, 10080, NULL},
    {0}};

/* The experiments, then "all". */
static const char *choice_experiment(uint32_t place)
{
    if (place < EXPERIMENT_COUNT) return experiments[place]->name;
    return place == EXPERIMENT_COUNT ? "all" : NULL;
}

void rni_lab_conclude(rni_lab *lab, const char *verdict, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(lab->sentence, sizeof lab->sentence, format, values);
    va_end(values);
    snprintf(lab->verdict, sizeof lab->verdict, "%s", verdict);
}

static void print_conclusion(const rni_lab *lab)
{
    if (!lab->is_json) {
        printf("\nClaim: %s (%s).\n%s\n", lab->experiment->claim, lab->experiment->source,
               lab->sentence);
        return;
    }
    rni_json json = rni_json_begin(stdout);
    rni_json_text(&json, "experiment", lab->experiment->name);
    rni_json_text(&json, "source", lab->experiment->source);
    rni_json_text(&json, "claim", lab->experiment->claim);
    rni_json_text(&json, "verdict", lab->verdict);
    rni_json_text(&json, "sentence", lab->sentence);
    rni_json_end(&json);
    fputc('\n', stdout);
}

static int run_experiment(rni_lab *lab, const rni_lab_experiment *experiment)
{
    char path[4096];
    lab->experiment = experiment;
    rn_result result = experiment->run(lab);
    rni_progress_end(&lab->progress);
    rni_lab_path(lab, NULL, "csv", path);
    if (result == RN_OK) result = rni_lab_table_write_csv(&lab->table, path);
    if (result == RN_OK) {
        if (lab->is_json) rni_lab_table_print_json(&lab->table, stdout, experiment->name);
        else rni_lab_table_print(&lab->table, stdout);
        print_conclusion(lab);
        fflush(stdout); /* the two may go into one pipe */
        fprintf(stderr, "%s/%s.csv and .svg are written\n", lab->folder, experiment->name);
    }
    rni_lab_table_release(&lab->table);
    if (result != RN_OK)
        return rni_give_up(lab->command, "%s: %s", experiment->name, rn_last_error());
    return RNI_EXIT_DONE;
}

static void list_experiments(bool is_json)
{
    for (uint32_t k = 0; k < EXPERIMENT_COUNT; k++) {
        const rni_lab_experiment *experiment = experiments[k];
        if (!is_json) {
            printf("%-24s%s\n", experiment->name, experiment->summary);
            continue;
        }
        rni_json json = rni_json_begin(stdout);
        rni_json_text(&json, "name", experiment->name);
        rni_json_text(&json, "summary", experiment->summary);
        rni_json_text(&json, "source", experiment->source);
        rni_json_text(&json, "claim", experiment->claim);
        rni_json_end(&json);
        fputc('\n', stdout);
    }
}

static int refuse_experiment(const rni_command *command, const char *name)
{
    char known[512] = "";
    const char *near = NULL;
    const char *choice;
    for (uint32_t place = 0; (choice = choice_experiment(place)) != NULL; place++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", place ? ", " : "", choice);
        if (!near && rni_spelling_is_near(name, choice)) near = choice;
    }
    if (near)
        return rni_misuse(command, "there is no experiment '%s'; did you mean %s? There are: %s",
                          name, near, known);
    return rni_misuse(command, "there is no experiment '%s'; there are: %s", name, known);
}

static int run(const rni_arguments *arguments)
{
    rni_lab lab = {.command = arguments->command,
                   .folder = rni_arguments_text(arguments, "out"),
                   .is_quick = rni_arguments_has(arguments, "quick"),
                   .is_json = rni_arguments_has(arguments, "json"),
                   .is_threads_given = rni_arguments_has(arguments, "threads"),
                   .threads = rni_arguments_count(arguments, "threads"),
                   .minutes = rni_arguments_number(arguments, "minutes")};
    if (arguments->operand_count == 0) {
        list_experiments(lab.is_json);
        return RNI_EXIT_DONE;
    }
    const char *name = arguments->operand[0];
    bool is_all = strcmp(name, "all") == 0;
    uint32_t place = 0;
    while (!is_all && place < EXPERIMENT_COUNT && strcmp(experiments[place]->name, name) != 0)
        place++;
    if (place == EXPERIMENT_COUNT) return refuse_experiment(lab.command, name);
    int code = rni_folder_make(lab.command, lab.folder);
    if (is_all && !lab.is_quick && !(lab.minutes > 0)) lab.minutes = 1;
    if (!is_all) return code == RNI_EXIT_DONE ? run_experiment(&lab, experiments[place]) : code;
    for (; place < EXPERIMENT_COUNT && code == RNI_EXIT_DONE; place++) {
        if (!lab.is_json) printf("%s%s\n\n", place ? "\n\n" : "", experiments[place]->name);
        code = run_experiment(&lab, experiments[place]);
    }
    return code;
}

const rni_command rni_command_lab = {
    .name = "lab",
    .path = "runnel lab",
    .summary = "reruns experiments, published and exact, and says whether their claims hold here",
    .usage = "[NAME|all] [options]",
    .about =
        "Without a name, lists the experiments. Each prints a table beside what was published,\n"
        "writes it as CSV with a plot, and ends with one sentence made of its numbers. At full size an\n"
        "experiment takes up to five minutes (soak 30, see --minutes); docs/lab.md shows what they\n"
        "found.",
    .examples = "runnel lab\n"
                "runnel lab cell-sorting --quick\n"
                "runnel lab hierarchical-neighbors --out out/lab\n"
                "runnel lab all --quick --json",
    .operand_min = 0,
    .operand_max = 1,
    .operand_name = "NAME",
    .operand_at = choice_experiment,
    .options = options,
    .run = run,
};
