"""tools/source-rules: each rule with a file that breaks it and one that does not."""

import importlib.machinery
import importlib.util
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tools" / "source-rules"


def load():
    loader = importlib.machinery.SourceFileLoader("source_rules", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("source_rules", loader))
    loader.exec_module(module)
    return module


source_rules = load()

REFUSED = [  # (file, its text, what is said about it)
    ("common/a.c", '#include "proto/wire.h"\n', "common/ may not know proto/"),
    ("common/a.c", '#include "gen/wire.h"\n', "common/ may not know proto/"),
    ("proto/a.c", '#include "gateway/lane.h"\n', "proto/ may not know gateway/"),
    ("gateway/a.c", '#include "shard/world.h"\n', "gateway/ may not know shard/"),
    ("gateway/net.c", '#include "coordinator/core.h"\n', "gateway/ may not know coordinator/"),
    ("shard/script/a.c", '#  include "gateway/lane.h"\n', "shard/ may not know gateway/"),
    ("coordinator/a.c", '#include "shard/world.h"\n', "coordinator/ may not know shard/"),
    ("bots/a.c", '#include "gateway/lane.h"\n', "bots/ may not know gateway/"),
    ("gateway/a.c", '#include "lane.h"\n', "not a path from the project's root"),
    ("gateway/core.c", "#include <event2/event.h>\n", "belongs to a shell"),
    ("gateway/egress.c", '#include <sys/epoll.h>\n', "no place in a core"),
    ("gateway/bus_list.c", "#include <event2/event.h>\n", "belongs to a shell"),
    ("shard/a.c", "#include <zmq.h>\n", "belongs to a shell"),
    ("coordinator/a.c", "#include <hiredis/hiredis.h>\n", "belongs to a shell"),
    ("common/a.c", "#include <zmq.h>\n", "common/ has none"),
    ("gateway/core.c", "#include <sys/socket.h>\n", "no place in a core"),
    ("gateway/core.c", "#include <pthread.h>\n", "no place in a core"),
    ("gateway/core.c", '#include "common/clock.h"\n', "no place in a core"),
    ("shard/a.c", "x = time(NULL);\n", "time is common/clock.c's alone"),
    ("gateway/net.c", "clock_gettime(CLOCK_MONOTONIC, &now);\n", "clock_gettime is common/clock.c's alone"),
    ("common/log.c", "x = random();\n", "random is common/random.c's alone"),
    ("shard/a.c", "randombytes_buf(x, 8);\n", "randombytes_buf is common/random.c's alone"),
    ("shard/a.c", "rng_init_secure(&rng);\n", "rng_init_secure has no place in a core"),
    ("shard/a.c", "usleep(1);\n", "usleep has no place in a core"),
    ("proto/a.c", "strcpy(a, b);\n", "strcpy: use"),
    ("tests/unit/a.c", "x = atoi (text);\n", "atoi: use"),
    ("common/a.c", 'puts("/* no comment"); sprintf(a, "b");\n', "sprintf: use"),
    ("common/a.c", "typedef struct a a_t;\n", "a typedef"),
    ("common/a.c", "#define NDEBUG\n", "asserts stay on"),
    ("common/a.c", "/* TODO: later */\n", "unfinished work"),  # lint-ok: the case itself
    ("tools/a.py", "# FIXME\n", "unfinished work"),  # lint-ok: the case itself
    ("common/a.c", "/* " + "é" * 105 + " */\n", "111 columns"),
    ("common/a.h", "#ifndef DLMP_B_H\n#define DLMP_B_H\n#endif\n", "no include guard DLMP_…_A_H"),
]

ACCEPTED = [
    ("gateway/a.c", '#include <stdint.h>\n\n#include "gateway/lane.h"\n#include "gen/wire.h"\n'),
    ("proto/a.c", '#include "common/cursor.h"\n#include "bus.pb-c.h"\n'),
    ("tests/sim/a.c", '#include "gateway/lane.h"\n#include "shard/world.h"\n#include <zmq.h>\nx = time(NULL);\n'),
    ("gateway/net.c", '#include <event2/event.h>\n#include <sys/socket.h>\n#include "common/clock.h"\n'),
    ("tests/unit/a.c", '#include "tests/unit/suites.h"\n'),
    ("coordinator/store.c", "#include <hiredis/async.h>\n"),
    ("bots/net.c", "#include <event2/event.h>\n"),
    ("common/clock.c", "clock_gettime(CLOCK_MONOTONIC, &now);\n"),
    ("common/random.c", "randombytes_buf(x, 8);\n"),
    ("common/a.c", '/* strcpy(a, b)\n * #include "proto/wire.h" */\nputs("atoi(x) typedef");\n// system(x)\n'),
    ("common/a.c", "snprintf(a, 8, b); x.time(1); y->signal(2); my_strcpy(a, b); strcpy_size = 1;\n"),
    ("common/a.c", "typedef int callback(void); /* lint-ok: the library wants it by this name */\n"),
    ("common/a.c", "/* " + "é" * 104 + " */\n"),
    ("common/a.h", "/* a.h */\n#ifndef DLMP_COMMON_A_H\n#define DLMP_COMMON_A_H\n#endif\n"),
    ("proto/dlmp-packet/a-b.h", "#ifndef DLMP_PACKET_A_B_H\n#define DLMP_PACKET_A_B_H\n#endif\n"),
    ("tools/a.py", "atoi(x)\n"),
]


class SourceRules(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="source-rules-"))
        self.addCleanup(shutil.rmtree, self.dir)
        for header in ("common/cursor.h", "common/clock.h", "proto/wire.h", "gateway/lane.h", "shard/world.h",
                       "coordinator/core.h"):
            self.write(header, "")

    def write(self, name, text):
        (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / name).write_text(text, encoding="utf-8")

    def judge(self, name, text):
        self.write(name, text)
        return list(source_rules.check_file(self.dir, pathlib.PurePosixPath(name)))

    def test_each_rule_refuses_what_breaks_it(self):
        for name, text, said in REFUSED:
            with self.subTest(name=name, text=text):
                findings = self.judge(name, text)
                self.assertEqual(len(findings), 1, findings)
                self.assertRegex(findings[0], rf"^{name}:1: ")
                self.assertIn(said, findings[0])

    def test_what_breaks_no_rule_is_accepted(self):
        for name, text in ACCEPTED:
            with self.subTest(name=name, text=text):
                self.assertEqual(self.judge(name, text), [])

    def test_findings_name_their_line(self):
        findings = self.judge("common/a.c", '/* two\n * lines */\n#include "gen/wire.h"\n\ngets(x);\n')
        self.assertEqual([finding.split(": ")[0] for finding in findings], ["common/a.c:3", "common/a.c:5"])

    def test_the_program_tells_by_its_status(self):
        self.write("common/a.c", "gets(x);\n")
        self.write("common/b.c", "fgets(x, 1, stdin);\n")
        for files, status, lines in ((["common/b.c"], 0, 0), (["common/a.c", "common/b.c"], 1, 1)):
            done = subprocess.run([PROGRAM, "--root", self.dir, *files], capture_output=True, text=True, timeout=30,
                                  check=False)
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (status, lines), done)


if __name__ == "__main__":
    unittest.main()
