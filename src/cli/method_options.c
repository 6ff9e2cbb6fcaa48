#include "cli/method_options.h"

static const char *const cell_counts[] = {"27", "13"};

const char *rni_choice_hash_cells(uint32_t place)
{
    return place < 2 ? cell_counts[place] : NULL;
}

void rni_method_options_read(const rni_arguments *arguments, rn_search_def *def)
{
    def->h_mask = rni_arguments_count(arguments, "h-mask");
    def->hash_cells = rni_arguments_choice(arguments, "hash-cells") == 0 ? 27 : 13;
    def->hash_table_length = rni_arguments_count(arguments, "table-length");
    def->unbounded_table = rni_arguments_has(arguments, "unbounded-table");
    def->as_published = rni_arguments_has(arguments, "as-published");
}
