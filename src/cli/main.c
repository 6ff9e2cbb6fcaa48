/* The command `runnel`: finds the sub-command in its table and runs it. */
#include "cli/command.h"
#include "cli/spelling.h"

#include <runnel/base.h>

#include <errno.h>
#include <signal.h>
#include <string.h>

static const rni_command *const commands[] = {
    &rni_command_run,       &rni_command_view,      &rni_command_scenes,     &rni_command_check,
    &rni_command_params,    &rni_command_materials, &rni_command_picture,    &rni_command_render,
    &rni_command_surface,   &rni_command_info,      &rni_command_plot,       &rni_command_mesh,
    &rni_command_neighbors, &rni_command_pairs,     &rni_command_methods,    &rni_command_bench,
    &rni_command_lab,       &rni_command_demo,      &rni_command_completion, NULL};

static const rni_option root_options[] = {
    {"version", RNI_OPTION_FLAG, NULL, "print the version and exit", NULL, NULL, 0, 0, NULL}, {0}};

const rni_command rni_command_root = {
    .name = "runnel",
    .path = "runnel",
    .summary = "particle fluid simulation, neighbour search and broad-phase collision detection",
    .usage = "COMMAND [options]",
    .examples = "runnel run dam-break --out dam --picture\n"
                "runnel scenes\n"
                "runnel neighbors cloud.ply --radius 0.1\n"
                "runnel pairs boxes.csv\n"
                "runnel methods\n"
                "runnel help bench neighbors",
    .options = root_options,
    .children = commands,
};

static const rni_command *find_child(const rni_command *command, const char *name)
{
    for (const rni_command *const *child = command->children; child && *child; child++)
        if (strcmp((*child)->name, name) == 0) return *child;
    return NULL;
}

static int refuse_command(const rni_command *command, const char *name)
{
    const char *near = NULL;
    const char *dashes = "";
    for (const rni_command *const *child = command->children; *child; child++)
        if (!near && rni_spelling_is_near(name, (*child)->name)) near = (*child)->name;
    for (const rni_option *o = command->options; !near && o && o->name; o++) {
        if (!rni_spelling_is_near(name, o->name)) continue;
        near = o->name;
        dashes = "--";
    }
    if (near)
        return rni_misuse(command, "there is no command '%s'; did you mean %s%s?", name, dashes,
                          near);
    return rni_misuse(command, "there is no command '%s'", name);
}

/* Finds the command that the words name; on return *used words belong to it. */
static const rni_command *descend(int argc, char **argv, int *used)
{
    const rni_command *command = &rni_command_root;
    for (*used = 0; *used < argc; ++*used) {
        const rni_command *child = find_child(command, argv[*used]);
        if (!child) break;
        command = child;
    }
    return command;
}

static int run_help(int argc, char **argv)
{
    int used;
    const rni_command *command = descend(argc, argv, &used);
    if (used < argc && command->children) return refuse_command(command, argv[used]);
    if (used < argc) return rni_misuse(command, "unexpected argument '%s'", argv[used]);
    rni_help_print(stdout, command);
    return RNI_EXIT_DONE;
}

static int run(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "help") == 0) return run_help(argc - 1, argv + 1);
    int used;
    const rni_command *command = descend(argc, argv, &used);
    argc -= used;
    argv += used;
    if (!command->run) {
        if (argc == 0) {
            rni_help_print(stderr, command);
            return RNI_EXIT_MISUSE;
        }
        if (argv[0][0] != '-') return refuse_command(command, argv[0]);
    }
    rni_arguments arguments;
    bool is_help;
    int code = rni_arguments_parse(&arguments, command, argc, argv, &is_help);
    if (code != RNI_EXIT_DONE || is_help) return code;
    if (command->run) return command->run(&arguments);
    if (command == &rni_command_root && rni_arguments_has(&arguments, "version")) {
        printf("runnel %s\n", rn_version());
        return RNI_EXIT_DONE;
    }
    return rni_misuse(command, "the command is missing");
}

int main(int argc, char **argv)
{
    /* A closed pipe is an error like a full disk: reported in a sentence at the end, not by a signal. */
    signal(SIGPIPE, SIG_IGN);
    int code = run(argc - 1, argv + 1);
    bool is_bad = ferror(stdout) != 0;
    if (fclose(stdout) != 0 || is_bad) {
        fprintf(stderr, "runnel: the output could not be written: %s\n", strerror(errno));
        if (code == RNI_EXIT_DONE) code = RNI_EXIT_FAILED;
    }
    return code;
}
