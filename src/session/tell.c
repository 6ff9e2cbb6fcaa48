/* Messages to clients: docs/viewer-protocol.md. A message without memory is not sent; the next one
 * of its kind has the same content. */
#include "session/session.h"

#include "base/clock.h"
#include "files/json.h"
#include "fluid/derived.h"
#include "scene/parameter_rows.h"
#include "session/explain.h"
#include "session/shot_scene.h"

#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- composing a message
 * ------------------------------------------------------------------------------- */

typedef struct telling {
    FILE *file;
    char *text;
    size_t bytes;
    rni_json json;
} telling;

/* The text points into this struct, which must not move. */
static bool begin(telling *t, const char *type)
{
    *t = (telling){0};
    t->file = open_memstream(&t->text, &t->bytes);
    if (!t->file) return false;
    t->json = rni_json_begin(t->file);
    if (type) rni_json_text(&t->json, "type", type);
    return true;
}

/* The whole text, from malloc. */
static char *end(telling *t)
{
    rni_json_end(&t->json);
    bool is_bad = ferror(t->file) != 0;
    if (fclose(t->file) == 0 && !is_bad) return t->text;
    free(t->text);
    return NULL;
}

static void tell(const rni_session *s, telling *t, rni_view_topic topic)
{
    char *text = end(t);
    if (text) rni_view_tell(s->view, topic, text);
    free(text);
}

static void answer(const rni_session *s, telling *t, uint64_t client)
{
    char *text = end(t);
    if (text) rni_view_answer(s->view, client, text);
    free(text);
}

static void put_vector(rni_json *json, const char *key, const float *v)
{
    double values[3] = {(double)v[0], (double)v[1], (double)v[2]};
    rni_json_floats(json, key, values, 3);
}

static rni_json open_object(rni_json *json, const char *key)
{
    rni_json_key(json, key);
    return rni_json_begin(json->file);
}

/* --- hello ------------------------------------------------------------------------------------------------ */

static void put_scene_name(FILE *file, const char *name, const char *text, size_t bytes)
{
    json_t *root = json_loadb(text, bytes, 0, NULL);
    const char *title = json_string_value(json_object_get(root, "title"));
    const char *about = json_string_value(json_object_get(root, "description"));
    rni_json json = rni_json_begin(file);
    rni_json_text(&json, "name", name);
    rni_json_text(&json, "title", title ? title : "");
    rni_json_text(&json, "description", about ? about : "");
    rni_json_end(&json);
    json_decref(root);
}

char *rni_tell_hello(const char *folder, const char *own_name, const char *own_text)
{
    telling t;
    const rni_scene_builtin *builtin;
    if (!begin(&t, NULL)) return NULL;
    rni_json_text(&t.json, "program", "runnel");
    rni_json_text(&t.json, "version", rn_version());
    if (folder) rni_json_text(&t.json, "folder", folder);
    else rni_json_null(&t.json, "folder");
    rni_json_key(&t.json, "scenes");
    fputc('[', t.file);
    for (uint32_t k = 0; (builtin = rni_scene_builtin_at(k)) != NULL; k++) {
        if (k) fputs(", ", t.file);
        put_scene_name(t.file, builtin->name, builtin->text, builtin->bytes);
    }
    if (own_text) {
        fputs(", ", t.file);
        put_scene_name(t.file, own_name, own_text, strlen(own_text));
    }
    fputc(']', t.file);
    rni_json_key(&t.json, "parameters");
    rni_parameter_rows_write(t.file);
    char *text = end(&t);
    if (!text) return NULL;
    /* Without its braces. */
    size_t length = strlen(text);
    memmove(text, text + 1, length - 2);
    text[length - 2] = 0;
    return text;
}

/* --- scene ------------------------------------------------------------------------------------------------- */

static void put_measured(rni_json *json, const char *key, double value)
{
    if (value > 0) rni_json_number(json, key, value);
    else rni_json_null(json, key);
}

static void put_derived(rni_json *json, const rni_session *s)
{
    rn_fluid_derived d = rni_fluid_derived_of(s->fluid);
    bool is_endless = false;
    for (uint32_t k = 0; k < s->scene->pipe_count; k++)
        is_endless |= s->built.derived.pipe_max[k] == 0 && !rni_scene_pipe_ends(&s->scene->pipes[k]);
    rni_json j = open_object(json, "derived");
    rni_json_whole(&j, "particles_start", rni_session_begun(s));
    rni_json_whole(&j, "particles", rni_session_all(s));
    rni_json_bool(&j, "endless", is_endless);
    rni_json_number(&j, "spacing", s->built.derived.spacing);
    rni_json_number(&j, "radius", (double)d.radius);
    rni_json_number(&j, "mass", (double)d.mass);
    rni_json_number(&j, "stiffness", (double)d.stiffness);
    rni_json_number(&j, "sound_speed", (double)d.sound_speed);
    rni_json_number(&j, "speed_expected", (double)d.speed_expected);
    rni_json_number(&j, "viscosity", (double)d.viscosity);
    rni_json_number(&j, "fluid_viscosity", rni_scene_viscosity(s->scene));
    rni_json_number(&j, "numerical_viscosity", (double)d.numerical_viscosity);
    rni_json_number(&j, "time_step", (double)d.time_step);
    rni_json_whole(&j, "neighbors", d.neighbor_count);
    put_measured(&j, "bytes", (double)s->bytes);
    put_measured(&j, "steps_per_s", s->step_s > 0 ? 1 / s->step_s : 0);
    rni_json_end(&j);
}

/* A member of the scene, repeated where the page expects it. */
static void put_member(rni_json *json, const json_t *root, const char *key)
{
    char *text = json_dumps(json_object_get(root, key), JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    rni_json_key(json, key);
    fputs(text ? text : "null", json->file);
    free(text);
}

/* Several fluids: names and colours, for the legend. */
static void put_fluids(rni_json *json, const rni_scene *scene)
{
    rni_json_key(json, "fluids");
    fputc('[', json->file);
    for (uint32_t k = 0; k < scene->fluid_count; k++) {
        float color[3];
        rni_scene_fluid_color(scene, k, color);
        if (k) fputs(", ", json->file);
        rni_json fluid = rni_json_begin(json->file);
        rni_json_text(&fluid, "name", scene->fluids[k].phase.name);
        put_vector(&fluid, "color", color);
        rni_json_end(&fluid);
    }
    fputc(']', json->file);
}

/* What the meshes are made of, in the order in which they are sent. */
static void put_finishes(rni_json *json, const rni_scene *scene)
{
    bool is_first = true;
    rni_json_key(json, "finishes");
    fputc('[', json->file);
    for (uint32_t k = 0; k < scene->solid_count; k++) {
        if (!scene->solids[k].is_drawn || !scene->solids[k].is_wall) continue;
        const rni_finish *finish = rni_shot_scene_finish(&scene->solids[k]);
        if (!is_first) fputs(", ", json->file);
        is_first = false;
        if (finish) fprintf(json->file, "\"%s\"", finish->name);
        else fputs("null", json->file);
    }
    fputc(']', json->file);
}

/* Whether the built-in scene of this name is the same: then a link needs only the name. */
static bool is_builtin(const rni_session *s, const char *text)
{
    const rni_scene_builtin *builtin;
    bool is_same = false;
    for (uint32_t k = 0; (builtin = rni_scene_builtin_at(k)) != NULL && !is_same; k++) {
        rni_scene *scene = NULL;
        if (strcmp(builtin->name, s->name) != 0) continue;
        if (rni_scene_read_as(RNI_SESSION_PRESET, builtin->text, builtin->bytes, "scene", &scene,
                              NULL) == RN_OK) {
            char *plain = rni_scene_write(scene);
            is_same = plain && strcmp(plain, text) == 0;
            free(plain);
        }
        rni_scene_free(scene);
    }
    return is_same;
}

static void tell_meshes(rni_session *s)
{
    rn_frame frame = rn_frame_default();
    rni_session_meshes_free(&s->meshes);
    /* Without memory the scene is shown without solids. */
    (void)rni_session_meshes_make(s->scene, &s->meshes);
    rni_session_meshes_lend(&s->meshes, &frame);
    (void)rni_view_set_meshes(s->view, &frame, s->number);
}

void rni_tell_scene(rni_session *s)
{
    static const char *const MEMBERS[] = {"solids", "pipes", "outlets", "view"};
    telling t;
    float low[3], high[3];
    char *text = rni_scene_write(s->scene);
    json_t *root = text ? json_loads(text, 0, NULL) : NULL;
    if (root && begin(&t, "scene")) {
        rni_scene_bounds(s->scene, low, high);
        rni_json_whole(&t.json, "number", s->number);
        rni_json_text(&t.json, "name", s->name);
        rni_json_bool(&t.json, "builtin", is_builtin(s, text));
        rni_json_text(&t.json, "title", s->scene->title);
        rni_json_text(&t.json, "description", s->scene->description);
        rni_json_whole(&t.json, "dim", s->scene->def.dim);
        put_vector(&t.json, "low", low);
        put_vector(&t.json, "high", high);
        put_derived(&t.json, s);
        for (uint32_t k = 0; k < 4; k++) put_member(&t.json, root, MEMBERS[k]);
        put_fluids(&t.json, s->scene);
        put_finishes(&t.json, s->scene);
        rni_json_key(&t.json, "scene");
        fputs(text, t.file);
        tell(s, &t, RNI_VIEW_SCENE);
        tell_meshes(s);
    }
    json_decref(root);
    free(text);
}

/* --- state and values ------------------------------------------------------------------------------------ */

void rni_tell_state(const rni_session *s, const char *state)
{
    telling t;
    if (!begin(&t, "state")) return;
    bool is_at_start = s->fluid && rn_fluid_get_step_count(s->fluid) == 0;
    if (!state)
        state = s->is_failed    ? "failed"
                : s->is_running ? "running"
                : is_at_start   ? "ready"
                                : "paused";
    rni_json_text(&t.json, "state", state);
    rni_json_text(&t.json, "sentence", s->sentence);
    rni_json_number(&t.json, "speed", s->pace);
    tell(s, &t, RNI_VIEW_STATE);
}

static void put_pipe_values(rni_json *json, const rni_scene *scene)
{
    const rni_parameter_list *list = rni_parameter_list_find("pipes", 5);
    for (uint32_t k = 0; list && k < scene->pipe_count; k++)
        for (uint32_t c = 0; c < list->parameter_count; c++) {
            const rni_parameter *p = &list->table[c];
            char path[64];
            if (p->type != RNI_TYPE_NUMBER && p->type != RNI_TYPE_VECTOR) continue;
            snprintf(path, sizeof path, "pipes.%u.%s", k, p->path);
            rni_json_key(json, path);
            rni_parameter_write(json->file, p, &scene->pipes[k]);
        }
}

/* What may change of each of several fluids; of a single one, its material. */
static void put_fluid_values(rni_json *json, const rni_session *s)
{
    const rni_parameter_list *list = rni_parameter_list_find("fluids", 6);
    const rni_parameter *material = rni_parameter_find("fluid.material", 14);
    if (s->scene->fluid_count == 0 && material) {
        rni_json_key(json, material->path);
        rni_parameter_write(json->file, material, &s->now);
    }
    for (uint32_t k = 0; list && k < s->scene->fluid_count; k++)
        for (uint32_t c = 0; c < list->parameter_count; c++) {
            const rni_parameter *p = &list->table[c];
            char path[64];
            if (p->type != RNI_TYPE_NUMBER && p->type != RNI_TYPE_CHOICE) continue;
            snprintf(path, sizeof path, "fluids.%u.%s", k, p->path);
            rni_json_key(json, path);
            rni_parameter_write(json->file, p, &s->scene->fluids[k]);
        }
}

void rni_tell_values(const rni_session *s)
{
    telling t;
    if (!begin(&t, "values")) return;
    rni_json values = open_object(&t.json, "values");
    for (uint32_t k = 0; k < rni_parameter_count; k++) {
        if (!rni_parameters[k].is_live) continue;
        rni_json_key(&values, rni_parameters[k].path);
        rni_parameter_write(t.file, &rni_parameters[k], &s->now);
    }
    put_pipe_values(&values, s->scene);
    if (!s->only_watch) put_fluid_values(&values, s);
    rni_json_end(&values);
    rni_json_whole(&t.json, "undo", s->undo_count);
    rni_json_whole(&t.json, "redo", s->redo_count);
    tell(s, &t, RNI_VIEW_VALUES);
}

/* --- report -------------------------------------------------------------------------------------------------- */

static void put_rates(rni_json *json, rni_session *s)
{
    double now = rni_seconds(), passed = now - s->told_wall;
    uint64_t step = rn_fluid_get_step_count(s->fluid);
    double time = rn_fluid_get_time(s->fluid);
    bool is_on = step >= s->told_step && time >= s->told_time && passed > 0;
    rni_json_rounded(json, "steps_per_s", is_on ? (double)(step - s->told_step) / passed : 0);
    rni_json_rounded(json, "frames_per_s",
                     passed > 0 ? (double)(s->frame_count - s->told_frames) / passed : 0);
    rni_json_rounded(json, "pace", is_on ? (time - s->told_time) / passed : 0);
    s->told_wall = now;
    s->told_step = step;
    s->told_time = time;
    s->told_frames = s->frame_count;
}

static void put_flags(rni_json *json, uint32_t flags)
{
    static const char *const NAMES[] = {"retried", "compressed",  "full",
                                        "blocked", "unsafe-step", "unsolved"};
    const char *comma = "";
    rni_json_key(json, "flags");
    fputc('[', json->file);
    for (uint32_t k = 0; k < 6; k++)
        if (flags >> k & 1) {
            fprintf(json->file, "%s\"%s\"", comma, NAMES[k]);
            comma = ", ";
        }
    fputc(']', json->file);
}

/* NaN is null: JSON has no such number. */
static void put_gauge(rni_json *list, const rni_session *s, uint32_t k, bool *is_first)
{
    const rn_fluid_gauge gauge = rni_scene_gauge_of(s->scene, &s->scene->gauges[k]);
    const rn_gauge_column *column;
    rn_gauge_reading r = rn_gauge_reading_default();
    if (rn_fluid_get_gauge(s->fluid, s->built.gauge[k], &r) != RN_OK) return;
    for (uint32_t c = 0; (column = rn_gauge_get_column(&gauge, s->scene->def.dim, c)); c++) {
        char name[96];
        const bool is_any = r.sample_count > 0;
        snprintf(name, sizeof name, "%s%s%s", rni_scene_gauge_label(s->scene, k).text,
                 *column->name ? "." : "", column->name);
        if (!*is_first) fputs(", ", list->file);
        *is_first = false;
        rni_json value = rni_json_begin(list->file);
        rni_json_text(&value, "name", name);
        rni_json_text(&value, "unit", column->unit);
        rni_json_number(&value, "value", is_any ? r.value[c] : (double)NAN);
        rni_json_number(&value, "min", is_any ? r.min[c] : (double)NAN);
        rni_json_number(&value, "mean", is_any ? r.mean[c] : (double)NAN);
        rni_json_number(&value, "max", is_any ? r.max[c] : (double)NAN);
        rni_json_end(&value);
    }
}

static void put_gauges(rni_json *json, const rni_session *s)
{
    bool is_first = true;
    rni_json_key(json, "gauges");
    fputc('[', json->file);
    for (uint32_t k = 0; k < s->scene->gauge_count; k++) put_gauge(json, s, k, &is_first);
    fputc(']', json->file);
}

void rni_tell_report(rni_session *s)
{
    telling t;
    const rn_fluid_report *r = &s->report;
    if (!begin(&t, "report")) return;
    rni_json_number(&t.json, "time", rn_fluid_get_time(s->fluid));
    rni_json_whole(&t.json, "step", rn_fluid_get_step_count(s->fluid));
    rni_json_whole(&t.json, "particles", rn_fluid_get_arrays(s->fluid).count);
    rni_json_number(&t.json, "time_step", (double)r->time_step);
    rni_json_number(&t.json, "safe_step", (double)r->safe_step);
    rni_json_text(&t.json, "bound", rn_fluid_choice_name(RN_CHOICE_BOUND, r->bound));
    rni_json ms = open_object(&t.json, "ms");
    for (uint32_t c = 0; c < RN_CLOCK_COUNT; c++)
        rni_json_rounded(&ms, rn_fluid_choice_name(RN_CHOICE_CLOCK, c), (double)r->ms[c]);
    rni_json_rounded(&ms, "total", (double)r->ms_total);
    rni_json_end(&ms);
    put_rates(&t.json, s);
    rni_json_number(&t.json, "neighbors_mean", r->neighbors_mean);
    rni_json_number(&t.json, "density_mean", (double)r->density_mean);
    rni_json_number(&t.json, "density_max", (double)r->density_max);
    rni_json_number(&t.json, "kinetic", r->kinetic);
    rni_json_number(&t.json, "potential", r->potential);
    rni_json_number(&t.json, "elastic", r->elastic);
    rni_json_number(&t.json, "speed_max", (double)r->speed_max);
    rni_json_number(&t.json, "force_max", (double)rni_session_force_max(s));
    rni_json_whole(&t.json, "came", r->came_all);
    rni_json_whole(&t.json, "left", r->left_all);
    rni_json_whole(&t.json, "bytes", r->bytes);
    rni_json_whole(&t.json, "clients", rni_view_client_count(s->view));
    put_flags(&t.json, r->flags);
    put_gauges(&t.json, s);
    tell(s, &t, RNI_VIEW_REPORT);
}

/* --- refusals ------------------------------------------------------------------------------------------------- */

void rni_tell_error(const rni_session *s, uint64_t client, const char *sentence)
{
    telling t;
    if (!begin(&t, "error")) return;
    rni_json_text(&t.json, "sentence", sentence);
    answer(s, &t, client);
}

/* "scene:12:7: fluid.spacing: is wrong" -> path and sentence; the name of the file is dropped. */
static void put_problem(FILE *file, const char *text)
{
    const char *rest = strstr(text, ": ");
    char path[128] = "";
    rest = rest ? rest + 2 : text;
    size_t length = 0;
    while (rest[length] && (isalnum((unsigned char)rest[length]) || strchr("._", rest[length])))
        length++;
    if (length && length < sizeof path && strncmp(rest + length, ": ", 2) == 0) {
        memcpy(path, rest, length);
        rest += length + 2;
    }
    rni_json json = rni_json_begin(file);
    rni_json_text(&json, "path", path);
    rni_json_text(&json, "sentence", rest);
    rni_json_end(&json);
}

void rni_tell_problems(const rni_session *s, uint64_t client, const rni_problems *problems)
{
    telling t;
    if (!begin(&t, "problems")) return;
    uint32_t kept = problems->count < RNI_MAX_PROBLEMS ? problems->count : RNI_MAX_PROBLEMS;
    rni_json_key(&t.json, "problems");
    fputc('[', t.file);
    for (uint32_t k = 0; k < kept; k++) {
        if (k) fputs(", ", t.file);
        put_problem(t.file, problems->text[k]);
    }
    fputc(']', t.file);
    answer(s, &t, client);
}

/* --- files ------------------------------------------------------------------------------------------------------ */

#define MAX_LISTED 500u

static const char *kind_of(const char *name)
{
    const char *point = strrchr(name, '.');
    if (rni_view_name_check(name) != RN_OK || !point) return NULL;
    return strcmp(point, ".rnck") == 0   ? "checkpoint"
           : strcmp(point, ".json") == 0 ? "scene"
                                         : NULL;
}

static uint32_t put_file(rni_json *json, const rni_session *s, const char *name, uint32_t count)
{
    char path[RNI_PATH_BYTES + 256];
    struct stat about;
    const char *kind = kind_of(name);
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    if (!kind || strcmp(name, "report.json") == 0) return count;
    if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode)) return count;
    if (count) fputs(", ", json->file);
    rni_json file = rni_json_begin(json->file);
    rni_json_text(&file, "name", name);
    rni_json_text(&file, "kind", kind);
    rni_json_whole(&file, "bytes", (uint64_t)about.st_size);
    rni_json_end(&file);
    return count + 1;
}

void rni_tell_files(const rni_session *s, uint64_t client)
{
    telling t;
    uint32_t count = 0;
    const struct dirent *entry;
    if (!begin(&t, "files")) return;
    DIR *folder = s->folder ? opendir(s->folder) : NULL;
    if (s->folder) rni_json_text(&t.json, "folder", s->folder);
    else rni_json_null(&t.json, "folder");
    rni_json_key(&t.json, "files");
    fputc('[', t.file);
    while (folder && count < MAX_LISTED && (entry = readdir(folder)) != NULL)
        count = put_file(&t.json, s, entry->d_name, count);
    fputc(']', t.file);
    if (folder) closedir(folder);
    answer(s, &t, client);
}

/* --- picked -------------------------------------------------------------------------------------------------------- */

#define MAX_NEIGHBORS_TOLD 300u

static void put_neighbors(rni_json *json, const rn_fluid_particles *p, uint32_t i, float radius)
{
    uint32_t count = 0;
    rni_json_key(json, "neighbors");
    fputc('[', json->file);
    for (uint32_t j = 0; j < p->count && count < MAX_NEIGHBORS_TOLD; j++) {
        float distance_sq = 0;
        for (uint32_t a = 0; a < 3; a++) {
            float d = p->position[j][a] - p->position[i][a];
            distance_sq += d * d;
        }
        if (j == i || distance_sq > radius * radius) continue;
        fprintf(json->file, "%s[%.6g, %.6g, %.6g]", count++ ? ", " : "", (double)p->position[j][0],
                (double)p->position[j][1], (double)p->position[j][2]);
    }
    fputc(']', json->file);
}

/* Every attribute of the particle by name. */
static void put_attributes(rni_json *json, const rn_frame *frame, uint32_t i)
{
    rni_json values = open_object(json, "attributes");
    for (uint32_t k = 0; k < frame->attribute_count; k++) {
        const rn_attribute *attribute = &frame->attribute[k];
        float row[3];
        uint32_t whole;
        rn_frame_get_rows(frame, attribute, i, 1, row);
        memcpy(&whole, row, sizeof whole);
        if (attribute->components == 3) put_vector(&values, attribute->name, row);
        else if (attribute->type == RN_ATTRIBUTE_UINT32)
            rni_json_whole(&values, attribute->name, whole);
        else rni_json_number(&values, attribute->name, (double)row[0]);
    }
    rni_json_end(&values);
}

static void put_particle(rni_json *json, const rni_session *s, const rn_fluid_particles *p, uint32_t i)
{
    float radius = rni_fluid_derived_of(s->fluid).radius, low[3], high[3];
    rn_frame frame = rn_frame_default();
    for (uint32_t a = 0; a < 3; a++) {
        /* Cells of one radius, starting at the low corner of the domain, as in the search. */
        float from = s->scene->def.domain_low[a];
        low[a] = from + floorf((p->position[i][a] - from) / radius) * radius;
        high[a] = low[a] + radius;
    }
    rni_json_whole(json, "id", p->id[i]);
    if (rn_fluid_get_frame(s->fluid, &frame) == RN_OK) put_attributes(json, &frame, i);
    rni_json_number(json, "radius", (double)radius);
    rni_json cell = open_object(json, "cell");
    put_vector(&cell, "low", low);
    put_vector(&cell, "high", high);
    rni_json_end(&cell);
    put_neighbors(json, p, i, radius);
}

void rni_tell_picked(rni_session *s)
{
    bool is_any = false;
    for (uint32_t k = 0; k < RNI_SESSION_MAX_PICKS; k++) is_any |= s->pick[k].client != 0;
    if (!is_any) return;
    rn_fluid_particles p = rn_fluid_get_particles(s->fluid);
    for (uint32_t k = 0; k < RNI_SESSION_MAX_PICKS; k++) {
        telling t;
        uint32_t i = 0;
        uint64_t client = s->pick[k].client;
        if (!client || !begin(&t, "picked")) continue;
        while (i < p.count && p.id[i] != s->pick[k].id) i++;
        if (i < p.count) put_particle(&t.json, s, &p, i);
        else rni_json_null(&t.json, "id"), s->pick[k] = (rni_picked){0};
        answer(s, &t, client);
    }
}

void rni_tell_all(rni_session *s)
{
    rni_tell_scene(s);
    rni_tell_values(s);
    rni_tell_state(s, NULL);
    rni_tell_report(s);
}
