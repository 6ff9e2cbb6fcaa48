/* Points in two dimensions, in double precision, in a box whose sides are periodic: a point at the right
 * edge has neighbours at the left edge.
 *
 *     cc periodic_2d.c -o periodic_2d $(pkg-config --cflags --libs runnel)
 *     ./periodic_2d
 */
#include <runnel/search.h>

#include <stdio.h>

#define SIDE  32u
#define COUNT (SIDE * SIDE)

int main(void)
{
    static double xy[COUNT][2]; /* a square lattice in the unit square */
    for (uint32_t i = 0; i < COUNT; i++) {
        xy[i][0] = (i % SIDE + 0.5) / SIDE;
        xy[i][1] = (i / SIDE + 0.5) / SIDE;
    }
    rn_search_def def = rn_search_def_default();
    def.dim = 2;
    def.radius = 1.1f / SIDE; /* the four nearest points */
    for (int axis = 0; axis < 2; axis++) {
        def.periodic[axis] = true;
        def.period_low[axis] = 0;
        def.period_high[axis] = 1;
    }
    def.order = RN_ORDER_INDEX; /* ascending indices: the same bytes from every method */
    rn_search *search = NULL;
    rn_points points = {xy, sizeof xy[0], COUNT, RN_SCALAR_DOUBLE};
    if (rn_search_create(&def, &search) != RN_OK || rn_search_update(search, points) != RN_OK) {
        fprintf(stderr, "%s\n", rn_last_error());
        rn_search_destroy(search);
        return 1;
    }
    rn_neighbors neighbors = rn_search_get_neighbors(search);
    rn_list corner = rn_neighbors_get_list(&neighbors, 0);
    printf("point 0 in the corner has %u neighbours:", corner.count);
    for (uint32_t k = 0; k < corner.count; k++) printf(" %u", corner.index[k]);
    printf("\n");
    bool is_right = neighbors.entry_count == 4 * COUNT; /* every point has four, edges included */
    rn_search_destroy(search);
    return is_right ? 0 : 1;
}
