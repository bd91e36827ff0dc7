#include "probe/sdt/sdt_notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define NOTE_STAPSDT 3
#define IS_X86(o) (object_header(o)->arch == &arch_x86_64 || object_header(o)->arch == &arch_i386)

static uint64_t word(const struct object *o, struct cursor *c)
{
	return object_header(o)->is_64bit ? cursor_u64(c) : cursor_u32(c);
}

static bool read_note(const struct object *o, struct cursor desc, uint64_t base, struct sdt_note *ret)
{
	ret->vaddr = word(o, &desc);
	uint64_t noted_base = word(o, &desc);
	ret->semaphore = word(o, &desc);
	ret->provider = cursor_cstr(&desc);
	ret->name = cursor_cstr(&desc);
	ret->arguments = cursor_cstr(&desc);
	if (desc.bad)
		return false;
	if (base && noted_base) {
		ret->vaddr += base - noted_base;
		if (ret->semaphore)
			ret->semaphore += base - noted_base;
	}
	return *ret->provider && *ret->name;
}

static void skip_padding(struct cursor *c)
{
	size_t pad = (4 - cursor_offset(c) % 4) % 4;
	cursor_skip(c, pad < cursor_left(c) ? pad : cursor_left(c));
}

void sdt_notes_each(struct object *o, bool (*fn)(void *ctx, const struct sdt_note *n), void *ctx)
{
	const struct object_section *s = object_find_section(o, ".note.stapsdt");
	const struct object_section *base = object_find_section(o, ".stapsdt.base");
	if (!s)
		return;
	struct cursor c = object_section_cursor(o, s);
	while (cursor_left(&c) >= 12) {
		uint32_t name_bytes = cursor_u32(&c), desc_bytes = cursor_u32(&c), type = cursor_u32(&c);
		const char *name = cursor_bytes(&c, name_bytes);
		skip_padding(&c);
		struct cursor desc = cursor_sub(&c, desc_bytes);
		skip_padding(&c);
		if (c.bad)
			return;
		struct sdt_note n;
		if (type == NOTE_STAPSDT && name_bytes == 8 && !memcmp(name, "stapsdt", 8) &&
		    read_note(o, desc, base ? base->addr : 0, &n) && !fn(ctx, &n))
			return;
	}
}

/* "rdi", "edi", "di" and "dil" are one register, as are "r8" and "r8d": uprobes use the 16-bit name. NULL: not a register. */
static const char *x86_register(const char *name, size_t n)
{
	static const char *const known[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp",  "r8", "r9",
					     "r10", "r11", "r12", "r13", "r14", "r15", "ip" };
	char low[8] = "";
	if (!n || n >= sizeof(low))
		return NULL;
	memcpy(low, name, n);
	bool numbered = low[0] == 'r' && low[1] >= '0' && low[1] <= '9';
	if (numbered && strchr("dwb", low[n - 1]))
		low[n - 1] = 0;
	char *at = !numbered && n == 3 && (low[0] == 'r' || low[0] == 'e') ? low + 1 : low;
	if (!numbered && n == 3 && low[2] == 'l') /* sil dil bpl spl */
		low[2] = 0, at = low;
	if (n == 2 && (low[1] == 'l' || low[1] == 'h'))
		low[1] = 'x';
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(at, known[i]))
			return known[i];
	return NULL;
}

/* Converts an operand from assembler syntax to that of uprobes; false: impossible. */
static bool fetch_of(const char *op, size_t n, struct strbuf *ret)
{
	if (n > 1 && op[0] == '%') {
		const char *name = x86_register(op + 1, n - 1);
		if (name)
			strbuf_addf(ret, "%%%s", name);
		return name;
	}
	const char *open = memchr(op, '(', n);
	if (!open || op[n - 1] != ')' || open[1] != '%')
		return false;
	size_t digits = (size_t)(open - op);
	const char *name = x86_register(open + 2, n - digits - 3);
	bool is_signed = digits && (op[0] == '-' || op[0] == '+');
	if (!name || !strcmp(name, "ip") || strspn(op + is_signed, "0123456789") != digits - is_signed)
		return false;
	strbuf_addf(ret, "%s%.*s(%%%s)", is_signed ? "" : "+", digits ? (int)digits : 1, digits ? op : "0", name);
	return true;
}

/* "4@%edi -8@$5 …": size, negative if signed, and operand. */
static void add_arguments(const char *arguments, struct strbuf *ret)
{
	unsigned index = 0;
	for (const char *at = arguments; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
		size_t n = strcspn(at, " ");
		const char *sign = memchr(at, '@', n), *op = sign ? sign + 1 : at;
		int bytes = sign ? atoi(at) : 0;
		_cleanup_strbuf_ struct strbuf fetch = {};
		index++;
		if (!fetch_of(op, n - (size_t)(op - at), &fetch))
			continue;
		strbuf_addf(ret, " arg%u=%s", index, strbuf_str(&fetch));
		if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
			strbuf_addf(ret, ":u%d", bytes * 8);
		else if (bytes == -1 || bytes == -2 || bytes == -4 || bytes == -8)
			strbuf_addf(ret, ":s%d", -bytes * 8);
	}
}

void sdt_note_arguments(const struct object *o, const struct sdt_note *n, struct strbuf *ret)
{
	if (IS_X86(o))
		add_arguments(n->arguments, ret);
}

struct lines {
	struct object *o;
	const char *path;
	struct strbuf *out;
};

/* A line of the cache is a definition for the kernel: a program's file must not be able to inject lines or parts. */
static bool is_word(const char *name)
{
	for (const char *c = name; *c; c++)
		if (*c <= ' ' || *c > '~' || strchr(":=/", *c))
			return false;
	return *name;
}

static bool add_lines(void *ctx, const struct sdt_note *n)
{
	struct lines *l = ctx;
	uint64_t offset, semaphore;
	if (!object_offset_of_vaddr(l->o, n->vaddr, &offset))
		return true;
	if (!is_word(n->provider) || !is_word(n->name))
		return true;
	strbuf_addf(l->out, "%%sdt_%s:%s=%s\n", n->provider, n->name, n->name);
	strbuf_addf(l->out, "p:sdt_%s/%s %s:0x%llx", n->provider, n->name, l->path, (unsigned long long)offset);
	if (n->semaphore && object_offset_of_vaddr(l->o, n->semaphore, &semaphore))
		strbuf_addf(l->out, "(0x%llx)", (unsigned long long)semaphore);
	sdt_note_arguments(l->o, n, l->out);
	strbuf_addch(l->out, '\n');
	return true;
}

void sdt_notes_lines(struct object *o, const char *path, struct strbuf *ret)
{
	struct lines l = { o, path, ret };
	sdt_notes_each(o, add_lines, &l);
}
