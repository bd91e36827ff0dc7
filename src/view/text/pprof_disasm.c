#include "view/text/pprof_disasm.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#define TEXT_COLUMNS 40 /* a longer instruction has its source location on a line of its own */

/* The source location of an instruction, from debug information, else from the profile. */
struct origin {
	const char *function, *file;
	uint32_t line;
};

static bool is_same(const struct origin *a, const struct origin *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->file, b->file) && a->line == b->line;
}

static struct origin origin_of(const struct listing *l, const struct listing_insn *insn)
{
	struct origin o = { "", "", 0 };
	const struct listing_place *place = insn->place == LISTING_NONE ? NULL : &l->places.data[insn->place];
	if (place && place->file != LISTING_NONE)
		o.file = text_base_name(l->files.data[place->file].path);
	if (place)
		o.line = place->line;
	return o;
}

static void add_origin(const struct routine_insn *insn, struct origin *o)
{
	if (!*o->file)
		o->file = insn->file;
	if (!o->line)
		o->line = insn->line;
	if (!*o->function)
		o->function = insn->function;
}

static void out_origin(struct out *out, const struct origin *o)
{
	out_ch(out, ';');
	out_text(out, o->function, strlen(o->function));
	out_str(out, *o->function ? " " : "");
	out_text(out, o->file, strlen(o->file));
	if (*o->file && o->line)
		out_f(out, ":%" PRIu32, o->line);
	out_ch(out, '\n');
}

static void out_insn(const struct code_values *v, const struct listing_insn *insn, struct code_sum sum, const struct origin *o,
		     struct out *out)
{
	size_t n = strlen(insn->text);
	bool has_place = o && (*o->function || *o->file);
	if (has_place && n >= TEXT_COLUMNS) {
		out_fill(out, ' ', 74);
		out_origin(out, o);
	}
	code_out_value(v, out, sum.flat);
	out_ch(out, ' ');
	code_out_value(v, out, sum.cum);
	out_f(out, " %10" PRIx64 ": ", insn->addr);
	out_text(out, insn->text, n);
	if (has_place && n < TEXT_COLUMNS) {
		out_fill(out, ' ', TEXT_COLUMNS - n);
		out_origin(out, o);
	} else {
		out_ch(out, '\n');
	}
}

void view_pprof_disasm(const struct code_values *v, const struct routine *r, struct out *out)
{
	struct origin last = { "", "", 0 };
	out_str(out, "ROUTINE ======================== ");
	out_text(out, r->name, strlen(r->name));
	out_ch(out, '\n');
	code_out_sum(v, out, r->sum);
	for (size_t i = 0; i < r->l->insns.len; i++) {
		const struct listing_insn *insn = &r->l->insns.data[i];
		struct origin o = origin_of(r->l, insn);
		add_origin(&r->insns[i], &o);
		out_insn(v, insn, r->insns[i].sum, is_same(&o, &last) ? NULL : &o, out);
		last = o;
	}
}

void view_pprof_disasm_total(const struct code_values *v, struct out *out)
{
	char total[PPROF_LABEL_MAX];
	code_value(v, v->total, total);
	out_f(out, "Total: %s\n", total);
}
