#!/usr/bin/env python3
# quick
"""Structs of io_submit(2) and landlock_add_rule(2): each member has the value that the program below stored."""
# needs: trace

from strobetest import Tap
from tracing import compile_c, events, skip_without_bpf

PROGRAM = r"""
#include <linux/aio_abi.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
	char text[] = "hello";
	struct iovec two[] = { { text, 2 }, { text + 2, 3 } };
	struct iocb write = { .aio_data = 0x1234, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = 99, .aio_buf = (uintptr_t)text,
			      .aio_nbytes = 5, .aio_offset = 4096 };
	struct iocb read = { .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = 98, .aio_buf = (uintptr_t)text, .aio_nbytes = 5 };
	struct iocb writev = { .aio_lio_opcode = IOCB_CMD_PWRITEV, .aio_fildes = 97, .aio_buf = (uintptr_t)two, .aio_nbytes = 2,
			       .aio_offset = 7 };
	struct iocb poll = { .aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = 96, .aio_buf = POLLIN | POLLHUP };
	struct iocb sync = { .aio_lio_opcode = IOCB_CMD_FSYNC, .aio_fildes = 95, .aio_flags = IOCB_FLAG_RESFD, .aio_resfd = 94 };
	struct iocb *all[] = { &write, &read, &writev, &poll, &sync, NULL };
	struct { uint64_t access, port; } connect = { 2, 443 }, odd = { 1 | 2 | 4, 70000 };
	syscall(SYS_io_submit, 0, 5L, all);
	syscall(SYS_io_submit, 0, 6L, all);
	syscall(SYS_io_submit, 0, -1L, all);
	syscall(SYS_io_submit, 0, 1L, NULL);
	syscall(SYS_landlock_add_rule, 99, 2, &connect, 0);
	syscall(SYS_landlock_add_rule, 99, 2, &odd, 0);
	syscall(SYS_landlock_add_rule, 99, 2, NULL, 0);
	syscall(SYS_landlock_add_rule, 99, 3, &connect, 1);
	printf("%p %p %p %p\n", (void *)text, (void *)two, (void *)all, (void *)&connect);
	return 0;
}
"""


def main():
    skip_without_bpf()
    tap = Tap()
    compile_c("structs", PROGRAM, "-O1")
    seen = events("--str-limit", "200", "-e", "io_submit,landlock_add_rule,write", "./structs")
    text, two, all_of_them, port = next(e["args"]["buf"] for e in seen if e["syscall"] == "write").split()
    submitted = [e["args"] for e in seen if e["syscall"] == "io_submit"]
    rules = [e["args"] for e in seen if e["syscall"] == "landlock_add_rule"]
    blocks = [
        {"aio_data": "0x1234", "aio_lio_opcode": "IOCB_CMD_PWRITE", "aio_fildes": 99, "aio_buf": text, "aio_nbytes": 5,
         "aio_offset": 4096},
        {"aio_data": "0x0", "aio_lio_opcode": "IOCB_CMD_PREAD", "aio_fildes": 98, "aio_buf": text, "aio_nbytes": 5, "aio_offset": 0},
        {"aio_data": "0x0", "aio_lio_opcode": "IOCB_CMD_PWRITEV", "aio_fildes": 97, "aio_buf": two, "aio_nbytes": 2, "aio_offset": 7},
        {"aio_data": "0x0", "aio_lio_opcode": "IOCB_CMD_POLL", "aio_fildes": 96, "aio_buf": "POLLIN|POLLHUP"},
        {"aio_data": "0x0", "aio_lio_opcode": "IOCB_CMD_FSYNC", "aio_fildes": 95, "aio_flags": "IOCB_FLAG_RESFD", "aio_resfd": 94},
    ]
    tap.equal([a["iocbpp"] for a in submitted], [blocks, [*blocks, None], all_of_them, None], "control blocks of io_submit")
    tap.equal([a["nr"] for a in submitted], [5, 6, -1, 1], "and how many")
    names = ["LANDLOCK_ACCESS_NET_BIND_TCP", "LANDLOCK_ACCESS_NET_CONNECT_TCP"]
    tap.equal([(a["rule_type"], a["rule_attr"]) for a in rules], [
        ("LANDLOCK_RULE_NET_PORT", {"allowed_access": names[1], "port": 443}),
        ("LANDLOCK_RULE_NET_PORT", {"allowed_access": "|".join([*names, "0x4"]), "port": 70000}),
        ("LANDLOCK_RULE_NET_PORT", None), ("0x3", port)], "rules of landlock: ports, nothing, and a kind that is not known")
    tap.done()


main()
