/* The frame inside the library.
 *
 * Job:    what every reader of a frame relies on, in one function; see <runnel/frame.h> for the type.
 * Input:  a frame, from a fluid, from a file, or from the caller's own arrays.
 * Output: NULL, or what is wrong with it.
 * Next:   frame.c; fluid/frame.c fills one from a fluid; output, render and view read it.
 */
#ifndef RNI_FRAME_FRAME_H
#define RNI_FRAME_FRAME_H

#include <runnel/frame.h>

/* NULL: the frame is sound. Otherwise a sentence for the programmer. Cost: by attribute, mesh and pose,
 * not by particle. For assert(!rni_frame_flaw(frame)). */
const char *rni_frame_flaw(const rn_frame *frame);

#endif
