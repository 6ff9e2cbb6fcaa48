#include "cli/command.h"

#include <string.h>

#define NAME_COLUMN 26
#define LINE_LENGTH 96

/* text in lines of LINE_LENGTH behind indent spaces; the cursor is already at column indent. */
static void print_wrapped(FILE *file, const char *text, int indent)
{
    int column = indent;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > indent && column + 1 + word > LINE_LENGTH) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(file, "%s%.*s", column > indent ? " " : "", word, text);
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

static void print_option(FILE *file, const rni_option *option)
{
    char name[64];
    char text[768];
    snprintf(name, sizeof name, "  --%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    snprintf(text, sizeof text, "%s", option->help);
    if (option->choice_at) {
        const char *choice;
        for (uint32_t place = 0; (choice = option->choice_at(place)) != NULL; place++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s", place ? ", " : ": ", choice);
        }
    }
    if (option->standard) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " [%s]", option->standard);
    }
    fprintf(file, "%-*s", NAME_COLUMN, name);
    if (strlen(name) >= NAME_COLUMN) fprintf(file, "\n%*s", NAME_COLUMN, "");
    print_wrapped(file, text, NAME_COLUMN);
}

static void print_indented(FILE *file, const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        fprintf(file, "  %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void rni_help_print(FILE *file, const rni_command *command)
{
    fprintf(file, "%s - %s\n\nUsage: %s %s\n", command->path, command->summary, command->path,
            command->usage);
    if (command->about) fprintf(file, "\n%s\n", command->about);
    if (command->children) {
        fprintf(file, "\nCommands:\n");
        for (const rni_command *const *child = command->children; *child; child++)
            fprintf(file, "  %-14s%s\n", (*child)->name, (*child)->summary);
    }
    fprintf(file, "\nOptions:\n");
    for (const rni_option *o = command->options; o && o->name; o++) print_option(file, o);
    fprintf(file, "%-*sthis text\n", NAME_COLUMN, "  --help");
    if (command->examples) {
        fprintf(file, "\nExamples:\n");
        print_indented(file, command->examples);
    }
    if (command->children)
        fprintf(file,
                "\n"
                "See `%s COMMAND --help` for the options of a command.\n",
                command->path);
}
