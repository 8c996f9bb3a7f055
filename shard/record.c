#include "shard/record.h"

#include <math.h>
#include <string.h>

#include "shard/player_place.h"

/* ---- writing */

Bus__Player *record_write_ref(struct outbox *outbox, struct player_ref ref)
{
    Bus__Player *player = outbox_alloc(outbox, sizeof *player);

    bus__player__init(player);
    player->id = ref.id;
    player->token = ref.token;
    return player;
}

Bus__Scope *record_write_scope(struct outbox *outbox, struct scope scope)
{
    Bus__Scope *state = outbox_alloc(outbox, sizeof *state);

    bus__scope__init(state);
    state->virtual_world = scope.virtual_world;
    state->interior = scope.interior;
    return state;
}

Bus__PlaceState *record_write_place(struct outbox *outbox, const struct place *place)
{
    Bus__PlaceState *state = outbox_alloc(outbox, sizeof *state);

    bus__place_state__init(state);
    state->scope = record_write_scope(outbox, place->scope);
    state->pos = record_write_floats(outbox, place->pos, 3, &state->n_pos);
    state->heading = place->heading;
    return state;
}

Bus__BucketState *record_write_bucket(struct outbox *outbox, const struct bucket *bucket, uint64_t now_ms)
{
    Bus__BucketState *state = outbox_alloc(outbox, sizeof *state);

    bus__bucket_state__init(state);
    state->used = bucket->used;
    state->age_ms = record_age(now_ms, bucket->at_ms);
    return state;
}

float *record_write_floats(struct outbox *outbox, const float *values, size_t count, size_t *written)
{
    float *copy = outbox_alloc(outbox, count * sizeof *copy);

    memcpy(copy, values, count * sizeof *copy);
    *written = count;
    return copy;
}

uint32_t *record_write_bytes(struct outbox *outbox, const uint8_t *values, size_t count, size_t *written)
{
    uint32_t *copy = outbox_alloc(outbox, count * sizeof *copy);

    for (size_t i = 0; i < count; i++)
        copy[i] = values[i];
    *written = count;
    return copy;
}

/* ---- reading */

bool record_read_ref(struct player_ref *ref, const Bus__Player *from)
{
    if (from == NULL)
        return false;
    *ref = (struct player_ref){ .id = from->id, .token = from->token };
    return true;
}

bool record_read_scope(struct scope *scope, const Bus__Scope *from)
{
    if (from == NULL || from->interior > UINT8_MAX)
        return false;
    *scope = (struct scope){ .virtual_world = from->virtual_world, .interior = (uint8_t)from->interior };
    return true;
}

bool record_read_place(struct place *place, const Bus__PlaceState *from)
{
    if (from == NULL || !record_read_scope(&place->scope, from->scope) ||
        !record_read_floats(place->pos, 3, from->pos, from->n_pos))
        return false;
    place->heading = from->heading;
    return place_is_valid(place);
}

bool record_read_bucket(struct bucket *bucket, const Bus__BucketState *from, uint64_t now_ms)
{
    if (from == NULL || !(from->used >= 0 && from->used <= RECORD_BUCKET_USED_MAX))
        return false;
    *bucket = (struct bucket){ .used = from->used, .at_ms = record_time(now_ms, from->age_ms) };
    return true;
}

bool record_read_floats(float *values, size_t count, const float *from, size_t from_count)
{
    if (from_count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(from[i]))
            return false;
        values[i] = from[i];
    }
    return true;
}

bool record_read_bytes(uint8_t *values, size_t count, const uint32_t *from, size_t from_count)
{
    if (from_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!record_read_u8(&values[i], from[i]))
            return false;
    return true;
}

bool record_read_u8(uint8_t *value, uint32_t from)
{
    *value = (uint8_t)from;
    return from <= UINT8_MAX;
}

bool record_read_u16(uint16_t *value, uint32_t from)
{
    *value = (uint16_t)from;
    return from <= UINT16_MAX;
}

Bus__DataState **record_write_notes(struct outbox *outbox, const struct notes *notes, size_t *written)
{
    Bus__DataState **data = outbox_alloc(outbox, (notes->count + 1U) * sizeof(Bus__DataState *));

    *written = notes->count;
    for (uint16_t i = 0; i < notes->count; i++) {
        const struct notes_page *page = &notes->pages[i];

        data[i] = outbox_alloc(outbox, sizeof **data);
        bus__data_state__init(data[i]);
        data[i]->resource = outbox_text(outbox, page->resource);
        data[i]->page = outbox_bytes(outbox, page->bytes, page->size);
    }
    return data;
}

enum reason record_read_notes(struct notes *notes, Bus__DataState *const *from, size_t count)
{
    enum reason refused = REASON_NONE;

    for (size_t i = 0; i < count && refused == REASON_NONE; i++)
        refused =
            notes_put_page(notes, from[i]->resource, (struct span){ from[i]->page.data, from[i]->page.len });
    if (refused != REASON_NONE)
        notes_fini(notes);
    return refused;
}
