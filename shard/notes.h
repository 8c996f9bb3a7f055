/* notes.h - what resources note on a player or a vehicle, by key.
 *
 * Each resource has a page of its own, of NOTES_PAGE_MAX bytes at most; what they mean the resource alone
 * knows. Notes go with the thing: they are kept over a restart of the resource and end with the player's
 * connection or the vehicle.
 *
 * Spec: gamemode API, Resources: data, set_data. */
#ifndef DLMP_SHARD_NOTES_H
#define DLMP_SHARD_NOTES_H

#include <stdint.h>

#include "common/cursor.h"
#include "common/reason.h"

enum {
    NOTES_PAGE_MAX = 4 << 10, /* gamemode API, Resources: bytes, keys and sizes included */
    NOTES_PAGES_MAX = 64,     /* ours: as many resources as a shard runs */
    NOTES_KEY_MAX = 64,       /* ours: bytes */
    NOTES_RESOURCE_SIZE = 64, /* ours: of a resource's name */
};

struct notes_page {
    char resource[NOTES_RESOURCE_SIZE];
    uint16_t size;
    uint8_t *bytes; /* each note: u8 size and key, u16 size and value */
};

/* All zeros: nothing is noted. */
struct notes {
    struct notes_page *pages;
    uint16_t count;
};

void notes_fini(struct notes *notes);

/* An empty value removes the note. REASON_TOO_LARGE: the page would be too full, or there would be too many;
 * REASON_NO_MEMORY. Nothing has changed then. */
enum reason notes_set(struct notes *notes, const char *resource, struct span key, struct span value);
/* A whole page, as notes_page has it, where there is none of the resource. REASON_BUS_MALFORMED: it is
 * none. */
enum reason notes_put_page(struct notes *notes, const char *resource, struct span page);
/* Empty: nothing is noted. Borrowed until the next change. */
struct span notes_get(const struct notes *notes, const char *resource, struct span key);

#endif
