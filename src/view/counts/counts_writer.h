/*
 * Writes counts as they arrive, one listing after the other, in the format selected by options of `stat`: text, CSV, JSON lines or one
 * JSON document.
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
	const char *separator;    /* CSV with this separator; or NULL */
	bool json, json_document; /* JSON lines; one document; without any of the three: text */
	bool quiet;               /* counts are not shown */
	bool big_num;             /* text: digits grouped as in the locale */
	bool clears, table;       /* text: clear the screen before each interval; list runs one by one */
	bool no_csv_summary;      /* CSV: totals are not marked */
};

static inline bool counts_form_is_text(const struct counts_form *f)
{
	return !f->separator && !f->json && !f->json_document;
}

/* ERROR_USAGE for options of `stat` that exclude each other. runs: number of runs; 0: forever. */
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
/* A callback: ctx is the counts_writer. Flushes the output. */
void counts_writer_show(void *ctx, struct counts *c);
/* A table in place of counts. */
void counts_writer_table(struct counts_writer *w, const struct table *t);
/* Ends a document that was begun. Call it once; a zeroed writer is valid, too. */
void counts_writer_end(struct counts_writer *w);
