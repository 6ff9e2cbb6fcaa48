#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/spelling.h"

#include "files/json.h"
#include "lab/lab.h"

#include <math.h>
#include <string.h>

static const char *choice_solver(uint32_t place)
{
    return rn_fluid_choice_name(RN_CHOICE_SOLVER, place);
}

static const rni_option options[] = {
    {"quick", RNI_OPTION_FLAG, NULL, "a small version that takes a few seconds", NULL, NULL, 0, 0,
     NULL},
    {"out", RNI_OPTION_FOLDER, "DIR",
     "folder for NAME.csv and NAME.svg; created if it does not "
     "exist",
     "out/lab", "a folder, e.g. --out out/lab", 0, 0, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object per row, the conclusion last", NULL,
     NULL, 0, 0, NULL},
    {"threads", RNI_OPTION_COUNT, "N",
     "number of threads; 0: one per processor (default: one thread for experiments from papers, "
     "all processors for the others)",
     NULL, "a whole number, e.g. --threads 2", 0, 1024, NULL},
    {"preset", RNI_OPTION_CHOICE, "NAME", "preset of the experiments with water", "balanced",
     "a preset, e.g. --preset accurate", 0, 0, rni_choice_preset},
    {"solver", RNI_OPTION_CHOICE, "NAME",
     "how viscosity is solved in the experiments with water: explicit or implicit", "explicit",
     "a solver, e.g. --solver implicit", 0, 0, choice_solver},
    {"minutes", RNI_OPTION_NUMBER, "M",
     "soak: duration in minutes (default: 30; 1 with `all`; a few seconds with --quick)", NULL,
     "minutes, e.g. --minutes 30", 0.001, 10080, NULL},
    {0}};

/* The experiments, then "all". */
static const char *choice_experiment(uint32_t place)
{
    const rni_lab_experiment *experiment = rni_lab_experiment_at(place);
    if (experiment) return experiment->name;
    return place > 0 && rni_lab_experiment_at(place - 1) ? "all" : NULL;
}

/* --- progress, to stderr ------------------------------------------------------------------------ */

static void begin_progress(void *user, uint32_t step_count)
{
    *(rni_progress *)user = rni_progress_begin(step_count);
}

static void show_step(void *user, const char *what)
{
    rni_progress_step(user, what);
}

static void show_note(void *user, const char *sentence)
{
    (void)user;
    fprintf(stderr, "%s\n", sentence);
}

/* --- the table, to stdout ----------------------------------------------------------------------- */

/* With few digits: "12.3", "0.0069", "1234". */
static void format_value(const rni_lab_column *column, const rni_lab_value *value, char text[48])
{
    if (column->is_text) snprintf(text, 48, "%s", value->text);
    else if (isnan(value->number)) snprintf(text, 48, "-");
    else if (column->digits == 0 || fabs(value->number) >= pow(10, column->digits))
        snprintf(text, 48, "%.0f", value->number);
    else snprintf(text, 48, "%#.*g", column->digits, value->number);
    size_t length = strlen(text);
    if (!column->is_text && length && text[length - 1] == '.') text[length - 1] = 0;
}

static size_t column_width(const rni_lab_table *table, uint32_t column)
{
    char text[48];
    size_t width = strlen(table->columns[column].head);
    for (uint32_t r = 0; r < table->row_count; r++) {
        format_value(&table->columns[column], rni_lab_table_value(table, r, column), text);
        if (strlen(text) > width) width = strlen(text);
    }
    return width;
}

/* Text to the left, numbers to the right; no blanks at the end of a line. */
static void print_cell(const rni_lab_table *table, uint32_t column, size_t width, const char *text)
{
    bool is_last = column + 1 == table->column_count;
    if (column) fputs("  ", stdout);
    if (!table->columns[column].is_text) printf("%*s", (int)width, text);
    else printf("%-*s", is_last ? 0 : (int)width, text);
    if (is_last) fputc('\n', stdout);
}

static void print_table(const rni_lab_table *table)
{
    char text[48];
    size_t width[RNI_LAB_MAX_COLUMNS];
    for (uint32_t c = 0; c < table->column_count; c++) width[c] = column_width(table, c);
    for (uint32_t c = 0; c < table->column_count; c++)
        print_cell(table, c, width[c], table->columns[c].head);
    for (uint32_t r = 0; r < table->row_count; r++)
        for (uint32_t c = 0; c < table->column_count; c++) {
            format_value(&table->columns[c], rni_lab_table_value(table, r, c), text);
            print_cell(table, c, width[c], text);
        }
}

static void print_json(const rni_lab_table *table, const char *experiment)
{
    for (uint32_t r = 0; r < table->row_count; r++) {
        rni_json json = rni_json_begin(stdout);
        rni_json_text(&json, "experiment", experiment);
        for (uint32_t c = 0; c < table->column_count; c++) {
            const rni_lab_value *value = rni_lab_table_value(table, r, c);
            if (table->columns[c].is_text) rni_json_text(&json, table->columns[c].key, value->text);
            else rni_json_number(&json, table->columns[c].key, value->number);
        }
        rni_json_end(&json);
        fputc('\n', stdout);
    }
}

static void print_conclusion(const rni_lab *lab, bool is_json)
{
    if (!is_json) {
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

/* --- the command -------------------------------------------------------------------------------- */

static int run_experiment(const rni_arguments *arguments, rni_lab *lab,
                          const rni_lab_experiment *experiment)
{
    rni_progress progress = {0};
    lab->listener = (rni_lab_listener){&progress, begin_progress, show_step, show_note};
    rn_result result = rni_lab_run(lab, experiment);
    rni_progress_end(&progress);
    if (result == RN_OK) {
        bool is_json = rni_arguments_has(arguments, "json");
        if (is_json) print_json(&lab->table, experiment->name);
        else print_table(&lab->table);
        print_conclusion(lab, is_json);
        fflush(stdout); /* stdout and stderr may go into one pipe */
        fprintf(stderr, "wrote %s/%s.csv and .svg\n", lab->folder, experiment->name);
    }
    rni_lab_table_release(&lab->table);
    if (result != RN_OK)
        return rni_give_up(arguments->command, "%s: %s", experiment->name, rn_last_error());
    return RNI_EXIT_DONE;
}

static void list_experiments(bool is_json)
{
    const rni_lab_experiment *experiment;
    for (uint32_t k = 0; (experiment = rni_lab_experiment_at(k)) != NULL; k++) {
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
    char known[1024] = "";
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

/* Every experiment of the table; soak takes a minute unless --minutes is given. */
static int run_all(const rni_arguments *arguments, rni_lab *lab)
{
    int code = RNI_EXIT_DONE;
    const rni_lab_experiment *experiment;
    if (!lab->is_quick && !(lab->minutes > 0)) lab->minutes = 1;
    for (uint32_t k = 0; code == RNI_EXIT_DONE && (experiment = rni_lab_experiment_at(k)) != NULL;
         k++) {
        if (!rni_arguments_has(arguments, "json"))
            printf("%s%s\n\n", k ? "\n\n" : "", experiment->name);
        code = run_experiment(arguments, lab, experiment);
    }
    return code;
}

static int run(const rni_arguments *arguments)
{
    rni_lab lab = {.folder = rni_arguments_text(arguments, "out"),
                   .is_quick = rni_arguments_has(arguments, "quick"),
                   .is_threads_given = rni_arguments_has(arguments, "threads"),
                   .threads = rni_arguments_count(arguments, "threads"),
                   .minutes = rni_arguments_number(arguments, "minutes"),
                   .solver = (rn_fluid_solver)rni_arguments_choice(arguments, "solver"),
                   .preset = (rn_fluid_preset)rni_arguments_choice(arguments, "preset")};
    if (arguments->operand_count == 0) {
        list_experiments(rni_arguments_has(arguments, "json"));
        return RNI_EXIT_DONE;
    }
    const char *name = arguments->operand[0];
    bool is_all = strcmp(name, "all") == 0;
    const rni_lab_experiment *experiment = NULL;
    for (uint32_t k = 0; (experiment = rni_lab_experiment_at(k)) != NULL; k++)
        if (strcmp(experiment->name, name) == 0) break;
    if (!is_all && !experiment) return refuse_experiment(arguments->command, name);
    int code = rni_outputs_make_folder(arguments->command, lab.folder);
    if (code != RNI_EXIT_DONE) return code;
    return is_all ? run_all(arguments, &lab) : run_experiment(arguments, &lab, experiment);
}

const rni_command rni_command_lab = {
    .name = "lab",
    .path = "runnel lab",
    .summary = "repeats published experiments and compares the results with the published ones",
    .usage = "[NAME|all] [options]",
    .about =
        "Without NAME, lists the experiments. An experiment prints a table of its results beside the\n"
        "published ones, writes it as a CSV file with a chart (SVG), and concludes whether the claim\n"
        "of the publication holds. It takes up to five minutes, with --quick a few seconds (soak: 30\n"
        "minutes, see --minutes). docs/lab.md shows results.",
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
