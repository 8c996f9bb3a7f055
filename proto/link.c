#include "proto/link.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_SIZE_MIN = 4096,                     /* ours */
    BUFFER_SIZE_KEPT = 2 * LINK_BATCH_SIZE_MAX, /* ours: larger ones are not kept as spares */
    ITEM_KEY = 9 << 3 | 2,                      /* protobuf: Batch.items, length-delimited */
    VARINT_SIZE_MAX = 5,                        /* of a size */
    DETAIL_SIZE_MAX = 2 * LINK_NAME_MAX + 64,   /* of a refusal */
};

_Static_assert(LINK_BACKLOG_LOW < LINK_BACKLOG_HIGH && LINK_BACKLOG_HIGH < LINK_BACKLOG_MAX, "marks rise");
_Static_assert(LINK_HEARTBEAT_MS < LINK_HOLDER_MS && LINK_HOLDER_MS < LINK_DEAD_MS, "the living are heard");
_Static_assert(LINK_DEAD_MS < LINK_GIVE_UP_MS, "a peer is down before it is given up");
_Static_assert(LINK_ITEM_SIZE_MAX + LINK_ENVELOPE_SIZE_MAX + 16 <= LINK_MESSAGE_SIZE_MAX, "an item fits");
_Static_assert(DETAIL_SIZE_MAX + LINK_ENVELOPE_SIZE_MAX < LINK_REFUSAL_SIZE_MAX, "a refusal has room");

/* The items' bytes lie behind room for the envelope, which is written anew each time the batch is sent. */
struct link_batch {
    uint8_t *data;
    size_t capacity; /* of data */
    size_t size;     /* of the items */
};

static void *without_memory(void)
{
    (void)fputs("a link has no memory left\n", stderr);
    abort();
}

/* ---- the kept batches ---- */

static struct link_batch *batch_at(const struct link *link, size_t index)
{
    assert(index < link->count);
    return &link->batches[(link->first + index) & (link->capacity - 1)];
}

static void grow_ring(struct link *link)
{
    size_t capacity = link->capacity > 0 ? link->capacity * 2 : 16;
    struct link_batch *batches = calloc(capacity, sizeof *batches);

    if (batches == NULL)
        batches = without_memory();
    for (size_t i = 0; i < link->count; i++)
        batches[i] = *batch_at(link, i);
    free(link->batches);
    link->batches = batches;
    link->capacity = capacity;
    link->first = 0;
}

static struct link_batch *add_batch(struct link *link)
{
    if (link->count == link->capacity)
        grow_ring(link);
    link->count++;

    struct link_batch *batch = batch_at(link, link->count - 1);

    *batch = (struct link_batch){ 0 };
    if (link->spare_count > 0) {
        link->spare_count--;
        batch->data = link->spares[link->spare_count].data;
        batch->capacity = link->spares[link->spare_count].capacity;
    }
    return batch;
}

static void pop_batch(struct link *link)
{
    struct link_batch *batch = batch_at(link, 0);

    link->backlog -= batch->size;
    if (link->spare_count < LINK_SPARES_MAX && batch->capacity <= BUFFER_SIZE_KEPT) {
        link->spares[link->spare_count] = (struct link_spare){ batch->data, batch->capacity };
        link->spare_count++;
    } else {
        free(batch->data);
    }
    *batch = (struct link_batch){ 0 };
    link->first = (link->first + 1) & (link->capacity - 1);
    link->count--;
}

/* Room for `size` more bytes at the end of the batch's items. */
static uint8_t *batch_room(struct link_batch *batch, size_t size)
{
    size_t used = LINK_ENVELOPE_SIZE_MAX + batch->size;

    if (used + size > batch->capacity) {
        size_t capacity = batch->capacity > 0 ? batch->capacity : BUFFER_SIZE_MIN;

        while (capacity < used + size)
            capacity *= 2;
        uint8_t *data = realloc(batch->data, capacity);

        batch->data = data != NULL ? data : without_memory();
        batch->capacity = capacity;
    }
    batch->size += size;
    return batch->data + used;
}

/* ---- lives ---- */

/* Both directions start anew. */
static void forget_streams(struct link *link)
{
    link->stats.batches_dropped += link->count;
    while (link->count > 0)
        pop_batch(link);
    link->emitted = 0;
    link->cursor = 0;
    link->acked = 0;
    link->gap_at_ms = 0;
    link->is_repairing = false;
    link->repeat_after_ms = LINK_REPEAT_MS;
    link->is_over = false;
    link->is_full = false;
    link->applied = 0;
    link->has_gap = false;
    link->ack_at_ms = UINT64_MAX;
}

static void say_now(struct link *link)
{
    link->heartbeat_at_ms = 0;
}

/* What was kept is gone, so the peer must be told that this is another life. */
static void give_up(struct link *link)
{
    forget_streams(link);
    link->state = LINK_SILENT;
    link->life++;
    say_now(link);
}

static void begin_life(struct link *link, const Bus__Batch *batch)
{
    if (link->peer_boot != 0 && link->peer_boot != batch->boot) {
        link->former[link->former_next] = (struct link_life){ link->peer_boot, link->peer_life };
        link->former_next = (link->former_next + 1) % LINK_FORMER_MAX;
    }
    forget_streams(link);
    link->state = LINK_SILENT;
    link->peer_boot = batch->boot;
    link->peer_life = batch->life;
    if (link->is_name_open)
        (void)snprintf(link->peer_name, sizeof link->peer_name, "%s", batch->name);
    say_now(link);
}

void link_init(struct link *link, const struct link_self *self, Bus__Role peer_role, const char *peer_name)
{
    assert(self->boot != 0 && link_name_is_valid(self->name));
    assert(peer_name == NULL || link_name_is_valid(peer_name));
    *link =
        (struct link){ .self = self, .peer_role = peer_role, .is_name_open = peer_name == NULL, .life = 1 };
    if (peer_name != NULL)
        (void)snprintf(link->peer_name, sizeof link->peer_name, "%s", peer_name);
    forget_streams(link);
}

void link_fini(struct link *link)
{
    while (link->count > 0)
        pop_batch(link);
    for (size_t i = 0; i < link->spare_count; i++)
        free(link->spares[i].data);
    free(link->batches);
    *link = (struct link){ 0 };
}

enum link_state link_state(const struct link *link)
{
    return link->state;
}

uint64_t link_peer_boot(const struct link *link)
{
    return link->peer_boot + (link->peer_life - 1) + (link->life - 1);
}

bool link_is_same_process(uint64_t boot, uint64_t other)
{
    return boot - other < LINK_LIVES_MAX || other - boot < LINK_LIVES_MAX;
}

size_t link_backlog(const struct link *link)
{
    return link->backlog;
}

bool link_is_over(const struct link *link)
{
    return link->is_over;
}

/* ---- refusals ---- */

bool link_name_is_valid(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t size = strspn(name, letters);

    return size >= 1 && size <= LINK_NAME_MAX && name[size] == '\0';
}

static const char *role_name(Bus__Role role)
{
    switch (role) {
    case BUS__ROLE__ROLE_GATEWAY:
        return "gateway";
    case BUS__ROLE__ROLE_SHARD:
        return "shard";
    case BUS__ROLE__ROLE_COORDINATOR:
        return "coordinator";
    default:
        return "process without a role";
    }
}

/* Roles come from the wire. */
static bool role_is_in(Bus__Role role, unsigned roles)
{
    return role > BUS__ROLE__ROLE_NONE && role <= BUS__ROLE__ROLE_COORDINATOR &&
           (roles & LINK_ROLE(role)) != 0;
}

Bus__Refused__Why link_objection(unsigned roles, const Bus__Batch *batch)
{
    if (batch->version != BUS_VERSION)
        return BUS__REFUSED__WHY__WHY_VERSION;
    if (!role_is_in(batch->role, roles))
        return BUS__REFUSED__WHY__WHY_ROLE;
    if (!link_name_is_valid(batch->name))
        return BUS__REFUSED__WHY__WHY_NAME;
    return BUS__REFUSED__WHY__WHY_NONE;
}

static void write_detail(char detail[DETAIL_SIZE_MAX], const struct link_self *self, const Bus__Batch *batch,
                         Bus__Refused__Why why)
{
    const char *name = link_name_is_valid(batch->name) ? batch->name : "?";

    switch (why) {
    case BUS__REFUSED__WHY__WHY_VERSION:
        (void)snprintf(detail, DETAIL_SIZE_MAX, "%s speaks bus version %" PRIu32 ", %s version %d", name,
                       batch->version, self->name, BUS_VERSION);
        break;
    case BUS__REFUSED__WHY__WHY_NAME_TAKEN:
        (void)snprintf(detail, DETAIL_SIZE_MAX, "%s already has a living peer named %s", self->name, name);
        break;
    case BUS__REFUSED__WHY__WHY_ROLE:
        (void)snprintf(detail, DETAIL_SIZE_MAX, "%s expects no %s here", self->name, role_name(batch->role));
        break;
    case BUS__REFUSED__WHY__WHY_NAME:
        (void)snprintf(detail, DETAIL_SIZE_MAX, "%s expects another name than %s here", self->name, name);
        break;
    case BUS__REFUSED__WHY__WHY_FULL:
        (void)snprintf(detail, DETAIL_SIZE_MAX, "%s has no room for another peer", self->name);
        break;
    default:
        (void)snprintf(detail, DETAIL_SIZE_MAX, "%s has given up this life of %s", self->name, name);
        break;
    }
}

size_t link_refusal(const struct link_self *self, const Bus__Batch *batch, Bus__Refused__Why why,
                    uint8_t message[LINK_REFUSAL_SIZE_MAX])
{
    char detail[DETAIL_SIZE_MAX];
    Bus__Refused refused = BUS__REFUSED__INIT;
    Bus__Batch answer = BUS__BATCH__INIT;

    write_detail(detail, self, batch, why);
    refused.why = why;
    refused.version = BUS_VERSION;
    refused.detail = detail;
    answer.version = BUS_VERSION;
    answer.role = self->role;
    answer.name = (char *)self->name;
    answer.boot = self->boot;
    answer.to_boot = batch->boot;
    answer.to_life = batch->life;
    answer.refused = &refused;
    assert(bus__batch__get_packed_size(&answer) <= LINK_REFUSAL_SIZE_MAX);
    return bus__batch__pack(&answer, message);
}

/* ---- receiving ---- */

static void *arena_allocate(void *arena, size_t size)
{
    return arena_alloc(arena, size);
}

static void arena_release(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

Bus__Batch *link_unpack(struct arena *arena, struct span message)
{
    ProtobufCAllocator allocator = { .alloc = arena_allocate,
                                     .free = arena_release,
                                     .allocator_data = arena };

    return bus__batch__unpack(&allocator, message.size, message.data);
}

enum sender { SENDER_CURRENT, SENDER_NEW, SENDER_STRAGGLER, SENDER_FORMER, SENDER_RIVAL };

static bool is_living(const struct link *link, uint64_t now_ms)
{
    return link->state == LINK_UP && now_ms - link->heard_ms < LINK_HOLDER_MS;
}

static enum sender identify(const struct link *link, uint64_t now_ms, const Bus__Batch *batch)
{
    if (batch->boot == link->peer_boot) {
        if (batch->life == link->peer_life)
            return SENDER_CURRENT;
        return batch->life > link->peer_life ? SENDER_NEW : SENDER_STRAGGLER;
    }
    /* Somebody that was replaced, though it may live: it is told, and can come back in another life. */
    for (size_t i = 0; i < LINK_FORMER_MAX; i++) {
        if (batch->boot == link->former[i].boot && batch->life <= link->former[i].life)
            return SENDER_FORMER;
    }
    return is_living(link, now_ms) ? SENDER_RIVAL : SENDER_NEW;
}

static bool is_for_us(const struct link *link, const Bus__Batch *batch)
{
    return batch->to_boot == link->self->boot && batch->to_life == link->life;
}

bool link_goes_on(const struct link *link, const Bus__Batch *batch)
{
    return link->state == LINK_UP && batch->refused == NULL && batch->boot == link->peer_boot &&
           batch->life == link->peer_life;
}

static struct link_verdict receive_refusal(struct link *link, uint64_t now_ms, const Bus__Batch *batch)
{
    struct link_verdict verdict = { 0 };

    /* One that is late says nothing of a peer that has accepted us since. */
    if (!is_for_us(link, batch) || is_living(link, now_ms)) {
        link->stats.stragglers++;
        return verdict;
    }
    verdict.refused = true;
    verdict.down = link->state == LINK_UP;
    if (link->state != LINK_SILENT || batch->refused->why == BUS__REFUSED__WHY__WHY_ENDED)
        give_up(link);
    link->heartbeat_at_ms = now_ms + LINK_HEARTBEAT_MS;
    return verdict;
}

static void repeat_all(struct link *link)
{
    link->cursor = 0;
    link->is_repairing = true;
}

static void receive_ack(struct link *link, uint64_t now_ms, const Bus__Batch *batch)
{
    if (batch->ack < link->acked)
        return;
    if (batch->ack > link->acked) {
        size_t count = (size_t)(batch->ack - link->acked);

        for (size_t i = 0; i < count; i++)
            pop_batch(link);
        link->emitted -= count;
        link->cursor -= count < link->cursor ? count : link->cursor;
        link->acked = batch->ack;
        link->is_repairing = link->is_repairing && link->emitted > 0;
        link->gap_at_ms = 0;
        link->repeat_after_ms = LINK_REPEAT_MS;
        link->repeat_at_ms = now_ms + LINK_REPEAT_MS;
    }
    if (batch->gap && link->emitted > 0 && now_ms >= link->gap_at_ms) {
        repeat_all(link);
        link->gap_at_ms = now_ms + LINK_GAP_MS;
        link->repeat_at_ms = now_ms + link->repeat_after_ms;
    }
}

/* True: it is the one that is due. */
static bool receive_number(struct link *link, uint64_t now_ms, uint64_t number)
{
    if (number == 0)
        return false;
    if (number != link->applied + 1) {
        bool is_ahead = number > link->applied;

        link->stats.ahead += is_ahead;
        link->stats.duplicates += !is_ahead;
        link->has_gap = link->has_gap || is_ahead;
        link->ack_at_ms = now_ms;
        return false;
    }
    link->applied = number;
    link->has_gap = false;
    if (link->ack_at_ms == UINT64_MAX)
        link->ack_at_ms = now_ms + LINK_ACK_DELAY_MS;
    link->stats.batches_in++;
    return true;
}

static Bus__Refused__Why objection(const struct link *link, const Bus__Batch *batch)
{
    Bus__Refused__Why why = link_objection(LINK_ROLE(link->peer_role), batch);

    if (why == BUS__REFUSED__WHY__WHY_NONE && !link->is_name_open &&
        strcmp(batch->name, link->peer_name) != 0)
        return BUS__REFUSED__WHY__WHY_NAME;
    return why;
}

struct link_verdict link_receive(struct link *link, uint64_t now_ms, const Bus__Batch *batch)
{
    struct link_verdict verdict = { 0 };

    if (batch->refused != NULL)
        return receive_refusal(link, now_ms, batch);
    verdict.refuse = objection(link, batch);
    if (verdict.refuse != BUS__REFUSED__WHY__WHY_NONE)
        return verdict;
    if (batch->boot == 0 || batch->life == 0) {
        link->stats.malformed++;
        return verdict;
    }

    switch (identify(link, now_ms, batch)) {
    case SENDER_STRAGGLER:
        link->stats.stragglers++;
        return verdict;
    case SENDER_FORMER:
        link->stats.stragglers++;
        verdict.refuse = BUS__REFUSED__WHY__WHY_ENDED;
        return verdict;
    case SENDER_RIVAL:
        verdict.refuse = BUS__REFUSED__WHY__WHY_NAME_TAKEN;
        return verdict;
    case SENDER_NEW:
        verdict.down = link->state == LINK_UP;
        begin_life(link, batch);
        break;
    case SENDER_CURRENT:
        break;
    }
    /* It may not know us yet, or only in a former life; then what it says is not for us. */
    if (!is_for_us(link, batch)) {
        link->stats.stragglers++;
        say_now(link);
        return verdict;
    }
    link->heard_ms = now_ms;
    if (batch->ack > link->acked + link->emitted) {
        link->stats.malformed++;
        return verdict;
    }
    if (link->state != LINK_UP) {
        link->stats.lives += link->state == LINK_SILENT;
        link->state = LINK_UP;
        verdict.up = true;
        say_now(link);
    }
    receive_ack(link, now_ms, batch);
    verdict.apply = receive_number(link, now_ms, batch->number);
    return verdict;
}

bool link_tick(struct link *link, uint64_t now_ms)
{
    bool was_up = link->state == LINK_UP;
    uint64_t away_ms = now_ms - link->ticked_ms;

    /* This process was stopped: what the peer sent meanwhile may still be under way. */
    if (link->ticked_ms != 0 && away_ms > LINK_STALL_MS)
        link->heard_ms = link->heard_ms + away_ms < now_ms ? link->heard_ms + away_ms : now_ms;
    link->ticked_ms = now_ms;

    if (link->is_full || (link->is_over && now_ms - link->over_since_ms >= LINK_OVER_MS)) {
        give_up(link);
        return was_up;
    }
    if (link->state == LINK_UP && now_ms - link->heard_ms >= LINK_DEAD_MS)
        link->state = LINK_DOWN;
    if (link->state == LINK_DOWN && now_ms - link->heard_ms >= LINK_GIVE_UP_MS)
        give_up(link);
    return was_up && link->state != LINK_UP;
}

/* ---- sending ---- */

static size_t write_varint(uint8_t *at, size_t value)
{
    size_t size = 0;

    while (value >= 0x80) {
        at[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    at[size++] = (uint8_t)value;
    return size;
}

bool link_push(struct link *link, const Bus__Item *item)
{
    size_t size = bus__item__get_packed_size(item);

    link->is_full = link->is_full || link->backlog > LINK_BACKLOG_MAX;
    if (link->state == LINK_SILENT || link->is_full || size > LINK_ITEM_SIZE_MAX) {
        link->stats.items_lost++;
        return false;
    }

    uint8_t head[1 + VARINT_SIZE_MAX] = { ITEM_KEY };
    size_t head_size = 1 + write_varint(head + 1, size);
    struct link_batch *batch = link->count > link->emitted ? batch_at(link, link->count - 1) : NULL;

    if (batch == NULL || batch->size + head_size + size > LINK_BATCH_SIZE_MAX)
        batch = add_batch(link);

    uint8_t *at = batch_room(batch, head_size + size);
    memcpy(at, head, head_size);
    size_t packed = bus__item__pack(item, at + head_size);
    assert(packed == size);
    link->backlog += head_size + packed;
    return true;
}

static size_t write_envelope(const struct link *link, uint64_t number,
                             uint8_t envelope[LINK_ENVELOPE_SIZE_MAX])
{
    Bus__Batch batch = BUS__BATCH__INIT;

    batch.version = BUS_VERSION;
    batch.role = link->self->role;
    batch.name = (char *)link->self->name;
    batch.boot = link->self->boot;
    batch.life = link->life;
    batch.to_boot = link->peer_boot;
    batch.to_life = link->peer_life;
    batch.number = number;
    batch.ack = link->applied;
    batch.gap = link->has_gap;
    assert(bus__batch__get_packed_size(&batch) <= LINK_ENVELOPE_SIZE_MAX);
    return bus__batch__pack(&batch, envelope);
}

struct emitter {
    bool (*emit)(void *context, struct span message);
    void *context;
};

static bool send_batch(struct link *link, size_t index, const struct emitter *emitter)
{
    struct link_batch *batch = batch_at(link, index);
    uint8_t envelope[LINK_ENVELOPE_SIZE_MAX];
    size_t size = write_envelope(link, link->acked + 1 + index, envelope);
    uint8_t *start = batch->data + LINK_ENVELOPE_SIZE_MAX - size;

    memcpy(start, envelope, size);
    return emitter->emit(emitter->context, (struct span){ start, size + batch->size });
}

static bool send_bare(struct link *link, const struct emitter *emitter)
{
    uint8_t envelope[LINK_ENVELOPE_SIZE_MAX];
    size_t size = write_envelope(link, 0, envelope);

    return emitter->emit(emitter->context, (struct span){ envelope, size });
}

static bool has_batch_to_send(const struct link *link)
{
    if (link->cursor < link->emitted)
        return true;
    return link->cursor < link->count && link->emitted < LINK_WINDOW_MAX && !link->is_repairing;
}

/* False: one was not taken. `said` tells whether any was. */
static bool send_batches(struct link *link, uint64_t now_ms, const struct emitter *emitter, bool *said)
{
    if (link->emitted > 0 && now_ms >= link->repeat_at_ms) {
        repeat_all(link);
        link->repeat_after_ms *= 2;
        if (link->repeat_after_ms > LINK_REPEAT_MAX_MS)
            link->repeat_after_ms = LINK_REPEAT_MAX_MS;
        link->repeat_at_ms = now_ms + link->repeat_after_ms;
    }
    while (has_batch_to_send(link)) {
        if (!send_batch(link, link->cursor, emitter))
            return false;
        *said = true;
        if (link->cursor < link->emitted) {
            link->stats.repeats++;
        } else {
            if (link->emitted == 0)
                link->repeat_at_ms = now_ms + link->repeat_after_ms;
            link->emitted++;
            link->stats.batches_out++;
        }
        link->cursor++;
    }
    return true;
}

static void note_backlog(struct link *link, uint64_t now_ms)
{
    if (link->is_over && link->backlog <= LINK_BACKLOG_LOW)
        link->is_over = false;
    if (link->is_over || link->backlog <= LINK_BACKLOG_HIGH)
        return;
    link->is_over = true;
    link->over_since_ms = now_ms;
}

void link_flush(struct link *link, uint64_t now_ms, bool (*emit)(void *context, struct span message),
                void *context)
{
    struct emitter emitter = { emit, context };
    bool said = false;
    bool taken = true;

    note_backlog(link, now_ms);
    if (now_ms < link->blocked_until_ms)
        return;
    if (link->state != LINK_SILENT)
        taken = send_batches(link, now_ms, &emitter, &said);
    if (!said && taken && (now_ms >= link->ack_at_ms || now_ms >= link->heartbeat_at_ms)) {
        taken = send_bare(link, &emitter);
        said = taken;
    }
    if (said) {
        link->heartbeat_at_ms = now_ms + LINK_HEARTBEAT_MS;
        link->ack_at_ms = UINT64_MAX;
    }
    if (!taken)
        link->blocked_until_ms = now_ms + (link->state == LINK_UP ? LINK_RETRY_MS : LINK_RETRY_IDLE_MS);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t link_wakes_at(const struct link *link)
{
    uint64_t sends_at = earlier(link->heartbeat_at_ms, link->ack_at_ms);
    uint64_t ticks_at = UINT64_MAX;

    if (link->state != LINK_SILENT && has_batch_to_send(link))
        sends_at = 0;
    if (link->state != LINK_SILENT && link->emitted > 0)
        sends_at = earlier(sends_at, link->repeat_at_ms);
    if (sends_at < link->blocked_until_ms)
        sends_at = link->blocked_until_ms;
    if (link->state == LINK_UP)
        ticks_at = link->heard_ms + LINK_DEAD_MS;
    if (link->state == LINK_DOWN)
        ticks_at = link->heard_ms + LINK_GIVE_UP_MS;
    if (link->is_over)
        ticks_at = earlier(ticks_at, link->over_since_ms + LINK_OVER_MS);
    if (link->is_full)
        ticks_at = 0;
    return earlier(sends_at, ticks_at);
}

void link_check(const struct link *link)
{
    size_t backlog = 0;

    assert(link->cursor <= link->emitted);
    assert(!link->is_repairing || link->emitted > 0);
    assert(link->emitted <= link->count && link->emitted <= LINK_WINDOW_MAX);
    assert(link->count <= link->capacity);
    assert(link->spare_count <= LINK_SPARES_MAX);
    assert(link->state != LINK_SILENT || link->count == 0);
    assert(link->state == LINK_SILENT || (link->peer_boot != 0 && link->peer_life != 0));
    assert(link->life != 0);
    assert(link->backlog <= (size_t)LINK_BACKLOG_MAX + LINK_ITEM_SIZE_MAX + LINK_ENVELOPE_SIZE_MAX);
    for (size_t i = 0; i < link->count; i++) {
        const struct link_batch *batch = batch_at(link, i);

        assert(batch->size > 0 && LINK_ENVELOPE_SIZE_MAX + batch->size <= batch->capacity);
        backlog += batch->size;
    }
    assert(backlog == link->backlog);
}
