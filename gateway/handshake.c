#include "gateway/handshake.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "common/text.h"
#include "gen/wire.h"

_Static_assert(COOKIE_KEY_SIZE == crypto_shorthash_siphash24_KEYBYTES, "the cookie is a SipHash-2-4");
_Static_assert((int)WIRE_CONNECT_CHALLENGE_SIZE <= (int)WIRE_CLIENT_HELLO_SIZE_MIN,
               "an answer to an unproven address is never longer than what it answers");

static void draw_secret(struct cookie_secret *secret, struct rng *rng, uint64_t number)
{
    rng_bytes(rng, secret->key, sizeof secret->key);
    secret->number = number;
}

void cookies_init(struct cookies *cookies, struct rng *rng, uint64_t now_ms)
{
    draw_secret(&cookies->previous, rng, 1);
    draw_secret(&cookies->current, rng, 2);
    cookies->rotated_ms = now_ms;
}

void cookies_advance(struct cookies *cookies, struct rng *rng, uint64_t now_ms)
{
    uint64_t due = (now_ms - cookies->rotated_ms) / COOKIE_ROTATION_MS;

    if (due == 0)
        return;
    cookies->rotated_ms += due * COOKIE_ROTATION_MS;
    cookies->previous = cookies->current;
    if (due > 1)
        draw_secret(&cookies->previous, rng, cookies->current.number + due - 1);
    draw_secret(&cookies->current, rng, cookies->previous.number + 1);
}

static uint64_t compute(const struct cookie_secret *secret, const struct address *from, uint64_t nonce)
{
    uint8_t message[sizeof from->ip + 2 + 8 + 8];
    uint8_t mac[crypto_shorthash_siphash24_BYTES];
    struct writer out;
    uint64_t cookie;

    writer_init(&out, message, sizeof message);
    write_span(&out, (struct span){ from->ip, sizeof from->ip });
    write_u16(&out, from->port);
    write_u64(&out, nonce);
    write_u64(&out, secret->number);
    assert(writer_size(&out) == sizeof message);
    (void)crypto_shorthash_siphash24(mac, message, sizeof message, secret->key);
    cookie = load_u64(mac);
    return cookie != 0 ? cookie : 1; /* 0 on the wire: none yet */
}

uint64_t cookie_make(const struct cookies *cookies, const struct address *from, uint64_t nonce)
{
    return compute(&cookies->current, from, nonce);
}

static bool is_from(const struct cookie_secret *secret, const struct address *from, uint64_t nonce,
                    uint64_t cookie)
{
    uint64_t good = compute(secret, from, nonce);

    return sodium_memcmp(&good, &cookie, sizeof good) == 0;
}

bool cookie_is_good(const struct cookies *cookies, const struct address *from, uint64_t nonce,
                    uint64_t cookie)
{
    return cookie != 0 && (is_from(&cookies->current, from, nonce, cookie) ||
                           is_from(&cookies->previous, from, nonce, cookie));
}

bool player_name_is_valid(struct span name)
{
    bool has_alphanumeric = false;

    if (!text_is_chars(name.data, name.size, "A-Za-z0-9_.[]()$@=-"))
        return false;
    for (size_t i = 0; i < name.size; i++)
        has_alphanumeric = has_alphanumeric || text_is_chars(&name.data[i], 1, "A-Za-z0-9");
    return has_alphanumeric && name.size <= PLAYER_NAME_MAX;
}

bool password_is_right(struct span given, struct span set)
{
    uint8_t a[UINT8_MAX + 1] = { 0 };
    uint8_t b[UINT8_MAX + 1] = { 0 };

    if (set.size == 0)
        return true;
    if (given.size > UINT8_MAX || set.size > UINT8_MAX)
        return false;
    /* Both as long as any password, with the length as the first byte. */
    a[0] = (uint8_t)given.size;
    b[0] = (uint8_t)set.size;
    if (given.size > 0)
        memcpy(a + 1, given.data, given.size);
    memcpy(b + 1, set.data, set.size);
    return sodium_memcmp(a, b, sizeof a) == 0;
}

int joins_init(struct joins *joins, struct rng *rng)
{
    *joins = (struct joins){ .key = rng_u64(rng) };
    if (pool_init(&joins->pool, sizeof(struct join), JOINS_MAX) != 0 ||
        index_init(&joins->by_address, JOINS_MAX) != 0) {
        joins_fini(joins);
        return -1;
    }
    return 0;
}

void joins_fini(struct joins *joins)
{
    pool_fini(&joins->pool);
    index_fini(&joins->by_address);
}

struct join *joins_find(const struct joins *joins, const struct address *address, uint64_t nonce)
{
    for (uint32_t i = index_first(&joins->by_address, address_hash(address, joins->key)); i != INDEX_END;
         i = index_next(&joins->by_address, i)) {
        struct join *join = pool_at(&joins->pool, i);

        if (join->nonce == nonce && address_equal(&join->address, address))
            return join;
    }
    return NULL;
}

struct join *joins_add(struct joins *joins, const struct address *address, uint64_t nonce, uint64_t *request)
{
    uint32_t hash = address_hash(address, joins->key);
    struct pool_ref ref;
    struct join *added;

    for (uint32_t i = index_first(&joins->by_address, hash); i != INDEX_END;
         i = index_next(&joins->by_address, i)) {
        struct join *join = pool_at(&joins->pool, i);

        join->superseded = join->superseded || address_equal(&join->address, address);
    }
    added = pool_take(&joins->pool, &ref);
    if (added == NULL)
        return NULL;
    added->address = *address;
    added->nonce = nonce;
    index_add(&joins->by_address, hash, ref.index);
    *request = (uint64_t)ref.generation << 32 | ref.index;
    return added;
}

static struct pool_ref ref_of(uint64_t request)
{
    return (struct pool_ref){ .index = (uint32_t)request, .generation = (uint32_t)(request >> 32) };
}

struct join *joins_get(const struct joins *joins, uint64_t request)
{
    return pool_get(&joins->pool, ref_of(request));
}

void joins_remove(struct joins *joins, uint64_t request)
{
    const struct join *join = joins_get(joins, request);

    assert(join != NULL);
    index_remove(&joins->by_address, address_hash(&join->address, joins->key), ref_of(request).index);
    pool_release(&joins->pool, ref_of(request));
}

static void remove_at(struct joins *joins, uint32_t index)
{
    struct pool_ref ref = pool_ref_at(&joins->pool, index);

    joins_remove(joins, (uint64_t)ref.generation << 32 | ref.index);
}

bool joins_expire(struct joins *joins, uint64_t now_ms)
{
    for (uint32_t i = pool_next(&joins->pool, 0); i != POOL_END; i = pool_next(&joins->pool, i + 1)) {
        const struct join *join = pool_at(&joins->pool, i);

        if (now_ms - join->asked_ms >= JOIN_TIMEOUT_MS) {
            remove_at(joins, i);
            return true;
        }
    }
    return false;
}

void joins_clear(struct joins *joins)
{
    for (uint32_t i = pool_next(&joins->pool, 0); i != POOL_END; i = pool_next(&joins->pool, i + 1))
        remove_at(joins, i);
}
