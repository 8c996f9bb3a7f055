/* What relaying costs a server that does nothing else: CPU time a relayed datagram, and the time it takes.
 *
 * It is the measure for the cluster. The relay and its clients are two processes on the loopback device; the
 * clients sleep in epoll and are woken for each readable socket, without UDP_GRO, since a receiver that naps
 * makes the sender look cheaper. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/relay.h"

static const char *const help =
    "usage: bench-relay [--mode plain|segment|enet] [--clients N] [--near N] [--hz N] [--seconds S]\n"
    "                   [--frames vehicles|players|both] [--window-us N] [--seed N] [--host PORT]\n"
    "\n"
    "Measures a relay of frames between N clients (100), each of which sends 30 a second and is seen by all\n"
    "the others, or by as many as --near says, for S seconds (10).\n"
    "\n"
    "  plain    one process, one UDP socket, recvmmsg, everything out at once with sendmmsg\n"
    "  segment  the same, but what a receiver is due in a window of 5000 us goes out with UDP_SEGMENT\n"
    "  enet     ENet, its usual loop; with a window it is asked once each window for all there is\n"
    "\n"
    "With --host nothing is measured: the relay serves dlmp-bots on that port of 127.0.0.1, until SIGTERM,\n"
    "as far as they need it to join and walk about. At SIGUSR1 it prints as JSON what it has used and done\n"
    "so far. So the cluster and the relay can be compared with the very same clients.\n"
    "\n"
    "The frames have the sizes of the game's: RemoteVehicleFrame (178 bytes), RemotePlayerSync (95).\n"
    "CPU is user and system time of the server's process over the frames that it handed to receivers.\n"
    "Latency is from just before a client's send to the moment the kernel received the relayed frame for\n"
    "another one (with ENet: the moment ENet handed it over). The last line is the result in JSON.\n"
    "\n"
    "Exit status: 0 measured, or ENet is not installed; 1 could not measure; 2 wrong usage.\n";

static const char *const mode_names[RELAY_MODES] = { "plain", "segment", "enet" };
static const char *const frames_names[] = { "players", "vehicles", "both" };

enum { FRAMES_NAMES = sizeof frames_names / sizeof frames_names[0] };

__attribute__((noreturn)) static void usage_error(const char *what, const char *value)
{
    (void)fprintf(stderr, "bench-relay: %s: %s\n%s", what, value, help);
    exit(2);
}

__attribute__((noreturn)) static void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench-relay: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* ---- options */

static uint32_t parse_number(const char *name, const char *text, uint32_t low, uint32_t high)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || value < low || value > high)
        usage_error(name, text);
    return (uint32_t)value;
}

static int parse_name(const char *name, const char *text, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0)
            return i;
    }
    usage_error(name, text);
}

static double parse_seconds(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !(seconds >= 0.1 && seconds <= 3600.0))
        usage_error("--seconds", text);
    return seconds;
}

static void parse_option(struct relay_options *options, int option, const char *text)
{
    switch (option) {
    case 'm':
        options->mode = (enum relay_mode)parse_name("--mode", text, mode_names, RELAY_MODES);
        break;
    case 'f':
        options->frames = (enum relay_frames)parse_name("--frames", text, frames_names, FRAMES_NAMES);
        break;
    case 'c':
        options->clients = parse_number("--clients", text, 2, RELAY_CLIENTS_MAX);
        break;
    case 'n':
        options->near = parse_number("--near", text, 1, RELAY_CLIENTS_MAX - 1);
        break;
    case 'r':
        options->hz = parse_number("--hz", text, 1, 1000);
        break;
    case 'w':
        options->window_us = parse_number("--window-us", text, 0, 1000 * 1000);
        break;
    case 's':
        options->seconds = parse_seconds(text);
        break;
    case 'o':
        options->port = (uint16_t)parse_number("--host", text, 1, UINT16_MAX);
        break;
    case 'e':
        options->seed = parse_number("--seed", text, 0, UINT32_MAX);
        break;
    default:
        (void)fputs(help, stderr);
        exit(2);
    }
}

static struct relay_options parse_options(int argc, char **argv)
{
    static const struct option names[] = {
        { "mode", required_argument, NULL, 'm' },
        { "frames", required_argument, NULL, 'f' },
        { "clients", required_argument, NULL, 'c' },
        { "near", required_argument, NULL, 'n' },
        { "hz", required_argument, NULL, 'r' },
        { "seconds", required_argument, NULL, 's' },
        { "window-us", required_argument, NULL, 'w' },
        { "seed", required_argument, NULL, 'e' },
        { "host", required_argument, NULL, 'o' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    struct relay_options options = { .frames = RELAY_OF_VEHICLES,
                                     .clients = 100,
                                     .hz = 30,
                                     .seconds = 10.0,
                                     .seed = 146,
                                     .window_us = UINT32_MAX };
    int option;

    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (option == 'h') {
            (void)fputs(help, stdout);
            exit(EXIT_SUCCESS);
        }
        parse_option(&options, option, optarg);
    }
    if (optind < argc)
        usage_error("unexpected argument", argv[optind]);
    if (options.near == 0 || options.near >= options.clients)
        options.near = options.clients - 1;
    if (options.window_us == UINT32_MAX)
        options.window_us = options.mode == RELAY_SEGMENT ? 5000 : 0;
    if (options.mode == RELAY_PLAIN && options.window_us > 0)
        usage_error("--window-us", "a plain relay has none");
    if (options.mode == RELAY_ENET && options.port != 0)
        usage_error("--host", "dlmp-bots do not speak ENet");
    return options;
}

/* ---- the two processes */

/* A server whose clients have died must not stay behind. */
static pid_t start_server(const struct relay_options *options, struct relay_meter *meter)
{
    pid_t parent = getpid();
    pid_t server = fork();
    int failed;

    if (server != 0)
        return server;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(EXIT_FAILURE);
    failed =
        options->mode == RELAY_ENET ? relay_enet_serve(options, meter) : relay_plain_serve(options, meter);
    _exit(failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void await_server(const struct relay_meter *meter, pid_t server)
{
    const struct timespec moment = { .tv_nsec = 1000 * 1000 };

    while (atomic_load(&meter->port) == 0) {
        if (waitpid(server, NULL, WNOHANG) != 0)
            die("the relay", "could not start");
        (void)nanosleep(&moment, NULL);
    }
}

static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* what that does not allow fails where a socket is opened */
}

static void measure(struct relay_crowd *crowd, const struct relay_options *options, struct relay_meter *meter)
{
    pid_t server = start_server(options, meter);
    int failed;
    int status;

    if (server < 0)
        die("fork", strerror(errno));
    await_server(meter, server);
    if (relay_crowd_init(crowd, options, meter) != 0)
        die("clients", "no memory");
    failed = options->mode == RELAY_ENET ? relay_enet_clients(crowd) : relay_plain_clients(crowd);
    if (failed != 0)
        die("clients", strerror(errno));
    if (waitpid(server, &status, 0) != server || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        die("the relay", "has failed");
    if (meter->begin.at_ns == 0 || meter->end.at_ns <= meter->begin.at_ns)
        die("the relay", "did not answer all its clients");
}

/* ---- the report */

static double cpu_s(const struct relay_usage *begin, const struct relay_usage *end)
{
    return (double)(end->user_ns + end->system_ns - begin->user_ns - begin->system_ns) / 1e9;
}

static double quantile_ms(const struct relay_crowd *crowd, double share)
{
    return (double)latency_quantile_us(&crowd->latency, share) / 1e3;
}

static void report(const struct relay_crowd *crowd, const struct relay_options *options,
                   const struct relay_meter *meter)
{
    const struct relay_counts *before = &meter->begin.counts;
    const struct relay_counts *after = &meter->end.counts;
    double seconds = (double)(meter->end.at_ns - meter->begin.at_ns) / 1e9;
    double relayed = (double)(after->relayed - before->relayed);
    double cpu_us = cpu_s(&meter->begin, &meter->end) * 1e6 / relayed;
    double core = 100.0 * cpu_s(&meter->begin, &meter->end) / seconds;
    double clients_core = 100.0 * cpu_s(&crowd->begin, &crowd->end) / seconds;
    uintmax_t lost = after->relayed > crowd->heard ? after->relayed - crowd->heard : 0;
    double p50_ms = quantile_ms(crowd, 0.5);
    double p99_ms = quantile_ms(crowd, 0.99);
    double max_ms = (double)crowd->latency.max_us / 1e3;

    printf("%s relay of %s, %u clients, each sees %u, %u Hz, window %u us, %.1f s\n",
           mode_names[options->mode], frames_names[options->frames], options->clients, options->near,
           options->hz, options->window_us, seconds);
    printf("  server   %.3f us of CPU a relayed frame, %.0f a second, %.0f %% of a core\n", cpu_us,
           relayed / seconds, core);
    printf("           %.0f sleeps and %.0f sends a second\n",
           (double)(meter->end.switches - meter->begin.switches) / seconds,
           (double)(after->sends - before->sends) / seconds);
    printf("  latency  p50 %.2f ms, p99 %.2f ms, max %.2f ms\n", p50_ms, p99_ms, max_ms);
    printf("  clients  %.0f %% of a core, %.0f sleeps a second\n", clients_core,
           (double)(crowd->end.switches - crowd->begin.switches) / seconds);
    printf("  lost     %ju of %ju frames, besides %ju refused by the socket\n", lost,
           (uintmax_t)after->relayed, (uintmax_t)after->refused);
    printf("{\"mode\":\"%s\",\"frames\":\"%s\",\"clients\":%u,\"near\":%u,\"hz\":%u,\"window_us\":%u,",
           mode_names[options->mode], frames_names[options->frames], options->clients, options->near,
           options->hz, options->window_us);
    printf("\"seconds\":%.3f,\"relayed\":%.0f,\"cpu_us\":%.4f,\"core_percent\":%.1f,", seconds, relayed,
           cpu_us, core);
    printf("\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f,\"lost\":%ju,\"clients_core_percent\":%.1f}\n",
           p50_ms, p99_ms, max_ms, lost, clients_core);
}

int main(int argc, char **argv)
{
    struct relay_options options = parse_options(argc, argv);
    static struct relay_crowd crowd;
    struct relay_meter *meter;

    if (options.port != 0) {
        if (relay_plain_host(&options) != 0)
            die("the relay", strerror(errno));
        return EXIT_SUCCESS;
    }
    if (options.mode == RELAY_ENET && !relay_enet_is_there()) {
        printf("enet relay: skipped, this was built without ENet (Debian: libenet-dev)\n{\"mode\":\"enet\","
               "\"skipped\":true}\n");
        return EXIT_SUCCESS;
    }
    meter = mmap(NULL, sizeof *meter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (meter == MAP_FAILED)
        die("memory", strerror(errno));
    raise_file_limit();
    measure(&crowd, &options, meter);
    report(&crowd, &options, meter);
    relay_crowd_fini(&crowd);
    (void)munmap(meter, sizeof *meter);
    return EXIT_SUCCESS;
}
