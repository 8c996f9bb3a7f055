"""dlmpctl: a cluster started, supervised and ended with a real Redis and stand-ins for the other programs; what it says
when something is missing or wrong; the commands that ask a coordinator; and, where all programs are built, the whole."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("DLMP_BUILD", "build")).resolve()
TOOL = BUILD / "dlmpctl"
PROGRAMS = ("dlmp-coordinator", "dlmp-shard", "dlmp-gateway", "dlmp-bots")
PROCESSES = ("coordinator", "shard-1", "shard-2", "gateway-1")  # of a cluster as it is without options, Redis aside
WAIT_S = 30
# As `make run` starts it: 15 vehicles on each of two shards.
FREEROAM = ("--world", ROOT / "deploy/world.yaml", "--resources", ROOT / "deploy/resources", "--resource", "freeroam")
END_S = 5  # what dlmpctl promises

# Stands in for each of the four programs. It keeps to their command line, answers as a coordinator's admin server does,
# and writes what happens to it into the folder $STAND_INS: NAME.started for each start, NAME.ended when it was asked to
# end. What it finds there tells it how to behave: NAME.fail makes it fail, NAME.stubborn ignore SIGTERM, NAME.flood
# print without end, unready makes the coordinator answer so.
STAND_IN = r'''#!/usr/bin/python3 -BIS
import os, pathlib, signal, sys, time

role = pathlib.Path(sys.argv[0]).name.removeprefix("dlmp-")
KEYS = {
    "coordinator": "bus.endpoint redis.socket cluster.shards admin.listen admin.port spawns server.name log.level",
    "shard": "name bus.endpoint bus.coordinator admin.listen admin.port vehicles log.level",
    "gateway": "name bus.coordinator admin.listen admin.port udp.address udp.port egress.window_us log.level",
}
settings, path = {}, []
if "--config" in sys.argv:
    for line in open(sys.argv[sys.argv.index("--config") + 1]):
        indent, (key, _, value) = len(line) - len(line.lstrip()), line.strip().partition(":")
        if key.startswith("-"):
            continue
        path[indent // 2:] = [key]
        settings[".".join(path)] = value.strip().strip('"')
if "--check-config" in sys.argv:
    if settings.get("log.level") == "loud":
        sys.exit(sys.stderr.write("log.level: expected one of debug, info\n") and 2)
    for key in KEYS[role].split():
        print(f"{key}: {settings.get(key, '')}  # default")
    sys.exit(0)

name = settings.get("name", role)
here = pathlib.Path(os.environ["STAND_INS"])
note = lambda what, text="": open(here / f"{name}.{what}", "a").write(f"{text}\n")
note("started", f"{os.getpid()} {time.monotonic()} {' '.join(sys.argv[1:])}")
note("environment", "\n".join(f"{key}={value}" for key, value in os.environ.items()))
fail = here / f"{name}.fail"
if fail.exists():
    print(f"{name} fails now", flush=True)
    sys.exit(int(fail.read_text()))

def end(*_):
    note("ended", str(time.monotonic()))
    if not (here / f"{name}.stubborn").exists():
        print(f"{name} ends", flush=True)
        os._exit(0)
signal.signal(signal.SIGTERM, end)

def serve():
    import http.server, threading
    class Admin(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            ready = self.path != "/readyz" or not (here / "unready").exists()
            body = b"{}" if ready else b'{"error":"no shard is there"}'
            self.send_response(200 if ready else 503)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *_):
            pass
    server = http.server.HTTPServer((settings["admin.listen"], int(settings["admin.port"])), Admin)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

print(f"{name} begins", flush=True)
if role == "coordinator":
    serve()
while True:
    if (here / f"{name}.flood").exists():
        os.write(1, b"x" * 9999 + b"\n")
    else:
        time.sleep(0.02)
'''


def needs_dlmpctl(case):
    return unittest.skipUnless(TOOL.exists(), f"{TOOL} is not built")(case)


def is_alive(pid):
    with contextlib.suppress(OSError, IndexError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


class Output:
    """What a process prints, line by line, as it comes."""

    def __init__(self, stream):
        self.lines = []
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self.read, args=(stream,), daemon=True)
        self.thread.start()

    def read(self, stream):
        for line in stream:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()

    def wait_for(self, pattern, count=1, timeout=WAIT_S):
        def matching():
            return [line for line in self.lines if re.search(pattern, line)]
        with self.changed:
            if not self.changed.wait_for(lambda: len(matching()) >= count, timeout):
                raise AssertionError(f"no {pattern!r} within {timeout} s in:\n" + "\n".join(self.lines[-40:]))
            return matching()[count - 1]


class Up:
    """A running dlmpctl up."""

    def __init__(self, tool, *arguments, env=None, **options):
        self.process = subprocess.Popen([tool, "up", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, errors="replace", env=env, **options)
        self.out, self.err = Output(self.process.stdout), Output(self.process.stderr)
        self.pids = set()

    def wait_until_ready(self, *stand_ins):
        """And until these stand-ins can tell what happens to them."""
        line = self.out.wait_for("^ready ")
        for name in stand_ins:
            self.err.wait_for(rf"^{name} +\| {name} begins")
        self.admin = line.rsplit("admin=", 1)[1]
        self.gateways = re.search(r"gateway=(\S+)", line)[1].split(",")
        return line

    def pid_of(self, name, count=1):
        pid = int(re.search(r"\(pid (\d+)\)", self.err.wait_for(rf"\| {name} started", count))[1])
        self.pids.add(pid)
        return pid

    def note_pids(self):
        with self.err.changed:
            lines = list(self.err.lines)
        self.pids |= {int(match[1]) for line in lines if (match := re.search(r"started \(pid (\d+)\)", line))}
        return self.pids

    def end(self, number=signal.SIGTERM):
        """The exit status, and how long it took."""
        started = time.monotonic()
        self.process.send_signal(number)
        status = self.wait()
        return status, time.monotonic() - started

    def wait(self):
        status = self.process.wait(WAIT_S)
        for output in (self.out, self.err):
            output.thread.join(WAIT_S)
        self.note_pids()
        return status

    def destroy(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for output in (self.out, self.err):
            output.thread.join(WAIT_S)
        self.process.stdout.close()
        self.process.stderr.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="ctl-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def run_tool(self, *arguments, tool=None, **options):
        return subprocess.run([tool or TOOL, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=WAIT_S, **options)

    def assert_fails(self, result, status, pattern):
        """One clear sentence."""
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, rf"\Adlmpctl: [^\n]*{pattern}[^\n]*\n\Z")


@needs_dlmpctl
class CommandLine(Case):
    def test_help_and_version_go_to_standard_output(self):
        for arguments in (["--help"], ["-h"], ["--version"]):
            result = self.run_tool(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("dlmpctl", result.stdout)

    def test_every_command_has_help_with_an_example(self):
        listed = re.findall(r"^  (\w+)  ", self.run_tool("--help").stdout, re.M)
        self.assertEqual(listed, ["up", "status", "players", "kick", "ban", "unban", "bans", "say"])
        listed += ["allow", "disallow", "resource"]
        for command in listed:
            result = self.run_tool(command, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)
            self.assertTrue(result.stdout.startswith(f"usage: dlmpctl {command} "), command)
            self.assertRegex(result.stdout, rf"examples?:\n  dlmpctl {command}")

    def test_wrong_usage_is_told_with_where_to_find_help(self):
        cases = {
            (): "a command is missing",
            ("fly",): "unknown command 'fly'",
            ("up", "--shards", "0"): "--shards: expected a whole number from 1 to 64, not '0'",
            ("up", "--shards", "-1"): "--shards: expected",
            ("up", "--shards", "2x"): "--shards: expected",
            ("up", "--port", "65536"): "--port: expected",
            ("up", "--port", "65535", "--gateways", "2"): "beyond the last port",
            ("up", "--bots"): "--bots needs a value",
            ("up", "--fly"): "unknown option '--fly'",
            ("up", "--resource", "freeroam"): "--resource needs --resources",
            ("up", "here"): "unexpected 'here'",
            ("up", "--set", "log.level"): "expected KEY=VALUE, not 'log.level'",
            ("up", "--set", "=debug"): "expected KEY=VALUE",
            ("status", "--fly"): "unknown option '--fly'",
            ("status", "--for", "2h"): "unknown option",
            ("status", "--admin", "ftp://x"): "is no address",
            ("status", "--admin", "http://127.0.0.1:99999"): "is no address",
            ("status", "now"): "unexpected 'now'",
            ("kick",): "something is missing",
            ("kick", "alice"): "'alice' is no player's id",
            ("ban", "10.0.0.1", "--for", "soon"): "--for: expected a time like",
            ("ban", "10.0.0.1", "--for", "0h"): "--for: expected a time like",
            ("ban", "10.0.0.1", "why", "not"): "unexpected 'not'",
            ("ban", "account", "alice"): "'alice' is no account's id",
            ("unban", "10.0.0.1", "now"): "unexpected 'now'",
            ("say", "a", "b"): "unexpected 'b'",
        }
        for arguments, expected in cases.items():
            with self.subTest(arguments=arguments):
                self.assert_fails(self.run_tool(*arguments), 2, re.escape(expected))

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([TOOL, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=WAIT_S)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)


class Coordinator(http.server.BaseHTTPRequestHandler):
    """Answers what `answers` says, and keeps what it was asked."""

    answers, asked = {}, []

    def do_GET(self):
        self.answer(None)

    def do_POST(self):
        self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def answer(self, body):
        self.asked.append((self.path, body, self.headers["Content-Type"]))
        status, answer = self.answers.get(self.path, (404, "nothing"))
        answer = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer) + (1000 if status == 299 else 0)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


STATUS = {
    "ready": True, "unready": None, "players": 3, "max_players": 1000,
    "processes": [
        {"role": "coordinator", "name": "coordinator", "pid": 7, "boot": "00c0ffee", "state": "up", "since_s": 90},
        {"role": "shard", "name": "shard-1", "pid": 1234567, "boot": "1", "state": "up", "since_s": 8},
    ],
    "shards": [{"name": "shard-1", "state": "up", "slots": [0, 1], "players": 3, "vehicles": 30, "tick_ms": 0.512}],
    "gateways": [{"name": "gateway-1", "state": "up", "endpoint": "127.0.0.1:7777", "connections": 3,
                  "packets_in_per_s": 90.4, "packets_out_per_s": 180}],
    "redis": {"connected": True, "since_s": 90, "error": None}, "map": {"revision": 9, "slots": []},
}


@needs_dlmpctl
class AsksCoordinator(Case):
    def setUp(self):
        super().setUp()
        Coordinator.answers, Coordinator.asked = {"/api/status": (200, STATUS)}, []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Coordinator)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"

    def ask(self, *arguments, **options):
        return self.run_tool(*arguments, "--admin", self.url, **options)

    def test_status_is_a_table_for_people(self):
        result = self.ask("status")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, """\
cluster   ready
players   3 of 1000
redis     connected
map       revision 9

PROCESS      ROLE             PID  STATE  UP S  BOOT
coordinator  coordinator        7  up       90  00c0ffee
shard-1      shard        1234567  up        8  1

SHARD    STATE  SLOTS     PLAYERS  VEHICLES  TICK MS
shard-1  up     [ 0, 1 ]        3        30      0.5

GATEWAY    STATE  ENDPOINT        CONNECTIONS  IN/S  OUT/S
gateway-1  up     127.0.0.1:7777            3    90    180
""")

    def test_status_says_what_is_missing(self):
        Coordinator.answers["/api/status"] = (200, {**STATUS, "ready": False, "unready": "no gateway is there",
                                                    "redis": {"connected": False, "since_s": 5, "error": "refused"}})
        self.assertIn("cluster   not ready: no gateway is there\nplayers   3 of 1000\nredis     away for 5 s: refused\n",
                      self.ask("status").stdout)

    def test_bans_are_both_lists(self):
        Coordinator.answers["/api/bans"] = (200, {
            "allow_list": False, "allowed": [],
            "banned": [{"subject": "address 10.0.0.0/8", "text": "no", "seconds_left": None},
                       {"subject": "name alice", "text": "", "seconds_left": 60}]})
        self.assertEqual(self.ask("bans").stdout, """\
BANNED              SECONDS LEFT  WHY
address 10.0.0.0/8                no
name alice          60

ALLOWED  SECONDS LEFT  WHY
(the allow list is off: everybody may come in)
""")

    def test_status_is_json_for_programs(self):
        result = self.ask("status", "--json")
        self.assertEqual(json.loads(result.stdout), STATUS)

    def test_the_address_may_come_from_the_environment(self):
        result = self.run_tool("status", env={"DLMPCTL_ADMIN": self.url})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_what_players_wrote_does_not_reach_the_terminal_as_it_is(self):
        Coordinator.answers["/api/players"] = (200, {"players": [{"id": 1, "name": "a\x1b[2Jb\nc\u202e"}]})
        result = self.ask("players")
        self.assertEqual(result.returncode, 0)
        self.assertNotIn("\x1b", result.stdout)
        self.assertEqual(len(result.stdout.splitlines()), 2)

    def test_nobody_there(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        for command in (["status"], ["players"], ["kick", "1"], ["say", "hi"], ["resource", "list"],
                        ["resource", "reload", "race"]):
            self.assert_fails(self.run_tool(*command, "--admin", url), 3,
                              f"no coordinator answers at {re.escape(url)}: is the cluster running\\?")

    def test_somebody_else_there(self):
        for answer in ((404, "<html>"), (200, "<html>"), (200, "[]"), (200, "")):
            Coordinator.answers["/api/status"] = answer
            self.assert_fails(self.ask("status"), 1, "is no coordinator")

    def test_an_answer_that_is_cut_short_is_none(self):
        Coordinator.answers["/api/status"] = (299, STATUS)
        self.assert_fails(self.ask("status"), 3, "no coordinator answers")

    def test_orders_say_what_they_are_about(self):
        cases = {
            ("kick", "17"): ("/api/kick", {"player": 17}),
            ("kick", "17", "please leave"): ("/api/kick", {"player": 17, "text": "please leave"}),
            ("kick", "name", "17"): ("/api/kick", {"name": "17"}),
            ("ban", "10.0.0.0/8"): ("/api/ban", {"address": "10.0.0.0/8"}),
            ("ban", "name", "alice", "bye", "--for", "2h"):
                ("/api/ban", {"name": "alice", "text": "bye", "seconds": 7200}),
            ("ban", "account", str(2**64 - 1), "--for", "7d"): ("/api/ban", {"account": 2**64 - 1, "seconds": 604800}),
            ("unban", "name", "alice"): ("/api/unban", {"name": "alice"}),
            ("allow", "2001:db8::/32", "home"): ("/api/allow", {"address": "2001:db8::/32", "text": "home"}),
            ("disallow", "account", "5"): ("/api/disallow", {"account": 5}),
            ("say", 'hello "you"\n'): ("/api/say", {"text": 'hello "you"\n'}),
        }
        Coordinator.answers = {path: (200, {"ok": True}) for path, _ in cases.values()}
        for arguments, (path, body) in cases.items():
            with self.subTest(arguments=arguments):
                result = self.ask(*arguments)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
                self.assertEqual(Coordinator.asked[-1], (path, body, "application/json"))

    def test_an_order_for_a_resource_waits_for_the_shards(self):
        def order(*shards):
            return {"order": 17, "done": True, "ok": all(state == "done" for _, state, _ in shards),
                    "shards": [dict(zip(("shard", "state", "error"), shard)) for shard in shards]}
        Coordinator.answers["/api/resource"] = (200, {"order": 17})
        Coordinator.answers["/api/orders/17"] = (200, order(("shard-1", "done", ""), ("shard-2", "done", "")))
        result = self.ask("resource", "reload", "race-2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn(("/api/resource", {"op": "reload", "name": "race-2"}, "application/json"), Coordinator.asked)
        self.assertRegex(result.stdout, r"\nshard-1 +done\nshard-2 +done\n")
        Coordinator.answers["/api/orders/17"] = (200, order(("shard-1", "done", ""),
                                                            ("shard-2", "failed", "main.lua:3: no\x1b[2J")))
        result = self.ask("resource", "start", "race")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"\nshard-2 +failed +main\.lua:3: no")
        self.assertNotIn("\x1b", result.stdout)
        result = self.ask("resource", "stop", "race", "--json")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stdout), order(("shard-1", "done", ""),
                                                          ("shard-2", "failed", "main.lua:3: no\x1b[2J")))

    def test_shards_that_do_not_answer_are_waited_for_in_vain(self):
        Coordinator.answers["/api/resource"] = (200, {"order": 1})
        Coordinator.answers["/api/orders/1"] = (200, {"order": 1, "done": False, "ok": False, "shards": [
            {"shard": "shard-1", "state": "awaited", "error": ""}]})
        start = time.monotonic()
        result = self.ask("resource", "stop", "race")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"\nshard-1 +awaited\n")
        self.assertGreater(time.monotonic() - start, 4.5)

    def test_the_list_of_resources(self):
        answer = {"resources": [{"shard": "shard-1", "name": "race", "state": "failed", "error": "main.lua:1: no"}],
                  "wishes": [{"name": "race", "wish": "start"}]}
        Coordinator.answers["/api/resources"] = (200, answer)
        result = self.ask("resource", "list")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"\nshard-1 +race +failed +main\.lua:1: no\n\nORDERED +WISH\nrace +start\n")
        self.assertEqual(json.loads(self.ask("resource", "list", "--json").stdout), answer)

    def test_an_order_that_makes_no_sense(self):
        for arguments, pattern in ((("hop", "race"), "expected list, start, stop"), (("start",), "is missing"),
                                   (("start", "../race"), "no name of a resource"), (("list", "race"), "unexpected"),
                                   (("start", "Race"), "no name"), (("start", "a" * 49), "no name"),
                                   (("start", "race", "more"), "unexpected 'more'"), ((), "missing")):
            with self.subTest(arguments=arguments):
                result = self.ask("resource", *arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(result.stderr, pattern)
        self.assertEqual(Coordinator.asked, [])

    def test_a_refusal_is_passed_on(self):
        Coordinator.answers["/api/kick"] = (404, {"error": "no player has the id 17"})
        self.assert_fails(self.ask("kick", "17"), 1, "kick: no player has the id 17")


@needs_dlmpctl
class UpCase(Case):
    """Stand-ins beside a copy of dlmpctl, which looks for its programs there."""

    def setUp(self):
        super().setUp()
        self.bin, self.stand_ins, self.tmp = (self.dir / name for name in ("bin", "stand-ins", "tmp"))
        for folder in (self.bin, self.stand_ins, self.tmp):
            folder.mkdir()
        self.tool = self.bin / "dlmpctl"
        shutil.copy(TOOL, self.tool)
        for program in PROGRAMS:
            (self.bin / program).write_text(STAND_IN)
            (self.bin / program).chmod(0o755)
        self.env = {**os.environ, "STAND_INS": str(self.stand_ins), "TMPDIR": str(self.tmp)}

    def up(self, *arguments, **options):
        up = Up(self.tool, "--port", "0", "--admin-port", "0", *arguments, env=self.env, **options)
        self.addCleanup(up.destroy)
        return up

    def try_up(self, *arguments, **options):
        """For what fails before anything is started."""
        ports = () if "--port" in arguments else ("--port", "0")
        ports += () if "--admin-port" in arguments else ("--admin-port", "0")
        result = self.run_tool("up", *ports, *arguments, tool=self.tool, **{"env": self.env, **options})
        self.assertEqual(list(self.stand_ins.glob("*.started")), [])
        self.assertEqual(list(self.tmp.iterdir()), [])
        return result

    def behave(self, name, what="1"):
        (self.stand_ins / name).write_text(what)

    def starts(self, name):
        path = self.stand_ins / f"{name}.started"
        return path.read_text().splitlines() if path.exists() else []

    def assert_nothing_left(self, up):
        self.assertTrue(up.pids)
        self.assertEqual([pid for pid in up.pids if is_alive(pid)], [])
        self.assertEqual(list(self.tmp.iterdir()), [])


class UpRuns(UpCase):
    def test_a_cluster_comes_up_says_so_once_and_goes(self):
        up = self.up("--shards", "2", "--gateways", "2", "--bots", "3")
        line = up.wait_until_ready("bots")
        self.assertRegex(line, r"\Aready gateway=127\.0\.0\.1:\d+,127\.0\.0\.1:\d+ admin=http://127\.0\.0\.1:\d+\Z")
        bots = up.pid_of("bots")
        self.assertTrue(is_alive(bots))
        status, seconds = up.end()
        self.assertEqual(status, 0, up.err.lines)
        self.assertLess(seconds, END_S)
        self.assertEqual(up.out.lines, [line])
        self.assert_nothing_left(up)
        self.assertIn(f"--server {','.join(up.gateways)} --count 3 --time 0", self.starts("bots")[0])

    def test_processes_end_in_order(self):
        up = self.up("--bots", "1")
        up.wait_until_ready("bots", *PROCESSES)
        up.end()
        ended = [float((self.stand_ins / f"{name}.ended").read_text())
                 for name in ("bots", "gateway-1", "shard-1", "coordinator")]
        self.assertEqual(ended, sorted(ended))
        last = up.err.wait_for(r"^redis +\| .*Redis is now ready to exit")
        self.assertLess(up.err.lines.index(up.err.wait_for(r"coordinator ends")), up.err.lines.index(last))

    def test_every_line_has_the_name_of_its_process(self):
        up = self.up()
        up.wait_until_ready(*PROCESSES)
        up.end()
        for name in ("coordinator", "shard-1", "shard-2", "gateway-1"):
            self.assertIn(f"{name:<11} | {name} begins", up.err.lines)
        for line in up.err.lines:
            self.assertRegex(line, r"\A(dlmpctl|redis|coordinator|shard-[12]|gateway-1) *\| ")

    def test_each_process_is_told_what_is_its_own(self):
        state = self.dir / "state"
        up = self.up("--state", state, "--gateways", "2")
        up.wait_until_ready()
        files = {path.stem: path.read_text() for path in state.glob("*.yaml")}
        self.assertEqual(sorted(files), ["coordinator", "gateway-1", "gateway-2", "shard-1", "shard-2"])
        self.assertIn(f'endpoint: "ipc://{state}/coordinator.bus"', files["coordinator"])
        self.assertIn("shards: 2", files["coordinator"])
        self.assertIn(f'endpoint: "ipc://{state}/shard-2.bus"', files["shard-2"])
        self.assertIn(f'coordinator: "ipc://{state}/coordinator.bus"', files["gateway-1"])
        self.assertEqual([re.search(r"udp:\n  address: (\S+)\n  port: (\d+)", files[f"gateway-{i}"]).groups()
                          for i in (1, 2)], [tuple(gateway.split(":")) for gateway in up.gateways])
        ports = re.findall(r"admin:\n  listen: \S+\n  port: (\d+)", "".join(files.values()))
        self.assertEqual((len(ports), len(set(ports))), (5, 5))
        up.end()

    def test_settings_reach_the_processes_that_have_them(self):
        state = self.dir / "state"
        up = self.up("--state", state, "--set", "log.level=debug", "--set", "server.name=A \"b\": c",
                     "--set", "udp.address=127.0.0.2")
        self.assertIn("gateway=127.0.0.2:", up.wait_until_ready())
        for name in ("coordinator", "shard-1", "shard-2", "gateway-1"):
            text = (state / f"{name}.yaml").read_text()
            self.assertIn("log:\n  level: debug\n", text)
            self.assertEqual('name: "A \\"b\\": c"' in text, name == "coordinator")
        up.end()

    def test_the_environment_does_not_override_what_up_sets(self):
        self.env.update(DLMP_GATEWAY_UDP_PORT="1", DLMP_GATEWAY_EGRESS_WINDOW_US="0", DLMP_SHARD_NAME="x")
        up = self.up("--shards", "1")
        up.wait_until_ready("gateway-1", "shard-1")
        up.end()
        gateway, shard = ((self.stand_ins / f"{name}.environment").read_text() for name in ("gateway-1", "shard-1"))
        self.assertNotIn("DLMP_GATEWAY_UDP_PORT", gateway)
        self.assertIn("DLMP_GATEWAY_EGRESS_WINDOW_US=0", gateway)
        self.assertNotIn("DLMP_SHARD_NAME", shard)

    def test_the_world_is_shared_out(self):
        world = self.dir / "world.yaml"
        world.write_text("spawns:\n- {x: 1.5, y: -2, skin: 7}\nvehicles:\n- model: 411\n  x: 3\n- {model: 400}\n")
        state = self.dir / "state"
        up = self.up("--state", state, "--world", world)
        up.wait_until_ready()
        self.assertIn("spawns:\n  - { x: 1.5, y: -2, skin: 7 } # line 2\n", (state / "coordinator.yaml").read_text())
        for name in ("shard-1", "shard-2"):
            self.assertIn("vehicles:\n  - { model: 411, x: 3 } # line 4\n  - { model: 400 } # line 6\n",
                          (state / f"{name}.yaml").read_text())
        up.end()

    def test_every_shard_is_told_the_resources(self):
        state = self.dir / "state"
        (self.dir / "resources").mkdir()
        up = self.up("--state", state, "--resources", self.dir / "resources", "--resource", "one", "--resource", "two")
        up.wait_until_ready()
        for name in ("shard-1", "shard-2"):
            text = (state / f"{name}.yaml").read_text()
            self.assertIn(f"folder: {self.dir}/resources\n", text)
            self.assertIn("start:\n  - one\n  - two\n", text)
            self.assertIn(f"off_file: {state}/{name}.off\n", text)
        up.end()

    def test_a_state_folder_is_kept_and_its_sockets_are_not(self):
        state = self.dir / "state"
        for _ in range(2):
            up = self.up("--state", state)
            up.wait_until_ready()
            self.assertTrue((state / "redis.sock").is_socket())
            self.assertEqual(state.stat().st_mode & 0o777, 0o700)
            self.assertEqual((state / "shard-1.yaml").stat().st_mode & 0o777, 0o600)
            self.assertEqual(up.end()[0], 0)
        self.assertTrue(list((state / "redis").rglob("*.aof")))
        self.assertEqual([path for path in state.rglob("*") if path.is_socket()], [])
        self.assert_nothing_left(up)


class UpSupervises(UpCase):
    def test_a_process_that_dies_is_started_again(self):
        up = self.up()
        up.wait_until_ready()
        for name in ("shard-1", "coordinator", "gateway-1", "redis"):
            os.kill(up.pid_of(name), signal.SIGKILL)
            up.err.wait_for(rf"^dlmpctl +\| {name} died \(signal 9 \(Killed\)\), starting it again in 250 ms")
            up.pid_of(name, count=2)
        self.assertEqual(up.end()[0], 0)
        self.assertEqual(len(up.out.lines), 1)
        self.assert_nothing_left(up)

    def test_the_pause_grows_while_it_keeps_dying(self):
        up = self.up()
        up.wait_until_ready()
        self.behave("shard-2.fail", "1")
        os.kill(up.pid_of("shard-2"), signal.SIGKILL)
        for pause in (250, 500, 1000):
            up.err.wait_for(rf"shard-2 died .* starting it again in {pause} ms")
        (self.stand_ins / "shard-2.fail").unlink()
        up.pid_of("shard-2", count=4)
        self.assertEqual(up.end()[0], 0)

    def test_what_it_said_last_is_not_lost(self):
        up = self.up()
        up.wait_until_ready()
        self.behave("shard-1.fail", "1")
        os.kill(up.pid_of("shard-1"), signal.SIGKILL)
        up.err.wait_for(r"^shard-1 +\| shard-1 fails now$")
        up.end()

    def test_one_that_floods_does_not_block_the_others(self):
        up = self.up()
        up.wait_until_ready(*PROCESSES)
        self.behave("shard-1.flood")
        up.err.wait_for(r"^shard-1 +\| x{3000}", count=5)
        os.kill(up.pid_of("shard-2"), signal.SIGKILL)
        up.err.wait_for(r"^shard-2 +\| shard-2 begins", count=2, timeout=5)
        status, seconds = up.end()
        self.assertEqual(status, 0)
        self.assertLess(seconds, END_S)

    def test_nobody_waits_for_a_reader_that_stands_still(self):
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        process = subprocess.Popen([self.tool, "up", "--port", "0", "--admin-port", "0"], stdout=subprocess.PIPE,
                                   stderr=write, stdin=subprocess.DEVNULL, env=self.env, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        os.close(write)
        self.behave("gateway-1.flood")
        self.assertRegex(process.stdout.readline(), "^ready ")
        started = time.monotonic()
        process.terminate()
        self.assertEqual(process.wait(WAIT_S), 0)
        self.assertLess(time.monotonic() - started, END_S)

    def test_one_that_does_not_end_is_killed(self):
        up = self.up("--bots", "1")
        up.wait_until_ready("bots", *PROCESSES)
        for name in ("bots", "gateway-1", "shard-1", "coordinator"):
            self.behave(f"{name}.stubborn")
        status, seconds = up.end()
        self.assertEqual(status, 0)
        self.assertLess(seconds, END_S)
        self.assertTrue(any("shard-1 did not end in time: killed" in line for line in up.err.lines), up.err.lines)
        self.assert_nothing_left(up)

    def test_a_second_signal_ends_it_at_once(self):
        up = self.up()
        up.wait_until_ready(*PROCESSES)
        self.behave("gateway-1.stubborn")
        up.process.send_signal(signal.SIGINT)
        up.err.wait_for("ending all")
        status, seconds = up.end(signal.SIGINT)
        self.assertEqual(status, 0)
        self.assertLess(seconds, 1.5)
        self.assert_nothing_left(up)

    def test_a_signal_during_the_start_ends_it(self):
        self.behave("unready")
        up = self.up()
        up.err.wait_for(r"^dlmpctl +\| waiting: no shard is there$")
        status, seconds = up.end(signal.SIGINT)
        self.assertEqual((status, up.out.lines), (0, []))
        self.assertLess(seconds, END_S)
        self.assert_nothing_left(up)

    def test_a_signal_right_at_the_start_ends_it(self):
        up = self.up()
        time.sleep(0.02)
        status, seconds = up.end()
        self.assertIn(status, (0, -signal.SIGTERM))
        self.assertLess(seconds, END_S)
        self.assertEqual(list(self.tmp.iterdir()), [])

    def test_nothing_lives_on_when_it_is_killed_itself(self):
        state = self.dir / "state"
        up = self.up("--state", state)
        up.wait_until_ready()
        pids = up.note_pids()
        self.assertEqual(len(pids), 5)
        up.process.kill()
        up.wait()
        until = time.monotonic() + END_S
        while any(map(is_alive, pids)) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual([pid for pid in pids if is_alive(pid)], [])
        again = self.up("--state", state)
        again.wait_until_ready()
        self.assertEqual(again.end()[0], 0)

    def test_a_ctrl_c_at_the_terminal_reaches_dlmpctl_alone(self):
        up = self.up(start_new_session=True)
        up.wait_until_ready(*PROCESSES)
        os.killpg(up.process.pid, signal.SIGINT)
        self.assertEqual(up.wait(), 0)
        ended = [float((self.stand_ins / f"{name}.ended").read_text())
                 for name in ("gateway-1", "shard-1", "coordinator")]
        self.assertEqual(ended, sorted(ended))
        self.assert_nothing_left(up)


class UpRefuses(UpCase):
    def test_a_port_in_use(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket() as tcp:
            udp.bind(("127.0.0.1", 0))
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            udp_port, tcp_port = udp.getsockname()[1], tcp.getsockname()[1]
            self.assert_fails(self.try_up("--port", str(udp_port)), 1,
                              f"UDP port {udp_port} of 127.0.0.1 is in use: .* --port takes another one")
            self.assert_fails(self.try_up("--port", str(udp_port - 1), "--gateways", "2"), 1,
                              f"UDP port {udp_port} of 127.0.0.1 is in use")
            self.assert_fails(self.try_up("--admin-port", str(tcp_port)), 1,
                              f"TCP port {tcp_port} of 127.0.0.1 is in use: .* --admin-port takes another one")

    def test_a_missing_redis(self):
        self.assert_fails(self.try_up(env={**self.env, "PATH": "/nowhere::relative"}), 1,
                          "redis-server is not in \\$PATH: install the package redis-server")

    def test_a_missing_program(self):
        (self.bin / "dlmp-bots").unlink()
        self.assert_fails(self.try_up("--bots", "1"), 3, "bin/dlmp-bots is not there: it belongs beside dlmpctl")
        (self.bin / "dlmp-shard").unlink()
        self.assert_fails(self.try_up(), 3, "bin/dlmp-shard is not there")

    def test_a_folder_that_cannot_be_written(self):
        file = self.dir / "file"
        file.write_text("")
        for path in (file, file / "x", "/proc/self/x", self.dir / "no" / "where"):
            self.assert_fails(self.try_up("--state", path), 1, f"state folder {path}")
        self.assert_fails(self.try_up(env={**self.env, "TMPDIR": str(self.dir / "nowhere")}), 1,
                          "cannot make a folder in .*nowhere")

    def test_a_folder_whose_sockets_would_have_too_long_names(self):
        path = self.dir / ("x" * 90)
        self.assert_fails(self.try_up("--state", path), 1, "is too long for the sockets in it: at most \\d+ bytes")

    def test_a_folder_in_use(self):
        state = self.dir / "state"
        up = self.up("--state", state)
        up.wait_until_ready()
        result = self.run_tool("up", "--port", "0", "--admin-port", "0", "--state", state, tool=self.tool, env=self.env)
        self.assert_fails(result, 1, f"another cluster runs in {state} \\(dlmpctl up, process {up.process.pid}\\)")
        self.assertEqual(self.run_tool("up", "--port", "0", "--admin-port", "0", "--state", state, tool=self.tool,
                                       env=self.env).returncode, 1)
        self.assertTrue((state / "redis.sock").is_socket())
        self.assertEqual(up.end()[0], 0)

    def test_an_unknown_setting(self):
        self.assert_fails(self.try_up("--set", "udp.speed=9"), 2, "no process has a setting 'udp.speed'")
        self.assert_fails(self.try_up("--set", "x" * 500 + "=9"), 2, "no process has a setting 'x+'")

    def test_a_setting_of_its_own(self):
        for key in ("udp.port", "name", "bus.coordinator", "redis.socket", "spawns"):
            self.assert_fails(self.try_up("--set", f"{key}=9"), 2, f"--set {key}: this one dlmpctl up sets itself")

    def test_a_setting_that_a_program_refuses(self):
        result = self.try_up("--set", "log.level=loud")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"\Alog\.level: expected one of debug, info\ndlmpctl: coordinator does not take "
                                        r"its settings \(exit status 2\); it said why\n\Z")

    def test_resources_that_are_nowhere(self):
        self.assert_fails(self.try_up("--resources", self.dir / "none"), 1, "none: No such file")

    def test_a_world_that_is_none(self):
        world = self.dir / "world.yaml"
        self.assert_fails(self.try_up("--world", world), 1, f"cannot read the world file {world}: No such file")
        cases = {
            "- 1\n": "1: expected the lists",
            "cars: []\n": "1: unknown key",
            "vehicles: []\nvehicles: [{a: 1}]\nvehicles: []\n": "3: this list is given twice",
            "vehicles: 5\n": "1: expected a list",
            "vehicles:\n- 5\n": "2: expected an item with keys",
            "vehicles:\n- {a: [1]}\n": "2: expected a single value",
            "vehicles: [\n": "\\d: no YAML: ",
        }
        for text, complaint in cases.items():
            with self.subTest(text=text):
                world.write_text(text)
                self.assert_fails(self.try_up("--world", world), 1, f"{world}:{complaint}")
        world.write_text("#" * (1 << 20) + "\n")
        self.assert_fails(self.try_up("--world", world), 1, "it is too long")

    def assert_gives_up(self, up, sentence):
        self.assertEqual(up.wait(), 1)
        self.assertEqual(up.out.lines, [])
        self.assertRegex(up.err.lines[-1], rf"\Adlmpctl: {sentence}\Z")
        self.assert_nothing_left(up)

    def test_a_process_that_keeps_dying_at_the_start(self):
        self.behave("shard-2.fail", "1")
        self.behave("unready")
        self.assert_gives_up(self.up(), r"shard-2 cannot be started: exit status 1; its lines above say why")
        self.assertEqual(len(self.starts("shard-2")), 3)

    def test_a_process_that_says_itself_that_it_is_no_use(self):
        for status in (2, 3):
            self.behave("coordinator.fail", str(status))
            self.assert_gives_up(self.up(), f"coordinator cannot be started: exit status {status}; its lines .*")
        self.assertEqual(len(self.starts("coordinator")), 2)

    def test_a_program_that_cannot_be_run(self):
        (self.bin / "dlmp-gateway").write_text("#!/nowhere\n")
        self.assert_fails(self.try_up(), 1, "cannot run .*dlmp-gateway: No such file or directory")


@unittest.skipUnless(all((BUILD / program).exists() for program in ("dlmpctl", *PROGRAMS)), "not all programs are built")
class WholeCluster(Case):
    """The real programs."""

    def up(self, *arguments):
        up = Up(TOOL, "--port", "0", "--admin-port", "0", *arguments, env={**os.environ, "TMPDIR": str(self.dir)})
        self.addCleanup(up.destroy)
        up.wait_until_ready()
        return up

    def ask(self, up, *arguments):
        return self.run_tool(*arguments, "--admin", up.admin)

    def wait_for_status(self, up, is_reached):
        until = time.monotonic() + WAIT_S
        while True:
            result = self.ask(up, "status", "--json")
            if result.returncode == 0 and is_reached(status := json.loads(result.stdout)):
                return status
            self.assertLess(time.monotonic(), until, f"{result}\n" + "\n".join(up.err.lines[-40:]))
            time.sleep(0.1)

    def test_bots_play_and_status_shows_them(self):
        up = self.up("--bots", "10", *FREEROAM)
        status = self.wait_for_status(up, lambda status: (
            status["players"] == 10 and sum(shard["vehicles"] for shard in status["shards"]) == 30
            and sum(gateway["connections"] for gateway in status["gateways"]) == 10))  # told once a second
        self.assertTrue(status["ready"])
        self.assertEqual([shard["vehicles"] for shard in status["shards"]], [15, 15])
        self.assertTrue(status["redis"]["connected"])
        self.assertEqual({process["state"] for process in status["processes"]}, {"up"})
        self.assertIn("\ngateway-1  up ", self.ask(up, "status").stdout)
        self.assertIn("  bot7   gateway-1  shard-", self.ask(up, "players").stdout)
        ended, seconds = up.end()
        self.assertEqual(ended, 0, up.err.lines[-40:])
        self.assertLess(seconds, END_S)
        self.assertEqual([pid for pid in up.pids if is_alive(pid)], [])
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_what_is_wrong_is_named_where_it_was_written(self):
        world = self.dir / "world.yaml"

        def complaint(*arguments):
            result = self.run_tool("up", "--port", "0", "--admin-port", "0", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            return result.stderr.splitlines()[0]

        world.write_text("spawns:\n- {x: 1, y: 2, z: .inf}\n")
        self.assertEqual(complaint("--world", world),
                         f'{world}:2: spawns.z: expected a number -200..=4000, got ".inf"')
        world.write_text("# A world\nvehicles:\n- {model: 411, x: 1, y: 1, z: 3}\n\n- {model: 1, x: 1, y: 1, z: 3}\n")
        self.assertEqual(complaint("--world", world),
                         f'{world}:5: vehicles.model: expected a whole number 400..=611, got "1"')
        self.assertEqual(complaint("--set", "server.max_players=0"),
                         'server.max_players: expected a whole number 1..=65535, got "0"')

    def test_what_a_server_program_lacks_is_told_with_the_reason(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            for role in ("coordinator", "shard", "gateway"):
                with self.subTest(role=role):
                    env = {**os.environ, f"DLMP_{role.upper()}_ADMIN_PORT": port, "DLMP_GATEWAY_UDP_PORT": "0",
                           f"DLMP_{role.upper()}_BUS_ENDPOINT": f"ipc://{self.dir}/bus"}
                    env = {key: value for key, value in env.items() if key != "DLMP_GATEWAY_BUS_ENDPOINT"}
                    result = subprocess.run([BUILD / f"dlmp-{role}"], env=env, capture_output=True, text=True,
                                            timeout=WAIT_S)
                    self.assertEqual(result.returncode, 3)
                    self.assertIn(f"dlmp-{role}: admin.listen, admin.port: 127.0.0.1:{port} cannot be listened on: "
                                  "Address already in use\n", result.stderr)
                    few = subprocess.run(["sh", "-c", f"ulimit -n 12; exec {BUILD}/dlmp-{role}"], capture_output=True,
                                         text=True, timeout=WAIT_S)
                    self.assertEqual(few.returncode, 3)
                    self.assertIn("12 open files are too few: raise the limit to 64 at least (ulimit -n)", few.stderr)

    def test_orders_are_carried_out(self):
        up = self.up("--bots", "4")
        self.wait_for_status(up, lambda status: status["players"] == 4)
        for order in (("say", "hello"), ("kick", "0", "bye"), ("kick", "name", "bot2"), ("ban", "name", "BOT3", "no"),
                      ("ban", "10.0.0.0/8", "--for", "2h"), ("ban", "account", "17"), ("unban", "account", "17")):
            result = self.ask(up, *order)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""), order)
        self.wait_for_status(up, lambda status: status["players"] == 1)
        self.assertRegex(self.ask(up, "bans").stdout, r"\nname bot3 +no\n")
        self.assertRegex(self.ask(up, "bans").stdout, r"\naddress 10\.0\.0\.0/8 +7[12]\d\d\n")
        self.assert_fails(self.ask(up, "kick", "4000"), 1, "kick: there is no such player")
        self.assert_fails(self.ask(up, "ban", "nowhere"), 1, "ban: expected an address")
        self.assertEqual(up.end()[0], 0)

    def test_a_shard_that_is_killed_comes_back_with_its_worlds(self):
        up = self.up(*FREEROAM)

        def vehicles(status):
            return {shard["name"]: shard["vehicles"] for shard in status["shards"] if shard["state"] == "up"}
        all_there = {"shard-1": 15, "shard-2": 15}
        self.wait_for_status(up, lambda status: vehicles(status) == all_there)
        os.kill(up.pid_of("shard-2"), signal.SIGKILL)
        pid = up.pid_of("shard-2", count=2)
        self.wait_for_status(up, lambda status: vehicles(status) == all_there and
                             pid in [process["pid"] for process in status["processes"]])
        self.assertEqual(up.end()[0], 0)

    def gamemode(self, name, vehicles):
        """Fills each world where players start."""
        main = self.dir / "resources" / name / "main.lua"
        main.parent.mkdir(parents=True, exist_ok=True)
        main.write_text("dlmp.on('scope_start', function(world)\n"
                        f"  for i = 1, {vehicles} do\n"
                        "    assert(dlmp.create_vehicle{model=411, x=10 * i, y=0, z=3, virtual_world=world})\n"
                        "  end\n"
                        "end)\n")
        return main

    def wait_for_vehicles(self, up, count):
        self.wait_for_status(up, lambda status: [shard["vehicles"] for shard in status["shards"]
                                                 if shard["state"] == "up"] == [count, count])

    def test_resources_are_reloaded_while_the_cluster_runs(self):
        town, state = self.gamemode("town", 3), self.dir / "state"
        self.gamemode("beach", 10)
        self.gamemode("late", 100)
        arguments = ("--world", ROOT / "deploy/world.yaml", "--resources", self.dir / "resources", "--resource", "town",
                     "--resource", "beach", "--state", state)
        up = self.up(*arguments)
        self.wait_for_vehicles(up, 13)
        self.gamemode("town", 5)
        result = self.ask(up, "resource", "reload", "town")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertEqual(sorted(line.split() for line in result.stdout.splitlines()[1:]),
                         [["shard-1", "done"], ["shard-2", "done"]])
        self.wait_for_vehicles(up, 15)

        town.write_text("\n\nlocal x = = 1\n")  # the old one runs on
        result = self.ask(up, "resource", "reload", "town")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertRegex(result.stdout, r"\nshard-2 +failed +main\.lua:3: unexpected symbol near '='\n")
        self.wait_for_vehicles(up, 15)
        result = self.ask(up, "resource", "restart", "town")  # and now it is gone, but not the other
        self.assertEqual(result.returncode, 1)
        self.wait_for_vehicles(up, 10)
        result = self.ask(up, "resource", "list")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"\nshard-1 +town +failed +main\.lua:3: ")
        self.assertRegex(result.stdout, r"\nshard-2 +beach +running\n")

        self.assertEqual(self.ask(up, "resource", "start", "late").returncode, 0)
        self.assertEqual(self.ask(up, "resource", "stop", "beach").returncode, 0)
        self.wait_for_vehicles(up, 100)
        result = self.ask(up, "resource", "start", "nowhere")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"\nshard-1 +failed +its folder: No such file or directory\n")
        os.kill(up.pid_of("shard-2"), signal.SIGKILL)  # it comes back as its settings say, and is told the rest
        up.pid_of("shard-2", count=2)
        self.wait_for_vehicles(up, 100)
        self.assertEqual(up.end()[0], 0)

        up = self.up(*arguments)
        self.wait_for_vehicles(up, 100)
        result = json.loads(self.ask(up, "resource", "list", "--json").stdout)
        self.assertEqual(result["wishes"], [{"name": "late", "wish": "start"}, {"name": "beach", "wish": "stop"}])
        self.assertEqual(up.end()[0], 0)

    def test_a_cluster_finds_its_bans_again(self):
        state = self.dir / "state"
        for attempt in range(2):
            up = self.up("--state", state)
            if attempt == 0:
                self.assertEqual(self.ask(up, "ban", "name", "alice").returncode, 0)
            self.assertIn("name alice", self.ask(up, "bans").stdout)
            self.assertEqual(up.end()[0], 0)

    def test_the_example_settings_are_taken(self):
        for path in (ROOT / "deploy/config").glob("*.yaml"):
            program = BUILD / f"dlmp-{path.stem.split('-')[0]}"
            result = subprocess.run([program, "--config", path, "--check-config"], capture_output=True, text=True,
                                    timeout=WAIT_S)
            self.assertEqual((result.returncode, result.stderr), (0, ""), path)


if __name__ == "__main__":
    unittest.main()
