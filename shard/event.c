#include "shard/event.h"

#include <assert.h>
#include <string.h>

#include "shard/shard.h"

#define EVENT_INFO(name, text, refusable, arguments) [EVENT_##name] = { text, refusable, arguments },
static const struct event_info infos[EVENT_COUNT] = { EVENTS(EVENT_INFO) };
#undef EVENT_INFO

_Static_assert(EVENT_COUNT <= 64, "a bit each in shard.heard");

const struct event_info *event_info(enum event event)
{
    assert(event < EVENT_COUNT);
    return &infos[event];
}

enum event event_find(const char *name)
{
    enum event event = 0;

    while (event < EVENT_COUNT && strcmp(infos[event].name, name) != 0)
        event++;
    return event;
}

struct event_value event_player(const struct player *player)
{
    if (player == NULL)
        return (struct event_value){ .kind = EVENT_NIL };
    return (struct event_value){ .kind = EVENT_PLAYER, .player = { player->ref.id, player->ref.token } };
}

struct event_value event_vehicle(const struct vehicle *vehicle)
{
    if (vehicle == NULL)
        return (struct event_value){ .kind = EVENT_NIL };
    return (struct event_value){ .kind = EVENT_VEHICLE, .vehicle = vehicle->id };
}

struct event_value event_boolean(bool boolean)
{
    return (struct event_value){ .kind = EVENT_BOOLEAN, .boolean = boolean };
}

struct event_value event_integer(int64_t integer)
{
    return (struct event_value){ .kind = EVENT_INTEGER, .integer = integer };
}

struct event_value event_number(double number)
{
    return (struct event_value){ .kind = EVENT_NUMBER, .number = number };
}

struct event_value event_text(const char *text)
{
    return (struct event_value){ .kind = EVENT_TEXT, .text = text };
}

bool event_is_heard(const struct shard *shard, enum event event)
{
    return (shard->heard >> event & 1) != 0;
}

void event_listen(struct shard *shard, enum event event, bool listens)
{
    uint64_t bit = UINT64_C(1) << event;

    shard->heard = listens ? shard->heard | bit : shard->heard & ~bit;
}

bool event_raise(struct shard *shard, enum event event, const struct event_value *arguments, size_t count)
{
    assert(count <= EVENT_ARGUMENTS_MAX);
    if (!event_is_heard(shard, event) || shard->hooks.raise == NULL)
        return true;
    return shard->hooks.raise(shard->hooks.context, event, arguments, count) || !infos[event].refusable;
}
