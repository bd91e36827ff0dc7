"""Commands whose output is compared with perf's for every recording, whichever of the two recorded it."""

import normalise
from fixtures import fixture, usable
from oracle import Oracle
from strobetest import Tap, require_perf

REPORT = "report --stdio"
COMMANDS = [
    # name, arguments, normaliser
    ("report", REPORT, normalise.report),
    ("report none", f"{REPORT} -g none", normalise.report),
    ("report self", f"{REPORT} --no-children", normalise.report),
    ("report self none", f"{REPORT} --no-children -g none", normalise.report),
    ("report caller", f"{REPORT} -g caller", normalise.report),
    ("report callee", f"{REPORT} --no-children -g callee", normalise.report),
    ("report self caller", f"{REPORT} --no-children -g caller", normalise.report),
    ("report fractal", f"{REPORT} --no-children -g fractal,0.5,callee", normalise.report),
    ("report fractal caller", f"{REPORT} -g fractal,0.5,caller", normalise.report),
    ("report flat", f"{REPORT} --no-children -g flat", normalise.report),
    ("report folded", f"{REPORT} --no-children -g folded", normalise.report),
    ("report graph 5", f"{REPORT} -g graph,5", normalise.report),
    ("report graph address", f"{REPORT} --no-children -g graph,0.5,callee,address", normalise.report),
    ("report graph period", f"{REPORT} --no-children -g graph,0.5,caller,function,period", normalise.report),
    ("report graph count", f"{REPORT} --no-children -g graph,0.5,caller,function,count", normalise.report),
    ("report comm", f"{REPORT} -g none -s comm", normalise.report),
    ("report dso", f"{REPORT} -g none -s dso", normalise.report),
    ("report sym", f"{REPORT} -g none -s sym", normalise.report),
    ("report pid", f"{REPORT} -g none -s pid", normalise.report),
    ("report cpu", f"{REPORT} -g none -s cpu", normalise.report),
    ("report comm chains", f"{REPORT} --no-children -s comm", normalise.report),
    ("report dso,sym", f"{REPORT} --no-children -g none -s dso,sym", normalise.report),
    ("report pid,comm,dso,sym", f"{REPORT} --no-children -g none -s pid,comm,dso,sym", normalise.report),
    ("report n", f"{REPORT} -g none -n", normalise.report),
    ("report total period", f"{REPORT} -g none --show-total-period", normalise.report),
    ("report n period self", f"{REPORT} --no-children -g none -n --show-total-period -s comm,sym", normalise.report),
    ("report limit", f"{REPORT} -g none --percent-limit 5", normalise.report),
    ("report fields", f"{REPORT} --no-children -g none -F overhead,sample,period,comm,sym", normalise.report),
    ("report separator", f"{REPORT} --no-children -g none -t ;", normalise.report),
    ("report hierarchy", f"{REPORT} --no-children -g none --hierarchy -s comm,dso,sym", normalise.plain),
    ("report group", f"{REPORT} --no-children -g none --group", normalise.report),
    ("report comms", f"{REPORT} --no-children -g none --comms split,forks,find", normalise.report),
    ("report comms relative", f"{REPORT} --no-children -g none --comms forks,find --percentage relative", normalise.report),
    ("report dsos", f"{REPORT} --no-children -g none --dsos split,[kernel.kallsyms]", normalise.report),
    ("report symbols", f"{REPORT} --no-children -g none --symbols hot,leaf,work", normalise.report),
    ("report symbol filter", f"{REPORT} --no-children -g none --symbol-filter=o", normalise.report),
    ("report cpu 0", f"{REPORT} --no-children -g none -C 0", normalise.report),
    ("report time", f"{REPORT} --no-children -g none --time 20%-60%", normalise.report),
    ("report parent", f"{REPORT} --no-children -g none -s parent,sym -p ^main", normalise.report),
    ("report width", f"{REPORT} --no-children -g none -w 10,12,20", normalise.report),
    ("report stats", "report --stats", normalise.plain),
    ("report header", f"{REPORT} --header -g none", normalise.report),
    ("report header only", "report --header-only", normalise.plain),
    ("report tasks", "report --tasks", normalise.plain),
    ("report mmaps", "report --mmaps", normalise.plain),
    ("script", "script", normalise.plain),
    ("script all fields", "script -F comm,tid,pid,time,event,period,ip,sym,symoff,dso", normalise.plain),
    ("script ip sym", "script -F ip,sym", normalise.plain),
    ("script no stacks", "script -G", normalise.plain),
    ("script head", "script -F comm,tid,time", normalise.plain),
    ("script nanoseconds", "script --ns -F comm,pid,time,event", normalise.plain),
    ("script trace", "script -F comm,pid,tid,time,event,trace", normalise.plain),
    ("script header", "script --header", normalise.plain),
    ("script task events", "script --show-task-events", normalise.plain),
    ("script mmap events", "script --show-mmap-events -F comm,tid,time,event", normalise.plain),
    ("script switch events", "script --show-switch-events -F comm,tid,time", normalise.plain),
    ("script namespace events", "script --show-namespace-events -F comm,tid,time", normalise.plain),
    ("script cgroup events", "script --show-cgroup-events -F comm,tid,time", normalise.plain),
    ("script time", "script --time 10%-50% -F comm,time", normalise.plain),
    ("script comms", "script --comms split -F comm,tid,sym,ip", normalise.plain),
    ("script cpu 0", "script -C 0 -F comm,cpu,time", normalise.plain),
    ("evlist", "evlist", normalise.plain),
    ("evlist verbose", "evlist -v", normalise.plain),
    ("evlist freq", "evlist -F", normalise.plain),
    ("evlist group", "evlist -g", normalise.plain),
    ("evlist fields", "evlist --trace-fields", normalise.plain),
    ("buildid-list", "buildid-list", normalise.any_order),
    ("buildid-list hits", "buildid-list -H", normalise.any_order),
]


# (fixture, name) of those not compared, and why
NOT_COMPARED = {
    ("system", "report tasks"): "perf prints tasks with reused IDs in the order of its hash table",
    ("system", "report mmaps"): "the same",
    ("group", "report symbol filter"): "perf also prints rows without samples of the first event, if the recording happens to have some",
}


def compare_all(recorder, command):
    """Compares all lines of COMMAND on the fixtures that RECORDER made, as one TAP script."""
    require_perf()
    tap = Tap()
    oracle = Oracle(tap)
    for name in usable():
        try:
            path = fixture(name, recorder)
        except RuntimeError as error:
            tap.ok(False, f"{recorder} records {name}", error)
            continue
        for title, line, normaliser in COMMANDS:
            words = line.split()
            if words[0] == command and (name, title) not in NOT_COMPARED:
                oracle.compare(f"{recorder} {name}: {title}", path, words, normaliser)
    tap.done()
