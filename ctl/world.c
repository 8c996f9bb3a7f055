#include "ctl/world.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/tool.h"
#include "ctl/settings.h"

static int complain(const char *path, const yaml_node_t *node, const char *what)
{
    (void)tool_fail("%s:%zu: %s", path, node->start_mark.line + 1, what);
    return -1;
}

/* "  - { model: 411, x: 2495.5 } # line 33", for complaint.c */
static int put_item(const char *path, yaml_document_t *document, const yaml_node_t *item, FILE *out)
{
    const char *comma = "";

    if (item->type != YAML_MAPPING_NODE)
        return complain(path, item, "expected an item with keys: { x: 1, y: 2 }");
    fputs("  - { ", out);
    for (const yaml_node_pair_t *pair = item->data.mapping.pairs.start; pair < item->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *key = yaml_document_get_node(document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(document, pair->value);

        if (key->type != YAML_SCALAR_NODE || value->type != YAML_SCALAR_NODE)
            return complain(path, key, "expected a single value");
        fputs(comma, out);
        settings_put_scalar(out, (const char *)key->data.scalar.value);
        fputs(": ", out);
        settings_put_scalar(out, (const char *)value->data.scalar.value);
        comma = ", ";
    }
    fprintf(out, " } # line %zu\n", item->start_mark.line + 1);
    return 0;
}

static int put_list(const char *path, yaml_document_t *document, const yaml_node_t *list, FILE *out)
{
    if (list->type == YAML_SCALAR_NODE && list->data.scalar.length == 0)
        return 0;
    if (list->type != YAML_SEQUENCE_NODE)
        return complain(path, list, "expected a list");
    for (const yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top;
         item++) {
        if (put_item(path, document, yaml_document_get_node(document, *item), out) != 0)
            return -1;
    }
    return 0;
}

struct outputs {
    FILE *spawns;
    FILE *vehicles;
};

static int put_document(const char *path, yaml_document_t *document, const struct outputs *out)
{
    const yaml_node_t *root = yaml_document_get_root_node(document);

    if (root == NULL)
        return 0;
    if (root->type != YAML_MAPPING_NODE)
        return complain(path, root, "expected the lists 'spawns' and 'vehicles'");
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *key = yaml_document_get_node(document, pair->key);
        const char *name = key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : "";
        FILE *to = strcmp(name, "spawns") == 0     ? out->spawns
                   : strcmp(name, "vehicles") == 0 ? out->vehicles
                                                   : NULL;

        if (to == NULL)
            return complain(path, key, "unknown key: a world has the lists 'spawns' and 'vehicles'");
        if (ftell(to) > 0)
            return complain(path, key, "this list is given twice");
        if (put_list(path, document, yaml_document_get_node(document, pair->value), to) != 0)
            return -1;
    }
    return 0;
}

static int parse(const char *path, const char *text, size_t size, const struct outputs *out)
{
    yaml_parser_t parser;
    yaml_document_t document;
    int result;

    if (!yaml_parser_initialize(&parser)) {
        (void)tool_fail("no memory to read %s", path);
        return -1;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (yaml_parser_load(&parser, &document)) {
        result = put_document(path, &document, out);
        yaml_document_delete(&document);
    } else {
        (void)tool_fail("%s:%zu: no YAML: %s", path, parser.problem_mark.line + 1,
                        parser.problem != NULL ? parser.problem : "out of memory");
        result = -1;
    }
    yaml_parser_delete(&parser);
    return result;
}

/* NULL: it cannot be read; that was said. */
static char *read_file(const char *path, size_t *size)
{
    char *text = malloc(WORLD_FILE_MAX + 1);
    FILE *file = fopen(path, "re");
    const char *why = NULL;

    *size = file == NULL || text == NULL ? 0 : fread(text, 1, WORLD_FILE_MAX + 1, file);
    if (file == NULL || text == NULL || ferror(file))
        why = strerror(errno);
    else if (*size > WORLD_FILE_MAX)
        why = "it is too long";
    if (file != NULL)
        (void)fclose(file);
    if (why == NULL)
        return text;
    (void)tool_fail("cannot read the world file %s: %s", path, why);
    free(text);
    return NULL;
}

int world_load(struct world_lists *world, const char *path)
{
    size_t sizes[2];
    struct outputs out;
    size_t size;
    char *text = read_file(path, &size);
    int result = -1;

    *world = (struct world_lists){ 0 };
    if (text == NULL)
        return -1;
    out.spawns = open_memstream(&world->spawns, &sizes[0]);
    out.vehicles = open_memstream(&world->vehicles, &sizes[1]);
    if (out.spawns != NULL && out.vehicles != NULL)
        result = parse(path, text, size, &out);
    else
        (void)tool_fail("no memory to read %s", path);
    if (out.spawns != NULL)
        (void)fclose(out.spawns);
    if (out.vehicles != NULL)
        (void)fclose(out.vehicles);
    free(text);
    if (result != 0)
        world_free(world);
    return result;
}

void world_free(struct world_lists *world)
{
    free(world->spawns);
    free(world->vehicles);
    *world = (struct world_lists){ 0 };
}
