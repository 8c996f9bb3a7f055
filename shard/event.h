/* event.h - what a gamemode is told, and asked.
 *
 * The core raises an event where a page or the gamemode API says so; whoever listens has been installed as
 * `hooks` (the Lua runtime, a test). The table below is the only list of them: it names the arguments,
 * says which may be refused, and docs/gamemodes.md is written from it.
 *
 * A handler may do anything to the world, at once: destroy the vehicle, move or kick the player. What a
 * caller held a pointer to it must look up again after a raise, by id, and check again what it had
 * checked. Players do not go away within a raise: a kick is the gateway's to carry out.
 *
 * Spec: gamemode API, the tables of events. */
#ifndef DLMP_SHARD_EVENT_H
#define DLMP_SHARD_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"
#include "gen/bus.pb-c.h"

/* clang-format off */
/* The arguments by name and kind; `?`: may be nil. */
#define EVENTS(X)                                                                                            \
    X(RESOURCE_START, "resource_start", false, "")                                                           \
    X(RESOURCE_STOP, "resource_stop", false, "")                                                             \
    X(SCOPE_START, "scope_start", false, "virtual_world:integer interior:integer")                           \
    X(SCOPE_TAKEN, "scope_taken", false, "virtual_world:integer interior:integer")                           \
    X(TICK, "tick", false, "dt_ms:integer")                                                                  \
    X(CLOCK_HOUR, "clock_hour", false, "hour:integer")                                                       \
    X(PLAYER_CONNECT, "player_connect", false, "player:player")                                              \
    X(PLAYER_AUTH, "player_auth", false, "player:player account_id:integer account_name:text")               \
    X(PLAYER_REQUEST_SPAWN, "player_request_spawn", true, "player:player")                                   \
    X(PLAYER_REQUEST_RESPAWN, "player_request_respawn", true, "player:player")                               \
    X(PLAYER_SPAWN, "player_spawn", false, "player:player")                                                  \
    X(PLAYER_DEATH, "player_death", false, "player:player killer:player? weapon:integer")                    \
    X(PLAYER_DISCONNECT, "player_disconnect", false, "player:player reason:text")                            \
    X(PLAYER_SCOPE, "player_scope", false,                                                                   \
      "player:player virtual_world:integer interior:integer old_virtual_world:integer old_interior:integer") \
    X(PLAYER_CHAT, "player_chat", true, "player:player text:text")                                           \
    X(PLAYER_COMMAND, "player_command", true, "player:player command:text arguments:text")                   \
    X(PLAYER_MOVEMENT_VIOLATION, "player_movement_violation", false, "player:player distance:number")        \
    X(VEHICLE_START_ENTER, "vehicle_start_enter", true,                                                      \
      "vehicle:vehicle player:player seat:integer jacked:player?")                                           \
    X(VEHICLE_JACK, "vehicle_jack", true, "vehicle:vehicle jacker:player victim:player")                     \
    X(PLAYER_ENTER_VEHICLE, "player_enter_vehicle", false, "player:player vehicle:vehicle seat:integer")     \
    X(PLAYER_EXIT_VEHICLE, "player_exit_vehicle", false, "player:player vehicle:vehicle seat:integer")       \
    X(VEHICLE_SYNCER, "vehicle_syncer", false, "vehicle:vehicle syncer:player? previous:player?")            \
    X(VEHICLE_DEATH, "vehicle_death", false, "vehicle:vehicle cause:text killer:player?")                    \
    X(VEHICLE_CONTROL, "vehicle_control", true, "vehicle:vehicle player:player control:text on:boolean")     \
    X(TRAILER_ATTACH, "trailer_attach", true, "trailer:vehicle tractor:vehicle player:player?")              \
    X(TRAILER_DETACH, "trailer_detach", false, "trailer:vehicle tractor:vehicle player:player?")             \
    X(WINCH_ATTACH, "winch_attach", true, "vehicle:vehicle heli:vehicle player:player?")                     \
    X(WINCH_DETACH, "winch_detach", false, "vehicle:vehicle heli:vehicle player:player?")                    \
    X(PLAYER_REMOTE_ENTER, "player_remote_enter", true, "player:player vehicle:vehicle")                     \
    X(PLAYER_REMOTE_EXIT, "player_remote_exit", false, "player:player vehicle:vehicle reason:text")
/* clang-format on */

#define EVENT_ENUM(name, text, refusable, arguments) EVENT_##name,
enum event { EVENTS(EVENT_ENUM) EVENT_COUNT };
#undef EVENT_ENUM

enum { EVENT_ARGUMENTS_MAX = 8 };

struct event_info {
    const char *name;
    bool refusable;
    const char *arguments; /* "vehicle:vehicle player:player seat:integer jacked:player?" */
};

const struct event_info *event_info(enum event event);
/* EVENT_COUNT: none has the name. */
enum event event_find(const char *name);

struct player;
struct vehicle;
struct shard;

enum event_kind {
    EVENT_NIL,
    EVENT_PLAYER,
    EVENT_VEHICLE,
    EVENT_BOOLEAN,
    EVENT_INTEGER,
    EVENT_NUMBER,
    EVENT_TEXT
};

struct event_value {
    enum event_kind kind;
    union {
        struct {
            uint32_t id;
            uint32_t token;
        } player;
        uint32_t vehicle;
        bool boolean;
        int64_t integer;
        double number;
        const char *text; /* borrowed for the raise */
    };
};

/* NULL is nil. */
struct event_value event_player(const struct player *player);
struct event_value event_vehicle(const struct vehicle *vehicle);
struct event_value event_boolean(bool boolean);
struct event_value event_integer(int64_t integer);
struct event_value event_number(double number);
struct event_value event_text(const char *text);

struct kv_result; /* ask.h */

struct event_hooks {
    void *context;
    /* False: a handler refused. Only what is listened to is raised. */
    bool (*raise)(void *context, enum event event, const struct event_value *arguments, size_t count);
    /* A resource has raised an event of its own on all shards. Its arguments are as it encoded them; all is
     * borrowed for the call. */
    void (*on_broadcast)(void *context, const char *resource, const char *name, struct span arguments);
    /* The answer to what was asked of the cluster's storage under this number. */
    void (*on_kv)(void *context, uint64_t request, const struct kv_result *result);
    /* An operator wants something of a resource; name and op are valid. */
    void (*on_order)(void *context, const Bus__ResourceOrder *order);
    /* There is a coordinator, which knows nothing of the resources yet. */
    void (*on_coordinator)(void *context);
};

/* Whether somebody listens: an event nobody listens to costs the look at one bit. */
bool event_is_heard(const struct shard *shard, enum event event);
/* The listener says what it wants to hear. */
void event_listen(struct shard *shard, enum event event, bool listens);

/* False: refused. What cannot be refused is always true. */
bool event_raise(struct shard *shard, enum event event, const struct event_value *arguments, size_t count);

/* EVENT_RAISE(shard, EVENT_PLAYER_CHAT, event_player(player), event_text(text)) */
#define EVENT_RAISE(shard, event, ...)                                      \
    (!event_is_heard(shard, event) ||                                       \
     event_raise(shard, event, (const struct event_value[]){ __VA_ARGS__ }, \
                 sizeof((const struct event_value[]){ __VA_ARGS__ }) / sizeof(struct event_value)))

#endif
