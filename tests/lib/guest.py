"""An emulated arm64 machine with a PMU: built from Debian's kernel and a root in memory, driven over its serial line.

    guest = Guest(folder)                       # what it needs is fetched and built below the folder, once
    guest.add("bin/loop", path)                 # files for the root
    guest.commands["cycles"] = "strobe stat -e cycles loop"
    results = guest.run()                       # boots, runs them in order, powers off: {name: Result}

QEMU counts an instruction as a nanosecond (-icount), so that what its PMU counts does not depend on the machine that
emulates it. Packages come from the Debian archive through a private apt tree: the machine's own lists, architectures and
packages stay as they are. Everything has a time limit, and ends in one sentence where it fails.
"""

import gzip
import os
import re
import stat
import subprocess
import sys

from strobetest import TOP, Result

APT_CONF = """
Dir::State "{0}/state";
Dir::State::Lists "{0}/state/lists";
Dir::State::Status "{0}/status";
Dir::Cache "{0}/cache";
APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Sandbox::User "root";
Acquire::Retries "3";
Acquire::http::Timeout "30";
"""
BOOT_LIMIT_S = 600  # some 40 on an idle machine
COMMAND_LIMIT_S = 60  # by the guest's clock
INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /usr/bin /sbin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tracefs tracefs /sys/kernel/tracing
mkdir -p /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmp /tmp
export PATH=/bin:/sbin LC_ALL=C TERM=dumb HOME=/tmp
cd /tmp
exec </dev/null
sh /commands
echo "GUEST DOWN"
sync
poweroff -f
"""


class GuestError(Exception):
    pass


def call(*argv, timeout_s=600, **options):
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout_s, **options)
    except FileNotFoundError:
        raise GuestError(f"{argv[0]} is missing: tools/deps.sh vm installs it") from None
    except subprocess.TimeoutExpired:
        raise GuestError(f"{argv[0]} did not end within {timeout_s} s") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise GuestError(f"{' '.join(argv[:3])} failed: {said[-1] if said else f'status {done.returncode}'}")
    return done.stdout


class Archive:
    """Packages of another architecture, each fetched once."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "apt")
        self.conf = os.path.join(self.folder, "apt.conf")
        self.updated = False

    def apt(self, *argv):
        env = os.environ | {"APT_CONFIG": self.conf, "DEBIAN_FRONTEND": "noninteractive"}
        return call(*argv, env=env, cwd=self.folder)

    def update(self):
        if self.updated:
            return
        for name in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        open(os.path.join(self.folder, "status"), "w", encoding="ascii").close()
        with open(self.conf, "w", encoding="ascii") as f:
            f.write(APT_CONF.format(self.folder))
        self.apt("apt-get", "-q", "update")
        self.updated = True

    def kernel_package(self):
        """linux-image-arm64 depends on the package with the kernel in it."""
        self.update()
        text = self.apt("apt-cache", "--no-all-versions", "show", "linux-image-arm64")
        found = re.search(r"^Depends: (linux-image-\S+-arm64)\b", text, re.M)
        if not found:
            raise GuestError("the archive has no linux-image-arm64")
        return found.group(1)

    def extract(self, package, into, *members):
        """The named files of a package (all without names), below the folder `into`."""
        self.update()
        self.apt("apt-get", "-q", "download", package)
        deb = next(n for n in os.listdir(self.folder) if n.startswith(package + "_") and n.endswith(".deb"))
        os.makedirs(into, exist_ok=True)
        call("sh", "-c", f"dpkg-deb --fsys-tarfile '{deb}' | tar -x -C '{into}' {' '.join(members)}", cwd=self.folder)
        os.unlink(os.path.join(self.folder, deb))


def cpio_entry(name, mode, content=b""):
    """A member of an archive in the form "newc", as Documentation/driver-api/early-userspace/buffer-format.rst has it."""
    fields = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4)


class Guest:
    def __init__(self, folder):
        self.folder = folder
        self.files = {}
        self.commands = {}
        os.makedirs(folder, exist_ok=True)

    def add(self, name, path=None, content=None, mode=0o755):
        if content is None:
            with open(path, "rb") as f:
                content = f.read()
        self.files[name] = (mode, content)

    def kernel(self):
        """The image of the kernel; fetched where it is not there."""
        root = os.path.join(self.folder, "kernel")
        boot = os.path.join(root, "boot")
        if not os.path.isdir(boot) or not any(n.startswith("vmlinuz") for n in os.listdir(boot)):
            archive = Archive(self.folder)
            archive.extract(archive.kernel_package(), root, "./boot")
        return os.path.join(boot, next(n for n in sorted(os.listdir(boot)) if n.startswith("vmlinuz")))

    def busybox(self):
        path = os.path.join(self.folder, "busybox", "bin", "busybox")
        if not os.path.exists(path):
            Archive(self.folder).extract("busybox-static", os.path.join(self.folder, "busybox"))
        return path

    def add_strobe(self):
        """
        strobe for the guest and the libraries that it wants there: those of C and of BPF, no other optional ones. Built again
        where the tree has changed.
        """
        build = os.path.join(self.folder, "strobe-bpf")
        if not os.path.exists(os.path.join(build, "build.ninja")):
            off = [f"-D{name}=disabled" for name in ("zstd", "zlib", "lzma", "pfm", "zydis", "capstone", "tests")]
            call("meson", "setup", build, "--cross-file", os.path.join(TOP, "tests", "vm", "arm64.ini"), "--buildtype=release",
                 *off, cwd=TOP)
        call("ninja", "-C", build, "strobe", timeout_s=900)
        self.add("bin/strobe", os.path.join(build, "strobe"))
        root = os.path.join(self.folder, "libraries")
        if not os.path.exists(root):
            archive = Archive(self.folder)
            for package in ("libc6", "libbpf1", "libelf1", "zlib1g"):
                archive.extract(package, root + ".part")
            os.rename(root + ".part", root)
        for folder, _, names in os.walk(root):
            for name in names:
                if re.fullmatch(r"(ld-linux-aarch64|libc|libm|libbpf|libelf|libz)\.so\.\d", name):
                    self.add("lib/" + name, os.path.realpath(os.path.join(folder, name)))

    def compile(self, source, name, *flags):
        path = os.path.join(self.folder, name)
        call("aarch64-linux-gnu-gcc", "-O1", "-g0", "-static", *flags, "-o", path, source)
        return path

    def script(self):
        for name, command in self.commands.items():
            self.add(f"commands.d/{name}", content=command.encode())
            yield (f"timeout {COMMAND_LIMIT_S} sh /commands.d/{name} >/tmp/output 2>&1\nstatus=$?\n"
                   f"echo 'GUEST BEGIN {name}'\ncat /tmp/output\necho\necho GUEST END {name} $status\n")

    def initrd(self):
        folders = {os.path.dirname(name) for name in self.files} | {"bin", "dev"}
        members = [cpio_entry(name, stat.S_IFDIR | 0o755) for name in sorted(folders) if name]
        members += [cpio_entry(name, stat.S_IFREG | mode, content) for name, (mode, content) in self.files.items()]
        members.append(cpio_entry("TRAILER!!!", 0))
        path = os.path.join(self.folder, "initrd.gz")
        with gzip.open(path, "wb", compresslevel=1) as f:
            f.write(b"".join(members))
        return path

    def run(self, cpus=2):
        self.add("bin/busybox", self.busybox())
        self.add("init", content=INIT.encode())
        self.add("commands", content="".join(self.script()).encode(), mode=0o644)
        log = os.path.join(self.folder, "serial.log")
        argv = ["qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", "max", "-smp", str(cpus), "-m", "768", "-accel", "tcg",
                "-icount", "shift=0,sleep=off", "-display", "none", "-nodefaults", "-no-reboot", "-monitor", "none",
                "-serial", f"file:{log}", "-kernel", self.kernel(), "-initrd", self.initrd(),
                "-append", "console=ttyAMA0 panic=-1 quiet loglevel=1 nokaslr"]
        try:
            call(*argv, timeout_s=BOOT_LIMIT_S)
        except GuestError as error:
            raise GuestError(f"{error}; the last lines of its console:\n{self.tail(log)}") from None
        return self.results(log)

    @staticmethod
    def text_of(log):
        with open(log, encoding="utf-8", errors="replace") as f:
            return f.read().replace("\r", "")

    def tail(self, log):
        return "\n".join(self.text_of(log).splitlines()[-10:]) if os.path.exists(log) else "(nothing)"

    def results(self, log):
        text = self.text_of(log)
        if "GUEST DOWN" not in text:
            raise GuestError(f"the guest did not come to its end; the last lines of its console:\n{self.tail(log)}")
        found = {}
        for name, command in self.commands.items():
            part = re.search(rf"GUEST BEGIN {re.escape(name)}\n(.*?)\n?\nGUEST END {re.escape(name)} (\d+)\n", text, re.S)
            if part:
                found[name] = Result([command], int(part.group(2)), part.group(1), "")
        return found


def build_or_exit(make):
    """What make() returns; ends the script with the reason where the guest cannot be built or run."""
    try:
        return make()
    except GuestError as error:
        print(f"Bail out! {error}")
        sys.exit(1)
