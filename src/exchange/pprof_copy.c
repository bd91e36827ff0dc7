#include "exchange/pprof_copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "exchange/pprof_proto.h"
#include "exchange/pprof_read_priv.h"
#include "packing/gzip.h"

struct pprof_copy {
	struct pprof_reader reader;     /* its tables, but no rows */
	struct exchange_bytes unpacked; /* the input of the reader */
	VEC(size_t) samples;            /* the offset of each one's field in the unpacked bytes, tag and length included */
	VEC(int64_t) values;            /* by sample: one per event */
	struct idset index;             /* of samples, by all but their values */
	uint8_t *packed;                /* the file if nothing in it is to change; else NULL */
	size_t packed_n;
	bool has_alike;
};

/* ---- samples as they are in the file ---- */

static struct cursor sample_at(const struct pprof_copy *c, size_t i)
{
	struct cursor at = c->reader.file;
	struct proto_field f;
	at.at = at.start + c->samples.data[i];
	return proto_next(&at, &f) ? f.bytes : (struct cursor){};
}

/* The next field that is not a value, as it is; 0 bytes at the end. */
static size_t next_kept(struct cursor *sample, const uint8_t **ret)
{
	struct proto_field f;
	for (*ret = sample->at; proto_next(sample, &f); *ret = sample->at)
		if (f.number != SAMPLE_VALUE)
			return (size_t)(sample->at - *ret);
	return 0;
}

static uint64_t hash_sample(struct cursor sample)
{
	const uint8_t *field;
	uint64_t hash = 0;
	for (size_t n; (n = next_kept(&sample, &field));)
		hash = hash_combine(hash, hash_bytes(field, n));
	return hash;
}

static bool sample_eq(const void *table, uint32_t id, const void *key)
{
	const struct pprof_copy *c = table;
	struct cursor a = sample_at(c, id), b = *(const struct cursor *)key;
	const uint8_t *x, *y;
	for (;;) {
		size_t n = next_kept(&a, &x), m = next_kept(&b, &y);
		if (n != m || memcmp(x, y, n))
			return false;
		if (!n)
			return true;
	}
}

/* ---- reading ---- */

/* The values of equal samples are summed. */
static void take_sample(struct pprof_copy *c, const struct pprof_sample *s)
{
	size_t nr = s->values.len;
	uint64_t hash = hash_sample(s->bytes);
	uint32_t id = idset_intern(&c->index, hash, sample_eq, c, &s->bytes, c->samples.len);
	if (id == c->samples.len) {
		vec_push(&c->samples, s->start);
		memcpy(vec_extend(&c->values, nr), s->values.data, nr * sizeof(int64_t));
		return;
	}
	c->has_alike = true;
	for (size_t i = 0; i < nr; i++) {
		int64_t *sum = &c->values.data[id * nr + i];
		*sum = (int64_t)((uint64_t)*sum + (uint64_t)s->values.data[i]);
	}
}

static struct strobe_error *read_samples(struct pprof_copy *c)
{
	struct cursor at = c->reader.file;
	struct pprof_sample s = {};
	struct strobe_error *err = NULL;
	while (pprof_next_sample(&c->reader, &at, &s, &err)) {
		if (c->samples.len == UINT32_MAX) {
			err = error_create(ERROR_LIMIT, "it has more than %u samples", UINT32_MAX);
			break;
		}
		take_sample(c, &s);
	}
	pprof_sample_deinit(&s);
	return err;
}

static bool is_empty(const struct pprof_copy *c, size_t sample)
{
	size_t nr = c->reader.p->events.len;
	for (size_t v = 0; v < nr; v++)
		if (c->values.data[sample * nr + v])
			return false;
	return true;
}

/* A copy, because output may overwrite the file. */
static void keep_packed(struct pprof_copy *c, const uint8_t *p, size_t n)
{
	bool is_same = !c->has_alike;
	for (size_t i = 0; i < c->samples.len && is_same; i++)
		is_same = !is_empty(c, i);
	if (!is_same)
		return;
	c->packed = xmalloc(n);
	memcpy(c->packed, p, n);
	c->packed_n = n;
}

struct strobe_error *pprof_copy_create(const uint8_t *p, size_t n, struct pprof_copy **ret)
{
	struct pprof_copy *c = xcalloc(1, sizeof(*c));
	struct strobe_error *err = NULL;
	if (!gzip_is(p, n))
		err = error_create(ERROR_FORMAT, "it is not compressed");
	if (!err)
		err = exchange_unpack(p, n, "it", &c->unpacked);
	if (!err && exchange_probe(c->unpacked.p, c->unpacked.n) != exchange_find("pprof"))
		err = error_create(ERROR_FORMAT, "it is not a profile of pprof");
	pprof_reader_init(&c->reader, c->unpacked.p, c->unpacked.n);
	if (!err)
		err = pprof_read_tables(&c->reader);
	if (!err)
		err = read_samples(c);
	if (err)
		pprof_copy_destroy(c);
	else
		keep_packed(c, p, n);
	*ret = err ? NULL : c;
	return err;
}

void pprof_copy_destroy(struct pprof_copy *c)
{
	if (!c)
		return;
	profile_destroy(c->reader.p);
	pprof_reader_deinit(&c->reader);
	vec_deinit(&c->samples);
	vec_deinit(&c->values);
	idset_deinit(&c->index);
	free(c->packed);
	exchange_bytes_free(&c->unpacked);
	free(c);
}

const struct profile *pprof_copy_tables(const struct pprof_copy *c)
{
	return c->reader.p;
}

bool pprof_copy_has(const struct pprof_copy *c, uint32_t event)
{
	for (size_t i = event; i < c->values.len; i += c->reader.p->events.len)
		if (c->values.data[i])
			return true;
	return false;
}

/* ---- writing ---- */

static size_t varint_bytes(uint64_t v)
{
	size_t n = 1;
	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

static void write_sample(const struct pprof_copy *c, size_t i, struct out *out)
{
	struct cursor sample = sample_at(c, i), rest = sample;
	size_t nr = c->reader.p->events.len, kept_n = 0, values_n = 0;
	const int64_t *values = c->values.data + i * nr;
	const uint8_t *field;
	if (is_empty(c, i))
		return;
	for (size_t n; (n = next_kept(&rest, &field));)
		kept_n += n;
	for (size_t v = 0; v < nr; v++)
		values_n += varint_bytes((uint64_t)values[v]);
	proto_write_varint(out, PROFILE_SAMPLE << 3 | PROTO_BYTES);
	proto_write_varint(out, kept_n + 1 + varint_bytes(values_n) + values_n);
	for (size_t n; (n = next_kept(&sample, &field));)
		out_write(out, field, n);
	proto_write_varint(out, SAMPLE_VALUE << 3 | PROTO_BYTES);
	proto_write_varint(out, values_n);
	for (size_t v = 0; v < nr; v++)
		proto_write_varint(out, (uint64_t)values[v]);
}

struct strobe_error *pprof_copy_write(const struct pprof_copy *c, struct out *out)
{
	struct cursor file = c->reader.file;
	struct proto_field f;
	struct out raw;
	if (c->packed) {
		out_write(out, c->packed, c->packed_n);
		return NULL;
	}
	out_init_mem(&raw);
	for (const uint8_t *field = file.at; proto_next(&file, &f); field = file.at)
		if (f.number != PROFILE_SAMPLE)
			out_write(&raw, field, (size_t)(file.at - field));
	for (size_t i = 0; i < c->samples.len; i++)
		write_sample(c, i, &raw);
	struct strobe_error *err = gzip_pack(raw.buf, raw.len, out);
	error_destroy(out_close(&raw));
	return err;
}
