#include "shard/stream.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shard/geometry.h"
#include "shard/lanes.h"
#include "shard/player_show.h"
#include "shard/vehicle_show.h"
#include "shard/vehicle_syncer.h"

bool stream_has_vehicle(const struct shard *shard, const struct player *player, const struct vehicle *vehicle)
{
    return slot_set_has(&player->shown_vehicles, world_vehicle_slot(&shard->world, vehicle));
}

void stream_place_player(struct shard *shard, const struct player *player)
{
    uint16_t slot = world_player_slot(&shard->world, player);

    if (player_is_spawned(player))
        grid_put(&shard->world.player_grid, slot, player->place.scope, player->place.pos);
    else
        grid_remove(&shard->world.player_grid, slot);
}

/* ---- hides */

static void push_hide(struct shard *shard, struct player *observer, const struct owed_hide *hide)
{
    if (hide->kind == ENTITY_PLAYER)
        player_send_stream_out(shard, observer, hide);
    else
        vehicle_push_hide(shard, observer, hide);
}

/* One of a vehicle that the observer syncs is two events. */
static bool takes_hide(const struct shard *shard, const struct player *observer, const struct owed_hide *hide)
{
    return lane_is_reachable(shard, observer) &&
           lane_unacked(&observer->lane) + (hide->synced ? 1 : 0) < LANE_DROPPABLE_MAX;
}

static void hide(struct shard *shard, struct player *observer, struct owed_hide entity)
{
    /* In order: what is owed already goes first. A client that is owed more than the table holds is close
     * to its end: the lane's limit decides. */
    if ((observer->owed_hides_count == 0 && takes_hide(shard, observer, &entity)) ||
        observer->owed_hides_count == PLAYER_OWED_HIDES_MAX)
        push_hide(shard, observer, &entity);
    else
        observer->owed_hides[observer->owed_hides_count++] = entity;
}

bool stream_send_owed(struct shard *shard, struct player *observer)
{
    uint16_t sent = 0;

    while (sent < observer->owed_hides_count && takes_hide(shard, observer, &observer->owed_hides[sent]))
        push_hide(shard, observer, &observer->owed_hides[sent++]);
    if (sent > 0) {
        observer->owed_hides_count = (uint16_t)(observer->owed_hides_count - sent);
        memmove(observer->owed_hides, observer->owed_hides + sent,
                observer->owed_hides_count * sizeof *observer->owed_hides);
    }
    return observer->owed_hides_count == 0;
}

static bool owes_hide(const struct player *observer, enum entity_kind kind, uint32_t id)
{
    for (uint16_t i = 0; i < observer->owed_hides_count; i++)
        if (observer->owed_hides[i].kind == kind && observer->owed_hides[i].id == id)
            return true;
    return false;
}

static void hide_player(struct shard *shard, struct player *observer, struct player *subject)
{
    bool was_there = slot_set_remove(&observer->shown_players, world_player_slot(&shard->world, subject));

    assert(was_there);
    (void)was_there;
    group_remove(shard, &subject->observers, observer);
    player_state_forget(observer, world_player_slot(&shard->world, subject));
    hide(shard, observer,
         (struct owed_hide){ .kind = ENTITY_PLAYER,
                             .id = subject->ref.id,
                             .token = subject->ref.token,
                             .last_seq = subject->seq });
}

static void hide_vehicle(struct shard *shard, struct player *observer, struct vehicle *vehicle)
{
    bool was_there = slot_set_remove(&observer->shown_vehicles, world_vehicle_slot(&shard->world, vehicle));

    assert(was_there);
    (void)was_there;
    group_remove(shard, &vehicle->observers, observer);
    hide(shard, observer,
         (struct owed_hide){ .kind = ENTITY_VEHICLE,
                             .id = vehicle->id,
                             .synced = vehicle_syncer_drop(shard, vehicle, observer) });
}

/* ---- shows */

static void show_player(struct shard *shard, struct player *observer, struct player *subject)
{
    player_send_show(shard, observer, subject);
    slot_set_add(&observer->shown_players, world_player_slot(&shard->world, subject));
    group_add(shard, &subject->observers, observer);
}

static void show_vehicle(struct shard *shard, struct player *observer, struct vehicle *vehicle)
{
    if (!vehicle_send_show(shard, observer, vehicle))
        return;
    slot_set_add(&observer->shown_vehicles, world_vehicle_slot(&shard->world, vehicle));
    group_add(shard, &vehicle->observers, observer);
    vehicle_syncer_due(shard, vehicle);
}

static int nearest_first(const void *a, const void *b)
{
    const struct stream_show *left = a;
    const struct stream_show *right = b;

    if (left->distance_squared != right->distance_squared)
        return left->distance_squared < right->distance_squared ? -1 : 1;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return left->slot < right->slot ? -1 : left->slot > right->slot;
}

/* A vehicle is always streamed to its occupants: theirs does not wait for the lane to empty. */
static bool may_begin(const struct shard *shard, const struct player *observer,
                      const struct stream_show *show)
{
    return lane_takes_shows(shard, observer) ||
           (show->kind == ENTITY_VEHICLE && show->slot == observer->vehicle);
}

static void show_all(struct shard *shard, struct player *observer, size_t count)
{
    qsort(shard->shows, count, sizeof *shard->shows, nearest_first);
    for (size_t i = 0; i < count; i++) {
        const struct stream_show *show = &shard->shows[i];

        if (!may_begin(shard, observer, show))
            continue;
        if (show->kind == ENTITY_PLAYER) {
            struct player *subject = world_player_at(&shard->world, show->slot);

            if (!owes_hide(observer, ENTITY_PLAYER, subject->ref.id))
                show_player(shard, observer, subject);
        } else {
            struct vehicle *vehicle = world_vehicle_at(&shard->world, show->slot);

            if (!owes_hide(observer, ENTITY_VEHICLE, vehicle->id))
                show_vehicle(shard, observer, vehicle);
        }
    }
}

/* ---- an observer */

/* The comparison of one kind. A stamp says what is known of a slot in this pass: `shown` the observer has
 * been shown it, `kept` and it still should be; anything else is from an earlier pass. */
struct pass {
    struct slot_set *set;
    uint64_t *stamps;
    uint64_t shown;
    uint64_t kept;
    uint16_t kept_count;
    enum entity_kind kind;
};

static struct pass pass_begin(struct shard *shard, struct slot_set *set, uint64_t *stamps,
                              enum entity_kind kind)
{
    struct pass pass = { .set = set, .stamps = stamps, .kind = kind };

    shard->stamp += 2;
    pass.shown = shard->stamp;
    pass.kept = shard->stamp + 1;
    for (uint16_t i = 0; i < set->count; i++)
        stamps[set->slots[i]] = pass.shown;
    return pass;
}

/* The entity should be shown. If it is new, it is noted as the next show. */
static size_t pass_wants(struct shard *shard, struct pass *pass, uint16_t slot, float distance_squared,
                         size_t shows)
{
    uint64_t stamp = pass->stamps[slot];

    if (stamp == pass->kept)
        return shows;
    pass->stamps[slot] = pass->kept;
    if (stamp == pass->shown) {
        pass->kept_count++;
        return shows;
    }
    shard->shows[shows] =
        (struct stream_show){ .kind = pass->kind, .slot = slot, .distance_squared = distance_squared };
    return shows + 1;
}

static size_t wanted_players(struct shard *shard, struct pass *pass, const struct player *observer,
                             size_t shows)
{
    uint16_t self = world_player_slot(&shard->world, observer);
    size_t count = grid_near(&shard->world.player_grid, observer->place.scope, observer->place.pos,
                             STREAM_RANGE_M, shard->hits);

    for (size_t i = 0; i < count; i++)
        if (shard->hits[i].index != self)
            shows = pass_wants(shard, pass, (uint16_t)shard->hits[i].index, shard->hits[i].distance_squared,
                               shows);
    return shows;
}

static size_t wanted_vehicles(struct shard *shard, struct pass *pass, const struct player *observer,
                              size_t shows)
{
    size_t count = grid_near(&shard->world.vehicle_grid, observer->place.scope, observer->place.pos,
                             STREAM_RANGE_M, shard->hits);

    /* A vehicle is always streamed to its occupants. */
    if (observer->vehicle != SLOT_NONE)
        shows = pass_wants(shard, pass, observer->vehicle, 0, shows);
    for (size_t i = 0; i < count; i++)
        shows =
            pass_wants(shard, pass, (uint16_t)shard->hits[i].index, shard->hits[i].distance_squared, shows);
    return shows;
}

static void hide_unwanted(struct shard *shard, struct player *observer, const struct pass *pass)
{
    if (pass->kept_count == pass->set->count)
        return;
    for (uint16_t i = pass->set->count; i-- > 0;) {
        uint16_t slot = pass->set->slots[i];

        if (pass->stamps[slot] != pass->shown)
            continue;
        if (pass->kind == ENTITY_PLAYER)
            hide_player(shard, observer, world_player_at(&shard->world, slot));
        else
            hide_vehicle(shard, observer, world_vehicle_at(&shard->world, slot));
    }
}

void stream_update(struct shard *shard, struct player *observer)
{
    size_t shows = 0;

    stream_send_owed(shard, observer);
    if (observer->barrier.pending || !lane_is_reachable(shard, observer))
        return;

    struct pass players = pass_begin(shard, &observer->shown_players, shard->player_stamps, ENTITY_PLAYER);

    if (player_is_spawned(observer))
        shows = wanted_players(shard, &players, observer, shows);

    struct pass vehicles =
        pass_begin(shard, &observer->shown_vehicles, shard->vehicle_stamps, ENTITY_VEHICLE);

    shows = wanted_vehicles(shard, &vehicles, observer, shows);
    hide_unwanted(shard, observer, &players);
    hide_unwanted(shard, observer, &vehicles);
    if (shows > 0)
        show_all(shard, observer, shows);
}

/* ---- a subject */

static bool may_see(const struct player *observer, const struct player *subject)
{
    return player_is_spawned(observer) && player_is_spawned(subject) &&
           scope_equal(observer->place.scope, subject->place.scope) &&
           within(observer->place.pos, subject->place.pos, STREAM_RANGE_M);
}

void stream_update_subject(struct shard *shard, struct player *subject)
{
    uint16_t slot = world_player_slot(&shard->world, subject);

    for (uint16_t i = subject->observers.count; i-- > 0;) {
        struct player *observer = world_player_at(&shard->world, subject->observers.observers[i]);

        if (!may_see(observer, subject))
            hide_player(shard, observer, subject);
    }
    if (!player_is_spawned(subject))
        return;

    size_t count = grid_near(&shard->world.player_grid, subject->place.scope, subject->place.pos,
                             STREAM_RANGE_M, shard->hits);

    for (size_t i = 0; i < count; i++) {
        struct player *observer = world_player_at(&shard->world, shard->hits[i].index);

        if (observer == subject || slot_set_has(&observer->shown_players, slot) ||
            !lane_takes_shows(shard, observer) || owes_hide(observer, ENTITY_PLAYER, subject->ref.id))
            continue;
        show_player(shard, observer, subject);
    }
}

void stream_update_vehicle(struct shard *shard, struct vehicle *vehicle)
{
    uint16_t slot = world_vehicle_slot(&shard->world, vehicle);
    size_t count;

    for (uint16_t i = vehicle->observers.count; i-- > 0;) {
        struct player *observer = world_player_at(&shard->world, vehicle->observers.observers[i]);

        if (observer->vehicle != slot && (!scope_equal(observer->place.scope, vehicle->scope) ||
                                          !within(observer->place.pos, vehicle->pos, STREAM_RANGE_M)))
            hide_vehicle(shard, observer, vehicle);
    }
    count = grid_near(&shard->world.player_grid, vehicle->scope, vehicle->pos, STREAM_RANGE_M, shard->hits);
    for (size_t i = 0; i < count; i++) {
        struct player *observer = world_player_at(&shard->world, shard->hits[i].index);

        if (!slot_set_has(&observer->shown_vehicles, slot) && lane_takes_shows(shard, observer) &&
            !owes_hide(observer, ENTITY_VEHICLE, vehicle->id))
            show_vehicle(shard, observer, vehicle);
    }
}

void stream_show_again(struct shard *shard, struct vehicle *vehicle)
{
    for (uint16_t i = vehicle->observers.count; i-- > 0;) {
        struct player *observer = world_player_at(&shard->world, vehicle->observers.observers[i]);

        if (!vehicle_send_show(shard, observer, vehicle))
            hide_vehicle(shard, observer, vehicle);
    }
}

/* ---- whole passes */

void stream_tick(struct shard *shard)
{
    const struct group *everyone = &shard->world.everyone;

    for (uint16_t i = 0; i < everyone->count; i++)
        stream_update(shard, world_player_at(&shard->world, everyone->observers[i]));
    vehicle_syncer_tick(shard);
}

static void hide_from_observers(struct shard *shard, struct player *subject)
{
    while (subject->observers.count > 0) {
        uint16_t last = subject->observers.observers[subject->observers.count - 1];

        hide_player(shard, world_player_at(&shard->world, last), subject);
    }
}

static void hide_shown_players(struct shard *shard, struct player *player)
{
    for (uint16_t i = player->shown_players.count; i-- > 0;)
        hide_player(shard, player, world_player_at(&shard->world, player->shown_players.slots[i]));
}

/* It sits in one that it has been shown. */
static bool rides(const struct shard *shard, const struct player *player)
{
    return player->vehicle != SLOT_NONE &&
           stream_has_vehicle(shard, player, world_vehicle_at(&shard->world, player->vehicle));
}

void stream_hide_all(struct shard *shard, struct player *player, struct scope to)
{
    bool takes_along = rides(shard, player);

    hide_from_observers(shard, player);
    hide_shown_players(shard, player);
    for (uint16_t i = player->shown_vehicles.count; i-- > 0;) {
        struct vehicle *vehicle = world_vehicle_at(&shard->world, player->shown_vehicles.slots[i]);

        if (!takes_along || !scope_equal(vehicle->scope, to))
            hide_vehicle(shard, player, vehicle);
    }
}

void stream_start_again(struct shard *shard, struct player *player)
{
    hide_shown_players(shard, player);
    for (uint16_t i = player->shown_vehicles.count; i-- > 0;)
        hide_vehicle(shard, player, world_vehicle_at(&shard->world, player->shown_vehicles.slots[i]));
    stream_update(shard, player);
}

void stream_forget_player(struct shard *shard, struct player *player)
{
    uint16_t slot = world_player_slot(&shard->world, player);

    for (uint16_t i = 0; i < player->observers.count; i++) {
        struct player *observer = world_player_at(&shard->world, player->observers.observers[i]);

        slot_set_remove(&observer->shown_players, slot);
        player_state_forget(observer, slot);
    }
    group_clear(shard, &player->observers);
    while (player->shown_players.count > 0) {
        uint16_t last = player->shown_players.slots[--player->shown_players.count];

        group_remove(shard, &world_player_at(&shard->world, last)->observers, player);
    }
    while (player->shown_vehicles.count > 0) {
        uint16_t last = player->shown_vehicles.slots[--player->shown_vehicles.count];
        struct vehicle *vehicle = world_vehicle_at(&shard->world, last);

        vehicle_syncer_drop(shard, vehicle, player);
        group_remove(shard, &vehicle->observers, player);
    }
    player->owed_hides_count = 0;
    grid_remove(&shard->world.player_grid, slot);
}

void stream_hide_vehicle(struct shard *shard, struct vehicle *vehicle)
{
    while (vehicle->observers.count > 0) {
        uint16_t last = vehicle->observers.observers[vehicle->observers.count - 1];

        hide_vehicle(shard, world_player_at(&shard->world, last), vehicle);
    }
}

void stream_hide_left_behind(struct shard *shard, struct vehicle *vehicle)
{
    for (uint16_t i = vehicle->observers.count; i-- > 0;) {
        struct player *observer = world_player_at(&shard->world, vehicle->observers.observers[i]);

        if (observer->vehicle == SLOT_NONE ||
            !scope_equal(world_vehicle_at(&shard->world, observer->vehicle)->scope, vehicle->scope))
            hide_vehicle(shard, observer, vehicle);
    }
}
