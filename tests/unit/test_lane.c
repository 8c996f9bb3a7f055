#include "gateway/lane.h"

#include <string.h>

#include "tests/unit/suites.h"

static struct frames frames;
static struct lane lane;
static uint64_t tags[LANE_UNACKED_MAX];
static size_t tags_count;

static void setup(void)
{
    frames_init(&frames);
    lane_init(&lane);
    tags_count = 0;
}

static void teardown(void)
{
    lane_fini(&lane, &frames);
    ck_assert_uint_eq(frames.used, 0);
    frames_fini(&frames);
}

static void note_tag(void *arg, uint64_t tag)
{
    (void)arg;
    tags[tags_count++] = tag;
}

static enum lane_push push_tagged(enum lane_delivery delivery, uint64_t tag, uint64_t now_ms)
{
    const uint8_t packet[] = { 0x1A, 0, 0, 0, 0 };
    struct frame *frame = frames_new(&frames, (struct span){ packet, sizeof packet });
    enum lane_push pushed = lane_push(&lane, delivery, frame, tag, now_ms);

    frames_release(&frames, frame);
    return pushed;
}

static enum lane_push push(enum lane_delivery delivery, uint64_t now_ms)
{
    return push_tagged(delivery, 0, now_ms);
}

static void push_many(uint32_t count, uint64_t now_ms)
{
    for (uint32_t i = 0; i < count; i++)
        ck_assert_int_eq(push(LANE_CRITICAL, now_ms), LANE_QUEUED);
}

static enum lane_ack ack(uint32_t event_id, uint64_t now_ms)
{
    return lane_ack(&lane, &frames, event_id, now_ms, note_tag, NULL);
}

static size_t due(uint64_t now_ms)
{
    const struct lane_event *events[LANE_RESENDS_MAX];

    return lane_due(&lane, now_ms, events);
}

START_TEST(events_are_numbered_from_1_without_a_gap)
{
    const struct lane_event *events[LANE_RESENDS_MAX];

    push_many(3, 0);
    ck_assert_uint_eq(lane_due(&lane, LANE_RTO_MS, events), 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(events[i]->event_id, i + 1);
}
END_TEST

START_TEST(an_ack_removes_every_event_up_to_it)
{
    push_many(5, 0);
    ck_assert_int_eq(ack(3, 1), LANE_ACK_MOVED);
    ck_assert_uint_eq(lane_pending(&lane), 2);
    ck_assert_uint_eq(frames.used, 2);
}
END_TEST

START_TEST(a_repeated_ack_changes_nothing)
{
    push_many(3, 0);
    (void)ack(2, 1);
    ck_assert_int_eq(ack(2, 2), LANE_ACK_OLD);
    ck_assert_int_eq(ack(1, 2), LANE_ACK_OLD);
    ck_assert_int_eq(ack(0, 2), LANE_ACK_OLD);
    ck_assert_uint_eq(lane_pending(&lane), 1);
}
END_TEST

START_TEST(an_ack_above_the_last_event_sent_is_ignored)
{
    push_many(3, 0);
    ck_assert_int_eq(ack(4, 1), LANE_ACK_AHEAD);
    ck_assert_int_eq(ack(UINT32_MAX, 1), LANE_ACK_AHEAD);
    ck_assert_uint_eq(lane_pending(&lane), 3);
    ck_assert_int_eq(ack(3, 1), LANE_ACK_MOVED);
    ck_assert_uint_eq(lane_pending(&lane), 0);
}
END_TEST

START_TEST(an_event_is_sent_again_once_its_age_reaches_the_rto)
{
    push_many(1, 1000);
    ck_assert_uint_eq(due(1000 + LANE_RTO_MS - 1), 0);
    ck_assert_uint_eq(due(1000 + LANE_RTO_MS), 1);
}
END_TEST

START_TEST(the_rto_counts_from_the_last_send)
{
    push_many(1, 1000);
    (void)due(1300);
    ck_assert_uint_eq(due(1300 + LANE_RTO_MS - 1), 0);
    ck_assert_uint_eq(due(1300 + LANE_RTO_MS), 1);
}
END_TEST

START_TEST(a_check_resends_at_most_32_events_oldest_first)
{
    const struct lane_event *events[LANE_RESENDS_MAX];

    push_many(40, 0);
    ck_assert_uint_eq(lane_due(&lane, 300, events), 32);
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(events[i]->event_id, i + 1);
    ck_assert_uint_eq(lane_due(&lane, 400, events), 8);
    ck_assert_uint_eq(events[0]->event_id, 33);
}
END_TEST

START_TEST(droppable_events_are_refused_from_256_unacked_on)
{
    for (uint32_t i = 0; i < LANE_DROPPABLE_MAX; i++)
        ck_assert_int_eq(push(LANE_DROPPABLE, 0), LANE_QUEUED);
    ck_assert_int_eq(push(LANE_DROPPABLE, 0), LANE_DROPPED);
    ck_assert_int_eq(push(LANE_CRITICAL, 0), LANE_QUEUED);
}
END_TEST

START_TEST(a_refused_event_takes_no_number)
{
    push_many(LANE_DROPPABLE_MAX, 0);
    (void)push(LANE_DROPPABLE, 0);
    (void)push(LANE_CRITICAL, 0);
    ck_assert_uint_eq(lane.last_id, LANE_DROPPABLE_MAX + 1);
}
END_TEST

START_TEST(droppable_events_are_taken_again_when_an_ack_has_made_room)
{
    push_many(LANE_DROPPABLE_MAX, 0);
    (void)ack(1, 1);
    ck_assert_int_eq(push(LANE_DROPPABLE, 1), LANE_QUEUED);
    ck_assert_int_eq(push(LANE_DROPPABLE, 1), LANE_DROPPED);
}
END_TEST

START_TEST(the_512th_unacked_event_is_one_too_many)
{
    push_many(LANE_UNACKED_MAX - 1, 0);
    ck_assert_int_eq(push(LANE_CRITICAL, 0), LANE_FULL);
    ck_assert_uint_eq(lane_pending(&lane), LANE_UNACKED_MAX - 1);
    (void)ack(1, 1);
    ck_assert_int_eq(push(LANE_CRITICAL, 1), LANE_QUEUED);
}
END_TEST

START_TEST(a_lane_is_stuck_15_s_after_its_first_event_without_an_ack)
{
    push_many(1, 5000);
    ck_assert(!lane_is_stuck(&lane, 5000 + LANE_NO_PROGRESS_MS - 1));
    ck_assert(lane_is_stuck(&lane, 5000 + LANE_NO_PROGRESS_MS));
}
END_TEST

START_TEST(an_ack_that_moves_the_queue_starts_the_15_s_anew)
{
    push_many(2, 0);
    (void)ack(1, 14000);
    ck_assert(!lane_is_stuck(&lane, 14000 + LANE_NO_PROGRESS_MS - 1));
    ck_assert(lane_is_stuck(&lane, 14000 + LANE_NO_PROGRESS_MS));
}
END_TEST

START_TEST(an_ack_that_moves_nothing_does_not_start_the_15_s_anew)
{
    push_many(2, 0);
    (void)ack(1, 1000);
    (void)ack(1, 9000);
    (void)ack(99, 9000);
    ck_assert(lane_is_stuck(&lane, 1000 + LANE_NO_PROGRESS_MS));
}
END_TEST

START_TEST(a_new_event_does_not_start_the_15_s_anew)
{
    push_many(1, 0);
    push_many(1, 10000);
    ck_assert(lane_is_stuck(&lane, LANE_NO_PROGRESS_MS));
}
END_TEST

START_TEST(an_empty_lane_is_never_stuck)
{
    ck_assert(!lane_is_stuck(&lane, 1000000));
    push_many(1, 0);
    (void)ack(1, 1);
    ck_assert(!lane_is_stuck(&lane, 1000000));
    push_many(1, 1000000);
    ck_assert(!lane_is_stuck(&lane, 1000001));
}
END_TEST

START_TEST(tags_are_told_in_order_when_the_ack_covers_them)
{
    (void)push_tagged(LANE_CRITICAL, 11, 0);
    (void)push_tagged(LANE_CRITICAL, 0, 0);
    (void)push_tagged(LANE_CRITICAL, 22, 0);
    (void)push_tagged(LANE_CRITICAL, 33, 0);
    (void)ack(3, 1);
    ck_assert_uint_eq(tags_count, 2);
    ck_assert_uint_eq(tags[0], 11);
    ck_assert_uint_eq(tags[1], 22);
}
END_TEST

START_TEST(the_gateways_own_events_are_no_part_of_what_the_shard_counts)
{
    (void)push(LANE_OWN, 0);
    for (uint32_t i = 0; i < LANE_DROPPABLE_MAX; i++)
        ck_assert_int_eq(push(LANE_DROPPABLE, 0), LANE_QUEUED);
    ck_assert_int_eq(push(LANE_DROPPABLE, 0), LANE_DROPPED);
    (void)ack(3, 1);
    ck_assert_uint_eq(lane_acked_of_shard(&lane), 2);
}
END_TEST

START_TEST(a_lane_that_has_used_all_its_numbers_ends)
{
    lane.last_id = UINT32_MAX - 1;
    lane.acked_id = UINT32_MAX - 1;
    ck_assert_int_eq(push(LANE_CRITICAL, 0), LANE_QUEUED);
    ck_assert_int_eq(push(LANE_CRITICAL, 0), LANE_FULL);
    ck_assert_int_eq(ack(UINT32_MAX, 0), LANE_ACK_MOVED);
    ck_assert_uint_eq(lane_pending(&lane), 0);
}
END_TEST

START_TEST(a_long_life_keeps_every_event_in_its_place)
{
    const struct lane_event *events[LANE_RESENDS_MAX];
    uint64_t now_ms = 0;

    for (int round = 0; round < 2000; round++) {
        push_many((uint32_t)round % 5, now_ms);
        if (round % 3 == 0)
            (void)ack(lane.last_id - lane.count / 2, now_ms);
        now_ms += LANE_RTO_MS;
        if (lane_due(&lane, now_ms, events) > 0)
            ck_assert_uint_eq(events[0]->event_id, lane.acked_id + 1);
    }
}
END_TEST

START_TEST(a_frame_for_many_lanes_is_kept_once)
{
    const uint8_t packet[] = { 0x06, 0, 0, 0, 0, 9 };
    struct lane other;
    struct frame *frame = frames_new(&frames, (struct span){ packet, sizeof packet });

    lane_init(&other);
    (void)lane_push(&lane, LANE_CRITICAL, frame, 0, 0);
    (void)lane_push(&other, LANE_CRITICAL, frame, 0, 0);
    frames_release(&frames, frame);
    ck_assert_uint_eq(frames.used, 1);
    (void)ack(1, 0);
    ck_assert_uint_eq(frames.used, 1);
    lane_fini(&other, &frames);
    ck_assert_uint_eq(frames.used, 0);
}
END_TEST

START_TEST(frames_of_every_size_keep_their_bytes)
{
    struct frame *held[1200];
    uint8_t bytes[1200];

    for (size_t size = 1; size <= sizeof bytes; size++) {
        memset(bytes, (int)(size & 0xFF), sizeof bytes);
        held[size - 1] = frames_new(&frames, (struct span){ bytes, size });
    }
    for (size_t size = 1; size <= sizeof bytes; size++) {
        ck_assert_uint_eq(held[size - 1]->size, size);
        ck_assert_uint_eq(held[size - 1]->data[size - 1], size & 0xFF);
        frames_release(&frames, held[size - 1]);
    }
}
END_TEST

/* ---- the receiver */

START_TEST(only_the_next_event_is_due)
{
    struct lane_receiver receiver = { .delivered_id = 4 };
    static const struct {
        uint32_t event_id;
        enum lane_receipt receipt;
    } cases[] = {
        { 0, LANE_REPEATED }, { 1, LANE_REPEATED }, { 4, LANE_REPEATED },
        { 5, LANE_NEXT },     { 6, LANE_AHEAD },    { UINT32_MAX, LANE_AHEAD },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_int_eq(lane_receipt(&receiver, cases[i].event_id), cases[i].receipt);
}
END_TEST

START_TEST(a_new_receiver_waits_for_event_1)
{
    struct lane_receiver receiver = { 0 };

    ck_assert_int_eq(lane_receipt(&receiver, 0), LANE_REPEATED);
    ck_assert_int_eq(lane_receipt(&receiver, 1), LANE_NEXT);
    lane_delivered(&receiver, 1);
    ck_assert_uint_eq(receiver.delivered_id, 1);
    ck_assert_int_eq(lane_receipt(&receiver, 1), LANE_REPEATED);
}
END_TEST

START_TEST(after_the_last_number_nothing_is_due)
{
    struct lane_receiver receiver = { .delivered_id = UINT32_MAX };

    ck_assert_int_eq(lane_receipt(&receiver, 0), LANE_REPEATED);
    ck_assert_int_eq(lane_receipt(&receiver, 1), LANE_REPEATED);
    ck_assert_int_eq(lane_receipt(&receiver, UINT32_MAX), LANE_REPEATED);
}
END_TEST

Suite *lane_suite(void)
{
    Suite *suite = suite_create("lane");
    TCase *sender = tcase_create("sender");
    TCase *receiver = tcase_create("receiver");

    tcase_add_checked_fixture(sender, setup, teardown);
    tcase_add_test(sender, events_are_numbered_from_1_without_a_gap);
    tcase_add_test(sender, an_ack_removes_every_event_up_to_it);
    tcase_add_test(sender, a_repeated_ack_changes_nothing);
    tcase_add_test(sender, an_ack_above_the_last_event_sent_is_ignored);
    tcase_add_test(sender, an_event_is_sent_again_once_its_age_reaches_the_rto);
    tcase_add_test(sender, the_rto_counts_from_the_last_send);
    tcase_add_test(sender, a_check_resends_at_most_32_events_oldest_first);
    tcase_add_test(sender, droppable_events_are_refused_from_256_unacked_on);
    tcase_add_test(sender, a_refused_event_takes_no_number);
    tcase_add_test(sender, droppable_events_are_taken_again_when_an_ack_has_made_room);
    tcase_add_test(sender, the_512th_unacked_event_is_one_too_many);
    tcase_add_test(sender, a_lane_is_stuck_15_s_after_its_first_event_without_an_ack);
    tcase_add_test(sender, an_ack_that_moves_the_queue_starts_the_15_s_anew);
    tcase_add_test(sender, an_ack_that_moves_nothing_does_not_start_the_15_s_anew);
    tcase_add_test(sender, a_new_event_does_not_start_the_15_s_anew);
    tcase_add_test(sender, an_empty_lane_is_never_stuck);
    tcase_add_test(sender, tags_are_told_in_order_when_the_ack_covers_them);
    tcase_add_test(sender, the_gateways_own_events_are_no_part_of_what_the_shard_counts);
    tcase_add_test(sender, a_lane_that_has_used_all_its_numbers_ends);
    tcase_add_test(sender, a_long_life_keeps_every_event_in_its_place);
    tcase_add_test(sender, a_frame_for_many_lanes_is_kept_once);
    tcase_add_test(sender, frames_of_every_size_keep_their_bytes);
    suite_add_tcase(suite, sender);
    tcase_add_test(receiver, only_the_next_event_is_due);
    tcase_add_test(receiver, a_new_receiver_waits_for_event_1);
    tcase_add_test(receiver, after_the_last_number_nothing_is_due);
    suite_add_tcase(suite, receiver);
    return suite;
}
