/* settings.h - what the whole cluster's settings say to a gateway.
 *
 * They come from the coordinator as a bus message; here they are checked and copied into a struct of fixed
 * size. A part that is out of its range is refused by itself, and the others hold.
 *
 * Spec: Connection, "Configuration keys of this page". */
#ifndef DLMP_GATEWAY_SETTINGS_H
#define DLMP_GATEWAY_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gateway/limits.h"
#include "gateway/ticket.h"
#include "gen/bus.pb-c.h"
#include "proto/game.h"

enum {
    SETTINGS_NAME_SIZE = 65,
    SETTINGS_GAMEMODE_SIZE = 33,
    SETTINGS_LANGUAGE_SIZE = 17,
    SETTINGS_PASSWORD_SIZE = 64,
    SETTINGS_KEYS_MAX = 16,  /* ours: an operator that changes its key has two */
    SETTINGS_RULES_MAX = 64, /* ours */
    SETTINGS_RULE_KEY_SIZE = 33,
    SETTINGS_RULE_VALUE_SIZE = 65,
};

struct settings {
    bool known; /* the coordinator has told them */
    uint64_t revision;
    char server_name[SETTINGS_NAME_SIZE];
    char gamemode[SETTINGS_GAMEMODE_SIZE];
    char language[SETTINGS_LANGUAGE_SIZE];
    char password[SETTINGS_PASSWORD_SIZE];
    uint16_t max_players;
    uint16_t heartbeat_ms;
    bool require_account;
    uint8_t public_keys[SETTINGS_KEYS_MAX][TICKET_KEY_SIZE];
    size_t public_keys_count;
    uint64_t cluster_id;
    struct settings_rule {
        char key[SETTINGS_RULE_KEY_SIZE];
        char value[SETTINGS_RULE_VALUE_SIZE];
    } rules[SETTINGS_RULES_MAX];
    size_t rules_count;
    struct limits limits;
    struct game_settings game; /* the drive-by intervals of ServerHello */
    uint64_t game_revision;
};

void gateway_settings_init(struct settings *settings);
/* How many of its parts were refused. A revision older than the known one changes nothing. */
size_t gateway_settings_apply(struct settings *settings, const Bus__ClusterSettings *from);
/* The settings of the game. False: malformed, nothing is changed. An older update changes nothing. */
bool gateway_settings_update(struct settings *settings, const Bus__GameUpdate *update, uint64_t now_ms);

#endif
