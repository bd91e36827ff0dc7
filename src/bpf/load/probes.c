#include "bpf/load/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "bpf/load/image.h"
#include "bpf/load/kernel.h"
#include "sys/limits.h"
#include "sys/perf_abi.h"
#include "sys/tracefs.h"

/* enum bpf_attach_type, BPF_F_UPROBE_MULTI_RETURN: linux/bpf.h of 6.6. */
#define TRACE_KPROBE_MULTI 42
#define TRACE_UPROBE_MULTI 48
#define MULTI_RETURN       1
#define SEMAPHORE_SHIFT    32 /* format/ref_ctr_offset of the uprobe PMU */
#define KERNEL_ENOTSUPP    524 /* linux/errno.h of the kernel itself */

/* BPF_LINK_CREATE of such links, as linux/bpf.h of 6.6 has it in union bpf_attr. */
struct multi_link {
	uint32_t program, target, attach_type, flags;
	union {
		struct {
			uint32_t flags, nr;
			uint64_t symbols, addresses, cookies;
		} kprobe;
		struct {
			uint64_t path, offsets, semaphores, cookies;
			uint32_t nr, flags, pid, unused;
		} uprobe;
	};
};

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* By the README of tracefs, from Linux 6.5 on: "f[:[<group>/][<event>]] <func-name>". Before, perf events are used. */
static bool has_fprobes(const struct sys *sys)
{
	_cleanup_free_ char *tracefs = NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_tracefs(sys, &tracefs);
	if (err)
		return false;
	_cleanup_free_ char *path = xasprintf("%s/README", tracefs);
	_cleanup_error_ struct strobe_error *read_error = sys_read(sys, path, &text, 0);
	return !read_error && strstr(strbuf_str(&text), " f[:[");
}

uint32_t bpf_probe_attach_type(const struct sys *sys, const struct bpf_image_program *p)
{
	if (!strcmp(p->tracepoint, "place"))
		return 0;
	if (!strcmp(p->tracepoint, "kernel"))
		return has_fprobes(sys) ? TRACE_KPROBE_MULTI : 0;
	return bpf_kernel_is_since(sys, 6, 6) ? TRACE_UPROBE_MULTI : 0;
}

bool bpf_probes_can_sleep(const struct sys *sys)
{
	return bpf_kernel_is_since(sys, 6, 0);
}

struct strobe_error *bpf_check_kernel_probes(const struct sys *sys)
{
	if (sys_exists(sys, "/sys/bus/event_source/devices/kprobe/type"))
		return NULL;
	return error_with_check("bpf-kernel-functions", error_create(ERROR_UNSUPPORTED,
				"this kernel cannot probe its own functions: it was built without CONFIG_KPROBE_EVENTS"));
}

static struct strobe_error *refused(const struct sys *sys, int errnum, const struct bpf_probe_places *p)
{
	const char *where = p->path ? p->path : "the kernel";
	if (errnum == EPERM || errnum == EACCES)
		return bpf_refused(sys, errnum, "cannot attach a BPF program to functions");
	if (errnum == ENOENT)
		return error_create(ERROR_NOT_FOUND, "cannot probe %s: there is no such file", where);
	if (errnum == EMFILE)
		return error_create(ERROR_LIMIT, "cannot probe %u functions of %s: too many open files (ulimit -n)", p->nr, where);
	if (errnum == EINVAL || errnum == ENOTSUP || errnum == EIO)
		return error_create(ERROR_UNSUPPORTED, "cannot probe %u functions of %s: the kernel refuses a place (%s)", p->nr, where,
				    strerrordesc_np(errnum));
	return error_errno(errnum, "cannot probe %u functions of %s", p->nr, where);
}

/* process: 0: all. */
static int attach_multi(int program, uint32_t attach_type, const struct bpf_probe_places *p,
			pid_t process, bpf_links *links)
{
	uint32_t flags = p->at_return ? MULTI_RETURN : 0;
	struct multi_link attr = { .program = (uint32_t)program, .attach_type = attach_type };
	if (p->path) {
		attr.uprobe.path = address(p->path);
		attr.uprobe.offsets = address(p->at);
		attr.uprobe.cookies = address(p->cookies);
		attr.uprobe.semaphores = address(p->semaphores);
		attr.uprobe.nr = p->nr;
		attr.uprobe.flags = flags;
		attr.uprobe.pid = (uint32_t)process;
	} else {
		attr.kprobe.addresses = address(p->at);
		attr.kprobe.cookies = address(p->cookies);
		attr.kprobe.nr = p->nr;
		attr.kprobe.flags = flags;
	}
	long link = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	if (link >= 0)
		vec_push(links, (int)link);
	return link < 0 ? -errno : 0;
}

/*
 * One address whose instruction the kernel refuses to probe makes the whole link fail: it is found by bisection and left out.
 */
static struct strobe_error *attach_good(const struct sys *sys, int program, uint32_t attach_type, const struct bpf_probe_places *p,
					pid_t process, bpf_links *links)
{
	int r = attach_multi(program, attach_type, p, process, links);
	if (r >= 0)
		return NULL;
	if (r != -KERNEL_ENOTSUPP && r != -EINVAL && r != -EIO)
		return refused(sys, -r, p);
	if (p->nr == 1) {
		log_info("%s: the kernel refuses a probe at %#llx (%s)", p->path ? p->path : "kernel", (unsigned long long)p->at[0],
			 r == -KERNEL_ENOTSUPP ? "its instruction cannot be probed" : strerrordesc_np(-r));
		return NULL;
	}
	struct bpf_probe_places half = *p;
	half.nr = p->nr / 2;
	TRY(attach_good(sys, program, attach_type, &half, process, links));
	half.at += half.nr;
	half.cookies += half.nr;
	half.semaphores += p->semaphores ? half.nr : 0;
	half.nr = p->nr - half.nr;
	return attach_good(sys, program, attach_type, &half, process, links);
}

/* The PMU of such events, and the config bit for return probes. */
static struct strobe_error *probe_pmu(const struct sys *sys, bool kernel, uint32_t *ret_type)
{
	_cleanup_free_ char *path = xasprintf("/sys/bus/event_source/devices/%s/type", kernel ? "kprobe" : "uprobe");
	int64_t type;
	TRY(error_prefix(sys_read_i64(sys, path, &type), "this kernel has no %s", kernel ? "kprobes" : "uprobes"));
	*ret_type = (uint32_t)type;
	return NULL;
}

/* process: -1: all. */
static struct strobe_error *attach_event(const struct sys *sys, int program, uint32_t type, const struct bpf_probe_places *p, uint32_t i,
					 pid_t process, bpf_links *links)
{
	struct perf_event_attr event = {
		.type = type,
		.size = PERF_ABI_ATTR_BYTES,
		.config = p->at_return | (p->semaphores ? p->semaphores[i] << SEMAPHORE_SHIFT : 0),
		.config1 = address(p->path),
		.config2 = p->at[i],
	};
	_cleanup_close_ int fd = sys_perf_event_open(sys, &event, process, process < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return refused(sys, -fd, p);
	union bpf_attr attr = { .link_create = { .prog_fd = (uint32_t)program, .target_fd = (uint32_t)fd, .attach_type = BPF_PERF_EVENT } };
	attr.link_create.perf_event.bpf_cookie = p->cookies[i];
	long link = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	if (link < 0)
		return refused(sys, errno, p);
	vec_push(links, (int)link);
	return NULL;
}

struct strobe_error *bpf_probes_attach(const struct sys *sys, int program, uint32_t attach_type, const struct bpf_probe_places *p,
				       bpf_links *links)
{
	uint32_t type;
	if (!p->nr)
		return NULL;
	if (attach_type && !p->processes_nr)
		return attach_good(sys, program, attach_type, p, 0, links);
	for (size_t i = 0; attach_type && i < p->processes_nr; i++)
		TRY(attach_good(sys, program, attach_type, p, p->processes[i], links));
	if (attach_type)
		return NULL;
	TRY(probe_pmu(sys, !p->path, &type));
	sys_raise_nofile(links->len + p->nr * (p->processes_nr + 1) + 64);
	for (uint32_t i = 0; i < p->nr; i++) {
		if (!p->processes_nr)
			TRY(attach_event(sys, program, type, p, i, -1, links));
		for (size_t k = 0; k < p->processes_nr; k++)
			TRY(attach_event(sys, program, type, p, i, p->processes[k], links));
	}
	return NULL;
}
