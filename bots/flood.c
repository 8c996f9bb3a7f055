#include "bots/flood.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bots/resolve.h"
#include "common/clock.h"
#include "common/random.h"
#include "gen/wire.h"

/* Ours. */
enum { BATCH = 64, SOCKETS_MAX = 64, LOCAL_BLOCK = 2, PAUSE_US = 500 };

struct flood_socket {
    int fd;
    uint32_t next; /* of its addresses */
};

struct flood {
    const struct flood_config *config;
    struct flood_result *result;
    struct endpoint server;
    struct rng rng;
    struct flood_socket sockets[SOCKETS_MAX];
    uint32_t sockets_count;
    uint32_t addresses; /* each of them speaks for */
    size_t hello_size;
    uint8_t hello[WIRE_CLIENT_HELLO_SIZE_MAX];
    uint8_t data[BATCH][WIRE_CLIENT_HELLO_SIZE_MAX];
    _Alignas(struct cmsghdr) uint8_t control[BATCH][CMSG_SPACE(sizeof(struct in_pktinfo))];
    struct iovec vectors[BATCH];
    struct mmsghdr messages[BATCH];
};

static volatile sig_atomic_t is_interrupted;

static void on_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

static void encode_hello(struct flood *flood)
{
    struct wire_client_hello hello = {
        .protocol_version = WIRE_VERSION,
        .client_nonce = 1,
        .name = { (const uint8_t *)flood->config->name, strlen(flood->config->name) },
    };
    struct wire_error error;

    flood->hello_size = wire_client_hello_encode(&hello, flood->hello, sizeof flood->hello, &error);
}

static bool open_sockets(struct flood *flood, char *why, size_t why_size)
{
    bool speaks_for_many = resolve_is_loopback4(&flood->server);
    uint32_t sources = flood->config->sources;

    flood->sockets_count = sources < SOCKETS_MAX ? sources : SOCKETS_MAX;
    flood->addresses = speaks_for_many ? (sources + flood->sockets_count - 1) / flood->sockets_count : 1;
    flood->result->sources = flood->sockets_count * flood->addresses;
    for (uint32_t i = 0; i < flood->sockets_count; i++) {
        flood->sockets[i].fd =
            socket(flood->server.address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (flood->sockets[i].fd < 0) {
            (void)snprintf(why, why_size, "no socket: %s", strerror(errno));
            flood->sockets_count = i;
            return false;
        }
    }
    return true;
}

/* The source address of a message: any that is this machine's. */
static void set_source(struct flood *flood, size_t i, uint32_t address)
{
    struct endpoint local = resolve_local(LOCAL_BLOCK, address);
    struct msghdr *header = &flood->messages[i].msg_hdr;
    struct in_pktinfo info = { 0 };
    struct sockaddr_in from;
    struct cmsghdr *item;

    memcpy(&from, &local.address, sizeof from);
    info.ipi_spec_dst = from.sin_addr;
    header->msg_control = flood->control[i];
    header->msg_controllen = sizeof flood->control[i];
    item = CMSG_FIRSTHDR(header);
    item->cmsg_level = IPPROTO_IP;
    item->cmsg_type = IP_PKTINFO;
    item->cmsg_len = CMSG_LEN(sizeof info);
    memcpy(CMSG_DATA(item), &info, sizeof info);
}

static void send_batch(struct flood *flood, struct flood_socket *from, size_t count)
{
    int sent;

    for (size_t i = 0; i < count; i++) {
        memcpy(flood->data[i], flood->hello, flood->hello_size);
        store_u64(flood->data[i] + WIRE_CLIENT_HELLO_CLIENT_NONCE_AT, rng_token(&flood->rng));
        flood->vectors[i] = (struct iovec){ flood->data[i], flood->hello_size };
        flood->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &flood->server.address,
            .msg_namelen = flood->server.size,
            .msg_iov = &flood->vectors[i],
            .msg_iovlen = 1,
        };
        if (flood->addresses > 1)
            set_source(flood, i, from->next++ % flood->addresses);
    }
    sent = sendmmsg(from->fd, flood->messages, (unsigned int)count, MSG_DONTWAIT);
    if (sent < 0)
        sent = 0;
    flood->result->sent += (uint64_t)sent;
    flood->result->sent_bytes += (uint64_t)sent * flood->hello_size;
    flood->result->not_sent += count - (uint64_t)sent;
}

static void count_answers(struct flood *flood, const struct flood_socket *at)
{
    int count;

    for (size_t i = 0; i < BATCH; i++) {
        flood->vectors[i] = (struct iovec){ flood->data[i], sizeof flood->data[i] };
        flood->messages[i].msg_hdr = (struct msghdr){ .msg_iov = &flood->vectors[i], .msg_iovlen = 1 };
    }
    /* With MSG_TRUNC the length is the datagram's, not what fits here. */
    count = recvmmsg(at->fd, flood->messages, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
    for (int i = 0; i < count; i++) {
        flood->result->answers++;
        flood->result->answer_bytes += flood->messages[i].msg_len;
    }
}

static void pour(struct flood *flood)
{
    uint64_t begun_us = clock_us();
    uint64_t tried = 0;
    uint32_t turn = 0;

    while (!is_interrupted) {
        uint64_t passed_us = clock_us() - begun_us;
        uint64_t due = (uint64_t)(flood->config->per_s * (double)passed_us / 1e6);

        if (passed_us >= flood->config->time_ms * 1000)
            break;
        if (due <= tried) {
            const struct timespec pause = { .tv_nsec = PAUSE_US * 1000 };

            (void)nanosleep(&pause, NULL);
            continue;
        }

        struct flood_socket *from = &flood->sockets[turn++ % flood->sockets_count];
        size_t count = due - tried < BATCH ? (size_t)(due - tried) : BATCH;

        send_batch(flood, from, count);
        count_answers(flood, from);
        tried += count;
    }
    flood->result->ms = (clock_us() - begun_us) / 1000;
    for (uint32_t i = 0; i < flood->sockets_count; i++)
        count_answers(flood, &flood->sockets[i]);
}

int flood_run(const struct flood_config *config, struct flood_result *result, char *why, size_t why_size)
{
    struct flood *flood = calloc(1, sizeof *flood);
    struct endpoint servers[RESOLVE_MAX];
    struct sigaction action = { .sa_handler = on_signal };
    int status = -1;

    if (flood == NULL)
        abort();
    *result = (struct flood_result){ 0 };
    flood->config = config;
    flood->result = result;
    if (resolve_list(config->servers, servers, why, why_size) > 0) {
        flood->server = servers[0];
        rng_init_seeded(&flood->rng, config->seed);
        encode_hello(flood);
        if (sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0 &&
            open_sockets(flood, why, why_size)) {
            pour(flood);
            status = 0;
        }
    }
    for (uint32_t i = 0; i < flood->sockets_count; i++)
        (void)close(flood->sockets[i].fd);
    free(flood);
    return status;
}

static double per_second(const struct flood_result *result)
{
    return result->ms > 0 ? (double)result->sent * 1000.0 / (double)result->ms : 0.0;
}

void flood_print(const struct flood_result *result, FILE *out)
{
    (void)fprintf(
        out, "hellos sent      %12" PRIu64 ", %.0f a second, %" PRIu64 " bytes, from %" PRIu32 " sources\n",
        result->sent, per_second(result), result->sent_bytes, result->sources);
    if (result->not_sent > 0)
        (void)fprintf(out, "not sent         %12" PRIu64 "\n", result->not_sent);
    (void)fprintf(out, "answers received %12" PRIu64 ", %" PRIu64 " bytes\n", result->answers,
                  result->answer_bytes);
}

void flood_print_json(const struct flood_result *result, FILE *out)
{
    (void)fprintf(out,
                  "{\n  \"flood\": \"hello\", \"seconds\": %.3f, \"sources\": %" PRIu32 ",\n"
                  "  \"sent\": %" PRIu64 ", \"sent_bytes\": %" PRIu64 ", \"not_sent\": %" PRIu64 ",\n"
                  "  \"answers\": %" PRIu64 ", \"answer_bytes\": %" PRIu64 "\n}\n",
                  (double)result->ms / 1000.0, result->sources, result->sent, result->sent_bytes,
                  result->not_sent, result->answers, result->answer_bytes);
}
