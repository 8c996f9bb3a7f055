"""The simulated cluster: real cores on a virtual clock, over a network that loses, doubles and delays."""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS, SEEDS_SANITIZED = 200, 20


def run(build, *arguments):
    return subprocess.run([ROOT / build / "sim", *arguments], capture_output=True, text=True, timeout=280)


class SimulatedCluster(unittest.TestCase):
    def test_no_seed_breaks_an_invariant(self):
        done = run(os.environ.get("DLMP_BUILD", "build"), "--seeds", str(SEEDS))
        self.assertEqual((done.returncode, done.stdout), (0, f"{SEEDS} passed, 0 failed\n"), done.stderr)

    def test_the_sanitizers_have_no_complaint(self):
        done = run(os.environ.get("DLMP_SANITIZED", "build-asan"), "--seeds", str(SEEDS_SANITIZED), "--clients", "24")
        self.assertEqual((done.returncode, done.stdout), (0, f"{SEEDS_SANITIZED} passed, 0 failed\n"), done.stderr)

    def test_a_seed_gives_the_same_run_each_time(self):
        first, second = (run(os.environ.get("DLMP_BUILD", "build"), "--seed", "7") for _ in range(2))
        self.assertIn("12 in the world", first.stdout)
        self.assertEqual(first.stdout, second.stdout)

    def test_wrong_usage_is_told(self):
        done = run(os.environ.get("DLMP_BUILD", "build"), "--clients", "65")
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: sim", done.stderr)


if __name__ == "__main__":
    unittest.main()
