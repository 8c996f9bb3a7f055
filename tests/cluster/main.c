/* Runs every test that needs real processes, or the suite and the case that CK_RUN_SUITE and CK_RUN_CASE
 * name. */
#include <signal.h>
#include <stdlib.h>

#include "tests/cluster/suites.h"
#include "tests/cluster/town.h"

#define MAKE_SUITE(name) name##_suite,

int main(void)
{
    static Suite *(*const suites[])(void) = { SUITES(MAKE_SUITE) };
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    SRunner *runner = srunner_create(NULL);
    int failed;

    /* A peer that dies is part of these tests. */
    if (sigaction(SIGPIPE, &ignore, NULL) != 0)
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++)
        srunner_add_suite(runner, suites[i]());
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner) + !town_raze();
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
