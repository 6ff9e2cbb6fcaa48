/* The data structure of the method "grid" after a build: every point in its cell, cells in order,
 * and the points of a cell in ascending index order, for each of the sorting paths. */
#include "fact.h"

#include "base/cpu.h"
#include "base/random.h"
#include "search/grid_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct points {
    uint32_t dim, count;
    float (*position)[3];
    float period; /* 0: none */
    float radius;
} points;

typedef struct opened {
    rni_memory memory;
    rni_arena arena;
    rn_search_def def;
    rn_search_stats stats;
    rni_search_env env;
    grid *g;
} opened;

static void open_grid(opened *o, const points *p, uint32_t threads, rn_cpu_level cpu)
{
    *o = (opened){.def = rn_search_def_default()};
    assert_int_equal(rni_memory_init(&o->memory, &o->def.allocator), RN_OK);
    rni_arena_init(&o->arena, &o->memory);
    o->env = (rni_search_env){.memory = &o->memory, .arena = &o->arena, .def = &o->def};
    o->env.stats = &o->stats;
    assert_int_equal(rni_crew_create(&o->memory, threads, &o->def.tasks, &o->env.crew), RN_OK);
    assert_int_equal(rni_cpu_choose(cpu, &o->env.cpu), RN_OK);
    rni_space *space = &o->env.space;
    *space = (rni_space){.dim = p->dim, .radius = p->radius, .radius_sq = p->radius * p->radius};
    for (uint32_t axis = 0; axis < 3; axis++) {
        space->periodic[axis] = p->period > 0.0f && axis < p->dim;
        space->is_periodic |= space->periodic[axis];
        space->period[axis] = space->periodic[axis] ? p->period : INFINITY;
        space->half_period[axis] = 0.5f * space->period[axis];
    }
    void *state;
    assert_int_equal(rni_method_grid.create(&o->env, &state), RN_OK);
    o->g = state;
}

static void close_grid(opened *o)
{
    rni_method_grid.destroy(o->g);
    rni_crew_destroy(o->env.crew);
    rni_arena_free(&o->arena);
    assert_int_equal(o->memory.held_bytes, 0);
}

static rni_cloud cloud_of(const points *p)
{
    rni_cloud cloud = {(const unsigned char *)p->position, sizeof(float[3]), p->count, {0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        cloud.low[axis] = INFINITY;
        cloud.high[axis] = -INFINITY;
        for (uint32_t i = 0; i < p->count; i++) {
            cloud.low[axis] = fminf(cloud.low[axis], p->position[i][axis]);
            cloud.high[axis] = fmaxf(cloud.high[axis], p->position[i][axis]);
        }
    }
    return cloud;
}

static void check_place(const points *p, const grid_set *set, uint32_t k)
{
    const uint32_t i = set->id[k];
    assert_in_range(i, 0, p->count - 1);
    assert_true(set->x[k] == p->position[i][0] && set->y[k] == p->position[i][1]);
    assert_true(set->z[k] == (p->dim == 3 ? p->position[i][2] : 0.0f));
}

/* Indices ascend within a cell and each point is in one cell, so this count means that none is
 * missing. */
static void check_table(const opened *o, const points *p)
{
    const grid_set *set = &o->g->sets[0];
    const cell_map map = cell_map_of(&o->g->shape, 0);
    const uint32_t *start = set->start.data, cells = shape_cell_count(&o->g->shape);
    const bool is_clipped = o->env.space.is_periodic || o->g->shape.is_clipped;
    assert_int_equal(start[0], 0);
    assert_int_equal(start[cells], p->count);
    for (uint32_t c = 0; c < cells; c++) {
        for (uint32_t k = start[c]; k < start[c + 1]; k++) {
            check_place(p, set, k);
            const float here[3] = {set->x[k], set->y[k], set->z[k]};
            assert_int_equal(cell_of(&map, here, is_clipped), c);
            if (k > start[c]) assert_true(set->id[k - 1] < set->id[k]);
        }
    }
}

static void check_rows(const opened *o, const points *p)
{
    const grid_set *set = &o->g->sets[0];
    const grid_row *rows = set->rows.data;
    const uint32_t *column = set->column.data, *row_of = set->row_of.data;
    uint8_t *seen = calloc(p->count, 1);
    uint32_t place = 0;
    for (uint32_t r = 0; r < set->row_count; r++) {
        assert_int_equal(rows[r].begin, place);
        assert_true(rows[r].end > rows[r].begin);
        if (r > 0)
            assert_true(rows[r - 1].z < rows[r].z ||
                        (rows[r - 1].z == rows[r].z && rows[r - 1].y < rows[r].y));
        for (; place < rows[r].end; place++) {
            check_place(p, set, place);
            assert_int_equal(seen[set->id[place]]++, 0);
            assert_int_equal(row_of[place], r);
            if (place == rows[r].begin) continue;
            assert_true(column[place - 1] < column[place] ||
                        (column[place - 1] == column[place] && set->id[place - 1] < set->id[place]));
        }
    }
    assert_int_equal(place, p->count);
    free(seen);
}

/* All instruction sets and thread counts; checks that the set is sparse, or sorted by runs, where
 * it should be. */
static void check(const points *p, bool is_sparse, bool is_by_runs)
{
    const rn_cpu_level levels[] = {RN_CPU_PLAIN, RN_CPU_AVX2, RN_CPU_AVX512};
    const rni_cloud cloud = cloud_of(p);
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        rn_cpu_level known;
        if (rni_cpu_choose(levels[level], &known) != RN_OK) continue;
        for (uint32_t threads = 1; threads <= 3; threads++) {
            opened o;
            open_grid(&o, p, threads, levels[level]);
            assert_int_equal(rni_method_grid.build(o.g, &cloud, 1), RN_OK);
            assert_int_equal(o.stats.is_sparse, is_sparse);
            assert_int_equal(o.stats.order_reused, is_by_runs);
            if (is_sparse) check_rows(&o, p);
            else check_table(&o, p);
            close_grid(&o);
        }
    }
}

static points make_points(uint32_t dim, uint32_t count)
{
    points p = {.dim = dim, .count = count, .radius = 2.0f};
    p.position = malloc(count * sizeof *p.position);
    return p;
}

static void shuffle(points *p)
{
    rni_random random = rni_random_make(3);
    for (uint32_t i = p->count; i > 1; i--) {
        const uint32_t j = rni_random_below(&random, i);
        float kept[3];
        memcpy(kept, p->position[i - 1], sizeof kept);
        memmove(p->position[i - 1], p->position[j], sizeof kept);
        memcpy(p->position[j], kept, sizeof kept);
    }
}

/* Blocks of `block` points per axis, one after the other, in a cube of `side` blocks. */
static points blocks_of_points(uint32_t dim, uint32_t block, uint32_t side)
{
    const uint32_t a_block = dim == 3 ? block * block * block : block * block;
    points p = make_points(dim, a_block * (dim == 3 ? side * side * side : side * side));
    rni_random random = rni_random_make(dim);
    for (uint32_t i = 0; i < p.count; i++) {
        uint32_t at = i / a_block, in = i % a_block;
        for (uint32_t axis = 0; axis < 3; axis++, at /= side, in /= block) {
            p.position[i][axis] = axis < dim ? (float)(at % side * block + in % block) +
                                                   rni_random_float(&random, 0.0f, 0.3f)
                                             : 7.0f;
        }
    }
    return p;
}

static void points_lie_by_cell_and_then_by_index(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        points p = blocks_of_points(dim, 2, dim == 3 ? 11 : 40);
        check(&p, false, true);
        p.period = dim == 3 ? 22.0f : 80.0f;
        p.radius = 4.0f;
        check(&p, false, true);
        shuffle(&p);
        check(&p, false, false);
        p.period = 0.0f;
        check(&p, false, false);
        free(p.position);
    }
}

static void many_points_lie_so_too(void **state)
{
    (void)state;
    points p = blocks_of_points(3, 2, 30); /* more than are sorted by their keys alone */
    check(&p, false, true);
    shuffle(&p);
    check(&p, false, false);
    free(p.position);
}

/* One run per thread, and runs longer than any vector. */
static void crowds_are_long_runs(void **state)
{
    (void)state;
    points p = make_points(3, 10000);
    for (uint32_t i = 0; i < p.count; i++)
        for (int axis = 0; axis < 3; axis++) p.position[i][axis] = 0.001f * (float)(i % 100);
    check(&p, false, true);
    for (uint32_t i = 0; i < p.count; i++) p.position[i][0] += 9.0f * (float)(i / 37 % 3);
    check(&p, false, true);
    free(p.position);
}

static void far_points_lie_by_row_column_and_index(void **state)
{
    (void)state;
    /* rows that fit into one key with the column; rows that do not; and ranked axes */
    const float reach[] = {3e3f, 3e8f, 3e12f};
    for (size_t r = 0; r < sizeof reach / sizeof *reach; r++) {
        points p = make_points(3, 5000);
        rni_random random = rni_random_make(r);
        for (uint32_t i = 0; i < p.count; i++) {
            const float side = rni_random_below(&random, 2) ? reach[r] : -reach[r];
            for (int axis = 0; axis < 3; axis++)
                p.position[i][axis] =
                    side + rni_random_float(&random, 0.0f, 20.0f + 1e-5f * reach[r]);
        }
        check(&p, true, false);
        shuffle(&p);
        check(&p, true, false);
        free(p.position);
    }
}

/* However far away they are, the other points keep their table. */
static void a_few_strays_do_not_take_the_table_away(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        points p = blocks_of_points(dim, 2, dim == 3 ? 11 : 40);
        for (uint32_t i = 0; i < 300; i++)
            p.position[20 * i][i % dim] =
                (i % 4 < 2 ? -1.0f : 1.0f) * powf(10.0f, 4.0f + 0.1f * (float)i);
        shuffle(&p);
        check(&p, false, false);
        for (uint32_t i = 0; i < p.count; i += 4)
            p.position[i][0] = 1e6f * (float)i; /* too many to be outliers */
        check(&p, true, false);
        free(p.position);
    }
}

/* Nor do they force ranked columns on the other points, which would take several sorts. */
static void a_few_strays_leave_rows_as_they_are(void **state)
{
    (void)state;
    points p = make_points(3, 5000);
    rni_random random = rni_random_make(7);
    for (uint32_t i = 0; i < p.count; i++)
        for (int axis = 0; axis < 3; axis++)
            p.position[i][axis] = rni_random_float(&random, -3e3f, 3e3f);
    for (uint32_t i = 0; i < 9; i++) p.position[500 * i][i % 3] = i % 2 ? 1e30f : -1e20f;
    for (uint32_t i = 0; i < p.count / 2; i++) /* too dense for wide cells */
        for (int axis = 0; axis < 3; axis++) p.position[2 * i + 1][axis] *= 1e-2f;
    check(&p, true, false);
    const rni_cloud cloud = cloud_of(&p);
    opened o;
    open_grid(&o, &p, 1, RN_CPU_PLAIN);
    assert_int_equal(rni_method_grid.build(o.g, &cloud, 1), RN_OK);
    for (int axis = 0; axis < 3; axis++) assert_false(o.g->axes[axis].is_ranked);
    close_grid(&o);
    free(p.position);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_lie_by_cell_and_then_by_index),
        cmocka_unit_test(many_points_lie_so_too),
        cmocka_unit_test(crowds_are_long_runs),
        cmocka_unit_test(far_points_lie_by_row_column_and_index),
        cmocka_unit_test(a_few_strays_do_not_take_the_table_away),
        cmocka_unit_test(a_few_strays_leave_rows_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
