#include "proto/dlmp-packet/list.h"

#include <stdio.h>

#include "proto/dlmp-packet/convert.h"

static const char *const lanes[] = { [WIRE_UNRELIABLE] = "unreliable", [WIRE_RELIABLE] = "reliable" };
static const char *const deliveries[] = { [WIRE_DROPPABLE] = "droppable", [WIRE_CRITICAL] = "critical" };

static void print_row(const char *id, const char *name, const char *direction, const char *lane,
                      const char *delivery, const char *size, const char *page)
{
    printf("%-5s %-24s %-10s %-11s %-10s %10s  %s\n", id, name, direction, lane, delivery, size, page);
}

void list_print_table(void)
{
    print_row("id", "name", "direction", "lane", "delivery", "size", "page");
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        const struct wire_packet *packet = wire_packets[i];
        const struct wire_struct *layout = packet->layout;
        const char *delivery = deliveries[packet->delivery];
        char id[8], size[16];

        snprintf(id, sizeof id, "0x%02X", packet->id);
        if (layout->min_size == layout->max_size)
            snprintf(size, sizeof size, "%u", (unsigned)layout->min_size);
        else
            snprintf(size, sizeof size, "%u..=%u", (unsigned)layout->min_size, (unsigned)layout->max_size);
        print_row(id, layout->name, direction_name(packet->direction), lanes[packet->lane],
                  delivery == NULL ? "-" : delivery, size, packet->page);
    }
}

void list_print_json(void)
{
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        const struct wire_packet *packet = wire_packets[i];
        const char *delivery = deliveries[packet->delivery];
        const char *quote = delivery == NULL ? "" : "\"";

        printf("%s{\"id\":%u,\"name\":\"%s\",\"direction\":\"%s\",\"lane\":\"%s\",\"delivery\":%s%s%s,",
               i == 0 ? "[\n" : ",\n", packet->id, packet->layout->name, direction_name(packet->direction),
               lanes[packet->lane], quote, delivery == NULL ? "null" : delivery, quote);
        printf("\"min_size\":%u,\"max_size\":%u,\"has_token\":%s,\"published\":%s,\"page\":\"%s\"}",
               (unsigned)packet->layout->min_size, (unsigned)packet->layout->max_size,
               packet->has_token ? "true" : "false", packet->published ? "true" : "false", packet->page);
    }
    puts("\n]");
}
