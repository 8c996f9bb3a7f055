#include "tests/bench/relay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "common/clock.h"
#include "common/cursor.h"
#include "common/random.h"
#include "gen/wire.h"

#define NS_PER_S 1000000000ULL
#define NS_PER_MS 1000000ULL

static uint64_t to_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000;
}

void relay_usage_take(struct relay_usage *usage, const struct relay_counts *counts)
{
    struct rusage used;

    *usage = (struct relay_usage){ .at_ns = clock_ns() };
    if (counts != NULL)
        usage->counts = *counts;
    if (getrusage(RUSAGE_SELF, &used) != 0)
        return;
    usage->user_ns = to_ns(used.ru_utime);
    usage->system_ns = to_ns(used.ru_stime);
    usage->switches = (uint64_t)used.ru_nvcsw;
}

bool relay_meter_goes_on(struct relay_meter *meter, const struct relay_counts *counts)
{
    int phase = atomic_load(&meter->phase);

    if (phase >= RELAY_MEASURED && meter->begin.at_ns == 0)
        relay_usage_take(&meter->begin, counts);
    if (phase >= RELAY_OVER && meter->end.at_ns == 0)
        relay_usage_take(&meter->end, counts);
    return phase < RELAY_OVER;
}

/* ---- frames */

static bool drives(const struct relay_options *options, uint32_t client)
{
    return options->frames == RELAY_OF_VEHICLES || (options->frames == RELAY_OF_BOTH && client % 2 == 0);
}

/* Never 0, which says that there is none. */
uint64_t relay_token(uint32_t client)
{
    return (uint64_t)1 << 32 | client;
}

static size_t relay_frame_sent(const struct relay_options *options, uint32_t client, uint32_t seq,
                               uint8_t frame[RELAY_FRAME_SIZE_MAX])
{
    bool of_vehicle = drives(options, client);
    size_t size = of_vehicle ? WIRE_VEHICLE_FRAME_SIZE : WIRE_PLAYER_SYNC_SIZE;

    memset(frame, (int)(seq & 0xFF), size);
    frame[0] = of_vehicle ? PACKET_VEHICLE_FRAME : PACKET_PLAYER_SYNC;
    store_u64(frame + WIRE_PLAYER_SYNC_SESSION_TOKEN_AT, relay_token(client));
    store_u32(frame + WIRE_PLAYER_SYNC_SEQ_AT, seq);
    return size;
}

bool relay_frame_sender(const struct relay_options *options, const uint8_t *data, size_t size,
                        uint32_t *client)
{
    if (!(size == WIRE_VEHICLE_FRAME_SIZE && data[0] == PACKET_VEHICLE_FRAME) &&
        !(size == WIRE_PLAYER_SYNC_SIZE && data[0] == PACKET_PLAYER_SYNC))
        return false;
    *client = load_u32(data + WIRE_PLAYER_SYNC_SESSION_TOKEN_AT);
    return *client < options->clients;
}

size_t relay_frame_relayed(const uint8_t *data, size_t size, uint32_t client,
                           uint8_t frame[RELAY_FRAME_SIZE_MAX])
{
    bool of_vehicle = data[0] == PACKET_VEHICLE_FRAME;

    frame[0] = of_vehicle ? PACKET_REMOTE_VEHICLE_FRAME : PACKET_REMOTE_PLAYER_SYNC;
    store_u32(frame + WIRE_REMOTE_PLAYER_SYNC_PLAYER_ID_AT, client);
    store_u32(frame + WIRE_REMOTE_PLAYER_SYNC_PLAYER_TOKEN_AT, RELAY_GENERATION);
    memcpy(frame + WIRE_REMOTE_PLAYER_SYNC_SEQ_AT, data + WIRE_PLAYER_SYNC_SEQ_AT,
           size - WIRE_PLAYER_SYNC_SEQ_AT);
    memset(frame + size, 0, 5); /* relation_rev and teammate */
    return size + 5;
}

_Static_assert(WIRE_PLAYER_SYNC_SEQ_AT == (int)WIRE_VEHICLE_FRAME_SEQ_AT &&
                   WIRE_PLAYER_SYNC_SESSION_TOKEN_AT == (int)WIRE_VEHICLE_FRAME_TOKEN_AT &&
                   WIRE_REMOTE_PLAYER_SYNC_PLAYER_ID_AT == (int)WIRE_REMOTE_VEHICLE_FRAME_SOURCE_ID_AT &&
                   WIRE_REMOTE_PLAYER_SYNC_PLAYER_TOKEN_AT ==
                       (int)WIRE_REMOTE_VEHICLE_FRAME_SOURCE_TOKEN_AT &&
                   WIRE_REMOTE_PLAYER_SYNC_SEQ_AT == (int)WIRE_REMOTE_VEHICLE_FRAME_SEQ_AT,
               "both kinds of frame have their head in common");
_Static_assert(WIRE_REMOTE_PLAYER_SYNC_SIZE == WIRE_PLAYER_SYNC_SIZE + 5 &&
                   WIRE_REMOTE_VEHICLE_FRAME_SIZE == WIRE_VEHICLE_FRAME_SIZE + 5 &&
                   WIRE_REMOTE_VEHICLE_FRAME_SIZE == (int)RELAY_FRAME_SIZE_MAX,
               "a relay adds relation_rev and teammate");

/* ---- the clients' side */

int relay_crowd_init(struct relay_crowd *crowd, const struct relay_options *options,
                     struct relay_meter *meter)
{
    struct rng rng;
    uint64_t period_ns = NS_PER_S / options->hz;

    *crowd = (struct relay_crowd){ .options = options, .meter = meter };
    crowd->order = calloc(options->clients, sizeof *crowd->order);
    crowd->phase_ns = calloc(options->clients, sizeof *crowd->phase_ns);
    crowd->seq = calloc(options->clients, sizeof *crowd->seq);
    crowd->sent_ns = calloc(options->clients, sizeof *crowd->sent_ns);
    if (crowd->order == NULL || crowd->phase_ns == NULL || crowd->seq == NULL || crowd->sent_ns == NULL) {
        relay_crowd_fini(crowd);
        return -1;
    }
    rng_init_seeded(&rng, options->seed);
    for (uint32_t i = 0; i < options->clients; i++) {
        uint64_t phase_ns = (uint64_t)(rng_unit(&rng) * (float)period_ns);
        uint32_t at = i;

        while (at > 0 && crowd->phase_ns[at - 1] > phase_ns) {
            crowd->phase_ns[at] = crowd->phase_ns[at - 1];
            crowd->order[at] = crowd->order[at - 1];
            at--;
        }
        crowd->phase_ns[at] = phase_ns;
        crowd->order[at] = i;
    }
    crowd->round_ns = clock_ns();
    crowd->phase_ends_ns = crowd->round_ns + RELAY_JOIN_MS * NS_PER_MS;
    return 0;
}

void relay_crowd_fini(struct relay_crowd *crowd)
{
    free(crowd->order);
    free(crowd->phase_ns);
    free(crowd->seq);
    free(crowd->sent_ns);
}

uint64_t relay_crowd_wakes_at_ns(const struct relay_crowd *crowd)
{
    return crowd->round_ns + crowd->phase_ns[crowd->next];
}

bool relay_crowd_due(struct relay_crowd *crowd, uint64_t now_ns, uint32_t *client,
                     uint8_t frame[RELAY_FRAME_SIZE_MAX], size_t *size)
{
    if (now_ns < relay_crowd_wakes_at_ns(crowd))
        return false;
    *client = crowd->order[crowd->next];
    crowd->seq[*client]++;
    *size = relay_frame_sent(crowd->options, *client, crowd->seq[*client], frame);
    crowd->next++;
    if (crowd->next == crowd->options->clients) {
        crowd->next = 0;
        crowd->round_ns += NS_PER_S / crowd->options->hz;
    }
    crowd->sent_ns[*client][crowd->seq[*client] % RELAY_SENT] = relay_wall_ns();
    return true;
}

void relay_crowd_heard(struct relay_crowd *crowd, const uint8_t *data, size_t size, uint64_t stamp_ns)
{
    uint32_t client;
    uint32_t seq;
    uint64_t sent_ns;

    if (size != WIRE_REMOTE_PLAYER_SYNC_SIZE && size != WIRE_REMOTE_VEHICLE_FRAME_SIZE) {
        crowd->odd++;
        return;
    }
    client = load_u32(data + WIRE_REMOTE_PLAYER_SYNC_PLAYER_ID_AT);
    seq = load_u32(data + WIRE_REMOTE_PLAYER_SYNC_SEQ_AT);
    if (client >= crowd->options->clients || crowd->seq[client] - seq >= RELAY_SENT) {
        crowd->odd++;
        return;
    }
    crowd->heard++;
    sent_ns = crowd->sent_ns[client][seq % RELAY_SENT];
    if (atomic_load_explicit(&crowd->meter->phase, memory_order_relaxed) == RELAY_MEASURED)
        latency_add(&crowd->latency, stamp_ns > sent_ns ? (stamp_ns - sent_ns) / 1000 : 0);
}

static void set_phase(struct relay_crowd *crowd, enum relay_phase phase, uint64_t ends_ns)
{
    crowd->phase_ends_ns = ends_ns;
    atomic_store(&crowd->meter->phase, (int)phase);
}

bool relay_crowd_goes_on(struct relay_crowd *crowd, uint64_t now_ns)
{
    int phase = atomic_load_explicit(&crowd->meter->phase, memory_order_relaxed);
    bool is_over = now_ns >= crowd->phase_ends_ns;

    if (phase == RELAY_JOINING && atomic_load(&crowd->meter->joined) == crowd->options->clients) {
        set_phase(crowd, RELAY_WARM, now_ns + RELAY_WARM_UP_MS * NS_PER_MS);
    } else if (phase == RELAY_WARM && is_over) {
        relay_usage_take(&crowd->begin, NULL);
        set_phase(crowd, RELAY_MEASURED, now_ns + (uint64_t)(crowd->options->seconds * (double)NS_PER_S));
    } else if (is_over) {
        relay_usage_take(&crowd->end, NULL);
        set_phase(crowd, RELAY_OVER, now_ns);
        return false;
    }
    return true;
}

struct timespec relay_until(uint64_t ends_ns)
{
    uint64_t now_ns = clock_ns();
    uint64_t left_ns = RELAY_POLL_MS * NS_PER_MS;

    if (ends_ns != 0)
        left_ns = ends_ns > now_ns ? ends_ns - now_ns : 0;
    return (struct timespec){ .tv_sec = (time_t)(left_ns / NS_PER_S), .tv_nsec = (long)(left_ns % NS_PER_S) };
}

int relay_watch(int epoll_fd, int fd, uint32_t number)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .u32 = number } };

    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

uint64_t relay_wall_ns(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void relay_set_buffers(int fd)
{
    static const int options[][2] = { { SO_RCVBUFFORCE, SO_RCVBUF }, { SO_SNDBUFFORCE, SO_SNDBUF } };
    int size = RELAY_BUFFER_SIZE;

    for (size_t i = 0; i < 2; i++) {
        if (setsockopt(fd, SOL_SOCKET, options[i][0], &size, sizeof size) != 0)
            (void)setsockopt(fd, SOL_SOCKET, options[i][1], &size, sizeof size);
    }
}
