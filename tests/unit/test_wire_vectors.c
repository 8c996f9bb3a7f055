/* tests/vectors/: cases written by hand from the pages, each an example with some values changed that is
 * then accepted, or refused for the sake of one field.
 *
 * {"says": "no nonce", "example": "client_hello", "set": {"client_nonce": 0}, "refused": "client_nonce"}
 *
 * A value of `set` stands as in JSON; where a float is expected, it may be "nan", "inf", "-inf",
 * "next_up:5" or "next_down:5": the next float above or below. */
#include <check.h>
#include <glob.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/json.h"
#include "tests/unit/suites.h"
#include "tests/unit/wire_samples.h"

enum { PUT_MAX = 200000, PATCHES_MAX = 64, PATH_MAX_SIZE = 128 };

static const char *const pages[] = { "chat",   "combat",    "connection", "mapedit",
                                     "player", "resources", "vehicles",   "world" };
enum { PAGES = sizeof pages / sizeof pages[0] };

/* A float that JSON cannot write, and where it goes once the others are read. */
struct patch {
    size_t at;
    float value;
};

struct vector {
    const struct sample *sample;
    struct json_object *fields;
    struct patch patches[PATCHES_MAX];
    size_t patches_count;
    char problem[512]; /* why the case fails; empty when it does not */
};

static bool vector_fails(struct vector *vector, const char *what, const char *detail)
{
    (void)snprintf(vector->problem, sizeof vector->problem, "%s: %s", what, detail);
    return false;
}

/* ---- set ---- */

/* One step of "columns[0].title": a name and perhaps an index. Returns what is behind it, NULL when it is
 * no step. */
static const char *step_of(const char *path, char *name, int *index)
{
    size_t size = strcspn(path, ".[");
    char *end;

    if (size == 0 || size >= PATH_MAX_SIZE)
        return NULL;
    memcpy(name, path, size);
    name[size] = '\0';
    path += size;
    *index = -1;
    if (*path == '[') {
        *index = (int)strtol(path + 1, &end, 10);
        if (end == path + 1 || *end != ']')
            return NULL;
        path = end + 1;
    }
    return *path == '.' ? path + 1 : *path == '\0' ? path : NULL;
}

static bool float_of(const char *text, float *value)
{
    if (strcmp(text, "nan") == 0)
        *value = NAN;
    else if (strcmp(text, "inf") == 0)
        *value = INFINITY;
    else if (strcmp(text, "-inf") == 0)
        *value = -INFINITY;
    else if (strncmp(text, "next_up:", strlen("next_up:")) == 0)
        *value = nextafterf(strtof(text + strlen("next_up:"), NULL), INFINITY);
    else if (strncmp(text, "next_down:", strlen("next_down:")) == 0)
        *value = nextafterf(strtof(text + strlen("next_down:"), NULL), -INFINITY);
    else
        return false;
    return true;
}

/* The value as the reader of packets takes it: a special float becomes 0 for now. */
static struct json_object *plain_value(struct vector *vector, const struct wire_field *field, size_t at,
                                       struct json_object *value)
{
    float special;

    if (field->type == WIRE_F32 && json_object_is_type(value, json_type_string) &&
        float_of(json_object_get_string(value), &special)) {
        REQUIRE(vector->patches_count < PATCHES_MAX, "too many special floats");
        vector->patches[vector->patches_count++] = (struct patch){ at, special };
        return json_object_new_double(0.0);
    }
    return json_object_get(value);
}

static struct json_object *plain_values(struct vector *vector, const struct wire_field *field, size_t at,
                                        struct json_object *value)
{
    struct json_object *plain;

    if (field->count == 0 || !json_object_is_type(value, json_type_array))
        return plain_value(vector, field, at, value);
    plain = json_object_new_array();
    for (size_t i = 0; i < json_object_array_length(value); i++)
        json_object_array_add(
            plain, plain_value(vector, field, at + i * field->stride, json_object_array_get_idx(value, i)));
    return plain;
}

static bool set_value(struct vector *vector, const char *path, struct json_object *value)
{
    const struct wire_struct *layout = vector->sample->packet->layout;
    struct json_object *object = vector->fields;
    const char *rest = path;
    size_t at = 0;

    for (;;) {
        char name[PATH_MAX_SIZE];
        int index;
        const struct wire_field *field;
        struct json_object *inner;

        rest = step_of(rest, name, &index);
        field = rest != NULL && layout != NULL ? wire_field_by_name(layout, name, strlen(name)) : NULL;
        if (field == NULL || !json_object_object_get_ex(object, name, &inner))
            return vector_fails(vector, "no such field", path);
        at += field->offset + (index > 0 ? (size_t)index * field->stride : 0);
        if (*rest == '\0' && index < 0)
            return json_object_object_add(object, name, plain_values(vector, field, at, value)) == 0;
        if (index >= 0 && (size_t)index >= json_object_array_length(inner))
            return vector_fails(vector, "no such item", path);
        if (*rest == '\0')
            return json_object_array_put_idx(inner, (size_t)index, plain_value(vector, field, at, value)) ==
                   0;
        object = index >= 0 ? json_object_array_get_idx(inner, (size_t)index) : inner;
        layout = field->of;
    }
}

/* ---- what becomes of it ---- */

/* "columns[0].title: expected…" → "columns.title". */
static void path_of_message(const char *message, char *path)
{
    size_t size = 0;
    bool inside = false;

    for (; *message != ':' && *message != '\0' && size + 1 < PATH_MAX_SIZE; message++) {
        inside = *message == '[' || (inside && *message != ']');
        if (!inside && *message != ']')
            path[size++] = *message;
    }
    path[size] = '\0';
}

static void path_of_error(const struct wire_error *error, char *path)
{
    (void)snprintf(path, PATH_MAX_SIZE, "%s%s%s", error->within != NULL ? error->within->name : "",
                   error->within != NULL ? "." : "", error->field != NULL ? error->field->name : "");
}

/* Whether the packet is accepted. If not: which field is blamed, and what is said. */
static bool is_accepted(const struct vector *vector, struct arena *arena, char *path, char *message,
                        size_t room)
{
    static uint8_t bytes[PUT_MAX];
    const struct wire_packet *packet = vector->sample->packet;
    union wire_any value;
    union wire_any decoded;
    struct wire_error error;
    size_t size;

    if (!packet_json_read(packet, vector->fields, &value, arena, message, room)) {
        path_of_message(message, path);
        return false;
    }
    for (size_t i = 0; i < vector->patches_count; i++)
        memcpy((uint8_t *)&value + vector->patches[i].at, &vector->patches[i].value, sizeof(float));
    size = packet->put(&value, bytes, sizeof bytes);
    REQUIRE(size > 0, "%s: cannot be put", vector->sample->name);
    if (packet->decode(&decoded, bytes, size, &error))
        return true;
    path_of_error(&error, path);
    wire_error_format(&error, message, room);
    return false;
}

static void vector_judge(struct vector *vector, struct json_object *row, struct arena *arena)
{
    struct json_object *refused = json_object_object_get(row, "refused");
    bool accepted = json_object_get_boolean(json_object_object_get(row, "accepted"));
    char path[PATH_MAX_SIZE] = "";
    char message[384] = "";

    if ((refused != NULL) == accepted) {
        (void)vector_fails(vector, "a case is either accepted or refused", "");
        return;
    }
    if (is_accepted(vector, arena, path, message, sizeof message)) {
        if (!accepted)
            (void)vector_fails(vector, "is accepted, but must be refused for",
                               json_object_get_string(refused));
    } else if (accepted) {
        (void)vector_fails(vector, "must be accepted, but is refused", message);
    } else if (strcmp(path, json_object_get_string(refused)) != 0) {
        (void)snprintf(vector->problem, sizeof vector->problem, "must be refused for %s, but is for: %s",
                       json_object_get_string(refused), message);
    }
}

static const char *example_fields(const char *name)
{
    for (size_t i = 0; i < wire_examples_count; i++) {
        if (strcmp(wire_examples[i].name, name) == 0)
            return wire_examples[i].fields;
    }
    return NULL;
}

static void vector_run(struct vector *vector, struct json_object *row)
{
    const char *example = json_object_get_string(json_object_object_get(row, "example"));
    struct json_object *set = json_object_object_get(row, "set");
    struct arena arena;
    bool ok = true;

    *vector = (struct vector){ .sample = example != NULL ? sample_by_name(example) : NULL };
    if (vector->sample == NULL || set == NULL) {
        (void)vector_fails(vector, "no such example, or nothing to set", example != NULL ? example : "");
        return;
    }
    arena_init(&arena, 1 << 14, 1 << 22);
    vector->fields = json_tokener_parse(example_fields(example));
    json_object_object_foreach(set, path, value)
    {
        if (ok)
            ok = set_value(vector, path, value);
    }
    if (ok)
        vector_judge(vector, row, &arena);
    json_object_put(vector->fields);
    arena_fini(&arena);
}

static void vectors_hold(const char *page)
{
    char name[64];
    char path[1024];
    struct json_object *rows;
    size_t failed = 0;

    (void)snprintf(name, sizeof name, "tests/vectors/%s.json", page);
    rows = json_object_from_file(root_path(name, path, sizeof path));
    REQUIRE(json_object_is_type(rows, json_type_array), "%s is missing or no list: %s", path,
            json_util_get_last_err());
    REQUIRE(json_object_array_length(rows) > 0, "%s is empty", path);
    for (size_t i = 0; i < json_object_array_length(rows); i++) {
        static struct vector vector;
        struct json_object *row = json_object_array_get_idx(rows, i);

        vector_run(&vector, row);
        if (vector.problem[0] == '\0')
            continue;
        failed++;
        (void)fprintf(stderr, "%s: %s: \"%s\" %s: %s\n", name,
                      json_object_get_string(json_object_object_get(row, "example")),
                      json_object_get_string(json_object_object_get(row, "says")),
                      json_object_get_string(json_object_object_get(row, "set")), vector.problem);
    }
    REQUIRE(failed == 0, "%s: %zu of %zu cases fail, listed above", name, failed,
            json_object_array_length(rows));
    json_object_put(rows);
}

START_TEST(what_the_chat_page_accepts_and_refuses)
{
    vectors_hold("chat");
}
END_TEST

START_TEST(what_the_combat_page_accepts_and_refuses)
{
    vectors_hold("combat");
}
END_TEST

START_TEST(what_the_connection_page_accepts_and_refuses)
{
    vectors_hold("connection");
}
END_TEST

START_TEST(what_the_mapedit_page_accepts_and_refuses)
{
    vectors_hold("mapedit");
}
END_TEST

START_TEST(what_the_player_page_accepts_and_refuses)
{
    vectors_hold("player");
}
END_TEST

START_TEST(what_the_resources_page_accepts_and_refuses)
{
    vectors_hold("resources");
}
END_TEST

START_TEST(what_the_vehicles_page_accepts_and_refuses)
{
    vectors_hold("vehicles");
}
END_TEST

START_TEST(what_the_world_page_accepts_and_refuses)
{
    vectors_hold("world");
}
END_TEST

START_TEST(no_file_of_vectors_is_left_out)
{
    char path[1024];
    glob_t files;

    ck_assert_int_eq(glob(root_path("tests/vectors/*.json", path, sizeof path), 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *name = strrchr(files.gl_pathv[i], '/') + 1;
        bool known = false;

        for (size_t p = 0; p < PAGES; p++)
            known =
                known || (strncmp(name, pages[p], strlen(pages[p])) == 0 && name[strlen(pages[p])] == '.');
        REQUIRE(known, "nothing reads %s", files.gl_pathv[i]);
    }
    ck_assert_uint_eq(files.gl_pathc, PAGES);
    globfree(&files);
}
END_TEST

Suite *wire_vectors_suite(void)
{
    Suite *suite = suite_create("wire_vectors");
    TCase *tcase = tcase_create("vectors");

    tcase_add_unchecked_fixture(tcase, samples_load, samples_free);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, what_the_chat_page_accepts_and_refuses);
    tcase_add_test(tcase, what_the_combat_page_accepts_and_refuses);
    tcase_add_test(tcase, what_the_connection_page_accepts_and_refuses);
    tcase_add_test(tcase, what_the_mapedit_page_accepts_and_refuses);
    tcase_add_test(tcase, what_the_player_page_accepts_and_refuses);
    tcase_add_test(tcase, what_the_resources_page_accepts_and_refuses);
    tcase_add_test(tcase, what_the_vehicles_page_accepts_and_refuses);
    tcase_add_test(tcase, what_the_world_page_accepts_and_refuses);
    tcase_add_test(tcase, no_file_of_vectors_is_left_out);
    suite_add_tcase(suite, tcase);
    return suite;
}
