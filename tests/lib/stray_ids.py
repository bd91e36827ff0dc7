"""
Repairs recordings that crash perf 6.1 ("assertion failed at util/build-id.c"). The kernel passes one record of a mapping to all
events that track mappings, and leaves the build-id bit set for those that follow an event with build_id
(perf_event_mmap_output() in kernel/events/core.c): a recording made while somebody else records has device and inode where perf
then expects a build-id.
"""

import struct
import sys

MMAP2, TRACING_DATA, AUXTRACE = 10, 66, 71
BUILD_ID_BIT, BUILD_ID_MAX = 1 << 14, 20
PLACE_OF_LENGTH = 8 + 8 + 24  # header; pid and tid; start, length, offset


def records(data):
    """(place, type, misc) of each record of a file or a stream; compressed records are not read."""
    header_bytes, = struct.unpack_from("<Q", data, 8)
    at, length = (header_bytes, len(data)) if header_bytes == 16 else struct.unpack_from("<QQ", data, 40)
    end = min(at + length, len(data))
    while at + 16 <= end:
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        if size < 8:
            break
        yield at, kind, misc
        if kind == AUXTRACE:
            size += struct.unpack_from("<Q", data, at + 8)[0]
        elif kind == TRACING_DATA:
            size += (struct.unpack_from("<I", data, at + 8)[0] + 7) // 8 * 8
        at += size


def mend(path):
    """Clears the bit if the length is not one of a build-id; returns the number of such records."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if data[:8] != b"PERFILE2":
        return 0
    mended = 0
    for at, kind, misc in records(data):
        if kind == MMAP2 and misc & BUILD_ID_BIT and not 0 < data[at + PLACE_OF_LENGTH] <= BUILD_ID_MAX:
            struct.pack_into("<H", data, at + 4, misc & ~BUILD_ID_BIT)
            mended += 1
    if mended:
        with open(path, "wb") as f:
            f.write(data)
    return mended


if __name__ == "__main__":
    print(mend(sys.argv[1]))
