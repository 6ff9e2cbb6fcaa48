/* Shell completion, made from the tables of commands and options. */
#include "cli/command.h"

#include <string.h>

static const char *choice_shell(uint32_t place)
{
    static const char *const names[] = {"bash", "zsh", "fish"};
    return place < 3 ? names[place] : NULL;
}

/* Calls print for every command below root that is not a group, with its words: "bench
 * neighbors". */
typedef void (*command_fn)(const rni_command *command, const char *words);

static void for_each_command(const rni_command *command, command_fn print)
{
    const char *words = strchr(command->path, ' ');
    print(command, words ? words + 1 : "");
    for (const rni_command *const *child = command->children; child && *child; child++)
        for_each_command(*child, print);
}

static void print_choices(const char *(*choice_at)(uint32_t), const char *separator)
{
    const char *choice;
    for (uint32_t place = 0; (choice = choice_at(place)) != NULL; place++)
        printf("%s%s", place ? separator : "", choice);
}

/* Safe inside single quotes of all three shells, without the characters that are special to zsh. */
static void print_quotable(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '[' || *text == ']') putchar(' ');
        else if (*text == ':') fputs(" -", stdout);
        else putchar(*text);
    }
}

/* The reply for one option: completes the last item of a list and keeps the items before it. */
static void print_bash_choices(const rni_option *o)
{
    bool is_list = o->kind == RNI_OPTION_CHOICES;
    if (is_list) fputs("[[ $current == *,* ]] && before+=${current%,*},; ", stdout);
    fputs("COMPREPLY=($(compgen -P \"$before\" -W \"", stdout);
    print_choices(o->choice_at, " ");
    printf("\" -- \"${current%s}\"))", is_list ? "##*," : "");
}

static void print_bash_command(const rni_command *command, const char *words)
{
    printf("    '%s')\n        case \"$previous\" in\n", words);
    for (const rni_option *o = command->options; o && o->name; o++) {
        if (o->kind == RNI_OPTION_FLAG) continue;
        printf("        --%s) ", o->name);
        if (o->choice_at) {
            print_bash_choices(o);
        } else if (o->kind == RNI_OPTION_FILE) {
            fputs("COMPREPLY=($(compgen -P \"$before\" -f -- \"$current\"))", stdout);
        } else if (o->kind == RNI_OPTION_FOLDER) {
            fputs("COMPREPLY=($(compgen -P \"$before\" -d -- \"$current\"))", stdout);
        } else {
            fputs("COMPREPLY=()", stdout);
        }
        fputs("; return ;;\n", stdout);
    }
    fputs("        esac\n        if [[ $current == -* ]]; then\n"
          "            COMPREPLY=($(compgen -W \"--help",
          stdout);
    for (const rni_option *o = command->options; o && o->name; o++) printf(" --%s", o->name);
    fputs("\" -- \"$current\"))\n        else\n            COMPREPLY=($(compgen ", stdout);
    if (command->children || command->operand_at) {
        fputs("-W \"", stdout);
        for (const rni_command *const *child = command->children; child && *child; child++)
            printf("%s ", (*child)->name);
        if (command == &rni_command_root) fputs("help", stdout);
        if (command->operand_at) print_choices(command->operand_at, " ");
        fputs("\"", stdout);
    } else {
        fputs(command->operand_max ? "-f" : "-W \"\"", stdout);
    }
    fputs(" -- \"$current\"))\n        fi ;;\n", stdout);
}

static void print_bash_path(const rni_command *command, const char *words)
{
    (void)command;
    if (*words) printf("            '%s') path=$next ;;\n", words);
}

static void print_bash(void)
{
    fputs("# Completion of runnel for bash: eval \"$(runnel completion bash)\"\n"
          "_runnel() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local path= next word before=\n"
          "    # --option=value: three words to bash, or one where = is not in COMP_WORDBREAKS.\n"
          "    if [[ $current == = ]]; then\n"
          "        current=\n"
          "    elif [[ $previous == = ]]; then\n"
          "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    elif [[ $current == --*=* ]]; then\n"
          "        previous=${current%%=*} before=${current%%=*}= current=${current#*=}\n"
          "    fi\n"
          "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "        next=${path:+$path }$word\n"
          "        case \"$next\" in\n",
          stdout);
    for_each_command(&rni_command_root, print_bash_path);
    fputs("        esac\n    done\n    case \"$path\" in\n", stdout);
    for_each_command(&rni_command_root, print_bash_command);
    fputs("    esac\n}\ncomplete -o filenames -F _runnel runnel\n", stdout);
}

static void print_zsh_options(const rni_command *command)
{
    fputs("        _arguments '--help[this text]'", stdout);
    for (const rni_option *o = command->options; o && o->name; o++) {
        printf(" \\\n            '--%s%s[", o->name, o->kind == RNI_OPTION_FLAG ? "" : "=");
        print_quotable(o->help);
        fputs("]", stdout);
        if (o->kind != RNI_OPTION_FLAG) {
            printf(":%s:", o->name);
            if (o->choice_at) {
                fputs("(", stdout);
                print_choices(o->choice_at, " ");
                fputs(")", stdout);
            } else if (o->kind == RNI_OPTION_FILE) {
                fputs("_files", stdout);
            } else if (o->kind == RNI_OPTION_FOLDER) {
                fputs("_files -/", stdout);
            }
        }
        fputs("'", stdout);
    }
    if (command->operand_at) {
        printf(" \\\n            '*:%s:(", command->operand_name);
        print_choices(command->operand_at, " ");
        fputs(")'", stdout);
    } else if (command->operand_max) {
        printf(" \\\n            '*:%s:_files'", command->operand_name);
    }
    fputs(" ;;\n", stdout);
}

static void print_zsh_command(const rni_command *command, const char *words)
{
    printf("    '%s')\n", words);
    if (!command->children) {
        print_zsh_options(command);
        return;
    }
    fputs("        commands=(", stdout);
    for (const rni_command *const *child = command->children; *child; child++) {
        printf("'%s:", (*child)->name);
        print_quotable((*child)->summary);
        fputs("' ", stdout);
    }
    fputs("); _describe command commands ;;\n", stdout);
}

static void print_zsh_path(const rni_command *command, const char *words)
{
    (void)command;
    if (*words) printf("            '%s') chosen=$next; depth=$((depth + 1)) ;;\n", words);
}

static void print_zsh(void)
{
    fputs("#compdef runnel\n"
          "# Completion of runnel for zsh: eval \"$(runnel completion zsh)\" after compinit\n"
          "_runnel() {\n"
          "    local chosen= next word depth=0\n"
          "    local -a commands\n"
          "    for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
          "        next=${chosen:+$chosen }$word\n"
          "        case \"$next\" in\n",
          stdout);
    for_each_command(&rni_command_root, print_zsh_path);
    fputs("        esac\n    done\n"
          "    # _arguments counts from the command's own word.\n"
          "    words=(\"${(@)words[depth+1,-1]}\"); CURRENT=$((CURRENT - depth))\n"
          "    case \"$chosen\" in\n",
          stdout);
    for_each_command(&rni_command_root, print_zsh_command);
    fputs("    esac\n}\ncompdef _runnel runnel\n", stdout);
}

static void print_fish_command(const rni_command *command, const char *words)
{
    for (const rni_command *const *child = command->children; child && *child; child++) {
        printf("complete -c runnel -n \"__runnel_at '%s'\" -a %s -d '", words, (*child)->name);
        print_quotable((*child)->summary);
        fputs("'\n", stdout);
    }
    for (const rni_option *o = command->options; o && o->name; o++) {
        printf("complete -c runnel -n \"__runnel_at '%s'\" -l %s -d '", words, o->name);
        print_quotable(o->help);
        fputs("'", stdout);
        if (o->kind != RNI_OPTION_FLAG) fputs(o->kind >= RNI_OPTION_FILE ? " -rF" : " -x", stdout);
        if (o->choice_at) {
            fputs(" -a '", stdout);
            print_choices(o->choice_at, " ");
            fputs("'", stdout);
        }
        fputs("\n", stdout);
    }
    if (command->operand_at) {
        printf("complete -c runnel -n \"__runnel_at '%s'\" -a '", words);
        print_choices(command->operand_at, " ");
        fputs("'\n", stdout);
    } else if (command->operand_max) {
        printf("complete -c runnel -n \"__runnel_at '%s'\" -F\n", words);
    }
}

static void print_fish_path(const rni_command *command, const char *words)
{
    (void)command;
    if (*words) printf("            case '%s'\n                set path $next\n", words);
}

static void print_fish(void)
{
    fputs("# Completion of runnel for fish: runnel completion fish | source\n"
          "function __runnel_at\n"
          "    set -l path ''\n"
          "    for word in (commandline -opc)[2..-1]\n"
          "        set -l next (string trim -- \"$path $word\")\n"
          "        switch $next\n",
          stdout);
    for_each_command(&rni_command_root, print_fish_path);
    fputs("        end\n    end\n    test \"$path\" = \"$argv[1]\"\nend\ncomplete -c runnel -f\n"
          "complete -c runnel -l help -d 'help'\n",
          stdout);
    for_each_command(&rni_command_root, print_fish_command);
}

static int run(const rni_arguments *arguments)
{
    const char *shell = arguments->operand[0];
    if (strcmp(shell, "bash") == 0) print_bash();
    else if (strcmp(shell, "zsh") == 0) print_zsh();
    else if (strcmp(shell, "fish") == 0) print_fish();
    else
        return rni_misuse(arguments->command,
                          "'%s' is no shell known here; there are: bash, zsh, fish", shell);
    return RNI_EXIT_DONE;
}

const rni_command rni_command_completion = {
    .name = "completion",
    .path = "runnel completion",
    .summary = "prints the completion script of a shell",
    .usage = "bash|zsh|fish",
    .examples = "eval \"$(runnel completion bash)\"\nrunnel completion fish | source",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "SHELL",
    .operand_at = choice_shell,
    .run = run,
};
