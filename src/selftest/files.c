/* Files: recordings of either byte order, damaged ones, unordered records, round trips of profiles. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "exchange/exchange.h"
#include "packing/gzip.h"
#include "packing/packing.h"
#include "perfdata/file_builder.h"
#include "record/order.h"
#include "selftest/priv.h"

#define TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)

/* n samples in a byte order, whose times go back and forth. */
static struct bytes_builder recording(uint32_t n, bool swapped)
{
	struct file_builder f = build_file(swapped);
	build_event(&f, PERF_COUNT_SW_CPU_CLOCK, TYPE, 71);
	for (uint32_t i = 0; i < n; i++)
		build_sample(&f, i, 1000 + (i ^ 7), 71);
	struct bytes_builder file = build_finish(&f);
	build_deinit(&f);
	return file;
}

struct read_back {
	uint64_t samples, backwards;
	uint32_t pids; /* their sum */
};

/* Reads all samples of a source, and destroys it. */
static struct strobe_error *read_back(struct record_source *source, struct read_back *ret)
{
	struct record r;
	bool at_end = false;
	uint64_t last_ns = 0;
	struct strobe_error *err = NULL;
	while (!(err = source_next(source, &r, &at_end)) && !at_end) {
		struct sample s;
		struct sample_layout layout = sample_layout_compile(&(struct perf_event_attr){ .sample_type = TYPE });
		if (r.hdr->type != PERF_RECORD_SAMPLE || !sample_decode(&layout, r, &s))
			continue;
		ret->samples++;
		ret->pids += s.pid;
		ret->backwards += s.time < last_ns;
		last_ns = s.time;
	}
	source_destroy(source);
	return err;
}

/* n: 1 for the byte order opposite to x86. */
static struct selftest_outcome byte_order(const struct selftest *t)
{
	struct bytes_builder file = recording(1000, t->n);
	struct record_source *source;
	struct read_back back = {};
	struct strobe_error *err = reader_open_mem(file.bytes.data, file.bytes.len, &source);
	if (!err)
		err = read_back(source, &back);
	bytes_deinit(&file);
	if (err)
		return selftest_of_error(err);
	EXPECT(back.samples == 1000 && back.pids == 999 * 1000 / 2, "%" PRIu64 " of 1000 samples, sum of IDs %" PRIu32, back.samples,
	       back.pids);
	return selftest_ok();
}

static struct selftest_outcome in_order(const struct selftest *t)
{
	struct bytes_builder file = recording(1000, false);
	struct record_source *source;
	struct read_back plain = {}, ordered = {};
	(void)t;
	struct strobe_error *err = reader_open_mem(file.bytes.data, file.bytes.len, &source);
	if (!err)
		err = read_back(source, &plain);
	if (!err)
		err = reader_open_mem(file.bytes.data, file.bytes.len, &source);
	if (!err)
		err = read_back(order_create(source), &ordered);
	bytes_deinit(&file);
	if (err)
		return selftest_of_error(err);
	EXPECT(plain.backwards && !ordered.backwards && ordered.samples == 1000,
	       "%" PRIu64 " samples, %" PRIu64 " of them out of order", ordered.samples, ordered.backwards);
	return selftest_ok();
}

/* Truncated at each byte, a file yields complete records and then an error, or cannot be opened. */
static struct selftest_outcome truncated(const struct selftest *t)
{
	struct bytes_builder file = recording(50, false);
	uint64_t silent = 0, most = 0;
	(void)t;
	for (size_t n = 0; n < file.bytes.len; n++) {
		struct record_source *source;
		struct read_back back = {};
		uint8_t *copy = xmemdup(file.bytes.data, n ? n : 1); /* a copy, so that a sanitizer finds reads beyond it */
		struct strobe_error *err = reader_open_mem(copy, n, &source);
		if (!err)
			err = read_back(source, &back);
		silent += !err;
		most = back.samples > most ? back.samples : most;
		error_destroy(err);
		free(copy);
	}
	bytes_deinit(&file);
	EXPECT(!silent, "%" PRIu64 " cuts were not noticed", silent);
	EXPECT(most >= 49, "%" PRIu64 " of 50 samples at most", most);
	return selftest_ok();
}

/* Stacks main;fN with the value N + 1. */
static struct profile *made_profile(void)
{
	static const char text[] = "main;f0 1\nmain;f1 2\nmain;f2;g 3\nmain;f2;h 4\n";
	struct profile *p = NULL;
	error_destroy(folded_read((const uint8_t *)text, sizeof(text) - 1, &p));
	return p;
}

/* A round trip through a format preserves the sum of values and the number of rows. */
static struct selftest_outcome there_and_back(const struct selftest *t)
{
	const struct exchange_format *format = exchange_find(t->text);
	struct profile *p = made_profile(), *back = NULL;
	struct out out;
	EXPECT(format && format->write && p, "no format '%s'", t->text);
	out_init_mem(&out);
	struct strobe_error *err = format->write(p, &out);
	if (!err)
		err = exchange_read((const uint8_t *)out.buf, out.len, t->text, format, &back);
	error_destroy(out_close(&out));
	uint64_t sum = 0, rows = back ? back->rows.len : 0;
	for (size_t i = 0; i < rows; i++)
		sum += (uint64_t)back->rows.data[i].value;
	profile_destroy(p);
	profile_destroy(back);
	if (err)
		return selftest_of_error(err);
	EXPECT(rows == 4 && sum == 10, "%" PRIu64 " rows with a sum of %" PRIu64 ", 4 with 10 expected", rows, sum);
	return selftest_ok();
}

/* Packing and unpacking preserves the bytes; text: suffix of a file name. */
static struct selftest_outcome packed(const struct selftest *t)
{
	uint8_t from[20000], to[30000];
	struct packer *packer;
	void *back = NULL;
	size_t back_bytes = 0;
	bool at_end = false;
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * i >> 5);
	const struct packing *packing = packing_by_name(t->text);
	struct strobe_error *err = packer_create(packing, false, t->text, &packer);
	if (err)
		return selftest_of_error(err);
	struct packing_io io = { .in = from, .in_bytes = sizeof(from), .out = to, .out_bytes = sizeof(to) };
	while (!err && !at_end && io.out_bytes)
		err = packer_step(packer, &io, true, &at_end);
	packer_destroy(packer);
	if (!err)
		err = packing_unpack(packing_by_content(to, sizeof(to) - io.out_bytes), to, sizeof(to) - io.out_bytes, 1 << 20, t->text,
				     &back, &back_bytes);
	bool same = !err && back_bytes == sizeof(from) && !memcmp(back, from, sizeof(from));
	free(back);
	if (err)
		return selftest_of_error(err);
	EXPECT(same, "%zu bytes of %zu came back", back_bytes, sizeof(from));
	return selftest_ok();
}

#define S .subject = "files"

const struct selftest selftests_files[] = {
	{ "a recording of little-endian machines is read", S, byte_order },
	{ "a recording of big-endian machines is read", S, byte_order, .n = 1 },
	{ "records are put in order of time", S, in_order },
	{ "a recording that was cut is noticed", S, truncated },
	{ "a pprof profile there and back", S, there_and_back, "pprof" },
	{ "a profile of Firefox there and back", S, there_and_back, "firefox" },
	{ "a speedscope profile there and back", S, there_and_back, "speedscope" },
	{ "a CSV profile there and back", S, there_and_back, "csv" },
	{ "a JSON profile there and back", S, there_and_back, "json" },
	{ "gzip there and back", S, packed, "x.gz" },
	{ "xz there and back", S, packed, "x.xz" },
	{ "zstd there and back", S, packed, "x.zst" },
	{ "bzip2 there and back", S, packed, "x.bz2" },
	{},
};
