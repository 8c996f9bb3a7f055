"""tools/rules: which tests stand for which rule, and what is wrong with them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = "# V-ONE: a section\n\nV-ONE-1  First.\nV-ONE-2  Second.\nV-TWO-1  Other.\n"
TESTED = "START_TEST(v_one_1_2_both_hold)\n{\n}\nEND_TEST\n\nSTART_TEST(v_two_1_holds)\nSTART_TEST(something_else)\n"


class Rules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.put("docs/rules.txt", RULES)
        self.put("tests/unit/test_one.c", TESTED)

    def put(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_rules(self, *arguments):
        return subprocess.run([sys.executable, "-B", ROOT / "tools" / "rules", "--root", self.root, *arguments],
                              capture_output=True, text=True, timeout=60)

    def assert_fault(self, text, *arguments):
        done = self.run_rules("--missing", *arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(text, done.stderr)

    def test_a_test_stands_for_each_number_its_name_begins_with(self):
        done = self.run_rules()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "V-ONE-1  v_one_1_2_both_hold\nV-ONE-2  v_one_1_2_both_hold\nV-TWO-1  v_two_1_holds\n")

    def test_two_tests_of_a_rule_are_both_named(self):
        self.put("tests/sim/more.c", "START_TEST(v_two_1_again)\n")
        self.assertIn("V-TWO-1  v_two_1_again\n         v_two_1_holds\n", self.run_rules().stdout)

    def test_a_rule_without_a_test_is_named(self):
        self.put("tests/unit/test_one.c", "START_TEST(v_one_1_holds)\n")
        self.assert_fault("V-ONE-2 has no test: Second.")
        self.assertIn("V-TWO-1  NONE\n", self.run_rules().stdout)

    def test_a_reason_stands_for_a_test(self):
        self.put("tests/unit/test_one.c", "START_TEST(v_one_1_2_hold)\n")
        self.put("docs/rules.d/me.txt", "# mine\nV-TWO-1  untestable: only a client can tell\n")
        done = self.run_rules()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("V-TWO-1  untestable: only a client can tell\n", done.stdout)

    def test_a_reason_beside_a_test_is_a_fault(self):
        self.put("docs/rules.d/me.txt", "V-TWO-1  untestable: so I thought\n")
        self.assert_fault("V-TWO-1 has a reason, and the test v_two_1_holds")

    def test_a_second_reason_is_a_fault(self):
        self.put("tests/unit/test_one.c", "START_TEST(v_one_1_2_hold)\n")
        self.put("docs/rules.d/a.txt", "V-TWO-1  untestable: one\n")
        self.put("docs/rules.d/b.txt", "V-TWO-1  untestable: two\n")
        self.assert_fault("b.txt:1: V-TWO-1 has a reason already")

    def test_ids_that_are_no_rule_are_faults(self):
        self.put("tests/unit/test_two.c", "START_TEST(v_one_1_15_m_away)\n")
        self.put("docs/rules.d/me.txt", "V-ONE-9  untestable: there is none\n")
        self.assert_fault("v_one_1_15_m_away is named after V-ONE-15, which is no rule")
        self.assert_fault("V-ONE-9 has a reason and is no rule")

    def test_a_line_of_another_form_is_a_fault(self):
        self.put("docs/rules.txt", RULES + "V-TWO-2 one space only\nV-TWO-1  Again.\n")
        self.put("docs/rules.d/me.txt", "V-TWO-1: no reason\n")
        self.assert_fault("rules.txt:6: neither a rule nor a comment")
        self.assert_fault("rules.txt:7: V-TWO-1 is there twice")
        self.assert_fault("me.txt:1: not of the form")

    def test_a_section_is_looked_at_alone(self):
        self.put("tests/unit/test_one.c", "START_TEST(v_two_1_holds)\nSTART_TEST(v_one_7_is_none)\n")
        done = self.run_rules("--section", "V-TWO")
        self.assertEqual((done.returncode, done.stdout), (0, "V-TWO-1  v_two_1_holds\n"))
        self.assert_fault("V-ONE-1 has no test", "--section", "V-ONE")
        self.assert_fault("no section V-THREE", "--section", "V-THREE")

    def test_wrong_usage_is_told(self):
        self.assertEqual(self.run_rules("--what").returncode, 2)


class TheProject(unittest.TestCase):
    def test_its_files_are_well_formed(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "tools" / "rules", "--missing"], capture_output=True, text=True,
                              timeout=60)
        for fault in done.stderr.splitlines()[:-1]:
            self.assertIn(" has no test: ", fault)


if __name__ == "__main__":
    unittest.main()
