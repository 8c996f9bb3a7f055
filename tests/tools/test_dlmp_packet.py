"""dlmp-packet: both ways for every golden packet, everything it refuses and how it says so, pipes and full disks."""

import copy
import json
import os
import pathlib
import re
import select
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = str((ROOT / os.environ.get("DLMP_BUILD", "build") / "dlmp-packet").resolve())
WAIT_S = 30
HEX_EXPECTED = "hex: expected an even number of hexadecimal digits and nothing else"


def run(*arguments, stdin=b"", **options):
    stdin = stdin.encode() if isinstance(stdin, str) else stdin
    return subprocess.run([TOOL, *arguments], input=stdin, capture_output=True, timeout=WAIT_S, **options)


def load_examples():
    examples = {}
    for path in sorted((ROOT / "proto/examples").glob("*.json")):
        examples.update((example["name"], example) for example in json.loads(path.read_text(encoding="utf-8")))
    return examples


EXAMPLES = load_examples()


def document(name, **fields):
    """An example as JSON; `fields` replaces some, a value of Ellipsis takes one away."""
    example = copy.deepcopy(EXAMPLES[name])
    example["fields"].update(fields)
    example["fields"] = {key: value for key, value in example["fields"].items() if value is not ...}
    return {"packet": example["packet"], "fields": example["fields"]}


class Test(unittest.TestCase):
    def lines(self, command, lines):
        """The answers of one process to many lines, each parsed."""
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        result = run(command, "--jsonl", stdin=text)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        answers = result.stdout.decode().splitlines()
        self.assertEqual(len(answers), len(lines))
        return [json.loads(answer) for answer in answers]

    def assert_fails(self, result, status, message):
        self.assertEqual(result.returncode, status, result)
        self.assertEqual(result.stdout, b"")
        self.assertEqual(result.stderr.decode(), f"dlmp-packet: {message}\n")


class EveryPacket(Test):
    def test_encode_decode_encode_is_the_identity(self):
        documents = [document(name) for name in EXAMPLES]
        first = self.lines("encode", documents)
        decoded = self.lines("decode", first)
        again = self.lines("encode", decoded)
        for name, wanted, once, packet, twice in zip(EXAMPLES, documents, first, decoded, again):
            with self.subTest(name):
                self.assertIn("hex", once)
                self.assertEqual(packet, wanted)
                self.assertEqual(list(packet["fields"]), list(wanted["fields"]))
                self.assertEqual(twice, once)

    def test_the_text_that_decode_prints_is_what_it_prints_again(self):
        first = run("encode", "--jsonl", stdin="\n".join(json.dumps(document(name)) for name in EXAMPLES)).stdout
        decoded = run("decode", "--jsonl", stdin=first).stdout
        again = run("decode", "--jsonl", stdin=run("encode", "--jsonl", stdin=decoded).stdout).stdout
        self.assertEqual(decoded, again)

    def test_the_id_tells_the_direction(self):
        packets = {packet["name"]: packet for packet in json.loads(run("list", "--json").stdout)}
        encoded = self.lines("encode", [document(name) for name in EXAMPLES])
        right, wrong = [], []
        for name, line in zip(EXAMPLES, encoded):
            direction = packets[EXAMPLES[name]["packet"]]["direction"]
            right.append({**line, "direction": direction})
            wrong.append({**line, "direction": "s2c" if direction == "c2s" else "c2s"})
        self.assertEqual(self.lines("decode", right), self.lines("decode", encoded))
        for name, answer in zip(EXAMPLES, self.lines("decode", wrong)):
            with self.subTest(name):
                self.assertIn("error", answer)

    def test_a_byte_more_or_less_is_refused(self):
        encoded = self.lines("encode", [document(name) for name in EXAMPLES])
        for cut in (lambda text: text[:-2], lambda text: text + "00"):
            for name, answer in zip(EXAMPLES, self.lines("decode", [{"hex": cut(line["hex"])} for line in encoded])):
                with self.subTest(name):
                    self.assertRegex(answer.get("error", ""), EXAMPLES[name]["packet"] + ": ")


class Decode(Test):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_hex_a_file_and_standard_input_give_the_same(self):
        packet = bytes.fromhex("0f07000000")
        path = self.folder / "ack.bin"
        path.write_bytes(packet)
        wanted = b'{"packet":"ServerAck","fields":{"ack":7}}\n'
        for arguments in (["--hex", "0F07000000"], ["--hex=0f07000000"], [str(path)], ["-"], [],
                          ["--direction", "s2c"], ["--direction=s2c", "--", "-"]):
            with self.subTest(arguments):
                result = run("decode", *arguments, stdin=packet)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, wanted, b""))

    def test_a_malformed_packet_is_named_with_its_field(self):
        long = "00" * 1201
        for arguments, message in (
            (["--hex", ""], "--hex: empty, expected a packet id"),
            (["--hex", "ee"], "--hex: id 0xEE: no packet has this id"),
            (["--hex", "0f070000"], "--hex: ServerAck: too short for its layout (4 bytes, expected 5)"),
            (["--hex", "0f0700000000"], "--hex: ServerAck: too long, bytes are left over (6 bytes, expected 5)"),
            (["--direction", "c2s", "--hex", "0f07000000"],
             "--hex: id 0x0F: no packet of this direction has this id (ServerAck goes s2c)"),
            (["--direction", "s2c", "--hex", "ee"], "--hex: id 0xEE: no packet of this direction has this id"),
            (["--hex", "0f0"], "--" + HEX_EXPECTED),
            (["--hex", "0g"], "--" + HEX_EXPECTED),
            (["--hex", " 0f07000000"], "--" + HEX_EXPECTED),
            (["--hex", long], "--hex: expected at most 1200 bytes, no packet is longer, got 1201"),
        ):
            with self.subTest(arguments[-1][:20]):
                self.assert_fails(run("decode", *arguments), 1, message)

    def test_a_broken_rule_is_told_in_the_codecs_words(self):
        path = self.folder / "frame.bin"
        frame = bytearray(run("encode", stdin=json.dumps(document("vehicle_frame"))).stdout)
        frame[17:21] = bytes.fromhex("0000c07f")  # a NaN where the position begins
        path.write_bytes(frame)
        self.assert_fails(run("decode", str(path)), 1,
                          f"{path}: VehicleFrame: state.pos[0]: NaN or infinite, expected a finite number")

    def test_the_kind_tells_the_server_queries_apart(self):
        for name in ("query_request", "query_info", "query_players", "query_rules"):
            packet = run("encode", stdin=json.dumps(document(name))).stdout
            self.assertEqual(packet[0], 0xFF)
            self.assertEqual(json.loads(run("decode", stdin=packet).stdout), document(name))

    def test_files_that_cannot_be_read(self):
        self.assert_fails(run("decode", "/no/such/file"), 1, "/no/such/file: No such file or directory")
        self.assert_fails(run("decode", str(self.folder)), 1, f"{self.folder}: Is a directory")
        path = self.folder / "long.bin"
        path.write_bytes(bytes(1201))
        self.assert_fails(run("decode", str(path)), 1, f"{path}: expected at most 1200 bytes, it has more")
        self.assert_fails(run("decode", "-", stdin=bytes(5000)), 1, "stdin: expected at most 1200 bytes, it has more")

    def test_an_endless_file_ends(self):
        self.assert_fails(run("decode", "/dev/zero"), 1, "/dev/zero: expected at most 1200 bytes, it has more")
        self.assert_fails(run("encode", "/dev/zero"), 1, "/dev/zero: expected at most 65536 bytes, it has more")

    def test_what_a_terminal_would_obey_is_escaped(self):
        answer = self.lines("encode", [document("client_chat", text="a\x9b1m\u00e9")])[0]
        self.assertIn(b'"a\\u009b1m\xc3\xa9"', run("decode", "--hex", answer["hex"]).stdout)


class Encode(Test):
    def test_bytes_or_hex_from_a_file_or_standard_input(self):
        text = b'{"packet":"ServerAck",\n "fields": {"ack": 7} }\n'
        self.assertEqual(run("encode", stdin=text).stdout, bytes.fromhex("0f07000000"))
        self.assertEqual(run("encode", "--hex", stdin=text).stdout, b"0f07000000\n")
        with tempfile.NamedTemporaryFile() as file:
            file.write(text)
            file.flush()
            self.assertEqual(run("encode", "--hex", file.name).stdout, b"0f07000000\n")

    def test_a_refused_packet_is_told_with_its_file(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b'{"packet":"ServerAck","fields":{"ack":"7"}}')
            file.flush()
            message = "ServerAck: ack: expected an integer 0..=4294967295, got a string"
            self.assert_fails(run("encode", file.name), 1, f"{file.name}: {message}")
            self.assert_fails(run("encode", stdin=pathlib.Path(file.name).read_bytes()), 1, f"stdin: {message}")

    def test_values_of_the_wrong_kind(self):
        def frame(path, value):
            line = document("vehicle_frame")
            *way, last = path
            at = line["fields"]
            for key in way:
                at = at[key]
            at[last] = value
            return line

        list_rows = EXAMPLES["dialog_form_response"]["fields"]["values"]
        cases = [
            (frame(["state", "pos", 1], "1"), "VehicleFrame: state.pos[1]: expected a number, got a string"),
            (frame(["state", "pos"], [1.0, 2.0]), "VehicleFrame: state.pos: expected 3 items, got 2"),
            (frame(["state", "pos"], [1.0] * 4), "VehicleFrame: state.pos: expected 3 items, got 4"),
            (frame(["state"], []), "VehicleFrame: state: expected an object, got a list"),
            (frame(["state", "epoch"], 1.5), "VehicleFrame: state.epoch: expected an integer 0..=255, got 1.5"),
            (frame(["state", "epoch"], 256), "VehicleFrame: state.epoch: expected an integer 0..=255, got 256"),
            (frame(["state", "epoch"], -1), "VehicleFrame: state.epoch: expected an integer 0..=255, got -1"),
            (frame(["state", "hydraulic_lr"], 32768),
             "VehicleFrame: state.hydraulic_lr: expected an integer -32768..=32767, got 32768"),
            (frame(["state", "epcoh"], 1),
             'VehicleFrame: state: unknown field "epcoh", VehicleState has none of this name'),
            (document("vehicle_enter", seat=...), "VehicleEnter: seat: missing"),
            (document("vehicle_enter", sate=1),
             'VehicleEnter: fields: unknown field "sate", VehicleEnter has none of this name'),
            (document("vehicle_enter", token=2**64),
             "VehicleEnter: token: expected an integer 0..=18446744073709551615, got 18446744073709551616"),
            (document("set_gravity", gravity=10**39), "SetGravity: gravity: expected a number within "
             "3.40282347e+38 either way, got " + "1" + "0" * 39),
            (document("dialog_form_response", values=list_rows * 13),
             f"DialogFormResponse: values: expected at most 12 items, got {13 * len(list_rows)}"),
            (document("dialog_form_response", values=[{"text": 1}]),
             "DialogFormResponse: values[0].text: expected text, got 1"),
            (document("auth_assertion", ticket="abc"),
             "AuthAssertion: ticket: expected an even number of hexadecimal digits"),
            (document("auth_assertion", ticket="zz" * 90),
             "AuthAssertion: ticket: expected an even number of hexadecimal digits"),
            ({"packet": "Nothing", "fields": {}}, 'packet: no packet is called "Nothing", see dlmp-packet list'),
            ({"packet": 5, "fields": {}}, "packet: expected the name of a packet as a string"),
            ({"fields": {}}, "packet: expected the name of a packet as a string"),
            ({"packet": "ServerAck"}, "ServerAck: fields: expected an object, got null"),
            ({"packet": "ServerAck", "fields": [7]}, "ServerAck: fields: expected an object, got a list"),
            ({"packet": "ServerAck", "fields": {"ack": 1}, "x": 1},
             'unknown key "x", expected "packet" and "fields"'),
            ({"error": "ServerAck: too short"}, 'unknown key "error", expected "packet" and "fields"'),
        ]
        for (line, message), answer in zip(cases, self.lines("encode", [case[0] for case in cases])):
            with self.subTest(message):
                self.assertEqual(answer, {"error": message})

    def test_a_struct_that_breaks_a_rule_is_refused_in_the_codecs_words(self):
        answers = self.lines("encode", [
            document("client_chat", text=""),
            document("client_chat", text="x" * 1000),
            document("query_info", kind=0),
            document("set_gravity", gravity=0.2),
            document("server_hello", player_id=0xFFFFFFFF),
            document("extinguish_fire", x=6001),
            document("vehicle_health", health=100001),
        ])
        for answer, pattern in zip(answers, ("ClientChat: text: expected ", "ClientChat: text: expected ",
                                             "QueryInfo: kind: expected 128", r"gravity: expected -0\.1\.\.=0\.1$",
                                             r"player_id: expected 0\.\.=4294967294$",
                                             r"x: expected -6000\.\.=6000$", r"health: expected 0\.\.=100000$")):
            self.assertRegex(answer.get("error", ""), pattern)

    def test_a_zero_character_ends_no_word(self):
        self.assertIn("error", self.lines("encode", ['{"packet":"ServerAck\\u0000x","fields":{"ack":7}}'])[0])
        self.assertIn("error", self.lines("decode", ['{"hex":"0f07000000","direction":"s2c\\u0000"}'])[0])

    def test_numbers_keep_their_last_bit(self):
        for token in (0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1):
            answer = self.lines("encode", [document("vehicle_enter", token=token)])[0]
            self.assertEqual(bytes.fromhex(answer["hex"])[1:9], token.to_bytes(8, "little"))
            self.assertEqual(self.lines("decode", [answer])[0]["fields"]["token"], token)

    def test_minus_zero_keeps_its_sign(self):
        for text in ("-0.0", "-0", "-0e5"):
            line = json.dumps(document("set_gravity", gravity=0.5)).replace("0.5", text)
            answer = self.lines("encode", [line])[0]
            self.assertEqual(answer["hex"][-8:], "00000080")
            self.assertIn(b'"gravity":-0.0}', run("decode", "--hex", answer["hex"]).stdout)

    def test_json_is_read_strictly(self):
        for value, message in (
            ("NaN", "fields.ack: expected a JSON value"),
            ("Infinity", "fields.ack: expected a JSON value"),
            ("-Infinity", "fields.ack: expected a digit"),
            ("01", "fields: expected , or }"),
            ("-01", "fields: expected , or }"),
            ("+1", "fields.ack: expected a JSON value"),
            ("1.", "fields.ack: expected a digit"),
            (".5", "fields.ack: expected a JSON value"),
            ("1e", "fields.ack: expected a digit"),
            ("0x10", "fields: expected , or }"),
            ("'7'", "fields.ack: expected a JSON value"),
            ("TRUE", "fields.ack: expected a JSON value"),
            ("/**/7", "fields.ack: expected a JSON value"),
            ("[1,]", "fields.ack[1]: expected a JSON value"),
            ("[1 2]", "fields.ack: expected , or ]"),
            ("7,", "fields: expected a key in \""),
            ('7,"ack":7', "fields.ack: the key stands twice"),
            ('7,"\\u0061ck":7', "fields.ack: the key stands twice"),
            ('7,"ack\\u0000":7', "fields: expected a key without \\u0000"),
            ('{"a":[{"b":1,"b":2}]}', "fields.ack.a[0].b: the key stands twice"),
            (r'"\x"', 'fields.ack: expected one of "\\/bfnrtu behind the backslash'),
            (r'"\u12g4"', "fields.ack: expected 4 hexadecimal digits"),
            (r'"\ud800"', "fields.ack: expected a surrogate pair, found half of one"),
            (r'"\ud800\u0041"', "fields.ack: expected a surrogate pair, found half of one"),
            (r'"\udc00"', "fields.ack: expected a surrogate pair, found half of one"),
            ('"a\tb"', 'fields.ack: expected " or a character that is no control character'),
            (b'"a\xff"', "fields.ack: expected UTF-8"),
            (b'"\xed\xa0\x80"', "fields.ack: expected UTF-8"),
            (b'"\xc0\x80"', "fields.ack: expected UTF-8"),
            (b'"a\0b"', 'fields.ack: expected " or a character that is no control character'),
            (b"7\0", "fields: expected , or }"),
            ("[" * 60000, "fields.ack[0][0][0][0][0][0]: expected at most 8 lists and objects inside one another"),
            ("[" * 100000, "longer than 65536 bytes of JSON"),
        ):
            with self.subTest(value[:30]):
                value = value.encode() if isinstance(value, str) else value
                result = run("encode", "--jsonl", stdin=b'{"packet":"ServerAck","fields":{"ack":%b}}' % value)
                error = json.loads(result.stdout)["error"]
                self.assertEqual(re.sub(r" \(byte \d+\)$", "", error), message)

    def test_the_place_of_a_fault_is_told(self):
        lines = ["", " ", "7", "[]", "\ufeff{}", "{", '{"a', '{"a" 1}', '{"a":1', "{}}", "{} x", '{"a":1}{}']
        wanted = ["expected a JSON object (byte 0, the end)", "expected a JSON object (byte 1, the end)",
                  "expected a JSON object (byte 0)", "expected a JSON object (byte 0)",
                  "expected a JSON object (byte 0)", 'expected a key in " (byte 1, the end)',
                  'expected " or a character that is no control character (byte 3, the end)',
                  "a: expected : (byte 5)", "expected , or } (byte 6, the end)",
                  "expected nothing behind the object (byte 2)", "expected nothing behind the object (byte 3)",
                  "expected nothing behind the object (byte 7)"]
        self.assertEqual(self.lines("encode", lines), [{"error": message} for message in wanted])

    def test_an_error_is_one_line_whatever_the_key(self):
        line = '{"packet":"ServerAck","fields":{"ack":1,"\\n\\u001b[31m\\u009b":2}}'
        message = 'ServerAck: fields: unknown field "??[31m??", ServerAck has none of this name'
        self.assertEqual(self.lines("encode", [line]), [{"error": message}])
        self.assert_fails(run("encode", stdin=line), 1, "stdin: " + message)

    def test_a_long_key_is_cut_between_two_characters(self):
        for size in range(56, 62):
            line = {"packet": "ServerAck", "fields": {"ack": 1, "k" * size + "\u00e9\U0001F600": 2}}
            self.assertIn('unknown field "k', self.lines("encode", [line])[0]["error"])

    def test_every_character_of_a_text_comes_through(self):
        text = "".join(map(chr, range(0x20))) + '"\\/\x7f\x80\x9f\xa0\u00e9\u20ac\ud7ff\ue000\uffff\U0001F600\U0010FFFF'
        wanted = document("query_rules", rules=[{"key": "k", "value": text}])
        for ascii_only in (True, False):
            answer = self.lines("encode", [json.dumps(wanted, ensure_ascii=ascii_only)])[0]
            self.assertEqual(self.lines("decode", [answer])[0], wanted)

    def test_every_escape_of_a_text_is_read(self):
        line = json.dumps(document("query_rules", rules=[{"key": "k", "value": "TEXT"}]))
        line = line.replace("TEXT", r'\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00')
        answer = self.lines("decode", self.lines("encode", [line]))[0]
        self.assertEqual(answer["fields"]["rules"][0]["value"], '"\\/\b\f\n\r\tA\u00e9\u20ac\U0001F600')


class Jsonl(Test):
    def test_a_bad_line_is_answered_and_the_next_one_served(self):
        good = {"packet": "ServerAck", "fields": {"ack": 7}}
        cases = [
            ({"hex": "0f07000000", "direction": "s2c"}, good),
            ("nonsense", {"error": "expected a JSON object (byte 0)"}),
            ({"hex": "0f07000000"}, good),
            ({"hex": "0F07000000"}, good),
            ({"hex": ""}, {"error": "empty, expected a packet id"}),
            ({"hex": "0f0"}, {"error": HEX_EXPECTED}),
            ({"hex": "0f\u0000000000"}, {"error": HEX_EXPECTED}),
            ({"hex": "00" * 1201}, {"error": "hex: expected at most 1200 bytes, no packet is longer, got 1201"}),
            ({"hex": 15}, {"error": "hex: expected the packet's bytes as a string of hexadecimal digits"}),
            ({}, {"error": "hex: expected the packet's bytes as a string of hexadecimal digits"}),
            ({"hex": "0f07000000", "direction": "up"}, {"error": 'direction: expected "c2s" or "s2c"'}),
            ({"hex": "0f07000000", "direction": None}, {"error": 'direction: expected "c2s" or "s2c"'}),
            ({"hex": "0f07000000", "to": "s2c"}, {"error": 'unknown key "to", expected "hex" and "direction"'}),
            ('{"hex":"0f07000000","hex":"0f"}', {"error": "hex: the key stands twice (byte 25)"}),
            ({"hex": "0f07000000", "direction": "c2s"},
             {"error": "id 0x0F: no packet of this direction has this id (ServerAck goes s2c)"}),
            ({"hex": "0f07"}, {"error": "ServerAck: too short for its layout (2 bytes, expected 5)"}),
            ("", {"error": "expected a JSON object (byte 0, the end)"}),
            ({"hex": "0f07000000"}, good),
        ]
        self.assertEqual(self.lines("decode", [line for line, _ in cases]), [answer for _, answer in cases])

    def test_a_line_without_a_direction_has_that_of_the_command(self):
        lines = b'{"hex":"0f07000000"}\n{"hex":"0f07000000","direction":"s2c"}\n'
        answers = run("decode", "--direction", "c2s", "--jsonl", stdin=lines).stdout.splitlines()
        self.assertIn("error", json.loads(answers[0]))
        self.assertIn("packet", json.loads(answers[1]))

    def test_the_last_line_needs_no_end(self):
        for lines in (b'{"hex":"0f07000000"}', b'{"hex":"0f07000000"}\r\n{"hex":"0f07000000"}'):
            result = run("decode", "--jsonl", stdin=lines)
            self.assertEqual(result.stdout.count(b'{"packet":'), lines.count(b"hex"))
        self.assertEqual(run("decode", "--jsonl").stdout, b"")

    def test_a_line_may_be_as_long_as_the_limit_and_no_longer(self):
        line = json.dumps({"packet": "ServerAck", "fields": {"ack": 7}})
        sizes = (65535, 65536, 65537, 131071, 131072, 131073, 400000, 100)
        answers = self.lines("encode", [line.ljust(size) for size in sizes])
        for size, answer in zip(sizes, answers):
            wanted = {"hex": "0f07000000"} if size <= 65536 else {"error": "longer than 65536 bytes of JSON"}
            self.assertEqual(answer, wanted, size)

    def test_each_line_is_answered_before_the_next_is_written(self):
        with subprocess.Popen([TOOL, "decode", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tool:
            for ack in range(20):
                for piece in ('{"hex":"0f', f'{ack:02x}000000"}}\n'):
                    tool.stdin.write(piece.encode())
                    tool.stdin.flush()
                self.assertTrue(select.select([tool.stdout], [], [], WAIT_S)[0], "no answer")
                answer = json.loads(os.read(tool.stdout.fileno(), 65536))
                self.assertEqual(answer["fields"]["ack"], ack)
            tool.stdin.close()
            self.assertEqual(tool.wait(WAIT_S), 0)

    def test_the_answers_of_encode_are_requests_of_decode(self):
        names = [name for name in EXAMPLES if name.startswith("vehicle_")]
        lines = "".join(json.dumps(document(name)) + "\n" for name in names)
        encoded = run("encode", "--jsonl", stdin=lines).stdout
        decoded = run("decode", "--jsonl", stdin=encoded).stdout
        self.assertEqual([json.loads(line) for line in decoded.splitlines()], [document(name) for name in names])


class Fixtures(Test):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "protocol"

    def test_every_example_becomes_a_file_and_a_line_of_the_index(self):
        result = run("fixtures", str(self.folder))
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertEqual(result.stdout.decode(), f"{self.folder}: {len(EXAMPLES)} packets, and index.json that tells "
                         "what is in them\n")
        self.assertEqual({path.name for path in self.folder.iterdir()},
                         {"index.json"} | {f"{name}.bin" for name in EXAMPLES})
        text = (self.folder / "index.json").read_text(encoding="utf-8")
        index = json.loads(text)
        self.assertEqual(len(text.splitlines()), len(index) + 2)
        self.assertEqual([entry["name"] for entry in index], sorted(EXAMPLES))
        for entry in index:
            packet = (self.folder / f"{entry['name']}.bin").read_bytes()
            self.assertEqual(list(entry), ["name", "packet", "direction", "size", "fields"])
            self.assertEqual(entry["size"], len(packet))
            self.assertEqual({"packet": entry["packet"], "fields": entry["fields"]}, document(entry["name"]))
        answers = self.lines("decode", [
            {"hex": (self.folder / f"{entry['name']}.bin").read_bytes().hex(), "direction": entry["direction"]}
            for entry in index])
        self.assertEqual(answers, [{"packet": entry["packet"], "fields": entry["fields"]} for entry in index])

    def test_a_second_run_writes_the_same(self):
        run("fixtures", str(self.folder))
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        (self.folder / "client_bye.bin").write_bytes(b"spoiled")
        (self.folder / "mine.txt").write_bytes(b"kept")
        run("fixtures", str(self.folder))
        after = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.assertEqual(after.pop("mine.txt"), b"kept")
        self.assertEqual(after, before)

    def test_a_folder_that_cannot_be_written_to(self):
        self.assert_fails(run("fixtures", "/no/such/folder"), 1, "/no/such/folder: No such file or directory")
        self.folder.write_bytes(b"")
        self.assert_fails(run("fixtures", str(self.folder)), 1, f"{self.folder}: Not a directory")

    def test_a_failed_write_leaves_the_old_file(self):
        run("fixtures", str(self.folder))
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        (self.folder / ".client_bye.bin.draft").mkdir()
        self.assert_fails(run("fixtures", str(self.folder)), 1, "client_bye.bin: Is a directory")
        (self.folder / ".client_bye.bin.draft").rmdir()
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)


class List(Test):
    def test_every_packet_has_a_row(self):
        header, *rows = run("list").stdout.decode().splitlines()
        packets = json.loads(run("list", "--json").stdout)
        self.assertEqual(header.split(), ["id", "name", "direction", "lane", "delivery", "size", "page"])
        self.assertEqual([row.split()[:2] for row in rows], [[f"0x{p['id']:02X}", p["name"]] for p in packets])
        self.assertEqual(len({p["id"] for p in packets}), 163)
        self.assertEqual([p["name"] for p in packets if p["id"] == 0xFF],
                         ["QueryRequest", "QueryInfo", "QueryPlayers", "QueryRules"])
        self.assertEqual(packets, sorted(packets, key=lambda p: p["id"]))
        self.assertEqual({p["name"] for p in packets}, {example["packet"] for example in EXAMPLES.values()})

    def test_a_row_tells_lane_delivery_and_size(self):
        rows = {row.split()[1]: row.split() for row in run("list").stdout.decode().splitlines()}
        self.assertEqual(rows["VehicleEnter"], ["0x37", "VehicleEnter", "c2s", "reliable", "-", "18", "Vehicles"])
        self.assertEqual(rows["VehicleSync"],
                         ["0x36", "VehicleSync", "s2c", "reliable", "droppable", "79", "Vehicles"])
        self.assertEqual(rows["PlayerSync"][2:4], ["c2s", "unreliable"])
        self.assertRegex(rows["ClientChat"][5], r"^\d+\.\.=\d+$")
        self.assertTrue(max(map(len, run("list").stdout.decode().splitlines())) <= 110)


class CommandLine(Test):
    def test_wrong_usage_says_what_to_do(self):
        for arguments, message in (
            (["frobnicate"], 'there is no command "frobnicate" (see dlmp-packet --help)'),
            (["-x"], 'there is no command "-x" (see dlmp-packet --help)'),
            (["decode", "--frobnicate"], "decode: unknown option --frobnicate (see dlmp-packet decode --help)"),
            (["decode", "-x"], "decode: unknown option -x (see dlmp-packet decode --help)"),
            (["decode", "--hex"], "decode: --hex needs a value (see dlmp-packet decode --help)"),
            (["decode", "--jsonl=1"], "decode: --jsonl=1: this option takes no value (see dlmp-packet decode --help)"),
            (["decode", "--direction", "up"],
             'decode: --direction is c2s or s2c, not "up" (see dlmp-packet decode --help)'),
            (["decode", "a", "b"], 'decode: unexpected "b" (see dlmp-packet decode --help)'),
            (["decode", "a", "--hex", "0f"],
             "decode: a packet comes from FILE, --hex or --jsonl, only one of them (see dlmp-packet decode --help)"),
            (["decode", "a", "--jsonl"],
             "decode: a packet comes from FILE, --hex or --jsonl, only one of them (see dlmp-packet decode --help)"),
            (["encode", "a", "--jsonl"], "encode: --jsonl reads standard input and answers in hex, it goes with "
             "nothing else (see dlmp-packet encode --help)"),
            (["fixtures"], "fixtures: expected the folder to write into (see dlmp-packet fixtures --help)"),
            (["list", "x"], 'list: unexpected "x" (see dlmp-packet list --help)'),
            (["list", "--direction", "c2s"], "list: unknown option --direction (see dlmp-packet list --help)"),
        ):
            with self.subTest(arguments):
                self.assert_fails(run(*arguments), 2, message)
        result = run()
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b"usage: dlmp-packet COMMAND", result.stderr)

    def test_help_and_version_go_to_standard_output(self):
        for arguments in (["--help"], ["decode", "--help"], ["encode", "--help"], ["fixtures", "--help"],
                          ["list", "--help"], ["--version"]):
            with self.subTest(arguments):
                result = run(*arguments)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                self.assertTrue(result.stdout)
        self.assertIn(b"146", run("--version").stdout)

    def test_the_examples_of_the_help_work(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "fixtures").mkdir()
            run("fixtures", "fixtures/protocol", cwd=folder)
            pathlib.Path(folder, "packet.bin").write_bytes(bytes.fromhex("0f07000000"))
            pathlib.Path(folder, "ack.json").write_text('{"packet":"ServerAck","fields":{"ack":7}}', encoding="utf-8")
            for command in ([], ["decode"], ["encode"], ["fixtures"], ["list"]):
                text = run(*command, "--help").stdout.decode()
                examples = [line.strip() for line in text.split("example")[-1].splitlines()[1:] if line.strip()]
                self.assertTrue(examples)
                for example in examples:
                    with self.subTest(example):
                        path = f"{pathlib.Path(TOOL).parent}:{os.environ['PATH']}"
                        subprocess.run(["bash", "-o", "pipefail", "-c", example], cwd=folder, check=True,
                                       env={**os.environ, "PATH": path}, stdout=subprocess.DEVNULL, timeout=WAIT_S)


class FailedWrites(Test):
    COMMANDS = (["list"], ["list", "--json"], ["--help"], ["--version"], ["decode", "--help"],
                ["decode", "--hex", "0f07000000"], ["encode"], ["encode", "--hex"], ["encode", "--jsonl"])
    ACK = b'{"packet":"ServerAck","fields":{"ack":7}}'

    def test_a_full_disk_is_noticed(self):
        for arguments in self.COMMANDS:
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = subprocess.run([TOOL, *arguments], input=self.ACK, stdout=full, stderr=subprocess.PIPE,
                                        timeout=WAIT_S)
                self.assertEqual(result.returncode, 1)
                self.assertEqual(result.stderr, b"dlmp-packet: standard output: No space left on device\n")

    def test_a_closed_pipe_is_noticed(self):
        for arguments in self.COMMANDS:
            with self.subTest(arguments):
                reader, writer = os.pipe()
                os.close(reader)
                result = subprocess.run([TOOL, *arguments], input=self.ACK, stdout=writer, stderr=subprocess.PIPE,
                                        timeout=WAIT_S)
                os.close(writer)
                self.assertEqual(result.returncode, 1)
                self.assertEqual(result.stderr, b"dlmp-packet: standard output: Broken pipe\n")

    def test_lines_end_when_nobody_reads_the_answers(self):
        reader, writer = os.pipe()
        os.close(reader)
        with subprocess.Popen(["yes", self.ACK.decode()], stdout=subprocess.PIPE) as endless:
            result = subprocess.run([TOOL, "encode", "--jsonl"], stdin=endless.stdout, stdout=writer,
                                    stderr=subprocess.PIPE, timeout=WAIT_S)
            endless.kill()
        os.close(writer)
        self.assertEqual((result.returncode, result.stderr), (1, b"dlmp-packet: standard output: Broken pipe\n"))


if __name__ == "__main__":
    unittest.main()
