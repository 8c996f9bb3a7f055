#include "gateway/session.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "common/log.h"

int sessions_init(struct sessions *sessions, uint32_t capacity, struct rng *rng)
{
    *sessions = (struct sessions){ .key = rng_u64(rng) };
    if (pool_init(&sessions->pool, sizeof(struct session), capacity) != 0 ||
        index_init(&sessions->by_address, capacity) != 0 || index_init(&sessions->by_player, capacity) != 0 ||
        index_init(&sessions->by_token, capacity) != 0) {
        sessions_fini(sessions);
        return -1;
    }
    return 0;
}

void sessions_fini(struct sessions *sessions)
{
    pool_fini(&sessions->pool);
    index_fini(&sessions->by_address);
    index_fini(&sessions->by_player);
    index_fini(&sessions->by_token);
}

/* Keyed, so that the place says nothing about a token and nobody chooses tokens that meet. */
static uint32_t token_hash(const struct sessions *sessions, uint64_t token)
{
    struct address mixed = { 0 };

    store_u64(mixed.ip, token);
    return address_hash(&mixed, ~sessions->key);
}

static uint32_t player_hash(uint32_t player_id)
{
    return player_id; /* the lowest free ones: dense */
}

struct session *sessions_open(struct sessions *sessions, struct player_ref player,
                              const struct address *address, uint64_t token, uint64_t now_ms)
{
    struct pool_ref ref;
    struct session *session = pool_take(&sessions->pool, &ref);

    if (session == NULL)
        return NULL;
    session->ref = ref;
    session->player = player;
    session->address = *address;
    session->token = token;
    session->opened_ms = now_ms;
    session->heard_ms = now_ms;
    session->keepalive_ms = now_ms + SESSION_KEEPALIVE_MS;
    lane_init(&session->lane);
    index_add(&sessions->by_address, address_hash(address, sessions->key), ref.index);
    index_add(&sessions->by_player, player_hash(player.id), ref.index);
    index_add(&sessions->by_token, token_hash(sessions, token), ref.index);
    session_set_state(session, SESSION_GREETED);
    return session;
}

void sessions_close(struct sessions *sessions, struct session *session)
{
    assert(session->state == SESSION_ENDED);
    index_remove(&sessions->by_address, address_hash(&session->address, sessions->key), session->ref.index);
    index_remove(&sessions->by_player, player_hash(session->player.id), session->ref.index);
    index_remove(&sessions->by_token, token_hash(sessions, session->token), session->ref.index);
    sodium_memzero(&session->token, sizeof session->token);
    pool_release(&sessions->pool, session->ref);
}

struct session *sessions_find_by_token(const struct sessions *sessions, uint64_t token)
{
    for (uint32_t i = index_first(&sessions->by_token, token_hash(sessions, token)); i != INDEX_END;
         i = index_next(&sessions->by_token, i)) {
        struct session *session = pool_at(&sessions->pool, i);

        if (sodium_memcmp(&session->token, &token, sizeof token) == 0)
            return session;
    }
    return NULL;
}

struct session *sessions_find_by_id(const struct sessions *sessions, uint32_t player_id)
{
    for (uint32_t i = index_first(&sessions->by_player, player_hash(player_id)); i != INDEX_END;
         i = index_next(&sessions->by_player, i)) {
        struct session *session = pool_at(&sessions->pool, i);

        if (session->player.id == player_id)
            return session;
    }
    return NULL;
}

struct session *sessions_find_by_player(const struct sessions *sessions, struct player_ref player)
{
    struct session *session = sessions_find_by_id(sessions, player.id);

    return session != NULL && session->player.token == player.token ? session : NULL;
}

struct session *sessions_find_by_address(const struct sessions *sessions, const struct address *address)
{
    struct session *found = NULL;

    for (uint32_t i = index_first(&sessions->by_address, address_hash(address, sessions->key));
         i != INDEX_END; i = index_next(&sessions->by_address, i)) {
        struct session *session = pool_at(&sessions->pool, i);

        if (address_equal(&session->address, address) &&
            (found == NULL || session->opened_ms > found->opened_ms))
            found = session;
    }
    return found;
}

struct session *sessions_get(const struct sessions *sessions, struct pool_ref ref)
{
    return pool_get(&sessions->pool, ref);
}

struct session *sessions_next(const struct sessions *sessions, uint32_t *index)
{
    *index = pool_next(&sessions->pool, *index);
    return *index != POOL_END ? pool_at(&sessions->pool, *index) : NULL;
}

void session_set_state(struct session *session, enum session_state state)
{
    static const char *const names[] = { "none", "greeted", "open", "closing", "ended" };
    static const bool legal[][SESSION_ENDED + 1] = {
        [SESSION_NONE] = { [SESSION_GREETED] = true },
        [SESSION_GREETED] = { [SESSION_OPEN] = true, [SESSION_CLOSING] = true, [SESSION_ENDED] = true },
        [SESSION_OPEN] = { [SESSION_CLOSING] = true, [SESSION_ENDED] = true },
        [SESSION_CLOSING] = { [SESSION_ENDED] = true },
    };

    assert(session->state < SESSION_ENDED && legal[session->state][state]);
    LOG(DEBUG, "session_changed", KV("player", session->player.id), KV("from", names[session->state]),
        KV("to", names[state]));
    session->state = state;
}

void sessions_move(struct sessions *sessions, struct session *session, const struct address *to)
{
    index_remove(&sessions->by_address, address_hash(&session->address, sessions->key), session->ref.index);
    session->address = *to;
    index_add(&sessions->by_address, address_hash(to, sessions->key), session->ref.index);
}

void session_stamp(struct session *session, uint32_t stamp, uint64_t now_ms)
{
    session->stamps[session->stamps_count % SESSION_STAMPS] =
        (struct session_stamp){ .sent_ms = now_ms, .stamp = stamp, .waiting = true };
    session->stamps_count++;
}

/* RFC 6298: the first sample as it is, then an eighth of the difference. */
static void add_sample(struct session *session, uint32_t sample_ms)
{
    if (!session->has_rtt)
        session->srtt_8 = sample_ms * 8;
    else
        session->srtt_8 = session->srtt_8 - session->srtt_8 / 8 + sample_ms;
    session->has_rtt = true;
}

bool session_pong(struct session *session, uint32_t stamp, uint64_t now_ms)
{
    for (int i = 0; i < SESSION_STAMPS; i++) {
        struct session_stamp *sent = &session->stamps[i];

        if (!sent->waiting || sent->stamp != stamp || now_ms - sent->sent_ms > SESSION_STAMP_LIFE_MS)
            continue;
        sent->waiting = false;
        add_sample(session, (uint32_t)(now_ms - sent->sent_ms));
        return true;
    }
    return false;
}

uint32_t session_rtt_ms(const struct session *session)
{
    return session->srtt_8 / 8;
}

void session_add_barrier(struct session *session, uint32_t event_id)
{
    session->barriers[session->barriers_count % SESSION_BARRIERS] = event_id;
    session->barriers_count++;
}

uint32_t session_barriers_seen(const struct session *session, uint32_t seen_event)
{
    uint32_t kept = session->barriers_count < SESSION_BARRIERS ? session->barriers_count : SESSION_BARRIERS;
    uint32_t seen = session->barriers_count;

    for (uint32_t i = 0; i < kept; i++)
        seen -= session->barriers[i] > seen_event;
    return seen;
}

void session_add_refusal(struct session *session, uint8_t packet_id, enum reason reason, uint64_t now_ms)
{
    session->refusals[session->refusals_count % SESSION_REFUSALS] =
        (struct refusal){ .at_ms = now_ms, .packet_id = packet_id, .reason = reason };
    session->refusals_count++;
}
