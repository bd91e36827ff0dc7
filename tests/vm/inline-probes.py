#!/usr/bin/env python3
"""
Inline probes in an emulated machine whose kernel has kprobes (Debian's, without debug information, older than links with many uprobes):
functions of the kernel and of a program, with known values; a glob skips what may not be probed; nothing remains.
"""
# needs: record script stat trace probe
# serial
# timeout: 1500

import os
import platform
import re
import subprocess

from guest import LISTEN, SEND, Guest, build_or_exit
from strobetest import SCRATCH, Tap, skip_all

SOURCE = r"""
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) long work(long n, const char *s) { asm volatile("" : : "r"(n), "r"(s) : "memory"); return n * 2; }
int main(void)
{
	long sum = 0;
	for (long i = 0; i < 10; i++)
		sum += work(i, "work");
	if (!fork())
		sum += work(100, "child");
	else
		wait(0);
	return sum == 1;
}
"""
LISTS = "cat /sys/kernel/tracing/kprobe_events /sys/kernel/debug/kprobes/list"


def program():
    path = os.path.join(SCRATCH, "worker")
    subprocess.run(["cc", "-g", "-O1", "-static", "-x", "c", "-o", path, "-"], input=SOURCE.encode(), check=True)
    return path


def prepare():
    guest = Guest("amd64")
    guest.add_strobe()
    guest.add("bin/worker", program())
    commands = guest.commands
    commands["send"] = f"{LISTEN}; " \
        "strobe record -q -a -e 'k:tcp_sendmsg(size,sk->__sk_common.skc_state,third=$arg3,c=$comm)' -e 'kr:tcp_sendmsg($retval)' " \
        f"-o /tmp/t.data -- sh -c '{SEND}'; strobe script -i /tmp/t.data"
    commands["open"] = "strobe record -q -e 'k:do_sys_openat2(filename:string)' --filter 'filename_string ~ \"/proc/ver*\"' " \
        "-o /tmp/o.data -- cat /proc/version /proc/uptime; strobe script -i /tmp/o.data"
    commands["count"] = "strobe stat -x, -e 'k:do_sys_openat2,kr:do_sys_openat2,syscalls:sys_enter_openat' cat /proc/version /proc/uptime"
    commands["trace"] = "strobe trace -e 'k:do_sys_openat2(filename:string)' cat /proc/version"
    commands["program"] = "strobe record -q -e 'u:/bin/worker:work(n,s:string)' -e 'ur:/bin/worker:work($retval:s64)' " \
        "-o /tmp/w.data worker; strobe script -i /tmp/w.data; strobe stat -x, -e u:/bin/worker:work worker"
    commands["glob"] = "strobe stat -x, -e 'k:do_in*' sleep 0.1; strobe probe 'do_in*'; strobe probe -d 'do_*'; " \
        "strobe trace --func 'kernel:do_in*' true"
    commands["killed"] = "mount -t debugfs debugfs /sys/kernel/debug; " \
        "strobe record -q -e k:do_sys_openat2 -o /tmp/k.data -- sleep 60 & " \
        f"until {LISTS} | grep -q openat2; do sleep 1; done; {LISTS} | grep -c openat2; kill -9 $!; sleep 3; {LISTS} | grep -c openat2"
    return guest


def check_kernel(tap, results):
    sent = results["send"]
    # five bytes through an established connection (TCP_ESTABLISHED is 1), all of which were sent
    tap.ok(re.search(r'probe:tcp_sendmsg: .*\bsize=0x5 skc_state=0x1 third=0x5 c="nc"', sent.out), "parameters by the kernel's BTF", sent)
    tap.ok(re.search(r"probe:tcp_sendmsg__return: \((\w+) <- \w+\) .*arg1=0x5", sent.out), "what a function returns", sent)
    names = re.findall(r'probe:do_sys_openat2: .*filename_string="([^"]*)"', results["open"].out)
    tap.equal(names, ["/proc/version"], "a filter compares names in user memory")
    counts = re.findall(r"^(\d+),,(\S+?),", results["count"].out, re.M)
    tap.ok(len(counts) == 3 and len({n for n, _ in counts}) == 1 and int(counts[0][0]) >= 2, "counts are those of the system call",
           results["count"])
    traced = results["trace"]
    tap.ok('probe:do_sys_openat2(' in traced.out and '"/proc/version"' in traced.out, "trace prints them", traced)


def check_program(tap, results):
    done = results["program"]
    seen = [(int(n), s) for n, s in re.findall(r':work: \(\w+\) n=(\d+) s_string="(\w+)"', done.out)]
    tap.equal(sorted(seen), [(i, "work") for i in range(10)] + [(100, "child")], "a program, and what it starts")
    results_seen = sorted(int(n) for n in re.findall(r"work__return: .*arg1=(\d+)", done.out))
    tap.equal(results_seen, [2 * i for i in range(10)] + [200], "its results")
    tap.ok(re.search(r"^11,,probe_worker:work,", done.out, re.M), "its counts", done)


def main():
    if platform.machine() != "x86_64":
        skip_all("the machine with kprobes is of x86-64, and takes this one's strobe")
    tap = Tap()
    results = build_or_exit(build_or_exit(prepare).run)
    check_kernel(tap, results)
    check_program(tap, results)
    glob = results["glob"].out
    tap.ok(glob.count(" functions cannot be probed") == 3 and "probe:do_init_module" in glob and "refuses" not in glob and
           re.search(r"^\d+,,probe:do_init_module,", glob, re.M), "a glob passes over functions that may not be probed", results["glob"])
    tap.equal(results["killed"].out.split(), ["1", "0"], "killed by -9 the command leaves no probe of the kernel")
    tap.done()


main()
