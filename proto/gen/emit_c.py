"""Writes the C codec of each page: structs, sizes, offsets, put, check, decode, encode and reflection."""

import re
import textwrap

from expression import Compiler, RuleError, literal
from schema import PREFIX, SCALARS

C_TYPES = {
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "i8": "int8_t", "i16": "int16_t",
    "i32": "int32_t", "i64": "int64_t", "f32": "float",
}  # fmt: skip
WIDTH = 110


def comment(text):
    """A comment of any length, wrapped."""
    lines = textwrap.wrap(text, WIDTH - 6)
    return ["/* " + "\n * ".join(lines) + " */"] if lines else []


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def strings(text):
    """A long text as adjacent string literals."""
    lines = textwrap.wrap(text, WIDTH - 12)
    return [quoted(line + " ") for line in lines[:-1]] + [quoted(lines[-1])]


def pieces(line):
    """A line cut behind the places where C may be broken: a comma, and before && || ? and :, outside of strings."""
    out, start, quoted_now = [], 0, False
    for at, char in enumerate(line):
        if char == '"' and line[at - 1] != "\\":
            quoted_now = not quoted_now
        elif quoted_now:
            continue
        elif char == "," and line[at + 1 : at + 2] == " ":
            out.append(line[start : at + 1])
            start = at + 2
        elif char == " " and re.match(r" (&&|\|\||\?|:) ", line[at:]):
            out.append(line[start:at])
            start = at + 1
    return out + [line[start:]]


def folded(line, hang=4):
    """A line of C, broken to WIDTH; the rest hangs in by `hang`."""
    if len(line) <= WIDTH or line.lstrip().startswith(("/*", "* ", "#")):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    lines = []
    for piece in pieces(line):
        if lines and len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += " " + piece
        else:
            lines.append((indent + " " * hang if lines else "") + piece)
    return lines


class Page:
    """The two files of one page."""

    def __init__(self, schema, page):
        self.schema, self.page = schema, page
        self.structs = schema.structs_of(page)
        self.packets = schema.packets_of(page)
        self.errors = []

    # -------------------------------------------------------------------------------------------------------- header

    def header(self):
        title = self.packets[0].title
        guard = f"DLMP_GEN_WIRE_{self.page.upper()}_H"
        lines = [
            f"/* Generated from proto/schema/{self.page}.toml. Do not edit.",
            " *",
            f" * The packets of the page \"{title}\"; proto/wire.h tells what the functions do. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            '#include "proto/wire.h"',
        ]
        lines += [f'#include "gen/wire_{page}.h"' for page in self._other_pages()]
        for owner in self.structs + self.packets:
            lines += [""] + self._declaration(owner)
        return "\n".join(piece for line in lines + ["", "#endif", ""] for piece in folded(line))

    def _other_pages(self):
        used = {field.struct.page for packet in self.packets for field in packet.fields if field.struct}
        return sorted(used - {self.page})

    def _declaration(self, owner):
        is_packet = owner in self.packets
        name = f"wire_{owner.c}"
        about = f"{owner.name} (0x{owner.id:02X})." if is_packet else f"{owner.name}."
        lines = comment(f"{about} {owner.doc}".strip())
        lines += [f"struct {name} {{"]
        for field in owner.fields:
            lines += self._member(field)
        lines += ["};", "", "enum {"] + self._sizes(owner) + ["};", ""]
        if is_packet:
            lines += [
                f"bool {name}_decode(struct {name} *out, const uint8_t *data, size_t size, struct wire_error *error);",
                f"size_t {name}_encode(const struct {name} *in, uint8_t *buffer, size_t room, struct wire_error *error);",
                f"bool {name}_check(const struct {name} *in, struct wire_error *error);",
                f"size_t {name}_put(const struct {name} *in, uint8_t *buffer, size_t room);",
            ]
        else:
            source, sink = ("const uint8_t *at", "uint8_t *at") if owner.fixed else ("struct reader *in", "struct writer *out")
            reads = f"void {name}_get(struct {name} *out, {source});" if owner.fixed else f"void {name}_read(struct {name} *into, {source});"
            writes = f"void {name}_put(const struct {name} *in, {sink});" if owner.fixed else f"void {name}_write(const struct {name} *from, {sink});"
            lines += [reads, writes, f"bool {name}_check(const struct {name} *in, struct wire_error *error);"]
        kind, suffix = ("packet", "packet") if is_packet else ("struct", "layout")
        return lines + [f"extern const struct wire_{kind} {name}_{suffix};"]

    def _member(self, field):
        about = comment(field.doc)
        if field.type == "list":
            item = f"struct wire_{field.struct.c}" if field.struct else C_TYPES[field.item]
            members = [f"uint16_t {field.name}_count;", f"{item} {field.name}[{field.max}];"]
        elif field.is_span:
            members = [f"struct span {field.name};"]
        else:
            kind = f"struct wire_{field.struct.c}" if field.struct else C_TYPES[field.type]
            array = f"[{field.count}]" if field.count else ""
            members = [f"{kind} {field.name}{array};"]
        if about and len(members) == 1 and len(about[0]) + len(members[0]) + 6 <= WIDTH and "\n" not in about[0]:
            return [f"    {members[0]} {about[0]}"]
        return [f"    {line}" for text in about + members for line in text.split("\n")]

    def _sizes(self, owner):
        """Sizes, and where each field stands whose place is fixed."""
        upper = f"WIRE_{owner.c.upper()}"
        if owner.fixed:
            lines = [f"    {upper}_SIZE = {owner.min_size},"]
        else:
            lines = [f"    {upper}_SIZE_MIN = {owner.min_size},", f"    {upper}_SIZE_MAX = {owner.max_size},"]
        return lines + [
            f"    {upper}_{field.name.upper()}_AT = {field.offset}," for field in owner.fields if field.offset is not None
        ]

    # -------------------------------------------------------------------------------------------------------- source

    def source(self):
        lines = [
            f"/* Generated from proto/schema/{self.page}.toml. Do not edit. */",
            f'#include "gen/wire_{self.page}.h"',
            "",
            "#include <assert.h>",
            "#include <math.h>",
            "",
            '#include "common/text.h"',
            '#include "gen/wire.h"',
        ]
        for owner in self.structs + self.packets:
            lines += [""] + self._reflection(owner)
            lines += self._rules(owner)
            if owner in self.packets:
                for part in (self._check, self._decode, self._put, self._encode, self._packet):
                    lines += [""] + part(owner)
            else:
                lines += [""] + self._struct_get(owner) + [""] + self._struct_put(owner) + [""] + self._check(owner)
        return "\n".join(piece for text in lines for line in text.split("\n") for piece in folded(line)) + "\n"

    # ---- reflection

    def _reflection(self, owner):
        lines = []
        for field in owner.fields:
            for key in ("values", "exclude"):
                numbers = getattr(field, key)
                if numbers:
                    joined = ", ".join(str(number) for number in numbers)
                    lines.append(f"static const int64_t {owner.c}_{field.name}_{key}[] = {{ {joined} }};")
        lines += [f"static const struct wire_field {owner.c}_fields[] = {{"]
        for field in owner.fields:
            lines += self._reflect_field(owner, field)
        lines += ["};"]
        if owner.rules:
            lines += [f"static const struct wire_rule {owner.c}_rules[] = {{"]
            for rule in owner.rules:
                lines += [f"    {{ {quoted(rule.name)},"] + [f"      {line}" for line in strings(rule.says)]
                lines[-1] += ","
                lines += [f"      {quoted(rule.field)} }},"]
            lines += ["};"]
        if owner in self.structs:
            lines += [f"const struct wire_struct wire_{owner.c}_layout = {layout(owner)};"]
        else:
            lines += [f"static const struct wire_struct {owner.c}_layout = {layout(owner)};"]
        return lines

    def _reflect_field(self, owner, field):
        name = f"struct wire_{owner.c}"
        parts = [f".name = {quoted(field.name)}", f".doc = {quoted(field.doc)}", f".type = WIRE_{field.type.upper()}"]
        if field.item:
            parts.append(f".item = WIRE_{field.item.upper()}")
        if field.type == "list" and field.struct:
            parts.append(".item = WIRE_STRUCT")
        if field.struct:
            parts.append(f".of = &wire_{field.struct.c}_layout")
        if field.count:
            parts.append(f".count = {field.count}")
        parts.append(f".offset = offsetof({name}, {field.name})")
        if field.type == "list":
            parts.append(f".count_offset = offsetof({name}, {field.name}_count)")
        element = f"(({name} *)0)->{field.name}" + ("[0]" if field.count or field.type == "list" else "")
        parts.append(f".stride = sizeof {element}")
        parts.append(f".wire_offset = {'WIRE_VARIES' if field.offset is None else field.offset}")
        prefix = PREFIX[field.type][0] if field.is_span else field.count_type
        if prefix:
            parts.append(f".prefix = {SCALARS[prefix][0]}")
        rules = [
            flag
            for flag, has in (
                ("WIRE_HAS_MIN", field.min is not None), ("WIRE_HAS_MAX", field.max is not None),
                ("WIRE_HAS_MASK", field.mask is not None), ("WIRE_FINITE", field.finite), ("WIRE_NONZERO", field.nonzero),
            )
            if has
        ]  # fmt: skip
        if rules:
            parts.append(f".rules = {' | '.join(rules)}")
        for key in ("min", "max"):
            if getattr(field, key) is not None:
                parts.append(f".{key} = {literal(field, getattr(field, key)) if field.type in SCALARS else getattr(field, key)}")
        if field.mask is not None:
            parts.append(f".mask = UINT64_C(0x{field.mask:X})")
        for key in ("values", "exclude"):
            if getattr(field, key):
                parts.append(f".{key} = {owner.c}_{field.name}_{key}")
                parts.append(f".{key}_count = {len(getattr(field, key))}")
        if field.text:
            parts.append(f".text = WIRE_TEXT_{field.text.upper()}")
        return folded("    { " + ", ".join(parts) + " },", 2)

    # ---- rules

    def _rules(self, owner):
        lines = []
        for rule in owner.rules:
            try:
                body = Compiler(owner, rule).body()
            except RuleError as error:
                self.errors.append(f"{self.page}.toml: {owner.name}: {rule.name}: {error}")
                continue
            lines += [""] + comment(rule.says)
            lines += [f"static bool {owner.c}_{rule.name}(const struct wire_{owner.c} *in)", "{"]
            lines += [f"    {line}" if line else "" for line in body] + ["}"]
        return lines

    def _check(self, owner):
        lines = [f"bool wire_{owner.c}_check(const struct wire_{owner.c} *in, struct wire_error *error)", "{"]
        checks = []
        for number, field in enumerate(owner.fields):
            checks += self._check_field(owner, number, field)
        for number, rule in enumerate(owner.rules):
            checks += [
                f"    if (!{owner.c}_{rule.name}(in))",
                f"        return wire_refuse_rule(error, &{self._layout(owner)}, {number});",
            ]
        if not checks:
            checks = ["    (void)in;", "    (void)error;"]
        return lines + checks + ["    return true;", "}"]

    def _layout(self, owner):
        return f"wire_{owner.c}_layout" if owner in self.structs else f"{owner.c}_layout"

    def _check_field(self, owner, number, field):
        reflected = f"&{owner.c}_fields[{number}]"
        if field.type == "list":
            return self._check_list(field, reflected)
        loop = field.count is not None
        value = f"in->{field.name}" + ("[i]" if loop else "")
        index = "(int)i" if loop else "-1"
        if field.struct:
            tests = [(f"!wire_{field.struct.c}_check(&{value}, error)", None)]
        elif field.is_span:
            tests = self._span_tests(field, value)
        else:
            tests = self._scalar_tests(field, value)
        lines = []
        for test, why in tests:
            refuse = f"wire_refuse(error, {why}, {reflected}, {index})" if why else f"wire_refuse_within(error, {reflected}, {index})"
            lines += [f"if ({test})", f"    return {refuse};"]
        if lines and loop:
            lines = [f"for (size_t i = 0; i < {field.count}; i++) {{"] + [f"    {line}" for line in lines] + ["}"]
        return [f"    {line}" for line in lines]

    def _check_list(self, field, reflected):
        count = f"in->{field.name}_count"
        bounds = [f"{count} < {field.min}"] if field.min else []
        bounds += [f"{count} > {field.max}"]
        lines = [f"    if ({' || '.join(bounds)})", f"        return wire_refuse(error, WIRE_RANGE, {reflected}, -1);"]
        if field.struct:
            lines += [
                f"    for (size_t i = 0; i < {count}; i++) {{",
                f"        if (!wire_{field.struct.c}_check(&in->{field.name}[i], error))",
                f"            return wire_refuse_within(error, {reflected}, (int)i);",
                "    }",
            ]
        return lines

    @staticmethod
    def _span_tests(field, value):
        least = f"{value}.size < {field.min} || " if field.min else ""
        tests = [(f"{least}{value}.size > {field.max}", "WIRE_RANGE")]
        if field.is_text:
            tests.append((f"!text_is_{field.text or 'utf8'}({value})", "WIRE_TEXT"))
        return tests

    @staticmethod
    def _scalar_tests(field, value):
        tests = []
        if field.finite:
            tests.append((f"!wire_is_finite({value})", "WIRE_NOT_FINITE"))
        if field.nonzero:
            tests.append((f"{value} == {'0.0f' if field.type == 'f32' else '0'}", "WIRE_VALUE"))
        bounds = []
        if field.min is not None and not (field.type.startswith("u") and field.min == 0):
            bounds.append(f"{value} < {literal(field, field.min)}")
        if field.max is not None:
            bounds.append(f"{value} > {literal(field, field.max)}")
        if bounds:
            tests.append((" || ".join(bounds), "WIRE_RANGE"))
        if field.mask is not None:
            tests.append((f"({value} & ~UINT64_C(0x{field.mask:X})) != 0", "WIRE_BITS"))
        for numbers, joiner, operator in ((field.values, " && ", "!="), (field.exclude, " || ", "==")):
            if numbers:
                tests.append((joiner.join(f"{value} {operator} {literal(field, number)}" for number in numbers), "WIRE_VALUE"))
        return tests

    # ---- decode

    def _get(self, field, at):
        """Reads a field of fixed size from bytes that are known to be there; `at` is a C expression without the offset."""
        if field.count:
            size = field.sizes()[0] // field.count
            inner = self._get_one(field, f"out->{field.name}[i]", f"{at} + {field.offset} + {size} * i")
            return [f"    for (size_t i = 0; i < {field.count}; i++)", f"        {inner}"]
        return [f"    {self._get_one(field, f'out->{field.name}', f'{at} + {field.offset}')}"]

    @staticmethod
    def _get_one(field, target, at):
        if field.struct:
            return f"wire_{field.struct.c}_get(&{target}, {at});"
        return f"{target} = load_{field.type}({at});"

    def _struct_get(self, owner):
        if owner.fixed:
            lines = [f"void wire_{owner.c}_get(struct wire_{owner.c} *out, const uint8_t *at)", "{"]
            for field in owner.fields:
                lines += self._get(field, "at")
            return lines + ["}"]
        lines = [f"void wire_{owner.c}_read(struct wire_{owner.c} *into, struct reader *in)", "{"]
        for field in owner.fields:
            lines += self._read(field, "into")
        return lines + ["}"]

    def _read(self, field, out):
        """Reads a field through a reader."""
        target = f"{out}->{field.name}"
        if field.is_span:
            return [f"    {target} = read_span({'&' if out == 'out' else ''}in, read_{PREFIX[field.type][0]}({'&' if out == 'out' else ''}in));"]
        reader = "&in" if out == "out" else "in"
        if field.struct:
            raise AssertionError("structs are read by the packet")
        if field.count:
            return [f"    for (size_t i = 0; i < {field.count}; i++)", f"        {target}[i] = read_{field.type}({reader});"]
        return [f"    {target} = read_{field.type}({reader});"]

    def _decode(self, packet):
        name = f"wire_{packet.c}"
        upper = name.upper()
        lines = [f"bool {name}_decode(struct {name} *out, const uint8_t *data, size_t size, struct wire_error *error)", "{"]
        if packet.fixed:
            lines += [
                f"    if (size != {upper}_SIZE)",
                f"        return wire_refuse(error, size < {upper}_SIZE ? WIRE_SHORT : WIRE_LONG, NULL, -1);",
            ]
        else:
            # Not SIZE_MIN: an empty text that must not be empty is refused as that, and not as too short a packet.
            varying = next(field for field in packet.fields if field.sizes()[0] != field.sizes()[1])
            lines += [
                "    struct reader in;",
                "",
                f"    if (size < {upper}_{varying.name.upper()}_AT)",
                "        return wire_refuse(error, WIRE_SHORT, NULL, -1);",
            ]
        lines += [f"    if (data[0] != PACKET_{self._id_name(packet)})", "        return wire_refuse(error, WIRE_UNKNOWN, NULL, -1);"]
        fixed = 0
        for field in packet.fields:
            low, high = field.sizes()
            if field.offset is None or low != high:
                break
            lines += self._get(field, "data")
            fixed += 1
        if fixed < len(packet.fields):
            start = packet.fields[fixed].offset
            lines += [f"    reader_init(&in, data + {start}, size - {start});"]
            for number in range(fixed, len(packet.fields)):
                lines += self._read_field(packet, number)
            lines += [
                "    if (in.bad)",
                "        return wire_refuse(error, WIRE_SHORT, NULL, -1);",
                "    if (!read_end(&in))",
                "        return wire_refuse(error, WIRE_LONG, NULL, -1);",
            ]
        return lines + [f"    return {name}_check(out, error);", "}"]

    def _read_field(self, packet, number):
        field = packet.fields[number]
        if field.type == "list":
            return self._read_list(packet, number, field)
        if not field.struct:
            return self._read(field, "out")
        target = f"out->{field.name}[i]" if field.count else f"out->{field.name}"
        lines = self._read_struct(field.struct, target)
        if field.count:
            lines = [f"for (size_t i = 0; i < {field.count}; i++) {{"] + [f"    {line}" for line in lines] + ["}"]
        return [f"    {line}" for line in lines]

    def _read_list(self, packet, number, field):
        """The count is judged before the items are read: there is room for no more."""
        count = f"out->{field.name}_count"
        lines = [
            f"    {count} = read_{field.count_type}(&in);",
            f"    if ({count} > {field.max})",
            f"        return wire_refuse(error, WIRE_RANGE, &{packet.c}_fields[{number}], -1);",
            f"    for (size_t i = 0; i < {count}; i++) {{",
        ]
        if field.struct:
            lines += [f"        {line}" for line in self._read_struct(field.struct, f"out->{field.name}[i]")]
        else:
            lines += [f"        out->{field.name}[i] = read_{field.item}(&in);"]
        return lines + ["    }"]

    @staticmethod
    def _read_struct(struct, target):
        if not struct.fixed:
            return [f"wire_{struct.c}_read(&{target}, &in);"]
        return [
            f"const uint8_t *at = read_span(&in, WIRE_{struct.c.upper()}_SIZE).data;",
            "",
            "if (at == NULL)",
            "    return wire_refuse(error, WIRE_SHORT, NULL, -1);",
            f"wire_{struct.c}_get(&{target}, at);",
        ]

    def _id_name(self, packet):
        """Packets of one id share the index page's name for it."""
        row = next(row for row in self.schema.index if row["id"] == packet.id)
        return packet.c.upper() if row["direction"] != "both" else row["name"].replace(" ", "_").upper()

    # ---- encode

    def _store(self, field, at):
        if field.count:
            size = field.sizes()[0] // field.count
            inner = self._store_one(field, f"in->{field.name}[i]", f"{at} + {field.offset} + {size} * i")
            return [f"    for (size_t i = 0; i < {field.count}; i++)", f"        {inner}"]
        return [f"    {self._store_one(field, f'in->{field.name}', f'{at} + {field.offset}')}"]

    @staticmethod
    def _store_one(field, value, at):
        if field.struct:
            return f"wire_{field.struct.c}_put(&{value}, {at});"
        return f"store_{field.type}({at}, {value});"

    def _struct_put(self, owner):
        if owner.fixed:
            lines = [f"void wire_{owner.c}_put(const struct wire_{owner.c} *in, uint8_t *at)", "{"]
            for field in owner.fields:
                lines += self._store(field, "at")
            return lines + ["}"]
        lines = [f"void wire_{owner.c}_write(const struct wire_{owner.c} *from, struct writer *out)", "{"]
        for field in owner.fields:
            lines += self._write(field, "from", "out")
        return lines + ["}"]

    @staticmethod
    def _write(field, source, sink):
        value = f"{source}->{field.name}"
        if field.is_span:
            prefix, most = PREFIX[field.type]
            return [
                f"    assert({value}.size <= {most});",
                f"    write_{prefix}({sink}, ({C_TYPES[prefix]}){value}.size);",
                f"    write_span({sink}, {value});",
            ]
        if field.count:
            return [f"    for (size_t i = 0; i < {field.count}; i++)", f"        write_{field.type}({sink}, {value}[i]);"]
        return [f"    write_{field.type}({sink}, {value});"]

    def _put(self, packet):
        name = f"wire_{packet.c}"
        lines = [f"size_t {name}_put(const struct {name} *in, uint8_t *buffer, size_t room)", "{"]
        if packet.fixed:
            lines += [f"    if (room < {name.upper()}_SIZE)", "        return 0;", f"    buffer[0] = PACKET_{self._id_name(packet)};"]
            for field in packet.fields:
                lines += self._store(field, "buffer")
            return lines + [f"    return {name.upper()}_SIZE;", "}"]
        lines += ["    struct writer out;", "", "    writer_init(&out, buffer, room);", f"    write_u8(&out, PACKET_{self._id_name(packet)});"]
        for field in packet.fields:
            lines += self._write_field(field)
        return lines + ["    return writer_size(&out);", "}"]

    def _write_field(self, field):
        if field.type != "list" and not field.struct:
            return self._write(field, "in", "&out")
        value = f"in->{field.name}[i]" if field.count or field.type == "list" else f"in->{field.name}"
        if not field.struct:
            inner = [f"write_{field.item}(&out, {value});"]
        elif not field.struct.fixed:
            inner = [f"wire_{field.struct.c}_write(&{value}, &out);"]
        else:
            inner = [
                f"uint8_t *at = write_room(&out, WIRE_{field.struct.c.upper()}_SIZE);",
                "",
                "if (at != NULL)",
                f"    wire_{field.struct.c}_put(&{value}, at);",
            ]
        if field.type == "list":
            head = [f"assert(in->{field.name}_count <= {field.max});"]
            narrow = "(uint8_t)" if field.count_type == "u8" else ""
            head += [f"write_{field.count_type}(&out, {narrow}in->{field.name}_count);"]
            inner = head + [f"for (size_t i = 0; i < in->{field.name}_count; i++) {{"] + [f"    {line}" for line in inner] + ["}"]
        elif field.count:
            inner = [f"for (size_t i = 0; i < {field.count}; i++) {{"] + [f"    {line}" for line in inner] + ["}"]
        else:
            inner = ["{"] + [f"    {line}" for line in inner] + ["}"]
        return [f"    {line}" for line in inner]

    @staticmethod
    def _encode(packet):
        name = f"wire_{packet.c}"
        return [
            f"size_t {name}_encode(const struct {name} *in, uint8_t *buffer, size_t room, struct wire_error *error)",
            "{",
            "    size_t size;",
            "",
            f"    if (!{name}_check(in, error))",
            "        return 0;",
            f"    size = {name}_put(in, buffer, room);",
            "    if (size == 0)",
            "        (void)wire_refuse(error, WIRE_NO_ROOM, NULL, -1);",
            "    return size;",
            "}",
        ]

    def _packet(self, packet):
        """The packet's row of the table, with functions that forget the struct's type."""
        name = f"wire_{packet.c}"
        index = self.schema.packets.index(packet)
        delivery = f"WIRE_{packet.delivery.upper()}" if packet.delivery else "WIRE_DELIVERY_NONE"
        return [
            f"static bool {packet.c}_decode(void *out, const uint8_t *data, size_t size, struct wire_error *error)",
            "{",
            f"    return {name}_decode(out, data, size, error);",
            "}",
            "",
            f"static size_t {packet.c}_encode(const void *in, uint8_t *buffer, size_t room, struct wire_error *error)",
            "{",
            f"    return {name}_encode(in, buffer, room, error);",
            "}",
            "",
            f"static bool {packet.c}_check(const void *in, struct wire_error *error)",
            "{",
            f"    return {name}_check(in, error);",
            "}",
            "",
            f"static size_t {packet.c}_put(const void *in, uint8_t *buffer, size_t room)",
            "{",
            f"    return {name}_put(in, buffer, room);",
            "}",
            "",
            f"const struct wire_packet {name}_packet = {{",
            f"    .layout = &{packet.c}_layout,",
            f"    .id = PACKET_{self._id_name(packet)},",
            f"    .index = {index},",
            f"    .direction = WIRE_{packet.direction.upper()},",
            f"    .lane = WIRE_{packet.lane.upper()},",
            f"    .delivery = {delivery},",
            f"    .event_id_at = {packet.event_id.offset if packet.event_id else 0},",
            f"    .has_token = {'true' if packet.token else 'false'},",
            f"    .published = {'true' if packet.source == 'published' else 'false'},",
            f"    .page = {quoted(packet.title)},",
            f"    .doc = {quoted(packet.doc)},",
            f"    .decode = {packet.c}_decode,",
            f"    .encode = {packet.c}_encode,",
            f"    .check = {packet.c}_check,",
            f"    .put = {packet.c}_put,",
            "};",
        ]


def layout(owner):
    """The initializer of a struct wire_struct."""
    rules = f"{owner.c}_rules, " if owner.rules else "NULL, "
    return (
        f"{{ {quoted(owner.name)}, {owner.c}_fields, {rules}{len(owner.fields)}, {len(owner.rules)}, "
        f"{owner.min_size}, {owner.max_size}, sizeof(struct wire_{owner.c}) }}"
    )
