/* A small upright font of lines and arcs, drawn for this program. */
#ifndef RNI_RENDER_FONT_H
#define RNI_RENDER_FONT_H

#include "render/canvas.h"

/* The first character of text (UTF-8); *text advances past it. 0 at the end; 0xfffd for bytes
 * that are not UTF-8. */
uint32_t rni_font_next(const char **text);

/* Width of the text in pixels when capitals are size pixels high. */
float rni_text_width(const char *text, float size);

/* Onto the image; x is its left end, y its base line, both in pixels from the upper left. */
void rni_text_draw(rni_canvas *canvas, const char *text, float x, float y, float size, rni_vec color);

#endif
