#include "view/counts/counts_writer.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>

#include "base/mem.h"
#include "view/data/counts_csv.h"
#include "view/data/counts_json.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

#define CLEAR_SCREEN "\033[H\033[2J"

/* The user's separator between groups of digits; the program itself stays in the C locale. */
static char *thousands_separator(void)
{
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	if (!locale)
		return xstrdup("");
	char *separator = xstrdup(nl_langinfo_l(THOUSEP, locale));
	freelocale(locale);
	return separator;
}

struct strobe_error *counts_form_check(const struct counts_form *f, uint64_t runs)
{
	if (f->separator && (f->json || f->json_document))
		return error_create(ERROR_USAGE, "-x and -j exclude each other");
	if (f->table && runs <= 1)
		return error_create(ERROR_USAGE, "--table requires -r");
	return NULL;
}

void counts_writer_begin(struct counts_writer *w, const struct counts_form *form, struct out *out, bool colour)
{
	*w = (struct counts_writer){ .form = form, .out = out };
	w->thousands = form->big_num && counts_form_is_text(form) ? thousands_separator() : xstrdup("");
	w->text = (struct counts_text){
		.colour = colour,
		.thousands = w->thousands,
		.clear = form->clears ? CLEAR_SCREEN : NULL,
		.table = form->table,
	};
}

void counts_writer_show(void *ctx, struct counts *c)
{
	struct counts_writer *w = ctx;
	const struct counts_form *f = w->form;
	if (f->quiet)
		return;
	if (f->json_document) {
		if (!w->json_begun)
			counts_json_begin(&w->json, w->out, c->target);
		w->json_begun = true;
		counts_json_add(&w->json, c);
	} else if (f->json) {
		counts_json_lines(w->out, c);
	} else if (f->separator) {
		counts_csv(w->out, c, f->separator, f->no_csv_summary);
	} else {
		counts_text(&w->text, w->out, c);
	}
	out_flush(w->out);
}

void counts_writer_table(struct counts_writer *w, const struct table *t)
{
	const struct counts_form *f = w->form;
	if (f->json || f->json_document) {
		table_json(w->out, t);
	} else if (f->separator) {
		table_csv(w->out, t, f->separator);
	} else {
		out_str(w->out, "\n Performance counter stats compared\n\n");
		table_text(w->out, t, NULL);
		out_ch(w->out, '\n');
	}
}

void counts_writer_end(struct counts_writer *w)
{
	if (w->json_begun)
		counts_json_end(&w->json);
	free(w->thousands);
}
