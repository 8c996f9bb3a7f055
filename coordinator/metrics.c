#include "coordinator/metrics.h"

#include <stddef.h>

#include "common/metrics.h"

static const char *join_name(size_t index)
{
    static const char *const names[JOIN_REASONS] = {
        [JOIN_ACCEPTED] = "accepted",
        [JOIN_FULL] = "full",
        [JOIN_BANNED] = "banned",
        [JOIN_BAD_NAME] = "bad_name",
        [JOIN_NAME_TAKEN] = "name_taken",
        [JOIN_WRONG_PASSWORD] = "wrong_password",
        [JOIN_ACCOUNT_REQUIRED] = "account_required",
        [JOIN_NOT_ALLOWED] = "not_allowed",
        [JOIN_SHUTTING_DOWN] = "shutting_down",
        [JOIN_TOO_MANY] = "too_many",
        [JOIN_NO_WORLD] = "no_world",
    };

    return names[index];
}

static const char *leave_name(size_t index)
{
    static const char *const names[] = { "quit", "timeout", "kicked", "banned", "server" };

    return names[index];
}

static const char *drop_name(size_t index)
{
    return reason_name((enum reason)index);
}

static const struct metric_label by_join = { "reason", JOIN_REASONS, join_name };
static const struct metric_label by_leave = { "reason", 5, leave_name };
static const struct metric_label by_drop = { "reason", REASON_COUNT, drop_name };

#define ROW(name, kind, help, field, label)                                                                \
    {                                                                                                      \
        "dlmp_coordinator_" name, kind, help, offsetof(struct coordinator_stats, field), METRIC_U64, label \
    }

/* clang-format off */
static const struct metric metrics[] = {
    ROW("ready",                  GAUGE, "1 when clients can join.", is_ready, NULL),
    ROW("players",                GAUGE, "Players of the cluster.", players, NULL),
    ROW("gateways",               GAUGE, "Gateways that are up.", gateways, NULL),
    ROW("shards",                 GAUGE, "Shards that are up.", shards, NULL),
    ROW("joins_waiting",          GAUGE, "Attempts not decided yet.", waiting, NULL),
    ROW("joins_total",            COUNTER, "Attempts decided, by result.", joins, &by_join),
    ROW("leaves_total",           COUNTER, "Players who left, by reason.", leaves, &by_leave),
    ROW("displaced_total",        COUNTER, "Silent holders of a name who gave way.", displaced, NULL),
    ROW("kicks_total",            COUNTER, "Kicks sent to gateways.", kicks, NULL),
    ROW("bans",                   GAUGE, "Entries of the ban list.", bans, NULL),
    ROW("tickets_accepted_total", COUNTER, "Account tickets accepted.", tickets_accepted, NULL),
    ROW("tickets_refused_total",  COUNTER, "Account tickets refused.", tickets_refused, NULL),
    ROW("broadcasts_total",       COUNTER, "Packets for every player.", broadcasts, NULL),
    ROW("game_changes_total",     COUNTER, "Changes of the settings of the game.", game_changes, NULL),
    ROW("script_events_total",    COUNTER, "Events of resources for all shards.", script_events, NULL),
    ROW("kv_asks_total",          COUNTER, "What resources asked Redis for.", kv_asks, NULL),
    ROW("maps_total",             COUNTER, "Cluster maps published.", maps, NULL),
    ROW("slot_changes_total",     COUNTER, "Slots that changed their owner.", slot_changes, NULL),
    ROW("vehicle_ids_total",      COUNTER, "Vehicle ids leased to shards.", vehicle_ids, NULL),
    ROW("tokens_left",            GAUGE, "Player tokens reserved ahead.", tokens_left, NULL),
    ROW("store_connected",        GAUGE, "1 when Redis is there.", store_is_connected, NULL),
    ROW("store_waiting",          GAUGE, "Commands for Redis not answered yet.", store_waiting, NULL),
    ROW("store_commands_total",   COUNTER, "Commands that Redis answered.", store_commands, NULL),
    ROW("store_errors_total",     COUNTER, "Commands that Redis refused.", store_errors, NULL),
    ROW("store_losses_total",     COUNTER, "Times that Redis went away.", store_losses, NULL),
    ROW("store_unreadable_total", COUNTER, "Values in Redis that are not ours.", store_unreadable, NULL),
    ROW("drops_total",            COUNTER, "Items of the bus dropped, by reason.", drops, &by_drop),
    { .name = NULL },
};
/* clang-format on */

void coordinator_metrics_print(const struct coordinator_stats *stats, FILE *out)
{
    metrics_print(metrics, stats, out);
}
