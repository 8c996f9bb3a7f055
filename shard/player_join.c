#include "shard/player_join.h"

#include <string.h>

#include "common/address.h"
#include "common/text.h"
#include "shard/lanes.h"
#include "shard/player_place.h"
#include "shard/player_spawn.h"
#include "shard/settings_show.h"
#include "shard/stream.h"
#include "shard/vehicle_seat.h"

static bool spawn_is_valid(const Bus__Spawn *spawn)
{
    struct place place;

    if (spawn == NULL || spawn->scope == NULL || spawn->scope->interior > UINT8_MAX ||
        spawn->skin > PLAYER_SKIN_MAX)
        return false;
    place = (struct place){ .pos = { spawn->x, spawn->y, spawn->z }, .heading = spawn->heading };
    return place_is_valid(&place);
}

static bool join_is_valid(const Bus__PlayerJoin *join)
{
    struct span name;

    if (join->name == NULL || join->number != 1 || join->player->token == 0 ||
        join->address.len != sizeof((struct address){ 0 }).ip ||
        (join->n_driveby_ms != 0 && join->n_driveby_ms != GAME_DRIVEBY_COUNT))
        return false;
    name = (struct span){ .data = (const uint8_t *)join->name, .size = strlen(join->name) };
    return name.size > 0 && name.size <= PLAYER_NAME_MAX && text_is_line(name) && spawn_is_valid(join->spawn);
}

void player_on_join(struct shard *shard, uint64_t now_ms, uint8_t gateway, const Bus__PlayerJoin *join)
{
    struct player_ref ref;
    struct player *player;

    if (join->player == NULL) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    ref = (struct player_ref){ .id = join->player->id, .token = join->player->token };
    if (!join_is_valid(join)) {
        shard_count(shard, REASON_BUS_MALFORMED);
        player_send_away(shard, gateway, ref, "no place to spawn");
        return;
    }

    /* The bus to its gateway was cut, and its leave came by the coordinator meanwhile. */
    if (list_has_left(&shard->list, ref)) {
        shard_count(shard, REASON_BUS_STALE);
        return;
    }

    /* Tokens only grow: the newer generation of an id is the living one, whatever this shard has not heard
     * yet. */
    player = world_player_by_id(&shard->world, ref.id);
    if (player != NULL && player->ref.token >= ref.token) {
        shard_count(shard, player->ref.token == ref.token ? REASON_ITEM_REPEATED : REASON_BUS_STALE);
        return;
    }
    if (player != NULL)
        player_leave(shard, player, LEAVE_TIMEOUT);

    /* Without the slot, as before the first map, it is started when that comes. */
    (void)scopes_need(shard, (struct scope){ .virtual_world = join->spawn->scope->virtual_world,
                                             .interior = (uint8_t)join->spawn->scope->interior });
    player = world_add_player(&shard->world, ref);
    if (player == NULL) {
        shard_count(shard, REASON_TABLE_FULL);
        player_send_away(shard, gateway, ref, "the shard is full");
        return;
    }
    player->fence = join->fence;
    player->gateway = gateway;
    player->last_item = join->number;
    asking_begin(&shard->asking, ref, join->number);
    memcpy(player->name, join->name, strlen(join->name) + 1);
    player->spawn = (struct place){
        .scope = { .virtual_world = join->spawn->scope->virtual_world,
                   .interior = (uint8_t)join->spawn->scope->interior },
        .pos = { join->spawn->x, join->spawn->y, join->spawn->z },
        .heading = join->spawn->heading,
    };
    memcpy(player->ip, join->address.data, sizeof player->ip);
    player_state_init(&player->set, (uint16_t)join->spawn->skin);
    player->place = player->spawn;
    player->placed_at_ms = now_ms;
    group_add(shard, &shard->world.everyone, player);
    settings_greet(shard, player, join->driveby_ms, join->n_driveby_ms);
    (void)EVENT_RAISE(shard, EVENT_PLAYER_CONNECT, event_player(player));
    list_greet(shard, player);
    stream_update(shard, player);
}

void player_leave(struct shard *shard, struct player *player, enum leave_reason reason)
{
    /* lua-api: player_disconnect. */
    static const char *const texts[LEAVE_REASONS] = { "quit", "timeout", "kicked", "banned", "server" };

    vehicle_unseat_silently(shard, player);
    (void)EVENT_RAISE(shard, EVENT_PLAYER_DISCONNECT, event_player(player), event_text(texts[reason]));
    player_remove(shard, player);
}

void player_remove(struct shard *shard, struct player *player)
{
    list_note_gone(shard, player);
    vehicle_unseat_silently(shard, player);
    vehicle_remote_forget(shard, player);
    stream_forget_player(shard, player);
    vehicle_params_forget_player(shard, player);
    group_remove(shard, &shard->world.everyone, player);
    world_remove_player(&shard->world, player);
}
