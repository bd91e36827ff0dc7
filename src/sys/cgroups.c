#include "sys/cgroups.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

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
