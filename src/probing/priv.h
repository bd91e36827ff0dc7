/* Shared by the files of probing/. */
#pragma once
#include "probing/probing.h"

/* Opens the request's target, unless it is open. */
struct strobe_error *probing_open(struct probing *p, const struct probing_request *of) _must_check_;
/* A filter from several patterns; NULL without any. */
struct strobe_error *probing_filter(struct probing *p, const char *const *patterns, size_t n, const struct probe_filter **ret) _must_check_;
/* Prints remarks on events that may differ from what the user expects. */
void probing_remarks(const struct probing *p, const struct probe_events *events);
/* Reads the kernel's probes; an error if it does not support any. */
struct strobe_error *probing_read_installed(struct probing *p, struct probe_list *ret) _must_check_;
