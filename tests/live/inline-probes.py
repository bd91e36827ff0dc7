#!/usr/bin/env python3
"""Inline probes as events (u:, ur:): known values at all levels of optimisation, exact counts, tasks, filters."""
# needs: record script stat trace top

import os
import re
import signal
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, perf, perf_version, require_inline_probes, require_root, run, strobe

HITS = 300000

# Every value follows from the number of the call, so that a wrong one is seen.
SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct inner { short low; char tag[4]; };
struct item { int id; unsigned flag : 3, rest : 5; struct inner in; struct item *next; const char *name; };

static int turns = 77;

__attribute__((noinline)) long take(const struct item *it, long n, unsigned char small, const char *text)
{
	long local = n * 3 + 1;
	asm volatile("" : "+r"(local) : "r"(it), "r"(n), "r"(small), "r"(text), "m"(turns) : "memory");
	return local + it->id; /* LINE */
}

static inline __attribute__((always_inline)) int spread(int a)
{
	asm volatile("nop" : "+r"(a));
	return a + 1;
}

__attribute__((noinline)) int first(int a) { return spread(a) * 2; }
__attribute__((noinline)) int second(int a) { return spread(a + 100) * 3; }
__attribute__((noinline)) void tick(long i) { asm volatile("" : : "r"(i) : "memory"); }
__attribute__((noinline)) void who(int id) { asm volatile("" : : "r"(id) : "memory"); }

static void *run_thread(void *p) { for (int i = 0; i < 50; i++) who(1); return p; }

static void tasks(char *self)
{
	pthread_t t;
	pthread_create(&t, NULL, run_thread, NULL);
	for (int i = 0; i < 50; i++) who(0);
	pthread_join(t, NULL);
	if (!fork()) {
		for (int i = 0; i < 50; i++) who(2);
		execl(self, self, "again", NULL);
		_exit(1);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "tasks")) { tasks(argv[0]); return 0; }
	if (argc > 1 && !strcmp(argv[1], "again")) { for (int i = 0; i < 50; i++) who(3); return 0; }
	if (argc > 2) { for (long i = 0, n = atol(argv[2]); i < n; i++) tick(i); return 0; }
	if (argc > 1) for (long i = 0;; i++) { tick(i); usleep(1000); }
	long sum = 0;
	for (int i = 0; i < 20; i++) {
		char text[16];
		struct item next = { .id = 1000 + i, .in = { .low = (short)-i, .tag = "ab" } };
		struct item it = { .id = -i, .flag = i & 7, .rest = 31 - i, .next = &next, .name = "name" };
		snprintf(text, sizeof(text), "text %d", i);
		sum += take(&it, i * 1000000007L, (unsigned char)(250 + i), text) + first(i) + second(i);
	}
	printf("%ld\n", sum);
	return 0;
}
"""
# gcc -O2 splits lower(), and inlines the rest of it in it again: that begins no call of its own
SPLIT = r"""
__attribute__((noinline)) const int *table(void);
int lower(int c) { return c >= -128 && c < 256 ? table()[c] : c; }
__attribute__((noinline)) int use(int c) { return lower(c) + 1; }
int main(int argc, char **argv) { int s = 0; for (int i = 0; i < 10; i++) s += lower(i * argc) + use(i); return s == 3; }
static int t[512];
const int *table(void) { asm volatile(""); return t + 128; }
"""
LINE = SOURCE.split("\n").index("	return local + it->id; /* LINE */") + 1
FIRST = LINE - 2


def build(level):
    source = os.path.join(SCRATCH, "inlined.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    binary = os.path.join(SCRATCH, "inlined" + level)
    subprocess.run(["cc", "-g", level, "-o", binary, source, "-lpthread"], check=True)
    return binary


def recorded(*argv, events, output="i.data"):
    words = [word for event in events for word in ("-e", event)]
    done = strobe("record", "-o", output, *words, *argv)
    return done, strobe("script", "-i", output).out


def values(out, event):
    """Of each sample of an event, in order: {name: text}."""
    lines = [line for line in out.splitlines() if f":{event}: (" in line]
    return [dict(re.findall(r'(\w+)=("[^"]*"|\{[^}]*\}|\S+)', line)) for line in lines]


def expected_take(i):
    return {"id": str(-i), "flag": str(i & 7), "rest": str(31 - i), "low": str(-i), "n": str(i * 1000000007),
            "small_u8": str((250 + i) & 255), "text_string": f'"text {i}"', "name": '"name"', "second": str(1000 + i),
            "tag": "{97,98,0,0}", "turns": "77"}


def check_values(tap, level):
    binary = build(level)
    take = f"u:{binary}:take(it->id,it->flag:u,it->rest:u,low=it->next->in.low,n,small:u8,text:string,it->name:string," \
        "second=it->next->id,tag=it->next->in.tag:u,turns)"
    done, out = recorded(binary, events=[take, f"ur:{binary}:take(r=$retval)", f"u:{binary}:inlined.c:{LINE}(local)"])
    if done.status:
        tap.ok(False, f"{level}: probes of a function, its return and a line", done)
        return
    rows = values(out, "take")
    expected = [expected_take(i) for i in range(20)]
    tap.equal([{key: row.get(key) for key in expected[0]} for row in rows], expected, f"{level}: arguments have the values that they have")
    tap.equal([int(row["r"], 0) & (2 ** 64 - 1) for row in values(out, "take__return")],
              [(i * 1000000007 * 3 + 1 - i) & (2 ** 64 - 1) for i in range(20)], f"{level}: so has what the function returns")
    lines = re.findall(r"\blocal=(\d+)", out)
    # without optimisation the line begins at two addresses
    tap.equal(sorted({int(v) for v in lines}), [i * 1000000007 * 3 + 1 for i in range(20)], f"{level}: and a local variable at a line")


def check_32_bits(tap):
    """Of a 32-bit program: arguments of the convention, and what pointers of 4 bytes lead to, which tracefs cannot follow."""
    source, binary = os.path.join(SCRATCH, "inlined.c"), os.path.join(SCRATCH, "inlined32")
    for level in ("-O0", "-O2"):
        done = subprocess.run(["cc", "-m32", "-g", level, "-o", binary, source, "-lpthread"], capture_output=True, check=False)
        if done.returncode:
            tap.skip("32-bit programs", "the compiler makes none")
            return
        words = f"u:{binary}:take(it=$arg1,n=$arg2:s32,small=$arg3,text=+0($arg4):string,id=+0($arg1):s32)"
        named = f"u:{binary}:led=inlined.c:{FIRST}(it->id,low=it->next->in.low,text:string,it->name:string,second=it->next->id)"
        done, out = recorded(binary, events=[words, named])
        rows = values(out, "take")
        expected = [{"n": str((i * 1000000007 + 2 ** 31) % 2 ** 32 - 2 ** 31), "small": hex((250 + i) & 255), "text": f'"text {i}"',
                     "id": str(-i)} for i in range(20)]
        tap.ok(done.status == 0 and [{key: row.get(key) for key in expected[0]} for row in rows] == expected and
               all(0 < int(row["it"], 0) < 2 ** 32 for row in rows), f"{level}, 32 bits: arguments by number", f"{done}{out}")
        expected = [{key: expected_take(i)[key] for key in ("id", "low", "text_string", "name", "second")} for i in range(20)]
        led = [{key: row.get(key) for key in expected[0]} for row in values(out, "led")]
        # without optimisation the line begins at two addresses
        tap.equal([row for i, row in enumerate(led) if row not in led[:i]], expected, f"{level}, 32 bits: what pointers lead to")


def check_same_as_tracefs(tap, binary):
    """perf and strobe read the file as that of a tracepoint, and tracefs makes the same of the same arguments."""
    arguments = "a=+0(%di):s32 f=+4(%di):b3@0/32 n=%si text=+0(%cx):string small=%dx:u8 w=+0(%di):u8[4] cm=$comm sp=$stack0"
    group = f"probe_inl{os.getpid()}"
    if os.uname().machine != "x86_64":
        tap.skip("the arguments of tracefs mean the same", "they name registers of x86-64")
        return
    strobe("probe", "-q", "-x", binary, f"{group}:same=take {arguments}")
    try:
        _, out = recorded(binary, events=[f"{group}:same", f"u:{binary}:inline_same=take({arguments.replace(' ', ',')})"])
    finally:
        # the recorder leaves the closing of tracepoints to a process that ends a moment later
        wait_for(lambda: not strobe("probe", "-q", "-d", f"{group}:*").status)
    ours, theirs = values(out, "inline_same"), values(out, "same")
    tap.equal((len(ours), ours), (20, theirs), "the arguments of tracefs mean the same")
    if not perf_version():
        tap.skip("perf reads the same", "there is no perf")
        return
    read = perf("script", "-i", "i.data", "-F", "event,trace").out
    tap.equal([line.split(":", 2)[2].strip() for line in read.splitlines() if "inline_same" in line],
              [line.split("inline_same: ", 1)[1].strip() for line in out.splitlines() if "inline_same" in line], "perf reads the same")


def check_places(tap, binary):
    done, out = recorded(binary, events=[f"u:{binary}:spread", f"u:{binary}:first+0(a)", f"u:{binary}:sec*"])
    tap.equal(len(values(out, "spread")), 40, "every instance of an inlined function is probed")
    # where the argument was inlined it may be computed: then it is refused, and never that of the function around it
    done_with, out_with = recorded(binary, events=[f"u:{binary}:spread(a)"], output="j.data")
    got = sorted(int(row["a"]) for row in values(out_with, "spread"))
    tap.ok(got == sorted(list(range(20)) + list(range(100, 120))) or (done_with.status and "computed" in done_with.err),
           "with its own arguments, or none", f"{done_with}\n{got}")
    names = set(re.findall(r"(probe_inlined:\w+): ", out))
    tap.equal((done.status, names), (0, {f"probe_inlined:{name}" for name in ("spread", "first", "second")}), "names are those of probe")


def check_split(tap):
    for level in ("-O0", "-O2", "-O3"):
        subprocess.run(["cc", "-g", level, "-o", "split" + level, "-x", "c", "-"], input=SPLIT.encode(), cwd=SCRATCH, check=True)
        done = strobe("stat", "-x,", "-e", f"u:{SCRATCH}/split{level}:lower", f"{SCRATCH}/split{level}")
        tap.ok(done.err.startswith("20,"), f"{level}: a function that is split up is counted once a call, also where it is inlined", done)


def check_counts(tap, binary):
    done = strobe("stat", "-x,", "-e", f"u:{binary}:tick,ur:{binary}:tick,{{cs,u:{binary}:tick(i)}}", binary, "n", str(HITS))
    counts = re.findall(r"^(\d+),,(probe_\w+:\w+)", done.err, re.M)
    tap.equal(counts, [(str(HITS), "probe_inlined:tick"), (str(HITS), "probe_inlined:tick__return"), (str(HITS), "probe_inlined:tick_1")],
              f"{HITS} hits are counted exactly")
    done = strobe("record", "-o", "many.data", "-e", f"u:{binary}:tick(i)", binary, "n", str(HITS))
    seen = [int(v) for v in re.findall(r"\bi=(\d+)", strobe("script", "-i", "many.data", "-F", "trace").out)]
    lost = sum(int(n) for n in re.findall(r"LOST (\d+)|(\d+) lost", done.err) for n in n if n)
    tap.ok(len(seen) == HITS and seen == list(range(HITS)) or (len(seen) < HITS and "lost" in done.err.lower()),
           "each is recorded once and in order, or its loss is reported", f"{len(seen)} of {HITS}, {lost} lost\n{done.err}")
    done = strobe("stat", "-x,", "-e", f"u:{binary}:tick(i)", "--filter", "i >= 10 && i < 20 || i == 5", binary, "n", "1000")
    tap.ok(done.err.startswith("11,"), "stat counts what passes a filter", done)


def check_tasks(tap, binary):
    def counted(*options):
        _, out = recorded(*options, "--", binary, "tasks", events=[f"u:{binary}:who(id)"])
        ids = [row["id"] for row in values(out, "who")]
        return {i: ids.count(str(i)) for i in range(4)}
    everyone = {0: 50, 1: 50, 2: 50, 3: 50}
    tap.equal(counted(), everyone, "threads, children and what they exec are followed")
    tap.equal(counted("-i"), {0: 50, 1: 50, 2: 0, 3: 0}, "with -i children are not")
    tap.equal(counted("-a"), everyone, "-a has all of them")
    _, out = recorded("--filter", "id == 2", "--", binary, "tasks", events=[f"u:{binary}:who(id)"])
    tap.equal([row["id"] for row in values(out, "who")], ["2"] * 50, "a filter keeps what it says")
    _, out = recorded("-c", "10", "--", "taskset", "-c", "0", binary, "tasks", events=[f"u:{binary}:who(id)"])
    tap.equal(len(values(out, "who")), 20, "-c records one of so many")


def check_beside(tap, binary):
    done, out = recorded(binary, events=["cpu-clock", f"{{cs,u:{binary}:take(n)}}", "sched:sched_process_exit", f"u:{binary}:first"])
    tap.equal((done.status, len(values(out, "take")), len(values(out, "first"))), (0, 20, 20), "beside other events and in a group")
    tap.ok("sched_process_exit" in out, "which are recorded, too", out[-2000:])
    done, out = recorded("--call-graph", "dwarf", binary, events=[f"u:{binary}:take(n)"])
    frames = strobe("script", "-i", "i.data", "-F", "ip,sym").out
    tap.ok(re.search(r"take\b.*\n.*\bmain\b", frames), "with call chains", f"{done}\n{frames[:500]}")


def check_live(tap, binary):
    done = strobe("trace", "-e", f"u:{binary}:take(n,text:string),ur:{binary}:first", binary)
    lines = re.findall(r'probe_inlined:take\(.*text_string: "(text \d+)"', done.err)
    tap.equal((lines, done.err.count("probe_inlined:first__return(")), ([f"text {i}" for i in range(20)], 20), "trace prints their fields")
    with subprocess.Popen([binary, "forever"]) as child:
        try:
            done = strobe("record", "-p", str(child.pid), "-o", "p.data", "-e", f"u:{binary}:tick(i)", "--", "sleep", "0.3")
            numbers = [int(v) for v in re.findall(r"\bi=(\d+)", strobe("script", "-i", "p.data").out)]
            tap.ok(len(numbers) > 10 and numbers == list(range(numbers[0], numbers[0] + len(numbers))),
                   "of a process that runs already each hit is recorded", f"{done}\n{numbers[:20]}")
            shown = run("timeout", "3", STROBE, "top", "--stdio", "-d", "1", "-p", str(child.pid), "-e", f"u:{binary}:tick(i)").out
            tap.ok("probe_inlined:tick" in shown and re.search(r"100\.00% .*tick", shown), "top shows where it is", shown[:2000])
            check_killed(tap, binary, child.pid)
        finally:
            child.kill()


def code_in_file(binary, name):
    code = run("objdump", "-d", f"--disassemble={name}", binary).out
    return bytes.fromhex(re.search(r"^\s+[0-9a-f]+:\t([0-9a-f]{2})", code, re.M).group(1))


def code_at(pid, binary, name):
    """What is in the memory of the process where the function begins."""
    symbol = int(re.search(rf"^0*([0-9a-f]+) T {name}$", run("nm", binary).out, re.M).group(1), 16)
    for line in open(f"/proc/{pid}/maps", encoding="utf-8"):
        fields = line.split()
        begin, end = (int(x, 16) for x in fields[0].split("-"))
        offset = int(fields[2], 16)
        if fields[-1] == binary and offset <= symbol < offset + end - begin:
            with open(f"/proc/{pid}/mem", "rb") as memory:
                memory.seek(begin + symbol - offset)
                return memory.read(1)
    return b""


def wait_for(condition):
    until = time.monotonic() + 20
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)


def check_killed(tap, binary, pid):
    whole = code_in_file(binary, "tick")
    wait_for(lambda: code_at(pid, binary, "tick") == whole)  # what was recorded before is over
    argv = [STROBE, "record", "-p", str(pid), "-o", "k.data", "-e", f"u:{binary}:tick(i)"]
    with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as child:
        wait_for(lambda: code_at(pid, binary, "tick") != whole)
        probed = code_at(pid, binary, "tick")
        child.send_signal(signal.SIGKILL)
    wait_for(lambda: code_at(pid, binary, "tick") == whole)
    with open("/sys/kernel/tracing/uprobe_events", encoding="utf-8") as f:
        left = [line for line in f if binary in line]
    tap.ok(probed != whole and code_at(pid, binary, "tick") == whole and not left,
           "killed by -9 the command leaves no probe, neither in code nor in tracefs", f"{whole} {probed} {left}")


def check_mistakes(tap, binary):
    for event, words in ((f"u:{binary}:no_such", "no function 'no_such'"), (f"u:{binary}:take(nosuch)", "no variable 'nosuch'"),
                         (f"u:{binary}:take(%nosuch)", "no such register"), (f"u:{binary}:take+1(n)", ""),
                         (f"u:{binary}:spread($arg1)", "at the entry"), ("u:/no/such/file:f", "/no/such/file"),
                         (f"u:{binary}:take(text:u7)", ""), (f"u:{binary}:take($retval)", "")):
        done = strobe("record", "-o", "no.data", "-e", event, "true")
        tap.ok(done.status and words in done.err and len(done.err.splitlines()) < 4 and not os.path.exists("no.data"),
               f"{event.split(':', 2)[-1]}: a sentence, and nothing is recorded", done)
    done = strobe("record", "-o", "no.data", "-F", "100", "-e", f"u:{binary}:tick", "true")
    tap.ok(done.status and "-c instead of -F" in done.err, "a frequency is refused", done)


def main():
    require_root("probing programs")
    require_inline_probes()
    tap = Tap()
    strobe("list", "sched:*")  # mounts tracefs where it is not yet
    for level in ("-O0", "-O1", "-O2", "-O3"):
        check_values(tap, level)
    binary = build("-O2")
    check_32_bits(tap)
    check_same_as_tracefs(tap, binary)
    check_places(tap, binary)
    check_split(tap)
    check_counts(tap, binary)
    check_tasks(tap, binary)
    check_beside(tap, binary)
    check_live(tap, binary)
    check_mistakes(tap, binary)
    tap.done()


main()
