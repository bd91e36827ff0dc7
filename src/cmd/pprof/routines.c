#include "cmd/pprof/routines.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/dso_code.h"
#include "base/text.h"
#include "profile/pattern.h"

struct finder {
	struct code_view *v;
	const struct callgraph *g;
	struct profile_objects *objects;
	VEC(struct routine_spot) spots;
};

static int compare_spots(const void *a, const void *b)
{
	const struct routine_spot *x = a, *y = b;
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

static bool is_within(const struct finder *d, const struct profile_frame *f, const struct symbol *s, uint64_t addr)
{
	uint64_t wanted;
	if (!text_has_prefix(d->v->pattern, "0x") || !text_to_u64(d->v->pattern, &wanted))
		return false;
	/* the address may be the process's, or the object's */
	return (wanted >= s->start && wanted < s->end) || (wanted + addr - f->addr >= s->start && wanted + addr - f->addr < s->end);
}

static struct strobe_error *find_spots(struct finder *d)
{
	regex_t re;
	TRY(pattern_compile(d->v->pattern, &re));
	for (size_t i = 0; i < d->g->nodes.len; i++) {
		const struct callgraph_node *n = &d->g->nodes.data[i];
		const struct profile_frame *f = &d->v->p->frames.data[n->frame];
		struct routine_spot s = { .mapping = f->mapping, .node = n };
		if (!callgraph_has_value(d->g, n) || !profile_object_address(d->objects, f, &s.dso, &s.addr))
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
	qsort(d->spots.data, d->spots.len, sizeof(struct routine_spot), compare_spots);
	return NULL;
}

struct code_sum routine_insn_sum(const struct routine *r, const struct listing_insn *insn, const struct routine_spot **at)
{
	struct code_sum sum = {};
	/* samples of the middle of an instruction are its own */
	for (; *at < r->end && (*at)->addr < insn->addr + insn->bytes; ++*at)
		code_sum_add(&sum, (*at)->node->flat, (*at)->node->cum);
	return sum;
}

static struct strobe_error *show(const struct finder *d, const struct routine_report *report, struct routine *r, struct out *out)
{
	struct dso_code code;
	struct listing *l = NULL;
	const struct routine_spot *s = r->spots;
	for (const struct routine_spot *at = s; at < r->end; at++)
		code_sum_add(&r->sum, at->node->flat, at->node->cum);
	dso_code_init(&code, s->dso, profile_object_file(d->objects, s->mapping), arch_native());
	struct code_source source = dso_code_source(&code);
	struct annotate_function function = { .name = s->name, .start = s->symbol->start, .end = s->symbol->end };
	struct annotate_options options = {
		.without_source = true,
		.syntax = d->v->intel_syntax ? DISASM_INTEL : DISASM_ATT,
	};
	struct strobe_error *err = annotate_function(&source, &function, &options, &l);
	r->l = l;
	if (!err)
		report->show(r, out);
	listing_destroy(l);
	dso_code_deinit(&code);
	return err;
}

static struct strobe_error *show_all(const struct finder *d, const struct routine_report *report, struct out *out)
{
	report->begin(d->v, out);
	const struct routine_spot *s = d->spots.data, *end = s + d->spots.len;
	while (s < end) {
		struct routine r = { .v = d->v, .g = d->g, .name = s->name, .spots = s };
		while (s < end && s->symbol == r.spots->symbol)
			s++;
		r.end = s;
		TRY(show(d, report, &r, out));
	}
	return NULL;
}

struct strobe_error *routines_report(struct code_view *v, const struct routine_report *report, struct out *out)
{
	/* without inlined functions an address is one node, and counts once */
	struct callgraph_options options = {
		.by = CALLGRAPH_ADDRESSES, .event = v->event, .no_inlines = true, .drop_negative = v->drop_negative,
	};
	struct symbols_options symbols = {};
	TRY(cmd_buildid_dir(v->ctx, &symbols.buildid_dir));
	struct callgraph *g = callgraph_create(v->p, options);
	struct finder d = { .v = v, .g = g, .objects = profile_objects_create(v->p, &symbols) };
	v->total = v->total ? v->total : g->total;
	struct strobe_error *err = find_spots(&d);
	if (!err)
		err = show_all(&d, report, out);
	vec_deinit(&d.spots);
	profile_objects_destroy(d.objects);
	callgraph_destroy(g);
	return err;
}
