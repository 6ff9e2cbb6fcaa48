/* The fused traversal: neighbours are consumed as they are found.
 *
 * Job:    particles in cell order are taken in groups of at most 8 that follow each other in a row of
 *         cells, and each group as two quads. The candidates of a group come from the rows around it, without
 *         those too far from its box. Each quad tests them, sums its density, and keeps those near any of its
 *         four particles as the quad's list, which all later passes read. For schemes that sum the density in a
 *         pass of their own (rni_traversal.find) the test is all, and cheaper.
 * Reuse:  candidates are taken from slightly beyond the radius. If no particle has moved by more than half of
 *         that slack until the middle of a step, the second evaluation tests the same candidates and needs
 *         neither sort nor rows; with a very small slack (calm water) even the lists serve both evaluations.
 * Order:  relies on the order of sort.c. Lists are made by piece (a fixed range of particles), so
 *         nothing depends on threads but where in memory a piece's lists are.
 * Next:   fused.c (memory and order of the work), fused_find.h (finding), fused_pass.h (the loop of a pass); both
 *         are compiled once for each instruction set.
 */
#ifndef RNI_FLUID_FUSED_H
#define RNI_FLUID_FUSED_H

#include "fluid/traversal.h"

/* Particles of a piece, of a group, of a quad. */
#define FUSED_PIECE 256u
#define FUSED_GROUP 8u
#define FUSED_QUAD  4u

/* How far beyond the radius candidates are taken from, as shares of it. */
#define FUSED_SLACK_LEAST 0.001f /* below, rounding would matter */
#define FUSED_SLACK_CALM  0.02f  /* up to here longer lists cost less than new ones */
#define FUSED_SLACK_MOST  0.1f   /* beyond, more candidates cost more than a search */

/* A list begins with the quad: first particle; count of particles less 1, in the lowest two bits, and where
 * the entries of the second half begin; count of entries; where those of the first half end. All counts of
 * entries are multiples of 4, filled up with the particle far away. A list contains the quad's own particles. Where the halves differ, entries
 * near the first two particles only come first, then those near both halves, then the others. */
#define FUSED_HEAD 4u

/* Padding behind candidates and lists: wide stores may run over the end. */
#define FUSED_SPILL 64u

/* Numbers that a worker takes at once for its lists and groups. */
#define FUSED_SLAB 16384u

/* An entry is where the neighbour's record begins, in numbers: four times its index, so that passes need not
 * multiply. With periodic axes it is the index, and the image in the
 * highest bits: 1 + shift along x, plus 3 (1 + shift along y), plus 9 (1 + shift along z). */
#define FUSED_IMAGE_SHIFT 27u
#define FUSED_INDEX_MASK  ((1u << FUSED_IMAGE_SHIFT) - 1u)
#define FUSED_NO_IMAGE    13u

/* Where the lanes of an incomplete quad are: far from all particles, and from RNI_FAR_AWAY. */
#define FUSED_FAR_BEHIND (-1e15f)

/* What is left of the numbers that a worker has taken. */
typedef struct fused_slab {
    uint32_t *begin;
    uint64_t capacity;
} fused_slab;

/* Buffers of one worker. */
typedef struct fused_scratch {
    _Alignas(RNI_ALIGNMENT) rni_buffer candidates; /* x, y, z: 3 arrays; and near bits */
    rni_buffer group;                              /* entries of one group that is not kept */
    rni_buffer list;                               /* of one quad that is only measured */
    rni_buffer stage;                              /* a quad's neighbours, transposed */
    rni_buffer seen; /* x, y, z, entries: candidates that no thin wall hides from a particle */
    fused_slab groups, lists;
} fused_scratch;

/* The lists (or groups) of all pieces: those of a piece are contiguous, in a slab of its worker. */
typedef struct fused_pieces {
    rni_buffer numbers; /* uint32_t */
    rni_buffer begins, lengths;
    uint64_t *begin; /* of a piece in numbers */
    uint32_t *length;
    uint64_t capacity;
    _Atomic uint64_t total; /* taken in the evaluation under way, or needed by it */
    _Atomic bool is_short;  /* more was needed than there is */
} fused_pieces;

/* What the next evaluation may use again. */
typedef enum fused_kept { FUSED_KEEPS_NOTHING, FUSED_KEEPS_GROUPS, FUSED_KEEPS_LISTS } fused_kept;

typedef struct fused_state {
    rni_records records;
    rn_fluid *fluid;
    rni_pass_loop loop; /* which loop of a pass: that of the instruction set */
    void (*find)(struct fused_state *state, uint32_t piece, uint32_t worker);
    /* In memory order, with a particle that is far away at the end and padding: */
    rni_buffer axes; /* x, y, z: three arrays */
    float *x, *y, *z;

    fused_pieces groups; /* candidates of each group; a head as of a list before them */
    fused_pieces lists;
    fused_kept keeps;
    bool is_reused;                              /* this evaluation uses what is kept */
    bool has_density;                            /* it sums the density while it finds neighbours */
    uint32_t candidate_capacity, stage_capacity; /* of every worker */

    /* What the evaluation under way would have needed. */
    _Atomic uint32_t candidate_most, piece_most, entry_most;

    uint32_t filler;     /* the entry that fills up lists: the particle far away */
    float reach;         /* m: of candidates, the radius and the slack */
    float reach_slack;   /* m: rounding of positions */
    float support_least; /* m^2: h^2 - r^2 of pairs within the reach, at least */
    float image[32][4];  /* m: what an image adds to a position */
    uint32_t worker_count;
    fused_scratch *scratch;
} fused_state;

/* Candidates of a group. Four values of x are contiguous, as are those of y and z; the next four are `apart` numbers
 * further on. */
typedef struct candidates {
    float *x, *y, *z;
    uint32_t *entry;
} candidates;
#define FUSED_IN_ARRAYS 4u
#define FUSED_IN_BLOCKS 16u

typedef struct box {
    float low[3], high[3];
} box;

/* Contiguous particles of a row that may be near, all of one image. */
typedef struct cell_run {
    uint32_t begin, end, image;
} cell_run;

typedef struct cell_runs {
    uint32_t count;
    uint64_t particle_count;
    cell_run runs[27];
} cell_runs;

/* The entry of particle k, of an image. */
static inline uint32_t entry_of(uint32_t k, uint32_t image, const bool is_periodic)
{
    return is_periodic ? k | image << FUSED_IMAGE_SHIFT : 4 * k;
}

/* Density and counts (has_density), and the lists of one piece; what does not fit is only measured. */
void rni_fused_find_plain(fused_state *state, uint32_t piece, uint32_t worker);
void rni_fused_find_avx2(fused_state *state, uint32_t piece, uint32_t worker);
void rni_fused_find_avx512(fused_state *state, uint32_t piece, uint32_t worker);

/* fused_check.c: rni_traversal.check */
const char *rni_fused_check(const rn_fluid *fluid);

#endif
