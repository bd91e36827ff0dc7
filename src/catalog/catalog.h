/*
 * A catalog of what -e, -M and other options that take names accept on this machine: events of the kernel, of PMUs and of vendors,
 * tracepoints, SDT markers and metrics, as a table.
 *
 *	struct catalog c;
 *	catalog_init(&c, host, sys, &settings);
 *	catalog_add(&c, "sched:*");		// or NULL: everything
 *	table_text(&out, &c.table, NULL);
 *	catalog_deinit(&c);
 *
 * What cannot be read is left out, and the first reason kept in c.error. Messages go to the host. One thread at a time.
 */
#pragma once
#include "decode/tracepoint.h"
#include "event/pmu.h"
#include "session/host.h"
#include "table/table.h"

enum catalog_form {
	CATALOG_TEXT,  /* with headings, groups of metrics and patterns of event texts */
	CATALOG_DATA,  /* with events and metrics */
	CATALOG_NAMES, /* of events alone */
};

struct catalog_settings {
	enum catalog_form form;
	bool has_perf_keys;       /* columns have the keys of perf list -j */
	bool descriptions, long_descriptions;
	bool details;             /* encodings, and fields of tracepoints */
	bool all;                 /* vendor events that no PMU here can count, too */
	bool deprecated;          /* those, too */
	const char *unit;         /* of this PMU only; or NULL */
	const char *core_type;    /* of the PMU of this type of cores only; or NULL */
	unsigned columns;         /* of the terminal; 0: unknown */
};

struct catalog_selection;

struct catalog {
	struct catalog_settings settings;
	const struct session_host *host;
	const struct sys *sys;
	struct table table;
	uint64_t rows_nr;           /* that were found, shown in this form or not */
	uint64_t uncountable;       /* vendor events that were left out */
	bool is_denied;             /* not permitted to try whether an event is supported */
	struct strobe_error *error; /* the first; owned. NULL: none */

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
/* Adds a kind of names ("hw", "tracepoint", "metric" …) or what a glob matches; NULL: everything. */
void catalog_add(struct catalog *c, const char *word);
/* The names, each followed by a blank: for completion. */
void catalog_names(const struct catalog *c, struct out *out);
