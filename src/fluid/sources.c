#include "fluid/sources.h"

#include "base/error.h"
#include "fluid/outlets.h"
#include "fluid/phases.h"
#include "fluid/pipes.h"
#include "fluid/stages.h"

#include <string.h>

rn_result rni_sources_create(rn_fluid *f)
{
    f->sources = rni_memory_take(&f->memory, sizeof *f->sources);
    if (!f->sources) return RN_ERROR_MEMORY;
    memset(f->sources, 0, sizeof *f->sources);
    return RN_OK;
}

void rni_sources_destroy(rn_fluid *f)
{
    if (!f->sources) return;
    rni_outlets_destroy(f);
    rni_buffer_free(&f->memory, &f->sources->pipe_buffer);
    rni_buffer_free(&f->memory, &f->sources->outlet_buffer);
    rni_buffer_free(&f->memory, &f->sources->leaver_buffer);
    rni_memory_give(&f->memory, f->sources, sizeof *f->sources);
    f->sources = NULL;
}

void rni_sources_keep(rn_fluid *f)
{
    rni_sources *s = f->sources;
    s->kept_next_id = f->next_id;
    rni_phases_keep(f);
    s->kept_came_all = f->came_all, s->kept_left_all = f->left_all;
    for (uint32_t k = 0; k < s->pipe_count; k++) {
        s->pipes[k].kept_travelled = s->pipes[k].travelled;
        s->pipes[k].kept_poured = s->pipes[k].poured;
        s->pipes[k].kept_mean_pressure = s->pipes[k].mean_pressure;
    }
    for (uint32_t k = 0; k < s->outlet_count; k++)
        s->outlets[k].kept_removed = s->outlets[k].removed;
}

void rni_sources_restore(rn_fluid *f)
{
    rni_sources *s = f->sources;
    f->next_id = s->kept_next_id;
    rni_phases_restore(f);
    f->came_all = s->kept_came_all, f->left_all = s->kept_left_all;
    for (uint32_t k = 0; k < s->pipe_count; k++) {
        s->pipes[k].travelled = s->pipes[k].kept_travelled;
        s->pipes[k].poured = s->pipes[k].kept_poured;
        s->pipes[k].mean_pressure = s->pipes[k].kept_mean_pressure;
    }
    for (uint32_t k = 0; k < s->outlet_count; k++)
        s->outlets[k].removed = s->outlets[k].kept_removed;
}

rn_result rni_no_such(const char *what, rn_fluid_id id)
{
    return rni_fail(RN_ERROR_ARGUMENT, "there is no %s %u (generation %u)", what, id.index,
                    id.generation);
}

rn_result rni_stage_sources(rn_fluid *f, rn_fluid_report *report)
{
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < f->sources->pipe_count && result == RN_OK; k++)
        if (!f->sources->pipes[k].is_gone) result = rni_pipe_pour(f, &f->sources->pipes[k], report);
    if (result == RN_OK) result = rni_remove_leavers(f, report);
    f->came_all += report->came;
    f->left_all += report->left;
    return result;
}
