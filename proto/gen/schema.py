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
F32_MAX = 2.0**128 - 2.0**104

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

NUMBER = (int, float)
FILE_KEYS = {"packet": [dict], "struct": [dict], "rules": dict}  # key: what its value is; [x] is a list of x
STRUCT_KEYS = {
    "name": str, "size": int, "min_size": int, "max_size": int, "doc": str, "rules": [str], "fields": [dict],
}  # fmt: skip
PACKET_KEYS = STRUCT_KEYS | {"id": int, "direction": str, "lane": str, "delivery": str, "source": str}
FIELD_KEYS = {
    "name": str, "type": str, "count": int, "doc": str, "min": NUMBER, "max": NUMBER, "values": [int], "exclude": [int],
    "mask": int, "finite": bool, "nonzero": bool, "text": str, "count_type": str, "item": str,
}  # fmt: skip
RULE_KEYS = {"says": str, "field": str, "holds": str}
ID_KEYS = {"id": int, "name": str, "direction": str, "page": str}
KIND_WORDS = {str: "a string of one line", int: "an integer", bool: "true or false", dict: "a table", NUMBER: "a finite number"}

RULE_WORDS = {"check", "decode", "encode", "put", "fields", "rules", "layout"}
C_KEYWORDS = set(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while in out bool true "
    "false NULL".split()
)


def f32(value):
    """The nearest f32 to a number, as a Python float."""
    return binary.unpack("<f", binary.pack("<f", value))[0]


def is_kind(value, kind):
    """Whether a value of the TOML file is what its key takes."""
    if isinstance(kind, list):
        return isinstance(value, list) and all(is_kind(item, kind[0]) for item in value)
    if kind is NUMBER:
        return type(value) in NUMBER and abs(value) < math.inf
    if kind is str:
        return isinstance(value, str) and all(char >= " " for char in value)
    return type(value) is kind


def kind_words(kind):
    return f"a list, each {KIND_WORDS[kind[0]]}" if isinstance(kind, list) else KIND_WORDS[kind]


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

    @property
    def kinds(self):
        """Least and greatest value of the `kind` that tells packets of one id apart; None for a packet without one."""
        first = self.fields[0] if self.fields else None
        if first is None or (first.name, first.type) != ("kind", "u8") or not (first.values or first.max is not None):
            return None
        return (first.values[0], first.values[-1]) if first.values else (first.min or 0, first.max)


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
        documents = {page: self._known(f"{page}.toml", document, FILE_KEYS) for page, document in documents.items()}
        for page, document in documents.items():
            for raw in document.get("struct", []):
                self._read_struct(page, raw, document.get("rules", {}))
        for page, document in documents.items():
            for raw in document.get("packet", []):
                self._read_packet(page, raw, document.get("rules", {}))
            self._unused_rules(page, document)
            if not document.get("packet"):
                self._error(f"{page}.toml", "has no packet")
        self._read_index(index)
        self.packets.sort(key=lambda packet: (packet.id, packet.direction, self._kind(packet) or 0))

    def _known(self, where, raw, keys):
        """The keys that are known and whose values are what they should be; the others are errors."""
        good = {}
        for key, value in raw.items():
            if key not in keys:
                self._error(where, f"unknown key {key!r}, expected one of {', '.join(sorted(keys))}")
            elif not is_kind(value, keys[key]):
                self._error(where, f"{key} is {value!r}, expected {kind_words(keys[key])}")
            elif isinstance(value, str) and "*/" in value:
                self._error(where, f"{key} has */, which would end a comment in C")
            else:
                good[key] = value
        return good

    def _check_name(self, where, name):
        """A name of a packet or struct: one of its kind, in C as well."""
        if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
            self._error(where, "a name is made of letters and digits and starts with a capital")
        for other in self.structs + self.packets:
            if other.c == snake(name):
                what = "packet" if isinstance(other, Packet) else "struct"
                self._error(where, f"the {what} {other.name} of {other.page}.toml has this name already")

    def _read_struct(self, page, raw, rules):
        where = f"{page}.toml: {raw.get('name', 'a struct without a name')}"
        raw = self._known(where, raw, STRUCT_KEYS)
        self._check_name(where, raw.get("name", ""))
        fields = self._read_fields(where, raw, inside_struct=True)
        struct = Struct(
            name=raw.get("name", ""), page=page, fields=fields, rules=[], doc=raw.get("doc", ""), **self._sizes(where, raw, fields, 0)
        )
        self._place(struct.fields, 0)
        self._read_rules(where, raw, rules, struct)
        self.structs.append(struct)

    def _read_packet(self, page, raw, rules):
        where = f"{page}.toml: {raw.get('name', 'a packet without a name')}"
        raw = self._known(where, raw, PACKET_KEYS)
        self._check_name(where, raw.get("name", ""))
        for key, allowed in (("direction", ("c2s", "s2c")), ("lane", ("reliable", "unreliable")), ("source", ("published", "profile"))):
            if raw.get(key) not in allowed:
                self._error(where, f"{key} is {raw.get(key)!r}, expected one of {', '.join(allowed)}")
        if not 0 < raw.get("id", 0) <= 255:
            self._error(where, f"id is {raw.get('id')!r}, expected 0x01..=0xFF")
        fields = self._read_fields(where, raw, inside_struct=False)
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
        has_token = any(field.name in ("token", "session_token") for field in packet.fields)
        if reliable and packet.direction == "c2s" and not has_token:
            self._error(where, "token", "missing: a reliable c2s packet starts with the session token")
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
            said = "no sizes" if None in declared else said
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
        for field in fields:
            if field.type == "list" and any(other.name == f"{field.name}_count" for other in fields):
                self._error(where, f"{field.name}_count", f"this name is taken by the number of items of {field.name}")
        return fields

    def _read_field(self, where, raw, inside_struct):
        where = f"{where}: {raw.get('name') or 'a field without a name'}"
        raw = self._known(where, raw, FIELD_KEYS)
        name = raw.get("name", "")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in C_KEYWORDS:
            self._error(where, "a name is made of a-z, 0-9 and _, starts with a letter and is no word of C")
        field = Field(name=name, type="u8", **{key: raw[key] for key in raw.keys() - {"name", "type", "item"}})
        self._read_type(where, field, raw, inside_struct)
        if field.count is not None and (field.count < 1 or field.is_span or field.type == "list"):
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
            if getattr(field, key) == []:
                self._error(where, f"{key} is empty")
        if field.text is not None and field.text not in TEXT_CLASSES:
            self._error(where, f"text is {field.text!r}, expected one of {', '.join(TEXT_CLASSES)}")
        if field.min is not None and field.max is not None and field.min > field.max:
            self._error(where, f"min {field.min} is above max {field.max}")
        if integer:
            self._check_integers(where, field)
        if sized and field.min is not None and (not isinstance(field.min, int) or field.min < 1):
            self._error(where, f"min is {field.min!r}, expected at least 1")
            field.min = None
        if field.type == "f32":
            bounds = [bound for bound in (field.min, field.max) if bound is not None]
            if bounds and not field.finite:
                self._error(where, "a range on an f32 goes with finite = true")
            if any(abs(bound) > F32_MAX for bound in bounds):
                self._error(where, "a bound is greater than any f32")

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
        if any(number > SCALARS["i64"][2] for number in (field.values or []) + (field.exclude or [])):
            self._error(where, "values and exclude are at most 2^63 - 1")
        if field.values is not None and field.exclude is not None:
            self._error(where, "values says all that is allowed, exclude then says nothing")

    # --------------------------------------------------------------------------------------------------------- rules

    def _read_rules(self, where, raw, rules, owner):
        names = raw.get("rules", [])
        for name in dict.fromkeys(names):
            body = rules.get(name)
            if names.count(name) > 1:
                self._error(where, f"rule {name!r} is listed {names.count(name)} times")
            if not isinstance(body, dict):
                self._error(where, f"rule {name!r} is not defined as a table [rules.{name}] in this file")
                continue
            if name in RULE_WORDS:
                self._error(where, name, "this name is taken by what the codec makes of every packet")
            if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
                self._error(where, name, "a rule's name is made of a-z, 0-9 and _ and starts with a letter")
            tables = {key: value for key, value in body.items() if key not in RULE_KEYS}
            for key, table in tables.items():
                if not is_kind(table, [NUMBER]) or not table or not re.fullmatch(r"[a-z][a-z0-9_]*", key) or key in C_KEYWORDS:
                    self._error(where, name, f"unknown key {key!r}: other keys are lists of numbers")
            known = self._known(f"{where}: {name}", {key: body[key] for key in body.keys() & RULE_KEYS}, RULE_KEYS)
            missing = {key for key in RULE_KEYS if not str(body.get(key, "")).strip()}
            if missing:
                self._error(where, name, f"missing {', '.join(sorted(missing))}")
            if missing or known.keys() != RULE_KEYS.keys():
                continue
            if owner.field(body["field"]) is None:
                self._error(where, name, f"blames {body['field']!r}, which is no field here")
            owner.rules.append(Rule(name=name, says=body["says"], field=body["field"], holds=body["holds"], tables=tables))

    def _unused_rules(self, page, document):
        lists = [raw.get("rules") for raw in document.get("packet", []) + document.get("struct", [])]
        used = {name for names in lists if is_kind(names, [str]) for name in names}
        for name in document.get("rules", {}):
            if name not in used:
                self._error(f"{page}.toml", f"rule {name!r} is used by no packet")

    # ----------------------------------------------------------------------------------------------------------- ids

    def _kind(self, packet):
        """The value of `kind` that tells packets of one id apart."""
        first = packet.fields[0] if packet.fields else None
        return first.values[0] if first and first.name == "kind" and first.values and len(first.values) == 1 else None

    def _read_index(self, document):
        self.index = self._known("index.toml", document, {"id": [dict]}).get("id", [])
        rows = {}
        for row in self.index:
            where = f"index.toml: {row.get('name', 'a row without a name')}"
            if self._known(where, row, ID_KEYS).keys() != ID_KEYS.keys():
                self._error(where, "a row has id, name, direction and page")
                continue
            if row["direction"] not in ("c2s", "s2c", "both"):
                self._error(where, f"direction is {row['direction']!r}, expected one of c2s, s2c, both")
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
                if packet.kinds is None:
                    self._error(where, f"id 0x{packet.id:02X} is shared, so the first field is kind: a u8 with max or values")
            elif (row["name"], row["direction"]) != (packet.name, packet.direction):
                self._error(where, f"index.toml has 0x{packet.id:02X} as {row['name']} ({row['direction']})")
            twins = [other for other in self.packets if (other.id, other.direction) == (packet.id, packet.direction)]
            if len(twins) > 1 and self._kind(packet) is None:
                self._error(where, "kind", f"{len(twins)} {packet.direction} packets share the id, so it has exactly one value")
            other = by_key.setdefault((packet.id, packet.direction, self._kind(packet)), packet)
            if other is not packet:
                self._error(where, f"id 0x{packet.id:02X} is {other.name}'s already")
        for row in rows.values():
            if not any(packet.id == row["id"] for packet in self.packets):
                self._error(f"index.toml: {row['name']}", "no page defines this packet")
