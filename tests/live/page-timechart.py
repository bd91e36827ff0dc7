#!/usr/bin/env python3
# timeout: 240
# serial
# needs: timechart record report
"""The page of a time chart in a real browser, and the timeline of a recording's page: states, sums, arrows, clicks, keys, speed.

The times of threads are those of perf's script for the same file, added up here, or what the programs measured of themselves.
"""

import collections
import os
import re

import pages
from browser import Browser
from strobetest import PERF, Tap, require_perf, run, skip_all, strobe

tap = Tap()
browser = None

# a thread that has ended is number -1
SWITCH = re.compile(r"^\s*(-?\d+) \[(\d+)\]\s+([\d.]+):\s+sched:sched_switch:.*?prev_pid=(\d+) .*?prev_state=(\S+) .*?next_pid=(\d+)", re.M)
RECORD = re.compile(r"^.*?\s(-?\d+)\s+(\d+)\.(\d{9}): PERF_RECORD_(SWITCH IN|SWITCH OUT|COMM exec|EXIT)", re.M)
PAINT_MAX, MOVE_MAX = 40, 4  # loops of ten million turns (tests/lib/pages.py)


def made(done, path, what):
    if not tap.ok(done.status == 0 and os.path.exists(path), what, done):
        raise SystemExit(tap.done())


def quiet(what):
    log = browser.log()
    said = [s for s in log["said"] if "willReadFrequently" not in s]
    tap.equal(said, [], f"{what}: no error, warning or dialog")
    others = [url for url in log["requests"] if not url.startswith("file://" + os.getcwd())]
    tap.equal(others, [], f"{what}: nothing is asked of the network")


def running_by_perf(path):
    """{thread: ns that it ran between switches that are both recorded}, without threads that lack one: the kernel did not report it, or
    they ran when the recording began or ended"""
    on, sums, missed = {}, collections.Counter(), {"0"}
    text = run(PERF, "script", "--ns", "-i", path, "-F", "tid,cpu,time,event,trace").out
    for _, cpu, time, prev, _, following in SWITCH.findall(text):
        seconds, fraction = time.split(".")
        ns = int(seconds) * 10**9 + int(fraction)
        if cpu in on and on[cpu][0] == prev:
            sums[int(prev)] += ns - on[cpu][1]
        else:
            missed |= {prev, on[cpu][0] if cpu in on else prev}
        on[cpu] = (following, ns)
    missed |= {tid for tid, _ in on.values()}
    return {tid: ns for tid, ns in sums.items() if str(tid) not in missed}


def longest_by_records(path):
    """ns that the thread ran which ran the longest: from a switch in, or the exec that enabled the event, to a switch out or its end"""
    on, sums = {}, collections.Counter()
    text = run(PERF, "script", "--ns", "-i", path, "--show-switch-events", "--show-task-events").out
    for tid, seconds, fraction, what in RECORD.findall(text):
        ns = int(seconds) * 10**9 + int(fraction)
        if what in ("SWITCH IN", "COMM exec"):
            on.setdefault(tid, ns)
        elif tid in on:
            sums[tid] += ns - on.pop(tid)
    return max(sums.values(), default=0)


SUMS = """(() => { const d = strobe.data || strobe.p.chart, out = {};
    for (let t = 0; t < d.tasks; t++) out[d.tid[t]] = [...Array(14).keys()].map((k) => d.sum(t, k)); return out; })()"""


def check_sums(path):
    ours, theirs = browser.eval(SUMS), running_by_perf(path)
    # an ID may be used again
    same = [tid for tid, ns in theirs.items() if abs(ours.get(str(tid), [0, 0])[1] - ns) <= 0.001 * ns]
    tap.ok(len(theirs) >= 2 and len(same) >= max(2, len(theirs) - 2), f"{len(theirs)} threads ran for as long as by perf's script",
           {tid: (ns, ours.get(str(tid))) for tid, ns in theirs.items() if tid not in same})


# ---- its own page ----

PINGPONG = "import os\na, b = os.pipe(), os.pipe()\nif os.fork() == 0:\n  for _ in range(50): os.read(a[0], 1); os.write(b[1], b'x')\n" \
           "  os._exit(0)\nfor _ in range(50): os.write(a[1], b'x'); os.read(b[0], 1)\nos.wait()\n"


def states():
    done = strobe("timechart", "record", "-g", "-o", "tc.data", "--", "python3", "-c", PINGPONG)
    if done.status:
        skip_all(f"timechart record: {done.err}")
    made(strobe("timechart", "-i", "tc.data", "-o", "tc.html"), "tc.html", "a page is written")
    tap.equal(os.stat("tc.html").st_mode & 0o777, 0o600, "which only its owner can read")
    browser.open("tc.html")
    check_sums("tc.data")
    # the two that woke each other: found by their wake-ups
    pair = browser.eval("""(() => { const d = strobe.data, n = {}; d.wake.to.forEach((to, w) => { const from = d.wake.from[w] - 2;
        if (from >= 0 && from !== to) { const id = [from, to].sort().join(); n[id] = (n[id] || 0) + 1; } });
        const best = Object.entries(n).filter(([id]) => id.split(",").every((t) => /python3/.test(d.name(+t))))
            .sort((a, b) => b[1] - a[1])[0]; return best || []; })()""")
    # at most 100 times: on a busy machine what is to be read may be there before the reader sleeps
    tap.ok(pair and pair[1] >= 20, "two tasks woke each other", pair)
    clicked(pair[0].split(",") if pair else ["0", "0"])
    keys()
    browser.shot("timechart")
    quiet("timechart")


def clicked(pair):
    """A click on an interval, and from there to who woke it."""
    found = browser.eval("""(() => { const d = strobe.data, c = strobe.chart; for (const t of [%s])
        for (let i = d.first[t]; i < d.first[t + 1]; i++) if (d.kind[i] === 4 && c.wakeOf(i) >= 0 && d.wake.from[c.wakeOf(i)] >= 2
            && d.stack[i]) {
            c.show([d.start[i] - 1e5, d.end[i] + 1e5]); c.scrollToRow(c.rowOfTask[t]); c.draw();
            const x = (Math.max(c.x(d.start[i]), c.left) + Math.min(c.x(d.end[i]), c.width)) / 2;
            return [i, x, c.y(c.rowOfTask[t]) + 11]; } return null; })()""" % ",".join(pair))
    if not tap.ok(found, "an interval of sleep with a waker and a stack", pair):
        return
    browser.do("click", "#view-chart canvas", {"position": {"x": found[1], "y": found[2]}})
    text = browser.eval("document.querySelector('.chart-info').innerText")
    tap.equal(browser.eval("strobe.chart.selected"), found[0], "a click selects the interval")
    tap.ok("sleeping" in text and "duration" in text and "woken by" in text and "schedule" in text, "its state, waker and stack", text)
    browser.do("click", ".chart-info button.link")
    waker = browser.eval("strobe.data.owner[strobe.chart.selected]")
    tap.equal(waker, browser.eval(f"strobe.data.wake.from[strobe.chart.wakeOf({found[0]})] - 2"), "a click on its waker goes there")


def keys():
    browser.do("click", ".chart canvas", {"position": {"x": 400, "y": 60}})
    browser.do("key", "0")
    whole = browser.eval("strobe.chart.view")
    tap.equal(whole, [0, browser.eval("strobe.data.ns")], "0 shows all")
    browser.do("key", "+")
    zoomed = browser.eval("strobe.chart.view")
    tap.ok(zoomed[1] - zoomed[0] < 0.7 * (whole[1] - whole[0]), "+ zooms", zoomed)
    browser.do("key", "ArrowRight")
    tap.ok(browser.eval("strobe.chart.view")[0] > zoomed[0], "an arrow moves")
    browser.do("drag", ".chart canvas", [600, 90], [500, 90])
    browser.eval("""(() => { const d = strobe.data; for (let t = 0; t < d.tasks; t++) if (d.first[t + 1] - d.first[t] > 2)
        return strobe.chart.select(d.first[t]); })()""")
    selected = browser.eval("strobe.chart.selected")
    browser.do("key", "Shift+ArrowRight")
    tap.equal(browser.eval("strobe.chart.selected"), selected + 1, "Shift and an arrow select the next interval")
    browser.do("fill", "#view-chart input[type=search]", "^python3")
    tap.ok(browser.eval("strobe.chart.rows.every((r) => r.task === undefined || strobe.data.name(r.task).startsWith('python3'))"),
           "a search leaves the tasks that match")
    browser.do("fill", "#view-chart input[type=search]", "(")
    tap.equal(browser.eval("strobe.chart.search.getAttribute('aria-invalid')"), "true", "a wrong expression is marked")
    browser.do("fill", "#view-chart input[type=search]", "")
    for _ in range(40):
        browser.eval("strobe.chart.zoomBy(0.3)")
    view = browser.eval("strobe.chart.view")
    tap.ok(0 < view[1] - view[0] < 100, "zoom ends at some nanoseconds", view)
    pixels = "[...strobe.chart.canvas.getContext('2d').getImageData(0, 60, strobe.chart.canvas.width, 200).data]"
    browser.eval("strobe.chart.show([0, strobe.data.ns])")
    before = browser.eval(f"new Set({pixels}).size")
    browser.do("click", "#theme")
    tap.ok(before > 20 and browser.eval("isNaN(strobe.chart.words[1])") is False, "it is drawn, in both themes", before)


def input_and_output():
    done = strobe("timechart", "record", "-I", "-o", "io.data", "--", "sh", "-c", "head -c 3000000 /dev/zero | cat > /dev/null; true")
    if done.status:
        tap.ok(True, "timechart record -I: # skip this kernel has no tracepoints of system calls")
        return
    made(strobe("timechart", "-i", "io.data", "-o", "io.html"), "io.html", "a page of calls")
    browser.open("io.html")
    reads = browser.eval("""(() => { const d = strobe.data; let n = 0; for (let i = 0; i < d.kind.length; i++)
        n += d.kind[i] === 7 && /^fd \\d+: \\d+ bytes$/.test(d.reason(i)) ? 1 : 0; return n; })()""")
    tap.ok(reads > 3, "it has the reads, with their bytes", reads)
    quiet("calls")


# ---- in the page of a profile ----

BUSY = "import time\nend = time.time() + 0.4\nwhile time.time() < end: pass\nprint(time.process_time(), flush=True)\n"
SLEEPS = "import time\nfor _ in range(5): time.sleep(0.05)\n"


def timeline(recording, page):
    made(strobe("report", "-i", recording, "--html", page), page, f"{page}: written")
    browser.open(page + "#view=timeline")
    tap.ok(browser.eval("!!(strobe.p.chart && strobe.views.timeline.chart)"), f"{page}: the time line shows states")


def in_reports():
    done = strobe("record", "-q", "--switch-events", "-e", "cpu-clock:u", "-o", "sw.data", "--", "python3", "-c", BUSY)
    made(done, "sw.data", "record --switch-events")
    timeline("sw.data", "sw.html")
    longest, theirs = max(sums[1] for sums in browser.eval(SUMS).values()), longest_by_records("sw.data")
    tap.between(theirs - 1e6, longest, theirs + 1e6, "a program ran for as long as by perf's script")
    # while the host runs others the program has its CPU, and uses no time of it
    tap.ok(longest >= 0.9 * 1e9 * float(done.out), "and for no less than it says", (longest, done.out))
    browser.eval("strobe.views.timeline.chart.options.onSpan([1e8, 2e8])")
    tap.between(0.09, browser.eval("strobe.state.time[1] - strobe.state.time[0]"), 0.11, "what is shown can be counted alone")
    quiet("--switch-events")
    done = strobe("sched", "record", "-o", "sched.data", "--", "python3", "-c", PINGPONG)
    if done.status == 0:
        timeline("sched.data", "sched.html")
        check_sums("sched.data")
    done = strobe("record", "-q", "--wall", "-o", "wall.data", "--", "python3", "-c", SLEEPS)
    if done.status == 0:
        timeline("wall.data", "wall.html")
        sleeps = browser.eval("""(() => { const d = strobe.p.chart, out = []; for (let i = 0; i < d.kind.length; i++)
            if (d.reason(i) === "sleep" && d.end[i] - d.start[i] > 4e7) out.push((d.end[i] - d.start[i]) / 1e6); return out; })()""")
        tap.ok(len(sleeps) == 5 and all(45 < ms < 80 for ms in sleeps), "five sleeps of 50 ms, each an interval", sleeps)
        tap.equal(browser.eval("strobe.p.chart.isSampled"), True, "where it ran is known by samples")
        browser.shot("timeline-wall")
        quiet("--wall")


# ---- hostile and large ----

def hostile():
    """A task may have any name: that of a link to a program."""
    for n, name in enumerate(pages.EVIL[:6]):
        link = f"{n}{name}".replace("/", "_").encode()[:60]
        os.symlink("/bin/sleep", link)
    links = [os.fsencode(p) for p in os.listdir(".") if os.path.islink(p)]
    script = b"\n".join(b"'./" + p.replace(b"'", b"'\\''") + b"' 0.01" for p in links)
    with open("evil.sh", "wb") as f:
        f.write(script + b"\n")
    made(strobe("timechart", "record", "-o", "evil.data", "--", "sh", "evil.sh"), "evil.data", "tasks with hostile names")
    made(strobe("timechart", "-i", "evil.data", "-o", "evil.html"), "evil.html", "and their page")
    browser.open("evil.html")
    bad = pages.BAD.replace("...Object.values(strobe.model.keys.name)", "...[...Array(strobe.data.tasks).keys()].map(strobe.data.name)")
    tap.ok(browser.eval("[...Array(strobe.data.tasks).keys()].some((t) => strobe.data.name(t).includes('<'))"), "they are in it")
    for t in range(0, browser.eval("strobe.data.tasks")):
        browser.eval(f"strobe.chart.select(strobe.data.first[{t}])")
    tap.equal([browser.eval(bad), browser.eval(pages.HACKED)], [[], [None, 0]], "no name becomes markup or has control characters")
    quiet("hostile")


def cost(code):
    """Milliseconds of processor time until the picture is there, the least of six."""
    def once():
        before = browser.cpu()
        browser.eval("(() => { const c = strobe.chart; %s; c.canvas.getContext('2d').getImageData(0, 0, 1, 1); })()" % code)
        browser.do("eval", "new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))")
        return browser.cpu() - before
    return min(once() for _ in range(6))


def large():
    done = strobe("timechart", "record", "-T", "-m", "4096", "-o", "big.data", "--", "strobe", "bench", "sched", "pipe", "-l", "50000")
    made(done, "big.data", "a recording of a benchmark")
    made(strobe("timechart", "-i", "big.data", "-o", "big.html"), "big.html", "its page")
    firsts = []
    for _ in range(3):
        browser.open("big.html")
        firsts.append(browser.cpu())
    intervals, loop = browser.eval("strobe.data.kind.length"), pages.loop_cpu(browser)
    size = os.path.getsize("big.html")
    tap.ok(intervals > 150000, f"{intervals} intervals", intervals)
    tap.ok(size < 10 * intervals, f"in {size / 1e6:.2f} MB, less than ten bytes each", size)
    tap.ok(min(firsts) / loop < PAINT_MAX, f"they are drawn in {min(firsts):.0f} ms of CPU time, {min(firsts) / loop:.1f} loops", firsts)
    for name, code in (("pan", "c.panBy(0.05)"), ("zoom", "c.zoomBy(0.7)"), ("all", "c.show([0, c.data.ns])")):
        ms = cost(code)
        tap.ok(ms / loop < MOVE_MAX, f"{name}: {ms:.0f} ms of CPU time", (ms, loop))
    browser.shot("timechart-large")
    quiet("large")


def main():
    global browser
    require_perf()
    if os.geteuid():
        skip_all("this requires root")
    browser = Browser()
    try:
        states()
        input_and_output()
        in_reports()
        hostile()
        large()
    finally:
        browser.close()
    tap.done()


main()
