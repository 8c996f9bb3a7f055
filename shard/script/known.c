#include "shard/script/known.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "shard/script/state.h"

_Static_assert((int)GAME_RESOURCES_MAX > SCRIPT_RESOURCES_MAX, "there is always one that does not run");
_Static_assert((int)SCRIPT_ERROR_SIZE == GAME_RESOURCE_ERROR_MAX + 1, "a sentence fits the bus");

const struct known_resource *known_find(const struct known *known, const char *name)
{
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->resources[i].name, name) == 0)
            return &known->resources[i];
    return NULL;
}

void known_clean(char to[SCRIPT_ERROR_SIZE], const char *error)
{
    struct span left = { .data = (const uint8_t *)error, .size = strlen(error) };
    size_t size = 0;

    while (left.size > 0) {
        size_t step = text_char_size(left);
        struct span one = { .data = left.data, .size = step };

        if (size + (step == 0 ? 1 : step) >= SCRIPT_ERROR_SIZE)
            break;
        if (step == 0 || !text_is_plain(one)) {
            to[size++] = left.data[0] == '\n' || left.data[0] == '\t' ? ' ' : '?';
            step = step == 0 ? 1 : step;
        } else {
            memcpy(to + size, left.data, step);
            size += step;
        }
        left.data += step;
        left.size -= step;
    }
    to[size] = '\0';
}

static void forget_one(struct script *script)
{
    struct known *known = &script->known;
    size_t i = 0;

    while (script_runs(script, known->resources[i].name))
        i++;
    assert(i < known->count);
    known->count--;
    memmove(&known->resources[i], &known->resources[i + 1], (known->count - i) * sizeof known->resources[0]);
}

void known_note(struct script *script, const char *name, const char *error)
{
    struct known *known = &script->known;
    size_t i = 0;

    while (i < known->count && strcmp(known->resources[i].name, name) != 0)
        i++;
    if (i == GAME_RESOURCES_MAX) {
        forget_one(script);
        i = known->count;
    }
    if (i == known->count)
        known->count++;
    (void)snprintf(known->resources[i].name, sizeof known->resources[i].name, "%s", name);
    known_clean(known->resources[i].error, error);
}
