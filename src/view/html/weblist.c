#include "view/html/weblist.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define MARGIN 5    /* lines around those that have code */
#define GAP_MAX 20  /* maximum number of lines without code shown between two with code */

static const char page_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"UTF-8\">\n<title>Pprof listing</title>\n<style>\n"
	"body{font-family:sans-serif;color-scheme:light dark}\n.legend{font-size:1.25em}\n.line,.nop,.unimportant{color:#888}\n"
	"summary{cursor:pointer;list-style:none}\nsummary:hover{background:#8883}\n.asm{color:#080}\n"
	"</style>\n</head>\n<body>\n";

/* An instruction of a line of the routine's own source, including code inlined there. */
struct insn_line {
	uint32_t file, line, insn;
	struct code_sum sum;
};

static int compare_lines(const void *a, const void *b)
{
	const struct insn_line *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->insn < y->insn ? -1 : x->insn > y->insn;
}

static const struct listing_place *outermost(const struct listing *l, uint32_t place)
{
	while (place != LISTING_NONE && l->places.data[place].caller != LISTING_NONE)
		place = l->places.data[place].caller;
	return place == LISTING_NONE ? NULL : &l->places.data[place];
}

static void out_source(struct out *out, const struct code_file *f, uint32_t line)
{
	size_t n;
	const char *text = f ? lines_get(f->lines, line, &n) : NULL;
	if (text)
		code_out_source(out, text, n, out_xml);
	else
		out_str(out, line ? "???" : "&lt;instructions with unknown line numbers&gt;");
}

static void out_figures(const struct code_values *v, struct code_sum sum, struct out *out)
{
	code_out_value(v, out, sum.flat);
	out_ch(out, ' ');
	code_out_value(v, out, sum.cum);
}

static void out_insn(const struct code_values *v, const struct routine *r, const struct insn_line *at, struct out *out)
{
	const struct listing_insn *insn = &r->l->insns.data[at->insn];
	const struct listing_place *place = insn->place == LISTING_NONE ? NULL : &r->l->places.data[insn->place];
	out_fill(out, ' ', 10);
	out_figures(v, at->sum, out);
	out_f(out, " %8" PRIx64 ": ", insn->addr);
	out_xml_str(out, insn->text);
	if (place && place->file != LISTING_NONE) {
		size_t n = strlen(insn->text);
		out_fill(out, ' ', n < 60 ? 60 - n : 1);
		out_str(out, "<span class=unimportant>");
		out_xml_str(out, text_base_name(r->l->files.data[place->file].path));
		out_f(out, ":%" PRIu32 "</span>", place->line);
	}
	out_ch(out, '\n');
}

static void out_line(const struct code_values *v, const struct routine *r, const struct code_file *f, uint32_t line,
		     const struct insn_line *at, size_t n, struct out *out)
{
	struct code_sum sum = {};
	for (size_t i = 0; i < n; i++)
		code_sum_add(&sum, at[i].sum.flat, at[i].sum.cum);
	out_str(out, n ? "<details><summary>" : "<span class=nop>");
	out_f(out, "<span class=line> %6" PRIu32 "</span>   ", line);
	out_figures(v, sum, out);
	out_str(out, "           ");
	out_source(out, f, line);
	out_str(out, n ? "</summary><span class=asm>" : "</span>\n");
	for (size_t i = 0; i < n; i++)
		out_insn(v, r, at + i, out);
	if (n)
		out_str(out, "</span></details>");
}

/* A block of adjacent lines of one file. */
static void out_block(const struct code_values *v, const struct routine *r, const struct code_file *f, const struct insn_line *at,
		      size_t n, struct out *out)
{
	struct code_sum sum = {};
	for (size_t i = 0; i < n; i++)
		code_sum_add(&sum, at[i].sum.flat, at[i].sum.cum);
	if (!sum.cum)
		return;
	out_str(out, "<h2>");
	out_xml_str(out, r->name);
	out_str(out, "</h2><p class=\"filename\">");
	out_xml_str(out, f ? f->path : "");
	out_str(out, "</p>\n<pre>\n  Total:  ");
	code_out_sum(v, out, sum);
	uint32_t line = at->line > MARGIN ? at->line - MARGIN : at->line ? 1 : 0;
	uint64_t last = (uint64_t)at[n - 1].line + MARGIN;
	for (size_t i = 0; line <= last; line++) {
		size_t first = i;
		while (i < n && at[i].line == line)
			i++;
		if (i > first || (f && line && line <= lines_count(f->lines)))
			out_line(v, r, f, line, at + first, i - first, out);
	}
	out_str(out, "</pre>\n");
}

void view_weblist_routine(const struct code_values *v, const struct routine *r, const struct code_files *files, struct out *out)
{
	size_t n = r->l->insns.len;
	struct insn_line *lines = xcalloc(n + 1, sizeof(*lines));
	for (uint32_t i = 0; i < n; i++) {
		const struct listing_place *place = outermost(r->l, r->l->insns.data[i].place);
		lines[i] = (struct insn_line){ place ? place->file : LISTING_NONE, place ? place->line : 0, i, r->insns[i].sum };
	}
	if (n)
		qsort(lines, n, sizeof(*lines), compare_lines);
	for (size_t from = 0, to; from < n; from = to) {
		uint32_t file = lines[from].file;
		for (to = from + 1; to < n && lines[to].file == file && lines[to].line - lines[to - 1].line <= GAP_MAX;)
			to++;
		struct code_file f = {};
		if (file != LISTING_NONE)
			f = files->get(files->ctx, r->l->files.data[file].path);
		out_block(v, r, f.lines ? &f : NULL, lines + from, to - from, out);
	}
	free(lines);
}

void view_weblist_begin(const struct code_values *v, struct out *out)
{
	char total[PPROF_LABEL_MAX];
	const struct profile *p = v->p;
	code_value(v, v->total, total);
	out_str(out, page_head);
	out_str(out, "<div class=\"legend\">");
	if (p->mappings.len && p->mappings.data[0].name) {
		out_str(out, "File: ");
		out_xml_str(out, profile_str(p, p->mappings.data[0].name));
		out_str(out, "<br>\n");
	}
	out_str(out, "Type: ");
	out_xml_str(out, profile_event_name(p, v->event));
	out_f(out, "<br>Total: %s</div>\n", total);
}

void view_weblist_end(struct out *out)
{
	out_str(out, "</body>\n</html>\n");
}
