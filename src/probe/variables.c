#include "probe/variables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "probe/scope.h"
#include "probe/variables_priv.h"

struct strobe_error *probe_variables_of_program(struct object *object, const char *path, const struct probe_debug_options *options,
						struct probe_variables **ret)
{
	struct probe_debug debug;
	*ret = NULL;
	if (!probe_debug_open(object, path, options, &debug))
		return error_create(ERROR_NOT_FOUND,
				    "%s has no debug information: compile it with -g, or install its debug symbols (package -dbg or "
				    "-dbgsym, or set DEBUGINFOD_URLS)", path);
	*ret = xcalloc(1, sizeof(**ret));
	(*ret)->debug = debug;
	(*ret)->types = dwarf_types_create(debug.dwarf);
	(*ret)->arch = object_header(object)->arch;
	return NULL;
}

struct strobe_error *probe_variables_of_kernel_file(struct object *object, const char *path, const struct probe_debug_options *options,
						    struct probe_variables **ret)
{
	TRY(probe_variables_of_program(object, path, options, ret));
	(*ret)->is_kernel = true;
	return NULL;
}

void probe_variables_close(struct probe_variables *v)
{
	if (!v)
		return;
	dwarf_types_destroy(v->types);
	probe_debug_close(&v->debug);
	btf_types_close(v->btf);
	free(v);
}

const struct probe_debug *probe_variables_debug(const struct probe_variables *v)
{
	return v->btf ? NULL : &v->debug;
}

/* The address of the site in the file; for the kernel by symbol, since it is relocated. */
void probe_variables_for_inline(struct probe_variables *v)
{
	v->is_inline = true;
}

static struct strobe_error *resolve_site(const struct probe_variables *v, const struct probe_site *site, struct probe_site *ret)
{
	struct object_symbol symbol;
	*ret = *site;
	if (!v->is_kernel)
		return NULL;
	if (site->function && object_find_function(probe_debug_file(&v->debug), site->function, &symbol)) {
		ret->address = symbol.value + site->offset;
		ret->function = site->inlined ? site->inlined : site->function;
		return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "no function '%s' in %s", site->function ? site->function : "",
			    object_name(probe_debug_file(&v->debug)));
}

static struct strobe_error *open_scope(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
				       struct probe_scope *ret)
{
	struct probe_site at;
	TRY(resolve_site(v, site, &at));
	return probe_scope_open(&v->debug, v->types, &at, arena, ret);
}

/* ---- a listing ---- */

static int compare_variables(const void *a, const void *b)
{
	const struct probe_variable *x = a, *y = b;
	int order = strcmp(x->type, y->type);
	order = order ? order : strcmp(x->name, y->name);
	return order ? order : strcmp(x->ranges ? x->ranges : "", y->ranges ? y->ranges : "");
}

/* Whether a debugger could show its value: as in perf it is listed even if no probe can fetch it. */
static bool is_alive(const struct locations *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->pieces[i].at.kind || l->pieces[i].at.lack == LOCATION_COMPUTED)
			return true;
	return false;
}

const char *probe_type_name(const struct type *t, struct arena *arena)
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
	add.type = probe_type_name(dwarf_types_of(s->types, &v->die), arena);
	if (ranges.len)
		add.ranges = arena_printf(arena, "@<%s+%s>", probe_scope_name(s), strbuf_str(&ranges));
	vec_push(ret, add);
}

struct externs {
	const struct probe_scope *scope;
	struct arena *arena;
	probe_variable_list *to;
};

/* A mere declaration is defined by another unit. */
static bool add_extern(void *ctx, const struct dwarf_variable *v)
{
	struct externs *e = ctx;
	if (dwarf_die_has(&v->die, DW_AT_location) || dwarf_die_has(&v->die, DW_AT_external) || dwarf_die_has(&v->die, DW_AT_const_value))
		add_variable(e->scope, v, false, e->arena, e->to);
	return true;
}

/* A variable may be declared twice, with two locations. */
void probe_variables_sort(probe_variable_list *l)
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
	if (v->btf)
		return probe_kernel_list(v, site, arena, ret);
	TRY(open_scope(v, site, arena, &s));
	s.facts.cfa = NULL; /* the frame is of no matter for whether a value is alive, and takes reading all call frame information */
	for (size_t i = 0; i < s.variables.len; i++)
		if (s.variables.data[i].in_scope || options.ranges)
			add_variable(&s, &s.variables.data[i], options.ranges, arena, ret);
	struct externs e = { &s, arena, ret };
	if (options.externs)
		dwarf_each_global(&s.function, add_extern, &e);
	probe_variables_sort(ret);
	probe_scope_close(&s);
	return NULL;
}

/* ---- fetch arguments ---- */

/*
 * A uprobe specifies a static address by a file offset relative to the probe: the distance in memory counts, not that in the file.
 */
struct static_addresses {
	const struct probe_debug *debug;
	uint64_t site;
	const char *variable;
};

static bool add_static_address(void *ctx, uint64_t vaddr, struct strbuf *ret)
{
	const struct static_addresses *s = ctx;
	uint64_t offset;
	if (!object_offset_of_vaddr(s->debug->object, s->site, &offset))
		return false;
	int64_t at = (int64_t)(vaddr - s->site + offset);
	if (at < 0)
		return false;
	strbuf_addf(ret, "@+0x%" PRIx64, (uint64_t)at);
	return true;
}

/* "@jiffies+4" */
static bool add_kernel_address(void *ctx, uint64_t vaddr, struct strbuf *ret)
{
	const struct static_addresses *s = ctx;
	struct object_symbol symbol;
	if (!object_find_variable(probe_debug_file(s->debug), s->variable, &symbol) || vaddr - symbol.value >= symbol.size)
		return false;
	strbuf_addf(ret, "@%s+%" PRIu64, s->variable, vaddr - symbol.value);
	return true;
}

static bool is_optimised_out(const struct locations *l)
{
	return l->nr == 1 && l->pieces[0].at.lack == LOCATION_NOT_ALIVE;
}

/* The address of a variable that another unit defines, from the symbol table. */
static bool locate_extern(const struct probe_scope *s, const struct dwarf_variable *v, struct locations *ret)
{
	struct object_symbol symbol;
	bool is_found = dwarf_die_has(&v->die, DW_AT_external) &&
			(object_find_variable(probe_debug_file(s->debug), v->name, &symbol) ||
			 object_find_variable(s->debug->object, v->name, &symbol));
	if (!is_found)
		return false;
	struct location_piece p = { .at = { .kind = LOCATION_IN_MEMORY, .base = LOCATION_OF_ADDRESS, .start = symbol.value } };
	*ret = (struct locations){ arena_memdup(s->arena, &p, sizeof(p)), 1 };
	return true;
}

static struct strobe_error *not_alive(const struct probe_scope *s, const struct dwarf_variable *v)
{
	_cleanup_strbuf_ struct strbuf nearest = {};
	if (probe_scope_nearest(s, v, &nearest))
		return error_create(ERROR_NOT_FOUND, "'%s' has no value at %s+%" PRIu64 ": %s", v->name, probe_scope_name(s),
				    s->address - s->entry, strbuf_str(&nearest));
	return error_create(ERROR_NOT_FOUND, "'%s' has no value anywhere in %s: it was optimized out", v->name, probe_scope_name(s));
}

static struct strobe_error *check_stored(const struct probe_scope *s, const struct dwarf_variable *v)
{
	uint64_t end;
	if (v->kind == DWARF_GLOBAL || !dwarf_is_in_own_frame(&v->die, &s->function) || !probe_scope_in_prologue(s, &end))
		return NULL;
	return error_create(ERROR_NOT_FOUND, "'%s' is not stored at %s+%" PRIu64 " yet: the prologue ends at %s+%" PRIu64, v->name,
			    probe_scope_name(s), s->address - s->entry, probe_scope_name(s), end - s->entry);
}

static struct strobe_error *fetch_variable(const struct probe_variables *v, const struct probe_scope *s, const struct dwarf_variable *var,
					   const struct fetch_path *path, const struct probe_argument *a, struct strbuf *ret)
{
	struct locations at = probe_scope_locate(s, var);
	if (is_optimised_out(&at) && !locate_extern(s, var, &at))
		return not_alive(s, var);
	if (!var->in_scope)
		return not_alive(s, var);
	TRY(check_stored(s, var));
	struct fetch_value value = { var->name, dwarf_types_of(v->types, &var->die), &at };
	struct static_addresses addresses = { &v->debug, s->address, var->name };
	struct fetch_machine machine = probe_fetch_machine(v);
	machine.address = v->is_kernel ? add_kernel_address : add_static_address;
	machine.ctx = &addresses;
	return fetch_text(path, &value, &machine, a->type, a->in_user_memory, ret);
}

static bool has_fetch(const probe_fetches *l, size_t from, const char *name)
{
	for (size_t i = from; i < l->len; i++)
		if (!strcmp(l->data[i].name, name))
			return true;
	return false;
}

/* $vars, $params: without those that cannot be fetched. */
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
		return error_create(ERROR_NOT_FOUND, "no variable '%s' in %s; -V lists its variables", path->variable,
				    probe_scope_name(s));
	TRY(fetch_variable(v, s, var, path, a, &text));
	vec_push(ret, ((struct probe_fetch){ probe_argument_name(path, a, arena), arena_strdup(arena, strbuf_str(&text)) }));
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
		err = probe_fetch_returned(v, probe_scope_name(s), dwarf_types_of(v->types, &s->function), &path, a, arena, ret);
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
	if (v->btf)
		return probe_kernel_fetch(v, site, a, arena, ret);
	struct probe_scope s;
	TRY(open_scope(v, site, arena, &s));
	struct strobe_error *err = fetch_in_scope(v, &s, site, a, arena, ret);
	probe_scope_close(&s);
	return err;
}

/* ---- values ---- */

struct strobe_error *probe_variables_parameters(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
						probe_values *ret, const struct type **ret_returned)
{
	struct probe_scope s;
	if (v->btf)
		return probe_kernel_parameters(v, site, arena, ret, ret_returned);
	TRY(open_scope(v, site, arena, &s));
	for (size_t i = 0; i < s.variables.len; i++) {
		const struct dwarf_variable *var = &s.variables.data[i];
		if (var->kind != DWARF_PARAMETER || var->calls || !var->in_scope)
			continue;
		vec_push(ret, ((struct probe_value){ var->name, dwarf_types_of(v->types, &var->die), probe_scope_locate(&s, var),
						     dwarf_is_in_own_frame(&var->die, &s.function) }));
	}
	*ret_returned = dwarf_types_of(v->types, &s.scope);
	probe_scope_close(&s);
	return NULL;
}
