#include "cli/scene_open.h"

#include <runnel/base.h>

#include <string.h>

const char *rni_choice_scene(uint32_t place)
{
    const rni_scene_builtin *builtin = rni_scene_builtin_at(place);
    return builtin ? builtin->name : NULL;
}

void rni_problems_print(const rni_command *command, const rni_problems *problems)
{
    uint32_t kept = problems->count < RNI_MAX_PROBLEMS ? problems->count : RNI_MAX_PROBLEMS;
    fflush(stdout);
    for (uint32_t k = 0; k < kept; k++)
        fprintf(stderr, "%s: %s\n", command->path, problems->text[k]);
    if (problems->count > kept)
        fprintf(stderr, "%s: and %u more problems\n", command->path, problems->count - kept);
}

int rni_scene_open(const rni_arguments *arguments, const char *name, rni_scene **scene)
{
    rni_problems problems;
    rn_result result =
        rni_scene_load(name, arguments->setting, arguments->setting_count, scene, &problems);
    if (result == RN_OK) return RNI_EXIT_DONE;
    if (problems.count) rni_problems_print(arguments->command, &problems);
    else fprintf(stderr, "%s: %s\n", arguments->command->path, rn_last_error());
    return result == RN_ERROR_ARGUMENT ? RNI_EXIT_MISUSE : RNI_EXIT_FAILED;
}

rni_grouped rni_group(uint64_t value)
{
    rni_grouped grouped;
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    int at = 0;
    for (int k = 0; k < length; k++) {
        if (k > 0 && (length - k) % 3 == 0) grouped.text[at++] = ',';
        grouped.text[at++] = digits[k];
    }
    grouped.text[at] = 0;
    return grouped;
}
