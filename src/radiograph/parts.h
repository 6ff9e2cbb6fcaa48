/* What the files of a radiograph share. */
#ifndef RNI_RADIOGRAPH_PARTS_H
#define RNI_RADIOGRAPH_PARTS_H

#include "files/volume_file.h"
#include "radiograph/body.h"
#include "radiograph/radiograph.h"
#include "radiograph/substance.h"

/* Substances: first those of the picture, then those of tube and detector. */
enum {
    RNI_GAS,
    RNI_FLUID,
    RNI_WALL,
    RNI_FAT,
    RNI_TISSUE,
    RNI_SPONGIOSA,
    RNI_BONE,
    RNI_PICTURED,
    RNI_ALUMINIUM = RNI_PICTURED,
    RNI_COPPER,
    RNI_TUNGSTEN,
    RNI_SCREEN,
    RNI_MATERIALS
};

struct rni_radiograph {
    rni_radiograph_def def;
    rni_substance substance[RNI_MATERIALS];
    float photons[RN_XRAY_ENERGIES], absorbed[RN_XRAY_ENERGIES], kerma[RN_XRAY_ENERGIES];
    rn_xray *xray;
    rni_body body;
    bool has_body;
    rni_volume_file volume;
    rn_xray_view view; /* of the last picture, as the rest */
    rn_xray_picture picture;
    rn_xray_display display, shown; /* as wanted, with the collimator; and with the window used */
    bool is_taken;
    uint16_t *gray;
    size_t gray_count;
    float *film; /* m, by vertex */
    uint32_t film_count;
};

#endif
