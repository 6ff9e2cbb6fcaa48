/* The attribute table: every array with one entry per particle is one row.
 *
 * Job:    says of each array its name, unit and type, where its pointer is, and what happens to it:
 *         sorted with the particles, saved in a checkpoint, kept for a retry, shown to users.
 *         Allocation, sorting, saving, keep/restore and the public view loop over the rows.
 * Lanes:  rows with the same `array` share one array of records; each row says which lanes are its
 *         own. Birth time and id are in the fourth lanes of position and velocity: as arrays of
 *         their own they make the sort 13 to 20 % slower and take 24 more bytes per particle.
 * Order:  a sorted row has a second buffer (rn_fluid.spare) into which the sort writes; then the
 *         two are exchanged. Between two sorts the second buffer is free, and holds what the rows
 *         named previous_ say. A kept row has a third buffer (rn_fluid.kept): the first sort of a
 *         step leaves the state at its start there.
 * Next:   docs/adding-an-attribute.md; sort.c, state.c, retry.c.
 */
#ifndef RNI_FLUID_ATTRIBUTES_H
#define RNI_FLUID_ATTRIBUTES_H

#include "fluid/water.h"

typedef enum rni_attribute_flag {
    RNI_SORTED = 1,    /* every sort permutes it: it has a second buffer */
    RNI_KEPT = 2,      /* sorted; a step that is retried starts again with the values before it */
    RNI_SAVED = 4,     /* kept; part of the state, which checkpoints hold */
    RNI_SHOWN = 8,     /* users see it: rn_fluid_get_attribute(), output files, the viewer */
    RNI_IN_FILES = 16, /* shown, and written to output files */
    RNI_BORROWED = 32  /* the memory is a buffer of another row */
} rni_attribute_flag;

/* Which struct holds the pointer to the array. */
typedef enum rni_attribute_owner { RNI_OF_FLUID, RNI_OF_WALLS } rni_attribute_owner;

typedef struct rni_attribute {
    rn_fluid_attribute_info info; /* name, unit, type and number of components */
    uint32_t flags;
    uint32_t element_bytes; /* of one entry of the array */
    uint32_t lane; /* the first of its components within the entry, in scalars of 4 bytes */
    size_t array;  /* offset in its owner of the pointer to the array */
    rni_attribute_owner owner;
} rni_attribute;

/* Bytes of a name with its closing zero, in memory and in checkpoints. */
#define RNI_ATTRIBUTE_NAME 24u
/* 1 to 23 characters of a-z, 0-9 and _; NULL is none. */
bool rni_attribute_is_name(const char *name);

/* Rows of the table, then those that the user has added. fluid may be NULL: the table alone. */
uint32_t rni_row_count(const rn_fluid *fluid);
const rni_attribute *rni_row(const rn_fluid *fluid, uint32_t row);
/* Whether the row owns its memory, instead of sharing lanes of another row's records or borrowing a
 * buffer. */
static inline bool rni_row_is_owner(const rni_attribute *row)
{
    return row->lane == 0 && !(row->flags & RNI_BORROWED);
}
/* The first component of particle 0; NULL: this fluid does not need the row. */
char *rni_row_data(const rn_fluid *fluid, uint32_t row);
bool rni_has_row(const rn_fluid *fluid, uint32_t row);

/* Capacity for count particles in all arrays; contents are kept. On failure nothing has changed. */
rn_result rni_attributes_reserve(rn_fluid *fluid, uint64_t count);
/* Adds the arrays that a new definition needs: `needed` has a bit for each row. */
rn_result rni_attributes_need(rn_fluid *fluid, uint64_t needed);
void rni_attributes_free(rn_fluid *fluid);
void rni_user_rows_free(rn_fluid *fluid); /* after that */

/* Particle i becomes all zeros, or takes over all that particle `from` has. */
void rni_attributes_clear_particle(rn_fluid *fluid, uint32_t i);
void rni_attributes_copy_particle(rn_fluid *fluid, uint32_t i, uint32_t from);

/* One array that a sort moves. */
typedef struct rni_sorted_array {
    const char *from;
    char *to;
    uint32_t element_bytes;
} rni_sorted_array;
/* The arrays to permute, without those rows whose bit is in `unread`: nothing reads them before
 * they are computed anew. Returns how many. */
uint32_t rni_attributes_sorted(const rn_fluid *fluid, uint64_t unread,
                               rni_sorted_array arrays[RNI_ROW_MAX]);
/* After the permutation: the second buffers are now the state. Undone by a second call, as long as
 * nothing else has been written there and no state is kept. */
void rni_attributes_exchange(rn_fluid *fluid);

/* The state now is what restore brings back, until the next keep. */
void rni_attributes_keep(rn_fluid *fluid);
void rni_attributes_restore(rn_fluid *fluid);
/* Writing to the state in place is allowed again without a sort before. */
void rni_attributes_end_keeping(rn_fluid *fluid);

#endif
