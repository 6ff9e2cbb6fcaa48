#include "cli/info.h"

#include "cli/command.h"
#include "output/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Width of the key column; longer keys are followed by one blank. */
#define KEY_COLUMN 18

static const rni_option options[] = {
    {"json", RNI_OPTION_FLAG, NULL, "print one JSON object", NULL, NULL, 0, 0, NULL}, {0}};

/* --- facts ------------------------------------------------------------------------------------------ */

/* Text from a file may be hostile: no control codes reach the terminal. */
static void print_safely(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        putchar(*c < ' ' || *c == 0x7f ? '?' : *c);
}

static void print_key(const char *key)
{
    printf("%-*s ", KEY_COLUMN - 1, key);
}

void rni_info_text(rni_info *info, const char *key, const char *value)
{
    if (info->is_json) {
        rni_json_text(&info->json, key, value);
        return;
    }
    print_key(key);
    print_safely(value);
    putchar('\n');
}

void rni_info_whole(rni_info *info, const char *key, uint64_t value)
{
    if (info->is_json) rni_json_whole(&info->json, key, value);
    else print_key(key), printf("%" PRIu64 "\n", value);
}

void rni_info_number(rni_info *info, const char *key, double value, const char *unit)
{
    if (info->is_json) rni_json_number(&info->json, key, value);
    else print_key(key), printf("%.9g%s%s\n", value, *unit ? " " : "", unit);
}

void rni_info_hash(rni_info *info, const char *key, uint64_t value)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    rni_info_text(info, key, text);
}

void rni_info_range(rni_info *info, const char *key, const double *low, const double *high,
                    uint32_t count)
{
    if (info->is_json) {
        rni_json_key(&info->json, key);
        rni_json range = rni_json_begin(info->json.file);
        rni_json_floats(&range, "low", low, count);
        rni_json_floats(&range, "high", high, count);
        rni_json_end(&range);
        return;
    }
    print_key(key);
    for (uint32_t k = 0; k < count; k++) printf("%s%.6g .. %.6g", k ? ", " : "", low[k], high[k]);
    putchar('\n');
}

/* --- which kind of file ------------------------------------------------------------------------------ */

static bool opens_with(const rni_info *info, const char *letters, size_t count)
{
    return info->start_bytes >= count && memcmp(info->start, letters, count) == 0;
}

static rn_result show(rni_info *info)
{
    const char *start = (const char *)info->start;
    size_t blank = strspn(start, " \t\r\n\xef\xbb\xbf");
    if (rni_checkpoint_is(info->start, info->start_bytes)) return rni_info_checkpoint(info);
    if (opens_with(info, "\x89HDF\r\n\x1a\n", 8)) return rni_info_h5(info);
    if (opens_with(info, "runnel-h5-frames ", 17)) return rni_info_h5_notes(info);
    if (opens_with(info, "\x89PNG\r\n\x1a\n", 8)) return rni_info_png(info);
    if (opens_with(info, "time [s],", 9)) return rni_info_gauges(info);
    if (start[blank] == '<' && strstr(start, "\"Collection\"")) return rni_info_pvd(info);
    if (start[blank] == '<') return rni_info_vtp(info);
    if (start[blank] == '{') return rni_info_json(info);
    return rni_info_points(info);
}

static int read_start(const rni_command *command, rni_info *info)
{
    struct stat about;
    int file = open(info->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return rni_give_up(command, "%s: cannot be opened: %s", info->path, strerror(errno));
    int code = RNI_EXIT_DONE;
    bool is_known = fstat(file, &about) == 0;
    info->is_folder = is_known && S_ISDIR(about.st_mode);
    if (info->is_folder) {
        info->bytes = 0;
    } else if (!is_known || !S_ISREG(about.st_mode)) {
        code = rni_give_up(command, "%s: is neither a plain file nor a folder", info->path);
    } else {
        ssize_t got = read(file, info->start, RNI_INFO_START_BYTES);
        if (got < 0)
            code = rni_give_up(command, "%s: cannot be read: %s", info->path, strerror(errno));
        else if (got == 0) code = rni_give_up(command, "%s: is empty", info->path);
        info->start_bytes = got > 0 ? (size_t)got : 0;
        info->bytes = (uint64_t)about.st_size;
    }
    close(file);
    return code;
}

static int run(const rni_arguments *arguments)
{
    static rni_info info;
    info = (rni_info){.path = arguments->operand[0], .is_json = rni_arguments_has(arguments, "json")};
    int code = read_start(arguments->command, &info);
    if (code != RNI_EXIT_DONE) return code;
    if (info.is_json) info.json = rni_json_begin(stdout);
    rni_info_text(&info, "file", info.path);
    if (!info.is_folder) rni_info_whole(&info, "file_bytes", info.bytes);
    rn_result result = info.is_folder ? rni_info_folder(&info) : show(&info);
    if (result != RN_OK && info.is_json) rni_info_text(&info, "error", rn_last_error());
    if (info.is_json) {
        rni_json_end(&info.json);
        putchar('\n');
    }
    return result == RN_OK ? RNI_EXIT_DONE : rni_give_up(arguments->command, "%s", rn_last_error());
}

const rni_command rni_command_info = {
    .name = "info",
    .path = "runnel info",
    .summary = "describes a file or the folder of a run: particles, checkpoint, report, scene",
    .usage = "FILE|FOLDER [options]",
    .about = "FILE is a .vtp, .pvd or .ply file, a checkpoint, report.json, gauges.csv, a scene, a "
             "picture,\n"
             "a point file, or the folder of a run. HDF5 files are identified but not opened: the HDF5 "
             "library is\n"
             "not safe on files from untrusted sources.",
    .examples = "runnel info out\nrunnel info out/particles.pvd\nrunnel info out/report.json "
                "--json",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "FILE",
    .options = options,
    .run = run,
};
