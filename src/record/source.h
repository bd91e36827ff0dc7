/*
 * Record source and record sink, the interfaces between readers, filters and writers of records.
 *
 * A source delivers records one at a time in its own order (file order, ring order); record/order.h sorts a source by time.
 * A sink takes complete records. Live rings, files, pipes and filters have the same interface.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "record/env.h"
#include "record/record.h"

struct record_source {
	const struct record_source_ops *ops;
};

/* Consecutive records in memory that have not been read yet. */
struct record_window {
	const char *at, *end;
	uint64_t file_offset; /* of `at` */
	uint64_t limit_ns;    /* a record with a later time is not the next one, since others precede it. `at` is the next in any case */
};

struct record_source_ops {
	/*
	 * The next record, or *ret_end = true. The record's bytes are valid until the next call, or if `stable` (a mapped
	 * file) as long as the source.
	 */
	struct strobe_error *(*next)(struct record_source *s, struct record *ret, bool *ret_end);
	/* The environment; complete after the first record (streams have it as records). */
	const struct env *(*env)(struct record_source *s);
	/* Rewinds to the first record; NULL: impossible (pipe, live). */
	struct strobe_error *(*rewind)(struct record_source *s);
	bool (*stable)(struct record_source *s); /* NULL: it is not */
	/*
	 * For reading many records at once: window() returns the memory from the next record on, false: use next(); then take() consumes
	 * bytes of complete kernel records, up to the last one's time. NULL: only next().
	 */
	bool (*window)(struct record_source *s, struct record_window *ret);
	void (*take)(struct record_source *s, size_t bytes, uint64_t records, uint64_t last_ns);
	/* Data before this offset of the input is not read again, and its memory may be released. NULL: not supported. */
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
