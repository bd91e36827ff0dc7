#include "bpf/load/kernel.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "sys/limits.h"

#define LOG_BYTES (64 << 10)
/* What the kernel numbers the namespace at the top: PROC_PID_INIT_INO. */
#define TOP_PID_NAMESPACE 0xEFFFFFFCu

/*
 * What the kernel asks of programs that look at its own structures. The programs of this room may be used under the
 * terms of BSD or GPL, at the user's choice.
 */
#define LICENSE "Dual BSD/GPL"

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	long r = syscall(SYS_bpf, command, attr, sizeof(*attr));
	return r < 0 ? -errno : (int)r;
}

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

struct strobe_error *bpf_refused(const struct sys *sys, int errnum, const char *what)
{
	if (errnum == EPERM && sys_lockdown(sys) != SYS_LOCKDOWN_NONE)
		return error_create(ERROR_PERMISSION, "%s: the kernel is locked down (see /sys/kernel/security/lockdown)", what);
	if (errnum == EPERM)
		return error_create(ERROR_PERMISSION, "%s: CAP_BPF and CAP_PERFMON are missing; run as root", what);
	if (errnum == ENOSYS)
		return error_create(ERROR_UNSUPPORTED, "%s: this kernel has no bpf(2) (CONFIG_BPF_SYSCALL)", what);
	if (errnum == ESRCH) /* libbpf's, of programs that look at the kernel's structures */
		return error_create(ERROR_UNSUPPORTED, "%s: the kernel does not tell its types: no /sys/kernel/btf/vmlinux "
				    "(CONFIG_DEBUG_INFO_BTF)", what);
	return error_create(ERROR_UNSUPPORTED, "%s: %s", what, strerrordesc_np(errnum));
}

struct strobe_error *bpf_map_make(const struct sys *sys, const char *name, struct bpf_map_shape shape, int *ret_fd)
{
	union bpf_attr attr = {
		.map_type = shape.type,
		.key_size = shape.key_bytes,
		.value_size = shape.value_bytes,
		.max_entries = shape.entries,
		.map_flags = shape.flags,
	};
	snprintf(attr.map_name, sizeof(attr.map_name), "%s", name);
	int fd = bpf(BPF_MAP_CREATE, &attr);
	if (fd < 0)
		return bpf_refused(sys, -fd, "cannot make a BPF map");
	*ret_fd = fd;
	return NULL;
}

struct strobe_error *bpf_map_set(int fd, const void *key, const void *value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)fd, .key = address(key), .value = address(value), .flags = BPF_ANY };
	int r = bpf(BPF_MAP_UPDATE_ELEM, &attr);
	return r < 0 ? error_errno(-r, "cannot write to a BPF map") : NULL;
}

void bpf_map_unset(int fd, const void *key)
{
	union bpf_attr attr = { .map_fd = (uint32_t)fd, .key = address(key) };
	bpf(BPF_MAP_DELETE_ELEM, &attr);
}

static int load(enum bpf_prog_type type, struct bpf_asm *program, char *log)
{
	union bpf_attr attr = {
		.prog_type = type,
		.insns = address(program->code.data),
		.insn_cnt = (uint32_t)program->code.len,
		.license = address(LICENSE),
		.log_level = log ? 1 : 0,
		.log_size = log ? LOG_BYTES : 0,
		.log_buf = address(log),
	};
	memcpy(attr.prog_name, "strobe", 7);
	return bpf(BPF_PROG_LOAD, &attr);
}

struct strobe_error *bpf_program_load(const struct sys *sys, enum bpf_prog_type type, struct bpf_asm *program, const char *purpose,
				      int *ret_fd)
{
	TRY(bpf_asm_finish(program));
	int fd = load(type, program, NULL);
	if (fd < 0 && log_enabled(LOG_DEBUG)) {
		_cleanup_free_ char *log = xcalloc(1, LOG_BYTES);
		int again = load(type, program, log);
		if (again >= 0)
			close(again);
		log_debug("BPF program for %s:\n%s", purpose, log);
	}
	if (fd < 0)
		return bpf_refused(sys, -fd, "the kernel refuses the BPF program");
	*ret_fd = fd;
	return NULL;
}

struct strobe_error *bpf_attach_raw_tracepoint(const struct sys *sys, const char *tracepoint, struct bpf_asm *program,
					       int *ret_link)
{
	_cleanup_close_ int fd = -1;
	TRY(bpf_program_load(sys, BPF_PROG_TYPE_RAW_TRACEPOINT, program, tracepoint, &fd));
	union bpf_attr attr = { .raw_tracepoint = { .name = address(tracepoint), .prog_fd = (uint32_t)fd } };
	int link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	if (link < 0)
		return error_errno(-link, "cannot attach a BPF program to the tracepoint %s", tracepoint);
	*ret_link = link;
	return NULL;
}

bool bpf_kernel_is_at_least(const struct sys *sys, unsigned major, unsigned minor)
{
	struct utsname name;
	unsigned a = 0, b = 0;
	if (sys_uname(sys, &name) || sscanf(name.release, "%u.%u", &a, &b) != 2)
		return false;
	return a > major || (a == major && b >= minor);
}

uint64_t bpf_program_missed(int fd)
{
	struct bpf_prog_info info = {};
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof(info), .info = address(&info) } };
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) < 0 ? 0 : info.recursion_misses;
}

void bpf_wait_for_programs(void)
{
	/* They run in sections of RCU. */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

bool bpf_map_next(int fd, const void *key, void *ret_key)
{
	union bpf_attr attr = { .map_fd = (uint32_t)fd, .key = address(key), .next_key = address(ret_key) };
	return bpf(BPF_MAP_GET_NEXT_KEY, &attr) >= 0;
}

bool bpf_map_get(int fd, const void *key, void *ret_value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)fd, .key = address(key), .value = address(ret_value) };
	return bpf(BPF_MAP_LOOKUP_ELEM, &attr) >= 0;
}

struct strobe_error *bpf_check_pid_namespace(const struct sys *sys)
{
	struct stat ns;
	_cleanup_free_ char *path = sys_path(sys, "/proc/self/ns/pid");
	if (stat(path, &ns) || ns.st_ino != TOP_PID_NAMESPACE)
		return error_create(ERROR_UNSUPPORTED, "the numbers of tasks are not the kernel's own in this pid namespace");
	return NULL;
}
