#include "cli/command.h"

#include "base/parallel.h"
#include "bench/fluid.h"
#include "files/json.h"

static const char *choice_traversal(uint32_t place)
{
    return rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, place);
}

static const rni_option options[] = {
    {"particles", RNI_OPTION_COUNTS, "N,..", "number of particles", "32768,262144,1000000",
     "whole numbers, e.g. --particles 32768,1000000", 1, 1 << 30, NULL},
    {"model", RNI_OPTION_CHOICES, "NAME,..",
     "paper: the system of Wichert et al. 2021, two evaluations per frame; water: the default "
     "fluid; classic: the preset of that name; paste: the default fluid with 100 Pa s and the "
     "implicit solver",
     "paper", "a model, e.g. --model paper", 0, 0, rni_bench_model_name},
    {"state", RNI_OPTION_CHOICES, "NAME,..",
     "particles at rest on a lattice, or disordered by random displacements, then settled",
     "lattice", "a state, e.g. --state lattice,disordered", 0, 0, rni_bench_state_name},
    {"threads", RNI_OPTION_COUNTS, "N,..", "number of threads; 0: one per processor", "0",
     "whole numbers, e.g. --threads 1,2", 0, RNI_MAX_WORKERS, NULL},
    {"traversal", RNI_OPTION_CHOICES, "NAME,..", "how a step visits the pairs of neighbours",
     "fused", "a traversal, e.g. --traversal fused,lists", 0, 0, choice_traversal},
    {"search", RNI_OPTION_CHOICE, "NAME", "neighbour search method of the list traversal",
     "default", "a method, e.g. --search grid", 0, 0, rni_choice_method},
    {"cpu", RNI_OPTION_CHOICE, "LEVEL", "instruction set", "auto", "a level, e.g. --cpu avx2", 0, 0,
     rni_choice_cpu},
    {"reps", RNI_OPTION_COUNT, "N", "minimum number of frames", "5",
     "a whole number, e.g. --reps 5", 1, 1e6, NULL},
    {"seconds", RNI_OPTION_NUMBER, "S", "minimum time per row in seconds", "1",
     "seconds, e.g. --seconds 1", 0, 3600, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object per line", NULL, NULL, 0, 0, NULL},
    {0}};

static double ns_each(const rni_fluid_row *row, double seconds)
{
    return 1e9 * seconds / row->particles;
}

static void print_json(const rni_fluid_case *c, const rni_fluid_row *row, const char *cpu)
{
    rni_json json = rni_json_begin(stdout);
    rni_json_whole(&json, "particles", row->particles);
    rni_json_text(&json, "model", rni_bench_model_name(c->model));
    rni_json_text(&json, "state", rni_bench_state_name(c->state));
    rni_json_whole(&json, "threads", c->threads);
    rni_json_text(&json, "traversal", rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, c->def.traversal));
    rni_json_text(&json, "cpu", cpu);
    rni_json_rounded(&json, "frames_per_s", 1 / row->best_s);
    rni_json_rounded(&json, "mean_frames_per_s", 1 / row->mean_s);
    rni_json_whole(&json, "frames", row->frames);
    rni_json_rounded(&json, "ns_per_particle", ns_each(row, row->best_s));
    for (uint32_t k = 0; k < RN_CLOCK_COUNT; k++) {
        char key[32];
        snprintf(key, sizeof key, "%s_ns", rn_fluid_choice_name(RN_CHOICE_CLOCK, k));
        rni_json_rounded(&json, key, ns_each(row, 1e-3 * (double)row->best.ms[k]));
    }
    rni_json_rounded(&json, "viscosity_ns", ns_each(row, 1e-3 * (double)row->best.viscosity_ms));
    rni_json_whole(&json, "viscosity_iterations", row->best.viscosity_iterations);
    rni_json_rounded(&json, "neighbors", row->best.neighbors_mean);
    rni_json_rounded(&json, "bytes_per_particle", (double)row->best.bytes / row->particles);
    rni_json_end(&json);
    putchar('\n');
}

static void print_head(void)
{
    printf("%10s %-8s%-11s%8s %-10s%-7s%9s%10s%7s%9s%9s%8s%8s%9s\n", "particles", "model", "state",
           "threads", "traversal", "cpu", "frames/s", "ns/part.", "sort", "density", "normals",
           "forces", "other", "B/part.");
}

static void print_line(const rni_fluid_case *c, const rni_fluid_row *row, const char *cpu)
{
    const float *ms = row->best.ms;
    const double scale = 1e6 / row->particles, all = ns_each(row, row->best_s);
    const double sort = scale * (double)ms[RN_CLOCK_SORT];
    const double density = scale * (double)(ms[RN_CLOCK_SEARCH] + ms[RN_CLOCK_DENSITY]);
    const double normals = scale * (double)ms[RN_CLOCK_NORMALS];
    const double forces = scale * (double)ms[RN_CLOCK_FORCES];
    printf("%10u %-8s%-11s%8u %-10s%-7s%9.1f%10.1f%7.1f%9.1f%9.1f%8.1f%8.1f%9.0f\n", row->particles,
           rni_bench_model_name(c->model), rni_bench_state_name(c->state), c->threads,
           rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, c->def.traversal), cpu, 1 / row->best_s, all,
           sort, density, normals, forces, all - sort - density - normals - forces,
           (double)row->best.bytes / row->particles);
}

static int run_case(const rni_arguments *arguments, const rni_fluid_case *c)
{
    rni_fluid_row row;
    if (rni_bench_fluid(c, &row) != RN_OK)
        return rni_give_up(arguments->command, "%u particles, %s, %s: %s", c->particles,
                           rni_bench_model_name(c->model), rni_bench_state_name(c->state),
                           rn_last_error());
    const char *cpu = rn_cpu_level_name(c->def.cpu == RN_CPU_AUTO ? rn_cpu_best() : c->def.cpu);
    if (rni_arguments_has(arguments, "json")) print_json(c, &row, cpu);
    else print_line(c, &row, cpu);
    fflush(stdout);
    return ferror(stdout) ? RNI_EXIT_FAILED : RNI_EXIT_DONE;
}

static rn_fluid_def base_of(const rni_arguments *arguments)
{
    rn_fluid_def def = rn_fluid_def_default();
    def.cpu = (rn_cpu_level)rni_arguments_choice(arguments, "cpu");
    const rn_search_method_info *info =
        rn_search_get_method_info(rni_arguments_choice(arguments, "search"));
    def.search = info ? info->method : RN_SEARCH_DEFAULT;
    return def;
}

static int run(const rni_arguments *arguments)
{
    uint32_t particles[RNI_MAX_LIST], threads[RNI_MAX_LIST], models[RNI_MAX_LIST];
    uint32_t states[RNI_MAX_LIST], traversals[RNI_MAX_LIST];
    const uint32_t particle_count = rni_arguments_counts(arguments, "particles", particles);
    const uint32_t thread_count = rni_arguments_counts(arguments, "threads", threads);
    const uint32_t model_count = rni_arguments_choices(arguments, "model", models);
    const uint32_t state_count = rni_arguments_choices(arguments, "state", states);
    const uint32_t traversal_count = rni_arguments_choices(arguments, "traversal", traversals);
    const uint32_t row_count =
        particle_count * thread_count * model_count * state_count * traversal_count;
    if (!rni_arguments_has(arguments, "json")) print_head();
    int code = RNI_EXIT_DONE;
    for (uint32_t k = 0; k < row_count && code == RNI_EXIT_DONE; k++) {
        uint32_t rest = k;
        rni_fluid_case c = {.def = base_of(arguments),
                            .reps = rni_arguments_count(arguments, "reps"),
                            .seconds = rni_arguments_number(arguments, "seconds")};
        c.threads = threads[rest % thread_count], rest /= thread_count;
        c.def.traversal = (rn_fluid_traversal)traversals[rest % traversal_count],
        rest /= traversal_count;
        c.particles = particles[rest % particle_count], rest /= particle_count;
        c.state = (rni_bench_state)states[rest % state_count], rest /= state_count;
        c.model = (rni_bench_model)models[rest];
        if (c.threads == 0) c.threads = rn_cpu_count();
        code = run_case(arguments, &c);
    }
    return code;
}

const rni_command rni_command_bench_fluid = {
    .name = "fluid",
    .path = "runnel bench fluid",
    .summary = "measures steps of the fluid simulation",
    .usage = "[options]",
    .about = "A frame is one time step. Every row is the fastest of several frames after a "
             "warm-up; "
             "times\n"
             "are nanoseconds per particle and frame. The model `paper` is that of Wichert et al. "
             "2021:\n"
             "Tait's equation, viscosity, Akinci surface tension with normals, box walls with "
             "bounce, and\n"
             "a leapfrog integrator with two force evaluations per frame.",
    .examples =
        "runnel bench fluid --particles 32768 --threads 1,2\n"
        "runnel bench fluid --particles 32768 --state lattice,disordered --traversal fused,lists\n"
        "runnel bench fluid --particles 32768 --model water --cpu avx2 --json",
    .options = options,
    .run = run,
};
