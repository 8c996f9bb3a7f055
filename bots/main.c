/* dlmp-bots - simulated clients: load for a server, and a check of all that it sends back. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bots/flood.h"
#include "bots/net.h"
#include "bots/options.h"
#include "bots/report.h"
#include "bots/swarm.h"
#include "common/clock.h"
#include "common/text.h"

enum { EXIT_ALL_WELL = 0, EXIT_VIOLATION = 1, EXIT_USAGE = 2, EXIT_MISSING = 3 };
enum { WHY_SIZE = 256, PLAIN_LINE_EVERY_S = 5 };

struct run {
    struct sockets *net;
    struct swarm *swarm;
    FILE *talk; /* where the status, the phases and the table go */
    bool is_terminal;
    struct report before; /* of the last status line */
    uint64_t before_ms;
    uint64_t seconds;
    uint64_t measured_from_unix_ms;
    uint64_t measured_to_unix_ms;
};

static struct report make_report(const struct run *run, uint64_t now_ms)
{
    struct report report;

    swarm_report(run->swarm, now_ms, &report);
    sockets_report(run->net, &report);
    report.measured_from_unix_ms = run->measured_from_unix_ms;
    report.measured_to_unix_ms = run->measured_to_unix_ms;
    return report;
}

static void on_second(void *context, uint64_t now_ms)
{
    struct run *run = context;
    struct report report;

    if (++run->seconds % PLAIN_LINE_EVERY_S != 0 && !run->is_terminal)
        return;
    report = make_report(run, now_ms);
    (void)fputs(run->is_terminal ? "\r" : "", run->talk);
    report_print_status(&report, &run->before, now_ms - run->before_ms, run->talk);
    (void)fputs(run->is_terminal ? "\033[K" : "\n", run->talk);
    (void)fflush(run->talk);
    run->before = report;
    run->before_ms = now_ms;
}

/* A line by itself, for programs that take their own figures of the measured time. */
static void on_phase(void *context, uint64_t now_ms, enum swarm_phase phase)
{
    struct run *run = context;

    (void)now_ms;
    if (phase == SWARM_MEASURING)
        run->measured_from_unix_ms = clock_wall_ms();
    else if (phase == SWARM_LEAVING && run->measured_from_unix_ms != 0)
        run->measured_to_unix_ms = clock_wall_ms();
    (void)fprintf(run->talk, "%sphase %s\n", run->is_terminal ? "\r\033[K" : "", swarm_phase_name(phase));
    (void)fflush(run->talk);
}

/* NULL, after a complaint. */
static FILE *open_json(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");

    if (file == NULL)
        (void)fprintf(stderr, "dlmp-bots: cannot write %s: %s\n", path, strerror(errno));
    return file;
}

/* False, after a complaint. */
static bool close_json(FILE *file, const char *path)
{
    bool is_good = ferror(file) == 0;

    if ((file == stdout ? fflush(file) : fclose(file)) == 0 && is_good)
        return true;
    (void)fprintf(stderr, "dlmp-bots: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

static int run_flood(const struct options *options, FILE *json, FILE *talk)
{
    const struct flood_config config = {
        .servers = options->servers,
        .per_s = options->flood_per_s,
        .sources = options->flood_sources,
        .time_ms = options->swarm.time_ms,
        .seed = options->swarm.seed,
        .name = options->swarm.name,
    };
    struct flood_result result;
    char why[WHY_SIZE] = "";

    if (flood_run(&config, &result, why, sizeof why) != 0) {
        (void)fprintf(stderr, "dlmp-bots: %s\n", why);
        return EXIT_MISSING;
    }
    flood_print(&result, talk);
    if (json != NULL)
        flood_print_json(&result, json);
    return result.answer_bytes > result.sent_bytes ? EXIT_VIOLATION : EXIT_ALL_WELL;
}

static int run_swarm(const struct options *options, FILE *json, FILE *talk)
{
    struct run run = { .talk = talk, .is_terminal = isatty(fileno(talk)) == 1 };
    const struct sockets_config config = {
        .servers = options->servers,
        .bots = options->swarm.bots,
        .addresses = options->addresses,
        .loss = options->loss,
        .seed = options->swarm.seed,
    };
    const struct sockets_hooks hooks = { .context = &run, .on_phase = on_phase, .on_second = on_second };
    struct swarm_config swarm = options->swarm;
    struct swarm_io io;
    struct report report;
    char why[WHY_SIZE] = "";

    run.net = sockets_open(&config, why, sizeof why);
    if (run.net == NULL) {
        (void)fprintf(stderr, "dlmp-bots: %s\n", why);
        return EXIT_MISSING;
    }
    io = sockets_io(run.net);
    run.before_ms = clock_ms();
    swarm.is_in_order = sockets_keep_order(run.net);
    run.swarm = swarm_new(&swarm, &io, run.before_ms);
    sockets_run(run.net, run.swarm, &hooks);
    report = make_report(&run, clock_ms());
    report_print(&report, talk);
    if (json != NULL)
        report_print_json(&report, json);

    enum report_verdict verdict = report_verdict(&report);

    swarm_free(&run.swarm);
    sockets_close(&run.net);
    return verdict == REPORT_OK ? EXIT_ALL_WELL : EXIT_VIOLATION;
}

/* Connection: ClientHello.password. */
static bool is_password(const char *password)
{
    struct span text = { (const uint8_t *)password, strlen(password) };

    return text.size <= 63 && text_is_plain(text);
}

static int run_options(struct options *options)
{
    const char *password = getenv("DLMP_BOTS_PASSWORD");
    FILE *json = NULL;
    FILE *talk = stdout;
    int status;

    if (password != NULL && !is_password(password)) {
        (void)fprintf(stderr, "dlmp-bots: DLMP_BOTS_PASSWORD is too long, or has control characters\n");
        return EXIT_USAGE;
    }
    if (password != NULL)
        options->swarm.password = password;
    if (options->json != NULL) {
        json = open_json(options->json);
        if (json == NULL)
            return EXIT_MISSING;
        talk = json == stdout ? stderr : stdout;
    }
    status = options->wants_flood ? run_flood(options, json, talk) : run_swarm(options, json, talk);
    if (json != NULL && !close_json(json, options->json) && status == EXIT_ALL_WELL)
        status = EXIT_VIOLATION;
    return status;
}

int main(int argc, char **argv)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct options options;

    (void)sigaction(SIGPIPE, &ignore, NULL);
    switch (options_parse(&options, argc, argv, stderr)) {
    case OPTIONS_HELP:
        options_print_help(stdout);
        return EXIT_ALL_WELL;
    case OPTIONS_VERSION:
        (void)printf("dlmp-bots, protocol revision %d\n", WIRE_VERSION);
        return EXIT_ALL_WELL;
    case OPTIONS_WRONG:
        return EXIT_USAGE;
    case OPTIONS_RUN:
        break;
    }
    return run_options(&options);
}
