"""Writes perf.data files by hand, for what this machine's processor cannot record: branches, memory accesses, latencies.

Version 2 files, little-endian unless is_little is False. Sources: perf_event_open(2); perf.data-file-format.txt.
"""

import struct

from recording import NOBODY

TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT, TYPE_RAW = 0, 1, 2, 4
# bits of sample_type, in the order of the fields of a sample
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU = (1 << n for n in range(8))
PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT, DATA_SRC = (1 << n for n in range(8, 16))
IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT = (
    1 << n for n in range(16, 25)
)
CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_USER_DEFERRED = (1 << 64) - 128, (1 << 64) - 512, (1 << 64) - 640
KERNEL, USER = 1, 2
SAMPLE_ID_ALL = 1 << 18
DEFER_CALLCHAIN, DEFER_OUTPUT = 1 << 38, 1 << 39
# feature sections
TRACING_DATA, ARCH, NRCPUS, CPUID, EVENT_DESC, NUMA_TOPOLOGY, BRANCHES, MEM_TOPOLOGY, CPU_PMU_CAPS, LINE_SIZE = (
    1, 6, 7, 9, 12, 14, 15, 22, 28, 34
)
CALL_STACK, HW_INDEX = 1 << 11, 1 << 17
EXEC, BUILD_ID = 1 << 13, 1 << 14


is_little = True  # the machine that such recordings come from

HEADER_PAGE = """	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:1;
"""


def pack(form, *values):
    return struct.pack(("<" if is_little else ">") + form, *values)


def u64(*values):
    return pack(f"{len(values)}Q", *(v & ((1 << 64) - 1) for v in values))


class Machine:
    """Where a recording is from: its CPUs by node, as lists, and blocks of memory by node."""

    def __init__(self, arch="x86_64", cpuid="", cpus=1, nodes=(), block=1 << 27, blocks=(), line=0):
        """blocks: the numbers of each node's; line: bytes of a cache line, 0 if the recording does not have it."""
        self.arch, self.cpuid, self.cpus, self.nodes, self.block, self.blocks, self.line = arch, cpuid, cpus, nodes, block, blocks, line

    @staticmethod
    def _text(value):
        raw = value.encode() + b"\0"
        padded = raw.ljust((len(raw) + 63) // 64 * 64, b"\0")
        return pack("I", len(padded)) + padded

    def sections(self):
        nodes = b"".join(pack("IQQ", i, 1 << 20, 1 << 19) + self._text(cpus) for i, cpus in enumerate(self.nodes))
        found = {ARCH: self._text(self.arch), CPUID: self._text(self.cpuid), NRCPUS: pack("II", self.cpus, self.cpus)}
        if nodes:
            found[NUMA_TOPOLOGY] = pack("I", len(self.nodes)) + nodes
        if self.blocks:
            memory = (u64(i, 64, 64, sum(1 << b for b in blocks)) for i, blocks in enumerate(self.blocks))
            found[MEM_TOPOLOGY] = u64(1, self.block, len(self.blocks)) + b"".join(memory)
        if self.line:
            found[LINE_SIZE] = pack("I", self.line)
        return found


class Made:
    """One recording; all events have the same sample_type."""

    def __init__(self, sample_type, events=((TYPE_HARDWARE, 0),), branch_type=0, period=1000, flags=0, caps=(), machine=None,
                 formats=None, texts=None, names=()):
        """
        caps: of the CPU's PMU, names and values; machine: a Machine, or None where the recording does not say; formats: texts of
        tracepoints by system; texts: of sections by number; names: of the events, where their attrs do not say them.
        """
        self.caps, self.machine, self.names = caps, machine, names
        self.formats, self.texts = formats, texts or {}
        self.sample_type, self.events, self.branch_type, self.period = sample_type | IP | TID | TIME, events, branch_type, period
        self.records, self.now, self.flags = [], 1000000, flags | SAMPLE_ID_ALL

    def _attr(self, kind, config):
        flags = self.flags if is_little else int(f"{self.flags:064b}"[::-1], 2)  # they are bit fields
        attr = pack("IIQQQQQ", kind, 128, config, self.period, self.sample_type, 4, flags)
        attr += pack("IIQQQ", 0, 0, 0, 0, self.branch_type)
        return attr.ljust(128, b"\0")

    def _tail(self, pid, tid, time):
        """The identifiers at the end of a record that is not a sample."""
        tail = self._ids(pid, tid) + u64(time)
        tail += u64(1) if self.sample_type & ID else b""
        tail += pack("II", 0, 0) if self.sample_type & CPU else b""
        return tail + (u64(1) if self.sample_type & IDENTIFIER else b"")

    def _add(self, kind, misc, body):
        self.records.append(pack("IHH", kind, misc, 8 + len(body)) + body)

    @staticmethod
    def _ids(pid, tid=None):
        """Numbers that no process has."""
        return pack("II", NOBODY + pid, NOBODY + (tid or pid))

    @staticmethod
    def _text(name):
        name = name.encode() + b"\0"
        return name.ljust((len(name) + 7) // 8 * 8, b"\0")

    def comm(self, pid, name, tid=None):
        tid = tid or pid
        self._add(3, EXEC if tid == pid else 0, self._ids(pid, tid) + self._text(name) + self._tail(pid, tid, 0))

    def fork(self, pid, ppid, tid=None, ptid=None):
        ids = pack("IIII", NOBODY + pid, NOBODY + ppid, NOBODY + (tid or pid), NOBODY + (ptid or ppid))
        self._add(7, 0, ids + u64(self.now) + self._tail(pid, tid or pid, self.now))

    def lost(self, records, event=0):
        self._add(2, 0, u64(event + 1, records) + self._tail(0, 0, self.now))

    def mmap(self, pid, start, length, name, offset=0, kernel=False, data=False):
        body = (pack("ii", -1, 0) if kernel else self._ids(pid)) + pack("QQQ", start, length, offset)
        misc = (KERNEL if kernel else USER) | (1 << 13 if data else 0)
        self._add(1, misc, body + self._text(name) + self._tail(pid, pid, 0))

    def deferred(self, pid, cookie, chain):
        """The rest of the chains that end in this cookie (Linux 6.19)."""
        self._add(22, USER, u64(cookie, len(chain), *chain) + self._tail(pid, pid, self.now))

    def sample(self, ip, pid=10, tid=None, mode=USER, event=0, **f):
        """Fields by name: addr cpu period chain branches hw_index weight data_src transaction phys cgroup data_page code_page raw."""
        has, tid = self.sample_type, tid or pid
        self.now = f.get("time", self.now + 1000)
        branches = f.get("branches", ())
        chain = f.get("chain", ())
        raw = f.get("raw", b"")
        hw_index = u64(f.get("hw_index", -1)) if self.branch_type & HW_INDEX else b""
        parts = (
            (IDENTIFIER, u64(event + 1)),
            (IP, u64(ip)),
            (TID, self._ids(pid, tid)),
            (TIME, u64(self.now)),
            (ADDR, u64(f.get("addr", 0))),
            (ID, u64(event + 1)),
            (CPU, pack("II", f.get("cpu", 0), 0)),
            (PERIOD, u64(f.get("period", self.period))),
            (CALLCHAIN, u64(len(chain), *chain)),
            (RAW, (pack("I", len(raw)) + raw).ljust((len(raw) + 11) // 8 * 8, b"\0")),
            (BRANCH_STACK, u64(len(branches)) + hw_index + b"".join(u64(*b) for b in branches)),
            (WEIGHT, u64(f.get("weight", 0))),
            (WEIGHT_STRUCT, u64(f.get("weight", 0))),
            (DATA_SRC, u64(f.get("data_src", 0))),
            (TRANSACTION, u64(f.get("transaction", 0))),
            (PHYS_ADDR, u64(f.get("phys", 0))),
            (CGROUP, u64(f.get("cgroup", 0))),
            (DATA_PAGE_SIZE, u64(f.get("data_page", 0))),
            (CODE_PAGE_SIZE, u64(f.get("code_page", 0))),
        )
        self._add(9, mode, b"".join(data for bit, data in parts if has & bit))

    def _sections(self):
        """Feature sections by number."""
        sections = self.machine.sections() if self.machine else {}
        # an empty one: branches are not call stacks
        if self.sample_type & BRANCH_STACK and not self.branch_type & CALL_STACK:
            sections[BRANCHES] = b""
        if self.formats:
            sections[TRACING_DATA] = tracing_data(self.formats)
        if self.names:
            sections[EVENT_DESC] = pack("II", len(self.names), 128) + b"".join(
                self._attr(*event) + pack("I", 1) + Machine._text(name) + u64(i + 1)
                for i, (event, name) in enumerate(zip(self.events, self.names)))
        for number, text in self.texts.items():
            padded = (text.encode() + b"\0").ljust((len(text) + 64) // 64 * 64, b"\0")
            sections[number] = pack("I", len(padded)) + padded
        if self.caps:
            texts = (text.encode() + b"\0" for cap in self.caps for text in cap)
            padded = (text.ljust((len(text) + 63) // 64 * 64, b"\0") for text in texts)
            sections[CPU_PMU_CAPS] = pack("I", len(self.caps)) + b"".join(pack("I", len(p)) + p for p in padded)
        return sections

    def stream(self, path):
        """The same in pipe form, without build-ids and formats."""
        parts = [b"PERFILE2" + u64(16)]
        for i, event in enumerate(self.events):
            body = self._attr(*event) + u64(i + 1)
            parts.append(pack("IHH", 64, 0, 8 + len(body)) + body)
        for number, content in sorted(self._sections().items()):
            content = content.ljust((len(content) + 7) // 8 * 8, b"\0")
            parts.append(pack("IHHQ", 80, 0, 16 + len(content), number) + content)
        with open(path, "wb") as out:
            out.write(b"".join(parts + self.records))
        return path

    def write(self, path):
        ids_at = 104
        attrs_at = ids_at + 8 * len(self.events)
        data_at = attrs_at + 144 * len(self.events)
        attrs = b"".join(self._attr(*e) + u64(ids_at + 8 * i, 8) for i, e in enumerate(self.events))
        data = b"".join(self.records)
        sections = self._sections()
        features = sum(1 << n for n in sections)
        magic = b"PERFILE2" if is_little else b"2ELIFREP"
        header = magic + u64(104, 144, attrs_at, len(attrs), data_at, len(data), 0, 0, features, 0, 0, 0)
        ids = u64(*range(1, len(self.events) + 1))
        table, contents, at = b"", b"", data_at + len(data) + 16 * len(sections)
        for _, content in sorted(sections.items()):
            table += u64(at + len(contents), len(content))
            contents += content
        with open(path, "wb") as out:
            out.write(header.ljust(104, b"\0") + ids + attrs + data + table + contents)
        return path


def tracing_data(formats):
    """The section of tracepoints' formats (trace-cmd.dat(5), version 0.6): {system: [text of a format file]}."""
    data = b"\x17\x08\x44tracing0.6\0" + (b"\0" if is_little else b"\1") + b"\x08" + pack("I", 4096)
    for name, text in (("header_page", HEADER_PAGE), ("header_event", "#")):
        data += name.encode() + b"\0" + u64(len(text)) + text.encode()
    data += pack("II", 0, len(formats))
    for system, texts in formats.items():
        data += system.encode() + b"\0" + pack("I", len(texts))
        data += b"".join(u64(len(text)) + text.encode() for text in texts)
    return data + pack("II", 0, 0) + u64(0)


def branch(source, target, mispredicted=False, predicted=False, in_tx=False, abort=False, cycles=0, kind=0):
    flags = mispredicted | predicted << 1 | in_tx << 2 | abort << 3 | cycles << 4 | kind << 20
    return source, target, flags
