#!/usr/bin/env python3
"""`kvm stat record`, `report` and `live` of a guest that an emulated AMD machine runs by KVM: the number of its exits is known."""
# needs: kvm
# serial
# timeout: 1500

import os
import re
import subprocess

from guest import Guest, build_or_exit
from strobetest import SCRATCH, Tap

OUTS = 500  # writes to a port by the innermost guest, each an exit; then it halts, another
MODULES = ("irqbypass", "ccp", "kvm", "kvm-amd")  # in the order of what they require
PROGRAM = r"""
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* mov dx, 0x80; mov cx, OUTS; out dx, al; loop; hlt: in real mode, at 0x1000 */
static const unsigned char code[] = { 0xba, 0x80, 0, 0xb9, OUTS & 0xff, OUTS >> 8, 0xee, 0xe2, 0xfd, 0xf4 };

int main(int argc, char **argv)
{
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0), cpu = ioctl(vm, KVM_CREATE_VCPU, 0), outs = 0;
	unsigned char *memory = mmap(0, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = { .guest_phys_addr = 0x1000, .memory_size = 0x1000, .userspace_addr = (long)memory };
	struct kvm_run *r = mmap(0, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	struct kvm_sregs sregs;
	struct kvm_regs regs = { .rip = 0x1000, .rflags = 2 };
	if (kvm < 0 || vm < 0 || cpu < 0 || r == MAP_FAILED)
		return perror("/dev/kvm"), 1;
	memcpy(memory, code, sizeof(code));
	ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region);
	ioctl(cpu, KVM_GET_SREGS, &sregs);
	sregs.cs.base = sregs.cs.selector = 0;
	ioctl(cpu, KVM_SET_SREGS, &sregs);
	ioctl(cpu, KVM_SET_REGS, &regs);
	if (argc > 1) /* seconds before it runs */
		sleep(atoi(argv[1]));
	while (!ioctl(cpu, KVM_RUN, 0) && r->exit_reason == KVM_EXIT_IO)
		outs++;
	printf("%d writes, then exit %d\n", outs, r->exit_reason);
	return r->exit_reason != KVM_EXIT_HLT;
}
"""


class KvmGuest(Guest):
    def kernel_files(self):
        def make(root):
            archive = self.archive(self.suite)
            for package in archive.kernel_packages():
                archive.extract(package, root, r"/vmlinuz|/(irqbypass|ccp|kvm|kvm-amd)\.ko")
        root = self.fetched("kernel-kvm", make)
        return [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]


def prepare():
    guest = KvmGuest("amd64")
    guest.add_strobe()
    for name in MODULES:
        guest.add(f"{name}.ko", next(path for path in guest.kernel_files() if os.path.basename(path) == name + ".ko"))
    program = os.path.join(SCRATCH, "tiny")
    subprocess.run(["cc", "-O1", "-static", f"-DOUTS={OUTS}", "-x", "c", "-o", program, "-"], input=PROGRAM.encode(), check=True)
    guest.add("bin/tiny", program)
    guest.commands["load"] = "for m in " + " ".join(MODULES) + "; do insmod /$m.ko; done; ls -l /dev/kvm && tiny"
    guest.commands["record"] = "cd /tmp && strobe kvm stat record -o kvm.data tiny"
    guest.commands["report"] = "cd /tmp && strobe kvm stat report -i kvm.data"
    guest.commands["ports"] = "cd /tmp && strobe kvm stat report --event ioport -i kvm.data"
    guest.commands["live"] = "(sleep 3; tiny) & timeout -s INT 9 strobe kvm stat live -d 2"
    guest.commands["live-pid"] = "tiny 4 & tiny 5 & timeout 60 strobe kvm stat live --event ioport --duration 1 -k time -p $!"
    guest.commands["live-vcpu"] = "tiny 4 & timeout 60 strobe kvm stat live --vcpu 1 -p $!"
    return guest


def count(name, text):
    """Of all tables together."""
    return sum(int(n) for n in re.findall(rf"^ *{name} +(\d+) ", text, re.M))


def judge_live(tap, results):
    live, of_one, other = (results[name] for name in ("live", "live-pid", "live-vcpu"))
    tables = len(re.findall(r"^Total Samples:", live.out, re.M))
    tap.ok(tables >= 4 and count("io", live.out) == OUTS, f"kvm stat live: each exit is in one of {tables} tables", live)
    slow = len(re.findall(r"^\d+ VM \d+, vcpu 0: 0x80:POUT event took \d+usec$", of_one.out, re.M))
    tap.ok(of_one.status == 0 and count("0x80:POUT", of_one.out) == OUTS and 0.9 * OUTS <= slow <= OUTS,
           f"kvm stat live -p: one of two guests, to its end; {slow} accesses took more than 1 us", of_one)
    tap.ok(other.status == 0 and count("io", other.out) == 0 and "VCPU 1:" in other.out, "kvm stat live --vcpu 1: there is none", other)


def main():
    tap = Tap()
    results = build_or_exit(lambda: prepare().run(cpus=1))
    load = results["load"]
    tap.ok(f"{OUTS} writes, then exit 5" in load.out, "the innermost guest runs", load)
    tap.equal(results["record"].status, 0, "kvm stat record")
    # the halt is not in the table: nothing enters the guest after it
    rows = dict(re.findall(r"^ *([a-z_]+) +(\d+) ", results["report"].out, re.M))
    tap.equal(rows.get("io"), str(OUTS), "kvm stat report: each write is an exit")
    report = results["report"]
    tap.ok("npf" in rows and "UNKNOWN" not in report.out, "each reason has its name, from the kernel's format", report)
    tap.ok(re.search(rf"0x80:POUT +{OUTS} ", results["ports"].out), "--event ioport: the port and its writes", results["ports"])
    judge_live(tap, results)
    if tap.n_failed:
        print("\n".join(f"# {name}\n{done}" for name, done in results.items()).replace("\n", "\n# "))
    tap.done()


main()
