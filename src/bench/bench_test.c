#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"
#include "bench/tasks.h"

static void test_sizes(void **state)
{
	(void)state;
	uint64_t n;
	assert_true(bench_size("4096", &n) && n == 4096);
	assert_true(bench_size("64KB", &n) && n == 65536);
	assert_true(bench_size("1mb", &n) && n == 1 << 20);
	assert_true(bench_size("3G", &n) && n == UINT64_C(3) << 30);
	assert_true(bench_size("1TB", &n) && n == UINT64_C(1) << 40);
	assert_true(bench_size("7B", &n) && n == 7);
	static const char *const wrong[] = { "", "KB", "abc", "1KBB", "1XB", "0", "-1", "1 KB", "99999999999999999999", "99999999TB" };
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(bench_size(wrong[i], &n));
}

/* Of 2, 4 and 6: mean 4, variance 4, standard error 2 / sqrt(3). */
static void test_spread(void **state)
{
	(void)state;
	struct out out;
	struct bench_report r;
	struct table t;
	out_init_mem(&out);
	bench_report_init(&r, &out, BENCH_DATA);
	bench_report_begin(&r, "sched", "pipe");
	for (int i = 1; i <= 3; i++) {
		bench_setting(&r, "loops", 5);
		bench_figure(&r, NULL, "time", "s", 2 * i);
		bench_text(&r, "text");
		bench_line(&r, "line");
	}
	assert_int_equal(r.settings.len, 1);
	assert_int_equal(r.figures.len, 1);
	assert_int_equal(r.figures.data[0].stats.n, 3);
	assert_true(fabs(bench_error_percent(&r.figures.data[0].stats) - 100 * 2 / sqrt(3) / 4) < 1e-9);
	bench_report_begin(&r, "sched", "pipe"); /* figures of the next benchmark are separate */
	bench_figure(&r, NULL, "time", "s", 9);
	assert_int_equal(r.figures.len, 2);
	bench_report_table(&r, &t);
	assert_int_equal(t.rows.len, 2);
	table_deinit(&t);
	bench_report_deinit(&r);
	size_t len;
	out_mem(&out, &len);
	assert_int_equal(len, 0);
	assert_null(out_close(&out));
}

static int sleep_forever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

static int fail_at_once(void *arg)
{
	(void)arg;
	return EXDEV;
}

static int succeed(void *arg)
{
	(void)arg;
	return 0;
}

/* A task that fails ends those that would run for ever; no child is left. */
static void end_all(bool threads)
{
	struct bench_tasks t;
	uint64_t ns;
	assert_null(bench_tasks_init(&t, threads));
	for (int i = 0; i < 3; i++)
		assert_null(bench_task_start(&t, i == 1 ? fail_at_once : sleep_forever, NULL, -1));
	struct strobe_error *err = bench_tasks_run(&t, &ns);
	assert_non_null(err);
	assert_int_equal(err->errnum, EXDEV);
	error_destroy(err);
	bench_tasks_end(&t);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_failures(void **state)
{
	(void)state;
	end_all(false);
	end_all(true);
}

static void test_success(void **state)
{
	(void)state;
	for (int threads = 0; threads < 2; threads++) {
		struct bench_tasks t;
		uint64_t ns;
		assert_null(bench_tasks_init(&t, threads));
		for (uint64_t i = 0; i < 5; i++)
			assert_null(bench_task_start(&t, succeed, NULL, bench_cpu(i)));
		assert_null(bench_tasks_run(&t, &ns));
		bench_tasks_end(&t);
	}
}

/*
 * Some users, containers and processors lack breakpoints, BPF, symbols of the kernel or filters with listeners: then the error has the
 * reason.
 */
static bool may_be_refused(const struct strobe_error *err)
{
	return error_is(err, ERROR_PERMISSION) || error_is(err, ERROR_UNSUPPORTED) || error_is(err, ERROR_NOT_FOUND) ||
		err->errnum == ENOSYS || err->errnum == ENOSPC || err->errnum == EBUSY || err->errnum == EINVAL;
}

static void run_one(const struct bench_collection *c, const struct bench *b, const struct bench_settings *s)
{
	struct out out;
	struct bench_report r;
	out_init_mem(&out);
	bench_report_init(&r, &out, BENCH_DEFAULT);
	struct strobe_error *err = bench_run(c, b, s, &r);
	if (err) {
		assert_true(!strcmp(c->name, "breakpoint") || !strcmp(c->name, "uprobe") || !strcmp(c->name, "internals") ||
			    !strcmp(b->name, "seccomp-notify"));
		assert_true(may_be_refused(err) || getenv("STROBE_EMULATED"));
		error_destroy(err);
	} else {
		assert_true(r.figures.len > 0);
	}
	for (size_t i = 0; i < r.figures.len && !err; i++)
		assert_int_equal(r.figures.data[i].stats.n, 2);
	bench_report_deinit(&r);
	assert_null(out_close(&out));
}

/* Functions of memory are tested by their results; each benchmark runs a few rounds and must have its figures. */
static void test_benchmarks(void **state)
{
	(void)state;
	const struct bench_settings s = { .repeat = 2, .loops = 3, .groups = 1, .bytes = 1000, .chunk_bytes = 100,
					 .runtime_s = 1, .tasks = 2, .numa = { .loops = 3 },
					 .internals = { .iterations = 2, .inner = 10, .single_iterations = 2, .multi_iterations = 2,
							.mappings = 2, .samples = 2 } };
	for (const struct bench_collection *c = bench_collections; c->name; c++)
		for (const struct bench *b = c->benches; b->name; b++)
			run_one(c, b, &s);
}

/* In the format of perf-bench(1): names in 14 columns, then summaries. */
static void test_lists(void **state)
{
	(void)state;
	struct out out;
	size_t n;
	out_init_mem(&out);
	bench_list_collections(&out, "perf");
	bench_list(&out, bench_find_collection("futex"));
	out_ch(&out, 0);
	const char *text = out_mem(&out, &n);
	assert_non_null(strstr(text, "Usage: \n\tperf bench [<common options>] <collection> <benchmark> [<options>]\n"));
	assert_non_null(strstr(text, "\n         sched: "));
	assert_non_null(strstr(text, "\n           all: All benchmarks\n\n"));
	assert_non_null(strstr(text, "# List of available benchmarks for collection 'futex':\n\n          hash: "));
	error_destroy(out_close(&out));
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Four of five are compared with the first, three of them also with the previous one; without BPF, all four report that. */
static void test_comparison(void **state)
{
	(void)state;
	const struct bench_settings s = { .loops = 2 };
	struct out out;
	struct bench_report r;
	size_t n;
	out_init_mem(&out);
	bench_report_init(&r, &out, BENCH_DEFAULT);
	assert_null(bench_run_all(bench_find_collection("uprobe"), NULL, &s, &r));
	out_ch(&out, 0);
	const char *text = out_mem(&out, &n);
	assert_int_equal(count(text, "# Executed 2 usleep(1000) calls\n"), 5 - r.skips.len);
	assert_int_equal(count(text, "\n# skipped: "), r.skips.len);
	if (!r.skips.len) {
		assert_int_equal(count(text, " to baseline"), 2 * 4);
		assert_int_equal(count(text, " to previous"), 2 * 3);
	} else {
		assert_int_equal(r.skips.len, 4);
	}
	bench_report_deinit(&r);
	error_destroy(out_close(&out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),    cmocka_unit_test(test_spread),     cmocka_unit_test(test_failures),
		cmocka_unit_test(test_success), cmocka_unit_test(test_benchmarks), cmocka_unit_test(test_lists),
		cmocka_unit_test(test_comparison),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
