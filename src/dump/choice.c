#include "dump/choice.h"

#include <string.h>

#include "base/lists.h"
#include "base/text.h"

struct strobe_error *dump_choice_parse(struct arena *arena, const char *symbols, const char *dsos, uint64_t addr_range,
				       struct dump_choice *ret)
{
	struct list_strings symbol_list, dso_list;
	TRY(list_strings_parse(arena, dsos, &dso_list));
	TRY(list_strings_parse(arena, symbols, &symbol_list));
	*ret = (struct dump_choice){
		.symbols = symbol_list.data,
		.symbols_nr = symbol_list.nr,
		.addr_range = addr_range,
		.dsos = dso_list.data,
		.dsos_nr = dso_list.nr,
	};
	return NULL;
}

static bool in_list(const char *const *list, uint32_t nr, const char *name)
{
	for (uint32_t i = 0; i < nr; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

static bool has_symbol(const struct dump_choice *c, const struct resolved_frame *f)
{
	if (f->symbol && in_list(c->symbols, c->symbols_nr, dso_symbol_name(f->dso, f->symbol)))
		return true;
	for (uint32_t i = 0; i < c->symbols_nr; i++) {
		uint64_t address;
		if (!text_has_prefix(c->symbols[i], "0x") || !text_to_u64(c->symbols[i], &address))
			continue;
		if (f->symbol && f->ip - (f->addr - f->symbol->start) == address)
			return true;
		if (f->ip >= address && f->ip - address <= c->addr_range)
			return true;
	}
	return false;
}

static bool has_dso(const struct dump_choice *c, const struct resolved_frame *f)
{
	return f->map && (in_list(c->dsos, c->dsos_nr, f->map->file->path) || in_list(c->dsos, c->dsos_nr, f->map->file->name));
}

bool dump_choice_matches(const struct dump_choice *c, const struct resolved_sample *s)
{
	return (!c->symbols_nr || has_symbol(c, &s->leaf)) && (!c->dsos_nr || has_dso(c, &s->leaf));
}
