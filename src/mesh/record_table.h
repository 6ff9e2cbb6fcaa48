/* Equal records of floats get the same number: exact welding of vertices.
 *
 * Job:    records of one to five floats -> numbers 0, 1, 2, ... in the order of first appearance.
 * Rules:  0 and -0 are equal. Records are finite. Open addressing; the table doubles when it is half full. */
#ifndef RNI_MESH_RECORD_TABLE_H
#define RNI_MESH_RECORD_TABLE_H

#include "base/memory.h"

#define RNI_RECORD_FLOATS 5u

typedef struct rni_record_table {
    rni_memory *memory; /* borrowed */
    uint32_t width;     /* floats of a record; 1 .. RNI_RECORD_FLOATS */
    uint32_t count;
    rni_buffer record;   /* float, width each */
    rni_buffer slot;     /* uint32_t: number + 1; 0: free */
    uint32_t slot_count; /* a power of two; 0: none yet */
} rni_record_table;

void rni_record_table_init(rni_record_table *table, rni_memory *memory, uint32_t width);
void rni_record_table_free(rni_record_table *table);
/* Forgets all records and keeps the memory. */
void rni_record_table_clear(rni_record_table *table);
/* The number of the record; *is_new when it was not there before. */
rn_result rni_record_table_add(rni_record_table *table, const float *record, uint32_t *number,
                               bool *is_new);

#endif
