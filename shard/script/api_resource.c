/* What a gamemode asks of its shard, and of the runtime. */
#include "common/text.h"
#include "shard/ownership.h"
#include "shard/script/api_answer.h"
#include "shard/script/api_object.h"
#include "shard/script/api_table.h"
#include "shard/script/cluster.h"
#include "shard/script/listeners.h"
#include "shard/script/runtime.h"
#include "shard/shard.h"

enum { LOG_TEXT_MAX = 4096 /* ours */ };
#define TIMER_MS_MAX 2592000000.0 /* 30 days, as the runtime has it */

/* kv_incr counts with what a double holds exactly. */
#define KV_BY_MAX 9007199254740991.0

static const char *const levels[] = { "debug", "info", "warn", "error", NULL };

static int shard_name(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)values;
    lua_pushstring(L, shard->config.name);
    return 1;
}

static int players(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct pool *pool = &shard->world.players;
    lua_Integer count = 0;

    (void)values;
    lua_newtable(L);
    for (uint32_t slot = pool_next(pool, 0); slot != POOL_END; slot = pool_next(pool, slot + 1)) {
        api_push_player(L, world_player_at(&shard->world, slot)->ref);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

static int player(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer_player(L, world_player_by_id(&shard->world, (uint32_t)values[0].integer));
}

static int vehicles(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct pool *pool = &shard->world.vehicles;
    lua_Integer count = 0;

    (void)values;
    lua_newtable(L);
    for (uint32_t slot = pool_next(pool, 0); slot != POOL_END; slot = pool_next(pool, slot + 1)) {
        api_push_vehicle(L, world_vehicle_at(&shard->world, slot)->id);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

static int vehicle(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer_vehicle(L, world_vehicle(&shard->world, (uint32_t)values[0].integer));
}

static int owns_scope(lua_State *L, struct shard *shard, const struct api_value *values)
{
    const struct scope scope = { .virtual_world = (uint32_t)values[0].integer,
                                 .interior = (uint8_t)values[1].integer };

    return api_answer_boolean(L, ownership_has(shard, scope));
}

/* clang-format off */
#define KEY API_A_TEXT("key", 1, GAME_KV_KEY_MAX, text_is_line)

static const struct api_function functions[] = {
    { "dlmp.on", .raw = script_on,
      .parameters = { API_A_TEXT("event", 1, LISTENERS_NAME_MAX, text_is_line), API_A_FUNCTION("handler") },
      .returns = "handle", .about = "Calls the handler whenever the event is raised: one of those below, or, "
                                    "under any other name, one of this resource's own (`dlmp.broadcast`)." },
    { "dlmp.off", .raw = script_off,
      .parameters = { API_A_INTEGER("handle", 1, 4294967295.0) },
      .returns = "true", .about = "Takes back `dlmp.on`." },
    { "dlmp.after", .raw = script_after,
      .parameters = { API_A_INTEGER("ms", 0, TIMER_MS_MAX, .unit = "ms"), API_A_FUNCTION("handler") },
      .returns = "timer", .about = "Calls the handler once, when so much time has gone by." },
    { "dlmp.every", .raw = script_every,
      .parameters = { API_A_INTEGER("ms", 1, TIMER_MS_MAX, .unit = "ms"), API_A_FUNCTION("handler") },
      .returns = "timer", .about = "Calls the handler again and again." },
    { "dlmp.cancel", .raw = script_cancel,
      .parameters = { API_A_INTEGER("timer", 1, 4294967295.0) },
      .returns = "true", .about = "Takes back `dlmp.after` or `dlmp.every`." },
    { "dlmp.now", .raw = script_now, .returns = "ms", .about = "The time since the shard started." },
    { "dlmp.log", .raw = script_log,
      .parameters = { API_A_WORD("level", levels), API_A_TEXT("text", 0, LOG_TEXT_MAX, NULL) },
      .returns = "true", .about = "Writes a line to the shard's log." },
    { "dlmp.shard", shard_name, .returns = "name", .about = "The shard's name." },
    { "dlmp.owns_scope", owns_scope,
      .parameters = { API_SCOPE() },
      .returns = "boolean",
      .about = "Whether this shard has the scope. What is made in another one's is refused: `nil, \"scope is "
               "on <shard>\"`." },
    { "dlmp.players", players, .returns = "list", .about = "The players on this shard." },
    { "dlmp.player", player,
      .parameters = { API_A_INTEGER("id", 0, 4294967295.0) },
      .returns = "player or nil", .about = "The player of this shard with the id." },
    { "dlmp.vehicles", vehicles, .returns = "list", .about = "The vehicles on this shard." },
    { "dlmp.vehicle", vehicle,
      .parameters = { API_A_INTEGER("id", 0, 4294967295.0) },
      .returns = "vehicle or nil", .about = "The vehicle of this shard with the id." },
    { "dlmp.broadcast", .raw = script_broadcast,
      .parameters = { API_A_TEXT("name", 1, GAME_EVENT_NAME_MAX, text_is_line), API_MORE_VALUES("values") },
      .returns = "true",
      .about = "Raises the event in this resource on every shard, this one too. The values are nil, "
               "booleans, numbers, strings and plain tables of these.",
      .refusals = "more than 8 KiB, other values, the name of an event of the server, more than 1 MiB in a "
                  "second together with what else goes to everybody",
      .asks = true },
    { "dlmp.kv_get", .raw = script_kv_get,
      .parameters = { KEY, API_A_FUNCTION("handler") },
      .returns = "true",
      .about = "Asks for what this resource has stored in the cluster. Calls the handler with the value, nil "
               "if there is none; with nil and why if the storage is away." },
    { "dlmp.kv_set", .raw = script_kv_set,
      .parameters = { KEY, API_A_VALUE("value", .optional = true,
                      .otherwise = "it is refused: `dlmp.kv_del` removes"),
                      API_A_FUNCTION("handler", .optional = true) },
      .returns = "true", .about = "Stores a value for all shards, over restarts. Calls the handler with "
                                  "whether it is stored, and why not.",
      .refusals = "more than 8 KiB, values that cannot be stored" },
    { "dlmp.kv_incr", .raw = script_kv_incr,
      .parameters = { KEY, API_A_INTEGER("by", -KV_BY_MAX, KV_BY_MAX), API_A_FUNCTION("handler") },
      .returns = "true",
      .about = "Adds to a whole number, 0 if there is none; shards that do so at once lose nothing. Calls "
               "the handler with the new value; with nil and why if the storage is away, or what "
               "is stored is no "
               "whole number." },
    { "dlmp.kv_del", .raw = script_kv_del,
      .parameters = { KEY, API_A_FUNCTION("handler", .optional = true) },
      .returns = "true", .about = "Removes what is stored. Calls the handler with whether it was "
                                  "done, and why not." },
};
/* clang-format on */

const struct api_noun api_resource = {
    .prefix = "dlmp.",
    .title = "Resources",
    .about = "What a resource asks of its shard, and what it notes for later.",
    .self = API_NONE,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
