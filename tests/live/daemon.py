#!/usr/bin/env python3
"""`daemon`: sessions start, answer, follow their settings and end; it lists what perf's daemon lists; nothing keeps running after it."""
# needs: daemon record

import json
import os
import re
import shutil
import signal
import time

from strobetest import Tap, perf, strobe

SESSIONS = {"clock": "-e cpu-clock:u -m 64", "task": "-e task-clock:u --switch-output"}
PATIENCE_S = 20


def settings(name, sessions):
    with open(name, "w", encoding="utf-8") as out:
        out.write(f"[daemon]\nbase = {os.path.abspath(name)}.base\n")
        out.writelines(f"[session-{session}]\nrun = {run} -- sleep 600\n" for session, run in sessions.items())
    os.makedirs(f"{name}.base", exist_ok=True)
    return ["--config", name]


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def listed(where):
    done = strobe("daemon", "list", "--format", "json", *where)
    rows = json.loads(done.out)["rows"] if done.status == 0 else []
    return {row["name"]: row for row in rows}


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "Z"


def answers(where):
    return strobe("daemon", "ping", *where).out.splitlines() == ["OK   clock", "OK   task"]


def normal(text):
    return re.sub(r"\[\d+:", "[PID:", text).replace("strobe record", "perf record").replace("theirs.conf.base", "ours.conf.base")


def check_list(tap, where):
    """Beside perf's daemon with the same settings."""
    if not shutil.which("perf"):
        tap.skip("the list is perf's", "no perf")
        return
    theirs = settings("theirs.conf", SESSIONS)
    perf("daemon", "start", *theirs)
    for option in ((), ("-v",)):
        ours, due = strobe("daemon", *option, *where).out, perf("daemon", *option, *theirs).out
        tap.equal(normal(ours), normal(due), f"the list is perf's: {option}")
    numbers = re.compile(r"^\d+", re.M)
    tap.equal(numbers.sub("", normal(strobe("daemon", "-x,", *where).out)), numbers.sub("", normal(perf("daemon", "-x,", *theirs).out)),
              "with separators, too")
    perf("daemon", "stop", *theirs)


def main():
    tap = Tap()
    where = settings("ours.conf", SESSIONS)
    tap.equal(strobe("daemon", *where).status, 1, "without a daemon there is no list")
    tap.equal(strobe("daemon", "start", *where).status, 0, "start")
    tap.ok(until(lambda: answers(where)), "both sessions answer", strobe("daemon", "ping", *where))
    second = strobe("daemon", "start", *where)
    tap.ok(second.status == 1 and "another daemon" in second.err, "one daemon for a directory", second)
    check_list(tap, where)

    folder = "ours.conf.base/session-task"
    before = len(os.listdir(folder))
    sent = strobe("daemon", "signal", "--session", "task", *where)
    tap.ok(re.fullmatch(rf"signal {int(signal.SIGUSR2)} sent to session 'task \[\d+\]'\n", sent.out), "signal", sent)
    tap.ok(until(lambda: len(os.listdir(folder)) > before), "and the recording goes on in another file", os.listdir(folder))
    done = strobe("daemon", "ping", "--session", "none", *where)
    tap.equal((done.status, done.out), (0, "FAIL none (not found)\n"), "a session that is not there does not answer, as perf says it")

    old = listed(where)
    settings("ours.conf", {"clock": SESSIONS["clock"], "other": "-e cpu-clock:u"})
    tap.ok(until(lambda: list(listed(where)) == ["daemon", "clock", "other"]), "a session ends and another starts with the settings",
           listed(where))
    tap.equal(listed(where)["clock"]["pid"], old["clock"]["pid"], "one that has not changed goes on")
    tap.ok(is_gone(old["task"]["pid"]), "the other is gone")

    now = listed(where)
    tap.equal(strobe("daemon", "stop", *where).status, 0, "stop")
    tap.ok(until(lambda: all(is_gone(row["pid"]) for row in now.values())), "nothing goes on", now)
    done = strobe("evlist", "-i", "ours.conf.base/session-clock/perf.data")
    tap.equal(done.out.split(), ["cpu-clock:u"], "and the recording is whole")
    tap.done()


main()
