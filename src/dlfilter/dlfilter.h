/*
 * A filter with perf's binary interface: a shared object that is loaded and decides for each sample whether to keep it.
 *
 * One filter per run, one thread; it runs in this process, with all its permissions. Its output to stdout goes to the out that it was
 * opened with. Source: perf-dlfilter(1).
 */
#pragma once
#include "base/out.h"
#include "record/env.h"
#include "resolve/resolve.h"

#define DLFILTER_ARGS_MAX 64

struct dlfilter_options {
	const char *file;      /* a path; without '/': in this directory, below exec_path, or in the library path */
	const char *exec_path; /* perf's own filters are in its dlfilters/ */
	char *args[DLFILTER_ARGS_MAX]; /* for the filter; borrowed */
	int args_nr;
	bool kernel_path;      /* show the path of the kernel's image instead of [kernel.kallsyms] */
};

/* Callback of an option table: adds an argument of the filter to a struct dlfilter_options. */
struct strobe_error *dlfilter_add_arg(void *options, const char *value, bool negated) _must_check_;

struct dlfilter;

/*
 * Loads it and calls its start(). Data for its look-ups is borrowed; out NULL: it prints to stdout itself. ERROR_UNSUPPORTED: it cannot
 * be loaded.
 */
struct strobe_error *dlfilter_open(const struct dlfilter_options *o, const struct env *env, struct machine *machine,
				   struct symbols *symbols, struct out *out, struct dlfilter **ret) _must_check_;
/* Calls its stop(). NULL is fine. */
struct strobe_error *dlfilter_close(struct dlfilter *d) _must_check_;

/* Whether it filters all samples before other options do. */
bool dlfilter_is_early(const struct dlfilter *d);
/* Does not require frames of the sample. */
struct strobe_error *dlfilter_early(struct dlfilter *d, const struct resolved_sample *s, bool *ret_keep) _must_check_;
struct strobe_error *dlfilter_keeps(struct dlfilter *d, const struct resolved_sample *s, bool *ret_keep) _must_check_;

/* Lists the filters here and below exec_path, one per line, with their descriptions: the long ones if verbose. */
void dlfilter_list(const char *exec_path, bool verbose, struct out *out);
