#include "probe/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/text.h"
#include "object/dwarf/functions.h"

#define LINES_AFTER 3 /* number of lines shown after the last one with code */

/* ---- paths and patterns ---- */

bool probe_path_matches(const char *given, const char *path)
{
	size_t n = strlen(given), all = strlen(path);
	return n && n <= all && !strcmp(path + all - n, given) && (n == all || *given == '/' || path[all - n - 1] == '/');
}

static void add_without_blanks(struct strbuf *to, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (text[i] && !strchr(" \t\r\n", text[i]))
			strbuf_addch(to, text[i]);
}

bool probe_pattern_matches(const char *pattern, const char *text, size_t bytes)
{
	_cleanup_strbuf_ struct strbuf p = {}, t = {};
	add_without_blanks(&p, pattern, strlen(pattern));
	add_without_blanks(&t, text, bytes);
	return text_glob(strbuf_str(&p), strbuf_str(&t));
}

/* Tries the path below dir, then without its leading directories. NULL: not found. */
static char *path_below(const char *dir, const char *path)
{
	for (const char *rest = path; rest && *rest; rest = strchr(rest, '/')) {
		rest += *rest == '/';
		char *below = xasprintf("%s/%s", dir, rest);
		if (!access(below, R_OK))
			return below;
		free(below);
	}
	return NULL;
}

char *probe_source_path(const char *path, const char *source_dir)
{
	char *below = source_dir ? path_below(source_dir, path) : NULL;
	return below ? below : xstrdup(path);
}

struct strobe_error *probe_source_read(const char *path, const char *source_dir, struct lines *ret)
{
	_cleanup_free_ char *found = probe_source_path(path, source_dir);
	struct strobe_error *err = lines_read(found, ret);
	if (!error_is(err, ERROR_NOT_FOUND))
		return err;
	error_destroy(err);
	return error_create(ERROR_NOT_FOUND, "cannot find the source file %s: give the directory that has it with -s", path);
}

/* ---- functions of the source ---- */

/* A function as declared by one unit. */
struct source_function {
	struct dwarf_unit *unit;
	const char *name, *file;
	uint32_t line;
};

struct function_search {
	const struct probe_point *point;
	VEC(struct source_function) found;
	bool elsewhere; /* in another file */
};

static bool name_matches(void *ctx, const char *name)
{
	const struct function_search *s = ctx;
	return probe_name_matches(s->point->function, name);
}

static void take_function(void *ctx, const struct dwarf_code *code)
{
	struct function_search *s = ctx;
	if (!code->file || !code->line)
		return;
	if (s->point->file && !probe_path_matches(s->point->file, code->file)) {
		s->elsewhere = true;
		return;
	}
	for (size_t i = 0; i < s->found.len; i++) {
		const struct source_function *f = &s->found.data[i];
		if (f->unit == code->unit && f->line == code->line && !strcmp(f->file, code->file))
			return;
	}
	struct source_function fresh = { code->unit, code->name, code->file, code->line };
	vec_push(&s->found, fresh);
}

static struct strobe_error *no_debug_information(const struct probe_target *t)
{
	if (t->kind == PROBE_KERNEL)
		return error_create(ERROR_NOT_FOUND,
				    "%s has no debug information, which source lines need: install it, or name its vmlinux with -k",
				    probe_target_shown(t));
	return error_create(ERROR_NOT_FOUND,
			    "%s has no debug information, which source lines need: build it with -g, or install its debug symbols",
			    t->name);
}

static struct strobe_error *find_functions(struct probe_target *t, struct function_search *s)
{
	struct dwarf *dwarf = probe_target_dwarf(t);
	if (!dwarf)
		return no_debug_information(t);
	dwarf_each_code(dwarf, probe_name_alone(s->point->function), name_matches, take_function, s);
	if (!s->found.len && !s->elsewhere)
		TRY(probe_target_each_alias(t, s->point->function, take_function, s));
	if (s->found.len)
		return NULL;
	if (s->elsewhere)
		return error_create(ERROR_NOT_FOUND, "the function '%s' of %s is not in a source file '%s'", s->point->function,
				    probe_target_shown(t), s->point->file);
	return error_create(ERROR_NOT_FOUND, "no function '%s' in the debug information of %s", s->point->function, probe_target_shown(t));
}

/* ---- places ---- */

/* Code of a unit in a range of addresses. */
struct span {
	uint64_t start, end, max_end; /* max_end: of this one and all before it */
	uint32_t code;
};

/* All code of a unit, to find the functions around an address. */
struct unit_code {
	struct dwarf_unit *unit;
	VEC(struct dwarf_code) codes;
	VEC(struct span) spans; /* by start */
};

struct line_search {
	struct probe_target *target;
	struct dwarf *dwarf;
	const struct probe_point *point;
	const struct source_function *function; /* NULL: any */
	const char *source_dir;
	struct probe_places *places;
	uint32_t line;                 /* 0: those in `matching` */
	uint32_t next, previous;       /* the lines with code before and after it; 0: none */
	bool *matching;                /* by line, of `file` */
	size_t matching_nr, matches;
	const char *file;
	struct strobe_error *err;
	bool has_unit;
	struct unit_code around;
};

static void take_code(void *ctx, const struct dwarf_code *code, const struct dwarf_range *ranges, size_t n)
{
	struct unit_code *u = ctx;
	for (size_t i = 0; i < n; i++) {
		struct span span = { .start = ranges[i].start, .end = ranges[i].end, .code = (uint32_t)u->codes.len };
		vec_push(&u->spans, span);
	}
	vec_push(&u->codes, *code);
}

static int by_start(const void *a, const void *b)
{
	const struct span *l = a, *r = b;
	if (l->start != r->start)
		return l->start < r->start ? -1 : 1;
	return l->code < r->code ? -1 : l->code > r->code;
}

static void deinit_code(struct unit_code *u)
{
	vec_deinit(&u->codes);
	vec_deinit(&u->spans);
	*u = (struct unit_code){};
}

static void read_code(struct unit_code *u, struct dwarf_unit *unit)
{
	uint64_t max = 0;
	if (u->unit == unit)
		return;
	deinit_code(u);
	u->unit = unit;
	dwarf_each_code_of(unit, take_code, u);
	if (u->spans.len)
		qsort(u->spans.data, u->spans.len, sizeof(*u->spans.data), by_start);
	for (size_t i = 0; i < u->spans.len; i++) {
		max = u->spans.data[i].end > max ? u->spans.data[i].end : max;
		u->spans.data[i].max_end = max;
	}
}

/*
 * The function of a statement: among those around it that are declared in its file, the one declared nearest before it; else the
 * innermost. NULL: unknown.
 */
static const struct dwarf_code *function_of(const struct line_search *s, const struct dwarf_statement *at)
{
	const struct dwarf_code *best = NULL, *innermost = NULL;
	size_t n = vec_search(&s->around.spans, span, span->start <= at->addr);
	for (; n && s->around.spans.data[n - 1].max_end > at->addr; n--) {
		const struct span *span = &s->around.spans.data[n - 1];
		const struct dwarf_code *code = &s->around.codes.data[span->code];
		if (span->end <= at->addr)
			continue;
		if (!innermost || code > innermost) /* inlined functions come after the function */
			innermost = code;
		if (code->file && code->line <= at->line && (!best || code->line > best->line) && !strcmp(code->file, at->file))
			best = code;
	}
	return best ? best : innermost;
}

static void add_place(const struct line_search *s, const struct dwarf_statement *at)
{
	uint64_t address = at->addr + s->target->shift;
	for (size_t i = 0; i < s->places->list.len; i++)
		if (s->places->list.data[i].address == address)
			return;
	const struct dwarf_code *code = function_of(s, at);
	struct probe_place place = { .function = probe_target_function(s->target, address), .address = address,
				     .name = s->function ? s->function->name : code ? code->name : NULL,
				     .source_name = code ? code->name : NULL };
	if (place.function)
		place.offset = address - place.function->address;
	vec_push(&s->places->list, place);
}

static bool is_in_file(const struct line_search *s, const struct dwarf_statement *at)
{
	return s->function ? !strcmp(s->function->file, at->file) : probe_path_matches(s->point->file, at->file);
}

/* Whether it belongs to the function's own source. */
static bool belongs(const struct line_search *s, const struct dwarf_statement *at)
{
	const struct source_function *f = s->function;
	const struct dwarf_code *code = f ? function_of(s, at) : NULL;
	return !f || (code && code->line == f->line && code->file && !strcmp(code->file, f->file));
}

static void take_line(void *ctx, const struct dwarf_statement *at)
{
	struct line_search *s = ctx;
	if (!is_in_file(s, at))
		return;
	if (at->line == s->line)
		add_place(s, at);
	else if (!belongs(s, at))
		return;
	else if (at->line > s->line && (!s->next || at->line < s->next))
		s->next = at->line;
	else if (at->line < s->line && at->line > s->previous)
		s->previous = at->line;
}

/* Marks the lines of a file that the pattern matches; once for each file. */
static void match_file(struct line_search *s, const char *path)
{
	struct lines l;
	if (s->file && !strcmp(s->file, path))
		return;
	free(s->matching);
	s->matching = NULL;
	s->matching_nr = 0;
	s->file = path;
	struct strobe_error *err = probe_source_read(path, s->source_dir, &l);
	if (err) {
		s->err = error_first(s->err, err);
		return;
	}
	s->matching_nr = lines_count(&l) + 1;
	s->matching = xcalloc(s->matching_nr, sizeof(*s->matching));
	for (size_t i = 1; i < s->matching_nr; i++) {
		size_t bytes;
		const char *text = lines_get(&l, i, &bytes);
		s->matching[i] = text && probe_pattern_matches(s->point->pattern, text, bytes);
		s->matches += s->matching[i];
	}
	lines_deinit(&l);
}

static void take_match(void *ctx, const struct dwarf_statement *at)
{
	struct line_search *s = ctx;
	if (!is_in_file(s, at))
		return;
	match_file(s, at->file);
	if (at->line < s->matching_nr && s->matching[at->line] && belongs(s, at))
		add_place(s, at);
}

static void search_unit(struct line_search *s, struct dwarf_unit *u)
{
	s->has_unit = true;
	read_code(&s->around, u);
	dwarf_each_statement(u, s->around.codes.data, s->around.codes.len, s->point->pattern ? take_match : take_line, s);
}

static void search_functions(struct line_search *s, const struct function_search *functions)
{
	for (size_t i = 0; i < functions->found.len; i++) {
		s->function = &functions->found.data[i];
		s->line = s->function->line + s->point->line;
		search_unit(s, s->function->unit);
	}
}

static bool unit_matches(void *ctx, const char *path)
{
	const struct line_search *s = ctx;
	return probe_path_matches(s->point->file, path);
}

static void take_unit(void *ctx, struct dwarf_unit *u)
{
	search_unit(ctx, u);
}

/* Relative to the function's line, as typed. */
static struct strobe_error *no_code(const struct line_search *s)
{
	const struct probe_point *p = s->point;
	const char *name = p->function ? p->function : p->file;
	uint32_t base = s->function ? s->function->line : 0;
	if (!s->has_unit)
		return error_create(ERROR_NOT_FOUND, "no source file '%s' in the debug information of %s", p->file,
				    probe_target_shown(s->target));
	if (p->pattern && !s->matches)
		return error_create(ERROR_NOT_FOUND, "no line of '%s' matches '%s'", name, p->pattern);
	if (p->pattern)
		return error_create(ERROR_NOT_FOUND, "no line of '%s' that matches '%s' has code", name, p->pattern);
	uint32_t other = s->next ? s->next : s->previous;
	if (other && other >= base)
		return error_create(ERROR_NOT_FOUND, "line %" PRIu32 " of '%s' has no code: the %s that has is %s:%" PRIu32, p->line, name,
				    s->next ? "next" : "last", name, other - base);
	return error_create(ERROR_NOT_FOUND, "line %" PRIu32 " of '%s' has no code", p->line, name);
}

struct strobe_error *probe_lines_find(struct probe_target *t, const struct probe_point *p, const struct probe_search *search,
				      struct probe_places *ret)
{
	struct line_search s = { .target = t, .dwarf = probe_target_dwarf(t), .point = p, .source_dir = search->source_dir, .places = ret,
				 .line = p->line };
	struct function_search functions = { .point = p };
	if (!s.dwarf)
		return no_debug_information(t);
	struct strobe_error *err = p->function ? find_functions(t, &functions) : NULL;
	if (!err && p->function)
		search_functions(&s, &functions);
	else if (!err)
		dwarf_each_unit_of(s.dwarf, unit_matches, take_unit, &s);
	if (!err && !ret->list.len)
		err = s.err ? take_ptr(s.err) : no_code(&s);
	error_destroy(s.err);
	free(s.matching);
	deinit_code(&s.around);
	vec_deinit(&functions.found);
	return err;
}

/* ---- listings ---- */

/* Cuts ":FIRST[+COUNT|-LAST]" off. */
static struct strobe_error *parse_range(char *text, uint32_t *ret_first, uint32_t *ret_last)
{
	char *colon = strrchr(text, ':');
	uint64_t first = 0, last = UINT32_MAX;
	*ret_first = 0;
	*ret_last = UINT32_MAX;
	if (!colon || (colon > text && colon[-1] == ':'))
		return NULL;
	*colon = 0;
	char *sign = strpbrk(colon + 1, "+-"), kind = sign ? *sign : 0;
	if (sign)
		*sign = 0;
	if (!text_to_u64(colon + 1, &first) || (sign && !text_to_u64(sign + 1, &last)) || first > INT32_MAX)
		return error_create(ERROR_USAGE, "'%s' is not a range of lines: expected FIRST, FIRST+COUNT or FIRST-LAST", colon + 1);
	if (kind == '+' && (!last || last > INT32_MAX))
		return error_create(ERROR_USAGE, "'%s' is not a number of lines", sign + 1);
	if (kind == '+')
		last += first - 1;
	if (last < first || (kind && last > INT32_MAX))
		return error_create(ERROR_USAGE, "the range of lines ends before it begins");
	*ret_first = (uint32_t)first;
	*ret_last = (uint32_t)last;
	return NULL;
}

struct listing_search {
	struct line_search s;
	struct probe_listing *ret;
};

static void take_listed(void *ctx, const struct dwarf_statement *at)
{
	struct listing_search *l = ctx;
	struct probe_listing *ret = l->ret;
	if (at->line < ret->first || at->line > ret->last || !is_in_file(&l->s, at))
		return;
	if (ret->path && strcmp(ret->path, at->file))
		return; /* another file with the same path suffix */
	if (!belongs(&l->s, at))
		return;
	ret->path = at->file;
	vec_push(&ret->lines, at->line);
}

static void list_unit(void *ctx, struct dwarf_unit *u)
{
	struct listing_search *l = ctx;
	l->s.has_unit = true;
	read_code(&l->s.around, u);
	dwarf_each_statement(u, l->s.around.codes.data, l->s.around.codes.len, take_listed, l);
}

static bool listed_unit_matches(void *ctx, const char *path)
{
	return unit_matches(&((struct listing_search *)ctx)->s, path);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	return l < r ? -1 : l > r;
}

static void settle(struct probe_listing *l)
{
	size_t kept = 0;
	qsort(l->lines.data, l->lines.len, sizeof(*l->lines.data), by_number);
	for (size_t i = 0; i < l->lines.len; i++)
		if (!kept || l->lines.data[kept - 1] != l->lines.data[i])
			l->lines.data[kept++] = l->lines.data[i];
	l->lines.len = kept;
	if (l->last == UINT32_MAX)
		l->last = l->lines.data[kept - 1] + LINES_AFTER;
	l->is_whole = !l->first;
	if (!l->first)
		l->first = 1;
}

/* The first function of that name determines the file and lines; all units with it contribute lines with code. */
static struct strobe_error *list_function(struct probe_target *t, const struct probe_point *p, struct listing_search *l)
{
	struct function_search functions = { .point = p };
	struct strobe_error *err = find_functions(t, &functions);
	for (size_t i = 0; !err && i < functions.found.len; i++) {
		const struct source_function *f = &functions.found.data[i], *first = &functions.found.data[0];
		if (strcmp(f->file, first->file) || f->line != first->line)
			continue;
		if (!i) {
			l->ret->base = f->line;
			l->ret->first += f->line;
			if (l->ret->last != UINT32_MAX)
				l->ret->last += f->line;
		}
		l->s.function = f;
		list_unit(l, f->unit);
	}
	l->s.function = NULL;
	vec_deinit(&functions.found);
	return err;
}

struct strobe_error *probe_listing_find(struct probe_target *t, const char *text, struct arena *arena, struct probe_listing *ret)
{
	struct probe_point point = {};
	struct listing_search l = { .s = { .target = t, .dwarf = probe_target_dwarf(t), .point = &point }, .ret = ret };
	char *name = arena_strdup(arena, text);
	*ret = (struct probe_listing){};
	TRY(parse_range(name, &ret->first, &ret->last));
	if (!*name)
		return error_create(ERROR_USAGE, "a listing is of a function or of a source file: -L main, -L main.c:10-20");
	if (!l.s.dwarf)
		return no_debug_information(t);
	char *at = strchr(name, '@');
	bool in_file = at == name || (!at && strpbrk(name, "/.")); /* "@b.c", as a place may be written */
	name += at == name;
	if (at)
		*at = 0;
	if (at && at >= name)
		point.file = at + 1;
	*(in_file ? &point.file : &point.function) = probe_unquote(name);
	struct strobe_error *err = point.function ? list_function(t, &point, &l) : NULL;
	if (!point.function)
		dwarf_each_unit_of(l.s.dwarf, listed_unit_matches, list_unit, &l);
	if (!err && !l.s.has_unit)
		err = error_create(ERROR_NOT_FOUND, "no source file '%s' in the debug information of %s", name, probe_target_shown(t));
	if (!err && !ret->lines.len)
		err = error_create(ERROR_NOT_FOUND, "no line of '%s' has code there", text);
	ret->function = point.function;
	deinit_code(&l.s.around);
	if (err)
		probe_listing_deinit(ret);
	else
		settle(ret);
	return err;
}

void probe_listing_deinit(struct probe_listing *l)
{
	vec_deinit(&l->lines);
}
