/*
 * A report's rows: a profile grouped by sort keys into entries with their own sums and those including callees.
 *
 * A hist is made from a const profile, which must outlive it; it belongs to one thread while it is made and is read-only
 * afterwards. It covers one event, or the events of one group side by side. An entry is one distinct combination of the
 * values of all keys. Periods are in the event's unit.
 *
 * With children, a sample counts once for each distinct entry on its stack, even with recursion, and the entry's own
 * sums (`period` …) only include samples whose innermost frame it is. As in perf, an entry without a symbol that is
 * only a caller is identified by its absolute address.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "profile/columns.h"
#include "profile/profile.h"

/* A sort key of a report. */
struct hist_key {
	const struct column *column;
	uint32_t label, label2;  /* label columns of the profile, or PROFILE_NONE */
	const char *header;      /* the column's, or the name of a field */
	bool elided;             /* not shown, since it is equal in every row */
	/* Of fields. */
	const char *label_name;  /* in the profile; NULL: the header */
	uint32_t only_event;     /* index + 1 of the only event with it; 0: all */
	unsigned width;          /* at least */
	bool cut;                /* longer cells are cut, in text */
};

struct hist_stat {
	uint64_t period, samples, weight; /* of samples that end in the entry */
	uint64_t children;                /* period of samples with the entry anywhere on their stack */
	uint64_t children_samples;
	/* The same sums of period / number of threads that ran at once, for shares of the elapsed time; 0: unknown. */
	uint64_t latency, latency_children;
	uint64_t sys, user, guest_sys, guest_user; /* period by where the sample was taken */
	uint64_t *kinds; /* period by kind of memory access (profile/access_kinds.h); NULL, unless divides_accesses */
};

struct hist_entry {
	frame_id frame;      /* one that has these values, or PROFILE_NONE */
	uint32_t row;        /* the first row of the profile that has these values */
	uint64_t addr;       /* code address, shown if there is no symbol */
	uint32_t frame_key;  /* number of the combination of frame values */
	uint32_t group;      /* number of the combination of label values */
	uint32_t max_depth;  /* depth of the first event's stacks below (callers first) or above it */
	char level;          /* level of the code: 'k' '.' 'g' 'u' 'H' */
	bool hidden;         /* has only filtered samples */
};

struct hist_options {
	const uint32_t *events; /* the leader first */
	uint32_t events_nr;
	const struct hist_key *keys; /* borrowed for the life of the hist */
	uint32_t keys_nr;
	bool children;
	bool callee_first;         /* call chains run from the innermost frame out (-g callee) */
	bool callers_above;        /* with children, put the caller first if shares are equal (when call chains are shown) */
	const str_id *stack_parents; /* by stack: name matched by --parent, 0 = none; NULL = no such key */
	/* True if a filter on names excludes the row: it counts in the totals, but its entries are not shown. */
	bool (*row_hidden)(void *ctx, const struct profile *p, const struct profile_row *row);
	/* True if a row only counts in the totals, not in an entry; may be NULL. */
	bool (*row_left_out)(void *ctx, const struct profile *p, const struct profile_row *row);
	void *ctx; /* of both */
	const char *symbol_filter; /* entries whose symbol does not contain it are hidden; NULL = all are shown */
	/* Rows are branches: code is identified by its absolute address, and marked with the sample's level. */
	bool branches;
	bool long_names;           /* DSOs by path (-v) */
	bool nanoseconds;          /* --ns */
	bool full_source_path;
	bool divides_accesses;     /* sums are divided by kinds of memory access */
	uint64_t time_quantum_ns;  /* 0 = 100 ms */
	/* Returns the last name of a thread; may be NULL. */
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
	uint32_t *ranks;           /* of entries that are not hidden: their positions after hist_sort() */

	/* For call trees. */
	uint32_t *self_keys, *caller_keys; /* frame → frame_key, as innermost frame and as caller */
	uint32_t frame_keys_nr;
	uint32_t *rows;            /* rows of the events, by group */
	uint32_t *group_rows;      /* group g has rows[group_rows[g]] up to rows[group_rows[g + 1]] */
	uint32_t *group_entries;   /* the same for entries */
	uint32_t groups_nr;
	struct strtab strings;     /* of cells: source lines; complete when hist_create() returns */
	uint32_t thread_label;     /* label column of thread ids, or PROFILE_NONE */
	uint32_t parallelism_label; /* label column of the number of threads that ran at once, or PROFILE_NONE */
	uint32_t data_src_label;   /* label column of the source of data, or PROFILE_NONE: sums are not divided */
	uint32_t kinds;            /* kinds of memory access that occur, by bits */
	struct arena kinds_arena;  /* of stats */
	uint32_t cpumode_label;    /* for branches: label column of the sample's CPU mode, or PROFILE_NONE */
};

/* Groups rows; call hist_sort() for the order. */
struct hist *hist_create(const struct profile *p, struct hist_options options);
void hist_destroy(struct hist *h);

/* Sorts by the keys in order: sums descending, names by column_compare(). event: the one whose sums are compared. */
void hist_sort(struct hist *h, const struct hist_key *by, uint32_t by_nr, uint32_t event);
/* Sorts by one column only, keeping the order of hist_sort() for equal entries. */
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

/* Sets the labels of a key; false: the profile has none of them. */
bool hist_key_bind(struct hist_key *k, const struct profile *p);

/* Properties of an entry, for cells. */
const struct profile_function *hist_function(const struct hist *h, const struct hist_entry *e); /* or NULL */
const struct profile_mapping *hist_mapping(const struct hist *h, const struct hist_entry *e);   /* or NULL */
uint64_t hist_label(const struct hist *h, const struct hist_entry *e, uint32_t label, uint64_t fallback);
/* Whether its file is known; the line may be 0 for code that belongs to no line. */
bool hist_has_source(const struct hist *h, frame_id frame);
char hist_level(enum mapping_space space);
