#include "bots/options.h"

#include <stdlib.h>
#include <string.h>

#include "bots/resolve.h"
#include "tests/unit/suites.h"

static struct options options;
static char *complaint;
static size_t complaint_size;

static void teardown(void)
{
    free(complaint);
    complaint = NULL;
}

/* The command line is split at spaces. */
static enum options_verdict parse(const char *line)
{
    static char copy[256];
    char *argv[32] = { (char[]){ "dlmp-bots" } };
    int argc = 1;
    char *left = NULL;
    FILE *out;
    enum options_verdict verdict;

    ck_assert_uint_lt(strlen(line), sizeof copy);
    memcpy(copy, line, strlen(line) + 1);
    for (char *word = strtok_r(copy, " ", &left); word != NULL; word = strtok_r(NULL, " ", &left))
        argv[argc++] = word;
    free(complaint);
    out = open_memstream(&complaint, &complaint_size);
    verdict = options_parse(&options, argc, argv, out);
    ck_assert_int_eq(fclose(out), 0);
    return verdict;
}

START_TEST(without_options_ten_bots_do_everything)
{
    ck_assert_int_eq(parse(""), OPTIONS_RUN);
    ck_assert_str_eq(options.servers, "127.0.0.1:7777");
    ck_assert_uint_eq(options.swarm.bots, 10);
    ck_assert_uint_eq(options.swarm.shares[BEHAVIOUR_MIXED], 1);
    ck_assert_uint_eq(options.swarm.time_ms, 30 * 1000);
    ck_assert_uint_eq(options.swarm.chat_every_ms, 60 * 1000);
}
END_TEST

START_TEST(options_mean_what_they_say)
{
    ck_assert_int_eq(
        parse(
            "--server a:1,[::1]:2 --count 500 --rate 100 --time 0 --hz 20 --behaviour walk --neighbours 25 "
            "--stay 1.5 --addresses 63 --name load --seed 18446744073709551615 --loss 0.05 --allow-rejects"),
        OPTIONS_RUN);
    ck_assert_uint_eq(options.swarm.bots, 500);
    ck_assert_double_eq(options.swarm.joins_per_s, 100);
    ck_assert_uint_eq(options.swarm.time_ms, 0);
    ck_assert_uint_eq(options.swarm.frames_per_s, 20);
    ck_assert_int_eq(options.swarm.spread, SWARM_SPREAD_AREA);
    ck_assert_uint_eq(options.swarm.neighbours, 25);
    ck_assert_uint_eq(options.swarm.chat_every_ms, 0);
    ck_assert_uint_eq(options.swarm.stay_ms, 1500);
    ck_assert_uint_eq(options.addresses, 63);
    ck_assert_uint_eq(options.swarm.seed, UINT64_MAX);
    ck_assert(options.swarm.is_lossy);
    ck_assert(options.swarm.allows_rejects);
}
END_TEST

START_TEST(behaviours_add_up_to_shares)
{
    ck_assert_int_eq(parse("--behaviour tow=2 --behaviour heli --behaviour tow"), OPTIONS_RUN);
    ck_assert_uint_eq(options.swarm.shares[BEHAVIOUR_TOW], 3);
    ck_assert_uint_eq(options.swarm.shares[BEHAVIOUR_HELI], 1);
    ck_assert_uint_eq(options.swarm.shares[BEHAVIOUR_MIXED], 0);
    ck_assert(!options.swarm.allows_refusals);
}
END_TEST

START_TEST(a_flood_has_a_rate_and_a_time_of_its_own)
{
    ck_assert_int_eq(parse("--flood hello"), OPTIONS_RUN);
    ck_assert(options.wants_flood);
    ck_assert_double_eq(options.flood_per_s, 100000);
    ck_assert_uint_eq(options.flood_sources, 10000);
    ck_assert_uint_eq(options.swarm.time_ms, 5000);
    ck_assert_int_eq(parse("--flood hello --rate 1000000 --sources 7 --time 1"), OPTIONS_RUN);
    ck_assert_double_eq(options.flood_per_s, 1e6);
}
END_TEST

START_TEST(what_is_wrong_is_said_in_one_line)
{
    static const struct {
        const char *line;
        const char *said;
    } cases[] = {
        { "--walk", "no option '--walk'" },
        { "walk", "'walk' is no option" },
        { "--count", "'--count' wants a value" },
        { "--count 0", "from 1 to 60000, not '0'" },
        { "--count 1.5", "whole number, not '1.5'" },
        { "--count 12x", "not '12x'" },
        { "--rate nan", "not 'nan'" },
        { "--rate 200000", "at most 100000 joins" },
        { "--time -1", "not '-1'" },
        { "--hz 0", "not '0'" },
        { "--loss 0.95", "not '0.95'" },
        { "--seed -1", "not '-1'" },
        { "--seed 18446744073709551616", "whole number" },
        { "--behaviour tow=0", "from 1 to 1000, not '0'" },
        { "--behaviour a_name_that_is_too_long_for_any", "one of those" },
        { "--behaviour fly", "one of those in --help, not 'fly'" },
        { "--spread out", "none, cluster or area, not 'out'" },
        { "--spread none --neighbours 5", "--neighbours goes with --spread area" },
        { "--server localhost", "HOST:PORT" },
        { "--server a:1,,b:2", "HOST:PORT" },
        { "--server a:port", "HOST:PORT" },
        { "--name a/b", "not 'a/b'" },
        { "--name abcdefghijklmnopqrst", "at most 19" },
        { "--flood chat", "hello, not 'chat'" },
        { "--flood hello --time 0", "wants a --time" },
        { "--sources 5", "goes with --flood" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(parse(cases[i].line), OPTIONS_WRONG);
        ck_assert_msg(strstr(complaint, cases[i].said) != NULL, "%s: %s", cases[i].line, complaint);
        ck_assert_ptr_eq(strchr(complaint, '\n'), complaint + strlen(complaint) - 1);
    }
}
END_TEST

START_TEST(help_and_version_come_first)
{
    ck_assert_int_eq(parse("--help --count x"), OPTIONS_HELP);
    ck_assert_int_eq(parse("--version"), OPTIONS_VERSION);
    ck_assert_str_eq(complaint, "");
}
END_TEST

START_TEST(the_help_names_every_option_and_has_examples)
{
    static const char *const names[] = { "--server",  "--count",      "--rate",   "--time",
                                         "--hz",      "--behaviour",  "--spread", "--addresses",
                                         "--seed",    "--json",       "--flood",  "--allow-rejects",
                                         "--loss",    "--stay",       "--chat",   "--sources",
                                         "examples:", "exit status:", "--name",   "--version",
                                         "--help",    "--neighbours" };
    FILE *out = open_memstream(&complaint, &complaint_size);

    options_print_help(out);
    ck_assert_int_eq(fclose(out), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(strstr(complaint, names[i]) != NULL, "%s", names[i]);
}
END_TEST

/* ---- addresses */

START_TEST(servers_are_found_by_address)
{
    struct endpoint endpoints[RESOLVE_MAX];
    char why[128] = "";

    ck_assert_uint_eq(resolve_list("127.0.0.1:7777,[::1]:7778", endpoints, why, sizeof why), 2);
    ck_assert(resolve_is_loopback4(&endpoints[0]));
    ck_assert(!resolve_is_loopback4(&endpoints[1]));
    ck_assert_uint_eq(resolve_list("nobody", endpoints, why, sizeof why), 0);
    ck_assert_ptr_nonnull(strstr(why, "nobody"));
}
END_TEST

START_TEST(local_addresses_differ_and_are_all_loopback)
{
    struct endpoint last = resolve_local(1, 59999);

    ck_assert(resolve_is_loopback4(&last));
    for (uint32_t n = 0; n < 1000; n++) {
        struct endpoint a = resolve_local(1, n);
        struct endpoint b = resolve_local(1, n + 1);

        ck_assert(resolve_is_loopback4(&a));
        ck_assert_int_ne(memcmp(&a.address, &b.address, a.size), 0);
    }
}
END_TEST

Suite *options_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, teardown);
    tcase_add_test(all, without_options_ten_bots_do_everything);
    tcase_add_test(all, options_mean_what_they_say);
    tcase_add_test(all, behaviours_add_up_to_shares);
    tcase_add_test(all, a_flood_has_a_rate_and_a_time_of_its_own);
    tcase_add_test(all, what_is_wrong_is_said_in_one_line);
    tcase_add_test(all, help_and_version_come_first);
    tcase_add_test(all, the_help_names_every_option_and_has_examples);
    tcase_add_test(all, servers_are_found_by_address);
    tcase_add_test(all, local_addresses_differ_and_are_all_loopback);
    suite_add_tcase(suite, all);
    return suite;
}
