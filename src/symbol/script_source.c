/* Code of scripts, out of the table in the recording (interp/script_table.h): "fib (x.py:1)", with its file and lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "interp/script_table.h"
#include "symbol/symbol_priv.h"

struct dso_scripts {
	struct script_table table;
	const char **files; /* by index in the table */
};

void dso_scripts_destroy(struct dso_scripts *s)
{
	if (!s)
		return;
	script_table_deinit(&s->table);
	free(s->files);
	free(s);
}

static int base_at(const struct script_code *code)
{
	const char *slash = code->file_bytes ? memrchr(code->file, '/', code->file_bytes) : NULL;
	return slash ? (int)(slash + 1 - code->file) : 0;
}

/* Functions that are written in C have no file; code of a whole file may have no first line. */
static void add_name(struct strbuf *to, const struct script_code *code)
{
	int base = base_at(code);
	strbuf_add(to, code->name, code->name_bytes);
	if (!code->file_bytes)
		return;
	strbuf_addf(to, " (%.*s", (int)code->file_bytes - base, code->file + base);
	if (code->first_line)
		strbuf_addf(to, ":%" PRIu32, code->first_line);
	strbuf_addch(to, ')');
}

static void add_code(struct dso *d, struct dso_scripts *s, size_t i, struct symtable_builder *b, struct strbuf *names)
{
	const struct script_code *code = &s->table.list.data[i];
	uint64_t start = (uint64_t)code->number << SCRIPT_CODE_BITS;
	struct symtable_entry e = {
		.start = start, .end = start + SCRIPT_CODE_BYTES, .name = (uint32_t)names->len, .binding = STB_LOCAL, .type = 't',
	};
	add_name(names, code);
	strbuf_addch(names, 0);
	s->files[i] = arena_strndup(&d->arena, code->file, code->file_bytes);
	if (names->len <= UINT32_MAX)
		vec_push(&b->entries, e);
}

static bool load_scripts(struct dso *d)
{
	const struct env *env = d->session->env;
	const struct env_section *section = env ? env_section(env, SCRIPT_FEATURE) : NULL;
	struct symtable_builder b = {};
	struct strbuf names = {};
	if (!section) {
		dso_problem(d, "the recording has no table of its scripts");
		return false;
	}
	struct dso_scripts *s = d->scripts = xcalloc(1, sizeof(*s));
	script_table_read(section->data, section->bytes, env->swapped, &s->table);
	s->files = xcalloc(s->table.list.len + 1, sizeof(*s->files));
	for (size_t i = 0; i < s->table.list.len; i++)
		add_code(d, s, i, &b, &names);
	const char *kept = arena_memdup(&d->arena, names.len ? names.data : "", names.len + !names.len);
	b.names[0] = (struct symtable_names){ .data = kept, .bytes = names.len };
	strbuf_deinit(&names);
	if (b.entries.len) {
		symtable_finish(&b, &d->table);
		d->has_table = true;
	}
	symtable_builder_deinit(&b);
	return d->has_table;
}

bool dso_script_line(struct dso *d, uint64_t addr, const char **ret_file, uint32_t *ret_line)
{
	dso_symbol(d, addr); /* loads the DSO */
	const struct dso_scripts *s = d->scripts;
	const struct script_code *code = s ? script_table_find(&s->table, (uint32_t)(addr >> SCRIPT_CODE_BITS)) : NULL;
	if (!code || !code->file_bytes)
		return false;
	*ret_file = s->files[code - s->table.list.data];
	*ret_line = script_line(code, (uint32_t)(addr & (SCRIPT_CODE_BYTES - 1)));
	return true;
}

const struct symbol_source source_scripts = { .name = "scripts", .kinds = 1u << MAPPED_SCRIPT, .load = load_scripts };
