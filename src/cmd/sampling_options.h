/*
 * The options that choose events, and how they are sampled, as record and top spell them.
 *
 * A command's options begin with this struct: the parsers are given a pointer to all of them.
 */
#pragma once
#include "capture/options.h"
#include "cli/options.h"
#include "event/event.h"

struct sampling_options {
	struct capture_options capture;
	struct event_list events;
	size_t last_event; /* where those of the last -e begin: for --filter */
	unsigned verbose;
};

void sampling_options_init(struct sampling_options *o);
void sampling_options_deinit(struct sampling_options *o);

struct strobe_error *sampling_parse_event(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *sampling_parse_filter(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *sampling_parse_cgroup(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *sampling_parse_freq(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *sampling_parse_count(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *sampling_parse_branch_any(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *sampling_parse_branch(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *sampling_parse_mmap_pages(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *sampling_parse_realtime(void *options, const char *value, bool negated) _must_check_;
