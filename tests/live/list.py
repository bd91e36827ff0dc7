#!/usr/bin/env python3
"""`list -j` is one JSON document, `--details` lists the fields that filters can use, vendor names come from libpfm4."""
# needs: list

import json
import os
import re

from strobetest import SCRATCH, Tap, require_root, strobe

ZEN4 = "amd64_fam19h_zen4"


def check_json(tap):
    events = json.loads(strobe("list", "-j").out)
    names = {e["EventName"]: e for e in events if "EventName" in e}
    tap.ok(len(names) > 100 and names["context-switches"]["EventAlias"] == "cs", "list -j holds all events")
    tap.equal(names["page-faults"]["Encoding"], "1:0x2", "list -j says how a software event is encoded")
    tap.equal(json.loads(strobe("list", "-j", "no_event_is_called_so").out), [], "list -j of nothing is an empty array")


def check_details(tap):
    listed = strobe("list", "--details", "sched:sched_switch").out
    with open("/sys/kernel/tracing/events/sched/sched_switch/format", encoding="utf-8") as f:
        fields = re.findall(r"field:.*?(\w+)(?:\[\w*\])?;", f.read())
    missing = [field for field in fields if not field.startswith("common_") and not re.search(rf"^\s+{field}\s", listed, re.M)]
    tap.ok(fields and not missing, "--details names each field of the format", f"{missing}\n{listed}")


def check_vendor(tap):
    done = strobe("version", "--build-options")
    if not re.search(r"libpfm4: \[ on", done.out):
        tap.skip("vendor events", "this build has no libpfm4")
        return
    forced = strobe("list", "-j", "--all", "pfm", env={"LIBPFM_FORCE_PMU": "skl"})
    events = {e["EventName"]: e for e in json.loads(forced.out)}
    # Intel SDM, volume 3B: INST_RETIRED.ANY_P is event c0 with unit mask 0, of raw type (4)
    tap.equal(events.get("INST_RETIRED:ANY_P", {}).get("Encoding"), "4:0xc0", "a vendor event of Skylake")
    forced = strobe("list", "-j", "--all", "pfm", env={"LIBPFM_FORCE_PMU": ZEN4})
    events = {e["EventName"]: e for e in json.loads(forced.out)}
    # AMD PPR for family 19h: PMCx0C0, retired instructions
    tap.equal(events.get("RETIRED_INSTRUCTIONS", {}).get("Encoding"), "4:0xc0", "a vendor event of Zen 4")
    check_countable(tap)


def check_countable(tap):
    """Events of a processor whose counters the kernel does not show are left out, or marked."""
    without, with_pmu = (os.path.join(SCRATCH, name) for name in ("sysfs-without", "sysfs-with"))
    os.makedirs(without + "/bus/event_source/devices")
    os.makedirs(with_pmu + "/bus/event_source/devices/cpu")
    with open(with_pmu + "/bus/event_source/devices/cpu/type", "w", encoding="ascii") as f:
        f.write("4\n")
    bare = {"LIBPFM_FORCE_PMU": ZEN4, "SYSFS_PATH": without}
    listed = strobe("list", "pfm", env=bare)
    tap.ok("RETIRED_INSTRUCTIONS" not in listed.out and "--all" in listed.err, "without a PMU: left out, which is said", listed)
    listed = strobe("list", "--all", "pfm", env=bare)
    tap.ok(re.search(r"^  RETIRED_INSTRUCTIONS .*not supported here", listed.out, re.M), "without a PMU: --all marks them", listed)
    done = strobe("stat", "-e", "RETIRED_INSTRUCTIONS", "true", env=bare)
    tap.ok(done.status == 129 and "no PMU of this machine" in done.err, "without a PMU: it cannot be named", done)
    listed = strobe("list", "pfm", env={"LIBPFM_FORCE_PMU": ZEN4, "SYSFS_PATH": with_pmu})
    tap.ok(re.search(r"^  RETIRED_INSTRUCTIONS +\[Vendor event\]$", listed.out, re.M), "with a PMU they are listed", listed)


def main():
    require_root("reading tracefs")
    tap = Tap()
    check_json(tap)
    check_details(tap)
    check_vendor(tap)
    tap.done()


main()
