"""The text of `perf script` as folded stacks, by the rules that stackcollapse-perf.pl is known for.

Written from the output of that program (it is in the shared corpus; tests/oracle/folded.py compares with it).
"""

import re

HEAD = re.compile(r"(\S.+?)\s+(\d+)(?:/(\d+))?\s+")
EVENT = re.compile(r":\s*(\d*)\s+(\S+):\s*$")
FRAME = re.compile(r"\s*(\w+)\s*(.+) \((.*)\)")


class Options:
    def __init__(self, kernel=False, jit=False, pid=False, tid=False, addrs=False):
        self.kernel, self.jit, self.pid, self.tid, self.addrs = kernel, jit, pid, tid, addrs


def tidy(name, java):
    name = name.replace(";", ":")
    if not re.search(r"\.\(.*\)\.", name):
        name = re.sub(r"\((?!anonymous namespace\)).*", "", name)
    name = name.replace('"', "").replace("'", "")
    if java and "/" in name:
        name = re.sub(r"^L", "", name)
    return name


def names_of(line, options, java):
    """Names of one line's frames, outermost first; empty if the line is skipped."""
    frame = FRAME.match(line)
    if not frame:
        return []
    address, symbol, module = frame.groups()
    symbol = re.sub(r"\+0x[0-9a-f]+$", "", symbol)
    if symbol.startswith("("):
        return []
    names = []
    pieces = symbol.split("->")
    while len(pieces) > 1 and not pieces[-1]:
        pieces.pop()
    for name in pieces:
        if name == "[unknown]":
            name = "unknown" if module == "[unknown]" else re.sub(r".*/", "", module)
            name = f"[{name} <{address}>]" if options.addrs else f"[{name}]"
        name = tidy(name, java)
        if names:
            name += "" if "_[i]" in name else "_[i]"
        elif options.kernel and re.search(r"^\[|vmlinux$", module) and "unknown" not in module:
            name += "_[k]"
        elif options.jit and re.search(r"/tmp/perf-\d+\.map", module):
            name += "" if "_[j]" in name else "_[j]"
        names.append(name)
    return names


def collapse(text, options=Options(), event=None):
    """Sorted lines "process;outermost;…;innermost value"; of the first event if none is named."""
    sums, process, value, stack = {}, None, 0, []

    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if not line:
            if process is not None:
                key = ";".join([process] + stack)
                sums[key] = sums.get(key, 0) + value
            process, stack = None, []
            continue
        head = HEAD.match(line)
        if head:
            comm, pid, tid = head.groups()
            if not tid:
                pid, tid = "?", pid
            event_match = EVENT.search(line)
            if event_match:
                event = event or event_match.group(2)
                if event_match.group(2) != event:
                    continue
            value = int(event_match.group(1)) if event_match and event_match.group(1) else 1
            if options.tid:
                comm = f"{comm}-{pid}/{tid}"
            elif options.pid:
                comm = f"{comm}-{pid}"
            process = comm.replace(" ", "_")
        elif process is not None:
            stack[:0] = names_of(line, options, process.startswith("java"))
    keys = sorted(sums, key=lambda key: key.encode("utf-8", "surrogateescape"))
    return "".join(f"{key} {sums[key] or 1}\n" for key in keys)
