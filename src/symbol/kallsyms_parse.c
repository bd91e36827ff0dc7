#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/vector.h"
#include "symbol/kallsyms.h"

#define PAGE 4096u

struct kallsyms_parser {
	struct kallsyms *k;
	VEC(uint64_t) starts;
	VEC(uint32_t) name_offsets;
	VEC(char) types;
	VEC(uint16_t) modules; /* by index; empty before the first module; 0 is the kernel itself */
	VEC(char) names;
	VEC(char) line;        /* an incomplete line, to be continued by the next piece of text */
	bool any, any_address, unsorted;
	/* The module of the previous line: lines of one module follow each other. */
	char module[64];
	size_t module_bytes;
	uint16_t module_nr;
};

/* Value of a hex digit plus one, 0 for all else: sixteen look-ups without a branch read an address. */
static const uint8_t hex_values[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,	['6'] = 7,  ['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Reads the address at the start of a line; its digits, or 0: none. */
static size_t read_address(const char *line, size_t n, uint64_t *ret)
{
	uint64_t value = 0;
	uint8_t bad = 0;
	if (n > 16 && line[16] == ' ') {
		for (int i = 0; i < 16; i++) {
			uint8_t digit = (uint8_t)(hex_values[(uint8_t)line[i]] - 1);
			bad |= digit;
			value = value << 4 | (digit & 15);
		}
		*ret = value;
		return bad & 0xf0 ? 0 : 16;
	}
	size_t digits = 0; /* 32-bit kernels print eight */
	for (; digits < n && hex_values[(uint8_t)line[digits]]; digits++)
		value = value << 4 | (uint64_t)(hex_values[(uint8_t)line[digits]] - 1);
	*ret = value;
	return digits <= 16 ? digits : 0;
}

static uint16_t module_number(struct kallsyms_parser *p, const char *name, size_t bytes)
{
	if (!bytes)
		return 0;
	if (bytes > sizeof(p->module)) /* MODULE_NAME_LEN is less */
		bytes = sizeof(p->module);
	if (p->module_bytes != bytes || memcmp(p->module, name, bytes)) {
		memcpy(p->module, name, bytes);
		p->module_bytes = bytes;
		p->module_nr = p->module_nr == UINT16_MAX ? 1 : (uint16_t)(p->module_nr + 1);
	}
	return p->module_nr;
}

/* The kinds that an address can be looked up in: text, weak text, data, bss. */
static bool is_kept_type(char type)
{
	char lower = (char)(type | 0x20);
	return lower == 't' || lower == 'w' || lower == 'd' || lower == 'b';
}

/*
 * The offset of a name that was added. Kernels that pad functions list each twice, as "__pfx_foo" and "foo": the second
 * is found in the tail of the first, which halves the names.
 */
static uint32_t add_name(struct kallsyms_parser *p, const char *name, size_t bytes)
{
	static const size_t prefix = sizeof("__pfx_") - 1;
	if (p->name_offsets.len) {
		size_t before = vec_last(&p->name_offsets), length = p->names.len - 1 - before;
		if (length == bytes + prefix && !memcmp(p->names.data + before + prefix, name, bytes))
			return (uint32_t)(before + prefix);
	}
	uint32_t offset = (uint32_t)p->names.len;
	char *to = vec_extend(&p->names, bytes + 1);
	memcpy(to, name, bytes);
	to[bytes] = 0;
	return offset;
}

static void add_symbol(struct kallsyms_parser *p, uint64_t address, char type, const char *name, size_t bytes,
		       uint16_t module)
{
	if (p->names.len + bytes >= UINT32_MAX) /* names are found by 32-bit offsets; real lists have some MB of them */
		return;
	if (address == UINT64_MAX) /* no byte is after it where it could end */
		return;
	if (p->starts.len && address < vec_last(&p->starts))
		p->unsorted = true;
	if (module && !p->modules.len && p->starts.len)
		memset(vec_extend(&p->modules, p->starts.len), 0, p->starts.len * sizeof(*p->modules.data));
	uint32_t offset = add_name(p, name, bytes);
	vec_push(&p->starts, address);
	vec_push(&p->name_offsets, offset);
	vec_push(&p->types, type);
	if (module || p->modules.len)
		vec_push(&p->modules, module);
	struct kallsyms_list *l = &p->k->list;
	if (name[0] == '_' && bytes == 5 && !l->text && !memcmp(name, "_text", 5))
		l->text = address;
	if (name[0] == '_' && bytes == 6 && !l->stext && !memcmp(name, "_stext", 6))
		l->stext = address;
}

/* Blanks, tabs and NULs end a name; eight bytes at a time, because this is most of the work. */
static size_t name_length(const char *name, size_t n)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t w;
		memcpy(&w, name + i, 8);
		if ((w - ones * 0x21) & ~w & tops)
			break;
	}
	while (i < n && (uint8_t)name[i] > ' ')
		i++;
	return i;
}

static void parse_line(struct kallsyms_parser *p, const char *line, const char *end)
{
	uint64_t address;
	size_t digits = read_address(line, (size_t)(end - line), &address);
	const char *at = line + digits;
	if (!digits || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return;
	char type = at[1];
	const char *name = at + 3;
	size_t bytes = name_length(name, (size_t)(end - name));
	p->any = true;
	p->any_address |= address != 0;
	/* "$x" and similar are mapping symbols of arm64 modules. */
	if (!is_kept_type(type) || !bytes || *name == '$')
		return;
	const char *module = memchr(name + bytes, '[', (size_t)(end - name) - bytes);
	add_symbol(p, address, type, name, bytes, module ? module_number(p, module, (size_t)(end - module)) : 0);
}

struct kallsyms_parser *kallsyms_parser_create(struct kallsyms *k)
{
	struct kallsyms_parser *p = xcalloc(1, sizeof(*p));
	p->k = k;
	return p;
}

void kallsyms_parser_feed(struct kallsyms_parser *p, const char *text, size_t n)
{
	const char *end = text + n, *newline = n ? memchr(text, '\n', n) : NULL;
	if (p->line.len && newline) {
		memcpy(vec_extend(&p->line, (size_t)(newline - text)), text, (size_t)(newline - text));
		parse_line(p, p->line.data, p->line.data + p->line.len);
		vec_clear(&p->line);
		text = newline + 1;
		newline = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
	}
	while (newline) {
		parse_line(p, text, newline);
		text = newline + 1;
		newline = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
	}
	if (text < end)
		memcpy(vec_extend(&p->line, (size_t)(end - text)), text, (size_t)(end - text));
}

static void sort_by_start(struct kallsyms_parser *p)
{
	size_t n = p->starts.len;
	struct sort_pair *pairs = xreallocarray(NULL, n, sizeof(*pairs));
	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct sort_pair){ .key = p->starts.data[i], .value = i };
	sort_pairs(pairs, n);
	uint32_t *name_offsets = xreallocarray(NULL, n, sizeof(*name_offsets));
	uint16_t *modules = xcalloc(n, sizeof(*modules));
	char *types = xmalloc(n);
	for (size_t i = 0; i < n; i++) {
		size_t from = pairs[i].value;
		p->starts.data[i] = pairs[i].key;
		name_offsets[i] = p->name_offsets.data[from];
		types[i] = p->types.data[from];
		if (p->modules.len)
			modules[i] = p->modules.data[from];
	}
	memcpy(p->name_offsets.data, name_offsets, n * sizeof(*name_offsets));
	memcpy(p->types.data, types, n);
	if (p->modules.len)
		memcpy(p->modules.data, modules, n * sizeof(*modules));
	free(name_offsets);
	free(modules);
	free(types);
	free(pairs);
}

static uint64_t end_of_page_after(uint64_t addr)
{
	return ((addr + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE;
}

/* Where code of a kind begins, which `lock` skips. They share their address with the padding before the first function. */
static bool is_section_start(const char *name)
{
	return name[0] == '_' && name[1] == '_' && (!strcmp(name, "__sched_text_start") || !strcmp(name, "__lock_text_start"));
}

/*
 * Starts become 32-bit. As in perf, the last of several symbols with one start is kept, which may be the name of a section's
 * start. A module is followed by a gap, from the end of the page after its last symbol on. Symbols more than 4 GB below the last
 * one (per-CPU offsets, listed as if they were addresses) are dropped.
 */
static void make_list(struct kallsyms_parser *p, struct kallsyms_list *l)
{
	size_t n = p->starts.len, out = 0;
	uint64_t last = n ? vec_last(&p->starts) : 0, end = end_of_page_after(last);
	if (end < last)
		end = UINT64_MAX;
	size_t gaps = p->modules.len ? n : 0;
	uint32_t *starts = xreallocarray(NULL, n + gaps + 1, sizeof(*starts));
	uint32_t *name_offsets = xreallocarray(NULL, n + gaps + 1, sizeof(*name_offsets));
	char *types = xmalloc(n + gaps + 1);
	l->base = end < UINT32_MAX ? 0 : end - UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		uint64_t start = p->starts.data[i];
		bool is_shared = i + 1 < n && p->starts.data[i + 1] == start;
		if (is_shared && is_section_start(p->names.data + p->name_offsets.data[i]))
			p->name_offsets.data[i + 1] = p->name_offsets.data[i];
		if (start < l->base || is_shared)
			continue;
		starts[out] = (uint32_t)(start - l->base);
		name_offsets[out] = p->name_offsets.data[i];
		types[out++] = p->types.data[i];
		bool leaves = i + 1 < n && p->modules.len && p->modules.data[i] != p->modules.data[i + 1];
		uint64_t gap = leaves || i + 1 == n ? end_of_page_after(start) : 0;
		if (i + 1 == n || (leaves && gap > start && gap < p->starts.data[i + 1])) {
			starts[out] = (uint32_t)((i + 1 == n ? end : gap) - l->base);
			name_offsets[out] = 0;
			types[out++] = 0;
		}
	}
	l->starts = p->k->memory[0] = starts;
	l->name_offsets = p->k->memory[1] = name_offsets;
	l->types = p->k->memory[2] = types;
	l->count = out;
}

bool kallsyms_parser_finish(struct kallsyms_parser *p)
{
	struct kallsyms *k = p->k;
	if (p->line.len)
		parse_line(p, p->line.data, p->line.data + p->line.len);
	bool hidden = p->any && !p->any_address;
	if (!hidden && p->starts.len) {
		if (p->unsorted)
			sort_by_start(p);
		make_list(p, &k->list);
		k->list.names = k->memory[3] = p->names.data;
		k->list.names_bytes = p->names.len;
		memset(&p->names, 0, sizeof(p->names));
	}
	vec_deinit(&p->starts);
	vec_deinit(&p->name_offsets);
	vec_deinit(&p->types);
	vec_deinit(&p->modules);
	vec_deinit(&p->names);
	vec_deinit(&p->line);
	free(p);
	return !hidden;
}
