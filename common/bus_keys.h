/* bus_keys.h - the CURVE keys of the bus: who may connect, and to whom.
 *
 * All endpoints that a cluster binds share one key pair, the server's. Each process that connects has a
 * pair of its own, and those who bind know the public keys of all that may. */
#ifndef DLMP_COMMON_BUS_KEYS_H
#define DLMP_COMMON_BUS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bus_socket.h"

enum {
    BUS_CLIENT_KEYS_MAX = 256, /* ours: processes of a cluster */
    BUS_KEY_SIZE = 32,
    BUS_KEY_TEXT_SIZE = 41, /* in Z85, with its terminator */
};

/* Z85 texts of 40 characters. Those that are not needed may be NULL. */
struct bus_curve {
    const char *server_key;         /* public: to connect */
    const char *server_secret_key;  /* to bind */
    const char *secret_key;         /* own: to connect */
    const char *const *client_keys; /* public: who may connect here */
    size_t client_key_count;
};

struct bus_keys {
    bool are_used;
    char server_key[BUS_KEY_TEXT_SIZE];
    char server_secret_key[BUS_KEY_TEXT_SIZE];
    char public_key[BUS_KEY_TEXT_SIZE];
    char secret_key[BUS_KEY_TEXT_SIZE];
    uint8_t client_keys[BUS_CLIENT_KEYS_MAX][BUS_KEY_SIZE];
    size_t client_key_count;
    struct bus_socket door; /* where libzmq asks who may come in */
    uint64_t denied;        /* connections */
};

/* Copies the keys; without any of them CURVE is not used. False: `error` says why. */
bool bus_keys_init(struct bus_keys *keys, const struct bus_curve *curve, char error[BUS_ERROR_SIZE]);
void bus_keys_fini(struct bus_keys *keys);

/* For a socket before it is bound or connected; without keys they do nothing. False: `error` says why. */
bool bus_keys_open_door(struct bus_keys *keys, void *zmq, struct event_base *base,
                        char error[BUS_ERROR_SIZE]);
bool bus_keys_guard(const struct bus_keys *keys, struct bus_socket *socket, char error[BUS_ERROR_SIZE]);
bool bus_keys_show(const struct bus_keys *keys, struct bus_socket *socket, char error[BUS_ERROR_SIZE]);

#endif
