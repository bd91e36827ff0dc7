#include "probe/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "object/dwarf/functions.h"
#include "object/sysroot.h"
#include "probe/variables.h"
#include "sys/process_files.h"

#define MODULE_SUFFIX ".ko"

/* ---- programs ---- */

/* In another process's view: the kernel finds it below that process's root while it runs. */
static struct strobe_error *path_of_process(uint32_t pid, const char *path, char **ret)
{
	_cleanup_close_ int fd = process_file_open(pid, path);
	if (fd < 0)
		return error_errno(-fd, "cannot open '%s' as process %u sees it", path, pid);
	_cleanup_free_ char *inside = process_file_path(pid, fd);
	*ret = process_path_outside(pid, inside);
	return NULL;
}

static struct strobe_error *full_path(const char *path, const struct probe_files *files, char **ret)
{
	if (files->pid && process_has_own_files((uint32_t)files->pid))
		return path_of_process((uint32_t)files->pid, path, ret);
	*ret = process_full_path(path);
	if (*ret)
		return NULL;
	int errnum = errno;
	/* below the directory of --symfs alone */
	_cleanup_free_ char *below = files->symfs && *path == '/' ? sysroot_path(files->symfs, path) : NULL;
	if (below && !access(below, R_OK))
		*ret = xstrdup(path);
	return *ret ? NULL : error_errno(errnum, "cannot find the program '%s'", path);
}

struct strobe_error *probe_target_program(const char *path, const struct probe_files *files, struct probe_target *ret)
{
	*ret = (struct probe_target){ .kind = PROBE_PROGRAM, .files = *files };
	TRY(full_path(path, files, &ret->name));
	_cleanup_free_ char *below = sysroot_path(files->symfs, ret->name);
	struct strobe_error *err = object_open(below, &ret->object);
	if (err)
		probe_target_close(ret);
	return err;
}

/* ---- the kernel ---- */

/* "/lib/modules/…/nf-nat.ko.xz" is the module nf_nat. */
static char *module_name(const char *path)
{
	const char *base = text_base_name(path), *suffix = strstr(base, MODULE_SUFFIX);
	char *name = xasprintf("%.*s", (int)(suffix ? suffix - base : (ptrdiff_t)strlen(base)), base);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return name;
}

static struct strobe_error *open_kernel_file(const char *path, struct probe_target *t)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_errno(errno, "cannot open '%s'", path);
	return object_open_packed_fd(fd, path, &t->object);
}

struct strobe_error *probe_target_kernel(const struct sys *sys, const char *module, const struct probe_files *files,
					 struct probe_target *ret)
{
	bool is_file = module && strchr(module, '/');
	*ret = (struct probe_target){ .kind = PROBE_KERNEL, .files = *files, .sys = sys };
	ret->name = is_file ? module_name(module) : xstrdup(module ? module : "");
	const char *path = is_file ? module : module ? NULL : files->vmlinux;
	struct strobe_error *err = path ? open_kernel_file(path, ret) : NULL;
	if (err)
		probe_target_close(ret);
	return err;
}

struct strobe_error *probe_target_need_functions(struct probe_target *t)
{
	if (t->has_functions)
		return NULL;
	if (!t->object)
		TRY(probe_functions_of_kernel(t->sys, t->name, &t->functions));
	else
		probe_functions_of_file(t->object, t->kind == PROBE_PROGRAM ? t->name : object_name(t->object), t->files.symfs,
					&t->functions);
	/* of a file that was named, its symbols are those of the target */
	for (size_t i = 0; i < t->functions.list.len && t->kind == PROBE_KERNEL && t->object; i++)
		if (*t->functions.list.data[i].name == '_')
			probe_functions_take_text(&t->functions, t->functions.list.data[i].name, t->functions.list.data[i].address);
	t->has_functions = true;
	return NULL;
}

void probe_target_close(struct probe_target *t)
{
	probe_variables_close(t->variables);
	probe_functions_deinit(&t->functions);
	object_close(t->vmlinux);
	object_close(t->object);
	free(t->name);
	*t = (struct probe_target){};
}

/* ---- debug information ---- */

static bool symbol_address(const struct object *o, const char *name, uint64_t *ret)
{
	struct object_symtab table;
	if (!object_symtab(o, 2 /* SHT_SYMTAB */, &table))
		return false;
	for (size_t i = 0; i < table.count; i++) {
		struct object_symbol s = object_symbol(&table, i);
		if (strcmp(object_symbol_name(&table, &s), name))
			continue;
		*ret = s.value;
		return true;
	}
	return false;
}

/* It must belong to the running kernel. */
static struct object *find_vmlinux(const struct probe_target *t)
{
	struct utsname u;
	uint8_t running[OBJECT_BUILD_ID_MAX], its[OBJECT_BUILD_ID_MAX];
	size_t n = object_build_id_of_notes(KERNEL_NOTES, running);
	char *path;
	if (sys_uname(t->sys, &u))
		return NULL;
	for (size_t i = 0; (path = object_vmlinux_place(t->files.symfs, u.release, i)); i++) {
		struct object *o = object_open_if_there(path);
		free(path);
		if (o && object_find_section(o, ".debug_info") && n && object_build_id(o, its) == n && !memcmp(its, running, n))
			return o;
		object_close(o);
	}
	return NULL;
}

/* The file: a program, the named vmlinux or module, or that of the running kernel. */
static struct strobe_error *open_debug(struct probe_target *t)
{
	const struct probe_debug_options options = { .symfs = t->files.symfs, .buildid_dir = t->files.buildid_dir,
						     .servers = t->files.servers };
	uint64_t linked;
	if (t->kind == PROBE_PROGRAM)
		return probe_variables_of_program(t->object, t->name, &options, &t->variables);
	if (t->object)
		return probe_variables_of_kernel_file(t->object, object_name(t->object), &options, &t->variables);
	t->vmlinux = *t->name ? NULL : find_vmlinux(t);
	if (!t->vmlinux)
		return error_create(ERROR_NOT_FOUND, "no debug information of %s", probe_target_shown(t));
	TRY(probe_target_need_functions(t));
	if (t->functions.text && symbol_address(t->vmlinux, t->functions.text_name, &linked))
		t->shift = t->functions.text - linked;
	return probe_variables_of_kernel_file(t->vmlinux, object_name(t->vmlinux), &options, &t->variables);
}

struct dwarf *probe_target_dwarf(struct probe_target *t)
{
	if (!t->debug_tried)
		error_destroy(open_debug(t));
	t->debug_tried = true;
	const struct probe_debug *debug = t->variables ? probe_variables_debug(t->variables) : NULL;
	return debug ? debug->dwarf : NULL;
}

struct strobe_error *probe_target_variables(struct probe_target *t, struct probe_variables **ret)
{
	struct strobe_error *err = NULL;
	if (!t->variables && !t->debug_tried)
		err = open_debug(t);
	else if (!t->variables && t->kind == PROBE_PROGRAM)
		err = open_debug(t); /* for its words */
	t->debug_tried = true;
	if (!t->variables && t->kind == PROBE_KERNEL && !t->object) {
		error_destroy(err);
		err = probe_variables_of_kernel(t->sys, t->name, &t->variables);
	}
	*ret = t->variables;
	if (t->variables && t->is_inline)
		probe_variables_for_inline(t->variables);
	return err;
}

const char *probe_target_shown(const struct probe_target *t)
{
	return *t->name ? t->name : "the kernel";
}

const struct probe_function *probe_target_function(struct probe_target *t, uint64_t address)
{
	return probe_functions_at(&t->functions, address);
}

struct strobe_error *probe_target_each_alias(struct probe_target *t, const char *pattern,
					     void (*take)(void *ctx, const struct dwarf_code *code), void *ctx)
{
	struct dwarf *dwarf = probe_target_dwarf(t);
	struct dwarf_code codes[DWARF_FRAMES_MAX];
	TRY(probe_target_need_functions(t));
	probe_functions_sort(&t->functions);
	for (size_t i = 0; i < t->functions.list.len; i++) {
		const struct probe_function *f = &t->functions.list.data[i];
		if (!f->is_code || !probe_name_matches(pattern, f->name))
			continue;
		unsigned n = dwarf_code_at(dwarf, f->address - t->shift, codes);
		if (n && codes[n - 1].entry == f->address - t->shift)
			take(ctx, &codes[n - 1]);
	}
	return NULL;
}
