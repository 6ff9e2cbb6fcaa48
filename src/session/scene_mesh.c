#include "session/scene_mesh.h"
#include "solid/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Growing bytes of one array. */
typedef struct bytes {
    unsigned char *data;
    size_t count;
} bytes;

static bool append(bytes *b, const void *data, size_t count)
{
    unsigned char *grown = realloc(b->data, b->count + count + 1);
    if (!grown) return false;
    b->data = grown;
    memcpy(grown + b->count, data, count);
    b->count += count;
    return true;
}

/* 32-bit numbers, low byte first. */
static bool append_words(bytes *b, const void *words, size_t count)
{
    if (!append(b, words, count * 4)) return false;
    for (size_t k = 0; k < count; k++) {
        uint32_t word;
        memcpy(&word, (const char *)words + k * 4, sizeof word);
        unsigned char *to = b->data + b->count - (count - k) * 4;
        for (int c = 0; c < 4; c++) to[c] = (unsigned char)(word >> 8 * c);
    }
    return true;
}

static void write_base64(FILE *file, const char *key, const bytes *b)
{
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    fprintf(file, "\"%s\": \"", key);
    for (size_t k = 0; k < b->count; k += 3) {
        const size_t left = b->count - k;
        const uint32_t word = (uint32_t)b->data[k] << 16 |
                              (left > 1 ? (uint32_t)b->data[k + 1] << 8 : 0) |
                              (left > 2 ? (uint32_t)b->data[k + 2] : 0);
        for (uint32_t c = 0; c < 4; c++)
            fputc(c <= left ? LETTERS[word >> (18 - 6 * c) & 63] : '=', file);
    }
    fputc('"', file);
}

/* A full circle has fewer segments where there are many solids. */
static uint32_t segments_for(uint32_t solid_count)
{
    return solid_count <= 64 ? 48 : solid_count <= 256 ? 24 : 12;
}

/* The domain; in 2D with a little depth. */
static rni_solid_mesh mesh_of(const rni_scene *scene)
{
    rni_solid_mesh mesh = {.segments = segments_for(scene->solid_count)};
    float size_sq = 0;
    rni_scene_bounds(scene, mesh.low, mesh.high);
    for (int a = 0; a < 3; a++)
        size_sq += (mesh.high[a] - mesh.low[a]) * (mesh.high[a] - mesh.low[a]);
    if (scene->def.dim == 2) mesh.high[2] = 0.02f * sqrtf(size_sq), mesh.low[2] = -mesh.high[2];
    return mesh;
}

typedef struct drawing {
    bytes vertices, triangles, lines;
    uint32_t vertex_count;
} drawing;

static bool add_solid(drawing *d, const rni_solid *solid, rni_solid_mesh mesh)
{
    rni_solid_draw(solid, &mesh);
    mesh.vertices = malloc((mesh.vertex_count + 1) * sizeof *mesh.vertices);
    mesh.triangles = malloc((mesh.triangle_count + 1) * sizeof *mesh.triangles);
    mesh.lines = malloc((mesh.line_count + 1) * sizeof *mesh.lines);
    bool is_good = mesh.vertices && mesh.triangles && mesh.lines;
    if (is_good) rni_solid_draw(solid, &mesh);
    for (uint32_t t = 0; is_good && t < mesh.triangle_count; t++)
        for (int k = 0; k < 3; k++) mesh.triangles[t][k] += d->vertex_count;
    is_good = is_good && append_words(&d->vertices, mesh.vertices, 6 * (size_t)mesh.vertex_count) &&
              append_words(&d->triangles, mesh.triangles, 3 * (size_t)mesh.triangle_count) &&
              append_words(&d->lines, mesh.lines, 6 * (size_t)mesh.line_count);
    d->vertex_count += mesh.vertex_count;
    free(mesh.vertices);
    free(mesh.triangles);
    free(mesh.lines);
    return is_good;
}

void rni_scene_mesh_write(FILE *file, const rni_scene *scene)
{
    drawing d = {0};
    const rni_solid_mesh mesh = mesh_of(scene);
    bool is_good = true;
    rni_solid solid;
    for (uint32_t k = 0; is_good && k < scene->solid_count; k++)
        if (scene->solids[k].is_drawn && rni_scene_solid_place(scene, k, &solid))
            is_good = add_solid(&d, &solid, mesh);
    fputc('{', file);
    if (is_good) {
        write_base64(file, "vertices", &d.vertices);
        fputs(", ", file);
        write_base64(file, "triangles", &d.triangles);
        fputs(", ", file);
        write_base64(file, "lines", &d.lines);
    }
    fputc('}', file);
    free(d.vertices.data);
    free(d.triangles.data);
    free(d.lines.data);
}
