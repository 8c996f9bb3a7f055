#include <math.h>
#include <string.h>

#include "shard/player_place.h"
#include "shard/player_sync.h"
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

static struct place place_at(float x, float y, uint32_t virtual_world, uint8_t interior)
{
    return (struct place){ .scope = { .virtual_world = virtual_world, .interior = interior },
                           .pos = { x, y, 10 } };
}

static float player_x(struct stage_client *client)
{
    return stage_player(stage, client)->place.pos[0];
}

/* ---- spawning */

START_TEST(a_spawn_request_is_granted_at_the_place_of_the_join)
{
    struct stage_client *client = stage_join(stage, 3, 100, 200);
    struct wire_spawn_player grant;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_request_spawn(stage, client);
    packet = stage_take(client, PACKET_SPAWN_PLAYER);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_spawn_player_decode(&grant, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(grant.life, 1);
    ck_assert_uint_eq(grant.pose_rev, 1);
    ck_assert_uint_eq(grant.weapon_rev, 1);
    ck_assert_float_eq(grant.pos[0], 100);
    ck_assert_float_eq(grant.pos[1], 200);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_GRANTED);
}
END_TEST

START_TEST(who_has_spawned_is_only_acknowledged_when_it_asks_again)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);

    stage_request_spawn(stage, client);
    stage_request_spawn(stage, client);
    stage_walk(stage, client, 0, 0);
    stage_request_spawn(stage, client);
    ck_assert_uint_eq(stage_count(client, PACKET_SPAWN_PLAYER), 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_ALREADY_SPAWNED), 2);
}
END_TEST

START_TEST(the_first_frame_of_the_life_starts_it)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);
    struct wire_player_sync sync;

    sync = stage_sync(client);
    stage_send_sync(stage, client, &sync);
    ck_assert_uint_eq(stage_reason(stage, REASON_NOT_SPAWNED), 1);
    stage_request_spawn(stage, client);
    sync = stage_sync(client);
    sync.frame.life = 2;
    stage_send_sync(stage, client, &sync);
    ck_assert_uint_eq(stage_reason(stage, REASON_OLD_LIFE), 1);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_GRANTED);
    stage_walk(stage, client, 0, 0);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_ALIVE);
}
END_TEST

START_TEST(a_life_follows_255_with_1)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    stage_player(stage, client)->life = 255;
    client->life = 255;
    stage_die(stage, client);
    stage_run(stage, 1000);
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(client->life, 1);
    stage_walk(stage, client, 0, 0);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_ALIVE);
}
END_TEST

/* ---- frames */

START_TEST(a_frame_counts_only_if_its_seq_is_newer)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct wire_player_sync sync = stage_sync(client);
    static const struct {
        uint32_t mark, seq;
        bool newer;
    } cases[] = {
        { 10, 11, true },
        { 10, 10, false },
        { 10, 9, false },
        { UINT32_MAX, 0, true },
        { 0, UINT32_MAX, false },
        { 5, 5 + 0x7FFFFFFFU, true },
        { 5, 5 + 0x80000000U, false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t refused = stage_reason(stage, REASON_OLD_SEQ);

        stage_player(stage, client)->seq = cases[i].mark;
        sync.seq = cases[i].seq;
        stage_send_sync(stage, client, &sync);
        ck_assert_uint_eq(stage_reason(stage, REASON_OLD_SEQ) - refused, cases[i].newer ? 0 : 1);
        ck_assert_uint_eq(stage_player(stage, client)->seq, cases[i].newer ? cases[i].seq : cases[i].mark);
    }
}
END_TEST

struct bound {
    const char *what;
    size_t offset;
    float at;
    float beyond;
};

#define FRAME_BOUND(what, field, value, toward)                 \
    {                                                           \
        what, offsetof(struct wire_frame, field), value, toward \
    }

START_TEST(each_bound_of_a_frame_is_accepted_at_it_and_refused_past_it)
{
    /* clang-format off: columns */
    static const struct bound bounds[] = {
        FRAME_BOUND("x", pos[0], 6000, INFINITY),
        FRAME_BOUND("-x", pos[0], -6000, -INFINITY),
        FRAME_BOUND("y", pos[1], 6000, INFINITY),
        FRAME_BOUND("-y", pos[1], -6000, -INFINITY),
        FRAME_BOUND("z", pos[2], 4000, INFINITY),
        FRAME_BOUND("-z", pos[2], -200, -INFINITY),
        FRAME_BOUND("heading", heading, 360, INFINITY),
        FRAME_BOUND("-heading", heading, -360, -INFINITY),
        FRAME_BOUND("move_speed x", move_speed[0], 5, INFINITY),
        FRAME_BOUND("move_speed y", move_speed[1], -5, -INFINITY),
        FRAME_BOUND("move_speed z", move_speed[2], 5, INFINITY),
        FRAME_BOUND("aim long", aim[0], 1.1f, INFINITY),
        FRAME_BOUND("aim short", aim[1], 0.9f, 0),
        FRAME_BOUND("hp", hp, 1000, INFINITY),
        FRAME_BOUND("-hp", hp, -1, -INFINITY),
        FRAME_BOUND("armor", armor, 1000, INFINITY),
        FRAME_BOUND("-armor", armor, -1, -INFINITY),
    };
    /* clang-format on */
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        struct wire_player_sync sync = stage_sync(client);
        uint64_t refused = stage_reason(stage, REASON_OUT_OF_BOUNDS);
        float beyond = nextafterf(bounds[i].at, bounds[i].beyond);

        memcpy((char *)&sync.frame + bounds[i].offset, &bounds[i].at, sizeof(float));
        stage_send_sync(stage, client, &sync);
        ck_assert_msg(stage_reason(stage, REASON_OUT_OF_BOUNDS) == refused, "%s at its bound",
                      bounds[i].what);
        sync = stage_sync(client);
        memcpy((char *)&sync.frame + bounds[i].offset, &beyond, sizeof(float));
        stage_send_sync(stage, client, &sync);
        ck_assert_msg(stage_reason(stage, REASON_OUT_OF_BOUNDS) == refused + 1, "%s past its bound",
                      bounds[i].what);
    }
}
END_TEST

START_TEST(a_refused_frame_is_relayed_to_nobody_and_moves_nothing)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *other = stage_spawn(stage, 4, 5, 0);
    struct wire_player_sync sync = stage_sync(client);

    stage_forget(stage);
    sync.frame.pos[0] = 1;
    sync.frame.hp = 1001;
    stage_send_sync(stage, client, &sync);
    ck_assert_uint_eq(stage_count(other, PACKET_REMOTE_PLAYER_SYNC), 0);
    ck_assert_float_eq(player_x(client), 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_OUT_OF_BOUNDS), 1);
}
END_TEST

START_TEST(an_accepted_frame_goes_to_those_who_are_shown_the_player_as_one_item_a_gateway)
{
    struct stage_client *client = stage_spawn(stage, 0, 0, 0);
    struct wire_remote_player_sync relay;
    struct wire_error error;
    struct wire_player_sync sync;
    const struct stage_packet *packet;

    for (uint32_t id = 1; id <= 20; id++)
        stage_spawn(stage, id, (float)id, 0);
    stage_spawn(stage, 30, 500, 0);
    stage_run(stage, 1000);
    stage_forget(stage);
    sync = stage_sync(client);
    sync.frame.pos[0] = 2;
    sync.frame.hp = 77;
    stage_send_sync(stage, client, &sync);
    ck_assert_uint_eq(stage->sends, STAGE_GATEWAYS);
    for (uint32_t id = 1; id <= 20; id++)
        ck_assert_uint_eq(stage_count(&stage->clients[id], PACKET_REMOTE_PLAYER_SYNC), 1);
    ck_assert_uint_eq(stage_count(client, PACKET_REMOTE_PLAYER_SYNC), 0);
    ck_assert_uint_eq(stage_count(&stage->clients[30], PACKET_REMOTE_PLAYER_SYNC), 0);
    packet = stage_take(&stage->clients[1], PACKET_REMOTE_PLAYER_SYNC);
    ck_assert(wire_remote_player_sync_decode(&relay, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(relay.player_id, 0);
    ck_assert_uint_eq(relay.player_token, client->token);
    ck_assert_uint_eq(relay.seq, sync.seq);
    ck_assert_float_eq(relay.frame.pos[0], 2);
    ck_assert_float_eq(relay.frame.hp, 77);
    ck_assert_uint_eq(relay.relation_rev, 0);
    ck_assert_uint_eq(relay.teammate, 0);
}
END_TEST

START_TEST(a_frame_with_another_pose_rev_counts_but_moves_nobody)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *other = stage_spawn(stage, 4, 5, 0);
    struct wire_player_sync sync = stage_sync(client);
    struct wire_remote_player_sync relay;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_forget(stage);
    sync.frame.pose_rev--;
    sync.frame.pos[0] = 3;
    sync.frame.heading = 45;
    sync.frame.flags = 8;
    stage_send_sync(stage, client, &sync);
    ck_assert_float_eq(player_x(client), 0);
    ck_assert_float_eq(stage_player(stage, client)->place.heading, 45);
    ck_assert(stage_player(stage, client)->paused);
    packet = stage_take(other, PACKET_REMOTE_PLAYER_SYNC);
    ck_assert(wire_remote_player_sync_decode(&relay, packet->bytes, packet->size, &error));
    ck_assert_float_eq(relay.frame.pos[0], 0);
    ck_assert_float_eq(relay.frame.heading, 45);
}
END_TEST

START_TEST(the_pose_rev_wraps)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct place to = place_at(50, 0, 0, 0);

    stage_player(stage, client)->pose_rev = UINT16_MAX;
    ck_assert_uint_eq(player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &to),
                      REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(client->pose_rev, 0);
    stage_walk(stage, client, 51, 0);
    ck_assert_float_eq(player_x(client), 51);
}
END_TEST

START_TEST(on_foot_nobody_moves_faster_than_4_m_and_60_m_a_second)
{
    /* Time since the last accepted position, and how far is just allowed. */
    static const struct {
        uint64_t ms;
        float most;
    } cases[] = { { 0, 4 }, { 100, 10 }, { 1000, 64 }, { 2000, 124 }, { 60000, 124 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stage_client *client = stage_spawn(stage, (uint32_t)i, 0, 0);

        stage->now_ms += cases[i].ms;
        stage_walk(stage, client, nextafterf(cases[i].most, 1000) + 0.0001f, 0);
        ck_assert_float_eq(player_x(client), 0);
        stage_walk(stage, client, cases[i].most, 0);
        ck_assert_float_eq(player_x(client), cases[i].most);
    }
    ck_assert_uint_eq(stage_reason(stage, REASON_MOVED_TOO_FAR), sizeof cases / sizeof cases[0]);
}
END_TEST

START_TEST(distances_are_in_three_dimensions)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct wire_player_sync sync = stage_sync(client);

    sync.frame.pos[0] = 3;
    sync.frame.pos[1] = 2;
    sync.frame.pos[2] = 12;
    stage_send_sync(stage, client, &sync);
    ck_assert_float_eq(player_x(client), 0);
}
END_TEST

START_TEST(after_20_violations_in_a_row_the_client_is_put_back)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct wire_teleport_player teleport;
    struct wire_error error;
    const struct stage_packet *packet;

    for (int i = 0; i < 19; i++)
        stage_walk(stage, client, 300, 0);
    stage_walk(stage, client, 1, 0);
    for (int i = 0; i < 19; i++)
        stage_walk(stage, client, 300, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 0);
    stage_walk(stage, client, 300, 0);
    packet = stage_take(client, PACKET_TELEPORT_PLAYER);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_teleport_player_decode(&teleport, packet->bytes, packet->size, &error));
    ck_assert_float_eq(teleport.pos[0], 1);
    ck_assert_uint_eq(teleport.pose_rev, 2);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 0);
    stage_walk(stage, client, 2, 0);
    ck_assert_float_eq(player_x(client), 2);
}
END_TEST

START_TEST(a_seat_that_the_server_does_not_hold_is_not_relayed)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *other = stage_spawn(stage, 4, 5, 0);
    struct wire_player_sync sync = stage_sync(client);
    struct wire_remote_player_sync relay;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_forget(stage);
    sync.frame.vehicle_id = 77;
    sync.frame.seat = 1;
    stage_send_sync(stage, client, &sync);
    packet = stage_take(other, PACKET_REMOTE_PLAYER_SYNC);
    ck_assert(wire_remote_player_sync_decode(&relay, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(relay.frame.vehicle_id, WIRE_NONE);
    ck_assert_uint_eq(relay.frame.seat, 0);
    ck_assert_uint_eq(stage_player(stage, client)->vehicle, SLOT_NONE);
}
END_TEST

/* ---- death and respawn */

START_TEST(a_death_is_told_to_those_who_are_shown_the_player)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *near = stage_spawn(stage, 4, 5, 0);
    struct stage_client *far = stage_spawn(stage, 5, 900, 0);
    struct wire_player_wasted wasted;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_die(stage, client);
    packet = stage_take(near, PACKET_PLAYER_WASTED);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_player_wasted_decode(&wasted, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(wasted.player_id, client->id);
    ck_assert_uint_eq(wasted.killer_id, WIRE_NONE);
    ck_assert_uint_eq(wasted.pose_weapon, 1);
    ck_assert_uint_eq(wasted.pose_anim_group, 2);
    ck_assert_uint_eq(wasted.pose_anim, 3);
    ck_assert_uint_eq(stage_count(far, PACKET_PLAYER_WASTED), 0);
    ck_assert_uint_eq(stage_count(client, PACKET_PLAYER_WASTED), 0);
}
END_TEST

START_TEST(a_second_report_of_the_same_death_is_only_acknowledged)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *near = stage_spawn(stage, 4, 5, 0);

    stage_die(stage, client);
    stage_die(stage, client);
    ck_assert_uint_eq(stage_count(near, PACKET_PLAYER_WASTED), 1);
    ck_assert_uint_eq(stage_reason(stage, REASON_NOT_ALIVE), 1);
}
END_TEST

START_TEST(a_death_of_another_life_is_only_acknowledged)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    client->life = 2;
    stage_die(stage, client);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_ALIVE);
    ck_assert_uint_eq(stage_reason(stage, REASON_OLD_LIFE), 1);
}
END_TEST

START_TEST(a_death_before_the_first_frame_counts)
{
    struct stage_client *client = stage_join(stage, 3, 0, 0);
    struct stage_client *near = stage_spawn(stage, 4, 5, 0);

    stage_request_spawn(stage, client);
    stage_die(stage, client);
    ck_assert_uint_eq(stage_player(stage, client)->state, LIFE_DEAD);
    ck_assert(!stage_sees_player(near, client));
    stage_walk(stage, client, 1, 0);
    ck_assert(stage_sees_player(near, client));
    ck_assert_uint_eq(stage_count(near, PACKET_PLAYER_WASTED), 1);
}
END_TEST

START_TEST(a_dead_players_frames_are_relayed_and_change_nothing_else)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *near = stage_spawn(stage, 4, 5, 0);
    struct wire_remote_player_sync relay;
    struct wire_error error;
    struct wire_player_sync sync;
    const struct stage_packet *packet;

    stage_die(stage, client);
    stage_forget(stage);
    sync = stage_sync(client);
    sync.frame.pos[0] = 3;
    sync.frame.heading = 90;
    sync.frame.flags = 8;
    stage_send_sync(stage, client, &sync);
    packet = stage_take(near, PACKET_REMOTE_PLAYER_SYNC);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_player_sync_decode(&relay, packet->bytes, packet->size, &error));
    ck_assert_float_eq(relay.frame.pos[0], 3);
    ck_assert_float_eq(player_x(client), 0);
    ck_assert_float_eq(stage_player(stage, client)->place.heading, 0);
    ck_assert(!stage_player(stage, client)->paused);
}
END_TEST

START_TEST(a_respawn_comes_1_s_after_the_death_at_the_earliest)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct wire_respawn_player grant;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_request_respawn(stage, client);
    ck_assert_uint_eq(stage_reason(stage, REASON_NOT_DEAD), 1);
    stage_die(stage, client);
    stage->now_ms += 999;
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(stage_count(client, PACKET_RESPAWN_PLAYER), 0);
    ck_assert_uint_eq(stage_reason(stage, REASON_TOO_EARLY), 1);
    stage->now_ms += 1;
    stage_request_respawn(stage, client);
    packet = stage_take(client, PACKET_RESPAWN_PLAYER);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_respawn_player_decode(&grant, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(grant.life, 2);
    ck_assert_uint_eq(grant.pose_rev, 2);
    ck_assert_uint_eq(grant.weapon_rev, 2);
}
END_TEST

START_TEST(the_frames_of_the_last_life_end_with_the_respawn)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *near = stage_spawn(stage, 4, 5, 0);
    struct wire_player_sync sync;

    stage_die(stage, client);
    stage_run(stage, 1000);
    stage_request_respawn(stage, client);
    ck_assert(!stage_sees_player(near, client));
    stage_forget(stage);
    sync = stage_sync(client);
    sync.frame.life = 1;
    stage_send_sync(stage, client, &sync);
    ck_assert_uint_eq(stage_count(near, PACKET_REMOTE_PLAYER_SYNC), 0);
    stage_walk(stage, client, 0, 0);
    ck_assert_uint_eq(stage_count(near, PACKET_PLAYER_SPAWNED), 1);
    ck_assert_uint_eq(stage_count(near, PACKET_REMOTE_PLAYER_SYNC), 1);
    ck_assert_uint_eq(stage_count(near, PACKET_PLAYER_WASTED), 0);
}
END_TEST

START_TEST(a_respawn_into_another_scope_says_so_on_the_new_grant)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct place away = place_at(0, 0, 2, 0);

    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &away);
    stage_pump(stage);
    stage_walk(stage, client, 1, 0);
    stage_die(stage, client);
    stage_run(stage, 1000);
    stage_forget(stage);
    stage_request_respawn(stage, client);
    ck_assert_uint_eq(stage_count(client, PACKET_RESPAWN_PLAYER), 1);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 1);
    ck_assert_uint_lt(stage_order(client, PACKET_RESPAWN_PLAYER), stage_order(client, PACKET_SCOPE_CHANGED));
    ck_assert_uint_eq(stage_player(stage, client)->place.scope.virtual_world, 0);
}
END_TEST

/* ---- scopes */

START_TEST(a_scope_change_hides_then_commands_then_shows)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *old = stage_spawn(stage, 4, 5, 0);
    struct stage_client *other = stage_spawn(stage, 5, 8, 0);
    struct place away = place_at(8, 0, 2, 1);

    player_teleport(stage->shard, stage_player(stage, other), stage->now_ms, &away);
    stage_pump(stage);
    stage_run(stage, 500);
    ck_assert(stage_sees_player(old, client) && !stage_sees_player(other, client));
    stage_forget(stage);
    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &away);
    stage_pump(stage);
    ck_assert(!stage_sees_player(old, client) && !stage_sees_player(client, old));
    ck_assert(stage_sees_player(other, client) && stage_sees_player(client, other));
    ck_assert_uint_lt(stage_order(client, PACKET_PLAYER_STREAM_OUT),
                      stage_order(client, PACKET_TELEPORT_PLAYER));
    ck_assert_uint_lt(stage_order(client, PACKET_TELEPORT_PLAYER), stage_order(client, PACKET_SCOPE_CHANGED));
    ck_assert_uint_lt(stage_order(client, PACKET_SCOPE_CHANGED), stage_order(client, PACKET_PLAYER_SPAWNED));
}
END_TEST

START_TEST(a_change_of_virtual_world_alone_teleports_nobody)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct place there = place_at(0, 0, 2, 0);

    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &there);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 0);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 1);
    stage_walk(stage, client, 1, 0);
    ck_assert_float_eq(player_x(client), 1);
}
END_TEST

START_TEST(a_teleport_within_the_scope_has_no_barrier)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *old = stage_spawn(stage, 4, 5, 0);
    struct stage_client *new = stage_spawn(stage, 5, 2000, 0);
    struct place there = place_at(2010, 0, 0, 0);

    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &there);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 1);
    ck_assert_uint_eq(stage_count(client, PACKET_SCOPE_CHANGED), 0);
    ck_assert(!stage_sees_player(old, client) && !stage_sees_player(client, old));
    ck_assert(stage_sees_player(new, client) && stage_sees_player(client, new));
}
END_TEST

START_TEST(a_teleport_is_refused_to_its_caller)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *waiting = stage_join(stage, 4, 0, 0);
    struct place other_shard = place_at(0, 0, 1, 0);
    struct place outside = place_at(nextafterf(6000, 7000), 0, 0, 0);
    struct place nowhere = place_at(NAN, 0, 0, 0);
    struct place fine = place_at(1, 0, 0, 0);

    ck_assert_uint_eq(player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &other_shard),
                      REASON_OTHER_SHARD);
    ck_assert_uint_eq(player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &outside),
                      REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &nowhere),
                      REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(player_teleport(stage->shard, stage_player(stage, waiting), stage->now_ms, &fine),
                      REASON_NOT_SPAWNED);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_TELEPORT_PLAYER), 0);
    ck_assert_float_eq(player_x(client), 0);
}
END_TEST

START_TEST(frames_from_before_a_teleport_do_not_undo_it)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct place there = place_at(30, 0, 0, 0);
    struct wire_player_sync sync = stage_sync(client);

    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &there);
    stage_pump(stage);
    sync.frame.pos[0] = 1;
    stage_send_sync(stage, client, &sync);
    ck_assert_float_eq(player_x(client), 30);
    stage_walk(stage, client, 31, 0);
    ck_assert_float_eq(player_x(client), 31);
}
END_TEST

/* ---- leaving */

START_TEST(who_left_is_gone_for_everybody)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);
    struct stage_client *near = stage_spawn(stage, 4, 5, 0);

    stage_gone(stage, client);
    ck_assert_ptr_null(world_player_by_id(&stage->shard->world, 3));
    stage_left(stage, 3, client->token, 0);
    ck_assert_uint_eq(stage_count(near, PACKET_PLAYER_LEAVE), 1);
    ck_assert(!stage_sees_player(near, client));
    ck_assert_uint_eq(stage_count(near, PACKET_PLAYER_STREAM_OUT), 0);
}
END_TEST

START_TEST(a_new_owner_of_an_id_ends_the_old_one)
{
    struct stage_client *near = stage_spawn(stage, 4, 5, 0);
    struct player *player;

    stage_spawn(stage, 3, 0, 0);
    stage_join(stage, 3, 0, 0);
    player = world_player_by_id(&stage->shard->world, 3);
    ck_assert_uint_eq(player->ref.token, 2003);
    ck_assert_uint_eq(player->state, LIFE_CONNECTED);
    ck_assert_uint_eq(stage_player(stage, near)->shown_players.count, 0);
}
END_TEST

START_TEST(a_join_of_an_older_generation_is_stale)
{
    struct stage_client *client = stage_spawn(stage, 3, 0, 0);

    client->token = 1; /* the next one's is lower than the living one's */
    stage_join(stage, 3, 0, 0);
    ck_assert_uint_eq(world_player_by_id(&stage->shard->world, 3)->ref.token, 1003);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_STALE), 1);
}
END_TEST

Suite *shard_player_suite(void)
{
    Suite *suite = suite_create("shard_player");
    TCase *tcase = tcase_create("players");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_spawn_request_is_granted_at_the_place_of_the_join);
    tcase_add_test(tcase, who_has_spawned_is_only_acknowledged_when_it_asks_again);
    tcase_add_test(tcase, the_first_frame_of_the_life_starts_it);
    tcase_add_test(tcase, a_life_follows_255_with_1);
    tcase_add_test(tcase, a_frame_counts_only_if_its_seq_is_newer);
    tcase_add_test(tcase, each_bound_of_a_frame_is_accepted_at_it_and_refused_past_it);
    tcase_add_test(tcase, a_refused_frame_is_relayed_to_nobody_and_moves_nothing);
    tcase_add_test(tcase, an_accepted_frame_goes_to_those_who_are_shown_the_player_as_one_item_a_gateway);
    tcase_add_test(tcase, a_frame_with_another_pose_rev_counts_but_moves_nobody);
    tcase_add_test(tcase, the_pose_rev_wraps);
    tcase_add_test(tcase, on_foot_nobody_moves_faster_than_4_m_and_60_m_a_second);
    tcase_add_test(tcase, distances_are_in_three_dimensions);
    tcase_add_test(tcase, after_20_violations_in_a_row_the_client_is_put_back);
    tcase_add_test(tcase, a_seat_that_the_server_does_not_hold_is_not_relayed);
    tcase_add_test(tcase, a_death_is_told_to_those_who_are_shown_the_player);
    tcase_add_test(tcase, a_second_report_of_the_same_death_is_only_acknowledged);
    tcase_add_test(tcase, a_death_of_another_life_is_only_acknowledged);
    tcase_add_test(tcase, a_death_before_the_first_frame_counts);
    tcase_add_test(tcase, a_dead_players_frames_are_relayed_and_change_nothing_else);
    tcase_add_test(tcase, a_respawn_comes_1_s_after_the_death_at_the_earliest);
    tcase_add_test(tcase, the_frames_of_the_last_life_end_with_the_respawn);
    tcase_add_test(tcase, a_respawn_into_another_scope_says_so_on_the_new_grant);
    tcase_add_test(tcase, a_scope_change_hides_then_commands_then_shows);
    tcase_add_test(tcase, a_change_of_virtual_world_alone_teleports_nobody);
    tcase_add_test(tcase, a_teleport_within_the_scope_has_no_barrier);
    tcase_add_test(tcase, a_teleport_is_refused_to_its_caller);
    tcase_add_test(tcase, frames_from_before_a_teleport_do_not_undo_it);
    tcase_add_test(tcase, who_left_is_gone_for_everybody);
    tcase_add_test(tcase, a_new_owner_of_an_id_ends_the_old_one);
    tcase_add_test(tcase, a_join_of_an_older_generation_is_stale);
    suite_add_tcase(suite, tcase);
    return suite;
}
