#!/usr/bin/env python3
"""`pprof` prints what `go tool pprof` prints, for profiles of other programs and for those of `convert`."""
# needs: pprof convert
# timeout: 300

import calendar
import glob
import gzip
import os
import re
import shutil
import time

import profile_proto
from strobetest import CORPUS, SCRATCH, STROBE, TOP, Tap, build_workload, run, skip_all, strobe

PROFILES = ["internal/proftest/testdata/large.cpu"]
# formats from before profile.proto: addresses only
LEGACY = ["cppbench.cpu", "cppbench.heap", "cppbench.thread", "cppbench.thread.none", "go.godoc.thread", "java.cpu",
          "java.contention"]
REPORTS = [
    ["-top"],
    ["-top", "-cum"],
    ["-top", "-nodecount=5"],
    ["-top", "-lines"],
    ["-top", "-files"],
    ["-top", "-filefunctions"],
    ["-top", "-addresses"],
    ["-top", "-noinlines"],
    ["-top", "-trim=false"],
    ["-top", "-unit=ms"],
    ["-top", "-divide_by=3"],
    ["-top", "-sample_index=samples"],
    ["-top", "-sample_index=0"],
    ["-top", "-focus=alloc"],
    ["-top", "-ignore=alloc", "-cum"],
    ["-top", "-hide=runtime"],
    ["-top", "-show=runtime"],
    # with some other expressions go's pprof drops a node less: it cuts the lines of a location for all samples at once
    ["-top", "-show_from=gc"],
    ["-top", "-focus=alloc", "-relative_percentages"],
    ["-top", "-compact_labels"],
    ["-tree"],
    ["-tree", "-cum", "-nodecount=10"],
    ["-tree", "-nodefraction=0.1", "-edgefraction=0.2"],
    ["-peek=time"],
    ["-traces"],
    ["-comments"],
    ["-raw"],
    ["-dot"],
    ["-dot", "-nodecount=30", "-nodefraction=0"],
]
# of a program's own, which has labels: those are boxes of their own in graphs
LABELLED = [
    *(["-traces", option] for option in ("-hide=hot", "-show=main[.]", "-show=Do|hot", "-prune_from=outer", "-show_from=outer")),
    ["-dot", "-lines", "-cum", "-taghide=phase"], ["-dot", "-focus=hot", "-taghide=phase"], ["-dot"], ["-dot", "-lines", "-mean"],
    ["-dot", "-call_tree"], ["-dot", "-call_tree", "-noinlines", "-nodefraction=0.2"], ["-dot", "-nodecount=6"],
    ["-callgrind", "-call_tree"], ["-top", "-focus=no such function"],
    ["-top", r"-focus=(?i)MAIN\.\w+"],
    ["-top"], ["-top", "-cum"], ["-tree"], ["-peek=hot"], ["-traces"], ["-tags"], ["-raw"], ["-callgrind"], ["-lines", "-top"],
    ["-tagfocus=one", "-top"], ["-tagfocus=phase=one", "-traces"], ["-tagignore=phase:t", "-traces"], ["-taghide=phase", "-traces"],
    ["-tagshow=phase", "-traces"], ["-tagroot=phase", "-top", "-cum"], ["-tagleaf=phase", "-traces"],
    ["-tagroot=phase,none", "-tree"],
    ["-mean", "-top"], ["-mean", "-top", "-lines", "-focus=hot"], ["-mean", "-tree", "-lines"], ["-mean", "-traces"],
    ["-mean", "-callgrind"],
    ["-list=main"], ["-list=hot|^runtime", "-noinlines"], ["-list=hot", "-unit=ms", "-divide_by=2"], ["-list=outer", "-focus=hot"],
]
# go's pprof does not report edges that it dropped where it dropped no node
HEAP = [["-dot", "-alloc_space", "-nodefraction=0", "-edgefraction=0"], ["-dot", "-alloc_objects", "-lines", "-unit=kb"],
        ["-dot", "-mean", "-alloc_space"],
        ["-mean", "-alloc_space", "-top"], ["-list=keeps"], ["-alloc_space", "-list=main"], ["-top"],
        ["-inuse_objects", "-top"], ["-alloc_space", "-tree"],
        ["-sample_index=1", "-traces"], ["-traces"], ["-tags"],
        ["-tagfocus=bytes=1kb:", "-top"], ["-tagfocus=4kb", "-traces"], ["-alloc_space", "-tagignore=:4kb", "-traces"]]
HEAP_LINES = """     2:      800 [     5:     4000] @ 0x401000 0x402000 0x66001500
     1:      200 [    15:    86000] @ 0x401000 0x404000 0x77001000
     0:        0 [     3:     3000] @ 0x409000
"""
# brief and long lines, behind a logger's, a name to replace, one part of a library, two halves of another, a program further down
MAPS = """
MAPPED_LIBRARIES:
build=/opt/b
I0101 12:00:00.000 123 maps.cc:45] 7f0000000000-7f0000100000: /lib/libc-2.3.so (@1000) abc123
66000000-66001000 r-xp 00001000 08:01 99 /lib/libx.so
66001000-66002000 r-xp 00002000 08:01 99 /lib/libx.so
77002000-77003000 r-xp 00002000 08:01 99 $build/liby.so.1
00401000-00500000 r-xp 00001000 08:01 1234 $build/some
60000000-60001000 rw-p 00001000 08:01 1234 /some
"""


def heap(kind, allocations="[    20:    90000]", lines=HEAP_LINES):
    return f"heap profile:      3:     1000 {allocations} @ {kind}\n{lines}{MAPS}"


# text profiles of each kind that pprof knows, made for this
TEXTS = {
    "gperftools' heap profile": heap("heapprofile"),
    "tcmalloc's heap profile, v2": heap("heap_v2/524288"),
    "tcmalloc's heap profile, v2 of a server": heap("heapz_v2/524288"),
    "tcmalloc's heap profile, v1": heap("heap/1048576"),
    "growth": heap("growthz", "[ 0: 0]", HEAP_LINES[:HEAP_LINES.rindex(" 0:        0 [")]),
    "fragmentation": heap("fragmentationz", "[ 0: 0]", HEAP_LINES[:HEAP_LINES.rindex(" 0:        0 [")]),
    "Go's heap as text": """heap profile: 5: 40960 [8: 65536] @ heap/8192
5: 40960 [8: 65536] @ 0x46d0a5 0x46cfd1 0x42dd93
#\t0x46d0a4\tmain.keeps+0x64\t/src/main.go:34

# runtime.MemStats
# Alloc = 8192
""",
    "contention": """--- contentionz 1 ---
cycles/second = 3201000000
sampling period = 100
ms since reset = 16502830
discarded samples = 0
  19490304       27 @ 0xbccc97 0xc61202 0x42ed5f 0x42edc1
       768        1 @ 0xbccc97 0xa42dc7 0xa456e4
--- Memory map: ---
00400000-00fcb000: cppbench_server_main
7f94c9b1b000-7f94c9b20000: /lib/libnss_files-2.15.so
""",
    "Go's mutex profile as text": """--- mutex:
cycles/second=3000000000
sampling period=2
34035731690 15760 @ 0x45e851 0x45f764 0x4a2be1
#\t0x45e850\tsync.(*Mutex).Unlock+0x80\t/src/mutex.go:126
""",
    "Go's goroutines as text": "goroutine profile: total 5\n3 @ 0x430000 0x440000\n#\t0x430000\tmain.x+0x1\t/a.go:1\n\n2 @ 0x450000\n",
    "Go's threads as text": "threadcreate profile: total 5\n3 @ 0x430000 0x440000\n\n2 @ 0x450000\n",
    "Java's heap": """--- heapz 1 ---
format = java
resolution = bytes
         7048      1 @ 0x00000003 0x00000004 0x00000005
         4752      9 @ 0x00000006 0x00000007 0x00000005
          880      1 @ 0x00000001 0x00000002 0x00000009
 0x00000001 GC
 0x00000002 com.example.Big.alloc (Big.java:77)
 0x00000003 com.example.Small.<init> (Small.java:-1)
 0x00000004 write (/usr/lib/libjvm.so)
 0x00000005 java.lang.Thread.run (Thread.java:748)
 0x00000006 generated stub/JIT
 0x00000007 com.example.Odd (Unknown Source)
""",
}
# what is typed at the prompt
PROMPT = """top3
list hot
list hot -gc
list
granularity=lines
top2
sample_index=samples
top 2 -cum
granularity=functions
nosuch
focus
top 3 main -gc
peek main
focus=hot
top2
:
sort=cum
top4
unit=ms
samples
mean_cpu
top3
total_cpu
top3
tree 3
cpu
nodecount=2
top
top > out.txt
granularity=nothing
quit
top
"""


def go_pprof(*argv, named=False, **options):
    # PPROF_TMPDIR: nothing of the user's home; symbolize: only what is in the profile, unless named
    # PPROF: another than the one that comes with go, such as one built from a checkout
    command = [os.environ["PPROF"]] if os.environ.get("PPROF") else ["go", "tool", "pprof"]
    return run(*command, *([] if named else ["-symbolize=none"]), *argv, env={**os.environ, "PPROF_TMPDIR": SCRATCH}, timeout_s=120,
               **options)


def without_numbers(text):
    """A graph of DOT whose nodes go by their labels: which of two that weigh the same comes first is random in go's pprof."""
    names = dict(re.findall(r'^(N\w+) \[label ?= ?"((?:[^"\\]|\\.)*)"', text, re.M))

    def name(number, depth=0):
        label = names.get(number, number)
        above = number.split("_", 1)[0] if "_" in number else ""
        return f"<{name(above, depth + 1)}|{label}>" if above and depth < 3 else f"<{label}>"

    lines = [re.sub(r' id="\w+"', "", re.sub(r"\bN+\d+(?:_\d+)*\b", lambda m: name(m[0]), line)) for line in text.splitlines()]
    return "\n".join(sorted(lines)) + "\n"


def without_order(text):
    """A graph of callgrind, its lines sorted: which way to a function is [1/2] and which [2/2] is random in go's pprof."""
    names = dict(re.findall(r"=(\(\d+\)) (.*)$", text, re.M))
    lines, last, before = [], 0, 0  # go's pprof counts addresses of calls from the node before the caller
    for line in text.splitlines():
        line = re.sub(r"^(\w+)=(\(\d+\)).*$", lambda m: m[1] + "=" + re.sub(r" \[\d+/", " [n/", names[m[2]]), line)
        position = re.match(r"(calls=0 )?(\*|[+-]\d+|0x[0-9a-f]+) (\d.*)$", line)
        if position:
            text, base = position[2], before if position[1] else last
            at = base if text == "*" else int(text, 16) if text.startswith("0x") else base + int(text)
            line = f"{position[1] or ''}{at:#x} {position[3]}"
            if not position[1]:
                before, last = last, at
        lines.append(line)
    return "\n".join(sorted(lines))


def minute_of(m):
    """A time as the newest pprof prints it, up to the minute: pprof before 2025 has no seconds."""
    at = time.strptime(f"{m[1]} {m[2]}", "%b %d, %Y %I:%M%p")
    return f"Time: {time.strftime('%Y-%m-%d %H:%M', at)} {m[3]}"


def normal(text):
    """What the flags of a mapping say is worked out by strobe and handed on by pprof."""
    text = re.sub(r"Time: (\w{3} \d+, \d{4}) at (\d+:\d\d[ap]m) \((\S+)\)", minute_of, text)
    text = re.sub(r"(Time: \d{4}-\d\d-\d\d \d\d:\d\d):\d\d ", r"\1 ", text)
    text = re.sub(r"(?:\[(?:FN|FL|LN|IN)\])+$", "", text, flags=re.M)
    if text.startswith("digraph"):
        return without_numbers(text)
    if text.startswith("positions:") and " [1/" in text:
        return without_order(text)
    return text


def tags_of(text):
    """[(key or "", figure, unit, value)] of -tags."""
    found = []
    for line in text.splitlines():
        m = re.match(r" (.+): Total (-?[\d.]+)(\S*)( of .*)?$", line)
        m = m or re.match(r"( )\s*(-?[\d.]+)(\S*?)(?: \(.*?\))?: (.*)$", line)
        if m:
            found.append((m[1].strip(), float(m[2]), m[3], "" if m[1].strip() else m[4]))
    return found


def are_alike(report, ours, theirs):
    """pprof before 2024 printed figures of -tags with one decimal, and neither the total nor shares of it."""
    if "-tags" not in report or " of " in theirs.partition("\n")[0] or not theirs.strip():
        return normal(ours) == normal(theirs)

    def is_same(a, b):
        return a[0] == b[0] and a[3] == b[3] and (a[2] == b[2] or a[1] == 0) and abs(a[1] - b[1]) < 0.051

    ours, theirs = tags_of(ours), tags_of(theirs)
    return len(ours) == len(theirs) and all(map(is_same, ours, theirs))


def compare(tap, path, reports, name):
    for report in reports:
        ours, theirs = strobe("pprof", "-symbolize=none", *report, path), go_pprof(*report, path)
        tap.ok(theirs.status == 0 and ours.status == 0 and are_alike(report, ours.out, theirs.out), f"{name}: {' '.join(report)}",
               [ours.err[:300], first_difference(normal(ours.out), normal(theirs.out))])


def first_difference(a, b):
    for number, (x, y) in enumerate(zip(a.splitlines(), b.splitlines()), 1):
        if x != y:
            return f"line {number}: ours {x!r}, theirs {y!r}"
    return f"{len(a.splitlines())} lines, theirs {len(b.splitlines())}"


def raw_samples(text):
    """[(values, the frames of each location, labels)] of -raw: a selection's locations are numbered as its samples name them."""
    samples, places, at = [], {}, None
    part = ""
    for line in text.splitlines():
        sample, place = re.match(r"((?: +-?\d+)+): ([\d ]*)$", line), re.match(r" *(\d+): (.*)$", line)
        if line in ("Samples:", "Locations", "Mappings"):
            part = line
        elif part == "Samples:" and sample:
            samples.append((sample[1].split(), sample[2].split(), []))
        elif part == "Samples:" and samples:
            samples[-1][2].append(line.strip())
        elif part == "Locations":
            at = places.setdefault(place[1], []) if place else at
            at.append(place[2] if place else line.strip())
    return [(values, [places[number] for number in numbers], labels) for values, numbers, labels in samples]


def check_raw_selection(tap):
    """-raw of a selection has the samples of go's pprof, one by one and in its order."""
    path = os.path.join(SCRATCH, "cpu.pb.gz")
    for options in (["-focus=hot"], ["-hide=hot"], ["-show=main[.]"], ["-show_from=outer"], ["-prune_from=outer"], ["-tagfocus=phase=one"],
                    ["-tagroot=phase"], ["-tagleaf=phase", "-hide=hot"], ["-taghide=phase", "-ignore=main.main.func2"]):
        ours, theirs = strobe("pprof", "-symbolize=none", "-raw", *options, path), go_pprof("-raw", *options, path)
        samples = [raw_samples(done.out) for done in (ours, theirs)]
        tap.ok(samples[0] and samples[0] == samples[1], f"-raw {' '.join(options)}: the same samples",
               [ours.err, samples[0][:2], samples[1][:2]])


def check_corpus(tap):
    for name in PROFILES:
        path = os.path.join(CORPUS, "pprof", name)
        if not os.path.exists(path):
            tap.skip(name, f"no shared corpus at {CORPUS}")
            continue
        compare(tap, path, REPORTS, os.path.basename(name))
        again = os.path.join(SCRATCH, "again.pb.gz")
        done = strobe("convert", path, again)
        tap.ok(done.status == 0, f"{name}: read and written", done)
        theirs, ours = go_pprof("-traces", path), go_pprof("-traces", again)
        tap.ok(theirs.out and theirs.out == ours.out, f"{name}: written again, it is the same to go tool pprof",
               first_difference(ours.out, theirs.out))


def check_legacy(tap):
    for name in LEGACY:
        path = os.path.join(CORPUS, "pprof", "profile", "testdata", name)
        if os.path.exists(path):
            compare(tap, path, [["-top", "-addresses", "-trim=false"], ["-traces"], ["-top"]], name)
        else:
            tap.skip(name, f"no shared corpus at {CORPUS}")
    for name, text in TEXTS.items():
        path = os.path.join(SCRATCH, "legacy.txt")
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        reports = [["-top", "-addresses", "-trim=false"], ["-traces"], ["-top", "-lines", "-sample_index=0"], ["-dot", "-addresses"]]
        compare(tap, path, reports, name)
    check_difference(tap)
    check_dropped_frames(tap)


# the same stacks with more, with less and with as much
CHANGED_LINES = """     2:      800 [     5:     4000] @ 0x401000 0x402000 0x66001500
     1:      700 [    17:    96100] @ 0x401000 0x404000 0x77001000
     0:        0 [     1:      900] @ 0x409000
     4:      364 [     4:      364] @ 0x401000 0x409000 0x402000
"""
DIFFERENCES = [["-top", "-addresses"], ["-tags"], ["-peek=.", "-addresses"], ["-tree", "-addresses", "-drop_negative"], ["-traces"],
               ["-top", "-addresses", "-relative_percentages"], ["-tags", "-mean"], ["-peek=.", "-addresses", "-mean"]]


def check_difference(tap):
    """What a base leaves: figures of both signs, calls that weigh nothing, shares of the base; values scaled to it are rounded."""
    before, after = os.path.join(SCRATCH, "before.heap"), os.path.join(SCRATCH, "after.heap")
    for path, lines in (before, HEAP_LINES), (after, CHANGED_LINES):
        with open(path, "w", encoding="ascii") as f:
            f.write(heap("heapprofile", lines=lines))
    for base in "-base=" + before, "-diff_base=" + before:
        reports = [[base, "-alloc_space", *report] for report in DIFFERENCES]
        reports += [[base, "-normalize", "-inuse_space", *report] for report in DIFFERENCES]
        compare(tap, after, reports, "difference")


def check_dropped_frames(tap):
    """What an allocator does on top of a stack is dropped once it has names, and only there."""
    binary, path = build_workload("split"), os.path.join(SCRATCH, "named.heap")
    symbols = {name: int(at, 16) for at, name in re.findall(r"^([0-9a-f]+) \w (\w+)$", run("nm", "-D", "-C", binary).out +
                                                          run("nm", binary).out, re.M)}
    libc = re.search(r"=> (/\S*libc\.so\.6)", run("ldd", binary).out)
    if not libc or "hot" not in symbols:
        tap.skip("frames of an allocator", "no libc to name them by")
        return
    malloc = next(int(at, 16) for at in re.findall(r"^([0-9a-f]+) \w malloc(?:@@\S+)?$", run("nm", "-D", libc[1]).out, re.M))
    with open(path, "w", encoding="ascii") as f:
        f.write(f"heap profile: 1: 100 [1: 100] @ heapprofile\n1: 100 [1: 100] @ {0x7f0000000000 + malloc + 5:#x} "
                f"{0x500000000000 + symbols['hot'] + 5:#x} {0x500000000000 + symbols['main'] + 5:#x}\n\nMAPPED_LIBRARIES:\n"
                f"500000000000-500000100000 r-xp 00000000 08:01 1 {binary}\n7f0000000000-7f0000400000 r-xp 00000000 08:01 2 {libc[1]}\n")
    ours = strobe("pprof", "-traces", path)
    tap.ok("malloc" not in ours.out and re.search(r"100B +hot\n +main\n", ours.out), "frames of an allocator are dropped", ours)


def check_recording(tap):
    """What a recording becomes is the same to both, and its total is the recording's."""
    data, profile = os.path.join(SCRATCH, "x.data"), os.path.join(SCRATCH, "x.pb.gz")
    strobe("record", "-g", "-e", "cpu-clock", "-F", "999", "-o", data, "--", build_workload("split"))
    done = strobe("convert", data, profile)
    tap.ok(done.status == 0, "a recording becomes a profile", done)
    compare(tap, profile, [["-top"], ["-tree"], ["-top", "-sample_index=samples"]], "recording")
    comm = go_pprof("-tags", profile).out
    tap.ok("split" in comm and "pid" in comm, "its labels are kept", comm)
    plain = os.path.join(SCRATCH, "plain.data")
    run("perf", "record", "-q", "-e", "cpu-clock", "-o", plain, "--", build_workload("split"))
    if os.path.exists(plain) and "CPU" not in run("perf", "evlist", "-v", "-i", plain).out.split("sample_type:")[1].split(",")[0]:
        tags = strobe("pprof", "-tags", plain).out
        tap.ok("pid" in tags and "cpu" not in tags and "cgroup" not in tags, "what was not recorded is no label", tags)


def check_program(tap):
    """File, build ID and time of a recording: of the program that ran, whichever object has the first sample, and of the day."""
    binary, shell = build_workload("split", "-fno-omit-frame-pointer", "-Wl,--build-id"), os.path.join(SCRATCH, "several.sh")
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", binary).out)[1]
    with open(shell, "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\n/bin/true\n{binary}\n/bin/true\n")
    os.chmod(shell, 0o755)
    for name, argv in ("alone", [binary]), ("among others", [shell]):
        data, profile = os.path.join(SCRATCH, "program.data"), os.path.join(SCRATCH, "program.pb.gz")
        began = int(time.time())
        # at 5 kHz the dynamic loader has samples, and they are the first
        done = strobe("record", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock", "-F", "5000", "-o", data, "--", *argv)
        ended = time.time()
        strobe("convert", data, profile)
        head = f"File: {os.path.basename(binary)}\nBuild ID: {build_id}\n"
        ours, theirs = strobe("pprof", "-top", data).out, go_pprof("-top", profile).out
        tap.ok(ours.startswith(head) and theirs.startswith(head), f"a recording's file and build ID: {name}",
               [ours[:300], theirs[:300], done])
        for report in "-raw", "-top":
            at = re.search(r"^Time: (.*) UTC$", strobe("pprof", report, data, env={"TZ": "UTC"}).out, re.M)
            seconds = calendar.timegm(time.strptime(at[1][:19], "%Y-%m-%d %H:%M:%S")) if at else 0
            tap.between(began - 1, seconds, ended + 1, f"a recording's time of day, {report}: {name}")
    strobe("record", "-e", "cpu-clock", "-o", data, "--", binary)
    texts = [strobe("pprof", report, data).out for report in ("-raw", "-top")]
    tap.ok(all(texts) and not any("Time:" in text for text in texts), "no time where a recording does not know it", texts)


def check_go_program(tap):
    """Profiles of a program made for this, by the runtime that everybody's are made by."""
    source = os.path.join(TOP, "tests", "workloads", "goprof", "main.go")
    binary = os.path.join(SCRATCH, "goprof")
    env = {**os.environ, "GOCACHE": os.path.join(SCRATCH, "go-cache"), "GO111MODULE": "off", "HOME": SCRATCH}
    built = run("go", "build", "-o", binary, source, env=env, timeout_s=200)
    if not tap.ok(built.status == 0, "a Go program is built", built.err):
        return
    done = run(binary, cwd=SCRATCH)
    tap.ok(done.status == 0, "it profiles itself", done.err)
    compare(tap, os.path.join(SCRATCH, "cpu.pb.gz"), LABELLED, "Go CPU profile")
    heap_path = os.path.join(SCRATCH, "heap.pb.gz")
    compare(tap, heap_path, HEAP, "Go heap profile")
    based = [["-diff_base=" + heap_path, "-tags"], ["-base=" + heap_path, "-top"],
             ["-diff_base=" + heap_path, "-mean", "-alloc_space", "-top"]]
    compare(tap, heap_path, based, "Go heap profile")
    for name in "heap", "goroutine", "block", "mutex":
        # as text they have addresses alone; of threads go's pprof cannot read it
        reports = [["-top", "-addresses", "-trim=false"], ["-traces", "-addresses"]]
        compare(tap, os.path.join(SCRATCH, name + ".txt"), reports, f"Go's {name} as text")
    for name in "goroutine", "block", "mutex", "threadcreate":
        reports = [["-top", "-cum"], ["-tree"], ["-traces"], ["-raw"], ["-tags"], ["-tree", "-relative_percentages"],
                   ["-tagleaf=x", "-top"]]
        compare(tap, os.path.join(SCRATCH, name + ".pb.gz"), reports, f"Go's {name}")
    hot = strobe("pprof", "-top", os.path.join(SCRATCH, "cpu.pb.gz")).out
    tap.ok(re.search(r"main\.hot$", hot, re.M), "what was hot is found", hot)


MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-", "ps": b"%!PS"}


def check_pictures(tap):
    """The graph by librsvg and cairo: as large as the SVG, of more than one colour; without them one line names the library."""
    profile = os.path.join(SCRATCH, "cpu.pb.gz")
    svg = strobe("pprof", "-svg", profile).out
    size = re.search(r'width="(\d+)" height="(\d+)"', svg)
    tap.ok(">phase:one</text>" in svg and ">phase:two</text>" in svg, "-svg: labels are boxes", svg[:500])
    broken = os.path.join(SCRATCH, "broken")
    os.makedirs(broken, exist_ok=True)
    open(os.path.join(broken, "librsvg-2.so.2"), "w", encoding="ascii").close()
    for kind, magic in MAGIC.items():
        path = os.path.join(SCRATCH, "graph." + kind)
        done = strobe("pprof", "-" + kind, "-output=" + path, profile)
        if "not installed" in done.err:
            tap.ok(done.status == 1 and "lib" in done.err, f"-{kind}: the library that is wanted is named", done)
            continue
        with open(path, "rb") as f:
            data = f.read()
        tap.ok(done.status == 0 and data.startswith(magic) and len(data) > 2000, f"-{kind}: a picture", [done.err, data[:20]])
        if kind == "png":
            wide, high = (int.from_bytes(data[at:at + 4], "big") for at in (16, 20))
            tap.ok(abs(wide - int(size[1])) <= 1 and abs(high - int(size[2])) <= 1, "-png: as large as the SVG", [wide, high, size])
        done = strobe("pprof", "-" + kind, "-output=" + path, profile, env={**os.environ, "LD_LIBRARY_PATH": broken})
        tap.ok(done.status == 1 and "librsvg2-2" in done.err and done.err.count("\n") <= 2, f"-{kind}: without librsvg it says so", done)


def check_top_profile(tap):
    """-topproto of both holds the same samples, functions and places."""
    for options in ([], ["-lines", "-cum"], ["-unit=ms", "-nodecount=3"]):
        texts = []
        for side, name in ((strobe, "ours.pb.gz"), (go_pprof, "theirs.pb.gz")):
            path = os.path.join(SCRATCH, name)
            argv = ["-topproto", *options, "-output=" + path, os.path.join(SCRATCH, "cpu.pb.gz")]
            side("pprof", *argv) if side is strobe else side(*argv)
            texts.append(re.sub(r"\(\)$", "", go_pprof("-raw", path).out, flags=re.M))
        tap.ok("cum/" in texts[0] and texts[0] == texts[1], f"-topproto {' '.join(options)}", first_difference(*texts))


def check_viewer(tap):
    """-eog and its like start what there is with the file."""
    here = os.path.join(SCRATCH, "viewers")
    os.makedirs(here, exist_ok=True)
    for name, magic in (("eog", "<?xml"), ("kcachegrind", "positions:")):
        program = os.path.join(here, name)
        with open(program, "w", encoding="ascii") as f:
            f.write('#!/bin/sh\nhead -c 200 "$1"\n')
        os.chmod(program, 0o755)
        env = {**os.environ, "PATH": here + ":" + os.environ["PATH"], "TMPDIR": here}
        done = strobe("pprof", "-" + name, os.path.join(SCRATCH, "cpu.pb.gz"), env=env)
        tap.ok(done.status == 0 and done.out.startswith(magic) and here in done.err, f"-{name}: its program is started", done)


def check_paths(tap):
    """Sources that were moved since: trim_path and source_path, given and guessed."""
    profile, moved = os.path.join(SCRATCH, "cpu.pb.gz"), os.path.join(SCRATCH, "moved")
    there = os.path.join(TOP, "tests", "workloads", "goprof")
    os.makedirs(os.path.join(moved, "goprof", "below"), exist_ok=True)
    with open(os.path.join(there, "main.go"), encoding="utf-8") as f, \
            open(os.path.join(moved, "goprof", "main.go"), "w", encoding="utf-8") as to:
        to.write("".join(line.rstrip("\n") + " // moved\n" for line in f))
    for options in ([f"-trim_path={os.path.dirname(there)}", f"-source_path=/nowhere:{moved}"],
                    [f"-trim_path={os.path.dirname(there)}/", f"-source_path={moved}/goprof/below"],
                    [f"-source_path={moved}/goprof"], [f"-trim_path={TOP}", "-source_path=/nowhere"]):
        report = [*options, "-list=hot"]
        compare(tap, profile, [report, [*options, "-top", "-files"]], "moved sources")
        text = strobe("pprof", *report, profile).out
        tap.ok(("// moved" in text) != ("Error: could not find file" in text), "moved sources are found, or said to be missing", text)


def instructions(text):
    """The figures of each instruction by address, and where it is from as far as that is printed beside it."""
    rows = re.findall(r"^ *(\S+) +(\S+) +([0-9a-f]+): .{0,40}?(?:;(.*))?$", text, re.M)
    return {address: (flat, cum, place) for flat, cum, address, place in rows}


def check_disasm(tap):
    """Both disassemblers have a language of their own; figures, addresses and places are the same."""
    profile = os.path.join(SCRATCH, "cpu.pb.gz")
    for pattern in ("main.hot", "main[.]", "main.nosuch"):
        ours, theirs = strobe("pprof", f"-disasm={pattern}", profile), go_pprof(f"-disasm={pattern}", profile)
        heads = [[line for line in out.splitlines() if "ROUTINE" in line or "(flat, cum)" in line] for out in (ours.out, theirs.out)]
        tap.ok(heads[0] == heads[1] and (ours.status == 0) == (theirs.status == 0), f"-disasm={pattern}: the same functions",
               [heads, ours.err])
        a, b = instructions(ours.out), instructions(theirs.out)
        # go's pprof omits an instruction of one byte at the end of a function, and takes prefixes for instructions
        nothing = (".", ".", "")
        differ = [(k, a.get(k), b[k]) for k in b if a.get(k, nothing)[:2] != b[k][:2]]
        tap.ok(not differ and len(a) - len(b) <= len(heads[0]), f"-disasm={pattern}: the same figures at the same addresses", differ)


def check_options(tap):
    """Every option of go's -h and every word of its prompt's help is known, but for those that the page names."""
    theirs, ours = run("go", "tool", "pprof", "-h"), strobe("pprof", "-h")
    known = set(re.findall(r"--([a-z_]+)", ours.out))
    wanted = set(re.findall(r"^ +-([a-z_]+)", theirs.out + theirs.err, re.M))
    tap.equal(sorted(wanted - known), ["gif", "tools"], "every option but -gif and -tools")
    profile = os.path.join(SCRATCH, "cpu.pb.gz")
    words = [set(re.findall(r"^ {4,6}([a-z_/]+)\b", done.out + done.err, re.M))
             for done in (go_pprof(profile, stdin=b"help\n"), run(STROBE, "pprof", profile, stdin=b"help\n"))]
    tap.equal(sorted(words[0] - words[1]), ["gif"], "every word of the prompt's help but gif")
    every = sorted((words[0] - {"gif", "o/options", "q/quit/exit", "sort", "granularity"}) & words[1])
    helps = [done.err for done in (go_pprof(profile, stdin="".join(f"help {word}\n" for word in every).encode()),
                                   run(STROBE, "pprof", profile, stdin="".join(f"help {word}\n" for word in every).encode()))]
    begins = [set(text.splitlines()) for text in helps]
    tap.ok(len(every) > 50 and "Unknown" not in helps[1] and begins[0] & begins[1] >= {
        "Outputs top entries in text form", "    tree [n] [focus_regex]* [-ignore_regex]* [-cum] >f",
        "    web [n] [focus_regex]* [-ignore_regex]*", "Aggregate at the address level.", "Sort entries based on cumulative weight",
        "Restricts to samples going through a node matching regexp"}, "help on each of them", [every, helps[1][:300]])
    att, intel = (strobe("pprof", *options, "-disasm=main.hot", profile).out for options in ([], ["-intel_syntax"]))
    tap.ok("%r" in att and "%r" not in intel and att.count("\n") == intel.count("\n"), "-intel_syntax", intel[:300])


def check_weblist(tap):
    """The page's lines and instructions have the figures of go's."""
    profile, page = os.path.join(SCRATCH, "cpu.pb.gz"), os.path.join(SCRATCH, "list.html")
    ours = strobe("pprof", "-weblist=main.hot", profile)
    go_pprof("-weblist=main.hot", "-output=" + page, profile)
    theirs = open(page, encoding="utf-8").read()

    def figures(text):
        lines = re.findall(r"<span class=line> +(\d+)</span> +(?:<span class=\w+>)? +(\S+) +(\S+) ", text)
        return [row for row in lines if row[1:] != (".", ".")], {k: v for k, *v in re.findall(
            r"^(?:.*<span class=asm>)? +\S* +(\S+) +([0-9a-f]+): ", text, re.M) if k != "."}

    tap.ok(ours.status == 0 and figures(ours.out)[0] and figures(ours.out) == figures(theirs), "-weblist: the same figures",
           [figures(ours.out), figures(theirs), ours.err])
    tap.ok("</script" not in ours.out and "<script" not in ours.out, "-weblist: a page without scripts")


def check_gperftools(tap):
    """A profile of bare addresses gets its names from the binary: the ones that google-pprof finds, with its figures."""
    libraries = glob.glob("/usr/lib/*/libprofiler.so.0")
    if not shutil.which("google-pprof") or not libraries:
        tap.skip("gperftools", "no google-perftools")
        return
    binary, profile = build_workload("split"), os.path.join(SCRATCH, "gperf.prof")
    done = run(binary, "600", env={**os.environ, "LD_PRELOAD": libraries[0], "CPUPROFILE": profile})
    if not tap.ok(os.path.exists(profile), "a program profiles itself with libprofiler", done):
        return

    def own(text):
        found = re.findall(r"^ *(\d+) +\S+% +\S+% +(\d+) +\S+% +(hot|cold|main)$", text, re.M)
        return {name: (flat, cum) for flat, cum, name in found}

    theirs = own(run("google-pprof", "--text", binary, profile).out)
    ours = own(strobe("pprof", "-top", "-sample_index=samples", profile).out)
    tap.ok(len(theirs) == 3 and ours == theirs, "gperftools: google-pprof's names and figures", [ours, theirs])
    for words in ["-noinlines"], ["-symbolize=fastlocal"]:
        ours = own(strobe("pprof", "-top", "-sample_index=samples", *words, profile).out)
        tap.ok(ours == theirs, f"gperftools: the same with {words[0]}, without debug information", [ours, theirs])
    renamed = os.path.join(SCRATCH, "moved.bin")
    shutil.move(binary, renamed)
    done = strobe("pprof", "-top", "-sample_index=samples", profile)
    tap.ok(binary in done.err and done.status == 0, "a binary that is gone is named", done)
    done = strobe("pprof", "-top", "-sample_index=samples", renamed, profile)
    tap.ok(all(name in done.out for name in theirs), "a binary named before the profile serves instead", done)
    below = os.path.join(SCRATCH, "binaries")
    os.makedirs(below, exist_ok=True)
    shutil.copy(renamed, os.path.join(below, os.path.basename(binary)))
    done = strobe("pprof", "-top", "-sample_index=samples", profile, env={**os.environ, "PPROF_BINARY_PATH": "/nowhere:" + below})
    tap.ok(all(name in done.out for name in theirs), "a binary below PPROF_BINARY_PATH serves instead", done)
    shutil.move(renamed, binary)


def field(number, value):
    """A field of a message: a number, or what bytes there are."""
    def varint(v):
        return bytes([v]) if v < 128 else bytes([v & 127 | 128]) + varint(v >> 7)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*fields):
    return b"".join(field(number, value) for number, value in fields)


def profile(samples):
    """Two kinds of values, two functions: samples are (locations, values, labels), in every form that they may have."""
    strings = ["", "count", "samples", "bytes", "space", "outer", "inner", "size", "kind", "odd", "even"]
    parts = [(1, message((1, 2), (2, 1))), (1, message((1, 4), (2, 3)))]
    parts += [(2, message(*[(1, bytes(where))], *[(2, v) for v in values], *[(3, message(*fields)) for fields in labels]))
              for where, values, labels in samples]
    parts += [(4, message((1, i), (3, 4096 * i), (4, message((1, i), (2, 10 * i))))) for i in (1, 2)]
    parts += [(5, message((1, i), (2, 4 + i), (3, 4 + i))) for i in (1, 2)]
    return message(*parts, *[(6, s.encode()) for s in strings])


def check_copy(tap):
    """-proto alone copies: samples that are alike are one, those without a value are left out, the rest is as it was."""
    odd, even, size = [(1, 8), (2, 9)], [(1, 8), (2, 10)], [(1, 7), (3, 4096), (4, 3)]
    one_each = [([2, 1], [1, 16], [odd]), ([2, 1], [2, 300], [even, size]), ([1], [3, 8], []), ([2, 1], [4, 2], [])]
    several = [*one_each, ([2, 1], [5, 1], [odd]), ([1], [0, 0], [size]), ([2, 1], [6, 7], []), ([2, 1], [1 << 40, 7], [])]
    path, ours, theirs = (os.path.join(SCRATCH, name + ".pb.gz") for name in ("copy", "copy-ours", "copy-theirs"))
    for name, samples in ("each sample once", one_each), ("samples that are alike and empty", several):
        with open(path, "wb") as f:
            f.write(gzip.compress(profile(samples)))
        done = strobe("pprof", "-proto", "-output=" + ours, path)
        go_pprof("-proto", "-output=" + theirs, path)
        raw = [go_pprof("-raw", written).out for written in (ours, theirs)]
        tap.ok(raw[0] == raw[1] and "inner" in raw[0], f"-proto: {name}", first_difference(*raw) or done)
    strobe("pprof", "-proto", "-divide_by=3", "-output=" + ours, path)
    go_pprof("-proto", "-divide_by=3", "-output=" + theirs, path)
    divided = [go_pprof("-raw", written).out for written in (ours, theirs)]
    tap.ok(divided[0] == divided[1] != raw[0], "-proto: divided values", first_difference(*divided))
    done = strobe("pprof", "-proto", "-output=" + path, path)
    tap.ok(go_pprof("-raw", path).out == raw[0], "-proto: into the file that is read", done)
    with open(path, "wb") as f:
        f.write(gzip.compress(profile([*one_each, ([3], [1, 1], [])])))
    done = strobe("pprof", "-proto", "-output=" + ours, path)
    tap.ok(done.status == 1 and "a location that does not exist (ID 3)" in done.err, "-proto: what is damaged is not copied", done)


def check_empty_samples(tap):
    """What samples of no value alone lead through, as Go's heap profiles have some, has no edge."""
    path = os.path.join(SCRATCH, "empty.pb.gz")
    with open(path, "wb") as f:
        f.write(gzip.compress(profile([([1], [1, 16], []), ([2], [1, 16], []), ([2, 1], [3, 0], [])])))
    every = ["-nodefraction=0", "-edgefraction=0"]
    compare(tap, path, [["-dot", kind, *every] for kind in ("-sample_index=space", "-sample_index=samples")], "empty samples")


def check_sums(tap):
    """Samples that are alike, negative, of recursion, of no stack: sums over them as they are in the file, or joined first."""
    path = os.path.join(SCRATCH, "sums.pb.gz")
    odd, minus = [(1, 8), (2, 9)], (1 << 64) - 5
    alike = [([2, 1], [1, 16], []), ([2, 1], [2, 0], []), ([2, 2, 1, 1, 2, 1], [3, 7], []), ([], [4, 2], []), ([2, 1], [1, 8], [])]
    for name, samples in ("as they stand", alike), ("with labels", [*alike, ([1], [1, 3], [odd])]), \
            ("negative", [*alike, ([2, 1], [1, minus], []), ([1], [1, minus], [])]):
        with open(path, "wb") as f:
            f.write(gzip.compress(profile(samples)))
        compare(tap, path, [["-top"], ["-tree", "-sample_index=0"], ["-dot"]], "sums " + name)
    with open(path, "wb") as f:
        f.write(gzip.compress(profile([*alike, ([3], [1, 1], [])])))
    done = strobe("pprof", "-top", path)
    tap.ok(done.status == 1 and "a location that does not exist (ID 3)" in done.err, "sums: a damaged sample is reported", done)


def check_labels(tap):
    """A number 0 is a label; a key may have texts and numbers."""
    path = os.path.join(SCRATCH, "labels.pb.gz")
    size = [[(1, 7), (3, n), (4, 3)] for n in (0, 5)]
    with open(path, "wb") as f:
        f.write(gzip.compress(profile([([2, 1], [1, 16], [size[0]]), ([1], [2, 16], [size[1]]), ([1], [3, 16], []),
                                       ([2, 1], [1, 16], [[(1, 8), (2, 9)]]), ([2, 1], [1, 16], [[(1, 8), (3, 1 << 40)]])])))
    for words in ["-traces"], ["-traces", "-tagfocus=size=0:1b"], ["-top", "-tagfocus=0:1b"], ["-traces", "-tagleaf=size"]:
        ours, theirs = strobe("pprof", *words, path).out, go_pprof(*words, path).out
        tap.ok(theirs and ours == theirs, f"labels: {' '.join(words)}", first_difference(ours, theirs))


def made(*, functions, samples, stacks=None, drop="", keep=""):
    """A profile by the names of Go's fields: functions by number from 1, all at places of their own, or as stacks says."""
    fs = [{"ID": i, "Name": name, "SystemName": name} for i, name in enumerate(functions, 1)]
    mapping = {"ID": 1, "Start": 4096, "Limit": 1 << 20, "File": "/bin/x"}
    places = [{"ID": i, "Address": 4096 * i, "Mapping": mapping, "Line": [{"Function": fs[n - 1]} for n in lines]}
              for i, lines in enumerate(stacks or [[n] for n in range(1, len(fs) + 1)], 1)]
    return profile_proto.encoded({
        "SampleType": [{"Type": "samples", "Unit": "count"}], "PeriodType": {"Type": "cpu", "Unit": "ns"}, "Period": 1,
        "Mapping": [mapping], "Function": fs, "Location": places, "DropFrames": drop, "KeepFrames": keep,
        "Sample": [{**sample, "Location": [places[n - 1] for n in sample["Location"]]} for sample in samples]})


def check_made(tap, name, content, reports):
    """Reports of a profile that was written by hand are those of pprof."""
    path = os.path.join(SCRATCH, "made.pb")
    with open(path, "wb") as f:
        f.write(content)
    for words in reports:
        ours, theirs = strobe("pprof", "-symbolize=none", *words, path).out, go_pprof(*words, path).out
        if "-raw" in words:  # locations are numbered otherwise, and newer versions of pprof print columns
            ours, theirs = (raw_samples(re.sub(r"(:\d*):0( s=)", r"\1\2", text)) for text in (ours, theirs))
            tap.ok(theirs and ours == theirs, f"{name}: {' '.join(words)}", f"{ours}\n{theirs}")
            continue
        tap.ok(theirs and are_alike(words, ours, theirs), f"{name}: {' '.join(words)}", first_difference(ours, theirs))


def check_several_values(tap):
    """Several values of a label, and of several units, are all there."""
    samples = [
        {"Location": [2, 1], "Value": [5], "Label": {"k": ["a", "b"]}, "NumLabel": {"bytes": [4096, 16], "n": [7, 8, 9]}},
        {"Location": [1], "Value": [3], "NumLabel": {"size": [10], "request": [2048]}, "NumUnit": {"size": ["kilobytes"]}},
        {"Location": [2], "Value": [2], "Label": {"k": ["b"]}, "NumLabel": {"size": [10], "n": [9]}, "NumUnit": {"size": ["bytes"]}},
    ]
    content = made(functions=["outer", "inner"], samples=samples)
    reports = [["-raw"], ["-top", "-tagfocus=k=^b$"], ["-top", "-tagfocus=n=8"], ["-raw", "-tagleaf=size"],
               ["-raw", "-tagroot=k,bytes"], ["-raw", "-tagfocus=bytes=16b"], ["-top", "-tagfocus=2kb:4kb"], ["-dot"]]
    check_made(tap, "several values", content, reports)
    # of a key with two units go tool pprof has one: here each value has its own
    done = strobe("pprof", "-tags", os.path.join(SCRATCH, "made.pb"))
    sizes = re.search(r" size: .*\n((?: +\S.*\n)+)", done.out)
    tap.ok(sizes and sorted(line.split()[-1] for line in sizes[1].splitlines()) == ["10B", "10kB"], "several values: units of -tags", done)


def check_dropped(tap):
    """DropFrames and KeepFrames: below the first code that does not match, by names without their arguments."""
    functions = ["main", "malloc", "Alloc::get(int)", "void_malloc", "(anonymous namespace)::pool(int)", "user",
                 "operator new(unsigned long)"]
    samples = [{"Location": where, "Value": [1 << i]} for i, where in enumerate(
        ([2, 1], [2], [3, 2, 1], [1, 2], [8, 1], [8, 2], [9, 8], [9, 1], [4, 3, 1], [5, 1], [6, 2, 1], [7, 6, 1], [1, 7], [2, 9, 8, 9]))]
    places = [[1], [2], [3], [4], [5], [6], [7], [2, 1], [6, 2, 1]]
    for drop, keep in ("malloc|Alloc::get|operator new", ""), ("malloc|.*pool", ""), (".*", "main|user"), ("Alloc::get\\(int\\)", ""):
        content = made(functions=functions, samples=samples, stacks=places, drop=drop, keep=keep)
        check_made(tap, f"drop {drop}, keep {keep}", content, [["-top", "-cum"], ["-tree"], ["-peek=."], ["-dot"]])


def check_names(tap):
    """Names that are written with parameters and template arguments, or mangled, are simplified as -symbolize says."""
    functions = ["foo::bar(int)", "foo::baz<double>(double)", "_ZN3foo3barEv", "_ZN3foo4quuxIiEEvT_", "java.lang.Float.<init>",
                 "main.(*T).run", "example.com/foo.(*Bar[...]).Bat", "plain", "std::map<int, std::pair<int, char> >::find(int const&)"]
    content = made(functions=functions, samples=[{"Location": [i], "Value": [10 + i]} for i in range(1, len(functions) + 1)])
    path = os.path.join(SCRATCH, "made.pb")
    with open(path, "wb") as f:
        f.write(content)
    # in the version that comes with go 1.19 demangle=none demangles
    ours = strobe("pprof", "-top", "-symbolize=demangle=none", path).out
    tap.equal(sorted(re.findall(r"%  ([^\d ].*)", ours.partition("cum%\n")[2])), sorted(functions), "names: -symbolize=demangle=none")
    for mode in "", "-symbolize=none", "-symbolize=local", "-symbolize=demangle=templates", "-symbolize=demangle=full":
        for report in ["-top"], ["-traces"], ["-peek=foo"]:
            words = [*report, *([mode] if mode else [])]
            ours, theirs = (tool(*words, path).out for tool in (lambda *w: strobe("pprof", *w), lambda *w: go_pprof(*w, named=True)))
            tap.ok(theirs and ours == theirs, f"names: {' '.join(words)}", first_difference(ours, theirs))


def check_prompt(tap):
    path = os.path.join(SCRATCH, "cpu.pb.gz")
    ours = run(STROBE, "pprof", path, stdin=PROMPT.encode())
    our_file = open("out.txt", encoding="utf-8").read()
    theirs = go_pprof(path, stdin=PROMPT.encode())
    tap.ok(ours.status == 0 and ours.out == theirs.out, "the prompt: the same commands, the same answers",
           first_difference(ours.out, theirs.out))
    tap.equal(our_file, open("out.txt", encoding="utf-8").read(), "the prompt: the same file")
    same = [line for line in theirs.err.splitlines() if line in ours.err.splitlines()]
    for line in ('unrecognized command: "nosuch"', "please specify a value, e.g. focus=<val>",
                 'invalid "granularity" value "nothing"', "Generating report in out.txt"):
        tap.ok(line in same, f"the prompt: both say '{line}'", ours.err[-1500:])


def main():
    if not shutil.which("go") or run("go", "tool", "pprof", "-h").status not in (0, 2):
        skip_all("no go tool pprof (golang-go)")
    tap = Tap()
    check_corpus(tap)
    check_legacy(tap)
    check_recording(tap)
    check_program(tap)
    check_go_program(tap)
    check_raw_selection(tap)
    check_pictures(tap)
    check_top_profile(tap)
    check_viewer(tap)
    check_paths(tap)
    check_disasm(tap)
    check_weblist(tap)
    check_options(tap)
    check_gperftools(tap)
    check_copy(tap)
    check_empty_samples(tap)
    check_labels(tap)
    check_several_values(tap)
    check_dropped(tap)
    check_names(tap)
    check_sums(tap)
    check_prompt(tap)
    tap.done()


main()
