/*
 * Record source and record sink: the two doors that everything to the right of them shares.
 *
 * A source gives records one at a time in the order it has them (file order, ring order); record/order.h puts a source
 * in time order. A sink takes whole records. Live rings, files, pipes and filters between them all look alike.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "record/env.h"
#include "record/record.h"

struct record_source {
	const struct record_source_ops *ops;
};

/* Records in memory, one after the other, that have not been looked at yet. */
struct record_window {
	const char *at, *end;
	uint64_t file_offset; /* of `at` */
	uint64_t limit_ns;    /* a record of a later time is not the next one: others come before it. `at` is the next in any case */
};

struct record_source_ops {
	/*
	 * The next record, or *ret_end = true. The record's bytes stay valid until the next call, and for as long as the
	 * source lives where `stable` is true (a mapped file).
	 */
	struct strobe_error *(*next)(struct record_source *s, struct record *ret, bool *ret_end);
	/* The environment; complete once the first record has been given (streams bring it as records). */
	const struct env *(*env)(struct record_source *s);
	/* Starts again from the first record; NULL where that is not possible (pipe, live). */
	struct strobe_error *(*rewind)(struct record_source *s);
	bool (*stable)(struct record_source *s); /* NULL: it is not */
	/*
	 * For whoever takes many records at once: what is in memory from the next record on, false where that must be had by next(); then
	 * how much of it was taken, of whole records of the kernel, and the time of the last. NULL: by next() alone.
	 */
	bool (*window)(struct record_source *s, struct record_window *ret);
	void (*take)(struct record_source *s, size_t bytes, uint64_t records, uint64_t last_ns);
	/* What lies before this place of the input is not read again: its memory may be given back. NULL: that is not possible. */
	void (*release)(struct record_source *s, uint64_t file_offset);
	void (*destroy)(struct record_source *s);
};

static inline struct strobe_error *source_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	return s->ops->next(s, ret, ret_end);
}

static inline const struct env *source_env(struct record_source *s)
{
	return s->ops->env(s);
}

static inline bool source_is_stable(struct record_source *s)
{
	return s->ops->stable && s->ops->stable(s);
}

static inline void source_destroy(struct record_source *s)
{
	if (s)
		s->ops->destroy(s);
}

struct record_sink {
	/* Takes n bytes of whole records, borrowed for the call. */
	struct strobe_error *(*write)(struct record_sink *s, const void *records, size_t bytes);
};

static inline struct strobe_error *sink_write(struct record_sink *s, const void *records, size_t bytes)
{
	return s->write(s, records, bytes);
}
