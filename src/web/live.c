#include "web/live.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

#define JOBS_MAX	8
#define SECONDS_DEFAULT 30
#define SECONDS_MAX	86400
#define PIDS_BYTES_MAX	400

struct web_jobs {
	const struct web_live *live;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	unsigned running;
	int stop_fd; /* readable: all end */
};

struct web_job {
	struct web_jobs *jobs;
	struct web_measurement m;
	char *pids; /* owned; or NULL */
	void (*done)(void *ctx);
	void *ctx;
	struct profile *profile;
	struct strobe_error *err;
};

/* ---- requests ---- */

/* "12,99": numbers, for no other text becomes part of an error or a path. */
static bool are_pids(const char *text)
{
	size_t n = strspn(text, "0123456789,");
	return n && !text[n] && n <= PIDS_BYTES_MAX;
}

static bool is_number(const char *text, uint64_t most, uint64_t *ret)
{
	return !text || (text_to_u64(text, ret) && *ret && *ret <= most);
}

struct strobe_error *web_measurement_parse(const char *pids, const char *seconds, const char *hz, struct web_measurement *ret)
{
	*ret = (struct web_measurement){ .pids = pids, .seconds = SECONDS_DEFAULT };
	if (pids && !are_pids(pids))
		return error_create(ERROR_USAGE, "pid: expected process IDs, as in pid=12,99");
	if (!is_number(seconds, SECONDS_MAX, &ret->seconds))
		return error_create(ERROR_USAGE, "seconds: expected a number from 1 to %d", SECONDS_MAX);
	if (!is_number(hz, UINT32_MAX, &ret->freq_hz))
		return error_create(ERROR_USAGE, "hz: expected a number of samples per second");
	return NULL;
}

void web_live_index(struct out *out)
{
	out_str(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>/debug/pprof/</title></head><body>\n"
		     "<h1>/debug/pprof/</h1>\n"
		     "<form action=\"/debug/pprof/profile\">\n"
		     "<p>Profile the process <input name=\"pid\" size=\"8\" pattern=\"[0-9,]+\" required> for "
		     "<input name=\"seconds\" size=\"4\" value=\"10\" pattern=\"[0-9]+\"> seconds "
		     "<button>Download</button></p>\n</form>\n<table>\n"
		     "<tr><td><code>/debug/pprof/profile?pid=PID&amp;seconds=N</code></td>"
		     "<td>where the process spends its CPU time, for pprof; without pid: the whole system</td></tr>\n"
		     "<tr><td><code>&amp;hz=N</code></td><td>samples per second</td></tr>\n</table>\n"
		     "<p><code>strobe pprof -top 'http://HOST:PORT/debug/pprof/profile?pid=PID&amp;seconds=10'</code></p>\n"
		     "</body></html>\n");
}

/* ---- jobs ---- */

struct strobe_error *web_jobs_create(const struct web_live *live, struct web_jobs **ret)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot create an eventfd");
	struct web_jobs *j = xcalloc(1, sizeof(*j));
	*j = (struct web_jobs){ .live = live, .stop_fd = fd };
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->ended, NULL);
	*ret = j;
	return NULL;
}

void web_jobs_stop(struct web_jobs *j)
{
	const uint64_t one = 1;
	if (!j)
		return;
	(void)!write(j->stop_fd, &one, sizeof(one)); /* stays readable: nobody reads it */
	pthread_mutex_lock(&j->lock);
	while (j->running)
		pthread_cond_wait(&j->ended, &j->lock);
	pthread_mutex_unlock(&j->lock);
}

void web_jobs_destroy(struct web_jobs *j)
{
	if (!j)
		return;
	web_jobs_stop(j);
	pthread_cond_destroy(&j->ended);
	pthread_mutex_destroy(&j->lock);
	close(j->stop_fd);
	free(j);
}

static bool reserve(struct web_jobs *j)
{
	pthread_mutex_lock(&j->lock);
	bool has_room = j->running < JOBS_MAX;
	j->running += has_room;
	pthread_mutex_unlock(&j->lock);
	return has_room;
}

static void release(struct web_jobs *j)
{
	pthread_mutex_lock(&j->lock);
	j->running--;
	pthread_cond_broadcast(&j->ended);
	pthread_mutex_unlock(&j->lock);
}

/* The job may be freed as soon as `done` was called, the jobs as soon as this one is released. */
static void *run(void *arg)
{
	struct web_job *job = arg;
	struct web_jobs *j = job->jobs;
	job->err = j->live->measure(j->live->ctx, &job->m, &job->profile);
	job->done(job->ctx);
	release(j);
	return NULL;
}

static struct strobe_error *start_thread(struct web_job *job)
{
	pthread_attr_t attr;
	pthread_t thread;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	int errnum = pthread_create(&thread, &attr, run, job);
	pthread_attr_destroy(&attr);
	return errnum ? error_errno(errnum, "cannot create a thread") : NULL;
}

struct web_job *web_job_start(struct web_jobs *j, const struct web_measurement *m, int fd, void (*done)(void *ctx), void *ctx,
			      struct strobe_error **ret_err)
{
	if (!reserve(j)) {
		*ret_err = error_create(ERROR_LIMIT, "%d measurements are running; try again when one has ended", JOBS_MAX);
		return NULL;
	}
	struct web_job *job = xcalloc(1, sizeof(*job));
	*job = (struct web_job){ .jobs = j, .m = *m, .pids = m->pids ? xstrdup(m->pids) : NULL, .done = done, .ctx = ctx };
	job->m.pids = job->pids;
	job->m.ends[0] = (struct pollfd){ .fd = fd, .events = POLLRDHUP };
	job->m.ends[1] = (struct pollfd){ .fd = j->stop_fd, .events = POLLIN };
	*ret_err = start_thread(job);
	if (!*ret_err)
		return job;
	release(j);
	web_job_destroy(job);
	return NULL;
}

struct strobe_error *web_job_take(struct web_job *job, struct profile **ret)
{
	*ret = take_ptr(job->profile);
	return take_ptr(job->err);
}

void web_job_destroy(struct web_job *job)
{
	profile_destroy(job->profile);
	error_destroy(job->err);
	free(job->pids);
	free(job);
}
