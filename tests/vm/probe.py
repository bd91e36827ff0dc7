#!/usr/bin/env python3
"""
Probes in the kernels of emulated machines of x86-64 and arm64 (Debian's, with kprobes and BTF, without debug information): the commands
of tutorials, known values, what is refused, and that no half-added probe remains.
"""
# needs: doctor probe record script test
# serial
# timeout: 1500

import os
import platform
import re
import typing

from guest import LISTEN, SEND, Guest, build_or_exit
from strobetest import Tap, skip_all

EVENTS = "/sys/kernel/tracing/kprobe_events"
LOCKDOWN = "/sys/kernel/security/lockdown"
# Commands of tutorials, as they are written there but for perf's name, and what they do in a kernel without debug information.
TUTORIALS = (
    ("probe --add tcp_sendmsg", "Added new event:"),
    ("probe -d tcp_sendmsg", "Removed event: probe:tcp_sendmsg"),
    ("probe 'tcp_sendmsg%return'", "probe:tcp_sendmsg__return (on tcp_sendmsg%return)"),
    ("probe -V tcp_sendmsg", "\t\tsize_t\tsize\n"),
    ("probe -V tcp_sendmsg --externs", "\tsize_t\tsize\n"),
    ("probe -L tcp_sendmsg", "no debug information"),
    ("probe -V tcp_sendmsg:81", "no debug information"),
    ("probe 'tcp_sendmsg %ax %dx %cx'", "(on tcp_sendmsg with %ax %dx %cx)"),
    ("probe -d tcp_sendmsg", "Removed event: probe:tcp_sendmsg"),
    ("probe 'tcp_sendmsg bytes=%cx'", "(on tcp_sendmsg with bytes=%cx)"),
    ("record -e probe:tcp_sendmsg --filter 'bytes > 100' -o /tmp/b.data -- true", "Captured and wrote"),
    ("probe --del tcp_sendmsg*", "Removed event: probe:tcp_sendmsg"),
    ("probe 'tcp_sendmsg%return $retval'", "(on tcp_sendmsg%return with $retval)"),
    ("probe 'tcp_sendmsg size'", "(on tcp_sendmsg with size)"),
    ("probe --del tcp_sendmsg", "Removed event: probe:tcp_sendmsg"),
    ("probe --add 'tcp_sendmsg size'", "(on tcp_sendmsg with size)"),
    ("probe --del tcp_sendmsg", "Removed event: probe:tcp_sendmsg"),
    ("probe 'tcp_sendmsg size sk->__sk_common.skc_state'", "(on tcp_sendmsg with size sk->__sk_common.skc_state)"),
    ("record -e probe:tcp_sendmsg --filter 'size > 0 && skc_state != 1' -a -o /tmp/s.data -- true", "Captured and wrote"),
    ("probe -l", "probe:tcp_sendmsg    (on tcp_sendmsg with size skc_state)"),
    ("probe --list", "probe:tcp_sendmsg    (on tcp_sendmsg with size skc_state)"),
    ("probe --del tcp_sendmsg", "Removed event: probe:tcp_sendmsg"),
    ("probe -nv 'tcp_sendmsg size sk->__sk_common.skc_state'", "Writing event: p:probe/tcp_sendmsg _"),
    ("probe 'tcp_sendmsg:81 seglen'", "no debug information"),
    ("probe --add 'tcp_sendmsg:81 seglen'", "no debug information"),
    ("probe 'do_sys_open filename:string'", "(on do_sys_open with filename:string)"),
    ("probe 'myfunc%return +0($retval):string'", "no function 'myfunc' in the kernel"),
    ("probe --line schedule", "no debug information"),
    ("probe schedule:12 cpu", "no debug information"),
    ("probe --add='schedule:12 cpu'", "no debug information"),
    ("probe 'schedule;update_rq_clock*'", "no debug information"),
    ("probe --add='schedule;update_rq_clock*'", "no debug information"),
    ("probe schedule", "probe:schedule       (on schedule)"),
    ("probe --del='schedule*'", "Removed event: probe:schedule"),
)


class Kernel(typing.NamedTuple):
    registers: str  # any three
    third: str      # that of the third argument
    forbidden: str  # a function that may not be probed
    odd: str        # what is said of a probe within an instruction


KERNELS = {
    "amd64": Kernel("%ax %dx %cx", "%dx", "do_int3", "instruction boundary"),
    "arm64": Kernel("%x0 %x2 %x3", "%x2", "do_debug_exception", "probe/y"),
}


def add_tutorials(guest):
    for i, (command, _) in enumerate(TUTORIALS):
        guest.commands[f"tutorial-{i}"] = f"strobe {command}"
    guest.commands["clean"] = f"strobe probe -q -d '*' 2>/dev/null; wc -l <{EVENTS}"


def add_lockdown(guest):
    """Comes last: what is locked stays so until the next start."""
    tools = ("probe -x /bin/strobe main", "probe schedule", "probe -l", "record -e k:schedule -o /tmp/k.data -- true",
             "trace --func kernel:schedule -- true")
    guest.commands["integrity"] = f"mount -t securityfs securityfs /sys/kernel/security; echo integrity >{LOCKDOWN}; " \
        f"strobe probe schedule && strobe probe -q -d schedule; wc -l <{EVENTS}; echo confidentiality >{LOCKDOWN}; cat {LOCKDOWN}"
    for i, tool in enumerate(tools):
        guest.commands[f"locked-{i}"] = f"strobe {tool}; echo status $?"


def prepare(arch):
    guest, kernel = Guest(arch), KERNELS[arch]
    guest.add_strobe()
    guest.commands["add"] = "strobe probe --add tcp_sendmsg; strobe probe 'tcp_sendmsg%return $retval'; " \
        "strobe probe 'sized=tcp_sendmsg size sk->__sk_common.skc_state'; strobe probe 'opened=do_sys_openat2 filename:string'; " \
        f"strobe probe 'regs=tcp_sendmsg {kernel.registers}'; strobe probe 'named=tcp_sendmsg bytes={kernel.third}'"
    guest.commands["list"] = "strobe probe -l"
    guest.commands["send"] = f"{LISTEN}; " \
        "strobe record -q -a -e probe:sized -e probe:tcp_sendmsg__return -e probe:named -o /tmp/t.data -- " \
        f"sh -c '{SEND}'; strobe script -i /tmp/t.data; cat /tmp/got"
    guest.commands["open"] = "strobe record -q -e probe:opened -o /tmp/o.data -- cat /proc/version; strobe script -i /tmp/o.data"
    guest.commands["variables"] = "strobe probe -V tcp_sendmsg"
    guest.commands["dry"] = f"strobe probe -nv 'other=tcp_sendmsg size'; grep -c other {EVENTS}"
    for name, command in (("unknown", "no_such_function"), ("variable", "x=tcp_sendmsg nosuch"), ("line", "schedule:12 cpu"),
                          ("taken", "tcp_sendmsg"), ("refused", kernel.forbidden),
                          ("half", f"-a half=schedule -a y=schedule+1 -a z={kernel.forbidden}")):
        words = command if command.startswith("-") else f"'{command}'"
        guest.commands[name] = f"wc -l <{EVENTS}; strobe probe {words}; echo status $?; wc -l <{EVENTS}"
    if arch == "amd64":
        guest.commands["doctor"] = "strobe doctor kprobes uprobes kernel-symbols tracepoints bpf-rights; " \
            "strobe doctor --format csv hardware-counters"
        guest.commands["test"] = "strobe test"
    guest.commands["functions"] = "strobe probe -F 'tcp_sendmsg*'"
    guest.commands["module"] = f"insmod /lib/dummy.ko; strobe probe -m dummy dummy_xmit; grep dummy {EVENTS}; " \
        "strobe probe -q -d dummy_xmit"
    guest.commands["delete"] = f"strobe probe --del='tcp_sendmsg*'; strobe probe -d '*'; wc -l <{EVENTS}"
    for path in guest.kernel_files():
        if path.endswith("dummy.ko"):
            guest.add("lib/dummy.ko", path)
    if arch == "amd64":
        add_tutorials(guest)
        add_lockdown(guest)
    return guest


def check_values(tap, results):
    sent = results["send"].out
    # five bytes through an established connection (TCP_ESTABLISHED is 1), all of which were sent
    tap.ok(re.search(r"probe:sized: .*\bsize=0x5 skc_state=0x1\b", sent) and re.search(r"probe:named: .*bytes=0x5\b", sent),
           "parameters and members by the kernel's BTF have their values", results["send"])
    tap.ok(re.search(r"probe:tcp_sendmsg__return: .*arg1=0x5\b", sent), "so has what the function returns", results["send"])
    tap.ok(re.search(r'probe:opened: .*filename_string="/proc/version"', results["open"].out), "a name in user memory", results["open"])


def check_refused(tap, results, kernel):
    for name, words in (("unknown", "no function 'no_such_function' in the kernel"), ("variable", "no parameter 'nosuch'"),
                        ("line", "no debug information"), ("taken", "already"), ("refused", kernel.forbidden),
                        ("half", kernel.odd)):
        done = results[name]
        lines = done.out.split()
        tap.ok(words in done.out and "status 0" not in done.out and lines[0] == lines[-1], f"{name}: refused, and nothing is added", done)


def check_machine(tap, results):
    """What the machine is known to have, and not to have."""
    said = results["doctor"].out
    tap.ok(said.count("  ok  ") == 5 and "missing,hardware-counters" in said, "doctor knows what there is", results["doctor"])
    lines = results["test"].out.splitlines()
    failed = [line for line in lines if "FAILED!" in line]
    tap.ok(len(lines) >= 80 and not failed and any(": Ok" in line for line in lines if "kernel function counts" in line),
           "strobe test: no check fails, and kprobes count", "\n".join(failed) or results["test"])


def check_tutorials(tap, results):
    for i, (command, words) in enumerate(TUTORIALS):
        done = results[f"tutorial-{i}"]
        tap.ok(words in done.out, f"{command}: {words.strip()}", done)
    tap.equal(results["clean"].out.strip(), "0", "all of them can be removed")


def check_lockdown(tap, results):
    at_integrity = results["integrity"].out
    if "[confidentiality]" not in at_integrity:
        tap.skip("a kernel that is locked down", "this one has no lockdown")
        return
    tap.ok("Added new event:" in at_integrity and "\n0\n" in at_integrity, "lockdown=integrity permits probes", results["integrity"])
    for name in (name for name in results if name.startswith("locked-")):
        lines = results[name].out.splitlines()
        tap.ok(len(lines) == 2 and "strobe doctor" in lines[0] and "lock" in lines[0] and lines[1] != "status 0",
               f"lockdown=confidentiality: {lines[0]}", results[name])


class Named(Tap):
    """Points with the name of the architecture."""

    def __init__(self):
        super().__init__()
        self.arch = ""

    def ok(self, good, name, why=""):
        super().ok(good, f"{self.arch}: {name}", why)


def check(tap, arch):
    guest = build_or_exit(lambda: prepare(arch))
    results = build_or_exit(guest.run)
    tap.arch = arch
    added = results["add"].out
    tap.ok(added.count("Added new event:") == 6 and f"  {'probe:tcp_sendmsg':20} (on tcp_sendmsg)\n" in added and
           "\tstrobe record -e probe:tcp_sendmsg__return -aR sleep 1\n" in added, "probes are added, with perf's messages", results["add"])
    listed = results["list"].out
    tap.ok(f"  {'probe:sized':20} (on tcp_sendmsg with size skc_state)" in listed and
           f"  {'probe:tcp_sendmsg__return':20} (on tcp_sendmsg%return with arg1)" in listed, "and listed", results["list"])
    check_values(tap, results)
    tap.ok("\t\tsize_t\tsize\n" in results["variables"].out, "-V lists parameters without debug information", results["variables"])
    tap.ok(re.search(r"Writing event: p:probe/other _s?text\+", results["dry"].out) and results["dry"].out.rstrip().endswith("0"),
           "-nv shows what it would write, and does not", results["dry"])
    check_refused(tap, results, KERNELS[arch])
    if arch == "amd64":
        check_machine(tap, results)
        check_tutorials(tap, results)
        check_lockdown(tap, results)
    tap.ok("tcp_sendmsg_locked" in results["functions"].out, "-F lists functions", results["functions"])
    tap.ok("p:probe/dummy_xmit dummy:dummy_xmit" in results["module"].out, "a function of a module", results["module"])
    tap.ok("Removed event: probe:tcp_sendmsg__return" in results["delete"].out and results["delete"].out.rstrip().endswith("\n0"),
           "globs remove them", results["delete"])


def main():
    if platform.machine() != "x86_64":
        skip_all("the machine of x86-64 takes this one's strobe")
    tap = Named()
    for arch in os.environ.get("GUESTS", "amd64 arm64").split():
        check(tap, arch)
    tap.done()


main()
