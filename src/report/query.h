/*
 * A query of a profile, from options to the parts of a report: keys and columns, rows, parts.
 *
 *	report_query_init(&q, &grouping, &filter)   then the caller fills in the recording's properties
 *	report_choose_columns(&q)                   keys and columns
 *	report_filters_create(&q)                   filters on names
 *	report_labels(&q, &n)                       the labels that rows of a profile need: the caller makes one
 *	report_query_bind(&q, profile)              for each profile
 *	report_build_parts(&q, profile, &built)     the report; report_parts_deinit() frees it
 *
 * A query must outlive what is built from it, and so must the profile, which is const. Grouping and filter are
 * borrowed. One thread. Errors are ERROR_USAGE: keys, filters and expressions as the user typed them.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "report/filter.h"
#include "report/grouping.h"
#include "report/report.h"

/* The properties of an event that determine parts. */
struct report_event {
	const char *name;
	uint32_t leader;         /* index of its group's leader; its own if it was not recorded in a group */
	uint32_t group_members;  /* of a leader: members, itself among them; else 0 or 1 */
	const char *group_name;  /* of a leader, or NULL */
	bool is_dummy;           /* counts nothing */
	bool is_left_out;        /* another event was selected */
	bool has_chains;         /* its samples have stacks that can be shown */
};

/* Whether --group joins all events: if none were recorded in groups. */
bool report_joins_all(const struct report_grouping *g, const struct report_event *events, uint32_t nr);
/* The name of a part with n events, by their indexes in all; may be in the arena. */
const char *report_part_name(struct arena *arena, const struct report_event *all, const uint32_t *events, uint32_t n);

/* Limits on the rows of a part, applied in order; {} means all. */
struct report_limits {
	bool by_samples;
	uint64_t samples_above;  /* by_samples: only rows with more samples than this; with children, including those of callees */
	uint64_t rows;           /* maximum number; 0: all */
};

/* Keys or columns in order, without duplicates. */
struct key_list {
	struct hist_key *data;
	uint32_t nr, cap;
	struct arena *arena;
};

struct report_query {
	const struct report_grouping *grouping;
	const struct report_filter *filter;
	const char *program;     /* for messages */
	/* What the recording holds. */
	const struct report_event *events; /* those of a profile are the first; needed when parts are built */
	uint32_t events_nr;
	bool has_chains;
	bool has_switches;       /* has context switches with times: latency and parallelism are known */
	bool only_tracepoints;
	bool is_powerpc;         /* the machine's */
	/* What is made of it. */
	bool branch_mode;        /* rows are branches */
	bool branch_history;     /* branches are parts of stacks */
	bool mem_mode;           /* rows are memory accesses */
	bool children;           /* callees count as well: grouping's, where there are stacks */
	bool shows_latency;      /* shares of elapsed time are shown besides those of processor time */
	bool is_live;            /* events without samples may have some at the next refresh */
	bool long_names;         /* show paths of objects (-v) */
	bool needs_comm, needs_threads, needs_times; /* labels of rows that are needed for any keys */
	const char *default_sort; /* NULL is comm,dso,symbol */
	struct report_limits limits; /* may change from one report to the next */
	/* The last name of a thread; may be NULL. */
	const char *(*thread_name)(void *ctx, uint32_t tid);
	void *thread_ctx;
	/* Adds the tracepoint fields that a word selects: false if it selects none. May be NULL. */
	struct strobe_error *(*add_fields)(void *ctx, struct key_list *l, const char *word, size_t n, bool *ret_any);
	void *fields_ctx;
	/* Keys the rows are grouped by, what they are sorted by, and what is shown: in arena. */
	struct arena arena;
	const char *sort_order;  /* as typed, or the default */
	struct hist_key *keys, *by, *fields;
	uint32_t keys_nr, by_nr, fields_nr;
	struct report_filters *filters;
	/* Built data, valid until report_parts_deinit(): in scratch. */
	struct arena scratch;
	const str_id *parents;   /* by stack: the caller that the key parent finds; NULL: no such key */
};

/* A report for the views, and the data that it refers to; starts zeroed. */
struct report_built {
	struct report report;
	struct report_part *parts;
};

void report_query_init(struct report_query *q, const struct report_grouping *grouping, const struct report_filter *filter);
void report_query_deinit(struct report_query *q);

/* The help of -s: every key by name. */
extern const char report_sort_help[];
/* For completion and tests: name, set (common, branch, memory) and JSON type of each key, separated by tabs. */
struct out;
void report_list_keys(struct out *out);
/* -g: any of print type, threshold, limit, order, key and value, in any order; the word branch sets *branch_history. */
struct strobe_error *report_chains_parse(const char *value, struct report_grouping *g, bool *branch_history) _must_check_;

/* Keys and columns from -s, -F and the options that add columns. */
struct strobe_error *report_choose_columns(struct report_query *q) _must_check_;
struct hist_key report_key_of(enum column_id id);
/* Whether a column is among the selected keys; whether any key needs this. */
bool report_has_key(const struct report_query *q, enum column_id id);
bool report_keys_need(const struct report_query *q, enum column_needs what);
/* Whether any key is a type of data: its label columns are filled in after aggregation (datatypes/labels.h). */
bool report_has_types(const struct report_query *q);
/* Whether a field divides sums by kinds of memory access. */
bool report_divides_accesses(const struct report_query *q);
/* Whether rows and filters read only labels of samples, neither addresses nor stacks. Valid once filters are created. */
bool report_by_labels(const struct report_query *q);
/* Unless the list has the key already. */
void report_add_key(struct key_list *l, struct hist_key k);
/* The names of labels that keys and filters read, in the query's arena. */
const char *const *report_labels(struct report_query *q, uint32_t *ret_nr);
/* The error for latency or parallelism of a recording without context switches. */
struct strobe_error *report_switches_missing(const struct report_query *q);

/* Creates filters on names: rows that they hide count in the totals. */
struct strobe_error *report_filters_create(struct report_query *q) _must_check_;
void report_filters_bind(struct report_filters *f, const struct profile *p);
/* Callbacks, whose ctx is the query. */
bool report_row_hidden(void *ctx, const struct profile *p, const struct profile_row *row);
/* Rows that count in the totals and in no entry: by parallelism. */
bool report_row_left_out(void *ctx, const struct profile *p, const struct profile_row *row);
/* For flame graphs and pages: whether neither of both leaves the row out. */
bool report_row_kept(void *ctx, const struct profile *p, const struct profile_row *row);

/* A filter that leaves a single name: its column would be constant. */
struct report_only {
	const char *column, *value;
};
#define REPORT_ONLY_MAX 3
/* The existing ones, in the order of comm, dso, symbol; returns their number. */
unsigned report_only(const struct report_query *q, struct report_only ret[REPORT_ONLY_MAX]);
/*
 * Leaves out these columns, unless no key would remain; and the columns of latency, unless selected, if threads hardly ran
 * concurrently.
 */
void report_elide(struct report_query *q, const struct profile *p);

/* Looks up keys, filters and parents in a profile. */
struct strobe_error *report_query_bind(struct report_query *q, const struct profile *p) _must_check_;

/* The matching caller of each stack; NULL if no key reads it. In scratch. */
struct strobe_error *report_find_parents(struct report_query *q, const struct profile *p, const str_id **ret) _must_check_;
/* A new profile whose stacks end at the outermost matching function, to which its callees' samples are attributed. */
struct strobe_error *report_cut_callees(const struct profile *p, const char *pattern, struct profile **ret) _must_check_;

/*
 * Builds rows from a profile that the query is bound to: a part for each event or group of events with samples, and the fields of
 * struct report that depend on query and profile. One report at a time: its strings are in scratch, which report_parts_deinit() empties.
 */
void report_build_parts(struct report_query *q, const struct profile *p, struct report_built *b);
void report_parts_deinit(struct report_query *q, struct report_built *b);
