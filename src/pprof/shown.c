#include "pprof/shown.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/source_files.h"
#include "base/mem.h"
#include "profile/arithmetic.h"
#include "profile/rewrite.h"
#include "view/pprof_units.h"

static void replace(struct pprof_shown *s, struct profile *made)
{
	profile_destroy(s->own);
	s->p = s->own = made;
}

static double scale(int64_t value, const char *from, const char *to, const char **ret_unit)
{
	struct scaled_value v = pprof_scale(value, from, to);
	*ret_unit = v.unit;
	return v.value;
}

static char *label(int64_t value, const char *unit, const char *to)
{
	char text[PPROF_LABEL_MAX];
	pprof_label(value, unit, to, text);
	return xstrdup(text);
}

static bool has_stack(void *ctx, const struct profile *p, const struct profile_row *row)
{
	(void)ctx;
	(void)p;
	return row->stack != PROFILE_NONE;
}

/* Samples without a stack, which Go's threadcreate has, count only in the total. */
static void drop_without_stack(struct pprof_shown *s)
{
	for (size_t i = 0; i < s->p->rows.len; i++)
		if (s->p->rows.data[i].stack == PROFILE_NONE)
			return replace(s, profile_filter(s->p, has_stack, NULL));
}

/* Reports that list samples keep samples apart that become equal. Frames are selected last, as that merges samples. */
static struct strobe_error *select_from(struct pprof_shown *s, const struct pprof_config *c, enum pprof_output output,
					const struct session_host *host)
{
	struct profile *made;
	struct profile_label_select labels = c->labels;
	struct profile_select select = c->select;
	labels.scale = scale;
	labels.label = label;
	labels.unit = c->unit ? c->unit : "minimum";
	select.keeps_apart = output == OUTPUT_TRACES || output == OUTPUT_RAW;
	size_t had = s->p->rows.len;
	if (labels.root || labels.leaf)
		replace(s, profile_frames_of_labels(s->p, &labels));
	if (output != OUTPUT_PROTO && output != OUTPUT_COMMENTS)
		drop_without_stack(s);
	if (profile_selects_labels(&labels)) {
		TRY(profile_select_labels(s->p, &labels, &made));
		replace(s, made);
	}
	if (had && !s->p->rows.len)
		session_say(host, "no samples match tagfocus and tagignore");
	had = s->p->rows.len;
	if (profile_selects(&select)) {
		TRY(profile_select(s->p, &select, &made));
		replace(s, made);
	}
	if (had && !s->p->rows.len)
		session_say(host, "no stacks match focus, ignore, hide, show and show_from");
	return NULL;
}

/* The total divided by the count, which is the first value of a sample in pprof. */
static int64_t mean_total(const struct pprof_shown *s, const int64_t *base_totals)
{
	const struct profile *p = s->p;
	bool is_foreign = p->origin.events_are_values;
	int64_t divisor = 0;
	/* the counts of a base are negative */
	if (is_foreign && base_totals)
		divisor = -base_totals[0];
	if (is_foreign && !base_totals)
		divisor = profile_net_value(p, 0);
	/* the samples of a base are negative, too */
	for (size_t i = 0; i < p->rows.len && !is_foreign; i++)
		divisor += p->rows.data[i].event == s->event ? (int64_t)p->rows.data[i].samples : 0;
	return divisor ? s->total / divisor : s->total;
}

/* The remaining total of the base, whose samples have its label. */
static int64_t base_total(const struct pprof_shown *s)
{
	const struct profile *p = s->p;
	uint32_t column = profile_find_column(p, PPROF_BASE_LABEL);
	int64_t total = 0;
	for (size_t i = 0; i < p->rows.len && column != PROFILE_NONE; i++) {
		const struct profile_row *row = &p->rows.data[i];
		bool is_base = row->labels != PROFILE_NONE && profile_label_values(p, row->labels)[column];
		if (row->event == s->event && is_base)
			total += llabs((int64_t)row->value);
	}
	return total;
}

struct trimming {
	struct arena arena;
	struct source_paths paths;
};

static void trim_file(void *ctx, struct profile *dst, struct profile_function *f)
{
	struct trimming *t = ctx;
	f->file = strtab_add(&dst->strings, source_path_trimmed(&t->arena, profile_str(dst, f->file), &t->paths));
}

/* Reports name source files relative to trim_path and source_path. */
static void trim_sources(struct pprof_shown *s, const struct pprof_config *c)
{
	struct trimming t = { .paths = { .search = c->source_path, .trim = c->trim_path } };
	arena_init(&t.arena);
	bool any = false;
	for (function_id i = 0; i < s->p->functions.len && !any; i++) {
		const char *file = profile_str(s->p, s->p->functions.data[i].file);
		any = source_path_trimmed(&t.arena, file, &t.paths) != file;
	}
	if (any)
		replace(s, profile_rewrite(s->p, &(struct profile_rewrite){ .ctx = &t, .function = trim_file }));
	arena_deinit(&t.arena);
}

static bool names_sources(enum pprof_output o)
{
	return o != OUTPUT_PROTO && o != OUTPUT_RAW && o != OUTPUT_TRACES && o != OUTPUT_TAGS && o != OUTPUT_COMMENTS;
}

/* The total of all values before selection. */
static int64_t whole_total(const struct pprof_shown *s, const struct merged_profile *m)
{
	int64_t base = m->base_totals ? m->base_totals[s->event] : 0;
	if (base)
		return base;
	return m->stream ? pprof_stream_total(m->stream) : profile_gross_value(s->p, s->event);
}

struct strobe_error *pprof_shown_init(struct pprof_shown *s, const struct pprof_input *in, const struct pprof_config *c,
				      enum pprof_output output)
{
	const struct merged_profile *m = in->merged;
	*s = (struct pprof_shown){ .p = m->stream ? pprof_stream_tables(m->stream) : m->profile };
	TRY(profile_choose_event(s->p, c->sample_index ? c->sample_index : "", &s->event));
	s->total = whole_total(s, m);
	if (!s->total && !in->may_be_empty && !m->has_base)
		return error_create(ERROR_NOT_FOUND, "the profile is empty: no sample has a value of '%s'; programs that run "
				    "for less than a sampling period have no samples (100 Hz for CPU time and 512 KB for "
				    "allocations in Go)",
				    profile_event_name(s->p, s->event));
	if (c->mean)
		s->total = mean_total(s, m->base_totals);
	TRY(select_from(s, c, output, in->host));
	if (c->relative)
		s->total = m->base_totals ? base_total(s) : 0;
	if (!m->stream && names_sources(output))
		trim_sources(s, c);
	if (output == OUTPUT_PROTO && c->divide_by != 1)
		replace(s, profile_divide(s->p, c->divide_by));
	return NULL;
}

void pprof_shown_deinit(struct pprof_shown *s)
{
	profile_destroy(s->own);
}
