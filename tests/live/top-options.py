#!/usr/bin/env python3
"""perf's options for top: all of them are known, and those about switches, code, symbols and rings have their effect."""
# needs: top
# serial

import json
import os
import re
import subprocess
import sys

from strobetest import Tap, build_workload, is_root, run, strobe

EVENT = ["-e", "cpu-clock:u", "-F", "2000"]
# perf 6.1: `perf top -h`
REFERENCE = """-a -b -c -C -d -D -E -e -f -F -g -G -i -j -K -k -M -m -n -p -r -s -t -U -u -v -w -z --all-cgroups --asm-raw --call-graph
--children --comms --demangle-kernel --dsos --fields --force --group --group-sort-idx --hierarchy --ignore-callees --ignore-vmlinux
--kallsyms --max-stack --namespaces --no-bpf-event --num-thread-synthesize --objdump --overwrite --percent-limit --percentage --prefix
--prefix-strip --proc-map-timeout --raw-trace --show-on-off-events --show-total-period --source --stdio --switch-off
--switch-on --sym-annotate --symbols --tui""".split()


def known(tap):
    text = strobe("top", "-h").out
    listed = set(re.findall(r"(?<![\w-])(--?[A-Za-z][\w-]*)", text))
    tap.equal([o for o in REFERENCE if o not in listed], [], "every option of the reference is in the help")
    refused = strobe("top", "--stitch-lbr", "--stdio")
    tap.ok(refused.status == 129 and "--call-graph lbr" in refused.err, "stitching wants stacks that can be stitched", refused)


def shares(*argv):
    done = strobe("top", "--format", "json", "-s", "sym", "-d", "0.5", "--refreshes", "2", *argv, timeout_s=30)
    rows = [json.loads(line)["report"]["events"] for line in done.out.splitlines()]
    found = {}
    for event in rows[-1] if rows else []:
        for row in event["rows"]:
            found[(event["name"], row["symbol"])] = row["values"][0]["self"]["percent"]
    return done, found


def switches(tap):
    on, off = "syscalls:sys_enter_getppid", "syscalls:sys_enter_umask"
    load = subprocess.Popen([build_workload("switches"), "60000"])
    try:
        events = ["-e", f"cpu-clock:u,{on},{off}", "-F", "1999", "-p", str(load.pid)]
        done, both = shares(*events)
        if done.status and not both:
            tap.skip("switches", "no tracepoints here")
            return
        clock = next(name for name, _ in both if name.startswith("cpu-clock"))
        tap.between(30, both.get((clock, "inside")), 70, "without switches, half of the time is in between")
        done, inside = shares(*events, "--switch-on", on, "--switch-off", off)
        tap.between(97, inside.get((clock, "inside")), 100, "between --switch-on and --switch-off nothing else counts")
        done, outside = shares(*events, "--switch-on", off, "--switch-off", on)
        tap.between(97, outside.get((clock, "outside")), 100, "the other way round, the rest")
        tap.ok(not [name for name, _ in inside if name in (on, off)], "the two events do not count")
        done, shown = shares(*events, "--switch-on", on, "--switch-off", off, "--show-on-off-events")
        tap.equal({name for name, _ in shown} - {clock}, {on, off}, "but with --show-on-off-events")
        wrong = strobe("top", "--stdio", *EVENT, "--switch-on", on)
        tap.ok(wrong.status and "specify it with -e" in wrong.err, "an event that is not counted is reported", wrong)
    finally:
        load.kill()
        load.wait()


def code(tap, pid, binary):
    plain = ["--stdio", *EVENT, "-p", pid, "-d", "0.5", "--refreshes", "1"]
    done = strobe("top", *plain, "--sym-annotate", "hot", "--asm-raw", "--objdump", "/nowhere")
    if "cannot be decoded" in done.err or "built without" in done.err:
        tap.skip("code", "this build has no disassembler")
    else:
        tap.ok("<hot>:" in done.out and "<cold>:" not in done.out, "--sym-annotate shows one function", done)
        hit = [line for line in done.out.splitlines() if re.match(r" *[1-9][0-9]*\.\d+ :", line)]
        tap.ok(hit, "and what its instructions cost", done)
        if os.uname().machine == "x86_64":
            tap.ok(re.search(r": +55 +push +%rbp", done.out), "--asm-raw: bytes", done)
            done = strobe("top", *plain, "--sym-annotate", "hot", "-M", "intel")
            tap.ok("push   rbp" in done.out, "-M intel", done)
    done = strobe("top", *plain, "-D")
    table = dict(re.findall(r"^ ([0-9a-f]+-[0-9a-f]+) g (hot|cold)$", done.err, re.M))
    names = run("nm", "-S", binary).out
    expected = {f"{int(a, 16):x}-{int(a, 16) + int(n, 16):x}": name
            for a, n, name in re.findall(r"^([0-9a-f]+) ([0-9a-f]+) T (hot|cold)$", names, re.M)}
    tap.equal(table, expected, "-D writes the symbols as nm has them")
    done, rows = shares(*EVENT, "-p", pid, "--overwrite")
    tap.between(60, next((v for (_, symbol), v in rows.items() if symbol == "hot"), None), 80, "--overwrite shows the same split")


def into_pipe(tap):
    """A refresh has the lines of a terminal, whose size $LINES says, and more only if the number of rows is given."""
    argv = ["top", "--stdio", "-e", "cpu-clock:u", "-F", "4000", "-g", "-d", "0.5", "--refreshes", "1"]
    work = "import json\nwhile True: json.loads(json.dumps({str(n): [n] for n in range(999)}))"
    with subprocess.Popen([sys.executable, "-c", work]) as load:
        lines = {}
        for size in None, "12", "60":
            done = strobe(*argv, "-p", load.pid, env={"LINES": size} if size else {}, timeout_s=30)
            lines[size] = len(done.out.splitlines())
        chosen = strobe(*argv, "-p", load.pid, "-E", "30", timeout_s=30)
        load.kill()
    tap.equal((lines[None] <= 24, lines["12"] <= 12, 24 < lines["60"] <= 60), (True, True, True), f"lines of a refresh in a pipe: {lines}")
    tap.ok(len(chosen.out.splitlines()) > 60, "-E: rows with their whole chains", len(chosen.out.splitlines()))


def alike(tap, pid):
    """Options that change perf's text."""
    top = lambda *argv: strobe("top", "--stdio", "-p", pid, "-d", "0.5", "--refreshes", "1", "-F", "2000", *argv, timeout_s=30)
    done = top("-e", "cpu-clock:u,page-faults:u", "--group", "-s", "sym")
    tap.ok(re.search(r"^ +[0-9.]+% +0\.00%  \[\.\] hot", done.out, re.M) is not None, "--group: a column for each event, and no more", done)
    done = top("-e", "cpu-clock:u", "-v", "-s", "dso,sym")
    tap.ok(re.search(r"%  /\S+/split +0x[0-9a-f]+ +d \[\.\] hot", done.out) is not None, "-v: paths and addresses", done)
    for option in "-k", "--kallsyms":
        done = top("-e", "cpu-clock:u", option, "/nowhere")
        tap.ok(done.status and "cannot read /nowhere" in done.err, f"{option}: a file that is not there is reported", done)
    if is_root():
        with subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/null", "bs=1"], stderr=subprocess.DEVNULL) as load:
            done = strobe("top", "--stdio", "-p", load.pid, "-e", "cpu-clock", "-d", "0.5", "--refreshes", "2", "-s", "dso",
                          "--dsos", "[kernel]", timeout_s=30)
            load.kill()
        tap.ok(re.search(r"^# dso: \[kernel\]$|%  \[kernel\]", done.out, re.M) is not None, "the kernel is [kernel], as there", done)
    else:
        tap.skip("the kernel's name", "requires root")


def main():
    tap = Tap()
    known(tap)
    binary = build_workload("split")
    load = subprocess.Popen([binary, "60000"])
    try:
        code(tap, str(load.pid), binary)
        alike(tap, str(load.pid))
    finally:
        load.kill()
        load.wait()
    into_pipe(tap)
    if is_root():
        switches(tap)
    else:
        tap.skip("switches", "tracepoints require root")
    tap.done()


main()
