#include "tests/unit/vehicle_scene.h"

#include <string.h>

struct scene scene_open(uint16_t model)
{
    const struct shard_vehicle vehicles[] = { stage_car(model, 0, 0) };
    struct scene scene = { .stage = stage_new(vehicles, 1) };

    scene.shard = scene.stage->shard;
    scene.driver = stage_spawn(scene.stage, 2, 2, 0);
    scene.watcher = stage_spawn(scene.stage, 3, 8, 0);
    scene.vehicle = stage_vehicle(scene.stage, 0);
    if (scene.vehicle->model->seats > 0) {
        stage_enter(scene.stage, scene.driver, scene.vehicle->id, 0);
        ck_assert_uint_ne(scene.vehicle->seats[0], SLOT_NONE);
    }
    stage_forget(scene.stage);
    return scene;
}

void scene_close(struct scene *scene)
{
    stage_free(scene->stage);
}

struct wire_vehicle_frame scene_frame(struct scene *scene)
{
    return stage_frame(scene->stage, scene->driver, scene->vehicle);
}

struct wire_vehicle_state scene_relayed(struct scene *scene, const struct wire_vehicle_frame *frame)
{
    struct wire_remote_vehicle_frame relay;
    struct wire_error error;
    const struct stage_packet *packet;

    stage_send_frame(scene->stage, scene->driver, frame);
    packet = stage_take(scene->watcher, PACKET_REMOTE_VEHICLE_FRAME);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_remote_vehicle_frame_decode(&relay, packet->bytes, packet->size, &error));
    return relay.state;
}

void scene_pause(struct scene *scene, bool paused)
{
    struct wire_player_sync sync = stage_sync(scene->driver);

    sync.frame.flags = paused ? 8 : 0;
    stage_send_sync(scene->stage, scene->driver, &sync);
}

struct stage_client *scene_abandon(struct scene *scene)
{
    stage_exit(scene->stage, scene->driver, scene->vehicle->id);
    ck_assert_uint_eq(scene->vehicle->seats[0], SLOT_NONE);
    ck_assert_uint_ne(scene->vehicle->syncer, SLOT_NONE);
    return &scene->stage->clients[world_player_at(&scene->shard->world, scene->vehicle->syncer)->ref.id];
}

struct wire_vehicle_sync scene_show(struct scene *scene, struct stage_client **who)
{
    static const struct wire_vehicle_sync none;
    struct wire_vehicle_sync show = none;
    struct wire_error error;
    struct stage_client *late = NULL;
    const struct stage_packet *packet;

    for (uint32_t id = 5; late == NULL; id++)
        if (!scene->stage->clients[id].used)
            late = stage_spawn(scene->stage, id, 12, (float)id);
    packet = stage_take(late, PACKET_VEHICLE_SYNC);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_vehicle_sync_decode(&show, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(show.vehicle_id, scene->vehicle->id);
    if (who != NULL)
        *who = late;
    return show;
}

static bool on_raise(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    struct scene_events *events = context;

    events->count++;
    events->last = event;
    memcpy(events->arguments, arguments, count * sizeof *arguments);
    for (size_t i = 0; i < count; i++)
        if (arguments[i].kind == EVENT_TEXT)
            (void)snprintf(events->text, sizeof events->text, "%s", arguments[i].text);
    if (events->then != NULL)
        events->then(events->scene);
    return !events->refuse;
}

void scene_listen(struct scene *scene, struct scene_events *events, enum event event)
{
    const struct event_hooks hooks = { .context = events, .raise = on_raise };

    events->scene = scene;
    shard_set_hooks(scene->shard, &hooks);
    event_listen(scene->shard, event, true);
}
