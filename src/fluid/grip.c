#include "fluid/grip.h"

#include "fluid/phases.h"

#include <math.h>
#include <string.h>

static float length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The velocity of a particle along a face, as seen from it. */
static void slide_along(const rni_solid *solid, const float x[3], const float v[3],
                        const float n[3], float slide[3])
{
    float surface[3], away = 0;
    rni_face_velocity(solid, x, surface);
    for (int a = 0; a < 3; a++) away += (v[a] - surface[a]) * n[a];
    for (int a = 0; a < 3; a++) slide[a] = v[a] - surface[a] - away * n[a];
}

void rni_grip_evaluate(const rn_fluid *f, const rni_wall_query *query, uint32_t i)
{
    const rni_walls *walls = f->walls;
    const float *x = f->now.position[i], *v = f->now.velocity[i];
    rni_grip grip = {0};
    rni_near_faces near;
    float all = 0, rough = 0;
    rni_walls_faces(f, query, x, &near);
    for (uint32_t k = 0; k < near.count; k++) {
        const rni_face *face = &near.face[k];
        const rni_solid *solid = &walls->solids[near.solid[k]];
        const float weight = near.part[k] * length_of(face->touch.push);
        const float t = rni_lower(rni_higher(face->distance / query->h, 0.0f), 1.0f);
        const float pull = 4 * t * (1 - t) * near.part[k] * solid->def.adhesion;
        float slide[3];
        slide_along(solid, x, v, face->normal, slide);
        for (int a = 0; a < 3; a++) {
            grip.slide[a] += weight * solid->def.friction * slide[a];
            grip.pull[a] -= pull * face->normal[a];
        }
        all += weight;
        rough += weight * solid->def.friction;
    }
    for (int a = 0; a < 3; a++) grip.slide[a] = rough > 0 ? grip.slide[a] / rough : 0.0f;
    grip.friction = all > 0 ? rough / all : 0.0f;
    walls->grip[i] = grip;
}

void rni_grip_add(const rn_fluid *f, uint32_t i, float a[4])
{
    rni_grip *grip = &f->walls->grip[i];
    const float speed = length_of(grip->slide), limit = grip->friction * grip->pressing;
    const float dt = f->last_dt > 0 ? f->last_dt : f->derived.time_step;
    const float rate = speed > 0 ? rni_lower(limit / speed, 1 / dt) : 0.0f;
    for (uint32_t k = 0; k < f->def.dim; k++) {
        grip->pull[k] -= rate * grip->slide[k]; /* both together, for the loads */
        a[k] += grip->pull[k];
    }
}

void rni_grip_load(const rn_fluid *f, uint32_t i, const rni_near_faces *near, rni_load_sum *sums)
{
    const rni_walls *walls = f->walls;
    const double mass = (double)f->derived.mass * (double)rni_ratio(f, i);
    double all = 0;
    for (int round = 0; round < 2; round++)
        for (uint32_t k = 0; k < near->count; k++) {
            const rni_solid *solid = &walls->solids[near->solid[k]];
            if (!rni_has_grip(solid)) continue;
            const double weight =
                (double)near->part[k] * (double)length_of(near->face[k].touch.push) + 1e-30;
            if (round == 0) {
                all += weight;
                continue;
            }
            double force[3] = {0, 0, 0};
            for (uint32_t a = 0; a < f->def.dim; a++)
                force[a] = -mass * weight / all * (double)walls->grip[i].pull[a];
            rni_load_add(&sums[near->solid[k]], solid->center, f->now.position[i], force);
        }
}

bool rni_bounce(const rn_fluid *f, const rni_solid *s, const float x[3], const float n[3],
                float v[4], double change[3])
{
    const float bounce = s->def.bounce >= 0 ? s->def.bounce : f->def.params.bounce;
    float surface[3] = {s->velocity[0], s->velocity[1], s->velocity[2]}, into = 0, slide[3];
    if (s->is_moving) rni_solid_velocity_at(s, x, surface);
    for (int a = 0; a < 3; a++) into += (v[a] - surface[a]) * n[a];
    if (into >= 0) return false;
    for (int a = 0; a < 3; a++) {
        slide[a] = v[a] - surface[a] - into * n[a];
        const float step = (1 + bounce) * into * n[a];
        v[a] -= step;
        change[a] = (double)step;
    }
    const float speed = s->def.friction > 0 ? length_of(slide) : 0.0f;
    const float lost = rni_lower(s->def.friction * (1 + bounce) * -into, speed);
    for (int a = 0; a < 3 && speed > 0; a++) {
        v[a] -= lost / speed * slide[a];
        change[a] += (double)(lost / speed * slide[a]);
    }
    return true;
}
