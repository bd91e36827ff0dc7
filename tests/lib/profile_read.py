"""Reads a profile.proto, compressed or not, independently of strobe and pprof: samples with the names of their frames, by sample type."""

import gzip


def varint(data, at):
    n = shift = 0
    while True:
        byte = data[at]
        at += 1
        n |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return n, at


def fields(data):
    """(number, value) of a message; a value is a number or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            n, at = varint(data, at)
            value, at = data[at : at + n], at + n
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def numbers(value):
    """A repeated number, packed or not."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        n, at = varint(value, at)
        found.append(n)
    return found


class Profile:
    """types: names of the sample types; samples: ([names, innermost first], [values], {label: number or text})."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        top = list(fields(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))
        self.strings = [value.decode() for number, value in top if number == 6]
        self.types = [self.strings[dict(fields(value))[1]] for number, value in top if number == 1]
        functions = {f[1]: self.strings[f.get(2, 0)] for f in (dict(fields(value)) for number, value in top if number == 5)}
        self.names = {}
        for value in (value for number, value in top if number == 4):
            place = list(fields(value))
            lines = [dict(fields(line)) for number, line in place if number == 4]
            self.names[dict(place)[1]] = [functions[line[1]] for line in lines] or ["?"]
        self.samples = [self.sample(value) for number, value in top if number == 2]

    def sample(self, message):
        places, values, labels = [], [], {}
        for number, value in fields(message):
            if number == 1:
                places += numbers(value)
            elif number == 2:
                values += numbers(value)
            elif number == 3:
                label = dict(fields(value))
                labels[self.strings[label[1]]] = self.strings[label[2]] if 2 in label else label.get(3, 0)
        return [name for place in places for name in self.names[place]], values, labels

    def sums(self, function, **labels):
        """{sample type: sum} of samples with this function in their stacks; None: of all."""
        total = [0] * len(self.types)
        for names, values, has in self.samples:
            if (function is None or function in names) and all(has.get(key) == value for key, value in labels.items()):
                total = [a + b for a, b in zip(total, values)]
        return dict(zip(self.types, total))
