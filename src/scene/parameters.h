/* The one table of parameters.
 *
 * Job:    names every value a scene may hold: path, type, unit, range, whether it may change while
 *         the water flows, one line of help, and where it lies in rni_scene (or in an item of one
 *         of its lists). Defaults are those of rni_scene_default() and of the lists' fill().
 * Users:  reading, settings, errors, writing, the schema, `runnel params`, the docs' tests.
 * Next:   parameters.c (the table), value.c (from JSON into a field and back to text).
 */
#ifndef RNI_SCENE_PARAMETERS_H
#define RNI_SCENE_PARAMETERS_H

#include "scene/scene.h"

typedef enum rni_parameter_type {
    RNI_TYPE_NUMBER = 0, /* float or double, by its bytes */
    RNI_TYPE_INTEGER,    /* uint32_t or uint64_t, by its bytes */
    RNI_TYPE_BOOL,
    RNI_TYPE_CHOICE, /* an enum, as text */
    RNI_TYPE_VECTOR, /* float[3]; in 2D two numbers do */
    RNI_TYPE_TEXT,   /* char[], its bytes with the closing zero */
    RNI_TYPE_FLAGS,  /* bool[], one a choice; in JSON a list of the names that are true */
    RNI_TYPE_NUMBERS /* float[]; how many, is at count_offset */
} rni_parameter_type;

typedef struct rni_parameter {
    const char *path; /* "fluid.spacing"; in a list's table the bare name */
    rni_parameter_type type;
    const char *unit;                         /* "" for none */
    double low, high;                         /* of each number */
    const char *(*choice_at)(uint32_t place); /* NULL past the end; choices and flags */
    bool is_live;                             /* may change while the water flows, by an event */
    bool is_required;                         /* in a list's table: every item has to have it */
    bool is_needed;                           /* the same of items that name no solid */
    bool has_z_in_2d;                         /* vectors: of three numbers in 2D too */
    bool is_first;    /* in a list's table: read before the others, which follow from it */
    bool is_of_shape; /* solids, gauges: only shapes (kinds) whose row names it have it */
    size_t offset, bytes, count_offset;
    const char *zero;    /* what 0 means, as "derived from particles"; NULL: just 0 */
    const char *planned; /* a choice that is not there yet, and why: "mesh\0why"; NULL: none */
    const char *help;    /* one line, no full stop */
} rni_parameter;

/* A list of objects of one kind. */
typedef struct rni_parameter_list {
    const char *name;     /* "solids" */
    const char *singular; /* "solid" */
    const char *help;
    const rni_parameter *table;
    uint32_t parameter_count;
    uint32_t max; /* items */
    size_t item_bytes;
    size_t items_offset, count_offset; /* in rni_scene */
    void (*fill)(void *item);          /* the defaults */
    /* Values that follow from others, which are read first; NULL: none. `before` is the item without them, and values
     * that the item still has from there are replaced. */
    void (*follow)(void *item, const void *before);
} rni_parameter_list;

/* As large as the largest item of all lists: the defaults of any of them fit. */
typedef union rni_parameter_item {
    rni_scene scene;
    rni_scene_fluid fluid;
    rni_scene_solid solid;
    rni_scene_block block;
    rni_scene_ball ball;
    rni_scene_pipe pipe;
    rni_scene_outlet outlet;
    rni_scene_gauge gauge;
    rni_scene_gravity gravity;
} rni_parameter_item;

extern const rni_parameter rni_parameters[];
extern const uint32_t rni_parameter_count;
extern const rni_parameter_list rni_parameter_lists[];
extern const uint32_t rni_parameter_list_count;

/* A scene with every default in it and empty lists; a plain value. */
rni_scene rni_scene_default(void);
/* Another preset: values that are those of the present one become those of the new one. */
void rni_scene_set_preset(rni_scene *scene, rn_fluid_preset preset);

/* Of the form a.b, or a; NULL: there is none. */
const rni_parameter *rni_parameter_find(const char *path, size_t length);
const rni_parameter_list *rni_parameter_list_find(const char *name, size_t length);
const rni_parameter *rni_parameter_find_in(const rni_parameter_list *list, const char *name,
                                           size_t length);
/* "fluid" of "fluid.spacing"; 0 when there is no point in it. */
size_t rni_parameter_group_length(const rni_parameter *parameter);

/* "number", "vector", ...: as docs and `runnel params` name it. */
const char *rni_parameter_type_name(rni_parameter_type type);
/* "a number from 0 to 1e+06, in Pa s": what would be right. */
typedef struct rni_needs {
    char text[256];
} rni_needs;
rni_needs rni_parameter_needs(const rni_parameter *parameter);

/* The items of a list in a scene, and how many. */
static inline void *rni_items_of(const rni_scene *scene, const rni_parameter_list *list)
{
    return *(void *const *)(const void *)((const char *)scene + list->items_offset);
}
static inline uint32_t rni_item_count_of(const rni_scene *scene, const rni_parameter_list *list)
{
    return *(const uint32_t *)(const void *)((const char *)scene + list->count_offset);
}

/* The shapes or kinds that have a parameter: "box, cylinder"; "" for all. */
typedef struct rni_shapes_text {
    char text[128];
} rni_shapes_text;
rni_shapes_text rni_parameter_shapes(const rni_parameter *parameter);
/* True when a scene must give it: always, or for every shape that has it. */
bool rni_parameter_must_be_given(const rni_parameter *parameter);
/* "a box", "an energy gauge": the shape or kind of an item. */
rni_shapes_text rni_parameter_kind(const rni_parameter_list *list, const void *item);
/* True when a gauge of this kind, or an item without a solid, has to have the parameter. */
bool rni_parameter_is_needed(const rni_parameter *parameter, const rni_parameter_list *list,
                             const void *item);
/* True when an item (solids, gauges: of its shape or kind) has this parameter. */
bool rni_parameter_applies(const rni_parameter *parameter, const rni_parameter_list *list,
                           const void *item);

/* The value of parameter in base (scene or item) as JSON text; numbers with as few digits as bring
 * them back. */
void rni_parameter_write(FILE *file, const rni_parameter *parameter, const void *base);
/* JSON text with quotes and escapes. */
void rni_text_write(FILE *file, const char *text);
void rni_number_write(FILE *file, double value, bool is_float);

/* The same parameter inside rni_scene_change.value; and a change applied to a scene. */
rni_parameter rni_parameter_of_change(const rni_parameter *parameter);
void rni_change_apply(const rni_scene_change *change, rni_scene *scene);

/* For asserts: what is wrong with a scene in memory (an array without items, a text without an end, a
 * number that is not finite); NULL: nothing. */
const char *rni_scene_flaw(const rni_scene *scene);

/* The JSON Schema (draft 2020-12) of scene files. */
void rni_schema_write(FILE *file);

#endif
