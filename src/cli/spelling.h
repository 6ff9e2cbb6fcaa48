/* Did you mean ...? */
#ifndef RNI_CLI_SPELLING_H
#define RNI_CLI_SPELLING_H

#include <stdint.h>

/* Letters to add, leave out, change or swap with their neighbour to make one word of the other;
 * words are compared up to 31 letters. */
uint32_t rni_spelling_distance(const char *a, const char *b);

/* True when b could well be what the writer of a meant: few slips for the length, or b opens with
 * a. */
int rni_spelling_is_near(const char *a, const char *b);

#endif
