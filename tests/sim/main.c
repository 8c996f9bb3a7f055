/* Runs seeds of the simulated cluster.
 *
 *     build/sim --seeds 200          seeds 1 to 200
 *     build/sim --seed 7             that one, with its figures */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"

static int usage(FILE *out, int status)
{
    (void)fputs(
        "usage: sim [--seeds N | --seed N] [--clients N] [--busy-ms N]\n\n"
        "Runs a whole cluster on a virtual clock and a faulty network, and checks it after every step.\n\n"
        "  --seeds N    seeds 1 to N (default 20)\n"
        "  --seed N     only this one\n"
        "  --clients N  1..=64 (default 12)\n"
        "  --busy-ms N  virtual time before the network heals (default 20000)\n\n"
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

int main(int argc, char **argv)
{
    struct sim_options options = {
        .shards = 2, .gateways = 2, .clients = 12, .busy_ms = 20000, .loss = 0.05
    };
    uint64_t first = 1, last = 20, number;
    int failed = 0;

    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0)
            return usage(stdout, 0);
        if (i + 1 == argc || read_number(argv[i + 1], UINT32_MAX, &number) != 0)
            return usage(stderr, 2);
        if (strcmp(argv[i], "--seeds") == 0)
            last = number;
        else if (strcmp(argv[i], "--seed") == 0)
            first = last = number;
        else if (strcmp(argv[i], "--clients") == 0 && number <= 64)
            options.clients = (uint32_t)number;
        else if (strcmp(argv[i], "--busy-ms") == 0)
            options.busy_ms = (uint32_t)number;
        else
            return usage(stderr, 2);
    }
    for (options.seed = first; options.seed <= last; options.seed++) {
        struct sim_result result;

        if (sim_run(&options, &result, stderr) != 0) {
            (void)fprintf(stderr, "repeat it with: make sim SEED=%llu\n", (unsigned long long)options.seed);
            failed++;
        } else if (first == last) {
            printf("seed %llu: %llu ms of virtual time in %llu steps, %llu joins, %llu datagrams, "
                   "%llu in the world, "
                   "%llu pairs that see each other\n",
                   (unsigned long long)options.seed, (unsigned long long)result.virtual_ms,
                   (unsigned long long)result.steps, (unsigned long long)result.joins,
                   (unsigned long long)result.datagrams, (unsigned long long)result.spawns,
                   (unsigned long long)result.pairs);
        }
    }
    printf("%llu passed, %d failed\n", (unsigned long long)(last - first + 1) - (unsigned long long)failed,
           failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
