#include "web/live.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/testing.h"

static void expect_refused(const char *pids, const char *seconds, const char *hz)
{
	struct web_measurement m;
	assert_fails(web_measurement_parse(pids, seconds, hz, &m), ERROR_USAGE);
}

static void requests(void **state)
{
	struct web_measurement m;
	assert_ok(web_measurement_parse(NULL, NULL, NULL, &m));
	assert_null(m.pids);
	assert_int_equal(m.seconds, 30); /* Go's */
	assert_int_equal(m.freq_hz, 0);
	assert_ok(web_measurement_parse("12,99", "86400", "997", &m));
	assert_string_equal(m.pids, "12,99");
	assert_int_equal(m.seconds, 86400);
	assert_int_equal(m.freq_hz, 997);
	expect_refused("", NULL, NULL);
	expect_refused("self", NULL, NULL);
	expect_refused("12 ", NULL, NULL);
	expect_refused("-1", NULL, NULL);
	expect_refused(NULL, "0", NULL);
	expect_refused(NULL, "86401", NULL);
	expect_refused(NULL, "1.5", NULL);
	expect_refused(NULL, "", NULL);
	expect_refused(NULL, NULL, "0");
	expect_refused(NULL, NULL, "4294967296");
}

/* A measurement that takes until one of its ends is ready. */
static struct strobe_error *wait_for_ends(void *ctx, const struct web_measurement *m, struct profile **ret)
{
	struct pollfd ends[2] = { m->ends[0], m->ends[1] };
	assert_string_equal(m->pids, "7");
	assert_true(poll(ends, 2, -1) > 0);
	if (!ends[0].revents)
		return error_create(ERROR_STOPPED, "stopped");
	*ret = profile_create();
	return NULL;
}

static void done(void *ctx)
{
	const char byte = 1;
	assert_int_equal(write(*(int *)ctx, &byte, 1), 1);
}

struct fixture {
	struct web_live live;
	struct web_jobs *jobs;
	int connection[2], ended[2];
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .live.measure = wait_for_ends };
	assert_ok(web_jobs_create(&f->live, &f->jobs));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, f->connection), 0);
	assert_int_equal(pipe(f->ended), 0);
}

static void end(struct fixture *f)
{
	web_jobs_destroy(f->jobs);
	for (int i = 0; i < 2; i++) {
		close(f->connection[i]);
		close(f->ended[i]);
	}
}

static struct web_job *start(struct fixture *f)
{
	struct web_measurement m;
	struct strobe_error *err = NULL;
	assert_ok(web_measurement_parse("7", NULL, NULL, &m));
	struct web_job *job = web_job_start(f->jobs, &m, f->connection[0], done, &f->ended[1], &err);
	if (!job)
		assert_fails(err, ERROR_LIMIT);
	return job;
}

static void wait_for_end(const struct fixture *f)
{
	char byte;
	assert_int_equal(read(f->ended[0], &byte, 1), 1);
}

static void the_peer_goes(void **state)
{
	struct fixture f;
	struct profile *p;
	begin(&f);
	struct web_job *job = start(&f);
	shutdown(f.connection[1], SHUT_RDWR);
	wait_for_end(&f);
	assert_ok(web_job_take(job, &p));
	assert_non_null(p);
	profile_destroy(p);
	web_job_destroy(job);
	end(&f);
}

/* Eight at a time; the server's stop ends them all. */
static void the_server_stops(void **state)
{
	enum { MOST = 8 };
	struct fixture f;
	struct web_job *jobs[MOST];
	struct profile *p;
	begin(&f);
	for (int i = 0; i < MOST; i++)
		assert_non_null(jobs[i] = start(&f));
	assert_null(start(&f));
	web_jobs_stop(f.jobs);
	for (int i = 0; i < MOST; i++) {
		wait_for_end(&f);
		assert_fails(web_job_take(jobs[i], &p), ERROR_STOPPED);
		assert_null(p);
		web_job_destroy(jobs[i]);
	}
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests), cmocka_unit_test(the_peer_goes), cmocka_unit_test(the_server_stops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
