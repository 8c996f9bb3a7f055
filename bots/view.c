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

struct view_vehicle *view_known_vehicle(const struct view *view, uint32_t id)
{
    uint32_t index = ids_get(&view->vehicle_ids, id);

    return index == IDS_NONE ? NULL : &view->vehicles[index];
}

struct view_vehicle *view_vehicle(const struct view *view, uint32_t id)
{
    struct view_vehicle *vehicle = view_known_vehicle(view, id);

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
    player->is_told = true;
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
    player->is_told = false;
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
    struct view_vehicle *vehicle = view_known_vehicle(view, id);

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

static struct view_revisions revisions_of(const struct wire_vehicle_sync *sync)
{
    return (struct view_revisions){ sync->health_rev, sync->damage_rev, sync->siren_rev, sync->pose_rev };
}

/* VehicleSync.flags. */
enum { SHOW_WRECKED = 1, SHOW_DROWNED = 1 << 1, SHOW_CLOCKWISE = 1 << 2, SHOW_DERAILED = 1 << 3 };

static void show(struct view_vehicle *vehicle, const struct wire_vehicle_sync *sync)
{
    struct view_vehicle before = *vehicle;
    /* A frame newer than the show that arrived before it stays. */
    bool keeps_frame =
        before.has_frame && before.frame_epoch == sync->epoch && serial32_newer(before.mark, sync->relay_seq);

    *vehicle = (struct view_vehicle){
        .id = sync->vehicle_id,
        .is_shown = true,
        .is_wrecked = (sync->flags & SHOW_WRECKED) != 0,
        .is_drowned = (sync->flags & SHOW_DROWNED) != 0,
        .is_clockwise = (sync->flags & SHOW_CLOCKWISE) != 0,
        .is_derailed = (sync->flags & SHOW_DERAILED) != 0,
        .was_shown = before.was_shown,
        .told_epoch = before.told_epoch,
        .told_seq = before.told_seq,
        .told = before.told,
        .is_synced = before.is_synced,
        .has_frame = before.has_frame,
        .frame_epoch = before.frame_epoch,
        .epoch = sync->epoch,
        .model = sync->model,
        .params = sync->params,
        .health_rev = sync->health_rev,
        .siren_rev = sync->siren_rev,
        .pose_rev = sync->pose_rev,
        .damage_rev = sync->damage_rev,
        .doors = sync->doors,
        .color1 = sync->color1,
        .color2 = sync->color2,
        .tractor_id = sync->tractor_id,
        .lifter_id = sync->lifter_id,
        .damage = sync->damage,
        /* A report may be under way past the show, and who reports is not told what became of it. */
        .has_damaged = before.has_damaged && before.epoch == sync->epoch,
        .tuning = view_no_tuning(),
        .framed = revisions_of(sync),
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
        vehicle->framed = before.framed;
        vehicle->framed_ms = before.framed_ms;
    }
}

bool view_on_vehicle_sync(struct view *view, const struct wire_vehicle_sync *sync)
{
    struct view_vehicle *vehicle = view_known_vehicle(view, sync->vehicle_id);
    bool was_shown = vehicle != NULL && vehicle->is_shown;

    if (sync->active != 0) {
        bool is_right = !was_shown || vehicle->epoch != sync->epoch;

        vehicle = take_vehicle(view, sync->vehicle_id);
        show(vehicle, sync);
        view_tell(view, vehicle, sync->epoch, sync->relay_seq, revisions_of(sync));
        return is_right;
    }
    if (!was_shown)
        return false;
    *vehicle = (struct view_vehicle){ .id = vehicle->id,
                                      .was_shown = true,
                                      .epoch = vehicle->epoch,
                                      .has_damaged = vehicle->has_damaged,
                                      .told_epoch = vehicle->told_epoch,
                                      .told_seq = vehicle->told_seq,
                                      .told = vehicle->told };
    return true;
}

/* Ours: after so long without frames those that come before a show begin anew. */
enum { EARLY_PAUSE_MS = 1000 };

/* A frame newer than what is known carries the revisions of then or later ones. */
static void take_frame_revisions(struct view *view, struct view_vehicle *vehicle,
                                 const struct wire_vehicle_state *state)
{
    struct view_revisions *framed = &vehicle->framed;

    if (vehicle->is_shown || (vehicle->has_frame && vehicle->frame_epoch == state->epoch))
        view->gone_back += (uint64_t)(serial16_newer(framed->health, state->health_rev) +
                                      serial16_newer(framed->siren, state->siren_rev) +
                                      serial16_newer(framed->pose, state->pose_rev));
    *framed = (struct view_revisions){ state->health_rev, framed->damage, state->siren_rev, state->pose_rev };
}

enum view_verdict view_on_vehicle_frame(struct view *view, uint64_t now_ms,
                                        const struct wire_remote_vehicle_frame *frame)
{
    const struct view_player *source = view_player(view, frame->source_id);

    if (source != NULL && is_over(source, frame->source_token))
        return VIEW_STRAGGLER;

    struct view_vehicle *vehicle = take_vehicle(view, frame->vehicle_id);

    if ((vehicle->is_shown || vehicle->has_frame) && !serial32_newer(frame->seq, vehicle->mark))
        return VIEW_STALE;
    if (vehicle->is_shown && frame->state.epoch != vehicle->epoch)
        return VIEW_STALE;
    take_frame_revisions(view, vehicle, &frame->state);
    if (!vehicle->is_shown && (vehicle->early_ms == 0 || now_ms - vehicle->framed_ms > EARLY_PAUSE_MS))
        vehicle->early_ms = now_ms;
    vehicle->framed_ms = now_ms;
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

    struct view_revisions told = vehicle->told;

    told.pose = transform->pose_rev;
    view_tell(view, vehicle, transform->epoch, transform->relay_seq, told);
    vehicle->pose_rev = transform->pose_rev;
    vehicle->is_frozen = (transform->flags & TRANSFORM_FROZEN) != 0;
    /* A frame newer than the command carries its pose already. */
    if (vehicle->has_frame && serial32_newer(vehicle->mark, transform->relay_seq))
        return true;
    vehicle->mark = transform->relay_seq;
    vehicle->framed.pose = transform->pose_rev;
    if ((transform->flags & TRANSFORM_POSITION) != 0)
        memcpy(vehicle->pos, transform->pos, sizeof vehicle->pos);
    if ((transform->flags & TRANSFORM_ROTATION) != 0)
        memcpy(vehicle->rot, transform->rot, sizeof vehicle->rot);
    return true;
}
