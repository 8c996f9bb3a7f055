#include "shard/weapon_tables.h"

#include <assert.h>

#include "shard/shard.h"

/* A record of a table that was replaced. */
struct weapon_replaced {
    uint64_t at_ms;
    uint32_t revision; /* the table's */
    bool first;        /* of those that its replacement has changed */
    uint8_t index;
    struct game_record record;
};

int weapon_tables_init(struct weapon_tables *tables)
{
    return ring_init(&tables->replaced, sizeof(struct weapon_replaced), WEAPON_CHANGES_MAX);
}

void weapon_tables_fini(struct weapon_tables *tables)
{
    ring_fini(&tables->replaced);
}

static void keep(struct weapon_tables *tables, const struct weapon_replaced *what)
{
    if (tables->replaced.count == tables->replaced.capacity)
        ring_pop(&tables->replaced);
    *(struct weapon_replaced *)ring_push(&tables->replaced) = *what;
}

void weapon_tables_replace(struct weapon_tables *tables, const struct game_settings *before,
                           const struct game_settings *now, uint64_t now_ms)
{
    struct weapon_replaced what = { .at_ms = now_ms, .revision = before->weapon_revision, .first = true };

    if (now->weapon_revision == before->weapon_revision)
        return;
    for (size_t i = 0; i < GAME_RECORDS; i++) {
        if (game_same_record(&now->records[i], &before->records[i]))
            continue;
        what.index = (uint8_t)i;
        what.record = before->records[i];
        keep(tables, &what);
        what.first = false;
    }
    if (what.first) { /* a revision without a difference: any record says that it was there */
        what.record = before->records[0];
        keep(tables, &what);
    }
}

static uint32_t present(const struct shard *shard)
{
    return shard->settings.now.weapon_revision;
}

static uint32_t revision_of(const struct shard *shard, uint16_t props_rev)
{
    return present(shard) - (uint16_t)(present(shard) - props_rev);
}

/* The place of the first record that the table's replacement has changed, from the newest back; the count of
 * the kept ones for the present table. SIZE_MAX: the revision is not in force. */
static size_t table_place(const struct shard *shard, uint32_t revision)
{
    const struct ring *replaced = &shard->settings.tables.replaced;

    if (revision == present(shard))
        return replaced->count;
    for (size_t i = replaced->count; i-- > 0;) {
        const struct weapon_replaced *what = ring_at(replaced, i);

        if (shard->now_ms - what->at_ms > WEAPON_TABLE_AGE_MS)
            break;
        if (what->revision == revision && what->first)
            return i;
    }
    return SIZE_MAX;
}

enum reason weapon_tables_check(const struct shard *shard, const struct player *player, uint16_t props_rev)
{
    uint32_t revision = revision_of(shard, props_rev);
    uint32_t now = present(shard);

    if (table_place(shard, revision) == SIZE_MAX)
        return REASON_OLD_PROPS_REV;
    if (player->has_props_rev && table_place(shard, player->props_rev) != SIZE_MAX &&
        now - revision > now - player->props_rev)
        return REASON_OLD_PROPS_REV;
    return REASON_NONE;
}

void weapon_tables_accept(const struct shard *shard, struct player *player, uint16_t props_rev)
{
    player->has_props_rev = true;
    player->props_rev = revision_of(shard, props_rev);
}

bool weapon_tables_find(const struct shard *shard, uint16_t props_rev, size_t record,
                        struct game_record *found)
{
    const struct ring *replaced = &shard->settings.tables.replaced;
    size_t place = table_place(shard, revision_of(shard, props_rev));

    assert(record < GAME_RECORDS);
    if (place == SIZE_MAX)
        return false;
    *found = shard->settings.now.records[record];
    for (size_t i = place; i < replaced->count; i++) {
        const struct weapon_replaced *what = ring_at(replaced, i);

        if (what->index == record) {
            *found = what->record; /* as it was before any later change */
            break;
        }
    }
    return true;
}
