#include "common/program.h"

#include <errno.h>
#include <event2/event.h>
#include <getopt.h>
#include <signal.h>
#include <sodium.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/address.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/random.h"

const char *const program_log_levels[] = { "debug", "info", "warn", "error", "off", NULL };
const char *const program_log_formats[] = { "logfmt", "json", NULL };

struct running {
    const struct program *program;
    struct event_base *base;
    struct event *signals[2];
    struct event *alarm;
    unsigned stops; /* how often it was asked to */
    uint64_t stop_ms;
};

/* ---- the command line ---- */

static void print_help(const struct program *program)
{
    char variable[CONFIG_KEY_MAX];
    size_t at = 0;

    for (; at < sizeof variable - 1 && program->spec->process[at] != '\0'; at++)
        variable[at] = (char)(program->spec->process[at] - 'a' + 'A');
    variable[at] = '\0';
    printf("usage: %s [--config FILE] [--check-config]\n\n%s\n\n", program->name, program->about);
    printf("  --config FILE     settings, YAML\n"
           "  --check-config    print every setting and where it came from, and stop\n"
           "  --example-config  print a settings file with every default, and stop\n"
           "  --help            this text\n"
           "  --version         the protocol's revision\n\n");
    printf("Every setting can be given as an environment variable too: log.level is DLMP_%s_LOG_LEVEL.\n"
           "The first SIGTERM or SIGINT %s, the second stops at once.\n\n",
           variable, program->stopping);
    printf("exit status: 0 stopped as asked, 1 failed while running, 2 wrong usage or settings, 3 something\n"
           "needed at the start was not there\n\nexample:\n  %s --config %s.yaml\n",
           program->name, program->spec->process);
}

struct arguments {
    const char *config;
    bool wants_check;
    bool is_done; /* all that was asked for has been printed */
};

static enum program_exit parse(const struct program *program, struct arguments *arguments, int argc,
                               char **argv)
{
    static const struct option known[] = {
        { "config", required_argument, NULL, 'c' },   { "check-config", no_argument, NULL, 'k' },
        { "example-config", no_argument, NULL, 'e' }, { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'v' },        { NULL, 0, NULL, 0 }
    };
    int option;

    while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1) {
        switch (option) {
        case 'c':
            arguments->config = optarg;
            break;
        case 'k':
            arguments->wants_check = true;
            break;
        case 'e':
            config_print_example(program->spec, stdout);
            arguments->is_done = true;
            return PROGRAM_STOPPED;
        case 'h':
            print_help(program);
            arguments->is_done = true;
            return PROGRAM_STOPPED;
        case 'v':
            printf("%s, protocol revision 146\n", program->name);
            arguments->is_done = true;
            return PROGRAM_STOPPED;
        default:
            fprintf(stderr, "Try %s --help.\n", program->name);
            return PROGRAM_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "%s: %s: there are no arguments beside the options\n", program->name, argv[optind]);
        return PROGRAM_USAGE;
    }
    return PROGRAM_STOPPED;
}

/* ---- the loop ---- */

static void on_signal(evutil_socket_t number, short what, void *context)
{
    struct running *running = context;
    uint64_t now_ms = clock_ms();

    (void)what;
    LOG(INFO, "stop_requested", KV("signal", number), KV("count", running->stops + 1));
    if (running->stops++ == 0) {
        running->stop_ms = now_ms + running->program->drain_ms;
        running->program->drain(running->program->app, now_ms);
    }
}

static void on_alarm(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    (void)context;
}

/* libevent's usual clock is a coarse one, behind by up to a tick of the kernel: a loop that goes by it wakes
 * before its timers are due, several times, and finds nothing to do. */
static struct event_base *new_base(void)
{
    struct event_config *wanted = event_config_new();
    struct event_base *base = NULL;

    if (wanted != NULL && event_config_set_flag(wanted, EVENT_BASE_FLAG_PRECISE_TIMER) == 0)
        base = event_base_new_with_config(wanted);
    if (wanted != NULL)
        event_config_free(wanted);
    return base;
}

static bool open_loop(struct running *running)
{
    const int numbers[] = { SIGTERM, SIGINT };

    running->base = new_base();
    if (running->base == NULL)
        return false;
    running->alarm = evtimer_new(running->base, on_alarm, NULL);
    if (running->alarm == NULL)
        return false;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        running->signals[i] = evsignal_new(running->base, numbers[i], on_signal, running);
        if (running->signals[i] == NULL || event_add(running->signals[i], NULL) != 0)
            return false;
    }
    return true;
}

static void close_loop(struct running *running)
{
    for (size_t i = 0; i < 2; i++) {
        if (running->signals[i] != NULL)
            event_free(running->signals[i]);
    }
    if (running->alarm != NULL)
        event_free(running->alarm);
    if (running->base != NULL)
        event_base_free(running->base);
}

static bool has_stopped(const struct running *running)
{
    const struct program *program = running->program;

    return running->stops > 1 ||
           (running->stops == 1 && (program->is_drained(program->app) || clock_ms() >= running->stop_ms));
}

/* Sleeps until something arrives or the process wants to wake. */
static bool wait(struct running *running, uint64_t now_ms)
{
    uint64_t wakes_ms = running->program->wakes_at(running->program->app);
    uint64_t pause_ms = wakes_ms > now_ms ? wakes_ms - now_ms : 0;
    struct timeval pause;

    if (pause_ms > PROGRAM_LOG_TICK_MS)
        pause_ms = PROGRAM_LOG_TICK_MS;
    pause = (struct timeval){ .tv_sec = (time_t)(pause_ms / 1000),
                              .tv_usec = (suseconds_t)(pause_ms % 1000 * 1000) };
    return event_add(running->alarm, &pause) == 0 && event_base_loop(running->base, EVLOOP_ONCE) >= 0;
}

static enum program_exit loop(struct running *running)
{
    uint64_t log_ms = 0;

    while (!has_stopped(running)) {
        uint64_t now_ms;

        if (!wait(running, clock_ms())) {
            LOG(ERROR, "loop_failed", KV("err", strerror(errno)));
            return PROGRAM_FAILED;
        }
        now_ms = clock_ms();
        running->program->run(running->program->app, now_ms);
        if (now_ms >= log_ms) {
            log_ms = now_ms + PROGRAM_LOG_TICK_MS;
            log_tick();
        }
    }
    LOG(INFO, "process_stopped", KV("drained", running->program->is_drained(running->program->app)));
    return PROGRAM_STOPPED;
}

/* Below it libzmq does not fail but abort. */
static bool has_files(const struct program *program)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= PROGRAM_FILES_MIN)
        return true;
    fprintf(stderr, "%s: %ju open files are too few: raise the limit to %d at least (ulimit -n)\n",
            program->name, (uintmax_t)limit.rlim_cur, PROGRAM_FILES_MIN);
    return false;
}

static enum program_exit run(const struct program *program)
{
    struct running running = { .program = program };
    enum program_exit status = PROGRAM_FAILED;
    struct rng rng;

    rng_init_secure(&rng);
    if (!open_loop(&running)) {
        fprintf(stderr, "%s: no memory to start\n", program->name);
    } else {
        status = program->open(program->app, running.base, rng_token(&rng));
        if (status == PROGRAM_STOPPED)
            status = loop(&running);
        program->close(program->app);
    }
    close_loop(&running);
    return status;
}

/* ---- start ---- */

static bool is_loopback(const struct address *address)
{
    static const uint8_t one[16] = { [15] = 1 };

    return address_is_ipv4(address) ? address->ip[12] == 127 : memcmp(address->ip, one, sizeof one) == 0;
}

size_t program_check_admin(const char *listen, bool is_open, FILE *errors)
{
    struct address address;

    if (!address_parse(&address, listen, 0)) {
        fputs("admin.listen: expected an IPv4 or IPv6 address\n", errors);
        return 1;
    }
    if (!is_loopback(&address) && !is_open) {
        fputs("admin.listen: others than this machine may reach it, and it has no password: if only "
              "operators do, set admin.open\n",
              errors);
        return 1;
    }
    return 0;
}

static bool open_log(const struct program *program)
{
    const struct program_options *options = program->options;
    const struct log_config config = { .process = options->name,
                                       .level = (enum log_level)options->log_level,
                                       .format = (enum log_format)options->log_format,
                                       .fd = STDERR_FILENO };

    return log_open(&config) == 0;
}

static enum program_exit run_with(const struct program *program, const struct config *config,
                                  bool wants_check)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    enum program_exit status;

    if (program->check(program->options, stderr) > 0)
        return PROGRAM_USAGE;
    if (wants_check) {
        config_print(config, program->options, stdout);
        return fflush(stdout) == 0 ? PROGRAM_STOPPED : PROGRAM_FAILED;
    }
    if (sodium_init() < 0 || sigaction(SIGPIPE, &ignore, NULL) != 0 || !open_log(program)) {
        fprintf(stderr, "%s: standard error cannot be written to, or libsodium does not start\n",
                program->name);
        return PROGRAM_MISSING;
    }
    status = has_files(program) ? run(program) : PROGRAM_MISSING;
    log_close();
    return status;
}

int program_main(const struct program *program, int argc, char **argv)
{
    struct arguments arguments = { 0 };
    enum program_exit status = parse(program, &arguments, argc, argv);
    struct config *config;

    if (status != PROGRAM_STOPPED || arguments.is_done)
        return (int)status;
    config = config_load(program->spec, arguments.config, environ, program->options, stderr);
    if (config == NULL)
        return PROGRAM_USAGE;
    status = run_with(program, config, arguments.wants_check);
    config_free(&config);
    return (int)status;
}
