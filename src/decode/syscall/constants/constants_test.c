/*
 * The names and numbers of constants_*.def against the system's headers, by the compiler: a wrong number does not build. And the
 * sizes of structs. For x86-64 and arm64, whose system calls strobe knows.
 */
#include <asm/mman.h>
#if defined(__x86_64__)
#include <asm/prctl.h>
#include <asm/ptrace-abi.h>
#endif
#include <asm/termbits.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/inotify.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <sys/resource.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/sem.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/timex.h>
#include <sys/swap.h>
#include <signal.h>
#include <time.h>
#include <linux/prctl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <linux/mount.h>
#include <linux/memfd.h>
#include <linux/openat2.h>
#include <linux/close_range.h>
#include <linux/magic.h>
#include <linux/xattr.h>
#include <linux/netlink.h>
#include <linux/if_packet.h>
#include <linux/if_ether.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/mman.h>
#include <linux/mempolicy.h>
#include <linux/futex.h>
#include <linux/rseq.h>
#include <linux/membarrier.h>
#include <linux/kcmp.h>
#include <linux/ioprio.h>
#include <linux/seccomp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/ptrace.h>
#include <linux/audit.h>
#include <elf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/random.h>
#include <linux/landlock.h>
#include <linux/userfaultfd.h>
#include <linux/reboot.h>
#include <linux/module.h>
#include <linux/kexec.h>
#include <mqueue.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/ioctl.h>
#include <linux/types.h>
#include <linux/landlock.h>

#include "base/testing.h"
#include "decode/syscall/types.h"

#define TABLE(id, prefix)
#define TABLE_ON(id, prefix, i386, aarch64)
#define C(name, value) _Static_assert((uint64_t)(name) == (uint64_t)(value), #name);
#define E(name, value) C(name, value)
#define M(name, value, mask) C(name, value)
#define END
#define C_NEW(name, value)
#define E_NEW(name, value)
#define M_NEW(name, value, mask)
#if defined(__x86_64__)
#define OWN &arch_x86_64
#define C_X86 C
#define E_X86 E
#define M_X86 M
#define C_ARM C_NEW
#define M_ARM M_NEW
#else
#define OWN &arch_aarch64
#define C_X86 C_NEW
#define E_X86 E_NEW
#define M_X86 M_NEW
#define C_ARM C
#define M_ARM M
#endif
#include "decode/syscall/constants/constants_file.def"
#include "decode/syscall/constants/constants_kernel.def"
#include "decode/syscall/constants/constants_net.def"
#include "decode/syscall/constants/constants_netlink.def"
#include "decode/syscall/constants/constants_netlink_attributes.def"
#include "decode/syscall/constants/constants_process.def"
#undef END

static void constants(void **state)
{
	assert_string_equal(constant_name(&constants_whence, SEEK_DATA), "SEEK_DATA");
	assert_null(constant_name(&constants_whence, 77));
	assert_string_equal(constant_name(&constants_rusage, (uint32_t)RUSAGE_CHILDREN), "RUSAGE_CHILDREN");
	assert_string_equal(constant_short(&constants_whence, "SEEK_SET"), "SET");
}

/* Structs for which the C library has the kernel's layout. */
static const struct {
	const struct struct_type *s;
	size_t bytes;
} known_sizes[] = {
	{ &struct_timespec, sizeof(struct timespec) },
	{ &struct_timeval, sizeof(struct timeval) },
	{ &struct_itimerval, sizeof(struct itimerval) },
	{ &struct_itimerspec, sizeof(struct itimerspec) },
	{ &struct_stat, sizeof(struct stat) },
	{ &struct_statx, sizeof(struct statx) },
	{ &struct_statfs, sizeof(struct statfs) },
	{ &struct_rlimit, sizeof(struct rlimit) },
	{ &struct_rlimit64, sizeof(struct rlimit64) },
	{ &struct_rusage, sizeof(struct rusage) },
	{ &struct_utsname, sizeof(struct utsname) },
	{ &struct_sysinfo, sizeof(struct sysinfo) },
	{ &struct_tms, sizeof(struct tms) },
	{ &struct_timex, sizeof(struct timex) },
	{ &struct_stack, sizeof(stack_t) },
	{ &struct_sigevent, sizeof(struct sigevent) },
	{ &struct_siginfo, sizeof(siginfo_t) },
	{ &struct_pollfd, sizeof(struct pollfd) },
	{ &struct_epoll_event, sizeof(struct epoll_event) },
	{ &struct_open_how, sizeof(struct open_how) },
	{ &struct_flock, sizeof(struct flock) },
	{ &struct_f_owner_ex, sizeof(struct f_owner_ex) },
	{ &struct_mount_attr, sizeof(struct mount_attr) },
	{ &struct_winsize, sizeof(struct winsize) },
	{ &struct_fsxattr, sizeof(struct fsxattr) },
	{ &struct_iovec, sizeof(struct iovec) },
	{ &struct_linger, sizeof(struct linger) },
	{ &struct_ucred, sizeof(struct ucred) },
	{ &struct_sembuf, sizeof(struct sembuf) },
	{ &struct_mq_attr, sizeof(struct mq_attr) },
	{ &struct_futex_waitv, sizeof(struct futex_waitv) },
	{ &struct_uring_params, sizeof(struct io_uring_params) },
	{ &struct_uring_params_request, sizeof(struct io_uring_params) },
	{ &struct_uring_params_shared, sizeof(struct io_uring_params) },
	{ &struct_uring_params_sized, sizeof(struct io_uring_params) },
	{ &struct_uring_getevents, sizeof(struct io_uring_getevents_arg) },
	{ &struct_uring_resources, sizeof(struct io_uring_rsrc_register) },
	{ &struct_uring_resources_update, sizeof(struct io_uring_rsrc_update2) },
	{ &struct_uring_ring, sizeof(struct io_uring_rsrc_update) },
	{ &struct_uring_unregistered_ring, sizeof(struct io_uring_rsrc_update) },
	{ &struct_uring_restriction, sizeof(struct io_uring_restriction) },
	{ &struct_ptrace_peeksiginfo, sizeof(struct ptrace_peeksiginfo_args) },
	{ &struct_ptrace_metadata, sizeof(struct seccomp_metadata) },
	{ &struct_ptrace_seccomp, sizeof(struct ptrace_syscall_info) },
	{ &struct_cap_header, sizeof(struct __user_cap_header_struct) },
	{ &struct_cap_data, 2 * sizeof(struct __user_cap_data_struct) },
};

static void sizes(void **state)
{
	for (size_t i = 0; i < sizeof(known_sizes) / sizeof(*known_sizes) && sizeof(long) == 8; i++) {
		const struct struct_type *s = known_sizes[i].s;
		if (struct_bytes(OWN, s) != known_sizes[i].bytes)
			fail_msg("%s: %zu bytes, the headers say %zu", s->name, struct_bytes(OWN, s), known_sizes[i].bytes);
	}
	/* 32 bits: from the kernel's compat headers, by hand */
	assert_int_equal(struct_bytes(&arch_i386, &struct_timespec), 8);
	assert_int_equal(struct_bytes(&arch_i386, &struct_timespec64), 16);
	assert_int_equal(struct_bytes(&arch_i386, &struct_stat), 64);
	assert_int_equal(struct_bytes(&arch_i386, &struct_stat64), 96);
	assert_int_equal(struct_bytes(&arch_i386, &struct_statfs), 64);
	assert_int_equal(struct_bytes(&arch_i386, &struct_statfs64), 84);
	assert_int_equal(struct_bytes(&arch_i386, &struct_epoll_event), 12);
	assert_int_equal(struct_bytes(&arch_aarch64, &struct_epoll_event), 16);
	assert_int_equal(struct_bytes(&arch_aarch64, &struct_stat), 128);
	assert_int_equal(struct_bytes(&arch_i386, &struct_flock64), 24);
	assert_int_equal(struct_bytes(&arch_i386, &struct_rusage), 72);
	assert_int_equal(struct_bytes(&arch_i386, &struct_sigaction), 20);
}

static void signals(void **state)
{
	for (unsigned i = 1; i < 32; i++)
		assert_string_equal(syscall_signal_name(i) + 3, i == SIGIO ? "IO" : sigabbrev_np((int)i));
	assert_null(syscall_signal_name(0));
	assert_null(syscall_signal_name(65));
	assert_string_equal(syscall_errno_name(2), "ENOENT");
	assert_string_equal(syscall_errno_text(2), "No such file or directory");
	assert_string_equal(syscall_errno_name(512), "ERESTARTSYS");
	assert_null(syscall_errno_name(4000));
}

static void requests(void **state)
{
	assert_string_equal(syscall_ioctl_name(TIOCGWINSZ), "TIOCGWINSZ");
	assert_string_equal(syscall_ioctl_name(FIONREAD), "FIONREAD");
	assert_string_equal(syscall_ioctl_name(PERF_EVENT_IOC_ENABLE), "PERF_EVENT_IOC_ENABLE");
	assert_null(syscall_ioctl_name(0xdeadbeef));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
		cmocka_unit_test(sizes),
		cmocka_unit_test(signals),
		cmocka_unit_test(requests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
