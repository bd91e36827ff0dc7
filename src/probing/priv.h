/* Shared by the files of probing/. */
#pragma once
#include "probing/probing.h"

/* Opens the request's target, unless it is open. */
struct strobe_error *probing_open(struct probing *p, const struct probing_request *of) _must_check_;
/* One filter of several patterns; NULL of none. */
struct strobe_error *probing_filter(struct probing *p, const char *const *patterns, size_t n, const struct probe_filter **ret) _must_check_;
/* What is not as the user may think of events. */
void probing_remarks(const struct probing *p, const struct probe_events *events);
/* The kernel's probes; an error where it can have none. */
struct strobe_error *probing_read_installed(struct probing *p, struct probe_list *ret) _must_check_;
