#include "shard/notes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void notes_fini(struct notes *notes)
{
    for (uint16_t i = 0; i < notes->count; i++)
        free(notes->pages[i].bytes);
    free(notes->pages);
    *notes = (struct notes){ 0 };
}

static struct notes_page *find_page(const struct notes *notes, const char *resource)
{
    for (uint16_t i = 0; i < notes->count; i++)
        if (strcmp(notes->pages[i].resource, resource) == 0)
            return &notes->pages[i];
    return NULL;
}

/* A note as it lies on the page, and what is in it. */
struct note {
    struct span whole;
    struct span key;
    struct span value;
};

static struct note note_at(const uint8_t *at)
{
    struct note note;

    note.key = (struct span){ .data = at + 1, .size = load_u8(at) };
    note.value.size = load_u16(note.key.data + note.key.size);
    note.value.data = note.key.data + note.key.size + sizeof(uint16_t);
    note.whole.data = at;
    note.whole.size = 1 + note.key.size + sizeof(uint16_t) + note.value.size;
    return note;
}

static bool same(struct span a, struct span b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

struct span notes_get(const struct notes *notes, const char *resource, struct span key)
{
    const struct notes_page *page = find_page(notes, resource);

    for (size_t at = 0; page != NULL && at < page->size;) {
        struct note note = note_at(page->bytes + at);

        if (same(note.key, key))
            return note.value;
        at += note.whole.size;
    }
    return (struct span){ NULL, 0 };
}

/* The page without the note of that key. Returns its size. */
static size_t copy_without(const struct notes_page *page, struct span key, uint8_t out[NOTES_PAGE_MAX])
{
    size_t size = 0;

    for (size_t at = 0; at < page->size;) {
        struct note note = note_at(page->bytes + at);

        if (!same(note.key, key)) {
            memcpy(out + size, note.whole.data, note.whole.size);
            size += note.whole.size;
        }
        at += note.whole.size;
    }
    return size;
}

/* REASON_NONE: `page` is the resource's, made if need be. */
static enum reason take_page(struct notes *notes, const char *resource, struct notes_page **page)
{
    struct notes_page *grown;

    *page = find_page(notes, resource);
    if (*page != NULL)
        return REASON_NONE;
    if (notes->count == NOTES_PAGES_MAX)
        return REASON_TOO_LARGE;
    grown = realloc(notes->pages, (notes->count + 1U) * sizeof *grown);
    if (grown == NULL)
        return REASON_NO_MEMORY;
    notes->pages = grown;
    *page = &grown[notes->count++];
    **page = (struct notes_page){ 0 };
    memcpy((*page)->resource, resource, strlen(resource) + 1);
    return REASON_NONE;
}

/* Each note whole, with a key and a value, and no key twice. */
static bool page_is_valid(struct span page)
{
    size_t at = 0;

    while (at < page.size) {
        const uint8_t *note = page.data + at;
        size_t left = page.size - at;
        struct note read;

        if (left < 2 || left < 1 + (size_t)note[0] + sizeof(uint16_t))
            return false;
        read = note_at(note);
        if (read.whole.size > left || read.key.size == 0 || read.key.size > NOTES_KEY_MAX ||
            read.value.size == 0)
            return false;
        for (size_t before = 0; before < at; before += note_at(page.data + before).whole.size)
            if (same(note_at(page.data + before).key, read.key))
                return false;
        at += read.whole.size;
    }
    return true;
}

enum reason notes_put_page(struct notes *notes, const char *resource, struct span page)
{
    size_t length = strlen(resource);
    struct notes_page *made;
    enum reason refused;

    if (length == 0 || length >= NOTES_RESOURCE_SIZE || page.size > NOTES_PAGE_MAX || !page_is_valid(page) ||
        find_page(notes, resource) != NULL)
        return REASON_BUS_MALFORMED;
    refused = take_page(notes, resource, &made);
    if (refused != REASON_NONE)
        return refused;
    made->bytes = malloc(page.size + 1);
    if (made->bytes == NULL)
        return REASON_NO_MEMORY;
    if (page.size > 0)
        memcpy(made->bytes, page.data, page.size);
    made->size = (uint16_t)page.size;
    return REASON_NONE;
}

enum reason notes_set(struct notes *notes, const char *resource, struct span key, struct span value)
{
    uint8_t bytes[NOTES_PAGE_MAX];
    struct notes_page *page;
    enum reason refused;
    uint8_t *kept;
    size_t size;

    assert(key.size > 0 && key.size <= NOTES_KEY_MAX && strlen(resource) < NOTES_RESOURCE_SIZE);
    refused = take_page(notes, resource, &page);
    if (refused != REASON_NONE)
        return refused;
    size = copy_without(page, key, bytes);
    if (value.size > 0) {
        if (1 + key.size + sizeof(uint16_t) + value.size > NOTES_PAGE_MAX - size)
            return REASON_TOO_LARGE;
        store_u8(bytes + size, (uint8_t)key.size);
        memcpy(bytes + size + 1, key.data, key.size);
        size += 1 + key.size;
        store_u16(bytes + size, (uint16_t)value.size);
        memcpy(bytes + size + sizeof(uint16_t), value.data, value.size);
        size += sizeof(uint16_t) + value.size;
    }
    kept = realloc(page->bytes, size > 0 ? size : 1);
    if (kept == NULL)
        return REASON_NO_MEMORY;
    memcpy(kept, bytes, size);
    page->bytes = kept;
    page->size = (uint16_t)size;
    return REASON_NONE;
}
