#include "analysis/memory/c2c_stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "report/query.h"
#include "view/text/text.h"

/* ---- samples ---- */

static frame_id frame_of(struct profile *p, const struct resolved_frame *f)
{
	struct profile_frame frame = { .mapping = PROFILE_NONE, .function = PROFILE_NONE, .addr = f->addr, .ip = f->ip, .line = f->line,
				       .flags = f->inlined ? FRAME_INLINED : 0 };
	struct profile_function function = { .mapping = PROFILE_NONE };
	if (f->symbol) {
		function.name = strtab_add(&p->strings, dso_symbol_name(f->dso, f->symbol));
		function.file = strtab_add(&p->strings, f->file ? f->file : "");
		function.start = f->symbol->start;
		function.size = 1; /* known: address mode shows the offset */
		frame.function = profile_function(p, &function);
	}
	return profile_frame(p, &frame);
}

void c2c_stacks_take(struct c2c_stacks *s, uint32_t line, uint32_t row, const struct resolved_sample *x)
{
	char name[24];
	stack_id stack = PROFILE_NONE;
	if (!s->profile) {
		s->profile = profile_create();
		s->line = profile_column(s->profile, "line", COLUMN_U64);
		s->row = profile_column(s->profile, "row", COLUMN_STRING);
		profile_event(s->profile, "accesses", "count");
	}
	for (uint32_t i = x->chain_nr; i-- > 0;)
		stack = profile_stack(s->profile, stack, frame_of(s->profile, &x->chain[i]));
	snprintf(name, sizeof(name), "%" PRIu32, row);
	uint64_t labels[2];
	labels[s->line] = line;
	labels[s->row] = strtab_add(&s->profile->strings, name);
	profile_add(s->profile, stack, profile_labels(s->profile, labels), 0, 1, x->sample.period, 0);
}

struct strobe_error *c2c_stacks_choose(struct c2c_stacks *s, const char *choice)
{
	struct report_grouping g = report_grouping_defaults();
	bool history = false;
	g.chains.callee_first = true;
	if (choice)
		TRY(report_chains_parse(choice, &g, &history));
	if (history)
		return error_create(ERROR_USAGE, "-g branch: not supported by c2c report; use report --branch-history");
	s->choice = g.chains;
	return NULL;
}

void c2c_stacks_deinit(struct c2c_stacks *s)
{
	profile_destroy(s->profile);
	*s = (struct c2c_stacks){};
}

/* ---- trees ---- */

struct line_filter {
	uint32_t label;
	uint64_t line;
};

static bool is_of_line(void *ctx, const struct profile *p, const struct profile_row *row)
{
	const struct line_filter *f = ctx;
	return profile_label_values(p, row->labels)[f->label] == f->line;
}

static const struct hist_key row_key = { .column = &columns[COLUMN_FIELD], .header = "row", .label_name = "row" };

/* Rows are numbered in the text of their label. */
static void find_entries(struct c2c_trees *t)
{
	for (uint32_t i = 0; i < t->hist->entries.len; i++) {
		const struct profile_row *row = &t->profile->rows.data[t->hist->entries.data[i].row];
		str_id name = (str_id)profile_label_values(t->profile, row->labels)[t->key.label];
		*u64map_put(&t->entries, strtoul(profile_str(t->profile, name), NULL, 10), NULL) = i;
	}
}

void c2c_trees_open(struct c2c_trees *t, const struct c2c_stacks *s, uint32_t line)
{
	static const uint32_t event;
	*t = (struct c2c_trees){ .stacks = s, .key = row_key };
	if (!s->profile || s->choice.mode == CALLTREE_NONE)
		return;
	t->profile = profile_filter(s->profile, is_of_line, &(struct line_filter){ s->line, line });
	if (!hist_key_bind(&t->key, t->profile))
		return; /* no access of the line has a stack */
	t->hist = hist_create(t->profile, (struct hist_options){ .events = &event, .events_nr = 1, .keys = &t->key, .keys_nr = 1,
								 .callee_first = s->choice.callee_first });
	t->trees = calltrees_open(t->hist, s->choice);
	find_entries(t);
}

void c2c_trees_close(struct c2c_trees *t)
{
	calltrees_destroy(t->trees);
	hist_destroy(t->hist);
	profile_destroy(t->profile);
	u64map_deinit(&t->entries);
	*t = (struct c2c_trees){};
}

void c2c_tree_text(const struct c2c_trees *t, uint32_t row, struct out *out)
{
	const uint64_t *entry = u64map_get(&t->entries, row);
	if (!entry)
		return;
	calltrees_add(t->trees, (uint32_t)*entry);
	text_call_tree(out, t->hist, &t->stacks->choice, t->trees, (uint32_t)*entry);
}

/* "main;work": outermost first. */
static void fold(const struct hist *h, stack_id stack, bool by_address, struct strbuf *out)
{
	VEC(frame_id) frames = {};
	for (; stack != PROFILE_NONE; stack = h->profile->stacks.data[stack].caller)
		vec_push(&frames, h->profile->stacks.data[stack].frame);
	strbuf_reset(out);
	for (size_t i = frames.len; i-- > 0;) {
		report_frame_name(h, frames.data[i], by_address, out);
		if (i)
			strbuf_addch(out, ';');
	}
	vec_deinit(&frames);
}

void c2c_tree_stacks(const struct c2c_trees *t, uint32_t row, void (*take)(void *ctx, const char *folded, uint64_t samples), void *ctx)
{
	_cleanup_strbuf_ struct strbuf name = {};
	const struct hist *h = t->hist;
	const uint64_t *entry = u64map_get(&t->entries, row);
	if (!entry)
		return;
	uint32_t group = h->entries.data[*entry].group;
	for (uint32_t i = h->group_rows[group]; i < h->group_rows[group + 1]; i++) {
		const struct profile_row *r = &h->profile->rows.data[h->rows[i]];
		if (r->stack == PROFILE_NONE)
			continue;
		fold(h, r->stack, t->stacks->choice.by_address, &name);
		take(ctx, strbuf_str(&name), r->samples);
	}
}
