/* dlmp-gateway - where clients connect (core.h). */
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/bus.h"
#include "common/clock.h"
#include "common/log.h"
#include "gateway/admin.h"
#include "gateway/options.h"

/* All of these are ours. */
enum {
    DRAIN_MS = 3000, /* KickNotify needs 2 s at most to be acked or given up */
    SHARDS_MAX = 64, /* that the map names */
    ENDPOINT_MAX = 128,
    WALL_CLOCK_MS = 1000,
};

struct app {
    struct options options;
    struct rng rng;
    struct gateway *gateway;
    struct net *net;
    struct bus *bus;
    struct http *http;
    struct gateway_admin admin;
    uint64_t wall_clock_ms;
    /* What the last map said; connected to outside of the bus's own calls. */
    struct shard_address {
        char name[LINK_NAME_MAX + 1];
        char endpoint[ENDPOINT_MAX];
    } shards[SHARDS_MAX];
    size_t shards_count;
    bool has_new_map;
};

/* ---- the bus ---- */

static void on_peer_up(void *context, uint64_t now_ms, uint16_t peer, Bus__Role role, const char *name,
                       uint64_t boot)
{
    const struct app *app = context;

    gateway_peer_up(app->gateway, now_ms, peer, role, name, boot);
}

static void on_peer_down(void *context, uint64_t now_ms, uint16_t peer)
{
    const struct app *app = context;

    gateway_peer_down(app->gateway, now_ms, peer);
}

/* The shards that are alive. A map whose parts are missing is the core's to count. */
static void read_map(struct app *app, const Bus__ClusterMap *map)
{
    app->shards_count = 0;
    app->has_new_map = true;
    for (size_t i = 0; i < map->n_processes && app->shards_count < SHARDS_MAX; i++) {
        const Bus__Process *process = map->processes[i];
        struct shard_address *shard = &app->shards[app->shards_count];

        if (process->role != BUS__ROLE__ROLE_SHARD || !process->alive || !link_name_is_valid(process->name) ||
            strlen(process->bus_endpoint) >= sizeof shard->endpoint || process->bus_endpoint[0] == '\0')
            continue;
        (void)snprintf(shard->name, sizeof shard->name, "%s", process->name);
        (void)snprintf(shard->endpoint, sizeof shard->endpoint, "%s", process->bus_endpoint);
        app->shards_count++;
    }
}

static void on_item(void *context, uint64_t now_ms, uint16_t peer, const Bus__Item *item)
{
    struct app *app = context;

    gateway_on_item(app->gateway, now_ms, peer, item);
    if (item->item_case == BUS__ITEM__ITEM_MAP && item->map != NULL)
        read_map(app, item->map);
}

static void on_backlogged(void *context, uint16_t peer, bool backlogged)
{
    const struct app *app = context;

    gateway_set_backlogged(app->gateway, peer, backlogged);
}

static struct outbox *on_outbox(void *context)
{
    const struct app *app = context;

    return gateway_outbox(app->gateway);
}

static void connect_shards(struct app *app)
{
    char error[BUS_ERROR_SIZE];

    app->has_new_map = false;
    for (size_t i = 0; i < app->shards_count; i++) {
        const struct shard_address *shard = &app->shards[i];

        if (!bus_connect(app->bus, BUS__ROLE__ROLE_SHARD, shard->name, shard->endpoint, error))
            LOG(ERROR, "shard_unreachable", KV("shard", shard->name), KV("err", error));
    }
}

/* ---- the loop ---- */

static uint64_t wakes_at(const void *context)
{
    const struct app *app = context;

    return gateway_wakes_at(app->gateway);
}

static void run(void *context, uint64_t now_ms)
{
    struct app *app = context;

    if (now_ms >= app->wall_clock_ms) {
        app->wall_clock_ms = now_ms + WALL_CLOCK_MS;
        gateway_set_wall_clock(app->gateway, now_ms, (int64_t)(clock_wall_ms() / 1000));
    }
    if (now_ms >= gateway_wakes_at(app->gateway))
        gateway_tick(app->gateway, now_ms);
    if (app->has_new_map)
        connect_shards(app);
    bus_flush(app->bus, now_ms);
    net_flush(app->net);
}

static void drain(void *context, uint64_t now_ms)
{
    const struct app *app = context;

    gateway_drain(app->gateway, now_ms, "The server is shutting down.");
}

static bool is_drained(const void *context)
{
    const struct app *app = context;

    return gateway_stats(app->gateway)->sessions == 0 && bus_backlog(app->bus) == 0;
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
        .self = { .role = BUS__ROLE__ROLE_GATEWAY, .name = options->process.name, .boot = boot },
        .curve = { .server_key = text_or_null(options->bus_server_key),
                   .secret_key = text_or_null(options->bus_secret_key) },
    };
    const struct bus_handler handler = { .context = app,
                                         .peer_up = on_peer_up,
                                         .peer_down = on_peer_down,
                                         .item = on_item,
                                         .backlogged = on_backlogged,
                                         .outbox = on_outbox };
    char error[BUS_ERROR_SIZE];

    app->bus = bus_new(base, &config, &handler, error);
    if (app->bus != NULL &&
        bus_connect(app->bus, BUS__ROLE__ROLE_COORDINATOR, NULL, options->bus_coordinator, error))
        return true;
    (void)fprintf(stderr, "dlmp-gateway: %s\n", error);
    return false;
}

static bool open_sockets(struct app *app, struct event_base *base)
{
    const struct options *options = &app->options;
    const struct net_config config = { .address = options->udp_address,
                                       .port = (uint16_t)options->udp_port,
                                       .reading_us = (uint32_t)options->ingress_window_us,
                                       .sending_us = (uint32_t)options->egress_window_us,
                                       .plain = options->egress_plain };

    app->net = net_open(&config, app->gateway, base);
    if (app->net == NULL) {
        (void)fprintf(stderr, "dlmp-gateway: udp.address, udp.port: %s:%d cannot be listened on: %s\n",
                      options->udp_address, (int)options->udp_port, strerror(errno));
        return false;
    }
    app->admin = (struct gateway_admin){ .gateway = app->gateway, .net = app->net };
    app->http = gateway_admin_open(options->admin_listen, (uint16_t)options->admin_port, &app->admin, base);
    if (app->http == NULL)
        (void)fprintf(stderr, "dlmp-gateway: admin.listen, admin.port: %s:%d cannot be listened on: %s\n",
                      options->admin_listen, (int)options->admin_port, strerror(errno));
    return app->http != NULL;
}

static enum program_exit open_all(void *context, struct event_base *base, uint64_t boot)
{
    struct app *app = context;
    const struct options *options = &app->options;
    char endpoint[ENDPOINT_MAX];
    const struct gateway_config config = { .endpoint = endpoint,
                                           .pid = (uint32_t)getpid(),
                                           .sessions_max = (uint32_t)options->sessions_max };

    (void)snprintf(endpoint, sizeof endpoint, strchr(options->udp_address, ':') == NULL ? "%s:%d" : "[%s]:%d",
                   options->udp_address, (int)options->udp_port);
    rng_init_secure(&app->rng);
    app->gateway = gateway_new(&config, &app->rng);
    if (app->gateway == NULL) {
        (void)fputs("dlmp-gateway: no memory to start\n", stderr);
        return PROGRAM_FAILED;
    }
    if (!open_bus(app, base, boot) || !open_sockets(app, base))
        return PROGRAM_MISSING;
    LOG(INFO, "gateway_started", KV("udp_port", net_port(app->net)), KV("admin_port", http_port(app->http)),
        KV("boot", boot));
    return PROGRAM_STOPPED;
}

static void close_all(void *context)
{
    struct app *app = context;

    http_close(&app->http);
    bus_free(&app->bus);
    net_close(&app->net);
    gateway_free(&app->gateway);
}

int main(int argc, char **argv)
{
    struct app app = { 0 };
    const struct program program = {
        .name = "dlmp-gateway",
        .about = "A gateway of a cluster: clients connect here; their packets go to the shards.",
        .stopping = "sends its players away and stops",
        .spec = &gateway_options,
        .options = &app.options,
        .check = gateway_options_check,
        .app = &app,
        .open = open_all,
        .wakes_at = wakes_at,
        .run = run,
        .drain = drain,
        .is_drained = is_drained,
        .close = close_all,
        .drain_ms = DRAIN_MS,
    };

    return program_main(&program, argc, argv);
}
