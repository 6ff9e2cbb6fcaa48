/* Just enough of XML to find tags and their attributes in text that need not be XML at all. */
#ifndef RNI_OUTPUT_XML_H
#define RNI_OUTPUT_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rni_xml_tag {
    const char *name, *name_end;
    const char *end; /* behind the > */
} rni_xml_tag;

/* The next tag that opens (no closing ones, no comments) from *at to end; *at moves behind it. */
bool rni_xml_next(const char **at, const char *end, rni_xml_tag *tag);
bool rni_xml_is(const rni_xml_tag *tag, const char *name);
/* The value of an attribute, terminated; false when it is not there or does not fit. */
bool rni_xml_attribute(const rni_xml_tag *tag, const char *name, char *value, size_t capacity);
/* The same as a whole number. */
bool rni_xml_whole(const rni_xml_tag *tag, const char *name, uint64_t *value);

#endif
