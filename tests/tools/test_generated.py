"""docs/protocol.md and deploy/wireshark/dlmp.lua: as the schema has them, and whole."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs/protocol.md"
DISSECTOR = ROOT / "deploy/wireshark/dlmp.lua"


def generate(folder, seed):
    """Both files, with Python's hashing disturbed by `seed`."""
    docs, dissector = pathlib.Path(folder, f"{seed}.md"), pathlib.Path(folder, f"{seed}.lua")
    generator = [sys.executable, "-B", ROOT / "proto/gen/generate.py", "--docs", docs, "--wireshark", dissector]
    subprocess.run(generator, check=True, env={"PYTHONHASHSEED": seed}, stdin=subprocess.DEVNULL)
    return docs.read_text(encoding="utf-8"), dissector.read_text(encoding="utf-8")


def anchors(text):
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return ["".join(char for char in heading.lower().replace(" ", "-") if char.isalnum() or char in "-_") for heading in headings]


class Current(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.first, cls.second = generate(folder, "1"), generate(folder, "2")

    def expect_current(self, path, text):
        name = path.relative_to(ROOT)
        self.assertTrue(path.exists(), f"{name} is not there: run `make docs` and commit it")
        if path.read_text(encoding="utf-8") != text:
            self.fail(f"{name} is not what proto/schema/ says: run `make docs` and commit it")

    def test_the_protocol_page_is_current(self):
        self.expect_current(DOCS, self.first[0])

    def test_the_dissector_is_current(self):
        self.expect_current(DISSECTOR, self.first[1])

    def test_the_same_schema_gives_the_same_text(self):
        self.assertEqual(self.first, self.second)

    def test_both_say_that_they_are_generated(self):
        for text in self.first:
            self.assertRegex(text.splitlines()[0], r"Generated from .*\. Do not edit\.")


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = DOCS.read_text(encoding="utf-8")

    def test_every_link_leads_somewhere(self):
        known = anchors(self.text)
        self.assertEqual(sorted(set(known)), sorted(known), "two headings with one anchor")
        for target in set(re.findall(r"\]\(([^)]*)\)", self.text)):
            if target.startswith("#"):
                self.assertIn(target[1:], known)
            else:
                self.assertTrue((DOCS.parent / target).exists(), f"{target} is not there: run `make fixtures`")

    def test_every_row_of_a_table_has_the_columns_of_its_head(self):
        columns = None
        for number, line in enumerate(self.text.splitlines(), 1):
            if not line.startswith("|"):
                columns = None
                continue
            cells = len(re.findall(r"(?<!\\)\|", line)) - 1
            columns = columns or cells
            self.assertEqual(columns, cells, f"docs/protocol.md:{number}: {line}")


if __name__ == "__main__":
    unittest.main()
