#include "session/buildid/kernel_maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "object/object.h"

/* The address of a symbol in the text of /proc/kallsyms: "ffffffff81000000 T _text". */
static bool kallsyms_address(const struct strbuf *text, const char *name, uint64_t *ret)
{
	size_t length = strlen(name);

	for (const char *at = text->data; (at = strstr(at, name)); at += length) {
		const char *line = at;
		while (line > text->data && line[-1] != '\n')
			line--;
		if (at - line > 3 && at[-1] == ' ' && at[length] == '\n') {
			*ret = strtoull(line, NULL, 16);
			return true;
		}
	}
	return false;
}

static void add_map(struct kernel_maps *m, const char *name, const char *notes, uint64_t start, uint64_t end)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	struct kernel_map map = { .name = arena_printf(&m->arena, "[%s]", name), .start = start, .end = end };
	buildid_hex(id, object_build_id_of_notes(notes, id), map.hex);
	vec_push(&m->list, map);
}

static struct strobe_error *add_kernel(struct kernel_maps *m, const struct sys *sys)
{
	_cleanup_strbuf_ struct strbuf kallsyms = {};
	uint64_t start = 0, end = 0;
	TRY(sys_read(sys, "/proc/kallsyms", &kallsyms, 0));
	if (!kallsyms.len || !(kallsyms_address(&kallsyms, "_text", &start) || kallsyms_address(&kallsyms, "_stext", &start)) ||
	    !start)
		return error_with_check("kernel-symbols", error_create(ERROR_PERMISSION,
					"addresses in /proc/kallsyms are hidden: run as root, or "
					"set /proc/sys/kernel/kptr_restrict to 0"));
	if (!kallsyms_address(&kallsyms, "_edata", &end))
		kallsyms_address(&kallsyms, "_etext", &end);
	add_map(m, "kernel.kallsyms", KERNEL_NOTES, start, end);
	return NULL;
}

/* "name size refs users state 0xaddress …" of /proc/modules. */
static void add_module(struct kernel_maps *m, const char *line)
{
	char name[128];
	unsigned long long bytes, start;
	if (sscanf(line, "%127s %llu %*s %*s %*s 0x%llx", name, &bytes, &start) == 3)
		add_map(m, name, arena_printf(&m->arena, "/sys/module/%s/notes/.note.gnu.build-id", name), start, start + bytes);
}

struct strobe_error *kernel_maps_read(const struct sys *sys, struct kernel_maps *ret)
{
	_cleanup_strbuf_ struct strbuf modules = {};
	char *rest = NULL;
	*ret = (struct kernel_maps){};
	arena_init(&ret->arena);
	TRY(add_kernel(ret, sys));
	error_destroy(sys_read(sys, "/proc/modules", &modules, 0)); /* absent if the kernel has no modules */
	for (char *line = modules.len ? strtok_r(modules.data, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		add_module(ret, line);
	return NULL;
}

void kernel_maps_deinit(struct kernel_maps *m)
{
	vec_deinit(&m->list);
	arena_deinit(&m->arena);
}
