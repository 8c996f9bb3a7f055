#include "shard/player_place.h"

#include <assert.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/stream.h"
#include "shard/vehicle_seat.h"

bool place_is_valid(const struct place *place)
{
    return inside_world(place->pos) && between(place->heading, -360, 360);
}

static bool same_point(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void send_grant(struct shard *shard, struct player *player)
{
    struct wire_spawn_player grant = {
        .life = player->life,
        .heading = player->place.heading,
        .skin = player->set.life_skin,
        .interior = player->place.scope.interior,
        .virtual_world = player->place.scope.virtual_world,
        .pose_rev = player->pose_rev,
        .weapon_rev = player->weapon_rev,
    };
    uint8_t packet[WIRE_SPAWN_PLAYER_SIZE];
    struct wire_error error;

    memcpy(grant.pos, player->place.pos, sizeof grant.pos);

    size_t size = wire_spawn_player_encode(&grant, packet, sizeof packet, &error);

    assert(size > 0);
    /* RespawnPlayer has SpawnPlayer's layout (Player). */
    if (player->respawns)
        packet[0] = PACKET_RESPAWN_PLAYER;
    send_critical(shard, player, packet, size);
    player->respawns = true;
}

static void send_teleport(struct shard *shard, struct player *player)
{
    struct wire_teleport_player teleport = {
        .heading = player->place.heading,
        .interior = player->place.scope.interior,
        .pose_rev = player->pose_rev,
    };
    uint8_t packet[WIRE_TELEPORT_PLAYER_SIZE];
    struct wire_error error;

    memcpy(teleport.pos, player->place.pos, sizeof teleport.pos);

    size_t size = wire_teleport_player_encode(&teleport, packet, sizeof packet, &error);

    assert(size > 0);
    send_critical(shard, player, packet, size);
}

static void send_scope(struct shard *shard, struct player *player)
{
    struct wire_scope_changed changed = {
        .interior = player->place.scope.interior,
        .virtual_world = player->place.scope.virtual_world,
    };
    uint8_t packet[WIRE_SCOPE_CHANGED_SIZE];
    struct wire_error error;
    size_t size = wire_scope_changed_encode(&changed, packet, sizeof packet, &error);

    assert(size > 0);
    send_critical(shard, player, packet, size);
}

void player_pass_barrier(struct shard *shard, struct player *player)
{
    struct barrier barrier = player->barrier;

    if (!barrier.pending || !lane_is_reachable(shard, player))
        return;
    if (barrier.scope && (!stream_send_owed(shard, player) || !list_hide_gone(shard, player) ||
                          !list_tell_leaves(shard, player)))
        return;
    player->barrier = (struct barrier){ 0 };
    if (barrier.grant)
        send_grant(shard, player);
    else if (barrier.teleport)
        send_teleport(shard, player);
    if (barrier.scope)
        send_scope(shard, player);
    stream_place_player(shard, player);
    stream_update_subject(shard, player);
    stream_update(shard, player);
}

void player_put(struct shard *shard, struct player *player, uint64_t now_ms, enum place_command command,
                const struct place *to)
{
    struct scope from = player->place.scope;
    bool scope_changes = !scope_equal(from, to->scope);
    bool moves = command != PLACE_TELEPORT || !same_point(player->place.pos, to->pos) ||
                 player->place.scope.interior != to->scope.interior;

    assert(place_is_valid(to));
    assert(player->vehicle == SLOT_NONE ||
           scope_equal(world_vehicle_at(&shard->world, player->vehicle)->scope, to->scope));
    if (scope_changes || command == PLACE_GRANT)
        vehicle_remote_release(shard, player, REMOTE_SCOPE);
    /* Out of reach it stays between two places: nobody sees it there. */
    if (scope_changes || !lane_is_reachable(shard, player))
        stream_hide_all(shard, player, to->scope);
    if (moves) {
        player->pose_rev++;
        combat_path_restart(&player->path);
    }
    player->place = *to;
    player->placed_at_ms = now_ms;
    player->movement_strikes = 0;
    player->barrier.pending = true;
    player->barrier.grant |= command == PLACE_GRANT;
    player->barrier.teleport |= command != PLACE_GRANT && moves;
    player->barrier.scope |= scope_changes;
    stream_place_player(shard, player);
    player_pass_barrier(shard, player);
    if (scope_changes)
        (void)EVENT_RAISE(shard, EVENT_PLAYER_SCOPE, event_player(player),
                          event_integer(to->scope.virtual_world), event_integer(to->scope.interior),
                          event_integer(from.virtual_world), event_integer(from.interior));
}

enum reason player_prepare(struct shard *shard, struct player *player, const struct place *to)
{
    enum reason refused;

    if (!place_is_valid(to))
        return REASON_OUT_OF_BOUNDS;
    refused = scopes_need(shard, to->scope);
    if (refused != REASON_NONE)
        return refused;
    vehicle_unseat(shard, player);
    /* A handler has put it into another one. */
    return player->vehicle == SLOT_NONE ? REASON_NONE : REASON_HANDLER;
}

enum reason player_teleport(struct shard *shard, struct player *player, uint64_t now_ms,
                            const struct place *to)
{
    enum reason refused;

    if (player->state == LIFE_CONNECTED)
        return REASON_NOT_SPAWNED;
    refused = player_prepare(shard, player, to);
    if (refused == REASON_NONE)
        player_put(shard, player, now_ms, PLACE_TELEPORT, to);
    return refused;
}

enum reason player_set_scope(struct shard *shard, struct player *player, struct scope scope)
{
    struct place to = player->place;

    if (player->state == LIFE_CONNECTED)
        return REASON_NOT_SPAWNED;
    if (scope_equal(player->place.scope, scope))
        return REASON_NONE;
    to.scope = scope;
    return player_teleport(shard, player, shard->now_ms, &to);
}
