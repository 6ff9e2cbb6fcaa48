/* The speed of sound, from the water itself.
 *
 * Job:    where the definition gives no speed_expected, the fluid expects the speed that its water can reach:
 *         from the greatest energy (speed and height) of what was added, above the lowest place in the domain
 *         that is not solid. Sound speed and stiffness follow (derive.c).
 * Order:  whoever adds particles or pipes notes them here. Before the first step the speed is that of all the water
 *         there is; later it only rises, and rarely. The state has it.
 */
#ifndef RNI_FLUID_SOUND_H
#define RNI_FLUID_SOUND_H

#include "fluid/water.h"

/* Particles from `first` on are new. */
void rni_sound_note_particles(rn_fluid *fluid, uint32_t first);
/* After a step: water that pipes have poured may stand higher than they are. */
void rni_sound_watch(rn_fluid *fluid);
/* A pipe with its mouth at center pours at this speed (m / s). */
void rni_sound_note_stream(rn_fluid *fluid, const float center[3], double speed);
/* Something else moves water at this speed (m / s). */
void rni_sound_expect(rn_fluid *fluid, float speed);
/* The expected speed of a state (m / s). */
void rni_sound_restore(rn_fluid *fluid, float speed);

#endif
