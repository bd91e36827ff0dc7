#!/usr/bin/env python3
"""A loaded BPF program is in a recording as perf writes it: symbol, event, code, lines and types, byte for byte."""
# needs: record report
# serial

import ctypes
import os
import re
import struct

from strobetest import PERF, SCRATCH, Tap, is_root, perf, record, skip_all, strobe

NR_BPF = {"x86_64": 321, "aarch64": 280}.get(os.uname().machine)
PROG_LOAD, OBJ_GET_INFO, BTF_LOAD = 5, 15, 18
TRIES = 60
libc = ctypes.CDLL(None, use_errno=True)


def bpf(cmd, attr):
    buffer = ctypes.create_string_buffer(attr, 144)
    fd = libc.syscall(NR_BPF, cmd, buffer, 144)
    if fd < 0:
        skip_all(f"bpf({cmd}): {os.strerror(ctypes.get_errno())}")
    return fd


def pointer(data, kept=[]):  # pylint: disable=dangerous-default-value
    kept.append(ctypes.create_string_buffer(data, len(data)))
    return ctypes.addressof(kept[-1])


def load_program():
    """A program of two instructions with a name, a type and a line; returns (fd, id)."""
    strings = b"\0int\0probe_me\0\0file.c\0return 0;\0"
    types = struct.pack("IIII", 1, 1 << 24, 4, 1 << 24 | 32)  # int, signed, 32 bits
    types += struct.pack("III", 0, 13 << 24, 1)  # a function that returns type 1
    types += struct.pack("III", strings.index(b"probe_me"), 12 << 24, 2)
    blob = struct.pack("HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(strings)) + types + strings
    btf = bpf(BTF_LOAD, struct.pack("QQII", pointer(blob), 0, len(blob), 0))
    code = struct.pack("BBhi", 0xB7, 0, 0, 0) + struct.pack("BBhi", 0x95, 0, 0, 0)
    functions = struct.pack("II", 0, 3)
    lines = struct.pack("IIII", 0, strings.index(b"file.c"), strings.index(b"return"), 7 << 10 | 1)
    attr = struct.pack("IIQQIIQII16sIIIIQIIQI", 1, 2, pointer(code), pointer(b"GPL\0"), 0, 0, 0, 0, 0, b"probe_me", 0,
                       0, btf, 8, pointer(functions), 1, 16, pointer(lines), 1)
    fd = bpf(PROG_LOAD, attr)
    info = ctypes.create_string_buffer(232)
    bpf(OBJ_GET_INFO, struct.pack("IIQ", fd, 232, ctypes.addressof(info)))
    return fd, struct.unpack_from("I", info, 4)[0]


def section(path, expected):
    with open(path, "rb") as f:
        data = f.read()
    start, size = struct.unpack_from("<QQ", data, 40)
    bits = int.from_bytes(data[72:104], "little")
    if not bits >> expected & 1:
        return b""
    at = start + size + 16 * bin(bits & (1 << expected) - 1).count("1")
    offset, n_bytes = struct.unpack_from("<QQ", data, at)
    return data[offset:offset + n_bytes]


def programs(path):
    """{id: (bytes of the info, bytes of the arrays)}; others may come and go while both tools record."""
    data, at, found = section(path, 25), 4, {}
    while at < len(data):
        info_bytes, data_bytes, arrays = struct.unpack_from("<IIQ", data, at)
        info = data[at + 16:at + 16 + info_bytes]
        at += 16 + info_bytes
        found[struct.unpack_from("<I", info, 4)[0]] = (arrays, info, without_padding(info, data[at:at + data_bytes]))
        at += data_bytes
    return found


def without_padding(info, arrays):
    """Code and the one length of a function are padded to eight bytes: with what perf has lying there."""
    arrays = bytearray(arrays)
    for at, n_bytes in ((24, struct.unpack_from("<I", info, 16)[0]), (120, 4)):
        end = struct.unpack_from("<Q", info, at)[0] + n_bytes
        arrays[end:end + -end % 8] = bytes(-end % 8)
    return bytes(arrays)


def blobs(path):
    data, at, found = section(path, 26), 4, {}
    while at < len(data):
        number, n_bytes = struct.unpack_from("<II", data, at)
        found[number] = data[at + 8:at + 8 + n_bytes]
        at += 8 + n_bytes
    return found


def functions(tap):
    """A program of several functions, each with its name: strobe's own, while it traces."""
    path = os.path.join(SCRATCH, "functions.data")
    inner = f"echo 0 >/dev/null; {PERF} record -q -e cpu-clock -o {path} -- true"
    for _ in range(TRIES):
        strobe("trace", "-e", "openat,write", "-o", "/dev/null", "sh", "-c", inner)
        shown = [re.findall(r"^# (?:bpf_prog_info|\tsub_prog) .*$", tool("report", "--header-only", "-I", "-i", path).out, re.M)
                 for tool in (perf, strobe)]
        if any("sub_prog" in line for line in shown[0]):
            break
    tap.ok(any(re.search(r"sub_prog [1-9]\d*: bpf_prog_\w{16}_fetch_step ", line) for line in shown[0]), "perf names functions", shown[0])
    tap.equal(shown[1], shown[0], "and so does strobe")


def main():
    if not is_root() or not NR_BPF:
        skip_all("loading a BPF program requires root, on a machine whose bpf(2) has a known number")
    tap = Tap()
    fd, number = load_program()
    ours = record("-e", "cpu-clock", "--", "true", output="ours.data")
    theirs = os.path.join(SCRATCH, "theirs.data")
    mine, reference = programs(ours).get(number), None
    # perf gives up where another program ends while it walks their list
    for _ in range(TRIES):
        done = perf("record", "-q", "-e", "cpu-clock", "-o", theirs, "--", "true")
        reference = programs(theirs).get(number) if done.status == 0 else None
        if reference:
            break
    tap.ok(mine is not None and reference is not None, "both know the program", (programs(ours), programs(theirs)))
    for at, what in enumerate(("the mask of arrays", "what the kernel says of it", "its arrays")):
        tap.equal(mine and mine[at], reference and reference[at], what + ": as perf has it")
    btf = struct.unpack_from("<I", mine[1], 128)[0] if mine else 0
    tap.ok(btf in blobs(ours) and b"probe_me" in blobs(ours)[btf], "its types are there", blobs(ours))
    tap.equal(blobs(ours).get(btf), blobs(theirs).get(btf), "its types: as perf has them")
    shown = []
    for tool in perf, strobe:
        text = tool("report", "--header-only", "-I", "-i", ours).out
        shown.append([line for line in text.splitlines() if line.startswith(f"# bpf_prog_info {number}: ")])
    tap.ok(len(shown[0]) == 1 and "probe_me" in shown[0][0], "perf shows it in the header", shown[0])
    tap.equal(shown[1], shown[0], "and so does strobe")
    records = strobe("report", "-D", "-i", ours).out
    tap.ok("probe_me" in records, "its symbol is a record", records[-1000:])
    os.close(fd)
    if "without BPF" in strobe("trace", "-e", "close", "-o", "/dev/null", "true").err:
        tap.skip("functions of a program", "this build has no BPF programs")
    else:
        functions(tap)
    tap.done()


main()
