/* Files beside a radiograph: transmitted energy, and notes with the keywords of DICOM. */
#include "radiograph/parts.h"

#include "base/error.h"
#include "files/json.h"
#include "files/npy_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

rn_result rni_radiograph_write_raw(const rni_radiograph *r, const char *path)
{
    rni_out_file out;
    if (!r->is_taken) return rni_fail(RN_ERROR_ARGUMENT, "%s: there is no radiograph yet", path);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    rni_npy_header_write(&out, "f4", r->picture.height, r->picture.width);
    rni_out_file_put(&out, r->picture.energy,
                     (size_t)r->picture.width * r->picture.height * sizeof(float));
    return rni_out_file_close(&out);
}

static void put_geometry(rni_json *json, const rni_radiograph *r)
{
    const rn_xray_view *v = &r->view;
    /* DICOM: from row to row, then from column to column. */
    const double pitch[2] = {(double)v->detector_mm[1] / v->height,
                             (double)v->detector_mm[0] / v->width};
    const double center[3] = {(double)v->center[0], (double)v->center[1], (double)v->center[2]};
    const double way[3] = {(double)v->direction[0], (double)v->direction[1], (double)v->direction[2]};
    rni_json_number(json, "DistanceSourceToDetector", (double)v->source_image_mm);
    rni_json_number(json, "DistanceSourceToPatient", (double)v->source_object_mm);
    rni_json_number(json, "EstimatedRadiographicMagnificationFactor",
                    (double)(v->source_image_mm / v->source_object_mm));
    rni_json_floats(json, "ImagerPixelSpacing", pitch, 2);
    rni_json_floats(json, "CentralRayPoint", center, 3);
    rni_json_floats(json, "CentralRayDirection", way, 3);
}

static void put_exposure(rni_json *json, const rni_radiograph *r)
{
    const double filters[2] = {(double)r->def.aluminium_mm, (double)r->def.copper_mm};
    rni_json_number(json, "KVP", (double)r->def.kvp);
    rni_json_text(json, "AnodeTargetMaterial", "TUNGSTEN");
    rni_json_text(json, "FilterMaterial", "ALUMINUM\\COPPER");
    rni_json_floats(json, "FilterThicknessMaximum", filters, 2);
    rni_json_text(json, "DetectorType", "SCINTILLATOR");
    rni_json_number(json, "DetectorAirKermaNanogray", r->picture.kerma);
    rni_json_number(json, "EffectiveQuantaPerPixel", r->picture.quanta);
    rni_json_number(json, "OpenBeamEnergy", r->picture.open_energy);
    rni_json_text(json, "RawUnits", "J/m^2, unscattered, at the detector");
    rni_json_whole(json, "RaysThatDoNotMatch", r->picture.odd_rays);
}

static void put_substances(rni_json *json, const rni_radiograph *r)
{
    rni_json_key(json, "Substances");
    rni_json list = rni_json_begin(json->file);
    for (uint32_t k = 0; k < RNI_PICTURED; k++)
        if (rn_xray_get_length(r->xray, k))
            rni_json_number(&list, r->substance[k].name, r->substance[k].density);
    rni_json_end(&list);
}

static void put_notes(FILE *file, const rni_radiograph *r)
{
    rni_json json = rni_json_begin(file);
    rni_json_text(&json, "Modality", "RF");
    rni_json_text(&json, "Manufacturer", "Runnel");
    rni_json_text(&json, "SoftwareVersions", rn_version());
    rni_json_whole(&json, "Rows", r->picture.height);
    rni_json_whole(&json, "Columns", r->picture.width);
    rni_json_whole(&json, "BitsStored", 16);
    rni_json_text(&json, "PhotometricInterpretation", "MONOCHROME2");
    rni_json_text(&json, "PixelIntensityRelationship", "LOG");
    rni_json_number(&json, "PixelIntensityRelationshipSign", r->shown.is_dark_dense ? 1 : -1);
    rni_json_number(&json, "WindowCenter", (double)r->shown.level);
    rni_json_number(&json, "WindowWidth", (double)r->shown.window);
    put_geometry(&json, r);
    put_exposure(&json, r);
    put_substances(&json, r);
    rni_json_end(&json);
    fputc('\n', file);
}

rn_result rni_radiograph_write_notes(const rni_radiograph *r, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    if (!r->is_taken) return rni_fail(RN_ERROR_ARGUMENT, "%s: there is no radiograph yet", path);
    FILE *memory = open_memstream(&text, &length);
    if (!memory) return rni_fail(RN_ERROR_MEMORY, "%s: %s", path, strerror(errno));
    put_notes(memory, r);
    const bool is_whole = fclose(memory) == 0;
    rni_out_file out;
    rn_result result =
        is_whole ? rni_out_file_open(path, &out) : rni_fail(RN_ERROR_MEMORY, "%s: no memory", path);
    if (result == RN_OK) {
        rni_out_file_put(&out, text, length);
        result = rni_out_file_close(&out);
    }
    free(text);
    return result;
}
