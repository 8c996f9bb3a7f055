/* scene.h - what scenarios have in common: one town for all of them, with the gamemode `scenes`, one that
 * hangs and the examples of deploy/resources; two who have just spawned in it, and the steps that most
 * scenarios take.
 *
 * Scenarios make vehicles of their own, so nothing is left of the one before; they go with anna, who has
 * asked for them. */
#ifndef DLMP_TESTS_CLUSTER_SCENE_H
#define DLMP_TESTS_CLUSTER_SCENE_H

#include "tests/cluster/town.h"

/* Vehicles: VehicleOccupancy.kind. */
enum { KIND_EXIT, KIND_ENTER, KIND_WARP, KIND_DENY, KIND_JACKED };

/* On two gateways, at (0, 0, 10). */
extern struct resident *anna;
extern struct resident *boris;

/* A case whose scenarios are played in the town, which is built for the first one; main razes it. */
TCase *scene_case(void);

/* Another one, who is shown the vehicle. */
struct resident *scene_join(const char *name, uint32_t vehicle_id);
/* A vehicle at (x, y, 10), shown to both. */
uint32_t scene_make(unsigned model, float x, float y);

/* Has the gamemode call functions (scenes/main.lua); returns what the last one answers, after its name.
 * Borrowed until the next step. */
const char *scene_ask(struct resident *who, const char *calls, ...) __attribute__((format(printf, 2, 3)));
/* Likewise, and the last answer must be `true`. */
void scene_do(struct resident *who, const char *calls, ...) __attribute__((format(printf, 2, 3)));
/* And it must be nil and why. */
void scene_refused(struct resident *who, const char *calls, ...) __attribute__((format(printf, 2, 3)));
/* "watch", "refuse", "allow" and "when". */
void scene_tell(struct resident *who, const char *command, ...) __attribute__((format(printf, 2, 3)));
/* The gamemode was told of this event; waits for it. */
void scene_raised(struct resident *who, const char *event, ...) __attribute__((format(printf, 2, 3)));

void scene_say(struct resident *who, const struct wire_packet *packet, const void *event);
/* Asks for the seat, and no more. */
void scene_enter(struct resident *who, uint32_t vehicle_id, uint8_t seat);
/* Both have seen it sit down; all that was heard until then is forgotten. */
void scene_sit(struct resident *who, uint32_t vehicle_id, uint8_t seat);
/* Where the driver has the vehicle from now on. */
void scene_drive(struct resident *driver, float x, float y);
bool scene_sees_at(const struct resident *who, uint32_t vehicle_id, float x, float y);
/* What the client's own copy has come to, as the frames report it that it sends. */
struct view_vehicle *scene_copy(struct resident *who, uint32_t vehicle_id);

/* The oldest of the vehicle's that no scenario has taken; waits for it. */
struct wire_vehicle_sync scene_take_show(struct resident *who, uint32_t vehicle_id);
struct wire_vehicle_occupancy scene_take_seat(struct resident *who);
struct wire_vehicle_params scene_take_params(struct resident *who, uint32_t vehicle_id);

#endif
