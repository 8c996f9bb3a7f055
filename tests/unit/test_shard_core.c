#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "shard/ownership.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

static struct stage *stage;

static void setup(void)
{
    stage = stage_new(NULL, 0);
}

static void teardown(void)
{
    stage_free(stage);
}

static void stage_with(const struct shard_vehicle *vehicles, size_t count)
{
    stage_free(stage);
    stage = stage_new(vehicles, count);
}

/* ---- reliable items */

/* A RequestSpawn under that number. */
static void request_numbered(struct stage_client *client, uint64_t number)
{
    client->item = number - 1;
    stage_request_spawn(stage, client);
}

START_TEST(a_reliable_item_is_applied_once_and_in_order)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    request_numbered(client, 3);
    ck_assert_uint_eq(stage_reason(stage, REASON_ITEM_GAP), 1);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_CONNECTED);
    request_numbered(client, 2);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_GRANTED);
    request_numbered(client, 2);
    ck_assert_uint_eq(stage_reason(stage, REASON_ITEM_REPEATED), 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_ALREADY_SPAWNED), 0);
    request_numbered(client, 3);
    ck_assert_uint_eq(stage_reason(stage, REASON_ALREADY_SPAWNED), 1);
}
END_TEST

START_TEST(an_acked_tag_has_a_number_too)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__TagAcked acked = BUS__TAG_ACKED__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    player.id = 1;
    player.token = client->token;
    acked.player = &player;
    acked.number = 2;
    item.item_case = BUS__ITEM__ITEM_TAG_ACKED;
    item.tag_acked = &acked;
    stage_item(stage, STAGE_PEER_GATEWAY + 1, &item);
    ck_assert_uint_eq(stage_player(stage, client)->last_item, 2);
}
END_TEST

START_TEST(a_leave_counts_whatever_came_before_it)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    client->item = 40;
    stage_gone(stage, client);
    ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 1));
    stage_gone(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_STALE), 1);
}
END_TEST

START_TEST(a_join_that_is_repeated_changes_nothing)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);

    client->token -= 1000; /* the stage gives the same one again */
    stage_join(stage, 1, 500, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_ITEM_REPEATED), 1);
    ck_assert_float_eq(world_player_by_id(&stage->shard->world, 1)->place.pos[0], 0);
}
END_TEST

/* ---- bad items */

START_TEST(an_item_without_its_parts_is_dropped)
{
    static const Bus__Item__ItemCase cases[] = {
        BUS__ITEM__ITEM_PLAYER_JOIN, BUS__ITEM__ITEM_CLIENT_PACKET, BUS__ITEM__ITEM_EVENTS_ACKED,
        BUS__ITEM__ITEM_TAG_ACKED,   BUS__ITEM__ITEM_PLAYER_GONE,
    };
    Bus__PlayerJoin join = BUS__PLAYER_JOIN__INIT;
    Bus__ClientPacket packet = BUS__CLIENT_PACKET__INIT;
    Bus__EventsAcked acked = BUS__EVENTS_ACKED__INIT;
    Bus__TagAcked tag = BUS__TAG_ACKED__INIT;
    Bus__PlayerGone gone = BUS__PLAYER_GONE__INIT;
    ProtobufCMessage *parts[] = { &join.base, &packet.base, &acked.base, &tag.base, &gone.base };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Bus__Item item = BUS__ITEM__INIT;

        item.item_case = cases[i];
        stage_item(stage, STAGE_PEER_GATEWAY, &item);
        item.player_join = (Bus__PlayerJoin *)(void *)parts[i];
        stage_item(stage, STAGE_PEER_GATEWAY, &item);
    }

    Bus__Item nothing = BUS__ITEM__INIT;

    stage_item(stage, STAGE_PEER_GATEWAY, &nothing);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 11);
}
END_TEST

START_TEST(a_join_that_makes_no_sense_ends_the_connection)
{
    static const struct {
        const char *what;
        float x, z, heading;
        uint32_t skin, interior, token;
        uint64_t number;
        const char *name;
        size_t address_size;
    } cases[] = {
        { "x", NAN, 0, 0, 0, 0, 9, 1, "a", 16 },        { "x", 6001, 0, 0, 0, 0, 9, 1, "a", 16 },
        { "z", 0, INFINITY, 0, 0, 0, 9, 1, "a", 16 },   { "heading", 0, 0, NAN, 0, 0, 9, 1, "a", 16 },
        { "heading", 0, 0, 361, 0, 0, 9, 1, "a", 16 },  { "skin", 0, 0, 0, 312, 0, 9, 1, "a", 16 },
        { "interior", 0, 0, 0, 0, 256, 9, 1, "a", 16 }, { "token", 0, 0, 0, 0, 0, 0, 1, "a", 16 },
        { "number", 0, 0, 0, 0, 0, 9, 2, "a", 16 },     { "name", 0, 0, 0, 0, 0, 9, 1, "", 16 },
        { "name", 0, 0, 0, 0, 0, 9, 1, "a\nb", 16 },    { "name", 0, 0, 0, 0, 0, 9, 1, "\xC3", 16 },
        { "address", 0, 0, 0, 0, 0, 9, 1, "a", 0 },     { "address", 0, 0, 0, 0, 0, 9, 1, "a", 4 },
        { "address", 0, 0, 0, 0, 0, 9, 1, "a", 17 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[32];
        uint8_t address[17] = { 0 };
        Bus__Player player = BUS__PLAYER__INIT;
        Bus__Scope scope = BUS__SCOPE__INIT;
        Bus__Spawn spawn = BUS__SPAWN__INIT;
        Bus__PlayerJoin join = BUS__PLAYER_JOIN__INIT;
        Bus__Item item = BUS__ITEM__INIT;

        (void)snprintf(name, sizeof name, "%s", cases[i].name);
        stage->clients[2] = (struct stage_client){ .used = true, .id = 2, .token = cases[i].token };
        player.id = 2;
        player.token = cases[i].token;
        scope.interior = cases[i].interior;
        spawn.scope = &scope;
        spawn.x = cases[i].x;
        spawn.z = cases[i].z;
        spawn.heading = cases[i].heading;
        spawn.skin = cases[i].skin;
        join.player = &player;
        join.number = cases[i].number;
        join.name = name;
        join.spawn = &spawn;
        join.address = (ProtobufCBinaryData){ .len = cases[i].address_size, .data = address };
        item.item_case = BUS__ITEM__ITEM_PLAYER_JOIN;
        item.player_join = &join;
        stage_item(stage, STAGE_PEER_GATEWAY, &item);
        ck_assert_msg(stage->clients[2].kicked, "case %zu: %s", i, cases[i].what);
        ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 2));
    }
}
END_TEST

START_TEST(a_shard_that_is_full_turns_players_away)
{
    stage_free(stage);
    stage = stage_new_sized(NULL, 0, 2, 10, true);
    stage_join(stage, 1, 0, 0);
    stage_join(stage, 2, 0, 0);
    stage_join(stage, 3, 0, 0);
    ck_assert(stage->clients[3].kicked && !stage->clients[2].kicked);
    stage_gone(stage, &stage->clients[1]);
    stage_join(stage, 4, 0, 0);
    ck_assert(!stage->clients[4].kicked);
    stage_gone(stage, &stage->clients[4]);
    stage_join(stage, 10, 0, 0); /* an id that the table does not have */
    ck_assert(stage->clients[10].kicked);
    ck_assert_uint_eq(stage_reason(stage, REASON_TABLE_FULL), 2);
}
END_TEST

static void send_bytes(struct stage_client *client, const uint8_t *bytes, size_t size, uint64_t number)
{
    uint8_t copy[1300];
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__ClientPacket packet = BUS__CLIENT_PACKET__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    memcpy(copy, bytes, size);
    player.id = client->id;
    player.token = client->token;
    packet.player = &player;
    packet.packet.data = copy;
    packet.packet.len = size;
    packet.number = number;
    item.item_case = BUS__ITEM__ITEM_CLIENT_PACKET;
    item.client_packet = &packet;
    stage_item(stage, (uint16_t)(STAGE_PEER_GATEWAY + client->gateway), &item);
}

START_TEST(a_packet_that_does_not_decode_changes_nothing)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    uint8_t bytes[1300] = { 0 };

    send_bytes(client, bytes, 0, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 1);
    bytes[0] = PACKET_PLAYER_SYNC;
    send_bytes(client, bytes, sizeof bytes, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 2);
    send_bytes(client, bytes, 20, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_MALFORMED_SHORT), 1);
    send_bytes(client, bytes, 1200, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_MALFORMED_LONG), 1);
    bytes[0] = 0xFE;
    send_bytes(client, bytes, 20, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_MALFORMED_UNKNOWN), 1);
    bytes[0] = PACKET_REQUEST_SPAWN;
    send_bytes(client, bytes, 1, 0); /* a reliable packet without a number */
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 3);
    bytes[0] = PACKET_WEAPON_SHOT;
    send_bytes(client, bytes, 20, 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_NO_HANDLER), 1);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_CONNECTED);
    ck_assert_uint_eq(stage_player(stage, client)->last_item, 1);
}
END_TEST

START_TEST(a_gateway_speaks_only_for_its_own_players)
{
    struct stage_client *client = stage_spawn(stage, 1, 0, 0);

    client->gateway = 0;
    stage_gone(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_FORBIDDEN), 1);
    ck_assert_ptr_nonnull(world_player_by_id(&stage->shard->world, 1));
}
END_TEST

START_TEST(nobody_says_what_is_not_his_to_say)
{
    Bus__PlayerJoin join = BUS__PLAYER_JOIN__INIT;
    Bus__ClusterMap map = BUS__CLUSTER_MAP__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_PLAYER_JOIN;
    item.player_join = &join;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    stage_item(stage, 500, &item);
    item.item_case = BUS__ITEM__ITEM_MAP;
    item.map = &map;
    stage_item(stage, STAGE_PEER_GATEWAY, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_FORBIDDEN), 3);
}
END_TEST

/* ---- gateways */

START_TEST(the_players_of_a_dead_gateway_leave_after_10_s)
{
    struct stage_client *gone = stage_spawn(stage, 1, 0, 0);
    struct stage_client *stays = stage_spawn(stage, 2, 5, 0);

    stage_gateway_down(stage, 1);
    stage_run(stage, 9900);
    ck_assert_ptr_nonnull(world_player_by_id(&stage->shard->world, 1));
    stage_walk(stage, stays, 6, 0); /* nothing is sent to whom nobody can reach */
    stage_run(stage, 200);
    ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 1));
    ck_assert_ptr_nonnull(world_player_by_id(&stage->shard->world, 2));
    gone->used = false;
    stage_left(stage, 1, gone->token, 1);
    ck_assert(!stage_sees_player(stays, gone));
}
END_TEST

START_TEST(a_gateway_that_comes_back_keeps_its_players_and_is_told_everything_anew)
{
    struct shard_vehicle cars[] = { stage_car(411, 0, 0), stage_car(411, 5, 0) };
    struct stage_client *away;
    struct stage_client *other;

    stage_with(cars, 2);
    away = stage_spawn(stage, 1, 0, 0);
    other = stage_spawn(stage, 2, 5, 0);
    stage_run(stage, 300);
    stage_gateway_down(stage, 1);
    stage_enter(stage, other, stage_vehicle(stage, 0)->id, 0);
    stage_run(stage, 5000);
    for (int i = 0; i < 60; i++)
        stage_walk(stage, other, 5 + (float)i * 4, 0);
    stage_run(stage, 1000);
    stage_forget(stage);
    for (size_t i = 0; i < stage->groups_count[1]; i++)
        stage->groups[1][i].count = 0; /* it has forgotten what it was told */
    stage_gateway_up(stage, 1, 1);
    stage_run(stage, 300);
    ck_assert(stage_sees_vehicle(away, stage_vehicle(stage, 0)->id));
    ck_assert_uint_eq(stage_count(away, PACKET_VEHICLE_OCCUPANCY), 1); /* who sits there now */
    ck_assert_uint_eq(away->players_count, 0);                         /* it is far away by now */
    stage_forget(stage);
    stage_walk(stage, away, 1, 0);
    ck_assert_uint_eq(stage_player(stage, away)->place.pos[0] == 1, 1);
}
END_TEST

/* It was stopped, and has not noticed: the groups of before are still there. */
START_TEST(a_gateway_that_does_not_know_that_it_was_away_forgets_its_groups)
{
    struct stage_client *away;
    struct stage_client *near;
    struct stage_client *other;

    stage_with(NULL, 0);
    away = stage_spawn(stage, 1, 0, 0);
    other = stage_spawn(stage, 2, 5, 0);
    stage_run(stage, 300);
    stage_gateway_down(stage, 1);
    stage_gone(stage, other);
    stage_run(stage, 1000);
    stage_gateway_up(stage, 1, 1);
    other = stage_spawn(stage, 2, 240, 0); /* the same id, and so the same group */
    near = stage_spawn(stage, 3, 240, 0);
    stage_run(stage, 300);
    stage_forget(stage);
    stage_walk(stage, other, 241, 0);
    ck_assert_uint_eq(stage_count(near, PACKET_REMOTE_PLAYER_SYNC), 1);
    ck_assert_uint_eq(stage_count(away, PACKET_REMOTE_PLAYER_SYNC), 0);
}
END_TEST

START_TEST(a_gateway_with_a_new_boot_has_lost_its_players)
{
    struct stage_client *gone = stage_spawn(stage, 1, 0, 0);

    stage_gateway_down(stage, 1);
    gone->used = false;
    stage_gateway_up(stage, 1, 2);
    ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 1));
    stage->groups_count[1] = 0;
    stage_spawn(stage, 3, 0, 0);
    ck_assert_ptr_nonnull(world_player_by_id(&stage->shard->world, 3));
}
END_TEST

START_TEST(a_client_that_is_owed_more_hides_than_are_kept_is_given_up)
{
    struct stage_client *away = stage_spawn(stage, 1, 0, 0);

    stage_gateway_down(stage, 1);
    stage_player(stage, away)->owed_hides_count = PLAYER_OWED_HIDES_MAX;
    stage_gateway_up(stage, 1, 1);
    ck_assert(away->kicked);
}
END_TEST

/* ---- slots and ids */

START_TEST(a_slot_brings_its_vehicles_and_takes_them_along)
{
    struct shard_vehicle cars[3] = { stage_car(411, 0, 0), stage_car(411, 5, 0), stage_car(411, 9, 0) };
    struct stage_client *client;

    cars[1].virtual_world = 1; /* of the other slot */
    cars[2].virtual_world = 2;
    stage_with(cars, 3);
    ck_assert_uint_eq(stage->shard->world.vehicles.count, 2);
    ck_assert(ownership_has(stage->shard, (struct scope){ .virtual_world = 4, .interior = 3 }));
    ck_assert(!ownership_has(stage->shard, (struct scope){ .virtual_world = 5 }));
    client = stage_spawn(stage, 1, 0, 0);
    stage_enter(stage, client, stage_vehicle(stage, 0)->id, 0);
    stage_map(stage, 2, 3, 1);
    ck_assert_uint_eq(stage->shard->world.vehicles.count, 3);
    stage_map(stage, 2, 2, 1);
    ck_assert(client->kicked); /* its gateway still counts on this shard */
    ck_assert_uint_eq(stage->shard->world.vehicles.count, 1);
    ck_assert_uint_eq(stage->shard->world.players.count, 0);
    ck_assert_uint_eq(shard_stats(stage->shard)->slots, 1);
}
END_TEST

START_TEST(a_slot_with_another_fence_starts_anew)
{
    struct shard_vehicle car = stage_car(411, 0, 0);
    uint32_t id;

    stage_with(&car, 1);
    id = stage_vehicle(stage, 0)->id;
    stage_map(stage, 2, 1, 1);
    ck_assert_uint_eq(stage_vehicle(stage, 0)->id, id);
    stage_map(stage, 2, 1, 2);
    ck_assert_uint_ne(stage_vehicle(stage, 0)->id, id);
}
END_TEST

START_TEST(it_counts_its_players_and_vehicles)
{
    struct shard_vehicle car = stage_car(411, 0, 0);

    stage_with(&car, 1);
    ck_assert_uint_eq(shard_stats(stage->shard)->vehicles, 1);
    ck_assert_uint_eq(shard_stats(stage->shard)->players, 0);
    stage_spawn(stage, 1, 0, 0);
    ck_assert_uint_eq(shard_stats(stage->shard)->players, 1);
}
END_TEST

START_TEST(vehicles_wait_for_their_ids)
{
    struct shard_vehicle car = stage_car(411, 0, 0);
    Bus__IdLease lease = BUS__ID_LEASE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    stage_with(&car, 1);
    stage->leases = false;
    stage->shard->lease = (struct id_lease){ 0 };
    stage_map(stage, 2, 1, 2);
    ck_assert_uint_eq(stage->shard->world.vehicles.count, 0);
    lease.first = 70;
    lease.count = 1024;
    item.item_case = BUS__ITEM__ITEM_ID_LEASE;
    item.id_lease = &lease;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage_vehicle(stage, 0)->id, 70);
}
END_TEST

START_TEST(the_next_block_of_ids_is_asked_for_when_half_is_used)
{
    struct shard_vehicle cars[100];

    for (size_t i = 0; i < 100; i++)
        cars[i] = stage_car(411, 0, 0);
    stage_with(cars, 100);
    ck_assert_uint_eq(stage->leases_asked, 1);
    for (uint64_t fence = 2; fence <= 6; fence++)
        stage_map(stage, 2, 1, fence);
    ck_assert_uint_eq(stage->leases_asked, 2); /* 600 used */
    for (uint64_t fence = 7; fence <= 11; fence++)
        stage_map(stage, 2, 1, fence);
    ck_assert_uint_eq(stage->leases_asked, 2);
    ck_assert_uint_eq(stage_vehicle(stage, 99)->id, 1100);
    for (uint64_t fence = 12; fence <= 17; fence++)
        stage_map(stage, 2, 1, fence);
    ck_assert_uint_eq(stage->leases_asked, 3);
}
END_TEST

START_TEST(a_lease_that_reaches_the_last_id_is_refused)
{
    Bus__IdLease lease = BUS__ID_LEASE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    lease.first = UINT32_MAX - 9;
    lease.count = 10;
    item.item_case = BUS__ITEM__ITEM_ID_LEASE;
    item.id_lease = &lease;
    stage->shard->lease = (struct id_lease){ .asked = true };
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 1);
    lease.first--;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 1);
}
END_TEST

START_TEST(an_older_map_is_stale_until_the_coordinator_is_another)
{
    stage_map(stage, 2, 1, 1);
    stage->map_revision = 0;
    stage_map(stage, 2, 2, 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_STALE), 1);
    ck_assert(ownership_has(stage->shard, (struct scope){ 0 }));
    shard_peer_down(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR);
    shard_peer_up(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR,
                  "coordinator", 2);
    stage_map(stage, 2, 2, 1);
    ck_assert(!ownership_has(stage->shard, (struct scope){ 0 }));
}
END_TEST

START_TEST(a_map_that_makes_no_sense_is_dropped)
{
    Bus__ClusterMap map = BUS__CLUSTER_MAP__INIT;
    Bus__Slot *slots[1] = { NULL };
    Bus__Item item = BUS__ITEM__INIT;

    map.revision = 99;
    item.item_case = BUS__ITEM__ITEM_MAP;
    item.map = &map;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    map.n_slots = 1;
    map.slots = slots;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 2);
    ck_assert(ownership_has(stage->shard, (struct scope){ 0 }));
}
END_TEST

/* ---- time, configuration */

START_TEST(ticks_are_100_ms_apart_and_a_late_one_makes_up_for_nothing)
{
    uint64_t due_ms = shard_wakes_at(stage->shard);

    stage->now_ms = due_ms;
    shard_tick(stage->shard, stage->now_ms);
    ck_assert_uint_eq(shard_wakes_at(stage->shard), due_ms + 100);
    shard_tick(stage->shard, due_ms + 99);
    ck_assert_uint_eq(shard_wakes_at(stage->shard), due_ms + 100);
    shard_tick(stage->shard, due_ms + 5000);
    ck_assert_uint_eq(shard_wakes_at(stage->shard), due_ms + 5100);
    stage_pump(stage);
}
END_TEST

struct bad_config {
    const char *says;
    void (*spoil)(struct shard_config *config, struct shard_vehicle *vehicle);
};

#define SPOIL(name, statement)                                                           \
    static void spoil_##name(struct shard_config *config, struct shard_vehicle *vehicle) \
    {                                                                                    \
        (void)config;                                                                    \
        (void)vehicle;                                                                   \
        statement;                                                                       \
    }

SPOIL(players, config->players_max = 0)
SPOIL(vehicles, config->vehicles_max = 0)
SPOIL(ids, config->player_ids_max = 0)
SPOIL(model_low, vehicle->model = 399)
SPOIL(model_high, vehicle->model = 612)
SPOIL(carriage, vehicle->model = 569)
SPOIL(x, vehicle->x = (double)NAN)
SPOIL(y, vehicle->y = 6000.5)
SPOIL(z, vehicle->z = (double)INFINITY)
SPOIL(heading, vehicle->heading = (double)NAN)
SPOIL(color1, vehicle->color1 = 128)
SPOIL(color2, vehicle->color2 = -1)
SPOIL(world, vehicle->virtual_world = -1)
SPOIL(interior, vehicle->interior = 256)

START_TEST(a_configuration_out_of_its_ranges_is_refused)
{
    static const struct bad_config cases[] = {
        { "players_max", spoil_players },
        { "vehicles_max", spoil_vehicles },
        { "player_ids_max", spoil_ids },
        { "vehicles[0].model", spoil_model_low },
        { "vehicles[0].model", spoil_model_high },
        { "a carriage", spoil_carriage },
        { "vehicles[0].x", spoil_x },
        { "vehicles[0].y", spoil_y },
        { "vehicles[0].z", spoil_z },
        { "vehicles[0].heading", spoil_heading },
        { "vehicles[0].color1", spoil_color1 },
        { "vehicles[0].color2", spoil_color2 },
        { "vehicles[0].virtual_world", spoil_world },
        { "vehicles[0].interior", spoil_interior },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shard_vehicle vehicle = stage_car(411, 6000, -6000);
        struct shard_config config = { .name = "s",
                                       .bus_endpoint = "e",
                                       .players_max = 1,
                                       .vehicles_max = 1,
                                       .player_ids_max = 1,
                                       .vehicles = &vehicle,
                                       .vehicles_count = 1 };
        char *text = NULL;
        size_t size = 0;
        FILE *errors = open_memstream(&text, &size);

        ck_assert_uint_eq(shard_config_check(&config, errors), 0);
        cases[i].spoil(&config, &vehicle);
        ck_assert_uint_ge(shard_config_check(&config, errors), 1);
        (void)fclose(errors);
        ck_assert_msg(strstr(text, cases[i].says) != NULL, "'%s' does not tell of %s", text, cases[i].says);
        free(text);
    }
}
END_TEST

START_TEST(the_longest_tick_of_a_second_is_reported_once)
{
    shard_note_tick(stage->shard, 1.5f);
    shard_note_tick(stage->shard, 7.5f);
    shard_note_tick(stage->shard, 2.5f);
    stage_run(stage, 1000);
    ck_assert_float_eq(stage->reported_tick_ms, 7.5f);
    stage_run(stage, 1000);
    ck_assert_float_eq(stage->reported_tick_ms, 0.0f);
}
END_TEST

/* Everything the bus may say, as far as it unpacks, leaves a world that holds. */
START_TEST(items_of_random_bytes_never_break_the_world)
{
    struct shard_vehicle cars[] = { stage_car(411, 0, 0), stage_car(596, 5, 0) };
    struct rng rng;

    stage_with(cars, 2);
    for (uint32_t id = 0; id < 6; id++)
        stage_spawn(stage, id, (float)id, 0);
    rng_init_seeded(&rng, 11);
    for (int round = 0; round < 20000; round++) {
        struct stage_client *client = &stage->clients[rng_below(&rng, 6)];
        uint8_t bytes[200];
        size_t size = 1 + rng_below(&rng, sizeof bytes - 1);
        static const uint8_t ids[] = { PACKET_PLAYER_SYNC,  PACKET_VEHICLE_FRAME, PACKET_VEHICLE_ENTER,
                                       PACKET_VEHICLE_EXIT, PACKET_CLIENT_CHAT,   PACKET_DEATH_REPORT };

        rng_bytes(&rng, bytes, size);
        bytes[0] = ids[rng_below(&rng, sizeof ids)];
        send_bytes(client, bytes, size, rng_chance(&rng, 0.5) ? 0 : ++client->item);
    }
}
END_TEST

Suite *shard_core_suite(void)
{
    Suite *suite = suite_create("shard_core");
    TCase *tcase = tcase_create("core");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase, the_longest_tick_of_a_second_is_reported_once);
    tcase_add_test(tcase, a_reliable_item_is_applied_once_and_in_order);
    tcase_add_test(tcase, an_acked_tag_has_a_number_too);
    tcase_add_test(tcase, a_leave_counts_whatever_came_before_it);
    tcase_add_test(tcase, a_join_that_is_repeated_changes_nothing);
    tcase_add_test(tcase, an_item_without_its_parts_is_dropped);
    tcase_add_test(tcase, a_join_that_makes_no_sense_ends_the_connection);
    tcase_add_test(tcase, a_shard_that_is_full_turns_players_away);
    tcase_add_test(tcase, a_packet_that_does_not_decode_changes_nothing);
    tcase_add_test(tcase, a_gateway_speaks_only_for_its_own_players);
    tcase_add_test(tcase, nobody_says_what_is_not_his_to_say);
    tcase_add_test(tcase, the_players_of_a_dead_gateway_leave_after_10_s);
    tcase_add_test(tcase, a_gateway_that_comes_back_keeps_its_players_and_is_told_everything_anew);
    tcase_add_test(tcase, a_gateway_that_does_not_know_that_it_was_away_forgets_its_groups);
    tcase_add_test(tcase, a_gateway_with_a_new_boot_has_lost_its_players);
    tcase_add_test(tcase, a_client_that_is_owed_more_hides_than_are_kept_is_given_up);
    tcase_add_test(tcase, a_slot_brings_its_vehicles_and_takes_them_along);
    tcase_add_test(tcase, a_slot_with_another_fence_starts_anew);
    tcase_add_test(tcase, it_counts_its_players_and_vehicles);
    tcase_add_test(tcase, vehicles_wait_for_their_ids);
    tcase_add_test(tcase, the_next_block_of_ids_is_asked_for_when_half_is_used);
    tcase_add_test(tcase, a_lease_that_reaches_the_last_id_is_refused);
    tcase_add_test(tcase, an_older_map_is_stale_until_the_coordinator_is_another);
    tcase_add_test(tcase, a_map_that_makes_no_sense_is_dropped);
    tcase_add_test(tcase, ticks_are_100_ms_apart_and_a_late_one_makes_up_for_nothing);
    tcase_add_test(tcase, a_configuration_out_of_its_ranges_is_refused);
    tcase_add_test(tcase, items_of_random_bytes_never_break_the_world);
    suite_add_tcase(suite, tcase);
    return suite;
}
