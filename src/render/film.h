/* Pictures to a file: one PNG, or a video by the ffmpeg program, or without it numbered PNG files.
 *
 * Use:    rni_film_open, rni_film_add for each picture, rni_film_close; rni_film_abandon after a failure.
 * Output: a video appears complete or not at all. Numbered files are NAME_000000.png, ...
 */
#ifndef RNI_RENDER_FILM_H
#define RNI_RENDER_FILM_H

#include <runnel/base.h>

#include <sys/types.h>

typedef enum rni_film_kind {
    RNI_FILM_PNG = 0,
    RNI_FILM_MP4, /* H.264 */
    RNI_FILM_WEBM /* VP9 */
} rni_film_kind;

/* By the end of the name; false: none of them. "-" is a PNG on standard output. */
bool rni_film_kind_of(const char *path, rni_film_kind *kind);

/* Sides of pictures that are enlarged later: scale times as long, but not too short. */
void rni_film_shrink(double scale, uint32_t *width, uint32_t *height);

typedef struct rni_film {
    rni_film_kind kind;
    char path[4096];
    char beside[4200]; /* of a video until it is complete */
    uint32_t width, height, to_width, to_height;
    double rate; /* pictures per second */
    uint32_t count;
    bool is_numbered;
    pid_t program;  /* ffmpeg; 0: none */
    int pipe;       /* to it; -1: none */
    int errors;     /* file with what it says; -1: none */
    uint8_t *rgb;   /* one picture for it */
    char note[256]; /* for the user; empty: nothing */
} rni_film;

typedef struct rni_film_def {
    const char *path;
    uint32_t width, height;       /* of the pictures */
    uint32_t to_width, to_height; /* of a video; 0: the same */
    double rate;                  /* pictures per second */
    bool is_single;               /* one picture will be added; a PNG of many is numbered */
} rni_film_def;

/* Starts ffmpeg, if the path is that of a video. */
rn_result rni_film_open(rni_film *film, const rni_film_def *def);
/* rgba: rows from the top. */
rn_result rni_film_add(rni_film *film, const uint8_t *rgba);
/* Finishes the file. A failure leaves none. */
rn_result rni_film_close(rni_film *film);
/* Ends without a file; numbered ones stay. A film that is closed, or zero, is fine. */
void rni_film_abandon(rni_film *film);

#endif
