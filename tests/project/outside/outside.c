/* A stranger's program: a thousand points, their neighbours, and its own count of the pairs to compare with.
 * Takes the version it expects. */
#include <runnel/runnel.h>

#include <stdio.h>
#include <string.h>

#define POINT_COUNT 1000u

static float xyz[POINT_COUNT][3];

static void scatter_points(void)
{
    uint32_t state = 1;
    for (uint32_t i = 0; i < POINT_COUNT; i++) {
        for (int axis = 0; axis < 3; axis++) {
            state = state * 1664525u + 1013904223u;
            xyz[i][axis] = (float)(state >> 8) / 16777216.0f;
        }
    }
}

static uint64_t count_entries(float radius)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < POINT_COUNT; i++) {
        for (uint32_t j = 0; j < POINT_COUNT; j++) {
            float dx = xyz[i][0] - xyz[j][0];
            float dy = xyz[i][1] - xyz[j][1];
            float dz = xyz[i][2] - xyz[j][2];
            if (i != j && (dx * dx + dy * dy) + dz * dz <= radius * radius) entries++;
        }
    }
    return entries;
}

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, rn_last_error());
    return 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(rn_version(), argv[1]) != 0 || strcmp(RN_VERSION_STRING, argv[1]) != 0)) {
        fprintf(stderr, "library %s, header %s, expected %s\n", rn_version(), RN_VERSION_STRING,
                argv[1]);
        return 1;
    }
    scatter_points();

    rn_search_def def = rn_search_def_default();
    def.radius = 0.1f;
    rn_search *search = NULL;
    if (rn_search_create(&def, &search) != RN_OK) return fail("create");
    rn_points points = {xyz, sizeof xyz[0], POINT_COUNT, RN_SCALAR_FLOAT};
    if (rn_search_update(search, points) != RN_OK) return fail("update");

    rn_neighbors neighbors = rn_search_get_neighbors(search);
    uint64_t found = 0;
    for (uint32_t i = 0; i < neighbors.count; i++)
        found += rn_neighbors_get_list(&neighbors, i).count;
    uint64_t expected = count_entries(def.radius);
    rn_search_destroy(search);

    printf("%llu entries, expected %llu\n", (unsigned long long)found, (unsigned long long)expected);
    return found == expected && found > 0 && found == neighbors.entry_count ? 0 : 1;
}
