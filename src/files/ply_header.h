/* The header of a PLY file: its elements, their properties, and the position of x, y, z. */
#ifndef RNI_FILES_PLY_HEADER_H
#define RNI_FILES_PLY_HEADER_H

#include "files/reader.h"
#include "files/stored.h"

typedef enum rni_ply_encoding {
    RNI_PLY_ASCII,
    RNI_PLY_LITTLE_ENDIAN,
    RNI_PLY_BIG_ENDIAN
} rni_ply_encoding;

typedef struct rni_ply_property {
    rni_text name;         /* in the input */
    rni_stored type;       /* type of the number, or of each number in a list */
    rni_stored count_type; /* type of the length of a list */
    bool is_list;
    int axis; /* 0, 1, 2: x, y, z of a vertex; -1: skipped */
} rni_ply_property;

typedef struct rni_ply_element {
    rni_text name; /* in the input */
    uint64_t count;
    const rni_ply_property *property; /* set when the header is complete */
    size_t property_begin, property_count;
    size_t record_bytes; /* binary: of one record with empty lists; 0: no properties */
    bool has_lists;
} rni_ply_element;

typedef struct rni_ply_header {
    rni_ply_encoding encoding;
    rni_ply_element *element; /* in file order */
    size_t element_count;
    rni_ply_property *property; /* of all elements */
    size_t property_count;
    size_t vertex; /* the element that holds the points */
    uint32_t dim;
    rn_scalar scalar;
    rni_lines body; /* the first byte after the header */
} rni_ply_header;

/* The caller releases *header with rni_ply_header_release, also on failure. */
rn_result rni_ply_header_read(const rni_reader *reader, rni_ply_header *header);
void rni_ply_header_release(rni_ply_header *header);

#endif
