/* A pass over pairs: what to gather, the pair law, what to store. Written once, in one file.
 *
 * Job:    for every particle i a pass sums what its neighbours give by a law, and stores the sums.
 *         Forces are a pass; so is one iteration of an implicit solver.
 * Parts:  a file in passes/ defines for a pass NAME (pass_law.h has the words it is written in):
 *             NAME_has_kernels   whether the law depends on the fluid's kernels (a constant)
 *             NAME_has_slope     whether the law reads p->near (a constant)
 *             NAME_option()      a choice of the fluid that the loops are compiled for, both ways
 *             NAME_gathers()     which numbers of both particles the law reads
 *             NAME_pack          fills an array of records to gather from, or NULL
 *             NAME_sums, NAME_law(), NAME_store()
 * Loops:  passes.h lists the files. Each traversal and each instruction set expands all of them with
 *         its own loop: lists.c (pass_lists.h), fused_plain.c, fused_avx2.c, fused_avx512.c (fused_pass.h).
 * Order:  after the traversal's density. The sums of a particle have an order of their own, so bits
 *         do not depend on threads.
 */
#ifndef RNI_FLUID_PASS_H
#define RNI_FLUID_PASS_H

#include "fluid/water.h"

/* The body of a particle, which nearly every pass reads, as it is after the density: x, y, z (m),
 * 1 / rho (m^3 / kg); and its motion: v / rho, laws.pressure p / rho^2, or for schemes with
 * has_plain_bodies v, rho - k . x (rni_corrected_steepness()). */
typedef float rni_body[8];

/* Which numbers of i and j a law reads. Numbers 0 to 7 are the body's; 8 to 11 come from the first array
 * of the call, 12 to 15 from the second. */
typedef enum rni_gather_body {
    RNI_GATHER_POSITION, /* 0 to 2 only; possible before the density is known */
    RNI_GATHER_PLACE,    /* 0 to 3 */
    RNI_GATHER_MOTION    /* 0 to 7 */
} rni_gather_body;

#define RNI_PASS_ARRAYS  2u
#define RNI_PASS_STORES  5u
#define RNI_PASS_NUMBERS 16u

typedef struct rni_gathers {
    rni_gather_body body;
    uint32_t width[RNI_PASS_ARRAYS]; /* numbers a particle in each array: 0 (no array), 1 or 4 */
    bool is_packed;                  /* NAME_pack fills the first array; the call leaves it out */
} rni_gathers;

/* What a loop is compiled for: constants inside a law. */
typedef struct rni_variant {
    rn_fluid_kernels kernels; /* the fluid's, if NAME_has_kernels */
    bool option;              /* NAME_option() */
    bool is_periodic;         /* along any axis; displacements are shortest already */
} rni_variant;

/* The arrays of one call, in the order of the particles. Behind the last particle each array that is
 * gathered has RNI_FLUID_PADDING more; the first of them is set to 0. A pass must not store to an array
 * it gathers from. */
typedef struct rni_pass_arrays {
    float *gather[RNI_PASS_ARRAYS];
    float *store[RNI_PASS_STORES];
    const void *constants; /* of the pass */
} rni_pass_arrays;

/* A call under way, as the loops see it. */
typedef struct rni_pass_job {
    rn_fluid *fluid;
    const float *body; /* rni_body, or position records for RNI_GATHER_POSITION */
    rni_pass_arrays arrays;
} rni_pass_job;

/* One loop of a pass, over a piece of the particles. */
typedef void (*rni_pass_fn)(const rni_pass_job *job, uint32_t piece, uint32_t worker);

typedef enum rni_pass_loop {
    RNI_LOOP_LISTS, /* of the list traversal; the others are those of the fused one */
    RNI_LOOP_PLAIN,
    RNI_LOOP_AVX2,
    RNI_LOOP_AVX512,
    RNI_LOOP_COUNT
} rni_pass_loop;

typedef void (*rni_pack_fn)(const rn_fluid *fluid, uint32_t begin, uint32_t end, rni_record *to);

typedef struct rni_pass {
    const char *name;
    rni_gathers (*gathers)(const rn_fluid *fluid);
    rni_pack_fn pack;
    rni_pass_fn loop[RNI_LOOP_COUNT]; /* NULL: an instruction set that this build lacks */
} rni_pass;

/* Runs a pass over all particles. Needs the neighbours and, unless it gathers positions alone, the
 * density of this evaluation. */
void rni_pass_run(rn_fluid *fluid, const rni_pass *pass, const rni_pass_arrays *arrays);

/* Sum over all particles of the products of their first `width` numbers, in double and in a fixed order;
 * `stride` numbers lie between one particle and the next. */
double rni_pass_dot(rn_fluid *fluid, const float *a, const float *b, uint32_t width, uint32_t stride);

/* What passes gather from. The states of both traversals begin with it. */
typedef struct rni_records {
    rni_buffer bodies; /* rni_body, and one far away behind the last */
    rni_buffer packed; /* rni_record, of the pass under way */
    rni_buffer sums;   /* double, one a piece */
    bool has_bodies;   /* they are those of this evaluation */
} rni_records;

/* Buffers for the particles that there are; called by the traversals' search. */
rn_result rni_records_need(rn_fluid *fluid);
void rni_records_free(rn_fluid *fluid);
/* Bodies are packed at the first pass after this: for whoever changes position, velocity, density or pressure
 * between two passes. The traversals' density calls it. */
void rni_records_renew(rn_fluid *fluid);

/* A place no particle reaches: of the record behind the last, which fills up lists. */
#define RNI_FAR_AWAY 1e15f

/* RNI_PASS_DECLARE(NAME) makes rni_pass_NAME known; RNI_PASS_DEFINE(NAME) defines it, in a file that has expanded
 * the pass for lists. */
#define RNI_PASS_DECLARE(name)                                                              \
    extern const rni_pass rni_pass_##name;                                                  \
    void rni_pass_##name##_lists(const rni_pass_job *job, uint32_t piece, uint32_t worker); \
    void rni_pass_##name##_plain(const rni_pass_job *job, uint32_t piece, uint32_t worker); \
    void rni_pass_##name##_avx2(const rni_pass_job *job, uint32_t piece, uint32_t worker);  \
    void rni_pass_##name##_avx512(const rni_pass_job *job, uint32_t piece, uint32_t worker);

#ifdef RNI_X86
#define RNI_PASS_WIDE(name) rni_pass_##name##_avx2, rni_pass_##name##_avx512
#else
#define RNI_PASS_WIDE(name) NULL, NULL
#endif

#endif
