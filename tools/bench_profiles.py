#!/usr/bin/env python3
"""Creates the pprof profiles that the benchmarks read, always the same ones, in a directory that git ignores.

usage: tools/bench_profiles.py DIR [NAME ...]

  prof    122,000 samples of a program of 7,400 functions, some 6 MB, packed with gzip to some 0.9 MB
  huge    300 MB, packed: 6 million stacks, as of a day of a large service
"""

import gzip
import os
import random
import sys

FUNCTIONS, LOCATIONS_PER_FUNCTION = 7400, 3
# name: (bytes of samples to make at least, samples, value types)
SHAPES = {"prof": (0, 122000), "huge": (300 << 20, 0)}


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n) if n else b""


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


class Strings:
    def __init__(self):
        self.texts, self.ids = [""], {"": 0}

    def id(self, text):
        if text not in self.ids:
            self.ids[text] = len(self.texts)
            self.texts.append(text)
        return self.ids[text]


def tables(strings):
    """Value types, one mapping, functions, their locations."""
    for kind, unit in (("samples", "count"), ("cpu", "nanoseconds")):
        yield message(1, number(1, strings.id(kind)) + number(2, strings.id(unit)))
    yield message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x4000000) + number(5, strings.id("/usr/bin/server"))
                  + b"".join(number(f, 1) for f in (7, 8, 9)))
    for f in range(1, FUNCTIONS + 1):
        name = f"example.com/service/package{f % 97}/part{f % 13}.(*Type{f % 400}).Method{f}"
        file = f"/src/example.com/service/package{f % 97}/file{f % 300}.go"
        yield message(5, number(1, f) + number(2, strings.id(name)) + number(3, strings.id(name)) + number(4, strings.id(file))
                      + number(5, f % 1000 + 1))
        for i in range(LOCATIONS_PER_FUNCTION):
            line = message(4, number(1, f) + number(2, f % 1000 + 2 + i))
            yield message(4, number(1, (f - 1) * LOCATIONS_PER_FUNCTION + i + 1) + number(2, 1)
                          + number(3, 0x400000 + f * 256 + i * 16) + line)


class Stacks:
    """Realistic stacks: a tree of callers whose branches are taken unevenly."""

    def __init__(self, random_):
        self.random = random_
        self.children = {}

    def child(self, node, depth):
        """Each function calls up to six others; the first ones most of the time."""
        key = (node, depth)
        if key not in self.children:
            choose = random.Random(hash(key))
            self.children[key] = [choose.randrange(1, FUNCTIONS * LOCATIONS_PER_FUNCTION + 1) for _ in range(6)]
        return self.children[key][min(int(self.random.expovariate(1.6)), 5)]

    def one(self):
        depth, node, path = self.random.randrange(6, 24), 1, []
        for level in range(depth):
            path.append(node)
            node = self.child(node, level)
        return path


def samples(shape, seed):
    least_bytes, stacks_nr = shape
    stacks = Stacks(random.Random(seed))
    seen, size, packed = set(), 0, [varint(i) for i in range(FUNCTIONS * LOCATIONS_PER_FUNCTION + 1)]
    while len(seen) < stacks_nr or size < least_bytes:
        path = stacks.one()
        locations = b"".join(packed[i] for i in reversed(path))
        if locations in seen:
            continue
        seen.add(locations)
        count = 1 + len(path) % 3
        data = message(2, message(1, locations) + message(2, varint(count) + varint(count * 10000000)))
        size += len(data)
        yield data


def write(path, shape):
    strings = Strings()
    with gzip.GzipFile(path + ".new", "wb", compresslevel=6, mtime=0) as out:
        for part in tables(strings):
            out.write(part)
        for part in samples(shape, 1):
            out.write(part)
        out.write(number(9, 1760000000 * 10**9) + number(10, 3600 * 10**9))
        out.write(message(11, number(1, strings.id("cpu")) + number(2, strings.id("nanoseconds"))) + number(12, 10000000))
        for text in strings.texts:
            out.write(message(6, text.encode()))
    os.rename(path + ".new", path)


def make(directory, names=None):
    """Makes what is missing; returns {name: path}."""
    os.makedirs(directory, exist_ok=True)
    paths = {name: os.path.join(directory, name + ".pb.gz") for name in names or SHAPES}
    for name, path in paths.items():
        if not os.path.exists(path):
            print("making", path, flush=True)
            write(path, SHAPES[name])
    return paths


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    make(sys.argv[1], sys.argv[2:])
