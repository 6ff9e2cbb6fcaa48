/* Messages of clients are believed only when every value is what it should be. */
#include "fact.h"

#include "base/random.h"
#include "view/message.h"

#include <stdlib.h>
#include <string.h>

static rn_result read_text(const char *text, rni_view_order *order)
{
    return rni_view_order_read(text, strlen(text), order);
}

static void good_messages_are_read(void **state)
{
    (void)state;
    rni_view_order o;
    assert_int_equal(read_text("{\"type\": \"start\"}", &o), RN_OK);
    assert_int_equal(o.verb, RNI_VERB_START);
    assert_int_equal(
        read_text("{\"type\": \"want\", \"attributes\": [\"speed\", \"id\"], \"rate\": 60}", &o),
        RN_OK);
    assert_int_equal(o.wish.attribute_count, 2);
    assert_string_equal(o.wish.attribute[0], "speed");
    assert_string_equal(o.wish.attribute[1], "id");
    assert_true(o.wish.rate == 60 && o.wish.window == -1);
    assert_int_equal(read_text("{\"type\": \"want\"}", &o), RN_OK);
    assert_int_equal(o.wish.attribute_count, -1);
    assert_int_equal(read_text("{\"type\": \"force\", \"position\": [1, 2, 3], \"radius\": 0.5, "
                               "\"direction\": [0, -4, 0]}",
                               &o),
                     RN_OK);
    assert_true(o.position[2] == 3 && o.radius == 0.5f && o.direction[1] == -4 && !o.is_off);
    assert_int_equal(
        read_text("{\"type\": \"set\", \"path\": \"gravity\", \"value\": [0, -1, 0]}", &o), RN_OK);
    assert_string_equal(o.settings[0], "gravity=[0,-1,0]");
    rni_view_order_release(&o);
    assert_int_equal(read_text("{\"type\": \"open\", \"scene\": {\"a\": 1}, \"set\": "
                               "{\"fluid.tension\": \"akinci\", \"x\": 1.5}}",
                               &o),
                     RN_OK);
    assert_int_equal(o.setting_count, 2);
    assert_non_null(o.scene);
    rni_view_order_release(&o);
}

static void bad_messages_are_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "",
        "{",
        "[]",
        "null",
        "1",
        "\"start\"",
        "{}",
        "{\"type\": 1}",
        "{\"type\": \"fly\"}",
        "{\"type\": \"start\", \"type\": \"pause\"}",
        "{\"type\": \"speed\"}",
        "{\"type\": \"speed\", \"speed\": NaN}",
        "{\"type\": \"speed\", \"speed\": 1e999}",
        "{\"type\": \"speed\", \"speed\": -1}",
        "{\"type\": \"speed\", \"speed\": \"1\"}",
        "{\"type\": \"want\", \"rate\": 61}",
        "{\"type\": \"want\", \"attributes\": \"density\"}",
        "{\"type\": \"want\", \"attributes\": [1]}",
        "{\"type\": \"want\", \"attributes\": [\"\"]}",
        "{\"type\": \"want\", \"attributes\": [\"a\\u0000b\"]}",
        "{\"type\": \"want\", \"attributes\": [\"a name of more than 23 bytes\"]}",
        "{\"type\": \"want\", \"window\": 9}",
        "{\"type\": \"force\", \"position\": [1, 2], \"radius\": 0}",
        "{\"type\": \"force\", \"position\": [1], \"radius\": 1}",
        "{\"type\": \"force\", \"position\": [1, 2, 3, 4], \"radius\": 1}",
        "{\"type\": \"force\", \"position\": [1, 2, 1e300], \"radius\": 1}",
        "{\"type\": \"force\", \"position\": [1, 2, null], \"radius\": 1}",
        "{\"type\": \"force\", \"off\": 1}",
        "{\"type\": \"pour\", \"position\": [0, 0], \"direction\": [0, 0], \"radius\": 1}",
        "{\"type\": \"pick\", \"id\": 1.5}",
        "{\"type\": \"pick\", \"id\": -1}",
        "{\"type\": \"set\", \"path\": \"\", \"value\": 1}",
        "{\"type\": \"set\", \"path\": \"a=b\", \"value\": 1}",
        "{\"type\": \"set\", \"path\": \"a\"}",
        "{\"type\": \"open\"}",
        "{\"type\": \"open\", \"scene\": []}",
        "{\"type\": \"open\", \"name\": \"drop\", \"set\": []}",
        "{\"type\": \"save\", \"name\": \"a\"}",
        "{\"type\": \"save\", \"name\": \"a\", \"kind\": \"b\"}",
        "{\"type\": \"save\", \"name\": \"../a\", \"kind\": \"scene\"}",
        "{\"type\": \"save\", \"name\": \".a\", \"kind\": \"scene\"}",
        "{\"type\": \"load\", \"name\": \"a/b\"}",
        "{\"type\": \"load\", \"name\": \"a\\\\b\"}",
        "{\"type\": \"load\", \"name\": \"a\\u0000b\"}",
        "{\"type\": \"load\", \"name\": \"a\\nb\"}",
        "\xff\xfe",
        "{\"type\": \"\xc3\x28\"}"};
    for (size_t k = 0; k < sizeof BAD / sizeof *BAD; k++) {
        rni_view_order o;
        if (read_text(BAD[k], &o) == RN_OK) fail_msg("taken: %s", BAD[k]);
        assert_true(strlen(rn_last_error()) > 5);
        assert_null(o.settings);
        assert_null(o.scene);
    }
}

static void deep_and_long_messages_end(void **state)
{
    (void)state;
    const size_t size = 1 << 20;
    char *text = malloc(size);
    rni_view_order o;
    memset(text, '[', size);
    assert_int_equal(rni_view_order_read(text, size, &o), RN_ERROR_ARGUMENT);
    memset(text, '1', size);
    assert_int_equal(rni_view_order_read(text, size, &o), RN_ERROR_ARGUMENT);
    free(text);
}

static void random_bytes_are_refused(void **state)
{
    (void)state;
    rni_random random = rni_random_make(7);
    const char *const seed = "{\"type\": \"force\", \"position\": [1, 2, 3], \"radius\": 0.5}";
    char text[128];
    for (uint32_t round = 0; round < 20000; round++) {
        size_t bytes = strlen(seed);
        memcpy(text, seed, bytes);
        for (uint32_t k = 0; k < 3; k++)
            text[rni_random_below(&random, (uint32_t)bytes)] = (char)rni_random_below(&random, 256);
        rni_view_order o;
        if (rni_view_order_read(text, bytes, &o) == RN_OK) rni_view_order_release(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_messages_are_read),
        cmocka_unit_test(bad_messages_are_refused),
        cmocka_unit_test(deep_and_long_messages_end),
        cmocka_unit_test(random_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
