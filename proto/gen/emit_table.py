"""Writes what joins the pages: gen/wire.h (ids, numbers, a union of all packets) and the table behind wire_identify."""


class Table:
    def __init__(self, schema):
        self.schema = schema

    def header(self):
        lines = [
            "/* Generated from proto/schema/. Do not edit.",
            " *",
            " * Every packet of the protocol; proto/wire.h tells what the functions do. */",
            "#ifndef DLMP_GEN_WIRE_H",
            "#define DLMP_GEN_WIRE_H",
            "",
        ]
        lines += [f'#include "gen/wire_{page}.h"' for page in self.schema.pages]
        lines += ["", "/* The first byte of a packet. */", "enum packet_id {"]
        lines += [f"    PACKET_{row['name'].replace(' ', '_').upper() if row['direction'] == 'both' else self._c_name(row).upper()} = 0x{row['id']:02X}," for row in self.schema.index]
        lines += ["};", "", "/* A packet's place in wire_packets: dense, for tables and counters. */", "enum wire_index {"]
        lines += [f"    WIRE_INDEX_{packet.c.upper()}," for packet in self.schema.packets]
        lines += ["    WIRE_PACKETS,", "};", "", "/* Room for any packet. */", "union wire_any {"]
        lines += [f"    struct wire_{packet.c} {packet.c};" for packet in self.schema.packets]
        lines += [
            "};",
            "",
            "/* Identifies and decodes. NULL, with the reason in `error`, for a malformed packet; `out` is then not to be used. */",
            "const struct wire_packet *wire_decode(enum wire_direction direction, const uint8_t *data, size_t size,",
            "                                      union wire_any *out, struct wire_error *error);",
            "",
            "#endif",
            "",
        ]
        return "\n".join(lines)

    def _c_name(self, row):
        return next(packet.c for packet in self.schema.packets if packet.id == row["id"])

    def source(self):
        """Which packets each id stands for: one, or several that their `kind` tells apart."""
        lines = [
            "/* Generated from proto/schema/. Do not edit. */",
            '#include "gen/wire.h"',
            '#include "gen/wire_table.h"',
            "",
            "const struct wire_packet *const wire_packets[WIRE_PACKETS] = {",
        ]
        lines += [f"    &wire_{packet.c}_packet," for packet in self.schema.packets]
        lines += ["};", "", "const uint8_t wire_by_id[2][256] = {"]
        shared = []
        for direction in ("c2s", "s2c"):
            lines.append(f"    [WIRE_{direction.upper()}] = {{")
            for packet_id in range(256):
                packets = [p for p in self.schema.packets if p.id == packet_id and p.direction == direction]
                if len(packets) == 1:
                    lines.append(f"        [0x{packet_id:02X}] = WIRE_INDEX_{packets[0].c.upper()} + 1,")
                elif packets:
                    lines.append(f"        [0x{packet_id:02X}] = WIRE_BY_KIND,")
                    shared += packets
            lines.append("    },")
        lines += ["};", "", "const struct wire_kind wire_by_kind[] = {"]
        lines += [
            f"    {{ WIRE_{packet.direction.upper()}, 0x{packet.id:02X}, 0x{packet.fields[0].values[0]:02X}, WIRE_INDEX_{packet.c.upper()} }},"
            for packet in shared
        ]
        lines += ["};", "const size_t wire_by_kind_count = sizeof wire_by_kind / sizeof wire_by_kind[0];", ""]
        return "\n".join(lines)

    def source_header(self):
        return "\n".join([
            "/* Generated from proto/schema/. Do not edit. */",
            "#ifndef DLMP_GEN_WIRE_TABLE_H",
            "#define DLMP_GEN_WIRE_TABLE_H",
            "",
            '#include "proto/wire.h"',
            "",
            "enum { WIRE_BY_KIND = 0xFF };",
            "",
            "/* By direction and id: 0 unknown, WIRE_BY_KIND when several packets share the id, otherwise the index plus 1. */",
            "extern const uint8_t wire_by_id[2][256];",
            "",
            "/* The packets that share an id, by the byte behind it. */",
            "struct wire_kind {",
            "    enum wire_direction direction;",
            "    uint8_t id;",
            "    uint8_t kind;",
            "    uint8_t index;",
            "};",
            "extern const struct wire_kind wire_by_kind[];",
            "extern const size_t wire_by_kind_count;",
            "",
            "#endif",
            "",
        ])  # fmt: skip
