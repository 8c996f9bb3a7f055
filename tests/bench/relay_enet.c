#include "tests/bench/relay.h"

#if __has_include(<enet/enet.h>)

#include <enet/enet.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

enum {
    SERVICE_MS = 5, /* the server's usual wait */
    UPKEEP_MS = 50, /* of the clients' pings and resends */
    EVENTS_MAX = 256,
    CHANNELS = 1,
};

bool relay_enet_is_there(void)
{
    return true;
}

/* ENet drops unreliable packets by itself when the round trip grows. Here every frame is to be relayed. */
static void never_throttle(ENetPeer *peer)
{
    enet_peer_throttle_configure(peer, ENET_PEER_PACKET_THROTTLE_INTERVAL, ENET_PEER_PACKET_THROTTLE_SCALE,
                                 0);
}

/* ---- server */

struct enet_server {
    const struct relay_options *options;
    struct relay_meter *meter;
    struct relay_counts counts;
    ENetHost *host;
    ENetPeer *peers[RELAY_CLIENTS_MAX]; /* NULL: not heard of yet */
    uint32_t joined;
};

static void relay_packet(struct enet_server *server, ENetPeer *from, const ENetPacket *packet)
{
    uint8_t frame[RELAY_FRAME_SIZE_MAX];
    ENetPacket *relayed;
    uint32_t sender;
    size_t size;

    if (!relay_frame_sender(server->options, packet->data, packet->dataLength, &sender))
        return;
    if (server->peers[sender] == NULL) {
        server->peers[sender] = from;
        atomic_store(&server->meter->joined, ++server->joined);
    }
    server->counts.received++;
    size = relay_frame_relayed(packet->data, packet->dataLength, sender, frame);
    relayed = enet_packet_create(frame, size, ENET_PACKET_FLAG_UNSEQUENCED);
    if (relayed == NULL)
        return;
    for (uint32_t i = 1; i <= server->options->near; i++) {
        ENetPeer *to = server->peers[(sender + i) % server->options->clients];

        if (to == NULL)
            continue;
        if (enet_peer_send(to, 0, relayed) == 0)
            server->counts.relayed++;
        else
            server->counts.refused++;
    }
    if (relayed->referenceCount == 0)
        enet_packet_destroy(relayed);
}

static void serve_event(struct enet_server *server, ENetEvent *event)
{
    if (event->type == ENET_EVENT_TYPE_CONNECT)
        never_throttle(event->peer);
    if (event->type != ENET_EVENT_TYPE_RECEIVE)
        return;
    relay_packet(server, event->peer, event->packet);
    enet_packet_destroy(event->packet);
}

static void sleep_us(uint32_t us)
{
    struct timespec left = { .tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000 };

    (void)nanosleep(&left, NULL);
}

/* The usual loop waits in enet_host_service; a game with a tick asks it once a tick for all there is. */
static void serve_once(struct enet_server *server)
{
    ENetEvent event;

    if (server->options->window_us == 0) {
        if (enet_host_service(server->host, &event, SERVICE_MS) > 0)
            serve_event(server, &event);
        return;
    }
    while (enet_host_service(server->host, &event, 0) > 0)
        serve_event(server, &event);
    enet_host_flush(server->host);
    sleep_us(server->options->window_us);
}

int relay_enet_serve(const struct relay_options *options, struct relay_meter *meter)
{
    static struct enet_server server;
    ENetAddress address = { 0 };

    server = (struct enet_server){ .options = options, .meter = meter };
    if (enet_initialize() != 0 || enet_address_set_host_ip(&address, "127.0.0.1") != 0)
        return -1;
    server.host = enet_host_create(&address, options->clients, CHANNELS, 0, 0);
    if (server.host == NULL)
        return -1;
    relay_set_buffers(server.host->socket);
    if (enet_socket_get_address(server.host->socket, &address) != 0)
        return -1;
    atomic_store(&meter->port, address.port);
    while (relay_meter_goes_on(meter, &server.counts))
        serve_once(&server);
    enet_host_flush(server.host);
    enet_host_destroy(server.host);
    return 0;
}

/* ---- clients */

struct enet_clients {
    struct relay_crowd *crowd;
    int epoll_fd;
    ENetHost *hosts[RELAY_CLIENTS_MAX];
    ENetPeer *servers[RELAY_CLIENTS_MAX];
    uint64_t upkeep_ns;
};

static int open_clients(struct enet_clients *clients)
{
    uint32_t count = clients->crowd->options->clients;
    ENetAddress address = { .port = (uint16_t)atomic_load(&clients->crowd->meter->port) };

    clients->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (clients->epoll_fd < 0 || enet_initialize() != 0 ||
        enet_address_set_host_ip(&address, "127.0.0.1") != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        clients->hosts[i] = enet_host_create(NULL, 1, CHANNELS, 0, 0);
        if (clients->hosts[i] == NULL)
            return -1;
        relay_set_buffers(clients->hosts[i]->socket);
        clients->servers[i] = enet_host_connect(clients->hosts[i], &address, CHANNELS, 0);
        if (clients->servers[i] == NULL || relay_watch(clients->epoll_fd, clients->hosts[i]->socket, i) != 0)
            return -1;
    }
    return 0;
}

/* ENet keeps the kernel's stamps to itself: a frame counts as received when ENet hands it over. */
static void service(struct enet_clients *clients, uint32_t client)
{
    ENetEvent event;

    while (enet_host_service(clients->hosts[client], &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_CONNECT)
            never_throttle(event.peer);
        if (event.type != ENET_EVENT_TYPE_RECEIVE)
            continue;
        relay_crowd_heard(clients->crowd, event.packet->data, event.packet->dataLength, relay_wall_ns());
        enet_packet_destroy(event.packet);
    }
}

static void keep_up(struct enet_clients *clients, uint64_t now_ns)
{
    if (now_ns < clients->upkeep_ns)
        return;
    clients->upkeep_ns = now_ns + UPKEEP_MS * 1000000ULL;
    for (uint32_t i = 0; i < clients->crowd->options->clients; i++)
        service(clients, i);
}

/* False: nothing came until then. */
static bool wait_and_service(struct enet_clients *clients, uint64_t until_ns)
{
    struct epoll_event events[EVENTS_MAX];
    struct timespec wait = relay_until(until_ns);
    int count = epoll_pwait2(clients->epoll_fd, events, EVENTS_MAX, &wait, NULL);

    for (int i = 0; i < count; i++)
        service(clients, events[i].data.u32);
    return count > 0;
}

static void send_frame(struct enet_clients *clients, uint32_t client, const uint8_t *frame, size_t size)
{
    ENetPacket *packet;

    if (clients->servers[client]->state != ENET_PEER_STATE_CONNECTED)
        return;
    packet = enet_packet_create(frame, size, ENET_PACKET_FLAG_UNSEQUENCED);
    if (packet != NULL && enet_peer_send(clients->servers[client], 0, packet) != 0)
        enet_packet_destroy(packet);
    enet_host_flush(clients->hosts[client]);
}

/* The sockets end with the process. */
int relay_enet_clients(struct relay_crowd *crowd)
{
    static struct enet_clients clients;
    uint8_t frame[RELAY_FRAME_SIZE_MAX];
    size_t size;
    uint32_t client;
    uint64_t now_ns;
    uint64_t quiet_ns;

    clients.crowd = crowd;
    if (open_clients(&clients) != 0)
        return -1;
    do {
        (void)wait_and_service(&clients, relay_crowd_wakes_at_ns(crowd));
        now_ns = clock_ns();
        while (relay_crowd_due(crowd, now_ns, &client, frame, &size))
            send_frame(&clients, client, frame, size);
        keep_up(&clients, now_ns);
    } while (relay_crowd_goes_on(crowd, now_ns));
    quiet_ns =
        clock_ns() + 5 * RELAY_QUIET_MS * 1000000ULL; /* pings never end, so this is a time and no silence */
    while (clock_ns() < quiet_ns)
        (void)wait_and_service(&clients, quiet_ns);
    return 0;
}

#else

bool relay_enet_is_there(void)
{
    return false;
}

int relay_enet_serve(const struct relay_options *options, struct relay_meter *meter)
{
    (void)options;
    (void)meter;
    return -1;
}

int relay_enet_clients(struct relay_crowd *crowd)
{
    (void)crowd;
    return -1;
}

#endif
