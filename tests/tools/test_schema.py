"""proto/gen: what the generator refuses in a schema, its rules and its examples, and how it says so."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "proto/gen"))

from emit_c import Page  # noqa: E402
from examples import Examples  # noqa: E402
from schema import Schema  # noqa: E402

PAGE = """\
[rules.seat_needs_vehicle]
says = "seat is 0 when vehicle_id is NONE"
field = "seat"
holds = "vehicle_id != NONE or seat == 0"

[[struct]]
name = "Point"
size = 8
fields = [
  { name = "x", type = "f32", finite = true },
  { name = "y", type = "f32", finite = true, min = -10.0, max = 10.0 },
]

[[packet]]
name = "Enter"
id = 0x01
direction = "c2s"
lane = "reliable"
size = 18
source = "published"
doc = "A seat request."
rules = ["seat_needs_vehicle"]
fields = [
  { name = "token", type = "u64" },
  { name = "event_id", type = "u32" },
  { name = "vehicle_id", type = "u32", doc = "NONE: on foot" },
  { name = "seat", type = "u8", max = 31 },
]

[[packet]]
name = "Show"
id = 0x02
direction = "s2c"
lane = "unreliable"
min_size = 31
max_size = 58
source = "profile"
fields = [
  { name = "mode", type = "u8", values = [1, 2, 4] },
  { name = "flags", type = "u16", mask = 0x0F },
  { name = "level", type = "i32", exclude = [-1], nonzero = true },
  { name = "corners", type = "Point", count = 2 },
  { name = "weights", type = "u8", count = 3 },
  { name = "name", type = "str8", min = 2, max = 5, text = "line" },
  { name = "points", type = "list", count_type = "u8", item = "Point", max = 3 },
]
"""
INDEX = """\
[[id]]
id = 0x01
name = "Enter"
direction = "c2s"
page = "Demo"

[[id]]
id = 0x02
name = "Show"
direction = "s2c"
page = "Demo"
"""
EXAMPLES = [
    {"name": "enter", "packet": "Enter", "fields": {"seat": 0}},
    {"name": "show", "packet": "Show", "fields": {}},
]
SEAT = '{ name = "seat", type = "u8", max = 31 }'
MODE = '{ name = "mode", type = "u8", values = [1, 2, 4] }'
NAME = '{ name = "name", type = "str8", min = 2, max = 5, text = "line" }'
POINTS = '{ name = "points", type = "list", count_type = "u8", item = "Point", max = 3 }'
HOLDS = "vehicle_id != NONE or seat == 0"
JUNK = ("true", '"x"', '""', "-1", "0", "1.5", "inf", "nan", "[]", "[1]", '["x"]', "[[1]]", "{}", "99999999999999999999")


def edited(text, *edits):
    for old, new in edits:
        if text.count(old) != 1:
            raise AssertionError(f"{old!r} is {text.count(old)} times in the text")
        text = text.replace(old, new)
    return text


def errors(page=PAGE, index=INDEX, others=None):
    """What the generator says about these files, in its order: the schema first, its rules only when that is sound."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"demo": page, "index": index} | (others or {})
        for name, text in files.items():
            if text is not None:
                pathlib.Path(folder, f"{name}.toml").write_text(text, encoding="utf-8")
        schema = Schema(folder)
        if schema.errors:
            return schema.errors
        pages = [Page(schema, name) for name in schema.pages]
        for one in pages:
            one.source()
        return [error for one in pages for error in one.errors]


def example_errors(rows, name="demo"):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "demo.toml").write_text(PAGE, encoding="utf-8")
        pathlib.Path(folder, "index.toml").write_text(INDEX, encoding="utf-8")
        text = rows if isinstance(rows, str) else json.dumps(rows)
        pathlib.Path(folder, f"{name}.json").write_text(text, encoding="utf-8")
        return Examples(Schema(folder), folder).errors


class SchemaCase(unittest.TestCase):
    maxDiff = None

    def expect(self, expected, *edits):
        """The page with these edits has exactly this error."""
        with self.subTest(edits):
            self.assertEqual([expected], errors(edited(PAGE, *edits)))


class Sound(SchemaCase):
    def test_the_demo_schema_passes(self):
        self.assertEqual([], errors())

    def test_the_real_schema_and_its_examples_pass(self):
        run = subprocess.run([sys.executable, "-B", ROOT / "proto/gen/generate.py", "--check"], capture_output=True, text=True)
        self.assertEqual((0, "", ""), (run.returncode, run.stdout, run.stderr))

    def test_the_generator_prints_every_error_and_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            schema, target = pathlib.Path(folder, "schema"), pathlib.Path(folder, "gen")
            schema.mkdir()
            page = edited(PAGE, ("size = 18", "size = 17"), ("max_size = 58", "max_size = 59"))
            (schema / "demo.toml").write_text(page, encoding="utf-8")
            (schema / "index.toml").write_text(INDEX, encoding="utf-8")
            command = [sys.executable, "-B", ROOT / "proto/gen/generate.py", "--schema", schema, "--c", target]
            run = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual((1, ""), (run.returncode, run.stdout))
            self.assertIn("demo.toml: Enter: the fields add up to 18 bytes, declared are 17\n", run.stderr)
            self.assertIn("demo.toml: Show: the fields add up to 31..=58 bytes, declared are 31..=59\n", run.stderr)
            self.assertFalse(target.exists())


class Files(SchemaCase):
    def test_without_an_index(self):
        self.assertEqual(["index.toml: not there: it holds the table of packet ids"], errors(index=None))

    def test_broken_toml(self):
        self.assertRegex(errors(page="[[packet]\n")[0], r"^demo\.toml: .*line 1")

    def test_unknown_keys(self):
        self.expect("demo.toml: unknown key 'packets', expected one of packet, rules, struct", ("[[struct]]", "[packets]\n[[struct]]"))
        self.expect(
            "demo.toml: Enter: unknown key 'origin', expected one of delivery, direction, doc, fields, id, lane, max_size, min_size, "
            "name, rules, size, source",
            ("id = 0x01", "id = 0x01\norigin = 1"),
        )
        self.expect(
            "demo.toml: Point: unknown key 'id', expected one of doc, fields, max_size, min_size, name, rules, size",
            ("size = 8", "size = 8\nid = 9"),
        )
        self.expect(
            "demo.toml: Enter: seat: unknown key 'maximum', expected one of count, count_type, doc, exclude, finite, item, mask, max, "
            "min, name, nonzero, text, type, values",
            (SEAT, '{ name = "seat", type = "u8", maximum = 31 }'),
        )
        self.expect(
            "demo.toml: Enter: seat_needs_vehicle: unknown key 'because': other keys are lists of numbers",
            ('field = "seat"', 'field = "seat"\nbecause = "so"'),
        )

    def test_values_of_the_wrong_kind(self):
        self.expect("demo.toml: Enter: doc is 5, expected a string of one line", ('doc = "A seat request."', "doc = 5"))
        self.expect(r"demo.toml: Enter: doc is 'A\nseat', expected a string of one line", ("A seat request.", r"A\nseat"))
        self.expect("demo.toml: Enter: seat: max is '31', expected a finite number", (SEAT, '{ name = "seat", type = "u8", max = "31" }'))
        self.expect("demo.toml: Show: mode: values is [1, '2'], expected a list, each an integer", ("[1, 2, 4]", '[1, "2"]'))
        self.expect("demo.toml: Show: level: nonzero is 1, expected true or false", ("nonzero = true", "nonzero = 1"))

    def test_no_value_makes_the_generator_crash(self):
        for text, name in ((PAGE, "demo"), (INDEX, "index")):
            for match in re.finditer(r"\b([a-z_]+) = (\"[^\"]*\"|\[[^][{}]*\]|[-\w.]+)", text):
                for junk in JUNK:
                    with self.subTest(match.group(0), junk=junk):
                        changed = text[: match.start(2)] + junk + text[match.end(2) :]
                        for error in errors(page=changed) if name == "demo" else errors(index=changed):
                            self.assertRegex(error, r"^(demo|index)\.toml: .")


class Packets(SchemaCase):
    def test_direction_lane_source_and_id(self):
        self.expect("demo.toml: Enter: source is 'mine', expected one of published, profile", ('"published"', '"mine"'))
        self.expect("demo.toml: Show: lane is 'fast', expected one of reliable, unreliable", ('"unreliable"', '"fast"'))
        found = errors(edited(PAGE, ('direction = "c2s"', 'direction = "up"')))
        self.assertIn("demo.toml: Enter: direction is 'up', expected one of c2s, s2c", found)
        found = errors(edited(PAGE, ("id = 0x01", "id = 0x100")))
        self.assertIn("demo.toml: Enter: id is 256, expected 0x01..=0xFF", found)

    def test_sizes_that_do_not_add_up(self):
        self.expect("demo.toml: Enter: the fields add up to 18 bytes, declared are 19", ("size = 18", "size = 19"))
        self.expect("demo.toml: Enter: the fields add up to 18 bytes, declared are no sizes", ("size = 18\n", ""))
        self.expect("demo.toml: Show: the fields add up to 31..=58 bytes, declared are 30..=58", ("min_size = 31", "min_size = 30"))
        self.expect("demo.toml: Point: the fields add up to 8 bytes, declared are 9", ("size = 8", "size = 9"))
        self.expect("demo.toml: Enter: has size as well as min_size or max_size", ("size = 18", "size = 18\nmin_size = 18"))

    def test_more_than_1200_bytes(self):
        self.expect(
            "demo.toml: Show: 1254 bytes, no packet is longer than 1200",
            (NAME, NAME + ', { name = "body", type = "str16", max = 1194 }'),
            ("min_size = 31", "min_size = 33"),
            ("max_size = 58", "max_size = 1254"),
        )

    def test_the_event_id_and_the_reliable_lane_go_together(self):
        self.expect(
            "demo.toml: Enter: event_id: missing: a packet of the reliable lane carries it", ('"event_id"', '"event_number"')
        )
        self.expect(
            "demo.toml: Enter: event_id: a packet that carries it is on the reliable lane", ('lane = "reliable"', 'lane = "unreliable"')
        )
        self.expect("demo.toml: Enter: event_id: must be a u32 at a fixed place", ('"event_id", type = "u32"', '"event_id", type = "i32"'))

    def test_the_delivery_is_for_reliable_packets_to_the_client(self):
        self.expect(
            "demo.toml: Enter: delivery is only for reliable s2c packets", ('lane = "reliable"', 'lane = "reliable"\ndelivery = "critical"')
        )
        event_id = '{ name = "event_id", type = "u32" },\n  '
        to_client = (
            ('lane = "unreliable"', 'lane = "reliable"'), (MODE, event_id + MODE), ("min_size = 31", "min_size = 35"),
            ("max_size = 58", "max_size = 62"),
        )  # fmt: skip
        self.expect("demo.toml: Show: delivery is None, expected critical or droppable", *to_client)
        self.expect(
            "demo.toml: Show: delivery is 'maybe', expected critical or droppable",
            *to_client,
            ('direction = "s2c"', 'direction = "s2c"\ndelivery = "maybe"'),
        )

    def test_the_token_is_the_first_field_and_a_u64(self):
        token, event_id = '{ name = "token", type = "u64" },', '{ name = "event_id", type = "u32" },'
        self.expect(
            "demo.toml: Enter: token: the token is the first field of a packet", (token, ""), (event_id, event_id + "\n  " + token)
        )
        self.expect("demo.toml: Enter: token: a session token is a u64", ('"token", type = "u64"', '"token", type = "i64"'))

    def test_names(self):
        found = errors(edited(PAGE, ('name = "Show"', 'name = "Enter"')))
        self.assertIn("demo.toml: Enter: the packet Enter of demo.toml has this name already", found)
        found = errors(edited(PAGE, ('name = "Show"', 'name = "Point"')))
        self.assertIn("demo.toml: Point: the struct Point of demo.toml has this name already", found)
        found = errors(edited(PAGE, ('name = "Show"', 'name = "show_it"')))
        self.assertIn("demo.toml: show_it: a name is made of letters and digits and starts with a capital", found)
        found = errors(edited(PAGE, ('name = "Show"\n', "")))
        self.assertIn("demo.toml: a packet without a name: a name is made of letters and digits and starts with a capital", found)
        self.expect(
            "demo.toml: Point: the struct Point of demo.toml has this name already",
            ("[[packet]]\nname = \"Enter\"", '[[struct]]\nname = "Point"\nsize = 8\nfields = [{ name = "a", type = "u64" }]\n\n'
             '[[packet]]\nname = "Enter"'),
        )  # fmt: skip


class Ids(SchemaCase):
    def test_an_id_used_twice(self):
        self.assertIn("demo.toml: Show: id 0x01 is Enter's already", errors(edited(PAGE, ("0x02", "0x01"), ('"s2c"', '"c2s"'))))
        self.assertIn("index.toml: Show: id 0x01 is Enter's already", errors(index=edited(INDEX, ("0x02", "0x01"))))

    def test_a_packet_that_the_index_does_not_have(self):
        self.assertEqual(
            ["demo.toml: Show: id 0x03 is not in index.toml", "index.toml: Show: no page defines this packet"],
            errors(edited(PAGE, ("0x02", "0x03"))),
        )

    def test_an_id_that_no_page_defines(self):
        row = '\n[[id]]\nid = 0x03\nname = "Hide"\ndirection = "s2c"\npage = "Demo"\n'
        self.assertEqual(["index.toml: Hide: no page defines this packet"], errors(index=INDEX + row))

    def test_index_and_page_disagree(self):
        expected = ["demo.toml: Show: index.toml has 0x02 as Shown (s2c)"]
        self.assertEqual(expected, errors(index=edited(INDEX, ('"Show"', '"Shown"'))))
        expected = ["demo.toml: Show: index.toml has 0x02 as Show (c2s)"]
        self.assertEqual(expected, errors(index=edited(INDEX, ('"s2c"', '"c2s"'))))

    def test_rows_of_the_index(self):
        found = errors(index=edited(INDEX, ('name = "Show"\n', "")))
        self.assertIn("index.toml: a row without a name: a row has id, name, direction and page", found)
        found = errors(index=edited(INDEX, ('name = "Show"', 'name = "Show"\nlane = "x"')))
        self.assertEqual(["index.toml: Show: unknown key 'lane', expected one of direction, id, name, page"], found)
        found = errors(index=edited(INDEX, ('"s2c"', '"down"')))
        self.assertIn("index.toml: Show: direction is 'down', expected one of c2s, s2c, both", found)

    def test_a_shared_id_needs_a_kind(self):
        found = errors(index=edited(INDEX, ('"s2c"', '"both"')))
        self.assertEqual(["demo.toml: Show: id 0x02 is shared, so the first field is kind: a u8 with max or values"], found)
        page = edited(PAGE, (MODE, MODE.replace("mode", "kind")))
        self.assertEqual([], errors(page, edited(INDEX, ('"s2c"', '"both"'))))


class Fields(SchemaCase):
    def test_packets_of_one_id_and_direction_have_one_kind_each(self):
        twin = '''
[[packet]]
name = "Twin{n}"
id = 0x03
direction = "s2c"
lane = "unreliable"
size = 2
source = "profile"
fields = [{{ name = "kind", type = "u8", values = {values} }}]
'''
        index = INDEX + '\n[[id]]\nid = 0x03\nname = "Twins"\ndirection = "both"\npage = "Demo"\n'
        self.assertEqual([], errors(PAGE + twin.format(n=1, values="[1]") + twin.format(n=2, values="[2]"), index))
        self.assertEqual(
            ["demo.toml: Twin2: kind: 2 s2c packets share the id, so it has exactly one value"],
            errors(PAGE + twin.format(n=1, values="[1]") + twin.format(n=2, values="[2, 3]"), index),
        )

    def test_a_reliable_c2s_packet_has_a_token(self):
        self.expect(
            "demo.toml: Enter: token: missing: a reliable c2s packet starts with the session token",
            ('{ name = "token", type = "u64" },', ""), ("size = 18", "size = 10"),
        )  # fmt: skip

    def test_a_page_without_packets(self):
        self.assertEqual(["empty.toml: has no packet"], errors(others={"empty": ""}))

    def test_what_would_not_compile(self):
        self.expect(
            "demo.toml: Enter: doc has */, which would end a comment in C", ("A seat request.", "A */ request.")
        )
        self.expect(
            "demo.toml: Enter: check: this name is taken by what the codec makes of every packet",
            ("[rules.seat_needs_vehicle]", "[rules.check]"), ('rules = ["seat_needs_vehicle"]', 'rules = ["check"]'),
        )  # fmt: skip
        self.expect("demo.toml: Enter: seat_needs_vehicle: missing says", ("seat is 0 when vehicle_id is NONE", " "))
        self.expect(
            "demo.toml: Show: points_count: this name is taken by the number of items of points",
            (NAME, NAME.replace('"name", type', '"points_count", type')),
        )

    def test_values_that_contradict_each_other(self):
        self.expect(
            "demo.toml: Show: mode: values says all that is allowed, exclude then says nothing",
            (MODE, MODE.replace("[1, 2, 4]", "[1, 2, 4], exclude = [1]")),
        )

    def test_types(self):
        self.expect("demo.toml: Enter: seat: unknown type 'byte'", (SEAT, '{ name = "seat", type = "byte" }'))
        self.expect("demo.toml: Enter: seat: unknown type None", (SEAT, '{ name = "seat" }'))
        nested = '[[struct]]\nname = "Pair"\nsize = 8\nfields = [{ name = "a", type = "Point" }]\n\n[[packet]]\nname = "Enter"'
        self.expect("demo.toml: Pair: a: a struct holds no struct of its own", ('[[packet]]\nname = "Enter"', nested))
        listed = nested.replace('type = "Point"', 'type = "list", count_type = "u8", item = "Point", min = 1, max = 1')
        listed = listed.replace("size = 8", "size = 9")
        self.expect("demo.toml: Pair: a: a struct holds no struct of its own", ('[[packet]]\nname = "Enter"', listed))

    def test_names(self):
        self.expect("demo.toml: Enter: seat: a field of this name is there already", ('"vehicle_id"', '"seat"'), (HOLDS, "seat == 0"))
        for bad in ("Mode", "2nd", "a-b", "switch", "a b"):
            self.expect(
                f"demo.toml: Show: {bad}: a name is made of a-z, 0-9 and _, starts with a letter and is no word of C",
                (MODE, MODE.replace("mode", bad)),
            )
        self.expect(
            "demo.toml: Show: a field without a name: a name is made of a-z, 0-9 and _, starts with a letter and is no word of C",
            (MODE, '{ type = "u8" }'),
        )

    def test_texts_and_lists_need_a_max(self):
        for field in (NAME, POINTS):
            found = errors(edited(PAGE, (field, re.sub(r", max = \d", "", field))))
            self.assertRegex(found[0], r"^demo\.toml: Show: (name|points): max is None, expected 1\.\.=255$")
        found = errors(edited(PAGE, (NAME, NAME.replace("max = 5", "max = 256"))))
        self.assertIn("demo.toml: Show: name: max is 256, expected 1..=255", found)
        self.expect("demo.toml: Show: name: min is 0, expected at least 1", (NAME, NAME.replace("min = 2", "min = 0")),
                    ("min_size = 31", "min_size = 29"))  # fmt: skip

    def test_lists(self):
        found = errors(edited(PAGE, (POINTS, POINTS.replace('"u8"', '"u32"'))))
        self.assertIn("demo.toml: Show: points: count_type is 'u32', expected u8 or u16", found)
        found = errors(edited(PAGE, (POINTS, POINTS.replace('"Point"', '"Dot"'))))
        self.assertIn("demo.toml: Show: points: item is 'Dot', expected a struct or a scalar", found)
        self.expect("demo.toml: Enter: seat: item is only for a list", (SEAT, '{ name = "seat", type = "u8", item = "u8" }'))
        self.expect("demo.toml: Enter: seat: count_type is only for a list", (SEAT, '{ name = "seat", type = "u8", count_type = "u8" }'))

    def test_counts(self):
        self.expect("demo.toml: Enter: seat: count is for an array of scalars or structs and at least 1",
                    (SEAT, SEAT.replace("max = 31", "count = 0")))  # fmt: skip
        self.expect("demo.toml: Show: name: count is for an array of scalars or structs and at least 1",
                    (NAME, NAME.replace("min = 2", "min = 2, count = 2")))  # fmt: skip

    def test_a_value_rule_on_the_wrong_type(self):
        for rule, kind in (
            ("finite = true", "u8"), ('text = "line"', "u8"), ("mask = 1", "f32"), ("values = [1]", "f32"),
            ("exclude = [1]", "f32"), ("nonzero = true", "Point"), ("min = 1", "Point"),
        ):  # fmt: skip
            key = rule.split()[0]
            with self.subTest(rule, kind=kind):
                found = errors(edited(PAGE, (SEAT, f'{{ name = "seat", type = "{kind}", {rule} }}')))
                name = "struct" if kind == "Point" else kind
                self.assertIn(f"demo.toml: Enter: seat: {key} does not go with {name}", found)
        self.expect("demo.toml: Show: name: nonzero does not go with str8", (NAME, NAME.replace('text = "line"', "nonzero = true")))
        self.expect("demo.toml: Show: points: finite does not go with list", (POINTS, POINTS.replace("max = 3", "max = 3, finite = true")))

    def test_text_classes(self):
        self.expect(
            "demo.toml: Show: name: text is 'word', expected one of plain, line, block, data, identifier, resource, path, url",
            (NAME, NAME.replace("line", "word")),
        )

    def test_ranges(self):
        def seat(rules):
            return (SEAT, f'{{ name = "seat", type = "u8", {rules} }}')

        self.expect("demo.toml: Enter: seat: min 9 is above max 3", seat("min = 9, max = 3"))
        self.expect("demo.toml: Enter: seat: 256 is not a u8", seat("max = 256"))
        self.expect("demo.toml: Enter: seat: -1 is not a u8", seat("values = [-1, 3]"))
        self.expect("demo.toml: Enter: seat: 1.5 is not a u8", seat("min = 1.5"))
        self.expect("demo.toml: Enter: seat: 300 is not a u8", seat("exclude = [300]"))
        self.expect("demo.toml: Enter: seat: 256 is not a u8", seat("mask = 0x100"))
        self.expect("demo.toml: Enter: seat: a bound or mask that refuses nothing", seat("max = 255"))
        self.expect("demo.toml: Enter: seat: a bound or mask that refuses nothing", seat("min = 0"))
        self.expect("demo.toml: Enter: seat: a bound or mask that refuses nothing", seat("mask = 0xFF"))
        self.expect("demo.toml: Enter: seat: values must be sorted, each once", seat("values = [2, 1]"))
        self.expect("demo.toml: Enter: seat: values must be sorted, each once", seat("values = [1, 1]"))
        self.expect("demo.toml: Enter: seat: values is empty", seat("values = []"))
        self.expect("demo.toml: Enter: seat: exclude is empty", seat("exclude = []"))

    def test_ranges_of_floats(self):
        self.expect("demo.toml: Point: y: a range on an f32 goes with finite = true",
                    ("finite = true, min = -10.0", "min = -10.0"))  # fmt: skip
        self.expect("demo.toml: Point: y: a bound is greater than any f32", ("max = 10.0", "max = 1e39"))


class Rules(SchemaCase):
    def test_a_rule_that_is_not_defined(self):
        self.assertEqual(
            [
                "demo.toml: Enter: rule 'seat_is_free' is not defined as a table [rules.seat_is_free] in this file",
                "demo.toml: rule 'seat_needs_vehicle' is used by no packet",
            ],
            errors(edited(PAGE, ('["seat_needs_vehicle"]', '["seat_is_free"]'))),
        )

    def test_a_rule_of_another_file_is_not_there(self):
        other = '[[packet]]\nname = "Hide"\nid = 0x03\ndirection = "s2c"\nlane = "unreliable"\nsize = 2\nsource = "profile"\n'
        other += 'rules = ["seat_needs_vehicle"]\nfields = [{ name = "seat", type = "u8" }]\n'
        index = INDEX + '\n[[id]]\nid = 0x03\nname = "Hide"\ndirection = "s2c"\npage = "Other"\n'
        self.assertEqual(
            ["other.toml: Hide: rule 'seat_needs_vehicle' is not defined as a table [rules.seat_needs_vehicle] in this file"],
            errors(index=index, others={"other": other}),
        )

    def test_a_rule_that_nobody_uses(self):
        self.expect("demo.toml: rule 'seat_needs_vehicle' is used by no packet", ('rules = ["seat_needs_vehicle"]\n', ""))

    def test_a_rule_listed_twice(self):
        self.expect("demo.toml: Enter: rule 'seat_needs_vehicle' is listed 2 times",
                    ('["seat_needs_vehicle"]', '["seat_needs_vehicle", "seat_needs_vehicle"]'))  # fmt: skip

    def test_the_parts_of_a_rule(self):
        for key in ("says", "field", "holds"):
            self.expect(f"demo.toml: Enter: seat_needs_vehicle: missing {key}", (re.search(f"{key} = .*\n", PAGE).group(), ""))
        self.expect("demo.toml: Enter: seat_needs_vehicle: says is 5, expected a string of one line",
                    ('says = "seat is 0 when vehicle_id is NONE"', "says = 5"))  # fmt: skip
        self.expect(
            "demo.toml: Enter: seat-rule: a rule's name is made of a-z, 0-9 and _ and starts with a letter",
            ("[rules.seat_needs_vehicle]", "[rules.seat-rule]"),
            ('["seat_needs_vehicle"]', '["seat-rule"]'),
        )

    def test_a_rule_that_blames_an_unknown_field(self):
        self.expect("demo.toml: Enter: seat_needs_vehicle: blames 'chair', which is no field here", ('field = "seat"', 'field = "chair"'))

    def test_expressions_that_are_refused(self):
        for holds, why in (
            ("seat ==", "not an expression: invalid syntax"),
            ("seat", "expected a condition, got 'seat'"),
            ("chair == 0", "'chair' is neither a field of Enter nor known to rules"),
            ("seat == 'a'", "\"'a'\" is not part of the rule language"),
            ("seat == 1.5", "1.5 is compared with an integer"),
            ("seat == -1", "an unsigned field is compared with -1"),
            ("seat + token == 1", "cannot count with 'seat + token'"),
            ("token < 5", "a u64 is only compared for equality"),
            ("seat // 2 == 0", "'seat // 2' is not part of the rule language"),
            ("seat in vehicle_id", "`in` takes a list of numbers"),
            ("seat is 0", "only == != < <= > >= in compare"),
            ("hash(seat) == 0", "'hash' is not known to rules"),
            ("zero()", "zero(): missing a required argument: 'node'"),
            ("bit(seat)", "bit(): missing a required argument: 'number'"),
            ("bit(seat, 1, 2)", "bit(): too many positional arguments"),
            ("bit(seat, number=1)", "bit() takes its arguments by place"),
            ("zero(*seat)", "zero() takes its arguments by place"),
            ("len(seat) == 0", "len() takes a text or a list"),
            ("norm(seat) == 1", "'seat' is no array"),
            ("whole(seat)", "'seat' is no f32"),
            ("abs(seat) == 1", "abs() takes a float"),
            ("starts_with(seat, 'a')", "'seat' is no text"),
            ("zero_after(chair)", "zero_after() and zero_between() take names of fields"),
            ("zero_after(seat)", "there is no field in that run"),
            ("zero_between(seat, token)", "there is no field in that run"),
            ("seat[0] == 0", "'seat' has no elements"),
            ("seat.x == 0", "'seat.x': no such field"),
            ("not all(seat == 0 for i in range(0, 3))", "all() stands alone, behind `and`, last in an `or`, or in a branch of `if`"),
            ("all(seat == 0 for i in (1, 2))", "all() takes `P for i in range(a, b)`"),
            ("all(seat == 0 for i in range(0, 3, 2))", "range() takes one bound or two"),
            ("all(seat == 0 for seat in range(0, 3))", "'seat' cannot be the variable of a loop"),
            ("all(seat == 0 for int in range(0, 3))", "'int' cannot be the variable of a loop"),
        ):
            with self.subTest(holds):
                found = errors(edited(PAGE, (HOLDS, holds)))
                self.assertEqual([f"demo.toml: Enter: seat_needs_vehicle: {why}"], found)

    def of_show(self, holds, tables=""):
        """The errors of a rule of Show, which has arrays and lists."""
        rule = f'[rules.shown]\nsays = "it is so"\nfield = "mode"\nholds = "{holds}"\n{tables}\n\n[[struct]]'
        return errors(edited(PAGE, ("[[struct]]", rule), ('source = "profile"', 'source = "profile"\nrules = ["shown"]')))

    def test_expressions_over_other_types_that_are_refused(self):
        every = "all(mode == 0 for i in range(0, 3))"
        for holds, why in (
            (f"{every} or mode == 1", "of an `or`, only the last part may hold all()"),
            ("all(mode == 0 for i in range(0, 3) if mode)", "all() takes `P for i in range(a, b)`"),
            ("all(mode == 0 for i in range(0, 3) for j in range(0, 3))", "all() takes `P for i in range(a, b)`"),
            ("all(mode == 0)", "'all' is not known to rules"),
            ("weights[level == 1] == 0", "expected an integer, got 'level == 1'"),
            ("-name == 0", "only a number has a negative"),
            ("name == 0", "compares something that is not a number"),
            ("starts_with(name, mode)", "expected a string"),
            ("bit(name, 1)", "bit() takes an integer field"),
            ("zero(mode == 0)", "zero() takes fields"),
            ("norm(weights) == 1", "norm() takes an f32 array"),
            ("chars(corners, 'A')", "chars() takes a u8 array"),
        ):
            with self.subTest(holds):
                self.assertEqual([f"demo.toml: Show: shown: {why}"], self.of_show(holds))

    def test_an_index_that_may_be_outside(self):
        for holds, elements in (
            ("weights[3] == 0", 3),
            ("weights[-1] == 0", 3),
            ("weights[mode] == 0", 3),
            ("corners[2].x == 0", 2),
            ("points[3].x == 0", 3),
            ("all(weights[i] == 0 for i in range(0, 4))", 3),
            ("all(weights[i + 1] == 0 for i in range(0, 3))", 3),
            ("all(points[i].x < points[i + 1].x for i in range(0, len(points)))", 3),
        ):
            with self.subTest(holds):
                (error,) = self.of_show(holds)
                self.assertRegex(error, rf"^demo\.toml: Show: shown: '.*' may be outside of its {elements} elements$")

    def test_an_index_that_is_always_inside(self):
        for holds in (
            "weights[2] == 0 and corners[1].x == 0",
            "all(weights[i] == 0 for i in range(0, 3))",
            "all(weights[i - 1] == 0 for i in range(1, 4))",
            "all(points[i].x < points[i + 1].x for i in range(0, len(points) - 1))",
        ):
            with self.subTest(holds):
                self.assertEqual([], self.of_show(holds))

    def test_constants_of_a_rule(self):
        where = "demo.toml: Show: shown: "
        every = "all(weights[i] <= high[i] for i in range(0, 3))"
        self.assertEqual([], self.of_show(every, "high = [1, 2, 3]"))
        self.assertEqual([where + "'high[i]' may be outside of its 2 elements"], self.of_show(every, "high = [1, 2]"))
        self.assertEqual(
            [where + "the list 'high' is compared with integers and holds floats"], self.of_show(every, "high = [1, 2, 2.5]")
        )
        self.assertEqual([where + "the list 'low' is not used"], self.of_show(every, "high = [1, 2, 3]\nlow = [0, 0, 0]"))
        self.assertEqual([where + "unknown key 'high': other keys are lists of numbers"], self.of_show(every, "high = [1, true]"))
        self.assertEqual([where + "unknown key 'high': other keys are lists of numbers"], self.of_show(every, "high = []"))

    def test_arithmetic_with_none(self):
        self.assertEqual([], errors(edited(PAGE, (HOLDS, "vehicle_id <= NONE - 1 or seat == 0"))))


class ExampleFiles(unittest.TestCase):
    def test_good_ones_pass(self):
        self.assertEqual([], example_errors(EXAMPLES))

    def test_a_packet_without_an_example(self):
        self.assertEqual(["demo.toml: Show: has no example in proto/examples/demo.json"], example_errors(EXAMPLES[:1]))

    def test_what_is_no_example(self):
        for row, why in (
            ({"name": "x", "packet": "Enter"}, "x: an example has name (a-z, 0-9, _), packet and fields"),
            ({"name": "X", "packet": "Enter", "fields": {}}, "X: an example has name (a-z, 0-9, _), packet and fields"),
            ({"packet": "Enter", "fields": {}}, "an example without a name: an example has name (a-z, 0-9, _), packet and fields"),
            ({"name": "x", "packet": "Enter", "fields": {}, "size": 1}, "x: an example has name (a-z, 0-9, _), packet and fields"),
            ({"name": "x", "packet": "Enter", "fields": []}, "x: fields is an object"),
            ({"name": "x", "packet": "Leave", "fields": {}}, "x: 'Leave' is no packet of this page"),
            ({"name": "show", "packet": "Enter", "fields": {}}, "show: an example of this name is there already"),
        ):
            with self.subTest(row):
                self.assertEqual([f"demo.json: {why}"], example_errors([*EXAMPLES, row]))

    def test_an_example_in_another_page_s_file(self):
        self.assertIn("other.json: enter: 'Enter' is no packet of this page", example_errors(EXAMPLES, name="other"))

    def test_what_is_no_list_of_examples(self):
        self.assertIn("demo.json: expected a list of objects", example_errors({}))
        self.assertIn("demo.json: expected a list of objects", example_errors([1]))
        self.assertRegex(example_errors("[")[0], r"^demo\.json: Expecting value: line 1")


if __name__ == "__main__":
    unittest.main()
