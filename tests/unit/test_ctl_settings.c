#include "ctl/settings.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "tests/unit/suites.h"

static struct settings settings;
static char *text;

static void setup(void)
{
    settings_init(&settings);
    text = NULL;
}

static void teardown(void)
{
    settings_fini(&settings);
    free(text);
}

static const char *print(void)
{
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(out);
    settings_print(&settings, out);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

START_TEST(keys_become_sections)
{
    ck_assert(settings_set(&settings, "udp.port", "7777"));
    ck_assert(settings_set(&settings, "name", "gateway-1"));
    ck_assert(settings_set(&settings, "limits.hello.rate", "10"));
    ck_assert(settings_set(&settings, "limits.hello_x", "1"));
    ck_assert(settings_set(&settings, "udp.address", "::1"));
    ck_assert(settings_set(&settings, "limits.hello.burst", "20"));
    ck_assert_str_eq(print(), "limits:\n"
                              "  hello:\n"
                              "    burst: 20\n"
                              "    rate: 10\n"
                              "  hello_x: 1\n"
                              "name: gateway-1\n"
                              "udp:\n"
                              "  address: \"::1\"\n"
                              "  port: 7777\n");
}
END_TEST

START_TEST(a_key_that_is_set_again_has_its_last_value)
{
    ck_assert(settings_set_to(&settings, "udp.port", "%d", 1));
    ck_assert(settings_set_to(&settings, "udp.port", "%d", 2));
    ck_assert_str_eq(print(), "udp:\n  port: 2\n");
}
END_TEST

START_TEST(a_list_stands_below_its_key)
{
    ck_assert(settings_set_list(&settings, "spawns", "  - { x: 1 }\n  - { x: 2 }\n"));
    ck_assert(settings_set_list(&settings, "vehicles", ""));
    ck_assert_str_eq(print(), "spawns:\n  - { x: 1 }\n  - { x: 2 }\nvehicles: []\n");
}
END_TEST

START_TEST(there_is_a_most_of_them)
{
    char key[16];

    for (int i = 0; i < SETTINGS_MAX; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        ck_assert(settings_set(&settings, key, "1"));
    }
    ck_assert(!settings_set(&settings, "one.more", "1"));
    ck_assert(settings_set(&settings, "key0", "2"));
}
END_TEST

START_TEST(a_key_has_a_longest)
{
    char key[SETTINGS_KEY_SIZE + 1];

    memset(key, 'x', sizeof key);
    key[SETTINGS_KEY_SIZE] = '\0';
    ck_assert(!settings_set(&settings, key, "1"));
    key[SETTINGS_KEY_SIZE - 1] = '\0';
    ck_assert(settings_set(&settings, key, "1"));
}
END_TEST

static const char *const texts[] = {
    "",     "plain", "-",     "-1",       "-1.5e3",   "--- x",        "- x",      "a: b",
    "a #b", "#a",    "\"q\"", "back\\n",  "tab\tend", "line\nbreak",  "\x01\x1F", "\xE2\x82\xAC",
    "{a}",  "[a]",   "*a",    "&a",       "!a",       "%a",           "@a",       "`a",
    "yes",  "null",  "~",     " leading", "'single'", "trailing ",    "a:",       "ipc:///tmp/x y/z.bus",
    "? a",  "| a",   "> a",   "...",      "---",      "0.0.0.0:7777", "a,b",      "\x7F",
};

START_TEST(any_text_reads_back_as_it_was)
{
    yaml_parser_t parser;
    yaml_document_t document;
    const yaml_node_t *value;

    ck_assert(settings_set(&settings, "key", texts[_i]));
    (void)print();
    ck_assert(yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    ck_assert_msg(yaml_parser_load(&parser, &document), "%s", text);
    value = yaml_document_get_node(&document,
                                   yaml_document_get_root_node(&document)->data.mapping.pairs.start->value);
    ck_assert_int_eq(value->type, YAML_SCALAR_NODE);
    ck_assert_str_eq((const char *)value->data.scalar.value, texts[_i]);
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
}
END_TEST

START_TEST(a_listing_has_the_keys_that_begin_its_lines)
{
    static const char listing[] = "udp.port: 7777  # default\nname: \"x.y: z\"  # file:2";

    ck_assert(settings_listing_has(listing, "udp.port"));
    ck_assert(settings_listing_has(listing, "name"));
    ck_assert(!settings_listing_has(listing, "udp"));
    ck_assert(!settings_listing_has(listing, "port"));
    ck_assert(!settings_listing_has(listing, "x.y"));
    ck_assert(!settings_listing_has(listing, ""));
    ck_assert(!settings_listing_has("", "name"));
}
END_TEST

Suite *ctl_settings_suite(void)
{
    Suite *suite = suite_create("ctl_settings");
    TCase *tcase = tcase_create("file");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, keys_become_sections);
    tcase_add_test(tcase, a_key_that_is_set_again_has_its_last_value);
    tcase_add_test(tcase, a_list_stands_below_its_key);
    tcase_add_test(tcase, there_is_a_most_of_them);
    tcase_add_test(tcase, a_key_has_a_longest);
    tcase_add_loop_test(tcase, any_text_reads_back_as_it_was, 0, sizeof texts / sizeof texts[0]);
    tcase_add_test(tcase, a_listing_has_the_keys_that_begin_its_lines);
    suite_add_tcase(suite, tcase);
    return suite;
}
