"""Makes the output of two programs comparable, without hiding differences.

Removes only what a program may choose freely: hints, and the order of rows and branches with equal figures.
Everything else is compared as printed. Intended differences are not handled here: they are in
tests/oracle/accepted.tsv, each with its reason.
"""

import re

# What the newest perf prints and perf 6.1 does not: the names of an attr's type and config, and either where it is 0.
ATTR_TYPE = re.compile(r"\b(type(?:: | = )\d+) \([^)]*\)")
ATTR_CONFIG = re.compile(r"\b(config(?:: | = )(?:0x[0-9a-f]+|0)) \([^)]*\)(?=,)")
TYPE_0 = re.compile(r"\btype(?:: | = )0, ")
CONFIG_0 = re.compile(r", config(?:: | = )0(?=,)")
# Addresses of stacks are offsets into the file with perf 6.1: what they share with the address is the place in the page.
FRAME = re.compile(r"^(\t *)[0-9a-f]*?([0-9a-f]{1,3})(?= |$)", re.M)
# The columns of process IDs are as wide as 5 digits with perf 6.1 and as 7 since.
# What may follow them: a CPU, a time, an address, an event (with its period before it), a record's name.
TASK = re.compile(r"^( *(?:\S+ ){0,3}?\S*?) +(-?\d+)(/-?\d+)? +"
                  r"(?=\[\d|\d+\.\d{6}|[0-9a-f]{6,16} |(?:\d+ +)?[a-z][^ ]*:(?: |$)|PERF_RECORD_|$)", re.M)
CONTEXT = re.compile(r" \(PERF_CONTEXT_\w+\)$", re.M)
EMPTY = re.compile(r"^# (?:bpf_prog_info|btf info) empty\n", re.M)
STATS = re.compile(r"^ +(?=[A-Z][A-Z0-9_]+ events: )", re.M)
FEATURES = re.compile(r"(?<=^# missing features: ).*$", re.M)
SINCE_6_1 = ("CPU_DOMAIN_INFO", "E_MACHINE", "CLN_SIZE")
TASKS = "#      pid      tid     ppid  comm"
NEWEST = 7


def tasks(text):
    """The rows of --tasks and --mmaps in the order of their ids, without depths: perf 6.1 lists them as its hash table does."""
    head, _, rows = text.partition("\n")
    blocks = re.split(r"^(?= *-?\d+ +-?\d+ +-?\d+ \|)", rows, flags=re.M)
    blocks = [re.sub(r"^( {9,}) +", r"\1", re.sub(r"\| +", "|", block), flags=re.M) for block in blocks if block]
    return "\n".join([head, *sorted(block.rstrip("\n") for block in blocks)])


def across_versions(text, version):
    """The text without what is there, or another, only since the newest perf: for comparisons with an older one."""
    if version >= NEWEST:
        return text
    if text.startswith(TASKS):
        return tasks(text)
    text = TASK.sub(r"\1 \2\3 ", STATS.sub("", CONTEXT.sub("", EMPTY.sub("", text))))
    text = FEATURES.sub(lambda m: " ".join(word for word in m.group(0).split() if word not in SINCE_6_1), text)
    text = TYPE_0.sub("", CONFIG_0.sub("", ATTR_CONFIG.sub(r"\1", ATTR_TYPE.sub(r"\1", text))))
    return FRAME.sub(lambda m: " " * (len(m.group(0)) - len(m.group(2))) + m.group(2).zfill(3), text)


NAMELESS = re.compile(r"^ *:(\d+)( +\1\b.*)")


def with_ended_tasks(theirs, ours):
    """perf 7.2 forgets the name of a task at its EXIT record, although samples follow: our line matches such a one."""
    lines = [(line, NAMELESS.match(line), own) for line, own in zip(theirs, ours)]
    return [own if m and own.endswith(m.group(2).lstrip()) else line for line, m, own in lines] + theirs[len(ours) :]


HINT = re.compile(r"^# \(|^#$|^\s*$")
# a folded chain begins at the left edge, a flat one is a figure alone; a row has blanks before it, or separators in it
ROW = re.compile(r"^(\s{2,}[\d.]+%\s+\S|\s?[\d.]+% *;.*;)")
BRANCH = re.compile(r"^([ |]*?)(\|? ?)--([\d.,]+%?)--(.*)$")
ROOT = re.compile(r"^([ |]*)---(.*)$")


class Node:
    """A function in a printed call tree; column: where its name begins."""

    def __init__(self, column, figure, name):
        self.column, self.figure, self.name = column, figure, name
        self.children = []

    def key(self):
        return (-figure_of(self.figure), self.name, [child.key() for child in self.children])

    def lines(self, depth):
        # a chain of only children is printed without figures; here too, and the depth is kept
        yield f"{'  ' * depth}{self.figure or '-'} {self.name}"
        for child in sorted(self.children, key=Node.key):
            yield from child.lines(depth + 1)


def figure_of(text):
    return float(text.rstrip("%").replace(",", "")) if text else 0.0


def parse_tree(lines):
    """The forest drawn by the lines of a graph or fractal call chain."""
    top = Node(-1, "", "")
    open_nodes = [top]
    for line in lines:
        branch, root = BRANCH.match(line), ROOT.match(line)
        if branch:
            at = line.index("--") - 1
            node = Node(line.index("--", at + 3) + 2, branch.group(3), branch.group(4))
        elif root:
            at = -1
            node = Node(line.index("---") + 3, "", root.group(2))
        else:
            name = line.lstrip(" |")
            if not name:
                continue
            at = len(line) - len(name)
            node = Node(at, "", name)
        # a continuation is below the name above it, a branch one column left of the start of its dashes
        while open_nodes[-1] is not top and open_nodes[-1].column > at:
            open_nodes.pop()
        open_nodes[-1].children.append(node)
        open_nodes.append(node)
    return top


def is_tree(lines):
    return any("--" in line for line in lines)


def canonical_block(row, chain):
    """One row of a report and the call chain below it."""
    if is_tree(chain):
        body = [line for child in sorted(parse_tree(chain).children, key=Node.key) for line in child.lines(1)]
    else:
        # flat and folded chains: paragraphs that begin with a figure, in any order where figures are equal
        paragraphs = []
        for line in chain:
            if re.match(r"^\s*[\d.,]+%?( |$)", line) or not paragraphs:
                paragraphs.append([])
            paragraphs[-1].append(line.strip())
        body = [line for p in sorted(paragraphs, key=lambda p: (-leading_figure(p[0]), p)) for line in p]
    return [row] + body


def leading_figure(line):
    figure = re.match(r"\s*([\d.,]+)%?", line)
    return float(figure.group(1).replace(",", "")) if figure else 0.0


def report(text):
    """The lines of `report --stdio`, rows of equal figures and branches of equal figures in a fixed order."""
    out, blocks = [], []

    def flush():
        figures = [tuple(re.findall(r"[\d.]+%", block[0])) for block in blocks]
        for _, block in sorted(enumerate(blocks), key=lambda b: (rank(figures, b[0]), b[1])):
            out.extend(canonical_block(block[0], block[1:]))
        blocks.clear()

    for line in text.splitlines():
        line = line.rstrip()
        if HINT.match(line):
            continue
        if line.startswith("#"):
            flush()
            # perf has stubs without their function's name (oracle.py masks both), so that its column of names is narrower
            is_rule = re.search(r"@plt|\] ~", text) and re.fullmatch(r"#[ .]+\.", line)
            out.append(re.sub(r"\.+$", "...", line) if is_rule else line)
        elif ROW.match(line):
            blocks.append([line])
        elif blocks:
            blocks[-1].append(line)
        else:
            out.append(line)
    flush()
    return out


def rank(figures, index):
    """The place of a block's figures among the runs of equal neighbours: only such runs may be put in order."""
    place = 0
    for i in range(1, index + 1):
        if figures[i] != figures[i - 1]:
            place += 1
    return place


def plain(text):
    """Unchanged lines, without hints and trailing blanks."""
    return [line.rstrip() for line in text.splitlines() if not re.match(r"^# \(|^# Tip:", line)]


def any_order(text):
    return sorted(plain(text))
