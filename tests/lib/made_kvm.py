"""Recordings of guests made by hand: exits and entries of virtual CPUs and what they access, with known times and numbers."""

import struct

from made import ARCH, CPU, CPUID, IDENTIFIER, PERIOD, RAW, TYPE_TRACEPOINT, Made

ENTRY, EXIT, MMIO, PIO, MSR = range(5)
VMX = ((0, "EXCEPTION_NMI"), (1, "EXTERNAL_INTERRUPT"), (10, "CPUID"), (12, "HLT"), (30, "IO_INSTRUCTION"), (31, "MSR_READ"),
       (32, "MSR_WRITE"), (48, "EPT_VIOLATION"), (49, "EPT_MISCONFIG"))
SVM = (("0x040 + 0", "DE excp"), (0x60, "interrupt"), (0x72, "cpuid"), (0x78, "hlt"), (0x7b, "io"), (0x400, "npf"))
COMMON = ("unsigned short common_type", 0, 2), ("unsigned char common_flags", 2, 1), ("unsigned char common_preempt_count", 3, 1), \
    ("int common_pid", 4, 4)


def names(reasons):
    """The kernel writes exceptions of AMD's as sums."""
    return ", ".join(f'{{ {number if isinstance(number, str) else hex(number)}, "{name}" }}' for number, name in reasons)


# (name, fields, print format): the kernel's format in events/kvm, as far as it is read
EVENTS = (
    ("kvm_entry", (("unsigned int vcpu_id", 4), ("unsigned long rip", 8)), '"vcpu %u", REC->vcpu_id'),
    ("kvm_exit", (("unsigned int exit_reason", 4), ("unsigned long guest_rip", 8), ("u32 isa", 4)),
     f'"reason %s", (REC->isa == 1) ? __print_symbolic(REC->exit_reason & 0xffff, {names(VMX)}) : '
     f'__print_symbolic(REC->exit_reason, {names(SVM)})'),
    ("kvm_mmio", (("u32 type", 4), ("u32 len", 4), ("u64 gpa", 8), ("u64 val", 8)), '"mmio gpa 0x%llx", REC->gpa'),
    ("kvm_pio", (("unsigned int rw", 4), ("unsigned int port", 4)), '"pio_%s", __print_symbolic(REC->rw, { 0, "read" }, { 1, "write" })'),
    ("kvm_msr", (("unsigned write", 4), ("u32 ecx", 4), ("u64 data", 8)), '"msr %x", REC->ecx'),
)


def layout(fields):
    at = 8
    for text, size in fields:
        at = (at + size - 1) // size * size
        yield text, at, size
        at += size


def format_of(number, name, fields, print_format):
    rows = [f"\tfield:{text};\toffset:{at};\tsize:{size};\tsigned:{int(text.startswith('int'))};\n" for text, at, size in COMMON]
    rows += ["\n"] + [f"\tfield:{text};\toffset:{at};\tsize:{size};\tsigned:0;\n" for text, at, size in layout(fields)]
    return f"name: {name}\nID: {number}\nformat:\n{''.join(rows)}\nprint fmt: {print_format}\n"


class Guests:
    """vendor: of the processor; it determines perf's names of reasons."""

    def __init__(self, vendor="GenuineIntel"):
        self.isa = 1 if vendor == "GenuineIntel" else 2
        formats = {"kvm": [format_of(700 + i, *event) for i, event in enumerate(EVENTS)]}
        events = [(TYPE_TRACEPOINT, 700 + i) for i in range(len(EVENTS))]
        self.file = Made(IDENTIFIER | RAW | CPU | PERIOD, events, period=1, formats=formats,
                         texts={ARCH: "x86_64", CPUID: f"{vendor},6,85,7"})

    def event(self, time_ns, kind, *values, pid=10, tid=None):
        raw = struct.pack("<HBBi", 700 + kind, 0, 0, 0)
        for (_, at, size), value in zip(layout(EVENTS[kind][1]), values):
            raw = raw.ljust(at, b"\0") + value.to_bytes(size, "little")
        self.file.sample(0xffffffff81000000, pid=pid, tid=tid, event=kind, time=time_ns, raw=raw)

    def entry(self, time_ns, vcpu=0, **who):
        self.event(time_ns, ENTRY, vcpu, 0x1000, **who)

    def exit(self, time_ns, reason, **who):
        self.event(time_ns, EXIT, reason, 0x1000, self.isa, **who)

    def write(self, path):
        return self.file.write(path)


def two_guests(vendor="GenuineIntel"):
    """Two guests, the first with two CPUs: exits of known times, accesses to memory, ports and MSRs, and what perf leaves out."""
    g = Guests(vendor)
    halt, port = (12, 30) if g.isa == 1 else (0x78, 0x7b)
    g.exit(1000, halt, tid=11)  # before the CPU is known
    g.entry(2000, 0, tid=11)
    g.entry(2500, 1, tid=12)
    g.entry(2600, 0, pid=20)
    now = 10000
    for i in range(40):
        g.exit(now, halt, tid=11)
        g.entry(now + 1000 + 37 * i, 0, tid=11)
        g.exit(now + 100, 1 if g.isa == 1 else 0x60, tid=12)
        g.entry(now + 400 + i, 1, tid=12)
        now += 10000
    for i in range(10):
        g.exit(now, port, tid=12)
        g.event(now + 100, PIO, i % 2, 0x70 + i % 3, tid=12)
        g.entry(now + 900 + 11 * i, 1, tid=12)
        g.exit(now + 2000, 49 if g.isa == 1 else 0x400, pid=20)
        g.event(now + 2300, MMIO, 1 + i % 2, 4, 0xfee000b0 + 16 * (i % 3), 7, pid=20)
        g.entry(now + 2900 + 13 * i, 0, pid=20)
        g.exit(now + 4000, 32 if g.isa == 1 else 0x72, pid=20)
        g.event(now + 4200, MSR, i % 2, 0x6e0 + i % 2, 1, pid=20)
        g.entry(now + 4600 + 17 * i, 0, pid=20)
        now += 10000
    g.exit(now, 0x150, tid=11)  # a reason without a name
    g.entry(now + 500, 0, tid=11)
    g.exit(now + 600, halt, tid=11)  # goes on at the end
    return g
