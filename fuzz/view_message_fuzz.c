/* Arbitrary bytes as a message from a viewer client. */
#include "view/message.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rni_view_order order;
    rn_result result = rni_view_order_read((const char *)data, size, &order);
    if (result != RN_OK && (order.scene || order.settings || order.setting_count)) abort();
    if (result == RN_OK && order.verb >= RNI_VERB_COUNT) abort();
    if (result == RN_OK && (order.verb == RNI_VERB_SAVE || order.verb == RNI_VERB_LOAD) &&
        rni_view_name_check(order.name) != RN_OK)
        abort();
    rni_view_order_release(&order);
    return 0;
}
