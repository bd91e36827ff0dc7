#include "view/text/pprof_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/callgraph.h"
#include "profile/pattern.h"

#define MARGIN 5 /* lines shown around those with values */

/* A line of a function with a value. */
struct spot {
	const char *name, *file;
	uint32_t line, start_line;
	int64_t flat, cum;
};

struct spots {
	VEC(struct spot) all;
};

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int by_name = strcmp(x->name, y->name), by_file = by_name ? by_name : strcmp(x->file, y->file);
	return by_file ? by_file : x->line < y->line ? -1 : x->line > y->line;
}

static struct strobe_error *find_spots(const struct pprof_list_options *o, const struct callgraph *g, struct spots *spots)
{
	const struct profile *p = g->profile;
	regex_t re;
	TRY(pattern_compile(o->pattern, &re));
	for (size_t i = 0; i < g->nodes.len; i++) {
		const struct callgraph_node *n = &g->nodes.data[i];
		function_id function = p->frames.data[n->frame].function;
		if (!callgraph_has_value(g, n) || function == PROFILE_NONE)
			continue;
		struct callgraph_place place = callgraph_place(g, n);
		struct spot s = { place.name, place.file, place.line, p->functions.data[function].line, n->flat, n->cum };
		if (*s.name && !regexec(&re, s.name, 0, NULL, 0))
			vec_push(&spots->all, s);
	}
	regfree(&re);
	if (!spots->all.len)
		return code_no_match(o->pattern);
	qsort(spots->all.data, spots->all.len, sizeof(struct spot), compare_spots);
	return NULL;
}

/* The range of source lines shown: from the function's first line, if known. */
static void range_of(const struct spot *s, size_t n, uint32_t *ret_first, uint32_t *ret_last)
{
	*ret_first = UINT32_MAX;
	*ret_last = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t first = s[i].start_line ? s[i].start_line : s[i].line > MARGIN ? s[i].line - MARGIN : 1;
		uint32_t last = s[i].line > UINT32_MAX - MARGIN ? UINT32_MAX : s[i].line + MARGIN;
		*ret_first = first < *ret_first ? first : *ret_first;
		*ret_last = last > *ret_last ? last : *ret_last;
	}
}

static void out_lines(const struct code_values *v, const struct spot *s, size_t n, const struct lines *lines, struct out *out)
{
	uint32_t first, last;
	range_of(s, n, &first, &last);
	for (size_t line = first, at = 0; line <= last && line <= lines_count(lines); line++) {
		struct code_sum sum = {};
		while (at < n && s[at].line < line)
			at++;
		for (; at < n && s[at].line == line; at++)
			code_sum_add(&sum, s[at].flat, s[at].cum);
		size_t bytes;
		const char *text = lines_get(lines, line, &bytes);
		code_out_value(v, out, sum.flat);
		out_ch(out, ' ');
		code_out_value(v, out, sum.cum);
		out_f(out, " %6zu:", line);
		code_out_source(out, text ? text : "", text ? bytes : 0, out_text);
		out_ch(out, '\n');
	}
}

/* One function in one file. */
static void out_routine(const struct code_values *v, const struct spot *s, size_t n, const struct code_files *files, struct out *out)
{
	struct code_sum sum = {};
	for (size_t i = 0; i < n; i++)
		code_sum_add(&sum, s[i].flat, s[i].cum);
	struct code_file f = files->get(files->ctx, s->file);
	out_str(out, "ROUTINE ======================== ");
	out_text(out, s->name, strlen(s->name));
	out_str(out, " in ");
	out_text(out, s->file, strlen(s->file));
	out_ch(out, '\n');
	code_out_sum(v, out, sum);
	if (!f.problem) {
		out_lines(v, s, n, f.lines, out);
		return;
	}
	out_str(out, " Error: ");
	out_text(out, f.problem, strlen(f.problem));
	out_ch(out, '\n');
}

static void out_spots(const struct code_values *v, const struct spots *spots, const struct code_files *files, struct out *out)
{
	const struct spot *s = spots->all.data, *end = s + spots->all.len;
	const char *name = NULL;
	while (s < end) {
		const struct spot *first = s;
		bool is_new = !name || strcmp(name, s->name);
		name = s->name;
		while (s < end && !strcmp(s->name, first->name) && !strcmp(s->file, first->file))
			s++;
		bool is_only = is_new && (s == end || strcmp(s->name, name));
		if (*first->file) {
			out_routine(v, first, (size_t)(s - first), files, out);
		} else if (is_only) {
			out_str(out, "No source information for ");
			out_text(out, name, strlen(name));
			out_ch(out, '\n');
		}
	}
}

struct strobe_error *view_pprof_list(const struct pprof_list_options *o, struct out *out)
{
	struct code_values v = o->values;
	struct callgraph_options options = {
		.by = CALLGRAPH_LINES, .event = v.event, .no_inlines = o->no_inlines, .drop_negative = o->drop_negative,
	};
	struct callgraph *g = callgraph_create(v.p, options);
	struct spots spots = {};
	char total[PPROF_LABEL_MAX];
	v.total = v.total ? v.total : g->total;
	struct strobe_error *err = find_spots(o, g, &spots);
	if (!err) {
		code_value(&v, v.total, total);
		out_f(out, "Total: %s\n", total);
		out_spots(&v, &spots, &o->files, out);
	}
	vec_deinit(&spots.all);
	callgraph_destroy(g);
	return err;
}
