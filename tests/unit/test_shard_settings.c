#include "shard/settings.h"

#include <math.h>
#include <string.h>

#include "shard/sky.h"
#include "tests/unit/shard_stage.h"
#include "tests/unit/suites.h"

static struct stage *stage;
static const char resource[] = "freeroam";
static const double ten = 10;

static void setup(void)
{
    stage = stage_new(NULL, 0);
}

static void teardown(void)
{
    stage_free(stage);
}

static enum reason set_clip(double clip)
{
    enum reason reason = settings_set_weapon_property(stage->shard, resource, 24, 1, 3, &clip);

    stage_pump(stage);
    return reason;
}

static struct wire_weapon_properties take_record(struct stage_client *client)
{
    const struct stage_packet *packet = stage_take(client, PACKET_WEAPON_PROPERTIES);
    struct wire_weapon_properties record;
    struct wire_error error;

    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__CRITICAL);
    ck_assert(wire_weapon_properties_decode(&record, packet->bytes, packet->size, &error));
    return record;
}

static struct wire_set_time take_time(struct stage_client *client)
{
    const struct stage_packet *packet = stage_take(client, PACKET_SET_TIME);
    struct wire_set_time time;
    struct wire_error error;

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_set_time_decode(&time, packet->bytes, packet->size, &error));
    return time;
}

static struct wire_run_clock take_clock(struct stage_client *client)
{
    const struct stage_packet *packet = stage_take(client, PACKET_RUN_CLOCK);
    struct wire_run_clock clock;
    struct wire_error error;

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_run_clock_decode(&clock, packet->bytes, packet->size, &error));
    return clock;
}

static struct wire_set_weather take_weather(struct stage_client *client)
{
    const struct stage_packet *packet = stage_take(client, PACKET_SET_WEATHER);
    struct wire_set_weather weather;
    struct wire_error error;

    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_set_weather_decode(&weather, packet->bytes, packet->size, &error));
    return weather;
}

/* ---- a new connection */

START_TEST(a_new_connection_gets_weapons_multipliers_clock_and_weather_and_then_the_list)
{
    struct stage_client *client;

    set_clip(10);
    ck_assert_int_eq(settings_set_damage_multiplier(stage->shard, resource, 51, 2), REASON_NONE);
    stage_pump(stage);
    stage_listed(stage, 9, 1009, "nine");
    client = stage_join(stage, 1, 0, 0);
    ck_assert_uint_lt(stage_order(client, PACKET_WEAPON_PROPERTIES),
                      stage_order(client, PACKET_DAMAGE_MULTIPLIERS));
    ck_assert_uint_lt(stage_order(client, PACKET_DAMAGE_MULTIPLIERS), stage_order(client, PACKET_RUN_CLOCK));
    ck_assert_uint_lt(stage_order(client, PACKET_RUN_CLOCK), stage_order(client, PACKET_SET_TIME));
    ck_assert_uint_lt(stage_order(client, PACKET_SET_TIME), stage_order(client, PACKET_SET_WEATHER));
    ck_assert_uint_lt(stage_order(client, PACKET_SET_WEATHER), stage_order(client, PACKET_PLAYER_LIST_ENTRY));
}
END_TEST

START_TEST(a_new_connection_gets_nothing_that_is_as_in_the_game)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    ck_assert_uint_eq(stage_count(client, PACKET_WEAPON_PROPERTIES), 0);
    ck_assert_uint_eq(stage_count(client, PACKET_DAMAGE_MULTIPLIERS), 0);
    ck_assert_uint_eq(stage_count(client, PACKET_DRIVE_BY_INTERVALS), 0);
    ck_assert_uint_eq(client->received, STAGE_GREETING);
    ck_assert_uint_eq(take_clock(client).minute_ms, 1000);
    ck_assert_uint_eq(take_time(client).hour, 12);
    ck_assert_uint_eq(take_weather(client).weather, 0);
}
END_TEST

START_TEST(all_records_of_a_revision_count_down_to_the_last)
{
    const double one = 1;
    struct stage_client *client;

    for (size_t record = 0; record < GAME_RECORDS; record++) {
        uint8_t weapon;
        uint8_t tier;

        game_record_name(record, &weapon, &tier);
        ck_assert_int_eq(settings_set_weapon_property(stage->shard, resource, weapon, tier, 3, &one),
                         REASON_NONE);
        stage_pump(stage);
    }
    client = stage_join(stage, 1, 0, 0);
    for (int following = GAME_RECORDS - 1; following >= 0; following--) {
        struct wire_weapon_properties record = take_record(client);

        ck_assert_uint_eq(record.following, (unsigned)following);
        ck_assert_uint_eq(record.rev, GAME_RECORDS);
        ck_assert_uint_eq(record.mask, 1U << 3);
    }
}
END_TEST

START_TEST(a_revision_without_a_record_has_a_carrier)
{
    struct stage_client *client;
    struct wire_weapon_properties record;

    set_clip(10);
    ck_assert_int_eq(settings_set_weapon_property(stage->shard, resource, 24, 1, 3, NULL), REASON_NONE);
    stage_pump(stage);
    client = stage_join(stage, 1, 0, 0);
    record = take_record(client);
    ck_assert_uint_eq(record.weapon, 22);
    ck_assert_uint_eq(record.skill, 1);
    ck_assert_uint_eq(record.mask, 0);
    ck_assert_uint_eq(record.rev, 2);
    ck_assert_uint_eq(record.following, 0);
}
END_TEST

/* A join whose ServerHello had these intervals. */
static struct stage_client *join_with(uint32_t *driveby_ms, size_t count)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__Scope scope = BUS__SCOPE__INIT;
    Bus__Spawn spawn = BUS__SPAWN__INIT;
    Bus__PlayerJoin join = BUS__PLAYER_JOIN__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char name[] = "somebody";
    uint8_t address[16] = { 0 };

    stage_forget(stage);
    client->token += 1000;
    client->item = 1;
    client->received = 0;
    client->acked = 0;
    player.id = client->id;
    player.token = client->token;
    spawn.scope = &scope;
    join.player = &player;
    join.fence = client->fence;
    join.number = 1;
    join.name = name;
    join.spawn = &spawn;
    join.driveby_ms = driveby_ms;
    join.n_driveby_ms = count;
    join.address = (ProtobufCBinaryData){ .data = address, .len = sizeof address };
    item.item_case = BUS__ITEM__ITEM_PLAYER_JOIN;
    item.player_join = &join;
    stage_item(stage, (uint16_t)(STAGE_PEER_GATEWAY + client->gateway), &item);
    return client;
}

START_TEST(intervals_that_changed_since_the_hello_are_sent)
{
    uint32_t same[GAME_DRIVEBY_COUNT] = { [6] = 100 };
    uint32_t other[GAME_DRIVEBY_COUNT] = { [6] = 101 };

    ck_assert_int_eq(settings_set_driveby_interval(stage->shard, resource, 28, 100), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(join_with(same, GAME_DRIVEBY_COUNT), PACKET_DRIVE_BY_INTERVALS), 0);
    ck_assert_uint_eq(stage_count(join_with(other, GAME_DRIVEBY_COUNT), PACKET_DRIVE_BY_INTERVALS), 1);
    ck_assert_uint_eq(stage_count(join_with(NULL, 0), PACKET_DRIVE_BY_INTERVALS), 1);
}
END_TEST

START_TEST(a_join_with_another_number_of_intervals_is_malformed)
{
    uint32_t intervals[GAME_DRIVEBY_COUNT] = { 0 };

    ck_assert(join_with(intervals, GAME_DRIVEBY_COUNT - 1)->kicked);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 1);
}
END_TEST

/* ---- changes */

START_TEST(a_change_goes_to_everybody_when_the_coordinator_has_told_it)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct wire_weapon_properties record;

    stage->grants = false;
    ck_assert_int_eq(set_clip(10), REASON_NONE);
    ck_assert_uint_eq(stage_count(client, PACKET_WEAPON_PROPERTIES), 0);
    ck_assert_str_eq(stage_asked(stage, BUS__ITEM__ITEM_GAME_ASK)->game_ask->resource, resource);
    stage->grants = true;
    ck_assert_int_eq(set_clip(11), REASON_NONE);
    record = take_record(client);
    ck_assert_uint_eq(record.weapon, 24);
    ck_assert_uint_eq(record.skill, 1);
    ck_assert(record.values[3] == 11);
    ck_assert_uint_eq(record.rev, 1);
    ck_assert_uint_eq(record.following, 0);
}
END_TEST

START_TEST(the_same_value_again_asks_for_nothing)
{
    uint32_t asked;

    set_clip(10);
    asked = stage->asked_count;
    ck_assert_int_eq(set_clip(10), REASON_NONE);
    ck_assert_uint_eq(stage->asked_count, asked);
}
END_TEST

START_TEST(a_value_out_of_its_bounds_is_refused_at_once)
{
    ck_assert_int_eq(set_clip(1001), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(set_clip(NAN), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(settings_set_damage_multiplier(stage->shard, resource, 24, 1), REASON_NO_WEAPON);
    ck_assert_int_eq(settings_set_driveby_interval(stage->shard, resource, 28, 29), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(settings_set_time(stage->shard, resource, 24, 0, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(settings_set_time(stage->shard, resource, 0, 60, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(settings_set_time(stage->shard, resource, 0, 0, 60), REASON_OUT_OF_BOUNDS);
    ck_assert_uint_eq(stage->asked_count, 0);
}
END_TEST

/* Two changes of a pair in one handler: the second is checked against the first. */
START_TEST(what_was_asked_counts_for_what_is_asked_next)
{
    const double half = 0.5;
    const double less = 0.4;

    stage->grants = false;
    ck_assert_int_eq(settings_set_weapon_property(stage->shard, resource, 24, 1, 4, &half), REASON_NONE);
    ck_assert_int_eq(settings_set_weapon_property(stage->shard, resource, 24, 1, 5, &less),
                     REASON_LOOP_BACKWARDS);
    stage_pump(stage);
}
END_TEST

START_TEST(what_was_refused_counts_no_more)
{
    const double half = 0.5;
    const double less = 0.4;

    stage->grants = false;
    ck_assert_int_eq(settings_set_weapon_property(stage->shard, resource, 24, 1, 4, &half), REASON_NONE);
    stage_pump(stage);
    stage_game_answer(stage, stage_asked(stage, BUS__ITEM__ITEM_GAME_ASK)->game_ask->request, true);
    ck_assert_int_eq(settings_set_weapon_property(stage->shard, resource, 24, 1, 5, &less), REASON_NONE);
    stage_pump(stage);
}
END_TEST

START_TEST(what_may_be_asked_at_once_has_an_end)
{
    enum reason reason = REASON_NONE;
    int asked = 0;

    stage->grants = false;
    while (reason == REASON_NONE && asked <= SETTINGS_ASKS_MAX) {
        reason = settings_set_time(stage->shard, resource, 1, 2, 3);
        stage_pump(stage);
        asked += reason == REASON_NONE;
    }
    ck_assert_int_eq(reason, REASON_TABLE_FULL);
    ck_assert_int_eq(asked, SETTINGS_ASKS_MAX);
}
END_TEST

START_TEST(multipliers_go_to_everybody_as_a_whole_table)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    const struct stage_packet *packet;
    struct wire_damage_multipliers table;
    struct wire_error error;

    ck_assert_int_eq(settings_set_damage_multiplier(stage->shard, resource, 46, 0), REASON_NONE);
    stage_pump(stage);
    packet = stage_take(client, PACKET_DAMAGE_MULTIPLIERS);
    ck_assert_ptr_nonnull(packet);
    ck_assert_int_eq(packet->delivery, BUS__SEND__CLASS__CRITICAL);
    ck_assert(wire_damage_multipliers_decode(&table, packet->bytes, packet->size, &error));
    ck_assert(table.multipliers[16] == 0);
    ck_assert(table.multipliers[15] == 1);
}
END_TEST

START_TEST(intervals_go_to_everybody)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    ck_assert_int_eq(settings_set_driveby_interval(stage->shard, resource, 28, 100), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(stage_count(client, PACKET_DRIVE_BY_INTERVALS), 1);
}
END_TEST

START_TEST(jacking_is_as_configured_until_a_gamemode_says)
{
    ck_assert(settings_jacking(stage->shard));
    ck_assert_int_eq(settings_set_jacking(stage->shard, resource, false), REASON_NONE);
    stage_pump(stage);
    ck_assert(!settings_jacking(stage->shard));
}
END_TEST

START_TEST(a_weapon_is_allowed_until_a_gamemode_says)
{
    ck_assert(settings_weapon_is_allowed(stage->shard, 38));
    ck_assert_int_eq(settings_set_weapon_allowed(stage->shard, resource, 38, false), REASON_NONE);
    stage_pump(stage);
    ck_assert(!settings_weapon_is_allowed(stage->shard, 38));
    ck_assert(settings_weapon_is_allowed(stage->shard, 37));
}
END_TEST

/* ---- updates */

START_TEST(an_older_or_malformed_update_changes_nothing)
{
    Bus__GameChange change = BUS__GAME_CHANGE__INIT;
    Bus__GameChange *changes[] = { &change };
    Bus__GameUpdate update = BUS__GAME_UPDATE__INIT;
    Bus__GameTeam team = BUS__GAME_TEAM__INIT;
    Bus__GameTeam *teams[] = { &team };
    char bad[] = "Not a resource";

    update.changes = changes;
    update.n_changes = 1;
    change.kind = GAME_JACKING;
    stage->game_revision = 0; /* the next one is the revision that the shard has */
    stage_game_update(stage, &update);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_STALE), 1);
    change.value = NAN;
    stage_game_update(stage, &update);
    change.kind = GAME_KINDS;
    change.value = 0;
    stage_game_update(stage, &update);
    change.kind = GAME_MULTIPLIER;
    change.value = 11;
    stage_game_update(stage, &update);
    change.kind = GAME_JACKING;
    team.resource = bad;
    update.teams = teams;
    update.n_teams = 1;
    stage_game_update(stage, &update);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_MALFORMED), 4);
    ck_assert(settings_jacking(stage->shard));
}
END_TEST

START_TEST(everything_anew_tells_only_what_differs)
{
    struct stage_client *client;
    Bus__GameUpdate update = BUS__GAME_UPDATE__INIT;
    struct wire_weapon_properties record;

    set_clip(10);
    ck_assert_int_eq(settings_set_damage_multiplier(stage->shard, resource, 51, 2), REASON_NONE);
    stage_pump(stage);
    client = stage_join(stage, 1, 0, 0);
    stage_forget(stage);
    update.whole = true;
    update.weapon_revision = UINT16_MAX + 7;
    stage_game_update(stage, &update);
    record = take_record(client);
    ck_assert_uint_eq(record.weapon, 24);
    ck_assert_uint_eq(record.mask, 0);
    ck_assert_uint_eq(record.rev, 6); /* the wire has the lower half */
    ck_assert_uint_eq(stage_count(client, PACKET_DAMAGE_MULTIPLIERS), 1);
    ck_assert_uint_eq(stage_count(client, PACKET_SET_WEATHER), 0);
    stage_forget(stage);
    stage_game_update(stage, &update);
    ck_assert_uint_eq(client->log_count, 0);
}
END_TEST

/* It had been out of reach, and has seen nothing change. */
START_TEST(everything_may_come_again_under_the_same_revision)
{
    Bus__GameUpdate update = BUS__GAME_UPDATE__INIT;

    stage_coordinator_down(stage);
    stage_coordinator_up(stage);
    update.whole = true;
    stage->game_revision--;
    stage_game_update(stage, &update);
    ck_assert_int_eq(set_clip(10), REASON_NONE);
    ck_assert_uint_eq(stage->shard->settings.now.weapon_revision, 1);
}
END_TEST

START_TEST(what_is_asked_while_there_is_no_coordinator_is_asked_of_the_next)
{
    Bus__GameUpdate update = BUS__GAME_UPDATE__INIT;

    stage_coordinator_down(stage);
    ck_assert_int_eq(set_clip(10), REASON_NONE);
    stage_coordinator_up(stage);
    ck_assert_uint_eq(stage->shard->settings.now.weapon_revision, 0);
    update.whole = true;
    stage_game_update(stage, &update);
    ck_assert_uint_eq(stage->shard->settings.now.weapon_revision, 1);
    ck_assert_uint_eq(stage->shard->settings.asks.count, 0);
}
END_TEST

START_TEST(an_answer_to_nothing_is_stale)
{
    stage_game_answer(stage, 1, false);
    set_clip(10);
    stage_game_answer(stage, 1, false);
    stage_game_answer(stage, 2, false);
    ck_assert_uint_eq(stage_reason(stage, REASON_BUS_STALE), 3);
}
END_TEST

/* ---- clock and weather */

START_TEST(a_set_time_goes_to_everybody_without_the_clock)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct wire_set_time time;

    stage_forget(stage);
    ck_assert_int_eq(settings_set_time(stage->shard, resource, 23, 59, 58), REASON_NONE);
    stage_pump(stage);
    time = take_time(client);
    ck_assert_uint_eq(time.hour, 23);
    ck_assert_uint_eq(time.minute, 59);
    ck_assert_uint_eq(time.second, 58);
    ck_assert_uint_eq(stage_count(client, PACKET_RUN_CLOCK), 0);
}
END_TEST

START_TEST(a_changed_clock_goes_before_its_time)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    stage_forget(stage);
    ck_assert_int_eq(settings_set_clock(stage->shard, resource, NULL), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_lt(stage_order(client, PACKET_RUN_CLOCK), stage_order(client, PACKET_SET_TIME));
    ck_assert_uint_eq(take_clock(client).running, 0);
}
END_TEST

START_TEST(the_time_comes_again_every_5_minutes_while_the_clock_runs)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);

    stage_run(stage, 1000);
    stage_forget(stage);
    stage_run(stage, SKY_TIME_AGAIN_MS - 1100);
    ck_assert_uint_eq(stage_count(client, PACKET_SET_TIME), 0);
    stage_run(stage, 200);
    ck_assert_uint_eq(stage_count(client, PACKET_SET_TIME), 1);
    ck_assert_int_eq(settings_set_clock(stage->shard, resource, NULL), REASON_NONE);
    stage_pump(stage);
    stage_forget(stage);
    stage_run(stage, SKY_TIME_AGAIN_MS + 1000);
    ck_assert_uint_eq(stage_count(client, PACKET_SET_TIME), 0);
}
END_TEST

START_TEST(the_time_does_not_come_again_to_a_lane_with_64_unacked_events)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct player *player = stage_player(stage, client);

    stage_run(stage, 1000);
    stage_forget(stage);
    client->silent = true;
    player->lane.sent += SKY_TIME_UNACKED_MAX;
    stage_run(stage, SKY_TIME_AGAIN_MS + 1000);
    ck_assert_uint_eq(stage_count(client, PACKET_SET_TIME), 0);
    player->lane.sent -= 1;
    stage_run(stage, 200);
    ck_assert_uint_eq(stage_count(client, PACKET_SET_TIME), 1);
    player->lane.sent -= SKY_TIME_UNACKED_MAX - 1;
}
END_TEST

START_TEST(a_player_has_a_time_of_its_own_standing_still_until_it_is_taken_back)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct player *player = stage_player(stage, client);
    struct wire_set_time time;

    stage_forget(stage);
    ck_assert_int_eq(player_set_time(stage->shard, player, 24, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(player_set_time(stage->shard, player, 23, 60), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(player_set_time(stage->shard, player, 3, 4), REASON_NONE);
    ck_assert_int_eq(settings_set_time(stage->shard, resource, 20, 0, 0), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(take_clock(client).running, 0);
    time = take_time(client);
    ck_assert_uint_eq(time.hour, 3);
    ck_assert_uint_eq(time.minute, 4);
    ck_assert_uint_eq(stage_count(client, PACKET_SET_TIME), 0);
    player_clear_time(stage->shard, player);
    stage_pump(stage);
    ck_assert_uint_eq(take_clock(client).minute_ms, 1000);
    ck_assert_uint_eq(take_time(client).hour, 20);
}
END_TEST

START_TEST(weather_goes_to_everybody_whole_and_to_newcomers_at_once)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct wire_set_weather weather;

    stage_forget(stage);
    ck_assert_int_eq(settings_set_weather_value(stage->shard, resource, 4, &ten), REASON_NONE);
    ck_assert_int_eq(settings_set_weather(stage->shard, resource, 8, 5000), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(take_weather(client).mask, 1U << 4);
    weather = take_weather(client);
    ck_assert_uint_eq(weather.weather, 8);
    ck_assert_uint_eq(weather.blend_ms, 5000);
    ck_assert(weather.values[4] == 10);
    weather = take_weather(stage_join(stage, 2, 0, 0));
    ck_assert_uint_eq(weather.weather, 8);
    ck_assert_uint_eq(weather.blend_ms, 0);
}
END_TEST

START_TEST(a_player_has_a_weather_of_its_own_with_no_values)
{
    struct stage_client *client = stage_join(stage, 1, 0, 0);
    struct player *player = stage_player(stage, client);
    struct wire_set_weather weather;

    ck_assert_int_eq(settings_set_weather_value(stage->shard, resource, 4, &ten), REASON_NONE);
    stage_pump(stage);
    stage_forget(stage);
    ck_assert_int_eq(player_set_weather(stage->shard, player, 46, 0), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(player_set_weather(stage->shard, player, 1, 600001), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(player_set_weather(stage->shard, player, 45, 600000), REASON_NONE);
    ck_assert_int_eq(settings_set_weather(stage->shard, resource, 8, 0), REASON_NONE);
    stage_pump(stage);
    weather = take_weather(client);
    ck_assert_uint_eq(weather.weather, 45);
    ck_assert_uint_eq(weather.mask, 0);
    ck_assert_uint_eq(stage_count(client, PACKET_SET_WEATHER), 0);
    ck_assert_int_eq(player_clear_weather(stage->shard, player, 600001), REASON_OUT_OF_BOUNDS);
    ck_assert_int_eq(player_clear_weather(stage->shard, player, 7), REASON_NONE);
    stage_pump(stage);
    weather = take_weather(client);
    ck_assert_uint_eq(weather.weather, 8);
    ck_assert_uint_eq(weather.blend_ms, 7);
    ck_assert_uint_eq(weather.mask, 1U << 4);
}
END_TEST

static int64_t hours[48];
static size_t hours_count;

static bool on_hour(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    (void)context;
    ck_assert_int_eq(event, EVENT_CLOCK_HOUR);
    ck_assert_uint_eq(count, 1);
    hours[hours_count++] = arguments[0].integer;
    return true;
}

START_TEST(each_full_hour_of_the_clock_is_told_once)
{
    const struct event_hooks hooks = { .raise = on_hour };

    hours_count = 0;
    shard_set_hooks(stage->shard, &hooks);
    event_listen(stage->shard, EVENT_CLOCK_HOUR, true);
    ck_assert_int_eq(settings_set_time(stage->shard, resource, 22, 59, 59), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(hours_count, 0);
    stage_run(stage, 2 * 60 * 1000 + 1000);
    ck_assert_uint_eq(hours_count, 3);
    ck_assert_int_eq(hours[0], 23);
    ck_assert_int_eq(hours[1], 0);
    ck_assert_int_eq(hours[2], 1);
}
END_TEST

Suite *shard_settings_suite(void)
{
    Suite *suite = suite_create("shard_settings");
    TCase *tcase = tcase_create("settings");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_new_connection_gets_weapons_multipliers_clock_and_weather_and_then_the_list);
    tcase_add_test(tcase, a_new_connection_gets_nothing_that_is_as_in_the_game);
    tcase_add_test(tcase, all_records_of_a_revision_count_down_to_the_last);
    tcase_add_test(tcase, a_revision_without_a_record_has_a_carrier);
    tcase_add_test(tcase, intervals_that_changed_since_the_hello_are_sent);
    tcase_add_test(tcase, a_join_with_another_number_of_intervals_is_malformed);
    tcase_add_test(tcase, a_change_goes_to_everybody_when_the_coordinator_has_told_it);
    tcase_add_test(tcase, the_same_value_again_asks_for_nothing);
    tcase_add_test(tcase, a_value_out_of_its_bounds_is_refused_at_once);
    tcase_add_test(tcase, what_was_asked_counts_for_what_is_asked_next);
    tcase_add_test(tcase, what_was_refused_counts_no_more);
    tcase_add_test(tcase, what_may_be_asked_at_once_has_an_end);
    tcase_add_test(tcase, multipliers_go_to_everybody_as_a_whole_table);
    tcase_add_test(tcase, intervals_go_to_everybody);
    tcase_add_test(tcase, jacking_is_as_configured_until_a_gamemode_says);
    tcase_add_test(tcase, a_weapon_is_allowed_until_a_gamemode_says);
    tcase_add_test(tcase, an_older_or_malformed_update_changes_nothing);
    tcase_add_test(tcase, everything_anew_tells_only_what_differs);
    tcase_add_test(tcase, everything_may_come_again_under_the_same_revision);
    tcase_add_test(tcase, what_is_asked_while_there_is_no_coordinator_is_asked_of_the_next);
    tcase_add_test(tcase, an_answer_to_nothing_is_stale);
    tcase_add_test(tcase, a_set_time_goes_to_everybody_without_the_clock);
    tcase_add_test(tcase, a_changed_clock_goes_before_its_time);
    tcase_add_test(tcase, the_time_comes_again_every_5_minutes_while_the_clock_runs);
    tcase_add_test(tcase, the_time_does_not_come_again_to_a_lane_with_64_unacked_events);
    tcase_add_test(tcase, a_player_has_a_time_of_its_own_standing_still_until_it_is_taken_back);
    tcase_add_test(tcase, weather_goes_to_everybody_whole_and_to_newcomers_at_once);
    tcase_add_test(tcase, a_player_has_a_weather_of_its_own_with_no_values);
    tcase_add_test(tcase, each_full_hour_of_the_clock_is_told_once);
    suite_add_tcase(suite, tcase);
    return suite;
}
