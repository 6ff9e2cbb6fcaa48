#include "cli/command.h"

#include <runnel/broadphase.h>
#include <runnel/fluid.h>
#include <runnel/search.h>

/* The methods of the library, then "default", which stands for the library's own choice. */
const char *rni_choice_method(uint32_t place)
{
    const rn_search_method_info *info = rn_search_get_method_info(place);
    if (info) return info->name;
    return place > 0 && rn_search_get_method_info(place - 1) ? "default" : NULL;
}

const char *rni_choice_box_method(uint32_t place)
{
    const rn_broadphase_method_info *info = rn_broadphase_get_method_info(place);
    if (info) return info->name;
    return place > 0 && rn_broadphase_get_method_info(place - 1) ? "default" : NULL;
}

const char *rni_choice_cpu(uint32_t place)
{
    return place <= RN_CPU_AVX512 ? rn_cpu_level_name((rn_cpu_level)place) : NULL;
}

/* In the order of rn_list_order. */
const char *rni_choice_order(uint32_t place)
{
    static const char *const names[] = {"method", "index"};
    return place < 2 ? names[place] : NULL;
}

const char *rni_choice_dim(uint32_t place)
{
    static const char *const names[] = {"2", "3"};
    return place < 2 ? names[place] : NULL;
}

const char *rni_choice_preset(uint32_t place)
{
    return rn_fluid_choice_name(RN_CHOICE_PRESET, place);
}
