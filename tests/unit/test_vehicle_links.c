#include "common/random.h"
#include "shard/player_place.h"
#include "shard/tables/couplings.h"
#include "shard/vehicle_control.h"
#include "shard/vehicle_hitch.h"
#include "shard/vehicle_links.h"
#include "shard/vehicle_remote.h"
#include "tests/unit/event_log.h"
#include "tests/unit/link_stage.h"
#include "tests/unit/suites.h"

/* All that can be hitched, lifted and driven remotely, close together. */
static const uint16_t models[] = { 515, 606, 607, 591, 606, 525, 531, 411, 402, 548, 548, 441, 564, 583 };

enum { VEHICLES = sizeof models / sizeof models[0], CLIENTS = 4, STEPS = 4000 };

static struct stage *stage;
static struct rng rng;

/* What a client makes of the packets that it is sent. */
struct copy {
    uint32_t tractor_id;
    uint32_t lifter_id;
    bool synced;
};

static struct copy copies[CLIENTS][VEHICLES + 1];
static uint32_t driven[CLIENTS];

static struct vehicle *the(size_t index)
{
    return stage_vehicle(stage, index);
}

static struct stage_client *client_of(size_t index)
{
    return &stage->clients[2 + index];
}

static void setup(void)
{
    struct shard_vehicle vehicles[VEHICLES];

    for (size_t i = 0; i < VEHICLES; i++)
        vehicles[i] = stage_car(models[i], 2 * (double)i - 12, 3);
    stage = stage_new(vehicles, VEHICLES);
    the(9)->params.winch = WINCH_MAGNET;
    the(10)->params.winch = WINCH_SMALL_MAGNET;
    for (size_t i = 0; i < CLIENTS; i++) {
        stage_spawn(stage, (uint32_t)(2 + i), 4 * (float)i, 0);
        driven[i] = WIRE_NONE;
    }
}

static void teardown(void)
{
    stage_free(stage);
}

/* ---- chains */

START_TEST(a_chain_is_found_from_its_top_and_from_its_end)
{
    const struct world *world = &stage->shard->world;
    struct vehicle *below[VEHICLE_CHAIN_MAX];

    ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(1), the(0)), REASON_NONE);
    ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(2), the(1)), REASON_NONE);
    ck_assert_uint_eq(vehicle_attach_trailer(stage->shard, the(3), the(2)), REASON_NONE);
    stage_pump(stage);
    ck_assert_uint_eq(vehicle_chain_below(world, the(0), below), 3);
    ck_assert_ptr_eq(below[0], the(1));
    ck_assert_ptr_eq(below[1], the(2));
    ck_assert_ptr_eq(below[2], the(3));
    ck_assert_uint_eq(vehicle_chain_below(world, the(3), below), 0);
    ck_assert_ptr_eq(vehicle_chain_top(world, the(3)), the(0));
    ck_assert_ptr_eq(vehicle_chain_top(world, the(0)), the(0));
    ck_assert_ptr_eq(vehicle_holder(world, the(2)), the(1));
    ck_assert_ptr_null(vehicle_holder(world, the(0)));
    ck_assert_ptr_eq(vehicle_hanging(world, the(2)), the(3));
    ck_assert_ptr_null(vehicle_load(world, the(2)));
    ck_assert(vehicle_is_hitched(the(0)) && vehicle_is_hitched(the(3)) && !vehicle_is_hitched(the(5)));
}
END_TEST

/* ---- anything in any order */

static void take_packet(size_t client, const union wire_any *any, uint8_t id)
{
    switch (id) {
    case PACKET_VEHICLE_SYNC:
        copies[client][any->vehicle_sync.vehicle_id] =
            (struct copy){ .tractor_id = any->vehicle_sync.tractor_id,
                           .lifter_id = any->vehicle_sync.lifter_id };
        break;
    case PACKET_VEHICLE_TRAILER:
        copies[client][any->vehicle_trailer.trailer_id].tractor_id = any->vehicle_trailer.tractor_id;
        break;
    case PACKET_VEHICLE_LIFT:
        copies[client][any->vehicle_lift.vehicle_id].lifter_id = any->vehicle_lift.heli_id;
        break;
    case PACKET_VEHICLE_SYNCER:
        ck_assert(copies[client][any->vehicle_syncer.vehicle_id].synced != any->vehicle_syncer.active);
        copies[client][any->vehicle_syncer.vehicle_id].synced = any->vehicle_syncer.active;
        break;
    case PACKET_VEHICLE_REMOTE:
        driven[client] = any->vehicle_remote.vehicle_id;
        break;
    default:
        break;
    }
}

static void read_logs(void)
{
    for (size_t i = 0; i < CLIENTS; i++) {
        const struct stage_client *client = client_of(i);

        for (size_t at = 0; at < client->log_count; at++) {
            union wire_any any;
            struct wire_error error;

            ck_assert_ptr_nonnull(
                wire_decode(WIRE_S2C, client->log[at].bytes, client->log[at].size, &any, &error));
            take_packet(i, &any, client->log[at].bytes[0]);
        }
    }
    stage_forget(stage);
}

static void copies_agree(void)
{
    for (size_t i = 0; i < CLIENTS; i++) {
        ck_assert_uint_eq(driven[i], stage_player(stage, client_of(i))->remote_id);
        for (size_t at = 0; at < VEHICLES; at++) {
            const struct vehicle *vehicle = the(at);
            const struct copy *copy = &copies[i][vehicle->id];

            if (!stage_sees_vehicle(client_of(i), vehicle->id))
                continue;
            ck_assert_uint_eq(copy->tractor_id, vehicle->links.tractor_id);
            ck_assert_uint_eq(copy->lifter_id, vehicle->links.lifter_id);
            ck_assert(copy->synced == (vehicle->syncer == link_slot(stage, client_of(i))));
        }
    }
}

static struct vehicle *anything(void)
{
    return the(rng_below(&rng, VEHICLES));
}

/* Mostly whoever may ask for it. */
static struct stage_client *controller_of(const struct vehicle *vehicle, struct stage_client *otherwise)
{
    const struct player *player = vehicle == NULL ? NULL : vehicle_controller(stage->shard, vehicle);

    return player == NULL || rng_chance(&rng, 0.1) ? otherwise : &stage->clients[player->ref.id];
}

static void do_tow(struct stage_client *client)
{
    const struct vehicle *trailer = anything();
    const struct vehicle *tractor = rng_chance(&rng, 0.7) ? anything() : NULL;
    const struct vehicle *asks = tractor != NULL ? tractor : vehicle_tractor(&stage->shard->world, trailer);

    link_tow(stage, controller_of(asks, client), trailer, tractor);
}

static void do_winch(struct stage_client *client)
{
    const struct vehicle *load = anything();
    const struct vehicle *heli = rng_chance(&rng, 0.7) ? the(9 + rng_below(&rng, 2)) : NULL;
    const struct vehicle *asks = heli != NULL ? heli : vehicle_lifter(&stage->shard->world, load);

    link_winch(stage, controller_of(asks, client), load, heli);
}

static void do_seat(struct stage_client *client)
{
    struct player *player = stage_player(stage, client);

    if (player->vehicle != SLOT_NONE && rng_chance(&rng, 0.5))
        stage_exit(stage, client, world_vehicle_at(&stage->shard->world, player->vehicle)->id);
    else
        stage_enter(stage, client, anything()->id, (uint8_t)rng_below(&rng, 2));
}

static void do_place(struct stage_client *client)
{
    struct place to = { .pos = { (float)rng_below(&rng, 30) - 15, 0, 10 } };

    if (rng_chance(&rng, 0.2))
        to.scope.virtual_world = 2;
    if (rng_chance(&rng, 0.1))
        to.pos[0] = 1000;
    player_teleport(stage->shard, stage_player(stage, client), stage->now_ms, &to);
    stage_pump(stage);
    stage_run(stage, 100);
    stage_walk(stage, client, to.pos[0], 0);
}

static void do_life(struct stage_client *client)
{
    stage_die(stage, client);
    stage_run(stage, 1000);
    stage_request_respawn(stage, client);
    stage_walk(stage, client, client->pos[0], client->pos[1]);
}

static void do_frame(struct stage_client *client)
{
    struct vehicle *vehicle = anything();
    struct wire_vehicle_frame frame;

    client = controller_of(vehicle, client);
    frame = stage_frame(stage, client, vehicle);
    frame.state.pos[0] = (float)rng_below(&rng, 24) - 12;
    if (vehicle->model->vehicle_class == MODEL_RC && rng_chance(&rng, 0.1))
        frame.state.pos[0] = 190;
    stage_send_frame(stage, client, &frame);
}

static void do_release(void)
{
    enum links_why why = (enum links_why)rng_below(&rng, LINKS_REMOVAL);

    /* A wreck would be one for ever. */
    if (why != LINKS_WRECK)
        vehicle_links_release(stage->shard, anything(), why);
    stage_pump(stage);
}

static void do_gamemode(const struct stage_client *client)
{
    struct player *player = stage_player(stage, client);

    switch (rng_below(&rng, 4)) {
    case 0:
        vehicle_attach_trailer(stage->shard, anything(), anything());
        break;
    case 1:
        vehicle_detach_trailer(stage->shard, anything());
        break;
    case 2:
        vehicle_set_remote(stage->shard, player, anything(), rng_chance(&rng, 0.5));
        break;
    default:
        vehicle_remove_remote(stage->shard, player);
    }
    stage_pump(stage);
}

static void do_anything(struct stage_client *client)
{
    switch (rng_below(&rng, 12)) {
    case 0:
    case 1:
        do_seat(client);
        break;
    case 2:
    case 3:
        do_tow(client);
        break;
    case 4:
        do_winch(client);
        break;
    case 5:
        link_remote_enter(stage, client, the(11 + rng_below(&rng, 2))->id);
        break;
    case 6:
        link_remote_exit(stage, client, the(11 + rng_below(&rng, 2))->id);
        break;
    case 7:
        do_frame(client);
        break;
    case 8:
        link_pause(stage, client, rng_chance(&rng, 0.5));
        break;
    case 9:
        do_gamemode(client);
        break;
    case 10:
        if (rng_chance(&rng, 0.3))
            do_place(client);
        else if (rng_chance(&rng, 0.3))
            do_life(client);
        break;
    default:
        do_release();
    }
}

/* Handlers do something in a tenth of the events, and refuse some. */
static bool meddle(void *context, enum event event, const struct event_value *arguments, size_t count)
{
    size_t *depth = context;

    (void)arguments;
    (void)count;
    if (*depth == 0 && event != EVENT_VEHICLE_SYNCER && rng_chance(&rng, 0.3)) {
        ++*depth;
        vehicle_links_release(stage->shard, anything(), LINKS_TRANSFORM);
        vehicle_attach_trailer(stage->shard, anything(), anything());
        vehicle_set_remote(stage->shard, stage_player(stage, client_of(rng_below(&rng, CLIENTS))), anything(),
                           true);
        --*depth;
    }
    return rng_chance(&rng, 0.9);
}

START_TEST(in_any_order_of_requests_the_links_stay_whole_and_all_copies_agree)
{
    size_t depth = 0;
    struct event_hooks hooks = { .context = &depth, .raise = meddle };
    uint64_t towed = 0;

    rng_init_seeded(&rng, (uint64_t)_i + 1);
    shard_set_hooks(stage->shard, &hooks);
    for (enum event event = EVENT_TRAILER_ATTACH; event <= EVENT_PLAYER_REMOTE_EXIT; event++)
        event_listen(stage->shard, event, true);
    read_logs();
    for (int step = 0; step < STEPS; step++) {
        do_anything(client_of(rng_below(&rng, CLIENTS)));
        read_logs();
        stage->now_ms += 60;
        if (step % 16 == 0)
            stage_run(stage, 100);
        read_logs();
        for (size_t i = 0; i < VEHICLES; i++)
            towed += the(i)->links.tractor_id != WIRE_NONE || the(i)->links.lifter_id != WIRE_NONE;
        if (step % 16 == 0)
            copies_agree();
    }
    ck_assert_uint_gt(towed, STEPS / 4); /* it was about something */
}
END_TEST

Suite *vehicle_links_suite(void)
{
    Suite *suite = suite_create("vehicle_links");
    TCase *tcase = tcase_create("links");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_chain_is_found_from_its_top_and_from_its_end);
    tcase_add_loop_test(tcase, in_any_order_of_requests_the_links_stay_whole_and_all_copies_agree, 0, 8);
    suite_add_tcase(suite, tcase);
    return suite;
}
