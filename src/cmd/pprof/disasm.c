/* strobe pprof -disasm: the instructions of functions, and what each of them cost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/dso_code.h"
#include "base/text.h"
#include "cmd/pprof/code.h"
#include "profile/pattern.h"
#include "resolve/profile_objects.h"
#include "symbol/demangle.h"

#define TEXT_COLUMNS 40 /* a longer instruction has its place on a line of its own */

/* An address that cost something. */
struct spot {
	struct dso *dso;
	const struct symbol *symbol;
	const char *name; /* of the symbol, as it matched */
	mapping_id mapping;
	uint64_t addr;
	const struct callgraph_node *node;
};

struct disassembly {
	struct code_view *v;
	const struct callgraph *g;
	struct profile_objects *objects;
	struct out *out;
	VEC(struct spot) spots;
};

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int by_name = strcmp(x->name, y->name);
	if (by_name)
		return by_name;
	if (x->symbol != y->symbol)
		return x->symbol->start < y->symbol->start ? -1 : x->symbol->start > y->symbol->start ? 1 : x->dso < y->dso ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The name of a symbol that matches, or NULL. */
static const char *matching_name(const regex_t *re, struct dso *dso, const struct symbol *s)
{
	const char *shown = dso_symbol_name(dso, s);
	return !regexec(re, s->raw_name, 0, NULL, 0) ? s->raw_name : !regexec(re, shown, 0, NULL, 0) ? shown : NULL;
}

static bool is_within(const struct disassembly *d, const struct profile_frame *f, const struct symbol *s, uint64_t addr)
{
	uint64_t wanted;
	if (!text_has_prefix(d->v->pattern, "0x") || !text_to_u64(d->v->pattern, &wanted))
		return false;
	/* the address may be the process's, or the object's */
	return (wanted >= s->start && wanted < s->end) || (wanted + addr - f->addr >= s->start && wanted + addr - f->addr < s->end);
}

static struct strobe_error *find_spots(struct disassembly *d)
{
	regex_t re;
	TRY(pattern_compile(d->v->pattern, &re));
	for (size_t i = 0; i < d->g->nodes.len; i++) {
		const struct callgraph_node *n = &d->g->nodes.data[i];
		const struct profile_frame *f = &d->v->p->frames.data[n->frame];
		struct spot s = { .mapping = f->mapping, .node = n };
		if ((!n->flat && !n->cum) || !profile_object_address(d->objects, f, &s.dso, &s.addr))
			continue;
		s.symbol = dso_symbol(s.dso, s.addr);
		s.name = s.symbol ? matching_name(&re, s.dso, s.symbol) : NULL;
		if (!s.name && s.symbol && is_within(d, f, s.symbol, s.addr))
			s.name = dso_symbol_name(s.dso, s.symbol);
		if (s.name)
			vec_push(&d->spots, s);
	}
	regfree(&re);
	if (!d->spots.len)
		return code_no_match(d->v);
	qsort(d->spots.data, d->spots.len, sizeof(struct spot), compare_spots);
	return NULL;
}

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
		o.file = code_base_name(l->files.data[place->file].path);
	if (place)
		o.line = place->line;
	return o;
}

static void add_origin(const struct disassembly *d, const struct callgraph_node *n, struct origin *o)
{
	struct callgraph_place place = callgraph_place(d->g, n);
	if (!*o->file)
		o->file = code_base_name(place.file);
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

static void out_insn(const struct disassembly *d, const struct listing_insn *insn, struct code_sum sum, const struct origin *o)
{
	struct out *out = d->out;
	size_t n = strlen(insn->text);
	bool is_told = o && (*o->function || *o->file);
	if (is_told && n >= TEXT_COLUMNS) {
		out_fill(out, ' ', 74);
		out_origin(out, o);
	}
	code_out_value(d->v, out, sum.flat);
	out_ch(out, ' ');
	code_out_value(d->v, out, sum.cum);
	out_f(out, " %10" PRIx64 ": ", insn->addr);
	out_text(out, insn->text, n);
	if (is_told && n < TEXT_COLUMNS) {
		out_fill(out, ' ', TEXT_COLUMNS - n);
		out_origin(out, o);
	} else {
		out_ch(out, '\n');
	}
}

/* Samples of the middle of an instruction are its own. */
static void out_insns(const struct disassembly *d, const struct listing *l, const struct spot *s, const struct spot *end)
{
	struct origin last = { "", "", 0 };
	for (size_t i = 0; i < l->insns.len; i++) {
		const struct listing_insn *insn = &l->insns.data[i];
		struct origin o = origin_of(l, insn);
		struct code_sum sum = {};
		for (; s < end && s->addr < insn->addr + insn->bytes; s++) {
			code_sum_add(&sum, s->node->flat, s->node->cum);
			add_origin(d, s->node, &o);
		}
		out_insn(d, insn, sum, is_same(&o, &last) ? NULL : &o);
		last = o;
	}
}

static struct strobe_error *out_routine(const struct disassembly *d, const struct spot *s, const struct spot *end)
{
	struct dso_code code;
	struct listing *l = NULL;
	struct code_sum sum = {};
	for (const struct spot *at = s; at < end; at++)
		code_sum_add(&sum, at->node->flat, at->node->cum);
	dso_code_init(&code, s->dso, profile_object_file(d->objects, s->mapping), arch_native());
	struct code_source source = dso_code_source(&code);
	struct annotate_function function = { .name = s->name, .start = s->symbol->start, .end = s->symbol->end };
	struct strobe_error *err = annotate_function(&source, &function, &(struct annotate_options){ .without_source = true }, &l);
	if (!err) {
		out_str(d->out, "ROUTINE ======================== ");
		out_text(d->out, s->name, strlen(s->name));
		out_ch(d->out, '\n');
		code_out_sum(d->v, d->out, sum);
		out_insns(d, l, s, end);
	}
	listing_destroy(l);
	dso_code_deinit(&code);
	return err;
}

static struct strobe_error *out_all(const struct disassembly *d)
{
	char total[PPROF_LABEL_MAX];
	code_value(d->v, d->v->total, total);
	out_f(d->out, "Total: %s\n", total);
	const struct spot *s = d->spots.data, *end = s + d->spots.len;
	while (s < end) {
		const struct spot *first = s;
		while (s < end && s->symbol == first->symbol)
			s++;
		TRY(out_routine(d, first, s));
	}
	return NULL;
}

struct strobe_error *code_disasm(struct code_view *v, struct out *out)
{
	/* without inlined functions an address is one node, and counts once */
	struct callgraph_options options = {
		.by = CALLGRAPH_ADDRESSES, .event = v->event, .no_inlines = true, .drop_negative = v->drop_negative,
	};
	struct symbols_options symbols = {};
	TRY(cmd_buildid_dir(v->ctx, &symbols.buildid_dir));
	struct callgraph *g = callgraph_create(v->p, options);
	struct disassembly d = { .v = v, .g = g, .objects = profile_objects_create(v->p, &symbols), .out = out };
	v->total = v->total ? v->total : g->total;
	struct strobe_error *err = find_spots(&d);
	if (!err)
		err = out_all(&d);
	vec_deinit(&d.spots);
	profile_objects_destroy(d.objects);
	callgraph_destroy(g);
	return err;
}
