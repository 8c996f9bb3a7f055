#include "shard/script/api_docs.h"

#include <string.h>

#include "shard/script/api_check.h"
#include "shard/script/api_table.h"

const char *api_event_about(enum event event)
{
    /* clang-format off */
    static const char *const abouts[EVENT_COUNT] = {
        [EVENT_RESOURCE_START] = "This resource has been started on this shard: its main.lua has run.",
        [EVENT_RESOURCE_STOP] = "This resource is about to be stopped on this shard. What it made goes with "
                                "it.",
        [EVENT_SCOPE_START] = "This shard now owns a scope that was empty until now: make its content here. "
                              "Not raised for a scope that is taken over with its content. A resource that "
                              "starts later, after a restart or a reload too, hears it for each scope that "
                              "has started before: what it had made there went with its stop.",
        [EVENT_SCOPE_TAKEN] = "This shard has taken the scope over with its content and players; what this "
                              "resource made there is its own again.",
        [EVENT_TICK] = "Every 100 ms.",
        [EVENT_CLOCK_HOUR] = "The game's clock has come to a full hour, 0 to 23.",
        [EVENT_PLAYER_CONNECT] = "The connection is open; the player has not spawned.",
        [EVENT_PLAYER_AUTH] = "The player has proven an account.",
        [EVENT_PLAYER_REQUEST_SPAWN] = "The player asks for its first spawn. Refused, it may ask again after "
                                       "a second.",
        [EVENT_PLAYER_REQUEST_RESPAWN] = "The player, who is dead, asks for its next life. Refused, it may "
                                         "ask again after a second.",
        [EVENT_PLAYER_SPAWN] = "The first frame of a life has come.",
        [EVENT_PLAYER_DEATH] = "The player has died. `killer` is nil if nobody killed it.",
        [EVENT_PLAYER_DISCONNECT] = "The player has left. `reason` is \"quit\", \"timeout\", \"kicked\", "
                                    "\"banned\" or \"server\".",
        [EVENT_PLAYER_SCOPE] = "The player is in another virtual world or interior. Raised on the shard that "
                               "has it now.",
        [EVENT_PLAYER_CHAT] = "The player has typed a line. Not refused, it goes to all players of the "
                              "cluster.",
        [EVENT_PLAYER_COMMAND] = "The player has typed a command: `/give 31 500` is \"give\" and \"31 500\". "
                                 "A handler that has carried it out returns false; if none does, the player "
                                 "is told that the command is unknown.",
        [EVENT_PLAYER_MOVEMENT_VIOLATION] = "The player's frame was `distance` metres away from its last "
                                            "position: farther than anybody moves.",
        [EVENT_VEHICLE_START_ENTER] = "The player wants to take a seat. `jacked` is whom it would pull out.",
        [EVENT_VEHICLE_JACK] = "The player is about to pull the driver out.",
        [EVENT_PLAYER_ENTER_VEHICLE] = "The player sits in the vehicle.",
        [EVENT_PLAYER_EXIT_VEHICLE] = "The player has left its seat.",
        [EVENT_VEHICLE_SYNCER] = "Another client tells how the vehicle moves while nobody drives it, or none "
                                 "does.",
        [EVENT_VEHICLE_DEATH] = "The vehicle has become a wreck. `cause` is \"explosion\" or \"water\".",
        [EVENT_VEHICLE_CONTROL] = "The player switches something. `control` is \"engine\" or \"lights\".",
        [EVENT_TRAILER_ATTACH] = "A trailer is about to be hooked up.",
        [EVENT_TRAILER_DETACH] = "A trailer has come off.",
        [EVENT_WINCH_ATTACH] = "A helicopter's winch is about to take the vehicle.",
        [EVENT_WINCH_DETACH] = "A helicopter's winch has let the vehicle go.",
        [EVENT_PLAYER_REMOTE_ENTER] = "The player is about to steer the vehicle by remote control.",
        [EVENT_PLAYER_REMOTE_EXIT] = "The player steers the vehicle no more. `reason` is \"exit\" or "
                                     "\"range\".",
    };
    /* clang-format on */

    return abouts[event];
}

/* ---- what is written by hand ---- */

/* clang-format off */
static const char preface[] =
    "<!-- Written by `make docs` from the tables in shard/script/ and shard/event.h. Do not edit. -->\n"
    "# Gamemodes\n"
    "\n"
    "A gamemode is one or more resources: folders with a `main.lua`, in Lua 5.4. Each runs on every shard, "
    "in a Lua state of\n"
    "its own, and sees the players and vehicles that live there. [deploy/resources/](../deploy/resources) "
    "has some to learn\n"
    "from. `dlmpctl resource reload NAME` puts an edited one in the place of the old one on all shards, or "
    "says what is wrong\n"
    "with it.\n"
    "\n"
    "```lua\n"
    "dlmp.on(\"player_command\", function(player, command, arguments)\n"
    "    if command ~= \"v\" then return end\n"
    "    local x, y, z = player:position()\n"
    "    local vehicle, why = dlmp.create_vehicle{model = arguments, x = x + 3, y = y, z = z}\n"
    "    player:message(vehicle and \"There it is.\" or why)\n"
    "    return false -- taken\n"
    "end)\n"
    "```\n"
    "\n"
    "## How functions answer\n"
    "\n"
    "- A function that succeeds returns `true`, or what is named after the arrow.\n"
    "- A value that is out of place is refused with `nil, \"message\"`: a number that is NaN, infinite, out "
    "of its range or not\n"
    "  whole where a whole one is meant, a text that is too long or not what it must be, a player who has "
    "left, a vehicle that\n"
    "  is gone. Nothing has happened then.\n"
    "- A wrong Lua type, an argument that is missing, and a field that the function does not know raise an "
    "error that names\n"
    "  them. As usual in Lua, a string that reads as a number will do as one, and a number as a string; a "
    "boolean must be one.\n"
    "- Arguments in `[brackets]` may be left out or nil. `name{…}` is called with a table of the fields "
    "listed; such a table is\n"
    "  read without its metamethods.\n"
    "- Metres, degrees, milliseconds, m/s and rad/s. Headings count counter-clockwise from north. Colors are "
    "whole numbers\n"
    "  0xRRGGBBAA.\n"
    "\n"
    "## Running them\n"
    "\n"
    "`dlmpctl up --resources DIR --resource NAME` starts the resource in `DIR/NAME/` on every "
    "shard of a cluster "
    "on this\n"
    "machine; `--resource` may be given several times, and their order is that of their handlers. A server "
    "program has the\n"
    "same as settings: see `dlmp-shard --example-config`. What resources log and `print`, and "
    "their errors with "
    "the place, are\n"
    "in the shard's log as `resource_said` and `resource_call_failed`.\n"
    "\n"
    "There is Lua's library without `debug`, `package`, `dofile`, `loadfile`, finalizers (`__gc`) and what "
    "reaches beyond\n"
    "the resource. `require \"a.b\"` loads `a/b.lua` of the resource's folder; `io.open` and `io.lines` open "
    "files of that\n"
    "folder alone, 16 at a time. Of `os` there are `clock`, `date`, `difftime` and `time`.\n"
    "\n"
    "What a resource may use, unless the shard's settings say otherwise: 64 MiB of memory, 1 MiB "
    "for one string, "
    "256 KiB for\n"
    "a file of Lua; 200 ms for a call, 250 ms of each second, and 600 ms of it together with the "
    "others; 4096 "
    "timers, 1024\n"
    "handlers. A call that goes on is stopped with an error that `pcall` does not catch. A "
    "resource that hangs "
    "its shard all\n"
    "the same is not started again with it, until its name is taken out of the file that the shard's log "
    "names.\n";

static const char events_preface[] =
    "\n## Events\n"
    "\n"
    "`dlmp.on(event, handler)` listens. Handlers run in the order in which they were added. Where \"may be "
    "refused\" stands, the\n"
    "first handler that returns `false` refuses, and the rest is not asked; any other answer counts as none. "
    "A handler may do\n"
    "anything at once: destroy the vehicle, kick the player.\n";
/* clang-format on */

/* ---- functions ---- */

static bool takes_one_table(const struct api_function *function)
{
    return api_parameters_count(function->parameters) == 1 && function->parameters[0].kind == API_TABLE;
}

static void write_signature(FILE *out, const struct api_function *function)
{
    int count = api_parameters_count(function->parameters);

    (void)fprintf(out, "\n### `%s", function->name);
    if (takes_one_table(function)) {
        (void)fprintf(out, "{…}%s`", function->parameters[0].optional ? " or (nil)" : "");
    } else {
        (void)fputc('(', out);
        for (int i = 0; i < count; i++) {
            const struct api_parameter *parameter = &function->parameters[i];
            const char *open = parameter->optional ? "[" : "";
            const char *close = parameter->optional ? "]" : "";

            (void)fprintf(out, "%s%s%s%s", i > 0 ? ", " : "", open,
                          parameter->kind == API_MORE ? "…" : parameter->name, close);
        }
        (void)fputs(")`", out);
    }
    (void)fprintf(out, " → %s\n\n%s", function->returns, function->about);
    if (function->refusals != NULL)
        (void)fprintf(out, " Refused: %s.", function->refusals);
    (void)fputc('\n', out);
}

static void write_range(FILE *out, const struct api_parameter *parameter)
{
    if (parameter->min < parameter->max)
        (void)fprintf(out, "%.15g to %.15g", parameter->min, parameter->max);
    else
        (void)fprintf(out, "%.15g", parameter->min);
}

static void write_kind(FILE *out, const struct api_parameter *parameter)
{
    char words[API_WORDS_SIZE];

    switch (parameter->kind) {
    case API_INTEGER:
    case API_NUMBER:
        (void)fputs(parameter->kind == API_INTEGER ? "whole number, " : "number, ", out);
        write_range(out, parameter);
        if (parameter->unit != NULL)
            (void)fprintf(out, " %s", parameter->unit);
        break;
    case API_TEXT:
        (void)fputs("string, ", out);
        write_range(out, parameter);
        (void)fputs(" bytes", out);
        if (parameter->is_text != NULL)
            (void)fprintf(out, ", %s", api_text_rule(parameter->is_text));
        break;
    case API_WORD:
        api_write_words(parameter->words, words, sizeof words);
        (void)fputs(words, out);
        break;
    case API_LIST:
        (void)fputs("list of ", out);
        write_range(out, parameter);
        (void)fputs(", each a ", out);
        write_kind(out, &parameter->fields[0]);
        break;
    case API_PAIRS:
        (void)fputs("table with ", out);
        write_range(out, parameter);
        (void)fprintf(out, " entries: by %s (", parameter->fields[0].name);
        write_kind(out, &parameter->fields[0]);
        (void)fprintf(out, ") the %s (", parameter->fields[1].name);
        write_kind(out, &parameter->fields[1]);
        (void)fputc(')', out);
        break;
    case API_ANY:
        (void)fputs("any value", out);
        break;
    default:
        (void)fputs(api_kind_name(parameter->kind), out);
    }
}

static void write_preset(FILE *out, const struct api_parameter *parameter)
{
    if (!parameter->optional || parameter->kind == API_TABLE)
        return;
    if (parameter->otherwise != NULL)
        (void)fprintf(out, "; left out: %s", parameter->otherwise);
    else if (parameter->kind == API_BOOLEAN)
        (void)fprintf(out, "; %s if left out", parameter->preset != 0 ? "true" : "false");
    else if (parameter->kind == API_INTEGER || parameter->kind == API_NUMBER)
        (void)fprintf(out, "; %.15g if left out", parameter->preset);
    else
        (void)fputs("; may be left out", out);
}

static void write_parameters(FILE *out, const struct api_parameter *parameters, int count, const char *indent)
{
    for (int i = 0; i < count; i++) {
        const struct api_parameter *parameter = &parameters[i];

        (void)fprintf(out, "%s- `%s`: ", indent, parameter->kind == API_MORE ? "…" : parameter->name);
        write_kind(out, parameter);
        write_preset(out, parameter);
        (void)fputc('\n', out);
        if (parameter->kind == API_TABLE)
            write_parameters(out, parameter->fields, api_fields_count(parameter->fields), "  ");
    }
}

static void write_function(FILE *out, const struct api_function *function)
{
    const struct api_parameter *parameters = function->parameters;

    write_signature(out, function);
    if (takes_one_table(function)) {
        (void)fputc('\n', out);
        write_parameters(out, parameters[0].fields, api_fields_count(parameters[0].fields), "");
    } else if (parameters[0].kind != API_NONE) {
        (void)fputc('\n', out);
        write_parameters(out, parameters, api_parameters_count(parameters), "");
    }
}

/* ---- events ---- */

/* "vehicle:vehicle jacked:player?" as "`vehicle`, `jacked` (player or nil)". */
static void write_arguments(FILE *out, const char *arguments)
{
    bool first = true;

    while (*arguments != '\0') {
        size_t size = strcspn(arguments, " ");
        size_t name = strcspn(arguments, ":");
        size_t kind = size - name - 1;
        bool may_be_nil = arguments[size - 1] == '?';

        (void)fprintf(out, "%s`%.*s` (%.*s%s)", first ? "" : ", ", (int)name, arguments,
                      (int)(may_be_nil ? kind - 1 : kind), arguments + name + 1, may_be_nil ? " or nil" : "");
        first = false;
        arguments += size + (arguments[size] == ' ' ? 1 : 0);
    }
}

static void write_event(FILE *out, enum event event)
{
    const struct event_info *info = event_info(event);

    (void)fprintf(out, "\n### `%s`%s\n\n%s", info->name, info->refusable ? ", may be refused" : "",
                  api_event_about(event));
    if (info->arguments[0] != '\0') {
        (void)fputs(" Arguments: ", out);
        write_arguments(out, info->arguments);
        (void)fputc('.', out);
    }
    (void)fputc('\n', out);
}

void api_docs_write(FILE *out)
{
    (void)fputs(preface, out);
    for (size_t n = 0; n < api_nouns_count; n++) {
        const struct api_noun *noun = api_nouns[n];

        (void)fprintf(out, "\n## %s\n\n%s\n", noun->title, noun->about);
        for (size_t i = 0; i < noun->count; i++)
            write_function(out, &noun->functions[i]);
    }
    (void)fputs(events_preface, out);
    for (enum event event = 0; event < EVENT_COUNT; event++)
        write_event(out, event);
}
