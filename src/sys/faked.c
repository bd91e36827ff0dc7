#include "sys/faked.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

static bool matches(const struct sys_faked_answer *a, const struct perf_event_attr *attr, int cpu)
{
	if ((a->match & MATCH_TYPE) && attr->type != a->type)
		return false;
	if ((a->match & MATCH_CONFIG) && attr->config != a->config)
		return false;
	if ((a->match & MATCH_PRECISE) && attr->precise_ip < a->precise_ip)
		return false;
	if ((a->match & MATCH_KERNEL) && attr->exclude_kernel)
		return false;
	if ((a->match & MATCH_SIZE) && attr->size <= a->size)
		return false;
	if ((a->match & MATCH_CPU) && cpu != a->cpu)
		return false;
	if ((a->match & MATCH_BRANCH) && !(attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return false;
	if ((a->match & MATCH_GROUP_INHERITED) && !(attr->inherit && attr->read_format & PERF_FORMAT_GROUP))
		return false;
	return !(a->match & MATCH_SAMPLING) || attr->sample_period;
}

static int faked_open(void *ctx, void *bytes, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	struct sys_faked *f = ctx;
	struct sys_faked_open o = { .pid = pid, .cpu = cpu, .group_fd = group_fd, .flags = flags };
	memcpy(&o.attr, bytes, sizeof(o.attr));
	if (o.attr.size >= PERF_ATTR_SIZE_VER8)
		memcpy(&o.config3, (char *)bytes + PERF_ATTR_SIZE_VER7, 8);
	if (o.attr.size >= PERF_ATTR_SIZE_VER9)
		memcpy(&o.config4, (char *)bytes + PERF_ATTR_SIZE_VER8, 8);
	for (size_t i = 0; i < f->answers.len; i++)
		if (matches(&f->answers.data[i], &o.attr, cpu)) {
			o.fd = -f->answers.data[i].errnum;
			break;
		}
	if (!o.fd)
		o.fd = memfd_create("faked perf event", flags & PERF_FLAG_FD_CLOEXEC ? MFD_CLOEXEC : 0);
	vec_push(&f->opens, o);
	return o.fd;
}

static int faked_ioctl(void *ctx, int fd, unsigned long request, uintptr_t arg)
{
	struct sys_faked *f = ctx;
	struct sys_faked_ioctl call = { fd, request, arg };
	vec_push(&f->ioctls, call);
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = 1000 + (uint64_t)fd;
	return 0;
}

/* Maps a ring of the requested size, after extending the memfd to it. */
static void *faked_mmap(void *ctx, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	if (fd >= 0 && ftruncate(fd, offset + (off_t)bytes))
		return MAP_FAILED;
	return mmap(NULL, bytes, prot, flags, fd, offset);
}

static int faked_munmap(void *ctx, void *p, size_t bytes)
{
	return munmap(p, bytes) ? -errno : 0;
}

static int faked_mount(void *ctx, const char *source, const char *target, const char *type)
{
	struct sys_faked *f = ctx;
	f->mounts++;
	if (f->mount_errnum)
		return -f->mount_errnum;
	_cleanup_free_ char *events = xasprintf("%s/events", target);
	_cleanup_error_ struct strobe_error *err = file_make_dirs(events);
	return err ? -EIO : 0;
}

static int faked_uname(void *ctx, struct utsname *ret)
{
	struct sys_faked *f = ctx;
	*ret = f->uname;
	return 0;
}

static int faked_clock(void *ctx, clockid_t clock, struct timespec *ret)
{
	struct sys_faked *f = ctx;
	uint64_t now = f->clock_ns++;
	*ret = ns_timespec(now);
	return 0;
}

static const struct sys_ops faked_ops = {
	.perf_event_open = faked_open,
	.ioctl = faked_ioctl,
	.mmap = faked_mmap,
	.munmap = faked_munmap,
	.mount = faked_mount,
	.uname = faked_uname,
	.clock_gettime = faked_clock,
};

struct sys_faked *sys_faked_create(void)
{
	const char *tmp = getenv("TMPDIR");
	struct sys_faked *f = xcalloc(1, sizeof(*f));
	f->root = xasprintf("%s/strobe-faked-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(f->root))
		abort();
	f->sys = (struct sys){ .ops = &faked_ops, .ctx = f, .root = f->root };
	snprintf(f->uname.sysname, sizeof(f->uname.sysname), "Linux");
	snprintf(f->uname.release, sizeof(f->uname.release), "6.18.0");
	snprintf(f->uname.machine, sizeof(f->uname.machine), "x86_64");
	snprintf(f->uname.nodename, sizeof(f->uname.nodename), "faked");
	return f;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

void sys_faked_destroy(struct sys_faked *f)
{
	if (!f)
		return;
	nftw(f->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(f->root);
	vec_deinit(&f->answers);
	vec_deinit(&f->opens);
	vec_deinit(&f->ioctls);
	free(f);
}

const struct sys *sys_faked_sys(const struct sys_faked *f)
{
	return &f->sys;
}

void sys_faked_file(struct sys_faked *f, const char *path, const char *content)
{
	_cleanup_free_ char *full = xasprintf("%s%s", f->root, path);
	char *slash = strrchr(full, '/');
	*slash = 0;
	_cleanup_error_ struct strobe_error *err = file_make_dirs(full);
	*slash = '/';
	_cleanup_close_ int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (err || fd < 0 || write(fd, content, strlen(content)) != (ssize_t)strlen(content))
		abort();
}

void sys_faked_answer(struct sys_faked *f, struct sys_faked_answer answer)
{
	vec_push(&f->answers, answer);
}

void sys_faked_tracepoint(struct sys_faked *f, const char *system, const char *name, unsigned id)
{
	_cleanup_free_ char *path = xasprintf("/sys/kernel/tracing/events/%s/%s/id", system, name);
	_cleanup_free_ char *content = xasprintf("%u\n", id);
	sys_faked_file(f, path, content);
	_cleanup_free_ char *format_path = xasprintf("/sys/kernel/tracing/events/%s/%s/format", system, name);
	_cleanup_free_ char *format = xasprintf(
		"name: %s\nID: %u\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n", name,
		id);
	sys_faked_file(f, format_path, format);
}

void sys_faked_status(struct sys_faked *f, uint64_t cap_eff, uint32_t euid, int seccomp)
{
	_cleanup_free_ char *text = xasprintf("Name:\tfaked\nUid:\t%u\t%u\t%u\t%u\nCapEff:\t%016llx\nSeccomp:\t%d\n",
					      euid, euid, euid, euid, (unsigned long long)cap_eff, seccomp);
	sys_faked_file(f, "/proc/self/status", text);
}
