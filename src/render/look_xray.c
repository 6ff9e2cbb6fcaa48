/* Look xray: a radiograph of particles and walls (src/radiograph). */
#include "radiograph/radiograph.h"
#include "render/stage.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Meshes of a frame in the world: an object for each pose, vertices one after the other. */
static void place_vertices(const rn_triangles *mesh, const rn_pose *pose, float *to)
{
    const size_t stride = mesh->stride ? mesh->stride / sizeof(float) : 3;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const rni_vec turned = rni_pose_turn(pose, rni_vec_of(mesh->vertex + v * stride));
        to[3 * (size_t)v] = turned.x + pose->position[0];
        to[3 * (size_t)v + 1] = turned.y + pose->position[1];
        to[3 * (size_t)v + 2] = turned.z + pose->position[2];
    }
}

static rn_result collect_objects(rni_studio *studio, const rni_shot *shot, rni_radiograph_shot *to)
{
    const rn_frame *frame = &shot->picture.frame;
    const uint32_t poses = shot->picture.walls == RNI_WALLS_NONE ? 0 : frame->pose_count;
    uint64_t vertices = 0;
    for (uint32_t k = 0; k < poses; k++)
        vertices += frame->triangles[frame->pose[k].triangles].vertex_count;
    rn_result result = rni_buffer_need(&studio->memory, &studio->objects, (uint64_t)poses + 1,
                                       sizeof(rni_radiograph_object));
    if (result == RN_OK)
        result = rni_buffer_need(&studio->memory, &studio->vertices, 3 * vertices + 1, sizeof(float));
    if (result != RN_OK) return result;
    rni_radiograph_object *object = studio->objects.data;
    float *vertex = studio->vertices.data;
    to->object = object;
    for (uint32_t k = 0; k < poses; k++) {
        const rn_pose *pose = &frame->pose[k];
        const rn_triangles *from = &frame->triangles[pose->triangles];
        rni_radiograph_object *o = &object[to->object_count++];
        *o = (rni_radiograph_object){.mesh = rn_mesh_default()};
        place_vertices(from, pose, vertex);
        o->mesh.vertex = vertex;
        o->mesh.vertex_count = from->vertex_count;
        o->mesh.triangle = from->index;
        o->mesh.triangle_count = from->index_count / 3;
        o->wetness = shot->wall_value ? shot->wall_value[pose->triangles] : NULL;
        vertex += 3 * (size_t)from->vertex_count;
    }
    if (shot->organ)
        object[to->object_count++] = (rni_radiograph_object){.mesh = *shot->organ, .is_organ = true};
    return RN_OK;
}

rn_result rni_look_xray(rni_studio *studio, const rni_shot *shot, uint8_t *rgba)
{
    const rn_frame *frame = &shot->picture.frame;
    rni_radiograph_shot to = {.width = shot->picture.width, .height = shot->picture.height};
    rn_result result = RN_OK;
    if (!studio->radiograph) {
        rni_radiograph_def def = shot->xray ? *shot->xray : rni_radiograph_def_default();
        def.threads = studio->threads;
        result = rni_radiograph_create(&def, &studio->radiograph);
    }
    if (result == RN_OK) result = collect_objects(studio, shot, &to);
    if (result != RN_OK) return result;
    to.particles = rn_xray_particles_default();
    to.particles.count = frame->count;
    to.particles.position = frame->count ? frame->attribute[0].data : NULL;
    to.particles.stride_bytes = frame->count ? frame->attribute[0].stride : 0;
    to.particles.spacing = frame->spacing > 0 ? frame->spacing : 1;
    result = rni_radiograph_take(studio->radiograph, &to, &studio->gray);
    if (result != RN_OK) return result;
    for (size_t n = 0; n < (size_t)to.width * to.height; n++) {
        const uint8_t level = (uint8_t)(studio->gray[n] / 257u);
        const uint8_t pixel[4] = {level, level, level, 255};
        memcpy(rgba + 4 * n, pixel, sizeof pixel);
    }
    return RN_OK;
}

/* The picture comes last: where there is one, all that belongs to it is there. */
rn_result rni_look_xray_write(rni_studio *studio, const rni_shot *shot, const char *path)
{
    char notes[4200] = "";
    const size_t length = strlen(path);
    if (length >= 4 && length < sizeof notes - 8 && strcmp(path, "-") != 0)
        snprintf(notes, sizeof notes, "%.*s.json", (int)(length - 4), path);
    rn_result result = shot->raw ? rni_radiograph_write_raw(studio->radiograph, shot->raw) : RN_OK;
    if (result != RN_OK) return result;
    if (notes[0]) result = rni_radiograph_write_notes(studio->radiograph, notes);
    const bool has_notes = notes[0] && result == RN_OK;
    if (result == RN_OK)
        result = rni_png_write_gray(path, studio->gray, shot->picture.width, shot->picture.height);
    if (result == RN_OK) return RN_OK;
    if (has_notes) unlink(notes);
    if (shot->raw) unlink(shot->raw);
    return result;
}
