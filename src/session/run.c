#include "session/run.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A checkpoint at least this often, whatever the options say: a kill loses no more work than that.
 * */
#define CHECKPOINT_WALL_S 60.0

/* --- talk ----------------------------------------------------------------------------------------- */

rn_result rni_run_fail(rni_run *run, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(run->failure, sizeof run->failure, format, values);
    va_end(values);
    run->is_misuse = false;
    return RN_ERROR_FILE;
}

rn_result rni_run_misuse(rni_run *run, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(run->failure, sizeof run->failure, format, values);
    va_end(values);
    run->is_misuse = true;
    return RN_ERROR_ARGUMENT;
}

void rni_run_say(const rni_run *run, const char *format, ...)
{
    char text[1600];
    va_list values;
    if (!run->options->say) return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    run->options->say(run->options->user, text);
}

/* --- steps ---------------------------------------------------------------------------------------- */

void rni_run_init(rni_run *run, const rni_run_options *options)
{
    run->options = options;
    run->lock = -1;
    run->checkpoint_step = UINT64_MAX;
}

bool rni_run_is_at_end(const rni_run *run)
{
    bool by_step = run->end_step > 0 && rn_fluid_get_step_count(run->fluid) >= run->end_step;
    return by_step || rni_is_due(rn_fluid_get_time(run->fluid), run->end_time);
}

double rni_run_share(const rni_run *run)
{
    double time = rn_fluid_get_time(run->fluid);
    double step = (double)rn_fluid_get_step_count(run->fluid);
    double by_time = isfinite(run->end_time) && run->end_time > 0 ? time / run->end_time : 0;
    double by_step = run->end_step > 0 ? step / (double)run->end_step : 0;
    return rni_run_is_at_end(run) ? 1 : fmin(1, fmax(by_time, by_step));
}

static bool is_out_of_time(const rni_run *run)
{
    return run->wall_limit > 0 && rni_seconds() > run->wall_limit;
}

/* Frames and checkpoints that are due. */
static rn_result save_due(rni_run *run)
{
    rni_run_state *s = &run->state;
    double time = rn_fluid_get_time(run->fluid);
    if (s->output_every > 0 && rni_is_due(time, (double)s->output_next * s->output_every)) {
        rn_result result = rni_run_save_frame(run);
        if (result != RN_OK) return result;
        s->output_next = rni_next_due(time, s->output_every);
    }
    bool is_due = s->checkpoint_every > 0 &&
                  rni_is_due(time, (double)s->checkpoint_next * s->checkpoint_every);
    if (is_due) s->checkpoint_next = rni_next_due(time, s->checkpoint_every);
    if (rni_seconds() - run->checkpoint_wall > CHECKPOINT_WALL_S) is_due = true;
    /* The checkpoint of the end comes after the frame of the end. */
    if (rni_run_is_at_end(run)) is_due = false;
    return is_due ? rni_run_save_checkpoint(run) : RN_OK;
}

bool rni_run_advance(rni_run *run)
{
    rn_fluid_report report = rn_fluid_report_default();
    if (rni_run_is_at_end(run) || is_out_of_time(run) || run->error[0]) return false;
    rn_result result = rni_scene_advance(run->scene, run->fluid, &run->event_next);
    if (result == RN_OK) result = rn_fluid_step(run->fluid, &report);
    if (result != RN_OK) {
        snprintf(run->error, sizeof run->error, "step %llu at %.6g s: %s",
                 (unsigned long long)rn_fluid_get_step_count(run->fluid) + 1,
                 rn_fluid_get_time(run->fluid), rn_last_error());
        return false;
    }
    rni_run_count(run, &report);
    rni_run_watch_step(run, &report);
    if (rni_run_gauges_step(run) != RN_OK || save_due(run) != RN_OK)
        snprintf(run->error, sizeof run->error, "%s", rn_last_error());
    return true;
}

/* --- the end -------------------------------------------------------------------------------------- */

/* From where a failed run can be resumed. */
static const char *say_where(const rni_run *run, bool is_saved, char text[96])
{
    text[0] = 0;
    if (is_saved)
        snprintf(text, 96,
                 "; the last good state is in the newest checkpoint, --resume continues from it");
    else if (run->checkpoint_step != UINT64_MAX)
        snprintf(text, 96, "; --resume continues from the checkpoint of step %llu",
                 (unsigned long long)run->checkpoint_step);
    return text;
}

/* A checkpoint of the last state, however the run ended; a full disk keeps the older ones. Not where a
 * frame is lacking: the frame could not be made from that checkpoint. */
static rn_result save_last(rni_run *run)
{
    char where[96];
    run->failure[0] = 0;
    if (run->lacks_frame) return RN_ERROR_FILE;
    if (rni_run_save_checkpoint(run) == RN_OK) return RN_OK;
    rni_run_say(run, "the state cannot be saved: %s%s", rn_last_error(),
                say_where(run, false, where));
    return RN_ERROR_FILE;
}

static rn_result end_early(rni_run *run)
{
    char where[96];
    bool is_saved = save_last(run) == RN_OK;
    if (is_saved && rni_run_gauges_table(run) != RN_OK) rni_run_say(run, "%s", rn_last_error());
    if (rni_run_report_write(run, false) != RN_OK) rni_run_say(run, "%s", rn_last_error());
    if (run->error[0])
        return rni_run_fail(run, "%s%s", run->error, say_where(run, is_saved, where));
    rni_run_say(run, "ended by %s at step %llu, %.6g s; --resume continues from here",
                run->ended_by, (unsigned long long)run->state.step, run->state.time);
    if (!is_saved) return RN_ERROR_FILE;
    if (!run->is_interrupted && run->options->wants_picture && rni_run_save_picture(run) != RN_OK)
        return rni_run_fail(run, "%s", rn_last_error());
    return RN_OK;
}

/* The frame of the end, unless the schedule has made one of this step. */
static rn_result save_last_frame(rni_run *run)
{
    if (run->state.frame_step == rn_fluid_get_step_count(run->fluid)) return RN_OK;
    if (rni_run_has_densities(run)) return rni_run_save_frame(run);
    rni_run_say(run, "there is no frame of the end: a checkpoint has no densities to make it from");
    return RN_OK;
}

/* The checkpoint does not count the frame of the end, which is not on the schedule: a run that continues
 * has the frames of one that did not stop here. The checkpoint comes after the frame, since a frame can
 * only be made right after a step (a checkpoint has no densities): where the one is, the other is. */
static rn_result end_finished(rni_run *run)
{
    char where[96];
    const uint64_t frames = run->state.frame_count, frame_step = run->state.frame_step;
    if (save_last_frame(run) != RN_OK || rni_run_gauges_sync(run) != RN_OK)
        return rni_run_fail(run, "%s%s", rn_last_error(), say_where(run, false, where));
    run->state.frame_count = frames, run->state.frame_step = frame_step;
    rn_result result = save_last(run);
    run->state.frame_count = run->series.frame_count;
    if (result != RN_OK) return result;
    result = rni_run_gauges_table(run);
    if (result == RN_OK) result = rni_run_report_write(run, true);
    if (result == RN_OK) result = rni_run_save_film_pictures(run);
    if (result == RN_OK && run->options->wants_picture) result = rni_run_save_picture(run);
    return result == RN_OK ? RN_OK : rni_run_fail(run, "%s", rn_last_error());
}

rn_result rni_run_end(rni_run *run, const char *signal)
{
    if (!rni_run_is_at_end(run)) {
        run->is_interrupted = signal != NULL;
        run->ended_by = signal ? signal : is_out_of_time(run) ? "--wall" : NULL;
    }
    rni_run_watch_end(run);
    rn_result result = run->error[0] || run->ended_by ? end_early(run) : end_finished(run);
    if (rni_run_film_end(run) == RN_OK || result != RN_OK) return result;
    return rni_run_fail(run, "%s", rn_last_error());
}

void rni_run_close(rni_run *run)
{
    rni_run_watch_end(run);
    rni_run_film_close(run);
    rni_run_gauges_close(run);
    rn_fluid_destroy(run->fluid);
    rni_scene_free(run->scene);
    rni_run_folder_close(run);
    rni_checkpoint_release(&run->start);
    free(run->scene_text);
    free(run->bytes);
}
