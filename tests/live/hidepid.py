#!/usr/bin/env python3
# needs: record report stat trace top
"""Running as a plain user under hidepid=2, and with caches that belong to somebody else.

In a mount and PID namespace of its own, so that the machine's /proc stays as it is.
"""

import os
import shutil
import stat
import subprocess

from strobetest import STROBE, Tap, is_root, run, skip_all

NOBODY = "65534"
INSIDE = """
mount -o remount,hidepid=2 /proc || exit 77
sleep 60 & OTHER=$!
export OTHER
setpriv --reuid %s --regid %s --clear-groups sh -c '
[ ! -e /proc/$OTHER ] && echo hidden
./strobe record -q -e cpu-clock:u -F 2000 -o own.data -- sh -c "i=0; while [ \\$i -lt 90000 ]; do i=\\$((i + 1)); done" && echo recorded
./strobe report --stdio -i own.data -s comm,dso | grep -q "sh .*libc\\|sh .*dash" && echo named
./strobe stat -e cpu-clock:u true 2>&1 | grep -q cpu-clock && echo counted
for command in "record -o other.data" stat trace "top --stdio"; do
    status=0; ./strobe $command -p $OTHER </dev/null >said 2>&1 || status=$?; echo "$status $(grep -h process said | head -1)"
done'
kill $OTHER
""" % (NOBODY, NOBODY)


def hidden(tap):
    done = run("unshare", "-mpf", "--mount-proc", "sh", "-c", INSIDE, env={"HOME": os.path.abspath("home")})
    if done.status == 77 or "hidden" not in done.out:
        tap.skip("hidepid=2", f"/proc cannot be mounted so: {done.err.strip()[:100]}")
        return
    lines = done.out.splitlines()
    tap.equal(lines[:4], ["hidden", "recorded", "named", "counted"], "own programs are recorded, named and counted")
    tap.ok(len(lines) == 8 and all(line[0] != "0" and "no such process" in line for line in lines[4:]),
           "another user's process is none, in one line", done)


def others(folder):
    """Everything in it belongs to nobody, and can be written by all."""
    os.makedirs(folder, exist_ok=True)
    for at, folders, files in os.walk(folder):
        for name in [at] + [os.path.join(at, n) for n in folders + files]:
            os.chown(name, int(NOBODY), int(NOBODY))
            os.chmod(name, 0o777)


def caches(tap):
    """Of another user's home nothing is believed that can be checked, and nothing of ours is put there."""
    home, debug = os.path.abspath("theirs"), os.path.abspath("theirs/.debug")
    env = {"HOME": home, "XDG_CACHE_HOME": ""}
    subprocess.run([STROBE, "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-g", "-o", "root.data", "--", "sh", "-c",
                    "i=0; while [ $i -lt 90000 ]; do i=$((i + 1)); done"], check=True)
    argv = ["report", "--stdio", "-i", "root.data", "-s", "sym"]
    plain = run(STROBE, *argv, env={"HOME": os.path.abspath("empty")})
    ids = [line.split() for line in run(STROBE, "buildid-list", "-i", "root.data").out.splitlines() if "/" in line]
    for hex_id, path in ids:
        entry = os.path.join(debug, path.strip("/"), hex_id)
        os.makedirs(entry)
        os.makedirs(os.path.join(debug, ".build-id", hex_id[:2]), exist_ok=True)
        shutil.copy("/bin/true", os.path.join(entry, "elf"))
        links = os.path.join(debug, ".build-id", hex_id[:2])
        os.symlink(os.path.relpath(entry, links), os.path.join(links, hex_id[2:]))
    others(home)
    others(os.path.join(home, ".cache", "strobe"))
    os.chown(os.path.join(home, ".cache"), int(NOBODY), int(NOBODY))
    done = run(STROBE, *argv, env=env)
    tap.ok(ids and done.out == plain.out, "another user's build-id cache with wrong files: names as without", f"{done}\n{plain}")
    ours = [os.path.join(at, name) for at, _, names in os.walk(home) for name in names
            if stat.S_ISREG(os.lstat(os.path.join(at, name)).st_mode) and os.lstat(os.path.join(at, name)).st_uid == 0]
    tap.equal(ours, [], "nothing of ours is put into another user's cache")


def main():
    if not is_root():
        skip_all("only root can become another user")
    tap = Tap()
    os.chmod(".", 0o1777)
    shutil.copy(STROBE, "strobe")
    os.makedirs("home", mode=0o755)
    os.chown("home", int(NOBODY), int(NOBODY))
    hidden(tap)
    caches(tap)
    tap.done()


main()
