/* followed: which records of a whole CPU are about the tasks that are followed, byte by byte. */
#include "base/testing.h"

#include <linux/perf_event.h>

#include "capture/followed.h"

#define MAX 64

struct fixture {
	struct record_sink file; /* first */
	uint64_t in[MAX], out[MAX];
	size_t in_nr, out_nr;
	unsigned writes;
};

static struct strobe_error *take(struct record_sink *s, const void *records, size_t bytes)
{
	struct fixture *f = (struct fixture *)s;
	memcpy(f->out + f->out_nr, records, bytes);
	f->out_nr += bytes / 8;
	f->writes++;
	return NULL;
}

/* A record with two words: pid and tid, or pid, ppid, tid, ptid. */
static void add(struct fixture *f, uint32_t type, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	struct perf_event_header h = { .type = type, .size = 24 };
	uint32_t words[4] = { a, b, c, d };
	memcpy(f->in + f->in_nr, &h, sizeof(h));
	memcpy(f->in + f->in_nr + 1, words, sizeof(words));
	f->in_nr += 3;
}

/* What comes out, by the number of each record in the input. */
static void assert_kept(struct fixture *f, const struct followed_tasks *tasks, const unsigned *kept, size_t n)
{
	struct followed_sink sink;
	f->file.write = take;
	followed_sink_init(&sink, tasks, &f->file);
	assert_ok(sink_write(&sink.sink, f->in, f->in_nr * 8));
	assert_int_equal(f->out_nr, n * 3);
	for (size_t i = 0; i < n; i++)
		assert_memory_equal(f->out + i * 3, f->in + kept[i] * 3, 24);
	assert_int_equal(sink.left_out_records, f->in_nr / 3 - n);
	assert_int_equal(sink.left_out_bytes, (f->in_nr / 3 - n) * 24);
}

static void test_processes(void **state)
{
	/* 5 and 70 */
	uint64_t bits[2] = { 1u << 5, 1u << 6 };
	const struct followed_tasks tasks = { bits, 128, false };
	struct fixture f = {};
	add(&f, PERF_RECORD_SAMPLE, 9, 9, 9, 9); /* 0: a program has looked at it */
	add(&f, PERF_RECORD_COMM, 5, 5, 0, 0);
	add(&f, PERF_RECORD_COMM, 6, 6, 0, 0);
	add(&f, PERF_RECORD_MMAP2, 70, 71, 0, 0);
	add(&f, PERF_RECORD_MMAP, 69, 70, 0, 0);    /* a thread's number is not a process's */
	add(&f, PERF_RECORD_FORK, 200, 5, 200, 5);  /* 5: its bit may not be set yet */
	add(&f, PERF_RECORD_FORK, 70, 1, 70, 1);    /* 6: of a process that had this ID before */
	add(&f, PERF_RECORD_EXIT, 70, 1, 70, 1);    /* 7 */
	add(&f, PERF_RECORD_EXIT, 6, 5, 6, 5);
	add(&f, PERF_RECORD_NAMESPACES, 5, 6, 0, 0); /* 9 */
	add(&f, PERF_RECORD_COMM, 4000000, 4000000, 0, 0);
	add(&f, PERF_RECORD_LOST, 0, 0, 0, 0);
	add(&f, PERF_RECORD_KSYMBOL, 0, 0, 0, 0);
	assert_kept(&f, &tasks, (const unsigned[]){ 0, 1, 3, 5, 7, 9, 11, 12 }, 8);
	/* Neighbours go out together. */
	assert_int_equal(f.writes, 6);
}

static void test_threads(void **state)
{
	uint64_t bits[1] = { 1u << 5 };
	const struct followed_tasks tasks = { bits, 64, true };
	struct fixture f = {};
	add(&f, PERF_RECORD_COMM, 4, 5, 0, 0);
	add(&f, PERF_RECORD_COMM, 5, 4, 0, 0);
	add(&f, PERF_RECORD_FORK, 4, 4, 9, 5); /* 2: pid, ppid, tid, ptid */
	add(&f, PERF_RECORD_FORK, 5, 5, 9, 4);
	add(&f, PERF_RECORD_EXIT, 4, 4, 5, 4); /* 4 */
	add(&f, PERF_RECORD_EXIT, 5, 5, 4, 5);
	assert_kept(&f, &tasks, (const unsigned[]){ 0, 2, 4 }, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_processes), cmocka_unit_test(test_threads) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
