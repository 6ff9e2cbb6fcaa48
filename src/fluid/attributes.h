/* The attribute table: every array with an entry per particle is one row.
 *
 * Job:    says of each array its name, unit, type, where its pointer is, and what happens to it: sorted with
 *         the particles, saved in a checkpoint, kept for a retry, shown to users. Allocation, sorting, saving,
 *         keep/restore and the public view loop over the rows (attributes.c).
 * Lanes:  rows with the same `array` share one array of records; each row says which lanes are its own. Birth time
 *         and id are in the fourth lanes of position and velocity: a sort then moves two records per particle
 *         instead of four arrays.
 * Next:   docs/adding-an-attribute.md.
 */
#ifndef RNI_FLUID_ATTRIBUTES_H
#define RNI_FLUID_ATTRIBUTES_H

#include "fluid/water.h"

typedef enum rni_attribute_flag {
    RNI_SHOWN = 1,    /* users see it: rn_fluid_get_attribute(), frames, pictures, the viewer */
    RNI_IN_FILES = 2, /* output files hold it, in the order of the rows */
} rni_attribute_flag;

typedef struct rni_attribute {
    rn_fluid_attribute_info info; /* name, unit, type and number of components */
    uint32_t flags;
    uint32_t element_bytes; /* of one entry of the array */
    uint32_t lane; /* the first of its components within the entry, in scalars of 4 bytes */
    size_t array;  /* offset in rn_fluid of the pointer to the array */
} rni_attribute;

uint32_t rni_attribute_count(void);
const rni_attribute *rni_attribute_row(uint32_t row);

#endif
