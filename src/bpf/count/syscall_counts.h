/*
 * Counts of system calls from one BPF program, in place of an event for each of them.
 *
 * The kernel takes some 40 ms to close a tracepoint without another user, one after the other; a list such as
 * 'syscalls:sys_enter_*' of 360 events so costs 13 s. This source counts them through one raw tracepoint, by number, with
 * the numbers that the events would give: the tree of the command's or the targets' tasks is followed over fork and
 * threads, calls of 32-bit programs are left out as those tracepoints leave them out, and counting begins with the
 * command's exec. raw_syscalls:sys_enter and sys_exit are all that it counts; as events they cost each call half as much
 * again. Enabled and running times are those of a dummy event on the same target.
 *
 * x86-64, kernels from 5.17 on, with BTF, in the initial PID namespace, with permission to load BPF programs. One thread at a
 * time.
 */
#pragma once
#include "counter/counter.h"

/* Whether enough events of the set are such that taking them over is worth it. */
bool syscall_counts_fit(const struct counter_set *set);
/*
 * Takes over from the set those events that it can count, and adds itself to the set. has_leader: the target is a command,
 * whose process is passed to counter_open(). An error says why it is impossible; the set is then as it was.
 */
struct strobe_error *syscall_counts_take(struct counter_set *set, bool has_leader, size_t *ret_taken) _must_check_;
