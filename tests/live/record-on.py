#!/usr/bin/env python3
"""record --on HOST: a shell in another home directory acts as the other machine; with sshd, a real connection to this one."""
# needs: record report archive
import io
import os
import platform
import re
import shutil
import signal
import subprocess
import tarfile
import time

from strobetest import SCRATCH, STROBE, Tap, build_workload, patience, run, strobe

SSH = """#!/bin/sh
# As ssh(1) is called: options, "--", a destination, a line for a shell.
while [ "$1" != -- ]; do
	[ "$1" = -O ] && exit 0
	shift
done
shift 2
cd "$FAR_HOME" && HOME=$FAR_HOME TMPDIR=$FAR_HOME/tmp PATH=$FAR_PATH exec sh -c "$1"
"""
# In place of strobe there: its answers are a stranger's.
HOSTILE = """#!/bin/sh
case "$*" in
*--version*) exec "{strobe}" --version ;;
*archive*) while [ "$1" != -o ]; do shift; done; cp "{archive}" "$2" ;;
*) while [ "$1" != -o ]; do shift; done; : >"$2" ;;
esac
"""


def script(path, text):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)
    os.chmod(path, 0o755)
    return path


class Far:
    """A home directory, and what is on the PATH there."""

    def __init__(self, name, installed=None):
        self.home = os.path.join(SCRATCH, name)
        self.near = os.path.join(SCRATCH, name + "-near")
        for folder in (os.path.join(self.home, "bin"), os.path.join(self.home, "tmp"), self.near):
            os.makedirs(folder)
        if installed:
            os.symlink(installed, os.path.join(self.home, "bin", "strobe"))
        ssh = script(os.path.join(self.home, "ssh"), SSH)
        self.env = dict(os.environ, FAR_HOME=self.home, FAR_PATH=os.path.join(self.home, "bin") + ":/usr/bin:/bin", STROBE_SSH=ssh,
                        HOME=self.near)

    def record(self, *argv, program=STROBE):
        return run(program, "record", "--on", "me@far", *argv, env=self.env, cwd=self.near)

    def left(self):
        return os.listdir(os.path.join(self.home, "tmp"))


def one_line(done, *words):
    lines = [line for line in done.err.splitlines() if line.startswith("strobe record:")]
    return len(lines) == 1 and all(word in lines[0] for word in words)


def passes_words_on(tap):
    far = Far("words", STROBE)
    words = ["a  b", "it's", "$HOME", "*", ""]
    done = far.record("-e", "cpu-clock:u", "--", "sh", "-c", "printf '%s|' \"$@\"; cat; exit 7", "sh", *words)
    tap.ok(done.out == "|".join(words) + "|", "the command gets its words as they are", done.out + done.err)
    tap.ok(done.status == 7, "its exit status comes back", done.status)
    tap.ok(os.path.exists(os.path.join(far.near, "perf.data")), "and the recording", done.err)
    far.record("-q", "true")
    tap.ok(os.path.exists(os.path.join(far.near, "perf.data.old")), "an older recording is kept as .old", os.listdir(far.near))
    done = far.record("-q", "-o", "other.data", "nosuchprogram")
    tap.ok(done.status == 127 and not os.path.exists(os.path.join(far.near, "other.data")), "no such command there: 127, no file",
           f"{done.status} {done.err}")
    tap.ok(not far.left(), "nothing stays there", far.left())


def brings_names(tap):
    """The program is gone when the report is made: its names are from the file that came along."""
    far = Far("names", STROBE)
    program = os.path.join(far.home, "spin")
    shutil.copy(build_workload("spin_for"), program)
    done = far.record("-e", "cpu-clock:u", "-g", "-o", "s.data", program, "0.3")
    os.unlink(program)
    symbols = {line.split()[2] for line in run("nm", build_workload("spin_for")).out.splitlines() if len(line.split()) == 3}
    rows = strobe("report", "--stdio", "--no-children", "-g", "none", "-s", "sym", "-i", "s.data", env=far.env, cwd=far.near).out
    top = re.search(r"^ +[0-9.]+%.*\[\.\] (\S+)", rows, re.M)
    tap.ok(top and top.group(1) in symbols, "names of a program that was deleted there since", rows + done.err)


def copies_strobe(tap):
    far = Far("bare")
    alone = os.path.join(SCRATCH, "alone")
    os.mkdir(alone)
    program = shutil.copy(STROBE, alone)
    done = far.record("true", program=program)
    tap.ok(done.status != 0 and one_line(done, "me@far", "make static"), "no strobe there and none to copy: one line says what to do",
           done.err)
    shutil.copy(STROBE, os.path.join(alone, "strobe-" + platform.machine()))
    first, second = far.record("true", program=program), far.record("true", program=program)
    tap.ok(first.status == 0 and "copying" in first.err, "strobe is copied there", first.err)
    tap.ok(second.status == 0 and "copying" not in second.err, "once", second.err)
    cache = os.path.join(far.home, ".cache", "strobe")
    modes = [(name, oct(os.stat(os.path.join(cache, name)).st_mode & 0o777)) for name in os.listdir(cache)]
    tap.ok(len([m for m in modes if m[0].startswith("strobe-")]) == 1 and all(m[1] == "0o700" for m in modes if m[0].startswith("strobe-")),
           "one file, for its owner alone", modes)


def copies_for_its_kind(tap):
    """The other machine is of another kind, by its uname: the file for that kind is copied, and never one for ours."""
    ours = platform.machine()
    theirs, arch = ("aarch64", "arm64") if ours != "aarch64" else ("x86_64", "amd64")
    far = Far("other-kind")
    uname = os.path.join(far.home, "bin", "uname")
    script(uname, f"#!/bin/sh\necho {theirs}\n")
    alone = os.path.join(SCRATCH, "kinds")
    os.mkdir(alone)
    program = shutil.copy(STROBE, alone)
    shutil.copy(STROBE, os.path.join(alone, "strobe-" + ours))
    done = far.record("true", program=program)
    tap.ok(done.status != 0 and one_line(done, "me@far", theirs, f"make static STATIC={arch}"), "no binary for its kind: one line names it",
           done.err)
    script(os.path.join(alone, "strobe-" + theirs), f"#!/bin/sh\n: of another kind\nexec '{STROBE}' \"$@\"\n")
    done = far.record("-q", "sh", "-c", "exit 3", program=program)
    tap.ok(done.status == 3 and "strobe-" + theirs in done.err, "that for its kind is copied and run", f"{done.status} {done.err}")
    cache = os.path.join(far.home, ".cache", "strobe")
    sizes = [os.path.getsize(os.path.join(cache, name)) for name in os.listdir(cache) if name.startswith("strobe-")]
    tap.equal(sizes, [os.path.getsize(os.path.join(alone, "strobe-" + theirs))], "and no other")
    script(uname, "#!/bin/sh\necho s390x\n")
    done = far.record("true", program=program)
    tap.ok(done.status != 0 and one_line(done, "me@far", "s390x", "build and install strobe there"),
           "a kind that make static has no file for: one line says so", done.err)


def is_interrupted(tap):
    far = Far("interrupted", STROBE)
    with subprocess.Popen([STROBE, "record", "--on", "far", "-e", "cpu-clock", "sleep", "600"], env=far.env, cwd=far.near,
                          stderr=subprocess.PIPE, text=True) as p:
        deadline = time.monotonic() + 30 * patience()
        while not any(os.path.exists(os.path.join(far.home, "tmp", d, "perf.data")) for d in far.left()) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(0.5)
        p.send_signal(signal.SIGINT)
        try:
            err = p.communicate(timeout=60 * patience())[1]
        except subprocess.TimeoutExpired:
            p.kill()
            err = "it goes on"
            subprocess.run(["pkill", "-f", far.home], check=False)
    tap.ok(os.path.exists(os.path.join(far.near, "perf.data")), "Ctrl-C ends it there, and the recording comes back", err)
    tap.ok(not far.left(), "nothing stays there then", far.left())


def hostile_archive(path):
    with tarfile.open(path, "w") as tar:
        for name in ("../outside", ".bashrc", "perf.data", "usr/../../x/0123456789012345678901234567890123456789/elf"):
            entry = tarfile.TarInfo(name)
            entry.size = 5
            tar.addfile(entry, io.BytesIO(b"harm\n"))


def is_careful(tap):
    far = Far("hostile")
    archive = os.path.join(SCRATCH, "hostile.tar")
    hostile_archive(archive)
    script(os.path.join(far.home, "bin", "strobe"), HOSTILE.format(strobe=STROBE, archive=archive))
    done = far.record("true")
    files = [os.path.join(d, f) for d, _, fs in os.walk(far.near) for f in fs]
    tap.ok(done.status != 0 and not files and not os.path.exists(os.path.join(SCRATCH, "outside")),
           "an archive of nothing that belongs in one is not unpacked", f"{files} {done.err}")
    for host in ("-oProxyCommand=touch x", ""):
        done = run(STROBE, "record", "--on", host, "true", env=far.env, cwd=far.near)
        tap.ok(done.status == 129 and "invalid host" in done.err, f"'{host}' is not a host", done.err)
    script(os.path.join(far.home, "ssh"), "#!/bin/sh\necho a greeting\n")
    tap.ok(one_line(far.record("true"), "does not answer"), "a host without a shell", far.record("true").err)
    script(os.path.join(far.home, "ssh"), "#!/bin/sh\nexit 255\n")
    tap.ok(one_line(far.record("true"), "no connection"), "no connection", far.record("true").err)
    far.env["STROBE_SSH"] = "/nonexistent/ssh"
    tap.ok(one_line(far.record("true"), "openssh-client"), "no ssh: the package that has it", far.record("true").err)


def refuses(tap):
    for words in (["-o", "-"], ["--switch-output"], ["--timestamp-filename"], ["--control", "fd:3"]):
        done = run(STROBE, "record", "--on", "far", *words, "true")
        tap.ok(done.status == 129 and "--on cannot be combined with" in done.err, "--on with " + words[0], done.err)


def start_sshd(folder, port):
    """sshd of this machine, for this user alone, on the loopback interface; its process, or None."""
    for name in ("host", "user"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(folder, name))
    shutil.copy(os.path.join(folder, "user.pub"), os.path.join(folder, "authorized"))
    config = script(os.path.join(folder, "sshd_config"), f"""Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
StrictModes no
UsePAM no
""")
    script(os.path.join(folder, "ssh"), f"""#!/bin/sh
exec ssh -F none -p {port} -i {folder}/user -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile={folder}/known "$@"
""")
    os.makedirs("/run/sshd", exist_ok=True)
    return subprocess.Popen([shutil.which("sshd", path="/usr/sbin:/sbin:/usr/bin"), "-D", "-e", "-f", config],
                            stderr=open(os.path.join(folder, "sshd.log"), "w", encoding="ascii"))


def by_ssh(tap):
    if os.getuid() or not shutil.which("sshd", path="/usr/sbin:/sbin:/usr/bin") or not shutil.which("ssh-keygen"):
        tap.skip("a recording by ssh", "needs root, sshd and ssh-keygen (openssh-server)")
        return
    folder = os.path.join(SCRATCH, "sshd")
    os.mkdir(folder)
    alone = os.path.join(folder, "alone")
    os.mkdir(alone)
    program = shutil.copy(STROBE, alone)
    shutil.copy(STROBE, os.path.join(alone, "strobe-" + platform.machine()))
    server = start_sshd(folder, 20000 + os.getpid() % 20000)
    env = dict(os.environ, STROBE_SSH=os.path.join(folder, "ssh"))
    try:
        time.sleep(1)
        words = ("-e", "cpu-clock", "-o", "ssh.data", "--", "sh", "-c", "echo 'a  b'; exit 5")
        done = run(program, "record", "--on", "root@127.0.0.1", *words, env=env)
        with open(os.path.join(folder, "sshd.log"), encoding="ascii") as log:
            said = done.err + log.read()
        tap.ok(done.status == 5 and done.out == "a  b\n" and os.path.exists("ssh.data"), "a recording by ssh", said)
    finally:
        server.terminate()
        server.wait()


def main():
    tap = Tap()
    passes_words_on(tap)
    brings_names(tap)
    copies_strobe(tap)
    copies_for_its_kind(tap)
    is_interrupted(tap)
    is_careful(tap)
    refuses(tap)
    by_ssh(tap)
    tap.done()


if __name__ == "__main__":
    main()
