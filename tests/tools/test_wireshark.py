"""deploy/wireshark/dlmp.lua, run by tshark over one capture of whole, cut and damaged packets, against dlmp-packet decode."""

import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "proto/gen"))

from schema import PACKET_SIZE_MAX, PREFIX, SCALARS, Schema, snake  # noqa: E402

DLMP_PACKET = ROOT / os.environ.get("DLMP_BUILD", "build") / "dlmp-packet"
DISSECTOR = ROOT / "deploy/wireshark/dlmp.lua"
FIXTURES = ROOT / "fixtures/protocol"
SCHEMA = Schema(ROOT / "proto/schema")

PORT = 7777
HEADERS_SIZE = 28  # IPv4 and UDP
LINKTYPE_RAW = 101
BLOB_MIN = 17  # a u8 array this long is shown as bytes
SEED = 1
FLIPS = 3  # damaged copies of each fixture


# The capture.


def datagram(payload):
    udp = struct.pack(">HHHH", 50000, PORT, 8 + len(payload), 0) + payload
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, b"\x0a\0\0\1", b"\x0a\0\0\2") + udp


def write_capture(path, samples):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINKTYPE_RAW))
        for sample in samples:
            whole = datagram(sample.data)
            kept = whole if sample.captured is None else whole[: HEADERS_SIZE + sample.captured]
            out.write(struct.pack("<IIII", 0, 0, len(kept), len(whole)) + kept)


class Sample:
    """A datagram of the capture: what was sent, how much of it was captured, and later what both programs say."""

    def __init__(self, name, data, captured=None):
        self.name, self.data, self.captured = name, data, captured
        self.fields = None  # of the dissector: elements of its tree, in order
        self.answer = None  # of dlmp-packet

    def __str__(self):
        return f"{self.name} {self.data.hex()}"

    def marks(self):
        names = {field.get("name") for field in self.fields}
        return {mark for mark in ("malformed", "refused", "cut") if f"dlmp.{mark}" in names}

    def shown(self, name):
        return next((field.get("show") for field in self.fields if field.get("name") == name), None)


def damaged(random_, name, data):
    """Copies of a packet that are cut, too long, or have bytes changed."""
    yield Sample(f"{name} without its end", data[:-1])
    yield Sample(f"{name}, half of it", data[: len(data) // 2])
    yield Sample(f"{name} and a byte", data + b"\0")
    for _ in range(FLIPS):
        changed = bytearray(data)
        for at in random_.sample(range(1, len(data)), k=min(len(data) - 1, random_.randint(1, 4))):
            changed[at] = random_.choice((0x00, 0x7F, 0x80, 0xFF, random_.randrange(256)))
        yield Sample(f"{name} changed", bytes(changed))


def hostile(random_):
    """Every id with contents that no honest peer sends."""
    for packet_id in range(256):
        yield Sample("an id alone", bytes([packet_id]))
        yield Sample("all ones", bytes([packet_id]) + b"\xff" * (PACKET_SIZE_MAX - 1))
        yield Sample("all zeros", bytes([packet_id]) + bytes(PACKET_SIZE_MAX - 1))
        yield Sample("noise", bytes([packet_id]) + random_.randbytes(random_.randrange(1, 200)))
    for kind in range(256):
        yield Sample("a server query", bytes([0xFF, kind]) + bytes(10))


# What the dissector has to show for what dlmp-packet decoded.


def leaves(owner, values, prefix):
    """Filter, kind and value of each item of the tree, in order; what holds structs has neither kind nor value."""
    for field in owner.fields:
        name, value = f"{prefix}.{field.name}", values[field.name]
        if field.struct:
            yield name, None, None
            for element in value if isinstance(value, list) else [value]:
                yield from leaves(field.struct, element, name)
        elif field.type == "bytes16":
            yield name, "bytes", bytes.fromhex(value)
        elif field.type == "u8" and (field.count or 0) >= BLOB_MIN:
            yield name, "bytes", bytes(value)
        elif isinstance(value, list):
            for element in value:
                yield name, field.item or field.type, element
        else:
            yield name, field.type, value


def is_shown(kind, value, field):
    """Whether the item has exactly these bytes, and shows them as this value."""
    raw, show = bytes.fromhex(field.get("value", "")), field.get("show")
    if kind == "bytes":
        return raw == value
    if kind == "f32":
        return raw == struct.pack("<f", value) and abs(float(show) - value) <= abs(value) * 1e-4
    if kind in SCALARS:
        return raw == value.to_bytes(SCALARS[kind][0], "little", signed=kind[0] == "i") and int(show, 0) == value
    length = bytes(SCALARS[PREFIX[kind][0]][0])  # what an empty text has instead
    return raw == (value.encode() or length) and (show == value or not value.isprintable())


def blamed(error):
    """The schema field that the tool's message names: "Frame: a.b[1]: expected …"; None when it names none."""
    parts = error.split(": ")
    owner = SCHEMA.packet(parts[0])
    field = None
    for name in parts[1].split(".") if owner else []:
        field = owner.field(name.partition("[")[0]) if owner else None
        owner = field.struct if field else None
    return field


# Running both.


def run_dissector(samples):
    """Fills in each sample's fields; returns what tshark printed, for a look at errors."""
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder, "packets.pcap")
        write_capture(capture, samples)
        # A settings folder of its own, so that no preference or plugin of the user's takes part.
        environment = os.environ | {"LC_ALL": "C.UTF-8", "HOME": folder, "WIRESHARK_CONFIG_DIR": folder}
        command = ["tshark", "-n", "-X", f"lua_script:{DISSECTOR}", "-r", capture, "-T", "pdml", "-J", "dlmp"]
        run = subprocess.run(command, capture_output=True, env=environment, stdin=subprocess.DEVNULL, check=False)
    errors = run.stderr.decode()
    if run.returncode != 0:
        raise AssertionError(f"tshark ended with {run.returncode}: {errors}")
    packets = xml.etree.ElementTree.fromstring(run.stdout).findall("packet")
    for sample, packet in zip(samples, packets, strict=True):
        protocol = packet.find("proto[@name='dlmp']")
        sample.fields = [] if protocol is None else list(protocol.iter())
    return errors + run.stdout.decode()


def run_tool(samples):
    requests = "".join(json.dumps({"hex": sample.data.hex()}) + "\n" for sample in samples)
    command = [DLMP_PACKET, "decode", "--jsonl"]
    answers = subprocess.run(command, input=requests, capture_output=True, text=True, check=True).stdout.splitlines()
    for sample, answer in zip(samples, answers, strict=True):
        sample.answer = json.loads(answer)


class Dissector(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("tshark") is None:
            raise AssertionError("tshark is not installed: run deploy/bootstrap")
        random_ = random.Random(SEED)
        cls.whole = [Sample(path.stem, path.read_bytes()) for path in sorted(FIXTURES.glob("*.bin"))]
        cls.cut = [Sample(f"{one.name}, partly captured", one.data, kept) for one in cls.whole for kept in (1, len(one.data) // 2)]
        cls.damaged = [sample for one in cls.whole for sample in damaged(random_, one.name, one.data)]
        cls.damaged += list(hostile(random_))
        cls.empty = [Sample("an empty datagram", b"")]
        everything = cls.whole + cls.cut + cls.damaged
        cls.output = run_dissector(everything + cls.empty)
        run_tool(everything)
        if not any(sample.fields for sample in cls.whole):
            raise AssertionError(f"tshark did not load {DISSECTOR}:\n{cls.output[:2000]}")

    def test_there_is_a_fixture_of_every_packet(self):
        self.assertEqual({packet.name for packet in SCHEMA.packets}, {sample.answer.get("packet") for sample in self.whole})

    def test_every_fixture_is_shown_field_by_field_as_the_codec_decodes_it(self):
        for sample in self.whole:
            with self.subTest(sample.name):
                packet = SCHEMA.packet(sample.answer["packet"])
                prefix = f"dlmp.{snake(packet.name)}"
                expected = list(leaves(packet, sample.answer["fields"], prefix))
                shown = [field for field in sample.fields if field.get("name", "").startswith(prefix + ".")]
                self.assertEqual([name for name, _, _ in expected], [field.get("name") for field in shown])
                for (name, kind, value), field in zip(expected, shown, strict=True):
                    if kind is not None and not is_shown(kind, value, field):
                        self.fail(f"{name} is {value!r}, shown is {field.attrib}")

    def test_the_name_direction_lane_and_event_id_are_shown(self):
        for sample in self.whole:
            with self.subTest(sample.name):
                packet = SCHEMA.packet(sample.answer["packet"])
                self.assertEqual(packet.name, sample.shown("dlmp.packet"))
                self.assertEqual(packet.direction.upper(), sample.shown("dlmp.direction"))
                self.assertEqual(packet.lane, sample.shown("dlmp.lane").split(",")[0])
                self.assertEqual(packet.delivery or "", "".join(sample.shown("dlmp.lane").split(", ")[1:]))
                if packet.event_id:
                    event_id = sample.answer["fields"]["event_id"]
                    self.assertEqual(str(event_id), sample.shown("dlmp.event_id"))
                    self.assertIn(f"{packet.name} event_id={event_id}", sample.fields[0].get("showname"))

    def test_what_the_codec_accepts_is_not_marked(self):
        accepted = [sample for sample in self.whole + self.damaged if "packet" in sample.answer]
        self.assertGreater(len(accepted), len(self.whole), "no damaged packet is still a valid one: SEED is of no use")
        for sample in accepted:
            self.assertEqual(set(), sample.marks(), sample)

    def test_a_wrong_length_and_an_unknown_id_are_marked_as_malformed(self):
        wrong = [
            sample
            for sample in self.damaged
            if any(words in sample.answer.get("error", "") for words in ("too short", "too long", "no packet"))
        ]
        self.assertGreater(len(wrong), 3 * len(self.whole))
        for sample in wrong:
            self.assertIn("malformed", sample.marks(), f"{sample}: {sample.answer}")

    def test_a_refused_value_is_marked(self):
        values = 0
        for sample in self.damaged:
            error = sample.answer.get("error", "")
            field = blamed(error)
            if field is None or field.is_text or "broken rule" in error:
                continue
            values += 1
            self.assertTrue(sample.marks(), f"{sample}: {error}")
        self.assertGreater(values, 100)

    def test_a_partly_captured_packet_is_no_malformed_one(self):
        for sample in self.cut:
            self.assertIn(sample.marks(), [{"cut"}, {"cut", "refused"}], sample)

    def test_an_empty_datagram_is_left_to_udp(self):
        self.assertEqual([], self.empty[0].fields)

    def test_no_input_makes_a_lua_error(self):
        for line in self.output.splitlines():
            self.assertNotIn("Lua", line.replace("Wireshark Lua fake item", ""))


if __name__ == "__main__":
    unittest.main()
