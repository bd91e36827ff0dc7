/*
 * CGROUP records for the hierarchy that perf counts by: perf_event of version 1, else version 2.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "capture/host_priv.h"
#include "capture/synth_priv.h"

/* The mount point to walk, from /proc/mounts; NULL where there is none. */
static char *find_hierarchy(const struct sys *sys)
{
	_cleanup_strbuf_ struct strbuf text = {};
	if (!host_read(sys, "/proc/self/mounts", &text))
		return NULL;
	char *found = NULL, *save = NULL;
	for (char *line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char point[PATH_MAX], type[32], options[256];
		if (sscanf(line, "%*s %4095s %31s %255s", point, type, options) != 3)
			continue;
		bool v1 = !strcmp(type, "cgroup") && strstr(options, "perf_event");
		if (!v1 && (strcmp(type, "cgroup2") || found))
			continue;
		free(found);
		found = sys_path(sys, point);
		if (v1)
			break;
	}
	return found;
}

static void walk(struct out *o, const char *root, const char *below, uint16_t tail, unsigned depth)
{
	_cleanup_free_ char *path = xasprintf("%s%s", root, below);
	/* The id in samples is that of the file handle: 8 bytes for kernfs. */
	struct {
		struct file_handle h;
		uint64_t id;
	} handle = {.h.handle_bytes = sizeof(uint64_t)};
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
	_cleanup_free_ char *root = find_hierarchy(opt->sys);
	if (!root)
		return error_create(
			ERROR_UNSUPPORTED,
			"no cgroup hierarchy for perf events is mounted (cgroup2, or cgroup with perf_event)");
	struct out o;
	out_init_mem(&o);
	walk(&o, root, "", opt->tail_bytes, 0);
	struct strobe_error *err = synth_flush(&o, sink);
	error_destroy(out_close(&o));
	return err;
}
