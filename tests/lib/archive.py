"""Packages of Debian's archive, of any architecture and suite, through a private apt tree.

The lists, architectures and packages of the machine itself stay as they are. Every step has a time limit; a
failure raises ArchiveError with one sentence.
"""

import os
import re
import subprocess
import tarfile

APT_CONF = """
Dir::State "{folder}/state";
Dir::State::Lists "{folder}/state/lists";
Dir::State::Status "{folder}/status";
Dir::Cache "{folder}/cache";
APT::Architecture "{arch}";
APT::Architectures {{ "{arch}"; }};
APT::Sandbox::User "root";
Acquire::Retries "3";
Acquire::http::Timeout "30";
Acquire::Check-Valid-Until "false";
"""
OTHER_SOURCES = """
Dir::Etc::SourceList "{folder}/sources.list";
Dir::Etc::SourceParts "/dev/null";
"""
# A package with a kernel, or one that leads to it: there are two of those, and from Linux 6.17 on the kernel is apart from its modules.
KERNEL = r"\b(linux-(?:image|binary|modules)-\d[^\s,()|]*)"


class ArchiveError(Exception):
    pass


def call(*argv, timeout_s=600, **options):
    """What a program prints."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout_s, check=False, **options)
    except FileNotFoundError:
        raise ArchiveError(f"{argv[0]} is missing: tools/deps.sh vm installs it") from None
    except subprocess.TimeoutExpired:
        raise ArchiveError(f"{argv[0]} did not end within {timeout_s} s") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise ArchiveError(f"{' '.join(argv[:3])} failed: {said[-1] if said else f'status {done.returncode}'}")
    return done.stdout


class Archive:
    """One architecture of one suite; suite None is what the machine itself has packages from."""

    def __init__(self, folder, arch, suite=None):
        self.folder, self.arch, self.suite = os.path.abspath(folder), arch, suite
        self.updated = False

    def apt(self, *argv):
        env = os.environ | {"APT_CONFIG": os.path.join(self.folder, "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"}
        return call(*argv, env=env, cwd=self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as f:
            f.write(text)

    def update(self):
        if self.updated:
            return
        for name in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        self.write("status", "")
        self.write("apt.conf", (APT_CONF + (OTHER_SOURCES if self.suite else "")).format(folder=self.folder, arch=self.arch))
        if self.suite:
            targets = call("apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(CODENAME)")
            found = re.search(r"^(\S+) Debian \w+$", targets, re.M)
            if not found:
                raise ArchiveError(f"this machine has no sources of Debian to take {self.suite} from")
            self.write("sources.list", f"deb {found.group(1)} {self.suite} main\n")
        self.apt("apt-get", "-q", "update")
        self.updated = True

    def kernel_packages(self):
        """Those that the kernel of the suite and its modules are in."""
        self.update()
        names, left = [], [f"linux-image-{self.arch}"]
        while left:
            text = self.apt("apt-cache", "--no-all-versions", "show", left.pop())
            depends = re.search(r"^Depends: (.*)$", text, re.M)
            found = re.findall(KERNEL, depends.group(1)) if depends else []
            left += [name for name in found if name not in names]
            names += [name for name in found if name not in names]
        if not names:
            raise ArchiveError(f"the archive has no linux-image-{self.arch}")
        return names

    def extract(self, package, into, pattern=""):
        """The files of a package whose paths match, below the folder `into`."""
        self.update()
        self.apt("apt-get", "-q", "download", package)
        deb = next(n for n in os.listdir(self.folder) if n.startswith(package + "_") and n.endswith(".deb"))
        path = os.path.join(self.folder, deb)
        os.makedirs(into, exist_ok=True)
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE) as unpacked:
            with tarfile.open(fileobj=unpacked.stdout, mode="r|") as files:
                for member in files:
                    if not member.isdir() and re.search(pattern, member.name):
                        files.extract(member, into)
        os.unlink(path)
