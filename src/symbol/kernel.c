/* Symbols of the kernel and its modules: kallsyms, a vmlinux, module files. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "symbol/symbol_priv.h"

/* The symbol by which the recorder determined the kernel's address: its name follows the bracket in the recorded path. */
static uint64_t reference_address(const struct dso *d, uint64_t text, uint64_t stext)
{
	const char *path = d->file->path ? d->file->path : "";
	if (text_has_suffix(path, "]_stext"))
		return stext;
	return text ? text : stext;
}

/* Whether the running kernel is the recorded one; if not, sets the problem. */
static bool is_recorded_kernel(struct dso *d, const struct kallsyms *k)
{
	const struct mapped_file *f = d->file;
	const struct env *env = d->session->env;
	struct utsname u;
	if (!k->live)
		return true;
	/* Modules have build-ids of their own: their kernel is identified by its release. */
	if (f->kind == MAPPED_KERNEL && f->build_id_len && k->build_id_len) {
		if (k->build_id_len <= f->build_id_len && !memcmp(k->build_id, f->build_id, k->build_id_len))
			return true;
		dso_problem(d,
			    "recorded on another kernel (build-id %s; the running one is %s): specify its symbols "
			    "with --vmlinux or --kallsyms",
			    dso_hex(d, f->build_id, f->build_id_len), dso_hex(d, k->build_id, k->build_id_len));
		return false;
	}
	if (env && env->os_release && !uname(&u) && strcmp(env->os_release, u.release)) {
		dso_problem(d, "recorded on kernel %s, this is %s: specify its symbols with --vmlinux or --kallsyms",
			    env->os_release, u.release);
		return false;
	}
	return true;
}

/* "[name]" without its brackets. */
static size_t module_name(const struct dso *d, const char **ret)
{
	const char *name = d->file->name ? d->file->name : "";
	size_t n = strlen(name);
	if (n >= 2 && name[0] == '[' && name[n - 1] == ']') {
		name++;
		n -= 2;
	}
	*ret = name;
	return n;
}

/*
 * A list from the build ID cache may be from another boot of the same kernel, with other addresses of modules and, with KASLR, of
 * the kernel itself.
 */
static bool is_list_of_boot(struct dso *d, const struct kallsyms *k)
{
	struct symbols *s = d->session;
	bool found = false;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->dsos.len && !found; i++) {
		const struct dso *kernel = s->dsos.data[i];
		uint64_t base = kernel && kernel->file->kind == MAPPED_KERNEL ? atomic_load(&kernel->recorded_base) : 0;
		found = base && base == reference_address(kernel, k->list.text, k->list.stext);
	}
	pthread_mutex_unlock(&s->lock);
	if (!found)
		dso_problem(d, "%s may be of another boot: the addresses of modules are unknown", s->kallsyms_path);
	return found;
}

/* A module that was reloaded since the recording has another address: its symbols would be wrong. */
static bool is_module_where_recorded(struct dso *d, const struct kallsyms *k)
{
	_cleanup_strbuf_ struct strbuf text = {}, start = {};
	const char *name;
	size_t n = module_name(d, &name);
	uint64_t recorded = atomic_load(&d->recorded_base), now;
	if (!k->live && d->session->kallsyms_path)
		return symbols_recorded_kernel(d->session) || is_list_of_boot(d, k);
	if (!k->live || !recorded)
		return true;
	_cleanup_error_ struct strobe_error *err = file_read("/proc/modules", &text, 16 << 20);
	/* A kernel without the file has no modules; one that hides it may have this one. */
	if ((err && err->code != ERROR_NOT_FOUND) || !n)
		return true;
	strbuf_addch(&start, '\n');
	strbuf_add(&start, name, n);
	strbuf_addch(&start, ' ');
	const char *all = strbuf_str(&text),
		   *line = strncmp(all, start.data + 1, start.len - 1) ? strstr(all, start.data) : all;
	const char *address = line ? strstr(line, " 0x") : NULL;
	if (!line) {
		dso_problem(d, "module %.*s is not loaded any more", (int)n, name);
		return false;
	}
	now = address ? strtoull(address, NULL, 16) : 0;
	if (now && now != recorded) {
		dso_problem(d, "module %.*s was loaded elsewhere when it was recorded", (int)n, name);
		return false;
	}
	return true;
}

static bool load_kallsyms(struct dso *d)
{
	const char *problem;
	if (d->file->guest) {
		dso_problem(d, "symbols of guest kernels are not supported");
		return false;
	}
	/* An unusable vmlinux of the user is not replaced by a guess. */
	if (d->file->kind == MAPPED_KERNEL && d->session->options.vmlinux && !d->session->options.kallsyms &&
	    !d->session->options.ignore_vmlinux)
		return false;
	if (d->file->kind == MAPPED_MODULE && d->session->options.no_modules) {
		dso_problem(d, "symbols of modules are omitted (--no-modules)");
		return false;
	}
	const struct symbols *s = d->session;
	const struct kallsyms *k = symbols_kallsyms(d, &problem);
	if (!k) {
		dso_problem(d, "%s", problem ? problem : "no kernel symbols");
		return false;
	}
	if (!is_recorded_kernel(d, k))
		return false;
	if (d->file->kind == MAPPED_MODULE && !is_module_where_recorded(d, k))
		return false;
	uint64_t here = reference_address(d, k->list.text, k->list.stext), recorded = atomic_load(&d->recorded_base);
	if (d->file->kind == MAPPED_KERNEL && here && recorded)
		d->shift = (int64_t)(recorded - here);
	dso_tried(d, s->options.kallsyms ? s->options.kallsyms : s->kallsyms_path ? s->kallsyms_path : "/proc/kallsyms", "taken");
	d->kernel = &k->list;
	d->long_name = s->options.kallsyms ? s->options.kallsyms : s->kallsyms_path ? s->kallsyms_path : "[kernel.kallsyms]";
	return true;
}

const struct symbol_source source_kallsyms = {
	.name = "kallsyms", .kinds = 1u << MAPPED_KERNEL | 1u << MAPPED_MODULE, .load = load_kallsyms,
};

/* The address of a symbol by name; 0: none. */
static uint64_t address_by_name(const struct object *o, const char *name)
{
	struct object_symtab t;
	if (!object_symtab(o, SHT_SYMTAB, &t))
		return 0;
	for (size_t i = 1; i < t.count; i++) {
		struct object_symbol s = object_symbol(&t, i);
		if (!strcmp(object_symbol_name(&t, &s), name))
			return s.value;
	}
	return 0;
}

static bool use_vmlinux(struct dso *d, const char *path)
{
	if (!elf_open_checked(d, path, 0, &d->object))
		return false;
	elf_load_table(d, &(struct elf_load){ .object = d->object, .demangle = d->session->options.demangle_kernel });
	if (!d->has_table) {
		dso_problem(d, "%s has no symbols", path);
		object_close(d->object);
		d->object = NULL;
		return false;
	}
	uint64_t here = reference_address(d, address_by_name(d->object, "_text"), address_by_name(d->object, "_stext"));
	uint64_t recorded = atomic_load(&d->recorded_base);
	if (here && recorded)
		d->shift = (int64_t)(recorded - here);
	d->long_name = arena_strdup(&d->arena, path);
	return true;
}

static bool find_vmlinux(struct dso *d)
{
	const struct env *env = d->session->env;
	struct utsname u;
	const char *by_id = elf_debug_path(d);
	if (!by_id || uname(&u))
		return false;
	const char *release = env && env->os_release ? env->os_release : u.release;
	if (access(by_id, R_OK))
		dso_tried(d, by_id, "not there");
	else if (use_vmlinux(d, by_id))
		return true;
	const char *cached = dso_cached_path(d, "elf");
	if (cached && !access(cached, R_OK) && use_vmlinux(d, cached))
		return true;
	if (strchr(release, '/'))
		return false;
	char *place;
	for (size_t i = 0; (place = object_vmlinux_place(d->session->options.symfs, release, i)); i++) {
		const char *path = arena_strdup(&d->arena, place);
		free(place);
		if (access(path, R_OK))
			dso_tried(d, path, "not there");
		else if (use_vmlinux(d, path))
			return true;
	}
	return false;
}

static bool load_vmlinux(struct dso *d)
{
	const struct symbols_options *o = &d->session->options;
	/* If the kernel's memory was recorded, that is shown instead of unpatched code. */
	if (d->file->guest || o->kallsyms || o->ignore_vmlinux || symbols_recorded_kernel(d->session))
		return false;
	if (o->vmlinux)
		return use_vmlinux(d, dso_below_symfs(d, o->vmlinux));
	return find_vmlinux(d);
}

const struct symbol_source source_vmlinux = { .name = "vmlinux", .kinds = 1u << MAPPED_KERNEL, .load = load_vmlinux };

struct object *module_open(struct dso *d, const char **ret_path)
{
	const struct symbols_options *o = &d->session->options;
	const char *path = d->file->path ? d->file->path : "", *cached = dso_cached_path(d, "elf");
	struct object *object = NULL;
	if (d->file->guest || *path != '/' || o->no_modules)
		return NULL;
	*ret_path = dso_below_symfs(d, path);
	if (elf_open_checked(d, *ret_path, 0, &object) || !cached || access(cached, R_OK))
		return object;
	*ret_path = cached;
	elf_open_checked(d, cached, 0, &object);
	return object;
}

static bool load_module(struct dso *d)
{
	d->object = module_open(d, &d->long_name);
	if (!d->object)
		return false;
	elf_load_table(d, &(struct elf_load){ .object = d->object, .demangle = d->session->options.demangle_kernel });
	d->shift = (int64_t)atomic_load(&d->recorded_base);
	if (!d->has_table)
		dso_problem(d, "%s has no symbols", d->long_name);
	return d->has_table;
}

const struct symbol_source source_module = { .name = "module", .kinds = 1u << MAPPED_MODULE, .load = load_module };
