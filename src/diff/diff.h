/*
 * Compares recordings and profiles with a first one: reads them, joins rows, computes changes, and makes tables.
 *
 *	diff_run(&d, host, &settings);    on an error nothing is shown
 *	diff_table(&d, i, &table); …      for each event, or one for all in data
 *	diff_worst_growth(&d)
 *	diff_deinit(&d);
 *
 * Settings are by value, their strings borrowed until diff_deinit(). One thread. Messages go through the host.
 */
#pragma once
#include "base/arena.h"
#include "diff/input.h"
#include "diff/sources.h"
#include "diff/table.h"

struct diff_settings {
	struct report_request request; /* which samples, which keys */
	const struct diff_source *sources; /* the base first; two at least */
	uint32_t sources_nr;
	struct diff_layout layout;
	bool normalize; /* correct for runs that are slower or faster as a whole */
	bool is_plain;  /* nobody sees which changes are beyond chance: the text has no colours and no column of them */
};

struct diff_joined {
	const struct report_part **parts; /* by input */
	struct diff_rows rows;
	struct diff_changes changes;
};

struct diff {
	struct arena arena;
	struct diff_settings settings;
	struct diff_input *inputs;
	uint32_t inputs_nr;
	struct diff_side *sides;   /* as sources */
	const char **side_names;
	struct diff_joined *events; /* events of the first input */
	uint32_t events_nr;
};

/* Call diff_deinit() in any case. */
struct strobe_error *diff_run(struct diff *d, const struct session_host *host, const struct diff_settings *settings) _must_check_;
void diff_deinit(struct diff *d);
/* Tables to write in order: one per event, one in all for data. Call table_deinit() on each. */
uint32_t diff_tables_nr(const struct diff *d);
void diff_table(const struct diff *d, uint32_t i, struct table *ret);

struct diff_event diff_event_at(const struct diff *d, uint32_t i);

/* The largest significant growth over all rows and sides; for an exit status. */
struct diff_growth {
	double percent;   /* of the first side's total period per run; 0: nothing has grown */
	const char *name; /* the last key of the row */
	uint32_t side;
};
struct diff_growth diff_worst_growth(struct diff *d);
