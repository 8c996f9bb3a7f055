#include "bots/view.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/serial.h"

void view_fini(struct view *view)
{
    free(view->players);
    free(view->vehicles);
    ids_fini(&view->player_ids);
    ids_fini(&view->vehicle_ids);
    *view = (struct view){ 0 };
}

void view_clear(struct view *view)
{
    view->players_count = 0;
    view->vehicles_count = 0;
    ids_clear(&view->player_ids);
    ids_clear(&view->vehicle_ids);
}

struct view_player *view_player(const struct view *view, uint32_t id)
{
    uint32_t index = ids_get(&view->player_ids, id);

    return index == IDS_NONE ? NULL : &view->players[index];
}

static struct view_vehicle *find_vehicle(const struct view *view, uint32_t id)
{
    uint32_t index = ids_get(&view->vehicle_ids, id);

    return index == IDS_NONE ? NULL : &view->vehicles[index];
}

struct view_vehicle *view_vehicle(const struct view *view, uint32_t id)
{
    struct view_vehicle *vehicle = find_vehicle(view, id);

    return vehicle != NULL && vehicle->is_shown ? vehicle : NULL;
}

bool view_shows_player(const struct view *view, uint32_t id, uint32_t token)
{
    const struct view_player *player = view_player(view, id);

    return player != NULL && player->is_shown && player->generation == token;
}

/* ---- players */

static struct view_player *take_player(struct view *view, uint32_t id)
{
    struct view_player *player = view_player(view, id);

    if (player != NULL)
        return player;
    view->players =
        ids_grow(view->players, sizeof *view->players, view->players_count, &view->players_capacity);
    ids_put(&view->player_ids, id, view->players_count);
    player = &view->players[view->players_count++];
    *player = (struct view_player){ .id = id };
    return player;
}

/* A generation that has left, or an earlier one than that which lives. */
static bool is_over(const struct view_player *player, uint32_t token)
{
    if (player->tombstone != 0 && token == player->tombstone)
        return true;
    return player->generation != 0 && serial32_newer(player->generation, token);
}

static void adopt(struct view_player *player, uint32_t token)
{
    *player = (struct view_player){ .id = player->id, .generation = token };
}

/* Protocol, "Sequence and generation": RemotePlayerSync. */
enum view_verdict view_on_player_frame(struct view *view, uint64_t now_ms,
                                       const struct wire_remote_player_sync *sync)
{
    struct view_player *player = take_player(view, sync->player_id);
    bool was_shown = player->is_shown && player->generation == sync->player_token;

    if (is_over(player, sync->player_token))
        return VIEW_STRAGGLER;
    if (player->generation != sync->player_token)
        adopt(player, sync->player_token);
    else if (player->has_seq && !serial32_newer(sync->seq, player->last_seq))
        return VIEW_STALE;
    player->last_seq = sync->seq;
    player->has_seq = true;
    player->is_shown = true;
    player->framed_ms = now_ms;
    memcpy(player->pos, sync->frame.pos, sizeof player->pos);
    return was_shown ? VIEW_APPLIED : VIEW_BEGUN;
}

bool view_on_player_event(const struct view *view, uint32_t id, uint32_t token)
{
    const struct view_player *player = view_player(view, id);

    return player == NULL || player->tombstone == 0 || player->tombstone != token;
}

bool view_on_player_spawned(struct view *view, uint32_t id, uint32_t token)
{
    struct view_player *player = take_player(view, id);

    if (!view_on_player_event(view, id, token))
        return false;
    if (is_over(player, token))
        return true; /* a frame of the next generation has overtaken it */
    if (player->generation != token)
        adopt(player, token);
    player->is_wasted = false;
    return true;
}

void view_on_player_wasted(struct view *view, uint32_t id, uint32_t token)
{
    struct view_player *player = view_player(view, id);

    if (player != NULL && player->generation == token)
        player->is_wasted = true;
}

/* Protocol: hides the player, keeps its generation; last_seq stops stragglers. */
void view_on_player_stream_out(struct view *view, const struct wire_player_stream_out *out)
{
    struct view_player *player = view_player(view, out->player_id);

    if (player == NULL || player->generation != out->player_token)
        return;
    /* A frame newer than the last one before the hide belongs to the next show, whose events are still on
     * their way. */
    if (player->is_shown && player->has_seq && serial32_newer(player->last_seq, out->last_seq))
        return;
    player->is_shown = false;
    player->last_seq = out->last_seq;
    player->has_seq = true;
}

static void free_seats(struct view *view, uint32_t id, uint32_t token)
{
    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        for (size_t seat = 0; seat < VIEW_SEATS; seat++) {
            struct view_seat *held = &view->vehicles[i].seats[seat];

            if (held->player_id == id && held->player_token == token)
                *held = (struct view_seat){ 0 };
        }
    }
}

void view_on_player_leave(struct view *view, const struct wire_player_leave *leave)
{
    struct view_player *player = view_player(view, leave->player_id);

    free_seats(view, leave->player_id, leave->player_token);
    if (player != NULL && player->generation == leave->player_token)
        *player = (struct view_player){ .id = player->id, .tombstone = leave->player_token };
}

/* ---- vehicles */

/* Drops the hidden ones, rather than to grow. */
static void make_room(struct view *view)
{
    uint32_t kept = 0;

    assert(view->vehicles_count == 0 || view->vehicles != NULL);
    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        if (view->vehicles[i].is_shown)
            view->vehicles[kept++] = view->vehicles[i];
    }
    view->vehicles_count = kept;
    ids_clear(&view->vehicle_ids);
    for (uint32_t i = 0; i < kept; i++)
        ids_put(&view->vehicle_ids, view->vehicles[i].id, i);
}

static struct view_vehicle *take_vehicle(struct view *view, uint32_t id)
{
    struct view_vehicle *vehicle = find_vehicle(view, id);

    if (vehicle != NULL)
        return vehicle;
    if (view->vehicles_count == view->vehicles_capacity)
        make_room(view);
    view->vehicles =
        ids_grow(view->vehicles, sizeof *view->vehicles, view->vehicles_count, &view->vehicles_capacity);
    ids_put(&view->vehicle_ids, id, view->vehicles_count);
    vehicle = &view->vehicles[view->vehicles_count++];
    *vehicle = (struct view_vehicle){ .id = id };
    return vehicle;
}

void view_level_rotation(float heading_deg, float rot[4])
{
    float half = fmodf(heading_deg, 360.0f) * (float)M_PI / 360.0f;

    rot[0] = 0.0f;
    rot[1] = 0.0f;
    rot[2] = sinf(half);
    rot[3] = cosf(half);
}

bool view_same_place(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void show(struct view_vehicle *vehicle, const struct wire_vehicle_sync *sync)
{
    struct view_vehicle before = *vehicle;
    /* A frame newer than the show that arrived before it stays. */
    bool keeps_frame =
        before.has_frame && before.frame_epoch == sync->epoch && serial32_newer(before.mark, sync->relay_seq);

    *vehicle = (struct view_vehicle){
        .id = sync->vehicle_id,
        .is_shown = true,
        .is_wrecked = (sync->flags & 1) != 0,
        .is_synced = before.is_synced,
        .has_frame = before.has_frame,
        .frame_epoch = before.frame_epoch,
        .epoch = sync->epoch,
        .model = sync->model,
        .params = sync->params,
        .health_rev = sync->health_rev,
        .siren_rev = sync->siren_rev,
        .pose_rev = sync->pose_rev,
        .mark = keeps_frame ? before.mark : sync->relay_seq,
        .pos = { sync->x, sync->y, sync->z },
        .health = sync->health,
        .sync_until_ms = before.sync_until_ms,
    };
    view_level_rotation(sync->heading, vehicle->rot);
    /* The shown copy of another life is replaced, with those who sit in it: an exit for each came before. */
    if (before.is_shown)
        memcpy(vehicle->seats, before.seats, sizeof vehicle->seats);
    if (keeps_frame) {
        memcpy(vehicle->pos, before.pos, sizeof vehicle->pos);
        memcpy(vehicle->rot, before.rot, sizeof vehicle->rot);
        vehicle->health = before.health;
    }
}

bool view_on_vehicle_sync(struct view *view, const struct wire_vehicle_sync *sync)
{
    struct view_vehicle *vehicle = find_vehicle(view, sync->vehicle_id);
    bool was_shown = vehicle != NULL && vehicle->is_shown;

    if (sync->active != 0) {
        bool is_right = !was_shown || vehicle->epoch != sync->epoch;

        show(take_vehicle(view, sync->vehicle_id), sync);
        return is_right;
    }
    if (!was_shown)
        return false;
    *vehicle = (struct view_vehicle){ .id = vehicle->id };
    return true;
}

enum view_verdict view_on_vehicle_frame(struct view *view, const struct wire_remote_vehicle_frame *frame)
{
    const struct view_player *source = view_player(view, frame->source_id);

    if (source != NULL && is_over(source, frame->source_token))
        return VIEW_STRAGGLER;

    struct view_vehicle *vehicle = take_vehicle(view, frame->vehicle_id);

    if ((vehicle->is_shown || vehicle->has_frame) && !serial32_newer(frame->seq, vehicle->mark))
        return VIEW_STALE;
    if (vehicle->is_shown && frame->state.epoch != vehicle->epoch)
        return VIEW_STALE;
    vehicle->mark = frame->seq;
    vehicle->has_frame = true;
    vehicle->frame_epoch = frame->state.epoch;
    memcpy(vehicle->pos, frame->state.pos, sizeof vehicle->pos);
    memcpy(vehicle->rot, frame->state.rot, sizeof vehicle->rot);
    if (!vehicle->is_wrecked)
        vehicle->health = frame->state.health;
    return VIEW_APPLIED;
}

static void leave_seats(struct view_vehicle *vehicle, uint32_t id)
{
    for (size_t seat = 0; seat < VIEW_SEATS; seat++) {
        if (vehicle->seats[seat].player_token != 0 && vehicle->seats[seat].player_id == id)
            vehicle->seats[seat] = (struct view_seat){ 0 };
    }
}

/* A seat that a client may only forget on `exit`; after `jacked` the enter of the jacker replaces the
 * driver. */
bool view_on_vehicle_occupancy(struct view *view, const struct wire_vehicle_occupancy *occupancy)
{
    struct view_vehicle *vehicle = view_vehicle(view, occupancy->vehicle_id);

    if (vehicle == NULL)
        return false;
    if (occupancy->kind == VIEW_DENY || occupancy->kind == VIEW_JACKED)
        return true;
    leave_seats(vehicle, occupancy->player_id);
    if (occupancy->kind != VIEW_EXIT && occupancy->seat < VIEW_SEATS)
        vehicle->seats[occupancy->seat] = (struct view_seat){ occupancy->player_id, occupancy->player_token };
    return true;
}

enum { TRANSFORM_POSITION = 1, TRANSFORM_ROTATION = 2, TRANSFORM_FROZEN = 16 }; /* VehicleTransform.flags */

bool view_on_vehicle_transform(struct view *view, const struct wire_vehicle_transform *transform)
{
    struct view_vehicle *vehicle = view_vehicle(view, transform->vehicle_id);

    if (vehicle == NULL)
        return false;
    if (vehicle->epoch != transform->epoch)
        return true;
    vehicle->pose_rev = transform->pose_rev;
    vehicle->is_frozen = (transform->flags & TRANSFORM_FROZEN) != 0;
    /* A frame newer than the command carries its pose already. */
    if (vehicle->has_frame && serial32_newer(vehicle->mark, transform->relay_seq))
        return true;
    vehicle->mark = transform->relay_seq;
    if ((transform->flags & TRANSFORM_POSITION) != 0)
        memcpy(vehicle->pos, transform->pos, sizeof vehicle->pos);
    if ((transform->flags & TRANSFORM_ROTATION) != 0)
        memcpy(vehicle->rot, transform->rot, sizeof vehicle->rot);
    return true;
}

bool view_on_vehicle_health(struct view *view, const struct wire_vehicle_health *health)
{
    struct view_vehicle *vehicle = view_vehicle(view, health->vehicle_id);

    if (vehicle == NULL)
        return false;
    if (vehicle->epoch == health->epoch) {
        vehicle->health = health->health;
        vehicle->health_rev = health->health_rev;
    }
    return true;
}

bool view_on_vehicle_params(struct view *view, const struct wire_vehicle_params *params)
{
    struct view_vehicle *vehicle = view_vehicle(view, params->vehicle_id);

    if (vehicle == NULL)
        return false;
    vehicle->params = params->params;
    vehicle->siren_rev = params->siren_rev;
    return true;
}

bool view_on_vehicle_death(struct view *view, const struct wire_vehicle_death *death)
{
    struct view_vehicle *vehicle = view_vehicle(view, death->vehicle_id);

    if (vehicle == NULL)
        return false;
    if (vehicle->epoch == death->epoch)
        vehicle->is_wrecked = true;
    return true;
}
