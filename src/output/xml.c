#include "output/xml.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool rni_xml_next(const char **at, const char *end, rni_xml_tag *tag)
{
    while (*at < end) {
        const char *open = memchr(*at, '<', (size_t)(end - *at));
        if (!open) break;
        const char *close = memchr(open, '>', (size_t)(end - open));
        if (!close) break;
        *at = close + 1;
        if (open[1] == '/' || open[1] == '!' || open[1] == '?') continue;
        const char *name_end = open + 1;
        while (name_end < close && !is_space(*name_end) && *name_end != '/') name_end++;
        *tag = (rni_xml_tag){open + 1, name_end, close + 1};
        return true;
    }
    *at = end;
    return false;
}

bool rni_xml_is(const rni_xml_tag *tag, const char *name)
{
    size_t length = strlen(name);
    return (size_t)(tag->name_end - tag->name) == length && memcmp(tag->name, name, length) == 0;
}

bool rni_xml_attribute(const rni_xml_tag *tag, const char *name, char *value, size_t capacity)
{
    size_t length = strlen(name);
    const char *at = tag->name_end;
    while (at < tag->end) {
        while (at < tag->end && is_space(*at)) at++;
        const char *key = at;
        while (at < tag->end && *at != '=' && *at != '>') at++;
        size_t key_length = (size_t)(at - key);
        if (tag->end - at < 3 || *at != '=' || (at[1] != '"' && at[1] != '\'')) return false;
        const char *begin = at + 2;
        const char *quote = memchr(begin, at[1], (size_t)(tag->end - begin));
        if (!quote) return false;
        if (key_length == length && memcmp(key, name, length) == 0) {
            size_t size = (size_t)(quote - begin);
            if (size >= capacity || memchr(begin, 0, size)) return false;
            memcpy(value, begin, size);
            value[size] = 0;
            return true;
        }
        at = quote + 1;
    }
    return false;
}

bool rni_xml_whole(const rni_xml_tag *tag, const char *name, uint64_t *value)
{
    char text[24];
    if (!rni_xml_attribute(tag, name, text, sizeof text) || !text[0]) return false;
    *value = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || *value > (UINT64_MAX - 9) / 10) return false;
        *value = *value * 10 + (uint64_t)(*c - '0');
    }
    return true;
}
