#include <math.h>
#include <string.h>

#include "coordinator/record.h"
#include "coordinator/state.h"
#include "tests/unit/coordinator_hall.h"
#include "tests/unit/suites.h"

static struct hall hall;
static uint64_t request;

static char resource[] = "freeroam";
static char nobody[] = "Not a resource";

static void setup(void)
{
    hall_start(&hall);
    request = 0;
}

static void teardown(void)
{
    hall_stop(&hall);
}

/* ---- asking ---- */

static void ask_for(uint16_t peer, char *who, const struct game_change *change)
{
    Bus__GameChange message = BUS__GAME_CHANGE__INIT;
    Bus__GameAsk ask = BUS__GAME_ASK__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    message.kind = change->kind;
    message.weapon = change->weapon;
    message.tier = change->tier;
    message.index = change->index;
    message.unset = change->unset;
    message.value = change->value;
    message.blend_ms = change->blend_ms;
    ask.request = ++request;
    ask.resource = who;
    ask.change = &message;
    item.item_case = BUS__ITEM__ITEM_GAME_ASK;
    item.game_ask = &ask;
    hall_item(&hall, peer, &item);
}

static void ask(struct game_change change)
{
    ask_for(HALL_SHARD_1, resource, &change);
}

static void ask_clip(double clip)
{
    ask((struct game_change){ .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 3, .value = clip });
}

static void ask_team(char *name, bool makes, bool friendly_fire_off)
{
    Bus__GameTeam team = BUS__GAME_TEAM__INIT;
    Bus__GameAsk message = BUS__GAME_ASK__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    team.resource = resource;
    team.name = name;
    team.friendly_fire_off = friendly_fire_off;
    message.request = ++request;
    message.resource = resource;
    message.team = &team;
    message.makes = makes;
    item.item_case = BUS__ITEM__ITEM_GAME_ASK;
    item.game_ask = &message;
    hall_item(&hall, HALL_SHARD_1, &item);
}

static const Bus__GameUpdate *update_at(uint16_t peer)
{
    const Bus__Item *item = hall_last(&hall, peer, BUS__ITEM__ITEM_GAME_UPDATE);

    return item == NULL ? NULL : item->game_update;
}

static const Bus__GameAnswer *last_answer(void)
{
    const Bus__Item *item = hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_GAME_ANSWER);

    return item == NULL ? NULL : item->game_answer;
}

static uint64_t drops(enum reason reason)
{
    return coordinator_stats(hall.coordinator)->drops[reason];
}

/* Whether the update sets a property to the value. */
static bool has_clip(const Bus__GameUpdate *update, double clip)
{
    for (size_t i = 0; i < update->n_changes; i++) {
        const Bus__GameChange *change = update->changes[i];

        if (change->kind == GAME_PROPERTY && change->weapon == 24 && change->index == 3)
            return change->value == clip;
    }
    return false;
}

/* ---- changes ---- */

START_TEST(a_change_is_numbered_and_told_to_all_shards_and_gateways)
{
    static const uint16_t peers[] = { HALL_GATEWAY_1, HALL_GATEWAY_2, HALL_SHARD_1, HALL_SHARD_2 };
    uint64_t revision;

    ask_clip(10);
    revision = update_at(HALL_SHARD_1)->revision;
    ck_assert_uint_gt(revision, 0);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(update_at(peers[i])->revision, revision);
        ck_assert(!update_at(peers[i])->whole);
        ck_assert_uint_eq(update_at(peers[i])->weapon_revision, 1);
        ck_assert(has_clip(update_at(peers[i]), 10));
    }
    ck_assert_uint_eq(last_answer()->request, 1);
    ck_assert(!last_answer()->refused);
    ask_clip(11);
    ck_assert_uint_gt(update_at(HALL_SHARD_1)->revision, revision);
    ck_assert_uint_eq(update_at(HALL_SHARD_1)->weapon_revision, 2);
}
END_TEST

START_TEST(all_hear_of_changes_of_two_shards_in_one_order)
{
    const struct outbox *outbox;
    uint64_t orders[2][2] = { { 0 } };
    size_t counts[2] = { 0 };

    ask_for(HALL_SHARD_1, resource, &(struct game_change){ .kind = GAME_WEATHER, .value = 3 });
    ask_for(HALL_SHARD_2, resource, &(struct game_change){ .kind = GAME_WEATHER, .value = 4 });
    outbox = coordinator_outbox(hall.coordinator);
    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];
        size_t which = entry->peer == HALL_SHARD_1 ? 0 : 1;

        if ((entry->peer == HALL_SHARD_1 || entry->peer == HALL_GATEWAY_2) &&
            entry->item->item_case == BUS__ITEM__ITEM_GAME_UPDATE)
            orders[which][counts[which]++] = entry->item->game_update->revision;
    }
    ck_assert_uint_eq(counts[0], 2);
    ck_assert_uint_eq(counts[1], 2);
    ck_assert_mem_eq(orders[0], orders[1], sizeof orders[0]);
    ck_assert_uint_lt(orders[0][0], orders[0][1]);
}
END_TEST

START_TEST(what_changes_nothing_is_answered_and_told_to_nobody)
{
    ask_clip(10);
    hall_forget(&hall);
    ask_clip(10);
    ck_assert_ptr_null(update_at(HALL_SHARD_1));
    ck_assert(!last_answer()->refused);
}
END_TEST

START_TEST(a_change_out_of_its_bounds_is_refused_with_its_reason)
{
    ask_clip(1001);
    ck_assert_ptr_null(update_at(HALL_SHARD_1));
    ck_assert(last_answer()->refused);
    ck_assert_uint_eq(drops(REASON_OUT_OF_BOUNDS), 1);
}
END_TEST

START_TEST(malformed_asks_are_dropped)
{
    Bus__GameAsk empty = BUS__GAME_ASK__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    ask_for(HALL_SHARD_1, nobody, &(struct game_change){ .kind = GAME_WEATHER, .value = 3 });
    ask((struct game_change){ .kind = GAME_NONE });
    ask((struct game_change){ .kind = GAME_KINDS });
    ask((struct game_change){ .kind = GAME_WEATHER, .value = NAN });
    item.item_case = BUS__ITEM__ITEM_GAME_ASK;
    item.game_ask = &empty;
    hall_item(&hall, HALL_SHARD_1, &item);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 5);
    ck_assert_ptr_null(last_answer());
    hall_item(&hall, HALL_GATEWAY_1, &item);
    ck_assert_uint_eq(drops(REASON_BUS_FORBIDDEN), 1);
}
END_TEST

START_TEST(who_comes_up_is_told_all_settings_before_the_players)
{
    const struct outbox *outbox;
    size_t settings_at = SIZE_MAX;
    size_t map_at = SIZE_MAX;

    hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    ask_clip(10);
    ask((struct game_change){ .kind = GAME_JACKING, .value = 0 });
    ask_team((char *)"Police", true, false);
    hall_forget(&hall);
    hall_shard_up(&hall, 13, "shard-3", 113);
    ck_assert(update_at(13)->whole);
    ck_assert(has_clip(update_at(13), 10));
    ck_assert_uint_eq(update_at(13)->n_teams, 1);
    ck_assert_str_eq(update_at(13)->teams[0]->name, "Police");
    ck_assert_uint_eq(update_at(13)->teams[0]->id, 1);
    outbox = coordinator_outbox(hall.coordinator);
    for (size_t i = 0; i < outbox->count; i++) {
        if (outbox->entries[i].peer == 13 &&
            outbox->entries[i].item->item_case == BUS__ITEM__ITEM_GAME_UPDATE)
            settings_at = i;
        if (outbox->entries[i].peer == 13 && outbox->entries[i].item->item_case == BUS__ITEM__ITEM_MAP &&
            map_at == SIZE_MAX)
            map_at = i;
    }
    ck_assert_uint_lt(settings_at, map_at);
}
END_TEST

START_TEST(the_clock_is_told_as_it_is_now)
{
    ask((struct game_change){ .kind = GAME_TIME, .value = 1000 });
    hall_pass(&hall, 3000);
    hall_shard_up(&hall, 13, "shard-3", 113);
    for (size_t i = 0; i < update_at(13)->n_changes; i++) {
        if (update_at(13)->changes[i]->kind == GAME_TIME)
            ck_assert_uint_eq((uint64_t)update_at(13)->changes[i]->value, 1000 + 3000 * 60);
    }
}
END_TEST

START_TEST(nothing_is_changed_before_redis_has_been_heard)
{
    hall_stop(&hall);
    hall_start_alone(&hall);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
    ask_clip(10);
    ck_assert_uint_eq(drops(REASON_BUS_STALE), 1);
    hall_redis_up(&hall);
    ck_assert(update_at(HALL_SHARD_1)->whole);
    ask_clip(10);
    ck_assert(!last_answer()->refused);
}
END_TEST

START_TEST(without_numbers_nothing_changes)
{
    hall.redis.is_slow = true;
    hall.coordinator->counters[STORAGE_REVISIONS].now.next =
        hall.coordinator->counters[STORAGE_REVISIONS].now.end;
    hall.coordinator->counters[STORAGE_REVISIONS].then = (struct counter_range){ 0 };
    ask_clip(10);
    ck_assert(last_answer()->refused);
    ck_assert_uint_eq(hall.coordinator->game.settings.weapon_revision, 0);
    ck_assert_uint_eq(drops(REASON_TABLE_FULL), 1);
}
END_TEST

/* ---- teams ---- */

START_TEST(a_team_is_made_once_however_many_shards_ask)
{
    ask_team((char *)"Police", true, false);
    ck_assert_uint_eq(update_at(HALL_SHARD_2)->teams[0]->id, 1);
    hall_forget(&hall);
    ask_team((char *)"Police", true, false);
    ck_assert_ptr_null(update_at(HALL_SHARD_2));
    ck_assert(!last_answer()->refused);
    ask_team((char *)"Thieves", true, false);
    ck_assert_uint_eq(update_at(HALL_SHARD_2)->teams[0]->id, 2);
}
END_TEST

START_TEST(making_a_team_that_is_there_leaves_its_friendly_fire_as_it_is)
{
    ask_team((char *)"Police", true, false);
    ask_team((char *)"Police", false, true);
    ck_assert(update_at(HALL_SHARD_2)->teams[0]->friendly_fire_off);
    ck_assert_uint_eq(update_at(HALL_SHARD_2)->relation_revision, 1);
    hall_forget(&hall);
    ask_team((char *)"Police", true, false);
    ck_assert_ptr_null(update_at(HALL_SHARD_2));
    ask_team((char *)"Police", false, false);
    ck_assert(!update_at(HALL_SHARD_2)->teams[0]->friendly_fire_off);
    ck_assert_uint_eq(update_at(HALL_SHARD_2)->relation_revision, 2);
}
END_TEST

START_TEST(the_table_of_teams_has_an_end)
{
    char name[16];

    for (int i = 0; i < GAME_TEAMS_MAX; i++) {
        (void)snprintf(name, sizeof name, "team %d", i);
        ask_team(name, true, false);
        ck_assert(!last_answer()->refused);
        hall_forget(&hall);
    }
    ask_team((char *)"one more", true, false);
    ck_assert(last_answer()->refused);
    ck_assert_uint_eq(drops(REASON_TABLE_FULL), 1);
}
END_TEST

/* ---- Redis ---- */

START_TEST(a_change_is_stored_with_its_revision)
{
    ask_clip(10);
    ck_assert_double_eq(hall_stored_game(&hall, "property 24 std clip")->change.value, 10);
    ck_assert_uint_eq(hall_stored_game(&hall, "revision")->number, update_at(HALL_SHARD_1)->revision);
    ck_assert_uint_eq(hall_stored_game(&hall, "weapon_revision")->number, 1);
}
END_TEST

static void restart_with_shard(void)
{
    hall_restart(&hall);
    hall_redis_up(&hall);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 111);
}

START_TEST(settings_survive_a_restart_under_a_higher_revision)
{
    uint64_t revision;

    ask_clip(10);
    ask((struct game_change){ .kind = GAME_WEATHER, .value = 8, .blend_ms = 1000 });
    ask((struct game_change){ .kind = GAME_ALLOWED, .weapon = 38, .value = 0 });
    ask_team((char *)"Police", true, false);
    ask_team((char *)"Police", false, true);
    revision = update_at(HALL_SHARD_1)->revision;
    restart_with_shard();
    ck_assert_uint_gt(update_at(HALL_SHARD_1)->revision, revision);
    ck_assert_uint_eq(update_at(HALL_SHARD_1)->weapon_revision, 1);
    ck_assert_uint_eq(update_at(HALL_SHARD_1)->relation_revision, 1);
    ck_assert(has_clip(update_at(HALL_SHARD_1), 10));
    ck_assert_uint_eq(update_at(HALL_SHARD_1)->teams[0]->id, 1);
    ck_assert(update_at(HALL_SHARD_1)->teams[0]->friendly_fire_off);
    ck_assert_uint_eq(hall.coordinator->game.settings.weather.type, 8);
    ck_assert(hall.coordinator->game.settings.disallowed == UINT64_C(1) << 38);
    ask_team((char *)"Thieves", true, false);
    ck_assert_uint_eq(update_at(HALL_SHARD_1)->teams[0]->id, 2);
}
END_TEST

START_TEST(the_clock_goes_on_over_a_restart)
{
    struct stored_game *time;

    ask((struct game_change){ .kind = GAME_TIME, .value = 1000 });
    ask((struct game_change){ .kind = GAME_CLOCK, .value = 60 * 1000 });
    time = (struct stored_game *)hall_stored_game(&hall, "time");
    time->age_ms = 5 * 60 * 1000; /* as Redis' record says by the wall clock */
    restart_with_shard();
    ck_assert_uint_eq(game_time_ms(&hall.coordinator->game.settings, hall.now_ms), 1000 + 5 * 60 * 1000);
}
END_TEST

START_TEST(changes_go_on_while_redis_is_away_and_are_written_at_once_when_it_is_back)
{
    ask_clip(10);
    hall_redis_down(&hall);
    ask_clip(12);
    ask((struct game_change){ .kind = GAME_MULTIPLIER, .weapon = 51, .value = 2 });
    ask((struct game_change){ .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 3, .unset = true });
    ck_assert(!last_answer()->refused);
    memset(hall.redis.commands, 0, sizeof hall.redis.commands);
    hall_redis_up(&hall);
    ck_assert_uint_eq(hall.redis.commands[STORAGE_GAME], 1);
    ck_assert_double_eq(hall_stored_game(&hall, "multiplier 51")->change.value, 2);
    ck_assert_ptr_null(hall_stored_game(&hall, "property 24 std clip"));
    ck_assert_uint_eq(hall_stored_game(&hall, "weapon_revision")->number, 3);
    hall_redis_down(&hall);
    hall_redis_up(&hall);
    ck_assert_uint_eq(hall.redis.commands[STORAGE_GAME], 1); /* what is alike is not written again */
}
END_TEST

START_TEST(stored_values_out_of_their_bounds_are_left_out)
{
    ask_clip(10);
    ask((struct game_change){ .kind = GAME_MULTIPLIER, .weapon = 51, .value = 2 });
    ((struct stored_game *)hall_stored_game(&hall, "multiplier 51"))->change.value = 11;
    restart_with_shard();
    ck_assert(has_clip(update_at(HALL_SHARD_1), 10));
    ck_assert(hall.coordinator->game.settings.multipliers[game_class_of(51)] == 1);
    ck_assert_uint_eq(coordinator_stats(hall.coordinator)->store_unreadable, 1);
}
END_TEST

static void report(uint64_t revision, uint32_t weapon_revision, uint32_t relation_revision)
{
    Bus__ShardState state = BUS__SHARD_STATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    state.bus_endpoint = resource;
    state.highest_revision = revision;
    state.weapon_revision = weapon_revision;
    state.relation_revision = relation_revision;
    item.item_case = BUS__ITEM__ITEM_SHARD_STATE;
    item.shard_state = &state;
    hall_item(&hall, HALL_SHARD_1, &item);
}

START_TEST(a_redis_that_has_lost_count_sets_no_revision_back)
{
    uint64_t high = UINT64_C(1) << 40;

    hall_forget(&hall);
    report(high, 0, 0);
    ck_assert_uint_gt(update_at(HALL_SHARD_1)->revision, high);
    ck_assert(update_at(HALL_GATEWAY_1)->whole);
    ck_assert_uint_gt(hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_SETTINGS)->settings->revision, high);
    hall_forget(&hall);
    report(high, 0, 0);
    ck_assert_ptr_null(update_at(HALL_SHARD_1));
}
END_TEST

START_TEST(a_revision_of_weapons_that_a_shard_has_seen_is_gone_past)
{
    hall_forget(&hall);
    report(0, UINT32_MAX / 4, 70);
    ck_assert_uint_eq(update_at(HALL_SHARD_2)->weapon_revision, UINT32_MAX / 4 + 1);
    ck_assert_uint_eq(update_at(HALL_SHARD_2)->relation_revision, 70);
}
END_TEST

START_TEST(relation_revisions_compare_across_their_wrap)
{
    hall.coordinator->game.relation_revision = UINT32_MAX - 1;
    report(0, 0, UINT32_MAX / 2);
    ck_assert_uint_eq(hall.coordinator->game.relation_revision, UINT32_MAX - 1);
    report(0, 0, 3);
    ck_assert_uint_eq(hall.coordinator->game.relation_revision, 3);
}
END_TEST

/* ---- events ---- */

static void event(const Bus__Cause *cause, const char *name, size_t size)
{
    static uint8_t bytes[GAME_EVENT_SIZE_MAX + 1];
    Bus__ScriptEvent message = BUS__SCRIPT_EVENT__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char copy[GAME_EVENT_NAME_MAX + 2];

    (void)snprintf(copy, sizeof copy, "%s", name);
    message.resource = resource;
    message.name = copy;
    message.arguments = (ProtobufCBinaryData){ size, bytes };
    message.cause = (Bus__Cause *)cause;
    item.item_case = BUS__ITEM__ITEM_SCRIPT_EVENT;
    item.script_event = &message;
    hall_item(&hall, HALL_SHARD_1, &item);
}

START_TEST(an_event_goes_to_every_shard_the_origin_too_and_to_no_gateway)
{
    event(NULL, "round_over", 3);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_SCRIPT_EVENT), 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_SCRIPT_EVENT), 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_SCRIPT_EVENT), 0);
    ck_assert_str_eq(hall_last(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_SCRIPT_EVENT)->script_event->name,
                     "round_over");
}
END_TEST

START_TEST(an_event_has_8_kib_and_no_more)
{
    event(NULL, "a", GAME_EVENT_SIZE_MAX);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_SCRIPT_EVENT), 1);
    event(NULL, "a", GAME_EVENT_SIZE_MAX + 1);
    event(NULL, "", 1);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_SCRIPT_EVENT), 1);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 2);
}
END_TEST

static Bus__Cause cause_of(Bus__Player *player, struct member_ref ref, uint64_t number, uint32_t index)
{
    Bus__Cause cause = BUS__CAUSE__INIT;

    bus__player__init(player);
    player->id = ref.id;
    player->token = ref.token;
    cause.player = player;
    cause.number = number;
    cause.index = index;
    return cause;
}

START_TEST(what_an_item_asked_for_is_not_done_again_when_it_is_replayed)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    static const struct {
        uint64_t number;
        uint32_t index;
        bool is_done;
    } asks[] = { { 5, 1, true },  { 5, 2, true }, { 5, 1, false }, { 5, 2, false },
                 { 4, 9, false }, { 5, 3, true }, { 6, 1, true } };
    size_t done = 0;

    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        Bus__Player player;
        Bus__Cause cause = cause_of(&player, a, asks[i].number, asks[i].index);

        event(&cause, "a", 0);
        done += asks[i].is_done;
        ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_SCRIPT_EVENT), done);
    }
    ck_assert_uint_eq(drops(REASON_ITEM_REPEATED), 3);
}
END_TEST

START_TEST(a_chat_line_is_not_told_twice)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    Bus__Player player;
    Bus__Cause cause = cause_of(&player, a, 7, 1);
    Bus__Broadcast line = BUS__BROADCAST__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    uint8_t packet[8] = { 0 };

    line.packet = (ProtobufCBinaryData){ sizeof packet, packet };
    line.cause = &cause;
    item.item_case = BUS__ITEM__ITEM_BROADCAST;
    item.broadcast = &line;
    hall_item(&hall, HALL_SHARD_1, &item);
    hall_item(&hall, HALL_SHARD_1, &item);
    ck_assert_uint_eq(hall_count(&hall, HALL_SHARD_2, BUS__ITEM__ITEM_BROADCAST), 1);
}
END_TEST

/* ---- storage of resources ---- */

static Bus__KvAsk kv_ask(Bus__KvAsk__Op op, const char *key)
{
    Bus__KvAsk message = BUS__KV_ASK__INIT;

    message.request = ++request;
    message.resource = resource;
    message.op = op;
    message.key = (ProtobufCBinaryData){ strlen(key), (uint8_t *)key };
    return message;
}

static void send_kv(Bus__KvAsk *message)
{
    Bus__Item item = BUS__ITEM__INIT;

    item.item_case = BUS__ITEM__ITEM_KV_ASK;
    item.kv_ask = message;
    hall_item(&hall, HALL_SHARD_1, &item);
}

static const Bus__KvAnswer *kv_answer(void)
{
    const Bus__Item *item = hall_last(&hall, HALL_SHARD_1, BUS__ITEM__ITEM_KV_ANSWER);

    return item == NULL ? NULL : item->kv_answer;
}

static const Bus__KvAnswer *kv(Bus__KvAsk__Op op, const char *key, Bus__KvValue *value)
{
    Bus__KvAsk message = kv_ask(op, key);

    message.value = value;
    send_kv(&message);
    ck_assert_ptr_nonnull(kv_answer());
    ck_assert_uint_eq(kv_answer()->request, request);
    return kv_answer();
}

static Bus__KvValue number_of(int64_t number)
{
    Bus__KvValue value = BUS__KV_VALUE__INIT;

    value.value_case = BUS__KV_VALUE__VALUE_NUMBER;
    value.number = number;
    return value;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): what the bus' structs point to is not const */
static Bus__KvValue bytes_of(uint8_t *bytes, size_t size)
{
    Bus__KvValue value = BUS__KV_VALUE__INIT;

    value.value_case = BUS__KV_VALUE__VALUE_BYTES;
    value.bytes = (ProtobufCBinaryData){ size, bytes };
    return value;
}

START_TEST(what_is_set_can_be_got_and_deleted)
{
    uint8_t text[] = { 'a', 0, 'b' };
    Bus__KvValue value = bytes_of(text, sizeof text);

    ck_assert(kv(BUS__KV_ASK__OP__OP_GET, "k", NULL)->ok);
    ck_assert_ptr_null(kv_answer()->value);
    ck_assert(kv(BUS__KV_ASK__OP__OP_SET, "k", &value)->ok);
    ck_assert(kv(BUS__KV_ASK__OP__OP_GET, "k", NULL)->ok);
    ck_assert_uint_eq(kv_answer()->value->bytes.len, sizeof text);
    ck_assert_mem_eq(kv_answer()->value->bytes.data, text, sizeof text);
    ck_assert(kv(BUS__KV_ASK__OP__OP_DEL, "k", NULL)->ok);
    ck_assert_ptr_null(kv(BUS__KV_ASK__OP__OP_GET, "k", NULL)->value);
}
END_TEST

START_TEST(a_number_is_added_to_and_a_text_is_not)
{
    uint8_t text[] = "a";
    Bus__KvValue five = number_of(5);
    Bus__KvValue less = number_of(-7);
    Bus__KvValue bytes = bytes_of(text, 1);

    ck_assert_int_eq(kv(BUS__KV_ASK__OP__OP_INCR, "n", &five)->value->number, 5);
    ck_assert_int_eq(kv(BUS__KV_ASK__OP__OP_INCR, "n", &less)->value->number, -2);
    ck_assert(kv(BUS__KV_ASK__OP__OP_SET, "n", &bytes)->ok);
    ck_assert(!kv(BUS__KV_ASK__OP__OP_INCR, "n", &five)->ok);
    ck_assert_ptr_null(kv_answer()->value);
    ck_assert_str_eq(coordinator_store_error(hall.coordinator), "");
}
END_TEST

START_TEST(while_redis_is_away_the_answer_is_that_it_could_not_be_done)
{
    hall_redis_down(&hall);
    ck_assert(!kv(BUS__KV_ASK__OP__OP_GET, "k", NULL)->ok);
}
END_TEST

START_TEST(what_was_under_way_when_redis_went_is_answered)
{
    Bus__KvAsk message = kv_ask(BUS__KV_ASK__OP__OP_GET, "k");

    hall.redis.is_slow = true;
    send_kv(&message);
    ck_assert_ptr_null(kv_answer());
    hall_redis_down(&hall);
    ck_assert(!kv_answer()->ok);
    ck_assert_uint_eq(hall.coordinator->kv.asks.count, 0);
}
END_TEST

START_TEST(a_shard_that_started_anew_is_not_told_what_its_former_life_asked)
{
    Bus__KvAsk message = kv_ask(BUS__KV_ASK__OP__OP_GET, "k");

    hall.redis.is_slow = true;
    send_kv(&message);
    hall_down(&hall, HALL_SHARD_1);
    hall_shard_up(&hall, HALL_SHARD_1, "shard-1", 999);
    hall.redis.is_slow = false;
    hall_pump(&hall);
    ck_assert_ptr_null(kv_answer());
    ck_assert_uint_eq(hall.coordinator->kv.asks.count, 0);
}
END_TEST

START_TEST(the_table_of_asks_has_an_end)
{
    hall.redis.is_slow = true;
    for (int i = 0; i < KV_WAITING_MAX; i++) {
        Bus__KvAsk message = kv_ask(BUS__KV_ASK__OP__OP_GET, "k");

        send_kv(&message);
    }
    ck_assert_ptr_null(kv_answer());
    ck_assert(!kv(BUS__KV_ASK__OP__OP_GET, "k", NULL)->ok);
    ck_assert_uint_eq(drops(REASON_TABLE_FULL), 1);
}
END_TEST

START_TEST(malformed_asks_for_storage_are_dropped)
{
    static uint8_t large[GAME_KV_VALUE_MAX + 1];
    Bus__KvValue number = number_of(1);
    Bus__KvValue none = BUS__KV_VALUE__INIT;
    Bus__KvValue whole = bytes_of(large, GAME_KV_VALUE_MAX + 1);
    Bus__KvAsk asks[] = {
        kv_ask(BUS__KV_ASK__OP__OP_NONE, "k"), kv_ask(BUS__KV_ASK__OP__OP_GET, ""),
        kv_ask(BUS__KV_ASK__OP__OP_GET, "k"),  kv_ask(BUS__KV_ASK__OP__OP_SET, "k"),
        kv_ask(BUS__KV_ASK__OP__OP_SET, "k"),  kv_ask(BUS__KV_ASK__OP__OP_SET, "k"),
        kv_ask(BUS__KV_ASK__OP__OP_INCR, "k"), kv_ask(BUS__KV_ASK__OP__OP_GET, "k"),
        kv_ask(BUS__KV_ASK__OP__OP_GET, "k"),  kv_ask(BUS__KV_ASK__OP__OP_GET, "k"),
    };
    size_t count = sizeof asks / sizeof asks[0];

    asks[2].value = &number;
    asks[4].value = &none;
    asks[5].value = &whole;
    asks[6].value = &whole;
    asks[7].resource = nobody;
    asks[8].request = 0;
    asks[9].key = (ProtobufCBinaryData){ GAME_KV_KEY_MAX + 1, large };
    for (size_t i = 0; i < count; i++)
        send_kv(&asks[i]);
    ck_assert_ptr_null(kv_answer());
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), count);
}
END_TEST

START_TEST(a_replayed_item_adds_nothing_and_is_told_what_it_has_become)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "a", "10.0.0.1");
    Bus__KvValue five = number_of(5);
    Bus__Player player;
    Bus__Cause cause = cause_of(&player, a, 7, 1);

    for (int i = 0; i < 2; i++) {
        Bus__KvAsk message = kv_ask(BUS__KV_ASK__OP__OP_INCR, "n");

        message.value = &five;
        message.cause = &cause;
        send_kv(&message);
        ck_assert_int_eq(kv_answer()->value->number, 5);
    }
}
END_TEST

/* ---- bans ---- */

static void ban(uint16_t peer, struct member_ref ref, const char *text, uint64_t seconds)
{
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__Ban message = BUS__BAN__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char copy[256];

    (void)snprintf(copy, sizeof copy, "%s", text);
    player.id = ref.id;
    player.token = ref.token;
    message.player = &player;
    message.resource = resource;
    message.text = copy;
    message.seconds = seconds;
    item.item_case = BUS__ITEM__ITEM_BAN;
    item.ban = &message;
    hall_item(&hall, peer, &item);
}

START_TEST(a_ban_of_a_script_is_of_address_name_and_account)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "Alice", "10.0.0.1"); /* on shard-1 */
    const Bus__Kick *kick;

    hall_ticket(&hall, HALL_GATEWAY_1, a, 1, 17);
    ban(HALL_SHARD_1, a, "Cheating.", 60);
    kick = hall_last(&hall, HALL_GATEWAY_1, BUS__ITEM__ITEM_KICK)->kick;
    ck_assert_uint_eq(kick->player->token, a.token);
    ck_assert_uint_eq(kick->reason, LEFT_BANNED);
    ck_assert_str_eq(kick->text, "Cheating.");
    ck_assert_uint_eq(hall.redis.bans_count[STORAGE_BANNED], 3);
    hall_leave(&hall, HALL_GATEWAY_1, a, LEFT_BANNED);
}
END_TEST

START_TEST(who_was_banned_for_a_while_comes_in_again_after_it)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "Alice", "10.0.0.1");
    Bus__JoinRequest by_name;
    Bus__JoinRequest by_address;

    ban(HALL_SHARD_1, a, "", 60);
    hall_leave(&hall, HALL_GATEWAY_1, a, LEFT_BANNED);
    by_name = hall_request(&hall, "alice", "10.9.9.9");
    ck_assert_uint_eq(hall_try(&hall, HALL_GATEWAY_1, &by_name)->reject, JOIN_BANNED);
    by_address = hall_request(&hall, "bob", "10.0.0.1");
    ck_assert_uint_eq(hall_try(&hall, HALL_GATEWAY_1, &by_address)->reject, JOIN_BANNED);
    hall_pass(&hall, 60 * 1000);
    hall_join(&hall, HALL_GATEWAY_1, "Alice", "10.0.0.1");
}
END_TEST

START_TEST(a_ban_by_a_shard_that_has_not_the_player_or_malformed_is_dropped)
{
    struct member_ref a = hall_join(&hall, HALL_GATEWAY_1, "Alice", "10.0.0.1");
    char text[BAN_TEXT_SIZE + 1];

    ban(HALL_SHARD_2, a, "", 0);
    ck_assert_uint_eq(drops(REASON_BUS_FORBIDDEN), 1);
    ban(HALL_SHARD_1, (struct member_ref){ a.id, a.token + 1 }, "", 0);
    ck_assert_uint_eq(drops(REASON_BUS_STALE), 1);
    ban(HALL_SHARD_1, a, "a\nb", 0);
    ban(HALL_SHARD_1, a, "", GAME_BAN_SECONDS_MAX + 1);
    memset(text, 'a', sizeof text);
    text[BAN_TEXT_SIZE] = '\0';
    ban(HALL_SHARD_1, a, text, 0);
    ck_assert_uint_eq(drops(REASON_BUS_MALFORMED), 3);
    ck_assert_uint_eq(hall.redis.bans_count[STORAGE_BANNED], 0);
    text[BAN_TEXT_SIZE - 1] = '\0';
    ban(HALL_SHARD_1, a, text, GAME_BAN_SECONDS_MAX);
    ck_assert_uint_eq(hall.redis.bans_count[STORAGE_BANNED], 2);
}
END_TEST

Suite *coordinator_game_suite(void)
{
    Suite *suite = suite_create("coordinator_game");
    TCase *tcase = tcase_create("game");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_change_is_numbered_and_told_to_all_shards_and_gateways);
    tcase_add_test(tcase, all_hear_of_changes_of_two_shards_in_one_order);
    tcase_add_test(tcase, what_changes_nothing_is_answered_and_told_to_nobody);
    tcase_add_test(tcase, a_change_out_of_its_bounds_is_refused_with_its_reason);
    tcase_add_test(tcase, malformed_asks_are_dropped);
    tcase_add_test(tcase, who_comes_up_is_told_all_settings_before_the_players);
    tcase_add_test(tcase, the_clock_is_told_as_it_is_now);
    tcase_add_test(tcase, nothing_is_changed_before_redis_has_been_heard);
    tcase_add_test(tcase, without_numbers_nothing_changes);
    tcase_add_test(tcase, a_team_is_made_once_however_many_shards_ask);
    tcase_add_test(tcase, making_a_team_that_is_there_leaves_its_friendly_fire_as_it_is);
    tcase_add_test(tcase, the_table_of_teams_has_an_end);
    tcase_add_test(tcase, a_change_is_stored_with_its_revision);
    tcase_add_test(tcase, settings_survive_a_restart_under_a_higher_revision);
    tcase_add_test(tcase, the_clock_goes_on_over_a_restart);
    tcase_add_test(tcase, changes_go_on_while_redis_is_away_and_are_written_at_once_when_it_is_back);
    tcase_add_test(tcase, stored_values_out_of_their_bounds_are_left_out);
    tcase_add_test(tcase, a_redis_that_has_lost_count_sets_no_revision_back);
    tcase_add_test(tcase, a_revision_of_weapons_that_a_shard_has_seen_is_gone_past);
    tcase_add_test(tcase, relation_revisions_compare_across_their_wrap);
    tcase_add_test(tcase, an_event_goes_to_every_shard_the_origin_too_and_to_no_gateway);
    tcase_add_test(tcase, an_event_has_8_kib_and_no_more);
    tcase_add_test(tcase, what_an_item_asked_for_is_not_done_again_when_it_is_replayed);
    tcase_add_test(tcase, a_chat_line_is_not_told_twice);
    tcase_add_test(tcase, what_is_set_can_be_got_and_deleted);
    tcase_add_test(tcase, a_number_is_added_to_and_a_text_is_not);
    tcase_add_test(tcase, while_redis_is_away_the_answer_is_that_it_could_not_be_done);
    tcase_add_test(tcase, what_was_under_way_when_redis_went_is_answered);
    tcase_add_test(tcase, a_shard_that_started_anew_is_not_told_what_its_former_life_asked);
    tcase_add_test(tcase, the_table_of_asks_has_an_end);
    tcase_add_test(tcase, malformed_asks_for_storage_are_dropped);
    tcase_add_test(tcase, a_replayed_item_adds_nothing_and_is_told_what_it_has_become);
    tcase_add_test(tcase, a_ban_of_a_script_is_of_address_name_and_account);
    tcase_add_test(tcase, who_was_banned_for_a_while_comes_in_again_after_it);
    tcase_add_test(tcase, a_ban_by_a_shard_that_has_not_the_player_or_malformed_is_dropped);
    suite_add_tcase(suite, tcase);
    return suite;
}
