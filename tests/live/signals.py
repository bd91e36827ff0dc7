#!/usr/bin/env python3
"""Commands that wait for a workload end on INT, TERM and HUP, exit as shells expect, and continue after HUP under nohup."""
# needs: record stat trace top

import os
import signal
import subprocess
import sys
import time

from strobetest import STROBE, Tap, require_root

TRACE_OPTIONS = ["-s", "-o", os.devnull]
COMMANDS = {
    "record": ["record", "-q", "-B", "-N", "-e", "cpu-clock", "-o", "r.data"],
    "stat": ["stat", "-e", "task-clock", "-o", os.devnull],
    "trace": ["trace", *TRACE_OPTIONS],
    "trace without BPF": ["trace", "--no-bpf", *TRACE_OPTIONS],
    "top": ["top", "--stdio", "-d", "0.2", "-e", "cpu-clock:u", "-p"],
}
LIMIT_S = 20


def mask_of(pid, kind):
    """Bits of a mask of /proc/PID/status, bit 0 for signal 1."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return int(next(line.split()[1] for line in f if line.startswith(kind + ":")), 16)


class Waiting:
    """A command that has opened its signals and started its subject, a sleep."""

    def __init__(self, name, ignore_hup):
        disposition = signal.SIG_IGN if ignore_hup else signal.SIG_DFL
        set_up = lambda: (signal.signal(signal.SIGHUP, disposition), signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        self.subject = subprocess.Popen(["sleep", "60"]) if name == "top" else None
        last = [str(self.subject.pid)] if self.subject else ["sleep", "60"]
        self.process = subprocess.Popen([STROBE, *COMMANDS[name], *last], preexec_fn=set_up, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.sleeps = self.settled()

    def settled(self):
        """The pid of the sleep, once it runs and whoever watches it waits for signals."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as f:
                children = [int(pid) for pid in f.read().split()]
            pids = [self.subject.pid] if self.subject else children
            for pid in pids:
                try:
                    with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                        sleeping = f.read() == "sleep\n"
                except OSError:
                    continue
                if sleeping and mask_of(self.process.pid, "SigBlk") >> (signal.SIGTERM - 1) & 1:
                    return pid
            time.sleep(0.02)
        return 0

    def end(self):
        try:
            return self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            return None

    def close(self):
        self.process.kill()
        self.process.wait()
        if self.subject:
            self.subject.kill()
            self.subject.wait()


def check_ends(tap, name):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        waiting = Waiting(name, ignore_hup=False)
        waiting.process.send_signal(number)
        status = waiting.end()
        fits = (0,) if name == "top" and number == signal.SIGINT else (-number, 128 + number)
        tap.ok(waiting.sleeps and status in fits, f"{name}: {number.name} ends it, and the shell sees it", status)
        waiting.close()


def check_nohup(tap, name):
    waiting = Waiting(name, ignore_hup=True)
    hup, pipe = (1 << (number - 1) for number in (signal.SIGHUP, signal.SIGPIPE))
    # who runs this may ignore others: a shell in the background does
    masks = {kind: mask_of(waiting.sleeps, kind) & (hup | pipe) for kind in ("SigBlk", "SigIgn")} if waiting.sleeps else {}
    if not waiting.subject:
        tap.equal(masks, {"SigBlk": 0, "SigIgn": hup}, f"{name}: its command has the signals that it was started with")
    waiting.process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    tap.equal(waiting.process.poll(), None, f"{name}: HUP means nothing under nohup")
    waiting.process.send_signal(signal.SIGTERM)
    tap.ok(waiting.end() is not None, f"{name}: TERM does")
    waiting.close()


def main():
    require_root("tracing")
    tap = Tap()
    for name in COMMANDS:
        check_ends(tap, name)
        check_nohup(tap, name)
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
