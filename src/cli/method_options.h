/* Options of particular search methods, the same for every command that searches.
 *
 * Job:    rows for the option table of a command, and their values as an rn_search_def.
 * Rules:  a method ignores the options of other methods, so one set of options serves all methods of a
 *         comparison; rn_search_create refuses invalid combinations.
 */
#ifndef RNI_CLI_METHOD_OPTIONS_H
#define RNI_CLI_METHOD_OPTIONS_H

#include "cli/command.h"

#include <runnel/search.h>

/* clang-format off */
#define RNI_METHOD_OPTIONS \
    {"h-mask", RNI_OPTION_COUNT, "H", "cell-sort, hash: cell size is radius / H, H = 1 to 3", "1", \
     "1, 2 or 3, e.g. --h-mask 2", 1, 3, NULL}, \
    {"hash-cells", RNI_OPTION_CHOICE, "N", "hash: search all 27 neighbouring cells, or 13 of them and report each pair once", \
     "27", "27 or 13", 0, 0, rni_choice_hash_cells}, \
    {"table-length", RNI_OPTION_COUNT, "N", \
     "hash, hierarchical-hash: number of buckets; 0: a power of two, at least twice the number " \
     "of points", \
     "0", "a whole number, e.g. --table-length 65536", 0, 2147483648.0, NULL}, \
    {"unbounded-table", RNI_OPTION_FLAG, NULL, \
     "hierarchical-hash: a growing map instead of a table of fixed size", NULL, NULL, 0, 0, NULL}, \
    {"as-published", RNI_OPTION_FLAG, NULL, \
     "hash, hierarchical-hash, cell-sort, both kd-trees: the algorithm exactly as published, on " \
     "one thread", \
     NULL, NULL, 0, 0, NULL}
/* clang-format on */

const char *rni_choice_hash_cells(uint32_t place);

/* Reads the options above. */
void rni_method_options_read(const rni_arguments *arguments, rn_search_def *def);

#endif
