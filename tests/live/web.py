#!/usr/bin/env python3
# timeout: 180
# serial
"""strobe web: which requests are answered and which are not, the contents of its pages and downloads, and that a browser shows them.

The requests are written byte by byte, by http.client and by Chromium; the download is read back by `strobe pprof`.
"""

import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import urllib.parse

import pages
from browser import Browser
from strobetest import STROBE, Tap, build_workload, record, strobe
from webserver import Server

tap = Tap()
PAGES = ["flamegraph", "top", "tree", "peek", "graph", "source", "disasm", "timeline", "heatmap"]


def requests(server):
    status, headers, _ = server.send_request("/")
    tap.equal((status, headers.get("Location")), (302, "/flamegraph"), "/ leads to the flame graph")
    for url, leads_to in [("/?f=a", "/flamegraph?f=a"), ("/ui", "/graph"), ("/ui/", "/graph"),
                          ("/ui/?f=a%26b&g=lines", "/graph?f=a%26b&g=lines"),
                          ("/ui/top?si=samples&f=x%0d%0aSet-Cookie:y", "/top?si=samples&f=x%0D%0ASet-Cookie%3Ay"),
                          *((f"/ui/{page}", f"/{page}") for page in ("flamegraph", "peek", "source", "disasm", "download"))]:
        status, headers, _ = server.send_request(url)
        tap.equal((status, headers.get("Location"), "Set-Cookie" in headers), (302, leads_to, False), f"pprof's address {url} leads on")
    for page in PAGES:
        status, headers, body = server.send_request(f"/{page}?f=x")
        tap.ok(status == 200 and body.startswith(b"<!doctype html>") and "default-src 'none'" in headers["Content-Security-Policy"],
               f"/{page} is a page", headers)
    tap.equal(server.send_request("/data?p=0")[2][:4], b"STRB", "the data are there")
    packed = server.send_request("/data?p=0", headers={"Accept-Encoding": "gzip"})
    tap.equal((packed[1].get("Content-Encoding"), packed[2][:2]), ("gzip", b"\x1f\x8b"), "packed for who can unpack it")
    tap.equal(server.send_request("/top", method="HEAD")[::2], (200, b""), "HEAD is answered")
    for path in ["/etc/passwd", "/../../etc/passwd", "/data?p=9", "/data?p=-1", "/data?p=x", "/listing?p=0&f=999999999", "/favicon.ico",
                 "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/ui/etc/passwd", "/uitop", "/ui//top", "/ui/ui/top", "/listing?p=0&f=-1"]:
        status, _, body = server.send_request(path)
        tap.ok(status in (400, 404) and b"root:" not in body, f"{path} is nothing", status)
    for method in ["POST", "PUT", "DELETE", "OPTIONS"]:
        tap.equal(server.send_request("/top", method=method, headers={"Content-Length": "0"})[0], 405, f"{method} is refused")


def strangers(server):
    port = server.port
    for host in ["evil.example", f"evil.example:{port}", f"localhost.evil.example:{port}", "localhost:1", f"127.0.0.2:{port}"]:
        tap.equal(server.send_request("/data?p=0", host=host)[0], 403, f"Host {host.replace(str(port), 'PORT')} is refused")
    for host in [f"127.0.0.1:{port}", f"localhost:{port}"]:
        tap.equal(server.send_request("/data?p=0", host=host)[0], 200, f"Host {host.replace(str(port), 'PORT')} is answered")
    tap.equal(server.send_request("/data?p=0", headers={"Origin": "http://evil.example"})[0], 403, "another site's Origin is refused")
    tap.equal(server.send_request("/data?p=0", headers={"Origin": "null"})[0], 403, "so is a null Origin")
    tap.equal(server.send_request("/data?p=0", headers={"Origin": f"http://localhost:{port}"})[0], 200, "our own is answered")
    tap.equal(server.send_request("/data?p=0", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"})[0], 403,
              "what another site's page loads is refused")
    # a request without an end, and one that is too large: the server stays
    with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
        s.sendall(b"GET /top HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100000)
        s.settimeout(10)
        try:
            answer = s.recv(100)
        except OSError:
            answer = b""
    tap.ok(not answer.startswith(b"HTTP/1.1 200"), "a head without an end gets no page", answer)
    tap.equal(server.send_request("/top")[0], 200, "and the next one does")


def download(server):
    status, headers, body = server.send_request("/download?p=0")
    with open("down.pb.gz", "wb") as f:
        f.write(body)
    tap.ok(status == 200 and "attachment" in headers["Content-Disposition"], "/download is a file", headers)
    ours = strobe("pprof", "-top", "-nodecount=50", "after.folded").out
    theirs = strobe("pprof", "-top", "-nodecount=50", "down.pb.gz").out
    rows = [re.findall(r"^ .*%.*$", text, re.M) for text in (ours, theirs)]
    tap.ok(rows[0] and rows[0] == rows[1], "and pprof finds the same in it", f"{ours}\n{theirs}")


def subtracted(browser):
    """-base, as pprof subtracts; the page's numbers are those of `strobe pprof -top -base`."""
    server = Server("web", "-base", "before.folded", "after.folded")
    browser.open(f"{server.url}top")
    rows = browser.eval("""(() => { const m = strobe.model, rows = {}; m.keys.name.forEach((name, k) => {
        if (!m.keys.special[k]) rows[name] = [m.sums.flat[k], m.sums.cum[k]]; }); return rows; })()""")
    tap.equal(rows, {"main": [0, 100], "a": [-30, -30], "b": [-40, -40], "c": [170, 170]}, "-base subtracts")
    tap.equal(browser.eval("strobe.model.total"), 240, "shares are of all that changed")
    shown = browser.eval("strobe.views.top.table.rows.map((k) => strobe.model.keys.name[k])")
    tap.equal(shown, ["c", "b", "a", "main"], "what fell much stands with what grew much")
    theirs = strobe("pprof", "-top", "-base", "before.folded", "after.folded").out
    lines = re.findall(r"^ *(-?\d+) +\S+% +\S+% +(-?\d+) +\S+% +(\w+)$", theirs, re.M)
    found = {name: [int(flat), int(cum)] for flat, cum, name in lines}
    tap.equal(rows, found, "as pprof -base does")
    tap.ok("of 240 total" in theirs, "and what its shares are of", theirs)
    for view in PAGES:
        browser.eval(f"strobe.goTo('{view}')")
    browser.eval("strobe.goTo('flamegraph')")
    pixels = browser.eval("""(() => { const f = strobe.views.flamegraph.flame, g = f.canvas.getContext('2d'), out = {};
        for (const i of Array(f.layout.n).keys()) { const x = (f.layout.x[i] + f.layout.size[i] * 0.9) / f.layout.size[0] * f.width;
        out[f.layout.keys.name[f.layout.key[i]]] = [...g.getImageData(x, f.y(f.layout.depth[i]) + 3, 1, 1).data]; } return out; })()""")
    tap.ok(pixels["c"][0] > pixels["c"][2] + 40 and pixels["a"][2] > pixels["a"][0] + 40, "more is red, less is blue", pixels)
    browser.shot("web-base")
    with open("less.pb.gz", "wb") as f:
        f.write(server.send_request("/download")[2])
    tap.equal(strobe("pprof", "-top", "less.pb.gz").out, theirs, "the download is the difference")
    tap.equal([s for s in browser.log()["said"] if "willReadFrequently" not in s], [], "no error")
    server.stop()
    done = strobe("web", "-base", "before.folded", "-diff_base", "before.folded", "after.folded", timeout_s=20)
    tap.equal((done.status, "cannot both" in done.err), (129, True), "one base at a time")


def hostile(browser):
    """Names of files, functions and labels that would be markup, in each answer and in each view."""
    name = "<img src=x onerror=window.hacked=1>'\u202e\x1b[31m.folded"
    with open(name, "wb") as f:
        f.writelines(b"main;%s %d\n" % (e.encode(), n + 1) for n, e in enumerate(pages.EVIL))
        f.write(b"main;\xed\xa0\x80\xff 3\n")
    server = Server("web", name, "other.folded")
    for path in [*(f"/{page}?f=%3Cscript%3E" for page in PAGES), "/data?p=0", "/listing?p=0&f=1", "/download?p=0",
                 "/%3Cscript%3Ewindow.hacked=2%3C/script%3E", "/data?p=%3Cscript%3E", "/listing?p=0&f=%3Cscript%3E",
                 "/top%0d%0aSet-Cookie:%20x=1"]:
        status, headers, body = server.send_request(path)
        kind = headers.get("Content-Type", "")
        safe = headers.get("X-Content-Type-Options") == "nosniff" and "default-src 'none'" in headers["Content-Security-Policy"]
        tap.ok(safe and "Set-Cookie" not in headers and (b"<img" not in body and b"<script>window" not in body or "octet" in kind),
               f"{path}: nothing of it is markup ({status})", f"{headers} {body[:300]}")
        tap.ok("html" not in kind or path.split("?")[0][1:] in PAGES, f"{path}: pages alone are HTML", kind)
    for page in PAGES:
        browser.open(f"{server.url}{page}?f=%3Cscript%3E%7Cimg%7Cred%7Cevil&q=evil&fn=%3Cimg%20src=x%3E&group=tag:%3Cimg%3E")
        browser.eval("new Promise((f) => setTimeout(f, 60))")
        tap.equal(browser.eval(pages.HACKED) + browser.eval(pages.BAD), [None, 0], f"/{page}: hostile names stay names")
    said = [s for s in browser.log()["said"] if "willReadFrequently" not in s]
    tap.equal(said, [], "no error, and no dialog")
    server.stop()


def in_browser(browser, server):
    browser.open(f"{server.url}ui/top?f=%5Ea%24&sort=cum")
    state = browser.eval("[strobe.state.view, strobe.state.focus, strobe.model.total]")
    tap.equal(state, ["top", "^a$", 30], "pprof's parameters are understood")
    sorted_by = "document.querySelector('.top [aria-sort=descending]').textContent"
    tap.equal(browser.eval(sorted_by), "Total", "so is its order")
    browser.eval("strobe.views.top.sort(0)")
    tap.equal(browser.eval(f"[{sorted_by}, location.search]"), ["Self", "?f=%5Ea%24"], "another order is in the address")
    browser.open(f"{server.url}ui/?trim=f&mean=t&noinlines=t&nf=x")
    state = browser.eval("[strobe.state.view, strobe.state.nodeCount, strobe.state.nodeFraction, strobe.state.inlined]")
    tap.equal(state, ["graph", "0", "0", False], "pprof's way to say yes and no")
    chips = browser.eval("[...document.querySelectorAll('.chip')].map((c) => c.firstChild.textContent)")
    tap.equal(chips, ["not known here: mean=t"], "what is not known is reported")
    names = browser.eval("[...document.querySelectorAll('[role=tab]')].filter((t) => !t.hidden).map((t) => t.textContent)")
    expected = ["Flame graph", "Top", "Call tree", "Callers & callees", "Graph", "Source", "Disassembly"]
    tap.equal(names, expected, "the views have the names of report --html")
    title = browser.eval("document.getElementById('tab-peek').title")
    tap.ok("Peek in pprof" in title, "pprof's name is in a tooltip", title)
    browser.do("click", "#tab-peek")
    tap.equal(browser.eval("location.pathname"), "/peek", "views have pprof's addresses")
    browser.do("key", "r")
    tap.equal(browser.eval("[strobe.model.total, strobe.model.before]"), [200, 100], "the base is there")
    browser.open(f"{server.url}flamegraph?p=1")
    tap.equal(browser.eval("[strobe.p.head.title, strobe.model.total]"), ["other.folded", 7], "the second profile")
    browser.shot("web")
    log = browser.log()
    tap.equal(log["said"], [], "no error")
    foreign = [url for url in log["requests"] if not url.startswith(server.url)]
    tap.equal(foreign, [], "nothing is requested of another server")


def told_sources():
    """Source files that a profile names: with pprof's rules on this machine, bounded where other machines may connect."""
    os.makedirs("inside", exist_ok=True)
    for name in "secret.txt", "inside/plain.c":
        with open(name, "w", encoding="utf-8") as f:
            f.writelines(f"line {n} of {os.path.basename(name)}\n" for n in range(1, 40))
    os.symlink(os.path.abspath("secret.txt"), "inside/link.c")
    here = os.getcwd()
    paths = [here + "/secret.txt", here + "/inside/plain.c", here + "/inside/link.c", here + "/inside/../secret.txt", "/x/inside/plain.c"]
    with open("told.pb", "wb") as f:
        f.write(pages.pprof_profile(["space"], [([f"fn{n}"], [n + 1], {}) for n in range(len(paths))], paths))

    def read(server, headers=None):
        texts = [json.loads(server.send_request(f"/listing?p=0&f={n}", headers=headers)[2]) for n in range(len(paths))]
        return [any("line 20 of" in str(line) for file in text.get("files", []) for line in file["lines"]) for text in texts]

    for command in ["pprof", "-http"], ["web", "-http"]:
        name = command[0]
        server = Server(*command, "localhost:0", "told.pb")
        tap.equal(read(server), [True, True, True, True, False], f"{name}: files that the profile names, on this machine")
        server.stop()
        server = Server(*command, "localhost:0", "-source_path=inside", "told.pb")
        tap.equal(read(server)[4], True, f"{name}: -source_path is where they are looked for")
        server.stop()
        server = Server(*command, "0.0.0.0:0", "-source_path=inside", "told.pb")
        cookie = {"Cookie": "strobe=" + urllib.parse.parse_qs(urllib.parse.urlparse(server.url).query)["token"][0]}
        tap.equal(read(server, cookie), [False, True, False, False, True], f"{name}: what is below it alone, for other machines")
        server.stop()
    for argv in (["flamegraph", "-i", "told.pb", "-o", "told.html"], ["flamegraph", "-i", "told.pb", "-o", "told.svg"],
                 ["convert", "told.pb", "told.speedscope.json"], ["pprof", "-svg", "-output=told.2.svg", "told.pb"]):
        done = strobe(*argv)
        with open(argv[-1] if argv[0] != "pprof" else "told.2.svg", encoding="utf-8") as f:
            tap.ok(done.status == 0 and "line 20 of" not in f.read(), f"{' '.join(argv)}: no file that the profile names", done)


def token(browser):
    """Elsewhere than on loopback."""
    server = Server("web", "-http", "0.0.0.0:0", "other.folded")
    secret = urllib.parse.parse_qs(urllib.parse.urlparse(server.url).query).get("token", [""])[0]
    tap.ok(re.fullmatch("[0-9a-f]{32}", secret), "there the address has a token", server.url)
    host = f"127.0.0.1:{server.port}"
    for path in ["/", "/top", "/data?p=0", "/download?p=0", "/?token=", "/?token=" + "0" * 32, "/?token=" + secret[:-1]]:
        status, _, body = server.send_request(path, host=host)
        tap.ok(status == 403 and b"STRB" not in body, f"{path.replace(secret[:-1], 'TOKE')} is refused without it", status)
    status, headers, _ = server.send_request("/?token=" + secret, host=host)
    tap.ok(status == 302 and secret not in headers["Location"] and "HttpOnly" in headers["Set-Cookie"],
           "with it a cookie is given", headers)
    tap.equal(server.send_request("/data?p=0", host=host, headers={"Cookie": "strobe=" + secret})[2][:4], b"STRB", "which opens the rest")
    browser.open(f"http://127.0.0.1:{server.port}/?token={secret}")
    tap.equal(browser.eval("[strobe.model.total, location.search]"), [7, ""], "a browser goes on without the token in the address")
    browser.log()
    tap.equal(server.stop(signal.SIGTERM)[0], 0, "SIGTERM ends it")


# once they are there
CODE_ROWS = """(async () => {
    for (let i = 0; i < 200; i++) {
        const v = strobe.views.%s;
        if (v && v.code.rows.some((r) => r.flat)) { return v.code.rows.map((r) => [String(r.place), r.flat, r.text]); }
        await new Promise((f) => setTimeout(f, 50));
    }
    return [];
})()"""


def code(browser):
    workload = build_workload("recurse", "-fno-omit-frame-pointer", "-g")
    record("-F", "997", "-g", "--", workload, "300")
    server = Server("report", "--web", "-i", "perf.data")
    browser.open(f"{server.url}disasm")
    browser.eval("new Promise((f) => setTimeout(f, 300))")
    rows = browser.eval("strobe.views.disasm.code.rows.map((r) => [r.place, r.flat, r.text])")
    tap.ok(any(flat and re.match(r"[a-z]", text) for _, flat, text in rows), "report --web: instructions are fetched", rows[:20])
    tap.equal(browser.log()["said"], [], "without an error")
    tap.equal(server.stop(), (0, ""), "an interrupt ends it")
    strobe("convert", "perf.data", "code.pb.gz")
    for command in ["pprof", "-http", "localhost:0"], ["web", "-http", "localhost:0"]:
        server = Server(*command, "code.pb.gz")
        sums = {}
        for view in "disasm", "source":
            browser.open(f"{server.url}{view}")
            rows = browser.eval(CODE_ROWS % view)
            tap.ok(any(flat and re.match(r"\s*[A-Za-z]", text) for _, flat, text in rows), f"{command[0]}: {view} of a profile", rows[:20])
            sums[view] = sum(flat for _, flat, _ in rows)
        # some instructions have no line
        tap.between(0.97 * sums["disasm"], sums["source"], sums["disasm"], f"{command[0]}: instructions cost what their lines do")
        server.stop()
    if platform.machine() == "x86_64":
        server = Server("pprof", "-http", "localhost:0", "-intel_syntax", "code.pb.gz")
        browser.open(f"{server.url}disasm")
        texts = [text for _, flat, text in browser.eval(CODE_ROWS % "disasm") if flat]
        tap.ok(texts and not any("%" in text for text in texts), "-intel_syntax: no register has a %", texts[:20])
        server.stop()


TOP_TABLE = """(() => { const m = strobe.model, rows = {}; m.keys.name.forEach((name, k) => {
    if (m.keys.isListed(k) && (m.sums.flat[k] || m.sums.cum[k])) rows[name] = [m.sums.flat[k], m.sums.cum[k]]; }); return rows; })()"""

# what decides the numbers of -top, and by which name the page's address has it
PASSED = [
    (["-focus=^a$"], "f=%5Ea%24"), (["-ignore=a|c"], "i=a%7Cc"), (["-hide=^a$"], "h=%5Ea%24"), (["-show=a|d"], "s=a%7Cd"),
    (["-show_from=^b$"], "sf=%5Eb%24"), (["-tagfocus=route=x"], "tf=route%3Dx"), (["-tagfocus=4kb:"], "tf=4kb%3A"),
    (["-tagignore=route=x", "-focus=a"], "ti=route%3Dx"), (["-sample_index=space"], "si=space"), (["-sample_index=0"], "si=0"),
    (["-sample_index=space", "-tagfocus=size=1mb:", "-ignore=d"], "si=space"), (["-tagroot=route"], "tagroot=route"),
    (["-tagleaf=route"], "tagleaf=route"),
    (["-prune_from=^(a|d)$"], "prunefrom=%5E%28a%7Cd%29%24"), (["-tagroot=route", "-tagshow=size", "-taghide=route"], "th=route"),
]


def top_of(program, options):
    """{function: [flat, cum]} of pprof -top."""
    argv = [*program, "pprof", "-top", "-unit=B", "-nodefraction=0", *options, "passed.pb"]
    out = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^ *(-?\d+)B? +\S+% +\S+% +(-?\d+)B? +\S+% +(\S+)(?: \(inline\))?$", out, re.M)
    return {name: [int(flat), int(cum)] for flat, cum, name in found}


def pprof(browser):
    """pprof -http: what the command line chooses, the page shows; its numbers are those of -top, and of go tool pprof."""
    with open("passed.pb", "wb") as f:
        f.write(pages.pprof_profile(["objects", "space"], [
            (["main", "a", "b"], [1, 100], {"route": "x"}), (["main", "a", "c"], [2, 2000], {"route": "y"}),
            (["main", "b", "d", "a"], [40, 40000], {"route": "xx", "size": (4096, "bytes")}),
            (["main", "d"], [800, 800000], {"size": (2 << 20, "bytes"), "route": "z"})]))
    go = shutil.which("go")
    server = Server("pprof", "-http", "localhost:0", "-cum", "-nodecount=7", "-edgefraction=0.25", "passed.pb")
    location = server.send_request("/")[1]["Location"]
    tap.equal(location, "/flamegraph?g=functions&sort=cum&n=7&ef=0.25", "pprof -http begins with its options")
    tap.equal(server.stop(), (0, ""), "an interrupt ends it too")
    for options, parameter in PASSED:
        name = " ".join(options)
        server = Server("pprof", "-http", "localhost:0", *options, "passed.pb")
        tap.ok(parameter in server.send_request("/")[1]["Location"], f"{name}: the address has it", server.send_request("/")[1])
        browser.open(server.url)
        mine = browser.eval(TOP_TABLE)
        tap.equal(mine, top_of([STROBE], options), f"{name}: the page has the numbers of -top")
        if go:
            tap.equal(mine, top_of([go, "tool"], options), f"{name}: and those of go tool pprof")
        server.stop()


def shown_in_graphs(browser):
    """-call_tree: a box for each way, of which there are eight; -drop_negative: what a base has more of is in no list."""
    server = Server("pprof", "-http", "localhost:0", "-call_tree", "-trim=false", "passed.pb")
    browser.open(server.url.rstrip("/") + "/ui/")
    boxes = browser.eval("[...document.querySelectorAll('.graph .box')].map((b) => b.getAttribute('aria-label').split(',')[0]).sort()")
    tap.equal(boxes, ["a", "a", "b", "b", "c", "d", "d", "main"], "-call_tree: a box for each way")
    browser.eval("document.querySelector('.chip button').click()")
    boxes = browser.eval("[...document.querySelectorAll('.graph .box')].length")
    tap.equal((boxes, "calltree" in browser.eval("location.search")), (5, False), "and without, one for each function")
    server.stop()
    server = Server("pprof", "-http", "localhost:0", "-base", "before.folded", "-drop_negative", "after.folded")
    browser.open(server.url.rstrip("/") + "/ui/top")
    shown = "strobe.views.top.table.rows.map((k) => strobe.model.keys.name[k]).sort()"
    tap.equal(browser.eval(shown), ["c", "main"], "-drop_negative: nothing negative is listed")
    browser.eval("document.querySelector('.chip button').click()")
    tap.equal(browser.eval(shown), ["a", "b", "c", "main"], "and without, all")
    server.stop()


def shown_units(browser):
    """The unit and the divisor of the command line are those of the pages."""
    for options, expected in (["-unit=MB"], "0.80 MB space"), (["-divide_by=4"], "206 kB space"), \
            (["-unit=bytes", "-divide_by=2"], "421050 B space"):
        server = Server("pprof", "-http", "localhost:0", *options, "passed.pb")
        browser.open(server.url)
        text = browser.eval("document.body.textContent")
        tap.ok(expected in text, " ".join(options) + ": values of the page", re.findall(r"\S+ \S+ (?:space|objects)", text)[:5])
        server.stop()


def timed_base(browser):
    """-base of recordings: the timeline is there, and of the base the same share is subtracted as is shown of the profile."""
    def script(name, samples):
        with open(name, "w", encoding="utf-8") as f:
            for n, (stack, tid) in enumerate(samples):
                frames = "".join(f"\t    {0x1000 + 16 * i:x} {frame}+0x1 (/usr/bin/prog)\n" for i, frame in enumerate(reversed(stack)))
                f.write(f"prog 7/{tid} [000] {1000 + n / 100:.6f}: 1 cpu-clock: \n{frames}\n")
    script("new.script", [(["main", "a"], 7)] * 100 + [(["main", "b"], 8)] * 100)
    script("old.script", [(["main", "a"], 5)] * 40 + [(["main", "c"], 5)] * 20)
    server = Server("web", "-base", "old.script", "new.script")
    browser.open(f"{server.url}timeline")
    rows = {"main": [0, 140], "a": [60, 60], "b": [100, 100], "c": [-20, -20]}
    tap.equal(browser.eval(TOP_TABLE), rows, "-base of recordings subtracts")
    lanes = browser.eval("strobe.views.timeline.lanes.filter((l) => !l.threads).map((l) => [l.name, l.total])")
    tap.equal(sorted(lanes), [["prog 7", 100], ["prog 8", 100]], "its timeline has the profile's samples")
    width = browser.eval("strobe.strip.width")
    browser.do("drag", "#strip canvas", [0, 20], [width * 0.5, 20])
    # the first half: 100 of a, less half of the base's 40 of a and 20 of c
    tap.equal(browser.eval("[strobe.state.time !== null, %s]" % TOP_TABLE),
              [True, {"main": [0, 70], "a": [80, 80], "c": [-10, -10]}], "a brush subtracts as large a share of the base")
    browser.eval("strobe.change({ focus: '^a$' })")
    tap.equal(browser.eval(TOP_TABLE), {"main": [0, 80], "a": [80, 80]}, "a filter narrows it and changes no number")
    browser.eval("strobe.change({ focus: '', time: null, thread: strobe.p.rowThread[strobe.p.logRow[199]] })")
    tap.equal(browser.eval(TOP_TABLE), {"main": [0, 70], "a": [-20, -20], "b": [100, 100], "c": [-10, -10]}, "so does a thread")
    browser.eval("strobe.change({ thread: -1, diff: false })")
    tap.equal(browser.eval(TOP_TABLE), {"main": [0, 200], "a": [100, 100], "b": [100, 100]}, "the profile without its base")
    browser.shot("web-base-timeline")
    tap.equal([s for s in browser.log()["said"] if "willReadFrequently" not in s], [], "no error")
    server.stop()


def refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = strobe("web", "-http", f"127.0.0.1:{port}", "other.folded", timeout_s=20)
        tap.ok(done.status == 1 and "cannot listen at 127.0.0.1" in done.err, "an address that is taken is reported", done)


def main():
    for name, text in [("before", "main;a 60\nmain;b 40\n"), ("after", "main;a 30\nmain;c 170\n"), ("other", "x;y 7\n")]:
        with open(name + ".folded", "w", encoding="utf-8") as f:
            f.write(text)
    browser = Browser()
    try:
        plain = Server("web", "-http", "localhost:0", "after.folded")
        requests(plain)
        strangers(plain)
        download(plain)
        tap.equal(plain.stop(), (0, ""), "an interrupt ends it, without a word")
        server = Server("web", "-diff_base", "before.folded", "after.folded", "other.folded")
        in_browser(browser, server)
        server.stop()
        subtracted(browser)
        timed_base(browser)
        hostile(browser)
        token(browser)
        told_sources()
        code(browser)
        pprof(browser)
        shown_in_graphs(browser)
        shown_units(browser)
        refused()
    finally:
        browser.close()
    tap.done()


main()
