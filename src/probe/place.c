#include "probe/place.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "demangle/demangle.h"
#include "disasm/disasm.h"
#include "object/dwarf/functions.h"
#include "probe/cache.h"
#include "probe/forbidden.h"
#include "probe/lines.h"
#include "probe/markers.h"
#include "probe/variables.h"

#define FETCH_NAME_MAX 31 /* letters of an argument's name, by the kernel's MAX_ARG_NAME_LEN */
#define PATH_SHOWN_MAX 30 /* maximum length of a source file's path in listings */

/* ---- functions and addresses ---- */

static const char *nearest_function(struct probe_functions *f, const char *name)
{
	probe_functions_sort(f);
	const char **names = xcalloc(f->list.len + 1, sizeof(*names));
	size_t n = 0;
	for (size_t i = 0; i < f->list.len; i++)
		if (f->list.data[i].is_code)
			names[n++] = f->list.data[i].name;
	const char *nearest = text_nearest(name, names, n);
	free(names);
	return nearest;
}

/* Found candidates that are not usable, for the error. */
struct leftovers {
	bool has_data, has_inlined, is_elsewhere;
};

static struct strobe_error *not_found(struct probe_target *t, const struct probe_point *p, const struct leftovers *l)
{
	const char *name = p->function, *where = probe_target_shown(t), *nearest = nearest_function(&t->functions, name);
	if (!t->functions.list.len)
		return error_create(ERROR_NOT_FOUND, "%s has no symbols: install its debug symbols, or give an address (0x…)", where);
	if (l->has_inlined && p->is_return)
		return error_create(ERROR_USAGE, "'%s' of %s has no return to probe: it is inlined everywhere", name, where);
	if (l->has_inlined)
		return error_create(ERROR_USAGE, "'%s' of %s is inlined everywhere: omit --no-inlines to probe it there", name, where);
	if (l->is_elsewhere)
		return error_create(ERROR_NOT_FOUND, "the function '%s' of %s is not in a source file '%s'", name, where, p->file);
	if (l->has_data)
		return error_create(ERROR_USAGE, "'%s' of %s is data: probes are for code", name, where);
	if (nearest && strcmp(nearest, name) != 0 && !strpbrk(name, "*?["))
		return error_create(ERROR_NOT_FOUND, "no function '%s' in %s; did you mean '%s'?", name, where, nearest);
	if (t->kind == PROBE_PROGRAM && !object_find_section(t->object, ".symtab") && !probe_target_dwarf(t))
		return error_create(ERROR_NOT_FOUND, "no function '%s' in %s, which is stripped: install its debug symbols, or give an "
				    "address (0x…)", name, where);
	return error_create(ERROR_NOT_FOUND, "no function '%s' in %s; -F lists its functions", name, where);
}

/* Without sections, whatever is in a segment of code. */
static bool is_code_of_file(const struct object *o, uint64_t address)
{
	for (size_t i = 0; i < object_segments_count(o); i++) {
		const struct object_segment *s = object_segment(o, i);
		if (s->type == PT_LOAD && s->flags & PF_X && address >= s->vaddr && address - s->vaddr < s->file_bytes)
			return true;
	}
	return !object_segments_count(o);
}

static struct strobe_error *find_address(struct probe_target *t, uint64_t address, struct probe_places *ret)
{
	uint64_t offset;
	const struct probe_function *f = probe_target_function(t, address);
	bool is_code = f && (!f->bytes || address - f->address < f->bytes);
	if (t->object && !object_offset_of_vaddr(t->object, address, &offset))
		return error_create(ERROR_USAGE, "the address %#" PRIx64 " is outside of %s", address, t->name);
	if (t->kind == PROBE_PROGRAM && !is_code_of_file(t->object, address))
		return error_create(ERROR_USAGE, "there is data at the address %#" PRIx64 " of %s: probes are for code", address, t->name);
	if (!t->object && !is_code)
		return error_create(ERROR_USAGE, "the address %#" PRIx64 " is not in a function of %s", address, probe_target_shown(t));
	struct probe_place place = { .address = address };
	vec_push(&ret->list, place);
	return NULL;
}

/* The matching name: the symbol, or for patterns like "ns::f" the demangled one; NULL: neither. */
static const char *matching_name(const struct probe_point *p, const struct probe_function *f, bool is_qualified, struct arena *arena)
{
	if (probe_name_matches(p->function, f->name))
		return f->name;
	_cleanup_free_ char *shown = is_qualified && demangle_is_mangled(f->name) ? demangle_name(f->name) : NULL;
	return shown && probe_name_matches(p->function, shown) ? arena_strdup(arena, shown) : NULL;
}

static struct strobe_error *add_symbols(const struct probe_target *t, const struct probe_point *p, struct probe_places *ret,
					struct leftovers *l)
{
	bool is_glob = strpbrk(p->function, "*?["), is_qualified = strstr(p->function, "::");
	for (size_t i = 0; i < t->functions.list.len; i++) {
		const struct probe_function *f = &t->functions.list.data[i];
		const char *name = matching_name(p, f, is_qualified, &ret->arena);
		if (!name)
			continue;
		l->has_data |= !f->is_code;
		bool is_outside = f->bytes && p->offset >= f->bytes;
		if (!f->is_code || (is_outside && is_glob))
			continue;
		if (is_outside)
			return error_create(ERROR_USAGE, "'%s' of %s has %" PRIu64 " bytes: +%" PRIu64 " is after its end", f->name,
					    probe_target_shown(t), f->bytes, p->offset);
		struct probe_place place = { .function = f, .address = f->address + p->offset, .offset = p->offset, .name = name };
		vec_push(&ret->list, place);
	}
	return NULL;
}

/* For a glob on the running kernel, functions that cannot be probed are left out: one would make all fail. */
static void leave_out_forbidden(const struct probe_target *t, struct probe_places *p)
{
	struct probe_forbidden forbidden;
	size_t kept = 0, found = p->list.len;
	if (t->kind != PROBE_KERNEL || t->object || *t->name)
		return;
	probe_forbidden_read(t->sys, &t->functions, &forbidden);
	for (size_t i = 0; i < found; i++)
		if (!probe_forbidden_has(&forbidden, p->list.data[i].function->name))
			p->list.data[kept++] = p->list.data[i];
	p->list.len = kept;
	probe_forbidden_deinit(&forbidden);
	if (kept < found)
		log_warn("%zu of %zu functions cannot be probed (the kernel's blacklist of kprobes, notrace) and are skipped",
			 found - kept, found);
}

struct code_search {
	struct probe_target *target;
	const struct probe_point *point;
	const struct probe_search *search;
	struct probe_places *ret;
	struct leftovers *leftovers;
};

static bool name_matches(void *ctx, const char *name)
{
	const struct code_search *s = ctx;
	return probe_name_matches(s->point->function, name);
}

static void take_code(void *ctx, const struct dwarf_code *code)
{
	struct code_search *s = ctx;
	const struct probe_point *p = s->point;
	if (p->file && (!code->file || !probe_path_matches(p->file, code->file))) {
		s->leftovers->is_elsewhere = true;
		return;
	}
	if (code->is_inlined && (p->is_return || s->search->no_inlines)) {
		s->leftovers->has_inlined = true;
		return;
	}
	uint64_t address = code->entry + s->target->shift + p->offset;
	struct probe_place place = { .function = probe_target_function(s->target, address), .address = address, .name = code->name,
				     .source_name = code->name, .is_inlined = code->is_inlined };
	if (place.function)
		place.offset = address - place.function->address;
	vec_push(&s->ret->list, place);
}

static struct strobe_error *find_functions(struct probe_target *t, const struct probe_point *p, const struct probe_search *search,
					   struct probe_places *ret)
{
	struct leftovers l = {};
	struct code_search s = { t, p, search, ret, &l };
	struct dwarf *dwarf = probe_target_dwarf(t);
	if (p->file && !dwarf)
		return error_create(ERROR_NOT_FOUND, "%s has no debug information, which says what source file a function is in",
				    probe_target_shown(t));
	if (dwarf)
		dwarf_each_code(dwarf, probe_name_alone(p->function), name_matches, take_code, &s);
	if (!p->file)
		TRY(add_symbols(t, p, ret, &l));
	else if (!ret->list.len)
		TRY(probe_target_each_alias(t, p->function, take_code, &s));
	if (!dwarf && strpbrk(p->function, "*?["))
		leave_out_forbidden(t, ret);
	return ret->list.len ? NULL : not_found(t, p, &l);
}

/* ---- all places ---- */

static int by_address(const void *a, const void *b)
{
	const struct probe_place *l = a, *r = b;
	if (l->address != r->address)
		return l->address < r->address ? -1 : 1;
	/* first those with debug information, and a function before one inlined at its entry */
	return (int)l->is_inlined - (int)r->is_inlined;
}

static void settle(struct probe_places *p)
{
	size_t kept = 0;
	qsort(p->list.data, p->list.len, sizeof(*p->list.data), by_address);
	for (size_t i = 0; i < p->list.len; i++)
		if (!kept || p->list.data[kept - 1].address != p->list.data[i].address)
			p->list.data[kept++] = p->list.data[i];
	p->list.len = kept;
}

static bool has_variables(const struct probe_definition *d)
{
	for (size_t i = 0; i < d->arguments.len; i++)
		if (probe_argument_is_variable(&d->arguments.data[i]))
			return true;
	return false;
}

/* As in perf, places at unoptimised functions are moved after the prologue, where parameters are valid. */
static void pass_prologues(struct probe_target *t, const struct probe_definition *d, struct probe_places *places)
{
	const struct probe_point *p = &d->point;
	struct dwarf *dwarf = probe_target_dwarf(t);
	uint64_t end;
	if (!dwarf || !p->function || p->offset || p->line || p->pattern || p->is_return || !has_variables(d))
		return;
	for (size_t i = 0; i < places->list.len; i++) {
		struct probe_place *place = &places->list.data[i];
		if (place->is_inlined || !dwarf_prologue(dwarf, place->address - t->shift, &end))
			continue;
		place->offset += end + t->shift - place->address;
		place->address = end + t->shift;
		place->is_after_prologue = true;
	}
}

/* A marker of the file, or a cached definition. */
static struct strobe_error *find_marker(struct probe_target *t, const char *name, struct probe_places *ret)
{
	if (probe_cache_find(t->files.buildid_dir, t, name, ret))
		return NULL;
	struct strobe_error *err = probe_markers_find(t, name, ret);
	if (!error_is(err, ERROR_NOT_FOUND) || !probe_cache_has_older(t->files.buildid_dir, t, name))
		return err;
	error_destroy(err);
	return error_create(ERROR_NOT_FOUND, "the cached probe '%s' is of an older %s, which was replaced: define it again with --cache -f",
			    name, probe_target_shown(t));
}

static struct strobe_error *find(struct probe_target *t, const struct probe_definition *d, const struct probe_search *search,
				 struct probe_places *ret)
{
	const struct probe_point *p = &d->point;
	if (p->marker)
		return find_marker(t, p->marker, ret);
	if (p->is_address)
		return find_address(t, p->offset, ret);
	/* "FUNC:0" is the function */
	if (p->pattern || !p->function || (p->has_line && p->line))
		return probe_lines_find(t, p, search, ret);
	return find_functions(t, p, search, ret);
}

/*
 * An offset within an instruction: the kernel would overwrite part of it, and the program would execute something else. For its own
 * code the kernel checks that. Not checked if instructions cannot be decoded here.
 */
static struct strobe_error *check_boundary(struct probe_target *t, const struct probe_place *p)
{
	const struct probe_function *f = probe_target_function(t, p->address);
	struct disasm *disasm;
	struct insn insn;
	size_t n = 0;
	uint64_t offset = f ? p->address - f->address : 0, at = 0;
	const uint8_t *code = offset ? object_bytes_at(t->object, f->address, &n) : NULL;
	if (!code || offset >= n || (f->bytes && offset >= f->bytes))
		return NULL;
	_cleanup_error_ struct strobe_error *err = disasm_create(object_header(t->object)->arch, DISASM_USUAL, DISASM_ATT, &disasm);
	if (err)
		return NULL;
	while (at < offset) {
		bool is_known = disasm_decode(disasm, code + at, n - at, f->address + at, &insn);
		size_t bytes = is_known ? insn.bytes : disasm_unknown_bytes(disasm, code + at, n - at);
		at += bytes ? bytes : 1;
	}
	disasm_destroy(disasm);
	if (at == offset)
		return NULL;
	const char *name = p->name ? p->name : f->name;
	return error_create(ERROR_USAGE, "%s+%" PRIu64 " is within an instruction: the next one begins at %s+%" PRIu64, name, offset,
			    name, at);
}

static struct strobe_error *check_places(struct probe_target *t, const struct probe_point *p, const struct probe_search *search,
					 const struct probe_places *places)
{
	uint32_t max = search->max_places ? search->max_places : PROBE_PLACES_MAX;
	if (places->list.len > max)
		return error_create(ERROR_LIMIT, "the definition matches %zu places, more than %" PRIu32 ": allow them with "
				"--max-probes=%zu",
				    places->list.len, max, places->list.len);
	for (size_t i = 0; i < places->list.len && p->offset && t->kind == PROBE_PROGRAM; i++)
		TRY(check_boundary(t, &places->list.data[i]));
	return NULL;
}

struct strobe_error *probe_places_find(struct probe_target *t, const struct probe_definition *d, const struct probe_search *search,
				       struct probe_places *ret)
{
	*ret = (struct probe_places){};
	arena_init(&ret->arena);
	struct strobe_error *err = probe_target_need_functions(t);
	err = err ? err : find(t, d, search, ret);
	if (!err) {
		settle(ret);
		pass_prologues(t, d, ret);
	}
	err = err ? err : check_places(t, &d->point, search, ret);
	if (err)
		probe_places_deinit(ret);
	return err;
}

void probe_places_deinit(struct probe_places *places)
{
	vec_deinit(&places->list);
	arena_deinit(&places->arena);
}

/* ---- lines for tracefs ---- */

static struct strobe_error *add_program_place(const struct probe_target *t, const struct probe_place *p, struct strbuf *ret)
{
	uint64_t offset;
	if (!object_offset_of_vaddr(t->object, p->address, &offset))
		return error_create(ERROR_USAGE, "'%s' is outside of the file %s", p->function ? p->function->name : "the address",
				    t->name);
	if (strpbrk(t->name, " \t\n"))
		return error_create(ERROR_UNSUPPORTED, "the kernel does not accept blanks in paths: specify a link to '%s'",
				    t->name);
	strbuf_addf(ret, "%s:%#" PRIx64, t->name, offset);
	if (p->semaphore)
		strbuf_addf(ret, "(%#" PRIx64 ")", p->semaphore);
	return NULL;
}

/* An address is relative to _text, so that it is valid after a reboot; a return probe needs a function by name. */
static void add_kernel_place(const struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
			     struct strbuf *ret)
{
	if (*t->name && p->function)
		strbuf_addf(ret, "%s:%s+%" PRIu64, t->name, p->function->name, p->offset);
	else if (d->point.is_return && p->function)
		strbuf_addf(ret, "%s+%" PRIu64, p->function->name, p->offset);
	else if (t->functions.text && p->address >= t->functions.text)
		strbuf_addf(ret, "%s+%" PRIu64, t->functions.text_name, p->address - t->functions.text);
	else
		strbuf_addf(ret, "%#" PRIx64, p->address);
}

struct probe_site probe_place_site(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p)
{
	struct probe_site site = { .address = p->address - t->shift, .function = p->source_name, .offset = p->offset,
				   .is_return = d->point.is_return };
	struct dwarf_code codes[DWARF_FRAMES_MAX];
	if (t->kind == PROBE_KERNEL) {
		site.function = p->function ? p->function->name : NULL;
		site.inlined = p->is_inlined ? p->source_name : NULL;
		return site;
	}
	/* another name of a function: uses the outermost function at the address */
	struct dwarf *dwarf = site.function || d->point.is_address ? NULL : probe_target_dwarf(t);
	unsigned n = dwarf ? dwarf_code_at(dwarf, site.address, codes) : 0;
	if (n)
		site.function = codes[n - 1].name;
	return site;
}

static bool is_named(const struct probe_definition *d, const struct strbuf *line, const char *name)
{
	_cleanup_free_ char *key = xasprintf(" %s=", name);
	for (size_t i = 0; i < d->arguments.len; i++)
		if (d->arguments.data[i].name && !strcmp(d->arguments.data[i].name, name))
			return true;
	return strstr(strbuf_str(line), key);
}

/* An argument without a name has its variable's, which others may have ("p->a[1] p->a[2]"): the kernel refuses two of one name. */
static const char *name_fetch(const struct probe_definition *d, const struct strbuf *line, const char *name, struct arena *arena)
{
	const char *unique = arena_printf(arena, "%.*s", FETCH_NAME_MAX, name);
	for (unsigned i = 1; is_named(d, line, unique) && i < 1000; i++)
		unique = arena_printf(arena, "%.*s_%u", FETCH_NAME_MAX - 4, name, i);
	return unique;
}

/* An argument with a variable may expand to several. */
static struct strobe_error *add_variable(struct probe_target *t, const struct probe_site *site, const struct probe_definition *d,
					 const struct probe_argument *a, struct strbuf *ret)
{
	struct probe_variables *variables;
	struct arena arena;
	probe_fetches fetches = {};
	TRY(probe_target_variables(t, &variables));
	arena_init(&arena);
	struct strobe_error *err = probe_variables_fetch(variables, site, a, &arena, &fetches);
	for (size_t i = 0; i < fetches.len && !err; i++) {
		const struct probe_fetch *f = &fetches.data[i];
		const char *name = f->name && !a->name ? name_fetch(d, ret, f->name, &arena) : f->name;
		strbuf_addf(ret, " %s%s%s", name ? name : "", name ? "=" : "", f->text);
	}
	vec_deinit(&fetches);
	arena_deinit(&arena);
	return err;
}

/* "$arg2:string" of a marker whose arguments are " arg1=%di:s32 arg2=%bp:u64": " arg2=+0(%bp):string", where the pointer leads. */
static struct strobe_error *add_passed(const struct probe_definition *d, const struct probe_place *p, const struct probe_argument *a,
				       struct strbuf *ret)
{
	_cleanup_free_ char *key = xasprintf(" %s=", a->value + 1);
	const char *at = p->arguments ? strstr(p->arguments, key) : NULL;
	if (!at)
		return error_create(ERROR_NOT_FOUND, "the marker '%s' has no argument '%s'; it has:%s", d->point.marker, a->value,
				    p->arguments && *p->arguments ? p->arguments : " none");
	at += strlen(key);
	size_t all = strcspn(at, " "), n = strcspn(at, " :");
	bool is_text = a->type && (!strcmp(a->type, "string") || !strcmp(a->type, "ustring"));
	strbuf_addf(ret, " %s=%s%.*s%s", a->name ? a->name : a->value + 1, !is_text ? "" : a->in_user_memory ? "+u0(" : "+0(", (int)n, at,
		    is_text ? ")" : "");
	if (a->type)
		strbuf_addf(ret, ":%s", a->type);
	else
		strbuf_add(ret, at + n, all - n);
	return NULL;
}

struct strobe_error *probe_place_arguments(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
					   struct strbuf *ret)
{
	struct probe_site site = {};
	bool has_site = false;
	for (size_t i = 0; d->point.marker && i < d->arguments.len; i++)
		TRY(add_passed(d, p, &d->arguments.data[i], ret));
	if (d->point.marker && d->arguments.len)
		return NULL;
	if (p->arguments)
		strbuf_addstr(ret, p->arguments);
	for (size_t i = 0; i < d->arguments.len; i++) {
		const struct probe_argument *a = &d->arguments.data[i];
		if (!probe_argument_is_variable(a)) {
			strbuf_addch(ret, ' ');
			probe_argument_text(a, ret);
			continue;
		}
		if (!has_site)
			site = probe_place_site(t, d, p);
		has_site = true;
		TRY(add_variable(t, &site, d, a, ret));
	}
	return NULL;
}

struct strobe_error *probe_place_line(struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
				      const char *group, const char *event, struct strbuf *ret)
{
	strbuf_addf(ret, "%c:%s/%s ", d->point.is_return ? 'r' : 'p', group, event);
	if (t->kind == PROBE_KERNEL)
		add_kernel_place(t, d, p, ret);
	else
		TRY(add_program_place(t, p, ret));
	return probe_place_arguments(t, d, p, ret);
}

/* ---- the way back ---- */

bool probe_place_of_installed(const struct probe_target *t, const struct probe_installed *event, uint64_t *ret_address)
{
	if (t->kind == PROBE_PROGRAM)
		return object_vaddr_of_offset(t->object, event->offset, ret_address);
	*ret_address = event->offset;
	if (!*event->symbol)
		return true;
	if (t->functions.text && !strcmp(event->symbol, t->functions.text_name)) {
		*ret_address += t->functions.text;
		return true;
	}
	for (size_t i = 0; i < t->functions.list.len; i++)
		if (!strcmp(t->functions.list.data[i].name, event->symbol)) {
			*ret_address += t->functions.list.data[i].address;
			return true;
		}
	return false;
}

/* The end of a long path, from the start of a component. */
static const char *shortened(const char *path)
{
	size_t n = strlen(path);
	if (n <= PATH_SHOWN_MAX)
		return path;
	const char *end = path + n - PATH_SHOWN_MAX, *slash = strchr(end, '/');
	return slash ? slash + 1 : end;
}

/* The source location of an address. */
struct source_place {
	const char *function, *file;
	int64_t line;    /* relative to the declaration of the function; 0: its entry, or unknown */
	uint64_t offset; /* used if the line is unknown */
};

/*
 * Uses the innermost function at an address, to which the line belongs; at the entry of an inlined function it is the line of the call in
 * the outer one.
 */
static bool find_source(struct dwarf *dwarf, uint64_t addr, struct source_place *ret)
{
	struct dwarf_code codes[DWARF_FRAMES_MAX];
	struct dwarf_frame at;
	unsigned n = dwarf ? dwarf_code_at(dwarf, addr, codes) : 0;
	if (!n || !codes[n - 1].name)
		return false;
	const struct dwarf_code *outer = &codes[n - 1], *in = outer;
	*ret = (struct source_place){ .function = outer->name, .file = outer->file };
	if (addr == outer->entry)
		return true;
	uint32_t line = dwarf_line(dwarf, addr, &at) ? at.line : 0;
	const char *file = at.file;
	for (unsigned i = n - 1; i-- > 0;) {
		if (codes[i].entry == addr) {
			line = codes[i].call_line;
			file = codes[i].call_file;
			break;
		}
		in = &codes[i];
	}
	bool is_known = line && in->line && in->name && in->file && file && !strcmp(in->file, file) && line >= in->line;
	if (!is_known) {
		ret->offset = addr - outer->entry;
		return true;
	}
	*ret = (struct source_place){ .function = in->name, .file = file, .line = (int64_t)line - in->line };
	return true;
}

void probe_address_text(struct probe_target *t, uint64_t address, bool is_return, struct strbuf *ret)
{
	struct dwarf *dwarf = probe_target_dwarf(t);
	struct source_place p;
	const struct probe_function *f = probe_target_function(t, address);
	if (!find_source(dwarf, address - t->shift, &p)) {
		p = (struct source_place){ .function = f ? f->name : NULL, .offset = f ? address - f->address : 0 };
		if (f && f->bytes && p.offset >= f->bytes)
			p.function = NULL;
	}
	if (p.function)
		strbuf_addstr(ret, p.function);
	else
		strbuf_addf(ret, "%#" PRIx64, address);
	if (p.function && p.offset)
		strbuf_addf(ret, "+%" PRIu64, p.offset);
	if (p.line)
		strbuf_addf(ret, ":%" PRId64, p.line);
	if (is_return)
		strbuf_addstr(ret, "%return");
	if (p.file)
		strbuf_addf(ret, "@%s", shortened(p.file));
}
