#!/usr/bin/env python3
"""
The BPF programs that read frames of scripts load on the kernel of Debian 12, in an emulated machine, and read the frames of its
interpreters: its verifier is older than that of the development kernel.
"""
# needs: record report
# serial
# timeout: 900

import glob
import os
import re
import shutil

from guest import Guest, build_or_exit, libraries_of
from strobetest import SCRATCH, Tap, run

# Each runs outer() and, within it, spin().
SCRIPTS = {
    "perl": """sub spin { my $n = 0; my $end = (times)[0] + 2; while ((times)[0] < $end) { $n = ($n + 1) % 7; } }
sub outer { spin(); }
outer();
""",
    "php": """<?php
function spin() { $end = getrusage()['ru_utime.tv_sec'] + 2; for ($n = 0; $n % 1000 || getrusage()['ru_utime.tv_sec'] < $end; $n++) { } }
function outer() { spin(); }
outer();
""",
    "ruby": """def spin
  n = 0
  stop = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 2
  n += 1 while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < stop
end
def outer = spin
outer
""",
    "python3": """import time
def spin():
    end = time.process_time() + 2
    while time.process_time() < end:
        pass
def outer():
    spin()
outer()
""",
    "node": """function spin() { const end = process.cpuUsage().user + 2e6; while (process.cpuUsage().user < end); }
function outer() { spin(); }
outer();
""",
}
JAVA = """public class Script {
	static long n;
	static void spin() { long end = System.nanoTime() + 4000000000L; while (System.nanoTime() < end) n++; }
	static void outer() { spin(); }
	public static void main(String[] a) { outer(); }
}
"""
OPTIONS = {"php": "-n", "ruby": "--disable-gems", "python3": "-I -S"}


def add_java(guest):
    """A run time of what its base needs alone, and the program."""
    if not shutil.which("jlink") or not shutil.which("javac"):
        return
    source, home = os.path.join(SCRATCH, "Script.java"), os.path.join(SCRATCH, "jdk")
    with open(source, "w", encoding="utf-8") as f:
        f.write(JAVA)
    done = run("sh", "-c", f"javac -d {SCRATCH} {source} && jlink --add-modules java.base --strip-debug --output {home}", timeout_s=300)
    if done.status:
        return
    guest.add("Script.class", os.path.join(SCRATCH, "Script.class"))
    guest.add_program("java", os.path.join(home, "bin/java"))
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            if not name.endswith((".debuginfo", ".h")):
                guest.add("jdk/" + os.path.relpath(path, home), path)
            for library in libraries_of(path) if ".so" in name else ():
                if not library.startswith(home):
                    guest.add_library(library)
    guest.commands["java"] = ("strobe record -v -e cpu-clock -F 499 -g -o p.data /jdk/bin/java -XX:+UseSerialGC -Xmx64m -cp / Script 2>&1;"
                              " strobe report --stdio -i p.data --children -g none -s dso,sym 2>&1")


def run_guest():
    guest = Guest("amd64")
    guest.add_strobe()
    for name, text in SCRIPTS.items():
        program = shutil.which(name, path="/usr/bin")
        if not program:
            continue
        path = os.path.join(SCRATCH, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        guest.add_program(name, os.path.realpath(program))
        guest.add(f"scripts/{name}", path)
        guest.commands[name] = (f"strobe record -v -e cpu-clock -F 499 -g -o p.data {name} {OPTIONS.get(name, '')} /scripts/{name} 2>&1;"
                                " strobe report --stdio -i p.data --children -g none -s dso,sym 2>&1")
    add_java(guest)
    for path in glob.glob("/usr/lib/python3.*/encodings/*.py"):
        guest.add(path[1:], path)
    return guest.run()


def main():
    tap = Tap()
    for name, result in build_or_exit(run_guest).items():
        frames = re.finditer(r"^ +([\d.]+)% +[\d.]+% +\[\w+\] +\[\.\] (?:main::|Script\.)?(\w+) ", result.out, re.M)
        rows = {match[2]: float(match[1]) for match in frames}
        tap.ok(result.status == 0 and rows.get("spin", 0) > 5 and rows.get("outer", 0) >= rows["spin"] and
               "are not read" not in result.out, f"{name}: frames of its script", result.out[-3000:])
    tap.done()


main()
