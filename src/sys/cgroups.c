#include "sys/cgroups.h"

#include <fcntl.h>
#include <regex.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define DEPTH_MAX 32

static const char *const roots[] = { "/sys/fs/cgroup/perf_event", "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
#define ROOTS_NR (sizeof(roots) / sizeof(*roots))

static bool is_octal(const char *p)
{
	return p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' && p[2] <= '7';
}

/* In place: the kernel writes blanks and backslashes as \ooo. */
static void unescape(char *text)
{
	char *to = text;
	for (const char *p = text; *p;) {
		if (*p == '\\' && is_octal(p + 1)) {
			*to++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 4;
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
}

char *sys_cgroup2_root(const struct sys *sys)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, "/proc/self/mounts", &text, 0);
	if (err || !text.len)
		return NULL;
	/* source target type options … */
	char *rest = text.data;
	for (char *line; (line = strsep(&rest, "\n"));) {
		strsep(&line, " ");
		char *target = strsep(&line, " "), *type = strsep(&line, " ");
		if (!type || strcmp(type, "cgroup2") != 0)
			continue;
		unescape(target);
		return xstrdup(target);
	}
	return NULL;
}

int sys_cgroup_open(const struct sys *sys, const char *path)
{
	int fd = -1;
	for (size_t i = 0; i < ROOTS_NR && fd < 0; i++) {
		_cleanup_free_ char *full = xasprintf("%s/%s", roots[i], path);
		fd = sys_open(sys, full, O_RDONLY | O_DIRECTORY);
	}
	return fd;
}

static void match_below(const struct sys *sys, const char *root, const char *below, const regex_t *re, unsigned depth, sys_names *ret)
{
	_cleanup_free_ char *path = xasprintf("%s%s%s", root, *below ? "/" : "", below);
	sys_names names = {};
	_cleanup_error_ struct strobe_error *err = sys_list(sys, path, &names);
	for (size_t i = 0; !err && depth < DEPTH_MAX && i < names.len; i++) {
		_cleanup_free_ char *inner = xasprintf("%s%s%s", below, *below ? "/" : "", names.data[i]);
		_cleanup_free_ char *directory = xasprintf("%s/%s/.", root, inner);
		if (!sys_exists(sys, directory))
			continue;
		if (!regexec(re, inner, 0, NULL, 0))
			vec_push(ret, xstrdup(inner));
		match_below(sys, root, inner, re, depth + 1, ret);
	}
	sys_names_deinit(&names);
}

bool sys_cgroups_matching(const struct sys *sys, const char *regex, sys_names *ret)
{
	regex_t re;
	size_t before = ret->len;
	if (regcomp(&re, regex, REG_EXTENDED | REG_NOSUB))
		return false;
	for (size_t i = 0; i < ROOTS_NR && ret->len == before; i++)
		match_below(sys, roots[i], "", &re, 0, ret);
	regfree(&re);
	return true;
}
