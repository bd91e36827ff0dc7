/* ring: records laid by hand into a mapping that has the kernel's shape. */
#include "base/testing.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/out.h"
#include "capture/ring.h"
#include "record/sample.h"

#define RING_BYTES 4096u

struct fixture {
	struct ring ring;
	int fd;
	struct record_sink sink;
	struct out got;
	unsigned writes;
};

static struct strobe_error *take(struct record_sink *s, const void *records, size_t bytes)
{
	struct fixture *f = (struct fixture *)((char *)s - offsetof(struct fixture, sink));
	out_write(&f->got, records, bytes);
	f->writes++;
	return NULL;
}

static int set_up(void **state, bool backward)
{
	struct fixture *f = calloc(1, sizeof(*f));
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	f->fd = memfd_create("ring", 0);
	f->sink.write = take;
	out_init_mem(&f->got);
	assert_int_equal(ftruncate(f->fd, (off_t)(page + RING_BYTES)), 0);
	assert_ok(ring_map(&f->ring, sys_live(), f->fd, RING_BYTES, 3, backward));
	if (backward) { /* we play the kernel: it may write */
		assert_int_equal(mprotect(f->ring.page, page + RING_BYTES, PROT_READ | PROT_WRITE), 0);
	}
	*state = f;
	return 0;
}

static int set_up_forward(void **state)
{
	return set_up(state, false);
}

static int set_up_backward(void **state)
{
	return set_up(state, true);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	ring_unmap(&f->ring);
	close(f->fd);
	error_destroy(out_close(&f->got));
	free(f);
	return 0;
}

static void put_bytes(struct fixture *f, uint64_t at, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		f->ring.data[(at + i) % RING_BYTES] = ((const uint8_t *)p)[i];
}

/* A record of `words` 8-byte words, the first of them its header; the second is `mark`. */
static void put(struct fixture *f, uint64_t at, uint32_t type, uint16_t words, uint64_t mark)
{
	uint64_t content[64] = { 0, mark };
	struct perf_event_header h = { .type = type, .size = (uint16_t)(words * 8)};
	memcpy(content, &h, sizeof(h));
	for (uint16_t i = 2; i < words; i++)
		content[i] = mark * 1000 + i;
	put_bytes(f, at, content, words * 8u);
}

static void append(struct fixture *f, uint32_t type, uint16_t words, uint64_t mark)
{
	put(f, f->ring.page->data_head, type, words, mark);
	f->ring.page->data_head += words * 8u;
}

/* The marks of what came out, in order; each record must be whole. */
static size_t marks(struct fixture *f, uint64_t *ret, size_t cap)
{
	size_t n, at = 0, count = 0;
	const char *p = out_mem(&f->got, &n);
	while (at < n) {
		struct perf_event_header h;
		memcpy(&h, p + at, sizeof(h));
		assert_true(h.size >= 16 && h.size <= n - at);
		uint64_t mark;
		memcpy(&mark, p + at + 8, 8);
		for (uint16_t i = 2; i < h.size / 8; i++) {
			uint64_t v;
			memcpy(&v, p + at + i * 8u, 8);
			assert_int_equal(v, mark * 1000 + i);
		}
		if (count < cap)
			ret[count] = mark;
		count++;
		at += h.size;
	}
	f->got.len = 0;
	return count;
}

static void wraps_without_breaking_records(void **state)
{
	struct fixture *f = *state;
	struct ring_stats st = { .first_ns = UINT64_MAX, .time_offset = 8 };
	uint64_t next = 1, expected = 1;
	/* Sizes that do not divide the ring, so that every kind of straddling comes up. */
	static const uint16_t sizes[] = { 2, 5, 7, 3, 11, 60, 4 };
	for (unsigned round = 0; round < 400; round++) {
		uint64_t first = next;
		while (f->ring.page->data_head - f->ring.page->data_tail < RING_BYTES - 512)
			append(f, PERF_RECORD_SAMPLE, sizes[next % 7], next), next++;
		assert_ok(ring_drain(&f->ring, &f->sink, &st));
		assert_int_equal(f->ring.page->data_tail, f->ring.page->data_head);
		uint64_t got[512];
		size_t n = marks(f, got, 512);
		assert_int_equal(n, next - first);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(got[i], expected++);
	}
	assert_int_equal(st.samples, next - 1);
	assert_int_equal(st.first_ns, 1);
	assert_int_equal(st.last_ns, next - 1);
	assert_int_equal(ring_pending(&f->ring), 0);
}

static void counts_losses(void **state)
{
	struct fixture *f = *state;
	struct ring_stats st = { .first_ns = UINT64_MAX, .time_offset = SAMPLE_NO_OFFSET };
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
	} lost = { { PERF_RECORD_LOST, 0, sizeof(lost)}, 5, 123 };
	append(f, PERF_RECORD_SAMPLE, 4, 1);
	put_bytes(f, f->ring.page->data_head, &lost, sizeof(lost));
	f->ring.page->data_head += sizeof(lost);
	append(f, PERF_RECORD_THROTTLE, 4, 2);
	assert_ok(ring_drain(&f->ring, &f->sink, &st));
	assert_int_equal(st.samples, 1);
	assert_int_equal(st.lost_records, 1);
	assert_int_equal(st.lost_events, 123);
	assert_int_equal(st.throttled, 1);
	assert_int_equal(st.records, 3);
	assert_int_equal(st.bytes, 32 + 24 + 32);
	assert_int_equal(st.first_ns, UINT64_MAX);
}

static void impossible_size_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct ring_stats st = { .time_offset = SAMPLE_NO_OFFSET };
	append(f, PERF_RECORD_SAMPLE, 4, 1);
	f->ring.page->data_head += 64; /* zeros: a size of 0 */
	struct strobe_error *err = ring_drain(&f->ring, &f->sink, &st);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_FORMAT);
	error_destroy(err);
}

static void gives_records_one_by_one(void **state)
{
	struct fixture *f = *state;
	struct record r;
	uint64_t mark;
	assert_false(ring_next(&f->ring, &r));
	for (uint64_t m = 1; m < 1000; m++) {
		append(f, PERF_RECORD_SAMPLE, 61, m);
		assert_true(ring_next(&f->ring, &r));
		memcpy(&mark, (const char *)r.hdr + 8, 8);
		assert_int_equal(mark, m);
		/* What was given is not given back to the kernel before the next call. */
		assert_true(f->ring.page->data_tail < f->ring.page->data_head);
		assert_false(ring_next(&f->ring, &r));
		assert_int_equal(f->ring.page->data_tail, f->ring.page->data_head);
	}
}

/* The kernel's side of write_backward: head goes down, the record begins there. */
static void prepend(struct fixture *f, uint16_t words, uint64_t mark)
{
	f->ring.page->data_head -= words * 8u;
	put(f, f->ring.page->data_head, PERF_RECORD_SAMPLE, words, mark);
}

static void backward_gives_the_newest(void **state)
{
	struct fixture *f = *state;
	struct ring_stats st = { .first_ns = UINT64_MAX, .time_offset = SAMPLE_NO_OFFSET };
	uint64_t got[512];
	/* Not wrapped yet: all of it, newest first. */
	for (uint64_t m = 1; m <= 10; m++)
		prepend(f, 5, m);
	assert_ok(ring_drain_backward(&f->ring, &f->sink, &st));
	assert_int_equal(marks(f, got, 512), 10);
	assert_int_equal(got[0], 10);
	assert_int_equal(got[9], 1);
	/* A second snapshot has only what came since. */
	prepend(f, 5, 11);
	assert_ok(ring_drain_backward(&f->ring, &f->sink, &st));
	assert_int_equal(marks(f, got, 512), 1);
	assert_int_equal(got[0], 11);
	assert_ok(ring_drain_backward(&f->ring, &f->sink, &st));
	assert_int_equal(marks(f, got, 512), 0);
	/* Wrapped many times: as many whole records as fit the ring. */
	for (uint64_t m = 12; m <= 5000; m++)
		prepend(f, 7, m);
	assert_ok(ring_drain_backward(&f->ring, &f->sink, &st));
	size_t n = marks(f, got, 512);
	assert_int_equal(n, RING_BYTES / 56);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i], 5000 - i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(wraps_without_breaking_records, set_up_forward, tear_down),
		cmocka_unit_test_setup_teardown(counts_losses, set_up_forward, tear_down),
		cmocka_unit_test_setup_teardown(impossible_size_is_an_error, set_up_forward, tear_down),
		cmocka_unit_test_setup_teardown(gives_records_one_by_one, set_up_forward, tear_down),
		cmocka_unit_test_setup_teardown(backward_gives_the_newest, set_up_backward, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
