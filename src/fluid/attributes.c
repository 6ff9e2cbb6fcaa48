#include "fluid/attributes.h"

#include "base/error.h"

#include <stddef.h>
#include <string.h>

#define FLOAT RN_ATTRIBUTE_FLOAT
#define UINT  RN_ATTRIBUTE_UINT32

/* Storage: the pointer to the array, the bytes of an entry, the first lane. */
#define RECORD(member, lane) sizeof(rni_record), (lane), offsetof(rn_fluid, member)
#define ARRAY(member)        sizeof(float), 0, offsetof(rn_fluid, member)

static const rni_attribute rows[] = {
    {{"position", "m", 3, FLOAT}, RNI_SHOWN | RNI_IN_FILES, RECORD(now.position, 0)},
    {{"velocity", "m/s", 3, FLOAT}, RNI_SHOWN | RNI_IN_FILES, RECORD(now.velocity, 0)},
    {{"acceleration", "m/s^2", 3, FLOAT}, RNI_SHOWN, RECORD(now.acceleration, 0)},
    {{"density", "kg/m^3", 1, FLOAT}, RNI_SHOWN | RNI_IN_FILES, ARRAY(density)},
    {{"pressure", "Pa", 1, FLOAT}, RNI_SHOWN | RNI_IN_FILES, ARRAY(pressure)},
    {{"id", "", 1, UINT}, RNI_SHOWN | RNI_IN_FILES, RECORD(now.velocity, 3)},
    {{"birth", "s", 1, FLOAT}, RNI_SHOWN, RECORD(now.position, 3)},
    {{"neighbor_count", "", 1, UINT}, RNI_SHOWN, ARRAY(neighbor_count)},
};

uint32_t rni_attribute_count(void)
{
    return sizeof rows / sizeof *rows;
}

const rni_attribute *rni_attribute_row(uint32_t row)
{
    return &rows[row];
}

/* --- the public view ------------------------------------------------------------------------------ */

const rn_fluid_attribute_info *rn_fluid_get_attribute_info(uint32_t index)
{
    for (uint32_t row = 0; row < rni_attribute_count(); row++)
        if (rows[row].flags & RNI_SHOWN && index-- == 0) return &rows[row].info;
    return NULL;
}

static const rni_attribute *find_shown(const char *name)
{
    for (uint32_t row = 0; row < rni_attribute_count(); row++)
        if (rows[row].flags & RNI_SHOWN && strcmp(rows[row].info.name, name) == 0)
            return &rows[row];
    return NULL;
}

rn_result rn_fluid_get_attribute(const rn_fluid *fluid, const char *name, rn_fluid_span *span)
{
    if (!name || !span) return rni_fail(RN_ERROR_ARGUMENT, "name and span must not be NULL");
    const rni_attribute *row = find_shown(name);
    if (!row)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "particles have no attribute \"%s\"; rn_fluid_get_attribute_info() lists them", name);
    const char *array;
    memcpy(&array, (const char *)fluid + row->array, sizeof array);
    *span = (rn_fluid_span){.data = array ? array + row->lane * sizeof(float) : NULL,
                            .stride_bytes = row->element_bytes,
                            .count = fluid->now.count,
                            .info = row->info};
    return RN_OK;
}
