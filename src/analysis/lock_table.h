/*
 * Waits for locks as a table: perf's columns, in perf's layout as text; in data all times in nanoseconds.
 *
 * The table borrows nothing. Source of the layout: what perf 7.2 prints.
 */
#pragma once
#include "analysis/lock_choice.h"
#include "analysis/lock_waits.h"
#include "base/error.h"
#include "table/table.h"

/* Callbacks for names. */
struct lock_names {
	const char *(*comm)(void *ctx, uint32_t tid);
	void *ctx;
	const struct lock_symbols *symbols; /* for stacks */
};

struct lock_layout {
	bool is_report;       /* names first, as in `lock report`; else `lock contention` */
	bool combine;         /* merge locks with the same name */
	const char *key;      /* sort key, in descending order; NULL: perf's */
	const char *fields;   /* columns; NULL: perf's */
	uint64_t entries;     /* rows; 0: all */
	bool quiet;           /* no titles, no notes */
	bool verbose;         /* print notes even if no sequence is broken */
	const struct lock_question *question;
};

/* ERROR_USAGE of an unknown key or field. */
struct strobe_error *lock_table_check(const struct lock_layout *l) _must_check_;
void lock_table_fill(struct table *t, const struct lock_waits *w, const struct lock_layout *l, const struct lock_names *names);
/* The ID of a thread; -1 in text: it had ended, or an unknown owner. */
void lock_table_set_tid(struct table *t, size_t column, uint32_t tid);
