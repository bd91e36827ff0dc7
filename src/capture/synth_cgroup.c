/*
 * CGROUP records for the hierarchy that perf counts by: perf_event of version 1, else version 2.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "capture/synth_priv.h"
#include "sys/cgroups.h"

static void walk(struct out *o, const char *root, const char *below, uint16_t tail, unsigned depth)
{
	_cleanup_free_ char *path = xasprintf("%s%s", root, below);
	/* The id in samples is that of the file handle: 8 bytes for kernfs. */
	struct {
		struct file_handle h;
		uint64_t id;
	} handle = { .h.handle_bytes = sizeof(uint64_t)};
	int mount;
	if (name_to_handle_at(AT_FDCWD, path, &handle.h, &mount, 0))
		return;
	uint64_t id;
	memcpy(&id, handle.h.f_handle, 8);
	const char *name = *below ? below : "/";
	size_t n = strlen(name);
	if (n < PATH_MAX) {
		uint8_t *p = synth_record(o, PERF_RECORD_CGROUP, 0, 16 + synth_align(n + 1), tail);
		memcpy(p + 8, &id, 8);
		memcpy(p + 16, name, n);
	}
	DIR *dir = depth < 64 ? opendir(path) : NULL;
	struct dirent *d;
	while (dir && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || d->d_name[0] == '.')
			continue;
		_cleanup_free_ char *child = xasprintf("%s/%s", below, d->d_name);
		walk(o, root, child, tail, depth + 1);
	}
	if (dir)
		closedir(dir);
}

struct strobe_error *synth_cgroups(struct record_sink *sink, const struct synth_options *opt)
{
	unsigned version;
	_cleanup_free_ char *point = sys_cgroup_perf_root(opt->sys, &version);
	if (!point)
		return error_create(
			ERROR_UNSUPPORTED,
			"no cgroup hierarchy for perf events is mounted (cgroup2, or cgroup with perf_event)");
	_cleanup_free_ char *root = sys_path(opt->sys, point);
	struct out o;
	out_init_mem(&o);
	walk(&o, root, "", opt->tail_bytes, 0);
	struct strobe_error *err = synth_flush(&o, sink);
	error_destroy(out_close(&o));
	return err;
}
