#include "proto/game.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/unit/suites.h"

static struct game_settings settings;

static void setup(void)
{
    game_init(&settings, 1000);
}

static enum reason apply_at(struct game_change change, uint64_t now_ms, bool *changed)
{
    return game_apply(&settings, &change, now_ms, changed);
}

static enum reason apply(struct game_change change)
{
    bool changed;

    return apply_at(change, 1000, &changed);
}

static enum reason property(uint32_t weapon, uint32_t tier, uint32_t index, double value)
{
    return apply((struct game_change){
        .kind = GAME_PROPERTY, .weapon = weapon, .tier = tier, .index = index, .value = value });
}

START_TEST(every_record_has_a_weapon_and_a_tier_of_its_own)
{
    for (size_t record = 0; record < GAME_RECORDS; record++) {
        uint8_t weapon;
        uint8_t tier;

        game_record_name(record, &weapon, &tier);
        ck_assert_uint_eq(game_record_of(weapon, tier), record);
    }
    ck_assert_uint_eq(game_record_of(21, 1), GAME_RECORDS);
    ck_assert_uint_eq(game_record_of(22, 3), GAME_RECORDS);
    ck_assert_uint_eq(game_record_of(33, 0), GAME_RECORDS);
    ck_assert_uint_eq(game_record_of(34, 2), GAME_RECORDS);
    ck_assert_uint_eq(game_record_of(35, 1), GAME_RECORDS);
    ck_assert_uint_eq(game_record_of(UINT32_MAX, 1), GAME_RECORDS);
}
END_TEST

/* Combat, DriveByIntervals: 0 or 30..=5000, weapons 22..=33. */
static const struct bound {
    struct game_change change;
    enum reason reason;
} bounds[] = {
    { { .kind = GAME_DRIVEBY, .weapon = 22, .value = 0 }, REASON_NONE },
    { { .kind = GAME_DRIVEBY, .weapon = 22, .value = 30 }, REASON_NONE },
    { { .kind = GAME_DRIVEBY, .weapon = 33, .value = 5000 }, REASON_NONE },
    { { .kind = GAME_DRIVEBY, .weapon = 22, .value = 29 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_DRIVEBY, .weapon = 22, .value = 5001 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_DRIVEBY, .weapon = 22, .value = 30.5 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_DRIVEBY, .weapon = 22, .value = -1 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_DRIVEBY, .weapon = 22, .value = NAN }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_DRIVEBY, .weapon = 21, .value = 30 }, REASON_NO_WEAPON },
    { { .kind = GAME_DRIVEBY, .weapon = 34, .value = 30 }, REASON_NO_WEAPON },
    { { .kind = GAME_DRIVEBY, .weapon = UINT32_MAX, .value = 30 }, REASON_NO_WEAPON },
    /* Combat, DamageMultipliers: 0..=10; classes 0..=15, 46, 37, 41, 42, 51, 52. */
    { { .kind = GAME_MULTIPLIER, .weapon = 0, .value = 0 }, REASON_NONE },
    { { .kind = GAME_MULTIPLIER, .weapon = 15, .value = 10 }, REASON_NONE },
    { { .kind = GAME_MULTIPLIER, .weapon = 46, .value = 2 }, REASON_NONE },
    { { .kind = GAME_MULTIPLIER, .weapon = 52, .value = 0.5 }, REASON_NONE },
    { { .kind = GAME_MULTIPLIER, .weapon = 0, .value = 10.000001 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_MULTIPLIER, .weapon = 0, .value = -0.000001 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_MULTIPLIER, .weapon = 0, .value = NAN }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_MULTIPLIER, .weapon = 0, .value = INFINITY }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_MULTIPLIER, .weapon = 16, .value = 1 }, REASON_NO_WEAPON },
    { { .kind = GAME_MULTIPLIER, .weapon = 24, .value = 1 }, REASON_NO_WEAPON },
    /* Combat, WeaponProperties. */
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 0, .value = 1000 }, REASON_NONE },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 0, .value = 1001 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 0, .value = 0.5 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 1, .value = 350 }, REASON_NONE },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 1, .value = 350.001 },
      REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 1, .value = 0.999 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 2, .value = 0.009 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 2, .value = 0.01 }, REASON_NONE },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 3, .value = 0 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 3, .value = 1 }, REASON_NONE },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 11, .value = 2 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 13, .value = 1 }, REASON_NONE },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 2, .index = 13, .value = 1 }, REASON_NO_TIER },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 14, .value = 1 }, REASON_NO_PROPERTY },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 3, .index = 0, .value = 1 }, REASON_NO_TIER },
    { { .kind = GAME_PROPERTY, .weapon = 33, .tier = 2, .index = 0, .value = 1 }, REASON_NO_TIER },
    { { .kind = GAME_PROPERTY, .weapon = 38, .tier = 1, .index = 0, .value = 1 }, REASON_NONE },
    { { .kind = GAME_PROPERTY, .weapon = 35, .tier = 1, .index = 0, .value = 1 }, REASON_NO_WEAPON },
    { { .kind = GAME_PROPERTY, .weapon = 256 + 24, .tier = 1, .value = 1 }, REASON_NO_WEAPON },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 0, .value = NAN }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 0, .value = 1e300 }, REASON_OUT_OF_BOUNDS },
    /* GiveWeapon: what can be given is 1..=46 except 19..=21. */
    { { .kind = GAME_ALLOWED, .weapon = 1, .value = 0 }, REASON_NONE },
    { { .kind = GAME_ALLOWED, .weapon = 46, .value = 0 }, REASON_NONE },
    { { .kind = GAME_ALLOWED, .weapon = 0, .value = 0 }, REASON_NO_WEAPON },
    { { .kind = GAME_ALLOWED, .weapon = 19, .value = 0 }, REASON_NO_WEAPON },
    { { .kind = GAME_ALLOWED, .weapon = 47, .value = 0 }, REASON_NO_WEAPON },
    { { .kind = GAME_ALLOWED, .weapon = 65, .value = 0 }, REASON_NO_WEAPON },
    /* World: RunClock 10..=3600000, SetTime, SetWeather. */
    { { .kind = GAME_CLOCK, .value = 10 }, REASON_NONE },
    { { .kind = GAME_CLOCK, .value = 3600000 }, REASON_NONE },
    { { .kind = GAME_CLOCK, .unset = true }, REASON_NONE },
    { { .kind = GAME_CLOCK, .value = 9 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_CLOCK, .value = 0 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_CLOCK, .value = 3600001 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_CLOCK, .value = 10.5 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_TIME, .value = 0 }, REASON_NONE },
    { { .kind = GAME_TIME, .value = 86399999 }, REASON_NONE },
    { { .kind = GAME_TIME, .value = 86400000 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_TIME, .value = NAN }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_WEATHER, .value = 45, .blend_ms = 600000 }, REASON_NONE },
    { { .kind = GAME_WEATHER, .value = 46 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_WEATHER, .value = 256 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_WEATHER, .value = 1, .blend_ms = 600001 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_WEATHER_VALUE, .index = 0, .value = 1 }, REASON_NONE },
    { { .kind = GAME_WEATHER_VALUE, .index = 0, .value = 1.0001 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_WEATHER_VALUE, .index = 5, .value = -10 }, REASON_NONE },
    { { .kind = GAME_WEATHER_VALUE, .index = 5, .value = -10.001 }, REASON_OUT_OF_BOUNDS },
    { { .kind = GAME_WEATHER_VALUE, .index = 6, .value = 0 }, REASON_NO_PROPERTY },
    { { .kind = GAME_WEATHER_VALUE, .index = UINT32_MAX, .value = 0 }, REASON_NO_PROPERTY },
    { { .kind = GAME_NONE }, REASON_NO_PROPERTY },
    { { .kind = GAME_KINDS }, REASON_NO_PROPERTY },
};

START_TEST(a_value_is_accepted_at_its_bound_and_refused_past_it)
{
    struct game_settings before;
    enum reason reason;

    before = settings;
    reason = apply(bounds[_i].change);
    ck_assert_msg(reason == bounds[_i].reason, "row %d: %s", _i, reason_name(reason));
    if (reason != REASON_NONE)
        ck_assert_mem_eq(&settings, &before, sizeof settings);
}
END_TEST

START_TEST(a_fire_loop_ends_after_it_starts)
{
    ck_assert_int_eq(property(24, 1, 4, 0.5), REASON_NONE);
    ck_assert_int_eq(property(24, 1, 5, 0.5), REASON_LOOP_BACKWARDS);
    ck_assert_int_eq(property(24, 1, 5, 0.51), REASON_NONE);
    ck_assert_int_eq(property(24, 1, 7, 1), REASON_NONE);
    ck_assert_int_eq(property(24, 1, 8, 0.9), REASON_LOOP_BACKWARDS);
    ck_assert_int_eq(property(24, 0, 5, 0.1), REASON_NONE); /* another tier */
}
END_TEST

START_TEST(each_change_of_a_record_is_a_revision_and_the_same_again_is_none)
{
    struct game_change change = { .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 3, .value = 10 };
    bool changed;

    settings.weapon_revision = UINT32_MAX;
    ck_assert_int_eq(apply_at(change, 1000, &changed), REASON_NONE);
    ck_assert(changed);
    ck_assert_uint_eq(settings.weapon_revision, 0);
    ck_assert_int_eq(apply_at(change, 1000, &changed), REASON_NONE);
    ck_assert(!changed);
    ck_assert_uint_eq(settings.weapon_revision, 0);
    change.unset = true;
    ck_assert_int_eq(apply_at(change, 1000, &changed), REASON_NONE);
    ck_assert(changed);
    ck_assert_uint_eq(settings.records[game_record_of(24, 1)].mask, 0);
    ck_assert_uint_eq(settings.weapon_revision, 1);
}
END_TEST

START_TEST(a_flag_that_is_off_is_not_a_flag_that_is_unset)
{
    ck_assert_int_eq(property(24, 1, 11, 0), REASON_NONE);
    ck_assert_uint_eq(settings.records[game_record_of(24, 1)].mask, 1U << 11);
}
END_TEST

START_TEST(the_clock_runs_a_minute_a_second_until_it_is_told_otherwise)
{
    bool changed;

    ck_assert_uint_eq(game_time_ms(&settings, 1000), GAME_NOON_MS);
    ck_assert_uint_eq(game_time_ms(&settings, 1000 + 2500), GAME_NOON_MS + 150 * 1000);
    ck_assert_uint_eq(game_time_ms(&settings, 1000 + 24 * 60 * 1000), GAME_NOON_MS);
    ck_assert_int_eq(apply_at((struct game_change){ .kind = GAME_CLOCK, .value = 2000 }, 2000, &changed),
                     REASON_NONE);
    ck_assert(changed);
    ck_assert_uint_eq(game_time_ms(&settings, 4000), GAME_NOON_MS + 120 * 1000);
    ck_assert_int_eq(apply_at((struct game_change){ .kind = GAME_CLOCK, .unset = true }, 4000, &changed),
                     REASON_NONE);
    ck_assert_uint_eq(game_time_ms(&settings, UINT64_C(1) << 40), GAME_NOON_MS + 120 * 1000);
    ck_assert_int_eq(apply_at((struct game_change){ .kind = GAME_TIME, .value = 5 }, 4000, &changed),
                     REASON_NONE);
    ck_assert(changed);
    ck_assert_uint_eq(game_time_ms(&settings, 9000), 5);
}
END_TEST

START_TEST(setting_the_same_time_is_a_change)
{
    bool changed;

    ck_assert_int_eq(
        apply_at((struct game_change){ .kind = GAME_TIME, .value = GAME_NOON_MS }, 1000, &changed),
        REASON_NONE);
    ck_assert(changed);
}
END_TEST

START_TEST(a_list_of_changes_makes_the_same_settings_again)
{
    struct game_change changes[GAME_CHANGES_MAX];
    struct game_settings again;
    size_t count;

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        (void)apply(bounds[i].change);
    ck_assert_int_eq(property(30, 2, 4, 0.25), REASON_NONE);
    ck_assert_int_eq(property(30, 2, 5, 0.75), REASON_NONE);
    ck_assert_int_eq(apply((struct game_change){ .kind = GAME_JACKING, .value = 0 }), REASON_NONE);
    count = game_list(&settings, 1000, changes);
    game_init(&again, 1000);
    for (size_t i = 0; i < count; i++) {
        bool changed;

        ck_assert_int_eq(game_apply(&again, &changes[i], 1000, &changed), REASON_NONE);
    }
    again.weapon_revision = settings.weapon_revision;
    ck_assert_mem_eq(&again, &settings, sizeof settings);
}
END_TEST

START_TEST(there_is_room_for_a_list_of_all_settings)
{
    struct game_change changes[GAME_CHANGES_MAX];

    for (size_t record = 0; record < GAME_RECORDS; record++) {
        uint8_t weapon;
        uint8_t tier;

        game_record_name(record, &weapon, &tier);
        for (uint32_t i = 0; i < GAME_PROPERTIES; i++)
            (void)property(weapon, tier, i, i == 5 || i == 8 ? 1.5 : 1);
    }
    for (uint32_t weapon = 0; weapon <= GAME_WEAPON_MAX; weapon++) {
        (void)apply((struct game_change){ .kind = GAME_ALLOWED, .weapon = weapon });
        (void)apply((struct game_change){ .kind = GAME_DRIVEBY, .weapon = weapon, .value = 100 });
    }
    for (uint32_t weapon = 0; weapon < 60; weapon++)
        (void)apply((struct game_change){ .kind = GAME_MULTIPLIER, .weapon = weapon, .value = 2 });
    for (uint32_t i = 0; i < GAME_WEATHER_VALUES; i++)
        (void)apply((struct game_change){ .kind = GAME_WEATHER_VALUE, .index = i, .value = 1 });
    ck_assert_uint_gt(game_list(&settings, 1000, changes), 500);
}
END_TEST

START_TEST(names_of_resources_teams_and_events_have_their_limits)
{
    char text[GAME_EVENT_NAME_MAX + 2];

    memset(text, 'a', sizeof text);
    text[GAME_RESOURCE_MAX + 1] = '\0';
    ck_assert(!game_resource_is_valid(text));
    text[GAME_RESOURCE_MAX] = '\0';
    ck_assert(game_resource_is_valid(text));
    ck_assert(!game_team_name_is_valid(text));
    text[GAME_TEAM_NAME_MAX] = '\0';
    ck_assert(game_team_name_is_valid(text));
    ck_assert(!game_resource_is_valid(""));
    ck_assert(!game_resource_is_valid("Upper"));
    ck_assert(!game_resource_is_valid("a:b"));
    ck_assert(!game_resource_is_valid(NULL));
    ck_assert(!game_team_name_is_valid("a\nb"));
    ck_assert(!game_team_name_is_valid("\xff"));
    ck_assert(!game_event_name_is_valid(""));
    memset(text, 'a', sizeof text);
    text[GAME_EVENT_NAME_MAX + 1] = '\0';
    ck_assert(!game_event_name_is_valid(text));
    text[GAME_EVENT_NAME_MAX] = '\0';
    ck_assert(game_event_name_is_valid(text));
}
END_TEST

START_TEST(a_change_that_is_none_is_not_read)
{
    Bus__GameChange message = BUS__GAME_CHANGE__INIT;
    struct game_change change;

    ck_assert(!game_change_read(&change, NULL));
    ck_assert(!game_change_read(&change, &message));
    message.kind = GAME_KINDS;
    ck_assert(!game_change_read(&change, &message));
    message.kind = GAME_TIME;
    ck_assert(game_change_read(&change, &message));
    message.value = NAN;
    ck_assert(!game_change_read(&change, &message));
    message.value = -INFINITY;
    ck_assert(!game_change_read(&change, &message));
}
END_TEST

Suite *game_suite(void)
{
    Suite *suite = suite_create("game");
    TCase *tcase = tcase_create("game");

    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, every_record_has_a_weapon_and_a_tier_of_its_own);
    tcase_add_loop_test(tcase, a_value_is_accepted_at_its_bound_and_refused_past_it, 0,
                        (int)(sizeof bounds / sizeof bounds[0]));
    tcase_add_test(tcase, a_fire_loop_ends_after_it_starts);
    tcase_add_test(tcase, each_change_of_a_record_is_a_revision_and_the_same_again_is_none);
    tcase_add_test(tcase, a_flag_that_is_off_is_not_a_flag_that_is_unset);
    tcase_add_test(tcase, the_clock_runs_a_minute_a_second_until_it_is_told_otherwise);
    tcase_add_test(tcase, setting_the_same_time_is_a_change);
    tcase_add_test(tcase, a_list_of_changes_makes_the_same_settings_again);
    tcase_add_test(tcase, there_is_room_for_a_list_of_all_settings);
    tcase_add_test(tcase, names_of_resources_teams_and_events_have_their_limits);
    tcase_add_test(tcase, a_change_that_is_none_is_not_read);
    suite_add_tcase(suite, tcase);
    return suite;
}
