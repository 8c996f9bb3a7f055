#include "coordinator/ownership.h"

#include <string.h>

#include "tests/unit/suites.h"

static struct ownership ownership;
static struct registry registry;

static void setup(void)
{
    ownership_init(&ownership, 3);
    memset(&registry, 0, sizeof registry);
}

static void teardown(void)
{
    ownership_check(&ownership);
}

static uint16_t shard(const char *name)
{
    uint16_t place = registry_place(&registry, BUS__ROLE__ROLE_SHARD, name);

    registry.processes[place].state = PROCESS_UP;
    registry.processes[place].has_reported = true;
    return place;
}

/* Gives whatever should be given, as if Redis took every claim. Returns how many slots changed hands. */
static uint32_t give(uint64_t now_ms, bool is_starting)
{
    uint32_t count = 0;
    uint32_t slot;

    while (ownership_claim(&ownership, &registry, now_ms, is_starting, &slot)) {
        ck_assert(ownership_grant(&ownership, slot, ownership.slots[slot].tried));
        count++;
        ck_assert_uint_lt(count, 100);
    }
    return count;
}

static uint32_t count_of(uint16_t place)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < ownership.count; i++)
        count += ownership_taker(&ownership, i) == place;
    return count;
}

static void die(uint16_t place)
{
    registry.processes[place].state = PROCESS_GONE;
    ownership_lose(&ownership, place);
}

START_TEST(each_shard_has_the_slot_of_its_name)
{
    uint16_t second = shard("shard-2");
    uint16_t first = shard("shard-1");
    uint16_t third = shard("shard-3");

    ck_assert_uint_eq(give(0, true), 3);
    ck_assert_uint_eq(ownership_taker(&ownership, 0), first);
    ck_assert_uint_eq(ownership_taker(&ownership, 1), second);
    ck_assert_uint_eq(ownership_taker(&ownership, 2), third);
}
END_TEST

START_TEST(worlds_belong_to_slots_modulo_their_number)
{
    ck_assert_uint_eq(ownership_slot_of(&ownership, 0), 0);
    ck_assert_uint_eq(ownership_slot_of(&ownership, 5), 2);
    ck_assert_uint_eq(ownership_slot_of(&ownership, UINT32_MAX), UINT32_MAX % 3);
}
END_TEST

START_TEST(at_the_start_shards_that_are_not_there_yet_are_waited_for)
{
    uint16_t first = shard("shard-1");

    ck_assert_uint_eq(give(0, true), 1);
    ck_assert_uint_eq(ownership_taker(&ownership, 1), PROCESS_NONE);
    ck_assert_uint_eq(give(2000, false), 2);
    ck_assert_uint_eq(ownership_taker(&ownership, 1), first);
}
END_TEST

START_TEST(shards_of_any_name_share_the_slots_evenly)
{
    uint16_t a = shard("alpha");
    uint16_t b = shard("beta");

    ck_assert_uint_eq(give(2000, false), 3);
    ck_assert_uint_eq(count_of(a) + count_of(b), 3);
    ck_assert_uint_ge(count_of(b), 1);
    ck_assert_uint_ge(count_of(a), 1);
}
END_TEST

START_TEST(the_slots_of_a_dead_shard_go_to_the_living_under_a_higher_fence)
{
    uint16_t first = shard("shard-1");
    uint16_t second = shard("shard-2");

    (void)shard("shard-3");
    (void)give(0, true);
    registry.processes[first].members = 5;
    registry.processes[second].members = 5;
    die(second);
    ck_assert_uint_eq(ownership_taker(&ownership, 1), PROCESS_NONE);
    ck_assert_uint_eq(ownership.slots[1].fence, 1);
    ck_assert_uint_eq(give(9000, false), 1);
    ck_assert_uint_ne(ownership_taker(&ownership, 1), PROCESS_NONE);
    ck_assert_uint_eq(ownership.slots[1].fence, 2);
    ck_assert_uint_eq(ownership.slots[0].fence, 1);
}
END_TEST

START_TEST(a_restart_gets_its_slot_before_anybody_else)
{
    uint16_t second = shard("shard-2");

    (void)shard("shard-1");
    (void)shard("shard-3");
    (void)give(0, true);
    die(second);
    registry.processes[second].state = PROCESS_UP;
    registry.processes[second].has_reported = false;
    registry.processes[second].since_ms = 9000;
    ck_assert_uint_eq(give(9500, false), 0);
    registry.processes[second].has_reported = true;
    ck_assert_uint_eq(give(9600, false), 1);
    ck_assert_uint_eq(ownership_taker(&ownership, 1), second);
    ck_assert_uint_eq(ownership.slots[1].fence, 2);
}
END_TEST

START_TEST(a_restart_that_never_reports_is_not_waited_for_long)
{
    uint16_t second = shard("shard-2");

    (void)shard("shard-1");
    (void)shard("shard-3");
    (void)give(0, true);
    die(second);
    registry.processes[second].state = PROCESS_UP;
    registry.processes[second].has_reported = false;
    registry.processes[second].since_ms = 9000;
    ck_assert_uint_eq(give(10999, false), 0);
    ck_assert_uint_eq(give(11000, false), 1);
}
END_TEST

START_TEST(a_slot_goes_back_when_nobody_plays_where_it_is)
{
    uint16_t first = shard("shard-1");
    uint16_t second;

    ck_assert_uint_eq(give(2000, false), 3);
    registry.processes[first].members = 1;
    second = shard("shard-2");
    ck_assert_uint_eq(give(3000, false), 0);
    registry.processes[first].members = 0;
    ck_assert_uint_eq(give(3000, false), 1);
    ck_assert_uint_eq(ownership_taker(&ownership, 1), second);
    ck_assert_uint_eq(ownership_taker(&ownership, 2), first);
    ck_assert_uint_eq(ownership.slots[1].fence, 2);
}
END_TEST

START_TEST(a_claimed_slot_takes_nobody_in)
{
    uint32_t slot;

    (void)shard("shard-1");
    ck_assert(ownership_claim(&ownership, &registry, 0, true, &slot));
    ck_assert_uint_eq(slot, 0);
    ck_assert_uint_eq(ownership_taker(&ownership, 0), PROCESS_NONE);
    ck_assert(!ownership_claim(&ownership, &registry, 0, true, &slot));
}
END_TEST

START_TEST(a_claim_that_finds_a_higher_fence_is_made_again_above_it)
{
    uint16_t first = shard("shard-1");
    uint32_t slot;

    ck_assert(ownership_claim(&ownership, &registry, 0, true, &slot));
    ownership_refuse(&ownership, 0, 1, 40);
    ck_assert_uint_eq(ownership_taker(&ownership, 0), PROCESS_NONE);
    ck_assert(ownership_claim(&ownership, &registry, 0, true, &slot));
    ck_assert_uint_eq(ownership.slots[0].tried, 41);
    ck_assert(!ownership_grant(&ownership, 0, 1)); /* the answer to the first one, late */
    ck_assert(ownership_grant(&ownership, 0, 41));
    ck_assert_uint_eq(ownership_taker(&ownership, 0), first);
    ck_assert_uint_eq(ownership.slots[0].fence, 41);
}
END_TEST

/* The shard died while its claim was on the way: the answer gives the slot to nobody. */
START_TEST(a_claim_ends_with_its_claimant)
{
    uint16_t first = shard("shard-1");
    uint16_t second = shard("shard-2");
    uint32_t slot;

    ck_assert(ownership_claim(&ownership, &registry, 5000, false, &slot));
    die(first);
    ck_assert(!ownership_grant(&ownership, 0, 1));
    ck_assert_uint_eq(ownership_taker(&ownership, 0), PROCESS_NONE);
    (void)give(5000, false);
    ck_assert_uint_eq(ownership_taker(&ownership, 0), second);
    ck_assert_uint_eq(ownership.slots[0].fence, 2);
}
END_TEST

START_TEST(an_owner_of_before_stays_the_owner)
{
    uint16_t first = shard("shard-1");

    ownership_restore(&ownership, 0, first, 17);
    ownership_restore(&ownership, 1, PROCESS_NONE, 30);
    ck_assert_uint_eq(ownership_taker(&ownership, 0), first);
    ck_assert_uint_eq(ownership.slots[0].fence, 17);
    (void)give(5000, false);
    ck_assert_uint_eq(ownership.slots[0].fence, 17);
    ck_assert_uint_eq(ownership.slots[1].fence, 31);
}
END_TEST

START_TEST(another_owner_under_a_higher_fence_ends_this_one)
{
    (void)shard("shard-1");
    (void)give(5000, false);
    ownership_overtake(&ownership, 0, 1);
    ck_assert_uint_ne(ownership_taker(&ownership, 0), PROCESS_NONE);
    ownership_overtake(&ownership, 0, 9);
    ck_assert_uint_eq(ownership_taker(&ownership, 0), PROCESS_NONE);
    (void)give(5000, false);
    ck_assert_uint_eq(ownership.slots[0].fence, 10);
}
END_TEST

Suite *coordinator_ownership_suite(void)
{
    Suite *suite = suite_create("coordinator_ownership");
    TCase *tcase = tcase_create("ownership");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, each_shard_has_the_slot_of_its_name);
    tcase_add_test(tcase, worlds_belong_to_slots_modulo_their_number);
    tcase_add_test(tcase, at_the_start_shards_that_are_not_there_yet_are_waited_for);
    tcase_add_test(tcase, shards_of_any_name_share_the_slots_evenly);
    tcase_add_test(tcase, the_slots_of_a_dead_shard_go_to_the_living_under_a_higher_fence);
    tcase_add_test(tcase, a_restart_gets_its_slot_before_anybody_else);
    tcase_add_test(tcase, a_restart_that_never_reports_is_not_waited_for_long);
    tcase_add_test(tcase, a_slot_goes_back_when_nobody_plays_where_it_is);
    tcase_add_test(tcase, a_claimed_slot_takes_nobody_in);
    tcase_add_test(tcase, a_claim_that_finds_a_higher_fence_is_made_again_above_it);
    tcase_add_test(tcase, a_claim_ends_with_its_claimant);
    tcase_add_test(tcase, an_owner_of_before_stays_the_owner);
    tcase_add_test(tcase, another_owner_under_a_higher_fence_ends_this_one);
    suite_add_tcase(suite, tcase);
    return suite;
}
