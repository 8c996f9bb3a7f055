/* client_inside.h - what the parts of a client are to each other; nobody else's business.
 *
 * client.c opens, closes, keeps time and sends; client_hear.c takes in what the server says,
 * client_vehicles.c what it says about vehicles; client_asks.c asks for things and judges the answers;
 * client_frames.c says where the client is. A handler finds the time in heard_ms. */
#ifndef DLMP_BOTS_CLIENT_INSIDE_H
#define DLMP_BOTS_CLIENT_INSIDE_H

#include "bots/client.h"

/* client.c */
void client_violate(struct client *client, enum violation violation);
void client_close(struct client *client, enum client_end end);
void client_send(struct client *client, const struct wire_packet *packet, const void *value);
void client_say_hello(struct client *client, uint64_t now_ms);
bool client_takes_events(const struct client *client);
/* The number that the next event has to carry. */
uint32_t client_next_event(const struct client *client);
void client_send_event(struct client *client, uint64_t now_ms, const struct wire_packet *packet,
                       const void *value);
void client_ask_for_spawn(struct client *client, uint64_t now_ms);

/* client_hear.c */
bool client_is_self(const struct client *client, uint32_t player_id, uint32_t player_token);
/* False, and a violation: the player's leave came before. */
bool client_is_of_living(struct client *client, uint32_t player_id, uint32_t player_token);
void client_count_verdict(struct client *client, enum view_verdict verdict);
void client_set_pos(struct client *client, const float pos[3]);
void client_unseat(struct client *client);

/* client_vehicles.c */
void client_get_out(struct client *client);
void client_on_vehicle_sync(struct client *client, const union wire_any *any);
void client_on_vehicle_occupancy(struct client *client, const union wire_any *any);
void client_on_remote_vehicle_frame(struct client *client, const union wire_any *any);
void client_on_vehicle_transform(struct client *client, const union wire_any *any);
void client_on_vehicle_health(struct client *client, const union wire_any *any);
void client_on_vehicle_params(struct client *client, const union wire_any *any);
void client_on_vehicle_death(struct client *client, const union wire_any *any);
void client_on_vehicle_syncer(struct client *client, const union wire_any *any);
void client_on_remote_vehicle_damage(struct client *client, const union wire_any *any);
void client_on_remote_vehicle_shot(struct client *client, const union wire_any *any);
void client_on_vehicle_tuning(struct client *client, const union wire_any *any);
void client_on_vehicle_handling(struct client *client, const union wire_any *any);
void client_on_vehicle_colors(struct client *client, const union wire_any *any);
void client_on_vehicle_trailer(struct client *client, const union wire_any *any);
void client_on_vehicle_lift(struct client *client, const union wire_any *any);
void client_on_train_state(struct client *client, const union wire_any *any);
void client_on_vehicle_remote(struct client *client, const union wire_any *any);

/* client_asks.c */
/* The answer to the request, if one waits. */
void client_answer(struct client *client, enum client_ask ask, bool accepted);
/* One that concerned this vehicle waits. */
bool client_waits(const struct client *client, enum client_ask ask, uint32_t vehicle_id);
void client_asks_expire(struct client *client, uint64_t now_ms);
/* What is being sent asks to hitch, lift or let go. */
void client_note_towed(struct client *client, const struct wire_packet *packet, const uint8_t *bytes);
bool client_has_towed(const struct client *client, uint32_t vehicle_id);

/* client_frames.c: of one in the world */
void client_send_frames(struct client *client, uint64_t now_ms);
uint64_t client_frames_at(const struct client *client);

#endif
