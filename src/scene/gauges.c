/* The gauges of a scene: as the library takes them, their names in files, and what a scene can get wrong. */
#include "scene/check.h"
#include "scene/fluids.h"
#include "solid/solid.h"

#include <string.h>

rn_fluid_gauge rni_scene_gauge_of(const rni_scene *scene, const rni_scene_gauge *g)
{
    rn_fluid_gauge gauge = rn_fluid_gauge_default();
    gauge.kind = g->kind;
    gauge.rate = g->rate;
    memcpy(gauge.center, g->center, sizeof gauge.center);
    memcpy(gauge.direction, g->direction, sizeof gauge.direction);
    gauge.radius = g->radius;
    gauge.height = g->height;
    gauge.surface_count = g->surfaces;
    memcpy(gauge.low, g->low, sizeof gauge.low);
    memcpy(gauge.high, g->high, sizeof gauge.high);
    gauge.phase = rni_scene_only_fluid(scene, g->fluid);
    return gauge;
}

rni_gauge_label rni_scene_gauge_label(const rni_scene *scene, uint32_t k)
{
    rni_gauge_label label;
    const rni_scene_gauge *g = &scene->gauges[k];
    if (*g->name) snprintf(label.text, sizeof label.text, "%s", g->name);
    else
        snprintf(label.text, sizeof label.text, "%s_%u",
                 rn_fluid_choice_name(RN_CHOICE_GAUGE, (uint32_t)g->kind), k);
    return label;
}

rni_gauge_label rni_scene_gauge_title(const rni_scene *scene, uint32_t k,
                                      const rn_gauge_column *column)
{
    rni_gauge_label title = rni_scene_gauge_label(scene, k);
    const size_t used = strlen(title.text);
    snprintf(title.text + used, sizeof title.text - used, "%s%s [%s]", *column->name ? "." : "",
             column->name, column->unit);
    return title;
}

static void check_name(rni_reading *r, const rni_scene *scene, uint32_t k)
{
    const char *name = scene->gauges[k].name;
    const rni_gauge_label label = rni_scene_gauge_label(scene, k);
    rni_reading_enter(r, "name");
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || strchr(",;\"[]", *c)) {
            rni_problem(r, "'%s' cannot be the title of a CSV column; leave out , ; \" [ and ]",
                        rni_say_text(name, strlen(name)).text);
            break;
        }
    for (uint32_t other = 0; other < k; other++)
        if (strcmp(rni_scene_gauge_label(scene, other).text, label.text) == 0) {
            rni_problem(r, "gauges.%u is also named '%s'; give each gauge a name of its own", other,
                        rni_say_text(label.text, strlen(label.text)).text);
            break;
        }
    rni_reading_leave(r);
}

static void check_solid(rni_reading *r, const rni_scene *scene, const rni_scene_gauge *g)
{
    const bool is_film = g->kind == RN_GAUGE_FILM;
    if ((g->kind != RN_GAUGE_FORCE || !*g->solid) && !is_film) return;
    for (uint32_t k = 0; k < scene->solid_count; k++) {
        const rni_scene_solid *s = &scene->solids[k];
        if (!s->is_wall || strcmp(s->name, g->solid) != 0) continue;
        if (!is_film || (rni_solid_shape_has_mesh(s->shape) && s->trail > 0)) return;
        rni_reading_enter(r, "solid");
        rni_problem(r, "'%s' keeps no film; it has to be a mesh with a trail, e.g. \"trail\": 0.0001",
                    rni_say_text(g->solid, strlen(g->solid)).text);
        rni_reading_leave(r);
        return;
    }
    char names[200] = "";
    for (uint32_t k = 0; k < scene->solid_count; k++) {
        const size_t used = strlen(names);
        if (*scene->solids[k].name && used + 64 < sizeof names)
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     scene->solids[k].name);
    }
    rni_reading_enter(r, "solid");
    rni_problem(
        r, "there is no solid named '%s'; %s%s", rni_say_text(g->solid, strlen(g->solid)).text,
        *names ? "the names are: " : "give the solid a name, or leave it out: the domain", names);
    rni_reading_leave(r);
}

void rni_scene_check_gauge(rni_reading *r, const rni_scene *scene, uint32_t k)
{
    if (!rni_reading_is_sound(r, NULL)) return;
    check_name(r, scene, k);
    check_solid(r, scene, &scene->gauges[k]);
}
