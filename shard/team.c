#include "shard/team.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/serial.h"
#include "shard/settings.h"
#include "shard/shard.h"

int teams_init(struct teams *teams)
{
    *teams = (struct teams){ .teams = calloc(GAME_TEAMS_MAX, sizeof teams->teams[0]) };
    return teams->teams != NULL ? 0 : -1;
}

void teams_fini(struct teams *teams)
{
    free(teams->teams);
    *teams = (struct teams){ 0 };
}

static uint16_t find(const struct teams *teams, const char *resource, const char *name)
{
    for (uint16_t i = 0; i < teams->count; i++) {
        if (game_team_is(&teams->teams[i], resource, name))
            return (uint16_t)(i + 1);
    }
    return TEAM_NONE;
}

/* TEAM_NONE: the table is full. */
static uint16_t add(struct teams *teams, const struct game_team *team)
{
    if (teams->count == GAME_TEAMS_MAX)
        return TEAM_NONE;
    teams->teams[teams->count] = *team;
    return ++teams->count;
}

uint16_t team_find(const struct shard *shard, const char *resource, const char *name)
{
    return find(&shard->teams, resource, name);
}

const struct game_team *team_get(const struct shard *shard, uint16_t team)
{
    return team == TEAM_NONE || team > shard->teams.count ? NULL : &shard->teams.teams[team - 1];
}

enum reason team_create(struct shard *shard, const char *resource, const char *name, uint16_t *team)
{
    struct game_team made = { 0 };
    enum reason refused;

    assert(game_resource_is_valid(resource));
    if (!game_team_name_is_valid(name))
        return REASON_BAD_NAME;
    *team = find(&shard->teams, resource, name);
    if (*team != TEAM_NONE)
        return REASON_NONE;
    if (shard->teams.count == GAME_TEAMS_MAX)
        return REASON_TABLE_FULL;
    memcpy(made.resource, resource, strlen(resource) + 1);
    memcpy(made.name, name, strlen(name) + 1);
    refused = settings_ask_team(shard, &made, true);
    if (refused == REASON_NONE)
        *team = add(&shard->teams, &made);
    return refused;
}

enum reason team_set_friendly_fire(struct shard *shard, uint16_t team, bool on)
{
    const struct game_team *found = team_get(shard, team);
    struct game_team wanted;

    if (found == NULL)
        return REASON_NO_TEAM;
    wanted = *found;
    wanted.friendly_fire_off = !on;
    return settings_ask_team(shard, &wanted, false);
}

/* The player's damage group: 0 none. */
static uint16_t group_of(const struct shard *shard, uint16_t team)
{
    const struct game_team *found = team_get(shard, team);

    return found != NULL && found->friendly_fire_off ? team : TEAM_NONE;
}

enum reason player_set_team(struct shard *shard, struct player *player, uint16_t team)
{
    if (team != TEAM_NONE && team_get(shard, team) == NULL)
        return REASON_NO_TEAM;
    if (group_of(shard, player->team) != group_of(shard, team))
        shard->teams.relation_revision++;
    player->team = team;
    return REASON_NONE;
}

bool team_has_mates(const struct shard *shard, const struct player *player)
{
    return player->team != TEAM_NONE && group_of(shard, player->team) != TEAM_NONE;
}

bool team_are_mates(const struct shard *shard, const struct player *one, const struct player *other)
{
    return one != other && one->team == other->team && team_has_mates(shard, one);
}

void team_empty_all_of(struct shard *shard, const char *resource)
{
    const struct pool *players = &shard->world.players;

    for (uint32_t slot = pool_next(players, 0); slot != POOL_END; slot = pool_next(players, slot + 1)) {
        struct player *player = world_player_at(&shard->world, slot);
        const struct game_team *team = team_get(shard, player->team);

        if (team != NULL && strcmp(team->resource, resource) == 0)
            (void)player_set_team(shard, player, TEAM_NONE);
    }
}

bool team_take(struct shard *shard, const struct game_team *told)
{
    struct teams *teams = &shard->teams;
    uint16_t team = find(teams, told->resource, told->name);
    struct game_team *known;

    if (team == TEAM_NONE)
        return add(teams, told) != TEAM_NONE;
    known = &teams->teams[team - 1];
    if (known->friendly_fire_off != told->friendly_fire_off)
        teams->relation_revision++;
    *known = *told;
    return true;
}

void team_see_revision(struct shard *shard, uint32_t revision)
{
    if (serial32_newer(revision, shard->teams.relation_revision))
        shard->teams.relation_revision = revision;
}
