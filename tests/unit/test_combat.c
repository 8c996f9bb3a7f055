#include <math.h>

#include "gen/wire.h"
#include "shard/combat_causes.h"
#include "shard/combat_rays.h"
#include "tests/unit/suites.h"

START_TEST(the_last_32_rays_are_remembered)
{
    struct combat_rays rays = { 0 };

    for (uint32_t order = 1; order <= 33; order++) {
        struct combat_ray ray = { .at_ms = 1000, .order = order, .weapon = 31 };

        combat_rays_add(&rays, &ray);
    }
    ck_assert_ptr_null(combat_rays_find(&rays, 1000, 31, 1));
    ck_assert_ptr_nonnull(combat_rays_find(&rays, 1000, 31, 2));
    ck_assert_ptr_nonnull(combat_rays_find(&rays, 1000, 31, 33));
}
END_TEST

START_TEST(a_point_is_as_far_from_a_ray_as_from_its_nearest_point)
{
    static const float start[] = { 0, 0, 0 };
    static const float end[] = { 10, 0, 0 };
    static const float beside[] = { 5, 3, 4 };
    static const float before[] = { -3, 0, 4 };
    static const float beyond[] = { 13, 4, 0 };

    ck_assert_float_eq(combat_ray_distance(start, end, beside), 5);
    ck_assert_float_eq(combat_ray_distance(start, end, before), 5);
    ck_assert_float_eq(combat_ray_distance(start, end, beyond), 5);
    ck_assert_float_eq(combat_ray_distance(start, start, beside), sqrtf(50));
}
END_TEST

/* Combat: DamageReport: what each cause explains, for how long and how far. */
static const struct {
    enum cause_kind kind;
    enum cause_effect effect;
    uint64_t ms;
    float m;
} windows[] = {
    { CAUSE_GRENADE, EFFECT_EXPLOSION, 3000, 60 },
    { CAUSE_ROCKET, EFFECT_EXPLOSION, 4000, 120 },
    { CAUSE_SEEKER, EFFECT_EXPLOSION, 11000, 120 },
    { CAUSE_VEHICLE_EXPLOSION, EFFECT_EXPLOSION, 1000, 30 },
    { CAUSE_CREATED_EXPLOSION, EFFECT_EXPLOSION, 1000, 30 },
    { CAUSE_CANNON, EFFECT_EXPLOSION, 1000, 30 },
    { CAUSE_MOLOTOV, EFFECT_FIRE, 65000, 80 },
    { CAUSE_ROCKET, EFFECT_FIRE, 65000, 80 },
    { CAUSE_SEEKER, EFFECT_FIRE, 65000, 80 },
    { CAUSE_FLAMETHROWER, EFFECT_FIRE, 65000, 80 },
    { CAUSE_VEHICLE_EXPLOSION, EFFECT_FIRE, 65000, 80 },
    { CAUSE_CREATED_EXPLOSION, EFFECT_FIRE, 65000, 80 },
    { CAUSE_CREATED_FIRE, EFFECT_FIRE, 65000, 80 },
    { CAUSE_CANNON, EFFECT_FIRE, 65000, 80 },
    { CAUSE_SPRAY, EFFECT_SPRAY, 2000, 15 },
};

static bool explains(enum cause_kind kind, enum cause_effect effect, uint64_t age_ms, float x)
{
    struct combat_causes causes = { 0 };
    const struct combat_cause cause = { .at_ms = 100000, .kind = (uint8_t)kind };
    const struct cause_place place = { .pos = { x, 0, 0 }, .vehicle_id = WIRE_NONE };

    combat_causes_add(&causes, &cause);
    return combat_causes_find(&causes, 100000 + age_ms, effect, &place) != NULL;
}

START_TEST(each_cause_explains_damage_within_its_window_and_distance)
{
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        ck_assert_msg(explains(windows[i].kind, windows[i].effect, windows[i].ms, windows[i].m), "case %zu",
                      i);
        ck_assert_msg(!explains(windows[i].kind, windows[i].effect, windows[i].ms + 1, 0), "case %zu: late",
                      i);
        ck_assert_msg(!explains(windows[i].kind, windows[i].effect, 0, nextafterf(windows[i].m, INFINITY)),
                      "case %zu: far", i);
    }
    ck_assert(explains(CAUSE_SATCHELS, EFFECT_EXPLOSION, 1000, 5000));
    ck_assert(!explains(CAUSE_SATCHELS, EFFECT_EXPLOSION, 1001, 0));
}
END_TEST

START_TEST(a_cause_explains_nothing_else)
{
    size_t explained = 0;

    for (int kind = 0; kind < CAUSE_KINDS; kind++)
        for (int effect = EFFECT_EXPLOSION; effect < EFFECTS; effect++)
            explained += explains((enum cause_kind)kind, (enum cause_effect)effect, 0, 0);
    ck_assert_uint_eq(explained, sizeof windows / sizeof windows[0] + 1);
}
END_TEST

START_TEST(the_newest_cause_is_taken)
{
    struct combat_causes causes = { 0 };
    const struct cause_place place = { .vehicle_id = WIRE_NONE };

    for (uint8_t i = 0; i < 3; i++) {
        const struct combat_cause cause = { .at_ms = 1000 + (i == 1 ? 500U : 0U),
                                            .kind = CAUSE_GRENADE,
                                            .weapon = i };

        combat_causes_add(&causes, &cause);
    }
    ck_assert_uint_eq(combat_causes_find(&causes, 2000, EFFECT_EXPLOSION, &place)->weapon, 1);
}
END_TEST

START_TEST(the_oldest_cause_makes_room)
{
    struct combat_causes causes = { 0 };
    const struct cause_place place = { .vehicle_id = WIRE_NONE };

    for (int i = 0; i < COMBAT_CAUSES_MAX + 1; i++) {
        const struct combat_cause cause = { .at_ms = 1000, .kind = i == 0 ? CAUSE_GRENADE : CAUSE_MOLOTOV };

        combat_causes_add(&causes, &cause);
    }
    ck_assert_ptr_null(combat_causes_find(&causes, 1000, EFFECT_EXPLOSION, &place));
    ck_assert_ptr_nonnull(combat_causes_find(&causes, 1000, EFFECT_FIRE, &place));
}
END_TEST

Suite *combat_suite(void)
{
    Suite *suite = suite_create("combat");
    TCase *tcase = tcase_create("combat");

    tcase_add_test(tcase, the_last_32_rays_are_remembered);
    tcase_add_test(tcase, a_point_is_as_far_from_a_ray_as_from_its_nearest_point);
    tcase_add_test(tcase, each_cause_explains_damage_within_its_window_and_distance);
    tcase_add_test(tcase, a_cause_explains_nothing_else);
    tcase_add_test(tcase, the_newest_cause_is_taken);
    tcase_add_test(tcase, the_oldest_cause_makes_room);
    suite_add_tcase(suite, tcase);
    return suite;
}
