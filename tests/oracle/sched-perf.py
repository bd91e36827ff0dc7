#!/usr/bin/env python3
"""The output of `sched` on recordings of perf and of strobe, line by line as the newest perf's."""
# second try
# needs: sched record

import os
import re

from strobetest import NEWEST_PERF, Tap, perf, require_perf, require_root, run, skip_all, strobe

THREADS = "import threading, time\n" \
    "lock = threading.Lock()\n" \
    "def f():\n" \
    "  for i in range(30):\n" \
    "    with lock: sum(range(2000))\n" \
    "    time.sleep(0.001)\n" \
    "ts = [threading.Thread(target=f) for i in range(6)]\n" \
    "[t.start() for t in ts]; [t.join() for t in ts]\n"
WORKLOADS = (("threads", ("python3", "-c", THREADS)),
             ("processes", ("sh", "-c", "for i in 1 2 3 4 5 6; do ls /usr/lib | sort | wc -l; done")))

# In the order of perf
EQUAL = ("latency", "latency -p", "latency -p -s pid", "latency -C 0 -s max,switch", "latency -v", "latency -s runtime,avg",
         "map --compact", "map --compact --task-name python3,sh", "map --compact --task-name pyth --fuzzy-name", "map --compact -v",
         "map --compact --cpus 1", "map --compact --color-cpus 0", "map --compact --color-pids TID", "timehist", "timehist -w -M",
         "timehist -w -n -M -P --show-prio -V --state", "timehist --prio 120", "timehist --prio 0-99 --show-prio",
         "timehist -C 1 --state", "timehist -C 0,1 -n", "timehist -M -C 0", "timehist -p TID", "timehist -t TID", "timehist -g",
         "timehist -P -w", "timehist -v -w", "timehist --max-stack 2", "timehist -I", "timehist -I -n -V --state -w",
         "timehist --time BEGIN,END", "timehist --time BEGIN,", "timehist --time ,END -I")
# perf prints threads in the order of its hash table
SORTED = ("timehist -s", "timehist -P -s", "timehist -S --state", "timehist -I -S", "timehist -C 1 -S", "timehist -t TID -S",
          "timehist --time BEGIN,END -s", "timehist --prio 120 -s")
# perf begins with fewer columns than there are CPUs, and adds one where an event has a CPU above
COLUMNS = ("map", "map --cpus 0")


def lines(done):
    """Blanks at ends left out, and parameters of functions of C++, which strobe does not print."""
    return [re.sub(r"\((?!inlined)[^()\[\]]*\)(?= <-|$)", "", line.rstrip()) for line in done.out.splitlines()]


def places(newest, path):
    """What is printed for places of the recording: a quarter of its events are before BEGIN, as many after END; TID is a thread of it."""
    text = run(newest, "--no-pager", "sched", "timehist", "-i", path).out
    times = re.findall(r"^ +([\d.]+) \[", text, re.M)
    tids = [tid for tid in re.findall(r"\[(\d+)[/\]]", text) if int(tid)]
    return {"BEGIN": times[len(times) // 4], "END": times[3 * len(times) // 4], "TID": tids[len(tids) // 2]}


def compare(tap, newest, path, who):
    known = places(newest, path)
    for command in EQUAL + SORTED + COLUMNS:
        words = ["--no-pager", "sched", *re.sub("BEGIN|END|TID", lambda m: known[m[0]], command).split(), "-i", path]
        ours, theirs = strobe(*words), run(newest, *words)
        a, b = lines(ours), lines(theirs)
        if command in SORTED:
            a, b = sorted(a), sorted(b)
        elif command in COLUMNS:
            a, b = ([" ".join(line.split()) for line in side] for side in (a, b))
        wrong = [f"< {x}\n> {y}" for x, y in zip(a, b) if x != y]
        tap.ok(ours.status == 0 and len(a) == len(b) and not wrong and len(b) > 2, f"{who}: sched {command} ({len(b)} lines)",
               f"{len(a)} lines of ours\n" + "\n".join(wrong[:10]) + ours.err)


def plan(done):
    """What is to be replayed, without what the machine's clocks say, and the rounds; empty where it ended before."""
    text = done.out.partition("nr_run_events")[2].split("-----", 1)[0]
    return [line.rstrip() for line in text.splitlines()]


def compare_replay(tap, newest, path, who):
    words = ["--no-pager", "sched", "replay", "-r", "1", "-i", path]
    ours, theirs = strobe(*words), run(newest, *words)
    if not plan(theirs):
        tap.skip(f"{who}: sched replay", "perf does not replay it")
        return
    tap.ok(ours.status == 0 and plan(ours) == plan(theirs), f"{who}: sched replay ({len(plan(theirs))} lines)",
           "\n".join(f"< {a}\n> {b}" for a, b in zip(plan(ours), plan(theirs)) if a != b)[:2000] + ours.err)
    tap.ok(re.search(r"^#1 +: [\d.]+, ravg: [\d.]+, cpu: [\d.]+ / [\d.]+$", ours.out, re.M), f"{who}: sched replay: a round",
           ours.out[-300:])


def main():
    require_perf()
    require_root("the events of the scheduler")
    if not NEWEST_PERF or not os.path.exists(NEWEST_PERF):
        skip_all("no newest perf (NEWEST_PERF)")
    tap = Tap()
    recorders = (("perf 6.1", perf), ("the newest perf", lambda *words: run(NEWEST_PERF, *words)), ("strobe", strobe))
    for name, words in WORKLOADS:
        for who, recorder in recorders:
            path = f"{name}-{who.split()[-1]}.data"
            program = ["/usr/bin/" + words[0], *words[1:]]
            recorder("sched", "record", "-o", path, "--", *program)
            readable = run(NEWEST_PERF, "evlist", "-i", path)
            if readable.status != 0:
                tap.skip(f"{who}: {name}", "perf 6.1 dies now and then at the end of record (build-id.c:1010)")
                continue
            compare(tap, NEWEST_PERF, path, f"{who}, {name}")
            compare_replay(tap, NEWEST_PERF, path, f"{who}, {name}")
    done = run(NEWEST_PERF, "sched", "record", "-g", "-o", "stacks.data", "--", "/usr/bin/python3", "-c", THREADS)
    for command in ("timehist", "timehist --max-stack 2 -n --state", "timehist -I -S"):
        words = ["--no-pager", "sched", *command.split(), "-i", "stacks.data"]
        # up to the first caller: what has a name is a question of symbols, which other tests compare
        a, b = ({line.split(" <- ")[0] for line in lines(done)} for done in (strobe(*words), run(NEWEST_PERF, *words)))
        share = len(a & b) / max(1, len(a | b))
        tap.ok(share > 0.8, f"with stacks: sched {command}: {share:.2f} of {len(b)} lines", "\n".join(sorted(a ^ b)[:10]) + done.err)
    tap.done()


main()
