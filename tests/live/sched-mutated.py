#!/usr/bin/env python3
"""Recordings of the scheduler with changed or missing bytes: complete records are shown, and nothing crashes or hangs."""
# needs: sched kwork record

import random

from strobetest import Tap, require_root, strobe

COMMANDS = ("sched latency --percentiles", "sched latency --format json", "sched map", "sched timehist -S -w -M -P --show-prio",
            "sched timehist -I -S", "sched timehist --format json", "kwork report -S", "kwork latency", "kwork timehist", "kwork top")
ROUNDS = 60


def mutate(data, chance):
    """Some bytes of the header or of anywhere; of every fifth file the end is missing."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 5, 50, 500))):
        at = chance.randrange(len(data)) if chance.random() < 0.8 else chance.randrange(2000)
        data[at] = chance.choice((0, 255, chance.randrange(256)))
    return data[:chance.randrange(len(data))] if chance.random() < 0.2 else data


def main():
    require_root("the events of the scheduler")
    tap = Tap()
    load = ("--", "sh", "-c", "for i in 1 2 3 4; do ls / | cat >/dev/null; done")
    strobe("sched", "record", "-o", "sched.data", *load)
    strobe("kwork", "-k", "irq,softirq,workqueue,sched", "record", "-o", "kwork.data", *load)
    sources = {}
    for name in ("sched", "kwork"):
        with open(f"{name}.data", "rb") as f:
            sources[name] = f.read()
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    wrong = []
    for _ in range(ROUNDS):
        command = chance.choice(COMMANDS)
        with open("mutated.data", "wb") as f:
            f.write(mutate(sources[command.split()[0]], chance))
        done = strobe("--no-pager", *command.split(), "-f", "-i", "mutated.data", timeout_s=30)
        if done.status is None or done.status < 0 or done.status == 134:
            wrong.append(f"{command}: {done}")
    tap.ok(not wrong, f"{ROUNDS} changed recordings, none crashes or hangs", f"seed {seed}\n" + "\n".join(wrong[:5]))
    tap.done()


main()
