#include "shard/list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "shard/lanes.h"
#include "shard/player_join.h"
#include "shard/player_show.h"

enum { LEFT_UNTOLD = 1 }; /* PlayerLeave.reason: nobody knows it any more */

int list_init(struct list *list, uint32_t capacity)
{
    *list = (struct list){ 0 };
    list->listings = calloc(capacity, sizeof *list->listings);
    if (list->listings == NULL)
        return -1;
    list->capacity = capacity;
    return 0;
}

void list_fini(struct list *list)
{
    free(list->listings);
    *list = (struct list){ 0 };
}

uint32_t list_color(uint32_t player_id)
{
    /* Ours: sixteen that can be told apart and read on any ground. */
    static const uint32_t colors[16] = {
        0xFF8C13FF, 0xC715FFFF, 0x20B2AAFF, 0xDC143CFF, 0x6495EDFF, 0xF0E68CFF, 0x778899FF, 0xFF1493FF,
        0xF4A460FF, 0xEE82EEFF, 0xFFD720FF, 0x8B9AFFFF, 0x94D95AFF, 0x14CFFFFF, 0xFA8072FF, 0x56F5A3FF,
    };

    return colors[player_id % 16];
}

/* ---- bits by player id */

static bool bit_get(const uint64_t *bits, uint32_t id)
{
    return (bits[id / 64] >> id % 64 & 1) != 0;
}

static void bit_put(uint64_t *bits, uint32_t id, bool on)
{
    uint64_t mask = UINT64_C(1) << id % 64;

    bits[id / 64] = on ? bits[id / 64] | mask : bits[id / 64] & ~mask;
}

static void owe_entry(struct player *player, uint32_t id, bool owed)
{
    if (bit_get(player->entries_owed, id) == owed)
        return;
    bit_put(player->entries_owed, id, owed);
    player->entries_owed_count = owed ? player->entries_owed_count + 1 : player->entries_owed_count - 1;
}

static void owe_leave(struct player *player, uint32_t id, bool owed)
{
    if (!owed)
        bit_put(player->leaves_shown, id, false);
    if (bit_get(player->leaves_owed, id) == owed)
        return;
    bit_put(player->leaves_owed, id, owed);
    player->leaves_owed_count = owed ? player->leaves_owed_count + 1 : player->leaves_owed_count - 1;
}

/* ---- telling */

static bool send_entry(struct shard *shard, struct player *player, uint32_t id)
{
    const struct listing *listing = &shard->list.listings[id];
    struct wire_player_list_entry entry = {
        .player_id = id,
        .player_token = listing->token,
        .active = 1,
        .color = list_color(id),
        .ping = listing->ping,
        .name = { .data = (const uint8_t *)listing->name, .size = strlen(listing->name) },
    };
    uint8_t packet[WIRE_PLAYER_LIST_ENTRY_SIZE_MAX];
    struct wire_error error;
    size_t size = wire_player_list_entry_encode(&entry, packet, sizeof packet, &error);

    assert(size > 0);
    return send_droppable(shard, player, packet, size);
}

static void send_leave(struct shard *shard, struct player *player, uint32_t id)
{
    const struct listing *listing = &shard->list.listings[id];
    struct wire_player_leave leave = { .player_id = id,
                                       .player_token = listing->left_token,
                                       .reason = listing->left_reason };
    uint8_t packet[WIRE_PLAYER_LEAVE_SIZE];
    struct wire_error error;
    size_t size = wire_player_leave_encode(&leave, packet, sizeof packet, &error);

    assert(size > 0);
    send_critical(shard, player, packet, size);
}

static void tell_entries(struct shard *shard, struct player *player, uint32_t most)
{
    for (uint32_t word = 0; word <= (shard->list.end - 1) / 64 && player->entries_owed_count > 0; word++)
        while (player->entries_owed[word] != 0) {
            uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(player->entries_owed[word]);

            if (most-- == 0 || !lane_takes_shows(shard, player) || !send_entry(shard, player, id))
                return;
            owe_entry(player, id, false);
        }
}

static void tell_leaves(struct shard *shard, struct player *player, bool shown)
{
    for (uint32_t word = 0; word <= (shard->list.end - 1) / 64 && player->leaves_owed_count > 0; word++) {
        uint64_t left = player->leaves_owed[word];

        if (shown)
            left &= player->leaves_shown[word];
        for (; left != 0; left &= left - 1) {
            uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(left);

            if (!lane_takes_droppable(shard, player))
                return;
            send_leave(shard, player, id);
            owe_leave(player, id, false);
        }
    }
}

bool list_tell_leaves(struct shard *shard, struct player *player)
{
    if (player->leaves_owed_count == 0)
        return true;
    tell_leaves(shard, player, true);
    tell_leaves(shard, player, false);
    for (uint32_t word = 0; word <= (shard->list.end - 1) / 64; word++)
        if ((player->leaves_owed[word] & player->leaves_shown[word]) != 0)
            return false;
    return true;
}

bool list_owes_hide(const struct list *list, const struct player *player, uint32_t id, struct owed_hide *hide)
{
    if (!bit_get(player->leaves_shown, id) || bit_get(player->leaves_owed, id))
        return false;
    *hide = (struct owed_hide){ .kind = ENTITY_PLAYER,
                                .id = id,
                                .token = list->listings[id].gone_token,
                                .last_seq = list->listings[id].gone_seq };
    return true;
}

bool list_hide_gone(struct shard *shard, struct player *player)
{
    struct owed_hide hide;

    for (uint32_t word = 0; word < (shard->list.end + 63) / 64; word++)
        for (uint64_t gone = player->leaves_shown[word]; gone != 0; gone &= gone - 1) {
            uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(gone);

            if (!list_owes_hide(&shard->list, player, id, &hide))
                continue;
            if (!lane_takes_droppable(shard, player))
                return false;
            player_send_stream_out(shard, player, &hide);
            bit_put(player->leaves_shown, id, false);
        }
    return true;
}

static void tell(struct shard *shard, struct player *player, uint32_t entries_max)
{
    list_tell_leaves(shard, player);
    if (player->entries_owed_count > 0 && entries_max > 0)
        tell_entries(shard, player, entries_max);
}

/* ---- from the coordinator */

static bool listed_is_valid(const struct list *list, const Bus__PlayerListed *listed)
{
    struct span name;

    if (listed->player == NULL || listed->player->id >= list->capacity || listed->player->token == 0 ||
        listed->name == NULL)
        return false;
    name = (struct span){ .data = (const uint8_t *)listed->name, .size = strlen(listed->name) };
    return name.size > 0 && name.size <= PLAYER_NAME_MAX && text_is_line(name);
}

static void leave(struct shard *shard, struct player_ref ref, uint8_t reason)
{
    struct list *list = &shard->list;
    const struct group *everyone = &shard->world.everyone;
    struct listing *listing = &list->listings[ref.id];
    /* Its gateway may be gone, or say so later. */
    struct player *leaver = world_player(&shard->world, ref);

    if (leaver != NULL)
        player_leave(shard, leaver, (enum leave_reason)reason);
    if (ref.id >= list->end)
        list->end = ref.id + 1;
    listing->left_token = ref.token;
    listing->left_reason = reason;
    listing->token = 0;
    for (uint16_t i = 0; i < everyone->count; i++) {
        struct player *player = world_player_at(&shard->world, everyone->observers[i]);

        owe_entry(player, ref.id, false);
        owe_leave(player, ref.id, true);
        tell(shard, player, 0);
    }
}

void list_on_listed(struct shard *shard, const Bus__PlayerListed *listed)
{
    struct list *list = &shard->list;
    const struct group *everyone = &shard->world.everyone;

    if (!listed_is_valid(list, listed)) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }

    uint32_t id = listed->player->id;
    struct listing *listing = &list->listings[id];
    bool known = listing->token == listed->player->token && strcmp(listing->name, listed->name) == 0;

    if (listed->player->token < listing->token || listed->player->token <= listing->left_token) {
        shard_count(shard, REASON_BUS_STALE);
        return;
    }
    listing->is_told = true;
    if (known)
        return;
    /* Nobody could say that the one before has left: it may still be shown to somebody. */
    if (listing->token != 0 && listing->token != listed->player->token)
        leave(shard, (struct player_ref){ id, listing->token }, LEFT_UNTOLD);
    if (id >= list->end)
        list->end = id + 1;
    if (listing->token != listed->player->token)
        listing->ping = 0;
    listing->token = listed->player->token;
    memcpy(listing->name, listed->name, strlen(listed->name) + 1);
    for (uint16_t i = 0; i < everyone->count; i++) {
        struct player *player = world_player_at(&shard->world, everyone->observers[i]);

        /* Out of reach it is told later: the leave still goes before the entry. */
        if (bit_get(player->leaves_owed, id) && lane_is_reachable(shard, player)) {
            send_leave(shard, player, id);
            owe_leave(player, id, false);
        }
        owe_entry(player, id, true);
    }
}

bool list_has_left(const struct list *list, struct player_ref ref)
{
    return ref.id < list->capacity && ref.token <= list->listings[ref.id].left_token;
}

void list_on_left(struct shard *shard, const Bus__PlayerLeft *left)
{
    const struct list *list = &shard->list;
    const struct listing *listing;

    if (left->player == NULL || left->player->id >= list->capacity || left->player->token == 0 ||
        left->reason > 4) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    listing = &list->listings[left->player->id];
    if (left->player->token < listing->token || left->player->token <= listing->left_token) {
        shard_count(shard, REASON_BUS_STALE);
        return;
    }
    leave(shard, (struct player_ref){ left->player->id, left->player->token }, (uint8_t)left->reason);
}

void list_on_begin(struct list *list)
{
    list->is_whole = false;
    for (uint32_t id = 0; id < list->end; id++)
        list->listings[id].is_told = false;
}

void list_on_whole(struct shard *shard)
{
    struct list *list = &shard->list;

    if (list->is_whole)
        return;
    list->is_whole = true;
    for (uint32_t id = 0; id < list->end; id++) {
        const struct listing *listing = &list->listings[id];

        if (listing->token != 0 && !listing->is_told)
            leave(shard, (struct player_ref){ id, listing->token }, LEFT_UNTOLD);
    }
}

/* ---- players and time */

void list_greet(struct shard *shard, struct player *player)
{
    for (uint32_t id = 0; id < shard->list.end; id++)
        if (shard->list.listings[id].token != 0)
            owe_entry(player, id, true);
    tell(shard, player, UINT32_MAX);
}

void list_note_gone(struct shard *shard, const struct player *player)
{
    struct listing *listing = &shard->list.listings[player->ref.id];

    if (player->ref.id >= shard->list.end)
        shard->list.end = player->ref.id + 1;
    listing->gone_token = player->ref.token;
    listing->gone_seq = player->seq;
    for (uint16_t i = 0; i < player->observers.count; i++)
        bit_put(world_player_at(&shard->world, player->observers.observers[i])->leaves_shown, player->ref.id,
                true);
}

/* Marks the next entry whose ping has changed enough for everybody. */
static void update_ping(struct shard *shard)
{
    struct list *list = &shard->list;
    const struct group *everyone = &shard->world.everyone;

    for (uint32_t tries = 0; tries < list->end; tries++) {
        uint32_t id = list->ping_next++ % list->end;
        struct listing *listing = &list->listings[id];
        const struct player *player =
            world_player(&shard->world, (struct player_ref){ .id = id, .token = listing->token });

        if (player == NULL)
            continue;

        uint32_t rtt_ms = player->rtt_ms < UINT16_MAX - LIST_PING_ROUND_MS ? player->rtt_ms : UINT16_MAX / 2;
        uint32_t ping = (rtt_ms + LIST_PING_ROUND_MS / 2) / LIST_PING_ROUND_MS * LIST_PING_ROUND_MS;

        if (abs((int)ping - (int)listing->ping) < LIST_PING_STEP_MS)
            continue;
        listing->ping = (uint16_t)ping;
        for (uint16_t i = 0; i < everyone->count; i++)
            owe_entry(world_player_at(&shard->world, everyone->observers[i]), id, true);
        return;
    }
}

static void tell_in_turn(struct shard *shard)
{
    const struct group *everyone = &shard->world.everyone;
    uint32_t first = shard->list.tell_next;
    uint32_t left = LIST_ENTRIES_IN_ALL;

    for (uint32_t i = 0; i < everyone->count; i++) {
        uint32_t turn = (first + i) % everyone->count;
        struct player *player = world_player_at(&shard->world, everyone->observers[turn]);
        uint32_t owed = player->entries_owed_count;

        tell(shard, player, left < LIST_ENTRIES_A_TICK ? left : LIST_ENTRIES_A_TICK);
        left -= owed - player->entries_owed_count;
        if (left > 0)
            shard->list.tell_next = turn + 1;
    }
}

void list_tick(struct shard *shard, uint64_t now_ms)
{
    if (now_ms >= shard->list.ping_at_ms) {
        shard->list.ping_at_ms = now_ms + LIST_PING_EVERY_MS;
        update_ping(shard);
    }
    tell_in_turn(shard);
}
