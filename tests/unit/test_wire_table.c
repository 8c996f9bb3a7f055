#include <check.h>
#include <stdio.h>

#include "tests/unit/suites.h"
#include "tests/unit/wire_samples.h"

/* The table "Packet IDs" of the index page, row by row. */
enum page_direction { C2S, S2C, BOTH };
/* clang-format off */
static const struct page_row {
    uint8_t id;
    enum page_direction direction;
    const char *name;
    const char *page;
} page_rows[] = {
    { 0x01, C2S, "ClientHello", "Connection" },
    { 0x02, S2C, "ServerHello", "Connection" },
    { 0x03, C2S, "PlayerSync", "Player" },
    { 0x04, S2C, "RemotePlayerSync", "Player" },
    { 0x05, C2S, "ClientBye", "Connection" },
    { 0x06, S2C, "PlayerLeave", "Connection" },
    { 0x07, C2S, "ClientChat", "Chat, HUD and dialogs" },
    { 0x08, S2C, "ChatMessage", "Chat, HUD and dialogs" },
    { 0x09, C2S, "WeaponShot", "Combat" },
    { 0x0A, S2C, "RemoteWeaponShot", "Combat" },
    { 0x0B, C2S, "DamageReport", "Combat" },
    { 0x0C, C2S, "RespawnRequest", "Player" },
    { 0x0D, S2C, "RespawnPlayer", "Player" },
    { 0x0E, C2S, "ClientAck", "Connection" },
    { 0x0F, S2C, "ServerAck", "Connection" },
    { 0x10, S2C, "PlayerSkills", "Player" },
    { 0x11, S2C, "SetWanted", "Player" },
    { 0x12, S2C, "PickupSync", "World" },
    { 0x13, C2S, "PickupTouch", "World" },
    { 0x14, S2C, "KickNotify", "Connection" },
    { 0x15, S2C, "TeleportPlayer", "Player" },
    { 0x16, S2C, "GiveWeapon", "Combat" },
    { 0x17, S2C, "GiveHealth", "Combat" },
    { 0x18, S2C, "GiveArmor", "Combat" },
    { 0x19, C2S, "ClientCommand", "Chat, HUD and dialogs" },
    { 0x1A, S2C, "ServerMessage", "Chat, HUD and dialogs" },
    { 0x1B, C2S, "DeathReport", "Player" },
    { 0x1C, S2C, "PlayerWasted", "Player" },
    { 0x1D, S2C, "PlayerSpawned", "Player" },
    { 0x1E, S2C, "SetHealth", "Combat" },
    { 0x1F, S2C, "SetArmor", "Combat" },
    { 0x20, S2C, "SetSkin", "Player" },
    { 0x21, S2C, "SetTime", "World" },
    { 0x22, S2C, "SetWeather", "World" },
    { 0x23, S2C, "RunClock", "World" },
    { 0x24, S2C, "TakeWeapon", "Combat" },
    { 0x25, S2C, "SetWeaponAmmo", "Combat" },
    { 0x26, S2C, "ClearWeapons", "Combat" },
    { 0x27, S2C, "SetArmedWeapon", "Combat" },
    { 0x28, S2C, "SetMoney", "Player" },
    { 0x29, C2S, "RequestSpawn", "Player" },
    { 0x2A, S2C, "SpawnPlayer", "Player" },
    { 0x2B, S2C, "ApplyAnimation", "Player" },
    { 0x2C, S2C, "ClearAnimations", "Player" },
    { 0x2D, S2C, "SetWalkingStyle", "Player" },
    { 0x2E, S2C, "SetAnimationProgress", "Player" },
    { 0x2F, S2C, "SetAnimationSpeed", "Player" },
    { 0x30, C2S, "ProjectileCreate", "Combat" },
    { 0x31, S2C, "RemoteProjectileCreate", "Combat" },
    { 0x32, C2S, "SatchelDetonate", "Combat" },
    { 0x33, S2C, "RemoteSatchelDetonate", "Combat" },
    { 0x34, C2S, "StealthKillRequest", "Combat" },
    { 0x35, S2C, "RemoteStealthKill", "Combat" },
    { 0x36, S2C, "VehicleSync", "Vehicles" },
    { 0x37, C2S, "VehicleEnter", "Vehicles" },
    { 0x38, C2S, "VehicleExit", "Vehicles" },
    { 0x39, S2C, "VehicleOccupancy", "Vehicles" },
    { 0x3A, C2S, "VehicleFrame", "Vehicles" },
    { 0x3B, S2C, "RemoteVehicleFrame", "Vehicles" },
    { 0x3C, S2C, "VehicleSyncer", "Vehicles" },
    { 0x3D, C2S, "VehicleExplode", "Vehicles" },
    { 0x3E, S2C, "VehicleDeath", "Vehicles" },
    { 0x3F, C2S, "VehicleDamage", "Vehicles" },
    { 0x40, S2C, "RemoteVehicleDamage", "Vehicles" },
    { 0x41, S2C, "VehicleHealth", "Vehicles" },
    { 0x42, S2C, "VehicleParams", "Vehicles" },
    { 0x43, C2S, "VehicleControl", "Vehicles" },
    { 0x44, C2S, "LethalDamageReport", "Combat" },
    { 0x45, S2C, "PlayerStreamOut", "Player" },
    { 0x46, S2C, "DriveByIntervals", "Combat" },
    { 0x47, C2S, "VehicleShot", "Vehicles" },
    { 0x48, S2C, "RemoteVehicleShot", "Vehicles" },
    { 0x49, C2S, "VehicleTow", "Vehicles" },
    { 0x4A, S2C, "VehicleTrailer", "Vehicles" },
    { 0x4B, S2C, "TrainState", "Vehicles" },
    { 0x4C, S2C, "VehicleRemote", "Vehicles" },
    { 0x4D, C2S, "VehicleRemoteExit", "Vehicles" },
    { 0x4E, C2S, "VehicleRemoteEnter", "Vehicles" },
    { 0x4F, C2S, "VehicleWinch", "Vehicles" },
    { 0x50, S2C, "VehicleLift", "Vehicles" },
    { 0x51, S2C, "GarageDoors", "World" },
    { 0x52, S2C, "VehicleTuning", "Vehicles" },
    { 0x53, S2C, "VehicleHandling", "Vehicles" },
    { 0x54, S2C, "VehicleTransform", "Vehicles" },
    { 0x55, S2C, "VehicleColors", "Vehicles" },
    { 0x56, S2C, "SetFightingStyle", "Player" },
    { 0x57, S2C, "SetHeadless", "Player" },
    { 0x58, S2C, "SetOnFire", "Player" },
    { 0x59, S2C, "SetSpecialAction", "Player" },
    { 0x5A, S2C, "CreateExplosion", "Combat" },
    { 0x5B, S2C, "DetonateSatchels", "Combat" },
    { 0x5C, S2C, "DestroySatchels", "Combat" },
    { 0x5D, S2C, "ScopeChanged", "Player" },
    { 0x5E, S2C, "CreateFire", "Combat" },
    { 0x5F, S2C, "ExtinguishFire", "Combat" },
    { 0x60, S2C, "WeaponProperties", "Combat" },
    { 0x61, S2C, "UiTheme", "Chat, HUD and dialogs" },
    { 0x62, S2C, "PlatformKeys", "Chat, HUD and dialogs" },
    { 0x63, S2C, "ActionDeclare", "Chat, HUD and dialogs" },
    { 0x64, S2C, "ActionRemove", "Chat, HUD and dialogs" },
    { 0x65, C2S, "ActionInput", "Chat, HUD and dialogs" },
    { 0x66, S2C, "Label3D", "World" },
    { 0x67, S2C, "Checkpoint", "World" },
    { 0x68, S2C, "Blip", "World" },
    { 0x69, S2C, "DialogShow", "Chat, HUD and dialogs" },
    { 0x6A, S2C, "DialogHide", "Chat, HUD and dialogs" },
    { 0x6B, C2S, "DialogResponse", "Chat, HUD and dialogs" },
    { 0x6C, S2C, "HudAnnouncement", "Chat, HUD and dialogs" },
    { 0x6D, S2C, "HudCountdown", "Chat, HUD and dialogs" },
    { 0x6E, S2C, "HudStatusLine", "Chat, HUD and dialogs" },
    { 0x6F, S2C, "HudKillFeedAdd", "Chat, HUD and dialogs" },
    { 0x70, S2C, "HudKillFeedClear", "Chat, HUD and dialogs" },
    { 0x71, S2C, "GangZone", "World" },
    { 0x72, S2C, "SetFrozen", "Player" },
    { 0x73, S2C, "SetCamera", "Player" },
    { 0x74, S2C, "PlayerNametag", "Chat, HUD and dialogs" },
    { 0x75, S2C, "PlayerListEntry", "Chat, HUD and dialogs" },
    { 0x76, S2C, "ConnectReject", "Connection" },
    { 0x77, S2C, "DialogTableRows", "Chat, HUD and dialogs" },
    { 0x78, S2C, "DialogTable", "Chat, HUD and dialogs" },
    { 0x79, S2C, "ActionPrompt", "Chat, HUD and dialogs" },
    { 0x7A, S2C, "HudProgress", "Chat, HUD and dialogs" },
    { 0x7B, S2C, "HudNotificationAdd", "Chat, HUD and dialogs" },
    { 0x7C, S2C, "HudNotificationClear", "Chat, HUD and dialogs" },
    { 0x7D, S2C, "DialogForm", "Chat, HUD and dialogs" },
    { 0x7E, C2S, "DialogFormResponse", "Chat, HUD and dialogs" },
    { 0x7F, S2C, "MenuItems", "Chat, HUD and dialogs" },
    { 0x80, S2C, "MenuShow", "Chat, HUD and dialogs" },
    { 0x81, S2C, "MenuHide", "Chat, HUD and dialogs" },
    { 0x82, C2S, "MenuInput", "Chat, HUD and dialogs" },
    { 0x83, S2C, "OfferShow", "Chat, HUD and dialogs" },
    { 0x84, S2C, "OfferHide", "Chat, HUD and dialogs" },
    { 0x85, C2S, "OfferResponse", "Chat, HUD and dialogs" },
    { 0x86, S2C, "ObjectiveMarker", "Chat, HUD and dialogs" },
    { 0x87, S2C, "HudGauge", "Chat, HUD and dialogs" },
    { 0x88, S2C, "HudSpeedometer", "Chat, HUD and dialogs" },
    { 0x89, S2C, "PlayerChatBubble", "Chat, HUD and dialogs" },
    { 0x8A, S2C, "ObjectState", "World" },
    { 0x8B, S2C, "ConnectChallenge", "Connection" },
    { 0x8C, S2C, "ServerKeepalive", "Connection" },
    { 0x8D, C2S, "EntityEdit", "Map editing" },
    { 0x8E, C2S, "EditCamera", "Map editing" },
    { 0x8F, S2C, "EditState", "Map editing" },
    { 0x90, S2C, "SetVelocity", "Player" },
    { 0x91, S2C, "SetGravity", "Player" },
    { 0x92, S2C, "SetDrunkLevel", "Player" },
    { 0x93, S2C, "SetPlayerStats", "Player" },
    { 0x94, S2C, "SetWorldBounds", "Player" },
    { 0x95, S2C, "ColshapeShape", "World" },
    { 0x96, S2C, "ResourceFiles", "Resource files and views" },
    { 0x97, S2C, "ResourceRemove", "Resource files and views" },
    { 0x98, S2C, "ViewOpen", "Resource files and views" },
    { 0x99, S2C, "ViewClose", "Resource files and views" },
    { 0x9A, S2C, "ViewData", "Resource files and views" },
    { 0x9B, C2S, "ViewStatus", "Resource files and views" },
    { 0x9C, C2S, "ViewAction", "Resource files and views" },
    { 0x9D, C2S, "PlayerWaypoint", "World" },
    { 0x9E, S2C, "SetWaypoint", "World" },
    { 0x9F, C2S, "ClientPong", "Connection" },
    { 0xA0, S2C, "DamageMultipliers", "Combat" },
    { 0xA1, S2C, "AuthAccepted", "Connection" },
    { 0xA2, C2S, "AuthAssertion", "Connection" },
    { 0xFF, BOTH, "Server query", "Connection" },
};
/* clang-format on */
enum { PAGE_ROWS = sizeof page_rows / sizeof page_rows[0] };

static const struct page_row *page_row(uint8_t id)
{
    for (size_t i = 0; i < PAGE_ROWS; i++) {
        if (page_rows[i].id == id)
            return &page_rows[i];
    }
    return NULL;
}

static bool goes(const struct page_row *row, enum wire_direction direction)
{
    return row != NULL && (row->direction == BOTH || (row->direction == C2S) == (direction == WIRE_C2S));
}

START_TEST(the_table_is_the_index_pages)
{
    ck_assert_uint_eq(PAGE_ROWS, 163);
    for (size_t i = 0; i < PAGE_ROWS; i++) {
        const struct page_row *row = &page_rows[i];
        const struct wire_packet *packet = wire_packet_by_name(row->name);

        if (row->direction == BOTH)
            continue;
        REQUIRE(packet != NULL, "%s is missing", row->name);
        REQUIRE(packet->id == row->id, "%s has id 0x%02X", row->name, packet->id);
        REQUIRE(goes(row, packet->direction), "%s goes the wrong way", row->name);
        ck_assert_str_eq(packet->page, row->page);
    }
}
END_TEST

START_TEST(the_table_has_nothing_the_index_page_has_not)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        const struct wire_packet *packet = wire_packets[i];
        const struct page_row *row = page_row(packet->id);

        REQUIRE(row != NULL, "%s", packet->layout->name);
        REQUIRE(row->direction == BOTH || strcmp(row->name, packet->layout->name) == 0, "%s", row->name);
    }
}
END_TEST

START_TEST(the_server_query_has_four_shapes)
{
    static const struct shape {
        const char *name;
        enum wire_direction direction;
    } shapes[] = {
        { "QueryRequest", WIRE_C2S },
        { "QueryInfo", WIRE_S2C },
        { "QueryPlayers", WIRE_S2C },
        { "QueryRules", WIRE_S2C },
    };

    ck_assert_uint_eq(WIRE_PACKETS, PAGE_ROWS - 1 + sizeof shapes / sizeof shapes[0]);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct wire_packet *packet = wire_packet_by_name(shapes[i].name);

        REQUIRE(packet != NULL, "%s is missing", shapes[i].name);
        ck_assert_uint_eq(packet->id, 0xFF);
        ck_assert_int_eq(packet->direction, shapes[i].direction);
        ck_assert_str_eq(packet->page, "Connection");
    }
}
END_TEST

START_TEST(packets_are_numbered_without_gaps_in_the_order_of_their_ids)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        ck_assert_uint_eq(wire_packets[i]->index, i);
        if (i > 0)
            ck_assert_uint_ge(wire_packets[i]->id, wire_packets[i - 1]->id);
        ck_assert_ptr_eq(wire_packet_by_name(wire_packets[i]->layout->name), wire_packets[i]);
    }
    ck_assert_ptr_null(wire_packet_by_name("VehicleEnte"));
    ck_assert_ptr_null(wire_packet_by_name("vehicle_enter"));
    ck_assert_ptr_null(wire_packet_by_name(""));
}
END_TEST

/* Every id in both directions, so that 0x00, 0xA3..=0xFE and the packets of the other direction are among
 * them. */
START_TEST(an_id_is_known_in_its_own_direction_only)
{
    static const enum wire_direction directions[] = { WIRE_C2S, WIRE_S2C };

    for (unsigned id = 0; id < 0xFF; id++) {
        for (size_t d = 0; d < 2; d++) {
            uint8_t bytes[2] = { (uint8_t)id, 0 };
            struct wire_error error = { .why = WIRE_ACCEPTED };
            const struct wire_packet *packet = wire_identify(directions[d], bytes, sizeof bytes, &error);
            union wire_any value;

            if (goes(page_row((uint8_t)id), directions[d])) {
                REQUIRE(packet != NULL && packet->id == id && packet->direction == directions[d], "0x%02X",
                        id);
                continue;
            }
            REQUIRE(packet == NULL && error.why == WIRE_UNKNOWN && error.field == NULL, "0x%02X", id);
            ck_assert_ptr_null(wire_decode(directions[d], bytes, sizeof bytes, &value, &error));
            ck_assert_int_eq(error.why, WIRE_UNKNOWN);
        }
    }
}
END_TEST

START_TEST(a_server_query_is_known_by_its_kind)
{
    for (unsigned kind = 0; kind <= 0xFF; kind++) {
        uint8_t bytes[2] = { 0xFF, (uint8_t)kind };
        struct wire_error error = { .why = WIRE_ACCEPTED };
        const struct wire_packet *packet = wire_identify(WIRE_S2C, bytes, sizeof bytes, &error);
        const char *name = kind == 0x80   ? "QueryInfo"
                           : kind == 0x81 ? "QueryPlayers"
                           : kind == 0x82 ? "QueryRules"
                                          : NULL;

        if (name == NULL)
            REQUIRE(packet == NULL && error.why == WIRE_UNKNOWN, "kind 0x%02X", kind);
        else
            REQUIRE(packet == wire_packet_by_name(name), "kind 0x%02X", kind);
    }
}
END_TEST

START_TEST(a_server_query_without_a_kind_is_short)
{
    const uint8_t bytes[] = { 0xFF };
    struct wire_error error = { .why = WIRE_ACCEPTED };

    ck_assert_ptr_null(wire_identify(WIRE_S2C, bytes, sizeof bytes, &error));
    ck_assert_int_eq(error.why, WIRE_SHORT);
}
END_TEST

START_TEST(an_empty_datagram_is_refused_as_empty)
{
    union wire_any value;
    struct wire_error error = { .why = WIRE_ACCEPTED };

    ck_assert_ptr_null(wire_identify(WIRE_C2S, NULL, 0, &error));
    ck_assert_int_eq(error.why, WIRE_EMPTY);
    error.why = WIRE_ACCEPTED;
    ck_assert_ptr_null(wire_decode(WIRE_S2C, NULL, 0, &value, &error));
    ck_assert_int_eq(error.why, WIRE_EMPTY);
    ck_assert_ptr_null(error.field);
}
END_TEST

START_TEST(no_decoder_takes_another_packets_id)
{
    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);
        uint8_t bytes[WIRE_PACKET_SIZE_MAX];
        union wire_any value;
        struct wire_error error = { .why = WIRE_ACCEPTED };

        memcpy(bytes, sample->bytes, sample->size);
        bytes[0]++;
        REQUIRE(!sample->packet->decode(&value, bytes, sample->size, &error), "%s", sample->name);
        REQUIRE(error.why == WIRE_UNKNOWN, "%s: %s", sample->name, wire_why_name(error.why));
    }
}
END_TEST

/* Protocol, "Reliable event lane": a packet is on the lane when its layout carries event_id: u32. */
START_TEST(a_packet_with_an_event_id_is_on_the_lane)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        const struct wire_packet *packet = wire_packets[i];
        const char *name = packet->layout->name;
        const struct wire_field *event_id =
            wire_field_by_name(packet->layout, "event_id", strlen("event_id"));

        if (event_id == NULL) {
            REQUIRE(packet->lane == WIRE_UNRELIABLE && packet->event_id_at == 0, "%s", name);
            REQUIRE(packet->delivery == WIRE_DELIVERY_NONE, "%s", name);
            continue;
        }
        REQUIRE(packet->lane == WIRE_RELIABLE && event_id->type == WIRE_U32, "%s", name);
        REQUIRE(packet->event_id_at > 0 && packet->event_id_at == event_id->wire_offset, "%s", name);
        REQUIRE((packet->delivery != WIRE_DELIVERY_NONE) == (packet->direction == WIRE_S2C), "%s", name);
    }
}
END_TEST

START_TEST(client_packets_carry_the_session_token_but_for_the_first_and_the_query)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        const struct wire_packet *packet = wire_packets[i];
        const char *name = packet->layout->name;
        const struct wire_field *first = &packet->layout->fields[0];
        bool expected = packet->direction == WIRE_C2S && strcmp(name, "ClientHello") != 0 &&
                        strcmp(name, "QueryRequest") != 0;

        REQUIRE(packet->has_token == expected, "%s", name);
        if (expected)
            REQUIRE(first->type == WIRE_U64 && first->wire_offset == 1 &&
                        strstr(first->name, "token") != NULL,
                    "%s", name);
    }
}
END_TEST

/* ---- sizes ---- */

struct sizes {
    size_t min;
    size_t max;
};

static struct sizes sizes_of_struct(const struct wire_struct *layout, size_t start);

static struct sizes sizes_of_field(const struct wire_field *field)
{
    size_t count = field->count > 0 ? field->count : 1;
    struct sizes item;

    switch (field->type) {
    case WIRE_STR8:
    case WIRE_STR16:
    case WIRE_BYTES16:
        ck_assert_uint_eq(field->prefix, field->type == WIRE_STR8 ? 1 : 2);
        return (struct sizes){ field->prefix + (size_t)field->min, field->prefix + (size_t)field->max };
    case WIRE_LIST:
        item = sizes_of_struct(field->of, 0);
        return (struct sizes){ field->prefix + item.min * (size_t)field->min,
                               field->prefix + item.max * (size_t)field->max };
    case WIRE_STRUCT:
        item = sizes_of_struct(field->of, 0);
        return (struct sizes){ item.min * count, item.max * count };
    default:
        return (struct sizes){ number_size(field->type) * count, number_size(field->type) * count };
    }
}

/* Checks on the way that each field stands where the fields before it end. */
static struct sizes sizes_of_struct(const struct wire_struct *layout, size_t start)
{
    struct sizes sizes = { start, start };

    for (size_t f = 0; f < layout->fields_count; f++) {
        const struct wire_field *field = &layout->fields[f];
        struct sizes own = sizes_of_field(field);

        REQUIRE(field->wire_offset == (sizes.min == sizes.max ? sizes.min : WIRE_VARIES), "%s.%s",
                layout->name, field->name);
        sizes.min += own.min;
        sizes.max += own.max;
    }
    REQUIRE(sizes.min == layout->min_size && sizes.max == layout->max_size, "%s", layout->name);
    return sizes;
}

START_TEST(sizes_and_offsets_follow_from_the_fields)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        struct sizes sizes = sizes_of_struct(wire_packets[i]->layout, 1);

        ck_assert_uint_le(sizes.max, WIRE_PACKET_SIZE_MAX);
    }
    for (size_t i = 0; i < samples_count(); i++) {
        const struct sample *sample = sample_at(i);

        REQUIRE(sample->size >= sample->packet->layout->min_size &&
                    sample->size <= sample->packet->layout->max_size,
                "%s", sample->name);
    }
}
END_TEST

static const struct wire_struct *layout_of(const char *packet)
{
    return wire_packet_by_name(packet)->layout;
}

/* What a server answers to an address that is not proven must not be worth spoofing the address for. */
START_TEST(an_answer_before_the_cookie_is_no_larger_than_its_request)
{
    ck_assert_uint_le(layout_of("ConnectChallenge")->max_size, layout_of("ClientHello")->min_size);
    ck_assert_uint_le(layout_of("QueryInfo")->max_size, layout_of("QueryRequest")->min_size);
    ck_assert_uint_le(layout_of("QueryPlayers")->max_size, layout_of("QueryRequest")->min_size);
    ck_assert_uint_le(layout_of("QueryRules")->max_size, layout_of("QueryRequest")->min_size);
}
END_TEST

/* Every other packet of a client starts with a token, which only a proven address has. */
START_TEST(nothing_but_the_hello_and_the_query_is_taken_without_a_token)
{
    size_t open = 0;

    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        if (wire_packets[i]->direction == WIRE_C2S && !wire_packets[i]->has_token)
            open++;
    }
    ck_assert_uint_eq(open, 2);
}
END_TEST

/* ---- words ---- */

START_TEST(a_field_is_found_by_its_whole_name)
{
    const struct wire_struct *layout = layout_of("VehicleEnter");

    ck_assert_ptr_eq(wire_field_by_name(layout, "seat", 4), &layout->fields[3]);
    ck_assert_ptr_eq(wire_field_by_name(layout, "seat[0]", 4), &layout->fields[3]);
    ck_assert_ptr_null(wire_field_by_name(layout, "seats", 5));
    ck_assert_ptr_null(wire_field_by_name(layout, "seat", 3));
    ck_assert_ptr_null(wire_field_by_name(layout, "", 0));
}
END_TEST

START_TEST(every_why_has_a_word_of_its_own)
{
    for (enum wire_why why = WIRE_ACCEPTED; why < WIRE_WHYS; why++) {
        ck_assert_ptr_nonnull(wire_why_name(why));
        for (enum wire_why other = WIRE_ACCEPTED; other < why; other++)
            ck_assert_str_ne(wire_why_name(why), wire_why_name(other));
    }
}
END_TEST

/* Into a room of every size up to more than is needed: the text is cut and terminated, nothing behind it
 * is touched. */
static void assert_fits(const struct wire_error *error, const struct wire_field *field)
{
    char whole[1024];
    char text[sizeof whole];
    char expected[sizeof whole];
    size_t size;

    if (error != NULL)
        wire_error_format(error, whole, sizeof whole);
    else
        wire_field_expects(field, whole, sizeof whole);
    size = strlen(whole);
    REQUIRE(size > 0 && size + 8 < sizeof whole, "%zu characters", size);
    for (size_t room = 1; room < size + 8; room++) {
        char *result;

        memset(text, '#', sizeof text);
        memset(expected, '#', sizeof expected);
        memcpy(expected, whole, size < room ? size + 1 : room);
        expected[size < room ? size : room - 1] = '\0';
        result = error != NULL ? wire_error_format(error, text, room) : wire_field_expects(field, text, room);
        REQUIRE(result == text && memcmp(text, expected, sizeof text) == 0, "room for %zu: %.*s", room,
                (int)room, text);
    }
}

START_TEST(what_a_field_expects_is_said_in_any_room)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        const struct wire_struct *layout = wire_packets[i]->layout;

        for (size_t f = 0; f < layout->fields_count; f++)
            assert_fits(NULL, &layout->fields[f]);
    }
}
END_TEST

START_TEST(a_refusal_is_said_in_any_room)
{
    const struct wire_struct *layout = layout_of("VehicleFrame");
    const struct wire_field *state = &layout->fields[3];

    for (enum wire_why why = WIRE_EMPTY; why < WIRE_WHYS; why++) {
        struct wire_error error = {
            .why = why, .within = state, .field = &state->of->fields[0], .within_index = -1
        };

        if (why == WIRE_RULE)
            error.rule = &layout_of("ServerHello")->rules[0];
        assert_fits(&error, NULL);
    }
}
END_TEST

START_TEST(a_refusal_names_the_place_and_what_is_expected)
{
    const struct wire_struct *frame = layout_of("VehicleFrame");
    const struct wire_field *state = &frame->fields[3];
    struct wire_error error = { .why = WIRE_NOT_FINITE,
                                .within = state,
                                .field = &state->of->fields[0],
                                .within_index = -1,
                                .index = 1 };
    char text[256];

    ck_assert_str_eq(wire_error_format(&error, text, sizeof text),
                     "state.pos[1]: NaN or infinite, expected a finite number");
    error = (struct wire_error){ .why = WIRE_SHORT, .within_index = -1, .index = -1 };
    ck_assert_str_eq(wire_error_format(&error, text, sizeof text), "too short for its layout");
    error = (struct wire_error){
        .why = WIRE_RANGE, .field = &layout_of("DialogTable")->fields[8], .within_index = -1, .index = -1
    };
    ck_assert_str_eq(wire_error_format(&error, text, sizeof text), "columns: expected 1..=8 items");
}
END_TEST

Suite *wire_table_suite(void)
{
    Suite *suite = suite_create("wire_table");
    TCase *tcase = tcase_create("table");

    tcase_add_unchecked_fixture(tcase, samples_load, samples_free);
    tcase_add_test(tcase, the_table_is_the_index_pages);
    tcase_add_test(tcase, the_table_has_nothing_the_index_page_has_not);
    tcase_add_test(tcase, the_server_query_has_four_shapes);
    tcase_add_test(tcase, packets_are_numbered_without_gaps_in_the_order_of_their_ids);
    tcase_add_test(tcase, an_id_is_known_in_its_own_direction_only);
    tcase_add_test(tcase, a_server_query_is_known_by_its_kind);
    tcase_add_test(tcase, a_server_query_without_a_kind_is_short);
    tcase_add_test(tcase, an_empty_datagram_is_refused_as_empty);
    tcase_add_test(tcase, no_decoder_takes_another_packets_id);
    tcase_add_test(tcase, a_packet_with_an_event_id_is_on_the_lane);
    tcase_add_test(tcase, client_packets_carry_the_session_token_but_for_the_first_and_the_query);
    tcase_add_test(tcase, sizes_and_offsets_follow_from_the_fields);
    tcase_add_test(tcase, an_answer_before_the_cookie_is_no_larger_than_its_request);
    tcase_add_test(tcase, nothing_but_the_hello_and_the_query_is_taken_without_a_token);
    tcase_add_test(tcase, a_field_is_found_by_its_whole_name);
    tcase_add_test(tcase, every_why_has_a_word_of_its_own);
    tcase_add_test(tcase, what_a_field_expects_is_said_in_any_room);
    tcase_add_test(tcase, a_refusal_is_said_in_any_room);
    tcase_add_test(tcase, a_refusal_names_the_place_and_what_is_expected);
    suite_add_tcase(suite, tcase);
    return suite;
}
