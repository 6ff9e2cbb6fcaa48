#include "cli/demo.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static rn_result finish(FILE *file, const char *path)
{
    bool is_bad = ferror(file) != 0;
    if (fclose(file) != 0 || is_bad)
        return rni_fail(RN_ERROR_FILE, "%s: writing failed: %s", path, strerror(errno));
    return RN_OK;
}

rn_result rni_demo_write_csv(const char *path, const rni_demo_row *rows, uint32_t row_count)
{
    FILE *file = fopen(path, "wb");
    if (!file) return rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    fputs("method,points,pairs,ms,ns_per_point\n", file);
    for (uint32_t r = 0; r < row_count; r++)
        fprintf(file, "%s,%u,%llu,%.4f,%.2f\n", rows[r].method, rows[r].points,
                (unsigned long long)rows[r].pairs, rows[r].ms, rows[r].ns_per_point);
    return finish(file, path);
}

rn_result rni_demo_write_page(const char *path, const rni_wave *wave, const rni_demo_row *rows,
                              uint32_t row_count)
{
    FILE *file = fopen(path, "wb");
    if (!file) return rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    fputs("<!doctype html>\n"
          "<html lang=\"en\">\n"
          "<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>Runnel: neighbour search</title>\n"
          "<style>\n"
          ":root { color-scheme: light dark; }\n"
          "body { font: 16px/1.5 system-ui, sans-serif; max-width: 1280px;\n"
          "       margin: 2rem auto; padding: 0 1rem; }\n"
          "figure { margin: 0 0 2.5rem; }\n"
          "img { width: 100%; height: auto; border-radius: 8px; border: 1px solid #8884; }\n"
          "figcaption { max-width: 46rem; margin-top: .6rem; opacity: .85; }\n"
          "img.chart { max-width: 880px; }\n"
          "</style>\n"
          "<h1>Runnel: neighbour search</h1>\n"
          "<figure>\n"
          "<img src=\"points.svg\" alt=\"A breaking wave made of points, pale at its surface\">\n"
          "<figcaption>",
          file);
    fprintf(file,
            "A slice through a wave of %u points. The colour of a point is its number of "
            "neighbours "
            "within the radius, which is twice the spacing. The lens shows one point, its "
            "search radius and its neighbours; some of them are in front of or behind the "
            "slice.</figcaption>\n"
            "</figure>\n"
            "<figure>\n"
            "<img class=\"chart\" src=\"neighbors.svg\" alt=\"Bar chart: nanoseconds per point of "
            "each method\">\n"
            "<figcaption>",
            wave->count);
    if (row_count > 0)
        fprintf(file,
                "All neighbours of all points, sorting included. The default method, %s, took "
                "%.2f ms "
                "for %u points. ",
                rows[0].method, rows[0].ms, rows[0].points);
    fputs("All methods found the same pairs. The numbers are in "
          "<a href=\"neighbors.csv\">neighbors.csv</a>."
          "</figcaption>\n</figure>\n</html>\n",
          file);
    return finish(file, path);
}
