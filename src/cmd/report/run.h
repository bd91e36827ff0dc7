/*
 * What the files of `strobe report` share: its options, and what is made of them.
 */
#pragma once
#include "base/arena.h"
#include "base/u64map.h"
#include "cmd/cmd.h"
#include "cmd/code_options.h"
#include "decode/tracepoint.h"
#include "record/source.h"
#include "report/query.h"
#include "resolve/resolve.h"
#include "session/foreign_files.h"
#include "session/peek.h"
#include "session/selection.h"
#include "view/text/text.h"
#include "view/tui/browser.h"

enum report_format { REPORT_STDIO, REPORT_JSON, REPORT_CSV };

struct report_options {
	struct selection selection;      /* what is read */
	struct report_filter filter;     /* which rows of it are shown */
	struct report_grouping grouping; /* how they are grouped */
	struct report_display display;   /* how they look */
	struct code_options code;        /* and code, on a screen */
	/* Where it goes */
	const char *flamegraph, *html;
	enum report_format format;
	enum colour_when colour;
	bool total_cycles, disable_order, raw_reads;
	const char *http;        /* the address of --web, or NULL */
	const char *diff_base;   /* what --html and --web compare with */
	bool web;
	bool stdio, tui, show_threads;
	bool list_keys;
	bool header, header_only, full_header, stats, tasks, mmaps, raw;
	unsigned verbose;
	uint64_t listed_samples; /* there one by one: so many of an entry at most; 0 is all */
	bool begins_with_code;   /* of the first function: `annotate` */
};

/* An open recording, and the query of it. */
struct report_run {
	struct cmd_context *ctx;
	const struct report_options *o;
	struct record_source *source;
	const struct env *env;
	struct foreign_files *foreign; /* of the resolver's symbols; of report_make_resolver() */
	struct resolver *resolver;
	struct profile *profile;
	struct report_query query; /* of o's grouping and filter */
	struct progress *progress; /* or NULL */
	bool tells_addresses;    /* frames are told apart by address, whatever the keys are */
	struct time_range span;  /* of --time only what is within; {} is all */
	struct tracepoints *tracepoints; /* where fields of them are asked for */
	struct u64map last_threads; /* by thread id: index of the last thread that had it in the resolver's machine, + 1 */
	struct thread_reads reads;
};

/* Starts from nothing; it must not move afterwards. What is opened and made in it is the caller's to destroy before the end. */
void report_run_init(struct report_run *r, struct cmd_context *ctx, const struct report_options *o);
void report_run_deinit(struct report_run *r);

/* What the events of r->env hold, and what the options mean for them. */
struct strobe_error *report_choose_modes(struct report_run *r, struct report_options *o) _must_check_;
/* Once columns are chosen: r->resolver, for r->source. */
struct strobe_error *report_make_resolver(struct report_run *r) _must_check_;
/*
 * Rows out of r->profile, whose columns are bound, for as long as the profile stays as it is. One at a time: strings are in
 * r->query.scratch, which report_built_deinit() empties.
 */
struct strobe_error *report_build(struct report_run *r, struct report_built *b) _must_check_;
void report_built_deinit(struct report_run *r, struct report_built *b);
/* What text has around the rows of such a report. */
struct report_text report_text(const struct report_run *r);

/* The events of a listing, in the arena: of env, with their totals in counted, whose events have the same numbers. */
struct listing_event *report_listing_events(struct arena *arena, const struct env *env, const struct profile *counted,
					    const uint32_t *events, size_t n);
/*
 * The code over an address of a mapping of r->profile, and what each instruction cost by the events of the part. counted: a
 * profile of the same recording whose frames are told apart by address.
 */
struct listing;
struct strobe_error *report_listing(struct report_run *r, const struct profile *counted, const struct report_part *part,
				    mapping_id mapping, uint64_t addr, struct listing **ret) _must_check_;
/*
 * The cycles that branch records tell of blocks of code, read anew from the recording: NULL where there are no such records. They go
 * into finished listings of mappings of r->profile.
 */
struct report_cycles;
struct strobe_error *report_count_cycles(struct report_run *r, struct report_cycles **ret) _must_check_;
void report_cycles_destroy(struct report_cycles *c);
void report_add_cycles(const struct report_cycles *c, const struct report_run *r, const struct report_part *part, mapping_id mapping,
		       struct listing *l);
/* A recording read once more, without stacks; how is *r but for what is to be told apart. The caller destroys the profile. */
struct strobe_error *report_read_again(struct report_run *r, const struct report_run *how, struct profile **ret) _must_check_;
/* Such a profile, read anew from the recording; the caller destroys it. */
struct strobe_error *report_count_addresses(struct report_run *r, struct profile **ret) _must_check_;

/*
 * Samples of the part's events over time, in at most n steps, of a span or (with {}) from the first sample to the last:
 * read anew from the recording. The caller frees ret->samples.
 */
struct strobe_error *report_count_times(struct report_run *r, const struct report_part *part, struct browse_span span, unsigned n,
					struct browse_times *ret) _must_check_;

/* --total-cycles: of all samples that the resolver's filter lets through. */
struct strobe_error *report_print_cycles(struct report_run *r, struct out *out) _must_check_;
/* The help of -s: every key by name. */
extern const char report_sort_help[];
/* --list-keys, for completion and tests: name, set (common, branch, memory) and JSON type of each key, by tabs. */
void report_list_keys(struct out *out);
void report_options_defaults(void *options);
/* -g, --call-graph: any of print type, threshold, limit, order, key and value, in any order. */
struct strobe_error *report_parse_chains(struct report_options *o, const char *value) _must_check_;

/*
 * Fields of tracepoints: FIELD of all events that have it, EVENT.FIELD, EVENT.*, trace_fields; /raw behind it. EVENT is a
 * name, a part of one that only one event has, or %N. *ret_any is false where the word is none of these. add_fields of
 * the query: run is a struct report_run.
 */
struct strobe_error *report_add_fields(void *run, struct key_list *l, const char *word, size_t n, bool *ret_any) _must_check_;

/* Writes the picture; names are filtered as in the table. */
struct strobe_error *report_write_flamegraph(struct report_run *r) _must_check_;
/* The same as a page of HTML, and served to a browser until it is interrupted. */
struct strobe_error *report_write_html(struct report_run *r) _must_check_;
struct strobe_error *report_serve(struct report_run *r) _must_check_;

/* Whether samples become pictures and not a table. */
static inline bool report_draws(const struct report_options *o)
{
	return o->flamegraph || o->html || o->web;
}

/* Whether they become a page: with threads, times and lines. */
static inline bool report_pages(const struct report_options *o)
{
	return o->html || o->web;
}

/* strobe report, from its options to its exit status. */
int report_run(struct cmd_context *ctx, struct report_options *o);
