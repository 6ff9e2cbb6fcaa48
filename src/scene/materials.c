/* The table of materials. Every number has a published source; where sources disagree, the rounder value is taken.
 * Barium suspensions: volume fraction from the mass of barium sulfate per volume, density of the mixture, viscosity of
 * hard spheres in water by Krieger and Dougherty 1959 with a largest fraction of 0.64 and the exponent 1.6; commercial
 * ones contain thickeners, and are thicker. Spheres that touch do not flow: 250 % w/v, a share of 0.56, is the
 * limit. */
#include "scene/materials.h"

#include "fluid/phases.h"
#include "scene/parameters.h"

#include <math.h>
#include <string.h>

#define WHITE "White 2011, Fluid Mechanics, table A.3"
#define CRC   "CRC Handbook of Chemistry and Physics"
#define MERCK "Merck Index"
#define BOARD "National Honey Board, honey: technical fact sheet"
#define BARIUM \
    "mixture of water and barium sulfate, 4490 kg/m^3 (CRC Handbook of Chemistry and Physics)"
#define KRIEGER "Krieger and Dougherty 1959, hard spheres in water; without thickener"
#define GELEST  "Gelest, data sheet of DMS-T31"

#define NEWTONIAN(density, viscosity, tension) \
    (density), RN_LAW_NEWTONIAN, (viscosity), 1, 0, 0, 0, (tension)
/* By the share of barium sulfate in the volume and by what it does to the viscosity of water. */
#define SUSPENSION(share, times) \
    NEWTONIAN(998.2f + (share) * (4490.0f - 998.2f), 1.002e-3f * (times), 0)

#define SUSPENDED "barium-suspension"

static const rni_material table[] = {
    {"none", "values as given", NEWTONIAN(0, 0, 0), {"", "", ""}},
    {"water", "water, 20 C", NEWTONIAN(998.2f, 1.002e-3f, 0.0728f), {CRC, CRC, CRC}},
    {"sea-water",
     "sea water, 35 g/kg, 20 C",
     NEWTONIAN(1024.9f, 1.077e-3f, 0.0738f),
     {"Sharqawy et al. 2010", "Sharqawy et al. 2010", "Nayar et al. 2014"}},
    {"mercury", "mercury, 20 C", NEWTONIAN(13550, 1.56e-3f, 0.484f), {WHITE, WHITE, WHITE}},
    {"olive-oil",
     "olive oil, 20 C",
     NEWTONIAN(914, 0.084f, 0.032f),
     {MERCK ", 0.909 to 0.919 between 25 and 15 C", CRC, "Sahasrabudhe et al. 2017"}},
    {"motor-oil",
     "motor oil SAE 30, 20 C",
     NEWTONIAN(891, 0.29f, 0.035f),
     {"White 2011, Fluid Mechanics, table 1.4", "White 2011, Fluid Mechanics, table 1.4", WHITE}},
    {"castor-oil",
     "castor oil, 20 C",
     NEWTONIAN(960, 0.986f, 0.039f),
     {MERCK ", 0.961 at 15.5 C", CRC, MERCK}},
    {"silicone-oil",
     "silicone oil, 1000 mm^2/s, 25 C",
     NEWTONIAN(971, 0.971f, 0.0212f),
     {GELEST, GELEST, GELEST}},
    {"glycerine",
     "glycerine, 20 C",
     NEWTONIAN(1261, 1.41f, 0.0634f),
     {"Bosart and Snoddy 1928", "Segur and Oberstar 1951", CRC}},
    {"honey", "clover honey, 16 % water, 21 C", NEWTONIAN(1420, 18.96f, 0), {BOARD, BOARD, ""}},
    {"blood",
     "human blood, 37 C; tension at 22 C",
     1051,
     RN_LAW_CARREAU,
     0.056f,
     0.3568f,
     0.00345f,
     3.313f,
     0,
     0.0559f,
     {"Trudnowski and Rico 1974", "Cho and Kensey 1991, Carreau", "Hrncir and Rosina 1997"}},
    {"ketchup",
     "tomato ketchup, 25 C",
     1150,
     RN_LAW_BINGHAM,
     18.7f,
     0.27f,
     0,
     0,
     32,
     0,
     {"USDA FoodData Central, 17 g a tablespoon",
      "Higgs and Norrington 1971, in Steffe 1996, Herschel and Bulkley", ""}},
    {SUSPENDED,
     "barium suspension, by concentration",
     SUSPENSION(0.1336f, 1.4546f),
     {BARIUM, KRIEGER, ""}},
    {"barium-20", "barium suspension, 20 % w/v", SUSPENSION(0.0445f, 1.1223f), {BARIUM, KRIEGER, ""}},
    {"barium-40", "barium suspension, 40 % w/v", SUSPENSION(0.0891f, 1.2710f), {BARIUM, KRIEGER, ""}},
    {"barium-60", "barium suspension, 60 % w/v", SUSPENSION(0.1336f, 1.4546f), {BARIUM, KRIEGER, ""}},
    {"barium-100", "barium suspension, 100 % w/v", SUSPENSION(0.2227f, 1.9824f), {BARIUM, KRIEGER, ""}},
    {"barium-200", "barium suspension, 200 % w/v", SUSPENSION(0.4454f, 6.7202f), {BARIUM, KRIEGER, ""}},
};

const rni_material *rni_material_at(uint32_t place)
{
    return place < sizeof table / sizeof *table ? &table[place] : NULL;
}

bool rni_material_is_suspension(const rni_material *m)
{
    return strcmp(m->name, SUSPENDED) == 0;
}

rni_material rni_material_of(uint32_t place, float concentration)
{
    const double water = 998.2, barium = 4490, most = 0.64, exponent = 1.6;
    const rni_material *row = rni_material_at(place);
    rni_material m = row ? *row : table[0];
    if (!rni_material_is_suspension(&m) || !(concentration > 0)) return m;
    const double share = 10 * (double)concentration / barium; /* g in 100 ml are 10 kg in a m^3 */
    m.density = (float)(water + share * (barium - water));
    m.viscosity = (float)(1.002e-3 * pow(1 - share / most, -exponent));
    return m;
}

bool rni_phase_is_paste(const rn_fluid_phase *phase)
{
    return phase->viscosity_law != RN_LAW_NEWTONIAN || phase->viscosity >= 0.1f;
}

bool rni_material_is_paste(const rni_material *m)
{
    return m->law != RN_LAW_NEWTONIAN || m->viscosity >= 0.1f;
}

bool rni_material_has_tension(uint32_t place, float tension)
{
    const rni_material *m = rni_material_at(place);
    return m && m->tension > 0 && m->tension == tension;
}

/* A phase becomes that of a material; of none it stays. */
static void apply(uint32_t place, float concentration, rn_fluid_phase *p)
{
    const rni_material m = rni_material_of(place, concentration);
    if (!(m.density > 0)) return;
    p->rest_density = m.density;
    p->viscosity = m.viscosity;
    p->viscosity_law = m.law;
    p->flow_index = m.flow_index;
    p->viscosity_infinite = m.infinite;
    p->shear_time = m.shear_time;
    p->yield_stress = m.yield_stress;
    if (m.tension > 0) p->surface_tension = m.tension;
}

static void apply_to_single(uint32_t place, float concentration, rn_fluid_def *def)
{
    const rni_material m = rni_material_of(place, concentration);
    rn_fluid_phase phase = rni_phase_of(def);
    apply(place, concentration, &phase);
    def->rest_density = phase.rest_density;
    def->params = rni_phase_params(&phase, &def->params);
    if (m.density > 0 && rni_material_is_paste(&m))
        def->params.viscosity_solver = RN_SOLVER_IMPLICIT;
}

/* What differs between two objects of a table, and is in a third as in the first, becomes as in the second. */
static void follow(const rni_parameter *rows, uint32_t count, char *item, const char *from,
                   const char *to)
{
    for (const rni_parameter *p = rows; p < rows + count; p++)
        if (memcmp(from + p->offset, to + p->offset, p->bytes) != 0 &&
            memcmp(item + p->offset, from + p->offset, p->bytes) == 0)
            memcpy(item + p->offset, to + p->offset, p->bytes);
}

void rni_scene_set_material(rni_scene *scene, uint32_t material, float concentration)
{
    rni_scene from = rni_scene_default(), to = rni_scene_default();
    from.def = to.def = rn_fluid_def_of_preset(scene->preset);
    apply_to_single(scene->material, scene->concentration, &from.def);
    apply_to_single(material, concentration, &to.def);
    follow(rni_parameters, rni_parameter_count, (char *)scene, (const char *)&from,
           (const char *)&to);
    scene->material = material;
    scene->concentration = concentration;
}

void rni_fluid_follow(void *item, const void *before)
{
    const rni_scene_fluid *fluid = item, *last = before;
    rni_scene_fluid from = {.phase = rn_fluid_phase_default()}, to = from;
    apply(last->material, last->concentration, &from.phase);
    apply(fluid->material, fluid->concentration, &to.phase);
    const rni_parameter_list *list = rni_parameter_list_find("fluids", 6);
    follow(list->table, list->parameter_count, item, (const char *)&from, (const char *)&to);
}
