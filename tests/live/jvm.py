#!/usr/bin/env python3
"""Names of compiled Java code: record has JVMs write their maps at the end, and leaves other processes alone."""
# serial
# needs: record report
# timeout: 120

import os
import shutil
import subprocess
import time

from strobetest import SCRATCH, Tap, run, skip_all, strobe

SPIN = """public class Spin {
    static long sum;
    static void mix(int n) { for (int i = 0; i < n; i++) sum = sum * 31 + i; }
    static void outer() { for (int i = 0; i < 1000; i++) mix(1000); }
    public static void main(String[] a) {
        long end = System.currentTimeMillis() + 90000;
        while (System.currentTimeMillis() < end) outer();
    }
}
"""

PRETENDER = """import signal, time
signal.signal(signal.SIGQUIT, lambda *_: open("quit", "w").close())
open("ready", "w").close()
time.sleep(60)
"""


def await_file(path):
    for _ in range(200):
        if os.path.exists(path):
            return
        time.sleep(0.05)


def java(tap):
    with open(os.path.join(SCRATCH, "Spin.java"), "w", encoding="utf-8") as f:
        f.write(SPIN)
    made = run("javac", "-d", SCRATCH, os.path.join(SCRATCH, "Spin.java"))
    if made.status:
        tap.skip("names of compiled code", "no javac")
        return
    data = os.path.join(SCRATCH, "java.data")
    with subprocess.Popen(["java", "-XX:+PreserveFramePointer", "-cp", SCRATCH, "Spin"], cwd=SCRATCH) as process:
        time.sleep(3)
        path = f"/tmp/perf-{process.pid}.map"
        for _ in range(3):  # who records the whole system meanwhile requests the map, too
            if os.path.exists(path):
                os.unlink(path)
            strobe("record", "--jvm=no", "-e", "cpu-clock", "-F", "499", "-p", str(process.pid), "-o", data, "sleep", "0.2")
            if not os.path.exists(path):
                break
        tap.ok(not os.path.exists(path), "--jvm=no leaves it alone")
        done = strobe("record", "-v", "-e", "cpu-clock", "-F", "499", "-g", "-p", str(process.pid), "-o", data, "sleep", "2")
        tap.ok(os.path.exists(path) and "has written the names" in done.err, "the JVM writes its map", str(done))
        report = strobe("report", "--stdio", "-i", data, "-g", "none", "--no-children", "-s", "sym").out
        theirs = run("jcmd", str(process.pid), "Compiler.codelist").out
        rows = [line for line in report.splitlines() if "Spin." in line]
        share = sum(float(row.split("%")[0]) for row in rows)
        tap.ok(share > 50 and "Spin.outer" in theirs, "compiled methods have their names", report[:2000])
        left = [name for name in os.listdir("/tmp") if name == f".attach_pid{process.pid}"]
        tap.equal(left, [], "nothing is left in /tmp")
        process.kill()
    for name in (path, f"/tmp/.java_pid{process.pid}"):
        if os.path.exists(name):
            os.unlink(name)


def others(tap):
    """SIGQUIT ends most programs; and what handles it need not be a JVM."""
    data = os.path.join(SCRATCH, "others.data")
    with subprocess.Popen(["python3", "-c", PRETENDER], cwd=SCRATCH) as process:
        await_file(os.path.join(SCRATCH, "ready"))
        strobe("record", "-e", "cpu-clock", "-p", str(process.pid), "-o", data, "sleep", "0.2")
        tap.ok(process.poll() is None and not os.path.exists(os.path.join(SCRATCH, "quit")), "what is not a JVM gets no signal")
        process.kill()


def main():
    tap = Tap()
    if not shutil.which("java") or not shutil.which("jcmd"):
        skip_all("no JDK")
    others(tap)
    java(tap)
    tap.done()


main()
