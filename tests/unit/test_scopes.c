#include <string.h>

#include "shard/player_place.h"
#include "shard/player_set.h"
#include "shard/player_spawn.h"
#include "shard/vehicle_enter.h"
#include "shard/vehicle_seat.h"
#include "tests/unit/event_log.h"
#include "tests/unit/suites.h"

static struct stage *stage;
static struct event_log events;

static void setup(void)
{
    stage = stage_new(NULL, 0);
    event_log_open(&events, stage->shard);
}

static void teardown(void)
{
    stage_free(stage);
}

static void start_in(uint32_t virtual_world, uint8_t interior)
{
    stage->spawns[stage->spawns_count++] =
        (struct scope){ .virtual_world = virtual_world, .interior = interior };
}

START_TEST(where_players_start_is_started_with_the_slot)
{
    start_in(0, 0);
    start_in(0, 3);
    start_in(1, 0); /* another shard's */
    start_in(0, 0); /* again */
    stage_map(stage, 2, 1, 1);
    ck_assert_uint_eq(event_log_count(&events, "scope_start 0 0"), 1);
    ck_assert_uint_eq(event_log_count(&events, "scope_start 0 3"), 1);
    ck_assert_uint_eq(events.count, 2);
    stage_map(stage, 2, 1, 1);
    stage_run(stage, 1000);
    stage_spawn(stage, 1, 0, 0);
    ck_assert_uint_eq(event_log_count(&events, "scope_start"), 2);
}
END_TEST

START_TEST(a_slot_that_is_lost_forgets_its_scopes)
{
    start_in(0, 0);
    stage_map(stage, 2, 3, 1);
    stage_spawn(stage, 1, 0, 0);
    player_set_scope(stage->shard, world_player_by_id(&stage->shard->world, 1),
                     (struct scope){ .virtual_world = 5 });
    stage_pump(stage);
    ck_assert_uint_eq(event_log_count(&events, "scope_start"), 2);
    stage_map(stage, 2, 1, 1);
    stage->clients[1].used = false;                   /* went with slot 1 */
    ck_assert_uint_eq(stage->shard->scopes.count, 1); /* 0 stays */
    stage_map(stage, 2, 0, 1);
    ck_assert_uint_eq(stage->shard->scopes.count, 0);
    stage_map(stage, 2, 1, 2);
    ck_assert_uint_eq(event_log_count(&events, "scope_start 0 0"), 2);
}
END_TEST

START_TEST(a_slot_that_comes_back_under_another_fence_starts_anew)
{
    start_in(0, 0);
    stage_map(stage, 2, 1, 1);
    stage_map(stage, 2, 1, 2);
    ck_assert_uint_eq(event_log_count(&events, "scope_start 0 0"), 2);
}
END_TEST

static void is_before_anybody(void *context, enum event event)
{
    (void)context;
    if (event == EVENT_SCOPE_START)
        for (uint32_t id = 0; id < 10; id++)
            if (world_player_by_id(&stage->shard->world, id) != NULL)
                ck_assert_uint_eq(world_player_by_id(&stage->shard->world, id)->place.scope.virtual_world, 0);
}

START_TEST(any_other_scope_is_started_before_the_first_player_comes_into_it)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);
    struct player *player = stage_player(stage, client);
    struct place there = { .scope = { .virtual_world = 2 }, .pos = { 0, 0, 10 } };
    struct spawn_info info;

    ck_assert_uint_eq(event_log_count(&events, "scope_start 0 0"), 1);
    ck_assert_uint_eq(event_log_count(&events, "player_connect"), 1);
    ck_assert_str_eq(events.lines[0], "scope_start 0 0");

    events.then = is_before_anybody;
    player_teleport(stage->shard, player, stage->now_ms, &there);
    ck_assert_str_eq(events.lines[events.count - 2], "scope_start 2 0");
    ck_assert_str_eq(event_log_last(&events), "player_scope 1 2 0 0 0");
    events.then = NULL;
    player_set_scope(stage->shard, player, (struct scope){ .virtual_world = 2, .interior = 9 });
    ck_assert_str_eq(events.lines[events.count - 2], "scope_start 2 9");
    info = player_spawn_info(player);
    info.place.scope.virtual_world = 8;
    player_set_spawn_info(stage->shard, player, &info);
    ck_assert_uint_eq(event_log_count(&events, "scope_start 8"), 0);
    player_spawn(stage->shard, player);
    ck_assert_str_eq(events.lines[events.count - 2], "scope_start 8 0");
    player_set_scope(stage->shard, player, (struct scope){ .virtual_world = 2 }); /* for the second time */
    ck_assert_uint_eq(event_log_count(&events, "scope_start"), 4);
}
END_TEST

/* A handler that moves the player in the middle of its own change of scope. */
static void pull_back(void *context, enum event event)
{
    struct player *player = world_player_by_id(&stage->shard->world, 1);
    struct place home = { .pos = { 7, 0, 10 } };

    (void)context;
    if (event == EVENT_SCOPE_START && player != NULL && player->place.scope.virtual_world == 0)
        player_teleport(stage->shard, player, stage->now_ms, &home);
}

START_TEST(a_handler_that_moves_the_player_elsewhere_meanwhile_is_overruled)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);

    events.then = pull_back;
    ck_assert_uint_eq(
        player_set_scope(stage->shard, stage_player(stage, client), (struct scope){ .virtual_world = 2 }),
        REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_player(stage, client)->place.scope.virtual_world, 2);
}
END_TEST

/* A handler that seats the player in the middle of its own change of scope. */
static void seat_it(void *context, enum event event)
{
    struct player *player = world_player_by_id(&stage->shard->world, 1);
    struct wire_vehicle_enter enter = { .vehicle_id = stage_vehicle(stage, 0)->id };
    uint8_t packet[WIRE_VEHICLE_ENTER_SIZE];
    size_t size = wire_vehicle_enter_put(&enter, packet, sizeof packet);

    (void)context;
    if (event == EVENT_SCOPE_START && player != NULL)
        on_vehicle_enter(stage->shard, player, stage->now_ms, (struct span){ packet, size });
}

START_TEST(who_is_seated_by_a_handler_meanwhile_leaves_the_seat_again)
{
    struct shard_vehicle car = stage_car(411, 5, 0);
    struct stage_client *client;

    stage_free(stage);
    stage = stage_new(&car, 1);
    event_log_open(&events, stage->shard);
    client = stage_spawn(stage, 1, 0, 0);
    events.then = seat_it;
    ck_assert_uint_eq(
        player_set_scope(stage->shard, stage_player(stage, client), (struct scope){ .virtual_world = 2 }),
        REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_vehicle(stage, 0)->seats[0], SLOT_NONE);
    ck_assert_uint_eq(stage_player(stage, client)->place.scope.virtual_world, 2);
}
END_TEST

/* A handler that changes its mind about the spawn. */
static void spawn_elsewhere(void *context, enum event event)
{
    struct player *player = world_player_by_id(&stage->shard->world, 1);
    struct spawn_info info;

    (void)context;
    if (event != EVENT_SCOPE_START || player == NULL)
        return;
    info = player_spawn_info(player);
    info.place.scope.virtual_world = 1; /* another shard's */
    player_set_spawn_info(stage->shard, player, &info);
}

START_TEST(a_spawn_goes_into_the_scope_that_was_started_for_it)
{
    struct player *player = stage_player(stage, stage_spawn(stage, 1, 0, 0));
    struct spawn_info info = player_spawn_info(player);

    info.place.scope.virtual_world = 2;
    player_set_spawn_info(stage->shard, player, &info);
    events.then = spawn_elsewhere;
    ck_assert_uint_eq(player_spawn(stage->shard, player), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(player->place.scope.virtual_world, 2);
    ck_assert_uint_eq(player_spawn(stage->shard, player), REASON_OTHER_SHARD);
}
END_TEST

START_TEST(where_players_start_waits_for_ids_of_what_is_made_there)
{
    stage_free(stage);
    stage = stage_new(NULL, 0);
    event_log_open(&events, stage->shard);
    stage->shard->lease = (struct id_lease){ .asked = true };
    start_in(0, 0);
    stage_map(stage, 2, 1, 1);
    ck_assert_uint_eq(events.count, 0);

    Bus__IdLease lease = BUS__ID_LEASE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    lease.first = 100000;
    lease.count = 1024;
    item.item_case = BUS__ITEM__ITEM_ID_LEASE;
    item.id_lease = &lease;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_str_eq(event_log_last(&events), "scope_start 0 0");
}
END_TEST

START_TEST(scopes_have_a_limit)
{
    struct player *player = stage_player(stage, stage_spawn(stage, 1, 0, 0));

    events.then = NULL;
    event_listen(stage->shard, EVENT_SCOPE_START, false);
    for (uint32_t i = stage->shard->scopes.count; i < SCOPES_MAX; i++)
        ck_assert_uint_eq(scopes_need(stage->shard, (struct scope){ .virtual_world = 2 * i }), REASON_NONE);
    ck_assert_uint_eq(scopes_need(stage->shard, (struct scope){ .virtual_world = 2 * SCOPES_MAX }),
                      REASON_TABLE_FULL);
    ck_assert_uint_eq(
        player_set_scope(stage->shard, player, (struct scope){ .virtual_world = 2 * SCOPES_MAX }),
        REASON_TABLE_FULL);
    ck_assert_uint_eq(player_set_scope(stage->shard, player, (struct scope){ .virtual_world = 2 }),
                      REASON_NONE);
}
END_TEST

START_TEST(a_map_with_a_start_that_makes_no_sense_is_dropped)
{
    Bus__Slot slot = BUS__SLOT__INIT;
    Bus__Slot *slots[] = { &slot };
    Bus__Scope scope = BUS__SCOPE__INIT;
    Bus__Scope *spawns[SCOPES_SPAWNS_MAX + 1];
    Bus__ClusterMap map = BUS__CLUSTER_MAP__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    slot.shard = stage->shard->name;
    map.revision = 100;
    map.n_slots = 1;
    map.slots = slots;
    map.n_spawns = 1;
    map.spawns = spawns;
    spawns[0] = NULL;
    item.item_case = BUS__ITEM__ITEM_MAP;
    item.map = &map;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    spawns[0] = &scope;
    scope.interior = 256;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    scope.interior = 255;
    for (size_t i = 0; i < SCOPES_SPAWNS_MAX + 1; i++)
        spawns[i] = &scope;
    map.n_spawns = SCOPES_SPAWNS_MAX + 1;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 3);
    ck_assert_uint_eq(stage->shard->slots_count, 2);
    map.n_spawns = SCOPES_SPAWNS_MAX;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage->shard->slots_count, 1);
    ck_assert_uint_eq(event_log_count(&events, "scope_start 0 255"), 1);
}
END_TEST

Suite *scopes_suite(void)
{
    Suite *suite = suite_create("scopes");
    TCase *tcase = tcase_create("scopes");

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, where_players_start_is_started_with_the_slot);
    tcase_add_test(tcase, a_slot_that_is_lost_forgets_its_scopes);
    tcase_add_test(tcase, a_slot_that_comes_back_under_another_fence_starts_anew);
    tcase_add_test(tcase, any_other_scope_is_started_before_the_first_player_comes_into_it);
    tcase_add_test(tcase, a_handler_that_moves_the_player_elsewhere_meanwhile_is_overruled);
    tcase_add_test(tcase, who_is_seated_by_a_handler_meanwhile_leaves_the_seat_again);
    tcase_add_test(tcase, a_spawn_goes_into_the_scope_that_was_started_for_it);
    tcase_add_test(tcase, where_players_start_waits_for_ids_of_what_is_made_there);
    tcase_add_test(tcase, scopes_have_a_limit);
    tcase_add_test(tcase, a_map_with_a_start_that_makes_no_sense_is_dropped);
    return suite;
}
