/*
 * Counts of system calls from one BPF program, in place of an event for each of them.
 *
 * The kernel takes some 40 ms to close a tracepoint that has no other user, one after the other: the 360 events of
 * 'syscalls:sys_enter_*' cost 13 s. This source counts system calls by number through one raw tracepoint, and gives the
 * same counts as the events: it follows the tree of tasks of the command or the targets over fork and threads, leaves out
 * calls of 32-bit programs as those tracepoints do, and begins with the command's exec. It counts raw_syscalls:sys_enter
 * and sys_exit as sums of all; as events they cost each call half as much again. Enabled and running times are those of a
 * dummy event on the same target.
 *
 * x86-64, kernels from 5.17 on, with BTF, in the initial PID namespace, with permission to load BPF programs. One thread at a
 * time.
 */
#pragma once
#include "counter/counter.h"

/* Whether the set has enough such events for taking them over to pay. */
bool syscall_counts_fit(const struct counter_set *set);
/*
 * Takes over from the set those events that it can count, and adds itself to the set. has_leader: the target is a command,
 * whose process is passed to counter_open(). An error says why it is impossible; the set is then as it was.
 */
struct strobe_error *syscall_counts_take(struct counter_set *set, bool has_leader, size_t *ret_taken) _must_check_;
