#include "base/cpu.h"

#include "base/error.h"

#include <sched.h>
#include <unistd.h>

rn_cpu_level rn_cpu_best(void)
{
#ifdef RNI_X86
    __builtin_cpu_init();
    bool has_rest = __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("fma");
    if (has_rest && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
        return RN_CPU_AVX512;
    }
    if (has_rest && __builtin_cpu_supports("avx2")) return RN_CPU_AVX2;
#endif
    return RN_CPU_PLAIN;
}

const char *rn_cpu_level_name(rn_cpu_level level)
{
    switch (level) {
    case RN_CPU_AUTO: return "auto";
    case RN_CPU_PLAIN: return "plain";
    case RN_CPU_AVX2: return "avx2";
    case RN_CPU_AVX512: return "avx512";
    }
    return "unknown";
}

uint32_t rn_cpu_count(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

rn_result rni_cpu_choose(rn_cpu_level wanted, rn_cpu_level *chosen)
{
    rn_cpu_level best = rn_cpu_best();
    if (wanted == RN_CPU_AUTO) wanted = best;
    if (wanted < RN_CPU_AUTO || wanted > RN_CPU_AVX512) {
        return rni_fail(RN_ERROR_ARGUMENT, "cpu is %d; it must be one of rn_cpu_level", (int)wanted);
    }
    if (wanted > best) {
        return rni_fail(RN_ERROR_LIMIT,
                        "this machine has no %s; its best is %s, which RN_CPU_AUTO selects",
                        rn_cpu_level_name(wanted), rn_cpu_level_name(best));
    }
    *chosen = wanted;
    return RN_OK;
}

bool rni_cpu_is_wide(void)
{
    return rn_cpu_best() != RN_CPU_PLAIN;
}
