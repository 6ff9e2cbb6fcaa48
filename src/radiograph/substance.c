#include "radiograph/substance.h"
#include "radiograph/compound.h"

#include "base/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SULPHATE 4490.0 /* kg/m^3 */
#define WATER    998.2

/* Compounds as xraylib names them: formulas, or entries of its table of materials (ICRU and ICRP mixtures). */
static const struct {
    const char *name, *compound;
    double density; /* kg/m^3 */
} TABLE[] = {
    {"water", "H2O", WATER},
    {"soft-tissue", "Tissue, Soft (ICRP)", 1030},
    {"fat", "Adipose Tissue (ICRP)", 950},
    {"bone", "Bone, Cortical (ICRP)", 1850},
    {"spongiosa", "Bone, Compact (ICRU)", 1180},
    {"air", "Air, Dry (near sea level)", 1.205},
    {"plastic", "C5H8O2", 1180}, /* PMMA */
    {"glass", "Glass, Borosilicate (Pyrex)", 2230},
    {"aluminium", "Al", 2699},
    {"copper", "Cu", 8960},
    {"steel", "Fe", 7874},
    {"tungsten", "W", 19300},
    {"caesium-iodide", "CsI", 4510},
    {"barium-sulphate", "BaSO4", SULPHATE},
};
#define COUNT (sizeof TABLE / sizeof *TABLE)

const char *rni_substance_name(uint32_t place)
{
    return place < COUNT ? TABLE[place].name : place == COUNT ? "barium-60" : NULL;
}

/* Adds a compound of so many kg per m^3. False: xraylib does not know it. */
static bool add_compound(const char *text, double density, float *attenuation)
{
    rni_compound compound;
    if (!rni_compound_find(text, &compound)) return false;
    for (uint32_t e = 1; e < RN_XRAY_ENERGIES; e++) {
        const double mass = rni_compound_attenuation(&compound, e + 0.5);
        if (mass < 0) return false;
        attenuation[e] += (float)(mass * density);
    }
    attenuation[0] = attenuation[1]; /* no tube makes such photons */
    return true;
}

static rn_result make_suspension(const char *name, rni_substance *s)
{
    char *end = NULL;
    const double percent = isdigit((unsigned char)name[7]) ? strtod(name + 7, &end) : 0;
    if (!end || *end || !(percent >= 1 && percent <= 250))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "'%.40s' is no barium suspension; write barium-60 for 60 g in 100 ml, from 1 to "
                        "250",
                        name);
    const double barium = 10 * percent, water = WATER * (1 - barium / SULPHATE);
    s->density = barium + water;
    if (!add_compound("BaSO4", barium, s->attenuation) || !add_compound("H2O", water, s->attenuation))
        return rni_fail(RN_ERROR_ARGUMENT, "xraylib has no tables of barium sulphate and water");
    return RN_OK;
}

static rn_result make_formula(const char *name, const char *at, rni_substance *s)
{
    char formula[64], *end = NULL;
    const size_t length = (size_t)(at - name);
    s->density = strtod(at + 1, &end);
    if (length == 0 || length >= sizeof formula || end == at + 1 || *end ||
        !(s->density > 0 && s->density <= 3e4))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "'%.60s': write FORMULA@DENSITY with kg/m^3, such as SiO2@2200", name);
    memcpy(formula, name, length);
    formula[length] = 0;
    if (!add_compound(formula, s->density, s->attenuation))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "'%s' is no compound that xraylib knows; write a formula such as SiO2, or a "
                        "name of its table of materials",
                        formula);
    return RN_OK;
}

rn_result rni_substance_make(const char *name, rni_substance *s)
{
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    for (size_t k = 0; k < COUNT; k++)
        if (strcmp(name, TABLE[k].name) == 0) {
            s->density = TABLE[k].density;
            if (add_compound(TABLE[k].compound, TABLE[k].density, s->attenuation)) return RN_OK;
            return rni_fail(RN_ERROR_ARGUMENT, "xraylib has no table of %s", TABLE[k].compound);
        }
    if (strncmp(name, "barium-", 7) == 0) return make_suspension(name, s);
    const char *at = strrchr(name, '@');
    if (at) return make_formula(name, at, s);
    char names[320] = "";
    for (uint32_t k = 0; rni_substance_name(k); k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                 rni_substance_name(k));
    return rni_fail(RN_ERROR_ARGUMENT,
                    "there is no substance '%.40s'; there are %s, or FORMULA@DENSITY", name, names);
}

void rni_air_kerma(float table[RN_XRAY_ENERGIES])
{
    rni_compound air;
    const bool is_there = rni_compound_find("Air, Dry (near sea level)", &air);
    table[0] = 0;
    for (uint32_t e = 1; e < RN_XRAY_ENERGIES; e++) {
        const double mass = is_there ? rni_compound_absorption(&air, e + 0.5) : 0;
        table[e] = (float)(mass > 0 ? mass : 0);
    }
}
