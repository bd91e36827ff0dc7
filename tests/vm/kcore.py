#!/usr/bin/env python3
"""The copies by buildid-cache -k and record --kcore of an emulated machine's kernel equal its memory, at some functions and modules."""
# needs: buildid-cache
# serial
# timeout: 1500

import re

from guest import Guest, build_or_exit
from strobetest import Tap

CACHE = "strobe --buildid-dir /tmp/cache buildid-cache -v -k /proc/kcore"
# bytes_at FILE ADDRESS: 64 bytes that a core file of 64 bits holds, looked for in its segments.
BYTES_AT = r"""
word() { od -A n -t x8 -j $2 -N 8 $1 | tr -d ' '; }
bytes_at() {
	n=$((0x$(od -A n -t x2 -j 56 -N 2 $1 | tr -d ' '))) i=0 first=$((0x$(word $1 32)))
	while [ $i -lt $n ]; do
		h=$((first + 56 * i)) i=$((i + 1))
		offset=$((0x$(word $1 $((h + 8))))) into=$(($2 - 0x$(word $1 $((h + 16))))) size=$((0x$(word $1 $((h + 32)))))
		if [ $into -ge 0 ] && [ $into -lt $size ] && [ $((size - into)) -gt 64 ]; then
			dd if=$1 bs=1 skip=$((offset + into)) count=64 2>/dev/null | od -A n -t x4 | tr -d ' \n'
			return
		fi
	done
}
"""
COMPARE = BYTES_AT + r"""
copy=$(ls /tmp/cache/*/*/*/kcore)
for name in _stext do_sys_openat2 vfs_read schedule $(sed -n 's/\t\[.*//; s/.* [tT] //p' /tmp/of_modules | head -n 3); do
	at=$(grep " $name\\b" /proc/kallsyms | head -n 1 | cut -c1-16)
	echo "at $name $(bytes_at /proc/kcore 0x$at) $(bytes_at $copy 0x$at)"
done
"""


def prepare():
    guest = Guest("arm64")
    guest.add_strobe()
    guest.commands["copy"] = CACHE
    guest.commands["again"] = CACHE + "; ls /tmp/cache/*/*"
    # the third removes the first, which is .old by then
    guest.commands["record"] = "for i in 1 2 3; do strobe record --kcore -q -e cpu-clock -o /tmp/k.data -- " \
        "dd if=/dev/zero of=/dev/null bs=4096 count=30000 2>/dev/null || exit; done; ls /tmp; cd /tmp/k.data && ls; ls kcore_dir; " \
        "stat -c 'bytes %s' kcore_dir/kcore /tmp/cache/*/*/*/kcore; echo differ $(cmp -l kcore_dir/kcore /tmp/cache/*/*/*/kcore | wc -l)"
    guest.commands["report"] = "strobe report --stdio -s sym -i /tmp/k.data"
    guest.commands["compare"] = "grep ' [tT] .*\\[' /proc/kallsyms > /tmp/of_modules; " + COMPARE
    return guest


def main():
    tap = Tap()
    guest = build_or_exit(prepare)
    results = build_or_exit(guest.run)
    tap.ok("added" in results["copy"].out, "the kernel's memory is copied", results["copy"])
    tap.ok("already cached" in results["again"].out and len(re.findall(r"^\d{16}$", results["again"].out, re.M)) == 1,
           "a copy that is like an earlier one is not made", results["again"])
    done = results["record"]
    sizes, differ = re.findall(r"^bytes (\d+)$", done.out, re.M), re.findall(r"^differ (\d+)$", done.out, re.M)
    # the kernel patches itself where events are switched on
    tap.ok(len(set(sizes)) == 1 and len(sizes) == 2 and differ and int(differ[0]) < int(sizes[0]) / 100,
           "the one beside a recording is the same", done)
    tap.ok(re.findall(r"^(?:k\.data.*|data|kcore|kallsyms|modules)$", done.out, re.M) ==
           ["k.data", "k.data.old", "data", "kallsyms", "kcore", "modules"], "older recordings are moved, and removed", done)
    tap.ok(re.search(r"\[k\] \w+", results["report"].out), "its functions have names", results["report"])
    found = re.findall(r"^at (\S+) (\w*) (\w*)$", results["compare"].out, re.M)
    tap.ok(len(found) >= 4 and all(there and there == copied for _, there, copied in found),
           f"{len(found)} functions have the bytes that the kernel's memory has there", results["compare"])
    tap.done()


main()
