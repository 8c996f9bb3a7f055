#include "gateway/session.h"

#include <signal.h>

#include "tests/unit/suites.h"

enum { CAPACITY = 4 };

static struct sessions sessions;
static struct rng rng;
static struct frames frames;

static void setup(void)
{
    rng_init_seeded(&rng, 3);
    frames_init(&frames);
    ck_assert_int_eq(sessions_init(&sessions, CAPACITY, &rng), 0);
}

static void teardown(void)
{
    sessions_fini(&sessions);
    frames_fini(&frames);
}

static struct address at(uint16_t port)
{
    struct address address;

    ck_assert(address_parse(&address, "192.0.2.1", port));
    return address;
}

/* Player `id` of generation 100 + id, token 1000 + id, port 5000 + id. */
static struct session *opened(uint32_t id)
{
    const struct address address = at((uint16_t)(5000 + id));
    struct session *session =
        sessions_open(&sessions, (struct player_ref){ id, 100 + id }, &address, 1000 + id, 0);

    ck_assert_ptr_nonnull(session);
    return session;
}

static void closed(struct session *session)
{
    session_set_state(session, SESSION_ENDED);
    sessions_close(&sessions, session);
}

START_TEST(a_session_is_found_by_its_token_its_player_and_its_address)
{
    const struct session *session = opened(1);
    const struct address address = at(5001);

    (void)opened(2);
    ck_assert_ptr_eq(sessions_find_by_token(&sessions, 1001), session);
    ck_assert_ptr_eq(sessions_find_by_player(&sessions, (struct player_ref){ 1, 101 }), session);
    ck_assert_ptr_eq(sessions_find_by_id(&sessions, 1), session);
    ck_assert_ptr_eq(sessions_find_by_address(&sessions, &address), session);
    ck_assert_ptr_eq(sessions_get(&sessions, session->ref), session);
}
END_TEST

START_TEST(who_is_not_there_is_not_found)
{
    const struct address other_port = at(5009);

    (void)opened(1);
    ck_assert_ptr_null(sessions_find_by_token(&sessions, 1002));
    ck_assert_ptr_null(sessions_find_by_token(&sessions, 0));
    ck_assert_ptr_null(sessions_find_by_player(&sessions, (struct player_ref){ 1, 102 }));
    ck_assert_ptr_null(sessions_find_by_player(&sessions, (struct player_ref){ 2, 101 }));
    ck_assert_ptr_null(sessions_find_by_address(&sessions, &other_port));
}
END_TEST

START_TEST(a_closed_session_is_found_by_nothing)
{
    struct session *session = opened(1);
    const struct pool_ref ref = session->ref;
    const struct address address = at(5001);

    closed(session);
    ck_assert_ptr_null(sessions_find_by_token(&sessions, 1001));
    ck_assert_ptr_null(sessions_find_by_id(&sessions, 1));
    ck_assert_ptr_null(sessions_find_by_address(&sessions, &address));
    ck_assert_ptr_null(sessions_get(&sessions, ref));
}
END_TEST

START_TEST(a_reference_does_not_find_the_next_taker_of_the_place)
{
    struct session *session = opened(1);
    const struct pool_ref ref = session->ref;

    closed(session);
    ck_assert_uint_eq(opened(2)->ref.index, ref.index);
    ck_assert_ptr_null(sessions_get(&sessions, ref));
}
END_TEST

START_TEST(a_full_table_refuses)
{
    const struct address address = at(6000);

    for (uint32_t id = 0; id < CAPACITY; id++)
        (void)opened(id);
    ck_assert_ptr_null(sessions_open(&sessions, (struct player_ref){ 9, 9 }, &address, 9, 0));
}
END_TEST

START_TEST(a_session_that_moves_is_found_at_its_new_address)
{
    struct session *session = opened(1);
    const struct address from = at(5001);
    const struct address to = at(6001);

    sessions_move(&sessions, session, &to);
    ck_assert_ptr_null(sessions_find_by_address(&sessions, &from));
    ck_assert_ptr_eq(sessions_find_by_address(&sessions, &to), session);
}
END_TEST

START_TEST(of_two_sessions_at_one_address_the_newer_is_found)
{
    struct session *older = opened(1);
    struct session *newer = opened(2);
    const struct address shared = at(5001);

    newer->opened_ms = 50;
    sessions_move(&sessions, newer, &shared);
    ck_assert_ptr_eq(sessions_find_by_address(&sessions, &shared), newer);
    closed(newer);
    ck_assert_ptr_eq(sessions_find_by_address(&sessions, &shared), older);
}
END_TEST

START_TEST(every_session_is_walked_over_once)
{
    uint32_t seen = 0;

    for (uint32_t id = 0; id < CAPACITY; id++)
        (void)opened(id);
    closed(sessions_find_by_id(&sessions, 1));
    for (uint32_t i = 0;; i++) {
        const struct session *session = sessions_next(&sessions, &i);

        if (session == NULL)
            break;
        ck_assert_uint_eq(seen >> session->player.id & 1, 0);
        seen |= 1U << session->player.id;
    }
    ck_assert_uint_eq(seen, 0xD);
}
END_TEST

START_TEST(an_open_session_is_not_greeted_again)
{
    struct session *session = opened(1);

    session_set_state(session, SESSION_OPEN);
    session_set_state(session, SESSION_GREETED);
}
END_TEST

START_TEST(a_closing_session_does_not_open_again)
{
    struct session *session = opened(1);

    session_set_state(session, SESSION_CLOSING);
    session_set_state(session, SESSION_OPEN);
}
END_TEST

/* ---- round trips */

static struct session *stamped(uint32_t stamp, uint64_t sent_ms)
{
    struct session *session = opened(1);

    session_stamp(session, stamp, sent_ms);
    return session;
}

START_TEST(without_an_answer_the_round_trip_is_0)
{
    ck_assert_uint_eq(session_rtt_ms(stamped(7, 1000)), 0);
}
END_TEST

START_TEST(the_first_answer_is_the_estimate)
{
    struct session *session = stamped(7, 1000);

    ck_assert(session_pong(session, 7, 1080));
    ck_assert_uint_eq(session_rtt_ms(session), 80);
}
END_TEST

START_TEST(each_further_answer_counts_for_an_eighth)
{
    struct session *session = stamped(7, 1000);

    (void)session_pong(session, 7, 1080);
    session_stamp(session, 8, 2000);
    (void)session_pong(session, 8, 2160);
    ck_assert_uint_eq(session_rtt_ms(session), 90); /* 80 * 7/8 + 160 / 8 */
}
END_TEST

START_TEST(a_steady_round_trip_is_met_exactly)
{
    struct session *session = opened(1);

    for (uint32_t i = 0; i < 100; i++) {
        session_stamp(session, i, i * 1000);
        ck_assert(session_pong(session, i, i * 1000 + (i < 50 ? 200 : 37)));
    }
    ck_assert_uint_eq(session_rtt_ms(session), 37);
}
END_TEST

START_TEST(a_stamp_counts_once_and_only_if_it_was_sent)
{
    struct session *session = stamped(7, 1000);

    ck_assert(!session_pong(session, 8, 1080));
    ck_assert(session_pong(session, 7, 1080));
    ck_assert(!session_pong(session, 7, 1090));
}
END_TEST

START_TEST(a_stamp_older_than_10_s_is_ignored)
{
    struct session *session = stamped(7, 1000);

    session_stamp(session, 8, 1001);
    ck_assert(!session_pong(session, 7, 11001));
    ck_assert(session_pong(session, 8, 11001));
}
END_TEST

START_TEST(every_stamp_of_the_last_10_s_is_kept)
{
    struct session *session = opened(1);

    for (uint32_t i = 0; i <= 10; i++)
        session_stamp(session, 0xFFFFFFFA + i, i * 1000);
    for (uint32_t i = 0; i <= 10; i++)
        ck_assert(session_pong(session, 0xFFFFFFFA + i, 10000));
}
END_TEST

/* ---- scope barriers */

START_TEST(barriers_are_counted_up_to_the_event_that_was_seen)
{
    struct session *session = opened(1);

    ck_assert_uint_eq(session_barriers_seen(session, 100), 0);
    session_add_barrier(session, 5);
    session_add_barrier(session, 9);
    ck_assert_uint_eq(session_barriers_seen(session, 0), 0);
    ck_assert_uint_eq(session_barriers_seen(session, 4), 0);
    ck_assert_uint_eq(session_barriers_seen(session, 5), 1);
    ck_assert_uint_eq(session_barriers_seen(session, 8), 1);
    ck_assert_uint_eq(session_barriers_seen(session, 9), 2);
    ck_assert_uint_eq(session_barriers_seen(session, UINT32_MAX), 2);
}
END_TEST

START_TEST(barriers_are_still_told_apart_after_hundreds)
{
    struct session *session = opened(1);

    for (uint32_t i = 1; i <= 500; i++)
        session_add_barrier(session, i * 10);
    ck_assert_uint_eq(session_barriers_seen(session, 5000), 500);
    ck_assert_uint_eq(session_barriers_seen(session, 4999), 499);
    ck_assert_uint_eq(session_barriers_seen(session, 4990), 499);
    ck_assert_uint_lt(session_barriers_seen(session, 0), 500);
}
END_TEST

Suite *session_suite(void)
{
    Suite *suite = suite_create("session");
    TCase *table = tcase_create("table");
    TCase *rtt = tcase_create("round trips and barriers");

    tcase_add_checked_fixture(table, setup, teardown);
    tcase_add_test(table, a_session_is_found_by_its_token_its_player_and_its_address);
    tcase_add_test(table, who_is_not_there_is_not_found);
    tcase_add_test(table, a_closed_session_is_found_by_nothing);
    tcase_add_test(table, a_reference_does_not_find_the_next_taker_of_the_place);
    tcase_add_test(table, a_full_table_refuses);
    tcase_add_test(table, a_session_that_moves_is_found_at_its_new_address);
    tcase_add_test(table, of_two_sessions_at_one_address_the_newer_is_found);
    tcase_add_test(table, every_session_is_walked_over_once);
    tcase_add_test_raise_signal(table, an_open_session_is_not_greeted_again, SIGABRT);
    tcase_add_test_raise_signal(table, a_closing_session_does_not_open_again, SIGABRT);
    suite_add_tcase(suite, table);
    tcase_add_checked_fixture(rtt, setup, teardown);
    tcase_add_test(rtt, without_an_answer_the_round_trip_is_0);
    tcase_add_test(rtt, the_first_answer_is_the_estimate);
    tcase_add_test(rtt, each_further_answer_counts_for_an_eighth);
    tcase_add_test(rtt, a_steady_round_trip_is_met_exactly);
    tcase_add_test(rtt, a_stamp_counts_once_and_only_if_it_was_sent);
    tcase_add_test(rtt, a_stamp_older_than_10_s_is_ignored);
    tcase_add_test(rtt, every_stamp_of_the_last_10_s_is_kept);
    tcase_add_test(rtt, barriers_are_counted_up_to_the_event_that_was_seen);
    tcase_add_test(rtt, barriers_are_still_told_apart_after_hundreds);
    suite_add_tcase(suite, rtt);
    return suite;
}
