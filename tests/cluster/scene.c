#include "tests/cluster/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct resident *anna;
struct resident *boris;

/* All cars are two-seaters, within 15 m of where everybody starts. */
static const char world[] = "spawns:\n"
                            "  - { x: 0, y: 0, z: 10 }\n"
                            "vehicles:\n"
                            "  - { model: 411, x: -8, y: 4, z: 10 }\n"
                            "  - { model: 411, x: -4, y: 4, z: 10 }\n"
                            "  - { model: 411, x: 0, y: 4, z: 10 }\n"
                            "  - { model: 411, x: 4, y: 4, z: 10 }\n"
                            "  - { model: 411, x: 8, y: 4, z: 10 }\n"
                            "  - { model: 411, x: -8, y: -4, z: 10 }\n"
                            "  - { model: 411, x: -4, y: -4, z: 10 }\n"
                            "  - { model: 411, x: 0, y: -4, z: 10 }\n"
                            "  - { model: 411, x: 4, y: -4, z: 10 }\n"
                            "  - { model: 411, x: 8, y: -4, z: 10 }\n"
                            "  - { model: 411, x: 0, y: 100, z: 10 }\n"
                            "  - { model: 525, x: 0, y: 8, z: 10 }\n"
                            "  - { model: 441, x: 0, y: -8, z: 10 }\n"
                            "  - { model: 537, x: 12, y: 0, z: 10 }\n";

static bool is_built;

static void build(void)
{
    static const char *const gamemodes[] = { "tests/cluster/resources/scenes", "tests/cluster/resources/hang",
                                             "deploy/resources/freeroam",      "deploy/resources/race",
                                             "deploy/resources/admin",         NULL };

    if (!is_built)
        town_build(world, gamemodes);
    is_built = true;
}

static void setup(void)
{
    anna = town_join("anna");
    boris = town_join("boris");
}

TCase *scene_case(void)
{
    TCase *tcase = tcase_create("scenarios");

    tcase_set_timeout(tcase, 30);
    tcase_add_unchecked_fixture(tcase, build, NULL);
    tcase_add_checked_fixture(tcase, setup, town_leave_all);
    return tcase;
}

struct resident *scene_join(const char *name, uint32_t vehicle_id)
{
    struct resident *resident = town_join(name);

    TOWN_UNTIL(town_vehicle(resident, vehicle_id) != NULL);
    return resident;
}

uint32_t scene_make(unsigned model, float x, float y)
{
    const char *made =
        scene_ask(anna, "dlmp.create_vehicle model=%u x=%g y=%g z=10", model, (double)x, (double)y);
    uint32_t id;

    ck_assert_msg(made[0] == 'v', "no vehicle of model %u: %s", model, made);
    id = (uint32_t)strtoul(made + 1, NULL, 10);
    TOWN_UNTIL(town_vehicle(anna, id) != NULL && town_vehicle(boris, id) != NULL);
    return id;
}

/* ---- the gamemode */

enum { COMMAND_SIZE = 256 };

static void type(struct resident *who, const char *line)
{
    ck_assert_uint_lt(strlen(line), COMMAND_SIZE - 1);
    ck_assert(client_command(&who->client, clock_ms(), line));
}

static __attribute__((format(printf, 2, 0))) const char *ask(struct resident *who, const char *format,
                                                             va_list arguments)
{
    char calls[COMMAND_SIZE];
    char line[COMMAND_SIZE + 3];
    const char *answer;
    size_t more = 0;

    (void)vsnprintf(calls, sizeof calls, format, arguments);
    (void)snprintf(line, sizeof line, "do %s", calls);
    type(who, line);
    for (const char *at = calls; (at = strchr(at, ';')) != NULL; at++)
        more++;
    do
        answer = town_read(who, "= ");
    while (more-- > 0);
    return strchr(answer + 2, ' ') + 1;
}

const char *scene_ask(struct resident *who, const char *calls, ...)
{
    va_list arguments;
    const char *answer;

    va_start(arguments, calls);
    answer = ask(who, calls, arguments);
    va_end(arguments);
    return answer;
}

void scene_do(struct resident *who, const char *calls, ...)
{
    va_list arguments;
    const char *answer;

    va_start(arguments, calls);
    answer = ask(who, calls, arguments);
    va_end(arguments);
    ck_assert_msg(strcmp(answer, "true") == 0, "%s: %s", calls, answer);
}

void scene_refused(struct resident *who, const char *calls, ...)
{
    va_list arguments;
    const char *answer;

    va_start(arguments, calls);
    answer = ask(who, calls, arguments);
    va_end(arguments);
    ck_assert_msg(strncmp(answer, "nil ", 4) == 0, "%s: %s", calls, answer);
}

void scene_tell(struct resident *who, const char *command, ...)
{
    char line[COMMAND_SIZE];
    va_list arguments;

    va_start(arguments, command);
    (void)vsnprintf(line, sizeof line, command, arguments);
    va_end(arguments);
    type(who, line);
    (void)town_read(who, "= ");
}

void scene_raised(struct resident *who, const char *event, ...)
{
    char line[COMMAND_SIZE] = "! ";
    va_list arguments;

    va_start(arguments, event);
    (void)vsnprintf(line + 2, sizeof line - 2, event, arguments);
    va_end(arguments);
    (void)town_read(who, line);
}

/* ---- the clients */

void scene_say(struct resident *who, const struct wire_packet *packet, const void *event)
{
    ck_assert(client_event(&who->client, clock_ms(), packet, event));
}

void scene_enter(struct resident *who, uint32_t vehicle_id, uint8_t seat)
{
    ck_assert(client_enter(&who->client, clock_ms(), vehicle_id, seat));
}

void scene_sit(struct resident *who, uint32_t vehicle_id, uint8_t seat)
{
    scene_enter(who, vehicle_id, seat);
    TOWN_UNTIL(town_sees_seated(anna, vehicle_id, seat, who) &&
               town_sees_seated(boris, vehicle_id, seat, who));
    town_forget();
}

void scene_drive(struct resident *driver, float x, float y)
{
    client_drive(&driver->client, (const float[3]){ x, y, 10 }, 0, 10, 0);
}

bool scene_sees_at(const struct resident *who, uint32_t vehicle_id, float x, float y)
{
    const struct view_vehicle *vehicle = town_vehicle(who, vehicle_id);

    return vehicle != NULL && vehicle->pos[0] == x && vehicle->pos[1] == y;
}

struct view_vehicle *scene_copy(struct resident *who, uint32_t vehicle_id)
{
    struct view_vehicle *copy = view_vehicle(&who->client.view, vehicle_id);

    ck_assert_ptr_nonnull(copy);
    return copy;
}

struct wire_vehicle_sync scene_take_show(struct resident *who, uint32_t vehicle_id)
{
    struct wire_vehicle_sync show;

    do
        show = town_take(who, PACKET_VEHICLE_SYNC)->vehicle_sync;
    while (show.vehicle_id != vehicle_id || show.active == 0);
    return show;
}

struct wire_vehicle_occupancy scene_take_seat(struct resident *who)
{
    return town_take(who, PACKET_VEHICLE_OCCUPANCY)->vehicle_occupancy;
}

struct wire_vehicle_params scene_take_params(struct resident *who, uint32_t vehicle_id)
{
    struct wire_vehicle_params params = town_take(who, PACKET_VEHICLE_PARAMS)->vehicle_params;

    ck_assert_uint_eq(params.vehicle_id, vehicle_id);
    return params;
}
