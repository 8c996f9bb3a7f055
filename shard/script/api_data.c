/* What a resource notes on a player or a vehicle. */
#include "common/text.h"
#include "shard/script/api_answer.h"
#include "shard/script/api_table.h"
#include "shard/script/resource.h"
#include "shard/script/values.h"
#include "shard/shard.h"

static int answer_note(lua_State *L, const struct notes *notes, struct span key)
{
    struct span note = notes_get(notes, resource_of(L)->name, key);

    if (note.size == 0)
        lua_pushnil(L);
    else if (values_decode(L, note) != 1)
        return api_refuse(L, "the note is unreadable");
    return 1;
}

static int set_note(lua_State *L, struct notes *notes, const struct api_value *values)
{
    uint8_t bytes[VALUES_DATA_MAX];
    struct writer out;
    const char *why;

    if (!values[2].given)
        return api_answer(L,
                          notes_set(notes, resource_of(L)->name, values[1].text, (struct span){ NULL, 0 }));
    writer_init(&out, bytes, sizeof bytes);
    why = values_encode(L, values[2].index, 1, &out);
    if (why != NULL)
        return api_refuse(L, "%s", why);
    return api_answer(L, notes_set(notes, resource_of(L)->name, values[1].text,
                                   (struct span){ .data = bytes, .size = writer_size(&out) }));
}

static int player_data(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return answer_note(L, &values[0].player->notes, values[1].text);
}

static int player_set_data(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return set_note(L, &values[0].player->notes, values);
}

static int vehicle_data(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return answer_note(L, &values[0].vehicle->notes, values[1].text);
}

static int vehicle_set_data(lua_State *L, struct shard *shard, const struct api_value *values)
{
    (void)shard;
    return set_note(L, &values[0].vehicle->notes, values);
}

/* clang-format off */
#define KEY API_A_TEXT("key", 1, NOTES_KEY_MAX, text_is_line)
#define VALUE API_A_VALUE("value", .optional = true, .otherwise = "the note is removed")
#define ABOUT_DATA "What this resource has noted under the key; nil if nothing."
#define ABOUT_SET_DATA                                                                                  \
    "Notes a boolean, a number, a string or a plain table of these. Unlike a variable a note is kept " \
    "over a restart of the resource."
#define REFUSALS "more than 4 KiB of all this resource's notes on it, values that cannot be noted"

static const struct api_function player_functions[] = {
    { "player:data", player_data, .parameters = { KEY }, .returns = "value or nil", .about = ABOUT_DATA },
    { "player:set_data", player_set_data, .parameters = { KEY, VALUE }, .returns = "true",
      .about = ABOUT_SET_DATA,
      .refusals = REFUSALS },
};

static const struct api_function vehicle_functions[] = {
    { "vehicle:data", vehicle_data, .parameters = { KEY }, .returns = "value or nil", .about = ABOUT_DATA },
    { "vehicle:set_data", vehicle_set_data, .parameters = { KEY, VALUE }, .returns = "true",
      .about = ABOUT_SET_DATA,
      .refusals = REFUSALS },
};
/* clang-format on */

const struct api_noun api_player_data = {
    .prefix = "player:",
    .title = "Players: notes",
    .about = "Notes of one resource are not seen by others.",
    .self = API_PLAYER,
    .functions = player_functions,
    .count = sizeof player_functions / sizeof player_functions[0],
};

const struct api_noun api_vehicle_data = {
    .prefix = "vehicle:",
    .title = "Vehicles: notes",
    .about = "As of players.",
    .self = API_VEHICLE,
    .functions = vehicle_functions,
    .count = sizeof vehicle_functions / sizeof vehicle_functions[0],
};
