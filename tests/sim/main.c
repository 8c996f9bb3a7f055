/* Runs seeds of the simulated cluster, and the traps.
 *
 *     build/sim --seeds 200          seeds 1 to 200
 *     build/sim --seed 7             that one, with its figures
 *     build/sim --trap ends --whole  one kind of fault, in full */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/scene.h"
#include "tests/sim/sim.h"
#include "tests/sim/trap.h"

struct run {
    struct sim_options options;
    uint64_t first;
    uint64_t last;
    const char *trap; /* NULL: seeds; "all" */
    bool is_whole;
    bool is_help;
};

static int usage(FILE *out, int status)
{
    (void)fputs(
        "usage: sim [--seeds N | --seed N] [--from N] [--clients N] [--busy-ms N] [--calm] [--log]\n"
        "       sim --trap NAME [--whole] [--seed N] [--log]\n\n"
        "Runs a whole cluster on a virtual clock and a faulty network, and checks it after every step.\n\n"
        "  --seeds N    seeds up to N (default 20)\n"
        "  --from N     the first of them (default 1)\n"
        "  --seed N     only this one\n"
        "  --clients N  1..=64 (default 12)\n"
        "  --busy-ms N  virtual time before everything heals (default 30000)\n"
        "  --calm       nothing goes wrong with the servers\n"
        "  --trap NAME  joins, burst, rejoin, ends, kicks, deaths, slow, or all of them\n"
        "  --whole      the trap in full\n"
        "  --log        what the cores log, on stderr\n\n"
        "example: sim --seed 7 --clients 30\n",
        out);
    return status;
}

static int read_number(const char *text, uint64_t max, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    return end == text || *end != '\0' || errno != 0 || *number == 0 || *number > max ? -1 : 0;
}

static bool read_flag(const char *argument, struct run *run)
{
    if (strcmp(argument, "--help") == 0)
        run->is_help = true;
    else if (strcmp(argument, "--calm") == 0)
        run->options.is_calm = true;
    else if (strcmp(argument, "--whole") == 0)
        run->is_whole = true;
    else if (strcmp(argument, "--log") == 0)
        scene_log();
    else
        return false;
    return true;
}

static bool read_option(const char *argument, const char *value, struct run *run)
{
    uint64_t number;

    if (strcmp(argument, "--trap") == 0) {
        run->trap = value;
        return true;
    }
    if (read_number(value, UINT32_MAX, &number) != 0)
        return false;
    if (strcmp(argument, "--seeds") == 0)
        run->last = number;
    else if (strcmp(argument, "--from") == 0)
        run->first = number;
    else if (strcmp(argument, "--seed") == 0)
        run->first = run->last = number;
    else if (strcmp(argument, "--clients") == 0 && number <= 64)
        run->options.clients = (uint32_t)number;
    else if (strcmp(argument, "--busy-ms") == 0)
        run->options.busy_ms = (uint32_t)number;
    else
        return false;
    return true;
}

static bool read_arguments(int argc, char **argv, struct run *run)
{
    for (int i = 1; i < argc; i++) {
        if (read_flag(argv[i], run))
            continue;
        if (i + 1 == argc || !read_option(argv[i], argv[i + 1], run))
            return false;
        i++;
    }
    return true;
}

/* How to repeat what runs now: told when it fails, and by the signal handler when an assertion ends it. */
static char repeat[160];

static void on_abort(int number)
{
    (void)number;
    (void)!write(STDERR_FILENO, repeat, strlen(repeat));
}

static void tell_deeds(const struct sim_result *result)
{
    printf("gamemodes: %" PRIu64 " deeds, %" PRIu64 " requests refused; clients:", result->deeds,
           result->refusals);
    for (int ask = 0; ask < CLIENT_ASKS; ask++)
        printf(" %s %" PRIu64 "/%" PRIu64, client_ask_name((enum client_ask)ask), result->accepted[ask],
               result->asked[ask]);
    printf("\n");
}

static void run_seed(struct run *run, bool is_told, uint64_t *failed)
{
    const struct sim_options *options = &run->options;
    struct sim_result result;

    (void)snprintf(repeat, sizeof repeat,
                   "repeat it with: build/sim --seed %" PRIu64 " --clients %u --busy-ms %u%s\n",
                   options->seed, options->clients, options->busy_ms, options->is_calm ? " --calm" : "");
    if (sim_run(options, &result, stderr) != 0) {
        (void)fputs(repeat, stderr);
        (*failed)++;
    } else if (is_told) {
        printf("seed %" PRIu64 ": %" PRIu64 " ms of virtual time in %" PRIu64 " steps, %" PRIu64
               " faults, %" PRIu64 " joins, %" PRIu64 " datagrams, %u in the world, %" PRIu64
               " pairs that see each other, %" PRIu64 " vehicles seen\n",
               options->seed, result.virtual_ms, result.steps, result.faults, result.joins, result.datagrams,
               options->clients, result.pairs, result.vehicles);
        tell_deeds(&result);
    }
}

static uint64_t run_seeds(struct run *run, uint64_t *passed)
{
    uint64_t failed = 0;

    for (run->options.seed = run->first; run->options.seed <= run->last; run->options.seed++)
        run_seed(run, run->first == run->last, &failed);
    *passed = run->last - run->first + 1 - failed;
    return failed;
}

static uint64_t run_traps(const struct run *run, uint64_t *passed)
{
    uint64_t failed = 0;

    for (const struct trap *trap = traps; trap->name != NULL; trap++) {
        struct trap_run trap_run = { .seed = run->first, .is_whole = run->is_whole };

        if (strcmp(run->trap, "all") != 0 && strcmp(run->trap, trap->name) != 0)
            continue;
        (void)snprintf(repeat, sizeof repeat, "repeat it with: build/sim --trap %s --seed %" PRIu64 "%s\n",
                       trap->name, run->first, run->is_whole ? " --whole" : "");
        if (trap->run(&trap_run)) {
            printf("%s: %s\n", trap->name, trap_run.figures);
            (*passed)++;
            continue;
        }
        (void)fprintf(stderr, "%s: %s (%s)\n%s", trap->name, trap_run.wrong, trap_run.figures, repeat);
        failed++;
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct run run = {
        .options = { .shards = 2, .gateways = 2, .clients = 12, .busy_ms = 30000, .loss = 0.05 },
        .first = 1,
        .last = 20,
    };
    uint64_t passed = 0, failed;

    if (!read_arguments(argc, argv, &run))
        return usage(stderr, 2);
    if (run.is_help)
        return usage(stdout, 0);
    (void)sigaction(SIGABRT, &(struct sigaction){ .sa_handler = on_abort }, NULL);
    failed = run.trap != NULL ? run_traps(&run, &passed) : run_seeds(&run, &passed);
    if (passed + failed == 0)
        return usage(stderr, 2);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
