#include "common/bus_keys.h"

#include <sodium.h>
#include <string.h>

#include "common/log.h"

static bool copy_key(char to[BUS_KEY_TEXT_SIZE], const char *key, const char *what,
                     char error[BUS_ERROR_SIZE])
{
    uint8_t bytes[BUS_KEY_SIZE];

    if (key == NULL)
        return true;
    if (strlen(key) != BUS_KEY_TEXT_SIZE - 1 || zmq_z85_decode(bytes, key) == NULL)
        return bus_fail(error, "the bus's CURVE %s is not a Z85 text of 40 characters", what);
    sodium_memzero(bytes, sizeof bytes);
    memcpy(to, key, BUS_KEY_TEXT_SIZE);
    return true;
}

static bool copy_client_keys(struct bus_keys *keys, const struct bus_curve *curve, char error[BUS_ERROR_SIZE])
{
    char text[BUS_KEY_TEXT_SIZE];

    if (curve->client_key_count > BUS_CLIENT_KEYS_MAX)
        return bus_fail(error, "the bus has more than %d CURVE client keys", BUS_CLIENT_KEYS_MAX);
    for (size_t i = 0; i < curve->client_key_count; i++) {
        if (!copy_key(text, curve->client_keys[i], "client key", error))
            return false;
        (void)zmq_z85_decode(keys->client_keys[i], text);
    }
    keys->client_key_count = curve->client_key_count;
    return true;
}

bool bus_keys_init(struct bus_keys *keys, const struct bus_curve *curve, char error[BUS_ERROR_SIZE])
{
    char derived[BUS_KEY_TEXT_SIZE];

    *keys = (struct bus_keys){ 0 };
    keys->are_used = curve->server_key != NULL || curve->server_secret_key != NULL ||
                     curve->secret_key != NULL || curve->client_key_count > 0;
    if (!keys->are_used)
        return true;
    if (!zmq_has("curve"))
        return bus_fail(error, "the bus has CURVE keys, but this libzmq was built without CURVE");
    if (!copy_key(keys->server_key, curve->server_key, "server key", error) ||
        !copy_key(keys->server_secret_key, curve->server_secret_key, "server secret key", error) ||
        !copy_key(keys->secret_key, curve->secret_key, "secret key", error) ||
        !copy_client_keys(keys, curve, error))
        return false;
    if (curve->secret_key != NULL && zmq_curve_public(keys->public_key, keys->secret_key) != 0)
        return bus_fail(error, "the bus's CURVE secret key is no key");
    if (curve->server_secret_key != NULL && zmq_curve_public(derived, keys->server_secret_key) != 0)
        return bus_fail(error, "the bus's CURVE server secret key is no key");
    if (curve->server_secret_key != NULL && curve->server_key != NULL &&
        strcmp(derived, keys->server_key) != 0)
        return bus_fail(error, "the bus's CURVE server key and server secret key are not a pair");
    return true;
}

void bus_keys_fini(struct bus_keys *keys)
{
    bus_socket_close(&keys->door);
    sodium_memzero(keys, sizeof *keys);
}

/* ---- ZeroMQ's authentication protocol (RFC 27) ---- */

static bool is_welcome(const struct bus_keys *keys, struct span key)
{
    bool found = false;

    for (size_t i = 0; i < keys->client_key_count && key.size == BUS_KEY_SIZE; i++)
        found = sodium_memcmp(keys->client_keys[i], key.data, BUS_KEY_SIZE) == 0 || found;
    return found;
}

static struct span text_span(const char *text)
{
    return (struct span){ .data = (const uint8_t *)text, .size = strlen(text) };
}

static bool span_is(struct span span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

/* Frames: version, request, domain, address, identity, mechanism, key. Who asks is libzmq itself, over a
 * socket that takes one answer to each question. */
static void answer(void *context, zmq_msg_t *frames, size_t count)
{
    struct bus_keys *keys = context;
    struct span request = count > 1 ? bus_frame(&frames[1]) : (struct span){ 0 };
    bool welcome = count == 7 && span_is(bus_frame(&frames[0]), "1.0") &&
                   span_is(bus_frame(&frames[5]), "CURVE") && is_welcome(keys, bus_frame(&frames[6]));
    const struct span parts[] = { text_span("1.0"),
                                  request,
                                  text_span(welcome ? "200" : "400"),
                                  text_span(welcome ? "OK" : "unknown key"),
                                  text_span(""),
                                  text_span("") };
    enum { PARTS = sizeof parts / sizeof parts[0] };

    if (!welcome) {
        keys->denied++;
        LOG(WARN, "bus_connection_denied",
            KV("address", count > 3 ? bus_frame(&frames[3]) : (struct span){ 0 }));
    }
    for (size_t i = 0; i < PARTS; i++) {
        if (!bus_socket_send(&keys->door, parts[i], i + 1 < PARTS))
            return;
    }
    bus_socket_look_again(&keys->door);
}

bool bus_keys_open_door(struct bus_keys *keys, void *zmq, struct event_base *base, char error[BUS_ERROR_SIZE])
{
    if (!keys->are_used)
        return true;
    if (keys->server_secret_key[0] == '\0' || keys->client_key_count == 0)
        return bus_fail(error,
                        "to bind with CURVE the bus needs the server secret key and at least one client key");
    if (!bus_socket_open(&keys->door, zmq, base, ZMQ_REP, answer, keys) ||
        zmq_bind(keys->door.zmq, "inproc://zeromq.zap.01") != 0)
        return bus_fail(error, "the bus cannot check CURVE keys: %s", zmq_strerror(zmq_errno()));
    return true;
}

bool bus_keys_guard(const struct bus_keys *keys, struct bus_socket *socket, char error[BUS_ERROR_SIZE])
{
    if (!keys->are_used)
        return true;
    return (bus_socket_set_int(socket, ZMQ_CURVE_SERVER, 1) &&
            bus_socket_set_text(socket, ZMQ_CURVE_SECRETKEY, keys->server_secret_key) &&
            bus_socket_set_text(socket, ZMQ_ZAP_DOMAIN, "dlmp")) ||
           bus_fail(error, "the bus cannot use its CURVE keys: %s", zmq_strerror(zmq_errno()));
}

bool bus_keys_show(const struct bus_keys *keys, struct bus_socket *socket, char error[BUS_ERROR_SIZE])
{
    if (!keys->are_used)
        return true;
    if (keys->server_key[0] == '\0' || keys->secret_key[0] == '\0')
        return bus_fail(error, "to connect with CURVE the bus needs the server key and its own secret key");
    return (bus_socket_set_text(socket, ZMQ_CURVE_SERVERKEY, keys->server_key) &&
            bus_socket_set_text(socket, ZMQ_CURVE_PUBLICKEY, keys->public_key) &&
            bus_socket_set_text(socket, ZMQ_CURVE_SECRETKEY, keys->secret_key)) ||
           bus_fail(error, "the bus cannot use its CURVE keys: %s", zmq_strerror(zmq_errno()));
}
