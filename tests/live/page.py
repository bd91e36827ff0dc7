#!/usr/bin/env python3
# timeout: 240
# serial
"""The HTML page in a real browser: its numbers equal the input's, its controls work, it requests nothing and logs nothing.

The recordings are text of `perf script` and folded stacks made here, so that each number is known by counting them in Python,
and one made by `strobe record`, whose page is held to `strobe report` and `strobe flamegraph --folded`.
"""

import collections
import csv
import json
import os
import random
import re

import pages
from browser import Browser
from strobetest import Tap, build_workload, record, strobe

tap = Tap()
browser = None

VIEWS = ["flamegraph", "top", "tree", "peek", "graph", "source", "disasm", "timeline", "heatmap"]


def page_of(path, name, *options):
    done = strobe("flamegraph", "-i", path, "-o", name, *options)
    if not tap.ok(done.status == 0 and os.path.exists(name), f"{name} is written", done):
        raise SystemExit(tap.done())
    return name


def quiet(name):
    log = browser.log()
    # the last is of the tests' own reading of pixels
    said = [s for s in log["said"] if "willReadFrequently" not in s]
    tap.equal(said, [], f"{name}: no error, warning or dialog")
    others = [url for url in log["requests"] if not url.startswith("file://" + os.getcwd())]
    tap.equal(others, [], f"{name}: nothing is asked of the network")
    tap.ok(len(log["requests"]) <= 20 and all(url.split("#")[0].endswith(".html") for url in log["requests"]),
           f"{name}: no other file is read", log["requests"])


# ---- a recording in time: three threads, two CPUs ----

STACKS = {
    "render": ["main", "loop", "render", "draw_line"],
    "render2": ["main", "loop", "render", "fill"],
    "parse": ["main", "parse", "lex"],
    "rec": ["main", "walk", "walk", "walk"],
}


def make_samples():
    """[(thread, cpu, seconds, stack)], 3000 of them in 3 seconds."""
    rng = random.Random(7)
    samples = []
    for i in range(3000):
        t = i / 1000
        thread = ("ui", 100, 101) if i % 3 else ("worker", 100, 102) if i % 2 else ("other", 200, 200)
        kind = "parse" if t < 1 else rng.choice(["render", "render2", "rec"])
        samples.append((thread, i % 2, t, STACKS[kind]))
    return samples


def script_text(samples):
    """As `perf script` prints it, innermost first."""
    parts = []
    for (comm, pid, tid), cpu, t, stack in samples:
        lines = [f"{comm} {pid}/{tid} [{cpu:03}] {1000 + t:.6f}:          1 cpu-clock: "]
        lines += [f"\t    {0x1000 + 16 * n:x} {name}+0x1 (/usr/bin/prog)" for n, name in reversed(list(enumerate(stack)))]
        parts.append("\n".join(lines) + "\n\n")
    return "".join(parts)


def counted(samples):
    flat, cum = collections.Counter(), collections.Counter()
    for _, _, _, stack in samples:
        flat[stack[-1]] += 1
        cum.update(set(stack))
    return flat, cum


TOP_TABLE = """(() => { const m = strobe.model, rows = {};
    m.keys.name.forEach((name, k) => { if (m.sums.cum[k] && !m.keys.special[k]) rows[name] = [m.sums.flat[k], m.sums.cum[k]]; });
    return rows; })()"""


def check_sums(samples, name):
    flat, cum = counted(samples)
    expected = {f: [flat[f], cum[f]] for f in cum}
    tap.equal(browser.eval(TOP_TABLE), expected, f"{name}: self and total of each function")
    tap.equal(browser.eval("strobe.model.total"), len(samples), f"{name}: the total")


def search(text):
    """The page searches when typing has paused; what was selected in a flame graph goes with it."""
    browser.do("fill", "#search", text)
    found = "strobe.searchHits" if text else "!strobe.searchHits"
    browser.eval(f"new Promise((done) => {{ const look = () => {found} ? done() : setTimeout(look, 20); look(); }})")


def change(**state):
    browser.eval(f"strobe.change({json.dumps(state)})")


def in_time():
    samples = make_samples()
    with open("time.script", "w", encoding="utf-8") as f:
        f.write(script_text(samples))
    browser.open(page_of("time.script", "time.html"))
    check_sums(samples, "all")
    views_switch()
    brush(samples)
    lanes(samples)
    filters(samples)
    labels(samples)
    time_keys(samples)
    keyboard()
    quiet("time.html")


def views_switch():
    for n, view in enumerate(VIEWS):
        browser.do("click", f"#tab-{view}")
        shown = browser.eval("[...document.querySelectorAll('.view')].filter((v) => !v.hidden).map((v) => v.id)")
        tap.equal(shown, [f"view-{view}"], f"a click shows {view}")
        tap.ok(view == "flamegraph" or f"view={view}" in browser.eval("location.hash"), f"the address keeps {view}")
        browser.shot(f"time-{n + 1}-{view}")
    browser.do("click", "#tab-flamegraph")


def brush(samples):
    width = browser.eval("strobe.strip.width")
    browser.do("drag", "#strip canvas", [width * 0.4, 20], [width * 0.7, 20])
    time = browser.eval("strobe.state.time")
    span = 2.999
    tap.ok(time and abs(time[0] - 0.4 * span) < 0.02 and abs(time[1] - 0.7 * span) < 0.02, "a drag on the strip is a span of time", time)
    inside = within(samples, time)
    check_sums(inside, "brushed")
    tap.ok(browser.eval("document.querySelector('#chips').textContent").startswith("1.2"), "a chip tells the span")
    browser.shot("time-brushed")
    tap.ok("time=" in browser.eval("location.hash"), "the address keeps the span")
    browser.do("click", "#chips button")
    check_sums(samples, "the chip's button takes it back")
    # a cell of the heat map: 3 s in columns of 50 ms
    browser.do("click", "#tab-heatmap")
    browser.do("click", "#view-heatmap canvas", {"position": {"x": 300, "y": 40}})
    time = browser.eval("strobe.state.time")
    check_sums(within(samples, time), "a cell of the heat map")
    browser.do("drag", "#view-heatmap canvas", [200, 30], [400, 100])
    time = browser.eval("strobe.state.time")
    tap.ok(time[1] - time[0] > 0.2, "a drag over the heat map is a span", time)
    check_sums(within(samples, time), "a drag over the heat map")
    change(time=None)


def within(samples, time):
    """As the page counts: in whole microseconds, the end excluded."""
    return [s for s in samples if time[0] / 1e-6 <= round(s[2] * 1e6) < time[1] / 1e-6]


def lanes(samples):
    browser.do("click", "#tab-timeline")
    names = browser.eval("strobe.views.timeline.lanes.filter((l) => !l.threads).map((l) => [l.name, l.total])")
    expected = collections.Counter(f"{s[0][0]} {s[0][2]}" for s in samples).most_common()
    tap.equal(sorted(map(tuple, names)), sorted(expected), "a lane for each thread")
    shown = browser.eval("strobe.views.timeline.lanes.map((l) => [l.name, !!l.inProcess])")
    tap.equal(shown, [["ui 100", False], ["ui 101", True], ["worker 102", True], ["other 200", False]],
              "threads are below their process, the busiest first")
    lane = browser.eval("strobe.views.timeline.lane")
    tap.ok(26 < lane <= 64, "few lanes are high", lane)
    browser.do("click", "#view-timeline canvas", {"position": {"x": 60, "y": 12}})
    check_sums([s for s in samples if s[0][1] == 100], "a click on a process")
    browser.do("click", "#view-timeline canvas", {"position": {"x": 60, "y": 12}})
    browser.do("click", "#view-timeline canvas", {"position": {"x": 60, "y": int(1.5 * lane)}})
    check_sums([s for s in samples if s[0][0] == "ui"], "a click on a thread's name")
    change(thread=-1, cpu=1)
    check_sums([s for s in samples if s[1] == 1], "one CPU")
    change(cpu=-1)


def filters(samples):
    browser.do("click", "#tab-top")
    change(focus="lex|fill")
    check_sums([s for s in samples if s[3][-1] in ("lex", "fill")], "focus")
    change(focus="", ignore="^render$")
    check_sums([s for s in samples if "render" not in s[3]], "ignore")
    change(ignore="", hide="^(loop|lex)$")
    hidden = [(*s[:3], [f for f in s[3] if f not in ("loop", "lex")]) for s in samples]
    check_sums(hidden, "hide: what ends there counts for the caller")
    change(hide="", show="^(main|render)$")
    check_sums([(*s[:3], [f for f in s[3] if f in ("main", "render")]) for s in samples], "show")
    change(show="", showFrom="^render$")
    below = [(*s[:3], s[3][s[3].index("render"):]) for s in samples if "render" in s[3]]
    check_sums(below, "show from")
    change(showFrom="", focus="(")
    tap.ok(not browser.eval("document.querySelector('#problem').hidden"), "a wrong expression is reported")
    change(focus="")
    search("^walk$")
    share = 100 * sum("walk" in s[3] for s in samples) / len(samples)
    tap.equal(browser.do("text", "#matched"), f"1 names, {share:.2f}%", "search tells its share; recursion counts once")
    browser.do("click", "#tab-flamegraph")
    browser.shot("time-search")
    search("")
    folded = strobe("flamegraph", "--folded", "-i", "time.script").out
    tap.equal(sorted(browser.eval("strobe.folded()").splitlines()), sorted(folded.splitlines()), "folded stacks are those of --folded")
    halves = browser.eval("""(() => { const k = strobe.model.keys.name.indexOf("render"); const h = [];
        strobe.openSandwich(k); for (const half of ["callers", "callees"]) { const l = strobe.views.peek[half].layout;
        h.push([...l.key].map((key, i) => [l.keys.name[key], l.depth[i], l.total[i]])); } return h; })()""")
    draw, fill = (sum(s[3][-1] == f for s in samples) for f in ("draw_line", "fill"))
    tap.equal(halves[1], [["render", 0, draw + fill], ["draw_line", 1, draw], ["fill", 1, fill]], "callees of a function")
    callers = [[name, depth, draw + fill] for depth, name in enumerate(["render", "loop", "main"])]
    tap.equal(halves[0][:3], callers, "and its callers")


def labels(samples):
    """pprof's tag filters, on what a recording says of its samples."""
    for filters, keep in [
        ({"tagFocus": "comm=^ui$"}, lambda s: s[0][0] == "ui"),
        ({"tagFocus": "^comm:(ui|other)$"}, lambda s: s[0][0] != "worker"),
        ({"tagFocus": "comm=ui,worker"}, lambda s: s[0][0] != "other"),
        ({"tagFocus": "comm:ui,event:cpu"}, lambda s: s[0][0] == "ui"),
        ({"tagFocus": "pid=200"}, lambda s: s[0][1] == 200),
        ({"tagFocus": "tid=101:102"}, lambda s: s[0][2] in (101, 102)),
        ({"tagIgnore": "tid=:101"}, lambda s: s[0][2] > 101),
        ({"tagFocus": "cpu=1"}, lambda s: s[1] == 1),
        ({"tagIgnore": "cpu=1:", "focus": "lex"}, lambda s: s[1] == 0 and "lex" in s[3]),
        ({"tagFocus": "event=nothing"}, lambda s: False),
    ]:
        change(**filters)
        check_sums([s for s in samples if keep(s)], f"labels {filters}")
        tap.ok(("tf=" in browser.eval("location.hash")) == ("tagFocus" in filters), f"the address keeps {filters}")
        change(**{name: "" for name in filters})
    # what is filtered out is in no view of the time either
    change(focus="^lex$", tagFocus="comm=ui")
    left = [s for s in samples if "lex" in s[3] and s[0][0] == "ui"]
    browser.do("click", "#tab-timeline")
    tap.equal(browser.eval("strobe.views.timeline.lanes.map((l) => [l.name, l.total])"), [["ui 101", len(left)]],
              "lanes show what the filters leave")
    tap.equal(browser.eval("strobe.strip.bins.reduce((a, b) => a + b)"), len(left), "and so does the strip")
    browser.do("click", "#tab-heatmap")
    tap.equal(browser.eval("strobe.views.heatmap.counts.reduce((a, b) => a + b)"), len(left), "and the heat map")
    change(focus="", tagFocus="(")
    tap.ok(not browser.eval("document.querySelector('#problem').hidden"), "a wrong expression of labels is reported")
    change(tagFocus="")


def time_keys(samples):
    browser.do("click", "#tab-heatmap")
    browser.eval("strobe.views.heatmap.canvas.focus()")
    for key in ["ArrowRight", "ArrowRight", "ArrowDown"]:
        browser.do("key", key)
    said = browser.eval("document.querySelector('#said').textContent")
    # 3 s in columns of 50 ms, in each 50 cells of 1 ms: the third column's second
    tap.equal(said, "at 101.0 ms: 1 sample", "arrows move in the heat map, and it is said")
    browser.do("key", "Enter")
    check_sums(within(samples, browser.eval("strobe.state.time")), "Enter chooses a cell")
    browser.do("key", "Escape")
    tap.equal(browser.eval("strobe.state.time"), None, "Escape leaves it")
    browser.do("click", "#tab-timeline")
    browser.eval("strobe.views.timeline.box.focus()")
    browser.do("key", "ArrowDown")
    chosen = browser.eval("strobe.p.strings[strobe.p.threadComm[strobe.state.thread]]")
    check_sums([s for s in samples if s[0][0] == chosen], "an arrow chooses a lane")
    tap.ok(browser.eval("document.querySelector('#said').textContent").startswith(chosen), "and it is said")
    browser.do("key", "Escape")


def keyboard():
    browser.do("click", "#tab-flamegraph")
    browser.eval("strobe.views.flamegraph.flame.box.focus()")
    for key in ["ArrowDown", "ArrowDown", "Enter"]:
        browser.do("key", key)
    zoomed = browser.eval("(() => { const f = strobe.views.flamegraph.flame; return [f.zoom, f.layout.depth[f.zoom], f.view]; })()")
    tap.equal(zoomed[1], 2, "arrows and Enter zoom to a function")
    said = browser.eval("document.querySelector('#said').textContent")
    tap.ok(said.startswith("main"), "what is chosen is said to screen readers", said)
    browser.do("click", ".crumbs button.link")
    tap.equal(browser.eval("strobe.views.flamegraph.flame.zoom"), 0, "the way to it leads back")
    tap.ok(browser.eval("document.querySelector('.crumbs').hidden"), "and goes with the zoom")
    browser.do("key", "ArrowDown")
    browser.do("key", "Enter")
    browser.do("key", "Escape")
    tap.equal(browser.eval("strobe.views.flamegraph.flame.zoom"), 0, "Escape zooms out")
    browser.do("key", "2")
    tap.equal(browser.eval("strobe.state.view"), "top", "a digit chooses a view")
    browser.do("key", "/")
    tap.equal(browser.eval("document.activeElement.id"), "search", "a slash goes to the search")
    browser.do("key", "Escape")
    browser.do("key", "t")
    dark = browser.eval("document.documentElement.dataset.theme")
    browser.do("key", "1")
    browser.shot("time-" + dark)
    browser.do("key", "?")
    tap.ok(browser.eval("document.querySelector('#dialog').open"), "a question mark lists the keys")
    browser.do("key", "Escape")
    roles = browser.eval("""['tablist', 'tab', 'tabpanel', 'slider', 'status'].filter((r) => !document.querySelector(`[role=${r}]`))""")
    tap.equal(roles, [], "roles for screen readers are there")
    nameless = browser.eval("""[...document.querySelectorAll('button, select, input')].filter((e) => !(e.getAttribute('aria-label') ||
        e.textContent.trim() || e.closest('label')?.textContent.trim())).map((e) => e.outerHTML)""")
    tap.equal(nameless, [], "every control has a name")


def colours():
    """Objects have colours of their own; what a legend takes of the height moves the root out of nobody's sight."""
    with open("objects.script", "w", encoding="utf-8") as f:
        for n in range(12):
            frames = "".join(f"\t  {0x1000 + i:x} f{n}_{i}+0x1 (/usr/lib/lib{n}.so)\n" for i in range(80))
            f.write(f"prog 7/7 [000] {n}.000000: 1 cpu-clock: \n{frames}\n")
    browser.open(page_of("objects.script", "objects.html"))
    hues = browser.eval("[...new Set(strobe.model.keys.name.map((_, k) => k).filter((k) => strobe.model.keys.isListed(k))"
                        ".map((k) => strobe.model.keys.hue('object', k)))]")
    tap.equal(len(set(hues)), 12, "each of twelve objects has a hue of its own")
    tap.ok(all(hue < 270 for hue in hues), "none is magenta, as what is found is", hues)
    tap.equal(browser.eval("strobe.state.colour"), "object", "objects are coloured by default, where there are several")
    tap.equal(browser.eval("strobe.views.flamegraph.flame.y(0)"), 0, "the root is at the top")
    change(icicle=False)
    for colour in ["object", "language", "object", "name"]:
        change(colour=colour)
        browser.eval("new Promise((done) => setTimeout(done, 100))")
        foot = browser.eval("(() => { const f = strobe.views.flamegraph.flame; return [f.y(0) + 19, f.box.clientHeight]; })()")
        tap.ok(foot[1] - 8 <= foot[0] <= foot[1], f"the root stands at the foot, coloured by {colour}", foot)
    change(icicle=True)
    quiet("objects.html")


def picture():
    """A picture without a width of its own has that of its window, also when that changes; its title stays in sight."""
    with open("wide.folded", "w", encoding="utf-8") as f:
        f.writelines(f"main;{';'.join(f'f{i}' for i in range(80))};g{n} {n + 1}\n" for n in range(20))
    for name, options, widths in (("wide.svg", (), (1700, 640)), ("fixed.svg", ("--width", "900"), (900, 900))):
        done = strobe("flamegraph", "-i", "wide.folded", "-o", name, *options)
        tap.ok(done.status == 0, f"{name} is written", done)
        for window, width in zip((1700, 640), widths):
            browser.do("size", window, 600)
            browser.do("visit", "file://" + os.path.abspath(name))
            frames = browser.eval("""(() => { const r = [...document.querySelectorAll('.frames rect')].map((r) => +r.getAttribute('width'));
                return [Math.max(...r), r[r.length - 1] / r[0]]; })()""")
            is_right = abs(frames[0] - (width - 20)) <= 16 and abs(frames[1] - 10 / 210) < 0.001
            tap.ok(is_right, f"{name} in a window of {window} pixels", frames)
        browser.do("eval", "window.scrollTo(0, 500)")
        browser.do("eval", "new Promise((f) => setTimeout(f, 100))")
        title = browser.eval("document.querySelector('text[text-anchor=middle]').getBoundingClientRect().top")
        tap.ok(0 <= title < 60, f"{name}: the title is in sight", title)
    browser.do("size", 1360, 820)
    browser.log()


# ---- labels of a pprof profile ----

def pprof_labels():
    rows = [("f", 1, {"bytes": (512, "bytes"), "route": "/a"}), ("g", 10, {"bytes": (4096, "bytes"), "route": "/b"}),
            ("h", 100, {"bytes": (3 << 20, "bytes"), "route": "/ab", "zone": "x"}), ("i", 1000, {})]
    with open("labels.pb", "wb") as f:
        f.write(pages.pprof_profile(["alloc"], [([f], [v], told) for f, v, told in rows]))
    browser.open(page_of("labels.pb", "labels.html"))
    for filters, kept in [
        ("route=a", "fh"), ("route:/a$", "f"), ("route=b$,^/b", "gh"), ("route:/a,zone:x", "h"), ("bytes=1kb:", "gh"),
        ("1kb:1mb", "g"), ("4kb", "g"), (":512b", "f"), ("zone=y", ""),
    ]:
        for name, option in [("tagFocus", "-tagfocus"), ("tagIgnore", "-tagignore")]:
            change(**{name: filters})
            mine = sum(v for f, v, _ in rows if (f in kept) == (name == "tagFocus"))
            tap.equal(browser.eval("strobe.model.total"), mine, f"labels {name} {filters}")
            told = strobe("pprof", "-unit=b", "-nodefraction=0", "-top", f"{option}={filters}", "labels.pb").out
            tap.equal(sum(map(int, re.findall(r"^ *(\d+)B? .*% +[fghi]$", told, re.M))), mine, f"pprof {option}={filters} counts the same")
            change(**{name: ""})
    change(group="tag:route")
    tops = browser.eval("(() => { const l = strobe.model.down; return calls(0); function calls(i) { const out = {};"
                        "for (let c = i + 1; c < l.end[i]; c = l.end[c]) out[l.keys.name[l.key[c]]] = l.total[c]; return out; } })()")
    tap.equal(tops, {"(no such label)": 1000, "/a": 1, "/ab": 100, "/b": 10}, "grouped by a label")
    change(group="none")
    labels_as_frames()
    browser.shot("labels")
    quiet("labels.html")


def labels_as_frames():
    """pprof's -tagroot, -tagleaf, -tagshow and -taghide; frames are worked out by hand from rows of pprof_labels()."""
    change(tagRoot="route,bytes")
    tap.equal(folded_lines(), {"/a;512bytes;f": 1, "/b;4096bytes;g": 10, "/ab;3145728bytes;h": 100, "<unknown>;<unknown>;i": 1000},
              "labels as outermost frames")
    change(tagRoot="", tagLeaf="zone,route")
    leaves = {"f;<unknown>;/a": 1, "g;<unknown>;/b": 10, "h;x;/ab": 100, "i;<unknown>;<unknown>": 1000}
    tap.equal(folded_lines(), leaves, "labels as innermost frames")
    flat = browser.eval("(() => { const m = strobe.model; return m.keys.name.filter((n, k) => m.sums.flat[k] && m.keys.isListed(k)); })()")
    tap.equal(sorted(flat), ["/a", "/ab", "/b", "<unknown>"], "which the tables have as well")
    change(tagRoot="bytes", focus="^h$")
    tap.equal(folded_lines(), {"3145728bytes;h;x;/ab": 100}, "both at once, with a filter")
    tap.ok("tagroot=bytes" in browser.eval("location.hash") and "tagleaf=zone" in browser.eval("location.hash"), "the address keeps them")
    change(tagRoot="", tagLeaf="", focus="", group="tag", tagHide="byt")
    groups = """(() => { const l = strobe.model.down, out = [];
        for (let c = 1; c < l.n; c = l.end[c]) out.push(l.keys.name[l.key[c]]); return out; })()"""
    tap.equal(sorted(browser.eval(groups)), ["(no labels)", "route:/a", "route:/ab, zone:x", "route:/b"], "labels that are hidden")
    change(tagHide="", tagShow="^(zone|bytes)$")
    tap.equal(sorted(browser.eval(groups)), ["(no labels)", "bytes:3145728bytes, zone:x", "bytes:4096bytes", "bytes:512bytes"],
              "and shown")
    offered = browser.eval("[...document.querySelectorAll('#group option')].map((o) => o.value)")
    tap.equal(sorted(offered), ["none", "tag", "tag:bytes", "tag:zone"], "what is hidden is not offered for grouping")
    change(tagShow="(")
    tap.ok(not browser.eval("document.querySelector('#problem').hidden"), "a wrong expression is reported")
    change(tagShow="", group="none")


def folded_lines():
    return {stack: int(value) for stack, value in (line.rsplit(" ", 1) for line in browser.eval("strobe.folded()").splitlines())}


# ---- comparison ----

def comparison():
    with open("before.folded", "w", encoding="utf-8") as f:
        f.write("main;a 60\nmain;b 40\n")
    with open("after.folded", "w", encoding="utf-8") as f:
        f.write("main;a 30\nmain;c 170\n")
    browser.open(page_of("after.folded", "diff.html", "--diff-base", "before.folded"))
    sums = browser.eval("""(() => { const m = strobe.model, rows = {};
        m.keys.name.forEach((name, k) => { if (!m.keys.special[k]) rows[name] = [m.sums.cum[k], m.sums.cumBefore[k]]; });
        return rows; })()""")
    tap.equal(sums, {"main": [200, 100], "a": [30, 60], "b": [0, 40], "c": [170, 0]}, "values before and after")
    tap.equal(browser.eval("strobe.model.scale"), 2, "shares are compared")
    # red is what has a larger share, blue what has a smaller one
    pixels = browser.eval("""(() => { const f = strobe.views.flamegraph.flame, g = f.canvas.getContext('2d'), out = {};
        for (const i of Array(f.layout.n).keys()) { const x = (f.layout.x[i] + f.layout.size[i] * 0.9) / f.layout.size[0] * f.width;
        out[f.layout.keys.name[f.layout.key[i]]] = [...g.getImageData(x, f.y(f.layout.depth[i]) + 3, 1, 1).data]; } return out; })()""")
    tap.ok(pixels["c"][0] > pixels["c"][2] + 40, "more is red", pixels)
    tap.ok(pixels["a"][2] > pixels["a"][0] + 40, "less is blue", pixels)
    browser.shot("diff")
    quiet("diff.html")


# ---- what can be saved ----

# Presses the button of a format, and returns the text of the file.
SAVED = """(async (format) => { const make = URL.createObjectURL; let blob;
    URL.createObjectURL = (b) => make.call(URL, (blob = b));
    document.querySelector(`[data-format="${format}"]`).click();
    await new Promise((done) => setTimeout(done, 200));
    URL.createObjectURL = make;
    return blob.text(); })"""


def saved():
    """Files have the numbers of the view: those of the samples, counted here."""
    samples = make_samples()
    flat, cum = counted(samples)
    browser.open("time.html")
    browser.do("click", "#download")
    formats = browser.eval("[...document.querySelectorAll('[data-format]')].map((b) => b.dataset.format)")
    tap.equal(formats, ["folded", "speedscope.json", "csv", "png"], "formats are offered")
    browser.shot("download")
    profile = json.loads(browser.eval(f"{SAVED}('speedscope.json')"))
    names = [frame["name"] for frame in profile["shared"]["frames"]]
    ends = collections.Counter()
    for stack, weight in zip(profile["profiles"][0]["samples"], profile["profiles"][0]["weights"]):
        ends[names[stack[-1]]] += weight
    tap.equal((dict(ends), profile["profiles"][0]["endValue"]), (dict(flat), len(samples)), "stacks for speedscope")
    rows = list(csv.DictReader(browser.eval(f"{SAVED}('csv')").splitlines()))
    tap.equal({row["function"]: (int(row["self"]), int(row["total"])) for row in rows}, {name: (flat[name], cum[name]) for name in cum},
              "a table with self and total of each function")
    browser.do("key", "Escape")


# ---- the call graph ----

# Boxes, values and lines of the graph: what meets what it should not, letters below 12 pixels, and what is outside of the picture.
GRAPH_FAULTS = """(() => {
    const svg = document.querySelector('#view-graph svg'), faults = [], at = (e) => e.getBBox();
    const [x0, y0, width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
    const boxes = [...svg.querySelectorAll('.box rect')].map(at), texts = [...svg.querySelectorAll('.wire-text')];
    const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
    const rects = [...boxes, ...texts.map(at)];
    rects.forEach((a, i) => rects.slice(0, i).forEach((b) => meet(a, b) && faults.push(['meet', i])));
    rects.forEach((a, i) => (a.x < x0 || a.y < y0 || a.x + a.width > x0 + width || a.y + a.height > y0 + height)
        && faults.push(['outside', i]));
    for (const t of svg.querySelectorAll('text')) {
        const size = parseFloat(getComputedStyle(t).fontSize) * svg.getScreenCTM().a;
        size < 11.99 && faults.push(['small', size]);
    }
    for (const path of svg.querySelectorAll('.wire')) {
        for (let n = 1; n < 100; n++) {
            const p = path.getPointAtLength(path.getTotalLength() * n / 100);
            const hit = rects.findIndex((r) => p.x > r.x + 1 && p.x < r.x + r.width - 1 && p.y > r.y + 1 && p.y < r.y + r.height - 1);
            hit >= 0 && faults.push(['line over', hit < boxes.length ? 'box' : texts[hit - boxes.length].textContent, p.x, p.y]);
        }
    }
    return [boxes.length, texts.length, faults];
})()"""


def graph_stacks(seed):
    """Functions that call later ones, and some earlier ones: cycles; with names of C++ templates."""
    rng = random.Random(seed)
    names = ["main"] + [f"f{i}" if i % 3 else f"std::map<std::string, std::vector<int>>::call_{i}" for i in range(1, 60)]
    lines = []
    for _ in range(300):
        stack = [0]
        while len(stack) < 12 and rng.random() < 0.85:
            step = rng.choice([1, 1, 2, 3, 8, -2])
            stack.append(min(len(names) - 1, max(1, stack[-1] + step)))
        lines.append(";".join(names[i] for i in stack) + f" {rng.randrange(1, 200)}")
    return "\n".join(lines) + "\n"


def graph():
    for seed in range(4):
        with open("graph.folded", "w", encoding="utf-8") as f:
            f.write(graph_stacks(seed))
        browser.open(page_of("graph.folded", f"graph-{seed}.html") + "#view=graph")
        boxes, texts, faults = browser.eval(GRAPH_FAULTS)
        tap.ok(boxes > 30 and texts > 20, f"graph {seed} has boxes and values", (boxes, texts))
        tap.equal(faults, [], f"graph {seed}: values, lines and boxes do not meet, nothing is small or cut")
        browser.shot(f"graph-{seed}")


# ---- hostile names ----

def hostile_views(name):
    """Every view, with what appears when one points, clicks, opens and filters."""
    for view in VIEWS:
        browser.eval(f"strobe.goTo('{view}')")
        browser.do("eval", "new Promise((f) => setTimeout(f, 60))")
        browser.do("move", "main", [400, 200])
        browser.eval(f"document.querySelectorAll('#view-{view} .vt-row').forEach((r) => r.click())")
        if view == "flamegraph":
            for i in range(1, 8):
                browser.eval(f"strobe.views.flamegraph.flame.zoomTo(Math.min({i}, strobe.views.flamegraph.flame.layout.n - 1))")
        if view == "timeline" and browser.eval("strobe.hasLog"):
            browser.do("move", "#view-timeline canvas", [300, 12])
            browser.do("click", "#view-timeline canvas", {"position": {"x": 40, "y": 12}})
        if view == "graph":
            browser.eval("document.querySelectorAll('#view-graph .box').forEach((b) => b.dispatchEvent(new MouseEvent('mousemove')))")
        tap.equal(browser.eval(pages.BAD), [], f"{name}, {view}: no control character, mark of direction or half of a pair is shown")
        tap.equal(browser.eval(pages.HACKED), [None, 0], f"{name}, {view}: no name becomes markup")
        change(thread=-1)
    for group in ["process", "pid", "thread", "tag"]:
        change(group=group)
    change(group="none", colour="object", search="evil", focus="npg|script")
    for button in ["about", "help"]:
        browser.do("click", "#" + button)
        tap.equal(browser.eval(pages.HACKED) + browser.eval(pages.BAD), [None, 0], f"{name}: nor in the window of {button}")
        browser.do("key", "Escape")
    browser.eval("strobe.act('focus')")
    browser.eval("strobe.reset()")
    tap.equal(browser.eval(pages.HACKED) + browser.eval(pages.BAD), [None, 0], f"{name}: nor in chips and fields")
    browser.eval("strobe.folded()")


def hostile():
    name = "<img src=x onerror=window.hacked=4>.folded"
    with open(name, "w", encoding="utf-8") as f:
        f.writelines(f"main;{e} {n + 1}\n" for n, e in enumerate(pages.EVIL))
    browser.open(page_of(name, "hostile.html", "--title", "</title><script>window.hacked = 5</script>"))
    tap.equal(browser.eval("strobe.model.total"), sum(range(1, len(pages.EVIL) + 1)), "hostile stacks are all counted")
    hostile_views("folded")
    browser.shot("hostile")
    script = browser.eval("""(() => { const s = document.createElement("script"); s.textContent = "window.hacked = 6";
        document.body.append(s); return window.hacked || 0; })()""")
    tap.equal(script, 0, "the policy lets no other script run")
    fetched = browser.eval("fetch('http://localhost:9/x').then(() => 'fetched', () => 'refused')")
    tap.equal(fetched, "refused", "nor anything be fetched")
    browser.log()


# half of a surrogate pair, bytes that are no UTF-8, and an overlong '<'
RAW = [b"\xed\xa0\x80evil", b"\xff\xfe\x80", b"\xc0\xbcscript>", b"ok\xe2\x80\xaegnp.evil"]


def hostile_times():
    """Names of threads, objects and labels, in views that want times."""
    names = [e.replace(" ", "_").encode() for e in pages.EVIL[:6]] + RAW
    with open("evil.script", "wb") as f:
        for n, e in enumerate(names):
            comm = b"c" + e.replace(b"/", b"_")
            f.write(b"%s %d/%d [%03d] %d.%06d: 1 cpu-clock: \n\t  1000 %s+0x1 (/lib/%s.so)\n\t  2000 main+0x1 (/bin/p)\n\n"
                    % (comm, 100 + n, 100 + n, n % 2, 1000, 1000 * n, e, e.replace(b"/", b"_")))
    browser.open(page_of("evil.script", "evil.html"))
    tap.ok(browser.eval("strobe.model.total") >= len(RAW), "hostile samples are counted", browser.eval("strobe.model.total"))
    hostile_views("perf script")
    rows = [(e, n + 1, {"key": e, e: "x"}) for n, e in enumerate(pages.EVIL[:6])]
    with open("evil.pb", "wb") as f:
        f.write(pages.pprof_profile(["alloc"], [([f], [v], told) for f, v, told in rows]))
    browser.open(page_of("evil.pb", "evil-labels.html"))
    hostile_views("pprof")
    units = [*pages.EVIL[:6], "constructor", "toString", "hasOwnProperty"]
    with open("evil-units.pb", "wb") as f:
        f.write(pages.pprof_profile([(unit, unit) for unit in units], [(["main", "f"], [n + 1 for n in range(len(units))], {})]))
    browser.open(page_of("evil-units.pb", "evil-units.html"))
    for n in range(len(units)):
        browser.eval(f"strobe.change({{ event: {n}, unit: '{'constructor' if n % 2 else ''}' }})")
        shown = browser.eval("[strobe.model.total, document.getElementById('totals').textContent.startsWith(strobe.model.total)]")
        tap.equal(shown, [n + 1, True], f"a unit of no table, {units[n].encode()[:20]}: values are shown in it")
    hostile_views("units")
    tap.equal(browser.log()["said"], [], "no error")


def deep():
    """A stack of 20,000 frames: nothing recurs, and what is open in the tree costs what it has rows."""
    with open("deep.folded", "w", encoding="utf-8") as f:
        f.write(";".join(f"r{n % 7}" for n in range(20000)) + " 5\nmain 3\n")
    browser.open(page_of("deep.folded", "deep.html"))
    for view in VIEWS:
        browser.eval(f"strobe.goTo('{view}')")
    browser.eval("strobe.goTo('tree')")
    rows = browser.eval("""(() => { const t = strobe.views.tree, depth = (r) => t.layout.depth[r.i];
        t.toggle(t.table.rows.reduce((a, b) => (depth(b) > depth(a) ? b : a))); return t.table.rows.length; })()""")
    tap.equal(rows, 20002, "a deep stack opens in the call tree")
    tap.equal(browser.log()["said"], [], "no error")


# ---- large ----

DRAWN_MAX = 40


def large(shape, seed, name, limit):
    """100,000 distinct stacks."""
    total = pages.write_folded(name + ".folded", shape, seed)
    page_of(name + ".folded", name + ".html")
    size = os.path.getsize(name + ".html")
    tap.ok(size < limit, f"{name}: 100,000 distinct stacks fit {limit / 1e6} MB ({size / 1e6:.2f} MB)", size)
    # in processor time: how long it takes by the clock is what tools/bench says, of a machine that does nothing else
    firsts = []
    for _ in range(3):
        browser.open(name + ".html")
        firsts.append(browser.cpu())
    tap.equal(browser.eval("[strobe.model.total, strobe.p.rowNode.length]"), [total, pages.STACKS], f"{name}: all are there")
    # limits in milliseconds are those of tools/bench: here all is compared with what the same browser does at the same time
    drawn = min(firsts) / pages.loop_cpu(browser)
    tap.ok(drawn < DRAWN_MAX, f"{name}: drawing them costs {drawn:.1f} loops of ten million turns, not {DRAWN_MAX}", firsts)
    zoom = pages.zoom_cpu(browser) / min(firsts)
    tap.ok(zoom < 1 / 6, f"{name}: a zoom costs a small part of that ({zoom:.3f})", (zoom, firsts))
    browser.shot(name)
    quiet(name + ".html")


# ---- a recording of our own ----

def empty():
    """A recording without samples, and filters that nothing passes: the page says so."""
    record("-e", "dummy:u", "--", "true", output="empty.data")
    done = strobe("report", "-i", "empty.data", "--html", "empty.html")
    tap.ok(done.status == 0, "a page of a recording without samples", done)
    browser.open("empty.html")
    shown = lambda: browser.eval("document.getElementById('problem').hidden ? '' : document.getElementById('problem').innerText")
    tap.equal(shown(), "This recording has no samples.", "it says that there are none")
    for view in VIEWS:
        browser.eval(f"strobe.goTo('{view}')")
    quiet("empty.html")
    browser.open(page_of("time.script", "time.html"))
    tap.equal(shown(), "", "one that has some says nothing")
    change(focus="no such function")
    tap.equal(shown(), "No sample passes the filters.", "until a filter leaves none")
    change(focus="")
    tap.equal(shown(), "", "and nothing again")


def first_event():
    """The event with most samples is shown first, wherever it is in the file."""
    text = script_text(make_samples()[:30])
    with open("events.script", "w", encoding="utf-8") as f:
        f.write(text.replace("cpu-clock", "a-rare-one", 3) + text.replace("cpu-clock", "many"))
    browser.open(page_of("events.script", "events.html"))
    tap.equal(browser.eval("strobe.p.head.events[strobe.state.event].name"), "many", "the event with most samples is the first")


def recorded():
    workload = build_workload("recurse", "-fno-omit-frame-pointer", "-g")
    record("-F", "997", "-g", "--", workload, "700")
    done = strobe("report", "-i", "perf.data", "--html", "recorded.html")
    tap.ok(done.status == 0 and not done.out, "report --html writes its page", done)
    browser.open("recorded.html")
    folded = collections.Counter()
    for line in strobe("flamegraph", "--folded", "--inline", "-i", "perf.data").out.splitlines():
        stack, value = line.rsplit(" ", 1)
        folded[stack.rsplit(";", 1)[-1].removesuffix("_[i]")] += int(value)
    flat = browser.eval("Object.fromEntries(Object.entries(%s).filter(([, v]) => v[0]).map(([k, v]) => [k, v[0]]))" % TOP_TABLE)
    same = {k for k in folded if flat.get(k) == folded[k]}
    tap.ok(sum(folded.values()) == sum(flat.values()) and same == set(folded), "self of each function is that of --folded",
           f"{dict(folded)}\n{flat}")
    shares = strobe("report", "-i", "perf.data", "--children", "--no-inline", "-g", "none", "-s", "sym",
                    "-F", "overhead_children,period,sym", "--stdio").out
    found = re.findall(r"^\s+([\d.]+)%.*\[[.k]\] (\S+)\s*$", shares, re.M)
    cum = browser.eval(TOP_TABLE)
    total = browser.eval("strobe.model.total")
    named = [(name, float(share)) for share, name in found if not name.startswith("0x") and float(share) > 1]
    wrong = [(name, share, cum.get(name)) for name, share in named
             if name not in cum or abs(100 * cum[name][1] / total - share) > 0.011]
    tap.ok(len(found) > 3 and not wrong, "total of each function is report's Children", f"{wrong}\n{shares}")
    for view in VIEWS:
        browser.eval(f"strobe.goTo('{view}')")
        browser.do("eval", "new Promise((f) => setTimeout(f, 50))")
    lines = browser.eval("(strobe.goTo('source'), strobe.views.source.code.rows.map((r) => [r.place, r.flat, r.text]))")
    tap.ok(any(text for _, _, text in lines) and any(flat for _, flat, _ in lines), "source lines have their text and cost", lines[:20])
    insns = browser.eval("(strobe.goTo('disasm'), strobe.views.disasm.code.rows.map((r) => [r.place, r.flat, r.text]))")
    tap.ok(any(flat and re.match(r"[a-z]", text) for _, flat, text in insns), "instructions have theirs", insns[:20])
    browser.shot("recorded-disasm")
    quiet("recorded.html")


def main():
    global browser
    browser = Browser()
    try:
        in_time()
        empty()
        first_event()
        colours()
        picture()
        pprof_labels()
        comparison()
        saved()
        graph()
        hostile()
        hostile_times()
        deep()
        large(pages.grown, 3, "large", 2e6)
        large(pages.walked, 5, "walked", 2.5e6)
        large(pages.scattered, 9, "scattered", 5e6)
        recorded()
    finally:
        browser.close()
    tap.done()


main()
