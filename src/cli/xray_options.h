/* Options of radiographs: tube, dose, geometry, substances, display. */
#ifndef RNI_CLI_XRAY_OPTIONS_H
#define RNI_CLI_XRAY_OPTIONS_H

#include "cli/command.h"
#include "radiograph/radiograph.h"

/* Rows of an option table. */
// clang-format off
#define RNI_OPTIONS_OF_XRAY \
    {"kvp", RNI_OPTION_NUMBER, "KV", "xray: voltage of the tube", "90", \
     "20 to 150 kV, e.g. --kvp 70", 20, 150, NULL}, \
    {"filter", RNI_OPTION_TEXT, "AL[,CU]", "xray: filters of the tube, mm of aluminium and copper", \
     "3", "millimetres, e.g. --filter 2.5,0.1", 0, 0, NULL}, \
    {"dose", RNI_OPTION_NUMBER, "NGY", \
     "xray: air kerma at the detector behind the object, which sets the noise; 0: none (default: a " \
     "frame of fluoroscopy)", NULL, \
     "nanogray, e.g. --dose 100", 0, 1e12, NULL}, \
    {"scatter", RNI_OPTION_NUMBER, "SHARE", "xray: scattered radiation, as a share of the primary", \
     "0.35", "0 to 10, e.g. --scatter 1", 0, 10, NULL}, \
    {"distance", RNI_OPTION_TEXT, "SID,SOD", \
     "xray: from the source to the detector and to the middle of the object, mm (default: " \
     "everything fits)", \
     NULL, "two lengths in mm, e.g. --distance 1100,850", 0, 0, NULL}, \
    {"detector", RNI_OPTION_NUMBER, "MM", \
     "xray: width of the detector, mm (default: everything fits)", NULL, \
     "millimetres, e.g. --detector 430", 1, 1e6, NULL}, \
    {"rays", RNI_OPTION_CHOICE, "FROM", "xray: where the source is", "front", \
     "a side, e.g. --rays left", 0, 0, rni_radiograph_rays_name}, \
    {"fluid", RNI_OPTION_TEXT, "NAME", \
     "xray: substance of the fluid: a name such as barium-60, or FORMULA@DENSITY (default: the " \
     "barium of the scene, otherwise water)", \
     NULL, "a substance, e.g. --fluid barium-100", 0, 0, NULL}, \
    {"solid", RNI_OPTION_TEXT, "NAME", "xray: substance of solids", "plastic", \
     "a substance, e.g. --solid steel", 0, 0, NULL}, \
    {"film", RNI_OPTION_NUMBER, "MM", \
     "xray: film of the fluid on all of a hollow wall (default: 0.25 mm where the wall is wet)", NULL, \
     "millimetres, e.g. --film 0.2", 0, 10, NULL}, \
    {"body", RNI_OPTION_CHOICE, "WHICH", \
     "xray: torso, spine and pelvis around a colon; auto: if there is one", "auto", \
     "a body, e.g. --body none", 0, 0, rni_radiograph_body_name}, \
    {"volume", RNI_OPTION_FILE, "FILE", "xray: CT numbers (MetaImage, NRRD) instead of a body", NULL, \
     "a file, e.g. --volume ct.mha", 0, 0, NULL}, \
    {"organ", RNI_OPTION_FILE, "FILE", "xray: mesh of a hollow organ around the fluid", NULL, \
     "a mesh, e.g. --organ colon.obj", 0, 0, NULL}, \
    {"window", RNI_OPTION_TEXT, "A:B", \
     "xray: densities that become black and white (default: nearly all)", NULL, \
     "two numbers, e.g. --window 2:6", 0, 0, NULL}, \
    {"dark", RNI_OPTION_FLAG, NULL, "xray: dense is dark", NULL, NULL, 0, 0, NULL}, \
    {"round", RNI_OPTION_FLAG, NULL, "xray: a round field, as of an image intensifier", NULL, NULL, 0, \
     0, NULL}, \
    {"raw", RNI_OPTION_FILE, "NPY", "xray: also the transmitted energy, J/m^2, of a still", NULL, \
     "a file, e.g. --raw energy.npy", 0, 0, NULL}
// clang-format on

/* Takes the options; on misuse a sentence is on stderr and the code is not RNI_EXIT_DONE. */
int rni_take_xray(const rni_arguments *arguments, rni_radiograph_def *def);

#endif
