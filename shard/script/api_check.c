#include "shard/script/api_check.h"

#include <assert.h>
#include <float.h>
#include <lua5.4/lauxlib.h>
#include <math.h>
#include <string.h>

#include "shard/script/api_answer.h"
#include "shard/script/api_object.h"
#include "shard/script/state.h"

enum {
    WHOLE_DIGITS_MAX = 15, /* a double tells whole numbers apart that far */
    NAMED_SIZE_MAX = 64,   /* ours: a longer text is not repeated in a message */
};

/* A call as far as it has been checked. */
struct check {
    const struct api_function *function;
    const char *what; /* "argument", "field" */
    struct api_value *values;
    const struct api_parameter *parameters[API_VALUES_MAX]; /* of the values */
    int indices[API_VALUES_MAX];                            /* where they are on the stack */
    size_t count;
};

const char *api_kind_name(enum api_kind kind)
{
    static const char *const names[] = {
        [API_NONE] = "nothing",      [API_PLAYER] = "player",   [API_VEHICLE] = "vehicle",
        [API_TEAM] = "team",         [API_BOOLEAN] = "boolean", [API_INTEGER] = "number",
        [API_NUMBER] = "number",     [API_TEXT] = "string",     [API_WORD] = "string",
        [API_FUNCTION] = "function", [API_ANY] = "value",       [API_TABLE] = "table",
        [API_LIST] = "table",        [API_PAIRS] = "table",     [API_MORE] = "values",
    };

    return names[kind];
}

/* ---- faults of the script: they raise ---- */

static const char *type_name(lua_State *L, int index)
{
    if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING)
        return lua_tostring(L, -1);
    return luaL_typename(L, index);
}

/* Never returns; the result is there to be returned by checks. */
static bool raise_type(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                       int index)
{
    return luaL_error(L, "bad %s '%s' to '%s' (%s expected, got %s)", check->what, parameter->name,
                      check->function->name, api_kind_name(parameter->kind), type_name(L, index)) != 0;
}

static bool raise_unknown_field(lua_State *L, const struct check *check, int index)
{
    size_t size = 0;
    const char *name = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &size) : NULL;

    if (name == NULL)
        return luaL_error(L, "'%s' has named fields: a %s is none", check->function->name,
                          luaL_typename(L, index)) != 0;
    if (size > NAMED_SIZE_MAX)
        return luaL_error(L, "'%s' has no field with a name of %I bytes", check->function->name,
                          (lua_Integer)size) != 0;
    return luaL_error(L, "'%s' has no field '%s'", check->function->name, name) != 0;
}

/* ---- values out of place: they are refused ---- */

struct bound {
    char text[32];
};

static struct bound bound(double value)
{
    struct bound bound;

    (void)snprintf(bound.text, sizeof bound.text, "%.*g", WHOLE_DIGITS_MAX, value);
    return bound;
}

static bool refuse_range(lua_State *L, const struct api_parameter *parameter)
{
    (void)api_refuse(L, "%s must be from %s to %s%s%s", parameter->name, bound(parameter->min).text,
                     bound(parameter->max).text, parameter->unit != NULL ? " " : "",
                     parameter->unit != NULL ? parameter->unit : "");
    return false;
}

/* The check of a count or whole number; that of an f32 is check_number's own. */
static bool is_in_range(const struct api_parameter *parameter, double value)
{
    return value >= parameter->min && value <= parameter->max;
}

/* A number that a check may go on with: Lua takes a text that reads as one for a number. */
static bool check_finite(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                         int index, double *number)
{
    int is_number = 0;

    *number = lua_tonumberx(L, index, &is_number);
    if (!is_number)
        return raise_type(L, check, parameter, index);
    if (isfinite(*number))
        return true;
    (void)api_refuse(L, "%s must be a finite number", parameter->name);
    return false;
}

static bool check_number(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                         int index, struct api_value *value)
{
    double number = 0;

    if (!check_finite(L, check, parameter, index, &number))
        return false;
    value->number = fabs(number) <= (double)FLT_MAX ? (double)(float)number : number;
    if (value->number >= (double)(float)parameter->min && value->number <= (double)(float)parameter->max)
        return true;
    return refuse_range(L, parameter);
}

static bool check_integer(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                          int index, struct api_value *value)
{
    double number = 0;

    if (!check_finite(L, check, parameter, index, &number))
        return false;
    if (floor(number) != number) {
        (void)api_refuse(L, "%s must be a whole number", parameter->name);
        return false;
    }
    if (!is_in_range(parameter, number))
        return refuse_range(L, parameter);
    value->integer = (int64_t)number;
    return true;
}

static bool check_boolean(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                          int index, struct api_value *value)
{
    if (!lua_isboolean(L, index))
        return raise_type(L, check, parameter, index);
    value->boolean = lua_toboolean(L, index) != 0;
    return true;
}

static bool get_text(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                     int index, struct span *text)
{
    if (!lua_isstring(L, index))
        return raise_type(L, check, parameter, index);
    text->data = (const uint8_t *)lua_tolstring(L, index, &text->size);
    return true;
}

static bool check_text(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                       int index, struct api_value *value)
{
    if (!get_text(L, check, parameter, index, &value->text))
        return false;
    if (!is_in_range(parameter, (double)value->text.size)) {
        (void)api_refuse(L, "%s must have %s to %s bytes", parameter->name, bound(parameter->min).text,
                         bound(parameter->max).text);
        return false;
    }
    if (parameter->is_text == NULL || parameter->is_text(value->text))
        return true;
    (void)api_refuse(L, "%s must be %s", parameter->name, api_text_rule(parameter->is_text));
    return false;
}

static bool check_word(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                       int index, struct api_value *value)
{
    struct span text = { (const uint8_t *)"", 0 };
    char list[API_WORDS_SIZE] = "";

    if (!get_text(L, check, parameter, index, &text))
        return false;
    for (int64_t i = 0; parameter->words[i] != NULL; i++) {
        if (strlen(parameter->words[i]) == text.size &&
            memcmp(parameter->words[i], text.data, text.size) == 0) {
            value->integer = i;
            return true;
        }
    }
    api_write_words(parameter->words, list, sizeof list);
    (void)api_refuse(L, "%s must be %s", parameter->name, list);
    return false;
}

/* Whom it means is looked up last: see resolve(). */
static bool check_player(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                         int index, struct api_value *value)
{
    value->player = NULL;
    return api_player_ref(L, index) != NULL || raise_type(L, check, parameter, index);
}

static bool check_vehicle(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                          int index, struct api_value *value)
{
    value->vehicle = NULL;
    return api_vehicle_id(L, index) != NULL || raise_type(L, check, parameter, index);
}

/* A team is never gone. */
static bool check_team(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                       int index, struct api_value *value)
{
    const uint16_t *team = api_team_number(L, index);

    if (team == NULL)
        return raise_type(L, check, parameter, index);
    value->team = *team;
    return true;
}

static bool check_function(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                           int index, struct api_value *value)
{
    value->index = index;
    return lua_isfunction(L, index) || raise_type(L, check, parameter, index);
}

static bool check_any(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                      int index, struct api_value *value)
{
    value->index = index;
    return !lua_isnil(L, index) || raise_type(L, check, parameter, index);
}

/* ---- tables ---- */

static bool check_scalar(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                         int index, struct api_value *value);

static bool refuse_size(lua_State *L, const struct api_parameter *parameter, const char *what)
{
    if (parameter->min < parameter->max)
        (void)api_refuse(L, "%s must have %s to %s %s", parameter->name, bound(parameter->min).text,
                         bound(parameter->max).text, what);
    else
        (void)api_refuse(L, "%s must have %s %s", parameter->name, bound(parameter->min).text, what);
    return false;
}

/* How many entries the table has, whatever their keys are. */
static size_t table_count(lua_State *L, int index)
{
    size_t count = 0;

    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        count++;
    }
    return count;
}

static bool check_list(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                       int index, struct api_value *value)
{
    const struct check inner = { .function = check->function, .what = "value" };
    lua_Unsigned count;

    if (!lua_istable(L, index))
        return raise_type(L, check, parameter, index);
    count = lua_rawlen(L, index);
    if (count != table_count(L, index) || !is_in_range(parameter, (double)count))
        return refuse_size(L, parameter, "values");
    for (lua_Unsigned i = 1; i <= count; i++) {
        struct api_value item;

        lua_rawgeti(L, index, (lua_Integer)i);
        if (!check_scalar(L, &inner, &parameter->fields[0], lua_gettop(L), &item))
            return false;
        lua_pop(L, 1);
    }
    value->index = index;
    return true;
}

static bool check_pairs(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                        int index, struct api_value *value)
{
    const struct check inner = { .function = check->function, .what = "entry" };

    if (!lua_istable(L, index))
        return raise_type(L, check, parameter, index);
    if (!is_in_range(parameter, (double)table_count(L, index)))
        return refuse_size(L, parameter, "entries");
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        struct api_value item;

        if (!check_scalar(L, &inner, &parameter->fields[0], lua_gettop(L) - 1, &item) ||
            !check_scalar(L, &inner, &parameter->fields[1], lua_gettop(L), &item))
            return false;
        lua_pop(L, 1);
    }
    value->index = index;
    return true;
}

static bool check_scalar(lua_State *L, const struct check *check, const struct api_parameter *parameter,
                         int index, struct api_value *value)
{
    static bool (*const checks[])(lua_State *, const struct check *, const struct api_parameter *, int,
                                  struct api_value *) = {
        [API_PLAYER] = check_player,   [API_VEHICLE] = check_vehicle, [API_TEAM] = check_team,
        [API_BOOLEAN] = check_boolean, [API_INTEGER] = check_integer, [API_NUMBER] = check_number,
        [API_TEXT] = check_text,       [API_WORD] = check_word,       [API_FUNCTION] = check_function,
        [API_ANY] = check_any,         [API_LIST] = check_list,       [API_PAIRS] = check_pairs,
    };

    assert(checks[parameter->kind] != NULL);
    value->given = true;
    return checks[parameter->kind](L, check, parameter, index, value);
}

static struct api_value preset(const struct api_parameter *parameter)
{
    struct api_value value = { .given = false };

    if (parameter->kind == API_BOOLEAN)
        value.boolean = parameter->preset != 0;
    else if (parameter->kind == API_INTEGER)
        value.integer = (int64_t)parameter->preset;
    else if (parameter->kind == API_NUMBER)
        value.number = parameter->preset;
    return value;
}

static bool check_parameter(lua_State *L, struct check *check, const struct api_parameter *parameter,
                            int index);

static bool is_field(const struct api_parameter *fields, struct span name)
{
    for (; fields->kind != API_NONE; fields++)
        if (strlen(fields->name) == name.size && memcmp(fields->name, name.data, name.size) == 0)
            return true;
    return false;
}

static void require_known_fields(lua_State *L, const struct check *check, const struct api_parameter *fields,
                                 int index)
{
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        struct span name = { NULL, 0 };

        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING)
            name.data = (const uint8_t *)lua_tolstring(L, -1, &name.size);
        if (name.data == NULL || !is_field(fields, name))
            (void)raise_unknown_field(L, check, lua_gettop(L));
    }
}

/* The fields stay on the stack, since texts live there. A table that is left out leaves out its fields. */
static bool check_fields(lua_State *L, struct check *check, const struct api_parameter *fields, int index)
{
    const char *what = check->what;

    if (index != 0)
        require_known_fields(L, check, fields, index);
    check->what = "field";
    for (; fields->kind != API_NONE; fields++) {
        if (index == 0) {
            check->values[check->count++] = preset(fields);
            continue;
        }
        lua_pushstring(L, fields->name);
        lua_rawget(L, index);
        if (!check_parameter(L, check, fields, lua_gettop(L)))
            return false;
    }
    check->what = what;
    return true;
}

/* ---- the whole call ---- */

static bool check_table(lua_State *L, struct check *check, const struct api_parameter *parameter, int index)
{
    bool given = !parameter->optional || !lua_isnoneornil(L, index);

    if (given && !lua_istable(L, index))
        return raise_type(L, check, parameter, index);
    check->values[check->count++] = (struct api_value){ .given = given, .index = index };
    return check_fields(L, check, parameter->fields, given ? index : 0);
}

static bool check_parameter(lua_State *L, struct check *check, const struct api_parameter *parameter,
                            int index)
{
    size_t at = check->count;

    assert(at < API_VALUES_MAX);
    if (parameter->kind == API_TABLE)
        return check_table(L, check, parameter, index);
    check->count++;
    check->indices[at] = index;
    if (parameter->kind == API_MORE)
        check->values[at] = (struct api_value){ .given = !lua_isnone(L, index), .index = index };
    else if (parameter->optional && lua_isnoneornil(L, index))
        check->values[at] = preset(parameter);
    else {
        check->parameters[at] = parameter;
        return check_scalar(L, check, parameter, index, &check->values[at]);
    }
    return true;
}

/* What handles mean, last of all: a pointer must not be held while Lua may still run a collection. */
static bool resolve(lua_State *L, const struct shard *shard, const struct check *check)
{
    for (size_t i = 0; i < check->count; i++) {
        enum api_kind kind = check->parameters[i] != NULL ? check->parameters[i]->kind : API_NONE;
        struct api_value *value = &check->values[i];

        if (kind == API_PLAYER) {
            value->player = world_player(&shard->world, *api_player_ref(L, check->indices[i]));
            if (value->player == NULL)
                return api_refuse(L, "player has left") == 0;
        } else if (kind == API_VEHICLE) {
            value->vehicle = world_vehicle(&shard->world, *api_vehicle_id(L, check->indices[i]));
            if (value->vehicle == NULL)
                return api_refuse(L, "vehicle is gone") == 0;
        }
    }
    return true;
}

/* Makes the arguments as many as there are parameters, the missing ones nil: what is pushed later must not
 * be taken for one. */
static void level_arguments(lua_State *L, int count, bool more)
{
    if (!more)
        lua_settop(L, count);
    else if (lua_gettop(L) < count - 1)
        lua_settop(L, count - 1);
}

static const struct api_parameter *self_parameter(enum api_kind self)
{
    static const struct api_parameter selves[] = {
        [API_PLAYER] = API_A_PLAYER("player"),
        [API_VEHICLE] = API_A_VEHICLE("vehicle"),
        [API_TEAM] = API_A_TEAM("team"),
    };

    return &selves[self];
}

static bool check_call(lua_State *L, struct check *check, enum api_kind self)
{
    const struct api_parameter *parameters = check->function->parameters;
    int count = api_parameters_count(parameters);
    int index = 1;

    level_arguments(L, (self != API_NONE) + count, count > 0 && parameters[count - 1].kind == API_MORE);
    if (self != API_NONE && !check_parameter(L, check, self_parameter(self), index++))
        return false;
    for (int i = 0; i < count; i++)
        if (!check_parameter(L, check, &parameters[i], index++))
            return false;
    return true;
}

/* `values` NULL: the function takes its arguments from the stack. */
static int call_measured(lua_State *L, const struct api_function *function, struct shard *shard,
                         const struct api_value *values)
{
    struct resource *resource = resource_of(L);
    size_t before = shard->outbox.arena.taken;
    int results;

    if (function->asks && !said_may_ask(resource)) {
        resource->script->stats.over_said++;
        return api_refuse(L, "too much is told to everybody in this second");
    }
    results = values != NULL ? function->call(L, shard, values) : function->raw(L);
    if (!said_add(resource, function->asks, shard->outbox.arena.taken - before))
        call_break(L, CALL_OVER_SAID);
    return results;
}

static int call_function(lua_State *L)
{
    const struct api_function *function = lua_touserdata(L, lua_upvalueindex(1));
    const struct api_noun *noun = lua_touserdata(L, lua_upvalueindex(2));
    struct api_value values[API_VALUES_MAX];
    struct check check = { .function = function, .what = "argument", .values = values };
    struct shard *shard = resource_shard(L);
    int top = lua_gettop(L);

    luaL_checkstack(L, API_VALUES_MAX + LUA_MINSTACK, function->name);
    if (!check_call(L, &check, noun->self) || !resolve(L, shard, &check))
        return 2;
    if (function->raw == NULL)
        return call_measured(L, function, shard, values);
    lua_settop(L, top);
    return call_measured(L, function, shard, NULL);
}

void api_push_function(lua_State *L, const struct api_noun *noun, const struct api_function *function)
{
    /* Light userdata has no const; it is only read. */
    lua_pushlightuserdata(L, (void *)function);
    lua_pushlightuserdata(L, (void *)noun);
    lua_pushcclosure(L, call_function, 2);
}
