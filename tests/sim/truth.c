#include "tests/sim/truth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shard/shard.h"
#include "tests/sim/copies.h"

#define STREAM_M 200.0f /* Player, Streaming; Vehicles: VehicleSync */
#define MARGIN_M \
    5.0f /* ours: of a passenger, whose place is its driver's; of a frame or two that were lost */

static bool wrong(struct truth *truth, const char *who, const char *what)
{
    (void)snprintf(truth->wrong, sizeof truth->wrong, "%s: %s", who, what);
    return false;
}

static float apart(const float a[3], const float b[3])
{
    return hypotf(hypotf(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static bool same_scope(const struct client *a, const struct client *b)
{
    return a->virtual_world == b->virtual_world && a->interior == b->interior;
}

/* ---- what one sees */

static bool sees_who_is_near(struct truth *truth, const struct crowd *crowd, const struct actor *viewer)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct client *other = &crowd->actors[i].client;
        float distance = apart(viewer->client.frame.pos, other->frame.pos);
        bool should = same_scope(&viewer->client, other) && distance < STREAM_M;

        if (&viewer->client == other || fabsf(distance - STREAM_M) <= MARGIN_M)
            continue;
        if (client_sees(&viewer->client, other->player_id, other->player_token) != should)
            return wrong(truth, viewer->name, should ? "does not see who is near" : "sees who is far");
        truth->pairs += should;
    }
    return true;
}

static bool is_here(const struct crowd *crowd, uint32_t id, uint32_t token)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct actor *actor = &crowd->actors[i];

        if (actor_is_open(actor) && actor->client.player_id == id && actor->client.player_token == token)
            return true;
    }
    return false;
}

static bool sees_nobody_else(struct truth *truth, const struct crowd *crowd, const struct actor *viewer)
{
    const struct view *view = &viewer->client.view;

    for (uint32_t i = 0; i < view->players_count; i++) {
        const struct view_player *player = &view->players[i];

        if (player->is_shown && !is_here(crowd, player->id, player->generation))
            return wrong(truth, viewer->name, "sees somebody who has left");
    }
    return true;
}

static bool lists_who_is_here(struct truth *truth, const struct crowd *crowd, const struct actor *viewer)
{
    uint32_t listed = 0;

    if (viewer->list == NULL)
        return true;
    for (uint32_t id = 0; id < CROWD_LIST_MAX; id++) {
        listed += viewer->list[id] != 0;
        if (viewer->list[id] != 0 && !is_here(crowd, id, viewer->list[id]))
            return wrong(truth, viewer->name, "has somebody in its list who has left");
    }
    return listed == crowd->count || wrong(truth, viewer->name, "does not have everybody in its list");
}

static const struct vehicle *server_vehicle(const struct crowd *crowd, uint32_t id)
{
    const struct cluster *cluster = crowd->cluster;

    for (uint16_t i = 0; i < cluster->nodes_count; i++) {
        const struct vehicle *vehicle =
            cluster->shards[i] == NULL ? NULL : world_vehicle(&cluster->shards[i]->world, id);

        if (vehicle != NULL)
            return vehicle;
    }
    return NULL;
}

/* Everybody whom the vehicle that one of them sees is near sees it, and nobody else. */
static bool all_see_alike(struct truth *truth, const struct crowd *crowd, const struct client *viewer,
                          uint32_t vehicle_id)
{
    const struct vehicle *vehicle = server_vehicle(crowd, vehicle_id);
    const float *pos;

    if (vehicle == NULL)
        return wrong(truth, "somebody", "sees a vehicle that is gone");
    pos = vehicle->pos;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct client *client = &crowd->actors[i].client;
        float distance = apart(client->frame.pos, pos);
        bool should = same_scope(viewer, client) && distance < STREAM_M;

        if (fabsf(distance - STREAM_M) > MARGIN_M && client_sees_vehicle(client, vehicle_id) != should)
            return wrong(truth, crowd->actors[i].name,
                         should ? "does not see a vehicle that is near" : "sees a vehicle that is far");
    }
    return true;
}

static bool sees_its_vehicles(struct truth *truth, const struct crowd *crowd, const struct actor *viewer)
{
    const struct view *view = &viewer->client.view;

    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        if (!view->vehicles[i].is_shown)
            continue;
        truth->vehicles++;
        if (!all_see_alike(truth, crowd, &viewer->client, view->vehicles[i].id))
            return false;
    }
    return true;
}

/* ---- what the servers hold */

static bool is_in_directory(struct truth *truth, const struct crowd *crowd, const struct actor *actor)
{
    const struct cluster *cluster = crowd->cluster;
    const struct member *member = coordinator_find(cluster->coordinator, actor->name);
    const struct client *client = &actor->client;
    const struct stored_player *stored;

    if (member == NULL)
        return wrong(truth, actor->name, "is not in the coordinator's directory");
    if (member->ref.id != client->player_id || member->ref.token != client->player_token)
        return wrong(truth, actor->name, "is another player in the coordinator's directory");
    stored = &cluster->redis.players[client->player_id];
    if (stored->ref.token != client->player_token || strcmp(stored->name, actor->name) != 0 ||
        strcmp(stored->gateway, cluster->names[actor->gateway]) != 0)
        return wrong(truth, actor->name, "is another player in Redis, or at another gateway");
    return true;
}

static bool servers_agree(struct truth *truth, const struct crowd *crowd)
{
    const struct cluster *cluster = crowd->cluster;
    const struct coordinator_stats *stats = coordinator_stats(cluster->coordinator);

    if (coordinator_unready(cluster->coordinator) != NULL)
        return wrong(truth, "coordinator", coordinator_unready(cluster->coordinator));
    if (stats->players != crowd->count)
        return wrong(truth, "coordinator", "has players who are not there, or not all");
    if (stats->waiting != 0 || stats->store_waiting != 0)
        return wrong(truth, "coordinator", "has something left to do");
    if (redis_players(&cluster->redis) != crowd->count)
        return wrong(truth, "Redis", "has players who are not there, or not all");
    if (cluster_sessions(cluster) != crowd->count)
        return wrong(truth, "gateways", "have sessions that nobody uses, or not all");
    if (cluster_players(cluster) != crowd->count)
        return wrong(truth, "shards", "have players who are not there, or not all");
    if (cluster_vehicles(cluster) != CLUSTER_VEHICLES)
        return wrong(truth, "shards", "have vehicles twice, or not all");
    return true;
}

bool truth_holds(struct truth *truth, const struct crowd *crowd)
{
    *truth = (struct truth){ 0 };
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (!actor_is_in(&crowd->actors[i]))
            return wrong(truth, crowd->actors[i].name, "is not in the world at the end");
    }
    if (!servers_agree(truth, crowd))
        return false;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct actor *actor = &crowd->actors[i];

        if (!is_in_directory(truth, crowd, actor) || !sees_who_is_near(truth, crowd, actor) ||
            !sees_nobody_else(truth, crowd, actor) || !lists_who_is_here(truth, crowd, actor) ||
            !sees_its_vehicles(truth, crowd, actor))
            return false;
        if (!copies_agree(crowd->cluster, &actor->client, truth->copy, sizeof truth->copy))
            return wrong(truth, actor->name, truth->copy);
    }
    return true;
}
