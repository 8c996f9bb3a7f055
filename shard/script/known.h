/* known.h - the resources that a shard has ever been asked to run, and what went wrong with each.
 *
 * What runs is in the list of resources (state.h); what does not is remembered here, so that an operator can
 * be told why. */
#ifndef DLMP_SHARD_SCRIPT_KNOWN_H
#define DLMP_SHARD_SCRIPT_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/game.h"
#include "shard/script/script.h"

struct known {
    size_t count;
    struct known_resource {
        char name[SCRIPT_NAME_MAX + 1];
        char error[SCRIPT_ERROR_SIZE]; /* of its last start or reload, one line of plain text; "": none */
    } resources[GAME_RESOURCES_MAX];   /* the oldest first */
};

/* Notes how its last start or reload ended; "": well. When there are too many, the oldest that does not run
 * is forgotten. */
void known_note(struct script *script, const char *name, const char *error);
/* NULL: nobody has ever asked for it. */
const struct known_resource *known_find(const struct known *known, const char *name);
/* Copies a sentence as one line of plain text: what Lua says may hold anything. */
void known_clean(char to[SCRIPT_ERROR_SIZE], const char *error);

#endif
