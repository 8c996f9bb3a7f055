/* town.h - a whole cluster of real processes, and clients of the game that live in it, for scenarios.
 *
 * `dlmpctl up` runs Redis, a coordinator, a shard and two gateways; the clients are the bots' own
 * (bots/client.h), in this process, each with a socket, on the gateways in turn. So a scenario goes the whole
 * way: UDP, ZeroMQ and back. It waits for what it expects (TOWN_UNTIL) and never just sleeps; at its end no
 * client may have a complaint. */
#ifndef DLMP_TESTS_CLUSTER_TOWN_H
#define DLMP_TESTS_CLUSTER_TOWN_H

#include <check.h>

#include "bots/client.h"
#include "common/clock.h"

enum {
    TOWN_WAIT_MS = 8000,
    TOWN_RESIDENTS_MAX = 8,
    TOWN_HEARD_MAX = 512,
    TOWN_LINES_MAX = 128,
    TOWN_LINE_SIZE = 256,
    TOWN_FRAMES_MAX = 64,
};

struct heard {
    bool taken;
    uint8_t id;
    union wire_any any; /* texts in it are gone */
};

/* A line in its chat box. */
struct line {
    bool taken;
    char text[TOWN_LINE_SIZE];
};

struct resident {
    struct client client;
    struct rng rng;
    int fd;
    double loss;         /* of its datagrams, in both directions */
    struct heard *heard; /* events and vehicle shots, oldest first */
    size_t heard_count;
    struct line *lines; /* oldest first */
    size_t lines_count;
    struct wire_remote_vehicle_frame *frames; /* the last one of each vehicle */
    size_t frames_count;
};

/* The cluster, with this world file's text and the gamemodes of these folders, up to a NULL, named from the
 * project's. To be called once for all scenarios; it stops the test when it does not come up. */
void town_build(const char *world, const char *const gamemodes[]);
/* False: some process of it had an error to tell, and it is told; what `hang` is stopped for is none. True of
 * one that was never built. */
bool town_raze(void);

/* One who has connected and spawned. */
struct resident *town_join(const char *name);
/* One of another machine, as far as the cluster can tell: from that address. */
struct resident *town_join_from(const char *name, const char *address);
/* Says goodbye for it, or for all; then none may have a complaint. */
void town_leave(struct resident *resident);
void town_leave_all(void);

/* Waits a little for datagrams, and does what is due. */
void town_step(void);

#define TOWN_UNTIL(condition)                                                                       \
    do {                                                                                            \
        uint64_t until_ms = clock_ms() + TOWN_WAIT_MS;                                              \
        while (!(condition)) {                                                                      \
            ck_assert_msg(clock_ms() < until_ms, "not within %d ms: %s", TOWN_WAIT_MS, #condition); \
            town_step();                                                                            \
        }                                                                                           \
    } while (0)

/* The vehicle that stands there, once it is shown. */
uint32_t town_vehicle_at(const struct resident *resident, float x, float y);
/* NULL: it is not shown. */
const struct view_vehicle *town_vehicle(const struct resident *resident, uint32_t vehicle_id);
/* Whether the resident's client has that player in that seat. */
bool town_sees_seated(const struct resident *resident, uint32_t vehicle_id, uint8_t seat,
                      const struct resident *who);
bool town_sees_free(const struct resident *resident, uint32_t vehicle_id, uint8_t seat);

/* The oldest event with that id that no scenario has taken; waits for it. Borrowed until the next step. */
const union wire_any *town_take(struct resident *resident, uint8_t id);
size_t town_count(const struct resident *resident, uint8_t id);
/* Likewise of the lines that begin so. */
const char *town_read(struct resident *resident, const char *beginning);
size_t town_count_lines(const struct resident *resident, const char *beginning);
/* What the last frame of the vehicle that reached it says; NULL: there was none. */
const struct wire_vehicle_state *town_frame(const struct resident *resident, uint32_t vehicle_id);
/* Forgets all of it, for everybody. */
void town_forget(void);

/* Sends a packet that is no event, as it is. */
void town_send(struct resident *resident, const struct wire_packet *packet, const void *value);

#endif
