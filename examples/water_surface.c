/* The surface of water in a tank: a column collapses, then its particles become a closed mesh that ends at the glass.
 *
 *     cc water_surface.c -o water_surface $(pkg-config --cflags --libs runnel) -lm
 *     ./water_surface
 */
#include <runnel/fluid.h>
#include <runnel/surface.h>

#include <math.h>
#include <stdio.h>

static rn_result make_water(rn_fluid **fluid, rn_frame *frame)
{
    rn_fluid_def def = rn_fluid_def_default();
    def.spacing = 0.02f;
    def.domain_high[0] = 0.8f, def.domain_high[1] = 0.4f, def.domain_high[2] = 0.2f;
    rn_fluid_block column = rn_fluid_block_default();
    column.high[0] = 0.2f, column.high[1] = 0.3f, column.high[2] = 0.2f;
    rn_result result = rn_fluid_create(&def, fluid);
    if (result == RN_OK) result = rn_fluid_add_block(*fluid, &column, NULL);
    while (result == RN_OK && rn_fluid_get_time(*fluid) < 0.25)
        result = rn_fluid_step(*fluid, NULL);
    return result == RN_OK ? rn_fluid_get_frame(*fluid, frame) : result;
}

int main(void)
{
    rn_fluid *fluid = NULL;
    rn_surface *surface = NULL;
    rn_frame frame = rn_frame_default();
    rn_surface_def def = rn_surface_def_default();
    rn_surface_mesh found = rn_surface_mesh_default();
    rn_surface_points points = rn_surface_points_default();
    rn_result result = make_water(&fluid, &frame);
    if (result == RN_OK) result = rn_surface_create(&def, &surface);
    if (result == RN_OK) {
        points.position = frame.attribute[0].data; /* the first attribute is the position */
        points.stride_bytes = frame.attribute[0].stride;
        points.count = frame.count;
        points.spacing = frame.spacing;
        for (int k = 0; k < 3; k++) {
            points.domain_low[k] = frame.domain_low[k];
            points.domain_high[k] = frame.domain_high[k];
        }
        result = rn_surface_build(surface, &points, &found);
    }
    double volume = frame.count * pow((double)frame.spacing, 3);
    if (result == RN_OK)
        printf("%u particles of %.4g m^3: %u triangles around %.4g m^3, %.3g m^2 of surface\n",
               frame.count, volume, found.mesh.triangle_count, found.volume, found.area);
    else printf("%s\n", rn_last_error());
    rn_surface_destroy(surface);
    rn_fluid_destroy(fluid);
    return result == RN_OK && fabs(found.volume / volume - 1) < 0.03 ? 0 : 1;
}
