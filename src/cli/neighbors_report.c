#include "cli/neighbors_report.h"

#include "files/json.h"
#include "files/out_file.h"

#include <math.h>
#include <string.h>

#define BAR_LENGTH 40.0

/* Bins of 1, 2, 5, 10, ... neighbours, as many as fit. */
static void make_bins(rni_neighbors_report *report)
{
    uint64_t width = 1;
    for (uint32_t step = 0; report->most / width - report->fewest / width >= RNI_MAX_BINS; step++)
        width = step % 3 == 1 ? width / 2 * 5 : width * 2;
    uint64_t first = report->fewest / width;
    report->bin_count = (uint32_t)(report->most / width - first + 1);
    for (uint32_t b = 0; b < report->bin_count; b++) {
        uint64_t low = (first + b) * width;
        uint64_t high = low + width - 1;
        report->bins[b] =
            (rni_bin){(uint32_t)low, high > UINT32_MAX ? UINT32_MAX : (uint32_t)high, 0};
    }
}

void rni_neighbors_report_count(rni_neighbors_report *report, const rn_neighbors *n)
{
    if (n->count == 0) return;
    uint64_t sum = 0;
    report->fewest = UINT32_MAX;
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t count = rn_neighbors_get_list(n, i).count;
        sum += count;
        if (count < report->fewest) report->fewest = count;
        if (count > report->most) report->most = count;
        report->lonely += count == 0;
    }
    report->mean = (double)sum / n->count;
    make_bins(report);
    uint32_t width = report->bins[0].high - report->bins[0].low + 1;
    for (uint32_t i = 0; i < n->count; i++)
        report->bins[(rn_neighbors_get_list(n, i).count - report->bins[0].low) / width].points++;
}

/* 1234567 as 1,234,567. */
static const char *grouped(uint64_t value, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    int at = 0;
    for (int k = 0; k < length; k++) {
        if (k > 0 && (length - k) % 3 == 0) text[at++] = ',';
        text[at++] = digits[k];
    }
    text[at] = 0;
    return text;
}

/* Digits that show an axis of the box: six of its extent, however far from the origin it lies, and
 * whole numbers up to 1e9 in full; no more than the points have. */
static int digits_of(const rni_neighbors_report *r, uint32_t axis)
{
    double extent = r->high[axis] - r->low[axis];
    double largest = fmax(fabs(r->low[axis]), fabs(r->high[axis]));
    int most = r->scalar == RN_SCALAR_FLOAT ? 9 : 15;
    if (!(largest > 0)) return 6;
    if (!(extent > 0)) return most;
    double wanted = 6 + fmax(0, ceil(log10(largest / extent)));
    if (largest < 1e9) wanted = fmax(wanted, floor(log10(largest)) + 1);
    return wanted < most ? (int)wanted : most;
}

static void print_corner(FILE *file, const rni_neighbors_report *r, const double *corner)
{
    for (uint32_t axis = 0; axis < r->dim; axis++)
        fprintf(file, "%s%.*g", axis ? ", " : "(", digits_of(r, axis), corner[axis]);
    fputc(')', file);
}

static void print_bytes(FILE *file, double bytes)
{
    if (bytes >= 1e9) fprintf(file, "%.2f GB", bytes / 1e9);
    else if (bytes >= 1e6) fprintf(file, "%.1f MB", bytes / 1e6);
    else fprintf(file, "%.1f kB", bytes / 1e3);
}

static void print_histogram(FILE *file, const rni_neighbors_report *report)
{
    uint32_t most = 1;
    char text[32];
    for (uint32_t b = 0; b < report->bin_count; b++)
        if (report->bins[b].points > most) most = report->bins[b].points;
    for (uint32_t b = 0; b < report->bin_count; b++) {
        const rni_bin *bin = &report->bins[b];
        char name[32];
        if (bin->low == bin->high) snprintf(name, sizeof name, "%u", bin->low);
        else snprintf(name, sizeof name, "%u-%u", bin->low, bin->high);
        int length = (int)ceil(BAR_LENGTH * bin->points / most);
        fprintf(file, "%24s %12s %.*s\n", name, grouped(bin->points, text), length,
                "########################################");
    }
}

static void print_nearest(FILE *file, const rni_neighbors_report *r)
{
    char text[32];
    fprintf(file, "  nearest     the %u nearest within the radius", r->nearest_k);
    if (r->nearest_k < r->nearest)
        fprintf(file, " (%u requested, a point has %u other%s)", r->nearest, r->nearest_k,
                r->nearest_k == 1 ? "" : "s");
    fprintf(file, "; %s point%s ha%s all of them\n", grouped(r->nearest_full, text),
            r->nearest_full == 1 ? "" : "s", r->nearest_full == 1 ? "s" : "ve");
    fprintf(file, "              mean distance of the first %.6g, of the last %.6g\n",
            r->nearest_first, r->nearest_last);
}

static const char *shown(const char *output)
{
    return strcmp(output, "-") == 0 ? "standard output" : output;
}

static void print_lists_path(FILE *file, const rni_neighbors_report *r)
{
    bool is_csv = rni_out_kind_of(r->lists_path) == RNI_OUT_CSV;
    fprintf(file, "  written     %s: ", shown(r->lists_path));
    if (r->nearest) fprintf(file, "the %u nearest of every point", r->nearest_k);
    else fprintf(file, "the list of every point");
    fprintf(file, "%s\n", r->nearest && is_csv ? ", with their distances" : "");
}

void rni_neighbors_report_print(FILE *file, const rni_neighbors_report *r)
{
    char text[32];
    bool is_half = strcmp(r->lists, "half") == 0;
    fprintf(file, "%s: %s, %uD, %s\n", r->path, r->format, r->dim,
            r->scalar == RN_SCALAR_FLOAT ? "float" : "double");
    fprintf(file, "  points      %s\n", grouped(r->points, text));
    if (r->points > 0) {
        fprintf(file, "  box         ");
        print_corner(file, r, r->low);
        fprintf(file, " to ");
        print_corner(file, r, r->high);
        fputc('\n', file);
    }
    fprintf(file, "  radius      %.9g\n", r->radius);
    fprintf(file, "  method      %s, %s, %u thread%s, %s%s\n", r->method,
            rn_cpu_level_name(r->stats.cpu), r->stats.threads, r->stats.threads == 1 ? "" : "s",
            r->lists, strcmp(r->lists, "counts") == 0 ? " only" : " lists");
    fprintf(file, "  pairs       %s, each once\n", grouped(r->pairs, text));
    fprintf(file, "  neighbours  %u to %u, %.2f on average%s\n", r->fewest, r->most, r->mean,
            is_half ? " (half lists: larger indices only)" : "");
    if (!is_half)
        fprintf(file, "  isolated    %s point%s\n", grouped(r->lonely, text),
                r->lonely == 1 ? "" : "s");
    if (r->bin_count) fprintf(file, "  histogram     neighbours       points\n");
    print_histogram(file, r);
    if (r->nearest) print_nearest(file, r);
    if (r->pairs_path) fprintf(file, "  written     %s: each pair once\n", shown(r->pairs_path));
    if (r->lists_path) print_lists_path(file, r);
    fprintf(file, "  time        read %.2f ms, build %.2f ms, query %.2f ms", r->read_ms,
            r->build_ms, r->query_ms);
    if (r->nearest) fprintf(file, ", nearest %.2f ms", r->nearest_ms);
    if (r->write_ms > 0) fprintf(file, ", write %.2f ms", r->write_ms);
    if (r->points)
        fprintf(file, " (%.1f ns a point)", (r->build_ms + r->query_ms) * 1e6 / r->points);
    fprintf(file, "\n  memory      points ");
    print_bytes(file, r->cloud_bytes);
    fprintf(file, ", search ");
    print_bytes(file, (double)r->stats.held_bytes);
    fprintf(file, " (lists ");
    print_bytes(file, (double)r->stats.list_bytes);
    fprintf(file, "), whole process ");
    print_bytes(file, r->peak_bytes);
    fputc('\n', file);
}

static void print_json_bins(rni_json *json, const rni_neighbors_report *r)
{
    rni_json_key(json, "histogram");
    fputc('[', json->file);
    for (uint32_t b = 0; b < r->bin_count; b++) {
        if (b) fputs(", ", json->file);
        rni_json bin = rni_json_begin(json->file);
        rni_json_whole(&bin, "from", r->bins[b].low);
        rni_json_whole(&bin, "to", r->bins[b].high);
        rni_json_whole(&bin, "count", r->bins[b].points);
        rni_json_end(&bin);
    }
    fputc(']', json->file);
}

void rni_neighbors_report_print_json(FILE *file, const rni_neighbors_report *r)
{
    rni_json json = rni_json_begin(file);
    rni_json_text(&json, "file", r->path);
    rni_json_text(&json, "format", r->format);
    rni_json_whole(&json, "dim", r->dim);
    rni_json_whole(&json, "points", r->points);
    void (*numbers)(rni_json *, const char *, const double *, uint32_t) =
        r->scalar == RN_SCALAR_FLOAT ? rni_json_floats : rni_json_numbers;
    numbers(&json, "low", r->low, r->points ? r->dim : 0);
    numbers(&json, "high", r->high, r->points ? r->dim : 0);
    rni_json_number(&json, "radius", r->radius);
    rni_json_text(&json, "method", r->method);
    rni_json_text(&json, "cpu", rn_cpu_level_name(r->stats.cpu));
    rni_json_whole(&json, "threads", r->stats.threads);
    rni_json_text(&json, "lists", r->lists);
    rni_json_whole(&json, "pairs", r->pairs);
    rni_json_whole(&json, "entries", r->stats.entry_count);
    rni_json_whole(&json, "neighbors_min", r->fewest);
    rni_json_whole(&json, "neighbors_max", r->most);
    rni_json_number(&json, "neighbors_mean", r->mean);
    rni_json_whole(&json, "alone", r->lonely);
    print_json_bins(&json, r);
    if (r->nearest) {
        rni_json_whole(&json, "nearest", r->nearest);
        rni_json_whole(&json, "nearest_k", r->nearest_k);
        rni_json_whole(&json, "nearest_full", r->nearest_full);
        rni_json_number(&json, "nearest_first_mean", r->nearest_first);
        rni_json_number(&json, "nearest_last_mean", r->nearest_last);
        rni_json_rounded(&json, "nearest_ms", r->nearest_ms);
    }
    rni_json_rounded(&json, "ms", r->build_ms + r->query_ms);
    rni_json_rounded(&json, "read_ms", r->read_ms);
    rni_json_rounded(&json, "build_ms", r->build_ms);
    rni_json_rounded(&json, "query_ms", r->query_ms);
    rni_json_rounded(&json, "write_ms", r->write_ms);
    rni_json_whole(&json, "cloud_bytes", (uint64_t)r->cloud_bytes);
    rni_json_whole(&json, "held_bytes", r->stats.held_bytes);
    rni_json_whole(&json, "list_bytes", r->stats.list_bytes);
    rni_json_whole(&json, "peak_bytes", (uint64_t)r->peak_bytes);
    rni_json_end(&json);
    fputc('\n', file);
}
