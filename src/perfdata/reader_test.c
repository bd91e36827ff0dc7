#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/testing.h"
#include "perfdata/file_builder.h"

#define TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)

/* Two events, five samples, a comm. */
static struct file_builder two_events(bool swapped)
{
	struct file_builder f = build_file(swapped);

	build_event(&f, PERF_COUNT_SW_CPU_CLOCK, TYPE, 71);
	build_event(&f, PERF_COUNT_SW_PAGE_FAULTS, TYPE, 72);
	build_task(&f, 10, "name", 999, 71);
	for (uint32_t i = 0; i < 5; i++)
		build_sample(&f, 10, 1000 + i, i % 2 ? 72 : 71);
	return f;
}

struct counted {
	uint64_t records, samples, of_event[3];
	enum error_code error;
	bool failed;
};

static struct counted count(struct record_source *s)
{
	struct counted c = {};

	for (;;) {
		struct record r;
		struct sample sample;
		bool end;
		struct strobe_error *err = source_next(s, &r, &end);
		if (err) {
			c.failed = true;
			c.error = err->code;
			error_destroy(err);
			return c;
		}
		if (end)
			return c;
		assert_int_equal((uintptr_t)r.hdr & 7, 0);
		c.records++;
		if (r.hdr->type != PERF_RECORD_SAMPLE)
			continue;
		c.samples++;
		if (env_decode_sample(source_env(s), r, &sample)) {
			assert_int_equal(sample.pid, 10);
			assert_in_range(sample.time, 1000, 1004);
			c.of_event[sample.event]++;
		}
	}
}

static void check_two_events(struct record_source *s, uint64_t records)
{
	const struct env *e = source_env(s);
	struct counted c = count(s);

	assert_false(c.failed);
	assert_int_equal(e->events.len, 2);
	assert_int_equal(e->events.data[1].attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(e->events.data[1].attr.sample_id_all, 1);
	assert_int_equal(e->events.data[1].ids[0], 72);
	assert_int_equal(c.records, records);
	assert_int_equal(c.of_event[0], 3);
	assert_int_equal(c.of_event[1], 2);
}

static void test_file_both_orders(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct file_builder f = two_events(swapped);
		struct bytes_builder file = build_finish(&f);
		struct record_source *s;
		struct reader_span span;
		assert_ok(reader_open_mem(file.bytes.data, file.bytes.len, &s));
		assert_int_equal(source_env(s)->swapped, swapped);
		assert_int_equal(source_is_stable(s), !swapped);
		check_two_events(s, 6);
		assert_ok(s->ops->rewind(s));
		check_two_events(s, 6);
		assert_int_equal(reader_span(s, &span), !swapped);
		source_destroy(s);
		bytes_deinit(&file);
		build_deinit(&f);
	}
}

static void test_stream_both_orders(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct file_builder f = two_events(swapped);
		struct bytes_builder stream = build_stream(&f);
		struct record_source *s;
		assert_ok(reader_open_mem(stream.bytes.data, stream.bytes.len, &s));
		assert_true(source_env(s)->is_pipe);
		assert_int_equal(source_env(s)->events.len, 2); /* before the first record is read */
		check_two_events(s, 8);
		source_destroy(s);
		bytes_deinit(&stream);
		build_deinit(&f);
	}
}

/* Through a real pipe: stream and file form. */
static void test_pipe(void **state)
{
	for (int form = 0; form < 2; form++) {
		struct file_builder f = two_events(false);
		struct bytes_builder bytes = form ? build_stream(&f) : build_finish(&f);
		struct record_source *s;
		int fds[2];
		assert_int_equal(pipe(fds), 0);
		assert_int_equal(write(fds[1], bytes.bytes.data, bytes.bytes.len), bytes.bytes.len);
		close(fds[1]);
		_cleanup_free_ char *path = xasprintf("/proc/self/fd/%d", fds[0]);
		assert_ok(reader_open(path, (struct reader_options){}, &s));
		close(fds[0]);
		check_two_events(s, form ? 8 : 6);
		source_destroy(s);
		bytes_deinit(&bytes);
		build_deinit(&f);
	}
}

/* Read instead of mapped: the same records, also if a buffer ends within one, and after a restart. */
static void test_sequential(void **state)
{
	char path[] = "/tmp/strobe-reader-XXXXXX";
	struct file_builder f = build_file(false);
	struct reader_span span;
	struct record_source *s;
	const uint32_t n = 30000; /* 960 KB: several buffers */
	int fd = mkstemp(path);

	build_event(&f, PERF_COUNT_SW_CPU_CLOCK, TYPE, 71);
	for (uint32_t i = 0; i < n; i++)
		build_sample(&f, i, 1000 + i, 71);
	struct bytes_builder file = build_finish(&f);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.bytes.data, file.bytes.len), file.bytes.len);
	close(fd);
	assert_ok(reader_open(path, (struct reader_options){ .sequential = true }, &s));
	unlink(path);
	assert_false(source_is_stable(s));
	assert_false(reader_span(s, &span));
	for (int pass = 0; pass < 2; pass++) {
		uint32_t i = 0;
		for (;; i++) {
			struct sample sample;
			struct record r;
			bool end;
			assert_ok(source_next(s, &r, &end));
			if (end)
				break;
			assert_true(env_decode_sample(source_env(s), r, &sample));
			assert_int_equal(sample.pid, i);
		}
		assert_int_equal(i, n);
		assert_ok(s->ops->rewind(s));
	}
	source_destroy(s);
	bytes_deinit(&file);
	build_deinit(&f);
}

/* Older recorders wrote smaller attrs, newer ones larger. Version 1 differs only in its magic. */
static void test_attr_sizes(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 256 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct file_builder f = two_events(i & 1);
		f.attr_bytes = sizes[i];
		f.v1 = !(i & 1) && sizes[i] < 100;
		struct bytes_builder file = build_finish(&f), stream = build_stream(&f);
		struct record_source *s;
		assert_ok(reader_open_mem(file.bytes.data, file.bytes.len, &s));
		assert_int_equal(source_env(s)->events.data[0].attr_bytes, sizes[i]);
		assert_int_equal(source_env(s)->file_version, f.v1 ? 1 : 2);
		check_two_events(s, 6);
		source_destroy(s);
		assert_ok(reader_open_mem(stream.bytes.data, stream.bytes.len, &s));
		check_two_events(s, 8);
		source_destroy(s);
		bytes_deinit(&file);
		bytes_deinit(&stream);
		build_deinit(&f);
	}
}

/* Truncated at every length: complete records, then one error; never more records than there are. */
static void test_cut_everywhere(void **state)
{
	for (int form = 0; form < 4; form++) {
		struct file_builder f = two_events(form & 1);
		bytes_header_string(build_feature(&f, FEATURE_HOSTNAME), "lab");
		struct bytes_builder all = form & 2 ? build_stream(&f) : build_finish(&f);
		for (size_t n = 0; n < all.bytes.len; n++) {
			struct record_source *s;
			uint8_t *exact = xmemdup(all.bytes.data, n ? n : 1);
			struct strobe_error *err = reader_open_mem(exact, n, &s);
			if (err) {
				assert_int_equal(err->code, ERROR_TRUNCATED);
				error_destroy(err);
			} else {
				struct counted c = count(s);
				assert_in_range(c.samples, 0, 5);
				/* A stream may end after any record. */
				assert_true(c.failed || form & 2);
				assert_true(!c.failed || c.error == ERROR_TRUNCATED);
				source_destroy(s);
			}
			free(exact);
		}
		bytes_deinit(&all);
		build_deinit(&f);
	}
}

/* The recorder was killed: at every length up to the last complete record, without an error. */
static void test_unfinished(void **state)
{
	struct file_builder f = two_events(false);
	f.unfinished = true;
	struct bytes_builder all = build_finish(&f);
	size_t data = 104 + 2 * 8 + 2 * 144, comm = 48, sample = 32;

	for (size_t n = data + 1; n <= all.bytes.len; n++) {
		struct record_source *s;
		assert_ok(reader_open_mem(all.bytes.data, n, &s));
		assert_true(reader_was_unfinished(s));
		struct counted c = count(s);
		assert_false(c.failed);
		assert_int_equal(c.samples, n < data + comm ? 0 : (n - data - comm) / sample);
		source_destroy(s);
	}
	bytes_deinit(&all);
	build_deinit(&f);
}

static void add_features(struct file_builder *f)
{
	struct bytes_builder *b;
	bytes_header_string(build_feature(f, FEATURE_HOSTNAME), "lab");
	b = build_feature(f, FEATURE_NRCPUS);
	bytes_u32(b, 4);
	bytes_u32(b, 2);
	b = build_feature(f, FEATURE_CMDLINE);
	bytes_u32(b, 2);
	bytes_header_string(b, "perf");
	bytes_header_string(b, "record");
	b = build_feature(f, FEATURE_EVENT_DESC);
	bytes_u32(b, 2);
	bytes_u32(b, 64);
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 8; k++)
			bytes_u64(b, 0);
		bytes_u32(b, 1);
		bytes_header_string(b, i ? "second" : "first");
		bytes_u64(b, 71 + i);
	}
	b = build_feature(f, FEATURE_CPU_TOPOLOGY);
	bytes_u32(b, 1);
	bytes_header_string(b, "0-3");
	bytes_u32(b, 0);
	for (uint32_t i = 0; i < 4; i++) {
		bytes_u32(b, i / 2);
		bytes_u32(b, 9);
	}
	b = build_feature(f, FEATURE_GROUP_DESC);
	bytes_u32(b, 1);
	bytes_header_string(b, "{anon_group}");
	bytes_u32(b, 0);
	bytes_u32(b, 2);
	b = build_feature(f, FEATURE_MEM_TOPOLOGY);
	bytes_u64(b, 1);
	bytes_u64(b, 4096);
	bytes_u64(b, 1);
	bytes_u64(b, 3);
	bytes_u64(b, 65);
	bytes_u64(b, 65);
	bytes_u64(b, 5);
	bytes_u64(b, 1);
	b = build_feature(f, 99);
	bytes_raw(b, "nobody knows", 12);
}

static void check_features(const struct env *e)
{
	assert_string_equal(e->hostname, "lab");
	assert_int_equal(e->cpus_available, 4);
	assert_int_equal(e->cpus_online, 2);
	assert_int_equal(e->cmdline_nr, 2);
	assert_string_equal(e->cmdline[1], "record");
	/* In the stream they precede the events. */
	assert_string_equal(e->events.data[0].name, "first");
	assert_string_equal(e->events.data[1].name, "second");
	assert_int_equal(e->events.data[0].group_members, 2);
	assert_int_equal(e->events.data[1].leader, 0);
	assert_null(e->events.data[0].group_name);
	assert_int_equal(e->cpus.len, 4);
	assert_int_equal(e->cpus.data[3].core, 1);
	assert_int_equal(e->cpus.data[3].socket, 9);
	assert_int_equal(e->mem_nodes.len, 1);
	assert_int_equal(e->mem_nodes.data[0].bitmap[1], 1);
	assert_non_null(env_section(e, 99));
	assert_memory_equal(env_section(e, 99)->data, "nobody knows", 12);
}

static void test_features(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct file_builder f = two_events(swapped);
		add_features(&f);
		for (int form = 0; form < 2; form++) {
			struct bytes_builder all = form ? build_stream(&f) : build_finish(&f);
			struct record_source *s;
			assert_ok(reader_open_mem(all.bytes.data, all.bytes.len, &s));
			check_features(source_env(s));
			source_destroy(s);
			bytes_deinit(&all);
		}
		build_deinit(&f);
	}
}

/* Corrupt headers; each is an error, never a crash or a large allocation. */
static void test_lies(void **state)
{
	struct file_builder f = two_events(false);
	struct bytes_builder all = build_finish(&f);
	struct record_source *s;
	static const struct {
		size_t at;
		uint64_t value;
		unsigned bytes;
		enum error_code code;
	} lies[] = {
		{ 0, 0x4141414141414141, 8, ERROR_FORMAT },
		{ 8, 50, 8, ERROR_FORMAT },                  /* header size */
		{ 8, UINT64_MAX, 8, ERROR_FORMAT },
		{ 16, 0, 8, ERROR_FORMAT },                  /* attr size */
		{ 16, 1ull << 40, 8, ERROR_FORMAT },
		{ 24, UINT64_MAX - 8, 8, ERROR_TRUNCATED },  /* offset of attrs */
		{ 32, UINT64_MAX, 8, ERROR_TRUNCATED },
		{ 32, 0, 8, ERROR_FORMAT },                  /* no event */
		{ 40, 1ull << 62, 8, ERROR_TRUNCATED },      /* offset of data */
		{ 104 + 16 + 128, UINT64_MAX, 8, ERROR_TRUNCATED }, /* offset of ids */
		{ 104 + 16 + 136, 1ull << 61, 8, ERROR_TRUNCATED },
	};
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		uint8_t *copy = xmemdup(all.bytes.data, all.bytes.len);
		struct bytes_builder b = { .bytes = { .data = copy, .len = all.bytes.len } };
		bytes_patch(&b, lies[i].at, lies[i].value, lies[i].bytes);
		assert_fails(reader_open_mem(copy, all.bytes.len, &s), lies[i].code);
		free(copy);
	}
	/* A record of size 0: what precedes it is returned, then the error. */
	bytes_patch(&all, 104 + 16 + 288 + 48 + 32 + 6, 0, 2);
	assert_ok(reader_open_mem(all.bytes.data, all.bytes.len, &s));
	struct counted c = count(s);
	assert_int_equal(c.records, 2);
	assert_true(c.failed);
	assert_int_equal(c.error, ERROR_FORMAT);
	source_destroy(s);
	bytes_deinit(&all);
	build_deinit(&f);
}

/* DIR/data has the header, data.0 and data.1 more records. */
static void test_directory(void **state)
{
	char dir[] = "/tmp/strobe-reader-XXXXXX";
	struct file_builder f = two_events(false), more = build_file(false);
	struct bytes_builder file = build_finish(&f);
	struct record_source *s;

	build_sample(&more, 10, 1001, 72);
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 3; i++) {
		_cleanup_free_ char *path = i ? xasprintf("%s/data.%d", dir, i - 1) : xasprintf("%s/data", dir);
		const struct bytes_builder *b = i ? &more.data : &file;
		_cleanup_close_ int fd = open(path, O_CREAT | O_WRONLY, 0600);
		assert_int_equal(write(fd, b->bytes.data, b->bytes.len), b->bytes.len);
	}
	assert_ok(reader_open(dir, (struct reader_options){}, &s));
	struct counted c = count(s);
	assert_false(c.failed);
	assert_int_equal(c.of_event[0], 3);
	assert_int_equal(c.of_event[1], 4);
	source_destroy(s);
	for (int i = 0; i < 3; i++) {
		_cleanup_free_ char *path = i ? xasprintf("%s/data.%d", dir, i - 1) : xasprintf("%s/data", dir);
		unlink(path);
	}
	rmdir(dir);
	bytes_deinit(&file);
	build_deinit(&f);
	build_deinit(&more);
}

/* The walk in place finds the same records as next(); AUX payloads are skipped by both, and can be read. */
static void test_span_and_payload(void **state)
{
	struct file_builder f = two_events(false);
	struct record_source *s;
	struct reader_span span;
	struct record r;
	uint64_t offset = 0, n = 0;
	const void *p;
	size_t bytes;
	bool end;

	bytes_begin(&f.data, RECORD_AUXTRACE, 0);
	bytes_u64(&f.data, 16);
	for (int i = 0; i < 4; i++)
		bytes_u64(&f.data, 0);
	bytes_end(&f.data);
	bytes_raw(&f.data, "sixteen bytes!!!", 16);
	build_sample(&f, 10, 1004, 71);
	struct bytes_builder file = build_finish(&f);
	assert_ok(reader_open_mem(file.bytes.data, file.bytes.len, &s));
	assert_true(reader_span(s, &span));
	while (reader_span_next(s, &span, &offset, &r))
		n++;
	assert_int_equal(n, 8);
	assert_int_equal(offset, span.bytes);
	reader_span_done(s, &span, offset, n);
	assert_ok(source_next(s, &r, &end));
	assert_true(end);
	assert_ok(s->ops->rewind(s));
	for (n = 0;; n++) {
		assert_ok(source_next(s, &r, &end));
		if (end)
			break;
		if (r.hdr->type != RECORD_AUXTRACE)
			continue;
		assert_ok(reader_payload(s, &p, &bytes));
		assert_int_equal(bytes, 16);
		assert_memory_equal(p, "sixteen bytes!!!", 16);
		assert_ok(reader_payload(s, &p, &bytes));
		assert_int_equal(bytes, 0);
	}
	assert_int_equal(n, 8);
	source_destroy(s);
	bytes_deinit(&file);
	build_deinit(&f);
}

static void test_foreign(void **state)
{
	struct record_source *s;

	assert_fails(reader_open_mem("", 0, &s), ERROR_TRUNCATED);
	assert_fails(reader_open_mem("\x1f\x8b and so on, gzip", 20, &s), ERROR_FORMAT);
	assert_fails(reader_open_mem("PERFILE2", 8, &s), ERROR_TRUNCATED);
	assert_fails(reader_open("/nonexistent/perf.data", (struct reader_options){}, &s), ERROR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_both_orders),
		cmocka_unit_test(test_stream_both_orders),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_attr_sizes),
		cmocka_unit_test(test_cut_everywhere),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_span_and_payload),
		cmocka_unit_test(test_foreign),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
