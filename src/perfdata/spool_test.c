#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "perfdata/spool.h"

/* A head, a record of 16 bytes about the recording, formats with 24 bytes after them, a sample of 24 bytes, a round of 8. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HEAD(type, bytes) ((uint64_t)(type) << 32 | (bytes))
#define FIRST(v)          ((uint64_t)(v) << 32) /* of two 32-bit numbers */
#else
#define HEAD(type, bytes) ((uint64_t)(bytes) << 48 | (type))
#define FIRST(v)          (v)
#endif
static const uint64_t stream[] = {
	0x32454c4946524550ull, 16, HEAD(64, 16), 1, HEAD(66, 16), FIRST(24), 2, 3, 4, HEAD(9, 24), 5, 6, HEAD(68, 8),
};
/* The complete bytes by number of bytes received: none before the end of the sample. */
#define SAMPLE_END (12 * 8)
#define ALL (13 * 8)

static uint64_t whole_of(size_t n)
{
	return n < SAMPLE_END ? 0 : n < ALL ? SAMPLE_END : ALL;
}

struct fixture {
	char path[64];
	int writer;
	struct spool *spool;
};

static struct fixture start(void)
{
	struct fixture f = {};
	snprintf(f.path, sizeof(f.path), "/tmp/strobe-spool-%d", (int)getpid());
	unlink(f.path);
	assert_int_equal(mkfifo(f.path, 0600), 0);
	assert_true(spool_is_stream(f.path));
	assert_null(spool_start(f.path, &f.spool));
	f.writer = open(f.path, O_WRONLY);
	assert_true(f.writer >= 0);
	return f;
}

static void finish(struct fixture *f)
{
	if (f->writer >= 0)
		close(f->writer);
	spool_destroy(f->spool);
	unlink(f->path);
}

static void wait_for_bytes(const struct fixture *f, uint64_t n)
{
	while (spool_bytes(f->spool) < n)
		usleep(100);
	/* The byte count is updated first. */
	for (unsigned i = 0; i < 1000 && spool_whole(f->spool) != whole_of(n); i++)
		usleep(1000);
}

static void test_follows(void **state)
{
	struct fixture f = start();
	for (size_t n = 0; n < sizeof(stream);) {
		assert_int_equal(write(f.writer, (const char *)stream + n, 1), 1);
		wait_for_bytes(&f, ++n);
		assert_int_equal(spool_whole(f.spool), whole_of(n));
		assert_false(spool_ended(f.spool));
	}
	close(f.writer);
	f.writer = -1;
	struct pollfd fd = { .fd = spool_end_fd(f.spool), .events = POLLIN };
	assert_int_equal(poll(&fd, 1, 10000), 1);
	assert_true(spool_ended(f.spool));
	assert_true(spool_whole(f.spool) == UINT64_MAX);
	assert_null(spool_error(f.spool));
	uint64_t again[sizeof(stream) / 8];
	int kept = open(spool_path(f.spool), O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(kept, again, sizeof(again)), sizeof(again));
	assert_memory_equal(again, stream, sizeof(stream));
	close(kept);
	finish(&f);
}

static void test_is_no_recording(void **state)
{
	struct fixture f = start();
	const char text[] = "perf.data it is not, but long enough to be looked at";
	assert_int_equal(write(f.writer, text, sizeof(text)), sizeof(text));
	wait_for_bytes(&f, sizeof(text));
	assert_int_equal(spool_whole(f.spool), 0);
	finish(&f);
}

/* A record of size 0, and one whose payload end overflows. */
static void test_is_damaged(void **state)
{
	const uint64_t none[] = { 0x32454c4946524550ull, 16, 4ull << 48 | 9, 0, 0 };
	const uint64_t endless[] = { 0x32454c4946524550ull, 16, 16ull << 48 | 71, UINT64_MAX - 40, 24ull << 48 | 9, 0, 0 };
	for (unsigned i = 0; i < 2; i++) {
		struct fixture f = start();
		size_t n = i ? sizeof(endless) : sizeof(none);
		assert_int_equal(write(f.writer, i ? endless : none, n), n);
		wait_for_bytes(&f, n);
		assert_int_equal(spool_whole(f.spool), 0);
		finish(&f);
	}
}

/* Nothing is ever written: it can be destroyed nevertheless. */
static void test_leaves(void **state)
{
	char path[64];
	struct spool *s;
	snprintf(path, sizeof(path), "/tmp/strobe-spool-%d", (int)getpid());
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(spool_start(path, &s));
	assert_false(spool_ended(s));
	spool_destroy(s);
	unlink(path);
	struct strobe_error *err = spool_start(path, &s);
	assert_non_null(err);
	error_destroy(err);
	assert_false(spool_is_stream("/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follows),
		cmocka_unit_test(test_is_no_recording),
		cmocka_unit_test(test_is_damaged),
		cmocka_unit_test(test_leaves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
