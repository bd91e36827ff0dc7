#include "scripting/storable.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Types, by the names of Storable.xs. */
enum {
	SX_LSCALAR = 1,
	SX_ARRAY = 2,
	SX_HASH = 3,
	SX_REF = 4,
	SX_UNDEF = 5,
	SX_INTEGER = 6,
	SX_BYTE = 8, /* -128 to 127, stored with 128 added */
	SX_SCALAR = 10,
};

#define SIZE_BYTES 4 /* of the size of the batch */
#define DEPTH_MAX  16

/* An open container: its number of items is known only at its end. */
struct storable_open {
	size_t count_at;
	uint32_t count;
	bool is_dict;
	const char *key; /* of the next value, after which it is written; NULL: a key is next */
};

struct storable {
	struct value_stream stream;
	struct storable_open open[DEPTH_MAX];
	unsigned depth;
};

static struct storable *of(struct value_stream *s)
{
	return (struct storable *)s; /* its first member */
}

static void put_u32(struct value_stream *s, uint32_t v)
{
	out_write(&s->out, &v, sizeof(v));
}

static struct storable_open *innermost(struct storable *s)
{
	return &s->open[s->depth - 1];
}

/* Called after each value: counts it, and in a dict writes its key. */
static void item_is_complete(struct value_stream *s)
{
	struct storable_open *o = innermost(of(s));
	o->count++;
	if (!o->is_dict)
		return;
	size_t n = strlen(o->key);
	put_u32(s, (uint32_t)n);
	out_write(&s->out, o->key, n);
	o->key = NULL;
}

static void open_container(struct value_stream *s, bool is_dict)
{
	struct storable *st = of(s);
	if (st->depth == DEPTH_MAX)
		abort(); /* cannot happen: we wrote it */
	out_ch(&s->out, is_dict ? SX_HASH : SX_ARRAY);
	st->open[st->depth++] = (struct storable_open){ .count_at = s->out.len, .is_dict = is_dict };
	put_u32(s, 0);
}

static void close_container(struct value_stream *s)
{
	struct storable *st = of(s);
	const struct storable_open *o = &st->open[--st->depth];
	memcpy(s->out.buf + o->count_at, &o->count, sizeof(o->count));
}

static void storable_next(struct value_stream *s)
{
	s->out.len = 0;
	of(s)->depth = 0;
	put_u32(s, 0);
	open_container(s, false);
}

static struct value_stream *storable_create(void)
{
	struct storable *s = xcalloc(1, sizeof(*s));
	s->stream.format = &storable_format;
	out_init_mem(&s->stream.out);
	storable_next(&s->stream);
	return &s->stream;
}

static void storable_destroy(struct value_stream *s)
{
	error_destroy(out_close(&s->out)); /* writing to memory does not fail */
	free(of(s));
}

static const char *storable_batch(struct value_stream *s, size_t *ret_bytes)
{
	*ret_bytes = 0;
	if (!innermost(of(s))->count)
		return NULL;
	close_container(s);
	uint32_t bytes = (uint32_t)(s->out.len - SIZE_BYTES);
	memcpy(s->out.buf, &bytes, sizeof(bytes));
	return out_mem(&s->out, ret_bytes);
}

static void put_bytes(struct value_stream *s, const void *data, size_t n)
{
	if (n <= UINT8_MAX) {
		out_ch(&s->out, SX_SCALAR);
		out_ch(&s->out, (char)n);
	} else {
		out_ch(&s->out, SX_LSCALAR);
		put_u32(s, (uint32_t)n);
	}
	out_write(&s->out, data, n);
	item_is_complete(s);
}

static void storable_none(struct value_stream *s)
{
	out_ch(&s->out, SX_UNDEF);
	item_is_complete(s);
}

static void storable_i64(struct value_stream *s, int64_t v)
{
	if (v >= -128 && v <= 127) {
		out_ch(&s->out, SX_BYTE);
		out_ch(&s->out, (char)(v + 128));
	} else {
		out_ch(&s->out, SX_INTEGER);
		out_write(&s->out, &v, sizeof(v));
	}
	item_is_complete(s);
}

static void storable_u64(struct value_stream *s, uint64_t v)
{
	char digits[20];
	size_t at = sizeof(digits);
	if (v <= INT64_MAX) {
		storable_i64(s, (int64_t)v);
		return;
	}
	for (; v; v /= 10)
		digits[--at] = (char)('0' + v % 10);
	put_bytes(s, digits + at, sizeof(digits) - at);
}

static void storable_boolean(struct value_stream *s, bool v)
{
	storable_i64(s, v);
}

static void storable_text(struct value_stream *s, const char *text, size_t n)
{
	put_bytes(s, text, n);
}

static void storable_name(struct value_stream *s, const char *name)
{
	struct storable_open *o = innermost(of(s));
	if (o->is_dict && !o->key)
		o->key = name;
	else
		put_bytes(s, name, strlen(name));
}

/* An opaque number: the modules hold the data of the current event. */
static void storable_context(struct value_stream *s)
{
	storable_i64(s, 1);
}

static void storable_made(struct value_stream *s, const char *data, size_t n)
{
	out_write(&s->out, data, n);
	item_is_complete(s);
}

static void storable_begin(struct value_stream *s, enum value_container c)
{
	out_ch(&s->out, SX_REF);
	open_container(s, c == VALUE_DICT);
}

static void storable_end(struct value_stream *s, enum value_container c)
{
	(void)c;
	close_container(s);
	item_is_complete(s);
}

const struct value_format storable_format = {
	.create = storable_create,
	.destroy = storable_destroy,
	.batch = storable_batch,
	.next = storable_next,
	.none = storable_none,
	.boolean = storable_boolean,
	.u64 = storable_u64,
	.i64 = storable_i64,
	.text = storable_text,
	.name = storable_name,
	.bytes = put_bytes,
	.buffer = put_bytes,
	.context = storable_context,
	.made = storable_made,
	.begin = storable_begin,
	.end = storable_end,
};
