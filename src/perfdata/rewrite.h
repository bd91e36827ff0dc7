/*
 * A recording copied record by record into a writer, with a filter between: what inject is made of.
 *
 * Descriptions that the writer makes anew from the environment (attrs, features, tracepoint formats) and the wrappers of
 * compressed records are left out; AUX payloads are carried. Records stay in the order of the source.
 */
#pragma once
#include "base/error.h"
#include "perfdata/writer.h"
#include "record/source.h"

/* What becomes of a record: keep it, or drop it; the filter may write others to the sink before. NULL keeps all. */
struct rewrite_filter {
	struct strobe_error *(*record)(struct rewrite_filter *f, struct record r, struct record_sink *out, bool *ret_keep);
};

/*
 * reader is one of reader_open(); source is reader, or gives its records in another order, those of user types as they come.
 * The writer is not finished here.
 */
struct strobe_error *rewrite(struct record_source *source, struct record_source *reader, struct writer *w,
			     struct rewrite_filter *filter) _must_check_;
