#include "fluid/attributes.h"

#include "base/error.h"
#include "fluid/walls.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FLOAT RN_ATTRIBUTE_FLOAT
#define UINT  RN_ATTRIBUTE_UINT32
#define STATE (RNI_SORTED | RNI_KEPT | RNI_SAVED)
#define FILES (RNI_SHOWN | RNI_IN_FILES)

/* Where a row is: bytes of an entry, first lane, offset of the pointer. */
#define RECORD(member, lane) sizeof(rni_record), (lane), offsetof(rn_fluid, member), RNI_OF_FLUID
#define ARRAY(member)        sizeof(float), 0, offsetof(rn_fluid, member), RNI_OF_FLUID
#define WALLS(member, bytes) (bytes), 0, offsetof(rni_walls, member), RNI_OF_WALLS

static const rni_attribute table[RNI_ROW_COUNT] = {
    [RNI_ROW_POSITION] = {{"position", "m", 3, FLOAT}, STATE | FILES, RECORD(now.position, 0)},
    [RNI_ROW_VELOCITY] = {{"velocity", "m/s", 3, FLOAT}, STATE | FILES, RECORD(now.velocity, 0)},
    [RNI_ROW_ACCELERATION] = {{"acceleration", "m/s^2", 3, FLOAT},
                              RNI_SORTED | RNI_SHOWN,
                              RECORD(now.acceleration, 0)},
    [RNI_ROW_DENSITY] = {{"density", "kg/m^3", 1, FLOAT}, FILES, ARRAY(density)},
    [RNI_ROW_PRESSURE] = {{"pressure", "Pa", 1, FLOAT}, FILES, ARRAY(pressure)},
    [RNI_ROW_ID] = {{"id", "", 1, UINT}, STATE | FILES, RECORD(now.velocity, 3)},
    [RNI_ROW_BIRTH] = {{"birth", "s", 1, FLOAT}, STATE | RNI_SHOWN, RECORD(now.position, 3)},
    [RNI_ROW_NEIGHBOR_COUNT] = {{"neighbor_count", "", 1, UINT}, RNI_SHOWN, ARRAY(neighbor_count)},
    /* Of several fluids. */
    [RNI_ROW_FLUID] = {{"fluid", "", 1, UINT}, STATE | FILES, ARRAY(fluid_number)},
    [RNI_ROW_RATIO] = {{"density_ratio", "", 1, FLOAT}, 0, ARRAY(ratio)},
    [RNI_ROW_TRUE_DENSITY] = {{"true_density", "kg/m^3", 1, FLOAT}, 0, ARRAY(true_density)},
    /* Of the evaluation before the one under way; the same as density once that is done. */
    [RNI_ROW_PREVIOUS_DENSITY] = {{"previous_density", "kg/m^3", 1, FLOAT},
                                  STATE,
                                  ARRAY(previous_density)},
    /* Akinci: h grad c, no unit. Colour field: grad c, and its Laplacian in the fourth lane. */
    [RNI_ROW_NORMAL] = {{"normal", "1/m", 4, FLOAT}, 0, RECORD(normal, 0)},
    [RNI_ROW_SMOOTHED_NORMAL] = {{"smoothed_normal", "", 4, FLOAT}, 0, RECORD(smoothed_normal, 0)},
    [RNI_ROW_SUMMATION] = {{"summation", "kg/m^3", 1, FLOAT}, 0, ARRAY(summation)},
    /* Planes: all first records, then all second ones. */
    [RNI_ROW_RATES] = {{"rates", "", 16, FLOAT},
                       0,
                       4 * sizeof(rni_record),
                       0,
                       offsetof(rn_fluid, rates),
                       RNI_OF_FLUID},
    [RNI_ROW_STRESS] = {{"stress", "Pa", 8, FLOAT},
                        0,
                        2 * sizeof(rni_record),
                        0,
                        offsetof(rn_fluid, stress),
                        RNI_OF_FLUID},
    [RNI_ROW_SHIFT] = {{"shift", "m/s", 3, FLOAT}, 0, RECORD(shift, 0)},
    [RNI_ROW_COHESION] = {{"cohesion", "m/s^2", 3, FLOAT}, 0, RECORD(cohesion, 0)},
    [RNI_ROW_SURFACE] = {{"surface", "", 1, FLOAT}, 0, ARRAY(surface)},
    [RNI_ROW_INTERFACE] = {{"interface", "", 12, FLOAT},
                           0,
                           3 * sizeof(rni_record),
                           0,
                           offsetof(rn_fluid, interface),
                           RNI_OF_FLUID},
    [RNI_ROW_VISCOUS] = {{"last_acceleration", "m/s^2", 3, FLOAT}, STATE, RECORD(viscous, 0)},
    [RNI_ROW_VISCOSITY] = {{"viscosity", "Pa s", 1, FLOAT}, FILES, ARRAY(particle_viscosity)},
    [RNI_ROW_VISCOUS_WORK] = {{"viscous_work", "", 16, FLOAT},
                              0,
                              4 * sizeof(rni_record),
                              0,
                              offsetof(rn_fluid, viscous_work),
                              RNI_OF_FLUID},
    [RNI_ROW_WALL_SHARE] = {{"wall_share", "", 1, FLOAT}, 0, WALLS(share, sizeof(float))},
    [RNI_ROW_WALL_TOUCH] = {{"wall_touch", "", sizeof(rni_touch) / sizeof(float), FLOAT},
                            0,
                            WALLS(touch, sizeof(rni_touch))},
    [RNI_ROW_WALL_MOMENTS] = {{"wall_moments", "", sizeof(rni_moments) / sizeof(float), FLOAT},
                              0,
                              WALLS(moments, sizeof(rni_moments))},
    [RNI_ROW_WALL_CLEARANCE] = {{"wall_clearance", "m", 1, FLOAT}, 0, WALLS(clear, sizeof(float))},
    [RNI_ROW_WALL_GIVEN] = {{"wall_given", "", 5, FLOAT}, 0, WALLS(loads.given, sizeof(float[5]))},
    [RNI_ROW_WALL_GRIP] = {{"wall_grip", "", 8, FLOAT}, 0, WALLS(grip, sizeof(rni_grip))},
    [RNI_ROW_WALL_IMPULSE] = {{"wall_impulse", "", 8, FLOAT}, 0, WALLS(impulse, sizeof(rni_impulse))},
    /* For rn_fluid_get_particles(): the lanes as arrays of their own. */
    [RNI_ROW_ID_COPY] = {{"id_copy", "", 1, UINT}, 0, ARRAY(id)},
    [RNI_ROW_BIRTH_COPY] = {{"birth_copy", "s", 1, FLOAT}, 0, ARRAY(birth)},
    /* From integration to the next sort: where the particle was before. */
    [RNI_ROW_PREVIOUS_POSITION] = {{"previous_position", "m", 3, FLOAT},
                                   RNI_BORROWED,
                                   RECORD(spare[RNI_ROW_POSITION], 0)},
    /* From the forces to the next sort: those of the evaluation before. */
    [RNI_ROW_PREVIOUS_ACCELERATION] = {{"previous_acceleration", "m/s^2", 3, FLOAT},
                                       RNI_BORROWED,
                                       RECORD(spare[RNI_ROW_ACCELERATION], 0)},
};

_Static_assert(RNI_ROW_MAX <= 64, "sets of rows are bits of a number");
_Static_assert(sizeof(uint32_t) == sizeof(float), "all components have four bytes");

uint32_t rni_row_count(const rn_fluid *f)
{
    return RNI_ROW_COUNT + (f ? f->user_row_count : 0);
}

const rni_attribute *rni_row(const rn_fluid *f, uint32_t row)
{
    assert(row < rni_row_count(f));
    return row < RNI_ROW_COUNT ? &table[row] : &f->user_rows[row - RNI_ROW_COUNT];
}

/* Where the pointer to the array of a row is. */
static void **array_of(rn_fluid *f, const rni_attribute *row)
{
    char *owner = row->owner == RNI_OF_WALLS ? (char *)f->walls : (char *)f;
    return (void **)(void *)(owner + row->array);
}

char *rni_row_data(const rn_fluid *f, uint32_t row)
{
    const rni_attribute *r = rni_row(f, row);
    const char *owner = r->owner == RNI_OF_WALLS ? (const char *)f->walls : (const char *)f;
    char *array;
    memcpy(&array, owner + r->array, sizeof array);
    return array ? array + r->lane * sizeof(float) : NULL;
}

bool rni_has_row(const rn_fluid *f, uint32_t row)
{
    return rni_row_data(f, row) != NULL;
}

/* --- memory
 * --------------------------------------------------------------------------------------- */

typedef struct buffer {
    void **data;
    size_t element_bytes;
} buffer;

/* All buffers of the rows in a set. */
static uint32_t list_buffers(rn_fluid *f, uint64_t rows, buffer list[3 * RNI_ROW_MAX])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!(rows >> k & 1) || !rni_row_is_owner(row)) continue;
        list[count++] = (buffer){array_of(f, row), row->element_bytes};
        if (row->flags & RNI_SORTED) list[count++] = (buffer){&f->spare[k], row->element_bytes};
        if (row->flags & RNI_KEPT) list[count++] = (buffer){&f->kept[k], row->element_bytes};
    }
    return count;
}

/* Gives each buffer `wanted` entries, of which the first `used` are kept; on failure nothing has
 * changed. */
static rn_result resize(rn_fluid *f, uint64_t rows, size_t had, size_t wanted, size_t used)
{
    buffer list[3 * RNI_ROW_MAX];
    void *fresh[3 * RNI_ROW_MAX] = {0};
    const uint32_t count = list_buffers(f, rows, list);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        fresh[k] = rni_memory_take(&f->memory, wanted * list[k].element_bytes);
        if (!fresh[k]) result = RN_ERROR_MEMORY;
    }
    for (uint32_t k = 0; k < count; k++) {
        const size_t bytes = list[k].element_bytes;
        if (result != RN_OK) {
            rni_memory_give(&f->memory, fresh[k], wanted * bytes);
            continue;
        }
        memset(fresh[k], 0, wanted * bytes);
        if (*list[k].data) memcpy(fresh[k], *list[k].data, used * bytes);
        rni_memory_give(&f->memory, *list[k].data, had * bytes);
        *list[k].data = fresh[k];
    }
    return result;
}

rn_result rni_attributes_reserve(rn_fluid *f, uint64_t count)
{
    if (count > f->def.max_particles)
        return rni_fail(RN_ERROR_LIMIT,
                        "%llu particles are more than max_particles (%u); raise max_particles or take "
                        "a larger spacing",
                        (unsigned long long)count, f->def.max_particles);
    if (count <= f->now.capacity) return RN_OK;
    uint64_t capacity = count + count / 4 + 1024;
    if (capacity > f->def.max_particles) capacity = f->def.max_particles;
    const size_t had = f->now.capacity ? f->now.capacity + RNI_FLUID_PADDING : 0;
    const size_t used = f->now.count > f->kept_count ? f->now.count : f->kept_count;
    rn_result result = rni_fluid_reserve_tallies(f, (uint32_t)capacity);
    if (result == RN_OK)
        result = resize(f, f->needed_rows, had, (size_t)capacity + RNI_FLUID_PADDING, used);
    if (result == RN_OK) f->now.capacity = (uint32_t)capacity;
    return result;
}

rn_result rni_attributes_need(rn_fluid *f, uint64_t needed)
{
    const uint64_t added = needed & ~f->needed_rows;
    rn_result result = RN_OK;
    if (added && f->now.capacity > 0)
        result = resize(f, added, 0, (size_t)f->now.capacity + RNI_FLUID_PADDING, 0);
    if (result == RN_OK) f->needed_rows |= needed;
    return result;
}

void rni_attributes_free(rn_fluid *f)
{
    buffer list[3 * RNI_ROW_MAX];
    const uint32_t count = f->now.capacity > 0 ? list_buffers(f, f->needed_rows, list) : 0;
    for (uint32_t k = 0; k < count; k++) {
        rni_memory_give(&f->memory, *list[k].data,
                        ((size_t)f->now.capacity + RNI_FLUID_PADDING) * list[k].element_bytes);
        *list[k].data = NULL;
    }
    f->now.capacity = f->now.count = 0;
}

/* --- one particle
 * --------------------------------------------------------------------------------- */

/* Rows that mean something between two steps. */
static bool outlives_step(const rni_attribute *row)
{
    return rni_row_is_owner(row) && row->flags & (RNI_SORTED | RNI_SHOWN);
}

void rni_attributes_clear_particle(rn_fluid *f, uint32_t i)
{
    assert(i < f->now.capacity);
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (outlives_step(row) && rni_has_row(f, k))
            memset(rni_row_data(f, k) + (size_t)i * row->element_bytes, 0, row->element_bytes);
    }
}

void rni_attributes_copy_particle(rn_fluid *f, uint32_t i, uint32_t from)
{
    assert(i < f->now.capacity && from < f->now.capacity);
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!outlives_step(row) || !rni_has_row(f, k)) continue;
        char *array = rni_row_data(f, k);
        memcpy(array + (size_t)i * row->element_bytes, array + (size_t)from * row->element_bytes,
               row->element_bytes);
    }
}

/* --- sorting
 * -------------------------------------------------------------------------------------- */

static bool is_sorted_owner(const rni_attribute *row)
{
    return rni_row_is_owner(row) && row->flags & RNI_SORTED;
}

uint32_t rni_attributes_sorted(const rn_fluid *f, uint64_t unread,
                               rni_sorted_array arrays[RNI_ROW_MAX])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!is_sorted_owner(row) || unread >> k & 1 || !rni_has_row(f, k)) continue;
        arrays[count++] = (rni_sorted_array){rni_row_data(f, k), f->spare[k], row->element_bytes};
    }
    return count;
}

void rni_attributes_exchange(rn_fluid *f)
{
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!is_sorted_owner(row)) continue;
        void **array = array_of(f, row), *before = *array;
        *array = f->spare[k];
        if (f->is_kept_in_place && row->flags & RNI_KEPT) {
            f->spare[k] = f->kept[k];
            f->kept[k] = before;
        } else {
            f->spare[k] = before;
        }
    }
    f->is_kept_in_place = false;
}

/* --- the state at the start of a step
 * ------------------------------------------------------------- */

/* No copy: the first sort leaves the state where it is and writes elsewhere. */
void rni_attributes_keep(rn_fluid *f)
{
    assert(!f->is_kept_in_place); /* the step before has ended */
    f->is_kept_in_place = true;
    f->kept_count = f->now.count;
}

void rni_attributes_restore(rn_fluid *f)
{
    f->now.count = f->kept_count;
    if (f->is_kept_in_place) return;
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!rni_row_is_owner(row) || !(row->flags & RNI_KEPT)) continue;
        void **array = array_of(f, row), *failed = *array;
        *array = f->kept[k];
        f->kept[k] = failed;
    }
    f->is_kept_in_place = true;
}

void rni_attributes_end_keeping(rn_fluid *f)
{
    f->is_kept_in_place = false;
    f->kept_count = 0;
}

/* --- the public view
 * ------------------------------------------------------------------------------ */

const rn_fluid_attribute_info *rn_fluid_get_attribute_info(const rn_fluid *f, uint32_t index)
{
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!(row->flags & RNI_SHOWN)) continue;
        if (f ? !rni_has_row(f, k) : k > RNI_ROW_ALWAYS_LAST) continue;
        if (index-- == 0) return &row->info;
    }
    return NULL;
}

rn_result rn_fluid_get_attribute(const rn_fluid *f, const char *name, rn_fluid_span *span)
{
    if (!name || !span) return rni_fail(RN_ERROR_ARGUMENT, "name and span must not be NULL");
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!(row->flags & RNI_SHOWN) || strcmp(row->info.name, name) != 0) continue;
        if (!rni_has_row(f, k)) break;
        const uint32_t from = k == RNI_ROW_DENSITY && f->true_density ? RNI_ROW_TRUE_DENSITY : k;
        *span = (rn_fluid_span){.data = rni_row_data(f, from),
                                .stride_bytes = row->element_bytes,
                                .count = f->now.count,
                                .info = row->info};
        return RN_OK;
    }
    return rni_fail(RN_ERROR_ARGUMENT,
                    "particles have no attribute \"%s\"; rn_fluid_get_attribute_info() lists them",
                    name);
}

/* --- attributes of the user
 * ----------------------------------------------------------------------- */

/* A row with the memory of its names. */
typedef struct user_row {
    char name[RNI_ATTRIBUTE_NAME], unit[RNI_ATTRIBUTE_NAME];
} user_row;

#define USER_ROWS_BYTES (RN_FLUID_MAX_ATTRIBUTES * (sizeof(rni_attribute) + sizeof(user_row)))

void rni_user_rows_free(rn_fluid *f)
{
    rni_memory_give(&f->memory, f->user_rows, USER_ROWS_BYTES);
    f->user_rows = NULL;
    f->user_row_count = 0;
}

bool rni_attribute_is_name(const char *name)
{
    const size_t length = name ? strnlen(name, RNI_ATTRIBUTE_NAME) : 0;
    return length > 0 && length < RNI_ATTRIBUTE_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static rn_result check_info(const rn_fluid *f, const rn_fluid_attribute_info *info)
{
    if (!info || !rni_attribute_is_name(info->name))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the attribute's name must be 1 to %u characters of a-z, 0-9 and _",
                        RNI_ATTRIBUTE_NAME - 1);
    if (info->unit && strnlen(info->unit, RNI_ATTRIBUTE_NAME) == RNI_ATTRIBUTE_NAME)
        return rni_fail(RN_ERROR_ARGUMENT, "attribute \"%s\": the unit is longer than %u characters",
                        info->name, RNI_ATTRIBUTE_NAME - 1);
    if (info->components != 1 && info->components != 3)
        return rni_fail(RN_ERROR_ARGUMENT, "attribute \"%s\": components is %u; it must be 1 or 3",
                        info->name, info->components);
    if (info->type != RN_ATTRIBUTE_FLOAT && info->type != RN_ATTRIBUTE_UINT32)
        return rni_fail(RN_ERROR_ARGUMENT, "attribute \"%s\": type is %u; there is no such type",
                        info->name, (unsigned)info->type);
    for (uint32_t k = 0; k < rni_row_count(f); k++)
        if (strcmp(rni_row(f, k)->info.name, info->name) == 0)
            return rni_fail(RN_ERROR_ARGUMENT, "there is an attribute \"%s\" already", info->name);
    if (f->user_row_count == RN_FLUID_MAX_ATTRIBUTES)
        return rni_fail(RN_ERROR_LIMIT, "attribute \"%s\": a fluid takes %u attributes", info->name,
                        RN_FLUID_MAX_ATTRIBUTES);
    return RN_OK;
}

rn_result rn_fluid_add_attribute(rn_fluid *f, const rn_fluid_attribute_info *info)
{
    rn_result result = check_info(f, info);
    if (result != RN_OK) return result;
    if (!f->user_rows) {
        f->user_rows = rni_memory_take(&f->memory, USER_ROWS_BYTES);
        if (!f->user_rows) return RN_ERROR_MEMORY;
        memset(f->user_rows, 0, USER_ROWS_BYTES);
    }
    const uint32_t k = f->user_row_count;
    user_row *names = (user_row *)(void *)(f->user_rows + RN_FLUID_MAX_ATTRIBUTES) + k;
    memcpy(names->name, info->name, strlen(info->name) + 1);
    if (info->unit) memcpy(names->unit, info->unit, strlen(info->unit) + 1);
    f->user_rows[k] = (rni_attribute){
        .info = {names->name, names->unit, info->components, info->type},
        .flags = STATE | FILES,
        .element_bytes = info->components * (uint32_t)sizeof(float),
        .array = offsetof(rn_fluid, user_array) + k * sizeof(void *),
        .owner = RNI_OF_FLUID,
    };
    f->user_row_count++;
    result = rni_attributes_need(f, RNI_ROW_BIT(RNI_ROW_COUNT + k));
    if (result != RN_OK) f->user_row_count--;
    return result;
}
