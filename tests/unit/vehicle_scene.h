/* vehicle_scene.h - a vehicle with a driver and somebody who watches, on a shard_stage.
 *
 * One at a time: scene_open in a test or its setup, scene_close in its teardown. */
#ifndef DLMP_TESTS_UNIT_VEHICLE_SCENE_H
#define DLMP_TESTS_UNIT_VEHICLE_SCENE_H

#include "tests/unit/shard_stage.h"

struct scene {
    struct stage *stage;
    struct shard *shard;
    struct stage_client *driver;  /* id 2, at the wheel unless the model has no seat */
    struct stage_client *watcher; /* id 3 */
    struct vehicle *vehicle;
};

/* At (0, 0, 10), with nothing left to read. */
struct scene scene_open(uint16_t model);
void scene_close(struct scene *scene);

/* The driver's honest frame. */
struct wire_vehicle_frame scene_frame(struct scene *scene);
/* What the watcher is relayed of it. */
struct wire_vehicle_state scene_relayed(struct scene *scene, const struct wire_vehicle_frame *frame);
/* The driver's frames say that it is paused, or not. */
void scene_pause(struct scene *scene, bool paused);
/* The driver gets out; the vehicle has a syncer then, who is returned. */
struct stage_client *scene_abandon(struct scene *scene);
/* Somebody else comes near and is shown the vehicle: the show. */
struct wire_vehicle_sync scene_show(struct scene *scene, struct stage_client **who);

/* What the scene's shard raises of these events, written down. */
struct scene_events {
    size_t count;
    enum event last;
    struct event_value arguments[EVENT_ARGUMENTS_MAX];
    char text[32]; /* of the last argument that is one */
    bool refuse;
    void (*then)(struct scene *scene); /* in the handler */
    struct scene *scene;
};
/* Listens to the event, on top of others. */
void scene_listen(struct scene *scene, struct scene_events *events, enum event event);

#endif
