#include "tests/sim/copies.h"

#include <stdio.h>
#include <string.h>

#include "shard/shard.h"

enum { PARAM_SIREN = 1 << 6 }; /* the pilot switches it by its frames, too */

/* The shard that has the client's player; NULL: none has. */
static const struct shard *shard_of(const struct cluster *cluster, const struct client *client,
                                    const struct player **player)
{
    const struct player_ref ref = { client->player_id, client->player_token };

    for (uint16_t i = 0; i < cluster->nodes_count; i++) {
        *player = cluster->shards[i] == NULL ? NULL : world_player(&cluster->shards[i]->world, ref);
        if (*player != NULL)
            return cluster->shards[i];
    }
    return NULL;
}

/* ---- one vehicle: NULL, or what differs */

static const char *life_differs(const struct vehicle *vehicle, const struct view_vehicle *copy)
{
    if (copy->epoch != vehicle->epoch)
        return "epoch";
    if (copy->model != vehicle->model->id)
        return "model";
    if (copy->is_wrecked != vehicle->wrecked || (vehicle->wrecked && copy->is_drowned != vehicle->drowned))
        return "wreck";
    if (copy->is_frozen != vehicle->frozen)
        return "freeze";
    if (vehicle->model->vehicle_class == MODEL_TRAIN &&
        (copy->is_clockwise != vehicle->clockwise || copy->is_derailed != vehicle->derailed))
        return "rails";
    if (copy->tractor_id != vehicle->links.tractor_id)
        return "hitch";
    if (copy->lifter_id != vehicle->links.lifter_id)
        return "winch";
    return NULL;
}

static const char *revisions_differ(const struct vehicle *vehicle, const struct view_vehicle *copy)
{
    if (copy->health_rev != vehicle->health.rev)
        return "health_rev";
    if (copy->damage_rev != vehicle->damage_rev)
        return "damage_rev";
    if (copy->siren_rev != vehicle->params.siren_rev)
        return "siren_rev";
    if (copy->pose_rev != vehicle->pose_rev)
        return "pose_rev";
    return NULL;
}

static const char *seats_differ(const struct shard *shard, const struct vehicle *vehicle,
                                const struct view_vehicle *copy)
{
    for (size_t seat = 0; seat < VIEW_SEATS; seat++) {
        const struct view_seat *told = &copy->seats[seat];
        const struct player *player = seat >= MODEL_SEATS_MAX || vehicle->seats[seat] == SLOT_NONE
                                          ? NULL
                                          : world_player_at(&shard->world, vehicle->seats[seat]);

        if (player == NULL ? told->player_token != 0
                           : told->player_token != player->ref.token || told->player_id != player->ref.id)
            return "seats";
    }
    return NULL;
}

static bool same_damage(const struct vehicle *vehicle, const struct view_vehicle *copy)
{
    const struct wire_vehicle_damage_status status = vehicle_damage_status(vehicle);

    return status.panels == copy->damage.panels && status.lights == copy->damage.lights &&
           memcmp(status.doors, copy->damage.doors, sizeof status.doors) == 0 &&
           memcmp(status.wheels, copy->damage.wheels, sizeof status.wheels) == 0;
}

static bool same_tuning(const struct vehicle *vehicle, const struct view_vehicle *copy)
{
    const struct vehicle_tuning *tuning = &vehicle->tuning;

    return memcmp(tuning->components, copy->tuning.components, sizeof copy->tuning.components) == 0 &&
           memcmp(tuning->plate, copy->tuning.plate, sizeof copy->tuning.plate) == 0 &&
           tuning->paintjob == copy->tuning.paintjob && tuning->dirt == copy->tuning.dirt &&
           tuning->taxi_light == (copy->tuning.flags & 1) && tuning->nitro_charges == copy->tuning.nitro;
}

static bool same_handling(const struct vehicle *vehicle, const struct view_vehicle *copy)
{
    const struct vehicle_handling *handling = &vehicle->handling;

    for (size_t i = 0; i < HANDLING_PROPERTIES; i++) {
        if ((handling->mask >> i & 1) != 0 && handling->values[i] != copy->handling.values[i])
            return false;
    }
    return handling->mask == copy->handling.mask;
}

static const char *looks_differ(const struct shard *shard, const struct player *player,
                                const struct vehicle *vehicle, const struct view_vehicle *copy)
{
    if (((copy->params ^ vehicle_params_for(shard, vehicle, player)) & ~PARAM_SIREN) != 0)
        return "params";
    if (copy->doors != vehicle->params.doors)
        return "doors";
    if (copy->color1 != vehicle->color1 || copy->color2 != vehicle->color2)
        return "colors";
    /* What it has reported itself is told to all others, and to nobody if it came too late. */
    if (!copy->has_damaged && !same_damage(vehicle, copy))
        return "damage";
    if (!same_tuning(vehicle, copy))
        return "tuning";
    if (!same_handling(vehicle, copy))
        return "handling";
    return NULL;
}

static const char *copy_differs(const struct shard *shard, const struct player *player,
                                const struct vehicle *vehicle, const struct view_vehicle *copy)
{
    const char *differs = life_differs(vehicle, copy);

    if (differs == NULL)
        differs = revisions_differ(vehicle, copy);
    if (differs == NULL)
        differs = seats_differ(shard, vehicle, copy);
    if (differs == NULL)
        differs = looks_differ(shard, player, vehicle, copy);
    if (differs == NULL && copy->is_synced != (vehicle->syncer == world_player_slot(&shard->world, player)))
        differs = "syncer";
    return differs;
}

/* ---- the client itself */

static const char *self_differs(const struct shard *shard, const struct player *player,
                                const struct client *client)
{
    const struct vehicle *own =
        player->vehicle == SLOT_NONE ? NULL : world_vehicle_at(&shard->world, player->vehicle);
    const struct vehicle *remote = vehicle_remote_of(shard, player);

    if (client->frame.vehicle_id != (own == NULL ? WIRE_NONE : own->id))
        return "where it sits";
    if (own != NULL && client->frame.seat != player->seat)
        return "its seat";
    if (client->remote_id != player->remote_id)
        return "its RC";
    if (remote != NULL && client->detonates != remote->remote.detonation)
        return "its RC's detonation";
    return NULL;
}

static bool differ(char *wrong, size_t size, const char *what, uint32_t vehicle_id)
{
    (void)snprintf(wrong, size, "has another idea than the server of %s, vehicle %u", what, vehicle_id);
    return false;
}

bool copies_agree(const struct cluster *cluster, const struct client *client, char *wrong, size_t size)
{
    const struct player *player;
    const struct shard *shard = shard_of(cluster, client, &player);
    uint32_t shown = 0;

    if (shard == NULL)
        return differ(wrong, size, "its player", client->frame.vehicle_id);
    if (self_differs(shard, player, client) != NULL)
        return differ(wrong, size, self_differs(shard, player, client), client->frame.vehicle_id);
    for (uint32_t i = 0; i < client->view.vehicles_count; i++) {
        const struct view_vehicle *copy = &client->view.vehicles[i];
        const struct vehicle *vehicle = world_vehicle(&shard->world, copy->id);
        const char *differs = NULL;

        if (!copy->is_shown)
            continue;
        shown++;
        if (vehicle == NULL ||
            !slot_set_has(&player->shown_vehicles, world_vehicle_slot(&shard->world, vehicle)))
            differs = "what is shown";
        else
            differs = copy_differs(shard, player, vehicle, copy);
        if (differs != NULL)
            return differ(wrong, size, differs, copy->id);
    }
    return shown == player->shown_vehicles.count || differ(wrong, size, "how many are shown", 0);
}
