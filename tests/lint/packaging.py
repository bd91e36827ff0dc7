#!/usr/bin/env python3
"""The Debian packaging agrees with the rest of the tree: the version everywhere, and every library that tools/deps.sh names."""

import os
import re

from strobetest import TOP, Tap, run

# in every Debian build environment, or only needed for tests
IMPLIED = {"gcc", "libc6-dev", "linux-libc-dev"}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        return f.read()


def main():
    tap = Tap()
    version = re.search(r"^  version: '(.*)',$", read("meson.build"), re.M).group(1)
    packaged = re.match(r"strobe \((.*)-[^-]+\)", read("packaging/debian/changelog")).group(1)
    tap.equal((packaged, read("NEWS").split("\n")[0]), (version, version), "changelog and NEWS begin with the version of meson.build")
    control = read("packaging/debian/control")
    named = set(re.findall(r"[a-z0-9][a-z0-9.+-]+", control))
    listed = [line.split()[:2] for line in run(os.path.join(TOP, "tools/deps.sh"), "--list").out.splitlines()]
    missing = [package for group, package in listed if group in ("build", "optional") and package not in named | IMPLIED]
    tap.ok(len(listed) > 20 and not missing, "packaging/debian/control has what tools/deps.sh names for building", missing)
    tap.done()


main()
