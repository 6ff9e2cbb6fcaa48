#include "cli/spelling.h"

#include <string.h>

#define LONGEST 31u

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: a table of distances of all beginnings. */
uint32_t rni_spelling_distance(const char *a, const char *b)
{
    uint32_t table[LONGEST + 1][LONGEST + 1];
    uint32_t a_length = (uint32_t)strnlen(a, LONGEST);
    uint32_t b_length = (uint32_t)strnlen(b, LONGEST);
    for (uint32_t i = 0; i <= a_length; i++) table[i][0] = i;
    for (uint32_t j = 0; j <= b_length; j++) table[0][j] = j;
    for (uint32_t i = 1; i <= a_length; i++)
        for (uint32_t j = 1; j <= b_length; j++) {
            uint32_t best = least(table[i - 1][j], table[i][j - 1]) + 1;
            best = least(best, table[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least(best, table[i - 2][j - 2] + 1);
            table[i][j] = best;
        }
    return table[a_length][b_length];
}

int rni_spelling_is_near(const char *a, const char *b)
{
    size_t length = strlen(a);
    if (length >= 2 && strncmp(a, b, length) == 0) return 1;
    return length >= 2 && rni_spelling_distance(a, b) <= 1 + length / 4;
}
