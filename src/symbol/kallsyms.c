#include "symbol/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "object/object.h"

struct parser {
	struct kallsyms *k;
	struct table_builder builder;
	char *names;
	size_t names_bytes;
	bool any, any_address;
	/* The module of the previous line: lines of one module follow each other. */
	const char *module;
	size_t module_bytes;
	uint16_t module_nr;
};

static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static uint16_t module_number(struct parser *p, const char *name, size_t bytes)
{
	if (!bytes) {
		p->module = NULL;
		return 0;
	}
	if (!p->module || p->module_bytes != bytes || memcmp(p->module, name, bytes)) {
		p->module = name;
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

static void add_symbol(struct parser *p, uint64_t address, char type, const char *name, size_t bytes, uint16_t module)
{
	bool local = type >= 'a';
	struct table_entry e = {
		.start = address,
		.end = address,
		.name = (uint32_t)p->names_bytes,
		.binding = type == 'W' || type == 'w' ? STB_WEAK : local ? STB_LOCAL : STB_GLOBAL,
		.type = type,
	};
	memcpy(p->names + p->names_bytes, name, bytes);
	p->names_bytes += bytes;
	p->names[p->names_bytes++] = 0;
	vec_push(&p->builder.entries, e);
	vec_push(&p->builder.modules, module);
	if (!p->k->text && bytes == 5 && !memcmp(name, "_text", 5))
		p->k->text = address;
	if (!p->k->stext && bytes == 6 && !memcmp(name, "_stext", 6))
		p->k->stext = address;
}

static void parse_line(struct parser *p, const char *line, const char *end)
{
	uint64_t address = 0;
	const char *at = line;
	for (int digit; at < end && (digit = hex_digit(*at)) >= 0; at++)
		address = address << 4 | (uint64_t)digit;
	/* "ADDRESS T N" at the least, and no more digits than 64 bits have. */
	if (at == line || at - line > 16 || end - at < 4 || *at != ' ' || at[2] != ' ')
		return;
	char type = at[1];
	const char *name = at + 3;
	const char *tab = memchr(name, '\t', (size_t)(end - name)), *name_end = tab ? tab : end;
	while (name_end > name && (name_end[-1] == ' ' || name_end[-1] == '\r'))
		name_end--;
	p->any = true;
	p->any_address |= address != 0;
	/* "$x" and the like are mapping symbols that arm64 modules bring along. */
	if (!is_kept_type(type) || name == name_end || *name == '$' || memchr(name, 0, (size_t)(name_end - name)))
		return;
	const char *module = tab ? tab + 1 : end;
	add_symbol(p, address, type, name, (size_t)(name_end - name), module_number(p, module, (size_t)(end - module)));
}

bool kallsyms_parse(struct kallsyms *k, const char *text, size_t n)
{
	struct parser p = { .k = k, .builder.ends = TABLE_ENDS_KERNEL };
	if (n > UINT32_MAX) /* names are found by 32-bit offsets; the real list has 5 to 20 MB */
		n = UINT32_MAX;
	/* A name is shorter than its line, so the text bounds the names. */
	p.names = xmalloc(n + 1);
	vec_reserve(&p.builder.entries, n / 40 + 16);
	vec_reserve(&p.builder.modules, n / 40 + 16);
	for (const char *line = text, *end = text + n; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline ? newline : end;
		parse_line(&p, line, line_end);
		line = line_end + 1;
	}
	bool hidden = p.any && !p.any_address;
	if (!hidden) {
		p.builder.names[0] = (struct table_names){ .data = p.names, .bytes = p.names_bytes };
		table_finish(&p.builder, &k->table);
		k->names = p.names;
	} else {
		free(p.names);
	}
	table_builder_deinit(&p.builder);
	return !hidden;
}

static void read_key(struct kallsyms_key *key)
{
	_cleanup_strbuf_ struct strbuf boot = {}, notes = {}, modules = {};
	memset(key, 0, sizeof(*key));
	struct strobe_error *err = file_read("/proc/sys/kernel/random/boot_id", &boot, 4096);
	if (!err && boot.len >= 36)
		memcpy(key->boot_id, boot.data, 36);
	error_destroy(err);
	err = file_read("/sys/kernel/notes", &notes, 1 << 20);
	if (!err && notes.len) {
		uint8_t id[OBJECT_BUILD_ID_MAX];
		size_t n = object_build_id_in_notes(notes.data, notes.len, false, id);
		key->build_id_len = (uint32_t)(n < KALLSYMS_BUILD_ID_MAX ? n : KALLSYMS_BUILD_ID_MAX);
		memcpy(key->build_id, id, key->build_id_len);
	}
	error_destroy(err);
	/* "name size references users state address": references change all the time and move no symbol. */
	err = file_read("/proc/modules", &modules, 16 << 20);
	for (char *line = err || !modules.len ? NULL : modules.data, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		size_t bytes = next ? (size_t)(next - line) : strlen(line);
		const char *address = memmem(line, bytes, " 0x", 3);
		const char *space = memchr(line, ' ', bytes);
		size_t name_bytes = space ? (size_t)(space - line) : bytes;
		key->modules = hash_combine(key->modules, hash_bytes(line, name_bytes));
		if (address)
			key->modules = hash_combine(key->modules, hash_bytes(address, bytes - (size_t)(address - line)));
		next = next ? next + 1 : NULL;
	}
	error_destroy(err);
}

static char *hidden_problem(void)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = file_read("/proc/sys/kernel/kptr_restrict", &text, 64);
	uint64_t level = 0;
	if (!err && text.len) {
		text.data[strcspn(text.data, "\n")] = 0;
		if (text_to_u64(text.data, &level) && level)
			return xasprintf("kernel symbols are hidden: kernel.kptr_restrict is %llu; run as root%s",
					 (unsigned long long)level,
					 level > 1 ? " after sysctl kernel.kptr_restrict=1" : " or set it to 0");
	}
	return xstrdup("kernel symbols are hidden from this user: run as root, or set kernel.perf_event_paranoid to 1 or lower "
		       "(kernel.kptr_restrict is 0)");
}

static void load_text(struct kallsyms *k, const char *path, const struct kallsyms_key *key)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct strobe_error *err = file_read(path, &text, (size_t)1 << 30);
	if (err) {
		k->problem = xasprintf("no kernel symbols: %s", err->message);
		error_destroy(err);
		return;
	}
	if (!kallsyms_parse(k, strbuf_str(&text), text.len)) {
		k->problem = key ? hidden_problem() : xasprintf("%s holds no addresses, only zeros", path);
		return;
	}
	if (!k->table.entries_nr)
		k->problem = xasprintf("no kernel symbols in %s", path);
	else if (key)
		kallsyms_cache_save(k, key);
}

void kallsyms_load(struct kallsyms *k, const char *path)
{
	struct kallsyms_key key;
	memset(k, 0, sizeof(*k));
	k->cache.slot = -1;
	if (path) {
		load_text(k, path, NULL);
		return;
	}
	read_key(&key);
	k->live = true;
	memcpy(k->build_id, key.build_id, sizeof(k->build_id));
	k->build_id_len = (uint8_t)key.build_id_len;
	if (!kallsyms_cache_load(k, &key))
		load_text(k, "/proc/kallsyms", &key);
}

void kallsyms_deinit(struct kallsyms *k)
{
	table_deinit(&k->table);
	filemap_close(&k->cache);
	free(k->names);
	free(k->problem);
}
