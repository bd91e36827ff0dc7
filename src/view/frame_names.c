#include "view/frame_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/script_names.h"
#include "base/text.h"

void frame_names_init(struct frame_names *n, const struct profile *p, struct frame_names_options options)
{
	*n = (struct frame_names){ .profile = p, .options = options };
	strtab_init(&n->strings);
	n->memo = xcalloc(p->frames.len * 2 + 1, sizeof(*n->memo));
	n->process_memo = xcalloc((size_t)p->labels_nr + 1, sizeof(*n->process_memo));
}

void frame_names_deinit(struct frame_names *n)
{
	strtab_deinit(&n->strings);
	vec_deinit(&n->names);
	vec_deinit(&n->lists);
	idset_deinit(&n->index);
	free(n->memo);
	free(n->process_memo);
	strbuf_deinit(&n->scratch);
	strbuf_deinit(&n->piece);
}

static bool name_eq(const void *table, uint32_t id, const void *key)
{
	const struct frame_name *a = &((const struct frame_names *)table)->names.data[id], *b = key;
	return a->text == b->text && a->module == b->module && a->kind == b->kind;
}

static name_id intern(struct frame_names *n, const struct frame_name *name)
{
	uint64_t hash = hash_combine(hash_u64((uint64_t)name->text << 32 | name->module), name->kind);
	name_id id = idset_intern(&n->index, hash, name_eq, n, name, n->names.len);
	if (id == n->names.len)
		vec_push(&n->names, *name);
	return id;
}

/* Text from a recording, without characters that break lines or control terminals. */
static void add_plain(struct strbuf *b, const char *s)
{
	struct out out;
	size_t bytes;
	out_init_mem(&out);
	out_text(&out, s, strlen(s));
	const char *plain = out_mem(&out, &bytes);
	strbuf_add(b, plain, bytes);
	error_destroy(out_close(&out));
}

/* ---- modules ---- */

struct module {
	const char *name; /* short */
	const char *path; /* as `perf script` prints it: for the kernel its short name */
	bool is_kernel, is_jit;
	bool is_waker; /* a frame of the waker */
};

/* prefix, a number, suffix */
static bool is_numbered(const char *path, const char *prefix, const char *suffix)
{
	const char *at = strstr(path, prefix);
	size_t digits = at ? strspn(at + strlen(prefix), "0123456789") : 0;
	return digits && text_has_prefix(at + strlen(prefix) + digits, suffix);
}

/* "/tmp/perf-123.map", and what perf inject makes of a jitdump: "jitted-123-45.so" */
static bool is_made_by_jit(const char *path)
{
	return is_numbered(path, "/tmp/perf-", ".map") || (is_numbered(path, "/jitted-", "-") && text_has_suffix(path, ".so"));
}

static struct module module_of(const struct profile *p, const struct profile_frame *f)
{
	struct module m = { .name = "", .path = "[unknown]" };
	m.is_kernel = f->space == SPACE_KERNEL || f->space == SPACE_GUEST_KERNEL;
	m.is_waker = f->flags & FRAME_WAKER;
	if (f->mapping == PROFILE_NONE)
		return m;
	const struct profile_mapping *map = &p->mappings.data[f->mapping];
	m.is_kernel |= map->space == SPACE_KERNEL || map->space == SPACE_GUEST_KERNEL;
	m.name = profile_str(p, map->name);
	m.path = m.is_kernel || !map->path ? m.name : profile_str(p, map->path);
	m.is_jit = is_made_by_jit(m.path);
	return m;
}

/* What stackcollapse-perf.pl takes for the kernel: any name in brackets, including [vdso], and files of modules. */
static bool is_marked_kernel(const struct module *m)
{
	return (m->is_kernel || m->path[0] == '[' || text_has_suffix(m->path, "vmlinux")) && !strstr(m->path, "unknown");
}

/* ---- one name ---- */

static void add_unknown(struct frame_names *n, struct strbuf *b, const struct module *m, const struct profile_frame *f)
{
	const char *base = text_base_name(m->path);
	size_t bytes = strlen(base);
	if (text_has_suffix(base, " (deleted)"))
		bytes -= strlen(" (deleted)");
	/* "[unknown]" is kept; other names in brackets get a second pair from perf. */
	bool bare = f->mapping == PROFILE_NONE || (n->options.full && base[0] == '[' && base[bytes - 1] == ']');
	if (bare && bytes > 1) {
		base++;
		bytes -= 2;
	}
	char *copy = xstrndup(base, bytes);
	strbuf_addch(b, '[');
	add_plain(b, copy);
	/* As perf prints them: relative to the object, but absolute in the kernel. */
	if (n->options.with_addresses)
		strbuf_addf(b, " <%llx>", (unsigned long long)(f->mapping == PROFILE_NONE || m->is_kernel ? f->ip : f->addr));
	strbuf_addch(b, ']');
	free(copy);
}

/* "net/http.(*Client).Do": a Go method, whose parentheses are part of the name. */
static bool is_go_method(const char *s)
{
	const char *open = strstr(s, ".(");
	return open && strstr(open + 2, ").");
}

/* Whether a '<' opens template arguments, and is not part of an operator's name. */
static bool opens_template(const char *s, const char *at)
{
	for (; at > s && (at[-1] == '<' || at[-1] == '='); at--)
		;
	return at - s < 8 || memcmp(at - 8, "operator", 8);
}

/* The end of the bracket that opens at s: "<int (*)(char)>", "{lambda(int)#1}"; NULL: it is not closed. */
static const char *closing(const char *s)
{
	unsigned depth = 0;
	for (const char *at = s; *at; at++) {
		bool is_arrow = *at == '>' && at > s && at[-1] == '-';
		if (*at == '<' || *at == '{' || *at == '(' || *at == '[')
			depth++;
		else if ((*at == '>' && !is_arrow) || *at == '}' || *at == ')' || *at == ']')
			depth--;
		if (!depth)
			return at;
	}
	return NULL;
}

/* The end of the name without arguments, ignoring parentheses in template arguments and in the name of a lambda. */
static size_t without_arguments(const char *s)
{
	if (is_go_method(s))
		return strlen(s);
	for (const char *at = s; *at; at++) {
		bool is_bracket = *at == '{' || (*at == '<' && opens_template(s, at));
		const char *end = is_bracket ? closing(at) : NULL;
		if (end)
			at = end;
		else if (*at == '(' && !text_has_prefix(at, "(anonymous namespace)"))
			return at == s ? strlen(s) : (size_t)(at - s);
	}
	return strlen(s);
}

/* In place; returns the new length. is_short: arguments were removed before. */
static size_t tidy(char *s, bool is_java, bool is_script, bool is_short)
{
	for (char *c = s; *c; c++)
		*c = *c == ';' ? ':' : *c;
	if (is_script) /* "fib (x.py:1)" has no arguments, but a place */
		return strlen(s);
	if (!is_short)
		s[without_arguments(s)] = 0;
	/* "Lorg/mozilla/MemberBox;.call" */
	const char *from = s + (is_java && s[0] == 'L' && strchr(s, '/') ? 1 : 0);
	char *to = s;
	for (; *from; from++)
		if (*from != '"' && *from != '\'')
			*to++ = *from;
	*to = 0;
	return (size_t)(to - s);
}

/* The kind of a piece of a symbol: inlined according to debug information, inlined according to a JIT's agent, or the outer function. */
enum piece { PIECE_OUTER, PIECE_INLINED, PIECE_INNER };

const char *name_kind_mark(enum name_kind kind)
{
	static const char *const marks[] = { [NAME_KERNEL] = "_[k]", [NAME_JIT] = "_[j]", [NAME_INLINED] = "_[i]", [NAME_PROCESS] = NULL };
	return marks[kind] ? marks[kind] : "";
}

static const char *mark_of(const struct frame_names_options *o, const char *text, const struct module *m, enum piece piece)
{
	/* Inner functions of a perf map are marked by default, as perf does; a picture shows them by their colour. */
	if (piece == PIECE_INNER && !o->full)
		return strstr(text, "_[i]") ? "" : "_[i]";
	if (piece != PIECE_OUTER && o->mark_inlined)
		return strstr(text, "_[i]") ? "" : "_[i]";
	if (o->mark_kernel && is_marked_kernel(m))
		return "_[k]";
	if (o->mark_jit && m->is_jit)
		return strstr(text, "_[j]") ? "" : "_[j]";
	return "";
}

static void push_name(struct frame_names *n, struct strbuf *text, const struct module *m, enum piece piece)
{
	strbuf_addstr(text, mark_of(&n->options, strbuf_str(text), m, piece));
	struct frame_name name = { .text = strtab_add_n(&n->strings, text->data, text->len) };
	if (n->options.full) {
		name.module = strtab_add(&n->strings, m->name);
		name.kind = m->is_waker ? NAME_WAKER : m->is_kernel ? NAME_KERNEL : piece != PIECE_OUTER ? NAME_INLINED :
			    m->is_jit ? NAME_JIT : NAME_USER;
	}
	vec_push(&n->lists, intern(n, &name));
}

static void push_piece(struct frame_names *n, const char *s, size_t bytes, const struct module *m, bool is_java, enum piece piece)
{
	struct strbuf *b = &n->piece;
	strbuf_reset(b);
	strbuf_add(b, s, bytes);
	if (!n->options.full)
		b->len = tidy(b->data, is_java, script_is_mapping(m->name), n->profile->origin.names_are_short);
	if (b->len)
		push_name(n, b, m, piece);
}

/* Agents that write perf maps list what was inlined as "outer->inner"; elsewhere "->" is part of an operator's name. */
static void push_pieces(struct frame_names *n, const struct module *m, bool is_java, enum piece piece)
{
	const char *s = strbuf_str(&n->scratch), *next;
	uint32_t before = (uint32_t)n->lists.len;
	for (; m->is_jit && (next = strstr(s, "->")); s = next + 2)
		push_piece(n, s, (size_t)(next - s), m, is_java, n->lists.len > before ? PIECE_INNER : piece);
	push_piece(n, s, strlen(s), m, is_java, n->lists.len > before ? PIECE_INNER : piece);
}

/* Takes the text unchanged, not as types or a list, except for characters that separate frames or lines. */
static void push_wait(struct frame_names *n, enum name_kind kind)
{
	struct strbuf *text = &n->scratch;
	for (size_t i = 0; i < text->len; i++)
		if (text->data[i] == ';' || text->data[i] == '\n')
			text->data[i] = ':';
	struct frame_name name = {
		.text = strtab_add_n(&n->strings, text->data, text->len),
		.kind = n->options.full ? kind : NAME_USER,
	};
	vec_push(&n->lists, intern(n, &name));
}

struct name_span frame_names_make(struct frame_names *n, frame_id frame, bool is_java)
{
	const struct profile *p = n->profile;
	const struct profile_frame *f = &p->frames.data[frame];
	struct module m = module_of(p, f);
	struct name_span span = { .first = (uint32_t)n->lists.len };
	const char *symbol = "";
	strbuf_reset(&n->scratch);
	if (f->function != PROFILE_NONE) {
		const struct profile_function *fn = &p->functions.data[f->function];
		symbol = profile_str(p, fn->name ? fn->name : fn->system_name);
	}
	if (!*symbol || !strcmp(symbol, "[unknown]"))
		add_unknown(n, &n->scratch, &m, f);
	else if (n->options.full)
		strbuf_addstr(&n->scratch, symbol);
	else
		add_plain(&n->scratch, symbol);
	if (f->flags & FRAME_WAIT)
		push_wait(n, m.is_waker ? NAME_WAKER : NAME_WAIT);
	else
		push_pieces(n, &m, is_java, f->flags & FRAME_INLINED ? PIECE_INLINED : PIECE_OUTER);
	if (n->lists.len == span.first) { /* nothing was left: a name of quotes only */
		strbuf_reset(&n->piece);
		strbuf_addstr(&n->piece, "[unknown]");
		push_name(n, &n->piece, &m, PIECE_OUTER);
	}
	span.nr = (uint32_t)n->lists.len - span.first;
	n->memo[(size_t)frame * 2 + is_java] = span;
	return span;
}

/* ---- processes ---- */

/* -1 is not known: text of `perf script` may have a thread and not its process. */
static void add_id(struct strbuf *b, char before, int32_t id)
{
	strbuf_addch(b, before);
	if (id == -1)
		strbuf_addch(b, '?');
	else
		strbuf_addf(b, "%d", id);
}

static name_id add_process(struct frame_names *n, labels_id labels)
{
	const struct profile *p = n->profile;
	const uint64_t *values = profile_label_values(p, labels);
	uint32_t comm = profile_find_column(p, "comm"), pid = profile_find_column(p, "pid");
	uint32_t tid = profile_find_column(p, "tid");
	struct strbuf *b = &n->piece;
	if (comm == PROFILE_NONE)
		return PROFILE_NONE;
	strbuf_reset(b);
	strbuf_addstr(b, "");
	if (n->options.full)
		strbuf_addstr(b, profile_str(p, (str_id)values[comm]));
	else
		add_plain(b, profile_str(p, (str_id)values[comm]));
	if ((n->options.with_pid || n->options.with_tid) && pid != PROFILE_NONE)
		add_id(b, '-', (int32_t)profile_label_number(values[pid]));
	if (n->options.with_tid && tid != PROFILE_NONE)
		add_id(b, '/', (int32_t)profile_label_number(values[tid]));
	for (size_t i = 0; !n->options.full && i < b->len; i++)
		b->data[i] = b->data[i] == ' ' ? '_' : b->data[i] == ';' ? ':' : b->data[i];
	struct frame_name name = {
		.text = strtab_add_n(&n->strings, strbuf_str(b), b->len),
		.kind = n->options.full ? NAME_PROCESS : NAME_USER,
	};
	return intern(n, &name);
}

name_id frame_names_process(struct frame_names *n, labels_id labels)
{
	if (labels == PROFILE_NONE)
		return PROFILE_NONE;
	name_id *memo = &n->process_memo[labels];
	if (!*memo)
		*memo = add_process(n, labels) + 1; /* "none" is 0 and computed again each time, which costs little */
	return *memo - 1;
}

bool frame_names_is_java(const struct frame_names *n, name_id process)
{
	return process != PROFILE_NONE && text_has_prefix(strtab_get(&n->strings, n->names.data[process].text), "java");
}

name_id frame_names_add(struct frame_names *n, const char *text, enum name_kind kind)
{
	struct frame_name name = { .text = strtab_add(&n->strings, text), .kind = kind };
	return intern(n, &name);
}
