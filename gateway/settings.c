#include "gateway/settings.h"

#include <string.h>

#include "common/text.h"
#include "gen/wire.h"

enum { HEARTBEAT_MIN_MS = 20, HEARTBEAT_MAX_MS = 1000, HEARTBEAT_MS = 100, MAX_PLAYERS = 1000 };

void gateway_settings_init(struct settings *settings)
{
    *settings = (struct settings){ .max_players = MAX_PLAYERS, .heartbeat_ms = HEARTBEAT_MS };
    limits_init(&settings->limits);
    game_init(&settings->game, 0);
}

/* Leaves the text as it was when the new one does not fit or is none for the wire. */
static size_t take_text(char *to, size_t room, const char *from)
{
    size_t size = strlen(from);

    if (size >= room || !text_is_plain((struct span){ (const uint8_t *)from, size }))
        return 1;
    memcpy(to, from, size + 1);
    return 0;
}

static size_t take_keys(struct settings *settings, const Bus__ClusterSettings *from)
{
    size_t refused = 0;

    settings->public_keys_count = 0;
    for (size_t i = 0; i < from->n_public_keys; i++) {
        if (from->public_keys[i].len != TICKET_KEY_SIZE || settings->public_keys_count == SETTINGS_KEYS_MAX) {
            refused++;
            continue;
        }
        memcpy(settings->public_keys[settings->public_keys_count++], from->public_keys[i].data,
               TICKET_KEY_SIZE);
    }
    return refused;
}

static size_t take_rules(struct settings *settings, const Bus__ClusterSettings *from)
{
    size_t refused = 0;

    settings->rules_count = 0;
    for (size_t i = 0; i < from->n_rules; i++) {
        struct settings_rule rule = { 0 };
        size_t wrong = 0;

        wrong += take_text(rule.key, sizeof rule.key, from->rules[i]->key);
        wrong += take_text(rule.value, sizeof rule.value, from->rules[i]->value);
        if (wrong > 0 || rule.key[0] == '\0' || settings->rules_count == SETTINGS_RULES_MAX)
            refused++;
        else
            settings->rules[settings->rules_count++] = rule;
    }
    return refused;
}

size_t gateway_settings_apply(struct settings *settings, const Bus__ClusterSettings *from)
{
    size_t refused = 0;

    if (settings->known && from->revision < settings->revision)
        return 0;
    settings->known = true;
    settings->revision = from->revision;
    refused += take_text(settings->server_name, sizeof settings->server_name, from->server_name);
    refused += take_text(settings->gamemode, sizeof settings->gamemode, from->gamemode);
    refused += take_text(settings->language, sizeof settings->language, from->language);
    refused += take_text(settings->password, sizeof settings->password, from->password);
    if (from->max_players > 0 && from->max_players <= UINT16_MAX)
        settings->max_players = (uint16_t)from->max_players;
    else
        refused++;
    if (from->heartbeat_ms >= HEARTBEAT_MIN_MS && from->heartbeat_ms <= HEARTBEAT_MAX_MS)
        settings->heartbeat_ms = (uint16_t)from->heartbeat_ms;
    else
        refused++;
    settings->require_account = from->require_account;
    settings->cluster_id = from->cluster_id;
    refused += take_keys(settings, from);
    refused += take_rules(settings, from);
    for (size_t i = 0; i < from->n_limits; i++) {
        const Bus__Limit *limit = from->limits[i];

        refused += !limits_set(&settings->limits, limit->name, limit->rate, limit->burst, limit->mode);
    }
    return refused;
}

bool gateway_settings_update(struct settings *settings, const Bus__GameUpdate *update, uint64_t now_ms)
{
    bool sets_time;

    if (!game_update_is_new(update, settings->game_revision))
        return true;
    if (!game_update_apply(&settings->game, update, now_ms, &sets_time))
        return false;
    settings->game_revision = update->revision;
    return true;
}
