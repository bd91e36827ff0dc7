#include "cli/help.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vector.h"

#define TEXT_COLUMN   26
#define TEXT_COLUMNS  120 /* maximum columns of the text */
#define NAMES_COLUMNS 24  /* longer names get a separate line */

void help_usage(struct out *o, const char *program, const char *const *usage)
{
	for (size_t i = 0; usage[i]; i++)
		out_f(o, "%s: %s %s\n", i ? "    or" : " Usage", program, usage[i]);
}

/* " <n>", "[=<n>]" or "[<n>]": the form of the value. */
static void add_value(struct strbuf *b, const struct option *o)
{
	if (!option_takes_value(o))
		return;
	const char *arg = o->arg ? o->arg : o->kind == OPTION_STRING ? "str" : "n";
	if (!o->optional_arg)
		strbuf_addf(b, " <%s>", arg);
	else
		strbuf_addf(b, o->long_name ? "[=<%s>]" : "[<%s>]", arg);
}

/* Lines of a help text, broken at blanks to at most TEXT_COLUMNS. */
static void help_text(struct out *o, const char *text)
{
	size_t used = 0;
	for (const char *p = text; *p; p++) {
		bool ends = *p == '\n' || (*p == ' ' && used + strcspn(p + 1, " \n") >= TEXT_COLUMNS);
		out_ch(o, ends ? '\n' : *p);
		used = ends ? 0 : used + 1;
		if (ends)
			out_fill(o, ' ', TEXT_COLUMN);
	}
}

void help_row(struct out *o, const struct option *option)
{
	if (option->kind == OPTION_GROUP) {
		out_f(o, "\n%s\n", option->help);
		return;
	}
	_cleanup_strbuf_ struct strbuf names = {};
	if (option->short_name)
		strbuf_addf(&names, "    -%c%s", option->short_name, option->long_name ? ", " : "");
	else
		strbuf_addstr(&names, "        ");
	if (option->long_name)
		strbuf_addf(&names, "--%s", option->long_name);
	add_value(&names, option);
	out_write(o, strbuf_str(&names), names.len);
	if (names.len <= NAMES_COLUMNS) {
		out_fill(o, ' ', TEXT_COLUMN - names.len);
	} else {
		out_ch(o, '\n');
		out_fill(o, ' ', TEXT_COLUMN);
	}
	help_text(o, option->help ? option->help : "");
	out_ch(o, '\n');
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct option *a = *(const struct option *const *)pa, *b = *(const struct option *const *)pb;
	if (!a->short_name != !b->short_name)
		return a->short_name ? -1 : 1;
	if (!a->short_name)
		return strcmp(a->long_name, b->long_name);
	int by_letter = tolower((unsigned char)a->short_name) - tolower((unsigned char)b->short_name);
	return by_letter ? by_letter : b->short_name - a->short_name;
}

struct rows {
	const struct option **data;
	size_t len, cap;
};

/* The rows to show, in order of display. */
static struct rows collect(const struct option *table)
{
	struct rows rows = {};
	bool has_groups = false;
	for (struct option_walk w = option_walk(table); option_next(&w);) {
		has_groups |= w.row->kind == OPTION_GROUP;
		if (!w.row->hidden)
			vec_push(&rows, w.row);
	}
	if (!has_groups && rows.len)
		qsort(rows.data, rows.len, sizeof(*rows.data), compare_rows);
	return rows;
}

void help_options(struct out *o, const struct option *table)
{
	struct rows rows = collect(table);
	for (size_t i = 0; i < rows.len; i++)
		help_row(o, rows.data[i]);
	vec_deinit(&rows);
}

static bool is_about(const struct option *o, const char *word)
{
	if (o->kind == OPTION_GROUP)
		return false;
	if (word[0] == '-' && word[1] == '-')
		return o->long_name && !strcmp(o->long_name, word + 2);
	if (word[0] == '-')
		return o->short_name && o->short_name == word[1];
	if (word[0] && !word[1])
		return o->short_name == word[0];
	return (o->long_name && strcasestr(o->long_name, word)) || (o->arg && strcasestr(o->arg, word)) ||
	       (o->help && strcasestr(o->help, word));
}

bool help_matching(struct out *o, const struct option *table, const char *const *words, int n)
{
	struct rows rows = collect(table);
	bool any = false;
	for (size_t i = 0; i < rows.len; i++) {
		bool matches = false;
		for (int w = 0; w < n; w++)
			matches |= is_about(rows.data[i], words[w]);
		if (matches)
			help_row(o, rows.data[i]);
		any |= matches;
	}
	vec_deinit(&rows);
	return any;
}

void help_list_opts(struct out *o, const struct option *table)
{
	for (struct option_walk w = option_walk(table); option_next(&w);)
		if (w.row->kind != OPTION_GROUP && w.row->long_name && !w.row->hidden)
			out_f(o, "--%s ", w.row->long_name);
	out_ch(o, '\n');
}

/* Text for roff: requests and escapes are quoted. */
static void man_text(struct out *o, const char *s)
{
	bool line_start = true;
	for (; *s; s++) {
		if (line_start && (*s == '.' || *s == '\''))
			out_str(o, "\\&");
		line_start = *s == '\n';
		if (*s == '\\')
			out_str(o, "\\e");
		else if (*s == '-')
			out_str(o, "\\-");
		else if (*s == '\n')
			out_str(o, "\n.br\n");
		else
			out_ch(o, *s);
	}
}

static void man_name(struct out *o, const char *dashes, const char *name)
{
	out_str(o, "\\fB");
	man_text(o, dashes);
	man_text(o, name);
	out_str(o, "\\fR");
}

void help_man_options(struct out *o, const struct option *table)
{
	struct rows rows = collect(table);
	for (size_t i = 0; i < rows.len; i++) {
		const struct option *row = rows.data[i];
		if (row->kind == OPTION_GROUP) {
			out_str(o, ".SS ");
			man_text(o, row->help);
			out_ch(o, '\n');
			continue;
		}
		out_str(o, ".TP\n");
		if (row->short_name)
			man_name(o, "-", (char[]){ row->short_name, 0 });
		if (row->short_name && row->long_name)
			out_str(o, ", ");
		if (row->long_name)
			man_name(o, "--", row->long_name);
		_cleanup_strbuf_ struct strbuf value = {};
		add_value(&value, row);
		man_text(o, strbuf_str(&value));
		out_ch(o, '\n');
		man_text(o, row->help ? row->help : "");
		out_ch(o, '\n');
	}
	vec_deinit(&rows);
}
