#!/usr/bin/env python3
"""Recordings of the scheduler made by hand: 10,000 threads, CPUs that come and go, lost records, the other byte order. What each thread
ran, waited and slept is known; tables are perf's."""
# needs: sched

import json
import os

import made
from made import Made, pack
from recording import NOBODY
from strobetest import NEWEST_PERF, Tap, run, strobe

SWITCH, WAKING = 1, 2
COMMON = """	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
# Letters of states come from here.
MASK = "(((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1)"
LETTERS = ", ".join(f'{{ 0x{1 << i:08x}, "{letter}" }}' for i, letter in enumerate("SDTtXZPI"))
STATE = f"(REC->prev_state & ({MASK} - 1))"
PRINTED = (f'REC->prev_comm, REC->prev_pid, REC->prev_prio, {STATE} ? __print_flags({STATE[1:-1]}, "|", {LETTERS}) : "R", '
           f'REC->prev_state & {MASK} ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio')
FORMATS = [f"""name: sched_switch
ID: {SWITCH}
format:
{COMMON}	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
	field:int prev_prio;	offset:28;	size:4;	signed:1;
	field:long prev_state;	offset:32;	size:8;	signed:1;
	field:char next_comm[16];	offset:40;	size:16;	signed:0;
	field:pid_t next_pid;	offset:56;	size:4;	signed:1;
	field:int next_prio;	offset:60;	size:4;	signed:1;

print fmt: "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", {PRINTED}
""", f"""name: sched_waking
ID: {WAKING}
format:
{COMMON}	field:char comm[16];	offset:8;	size:16;	signed:0;
	field:pid_t pid;	offset:24;	size:4;	signed:1;
	field:int prio;	offset:28;	size:4;	signed:1;
	field:int target_cpu;	offset:32;	size:4;	signed:1;

print fmt: "pid=%d", REC->pid
"""]
THREADS = 10000
RUN_NS, WAIT_NS = 3000, 500  # of each run, and from the wake-up to it
CPUS = (0, 1, 2, 3)          # 3 goes in the middle, and 7 comes


def events(threads=THREADS):
    """[(ns, kind, CPU, thread)] in order of time: each thread runs twice; all wait for a CPU before, and sleep in between."""
    found = []
    for turn in range(2 * threads):
        cpu = CPUS[turn % len(CPUS)]
        if turn > threads and cpu == 3:
            cpu = 7
        begin = 10_000_000 + 1_000_000 * (turn // len(CPUS)) // 100 + 300 * cpu
        thread = turn % threads + 1
        found += [(begin - WAIT_NS, "wake", cpu, thread), (begin, "in", cpu, thread), (begin + RUN_NS, "out", cpu, thread)]
    return sorted(found)


def switch(prev, state, following):
    names = [b"swapper" if not n else f"t{n}".encode() for n in (prev, following)]
    ids = [n and NOBODY + n for n in (prev, following)]
    return pack("HBBi16siiq16sii", SWITCH, 0, 0, ids[0], names[0], ids[0], 120, state, names[1], ids[1], 120)


def waking(thread, cpu):
    return pack("HBBi16siii", WAKING, 0, 0, 0, f"t{thread}".encode(), NOBODY + thread, 120, cpu)


def recording(path, is_little=True, lost_at=None, threads=THREADS):
    made.is_little = is_little
    m = Made(made.IDENTIFIER | made.CPU | made.RAW, events=((made.TYPE_TRACEPOINT, SWITCH), (made.TYPE_TRACEPOINT, WAKING)), period=1,
             formats={"sched": FORMATS}, machine=made.Machine(arch="x86_64" if is_little else "s390x", cpus=8),
             names=("sched:sched_switch", "sched:sched_waking"))
    for n in range(1, threads + 1):
        m.comm(n, f"t{n}")
    for i, (ns, kind, cpu, thread) in enumerate(events(threads)):
        if i == lost_at:
            m.lost(7)
        raw = waking(thread, cpu) if kind == "wake" else switch(0, 0, thread) if kind == "in" else switch(thread, 1, 0)
        m.sample(0, pid=-NOBODY if kind != "out" else thread, cpu=cpu, time=ns, event=int(kind == "wake"), raw=raw)
    m.write(path)
    made.is_little = True


def rows(*options):
    done = strobe("sched", "latency", "-p", "--percentiles", "--format", "json", *options)
    return (json.loads(done.out)["rows"] if done.status == 0 else []), done


def check_truth(tap, path, title):
    found, done = rows("-i", path)
    tap.equal(len(found), THREADS, f"{title}: a row for each of 10,000 threads")
    tap.equal({(r["running_ns"], r["switches"], r["avg_delay_ns"], r["max_delay_ns"], r["unknown_ns"]) for r in found},
              {(2 * RUN_NS, 2, WAIT_NS, WAIT_NS, 0)}, f"{title}: what each ran and waited")
    first, end_ns = {t: ns for ns, _, _, t in reversed(events())}, events()[-1][0]
    wrong = [r for r in found if sum(r[f"{s}_ns"] for s in ("running", "runnable", "sleeping")) != end_ns - first[r["tid"] - NOBODY]]
    tap.equal(wrong[:3], [], f"{title}: the states of each add up to its time, to the nanosecond")
    tap.ok(not done.err, f"{title}: nothing is missing", done.err)


def lines(done, command):
    """In no order, where perf has that of its hash table; without the times that threads ran, which perf takes from another event alone."""
    found = [line.rstrip() for line in done.out.splitlines()]
    if command == "latency -p":
        return [line.split("|")[:1] + line.split("|")[2:] for line in found if "TOTAL" not in line]
    return sorted(found) if command == "timehist -s" else found


def check_perf(tap, path):
    if not NEWEST_PERF or not os.path.exists(NEWEST_PERF):
        tap.skip("the newest perf", "NEWEST_PERF is not set")
        return
    for command in "latency -p", "map --compact", "timehist -w", "timehist -s":
        words = ["--no-pager", "sched", *command.split(), "-i", path]
        ours, theirs = lines(strobe(*words), command), lines(run(NEWEST_PERF, *words), command)
        wrong = [f"< {a}\n> {b}" for a, b in zip(ours, theirs) if a != b]
        tap.ok(len(ours) == len(theirs) > 1000 and not wrong, f"the newest perf: sched {command}, {len(theirs)} lines",
               f"{len(ours)} of ours\n" + "\n".join(wrong[:5]))


def check_lost(tap):
    """Seven records are missing in the middle: who slept then is unknown until its next event; times before are as they were."""
    middle = len(events()) // 2
    recording("lost.data", lost_at=middle)
    found, done = rows("-i", "lost.data")
    unknown = [r for r in found if r["unknown_ns"]]
    tap.ok(len(found) == THREADS and len(unknown) > THREADS / 2, "lost records: who slept meanwhile has unknown time", len(unknown))
    tap.ok(all(r["running_ns"] <= 2 * RUN_NS and r["max_delay_ns"] <= WAIT_NS for r in found), "no time is made up", found[:2])
    done = strobe("sched", "latency", "-i", "lost.data")
    tap.ok("7 out of" in done.out and done.err.count("7 records were lost") == 1, "how many were lost is said", done.out[-300:] + done.err)


def main():
    tap = Tap()
    recording("little.data")
    recording("big.data", is_little=False)
    for path, title in ("little.data", "little-endian"), ("big.data", "big-endian, of s390x"):
        check_truth(tap, path, title)
    recording("few.data", threads=1000)
    check_perf(tap, "few.data")  # 7.2 does not read formats of another byte order ("broken or missing trace data")
    check_lost(tap)
    Made(made.CPU | made.RAW, formats={"sched": FORMATS}, events=((made.TYPE_TRACEPOINT, WAKING),)).write("none.data")
    done = strobe("sched", "latency", "-i", "none.data")
    tap.ok(done.status == 1 and "no sched_switch" in done.err, "a recording without switches says what to record", done.err)
    tap.done()


main()
