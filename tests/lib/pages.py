"""Shared by the tests of pages: large inputs, generated and always the same (also for the bench), and hostile names."""

import random

STACKS = 100000


def grown(rng):
    """Stacks that mostly share their outer frames, as in real programs."""
    stacks = [[n] for n in range(20)]
    while True:
        base = stacks[rng.randrange(len(stacks))]
        stack = base[: rng.randint(1, len(base))] + [rng.randrange(4000) for _ in range(rng.randint(1, 4))]
        if len(stack) <= 60:
            stacks.append(stack)
            yield stack


def walked(rng):
    """Paths through a call graph: some twenty deep, few of them alike beyond the first frames."""
    callees = [[rng.randrange(4000) for _ in range(rng.randint(2, 12))] for _ in range(4000)]
    while True:
        stack = [0]
        for _ in range(rng.randint(10, 32)):
            stack.append(rng.choice(callees[stack[-1]]))
        yield stack


def scattered(rng):
    """Stacks of random functions, which share nothing: no program has them, and they do not compress."""
    while True:
        yield [rng.randrange(4000) for _ in range(rng.randint(10, 35))]


def write_folded(path, shape, seed):
    """100,000 distinct stacks; returns the sum of their values."""
    rng = random.Random(seed)
    seen = set()
    total = 0
    with open(path, "w", encoding="utf-8") as f:
        for stack in shape(rng):
            key = ";".join(f"fn_{n}" for n in stack)
            if key in seen:
                continue
            seen.add(key)
            value = rng.randint(1, 100)
            total += value
            f.write(f"{key} {value}\n")
            if len(seen) == STACKS:
                return total


# milliseconds of zooming to places of the flame graph until the pixels are drawn, each the best of six
ZOOMS = """(() => { const f = strobe.views.flamegraph.flame, out = [];
    for (const i of [1, 2, 3, 0, 50, 500, 0]) { let best = Infinity;
    for (let n = 0; n < 6; n++) { const t = performance.now(); f.zoomTo(Math.min(i, f.layout.n - 1));
    f.canvas.getContext("2d").getImageData(0, 0, 1, 1); best = Math.min(best, performance.now() - t); }
    out.push(best); } return out; })()"""


def zoom_cpu(browser):
    """The same in processor time, for a machine that does other things too: the largest."""
    def once(place):
        before = browser.cpu()
        browser.eval(f"""(() => {{ const f = strobe.views.flamegraph.flame; f.zoomTo(Math.min({place}, f.layout.n - 1));
            f.canvas.getContext("2d").getImageData(0, 0, 1, 1); }})()""")
        return browser.cpu() - before
    return max(min(once(place) for _ in range(4)) for place in (1, 2, 3, 0, 50, 500))


def loop_cpu(browser):
    """The time of ten million iterations of a loop in this browser: the unit for other times; the smallest of five."""
    def once():
        before = browser.cpu()
        browser.eval("(() => { let x = 1; for (let i = 0; i < 1e7; i++) x = Math.imul(x, 1664525) + i | 0; return x; })()")
        return browser.cpu() - before
    return min(once() for _ in range(5))


def field(number, value):
    """A field of a protobuf message: bytes, or a number."""
    def varint(n):
        return bytes([n & 0x7F | 0x80]) + varint(n >> 7) if n > 0x7F else bytes([n])
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value)


def pprof_profile(types, rows, files=None):
    """
    [(functions, the outermost first, values by type, {label: text or (number, unit)})] as a profile.proto; types count bytes
    unless they name a unit.
    files: source files of the functions, in their order; all are at line 20.
    """
    strings = [""]
    functions = []

    def number(known, what):
        if what not in known:
            known.append(what)
        return known.index(what)

    def text(what):
        return number(strings, what)

    kinds = [kind if isinstance(kind, tuple) else (kind, "bytes") for kind in types]
    body = b"".join(field(1, field(1, text(kind)) + field(2, text(unit))) for kind, unit in kinds)
    for stack, values, labels in rows:
        label_bytes = b""
        for key, what in labels.items():
            value = field(2, text(what)) if isinstance(what, str) else field(3, what[0]) + field(4, text(what[1]))
            label_bytes += field(3, field(1, text(key)) + value)
        places = b"".join(field(1, number(functions, name) + 1) for name in reversed(stack))
        body += field(2, places + b"".join(field(2, value) for value in values) + label_bytes)
    for n, name in enumerate(functions, 1):
        line, file = (field(2, 20), field(4, text(files[n - 1]))) if files else (b"", b"")
        body += field(4, field(1, n) + field(4, field(1, n) + line))
        body += field(5, field(1, n) + field(2, text(name)) + file)
    return body + b"".join(field(6, s.encode()) for s in strings)


EVIL = [
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror=window.hacked=2>",
    "\u202egnp.evil\u202c",
    "\x1b[31mred\x07",
    "'\"`${window.hacked=3}",
    "__proto__",
    "a" * 70000,
]

# characters that no view may print in text or attributes: control characters, marks of direction, lone surrogates
BAD = r"""(() => {
    const bad = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])/;
    const own = (e) => !e.closest("script, style, noscript"), all = [...document.querySelectorAll("*")].filter(own);
    const texts = all.flatMap((e) => [...e.attributes].map((a) => a.value)).concat(document.body.innerText, document.title,
        ...Object.values(strobe.model.keys.name), [...document.querySelectorAll("option")].map((o) => o.textContent));
    return texts.filter((t) => bad.test(t)); })()"""
HACKED = "[window.hacked, document.querySelectorAll('img, iframe, object, main script').length]"
