#include "shard/weapon_tables.h"

#include <string.h>

#include "shard/shard.h"
#include "tests/unit/suites.h"

/* As much of a shard as the tables look at. */
static struct shard shard;
static struct player player;

enum { DAMAGE = 0, RANGE = 1, PISTOL = 0, DEAGLE = 6 };

static void setup(void)
{
    memset(&shard, 0, sizeof shard);
    memset(&player, 0, sizeof player);
    shard.now_ms = 100000;
    ck_assert_int_eq(weapon_tables_init(&shard.settings.tables), 0);
}

static void teardown(void)
{
    weapon_tables_fini(&shard.settings.tables);
}

/* One update of the cluster's settings; SIZE_MAX: no record is another one. */
static void change(size_t record, float damage)
{
    const struct game_settings before = shard.settings.now;

    if (record != SIZE_MAX) {
        shard.settings.now.records[record].mask = 1 << DAMAGE;
        shard.settings.now.records[record].values[DAMAGE] = damage;
    }
    shard.settings.now.weapon_revision++;
    weapon_tables_replace(&shard.settings.tables, &before, &shard.settings.now, shard.now_ms);
}

/* -1: the revision is not in force. */
static float damage_of(uint16_t props_rev, size_t record)
{
    struct game_record found;

    return weapon_tables_find(&shard, props_rev, record, &found) ? found.values[DAMAGE] : -1;
}

START_TEST(c_props_5_a_table_is_as_it_was_under_its_revision)
{
    change(PISTOL, 10);
    change(DEAGLE, 20);
    change(PISTOL, 30);
    ck_assert_float_eq(damage_of(0, PISTOL), 0);
    ck_assert_float_eq(damage_of(0, DEAGLE), 0);
    ck_assert_float_eq(damage_of(1, PISTOL), 10);
    ck_assert_float_eq(damage_of(1, DEAGLE), 0);
    ck_assert_float_eq(damage_of(2, PISTOL), 10);
    ck_assert_float_eq(damage_of(2, DEAGLE), 20);
    ck_assert_float_eq(damage_of(3, PISTOL), 30);
    ck_assert_float_eq(damage_of(3, DEAGLE), 20);
    ck_assert_float_eq(damage_of(4, PISTOL), -1);
}
END_TEST

START_TEST(c_props_5_a_table_counts_for_5_s_after_it_was_replaced)
{
    change(PISTOL, 10);
    shard.now_ms += 1000;
    change(PISTOL, 20);
    shard.now_ms += WEAPON_TABLE_AGE_MS - 1000;
    ck_assert_float_eq(damage_of(0, PISTOL), 0);
    shard.now_ms += 1;
    ck_assert_float_eq(damage_of(0, PISTOL), -1);
    ck_assert_float_eq(damage_of(1, PISTOL), 10);
    shard.now_ms += 1000;
    ck_assert_float_eq(damage_of(1, PISTOL), -1);
    ck_assert_float_eq(damage_of(2, PISTOL), 20);
}
END_TEST

START_TEST(c_props_5_a_revision_that_was_never_told_is_none)
{
    const struct game_settings before = shard.settings.now;

    shard.settings.now.weapon_revision += 2; /* two changes in one update: clients hear of the last */
    weapon_tables_replace(&shard.settings.tables, &before, &shard.settings.now, shard.now_ms);
    ck_assert_float_eq(damage_of(1, PISTOL), -1);
    ck_assert_float_eq(damage_of(0, PISTOL), 0);
}
END_TEST

START_TEST(a_revision_that_changes_no_record_replaces_a_table_too)
{
    change(PISTOL, 10);
    change(SIZE_MAX, 0);
    ck_assert_float_eq(damage_of(1, PISTOL), 10);
    ck_assert_float_eq(damage_of(2, PISTOL), 10);
}
END_TEST

START_TEST(what_is_no_change_of_weapons_replaces_nothing)
{
    const struct game_settings before = shard.settings.now;

    shard.settings.now.weather.type = 8;
    weapon_tables_replace(&shard.settings.tables, &before, &shard.settings.now, shard.now_ms);
    ck_assert_uint_eq(shard.settings.tables.replaced.count, 0);
}
END_TEST

START_TEST(of_too_many_changes_the_oldest_table_goes_first)
{
    change(PISTOL, 1);
    for (int i = 1; i < WEAPON_CHANGES_MAX; i++)
        change(DEAGLE, (float)i);
    ck_assert_float_eq(damage_of(0, PISTOL), 0);
    change(DEAGLE, 5000);
    ck_assert_float_eq(damage_of(0, PISTOL), -1);
    ck_assert_float_eq(damage_of(1, PISTOL), 1);
}
END_TEST

START_TEST(a_table_of_which_a_part_is_forgotten_is_none)
{
    const struct game_settings before = shard.settings.now;

    shard.settings.now.records[PISTOL].mask = shard.settings.now.records[DEAGLE].mask = 1 << RANGE;
    shard.settings.now.weapon_revision = 2;
    weapon_tables_replace(&shard.settings.tables, &before, &shard.settings.now, shard.now_ms);
    for (int i = 2; i < WEAPON_CHANGES_MAX; i++)
        change(PISTOL, (float)i);
    ck_assert_float_eq(damage_of(0, PISTOL), 0);
    change(PISTOL, 5000);
    ck_assert_float_eq(damage_of(0, PISTOL), -1);
    ck_assert_float_eq(damage_of(2, PISTOL), 0);
}
END_TEST

START_TEST(c_props_6_a_shot_is_not_older_than_the_last_while_that_is_in_force)
{
    change(PISTOL, 10);
    change(PISTOL, 20);
    ck_assert_int_eq(weapon_tables_check(&shard, &player, 0), REASON_NONE);
    weapon_tables_accept(&shard, &player, 1);
    ck_assert_int_eq(weapon_tables_check(&shard, &player, 0), REASON_OLD_PROPS_REV);
    ck_assert_int_eq(weapon_tables_check(&shard, &player, 1), REASON_NONE);
    ck_assert_int_eq(weapon_tables_check(&shard, &player, 2), REASON_NONE);
}
END_TEST

START_TEST(c_props_7_the_age_counts_from_the_present_revision_over_the_wrap)
{
    static const uint32_t starts[] = { UINT16_MAX, UINT32_MAX };

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        player.has_props_rev = false;
        shard.settings.now.weapon_revision = starts[i];
        change(PISTOL, 10);
        change(PISTOL, 20);
        ck_assert_float_eq(damage_of(0, PISTOL), 10);
        ck_assert_float_eq(damage_of(1, PISTOL), 20);
        ck_assert_int_eq(weapon_tables_check(&shard, &player, UINT16_MAX), REASON_NONE);
        ck_assert_int_eq(weapon_tables_check(&shard, &player, UINT16_MAX - 1), REASON_OLD_PROPS_REV);
        weapon_tables_accept(&shard, &player, 0);
        ck_assert_int_eq(weapon_tables_check(&shard, &player, UINT16_MAX), REASON_OLD_PROPS_REV);
        ck_assert_int_eq(weapon_tables_check(&shard, &player, 1), REASON_NONE);
    }
}
END_TEST

Suite *weapon_tables_suite(void)
{
    Suite *suite = suite_create("weapon_tables");
    TCase *tcase = tcase_create("tables");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, c_props_5_a_table_is_as_it_was_under_its_revision);
    tcase_add_test(tcase, c_props_5_a_table_counts_for_5_s_after_it_was_replaced);
    tcase_add_test(tcase, c_props_5_a_revision_that_was_never_told_is_none);
    tcase_add_test(tcase, a_revision_that_changes_no_record_replaces_a_table_too);
    tcase_add_test(tcase, what_is_no_change_of_weapons_replaces_nothing);
    tcase_add_test(tcase, of_too_many_changes_the_oldest_table_goes_first);
    tcase_add_test(tcase, a_table_of_which_a_part_is_forgotten_is_none);
    tcase_add_test(tcase, c_props_6_a_shot_is_not_older_than_the_last_while_that_is_in_force);
    tcase_add_test(tcase, c_props_7_the_age_counts_from_the_present_revision_over_the_wrap);
    suite_add_tcase(suite, tcase);
    return suite;
}
