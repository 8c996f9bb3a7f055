/* check_inside.h - what the parts of the check are to each other; nobody else's business.
 *
 * check.c knows who is who, samples the truth and judges players; check_vehicles.c knows of vehicles and
 * judges them. */
#ifndef DLMP_BOTS_CHECK_INSIDE_H
#define DLMP_BOTS_CHECK_INSIDE_H

#include "bots/check.h"

enum relation { RELATION_UNCLEAR, RELATION_NEAR, RELATION_FAR };

/* check.c */
/* Counts it, and tells of the first ones who saw what. */
void check_violate(struct check *check, enum violation violation, const struct client *observer,
                   const char *what, uint32_t id);
float check_distance(const float a[3], const float b[3]);
/* The sample of a bot taken `back` samples before the last one; how long the window is. */
const struct check_sample *check_sample_at(const struct check *check, uint32_t bot, uint32_t back);
uint64_t check_window_ms(const struct check *check);
enum relation check_relation(const struct check_sample *a, const struct check_sample *b);
bool check_has_been_at(const struct check *check, uint32_t bot, const float pos[3]);
bool check_has_full_lane(const struct check *check, uint32_t observer);

/* check_vehicles.c */
/* The bot drives: where its vehicle is. */
void check_note_driven(struct check *check, uint64_t now_ms, uint32_t bot);
/* What the bot is shown. */
void check_note_seen(struct check *check, uint64_t now_ms, uint32_t observer);
void check_forget_drivers(struct check *check, uint64_t now_ms);
void check_judge_vehicle(struct check *check, uint64_t now_ms, uint32_t observer,
                         const struct check_vehicle *vehicle);

#endif
