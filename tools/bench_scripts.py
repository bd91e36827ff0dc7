#!/usr/bin/env python3
"""What frames of scripts cost: tools/bench_scripts.py STROBE SCRATCH [ROUNDS]

Three rows of doc/BENCHMARKS.md, each measured in turn with what it is compared with:
- python3 at 4,000 Hz: its CPU time under --call-graph eh, in units of that under eh,native; samples lost; of those whose native stack
  has the evaluation loop, the share without a frame of the script.
- `record -g true` and `record true`: their wall time.
- 100 processes of python3, two at a time, each of 2 s by the clock: CPU time of the recorder by /proc/PID/stat, and its anonymous
  memory after 10, 50 and 95 % of the time.
Nothing else should run on the machine.
"""

import os
import re
import statistics
import subprocess
import sys
import time

import bench_inputs
import bench_stacks

LOOP = "_PyEval_EvalFrameDefault"
PROCESSES, SECONDS, AT_A_TIME = 100, 2, 2
SHORT = ("import json, re, time\nend = time.monotonic() + {}\nwhile time.monotonic() < end:\n"
         "    json.loads(json.dumps([list(map(str, range(30)))])); re.sub('a+', 'b', 'aaab' * 9)\n")


def record(strobe, scratch, options, command):
    return subprocess.run([strobe, "record", "-B", "-N", "-e", "cpu-clock", "-F", "4000", "-o", os.path.join(scratch, "s.data"), *options,
                           "--", *command], cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def without_script(strobe, scratch):
    """(samples in the evaluation loop, those of them without a frame of the script)."""
    text = subprocess.run([strobe, "script", "-i", os.path.join(scratch, "s.data"), "--no-inline", "-F", "ip,sym,dso"],
                          capture_output=True, text=True, check=False).stdout
    samples = [s for s in text.split("\n\n") if LOOP in s]
    return len(samples), sum("[python]" not in s for s in samples)


def slowed(strobe, scratch, rounds):
    clock = os.path.join(scratch, "seconds")
    work = [sys.executable, "-c", bench_stacks.WORK.format(turns=40000), clock]
    times, lost, of, without = {"eh": [], "eh,native": []}, 0, 0, 0
    for _ in range(rounds):
        for mode, seconds in times.items():
            record(strobe, scratch, ["--call-graph", mode], work)
            with open(clock, encoding="ascii") as f:
                seconds.append(float(f.read()))
            if mode == "eh":
                lost += bench_inputs.count_samples(os.path.join(scratch, "s.data"))[1]
                n, none = without_script(strobe, scratch)
                of, without = of + n, without + none
    ratios = [a / b for a, b in zip(times["eh"], times["eh,native"])]
    print(f"python3 at 4,000 Hz: program {min(times['eh']) / min(times['eh,native']):.3f} (least) / {statistics.median(ratios):.3f} (median"
          f" of {rounds} pairs) of eh,native; {lost} times lost; {without} of {of} stacks ({100 * without / max(of, 1):.2f} %)"
          " without their script")


def starts(strobe, scratch, rounds):
    times = {"-g": [], "": []}
    for _ in range(rounds * 5):
        for option, seconds in times.items():
            before = time.monotonic()
            record(strobe, scratch, [option] if option else [], ["true"])
            seconds.append(1000 * (time.monotonic() - before))
    print("; ".join(f"record {option} true".replace("  ", " ") + f": {min(s):.1f} ms (least) / {statistics.median(s):.1f} ms"
                    for option, s in times.items()))


def usage_of(pid):
    """(seconds of CPU, MB of anonymous memory), without its children's."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
        fields = f.read().rpartition(")")[2].split()
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
        found = re.search(r"RssAnon:\s+(\d+)", f.read())
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(found[1]) / 1024 if found else 0


def many(strobe, scratch):
    code = "'" + SHORT.format(SECONDS).replace("'", "'\\''") + "'"
    argv = [strobe, "record", "-B", "-N", "-e", "cpu-clock", "-F", "999", "-g", "-o", os.path.join(scratch, "s.data"), "--", "sh", "-c",
            f"seq {PROCESSES} | xargs -P {AT_A_TIME} -I N {sys.executable} -c {code}"]
    before, seen = time.monotonic(), []
    with subprocess.Popen(argv, cwd=scratch, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as recorder:
        while recorder.poll() is None:
            seen.append(usage_of(recorder.pid))
            time.sleep(0.2)
    wall = time.monotonic() - before
    seconds = max(s for s, _ in seen)
    memory = " / ".join(f"{seen[int(len(seen) * part)][1]:.1f}" for part in (0.1, 0.5, 0.95))
    samples, lost = bench_inputs.count_samples(os.path.join(scratch, "s.data"))
    print(f"{PROCESSES} processes of python3, each of {SECONDS} s: recorder {seconds:.2f} s of {wall:.0f} s, {100 * seconds / wall:.2f} %"
          f" of a CPU; anonymous memory {memory} MB after 10, 50 and 95 % of the time; {samples} samples, {lost} times lost")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    strobe, scratch = map(os.path.abspath, sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    os.makedirs(scratch, exist_ok=True)
    slowed(strobe, scratch, rounds)
    starts(strobe, scratch, rounds)
    many(strobe, scratch)


main()
