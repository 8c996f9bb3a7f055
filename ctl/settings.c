#include "ctl/settings.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INDENT = 2 };

void settings_init(struct settings *settings)
{
    *settings = (struct settings){ 0 };
}

void settings_fini(struct settings *settings)
{
    for (size_t i = 0; i < settings->count; i++)
        free(settings->items[i].value);
    settings_init(settings);
}

static struct setting *find(const struct settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->items[i].key, key) == 0)
            return (struct setting *)&settings->items[i];
    }
    return NULL;
}

static bool set(struct settings *settings, const char *key, const char *value, bool is_list)
{
    struct setting *setting = find(settings, key);
    char *copy = strdup(value);

    if (copy == NULL || strlen(key) >= SETTINGS_KEY_SIZE ||
        (setting == NULL && settings->count == SETTINGS_MAX)) {
        free(copy);
        return false;
    }
    if (setting == NULL) {
        setting = &settings->items[settings->count++];
        *setting = (struct setting){ .is_list = is_list };
        memcpy(setting->key, key, strlen(key) + 1);
    }
    free(setting->value);
    setting->value = copy;
    setting->is_list = is_list;
    return true;
}

bool settings_set(struct settings *settings, const char *key, const char *value)
{
    return set(settings, key, value, false);
}

bool settings_set_to(struct settings *settings, const char *key, const char *format, ...)
{
    char *value = NULL;
    va_list arguments;
    bool done;

    va_start(arguments, format);
    if (vasprintf(&value, format, arguments) < 0)
        value = NULL;
    va_end(arguments);
    done = value != NULL && set(settings, key, value, false);
    free(value);
    return done;
}

bool settings_set_list(struct settings *settings, const char *key, const char *items)
{
    return set(settings, key, items, true);
}

/* ---- writing */

/* Letters, digits and what can stand in a number or a path: such a text needs no quotes, since nothing of it
 * is YAML's own, and ours has no types that a bare word could be mistaken for. */
static bool is_plain(const char *text)
{
    static const char anywhere[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-";
    const char *first = text[0] == '-' ? text + 1 : text; /* "-1", but not "- x" and "---" */

    return first[0] != '\0' && first[0] != '-' && text[strspn(text, anywhere)] == '\0';
}

void settings_put_scalar(FILE *out, const char *text)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < ' ' || *at == 0x7F)
            fprintf(out, "\\x%02x", (unsigned)*at);
        else
            fputc(*at, out);
    }
    fputc('"', out);
}

/* In strcmp's order all keys of a section stand together. */
static int compare(const void *a, const void *b)
{
    return strcmp(((const struct setting *)a)->key, ((const struct setting *)b)->key);
}

/* How many bytes of the key are sections that the key before it was in as well. */
static size_t shared_sections(const char *before, const char *key)
{
    size_t shared = 0;

    for (size_t i = 0; before[i] == key[i] && key[i] != '\0'; i++) {
        if (key[i] == '.')
            shared = i + 1;
    }
    return shared;
}

static void print_setting(const struct setting *setting, const char *before, FILE *out)
{
    const char *key = setting->key;
    size_t shared = shared_sections(before, key);
    int indent = 0;

    for (const char *dot = strchr(key, '.'); dot != NULL; key = dot + 1, dot = strchr(key, '.')) {
        if ((size_t)(dot - setting->key) >= shared)
            fprintf(out, "%*s%.*s:\n", indent, "", (int)(dot - key), key);
        indent += INDENT;
    }
    fprintf(out, "%*s%s:", indent, "", key);
    if (setting->is_list && setting->value[0] == '\0') {
        fputs(" []\n", out);
    } else if (setting->is_list) {
        fprintf(out, "\n%s", setting->value);
    } else {
        fputc(' ', out);
        settings_put_scalar(out, setting->value);
        fputc('\n', out);
    }
}

void settings_print(struct settings *settings, FILE *out)
{
    const char *before = "";

    qsort(settings->items, settings->count, sizeof settings->items[0], compare);
    for (size_t i = 0; i < settings->count; i++) {
        print_setting(&settings->items[i], before, out);
        before = settings->items[i].key;
    }
}

int settings_write(struct settings *settings, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    int error;

    if (file == NULL) {
        error = errno;
        if (fd >= 0)
            close(fd);
        errno = error;
        return -1;
    }
    settings_print(settings, file);
    error = ferror(file) ? EIO : 0;
    if (fclose(file) != 0)
        error = errno;
    errno = error;
    return error == 0 ? 0 : -1;
}

/* ---- what a program has */

bool settings_listing_has(const char *listing, const char *key)
{
    size_t size = strlen(key);

    for (const char *line = listing; *line != '\0';) {
        const char *end = strchr(line, '\n');

        if (size > 0 && strncmp(line, key, size) == 0 && line[size] == ':' && line[size + 1] == ' ')
            return true;
        if (end == NULL)
            break;
        line = end + 1;
    }
    return false;
}
