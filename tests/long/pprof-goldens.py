#!/usr/bin/env python3
"""
The expected results of the tests of pprof, FlameGraph and inferno, compared with strobe's.

The repositories are taken from the directories that PPROF_SOURCE, FLAMEGRAPH_SOURCE and INFERNO_SOURCE name, each a checkout;
else from the shared corpus, which has a part of their files. What is missing there is skipped. Reports that pprof's tests make
of instructions which their own replacement of objdump invents are skipped, too.
"""
# needs: pprof flamegraph
# timeout: 600

import gzip
import os
import re
import shutil

import go_source
import profile_proto
from strobetest import CORPUS, SCRATCH, Tap, run, skip_all, strobe

PPROF, FLAMEGRAPH, INFERNO = (os.environ.get(name.upper() + "_SOURCE") or os.path.join(CORPUS, name)
                              for name in ("pprof", "FlameGraph", "inferno"))
DRIVER = os.path.join(PPROF, "internal", "driver")
# what the driver's tests have in place of a demangler
DEMANGLED = {**{f"mangled{n}": f"line{n}" for n in (1000, 2000, 2001, 3000, 3001, 3002)},
             "mangledNEW": "operator new", "mangledMALLOC": "malloc"}
# the order in which the options' names make the name of a result's file
NAMED = [["flat", "cum"], ["functions", "filefunctions", "files", "lines", "addresses"], ["noinlines"],
         ["inuse_space", "inuse_objects", "alloc_space", "alloc_objects"], ["relative_percentages"], ["seconds"], ["call_tree"],
         ["text", "tree", "callgrind", "dot", "svg", "tags", "traces", "disasm", "peek", "weblist", "topproto", "comments"],
         ["all_frames"]]
OPTIONS = ["-compact_labels", "-trim", "-nodefraction=0.05", "-edgefraction=0.01", "-divide_by=1"]


def difference(ours, theirs):
    """The first lines that differ."""
    ours, theirs = ours.splitlines(), theirs.splitlines()
    for i in range(max(len(ours), len(theirs))):
        pair = [lines[i] if i < len(lines) else None for lines in (ours, theirs)]
        if pair[0] != pair[1]:
            return f"line {i + 1}: got      {pair[0]!r}\n         expected {pair[1]!r}"
    return ""


def scratch(name, content):
    path = os.path.join(SCRATCH, name)
    with open(path, "wb") as f:
        f.write(content)
    return path


def sources(text, names):
    """The profiles that the driver's tests read, by the names of their sources."""
    def heap():
        return go_source.returned(text, "heapProfile", names)

    cpu = go_source.returned(text, "cpuProfile", names)
    alloc, request, sizes, tags = heap(), heap(), heap(), heap()
    alloc["SampleType"] = [{"Type": "alloc_objects", "Unit": "count"}, {"Type": "alloc_space", "Unit": "bytes"}]
    for sample in request["Sample"] + tags["Sample"][::2]:
        sample["NumLabel"]["request"] = sample["NumLabel"]["bytes"]
    for sample in tags["Sample"][::2]:
        sample["Label"] = {"key1": ["tag"]}
    for sample in sizes["Sample"]:
        sample["NumLabel"]["bytes"] = sample["NumLabel"]["bytes"] + [2 << n for n in range(8)]
    return {"cpu": cpu, "unknown": cpu, "cpusmall": go_source.returned(text, "cpuProfileSmall", names), "heap": heap(),
            "heap_alloc": alloc, "heap_request": request, "heap_sizetags": sizes, "heap_tags": tags,
            "contention": go_source.returned(text, "contentionProfile", names),
            "long_name_funcs": go_source.returned(text, "longNameFuncsProfile", names)}


def golden(flags, source):
    """The name of the file that holds the result."""
    given = dict(flag.partition("=")[::2] for flag in flags)
    name = ["pprof", source] + [next(n for n in group if n in given) for group in NAMED if any(n in given for n in group)]
    name += ["focus"] if "focus" in given or "tagfocus" in given else []
    name += ["ignore"] if "ignore" in given or "tagignore" in given else []
    name += [option for option in ("show_from", "hide", "show") if option in given]
    name += ["unit"] if given.get("unit", "minimum") != "minimum" else []
    return os.path.join(DRIVER, "testdata", ".".join(name))


def report(flags, profile, name):
    """A report of a profile, after what pprof's test does first: it writes the profile, for topproto one of lines at addresses."""
    kind, *rest = flags
    rename = {} if kind == "topproto" else DEMANGLED
    path = scratch(name + ".pb", profile_proto.encoded(profile, rename))
    if kind == "topproto":
        top = os.path.join(SCRATCH, name + ".top.pb.gz")
        strobe("pprof", "-topproto", "-addresses", "-nodecount=20", "-unit=minimum", *OPTIONS, "-output=" + top, path)
        path, kind = top, "text"
    words = [f"-{flag}" for flag in rest]
    words += [] if any(word.startswith("-nodecount=") for word in words) else ["-nodecount=20"]
    words += [] if any(word.startswith("-unit=") for word in words) else ["-unit=minimum"]
    return strobe("pprof", "-" + kind, "-symbolize=none", *OPTIONS, *words, path, cwd=DRIVER)


def check_reports(tap):
    """Each case of the driver's TestParse."""
    names = go_source.outer_declarations(os.path.join(DRIVER, "driver_test.go"))
    text = go_source.read(DRIVER, "driver_test.go")
    profiles = sources(text, names)
    for case in go_source.table(text, "func TestParse(", names):
        flags, name = case["flags"].split(","), f"pprof: {case['source']} {case['flags']}"
        if flags[0].partition("=")[0] in ("disasm", "weblist"):
            tap.skip(name, "its instructions are invented by the test itself")
            continue
        done = report(flags, profiles[case["source"]], case["source"])
        expected = go_source.read(golden(flags, case["source"]))
        tap.ok(done.out == expected, name, difference(done.out, expected) + "\n" + done.err)


class Raw:
    """What `pprof -raw` tells: samples as (values, ids of locations, {label: values}), and names and files of locations."""

    def __init__(self, text):
        self.samples, self.places = [], {}
        part, place = "", None
        for line in text.splitlines():
            if line in ("Samples:", "Locations", "Mappings"):
                part = line
            elif part == "Samples:" and re.match(r"\s*-?\d[-\d ]*:[\d ]*$", line):
                values, _, ids = line.partition(":")
                self.samples.append(([int(v) for v in values.split()], ids.split(), {}))
            elif part == "Samples:" and self.samples and re.match(r"\s+\S+:\[", line):
                for key, values in re.findall(r"(\S+?):\[([^\]]*)\]", line):
                    self.samples[-1][2][key] = values
            elif part == "Locations":
                m = re.match(r"\s*(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(?:\[F\] )?(.*)", line)
                place = m.group(1) if m else place
                self.places.setdefault(place, []).extend(self.function(m.group(2) if m else line.strip()))

    @staticmethod
    def function(text):
        m = re.match(r"(.*) (\S*):-?\d+(?::-?\d+)? s=-?\d+", text)
        return [m.groups()] if m else []

    def stacks(self):
        """Names with the innermost function first, and the first value, as pprof's tests write it."""
        return [f"{' '.join(name for i in ids for name, _ in self.places.get(i, []))}: {values[0]}" for values, ids, _ in self.samples]

    def folded(self):
        """Names with their files, the outermost location first, as the test of tagroot writes it."""
        return [";".join(f"{name}({file})" for i in reversed(ids) for name, file in self.places.get(i, [])) + f" {values[0]}"
                for values, ids, _ in self.samples]


def raw(name, profile, *options):
    done = strobe("pprof", "-raw", "-symbolize=none", *options, scratch(name + ".pb", profile_proto.encoded(profile)))
    return Raw(done.out), done


def check_names(tap):
    """-focus, -ignore, -hide, -show and -show_from."""
    directory = os.path.join(PPROF, "profile")
    names = go_source.outer_declarations(os.path.join(directory, "filter_test.go"))
    text = go_source.read(directory, "filter_test.go")
    cases = go_source.table(text, "func TestFilterSamplesByName(", names) + go_source.table(text, "func TestShowFrom(", names)
    for case in cases:
        words = [f"-{option}={case[field]}" for option, field in
                 (("focus", "focus"), ("ignore", "ignore"), ("hide", "hide"), ("show", "show"), ("show_from", "showFrom"))
                 if case.get(field)]
        found, done = raw("filter", case["profile"], *words)
        expected = case.get("wantSampleFuncs") or []
        tap.ok(found.stacks() == expected, f"pprof: {case['name']}", f"{found.stacks()}\n{expected}\n{done}")


def check_dropped(tap):
    """DropFrames and KeepFrames."""
    names = go_source.outer_declarations(os.path.join(PPROF, "profile", "prune_test.go"))
    for profile, expected in (("in1", "out1"), ("in2", "out2")):
        found, done = raw("drop", names[profile])
        # samples of the same stack are one after reading: their sums are compared
        sums = [{}, {}]
        for which, told in enumerate((found, Raw(names[expected]))):
            for stack in told.stacks():
                head, _, value = stack.rpartition(": ")
                sums[which][head] = sums[which].get(head, 0) + int(value)
        tap.ok(sums[0] == sums[1] and sums[0], f"pprof: DropFrames of {profile}", f"{sums[0]}\n{sums[1]}\n{done}")


ONE = {"SampleType": [{"Type": "samples", "Unit": "count"}], "Function": [{"ID": 1, "Name": "f"}]}
ONE["Location"] = [{"ID": 1, "Address": 4096, "Line": [{"Function": ONE["Function"][0]}]}]


def labelled(samples):
    return {**ONE, "Sample": [{"Value": [1 << i], "Location": ONE["Location"], **labels} for i, labels in enumerate(samples)]}


def check_labels(tap):
    """-tagfocus by text and by ranges, and the units of -tags."""
    text = go_source.read(DRIVER, "driver_test.go")
    for case in go_source.table(text, "func TestTagFilter(", {}):
        found, done = raw("labels", labelled([{"Label": case["tags"]}]), "-tagfocus=" + case["value"])
        tap.ok(bool(found.samples) == case["want"], f"pprof: {case['desc']}: {case['value']}", done)
    for case in go_source.table(text, "func TestNumericTagFilter(", {}):
        units = {key: [unit] * len(case["tags"].get(key, [])) for key, unit in (case["identifiedUnits"] or {}).items()}
        found, done = raw("numbers", labelled([{"NumLabel": case["tags"], "NumUnit": units}]), "-tagfocus=" + case["value"])
        tap.ok(bool(found.samples) == case["want"], f"pprof: {case['desc']}: {case['value']} of {case['tags']}", done)
    for case in go_source.table(text, "func TestIdentifyNumLabelUnits(", {}):
        check_units(tap, case)


# what a unit is of the one that -unit= shows, bytes and seconds; others are not known
UNITS = {"bytes": (1, "B"), "kilobytes": (1 << 10, "B"), "megabytes": (1 << 20, "B"), "seconds": (1, "s"), "hour": (3600, "s"),
         "hours": (3600, "s")}


def check_units(tap, case):
    """
    pprof uses one unit for all values of a key, and says so where there are others. Here each value has its own; one without a
    unit has the key's.
    """
    samples = [{"NumLabel": values, "NumUnit": units or {}} for values, units in zip(case["tagVals"], case["tagUnits"])]
    expected = set()
    for sample in samples:
        for key, values in sample["NumLabel"].items():
            units = sample["NumUnit"].get(key) or []
            for i, value in enumerate(values):
                factor, unit = UNITS.get((units[i] if i < len(units) else "") or case["wantUnits"][key], (1, ""))
                expected.add(f"{key} {value * factor}{unit}")
    done = strobe("pprof", "-tags", "-unit=", scratch("units.pb", profile_proto.encoded(labelled(samples))))
    found, key = set(), ""
    for line in done.out.splitlines():
        head = re.match(r" (\S+): Total", line)
        key = head.group(1) if head else key
        if line.strip() and not head:
            found.add(f"{key} {line.split()[-1]}")
    tap.ok(found == expected, f"pprof: {case['desc']}", f"{sorted(found)}\n{sorted(expected)}\n{done}")


def check_kept_labels(tap):
    """-tagshow and -taghide: how many of the keys are left."""
    directory = os.path.join(PPROF, "profile")
    profile = go_source.outer_declarations(os.path.join(directory, "profile_test.go")).get("testProfile1")
    expression = r"(nil|regexp[^\n]*?\))"
    rows = re.findall(rf"^\t\t\{{{expression}, {expression}, \w+, \w+, (\d+)\}}", go_source.read(directory, "filter_test.go"), re.M)
    for shown, hidden, count in rows:
        words = ["-" + name + re.sub(r'.*"(.*)".*', r"=\1", value) for name, value in (("tagshow", shown), ("taghide", hidden))
                 if value != "nil"]
        found, done = raw("keys", profile, *words)
        keys = {key for _, _, labels in found.samples for key in labels}
        tap.ok(len(keys) == int(count), f"pprof: labels with {' '.join(words) or 'no option'}", f"{keys}, expected {count}\n{done}")


def check_label_frames(tap):
    """-tagroot and -tagleaf."""
    names = go_source.outer_declarations(os.path.join(DRIVER, "tagroot_test.go"))
    text = go_source.read(DRIVER, "tagroot_test.go").replace("[]addLabelNodesTestcase", "[]struct{ x int }")
    for case in go_source.table(text, "func TestAddLabelNodesMatchBooleans(", names):
        words = [f"-{option}={','.join(case[option])}" for option in ("tagroot", "tagleaf") if case.get(option)]
        words.append("-unit=" + case.get("outputUnit", ""))
        found, done = raw("roots", names["testProfile1"], *words)
        tap.ok(found.folded() == case["wantSampleFuncs"], f"pprof: {case['name']}: {' '.join(words)}",
               f"{found.folded()}\n{case['wantSampleFuncs']}\n{done}")


# made by a version of stackcollapse-perf.pl that took only "java" for Java, and not "java-PID": today's is run instead
OUTDATED = re.compile(r"perf-(java|vertx)-.*-collapsed-[pt]id.txt")
MENDED = "inferno mends Rust's names where FlameGraph's result of the same text leaves them"
TWO_EVENTS = "it is of two events, of which stackcollapse-perf.pl takes the first"


def collapsed_today(tap, text, option, name):
    """The file with what the checkout's own script makes of a text, or None."""
    script = os.path.join(FLAMEGRAPH, "stackcollapse-perf.pl")
    if not os.path.exists(script) or not shutil.which("perl"):
        tap.skip(f"FlameGraph: {name}", "it was made by an older script, and there is no today's one")
        return None
    return scratch(name, run("perl", script, f"--{option}", text, text=False).out)


def check_folded(tap):
    """stackcollapse-perf.pl's results, and inferno's."""
    texts = os.path.join(FLAMEGRAPH, "test")
    results = os.path.join(texts, "results")
    for name in sorted(os.listdir(results) if os.path.isdir(results) else []):
        m = re.fullmatch(r"(.+)-collapsed-(\w+)\.txt", name)
        result, text = os.path.join(results, name), os.path.join(texts, m.group(1) + ".txt")
        if OUTDATED.fullmatch(name):
            result = collapsed_today(tap, text, m.group(2), name)
        if result:
            compare_folded(tap, "FlameGraph", text, m.group(2), result)
    texts = os.path.join(INFERNO, "tests", "data", "collapse-perf")
    results = os.path.join(texts, "results")
    for name in sorted(os.listdir(results) if os.path.isdir(results) else []):
        m = re.fullmatch(r"(.+)-collapsed(?:-(\w+))?\.txt", name)
        inputs = [os.path.join(texts, m.group(1) + ".txt"), os.path.join(FLAMEGRAPH, m.group(1) + ".txt.gz"),
                  os.path.join(FLAMEGRAPH, "test", m.group(1) + ".txt")]
        why = MENDED if "rust" in name or name.startswith("single-event") else TWO_EVENTS if name.startswith("single-line") else ""
        if why:
            tap.skip(f"inferno: {name}", why)
        else:
            compare_folded(tap, "inferno", next((path for path in inputs if os.path.exists(path)), None), m.group(2),
                           os.path.join(results, name))


def input_of(path, whose):
    """The text's path; without its last sample where FlameGraph's script leaves that out, for no empty line ends it."""
    with gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb") as f:
        text = f.read()
    return scratch("input.txt", text[:text.rindex(b"\n\n") + 2] if whose == "FlameGraph" else text)


def compare_folded(tap, whose, path, option, result):
    name = f"{whose}: {os.path.basename(result)}"
    if not path or not os.path.exists(path):
        tap.skip(name, "its input is missing")
        return
    with open(result, encoding="utf-8", errors="surrogateescape") as f:
        expected = f.read()
    done = strobe("flamegraph", "--folded", *([f"--{option}"] if option else []), input_of(path, whose), text=False)
    ours = done.out.decode("utf-8", "surrogateescape")
    # inferno sorts by bytes, the Perl script as the locale does
    ours, expected = ("".join(sorted(text.splitlines(True))) for text in (ours, expected))
    tap.ok(ours == expected, name, difference(ours, expected) + "\n" + done.err)


def main():
    if not any(os.path.isdir(path) for path in (PPROF, FLAMEGRAPH, INFERNO)):
        skip_all(f"no PPROF_SOURCE, FLAMEGRAPH_SOURCE or INFERNO_SOURCE, and no shared corpus at {CORPUS}")
    tap = Tap()
    if os.path.exists(os.path.join(DRIVER, "driver_test.go")):
        check_reports(tap)
        check_names(tap)
        check_dropped(tap)
        check_labels(tap)
        check_kept_labels(tap)
        check_label_frames(tap)
    else:
        tap.skip("pprof: its own tests", f"no internal/driver/driver_test.go in {PPROF}: PPROF_SOURCE names a checkout")
    check_folded(tap)
    tap.done()


main()
