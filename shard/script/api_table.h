/* api_table.h - the functions that a gamemode may call, as data.
 *
 * One table a noun (api_resource.c, api_player.c, api_vehicle.c); a row says what a function is called, what
 * it takes and what it answers. Arguments are checked by the row (api_check.h) and docs/gamemodes.md is
 * written from it (api_docs.h), so what a page of that document says of an argument is what holds.
 *
 * A function of the table has no rules: it is handed checked values, calls the core, and answers with what
 * the core said (api_answer.h).
 *
 * Spec: gamemode API. */
#ifndef DLMP_SHARD_SCRIPT_API_TABLE_H
#define DLMP_SHARD_SCRIPT_API_TABLE_H

#include <lua5.4/lua.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cursor.h"
#include "shard/geometry.h"

struct player;
struct shard;
struct vehicle;

enum {
    API_PARAMETERS_MAX = 8, /* ours: of a function; the most of the gamemode API is five */
    API_VALUES_MAX = 24,    /* ours: a function's self, its parameters, and the fields of those */
    API_WORDS_SIZE = 512,   /* ours: of a list of words as a text */
};

enum api_kind {
    API_NONE,
    API_PLAYER,
    API_VEHICLE,
    API_TEAM,
    API_BOOLEAN,
    API_INTEGER,
    API_NUMBER, /* an f32 of the wire: rounded to one before it is compared with its bounds */
    API_TEXT,
    API_WORD,     /* one of `words` */
    API_FUNCTION, /* a handler */
    API_ANY,      /* any value but nil */
    API_TABLE,    /* of named fields */
    API_LIST,     /* of `min` to `max` values like the first of `fields` */
    API_PAIRS,    /* `min` to `max` of them: keys like the first of `fields`, values like the second */
    API_MORE,     /* the values that are left, any number */
};

struct api_parameter {
    const char *name;
    enum api_kind kind;
    bool optional; /* may be nil or left out */
    double min;    /* of a number; of a text: bytes; of a list or pairs: how many */
    double max;
    double preset; /* of a number or boolean that is left out */
    const char *unit;
    bool (*is_text)(struct span text);  /* NULL: any bytes */
    const char *const *words;           /* ends with NULL */
    const struct api_parameter *fields; /* ends with API_NONE */
    const char *otherwise;              /* what leaving it out means, where `preset` does not say it */
};

/* A checked value: what its parameter's kind says. */
struct api_value {
    bool given;
    union {
        struct player *player;
        struct vehicle *vehicle;
        uint16_t team;
        bool boolean;
        int64_t integer; /* of a word: its place in `words` */
        double number;
        struct span text; /* ends with a terminator; lives as long as the call */
        int index; /* on the stack: of a function, any value, list or pairs, and of the first of more */
    };
};

struct api_function {
    const char *name; /* "dlmp.destroy_vehicle", "player:set_skin" */
    /* Of a method the first value is its player or vehicle; the fields of a table follow the table's value.
     * Returns the number of results. */
    int (*call)(lua_State *L, struct shard *shard, const struct api_value *values);
    lua_CFunction raw; /* instead of it: of the runtime, which takes its arguments from the stack */
    struct api_parameter parameters[API_PARAMETERS_MAX];
    const char *returns;
    const char *about;    /* one sentence */
    const char *refusals; /* beyond bad arguments; NULL: none */
    bool asks;            /* the coordinator, to tell everybody: see said.h */
};

/* What stands before the name: "dlmp.", "player:". */
struct api_noun {
    const char *prefix;
    const char *title;
    const char *about;
    enum api_kind self; /* API_NONE: not methods */
    const struct api_function *functions;
    size_t count;
};

extern const struct api_noun *const api_nouns[];
extern const size_t api_nouns_count;

extern const struct api_noun api_resource;
extern const struct api_noun api_player;       /* questions */
extern const struct api_noun api_player_set;   /* what it is and does */
extern const struct api_noun api_player_place; /* where it is, and what it is told */
extern const struct api_noun api_player_team;
extern const struct api_noun api_player_data;
extern const struct api_noun api_vehicle_data;
extern const struct api_noun api_teams;
extern const struct api_noun api_team;
extern const struct api_noun api_settings;
extern const struct api_noun api_chat;
extern const struct api_noun api_vehicle;  /* questions */
extern const struct api_noun api_vehicles; /* made, destroyed, and who sits in them */
extern const struct api_noun api_vehicle_state;
extern const struct api_noun api_vehicle_params;
extern const struct api_noun api_vehicle_links;

int api_parameters_count(const struct api_parameter parameters[API_PARAMETERS_MAX]);
/* Of a list that ends with API_NONE. */
int api_fields_count(const struct api_parameter *fields);

/* What a text must be: "one line of UTF-8". */
const char *api_text_rule(bool (*is_text)(struct span text));
/* The words as a choice: "'magnet' or 'small'". */
void api_write_words(const char *const *words, char *out, size_t size);

/* Rows of parameters. What follows the fixed part is more of the struct: `.optional = true`. */
/* clang-format off */
#define API_A_PLAYER(text, ...)  { .name = (text), .kind = API_PLAYER, __VA_ARGS__ }
#define API_A_VEHICLE(text, ...) { .name = (text), .kind = API_VEHICLE, __VA_ARGS__ }
#define API_A_TEAM(text, ...)    { .name = (text), .kind = API_TEAM, __VA_ARGS__ }
#define API_A_BOOLEAN(text, ...) { .name = (text), .kind = API_BOOLEAN, __VA_ARGS__ }
#define API_A_INTEGER(text, low, high, ...) \
    { .name = (text), .kind = API_INTEGER, .min = (low), .max = (high), __VA_ARGS__ }
#define API_A_NUMBER(text, low, high, ...) \
    { .name = (text), .kind = API_NUMBER, .min = (low), .max = (high), __VA_ARGS__ }
#define API_A_TEXT(text, low, high, check, ...) \
    { .name = (text), .kind = API_TEXT, .min = (low), .max = (high), .is_text = (check), __VA_ARGS__ }
#define API_A_WORD(text, list, ...) { .name = (text), .kind = API_WORD, .words = (list), __VA_ARGS__ }
#define API_A_FUNCTION(text, ...) { .name = (text), .kind = API_FUNCTION, __VA_ARGS__ }
#define API_A_VALUE(text, ...) { .name = (text), .kind = API_ANY, __VA_ARGS__ }
#define API_A_TABLE(text, list, ...) { .name = (text), .kind = API_TABLE, .fields = (list), __VA_ARGS__ }
#define API_A_LIST(text, low, high, item, ...) \
    { .name = (text), .kind = API_LIST, .min = (low), .max = (high), .fields = (item), __VA_ARGS__ }
#define API_A_PAIRS(text, low, high, pair, ...) \
    { .name = (text), .kind = API_PAIRS, .min = (low), .max = (high), .fields = (pair), __VA_ARGS__ }
#define API_MORE_VALUES(text) { .name = (text), .kind = API_MORE }

/* A place in the world, as three parameters or fields. */
#define API_POSITION(...)                                                            \
    API_A_NUMBER("x", -WORLD_XY_MAX, WORLD_XY_MAX, .unit = "m", __VA_ARGS__),        \
    API_A_NUMBER("y", -WORLD_XY_MAX, WORLD_XY_MAX, .unit = "m", __VA_ARGS__),        \
    API_A_NUMBER("z", WORLD_Z_MIN, WORLD_Z_MAX, .unit = "m", __VA_ARGS__)
#define API_HEADING(...) API_A_NUMBER("heading", -360, 360, .unit = "degrees", __VA_ARGS__)
#define API_SCOPE(...)                                                               \
    API_A_INTEGER("virtual_world", 0, 4294967295.0, __VA_ARGS__),                    \
    API_A_INTEGER("interior", 0, 255, __VA_ARGS__)
#define API_COLOR(text, ...) API_A_INTEGER(text, 0, 4294967295.0, .unit = "RGBA", __VA_ARGS__)
/* clang-format on */

#endif
