/* The state of reading a scene: the present path, and the problems so far. */
#ifndef RNI_SCENE_READING_H
#define RNI_SCENE_READING_H

#include "scene/parameters.h"

#include <jansson.h>

#define RNI_PATH_STEPS 8u

typedef struct rni_reading {
    const char *name; /* of the file, for messages */
    const char *text; /* of the file, for line and column; NULL: a setting */
    size_t bytes;
    rni_problems *problems;
    rn_fluid_preset preset; /* of a scene that names none */
    bool is_flat;           /* 2D: vectors may have two numbers */
    uint32_t told;  /* problems of single values; checks that depend on these values are skipped */
    uint32_t depth; /* steps of the path */
    struct {
        const char *key; /* NULL: index counts */
        size_t index;
    } step[RNI_PATH_STEPS];
} rni_reading;

/* Down and up the path; every enter needs its leave. */
void rni_reading_enter(rni_reading *reading, const char *key);
void rni_reading_enter_item(rni_reading *reading, size_t index);
void rni_reading_leave(rni_reading *reading);

/* Adds a problem at the present path: "scene.json:12:7: fluid.viscosity: " and the sentence. */
__attribute__((format(printf, 2, 3))) void rni_problem(const rni_reading *reading,
                                                       const char *format, ...);
/* Adds the problem that the last step of the path is unknown. meant is the right name, or with a point
 * the whole right path; the checks treat that value as wrong and not as missing too. */
void rni_problem_meant(const rni_reading *reading, const char *meant);
/* False when the value `name` at this path (NULL: the path itself), a part of it, or the whole that it
 * belongs to could not be read. */
bool rni_reading_is_sound(const rni_reading *reading, const char *name);
/* False when the value `name` at this path (NULL: the path itself), or anything below it, has a problem
 * of any kind. */
bool rni_reading_is_clean(const rni_reading *reading, const char *name);
/* A problem without a path. */
__attribute__((format(printf, 2, 3))) void rni_problem_add(rni_problems *problems,
                                                           const char *format, ...);
/* RN_OK without problems; otherwise result, with the first problem in rn_last_error(). */
rn_result rni_problems_result(const rni_problems *problems, rn_result result);

/* Line and column (from 1) of the path, or of its longest part that exists. text is valid JSON. */
void rni_position_find(const rni_reading *reading, uint32_t *line, uint32_t *column);

/* Reads a value of parameter from JSON into base (scene or item). False: there was a problem, and the
 * field is unchanged. */
bool rni_value_read(rni_reading *reading, const rni_parameter *parameter, const json_t *json,
                    void *base);

/* text for a message: short, printable on any terminal. */
typedef struct rni_said {
    char text[64];
} rni_said;
rni_said rni_say_text(const char *text, size_t length);

/* The scene in the text of reading, as far as it can be read, even when there are problems; NULL: the
 * text is not JSON, or there is no memory. */
rni_scene *rni_scene_take(rni_reading *reading);
/* Reads everything below root into scene. */
void rni_scene_fill(rni_reading *reading, const json_t *root, rni_scene *scene);
/* Read one item; a whole list, which replaces the old one; all events. */
void rni_item_fill(rni_reading *reading, const rni_parameter_list *list, const json_t *json,
                   void *item);
void rni_list_fill(rni_reading *reading, const rni_parameter_list *list, const json_t *json,
                   rni_scene *scene);
void rni_events_fill(rni_reading *reading, const json_t *json, rni_scene *scene);
/* What an unknown word in the list (NULL: in the scene itself, below group) was probably meant to be: a
 * name there, or the whole path of a parameter elsewhere; NULL: nothing is similar. */
const char *rni_meant(const rni_parameter_list *list, const char *group, const char *word);
/* A parameter of this name in any group; NULL: none. */
const char *rni_meant_elsewhere(const char *word);

#endif
