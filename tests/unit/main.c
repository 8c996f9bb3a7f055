/* Runs every unit test, or the suites that are named; CK_RUN_CASE narrows it to a case.
 *
 *     build/test-unit                 all of them
 *     build/test-unit lane link       these suites
 *     build/test-unit --suites        prints their names, one a line */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"

#define SUITE_ENTRY(name) { #name, name##_suite },

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = { SUITES(SUITE_ENTRY) };

enum { SUITES_COUNT = sizeof suites / sizeof suites[0] };

static int list(void)
{
    for (size_t i = 0; i < SUITES_COUNT; i++)
        puts(suites[i].name);
    return EXIT_SUCCESS;
}

static bool is_named(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    SRunner *runner;
    int found = 0;
    int failed;

    if (argc == 2 && strcmp(argv[1], "--suites") == 0)
        return list();
    runner = srunner_create(NULL);
    for (size_t i = 0; i < SUITES_COUNT; i++) {
        if (!is_named(suites[i].name, argc, argv))
            continue;
        srunner_add_suite(runner, suites[i].make());
        found++;
    }
    if (found < argc - 1) {
        fprintf(stderr, "test-unit: no such suite; --suites lists them\n");
        return 2;
    }
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
