#include "surface/clouds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static float between(float low, float high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (float)(seed >> 40) / (float)(1u << 24);
}

static cloud empty(uint32_t capacity, float spacing)
{
    seed = 1;
    return (cloud){.position = malloc(((size_t)capacity + 1) * 3 * sizeof(float)),
                   .spacing = spacing};
}

static void add(cloud *c, float x, float y, float z, float jitter)
{
    float *p = c->position + 3 * (size_t)c->count++;
    const float at[3] = {x, y, z};
    for (int k = 0; k < 3; k++) p[k] = (at[k] + between(-jitter, jitter)) * c->spacing;
}

cloud cloud_block(uint32_t x, uint32_t y, uint32_t z, float spacing, float jitter)
{
    cloud c = empty(x * y * z, spacing);
    for (uint32_t k = 0; k < z; k++)
        for (uint32_t j = 0; j < y; j++)
            for (uint32_t i = 0; i < x; i++)
                add(&c, (float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f, jitter);
    return c;
}

cloud cloud_ball(uint32_t diameter, float spacing, float jitter)
{
    cloud c = empty(diameter * diameter * diameter, spacing);
    float r = 0.5f * (float)diameter;
    for (uint32_t n = 0; n < diameter * diameter * diameter; n++) {
        float x = (float)(n % diameter) + 0.5f;
        float y = (float)(n / diameter % diameter) + 0.5f;
        float z = (float)(n / diameter / diameter) + 0.5f;
        float d_sq = (x - r) * (x - r) + (y - r) * (y - r) + (z - r) * (z - r);
        if (d_sq <= r * r) add(&c, x, y, z, jitter);
    }
    return c;
}

cloud cloud_gas(uint32_t count, float side, float spacing)
{
    cloud c = empty(count, spacing);
    for (uint32_t i = 0; i < count; i++)
        add(&c, between(0, side), between(0, side), between(0, side), 0);
    return c;
}

cloud cloud_splash(float spacing)
{
    cloud c = empty(40 * 20 * 10, spacing);
    for (uint32_t k = 0; k < 10; k++)
        for (uint32_t i = 0; i < 40; i++) {
            float height = 12 * (1 - (float)i / 50) + 1.5f * sinf(0.7f * (float)i);
            for (uint32_t j = 0; (float)j + 0.5f < height; j++)
                add(&c, (float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f, 0.2f);
            if (i > 30) add(&c, (float)i + 0.5f, height + 4, (float)k + 0.5f, 0.2f);
        }
    for (uint32_t n = 0; n < 40; n++) add(&c, between(1, 39), between(14, 19), between(1, 9), 0);
    return c;
}

void cloud_free(cloud *c)
{
    free(c->position);
    *c = (cloud){0};
}

rn_surface_points cloud_points(const cloud *c)
{
    rn_surface_points points = rn_surface_points_default();
    points.position = c->position;
    points.count = c->count;
    points.spacing = c->spacing;
    return points;
}

double cloud_volume(const cloud *c)
{
    return (double)c->count * (double)c->spacing * (double)c->spacing * (double)c->spacing;
}

/* --- the judge --------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static const char *edge_fault(const rn_mesh *mesh)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    uint64_t *edge = malloc((2 * count + 1) * sizeof *edge);
    uint64_t *back = edge + count;
    const char *fault = NULL;
    for (size_t n = 0; n < count; n++) {
        uint64_t a = mesh->triangle[n];
        uint64_t b = mesh->triangle[n % 3 == 2 ? n - 2 : n + 1];
        if (a == b) fault = "a triangle has a vertex twice";
        edge[n] = a << 32 | b;
        back[n] = b << 32 | a;
    }
    qsort(edge, count, sizeof *edge, compare);
    qsort(back, count, sizeof *back, compare);
    for (size_t n = 0; n < count && !fault; n++) {
        if (n > 0 && edge[n] == edge[n - 1]) fault = "an edge has more than two triangles";
        if (edge[n] != back[n]) fault = "an edge has one triangle, or two that disagree";
    }
    free(edge);
    return fault;
}

/* Walks around each vertex: the fan that begins with one of its triangles must have all of them. */
static const char *fan_fault(const rn_mesh *mesh)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    uint32_t *start = calloc((size_t)mesh->vertex_count + 2, sizeof *start);
    uint32_t *corner = malloc((count + 1) * sizeof *corner);
    const char *fault = NULL;
    for (size_t n = 0; n < count; n++) start[mesh->triangle[n] + 2]++;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) start[v + 2] += start[v + 1];
    for (size_t n = 0; n < count; n++) corner[start[mesh->triangle[n] + 1]++] = (uint32_t)n;
    for (uint32_t v = 0; v < mesh->vertex_count && !fault; v++) {
        uint32_t degree = start[v + 1] - start[v];
        if (degree < 3) fault = "a vertex has less than three triangles";
        uint32_t at = degree > 0 ? corner[start[v]] : 0;
        uint32_t steps = 0;
        do {
            /* From the triangle (v, a, b) to the one that begins (v, b, ...). */
            uint32_t b = mesh->triangle[at - at % 3 + (at + 2) % 3];
            uint32_t n = start[v];
            while (n < start[v + 1] &&
                   mesh->triangle[corner[n] - corner[n] % 3 + (corner[n] + 1) % 3] != b)
                n++;
            if (n == start[v + 1]) break;
            at = corner[n];
            steps++;
        } while (at != corner[start[v]] && steps <= degree);
        if (!fault && steps != degree) fault = "the triangles of a vertex form more than one fan";
    }
    free(start);
    free(corner);
    return fault;
}

const char *mesh_fault(const rn_mesh *mesh, const float *normal)
{
    for (size_t n = 0; n < 3 * (size_t)mesh->triangle_count; n++)
        if (mesh->triangle[n] >= mesh->vertex_count) return "an index is out of range";
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const float *n = normal + 3 * v;
        for (int k = 0; k < 3; k++)
            if (!isfinite(mesh->vertex[3 * v + (size_t)k])) return "a vertex is not finite";
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(fabsf(length - 1) < 1e-4f)) return "a normal is not of unit length";
    }
    const char *fault = edge_fault(mesh);
    return fault ? fault : fan_fault(mesh);
}

double mesh_volume(const rn_mesh *mesh)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const float *p[3];
        for (int k = 0; k < 3; k++)
            p[k] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * t + (size_t)k];
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3;
            int v = (k + 2) % 3;
            sum += (double)p[0][k] *
                   ((double)p[1][u] * (double)p[2][v] - (double)p[1][v] * (double)p[2][u]);
        }
    }
    return sum / 6;
}

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t n = 0; n < count; n++)
        hash = (hash ^ ((const unsigned char *)bytes)[n]) * 1099511628211u;
    return hash;
}

uint64_t mesh_hash(const rn_mesh *mesh, const float *normal)
{
    uint64_t hash = add_bytes(14695981039346656037u, mesh->vertex, 12 * (size_t)mesh->vertex_count);
    hash = add_bytes(hash, normal, 12 * (size_t)mesh->vertex_count);
    return add_bytes(hash, mesh->triangle, 12 * (size_t)mesh->triangle_count);
}
