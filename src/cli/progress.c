#include "cli/progress.h"

#include "base/clock.h"
#include "files/json.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define BAR_LENGTH 24u

rni_progress rni_progress_begin(uint32_t step_count)
{
    return (rni_progress){0, step_count, isatty(STDERR_FILENO) != 0};
}

void rni_progress_step(rni_progress *progress, const char *what)
{
    if (progress->is_terminal) {
        uint32_t length =
            progress->step_count ? BAR_LENGTH * progress->step / progress->step_count : 0;
        fprintf(stderr, "\r\033[K[%.*s%.*s] %s", (int)length, "########################",
                (int)(BAR_LENGTH - length), "........................", what);
        fflush(stderr);
    } else {
        fprintf(stderr, "[%u/%u] %s\n", progress->step + 1, progress->step_count, what);
    }
    if (progress->step < progress->step_count) progress->step++;
}

void rni_progress_end(rni_progress *progress)
{
    if (progress->is_terminal) fputs("\r\033[K", stderr);
}

/* --- preparing ----------------------------------------------------------------------------------- */

#define PATIENCE 2.0 /* s */

rni_preparing rni_preparing_begin(rni_meter_kind kind)
{
    const double now = rni_seconds();
    return (rni_preparing){
        .kind = kind, .is_terminal = isatty(STDERR_FILENO) != 0, .began = now, .said = now};
}

bool rni_preparing_move(void *preparing, const char *what, double part)
{
    rni_preparing *p = preparing;
    const double now = rni_seconds(), pause = p->is_terminal ? 0.2 : PATIENCE;
    if (p->kind == RNI_METER_NONE || now - p->began < PATIENCE || now - p->said < pause)
        return true;
    p->said = now, p->is_shown = true;
    if (p->kind == RNI_METER_JSON) {
        rni_json json = rni_json_begin(stderr);
        rni_json_text(&json, "preparing", what);
        rni_json_number(&json, "share", part);
        rni_json_end(&json);
        fputc('\n', stderr);
    } else {
        fprintf(stderr, p->is_terminal ? "\r\033[K%s: %.0f %%" : "%s: %.0f %%\n", what, 100 * part);
    }
    fflush(stderr);
    return true;
}

void rni_preparing_end(rni_preparing *p)
{
    if (p->is_shown && p->is_terminal && p->kind == RNI_METER_AUTO) fputs("\r\033[K", stderr);
}

/* --- meters -------------------------------------------------------------------------------------- */

const char *rni_choice_progress(uint32_t place)
{
    static const char *const names[] = {"auto", "json", "none"};
    return place < 3 ? names[place] : NULL;
}

/* To whole seconds. */
static const char *whole_duration(double seconds, char text[32])
{
    double whole = floor(seconds + 0.5);
    if (!(whole < 1e9)) snprintf(text, 32, "more than 30 years");
    else if (whole >= 3600)
        snprintf(text, 32, "%.0f h %02.0f min", floor(whole / 3600), floor(fmod(whole, 3600) / 60));
    else if (whole >= 60)
        snprintf(text, 32, "%.0f min %02.0f s", floor(whole / 60), fmod(whole, 60));
    else snprintf(text, 32, "%.0f s", whole);
    return text;
}

const char *rni_duration(double seconds, char text[32])
{
    if (seconds >= 9.95) return whole_duration(seconds, text);
    if (seconds >= 0.9995) snprintf(text, 32, "%.1f s", seconds);
    else snprintf(text, 32, "%.0f ms", fmax(1, 1e3 * seconds));
    return text;
}

rni_meter rni_meter_begin(rni_meter_kind kind, double share)
{
    double now = rni_seconds();
    return (rni_meter){.kind = kind,
                       .is_terminal = isatty(STDERR_FILENO) != 0,
                       .began = now,
                       .said = now,
                       .mark = now,
                       .share_said = share,
                       .share_mark = share};
}

/* A moving average over the last seconds: a run whose pipes still pour becomes slower. */
static void measure_rate(rni_meter *meter, double now, double share)
{
    double passed = now - meter->mark;
    if (passed < 1.0) return;
    double rate = (share - meter->share_mark) / passed;
    double weight = meter->rate > 0 ? fmin(1, passed / 10) : 1;
    meter->rate += weight * (rate - meter->rate);
    meter->mark = now;
    meter->share_mark = share;
}

static void say_json(const rni_meter_place *place, double left_s)
{
    rni_json json = rni_json_begin(stderr);
    rni_json_rounded(&json, "progress", place->share);
    rni_json_number(&json, "time", place->time);
    rni_json_whole(&json, "step", place->step);
    rni_json_whole(&json, "particles", place->particles);
    rni_json_rounded(&json, "wall_s", place->wall_s);
    if (left_s >= 0) rni_json_rounded(&json, "left_s", left_s);
    else rni_json_null(&json, "left_s");
    rni_json_end(&json);
    fputc('\n', stderr);
}

static void say(rni_meter *meter, const rni_meter_place *place)
{
    char left[48] = "", text[32];
    double left_s = meter->rate > 0 ? (1 - place->share) / meter->rate : -1;
    if (meter->kind == RNI_METER_JSON) {
        say_json(place, left_s);
        return;
    }
    if (left_s >= 0) snprintf(left, sizeof left, ", %s left", whole_duration(left_s, text));
    int length = (int)(BAR_LENGTH * fmax(0, fmin(1, place->share)));
    if (meter->is_terminal)
        fprintf(stderr, "\r\033[K[%.*s%.*s] %3.0f %%  %.4g s, %u particles%s", length,
                "########################", (int)BAR_LENGTH - length, "........................",
                100 * place->share, place->time, place->particles, left);
    else
        fprintf(stderr, "%3.0f %%  %.6g s, step %llu, %u particles%s\n", 100 * place->share,
                place->time, (unsigned long long)place->step, place->particles, left);
    fflush(stderr);
}

void rni_meter_move(rni_meter *meter, const rni_meter_place *place)
{
    if (meter->kind == RNI_METER_NONE) return;
    double now = rni_seconds();
    measure_rate(meter, now, place->share);
    double passed = now - meter->said;
    bool is_time = meter->kind == RNI_METER_JSON ? passed >= 1
                   : meter->is_terminal
                       ? passed >= 0.1
                       : passed >= 30 || (passed >= 2 && place->share - meter->share_said >= 0.1);
    if (!is_time) return;
    meter->said = now;
    meter->share_said = place->share;
    say(meter, place);
}

void rni_meter_end(rni_meter *meter, const rni_meter_place *place)
{
    if (meter->kind == RNI_METER_JSON) say(meter, place);
    if (meter->kind == RNI_METER_AUTO && meter->is_terminal) fputs("\r\033[K", stderr);
}
