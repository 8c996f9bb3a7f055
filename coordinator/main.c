/* dlmp-coordinator - who plays in the cluster, and who owns what (core.h). */
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/bus.h"
#include "common/clock.h"
#include "common/log.h"
#include "coordinator/admin.h"
#include "coordinator/options.h"
#include "coordinator/store.h"

enum { STOP_MS = 2000 }; /* ours: how long the last state and the last words have to get away */

struct app {
    struct options options;
    struct coordinator *coordinator;
    struct bus *bus;
    struct store *store;
    struct http *admin;
};

/* ---- the bus ---- */

static void on_peer_up(void *context, uint64_t now_ms, uint16_t peer, Bus__Role role, const char *name,
                       uint64_t boot)
{
    const struct app *app = context;

    coordinator_peer_up(app->coordinator, now_ms, peer, role, name, boot);
}

static void on_peer_down(void *context, uint64_t now_ms, uint16_t peer)
{
    const struct app *app = context;

    coordinator_peer_down(app->coordinator, now_ms, peer);
}

static void on_item(void *context, uint64_t now_ms, uint16_t peer, const Bus__Item *item)
{
    const struct app *app = context;

    coordinator_on_item(app->coordinator, now_ms, peer, item);
}

static struct outbox *on_outbox(void *context)
{
    const struct app *app = context;

    return coordinator_outbox(app->coordinator);
}

/* ---- the loop ---- */

static uint64_t wakes_at(const void *context)
{
    const struct app *app = context;

    return coordinator_wakes_at(app->coordinator);
}

static void run(void *context, uint64_t now_ms)
{
    struct app *app = context;

    if (now_ms >= coordinator_wakes_at(app->coordinator))
        coordinator_tick(app->coordinator, now_ms);
    store_run(app->store, now_ms);
    bus_flush(app->bus, now_ms);
}

static void drain(void *context, uint64_t now_ms)
{
    (void)context;
    (void)now_ms; /* nothing begins to end: what it has promised is stored as ever */
}

/* What it has promised is stored, and everybody has what was said. */
static bool is_all_said(const void *context)
{
    const struct app *app = context;
    const struct coordinator_stats *stats = coordinator_stats(app->coordinator);

    return bus_backlog(app->bus) == 0 && (stats->store_is_connected == 0 || stats->store_waiting == 0);
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
        .self = { .role = BUS__ROLE__ROLE_COORDINATOR, .name = options->process.name, .boot = boot },
        .endpoint = options->bus_endpoint,
        .accepts = LINK_ROLE(BUS__ROLE__ROLE_GATEWAY) | LINK_ROLE(BUS__ROLE__ROLE_SHARD),
        .curve = { .server_secret_key = text_or_null(options->bus_server_secret_key),
                   .client_keys = (const char *const *)options->bus_client_keys,
                   .client_key_count = options->bus_client_keys_count },
    };
    const struct bus_handler handler = {
        .context = app, .peer_up = on_peer_up, .peer_down = on_peer_down, .item = on_item, .outbox = on_outbox
    };
    char error[BUS_ERROR_SIZE];

    app->bus = bus_new(base, &config, &handler, error);
    if (app->bus == NULL)
        (void)fprintf(stderr, "dlmp-coordinator: %s\n", error);
    return app->bus != NULL;
}

static bool open_store(struct app *app, struct event_base *base)
{
    const struct options *options = &app->options;
    const struct store_config config = { .socket = options->redis_socket,
                                         .host = options->redis_host,
                                         .port = (uint16_t)options->redis_port,
                                         .password = options->redis_password,
                                         .prefix = options->redis_prefix };

    app->store = store_open(&config, base, app->coordinator);
    return app->store != NULL;
}

static bool open_admin(struct app *app, struct event_base *base)
{
    app->admin = coordinator_admin_open(app->options.admin_listen, (uint16_t)app->options.admin_port,
                                        app->coordinator, base);
    if (app->admin == NULL)
        (void)fprintf(stderr, "dlmp-coordinator: admin.listen, admin.port: %s:%d cannot be listened on: %s\n",
                      app->options.admin_listen, (int)app->options.admin_port, strerror(errno));
    return app->admin != NULL;
}

static enum program_exit open_all(void *context, struct event_base *base, uint64_t boot)
{
    struct app *app = context;
    const struct options *options = &app->options;
    const struct coordinator_config config = { .name = options->process.name,
                                               .pid = (uint32_t)getpid(),
                                               .boot = boot,
                                               .slots = (uint32_t)options->shards,
                                               .spawns = options->spawns,
                                               .spawns_count = options->spawns_count,
                                               .settings = &options->cluster };

    app->coordinator = coordinator_new(&config, clock_ms());
    if (app->coordinator != NULL && (!open_bus(app, base, boot) || !open_admin(app, base)))
        return PROGRAM_MISSING;
    if (app->coordinator == NULL || !open_store(app, base)) {
        (void)fputs("dlmp-coordinator: no memory to start\n", stderr);
        return PROGRAM_FAILED;
    }
    LOG(INFO, "coordinator_started", KV("endpoint", bus_endpoint(app->bus)),
        KV("admin_port", http_port(app->admin)), KV("slots", options->shards), KV("boot", boot));
    return PROGRAM_STOPPED;
}

static void close_all(void *context)
{
    struct app *app = context;

    http_close(&app->admin);
    store_close(&app->store);
    bus_free(&app->bus);
    coordinator_free(&app->coordinator);
}

static size_t check(const void *options, FILE *errors)
{
    return coordinator_options_check(options, errors);
}

int main(int argc, char **argv)
{
    struct app app = { 0 };
    const struct program program = {
        .name = "dlmp-coordinator",
        .about = "The coordinator of a cluster: lets players in, lists them, gives worlds to shards.",
        .stopping = "stores what is left and stops",
        .spec = &coordinator_options,
        .options = &app.options,
        .check = check,
        .app = &app,
        .open = open_all,
        .wakes_at = wakes_at,
        .run = run,
        .drain = drain,
        .is_drained = is_all_said,
        .close = close_all,
        .drain_ms = STOP_MS,
    };

    return program_main(&program, argc, argv);
}
