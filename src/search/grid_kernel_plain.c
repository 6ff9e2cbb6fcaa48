/* The hot loops of "grid" in plain C: one lane. */
#include "search/grid_cells.h"

#include <math.h>
#include <string.h>

#define KERNEL_NAME rni_grid_kernel_plain
#define WIDTH       1u

typedef float vf;
typedef uint32_t vu;
typedef uint32_t vm;
typedef uint32_t vp;

#define vf_set(s)               (s)
#define vu_set(s)               (s)
#define vf_load(p)              (*(p))
#define vu_load(p)              (*(p))
#define vf_store(p, v)          (*(p) = (v))
#define vu_store(p, v)          (*(p) = (v))
#define vf_hold(v)              ((void)(v))
#define vf_sub(a, b)            ((a) - (b))
#define vf_add(a, b)            ((a) + (b))
#define vf_mul(a, b)            ((a) * (b))
#define vf_min(a, b)            ((a) < (b) ? (a) : (b))
#define vf_max(a, b)            ((a) > (b) ? (a) : (b))
#define vf_fold                 rni_fold
#define vf_le(a, b)             ((vm)((a) <= (b)))
#define vm_all                  1u
#define vm_first(n)             ((vm)((n) > 0))
#define vm_and(a, b)            ((a) & (b))
#define vm_count(m)             (m)
#define vm_and_differs(m, a, b) ((m) & (vm)((a) != (b)))
#define vm_and_above(m, a, b)   ((m) & (vm)((a) > (b)))
#define vf_pack(to, m, v)       ((void)(m), (void)(*(to) = (v)))
#define vu_pack(to, m, v)       ((void)(m), (void)(*(to) = (v)))
#define vm_lanes(m)             (m)
#define vf_take(p, v)           (v)
#define vu_take(p, v)           (v)
#define vf_length_sq(x, y, z)   ((x) * (x) + (y) * (y) + (z) * (z))
#define vf_load_first(p, n, v)  (*(p))
#define vu_store_first(p, n, v) (*(p) = (v))
#define vf_lowest(v)            (v)
#define vf_highest(v)           (v)
#define vf_first(v)             (v)
#define vf_gather(p, o)         (*(const float *)(const void *)((p) + (o)))
#define vu_lanes                0u
#define vu_add(a, b)            ((a) + (b))
#define vu_mul(a, b)            ((a) * (b))
#define vu_trunc(v)             ((vu)(int32_t)(v))

#include "search/grid_kernel.h"
