#!/usr/bin/env python3
"""Prepares a build for another architecture: tools/cross.py ARCH DIR

Fetches libraries of Debian for ARCH (arm64, riscv64, s390x) into DIR/root, once, and writes DIR/cross.ini, a cross file for Meson.
The compiler is Debian's (tools/deps.sh cross); programs run under QEMU's user emulation (qemu-user).
"""

import argparse
import dataclasses
import os
import shutil
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from archive import Archive, ArchiveError  # noqa: E402 pylint: disable=wrong-import-position


@dataclasses.dataclass(frozen=True)
class Target:
    machine: str  # as in uname, and in the names of compiler and emulator
    loader: str  # the dynamic one, where programs look for it
    endian: str = "little"
    suite: str = None  # if the suite of this machine does not have the architecture


TARGETS = {
    "arm64": Target("aarch64", "lib/ld-linux-aarch64.so.1"),
    "riscv64": Target("riscv64", "lib/ld-linux-riscv64-lp64d.so.1", suite="trixie"),
    "s390x": Target("s390x", "lib/ld64.so.1", endian="big"),
}
LIBRARIES = (r"libc6", r"libgcc-s1", r"libzstd1", r"libzstd-dev", r"zlib1g", r"zlib1g-dev", r"libdeflate0", r"libdeflate-dev",
             r"liblzma5", r"liblzma-dev", r"libbz2-1.0", r"libbz2-dev", r"libtinfo6", r"libncursesw6", r"libncurses-dev",
             r"libcmocka0", r"libcmocka-dev")
CROSS = """# Meson's cross file for {arch}, written by tools/cross.py
# emulator: qemu-{machine} -L {root}
[binaries]
c = {compiler}
ar = '{triplet}-gcc-ar'
strip = '{triplet}-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-{machine}', '-L', '{root}']

[host_machine]
system = 'linux'
cpu_family = '{machine}'
cpu = '{machine}'
endian = '{endian}'

[properties]
sys_root = '{root}'
pkg_config_libdir = ['{root}/usr/lib/{triplet}/pkgconfig', '{root}/usr/share/pkgconfig']
library_dirs = ['{root}/usr/lib/{triplet}']
needs_exe_wrapper = true

[built-in options]
c_args = ['-isystem', '{root}/usr/include']
# the libraries may be newer than the compiler's C library, which is that of the root when programs run
c_link_args = ['-L{root}/usr/lib/{triplet}', '-Wl,--allow-shlib-undefined']
"""


def make_relative(root):
    """Makes absolute links of packages relative to the root."""
    for folder, folders, names in os.walk(root):
        for path in (os.path.join(folder, name) for name in folders + names):
            if os.path.islink(path) and os.readlink(path).startswith("/"):
                to = os.path.relpath(root + os.readlink(path), folder)
                os.unlink(path)
                os.symlink(to, path)


def make_root(arch, target, folder):
    root = os.path.join(folder, "root")
    if os.path.isdir(root):
        return root
    part = root + ".part"
    for name in ("lib", "lib64"):
        os.makedirs(os.path.join(part, "usr", name), exist_ok=True)
        if not os.path.lexists(os.path.join(part, name)):
            os.symlink("usr/" + name, os.path.join(part, name))
    archive = Archive(os.path.join(folder, "apt"), arch, target.suite)
    for package in LIBRARIES:
        archive.extract(package, part, r"/(lib|lib64|include)/")
    make_relative(part)
    if not os.path.exists(os.path.join(part, target.loader)):
        raise ArchiveError(f"{part} has no {target.loader}")
    os.rename(part, root)
    return root


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("arch", choices=sorted(TARGETS))
    parser.add_argument("folder")
    options = parser.parse_args()
    target, folder = TARGETS[options.arch], os.path.abspath(options.folder)
    os.makedirs(folder, exist_ok=True)
    try:
        root = make_root(options.arch, target, folder)
    except ArchiveError as error:
        sys.exit(f"cross: {error}")
    with open(os.path.join(folder, "cross.ini"), "w", encoding="utf-8") as f:
        triplet = target.machine + "-linux-gnu"
        compiler = ["ccache"] * bool(shutil.which("ccache")) + [triplet + "-gcc"]
        f.write(CROSS.format(arch=options.arch, triplet=triplet, compiler=compiler, machine=target.machine, root=root,
                             endian=target.endian))


if __name__ == "__main__":
    main()
