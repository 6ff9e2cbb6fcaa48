/* What was meant by a key that is unknown: another spelling, another place, or the word of other programs. */
#include "files/reader.h"
#include "scene/reading.h"

#include <string.h>

#define MAX_WORDS 96u

/* The names below group; of all lists and groups too when group is "". */
static uint32_t words_of(const rni_parameter_list *list, const char *group, const char **words)
{
    uint32_t count = 0;
    size_t length = strlen(group);
    uint32_t parameter_count = list ? list->parameter_count : rni_parameter_count;
    for (uint32_t k = 0; k < parameter_count && count + 1 < MAX_WORDS; k++) {
        const rni_parameter *p = list ? &list->table[k] : &rni_parameters[k];
        if (list || rni_parameter_group_length(p) == 0) {
            if (list || length == 0) words[count++] = p->path;
        } else if (rni_parameter_group_length(p) == length && memcmp(p->path, group, length) == 0) {
            words[count++] = p->path + length + 1;
        }
    }
    if (!list && length == 0) {
        static const char *const groups[] = {"fluid", "run",  "time",  "domain",
                                             "walls", "view", "events"};
        for (uint32_t k = 0; k < sizeof groups / sizeof *groups; k++) words[count++] = groups[k];
        for (uint32_t k = 0; k < rni_parameter_list_count; k++)
            words[count++] = rni_parameter_lists[k].name;
    }
    words[count] = NULL;
    return count;
}

/* What other programs call it. A list's name: of its items; "": the whole path. */
static const struct synonym {
    const char *list, *word, *meant;
} synonyms[] = {
    {"", "duration", "run.time"},
    {"", "end", "run.time"},
    {"", "end_time", "run.time"},
    {"", "stop", "run.time"},
    {"", "t_end", "run.time"},
    {"", "tmax", "run.time"},
    {"", "fps", "run.every"},
    {"", "interval", "run.every"},
    {"", "output_interval", "run.every"},
    {"", "density", "fluid.rest_density"},
    {"", "density0", "fluid.rest_density"},
    {"", "rho0", "fluid.rest_density"},
    {"", "mass", "fluid.rest_density"},
    {"", "dp", "fluid.spacing"},
    {"", "dx", "fluid.spacing"},
    {"", "particle_radius", "fluid.spacing"},
    {"", "particle_size", "fluid.spacing"},
    {"", "resolution", "fluid.particles"},
    {"", "h", "fluid.radius"},
    {"", "kernel", "fluid.kernels"},
    {"", "kernel_radius", "fluid.radius"},
    {"", "smoothing_length", "fluid.radius"},
    {"", "support_radius", "fluid.radius"},
    {"", "alpha", "fluid.numerical_viscosity"},
    {"", "artificial_viscosity", "fluid.numerical_viscosity"},
    {"", "mu", "fluid.viscosity"},
    {"", "nu", "fluid.viscosity"},
    {"", "c0", "fluid.sound_ratio"},
    {"", "sound_speed", "fluid.sound_ratio"},
    {"", "speed_of_sound", "fluid.sound_ratio"},
    {"", "gamma", "fluid.exponent"},
    {"", "max_speed", "fluid.speed_expected"},
    {"", "sigma", "fluid.surface_tension"},
    {"", "cfl", "time.courant"},
    {"", "cfl_factor", "time.courant"},
    {"", "dt", "time.step"},
    {"", "time_step", "time.step"},
    {"", "timestep", "time.step"},
    {"", "g", "gravity"},
    {"", "gravitation", "gravity"},
    {"", "max", "domain.high"},
    {"", "min", "domain.low"},
    {"", "no_slip", "domain.slip"},
    {"", "restitution", "walls.bounce"},
    {"", "camera", "view.eye"},
    {"solids", "type", "shape"},
    {"solids", "position", "center"},
    {"solids", "rotation", "turn"},
    {"solids", "angle", "turn"},
    {"solids", "height", "length"},
    {"solids", "restitution", "bounce"},
    {"solids", "mesh", "file"},
    {"blocks", "min", "low"},
    {"blocks", "max", "high"},
    {"balls", "position", "center"},
    {"pipes", "position", "center"},
    {"pipes", "flow", "flow_rate"},
    {"pipes", "rate", "flow_rate"},
    {"pipes", "discharge", "flow_rate"},
    {"pipes", "velocity", "speed"},
    {"outlets", "min", "low"},
    {"outlets", "max", "high"},
    {"gauges", "type", "kind"},
    {"gauges", "position", "center"},
    {"gauges", "point", "center"},
};

static const char *synonym_of(const char *list, const char *word)
{
    for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms; k++)
        if (strcmp(synonyms[k].list, list) == 0 && strcmp(synonyms[k].word, word) == 0)
            return synonyms[k].meant;
    return NULL;
}

/* A parameter of this name that lives somewhere else; NULL: none. */
const char *rni_meant_elsewhere(const char *word)
{
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        size_t length = rni_parameter_group_length(&rni_parameters[k]);
        const char *path = rni_parameters[k].path;
        if (strcmp(length ? path + length + 1 : path, word) == 0) return path;
    }
    return NULL;
}

const char *rni_meant(const rni_parameter_list *list, const char *group, const char *word)
{
    const char *words[MAX_WORDS];
    words_of(list, group, words);
    const char *meant = synonym_of(list ? list->name : "", word);
    if (!meant) meant = rni_nearest_word((rni_text){word, word + strlen(word)}, words);
    return meant || list ? meant : rni_meant_elsewhere(word);
}
