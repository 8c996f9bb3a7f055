"""Writes deploy/wireshark/dlmp.lua: the packets as one compact table, and a small walker that reads any of them.

The walker is the text below; only the table is generated. It stays within what Lua 5.2 to 5.4 and Wireshark 3 and 4
share.
"""

import math
import re

from schema import f32, snake

# A `doc` that says what each bit or each number stands for.
LEGEND = re.compile(r"\bbit ?\d|^\d+ [^,;]+, \d+ ")

HEAD = """\
-- Generated from proto/schema/ by proto/gen/emit_wireshark.py. Do not edit.
--
-- Wireshark dissector of the DarqlineMP protocol. Copy it into the personal Lua plugins folder (Help, About Wireshark,
-- Folders), or start with `wireshark -X lua_script:dlmp.lua`.
--
-- UDP port 7777 is the protocol's until the preference or "Decode As" says otherwise. The direction follows from the packet
-- id. Filters: dlmp.packet == "VehicleEnter", dlmp.vehicle_enter.seat > 0, dlmp.event_id == 7, dlmp.malformed, dlmp.refused.
--
-- Lengths are judged as strictly as the server judges them, and so are the bounds of a single number, text or list.
-- UTF-8, the characters of a text and rules over several fields are not: that is what `dlmp-packet decode` is for.
--
-- A field is { name, type, doc }, with of = the struct or scalar it is made of, array = its elements, and what it may be:
-- min, max, values, exclude, mask, finite, nonzero. `hex` and `explain` say how it is shown.

"""

WALKER = """
local dlmp = Proto("dlmp", "DarqlineMP")

-- How a scalar is read: its bytes, the method of a range that gives its value, and what it is to a filter.
local scalars = {
    u8 = { 1, "le_uint", ftypes.UINT8 },
    u16 = { 2, "le_uint", ftypes.UINT16 },
    u32 = { 4, "le_uint", ftypes.UINT32 },
    u64 = { 8, "le_uint64", ftypes.UINT64 },
    i8 = { 1, "le_int", ftypes.INT8 },
    i16 = { 2, "le_int", ftypes.INT16 },
    i32 = { 4, "le_int", ftypes.INT32 },
    i64 = { 8, "le_int64", ftypes.INT64 },
    f32 = { 4, "le_float", ftypes.FLOAT },
}
local prefixes = { str8 = 1, str16 = 2, bytes16 = 2, list8 = 1, list16 = 2 }
local SUMMARY_MAX = 4 -- numbers of an array shown beside its name
local BLOB_MIN = 17 -- a u8 array this long is shown as bytes, not as items

-- ---- fields: one of every field of every packet

local general = {
    id = ProtoField.uint8("dlmp.id", "Packet id", base.HEX),
    packet = ProtoField.string("dlmp.packet", "Packet"),
    direction = ProtoField.string("dlmp.direction", "Direction"),
    lane = ProtoField.string("dlmp.lane", "Lane"),
    event_id = ProtoField.uint32("dlmp.event_id", "event_id", base.DEC, nil, nil, "Of any packet of the reliable lane"),
    token = ProtoField.uint64("dlmp.token", "token", base.HEX, nil, nil, "The session token, of any packet"),
    trailing = ProtoField.bytes("dlmp.trailing", "Trailing bytes"),
}
local malformed = ProtoExpert.new("dlmp.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
local refused = ProtoExpert.new("dlmp.refused", "Refused by a strict decoder", expert.group.PROTOCOL, expert.severity.WARN)
local cut = ProtoExpert.new("dlmp.cut", "Cut short by the capture", expert.group.UNDECODED, expert.severity.NOTE)

-- Fields of any packet that have a filter of their own besides.
local also = { event_id = general.event_id, token = general.token, session_token = general.token }

local all_fields = {}
for _, field in pairs(general) do
    all_fields[#all_fields + 1] = field
end

local function is_blob(field)
    return field.type == "bytes16" or (field.type == "u8" and (field.array or 0) >= BLOB_MIN)
end

local function proto_field(field, filter)
    local ftype, shown = ftypes.NONE, base.NONE
    local scalar = scalars[field.type] or (prefixes[field.type] and scalars[field.of])

    if is_blob(field) then
        ftype = ftypes.BYTES
    elseif field.type == "str8" or field.type == "str16" then
        ftype = ftypes.STRING
    elseif scalar then
        ftype = scalar[3]
        if ftype ~= ftypes.FLOAT then
            shown = field.hex and base.HEX or base.DEC
        end
    end
    return ProtoField.new(field.name, filter, ftype, nil, shown, nil, field.doc)
end

-- Registers the fields of a packet or struct; returns them with their filters bound, for the walker.
local function bind(fields, filter)
    local bound = {}

    for i, raw in ipairs(fields) do
        local field = { name = raw[1], type = raw[2], doc = raw[3] }
        for key, value in pairs(raw) do
            if type(key) == "string" then
                field[key] = value
            end
        end
        local here = filter .. "." .. field.name
        field.field = proto_field(field, here)
        all_fields[#all_fields + 1] = field.field
        if structs[field.of] then
            field.fields = bind(structs[field.of], here)
        end
        field.also = also[field.name]
        bound[i] = field
    end
    return bound
end

local by_id = {}
for _, packet in ipairs(packets) do
    packet.bound = bind(packet.fields, "dlmp." .. packet.filter)
    by_id[packet.id] = by_id[packet.id] or {}
    table.insert(by_id[packet.id], packet)
end
dlmp.fields = all_fields
dlmp.experts = { malformed, refused, cut }

-- ---- what a strict decoder refuses in one value

local function has_bit_outside(value, mask)
    while value > 0 do
        if value % 2 >= 1 and mask % 2 < 1 then
            return true
        end
        value, mask = math.floor(value / 2), math.floor(mask / 2)
    end
    return false
end

local function contains(list, value)
    for _, one in ipairs(list) do
        if one == value then
            return true
        end
    end
    return false
end

-- The words for what is wrong with it, nil when nothing is. `unit` names what a length or count counts.
local function why_refused(field, value, unit)
    if field.finite and (value ~= value or value == math.huge or value == -math.huge) then
        return "is not finite"
    elseif field.nonzero and value == 0 then
        return "is 0"
    elseif (field.min and value < field.min) or (field.max and value > field.max) then
        local least = field.min or ((unit or field.type:find("^u")) and 0) or ""
        local bounds = tostring(least) .. "..=" .. tostring(field.max or "")
        return unit and string.format("has %d %s, expected %s", value, unit, bounds)
            or string.format("is %s, expected %s", tostring(value), bounds)
    elseif field.mask and has_bit_outside(value, field.mask) then
        return string.format("has a bit outside the mask 0x%X", field.mask)
    elseif (field.values and not contains(field.values, value)) or (field.exclude and contains(field.exclude, value)) then
        return "is " .. tostring(value) .. ", which is not allowed"
    end
    return nil
end

-- ---- the walker: what it returns is false or nil where the packet ends too early

-- The next `size` bytes; nil when they are not all there, which is said once.
local function take(cursor, size, field)
    local at, left = cursor.at, cursor.size - cursor.at

    if size > left then
        cursor.flaw = "malformed"
        cursor.root:add_proto_expert_info(malformed,
            string.format("%s: %d bytes expected, %d left of the packet", field.name, size, left))
        return nil
    elseif at + size > cursor.captured then
        cursor.flaw = "cut short"
        cursor.root:add_proto_expert_info(cut, field.name .. ": not captured")
        return nil
    end
    cursor.at = at + size
    return cursor.tvb(at, size)
end

local function judge(cursor, item, field, value, unit)
    local why = why_refused(field, value, unit)

    if why then
        cursor.flaw = cursor.flaw or "refused"
        item:add_proto_expert_info(refused, field.name .. " " .. why)
    end
end

local function walk_scalar(cursor, tree, field, kind, index)
    local scalar = scalars[kind]
    local range = take(cursor, scalar[1], field)

    if not range then
        return false
    end
    local value = range[scalar[2]](range)
    local shown = kind == "f32" and string.format("%.6g", value) or tostring(value)
    local item = tree:add_le(field.field, range)
    if scalar[1] == 8 then
        value = value:tonumber() -- near enough for a bound
    elseif kind == "u32" and value == 0xFFFFFFFF and not field.hex then
        item:append_text(" (0xFFFFFFFF)")
    end
    if index then
        item:prepend_text("[" .. index .. "] ")
    elseif field.explain then
        item:append_text(" (" .. field.doc .. ")")
    end
    if field.also then
        tree:add_le(field.also, range):set_hidden()
    end
    if not prefixes[field.type] then
        judge(cursor, item, field, value)
    end
    return shown
end

local function walk_prefix(cursor, field)
    local range = take(cursor, prefixes[field.type], field)

    return range and range:le_uint()
end

-- A text or bytes behind their length; of an empty one, the item is the length.
local function walk_span(cursor, tree, field)
    local start = cursor.at
    local size = walk_prefix(cursor, field)
    if not size then
        return false
    end
    local range = size == 0 and cursor.tvb(start, prefixes[field.type]) or take(cursor, size, field)
    if not range then
        return false
    end
    local item
    if is_blob(field) then
        item = tree:add(field.field, range)
    elseif size == 0 then
        item = tree:add(field.field, range, "")
    else
        item = tree:add_packet_field(field.field, range, ENC_UTF_8)
    end
    judge(cursor, item, field, size, "bytes")
    return true
end

local walk_fields

-- One element of an array or list: a struct or a scalar.
local function walk_element(cursor, tree, field, kind, index)
    if not field.fields then
        return walk_scalar(cursor, tree, field, kind, index)
    end
    local start = cursor.at
    local item = tree:add(cursor.tvb(start), "[" .. index .. "] " .. field.of)
    local whole = walk_fields(cursor, item, field.fields)
    item:set_len(cursor.at - start)
    return whole
end

-- The elements of a subtree, with the first numbers of an array as its summary.
local function walk_elements(cursor, branch, field, kind, count)
    local summary = {}

    for index = 0, count - 1 do
        local shown = (cursor.at < cursor.captured or take(cursor, 1, field))
            and walk_element(cursor, branch, field, kind, index)
        if not shown then
            return false
        elseif not field.fields and index <= SUMMARY_MAX then
            summary[index + 1] = index < SUMMARY_MAX and shown or "…"
        end
    end
    branch:append_text((count > 0 and not field.fields and ": " or "") .. table.concat(summary, ", "))
    return true
end

-- An array, a list or a struct: a subtree over its bytes. A filter finds a scalar's elements by the field's name, so
-- only what holds structs is a field itself.
local function walk_branch(cursor, tree, field)
    local start, count = cursor.at, field.array
    if start >= cursor.captured then
        return take(cursor, 1, field) ~= nil
    end
    local branch
    if field.fields then
        branch = tree:add(field.field, cursor.tvb(start))
    else
        branch = tree:add(cursor.tvb(start), field.name)
    end
    if prefixes[field.type] then
        count = walk_prefix(cursor, field)
        if not count then
            return false
        end
        judge(cursor, branch, field, count, "items")
    end
    local whole
    if count then
        branch:append_text(string.format(" [%d]", count))
        whole = walk_elements(cursor, branch, field, field.of or field.type, count)
    else
        branch:append_text(" (" .. field.of .. ")")
        whole = walk_fields(cursor, branch, field.fields)
    end
    branch:set_len(cursor.at - start)
    return whole
end

local function walk_blob(cursor, tree, field)
    local range = take(cursor, field.array, field)

    return range and tree:add(field.field, range) ~= nil
end

walk_fields = function(cursor, tree, fields)
    for _, field in ipairs(fields) do
        local walk = walk_branch

        if field.type == "str8" or field.type == "str16" or field.type == "bytes16" then
            walk = walk_span
        elseif is_blob(field) then
            walk = walk_blob
        elseif scalars[field.type] and not field.array then
            walk = walk_scalar
        end
        if not walk(cursor, tree, field, field.type) then
            return false
        end
    end
    return true
end

-- ---- the packet

-- By its id, and where several packets share one by the kind behind it.
local function identify(tvb)
    local candidates = by_id[tvb(0, 1):uint()] or {}

    for _, packet in ipairs(candidates) do
        if not packet.kinds then
            return packet
        elseif tvb:len() > 1 then
            local kind = tvb(1, 1):uint()
            if packet.kinds[1] <= kind and kind <= packet.kinds[2] then
                return packet
            end
        end
    end
    return nil
end

local function add_general(tree, field, range, text)
    tree:add(field, range, text):set_generated()
end

local function walk_packet(cursor, packet, tree)
    local range = cursor.tvb(0, 1)

    add_general(tree, general.packet, range, packet.name)
    add_general(tree, general.direction, range, packet.direction)
    add_general(tree, general.lane, range, packet.lane)
    if walk_fields(cursor, tree, packet.bound) and cursor.at < cursor.size then
        cursor.flaw = "malformed"
        if cursor.at < cursor.captured then
            tree:add(general.trailing, cursor.tvb(cursor.at))
        end
        tree:add_proto_expert_info(malformed, string.format("%d bytes behind the packet's end", cursor.size - cursor.at))
    end
end

local function event_id_of(packet, tvb)
    local at = packet.event_id_at

    return at and tvb:len() >= at + 4 and " event_id=" .. tvb(at, 4):le_uint() or ""
end

function dlmp.dissector(tvb, pinfo, root)
    local tree = root:add(dlmp, tvb:len() > 0 and tvb() or tvb)
    local cursor = { tvb = tvb, at = 0, size = tvb:reported_len(), captured = tvb:len(), root = tree }
    local info

    pinfo.cols.protocol = "DLMP"
    if not take(cursor, 1, { name = "Packet id" }) then
        pinfo.cols.info = "no packet id [" .. cursor.flaw .. "]"
        return
    end
    tree:add(general.id, tvb(0, 1))
    local packet = identify(tvb)
    if packet then
        info = packet.direction .. " " .. packet.name .. event_id_of(packet, tvb)
        walk_packet(cursor, packet, tree)
    else
        local id = tvb(0, 1):uint()
        info = string.format(by_id[id] and "packet of id 0x%02X" or "unknown packet id 0x%02X", id)
        if by_id[id] == nil or take(cursor, 1, { name = "kind" }) then
            cursor.flaw = "malformed"
            tree:add_proto_expert_info(malformed, by_id[id] and "no packet of this id has this kind" or info)
        end
    end
    tree:append_text(", " .. info)
    pinfo.cols.info = info .. (cursor.flaw and " [" .. cursor.flaw .. "]" or "")
end

-- ---- where it listens; "Decode As" adds other ports

dlmp.prefs.port = Pref.uint("UDP port", 7777, "The server's UDP port; 0: none")

local udp = DissectorTable.get("udp.port")
local port = 7777
udp:add(port, dlmp)

function dlmp.prefs_changed()
    if port ~= 0 then
        udp:remove(port, dlmp)
    end
    port = dlmp.prefs.port
    if port ~= 0 then
        udp:add(port, dlmp)
    end
end
"""


def text(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def number(value):
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a bound that is not finite")
    return repr(value)


def bound(field, value):
    """A bound as the decoder compares it: of an f32 rounded to f32."""
    return number(f32(value) if field.type == "f32" else value)


def field_row(field):
    kind = field.type
    parts = []
    if kind == "list":
        kind = "list8" if field.count_type == "u8" else "list16"
        parts.append(f"of = {text(field.struct.name if field.struct else field.item)}")
    elif kind == "struct":
        parts.append(f"of = {text(field.struct.name)}")
    if field.count is not None:
        parts.append(f"array = {field.count}")
    parts += [f"{key} = {bound(field, getattr(field, key))}" for key in ("min", "max") if getattr(field, key) is not None]
    if field.mask is not None:
        parts.append(f"mask = 0x{field.mask:X}")
    for key in ("values", "exclude"):
        if getattr(field, key):
            parts.append(f"{key} = {{ {', '.join(str(value) for value in getattr(field, key))} }}")
    parts += [f"{key} = true" for key in ("finite", "nonzero") if getattr(field, key)]
    if field.mask is not None or "RGBA" in field.doc or field.type == "u64" and field.name != "account_id":
        parts.append("hex = true")
    if field.count is None and (field.mask is not None or LEGEND.search(field.doc) and kind[0] in "ui"):
        parts.append("explain = true")
    head = [text(field.name), text(kind)] + ([text(field.doc)] if field.doc or parts else [])
    return f"{{ {', '.join(head + parts)} }},"


def packet_rows(schema, packet):
    lane = packet.lane + (f", {packet.delivery}" if packet.delivery else "")
    about = [
        f"id = 0x{packet.id:02X}", f"name = {text(packet.name)}", f"filter = {text(snake(packet.name))}",
        f"direction = {text(packet.direction.upper())}", f"lane = {text(lane)}",
    ]  # fmt: skip
    if sum(other.id == packet.id for other in schema.packets) > 1:
        low, high = packet.kinds
        about.append(f"kinds = {{ {low}, {high} }}")
    if packet.event_id:
        about.append(f"event_id_at = {packet.event_id.offset}")
    return [f"    {{ {', '.join(about)}, fields = {{", *(f"        {field_row(field)}" for field in packet.fields), "    } },"]


def dissector(schema):
    lines = ["local structs = {"]
    for struct in sorted(schema.structs, key=lambda struct: struct.name):
        lines += [f"    {struct.name} = {{", *(f"        {field_row(field)}" for field in struct.fields), "    },"]
    lines += ["}", "", "local packets = {"]
    for packet in schema.packets:
        lines += packet_rows(schema, packet)
    lines += ["}"]
    return HEAD + "\n".join(lines) + "\n" + WALKER
