/*
 * A report's rows: a profile grouped by sort keys into entries with their own sums and those of what they called.
 *
 * A hist is made from a const profile, which must outlive it; it belongs to one thread while it is made and is read-only
 * afterwards. It covers one event, or the events of one group side by side. An entry is one distinct combination of the
 * values of all keys. Periods are in the event's unit.
 *
 * With children, a sample counts once for each distinct entry on its stack, however often recursion repeats it, and the
 * entry's own sums (`period` …) hold only samples whose innermost frame it is. An entry that is only ever a caller is
 * known by its absolute address where it has no symbol, as perf shows it.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "profile/columns.h"
#include "profile/profile.h"

/* A sort key as used by one report. */
struct hist_key {
	const struct column *column;
	uint32_t label, label2;  /* label columns of the profile, or PROFILE_NONE */
	const char *header;      /* the column's, or the name of a field */
	bool elided;             /* sorted by, not shown: it would be the same in every row */
	/* Of fields. */
	const char *label_name;  /* in the profile; NULL: the header */
	uint32_t only_event;     /* index + 1 of the one event that has it; 0: all have */
	unsigned width;          /* at least */
	bool cut;                /* what is longer is cut, in text */
};

struct hist_stat {
	uint64_t period, samples, weight; /* of samples that end in the entry */
	uint64_t children;                /* period of samples with the entry anywhere on their stack */
	uint64_t children_samples;
	/* The same of period / threads that ran at once, for what the elapsed time is due to; 0 where that is not known. */
	uint64_t latency, latency_children;
	uint64_t sys, user, guest_sys, guest_user; /* period by where the sample was taken */
};

struct hist_entry {
	frame_id frame;      /* one that has these values, or PROFILE_NONE */
	uint32_t row;        /* the first row of the profile that has these values */
	uint64_t addr;       /* code address as shown where there is no symbol */
	uint32_t frame_key;  /* number of the combination of frame values */
	uint32_t group;      /* number of the combination of label values */
	uint32_t max_depth;  /* of the first event's stacks below (callers first) or above it */
	char level;          /* where the code runs: 'k' '.' 'g' 'u' 'H' */
	bool hidden;         /* only samples that a filter leaves out */
};

struct hist_options {
	const uint32_t *events; /* the leader first */
	uint32_t events_nr;
	const struct hist_key *keys; /* borrowed for the life of the hist */
	uint32_t keys_nr;
	bool children;
	bool callee_first;         /* call chains run from the innermost frame out (-g callee) */
	bool callers_above;        /* equal shares with children: the caller first (where call chains are shown) */
	const str_id *stack_parents; /* for each stack: name of what --parent matched, 0 = nothing; NULL = no such key */
	/* True where a filter on names leaves the row out: it counts in the totals and its entries are not shown. */
	bool (*row_hidden)(void *ctx, const struct profile *p, const struct profile_row *row);
	/* True where a row counts in the totals alone, and in no entry; may be NULL. */
	bool (*row_left_out)(void *ctx, const struct profile *p, const struct profile_row *row);
	void *ctx; /* of both */
	const char *symbol_filter; /* entries whose symbol does not contain it are hidden; NULL = all are shown */
	/* Rows are branches: their code is known by its absolute address, and marked by where the sample was taken. */
	bool branches;
	bool long_names;           /* DSOs by path (-v) */
	bool nanoseconds;          /* --ns */
	bool full_source_path;
	uint64_t time_quantum_ns;  /* 0 = 100 ms */
	/* The name of a thread as it is known at the end; may be NULL. */
	const char *(*thread_name)(void *ctx, uint32_t tid);
	void *thread_ctx;
};

/* Totals of one event. */
struct hist_total {
	uint64_t period, samples, weight;
	uint64_t latency, shown_latency;
	uint64_t shown_period, shown_samples; /* of entries that are not hidden (--percentage relative) */
};

struct hist {
	const struct profile *profile;
	struct hist_options options;
	VEC(struct hist_entry) entries;
	struct hist_stat *stats;   /* of entry i and event j: stats[i * options.events_nr + j] */
	struct hist_total *totals; /* for each event */
	uint32_t *order;           /* entries as sorted, hidden ones left out */
	uint32_t order_nr;
	uint32_t *ranks;           /* of entries that are not hidden: their places after hist_sort() */

	/* What the call trees go by. */
	uint32_t *self_keys, *caller_keys; /* frame → frame_key, as innermost frame and as caller */
	uint32_t frame_keys_nr;
	uint32_t *rows;            /* rows of the events, by group */
	uint32_t *group_rows;      /* group g's are rows[group_rows[g]] up to rows[group_rows[g + 1]] */
	uint32_t *group_entries;   /* the same for entries */
	uint32_t groups_nr;
	struct strtab strings;     /* of cells: source lines; complete when hist_create() returns */
	uint32_t thread_label;     /* label column of thread ids, or PROFILE_NONE */
	uint32_t parallelism_label; /* label column of how many threads ran at once, or PROFILE_NONE */
	uint32_t cpumode_label;    /* of branches: label column of where the sample was taken, or PROFILE_NONE */
};

/* Group, without order: hist_sort() gives that. */
struct hist *hist_create(const struct profile *p, struct hist_options options);
void hist_destroy(struct hist *h);

/* Sorts by the keys in order: sums downwards, names as column_compare() has it. event: the one whose sums decide. */
void hist_sort(struct hist *h, const struct hist_key *by, uint32_t by_nr, uint32_t event);
/* What is in the order by one column alone; those that are equal in it stay as hist_sort() had them. */
void hist_reorder(struct hist *h, const struct hist_key *by, uint32_t event);

static inline const struct hist_stat *hist_stats(const struct hist *h, const struct hist_entry *e)
{
	return h->stats + (size_t)(e - h->entries.data) * h->options.events_nr;
}

/* The value of a sum column (COLUMN_FROM_VALUES) for one event. */
static inline uint64_t hist_value(const struct hist_stat *s, const struct column *c)
{
	return *(const uint64_t *)((const char *)s + c->sum->offset);
}

/* Fills in the labels a key reads; false where the profile has none of them. */
bool hist_key_bind(struct hist_key *k, const struct profile *p);

/* Facts about an entry that cells are made of. */
const struct profile_function *hist_function(const struct hist *h, const struct hist_entry *e); /* or NULL */
const struct profile_mapping *hist_mapping(const struct hist *h, const struct hist_entry *e);   /* or NULL */
uint64_t hist_label(const struct hist *h, const struct hist_entry *e, uint32_t label, uint64_t fallback);
/* Whether its file is known; its line may be 0 then: the compiler made the code for none of them. */
bool hist_has_source(const struct hist *h, frame_id frame);
char hist_level(enum mapping_space space);
