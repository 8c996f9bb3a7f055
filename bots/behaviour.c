#include "bots/behaviour_inside.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { STEP_MAX_MS = 200 }; /* ours: a process that stood still makes no leaps */

static const char *const kind_names[BEHAVIOUR_KINDS] = { "lobby", "idle",    "walk",  "drive",
                                                         "mixed", "traffic", "tow",   "heli",
                                                         "train", "rc",      "gunner" };

const char *behaviour_name(enum behaviour_kind kind)
{
    assert(kind < BEHAVIOUR_KINDS);
    return kind_names[kind];
}

bool behaviour_parse(const char *name, enum behaviour_kind *kind)
{
    for (int i = 0; i < BEHAVIOUR_KINDS; i++) {
        if (strcmp(kind_names[i], name) == 0) {
            *kind = (enum behaviour_kind)i;
            return true;
        }
    }
    return false;
}

enum behaviour_kind behaviour_deal(const uint32_t shares[BEHAVIOUR_KINDS], uint32_t dealt[BEHAVIOUR_KINDS])
{
    uint64_t total = 0, count = 1;
    double most = -1.0;
    int kind = 0;

    for (int i = 0; i < BEHAVIOUR_KINDS; i++) {
        total += shares[i];
        count += dealt[i];
    }
    assert(total > 0);
    for (int i = 0; i < BEHAVIOUR_KINDS; i++) {
        double lacks = (double)shares[i] * (double)count / (double)total - (double)dealt[i];

        if (shares[i] > 0 && lacks > most) {
            most = lacks;
            kind = i;
        }
    }
    dealt[kind]++;
    return (enum behaviour_kind)kind;
}

void behaviour_init(struct behaviour *behaviour, enum behaviour_kind kind, uint64_t seed,
                    uint32_t chat_every_ms)
{
    *behaviour = (struct behaviour){ .kind = kind, .chat_every_ms = chat_every_ms };
    rng_init_seeded(&behaviour->rng, seed);
}

void behaviour_set_home(struct behaviour *behaviour, const float home[3])
{
    memcpy(behaviour->home, home, sizeof behaviour->home);
    behaviour->has_home = true;
    behaviour->is_settled = false;
    if (behaviour->activity < ACTIVITY_ASKING)
        behaviour->activity = ACTIVITY_GOING_HOME;
}

float behaviour_between(struct behaviour *behaviour, float low, float high)
{
    return low + (high - low) * rng_unit(&behaviour->rng);
}

uint64_t behaviour_later(struct behaviour *behaviour, uint64_t now_ms, uint32_t low_ms, uint32_t high_ms)
{
    return now_ms + low_ms + rng_below(&behaviour->rng, high_ms - low_ms + 1);
}

float behaviour_distance(const float a[3], const float b[3])
{
    return hypotf(hypotf(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* ---- on foot */

/* A step toward the target. True: it is there. */
bool behaviour_step_toward(struct client *client, const float target[3], float speed, float seconds)
{
    const float *pos = client->frame.pos;
    float left = behaviour_distance(pos, target);
    float share = left > 0.0f ? fminf(speed * seconds / left, 1.0f) : 1.0f;
    float heading =
        left > 0.0f ? atan2f(-(target[0] - pos[0]), target[1] - pos[1]) * 360.0f / TURN_RAD : 0.0f;
    float next[3];
    float move_speed[3];

    for (size_t axis = 0; axis < 3; axis++) {
        next[axis] = share >= 1.0f ? target[axis] : pos[axis] + (target[axis] - pos[axis]) * share;
        move_speed[axis] = left > 0.0f ? (target[axis] - pos[axis]) / left * speed / STEPS_PER_S : 0.0f;
    }
    client_move(client, next, move_speed, heading);
    return share >= 1.0f;
}

void behaviour_stand(struct client *client)
{
    const float still[3] = { 0 };
    float pos[3];

    memcpy(pos, client->frame.pos, sizeof pos);
    client_move(client, pos, still, client->frame.heading);
}

void behaviour_walk_on(struct behaviour *behaviour)
{
    float angle = behaviour_between(behaviour, 0.0f, TURN_RAD);
    float radius = BEHAVIOUR_RADIUS_M * sqrtf(rng_unit(&behaviour->rng));

    behaviour->activity = ACTIVITY_WALKING;
    behaviour->speed = behaviour_between(behaviour, 1.5f, 6.0f);
    behaviour->target[0] = behaviour->home[0] + radius * cosf(angle);
    behaviour->target[1] = behaviour->home[1] + radius * sinf(angle);
    behaviour->target[2] = behaviour->home[2];
}

static void rest(struct behaviour *behaviour, struct client *client, uint64_t until_ms)
{
    behaviour_stand(client);
    behaviour->activity = ACTIVITY_RESTING;
    behaviour->until_ms = until_ms;
}

/* ---- what next */

static void next_on_foot(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    if (behaviour->kind == BEHAVIOUR_IDLE)
        rest(behaviour, client, UINT64_MAX);
    else if (behaviour_go_for_vehicle(behaviour, client, now_ms))
        return;
    else if (behaviour->kind == BEHAVIOUR_MIXED && rng_chance(&behaviour->rng, 0.3))
        rest(behaviour, client, behaviour_later(behaviour, now_ms, 1000, 5000));
    else
        behaviour_walk_on(behaviour);
}

static void step_on_foot(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds)
{
    switch (behaviour->activity) {
    case ACTIVITY_GOING_HOME:
        if (!behaviour_step_toward(client, behaviour->home, BEHAVIOUR_TRAVEL_M_PER_S, seconds))
            return;
        behaviour->is_settled = true;
        next_on_foot(behaviour, client, now_ms);
        return;
    case ACTIVITY_WALKING:
        if (behaviour_step_toward(client, behaviour->target, behaviour->speed, seconds))
            next_on_foot(behaviour, client, now_ms);
        return;
    case ACTIVITY_RESTING:
        if (now_ms >= behaviour->until_ms)
            next_on_foot(behaviour, client, now_ms);
        return;
    case ACTIVITY_APPROACHING:
        behaviour_approach(behaviour, client, now_ms, seconds);
        return;
    case ACTIVITY_ASKING:
        if (!client->requests[ASK_ENTER].waits && !client->requests[ASK_REMOTE].waits)
            behaviour_walk_on(behaviour);
        return;
    case ACTIVITY_DRIVING:
    case ACTIVITY_STOPPING:
    case ACTIVITY_RIDING:
    case ACTIVITY_FETCHING:
    case ACTIVITY_HITCHING:
    case ACTIVITY_LETTING_GO:
        behaviour_walk_on(behaviour); /* the server has taken it out */
        return;
    }
}

static void talk(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    static const char *const lines[] = { "good morning",           "anyone at the docks?", "nice car",
                                         "see you at the airport", "who took my bike",     "grüß dich" };

    if (behaviour->chat_every_ms == 0 || now_ms < behaviour->chat_ms)
        return;
    if (behaviour->chat_ms != 0) {
        if (rng_chance(&behaviour->rng, 0.25))
            (void)client_command(client, now_ms, "where am i");
        else
            (void)client_chat(client, now_ms,
                              lines[rng_below(&behaviour->rng, sizeof lines / sizeof lines[0])]);
    }
    behaviour->chat_ms = behaviour_later(behaviour, now_ms, behaviour->chat_every_ms / 2,
                                         behaviour->chat_every_ms + behaviour->chat_every_ms / 2);
}

/* True: it has just died. */
static bool dies(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    if (behaviour->kind != BEHAVIOUR_MIXED || now_ms < behaviour->die_ms)
        return false;

    bool is_first = behaviour->die_ms == 0;

    behaviour->die_ms = behaviour_later(behaviour, now_ms, 60 * 1000, 240 * 1000);
    return !is_first && client_die(client, now_ms);
}

/* A life begins, or the server has put the player somewhere else. */
static void notice_grant(struct behaviour *behaviour, const struct client *client, uint64_t now_ms)
{
    if (behaviour->grants == client->grants)
        return;
    behaviour->grants = client->grants;
    behaviour->stepped_ms = now_ms;
    behaviour->activity = ACTIVITY_GOING_HOME;
    if (!behaviour->has_home)
        behaviour_set_home(behaviour, client->frame.pos);
}

void behaviour_tick(struct behaviour *behaviour, struct client *client, uint64_t now_ms)
{
    uint64_t passed_ms;
    float seconds;

    if (client_is_open(client))
        talk(behaviour, client, now_ms);
    if (client->state != CLIENT_SPAWNED)
        return;
    notice_grant(behaviour, client, now_ms);
    if (now_ms < client_moves_at(client) || dies(behaviour, client, now_ms))
        return;
    passed_ms = now_ms - behaviour->stepped_ms;
    behaviour->stepped_ms = now_ms;
    seconds = (float)(passed_ms < STEP_MAX_MS ? passed_ms : STEP_MAX_MS) / 1000.0f;
    if (behaviour->kind == BEHAVIOUR_TRAFFIC)
        behaviour_push_synced(behaviour, client, now_ms, seconds);
    if (client_driven(client) != NULL || client_vehicle(client) != NULL)
        behaviour_step_seated(behaviour, client, now_ms, seconds);
    else
        step_on_foot(behaviour, client, now_ms, seconds);
}

uint64_t behaviour_wakes_at(const struct behaviour *behaviour, const struct client *client)
{
    uint64_t wakes_ms = UINT64_MAX;

    if (behaviour->chat_every_ms > 0 && client_is_open(client))
        wakes_ms = behaviour->chat_ms;
    if (client->state != CLIENT_SPAWNED)
        return wakes_ms;

    uint64_t moves_ms = client_moves_at(client);

    if (behaviour->activity == ACTIVITY_RESTING && behaviour->grants == client->grants &&
        behaviour->until_ms > moves_ms)
        moves_ms = behaviour->until_ms;
    return moves_ms < wakes_ms ? moves_ms : wakes_ms;
}
