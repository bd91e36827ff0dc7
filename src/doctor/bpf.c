/* Checks of BPF: whether programs can be loaded and attached. */
#include <linux/bpf.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bpf/load/image.h"
#include "bpf/load/kernel.h"
#include "bpf/load/probes.h"
#include "bpf/load/programs.h"
#include "doctor/priv.h"

#define LOSS                                                                                                       \
	"whole stacks without frame pointers while recording, trace -s and lock contention summed in the kernel, " \
	"live sched and kwork"

/* Converts the error of a check of bpf/load; NULL means success. */
static struct finding from_error(struct doctor *d, struct strobe_error *err, const char *ok, const char *loss, const char *remedy)
{
	if (!err)
		return finding_ok(ok);
	const char *message = arena_strdup(&d->arena, err->message);
	error_destroy(err);
	return (struct finding){ FINDING_MISSING, message, loss, remedy };
}

static struct finding programs(struct doctor *d)
{
	const char *missing = bpf_image_missing();
	if (!missing)
		return finding_ok("part of this strobe");
	return (struct finding){ FINDING_MISSING, arena_strdup(&d->arena, missing), LOSS,
				 "build strobe with clang and libbpf-dev installed" };
}

static struct finding kernel(struct doctor *d)
{
	return from_error(d, bpf_check_kernel(d->sys), "Linux 5.17 or later", LOSS, "a newer kernel");
}

static struct finding types(struct doctor *d)
{
	if (sys_exists(d->sys, "/sys/kernel/btf/vmlinux"))
		return finding_ok("the kernel describes its types (BTF)");
	return (struct finding){ FINDING_MISSING, "no /sys/kernel/btf/vmlinux", LOSS, "a kernel with CONFIG_DEBUG_INFO_BTF" };
}

static struct finding maps(struct doctor *d)
{
	_cleanup_close_ int fd = -1;
	struct bpf_map_shape shape = { .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4, .value_bytes = 8, .entries = 1 };
	return from_error(d, bpf_map_make(d->sys, "strobe_doctor", shape, &fd), "this user may load programs", LOSS,
			  "run as root, or: setcap cap_bpf,cap_perfmon+ep \"$(command -v strobe)\"");
}

static struct finding pid_namespace(struct doctor *d)
{
	return from_error(d, bpf_check_pid_namespace(d->sys), "process IDs of programs are ours", LOSS,
			  "run outside of the container, or start it with the host's process IDs (docker run --pid=host)");
}

static struct finding kernel_functions(struct doctor *d)
{
	return from_error(d, bpf_check_kernel_probes(d->sys), "programs can be attached to functions of the kernel",
			  "trace --func kernel:…", "a kernel with CONFIG_KPROBES, not in lockdown");
}

static struct finding many_places(struct doctor *d)
{
	const struct bpf_image_program of_programs = { .tracepoint = "" };
	if (bpf_probe_attach_type(d->sys, &of_programs))
		return finding_ok("one link attaches a program to thousands of functions");
	return (struct finding){ FINDING_PARTLY, "a perf event for each function", "thousands of functions at once in trace --func",
				 "Linux 6.6 or later" };
}

const struct check checks_bpf[] = {
	{ "bpf-programs", "programs of strobe", programs },
	{ "bpf-kernel", "kernel that loads them", kernel },
	{ "bpf-types", "types of the kernel", types },
	{ "bpf-rights", "permission to load programs", maps },
	{ "bpf-pid-namespace", "process IDs", pid_namespace },
	{ "bpf-kernel-functions", "functions of the kernel", kernel_functions },
	{ "bpf-many-probes", "many functions at once", many_places },
	{},
};
