/* Parameters of the running kernel's functions, from its BTF and the calling convention. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "probe/variables_priv.h"
#include "values/call_convention.h"

#define BTF_DIRECTORY "/sys/kernel/btf"

struct strobe_error *probe_variables_of_kernel(const struct sys *sys, const char *module, struct probe_variables **ret)
{
	bool is_module = module && *module;
	_cleanup_free_ char *kernel = sys_path(sys, BTF_DIRECTORY "/vmlinux");
	_cleanup_free_ char *directory = sys_path(sys, BTF_DIRECTORY);
	_cleanup_free_ char *path = is_module ? xasprintf("%s/%s", directory, module) : NULL;
	struct utsname uname;
	struct btf_types *btf;
	*ret = NULL;
	if (is_module && strchr(module, '/'))
		return error_create(ERROR_USAGE, "'%s' is not the name of a module", module);
	if (access(kernel, F_OK))
		return error_with_check("bpf-types", error_create(ERROR_UNSUPPORTED,
					"the kernel does not describe its types (no " BTF_DIRECTORY "/vmlinux): it was "
					"built without CONFIG_DEBUG_INFO_BTF; give a vmlinux with debug information"));
	if (path && access(path, F_OK))
		return error_create(ERROR_NOT_FOUND, "no types of the module '%s': it is not loaded, or was built without BTF", module);
	TRY(btf_types_open(kernel, path, &btf));
	*ret = xcalloc(1, sizeof(**ret));
	(*ret)->btf = btf;
	(*ret)->is_kernel = true;
	(*ret)->arch = sys_uname(sys, &uname) ? arch_native() : arch_by_uname(uname.machine);
	return NULL;
}

static struct strobe_error *find_function(struct probe_variables *v, const struct probe_site *site, struct btf_function *ret)
{
	if (!site->function || !btf_find_function(v->btf, site->function, ret))
		return error_create(ERROR_NOT_FOUND, "the kernel's types (BTF) do not describe a function '%s': it may be inlined, or not "
				    "written in C; registers (%%di) and $arg1 work without", site->function ? site->function : "");
	if (site->offset && !site->is_return)
		return error_create(ERROR_UNSUPPORTED, "without debug information, variables are known at the entry of a function only, "
				    "not at %s+%" PRIu64, site->function, site->offset);
	if (!call_convention_is_known(v->arch))
		return error_create(ERROR_UNSUPPORTED, "it is not known where functions of this machine (%s) find their arguments",
				    v->arch ? v->arch->name : "unknown");
	return NULL;
}

static struct locations *locate(const struct probe_variables *v, const struct btf_function *f, struct arena *arena)
{
	size_t n = f->parameters_nr;
	const struct type **types = arena_new_array(arena, const struct type *, n + 1);
	struct locations *at = arena_new_array(arena, struct locations, n + 1);
	for (size_t i = 0; i < n; i++)
		types[i] = f->parameters[i].type;
	call_convention_locate(v->arch, types, n, arena, at);
	return at;
}

struct strobe_error *probe_kernel_list(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
				       probe_variable_list *ret)
{
	struct btf_function f;
	TRY(find_function(v, site, &f));
	struct locations *at = locate(v, &f, arena);
	for (size_t i = 0; i < f.parameters_nr; i++) {
		struct probe_variable p = { .kind = PROBE_PARAMETER, .type = probe_type_name(f.parameters[i].type, arena),
					    .name = f.parameters[i].name, .is_alive = true };
		if (p.name && at[i].pieces[0].at.kind)
			vec_push(ret, p);
	}
	probe_variables_sort(ret);
	return NULL;
}

static struct strobe_error *no_parameter(const struct btf_function *f, const char *name)
{
	_cleanup_strbuf_ struct strbuf all = {};
	for (size_t i = 0; i < f->parameters_nr; i++)
		if (f->parameters[i].name)
			strbuf_addf(&all, "%s%s", all.len ? ", " : "", f->parameters[i].name);
	if (!all.len)
		return error_create(ERROR_NOT_FOUND, "%s has no parameters; '%s' requires debug information of the kernel", f->name, name);
	return error_create(ERROR_NOT_FOUND, "%s has no parameter '%s', it has %s; local variables require debug information of the kernel",
			    f->name, name, strbuf_str(&all));
}

static struct strobe_error *fetch_parameter(const struct probe_variables *v, const struct btf_function *f, const struct locations *at,
					    const struct fetch_path *path, const struct probe_argument *a, struct arena *arena,
					    probe_fetches *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	const struct fetch_machine machine = probe_fetch_machine(v);
	for (size_t i = 0; i < f->parameters_nr; i++) {
		if (!f->parameters[i].name || strcmp(f->parameters[i].name, path->variable) != 0)
			continue;
		struct fetch_value value = { path->variable, f->parameters[i].type, &at[i] };
		TRY(fetch_text(path, &value, &machine, a->type, a->in_user_memory, &text));
		vec_push(ret, ((struct probe_fetch){ probe_argument_name(path, a, arena), arena_strdup(arena, strbuf_str(&text)) }));
		return NULL;
	}
	return no_parameter(f, path->variable);
}

/* $vars, $params: without those that cannot be fetched. */
static void fetch_all(const struct probe_variables *v, const struct btf_function *f, const struct locations *at,
		      const struct probe_argument *a, struct arena *arena, probe_fetches *ret)
{
	for (size_t i = 0; i < f->parameters_nr; i++) {
		const char *name = f->parameters[i].name;
		const struct fetch_path path = { .variable = name, .last_name = name };
		if (name)
			error_destroy(fetch_parameter(v, f, at, &path, a, arena, ret));
	}
}

struct strobe_error *probe_kernel_fetch(struct probe_variables *v, const struct probe_site *site, const struct probe_argument *a,
					struct arena *arena, probe_fetches *ret)
{
	struct btf_function f;
	struct fetch_path path;
	TRY(find_function(v, site, &f));
	const struct locations *at = locate(v, &f, arena);
	if (!strcmp(a->value, "$vars") || !strcmp(a->value, "$params")) {
		fetch_all(v, &f, at, a, arena, ret);
		return NULL;
	}
	struct strobe_error *err = fetch_path_parse(a->value, arena, &path);
	if (!err && site->is_return)
		err = probe_fetch_returned(v, f.name, f.returned, &path, a, arena, ret);
	else if (!err)
		err = fetch_parameter(v, &f, at, &path, a, arena, ret);
	fetch_path_deinit(&path);
	return err;
}

struct strobe_error *probe_kernel_parameters(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
					     probe_values *ret, const struct type **ret_returned)
{
	struct btf_function f;
	TRY(find_function(v, site, &f));
	const struct locations *at = locate(v, &f, arena);
	for (size_t i = 0; i < f.parameters_nr; i++)
		vec_push(ret, ((struct probe_value){ f.parameters[i].name, f.parameters[i].type, at[i], false }));
	*ret_returned = f.returned;
	return NULL;
}
