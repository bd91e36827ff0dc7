"""Recordings of /proc/schedstat with chosen counters, which the kernel of this machine may not count.

The layouts are those of <perf/event.h> of Linux 7.0 (PERF_RECORD_SCHEDSTAT_CPU, _DOMAIN) and of the feature CPU_DOMAIN_INFO.
As a program: schedstats.py VERSION FILE.
"""

import random
import struct
import sys

from recording import Recording

NRCPUS, CPU_DOMAIN_INFO = 7, 32
SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN = 85, 86
CPU_COUNTERS = {15: 9, 16: 9, 17: 9}
DOMAIN_COUNTERS = {15: 36, 16: 36, 17: 45}
DOMAIN_BYTES = 4 * 45
DOMAINS = (("SMT", "00000003", "0-1"), ("MC", "0000000f", "0-3"))


def reading(rng, version, cpus, before=None):
    """Counters of each CPU and of each of its domains."""
    cpu_values, domain_values = [], []
    for cpu in range(cpus):
        old = before[0][cpu] if before else [0] * 9
        cpu_values.append([o + rng.randrange(1 << (14 if i < 6 else 34)) for i, o in enumerate(old)])
        old_domains = before[1][cpu] if before else [[0] * 45] * 2
        domain_values.append([[o + rng.randrange(5000) for o in old] for old in old_domains])
    return cpu_values, domain_values


def write_reading(made, version, jiffies, values):
    for cpu, counters in enumerate(values[0]):
        made.record(SCHEDSTAT_CPU, made.pack("QIHxx6I3Q", jiffies, cpu, version, *counters))
        for number, of_domain in enumerate(values[1][cpu]):
            count = DOMAIN_COUNTERS[version]
            body = made.pack("QIHH", jiffies, cpu, version, number) + made.pack(f"{count}I", *of_domain[:count])
            made.record(SCHEDSTAT_DOMAIN, body.ljust(16 + DOMAIN_BYTES + 4, b"\0"))


def make(version, seed=1, cpus=4, order="<", with_event=False):
    """Two readings 2,500 jiffies apart: the recording, and both."""
    rng, made = random.Random(seed), Recording(order)
    if with_event:
        made.event("cpu-clock", [1])
    before = reading(rng, version, cpus)
    after = reading(rng, version, cpus, before)
    write_reading(made, version, 4294960000, before)
    write_reading(made, version, 4294962500, after)
    made.features[NRCPUS] = made.pack("II", cpus, cpus)
    info = made.pack("II", version, len(DOMAINS))
    for cpu in range(cpus):
        info += made.pack("II", cpu, len(DOMAINS))
        for number, (name, mask, cpu_list) in enumerate(DOMAINS):
            info += made.pack("I", number) + (made.text(name) if version >= 17 else b"") + made.text(mask) + made.text(cpu_list)
    made.features[CPU_DOMAIN_INFO] = info
    return made, before, after


def write(path, *args, **options):
    made, before, after = make(*args, **options)
    with open(path, "wb") as out:
        out.write(made.file())
    return before, after


def kernel_text(version):
    """The text of /proc/schedstat."""
    text = f"version {version}\ntimestamp 4294960000\n"
    for cpu in range(2):
        text += f"cpu{cpu} 1 0 30 15 40 4 2000 900 5\n"
        for number, (name, mask, _) in enumerate(DOMAINS):
            counters = " ".join(str(n) for n in range(DOMAIN_COUNTERS[version]))
            text += f"domain{number} {name + ' ' if version >= 17 else ''}{mask} {counters}\n"
    return text


if __name__ == "__main__":
    write(sys.argv[2], int(sys.argv[1]))
