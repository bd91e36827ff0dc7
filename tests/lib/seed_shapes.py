"""Compares the output of two tools apart from measured values: shapes of help, lists, counts, calls, samples and reports.

    problem = difference("counts", theirs, ours)     # both are strobetest.Result; None if they agree

A shape is a set. A member of perf's that strobe's lacks is a difference; strobe may have more. If the content depends on other
programs (calls of the whole system), one common member is enough.
"""

import re

NUMBER = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+(?:[.,]\d+)*")
# of the tool itself, and in lines about elapsed times
NAMES = re.compile(r"\b(?:perf|strobe)\b")
# What perf logs with -v about its searches
PROBE_LOG = re.compile(r"Couldn't find|You can now|Opening|Looking at|No kprobe|Could not open|symsrc|maps__|Problems|"
                       r"Using /proc|parsing arg")
# What tools may choose: numbers of events, records beside samples, which IDs samples have. An event of a whole CPU inherits nothing,
# and precision has no meaning for a clock. The rest determines which samples there are, and their contents.
LOOSE_ATTRS = re.compile(r"^(?:id|size|type|config|build_id|bpf_event|ksymbol|cgroup|text_poke|guest_|comm_exec|namespaces|inherit|"
                         r"precise_ip|sample_type: (?:ID|IDENTIFIER)$|mmap|mmap2|comm|task|watermark|wakeup|read_format|exclude_hv|"
                         r"exclude_guest)")


def skeleton(line):
    """A line without its figures, names of tools and widths."""
    return re.sub(r"\s+", " ", NUMBER.sub("0", NAMES.sub("TOOL", line))).strip()


def form(line):
    """The kinds of tokens of a line of data: words, figures and marks."""
    line = re.sub(r"^\s+[0-9a-f]+ ", "0 ", line)  # the address of a frame, of any length
    line = re.sub(r"\([^)]*\)", "()", NUMBER.sub("0", line))
    return re.sub(r"\s+", " ", re.sub(r"[A-Za-z_][\w.@/-]*", "w", line)).strip()


def options(text):
    return {option for option in re.findall(r"^\s+(?:-\w, )?(--[a-z][\w-]*|-\w)\b", text, re.M)}


def pprof_options(text):
    """Options, except those that graphviz and objdump require."""
    return set(re.findall(r"^\s+--?(\w+)", text, re.M)) - {"gif", "tools"}


def commands(text):
    return set(re.findall(r"^ {3}([a-z][\w-]+) {2,}\S", text, re.M))


def events(text):
    """Names of events without groups of metrics, which perf has from its tables of processors."""
    names = re.findall(r"^ {2}(\S+(?: OR \S+)*) +\[(?!Raw)[^\]]*event", text, re.M)
    return {word for name in names for word in name.split(" OR ") if "<" not in word}


def counts(text):
    """Names of counted events: the newest perf omits default events that this machine cannot count."""
    rows = re.findall(r"^(?: *[\d.]+ )? *(<not \w+>|[\d.,]+)(?: +(?:msec|Bytes|MiB|GiB|Joules))? +([a-zA-Z][\w:./*-]+)", text, re.M)
    found = {name for value, name in rows if name not in ("seconds", "requests") and value != "<not supported>"}
    return found | {word for word in ("seconds time elapsed", "Performance counter stats for") if word in text}


def calls(text):
    return set(re.findall(r"^ *[\d.]+ .*?: .*?\b([a-z]\w*)\(", text, re.M))


def tracepoints(text):
    return set(re.findall(r"\b([a-z]\w+:[a-z]\w+)\(", text))


def faults(text):
    return set(re.findall(r"\b(majfault|minfault) \[", text))


def summary(text):
    """Headers of columns, and names of calls."""
    found = set(re.findall(r"^ {3}([a-z]\w+) +\d+ ", text, re.M))
    return found | ({"columns"} if re.search(r"syscall +calls +errors +total +min +avg +max +stddev", text) else set())


def report(text):
    """Remarks and headers of columns."""
    heads = [skeleton(line) for line in text.splitlines() if line.startswith("#")]
    return {re.sub(r"\.{2,}", "..", re.sub(r"'.*'|: .*", "", line)) for line in heads if line not in ("#", "")
            and not line.startswith("# (")}


def dump(text):
    return set(re.findall(r"PERF_RECORD_\w+", text)) | set(re.findall(r"^\. ", text, re.M))


def listing(text):
    return set(re.findall(r"Percent|Disassembly of section \S+|Source code & Disassembly", text))


def forms(text):
    """The most frequent ones, which make up half of the lines."""
    found = [form(line) for line in text.splitlines() if line.strip()]
    return {found_form for found_form in set(found) if found.count(found_form) * 4 >= len(found)}


def lines(text):
    return {skeleton(line) for line in text.splitlines() if line.strip()}


def header(text):
    return {skeleton(line) for line in text.splitlines() if line.startswith("#") or line.endswith(("[sec]", "usecs/op"))}


def functions(text):
    """Functions of the test's program; perf lists data, too."""
    return {line.strip() for line in text.splitlines()} & {"main", "usage", "pr_addr"}


def words(text):
    return {NAMES.sub("TOOL", line.strip()) for line in text.splitlines() if line.strip()}


def probe(text):
    """Messages, variables and lines; the address of a function is that of its symbol."""
    kept = [line for line in text.splitlines() if line.strip() and not PROBE_LOG.match(line)]
    kept = [re.sub(r"^([pr]:\S+ )\S+(?= |$)", r"\1PLACE", line) for line in kept]
    kept = [re.sub(r"^(\t\t).*?(\w+)$", r"\1\2", line) for line in kept]  # the type of a variable is often richer
    # one function of the C library has several names
    return {re.sub(r"@\S+|\+0\b", "", skeleton(line.replace("__GI___", "__"))) for line in kept}


def parts_of(field, has_constant_period):
    """A field of an attr, one entry per flag. PERIOD is ignored if the attr has it."""
    if "|" not in field and "type: " not in field:
        return {field}
    key, _, flags = field.partition(": ")
    return {f"{key}: {flag}" for flag in flags.split("|") if flag != "PERIOD" or not has_constant_period}


def attrs(text):
    """Events with their attrs, as evlist -v prints them."""
    found = set()
    for line in re.findall(r"^ATTR (.*)$", text, re.M):
        name, _, rest = line.partition(": ")
        name = re.sub(r"^([^:]+):[ukhpHGD]+$", r"\1", name)
        if name == "dummy" or name.startswith("# Tip"):
            continue
        fields = re.findall(r"[^,{ ][^,]*", rest.replace("{ sample_period, sample_freq }", "period").replace("{", "").replace("}", ""))
        parts = {part for field in fields for part in parts_of(field.strip(), ", freq: 1" not in line)}
        found |= {name} | {f"{name} {part}" for part in parts if not LOOSE_ATTRS.match(part)}
    return found


def pprof(text):
    """Headers and names, without times, places and prompts, which may be on either stream; GIFs require graphviz."""
    unprompted = [re.sub(r"^(?:\(pprof\) ?)+", "", line) for line in text.splitlines()]
    kept = [line for line in unprompted if not re.match(r" *-?gif ", line)]
    kept = [line for line in kept if not re.match(r"Fetching|Saved|Time:|File:|Duration|Main binary|Local symbol|Some binary|"
                                                              r"Entering|Build ID|.*No samples were found", line)]
    return {skeleton(re.sub(r"\b\d[\d.]*(?:ns|us|ms|s|mins|kB|MB|B)?(?=\s|$)|0%", "0", line)) for line in kept if line.strip()}


def names_of_pprof(text):
    """Names of rows: of the program itself; which functions of Go's run time occur is random."""
    kept = [line for line in pprof(text) if not re.search(r"^Showing|^Dropped|runtime|net\W|bufio|internal|os/|compress|encoding", line)]
    return {line.split()[-1] if line.startswith("0") else line for line in kept}


SHAPES = {
    "options": options, "options-pprof": pprof_options, "commands": commands, "events": events, "counts": counts, "calls": calls,
    "tracepoints": tracepoints, "faults": faults, "summary": summary, "report": report, "dump": dump, "listing": listing, "form": forms,
    "lines": None, "words": words, "header": header, "probe": probe, "functions": functions, "attrs": attrs, "pprof": names_of_pprof,
    "top": None, "status": None, "torch": None, "manual": None, "refusal": None,
}
SOME = {"calls-some": calls}


def top_problem(theirs, ours):
    head = r"(?:PerfTop|Top|strobe top): *\d+ irqs/sec .*\d"
    if not re.search(head, ours.out, re.I):
        return "no line with the rate of samples"
    return None if re.search(r"\d+\.\d+%", ours.out) or not re.search(r"\d+\.\d+%", theirs.out) else "no row with a share"


def difference(kind, theirs, ours):
    """Why strobe's output differs from perf's; None if it does not."""
    if kind == "top":
        return top_problem(theirs, ours)
    if kind == "manual":
        return None if "NAME" in ours.out or "SYNOPSIS" in ours.out else "no manual page"
    if kind == "torch":
        return None if ours.out.strip() not in ("", "0") else "nothing of what it draws"
    if kind == "lines":
        return None if ours.out.count("\n") == theirs.out.count("\n") or not theirs.out else "another number of lines"
    of = SOME.get(kind) or SHAPES.get(kind)
    if not of:
        return None
    left, right = of(theirs.out + theirs.err), of(ours.out + ours.err)
    if kind in SOME:
        return None if right and (left & right or not left) else f"no call in common: {sorted(left)[:5]}, {sorted(right)[:5]}"
    missing = sorted(left - right)
    if not left and not right and theirs.out.strip() and kind not in ("tracepoints", "listing"):
        return "nothing that could be compared"
    return f"without {missing[:6]}{' and more' if len(missing) > 6 else ''}" if missing else None
