#!/usr/bin/env python3
"""Values are correct: at every fourth instruction of two functions, at each level of optimisation, a uprobe fetches what gdb prints."""

import json
import os
import re
import shutil
import subprocess

from strobetest import BUILD, SCRATCH, TOP, Tap, require_root, run, skip_all, strobe

LOOKUP = os.path.join(BUILD, "bench", "show_variables")
TRACING = "/sys/kernel/tracing"
GROUP = f"strobe_values_{os.getpid()}"
SOURCE = os.path.join(TOP, "tests", "workloads", "variables.c")
EXPRESSIONS = {
    "target": "p->in.a p->in.b p->in.c:u p->in.d p->name:string p->next->text:string p->next->in.c:u p->arr[2] p->sh p->uc p->flag n u "
              "c h big stack8 byval.a byval.b byval.d sum part.a part.b part.d doubled narrow i k global_value hidden table[1].in.a "
              "table[1].next->sh s:string s[1]".split(),
    "outer": "x r v w q->in.a y->sh y->text:string".split(),
}
# What a function leaves unset before its first line is whatever lay on the stack, which differs from run to run.
UNSET = {"sum", "part.a", "part.b", "part.d", "doubled", "narrow", "i", "k", "r", "v", "w"}
ARGUMENTS_MAX = 40
EACH = 4  # each fourth instruction: the kernel takes long to remove probes

GDB = """
import gdb, json
expressions, addresses, output = json.load(open({question!r}))
result = {{}}
for command in ("pagination off", "confirm off", "disable-randomization on"):
    gdb.execute("set " + command)
for address in addresses:
    gdb.Breakpoint("*%#x" % address)
def value(expression):
    frame = newest = gdb.newest_frame()
    while frame is not None and frame.pc() == newest.pc():
        frame.select()
        try:
            found = gdb.parse_and_eval(expression.split(":")[0])
            if found.is_optimized_out:
                return None
            return found.string() if expression.endswith(":string") else int(found)
        except (gdb.error, ValueError):
            frame = frame.older()
    return None
gdb.execute("run", to_string=True)
while gdb.selected_inferior().pid:
    pc = gdb.newest_frame().pc()
    if pc not in result:
        result[pc] = {{e: value(e) for e in expressions}}
    gdb.execute("continue", to_string=True)
json.dump(result, open(output, "w"))
"""


def gdb_values(program, addresses, expressions):
    """Of each address, at its first hit."""
    question, script, output = (os.path.join(SCRATCH, name) for name in ("question.json", "ask.py", "values.json"))
    with open(question, "w", encoding="utf-8") as f:
        json.dump([expressions, addresses, output], f)
    with open(script, "w", encoding="utf-8") as f:
        f.write(GDB.format(question=question))
    done = run("gdb", "-q", "-batch", "-nx", "-x", script, program)
    if not os.path.exists(output):
        return None, str(done)
    with open(output, encoding="utf-8") as f:
        values = {int(pc): v for pc, v in json.load(f).items()}
    os.unlink(output)
    return values, ""


def write_event(line):
    fd = os.open(f"{TRACING}/uprobe_events", os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, (line + "\n").encode())
    finally:
        os.close(fd)


def instructions(program, function):
    text = run("objdump", "-d", "--no-show-raw-insn", program).out + "\n\n"
    body = re.search(rf"<{function}>:\n(.*?)\n\n", text, re.S).group(1)
    return [int(line.split(":")[0], 16) for line in body.splitlines() if re.match(r"\s+[0-9a-f]+:", line)]


def file_offset(program, address):
    """Of an executable without PIE, whose segments begin at whole pages."""
    for line in run("readelf", "-lW", program).out.splitlines():
        if line.strip().startswith("LOAD"):
            offset, start, _, size = (int(word, 16) for word in line.split()[1:5])
            if start <= address < start + size:
                return address - start + offset
    raise ValueError(hex(address))


def answers(program, addresses, expressions):
    """By address and expression the fetch argument; what was refused is not there."""
    asked = "".join(f"{a:x} - {' '.join(expressions)}\n" for a in addresses)
    lines = iter(run(LOOKUP, program, stdin=asked.encode()).out.splitlines())
    found = {(a, e): next(lines) for a in addresses for e in expressions}
    return {key: line.split("=", 1)[1] for key, line in found.items() if not line.startswith("!")}


def install(program, addresses, expressions, texts):
    """Events GROUP/eADDRESS_N; returns their names and what the kernel refused."""
    names, refused = [], []
    for address in addresses:
        arguments = [f"v{i}={texts[address, e]}" for i, e in enumerate(expressions) if (address, e) in texts]
        for first in range(0, len(arguments), ARGUMENTS_MAX):
            name = f"e{address:x}_{first}"
            line = f"p:{GROUP}/{name} {program}:{file_offset(program, address):#x} " + " ".join(arguments[first:first + ARGUMENTS_MAX])
            try:
                write_event(line)
                names.append(name)
            except OSError as error:
                refused.append(f"{line}: {error}")
    return names, refused


def fetched(program, addresses, expressions, texts):
    """What uprobes recorded at the first hit of each address."""
    instance = f"{TRACING}/instances/{GROUP}"
    names, refused = install(program, addresses, expressions, texts)
    os.mkdir(instance)
    try:
        for name, text in (("buffer_size_kb", "8192"), (f"events/{GROUP}/enable", "1")):
            with open(f"{instance}/{name}", "w", encoding="ascii") as f:
                f.write(text)
        run("setarch", "-R", program)
        with open(f"{instance}/events/{GROUP}/enable", "w", encoding="ascii") as f:
            f.write("0")
        with open(f"{instance}/trace", encoding="utf-8", errors="replace") as f:
            trace = f.read()
    finally:
        os.rmdir(instance)
        for name in names:
            write_event(f"-:{GROUP}/{name}")
    values = {}
    for address, arguments in re.findall(r": e([0-9a-f]+)_\d+: \(0x[0-9a-f]+\) (.*)", trace):
        for i, value in re.findall(r'v(\d+)=("[^"]*"|\S+)', arguments):
            values.setdefault((int(address, 16), expressions[int(i)]), value)
    return values, refused


def is_same(text, truth, expression):
    """Hexadecimal is of as many bits as the type has; a bit field is fetched as unsigned."""
    if isinstance(truth, str):
        return text == f'"{truth}"'
    if not re.fullmatch(r"-?\d+|0x[0-9a-f]+", text):
        return False
    value = int(text, 0)
    if expression.endswith("in.c:u"):
        return value == truth & 0x1f
    return value == truth or (text.startswith("0x") and any(value == truth & (1 << bits) - 1 for bits in (8, 16, 32, 64)))


def check(tap, compiler, level):
    program = os.path.join(SCRATCH, f"variables-{compiler}{level}")
    subprocess.run([compiler, "-g", level, "-no-pie", "-o", program, SOURCE], check=True)
    title = f"{compiler} {level}"
    good, wrong, refused = 0, [], []
    for function, expressions in EXPRESSIONS.items():
        addresses = instructions(program, function)[::EACH]
        texts = answers(program, addresses, expressions)
        values, not_taken = fetched(program, addresses, expressions, texts)
        truth, why = gdb_values(program, addresses, expressions)
        if truth is None:
            tap.ok(False, f"{title}: gdb runs", why)
            return
        refused += not_taken
        for (address, expression), value in values.items():
            known = truth.get(address, {}).get(expression)
            if known is None or (level == "-O0" and expression in UNSET and not is_same(value, known, expression)):
                continue
            good += is_same(value, known, expression)
            if not is_same(value, known, expression):
                wrong.append(f"{function} {address:#x} {expression} ({texts[address, expression]}): {value}, gdb {known}")
    tap.ok(not wrong, f"{title}: no value is wrong", "\n".join(wrong[:20]))
    tap.ok(not refused, f"{title}: the kernel takes each argument", "\n".join(refused[:5]))
    tap.ok(good > 100, f"{title}: values are compared", f"{good}")


def main():
    if not os.path.exists(LOOKUP):
        skip_all("show_variables is not built")
    require_root("uprobes are set")
    strobe("list", "sched:*")  # mounts tracefs where it is not yet
    if not os.path.exists(f"{TRACING}/uprobe_events"):
        skip_all("the kernel has no uprobe events")
    if not shutil.which("gdb"):
        skip_all("gdb, the second source, is missing")
    tap = Tap()
    for compiler in ("gcc", "clang"):
        for level in ("-O0", "-O1", "-O2", "-O3"):
            if shutil.which(compiler):
                check(tap, compiler, level)
    tap.done()


main()
