/* seats.h - a stage with vehicles, what clients were told of them, and a gamemode that listens.
 *
 * The vehicles of every such stage: a car at (0, 0), an RC at (0, 5), another car at (0, 20), a freight train
 * at (0, 300) and a car far away from all of them. */
#ifndef DLMP_TESTS_UNIT_SEATS_H
#define DLMP_TESTS_UNIT_SEATS_H

#include "tests/unit/shard_stage.h"

enum { SEATS_CAR, SEATS_RC, SEATS_OTHER_CAR, SEATS_TRAIN, SEATS_FAR_CAR, SEATS_VEHICLES };

/* Vehicles: VehicleOccupancy.kind; none: there was no such packet. */
enum { KIND_EXIT, KIND_ENTER, KIND_WARP, KIND_DENY, KIND_JACKED, KIND_NONE = 99 };

enum { EAR_EVENTS = 64 };

struct ear_event {
    enum event event;
    struct event_value arguments[EVENT_ARGUMENTS_MAX];
    size_t count;
};

/* A gamemode's handler of every event it listens to. */
struct ear {
    struct stage *stage;
    struct ear_event events[EAR_EVENTS]; /* in the order they were raised */
    size_t count;
    enum event refused; /* EVENT_COUNT: none */
    /* What the handler of that event does to the world, once. */
    enum event acts_on;
    void (*act)(struct ear *ear, const struct event_value *arguments);
    struct stage_client *client; /* for `act` */
};

struct seats {
    struct stage *stage;
    struct ear ear;
    struct stage_client *driver;  /* at (2, 0) */
    struct stage_client *watcher; /* at (8, 0) */
    struct vehicle *car;
};

/* The driver and the watcher have spawned, on foot. */
void seats_open(struct seats *seats);
/* And the driver drives the car; nothing is left in the logs. */
void seats_drive(struct seats *seats);
void seats_close(struct seats *seats);
/* The end of an input in which a test called the core as a gamemode does: what came of it is delivered. */
void seats_handled(struct seats *seats);
struct vehicle *seats_vehicle(const struct seats *seats, size_t index);

void ear_listen(struct seats *seats, enum event event);
/* How often it was raised. */
size_t ear_count(const struct ear *ear, enum event event);
/* The first one; fails when there is none. */
const struct ear_event *ear_first(const struct ear *ear, enum event event);

/* The oldest one that no test has taken. */
struct wire_vehicle_occupancy seats_take_occupancy(struct stage_client *client);
/* Fails when there is none of that vehicle. */
struct wire_vehicle_sync seats_take_sync(struct stage_client *client, uint32_t vehicle_id);
struct wire_remote_vehicle_frame seats_take_frame(struct stage_client *client);
void seats_pause(struct seats *seats, struct stage_client *client, bool paused);
/* Places the player without a word: for the checks of distances, to the last bit. */
void seats_set_pos(struct seats *seats, const struct stage_client *client, float x, float y, float z);

/* It is denied, to the sender alone, and counted under that reason. */
void seats_deny_is(struct seats *seats, struct stage_client *client, uint32_t vehicle_id, uint8_t seat,
                   enum reason why);
/* The request is answered with an enter. */
void seats_enters(struct seats *seats, struct stage_client *client, uint32_t vehicle_id, uint8_t seat);

#endif
