#include "tests/unit/shard_stage.h"

#include <stdlib.h>
#include <string.h>

#define NEED(condition)                                                \
    do {                                                               \
        if (!(condition))                                              \
            ck_abort_msg("%s:%d: %s", __FILE__, __LINE__, #condition); \
    } while (0)

/* ---- views */

static bool list_has(const uint32_t *ids, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static void list_add(uint32_t *ids, size_t *count, uint32_t id)
{
    if (list_has(ids, *count, id))
        return;
    NEED(*count < STAGE_SHOWN);
    ids[(*count)++] = id;
}

static void list_remove(uint32_t *ids, size_t *count, uint32_t id)
{
    for (size_t i = 0; i < *count; i++)
        if (ids[i] == id) {
            ids[i] = ids[--*count];
            return;
        }
}

bool stage_sees_player(const struct stage_client *client, const struct stage_client *other)
{
    return list_has(client->players, client->players_count, other->id);
}

bool stage_sees_vehicle(const struct stage_client *client, uint32_t vehicle_id)
{
    return list_has(client->vehicles, client->vehicles_count, vehicle_id);
}

static void view_grant(struct stage_client *client, const struct wire_spawn_player *grant)
{
    client->life = grant->life;
    client->pose_rev = grant->pose_rev;
    memcpy(client->pos, grant->pos, sizeof client->pos);
}

/* Only this generation: what is said of an older one comes too late, and changes nothing (Protocol, Player
 * generations). */
static void view_hide_player(struct stage_client *client, uint32_t id, uint32_t token)
{
    NEED(id < STAGE_CLIENTS);
    if (client->player_tokens[id] == token)
        list_remove(client->players, &client->players_count, id);
}

/* All layouts of what a view follows, as the generated decoder leaves them. */
static void view_vehicle(struct stage_client *client, const union wire_any *any, uint8_t id)
{
    switch (id) {
    case PACKET_VEHICLE_SYNC:
        if (any->vehicle_sync.active == 1)
            list_add(client->vehicles, &client->vehicles_count, any->vehicle_sync.vehicle_id);
        else
            list_remove(client->vehicles, &client->vehicles_count, any->vehicle_sync.vehicle_id);
        break;
    case PACKET_VEHICLE_OCCUPANCY:
        if (any->vehicle_occupancy.kind == 3) /* a deny */
            break;
        NEED(stage_sees_vehicle(client, any->vehicle_occupancy.vehicle_id));
        if (any->vehicle_occupancy.player_id == client->id)
            client->seated = any->vehicle_occupancy.kind == 1 || any->vehicle_occupancy.kind == 2;
        break;
    case PACKET_VEHICLE_SYNCER:
        NEED(stage_sees_vehicle(client, any->vehicle_syncer.vehicle_id));
        break;
    case PACKET_TRAIN_STATE:
        NEED(stage_sees_vehicle(client, any->train_state.vehicle_id));
        break;
    case PACKET_VEHICLE_TRANSFORM:
        NEED(stage_sees_vehicle(client, any->vehicle_transform.vehicle_id));
        break;
    case PACKET_VEHICLE_PARAMS:
        NEED(stage_sees_vehicle(client, any->vehicle_params.vehicle_id));
        break;
    case PACKET_VEHICLE_TUNING:
        NEED(stage_sees_vehicle(client, any->vehicle_tuning.vehicle_id));
        break;
    case PACKET_VEHICLE_HANDLING:
        NEED(stage_sees_vehicle(client, any->vehicle_handling.vehicle_id));
        break;
    case PACKET_VEHICLE_COLORS:
        NEED(stage_sees_vehicle(client, any->vehicle_colors.vehicle_id));
        break;
    case PACKET_REMOTE_VEHICLE_FRAME:
        NEED(stage_sees_vehicle(client, any->remote_vehicle_frame.vehicle_id));
        NEED(any->remote_vehicle_frame.source_id != client->id);
        break;
    default:
        break;
    }
}

/* Of one whose connection is gone the shard says nothing before the coordinator's PlayerLeft. */
static bool shows_only_who_has_left(const struct stage_client *client)
{
    for (size_t i = 0; i < client->players_count; i++)
        if (client->stage->clients[client->players[i]].used)
            return false;
    return true;
}

static void view_player(struct stage_client *client, const union wire_any *any, uint8_t id)
{
    switch (id) {
    case PACKET_PLAYER_SPAWNED:
        NEED(any->player_spawned.player_id != client->id);
        NEED(any->player_spawned.player_id < STAGE_CLIENTS);
        list_add(client->players, &client->players_count, any->player_spawned.player_id);
        client->player_tokens[any->player_spawned.player_id] = any->player_spawned.player_token;
        break;
    case PACKET_REMOTE_PLAYER_SYNC:
        NEED(list_has(client->players, client->players_count, any->remote_player_sync.player_id));
        NEED(client->player_tokens[any->remote_player_sync.player_id] ==
             any->remote_player_sync.player_token);
        break;
    case PACKET_PLAYER_WASTED:
        NEED(list_has(client->players, client->players_count, any->player_wasted.player_id));
        break;
    case PACKET_PLAYER_STREAM_OUT:
        view_hide_player(client, any->player_stream_out.player_id, any->player_stream_out.player_token);
        break;
    case PACKET_PLAYER_LEAVE:
        NEED(any->player_leave.player_token != client->token);
        view_hide_player(client, any->player_leave.player_id, any->player_leave.player_token);
        break;
    case PACKET_SPAWN_PLAYER:
    case PACKET_RESPAWN_PLAYER:
        view_grant(client, &any->spawn_player);
        break;
    case PACKET_TELEPORT_PLAYER:
        client->pose_rev = any->teleport_player.pose_rev;
        memcpy(client->pos, any->teleport_player.pos, sizeof client->pos);
        break;
    case PACKET_SCOPE_CHANGED:
        NEED(shows_only_who_has_left(client));
        NEED(client->vehicles_count == 0 || client->seated); /* its vehicle comes along */
        break;
    default:
        view_vehicle(client, any, id);
    }
}

/* 0: it has no such field. */
static uint16_t field_at(const struct wire_packet *packet, const char *name)
{
    const struct wire_field *field = wire_field_by_name(packet->layout, name, strlen(name));

    return field == NULL ? 0 : field->wire_offset;
}

/* The packet as the gateway writes it for this client: with a rewind block of its own if it has one. */
static void write_for(const struct stage_client *client, const Bus__Send *send, uint8_t *bytes)
{
    memcpy(bytes, send->packet.data, send->packet.len);
    for (size_t i = 0; i < send->n_rewinds; i++)
        if (send->rewinds[i]->id == client->id) {

            NEED(send->rewinds[i]->block.len == WIRE_SHOT_REWIND_SIZE);
            memcpy(bytes + WIRE_REMOTE_VEHICLE_SHOT_REWIND_AT, send->rewinds[i]->block.data,
                   WIRE_SHOT_REWIND_SIZE);
        }
}

static void deliver(struct stage_client *client, const Bus__Send *send)
{
    uint8_t bytes[sizeof((struct stage_packet){ 0 }).bytes];
    union wire_any any;
    struct wire_error error;
    const struct wire_packet *packet;
    struct stage_packet *logged;

    NEED(send->packet.len <= sizeof bytes);
    write_for(client, send, bytes);
    packet = wire_decode(WIRE_S2C, bytes, send->packet.len, &any, &error);
    NEED(packet != NULL);
    NEED((packet->lane == WIRE_RELIABLE) == (send->class_ != BUS__SEND__CLASS__UNRELIABLE));
    NEED(send->class_ == BUS__SEND__CLASS__UNRELIABLE ||
         (packet->delivery == WIRE_CRITICAL) == (send->class_ == BUS__SEND__CLASS__CRITICAL));
    if (send->class_ != BUS__SEND__CLASS__UNRELIABLE)
        client->received++;
    view_player(client, &any, packet->id);
    if (client->log_count == STAGE_LOG) {
        memmove(client->log, client->log + 1, (STAGE_LOG - 1) * sizeof *client->log);
        client->log_count--;
    }
    logged = &client->log[client->log_count++];
    *logged = (struct stage_packet){ .delivery = send->class_, .size = (uint16_t)send->packet.len };
    memcpy(logged->bytes, bytes, send->packet.len);
    for (size_t i = 0; i < send->n_teammates; i++) {
        NEED(field_at(packet, "teammate") != 0);
        if (send->teammates[i] == client->id)
            logged->bytes[field_at(packet, "teammate")] = 1;
    }
}

/* ---- gateways */

static struct stage_client *client_by_id(struct stage *stage, uint8_t gateway, uint32_t id)
{
    NEED(id < STAGE_CLIENTS);
    return stage->clients[id].used && stage->clients[id].gateway == gateway ? &stage->clients[id] : NULL;
}

static struct stage_group *find_group(struct stage *stage, uint8_t gateway, uint64_t id)
{
    for (size_t i = 0; i < stage->groups_count[gateway]; i++)
        if (stage->groups[gateway][i].id == id)
            return &stage->groups[gateway][i];
    return NULL;
}

static struct stage_group *make_group(struct stage *stage, uint8_t gateway, uint64_t id)
{
    struct stage_group *group = find_group(stage, gateway, id);

    if (group != NULL)
        return group;
    stage->groups[gateway] =
        realloc(stage->groups[gateway], (stage->groups_count[gateway] + 1) * sizeof *stage->groups[gateway]);
    NEED(stage->groups[gateway] != NULL);
    group = &stage->groups[gateway][stage->groups_count[gateway]++];
    *group = (struct stage_group){ .id = id };
    return group;
}

static void on_group_update(struct stage *stage, uint8_t gateway, const Bus__GroupUpdate *update)
{
    struct stage_group *group;

    if (update->group == 0) {
        NEED(update->reset && update->n_add + update->n_remove == 0);
        stage->groups_count[gateway] = 0;
        return;
    }
    group = make_group(stage, gateway, update->group);
    if (update->reset)
        group->count = 0;
    for (size_t i = 0; i < update->n_add; i++) {
        NEED(!list_has(group->members, group->count, update->add[i]->id));
        NEED(group->count < STAGE_CLIENTS);
        group->members[group->count++] = update->add[i]->id;
    }
    for (size_t i = 0; i < update->n_remove; i++) {
        NEED(list_has(group->members, group->count, update->remove[i]));
        list_remove(group->members, &group->count, update->remove[i]);
    }
}

static void on_send(struct stage *stage, uint8_t gateway, const Bus__Send *send)
{
    stage->sends++;
    for (size_t i = 0; i < send->n_to; i++) {
        struct stage_client *client = client_by_id(stage, gateway, send->to[i]->id);

        if (client == NULL)
            continue; /* it has left: the gateway skips it */
        NEED(send->to[i]->token == client->token);
        NEED(send->to[i]->fence == client->fence);
        deliver(client, send);
    }
    if (send->group == 0)
        return;

    const struct stage_group *group = find_group(stage, gateway, send->group);

    NEED(group != NULL && group->count > (send->has_except ? 1U : 0U));
    for (size_t i = 0; i < group->count; i++) {
        struct stage_client *client = client_by_id(stage, gateway, group->members[i]);

        if (client != NULL && !(send->has_except && send->except == client->id))
            deliver(client, send);
    }
}

static void on_gateway_item(struct stage *stage, uint8_t gateway, const Bus__Item *item)
{
    switch (item->item_case) {
    case BUS__ITEM__ITEM_SEND:
        on_send(stage, gateway, item->send);
        break;
    case BUS__ITEM__ITEM_GROUP_UPDATE:
        on_group_update(stage, gateway, item->group_update);
        break;
    case BUS__ITEM__ITEM_KICK: {
        struct stage_client *client = client_by_id(stage, gateway, item->kick->player->id);

        NEED(client != NULL && client->token == item->kick->player->token);
        client->kicked = true;
        break;
    }
    default:
        ck_abort_msg("the shard told a gateway item %d", item->item_case);
    }
}

/* ---- the coordinator */

struct later {
    Bus__Item items[64];
    Bus__IdLease leases[64];
    Bus__Broadcast lines[64];
    uint8_t bytes[64][600];
    struct later_game {
        Bus__GameUpdate update;
        Bus__GameAnswer answer;
        Bus__GameChange *change;
        Bus__GameTeam *team;
    } games[64];
    size_t count;
};

/* A copy that stays, of what a gamemode has asked for. */
static const Bus__Item *keep_asked(struct stage *stage, const Bus__Item *item)
{
    Bus__Item **place = &stage->asked[stage->asked_count++ % STAGE_ASKED];
    size_t size = bus__item__get_packed_size(item);
    uint8_t *packed = malloc(size);

    NEED(packed != NULL);
    NEED(bus__item__pack(item, packed) == size);
    if (*place != NULL)
        bus__item__free_unpacked(*place, NULL);
    *place = bus__item__unpack(NULL, size, packed);
    NEED(*place != NULL);
    free(packed);
    return *place;
}

const Bus__Item *stage_asked(const struct stage *stage, Bus__Item__ItemCase item_case)
{
    for (uint32_t i = stage->asked_count; i-- > 0 && i + STAGE_ASKED >= stage->asked_count;)
        if (stage->asked[i % STAGE_ASKED]->item_case == item_case)
            return stage->asked[i % STAGE_ASKED];
    return NULL;
}

/* What was asked for is told, and then that it was granted. */
static void grant(struct stage *stage, const Bus__GameAsk *ask, struct later *later)
{
    struct later_game *game = &later->games[later->count];
    Bus__Item *items = &later->items[later->count];

    NEED(later->count + 2 < 64);
    bus__game_update__init(&game->update);
    bus__game_answer__init(&game->answer);
    game->update.revision = ++stage->game_revision;
    game->update.weapon_revision = stage->shard->settings.now.weapon_revision;
    game->update.relation_revision = stage->shard->teams.relation_revision;
    game->change = ask->change;
    game->team = ask->team;
    if (ask->change != NULL) {
        game->update.weapon_revision += ask->change->kind == GAME_PROPERTY;
        game->update.changes = &game->change;
        game->update.n_changes = 1;
    } else {
        if (ask->team->id == 0)
            ask->team->id = ++stage->game_teams;
        game->update.teams = &game->team;
        game->update.n_teams = 1;
    }
    game->answer.request = ask->request;
    bus__item__init(&items[0]);
    bus__item__init(&items[1]);
    items[0].item_case = BUS__ITEM__ITEM_GAME_UPDATE;
    items[0].game_update = &game->update;
    items[1].item_case = BUS__ITEM__ITEM_GAME_ANSWER;
    items[1].game_answer = &game->answer;
    later->count += 2;
}

static void on_coordinator_item(struct stage *stage, const Bus__Item *item, struct later *later)
{
    Bus__Item *answer = &later->items[later->count];

    switch (item->item_case) {
    case BUS__ITEM__ITEM_SHARD_STATE:
        stage->reported_tick_ms = item->shard_state->tick_ms;
        return;
    case BUS__ITEM__ITEM_ID_LEASE:
        stage->leases_asked++;
        if (!stage->leases)
            return;
        bus__id_lease__init(&later->leases[later->count]);
        later->leases[later->count].first = stage->next_id;
        later->leases[later->count].count = item->id_lease->count;
        stage->next_id += item->id_lease->count;
        bus__item__init(answer);
        answer->item_case = BUS__ITEM__ITEM_ID_LEASE;
        answer->id_lease = &later->leases[later->count];
        break;
    case BUS__ITEM__ITEM_BROADCAST:
        stage->broadcasts++;
        bus__broadcast__init(&later->lines[later->count]);
        NEED(item->broadcast->packet.len <= sizeof later->bytes[0]);
        memcpy(later->bytes[later->count], item->broadcast->packet.data, item->broadcast->packet.len);
        later->lines[later->count].packet.data = later->bytes[later->count];
        later->lines[later->count].packet.len = item->broadcast->packet.len;
        later->lines[later->count].class_ = item->broadcast->class_;
        bus__item__init(answer);
        answer->item_case = BUS__ITEM__ITEM_BROADCAST;
        answer->broadcast = &later->lines[later->count];
        break;
    case BUS__ITEM__ITEM_GAME_ASK:
        item = keep_asked(stage, item);
        if (stage->grants)
            grant(stage, item->game_ask, later);
        return;
    case BUS__ITEM__ITEM_SCRIPT_EVENT:
    case BUS__ITEM__ITEM_KV_ASK:
    case BUS__ITEM__ITEM_BAN:
    case BUS__ITEM__ITEM_RESOURCE_REPORT:
        (void)keep_asked(stage, item);
        return;
    default:
        ck_abort_msg("the shard told the coordinator item %d", item->item_case);
    }
    NEED(++later->count < 64);
}

/* ---- driving */

void stage_pump(struct stage *stage)
{
    struct later *later = calloc(1, sizeof *later);
    struct outbox *outbox = shard_outbox(stage->shard);

    NEED(later != NULL);
    shard_check(stage->shard);
    stage->sends = 0;
    for (size_t i = 0; i < outbox->count; i++) {
        uint16_t peer = outbox->entries[i].peer;

        if (peer == STAGE_PEER_COORDINATOR)
            on_coordinator_item(stage, outbox->entries[i].item, later);
        else
            on_gateway_item(stage, (uint8_t)(peer - STAGE_PEER_GATEWAY), outbox->entries[i].item);
    }
    outbox_clear(outbox);
    for (size_t i = 0; i < later->count; i++)
        shard_on_item(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR, &later->items[i]);
    if (later->count > 0)
        stage_pump(stage);
    free(later);
}

void stage_item(struct stage *stage, uint16_t peer, Bus__Item *item)
{
    shard_on_item(stage->shard, stage->now_ms, peer, item);
    stage_pump(stage);
}

static Bus__Item item_of(Bus__Item__ItemCase item_case)
{
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = item_case;
    return item;
}

void stage_game_update(struct stage *stage, Bus__GameUpdate *update)
{
    Bus__Item item = item_of(BUS__ITEM__ITEM_GAME_UPDATE);

    update->revision = ++stage->game_revision;
    item.game_update = update;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
}

void stage_game_answer(struct stage *stage, uint64_t request, bool refused)
{
    Bus__GameAnswer answer = BUS__GAME_ANSWER__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_GAME_ANSWER);

    answer.request = request;
    answer.refused = refused;
    item.game_answer = &answer;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
}

void stage_coordinator_down(struct stage *stage)
{
    shard_peer_down(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR);
    stage_pump(stage);
}

void stage_coordinator_up(struct stage *stage)
{
    shard_peer_up(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR,
                  "coordinator", 2);
    stage_pump(stage);
}

void stage_auth(struct stage *stage, struct stage_client *client, uint64_t account_id, const char *name)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__PlayerAuth auth = BUS__PLAYER_AUTH__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_PLAYER_AUTH);
    char text[64];

    (void)snprintf(text, sizeof text, "%s", name);
    player.id = client->id;
    player.token = client->token;
    auth.player = &player;
    auth.number = ++client->item;
    auth.account_id = account_id;
    auth.account_name = text;
    item.player_auth = &auth;
    stage_item(stage, (uint16_t)(STAGE_PEER_GATEWAY + client->gateway), &item);
}

void stage_ack(struct stage *stage, struct stage_client *client)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__EventsAcked acked = BUS__EVENTS_ACKED__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_EVENTS_ACKED);

    player.id = client->id;
    player.token = client->token;
    acked.player = &player;
    acked.event_id = client->received;
    acked.rtt_ms = client->rtt_ms;
    client->acked = client->received;
    item.events_acked = &acked;
    stage_item(stage, (uint16_t)(STAGE_PEER_GATEWAY + client->gateway), &item);
}

static void ack_all(struct stage *stage)
{
    for (size_t i = 0; i < STAGE_CLIENTS; i++) {
        struct stage_client *client = &stage->clients[i];

        if (client->used && !client->silent && client->acked != client->received)
            stage_ack(stage, client);
    }
}

void stage_run(struct stage *stage, uint64_t ms)
{
    uint64_t end_ms = stage->now_ms + ms;

    while (shard_wakes_at(stage->shard) <= end_ms) {
        ack_all(stage);
        if (shard_wakes_at(stage->shard) > stage->now_ms)
            stage->now_ms = shard_wakes_at(stage->shard);
        shard_tick(stage->shard, stage->now_ms);
        stage_pump(stage);
    }
    stage->now_ms = end_ms;
    ack_all(stage);
}

void stage_gateway_up(struct stage *stage, uint8_t gateway, uint64_t boot)
{
    shard_peer_up(stage->shard, stage->now_ms, (uint16_t)(STAGE_PEER_GATEWAY + gateway),
                  BUS__ROLE__ROLE_GATEWAY, gateway == 0 ? "gateway-1" : "gateway-2", boot);
    stage_pump(stage);
}

void stage_gateway_down(struct stage *stage, uint8_t gateway)
{
    shard_peer_down(stage->shard, stage->now_ms, (uint16_t)(STAGE_PEER_GATEWAY + gateway));
    stage_pump(stage);
}

void stage_map(struct stage *stage, size_t slots, uint32_t owned, uint64_t fence)
{
    static char mine[] = "shard-1";
    static char others[] = "shard-2";
    Bus__Slot slot[32];
    Bus__Slot *pointers[32];
    Bus__Scope spawns[4];
    Bus__Scope *spawn_pointers[4];
    Bus__ClusterMap map = BUS__CLUSTER_MAP__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_MAP);

    NEED(slots <= 32);
    for (size_t i = 0; i < slots; i++) {
        bus__slot__init(&slot[i]);
        slot[i].shard = (owned >> i & 1) != 0 ? mine : others;
        slot[i].fence = fence;
        pointers[i] = &slot[i];
    }
    map.revision = ++stage->map_revision;
    map.whole = stage->whole;
    map.n_slots = slots;
    map.slots = pointers;
    for (size_t i = 0; i < stage->spawns_count; i++) {
        bus__scope__init(&spawns[i]);
        spawns[i].virtual_world = stage->spawns[i].virtual_world;
        spawns[i].interior = stage->spawns[i].interior;
        spawn_pointers[map.n_spawns++] = &spawns[i];
    }
    map.spawns = spawn_pointers;
    item.map = &map;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
}

struct stage *stage_new_sized(const struct shard_vehicle *vehicles, size_t count, uint32_t players,
                              uint32_t ids, bool jacking)
{
    struct stage *stage = calloc(1, sizeof *stage);
    struct shard_config config = {
        .name = "shard-1",
        .bus_endpoint = "ipc:///tmp/shard-1",
        .players_max = players,
        .vehicles_max = 512,
        .player_ids_max = ids,
        .jacking = jacking,
        .vehicles = vehicles,
        .vehicles_count = count,
    };

    NEED(stage != NULL);
    NEED(shard_config_check(&config, stderr) == 0);
    stage->shard = shard_new(&config);
    NEED(stage->shard != NULL);
    stage->now_ms = STAGE_START_MS;
    stage->next_id = 1;
    stage->leases = true;
    shard_tick(stage->shard, stage->now_ms);
    shard_peer_up(stage->shard, stage->now_ms, STAGE_PEER_COORDINATOR, BUS__ROLE__ROLE_COORDINATOR,
                  "coordinator", 1);
    stage_pump(stage);
    for (uint8_t gateway = 0; gateway < STAGE_GATEWAYS; gateway++)
        stage_gateway_up(stage, gateway, 1);
    stage->grants = true;
    stage_game_update(
        stage, &(Bus__GameUpdate){ PROTOBUF_C_MESSAGE_INIT(&bus__game_update__descriptor), .whole = true });
    stage_map(stage, 2, 1, 1);
    return stage;
}

struct stage *stage_new(const struct shard_vehicle *vehicles, size_t count)
{
    return stage_new_sized(vehicles, count, STAGE_CLIENTS, STAGE_CLIENTS, true);
}

void stage_free(struct stage *stage)
{
    shard_free(&stage->shard);
    for (size_t i = 0; i < STAGE_CLIENTS; i++)
        free(stage->clients[i].log);
    for (size_t i = 0; i < STAGE_GATEWAYS; i++)
        free(stage->groups[i]);
    for (size_t i = 0; i < STAGE_ASKED; i++)
        if (stage->asked[i] != NULL)
            bus__item__free_unpacked(stage->asked[i], NULL);
    free(stage);
}

struct shard_vehicle stage_car(uint16_t model, double x, double y)
{
    return (struct shard_vehicle){
        .model = model, .x = x, .y = y, .z = 10, .heading = 90, .color1 = 1, .color2 = 2
    };
}

void stage_listed(struct stage *stage, uint32_t id, uint32_t token, const char *name)
{
    char text[64];
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__PlayerListed listed = BUS__PLAYER_LISTED__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_PLAYER_LISTED);

    (void)snprintf(text, sizeof text, "%s", name);
    player.id = id;
    player.token = token;
    listed.player = &player;
    listed.name = text;
    item.player_listed = &listed;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
}

void stage_left(struct stage *stage, uint32_t id, uint32_t token, uint32_t reason)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__PlayerLeft left = BUS__PLAYER_LEFT__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_PLAYER_LEFT);

    player.id = id;
    player.token = token;
    left.player = &player;
    left.reason = reason;
    item.player_left = &left;
    stage_item(stage, STAGE_PEER_COORDINATOR, &item);
}

/* ---- clients */

struct stage_client *stage_join(struct stage *stage, uint32_t id, float x, float y)
{
    struct stage_client *client = &stage->clients[id];
    char name[32];
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__Scope scope = BUS__SCOPE__INIT;
    uint8_t address[16] = { [10] = 0xFF, [11] = 0xFF, [12] = 192, [13] = 0, [14] = 2, [15] = (uint8_t)id };
    Bus__Spawn spawn = BUS__SPAWN__INIT;
    Bus__PlayerJoin join = BUS__PLAYER_JOIN__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_PLAYER_JOIN);

    NEED(id < STAGE_CLIENTS);
    free(client->log);
    *client = (struct stage_client){ .stage = stage,
                                     .used = true,
                                     .gateway = (uint8_t)(id % STAGE_GATEWAYS),
                                     .id = id,
                                     .token = client->token == 0 ? 1000 + id : client->token + 1000,
                                     .fence = 5,
                                     .item = 1 };
    client->log = calloc(STAGE_LOG, sizeof *client->log);
    NEED(client->log != NULL);
    client->pos[0] = x;
    client->pos[1] = y;
    client->pos[2] = 10;
    (void)snprintf(name, sizeof name, "player_%u", id);
    player.id = client->id;
    player.token = client->token;
    spawn.scope = &scope;
    spawn.x = x;
    spawn.y = y;
    spawn.z = 10;
    join.player = &player;
    join.fence = client->fence;
    join.number = 1;
    join.name = name;
    join.spawn = &spawn;
    join.address = (ProtobufCBinaryData){ .len = sizeof address, .data = address };
    item.player_join = &join;
    stage_item(stage, (uint16_t)(STAGE_PEER_GATEWAY + client->gateway), &item);
    return client;
}

struct stage_client *stage_spawn(struct stage *stage, uint32_t id, float x, float y)
{
    struct stage_client *client = stage_join(stage, id, x, y);

    stage_request_spawn(stage, client);
    stage_walk(stage, client, x, y);
    return client;
}

void stage_gone(struct stage *stage, struct stage_client *client)
{
    stage_gone_for(stage, client, 0);
}

void stage_gone_for(struct stage *stage, struct stage_client *client, uint32_t reason)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__PlayerGone gone = BUS__PLAYER_GONE__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_PLAYER_GONE);

    player.id = client->id;
    player.token = client->token;
    gone.player = &player;
    gone.number = ++client->item;
    gone.reason = reason;
    item.player_gone = &gone;
    client->used = false;
    stage_item(stage, (uint16_t)(STAGE_PEER_GATEWAY + client->gateway), &item);
}

/* What a client sends: a packet whole, as `put` makes it; its token and event_id do not matter. */
void stage_send(struct stage *stage, struct stage_client *client, const uint8_t *packet, size_t size)
{
    struct wire_error error;
    const struct wire_packet *what = wire_identify(WIRE_C2S, packet, size, &error);
    uint8_t rest[WIRE_PACKET_SIZE_MAX];
    size_t head = 1;
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__ClientPacket client_packet = BUS__CLIENT_PACKET__INIT;
    Bus__Item item = item_of(BUS__ITEM__ITEM_CLIENT_PACKET);

    NEED(what != NULL);
    head += what->has_token ? 8 : 0;
    head += what->lane == WIRE_RELIABLE ? 4 : 0;
    rest[0] = packet[0];
    memcpy(rest + 1, packet + head, size - head);
    player.id = client->id;
    player.token = client->token;
    client_packet.player = &player;
    client_packet.rtt_ms = client->rtt_ms;
    client_packet.packet.data = rest;
    client_packet.packet.len = size - head + 1;
    if (what->lane == WIRE_RELIABLE) {
        client_packet.number = ++client->item;
        client_packet.event_id = (uint32_t)client->item - 1;
    }
    item.client_packet = &client_packet;
    stage_item(stage, (uint16_t)(STAGE_PEER_GATEWAY + client->gateway), &item);
}

void stage_request_spawn(struct stage *stage, struct stage_client *client)
{
    struct wire_request_spawn request = { 0 };
    uint8_t packet[WIRE_REQUEST_SPAWN_SIZE];

    stage_send(stage, client, packet, wire_request_spawn_put(&request, packet, sizeof packet));
}

void stage_die(struct stage *stage, struct stage_client *client)
{
    struct wire_death_report report = {
        .life = client->life, .pose_weapon = 1, .pose_anim_group = 2, .pose_anim = 3
    };
    uint8_t packet[WIRE_DEATH_REPORT_SIZE];

    stage_send(stage, client, packet, wire_death_report_put(&report, packet, sizeof packet));
}

void stage_request_respawn(struct stage *stage, struct stage_client *client)
{
    struct wire_respawn_request request = { 0 };
    uint8_t packet[WIRE_RESPAWN_REQUEST_SIZE];

    stage_send(stage, client, packet, wire_respawn_request_put(&request, packet, sizeof packet));
}

struct wire_player_sync stage_sync(struct stage_client *client)
{
    struct wire_player_sync sync = { .seq = ++client->seq };

    memcpy(sync.frame.pos, client->pos, sizeof sync.frame.pos);
    sync.frame.hp = 100;
    sync.frame.vehicle_id = WIRE_NONE;
    sync.frame.life = client->life;
    sync.frame.pose_rev = client->pose_rev;
    return sync;
}

void stage_send_sync(struct stage *stage, struct stage_client *client, const struct wire_player_sync *sync)
{
    uint8_t packet[WIRE_PLAYER_SYNC_SIZE];

    stage_send(stage, client, packet, wire_player_sync_put(sync, packet, sizeof packet));
}

void stage_walk(struct stage *stage, struct stage_client *client, float x, float y)
{
    client->pos[0] = x;
    client->pos[1] = y;

    struct wire_player_sync sync = stage_sync(client);

    stage_send_sync(stage, client, &sync);
}

void stage_enter(struct stage *stage, struct stage_client *client, uint32_t vehicle_id, uint8_t seat)
{
    struct wire_vehicle_enter enter = { .vehicle_id = vehicle_id, .seat = seat };
    uint8_t packet[WIRE_VEHICLE_ENTER_SIZE];

    stage_send(stage, client, packet, wire_vehicle_enter_put(&enter, packet, sizeof packet));
}

void stage_exit(struct stage *stage, struct stage_client *client, uint32_t vehicle_id)
{
    struct wire_vehicle_exit leave = { .vehicle_id = vehicle_id };
    uint8_t packet[WIRE_VEHICLE_EXIT_SIZE];

    stage_send(stage, client, packet, wire_vehicle_exit_put(&leave, packet, sizeof packet));
}

struct wire_vehicle_frame stage_frame(struct stage *stage, struct stage_client *client,
                                      const struct vehicle *vehicle)
{
    struct wire_vehicle_frame frame = { .seq = ++client->vehicle_seq, .vehicle_id = vehicle->id };

    (void)stage;
    memcpy(frame.state.pos, vehicle->pos, sizeof frame.state.pos);
    memcpy(frame.state.rot, vehicle->rot, sizeof frame.state.rot);
    frame.state.health = vehicle->health.value;
    frame.state.epoch = vehicle->epoch;
    frame.state.pose_rev = vehicle->pose_rev;
    frame.state.health_rev = vehicle->health.rev;
    frame.state.siren_rev = vehicle->params.siren_rev;
    frame.state.nitro = 1;
    return frame;
}

void stage_send_frame(struct stage *stage, struct stage_client *client,
                      const struct wire_vehicle_frame *frame)
{
    uint8_t packet[WIRE_VEHICLE_FRAME_SIZE];

    stage_send(stage, client, packet, wire_vehicle_frame_put(frame, packet, sizeof packet));
}

void stage_control(struct stage *stage, struct stage_client *client, uint32_t vehicle_id, uint8_t control,
                   bool on)
{
    struct wire_vehicle_control request = { .vehicle_id = vehicle_id, .control = control, .value = on };
    uint8_t packet[WIRE_VEHICLE_CONTROL_SIZE];

    stage_send(stage, client, packet, wire_vehicle_control_put(&request, packet, sizeof packet));
}

void stage_damage(struct stage *stage, struct stage_client *client, const struct wire_vehicle_damage *damage)
{
    uint8_t packet[WIRE_VEHICLE_DAMAGE_SIZE];

    stage_send(stage, client, packet, wire_vehicle_damage_put(damage, packet, sizeof packet));
}

void stage_explode(struct stage *stage, struct stage_client *client,
                   const struct wire_vehicle_explode *explode)
{
    uint8_t packet[WIRE_VEHICLE_EXPLODE_SIZE];

    stage_send(stage, client, packet, wire_vehicle_explode_put(explode, packet, sizeof packet));
}

void stage_shoot(struct stage *stage, struct stage_client *client, const struct wire_vehicle_shot *shot)
{
    uint8_t packet[WIRE_VEHICLE_SHOT_SIZE];

    stage_send(stage, client, packet, wire_vehicle_shot_put(shot, packet, sizeof packet));
}

void stage_chat(struct stage *stage, struct stage_client *client, const char *text)
{
    struct wire_client_chat chat = { .text = { .data = (const uint8_t *)text, .size = strlen(text) } };
    uint8_t packet[WIRE_CLIENT_CHAT_SIZE_MAX];

    stage_send(stage, client, packet, wire_client_chat_put(&chat, packet, sizeof packet));
}

void stage_command(struct stage *stage, struct stage_client *client, const char *text)
{
    struct wire_client_command command = { .text = { .data = (const uint8_t *)text, .size = strlen(text) } };
    uint8_t packet[WIRE_CLIENT_COMMAND_SIZE_MAX];

    stage_send(stage, client, packet, wire_client_command_put(&command, packet, sizeof packet));
}

/* ---- logs */

const struct stage_packet *stage_take(struct stage_client *client, uint8_t id)
{
    for (size_t i = 0; i < client->log_count; i++)
        if (!client->log[i].taken && client->log[i].bytes[0] == id) {
            client->log[i].taken = true;
            return &client->log[i];
        }
    return NULL;
}

size_t stage_count(const struct stage_client *client, uint8_t id)
{
    size_t count = 0;

    for (size_t i = 0; i < client->log_count; i++)
        count += !client->log[i].taken && client->log[i].bytes[0] == id;
    return count;
}

size_t stage_order(const struct stage_client *client, uint8_t id)
{
    for (size_t i = 0; i < client->log_count; i++)
        if (client->log[i].bytes[0] == id)
            return i;
    return SIZE_MAX;
}

void stage_forget(struct stage *stage)
{
    for (size_t i = 0; i < STAGE_CLIENTS; i++)
        stage->clients[i].log_count = 0;
}

struct player *stage_player(struct stage *stage, const struct stage_client *client)
{
    struct player *player =
        world_player(&stage->shard->world, (struct player_ref){ .id = client->id, .token = client->token });

    NEED(player != NULL);
    return player;
}

struct vehicle *stage_vehicle(struct stage *stage, size_t index)
{
    struct configured_vehicle *configured = &stage->shard->vehicles[index];

    NEED(configured->made);
    return world_vehicle(&stage->shard->world, configured->id);
}

uint64_t stage_reason(const struct stage *stage, enum reason reason)
{
    return shard_stats(stage->shard)->reasons[reason];
}
