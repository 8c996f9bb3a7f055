#include "gateway/admin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "gateway/metrics.h"

enum { REFUSALS_MAX = 64, HTTP_NOT_FOUND = 404 };

#define FIELD(name) offsetof(struct net_stats, name)

static const struct metric net_metrics[] = {
    { "dlmp_gateway_receives_total", COUNTER, "Calls that received.", FIELD(receives), METRIC_U64, NULL },
    { "dlmp_gateway_sends_total", COUNTER, "Calls that sent.", FIELD(sends), METRIC_U64, NULL },
    { "dlmp_gateway_segmented_total", COUNTER, "Datagrams that the kernel cut from longer sends.",
      FIELD(segmented), METRIC_U64, NULL },
    { "dlmp_gateway_windows_total", COUNTER, "Times that a datagram waited for others.", FIELD(windows),
      METRIC_U64, NULL },
    { .name = NULL },
};

static bool is_ready(void *context, FILE *why)
{
    const struct gateway_admin *admin = context;

    if (gateway_is_ready(admin->gateway))
        return true;
    (void)fputs("clients cannot join: no coordinator, no shard, or a drain", why);
    return false;
}

static void print_metrics(void *context, FILE *out)
{
    const struct gateway_admin *admin = context;

    metrics_print(gateway_metrics, gateway_stats(admin->gateway), out);
    metrics_print(net_metrics, net_stats(admin->net), out);
}

static void on_refusals(void *context, const struct http_request *request, struct http_reply *reply)
{
    const struct gateway_admin *admin = context;
    struct gateway_refusal refusals[REFUSALS_MAX];
    size_t count;
    char *end;
    unsigned long id;

    errno = 0;
    id = strtoul(request->rest, &end, 10);
    if (errno != 0 || end == request->rest || *end != '\0' || request->rest[0] == '-' || id > UINT32_MAX) {
        http_fail(reply, HTTP_NOT_FOUND, "no player has such an id");
        return;
    }
    count = gateway_refusals(admin->gateway, (uint32_t)id, refusals, REFUSALS_MAX);
    (void)fputs("{\"refusals\":[", reply->body);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(reply->body, "%s{\"age_ms\":%" PRIu64 ",\"packet\":%u,\"reason\":\"%s\"}",
                      i > 0 ? "," : "", refusals[i].age_ms, (unsigned)refusals[i].packet_id,
                      reason_name(refusals[i].reason));
    }
    (void)fputs("]}\n", reply->body);
}

static const struct http_route routes[] = {
    { HTTP_GET, "/api/refusals/*", on_refusals },
    { .path = NULL },
};

struct http *gateway_admin_open(const char *address, uint16_t port, struct gateway_admin *admin,
                                struct event_base *base)
{
    const struct http_config config = {
        .address = address,
        .port = port,
        .context = admin,
        .is_ready = is_ready,
        .print_metrics = print_metrics,
        .routes = routes,
    };

    return http_open(&config, base);
}
