/* What the settings of the game are to a gateway: the drive-by intervals of ServerHello. */
#include <math.h>
#include <string.h>

#include "gateway/state.h"
#include "tests/unit/gateway_rig.h"
#include "tests/unit/suites.h"

static struct rig rig;
static struct rig_client client;

static void setup(void)
{
    rig_start(&rig);
    client = rig_client(1);
}

static void teardown(void)
{
    rig_stop(&rig);
}

static void update(uint64_t revision, bool whole, double ms)
{
    Bus__GameChange change = BUS__GAME_CHANGE__INIT;
    Bus__GameChange *changes[] = { &change };
    Bus__GameUpdate message = BUS__GAME_UPDATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    change.kind = GAME_DRIVEBY;
    change.weapon = 28;
    change.value = ms;
    message.revision = revision;
    message.whole = whole;
    message.changes = changes;
    message.n_changes = 1;
    item.item_case = BUS__ITEM__ITEM_GAME_UPDATE;
    item.game_update = &message;
    rig_item(&rig, RIG_COORDINATOR, &item);
}

static struct wire_server_hello hello(void)
{
    const struct rig_datagram *datagram = rig_got(&rig, &client.address, &wire_server_hello_packet);
    struct wire_server_hello decoded;
    struct wire_error error;

    ck_assert_ptr_nonnull(datagram);
    ck_assert(wire_server_hello_decode(&decoded, datagram->data, datagram->size, &error));
    return decoded;
}

START_TEST(a_hello_has_the_intervals_and_the_shard_is_told_which)
{
    const Bus__PlayerJoin *join;

    update(5, true, 100);
    update(6, false, 200);
    rig_ask(&rig, &client);
    rig_answer_join(&rig, 0);
    ck_assert_uint_eq(hello().driveby_interval[6], 200);
    ck_assert_uint_eq(hello().driveby_interval[5], 0);
    join = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_JOIN)->player_join;
    ck_assert_uint_eq(join->n_driveby_ms, GAME_DRIVEBY_COUNT);
    ck_assert_uint_eq(join->driveby_ms[6], 200);
}
END_TEST

/* The client may have taken the first one. */
START_TEST(a_repeated_hello_has_the_intervals_of_the_first)
{
    update(5, true, 100);
    rig_join(&rig, &client);
    update(6, false, 200);
    rig_forget(&rig);
    rig_hello(&rig, &client, rig_cookie(&rig, &client));
    ck_assert_uint_eq(hello().driveby_interval[6], 100);
}
END_TEST

/* The link to the shard comes late: the join says what the client has seen, not what there is by then. */
START_TEST(an_account_proven_before_the_link_to_the_shard_comes_with_the_join)
{
    const Bus__PlayerJoin *join;
    struct session *session;

    update(5, true, 100);
    gateway_peer_down(rig.gateway, rig.now_ms, RIG_SHARD);
    rig_gather(&rig);
    rig_ask(&rig, &client);
    rig_answer_join(&rig, 0);
    ck_assert_ptr_null(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_JOIN));
    update(6, false, 200);
    session = sessions_find_by_address(&rig.gateway->sessions, &client.address);
    session->auth = AUTH_ACCEPTED;
    session->ticket.account_id = 17;
    gateway_peer_up(rig.gateway, rig.now_ms, RIG_SHARD, BUS__ROLE__ROLE_SHARD, "shard-1", 3);
    rig_gather(&rig);
    join = rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_JOIN)->player_join;
    ck_assert_uint_eq(join->driveby_ms[6], 100);
    ck_assert_uint_eq(rig_told(&rig, RIG_SHARD, BUS__ITEM__ITEM_PLAYER_AUTH)->player_auth->number, 2);
}
END_TEST

START_TEST(an_older_update_changes_nothing)
{
    update(5, true, 100);
    update(5, false, 200);
    update(4, true, 300);
    ck_assert_uint_eq(rig.gateway->settings.game.driveby_ms[6], 100);
    update(5, true, 400); /* everything again, from a coordinator that was out of reach */
    ck_assert_uint_eq(rig.gateway->settings.game.driveby_ms[6], 400);
}
END_TEST

START_TEST(a_malformed_update_changes_nothing)
{
    update(5, true, 100);
    update(6, false, 29);
    update(6, false, NAN);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_MALFORMED), 2);
    ck_assert_uint_eq(rig.gateway->settings.game.driveby_ms[6], 100);
    ck_assert_uint_eq(rig.gateway->settings.game_revision, 5);
}
END_TEST

START_TEST(a_shard_may_not_change_settings)
{
    Bus__GameUpdate message = BUS__GAME_UPDATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    message.revision = 7;
    message.whole = true;
    item.item_case = BUS__ITEM__ITEM_GAME_UPDATE;
    item.game_update = &message;
    rig_item(&rig, RIG_SHARD, &item);
    ck_assert_uint_eq(rig_drops(&rig, REASON_BUS_FORBIDDEN), 1);
    ck_assert_uint_eq(rig.gateway->settings.game_revision, 0);
}
END_TEST

START_TEST(the_coordinator_is_told_the_highest_revision)
{
    update(UINT64_C(1) << 41, true, 100);
    rig_forget(&rig);
    rig_pass(&rig, STATE_PERIOD_MS + 100);
    ck_assert_uint_eq(
        rig_told(&rig, RIG_COORDINATOR, BUS__ITEM__ITEM_GATEWAY_STATE)->gateway_state->highest_revision,
        UINT64_C(1) << 41);
}
END_TEST

Suite *gateway_game_suite(void)
{
    Suite *suite = suite_create("gateway_game");
    TCase *tcase = tcase_create("game");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_hello_has_the_intervals_and_the_shard_is_told_which);
    tcase_add_test(tcase, a_repeated_hello_has_the_intervals_of_the_first);
    tcase_add_test(tcase, an_account_proven_before_the_link_to_the_shard_comes_with_the_join);
    tcase_add_test(tcase, an_older_update_changes_nothing);
    tcase_add_test(tcase, a_malformed_update_changes_nothing);
    tcase_add_test(tcase, a_shard_may_not_change_settings);
    tcase_add_test(tcase, the_coordinator_is_told_the_highest_revision);
    suite_add_tcase(suite, tcase);
    return suite;
}
