"""deploy/bootstrap: a copy of it, with a list of its own, between fake dpkg-query, apt-get, id and sudo."""

import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

DEBIAN_12 = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
UBUNTU = 'PRETTY_NAME="Ubuntu 24.04"\nID=ubuntu\nVERSION_ID="24.04"\n'

# What is installed are the files of $STATE/installed; what apt can find, after an update, those of $STATE/archive.
DPKG_QUERY = r"""#!/bin/sh
shift 3
for package; do
    if [ -e "$STATE/installed/$package" ]; then echo "installed $package"
    elif [ -e "$STATE/removed/$package" ]; then echo "config-files $package"
    fi
done
[ -z "$(ls "$STATE/installed")" ] && exit 1
exit 0
"""

APT_GET = r"""#!/bin/sh
mode=install simulate=no packages=
while [ $# -gt 0 ]; do
    case $1 in
        -o) shift ;;
        -s) simulate=yes ;;
        -*) ;;
        update) mode=update ;;
        install) ;;
        *) packages="$packages $1" ;;
    esac
    shift
done
if [ $mode = update ]; then
    echo update >>"$STATE/calls"
    [ -e "$STATE/offline" ] && exit 100
    touch "$STATE/updated"
    exit 0
fi
for package in $packages; do
    [ -e "$STATE/archive/$package" ] && [ -e "$STATE/updated" ] || exit 100
done
[ $simulate = yes ] && exit 0
echo "install$packages" >>"$STATE/calls"
echo "frontend ${DEBIAN_FRONTEND-}" >>"$STATE/calls"
if [ -e "$STATE/stale" ]; then rm "$STATE/stale"; exit 100; fi
for package in $packages; do touch "$STATE/installed/$package"; done
"""


class Bootstrap(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="bootstrap-"))
        self.addCleanup(shutil.rmtree, self.dir)
        self.bin = self.dir / "bin"
        for folder in ("bin", "installed", "removed", "archive"):
            (self.dir / folder).mkdir()
        shutil.copy(ROOT / "deploy" / "bootstrap", self.dir / "bootstrap")
        (self.dir / "packages.txt").write_text("# what we need\ngcc   compiler\n\nmake  build  # and a comment\n")
        self.system(DEBIAN_12)
        self.command("dpkg-query", DPKG_QUERY)
        self.command("apt-get", APT_GET)
        self.command("id", "#!/bin/sh\necho 0\n")
        for tool in "bash sh env sed awk grep cat ls rm touch dirname readlink true".split():
            (self.bin / tool).symlink_to(shutil.which(tool, path="/usr/bin:/bin"))

    def command(self, name, text):
        path = self.bin / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def system(self, os_release):
        (self.dir / "os-release").write_text(os_release)

    def touch(self, *names):
        for name in names:
            (self.dir / name).touch()

    def run_it(self, *arguments):
        environment = {"PATH": str(self.bin), "STATE": str(self.dir), "OS_RELEASE": str(self.dir / "os-release")}
        return subprocess.run([self.dir / "bootstrap", *arguments], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=30, check=False)

    def calls(self):
        path = self.dir / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def test_nothing_missing_touches_neither_apt_nor_root(self):
        self.touch("installed/gcc", "installed/make")
        self.command("id", "#!/bin/sh\necho 1000\n")
        done = self.run_it()
        self.assertEqual((done.returncode, self.calls()), (0, []), done)
        self.assertIn("all packages are installed", done.stdout)

    def test_installs_exactly_what_is_missing_without_asking(self):
        self.touch("installed/gcc", "archive/make", "updated")
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.calls(), ["install make", "frontend noninteractive"])
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(len(self.calls()), 2, "the second run had nothing to do")

    def test_a_removed_package_with_its_configuration_left_is_missing(self):
        self.touch("installed/gcc", "removed/make", "archive/make", "updated")
        self.assertEqual(self.run_it().returncode, 0)
        self.assertIn("install make", self.calls())

    def test_a_machine_without_package_lists_fetches_them_first(self):
        self.touch("archive/gcc", "archive/make")
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(self.calls()[:2], ["update", "install gcc make"])

    def test_lists_that_are_too_old_are_fetched_and_the_install_repeated(self):
        self.touch("archive/gcc", "archive/make", "updated", "stale")
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual([call for call in self.calls() if not call.startswith("frontend")],
                         ["install gcc make", "update", "install gcc make"])

    def test_a_package_that_cannot_be_had_is_named(self):
        self.touch("installed/gcc", "offline")
        done = self.run_it()
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("could not install: make", done.stderr)

    def test_without_root_it_goes_through_sudo(self):
        self.touch("installed/gcc", "archive/make", "updated")
        self.command("id", "#!/bin/sh\necho 1000\n")
        self.command("sudo", '#!/bin/sh\necho sudo >>"$STATE/calls"\nexec "$@"\n')
        self.assertEqual(self.run_it().returncode, 0)
        self.assertIn("sudo", self.calls())
        self.assertIn("frontend noninteractive", self.calls())

    def test_without_root_and_sudo_it_says_what_to_run(self):
        self.touch("archive/gcc", "archive/make", "updated")
        self.command("id", "#!/bin/sh\necho 1000\n")
        done = self.run_it()
        self.assertEqual((done.returncode, self.calls()), (1, []), done)
        self.assertIn("needs root", done.stderr)

    def test_a_sudo_that_refuses_is_asked_once(self):
        self.touch("archive/gcc", "archive/make", "updated")
        self.command("id", "#!/bin/sh\necho 1000\n")
        self.command("sudo", '#!/bin/sh\necho sudo >>"$STATE/calls"\nexit 1\n')
        done = self.run_it()
        self.assertEqual((done.returncode, self.calls()), (1, ["sudo"]), done)

    def test_another_system_gets_the_list_and_nothing_else(self):
        for text in (UBUNTU, DEBIAN_12.replace("12", "13"), ""):
            for arguments in ((), ("--check",)):
                self.system(text)
                done = self.run_it(*arguments)
                self.assertEqual((done.returncode, self.calls()), (3, []), done)
                self.assertEqual([line.split() for line in done.stdout.splitlines()],
                                 [["gcc", "compiler"], ["make", "build"]])

    def test_check_names_what_is_missing_and_installs_nothing(self):
        self.touch("installed/gcc")
        done = self.run_it("--check")
        self.assertEqual((done.returncode, self.calls()), (1, []), done)
        self.assertEqual(done.stdout, "bootstrap: missing: make\n")

    def test_wrong_usage_is_status_2(self):
        for arguments in (("--chekc",), ("--check", "--list")):
            done = self.run_it(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn("usage:", done.stderr)

    def test_help(self):
        done = self.run_it("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("usage:", done.stdout)

    def test_every_package_of_the_list_has_a_reason(self):
        lines = (ROOT / "deploy" / "packages.txt").read_text().splitlines()
        rows = [line.split("#")[0].split() for line in lines if line.split("#")[0].strip()]
        self.assertGreater(len(rows), 10)
        self.assertEqual([row for row in rows if len(row) != 2], [])
        names = [row[0] for row in rows]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
