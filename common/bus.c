#include "common/bus.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#include "common/clock.h"
#include "common/log.h"

enum {
    IDENTITY_SIZE_MAX = 255,                /* of libzmq */
    IDENTITY_OWN_SIZE = LINK_NAME_MAX + 18, /* the name, '/', the boot id in hex and a terminator */
    ENDPOINT_SIZE_MAX = 256,                /* ours: the path of an ipc socket has at most 108 bytes */
    ARENA_BLOCK_SIZE = 256 << 10,           /* ours: a full batch unpacked */
};

struct bus_peer {
    struct bus *bus;
    bool is_used;
    bool is_ours; /* we connect to it; otherwise it comes to the bound endpoint */
    bool is_up;   /* as the handler knows it */
    bool is_backlogged;
    Bus__Role role;
    struct link link;
    struct bus_socket socket; /* if it is ours */
    char endpoint[ENDPOINT_SIZE_MAX];
    uint8_t identity[IDENTITY_SIZE_MAX]; /* for the ROUTER, of its last connection */
    size_t identity_size;
    uint64_t refused_since_ms; /* 0: it is not */
    uint64_t reported_ms;
};

struct bus {
    struct event_base *base;
    struct bus_handler handler;
    struct link_self self;
    char name[LINK_NAME_MAX + 1];
    char identity[IDENTITY_OWN_SIZE];
    char endpoint[ENDPOINT_SIZE_MAX];
    unsigned accepts;
    uint64_t (*now_ms)(void);

    struct bus_keys keys;
    void *zmq;
    struct bus_socket bound;
    struct event *pump_timer;
    struct event *due_timer;

    struct arena arena; /* of the batch that is being applied */
    bool is_handling;
    struct bus_peer peers[BUS_PEERS_MAX];
    size_t peer_end; /* no peer is used from here on */
    uint64_t reported_ms;
    struct bus_stats stats;
};

/* ---- endpoints ---- */

bool bus_endpoint_is_local(const char *endpoint)
{
    char host[ENDPOINT_SIZE_MAX];
    struct in_addr ipv4;

    if (strncmp(endpoint, "ipc://", 6) == 0 || strncmp(endpoint, "inproc://", 9) == 0)
        return true;
    if (strncmp(endpoint, "tcp://", 6) != 0)
        return false;

    const char *colon = strrchr(endpoint + 6, ':');
    size_t size = colon != NULL ? (size_t)(colon - endpoint - 6) : 0;

    if (size == 0 || size >= sizeof host)
        return false;
    memcpy(host, endpoint + 6, size);
    host[size] = '\0';
    if (strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0)
        return true;
    return inet_pton(AF_INET, host, &ipv4) == 1 && ntohl(ipv4.s_addr) >> 24 == 127;
}

/* libzmq takes the path of an ipc endpoint away from whoever has it, without a word. */
static bool is_taken(const char *endpoint)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t size = strlen(endpoint);
    bool taken;
    int fd;

    if (strncmp(endpoint, "ipc:///", 7) != 0 || size - 6 >= sizeof address.sun_path)
        return false;
    memcpy(address.sun_path, endpoint + 6, size - 6);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    taken = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 || errno == EAGAIN;
    (void)close(fd);
    return taken;
}

/* libzmq takes the port 65537 for port 1. */
static bool has_wrong_port(const char *endpoint)
{
    const char *port;
    char *end;
    unsigned long value;

    if (strncmp(endpoint, "tcp://", 6) != 0)
        return false;
    port = strrchr(endpoint, ':') + 1;
    if (strcmp(port, "*") == 0)
        return false;
    value = strtoul(port, &end, 10);
    return port[0] < '0' || port[0] > '9' || *end != '\0' || value < 1 || value > UINT16_MAX;
}

static bool check_endpoint(const struct bus *bus, const char *endpoint, char error[BUS_ERROR_SIZE])
{
    if (strlen(endpoint) >= ENDPOINT_SIZE_MAX)
        return bus_fail(error, "the bus endpoint %.40s… is too long", endpoint);
    if (has_wrong_port(endpoint))
        return bus_fail(error, "the bus endpoint %s has no port from 1 to 65535", endpoint);
    if (!bus->keys.are_used && !bus_endpoint_is_local(endpoint))
        return bus_fail(error,
                        "the bus endpoint %s can be reached from other machines, so it needs CURVE keys "
                        "(see docs/bus.md); without keys only ipc and loopback endpoints are used",
                        endpoint);
    return true;
}

/* ---- timers ---- */

static void on_pump_timer(evutil_socket_t fd, short what, void *context)
{
    struct bus *bus = context;

    (void)fd;
    (void)what;
    bus_socket_pump(&bus->keys.door);
    bus_socket_pump(&bus->bound);
    for (size_t i = 0; i < bus->peer_end; i++)
        bus_socket_pump(&bus->peers[i].socket);
}

/* The loop runs once more, and bus_flush after it. */
static void on_due_timer(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    (void)context;
}

static bool open_timers(struct bus *bus)
{
    static const struct timeval interval = { .tv_usec = BUS_PUMP_MS * 1000 };

    bus->pump_timer = event_new(bus->base, -1, EV_PERSIST, on_pump_timer, bus);
    bus->due_timer = event_new(bus->base, -1, 0, on_due_timer, bus);
    return bus->pump_timer != NULL && bus->due_timer != NULL && event_add(bus->pump_timer, &interval) == 0;
}

/* ---- peers ---- */

static uint16_t number_of(const struct bus_peer *peer)
{
    return (uint16_t)(peer - peer->bus->peers);
}

static struct bus_peer *find_bound(struct bus *bus, const char *name)
{
    for (size_t i = 0; i < bus->peer_end; i++) {
        struct bus_peer *peer = &bus->peers[i];

        if (peer->is_used && !peer->is_ours && strcmp(peer->link.peer_name, name) == 0)
            return peer;
    }
    return NULL;
}

static struct bus_peer *find_ours(struct bus *bus, const char *name, const char *endpoint)
{
    for (size_t i = 0; i < bus->peer_end; i++) {
        struct bus_peer *peer = &bus->peers[i];

        if (!peer->is_used || !peer->is_ours)
            continue;
        if (name != NULL ? strcmp(peer->link.peer_name, name) == 0 : strcmp(peer->endpoint, endpoint) == 0)
            return peer;
    }
    return NULL;
}

static void release_peer(struct bus_peer *peer)
{
    bus_socket_close(&peer->socket);
    link_fini(&peer->link);
    *peer = (struct bus_peer){ 0 };
}

/* A free one, or that of the process which came to the bound endpoint and has been away for longest. */
static struct bus_peer *unused_peer(struct bus *bus)
{
    struct bus_peer *oldest = NULL;

    for (size_t i = 0; i < BUS_PEERS_MAX; i++) {
        struct bus_peer *peer = &bus->peers[i];

        if (!peer->is_used)
            return peer;
        if (peer->is_ours || link_state(&peer->link) != LINK_SILENT)
            continue;
        if (oldest == NULL || peer->link.heard_ms < oldest->link.heard_ms)
            oldest = peer;
    }
    if (oldest != NULL)
        release_peer(oldest);
    return oldest;
}

static struct bus_peer *add_peer(struct bus *bus, Bus__Role role, const char *name)
{
    struct bus_peer *peer = unused_peer(bus);

    if (peer == NULL)
        return NULL;
    *peer = (struct bus_peer){ .bus = bus, .is_used = true, .role = role };
    link_init(&peer->link, &bus->self, role, name);
    if (number_of(peer) >= bus->peer_end)
        bus->peer_end = number_of(peer) + (size_t)1;
    return peer;
}

static const char *role_text(Bus__Role role)
{
    return role == BUS__ROLE__ROLE_GATEWAY ? "gateway"
           : role == BUS__ROLE__ROLE_SHARD ? "shard"
                                           : "coordinator";
}

static void tell_up(struct bus_peer *peer, uint64_t now_ms)
{
    struct bus *bus = peer->bus;
    uint64_t boot = link_peer_boot(&peer->link);

    peer->is_up = true;
    peer->refused_since_ms = 0;
    LOG(INFO, "peer_up", KV("role", role_text(peer->role)), KV("name", peer->link.peer_name),
        KV("peer", number_of(peer)), KV("boot", boot));
    bus->handler.peer_up(bus->handler.context, now_ms, number_of(peer), peer->role, peer->link.peer_name,
                         boot);
}

static void tell_down(struct bus_peer *peer, uint64_t now_ms)
{
    struct bus *bus = peer->bus;

    if (!peer->is_up)
        return;
    peer->is_up = false;
    peer->is_backlogged = false;
    LOG(WARN, "peer_down", KV("role", role_text(peer->role)), KV("name", peer->link.peer_name),
        KV("peer", number_of(peer)), KV("silent_ms", now_ms - peer->link.heard_ms),
        KV("backlog", link_backlog(&peer->link)));
    bus->handler.peer_down(bus->handler.context, now_ms, number_of(peer));
}

static void take_outbox(struct bus *bus)
{
    struct outbox *outbox = bus->handler.outbox != NULL ? bus->handler.outbox(bus->handler.context) : NULL;

    if (outbox == NULL)
        return;
    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];
        struct bus_peer *peer = entry->peer < BUS_PEERS_MAX ? &bus->peers[entry->peer] : NULL;

        if (peer == NULL || !peer->is_used || !link_push(&peer->link, entry->item))
            bus->stats.items_lost++;
    }
    outbox_clear(outbox);
}

/* ---- what arrives ---- */

/* Where a message came from, and an answer to it goes. */
struct origin {
    struct bus *bus;
    struct bus_peer *peer; /* of a connection of ours; NULL: it came to the bound endpoint */
    struct span identity;  /* of the connection there */
};

static bool send_message(struct bus *bus, struct bus_peer *ours, struct span identity, struct span message)
{
    struct bus_socket *socket = ours != NULL ? &ours->socket : &bus->bound;

    if (ours == NULL && (identity.size == 0 || !bus_socket_send(socket, identity, true)))
        return false;
    if (!bus_socket_send(socket, message, false))
        return false;
    bus->stats.messages_out++;
    bus->stats.bytes_out += message.size;
    return true;
}

static const char *why_text(Bus__Refused__Why why)
{
    return protobuf_c_enum_descriptor_get_value(&bus__refused__why__descriptor, (int)why)->name;
}

static void refuse(const struct origin *origin, const Bus__Batch *batch, Bus__Refused__Why why,
                   uint64_t now_ms)
{
    struct bus *bus = origin->bus;
    uint8_t message[LINK_REFUSAL_SIZE_MAX];
    size_t size = link_refusal(&bus->self, batch, why, message);

    bus->stats.refused++;
    (void)send_message(bus, origin->peer, origin->identity, (struct span){ message, size });
    if (bus->reported_ms != 0 && now_ms - bus->reported_ms < BUS_REPORT_MS)
        return;
    bus->reported_ms = now_ms;
    LOG(WARN, "peer_refused", KV("name", batch->name), KV("why", why_text(why)),
        KV("version", batch->version), KV("own_version", (int)BUS_VERSION),
        KV("refused", bus->stats.refused));
}

/* A restarted process is refused for as long as its former life may still be there. */
static void note_refused(struct bus_peer *peer, const Bus__Refused *refused, uint64_t now_ms)
{
    if (peer->refused_since_ms == 0)
        peer->refused_since_ms = now_ms;
    if (refused->why == BUS__REFUSED__WHY__WHY_ENDED ||
        (refused->why == BUS__REFUSED__WHY__WHY_NAME_TAKEN && now_ms - peer->refused_since_ms < LINK_DEAD_MS))
        return;
    if (peer->reported_ms != 0 && now_ms - peer->reported_ms < BUS_REPORT_MS)
        return;
    peer->reported_ms = now_ms;
    LOG(ERROR, "bus_refused", KV("endpoint", peer->endpoint), KV("detail", refused->detail),
        KV("version", refused->version), KV("own_version", (int)BUS_VERSION));
}

/* The link of who came to the bound endpoint. NULL: it is refused. */
static struct bus_peer *admit(const struct origin *origin, const Bus__Batch *batch, uint64_t now_ms)
{
    struct bus *bus = origin->bus;
    struct bus_peer *peer = find_bound(bus, batch->name);
    Bus__Refused__Why why;

    if (batch->refused != NULL)
        return peer;
    why = link_objection(bus->accepts, batch);
    if (why == BUS__REFUSED__WHY__WHY_NONE && peer != NULL && peer->role != batch->role &&
        link_state(&peer->link) == LINK_SILENT) {
        release_peer(peer);
        peer = NULL;
    }
    if (why == BUS__REFUSED__WHY__WHY_NONE && peer == NULL) {
        peer = add_peer(bus, batch->role, batch->name);
        why = peer == NULL ? BUS__REFUSED__WHY__WHY_FULL : BUS__REFUSED__WHY__WHY_NONE;
    }
    if (why == BUS__REFUSED__WHY__WHY_NONE)
        return peer;
    refuse(origin, batch, why, now_ms);
    return NULL;
}

static void take_batch(const struct origin *origin, const Bus__Batch *batch, uint64_t now_ms)
{
    struct bus *bus = origin->bus;
    struct bus_peer *peer = origin->peer != NULL ? origin->peer : admit(origin, batch, now_ms);
    struct link_verdict verdict;

    if (peer == NULL)
        return;
    if (!link_goes_on(&peer->link, batch))
        take_outbox(bus);
    verdict = link_receive(&peer->link, now_ms, batch);
    if (verdict.refuse != BUS__REFUSED__WHY__WHY_NONE) {
        refuse(origin, batch, verdict.refuse, now_ms);
        return;
    }
    if (batch->boot == peer->link.peer_boot && origin->identity.size > 0) {
        memcpy(peer->identity, origin->identity.data, origin->identity.size);
        peer->identity_size = origin->identity.size;
    }
    if (verdict.down)
        tell_down(peer, now_ms);
    if (verdict.up)
        tell_up(peer, now_ms);
    for (size_t i = 0; verdict.apply && i < batch->n_items; i++)
        bus->handler.item(bus->handler.context, now_ms, number_of(peer), batch->items[i]);
    if (verdict.refused)
        note_refused(peer, batch->refused, now_ms);
}

static void take_message(const struct origin *origin, struct span message)
{
    struct bus *bus = origin->bus;
    const Bus__Batch *batch;

    bus->stats.messages_in++;
    bus->stats.bytes_in += message.size;
    arena_reset(&bus->arena);
    batch = message.size <= LINK_MESSAGE_SIZE_MAX ? link_unpack(&bus->arena, message) : NULL;
    if (batch == NULL) {
        bus->stats.malformed++;
        return;
    }
    bus->is_handling = true;
    take_batch(origin, batch, bus->now_ms());
    bus->is_handling = false;
}

static void take_from_router(void *context, zmq_msg_t *frames, size_t count)
{
    struct bus *bus = context;
    struct origin origin = { .bus = bus, .identity = bus_frame(&frames[0]) };

    if (count != 2 || origin.identity.size > IDENTITY_SIZE_MAX)
        bus->stats.malformed++;
    else
        take_message(&origin, bus_frame(&frames[1]));
}

static void take_from_dealer(void *context, zmq_msg_t *frames, size_t count)
{
    struct bus_peer *peer = context;
    struct origin origin = { .bus = peer->bus, .peer = peer };

    if (count != 1)
        peer->bus->stats.malformed++;
    else
        take_message(&origin, bus_frame(&frames[0]));
}

/* ---- opening and closing ---- */

static bool set_options(struct bus_socket *socket, const char *endpoint)
{
    static const int64_t message_size_max = LINK_MESSAGE_SIZE_MAX;

    return bus_socket_set_int(socket, ZMQ_SNDHWM, BUS_QUEUE_MAX) &&
           bus_socket_set_int(socket, ZMQ_RCVHWM, BUS_QUEUE_MAX) &&
           zmq_setsockopt(socket->zmq, ZMQ_MAXMSGSIZE, &message_size_max, sizeof message_size_max) == 0 &&
           bus_socket_set_int(socket, ZMQ_IPV6, strchr(endpoint, '[') != NULL) &&
           bus_socket_set_int(socket, ZMQ_RECONNECT_IVL, BUS_RECONNECT_MS) &&
           bus_socket_set_int(socket, ZMQ_RECONNECT_IVL_MAX, BUS_RECONNECT_MAX_MS) &&
           bus_socket_set_int(socket, ZMQ_HANDSHAKE_IVL, BUS_HANDSHAKE_MS) &&
           bus_socket_set_int(socket, ZMQ_CONNECT_TIMEOUT, BUS_HANDSHAKE_MS) &&
           bus_socket_set_int(socket, ZMQ_HEARTBEAT_IVL, BUS_PING_MS) &&
           bus_socket_set_int(socket, ZMQ_HEARTBEAT_TIMEOUT, BUS_PING_TIMEOUT_MS);
}

static bool bind_endpoint(struct bus *bus, const char *endpoint, char error[BUS_ERROR_SIZE])
{
    struct bus_socket *socket = &bus->bound;
    size_t size = sizeof bus->endpoint;

    if (!check_endpoint(bus, endpoint, error) || !bus_keys_open_door(&bus->keys, bus->zmq, bus->base, error))
        return false;
    if (is_taken(endpoint))
        return bus_fail(error, "the bus cannot bind %s: another process has it", endpoint);
    if (!bus_socket_open(socket, bus->zmq, bus->base, ZMQ_ROUTER, take_from_router, bus) ||
        !set_options(socket, endpoint) || !bus_socket_set_int(socket, ZMQ_ROUTER_HANDOVER, 1) ||
        !bus_socket_set_int(socket, ZMQ_ROUTER_MANDATORY, 1))
        return bus_fail(error, "the bus cannot open a socket: %s", zmq_strerror(zmq_errno()));
    if (!bus_keys_guard(&bus->keys, socket, error))
        return false;
    if (zmq_bind(socket->zmq, endpoint) != 0 ||
        zmq_getsockopt(socket->zmq, ZMQ_LAST_ENDPOINT, bus->endpoint, &size) != 0)
        return bus_fail(error, "the bus cannot bind %s: %s", endpoint, zmq_strerror(zmq_errno()));
    return true;
}

/* IMMEDIATE: nothing is queued in libzmq for a peer that is not there; the link keeps it. */
static bool open_connection(struct bus_peer *peer, const char *endpoint, char error[BUS_ERROR_SIZE])
{
    struct bus *bus = peer->bus;
    struct bus_socket *socket = &peer->socket;

    bus_socket_close(socket);
    (void)snprintf(peer->endpoint, sizeof peer->endpoint, "%s", endpoint);
    if (!bus_socket_open(socket, bus->zmq, bus->base, ZMQ_DEALER, take_from_dealer, peer) ||
        !set_options(socket, endpoint) || !bus_socket_set_int(socket, ZMQ_IMMEDIATE, 1) ||
        !bus_socket_set_text(socket, ZMQ_ROUTING_ID, bus->identity))
        return bus_fail(error, "the bus cannot open a socket: %s", zmq_strerror(zmq_errno()));
    if (!bus_keys_show(&bus->keys, socket, error))
        return false;
    if (zmq_connect(socket->zmq, endpoint) != 0)
        return bus_fail(error, "the bus cannot connect to %s: %s", endpoint, zmq_strerror(zmq_errno()));
    return true;
}

struct bus *bus_new(struct event_base *base, const struct bus_config *config,
                    const struct bus_handler *handler, char error[BUS_ERROR_SIZE])
{
    struct bus *bus = calloc(1, sizeof *bus);

    if (bus == NULL) {
        (void)bus_fail(error, "the bus has no memory");
        return NULL;
    }
    bus->base = base;
    bus->handler = *handler;
    bus->accepts = config->accepts;
    bus->now_ms = config->now_ms != NULL ? config->now_ms : clock_ms;
    bus->self = (struct link_self){ config->self.role, bus->name, config->self.boot };
    arena_init(&bus->arena, ARENA_BLOCK_SIZE, LINK_UNPACKED_MAX);
    if (!link_name_is_valid(config->self.name)) {
        (void)bus_fail(error, "the name \"%s\" is not 1 to %d letters, digits, dots, underscores and dashes",
                       config->self.name, LINK_NAME_MAX);
        goto fail;
    }
    (void)snprintf(bus->name, sizeof bus->name, "%s", config->self.name);
    (void)snprintf(bus->identity, sizeof bus->identity, "%s/%016" PRIx64, bus->name, bus->self.boot);

    bus->zmq = zmq_ctx_new();
    if (bus->zmq == NULL || zmq_ctx_set(bus->zmq, ZMQ_BLOCKY, 0) != 0 || !open_timers(bus)) {
        (void)bus_fail(error, "the bus cannot start: %s", zmq_strerror(zmq_errno()));
        goto fail;
    }
    if (!bus_keys_init(&bus->keys, &config->curve, error))
        goto fail;
    if (config->endpoint != NULL && !bind_endpoint(bus, config->endpoint, error))
        goto fail;
    return bus;

fail:
    bus_free(&bus);
    return NULL;
}

void bus_free(struct bus **bus)
{
    struct bus *old = *bus;

    if (old == NULL)
        return;
    for (size_t i = 0; i < old->peer_end; i++)
        release_peer(&old->peers[i]);
    bus_socket_close(&old->bound);
    bus_keys_fini(&old->keys);
    if (old->pump_timer != NULL)
        event_free(old->pump_timer);
    if (old->due_timer != NULL)
        event_free(old->due_timer);
    if (old->zmq != NULL)
        (void)zmq_ctx_term(old->zmq);
    arena_fini(&old->arena);
    free(old);
    *bus = NULL;
}

const char *bus_endpoint(const struct bus *bus)
{
    return bus->endpoint;
}

bool bus_connect(struct bus *bus, Bus__Role role, const char *name, const char *endpoint,
                 char error[BUS_ERROR_SIZE])
{
    struct bus_peer *peer = find_ours(bus, name, endpoint);

    if (peer != NULL && peer->socket.zmq != NULL && strcmp(peer->endpoint, endpoint) == 0)
        return true;
    if (name != NULL && !link_name_is_valid(name))
        return bus_fail(error, "the bus's peer at %s has no valid name", endpoint);
    if (!check_endpoint(bus, endpoint, error))
        return false;
    if (peer == NULL)
        peer = add_peer(bus, role, name);
    if (peer == NULL)
        return bus_fail(error, "the bus has no room for more than %d peers", BUS_PEERS_MAX);
    peer->is_ours = true;
    if (open_connection(peer, endpoint, error))
        return true;
    /* One that is up stays, and will be found silent. */
    bus_socket_close(&peer->socket);
    if (!peer->is_up)
        release_peer(peer);
    return false;
}

void bus_disconnect(struct bus *bus, uint64_t now_ms, const char *name)
{
    struct bus_peer *peer = find_ours(bus, name, "");

    assert(!bus->is_handling);
    if (peer == NULL)
        return;
    take_outbox(bus);
    tell_down(peer, now_ms);
    release_peer(peer);
}

/* ---- what goes out ---- */

static bool emit(void *context, struct span message)
{
    struct bus_peer *peer = context;

    return send_message(peer->bus, peer->is_ours ? peer : NULL,
                        (struct span){ peer->identity, peer->identity_size }, message);
}

static void flush_peer(struct bus_peer *peer, uint64_t now_ms)
{
    struct bus *bus = peer->bus;
    bool is_over;

    link_flush(&peer->link, now_ms, emit, peer);
    bus_socket_look_again(&peer->socket);
    is_over = link_is_over(&peer->link);
    if (!peer->is_up || is_over == peer->is_backlogged)
        return;
    peer->is_backlogged = is_over;
    LOG(WARN, "peer_backlogged", KV("name", peer->link.peer_name), KV("backlogged", is_over),
        KV("backlog", link_backlog(&peer->link)));
    if (bus->handler.backlogged != NULL)
        bus->handler.backlogged(bus->handler.context, number_of(peer), is_over);
}

/* The pump timer wakes the loop for all that is further away. */
static void arm_due_timer(struct bus *bus, uint64_t now_ms, uint64_t wakes_at)
{
    uint64_t wait_ms = wakes_at > now_ms ? wakes_at - now_ms : 0;
    struct timeval wait = { 0 };

    if (wait_ms >= BUS_PUMP_MS) {
        (void)event_del(bus->due_timer);
        return;
    }
    wait.tv_usec = (suseconds_t)wait_ms * 1000;
    (void)event_add(bus->due_timer, &wait);
}

void bus_flush(struct bus *bus, uint64_t now_ms)
{
    uint64_t wakes_at = UINT64_MAX;

    assert(!bus->is_handling);
    for (size_t i = 0; i < bus->peer_end; i++) {
        if (bus->peers[i].is_used && link_tick(&bus->peers[i].link, now_ms))
            tell_down(&bus->peers[i], now_ms);
    }
    take_outbox(bus);
    for (size_t i = 0; i < bus->peer_end; i++) {
        struct bus_peer *peer = &bus->peers[i];

        if (!peer->is_used)
            continue;
        flush_peer(peer, now_ms);
        if (link_wakes_at(&peer->link) < wakes_at)
            wakes_at = link_wakes_at(&peer->link);
    }
    bus_socket_look_again(&bus->bound);
    arm_due_timer(bus, now_ms, wakes_at);
}

size_t bus_backlog(const struct bus *bus)
{
    size_t backlog = 0;

    for (size_t i = 0; i < bus->peer_end; i++) {
        if (bus->peers[i].is_up)
            backlog += link_backlog(&bus->peers[i].link);
    }
    return backlog;
}

const struct link *bus_link(const struct bus *bus, uint16_t peer)
{
    return peer < BUS_PEERS_MAX && bus->peers[peer].is_used ? &bus->peers[peer].link : NULL;
}

struct bus_stats bus_stats(const struct bus *bus)
{
    struct bus_stats stats = bus->stats;

    stats.denied = bus->keys.denied;
    return stats;
}
