#!/usr/bin/env python3
"""Measures a real cluster against the figures it is held to.

Starts a coordinator, two shards, a gateway and a private Redis, has dlmp-bots play on them, and takes the CPU time of
the server processes over the frames they relay. The plain relay of bench-relay does the same work for the same bots
right before and after, so that what the machine does meanwhile falls on both; absolute figures move with the machine,
the ratio holds. ENet relays the same frames between clients of its own.
"""

import argparse
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_S = 60  # ours: for a cluster to be ready
STOP_S = 10
SPARE_S = 300  # ours: what a run of bots may take beside its measured time

EPILOG = """\
scenarios:
  crowd    10, 20, 50 and 100 bots within a few steps of each other, all walking at 30 Hz: CPU of gateway, shards and
           coordinator per relayed frame, beside the plain relay and ENet, and the relay's latency
  spread   500 bots of which each sees about 30 others, for 60 s; more of them, or fewer, until the limit is found
  idle     10,000 connections that only keep alive: memory and CPU for each
  flood    100,000 ClientHello a second from 10,000 addresses and ports while 50 bots play

examples:
  tests/bench/bench_cluster.py --quick                  a look, in three minutes
  tests/bench/bench_cluster.py --only crowd --repeat 5
  tests/bench/bench_cluster.py --only crowd --counts 100 --profile

Exit status: 0 measured, and all targets hold; 1 a target was missed, the bots found the cluster at fault, or something
failed; 2 wrong usage; 3 something needed is not there.
"""


class Missing(Exception):
    """Something needed at the start is not there."""


class Failed(Exception):
    """A measurement did not come about."""


# ---- processes and what they use


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def cpu_seconds(pid):
    """User and system time of all threads, to the nanosecond where the kernel tells it."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        fields = read(task / "schedstat").split()
        if not fields:
            return stat_seconds(pid)
        total += int(fields[0])
    return total / 1e9


def stat_seconds(pid):
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if not fields:
        raise Failed(f"process {pid} has ended")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kb(pid):
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise Failed(f"process {pid} has ended")


def machine_seconds():
    """What all processors have spent on anything, and what the host took away."""
    fields = [int(field) for field in read("/proc/stat").splitlines()[0].split()[1:]]
    ticks = os.sysconf("SC_CLK_TCK")
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields[:8]
    return (user + nice + system + irq + softirq) / ticks, steal / ticks


@dataclasses.dataclass
class Moment:
    """What some processes, and all of them, have used until now."""

    at: float
    of: dict
    machine: float
    steal: float

    @classmethod
    def now(cls, pids):
        machine, steal = machine_seconds()
        return cls(time.monotonic(), {name: cpu_seconds(pid) for name, pid in pids.items()}, machine, steal)

    def since(self, before):
        seconds = self.at - before.at
        used = {name: self.of[name] - before.of[name] for name in self.of}
        foreign = self.machine - before.machine - sum(used.values())
        return Usage(seconds, used, max(foreign, 0.0) / seconds, (self.steal - before.steal) / seconds)


@dataclasses.dataclass
class Usage:
    seconds: float
    used: dict  # CPU seconds by process
    foreign: float  # cores that processes spent which are none of these
    steal: float  # cores that the host did not give

    def core_percent(self, name):
        return 100 * self.used[name] / self.seconds


class Process:
    """A child in a session of its own, whose output goes to a file."""

    def __init__(self, name, command, folder, env=None, stdout=None):
        self.name = name
        self.log = folder / f"{name}.log"
        with open(self.log, "ab") as log:
            self.popen = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=stdout or log,
                stderr=log,
                env=dict(os.environ, **(env or {})),
                start_new_session=True,
                text=bool(stdout),
            )

    @property
    def pid(self):
        return self.popen.pid

    def tail(self, lines=15):
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def stop(self):
        if self.popen.poll() is None:
            self.popen.terminate()
            try:
                self.popen.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.popen.kill()
        self.popen.wait()


def children(pid):
    return [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# ---- the cluster


class Cluster:
    """A cluster of `dlmpctl up` on free ports, in a folder of its own: one gateway, two shards."""

    def __init__(self, tools, folder, scopes=1, settings=()):
        self.folder = folder
        world = folder / "world.json"
        # Virtual worlds go to the shards in turn, so two of them are a scope of each shard. JSON is YAML.
        spawns = [{"x": 0, "y": 0, "z": 10, "heading": 0, "virtual_world": world} for world in range(scopes)]
        world.write_text(json.dumps({"spawns": spawns}), encoding="ascii")
        command = [tools.build / "dlmpctl", "up", "--port", 0, "--admin-port", 0, "--state", folder / "state",
                   "--world", world]
        for setting in settings:
            command += ["--set", setting]
        self.dlmpctl = Process("dlmpctl", command, folder, stdout=subprocess.PIPE)
        self.address = ""
        self.pids = {}

    def start(self):
        giving_up = threading.Timer(START_S, self.dlmpctl.popen.kill)
        giving_up.start()
        line = self.dlmpctl.popen.stdout.readline()
        giving_up.cancel()
        if not line.startswith("ready "):
            raise Failed(f"the cluster did not come up:\n{self.dlmpctl.tail()}")
        said = dict(part.split("=", 1) for part in line.split()[1:])
        self.address = said["gateway"]
        self.pids = {self.name_of(pid): pid for pid in children(self.dlmpctl.pid)}
        self.admin = {"coordinator": said["admin"]}
        for name in self.pids:
            if name.startswith(("gateway", "shard")):
                self.admin[name] = f"http://127.0.0.1:{self.admin_port(name)}"

    @staticmethod
    def name_of(pid):
        """Each is started with a settings file of its name; Redis with one of another kind."""
        words = read(f"/proc/{pid}/cmdline").split("\0")
        files = [pathlib.Path(word).stem for word in words if word.endswith(".yaml")]
        return files[0] if files else "redis"

    def admin_port(self, name):
        lines = (self.folder / "state" / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
        section = lines[lines.index("admin:") + 1 :]
        return next(int(line.split(":")[1]) for line in section if line.strip().startswith("port:"))

    def metrics(self, name):
        values = {}
        with urllib.request.urlopen(f"{self.admin[name]}/metrics", timeout=5) as answer:
            for line in answer.read().decode().splitlines():
                if line and not line.startswith("#"):
                    key, _, value = line.rpartition(" ")
                    values[key] = float(value)
        return values

    def relayed(self):
        values = self.metrics("gateway-1")
        return sum(
            values.get(f'dlmp_gateway_packets_out_total{{packet="{packet}"}}', 0.0)
            for packet in ("RemotePlayerSync", "RemoteVehicleFrame")
        )

    def hellos(self):
        return self.metrics("gateway-1").get('dlmp_gateway_packets_in_total{packet="ClientHello"}', 0.0)

    def pid(self, name):
        return self.pids[name]

    def servers(self):
        """Those whose CPU time counts; Redis is no part of a relay, and is listed beside them."""
        return {name: pid for name, pid in self.pids.items() if name != "redis"}

    def stop(self):
        self.dlmpctl.stop()


# ---- runs


class Bots:
    """A run of dlmp-bots. It says when its measured time begins and ends; figures are taken at these moments."""

    def __init__(self, tools, server, count, seconds, *arguments):
        self.report_path = tools.folder / "bots.json"
        self.report_path.unlink(missing_ok=True)
        self.process = Process(
            "bots",
            [tools.bots, "--server", server, "--count", count, "--time", seconds, "--json", self.report_path, *arguments],
            tools.folder,
            stdout=subprocess.PIPE,
        )
        self.timer = threading.Timer(seconds + SPARE_S, self.process.popen.kill)
        self.timer.start()

    def wait_phase(self, phase):
        for line in self.process.popen.stdout:
            if line.strip() == f"phase {phase}":
                return
        self.process.popen.wait()
        raise Failed(f"the bots ended before '{phase}' ({self.process.popen.returncode}):\n{self.process.tail()}")

    def finish(self):
        self.process.popen.stdout.read()
        self.process.popen.wait()
        self.timer.cancel()
        if not self.report_path.exists():
            raise Failed(f"the bots left no report:\n{self.process.tail()}")
        return json.loads(self.report_path.read_text(encoding="utf-8"))

    def stop(self):
        self.timer.cancel()
        self.process.stop()


@dataclasses.dataclass
class Tools:
    """The programs that measure, and where they may write."""

    build: pathlib.Path
    folder: pathlib.Path
    relay: pathlib.Path
    bots: pathlib.Path
    profile: bool = False


@dataclasses.dataclass
class Play:
    """What a run of bots against some server has shown."""

    usage: Usage
    relayed: float
    report: dict

    @property
    def cpu_us(self):
        servers = sum(used for name, used in self.usage.used.items() if name not in ("bots", "redis"))
        return servers * 1e6 / self.relayed if self.relayed else math.nan

    @property
    def p50_ms(self):
        return self.report["latency_us"]["p50"] / 1000

    @property
    def p99_ms(self):
        return self.report["latency_us"]["p99"] / 1000

    @property
    def violations(self):
        return sum(self.report["violations"].values())

    @property
    def dropped(self):
        return self.report["sockets"]["receive_drops"]

    def busiest(self):
        names = [name for name in self.usage.used if name not in ("bots", "redis")]
        name = max(names, key=self.usage.core_percent)
        return name, self.usage.core_percent(name)


def play(tools, server, pids, count_relayed, count, seconds, arguments, during=None):
    """`during(pids)` is called when the measured time begins, beside it."""
    bots = Bots(tools, server, count, seconds, *arguments)
    try:
        pids = dict(pids, bots=bots.process.pid)
        bots.wait_phase("measuring")
        before, relayed_before = Moment.now(pids), count_relayed()
        beside = threading.Thread(target=during, args=(pids,)) if during else None
        if beside:
            beside.start()
        bots.wait_phase("leaving")
        after, relayed_after = Moment.now(pids), count_relayed()
        report = bots.finish()
        if beside:
            beside.join()
        return Play(after.since(before), relayed_after - relayed_before, report)
    finally:
        bots.stop()


def play_on_cluster(tools, cluster, count, seconds, arguments, during=None):
    pids = dict(cluster.servers(), redis=cluster.pid("redis"))
    return play(tools, cluster.address, pids, cluster.relayed, count, seconds, arguments, during)


class Host:
    """The plain relay, for dlmp-bots."""

    def __init__(self, tools, count):
        self.port = free_port(socket.SOCK_DGRAM)
        self.process = Process("relay", [tools.relay, "--host", self.port, "--clients", count], tools.folder,
                               stdout=subprocess.PIPE)
        if self.process.popen.stdout.readline() != "ready\n":
            raise Failed(f"the plain relay could not start:\n{self.process.tail()}")

    def relayed(self):
        os.kill(self.process.pid, signal.SIGUSR1)
        return json.loads(self.process.popen.stdout.readline())["relayed"]

    def stop(self):
        self.process.stop()


def play_on_relay(tools, count, seconds, arguments):
    host = Host(tools, count)
    try:
        return play(tools, f"127.0.0.1:{host.port}", {"relay": host.process.pid}, host.relayed, count, seconds, arguments)
    finally:
        host.stop()


def run_relay(tools, mode, count, seconds, *arguments):
    """The relay between clients of its own. None: it is not installed."""
    command = [tools.relay, "--mode", mode, "--clients", count, "--seconds", seconds, "--frames", "players", *arguments]
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Failed(f"bench-relay --mode {mode}: {run.stderr.strip()}")
    result = json.loads(run.stdout.splitlines()[-1])
    return None if result.get("skipped") else result


# ---- crowd

CROWD_TARGETS = {  # ratio to the plain relay, p99 in ms; issue "Numbers to reach"
    10: (None, 2.0),
    20: (1.2, None),
    50: (0.55, None),
    100: (0.40, 12.0),
}


def median(values):
    values = [value for value in values if value is not None and not math.isnan(value)]
    return statistics.median(values) if values else math.nan


def crowd_once(tools, cluster, count, seconds):
    arguments = ["--spread", "cluster", "--behaviour", "walk", "--rate", 100]
    before = play_on_relay(tools, count, seconds, arguments)
    during = (lambda pids: profile(tools, cluster, count, seconds)) if tools.profile else None
    ours = play_on_cluster(tools, cluster, count, seconds, arguments, during)
    after = play_on_relay(tools, count, seconds, arguments)
    enet = run_relay(tools, "enet", count, min(seconds, 5))
    segment = run_relay(tools, "segment", count, min(seconds, 5))
    plain_us = statistics.mean([before.cpu_us, after.cpu_us])
    return {
        "cluster_us": ours.cpu_us,
        "plain_us": plain_us,
        "plain_before_us": before.cpu_us,
        "plain_after_us": after.cpu_us,
        "enet_us": enet["cpu_us"] if enet else None,
        "segment_us": segment["cpu_us"],
        "ratio": ours.cpu_us / plain_us,
        "p50_ms": ours.p50_ms,
        "p99_ms": ours.p99_ms,
        "plain_p99_ms": max(before.p99_ms, after.p99_ms),
        "relayed_per_s": ours.relayed / ours.usage.seconds,
        "lost": ours.dropped,
        "violations": ours.violations,
        "verdict": ours.report["verdict"],
        "core_percent": {name: round(ours.usage.core_percent(name), 1) for name in ours.usage.used},
        "foreign_cores": max(run.usage.foreign for run in (before, ours, after)),
        "steal_cores": max(run.usage.steal for run in (before, ours, after)),
    }


def crowd(tools, options):
    print("crowd: bots within a few steps of each other, walking, 30 Hz; CPU in us a relayed frame; medians of "
          f"{options.repeat} runs of {options.seconds} s", flush=True)
    print(f"{'bots':>5} {'cluster':>8} {'plain':>7} {'ENet':>7} {'ratio':>6} {'target':>7} {'p50 ms':>7} {'p99 ms':>7} "
          f"{'target':>7} {'frames/s':>9} {'gw %':>5} {'shard %':>7} {'bots %':>6} {'others':>6}  verdict", flush=True)
    rows = []
    with running_cluster(tools) as cluster:
        for count in options.counts:
            runs = [crowd_once(tools, cluster, count, options.seconds) for _ in range(options.repeat)]
            row = crowd_row(count, runs)
            rows.append(row)
            print_crowd(row)
    print("  'others': cores that other programs used meanwhile, at worst; plain: with the same bots; ENet: its usual "
          "loop, with clients of its own\n", flush=True)
    return rows


def crowd_row(count, runs):
    ratio_target, p99_target = CROWD_TARGETS.get(count, (None, None))
    keys = ("cluster_us", "plain_us", "enet_us", "segment_us", "ratio", "p50_ms", "p99_ms", "relayed_per_s")
    row = {"bots": count, "runs": runs, **{key: median([run[key] for run in runs]) for key in keys}}
    row["ratio_range"] = [min(run["ratio"] for run in runs), max(run["ratio"] for run in runs)]
    row["foreign_cores"] = max(run["foreign_cores"] for run in runs)
    row["violations"] = sum(run["violations"] for run in runs)
    row["lost"] = sum(run["lost"] for run in runs)
    row["core_percent"] = {name: median([run["core_percent"][name] for run in runs]) for name in runs[0]["core_percent"]}
    row["ratio_target"], row["p99_target_ms"] = ratio_target, p99_target
    row["targets"] = []
    if ratio_target is not None:
        row["targets"].append({"what": f"crowd of {count}: CPU ratio", "target": ratio_target, "is": row["ratio"],
                               "holds": row["ratio"] <= ratio_target})
    if p99_target is not None:
        row["targets"].append({"what": f"crowd of {count}: p99 ms", "target": p99_target, "is": row["p99_ms"],
                               "holds": row["p99_ms"] <= p99_target})
    row["targets"].append(no_violation(f"crowd of {count}", row["violations"]))
    return row


def no_violation(what, violations):
    return {"what": f"{what}: violations", "target": 0, "is": violations, "holds": violations == 0}


def optional(value, text):
    return "-" if value is None or math.isnan(value) else text.format(value)


def print_crowd(row):
    cores = row["core_percent"]
    shard = max(percent for name, percent in cores.items() if name.startswith("shard"))
    verdict = "holds" if all(target["holds"] for target in row["targets"]) else "missed"
    if row["lost"]:
        verdict += f", the bots had no room for {row['lost']}"
    print(f"{row['bots']:5} {row['cluster_us']:8.3f} {row['plain_us']:7.3f} {optional(row['enet_us'], '{:.3f}'):>7} "
          f"{row['ratio']:6.3f} {optional(row['ratio_target'], '{:.2f}'):>7} {row['p50_ms']:7.2f} {row['p99_ms']:7.2f} "
          f"{optional(row['p99_target_ms'], '{:.1f}'):>7} {row['relayed_per_s']:9.0f} {cores['gateway-1']:5.0f} "
          f"{shard:7.0f} {cores['bots']:6.0f} {row['foreign_cores']:6.2f}  {verdict}", flush=True)


# ---- spread

SPREAD_BOTS = 500
SPREAD_P99_MS = 50
SPREAD_CORE_PERCENT = 80
SPREAD_STEPS = {True: [750, 1000, 1500], False: [400, 300, 200, 100]}  # ours: whither, when 500 do, or do not


def spread_once(tools, count, seconds):
    with running_cluster(tools, scopes=2) as cluster:
        ours = play_on_cluster(tools, cluster, count, seconds,
                               ["--spread", "area", "--neighbours", 30, "--behaviour", "walk", "--rate", 50])
    name, percent = ours.busiest()
    row = {
        "bots": count,
        "neighbours": ours.report["measured"]["neighbours"],
        "settled": ours.report["measured"]["settled"],
        "cluster_us": ours.cpu_us,
        "relayed_per_s": ours.relayed / ours.usage.seconds,
        "p50_ms": ours.p50_ms,
        "p99_ms": ours.p99_ms,
        "busiest": name,
        "busiest_percent": percent,
        "core_percent": {each: round(ours.usage.core_percent(each), 1) for each in ours.usage.used},
        "violations": ours.violations,
        "notes": ours.report["notes"],
        "lost": ours.dropped,
        "verdict": ours.report["verdict"],
        "foreign_cores": ours.usage.foreign,
    }
    row["holds"] = (row["verdict"] == "ok" and row["p99_ms"] < SPREAD_P99_MS and percent <= SPREAD_CORE_PERCENT)
    cores = row["core_percent"]
    print(f"{count:5} {row['neighbours']:7.1f} {row['cluster_us']:8.3f} {row['p50_ms']:7.2f} {row['p99_ms']:7.2f} "
          f"{row['relayed_per_s']:9.0f} {cores['gateway-1']:5.0f} {cores['shard-1']:8.0f} {cores['shard-2']:8.0f} "
          f"{cores['bots']:6.0f} {row['violations']:10} {row['lost']:7} {row['foreign_cores']:6.2f}  "
          f"{'holds' if row['holds'] else 'missed'} ({row['verdict']})", flush=True)
    return row


def spread(tools, options):
    seconds = options.spread_seconds
    print(f"spread: each sees about 30 others, one gateway and two shards, {seconds} s; p99 under {SPREAD_P99_MS} ms, no "
          f"server process over {SPREAD_CORE_PERCENT} % of a core, no violation", flush=True)
    print(f"{'bots':>5} {'others':>7} {'us/frame':>8} {'p50 ms':>7} {'p99 ms':>7} {'frames/s':>9} {'gw %':>5} {'shard1 %':>8} "
          f"{'shard2 %':>8} {'bots %':>6} {'violations':>10} {'lost':>7} {'others':>6}  verdict", flush=True)
    rows = [spread_once(tools, SPREAD_BOTS, seconds)]
    first_holds = rows[0]["holds"]
    if not options.quick:
        for count in SPREAD_STEPS[first_holds]:
            rows.append(spread_once(tools, count, seconds))
            if rows[-1]["holds"] != first_holds:
                break
    holding = [row["bots"] for row in rows if row["holds"]]
    print(f"  holds at {max(holding)} bots\n" if holding else "  holds at none of these\n", flush=True)
    return {"rows": rows, "holds_at": max(holding, default=0), "targets": [
        {"what": f"spread of {SPREAD_BOTS}: p99 ms", "target": SPREAD_P99_MS, "is": rows[0]["p99_ms"],
         "holds": rows[0]["p99_ms"] < SPREAD_P99_MS},
        {"what": f"spread of {SPREAD_BOTS}: busiest server process, % of a core", "target": SPREAD_CORE_PERCENT,
         "is": rows[0]["busiest_percent"], "holds": rows[0]["busiest_percent"] <= SPREAD_CORE_PERCENT},
        no_violation(f"spread of {SPREAD_BOTS}", rows[0]["violations"]),
    ]}


# ---- idle

IDLE_CONNECTIONS = 10000
IDLE_RATE = 250  # ours: each who joins is told of all, and all of it
IDLE_TRAFFIC = {
    "in": "dlmp_gateway_datagrams_in_total",
    "out": "dlmp_gateway_datagrams_out_total",
    "list": 'dlmp_gateway_packets_out_total{packet="PlayerListEntry"}',
}


def idle(tools, options):
    seconds = options.idle_seconds
    count = 2000 if options.quick else IDLE_CONNECTIONS
    print(f"idle: {count} connections that only keep alive, {seconds} s", flush=True)
    # All are in one world, so on one shard.
    settings = [f"server.max_players={count + 100}", f"players_max={count + 100}"]
    with running_cluster(tools, settings=settings) as cluster:
        servers = cluster.servers()
        empty = {name: resident_kb(pid) for name, pid in servers.items()}
        full = {}
        traffic = {}

        def look(_pids):
            before = cluster.metrics("gateway-1")
            time.sleep(seconds / 2)
            full.update({name: resident_kb(pid) for name, pid in servers.items()})
            after = cluster.metrics("gateway-1")
            for what, key in IDLE_TRAFFIC.items():
                traffic[what] = (after.get(key, 0) - before.get(key, 0)) / (seconds / 2)

        ours = play_on_cluster(tools, cluster, count, seconds, ["--behaviour", "lobby", "--rate", IDLE_RATE], look)
    connected = ours.report["connections"]["connected"]
    row = {"connections": connected, "verdict": ours.report["verdict"], "violations": ours.violations, "processes": {},
           "per_s": traffic}
    print(f"  {connected} of {count} connected, bots say: {row['verdict']}; {traffic['in']:.0f} datagrams a second in, "
          f"{traffic['out']:.0f} out, of which {traffic['list']:.0f} are entries of the player list that are still to "
          "be told", flush=True)
    for name in servers:
        grown = (full[name] - empty[name]) * 1024 / max(connected, 1)
        row["processes"][name] = {
            "resident_mb": full[name] / 1024, "empty_mb": empty[name] / 1024, "bytes_per_connection": grown,
            "core_percent": ours.usage.core_percent(name),
            "cpu_us_per_connection_and_s": ours.usage.used[name] * 1e6 / ours.usage.seconds / max(connected, 1),
        }
        print(f"  {name:12} {full[name] / 1024:7.1f} MB ({empty[name] / 1024:.1f} without), {grown:7.0f} bytes a "
              f"connection; {ours.usage.core_percent(name):5.1f} % of a core", flush=True)
    print(flush=True)
    row["targets"] = [{"what": f"{count} idle connections are let in and stay", "target": count, "is": connected,
                       "holds": connected == count and row["verdict"] == "ok"}]
    return row


# ---- flood

FLOOD_PER_S = 100000
FLOOD_SOURCES = 10000
FLOOD_BOTS = 50
FLOOD_SHARE = 0.95  # ours: of the rate, that the flood must come to on a machine that has other work


def flood(tools, options):
    seconds = 5 if options.quick else 15
    print(f"flood: {FLOOD_PER_S} ClientHello a second from {FLOOD_SOURCES} addresses and ports for {seconds} s, while "
          f"{FLOOD_BOTS} bots play", flush=True)
    result_path = tools.folder / "flood.json"
    failed = []
    memory = {}
    hellos = {}

    with running_cluster(tools) as cluster:
        def pour(_pids):
            time.sleep(1)
            memory["before"] = resident_kb(cluster.pid("gateway-1"))
            hellos["before"] = cluster.hellos()
            command = [tools.bots, "--server", cluster.address, "--flood", "hello", "--rate", FLOOD_PER_S, "--sources",
                       FLOOD_SOURCES, "--time", seconds, "--json", result_path]
            run = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
            if run.returncode != 0:
                failed.append(f"the flood ended with {run.returncode}: {run.stderr.strip()}")
            memory["after"] = resident_kb(cluster.pid("gateway-1"))
            hellos["after"] = cluster.hellos()

        arguments = ["--spread", "cluster", "--behaviour", "mixed", "--chat", 5, "--rate", 100]
        ours = play_on_cluster(tools, cluster, FLOOD_BOTS, seconds + 4, arguments, pour)
    if not result_path.exists():
        raise Failed("; ".join(failed) or "the flood left no report")
    result = json.loads(result_path.read_text(encoding="utf-8"))
    row = {
        "flood": result,
        "sent_per_s": result["sent"] / result["seconds"],
        "read": hellos["after"] - hellos["before"],
        "grown_kb": memory["after"] - memory["before"],
        "p99_ms": ours.p99_ms,
        "violations": ours.violations,
        "notes": ours.report["notes"],
        "lanes": ours.report["lanes"],
        "verdict": ours.report["verdict"],
        "core_percent": {name: round(ours.usage.core_percent(name), 1) for name in ours.usage.used},
    }
    kept = row["verdict"] == "ok"
    print(f"  flood: {row['sent_per_s']:.0f} a second from {result['sources']} addresses and ports; the gateway read "
          f"{100 * row['read'] / max(result['sent'], 1):.0f} % of them and answered {result['answers']} with "
          f"{result['answer_bytes']} of {result['sent_bytes']} bytes")
    print(f"  bots: {row['verdict']}, {row['violations']} violations, {row['lanes']['events_in']} events in, "
          f"{row['lanes']['resends']} of theirs sent again; relay p99 {row['p99_ms']:.2f} ms; gateway "
          f"{row['core_percent']['gateway-1']:.0f} % of a core, grown by {row['grown_kb']} kB\n", flush=True)
    row["targets"] = [
        {"what": "flood: connected bots lose no event and no connection", "target": "ok", "is": row["verdict"],
         "holds": kept and not failed},
        {"what": "flood: ClientHello sent a second", "target": FLOOD_PER_S, "is": row["sent_per_s"],
         "holds": row["sent_per_s"] >= FLOOD_SHARE * FLOOD_PER_S},
    ]
    return row


# ---- where the time goes


def profile(tools, cluster, count, seconds):
    perf = shutil.which("perf")
    if perf is None:
        print("  profile: skipped, perf is not installed (Debian: linux-perf)")
        return
    time.sleep(1)
    for name, pid in cluster.servers().items():
        if name == "coordinator":
            continue
        data = tools.folder / f"perf-{name}.data"
        subprocess.run([perf, "record", "-q", "-g", "-F", "999", "-o", str(data), "-p", str(pid), "--", "sleep",
                        str(max(1, (seconds - 2) / 3))], capture_output=True, check=False)
        shown = subprocess.run([perf, "report", "-i", str(data), "--stdio", "--no-children", "-g", "none", "--percent-limit",
                                "1", "--sort", "comm,symbol"], capture_output=True, text=True, check=False)
        print(f"\n  profile of {name} with {count} bots:")
        print("\n".join(f"    {line}" for line in shown.stdout.splitlines() if line and not line.startswith("#")))


# ---- main


@contextlib.contextmanager
def running_cluster(tools, scopes=1, settings=()):
    with tempfile.TemporaryDirectory(prefix="dlmp-bench-") as folder:
        cluster = Cluster(tools, pathlib.Path(folder), scopes, settings)
        try:
            cluster.start()
            yield cluster
        except Failed:
            keep_logs(folder)
            raise
        finally:
            cluster.stop()


def keep_logs(folder):
    for log in sorted(pathlib.Path(folder).glob("*.log")):
        text = log.read_text(encoding="utf-8", errors="replace").strip()
        if text:
            print(f"---- the end of {log.name}\n" + "\n".join(text.splitlines()[-10:]), file=sys.stderr)


def find_tools(options, folder):
    build = options.build.resolve()
    tools = Tools(build, folder, build / "bench-relay", build / "dlmp-bots", options.profile)
    needed = [tools.relay, tools.bots, build / "dlmpctl"]
    needed += [build / f"dlmp-{name}" for name in ("gateway", "shard", "coordinator")]
    missing = [str(path) for path in needed if not path.exists()]
    if missing:
        raise Missing(f"not built: {', '.join(missing)}; run make")
    if shutil.which("redis-server") is None:
        raise Missing("redis-server is not installed; run deploy/bootstrap")
    return tools


SCENARIOS = {"crowd": crowd, "spread": spread, "idle": idle, "flood": flood}


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where the programs are (build)")
    parser.add_argument("--only", default=",".join(SCENARIOS), help="scenarios with commas between (all)")
    parser.add_argument("--counts", default="10,20,50,100", help="bots of the crowds (10,20,50,100)")
    parser.add_argument("--repeat", type=int, help="runs of each crowd, of which the median counts (3)")
    parser.add_argument("--seconds", type=float, help="measured in each run of a crowd (8)")
    parser.add_argument("--quick", action="store_true", help="one short run of each")
    parser.add_argument("--profile", action="store_true", help="print where gateway and shards spend their time (perf)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="all figures, as JSON")
    options = parser.parse_args(arguments)
    options.only = options.only.split(",")
    unknown = [name for name in options.only if name not in SCENARIOS]
    if unknown:
        parser.error(f"there is no scenario {', '.join(unknown)}")
    try:
        options.counts = [int(count) for count in options.counts.split(",")]
    except ValueError:
        parser.error("--counts wants whole numbers with commas between")
    options.repeat = options.repeat or (1 if options.quick else 3)
    options.seconds = options.seconds or (4 if options.quick else 8)
    options.spread_seconds = 15 if options.quick else 60
    options.idle_seconds = 10 if options.quick else 30
    return options


def main(arguments=None):
    options = parse_options(arguments)
    results = {"processors": os.cpu_count(), "quick": options.quick}
    with tempfile.TemporaryDirectory(prefix="dlmp-bench-") as folder:
        try:
            tools = find_tools(options, pathlib.Path(folder))
            for name in options.only:
                results[name] = SCENARIOS[name](tools, options)
        except Missing as error:
            print(f"bench_cluster: {error}", file=sys.stderr)
            return 3
        except Failed as error:
            print(f"bench_cluster: {error}", file=sys.stderr)
            return 1
    targets = [target for name in options.only for target in targets_of(results[name])]
    for target in targets:
        if not target["holds"]:
            shown = target["is"] if isinstance(target["is"], str) else f"{target['is']:.5g}"
            print(f"missed: {target['what']}: {shown}, target {target['target']}")
    print(f"{sum(target['holds'] for target in targets)} of {len(targets)} targets hold")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0 if all(target["holds"] for target in targets) else 1


def targets_of(result):
    rows = result if isinstance(result, list) else [result]
    return [target for row in rows for target in row["targets"]]


if __name__ == "__main__":
    sys.exit(main())
