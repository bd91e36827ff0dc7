#!/usr/bin/env python3
"""annotate of a Rust program: its names, the hottest line and its text; run by hand, since rustc is large."""
# needs: record annotate
# timeout: 200

import json
import os
import pwd
import shutil

from strobetest import SCRATCH, Tap, record, run, skip_all, strobe

SOURCE = """mod work {
    #[inline(always)]
    fn step(x: u64, n: u64) -> u64 {
        x / n // HOT
    }
    #[inline(never)]
    pub fn spin(turns: u64) -> u64 {
        (1..turns).fold(u64::MAX, |sum, n| sum ^ step(sum | 1 << 63, n | 1))
    }
}
fn main() {
    println!("{}", work::spin(60_000_000));
}
"""


def main():
    if not shutil.which("rustc"):
        skip_all("rustc is not installed")
    # where rustup put it: tests have a home of their own
    os.environ.setdefault("RUSTUP_HOME", os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".rustup"))
    tap = Tap()
    source, binary = os.path.join(SCRATCH, "spin.rs"), os.path.join(SCRATCH, "spin")
    with open(source, "w", encoding="utf-8") as f:
        f.write(SOURCE)
    built = run("rustc", "--edition", "2021", "-g", "-Copt-level=2", "-o", binary, source, timeout_s=120)
    if not tap.ok(built.status == 0, "a program is built", built):
        return
    path = record("-e", "cpu-clock:u", "-F", "2000", "--", binary)
    done = strobe("annotate", "--format", "json", "-i", path)
    found = {f["symbol"]: f for f in json.loads(done.out)["functions"]}
    name = next((n for n in found if n.startswith("spin::work::spin")), None)
    if tap.ok(name, "its function by its name in the source", sorted(found)):
        spin = found[name]
        lines = {l["line"]: l for l in spin["lines"] if spin["files"][l["file"]]["path"].endswith("spin.rs")}
        hot = next(n for n, line in enumerate(SOURCE.splitlines(), 1) if "HOT" in line)
        tap.between(50, lines[hot]["values"][0]["percent"], 100, "the line that takes the time, inlined twice")
        tap.ok("HOT" in lines[hot].get("text", ""), "and its text", lines[hot])
    tap.done()


main()
