/* check.h - what the bots are shown, against where they really are.
 *
 * One process knows the truth about all its bots: where each has been in the last seconds, in which scope,
 * what it drives, who has which id. The server may lag behind that by the way there and back, its streaming
 * tick and the lane's resends. So nothing is judged by one moment: only what has been true at every sample of
 * a whole window, with a margin, counts as near or far, and what is shown must fit something that was true
 * within it. The window is widened by twice the latest relay latency; a server that is later than that leaves
 * room for is not judged at all until it has caught up. Nor is what a bot is not shown while its lane is full
 * of repeats: shows have to wait then.
 *
 * Who is shown and is no bot of this process is not judged.
 *
 * Relay latency is taken here too: from the moment a bot's frame left to the moment the kernel received its
 * relay for another bot, matched by player and seq.
 *
 * Spec: Player, Streaming, Relay; Vehicles: VehicleSync, Streaming; Protocol, "Sequence and generation". */
#ifndef DLMP_BOTS_CHECK_H
#define DLMP_BOTS_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "bots/client.h"
#include "bots/latency.h"
#include "bots/violation.h"

#define CHECK_RANGE_M 200.0f /* Player, Streaming */
#define CHECK_MARGIN_M 10.0f /* ours: what two who travel can change between two samples */
#define CHECK_PLACE_M 25.0f  /* ours: what one can drive or run between two samples, and some */

/* Ours. */
enum {
    CHECK_SAMPLE_MS = 250,
    CHECK_SAMPLES = 65,         /* the longest window is one less of them: 16 s */
    CHECK_LAGS = 16,            /* samples that the latest latency is taken over: 4 s */
    CHECK_REPEATS_MAX = 128,    /* of a lane, in a window: half of what a server may have unacked on it */
    CHECK_LATE_MS = UINT16_MAX, /* a frame came too late to say how late */
    CHECK_WINDOW_MS = 3000,     /* on a good line: a tick, a lost datagram on the lane, a stall */
    CHECK_WINDOW_LOSSY_MS = 8000,
    CHECK_LEFT_MS = 3000,         /* how long one who has left may still be shown */
    CHECK_LEFT_LOSSY_MS = 13000,  /* all three goodbyes lost: the server's 10 s, and the window */
    CHECK_SENT = 64,              /* frames of each bot that are remembered, two seconds at full rate */
    CHECK_PAIRS_MAX = 250 * 1000, /* looked at in one sweep; the next goes on from there */
    CHECK_MISSING_MAX = 64,       /* vehicles that are missed at a time; one is enough to tell */
    CHECK_NOTES = 16,
    CHECK_NOTE_SIZE = 160,
};

struct check_config {
    uint32_t bots;
    uint32_t window_ms; /* at most (CHECK_SAMPLES - 1) * CHECK_SAMPLE_MS */
    uint32_t left_ms;
};

struct check_sample {
    float pos[3];
    uint32_t virtual_world;
    uint32_t drives; /* the vehicle, or WIRE_NONE */
    uint32_t grants;
    uint32_t repeats; /* events that came again or too early, so far */
    uint8_t interior;
    bool in_world;
};

struct check_bot {
    const struct client *client; /* NULL: not running */
    struct check_sample samples[CHECK_SAMPLES];
    struct check_sent {
        uint32_t seq;
        float pos[3];
        uint64_t stamp_ns; /* 0: it did not leave */
    } sent[CHECK_SENT];
};

/* Who has, or last had, a player id. */
struct check_owner {
    uint32_t token; /* 0: nobody of this process yet */
    uint32_t bot;
    uint64_t joined_ms;
    uint64_t left_ms; /* 0: still here */
};

/* A vehicle, as all of them together know it. */
struct check_vehicle {
    uint32_t id;
    uint32_t driver; /* a bot, IDS_NONE: nobody of this process */
    float pos[3];
    uint32_t virtual_world;
    uint8_t interior;
    uint64_t changed_ms; /* when its place or its driver was last another */
    uint64_t seen_ms;    /* when somebody was last shown it */
};

/* A standing vehicle that others are shown, and this bot is not. */
struct check_missing {
    uint32_t observer;
    uint32_t vehicle_id;
    uint64_t since_ms;
};

struct check {
    struct check_config config;
    struct check_bot *bots;
    struct check_sample *latest; /* of each bot: what every pair is looked at by */
    uint64_t *seen_pass;         /* of each bot: the pass in which the observer was seen to see it */
    struct check_owner *owners;  /* by player id */
    uint32_t owners_capacity;
    struct check_vehicle *vehicles;
    uint32_t vehicles_count;
    uint32_t vehicles_capacity;
    struct ids vehicle_ids;
    struct check_missing missing[CHECK_MISSING_MAX];
    uint32_t missing_count;
    uint32_t samples;             /* taken so far */
    uint32_t lags_ms[CHECK_LAGS]; /* the worst relay latency between two samples */
    uint32_t window;              /* samples to judge by now */
    uint32_t left_ms;             /* how long one who has left may be shown now */
    uint64_t sampled_ms;
    uint64_t pass;
    uint32_t next_observer;

    uint64_t heard;     /* frames since the last sample */
    uint64_t shown;     /* players to bots, at the last sweep */
    uint64_t silent_ms; /* how long nobody has heard any, though some are shown to some */

    bool measures;
    struct latency latency;
    uint64_t unmatched; /* too late for it */
    uint64_t held;      /* relayed with another place than the frame had */
    uint64_t views;     /* of a player by another, looked at */
    uint64_t observers; /* whose views were looked at */
    uint64_t late_sweeps;
    uint64_t violations[VIOLATIONS];
    char notes[CHECK_NOTES][CHECK_NOTE_SIZE]; /* the first of them, for people */
    uint32_t notes_count;
};

void check_init(struct check *check, const struct check_config *config);
void check_fini(struct check *check);

/* The bot's client has been given a player. It stays where it is until check_left. */
void check_joined(struct check *check, uint64_t now_ms, uint32_t bot, const struct client *client);
void check_left(struct check *check, uint64_t now_ms, uint32_t bot);

/* The bot's frame left at that moment; 0: it was lost on purpose. */
void check_sent(struct check *check, uint32_t bot, uint32_t seq, const float pos[3], uint64_t stamp_ns);
/* A bot was told of a frame, received at that moment; 0: unknown. Not of the one that comes with a show: that
 * one had been waiting for it. */
void check_heard(struct check *check, const struct wire_remote_player_sync *sync, uint64_t stamp_ns);

/* Keeps the text for people, if it is one of the first. */
void check_note(struct check *check, const char *text);

/* Notes where everybody is, and compares, every CHECK_SAMPLE_MS. */
void check_tick(struct check *check, uint64_t now_ms);
uint64_t check_wakes_at(const struct check *check);

#endif
