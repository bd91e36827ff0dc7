#include "probe/variables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "probe/fetch.h"
#include "probe/scope.h"

struct probe_variables {
	struct probe_debug debug;
	struct dwarf_types *types;
	const char *path;
	struct arena arena;
};

struct strobe_error *probe_variables_of_program(struct object *object, const char *path, const struct probe_debug_options *options,
						struct probe_variables **ret)
{
	struct probe_debug debug;
	*ret = NULL;
	if (!probe_debug_open(object, path, options, &debug))
		return error_create(ERROR_NOT_FOUND,
				    "%s has no debug information: compile it with -g, or install its debug symbols (package -dbg or -dbgsym, "
				    "or set DEBUGINFOD_URLS)", path);
	struct probe_variables *v = xcalloc(1, sizeof(*v));
	v->debug = debug;
	v->types = dwarf_types_create(debug.dwarf);
	arena_init(&v->arena);
	v->path = arena_strdup(&v->arena, path);
	*ret = v;
	return NULL;
}

void probe_variables_close(struct probe_variables *v)
{
	if (!v)
		return;
	dwarf_types_destroy(v->types);
	probe_debug_close(&v->debug);
	arena_deinit(&v->arena);
	free(v);
}

const struct probe_debug *probe_variables_debug(const struct probe_variables *v)
{
	return &v->debug;
}

/* ---- a listing ---- */

static int compare_variables(const void *a, const void *b)
{
	const struct probe_variable *x = a, *y = b;
	int order = strcmp(x->type, y->type);
	order = order ? order : strcmp(x->name, y->name);
	return order ? order : strcmp(x->ranges ? x->ranges : "", y->ranges ? y->ranges : "");
}

/* Whether a debugger could say its value: as perf lists it, also where no probe can fetch it. */
static bool is_alive(const struct locations *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->pieces[i].at.kind || l->pieces[i].at.lack == LOCATION_COMPUTED)
			return true;
	return false;
}

static const char *type_name(const struct type *t, struct arena *arena)
{
	_cleanup_strbuf_ struct strbuf text = {};
	return arena_strdup(arena, type_text(t, &text) ? strbuf_str(&text) : "(unknown_type)");
}

static void add_variable(const struct probe_scope *s, const struct dwarf_variable *v, bool with_ranges, struct arena *arena,
			 probe_variable_list *ret)
{
	_cleanup_strbuf_ struct strbuf ranges = {};
	bool is_global = v->kind == DWARF_GLOBAL;
	struct locations at = probe_scope_locate(s, v);
	struct probe_variable add = { .kind = is_global ? PROBE_GLOBAL : v->kind == DWARF_PARAMETER ? PROBE_PARAMETER : PROBE_LOCAL };
	add.is_alive = v->in_scope && (is_global || is_alive(&at));
	if (with_ranges && !is_global)
		probe_scope_ranges(s, v, &ranges);
	if (!add.is_alive && !ranges.len)
		return;
	add.name = v->name;
	add.type = type_name(dwarf_types_of(s->types, &v->die), arena);
	if (ranges.len)
		add.ranges = arena_printf(arena, "@<%s+%s>", probe_scope_name(s), strbuf_str(&ranges));
	vec_push(ret, add);
}

struct externs {
	const struct probe_scope *scope;
	struct arena *arena;
	probe_variable_list *to;
};

/* A declaration alone is of what another unit defines. */
static bool add_extern(void *ctx, const struct dwarf_variable *v)
{
	struct externs *e = ctx;
	if (dwarf_die_has(&v->die, DW_AT_location) || dwarf_die_has(&v->die, DW_AT_external) || dwarf_die_has(&v->die, DW_AT_const_value))
		add_variable(e->scope, v, false, e->arena, e->to);
	return true;
}

/* One variable may be declared twice, and alive in two places. */
static void sort_variables(probe_variable_list *l)
{
	size_t n = 0;
	if (l->len)
		qsort(l->data, l->len, sizeof(*l->data), compare_variables);
	for (size_t i = 0; i < l->len; i++)
		if (!n || compare_variables(&l->data[n - 1], &l->data[i]))
			l->data[n++] = l->data[i];
	l->len = n;
}

struct strobe_error *probe_variables_list(struct probe_variables *v, const struct probe_site *site,
					  struct probe_variable_options options, struct arena *arena, probe_variable_list *ret)
{
	struct probe_scope s;
	TRY(probe_scope_open(&v->debug, v->types, site, arena, &s));
	for (size_t i = 0; i < s.variables.len; i++)
		if (s.variables.data[i].in_scope || options.ranges)
			add_variable(&s, &s.variables.data[i], options.ranges, arena, ret);
	struct externs e = { &s, arena, ret };
	if (options.externs)
		dwarf_each_global(&s.function, add_extern, &e);
	sort_variables(ret);
	probe_scope_close(&s);
	return NULL;
}

/* ---- fetch arguments ---- */

/*
 * A uprobe names a static address by an offset in the file, which it counts from where the probe is: what lies between them in
 * memory counts, not what lies between them in the file.
 */
struct static_addresses {
	const struct object *object;
	uint64_t site;
};

static bool add_static_address(void *ctx, uint64_t vaddr, struct strbuf *ret)
{
	const struct static_addresses *s = ctx;
	uint64_t offset;
	if (!object_offset_of_vaddr(s->object, s->site, &offset))
		return false;
	int64_t at = (int64_t)(vaddr - s->site + offset);
	if (at < 0)
		return false;
	strbuf_addf(ret, "@+0x%" PRIx64, (uint64_t)at);
	return true;
}

static bool is_optimised_out(const struct locations *l)
{
	return l->nr == 1 && l->pieces[0].at.lack == LOCATION_NOT_ALIVE;
}

/* The address of a variable that another unit defines, from the symbol table. */
static bool locate_extern(const struct probe_scope *s, const struct dwarf_variable *v, struct locations *ret)
{
	struct object_symtab t;
	if (!dwarf_die_has(&v->die, DW_AT_external) ||
	    (!object_symtab(probe_debug_file(s->debug), 2 /* SHT_SYMTAB */, &t) && !object_symtab(s->debug->object, 11 /* SHT_DYNSYM */, &t)))
		return false;
	for (size_t i = 1; i < t.count; i++) {
		struct object_symbol symbol = object_symbol(&t, i);
		if (!symbol.section || (symbol.info & 0xf) != 1 /* STT_OBJECT */ || strcmp(object_symbol_name(&t, &symbol), v->name) != 0)
			continue;
		struct location_piece p = { .at = { .kind = LOCATION_IN_MEMORY, .base = LOCATION_OF_ADDRESS, .start = symbol.value } };
		*ret = (struct locations){ arena_memdup(s->arena, &p, sizeof(p)), 1 };
		return true;
	}
	return false;
}

static struct strobe_error *not_alive(const struct probe_scope *s, const struct dwarf_variable *v)
{
	_cleanup_strbuf_ struct strbuf nearest = {};
	if (probe_scope_nearest(s, v, &nearest))
		return error_create(ERROR_NOT_FOUND, "'%s' has no value at %s+%" PRIu64 ": %s", v->name, probe_scope_name(s),
				    s->address - s->entry, strbuf_str(&nearest));
	return error_create(ERROR_NOT_FOUND, "'%s' has no value anywhere in %s: it was optimized out", v->name, probe_scope_name(s));
}

static struct strobe_error *fetch_variable(const struct probe_variables *v, const struct probe_scope *s, const struct dwarf_variable *var,
					   const struct fetch_path *path, const struct probe_argument *a, struct strbuf *ret)
{
	struct locations at = probe_scope_locate(s, var);
	if (is_optimised_out(&at) && !locate_extern(s, var, &at))
		return not_alive(s, var);
	if (!var->in_scope)
		return not_alive(s, var);
	struct fetch_value value = { var->name, dwarf_types_of(v->types, &var->die), &at };
	struct static_addresses addresses = { v->debug.object, s->address };
	struct fetch_machine machine = {
		.arch = s->arch, .pointer_bytes = s->arch ? s->arch->pointer_bytes : 8,
		.kernel_is_64bit = sizeof(void *) == 8, .address = add_static_address, .ctx = &addresses,
	};
	return fetch_text(path, &value, &machine, a->type, a->in_user_memory, ret);
}

/* "s_string": as perf calls an argument with a type. */
static const char *argument_name(const struct fetch_path *path, const struct probe_argument *a, struct arena *arena)
{
	if (a->name)
		return a->name;
	return path->steps.len || !a->type ? path->last_name : arena_printf(arena, "%s_%s", path->last_name, a->type);
}

static bool has_fetch(const probe_fetches *l, size_t from, const char *name)
{
	for (size_t i = from; i < l->len; i++)
		if (!strcmp(l->data[i].name, name))
			return true;
	return false;
}

/* $vars, $params: what cannot be fetched is left out. */
static struct strobe_error *fetch_all(const struct probe_variables *v, struct probe_scope *s, const struct probe_argument *a,
				      struct arena *arena, probe_fetches *ret)
{
	bool params = !strcmp(a->value, "$params");
	size_t before = ret->len;
	for (size_t i = 0, n = s->variables.len; i < n; i++) {
		_cleanup_strbuf_ struct strbuf text = {};
		const char *name = s->variables.data[i].name;
		bool is_chosen = s->variables.data[i].in_scope && (!params || s->variables.data[i].kind == DWARF_PARAMETER);
		if (!is_chosen || has_fetch(ret, before, name))
			continue;
		const struct fetch_path path = { .variable = name, .last_name = name };
		_cleanup_error_ struct strobe_error *err = fetch_variable(v, s, probe_scope_find(s, name), &path, a, &text);
		if (!err)
			vec_push(ret, ((struct probe_fetch){ name, arena_strdup(arena, strbuf_str(&text)) }));
	}
	return NULL;
}

static struct strobe_error *fetch_one(const struct probe_variables *v, struct probe_scope *s, const struct fetch_path *path,
				      const struct probe_argument *a, struct arena *arena, probe_fetches *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	const struct dwarf_variable *var = probe_scope_find(s, path->variable);
	if (!var)
		return error_create(ERROR_NOT_FOUND, "no variable '%s' in %s; -V lists those there are", path->variable, probe_scope_name(s));
	TRY(fetch_variable(v, s, var, path, a, &text));
	vec_push(ret, ((struct probe_fetch){ argument_name(path, a, arena), arena_strdup(arena, strbuf_str(&text)) }));
	return NULL;
}

/* In the register that the machine returns values in, where the type fits into it. */
static struct strobe_error *fetch_returned(const struct probe_variables *v, const struct probe_scope *s, const struct fetch_path *path,
					   const struct probe_argument *a, struct arena *arena, probe_fetches *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	const struct type *type = dwarf_types_of(v->types, &s->function), *value_type = type_strip(type);
	if (value_type && value_type->kind == TYPE_FLOAT)
		return error_create(ERROR_UNSUPPORTED, "%s returns a floating point number, in a register which the kernel does not give",
				    probe_scope_name(s));
	struct location_piece p = { .at = { .kind = LOCATION_IN_REGISTER, .reg = FETCH_RETVAL } };
	struct locations at = { &p, 1 };
	struct fetch_value value = { "$retval", type, &at };
	struct fetch_machine machine = { .arch = s->arch, .pointer_bytes = s->arch ? s->arch->pointer_bytes : 8,
					 .kernel_is_64bit = sizeof(void *) == 8 };
	TRY(fetch_text(path, &value, &machine, a->type, a->in_user_memory, &text));
	const char *name = path->steps.len ? argument_name(path, a, arena) : a->name;
	vec_push(ret, ((struct probe_fetch){ name, arena_strdup(arena, strbuf_str(&text)) }));
	return NULL;
}

static struct strobe_error *fetch_in_scope(const struct probe_variables *v, struct probe_scope *s, const struct probe_site *site,
					   const struct probe_argument *a, struct arena *arena, probe_fetches *ret)
{
	if (!strcmp(a->value, "$vars") || !strcmp(a->value, "$params"))
		return fetch_all(v, s, a, arena, ret);
	struct fetch_path path;
	struct strobe_error *err = fetch_path_parse(a->value, arena, &path);
	if (!err && site->is_return)
		err = fetch_returned(v, s, &path, a, arena, ret);
	else if (!err)
		err = fetch_one(v, s, &path, a, arena, ret);
	fetch_path_deinit(&path);
	return err;
}

struct strobe_error *probe_variables_fetch(struct probe_variables *v, const struct probe_site *site, const struct probe_argument *a,
					   struct arena *arena, probe_fetches *ret)
{
	bool is_retval = !strncmp(a->value, "$retval", strlen("$retval"));
	if (site->is_return != is_retval)
		return error_create(ERROR_USAGE, is_retval ? "'%s' is known where a function returns: add %%return to the place" :
				    "'%s' has no value any more where the function has returned to: only $retval has", a->value);
	struct probe_scope s;
	TRY(probe_scope_open(&v->debug, v->types, site, arena, &s));
	struct strobe_error *err = fetch_in_scope(v, &s, site, a, arena, ret);
	probe_scope_close(&s);
	return err;
}

/* ---- values ---- */

struct strobe_error *probe_variables_parameters(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
						probe_values *ret, const struct type **ret_returned)
{
	struct probe_scope s;
	TRY(probe_scope_open(&v->debug, v->types, site, arena, &s));
	for (size_t i = 0; i < s.variables.len; i++) {
		const struct dwarf_variable *var = &s.variables.data[i];
		if (var->kind != DWARF_PARAMETER || var->calls || !var->in_scope)
			continue;
		vec_push(ret, ((struct probe_value){ var->name, dwarf_types_of(v->types, &var->die), probe_scope_locate(&s, var) }));
	}
	*ret_returned = dwarf_types_of(v->types, &s.scope);
	probe_scope_close(&s);
	return NULL;
}
