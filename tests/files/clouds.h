/* Small point clouds in every format, and checks that all tests of src/files share. */
#ifndef FILES_TEST_CLOUDS_H
#define FILES_TEST_CLOUDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "files/point_file.h"

/* Bytes to which more can be appended. */
typedef struct bytes {
    unsigned char data[1024];
    size_t size;
} bytes;

void bytes_text(bytes *b, const char *text);
void bytes_u8(bytes *b, unsigned value);
void bytes_u16(bytes *b, unsigned value, bool is_big_endian);
void bytes_u32(bytes *b, uint32_t value, bool is_big_endian);
void bytes_u64(bytes *b, uint64_t value, bool is_big_endian);
void bytes_f32(bytes *b, float value, bool is_big_endian);
void bytes_f64(bytes *b, double value, bool is_big_endian);
/* The beginning of an NPY file of version major.0 with the given dictionary. */
void bytes_npy_header(bytes *b, unsigned major, const char *dictionary);

/* The same three points, (1, 2, 3), (-4, 5.5, 6), (7, 8, -9.25), in every format. */
typedef struct sample {
    const char *name;   /* with the extension of the format */
    const char *format; /* what the reader calls it */
    rn_scalar scalar;
    bool tells_its_count; /* a cut is always noticed */
    bytes content;
} sample;
#define SAMPLE_COUNT 10u
const sample *sample_at(unsigned place);

double coordinate(const rni_point_file *cloud, uint32_t i, uint32_t k);

/* Reads bytes from a block of exactly their size, so that reading one byte too far is noticed. */
rn_result parse_exactly(const void *data, size_t size, const char *name, rni_point_file *out);

/* These succeed or fail the test. */
rni_point_file parse_good(const char *name, const void *data, size_t size);
rni_point_file parse_good_text(const char *name, const char *text);
/* The points of sample_at(). */
void expect_sample_points(const rni_point_file *cloud);
/* count points; values has dim each. */
void expect_points(const rni_point_file *cloud, uint32_t dim, uint32_t count, const double *values);
/* Reading fails with this result and exactly this sentence. */
void expect_failure(const char *name, const void *data, size_t size, rn_result result,
                    const char *sentence);
void expect_text_failure(const char *name, const char *text, const char *sentence);

#endif
