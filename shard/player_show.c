#include "shard/player_show.h"

#include <assert.h>
#include <string.h>

#include "shard/lanes.h"

static void send_spawned(struct shard *shard, struct player *observer, const struct player *subject)
{
    struct wire_player_spawned spawned = {
        .player_id = subject->ref.id,
        .player_token = subject->ref.token,
        .heading = subject->place.heading,
        .skin = subject->set.life_skin,
    };
    uint8_t packet[WIRE_PLAYER_SPAWNED_SIZE];
    struct wire_error error;

    memcpy(spawned.pos, subject->place.pos, sizeof spawned.pos);

    size_t size = wire_player_spawned_encode(&spawned, packet, sizeof packet, &error);

    assert(size > 0);
    send_critical(shard, observer, packet, size);
}

static size_t encode_wasted(const struct player *subject, uint8_t *packet, size_t room)
{
    struct wire_player_wasted wasted = {
        .player_id = subject->ref.id,
        .player_token = subject->ref.token,
        .killer_id = subject->killer.id,
        .killer_token = subject->killer.token,
        .weapon = subject->death_weapon,
        .pose_weapon = subject->death_pose[0],
        .pose_anim_group = subject->death_pose[1],
        .pose_anim = subject->death_pose[2],
    };
    struct wire_error error;
    size_t size = wire_player_wasted_encode(&wasted, packet, room, &error);

    assert(size > 0);
    return size;
}

/* The last frame, with the relation as it is now. */
static void send_frame(struct shard *shard, struct player *observer, const struct player *subject)
{
    uint8_t packet[WIRE_REMOTE_PLAYER_SYNC_SIZE];

    memcpy(packet, subject->relay, sizeof packet);
    store_u32(packet + WIRE_REMOTE_PLAYER_SYNC_RELATION_REV_AT, shard->teams.relation_revision);
    store_u8(packet + WIRE_REMOTE_PLAYER_SYNC_TEAMMATE_AT, team_are_mates(shard, subject, observer));
    send_unreliable(shard, observer, packet, sizeof packet);
}

void player_send_show(struct shard *shard, struct player *observer, const struct player *subject)
{
    assert(player_is_spawned(subject));
    send_spawned(shard, observer, subject);
    player_state_show(shard, observer, subject);
    if (subject->state == LIFE_DEAD) {
        uint8_t packet[WIRE_PLAYER_WASTED_SIZE];

        send_critical(shard, observer, packet, encode_wasted(subject, packet, sizeof packet));
    }
    send_frame(shard, observer, subject);
}

bool player_send_stream_out(struct shard *shard, struct player *observer, const struct owed_hide *hide)
{
    struct wire_player_stream_out out = {
        .player_id = hide->id,
        .player_token = hide->token,
        .last_seq = hide->last_seq,
    };
    uint8_t packet[WIRE_PLAYER_STREAM_OUT_SIZE];
    struct wire_error error;
    size_t size = wire_player_stream_out_encode(&out, packet, sizeof packet, &error);

    assert(size > 0);
    return send_critical(shard, observer, packet, size);
}

void player_send_wasted(struct shard *shard, struct player *subject)
{
    uint8_t packet[WIRE_PLAYER_WASTED_SIZE];

    send_group_critical(shard, &subject->observers, packet, encode_wasted(subject, packet, sizeof packet));
}
