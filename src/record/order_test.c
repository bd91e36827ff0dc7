#include <stdlib.h>

#include "base/testing.h"
#include "record/bytes_builder.h"
#include "record/order.h"

/* A source over a list of times; 0 is a FINISHED_ROUND, UINT64_MAX a record without a time, others samples or RECORD_TIMED. */
#define TIMED (1ull << 62)
struct listed {
	struct record_source source;
	struct env *env;
	const uint64_t *times;
	size_t n, at;
	bool stable;
	struct bytes_builder all;  /* where stable: every record is here */
	_Alignas(8) uint8_t one[64]; /* else only the last one */
	VEC(size_t) offsets;       /* in all, where all are there from the start: that of each record, and of the end */
	uint64_t released;         /* what lies before is not read again */
};

static struct record build(struct bytes_builder *b, uint64_t time, uint64_t serial)
{
	if (!time || time == UINT64_MAX) {
		bytes_begin(b, time ? RECORD_THREAD_MAP : RECORD_FINISHED_ROUND, 0);
	} else if (time & TIMED) {
		bytes_begin(b, RECORD_TIMED, 0);
		bytes_u64(b, time & ~TIMED);
		bytes_u64(b, serial);
	} else {
		bytes_begin(b, PERF_RECORD_SAMPLE, 0);
		bytes_u64(b, time);
		bytes_u64(b, serial); /* as its address: to see where equal times end up */
	}
	return bytes_end(b);
}

static struct strobe_error *listed_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	struct listed *l = (struct listed *)s;

	*ret_end = l->at >= l->n;
	if (*ret_end)
		return l->n == 3 ? error_create(ERROR_TRUNCATED, "cut") : NULL;
	if (l->offsets.len) {
		*ret = (struct record){ (const void *)(l->all.bytes.data + l->offsets.data[l->at]), l->offsets.data[l->at] };
		l->at++;
		return NULL;
	}
	struct bytes_builder b = {};
	*ret = build(&b, l->times[l->at], l->at);
	if (l->stable) {
		/* room was reserved: earlier records do not move */
		size_t at = l->all.bytes.len;
		bytes_raw(&l->all, b.bytes.data, b.bytes.len);
		ret->hdr = (const void *)(l->all.bytes.data + at);
		ret->file_offset = at;
	} else {
		memset(l->one, 0xee, sizeof(l->one));
		memcpy(l->one, b.bytes.data, b.bytes.len);
		ret->hdr = (const void *)l->one;
	}
	bytes_deinit(&b);
	l->at++;
	return NULL;
}

static const struct env *listed_env(struct record_source *s)
{
	return ((struct listed *)s)->env;
}

static bool listed_stable(struct record_source *s)
{
	return ((struct listed *)s)->stable;
}

static void listed_destroy(struct record_source *s)
{
	struct listed *l = (struct listed *)s;
	bytes_deinit(&l->all);
	vec_deinit(&l->offsets);
	env_destroy(l->env);
	free(l);
}

static const struct record_source_ops listed_ops = {
	.next = listed_next, .env = listed_env, .stable = listed_stable, .destroy = listed_destroy,
};

/* Up to four records, the last of which is cut off. */
static bool listed_window(struct record_source *s, struct record_window *ret)
{
	struct listed *l = (struct listed *)s;
	if (!l->offsets.len || l->at >= l->n)
		return false;
	size_t end = l->at + 4 < l->n ? l->at + 4 : l->n;
	const char *all = (const char *)l->all.bytes.data;
	*ret = (struct record_window){ all + l->offsets.data[l->at], all + l->offsets.data[end] - 4, l->offsets.data[l->at], UINT64_MAX };
	return true;
}

static void listed_take(struct record_source *s, size_t bytes, uint64_t records, uint64_t last_ns)
{
	struct listed *l = (struct listed *)s;
	(void)last_ns;
	assert_int_equal(l->offsets.data[l->at + records] - l->offsets.data[l->at], bytes);
	for (uint64_t i = 0; i < records; i++)
		assert_false(!l->times[l->at + i] || l->times[l->at + i] & TIMED);
	l->at += records;
}

static void listed_release(struct record_source *s, uint64_t file_offset)
{
	struct listed *l = (struct listed *)s;
	assert_true(file_offset <= l->offsets.data[l->at]);
	l->released = file_offset > l->released ? file_offset : l->released;
}

static const struct record_source_ops windowed_ops = {
	.next = listed_next, .env = listed_env, .stable = listed_stable, .destroy = listed_destroy,
	.window = listed_window, .take = listed_take, .release = listed_release,
};

static struct record_source *listed_create(const uint64_t *times, size_t n, bool stable)
{
	struct listed *l = calloc(1, sizeof(*l));
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR };

	assert_non_null(l);
	l->source.ops = &listed_ops;
	l->env = env_create();
	env_add_event(l->env, &attr, sizeof(attr), "x", NULL, 0);
	l->times = times;
	l->n = n;
	l->stable = stable;
	vec_reserve(&l->all.bytes, n * 32);
	return &l->source;
}

/* A stable one, all of whose records are in memory from the start. */
static struct record_source *windowed_create(const uint64_t *times, size_t n)
{
	struct listed *l = (struct listed *)listed_create(times, n, true);
	l->source.ops = &windowed_ops;
	for (size_t i = 0; i < n; i++) {
		struct bytes_builder b = {};
		build(&b, times[i], i);
		vec_push(&l->offsets, l->all.bytes.len);
		bytes_raw(&l->all, b.bytes.data, b.bytes.len);
		bytes_deinit(&b);
	}
	vec_push(&l->offsets, l->all.bytes.len);
	return &l->source;
}

/* Takes what may be taken at once: all of a window whose times are within the limit. */
struct taker {
	struct record_source *order;
	VEC(struct record) taken;
	size_t at;
};

static void take_window(struct taker *t)
{
	struct record_window w;
	uint64_t time, last = 0, records = 0;
	t->at = t->taken.len = 0;
	if (!t->order->ops->window(t->order, &w))
		return;
	const char *at = w.at;
	for (; at < w.end; records++) {
		struct record r = { (const void *)at, w.file_offset + (uint64_t)(at - w.at) };
		assert_true(env_record_time(source_env(t->order), r, &time));
		if (time > w.limit_ns)
			break;
		last = time;
		vec_push(&t->taken, r);
		at += r.hdr->size;
	}
	assert_true(records);
	t->order->ops->take(t->order, (size_t)(at - w.at), records, last);
}

static struct strobe_error *taker_next(struct taker *t, struct record *ret, bool *ret_end)
{
	if (t->at == t->taken.len)
		take_window(t);
	if (t->at == t->taken.len)
		return source_next(t->order, ret, ret_end);
	*ret = t->taken.data[t->at++];
	return NULL;
}

/* Expects the serials, -1 for a round mark and -2 for the record without a time. The last two kinds are taken by windows. */
static void check(const uint64_t *times, size_t n, const int *expected, size_t expected_n, uint64_t late, uint64_t misdated)
{
	for (int kind = 0; kind < 5; kind++) {
		bool is_windowed = kind == 2 || kind == 4;
		struct record_source *input = is_windowed ? windowed_create(times, n) : listed_create(times, n, kind != 0);
		struct record_source *o = order_create(input);
		const struct listed *listed = (const struct listed *)input;
		struct taker taker = { .order = o };
		size_t i = 0;
		order_release_given(o);
		for (bool end = false;;) {
			struct record r;
			struct strobe_error *err = kind < 3 ? source_next(o, &r, &end) : taker_next(&taker, &r, &end);
			if (err) {
				assert_int_equal(err->code, ERROR_TRUNCATED);
				assert_int_equal(i, expected_n);
				error_destroy(err);
				break;
			}
			if (end)
				break;
			assert_true(i < expected_n && r.file_offset >= listed->released);
			struct sample s;
			int serial = r.hdr->type == RECORD_FINISHED_ROUND ? -1 : -2;
			if (r.hdr->type == PERF_RECORD_SAMPLE) {
				assert_true(env_decode_sample(source_env(o), r, &s));
				serial = (int)s.addr;
			}
			if (r.hdr->type == RECORD_TIMED)
				serial = (int)*(const uint64_t *)((const struct record_timed *)r.hdr + 1);
			assert_int_equal(serial, expected[i++]);
		}
		assert_int_equal(i, expected_n);
		assert_int_equal(order_late(o), late);
		assert_int_equal(order_misdated(o), misdated);
		vec_deinit(&taker.taken);
		source_destroy(o);
	}
}

#define CHECK_ALL(late, misdated, times, ...)                                                               \
	do {                                                                                                \
		static const int expected_[] = { __VA_ARGS__ };                                             \
		check(times, sizeof(times) / sizeof(*(times)), expected_, sizeof(expected_) / sizeof(int), late, \
		      misdated);                                                                            \
	} while (0)
#define CHECK(late, times, ...) CHECK_ALL(late, 0, times, __VA_ARGS__)

static void test_no_rounds(void **state)
{
	static const uint64_t times[] = { 5, 7, 9, 4, 6, 8, 7, 1 };
	CHECK(0, times, 7, 3, 0, 4, 1, 6, 5, 2); /* equal times in order of arrival */
}

/*
 * The first round gives nothing, its newest time being 30. The second gives what is not later than 30, its own 25 among
 * it; 40 waits.
 */
static void test_rounds(void **state)
{
	static const uint64_t times[] = { 10, 30, 20, 0, 40, 25, 31, 0, 35, 50, 0 };
	CHECK(0, times, -1, -1, 0, 2, 5, 1, -1, 6, 8, 4, 9);
}

/* A record that is older than what was given already comes at once. */
static void test_late(void **state)
{
	static const uint64_t times[] = { 10, 20, 0, 30, 0, 5, 40 };
	CHECK(1, times, -1, -1, 0, 1, 5, 3, 6);
}

static void test_without_time(void **state)
{
	static const uint64_t times[] = { 10, UINT64_MAX, 5, 8 };
	CHECK(0, times, -2, 2, 3, 0);
}

/* A RECORD_TIMED is put among the kernel's records by its time, with the data that follows its head. */
static void test_timed(void **state)
{
	static const uint64_t times[] = { 10, 20 | TIMED, 40, 0, 30 | TIMED, 15, 50, 0 };
	CHECK(0, times, -1, -1, 0, 5, 1, 4, 2, 6);
}

#define DAMAGED 0x0656800000000000ull
#define HOUR    3600000000000ull

/* One time far ahead of all others, which two rounds later are still before it. */
static void test_damaged_time(void **state)
{
	static const uint64_t times[] = { 10, 20, DAMAGED, 30, 0, 40, 0, 50, 0, 60 };
	CHECK_ALL(0, 1, times, -1, -1, 0, 1, 3, -1, 5, 7, 9);
}

/* The first of all has no neighbours before it; two that are damaged do not agree with each other. */
static void test_damaged_first(void **state)
{
	static const uint64_t times[] = { DAMAGED, HOUR + 10, HOUR + 20, DAMAGED + HOUR, HOUR + 15, 0,
					  HOUR + 30, 0, HOUR + 40, 0, HOUR + 50, 0 };
	CHECK_ALL(0, 2, times, -1, -1, 1, 4, 2, -1, 6, -1, 8, 10);
}

/* A clock that jumps, on one CPU after the other; and one record an hour. */
static void test_jumping_clock(void **state)
{
	static const uint64_t times[] = { 10, 20, HOUR + 5, 0, 15, HOUR + 1, HOUR + 2, 0, HOUR + 9, 0, HOUR + 12, 0 };
	CHECK(0, times, -1, -1, 0, 4, 1, -1, 5, 6, 2, -1, 8, 10);
	static const uint64_t rare[] = { HOUR, 0, 2 * HOUR, 0, 3 * HOUR, 0, 4 * HOUR, 0, 5 * HOUR, 0, 6 * HOUR, 0 };
	CHECK(0, rare, -1, -1, -1, -1, 0, -1, 2, -1, 4, 6, 8, 10);
}

/* At the end of a file, as perf writes sums. */
static void test_distant_last(void **state)
{
	static const uint64_t times[] = { 10, 20, 0, 30, 0, DAMAGED, 0 };
	CHECK(0, times, -1, -1, 0, 1, -1, 3, 5);
}

/* An error of the input is reported after all complete records. */
static void test_error_last(void **state)
{
	static const uint64_t times[] = { 9, 3, 6 };
	CHECK(0, times, 1, 2, 0);
}

/* Runs of many lengths and many rounds, against the rule written down plainly. */
static void check_many(bool stable, unsigned run, bool by_windows)
{
	enum { N = 20000 };
	static uint64_t times[N];
	uint64_t seed = 42, last = 0, last_serial = 0;
	size_t given = 0;

	for (size_t i = 0; i < N; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		if (i % 500 == 499)
			times[i] = 0;
		else if (i % run && times[i - 1])
			times[i] = times[i - 1] + (seed >> 40) % 3;
		else
			times[i] = 1000 + i * 10 + (seed >> 33) % 3000;
	}
	struct record_source *o = order_create(listed_create(times, N, stable));
	struct taker taker = { .order = o };
	for (bool end = false;;) {
		struct record r;
		struct sample s;
		assert_ok(by_windows ? taker_next(&taker, &r, &end) : source_next(o, &r, &end));
		if (end)
			break;
		if (r.hdr->type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(env_decode_sample(source_env(o), r, &s));
		assert_true(s.time == times[s.addr]);
		assert_true(s.time > last || (s.time == last && s.addr > last_serial));
		last = s.time;
		last_serial = s.addr;
		given++;
	}
	assert_int_equal(given, N - N / 500);
	assert_int_equal(order_late(o), 0);
	vec_deinit(&taker.taken);
	source_destroy(o);
}

static void test_many(void **state)
{
	for (unsigned run = 1; run < 100; run = run * 2 + 1)
		for (int stable = 0; stable < 2; stable++)
			for (int by_windows = 0; by_windows < 2; by_windows++)
				check_many(stable, run, by_windows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_rounds), cmocka_unit_test(test_rounds), cmocka_unit_test(test_late),
		cmocka_unit_test(test_without_time), cmocka_unit_test(test_timed), cmocka_unit_test(test_error_last),
		cmocka_unit_test(test_many), cmocka_unit_test(test_damaged_time), cmocka_unit_test(test_damaged_first),
		cmocka_unit_test(test_jumping_clock), cmocka_unit_test(test_distant_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
