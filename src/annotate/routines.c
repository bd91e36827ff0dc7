#include "annotate/routines.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/dso_code.h"
#include "base/mem.h"
#include "base/text.h"
#include "profile/callgraph.h"
#include "profile/pattern.h"
#include "resolve/profile_objects.h"

/* An address with a cost. */
struct routine_spot {
	struct dso *dso;
	const struct symbol *symbol;
	const char *name; /* name of the symbol that matched */
	mapping_id mapping;
	uint64_t addr;
	const struct callgraph_node *node;
};

struct finder {
	const struct routine_search *s;
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

/* A name of the symbol that matches, or NULL. */
static const char *matching_name(const regex_t *re, struct dso *dso, const struct symbol *s)
{
	const char *shown = dso_symbol_name(dso, s);
	return !regexec(re, s->raw_name, 0, NULL, 0) ? s->raw_name : !regexec(re, shown, 0, NULL, 0) ? shown : NULL;
}

static bool is_within(const struct finder *d, const struct profile_frame *f, const struct symbol *s, uint64_t addr)
{
	uint64_t address;
	if (!text_has_prefix(d->s->pattern, "0x") || !text_to_u64(d->s->pattern, &address))
		return false;
	/* the address may be in the process's or the object's address space */
	return (address >= s->start && address < s->end) || (address + addr - f->addr >= s->start && address + addr - f->addr < s->end);
}

static struct strobe_error *find_spots(struct finder *d)
{
	regex_t re;
	TRY(pattern_compile(d->s->pattern, &re));
	for (size_t i = 0; i < d->g->nodes.len; i++) {
		const struct callgraph_node *n = &d->g->nodes.data[i];
		const struct profile_frame *f = &d->g->profile->frames.data[n->frame];
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
		return code_no_match(d->s->pattern);
	qsort(d->spots.data, d->spots.len, sizeof(struct routine_spot), compare_spots);
	return NULL;
}

/* Consumes the spots from *at on that are before the end of an instruction. */
static struct routine_insn insn_of(const struct finder *d, const struct listing_insn *insn, const struct routine_spot **at,
				   const struct routine_spot *end)
{
	struct routine_insn ret = { .function = "", .file = "" };
	/* samples within an instruction belong to it */
	for (; *at < end && (*at)->addr < insn->addr + insn->bytes; ++*at) {
		struct callgraph_place place = callgraph_place(d->g, (*at)->node);
		code_sum_add(&ret.sum, (*at)->node->flat, (*at)->node->cum);
		if (!*ret.file)
			ret.file = text_base_name(place.file);
		if (!ret.line)
			ret.line = place.line;
		if (!*ret.function)
			ret.function = place.name;
	}
	return ret;
}

/* Shows the function that contains the spots, which are sorted. */
static struct strobe_error *show(const struct finder *d, const struct routine_report *report, const struct routine_spot *s,
				 const struct routine_spot *end, struct out *out)
{
	struct dso_code code;
	struct listing *l = NULL;
	struct routine r = { .name = s->name };
	for (const struct routine_spot *at = s; at < end; at++)
		code_sum_add(&r.sum, at->node->flat, at->node->cum);
	dso_code_init(&code, s->dso, profile_object_file(d->objects, s->mapping), arch_native());
	struct code_source source = dso_code_source(&code);
	struct annotate_function function = { .name = s->name, .start = s->symbol->start, .end = s->symbol->end };
	struct annotate_options options = {
		.without_source = true,
		.syntax = d->s->intel_syntax ? DISASM_INTEL : DISASM_ATT,
	};
	struct strobe_error *err = annotate_function(&source, &function, &options, &l);
	struct routine_insn *insns = err ? NULL : xcalloc(l->insns.len + 1, sizeof(*insns));
	for (size_t i = 0; !err && i < l->insns.len; i++)
		insns[i] = insn_of(d, &l->insns.data[i], &s, end);
	r.l = l;
	r.insns = insns;
	if (!err)
		report->show(report->ctx, &d->s->values, &r, out);
	free(insns);
	listing_destroy(l);
	dso_code_deinit(&code);
	return err;
}

static struct strobe_error *show_all(const struct finder *d, const struct routine_report *report, struct out *out)
{
	report->begin(report->ctx, &d->s->values, out);
	const struct routine_spot *s = d->spots.data, *end = s + d->spots.len;
	while (s < end) {
		const struct routine_spot *first = s;
		while (s < end && s->symbol == first->symbol)
			s++;
		TRY(show(d, report, first, s, out));
	}
	return NULL;
}

struct strobe_error *routines_report(struct routine_search *s, const struct routine_report *report, struct out *out)
{
	const struct profile *p = s->values.p;
	/* without inlined functions an address is one node, and counts once */
	struct callgraph_options options = {
		.by = CALLGRAPH_ADDRESSES, .event = s->values.event, .no_inlines = true, .drop_negative = s->drop_negative,
	};
	struct symbols_options symbols = { .buildid_dir = s->buildid_dir };
	struct callgraph *g = callgraph_create(p, options);
	struct finder d = { .s = s, .g = g, .objects = profile_objects_create(p, &symbols) };
	s->values.total = s->values.total ? s->values.total : g->total;
	struct strobe_error *err = find_spots(&d);
	if (!err)
		err = show_all(&d, report, out);
	vec_deinit(&d.spots);
	profile_objects_destroy(d.objects);
	callgraph_destroy(g);
	return err;
}
