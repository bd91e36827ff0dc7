#include "session/live/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/live/live.h"
#include "session/profile_input.h"
#include "session/session.h"

/* Between two readings of what the kernel has summed up. */
#define DRAIN_SECONDS 1.0

struct run {
	struct capture_options capture;
	struct event_list events;
	struct live_settings settings;
	struct live_session live;
	struct session session;
};

static struct strobe_error *open_run(struct run *r, const struct sys *sys, const struct session_host *host,
				     const struct live_measurement *m)
{
	static const char *const labels[] = { "comm", "pid", "tid" };
	const struct live_options options = { .sys = sys, .host = host, .capture = &r->capture, .events = &r->events,
					      .settings = &r->settings };
	const struct session_request request = {
		.symbols = { .live = true },
		.resolve = { .label_keys = labels, .label_keys_nr = 3, .with_chains = true, .by_address = true, .with_inlines = true,
			     .with_lines = true, .program_first = true },
	};
	r->capture.target.pids = m->pids;
	r->capture.callgraph.mode = CALLGRAPH_DEFAULT;
	r->capture.freq_hz = m->freq_hz ? m->freq_hz : r->capture.freq_hz;
	r->capture.freq_set = m->freq_hz != 0;
	TRY(live_open(&r->live, &options));
	session_open_source(&r->session, host, live_source(&r->live), false);
	live_complete_env(&r->live);
	TRY(session_resolve(&r->session, &request));
	live_resolve(&r->live, &(struct live_request){ .resolver = r->session.resolver });
	TRY(live_synthesize(&r->live));
	return live_start(&r->live);
}

/* Until the time is over or all processes have ended. */
static struct strobe_error *measure(struct run *r, const struct live_measurement *m)
{
	struct live_session *l = &r->live;
	struct pollfd fds[1 + LIVE_MEASUREMENT_ENDS];
	uint64_t end_ns = live_now_ns(l) + m->seconds * 1000000000;
	memcpy(fds + 1, m->ends, m->ends_nr * sizeof(*fds));
	while (!l->has_ended && live_now_ns(l) < end_ns) {
		fds[0] = (struct pollfd){ .fd = live_poll_fd(l), .events = POLLIN };
		poll(fds, 1 + m->ends_nr, live_wait_ms(l, end_ns));
		for (unsigned i = 1; i <= m->ends_nr; i++)
			if (fds[i].revents)
				return error_create(ERROR_STOPPED, "the measurement was interrupted");
		live_look(l);
		TRY(live_drain(l));
	}
	return NULL;
}

static struct strobe_error *run(struct run *r, const struct sys *sys, const struct session_host *host, const struct live_measurement *m,
				struct profile **ret)
{
	TRY(open_run(r, sys, host, m));
	TRY(measure(r, m));
	live_stop(&r->live);
	*ret = profile_create();
	TRY(live_take(&r->live, *ret));
	profile_input_complete(*ret, live_env(&r->live));
	return NULL;
}

struct strobe_error *live_measure(const struct sys *sys, const struct session_host *host, const struct live_measurement *m,
				  struct profile **ret)
{
	struct run *r = xcalloc(1, sizeof(*r));
	*ret = NULL;
	capture_options_init(&r->capture);
	event_list_init(&r->events);
	r->settings.delay_s = DRAIN_SECONDS;
	struct strobe_error *err = run(r, sys, host, m, ret);
	if (err) {
		profile_destroy(*ret);
		*ret = NULL;
	}
	live_close(&r->live);
	session_close(&r->session);
	event_list_deinit(&r->events);
	free(r);
	return err;
}
