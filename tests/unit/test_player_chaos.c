#include <string.h>

#include "common/random.h"
#include "shard/chat.h"
#include "shard/player_place.h"
#include "shard/player_set.h"
#include "shard/player_spawn.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

/* A gamemode that does anything in any handler, also in the middle of what it has caused itself. The stage
 * walks the world and every client's view after each step. */

enum { PLAYERS = 12, STEPS = 4000, DEPTH_MAX = 4 };

static struct stage *stage;
static struct rng rng;
static unsigned depth;
static uint64_t raised[EVENT_COUNT];

static uint32_t roll(uint32_t below)
{
    return (uint32_t)rng_below(&rng, below);
}

static struct scope some_scope(void)
{
    return (struct scope){ .virtual_world = roll(6), .interior = (uint8_t)roll(3) };
}

static struct place some_place(const struct player *player)
{
    struct place place = player->place;

    place.pos[0] = (float)roll(400);
    if (roll(2) == 0)
        place.scope = some_scope();
    return place;
}

static void do_something(void)
{
    static const uint8_t text[] = "so it goes";
    struct shard *shard = stage->shard;
    struct player *player = world_player_by_id(&shard->world, 1 + roll(PLAYERS));
    struct place place;
    struct spawn_info info;

    if (player == NULL)
        return;
    switch (roll(10)) {
    case 0:
        (void)player_spawn(shard, player);
        break;
    case 1:
        place = some_place(player);
        (void)player_teleport(shard, player, shard->now_ms, &place);
        break;
    case 2:
        (void)player_set_scope(shard, player, some_scope());
        break;
    case 3:
        (void)player_set_frozen(shard, player, roll(2) == 0);
        break;
    case 4:
        (void)player_set_skill(shard, player, 22 + roll(11), roll(1001));
        break;
    case 5:
        (void)player_set_skin(shard, player, roll(312));
        break;
    case 6:
        info = player_spawn_info(player);
        info.place = some_place(player);
        (void)player_set_spawn_info(shard, player, &info);
        break;
    case 7:
        (void)player_message(shard, player, (struct span){ text, sizeof text - 1 }, CHAT_WHITE);
        break;
    case 8:
        (void)player_set_headless(shard, player, roll(2) == 0);
        break;
    default:
        (void)player_set_wanted(shard, player, roll(7));
    }
}

static bool on_event(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    (void)context;
    (void)arguments;
    (void)count;
    raised[event]++;
    if (depth == DEPTH_MAX)
        return true;
    depth++;
    while (roll(3) == 0)
        do_something();
    depth--;
    return roll(8) != 0;
}

static void play(struct stage_client *client)
{
    struct vehicle *vehicle = stage_vehicle(stage, roll(2));

    switch (roll(12)) {
    case 0:
        stage_die(stage, client);
        break;
    case 1:
        stage_request_respawn(stage, client);
        break;
    case 2:
        stage_request_spawn(stage, client);
        break;
    case 3:
        stage_enter(stage, client, vehicle->id, (uint8_t)roll(2));
        break;
    case 4:
        stage_chat(stage, client, "hi");
        break;
    case 5:
        stage_command(stage, client, "do it");
        break;
    case 6:
        client->silent = roll(2) == 0;
        break;
    default:
        stage_walk(stage, client, client->pos[0] + (float)roll(40) - 20, client->pos[1]);
    }
}

static void leave(struct stage_client *client)
{
    uint32_t reason = roll(5);

    stage_gone_for(stage, client, reason);
    stage_left(stage, client->id, client->token, reason);
}

static void step(void)
{
    uint32_t id = 1 + roll(PLAYERS);
    struct stage_client *client = &stage->clients[id];

    if (!client->used)
        stage_join(stage, id, (float)roll(300), 0);
    else if (roll(60) == 0)
        leave(client);
    else
        play(client);
    if (roll(10) == 0)
        stage_run(stage, 50 + roll(400));
}

START_TEST(a_gamemode_may_do_anything_in_the_middle_of_anything)
{
    const struct shard_vehicle cars[] = { stage_car(411, 5, 0), stage_car(560, 100, 0) };
    const struct event_hooks hooks = { .raise = on_event };

    stage = stage_new(cars, 2);
    stage_map(stage, 2, 3, 1);
    rng_init_seeded(&rng, (uint64_t)_i + 1);
    memset(raised, 0, sizeof raised);
    shard_set_hooks(stage->shard, &hooks);
    for (enum event event = 0; event < EVENT_COUNT; event++)
        event_listen(stage->shard, event, true);
    for (int i = 0; i < STEPS; i++)
        step();
    for (enum event event = EVENT_PLAYER_REQUEST_SPAWN; event <= EVENT_PLAYER_COMMAND; event++)
        ck_assert_msg(raised[event] > 0, "%s", event_info(event)->name);
    ck_assert_uint_gt(raised[EVENT_SCOPE_START], 1);
    stage_free(stage);
}
END_TEST

Suite *player_chaos_suite(void)
{
    Suite *suite = suite_create("player_chaos");
    TCase *tcase = tcase_create("player_chaos");

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_gamemode_may_do_anything_in_the_middle_of_anything, 0, 8);
    return suite;
}
