#!/usr/bin/env python3
# quick
# needs: doctor
"""doctor's checks of this machine, compared with what other programs can do, as root, as a plain user, and in namespaces without some
features."""

import json
import os
import shutil
import subprocess

from strobetest import PERF, SCRATCH, STROBE, Tap, is_root, run, skip_all, strobe

AS_NOBODY = "exec setpriv --reuid nobody --regid nogroup --clear-groups --bounding-set -all ./strobe doctor --json"
BARE = "awk '$3 == \"tracefs\" || $3 == \"debugfs\" { print $2 }' /proc/mounts | sort -r | xargs -r -n 1 umount -l && "


def states(text):
    return {row["check"]: row for row in json.loads(text)["rows"]}


def same_as_perf(tap, found):
    """An event counts with perf where doctor says so."""
    for check, event in (("hardware-counters", "cycles:u"), ("breakpoints", "mem:0x1000:w:u"), ("tracepoints", "sched:sched_switch")):
        counted = run(PERF, "stat", "-x,", "-e", event, "true")
        can = counted.status == 0 and "<not" not in counted.err
        tap.equal(found[check]["state"] == "ok", can, f"{check}: perf stat -e {event} agrees")


def same_as_kernel(tap, found):
    for check, path in (("uprobes", "/sys/bus/event_source/devices/uprobe"), ("kprobes", "/sys/bus/event_source/devices/kprobe")):
        tap.equal(found[check]["state"] == "ok", os.path.exists(path), f"{check}: the kernel's PMU is there or not")
    with open("/proc/kallsyms", encoding="ascii") as f:
        named = any(int(line.split()[0], 16) for line, _ in zip(f, range(2000)))
    tap.equal(found["kernel-symbols"]["state"] == "ok", named, "kernel-symbols: /proc/kallsyms has addresses")
    for check in ("uprobes", "kprobes"):
        tap.equal(strobe("doctor", check).status, 0 if found[check]["state"] == "ok" else 1, f"the exit status of 'doctor {check}'")


def plain_user(tap):
    """Without rights and without tracefs; the mounts are those of a namespace."""
    os.makedirs("nobody", exist_ok=True)
    shutil.copy(STROBE, "nobody/strobe")
    for path in (os.path.dirname(SCRATCH), SCRATCH):
        os.chmod(path, os.stat(path).st_mode | 0o001)
    done = subprocess.run(["unshare", "-m", "sh", "-c", BARE + "cd nobody && " + AS_NOBODY], capture_output=True, text=True, timeout=60,
                          check=False)
    if done.returncode:
        tap.skip("a plain user without tracefs", (done.stderr.strip().splitlines() or ["unshare failed"])[0])
        return
    found = states(done.stdout)
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as f:
        paranoid = int(f.read())
    tap.equal(found["rights"]["state"], "ok" if paranoid < 0 else "missing" if paranoid > 2 else "partly", "the rights of a plain user")
    tap.equal(found["tracefs"]["state"], "missing", "tracefs that is not mounted")
    tap.ok("mount" in found["tracefs"]["remedy"], "and how to mount it", found["tracefs"])
    tap.equal(found["uprobes"]["state"], "missing", "probes are root's")


def own_process_ids(tap):
    done = subprocess.run(["unshare", "-pf", "--mount-proc", STROBE, "doctor", "bpf-pid-namespace"], capture_output=True, text=True,
                          timeout=60, check=False)
    if "unshare" in done.stderr:
        tap.skip("a PID namespace", done.stderr.strip())
        return
    tap.ok(done.returncode == 1 and "--pid=host" in done.stdout, "in a PID namespace BPF's process IDs are not ours", done)


def main():
    if not is_root():
        skip_all("namespaces want root")
    tap = Tap()
    found = states(strobe("doctor", "--json").out)
    same_as_perf(tap, found)
    same_as_kernel(tap, found)
    plain_user(tap)
    own_process_ids(tap)
    tap.done()


main()
