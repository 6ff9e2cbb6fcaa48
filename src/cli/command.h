/* Commands and their options, as tables.
 *
 * Job:    one table per command has its name, options, help and examples. Parsing, --help,
 *         suggestions for typing errors and shell completion read the same table.
 * Input:  argv.
 * Output: an rni_arguments whose values are all checked, or a sentence on stderr and exit code 2.
 * Rules:  data to stdout, messages to stderr; exit 0 done, 1 failed, 2 misuse.
 * Next:   arguments.c (parsing), help.c, main.c (the table of commands).
 */
#ifndef RNI_CLI_COMMAND_H
#define RNI_CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RNI_MAX_OPTIONS  64u
#define RNI_MAX_OPERANDS 4u
#define RNI_MAX_LIST     32u
#define RNI_MAX_SETTINGS 64u

enum { RNI_EXIT_DONE = 0, RNI_EXIT_FAILED = 1, RNI_EXIT_MISUSE = 2 };

typedef enum rni_option_kind {
    RNI_OPTION_FLAG = 0,
    RNI_OPTION_NUMBER,  /* low <= value <= high */
    RNI_OPTION_COUNT,   /* a whole number, low <= value <= high; 1e6 is one */
    RNI_OPTION_COUNTS,  /* a comma-separated list of those */
    RNI_OPTION_CHOICE,  /* one of choice_at() */
    RNI_OPTION_CHOICES, /* a comma-separated list of those */
    RNI_OPTION_TEXT,
    RNI_OPTION_SETTING,     /* path=value; may be given several times: rni_arguments.setting */
    RNI_OPTION_PRESET_NAME, /* one of choice_at(); the same as the setting fluid.preset=NAME */
    RNI_OPTION_FILE,
    RNI_OPTION_FOLDER
} rni_option_kind;

typedef struct rni_option {
    const char *name; /* without the dashes; NULL ends a table */
    rni_option_kind kind;
    const char *argument; /* as help shows it, e.g. "R"; NULL for a flag */
    const char *help;     /* one line; choices and the default are added to it */
    const char *standard; /* the default as text; NULL: none */
    const char *hint;     /* what would be right: "a positive length, e.g. --radius 0.1" */
    double low, high;
    const char *(*choice_at)(uint32_t place); /* NULL past the end */
} rni_option;

typedef struct rni_arguments rni_arguments;

typedef struct rni_command {
    const char *name;
    const char *path;     /* the full command: "runnel bench neighbors" */
    const char *summary;  /* one line, no full stop */
    const char *usage;    /* after the path: "FILE --radius R [options]" */
    const char *about;    /* further lines for --help; may be NULL */
    const char *examples; /* lines, each a command that runs; may be NULL */
    uint32_t operand_min, operand_max;
    const char *operand_name;                   /* "FILE"; NULL when there are none */
    const char *(*operand_at)(uint32_t place);  /* choices for completion; NULL: files */
    const rni_option *options;                  /* NULL: none */
    int (*run)(const rni_arguments *arguments); /* NULL: a group of other commands */
    const struct rni_command *const *children;  /* NULL: none; ends with NULL */
} rni_command;

/* The command line, with defaults filled in. */
struct rni_arguments {
    const rni_command *command;
    const char *value[RNI_MAX_OPTIONS]; /* by index in the table; NULL: not given and no default */
    bool is_given[RNI_MAX_OPTIONS];
    const char *operand[RNI_MAX_OPERANDS];
    uint32_t operand_count;
    const char *setting[RNI_MAX_SETTINGS]; /* all that are given, in order */
    uint32_t setting_count;
    char preset_setting[64]; /* what RNI_OPTION_PRESET_NAME has added to them */
};

/* Fills in arguments; on misuse prints a sentence and returns RNI_EXIT_MISUSE. A --help anywhere prints
 * the help and sets *is_help. */
int rni_arguments_parse(rni_arguments *arguments, const rni_command *command, int argc, char **argv,
                        bool *is_help);

/* Values by option name; the name must be in the command's table. Kinds were checked while parsing.
 */
bool rni_arguments_has(const rni_arguments *arguments,
                       const char *name); /* given by the user; flags: set */
const char *rni_arguments_text(const rni_arguments *arguments, const char *name);
double rni_arguments_number(const rni_arguments *arguments,
                            const char *name); /* 0 without value and default */
uint32_t rni_arguments_count(const rni_arguments *arguments, const char *name);
uint32_t rni_arguments_counts(const rni_arguments *arguments, const char *name,
                              uint32_t list[RNI_MAX_LIST]);
/* Index of the choice in choice_at(). */
uint32_t rni_arguments_choice(const rni_arguments *arguments, const char *name);
/* Indices of all choices, in the order given. */
uint32_t rni_arguments_choices(const rni_arguments *arguments, const char *name,
                               uint32_t list[RNI_MAX_LIST]);

/* A decimal number or a quotient of two (1/30), length characters long: no hexadecimal, no "inf", no "nan". */
bool rni_number_read(const char *text, size_t length, double *value);

/* "runnel neighbors: <sentence>" on stderr; each returns its exit code. The first also points to
 * --help. */
__attribute__((format(printf, 2, 3))) int rni_misuse(const rni_command *command, const char *format,
                                                     ...);
__attribute__((format(printf, 2, 3))) int rni_give_up(const rni_command *command,
                                                      const char *format, ...);

void rni_help_print(FILE *file, const rni_command *command);

/* Choices that several commands share. */
const char *rni_choice_method(uint32_t place);
const char *rni_choice_box_method(uint32_t place);
const char *rni_choice_cpu(uint32_t place);
const char *rni_choice_order(uint32_t place);
const char *rni_choice_dim(uint32_t place);
const char *rni_choice_preset(uint32_t place);

/* The commands, one file each; main.c and bench_neighbors.c have the tables of them. */
extern const rni_command rni_command_root;
extern const rni_command rni_command_run;
extern const rni_command rni_command_view;
extern const rni_command rni_command_info;
extern const rni_command rni_command_plot;
extern const rni_command rni_command_picture;
extern const rni_command rni_command_render;
extern const rni_command rni_command_surface;
extern const rni_command rni_command_neighbors;
extern const rni_command rni_command_mesh;
extern const rni_command rni_command_mesh_make;
extern const rni_command rni_command_materials;
extern const rni_command rni_command_methods;
extern const rni_command rni_command_bench;
extern const rni_command rni_command_bench_neighbors;
extern const rni_command rni_command_bench_pairs;
extern const rni_command rni_command_bench_queries;
extern const rni_command rni_command_pairs;
extern const rni_command rni_command_bench_fluid;
extern const rni_command rni_command_bench_live;
extern const rni_command rni_command_bench_mesh;
extern const rni_command rni_command_bench_render;
extern const rni_command rni_command_bench_surface;
extern const rni_command rni_command_bench_view;
extern const rni_command rni_command_lab;
extern const rni_command rni_command_demo;
extern const rni_command rni_command_scenes;
extern const rni_command rni_command_params;
extern const rni_command rni_command_check;
extern const rni_command rni_command_completion;

#endif
