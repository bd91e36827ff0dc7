/*
 * A catalog of the names that -e, -M and other options accept on this machine: events of the kernel, of PMUs and of vendors,
 * tracepoints, SDT markers and metrics, as a table.
 *
 *	struct catalog c;
 *	catalog_init(&c, host, sys, &settings);
 *	catalog_add(&c, "sched:*");		// or NULL: everything
 *	table_text(&out, &c.table, NULL);
 *	catalog_deinit(&c);
 *
 * Unreadable data is left out, and the first error stored in c.error. Messages go to the host. One thread at a time.
 */
#pragma once
#include "decode/tracepoint.h"
#include "event/pmu.h"
#include "session/host.h"
#include "table/table.h"

enum catalog_form {
	CATALOG_TEXT,  /* with headings, groups of metrics and patterns of event texts */
	CATALOG_DATA,  /* with events and metrics */
	CATALOG_NAMES, /* only names of events */
};

struct catalog_settings {
	enum catalog_form form;
	bool has_perf_keys;       /* columns have the keys of perf list -j */
	bool descriptions, long_descriptions;
	bool details;             /* encodings, and fields of tracepoints */
	bool all;                 /* include vendor events that no PMU here can count */
	bool deprecated;          /* include deprecated ones */
	const char *unit;         /* only for this PMU; or NULL */
	const char *core_type;    /* only for the PMU of cores of this type; or NULL */
	unsigned columns;         /* of the terminal; 0: unknown */
};

struct catalog_selection;

struct catalog {
	struct catalog_settings settings;
	const struct session_host *host;
	const struct sys *sys;
	struct table table;
	uint64_t rows_nr;           /* number of matches, shown in this form or not */
	uint64_t uncountable;       /* vendor events that were left out */
	bool is_denied;             /* not permitted to test whether an event is supported */
	struct strobe_error *error; /* the first error; owned. NULL: none */

	/* Private: */
	const struct catalog_selection *selection;
	const char *pmu;
	struct pmu_set pmus;
	char *tracefs;
	struct tracepoints *formats;
	bool has_vendor_events;
};

void catalog_init(struct catalog *c, const struct session_host *host, const struct sys *sys, const struct catalog_settings *settings);
void catalog_deinit(struct catalog *c);
/* Adds a kind of names ("hw", "tracepoint", "metric" …) or the matches of a glob; NULL: everything. */
void catalog_add(struct catalog *c, const char *word);
/* Prints the names, each followed by a blank: for completion. */
void catalog_names(const struct catalog *c, struct out *out);
