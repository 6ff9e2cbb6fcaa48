/* Suggestions for mistyped words. */
#ifndef RNI_CLI_SPELLING_H
#define RNI_CLI_SPELLING_H

#include <stdint.h>

/* Edit distance: letters to insert, delete, change or swap with the next one. Words are compared up to
 * 31 letters. */
uint32_t rni_spelling_distance(const char *a, const char *b);

/* True when a is probably a mistyped b: a small distance for the length, or b begins with a. */
int rni_spelling_is_near(const char *a, const char *b);

#endif
