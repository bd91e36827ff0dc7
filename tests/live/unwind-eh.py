#!/usr/bin/env python3
"""record --call-graph eh: stacks unwound in the kernel are correct and complete; any perf reads the file."""
# needs: record report script
# serial
# timeout: 300

import ctypes
import json
import os
import re
import shutil
import struct
import subprocess

from stacks import (INNER, OUTER, OUTERMOST, PYTHON_WORK, build_switched, clang_work, is_right, names_of, switched_stacks,
                    whole)
from strobetest import (PERF, SCRATCH, STROBE, Tap, build_workload, is_root, record, run, script_samples, skip_all,
                        strobe)

EVENT = ["-e", "cpu-clock:u", "-F", "8000"]
EH = ["--call-graph", "eh"]
NR_BPF = 321  # x86-64


def counted(*argv, output="counted.data"):
    """A recording with -v: its path, and how many stacks it says were walked and are cut."""
    path = os.path.join(SCRATCH, output)
    done = strobe("record", "-v", "-o", path, *EH, *argv, timeout_s=120)
    said = re.search(r"(\d+) stacks unwound by the BPF program, (\d+) of them completed in user space; (\d+) are truncated", done.err)
    return path, [int(n) for n in said.groups()] if said else [0, 0, 0], done


def known_stacks(tap):
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer", "-foptimize-sibling-calls")
    for scenario in OUTER:
        path = record(*EVENT, *EH, "--", binary, scenario, "200", output=f"{scenario}.data")
        samples = [s for s in script_samples(path, "--max-stack", "512") if s.stack and s.stack[0][1] in INNER]
        wrong = [names_of(s) for s in samples if not is_right(scenario, names_of(s))]
        tap.between(200, len(samples), 9000, f"{scenario}: samples")
        tap.equal(wrong[:3], [], f"{scenario}: each stack is the true one, of {len(samples)}")


def stubs(tap):
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer", "-fno-builtin", "-Wl,-z,lazy")
    path = record(*EVENT, *EH, "--", binary, "stubs", "300", output="stubs.data")
    whole(tap, path, "PLT stubs")


def python(tap):
    found = run("python3", "-c", "import sys; print(sys.executable)").out.strip()
    argv = ["-e", "cpu-clock:u", "-F", "4000", "--no-bpf-event", "--", found, "-c", PYTHON_WORK]  # others may have loaded thousands
    path, (stacks, _, cut), done = counted(*argv, output="python.data")
    tap.between(1000, stacks, 9000, "python3 at 4000 Hz: stacks")
    tap.ok(cut < 0.01 * stacks, f"python3: under 1 % of the stacks are cut ({cut} of {stacks})", done.err)
    tap.ok("LOST" not in done.err, "python3: none lost", done.err)
    whole(tap, path, "python3")
    tap.ok(os.path.getsize(path) < 800 * stacks, "python3: under 0.8 KB a sample", str(os.path.getsize(path)))


def clang(tap):
    work = clang_work(tap)
    if not work:
        return
    path, (stacks, _, cut), done = counted("-e", "cpu-clock:u", "-F", "2000", "--no-bpf-event", "--", *work,
                                             output="clang.data")
    tap.between(100, stacks, 90000, "clang: stacks")
    tap.ok(cut < 0.01 * stacks, f"clang: under 1 % of the stacks are cut ({cut} of {stacks})", done.err)
    whole(tap, path, "clang")
    tap.ok(os.path.getsize(path) < 900 * stacks + 60000, "clang: bytes a sample", str(os.path.getsize(path)))


def threads(tap):
    binary = build_workload("threads", "-O2", "-fomit-frame-pointer", libraries=["-lpthread"])
    path = record("-e", "cpu-clock:u", "-F", "2000", *EH, "--", binary, "5", output="threads.data")
    whole(tap, path, "threads")
    ends = {names_of(s)[-1] for s in script_samples(path) if "work" in names_of(s)}
    tap.ok(ends and ends <= OUTERMOST - {"_start", "_dl_start_user"}, "threads: they begin in clone", str(ends))


def scopes(tap):
    """System-wide, processes that run already, several threads and what they start."""
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    with subprocess.Popen([binary, "recursion", "3000"]) as running:
        for title, scope in (("-p", ["-p", str(running.pid)]), ("-a", ["-a"])):
            path = record("-e", "cpu-clock:u", "-F", "2000", *EH, *scope, "--", "sleep", "0.5", output=f"scope{title}.data")
            samples = [s for s in script_samples(path, "--max-stack", "512") if s.pid == running.pid]
            samples = [s for s in samples if s.stack[0][1] in INNER]
            wrong = [names_of(s) for s in samples if not is_right("recursion", names_of(s))]
            tap.between(20, len(samples), 9000, f"{title}: samples of a process that ran before")
            tap.equal(wrong[:2], [], f"{title}: each stack is the true one, of {len(samples)}")
        running.kill()
    path = record("-e", "cpu-clock:u", "-F", "4000", *EH, "--", "sh", "-c", f"{binary} alloca 100; {binary} alloca 100 & wait",
                  output="children.data")
    samples = [s for s in script_samples(path) if s.comm == "stacks" and s.stack[0][1] in INNER]
    wrong = [names_of(s) for s in samples if not is_right("alloca", names_of(s))]
    tap.equal(len({s.pid for s in samples}), 2, "programs that start meanwhile: both are there")
    tap.equal(wrong[:2], [], f"programs that start meanwhile: each stack is the true one, of {len(samples)}")


def late_libraries(tap):
    """What is walked from copies until tables are there: over pages never written to, in code that was mapped or deleted meanwhile."""
    flags = ["-O2", "-fomit-frame-pointer"]
    binary = build_workload("loaded", *flags, libraries=["-ldl"])
    library = build_workload("loaded", *flags, "-DLIBRARY", "-fPIC", "-shared", suffix=".so")
    chain = ["with_array", "main"]
    for title, late_ms, more in (("started by us", 0, []), ("running before", 700, []), ("deleted", 0, ["deleted"])):
        copy, path = library + title[0], os.path.join(SCRATCH, "loaded.data")
        shutil.copy(library, copy)
        argv = [binary, copy, str(late_ms), "300", *more]
        if late_ms:
            with subprocess.Popen(argv) as running:
                done = strobe("record", "-o", path, *EVENT, *EH, "-p", str(running.pid))
        else:
            done = strobe("record", "-o", path, *EVENT, *EH, "--", *argv)
        samples = [s for s in script_samples(path) if "with_array" in names_of(s) or (s.stack and s.stack[0][1] == "busy")]
        ends = [names_of(s) for s in samples]
        wrong = [names for names in ends if names[-1] != "_start" or [n for n in names if n in chain] != chain]
        tap.ok(len(samples) > 50, f"a library of a process {title}: samples ({len(samples)})", done)
        tap.equal(wrong[:3], [], f"a library of a process {title}: each stack is whole")


def many_mappings(tap):
    """The program finds mappings in the kernel's tree, which is four levels deep here, or is not a tree of nodes yet."""
    binary = build_workload("crowded", "-O2", "-fomit-frame-pointer")
    for number in (0, 100, 20000):
        path, (stacks, in_user, _), done = counted(*EVENT[:2], "-F", "4000", "--", binary, str(number), "200", output="crowded.data")
        samples = [names_of(s) for s in script_samples(path) if s.stack and s.stack[0][1] == "busy"]
        wrong = [names for names in samples if "main" not in names or names[-1] != "_start"]
        tap.ok(len(samples) > 50 and not wrong, f"{number} mappings: each of {len(samples)} stacks is whole", str(wrong[:3]))
        tap.ok(in_user < 0.3 * stacks, f"{number} mappings: and walked in the kernel ({in_user} of {stacks} are not)", done.err)


def slow_table(tap):
    """The reader of rings does not wait while a table is made; copies of stacks fill a ring of 256 KB in less time."""
    binary = build_workload("slow_table", "-O2", "-fomit-frame-pointer")
    for title, argv in (("one reader", []), ("--threads", ["--threads"])):
        path = os.path.join(SCRATCH, "slow.data")
        done = strobe("record", "-v", "-N", "-m", "256K", "-e", "cpu-clock:u", "-F", "2000", "--no-bpf-event", *EH, *argv, "-o", path,
                      "--", binary, "500", env={"XDG_CACHE_HOME": "/nonexistent"})  # no kept table
        samples = [names_of(s) for s in script_samples(path) if s.stack and s.stack[0][1] == "busy"]
        tap.ok(len(samples) > 100 and "LOST" not in done.err, f"a table that is made slowly, {title}: none lost", done.err)
        wrong = [names for names in samples if "main" not in names or names[-1] != "_start"]
        tap.equal(wrong[:3], [], f"a table that is made slowly, {title}: each of {len(samples)} stacks is whole")
        times = [float(t) for t in strobe("script", "-i", path, "-F", "time").out.replace(":", "").split()]
        tap.ok(len(times) >= len(samples) and times == sorted(times), f"a table that is made slowly, {title}: rounds are in order of time")
        if os.access(PERF, os.X_OK) and not argv:
            theirs = run(PERF, "report", "-D", "-i", path)
            tap.ok(not theirs.status and "out of order" not in theirs.err, "and for the reference, too", theirs.err)


def short_processes(tap):
    """What one process made known serves the next, whatever address its files have there."""
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    loop = f"for i in $(seq 100); do {binary} alloca 4; done"
    path, (stacks, in_user, _), done = counted(*EVENT[:2], "-F", "4000", "--", "sh", "-c", loop, output="short.data")
    samples = [s for s in script_samples(path) if s.stack and s.stack[0][1] in INNER]
    wrong = [names_of(s) for s in samples if not is_right("alloca", names_of(s))]
    tap.ok(len({s.pid for s in samples}) > 90, "short processes: nearly all are sampled", str(len({s.pid for s in samples})))
    tap.equal(wrong[:3], [], f"short processes: each stack is the true one, of {len(samples)}")
    tap.ok(in_user < 50, f"100 short processes: fewer than 50 of {stacks} stacks are walked in user space ({in_user})", done.err)


def kernel_part(tap):
    path = record("-e", "cpu-clock", "-F", "4000", *EH, "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=6000",
                  output="kernel.data")
    samples = [s for s in script_samples(path) if s.stack and s.comm == "dd"]
    # dd has no symbol for its _start
    both = [s for s in samples if s.stack[0][0] >> 63 and names_of(s)[-2].startswith("__libc_start_main")]
    inside = [s for s in samples if s.stack[0][0] >> 63]
    tap.ok(inside and len(both) > 0.9 * len(inside), f"kernel's chains lead to where the program begins ({len(both)} of {len(inside)})")


def in_exec(tap):
    """Once exec has released the memory of its callers, its call is all that is left of a stack: this is said, and no other reason."""
    path = os.path.join(SCRATCH, "exec.data")
    loop = "i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i+1)); done"
    done = strobe("record", "-o", path, "-e", "cpu-clock", "-F", "15000", *EH, "--", "sh", "-c", loop, timeout_s=120)
    said = re.search(r"(\d+) of (\d+) stacks end at a call of execve", done.err)
    samples = script_samples(path, "--no-inline")
    stacks = [([name for ip, name in s.stack if ip >> 63], [name for ip, name in s.stack if not ip >> 63]) for s in samples]
    left = [kernel for kernel, user in stacks if len(user) == 1 and user[0] != "_start" and any("execve" in n for n in user + kernel)]
    tap.ok(said and abs(int(said[1]) - len(left)) <= 0.02 * len(left), f"exec: {len(left)} stacks of {len(samples)} have only its call",
           done.err)
    loads = [kernel for kernel in left if any(re.match("begin_new_exec|load_|setup_arg|elf_|exec_binprm|bprm_execve", k) for k in kernel)]
    tap.between(0.97 * len(left), len(loads), len(left), "exec: there the kernel loads a program")
    tap.ok("without call frame" not in done.err, "exec: no other reason", done.err)
    cut = re.search(r"(\d+) of \d+ stacks are truncated", said := strobe("script", "-i", path).err)
    tap.ok(not cut or int(cut[1]) < 0.01 * len(samples), "exec: script, too", said)


def reference(tap):
    if not os.access(PERF, os.X_OK):
        tap.skip("the reference reads the file", "no reference perf on this machine")
        return
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    path = record(*EVENT, *EH, "--", binary, "alloca", "200", output="reference.data")
    done = run(PERF, "script", "-i", path, "-F", "ip,sym")
    stacks = [re.findall(r"^\s+[0-9a-f]+ (\S+)", block, re.M) for block in done.out.split("\n\n") if block.strip()]
    ours = [names_of(s) for s in script_samples(path)]
    tap.equal(len(stacks), len(ours), "the reference sees as many samples")
    tap.equal([s for s in stacks[20:-20] if s[-1] != "_start"][:2], [], "the reference shows whole stacks")
    done = run(PERF, "report", "--stdio", "-i", path)
    tap.ok(done.status == 0 and "with_alloca" in done.out, "the reference reports it", str(done))


def fields(tap):
    """Samples come as one record with their stacks, or, of several events, after them: what else they have is the kernel's."""
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    cpu = min(os.sched_getaffinity(0))
    for events in ("cpu-clock:u", "cpu-clock:u,task-clock:u"):
        path = record("-e", events, "-c", "500000", "--sample-cpu", *EH, "--", "taskset", "-c", str(cpu), binary, "alloca", "200",
                      output=f"fields{len(events)}.data")
        samples = [s for s in script_samples(path) if s.stack and s.stack[0][1] in INNER]
        wrong = [names_of(s) for s in samples if not is_right("alloca", names_of(s))]
        tap.equal(wrong[:3], [], f"{events}: each stack is the true one, of {len(samples)}")
        reader = PERF if os.access(PERF, os.X_OK) else STROBE
        done = run(reader, "script", "-i", path, "-F", "comm,cpu,period,event,ip,sym")
        heads = re.findall(r"^\s*stacks\s+\[(\d+)\]\s+(\d+)\s+(\S+):", done.out, re.M)
        tap.ok(len(heads) > 100, f"{events}: the reader shows samples of the program ({len(heads)})", done.out[:600])
        tap.equal({(int(c), int(n)) for c, n, _ in heads[5:]}, {(cpu, 500000)}, f"{events}: each has its CPU and period")
        tap.equal({e for _, _, e in heads}, set(events.split(",")), f"{events}: each has its event")


def cut_is_counted(tap):
    """Code without tables that keeps no frame pointer, and not the first instructions of a program, whose stack is whole."""
    source = os.path.join(SCRATCH, "bare.s")
    binary = os.path.join(SCRATCH, "bare")
    with open(source, "w", encoding="ascii") as out:
        out.write(".globl _start\n_start:\n push %rax\n mov $400000000, %rcx\n mov $1, %rbp\n1: dec %rcx\n jnz 1b\n"
                  " mov $60, %eax\n xor %edi, %edi\n syscall\n")
    subprocess.run(["cc", "-nostdlib", "-static", "-o", binary, source], check=True)
    path, (stacks, _, cut), done = counted("-e", "cpu-clock:u", "-F", "2000", "--", binary)
    tap.ok(stacks > 50 and cut > 0.9 * stacks, f"cut stacks are counted ({cut} of {stacks})", done.err)
    tap.ok("stacks are truncated" in done.err, "and named at the end", done.err)
    done = strobe("report", "--stdio", "-i", path)
    said = re.search(r"(\d+) of (\d+) stacks are truncated", done.err)
    tap.equal(said.groups() if said else done.err, (str(cut), str(stacks)), "the report says how many")


def switched(tap):
    binary = build_switched()

    def samples_of(scenario):
        return script_samples(record(*EVENT, *EH, "--", binary, scenario, "200", output=f"{scenario}.data"))
    found = switched_stacks(tap, samples_of)
    tap.ok(found and all(names[:2] == ("on_signal", "__restore_rt") and "interrupted" in names and names[-1] == "_start"
                         for names in found), "alternate stack elsewhere: the walk goes on in what it interrupted", found)


def all_is_shown(tap):
    """Every frame that was recorded, where no limit is given: a recursion of 300 calls."""
    binary = build_workload("recurse", "-O2", "-fomit-frame-pointer", "-DDEPTH=300", suffix="300")
    path = record("-e", "cpu-clock:u", "-F", "2000", *EH, "--", binary, "200", output="recursion.data")
    in_leaf = [names_of(s) for s in script_samples(path) if s.stack and s.stack[0][1] == "leaf"]
    wrong = [names.count("descend") for names in in_leaf if names.count("descend") != 300]
    tap.ok(len(in_leaf) > 50 and not wrong, f"script prints 300 calls in each of {len(in_leaf)} stacks", str(wrong[:5]))
    for title, words in (("flamegraph", ["flamegraph", "--folded"]), ("report", ["report", "--stdio", "-G", "-g", "folded,0"])):
        text = strobe(*words, "-i", path).out
        counts = {line.count("descend") for line in text.splitlines() if ";leaf" in line}
        tap.equal(counts, {300}, f"{title} shows 300 calls")
    text = strobe("flamegraph", "--folded", "--max-stack", "100", "-i", path).out
    counts = {len(line.split(";")) for line in text.splitlines()}
    tap.ok(max(counts) == 101, "--max-stack limits them", str(counts))


def deeper_than_walked(tap):
    binary = build_workload("recurse", "-O2", "-fomit-frame-pointer", "-DDEPTH=600", suffix="600")
    path, (stacks, _, cut), done = counted("-e", "cpu-clock:u", "-F", "2000", "--", binary, "200", output="deep.data")
    frames = [len(s.stack) for s in script_samples(path, "--max-stack", "600")]
    tap.ok(stacks > 50 and cut > 0.9 * stacks and max(frames) == 512, f"a recursion of 600 calls: 512 frames ({cut} of {stacks})")
    said = strobe("report", "--stdio", "-i", path).err
    deep = "exceed the maximum number of frames"
    tap.ok(deep in done.err and deep in said, "and it is said why", done.err + said)


CODE_32BIT = """
static volatile int sink;
__attribute__((noinline)) static void leaf(int n) { for (volatile int i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) static void middle(int n) { leaf(n); sink++; }
__attribute__((noinline)) void outer(void)
{
	int kept[8];
	for (int k = 0; k < 2000; k++) {
		for (int i = 0; i < 8; i++)
			kept[i] = k + i;
		middle(100000);
		sink += kept[k & 7];
	}
}
__asm__(".globl _start\\n.type _start, @function\\n_start: .cfi_startproc\\n.cfi_undefined eip\\n"
	"call outer\\nmov $1, %eax\\nxor %ebx, %ebx\\nint $0x80\\n.cfi_endproc\\n.size _start, .-_start");
"""


def of_32_bits(tap):
    """A 32-bit program, without frame pointers and a C library: no package of one is needed."""
    source, binary = (os.path.join(SCRATCH, name) for name in ("narrow.c", "narrow"))
    with open(source, "w", encoding="ascii") as out:
        out.write(CODE_32BIT)
    flags = "-m32 -O2 -fomit-frame-pointer -fasynchronous-unwind-tables -fno-pic -no-pie -nostdlib -static -fno-stack-protector"
    if run("cc", *flags.split(), "-o", binary, source).status:
        tap.skip("32-bit programs", "the compiler makes none")
        return
    path, (stacks, in_user, cut), done = counted("-e", "cpu-clock:u", "-F", "2000", "--", binary, output="narrow.data")
    chain = ["leaf", "middle", "outer", "_start"]
    found_stacks = [[re.sub(r"\..*", "", name) for name in names_of(s)] for s in script_samples(path)]
    deep = [names for names in found_stacks if names[:1] == ["leaf"]]
    tap.ok(len(deep) > 50 and all(names == chain for names in deep), f"32-bit: each stack is the true one, of {len(deep)}",
           str([names for names in deep if names != chain][:3]))
    tap.ok(stacks > 50 and in_user == stacks, f"32-bit: they are walked in user space, {in_user} of {stacks}", done.err)
    tap.ok(cut < 0.01 * stacks, f"32-bit: under 1 % are cut ({cut})", done.err)


BARE_32BIT = r"""
/* push_and_move has an FDE that says nothing of its push, as glibc's memcpy; reads_its_place has none. */
__asm__(".globl push_and_move, reads_its_place, _start\n.type push_and_move, @function\n"
	"push_and_move: .cfi_startproc\nmov %edi, %edx\nmov 4(%esp), %ecx\nmov $area, %edi\ntest %ecx, %ecx\nje 1f\npush %eax\n"
	"rep stosb\npop %eax\n1: mov %edx, %edi\nret\n.cfi_endproc\n.size push_and_move, .-push_and_move\n"
	".type reads_its_place, @function\nreads_its_place: push %ebx\npush %esi\ncall 1f\n1: pop %ebx\nlea 0(%esi),%esi\n"
	"mov 12(%esp), %ecx\n2: inc %esi\nsub $8, %esp\nmov %esi, 4(%esp)\nadd $8, %esp\ndec %ecx\njne 2b\npop %esi\npop %ebx\nret\n"
	".size reads_its_place, .-reads_its_place\n"
	".type _start, @function\n_start: .cfi_startproc\n.cfi_undefined eip\nmov %esp, %eax\npush %eax\ncall begin\n"
	"mov $1, %eax\nxor %ebx, %ebx\nint $0x80\n.cfi_endproc\n.size _start, .-_start");
char area[1 << 20];
static void *vsyscall;
static volatile int sink;
void push_and_move(int), reads_its_place(int);
struct action { void (*handler)(int); unsigned long flags; void *restorer; unsigned mask[2]; };
__attribute__((noinline)) static void handler(int n) { for (volatile int i = 0; i < 300000; i++) sink += n; }
__attribute__((noinline)) static int by_interrupt(int nr, long a, long b, long c, long d)
{ __asm__ volatile("int $0x80" : "+a"(nr) : "b"(a), "c"(b), "d"(c), "S"(d) : "memory"); return nr; }
__attribute__((noinline)) static int by_vdso(int nr, long a)
{ __asm__ volatile("call *%2" : "+a"(nr) : "b"(a), "m"(vsyscall) : "memory"); return nr; }
__attribute__((noinline)) static void copies(void) { for (int i = 0; i < 40; i++) { push_and_move(sizeof(area)); sink++; } }
__attribute__((noinline)) static void places(void) { for (int i = 0; i < 3; i++) { reads_its_place(500000); sink++; } }
__attribute__((noinline)) static void calls(void) { for (int i = 0; i < 3000; i++) { by_vdso(20, 0); sink++; } }
__attribute__((noinline)) static void signals(int flags)
{
	struct action a = { handler, (unsigned long)flags, 0, { 0, 0 } };
	by_interrupt(174, 10, (long)&a, 0, 8);
	by_interrupt(37, by_interrupt(20, 0, 0, 0, 0), 10, 0, 0);
	sink++;
}
void begin(long *stack)
{
	long *at = stack + *stack + 2;
	while (*at++)
		;
	for (; *at; at += 2)
		if (*at == 32 /* AT_SYSINFO */)
			vsyscall = (void *)at[1];
	for (int i = 0; i < 60; i++) { copies(); places(); calls(); signals(0); signals(4); sink++; }
}
"""


def bare_of_32_bits(tap):
    """32-bit code whose call frame information is missing or says too little, system calls through the vdso, handlers of signals."""
    source, binary = (os.path.join(SCRATCH, name) for name in ("bare.c", "bare"))
    with open(source, "w", encoding="ascii") as out:
        out.write(BARE_32BIT)
    flags = "-m32 -O2 -fomit-frame-pointer -fasynchronous-unwind-tables -fno-pic -no-pie -nostdlib -static -fno-stack-protector"
    if run("cc", *flags.split(), "-o", binary, source).status:
        tap.skip("bare 32-bit code", "the compiler makes no 32-bit programs")
        return
    path, (stacks, _, cut), done = counted("-e", "cpu-clock", "-F", "2000", "--", binary, output="bare.data")
    tap.ok(stacks > 100 and cut < 0.03 * stacks, f"bare 32-bit code: under 3 % are cut ({cut} of {stacks})", done.err)
    below = {"push_and_move": ["copies"], "reads_its_place": ["places"], "__kernel_vsyscall": ["by_vdso", "calls"],
             "handler": ["__kernel_(rt_)?sigreturn", "by_interrupt", "signals"]}
    samples = [[re.sub(r"\..*", "", name) for name in names_of(s)] for s in script_samples(path) if s.comm == "bare"]
    for leaf, chain in below.items():
        met = [names[names.index(leaf) + 1:] for names in samples if leaf in names]
        chain = chain + ["begin", "_start"]
        wrong = [names for names in met if len(names) != len(chain) or not all(map(re.fullmatch, chain, names))]
        tap.ok(len(met) > 10 and not wrong, f"bare 32-bit code: each of {len(met)} stacks of {leaf} is the true one", wrong[:3])


def forbid_bpf():
    """In a child: a seccomp filter, as a container has one, that answers bpf(2) with EPERM."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in (
        (0x20, 0, 0, 0),  # load the number of the system call
        (0x15, 0, 1, NR_BPF),
        (0x06, 0, 0, 0x00050001),  # SECCOMP_RET_ERRNO | EPERM
        (0x06, 0, 0, 0x7FFF0000),  # SECCOMP_RET_ALLOW
    )))
    program = struct.pack("HxxxxxxP", 4, ctypes.addressof(code))
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    if libc.prctl(22, 2, program, 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        os._exit(99)


def automatic(tap):
    path = os.path.join(SCRATCH, "auto.data")
    for flag, mode in (("-fno-omit-frame-pointer", "fp"), ("-fomit-frame-pointer", "dwarf")):
        binary = build_workload("stacks", "-O2", flag, suffix=mode)
        argv = [STROBE, "record", "-v", "-o", path, *EVENT, "--call-graph", "auto", "--", binary, "alloca", "50"]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        tap.ok("stacks unwound by the BPF program" in done.stderr, f"auto is eh where that is possible ({flag})", done.stderr)
        done = subprocess.run(argv, capture_output=True, text=True, check=False, preexec_fn=forbid_bpf)
        tap.ok(f"--call-graph auto is {mode}: " in done.stderr, f"auto is {mode} where it is not ({flag})", done.stderr)
        # dumps come with registers; what completes a chain of frame pointers does not
        has_dumps = "sample_regs_user" in strobe("evlist", "-v", "-i", path).out
        tap.equal(has_dumps, mode == "dwarf", f"and the file has stack dumps or not ({flag})")
    done = subprocess.run([STROBE, "record", "-o", path, *EH, "--", "true"], capture_output=True, text=True, check=False,
                          preexec_fn=forbid_bpf)
    tap.ok(done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1 and "CAP_BPF" in done.stderr,
           "without the permission to load programs: one line", done.stderr)


def by_g(tap):
    """-g: whole stacks where that is possible; else frame pointers, of which -v alone tells. Never dumps."""
    path = os.path.join(SCRATCH, "g.data")
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    for title, forbid, expected in (("possible", None, "by call frame information (eh)"), ("forbidden", forbid_bpf, "by frame pointers: ")):
        argv = [STROBE, "record", "-o", path, *EVENT, "-g", "--", binary, "alloca", "50"]
        done = subprocess.run([*argv[:2], "-v", *argv[2:]], capture_output=True, text=True, check=False, preexec_fn=forbid)
        tap.ok("call chains " + expected in done.stderr, f"-g, eh {title}: -v says what is recorded", done.stderr)
        done = subprocess.run(argv, capture_output=True, text=True, check=False, preexec_fn=forbid)
        tap.ok(not done.returncode and "call chains" not in done.stderr, f"-g, eh {title}: nothing without it", done.stderr)
        whole_ones = [s for s in script_samples(path) if s.stack and s.stack[0][1] in INNER and is_right("alloca", names_of(s))]
        tap.ok((len(whole_ones) > 20) == (forbid is None), f"-g, eh {title}: {len(whole_ones)} whole stacks")
        said = strobe("evlist", "-v", "-i", path).out
        tap.ok("CALLCHAIN" in said and "sample_regs_user" not in said, f"-g, eh {title}: the file has call chains", said)
    for title, words in (("--per-thread", ["--per-thread"]), ("a tracepoint", ["-e", "sched:sched_switch"])):
        done = strobe("record", "-v", "-o", path, "-g", *words, "--", "true")
        tap.ok(not done.status and "call chains by frame pointers: " in done.err, f"-g with {title}: frame pointers", str(done))
    done = strobe("record", "-v", "-o", path, "--call-graph", "fp", "--", "true")
    tap.ok("call chains by" not in done.err, "--call-graph fp is as before", done.err)


def top_by_g(tap):
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    for title, words, is_eh in (("-g", ["-g"], True), ("fp", ["--call-graph", "fp"], False)):
        with subprocess.Popen([binary, "recursion", "9000"]) as running:
            done = strobe("top", "-v", "--format", "json", "--refreshes", "2", "-d", "1", "-z", "-s", "sym", "-p", str(running.pid), *words)
            running.kill()
        tap.equal("(eh)" in done.err, is_eh, f"top {title} says how call chains are recorded")
        last = json.loads(done.out.strip().splitlines()[-1])
        rows = {row["symbol"]: row["values"][0]["children"]["percent"] for row in last["report"]["events"][0]["rows"]}
        share = rows.get("main", 0)
        tap.ok((share > 95) == is_eh, f"top {title}: main is in {share} % of the stacks", done.out[:500])


def refusals(tap):
    for title, argv in (
            ("--per-thread", ["--per-thread", "--", "true"]), ("--overwrite", ["--overwrite", "--", "true"]),
            ("--kernel-callchains", ["--kernel-callchains", "--", "true"]), ("tracepoints", ["-e", "sched:sched_switch", "--", "true"])):
        done = strobe("record", "-o", os.path.join(SCRATCH, "no.data"), *EH, *argv)
        tap.ok(done.status != 0 and "eh" in done.err and len(done.err.split("\n Usage:")[0].strip().splitlines()) == 1,
               f"{title}: one line says why not", str(done))


def main():
    if not is_root():
        skip_all("needs root")
    why = subprocess.run([STROBE, "record", "-o", os.path.join(SCRATCH, "try.data"), *EH, "--", "true"], capture_output=True,
                         text=True, check=False)
    if why.returncode:
        skip_all(why.stderr.strip())
    tap = Tap()
    known_stacks(tap)
    stubs(tap)
    python(tap)
    clang(tap)
    threads(tap)
    scopes(tap)
    late_libraries(tap)
    many_mappings(tap)
    slow_table(tap)
    short_processes(tap)
    kernel_part(tap)
    in_exec(tap)
    reference(tap)
    fields(tap)
    cut_is_counted(tap)
    switched(tap)
    all_is_shown(tap)
    deeper_than_walked(tap)
    of_32_bits(tap)
    bare_of_32_bits(tap)
    refusals(tap)
    automatic(tap)
    by_g(tap)
    top_by_g(tap)
    tap.done()


main()
