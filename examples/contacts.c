/* Contacts with a mesh: which triangles of a bowl carry the water, and what of it stays wet.
 *
 *     cc contacts.c -o contacts $(pkg-config --cflags --libs runnel) -lm
 *     ./contacts
 */
#include <runnel/fluid.h>

#include <math.h>
#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "%s\n", rn_last_error());
    return 1;
}

static rn_wall_mesh *make_bowl(void)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *data = NULL;
    rn_wall_mesh *wall = NULL;
    def.name = "bowl";
    def.triangles = 600;
    if (rn_mesh_make(&def, &data) != RN_OK) return NULL;
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    if (rn_wall_mesh_create(NULL, &mesh, &wall) != RN_OK) wall = NULL;
    rn_mesh_data_destroy(data); /* the wall has a copy */
    return wall;
}

/* The force of the bowl on the water, from the contacts of one step. */
static int sum_contacts(rn_fluid *fluid, double dt, double *force, uint32_t *count)
{
    const rn_fluid_contact *contacts;
    if (rn_fluid_get_contacts(fluid, &contacts, count) != RN_OK) return fail();
    *force = 0;
    for (uint32_t k = 0; k < *count; k++) *force += (double)contacts[k].impulse[1] / dt;
    return 0;
}

int main(void)
{
    rn_fluid_def def = rn_fluid_def_default();
    rn_fluid *fluid = NULL;
    def.spacing = 0.012f;
    for (int a = 0; a < 3; a++) def.domain_low[a] = -0.2f, def.domain_high[a] = 0.2f;
    if (rn_fluid_create(&def, &fluid) != RN_OK) return fail();

    rn_wall_mesh *bowl = make_bowl();
    if (!bowl) return fail();
    rn_solid solid = rn_solid_default();
    rn_fluid_id id;
    solid.shape = RN_SOLID_MESH;
    solid.mesh = bowl;
    solid.trail = 1e-4f; /* m: what has been wet keeps a film of a tenth of a millimetre */
    if (rn_fluid_add_solid(fluid, &solid, &id) != RN_OK) return fail();
    rn_wall_mesh_destroy(bowl); /* the fluid keeps it */

    rn_fluid_ball drop = rn_fluid_ball_default();
    drop.center[1] = 0.08f, drop.radius = 0.045f;
    if (rn_fluid_add_ball(fluid, &drop, NULL) != RN_OK) return fail();
    /* Water at rest is half a spacing from a wall, and its second layer one and a half. */
    if (rn_fluid_watch_contacts(fluid, 1.9f * def.spacing) != RN_OK) return fail();

    rn_fluid_report report = rn_fluid_report_default();
    double force = 0, impulse = 0, time = 0;
    uint32_t count = 0;
    while (rn_fluid_get_time(fluid) < 0.8) {
        if (rn_fluid_step(fluid, &report) != RN_OK) return fail();
        if (sum_contacts(fluid, (double)report.time_step, &force, &count) != 0) return 1;
        if (rn_fluid_get_time(fluid) < 0.4) continue;
        impulse += force * (double)report.time_step;
        time += (double)report.time_step;
    }

    rn_fluid_derived derived = rn_fluid_derived_default();
    rn_fluid_film film = rn_fluid_film_default();
    if (rn_fluid_get_derived(fluid, &derived) != RN_OK) return fail();
    if (rn_fluid_get_film(fluid, id, &film) != RN_OK) return fail();
    const double weight = 9.81 * (double)derived.mass * report.particles;
    printf("%u contacts; the bowl carries %.2f N, the water weighs %.2f N\n", count, impulse / time,
           weight);
    printf("%.4f of %.4f m^2 are wet; the film is %.3g m^3, a texture of %u x %u\n",
           film.wetted_area, film.area, film.volume, film.width, film.height);
    const int is_right = fabs(impulse / time / weight - 1) < 0.15 && film.wetted_area > 0.01;
    rn_fluid_destroy(fluid);
    return is_right ? 0 : 1;
}
