"""Writes docs/protocol.md: every packet for readers, on one page, page by page and id by id."""

from expression import float_literal
from schema import NONE, PACKET_SIZE_MAX, PREFIX, SCALARS, TEXT_CLASSES

INTRO = """\
<!-- Generated from proto/schema/ and proto/examples/ by proto/gen/emit_docs.py. Do not edit. -->

# The protocol

Every packet that crosses the network between a DarqlineMP client and this server: {count} layouts of {ids} ids. The C
codec, this page and the [Wireshark dissector](../deploy/wireshark/dlmp.lua) are generated from
[proto/schema/](../proto/schema/README.md), so they say the same. A packet is one UDP datagram: the packet id in its first
byte, then the fields without padding, integers and floats little-endian, at most {size_max} bytes in all.

**Contents:** [strict decoding](#strict-decoding), [lanes](#lanes), [types](#types), [ids](#ids){pages}

## Strict decoding

A malformed packet is dropped whole; nothing of it is applied. An encoder refuses to write one. Malformed is:

- an empty datagram, an id that no packet of its direction has, and a `kind` that no server query has;
- a length other than exactly that of the layout, which for a packet that varies follows from its own lengths and counts;
- a value that the column "accepted" of its field does not allow;
- a packet that breaks one of the rules listed below its fields.

"Finite" refuses NaN and infinity. A bound on an f32 is rounded to f32 first, and -0.0 counts as zero. What stands under
"accepted" of an array holds for each element. What depends on the state of the game (who is near, who owns what, how often)
is no part of the format and not on this page.

## Lanes

| lane | direction | delivery | meaning |
|---|---|---|---|
| unreliable | both | | sent once, may be lost or overtaken |
| reliable | C2S | | carries `event_id`: 1, 2, 3… a connection; delivered in order, each once; acknowledged by [ServerAck](#serverack) |
| reliable | S2C | critical | the same, acknowledged by [ClientAck](#clientack); never left out |
| reliable | S2C | droppable | the same, but left out while the client is far behind with its acknowledgements |

C2S is client to server, S2C server to client. A C2S packet starts with the session token that the
[ServerHello](#serverhello) gave, except for {tokenless}.

## Types

| type | bytes |
|---|---|
| u8 u16 u32 u64, i8 i16 i32 i64, f32 | a little-endian scalar of so many bits |
| str8, str16 | the length in bytes as u8 or u16, then UTF-8 without a terminator |
| bytes16 | the length as u16, then raw bytes |
| list of X | the number of items as u8 or u16, then the items |
| X × 3 | three of it, one behind the other |

A text is valid UTF-8, and its class says which characters it may have:

| class | characters |
|---|---|
{classes}

`NONE` is 0xFFFFFFFF, "no such thing", in a field that holds an id.
"""


def escaped(text):
    """Plain words inside a Markdown table."""
    for char in "\\|*<`[]~":
        text = text.replace(char, "\\" + char)
    return text.replace("\n", " ")


def shown(field, value):
    if field.type == "f32":
        return float_literal(value).removesuffix("f").removesuffix(".0")
    return "NONE" if value == NONE and field.type in ("u32", "u64") else str(value)


def bounds(low, high, unit=""):
    return f"{low}{unit}" if low == high else f"{low}..={high}{unit}"


def accepted(field):
    """What a decoder lets through, in a few words; empty when every value is fine."""
    parts = []
    if field.is_span or field.type == "list":
        parts.append(bounds(field.min or 0, field.max, " items" if field.type == "list" else " bytes"))
        if field.is_text:
            parts.append(field.text or "any UTF-8")
    elif field.min is None and field.max == NONE - 1:
        parts.append("not NONE")
    elif field.min is not None or field.max is not None:
        _, least, most = SCALARS[field.type]
        low, high = (None if abs(value) == float("inf") else value for value in (least, most))
        low = field.min if field.min is not None else low
        high = field.max if field.max is not None else high
        if high is None:
            parts.append(f"at least {shown(field, low)}")
        elif low is None:
            parts.append(f"at most {shown(field, high)}")
        else:
            parts.append(bounds(shown(field, low), shown(field, high)))
    if field.values:
        numbers = [f"0x{value:02X}" if field.name == "kind" else shown(field, value) for value in field.values]
        parts.append("one of " + ", ".join(numbers) if len(numbers) > 1 else f"only {numbers[0]}")
    if field.exclude:
        parts.append("not " + ", ".join(shown(field, value) for value in field.exclude))
    if field.mask is not None:
        parts.append(f"bits 0x{field.mask:X}")
    if field.nonzero:
        parts.append("not 0")
    if field.finite:
        parts.append("finite")
    return ", ".join(parts)


def anchor(name):
    """GitHub's anchor of a heading."""
    return "".join(char for char in name.lower().replace(" ", "-") if char.isalnum() or char in "-_")


def link(name, heading=None):
    return f"[{name}](#{anchor(heading or name)})"


def struct_heading(struct):
    return f"Struct {struct.name}"


def kind(field):
    if field.type == "struct":
        name = link(field.struct.name, struct_heading(field.struct))
    elif field.type == "list":
        item = link(field.struct.name, struct_heading(field.struct)) if field.struct else field.item
        return f"list of {item}, count {field.count_type}"
    else:
        name = field.type
    return f"{name} × {field.count}" if field.count else name


def size(owner):
    return bounds(owner.min_size, owner.max_size)


def lane(packet):
    return packet.lane + (f", {packet.delivery}" if packet.delivery else "")


def fields_table(owner, first_rows=()):
    lines = ["", "| offset | field | type | accepted | meaning |", "|---|---|---|---|---|", *first_rows]
    for field in owner.fields:
        offset = "varies" if field.offset is None else field.offset
        lines.append(f"| {offset} | {field.name} | {kind(field)} | {escaped(accepted(field))} | {escaped(field.doc)} |")
    return lines


def rules_list(owner):
    if not owner.rules:
        return []
    lines = ["", "Rules:", ""]
    for rule in owner.rules:
        lines.append(f"- {escaped(rule.says)}.")
        lines += rule_table(rule)
    return lines


def rule_table(rule):
    """The constants that a rule's words speak of, by index."""
    if not rule.tables:
        return []
    names = list(rule.tables)
    rows = zip(*rule.tables.values())
    return (
        ["", f"  | i | {' | '.join(names)} |", f"  |---|{'---|' * len(names)}"]
        + [f"  | {i} | {' | '.join(f'{number:.12g}' for number in row)} |" for i, row in enumerate(rows)]
        + [""]
    )


def struct_section(struct):
    lines = ["", f"### {struct_heading(struct)}", ""]
    lines.append(f"{escaped(struct.doc)} {size(struct)} bytes, part of a packet; offsets are its own.".strip())
    return lines + fields_table(struct) + rules_list(struct)


def packet_section(packet, examples):
    lines = ["", f"### {packet.name}", ""]
    origin = "the published page's layout" if packet.source == "published" else "a layout of this project"
    lines.append(f"`0x{packet.id:02X}`, {packet.direction.upper()}, {lane(packet)}, {size(packet)} bytes, {origin}.")
    if packet.doc:
        lines += ["", escaped(packet.doc)]
    lines += fields_table(packet, [f"| 0 | | u8 | only 0x{packet.id:02X} | packet id |"])
    lines += rules_list(packet)
    names = [name for name, owner, _ in examples.rows if owner == packet.name]
    if names:
        fixtures = ", ".join(f"[{name}](../fixtures/protocol/{name}.bin)" for name in names)
        lines += ["", f"Fixtures: {fixtures}"]
    return lines


def ids_table(schema):
    lines = ["", "## Ids", "", "| id | packet | direction | lane | delivery | bytes | page |", "|---|---|---|---|---|---|---|"]
    for packet in schema.packets:
        lines.append(
            f"| 0x{packet.id:02X} | {link(packet.name)} | {packet.direction.upper()} | {packet.lane} | "
            f"{packet.delivery or ''} | {size(packet)} | {link(packet.title)} |"
        )
    return lines


def docs(schema, examples):
    pages = list(dict.fromkeys(packet.page for packet in schema.packets))  # in the order of their first ids
    titles = {packet.page: packet.title for packet in schema.packets}
    tokenless = [link(packet.name) for packet in schema.packets if packet.direction == "c2s" and packet.token is None]
    intro = INTRO.format(
        count=len(schema.packets),
        ids=len({packet.id for packet in schema.packets}),
        size_max=PACKET_SIZE_MAX,
        pages="".join(f", {link(titles[page])}" for page in pages),
        tokenless=" and ".join(tokenless),
        classes="\n".join(f"| {name} | {escaped(words)} |" for name, words in TEXT_CLASSES.items()),
    )
    lines = [intro.rstrip()] + ids_table(schema)
    for page in pages:
        lines += ["", f"## {titles[page]}"]
        for packet in schema.packets_of(page):
            lines += packet_section(packet, examples)
        for struct in sorted(schema.structs_of(page), key=lambda struct: struct.name):
            lines += struct_section(struct)
    return "\n".join(lines) + "\n"
