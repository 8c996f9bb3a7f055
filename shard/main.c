/* dlmp-shard - the worlds of some scopes (core.h). */
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "common/bus.h"
#include "common/clock.h"
#include "common/http.h"
#include "common/log.h"
#include "shard/metrics.h"
#include "shard/options.h"
#include "shard/watchdog.h"

enum { STOP_MS = 1000 }; /* ours: how long the last words have to get away */

struct app {
    struct options options;
    struct shard *shard;
    struct script *script;
    struct bus *bus;
    struct http *http;
};

/* ---- the bus ---- */

static void on_peer_up(void *context, uint64_t now_ms, uint16_t peer, Bus__Role role, const char *name,
                       uint64_t boot)
{
    const struct app *app = context;

    shard_peer_up(app->shard, now_ms, peer, role, name, boot);
}

static void on_peer_down(void *context, uint64_t now_ms, uint16_t peer)
{
    const struct app *app = context;

    shard_peer_down(app->shard, now_ms, peer);
}

static void on_item(void *context, uint64_t now_ms, uint16_t peer, const Bus__Item *item)
{
    const struct app *app = context;

    shard_on_item(app->shard, now_ms, peer, item);
}

static struct outbox *on_outbox(void *context)
{
    const struct app *app = context;

    return shard_outbox(app->shard);
}

/* ---- operators ---- */

static bool is_ready(void *context, FILE *why)
{
    const struct app *app = context;

    if (shard_stats(app->shard)->slots > 0)
        return true;
    (void)fputs("it owns no worlds yet: no coordinator, or no slot for it", why);
    return false;
}

static void print_metrics(void *context, FILE *out)
{
    const struct app *app = context;

    metrics_print(shard_metrics, shard_stats(app->shard), out);
    metrics_print(script_metrics, script_stats(app->script), out);
}

/* ---- the loop ---- */

static uint64_t wakes_at(const void *context)
{
    const struct app *app = context;
    uint64_t shard_ms = shard_wakes_at(app->shard);
    uint64_t script_ms = script_wakes_at(app->script);

    return shard_ms < script_ms ? shard_ms : script_ms;
}

static void run(void *context, uint64_t now_ms)
{
    struct app *app = context;

    if (now_ms >= wakes_at(app)) {
        uint64_t start_us = clock_us();

        shard_tick(app->shard, now_ms);
        script_tick(app->script, now_ms);
        shard_note_tick(app->shard, (float)(clock_us() - start_us) / 1000.0f);
    }
    bus_flush(app->bus, now_ms);
}

static void drain(void *context, uint64_t now_ms)
{
    (void)context;
    (void)now_ms; /* its players are the gateways' to send away, once it is gone */
}

static bool is_drained(const void *context)
{
    const struct app *app = context;

    return bus_backlog(app->bus) == 0;
}

/* ---- start and end ---- */

static const char *text_or_null(const char *text)
{
    return text[0] == '\0' ? NULL : text;
}

static bool open_bus(struct app *app, struct event_base *base, uint64_t boot)
{
    const struct options *options = &app->options;
    const struct bus_config config = {
        .self = { .role = BUS__ROLE__ROLE_SHARD, .name = options->process.name, .boot = boot },
        .endpoint = options->bus_endpoint,
        .accepts = LINK_ROLE(BUS__ROLE__ROLE_GATEWAY),
        .curve = { .server_key = text_or_null(options->bus_server_key),
                   .server_secret_key = text_or_null(options->bus_server_secret_key),
                   .secret_key = text_or_null(options->bus_secret_key),
                   .client_keys = (const char *const *)options->bus_client_keys,
                   .client_key_count = options->bus_client_keys_count },
    };
    const struct bus_handler handler = {
        .context = app, .peer_up = on_peer_up, .peer_down = on_peer_down, .item = on_item, .outbox = on_outbox
    };
    char error[BUS_ERROR_SIZE];

    app->bus = bus_new(base, &config, &handler, error);
    if (app->bus != NULL &&
        bus_connect(app->bus, BUS__ROLE__ROLE_COORDINATOR, NULL, options->bus_coordinator, error))
        return true;
    (void)fprintf(stderr, "dlmp-shard: %s\n", error);
    return false;
}

static bool open_admin(struct app *app, struct event_base *base)
{
    const struct http_config config = { .address = app->options.admin_listen,
                                        .port = (uint16_t)app->options.admin_port,
                                        .context = app,
                                        .is_ready = is_ready,
                                        .print_metrics = print_metrics };

    app->http = http_open(&config, base);
    if (app->http == NULL)
        (void)fprintf(stderr, "dlmp-shard: admin.listen, admin.port: %s:%d cannot be listened on: %s\n",
                      app->options.admin_listen, (int)app->options.admin_port, strerror(errno));
    return app->http != NULL;
}

static bool open_script(struct app *app)
{
    struct script_config config = shard_options_script(&app->options);

    config.clock = (struct script_clock){ .wall_us = clock_us, .cpu_us = clock_cpu_us };
    config.now_ms = clock_ms();
    app->script = script_new(app->shard, &config);
    if (app->script == NULL)
        return false;
    if (config.off_file[0] != '\0' &&
        watchdog_start(script_watch(app->script), config.off_file, WATCHDOG_MS) != 0)
        LOG(WARN, "watchdog_not_started", KV("err", strerror(errno)));
    return true;
}

static enum program_exit open_all(void *context, struct event_base *base, uint64_t boot)
{
    struct app *app = context;
    const struct shard_config config = shard_options_config(&app->options);

    app->shard = shard_new(&config);
    if (app->shard == NULL || !open_script(app)) {
        (void)fputs("dlmp-shard: no memory to start\n", stderr);
        return PROGRAM_FAILED;
    }
    if (!open_bus(app, base, boot) || !open_admin(app, base))
        return PROGRAM_MISSING;
    LOG(INFO, "shard_started", KV("endpoint", bus_endpoint(app->bus)), KV("admin_port", http_port(app->http)),
        KV("vehicles", app->options.vehicles_count), KV("boot", boot));
    return PROGRAM_STOPPED;
}

static void close_all(void *context)
{
    struct app *app = context;

    http_close(&app->http);
    bus_free(&app->bus);
    watchdog_stop();
    script_free(&app->script);
    shard_free(&app->shard);
}

int main(int argc, char **argv)
{
    struct app app = { 0 };
    const struct program program = {
        .name = "dlmp-shard",
        .about = "A shard of a cluster: the rules of the game for some of its worlds.",
        .stopping = "says what is left to say and stops",
        .spec = &shard_options,
        .options = &app.options,
        .check = shard_options_check,
        .app = &app,
        .open = open_all,
        .wakes_at = wakes_at,
        .run = run,
        .drain = drain,
        .is_drained = is_drained,
        .close = close_all,
        .drain_ms = STOP_MS,
    };

    return program_main(&program, argc, argv);
}
