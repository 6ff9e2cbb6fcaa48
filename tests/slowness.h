/* Sizes of tests under sanitizers. */
#ifndef RNI_TESTS_SLOWNESS_H
#define RNI_TESTS_SLOWNESS_H

/* How much slower everything is here, about. A sanitizer looks at how memory is used, or at threads, and
 * each path is taken by few points already: what is small may be that much smaller, and what is done
 * over many worlds may take some of them. What is large so that it is shared out stays large. */
#if defined(__SANITIZE_THREAD__)
#define FACT_SLOWNESS 6u
#elif defined(__SANITIZE_ADDRESS__)
#define FACT_SLOWNESS 3u
#else
#define FACT_SLOWNESS 1u
#endif

/* The world after this one, where every world is made large: all of them, or one of some. */
#define FACT_NEXT_LARGE(number) ((number) + (FACT_SLOWNESS > 3 ? 12 : FACT_SLOWNESS > 1 ? 4 : 1))

/* Instruction sets differ in what a thread does, not in what it shares: the thread sanitizer sees the best one. */
#define FACT_LEAST_CPU (FACT_SLOWNESS > 3 ? rn_cpu_best() : RN_CPU_PLAIN)

/* Cases of one fact that differ in numbers, and hardly in what the program does: a sanitizer sees one of so many. */
#define FACT_IS_LEFT_OUT(number, of) (FACT_SLOWNESS > 1 && (number) % (of) != (of) / 2)

/* Where thread counts begin with 1: the thread sanitizer has nothing to see on one. */
#define FACT_FIRST_THREADS (FACT_SLOWNESS > 3 ? 1 : 0)

/* First in main() of long tests: the thread sanitizer runs the cases whose names have "thread" in them. */
#define FACT_ONLY_THREADS()                                        \
    do {                                                           \
        if (FACT_SLOWNESS > 3) cmocka_set_test_filter("*thread*"); \
    } while (0)

#endif
