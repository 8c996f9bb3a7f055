/* behaviour_inside.h - what the parts of a behaviour are to each other; nobody else's business.
 *
 * behaviour.c says what comes next and walks; behaviour_drive.c is about vehicles. */
#ifndef DLMP_BOTS_BEHAVIOUR_INSIDE_H
#define DLMP_BOTS_BEHAVIOUR_INSIDE_H

#include "bots/behaviour.h"

#define STEPS_PER_S 50.0f /* Player: physics steps, the unit of time of a speed */
#define TURN_RAD 6.2831853f

/* behaviour.c */
float behaviour_between(struct behaviour *behaviour, float low, float high);
uint64_t behaviour_later(struct behaviour *behaviour, uint64_t now_ms, uint32_t low_ms, uint32_t high_ms);
float behaviour_distance(const float a[3], const float b[3]);
/* A step toward the target. True: it is there. */
bool behaviour_step_toward(struct client *client, const float target[3], float speed, float seconds);
void behaviour_stand(struct client *client);
void behaviour_walk_on(struct behaviour *behaviour);

/* behaviour_drive.c */
/* Looks for a vehicle now and then, and goes for it. */
bool behaviour_go_for_vehicle(struct behaviour *behaviour, const struct client *client, uint64_t now_ms);
void behaviour_approach(struct behaviour *behaviour, struct client *client, uint64_t now_ms, float seconds);
/* Of one that sits in a vehicle or drives one remotely. */
void behaviour_step_seated(struct behaviour *behaviour, struct client *client, uint64_t now_ms,
                           float seconds);
/* Moves what the client syncs to and fro, as the game's physics would. */
void behaviour_push_synced(struct behaviour *behaviour, struct client *client, uint64_t now_ms,
                           float seconds);

#endif
