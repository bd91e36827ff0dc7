#!/usr/bin/env python3
# quick
"""annotate shows what is known beforehand: made samples to the instruction, a hot loop to the line, replaced files, Go."""
# needs: record annotate
# timeout: 200

import json
import os
import re
import shutil
import subprocess

from recording import IP, NOBODY, PERIOD, TID, TIME, Recording
from strobetest import SCRATCH, TOP, Tap, build_workload, record, run, strobe

SOURCE = os.path.join(TOP, "tests", "workloads", "hotloop.c")
BASE = 0x400000000000


def line_marked(word):
    with open(SOURCE, encoding="utf-8") as f:
        return next(n for n, line in enumerate(f, 1) if f"/* {word} */" in line)


def functions_of(*argv, **options):
    done = strobe("annotate", "--format", "json", *argv, **options)
    try:
        return {f["symbol"]: f for f in json.loads(done.out)["functions"]}, done
    except ValueError:
        return {}, done


def address_of(binary, symbol):
    out = run("nm", "-S", binary).out
    found = re.search(rf"^([0-9a-f]+) ([0-9a-f]+) \w {symbol}$", out, re.M)
    return int(found[1], 16), int(found[2], 16)


def text_segment(binary):
    """(file offset, address) of what is mapped executable."""
    for line in run("readelf", "-lW", binary).out.splitlines():
        fields = line.split()
        if fields and fields[0] == "LOAD" and "E" in fields[6:8]:
            return int(fields[1], 16), int(fields[2], 16)
    raise ValueError(binary)


def build_id(binary):
    return bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-nW", binary).out)[1])


def made_recording(binary, hits, path):
    """hits: [(event, address in the file, period)]; two events, and one sample elsewhere."""
    offset, vaddr = text_segment(binary)
    r = Recording()
    layout = IP | TID | TIME | PERIOD | 64
    r.event("one", [101], sample_type=layout)
    r.event("two", [102], config=1, sample_type=layout)
    r.tail = lambda pid, tid, time: r.pack("IIQQ", pid, tid, time, 101)
    pid = NOBODY + 10
    r.comm(pid, pid, "made", 1000)
    r.mmap2(pid, BASE, 0x100000, offset, binary, 1001, build_id(binary))
    for i, (event, address, period) in enumerate(hits):
        r.record(9, r.pack("QIIQQQ", BASE + address - vaddr, pid, pid, 2000 + i, 101 + event, period), 2)
    r.record(9, r.pack("QIIQQQ", 0x1234, pid, pid, 9000, 101, 700), 2)
    r.round()
    with open(path, "wb") as f:
        f.write(r.file())
    return path


def made(tap):
    binary = build_workload("hotloop", "-O2", "-g", suffix="-made")
    start, size = address_of(binary, "warm")
    # the second byte of an instruction counts for it; the last byte of the function is still in it
    hits = [(0, start, 100), (0, start, 100), (0, start + 1, 100), (1, start, 5), (0, start + size - 1, 1), (0, start + size, 9)]
    path = made_recording(binary, hits, os.path.join(SCRATCH, "made.data"))
    found, done = functions_of("-i", path, "-e", "one", "warm")
    if not tap.ok(list(found) == ["warm"], "made: the function that was requested", done):
        return
    warm = found["warm"]
    tap.equal([(e["name"], e["samples"], e["value"]) for e in warm["events"]], [("one", 4, 301)], "made: its sums")
    tap.equal((warm["events"][0]["total_samples"], warm["events"][0]["total_value"]), (6, 1010), "made: sums of all")
    by_address = {int(i["address"], 16): i["values"][0] for i in warm["instructions"]}
    first = by_address[start]["samples"] + by_address.get(start + 1, {"samples": 0})["samples"]
    tap.equal(first, 3, "made: three at the beginning")
    last = max(by_address)
    tap.equal((by_address[last]["samples"], by_address[last]["value"]), (1, 1), "made: one at the end")
    tap.equal(sum(v["samples"] for v in by_address.values()), 4, "made: no more than that")
    tap.equal((int(warm["start"], 16), int(warm["end"], 16)), (start, start + size), "made: where it begins and ends")
    spans = [(int(i["address"], 16), len(i["bytes"]) // 2) for i in warm["instructions"]]
    tap.ok(all(a + n == b for (a, n), (b, _) in zip(spans, spans[1:])), "made: instructions leave no gaps", spans)
    found, _ = functions_of("-i", path, "--group", "-s", "warm")
    tap.equal([e["value"] for e in found["warm"]["events"]], [301, 5], "made: two events side by side")
    found, _ = functions_of("-i", path, "-e", "two")
    tap.equal([e["name"] for f in found.values() for e in f["events"]], ["two"], "made: one event alone")
    text = strobe("annotate", "-i", path, "-s", "warm", "--percent-type", "global-period").out
    tap.ok(re.search(r"29\.70 : +[0-9a-f]+:|19\.80 : +[0-9a-f]+:", text), "made: 300 or 200 of 1010", text[:2000])
    text = strobe("annotate", "-i", path, "-s", "warm", "--percent-type", "global-hits", "-d", os.path.basename(binary)).out
    tap.ok(re.search(r"50\.00 : +[0-9a-f]+:|33\.33 : +[0-9a-f]+:", text), "made: 3 or 2 of 6", text[:2000])
    stream = strobe("annotate", "-i", "-", "-s", "warm", stdin=path)
    tap.equal(stream.out, strobe("annotate", "-i", path, "-s", "warm").out, "made: the same from standard input")
    bare = strobe("annotate", "-i", path, "-s", "warm", env={"PATH": "/nonexistent"})
    tap.ok(bare.status == 0 and "div" in bare.out, "made: no other program is needed", bare)


def replaced(tap):
    path = os.path.join(SCRATCH, "made.data")
    binary = build_workload("hotloop", "-O1", "-g", suffix="-made")
    done = strobe("--buildid-dir", "/nonexistent", "annotate", "-i", path, "-s", "warm")
    tap.ok(done.status == 1 and not done.out and f"{binary} was replaced" in done.err, "a replaced file is named and not used",
           done)


def of_divisions(function):
    """
    What divisions take: the processor is interrupted when one is done, so that most of it is at the next instruction.
    """
    shares = [i["values"][0]["percent"] for i in function["instructions"]] + [0]
    at = [n for n, i in enumerate(function["instructions"]) if i["text"].startswith("div")]
    return sum(shares[n] for n in {m for n in at for m in (n, n + 1)})


def hot_loop(tap):
    binary = build_workload("hotloop", "-O2", "-g")
    path = record("-e", "cpu-clock:u", "-F", "5000", "--", binary, "60000", output="hot.data")
    found, done = functions_of("-i", path)
    if not tap.ok({"hot", "warm"} <= set(found), "hot loop: both functions", done):
        return
    hot = found["hot"]
    names = {i: os.path.basename(f["path"]) for i, f in enumerate(hot["files"])}
    lines = {l["line"]: l["values"][0]["percent"] for l in hot["lines"] if names[l["file"]] == "hotloop.c"}
    tap.between(70, lines.get(line_marked("HOT")), 100, "hot loop: the line that takes the time")
    tap.between(70, of_divisions(hot), 100, "hot loop: the instructions that take the time")
    tap.equal(lines.get(line_marked("NEVER")), 0, "hot loop: the line that never runs")
    tap.between(99.9, sum(lines.values()), 100.1, "hot loop: all lines together")
    dividing = [i for i in hot["instructions"] if i["text"].startswith("div")]
    functions = [p["function"] for i in dividing for p in i["places"]]
    tap.equal(set(zip(functions[::2], functions[1::2])), {("step", "hot")}, "hot loop: the division is of step(), inlined into hot()")
    jumps = [i for i in hot["instructions"] if "jumps_to" in i]
    right = [hot["instructions"][i["jumps_to"]]["address"] == i["target"]["address"] for i in jumps]
    tap.ok(right and all(right), "hot loop: jumps lead to instructions", jumps)
    ratio = found["hot"]["events"][0]["samples"] / max(found["warm"]["events"][0]["samples"], 1)
    tap.between(6, ratio, 16, "hot loop: hot() divides ten times as often as warm()")
    text = strobe("annotate", "-i", path, "--stdio2", "-s", "hot").out
    tap.ok("↑ j" in text and "← ret" in text, "hot loop: arrows", text)
    text = strobe("annotate", "-i", path, "-M", "intel", "--no-source", "-s", "hot").out
    tap.ok(re.search(r"div +r\w+", text) and "%r" not in text, "hot loop: Intel's syntax", text)


def bytes_that_are_none(tap):
    """Data in the middle of code is shown as bytes, and what follows is decoded again."""
    source, binary = os.path.join(SCRATCH, "bad.s"), os.path.join(SCRATCH, "bad")
    if os.uname().machine != "x86_64":
        tap.skip("bytes that are no instruction", "written for x86-64")
        return
    with open(source, "w", encoding="utf-8") as f:
        f.write(".globl _start\n.type _start, @function\n_start: nop\n.byte 0x06\nnop\nret\n.size _start, .-_start\n")
    subprocess.run(["cc", "-nostdlib", "-static", "-Wl,--build-id", "-o", binary, source], check=True)
    start, _ = address_of(binary, "_start")
    path = made_recording(binary, [(0, start, 1)], os.path.join(SCRATCH, "bad.data"))
    found, done = functions_of("-i", path)
    flows = [(i["text"], i["flow"]) for i in found.get("_start", {"instructions": []})["instructions"]]
    tap.equal(flows, [("nop", "next"), (".byte  0x06", "bad"), ("nop", "next"), ("ret", "return")],
              "bytes that are no instruction")
    tap.equal(done.status, 0, "bytes that are no instruction: no failure")


def vdso(tap):
    source, binary = os.path.join(SCRATCH, "clock.c"), os.path.join(SCRATCH, "clock")
    with open(source, "w", encoding="utf-8") as f:
        f.write("#include <time.h>\nint main(void) { struct timespec t; "
                "for (int i = 0; i < 12000000; i++) clock_gettime(CLOCK_MONOTONIC, &t); return 0; }\n")
    subprocess.run(["cc", "-O2", "-o", binary, source], check=True)
    path = record("-e", "cpu-clock:u", "-F", "2000", "--", binary, output="vdso.data")
    if "[vdso]" not in strobe("report", "-i", path, "-s", "dso").out:
        tap.skip("code of the vdso", "this machine's clock is read by a system call")
        return
    found, done = functions_of("-i", path, "-d", "[vdso]")
    tap.ok(found and all(f["instructions"] for f in found.values()), "code of the vdso", done)


def jit(tap):
    """Code that a run-time compiler wrote, and keeps in a jitdump: mov, then a loop of dec and jnz, then ret."""
    if os.uname().machine != "x86_64":
        tap.skip("code of a jitdump", "written for x86-64")
        return
    binary = build_workload("jit")
    path = record("-e", "cpu-clock:u", "-F", "1000", "--", binary, "dump", "0.4", SCRATCH, output="jit.data")
    found, done = functions_of("-i", path)
    found = {name: function for name, function in found.items() if name.startswith("made_")}
    tap.equal(sorted(found), ["made_first", "made_later", "made_second"], "code of a jitdump: its functions")
    for name, function in found.items():
        mnemonics = [i["text"].split()[0] for i in function["instructions"]]
        tap.equal(mnemonics, ["mov", "dec", "jne", "ret"], f"code of a jitdump: {name}")
        tap.equal(sum(i["values"][0]["samples"] for i in function["instructions"]), function["events"][0]["samples"],
                  f"code of a jitdump: {name}: each sample hits an instruction")
    lines = [(l["line"], l["values"][0]["samples"] > 0) for l in found.get("made_first", {"lines": []})["lines"]]
    tap.ok((11, True) in lines, "code of a jitdump: its hot line", f"{lines}\n{done}")


GO = """package main

import "os"

//go:noinline
func spin(n uint64) uint64 {
	x := uint64(len(os.Args))
	for i := uint64(0); i < n; i++ {
		x += 0xffffffffffffffff / (x | 0x8000000000000001) // HOT
	}
	return x
}

func main() {
	println(spin(120000000) & 1)
}
"""


def go(tap):
    if not shutil.which("go"):
        tap.skip("Go", "no Go compiler here")
        return
    directory = os.path.join(SCRATCH, "gospin")
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "main.go"), "w", encoding="utf-8") as f:
        f.write(GO)
    binary = os.path.join(directory, "spin")
    built = run("go", "build", "-o", binary, os.path.join(directory, "main.go"), timeout_s=120,
                env={"GOFLAGS": "-mod=mod", "GOCACHE": os.path.join(SCRATCH, "gocache"), "HOME": SCRATCH})
    if built.status != 0:
        tap.ok(False, "Go: a program is built", built)
        return
    path = record("-e", "cpu-clock:u", "-F", "2000", "--", binary, output="go.data")
    found, done = functions_of("-i", path, "main.spin")
    if not tap.ok("main.spin" in found, "Go: its function", done):
        return
    hot = next(n for n, line in enumerate(GO.splitlines(), 1) if "HOT" in line)
    spin = found["main.spin"]
    lines = {l["line"]: l for l in spin["lines"] if spin["files"][l["file"]]["path"].endswith("main.go")}
    # what part of it the division takes differs from processor to processor: counted by Go's own tool
    listed = run("go", "tool", "objdump", "-s", "^main.spin$", binary).out
    of_line = {int(at, 16) for at in re.findall(rf"main\.go:{hot}\s+0x([0-9a-f]+)", listed)}
    of_function = {int(at, 16) for at in re.findall(r"main\.go:\d+\s+0x([0-9a-f]+)", listed)}
    ips = [int(line, 16) for line in strobe("script", "-i", path, "-F", "ip").out.split()]
    share = 100 * sum(ip in of_line for ip in ips) / max(sum(ip in of_function for ip in ips), 1)
    found = lines[hot]["values"][0]["percent"] if hot in lines else 0
    tap.ok(share > 0 and abs(found - share) < 0.01, "Go: the line that takes the time", f"{found} of samples, {share} of {of_line}")
    tap.ok(hot in lines and "HOT" in lines[hot].get("text", ""), "Go: and its text", lines)


def main():
    tap = Tap()
    made(tap)
    replaced(tap)
    hot_loop(tap)
    bytes_that_are_none(tap)
    vdso(tap)
    jit(tap)
    go(tap)
    tap.done()


main()
