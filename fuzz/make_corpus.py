#!/usr/bin/env python3
"""Writes the seed corpora of the targets that read recordings: fuzz/make_corpus.py (from the top of the tree).

All seeds are made here, byte by byte; findings are added beside them by hand.
"""

import os
import struct
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

import recording  # noqa: E402
import schedstats  # noqa: E402


def write(target, name, data):
    with open(os.path.join(TOP, "fuzz", "corpus", target, name), "wb") as f:
        f.write(data)


def u32(order, *values):
    return struct.pack(order + f"{len(values)}I", *values)


def u64(order, *values):
    return struct.pack(order + f"{len(values)}Q", *values)


def all_features(order):
    """A recording that has every feature section there is."""
    r = recording.two_events(order)
    text = r.text
    r.features |= {
        5: text("6.1"), 6: text("x86_64"), 7: u32(order, 2, 2), 8: text("cpu"), 9: text("id,1,2"), 10: u64(order, 1000),
        11: u32(order, 2) + text("perf") + text("it's"),
        13: u32(order, 1) + text("0-1") + u32(order, 2) + text("0") + text("1") + u32(order, 0, 0, 1, 0, 1) + text("0-1")
        + u32(order, 0, 0),
        14: u32(order, 1, 0) + u64(order, 100, 50) + text("0-1"), 15: b"",
        16: u32(order, 1, 1) + text("software"), 18: u64(order, 1, 264, 48), 19: b"",
        20: u32(order, 1, 1, 1, 64, 64, 12) + text("Data") + text("48K") + text("0"), 21: u64(order, 2000, 2009),
        22: u64(order, 1, 1 << 27, 1, 0, 70, 70, 0xf0f, 0x3f), 23: u64(order, 1), 24: u64(order, 1),
        25: u32(order, 1, 232, 16) + u64(order, 0) + u32(order, 1, 7).ljust(104, b"\0") + u32(order, 1, 1)
        + u64(order, 0, 8).ljust(120, b"\0") + u64(order, 0xffffffffc0000000, 64),
        26: u32(order, 1, 5, 4, 0), 27: u32(order, 0, 1, 3, 4, 524288),
        28: u32(order, 1) + text("branches") + text("32"), 29: u32(order, 1, 1) + u64(order, 1700000000123456789, 9876),
        30: u32(order, 1) + text("cpu_core") + text("0-1"),
        31: u32(order, 1, 1) + text("a") + text("b") + text("cpu_core"), 33: u32(order, 62, 0), 40: b"unknown",
    }
    r.build_id(-1, bytes(range(20)), "[kernel.kallsyms]", 1)
    return r


def every_record(r):
    """One record of each type, with a plausible body."""
    order = r.order
    body = u32(order, 10, 10, 10, 10) + u64(order, 1, 2, 3, 4, 5) + b"name\0\0\0\0" + r.tail(10, 10, 3000)
    for kind in list(range(1, 9)) + list(range(10, 23)) + list(range(64, 87)):
        if kind not in (66, 71, 81, 83):
            r.record(kind, body)
    r.record(74, struct.pack(order + "HHHH", 1, 1, 8, 0) + u64(order, 3 << 16, 0))
    r.record(78, u64(order, 0, 101) + b"ms\0\0\0\0\0\0")
    r.record(78, u64(order, 1, 101, 0x3ff0000000000000))
    r.record(78, u64(order, 3, 101) + struct.pack(order + "HHHH", 0, 2, 0, 1))
    r.record(71, u64(order, 8, 0, 0) + u32(order, 0, 0, 0, 0))
    r.data += b"payload!"
    return r


def full_sample(order):
    """A sample with every field, under an attr that selects all."""
    sample_type = (1 << 25) - 1
    flags = 1 << 18
    r = recording.Recording(order)
    native = recording.Recording("<")  # the target takes the attr as swapped already
    attr = native.pack("IIQQQQQ", 4 if order == "<" else 5, 128, 0, 1, sample_type, 31, flags)
    attr += native.pack("IIQQQQIiQ", 0, 0, 0, 0, 1 << 17 | 1 << 19, 3, 64, 0, 3)
    body = u64(order, 1, 0x400000) + u32(order, 1, 1) + u64(order, 1000, 0xdead, 1, 1) + u32(order, 0, 0) + u64(order, 1)
    body += u64(order, 1, 5, 5, 7, 1, 0)  # a group of one
    body += u64(order, 2, (1 << 64) - 512, 0x400000)  # call chain
    body += u32(order, 4) + b"rawx"
    body += u64(order, 1, (1 << 64) - 1, 0x10, 0x20, 1, 3)  # a branch with its counter
    body += u64(order, 2, 1, 2)  # registers
    body += u64(order, 16) + bytes(16) + u64(order, 8)  # stack
    body += u64(order, 5, 6, 7)  # weight, data source, transaction
    body += u64(order, 2, 1, 2)  # registers at the interrupt
    body += u64(order, 1, 2, 4096, 4096)  # physical address, cgroup, page sizes
    body += u64(order, 8) + b"auxauxau"
    r.record(9, body)
    return attr.ljust(128, b"\0") + r.data


def session(order):
    """A recording with what reports and scripts look at: stacks, dumps, branches, a tracepoint, tasks that come and go."""
    r = recording.Recording(order)
    full = full_sample(order)
    attr = bytearray(full[:128])
    attr[0] = 4
    if order == ">":
        words = struct.unpack("<IIQQQQQ", attr[:48]) + struct.unpack("<IIQQQQIiQ", attr[48:104])
        attr[:104] = struct.pack(">IIQQQQQ", *words[:6], r.bits(words[6])) + struct.pack(">IIQQQQIiQ", *words[7:])
    r.events.append((bytes(attr), [1], "r1"))
    kinds = 1 << 16 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 10 | 1 << 0  # identifier, task, time, call chain, raw, address
    r.event("sched:sched_switch", [103], kind=2, config=314, sample_type=kinds)
    r.tail = lambda pid, tid, time: u32(order, pid, tid) + u64(order, time, 1, 1) + u32(order, 0, 0) + u64(order, 1)
    r.comm(1, 1, "first", 900)
    r.mmap2(1, 0x400000, 0x1000, 0, "/bin/first", 901, bytes(range(20)))
    r.mmap2(1, 0x7f0000000000, 0x10000, 0x1000, "/tmp/perf-1.map", 902)
    r.record(7, u32(order, 11, 1, 11, 1) + u64(order, 950) + r.tail(1, 1, 950))
    r.comm(11, 11, "ch\x1bild", 951)
    r.data += full[128:]
    r.record(9, u64(order, 103, 0x400100) + u32(order, 11, 11) + u64(order, 2600, 4, (1 << 64) - 512, 0x400100, 0x400200,
             0x7f0000000020) + u32(order, 12) + struct.pack(order + "HBBi", 314, 0, 0, 11) + b"trac", 2)
    r.record(4, u32(order, 11, 1, 11, 1) + u64(order, 2700) + r.tail(11, 11, 2700))
    r.record(14, r.tail(1, 1, 2800), 1 << 13)
    r.record(2, u64(order, 1, 3) + r.tail(1, 1, 2900))
    r.round()
    return r


def places(order):
    """Mappings that cut each other off, of the kernel, of memory; samples with chains and branches in and beside them."""
    r = recording.Recording(order)
    r.event("cycles", [1], kind=0, sample_type=1 << 16 | 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 11)
    tail, r.tail = r.tail, lambda pid, tid, time: u32(order, pid, tid) + u64(order, time, 1)
    r.record(1, u32(order, 0xffffffff, 0) + u64(order, 0xffffffff81000000, 0x1000000, 0xffffffff81000000)
             + b"[kernel.kallsyms]_text\0\0" + r.tail(0, 0, 0), 1)
    r.mmap2(1, 0x400000, 0x3000, 0, "/bin/first", 10)
    r.mmap2(1, 0x401000, 0x1000, 0x1000, "/bin/second", 20, bytes(range(20)))
    r.mmap2(1, 0x7ffff7ff0000, 0x2000, 0, "[vdso]", 20)
    r.mmap2(1, 0x500000, 0x1000, 0x500000, "//anon", 20)
    r.record(7, u32(order, 11, 1, 11, 1) + u64(order, 25) + r.tail(1, 1, 25))
    r.record(17, u64(order, 0xffffffffc0001000) + u32(order, 0x100) + struct.pack(order + "HH", 1, 0) + b"bpf_prog_1\0\0\0\0\0\0"
             + r.tail(0, 0, 26))
    for pid, ip in (1, 0x400100), (1, 0x401100), (11, 0x402100), (11, 0x500010), (1, 0xdead0000), (1, 0xffffffffc0001010):
        r.record(9, u64(order, 1, ip) + u32(order, pid, pid) + u64(order, 30, 0x401234, 6, (1 << 64) - 128, 0xffffffff81000010,
                 (1 << 64) - 512, ip, 0x7ffff7ff0010, 0, 1, 0x400200, 0xffffffff81000020, 0), 2)
    r.record(22, u64(order, 7, 2, 0x400300, 0x500020) + r.tail(11, 11, 40))
    r.tail = tail
    return r


def counts(order, by):
    """Counts of two events on two CPUs and threads, of two intervals and the whole."""
    r = recording.Recording(order)
    for i, name in enumerate(("task-clock", "page-faults")):
        r.event(name, [i + 1], config=1 + i, sample_type=1 << 16, flags=1 << 18)
    r.record(73, u64(order, 2, 10) + b"first".ljust(16, b"\0") + u64(order, 11) + b"second".ljust(16, b"\0"))
    r.record(74, struct.pack(order + "HHHH", 0, 2, 0, 1))
    r.record(75, u64(order, 3, 0, by, 1, 100, 2, 1))
    for time in (100, 200, 300):
        for event in (1, 2):
            for cpu, thread in ((0, 0), (0, 1), (1, 0), (1, 1)):
                r.record(76, u64(order, event) + u32(order, cpu, thread) + u64(order, time * event, time, time))
        r.record(77, u64(order, time == 300 and 1 or 0, time * 1000000))
    return r


def texts():
    """What people and other programs write by hand."""
    write("config", "sections", b'# mine\n[report]\n\tgroup = true ; why\n[color "top"]\n\tselected = "white, \\"red\\""\nquiet\n')
    write("config", "joined", b"\xef\xbb\xbf[a.b-c]\r\nkey = one \\\n two\\t\r\n\n[X]\nY=0")
    write("config", "open", b'[report "x\\"]\n a = "b')
    for piece in b"\0", b"\3":
        write("control", f"usual-{piece[0]}", piece + b"enable\n\ndisable sched:sched_switch \r\nevlist -v\0ping\nwhat is this\nstop")
        write("control", f"long-{piece[0]}", piece + b"enable " + b"x" * 500 + b" stop\nsnapshot " + b"y" * 300 + b"\nping\n")
    write("process_maps", "usual", b"00400000-00401000 r-xp 00001000 08:02 4711                     /bin/first\n"
          b"7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
          b"7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0                  [vdso]\n"
          b"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n")
    write("process_maps", "hostile", b"1-2 r-xp 0 0:0 1 /a b (deleted)\n-\n5-4 ---- z\n1-2 r-x\n1-2 r-xp \n"
          b"1-2 r-xp 0 8:1 9 /../x\\012y\n9-")
    write("name_files", "attributes", b"main\thref=https://a.b/?c=<d>\ttitle=it's\nread_[k]\tid=x\tclass=y z\tg_extra=a=\"b\"\n\n")
    write("name_files", "colours", b"main->rgb(1,2,3)\na->b->rgb(255,0,9)\nx->rgb(256,0,0)\n->rgb(0,0,0)\nmain->rgb(7,7,7)")
    metrics = ("instructions / cycles", '1 - d_ratio(a.b:c-d, "cpu/event=0x1/") if min(x, -2) < 3.5e2 else max(y & 1, z % 2)',
               "((((((1))))", "1 +", "a if b if c else d else e", "-" * 50 + "1")
    for i, text in enumerate(metrics):
        write("metric", f"text-{i}", text.encode())
    write("symbol_answers", "usual", b"num_symbols: 1\n0x401000 main\n0x7f0000000010\tstd::vector<int, a b>::at\r\n0x1 _ZN1a1bEv\n")
    write("symbol_answers", "hostile", b"0x\n0x1\n0x1 \n 0x2 y\n0xffffffffffffffffff z\n0x401000 \x1b[2J\n0x401000 twice")


def cfi_section(flags, programs):
    """A CIE and an FDE for each program, as fuzz/cfi.c takes them; flags: 1 = 64 bit, 2 = big endian, 4 = .debug_frame."""
    order = ">" if flags & 2 else "<"
    debug, word = flags & 4, "Q" if flags & 1 else "I"

    def entry(body):
        body += b"\0" * (-len(body) % 8 + 4)
        return struct.pack(order + "I", len(body)) + body

    start = b"\xff\xff\xff\xff\x04\0" + (b"\x08" if flags & 1 else b"\x04") + b"\0" if debug else b"\0\0\0\0\x01zR\0"
    out = entry(start + b"\x01\x78\x10" + (b"" if debug else b"\x01\x1b") + b"\x0c\x07\x08\x90\x01")
    for i, program in enumerate(programs):
        at = 0x1100 + 0x100 * i
        if debug:
            head = struct.pack(order + "I2" + word, 0, at, 0x80)
        else:
            head = struct.pack(order + "IiIB", len(out) + 4, at - (0x8000 + len(out) + 8), 0x80, 0)
        out += entry(head + program)
    return bytes([flags]) + out


def cfi():
    expressions = [b"\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00", b"\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22",
                   b"\x0f\x04\x77\x08\x06\x06", b"\x16\x03\x05\x31\x12\x1a\x1b\x22\x10\x04\x03\x31\x2f\xfc\xff",
                   b"\x10\x05\x07\x31\x28\x01\x00\x30\x32\x1c\x19"]
    plain = [b"\x41\x0e\x10\x86\x02\x43\x0d\x06\x02\x30\x0c\x07\x08\xc6", b"\x44\x0a\x0e\x20\x42\x0b\x42\x07\x10",
             b"\x03\x10\x00\x05\x03\x04\x11\x0c\x7f\x12\x07\x7e\x13\x7d\x14\x03\x01\x15\x03\x7f\x09\x10\x05\x06\x03\x08\x0d",
             b"\x2e\x10\x2f\x03\x02\x2d\x44\x0a\x0a\x0b\x0b\x0b"]
    for flags in range(8):
        write("cfi", f"made-{flags}", cfi_section(flags, plain + expressions))
    whole = cfi_section(1, plain)
    write("cfi", "cut", whole[:len(whole) - 21])
    write("cfi", "id-lies", whole.replace(b"\x1c\0\0\0", b"\x1d\0\0\0"))
    write("cfi", "length-lies", whole[:1] + b"\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0\0" + whole[5:])


def kept_table():
    """Two rows and a rule of three kinds; then tables that lie about each of their parts."""
    def table(rows=(0, 1, 16 << 22 | 2, 32 << 22), pages=(1, 4), rules=None, saves=None, exprs=((1, 8, 40),), counts=None, bits=1):
        rules = rules or [(0, 0, 0, 0, 0, 0, 0), (0, 16, 2, 1, 7, 0, 16), (1, 0, 1, 4, 0, 0, 16)]
        saves = saves or [(16, 0, 0, -8), (6, 4, 0, 0)]
        counts = counts or (len(rows), len(pages) - 1, len(rules), len(saves), len(exprs))
        out = struct.pack("<BQ8I", bits, 0x1000, *counts, 1, bits & 1, bits >> 1 & 1)
        out += struct.pack(f"<{len(rows)}I", *rows) + struct.pack(f"<{len(pages)}I", *pages)
        out += b"".join(struct.pack("<Ii5B3xiii4xQ", *r, 0, 0, 0, 0) for r in rules)
        out += b"".join(struct.pack("<3Bxi", *s) for s in saves)
        return out + b"".join(struct.pack("<IIQ", *e) for e in exprs)

    write("kept_table", "whole", table())
    write("kept_table", "swapped", table(bits=2))
    write("kept_table", "cut", table()[:-3])
    write("kept_table", "rule", table(rows=(0, 9, 32 << 22)))
    write("kept_table", "pages-back", table(pages=(3, 2, 4)))
    write("kept_table", "pages-beyond", table(pages=(1, 1 << 31)))
    write("kept_table", "page-zero", table(pages=(0, 4)))
    write("kept_table", "saves", table(rules=[(0, 0, 0, 0, 0, 0, 0), (2, 16, 200, 1, 7, 0, 16)]))
    write("kept_table", "reg", table(saves=[(200, 0, 0, -8)]))
    write("kept_table", "expression", table(exprs=((1, 9, 40),)))
    write("kept_table", "section", table(exprs=((2, 1, 0),)))
    write("kept_table", "counts", table(counts=(1 << 31, 1 << 31, 3, 2, 1)))


def piece(arg, part, data, status=0):
    """One piece of a payload as decode/syscall.h has it."""
    return struct.pack("<BBBBI", arg, part, status, 0, len(data)) + data + bytes(-len(data) % 8)


def attribute(kind, data):
    """A struct nlattr and what follows it."""
    return struct.pack("<HH", len(data) + 4, kind) + data + bytes(-len(data) % 4)


def netlink():
    """(protocol of the socket, message): attributes that nest, lists by place, next hops in next hops, sizes that lie."""
    link, route = b"\x11" + bytes(15), b"\2" + bytes(11)
    kind = attribute(1, b"bridge\0") + attribute(2, attribute(11, bytes(8)) + attribute(16, bytes(8)))
    port = attribute(4, b"bridge\0") + attribute(5, attribute(13, bytes(8)) + attribute(34, bytes(4)))
    hops = b""
    for _ in range(12):
        hops = attribute(9, struct.pack("<HBBi", len(hops) + 8, 1, 2, 3) + hops)
    diagnosis = struct.pack("<BB", 2, 6) + bytes(54)
    tls = attribute(19, attribute(1, b"tls\0") + attribute(2, attribute(1, b"\3\3")) + attribute(3, attribute(8, b"\x48\0\0\0")))
    return {
        "links": (0, 16, 1, link + attribute(18, kind + port) + attribute(26, attribute(2, attribute(1, bytes(12))))
                  + attribute(12, attribute(3, bytes(16))) + attribute(7, bytes(92))),
        "bridge": (0, 16, 1, b"\7" + bytes(15) + attribute(26, attribute(2, bytes(4)) + attribute(3, attribute(1, bytes(4))))),
        "hops": (0, 24, 1, route + hops + attribute(18, b"\x0a\0" + bytes(16))),
        "ports": (0, 84, 1, b"\7" + bytes(7) + attribute(2, attribute(1, bytes(4) + attribute(2, b"\1")))
                  + attribute(1, attribute(1, attribute(1, bytes(28) + attribute(1, bytes(4)))))),
        "filter": (4, 20, 1, diagnosis + attribute(1, struct.pack("<BBH", 7, 4, 8) + b"\x0a\x20\0\0" + bytes(20))),
        "sockets": (4, 20, 0, b"\2" + bytes(71) + tls + attribute(18, bytes(100)) + attribute(20, attribute(1, attribute(2, bytes(4))))
                    + attribute(22, b"\xff\xff") + attribute(7, bytes(36))),
        "lying": (0, 16, 1, link + b"\xff\xff\x12\0" + b"\xff\xff\2\0" + b"\3\0\1\0"),
        "enforce": (7, 16, 0, b"\1\0\0\0"),
    }


def netlink_calls():
    """sendto() of each message, to sockets whose number is their protocol (fuzz/syscall.c)."""
    for name, (protocol, kind, flags, data) in netlink().items():
        message = struct.pack("<IHHII", len(data) + 16, kind, flags, 0, 0) + data
        for style in (0, 1, 31):
            for end in (len(message), len(message) - 5):
                head = struct.pack("<BBHI", 0, style, 44, 0) + u64("<", protocol, 4096, len(message), 0, 0, 0)
                write("syscall", f"netlink-{name}-{style}" + ("" if end == len(message) else "-cut"),
                      head + struct.pack("<q", len(message)) + piece(1, 0, message[:end], 0 if end == len(message) else 3))


def system_calls():
    """Blobs that are right for one call, and blobs for all calls of an architecture, of which most find them wrong."""
    ones, big = b"\x01" * 512, bytes(range(256)) * 2
    blobs = {
        "openat": (0, 257, piece(1, 0, b"/etc/hosts")),
        "connect": (0, 42, piece(1, 0, b"\2\0\0\x50\x7f\0\0\1" + bytes(8))),
        "recvmsg": (0, 47, piece(1, 1, u64("<", 4096, 16, 8192, 2, 12288, 24, 0)) + piece(1, 2, b"\1\0/x")
                    + piece(1, 4, u64("<", 4096, 5, 8192, 9)) + piece(1, 3, u64("<", 20) + u32("<", 1, 1, 7, 0))
                    + piece(1, 16, b"hello") + piece(1, 17, b"there", 1)),
        "execve": (0, 59, piece(0, 0, b"/bin/ls") + piece(1, 16, b"ls") + piece(1, 0, u32("<", 1)) + piece(2, 0, u32("<", 40))),
        "every": (0, 65535, b"".join(piece(a, part, big) for a in range(6) for part in (0, 1, 2, 3, 4, 16, 17))),
        "every-i386": (1, 65535, b"".join(piece(a, part, ones) for a in range(6) for part in (0, 1, 3, 4, 16))),
        "every-aarch64": (2, 65535, b"".join(piece(a, part, b"\xff" * 300) for a in range(6) for part in (0, 1, 2, 4))),
        "every-short": (0, 65535, b"".join(piece(a, part, b"\xff\x7f\1") for a in range(6) for part in (0, 1, 2, 3, 4, 16))),
        "lying": (0, 65535, struct.pack("<BBBBI", 1, 0, 0, 0, 0xffffffff) + b"short"),
        "out-of-range": (0, 65535, piece(200, 250, b"x") + piece(5, 99, b"y") + piece(1, 0, b"")),
    }
    for name, (arch, number, blob) in blobs.items():
        for style in (0, 1, 4, 31):
            head = struct.pack("<BBHI", arch, style, number, 0) + u64("<", 3, 4096, 16, 1 << 40, 5, 0xffffffffffffffff)
            write("syscall", f"{name}-{style}", head + struct.pack("<q", 2) + blob)


def archives():
    """As tar and python's tarfile write them, packed and not, whole and cut."""
    import io
    import tarfile

    def member(archive, name, content=b"", **facts):
        info = tarfile.TarInfo(name)
        info.size = len(content)
        for key, value in facts.items():
            setattr(info, key, value)
        archive.addfile(info, io.BytesIO(content))

    for name, mode, form in (("ustar", "w:", tarfile.USTAR_FORMAT), ("gnu", "w:", tarfile.GNU_FORMAT),
                             ("pax.gz", "w:gz", tarfile.PAX_FORMAT), ("pax.bz2", "w:bz2", tarfile.PAX_FORMAT),
                             ("gnu.xz", "w:xz", tarfile.GNU_FORMAT)):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode=mode, format=form) as archive:
            member(archive, "bin/prog/" + "ab" * 20 + "/elf", b"\x7fELF" + bytes(range(256)) * 4)
            member(archive, ".build-id/ab/" + "ab" * 19, type=tarfile.SYMTYPE, linkname="../../bin/prog/" + "ab" * 20)
            if form != tarfile.USTAR_FORMAT:
                member(archive, "long/" * 60 + "name", b"x" * 700)
            member(archive, "dir", type=tarfile.DIRTYPE)
        write("tar", name, out.getvalue())
        write("tar", name + "-cut", out.getvalue()[:len(out.getvalue()) * 2 // 3])


def elf(kind, segments=(), sections=()):
    """An ELF file of x86-64: (address, bytes) as segments to load, (name, type, address, bytes) as sections."""
    names = b"\0.shstrtab\0" + b"".join(name + b"\0" for name, *_ in sections)
    sections = [(b"", 0, 0, b""), *sections, (b".shstrtab", 3, 0, names)] if sections else []
    at = 64 + 56 * len(segments)
    heads, body = b"", b""
    for address, data in segments:
        heads += struct.pack("<IIQQQQQQ", 1, 5, at + len(body), address, address, len(data), len(data), 4096)
        body += data
    table = b""
    for name, sort, address, data in sections:
        body += b"\0" * (-len(body) % 8)
        called = names.index(name + b"\0") if name else 0
        table += struct.pack("<IIQQQQIIQQ", called, sort, 0, address, at + len(body), len(data), 0, 0, 4, 0)
        body += data
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<4sBBBBQHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, kind, 62, 1, 0, 64 if segments else 0,
                       at + len(body) if sections else 0, 0, 64, 56, len(segments), 64, len(sections), max(len(sections) - 1, 0)) \
        + heads + body + table


def kernels_and_markers():
    """Memory of a kernel (elf(5)), and notes of markers as SystemTap's UserSpaceProbeImplementation has them."""
    code = bytes(range(256)) * 32
    core = elf(4, [(0xFFFFFFFF81000000, code), (0xFFFFFFFFC0000000, code[:4096])])
    for name, address in (("text", 0xFFFFFFFF81000010), ("module-end", 0xFFFFFFFFC0000FF0), ("nowhere", 0x1000)):
        write("kcore", name, u64("<", address) + core)
    write("kcore", "cut", u64("<", 0xFFFFFFFF81000010) + core[:5000])
    write("kcore", "no-segments", u64("<", 0) + elf(4))

    def marker(address, provider, name, arguments):
        text = u64("<", address, 0x2000, 0x4000) + provider + b"\0" + name + b"\0" + arguments + b"\0"
        return struct.pack("<III", 8, len(text), 3) + b"stapsdt\0" + text + b"\0" * (-len(text) % 4)

    plain = marker(0x1010, b"libc", b"setjmp", b"8@%rdi -4@%esi 8@%rax")
    odd = marker(0x1020, b"lib c", b"\n=%x", b"4@$5 8@(%rsp,%rax,8) 8@-24(%rbp) -1@%al 3@ @ 8@symbol(%rip) " + b"9" * 40 + b"@%rdi")
    for name, notes in (("plain", plain), ("odd", plain + odd), ("cut", (plain + odd)[:-70]), ("no-end", plain[:-20])):
        write("sdt", name, elf(2, [(0x1000, code[:256])], [(b".note.stapsdt", 7, 0, notes), (b".stapsdt.base", 1, 0x2010, b"\0")]))


def jitdumps():
    """By the words of jitdump-specification.txt, in both byte orders."""
    for order, name in (("<", "little"), (">", "big")):
        head = u32(order, 0x4A695444, 1, 40, 62, 0, 42) + u64(order, 1000, 0)

        def record(kind, time, body):
            return u32(order, kind, 16 + len(body)) + u64(order, time) + body

        def load(time, code, at, index, text=b"function\0"):
            return record(0, time, u32(order, 42, 43) + u64(order, at, at, len(code), index) + text + code)

        lines = record(2, 1100, u64(order, 0x1000, 2) + u64(order, 0x1000) + u32(order, 7, 0) + b"/a.js\0" + u64(order, 0x1004)
                       + u32(order, 9, 1) + b"\xff\0")
        unwinding = record(4, 1150, u64(order, 24, 8, 24) + bytes(range(24)))
        move = record(1, 1400, u32(order, 42, 43) + u64(order, 0, 0x1000, 0x3000, 16, 1))
        body = lines + unwinding + load(1200, b"\x90" * 16, 0x1000, 1) + load(1300, b"\xc3" * 9, 0x2000, 2) + move
        write("jitdump", name, head + body + record(3, 1500, b""))
        write("jitdump", name + "-cut", (head + body)[:-30])
        write("jitdump", name + "-lies", head + lines[:16] + u64(order, 0x1000, 1 << 60) + lines[32:] + load(1, b"", 0, 1)
              + record(1, 2, u32(order, 42, 43) + u64(order, 0, 0, 0, 16, 99)) + body)


def scripts():
    """A table as interp/script_table.h has it, str objects (PEP 393), and files with the symbols of CPython."""
    lines = bytes.fromhex("8000d8090ad8090af103010a0b8041")
    code = u32("<", 1, 3, 2, 3, 5, len(lines)) + b"fib" + b"/x.py" + lines
    long = u32("<", 9, 1, 1, 1, 0, 6) + b"f" + b"\x02\x01\x80\x80\x04\xff"
    write("scripts", "table", b"\0" + u32("<", 1, 2) + code + long)
    write("scripts", "table-big", b"\0" + u32(">", 1, 1) + code)
    write("scripts", "table-cut", b"\0" + u32("<", 1, 9) + code + long[:-3])
    texts_of = (("ascii", 0xE5, 48, b"fib"), ("latin", 0x24, 72, b"caf\xe9"), ("wide", 0x28, 72, b"\xac\x20\x00\xd8"),
                ("astral", 0x30, 72, "\U0001f40d".encode("utf-32-le")))
    for name, state, at, text in texts_of:
        head = u64("<", 1, 2, 3, 4) + u32("<", state, 0)
        write("scripts", "text-" + name, b"\1" + head + b"\0" * (at - len(head)) + text)
    names = b"\0_PyRuntime\0_PyEval_EvalFrameDefault\0"
    symbols = b"\0" * 24 + struct.pack("<IBBHQQ", 1, 0x11, 0, 1, 0x2000, 64) + struct.pack("<IBBHQQ", 12, 0x12, 0, 1, 0x1000, 256)
    words = [0] * 64
    words[1] = 0x030D00F0
    for i, value in ((5, 632), (8, 7264), (9, 7344), (21, 8), (23, 72), (24, 152), (29, 8), (31, 56), (33, 70), (35, 112),
                     (37, 128), (38, 136), (39, 68), (43, 200)):
        words[i] = value
    jumps = b"\x0f\x85\x00\x01\x00\x00\xe9\x10\x01\x00\x00" * 20
    for name, version in (("described", words[1]), ("unknown", 0x03FF00F0)):
        words[1] = version
        file = bytearray(elf(3, [(0x1000, jumps + b"\0" * 600), (0x2000, b"xdebugpy" + u64("<", *words[1:]))],
                             [(b".symtab", 2, 0, symbols), (b".strtab", 3, 0, names)]))
        first, = struct.unpack_from("<Q", file, 40)
        struct.pack_into("<I", file, first + 64 + 40, 2)  # sh_link, sh_entsize
        struct.pack_into("<Q", file, first + 64 + 56, 24)
        write("scripts", "file-" + name, b"\4" + bytes(file))
    word = sum((1 + (p >= 3)) << 7 * p for p in range(9))
    write("scripts", "ruby-lines", b"\2\1\2" + u64("<", word, *[0] * 5) + u32("<", 8, 0, 0, 9, 0, 0) + b"\0" * 24)
    write("scripts", "ruby-lines-block", b"\2\1\3" + u64("<", *[0] * 6, 2, 1, 1 << 9) + u64("<", *[0] * 6) + u32("<", *[9, 0, 0] * 10))
    for kind, name in enumerate(("php", "ruby", "perl")):
        write("scripts", "name-" + name, b"\3" + bytes((kind, 0, 1)) + b"of\xc3\xa9(eval Key:")
    write("scripts", "hotspot-lines", b"\7\0" + bytes((7, 41, 255, 2, 200, 6, 255, 6, 1, 0)))
    write("scripts", "hotspot-lines-since-20", b"\7\1" + bytes((7, 41, 255, 3, 201, 7, 255, 7, 2, 0)))
    write("scripts", "hotspot-tables", b"\10" + u64("<", 88, 40, 0, 8, 16, 24, 32, 128, 16, 0, 8, *[168] * 5, *[0] * 5)
          + b"CodeBlob\0" + b"\0" * 64)
    for name, symbols in (("php", ((b"executor_globals", 1, 0x2000, 1800), (b"execute_ex", 2, 0x1000, 256))),
                          ("ruby", ((b"ruby_current_ec", 6, 8, 8), (b"rb_vm_exec", 2, 0x1000, 256), (b"ruby_version", 1, 0x2000, 6))),
                          ("perl", ((b"PL_thr_key", 1, 0x2010, 4), (b"Perl_runops_standard", 2, 0x1000, 256),
                                    (b"PL_version", 1, 0x2004, 1))),
                          ("keys", ((b"_thread_db_pthread_specific", 1, 0x2008, 12),))):
        names, table = b"\0", b"\0" * 24
        for text, kind, at, size in symbols:
            table += struct.pack("<IBBHQQ", len(names), 0x10 | kind, 0, 1, at, size)
            names += text + b"\0"
        file = bytearray(elf(3, [(0x1000, jumps + b"\0" * 600), (0x2000, b"3.1.\x24\0\0\0" + u32("<", 2048, 1, 0x510) + b"\0" * 64)],
                             [(b".symtab", 2, 0, table), (b".strtab", 3, 0, names), (b".rodata", 1, 0, b"X-Powered-By: PHP/8.2.1\0")]))
        first, = struct.unpack_from("<Q", file, 40)
        struct.pack_into("<I", file, first + 64 + 40, 2)
        struct.pack_into("<Q", file, first + 64 + 56, 24)
        write("scripts", "file-" + name, b"\4" + bytes(file))


def scheduler_counters():
    for version in (15, 16, 17):
        write("schedstat", f"text-{version}", schedstats.kernel_text(version).encode())
    for order, name in (("<", "little"), (">", "big")):
        write("schedstat", name, schedstats.make(17, cpus=2, order=order, with_event=True)[0].file())


def main():
    cfi()
    kept_table()
    scheduler_counters()
    scripts()
    jitdumps()
    kernels_and_markers()
    system_calls()
    netlink_calls()
    archives()
    texts()
    for order, name in (("<", "little"), (">", "big")):
        byte = b"\0" if order == "<" else b"\1"
        features = all_features(order)
        write("header", f"{name}-features", features.file())
        write("header", f"{name}-records", every_record(recording.two_events(order)).file())
        write("header", f"{name}-unfinished", recording.two_events(order).file(finished=False))
        write("header", f"{name}-checkpoint", all_features(order).checkpointed())
        write("pipe", f"{name}-features", byte + features.stream()[16:])
        write("pipe", f"{name}-records", byte + every_record(recording.two_events(order)).stream()[16:])
        write("session", f"{name}-all", session(order).file())
        write("session", f"{name}-types", every_record(session(order)).file())
        write("session", f"{name}-stream", session(order).stream())
        write("inject", f"{name}-all", session(order).file())
        write("inject", f"{name}-types", every_record(session(order)).file())
        write("inject", f"{name}-maps", places(order).file())
        write("counts", f"{name}-threads", counts(order, 4).file())
        write("counts", f"{name}-cpus", counts(order, 0).file())
        write("records", f"{name}-sample", full_sample(order))
        r = recording.two_events(order)
        every_record(r)
        attr = bytearray(recording.two_events().events[0][0])
        attr[0] = attr[0] & ~3 | (order == ">")
        write("records", f"{name}-types", bytes(attr) + r.data)


main()
