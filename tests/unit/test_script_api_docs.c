#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shard/script/api_docs.h"
#include "shard/script/api_table.h"
#include "tests/unit/suites.h"

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    ck_assert_msg(file != NULL, "%s cannot be read", path);
    ck_assert_int_ge(getdelim(&text, &size, '\0', file), 0);
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

START_TEST(the_document_says_what_the_tables_say)
{
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    char *committed = read_all("docs/gamemodes.md");

    ck_assert_ptr_nonnull(out);
    api_docs_write(out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_msg(strcmp(written, committed) == 0, "docs/gamemodes.md is stale: run `make docs`");
    free(written);
    free(committed);
}
END_TEST

START_TEST(every_function_and_every_event_is_told_about)
{
    for (size_t n = 0; n < api_nouns_count; n++) {
        for (size_t f = 0; f < api_nouns[n]->count; f++) {
            const struct api_function *function = &api_nouns[n]->functions[f];

            ck_assert_msg(function->about != NULL && function->returns != NULL, "%s", function->name);
            ck_assert_msg((function->call != NULL) != (function->raw != NULL), "%s", function->name);
            ck_assert_msg(strncmp(function->name, api_nouns[n]->prefix, strlen(api_nouns[n]->prefix)) == 0,
                          "%s", function->name);
        }
    }
    for (enum event event = 0; event < EVENT_COUNT; event++)
        ck_assert_msg(api_event_about(event) != NULL, "%s", event_info(event)->name);
}
END_TEST

Suite *script_api_docs_suite(void)
{
    Suite *suite = suite_create("script_api_docs");
    TCase *tcase = tcase_create("all");

    tcase_add_test(tcase, the_document_says_what_the_tables_say);
    tcase_add_test(tcase, every_function_and_every_event_is_told_about);
    suite_add_tcase(suite, tcase);
    return suite;
}
