/*
 * Inline probes as events of a capture: their hits become samples in its rings.
 *
 *	TRY(probe_samples_open(&options, &s));        whether it is possible here; NULL where no event is a probe
 *	TRY(capture_open(…));
 *	TRY(probe_samples_attach(s, capture));        before it starts
 *	probe_samples_close(s);
 */
#pragma once
#include "bpf/probe/inline_probes.h"
#include "bpf/task_filter.h"
#include "capture/session.h"

struct probe_samples;

struct probe_samples_options {
	const struct sys *sys;
	const struct event_set *events;
	const struct capture_options *capture;
	/* For the same target; NULL: one is created if tasks are the target. */
	const struct task_filter *filter;
	bool has_command; /* the target is one that is started */
};

bool probe_samples_has_any(const struct event_set *events);
struct strobe_error *probe_samples_open(const struct probe_samples_options *o, struct probe_samples **ret) _must_check_;
struct strobe_error *probe_samples_attach(struct probe_samples *s, const struct capture *c) _must_check_;
/* A message about losses, or NULL. Free it with free(3). */
char *probe_samples_losses(const struct probe_samples *s);
void probe_samples_close(struct probe_samples *s);
/* For task_filter_attach(): the programs of probes filter tasks themselves. */
bool probe_samples_is_of(const struct capture_event *e);
