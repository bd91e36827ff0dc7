/*
 * Values for a child interpreter: a stream of batches, each a list of the values since the previous batch, in a format of the
 * interpreter's standard library (scripting/pickle.h for Python, scripting/storable.h for Perl).
 *
 * Errors cannot occur; one thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

enum value_container { VALUE_DICT, VALUE_LIST, VALUE_TUPLE };

struct value_stream {
	const struct value_format *format;
	struct out out;       /* the current batch */
	bool has_new_strings; /* a string was sent in full since this was cleared: the bytes must not be sent twice */
};

struct value_format {
	struct value_stream *(*create)(void);
	void (*destroy)(struct value_stream *s);
	const char *(*batch)(struct value_stream *s, size_t *ret_bytes);
	void (*next)(struct value_stream *s);
	void (*none)(struct value_stream *s);
	void (*boolean)(struct value_stream *s, bool v);
	void (*u64)(struct value_stream *s, uint64_t v);
	void (*i64)(struct value_stream *s, int64_t v);
	void (*text)(struct value_stream *s, const char *text, size_t n);
	void (*name)(struct value_stream *s, const char *name);
	void (*bytes)(struct value_stream *s, const void *data, size_t n);
	void (*buffer)(struct value_stream *s, const void *data, size_t n);
	void (*context)(struct value_stream *s);
	void (*made)(struct value_stream *s, const char *data, size_t n);
	void (*begin)(struct value_stream *s, enum value_container c);
	void (*end)(struct value_stream *s, enum value_container c);
};

/* The current batch, complete; value_next() begins another. Nothing to send: *ret_bytes is 0. */
static inline const char *value_batch(struct value_stream *s, size_t *ret_bytes)
{
	return s->format->batch(s, ret_bytes);
}

static inline void value_next(struct value_stream *s)
{
	s->format->next(s);
}

/* Bytes of the current batch. */
static inline size_t value_bytes_held(const struct value_stream *s)
{
	return s->out.len;
}

static inline void value_none(struct value_stream *s)
{
	s->format->none(s);
}

static inline void value_bool(struct value_stream *s, bool v)
{
	s->format->boolean(s, v);
}

static inline void value_u64(struct value_stream *s, uint64_t v)
{
	s->format->u64(s, v);
}

static inline void value_i64(struct value_stream *s, int64_t v)
{
	s->format->i64(s, v);
}

/* Text of unknown encoding. */
static inline void value_text(struct value_stream *s, const char *text, size_t n)
{
	s->format->text(s, text, n);
}

/* A string that stays valid and unchanged as long as the stream. In a dict each value follows its key, which is a name. */
static inline void value_name(struct value_stream *s, const char *name)
{
	s->format->name(s, name);
}

static inline void value_bytes(struct value_stream *s, const void *data, size_t n)
{
	s->format->bytes(s, data, n);
}

/* Bytes that a script may change: a bytearray. */
static inline void value_buffer(struct value_stream *s, const void *data, size_t n)
{
	s->format->buffer(s, data, n);
}

/* The context argument of handlers. */
static inline void value_context(struct value_stream *s)
{
	s->format->context(s);
}

/* The bytes of a list item that were written before, without new strings. */
static inline void value_made(struct value_stream *s, const char *data, size_t n)
{
	s->format->made(s, data, n);
}

/* Values between begin and end are its items; in a dict keys and values in turn. */
static inline void value_begin(struct value_stream *s, enum value_container c)
{
	s->format->begin(s, c);
}

static inline void value_end(struct value_stream *s, enum value_container c)
{
	s->format->end(s, c);
}
