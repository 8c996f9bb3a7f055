"""The simulated cluster: real cores on a virtual clock, over a network that loses, doubles and delays, with servers that
die, stop and are cut off."""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS, SEEDS_SANITIZED = 200, 20
TRAPS = ["joins", "burst", "rejoin", "ends", "kicks", "deaths", "slow"]


def run(build, *arguments):
    # Whatever the sanitizers find ends as an assertion does, which says how to repeat it.
    options = {"ASAN_OPTIONS": "abort_on_error=1", "UBSAN_OPTIONS": "abort_on_error=1"}
    return subprocess.run([ROOT / build / "sim", *arguments], capture_output=True, text=True, timeout=280,
                          env={**os.environ, **options})


class SimulatedCluster(unittest.TestCase):
    def test_no_seed_breaks_an_invariant(self):
        done = run(os.environ.get("DLMP_BUILD", "build"), "--seeds", str(SEEDS))
        self.assertEqual((done.returncode, done.stdout), (0, f"{SEEDS} passed, 0 failed\n"), done.stderr)

    def test_the_sanitizers_have_no_complaint(self):
        done = run(os.environ.get("DLMP_SANITIZED", "build-asan"), "--seeds", str(SEEDS_SANITIZED), "--clients", "24")
        self.assertEqual((done.returncode, done.stdout), (0, f"{SEEDS_SANITIZED} passed, 0 failed\n"), done.stderr)

    def test_no_trap_closes(self):
        for build in (os.environ.get("DLMP_BUILD", "build"), os.environ.get("DLMP_SANITIZED", "build-asan")):
            with self.subTest(build=build):
                done = run(build, "--trap", "all")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()[:-1]], TRAPS)

    def test_a_seed_gives_the_same_run_each_time(self):
        first, second = (run(os.environ.get("DLMP_BUILD", "build"), "--seed", "7") for _ in range(2))
        self.assertIn("12 in the world", first.stdout)
        self.assertRegex(first.stdout, "[1-9] faults")
        self.assertEqual(first.stdout, second.stdout)

    def test_wrong_usage_is_told(self):
        done = run(os.environ.get("DLMP_BUILD", "build"), "--clients", "65")
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: sim", done.stderr)


if __name__ == "__main__":
    unittest.main()
