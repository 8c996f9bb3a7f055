/* What the gamemode costs the shard: an event with a handler that does nothing, an event nobody listens to,
 * and twenty resources with a handler of `tick`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "shard/event.h"
#include "shard/script/script.h"
#include "shard/shard.h"

/* ours: a repetition takes some milliseconds */
enum { EVENTS_RAISED = 5000, UNHEARD = 1000000, REPETITIONS = 15, RESOURCES = 20, TICKS = 500 };

/* The figures the runtime is held to. */
#define EVENT_TARGET_US 1.5
#define UNHEARD_TARGET_NS 30.0
#define TICK_TARGET_PERCENT 1.0

static const char *const help =
    "usage: bench-script [--help]\n"
    "\n"
    "Prints what gamemodes cost, best and median of 15 repetitions: an event with one handler that does\n"
    "nothing, an event nobody listens to, and the share of a core that 20 resources with a handler of\n"
    "`tick` take. Each line says whether its target holds.\n";

struct bench {
    char folder[32];
    struct shard *shard;
    struct script *script;
    uint64_t now_ms;
};

__attribute__((noreturn)) static void die(const char *what)
{
    (void)fprintf(stderr, "bench-script: %s\n", what);
    exit(EXIT_FAILURE);
}

static double cpu_us(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static bool report(const char *what, double *costs, const char *unit, double target)
{
    bool holds;

    qsort(costs, REPETITIONS, sizeof *costs, by_size);
    holds = costs[0] <= target;
    (void)printf("%-40s best %8.3f %s, median %8.3f %s; target %.3f %s: %s\n", what, costs[0], unit,
                 costs[REPETITIONS / 2], unit, target, unit, holds ? "holds" : "MISSED");
    return holds;
}

/* ---- a shard with resources */

static struct bench open_bench(void)
{
    const struct shard_config config = {
        .name = "bench", .bus_endpoint = "none", .players_max = 16, .vehicles_max = 16, .player_ids_max = 16
    };
    struct bench bench = { .folder = "/tmp/dlmp-bench-XXXXXX", .now_ms = 1000 };
    struct script_config script = { .folder = bench.folder,
                                    .clock = { .wall_us = clock_us, .cpu_us = clock_cpu_us },
                                    .budget_ms = 1000,
                                    .budget_total_ms = 1000,
                                    .now_ms = bench.now_ms };

    if (mkdtemp(bench.folder) == NULL)
        die("no folder");
    bench.shard = shard_new(&config);
    bench.script = bench.shard != NULL ? script_new(bench.shard, &script) : NULL;
    if (bench.script == NULL)
        die("no memory");
    return bench;
}

static void path_of(const struct bench *bench, int number, const char *file, char path[64])
{
    (void)snprintf(path, 64, "%s/r%d%s", bench->folder, number, file);
}

static void start(struct bench *bench, int number, const char *main)
{
    char path[64];
    char name[16];
    char error[SCRIPT_ERROR_SIZE];
    FILE *out;

    path_of(bench, number, "", path);
    (void)mkdir(path, 0700);
    path_of(bench, number, "/main.lua", path);
    out = fopen(path, "we");
    if (out == NULL || fputs(main, out) < 0 || fclose(out) != 0)
        die("cannot write a resource");
    (void)snprintf(name, sizeof name, "r%d", number);
    if (script_start(bench->script, name, error) != 0)
        die(error);
}

static void close_bench(struct bench *bench)
{
    char path[64];

    if (script_stats(bench->script)->errors > 0 || script_stats(bench->script)->calls < REPETITIONS * TICKS)
        die("the handlers did not run");
    script_free(&bench->script);
    shard_free(&bench->shard);
    for (int i = 0; i < RESOURCES; i++) {
        path_of(bench, i, "/main.lua", path);
        (void)unlink(path);
        path_of(bench, i, "", path);
        (void)rmdir(path);
    }
    (void)rmdir(bench->folder);
}

/* ---- what is measured */

static double *time_event(struct bench *bench, enum event event, int count, double scale)
{
    static double costs[REPETITIONS];

    for (int i = 0; i < REPETITIONS; i++) {
        double start_us = cpu_us();

        for (int k = 0; k < count; k++)
            (void)EVENT_RAISE(bench->shard, event, event_integer(k), event_integer(0));
        costs[i] = (cpu_us() - start_us) / count * scale;
        bench->now_ms += SCRIPT_BUDGET_WINDOW_MS;
        script_tick(bench->script, bench->now_ms);
    }
    return costs;
}

/* Percent of a core, at ten ticks a second. */
static double *time_ticks(struct bench *bench)
{
    static double costs[REPETITIONS];

    for (int i = 0; i < REPETITIONS; i++) {
        double start_us = cpu_us();

        for (int k = 0; k < TICKS; k++) {
            bench->now_ms += SHARD_TICK_MS;
            script_tick(bench->script, bench->now_ms);
            (void)EVENT_RAISE(bench->shard, EVENT_TICK,
                              event_integer(SHARD_TICK_MS)); /* as the shard's tick does */
        }
        costs[i] = (cpu_us() - start_us) / ((double)TICKS * SHARD_TICK_MS * 1000) * 100;
    }
    return costs;
}

int main(int argc, char **argv)
{
    struct bench bench;
    bool holds = true;

    if (argc > 1) {
        bool asked = strcmp(argv[1], "--help") == 0;

        (void)fputs(help, asked ? stdout : stderr);
        return asked ? EXIT_SUCCESS : 2;
    }
    bench = open_bench();
    start(&bench, 0, "dlmp.on('scope_start', function() end)");
    holds &= report("an event, one handler", time_event(&bench, EVENT_SCOPE_START, EVENTS_RAISED, 1), "us",
                    EVENT_TARGET_US);
    holds &= report("an event nobody listens to", time_event(&bench, EVENT_SCOPE_TAKEN, UNHEARD, 1000), "ns",
                    UNHEARD_TARGET_NS);
    close_bench(&bench);

    bench = open_bench();
    for (int i = 0; i < RESOURCES; i++)
        start(&bench, i,
              "local t = 0 dlmp.on('tick', function(dt) t = t + dt for i = 1, 20 do t = t + i end end)");
    holds &= report("20 resources with a tick handler", time_ticks(&bench), "%", TICK_TARGET_PERCENT);
    close_bench(&bench);
    return holds ? EXIT_SUCCESS : EXIT_FAILURE;
}
