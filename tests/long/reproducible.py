#!/usr/bin/env python3
"""The same commit gives the same bytes: the tarball of a release, and the static binary that two people build from it.

The two unpack it in folders of different depth and build in others; umask, time zone, locale, home and number of jobs are not the
same either. The compiler's cache is off. tests/run --filter reproducible long
"""
# timeout: 3600
# serial

import hashlib
import os
import re
import subprocess

from strobetest import SCRATCH, TOP, Tap, run, skip_all

BUILDERS = (("one", "out", "022", {"TZ": "UTC", "LC_ALL": "C", "JOBS": "1"}),
            ("another/and/deeper", "elsewhere/at/all", "077", {"TZ": "Pacific/Auckland", "LC_ALL": "C.UTF-8", "JOBS": "3"}))


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def release(folder):
    return run(os.path.join(TOP, "tools/make_release.sh"), os.path.join(SCRATCH, folder))


def build(tap, tarball, source, out, umask, env):
    """The binary that this one built."""
    source, out = os.path.join(SCRATCH, source), os.path.join(SCRATCH, out)
    os.makedirs(source)
    os.makedirs(os.path.join(SCRATCH, "home", umask))
    env = env | {"HOME": os.path.join(SCRATCH, "home", umask), "CCACHE_DISABLE": "1"}
    script = 'umask "$1" && tar -x -z --strip-components=1 -f "$2" -C "$3" && exec "$3/tools/make_static.sh" "$4" "$5"'
    arch = run("dpkg", "--print-architecture").out.strip()
    done = run("sh", "-c", script, "sh", umask, tarball, source, arch, out, env=env, timeout_s=1500)
    tap.ok(done.status == 0, f"built in {os.path.relpath(source, SCRATCH)}", done)
    return done.out.strip()


def main():
    if run("git", "-C", TOP, "rev-parse", "HEAD").status != 0:
        skip_all("this tree is not a git checkout, of which a release is packed")
    tap = Tap()
    first, second = release("first"), release("second")
    tap.ok(first.status == 0 and re.search(r"/strobe-[\d.]+\.tar\.gz$", first.out.strip()), "a release is packed", first)
    tarballs = [done.out.strip() for done in (first, second)]
    tap.equal(digest(tarballs[0]), digest(tarballs[1]), "twice the same tarball")
    tap.equal(run("sha256sum", "-c", "SHA256SUMS", cwd=os.path.join(SCRATCH, "first")).status, 0, "its checksum is right")
    tracked = set(run("git", "-C", TOP, "ls-tree", "-r", "--name-only", "-z", "HEAD").out.split("\0")) - {""}
    names = set(subprocess.run(["tar", "-tzf", tarballs[0]], capture_output=True, text=True, check=True).stdout.splitlines())
    names = {name.split("/", 1)[1] for name in names if not name.endswith("/")}
    tap.equal((sorted(tracked - names)[:5], sorted(names - tracked)[:5]), ([], []), "it has the files of the commit, all and no others")
    binaries = [build(tap, tarball, *builder) for tarball, builder in zip(tarballs, BUILDERS)]
    if all(binaries):
        tap.equal(digest(binaries[0]), digest(binaries[1]), "both built the same bytes")
        with open(binaries[0], "rb") as f:
            tap.ok(SCRATCH.encode() not in f.read(), "which name no folder of theirs")
    return tap.done()


if __name__ == "__main__":
    main()
