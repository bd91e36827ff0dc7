/*
 * Profiles of running processes, measured on request: Go's page /debug/pprof/profile from outside of the process.
 *
 *	GET /debug/pprof/profile?pid=12&seconds=30   a profile for pprof; hz=N samples per second; without pid, the whole system
 *	GET /debug/pprof/                            what there is
 *
 * A measurement has a thread of its own, while the connection is suspended; it ends with the connection. Who may: the user who runs
 * the server, and root, by the user of the socket at the other end; on addresses of other machines, who has the token.
 *
 * Source of the addresses and parameters: Go's net/http/pprof.
 */
#pragma once
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"

struct web_measurement {
	const char *pids;    /* "12,99"; NULL: the whole system */
	uint64_t seconds;
	uint64_t freq_hz;    /* 0: not requested */
	struct pollfd ends[2]; /* as soon as one is ready: ERROR_STOPPED */
};

struct web_live {
	/* Called by several threads at once. The profile belongs to the server. */
	struct strobe_error *(*measure)(void *ctx, const struct web_measurement *m, struct profile **ret);
	void *ctx;
};

/* The server's part; internal. */

struct web_jobs;
struct web_job;

/* How a request for a measurement reads: values of parameters, or NULL. ERROR_USAGE. */
struct strobe_error *web_measurement_parse(const char *pids, const char *seconds, const char *hz, struct web_measurement *ret)
	_must_check_;
/* The page that explains the others. */
void web_live_index(struct out *out);

struct strobe_error *web_jobs_create(const struct web_live *live, struct web_jobs **ret) _must_check_;
/* Ends all measurements, and returns once each has called its function. */
void web_jobs_stop(struct web_jobs *j);
void web_jobs_destroy(struct web_jobs *j);
/*
 * Begins a measurement for the connection with this socket; m's strings are copied. `done` is called by the job's thread at the end, once,
 * after which web_job_take() has the result. NULL with *ret_err: there are too many, or no thread.
 */
struct web_job *web_job_start(struct web_jobs *j, const struct web_measurement *m, int fd, void (*done)(void *ctx), void *ctx,
			      struct strobe_error **ret_err);
/* The profile, for the caller, or the error. */
struct strobe_error *web_job_take(struct web_job *job, struct profile **ret) _must_check_;
/* After `done`. */
void web_job_destroy(struct web_job *job);
