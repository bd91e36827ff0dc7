#!/usr/bin/env python3
"""
The output of `stat` compared with perf's: the same words apart from numbers, in all formats; with the newest also the same columns and
the same default events in the same order. Runs with PERF, and with NEWEST_PERF if it is another.
"""
# second try
# needs: stat
# serial
# timeout: 300

import glob
import json
import os
import re
import subprocess
import sys

from normalise import NEWEST
from strobetest import NEWEST_PERF, PERF, STROBE, Tap, perf, perf_version, require_perf, require_root, run

HEADS = """
true
-d true
-dd true
-ddd true
-a sleep 0.01
-a -A sleep 0.01
-C 0 sleep 0.01
-C 0-1 -A -e cs sleep 0.01
-a --per-core sleep 0.01
-a --per-socket sleep 0.01
-a --per-die sleep 0.01
-a --per-node sleep 0.01
-x, true
-x ; -e cs,faults true
-x \\t -e cs true
-x, -a --per-core -e cs sleep 0.01
-x, -a --per-socket -e cs sleep 0.01
-x, -a -A sleep 0.01
-x, -r 3 -e task-clock true
-j true
-j -a --per-die -e cs sleep 0.01
-j -a --per-node -e cs sleep 0.01
-j -a -A -e cs sleep 0.01
-j -r 3 -e task-clock true
-n true
-e duration_time,user_time,faults sleep 0.01
-e cs -p IDLE sleep 0.01
-e cs -t IDLE sleep 0.01
-e cs,faults --per-thread -p IDLE sleep 0.01
-e cs,faults --per-thread -p IDLE -x, sleep 0.01
-e cs,faults --per-thread -p IDLE -j sleep 0.01
-e cs false
-e cs sh -c 'exit 3'
-e cs sh -c 'kill $$'
--timeout 150 -e cs sleep 3
-e {cs,faults} true
-e {cs,faults}:u -e task-clock true
-e cs:u,faults:k,task-clock:uk true
-e cs/name=hello/ true
-g -e cs,faults true
-D 10 -e cs sleep 0.03
-D -1 -e cs sleep 0.03
-e mem:0x1000:rw true
-e msr/tsc/,task-clock true
-a -e SCALED sleep 0.01
--log-fd 1 -e cs true
-S -e cs true
-i -e cs true
-B -e cs true
--no-big-num -e cs true
--no-scale -e cs true
--all-user -e cs,faults true
--all-kernel -e cs,faults true
-o /dev/stdout -e cs true
--pre 'echo before' --post 'echo behind' -e cs true
-e cs,cycles,instructions,branches,branch-misses,cache-references,cache-misses true
-e cs,LLC-loads,LLC-load-misses,dTLB-loads,dTLB-load-misses true
-e r00c0,instructions,cs -a sleep 0.01
-e sched:sched_switch,raw_syscalls:sys_enter true
-e task-clock,sched:sched_process_exec true
""".strip().splitlines()
# metrics by their names, which perf has since 6.19
METRICS = """
-M cs_per_second true
-a -M cs_per_second sleep 0.01
-C 0 -M CPUs_utilized sleep 0.01
-a -A -M page_faults_per_second sleep 0.01
-a --per-core -M migrations_per_second sleep 0.01
-x, -M cs_per_second true
-j -a --per-die -M cs_per_second sleep 0.01
-M page_faults_per_second --metric-only true
-x, -a --per-core -M page_faults_per_second --metric-only sleep 0.01
-x; -a -A -M page_faults_per_second --metric-only sleep 0.01
-j -a --per-socket -M page_faults_per_second --metric-only sleep 0.01
-j --metric-only -M page_faults_per_second,cs_per_second true
-I 20 -M page_faults_per_second --metric-only sleep 0.03
-I 20 -a --per-core -M page_faults_per_second --metric-only sleep 0.03
-I 20 -a -A -M page_faults_per_second --metric-only sleep 0.03
-I 20 -x, -a --per-die -M page_faults_per_second --metric-only sleep 0.03
""".strip().splitlines()
# intervals: how many there are is a matter of luck, so lines that repeat are taken together
INTERVALS = """
-I 20 sleep 0.05
-I 20 -x, -e cs,task-clock sleep 0.05
-I 20 -j -e task-clock sleep 0.05
-I 20 -a -A -e cs sleep 0.05
-I 20 -a --per-core -e cs sleep 0.05
-I 20 -a --per-socket -e cs sleep 0.05
-I 20 -a --per-die -e cs sleep 0.05
-I 20 -a --per-node -e cs sleep 0.05
-I 20 -x, -a --per-node -e cs sleep 0.05
-I 10 --interval-count 2 -a -e cs sleep 1
-I 20 --summary -a -e cs sleep 0.03
-I 20 --summary -x, -a -e cs sleep 0.03
-I 20 --summary --no-csv-summary -x, -a -e cs sleep 0.03
""".strip().splitlines()


# a process of four threads that does nothing: rows go by count, and a process of others (init, say) counts when it likes
IDLE = """
import threading
for _ in range(3):
    threading.Thread(target=threading.Event().wait).start()
print("idle", flush=True)
"""


def split(line):
    import shlex

    # -x ; and -e {a,b} are words, not syntax
    return shlex.split(line, posix=True) if "'" in line else line.replace("\\\\", "\\").split()


def without_figures(text):
    """perf 6.1 and 7.2 have other words for them: check_figures() looks at those."""
    text = re.sub(r' +# +(N|nan)\b[^\n(]*', " ", text)
    text = re.sub(r"([,;\t])(?:N|nan)\1[^,;\t\n\d]+$", r"\1\1", text, flags=re.M)
    return re.sub(r', "metric-value" : "?(?:N|nan)"?, "metric-unit" : "[^"]*"', "", text)


def check_figures(tap):
    """The names and units of derived figures are those of the newest perf's default metrics."""
    names = {"task-clock": "CPUs  CPUs_utilized", "context-switches": "cs/sec  cs_per_second",
             "cpu-migrations": "migrations/sec  migrations_per_second", "page-faults": "faults/sec  page_faults_per_second"}
    if NEWEST_PERF:
        words = run(NEWEST_PERF, "stat", "-x,", "/bin/true").err
        names_of = {fields[2]: fields[-1] for fields in (line.split(",") for line in words.splitlines()) if len(fields) == 7}
        tap.equal({event: names_of.get(event) for event in names}, names, "names of figures: the newest perf's")
    for options in ["-x,", "true"], ["-x,", "-e", ",".join(names), "true"]:
        fields = [line.split(",") for line in run(STROBE, "stat", *options).err.splitlines()]
        tap.equal({f[2]: f[-1] for f in fields if f[2] in names}, names, f"names of figures: stat {' '.join(options)}")
    rows = [json.loads(line) for line in run(STROBE, "stat", "-j", "-e", ",".join(names), "true").err.splitlines()]
    tap.equal({row["event"]: row["metric-unit"] for row in rows}, names, "names of figures: stat -j")
    text = run(STROBE, "stat", "-e", ",".join(names), "true").err
    tap.ok(all(re.search(rf"{event} +# +[\d.]+ {unit}", text) for event, unit in names.items()), "names of figures: text", text)


# of the default events, those that both kinds of perf show on every machine
DEFAULTS = ("context-switches", "cpu-migrations", "page-faults", "task-clock", "cpu-clock")


def as_older(text, words):
    """What is compared with a perf before 7: it has other columns, and its default events are in another order."""
    text = re.sub(r"^ ", "", re.sub(r" +", " ", text), flags=re.M).replace(" ctrs ", " cpus ").replace(" CPU counts", " cpu counts")
    lines = text.splitlines()
    if "-e" not in words:
        lines = sorted(line for line in lines if any(name in line for name in DEFAULTS))
    # a summary has no title since 7
    return "\n".join(line for line in lines if "--summary" not in words or not line.startswith("Performance counter stats"))


def as_newest(text, words):
    """7.2 shows figures of its default events alone, and some of those several times; its times have no unit."""
    text = re.sub(r" N ns   (?=\w+_time)", " N      ", text)
    text = re.sub(r" +(nan|-)$", " N", text, flags=re.M)  # alone in its column
    text = re.sub(r"(,N,N,),[^,\n\d]+$", r"\1,", text, flags=re.M)  # a figure that could not be computed
    lines = text.splitlines()
    if "-e" in words:
        return "\n".join(line if "seconds" in line else re.sub(r"(RATE| +#) .*$|,N,[^,]*$|,,$", "", line) for line in lines)
    return "\n".join(line for line in lines if not re.search(r"[a-zA-Z]-", line) or any(e in line for e in (*DEFAULTS, "cpu-cycles")))


def columns(text, words):
    """The layout: a number takes the place that it has with the blanks before it; figures are compared elsewhere."""
    text = re.sub(r"\b(strobe|perf)\b", "TOOL", re.sub(r" # .*", "", text))
    text = re.sub(r" ns   (?=\w+_time)", "      ", text)
    if "-e" not in words:
        text = "\n".join(line for line in text.splitlines() if any(name in line for name in DEFAULTS))
    text = re.sub(r" *(<not counted>|\b\d[\d.]*\b)", lambda m: "N".rjust(len(m.group(0))), text)
    return sorted({line.rstrip() for line in text.splitlines() if "seconds" not in line})


def normal(text):
    text = re.sub(r"\b(strobe|perf)\b", "TOOL", text)
    text = re.sub(r"^sh: Terminated\n", "", text, flags=re.M)
    # the program's own addition behind -r
    text = re.sub(r"^ *# 95 % interval.*\n", "", text, flags=re.M)
    # the name of no unit
    text = text.replace('"(null)"', '""')
    text = re.sub(r"<not counted>( ns)?", "N\\1", text)
    text = re.sub(r"\d+\.\d+", "N", text)
    text = re.sub(r"\d+", "N", text)
    text = without_figures(text).replace('"aggregate-number"', '"counters"')
    # which unit a rate has, and whether there is noise, hangs on the numbers
    text = re.sub(r"N,?[KMG]?/sec", "N/sec", text)
    text = re.sub(r"\"[KMG]?/sec\"", '"/sec"', text)
    text = re.sub(r" +# +N ( +)?[KMG]?/sec +", " RATE ", text)
    text = re.sub(r" *\( \+- +N% \)", "", text)
    text = re.sub(r",N,,N", ",,N", text)
    text = re.sub(r" +N", " N", text)
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def output_of(program, words):
    done = subprocess.run([program, "stat", *words], capture_output=True, text=True, timeout=30, env=os.environ | {"LC_ALL": "C"})
    return done.returncode, done.stdout, done.stderr


def rateless(text):
    """With a count of nothing there is no rate."""
    return re.sub(r" RATE ?", "", text)


def folded(text):
    """Each line once, without derived figures: what was not counted in an interval has none, and that may be any."""
    text = re.sub(r",N/sec$", ",N,", text, flags=re.M)
    text = re.sub(r"( RATE| +#.*)$|,(N,[\w/ ]*|,)$", "", text, flags=re.M)
    return sorted(set(re.sub(r', "metric-value" : .*(?=\}$)', "", text, flags=re.M).splitlines()))


def scaled_event():
    """An event of this machine whose counts have a unit, as sysfs describes it; None where there is none."""
    for path in sorted(glob.glob("/sys/bus/event_source/devices/*/events/*.unit")):
        pmu, event = path.split("/")[5], os.path.basename(path)[: -len(".unit")]
        # in a virtual machine some are described and cannot be counted: that is a layout of its own
        if perf("stat", "-a", "-e", f"{pmu}/{event}/", "-x,", "true").err.count("<not supported>") == 0:
            return f"{pmu}/{event}/"
    return None


# what the shell says of these commands
STATUSES = {" false": 1, "'exit 3'": 3, "'kill $$'": 143}


def same_words(theirs, ours, words, fold, version):
    """The normal forms of both, and whether they are equal."""
    pair = []
    for _, out, err in theirs, ours:
        texts = [as_newest(normal(t), words) if version >= NEWEST else as_older(normal(t), words) for t in (out, err)]
        pair.append([folded(t) if fold else rateless(t) for t in texts])
    return pair[0] == pair[1], pair


def check(tap, line, fold, idle, tool, version):
    if "SCALED" in line:
        event = scaled_event()
        if not event:
            tap.skip(f"stat {line}", "this machine has no event with a unit")
            return
        line = line.replace("SCALED", event)
    words = [str(idle) if word == "IDLE" else word for word in split(line)]
    theirs, ours = output_of(tool, words), output_of(STROBE, words)
    same, pair = same_words(theirs, ours, words, fold, version)
    # perf forgets how the command ended where that comes early (seen on busy machines), and always that a signal ended it
    known = [status for command, status in STATUSES.items() if line.endswith(command)]
    known += [0] if "--timeout" in words else []  # as before 7: that it was stopped in time is no failure
    same_status = ours[0] == (known[0] if known else theirs[0])
    title = f"stat {line} (perf {version})"
    tap.ok(same and same_status, title, f"perf   {theirs[0]} {pair[0]}\nstrobe {ours[0]} {pair[1]}")
    if version >= NEWEST and not set(words) & {"-j", "-x,", "-x", "-r"}:
        places = [[columns(t, words) for t in answer[1:]] for answer in (theirs, ours)]
        tap.equal(places[1], places[0], f"{title}: columns")


def check_beside(tap, tool, version):
    with subprocess.Popen([sys.executable, "-c", IDLE], stdout=subprocess.PIPE) as idle:
        idle.stdout.readline()
        try:
            for line in HEADS + INTERVALS + METRICS:
                # 7.2 has no -g, and as it is run here, with libraries of its own, no shell starts
                if line not in METRICS if version < NEWEST else not re.search(r"^-g |sh -c", line):
                    check(tap, line, "-I" in line, idle.pid, tool, version)
        finally:
            idle.kill()


def main():
    require_perf()
    require_root("counting the system")
    tap = Tap()
    version = perf_version()
    check_beside(tap, PERF, version)
    if NEWEST_PERF and version < NEWEST:
        check_beside(tap, NEWEST_PERF, NEWEST)
    check_figures(tap)
    tap.done()


main()
