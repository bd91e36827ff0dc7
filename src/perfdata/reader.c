#include "perfdata/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/reader_priv.h"

/* How far ahead pages of a mapping are populated: one call instead of a fault for every 64 KB. */
#define POPULATE_BYTES (4ull << 20)
#define RELEASE_BYTES  (8ull << 20)
/* How far into a recording records that describe it are searched before the first one is returned. */
#define PRELOAD_BYTES (256u << 10)
/* For streams: descriptions may be long (tracepoint formats). */
#define PRELOAD_STREAM_BYTES (64u << 20)

static struct reader *of(struct record_source *s)
{
	return (struct reader *)s;
}

static struct input *current(struct reader *rd)
{
	return &rd->inputs.data[rd->current];
}

/* Ends the stream with an error, which every further read returns. */
static struct strobe_error *fail(struct reader *rd, struct strobe_error *err)
{
	rd->error = err;
	return error_create(err->code, "%s", err->message);
}

static struct strobe_error *truncated(struct reader *rd, uint64_t offset, const char *what)
{
	return fail(rd, error_create(ERROR_TRUNCATED,
				     "%s ends within %s at byte %" PRIu64 "; complete records before it: %" PRIu64,
				     current(rd)->name, what, offset, rd->records));
}

static struct strobe_error *damaged(struct reader *rd, uint64_t offset, unsigned size)
{
	rd->damage.bad_records++;
	if (current(rd)->size)
		rd->damage.skipped_bytes += current(rd)->end - offset;
	return fail(rd, error_create(ERROR_FORMAT,
				     "%s: the record at byte %" PRIu64 " has the invalid size %u: the rest cannot be "
				     "read (complete records before it: %" PRIu64 ")",
				     current(rd)->name, offset, size, rd->records));
}

/* A record as found in the input, with its header in our byte order. */
struct found {
	const uint8_t *at;
	struct perf_event_header hdr;
	uint64_t offset;
	bool from_unzip;
};

/*
 * Returns the record in place if it is aligned and of our byte order; else copied to the scratch buffer or, if all records must stay
 * valid, to the arena. False if it cannot be swapped.
 */
static bool place(struct reader *rd, const struct found *f, struct record *ret)
{
	ret->file_offset = f->offset;
	ret->hdr = (const struct perf_event_header *)f->at;
	if (rd->stable && (f->from_unzip || (uintptr_t)f->at & 7)) {
		ret->hdr = arena_memdup(&rd->env->arena, f->at, f->hdr.size);
		return true;
	}
	if (!rd->header.swapped && !((uintptr_t)f->at & 7))
		return true;
	memcpy(rd->scratch, f->at, f->hdr.size);
	memcpy(rd->scratch, &f->hdr, sizeof(f->hdr));
	ret->hdr = (const struct perf_event_header *)rd->scratch;
	return !rd->header.swapped || env_swap_record(rd->env, rd->scratch);
}

static struct perf_event_header header_at(const struct reader *rd, const uint8_t *p)
{
	struct perf_event_header hdr;
	memcpy(&hdr, p, sizeof(hdr));
	if (rd->header.swapped)
		record_swap_header(&hdr);
	return hdr;
}

/* The next decompressed record; f->at is NULL if none is left. */
static struct strobe_error *find_unzipped(struct reader *rd, struct found *f)
{
	struct input *in = current(rd);
	size_t have;
	uint8_t *p;

	f->at = NULL;
	TRY(input_unzip_peek(in, sizeof(f->hdr), &p, &have));
	if (have < sizeof(f->hdr))
		return NULL; /* the rest is in the next compressed record */
	f->hdr = header_at(rd, p);
	if (f->hdr.size < sizeof(f->hdr))
		return error_create(ERROR_FORMAT, "%s: a compressed record contains one with the invalid size %u", in->name,
				    f->hdr.size);
	TRY(input_unzip_peek(in, f->hdr.size, &p, &have));
	if (have < f->hdr.size)
		return NULL;
	f->at = p;
	f->offset = in->unzip_from;
	f->from_unzip = true;
	return NULL;
}

static bool plausible(const struct reader *rd, struct perf_event_header hdr)
{
	return hdr.size >= sizeof(hdr) && hdr.type && hdr.type < RECORD_TYPE_LIMIT;
}

/* The next record of the input itself; f->at is NULL at the end. */
static struct strobe_error *find_raw(struct reader *rd, struct found *f)
{
	struct input *in = current(rd);
	const uint8_t *p;
	size_t have;

	f->at = NULL;
	f->from_unzip = false;
	f->offset = in->pos;
	TRY(input_peek(in, sizeof(f->hdr), &p, &have));
	if (!have)
		return NULL;
	if (have < sizeof(f->hdr)) {
		if (rd->unfinished)
			return NULL;
		return truncated(rd, f->offset, "the header of a record");
	}
	f->hdr = header_at(rd, p);
	if (f->hdr.size < sizeof(f->hdr) || (rd->unfinished && !plausible(rd, f->hdr))) {
		if (rd->unfinished)
			return NULL;
		return damaged(rd, f->offset, f->hdr.size);
	}
	TRY(input_peek(in, f->hdr.size, &p, &have));
	if (have < f->hdr.size) {
		if (rd->unfinished)
			return NULL;
		return truncated(rd, f->offset, "a record");
	}
	f->at = p;
	return NULL;
}

static uint64_t number_after_header(const struct reader *rd, const struct found *f, size_t bytes)
{
	uint32_t u32 = 0;
	uint64_t u64 = 0;

	if (f->hdr.size < sizeof(f->hdr) + bytes)
		return 0;
	if (bytes == sizeof(u32)) {
		memcpy(&u32, f->at + sizeof(f->hdr), sizeof(u32));
		return rd->header.swapped ? __builtin_bswap32(u32) : u32;
	}
	memcpy(&u64, f->at + sizeof(f->hdr), sizeof(u64));
	return rd->header.swapped ? __builtin_bswap64(u64) : u64;
}

/* Number of bytes that follow a record without being part of it. */
static uint64_t payload_of(const struct reader *rd, const struct found *f)
{
	if (f->from_unzip)
		return 0;
	if (f->hdr.type == RECORD_HEADER_TRACING_DATA && rd->env->is_pipe)
		return number_after_header(rd, f, sizeof(uint32_t));
	return f->hdr.type == RECORD_AUXTRACE ? number_after_header(rd, f, sizeof(uint64_t)) : 0;
}

/* Opens a compressed record: its contents come next. The record itself is returned too, for callers that count records. */
static struct strobe_error *open_compressed(struct reader *rd, const struct found *f)
{
	size_t skip = sizeof(f->hdr), bytes = f->hdr.size - sizeof(f->hdr);

	if (f->hdr.type == RECORD_COMPRESSED2) { /* its header has the size without padding */
		uint64_t data_bytes = number_after_header(rd, f, sizeof(uint64_t));
		if (bytes < sizeof(data_bytes))
			return error_create(ERROR_FORMAT, "%s: a compressed record is too short", current(rd)->name);
		skip += sizeof(data_bytes);
		bytes -= sizeof(data_bytes);
		if (data_bytes < bytes)
			bytes = data_bytes;
	}
	return input_unzip_feed(current(rd), f->at + skip, bytes);
}

/*
 * In a stream, tracepoint formats follow their record. They are kept as part of the environment. `before` is the offset of the record
 * after the input's position; the record may move, so f is looked up again.
 */
static struct strobe_error *take_tracing_data(struct reader *rd, size_t before, struct found *f)
{
	struct input *in = current(rd);
	uint64_t bytes = payload_of(rd, f);
	const uint8_t *p;
	size_t have;

	if (f->hdr.type != RECORD_HEADER_TRACING_DATA || !bytes || rd->env->tracing_data)
		return NULL;
	TRY(input_peek(in, before + f->hdr.size + bytes, &p, &have));
	f->at = p + before;
	if (have < before + f->hdr.size + bytes)
		return NULL; /* reported as truncated when it is skipped */
	p += before + f->hdr.size;
	const void *kept = in->fd < 0 ? (const void *)p : arena_memdup(&rd->env->arena, p, bytes);
	feature_decode(rd->env, FEATURE_TRACING_DATA, kept, bytes);
	return NULL;
}

/* Skips what follows the last record, as far as it was not read. */
static struct strobe_error *step(struct reader *rd)
{
	struct input *in = current(rd);
	uint64_t payload = rd->payload_left, offset = in->pos, skipped;

	if (!payload)
		return NULL;
	rd->payload_left = 0;
	TRY(input_skip(in, payload, &skipped));
	return skipped == payload || rd->unfinished ? NULL : truncated(rd, offset, "what follows a record");
}

static struct strobe_error *watch(struct reader *rd)
{
	struct input *in = current(rd);

	if (in->fd < 0 && in->pos + POPULATE_BYTES / 2 > rd->populated && rd->populated < in->end) {
		uint64_t from = rd->populated > in->pos ? rd->populated : in->pos, left = in->end - from;
		uint64_t bytes = left < POPULATE_BYTES ? left : POPULATE_BYTES;
		input_populate(in, from, bytes);
		rd->populated = from + bytes;
	}
	if (filemap_shrunk(&in->map))
		return fail(rd, error_create(ERROR_TRUNCATED, "%s became shorter while it was read", in->name));
	if (rd->options.progress && in->pos > rd->progressed) {
		uint64_t more = in->pos - rd->progressed;
		rd->progressed = in->pos;
		if (!progress_add(rd->options.progress, more))
			return error_create(ERROR_STOPPED, "stopped");
	}
	return NULL;
}

/* Sets the end up to which next() may return records without other checks. */
static void set_fast_end(struct reader *rd)
{
	const struct input *in = current(rd);
	uint64_t end = in->window_pos + in->window_bytes;

	if (in->fd < 0)
		end = rd->populated == in->end ? in->end : rd->populated - POPULATE_BYTES / 2;
	rd->fast_end = rd->header.swapped || in->unzip ? 0 : end < in->end ? end : in->end;
}

static struct strobe_error *end_of_input(struct reader *rd, bool *ret_end)
{
	struct input *in = current(rd);

	if (rd->cut_data && !rd->current)
		return truncated(rd, in->size, "its data");
	if (rd->current + 1 < rd->inputs.len) {
		rd->current++;
		rd->populated = rd->progressed = rd->fast_end = 0;
		return NULL;
	}
	if (rd->cut_features && !rd->unfinished)
		return truncated(rd, in->size, "its feature sections");
	rd->ended = true;
	*ret_end = true;
	return NULL;
}

static struct strobe_error *find(struct reader *rd, struct found *f, bool *ret_end)
{
	for (;;) {
		TRY(step(rd));
		TRY(watch(rd));
		struct strobe_error *err = find_unzipped(rd, f);
		if (err)
			return fail(rd, err);
		if (f->at)
			return NULL;
		TRY(find_raw(rd, f));
		if (f->at)
			return take_tracing_data(rd, 0, f);
		TRY(end_of_input(rd, ret_end));
		if (*ret_end)
			return NULL;
	}
}

static struct strobe_error *next_slow(struct reader *rd, struct record *ret, bool *ret_end)
{
	*ret_end = rd->ended;
	if (rd->error)
		return error_create(rd->error->code, "%s", rd->error->message);
	while (!*ret_end) {
		struct found f;
		TRY(find(rd, &f, ret_end));
		if (*ret_end)
			break;
		if (f.from_unzip)
			input_unzip_advance(current(rd), f.hdr.size);
		else
			input_advance(current(rd), f.hdr.size);
		rd->payload_left = payload_of(rd, &f);
		if (!f.from_unzip && (f.hdr.type == RECORD_COMPRESSED || f.hdr.type == RECORD_COMPRESSED2)) {
			current(rd)->unzip_from = f.offset;
			struct strobe_error *err = open_compressed(rd, &f);
			if (err)
				return fail(rd, err);
		}
		if (!place(rd, &f, ret)) {
			rd->damage.bad_records++;
			rd->damage.skipped_bytes += f.hdr.size;
			continue;
		}
		if (rd->records++ >= rd->applied) {
			rd->applied = rd->records;
			stream_apply(rd->env, *ret);
		}
		set_fast_end(rd);
		return NULL;
	}
	return NULL;
}

/* The fast path: a kernel record, in place. */
static struct strobe_error *reader_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	struct reader *rd = of(s);
	struct input *in = current(rd);

	if (in->pos + sizeof(struct perf_event_header) > rd->fast_end || rd->payload_left)
		return next_slow(rd, ret, ret_end);
	const struct perf_event_header *hdr = (const void *)(in->window + (in->pos - in->window_pos));
	record_prefetch(hdr);
	if (!record_is_whole(hdr, rd->fast_end - in->pos))
		return next_slow(rd, ret, ret_end);
	*ret = (struct record){ .hdr = hdr, .file_offset = in->pos };
	*ret_end = false;
	in->pos += hdr->size;
	rd->records++;
	return NULL;
}

static bool reader_window(struct record_source *s, struct record_window *ret)
{
	const struct reader *rd = of(s);
	const struct input *in = &rd->inputs.data[rd->current];

	if (!rd->stable || rd->payload_left || in->pos >= rd->fast_end)
		return false;
	ret->at = (const char *)(in->window + (in->pos - in->window_pos));
	ret->end = ret->at + (rd->fast_end - in->pos);
	ret->file_offset = in->pos;
	ret->limit_ns = UINT64_MAX;
	return true;
}

static void reader_take(struct record_source *s, size_t bytes, uint64_t records, uint64_t last_ns)
{
	struct reader *rd = of(s);

	(void)last_ns;
	current(rd)->pos += bytes;
	rd->records += records;
}

/* Only for a single file. The files of a directory are read one after the other, and their offsets are ambiguous. */
static void reader_release(struct record_source *s, uint64_t file_offset)
{
	struct reader *rd = of(s);
	const struct input *in = current(rd);

	if (rd->inputs.len > 1 || in->fd >= 0 || file_offset < rd->released + RELEASE_BYTES)
		return;
	filemap_rest_part(&in->map, rd->released, file_offset);
	rd->released = file_offset;
}

/*
 * Applies the descriptions at the start to the environment before the first record is read: a report prints the header first. A stream
 * is read ahead to the end of the descriptions; the bytes stay in its buffer.
 */
struct strobe_error *reader_preload(struct reader *rd)
{
	struct input *in = current(rd);
	size_t at = 0, limit = rd->env->is_pipe ? PRELOAD_STREAM_BYTES : PRELOAD_BYTES, have;
	uint64_t records = 0;

	while (at < limit) {
		struct found f = {};
		TRY(input_peek(in, at + sizeof(f.hdr), &f.at, &have));
		if (have < at + sizeof(f.hdr))
			break;
		f.hdr = header_at(rd, f.at + at);
		/* The header of a recorder that was killed lacks this. */
		if (f.hdr.type == RECORD_COMPRESSED || f.hdr.type == RECORD_COMPRESSED2)
			rd->stable = false;
		if (f.hdr.size < sizeof(f.hdr) || f.hdr.type == PERF_RECORD_SAMPLE || f.hdr.type == RECORD_COMPRESSED ||
		    f.hdr.type == RECORD_COMPRESSED2 || f.hdr.type == RECORD_AUXTRACE ||
		    (rd->env->is_pipe && f.hdr.type < RECORD_USER_FIRST))
			break;
		TRY(input_peek(in, at + f.hdr.size, &f.at, &have));
		if (have < at + f.hdr.size)
			break;
		f.at += at;
		TRY(take_tracing_data(rd, at, &f));
		size_t step = f.hdr.size + payload_of(rd, &f);
		struct record r;
		if (f.hdr.type >= RECORD_USER_FIRST && place(rd, &f, &r))
			stream_apply(rd->env, r);
		at += step;
		records++;
	}
	rd->applied = records;
	rd->preloaded = in->pos + at;
	if (rd->env->is_pipe)
		feature_refresh_events(rd->env);
	return NULL;
}

static const struct env *reader_env(struct record_source *s)
{
	return of(s)->env;
}

/* Restarts at the beginning of the data; env has the header's contents. */
static void reader_start(struct reader *rd)
{
	for (size_t i = 0; i < rd->inputs.len; i++) {
		struct input *in = &rd->inputs.data[i];
		in->pos = in->start;
		input_unzip_reset(in);
	}
	error_destroy(rd->error);
	rd->error = NULL;
	rd->current = 0;
	rd->ended = false;
	rd->records = rd->populated = rd->fast_end = rd->payload_left = rd->released = 0;
	rd->progressed = current(rd)->pos;
	rd->damage = (struct reader_damage){};
}

static struct strobe_error *reader_rewind(struct record_source *s)
{
	struct reader *rd = of(s);

	bool once = current(rd)->fd >= 0 && !current(rd)->can_seek;
	if (once && !rd->records && !rd->ended)
		return NULL; /* still at its first record */
	if (once)
		return error_create(ERROR_UNSUPPORTED, "%s is a stream: it can be read only once", rd->name);
	reader_start(rd);
	return NULL;
}

static bool reader_stable(struct record_source *s)
{
	return of(s)->stable;
}

static void reader_destroy(struct record_source *s)
{
	struct reader *rd = of(s);

	for (size_t i = 0; i < rd->inputs.len; i++)
		input_deinit(&rd->inputs.data[i]);
	vec_deinit(&rd->inputs);
	env_destroy(rd->env);
	error_destroy(rd->error);
	free(rd->scratch);
	free(rd->name);
	free(rd);
}

const struct record_source_ops reader_ops = {
	.next = reader_next,
	.env = reader_env,
	.rewind = reader_rewind,
	.stable = reader_stable,
	.window = reader_window,
	.take = reader_take,
	.release = reader_release,
	.destroy = reader_destroy,
};

struct strobe_error *reader_payload(struct record_source *s, const void **ret, size_t *ret_bytes)
{
	struct reader *rd = of(s);
	struct input *in = current(rd);
	const uint8_t *p;

	*ret = NULL;
	*ret_bytes = 0;
	if (!rd->payload_left)
		return NULL;
	size_t bytes_max = rd->payload_left < 65536 || in->fd < 0 ? (size_t)rd->payload_left : 65536;
	TRY(input_peek(in, bytes_max, &p, ret_bytes));
	if (!*ret_bytes) {
		rd->payload_left = 0;
		return truncated(rd, in->pos, "what follows a record");
	}
	*ret = p;
	rd->payload_left -= *ret_bytes;
	input_advance(in, *ret_bytes);
	return NULL;
}

bool reader_span(struct record_source *s, struct reader_span *ret)
{
	/* Any source may be passed: filters and sources of tests have no span. */
	if (s->ops != &reader_ops)
		return false;
	struct reader *rd = of(s);
	const struct input *in = current(rd);

	if (!rd->stable || rd->compressed || rd->inputs.len != 1 || (uintptr_t)(in->data + in->start) & 7)
		return false;
	*ret = (struct reader_span){ in->data + in->start, in->end - in->start, in->start };
	return true;
}

bool reader_span_user(struct record_source *s, const struct reader_span *span, uint64_t *offset, struct record r)
{
	struct reader *rd = of(s);
	uint64_t at = *offset - r.hdr->size;
	struct found f = { .at = span->data + at, .hdr = *r.hdr };
	uint64_t payload = payload_of(rd, &f);

	if (payload > span->bytes - *offset || payload & 7 || r.hdr->type == RECORD_COMPRESSED ||
	    r.hdr->type == RECORD_COMPRESSED2) {
		*offset = at;
		return false;
	}
	*offset += payload;
	if (r.hdr->type != RECORD_FINISHED_ROUND && r.file_offset >= rd->preloaded)
		stream_apply(rd->env, r);
	return true;
}

void reader_span_done(struct record_source *s, const struct reader_span *span, uint64_t offset, uint64_t records)
{
	struct reader *rd = of(s);

	reader_start(rd);
	current(rd)->pos = span->file_offset + offset;
	rd->records = records;
	if (rd->applied < records)
		rd->applied = records;
}

void reader_populate(struct record_source *s, uint64_t file_offset, uint64_t bytes)
{
	input_populate(current(of(s)), file_offset, bytes);
}

void reader_leave(struct record_source *s, uint64_t file_offset, uint64_t bytes)
{
	input_leave(current(of(s)), file_offset, bytes);
}

bool reader_was_unfinished(struct record_source *s)
{
	return of(s)->unfinished;
}

struct strobe_error *reader_check_whole(struct record_source *s)
{
	const struct reader *rd = of(s);

	if (!rd->cut_data && (!rd->cut_features || rd->unfinished))
		return NULL;
	return error_create(ERROR_TRUNCATED, "%s ends within its %s, at byte %" PRIu64, rd->name,
			    rd->cut_data ? "data" : "feature sections", rd->inputs.data[0].size);
}

struct reader_damage reader_damage(struct record_source *s)
{
	return of(s)->damage;
}
