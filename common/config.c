#include "common/config.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/arena.h"
#include "common/text.h"

enum origin { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_ENVIRONMENT };

/* Where a setting came from; the line is that of the file. */
struct source {
    enum origin origin;
    size_t line;
};

struct config {
    const struct config_spec *spec;
    char *path;
    struct arena arena; /* texts and lists */
    struct source sources[CONFIG_OPTIONS_MAX];
    FILE *errors;
    size_t errors_count;
};

/* A place in the file, for messages: "gateway.yaml:3: udp.port". */
struct place {
    const char *key;
    size_t line; /* 0: from the environment, or nowhere */
};

__attribute__((format(printf, 3, 4))) static void complain(struct config *config, const struct place *place,
                                                           const char *format, ...)
{
    va_list arguments;

    if (place->line > 0)
        fprintf(config->errors, "%s:%zu: ", config->path, place->line);
    fprintf(config->errors, "%s: ", place->key);
    va_start(arguments, format);
    vfprintf(config->errors, format, arguments);
    va_end(arguments);
    putc('\n', config->errors);
    config->errors_count++;
}

/* ---- values ---- */

static const char *variable_name(const struct config_spec *spec, const struct config_option *option,
                                 char *name, size_t room)
{
    int size = snprintf(name, room, "DLMP_%s_%s", spec->process, option->key);

    assert(size > 0 && (size_t)size < room);
    for (char *at = name; *at != '\0'; at++)
        *at = *at == '.' ? '_' : (char)toupper((unsigned char)*at);
    return name;
}

static void read_bool(struct config *config, const struct place *place, const char *text, bool *value)
{
    *value = strcmp(text, "true") == 0;
    if (!*value && strcmp(text, "false") != 0)
        complain(config, place, "expected true or false, got \"%.60s\"", text);
}

static void read_number(struct config *config, const struct place *place, const struct config_option *option,
                        const char *text, void *at)
{
    bool is_whole = option->type == CONFIG_INT;
    char *end;
    double number;

    errno = 0;
    number = is_whole ? (double)strtoll(text, &end, 10) : strtod(text, &end);
    if (end == text || *end != '\0' || isspace((unsigned char)text[0]) || errno == ERANGE ||
        !isfinite(number) || number < option->min || number > option->max)
        complain(config, place, "expected a%s number %.17g..=%.17g, got \"%.60s\"", is_whole ? " whole" : "",
                 option->min, option->max, text);
    else if (is_whole)
        *(int64_t *)at = strtoll(text, NULL, 10);
    else
        *(double *)at = number;
}

static void read_text(struct config *config, const struct place *place, const struct config_option *option,
                      const char *text, char **at)
{
    struct span span = { .data = (const uint8_t *)text, .size = strlen(text) };
    char *copy;

    if ((double)span.size < option->min || (double)span.size > option->max || !text_is_plain(span)) {
        complain(config, place, "expected a text of %.0f..=%.0f bytes without control characters",
                 option->min, option->max);
        return;
    }
    copy = arena_copy(&config->arena, span);
    if (copy == NULL)
        complain(config, place, "no memory for it");
    else
        *at = copy;
}

static void read_choice(struct config *config, const struct place *place, const struct config_option *option,
                        const char *text, int64_t *at)
{
    for (int64_t i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            *at = i;
            return;
        }
    }
    complain(config, place, "got \"%.60s\", expected one of:", text);
    for (size_t i = 0; option->choices[i] != NULL; i++)
        fprintf(config->errors, "    %s\n", option->choices[i]);
}

/* A single value, as it is written. */
static void read_value(struct config *config, const struct place *place, const struct config_option *option,
                       const char *text, void *base)
{
    void *at = (char *)base + option->offset;

    switch (option->type) {
    case CONFIG_BOOL:
        read_bool(config, place, text, at);
        break;
    case CONFIG_INT:
    case CONFIG_REAL:
        read_number(config, place, option, text, at);
        break;
    case CONFIG_TEXT:
    case CONFIG_SECRET:
        read_text(config, place, option, text, at);
        break;
    case CONFIG_CHOICE:
        read_choice(config, place, option, text, at);
        break;
    case CONFIG_LIST:
        complain(config, place, "expected a list");
        break;
    }
}

/* ---- the file ---- */

static size_t line_of(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

/* A key that is longer than any of ours is cut: it is unknown either way. */
static void join_key(char key[CONFIG_KEY_MAX], const char *before, const yaml_node_t *name)
{
    const char *word = name->type == YAML_SCALAR_NODE ? (const char *)name->data.scalar.value : "?";
    int size = snprintf(key, CONFIG_KEY_MAX, "%s%s%s", before, before[0] != '\0' ? "." : "", word);

    assert(size > 0);
}

static const struct config_option *find_option(const struct config_option *options, const char *key)
{
    for (; options->key != NULL; options++) {
        if (strcmp(options->key, key) == 0)
            return options;
    }
    return NULL;
}

static bool is_section(const struct config_option *options, const char *key)
{
    size_t size = strlen(key);

    for (; options->key != NULL; options++) {
        if (strncmp(options->key, key, size) == 0 && options->key[size] == '.')
            return true;
    }
    return false;
}

static bool is_repeated(yaml_document_t *document, const yaml_node_t *mapping, const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(document, pair->key);

    for (const yaml_node_pair_t *other = mapping->data.mapping.pairs.start; other < pair; other++) {
        const yaml_node_t *name = yaml_document_get_node(document, other->key);

        if (name->type == YAML_SCALAR_NODE && key->type == YAML_SCALAR_NODE &&
            name->data.scalar.length == key->data.scalar.length &&
            memcmp(name->data.scalar.value, key->data.scalar.value, key->data.scalar.length) == 0)
            return true;
    }
    return false;
}

/* NULL, and a complaint, for what is no plain value. */
static const char *scalar_text(struct config *config, const struct place *place, const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE)
        complain(config, place, "expected a single value");
    else if (strlen((const char *)node->data.scalar.value) != node->data.scalar.length)
        complain(config, place, "has a zero byte");
    else
        return (const char *)node->data.scalar.value;
    return NULL;
}

static void read_standard(struct config *config, const struct place *place,
                          const struct config_option *option, void *base)
{
    if (option->standard == NULL)
        complain(config, place, "missing: it has no default");
    else if (option->type != CONFIG_LIST)
        read_value(config, place, option, option->standard, base);
}

static void read_item(struct config *config, yaml_document_t *document, const struct config_option *list,
                      const yaml_node_t *node, void *item)
{
    char key[CONFIG_KEY_MAX];
    struct place place = { list->key, line_of(node) };

    if (list->item[0].key != NULL && list->item[0].key[0] == '\0') { /* plain values */
        const char *text = scalar_text(config, &place, node);

        if (text != NULL)
            read_value(config, &place, &list->item[0], text, item);
        return;
    }
    if (node->type != YAML_MAPPING_NODE) {
        complain(config, &place, "expected an item with keys");
        return;
    }
    for (const struct config_option *option = list->item; option->key != NULL; option++) {
        const yaml_node_t *value = NULL;

        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top; pair++) {
            const yaml_node_t *name = yaml_document_get_node(document, pair->key);

            if (name->type == YAML_SCALAR_NODE &&
                strcmp((const char *)name->data.scalar.value, option->key) == 0)
                value = yaml_document_get_node(document, pair->value);
        }
        snprintf(key, sizeof key, "%s.%s", list->key, option->key);
        place = (struct place){ key, line_of(value != NULL ? value : node) };
        if (value == NULL) {
            read_standard(config, &place, option, item);
        } else {
            const char *text = scalar_text(config, &place, value);

            if (text != NULL)
                read_value(config, &place, option, text, item);
        }
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *name = yaml_document_get_node(document, pair->key);

        join_key(key, list->key, name);
        place = (struct place){ key, line_of(name) };
        if (find_option(list->item, key + strlen(list->key) + 1) == NULL)
            complain(config, &place, "unknown key");
        else if (is_repeated(document, node, pair))
            complain(config, &place, "is given twice");
    }
}

static void read_list(struct config *config, yaml_document_t *document, const struct config_option *option,
                      const yaml_node_t *node, void *settings)
{
    struct place place = { option->key, line_of(node) };
    size_t count;
    char *items;

    if (node->type != YAML_SEQUENCE_NODE) {
        complain(config, &place, "expected a list");
        return;
    }
    count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if ((double)count < option->min || (double)count > option->max) {
        complain(config, &place, "has %zu items, expected %.0f..=%.0f", count, option->min, option->max);
        return;
    }
    items = arena_alloc_zeroed(&config->arena, count, option->item_size);
    if (items == NULL) {
        complain(config, &place, "no memory for its %zu items", count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        read_item(config, document, option,
                  yaml_document_get_node(document, node->data.sequence.items.start[i]),
                  items + i * option->item_size);
    *(void **)(void *)((char *)settings + option->offset) = items;
    *(size_t *)(void *)((char *)settings + option->count_offset) = count;
}

static void read_mapping(struct config *config, yaml_document_t *document, const yaml_node_t *node,
                         const char *before, void *settings)
{
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *name = yaml_document_get_node(document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(document, pair->value);
        const struct config_option *option;
        char key[CONFIG_KEY_MAX];
        struct place place = { key, line_of(name) };

        join_key(key, before, name);
        option = find_option(config->spec->options, key);
        if (is_repeated(document, node, pair)) {
            complain(config, &place, "is given twice");
        } else if (option != NULL) {
            struct source *source = &config->sources[option - config->spec->options];
            const char *text;

            *source = (struct source){ ORIGIN_FILE, place.line };
            if (option->type == CONFIG_LIST)
                read_list(config, document, option, value, settings);
            else if ((text = scalar_text(config, &place, value)) != NULL)
                read_value(config, &place, option, text, settings);
        } else if (!is_section(config->spec->options, key)) {
            complain(config, &place, "unknown key");
        } else if (value->type == YAML_MAPPING_NODE) {
            read_mapping(config, document, value, key, settings);
        } else if (value->type != YAML_SCALAR_NODE || value->data.scalar.length > 0) {
            complain(config, &place, "is a section, expected keys below it");
        }
    }
}

static void read_document(struct config *config, yaml_parser_t *parser, void *settings)
{
    struct place place = { "the file", 0 };
    yaml_document_t document;
    yaml_node_t *root;

    if (!yaml_parser_load(parser, &document)) {
        place.line = parser->problem_mark.line + 1;
        complain(config, &place, "no YAML: %s", parser->problem != NULL ? parser->problem : "out of memory");
        return;
    }
    root = yaml_document_get_root_node(&document);
    if (root != NULL && root->type == YAML_MAPPING_NODE) {
        read_mapping(config, &document, root, "", settings);
    } else if (root != NULL) {
        place.line = line_of(root);
        complain(config, &place, "expected keys with values");
    }
    yaml_document_delete(&document);
}

static void read_file(struct config *config, void *settings)
{
    struct place place = { config->path, 0 };
    FILE *file = fopen(config->path, "rbe");
    yaml_parser_t parser;
    char *text;
    size_t size;

    if (file == NULL) {
        complain(config, &place, "cannot be opened: %s", strerror(errno));
        return;
    }
    text = malloc(CONFIG_FILE_MAX + 1);
    size = text == NULL ? 0 : fread(text, 1, CONFIG_FILE_MAX + 1, file);
    if (text == NULL || ferror(file)) {
        complain(config, &place, "cannot be read");
    } else if (size > CONFIG_FILE_MAX) {
        complain(config, &place, "is longer than %d bytes", CONFIG_FILE_MAX);
    } else if (!yaml_parser_initialize(&parser)) {
        complain(config, &place, "no memory to read it");
    } else {
        yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
        read_document(config, &parser, settings);
        yaml_parser_delete(&parser);
    }
    free(text);
    (void)fclose(file);
}

/* ---- defaults and the environment ---- */

static void read_environment(struct config *config, char *const *environment, void *settings)
{
    char prefix[CONFIG_KEY_MAX * 2];
    char name[CONFIG_KEY_MAX * 2];

    variable_name(config->spec, &(const struct config_option){ .key = "" }, prefix, sizeof prefix);
    for (; *environment != NULL; environment++) {
        const char *equals = strchr(*environment, '=');
        struct place place = { name, 0 };
        const struct config_option *option = config->spec->options;

        if (equals == NULL || strncmp(*environment, prefix, strlen(prefix)) != 0)
            continue;
        while (option->key != NULL && (strlen(variable_name(config->spec, option, name, sizeof name)) !=
                                           (size_t)(equals - *environment) ||
                                       strncmp(name, *environment, strlen(name)) != 0))
            option++;
        if (option->key == NULL) {
            snprintf(name, sizeof name, "%.*s", (int)(equals - *environment), *environment);
            complain(config, &place, "unknown variable: no setting of this process has this name");
        } else if (option->type == CONFIG_LIST) {
            complain(config, &place, "a list is set in the file only");
        } else {
            config->sources[option - config->spec->options] = (struct source){ ORIGIN_ENVIRONMENT, 0 };
            read_value(config, &place, option, equals + 1, settings);
        }
    }
}

struct config *config_load(const struct config_spec *spec, const char *path, char *const *environment,
                           void *settings, FILE *errors)
{
    struct config *config = calloc(1, sizeof *config);

    if (config == NULL)
        return NULL;
    config->spec = spec;
    config->errors = errors;
    arena_init(&config->arena, 4096, (size_t)64 << 20);
    config->path = path == NULL ? NULL : strdup(path);
    if (config->path != NULL)
        read_file(config, settings);
    read_environment(config, environment, settings);
    for (size_t i = 0; spec->options[i].key != NULL; i++) {
        assert(i < CONFIG_OPTIONS_MAX);
        if (config->sources[i].origin == ORIGIN_DEFAULT)
            read_standard(config, &(struct place){ spec->options[i].key, 0 }, &spec->options[i], settings);
    }
    if (config->errors_count > 0)
        config_free(&config);
    return config;
}

void config_free(struct config **config)
{
    if (*config == NULL)
        return;
    arena_fini(&(*config)->arena);
    free((*config)->path);
    free(*config);
    *config = NULL;
}

/* ---- printing ---- */

static void print_value(const struct config_option *option, const void *settings, FILE *out)
{
    const void *at = (const char *)settings + option->offset;

    switch (option->type) {
    case CONFIG_BOOL:
        fputs(*(const bool *)at ? "true" : "false", out);
        break;
    case CONFIG_INT:
        fprintf(out, "%lld", (long long)*(const int64_t *)at);
        break;
    case CONFIG_REAL:
        fprintf(out, "%.9g", *(const double *)at);
        break;
    case CONFIG_TEXT:
        fprintf(out, "\"%s\"", *(char *const *)at);
        break;
    case CONFIG_SECRET:
        fputs((*(char *const *)at)[0] == '\0' ? "(empty)" : "(set)", out);
        break;
    case CONFIG_CHOICE:
        fputs(option->choices[*(const int64_t *)at], out);
        break;
    case CONFIG_LIST:
        fprintf(out, "(%zu items)",
                *(const size_t *)(const void *)((const char *)settings + option->count_offset));
        break;
    }
}

void config_print(const struct config *config, const void *settings, FILE *out)
{
    const struct config_option *options = config->spec->options;

    for (size_t i = 0; options[i].key != NULL; i++) {
        const struct source *source = &config->sources[i];
        char name[CONFIG_KEY_MAX * 2];

        fprintf(out, "%s: ", options[i].key);
        print_value(&options[i], settings, out);
        if (source->origin == ORIGIN_FILE)
            fprintf(out, "  # %s:%zu\n", config->path, source->line);
        else if (source->origin == ORIGIN_ENVIRONMENT)
            fprintf(out, "  # %s\n", variable_name(config->spec, &options[i], name, sizeof name));
        else
            fputs("  # default\n", out);
    }
}

void config_print_example(const struct config_spec *spec, FILE *out)
{
    char section[CONFIG_KEY_MAX] = "";

    for (const struct config_option *option = spec->options; option->key != NULL; option++) {
        const char *dot = strchr(option->key, '.');
        const char *indent = dot == NULL ? "" : "  ";
        size_t size = dot == NULL ? 0 : (size_t)(dot - option->key);

        if (dot != NULL && (strncmp(section, option->key, size) != 0 || section[size] != '\0')) {
            snprintf(section, sizeof section, "%.*s", (int)size, option->key);
            fprintf(out, "\n%s:\n", section);
        }
        fprintf(out, "%s# %s\n%s%s%s: %s\n", indent, option->doc, indent,
                option->standard == NULL ? "# " : "", dot == NULL ? option->key : dot + 1,
                option->standard == NULL      ? "(must be set)"
                : option->type == CONFIG_LIST ? "[]"
                : option->standard[0] == '\0' ? "\"\""
                                              : option->standard);
    }
}
