"""A profile as pprof's own tests write it, dicts by the names of Go's fields, as the bytes of a profile.proto."""


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value) if value else b""


class Encoder:
    def __init__(self, rename):
        self.strings, self.rename = {"": 0}, rename

    def text(self, s):
        return self.strings.setdefault(s, len(self.strings))

    def value_type(self, t):
        return field(1, self.text(t["Type"])) + field(2, self.text(t["Unit"]))

    def labels(self, sample):
        out = b""
        for key, values in (sample.get("Label") or {}).items():
            for value in values:
                out += field(3, field(1, self.text(key)) + field(2, self.text(value)))
        for key, values in (sample.get("NumLabel") or {}).items():
            units = (sample.get("NumUnit") or {}).get(key) or []
            for i, value in enumerate(values):
                unit = units[i] if i < len(units) else ""
                out += field(3, field(1, self.text(key)) + field(3, value) + field(4, self.text(unit)))
        return out

    def sample(self, s):
        out = field(1, b"".join(varint(location["ID"]) for location in s.get("Location") or []))
        return out + field(2, b"".join(varint(value) for value in s["Value"])) + self.labels(s)

    def mapping(self, m):
        out = field(1, m["ID"]) + field(2, m.get("Start", 0)) + field(3, m.get("Limit", 0)) + field(4, m.get("Offset", 0))
        out += field(5, self.text(m.get("File", ""))) + field(6, self.text(m.get("BuildID", "")))
        for number, name in enumerate(("HasFunctions", "HasFilenames", "HasLineNumbers", "HasInlineFrames"), 7):
            out += field(number, int(m.get(name, False)))
        return out

    def location(self, place):
        out = field(1, place["ID"]) + field(2, place["Mapping"]["ID"] if place.get("Mapping") else 0)
        out += field(3, place.get("Address", 0))
        for line in place.get("Line") or []:
            at = field(2, line.get("Line", 0)) + field(3, line.get("Column", 0))
            out += field(4, field(1, line["Function"]["ID"]) + at)
        return out

    def function(self, f):
        name = self.rename.get(f["Name"], f["Name"])
        out = field(1, f["ID"]) + field(2, self.text(name)) + field(3, self.text(f.get("SystemName", "")))
        return out + field(4, self.text(f.get("Filename", ""))) + field(5, f.get("StartLine", 0))

    def profile(self, p):
        out = b"".join(field(1, self.value_type(t)) for t in p.get("SampleType") or [])
        parts = ((2, "Sample", self.sample), (3, "Mapping", self.mapping), (4, "Location", self.location),
                 (5, "Function", self.function))
        for number, name, encode in parts:
            out += b"".join(field(number, encode(part)) for part in p.get(name) or [])
        for number, name in (7, "DropFrames"), (8, "KeepFrames"):
            out += field(number, self.text(p.get(name, "")))
        out += field(9, p.get("TimeNanos", 0)) + field(10, p.get("DurationNanos", 0))
        if p.get("PeriodType"):
            out += field(11, self.value_type(p["PeriodType"]))
        out += field(12, p.get("Period", 0))
        out += b"".join(varint(13 << 3) + varint(self.text(comment)) for comment in p.get("Comments") or [])
        return out + b"".join(field(6, s.encode()) for s in self.strings)


def encoded(profile, rename=None):
    """rename: new names of functions; their names in the object file are unchanged."""
    return Encoder(rename or {}).profile(profile)
