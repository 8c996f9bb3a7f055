#include "coordinator/join.h"

#include <string.h>

#include "common/address.h"
#include "tests/unit/suites.h"

static struct directory directory;
static struct ban_list banned;
static struct ban_list allowed;
static struct cluster_settings settings;
static struct join_scene scene;
static struct join_request request;
static uint32_t last_token;

static void set_ip(uint8_t ip[16], const char *text)
{
    struct address address;

    ck_assert(address_parse(&address, text, 0));
    memcpy(ip, address.ip, 16);
}

static struct member *add(const char *name, const char *text)
{
    uint8_t ip[16];
    struct member *member;

    set_ip(ip, text);
    member = directory_add(&directory, ++last_token, name, ip);
    ck_assert_ptr_nonnull(member);
    return member;
}

static void list(struct ban_list *to, const char *text)
{
    struct ban_subject subject;

    ck_assert(ban_subject_read(&subject, text));
    ck_assert_ptr_nonnull(ban_list_add(to, &subject, BAN_FOREVER, "Go away."));
}

/* A request that is in order, of "alice" at 10.0.0.1. */
static void setup(void)
{
    ck_assert_int_eq(directory_init(&directory), 0);
    ban_list_init(&banned);
    ban_list_init(&allowed);
    last_token = 0;
    settings = (struct cluster_settings){ .max_players = 10, .connections_per_address = 8 };
    scene = (struct join_scene){ .directory = &directory,
                                 .banned = &banned,
                                 .allowed = &allowed,
                                 .settings = &settings,
                                 .world = JOIN_WORLD_READY };
    request = (struct join_request){ .name = "alice", .name_is_valid = true, .password_is_valid = true };
    set_ip(request.ip, "10.0.0.1");
}

static void teardown(void)
{
    directory_fini(&directory);
    ban_list_fini(&banned);
    ban_list_fini(&allowed);
}

static enum join_answer decide(void)
{
    return join_decide(&scene, &request).answer;
}

/* ---- the order ---- */

static void shut_down(void)
{
    settings.shutting_down = true;
}

static void ban_address(void)
{
    list(&banned, "10.0.0.0/24");
}

static void ban_name(void)
{
    list(&banned, "name ALICE");
}

static void leave_off_the_list(void)
{
    settings.allow_list = true;
}

static void fill_the_address(void)
{
    settings.connections_per_address = 1;
    add("neighbour", "10.0.0.1");
}

static void spoil_the_name(void)
{
    request.name_is_valid = false;
}

static void spoil_the_password(void)
{
    request.password_is_valid = false;
}

static void take_the_name(void)
{
    add("Alice", "10.9.9.9");
}

static void require_an_account(void)
{
    settings.require_account = true;
}

static void fill_the_server(void)
{
    settings.max_players = 1;
    add("other", "10.8.8.8");
}

static void take_the_worlds(void)
{
    scene.world = JOIN_WORLD_NONE;
}

/* Connection, "Opening a connection", 4: the list, in its order. */
static const struct objection {
    enum join_answer answer;
    void (*raise)(void);
} objections[] = {
    { JOIN_SHUTTING_DOWN, shut_down },
    { JOIN_BANNED, ban_address },
    { JOIN_BANNED, ban_name },
    { JOIN_NOT_ALLOWED, leave_off_the_list },
    { JOIN_TOO_MANY, fill_the_address },
    { JOIN_BAD_NAME, spoil_the_name },
    { JOIN_WRONG_PASSWORD, spoil_the_password },
    { JOIN_NAME_TAKEN, take_the_name },
    { JOIN_ACCOUNT_REQUIRED, require_an_account },
    { JOIN_FULL, fill_the_server },
    { JOIN_NO_WORLD, take_the_worlds },
};

enum { OBJECTIONS = sizeof objections / sizeof objections[0] };

START_TEST(a_request_in_order_is_accepted)
{
    ck_assert_int_eq(decide(), JOIN_ACCEPTED);
}
END_TEST

START_TEST(each_objection_refuses)
{
    objections[_i].raise();
    ck_assert_int_eq(decide(), objections[_i].answer);
}
END_TEST

START_TEST(of_two_objections_the_earlier_one_is_told)
{
    int first = _i / OBJECTIONS;
    int second = _i % OBJECTIONS;

    if (first == second)
        return;
    objections[first].raise();
    objections[second].raise();
    ck_assert_int_eq(decide(), objections[first < second ? first : second].answer);
}
END_TEST

START_TEST(of_all_objections_the_first_one_is_told)
{
    for (int i = OBJECTIONS - 1; i >= 0; i--) {
        objections[i].raise();
        ck_assert_int_eq(decide(), objections[i].answer);
    }
}
END_TEST

START_TEST(a_banned_player_is_told_why)
{
    list(&banned, "10.0.0.1");
    ck_assert_str_eq(join_decide(&scene, &request).detail, "Go away.");
    shut_down();
    ck_assert_str_eq(join_decide(&scene, &request).detail, "");
}
END_TEST

START_TEST(a_ban_that_has_ended_is_none)
{
    struct ban_subject subject;

    ck_assert(ban_subject_read(&subject, "10.0.0.1"));
    ban_list_add(&banned, &subject, 5000, "");
    scene.now_ms = 4999;
    ck_assert_int_eq(decide(), JOIN_BANNED);
    scene.now_ms = 5000;
    ck_assert_int_eq(decide(), JOIN_ACCEPTED);
}
END_TEST

START_TEST(names_are_taken_without_regard_to_case)
{
    add("ALICE", "10.9.9.9");
    ck_assert_int_eq(decide(), JOIN_NAME_TAKEN);
}
END_TEST

/* ---- the allow list ---- */

START_TEST(the_allow_list_knows_addresses_and_names)
{
    settings.allow_list = true;
    list(&allowed, "10.0.0.0/8");
    ck_assert_int_eq(decide(), JOIN_ACCEPTED);
    set_ip(request.ip, "11.0.0.1");
    ck_assert_int_eq(decide(), JOIN_NOT_ALLOWED);
    list(&allowed, "name Alice");
    ck_assert_int_eq(decide(), JOIN_ACCEPTED);
    ck_assert(!join_decide(&scene, &request).is_account_due);
}
END_TEST

/* The account is known only after the join: who announces one may prove that it is on the list. */
START_TEST(an_announced_account_is_let_in_on_its_word)
{
    settings.allow_list = true;
    request.has_auth = true;
    ck_assert_int_eq(decide(), JOIN_NOT_ALLOWED);
    list(&allowed, "account 17");
    ck_assert_int_eq(decide(), JOIN_ACCEPTED);
    ck_assert(join_decide(&scene, &request).is_account_due);
    request.has_auth = false;
    ck_assert_int_eq(decide(), JOIN_NOT_ALLOWED);
}
END_TEST

/* ---- a connection that would be replaced ---- */

START_TEST(a_replaced_connection_counts_in_nothing)
{
    request.replaces = add("alice", "10.0.0.1")->ref;
    settings.connections_per_address = 1;
    settings.max_players = 1;
    ck_assert_int_eq(decide(), JOIN_ACCEPTED);
}
END_TEST

START_TEST(others_count_beside_a_replaced_one)
{
    request.replaces = add("alice", "10.0.0.1")->ref;
    add("bob", "10.0.0.1");
    settings.connections_per_address = 1;
    ck_assert_int_eq(decide(), JOIN_TOO_MANY);
    settings.connections_per_address = 2;
    ck_assert_int_eq(decide(), JOIN_ACCEPTED);
    settings.max_players = 1;
    ck_assert_int_eq(decide(), JOIN_FULL);
}
END_TEST

START_TEST(a_replaced_connection_that_has_left_is_nobody)
{
    struct member *member = add("alice", "10.0.0.1");

    request.replaces = member->ref;
    directory_remove(&directory, member, 0);
    add("bob", "10.0.0.1");
    settings.connections_per_address = 1;
    ck_assert_int_eq(decide(), JOIN_TOO_MANY);
}
END_TEST

START_TEST(a_decision_changes_nothing)
{
    request.replaces = add("alice", "10.0.0.1")->ref;
    ck_assert_int_eq(decide(), JOIN_ACCEPTED);
    settings.shutting_down = true;
    ck_assert_int_eq(decide(), JOIN_SHUTTING_DOWN);
    ck_assert_ptr_nonnull(directory_find(&directory, request.replaces));
    ck_assert_uint_eq(directory.count, 1);
}
END_TEST

/* ---- the holder of the name ---- */

START_TEST(a_holder_of_the_same_address_is_asked)
{
    struct member *holder = add("ALICE", "10.0.0.1");
    struct join_verdict verdict = join_decide(&scene, &request);

    ck_assert_int_eq(verdict.answer, JOIN_ASK_HOLDER);
    ck_assert_uint_eq(verdict.holder.id, holder->ref.id);
    ck_assert_uint_eq(verdict.holder.token, holder->ref.token);
    request.holder_is_asked = true;
    ck_assert_int_eq(decide(), JOIN_NAME_TAKEN);
}
END_TEST

START_TEST(a_holder_of_another_address_is_not_asked)
{
    add("alice", "10.0.0.2");
    ck_assert_int_eq(decide(), JOIN_NAME_TAKEN);
}
END_TEST

/* The same /64 is the same source, and not the same address. */
START_TEST(a_holder_of_the_same_network_is_not_asked)
{
    add("alice", "2001:db8::1");
    set_ip(request.ip, "2001:db8::2");
    ck_assert_int_eq(decide(), JOIN_NAME_TAKEN);
}
END_TEST

/* The dead connection of a client that came back must not fill its own address. */
START_TEST(a_holder_that_may_be_silent_does_not_fill_its_address_or_the_server)
{
    add("alice", "10.0.0.1");
    settings.connections_per_address = 1;
    settings.max_players = 1;
    ck_assert_int_eq(decide(), JOIN_ASK_HOLDER);
    request.holder_is_asked = true;
    ck_assert_int_eq(decide(), JOIN_TOO_MANY);
}
END_TEST

/* Asking may cost the holder its place: nobody asks who would be refused anyway. */
START_TEST(no_holder_is_asked_for_an_attempt_that_fails_anyway)
{
    static void (*const others[])(void) = { shut_down,      ban_address,        leave_off_the_list,
                                            spoil_the_name, spoil_the_password, require_an_account,
                                            take_the_worlds };

    add("alice", "10.0.0.1");
    others[_i]();
    ck_assert_int_ne(decide(), JOIN_ASK_HOLDER);
    ck_assert_int_ne(decide(), JOIN_ACCEPTED);
}
END_TEST

START_TEST(an_attempt_that_replaces_one_connection_may_displace_another)
{
    request.replaces = add("bob", "10.0.0.1")->ref;
    add("alice", "10.0.0.1");
    settings.connections_per_address = 1;
    ck_assert_int_eq(decide(), JOIN_ASK_HOLDER);
}
END_TEST

/* ---- worlds ---- */

START_TEST(a_world_that_is_about_to_come_is_waited_for)
{
    scene.world = JOIN_WORLD_SOON;
    ck_assert_int_eq(decide(), JOIN_WAIT);
    settings.max_players = 0;
    ck_assert_int_eq(decide(), JOIN_FULL);
}
END_TEST

Suite *coordinator_join_suite(void)
{
    Suite *suite = suite_create("coordinator_join");
    TCase *tcase = tcase_create("join");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_request_in_order_is_accepted);
    tcase_add_loop_test(tcase, each_objection_refuses, 0, OBJECTIONS);
    tcase_add_loop_test(tcase, of_two_objections_the_earlier_one_is_told, 0, OBJECTIONS * OBJECTIONS);
    tcase_add_test(tcase, of_all_objections_the_first_one_is_told);
    tcase_add_test(tcase, a_banned_player_is_told_why);
    tcase_add_test(tcase, a_ban_that_has_ended_is_none);
    tcase_add_test(tcase, names_are_taken_without_regard_to_case);
    tcase_add_test(tcase, the_allow_list_knows_addresses_and_names);
    tcase_add_test(tcase, an_announced_account_is_let_in_on_its_word);
    tcase_add_test(tcase, a_replaced_connection_counts_in_nothing);
    tcase_add_test(tcase, others_count_beside_a_replaced_one);
    tcase_add_test(tcase, a_replaced_connection_that_has_left_is_nobody);
    tcase_add_test(tcase, a_decision_changes_nothing);
    tcase_add_test(tcase, a_holder_of_the_same_address_is_asked);
    tcase_add_test(tcase, a_holder_of_another_address_is_not_asked);
    tcase_add_test(tcase, a_holder_of_the_same_network_is_not_asked);
    tcase_add_test(tcase, a_holder_that_may_be_silent_does_not_fill_its_address_or_the_server);
    tcase_add_loop_test(tcase, no_holder_is_asked_for_an_attempt_that_fails_anyway, 0, 7);
    tcase_add_test(tcase, an_attempt_that_replaces_one_connection_may_displace_another);
    tcase_add_test(tcase, a_world_that_is_about_to_come_is_waited_for);
    suite_add_tcase(suite, tcase);
    return suite;
}
