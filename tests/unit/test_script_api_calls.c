#include <string.h>

#include "shard/player_spawn.h"
#include "shard/team.h"
#include "tests/unit/api_stage.h"
#include "tests/unit/suites.h"

/* What reaches the core when a script calls: arguments in the right places, what was left out as it was, and
 * answers as documented. The rules themselves are tested where they are. */

static struct api_stage api;

static void setup(void)
{
    api_stage_open(&api, "");
}

static void teardown(void)
{
    api_stage_close(&api);
}

static const struct player *alice(void)
{
    return stage_player(api.stage, api.alice);
}

START_TEST(what_is_left_out_of_spawn_info_stays)
{
    api_run(&api, "assert(alice:set_spawn_info{x = 10, y = 20, z = 30, heading = 90, skin = 107} == true)\n"
                  "assert(alice:set_spawn_info{interior = 3, virtual_world = 2} == true)\n"
                  "assert(alice:set_spawn_info{z = 31} == true)");

    struct spawn_info info = player_spawn_info(alice());

    ck_assert_float_eq(info.place.pos[0], 10);
    ck_assert_float_eq(info.place.pos[1], 20);
    ck_assert_float_eq(info.place.pos[2], 31);
    ck_assert_float_eq(info.place.heading, 90);
    ck_assert_uint_eq(info.place.scope.interior, 3);
    ck_assert_uint_eq(info.place.scope.virtual_world, 2);
    ck_assert_uint_eq(info.skin, 107);
}
END_TEST

START_TEST(what_is_left_out_of_a_teleport_stays)
{
    api_run(&api, "assert(alice:teleport{x = 50} == true)\n"
                  "local x, y, z = alice:position()\n"
                  "assert(x == 50 and y == 0 and z == 10)");
    ck_assert_ptr_nonnull(stage_take(api.alice, PACKET_TELEPORT_PLAYER));
}
END_TEST

START_TEST(a_scope_of_another_shard_is_refused_with_its_name)
{
    api_run(&api, "local function refused(value, why)\n"
                  "    assert(value == nil and why == 'scope is on shard-2', why)\n"
                  "end\n"
                  "refused(alice:teleport{virtual_world = 1})\n"
                  "refused(alice:set_scope(1, 0))\n"
                  "refused(dlmp.create_vehicle{model = 411, x = 0, y = 0, z = 0, virtual_world = 1})\n"
                  "refused(dlmp.set_vehicle_scope(car, 1, 0))\n"
                  "assert(dlmp.owns_scope(0, 5) and not dlmp.owns_scope(1, 0))");
}
END_TEST

START_TEST(a_spawn_that_lies_on_another_shard_is_refused_when_it_is_granted_or_before)
{
    api_run(&api, "local done = alice:set_spawn_info{virtual_world = 1}\n"
                  "local value, why = alice:spawn()\n"
                  "assert(not done or (value == nil and why == 'scope is on shard-2'), why)");
}
END_TEST

START_TEST(a_player_is_spawned_at_once)
{
    api_run(&api, "assert(alice:set_spawn_info{x = 10, y = 20, z = 30}) assert(alice:spawn() == true)");
    ck_assert_ptr_nonnull(stage_take(api.alice, PACKET_RESPAWN_PLAYER));
}
END_TEST

START_TEST(what_is_set_on_a_player_is_read_back)
{
    api_run(&api, "assert(alice:set_skin(107) and alice:skin() == 107)\n"
                  "assert(alice:set_money(-5) and alice:money() == -5)\n"
                  "assert(alice:set_wanted(6) and alice:wanted() == 6)\n"
                  "assert(alice:skill(24) == 999)\n"
                  "assert(alice:set_skill(24, 1000) and alice:skill(24) == 1000)\n"
                  "assert(alice:set_frozen(true) and alice:is_frozen())");
    ck_assert_ptr_nonnull(stage_take(api.alice, PACKET_SET_MONEY));
    ck_assert_ptr_nonnull(stage_take(api.bob, PACKET_SET_SKIN));
}
END_TEST

START_TEST(an_animation_has_the_defaults_of_its_fields)
{
    const struct stage_packet *packet;
    struct wire_apply_animation animation;
    struct wire_error error;

    api_run(&api,
            "assert(alice:apply_animation{library = 'PED', name = 'WALK_player', keep_y = true} == true)");
    packet = stage_take(api.bob, PACKET_APPLY_ANIMATION);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_apply_animation_decode(&animation, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(animation.library.size, 3);
    ck_assert_mem_eq(animation.library.data, "PED", 3);
    ck_assert_float_eq(animation.speed, 4);
    ck_assert_uint_eq(animation.flags, 4);
    ck_assert_uint_eq(animation.time_ms, 0);
    api_run(&api, "assert(alice:clear_animations() == true)");
    ck_assert_ptr_nonnull(stage_take(api.bob, PACKET_CLEAR_ANIMATIONS));
}
END_TEST

START_TEST(a_camera_is_given_and_taken_back)
{
    const struct stage_packet *packet;
    struct wire_set_camera camera;
    struct wire_error error;

    api_run(
        &api,
        "assert(alice:set_camera{x = 1, y = 2, z = 3, target_x = 4, target_y = 5, target_z = 6} == true)");
    packet = stage_take(api.alice, PACKET_SET_CAMERA);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_set_camera_decode(&camera, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(camera.active, 1);
    ck_assert_float_eq(camera.pos[2], 3);
    ck_assert_float_eq(camera.target[0], 4);
    api_run(&api, "assert(alice:set_camera(nil) == true)");
    packet = stage_take(api.alice, PACKET_SET_CAMERA);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_set_camera_decode(&camera, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(camera.active, 0);
}
END_TEST

START_TEST(stats_are_set_by_number)
{
    api_run(&api, "assert(alice:set_stats{[21] = 500, [23] = '250.5'} == true)");
    ck_assert_float_eq(alice()->stats.values[21], 500);
    ck_assert_float_eq(alice()->stats.values[23], 250.5f);
    api_run(&api, "local many = {}\n"
                  "for i = 0, 64 do many[i] = 1 end\n"
                  "local value, why = alice:set_stats(many)\n"
                  "assert(value == nil and why == 'stats must have 1 to 64 entries', why)");
}
END_TEST

START_TEST(world_bounds_are_four_or_none)
{
    api_run(&api, "assert(alice:set_world_bounds(-10, -20, 10, 20) == true)\n"
                  "local value, why = alice:set_world_bounds(-10, -20)\n"
                  "assert(value == nil and why == 'all four bounds must be given, or none')\n"
                  "value, why = alice:set_world_bounds(10, -20, -10, 20)\n"
                  "assert(value == nil)");
    ck_assert(alice()->set.bounds.active);
    ck_assert_float_eq(alice()->set.bounds.min_x, -10);
    ck_assert_float_eq(alice()->set.bounds.max_y, 20);
    api_run(&api, "assert(alice:set_world_bounds(nil) == true)");
    ck_assert(!alice()->set.bounds.active);
}
END_TEST

START_TEST(a_message_is_white_unless_it_has_a_color)
{
    const struct stage_packet *packet;
    struct wire_server_message message;
    struct wire_error error;

    api_run(&api, "assert(alice:message('hello') == true) assert(alice:message('red', 0xFF0000FF) == true)");
    packet = stage_take(api.alice, PACKET_SERVER_MESSAGE);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_server_message_decode(&message, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(message.color, 0xFFFFFFFF);
    packet = stage_take(api.alice, PACKET_SERVER_MESSAGE);
    ck_assert_ptr_nonnull(packet);
    ck_assert(wire_server_message_decode(&message, packet->bytes, packet->size, &error));
    ck_assert_uint_eq(message.color, 0xFF0000FF);
    ck_assert_ptr_null(stage_take(api.bob, PACKET_SERVER_MESSAGE));
}
END_TEST

START_TEST(a_vehicle_is_made_with_the_defaults_of_its_fields)
{
    api_run(
        &api,
        "local v = dlmp.create_vehicle{model = 400, x = 1, y = 2, z = 3}\n"
        "local c1, c2 = v:colors()\n"
        "assert(v:model() == 400 and v:heading() == 0 and c1 == 0 and c2 == 0)\n"
        "assert(v:virtual_world() == 0 and v:interior() == 0)\n"
        "v = dlmp.create_vehicle{model = '401', x = 1, y = 2, z = 3, heading = 90, color1 = 7, color2 = 8,\n"
        "    virtual_world = 2, interior = 1}\n"
        "c1, c2 = v:colors()\n"
        "assert(v:model() == 401 and math.abs(v:heading() - 90) < 0.01 and c1 == 7 and c2 == 8)\n"
        "assert(v:virtual_world() == 2 and v:interior() == 1)");
}
END_TEST

START_TEST(what_cannot_be_made_is_refused_with_a_sentence)
{
    api_run(&api, "local v, why = dlmp.create_vehicle{model = 570, x = 0, y = 0, z = 0}\n"
                  "assert(v == nil and why == 'no vehicle can be made of the model', why)\n"
                  "v, why = dlmp.create_vehicle{model = 612, x = 0, y = 0, z = 0}\n"
                  "assert(v == nil and why == 'model must be from 400 to 611', why)\n"
                  "v, why = dlmp.create_vehicle{model = 411, x = 0, y = 6000.1, z = 0}\n"
                  "assert(v == nil and why == 'y must be from -6000 to 6000 m', why)");
    api_fails(&api, "dlmp.create_vehicle{model = 411, x = 0, y = 0, z = 0, colour1 = 3}",
              "'dlmp.create_vehicle' has no field 'colour1'");
    api_fails(&api, "dlmp.create_vehicle{model = 411, x = 0, y = 0}",
              "bad field 'z' to 'dlmp.create_vehicle' (number expected, got nil)");
}
END_TEST

START_TEST(a_resource_that_stops_takes_its_vehicles_along)
{
    char error[SCRIPT_ERROR_SIZE];

    ck_assert_uint_eq(api.shard->world.vehicles.count, 2);
    ck_assert_int_eq(script_stop(api.lab->script, "test", error), 0);
    ck_assert_uint_eq(api.shard->world.vehicles.count, 0);
}
END_TEST

START_TEST(a_player_is_put_into_a_seat_and_taken_out)
{
    api_run(&api, "assert(dlmp.put_player_in_vehicle(alice, car, 1) == true)\n"
                  "local v, seat = alice:vehicle()\n"
                  "assert(v == car and seat == 1)\n"
                  "local value, why = dlmp.put_player_in_vehicle(bob, car, 1)\n"
                  "assert(value == nil and why == 'the seat is taken', why)\n"
                  "value, why = dlmp.put_player_in_vehicle(bob, car, 7)\n"
                  "assert(value == nil and why == 'the model has no such seat', why)\n"
                  "assert(dlmp.remove_player_from_vehicle(alice) == true)\n"
                  "value, why = dlmp.remove_player_from_vehicle(alice)\n"
                  "assert(value == nil and why == 'the player sits in no vehicle', why)");
}
END_TEST

START_TEST(what_a_timer_does_to_seats_is_told_before_anything_else_happens)
{
    api_run(&api,
            "heard = 0 dlmp.on('player_enter_vehicle', function() heard = heard + 1 end)\n"
            "dlmp.after(10, function() assert(dlmp.put_player_in_vehicle(dlmp.player(2), car, 1)) end)");
    api.stage->now_ms += 10;
    script_tick(api.lab->script, api.stage->now_ms);
    api_run(&api, "assert(heard == 1)");
}
END_TEST

START_TEST(what_is_set_on_a_vehicle_is_read_back)
{
    api_run(&api, "assert(dlmp.set_vehicle_engine(car, true) and car:engine())\n"
                  "assert(dlmp.set_vehicle_lights(car, true) and car:lights())\n"
                  "assert(dlmp.set_vehicle_locked(car, true) and car:locked())\n"
                  "assert(dlmp.set_vehicle_colors(car, 7, 127))\n"
                  "local first, second = car:colors()\n"
                  "assert(first == 7 and second == 127)\n"
                  "assert(dlmp.add_vehicle_component(car, 1010) and car:nitro_charges() == 10)\n"
                  "assert(dlmp.set_vehicle_nitro_charges(car, 3) and car:nitro_charges() == 3)\n"
                  "assert(dlmp.set_vehicle_plate(car, 'DLMP 1') and dlmp.set_vehicle_dirt(car, 15))\n"
                  "local tuning = car:tuning()\n"
                  "assert(tuning.components[1] == 1010 and #tuning.components == 1)\n"
                  "assert(tuning.plate == 'DLMP 1' and tuning.dirt == 15 and tuning.paintjob == nil)\n"
                  "assert(dlmp.set_vehicle_plate(car, nil) and dlmp.set_vehicle_dirt(car, nil))\n"
                  "tuning = car:tuning()\n"
                  "assert(tuning.plate == nil and tuning.dirt == nil and tuning.taxi_light == false)\n"
                  "assert(next(car:handling()) == nil)\n"
                  "assert(dlmp.set_vehicle_handling(car, 'mass', 1500) and car:handling().mass == 1500)\n"
                  "assert(dlmp.set_vehicle_handling(car, 'mass', nil) and car:handling().mass == nil)");
}
END_TEST

START_TEST(a_property_that_does_not_exist_is_refused_with_those_that_do)
{
    api_run(&api, "local value, why = dlmp.set_vehicle_handling(car, 'wings', 2)\n"
                  "assert(value == nil and why:find('name must be \\'mass\\'', 1, true) == 1, why)\n"
                  "assert(why:find('number_of_gears', 1, true))\n"
                  "value, why = dlmp.set_vehicle_handling(car, 'number_of_gears', 6)\n"
                  "assert(value == nil and why == 'a value is out of its range', why)");
}
END_TEST

START_TEST(a_lock_of_one_player_stands_for_the_vehicles)
{
    api_run(&api,
            "assert(dlmp.set_vehicle_locked(car, true) and dlmp.set_vehicle_locked_for(car, alice, false))");
    stage_enter(api.stage, api.bob, api.car, 1);
    stage_enter(api.stage, api.alice, api.car, 0);
    api_run(
        &api,
        "assert(bob:vehicle() == nil and alice:vehicle() == car)\n"
        "assert(dlmp.remove_player_from_vehicle(alice) and dlmp.set_vehicle_locked_for(car, alice, nil))");
    stage_enter(api.stage, api.alice, api.car, 0);
    api_run(&api, "assert(alice:vehicle() == nil)");
}
END_TEST

START_TEST(notes_are_kept_for_the_resource)
{
    api_run(&api, "assert(alice:data('lap') == nil)\n"
                  "assert(alice:set_data('lap', 3) and car:set_data('lap', {best = 1.5, by = {'alice'}}))\n"
                  "assert(alice:data('lap') == 3 and bob:data('lap') == nil)\n"
                  "assert(car:data('lap').best == 1.5 and car:data('lap').by[1] == 'alice')\n"
                  "assert(alice:set_data('lap', nil) and alice:data('lap') == nil)\n"
                  "assert(alice:set_data('flag', false) and alice:data('flag') == false)");
    lab_start(api.lab, "other", "dlmp.on('tick', function() assert(dlmp.player(2):data('flag') == nil) end)");
    lab_run(api.lab, 200);
    ck_assert_uint_eq(script_stats(api.lab->script)->errors, 0);
}
END_TEST

START_TEST(notes_outlive_a_restart_of_their_resource)
{
    char error[SCRIPT_ERROR_SIZE];

    api_run(&api, "assert(alice:set_data('lap', 3))");
    ck_assert_int_eq(script_restart(api.lab->script, "test", error), 0);
    api.resource = api.lab->script->resources[0];
    api_run(&api, "assert(dlmp.player(2):data('lap') == 3)");
}
END_TEST

START_TEST(what_cannot_be_noted_is_refused)
{
    api_run(&api, "local function refused(value, why) assert(value == nil and type(why) == 'string') end\n"
                  "refused(alice:set_data('k', print))\n"
                  "refused(alice:set_data('k', 0 / 0))\n"
                  "refused(alice:set_data('k', alice))\n"
                  "refused(alice:set_data('k', ('x'):rep(4096)))\n"
                  "assert(alice:set_data('k', ('x'):rep(2000)) and alice:set_data('l', ('x'):rep(2000)))\n"
                  "refused(alice:set_data('m', ('x'):rep(200)))\n"
                  "assert(alice:data('m') == nil and #alice:data('k') == 2000)");
}
END_TEST

START_TEST(a_team_is_the_same_by_its_name)
{
    api_run(&api, "local red = dlmp.create_team('red')\n"
                  "assert(red == dlmp.create_team('red') and red ~= dlmp.create_team('blue'))\n"
                  "assert(red:name() == 'red' and tostring(red) == 'team red')\n"
                  "assert(alice:team() == nil and alice:set_team(red) and alice:team() == red)\n"
                  "assert(red:set_friendly_fire(false) == true)\n"
                  "assert(alice:set_team(nil) and alice:team() == nil)\n"
                  "local value, why = dlmp.create_team(('x'):rep(33))\n"
                  "assert(value == nil and why == 'name must have 1 to 32 bytes')");
}
END_TEST

START_TEST(nobody_is_in_the_teams_of_a_resource_that_has_stopped)
{
    char error[SCRIPT_ERROR_SIZE];

    api_run(&api, "assert(alice:set_team(dlmp.create_team('red')))");
    ck_assert_uint_ne(world_player_by_id(&api.shard->world, ALICE)->team, TEAM_NONE);
    ck_assert_int_eq(script_stop(api.lab->script, "test", error), 0);
    ck_assert_uint_eq(world_player_by_id(&api.shard->world, ALICE)->team, TEAM_NONE);
}
END_TEST

START_TEST(a_kick_is_the_gateways_to_carry_out)
{
    api_run(&api, "assert(alice:kick('bye') == true and alice:name())");
    ck_assert(api.alice->kicked);
    api_run(&api, "local value, why = alice:kick(('x'):rep(128))\n"
                  "assert(value == nil and why == 'reason must have 1 to 127 bytes')");
}
END_TEST

START_TEST(a_setting_is_asked_for)
{
    api_run(&api,
            "assert(dlmp.set_weapon_property(31, 'pro', 'damage', 40) == true)\n"
            "assert(dlmp.set_weapon_allowed(38, false) == true)\n"
            "assert(dlmp.set_driveby_interval(28, 100) == true)\n"
            "assert(dlmp.set_damage_multiplier(37, 2) == true)\n"
            "assert(dlmp.set_time(23, 59) == true and dlmp.set_clock(nil) == true)\n"
            "assert(dlmp.set_weather(8, 5000) == true and dlmp.set_weather_value('rain', 0.5) == true)\n"
            "local value, why = dlmp.set_weapon_property(33, 'pro', 'damage', 40)\n"
            "assert(value == nil and why == 'the weapon does not have it at this tier', why)\n"
            "value, why = dlmp.set_weapon_allowed(19, false)\n"
            "assert(value == nil and type(why) == 'string', why)\n"
            "value, why = dlmp.set_driveby_interval(28, 29)\n"
            "assert(value == nil and why == 'a value is out of its range', why)");
}
END_TEST

START_TEST(trailers_are_hooked_up_and_told)
{
    api_run(&api, "local truck = assert(dlmp.create_vehicle{model = 515, x = 50, y = 50, z = 10})\n"
                  "local trailer = assert(dlmp.create_vehicle{model = 435, x = 50, y = 40, z = 10})\n"
                  "assert(dlmp.attach_trailer(trailer, truck) == true)\n"
                  "assert(truck:trailer() == trailer and trailer:tractor() == truck)\n"
                  "assert(dlmp.detach_trailer(trailer) == true and truck:trailer() == nil)\n"
                  "local value, why = dlmp.attach_trailer(car, other)\n"
                  "assert(value == nil and why == 'the game does not hitch these models', why)\n"
                  "local train = assert(dlmp.create_vehicle{model = 537, x = 80, y = 80, z = 10})\n"
                  "assert(dlmp.set_train_speed(train, 10) == true)\n"
                  "local clockwise, derailed, speed = train:train()\n"
                  "assert(derailed == false and math.abs(speed - 10) < 0.01)\n"
                  "value, why = car:train()\n"
                  "assert(value == nil and why == 'it is no train', why)");
}
END_TEST

START_TEST(a_vehicle_is_hurt_repaired_and_respawned)
{
    api_run(
        &api,
        "assert(dlmp.set_vehicle_health(car, 300.5) and car:health() == 300.5)\n"
        "assert(dlmp.set_vehicle_damage_status(car, {doors = {0, 2, 4, 0, 0, 0}, wheels = {0, 1, 0, 2}}))\n"
        "local status = car:damage_status()\n"
        "assert(status.doors[3] == 4 and status.wheels[4] == 2 and status.panels == 0)\n"
        "assert(dlmp.set_vehicle_damage_status(car, {panels = 0x11}))\n"
        "assert(car:damage_status().doors[3] == 4 and car:damage_status().panels == 0x11)\n"
        "local value, why = dlmp.set_vehicle_damage_status(car, {doors = {0, 0}})\n"
        "assert(value == nil and why == 'doors must have 6 values', why)\n"
        "assert(dlmp.repair_vehicle(car) and car:health() == 1000 and car:damage_status().panels == 0)\n"
        "local epoch = car:epoch()\n"
        "assert(dlmp.respawn_vehicle(car) and car:epoch() == (epoch + 1) % 256)");
}
END_TEST

START_TEST(a_vehicle_is_moved_turned_and_held)
{
    api_run(&api, "assert(dlmp.set_vehicle_position(car, 100, 50, 20))\n"
                  "local x, y, z = car:position()\n"
                  "assert(x == 100 and y == 50 and z == 20)\n"
                  "local value, why = dlmp.set_vehicle_rotation(car, 0, 0, 0, 0.5)\n"
                  "assert(value == nil and type(why) == 'string')\n"
                  "assert(dlmp.set_vehicle_rotation(car, 0, 0, 1, 0))\n"
                  "assert(math.abs(car:heading() - 180) < 0.01)\n"
                  "assert(dlmp.set_vehicle_velocity(car, 10, 0, 0))\n"
                  "local vx = car:velocity()\n"
                  "assert(math.abs(vx - 10) < 0.01)\n"
                  "assert(dlmp.set_vehicle_frozen(car, true) and car:frozen())");
}
END_TEST

START_TEST(an_event_hands_over_handles_and_numbers)
{
    api_run(&api, "dlmp.on('vehicle_start_enter', function(vehicle, player, seat, jacked)\n"
                  "    assert(vehicle == car and player == alice and seat == 0 and jacked == nil)\n"
                  "    told = true\n"
                  "end)");
    stage_enter(api.stage, api.alice, api.car, 0);
    api_run(&api, "assert(told)");
}
END_TEST

Suite *script_api_calls_suite(void)
{
    Suite *suite = suite_create("script_api_calls");
    TCase *tcase = tcase_create("all");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, what_is_left_out_of_spawn_info_stays);
    tcase_add_test(tcase, what_is_left_out_of_a_teleport_stays);
    tcase_add_test(tcase, a_scope_of_another_shard_is_refused_with_its_name);
    tcase_add_test(tcase, a_spawn_that_lies_on_another_shard_is_refused_when_it_is_granted_or_before);
    tcase_add_test(tcase, a_player_is_spawned_at_once);
    tcase_add_test(tcase, what_is_set_on_a_player_is_read_back);
    tcase_add_test(tcase, an_animation_has_the_defaults_of_its_fields);
    tcase_add_test(tcase, a_camera_is_given_and_taken_back);
    tcase_add_test(tcase, stats_are_set_by_number);
    tcase_add_test(tcase, world_bounds_are_four_or_none);
    tcase_add_test(tcase, a_message_is_white_unless_it_has_a_color);
    tcase_add_test(tcase, a_vehicle_is_made_with_the_defaults_of_its_fields);
    tcase_add_test(tcase, what_cannot_be_made_is_refused_with_a_sentence);
    tcase_add_test(tcase, a_resource_that_stops_takes_its_vehicles_along);
    tcase_add_test(tcase, a_player_is_put_into_a_seat_and_taken_out);
    tcase_add_test(tcase, what_a_timer_does_to_seats_is_told_before_anything_else_happens);
    tcase_add_test(tcase, what_is_set_on_a_vehicle_is_read_back);
    tcase_add_test(tcase, a_property_that_does_not_exist_is_refused_with_those_that_do);
    tcase_add_test(tcase, a_lock_of_one_player_stands_for_the_vehicles);
    tcase_add_test(tcase, notes_are_kept_for_the_resource);
    tcase_add_test(tcase, notes_outlive_a_restart_of_their_resource);
    tcase_add_test(tcase, what_cannot_be_noted_is_refused);
    tcase_add_test(tcase, a_team_is_the_same_by_its_name);
    tcase_add_test(tcase, nobody_is_in_the_teams_of_a_resource_that_has_stopped);
    tcase_add_test(tcase, a_kick_is_the_gateways_to_carry_out);
    tcase_add_test(tcase, a_setting_is_asked_for);
    tcase_add_test(tcase, trailers_are_hooked_up_and_told);
    tcase_add_test(tcase, a_vehicle_is_hurt_repaired_and_respawned);
    tcase_add_test(tcase, a_vehicle_is_moved_turned_and_held);
    tcase_add_test(tcase, an_event_hands_over_handles_and_numbers);
    suite_add_tcase(suite, tcase);
    return suite;
}
