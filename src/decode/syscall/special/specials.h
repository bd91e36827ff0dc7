/*
 * Arguments whose meaning depends on others, named in calls*.def. A printer writes argument i of e->ev; a predicate returns whether
 * the argument is used.
 */
#pragma once
#include "decode/syscall/emit.h"

/* clang-format off */
#define SPECIAL_PRINTERS(X) \
	X(print_poll) X(print_epoll_event) X(print_ioctl_cmd) X(print_ioctl_arg) X(print_protocol) X(print_sockopt_name) \
	X(print_sockopt_value) X(print_clone_flags) X(print_msgbuf) X(print_fcntl_arg) X(print_personality) \
	X(print_prctl_arg2) X(print_prctl_arg3) X(print_prctl_arg4) X(print_prctl_arg5) \
	X(print_arch_prctl) X(print_mount_data) X(print_futex_op) X(print_futex_val) \
	X(print_futex_time) X(print_futex_val3) X(print_cpu_mask) X(print_ioprio) \
	X(print_seccomp) X(print_bpf_attr) X(print_clone_args) X(print_quota_cmd) X(print_landlock_rule) X(print_uring_register) \
	X(print_uring_params) X(print_uring_argument) X(print_ptrace_addr) X(print_ptrace_data) \
	X(print_fsconfig_value) X(print_keyctl_arg) X(print_resident) X(print_ipc_arg) \
	X(print_user_desc) X(print_fsconfig_aux) X(print_sigset)
/* clang-format on */

/* clang-format off */
#define SHOWN_PREDICATES(X) \
	X(creates_1) X(creates_2) X(remaps_fixed) X(clones_parent) X(clones_child) X(clones_tls) \
	X(makes_device_1) X(makes_device_2) X(prctl_has_3) X(prctl_has_4) X(prctl_has_5) X(futex_has_val) \
	X(futex_has_time) X(futex_has_uaddr2) X(futex_has_val3) X(membarrier_has_cpu) X(fcntl_has_arg) \
	X(kcmp_has_index) X(prctl_has_2) X(keyctl_has) X(quota_has_id) X(quota_fd_has_id) \
	 X(reboot_has_arg) X(ioctl_has_arg) X(ptrace_has_pid) X(ptrace_has_addr)
/* clang-format on */

#define X(name) void name(struct emit *e, unsigned i);
SPECIAL_PRINTERS(X)
#undef X
#define X(name) bool name(const struct syscall_event *ev, unsigned i);
SHOWN_PREDICATES(X)
#undef X
