/* What operators want of resources: told to shards, answered, kept. */
#include "coordinator/resources.h"

#include <string.h>

#include "coordinator/state.h"
#include "tests/unit/coordinator_hall.h"
#include "tests/unit/suites.h"

enum {
    START = BUS__RESOURCE_ORDER__OP__OP_START,
    STOP = BUS__RESOURCE_ORDER__OP__OP_STOP,
    RELOAD = BUS__RESOURCE_ORDER__OP__OP_RELOAD
};

static struct hall hall;

static void setup(void)
{
    hall_start(&hall);
}

static void teardown(void)
{
    hall_stop(&hall);
}

static uint64_t order(int op, const char *name)
{
    uint64_t number = 0;

    ck_assert_int_eq(
        coordinator_order(hall.coordinator, hall.now_ms, (Bus__ResourceOrder__Op)op, name, &number),
        COORDINATOR_DONE);
    ck_assert_uint_ne(number, 0);
    return number;
}

/* `error` NULL: it was done. */
static void answer(uint16_t peer, uint64_t number, const char *error)
{
    Bus__ResourceReport report = BUS__RESOURCE_REPORT__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char text[600] = "";

    if (error != NULL)
        memcpy(text, error, strlen(error) + 1);
    report.number = number;
    report.refused = error != NULL;
    report.error = text;
    item.item_case = BUS__ITEM__ITEM_RESOURCE_REPORT;
    item.resource_report = &report;
    hall_item(&hall, peer, &item);
}

static const Bus__ResourceOrder *told(uint16_t peer)
{
    const Bus__Item *item = hall_last(&hall, peer, BUS__ITEM__ITEM_RESOURCE_ORDER);

    return item == NULL ? NULL : item->resource_order;
}

static void is_told(uint16_t peer, uint64_t number, int op, const char *name)
{
    const Bus__ResourceOrder *order = told(peer);

    ck_assert_ptr_nonnull(order);
    ck_assert_uint_eq(order->number, number);
    ck_assert_int_eq((int)order->op, op);
    ck_assert_str_eq(order->resource, name);
}

static const struct resource_answer *answer_of(uint64_t number, size_t place)
{
    const struct resource_order *order = resources_find_order(&hall.coordinator->resources, number);

    ck_assert_ptr_nonnull(order);
    ck_assert_uint_lt(place, order->answers_count);
    return &order->answers[place];
}

static uint64_t drops(enum reason reason)
{
    return coordinator_stats(hall.coordinator)->drops[reason];
}

START_TEST(every_shard_is_ordered_and_answers_for_itself)
{
    uint64_t number = order(RELOAD, "race");

    is_told(HALL_SHARD_1, number, RELOAD, "race");
    is_told(HALL_SHARD_2, number, RELOAD, "race");
    ck_assert_ptr_null(told(HALL_GATEWAY_1));
    answer(HALL_SHARD_1, number, NULL);
    ck_assert_int_eq(answer_of(number, 0)->state, ANSWER_DONE);
    ck_assert_int_eq(answer_of(number, 1)->state, ANSWER_AWAITED);
    answer(HALL_SHARD_2, number, "main.lua:3: no");
    ck_assert_int_eq(answer_of(number, 1)->state, ANSWER_REFUSED);
    ck_assert_str_eq(answer_of(number, 1)->error, "main.lua:3: no");
    ck_assert_uint_eq(hall.redis.wishes_count, 0); /* a reload is no wish */
}
END_TEST

START_TEST(what_was_started_or_stopped_is_told_to_shards_that_come_later)
{
    answer(HALL_SHARD_1, order(START, "race"), NULL);
    answer(HALL_SHARD_1, order(STOP, "freeroam"), NULL);
    hall_pump(&hall);
    hall_forget(&hall);
    hall_shard_up(&hall, 13, "shard-3", 113);
    ck_assert_uint_eq(hall_count(&hall, 13, BUS__ITEM__ITEM_RESOURCE_ORDER), 2);
    is_told(13, 0, STOP, "freeroam");
    hall_gateway_up(&hall, 3, "gateway-3", 103);
    ck_assert_ptr_null(told(3));
}
END_TEST

START_TEST(what_no_shard_could_do_is_no_wish)
{
    uint64_t number = order(START, "rcae");

    answer(HALL_SHARD_1, number, "its folder: No such file or directory");
    answer(HALL_SHARD_2, number, "its folder: No such file or directory");
    hall_pump(&hall);
    ck_assert_uint_eq(hall.redis.wishes_count, 0);
    hall_forget(&hall);
    hall_shard_up(&hall, 13, "shard-3", 113);
    ck_assert_ptr_null(told(13));
}
END_TEST

START_TEST(who_comes_between_the_order_and_its_first_answer_is_told_then)
{
    uint64_t number = order(START, "race");

    hall_shard_up(&hall, 13, "shard-3", 113);
    ck_assert_ptr_null(told(13));
    answer(HALL_SHARD_1, number, NULL);
    is_told(13, 0, START, "race");
    hall_forget(&hall);
    answer(HALL_SHARD_2, number, NULL);
    ck_assert_ptr_null(told(13));
}
END_TEST

START_TEST(a_late_answer_does_not_overtake_a_later_wish)
{
    uint64_t start = order(START, "race");
    uint64_t stop = order(STOP, "race");

    answer(HALL_SHARD_1, start, NULL);
    answer(HALL_SHARD_1, stop, NULL);
    answer(HALL_SHARD_2, start, NULL);
    hall_pump(&hall);
    ck_assert_uint_eq(hall.redis.wishes_count, 1);
    ck_assert(!hall.redis.wishes[0].runs);
}
END_TEST

START_TEST(a_shard_that_was_silent_is_not_told_the_wish_before_its_order)
{
    answer(HALL_SHARD_1, order(START, "race"), NULL);
    (void)order(STOP, "race");
    hall_forget(&hall);
    hall_down(&hall, HALL_SHARD_1);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111); /* the same boot: the order reaches it still */
    ck_assert_ptr_null(told(HALL_SHARD_1));
    hall_down(&hall, HALL_SHARD_1);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 222);
    is_told(HALL_SHARD_1, 0, START, "race");
}
END_TEST

START_TEST(wishes_outlive_the_coordinator)
{
    answer(HALL_SHARD_1, order(START, "race"), NULL);
    answer(HALL_SHARD_1, order(STOP, "freeroam"), NULL);
    hall_pump(&hall);
    ck_assert_uint_eq(hall.redis.wishes_count, 2);
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 333);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_RESOURCE_ORDER), 2);
    hall_forget(&hall);
    answer(HALL_SHARD_1, order(START, "freeroam"), NULL); /* over one of a former coordinator */
    hall_pump(&hall);
    ck_assert_uint_eq(hall.redis.wishes_count, 2);
    ck_assert(hall.redis.wishes[1].runs);
}
END_TEST

START_TEST(what_redis_has_missed_is_written_when_it_is_back)
{
    hall_redis_down(&hall);
    answer(HALL_SHARD_1, order(START, "race"), NULL);
    hall.redis.wishes[hall.redis.wishes_count++] = (struct stored_wish){ .name = "stranger" };
    hall_redis_up(&hall);
    ck_assert_uint_eq(hall.redis.wishes_count, 1);
    ck_assert_str_eq(hall.redis.wishes[0].name, "race");
}
END_TEST

START_TEST(an_order_that_cannot_be_is_refused)
{
    static const char *const bad[] = {
        "", "Race", "../race", "ra ce", "race\n", "0", "a234567890123456789012345678901234567890123456789"
    };
    uint64_t number;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_int_eq(coordinator_order(hall.coordinator, hall.now_ms, BUS__RESOURCE_ORDER__OP__OP_START,
                                           bad[i], &number),
                         COORDINATOR_BAD_NAME);
    ck_assert_int_eq(
        coordinator_order(hall.coordinator, hall.now_ms, BUS__RESOURCE_ORDER__OP__OP_NONE, "race", &number),
        COORDINATOR_BAD_NAME);
    hall_down(&hall, HALL_SHARD_1);
    hall_down(&hall, HALL_SHARD_2);
    ck_assert_int_eq(
        coordinator_order(hall.coordinator, hall.now_ms, BUS__RESOURCE_ORDER__OP__OP_START, "race", &number),
        COORDINATOR_NO_SHARD);
    hall_stop(&hall);
    hall_start_alone(&hall);
    ck_assert_int_eq(
        coordinator_order(hall.coordinator, hall.now_ms, BUS__RESOURCE_ORDER__OP__OP_START, "race", &number),
        COORDINATOR_NOT_READY);
}
END_TEST

START_TEST(wishes_and_orders_have_a_limit)
{
    struct resources *resources = &hall.coordinator->resources;
    uint64_t first = order(RELOAD, "race");
    uint64_t number;

    for (int i = 0; i < RESOURCES_ORDERS_MAX; i++)
        (void)order(RELOAD, "race");
    ck_assert_ptr_null(resources_find_order(resources, first));
    answer(HALL_SHARD_1, first, NULL);
    ck_assert_uint_eq(drops(REASON_BUS_STALE), 1);
    for (size_t i = 0; i < RESOURCES_WISHES_MAX; i++)
        (void)snprintf(resources->wishes[resources->wishes_count++].name, GAME_RESOURCE_MAX, "r%zu", i);
    ck_assert_int_eq(
        coordinator_order(hall.coordinator, hall.now_ms, BUS__RESOURCE_ORDER__OP__OP_START, "race", &number),
        COORDINATOR_FULL);
    (void)order(START, "r7");
}
END_TEST

START_TEST(bad_reports_are_dropped_whole)
{
    char name[] = "race";
    char bad_name[] = "Race";
    char long_text[GAME_RESOURCE_ERROR_MAX + 2];
    char control[] = "a\nb";
    char none[] = "";
    Bus__ResourceState state = BUS__RESOURCE_STATE__INIT;
    Bus__ResourceState *states[] = { &state };
    Bus__ResourceReport report = BUS__RESOURCE_REPORT__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    uint64_t number = order(RELOAD, "race");
    const struct {
        char *name;
        char *error;
        int stands;
        char *why;
        bool refused;
    } bad[] = { { bad_name, none, 1, none, false }, { name, none, 0, none, false },
                { name, none, 5, none, false },     { name, long_text, 1, none, false },
                { name, control, 1, none, false },  { name, none, 1, control, true },
                { name, none, 1, long_text, true }, { name, none, 1, name, false } };

    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    item.item_case = BUS__ITEM__ITEM_RESOURCE_REPORT;
    item.resource_report = &report;
    report.number = number;
    report.resources = states;
    report.n_resources = 1;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        state.name = bad[i].name;
        state.error = bad[i].error;
        state.stands = (Bus__ResourceState__Stands)bad[i].stands;
        report.error = bad[i].why;
        report.refused = bad[i].refused;
        hall_item(&hall, HALL_SHARD_1, &item);
        ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), i + 1);
    }
    ck_assert_int_eq(answer_of(number, 0)->state, ANSWER_AWAITED);
    hall_item(&hall, HALL_GATEWAY_1, &item);
    ck_assert_uint_eq(drops(REASON_BUS_FORBIDDEN), 1);
}
END_TEST

START_TEST(an_answer_counts_once_and_only_from_whoever_was_asked)
{
    uint64_t number = order(RELOAD, "race");

    answer(HALL_SHARD_1, number, "no");
    answer(HALL_SHARD_1, number, NULL);
    ck_assert_int_eq(answer_of(number, 0)->state, ANSWER_REFUSED);
    answer(HALL_SHARD_1, number + 1, NULL);
    hall_shard_up(&hall, 13, "shard-3", 113);
    answer(13, number, NULL);
    ck_assert_uint_eq(drops(REASON_BUS_STALE), 3);
}
END_TEST

Suite *coordinator_resources_suite(void)
{
    Suite *suite = suite_create("coordinator_resources");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, every_shard_is_ordered_and_answers_for_itself);
    tcase_add_test(tcase, what_was_started_or_stopped_is_told_to_shards_that_come_later);
    tcase_add_test(tcase, what_no_shard_could_do_is_no_wish);
    tcase_add_test(tcase, who_comes_between_the_order_and_its_first_answer_is_told_then);
    tcase_add_test(tcase, a_late_answer_does_not_overtake_a_later_wish);
    tcase_add_test(tcase, a_shard_that_was_silent_is_not_told_the_wish_before_its_order);
    tcase_add_test(tcase, wishes_outlive_the_coordinator);
    tcase_add_test(tcase, what_redis_has_missed_is_written_when_it_is_back);
    tcase_add_test(tcase, an_order_that_cannot_be_is_refused);
    tcase_add_test(tcase, wishes_and_orders_have_a_limit);
    tcase_add_test(tcase, bad_reports_are_dropped_whole);
    tcase_add_test(tcase, an_answer_counts_once_and_only_from_whoever_was_asked);
    suite_add_tcase(suite, tcase);
    return suite;
}
