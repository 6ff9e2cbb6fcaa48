#include "fluid/passes.h"
#include "fluid/stages.h"
#include "fluid/surface_tension.h"
#include "fluid/walls.h"

/* A wall is no free surface: it counts as filled with fluid. */
static void add_walls(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    rn_fluid *f = data;
    (void)piece;
    const rni_walls *walls = f->walls;
    float scale = f->def.params.tension == RN_TENSION_AKINCI ? f->derived.radius : 1.0f;
    for (uint32_t i = begin; i < end; i++) {
        if (!(walls->share[i] > 0)) continue;
        for (int a = 0; a < 3; a++) f->normal[i][a] -= scale * walls->touch[i].normal[a];
    }
}

void rni_stage_normals(rn_fluid *f)
{
    if (f->def.params.tension == RN_TENSION_NONE || rni_has_surface_energy(&f->def.params)) return;
    rni_pass_run(f, &rni_pass_normals, &(rni_pass_arrays){.store = {f->normal[0]}});
    if (!rni_has_bare_walls(&f->def)) rni_for_particles(f, add_walls, f);
    if (f->def.params.tension != RN_TENSION_AKINCI || !f->def.params.smooth_normals) return;
    rni_pass_run(f, &rni_pass_smooth,
                 &(rni_pass_arrays){.gather = {f->normal[0]}, .store = {f->smoothed_normal[0]}});
    rni_record *t = f->normal;
    f->normal = f->smoothed_normal;
    f->smoothed_normal = t;
}
