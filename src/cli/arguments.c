#include "cli/command.h"
#include "cli/spelling.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void talk(const rni_command *command,
                                                       const char *format, va_list values)
{
    fflush(stdout);
    fprintf(stderr, "%s: ", command->path);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

int rni_misuse(const rni_command *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    talk(command, format, values);
    va_end(values);
    fprintf(stderr, "See `%s --help`.\n", command->path);
    return RNI_EXIT_MISUSE;
}

int rni_give_up(const rni_command *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    talk(command, format, values);
    va_end(values);
    return RNI_EXIT_FAILED;
}

/* A number without a fraction bar. */
static bool read_decimal(const char *text, size_t length, double *value)
{
    char copy[64];
    if (length == 0 || length >= sizeof copy || strspn(text, "0123456789.eE+-") < length)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char *end = NULL;
    *value = strtod(copy, &end);
    return *end == 0 && end != copy && isfinite(*value);
}

bool rni_number_read(const char *text, size_t length, double *value)
{
    const char *bar = memchr(text, '/', length);
    double divisor = 1;
    size_t before = bar ? (size_t)(bar - text) : length;
    if (!read_decimal(text, before, value)) return false;
    if (!bar) return true;
    if (!read_decimal(bar + 1, length - before - 1, &divisor) || divisor == 0) return false;
    *value /= divisor;
    return isfinite(*value);
}

/* The next item of a comma-separated list; *text moves past it. False at the end. */
static bool next_piece(const char **text, const char **piece, size_t *length)
{
    if (!*text) return false;
    *piece = *text;
    *length = strcspn(*text, ",");
    *text = (*text)[*length] ? *text + *length + 1 : NULL;
    return true;
}

static bool find_choice(const rni_option *option, const char *text, size_t length, uint32_t *place)
{
    const char *choice;
    for (*place = 0; (choice = option->choice_at(*place)) != NULL; ++*place)
        if (strlen(choice) == length && memcmp(choice, text, length) == 0) return true;
    return false;
}

static int refuse_choice(const rni_command *command, const rni_option *option, const char *text,
                         size_t length)
{
    char known[512] = "";
    char given[64];
    const char *near = NULL;
    const char *choice;
    snprintf(given, sizeof given, "%.*s", (int)length, text);
    for (uint32_t place = 0; (choice = option->choice_at(place)) != NULL; place++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", place ? ", " : "", choice);
        if (!near && rni_spelling_is_near(given, choice)) near = choice;
    }
    if (near)
        return rni_misuse(command, "--%s: '%s' is unknown; did you mean %s? There are: %s",
                          option->name, given, near, known);
    return rni_misuse(command, "--%s: '%s' is unknown; there are: %s", option->name, given, known);
}

static int check_number(const rni_command *command, const rni_option *option, const char *text,
                        size_t length)
{
    bool is_whole = option->kind != RNI_OPTION_NUMBER;
    double value;
    if (!rni_number_read(text, length, &value))
        return rni_misuse(command, "--%s: '%.*s' is not a number; give %s", option->name,
                          (int)length, text, option->hint);
    if (is_whole && value != floor(value))
        return rni_misuse(command, "--%s: '%.*s' is not a whole number; give %s", option->name,
                          (int)length, text, option->hint);
    if (value < option->low || value > option->high)
        return rni_misuse(command, "--%s: '%.*s' is out of range (%.9g to %.9g); give %s",
                          option->name, (int)length, text, option->low, option->high, option->hint);
    return RNI_EXIT_DONE;
}

static int check_value(const rni_command *command, const rni_option *option, const char *value)
{
    bool is_list = option->kind == RNI_OPTION_COUNTS || option->kind == RNI_OPTION_CHOICES;
    const char *piece = value;
    size_t length = strlen(value);
    uint32_t count = 0;
    uint32_t place;
    int code = RNI_EXIT_DONE;
    while (code == RNI_EXIT_DONE && (is_list ? next_piece(&value, &piece, &length) : count == 0)) {
        switch (option->kind) {
        case RNI_OPTION_NUMBER:
        case RNI_OPTION_COUNT:
        case RNI_OPTION_COUNTS: code = check_number(command, option, piece, length); break;
        case RNI_OPTION_CHOICE:
        case RNI_OPTION_CHOICES:
        case RNI_OPTION_PRESET_NAME:
            if (!find_choice(option, piece, length, &place))
                code = refuse_choice(command, option, piece, length);
            break;
        case RNI_OPTION_FLAG:
        case RNI_OPTION_TEXT:
        case RNI_OPTION_SETTING:
        case RNI_OPTION_FILE:
        case RNI_OPTION_FOLDER:
            if (length == 0)
                code = rni_misuse(command, "--%s: is empty; give %s", option->name, option->hint);
            break;
        }
        if (++count > RNI_MAX_LIST)
            return rni_misuse(command, "--%s: more than %u values; run the command several times",
                              option->name, RNI_MAX_LIST);
    }
    return code;
}

static int refuse_option(const rni_command *command, const char *name, size_t length)
{
    char given[64];
    const char *near = NULL;
    snprintf(given, sizeof given, "%.*s", (int)length, name);
    for (const rni_option *o = command->options; o && o->name; o++)
        if (!near && rni_spelling_is_near(given, o->name)) near = o->name;
    if (!near && rni_spelling_is_near(given, "help")) near = "help";
    if (near) return rni_misuse(command, "--%s is unknown; did you mean --%s?", given, near);
    return rni_misuse(command, "--%s is unknown", given);
}

static int add_setting(rni_arguments *arguments, const rni_option *option, const char *value)
{
    if (arguments->setting_count == RNI_MAX_SETTINGS)
        return rni_misuse(arguments->command, "--%s: more than %u; put them into a scene file",
                          option->name, RNI_MAX_SETTINGS);
    arguments->setting[arguments->setting_count++] = value;
    return RNI_EXIT_DONE;
}

/* What an option with a checked value means beyond the value. */
static int take_meaning(rni_arguments *arguments, const rni_option *option, const char *value)
{
    char *preset = arguments->preset_setting;
    if (option->kind == RNI_OPTION_SETTING) return add_setting(arguments, option, value);
    if (option->kind != RNI_OPTION_PRESET_NAME) return RNI_EXIT_DONE;
    snprintf(preset, sizeof arguments->preset_setting, "fluid.preset=%s", value);
    return add_setting(arguments, option, preset);
}

/* Takes one option at argv[*at]; moves *at when its value is the next word. */
static int take_option(rni_arguments *arguments, int argc, char **argv, int *at)
{
    const rni_command *command = arguments->command;
    const char *name = argv[*at] + 2;
    size_t length = strcspn(name, "=");
    uint32_t place = 0;
    const rni_option *option = command->options;
    while (option && option->name &&
           (strlen(option->name) != length || memcmp(option->name, name, length) != 0)) {
        option++;
        place++;
    }
    if (!option || !option->name) return refuse_option(command, name, length);

    const char *value = name[length] ? name + length + 1 : NULL;
    if (option->kind == RNI_OPTION_FLAG) {
        if (value)
            return rni_misuse(command, "--%s takes no value, but '%s' was given", option->name,
                              value);
        value = "";
    } else if (!value) {
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
            return rni_misuse(command, "--%s: the value is missing; give %s", option->name,
                              option->hint ? option->hint : option->argument);
        value = argv[++*at];
    }
    if (option->kind != RNI_OPTION_SETTING && arguments->is_given[place])
        return rni_misuse(command, "--%s is given twice", option->name);
    arguments->is_given[place] = true;
    arguments->value[place] = value;
    if (option->kind == RNI_OPTION_FLAG) return RNI_EXIT_DONE;
    int code = check_value(command, option, value);
    return code == RNI_EXIT_DONE ? take_meaning(arguments, option, value) : code;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int at = 0; at < argc && strcmp(argv[at], "--") != 0; at++)
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) return true;
    return false;
}

/* -o, where a command has --out. */
static bool is_short_out(const rni_command *command, const char *word)
{
    if (strcmp(word, "-o") != 0) return false;
    for (const rni_option *o = command->options; o && o->name; o++)
        if (strcmp(o->name, "out") == 0) return true;
    return false;
}

int rni_arguments_parse(rni_arguments *arguments, const rni_command *command, int argc, char **argv,
                        bool *is_help)
{
    *arguments = (rni_arguments){.command = command};
    *is_help = asks_for_help(argc, argv);
    if (*is_help) {
        rni_help_print(stdout, command);
        return RNI_EXIT_DONE;
    }
    uint32_t place = 0;
    for (const rni_option *o = command->options; o && o->name; o++)
        arguments->value[place++] = o->standard;

    bool options_ended = false;
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at];
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && is_short_out(command, word)) {
            static char LONG[] = "--out";
            argv[at] = LONG;
            int code = take_option(arguments, argc, argv, &at);
            if (code != RNI_EXIT_DONE) return code;
        } else if (!options_ended && strncmp(word, "--", 2) == 0) {
            int code = take_option(arguments, argc, argv, &at);
            if (code != RNI_EXIT_DONE) return code;
        } else if (!options_ended && word[0] == '-' && word[1]) {
            return rni_misuse(command,
                              "'%s' is unknown; options are words that begin with two "
                              "dashes",
                              word);
        } else if (arguments->operand_count == command->operand_max) {
            if (command->operand_max == 0)
                return rni_misuse(command, "unexpected argument '%s'", word);
            return rni_misuse(command, "unexpected %s '%s'", command->operand_name, word);
        } else {
            arguments->operand[arguments->operand_count++] = word;
        }
    }
    if (arguments->operand_count < command->operand_min)
        return rni_misuse(command, "%s is missing; usage: %s %s", command->operand_name,
                          command->path, command->usage);
    return RNI_EXIT_DONE;
}

static uint32_t place_of(const rni_arguments *arguments, const char *name)
{
    const rni_option *options = arguments->command->options;
    for (uint32_t place = 0; options[place].name; place++)
        if (strcmp(options[place].name, name) == 0) return place;
    abort(); /* a command asks for an option that is not in its own table */
}

bool rni_arguments_has(const rni_arguments *arguments, const char *name)
{
    return arguments->is_given[place_of(arguments, name)];
}

const char *rni_arguments_text(const rni_arguments *arguments, const char *name)
{
    return arguments->value[place_of(arguments, name)];
}

double rni_arguments_number(const rni_arguments *arguments, const char *name)
{
    const char *text = rni_arguments_text(arguments, name);
    double value = 0;
    if (text) rni_number_read(text, strlen(text), &value);
    return value;
}

uint32_t rni_arguments_count(const rni_arguments *arguments, const char *name)
{
    return (uint32_t)rni_arguments_number(arguments, name);
}

uint32_t rni_arguments_counts(const rni_arguments *arguments, const char *name,
                              uint32_t list[RNI_MAX_LIST])
{
    const char *text = rni_arguments_text(arguments, name);
    const char *piece;
    size_t length;
    uint32_t count = 0;
    while (count < RNI_MAX_LIST && next_piece(&text, &piece, &length)) {
        double value = 0;
        rni_number_read(piece, length, &value);
        list[count++] = (uint32_t)value;
    }
    return count;
}

uint32_t rni_arguments_choice(const rni_arguments *arguments, const char *name)
{
    uint32_t list[RNI_MAX_LIST] = {0};
    rni_arguments_choices(arguments, name, list);
    return list[0];
}

uint32_t rni_arguments_choices(const rni_arguments *arguments, const char *name,
                               uint32_t list[RNI_MAX_LIST])
{
    uint32_t place = place_of(arguments, name);
    const rni_option *option = &arguments->command->options[place];
    const char *text = arguments->value[place];
    const char *piece;
    size_t length;
    uint32_t count = 0;
    while (count < RNI_MAX_LIST && next_piece(&text, &piece, &length))
        if (find_choice(option, piece, length, &list[count])) count++;
    return count;
}
