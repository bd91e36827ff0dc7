#!/usr/bin/env python3
"""
Hardware counters: on the PMU of an emulated arm64 machine, programs with an exactly known number of instructions are counted exactly.
Built and run by `make test-vm`, below build-vm (STROBE_VM names another folder).
"""
# needs: stat record report
# serial
# timeout: 1500

import base64
import json
import os
import re

from guest import Guest, build_or_exit
from normalise import across_versions
from strobetest import PERF, STROBE, SCRATCH, TOP, Tap, perf_version, run

LOOPS = 100_000
LONG = 40_000_000
START, FORKED, CHILDREN = 9, 74, 21  # instructions around the loops: alone, with three forks, and of the three together
# What an interrupt in the middle adds is the emulator's: the smallest of these runs had none.
RUNS = 12
# The emulator's counters go on while its other CPU works: one run alone is exact where both programs share a CPU.
ALONE = "taskset 1"


def commands(guest):
    guest.commands |= {
        "machine": "uname -rm; ls /sys/bus/event_source/devices /sys/bus/event_source/devices/*/events",
        "short": f"strobe stat --format json -r {RUNS} -e instructions:u,cycles:u count",
        "double": f"strobe stat --format json -r {RUNS} -e instructions:u,cycles:u count2",
        "forks": f"strobe stat --format json -r {RUNS} -e instructions:u count 3",
        "first": f"strobe stat --format json -r {RUNS} -i -e instructions:u count 3",
        "names": f"strobe stat --format json -r {RUNS} -e r08:u,inst_retired:u,armv8_pmuv3/inst_retired/u"
                 ",armv8_pmuv3/event=0x8/u,armv8_pmuv3/event=0x8,name=mine/u,armv8_pmuv3/config=8/u count",
        "levels": f"strobe stat --format json -r {RUNS} -e instructions,instructions:u,instructions:k count",
        "group": f"{ALONE} strobe stat --format json -e '{{instructions,cycles,r08}}:u' long",
        "shared": "strobe stat --format json " + "-e instructions:u " * 12 + "long",
        "toobig": "strobe stat -e '{r08,r08,r08,r08,r08,r08,r08,r08,r08}:u' count",
        "weak": "strobe stat --format json -e '{r08,r08,r08,r08,r08,r08,r08,r08,r08}:Wu' long",
        "pinned": "strobe stat --format json -e '{r08,r08,r08,r08,r08,r08}:D' -e r08:Du long",
        "detail": "strobe stat -d count",
        "verbose": "strobe stat -v -d count",
        "plain": "strobe stat count",
        "ipc": "strobe stat -M ipc,cache_misses count",
        "topdown": "strobe stat --topdown count",
        "bycpu": "strobe stat -a -A -x, -e cycles sleep 0.1",
        "bycore": "strobe stat -a --per-core -x, -e cycles sleep 0.1",
        "onecpu": "strobe stat -C 1 -x, -e cycles sleep 0.1",
        "interval": "strobe stat -I 10 --summary -x, -e instructions:u long",
        "kept": f"{ALONE} strobe stat record -o kept.data -e instructions:u,cycles:u long && strobe stat report -x, -i kept.data",
        "versus": f"strobe stat -r {RUNS} --format json --vs count2 -e instructions:u -- count",
        "breakpoint": "strobe stat -x, -e mem:$(cat /loop_address):x count",
        "calls": "strobe stat -x, -e 'syscalls:sys_enter_*' count 3",
        "list": "strobe list hw pmu",
        "record": f"{ALONE} strobe record -q -e cycles:u -c 100003 -o p.data long && strobe report --stdio -i p.data",
        "recorded": "base64 p.data",
    }


def prepare():
    guest = Guest("arm64", exact=True)
    source = os.path.join(TOP, "tests", "workloads", "count_arm64.S")
    guest.add_strobe()
    for name, loops in (("count", LOOPS), ("count2", 2 * LOOPS), ("long", LONG)):
        guest.add("bin/" + name, guest.compile(source, name, "-nostdlib", f"-DLOOPS={loops}"))
    symbols = run("aarch64-linux-gnu-nm", os.path.join(guest.folder, "count")).out
    guest.add("loop_address", content=b"0x" + re.search(r"^(\w+) t loop$", symbols, re.M).group(1).encode())
    commands(guest)
    return guest


def rows_of(result):
    """The rows of the one measurement of a document; other output is before it."""
    text = result.out[result.out.index("{"):] if "{" in result.out else "{}"
    return json.JSONDecoder().raw_decode(text)[0]["measurements"][0]["counts"]


def least(result):
    return [row["min"] for row in rows_of(result)]


def csv(result, field=0):
    return [line.split(",")[field] for line in result.out.splitlines() if line.count(",") >= 4]


def check_known(tap, results):
    tap.equal(least(results["short"]), [2 * LOOPS + START] * 2, "instructions and cycles of a known loop, to the last one")
    tap.equal(least(results["double"]), [4 * LOOPS + START] * 2, "and of one twice as long")
    tap.equal(least(results["forks"]), [8 * LOOPS + FORKED + CHILDREN], "three children are followed")
    tap.equal(least(results["first"]), [2 * LOOPS + FORKED], "-i leaves them out")
    tap.equal(least(results["names"]), [2 * LOOPS + START] * 6, "rNNN, names from sysfs, terms and config mean the same event")
    tap.equal([row["event"] for row in rows_of(results["names"])][4], "mine", "name= names it")
    whole, user, kernel = (row["value"] for row in rows_of(results["levels"]))
    tap.ok(user >= 2 * LOOPS and kernel > 0 and abs(whole - user - kernel) <= 2, "user and kernel add up to the whole",
           results["levels"])
    versus = json.loads(results["versus"].out[results["versus"].out.index("{"):])["rows"][0]
    tap.ok(versus["differs"] and versus["low95"] <= (4 * LOOPS + START) / (2 * LOOPS + START) <= versus["high95"],
           "--vs finds that one is twice the other", versus)
    tap.equal(csv(results["breakpoint"])[:1], [str(LOOPS)], "a breakpoint counts how often the loop is gone through")


def check_sharing(tap, results):
    expected = 2 * LONG
    group = rows_of(results["group"])
    tap.ok(len({row["value"] for row in group}) == 1 and len({row["running_ns"] for row in group}) == 1,
           "members of a group are counted over the same time", group)
    tap.between(expected, group[0]["value"], expected * 1.01, "and count the long loop")
    shared = rows_of(results["shared"])
    part = [row for row in shared if row["running_ns"] < row["enabled_ns"]]
    tap.ok(len(shared) == 12 and len(part) >= 6, "twelve events share the counters of a PMU with six", shared)
    tap.ok(all(abs(row["value"] - expected) < 0.08 * expected for row in shared), "and are scaled up to what they would be",
           [row["value"] for row in shared])
    toobig = results["toobig"]
    tap.ok("does not fit" in toobig.out and "<not supported>" in toobig.out, "a group that cannot be scheduled is reported", toobig)
    weak = rows_of(results["weak"])
    tap.ok(len(weak) == 9 and all(row["state"] == "counted" for row in weak) and
           all(abs(row["value"] - expected) < 0.08 * expected for row in weak), "a weak one is taken apart", weak)
    pinned = rows_of(results["pinned"])
    tap.ok([row["state"] for row in pinned][-1] == "not counted", "a pinned event without a counter is <not counted>", pinned)


def check_shown(tap, results):
    detail = results["detail"].out
    tap.ok(re.search(r"\d+ +instructions +# +1\.00 instructions +insn_per_cycle", detail) and re.search(r"cycles +# +\d\.\d+ GHz", detail),
           "insn per cycle and GHz", detail)
    # as with the newest perf: what nobody named and this PMU has not is left out, and shown with -v
    absent = [re.search(rf"<not supported> +{event}", results["verbose"].out) for event in ("L1-dcache-loads", "branches")]
    tap.ok("L1-dcache" not in detail and "L1-dcache" not in results["plain"].out and all(absent),
           "-d asks for caches, which this PMU has not", [detail, results["verbose"].out])
    ipc = results["ipc"]
    tap.ok(re.search(r"# +1\.0+ +ipc", ipc.out), "the metric ipc", ipc)
    tap.ok("cache_misses" in ipc.out and "cache-misses" in ipc.out, "a metric whose events are missing says which", ipc)
    topdown = results["topdown"]
    tap.ok(topdown.status == 1 and "topdown" in topdown.out, "--topdown says what is missing", topdown)
    named = set(re.findall(r"\S+", results["list"].out))
    tap.ok({"armv8_pmuv3/inst_retired/", "instructions", "cycles"} <= named and "branch-misses" not in named,
           "list names what this PMU has", results["list"])


def check_places(tap, results):
    each = [int(n) for n in csv(results["bycpu"], 1)]
    tap.ok(len(each) == 2 and all(90e6 < n < 400e6 for n in each), "-A counts each CPU", results["bycpu"])
    tap.ok([line.split(",")[0] for line in results["bycore"].out.splitlines() if ",cycles," in line] == ["S0-D0-C0", "S0-D0-C1"],
           "--per-core names them", results["bycore"])
    tap.ok(len(csv(results["onecpu"])) == 1 and int(csv(results["onecpu"])[0]) > 90e6, "-C counts one", results["onecpu"])
    parts = [line.split(",") for line in results["interval"].out.splitlines() if ",instructions:u," in line]
    total = [int(fields[1]) for fields in parts if fields[0].strip() == "summary"]
    # how many there are is the host's affair: it may not let the guest's second CPU run until the loop is over
    tap.ok(len(parts) >= 2 and sum(int(fields[1]) for fields in parts[:-1]) == total[0], "intervals add up to the summary",
           results["interval"])
    kept = [n for n in csv(results["kept"]) if n.isdigit()]
    tap.ok(len(kept) == 2 and all(2 * LONG <= int(n) <= 2.02 * LONG for n in kept), "stat record and stat report", results["kept"])
    calls = dict(zip(csv(results["calls"], 2), csv(results["calls"])))
    used = {name.removeprefix("syscalls:sys_enter_"): n for name, n in calls.items() if n != "0"}
    tap.equal((used, len(calls) > 250), ({"clone": "3", "wait4": "3", "exit": "4"}, True), "system calls of an arm64 program")


def check_recording(tap, results):
    record = results["record"]
    share = re.search(r"([\d.]+)% +long +long +\[\.\] loop", record.out)
    tap.ok(share and float(share.group(1)) > 95, "the loop is where the cycles are", record)
    path = os.path.join(SCRATCH, "arm64.data")
    with open(path, "wb") as f:
        f.write(base64.b64decode(results["recorded"].out))
    events = re.search(r"SAMPLE events: +(\d+)", run(STROBE, "report", "--stats", "-i", path).out)
    # the last period is not full; what begins and ends the program takes some cycles, on a slow machine a few more
    tap.between(2 * LONG // 100_003, events and int(events.group(1)), 2 * LONG // 100_003 + 16, "a sample each 100003 cycles")
    if not os.access(PERF, os.X_OK):
        return
    fields = ["script", "-i", path, "-F", "comm,pid,tid,event,period,ip", "--show-mmap-events"]
    ours, theirs = (across_versions(run(program, *fields).out, perf_version()) for program in (STROBE, PERF))
    tap.ok(ours == theirs and ours.count("\n") > 700, "perf on this machine reads in it what strobe does",
           "\n".join(line for line in ours.splitlines() if line not in theirs)[:2000])


def main():
    tap = Tap()
    guest = build_or_exit(prepare)
    results = build_or_exit(guest.run)
    print("# " + results["machine"].out.splitlines()[0])
    tap.equal(sorted(set(guest.commands) - set(results)), [], "every command came to its end")
    for check in (check_known, check_sharing, check_shown, check_places, check_recording):
        try:
            check(tap, results)
        except (KeyError, ValueError, IndexError) as error:
            tap.ok(False, f"{check.__name__} could be read", f"{type(error).__name__}: {error}")
    tap.done()


main()
