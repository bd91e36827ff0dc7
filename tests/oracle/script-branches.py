#!/usr/bin/env python3
"""Branch stacks, instructions and guests, which no test machine records: recordings made by hand, printed as perf does."""
# needs: script

import json
import os
import subprocess

from recording import HOSTNAME, ID, IP, NOBODY, OSRELEASE, PERIOD, TID, TIME, Recording
from strobetest import SCRATCH, Tap, perf, strobe

ARCH, BRANCH_STACK, BRANCH_USER, BRANCH_ANY = 6, 1 << 11, 1, 1 << 3
PID = NOBODY + 10
MISPREDICTED, PREDICTED, IN_TX, ABORT = 1, 2, 4, 8
# points of the program are local labels, so that both sides see its two functions alone
PROGRAM = """
	.text
	.globl _start
	.type _start,@function
_start:	xor %eax,%eax
	mov $3,%ecx
back:	add $1,%eax
call:	call work
after:	dec %ecx
jne:	jne back
	mov $60,%eax
	xor %edi,%edi
sys:	syscall
	.size _start,.-_start
	.globl work
	.type work,@function
work:	push %rbp
	mov %rsp,%rbp
	lea 0x10(%rax,%rcx,4),%rdx
	cmp %rdx,%rax
ja:	ja pop
	nopw 0x0(%rax,%rax,1)
	mov 0x0(%rip),%rsi
pop:	pop %rbp
ret:	ret
	.size work,.-work
"""


def build():
    """The program without its local labels, and where they were."""
    path = os.path.join(SCRATCH, "prog")
    with open(path + ".S", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    subprocess.run(["gcc", "-nostdlib", "-static", "-o", path, path + ".S"], check=True)
    at = {}
    for line in subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout.splitlines():
        address, _, name = line.split()
        at[name] = int(address, 16)
    for name in ("back", "call", "after", "jne", "sys", "ja", "pop", "ret"):
        subprocess.run(["strip", "-N", name, path], check=True)
    return path, at


def cycles(n):
    return n << 4


def write_branches(program, at, path):
    r = Recording()
    r.event("cycles:u", [1], sample_type=IP | TID | TIME | PERIOD | BRANCH_STACK)
    attr, ids, name = r.events[0]
    r.events[0] = (attr[:72] + r.pack("Q", BRANCH_USER | BRANCH_ANY) + attr[80:], ids, name)
    r.features[HOSTNAME], r.features[ARCH], r.features[OSRELEASE] = r.text("lab"), r.text("x86_64"), r.text("6.1.0")
    base = at["_start"] & ~0xfff
    r.comm(PID, PID, "prog", 1000)
    r.mmap2(PID, base, 0x1000, base - 0x400000, program, 1001)
    turn = (at["jne"], at["back"], PREDICTED | cycles(7))
    back = (at["ret"], at["after"], PREDICTED | cycles(3))
    work = (at["call"], at["work"], PREDICTED | cycles(2))
    out = (at["ja"], at["pop"], MISPREDICTED | cycles(12))
    samples = [
        (at["call"], [turn, back, out, work, (at["jne"], at["back"], PREDICTED)]),
        (at["back"], [turn]),
        (at["pop"], [work, turn]),  # a branch is missing before the sample
        (at["pop"], [(0, at["work"], PREDICTED), (at["jne"], 0xffffffff81000000, PREDICTED)]),
        (at["pop"], []),
        (at["jne"], [turn, (at["ret"], at["after"], cycles(3)), (at["ja"], at["pop"], MISPREDICTED | IN_TX)]),
        (at["pop"], [(at["jne"], at["back"], PREDICTED | ABORT | IN_TX), back]),
        (at["_start"], [turn, back]),  # before the target of its last branch
        (at["_start"], [(at["jne"], 0x1234, PREDICTED), back]),
        (at["sys"], [(at["ret"], at["work"] + 2, PREDICTED), turn]),  # into the middle of an instruction
        (at["sys"], [(at["ret"], at["after"] + 4, PREDICTED), (at["ja"], at["_start"], PREDICTED)]),
    ]
    for i, (ip, branches) in enumerate(samples):
        body = r.pack("QIIQQ", ip, PID, PID, 2000 + i, 5) + r.pack("Q", len(branches))
        r.record(9, body + b"".join(r.pack("QQQ", *b) for b in branches), 2)
    with open(path, "wb") as f:
        f.write(r.file())
    return len(samples)


def write_guest(path):
    """Two events of which one counts in the guest 4711, on its third CPU."""
    r = Recording()
    r.event("cycles:u", [1, 2], sample_type=IP | TID | TIME | PERIOD | ID)
    r.features[HOSTNAME], r.features[ARCH], r.features[OSRELEASE] = r.text("lab"), r.text("x86_64"), r.text("6.1.0")
    r.tail = lambda pid, tid, time: r.pack("IIQQ", pid, tid, time, 1)
    r.record(69, r.pack("Q", 2) + r.pack("4Q4Q", 1, 0, 0, PID, 2, 1, 1, PID + 1) + r.pack("2Q2Q", 0, 0, 4711, 3))
    r.comm(PID, PID, "prog", 1000)
    r.record(9, r.pack("QIIQQQ", 0x1234, PID, PID, 2000, 1, 5), 2)
    r.record(9, r.pack("QIIQQQ", 0x1234, PID + 1, PID + 1, 2001, 2, 5), 2)
    with open(path, "wb") as f:
        f.write(r.file())


def compare(tap, path, *argv):
    theirs, ours = perf("script", "-i", path, *argv), strobe("script", "-i", path, *argv)
    tap.ok(theirs.status == 0 and ours.status == 0 and theirs.out == ours.out, "script " + " ".join(argv),
           f"perf:\n{theirs.out[:3000]}\nstrobe:\n{ours.out[:3000]}{ours.err}")


def check_disassembly(tap, path, program):
    """-F disasm says what objdump says, but for how it writes numbers of targets."""
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True)
    truth = {}
    for line in done.stdout.splitlines():
        address, _, text = line.partition(":\t")
        if text:
            truth[int(address, 16)] = text.split("#")[0].split("<")[0].split()
    seen = wrong = 0
    for line in strobe("script", "-i", path, "-F", "ip,disasm").out.splitlines():
        ip, _, text = line.partition("\t\t")
        words = text.replace("0x4", "4").split()
        seen += 1
        wrong += words != truth[int(ip, 16)]
    tap.ok(seen and not wrong, "the disassembly is objdump's", f"{wrong} of {seen}")


def main():
    tap = Tap()
    program, at = build()
    branches, guest = os.path.join(SCRATCH, "branches.data"), os.path.join(SCRATCH, "guest.data")
    n = write_branches(program, at, branches)
    write_guest(guest)
    for fields in ("ip,sym,symoff,dso,brstackinsn", "ip,brstackinsn,brstackinsnlen", "ip,brstack,insn,insnlen",
                   "ip,sym,brstack,brstacksym,brstackoff",
                   "+insn,+brstackinsn,-sym,-symoff", "ip,brstacksym", "ip,sym,dso,brstackoff", "ip,ipc,callindent,synth"):
        compare(tap, branches, "-F", fields)
    compare(tap, branches, "-F", "ip,brstackinsn", "--max-blocks", "2")
    compare(tap, guest, "-F", "machine_pid,vcpu,comm,pid,tid,ip")
    compare(tap, guest, "-F", "+machine_pid,+vcpu")
    done = perf("script", "-D", "-i", guest)
    tap.ok(done.out == strobe("script", "-D", "-i", guest).out, "-D of ID_INDEX with guests")
    check_disassembly(tap, branches, program)
    lines = [json.loads(line) for line in strobe("script", "-i", branches, "--format", "json").out.splitlines()]
    tap.ok(lines[0]["format"] == "strobe-script" and len(lines) == n + 1, "--format json has a header and a line a sample")
    tap.ok(lines[1]["brstack"][2]["predicted"] is False and lines[1]["brstack"][2]["cycles"] == 12, "its branches",
           lines[1]["brstack"])
    tap.done()


main()
