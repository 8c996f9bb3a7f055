#include "shard/lanes.h"

#include <assert.h>

bool lane_is_reachable(const struct shard *shard, const struct player *player)
{
    return shard->gateways[player->gateway].up;
}

bool lane_takes_shows(const struct shard *shard, const struct player *player)
{
    return lane_is_reachable(shard, player) && lane_unacked(&player->lane) < LANE_SHOWS_MAX;
}

bool lane_takes_droppable(const struct shard *shard, const struct player *player)
{
    return lane_is_reachable(shard, player) && lane_unacked(&player->lane) < LANE_DROPPABLE_MAX;
}

void lane_on_acked(struct lane *lane, uint32_t event_id)
{
    if (serial32_newer(event_id, lane->acked))
        lane->acked = event_id;
}

/* The one place where a Send comes from. */
static Bus__Send *post(struct shard *shard, unsigned gateway, Bus__Send__Class delivery,
                       ProtobufCBinaryData packet)
{
    struct outbox *outbox = &shard->outbox;
    Bus__Item *item = outbox_add(outbox, shard->gateways[gateway].peer);
    Bus__Send *send = outbox_alloc(outbox, sizeof *send);

    assert(shard->gateways[gateway].up);
    bus__send__init(send);
    send->packet = packet;
    send->class_ = delivery;
    item->item_case = BUS__ITEM__ITEM_SEND;
    item->send = send;
    return send;
}

static Bus__Recipient *recipient_of(struct outbox *outbox, const struct player *player)
{
    Bus__Recipient *recipient = outbox_alloc(outbox, sizeof *recipient);

    bus__recipient__init(recipient);
    recipient->id = player->ref.id;
    recipient->token = player->ref.token;
    recipient->fence = player->fence;
    return recipient;
}

static void post_to(struct shard *shard, const struct player *player, Bus__Send__Class delivery,
                    const uint8_t *packet, size_t size)
{
    struct outbox *outbox = &shard->outbox;
    Bus__Send *send = post(shard, player->gateway, delivery, outbox_bytes(outbox, packet, size));

    send->to = outbox_alloc(outbox, sizeof(Bus__Recipient *));
    send->to[0] = recipient_of(outbox, player);
    send->n_to = 1;
}

bool send_unreliable(struct shard *shard, struct player *player, const uint8_t *packet, size_t size)
{
    if (!lane_is_reachable(shard, player))
        return false;
    post_to(shard, player, BUS__SEND__CLASS__UNRELIABLE, packet, size);
    return true;
}

bool send_droppable(struct shard *shard, struct player *player, const uint8_t *packet, size_t size)
{
    if (!lane_takes_droppable(shard, player)) {
        shard_count(shard, REASON_LANE_DROPPABLE);
        return false;
    }
    post_to(shard, player, BUS__SEND__CLASS__DROPPABLE, packet, size);
    player->lane.sent++;
    return true;
}

bool send_critical(struct shard *shard, struct player *player, const uint8_t *packet, size_t size)
{
    if (!lane_is_reachable(shard, player))
        return false;
    post_to(shard, player, BUS__SEND__CLASS__CRITICAL, packet, size);
    player->lane.sent++;
    return true;
}

static bool has_observer(const struct group *group, uint16_t slot)
{
    for (uint16_t i = 0; i < group->count; i++)
        if (group->observers[i] == slot)
            return true;
    return false;
}

/* Those of the gateway who are the sender's teammates. Only who is in a team pays for the look. */
static void add_teammates(struct shard *shard, const struct group *group, unsigned gateway,
                          const struct player *sender, Bus__Send *send)
{
    send->teammates = outbox_alloc(&shard->outbox, group->members[gateway] * sizeof send->teammates[0]);
    for (uint16_t i = 0; i < group->count; i++) {
        const struct player *observer = world_player_at(&shard->world, group->observers[i]);

        if (observer->gateway == gateway && team_are_mates(shard, sender, observer))
            send->teammates[send->n_teammates++] = observer->ref.id;
    }
}

void send_group_relay(struct shard *shard, struct group *group, const struct player *sender,
                      const struct player *except, const uint8_t *packet, size_t size)
{
    ProtobufCBinaryData bytes = { 0 };
    bool left_out = except != NULL && has_observer(group, world_player_slot(&shard->world, except));
    bool has_mates = sender != NULL && team_has_mates(shard, sender);

    for (uint32_t gateways = group->gateways; gateways != 0; gateways &= gateways - 1) {
        unsigned gateway = (unsigned)__builtin_ctz(gateways);
        bool here = left_out && except->gateway == gateway;

        if (!shard->gateways[gateway].up || group->members[gateway] == (here ? 1 : 0))
            continue;
        if (bytes.len == 0)
            bytes = outbox_bytes(&shard->outbox, packet, size);

        Bus__Send *send = post(shard, gateway, BUS__SEND__CLASS__UNRELIABLE, bytes);

        send->group = group->id;
        send->has_except = here;
        send->except = here ? except->ref.id : 0;
        if (has_mates)
            add_teammates(shard, group, gateway, sender, send);
    }
}

void send_group_unreliable(struct shard *shard, struct group *group, const struct player *except,
                           const uint8_t *packet, size_t size)
{
    send_group_relay(shard, group, NULL, except, packet, size);
}

static void add_rewinds(struct shard *shard, const struct group *group, unsigned gateway,
                        const struct send_block *block, Bus__Send *send)
{
    struct outbox *outbox = &shard->outbox;
    uint8_t *bytes = outbox_alloc(outbox, block->size);

    send->rewinds = outbox_alloc(outbox, group->members[gateway] * sizeof(Bus__Rewind *));
    for (uint16_t i = 0; i < group->count; i++) {
        const struct player *player = world_player_at(&shard->world, group->observers[i]);
        Bus__Rewind *rewind;

        if (player->gateway != gateway || !block->fill(block->context, player, bytes))
            continue;
        rewind = outbox_alloc(outbox, sizeof *rewind);
        bus__rewind__init(rewind);
        rewind->id = player->ref.id;
        rewind->block = outbox_bytes(outbox, bytes, block->size);
        send->rewinds[send->n_rewinds++] = rewind;
    }
}

void send_group_relay_each(struct shard *shard, struct group *group, const struct player *sender,
                           const uint8_t *packet, size_t size, const struct send_block *block)
{
    ProtobufCBinaryData bytes = outbox_bytes(&shard->outbox, packet, size);
    bool has_mates = team_has_mates(shard, sender);

    for (uint32_t gateways = group->gateways; gateways != 0; gateways &= gateways - 1) {
        unsigned gateway = (unsigned)__builtin_ctz(gateways);
        Bus__Send *send;

        if (!shard->gateways[gateway].up)
            continue;
        send = post(shard, gateway, BUS__SEND__CLASS__UNRELIABLE, bytes);
        send->group = group->id;
        add_rewinds(shard, group, gateway, block, send);
        if (has_mates)
            add_teammates(shard, group, gateway, sender, send);
    }
}

/* To the whole group of the gateway, but for `except`; each member's lane has one more. */
static void post_to_group(struct shard *shard, const struct group *group, unsigned gateway,
                          Bus__Send__Class delivery, const struct player *except, ProtobufCBinaryData packet)
{
    Bus__Send *send = post(shard, gateway, delivery, packet);

    send->group = group->id;
    send->has_except = except != NULL && except->gateway == gateway;
    send->except = send->has_except ? except->ref.id : 0;
    for (uint16_t i = 0; i < group->count; i++) {
        struct player *player = world_player_at(&shard->world, group->observers[i]);

        if (player->gateway == gateway && player != except)
            player->lane.sent++;
    }
}

void send_group_critical_except(struct shard *shard, struct group *group, const struct player *except,
                                const uint8_t *packet, size_t size)
{
    bool left_out = except != NULL && has_observer(group, world_player_slot(&shard->world, except));
    ProtobufCBinaryData bytes;

    if (group->count == (left_out ? 1 : 0))
        return;
    bytes = outbox_bytes(&shard->outbox, packet, size);
    for (unsigned gateway = 0; gateway < WORLD_GATEWAYS_MAX; gateway++) {
        uint16_t none = left_out && except->gateway == gateway ? 1 : 0;

        if (group->members[gateway] > none && shard->gateways[gateway].up)
            post_to_group(shard, group, gateway, BUS__SEND__CLASS__CRITICAL, left_out ? except : NULL, bytes);
    }
}

void send_group_critical(struct shard *shard, struct group *group, const uint8_t *packet, size_t size)
{
    send_group_critical_except(shard, group, NULL, packet, size);
}

/* As a list of those whose lane takes it. */
static void post_to_some(struct shard *shard, const struct group *group, unsigned gateway, size_t count,
                         ProtobufCBinaryData packet)
{
    struct outbox *outbox = &shard->outbox;
    Bus__Send *send = post(shard, gateway, BUS__SEND__CLASS__DROPPABLE, packet);

    send->to = outbox_alloc(outbox, count * sizeof(Bus__Recipient *));
    for (uint16_t i = 0; i < group->count; i++) {
        struct player *player = world_player_at(&shard->world, group->observers[i]);

        if (player->gateway != gateway || !lane_takes_droppable(shard, player))
            continue;
        send->to[send->n_to++] = recipient_of(outbox, player);
        player->lane.sent++;
    }
    assert(send->n_to == count);
}

void send_group_droppable(struct shard *shard, struct group *group, const uint8_t *packet, size_t size)
{
    uint16_t takes[WORLD_GATEWAYS_MAX] = { 0 };

    if (group->count == 0)
        return;
    for (uint16_t i = 0; i < group->count; i++) {
        const struct player *player = world_player_at(&shard->world, group->observers[i]);

        if (lane_takes_droppable(shard, player))
            takes[player->gateway]++;
        else
            shard_count(shard, REASON_LANE_DROPPABLE);
    }

    ProtobufCBinaryData bytes = outbox_bytes(&shard->outbox, packet, size);

    for (unsigned gateway = 0; gateway < WORLD_GATEWAYS_MAX; gateway++) {
        if (takes[gateway] == 0)
            continue;
        if (takes[gateway] == group->members[gateway])
            post_to_group(shard, group, gateway, BUS__SEND__CLASS__DROPPABLE, NULL, bytes);
        else
            post_to_some(shard, group, gateway, takes[gateway], bytes);
    }
}

static Bus__GroupUpdate *post_update(struct shard *shard, uint64_t group, unsigned gateway)
{
    struct outbox *outbox = &shard->outbox;
    Bus__Item *item = outbox_add(outbox, shard->gateways[gateway].peer);
    Bus__GroupUpdate *update = outbox_alloc(outbox, sizeof *update);

    bus__group_update__init(update);
    update->group = group;
    item->item_case = BUS__ITEM__ITEM_GROUP_UPDATE;
    item->group_update = update;
    return update;
}

void group_add(struct shard *shard, struct group *group, const struct player *player)
{
    unsigned gateway = player->gateway;

    assert(group->count < shard->world.players.capacity);
    group->observers[group->count++] = world_player_slot(&shard->world, player);
    group->members[gateway]++;
    group->gateways |= UINT32_C(1) << gateway;
    if (!shard->gateways[gateway].up)
        return;

    Bus__GroupUpdate *update = post_update(shard, group->id, gateway);

    update->add = outbox_alloc(&shard->outbox, sizeof(Bus__Recipient *));
    update->add[0] = recipient_of(&shard->outbox, player);
    update->n_add = 1;
}

void group_remove(struct shard *shard, struct group *group, const struct player *player)
{
    uint16_t slot = world_player_slot(&shard->world, player);
    unsigned gateway = player->gateway;
    uint16_t at = 0;

    while (at < group->count && group->observers[at] != slot)
        at++;
    assert(at < group->count);
    group->observers[at] = group->observers[--group->count];
    if (--group->members[gateway] == 0)
        group->gateways &= ~(UINT32_C(1) << gateway);
    if (!shard->gateways[gateway].up)
        return;

    Bus__GroupUpdate *update = post_update(shard, group->id, gateway);

    update->remove = outbox_alloc(&shard->outbox, sizeof *update->remove);
    update->remove[0] = player->ref.id;
    update->n_remove = 1;
}

void group_clear(struct shard *shard, struct group *group)
{
    for (unsigned gateway = 0; gateway < WORLD_GATEWAYS_MAX; gateway++) {
        if (group->members[gateway] > 0 && shard->gateways[gateway].up)
            post_update(shard, group->id, gateway)->reset = true;
        group->members[gateway] = 0;
    }
    group->gateways = 0;
    group->count = 0;
}

void group_reset_all(struct shard *shard, unsigned gateway)
{
    post_update(shard, 0, gateway)->reset = true;
}

void group_resend(struct shard *shard, const struct group *group, unsigned gateway)
{
    struct outbox *outbox = &shard->outbox;
    Bus__GroupUpdate *update = post_update(shard, group->id, gateway);

    update->reset = true;
    update->add = outbox_alloc(outbox, (group->members[gateway] + 1U) * sizeof(Bus__Recipient *));
    for (uint16_t i = 0; i < group->count; i++) {
        const struct player *player = world_player_at(&shard->world, group->observers[i]);

        if (player->gateway == gateway)
            update->add[update->n_add++] = recipient_of(outbox, player);
    }
}
