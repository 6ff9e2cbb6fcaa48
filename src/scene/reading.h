/* What reading a scene keeps in mind: where it is, and what was wrong so far. */
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
    bool is_flat;   /* 2D: two numbers make a vector */
    uint32_t told;  /* problems of values by themselves: what leans on those is not looked at */
    uint32_t depth; /* steps of the path */
    struct {
        const char *key; /* NULL: index counts */
        size_t index;
    } step[RNI_PATH_STEPS];
} rni_reading;

/* Down and up the path; every enter has its leave. */
void rni_reading_enter(rni_reading *reading, const char *key);
void rni_reading_enter_item(rni_reading *reading, size_t index);
void rni_reading_leave(rni_reading *reading);

/* One more problem at the path as it is: "scene.json:12:7: fluid.viscosity: " and the sentence. */
__attribute__((format(printf, 2, 3))) void rni_problem(const rni_reading *reading,
                                                       const char *format, ...);
/* The last step of the path is unknown; meant is the name that should stand there, or with a point the
 * whole path. To the checks the problem is one of that value: it is not missing as well. */
void rni_problem_meant(const rni_reading *reading, const char *meant);
/* False when the value `name` at this path (NULL: the path itself), something in it or the whole that
 * it is part of could not be read. */
bool rni_reading_is_sound(const rni_reading *reading, const char *name);
/* False when any problem, of whatever kind, has been told of the value `name` at this path (NULL: the
 * path itself) or below. */
bool rni_reading_is_clean(const rni_reading *reading, const char *name);
/* A problem without a path. */
__attribute__((format(printf, 2, 3))) void rni_problem_add(rni_problems *problems,
                                                           const char *format, ...);
/* RN_OK without problems; else result, with the first sentence for rn_last_error(). */
rn_result rni_problems_result(const rni_problems *problems, rn_result result);

/* Line and column (from 1) of the path, or as far down as it leads. text is valid JSON. */
void rni_position_find(const rni_reading *reading, uint32_t *line, uint32_t *column);

/* A value of parameter from JSON into base (scene or item); problems are told at the path. False
 * when there was one: the field is then as it was. */
bool rni_value_read(rni_reading *reading, const rni_parameter *parameter, const json_t *json,
                    void *base);

/* text for a message: short, printable on any terminal. */
typedef struct rni_said {
    char text[64];
} rni_said;
rni_said rni_say_text(const char *text, size_t length);

/* The scene that the reading's text tells, as far as it can be read, even when there are problems;
 * NULL: it is no JSON, or there is no memory. */
rni_scene *rni_scene_take(rni_reading *reading);
/* All of a scene file below root; problems are told. */
void rni_scene_fill(rni_reading *reading, const json_t *root, rni_scene *scene);
/* One item, or a whole list in place of the old one. */
void rni_item_fill(rni_reading *reading, const rni_parameter_list *list, const json_t *json,
                   void *item);
void rni_list_fill(rni_reading *reading, const rni_parameter_list *list, const json_t *json,
                   rni_scene *scene);
void rni_events_fill(rni_reading *reading, const json_t *json, rni_scene *scene);
/* What a word that is not in the list (list NULL: of the scene itself, below group) was meant to be: a
 * name there, or the whole path of one elsewhere; NULL: nothing is near. */
const char *rni_meant(const rni_parameter_list *list, const char *group, const char *word);

#endif
