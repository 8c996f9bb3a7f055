"""tests/run: programs that pass, fail, crash, hang, say nothing and leave processes behind."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import textwrap
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CHECK_PROGRAM = r"""
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_test) { ck_assert(1); } END_TEST
START_TEST(a_loop) { usleep(2000); } END_TEST
START_TEST(a_failure) { ck_assert_msg(0, "what <was> & was not"); } END_TEST
START_TEST(a_crash) { abort(); } END_TEST
START_TEST(a_hang) { for (;;) pause(); } END_TEST

int main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/') + 1;
    Suite *suite = suite_create(argc == 2 ? argv[1] : "demo");
    TCase *tcase = tcase_create("core");
    SRunner *runner = srunner_create(suite);

    if (argc == 2 && strcmp(argv[1], "--suites") == 0 && strcmp(name, "failing") != 0)
        return puts("one\ntwo") < 0;
    if (strcmp(name, "stuck") == 0)
        for (;;) pause();
    if (strcmp(name, "empty") != 0) {
        tcase_add_test(tcase, a_test);
        tcase_add_loop_test(tcase, a_loop, 0, 2);
    }
    if (strcmp(name, "failing") == 0) {
        tcase_add_test(tcase, a_failure);
        tcase_add_test(tcase, a_crash);
        tcase_add_test(tcase, a_hang);
    }
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_SILENT);
    if (strcmp(name, "bad_exit") == 0)
        return 3;
    return srunner_ntests_failed(runner) == 0 ? 0 : 1;
}
"""


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="test-run-"))
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        source = cls.dir / "program.c"
        source.write_text(CHECK_PROGRAM)
        flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "check"], text=True).split()
        subprocess.run(["gcc", "-o", cls.dir / "program", source, *flags], check=True)
        for name in ("passing", "failing", "empty", "bad_exit", "stuck"):
            (cls.dir / name).hardlink_to(cls.dir / "program")

    def python(self, text):
        path = pathlib.Path(tempfile.mkdtemp(dir=self.dir)) / "test_it.py"
        path.write_text("import os, subprocess, sys, time, unittest\n\n\nclass It(unittest.TestCase):\n"
                        + textwrap.indent(textwrap.dedent(text), "    "))
        return path

    def run_it(self, *arguments, **environment):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("CK_")}
        return subprocess.run([ROOT / "tests" / "run", *arguments], env={**kept, **environment}, cwd="/",
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    def check(self, done, status, last_line):
        said = done.stdout + done.stderr
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (status, last_line), said)

    def test_a_check_binary_runs_suite_by_suite(self):
        done = self.run_it("--by-suite", self.dir / "passing")
        self.check(done, 0, "6 passed, 0 failed")
        self.assertRegex(done.stdout, r"(?m)^ok   \S+/passing: 6 passed in")
        self.assertIn("one.core.a_loop", done.stdout)
        self.assertIn("two.core.a_loop", done.stdout)

    def test_a_check_binary_that_lists_no_suites_runs_whole_and_fails_as_it_does(self):
        self.check(self.run_it("--by-suite", self.dir / "failing", CK_DEFAULT_TIMEOUT="1"), 1, "3 passed, 3 failed")

    def test_check_and_python_tests_are_added_up(self):
        file = self.python("""
            def test_one(self): pass
            def test_two(self): time.sleep(0.05)
            @unittest.skip("not here")
            def test_skipped(self): pass
        """)
        done = self.run_it(self.dir / "passing", "--alone", file)
        self.check(done, 0, "5 passed, 0 failed, 1 skipped")
        slowest = done.stdout.split("slowest tests, in seconds\n")[1].splitlines()[0]
        self.assertRegex(slowest, r"^ +0\.0[5-9]\d .*test_it\.py: It\.test_two$")
        self.assertIn("passing: demo.core.a_loop[1]", done.stdout)

    def test_check_failures_crashes_and_hangs_are_told_in_full(self):
        done = self.run_it(self.dir / "failing", CK_DEFAULT_TIMEOUT="1")
        self.check(done, 1, "3 passed, 3 failed")
        self.assertIn("demo.core.a_failure\n", done.stdout)
        self.assertIn("what <was> & was not", done.stdout)
        self.assertIn("Received signal 6", done.stdout)
        self.assertIn("Test timeout expired", done.stdout)

    def test_python_failures_are_told_in_full(self):
        file = self.python("""
            def test_good(self): pass
            def test_bad(self):
                print("printed by the test")
                self.assertEqual(1, 2)
            def test_raises(self): raise RuntimeError("oh no")
            def test_rows(self):
                for i in range(3):
                    with self.subTest(i=i): self.assertNotEqual(i % 2, 0)
            @unittest.expectedFailure
            def test_works_after_all(self): pass
        """)
        done = self.run_it(file)
        self.check(done, 1, "1 passed, 4 failed")
        for text in ("1 != 2", "printed by the test", "RuntimeError: oh no", "(i=0)", "(i=2)"):
            self.assertIn(text, done.stdout)

    def test_a_python_file_that_cannot_be_set_up_fails(self):
        broken = self.python("def test_it(self): pass\n")
        broken.write_text("import nonsense_of_that_name\n")
        done = self.run_it(broken, self.python("""
            @classmethod
            def setUpClass(cls): raise RuntimeError("no class")
            def test_it(self): pass
        """))
        self.check(done, 1, "0 passed, 2 failed")
        self.assertIn("nonsense_of_that_name", done.stdout)
        self.assertIn("no class", done.stdout)

    def test_a_program_that_runs_no_test_fails(self):
        self.check(self.run_it(self.dir / "passing", self.dir / "empty"), 1, "3 passed, 1 failed")
        self.check(self.run_it(self.python("pass\n")), 1, "0 passed, 1 failed")

    def test_only_skipped_tests_are_not_enough(self):
        done = self.run_it(self.python("def test_it(self): self.skipTest('no')\n"))
        self.check(done, 1, "0 passed, 0 failed, 1 skipped")

    def test_a_folder_stands_for_its_test_files(self):
        file = self.python("def test_it(self): pass\n")
        shutil.copy(file, file.with_name("test_also.py"))
        shutil.copy(file, file.with_name("helper.py"))
        self.check(self.run_it(file.parent), 0, "2 passed, 0 failed")

    def test_a_program_that_is_not_there_or_no_program_fails(self):
        self.check(self.run_it(self.dir / "nothing", self.dir, self.dir / "program.c"), 1, "0 passed, 3 failed")

    def test_a_program_that_ends_badly_fails_though_its_tests_passed(self):
        done = self.run_it(self.dir / "bad_exit")
        self.check(done, 1, "3 passed, 1 failed")
        self.assertIn("ended with status 3, though none of its tests failed", done.stdout)

    def test_a_program_that_dies_midway_keeps_the_results_it_had(self):
        done = self.run_it(self.python("""
            def test_a(self): pass
            def test_b(self): os._exit(0)
        """))
        self.check(done, 1, "1 passed, 1 failed")
        self.assertIn("ended with status 0 before its tests were done", done.stdout)

    def test_a_program_that_takes_too_long_is_killed_and_shows_where_it_stood(self):
        done = self.run_it("--timeout", "1", self.dir / "stuck", self.python("def test_it(self): time.sleep(60)\n"))
        self.check(done, 1, "0 passed, 2 failed")
        self.assertEqual(done.stdout.count("still ran after 1 s and was killed"), 2)
        self.assertIn("in test_it", done.stdout)

    def test_processes_left_behind_are_killed_and_a_failure(self):
        file = self.python("""
            def test_it(self):
                child = subprocess.Popen(["sleep", "60"], process_group=0)
                print("child", child.pid)
        """)
        done = self.run_it(file)
        self.check(done, 1, "1 passed, 1 failed")
        self.assertIn("left processes running: sleep", done.stdout)
        pid = int(done.stdout.split("child ")[1].split()[0])
        self.assertFalse(pathlib.Path(f"/proc/{pid}/cwd").exists())

    def test_interrupting_it_ends_what_it_started(self):
        file = self.python("def test_it(self): time.sleep(60)\n")
        for ignored in (False, True):  # as under nohup
            with self.subTest(ignored=ignored):
                runner = subprocess.Popen(
                    [ROOT / "tests" / "run", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if ignored else None,
                )  # fmt: skip
                with runner:
                    worker = self.wait_for_child(runner.pid)
                    runner.send_signal(signal.SIGINT)
                    self.assertEqual(runner.wait(30), 130)
                self.assertNotIn(str(file), self.command_line(worker))

    def wait_for_child(self, pid):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                children = (task / "children").read_text().split()
                if children and "--worker" in self.command_line(int(children[0])):
                    return int(children[0])
            time.sleep(0.01)
        self.fail("the test program was not started")

    def command_line(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            return ""

    def test_wrong_usage_is_status_2(self):
        for arguments in ((), ("--nonsense",), ("--jobs", "0", "x")):
            self.assertEqual(self.run_it(*arguments).returncode, 2)

    def test_help_shows_an_example(self):
        self.assertIn("tests/run build/test-unit", self.run_it("--help").stdout)


if __name__ == "__main__":
    unittest.main()
