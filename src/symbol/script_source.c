/*
 * Code of scripts, from the table in the recording (interp/script_table.h): "fib (x.py:1)", with file and lines. In a stream and in a
 * live profile the table grows: new parts are read at a look-up.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "interp/script_table.h"
#include "symbol/symbol_priv.h"

_Static_assert(SCRIPT_FEATURE == ENV_SECTION_SCRIPTS, "the number of the section");

struct script_symbol {
	struct made_symbol made;
	struct script_code code;
	const char *file;
};

/* Under the DSO's lock; symbols are its arena's. */
struct dso_scripts {
	uint64_t bytes; /* of the section that were read */
	struct u64map by_number;
	VEC(struct script_symbol *) symbols;
};

void dso_scripts_destroy(struct dso_scripts *s)
{
	if (!s)
		return;
	u64map_deinit(&s->by_number);
	vec_deinit(&s->symbols);
	free(s);
}

static int base_at(const struct script_code *code)
{
	const char *slash = code->file_bytes ? memrchr(code->file, '/', code->file_bytes) : NULL;
	return slash ? (int)(slash + 1 - code->file) : 0;
}

/* Functions that are written in C have no file; code of a whole file may have no first line. */
static void put_name(struct strbuf *to, const struct script_code *code)
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

static void add_code(struct dso *d, const struct script_code *code)
{
	struct dso_scripts *s = d->scripts;
	struct strbuf name = {};
	struct script_symbol *symbol = arena_new(&d->arena, struct script_symbol);
	uint64_t start = (uint64_t)code->number << SCRIPT_CODE_BITS;
	put_name(&name, code);
	symbol->code = *code;
	symbol->file = arena_strndup(&d->arena, code->file, code->file_bytes);
	symbol->made.symbol = (struct symbol){
		.start = start, .end = start + SCRIPT_CODE_BYTES, .raw_name = arena_strndup(&d->arena, strbuf_str(&name), name.len),
		.binding = STB_LOCAL, .type = 't',
	};
	strbuf_deinit(&name);
	bool is_new;
	uint64_t *at = u64map_put(&s->by_number, code->number, &is_new);
	if (!is_new)
		return;
	*at = s->symbols.len;
	vec_push(&s->symbols, symbol);
}

static void read_more(struct dso *d)
{
	const struct env *env = d->session->env;
	const struct env_section *section = env ? env_section(env, SCRIPT_FEATURE) : NULL;
	struct script_table table;
	if (!section || section->bytes <= d->scripts->bytes)
		return;
	script_table_read((const char *)section->data + d->scripts->bytes, section->bytes - d->scripts->bytes, env->swapped, &table);
	d->scripts->bytes = section->bytes;
	for (size_t i = 0; i < table.list.len; i++)
		add_code(d, &table.list.data[i]);
	script_table_deinit(&table);
}

static bool load_scripts(struct dso *d)
{
	d->scripts = d->scripts ? d->scripts : xcalloc(1, sizeof(*d->scripts));
	read_more(d);
	if (!d->scripts->symbols.len)
		dso_problem(d, "the recording has no table of its scripts");
	return d->scripts->symbols.len > 0;
}

static const struct script_symbol *find(struct dso *d, uint64_t addr)
{
	pthread_mutex_lock(&d->lock);
	read_more(d);
	const uint64_t *at = u64map_get(&d->scripts->by_number, addr >> SCRIPT_CODE_BITS);
	const struct script_symbol *found = at ? d->scripts->symbols.data[*at] : NULL;
	pthread_mutex_unlock(&d->lock);
	return found;
}

const struct symbol *dso_script_symbol(struct dso *d, uint64_t addr)
{
	const struct script_symbol *s = find(d, addr);
	return s ? &s->made.symbol : NULL;
}

bool dso_script_line(struct dso *d, uint64_t addr, const char **ret_file, uint32_t *ret_line)
{
	dso_load(d);
	const struct script_symbol *s = find(d, addr);
	if (!s || !s->code.file_bytes)
		return false;
	*ret_file = s->file;
	*ret_line = script_line(&s->code, (uint32_t)(addr & (SCRIPT_CODE_BYTES - 1)));
	return true;
}

const struct symbol_source source_scripts = { .name = "scripts", .kinds = 1u << MAPPED_SCRIPT, .load = load_scripts };
