#include "lab/lab.h"

#include <stdarg.h>
#include <stdio.h>

static const rni_lab_experiment *const experiments[] = {
    /* neighbour search */
    &rni_lab_cell_sorting, &rni_lab_h_mask, &rni_lab_hierarchical_neighbors, &rni_lab_scaling,
    &rni_lab_which_method,
    /* boxes */
    &rni_lab_hierarchical_2d, &rni_lab_hierarchical_3d, &rni_lab_kdtree_table1,
    &rni_lab_kdtree_table2, &rni_lab_kdtree_table3,
    /* triangle meshes */
    &rni_lab_bvh_or_grid, &rni_lab_wall_laws, &rni_lab_pipe_flow,
    /* fluid */
    &rni_lab_hydrostatic, &rni_lab_poiseuille, &rni_lab_couette, &rni_lab_paste_disc,
    &rni_lab_spreading, &rni_lab_channel_flow, &rni_lab_dam_break, &rni_lab_impact, &rni_lab_jet,
    &rni_lab_standing_wave, &rni_lab_lean, &rni_lab_taylor_green, &rni_lab_stretching_drop,
    &rni_lab_rest, &rni_lab_presets, &rni_lab_rayleigh_taylor, &rni_lab_lock_exchange,
    &rni_lab_oil_and_water, &rni_lab_drop, &rni_lab_drop_oscillation, &rni_lab_laplace,
    &rni_lab_contact_angle, &rni_lab_capillary_wave, &rni_lab_interface_tension, &rni_lab_kernels,
    &rni_lab_time_steps, &rni_lab_soak};

const rni_lab_experiment *rni_lab_experiment_at(uint32_t place)
{
    return place < sizeof experiments / sizeof *experiments ? experiments[place] : NULL;
}

rn_result rni_lab_run(rni_lab *lab, const rni_lab_experiment *experiment)
{
    char path[4096];
    lab->experiment = experiment;
    rn_result result = experiment->run(lab);
    rni_lab_path(lab, NULL, "csv", path);
    return result == RN_OK ? rni_lab_table_write_csv(&lab->table, path) : result;
}

void rni_lab_begin(const rni_lab *lab, uint32_t step_count)
{
    if (lab->listener.begin) lab->listener.begin(lab->listener.user, step_count);
}

void rni_lab_begin_table(rni_lab *lab, const rni_lab_column *columns, uint32_t column_count,
                         uint32_t step_count)
{
    lab->table.columns = columns;
    lab->table.column_count = column_count;
    rni_lab_begin(lab, step_count);
}

const char *rni_lab_verdict(bool holds, bool holds_in_part)
{
    return holds ? "holds" : holds_in_part ? "holds in part" : "does not hold";
}

void rni_lab_step(const rni_lab *lab, const char *what)
{
    if (lab->listener.step) lab->listener.step(lab->listener.user, what);
}

void rni_lab_begin_case(const rni_lab *lab, const char *format, ...)
{
    char what[64];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    rni_lab_step(lab, what);
}

void rni_lab_note(const rni_lab *lab, const char *format, ...)
{
    char text[5000]; /* a path may be in it */
    va_list values;
    if (!lab->listener.note) return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    lab->listener.note(lab->listener.user, text);
}

void rni_lab_conclude(rni_lab *lab, const char *verdict, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(lab->sentence, sizeof lab->sentence, format, values);
    va_end(values);
    snprintf(lab->verdict, sizeof lab->verdict, "%s", verdict);
}
