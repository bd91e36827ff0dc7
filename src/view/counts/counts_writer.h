/*
 * Counts as they come, one listing after the other, in the form that `stat` was given: text, CSV, JSON by lines or one JSON document.
 *
 *	counts_writer_begin(&w, &form, &out, colour);
 *	counts_writer_show(&w, c); ...
 *	counts_writer_end(&w);
 *
 * Borrows the form and the output. One thread.
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "table/counts.h"
#include "table/table.h"
#include "view/text/counts_text.h"

struct counts_form {
	const char *separator;    /* CSV with this; or NULL */
	bool json, json_document; /* by lines, and one of all; none of the three is text */
	bool quiet;               /* counts are not shown */
	bool big_num;             /* text: digits in groups, as the locale has them */
	bool clears, table;       /* text: the screen is cleared before each interval; runs one by one */
	bool no_csv_summary;      /* CSV: totals are not marked */
};

static inline bool counts_form_is_text(const struct counts_form *f)
{
	return !f->separator && !f->json && !f->json_document;
}

/* Forms that exclude each other, by the options of `stat`. ERROR_USAGE. runs: how often; 0: forever. */
struct strobe_error *counts_form_check(const struct counts_form *f, uint64_t runs) _must_check_;

struct counts_writer {
	const struct counts_form *form;
	struct out *out;
	struct counts_text text;
	struct json json; /* of the document */
	bool json_begun;
	char *thousands; /* between groups of digits */
};

void counts_writer_begin(struct counts_writer *w, const struct counts_form *form, struct out *out, bool colour);
/* A callback: ctx is the counts_writer. What is shown is flushed. */
void counts_writer_show(void *ctx, struct counts *c);
/* A table in place of counts. */
void counts_writer_table(struct counts_writer *w, const struct table *t);
/* Ends a document that was begun. Once, also of one that is zeroed. */
void counts_writer_end(struct counts_writer *w);
