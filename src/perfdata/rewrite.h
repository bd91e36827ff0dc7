/*
 * Copies a recording record by record to a writer, through a filter: used by inject.
 *
 * Descriptions that the writer generates from the environment (attrs, features, tracepoint formats) and wrappers of compressed
 * records are left out; AUX payloads are copied. Records stay in the order of the source.
 */
#pragma once
#include "base/error.h"
#include "perfdata/writer.h"
#include "record/source.h"

/* Decides whether to keep or drop a record; the filter may first write others to the sink. NULL keeps all. */
struct rewrite_filter {
	struct strobe_error *(*record)(struct rewrite_filter *f, struct record r, struct record_sink *out, bool *ret_keep);
};

/*
 * reader is from reader_open(); source is reader, or yields its records in another order, with those of user types in file order. Does not
 * finish the writer.
 */
struct strobe_error *rewrite(struct record_source *source, struct record_source *reader, struct writer *w,
			     struct rewrite_filter *filter) _must_check_;
