#include <assert.h>
#include <string.h>

#include "gateway/state.h"

enum { ID_SIZE = 1 }; /* bytes of the packet id */

/* ---- to shards */

static uint16_t offset_of(const struct wire_packet *packet, const char *name, uint16_t *size)
{
    const struct wire_field *field = wire_field_by_name(packet->layout, name, strlen(name));

    if (field == NULL)
        return 0;
    assert(field->wire_offset != WIRE_VARIES);
    if (size != NULL)
        *size = field->of->max_size;
    return field->wire_offset;
}

void route_learn_shapes(struct packet_shape shapes[WIRE_PACKETS])
{
    /* The packets whose meaning is the gateway's: a shard must not speak for it. */
    static const struct wire_packet *const own[] = {
        &wire_server_hello_packet,  &wire_connect_challenge_packet, &wire_connect_reject_packet,
        &wire_server_ack_packet,    &wire_server_keepalive_packet,  &wire_kick_notify_packet,
        &wire_auth_accepted_packet, &wire_query_info_packet,        &wire_query_players_packet,
        &wire_query_rules_packet,
    };

    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        const struct wire_packet *packet = wire_packets[i];

        if (packet->direction == WIRE_S2C) {
            shapes[i].teammate_at = offset_of(packet, "teammate", NULL);
            shapes[i].rewind_at = offset_of(packet, "rewind", &shapes[i].rewind_size);
            shapes[i].is_barrier = packet == &wire_scope_changed_packet;
        } else {
            shapes[i].seen_event_at = offset_of(packet, "seen_event", NULL);
        }
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        shapes[own[i]->index].is_gateways = true;
}

/* An item for the session's shard, to which there is a link. */
static Bus__Item *shard_item(struct gateway *gateway, const struct session *session)
{
    assert(gateway->shards[session->shard].peer != PEER_NONE);
    return outbox_add(&gateway->outbox, gateway->shards[session->shard].peer);
}

void route_join(struct gateway *gateway, struct session *session)
{
    const struct session_spawn *spawn = &session->spawn;
    struct outbox *outbox = &gateway->outbox;
    Bus__PlayerJoin *join;
    Bus__Item *item;

    assert(!session->joined);
    if (gateway->shards[session->shard].peer == PEER_NONE)
        return;
    join = outbox_alloc(outbox, sizeof *join);
    bus__player_join__init(join);
    join->player = gateway_bus_player(gateway, session->player);
    join->fence = session->fence;
    join->number = 1;
    join->name = outbox_text(outbox, session->name);
    join->spawn = outbox_alloc(outbox, sizeof *join->spawn);
    bus__spawn__init(join->spawn);
    join->spawn->scope = outbox_alloc(outbox, sizeof *join->spawn->scope);
    bus__scope__init(join->spawn->scope);
    join->spawn->scope->virtual_world = spawn->virtual_world;
    join->spawn->scope->interior = spawn->interior;
    join->spawn->x = spawn->pos[0];
    join->spawn->y = spawn->pos[1];
    join->spawn->z = spawn->pos[2];
    join->spawn->heading = spawn->heading;
    join->spawn->skin = spawn->skin;
    join->address = outbox_bytes(outbox, session->address.ip, sizeof session->address.ip);
    join->n_driveby_ms = GAME_DRIVEBY_COUNT;
    join->driveby_ms = outbox_alloc(outbox, GAME_DRIVEBY_COUNT * sizeof join->driveby_ms[0]);
    for (size_t i = 0; i < GAME_DRIVEBY_COUNT; i++)
        join->driveby_ms[i] = session->driveby_ms[i];
    item = shard_item(gateway, session);
    item->item_case = BUS__ITEM__ITEM_PLAYER_JOIN;
    item->player_join = join;
    session->joined = true;
    if (session->auth == AUTH_ACCEPTED)
        route_auth(gateway, session);
}

void route_auth(struct gateway *gateway, struct session *session)
{
    struct outbox *outbox = &gateway->outbox;
    Bus__PlayerAuth *auth;
    Bus__Item *item;

    if (!session->joined || gateway->shards[session->shard].peer == PEER_NONE)
        return; /* with the join, or never: its shard is gone */
    auth = outbox_alloc(outbox, sizeof *auth);
    bus__player_auth__init(auth);
    auth->player = gateway_bus_player(gateway, session->player);
    auth->number = ++session->number;
    auth->account_id = session->ticket.account_id;
    auth->account_name = outbox_text(outbox, session->ticket.account_name);
    item = shard_item(gateway, session);
    item->item_case = BUS__ITEM__ITEM_PLAYER_AUTH;
    item->player_auth = auth;
}

enum reason route_check(const struct gateway *gateway, const struct session *session)
{
    uint16_t peer = gateway->shards[session->shard].peer;

    if (!session->joined || peer == PEER_NONE)
        return REASON_NO_SHARD;
    return gateway->peers[peer].backlogged ? REASON_BUS_FULL : REASON_NONE;
}

void route_packet(struct gateway *gateway, struct session *session, const struct wire_packet *packet,
                  struct span data, uint32_t event_id)
{
    const struct packet_shape *shape = &gateway->shapes[packet->index];
    size_t body_at =
        packet->event_id_at != 0 ? packet->event_id_at + sizeof event_id : ID_SIZE + sizeof session->token;
    size_t body_size = data.size - body_at;
    Bus__ClientPacket *forwarded = outbox_alloc(&gateway->outbox, sizeof *forwarded);
    uint8_t *bytes = outbox_alloc(&gateway->outbox, ID_SIZE + body_size);
    Bus__Item *item;

    bytes[0] = packet->id;
    memcpy(bytes + ID_SIZE, data.data + body_at, body_size);
    bus__client_packet__init(forwarded);
    forwarded->player = gateway_bus_player(gateway, session->player);
    forwarded->packet = (ProtobufCBinaryData){ .len = ID_SIZE + body_size, .data = bytes };
    forwarded->event_id = event_id;
    forwarded->number = event_id != 0 ? ++session->number : 0;
    forwarded->rtt_ms = session_rtt_ms(session);
    if (shape->seen_event_at != 0) {
        uint32_t seen_event = load_u32(data.data + shape->seen_event_at);

        forwarded->barriers_seen = session_barriers_seen(session, seen_event);
        forwarded->seen_past_end = seen_event > session->lane.last_id;
    }
    item = shard_item(gateway, session);
    item->item_case = BUS__ITEM__ITEM_CLIENT_PACKET;
    item->client_packet = forwarded;
}

void route_tag(struct gateway *gateway, struct session *session, uint64_t tag)
{
    Bus__TagAcked *acked;
    Bus__Item *item;

    if (gateway->shards[session->shard].peer == PEER_NONE)
        return; /* whoever waited for it is gone */
    acked = outbox_alloc(&gateway->outbox, sizeof *acked);
    bus__tag_acked__init(acked);
    acked->player = gateway_bus_player(gateway, session->player);
    acked->number = ++session->number;
    acked->tag = tag;
    item = shard_item(gateway, session);
    item->item_case = BUS__ITEM__ITEM_TAG_ACKED;
    item->tag_acked = acked;
}

void route_gone(struct gateway *gateway, struct session *session, enum leave_reason reason)
{
    Bus__PlayerGone *gone;
    Bus__Item *item;

    if (!session->joined || gateway->shards[session->shard].peer == PEER_NONE)
        return;
    gone = outbox_alloc(&gateway->outbox, sizeof *gone);
    bus__player_gone__init(gone);
    gone->player = gateway_bus_player(gateway, session->player);
    gone->number = ++session->number;
    gone->reason = reason;
    item = shard_item(gateway, session);
    item->item_case = BUS__ITEM__ITEM_PLAYER_GONE;
    item->player_gone = gone;
}

static void tell_acked(struct gateway *gateway, const struct session *session)
{
    Bus__EventsAcked *acked;
    Bus__Item *item;

    if (gateway->shards[session->shard].peer == PEER_NONE)
        return;
    acked = outbox_alloc(&gateway->outbox, sizeof *acked);
    bus__events_acked__init(acked);
    acked->player = gateway_bus_player(gateway, session->player);
    acked->event_id = lane_acked_of_shard(&session->lane);
    acked->rtt_ms = session_rtt_ms(session);
    item = shard_item(gateway, session);
    item->item_case = BUS__ITEM__ITEM_EVENTS_ACKED;
    item->events_acked = acked;
}

void route_acks(struct gateway *gateway)
{
    for (uint32_t i = 0; i < gateway->acked_due_count; i++) {
        struct session *session = sessions_get(&gateway->sessions, gateway->acked_due[i]);

        if (session == NULL)
            continue;
        session->acked_due = false;
        tell_acked(gateway, session);
    }
    gateway->acked_due_count = 0;
}

/* ---- to sessions */

void route_transmit(struct gateway *gateway, struct session *session, const struct lane_event *event)
{
    const struct frame *frame = event->frame;
    uint8_t *data = egress_alloc(&gateway->egress, frame->size);
    const struct wire_packet *packet;
    struct wire_error error;

    if (data == NULL) {
        gateway_drop(gateway, REASON_EGRESS_FULL); /* the lane sends it again */
        return;
    }
    packet = wire_identify(WIRE_S2C, frame->data, frame->size, &error);
    assert(packet != NULL && packet->event_id_at != 0);
    memcpy(data, frame->data, frame->size);
    store_u32(data + packet->event_id_at, event->event_id);
    gateway_send(gateway, session, packet, data, frame->size);
}

static enum lane_push push(struct gateway *gateway, struct session *session, enum lane_delivery delivery,
                           struct frame *frame, uint64_t tag)
{
    enum lane_push pushed = lane_push(&session->lane, delivery, frame, tag, gateway->awake_ms);

    if (pushed == LANE_QUEUED)
        route_transmit(gateway, session,
                       &(struct lane_event){ .frame = frame, .event_id = session->lane.last_id });
    return pushed;
}

enum lane_push route_own_event(struct gateway *gateway, struct session *session, struct span packet)
{
    struct frame *frame = frames_new(&gateway->frames, packet);
    enum lane_push pushed = push(gateway, session, LANE_OWN, frame, 0);

    frames_release(&gateway->frames, frame);
    return pushed;
}

/* A packet of a shard on its way to its recipients, with the variants of it that were needed so far: plain,
 * and for teammates. Those of one kind share one copy. */
struct parcel {
    const Bus__Send *send;
    const struct wire_packet *packet;
    const struct packet_shape *shape;
    uint64_t number;
    struct frame *frames[2];      /* of an event */
    const uint8_t *unreliable[2]; /* of a frame */
};

/* The bytes as this recipient gets them, in room for as many. */
static void write_variant(const struct parcel *parcel, bool teammate, const Bus__Rewind *rewind,
                          uint8_t *data)
{
    memcpy(data, parcel->send->packet.data, parcel->send->packet.len);
    if (teammate)
        data[parcel->shape->teammate_at] = 1;
    if (rewind != NULL)
        memcpy(data + parcel->shape->rewind_at, rewind->block.data, rewind->block.len);
}

static void send_event(struct gateway *gateway, struct parcel *parcel, struct session *session, bool teammate,
                       const Bus__Rewind *rewind)
{
    bool droppable = parcel->send->class_ == BUS__SEND__CLASS__DROPPABLE;
    struct frame *frame = rewind == NULL ? parcel->frames[teammate] : NULL;
    enum lane_push pushed;

    if (frame == NULL) {
        uint8_t data[WIRE_PACKET_SIZE_MAX];

        write_variant(parcel, teammate, rewind, data);
        frame = frames_new(&gateway->frames, (struct span){ data, parcel->send->packet.len });
        if (rewind == NULL)
            parcel->frames[teammate] = frame;
    }
    pushed = push(gateway, session, droppable ? LANE_DROPPABLE : LANE_CRITICAL, frame, parcel->send->tag);
    if (rewind != NULL)
        frames_release(&gateway->frames, frame);
    if (pushed == LANE_QUEUED && parcel->shape->is_barrier) {
        session_add_barrier(session, session->lane.last_id);
    } else if (pushed == LANE_DROPPED) {
        gateway_refuse(gateway, session, parcel->packet->id, REASON_LANE_DROPPABLE);
    } else if (pushed == LANE_FULL) {
        gateway_refuse(gateway, session, parcel->packet->id, REASON_LANE_FULL);
        door_end(gateway, session, LEAVE_TIMEOUT);
    }
}

static void send_unreliable(struct gateway *gateway, struct parcel *parcel, struct session *session,
                            bool teammate, const Bus__Rewind *rewind)
{
    size_t size = parcel->send->packet.len;
    const uint8_t *data = rewind == NULL ? parcel->unreliable[teammate] : NULL;

    if (data == NULL) {
        uint8_t *made = egress_alloc(&gateway->egress, size);

        if (made == NULL) {
            gateway_drop(gateway, REASON_EGRESS_FULL);
            return;
        }
        write_variant(parcel, teammate, rewind, made);
        data = made;
        if (rewind == NULL)
            parcel->unreliable[teammate] = data;
    }
    gateway_send(gateway, session, parcel->packet, data, size);
}

static void send_to(struct gateway *gateway, struct parcel *parcel, struct session *session)
{
    bool teammate = session->teammate_in == parcel->number && parcel->shape->teammate_at != 0;
    const Bus__Rewind *rewind =
        session->rewind_in == parcel->number ? parcel->send->rewinds[session->rewind] : NULL;

    if (session->state == SESSION_CLOSING)
        gateway_refuse(gateway, session, parcel->packet->id, REASON_CLOSING);
    else if (parcel->packet->lane == WIRE_RELIABLE)
        send_event(gateway, parcel, session, teammate, rewind);
    else
        send_unreliable(gateway, parcel, session, teammate, rewind);
}

/* Marks who gets another variant, so that no recipient is looked for in a list. */
static void mark_variants(struct gateway *gateway, const struct parcel *parcel)
{
    const Bus__Send *send = parcel->send;

    for (size_t i = 0; i < send->n_teammates; i++) {
        struct session *session = sessions_find_by_id(&gateway->sessions, send->teammates[i]);

        if (session != NULL)
            session->teammate_in = parcel->number;
    }
    for (size_t i = 0; i < send->n_rewinds; i++) {
        struct session *session = sessions_find_by_id(&gateway->sessions, send->rewinds[i]->id);

        if (session == NULL)
            continue;
        session->rewind_in = parcel->number;
        session->rewind = (uint32_t)i;
    }
}

/* NULL: not a session here, or the item is older than its owner. Counted. */
static struct session *recipient(struct gateway *gateway, const Bus__Recipient *to)
{
    struct session *session =
        sessions_find_by_player(&gateway->sessions, (struct player_ref){ to->id, to->token });

    if (session == NULL)
        gateway_drop(gateway, REASON_RECIPIENT_GONE);
    else if (session->fence != to->fence)
        gateway_drop(gateway, REASON_RECIPIENT_FENCE);
    return session != NULL && session->fence == to->fence ? session : NULL;
}

static void send_to_group(struct gateway *gateway, uint16_t peer, struct parcel *parcel)
{
    const Bus__Send *send = parcel->send;
    struct group *group = groups_find(&gateway->groups, peer, send->group);
    uint32_t i = 0;

    while (group != NULL && i < group->count) {
        struct session *session = sessions_get(&gateway->sessions, group->members[i].session);

        if (session == NULL) {
            gateway_drop(gateway, REASON_RECIPIENT_GONE);
            group->members[i] = group->members[--group->count];
            continue;
        }
        if (!send->has_except || session->player.id != send->except)
            send_to(gateway, parcel, session);
        i++;
    }
    if (group != NULL && group->count == 0)
        groups_reset(&gateway->groups, peer, send->group);
}

/* Whether the item is a packet that a shard may send, with the parts that it has. */
static enum reason send_check(const struct gateway *gateway, const Bus__Send *send,
                              const struct wire_packet **packet)
{
    const struct packet_shape *shape;
    struct wire_error error;
    bool reliable = send->class_ != BUS__SEND__CLASS__UNRELIABLE;

    *packet = wire_identify(WIRE_S2C, send->packet.data, send->packet.len, &error);
    if (*packet == NULL || send->packet.len < (*packet)->layout->min_size ||
        send->packet.len > (*packet)->layout->max_size)
        return REASON_BUS_MALFORMED;
    if (reliable != ((*packet)->lane == WIRE_RELIABLE) || (unsigned)send->class_ > BUS__SEND__CLASS__CRITICAL)
        return REASON_BUS_MALFORMED;
    shape = &gateway->shapes[(*packet)->index];
    if (shape->is_gateways)
        return REASON_BUS_FORBIDDEN;
    if (send->n_rewinds > 0 && shape->rewind_at == 0)
        return REASON_BUS_MALFORMED;
    for (size_t i = 0; i < send->n_rewinds; i++) {
        if (send->rewinds[i]->block.len != shape->rewind_size)
            return REASON_BUS_MALFORMED;
    }
    if (send->tag != 0 && (!reliable || send->group != 0 || send->n_to != 1))
        return REASON_BUS_MALFORMED;
    return REASON_NONE;
}

void route_on_send(struct gateway *gateway, uint16_t peer, const Bus__Send *send)
{
    struct parcel parcel = { .send = send };
    enum reason reason = send_check(gateway, send, &parcel.packet);

    if (reason != REASON_NONE) {
        gateway_drop(gateway, reason);
        return;
    }
    parcel.shape = &gateway->shapes[parcel.packet->index];
    parcel.number = ++gateway->parcels;
    mark_variants(gateway, &parcel);
    if (send->group != 0)
        send_to_group(gateway, peer, &parcel);
    for (size_t i = 0; send->group == 0 && i < send->n_to; i++) {
        struct session *session = recipient(gateway, send->to[i]);

        if (session != NULL)
            send_to(gateway, &parcel, session);
    }
    for (int i = 0; i < 2; i++) {
        if (parcel.frames[i] != NULL)
            frames_release(&gateway->frames, parcel.frames[i]);
    }
}

void route_on_group_update(struct gateway *gateway, uint16_t peer, const Bus__GroupUpdate *update)
{
    if (update->group == 0 && update->reset && update->n_add + update->n_remove == 0) {
        groups_forget_peer(&gateway->groups, peer);
        return;
    }
    if (update->group == 0) {
        gateway_drop(gateway, REASON_BUS_MALFORMED);
        return;
    }
    if (update->reset)
        groups_reset(&gateway->groups, peer, update->group);
    for (size_t i = 0; i < update->n_remove; i++)
        groups_remove(&gateway->groups, peer, update->group, update->remove[i]);
    for (size_t i = 0; i < update->n_add; i++) {
        const struct session *session = recipient(gateway, update->add[i]);

        if (session != NULL &&
            !groups_add(&gateway->groups, peer, update->group, session->player.id, session->ref))
            gateway_drop(gateway, REASON_TABLE_FULL);
    }
}
