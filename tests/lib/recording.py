"""Recordings made byte by byte according to perf.data-file-format.txt, for tests of readers.

As a program: recording.py NAME FILE writes one of the recordings below.
"""

import struct
import sys

ATTR_BYTES = 128
MAGIC = b"PERFILE2"
NOBODY = 1 << 22  # greater than any existing pid: perf would look for the files of a running process below its root
HOSTNAME, OSRELEASE, EVENT_DESC, BUILD_ID, GROUP_DESC = 3, 4, 12, 2, 17
IP, TID, TIME, ID, PERIOD = 1, 2, 4, 64, 256
DISABLED, FREQ, SAMPLE_ID_ALL, EXCLUDE_GUEST = 1, 1 << 10, 1 << 18, 1 << 20


class Recording:
    """A file in either byte order; order is "<" or ">"."""

    def __init__(self, order="<"):
        self.order = order
        self.events = []  # (attr bytes, ids, name)
        self.data = b""
        self.features = {}

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def bits(self, flags):
        """Flag words: the first bit field is the lowest bit on little-endian machines, the highest on big-endian ones."""
        return flags if self.order == "<" else int(f"{flags:064b}"[::-1], 2)

    def text(self, value):
        raw = value.encode() + b"\0"
        room = (len(raw) + 63) // 64 * 64
        return self.pack("I", room) + raw.ljust(room, b"\0")

    def event(self, name, ids, kind=1, config=0, period=4000, sample_type=IP | TID | TIME | PERIOD, flags=SAMPLE_ID_ALL):
        attr = self.pack("IIQQQQQ", kind, ATTR_BYTES, config, period, sample_type, 0, self.bits(flags))
        self.events.append((attr.ljust(ATTR_BYTES, b"\0"), ids, name))

    def record(self, kind, body, misc=0):
        self.data += self.pack("IHH", kind, misc, 8 + len(body)) + body

    def sample(self, ip, pid, tid, time, period, misc=2):
        self.record(9, self.pack("QIIQQ", ip, pid, tid, time, period), misc)

    def tail(self, pid, tid, time):
        return self.pack("IIQ", pid, tid, time)

    def string8(self, value):
        raw = value.encode() + b"\0"
        return raw.ljust((len(raw) + 7) // 8 * 8, b"\0")

    def comm(self, pid, tid, name, time):
        self.record(3, self.pack("II", pid, tid) + self.string8(name) + self.tail(pid, tid, time))

    def mmap2(self, pid, start, length, pgoff, path, time, build_id=None):
        body = self.pack("IIQQQ", pid, pid, start, length, pgoff)
        if build_id:
            body += bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0")
        else:
            body += self.pack("IIQQ", 8, 1, 4711, 0)
        self.record(10, body + self.pack("II", 5, 2) + self.string8(path) + self.tail(pid, pid, time), 2 | (build_id and 1 << 14 or 0))

    def round(self):
        self.record(68, b"")

    def build_id(self, pid, build_id, path, misc):
        name = path.encode().ljust((len(path) + 64) // 64 * 64, b"\0")
        entry = self.pack("I", pid & 0xffffffff) + build_id.ljust(20, b"\0") + bytes([len(build_id), 0, 0, 0]) + name
        head = self.pack("IHH", 0, misc | 1 << 15, 8 + len(entry))
        self.features[BUILD_ID] = self.features.get(BUILD_ID, b"") + head + entry

    def event_desc(self):
        out = self.pack("II", len(self.events), ATTR_BYTES)
        for attr, ids, name in self.events:
            out += attr + self.pack("I", len(ids)) + self.text(name) + b"".join(self.pack("Q", i) for i in ids)
        self.features[EVENT_DESC] = out

    def file(self, finished=True):
        """The bytes of the file; unfinished: as left by a killed recorder."""
        self.event_desc()
        ids = b"".join(self.pack("Q", i) for _, event_ids, _ in self.events for i in event_ids)
        attrs, at = b"", 104
        for attr, event_ids, _ in self.events:
            attrs += attr + self.pack("QQ", at, 8 * len(event_ids))
            at += 8 * len(event_ids)
        data_at = 104 + len(ids) + len(attrs)
        end = data_at + len(self.data)
        table, sections = b"", b""
        for bit in sorted(self.features):
            table += self.pack("QQ", end + 16 * len(self.features) + len(sections), len(self.features[bit]))
            sections += self.features[bit]
        bitmap = sum(1 << bit for bit in self.features) if finished else 0
        words = [bitmap >> 64 * i & (1 << 64) - 1 for i in range(4)]
        magic = MAGIC if self.order == "<" else MAGIC[::-1]
        header = magic + self.pack("8Q4Q", 104, ATTR_BYTES + 16, 104 + len(ids), len(attrs), data_at,
                                   len(self.data) if finished else 0, 0, 0, *words)
        return header + ids + attrs + self.data + (table + sections if finished else b"")

    def checkpointed(self):
        """The file as left by a killed strobe: sections before the data, a table of them in its marks."""
        whole = self.file()
        data_at, size = (int.from_bytes(whole[at:at + 8], "little" if self.order == "<" else "big") for at in (40, 48))
        n = len(self.features)
        sections = whole[data_at + size + 16 * n:]
        sections += bytes(-len(sections) % 8)
        mark, at = self.pack("IHHQ", 68, 0, 16 * (n + 1), 0), data_at
        for bit in sorted(self.features):
            mark += self.pack("QQ", at, len(self.features[bit]))
            at += len(self.features[bit])
        bits = 1 | sum(1 << bit for bit in self.features)
        words = [bits >> 64 * i & (1 << 64) - 1 for i in range(4)]
        header = whole[:40] + self.pack("QQ", data_at + len(sections), size) + whole[56:72] + self.pack("4Q", *words)
        return header + whole[104:data_at] + sections + self.data + mark + self.data

    def stream(self):
        """The same in pipe form."""
        out = (MAGIC if self.order == "<" else MAGIC[::-1]) + self.pack("Q", 16)
        for attr, ids, _ in self.events:
            body = attr + b"".join(self.pack("Q", i) for i in ids)
            out += self.pack("IHH", 64, 0, 8 + len(body)) + body
        self.event_desc()
        for bit in sorted(self.features):
            if bit != BUILD_ID:
                out += self.pack("IHHQ", 80, 0, 16 + len(self.features[bit]), bit) + self.features[bit]
        return out + self.data


def two_events(order="<"):
    """Two software events, two processes, one library with a build-id in its map record and one without."""
    r = Recording(order)
    sample_type = IP | TID | TIME | PERIOD
    r.event("cpu-clock", [101], config=0, sample_type=sample_type | ID, flags=DISABLED | FREQ | SAMPLE_ID_ALL | EXCLUDE_GUEST)
    r.event("page-faults:u", [102], config=2, period=1, sample_type=sample_type | ID, flags=SAMPLE_ID_ALL | EXCLUDE_GUEST)
    r.tail = lambda pid, tid, time: r.pack("IIQQ", pid, tid, time, 101)
    r.features[HOSTNAME] = r.text("lab")
    r.features[OSRELEASE] = r.text("6.1.0")
    r.features[GROUP_DESC] = r.pack("I", 1) + r.text("{anon_group}") + r.pack("II", 0, 2)
    r.comm(10, 10, "first", 1000)
    r.mmap2(10, 0x400000, 0x1000, 0, "/bin/first", 1001, bytes(range(20)))
    r.mmap2(10, 0x7f0000000000, 0x10000, 0x1000, "/lib/plain.so", 1002)
    r.mmap2(10, 0x7f0000100000, 0x10000, 0, "/lib/idle.so", 1002, bytes(range(20, 40)))
    for i in range(10):
        event = 101 if i % 3 else 102
        ip = 0x400100 + i if i % 2 else 0x7f0000000200 + i
        r.record(9, r.pack("QIIQQQ", ip, 10, 10, 2000 + i, event, 1 + i), 2)
    r.round()
    return r


def header_list():
    """Build-ids in the header, of a file with samples and of one without."""
    r = two_events()
    r.build_id(-1, bytes(range(60, 80)), "/lib/plain.so", 2)
    r.build_id(-1, bytes(range(20, 40)), "/lib/idle.so", 2)
    return r


RECORDINGS = {
    "header-list": lambda: header_list().file(),
    "two-events": lambda: two_events().file(),
    "two-events-big": lambda: two_events(">").file(),
    "two-events-stream": lambda: two_events().stream(),
    "two-events-unfinished": lambda: two_events().file(finished=False),
    "two-events-cut": lambda: two_events().file()[:-700],
}


def main():
    with open(sys.argv[2], "wb") as f:
        f.write(RECORDINGS[sys.argv[1]]())


if __name__ == "__main__":
    main()
