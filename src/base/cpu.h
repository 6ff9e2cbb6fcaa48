/* The instruction sets of the machine. */
#ifndef RNI_BASE_CPU_H
#define RNI_BASE_CPU_H

#include <runnel/base.h>

/* Resolves RN_CPU_AUTO to the best level; refuses a level that the machine or the build lacks. */
rn_result rni_cpu_choose(rn_cpu_level wanted, rn_cpu_level *chosen);

/* Whether the best level is more than plain C: what has one wide form only asks this. */
bool rni_cpu_is_wide(void);

#endif
