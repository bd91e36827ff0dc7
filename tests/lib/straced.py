"""System calls as strace prints them: what is the same in two runs, and what differs on purpose. Two scripts of tests/oracle compare
with it: strace-decode.py by ptrace, strace-trace.py by `strobe trace`; tests/long/strace-tests.py does both."""

import re
import shutil
import sys

from strobetest import build_workload, run, skip_all

# Some containers forbid it; addresses are masked anyway.
FIXED_ADDRESSES = ["setarch", "-R"] if run("setarch", "-R", "true").status == 0 else []

# (family or *, pattern in both texts, replacement, reason): intended differences
ACCEPTED = [
    ("*", r'getrandom\("[^"]*"', "getrandom(RANDOM", "chance"),
    ("*", r"sysinfo\({.*?}\)", "sysinfo(INFO)", "load and memory of the moment"),
    ("*", r"getppid\(\) = \d+", "getppid() = PARENT", "the tracer itself"),
    ("*", r" ?=> {parent_tid=\[\w+\]}", "", "what clone3 wrote is its result: the struct is not fetched again"),
    ("*", r" /\* \w*\?\?\? \*/", "", "the remark that strace puts behind numbers without a name"),
    ("*", r"WSTOPPED", "WUNTRACED", "two names of one bit; wait4(2) has the latter"),
    ("memory", r"(membarrier\(MEMBARRIER_CMD_QUERY, 0\) = ).*", r"\1COMMANDS", "we give the number alone"),
    ("prctl", r" \(SUID_DUMP_USER\)", "", "a name for a result that only one option has"),
    ("tcp", r"\[SOCK_STREAM\]", "[1]", "SO_TYPE has a name in ours"),
    ("messages", r"(sendmmsg.*), msg_len=\d+", r"\1", "ours is fetched when the call is made"),
    ("messages", r"recvmsg\(99, .*, 0\) = -1", "recvmsg(99, MSG, 0) = -1", "nothing came: ours gives the address"),
    ("ipc", r"(?<=\()\d+|= \d+$", "ID", "numbers of objects count up"),
    ("system", r"0x4d", "77", "ours are hexadecimal where there is no name"),
    ("server", r"(accept4\(.*|getsockname\(.*)htons\(\d+\)", r"\1htons(PORT)", "the kernel's choice"),
    ("curl", r"(getsockname\(.*)htons\(\d+\)", r"\1htons(PORT)", "the kernel's choice"),
    ("perf", r"PERF_ATTR_SIZE_VER\d", "128", "a size that strace has a name for"),
    ("perf", r" /\* Bits 63..38 \*/", "", "a remark of strace's"),
    ("perf", r" /\* arbitrary skid \*/", "", "a remark of strace's"),
    ("bpf", r"(bpf\(0x4d, )[^,]*", r"\1ATTR", "ours shows the bytes of a command without a name"),
    ("ioctl_structs", r"MIXER_(READ|WRITE)\(\d+\) or ", "", "one number of sound cards and flash memory"),
    ("ioctl", r"SNDCTL_TMR_CONTINUE or ", "", "one number of sound cards and terminals; it is a terminal"),
    ("cp", r"BTRFS_IOC_CLONE or FICLONE", "FICLONE", "one number, whose name is FICLONE since Linux 4.5"),
    ("find", r"fstatfs\((\d+)(?:<[^<>]*>)?, .*", r"fstatfs(\1)", "free blocks of the moment; ext2 and ext4 have one number"),
    ("edges", r"(setgroups\(.*) /\* PTR \*/", r"\1", "where the memory ends"),
    ("control", r"SO_(TIMESTAMP(?:NS)?)_OLD", r"SCM_\1", "two names"),
    ("control", r"(recvmmsg.*\(left )[^)]*", r"\1TIME", "the moment"),
    ("control", r"if_nametoindex\(\"[^\"]*\"\)", "1", "its name is of the moment"),
    ("rseq", r"RSEQ_FLAG_UNREGISTER", "0x1", "strace 6.1 has no name for it"),
    ("rseq", r"\(NULL", "(0", "an address in ours, a number in strace's"),
]

# A return from a handler occurs whenever the signal does; strace reads the mask from the stack there.
UNTIMED = re.compile(r"rt_sigreturn\(")
# Threads of python compete for its lock: only the calls for sockets are the same in each run.
KEPT = {"server": re.compile(r"(socket|bind|listen|accept4?|connect|sendto|recvfrom|setsockopt|getsockname|getpeername|shutdown)\(")}
# How often it waits for the server, and for its thread that looks up names, varies.
KEPT["curl"] = re.compile(r"(socket|connect|sendto|recvfrom|[gs]etsockopt|getsockname|getpeername|fcntl|openat|close|write|exit_group)\(")
KEPT["manythreads"] = re.compile(r"lseek\(")
KEPT["threads"] = re.compile(r"(?!futex\()")  # whether one waits for the other to end varies
# Calls in which a number that is also a thread's ID may be something else.
NUMBERS = re.compile(r"(mmap|munmap|mprotect|mremap|madvise|read|write|pread64|newfstatat|fstat|lseek|brk|statfs)\(")

SERVER = """
import socket, threading
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", 45322)); s.listen(5)
def serve():
    c, _ = s.accept(); c.sendall(c.recv(100).upper()); c.close()
c = socket.socket()
t = threading.Thread(target=serve); t.start()
c.connect(("127.0.0.1", 45322)); c.sendall(b"hello"); c.recv(100); t.join()
"""


def lines_of(path):
    """[(tid, call)] in the order of returns; strace's unfinished calls are joined."""
    open_calls, calls = {}, []
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            tid, _, text = line.rstrip("\n").partition(" ")
            text = text.strip()
            if text.startswith(("+++", "---")) or "strace:" in text:
                if text.startswith("+++") and tid in open_calls:
                    calls.append((tid, open_calls.pop(tid) + ") = ?"))
                continue
            if text.endswith("<unfinished ...>"):
                open_calls[tid] = text[: -len("<unfinished ...>")].rstrip(" ")
                continue
            if text.endswith("<unfinished ...>) = ?"):
                text = text[: -len("<unfinished ...>) = ?")].rstrip(" ") + ") = ?"
            resumed = re.match(r"<\.\.\. \w+ resumed>", text)
            if resumed:
                head, rest = open_calls.pop(tid, ""), text[resumed.end():]
                text = head + (" " if head.endswith(",") else "") + rest.lstrip(" ")
            calls.append((tid, text))
    return calls


# A line of `strobe trace --strace`: time, duration, program and thread, text.
TRACE_LINE = re.compile(r"\s*(\?|-?[\d.]+) \([^)]*\): (?:.{0,14}/)?(\d+) (.*)$")
# As in perf, the first line of a new task is the end of the call that created it; strace begins after that.
FORKS = re.compile(r"(?:v?fork|clone3?)\(.*= 0$")


def trace_lines_of(path):
    """The same of trace's output: calls that were printed as unfinished are joined with their ends. Other lines are of thread "0"."""
    waiting, calls = {}, []
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            found = TRACE_LINE.match(line.rstrip("\n"))
            if not found:
                calls.append(("0", line))
                continue
            start, tid, text = found.groups()
            if text.startswith(("--- ", "+++ ")):  # signals, starts and exits: not calls
                continue
            if start == "?" and FORKS.match(text):
                continue
            if text.endswith(" ..."):
                waiting[tid] = text[:-4].rstrip(" ")
                continue
            if text.startswith(" ... [continued]: "):
                head, text = waiting.pop(tid, ""), text[len(" ... [continued]: "):]
                if re.match(r"\w+\(\)\s", text):  # no change
                    text = head + text[text.index("()") + 2:]
            calls.append((tid, text))
    return calls + [(tid, text + " = ?") for tid, text in waiting.items()]


TRIES = 5


def mistakable(one, other):
    """Whether a thread's number in one run also occurs in the other, where it must mean something else (1000, a user)."""
    numbers = [{n for _, text in calls for n in re.findall(r"\b\d+\b", text)} for calls in (one, other)]
    return any(tid in numbers[1] for tid, _ in one) or any(tid in numbers[0] for tid, _ in other)


def normalise(calls, family, accepted=ACCEPTED):
    """Texts by thread, threads in order of appearance; what differs between two runs is masked."""
    tids = list(dict.fromkeys(tid for tid, _ in calls))
    names = {tid: f"T{i}" for i, tid in enumerate(tids)}
    threads = {}
    for tid, text in calls:
        text = re.sub(r"\)\s+= ", ") = ", text)
        text = re.sub(r" /\* (\d+ entries|\d{4}-.*?) \*/", "", text)
        text = re.sub(r"(?<![\w\"])([A-Z_][A-Z_0-9]*|0x[0-9a-f]+|0[0-7]*)(\|([A-Z_][A-Z_0-9]*|0x[0-9a-f]+|0[0-7]+))+",
                      lambda m: "|".join(sorted(m.group(0).split("|"))), text)
        if UNTIMED.match(text) or (family in KEPT and not KEPT[family].match(text)):
            continue
        if not NUMBERS.match(text):
            text = re.sub(r"\b\d{3,}\b", lambda m: names.get(m.group(0), m.group(0)), text)
        text = re.sub(r"\b0x[0-9a-f]{7,}\b", "PTR", text)
        for where, pattern, replacement, _ in accepted:
            if where in ("*", family):
                text = re.sub(pattern, replacement, text)
        threads.setdefault(names[tid], []).append(text)
    if family in KEPT and len(threads) > 2:  # the order varies
        return {f"T{i}": texts for i, texts in enumerate(sorted(threads.values()))}
    return threads


def own_part(threads):
    """The calls of a family's program after its marker: the loader's calls are compared once, by the program `ls`."""
    first = threads.get("T0", [])
    marker = [i for i, text in enumerate(first) if text.startswith("close(-12345)")]
    if marker:
        threads["T0"] = first[marker[0] + 1:]
    return threads


def programs():
    """Programs besides the families."""
    python = shutil.which("python3") or "python3"
    return {
        "ls": ["/bin/ls", "-l", "/etc/default"],
        "sh": ["/bin/sh", "-c", "(exit 3); echo $?"],
        "cat": ["/bin/cat", "/etc/passwd"],
        "cp": ["/bin/cp", "/etc/passwd", "copy"],
        "dd": ["/bin/dd", "if=/dev/zero", "of=zeros", "bs=4k", "count=3", "status=none"],
        "find": ["/usr/bin/find", "/etc/default", "-name", "*o*"],
        "grep": ["/bin/grep", "root", "/etc/passwd"],
        "id": ["/usr/bin/id"],
        "ln": ["/bin/ln", "-s", "nowhere", "link"],
        "mkdir": ["/bin/mkdir", "-p", "-m", "700", "a/b/c"],
        "python3": [python, "-I", "-S", "-c", "print(1)"],
        "server": [python, "-I", "-S", "-c", SERVER],
    }


def is_wanted(name):
    """The families that the command line names, or all."""
    return len(sys.argv) < 2 or name in sys.argv[1:]


def require_strace():
    if not shutil.which("strace"):
        skip_all("no strace on this machine")
    if run("strace", "-o", "/dev/null", "true").status != 0:
        skip_all("strace may not trace here")


def compare_all(tap, compare):
    """compare(tap, name, argv) of each family of tests/workloads/families.c, and of each program."""
    binary = build_workload("families", "-w", "-pthread")
    for family in run(binary).out.split():
        if is_wanted(family):
            compare(tap, family, [binary, family])
    for name, argv in programs().items():
        if is_wanted(name):
            compare(tap, name, argv)


def differences(ours, theirs):
    """Call by call, by thread."""
    found = []
    for tid in sorted(set(ours) | set(theirs)):
        mine, strace = ours.get(tid, []), theirs.get(tid, [])
        for i in range(max(len(mine), len(strace))):
            x = mine[i] if i < len(mine) else "(nothing)"
            y = strace[i] if i < len(strace) else "(nothing)"
            if x != y:
                found.append(f"{tid}\n  ours   {x}\n  strace {y}")
    return found
