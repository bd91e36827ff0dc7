#include "sys/kernel_modules.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

void kernel_modules_load(const struct sys *sys, struct kernel_modules *ret)
{
	*ret = (struct kernel_modules){};
	error_destroy(sys_read_line(sys, "/proc/sys/kernel/osrelease", &ret->release));
	_cleanup_free_ char *path = xasprintf("/lib/modules/%s/modules.dep", ret->release ? ret->release : "");
	error_destroy(sys_read(sys, path, &ret->deps, 0));
}

void kernel_modules_deinit(struct kernel_modules *m)
{
	free(m->release);
	strbuf_deinit(&m->deps);
}

static char plain(char c)
{
	return c == '-' ? '_' : c;
}

static bool is_file_of(const char *path, size_t path_bytes, const char *name, size_t bytes)
{
	const char *base = path + path_bytes;
	while (base > path && base[-1] != '/')
		base--;
	bool same = (size_t)(path + path_bytes - base) > bytes && base[bytes] == '.';
	for (size_t i = 0; same && i < bytes; i++)
		same = plain(base[i]) == plain(name[i]);
	return same;
}

char *kernel_modules_path(const struct kernel_modules *m, const char *name, size_t bytes)
{
	/* path: paths of its dependencies */
	for (const char *at = strbuf_str(&m->deps); *at;) {
		size_t path_bytes = strcspn(at, ":\n");
		if (is_file_of(at, path_bytes, name, bytes))
			return xasprintf("/lib/modules/%s/%.*s", m->release ? m->release : "", (int)path_bytes, at);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return xasprintf("[%.*s]", (int)bytes, name);
}
