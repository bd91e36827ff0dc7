#include "perfdata/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "config.h"
#include "packing/libzstd.h"
#include "perfdata/features_priv.h"

#define PERF_MAGIC_V2	    0x32454c4946524550ull
#define PERF_HEADER_BYTES   104
#define HEADER_AT_DATA	    40
#define PERF_COMP_ZSTD	    1
#define RECORD_MAX	    UINT16_MAX

/*
 * A COMPRESSED record is one flushed piece of the stream: perf requires each to yield at least one byte, and at most the size in the
 * COMPRESSED feature. This many bytes always fit a record after compression.
 */
#define COMPRESS_CHUNK 64000

struct section {
	uint64_t offset, bytes;
};

struct file_writer {
	struct writer pub;
	int fd;
	char *name;
	struct writer_options options;
	uint64_t data_offset, data_end; /* data_end: after the last whole record on disk */
	uint64_t attrs_offset;          /* of the event table */
	size_t events;                  /* number of events in it */
	VEC(struct env_auxtrace) auxtrace;
	VEC(struct section) early; /* sections before the data, by bit, for checkpoints */
	uint64_t early_bits[FEATURE_BITS / 64];
	struct section early_formats; /* TRACING_DATA among them; 0 bytes: none */
	const void *formats;	      /* the formats that it was made from */
	bool checkpointed;
	bool failed; /* a write failed: only the header is still written */
#if HAVE_ZSTD
	struct libzstd zstd;
	ZSTD_CCtx *packer;
#endif
	uint8_t *compressed; /* RECORD_MAX */
	uint64_t compressed_in, compressed_out;
};

static struct file_writer *of(struct writer *w)
{
	return (struct file_writer *)w;
}

/* The bytes of complete records within the first `have` of n bytes. */
static size_t whole_records(const void *p, size_t n, size_t have)
{
	size_t at = 0;

	while (n - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header hdr;
		memcpy(&hdr, (const char *)p + at, sizeof(hdr));
		if (hdr.size < sizeof(hdr) || hdr.size > have - at)
			break;
		at += hdr.size;
	}
	return at;
}

static struct strobe_error *write_all(struct file_writer *w, const void *p, size_t n, size_t *ret_done)
{
	*ret_done = 0;
	while (*ret_done < n) {
		ssize_t done = write(w->fd, (const char *)p + *ret_done, n - *ret_done);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_errno(errno, "cannot write %s", w->name);
		*ret_done += (size_t)done;
		w->pub.bytes_written += (uint64_t)done;
	}
	return NULL;
}

/* Writes complete records; if the disk is full, those that are complete on it count. */
static struct strobe_error *write_records(struct file_writer *w, const void *p, size_t n)
{
	size_t done;

	if (w->failed)
		return error_create(ERROR_IO, "cannot write %s: a write before this one failed", w->name);
	struct strobe_error *err = write_all(w, p, n, &done);
	w->failed = err != NULL;
	w->data_end += err ? whole_records(p, n, done) : n;
	return err;
}

#if HAVE_ZSTD

static struct strobe_error *compress_start(struct file_writer *w)
{
	const struct libzstd *z = &w->zstd;
	TRY(libzstd_load(&w->zstd));
	w->packer = z->createCCtx();
	w->compressed = xmalloc(RECORD_MAX);
	if (!w->packer || z->isError(z->CCtx_setParameter(w->packer, ZSTD_c_compressionLevel, w->options.compress_level)))
		return error_create(ERROR_LIMIT, "cannot compress with level %d", w->options.compress_level);
	return NULL;
}

static struct strobe_error *compress_chunk(struct file_writer *w, const char *p, size_t n)
{
	bool padded = w->options.compressed2;
	struct perf_event_header hdr = { .type = padded ? RECORD_COMPRESSED2 : RECORD_COMPRESSED };
	size_t head = sizeof(hdr) + (padded ? sizeof(uint64_t) : 0);
	ZSTD_inBuffer in = { .src = p, .size = n };
	ZSTD_outBuffer out = { .dst = w->compressed, .size = RECORD_MAX & ~7u, .pos = head };
	size_t rc = w->zstd.compressStream2(w->packer, &out, &in, ZSTD_e_flush);

	if (w->zstd.isError(rc) || rc || in.pos < in.size)
		return error_create(ERROR_OTHER, "cannot compress records: %s",
				    w->zstd.isError(rc) ? w->zstd.getErrorName(rc) : "no room");
	if (padded) {
		uint64_t data_bytes = out.pos - head;
		memcpy(w->compressed + sizeof(hdr), &data_bytes, sizeof(data_bytes));
		while (out.pos & 7)
			w->compressed[out.pos++] = 0;
	}
	hdr.size = (uint16_t)out.pos;
	memcpy(w->compressed, &hdr, sizeof(hdr));
	w->compressed_in += n;
	w->compressed_out += out.pos;
	return write_records(w, w->compressed, out.pos);
}

static void compress_end(struct file_writer *w)
{
	if (w->packer)
		w->zstd.freeCCtx(w->packer);
	free(w->compressed);
}

#else

static struct strobe_error *compress_start(struct file_writer *w)
{
	return error_create(ERROR_UNSUPPORTED, "compression (-z) requires libzstd, which is not built in");
}

static struct strobe_error *compress_chunk(struct file_writer *w, const char *p, size_t n)
{
	return write_records(w, p, n);
}

static void compress_end(struct file_writer *w)
{
}

#endif

static struct strobe_error *writer_write(struct record_sink *sink, const void *records, size_t bytes)
{
	struct file_writer *w = (struct file_writer *)sink;
	const char *p = records;

	if (!w->options.compress_level) {
		TRY(write_records(w, p, bytes));
		w->pub.bytes_taken += bytes;
		return NULL;
	}
	while (bytes) {
		size_t n = bytes < COMPRESS_CHUNK ? bytes : COMPRESS_CHUNK;
		TRY(compress_chunk(w, p, n));
		w->pub.bytes_taken += n;
		p += n;
		bytes -= n;
	}
	return NULL;
}

struct strobe_error *writer_auxtrace(struct writer *pub, struct record r)
{
	struct file_writer *w = of(pub);
	struct env_auxtrace entry = { .file_offset = w->data_end, .bytes = r.hdr->size };

	vec_push(&w->auxtrace, entry);
	TRY(write_records(w, r.hdr, r.hdr->size));
	w->pub.bytes_taken += r.hdr->size;
	return NULL;
}

struct strobe_error *writer_payload(struct writer *pub, const void *p, size_t bytes)
{
	struct file_writer *w = of(pub);
	size_t done;

	struct strobe_error *err = write_all(w, p, bytes, &done);
	w->failed |= err != NULL;
	w->data_end += err ? 0 : bytes;
	w->pub.bytes_taken += err ? 0 : bytes;
	return err;
}

/* The file form: header, ids, attrs; then data. */

static void put64(struct strbuf *b, uint64_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void put_header(const struct file_writer *w, uint64_t data_bytes, const uint64_t *features, struct strbuf *b)
{
	put64(b, PERF_MAGIC_V2);
	put64(b, PERF_HEADER_BYTES);
	put64(b, WRITTEN_ATTR_BYTES + sizeof(struct section));
	put64(b, w->attrs_offset);
	put64(b, w->events * (WRITTEN_ATTR_BYTES + sizeof(struct section)));
	put64(b, w->data_offset);
	put64(b, data_bytes);
	put64(b, 0); /* event types: of old versions */
	put64(b, 0);
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		put64(b, features[i]);
}

static struct env own_facts(const struct file_writer *w, const struct env *env);

/*
 * Sections that are known before the data and are required to read it (formats of tracepoints) or name events (their descriptions).
 * They are not moved; only the table of sections moves, see writer_round().
 */
static void put_early(struct file_writer *w, const struct env *env, struct strbuf *b)
{
	struct env facts = own_facts(w, env);

	for (uint32_t bit = 1; bit < FEATURE_BITS; bit++) {
		size_t before = b->len;
		if (!feature_encode(&facts, bit, b))
			continue;
		struct section section = { before, b->len - before };
		vec_push(&w->early, section);
		w->early_bits[bit / 64] |= 1ull << (bit % 64);
		if (bit != FEATURE_TRACING_DATA)
			continue;
		w->early_formats = section;
		w->formats = env->tracing_data;
	}
	/* Records are aligned to 8 bytes. */
	static const char zeros[8];
	strbuf_add(b, zeros, -b->len & 7);
	w->data_offset = b->len;
}

static uint64_t ids_bytes(const struct env *env)
{
	uint64_t ids = 0;
	for (size_t i = 0; i < env->events.len; i++)
		ids += env->events.data[i].ids_nr;
	return ids * 8;
}

/* The IDs of all events, from offset `at` of the file on, then the table. */
static void put_events(const struct env *env, uint64_t at, struct strbuf *b)
{
	for (size_t i = 0; i < env->events.len; i++)
		strbuf_add(b, env->events.data[i].ids, env->events.data[i].ids_nr * 8ull);
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *ev = &env->events.data[i];
		struct section section = { at, ev->ids_nr * 8ull };
		uint8_t attr[WRITTEN_ATTR_BYTES];
		feature_attr(ev, attr);
		strbuf_add(b, attr, sizeof(attr));
		strbuf_add(b, &section, sizeof(section));
		at += section.bytes;
	}
}

/* Header, IDs and attrs at the start of the file; features all 0, data size 0: not finished. */
static void put_start(struct file_writer *w, const struct env *env, struct strbuf *b)
{
	static const uint64_t no_features[FEATURE_BITS / 64];

	w->events = env->events.len;
	w->attrs_offset = PERF_HEADER_BYTES + ids_bytes(env);
	w->data_offset = w->attrs_offset + env->events.len * (WRITTEN_ATTR_BYTES + sizeof(struct section));
	put_header(w, 0, no_features, b);
	put_events(env, PERF_HEADER_BYTES, b);
}

/* The pipe form: the same as records. */

/* Padded to 8 bytes, except for features: decoders of CPU topologies find their version from the remaining bytes. */
static struct strobe_error *put_record(struct strbuf *b, uint32_t type, const char *what, const struct strbuf *body)
{
	struct perf_event_header hdr = { .type = type, .size = (uint16_t)(sizeof(hdr) + body->len) };
	static const char zeros[8];
	size_t padding = type == RECORD_HEADER_FEATURE ? 0 : -body->len & 7;

	if (sizeof(hdr) + body->len + padding > RECORD_MAX)
		return error_create(ERROR_LIMIT, "%s do not fit a record of a stream (%zu bytes): record into a file", what,
				    body->len);
	hdr.size += padding;
	strbuf_add(b, &hdr, sizeof(hdr));
	strbuf_add(b, body->data, body->len);
	strbuf_add(b, zeros, padding);
	return NULL;
}

static struct strobe_error *put_attrs(const struct env *env, struct strbuf *b)
{
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *ev = &env->events.data[i];
		_cleanup_strbuf_ struct strbuf body = {};
		uint8_t attr[WRITTEN_ATTR_BYTES];
		feature_attr(ev, attr);
		strbuf_add(&body, attr, sizeof(attr));
		strbuf_add(&body, ev->ids, ev->ids_nr * 8ull);
		TRY(put_record(b, RECORD_HEADER_ATTR, "the ids of an event", &body));
	}
	return NULL;
}

/* Flags without data, file indexes and formats (which have their own record) are not sent. */
static bool is_sent(uint32_t bit)
{
	switch (bit) {
	case FEATURE_TRACING_DATA:
	case FEATURE_BUILD_ID:
	case FEATURE_BRANCH_STACK:
	case FEATURE_AUXTRACE:
	case FEATURE_STAT:
	case FEATURE_DIR_FORMAT:
	case FEATURE_SAMPLE_TIME:
	case ENV_SECTION_SCRIPTS:
		return false;
	default:
		return true;
	}
}

static void put_features(const struct env *env, struct strbuf *b)
{
	for (uint32_t bit = 1; bit < FEATURE_BITS; bit++) {
		_cleanup_strbuf_ struct strbuf body = {};
		put64(&body, bit);
		if (!is_sent(bit) || !feature_encode(env, bit, &body))
			continue;
		struct strobe_error *err = put_record(b, RECORD_HEADER_FEATURE, "feature data", &body);
		if (err)
			log_info("feature %u is omitted: %s", bit, err->message);
		error_destroy(err);
	}
}

/* perf marks the end of a stream's features by the number of features it knows, without data. */
static struct strobe_error *put_last_feature(struct strbuf *b)
{
	_cleanup_strbuf_ struct strbuf body = {};
	put64(&body, FEATURE_PMU_CAPS + 1);
	return put_record(b, RECORD_HEADER_FEATURE, "features", &body);
}

static void put32(struct strbuf *b, uint32_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

static struct strobe_error *put_scripts(const void *table, size_t bytes, struct strbuf *b)
{
	enum { PIECE_BYTES = 65000 };
	for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
		_cleanup_strbuf_ struct strbuf body = {};
		uint32_t n = bytes - at < PIECE_BYTES ? (uint32_t)(bytes - at) : PIECE_BYTES;
		put32(&body, ENV_SCRIPTS_MAGIC);
		put32(&body, n);
		strbuf_add(&body, (const char *)table + at, n);
		TRY(put_record(b, RECORD_FINISHED_INIT, "code of scripts", &body));
	}
	return NULL;
}

struct strobe_error *writer_scripts(struct writer *w, const void *table, size_t bytes)
{
	_cleanup_strbuf_ struct strbuf b = {};
	TRY(put_scripts(table, bytes, &b));
	return b.len ? sink_write(&w->sink, b.data, b.len) : NULL;
}

/* Formats follow their record, padded; the record's own 12 bytes are what perf writes and expects. */
static void put_tracing_data(const struct env *env, struct strbuf *b)
{
	static const char zeros[8];
	uint32_t bytes = (uint32_t)((env->tracing_data_bytes + 7) & ~7ull);
	struct perf_event_header hdr = { .type = RECORD_HEADER_TRACING_DATA, .size = sizeof(hdr) + sizeof(bytes) };

	if (!env->tracing_data)
		return;
	strbuf_add(b, &hdr, sizeof(hdr));
	strbuf_add(b, &bytes, sizeof(bytes));
	strbuf_add(b, env->tracing_data, env->tracing_data_bytes);
	strbuf_add(b, zeros, bytes - env->tracing_data_bytes);
}

static void put_build_ids(const struct env *env, struct strbuf *b)
{
	_cleanup_strbuf_ struct strbuf entries = {};
	size_t at = 0;

	/* The section's entries are records except for their type. */
	feature_encode(env, FEATURE_BUILD_ID, &entries);
	while (at < entries.len) {
		struct perf_event_header hdr;
		memcpy(&hdr, entries.data + at, sizeof(hdr));
		hdr.type = RECORD_HEADER_BUILD_ID;
		memcpy(entries.data + at, &hdr, sizeof(hdr));
		at += hdr.size;
	}
	strbuf_add(b, entries.data, entries.len);
}

struct strobe_error *writer_build_id(struct writer *w, const struct env_build_id *id)
{
	_cleanup_strbuf_ struct strbuf b = {};
	struct env_build_id entry = *id;
	struct env one = { .build_ids = { .data = &entry, .len = 1 } };
	put_build_ids(&one, &b);
	return b.len ? sink_write(&w->sink, b.data, b.len) : NULL;
}

/* Kinds of EVENT_UPDATE. */
enum { UPDATE_UNIT = 0, UPDATE_SCALE = 1, UPDATE_NAME = 2, UPDATE_CPUS = 3 };

static struct strobe_error *put_update(struct strbuf *b, uint64_t kind, uint64_t id, const void *data, size_t n)
{
	_cleanup_strbuf_ struct strbuf body = {};
	put64(&body, kind);
	put64(&body, id);
	strbuf_add(&body, data, n);
	return put_record(b, RECORD_EVENT_UPDATE, "the CPUs of an event", &body);
}

static struct strobe_error *put_updates(const struct env *env, bool names, struct strbuf *b)
{
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *ev = &env->events.data[i];
		uint64_t id = ev->ids_nr ? ev->ids[0] : 0;
		if (!id)
			continue;
		if (ev->unit && *ev->unit)
			TRY(put_update(b, UPDATE_UNIT, id, ev->unit, strlen(ev->unit) + 1));
		if (ev->scale != 1.0)
			TRY(put_update(b, UPDATE_SCALE, id, &ev->scale, sizeof(ev->scale)));
		if (names)
			TRY(put_update(b, UPDATE_NAME, id, ev->name, strlen(ev->name) + 1));
		if (ev->own_cpus_nr) {
			VEC(uint16_t) map = {};
			vec_push(&map, (uint16_t)0); /* a list */
			vec_push(&map, (uint16_t)ev->own_cpus_nr);
			for (uint32_t k = 0; k < ev->own_cpus_nr; k++)
				vec_push(&map, (uint16_t)ev->own_cpus[k]);
			struct strobe_error *err = put_update(b, UPDATE_CPUS, id, map.data, map.len * sizeof(*map.data));
			vec_deinit(&map);
			TRY(err);
		}
	}
	return NULL;
}

struct strobe_error *writer_event_updates(struct writer *w, const struct env *env)
{
	_cleanup_strbuf_ struct strbuf b = {};
	TRY(put_updates(env, false, &b));
	return b.len ? sink_write(&w->sink, b.data, b.len) : NULL;
}

/* Data that the writer knows better than the given environment, such as that of a copy's source. */
static struct env own_facts(const struct file_writer *w, const struct env *env)
{
	struct env e = *env;

	e.compressed.present = w->options.compress_level;
	e.compressed.version = 0;
	e.compressed.type = PERF_COMP_ZSTD;
	e.compressed.level = (uint32_t)w->options.compress_level;
	e.compressed.ratio = (uint32_t)(w->compressed_out ? (w->compressed_in + w->compressed_out / 2) / w->compressed_out : 0);
	e.compressed.mmap_bytes =
		(uint32_t)(w->options.mmap_bytes > COMPRESS_CHUNK ? w->options.mmap_bytes : COMPRESS_CHUNK);
	e.auxtrace.data = w->auxtrace.data;
	e.auxtrace.len = w->auxtrace.len;
	e.has_auxtrace = env->has_auxtrace || w->auxtrace.len;
	return e;
}

static struct strobe_error *start_pipe(struct file_writer *w, const struct env *env)
{
	_cleanup_strbuf_ struct strbuf b = {};
	struct env facts = own_facts(w, env);
	size_t done;

	put64(&b, PERF_MAGIC_V2);
	put64(&b, 16);
	TRY(put_attrs(&facts, &b));
	put_features(&facts, &b);
	TRY(put_last_feature(&b));
	const struct env_section *scripts = env_section(env, ENV_SECTION_SCRIPTS);
	TRY(put_scripts(scripts ? scripts->data : NULL, scripts ? scripts->bytes : 0, &b));
	TRY(put_updates(&facts, true, &b));
	put_build_ids(&facts, &b);
	put_tracing_data(&facts, &b);
	return write_all(w, b.data, b.len, &done);
}

static struct strobe_error *start_file(struct file_writer *w, const struct env *env)
{
	_cleanup_strbuf_ struct strbuf b = {};
	size_t done;

	put_start(w, env, &b);
	if (w->options.checkpoints) {
		put_early(w, env, &b);
		/* The header, already written, has the offset of the data. */
		memcpy(b.data + HEADER_AT_DATA, &w->data_offset, sizeof(w->data_offset));
	}
	w->data_end = w->data_offset;
	return write_all(w, b.data, b.len, &done);
}

static void destroyp(struct file_writer **w)
{
	if (*w)
		writer_destroy(&(*w)->pub);
}

struct strobe_error *writer_create(int fd, const char *name, const struct env *env, struct writer_options options,
				   struct writer **ret)
{
	_cleanup_(destroyp) struct file_writer *w = xcalloc(1, sizeof(*w));

	w->pub.sink.write = writer_write;
	w->fd = fd;
	w->name = xstrdup(name);
	w->options = options;
	w->options.checkpoints = options.checkpoints && !options.pipe && !options.bare;
	if (options.compress_level)
		TRY(compress_start(w));
	if (options.pipe)
		TRY(start_pipe(w, env));
	else if (!options.bare)
		TRY(start_file(w, env));
	*ret = &take_ptr(w)->pub;
	return NULL;
}

static struct strobe_error *write_at(struct file_writer *w, uint64_t offset, const void *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t step = pwrite(w->fd, (const char *)p + done, n - done, (off_t)(offset + done));
		if (step < 0 && errno == EINTR)
			continue;
		if (step < 0)
			return error_errno(errno, "cannot write %s", w->name);
		done += (size_t)step;
	}
	return NULL;
}

/* Writes all sections after the data, one after the other, preceded by their table. */
static struct strobe_error *write_features(struct file_writer *w, const struct env *env, uint64_t ret_bits[FEATURE_BITS / 64])
{
	_cleanup_strbuf_ struct strbuf all = {};
	struct env facts = own_facts(w, env);
	struct section table[FEATURE_BITS];
	uint64_t bits[FEATURE_BITS / 64] = {};
	size_t n = 0;

	size_t own = SIZE_MAX; /* the entry whose section precedes the data */
	for (uint32_t bit = 1; bit < FEATURE_BITS; bit++) {
		size_t before = all.len;
		if (bit == FEATURE_TRACING_DATA && w->early_formats.bytes && w->formats == env->tracing_data)
			own = n;
		else if (!feature_encode(&facts, bit, &all))
			continue;
		table[n++] = (struct section){ before, all.len - before };
		bits[bit / 64] |= 1ull << (bit % 64);
	}
	for (size_t i = 0; i < n; i++)
		table[i].offset += w->data_end + n * sizeof(*table);
	if (own < n)
		table[own] = w->early_formats;
	TRY(write_at(w, w->data_end, table, n * sizeof(*table)));
	if (all.len)
		TRY(write_at(w, w->data_end + n * sizeof(*table), all.data, all.len));
	w->pub.bytes_written += n * sizeof(*table) + all.len;
	memcpy(ret_bits, bits, sizeof(bits));
	return NULL;
}

/*
 * The table of sections must follow the data, which grows: each round's mark holds one. According to the header the data ends where the
 * newest mark begins. The mark's own 16 bytes are the table's first entry, of feature 0, which is reserved and not read. So nothing
 * that the header refers to is ever overwritten, and a recorder may be killed at any point.
 */
static void put_mark(const struct file_writer *w, struct strbuf *b)
{
	size_t bytes = (1 + w->early.len) * sizeof(struct section);
	struct perf_event_header hdr = { .type = RECORD_FINISHED_ROUND, .size = (uint16_t)bytes };

	strbuf_add(b, &hdr, sizeof(hdr));
	put64(b, 0);
	strbuf_add(b, w->early.data, w->early.len * sizeof(struct section));
}

struct strobe_error *writer_round(struct writer *pub, const struct env *env)
{
	static const struct perf_event_header plain = { .type = RECORD_FINISHED_ROUND, .size = sizeof(plain) };
	struct file_writer *w = of(pub);
	_cleanup_strbuf_ struct strbuf mark = {}, header = {};
	uint64_t bits[FEATURE_BITS / 64], end = w->data_end;

	if (!w->options.checkpoints)
		return sink_write(&w->pub.sink, &plain, sizeof(plain));
	put_mark(w, &mark);
	TRY(write_records(w, mark.data, mark.len));
	w->pub.bytes_taken += mark.len;
	memcpy(bits, w->early_bits, sizeof(bits));
	bits[0] |= 1; /* FEATURE_RESERVED: not finished */
	put_header(w, end - w->data_offset, bits, &header);
	w->checkpointed = true;
	return write_at(w, 0, header.data, header.len);
}

/*
 * No room for all sections: those before the data need only a few bytes, which usually fit in the last block. If not, the records are kept
 * instead, but not those of tracepoints, which are useless without their formats: there the header is left at the newest mark.
 */
static bool write_early_table(struct file_writer *w, uint64_t ret_bits[FEATURE_BITS / 64])
{
	if (!w->early.len)
		return false;
	struct strobe_error *err = write_at(w, w->data_end, w->early.data, w->early.len * sizeof(*w->early.data));
	memcpy(ret_bits, w->early_bits, sizeof(w->early_bits));
	bool done = !err;
	error_destroy(err);
	return done;
}

/* A copied source may have named more events while it was read: writes a table of all at the end of the file. */
static struct strobe_error *write_late_events(struct file_writer *w, const struct env *env)
{
	_cleanup_strbuf_ struct strbuf b = {};
	off_t end = env->events.len > w->events ? lseek(w->fd, 0, SEEK_END) : 0;

	if (end <= 0)
		return NULL;
	put_events(env, (uint64_t)end, &b);
	TRY(write_at(w, (uint64_t)end, b.data, b.len));
	w->pub.bytes_written += b.len;
	w->attrs_offset = (uint64_t)end + ids_bytes(env);
	w->events = env->events.len;
	return NULL;
}

struct strobe_error *writer_finish(struct writer *pub, const struct env *env)
{
	struct file_writer *w = of(pub);
	_cleanup_strbuf_ struct strbuf header = {};
	uint64_t bits[FEATURE_BITS / 64] = {};

	if (w->options.pipe || w->options.bare)
		return NULL;
	if (w->failed && ftruncate(w->fd, (off_t)w->data_end))
		log_info("cannot truncate %s to its complete records: %s", w->name, strerror(errno));
	struct strobe_error *err = write_features(w, env, bits);
	if (err && !write_early_table(w, bits)) {
		if (w->checkpointed && w->early_formats.bytes)
			return err;
		memset(bits, 0, sizeof(bits));
	}
	if (!err)
		err = write_late_events(w, env);
	put_header(w, w->data_end - w->data_offset, bits, &header);
	struct strobe_error *header_err = write_at(w, 0, header.data, header.len);
	if (!err)
		return header_err;
	error_destroy(header_err);
	return err;
}

void writer_destroy(struct writer *pub)
{
	if (!pub)
		return;
	struct file_writer *w = of(pub);
	if (w->options.compress_level)
		compress_end(w);
	vec_deinit(&w->auxtrace);
	vec_deinit(&w->early);
	close(w->fd);
	free(w->name);
	free(w);
}
