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
#include "bpf/load/image.h"
#include "bpf/load/probes.h"
#include "sys/limits.h"
#include "sys/perf_abi.h"

#define LOG_BYTES (4 << 20)
/* kernel/bpf/verifier.c: BPF_LOG_STATS, BPF_LOG_LEVEL. */
#define BPF_LOG_STATS 4
#define BPF_LOG_PATH  1
/* The inode of the initial PID namespace: PROC_PID_INIT_INO. */
#define TOP_PID_NAMESPACE 0xEFFFFFFCu

/*
 * The kernel requires this licence of programs that read its own structures. Those in src/bpf may be used under the terms of BSD or
 * GPL, at the user's choice.
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
	/* Helpers that read the kernel's memory do not exist then: EINVAL. */
	bool is_unknown_helper = errnum == EINVAL && sys_lockdown(sys) == SYS_LOCKDOWN_CONFIDENTIALITY;
	if (is_unknown_helper || (errnum == EPERM && sys_lockdown(sys) != SYS_LOCKDOWN_NONE))
		return error_with_check("lockdown", error_create(ERROR_PERMISSION,
					"%s: the kernel is locked down (see /sys/kernel/security/lockdown)",
					what));
	if (errnum == EPERM)
		return error_with_check("bpf-rights", error_create(ERROR_PERMISSION,
					"%s: CAP_BPF and CAP_PERFMON are missing; run as root", what));
	if (errnum == ENOSYS)
		return error_with_check("bpf-kernel", error_create(ERROR_UNSUPPORTED,
					"%s: this kernel has no bpf(2) (CONFIG_BPF_SYSCALL)", what));
	_cleanup_free_ char *types = sys_path(sys, "/sys/kernel/btf/vmlinux");
	if (access(types, F_OK))
		return error_with_check("bpf-types", error_create(ERROR_UNSUPPORTED,
					"%s: the kernel has no type information, "
					"/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)", what));
	return error_create(ERROR_UNSUPPORTED, "%s: %s", what, strerrordesc_np(errnum));
}

struct strobe_error *bpf_map_make_typed(const struct sys *sys, const char *name, struct bpf_map_shape shape,
					const struct bpf_map_types *types, int *ret_fd)
{
	union bpf_attr attr = {
		.map_type = shape.type,
		.key_size = shape.key_bytes,
		.value_size = shape.value_bytes,
		.max_entries = shape.entries,
		.map_flags = shape.flags,
	};
	if (types->key_type || types->value_type) {
		attr.btf_fd = (uint32_t)types->types_fd;
		attr.btf_key_type_id = types->key_type;
		attr.btf_value_type_id = types->value_type;
	}
	if (types->inner_fd >= 0)
		attr.inner_map_fd = (uint32_t)types->inner_fd;
	name += *name == '.'; /* of a section */
	snprintf(attr.map_name, sizeof(attr.map_name), "%s", name);
	int fd = bpf(BPF_MAP_CREATE, &attr);
	if (fd < 0)
		return bpf_refused(sys, -fd, "cannot create a BPF map");
	*ret_fd = fd;
	return NULL;
}

struct strobe_error *bpf_map_make(const struct sys *sys, const char *name, struct bpf_map_shape shape, int *ret_fd)
{
	return bpf_map_make_typed(sys, name, shape, &(struct bpf_map_types){ .inner_fd = -1 }, ret_fd);
}

struct strobe_error *bpf_map_freeze(const struct sys *sys, int fd)
{
	union bpf_attr attr = { .map_fd = (uint32_t)fd };
	int r = bpf(BPF_MAP_FREEZE, &attr);
	return r < 0 ? bpf_refused(sys, -r, "cannot freeze a BPF map") : NULL;
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

struct strobe_error *bpf_types_load(const struct sys *sys, const void *bytes, size_t n, int *ret_fd)
{
	union bpf_attr attr = { .btf = address(bytes), .btf_size = (uint32_t)n };
	int fd = bpf(BPF_BTF_LOAD, &attr);
	if (fd < 0)
		return bpf_refused(sys, -fd, "the kernel refuses the types of BPF programs");
	*ret_fd = fd;
	return NULL;
}

/* Logs the verifier's statistics, or, if it rejects the program, its trace. */
static int load_with_log(union bpf_attr *attr, const char *name)
{
	_cleanup_free_ char *log = xcalloc(1, LOG_BYTES);
	attr->log_buf = address(log);
	attr->log_size = LOG_BYTES;
	attr->log_level = BPF_LOG_STATS;
	int fd = bpf(BPF_PROG_LOAD, attr);
	if (fd < 0) {
		attr->log_level = BPF_LOG_PATH;
		fd = bpf(BPF_PROG_LOAD, attr);
	}
	log_debug("BPF program %s:\n%s", name, log);
	return fd;
}

struct strobe_error *bpf_image_program_load(const struct sys *sys, const struct bpf_image_program *program, uint32_t attach_type,
					    int types_fd, const int *maps, int *ret_fd)
{
	union bpf_attr attr = {
		.prog_type = program->type,
		.expected_attach_type = attach_type,
		.prog_flags = program->sleeps && bpf_probes_can_sleep(sys) ? BPF_F_SLEEPABLE : 0,
		.insns = address(program->code),
		.insn_cnt = program->code_nr,
		.license = address(LICENSE),
		.prog_btf_fd = (uint32_t)types_fd,
		.func_info = address(program->functions),
		.func_info_cnt = program->functions_nr,
		.func_info_rec_size = sizeof(*program->functions),
		.core_relos = address(program->relocations),
		.core_relo_cnt = program->relocations_nr,
		.core_relo_rec_size = sizeof(*program->relocations),
		.fd_array = address(maps),
	};
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", program->name);
	int fd = log_enabled(LOG_DEBUG) ? load_with_log(&attr, program->name) : bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		return bpf_refused(sys, -fd, "cannot load BPF programs");
	*ret_fd = fd;
	return NULL;
}

struct strobe_error *bpf_attach_raw_tracepoint(const struct sys *sys, const char *tracepoint, int program, int *ret_link)
{
	union bpf_attr attr = { .raw_tracepoint = { .name = address(tracepoint), .prog_fd = (uint32_t)program } };
	int link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	if (link < 0)
		return error_errno(-link, "cannot attach a BPF program to the tracepoint %s", tracepoint);
	*ret_link = link;
	return NULL;
}

struct strobe_error *bpf_attach_perf_tracepoint(const struct sys *sys, uint64_t id, int program, int *ret_link)
{
	struct perf_event_attr event = { .type = PERF_TYPE_TRACEPOINT, .size = PERF_ABI_ATTR_BYTES, .config = id };
	/* The program is attached to the tracepoint, whatever task or CPU the event has. */
	_cleanup_close_ int fd = sys_perf_event_open(sys, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return bpf_refused(sys, -fd, "cannot attach a BPF program");
	union bpf_attr attr = { .link_create = { .prog_fd = (uint32_t)program, .target_fd = (uint32_t)fd, .attach_type = BPF_PERF_EVENT } };
	int link = bpf(BPF_LINK_CREATE, &attr);
	if (link < 0)
		return bpf_refused(sys, -link, "cannot attach a BPF program");
	*ret_link = link;
	return NULL;
}

bool bpf_kernel_is_since(const struct sys *sys, unsigned major, unsigned minor)
{
	struct utsname name;
	unsigned its_major = 0, its_minor = 0;
	if (sys_uname(sys, &name) || sscanf(name.release, "%u.%u", &its_major, &its_minor) != 2)
		return false;
	return its_major > major || (its_major == major && its_minor >= minor);
}

struct strobe_error *bpf_check_kernel(const struct sys *sys)
{
	if (bpf_kernel_is_since(sys, 5, 17))
		return NULL;
	return error_with_check("bpf-kernel", error_create(ERROR_UNSUPPORTED, "BPF programs require Linux 5.17 or later"));
}

uint64_t bpf_program_missed(int fd)
{
	struct bpf_prog_info info = {};
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof(info), .info = address(&info) } };
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) < 0 ? 0 : info.recursion_misses;
}

void bpf_wait_for_programs(void)
{
	/* Programs run in RCU read-side sections. */
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
		return error_create(ERROR_UNSUPPORTED, "this is not the initial PID namespace: process IDs are not those of the kernel");
	return NULL;
}
