#include "coordinator/settings.h"

#include <string.h>

#include "coordinator/bans.h"
#include "proto/hex.h"

/* Connection, "Rate limits": the table, then the addresses, then the whole gateway. */
const char *const cluster_limit_names[CLUSTER_LIMITS] = {
    "datagrams", "player_sync", "vehicle_frame", "shots",      "damage_report", "reliable",
    "acks",      "hello",       "query",         "challenges", "queries",
};

const char *const cluster_limit_modes[] = { "enforce", "observe", "off", NULL };

static struct span span_of_text(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

static bool read_key(const char *text, uint8_t key[CLUSTER_KEY_SIZE])
{
    struct span span = span_of_text(text);

    return span.size == 2 * (size_t)CLUSTER_KEY_SIZE && hex_read(span, key);
}

size_t cluster_settings_check(const struct cluster_settings *settings, FILE *errors)
{
    uint8_t key[CLUSTER_KEY_SIZE];
    struct ban_subject subject;
    size_t wrong = 0;

    for (size_t i = 0; i < settings->public_keys_count; i++) {
        if (read_key(settings->public_keys[i], key))
            continue;
        fprintf(errors, "auth.public_keys: item %zu is not 64 hexadecimal digits\n", i + 1);
        wrong++;
    }
    for (size_t i = 0; i < settings->allowed_count; i++) {
        if (ban_subject_read(&subject, settings->allowed[i]))
            continue;
        fprintf(errors, "allow_list.entries: item %zu is no network, no \"name NAME\", no \"account ID\"\n",
                i + 1);
        wrong++;
    }
    if (settings->require_account && settings->public_keys_count == 0) {
        fputs("server.require_account: needs auth.public_keys, or nobody can ever come in\n", errors);
        wrong++;
    }
    return wrong;
}

static Bus__Limit *limit_message(const struct cluster_settings *settings, size_t i, struct outbox *outbox)
{
    Bus__Limit *limit = outbox_alloc(outbox, sizeof *limit);

    bus__limit__init(limit);
    limit->name = outbox_text(outbox, cluster_limit_names[i]);
    limit->rate = settings->limits[i].rate;
    limit->burst = settings->limits[i].burst;
    limit->mode = outbox_text(outbox, cluster_limit_modes[settings->limits[i].mode]);
    return limit;
}

static Bus__Rule *rule_message(const struct cluster_rule *from, struct outbox *outbox)
{
    Bus__Rule *rule = outbox_alloc(outbox, sizeof *rule);

    bus__rule__init(rule);
    rule->key = outbox_text(outbox, from->key);
    rule->value = outbox_text(outbox, from->value);
    return rule;
}

Bus__ClusterSettings *cluster_settings_message(const struct cluster_settings *settings, uint64_t revision,
                                               struct outbox *outbox)
{
    Bus__ClusterSettings *message = outbox_alloc(outbox, sizeof *message);

    bus__cluster_settings__init(message);
    message->revision = revision;
    message->server_name = outbox_text(outbox, settings->name);
    message->gamemode = outbox_text(outbox, settings->gamemode);
    message->language = outbox_text(outbox, settings->language);
    message->password = outbox_text(outbox, settings->password);
    message->max_players = (uint32_t)settings->max_players;
    message->heartbeat_ms = (uint32_t)settings->heartbeat_ms;
    message->require_account = settings->require_account;
    message->shutting_down = settings->shutting_down;
    message->cluster_id = (uint64_t)settings->cluster_id;

    message->public_keys =
        outbox_alloc(outbox, (settings->public_keys_count + 1) * sizeof message->public_keys[0]);
    for (size_t i = 0; i < settings->public_keys_count; i++) {
        uint8_t key[CLUSTER_KEY_SIZE];

        if (read_key(settings->public_keys[i], key))
            message->public_keys[message->n_public_keys++] = outbox_bytes(outbox, key, sizeof key);
    }
    message->limits = outbox_alloc(outbox, CLUSTER_LIMITS * sizeof(Bus__Limit *));
    for (size_t i = 0; i < CLUSTER_LIMITS; i++)
        message->limits[message->n_limits++] = limit_message(settings, i, outbox);
    message->rules = outbox_alloc(outbox, (settings->rules_count + 1) * sizeof(Bus__Rule *));
    for (size_t i = 0; i < settings->rules_count; i++)
        message->rules[message->n_rules++] = rule_message(&settings->rules[i], outbox);
    return message;
}
