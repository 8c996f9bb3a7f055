#include "coordinator/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suites.h"

static struct options options;
static struct config *config;
static char errors[8192];

/* Loads a file of this text, and checks it. */
static bool load(const char *text)
{
    static char *const nothing[] = { NULL };
    FILE *out = fmemopen(errors, sizeof errors, "w");
    char path[] = "/tmp/dlmp-options-XXXXXX";
    int fd = mkstemp(path);
    size_t wrong = 1;

    ck_assert_int_ge(fd, 0);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
    memset(&options, 0, sizeof options);
    config_free(&config);
    config = config_load(&coordinator_options, path, nothing, &options, out);
    if (config != NULL)
        wrong = coordinator_options_check(&options, out);
    (void)fclose(out);
    (void)unlink(path);
    return config != NULL && wrong == 0;
}

static void teardown(void)
{
    config_free(&config);
}

START_TEST(an_empty_file_is_a_whole_configuration)
{
    ck_assert_msg(load("{}\n"), "%s", errors);
    ck_assert_str_eq(options.process.name, "coordinator");
    ck_assert_int_eq(options.cluster.max_players, 1000);
    ck_assert_int_eq(options.cluster.heartbeat_ms, 100);
    ck_assert_int_eq(options.cluster.connections_per_address, 8);
    ck_assert(!options.cluster.require_account);
    ck_assert_str_eq(options.admin_listen, "127.0.0.1");
    ck_assert_str_eq(options.redis_prefix, "dlmp");
    ck_assert_uint_eq(options.spawns_count, 0);
}
END_TEST

/* Connection, "Rate limits". */
START_TEST(the_limits_are_those_of_the_page)
{
    static const struct page_row {
        const char *name;
        double rate;
        double burst;
    } rows[CLUSTER_LIMITS] = {
        { "datagrams", 400, 200 },    { "player_sync", 40, 20 },
        { "vehicle_frame", 125, 63 }, { "shots", 80, 40 },
        { "damage_report", 100, 50 }, { "reliable", 60, 60 },
        { "acks", 150, 150 },         { "hello", 10, 20 },
        { "query", 5, 10 },           { "challenges", 20000, 20000 },
        { "queries", 1000, 1000 },
    };

    ck_assert(load("{}\n"));
    for (size_t i = 0; i < CLUSTER_LIMITS; i++) {
        ck_assert_str_eq(cluster_limit_names[i], rows[i].name);
        ck_assert_double_eq(options.cluster.limits[i].rate, rows[i].rate);
        ck_assert_double_eq(options.cluster.limits[i].burst, rows[i].burst);
        ck_assert_int_eq(options.cluster.limits[i].mode, 0);
    }
}
END_TEST

START_TEST(each_limit_can_be_set)
{
    ck_assert(load("limits:\n  shots: {rate: 81.5, burst: 7, mode: observe}\n  queries: {mode: 'off'}\n"));
    ck_assert_double_eq(options.cluster.limits[3].rate, 81.5);
    ck_assert_double_eq(options.cluster.limits[3].burst, 7);
    ck_assert_int_eq(options.cluster.limits[3].mode, 1);
    ck_assert_int_eq(options.cluster.limits[10].mode, 2);
}
END_TEST

static Bus__ClusterSettings *message(struct outbox *outbox)
{
    outbox_init(outbox);
    return cluster_settings_message(&options.cluster, 7, outbox);
}

START_TEST(the_message_carries_what_the_file_says)
{
    struct outbox outbox;
    Bus__ClusterSettings *settings;

    ck_assert(load("server:\n"
                   "  name: Test\n"
                   "  password: secret\n"
                   "  max_players: 20\n"
                   "  rules: [{key: mode, value: race}]\n"
                   "auth:\n"
                   "  cluster_id: 5\n"
                   "  public_keys: [00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF]\n"
                   "limits: {acks: {mode: observe}}\n"));
    settings = message(&outbox);
    ck_assert_uint_eq(settings->revision, 7);
    ck_assert_str_eq(settings->server_name, "Test");
    ck_assert_str_eq(settings->password, "secret");
    ck_assert_uint_eq(settings->max_players, 20);
    ck_assert_uint_eq(settings->heartbeat_ms, 100);
    ck_assert_uint_eq(settings->cluster_id, 5);
    ck_assert_uint_eq(settings->n_public_keys, 1);
    ck_assert_uint_eq(settings->public_keys[0].len, 32);
    ck_assert_uint_eq(settings->public_keys[0].data[1], 0x11);
    ck_assert_uint_eq(settings->public_keys[0].data[31], 0xFF);
    ck_assert_uint_eq(settings->n_rules, 1);
    ck_assert_str_eq(settings->rules[0]->value, "race");
    ck_assert_uint_eq(settings->n_limits, CLUSTER_LIMITS);
    ck_assert_str_eq(settings->limits[6]->name, "acks");
    ck_assert_str_eq(settings->limits[6]->mode, "observe");
    ck_assert_double_eq(settings->limits[6]->rate, 150);
    ck_assert(protobuf_c_message_check(&settings->base));
    outbox_fini(&outbox);
}
END_TEST

START_TEST(spawns_are_read)
{
    ck_assert(load(
        "spawns:\n  - {x: 1.5, y: -2, z: 3, heading: 90, skin: 7, virtual_world: 4294967295, interior: 255}\n"
        "  - {x: 0, y: 0, z: 0}\n"));
    ck_assert_uint_eq(options.spawns_count, 2);
    ck_assert_double_eq(options.spawns[0].x, 1.5);
    ck_assert_int_eq(options.spawns[0].virtual_world, UINT32_MAX);
    ck_assert_int_eq(options.spawns[1].skin, 0);
}
END_TEST

/* Each is refused with the key. */
static const struct refusal {
    const char *text;
    const char *says;
} refusals[] = {
    { "server: {max_players: 0}\n", "server.max_players" },
    { "server: {max_players: 65536}\n", "server.max_players" },
    { "server: {heartbeat_ms: 19}\n", "server.heartbeat_ms" },
    { "server: {heartbeat_ms: 1001}\n", "server.heartbeat_ms" },
    { "server: {nmae: x}\n", "server.nmae: unknown key" },
    { "server: {password: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\n",
      "server.password" },
    { "server: {require_account: true}\n", "auth.public_keys" },
    { "auth: {public_keys: [abc]}\n", "auth.public_keys" },
    { "auth: {cluster_id: -1}\n", "auth.cluster_id" },
    { "allow_list: {entries: [10.0.0.0/33]}\n", "allow_list.entries" },
    { "limits: {shots: {rate: -1}}\n", "limits.shots.rate" },
    { "limits: {shots: {rate: .nan}}\n", "limits.shots.rate" },
    { "limits: {shots: {mode: maybe}}\n", "limits.shots.mode" },
    { "limits: {shoots: {rate: 1}}\n", "limits.shoots" },
    { "limits: {connections_per_address: 0}\n", "limits.connections_per_address" },
    { "cluster: {shards: 0}\n", "cluster.shards" },
    { "cluster: {shards: 257}\n", "cluster.shards" },
    { "spawns: [{x: 6001, y: 0, z: 0}]\n", "spawns.x" },
    { "spawns: [{x: .inf, y: 0, z: 0}]\n", "spawns.x" },
    { "spawns: [{x: 0, y: 0}]\n", "spawns.z" },
    { "spawns: [{x: 0, y: 0, z: 0, skin: 312}]\n", "spawns.skin" },
    { "admin: {listen: everywhere}\n", "admin.listen" },
    { "admin: {listen: 0.0.0.0}\n", "admin.open" },
    { "admin: {listen: '::'}\n", "admin.open" },
    { "admin: {listen: 192.168.1.1}\n", "admin.open" },
    { "name: a b\n", "name" },
    { "redis: {prefix: 'a b'}\n", "redis.prefix" },
    { "redis: {port: 0}\n", "redis.port" },
};

START_TEST(a_wrong_value_is_refused_with_its_key)
{
    ck_assert(!load(refusals[_i].text));
    ck_assert_msg(strstr(errors, refusals[_i].says) != NULL, "%s: %s", refusals[_i].text, errors);
}
END_TEST

static const char *const accepted[] = {
    "admin: {listen: 127.0.0.2}\n",
    "admin: {listen: '::1'}\n",
    "admin: {listen: 0.0.0.0, open: true}\n",
    "allow_list: {enabled: true, entries: [10.0.0.0/8, 'name Alice', account 17, '2001:db8::/32']}\n",
};

START_TEST(a_right_value_is_taken)
{
    ck_assert_msg(load(accepted[_i]), "%s", errors);
}
END_TEST

START_TEST(the_example_file_is_accepted)
{
    static char text[16384];
    FILE *out = fmemopen(text, sizeof text, "w");

    ck_assert_ptr_nonnull(out);
    config_print_example(&coordinator_options, out);
    (void)fclose(out);
    ck_assert_msg(load(text), "%s", errors);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof(table)[0])

Suite *coordinator_options_suite(void)
{
    Suite *suite = suite_create("coordinator_options");
    TCase *tcase = tcase_create("options");

    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, an_empty_file_is_a_whole_configuration);
    tcase_add_test(tcase, the_limits_are_those_of_the_page);
    tcase_add_test(tcase, each_limit_can_be_set);
    tcase_add_test(tcase, the_message_carries_what_the_file_says);
    tcase_add_test(tcase, spawns_are_read);
    tcase_add_loop_test(tcase, a_wrong_value_is_refused_with_its_key, 0, COUNT(refusals));
    tcase_add_loop_test(tcase, a_right_value_is_taken, 0, COUNT(accepted));
    tcase_add_test(tcase, the_example_file_is_accepted);
    suite_add_tcase(suite, tcase);
    return suite;
}
