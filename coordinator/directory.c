#include "coordinator/directory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"

enum { WORD_BITS = 64, WORDS = DIRECTORY_IDS / WORD_BITS, SOURCE_IPV6_SIZE = 8 };

struct address_count {
    uint8_t source[16];
    uint32_t count;
};

static bool has_name(const void *item, const void *key)
{
    const struct member *member = item;

    return strcmp(member->key, key) == 0;
}

static bool has_source(const void *item, const void *key)
{
    const struct address_count *count = item;

    return memcmp(count->source, key, sizeof count->source) == 0;
}

int directory_init(struct directory *directory)
{
    *directory = (struct directory){ .first_cooling = DIRECTORY_NONE, .last_cooling = DIRECTORY_NONE };
    table_init(&directory->names, has_name);
    table_init(&directory->addresses, has_source);
    /* Most of it is never touched, and takes no memory then. */
    directory->members = calloc(DIRECTORY_IDS, sizeof directory->members[0]);
    directory->taken = calloc(WORDS, sizeof directory->taken[0]);
    if (directory->members == NULL || directory->taken == NULL) {
        directory_fini(directory);
        return -1;
    }
    return 0;
}

void directory_fini(struct directory *directory)
{
    struct address_count *count;

    for (uint32_t at = 0; (count = table_next(&directory->addresses, &at)) != NULL; at++)
        free(count);
    table_fini(&directory->addresses);
    table_fini(&directory->names);
    free(directory->members);
    free(directory->taken);
    *directory = (struct directory){ 0 };
}

/* ---- addresses ---- */

static void source_of(const uint8_t ip[16], uint8_t source[16])
{
    struct address address = { .port = 0 };

    memcpy(address.ip, ip, sizeof address.ip);
    memset(source, 0, 16);
    memcpy(source, ip, address_is_ipv4(&address) ? 16 : SOURCE_IPV6_SIZE);
}

static struct address_count *find_source(const struct directory *directory, const uint8_t ip[16])
{
    uint8_t source[16];

    source_of(ip, source);
    return table_find(&directory->addresses, source, sizeof source);
}

static bool count_in(struct directory *directory, const uint8_t ip[16])
{
    struct address_count *count = find_source(directory, ip);

    if (count == NULL) {
        count = calloc(1, sizeof *count);
        if (count == NULL)
            return false;
        source_of(ip, count->source);
        if (!table_put(&directory->addresses, count->source, sizeof count->source, count)) {
            free(count);
            return false;
        }
    }
    count->count++;
    return true;
}

static void count_out(struct directory *directory, const uint8_t ip[16])
{
    struct address_count *count = find_source(directory, ip);

    assert(count != NULL && count->count > 0);
    if (--count->count > 0)
        return;
    table_remove(&directory->addresses, count->source, sizeof count->source);
    free(count);
}

uint32_t directory_count_from(const struct directory *directory, const uint8_t ip[16])
{
    const struct address_count *count = find_source(directory, ip);

    return count == NULL ? 0 : count->count;
}

bool directory_same_source(const uint8_t a[16], const uint8_t b[16])
{
    uint8_t source_a[16];
    uint8_t source_b[16];

    source_of(a, source_a);
    source_of(b, source_b);
    return memcmp(source_a, source_b, sizeof source_a) == 0;
}

/* ---- ids ---- */

static bool id_is_taken(const struct directory *directory, uint32_t id)
{
    return (directory->taken[id / WORD_BITS] >> id % WORD_BITS & 1) != 0;
}

static void set_taken(struct directory *directory, uint32_t id, bool taken)
{
    uint64_t bit = UINT64_C(1) << id % WORD_BITS;

    if (taken)
        directory->taken[id / WORD_BITS] |= bit;
    else
        directory->taken[id / WORD_BITS] &= ~bit;
    if (!taken && id < directory->lowest)
        directory->lowest = id;
}

static uint32_t lowest_free(struct directory *directory)
{
    for (uint32_t word = directory->lowest / WORD_BITS; word < WORDS; word++) {
        if (directory->taken[word] != UINT64_MAX) {
            directory->lowest = word * WORD_BITS + (uint32_t)__builtin_ctzll(~directory->taken[word]);
            return directory->lowest;
        }
    }
    directory->lowest = DIRECTORY_IDS;
    return DIRECTORY_NONE;
}

bool directory_has_room(struct directory *directory)
{
    return lowest_free(directory) != DIRECTORY_NONE;
}

/* ---- players ---- */

/* Names have no other letters than these. */
static void small_letters(char to[DIRECTORY_NAME_SIZE], const char *name)
{
    size_t i = 0;

    for (; i < DIRECTORY_NAME_SIZE - 1 && name[i] != '\0'; i++)
        to[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
    to[i] = '\0';
}

static struct member *settle(struct directory *directory, struct member_ref ref, const char *name,
                             const uint8_t ip[16])
{
    struct member *member = &directory->members[ref.id];

    assert(ref.token != 0 && !id_is_taken(directory, ref.id));
    if (!count_in(directory, ip))
        return NULL;
    *member = (struct member){ .ref = ref, .state = MEMBER_HERE };
    memcpy(member->name, name, strlen(name) + 1);
    small_letters(member->key, name);
    memcpy(member->ip, ip, sizeof member->ip);
    if (!table_put(&directory->names, member->key, strlen(member->key), member)) {
        count_out(directory, ip);
        member->state = MEMBER_FREE;
        return NULL;
    }
    set_taken(directory, ref.id, true);
    directory->count++;
    return member;
}

static bool name_fits(const struct directory *directory, const char *name)
{
    size_t size = strlen(name);

    return size > 0 && size < DIRECTORY_NAME_SIZE && directory_find_name(directory, name) == NULL;
}

struct member *directory_add(struct directory *directory, uint32_t token, const char *name,
                             const uint8_t ip[16])
{
    uint32_t id = lowest_free(directory);

    if (id == DIRECTORY_NONE || !name_fits(directory, name))
        return NULL;
    return settle(directory, (struct member_ref){ id, token }, name, ip);
}

/* Takes the id out of the queue of those that cool. */
static void stop_cooling(struct directory *directory, uint32_t id)
{
    uint32_t *at = &directory->first_cooling;
    uint32_t before = DIRECTORY_NONE;

    while (*at != id) {
        before = *at;
        at = &directory->members[*at].next_cooling;
    }
    *at = directory->members[id].next_cooling;
    if (directory->last_cooling == id)
        directory->last_cooling = before;
    set_taken(directory, id, false);
}

struct member *directory_restore(struct directory *directory, struct member_ref ref, const char *name,
                                 const uint8_t ip[16])
{
    if (ref.id >= DIRECTORY_IDS || ref.token == 0 || directory_find_id(directory, ref.id) != NULL ||
        !name_fits(directory, name))
        return NULL;
    if (directory->members[ref.id].state == MEMBER_COOLING)
        stop_cooling(directory, ref.id);
    return settle(directory, ref, name, ip);
}

void directory_remove(struct directory *directory, struct member *member, uint64_t now_ms)
{
    uint32_t id = member->ref.id;

    assert(member->state == MEMBER_HERE);
    table_remove(&directory->names, member->key, strlen(member->key));
    count_out(directory, member->ip);
    directory->count--;
    member->state = MEMBER_COOLING;
    member->free_at_ms = now_ms + DIRECTORY_COOL_MS;
    member->next_cooling = DIRECTORY_NONE;
    if (directory->first_cooling == DIRECTORY_NONE)
        directory->first_cooling = id;
    else
        directory->members[directory->last_cooling].next_cooling = id;
    directory->last_cooling = id;
}

uint32_t directory_release(struct directory *directory, uint64_t now_ms)
{
    uint32_t id = directory->first_cooling;

    if (id == DIRECTORY_NONE || now_ms < directory->members[id].free_at_ms)
        return DIRECTORY_NONE;
    directory->first_cooling = directory->members[id].next_cooling;
    directory->members[id].state = MEMBER_FREE;
    set_taken(directory, id, false);
    return id;
}

/* ---- questions ---- */

struct member *directory_find_id(const struct directory *directory, uint32_t id)
{
    return id < DIRECTORY_IDS && directory->members[id].state == MEMBER_HERE ? &directory->members[id] : NULL;
}

struct member *directory_find(const struct directory *directory, struct member_ref ref)
{
    struct member *member = directory_find_id(directory, ref.id);

    return member != NULL && member->ref.token == ref.token ? member : NULL;
}

struct member *directory_find_name(const struct directory *directory, const char *name)
{
    char key[DIRECTORY_NAME_SIZE];

    if (strlen(name) >= DIRECTORY_NAME_SIZE)
        return NULL;
    small_letters(key, name);
    return table_find(&directory->names, key, strlen(key));
}

bool directory_is_cooling(const struct directory *directory, struct member_ref ref)
{
    return ref.id < DIRECTORY_IDS && directory->members[ref.id].state == MEMBER_COOLING &&
           directory->members[ref.id].ref.token == ref.token;
}

struct member *directory_next(const struct directory *directory, uint32_t id)
{
    while (id < DIRECTORY_IDS) {
        uint64_t word = directory->taken[id / WORD_BITS] >> id % WORD_BITS;

        if (word == 0) {
            id = (id / WORD_BITS + 1) * WORD_BITS;
            continue;
        }
        id += (uint32_t)__builtin_ctzll(word);
        if (directory->members[id].state == MEMBER_HERE)
            return &directory->members[id];
        id++;
    }
    return NULL;
}

void directory_check(const struct directory *directory)
{
    uint32_t count = 0;

    for (const struct member *member = directory_next(directory, 0); member != NULL;
         member = directory_next(directory, member->ref.id + 1)) {
        count++;
        assert(&directory->members[member->ref.id] == member);
        assert(member->ref.token != 0);
        assert(directory_find_name(directory, member->name) == member);
        assert(directory_count_from(directory, member->ip) > 0);
        assert(member->ref.id >= directory->lowest || id_is_taken(directory, member->ref.id));
    }
    assert(count == directory->count);
    assert(count == directory->names.count);
    for (uint32_t id = directory->first_cooling; id != DIRECTORY_NONE;
         id = directory->members[id].next_cooling) {
        assert(id_is_taken(directory, id));
        assert(directory->members[id].state == MEMBER_COOLING);
    }
}
