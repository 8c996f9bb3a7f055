"""The packet schema: reads proto/schema/*.toml, checks it, and hands out packets, structs and rules.

Every fault is reported as `file: packet: field: what is wrong`, all of them at once. proto/schema/README.md describes
the format; nothing here knows what is generated from it.
"""

import dataclasses
import math
import pathlib
import re
import struct as binary
import tomllib

PACKET_SIZE_MAX = 1200
NONE = 0xFFFFFFFF

SCALARS = {  # name: (bytes, least value, greatest value)
    "u8": (1, 0, 2**8 - 1),
    "u16": (2, 0, 2**16 - 1),
    "u32": (4, 0, 2**32 - 1),
    "u64": (8, 0, 2**64 - 1),
    "i8": (1, -(2**7), 2**7 - 1),
    "i16": (2, -(2**15), 2**15 - 1),
    "i32": (4, -(2**31), 2**31 - 1),
    "i64": (8, -(2**63), 2**63 - 1),
    "f32": (4, -math.inf, math.inf),
}
PREFIX = {"str8": ("u8", 255), "str16": ("u16", 65535), "bytes16": ("u16", 65535)}
TEXT_CLASSES = {
    "plain": "no control characters",
    "line": "one line: no character below U+0020, no U+007F",
    "block": "lines: no control character but LF and TAB",
    "data": "no control character but LF, TAB and CR",
    "identifier": "a-z, 0-9 and _, the first a letter",
    "resource": "a-z, 0-9, _ and -, the first a letter",
    "path": "components of A-Z a-z 0-9 . _ - separated by single /, none of them . or ..",
    "url": "empty, or printable ASCII that starts with http:// or https://",
}

FILE_KEYS = {"packet", "struct", "rules"}
PACKET_KEYS = {"name", "id", "direction", "lane", "delivery", "size", "min_size", "max_size", "source", "doc", "rules", "fields"}
STRUCT_KEYS = {"name", "size", "min_size", "max_size", "doc", "rules", "fields"}
FIELD_KEYS = {
    "name", "type", "count", "doc", "min", "max", "values", "exclude", "mask", "finite", "nonzero", "text", "count_type", "item",
}  # fmt: skip
RULE_KEYS = {"says", "field", "holds"}
ID_KEYS = {"id", "name", "direction", "page"}

C_KEYWORDS = set(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while in out bool true "
    "false NULL".split()
)


def f32(value):
    """The nearest f32 to a number, as a Python float."""
    return binary.unpack("<f", binary.pack("<f", value))[0]


def snake(name):
    """VehicleEnter → vehicle_enter, Label3D → label_3d."""
    name = re.sub(r"([a-z])([A-Z0-9])", r"\1_\2", name)
    name = re.sub(r"([A-Z0-9])([A-Z][a-z])", r"\1_\2", name)
    return name.lower()


@dataclasses.dataclass
class Field:
    name: str
    type: str  # a scalar, str8, str16, bytes16, list, or "struct"
    doc: str = ""
    count: int | None = None  # elements of a fixed array
    struct: "Struct | None" = None  # of a struct field, or of a list's items
    item: str | None = None  # scalar type of a list's items
    count_type: str | None = None
    min: float | int | None = None
    max: float | int | None = None
    values: list | None = None
    exclude: list | None = None
    mask: int | None = None
    finite: bool = False
    nonzero: bool = False
    text: str | None = None
    offset: int | None = None  # on the wire, from the packet id (or the struct's start); None: it varies

    @property
    def is_text(self):
        return self.type in ("str8", "str16")

    @property
    def is_span(self):
        return self.type in PREFIX

    def sizes(self):
        """Least and greatest number of bytes on the wire."""
        if self.type == "struct":
            least, most = self.struct.min_size, self.struct.max_size
        elif self.type in PREFIX:
            prefix = SCALARS[PREFIX[self.type][0]][0]
            return prefix + (self.min or 0), prefix + self.max
        elif self.type == "list":
            prefix = SCALARS[self.count_type][0]
            if self.struct:
                least, most = self.struct.min_size, self.struct.max_size
            else:
                least = most = SCALARS[self.item][0]
            return prefix + (self.min or 0) * least, prefix + self.max * most
        else:
            least = most = SCALARS[self.type][0]
        times = self.count or 1
        return least * times, most * times


@dataclasses.dataclass
class Rule:
    name: str
    says: str
    field: str
    holds: str
    tables: dict  # constant lists that the expression may index


@dataclasses.dataclass
class Struct:
    name: str
    page: str
    fields: list
    rules: list
    min_size: int
    max_size: int
    doc: str = ""

    @property
    def c(self):
        return snake(self.name)

    @property
    def fixed(self):
        return self.min_size == self.max_size

    def field(self, name):
        return next((field for field in self.fields if field.name == name), None)


@dataclasses.dataclass
class Packet(Struct):
    id: int = 0
    direction: str = ""
    lane: str = ""
    delivery: str | None = None
    source: str = ""
    title: str = ""  # the page's title, of the index

    @property
    def token(self):
        """The session token of a C→S packet: its first field, None for the packets that have none."""
        first = self.fields[0] if self.fields else None
        return first if self.direction == "c2s" and first and first.name in ("token", "session_token") else None

    @property
    def event_id(self):
        return self.field("event_id")


class Schema:
    """All pages. `errors` is empty when the schema may be generated from."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.errors = []
        self.pages = []  # file stems, sorted
        self.packets = []
        self.structs = []
        self.index = []  # the id table's rows
        self._load()

    def packet(self, name):
        return next((packet for packet in self.packets if packet.name == name), None)

    def structs_of(self, page):
        return [struct for struct in self.structs if struct.page == page]

    def packets_of(self, page):
        return [packet for packet in self.packets if packet.page == page]

    # ------------------------------------------------------------------------------------------------------- reading

    def _error(self, *where):
        self.errors.append(": ".join(str(part) for part in where if part))

    def _load(self):
        documents = {}
        for path in sorted(self.folder.glob("*.toml")):
            try:
                documents[path.stem] = tomllib.loads(path.read_text(encoding="utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                self._error(path.name, error)
        index = documents.pop("index", None)
        if index is None:
            self._error("index.toml", "not there: it holds the table of packet ids")
        if self.errors:
            return
        self.pages = sorted(documents)
        for page, document in documents.items():
            self._unknown_keys(f"{page}.toml", document, FILE_KEYS)
        for page, document in documents.items():
            for raw in document.get("struct", []):
                self._read_struct(page, raw, document.get("rules", {}))
        for page, document in documents.items():
            for raw in document.get("packet", []):
                self._read_packet(page, raw, document.get("rules", {}))
            self._unused_rules(page, document)
        self._read_index(index)
        self.packets.sort(key=lambda packet: (packet.id, packet.direction, self._kind(packet) or 0))

    def _unknown_keys(self, where, raw, known):
        for key in raw:
            if key not in known:
                self._error(where, f"unknown key {key!r}, expected one of {', '.join(sorted(known))}")

    def _read_struct(self, page, raw, rules):
        where = f"{page}.toml: {raw.get('name', 'a struct without a name')}"
        self._unknown_keys(where, raw, STRUCT_KEYS)
        fields = self._read_fields(where, raw, inside_struct=True)
        if any(struct.name == raw.get("name") for struct in self.structs):
            self._error(where, "a struct of this name is there already")
        struct = Struct(
            name=raw.get("name", ""), page=page, fields=fields, rules=[], doc=raw.get("doc", ""), **self._sizes(where, raw, fields, 0)
        )
        self._place(struct.fields, 0)
        self._read_rules(where, raw, rules, struct)
        self.structs.append(struct)

    def _read_packet(self, page, raw, rules):
        where = f"{page}.toml: {raw.get('name', 'a packet without a name')}"
        self._unknown_keys(where, raw, PACKET_KEYS)
        for key, allowed in (("direction", ("c2s", "s2c")), ("lane", ("reliable", "unreliable")), ("source", ("published", "profile"))):
            if raw.get(key) not in allowed:
                self._error(where, f"{key} is {raw.get(key)!r}, expected one of {', '.join(allowed)}")
        if not isinstance(raw.get("id"), int) or not 0 < raw["id"] <= 255:
            self._error(where, f"id is {raw.get('id')!r}, expected 0x01..=0xFF")
        fields = self._read_fields(where, raw, inside_struct=False)
        if any(packet.name == raw.get("name") for packet in self.packets):
            self._error(where, "a packet of this name is there already")
        packet = Packet(
            name=raw.get("name", ""), page=page, fields=fields, rules=[], doc=raw.get("doc", ""), id=raw.get("id", 0),
            direction=raw.get("direction", ""), lane=raw.get("lane", ""), delivery=raw.get("delivery"), source=raw.get("source", ""),
            **self._sizes(where, raw, fields, 1),
        )  # fmt: skip
        self._place(packet.fields, 1)
        self._check_envelope(where, packet)
        self._read_rules(where, raw, rules, packet)
        self.packets.append(packet)

    def _check_envelope(self, where, packet):
        """The lane, the token and the size: what every packet owes the gateway."""
        reliable, event_id = packet.lane == "reliable", packet.event_id
        if reliable and event_id is None:
            self._error(where, "event_id", "missing: a packet of the reliable lane carries it")
        if not reliable and event_id is not None:
            self._error(where, "event_id", "a packet that carries it is on the reliable lane")
        if event_id is not None and (event_id.type != "u32" or event_id.offset is None):
            self._error(where, "event_id", "must be a u32 at a fixed place")
        needs_delivery = reliable and packet.direction == "s2c"
        if needs_delivery and packet.delivery not in ("critical", "droppable"):
            self._error(where, f"delivery is {packet.delivery!r}, expected critical or droppable")
        if not needs_delivery and packet.delivery is not None:
            self._error(where, "delivery is only for reliable s2c packets")
        for field in packet.fields[1:]:
            if packet.direction == "c2s" and field.name in ("token", "session_token"):
                self._error(where, field.name, "the token is the first field of a packet")
        if packet.token is not None and packet.token.type != "u64":
            self._error(where, packet.token.name, "a session token is a u64")
        if packet.max_size > PACKET_SIZE_MAX:
            self._error(where, f"{packet.max_size} bytes, no packet is longer than {PACKET_SIZE_MAX}")

    def _sizes(self, where, raw, fields, header):
        """The declared sizes, compared with what the fields add up to."""
        least, most = header, header
        for field in fields:
            low, high = field.sizes()
            least, most = least + low, most + high
        if "size" in raw and ("min_size" in raw or "max_size" in raw):
            self._error(where, "has size as well as min_size or max_size")
        declared = (raw.get("min_size", raw.get("size")), raw.get("max_size", raw.get("size")))
        if declared != (least, most):
            total = f"{least}" if least == most else f"{least}..={most}"
            said = f"{declared[0]}" if declared[0] == declared[1] else f"{declared[0]}..={declared[1]}"
            self._error(where, f"the fields add up to {total} bytes, declared are {said}")
        return {"min_size": least, "max_size": most}

    def _place(self, fields, offset):
        for field in fields:
            field.offset = offset
            low, high = field.sizes()
            offset = offset + low if offset is not None and low == high else None

    # -------------------------------------------------------------------------------------------------------- fields

    def _read_fields(self, where, raw, inside_struct):
        fields = []
        for entry in raw.get("fields", []):
            field = self._read_field(where, entry, inside_struct)
            if any(other.name == field.name for other in fields):
                self._error(where, field.name, "a field of this name is there already")
            fields.append(field)
        return fields

    def _read_field(self, where, raw, inside_struct):
        name = raw.get("name", "")
        where = f"{where}: {name or 'a field without a name'}"
        self._unknown_keys(where, raw, FIELD_KEYS)
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in C_KEYWORDS:
            self._error(where, "a name is made of a-z, 0-9 and _, starts with a letter and is no word of C")
        field = Field(name=name, type="u8", **{key: raw[key] for key in raw.keys() & FIELD_KEYS - {"name", "type", "item"}})
        self._read_type(where, field, raw, inside_struct)
        if field.count is not None and (not isinstance(field.count, int) or field.count < 1 or field.is_span or field.type == "list"):
            self._error(where, "count is for an array of scalars or structs and at least 1")
            field.count = None
        self._check_values(where, field)
        return field

    def _read_type(self, where, field, raw, inside_struct):
        kind = raw.get("type")
        structs = {struct.name: struct for struct in self.structs}
        if kind in SCALARS:
            field.type = kind
        elif kind in PREFIX or kind == "list":
            field.type = kind
            most = PREFIX[kind][1] if kind in PREFIX else SCALARS.get(field.count_type, (0, 0, 0))[2]
            if not isinstance(field.max, int) or not 0 < field.max <= most:
                self._error(where, f"max is {field.max!r}, expected 1..={most}")
                field.max = 1
            if kind == "list":
                self._read_list(where, field, raw, structs, inside_struct)
        elif kind in structs:
            field.type, field.struct = "struct", structs[kind]
            if inside_struct:
                self._error(where, "a struct holds no struct of its own")
        else:
            self._error(where, f"unknown type {kind!r}")
        if kind != "list":
            for key in ("item", "count_type"):
                if key in raw:
                    self._error(where, f"{key} is only for a list")

    def _read_list(self, where, field, raw, structs, inside_struct):
        item = raw.get("item")
        if field.count_type not in ("u8", "u16"):
            self._error(where, f"count_type is {field.count_type!r}, expected u8 or u16")
            field.count_type = "u8"
        if item in structs:
            field.struct = structs[item]
            if inside_struct:
                self._error(where, "a struct holds no struct of its own")
        elif item in SCALARS:
            field.item = item
        else:
            self._error(where, f"item is {item!r}, expected a struct or a scalar")
            field.item = "u8"

    def _check_values(self, where, field):
        """The value rules: each for its types only, and each able to refuse something."""
        number = field.type in SCALARS
        sized = field.is_span or field.type == "list"
        integer = number and field.type != "f32"
        for key, fits in (
            ("min", number or sized), ("max", number or sized), ("values", integer), ("exclude", integer), ("mask", integer),
            ("finite", field.type == "f32"), ("nonzero", number), ("text", field.is_text),
        ):  # fmt: skip
            if getattr(field, key) not in (None, False) and not fits:
                self._error(where, f"{key} does not go with {field.type}")
        if field.text is not None and field.text not in TEXT_CLASSES:
            self._error(where, f"text is {field.text!r}, expected one of {', '.join(TEXT_CLASSES)}")
        if field.min is not None and field.max is not None and field.min > field.max:
            self._error(where, f"min {field.min} is above max {field.max}")
        if integer:
            self._check_integers(where, field)
        if field.type == "f32" and (field.min is not None or field.max is not None) and not field.finite:
            self._error(where, "a range on an f32 goes with finite = true")

    def _check_integers(self, where, field):
        _, least, most = SCALARS[field.type]
        numbers = [number for number in (field.min, field.max, field.mask) if number is not None]
        for number in numbers + (field.values or []) + (field.exclude or []):
            if not isinstance(number, int) or not least <= number <= most:
                self._error(where, f"{number!r} is not a {field.type}")
        if field.min == least or field.max == most or field.mask == most:
            self._error(where, "a bound or mask that refuses nothing")
        if field.values is not None and sorted(set(field.values)) != field.values:
            self._error(where, "values must be sorted, each once")

    # --------------------------------------------------------------------------------------------------------- rules

    def _read_rules(self, where, raw, rules, owner):
        for name in raw.get("rules", []):
            body = rules.get(name)
            if not isinstance(body, dict):
                self._error(where, f"rule {name!r} is not defined as a table [rules.{name}] in this file")
                continue
            missing = RULE_KEYS - body.keys()
            if missing:
                self._error(where, name, f"missing {', '.join(sorted(missing))}")
                continue
            tables = {key: value for key, value in body.items() if key not in RULE_KEYS}
            for key, table in tables.items():
                if not isinstance(table, list) or not all(isinstance(number, (int, float)) for number in table):
                    self._error(where, name, f"unknown key {key!r}: other keys are lists of numbers")
            if owner.field(body["field"]) is None:
                self._error(where, name, f"blames {body['field']!r}, which is no field here")
            owner.rules.append(Rule(name=name, says=body["says"], field=body["field"], holds=body["holds"], tables=tables))

    def _unused_rules(self, page, document):
        used = {name for raw in document.get("packet", []) + document.get("struct", []) for name in raw.get("rules", [])}
        for name in document.get("rules", {}):
            if name not in used:
                self._error(f"{page}.toml", f"rule {name!r} is used by no packet")

    # ----------------------------------------------------------------------------------------------------------- ids

    def _kind(self, packet):
        """The value of `kind` that tells packets of one id apart."""
        first = packet.fields[0] if packet.fields else None
        return first.values[0] if first and first.name == "kind" and first.values and len(first.values) == 1 else None

    def _read_index(self, document):
        self.index = document.get("id", [])
        self._unknown_keys("index.toml", document, {"id"})
        rows = {}
        for row in self.index:
            where = f"index.toml: {row.get('name', 'a row without a name')}"
            self._unknown_keys(where, row, ID_KEYS)
            if row.keys() != ID_KEYS:
                self._error(where, "a row has id, name, direction and page")
                continue
            if row["id"] in rows:
                self._error(where, f"id 0x{row['id']:02X} is {rows[row['id']]['name']}'s already")
            rows[row["id"]] = row
        by_key = {}
        for packet in self.packets:
            where = f"{packet.page}.toml: {packet.name}"
            row = rows.get(packet.id)
            if row is None:
                self._error(where, f"id 0x{packet.id:02X} is not in index.toml")
                continue
            packet.title = row["page"]
            if row["direction"] == "both":
                pass  # one id, several shapes: the kind tells them apart
            elif (row["name"], row["direction"]) != (packet.name, packet.direction):
                self._error(where, f"index.toml has 0x{packet.id:02X} as {row['name']} ({row['direction']})")
            other = by_key.setdefault((packet.id, packet.direction, self._kind(packet)), packet)
            if other is not packet:
                self._error(where, f"id 0x{packet.id:02X} is {other.name}'s already")
        for row in rows.values():
            if not any(packet.id == row["id"] for packet in self.packets):
                self._error(f"index.toml: {row['name']}", "no page defines this packet")
