/* malloc, calloc and realloc of the code under test, one of which fails. CMake: runnel_failing(TARGET). */
#ifndef RNI_TESTS_FAILING_H
#define RNI_TESTS_FAILING_H

/* How many succeed before the one that fails; -1: all do. */
extern long until_failure;

#endif
