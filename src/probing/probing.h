/*
 * Executes the command `probe`: adds definitions as probes of the kernel or prints them as lines, lists and removes probes by
 * patterns, and lists functions, lines and variables of a target.
 *
 *	struct probing p;
 *	probing_init(&p, &settings);
 *	probing_add(&p, requests, n, &events);     the added events, for probe_events_deinit()
 *	probing_deinit(&p);
 *
 * Settings are borrowed. A target stays open for the next request, which usually has the same. Messages go to the host: progress()
 * has perf's messages unchanged. Errors are those of probe/; ERROR_USAGE: a definition or pattern that cannot be parsed. One thread.
 */
#pragma once
#include "base/out.h"
#include "probe/events.h"
#include "probe/filter.h"
#include "probe/lines.h"
#include "probe/target.h"
#include "probe/variables.h"
#include "session/host.h"
#include "table/table.h"

/* A definition or another description of a place, and the target named before it. */
struct probing_request {
	const char *text, *exec, *module;
};

struct probing_settings {
	const struct session_host *host;
	const struct sys *sys;
	struct probe_files files;
	struct probe_search search;
	bool keeps;      /* store additions in the build ID cache */
	bool dry_run;    /* do not add or remove anything */
	bool has_force;  /* append a number to names in use */
	bool quiet;
	unsigned verbose;
};

struct probing {
	const struct probing_settings *settings;
	struct arena arena;
	struct probe_target target;
	struct probing_request of; /* of the open target */
	bool has_target;
};

void probing_init(struct probing *p, const struct probing_settings *settings);
void probing_deinit(struct probing *p);

/* Call probe_events_deinit() on *ret also after an error, unless the list of the kernel's probes could not be read: it is then empty. */
struct strobe_error *probing_add(struct probing *p, const struct probing_request *requests, size_t n, struct probe_events *ret)
	_must_check_;
/* Lines for tracefs or a boot configuration, of definitions that are not added. */
struct strobe_error *probing_definitions(struct probing *p, const struct probing_request *requests, size_t n, bool for_boot,
					 struct table *ret) _must_check_;

/* Lists probes that match patterns of "[GROUP:]EVENT"; without patterns, all. */
struct strobe_error *probing_installed(struct probing *p, const char *const *patterns, size_t n, struct table *ret) _must_check_;
struct strobe_error *probing_remove(struct probing *p, const char *const *patterns, size_t n) _must_check_;
/* The same for the build ID cache; text: perf's lines. */
struct strobe_error *probing_cached(struct probing *p, const char *const *patterns, size_t n, struct table *ret, struct strbuf *text)
	_must_check_;
struct strobe_error *probing_remove_cached(struct probing *p, const char *const *patterns, size_t n) _must_check_;

/* filter NULL: all except the compiler's and the linker's own. */
struct strobe_error *probing_functions(struct probing *p, const struct probing_request *of, const char *filter, bool demangle,
				       struct table *ret) _must_check_;
/* Lists part of a source file, by of->text as in probe_listing_find(): lines with code have numbers. */
struct strobe_error *probing_lines(struct probing *p, const struct probing_request *of, struct out *out) _must_check_;
/* text: perf's lines below its title. filter NULL: all except the kernel's own. */
struct strobe_error *probing_variables(struct probing *p, const struct probing_request *of, const char *filter,
				       struct probe_variable_options options, struct table *ret, struct strbuf *text) _must_check_;
/* Prints a line of source or of a listing: tabs are kept, as they are its indentation. */
void probing_put_line(struct out *out, const char *text, size_t bytes);
