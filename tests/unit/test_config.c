#include "common/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suites.h"

struct spot {
    double x;
    int64_t skin;
};

struct settings {
    int64_t port;
    char *name;
    char *password;
    bool accounts;
    int64_t level;
    double rate;
    struct spot *spots;
    size_t spots_count;
    char **keys;
    size_t keys_count;
};

static const char *const levels[] = { "debug", "info", NULL };

static const struct config_option spot_options[] = {
    { .key = "x",
      .type = CONFIG_REAL,
      .offset = offsetof(struct spot, x),
      .min = -6000,
      .max = 6000,
      .doc = "m" },
    { .key = "skin",
      .type = CONFIG_INT,
      .offset = offsetof(struct spot, skin),
      .standard = "7",
      .max = 311,
      .doc = "" },
    { .key = NULL },
};

static const struct config_option key_options[] = {
    { .key = "", .type = CONFIG_TEXT, .min = 2, .max = 4, .doc = "" },
    { .key = NULL },
};

static const struct config_option options[] = {
    { .key = "udp.port",
      .type = CONFIG_INT,
      .offset = offsetof(struct settings, port),
      .standard = "7777",
      .min = 1,
      .max = 65535,
      .doc = "where clients connect" },
    { .key = "udp.rate",
      .type = CONFIG_REAL,
      .offset = offsetof(struct settings, rate),
      .standard = "0.5",
      .max = 1,
      .doc = "share" },
    { .key = "name",
      .type = CONFIG_TEXT,
      .offset = offsetof(struct settings, name),
      .min = 1,
      .max = 8,
      .doc = "the process" },
    { .key = "password",
      .type = CONFIG_SECRET,
      .offset = offsetof(struct settings, password),
      .standard = "",
      .max = 63,
      .doc = "of the server" },
    { .key = "accounts",
      .type = CONFIG_BOOL,
      .offset = offsetof(struct settings, accounts),
      .standard = "false",
      .doc = "" },
    { .key = "log.level",
      .type = CONFIG_CHOICE,
      .offset = offsetof(struct settings, level),
      .standard = "info",
      .choices = levels,
      .doc = "the least that is written" },
    { .key = "spots",
      .type = CONFIG_LIST,
      .offset = offsetof(struct settings, spots),
      .standard = "",
      .max = 2,
      .item = spot_options,
      .item_size = sizeof(struct spot),
      .count_offset = offsetof(struct settings, spots_count),
      .doc = "where players start" },
    { .key = "keys",
      .type = CONFIG_LIST,
      .offset = offsetof(struct settings, keys),
      .standard = "",
      .max = 3,
      .item = key_options,
      .item_size = sizeof(char *),
      .count_offset = offsetof(struct settings, keys_count),
      .doc = "" },
    { .key = NULL },
};

static const struct config_spec spec = { "gateway", options };

static struct settings settings;
static struct config *config;
static char path[] = "/tmp/dlmp-config-XXXXXX";
static char errors[4096];

/* Loads a file of this text with these variables; what is complained of ends up in `errors`. */
static bool load(const char *text, char *const *environment)
{
    FILE *out = fmemopen(errors, sizeof errors, "w");
    char name[sizeof path];
    int fd;

    memcpy(name, path, sizeof name);
    fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
    memset(&settings, 0, sizeof settings);
    config_free(&config);
    config = config_load(&spec, name, environment, &settings, out);
    (void)fclose(out);
    (void)unlink(name);
    return config != NULL;
}

static char *const nothing[] = { NULL };

static void teardown(void)
{
    config_free(&config);
}

START_TEST(what_is_not_set_has_its_default)
{
    ck_assert(load("name: g1\n", nothing));
    ck_assert_int_eq(settings.port, 7777);
    ck_assert_double_eq(settings.rate, 0.5);
    ck_assert_str_eq(settings.password, "");
    ck_assert_int_eq(settings.level, 1);
    ck_assert_uint_eq(settings.spots_count, 0);
}
END_TEST

START_TEST(the_file_sets_values_in_sections)
{
    ck_assert(load("name: g1\nudp:\n  port: 9\nlog: {level: debug}\naccounts: true\n", nothing));
    ck_assert_int_eq(settings.port, 9);
    ck_assert_int_eq(settings.level, 0);
    ck_assert(settings.accounts);
}
END_TEST

START_TEST(the_environment_goes_over_the_file)
{
    char *const environment[] = { "DLMP_GATEWAY_UDP_PORT=11", "DLMP_SHARD_UDP_PORT=x", "PATH=/bin", NULL };

    ck_assert(load("name: g1\nudp:\n  port: 9\n", environment));
    ck_assert_int_eq(settings.port, 11);
}
END_TEST

START_TEST(a_list_has_items_with_keys_and_defaults)
{
    ck_assert(load("name: g1\nspots:\n  - {x: 1.5, skin: 3}\n  - x: -2\nkeys: [ab, cdef]\n", nothing));
    ck_assert_uint_eq(settings.spots_count, 2);
    ck_assert_double_eq(settings.spots[0].x, 1.5);
    ck_assert_int_eq(settings.spots[1].skin, 7);
    ck_assert_uint_eq(settings.keys_count, 2);
    ck_assert_str_eq(settings.keys[1], "cdef");
}
END_TEST

/* Each row is refused with a line that has all three: place, key and what was expected. */
static const struct refusal {
    const char *text;
    const char *says;
} refusals[] = {
    { "name: g1\nudp:\n  prot: 1\n", ":3: udp.prot: unknown key" },
    { "name: g1\nname: g2\n", ":2: name: is given twice" },
    { "name: g1\nudp:\n  port: 0\n", ":3: udp.port: expected a whole number 1..=65535, got \"0\"" },
    { "name: g1\nudp:\n  port: 65536\n", "udp.port: expected a whole number" },
    { "name: g1\nudp:\n  port: 7.5\n", "udp.port: expected a whole number" },
    { "name: g1\nudp:\n  port: 99999999999999999999\n", "udp.port: expected a whole number" },
    { "name: g1\nudp:\n  port: [1]\n", "udp.port: expected a single value" },
    { "name: g1\nudp:\n  rate: .nan\n", "udp.rate: expected a number" },
    { "name: g1\nudp:\n  rate: nan\n", "udp.rate: expected a number" },
    { "name: g1\nudp:\n  rate: 1.01\n", "udp.rate: expected a number 0..=1" },
    { "name: g1\nudp: 7\n", ":2: udp: is a section" },
    { "udp:\n  port: 1\n", "name: missing: it has no default" },
    { "name: g12345678\n", "name: expected a text of 1..=8 bytes" },
    { "name: \"a\\tb\"\n", "name: expected a text of 1..=8 bytes without control characters" },
    { "name: \"a\\0b\"\n", "name: has a zero byte" },
    { "name: g1\naccounts: yes\n", "accounts: expected true or false" },
    { "name: g1\nlog:\n  level: loud\n", "log.level: got \"loud\", expected one of" },
    { "name: g1\nspots: 1\n", "spots: expected a list" },
    { "name: g1\nspots: [{x: 1}, {x: 2}, {x: 3}]\n", "spots: has 3 items, expected 0..=2" },
    { "name: g1\nspots:\n  - skin: 1\n", ":3: spots.x: missing" },
    { "name: g1\nspots:\n  - {x: 1, y: 2}\n", ":3: spots.y: unknown key" },
    { "name: g1\nspots:\n  - {x: 1, x: 2}\n", ":3: spots.x: is given twice" },
    { "name: g1\nspots:\n  - {x: 6001}\n", "spots.x: expected a number" },
    { "name: g1\nspots:\n  - 5\n", "spots: expected an item with keys" },
    { "name: g1\nkeys: [a]\n", "keys: expected a text of 2..=4 bytes" },
    { "- name\n", "expected keys with values" },
    { "name: [\n", "no YAML" },
};

START_TEST(a_wrong_file_is_refused_with_line_and_key)
{
    const struct refusal *row = &refusals[_i];

    ck_assert_msg(!load(row->text, nothing), "accepted: %s", row->text);
    ck_assert_msg(strstr(errors, row->says) != NULL, "expected \"%s\" in \"%s\"", row->says, errors);
}
END_TEST

START_TEST(all_faults_are_told_at_once)
{
    ck_assert(!load("name: g1\nudp:\n  port: 0\n  rate: 2\n", nothing));
    ck_assert_ptr_nonnull(strstr(errors, "udp.port"));
    ck_assert_ptr_nonnull(strstr(errors, "udp.rate"));
}
END_TEST

START_TEST(an_unknown_variable_of_the_process_is_an_error)
{
    char *const environment[] = { "DLMP_GATEWAY_UDP_PROT=1", NULL };

    ck_assert(!load("name: g1\n", environment));
    ck_assert_ptr_nonnull(strstr(errors, "DLMP_GATEWAY_UDP_PROT: unknown variable"));
}
END_TEST

START_TEST(a_file_that_is_not_there_is_named)
{
    FILE *out = fmemopen(errors, sizeof errors, "w");

    config = config_load(&spec, "/nowhere/gateway.yaml", nothing, &settings, out);
    (void)fclose(out);
    ck_assert_ptr_null(config);
    ck_assert_ptr_nonnull(strstr(errors, "/nowhere/gateway.yaml: cannot be opened: No such file"));
}
END_TEST

START_TEST(the_printout_tells_where_each_value_came_from)
{
    char *const environment[] = { "DLMP_GATEWAY_ACCOUNTS=true", "DLMP_GATEWAY_PASSWORD=hush", NULL };
    char printed[2048] = "";
    FILE *out = fmemopen(printed, sizeof printed, "w");

    ck_assert(load("name: g1\nudp:\n  port: 9\n", environment));
    config_print(config, &settings, out);
    (void)fclose(out);
    ck_assert_ptr_nonnull(strstr(printed, ":3\nudp.rate: 0.5  # default"));
    ck_assert_ptr_nonnull(strstr(printed, "accounts: true  # DLMP_GATEWAY_ACCOUNTS"));
    ck_assert_ptr_nonnull(strstr(printed, "password: (set)"));
    ck_assert_ptr_null(strstr(printed, "hush"));
}
END_TEST

START_TEST(the_example_file_loads)
{
    char example[2048] = "";
    FILE *out = fmemopen(example, sizeof example, "w");
    char *const environment[] = { "DLMP_GATEWAY_NAME=g1", NULL };

    config_print_example(&spec, out);
    (void)fclose(out);
    ck_assert_msg(load(example, environment), "%s%s", example, errors);
}
END_TEST

Suite *config_suite(void)
{
    Suite *suite = suite_create("config");
    TCase *cases = tcase_create("config");

    tcase_add_checked_fixture(cases, NULL, teardown);
    tcase_add_test(cases, what_is_not_set_has_its_default);
    tcase_add_test(cases, the_file_sets_values_in_sections);
    tcase_add_test(cases, the_environment_goes_over_the_file);
    tcase_add_test(cases, a_list_has_items_with_keys_and_defaults);
    tcase_add_loop_test(cases, a_wrong_file_is_refused_with_line_and_key, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(cases, all_faults_are_told_at_once);
    tcase_add_test(cases, an_unknown_variable_of_the_process_is_an_error);
    tcase_add_test(cases, a_file_that_is_not_there_is_named);
    tcase_add_test(cases, the_printout_tells_where_each_value_came_from);
    tcase_add_test(cases, the_example_file_loads);
    suite_add_tcase(suite, cases);
    return suite;
}
