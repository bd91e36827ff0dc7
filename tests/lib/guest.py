"""An emulated machine with Debian's kernel and a root in memory, controlled through its serial line.

    guest = Guest("arm64", exact=True)          # fetches and builds what is missing below build-vm (STROBE_VM)
    guest.add("bin/loop", path)                 # files for the root
    guest.commands["cycles"] = "strobe stat -e cycles loop"
    results = guest.run()                       # boots, runs them in order, powers off: {name: Result}

The one of arm64 has a PMU. With exact=True QEMU counts an instruction as a nanosecond there (-icount), so that counts of
the PMU do not depend on the emulating machine. The x86-64 machine has no PMU. Kernels come from the given suite of Debian
(tests/lib/archive.py), everything else from the machine's own.
"""

import dataclasses
import gzip
import os
import platform
import re
import stat
import sys

from archive import Archive, ArchiveError, call
from strobetest import STROBE, TOP, Result

BOOT_LIMIT_S = 1200  # some 40 on an idle machine; 420 were seen beside seven other builds
# One thread of QEMU for all CPUs. With one for each, QEMU 7.2 may translate code of the kernel while another CPU writes over it, and
# runs what it translated ever after: a tracepoint that is switched on then traps on both CPUs without end.
ACCELERATOR = "tcg,thread=single"
COMMAND_LIMIT_S = 60  # by the guest's clock
# Words of a shell in a guest: five bytes through a connection on port 5555, which stays open until they have come.
LISTEN = "ifconfig lo 127.0.0.1 up; sleep 60 | nc -l -p 5555 >/tmp/got & echo $! >/tmp/listener; " \
    "until grep -qs :15B3 /proc/net/tcp /proc/net/tcp6; do sleep 1; done"
SEND = "printf hello | nc 127.0.0.1 5555 & until [ -s /tmp/got ]; do sleep 1; done; kill $(cat /tmp/listener); wait"
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


@dataclasses.dataclass(frozen=True)
class Machine:
    arch: str  # as Debian calls it
    name: str  # as in uname, and in the name of its compiler
    loader: str  # the dynamic loader, by the path that programs name
    console: str
    qemu: tuple
    cpu: str
    exact: tuple = ()  # times and counts do not depend on the emulating machine; takes twice as long


MACHINES = {machine.arch: machine for machine in (
    Machine("arm64", "aarch64", "lib/ld-linux-aarch64.so.1", "ttyAMA0", ("-M", "virt,gic-version=3"),
            "max,pauth-impdef=on",  # QEMU spends most of its time on pointer authentication as the architecture defines it
            ("-icount", "shift=0,sleep=off")),
    Machine("amd64", "x86_64", "lib64/ld-linux-x86-64.so.2", "ttyS0", ("-M", "q35"), "max"),
)}


def cpio_entry(name, mode, content=b""):
    """A member of an archive in the "newc" format, see Documentation/driver-api/early-userspace/buffer-format.rst."""
    fields = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4)


def libraries_of(program):
    """The libraries that the dynamic loader of this machine loads for a program."""
    return set(re.findall(r"(/\S+)", call("ldd", program)))


class Guest:
    def __init__(self, arch, suite=None, exact=False):
        self.machine = MACHINES[arch]
        self.exact = exact
        self.suite = suite
        self.folder = os.path.join(os.path.abspath(os.environ.get("STROBE_VM") or os.path.join(TOP, "build-vm")), arch)
        self.files = {}
        self.commands = {}
        os.makedirs(self.folder, exist_ok=True)

    def add(self, name, path=None, content=None, mode=0o755):
        if content is None:
            with open(path, "rb") as f:
                content = f.read()
        self.files[name] = (mode, content)

    def archive(self, suite=None):
        return Archive(os.path.join(self.folder, f"apt-{suite or 'own'}"), self.machine.arch, suite)

    def fetched(self, name, make):
        """The folder of that name, filled by make(folder) if it does not exist."""
        root = os.path.join(self.folder, name)
        if not os.path.isdir(root):
            make(root + ".part")
            os.rename(root + ".part", root)
        return root

    def kernel_files(self):
        """Paths of the image of the kernel and of the modules that are added by add_module()."""
        def make(root):
            archive = self.archive(self.suite)
            for package in archive.kernel_packages():
                archive.extract(package, root, r"/vmlinuz|/drivers/net/dummy\.ko")
        root = self.fetched(f"kernel-{self.suite or 'own'}", make)
        return [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]

    def kernel(self):
        found = [path for path in self.kernel_files() if os.path.basename(path).startswith("vmlinuz")]
        if not found:
            raise ArchiveError(f"no kernel is in the packages of {self.suite or 'this'} suite")
        return found[0]

    def busybox(self):
        root = self.fetched("busybox", lambda root: self.archive().extract("busybox-static", root, r"/bin/busybox$"))
        return next(os.path.join(folder, "busybox") for folder, _, names in os.walk(root) if "busybox" in names)

    def is_native(self):
        return platform.machine() == self.machine.name

    def add_strobe(self):
        """
        The strobe that is tested, or one that is built for a machine of another kind (again where the tree has changed), and the
        libraries that it wants: there those of C and of BPF, no other optional ones.
        """
        if self.is_native():
            self.add_native()
        else:
            self.add_foreign()

    def add_program(self, name, path):
        """A program of this machine, with its libraries, for a guest of the same kind."""
        self.add("bin/" + name, path)
        for library in libraries_of(path):
            self.add_library(library)

    def add_library(self, path):
        self.add(self.machine.loader if path.endswith(self.machine.loader) else "lib/" + os.path.basename(path), path)

    def add_native(self):
        self.add_program("strobe", STROBE)

    def add_foreign(self):
        build = os.path.join(self.folder, "strobe-bpf")
        cross = os.path.join(TOP, "tests", "vm", self.machine.arch + ".ini")
        if not os.path.exists(cross):
            raise ArchiveError(f"strobe for {self.machine.arch} is built on such a machine alone")
        if not os.path.exists(os.path.join(build, "build.ninja")):
            off = [f"-D{name}=disabled" for name in ("zstd", "zlib", "lzma", "pfm", "zydis", "capstone", "tests")]
            call("meson", "setup", build, "--cross-file", cross, "--buildtype=release", *off, cwd=TOP)
        call("ninja", "-C", build, "strobe", timeout_s=900)
        self.add("bin/strobe", os.path.join(build, "strobe"))

        def make(root):
            self.archive().extract("libc6", root, r"/lib")
        for folder, _, names in os.walk(self.fetched("libraries", make)):
            for name in names:
                if re.fullmatch(r"(libc|libm)\.so\.\d", name) or name == os.path.basename(self.machine.loader):
                    self.add("lib/" + name, os.path.realpath(os.path.join(folder, name)))

    def compile(self, source, name, *flags):
        path = os.path.join(self.folder, name)
        call(f"{self.machine.name}-linux-gnu-gcc", "-O1", "-g0", "-static", *flags, "-o", path, source)
        return path

    def script(self):
        for name, command in self.commands.items():
            self.add(f"commands.d/{name}", content=command.encode())
            yield (f"timeout {COMMAND_LIMIT_S} sh /commands.d/{name} >/tmp/output 2>&1\nstatus=$?\n"
                   f"echo 'GUEST BEGIN {name}'\ncat /tmp/output\necho\necho GUEST END {name} $status\n")

    def initrd(self):
        folders = {"bin", "dev"}
        for name in self.files:
            while name := os.path.dirname(name):
                folders.add(name)
        members = [cpio_entry(name, stat.S_IFDIR | 0o755) for name in sorted(folders)]
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
        argv = [f"qemu-system-{self.machine.name}", *self.machine.qemu, *(self.machine.exact if self.exact else ()),
                "-cpu", self.machine.cpu, "-smp", str(cpus), "-m", "768", "-accel", ACCELERATOR,
                "-display", "none", "-nodefaults", "-no-reboot", "-monitor", "none", "-serial", f"file:{log}",
                "-kernel", self.kernel(), "-initrd", self.initrd(),
                # on a busy machine the timer's test at boot fails, which is a panic
                "-append", f"console={self.machine.console} panic=-1 quiet loglevel=1 nokaslr no_timer_check"]
        try:
            call(*argv, timeout_s=BOOT_LIMIT_S)
        except ArchiveError as error:
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
    """The result of make(); ends the script with the reason if the guest cannot be built or run."""
    try:
        return make()
    except (ArchiveError, GuestError) as error:
        print(f"Bail out! {error}")
        sys.exit(1)
