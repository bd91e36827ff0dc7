#include "resolve/inlines.h"

unsigned inlines_expand(const struct resolved_frame *f, const struct resolve_options *o,
			struct resolved_frame ret[SOURCE_FRAMES_MAX])
{
	struct source_frame at[SOURCE_FRAMES_MAX];
	ret[0] = *f;
	if (!f->dso)
		return 1;
	/* The call stands before the address it returns to, where calls are meant. */
	uint64_t addr = f->addr - f->is_call;
	if (!o->with_inlines) {
		dso_source_line(f->dso, addr, &ret[0].file, &ret[0].line);
		return 1;
	}
	unsigned n = 0;
	if (f->symbol)
		n = o->with_lines ? dso_source(f->dso, addr, f->symbol, at) : dso_functions(f->dso, addr, f->symbol, at);
	for (unsigned i = 0; i < n; i++) {
		ret[i] = *f;
		ret[i].symbol = at[i].symbol;
		ret[i].inlined = at[i].inlined;
		ret[i].file = at[i].file;
		ret[i].line = at[i].line;
	}
	return n ? n : 1;
}
