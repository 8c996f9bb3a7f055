/* What dlmp-bots need of a server before they send frames: a place in the world. No cookie, no secret, no
 * resends. */
#include "gen/wire.h"
#include "tests/bench/relay.h"

enum { HEARTBEAT_MS = 100, FIRST_LIFE = 1 };

_Static_assert((int)WIRE_SERVER_HELLO_SIZE_MAX <= (int)RELAY_ANSWER_SIZE_MAX, "room for the longest answer");

static void put(struct relay_answers *answers, const struct wire_packet *packet, const void *value)
{
    struct wire_error error;
    struct relay_answer *answer = &answers->list[answers->count];

    answer->size = packet->encode(value, answer->data, sizeof answer->data, &error);
    answers->count += answer->size > 0;
}

static void answer_hello(struct relay_answers *answers, uint32_t client,
                         const struct wire_client_hello *hello)
{
    put(answers, &wire_server_hello_packet,
        &(struct wire_server_hello){ .client_nonce = hello->client_nonce,
                                     .session_token = relay_token(client),
                                     .player_id = client,
                                     .player_token = RELAY_GENERATION,
                                     .max_players = RELAY_CLIENTS_MAX,
                                     .heartbeat_ms = HEARTBEAT_MS });
}

/* All stand at the origin. A repeated request gets the same event again, as the lane would. */
static void answer_spawn(struct relay_answers *answers)
{
    put(answers, &wire_spawn_player_packet, &(struct wire_spawn_player){ .event_id = 1, .life = FIRST_LIFE });
}

enum relay_visit relay_host_answer(uint32_t client, const uint8_t *data, size_t size,
                                   struct relay_answers *answers)
{
    union wire_any any;
    struct wire_error error;
    const struct wire_packet *packet = wire_decode(WIRE_C2S, data, size, &any, &error);

    answers->count = 0;
    if (packet == NULL)
        return RELAY_STAYS;
    if (packet->lane == WIRE_RELIABLE)
        put(answers, &wire_server_ack_packet,
            &(struct wire_server_ack){ .ack = load_u32(data + packet->event_id_at) });
    switch (packet->id) {
    case PACKET_CLIENT_HELLO:
        answer_hello(answers, client, &any.client_hello);
        break;
    case PACKET_REQUEST_SPAWN:
        answer_spawn(answers);
        break;
    case PACKET_CLIENT_BYE:
        return RELAY_LEAVES;
    default:
        break;
    }
    return RELAY_STAYS;
}
