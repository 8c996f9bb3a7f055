#include "gateway/query.h"

#include <string.h>

enum {
    QUERY_FORMAT = 1,
    QUERY_KIND_INFO = 0,
    QUERY_KIND_PLAYERS = 1,
    QUERY_ANSWER_BIT = 0x80, /* an answer's kind is its request's with this bit */
    QUERY_FLAG_PASSWORD = 1,
    QUERY_FLAG_ACCOUNT = 2,
};
_Static_assert((int)WIRE_QUERY_INFO_SIZE_MAX <= (int)WIRE_QUERY_REQUEST_SIZE &&
                   (int)WIRE_QUERY_PLAYERS_SIZE_MAX <= (int)WIRE_QUERY_REQUEST_SIZE &&
                   (int)WIRE_QUERY_RULES_SIZE_MAX <= (int)WIRE_QUERY_REQUEST_SIZE,
               "an answer is never longer than its request");

static struct span text_of(const char *text)
{
    return (struct span){ (const uint8_t *)text, strlen(text) };
}

static uint16_t capped(uint32_t value)
{
    return value < UINT16_MAX ? (uint16_t)value : UINT16_MAX;
}

static size_t answer_info(const struct query_source *source, const struct wire_query_request *request,
                          uint8_t *answer)
{
    const struct settings *settings = source->settings;
    struct wire_query_info info = {
        .kind = QUERY_ANSWER_BIT | QUERY_KIND_INFO,
        .nonce = request->nonce,
        .protocol_version = WIRE_VERSION,
        .players = capped(source->roster->count),
        .max_players = settings->max_players,
        .server_name = text_of(settings->server_name),
        .gamemode = text_of(settings->gamemode),
        .language = text_of(settings->language),
        .format = QUERY_FORMAT,
    };
    struct wire_error error;

    if (settings->password[0] != '\0')
        info.flags |= QUERY_FLAG_PASSWORD;
    if (settings->require_account)
        info.flags |= QUERY_FLAG_ACCOUNT;
    return wire_query_info_encode(&info, answer, QUERY_ANSWER_MAX, &error);
}

static uint16_t ping_of(const struct query_source *source, uint32_t player_id, uint32_t token)
{
    const struct session *session =
        sessions_find_by_player(source->sessions, (struct player_ref){ .id = player_id, .token = token });

    return session != NULL ? capped(session_rtt_ms(session)) : 0;
}

static size_t answer_players(const struct query_source *source, const struct wire_query_request *request,
                             uint8_t *answer)
{
    struct wire_query_players players = {
        .kind = QUERY_ANSWER_BIT | QUERY_KIND_PLAYERS,
        .nonce = request->nonce,
        .total = capped(source->roster->count),
        .offset = request->offset,
    };
    const size_t rows_max = sizeof players.players / sizeof players.players[0];
    struct wire_error error;
    uint32_t row = 0;

    for (uint32_t id = 0; players.players_count < rows_max; id++, row++) {
        const struct roster_entry *entry = roster_next(source->roster, &id);

        if (entry == NULL)
            break;
        if (row < request->offset)
            continue;
        players.players[players.players_count++] = (struct wire_query_player){
            .player_id = id,
            .ping = ping_of(source, id, entry->token),
            .name = text_of(entry->name),
        };
    }
    return wire_query_players_encode(&players, answer, QUERY_ANSWER_MAX, &error);
}

static size_t answer_rules(const struct query_source *source, const struct wire_query_request *request,
                           uint8_t *answer)
{
    const struct settings *settings = source->settings;
    struct wire_query_rules rules = {
        .kind = QUERY_ANSWER_BIT | request->kind,
        .nonce = request->nonce,
        .total = capped((uint32_t)settings->rules_count),
        .offset = request->offset,
    };
    const size_t rows_max = sizeof rules.rules / sizeof rules.rules[0];
    struct wire_error error;

    for (size_t i = request->offset; i < settings->rules_count && rules.rules_count < rows_max; i++)
        rules.rules[rules.rules_count++] = (struct wire_query_rule){
            .key = text_of(settings->rules[i].key),
            .value = text_of(settings->rules[i].value),
        };
    return wire_query_rules_encode(&rules, answer, QUERY_ANSWER_MAX, &error);
}

size_t query_answer(const struct query_source *source, const struct wire_query_request *request,
                    uint8_t answer[QUERY_ANSWER_MAX])
{
    switch (request->kind) {
    case QUERY_KIND_INFO:
        return answer_info(source, request, answer);
    case QUERY_KIND_PLAYERS:
        return answer_players(source, request, answer);
    default:
        return answer_rules(source, request, answer);
    }
}
