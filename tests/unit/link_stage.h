/* link_stage.h - what a shard_stage needs for tests of hitches, winches, trains and remote-controlled
 * vehicles: the packets that clients send and are sent. */
#ifndef DLMP_TESTS_UNIT_LINK_STAGE_H
#define DLMP_TESTS_UNIT_LINK_STAGE_H

#include "tests/unit/shard_stage.h"

/* Of an id field of a packet that was not there. */
enum { LINK_NO_PACKET = 0x7F7F7F7F };

/* Honest requests, with the epochs as they are. NULL for the second: unhitch, release. */
void link_tow(struct stage *stage, struct stage_client *client, const struct vehicle *trailer,
              const struct vehicle *tractor);
void link_winch(struct stage *stage, struct stage_client *client, const struct vehicle *load,
                const struct vehicle *heli);
void link_send_tow(struct stage *stage, struct stage_client *client, struct wire_vehicle_tow tow);
void link_send_winch(struct stage *stage, struct stage_client *client, struct wire_vehicle_winch winch);
void link_remote_exit(struct stage *stage, struct stage_client *client, uint32_t vehicle_id);
void link_remote_enter(struct stage *stage, struct stage_client *client, uint32_t vehicle_id);

/* The oldest one that no test has taken; all ids are LINK_NO_PACKET when there is none. It was critical. */
struct wire_vehicle_trailer link_take_trailer(struct stage_client *client);
struct wire_vehicle_lift link_take_lift(struct stage_client *client);
struct wire_vehicle_remote link_take_remote(struct stage_client *client);
struct wire_train_state link_take_train(struct stage_client *client);
/* Likewise, of that vehicle; the newest. */
struct wire_vehicle_syncer link_take_syncer(struct stage_client *client, uint32_t vehicle_id);
struct wire_vehicle_sync link_take_show(struct stage_client *client, uint32_t vehicle_id);

/* Moves, dresses or wrecks a vehicle without a word. */
void link_put(struct stage *stage, struct vehicle *vehicle, float x, float y);
void link_model(struct vehicle *vehicle, uint16_t model);
/* As the module that wrecks vehicles does it. */
void link_wreck(struct stage *stage, struct vehicle *vehicle);

uint16_t link_slot(struct stage *stage, const struct stage_client *client);
void link_pause(struct stage *stage, struct stage_client *client, bool paused);
/* Empties the client's limit of vehicle events. */
void link_use_up_events(struct stage *stage, struct stage_client *client);

#endif
