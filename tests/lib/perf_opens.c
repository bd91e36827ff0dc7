/*
 * LD_PRELOAD library for perf's own attr tests (tests/long/perf-tests.py). In every process that has it:
 *
 * PERF_OPENS=DIRECTORY
 *	Each event that the process opens and then uses is described in DIRECTORY/event-TYPE-CONFIG-FD, in the form that
 *	perf writes where PERF_TEST_ATTR is set. An event that is closed before anything but close(2) was done with it was
 *	a probe of the kernel's abilities; its description is removed. bpf(2) is not permitted: strobe opens the events of a
 *	command on CPUs where it can, and on tasks, like perf, where it cannot.
 * PERF_EMULATE=1
 *	An event that the kernel does not have (hardware, cache, raw; branch records) is opened as a dummy, so that what a
 *	tool requests can be examined on a machine without a PMU.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define FDS 4096

/* The description of an event that nothing was done with yet; NULL of all others. */
static char *unused[FDS];

static long (*libc_syscall(void))(long, ...)
{
	static long (*next)(long, ...);
	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return next;
}

static void use(int fd)
{
	if (fd >= 0 && fd < FDS && unused[fd]) {
		free(unused[fd]);
		unused[fd] = NULL;
	}
}

static void describe(FILE *f, const struct perf_event_attr *a)
{
#define FIELD(name) fprintf(f, #name "=%llu\n", (unsigned long long)a->name)
	FIELD(type), FIELD(size), FIELD(config), FIELD(sample_period), FIELD(sample_type), FIELD(read_format);
	FIELD(disabled), FIELD(inherit), FIELD(pinned), FIELD(exclusive), FIELD(exclude_user), FIELD(exclude_kernel);
	FIELD(exclude_hv), FIELD(exclude_idle), FIELD(mmap), FIELD(comm), FIELD(freq), FIELD(inherit_stat);
	FIELD(enable_on_exec), FIELD(task), FIELD(watermark), FIELD(precise_ip), FIELD(mmap_data), FIELD(sample_id_all);
	FIELD(exclude_host), FIELD(exclude_guest), FIELD(exclude_callchain_kernel), FIELD(exclude_callchain_user);
	FIELD(mmap2), FIELD(comm_exec), FIELD(context_switch), FIELD(write_backward), FIELD(namespaces), FIELD(use_clockid);
	FIELD(wakeup_events), FIELD(bp_type), FIELD(config1), FIELD(config2), FIELD(branch_sample_type);
	FIELD(sample_regs_user), FIELD(sample_stack_user);
#undef FIELD
}

static void store(const struct perf_event_attr *a, pid_t pid, int cpu, int fd, int group_fd, unsigned long flags)
{
	const char *folder = getenv("PERF_OPENS");
	char *path;
	unsigned long long config = a->config;
	if (!folder || asprintf(&path, "%s/event-%u-%llu-%d", folder, a->type, config, fd) < 0)
		return;
	FILE *f = fopen(path, "w");
	if (!f) {
		free(path);
		return;
	}
	fprintf(f, "[event-%u-%llu-%d]\nfd=%d\ngroup_fd=%d\ncpu=%d\npid=%d\nflags=%lu\n", a->type, config, fd, fd, group_fd, cpu,
		(int)pid, flags);
	describe(f, a);
	fclose(f);
	/* A group is not opened to be closed again; its members are read and enabled with their leader. */
	use(group_fd);
	if (fd < FDS && group_fd < 0)
		unused[fd] = path;
	else
		free(path);
}

static int open_dummy(const struct perf_event_attr *a, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	struct perf_event_attr dummy = {};
	memcpy(&dummy, a, a->size < sizeof(dummy) ? a->size : sizeof(dummy));
	dummy.size = sizeof(dummy);
	dummy.type = PERF_TYPE_SOFTWARE;
	dummy.config = PERF_COUNT_SW_DUMMY;
	dummy.config1 = dummy.config2 = 0;
	dummy.precise_ip = 0;
	dummy.branch_sample_type = 0;
	dummy.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	return (int)libc_syscall()(SYS_perf_event_open, &dummy, pid, cpu, group_fd, flags);
}

static int open_event(const struct perf_event_attr *a, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	int fd = (int)libc_syscall()(SYS_perf_event_open, a, pid, cpu, group_fd, flags);
	bool absent = fd < 0 && (errno == ENOENT || errno == EOPNOTSUPP || errno == EINVAL);
	if (absent && getenv("PERF_EMULATE") && a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT)
		fd = open_dummy(a, pid, cpu, group_fd, flags);
	if (fd >= 0)
		store(a, pid, cpu, fd, group_fd, flags);
	return fd;
}

long syscall(long number, ...)
{
	va_list args;
	va_start(args, number);
	long a[6];
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open)
		return open_event((const struct perf_event_attr *)a[0], (pid_t)a[1], (int)a[2], (int)a[3], (unsigned long)a[4]);
	if (number == SYS_bpf && getenv("PERF_OPENS")) {
		errno = EPERM;
		return -1;
	}
	return libc_syscall()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	va_start(args, request);
	void *arg = va_arg(args, void *);
	va_end(args);
	/* What an event's id is may be asked of a probe too. */
	if (request != PERF_EVENT_IOC_ID)
		use(fd);
	return (int)libc_syscall()(SYS_ioctl, fd, request, arg);
}

void *mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	use(fd);
	return (void *)libc_syscall()(SYS_mmap, address, bytes, prot, flags, fd, offset);
}

/* With 64-bit offsets the function above is mmap64 in the object file. */
void *mmap_plain(void *address, size_t bytes, int prot, int flags, int fd, off_t offset) __asm__("mmap");
void *mmap_plain(void *address, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return mmap(address, bytes, prot, flags, fd, offset);
}

ssize_t read(int fd, void *to, size_t bytes)
{
	use(fd);
	return (ssize_t)libc_syscall()(SYS_read, fd, to, bytes);
}

int close(int fd)
{
	if (fd >= 0 && fd < FDS && unused[fd]) {
		unlink(unused[fd]);
		use(fd);
	}
	return (int)libc_syscall()(SYS_close, fd);
}
