#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/testing.h"
#include "config.h"
#include "perfdata/file_builder.h"
#include "perfdata/rewrite.h"

#define TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)

/* A recording with n samples, names, an unknown section, and AUX data. */
static struct bytes_builder source_file(uint32_t n, bool swapped)
{
	struct file_builder f = build_file(swapped);

	build_event(&f, PERF_COUNT_SW_CPU_CLOCK, TYPE, 71);
	build_event(&f, PERF_COUNT_SW_PAGE_FAULTS, TYPE, 72);
	for (uint32_t i = 0; i < n; i++)
		build_sample(&f, i, 1000 + i, 71 + i % 2);
	bytes_begin(&f.data, RECORD_AUXTRACE, 0);
	bytes_u64(&f.data, 8);
	for (int i = 0; i < 4; i++)
		bytes_u64(&f.data, 0);
	bytes_end(&f.data);
	bytes_raw(&f.data, "payload!", 8);
	bytes_header_string(build_feature(&f, FEATURE_HOSTNAME), "lab");
	bytes_raw(build_feature(&f, 99), "unknown", 7);
	struct bytes_builder file = build_finish(&f);
	build_deinit(&f);
	return file;
}

static int memory_fd(void)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* The content of a descriptor that the writer has closed, by a duplicate. */
static uint8_t *content_of(int fd, size_t *ret_bytes)
{
	off_t n = lseek(fd, 0, SEEK_END);
	uint8_t *p = xmalloc((size_t)n + 1);
	assert_int_equal(pread(fd, p, (size_t)n, 0), n);
	*ret_bytes = (size_t)n;
	close(fd);
	return p;
}

/* Counts the remaining records of a type in a source. */
static uint32_t count(struct record_source *s, uint32_t type)
{
	uint32_t nr = 0;
	for (bool end = false;;) {
		struct record r;
		assert_ok(source_next(s, &r, &end));
		if (end)
			return nr;
		nr += r.hdr->type == type;
	}
}

static uint8_t *copy(const struct bytes_builder *from, struct writer_options options, size_t *ret_bytes)
{
	int fd = memory_fd(), keep = dup(fd);
	struct record_source *s;
	struct writer *w;

	assert_ok(reader_open_mem(from->bytes.data, from->bytes.len, &s));
	assert_ok(writer_create(fd, "copy", source_env(s), options, &w));
	assert_ok(rewrite(s, s, w, NULL));
	assert_ok(writer_finish(w, source_env(s)));
	writer_destroy(w);
	source_destroy(s);
	return content_of(keep, ret_bytes);
}

static void check_copy(const uint8_t *data, size_t bytes, uint32_t n, bool swapped_source)
{
	struct record_source *s;
	uint32_t samples = 0, traces = 0;
	struct sample sample;
	struct record r;
	bool end;

	assert_ok(reader_open_mem(data, bytes, &s));
	for (;;) {
		assert_ok(source_next(s, &r, &end));
		if (end)
			break;
		if (r.hdr->type == RECORD_AUXTRACE) {
			const void *p;
			size_t got;
			assert_ok(reader_payload(s, &p, &got));
			assert_int_equal(got, 8);
			assert_memory_equal(p, "payload!", 8);
			traces++;
		}
		if (r.hdr->type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(env_decode_sample(source_env(s), r, &sample));
		assert_int_equal(sample.pid, samples);
		assert_int_equal(sample.event, samples % 2);
		samples++;
	}
	const struct env *e = source_env(s);
	assert_int_equal(samples, n);
	assert_int_equal(traces, 1);
	assert_string_equal(e->hostname, "lab");
	assert_string_equal(e->events.data[1].name, "page-faults");
	assert_int_equal(e->events.data[1].attr_bytes, 128);
	/* Bytes of the other byte order would be wrong in this file. */
	const struct env_section *unknown = env_section(e, 99);
	assert_int_equal(unknown != NULL, !swapped_source);
	if (unknown)
		assert_memory_equal(unknown->data, "unknown", 7);
	if (!e->is_pipe) {
		assert_int_equal(e->auxtrace.len, 1);
		assert_memory_equal(data + e->auxtrace.data[0].file_offset, &(uint32_t){ RECORD_AUXTRACE }, 4);
	}
	source_destroy(s);
}

static void test_copies(void **state)
{
	const uint32_t n = 20000;

	for (int swapped = 0; swapped < 2; swapped++) {
		struct bytes_builder from = source_file(n, swapped);
		for (int form = 0; form < (HAVE_ZSTD ? 8 : 2); form++) {
			size_t bytes;
			struct writer_options options = { .pipe = form & 1, .compress_level = form & 2 ? 3 : 0, .compressed2 = form & 4 };
			_cleanup_free_ uint8_t *data = copy(&from, options, &bytes);
			check_copy(data, bytes, n, swapped);
			if (form & 2)
				assert_in_range(bytes, 1000, from.bytes.len / 2);
		}
		bytes_deinit(&from);
	}
}

/* A larger attr is truncated to the size that perf 6.1 reads, with its size field adjusted. */
static void test_attr_is_cut(void **state)
{
	struct env *e = env_create();
	uint8_t attr[192] = { [0] = 1 };
	uint64_t id = 5;
	int fd = memory_fd(), keep = dup(fd);
	struct writer *w;
	size_t bytes;

	attr[4] = 192;
	attr[150] = 1;
	env_add_event(e, attr, sizeof(attr), "wide", &id, 1);
	assert_ok(writer_create(fd, "x", e, (struct writer_options){}, &w));
	assert_ok(writer_finish(w, e));
	writer_destroy(w);
	_cleanup_free_ uint8_t *data = content_of(keep, &bytes);
	struct record_source *s;
	assert_ok(reader_open_mem(data, bytes, &s));
	assert_int_equal(source_env(s)->events.data[0].attr_bytes, 128);
	assert_int_equal(source_env(s)->events.data[0].attr.size, 128);
	assert_string_equal(source_env(s)->events.data[0].name, "wide");
	source_destroy(s);
	env_destroy(e);
}

/* Before writer_finish() the file looks like that of a killed recorder. */
static void test_unfinished_is_readable(void **state)
{
	struct bytes_builder from = source_file(50, false);
	int fd = memory_fd(), keep = dup(fd);
	struct record_source *s;
	struct writer *w;
	size_t bytes;

	assert_ok(reader_open_mem(from.bytes.data, from.bytes.len, &s));
	assert_ok(writer_create(fd, "x", source_env(s), (struct writer_options){}, &w));
	assert_ok(rewrite(s, s, w, NULL));
	_cleanup_free_ uint8_t *data = content_of(keep, &bytes);
	writer_destroy(w);
	source_destroy(s);
	assert_ok(reader_open_mem(data, bytes, &s));
	assert_true(reader_was_unfinished(s));
	assert_int_equal(count(s, PERF_RECORD_SAMPLE), 50);
	source_destroy(s);
	bytes_deinit(&from);
}

static uint64_t u64_at(const uint8_t *data, size_t at)
{
	uint64_t v;
	memcpy(&v, data + at, sizeof(v));
	return v;
}

/* The file after a number of rounds, read as if the recorder had been killed then. */
static void check_killed(int fd, int level, uint32_t samples, uint32_t in_header)
{
	size_t bytes;
	_cleanup_free_ uint8_t *data = content_of(dup(fd), &bytes);
	struct record_source *s;
	uint32_t got = 0, before_mark = 0;
	uint64_t header_end = u64_at(data, 40) + u64_at(data, 48);

	assert_ok(reader_open_mem(data, bytes, &s));
	assert_true(reader_was_unfinished(s));
	assert_int_equal(source_env(s)->tracing_data_bytes, 7);
	assert_memory_equal(source_env(s)->tracing_data, "formats", 7);
	assert_string_equal(source_env(s)->events.data[1].name, "page-faults");
	for (bool end = false;;) {
		struct record r;
		assert_ok(source_next(s, &r, &end));
		if (end)
			break;
		got += r.hdr->type == PERF_RECORD_SAMPLE;
		before_mark += r.hdr->type == PERF_RECORD_SAMPLE && r.file_offset < header_end;
	}
	assert_ok(reader_check_whole(s));
	assert_int_equal(got, samples);
	if (!level) /* for readers that use the header; decompressed data is nowhere in the file */
		assert_int_equal(before_mark, in_header);
	/* In the table, feature 0 is the mark itself, the next one the formats, before the data. */
	assert_int_equal(u64_at(data, 72) & 3, 3);
	uint32_t type;
	memcpy(&type, data + header_end, sizeof(type));
	assert_int_equal(type, RECORD_FINISHED_ROUND);
	uint64_t formats = u64_at(data, header_end + 16);
	assert_true(formats + 7 <= u64_at(data, 40));
	assert_memory_equal(data + formats, "formats", 7);
	assert_int_equal(u64_at(data, header_end + 24), 7);
	source_destroy(s);
}

static void write_samples(struct writer *w, uint32_t first, uint32_t n)
{
	struct file_builder f = build_file(false);
	for (uint32_t i = first; i < first + n; i++)
		build_sample(&f, i, 1000 + i, 71 + i % 2);
	assert_ok(sink_write(&w->sink, f.data.bytes.data, f.data.bytes.len));
	build_deinit(&f);
}

/* With checkpoints the header covers all up to the last round, whenever the recorder is killed. */
static void check_checkpoints(int level)
{
	struct bytes_builder from = source_file(0, false);
	int fd = memory_fd(), keep = dup(fd);
	struct record_source *s;
	struct writer *w;
	size_t bytes;

	assert_ok(reader_open_mem(from.bytes.data, from.bytes.len, &s));
	struct env *e = env_create();
	const struct env *old = source_env(s);
	for (size_t i = 0; i < 2; i++)
		env_add_event(e, old->events.data[i].attr_raw, old->events.data[i].attr_bytes, old->events.data[i].name,
			      old->events.data[i].ids, old->events.data[i].ids_nr);
	e->tracing_data = "formats";
	e->tracing_data_bytes = 7;
	assert_ok(writer_create(fd, "x", e, (struct writer_options){ .checkpoints = true, .compress_level = level }, &w));
	write_samples(w, 0, 10);
	assert_ok(writer_round(w, e));
	check_killed(keep, level, 10, 10);
	write_samples(w, 10, 5);
	check_killed(keep, level, 15, 10);
	assert_ok(writer_round(w, e));
	check_killed(keep, level, 15, 15);
	write_samples(w, 15, 1);
	e->hostname = "lab";
	assert_ok(writer_finish(w, e));
	writer_destroy(w);
	source_destroy(s);
	_cleanup_free_ uint8_t *data = content_of(keep, &bytes);
	assert_ok(reader_open_mem(data, bytes, &s));
	assert_false(reader_was_unfinished(s));
	assert_int_equal(u64_at(data, 72) & 3, 2);
	assert_string_equal(source_env(s)->hostname, "lab");
	assert_int_equal(source_env(s)->tracing_data_bytes, 7);
	source_destroy(s);
	env_destroy(e);
	bytes_deinit(&from);
}

static void test_checkpoints(void **state)
{
	check_checkpoints(0);
#if HAVE_ZSTD
	check_checkpoints(1);
#endif
}

/* The disk is full in the middle of a record: complete records stay, and the header covers them. */
static void test_disk_full(void **state)
{
	char path[] = "/tmp/strobe-writer-XXXXXX";
	struct bytes_builder from = source_file(1000, false);
	struct rlimit before, small = { .rlim_cur = 20001, .rlim_max = RLIM_INFINITY };
	int fd = mkstemp(path), keep = dup(fd);
	struct record_source *s;
	struct writer *w;
	size_t bytes;

	assert_true(fd >= 0);
	unlink(path);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	assert_ok(reader_open_mem(from.bytes.data, from.bytes.len, &s));
	assert_ok(writer_create(fd, "x", source_env(s), (struct writer_options){}, &w));
	setrlimit(RLIMIT_FSIZE, &small);
	assert_fails(rewrite(s, s, w, NULL), ERROR_IO);
	assert_fails(writer_finish(w, source_env(s)), ERROR_IO); /* no room for features */
	setrlimit(RLIMIT_FSIZE, &before);
	writer_destroy(w);
	source_destroy(s);
	_cleanup_free_ uint8_t *data = content_of(keep, &bytes);
	assert_ok(reader_open_mem(data, bytes, &s));
	assert_false(reader_was_unfinished(s));
	assert_int_equal(count(s, PERF_RECORD_SAMPLE), (20001 - (104 + 16 + 288)) / 32);
	source_destroy(s);
	bytes_deinit(&from);
}

static struct strobe_error *drop_odd(struct rewrite_filter *f, struct record r, struct record_sink *out, bool *ret_keep)
{
	uint32_t pid;
	memcpy(&pid, r.hdr + 1, sizeof(pid));
	*ret_keep = r.hdr->type != PERF_RECORD_SAMPLE || pid % 2 == 0;
	return NULL;
}

static void test_filter(void **state)
{
	struct bytes_builder from = source_file(101, false);
	struct rewrite_filter filter = { .record = drop_odd };
	int fd = memory_fd(), keep = dup(fd);
	struct record_source *s;
	struct writer *w;
	size_t bytes;

	assert_ok(reader_open_mem(from.bytes.data, from.bytes.len, &s));
	assert_ok(writer_create(fd, "x", source_env(s), (struct writer_options){}, &w));
	assert_ok(rewrite(s, s, w, &filter));
	assert_ok(writer_finish(w, source_env(s)));
	writer_destroy(w);
	source_destroy(s);
	_cleanup_free_ uint8_t *data = content_of(keep, &bytes);
	assert_ok(reader_open_mem(data, bytes, &s));
	assert_int_equal(count(s, PERF_RECORD_SAMPLE), 51);
	source_destroy(s);
	bytes_deinit(&from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_attr_is_cut),
		cmocka_unit_test(test_unfinished_is_readable),
		cmocka_unit_test(test_checkpoints),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_filter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
