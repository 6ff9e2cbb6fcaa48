/* Contacts: which particles are at which triangles of meshes, found when the caller asks. */
#include "base/error.h"
#include "fluid/attributes.h"
#include "fluid/mesh_walls.h"
#include "fluid/particles.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <string.h>

rn_result rn_fluid_watch_contacts(rn_fluid *f, float distance)
{
    if (!(distance >= 0 && distance <= f->derived.radius))
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "contacts: the distance is %g m; it must be from 0 (none) to the support radius, %g m",
            (double)distance, (double)f->derived.radius);
    const rn_result result =
        distance > 0 ? rni_attributes_need(f, RNI_ROW_BIT(RNI_ROW_WALL_IMPULSE)) : RN_OK;
    if (result == RN_OK) f->walls->contact_distance = distance;
    return result;
}

/* A search for contacts: counted first, then written. */
typedef struct contact_search {
    rn_fluid *fluid;
    uint32_t *first; /* by piece: count, then where its contacts begin */
    rn_fluid_contact *contact;
} contact_search;

static void fill_in(const rn_fluid *f, uint32_t i, uint32_t k, const rni_wall_near *near,
                    rn_fluid_contact *c)
{
    const rni_impulse *impulse = &f->walls->impulse[i];
    *c = (rn_fluid_contact){.particle = i,
                            .id = rni_particle_id(&f->now, i),
                            .solid = {k, f->walls->slots[k].generation},
                            .triangle = near->triangle,
                            .distance = (float)near->distance};
    for (int a = 0; a < 3; a++) {
        c->weight[a] = (float)near->weight[a];
        c->point[a] = (float)near->point[a];
        c->impulse[a] = f->derived.mass * (impulse->force[a] * f->last_dt + impulse->change[a]);
    }
}

/* The contacts of one particle; to NULL: they are only counted. */
static uint32_t contacts_of(const rn_fluid *f, uint32_t i, rn_fluid_contact *to)
{
    const rni_walls *walls = f->walls;
    const float *p = f->now.position[i];
    const double x[3] = {(double)p[0], (double)p[1], (double)p[2]};
    uint32_t listed, count = 0;
    const uint32_t *list = rni_walls_near(walls, p, &listed);
    for (uint32_t n = 0; n < listed; n++) {
        rni_wall_near near;
        if (!rni_is_mesh(&walls->solids[list[n]]) ||
            !rni_wall_mesh_closest(&walls->solids[list[n]], x, (double)walls->contact_distance, &near))
            continue;
        if (to) fill_in(f, i, list[n], &near, &to[count]);
        count++;
    }
    return count;
}

static void count_piece(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const contact_search *s = data;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) count += contacts_of(s->fluid, i, NULL);
    s->first[piece] = count;
}

static void write_piece(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const contact_search *s = data;
    uint32_t at = s->first[piece];
    for (uint32_t i = begin; i < end; i++) at += contacts_of(s->fluid, i, s->contact + at);
}

rn_result rn_fluid_get_contacts(rn_fluid *f, const rn_fluid_contact **contacts, uint32_t *count)
{
    rni_walls *walls = f->walls;
    const uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    contact_search s = {.fluid = f};
    *contacts = NULL;
    *count = 0;
    if (!(walls->contact_distance > 0))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "contacts are not watched; call rn_fluid_watch_contacts() first");
    rn_result result = rni_walls_ready(f);
    if (result == RN_OK)
        result = rni_buffer_need(&f->memory, &walls->contact_first, pieces + 1u, sizeof *s.first);
    if (result != RN_OK) return result;
    s.first = walls->contact_first.data;
    rni_for_particles(f, count_piece, &s);
    uint32_t sum = 0;
    for (uint32_t k = 0; k < pieces; k++) {
        const uint32_t own = s.first[k];
        s.first[k] = sum;
        sum += own;
    }
    result = rni_buffer_need(&f->memory, &walls->contact_buffer, sum + 1u, sizeof *s.contact);
    if (result != RN_OK) return result;
    s.contact = walls->contact_buffer.data;
    rni_for_particles(f, write_piece, &s);
    *contacts = s.contact;
    *count = sum;
    return RN_OK;
}
