#!/usr/bin/env python3
"""
Frames of Java in the stacks of record -g, of each JDK 17 or later that is installed. A program of known shape, interpreted, says what its
stack is at the hottest places, by Throwable.getStackTrace(), the second source of names, lines and order; and a recursion that is
interpreted or compiled by C1 or C2 has stacks from there to the start of its thread.
"""
# needs: record report script
# timeout: 300

import glob
import os
import re
import shutil
import subprocess
from collections import Counter

from strobetest import SCRATCH, Tap, run, skip_all, strobe

# Writes "PLACE NAME:LINE NAME:LINE …", the innermost first, of the frames in this file.
SHAPE = r"""import java.io.*;
import java.util.*;
public class Shape {
	static long sink;
	/* about as long, interpreted */
	static void spin(long ms, String place) {
		StringBuilder line = new StringBuilder(place);
		for (StackTraceElement e : new Throwable().getStackTrace())
			if ("Shape.java".equals(e.getFileName()))
				line.append(" " + e.getClassName() + "." + e.getMethodName() + ":" + e.getLineNumber());
		try (FileWriter w = new FileWriter(System.getProperty("answer"), true)) {
			w.write(line + "\n");
		} catch (IOException e) {
			throw new UncheckedIOException(e);
		}
		for (long i = 0; i < ms * 8000; i++)
			sink += i;
	}
	static void recurse(int n, String place) {
		if (n == 0)
			spin(300, place);
		else
			recurse(n - 1,
				place);
	}
	static class Lazy {
		static int value;
		static {
			spin(300, "initializer");
		}
	}
	static class Key implements Comparable<Key> {
		public int compareTo(Key other) {
			spin(300, "callback");
			return 0;
		}
	}
	static synchronized void caught() {
		try {
			Object[] none = new Object[0];
			none[1].hashCode();
		} catch (ArrayIndexOutOfBoundsException e) {
			spin(300, "exception");
		}
	}
	public static void reflected() {
		spin(300, "reflection");
	}
	public static void main(String[] arguments) throws Exception {
		recurse(5, "recursion");
		sink += Lazy.value;
		Arrays.sort(new Key[] { new Key(), new Key() });
		caught();
		Shape.class.getMethod("reflected").invoke(null);
		Runnable lambda = () ->
			spin(300, "lambda");
		lambda.run();
		Thread t = new Thread(() -> recurse(2, "thread"));
		t.start();
		t.join();
	}
}
"""
PLACES = 7
FIB = """public class Fib {
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	static long now() { return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(); }
	public static void main(String[] a) { long end = now() + 600000000L, s = 0;
		while (now() < end) s += fib(22); System.out.println(s); }
}
"""
# middle() and leaf() are inlined, as the compiler says; a line has one call at most.
INLINED = """public class Inlined {
	static long sink;
	static long leaf(long x) {
		long s = x;
		for (int i = 0; i < 64; i++)
			s = s * 31 + (s >>> 7);
		return s;
	}
	static long middle(long n) {
		long s = 1;
		for (long i = 0; i < n; i++)
			s += leaf(i ^ s);
		return s;
	}
	static long outer(long n) {
		long before = n + 1;
		return middle(n) + before;
	}
	public static void main(String[] a) {
		long end = System.nanoTime() + 1500000000L;
		while (System.nanoTime() < end)
			sink += outer(20000);
		System.out.println(sink);
	}
}
"""
CALLS = (("Inlined.leaf", {5, 6}), ("Inlined.middle", {12}), ("Inlined.outer", {17}), ("Inlined.main", {22}))
TIERS = (("interpreted", ("-Xint",)), ("C1", ("-XX:TieredStopAtLevel=1",)), ("C2", ("-XX:-TieredCompilation",)), ("as it comes", ()))
FRAME = re.compile(r"^\s*([0-9a-f]+) (\S.*?)(?:\+0x[0-9a-f]+)? \((\S*|\[[^]]*\][^)]*)\)(?:\n\s+\S.*:(\d+))?$", re.M)
JAVA = re.compile(r"(.*) \((\S+?)(?::(\d+))?\)$")
ROOTS = ("clone", "__clone", "clone3", "__clone3")


def jdks():
    """(version, java) of those that are new enough."""
    for java in sorted({os.path.realpath(j) for j in glob.glob("/usr/lib/jvm/*/bin/java")}):
        found = re.search(r'version "(\d+)', subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr)
        if found and int(found[1]) >= 17:
            yield found[1], java


def record(java, data, name, *options):
    return strobe("record", "-e", "cpu-clock", "-F", "997", "-g", "-o", data, java, "-cp", SCRATCH, *options, name)


def samples_of(data, *fields):
    """Lists of (address, name, dso, line), innermost first, of the user part of samples."""
    out = strobe("script", "-i", data, "--no-inline", "--max-stack", "512", "-F", ",".join(("ip", "sym", "dso", *fields))).out
    for sample in out.split("\n\n"):
        frames = [frame for frame in FRAME.findall(sample) if int(frame[0], 16) < 1 << 63]
        if frames:
            yield frames


def frames_in(frames, file):
    """(name, line) of the frames of methods in a source file."""
    found = [(JAVA.match(name), line) for _, name, dso, line in frames if dso == "[java]"]
    return tuple((m[1], int(line or 0)) for m, line in found if m and m[2] == file)


def places_of(path):
    places = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            place, *frames = line.split()
            places[place] = tuple((name, int(at)) for name, at in (frame.rsplit(":", 1) for frame in frames))
    return places


def shape(tap, version, java):
    data, answer = os.path.join(SCRATCH, f"shape{version}.data"), os.path.join(SCRATCH, f"shape{version}.txt")
    done = record(java, data, "Shape", "-Xint", f"-Danswer={answer}")
    if not tap.ok(done.status == 0 and os.path.exists(answer), f"JDK {version}: recorded", str(done)):
        return
    found = Counter(frames for frames in (frames_in(s, "Shape.java") for s in samples_of(data, "srcline")) if frames)
    wrong = []
    for place, stack in places_of(answer).items():
        # of spin() itself the line is another by then
        count = sum(n for own, n in found.items() if own[0][0] == "Shape.spin" and own[1:] == stack[1:])
        if count < 20:  # of about 300
            wrong.append(f"{place}: {count} samples of {stack}")
    tap.ok(len(places_of(answer)) == PLACES and not wrong, f"JDK {version}: names, lines and order are those of the program's own traces",
           "\n".join(wrong + [f"{n} {stack}" for stack, n in found.most_common(12)]))
    lines = Counter(stack[0][1] for stack, n in found.items() if stack[0][0] == "Shape.spin" for _ in range(n))
    # before it, spin() gets its own stack and opens a file, which takes long on a busy machine
    tap.ok(lines[16] + lines[17] > 0.7 * sum(lines.values()) and set(lines) <= set(range(6, 18)),
           f"JDK {version}: the innermost lines are those of spin(), most of them of its loop", lines)


def tier(tap, version, java, title, options):
    data = os.path.join(SCRATCH, "fib.data")
    record(java, data, "Fib", *options)
    samples = list(samples_of(data))
    deep = [(frames, [name for name, _ in frames_in(frames, "Fib.java")]) for frames in samples]
    deep = [(frames, own) for frames, own in deep if "Fib.fib" in own]
    odd = [own for _, own in deep if own != ["Fib.fib"] * own.count("Fib.fib") + ["Fib.main"]]
    cut = [frames for frames, _ in deep if frames[-1][1].split("@")[0] not in ROOTS]
    bare = [frames for frames, _ in deep if any("[unknown]" in name for _, name, _, _ in frames)]
    title = f"JDK {version}, {title}"
    tap.ok(len(deep) > 30, f"{title}: samples are in the recursion ({len(deep)} of {len(samples)})", [len(s) for s in samples])
    tap.ok(len(odd) <= 0.01 * len(deep), f"{title}: its frames are fib(), then main() ({len(odd)} are not)", odd[:5])
    tap.ok(len(cut) <= 0.01 * len(deep), f"{title}: stacks reach the start of the thread ({len(cut)} do not)", cut[:2])
    tap.ok(len(bare) <= 0.01 * len(deep), f"{title}: no frame is an address without a name ({len(bare)} are)", bare[:2])


def calls_are_right(stack):
    """Each frame but the innermost is at the line of the call that leads to the one before."""
    at = [name for name, _ in CALLS].index(stack[0][0])
    expected = CALLS[at + 1:]
    return len(stack) == 1 + len(expected) and all(f[0] == name and f[1] in lines for f, (name, lines) in zip(stack[1:], expected))


def inlined(tap, version, java, every_line):
    """Without descriptions of all instructions (DebugNonSafepoints) the innermost method is that of the next poll."""
    data = os.path.join(SCRATCH, "inlined.data")
    more = ("-XX:+DebugNonSafepoints",) if every_line else ()
    said = record(java, data, "Inlined", "-XX:-TieredCompilation", "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintInlining",
                  "-XX:+PrintCompilation", *more).out
    title = f"JDK {version}, C2, inlined" + (", DebugNonSafepoints" if every_line else "")
    tap.ok(re.search(r"Inlined::leaf .*inline \(hot\)", said), f"{title}: the compiler has inlined leaf()", said[-2000:])
    stacks = [stack for stack in (frames_in(s, "Inlined.java") for s in samples_of(data, "srcline")) if stack and len(stack) > 1]
    wrong = [stack for stack in stacks if not calls_are_right(stack)]
    tap.ok(len(stacks) > 30 and len(wrong) <= 0.01 * len(stacks),
           f"{title}: callers are at the lines of their calls ({len(stacks) - len(wrong)} of {len(stacks)})", Counter(wrong).most_common(5))
    inner = Counter(stack[0] for stack in stacks)
    hot = sum(n for (name, line), n in inner.items() if name == "Inlined.leaf" and line in CALLS[0][1])
    if every_line:
        tap.ok(hot > 0.7 * len(stacks), f"{title}: most samples are at the lines of its loop", inner.most_common(6))


def main():
    tap = Tap()
    if os.uname().machine != "x86_64":
        skip_all("frames of scripts are read on x86-64 alone")
    found = list(jdks())
    if not shutil.which("javac") or not found:
        skip_all("no JDK 17 or later")
    probe = strobe("record", "-e", "cpu-clock", "--call-graph", "eh", "-o", os.path.join(SCRATCH, "probe.data"), "true")
    if "--call-graph eh:" in probe.err:
        skip_all(probe.err.strip())
    for name, text in (("Shape", SHAPE), ("Fib", FIB), ("Inlined", INLINED)):
        with open(os.path.join(SCRATCH, name + ".java"), "w", encoding="utf-8") as f:
            f.write(text)
    sources = [os.path.join(SCRATCH, name + ".java") for name in ("Shape", "Fib", "Inlined")]
    run("javac", "-g", "--release", "17", "-d", SCRATCH, *sources, timeout_s=120)
    for version, java in found:
        shape(tap, version, java)
        for title, options in TIERS:
            tier(tap, version, java, title, options)
        for every_line in (False, True):
            inlined(tap, version, java, every_line)
    tap.done()


main()
