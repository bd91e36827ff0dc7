/* strobe pprof -disasm: the instructions of functions, and what each of them cost. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cmd/pprof/routines.h"

#define TEXT_COLUMNS 40 /* a longer instruction has its place on a line of its own */

/* Where an instruction is from: what its debug information says, else what the profile does. */
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

static void add_origin(const struct routine *r, const struct callgraph_node *n, struct origin *o)
{
	struct callgraph_place place = callgraph_place(r->g, n);
	if (!*o->file)
		o->file = text_base_name(place.file);
	if (!o->line)
		o->line = place.line;
	if (!*o->function)
		o->function = place.name;
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

static void out_insn(const struct routine *r, const struct listing_insn *insn, struct code_sum sum, const struct origin *o,
		     struct out *out)
{
	size_t n = strlen(insn->text);
	bool is_told = o && (*o->function || *o->file);
	if (is_told && n >= TEXT_COLUMNS) {
		out_fill(out, ' ', 74);
		out_origin(out, o);
	}
	code_out_value(r->v, out, sum.flat);
	out_ch(out, ' ');
	code_out_value(r->v, out, sum.cum);
	out_f(out, " %10" PRIx64 ": ", insn->addr);
	out_text(out, insn->text, n);
	if (is_told && n < TEXT_COLUMNS) {
		out_fill(out, ' ', TEXT_COLUMNS - n);
		out_origin(out, o);
	} else {
		out_ch(out, '\n');
	}
}

static void out_routine(const struct routine *r, struct out *out)
{
	struct origin last = { "", "", 0 };
	const struct routine_spot *at = r->spots;
	out_str(out, "ROUTINE ======================== ");
	out_text(out, r->name, strlen(r->name));
	out_ch(out, '\n');
	code_out_sum(r->v, out, r->sum);
	for (size_t i = 0; i < r->l->insns.len; i++) {
		const struct listing_insn *insn = &r->l->insns.data[i];
		struct origin o = origin_of(r->l, insn);
		const struct routine_spot *first = at;
		struct code_sum sum = routine_insn_sum(r, insn, &at);
		for (; first < at; first++)
			add_origin(r, first->node, &o);
		out_insn(r, insn, sum, is_same(&o, &last) ? NULL : &o, out);
		last = o;
	}
}

static void out_total(const struct code_view *v, struct out *out)
{
	char total[PPROF_LABEL_MAX];
	code_value(v, v->total, total);
	out_f(out, "Total: %s\n", total);
}

struct strobe_error *code_disasm(struct code_view *v, struct out *out)
{
	return routines_report(v, &(struct routine_report){ out_total, out_routine }, out);
}
