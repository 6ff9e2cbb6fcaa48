/* Neighbour search on arrays of your own: positions inside larger records, no copy, no conversion.
 *
 *     cc neighbours.c -o neighbours $(pkg-config --cflags --libs runnel) -lm
 *     ./neighbours
 *
 * The search reads the positions where they are: `stride_bytes` is the distance from one record to the
 * next. The lists belong to the search and are valid until the next update. */
#include <runnel/search.h>

#include <math.h>
#include <stdio.h>

#define COUNT 10000u

typedef struct star {
    float mass;
    float position[3];
    int color;
} star;

static star stars[COUNT];

/* A spiral: dense in the middle, sparse outside. */
static void place_stars(void)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        float part = (float)i / COUNT, angle = 2.4f * (float)i;
        stars[i].position[0] = part * cosf(angle);
        stars[i].position[1] = part * sinf(angle);
        stars[i].position[2] = 0.05f * sinf(7.0f * (float)i);
    }
}

int main(void)
{
    place_stars();
    rn_search_def def = rn_search_def_default(); /* always start from the default */
    def.radius = 0.05f;
    rn_search *search = NULL;
    rn_points points = {stars[0].position, sizeof stars[0], COUNT, RN_SCALAR_FLOAT};
    if (rn_search_create(&def, &search) != RN_OK || rn_search_update(search, points) != RN_OK) {
        fprintf(stderr, "%s\n", rn_last_error());
        rn_search_destroy(search);
        return 1;
    }
    rn_neighbors neighbors = rn_search_get_neighbors(search);
    uint32_t most = 0, where = 0;
    for (uint32_t i = 0; i < neighbors.count; i++) {
        rn_list list = rn_neighbors_get_list(&neighbors, i);
        if (list.count > most) most = list.count, where = i;
        for (uint32_t k = 0; k < list.count; k++)
            stars[i].mass += 1; /* list.index[k]: a neighbour */
    }
    printf("%.1f neighbours on average; star %u has the most, %u\n",
           (double)neighbors.entry_count / COUNT, where, most);
    rn_search_destroy(search);
    return most > 0 ? 0 : 1;
}
