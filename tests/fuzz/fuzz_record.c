/* What the coordinator reads back from Redis: any bytes, as field and value of each kind of record. What is
 * accepted must be written as the same bytes again. */
#include <assert.h>
#include <string.h>

#include "coordinator/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(const struct record *record, struct span field, struct span value)
{
    assert(strlen(record->field) == field.size && memcmp(record->field, field.data, field.size) == 0);
    assert(strlen(record->value) == value.size && memcmp(record->value, value.data, value.size) == 0);
}

/* The first byte chooses the kind, a line end parts field and value. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 1 ? memchr(data + 1, '\n', size - 1) : NULL;
    struct record record;
    struct span field;
    struct span value;
    struct stored_player player;
    struct stored_slot slot;
    struct stored_process process;
    struct stored_ban ban;
    struct stored_game game;
    struct kv_value kv;
    static uint8_t text[RECORD_KV_SIZE];

    if (end == NULL)
        return 0;
    field = (struct span){ data + 1, (size_t)(end - data) - 1 };
    value = (struct span){ end + 1, size - (size_t)(end - data) - 1 };
    switch (data[0] % 6) {
    case 0:
        /* An address can be written in more ways than one. */
        if (record_read_player(&player, field, value))
            record_write_player(&record, &player);
        break;
    case 1:
        if (!record_read_slot(&slot, field, value))
            break;
        record_write_slot(&record, &slot);
        same(&record, field, value);
        break;
    case 2:
        if (!record_read_process(&process, field, value))
            break;
        record_write_process(&record, &process);
        same(&record, field, value);
        break;
    case 3:
        if (!record_read_game(&game, field, value, 0))
            break;
        record_write_game(&record, &game, 0);
        /* When it was so is written as of now. */
        if (game.what != STORED_CHANGE || game.change.kind != GAME_TIME)
            same(&record, field, value);
        break;
    case 4:
        if (!record_read_kv(&kv, value))
            break;
        assert(record_write_kv(&kv, text) == value.size && memcmp(text, value.data, value.size) == 0);
        break;
    default:
        if (!record_read_ban(&ban, field, value, 0))
            break;
        record_write_ban(&record, &ban, 0);
        same(&record, field, value);
    }
    return 0;
}
