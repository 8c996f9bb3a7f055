/* relay.h - what the plain and the ENet relay of bench-relay share.
 *
 * A relay is a server process that hands each frame of a client to all the others near it, and nothing else:
 * the least that any server of this kind does. Its clients live in a second process, so that what the server
 * costs can be told apart from what they cost.
 *
 * The meter lies in memory that both processes share. The clients set its phase; the server notes what it has
 * used and done when the phase changes. */
#ifndef DLMP_TESTS_BENCH_RELAY_H
#define DLMP_TESTS_BENCH_RELAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "bots/latency.h"

enum {
    RELAY_CLIENTS_MAX = 2000,
    RELAY_FRAME_SIZE_MAX = 178,          /* RemoteVehicleFrame */
    RELAY_SENT = 64,                     /* frames of each client whose departure is remembered */
    RELAY_BUFFER_SIZE = 8 * 1024 * 1024, /* of each socket, as the gateway's */
    RELAY_JOIN_MS = 10 * 1000,
    RELAY_WARM_UP_MS = 1000,
    RELAY_POLL_MS = 50,
    RELAY_QUIET_MS = 100, /* after the end, until nothing more is expected */
};

enum relay_mode {
    RELAY_PLAIN,   /* one socket, recvmmsg, each frame to its receivers at once with sendmmsg */
    RELAY_SEGMENT, /* the same with a window and UDP_SEGMENT */
    RELAY_ENET,
    RELAY_MODES,
};

enum relay_frames { RELAY_OF_PLAYERS, RELAY_OF_VEHICLES, RELAY_OF_BOTH };

struct relay_options {
    enum relay_mode mode;
    enum relay_frames frames;
    uint32_t clients;
    uint32_t near; /* others that each client sees */
    uint32_t hz;
    uint32_t window_us; /* 0: at once */
    uint16_t port;      /* for dlmp-bots instead of clients of ours; 0: any, for ours */
    double seconds;
    uint64_t seed;
};

enum relay_phase { RELAY_JOINING, RELAY_WARM, RELAY_MEASURED, RELAY_OVER };

struct relay_counts {
    uint64_t received; /* frames */
    uint64_t relayed;  /* a frame handed to one receiver */
    uint64_t refused;  /* by the socket */
    uint64_t sends;    /* system calls */
};

struct relay_usage {
    uint64_t at_ns;
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t switches; /* times that the process went to sleep */
    struct relay_counts counts;
};

struct relay_meter {
    _Atomic int phase;     /* relay_phase */
    _Atomic uint32_t port; /* 0: the server does not listen yet */
    _Atomic uint32_t joined;
    struct relay_usage begin;
    struct relay_usage end;
};

void relay_usage_take(struct relay_usage *usage, const struct relay_counts *counts);

/* The server's: once a loop iteration. False: the run is over. */
bool relay_meter_goes_on(struct relay_meter *meter, const struct relay_counts *counts);

/* ---- frames: the packets of the wire by their size and by the fields that a relay reads or writes */

/* The sender of a client's frame; false: it is none. */
bool relay_frame_sender(const struct relay_options *options, const uint8_t *data, size_t size,
                        uint32_t *client);
/* What its receivers get. */
size_t relay_frame_relayed(const uint8_t *data, size_t size, uint32_t client,
                           uint8_t frame[RELAY_FRAME_SIZE_MAX]);

/* ---- what dlmp-bots ask a relay besides that */

enum { RELAY_ANSWERS_MAX = 2, RELAY_ANSWER_SIZE_MAX = 128, RELAY_GENERATION = 1 };

struct relay_answers {
    size_t count;
    struct relay_answer {
        size_t size;
        uint8_t data[RELAY_ANSWER_SIZE_MAX];
    } list[RELAY_ANSWERS_MAX];
};

enum relay_visit { RELAY_STAYS, RELAY_LEAVES };

/* The session token that a client's frames carry; its low half is the client. */
uint64_t relay_token(uint32_t client);
enum relay_visit relay_host_answer(uint32_t client, const uint8_t *data, size_t size,
                                   struct relay_answers *answers);

/* ---- the clients' side: when they send, and what they have seen */

struct relay_crowd {
    const struct relay_options *options;
    struct relay_meter *meter;
    uint32_t *order; /* the clients by the time in the period at which they send */
    uint64_t *phase_ns;
    uint32_t next; /* index into order */
    uint64_t round_ns;
    uint32_t *seq;
    uint64_t (*sent_ns)[RELAY_SENT];
    uint64_t phase_ends_ns;
    uint64_t heard; /* all relayed frames that arrived */
    uint64_t odd;   /* datagrams that are no relayed frame */
    struct relay_usage begin;
    struct relay_usage end;
    struct latency latency; /* of the measured phase */
};

/* -1: no memory. */
int relay_crowd_init(struct relay_crowd *crowd, const struct relay_options *options,
                     struct relay_meter *meter);
void relay_crowd_fini(struct relay_crowd *crowd);
/* The next client that has to send now, with its frame; false: nobody has. */
bool relay_crowd_due(struct relay_crowd *crowd, uint64_t now_ns, uint32_t *client,
                     uint8_t frame[RELAY_FRAME_SIZE_MAX], size_t *size);
uint64_t relay_crowd_wakes_at_ns(const struct relay_crowd *crowd);
/* A client received this at that moment of the wall clock. */
void relay_crowd_heard(struct relay_crowd *crowd, const uint8_t *data, size_t size, uint64_t stamp_ns);
/* Moves the phase on. False: the run is over, only what is under way remains; without a `begin` nobody
 * answered. */
bool relay_crowd_goes_on(struct relay_crowd *crowd, uint64_t now_ns);

uint64_t relay_wall_ns(void);
/* The time left until then; with 0 some while, after which the phase is looked at again. */
struct timespec relay_until(uint64_t ends_ns);
int relay_watch(int epoll_fd, int fd, uint32_t number);
/* As large as the system lets it be. */
void relay_set_buffers(int fd);

/* ---- the relays; -1: could not start. */

int relay_plain_serve(const struct relay_options *options, struct relay_meter *meter);
/* For dlmp-bots, on options->port, until SIGTERM; SIGUSR1 has it print what it has done so far. */
int relay_plain_host(const struct relay_options *options);
int relay_plain_clients(struct relay_crowd *crowd);

/* Whether this was built with libenet-dev; without, the next two do not work and return -1. */
bool relay_enet_is_there(void);
int relay_enet_serve(const struct relay_options *options, struct relay_meter *meter);
int relay_enet_clients(struct relay_crowd *crowd);

#endif
