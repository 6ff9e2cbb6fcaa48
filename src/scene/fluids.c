/* Several fluids in a scene: which one a name means, the definition that they make, and what a scene can get wrong. */
#include "scene/fluids.h"

#include "base/error.h"
#include "fluid/phases.h"
#include "scene/materials.h"

#include <string.h>

int32_t rni_scene_fluid_number(const rni_scene *scene, const char *name)
{
    if (!*name) return 0;
    for (uint32_t k = 0; k < scene->fluid_count; k++)
        if (strcmp(scene->fluids[k].phase.name, name) == 0) return (int32_t)k;
    return -1;
}

uint32_t rni_scene_only_fluid(const rni_scene *scene, const char *name)
{
    return *name ? 1 + (uint32_t)rni_scene_fluid_number(scene, name) : 0;
}

void rni_scene_fluid_color(const rni_scene *scene, uint32_t k, float color[3])
{
    static const float CHOSEN[RN_FLUID_MAX_PHASES][3] = {
        {0.20f, 0.50f, 0.85f}, {0.93f, 0.69f, 0.13f}, {0.80f, 0.26f, 0.23f}, {0.25f, 0.62f, 0.36f},
        {0.53f, 0.38f, 0.73f}, {0.36f, 0.72f, 0.78f}, {0.55f, 0.40f, 0.28f}, {0.85f, 0.47f, 0.65f}};
    const float *own = scene->fluids[k].phase.color;
    const bool is_given = own[0] > 0 || own[1] > 0 || own[2] > 0;
    memcpy(color, is_given ? own : CHOSEN[k], sizeof(float[3]));
}

/* What fluid k has against the others; names that are wrong are not looked at. */
static void take_interfaces(const rni_scene *scene, uint32_t k, rn_fluid_phase *phase)
{
    for (uint32_t n = 0; n < scene->interface_count; n++) {
        const rni_scene_interface *i = &scene->interfaces[n];
        const int32_t a = rni_scene_fluid_number(scene, i->fluid),
                      b = rni_scene_fluid_number(scene, i->other);
        if (a < 0 || b < 0 || a == b || ((uint32_t)a != k && (uint32_t)b != k)) continue;
        phase->interface_tension[(uint32_t)a == k ? b : a] = i->tension;
    }
}

rn_fluid_phase rni_scene_phase(const rni_scene *scene, uint32_t k, const rni_scene_fluid *fluid)
{
    rn_fluid_phase phase = fluid->phase;
    take_interfaces(scene, k, &phase);
    return phase;
}

rn_fluid_def rni_scene_def(const rni_scene *scene)
{
    rn_fluid_def def = scene->def;
    def.phase_count = scene->fluid_count;
    for (uint32_t k = 0; k < scene->fluid_count; k++)
        def.phases[k] = rni_scene_phase(scene, k, &scene->fluids[k]);
    return def;
}

void rni_scene_fluids_ready(rni_scene *scene)
{
    for (uint32_t k = 0; k < scene->fluid_count; k++)
        if (rni_phase_is_paste(&scene->fluids[k].phase))
            scene->def.params.viscosity_solver = RN_SOLVER_IMPLICIT;
}

/* --- what is wrong ------------------------------------------------------------------------------ */

/* Only suspensions have a concentration. */
static void check_concentration(rni_reading *r, uint32_t material, float concentration)
{
    const rni_material *m = rni_material_at(material);
    if (!rni_reading_is_sound(r, "concentration") || !rni_reading_is_sound(r, "material")) return;
    if (!rni_material_is_suspension(m) && concentration > 0) {
        rni_reading_enter(r, "concentration");
        rni_problem(r, "material %s has none; leave it out, or take material barium-suspension",
                    m->name);
        rni_reading_leave(r);
    }
}

/* Values of the single fluid, which several have each for themselves. */
static void check_single(rni_reading *r, const rni_scene *scene)
{
    rni_reading_enter(r, "fluid");
    check_concentration(r, scene->material, scene->concentration);
    if (scene->fluid_count > 0 && scene->material > 0) {
        rni_reading_enter(r, "material");
        rni_problem(r, "the scene has several fluids; give each its own: fluids.0.material");
        rni_reading_leave(r);
    }
    if (scene->fluid_count > 0 && scene->def.params.viscosity_law != RN_LAW_NEWTONIAN) {
        rni_reading_enter(r, "viscosity_law");
        rni_problem(r, "the scene has several fluids; give each its own: fluids.0.viscosity_law");
        rni_reading_leave(r);
    }
    rni_reading_leave(r);
}

/* As the fluid checks them; its sentence names the fluid. */
static void check_phases(rni_reading *r, const rni_scene *scene)
{
    const rn_fluid_def def = rni_scene_def(scene);
    if (r->problems->count > 0 || scene->fluid_count == 0 || rni_phases_check(&def) == RN_OK)
        return;
    rni_reading_enter(r, "fluids");
    rni_problem(r, "%s", rn_last_error());
    rni_reading_leave(r);
}

void rni_scene_check_fluids(rni_reading *r, const rni_scene *scene)
{
    check_single(r, scene);
    rni_reading_enter(r, "fluids");
    for (uint32_t k = 0; k < scene->fluid_count; k++) {
        const char *name = scene->fluids[k].phase.name;
        rni_reading_enter_item(r, k);
        check_concentration(r, scene->fluids[k].material, scene->fluids[k].concentration);
        for (uint32_t other = 0; other < k && *name; other++)
            if (strcmp(scene->fluids[other].phase.name, name) == 0) {
                rni_reading_enter(r, "name");
                rni_problem(r, "fluids.%u is also named '%s'; give each fluid a name of its own",
                            other, rni_say_text(name, strlen(name)).text);
                rni_reading_leave(r);
            }
        rni_reading_leave(r);
    }
    rni_reading_leave(r);
    check_phases(r, scene);
}

/* The name at this key of the object that is read. */
static void check_name(rni_reading *r, const rni_scene *scene, const char *key, const char *name)
{
    if (rni_scene_fluid_number(scene, name) >= 0 || !rni_reading_is_sound(r, key)) return;
    char names[200] = "";
    for (uint32_t k = 0; k < scene->fluid_count; k++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.24s", used ? ", " : "",
                 scene->fluids[k].phase.name);
    }
    const rni_said said = rni_say_text(name, strlen(name));
    rni_reading_enter(r, key);
    if (*names) rni_problem(r, "there is no fluid named '%s'; the names are: %s", said.text, names);
    else
        rni_problem(
            r,
            "there is no fluid named '%s': the scene has no list of fluids; add \"fluids\": [{\"name\": \"%s\", "
            "\"material\": \"water\"}], or leave %s out",
            said.text, said.text, key);
    rni_reading_leave(r);
}

void rni_scene_check_fluid_name(rni_reading *r, const rni_scene *scene, const char *name)
{
    check_name(r, scene, "fluid", name);
}

/* Whether two interfaces are between the same fluids. */
static bool is_same_pair(const rni_scene_interface *a, const rni_scene_interface *b)
{
    return (strcmp(a->fluid, b->fluid) == 0 && strcmp(a->other, b->other) == 0) ||
           (strcmp(a->fluid, b->other) == 0 && strcmp(a->other, b->fluid) == 0);
}

void rni_scene_check_interface(rni_reading *r, const rni_scene *scene, uint32_t k)
{
    const rni_scene_interface *i = &scene->interfaces[k];
    check_name(r, scene, "fluid", i->fluid);
    check_name(r, scene, "other", i->other);
    if (strcmp(i->fluid, i->other) == 0 && rni_reading_is_sound(r, "other")) {
        rni_reading_enter(r, "other");
        rni_problem(r, "an interface is between two fluids; name another one than '%s'",
                    rni_say_text(i->fluid, strlen(i->fluid)).text);
        rni_reading_leave(r);
    }
    for (uint32_t n = 0; n < k; n++)
        if (is_same_pair(&scene->interfaces[n], i))
            rni_problem(r, "interfaces.%u is between the same fluids; leave one of them out", n);
}
