#!/usr/bin/env python3
"""<strobe/jsonl.h>: the example of strobe_jsonl(3) prints the functions of perf script; members are what Python reads as JSON."""
# needs: record script

import json
import os
import re
import shutil
import subprocess

from strobetest import SCRATCH, TOP, Tap, build_workload, perf, strobe

DUMP = r"""
#include <stdio.h>
#include <strobe/jsonl.h>

static const char *text(const char *s) { return s ? s : "-"; }

int main(void)
{
	static struct strobe_jsonl_reader r;
	strobe_jsonl_open(&r, STDIN_FILENO);
	while (strobe_jsonl_next(&r) > 0) {
		const struct strobe_jsonl_record *s = &r.record;
		printf("%s %s|%s|%d %d %u %llu %llu %llx %s", s->type, text(s->event), text(s->comm), s->pid, s->tid, s->cpu,
		       (unsigned long long)s->time, (unsigned long long)s->period, (unsigned long long)s->leaf.ip, text(s->leaf.dso));
		for (uint32_t i = 0; i < s->frames_nr; i++)
			printf(" %llx+%s", (unsigned long long)s->frames[i].ip, text(s->frames[i].sym));
		for (uint32_t i = 0; i < s->fields.nr; i++)
			printf(" %s=%llu", s->fields.items[i].name, (unsigned long long)s->fields.items[i].number);
		for (uint32_t i = 0; i < s->uregs.nr; i++)
			printf(" %s=%llx", s->uregs.items[i].name, (unsigned long long)s->uregs.items[i].number);
		printf("\n");
	}
	strobe_jsonl_close(&r);
	return r.error != NULL || r.record.lost;
}
"""


def compiled(name, source, compiler="cc", *flags):
    path = os.path.join(SCRATCH, name)
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write(source)
    include = os.path.join(SCRATCH, "include")
    os.makedirs(os.path.join(include, "strobe"), exist_ok=True)
    shutil.copy(os.path.join(TOP, "src", "dump", "jsonl.h"), os.path.join(include, "strobe", "jsonl.h"))
    subprocess.run([compiler, *flags, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", include, "-o", path, path + ".c"], check=True)
    return path


def example():
    with open(os.path.join(TOP, "man", "strobe_jsonl.3"), encoding="utf-8") as f:
        source = re.search(r"^\.EX\n(.*?)^\.EE$", f.read(), re.M | re.S)[1]
    return source.replace("\\en", "\\n").replace("\\-", "-")


def number(value):
    """What the header makes of a value: strings in hexadecimal are numbers, others 0."""
    if isinstance(value, str):
        return int(value, 16) if re.fullmatch(r"0x[0-9a-f]+", value) else 0
    return int(value) if isinstance(value, (int, bool)) else 0


def dumped(line):
    s = json.loads(line)
    words = [f"{s['record']} {s.get('event') or '-'}|{s.get('comm', '-')}|{s.get('pid', 0)} {s.get('tid', 0)} {s.get('cpu', 0)} "
             f"{s.get('time', 0)} {s.get('period', 0)} {number(s.get('ip')):x} {s.get('dso') or '-'}"]
    words += [f"{number(frame['ip']):x}+{frame.get('sym', '-')}" for frame in s.get("callchain", [])]
    words += [f"{name}={number(value) % (1 << 64)}" for name, value in s.get("fields", {}).items() if not isinstance(value, dict)]
    words += [f"{name}={number(value):x}" for name, value in s.get("uregs", {}).items()]
    return " ".join(words)


def main():
    tap = Tap()
    grown = os.path.abspath(build_workload("grown"))
    perf("record", "-q", "-g", "--user-regs=IP,SP", "-e", "cpu-clock,sched:sched_process_exit", "-F", "2000", "-o", "x.data", "--", grown,
         "60", "40", "20")
    stream = strobe("script", "-i", "x.data", "--format", "jsonl", "--show-mmap-events", "--show-task-events").out
    tap.equal(strobe("script", "-i", "x.data", "--format", "json", "--show-mmap-events", "--show-task-events").out, stream,
              "--format json is the same")
    compilers = [("cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L")] + ([("c++", "-x", "c++")] if shutil.which("c++") else [])
    for compiler in compilers:
        program = compiled("functions", example(), *compiler)
        ours = subprocess.run([program], input=stream, capture_output=True, text=True, check=True).stdout.splitlines()
        theirs = [line.split()[1] for line in perf("script", "-i", "x.data", "-G", "-F", "ip,sym").out.splitlines() if line.strip()]
        tap.ok(len(ours) > 50 and sorted(ours) == sorted(theirs),
               f"{compiler[0]}: the example prints the {len(ours)} functions of perf script",
               f"{set(ours) ^ set(theirs)}")
        program = compiled("dump", DUMP, *compiler)
        ours = subprocess.run([program], input=stream, capture_output=True, text=True, check=True).stdout.splitlines()
        theirs = [dumped(line) for line in stream.splitlines()]
        tap.ok(ours == theirs, f"{compiler[0]}: members of {len(ours)} lines are what Python reads",
               f"{next((pair for pair in zip(ours, theirs) if pair[0] != pair[1]), '')}")
        cut = subprocess.run([compiled("functions", example(), *compiler)], input=stream[:-2], capture_output=True, text=True, check=False)
        tap.equal((cut.returncode, cut.stderr), (1, f"line {len(ours)}: the last line is not whole\n"), f"{compiler[0]}: a cut is found")
    tap.done()


main()
