/* Which instruction sets the machine has. */
#ifndef RNI_BASE_CPU_H
#define RNI_BASE_CPU_H

#include <runnel/base.h>

/* Turns RN_CPU_AUTO into the best level; refuses one that the machine or the build lacks. */
rn_result rni_cpu_choose(rn_cpu_level wanted, rn_cpu_level *chosen);

#endif
