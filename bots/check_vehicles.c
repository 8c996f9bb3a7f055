#include "bots/check_inside.h"

#include <assert.h>
#include <string.h>

enum { SEEN_LATELY_MS = 1000 }; /* ours */

static struct check_vehicle *find_vehicle(const struct check *check, uint32_t id)
{
    uint32_t index = ids_get(&check->vehicle_ids, id);

    return index == IDS_NONE ? NULL : &check->vehicles[index];
}

static struct check_vehicle *take_vehicle(struct check *check, uint32_t id)
{
    struct check_vehicle *vehicle = find_vehicle(check, id);

    if (vehicle != NULL)
        return vehicle;
    check->vehicles =
        ids_grow(check->vehicles, sizeof *check->vehicles, check->vehicles_count, &check->vehicles_capacity);
    ids_put(&check->vehicle_ids, id, check->vehicles_count);
    vehicle = &check->vehicles[check->vehicles_count++];
    *vehicle = (struct check_vehicle){ .id = id, .driver = IDS_NONE };
    return vehicle;
}

/* A vehicle is in one place and has one driver; whatever disagrees with what was known changes it. */
static void place_vehicle(struct check *check, uint64_t now_ms, uint32_t id, const float pos[3],
                          const struct client *witness, uint32_t driver)
{
    struct check_vehicle *vehicle = take_vehicle(check, id);

    if (!view_same_place(vehicle->pos, pos) || vehicle->virtual_world != witness->virtual_world ||
        vehicle->interior != witness->interior || vehicle->driver != driver)
        vehicle->changed_ms = now_ms;
    memcpy(vehicle->pos, pos, sizeof vehicle->pos);
    vehicle->virtual_world = witness->virtual_world;
    vehicle->interior = witness->interior;
    vehicle->driver = driver;
}

void check_note_seen(struct check *check, uint64_t now_ms, uint32_t observer)
{
    const struct client *client = check->bots[observer].client;

    for (uint32_t i = 0; i < client->view.vehicles_count; i++) {
        const struct view_vehicle *shown = &client->view.vehicles[i];
        struct check_vehicle *vehicle;

        if (!shown->is_shown)
            continue;
        vehicle = take_vehicle(check, shown->id);
        if (vehicle->driver == IDS_NONE) {
            place_vehicle(check, now_ms, shown->id, shown->pos, client, IDS_NONE);
            vehicle = find_vehicle(check, shown->id);
        }
        vehicle->seen_ms = now_ms;
    }
}

void check_note_driven(struct check *check, uint64_t now_ms, uint32_t bot)
{
    const struct client *client = check->bots[bot].client;

    assert(client != NULL && client_drives(client));
    place_vehicle(check, now_ms, client->frame.vehicle_id, client->drive.pos, client, bot);
}

/* A driver who got out leaves the vehicle where it is. */
void check_forget_drivers(struct check *check, uint64_t now_ms)
{
    for (uint32_t i = 0; i < check->vehicles_count; i++) {
        struct check_vehicle *vehicle = &check->vehicles[i];

        if (vehicle->driver != IDS_NONE && check->latest[vehicle->driver].drives != vehicle->id) {
            vehicle->driver = IDS_NONE;
            vehicle->changed_ms = now_ms;
        }
    }
}

/* How a bot and a vehicle have been to each other during the whole window. */
static enum relation vehicle_relation(const struct check *check, uint64_t now_ms, uint32_t observer,
                                      const struct check_vehicle *vehicle)
{
    struct check_sample there = { .virtual_world = vehicle->virtual_world,
                                  .interior = vehicle->interior,
                                  .in_world = true };
    enum relation relation = RELATION_UNCLEAR;

    memcpy(there.pos, vehicle->pos, sizeof there.pos);
    if (vehicle->driver == IDS_NONE && now_ms - vehicle->changed_ms <= check_window_ms(check))
        return RELATION_UNCLEAR;
    for (uint32_t back = 0; back < check->window; back++) {
        enum relation then;

        if (vehicle->driver != IDS_NONE) {
            there = *check_sample_at(check, vehicle->driver, back);
            if (there.drives != vehicle->id)
                return RELATION_UNCLEAR;
        }
        then = check_relation(check_sample_at(check, observer, back), &there);
        if (back > 0 && then != relation)
            return RELATION_UNCLEAR;
        relation = then;
    }
    return relation;
}

static struct check_missing *find_missing(struct check *check, uint32_t observer, uint32_t vehicle_id)
{
    for (uint32_t i = 0; i < check->missing_count; i++) {
        if (check->missing[i].observer == observer && check->missing[i].vehicle_id == vehicle_id)
            return &check->missing[i];
    }
    return NULL;
}

/* One that was removed is hidden from some earlier than from others: it must be missed for a whole window. */
static bool is_missed_long(struct check *check, uint64_t now_ms, uint32_t observer, uint32_t vehicle_id)
{
    struct check_missing *missing = find_missing(check, observer, vehicle_id);

    if (missing != NULL)
        return now_ms - missing->since_ms > check_window_ms(check);
    if (check->missing_count < CHECK_MISSING_MAX)
        check->missing[check->missing_count++] = (struct check_missing){ observer, vehicle_id, now_ms };
    return false;
}

static void forget_missing(struct check *check, uint32_t observer, uint32_t vehicle_id)
{
    struct check_missing *missing = find_missing(check, observer, vehicle_id);

    if (missing != NULL)
        *missing = check->missing[--check->missing_count];
}

static void judge_standing(struct check *check, uint64_t now_ms, uint32_t observer,
                           const struct check_vehicle *vehicle)
{
    const struct client *client = check->bots[observer].client;
    bool is_shown = view_vehicle(&client->view, vehicle->id) != NULL;
    bool is_near = check_distance(check->latest[observer].pos, vehicle->pos) < CHECK_RANGE_M;
    enum relation relation =
        is_near == is_shown ? RELATION_UNCLEAR : vehicle_relation(check, now_ms, observer, vehicle);

    if (relation != RELATION_NEAR || check_has_full_lane(check, observer) ||
        now_ms - vehicle->seen_ms > SEEN_LATELY_MS)
        forget_missing(check, observer, vehicle->id);
    else if (is_missed_long(check, now_ms, observer, vehicle->id))
        check_violate(check, VIOLATION_UNSEEN_VEHICLE, client, "does not see vehicle", vehicle->id);
    if (relation == RELATION_FAR && is_shown)
        check_violate(check, VIOLATION_FAR_VEHICLE, client, "sees vehicle", vehicle->id);
}

static void judge_driven(struct check *check, uint64_t now_ms, uint32_t observer,
                         const struct check_vehicle *vehicle)
{
    const struct client *client = check->bots[observer].client;
    const struct view_vehicle *shown = view_vehicle(&client->view, vehicle->id);
    enum relation relation = vehicle_relation(check, now_ms, observer, vehicle);

    if (relation == RELATION_FAR && shown != NULL)
        check_violate(check, VIOLATION_FAR_VEHICLE, client, "sees vehicle", vehicle->id);
    else if (relation == RELATION_NEAR && shown == NULL && !check_has_full_lane(check, observer))
        check_violate(check, VIOLATION_UNSEEN_VEHICLE, client, "does not see vehicle", vehicle->id);
    else if (relation == RELATION_NEAR && shown != NULL &&
             !check_has_been_at(check, vehicle->driver, shown->pos))
        check_violate(check, VIOLATION_MISPLACED_VEHICLE, client, "sees in another place vehicle",
                      vehicle->id);
}

void check_judge_vehicle(struct check *check, uint64_t now_ms, uint32_t observer,
                         const struct check_vehicle *vehicle)
{
    if (check->bots[observer].client->frame.vehicle_id == vehicle->id || observer == vehicle->driver)
        return;
    if (vehicle->driver != IDS_NONE)
        judge_driven(check, now_ms, observer, vehicle);
    else
        judge_standing(check, now_ms, observer, vehicle);
}
