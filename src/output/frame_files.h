/* Frames to disk: one moment of the particles, or a whole run of them.
 *
 * Job:    rn_frame -> VTK XML (.vtp, listed by a .pvd), PLY, HDF5.
 * Input:  a frame; its attributes with RN_ATTRIBUTE_IN_FILES are written, in their order. Borrowed.
 * Output: files that appear whole or not at all (written beside, synced, renamed), in the order of the
 *         particles in memory; the id identifies a particle. Memory use does not grow with the particles.
 * Errors: RN_ERROR_FILE with the path and the system's message; existing files survive a failure.
 * Next:   vtp.c, ply_frame.c, h5.h; series.h (a frame in every format that a run asks for);
 *         checkpoint.h (from which a run continues); vtp_read.h, frame_read.h (our files read back).
 */
#ifndef RNI_OUTPUT_FRAME_FILES_H
#define RNI_OUTPUT_FRAME_FILES_H

#include <runnel/frame.h>

#define RNI_FRAME_PIECE 4096u /* rows that writers take at a time */

/* The attributes that files hold; the first is the position, also in a frame without attributes. */
uint32_t rni_file_attributes(const rn_frame *frame,
                             const rn_attribute *list[RN_FRAME_MAX_ATTRIBUTES]);

/* PolyData with a vertex for each particle, so that viewers show them; appended raw data. */
rn_result rni_vtp_write(const char *path, const rn_frame *frame);
/* vtp_solids.c: the meshes of a frame where their poses put them; `solid` is the pose of each triangle. */
rn_result rni_vtp_write_solids(const char *path, const rn_frame *frame);
/* Binary: x y z vx vy vz density pressure id age, then others by name (vectors as NAME_x NAME_y NAME_z). */
rn_result rni_ply_frame_write(const char *path, const rn_frame *frame);

#endif
