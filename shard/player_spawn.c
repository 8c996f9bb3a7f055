#include "shard/player_spawn.h"

#include <string.h>

#include "shard/player_place.h"
#include "shard/player_show.h"
#include "shard/stream.h"
#include "shard/vehicle_death.h"
#include "shard/vehicle_seat.h"

/* A new life, from where the gamemode wants it. */
static enum reason grant(struct shard *shard, struct player *player)
{
    struct place place = player->spawn; /* handlers may change it */
    enum reason refused = player_prepare(shard, player, &place);

    if (refused != REASON_NONE)
        return refused;
    player->life = player->life == UINT8_MAX ? 1 : (uint8_t)(player->life + 1);
    player->weapon_rev++;
    player->state = LIFE_GRANTED;
    player->framed = false;
    player_state_start_life(&player->set);
    player_put(shard, player, shard->now_ms, PLACE_GRANT, &place);
    return REASON_NONE;
}

enum reason player_spawn(struct shard *shard, struct player *player)
{
    return grant(shard, player);
}

struct spawn_info player_spawn_info(const struct player *player)
{
    return (struct spawn_info){ .place = player->spawn, .skin = player->set.spawn_skin };
}

enum reason player_set_spawn_info(struct shard *shard, struct player *player, const struct spawn_info *info)
{
    (void)shard;
    if (!place_is_valid(&info->place) || info->skin > PLAYER_SKIN_MAX)
        return REASON_OUT_OF_BOUNDS;
    player->spawn = info->place;
    player->set.spawn_skin = info->skin;
    return REASON_NONE;
}

/* ---- requests */

static enum reason ask_check(const struct player *player, enum life state, enum reason otherwise,
                             uint64_t now_ms)
{
    if (player->state != state)
        return otherwise;
    if (now_ms < player->asks_from_ms)
        return REASON_TOO_EARLY;
    return REASON_NONE;
}

/* Whoever is in `state` asks for a life; in any other one it is only acknowledged. A handler may grant it
 * itself, by a spawn. */
static void ask(struct shard *shard, struct player *player, enum life state, enum reason otherwise,
                enum event event)
{
    enum reason refused = ask_check(player, state, otherwise, shard->now_ms);

    if (refused == REASON_NONE) {
        bool allowed = EVENT_RAISE(shard, event, event_player(player));

        if (player->state != state)
            return;
        refused = allowed ? grant(shard, player) : REASON_HANDLER;
        if (refused != REASON_NONE && player->state == state)
            player->asks_from_ms = shard->now_ms + PLAYER_ASK_AGAIN_MS;
    }
    if (refused != REASON_NONE)
        shard_count(shard, refused);
}

void on_request_spawn(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_request_spawn request;
    struct wire_error error;

    (void)now_ms;
    if (!wire_request_spawn_decode(&request, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    if (!account_lets_spawn(shard, player)) {
        shard_count(shard, REASON_NOT_AUTHENTICATED);
        return;
    }
    ask(shard, player, LIFE_CONNECTED, REASON_ALREADY_SPAWNED, EVENT_PLAYER_REQUEST_SPAWN);
}

void on_respawn_request(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_respawn_request request;
    struct wire_error error;

    (void)now_ms;
    if (!wire_respawn_request_decode(&request, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }
    ask(shard, player, LIFE_DEAD, REASON_NOT_DEAD, EVENT_PLAYER_REQUEST_RESPAWN);
}

/* ---- deaths */

/* Alive or about to be: the frame that starts the life may be lost, the report cannot. */
static enum reason death_report_check(const struct player *player, const struct wire_death_report *report)
{
    if (player->state == LIFE_CONNECTED)
        return REASON_NOT_SPAWNED;
    if (report->life != player->life || player->barrier.grant)
        return REASON_OLD_LIFE;
    if (player->state == LIFE_DEAD)
        return REASON_NOT_ALIVE;
    return REASON_NONE;
}

static void die(struct shard *shard, struct player *player, const uint16_t pose[3])
{
    const struct player *killer = vehicle_killer_of(shard, player, shard->now_ms);

    player->state = LIFE_DEAD;
    player->killer = killer != NULL ? killer->ref : (struct player_ref){ .id = WIRE_NONE };
    player->death_weapon = killer != NULL ? PLAYER_DEATH_BY_EXPLOSION : PLAYER_DEATH_WITHOUT_CAUSE;
    vehicle_killer_forget(player);
    player->asks_from_ms = shard->now_ms + PLAYER_RESPAWN_AFTER_MS;
    player->set.animation.applied = false;
    memcpy(player->death_pose, pose, sizeof player->death_pose);
    vehicle_remote_release(shard, player, REMOTE_DEATH);
    player_send_wasted(shard, player);
    vehicle_unseat(shard, player);
    stream_update(shard, player);
    (void)EVENT_RAISE(shard, EVENT_PLAYER_DEATH, event_player(player),
                      event_player(world_player(&shard->world, player->killer)),
                      event_integer(player->death_weapon));
}

void on_death_report(struct shard *shard, struct player *player, uint64_t now_ms, struct span packet)
{
    struct wire_death_report report;
    struct wire_error error;

    (void)now_ms;
    if (!wire_death_report_decode(&report, packet.data, packet.size, &error)) {
        shard_count_malformed(shard, &error);
        return;
    }

    enum reason refused = death_report_check(player, &report);

    if (refused != REASON_NONE) {
        shard_count(shard, refused);
        return;
    }
    die(shard, player, (const uint16_t[3]){ report.pose_weapon, report.pose_anim_group, report.pose_anim });
}
