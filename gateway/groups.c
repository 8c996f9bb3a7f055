#include "gateway/groups.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUP_CAPACITY_MIN = 8 }; /* ours */

int groups_init(struct groups *groups)
{
    *groups = (struct groups){ 0 };
    if (pool_init(&groups->pool, sizeof(struct group), GROUPS_MAX) != 0 ||
        index_init(&groups->by_id, GROUPS_MAX) != 0) {
        groups_fini(groups);
        return -1;
    }
    return 0;
}

void groups_fini(struct groups *groups)
{
    for (uint32_t i = pool_next(&groups->pool, 0); i != POOL_END; i = pool_next(&groups->pool, i + 1))
        free(((struct group *)pool_at(&groups->pool, i))->members);
    pool_fini(&groups->pool);
    index_fini(&groups->by_id);
}

static uint32_t hash_of(uint16_t peer, uint64_t id)
{
    uint64_t mixed = (id ^ (uint64_t)peer << 48) * UINT64_C(0x9E3779B97F4A7C15);

    return (uint32_t)(mixed >> 32);
}

/* POOL_END: there is no such group. */
static uint32_t find(const struct groups *groups, uint16_t peer, uint64_t id)
{
    for (uint32_t i = index_first(&groups->by_id, hash_of(peer, id)); i != INDEX_END;
         i = index_next(&groups->by_id, i)) {
        const struct group *group = pool_at(&groups->pool, i);

        if (group->peer == peer && group->id == id)
            return i;
    }
    return POOL_END;
}

struct group *groups_find(const struct groups *groups, uint16_t peer, uint64_t id)
{
    return pool_at(&groups->pool, find(groups, peer, id));
}

static void end_group(struct groups *groups, uint32_t i)
{
    struct group *group = pool_at(&groups->pool, i);

    index_remove(&groups->by_id, hash_of(group->peer, group->id), i);
    free(group->members);
    pool_release(&groups->pool, pool_ref_at(&groups->pool, i));
}

static struct group *begin_group(struct groups *groups, uint16_t peer, uint64_t id)
{
    struct pool_ref ref;
    struct group *group = pool_take(&groups->pool, &ref);

    if (group == NULL)
        return NULL;
    group->peer = peer;
    group->id = id;
    index_add(&groups->by_id, hash_of(peer, id), ref.index);
    return group;
}

static void grow(struct group *group)
{
    uint32_t capacity = group->capacity > 0 ? group->capacity * 2 : GROUP_CAPACITY_MIN;
    struct group_member *members = reallocarray(group->members, capacity, sizeof *members);

    if (members == NULL) {
        (void)fputs("no memory left for a group\n", stderr);
        abort();
    }
    group->members = members;
    group->capacity = capacity;
}

static struct group_member *member_of(const struct group *group, uint32_t player_id)
{
    for (uint32_t i = 0; i < group->count; i++) {
        if (group->members[i].player_id == player_id)
            return &group->members[i];
    }
    return NULL;
}

bool groups_add(struct groups *groups, uint16_t peer, uint64_t id, uint32_t player_id,
                struct pool_ref session)
{
    struct group *group = groups_find(groups, peer, id);
    struct group_member *member;

    if (group == NULL)
        group = begin_group(groups, peer, id);
    if (group == NULL)
        return false;
    member = member_of(group, player_id);
    if (member == NULL) {
        if (group->count == group->capacity)
            grow(group);
        member = &group->members[group->count++];
    }
    *member = (struct group_member){ .player_id = player_id, .session = session };
    return true;
}

void groups_remove(struct groups *groups, uint16_t peer, uint64_t id, uint32_t player_id)
{
    struct group *group = groups_find(groups, peer, id);
    struct group_member *member = group != NULL ? member_of(group, player_id) : NULL;

    if (member == NULL)
        return;
    *member = group->members[--group->count];
    if (group->count == 0)
        end_group(groups, find(groups, peer, id));
}

void groups_reset(struct groups *groups, uint16_t peer, uint64_t id)
{
    uint32_t i = find(groups, peer, id);

    if (i != POOL_END)
        end_group(groups, i);
}

void groups_forget_peer(struct groups *groups, uint16_t peer)
{
    for (uint32_t i = pool_next(&groups->pool, 0); i != POOL_END; i = pool_next(&groups->pool, i + 1)) {
        if (((const struct group *)pool_at(&groups->pool, i))->peer == peer)
            end_group(groups, i);
    }
}
