/* PHP without threads (ZTS), whose state is a global variable. The version is in a string that its web servers send. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "interp/interpreter.h"

static const struct {
	unsigned major, minor;
	struct php_layout layout;
} versions[] = {
	{ 8, 0, { .current = 488, .file = 144, .opcodes_nr = 68, .opcodes = 72 } },
	{ 8, 1, { .current = 488, .file = 144, .opcodes_nr = 68, .opcodes = 72 } },
	{ 8, 2, { .current = 488, .file = 152, .opcodes_nr = 80, .opcodes = 88 } },
	{ 8, 3, { .current = 488, .file = 144, .opcodes_nr = 76, .opcodes = 80 } },
	{ 8, 4, { .current = 488, .file = 168, .opcodes_nr = 96, .opcodes = 104 } },
	{ 8, 5, { .current = 512, .file = 168, .opcodes_nr = 96, .opcodes = 104 } },
};

static bool find_version(struct object *o, unsigned *ret_major, unsigned *ret_minor)
{
	static const char text[] = "X-Powered-By: PHP/";
	size_t n;
	const struct object_section *s = object_find_section(o, ".rodata");
	const char *p = s ? object_section_raw(o, s, &n) : NULL;
	const char *at = p ? memmem(p, n, text, sizeof(text) - 1) : NULL;
	size_t left = at ? (size_t)(p + n - at) - (sizeof(text) - 1) : 0;
	at += sizeof(text) - 1;
	if (left < 4 || at[0] < '0' || at[0] > '9' || at[1] != '.' || at[2] < '0' || at[2] > '9' || at[3] != '.')
		return false;
	*ret_major = (unsigned)(at[0] - '0');
	*ret_minor = (unsigned)(at[2] - '0');
	return true;
}

void php_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret)
{
	unsigned major = 0, minor = 0;
	if (!find_version(o, &major, &minor))
		return;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		if (versions[i].major != major || versions[i].minor != minor)
			continue;
		ret->php = versions[i].layout;
		ret->start = symbols->of[INTERPRETER_PHP].value + ret->php.current;
		ret->is_known = true;
	}
}
