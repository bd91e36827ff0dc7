/*
 * Browsing a report on a screen: rows as the text report has them, call trees that open and close, zoom, filters, menus.
 *
 * The browser only displays and handles keys; everything else is done by hooks: waiting for signals and rings, making a
 * new report, opening another file. The report is borrowed, and const except for the order of its entries and the totals
 * of shown entries. One thread; returns when the user (or a hook) ends it.
 */
#pragma once
#include "base/error.h"
#include "base/strbuf.h"
#include "profile/time_counts.h"
#include "report/listed_samples.h"
#include "report/report.h"
#include "table/listing.h"
#include "view/display.h"
#include "view/tui/screen.h"

enum browse_state {
	BROWSE_ON,
	BROWSE_DUE, /* renew() would give a new report */
	BROWSE_END,
};

/* Any may be NULL. */
struct browse_hooks {
	void *ctx;
	bool is_live;           /* new reports may come at any time; may change at any renew() and open() */
	bool by_name;           /* reports follow each other, or did: open and selected rows are remembered by name */
	const int *fds;         /* that end waiting */
	unsigned fds_nr;
	int (*wait_ms)(void *ctx);              /* the longest wait; -1 */
	enum browse_state (*look)(void *ctx);   /* after each wait and each key */
	/* Returns a new report, of at least one part, and frees the old one. */
	struct strobe_error *(*renew)(void *ctx, const struct report **ret);
	void (*status)(void *ctx, struct strbuf *out); /* after the title */
	void (*system)(void *ctx, struct strbuf *out); /* a line on the system, below the title of screens of 12 rows or more */
	/* Called with keys that the browser does not use; false: unknown key. *say: a message for the user. */
	bool (*key)(void *ctx, uint32_t key, struct strbuf *say);
	const char *help;                       /* lines for those keys */
	void (*header)(void *ctx, struct strbuf *out); /* the header of the recording as text */
	/* Opens another recording; on error the old report stays. */
	struct strobe_error *(*open)(void *ctx, const char *path, const struct report **ret);
	/* The code at an address of a mapping of the part's profile, with its values; the caller destroys it. */
	struct strobe_error *(*listing)(void *ctx, const struct report_part *part, mapping_id mapping, uint64_t addr,
					struct listing **ret);
	/* Names the types of data beside its instructions. NULL: not possible, as live. */
	struct strobe_error *(*name_types)(void *ctx, mapping_id mapping, struct listing *l);
	struct code_look code;
	/* Start with the code of the first row; q there quits. */
	bool begins_with_code;
	uint32_t first_part;                    /* where that is so */
	/* The samples of a part over a span of time, in at most n steps (n > 1). */
	struct strobe_error *(*times)(void *ctx, const struct report_part *part, struct time_range span, unsigned n,
				      struct time_counts *ret);
	/* A new report of the samples in a span; on error the old report remains, else it is freed. */
	struct strobe_error *(*narrow)(void *ctx, struct time_range span, const struct report **ret);
	/*
	 * A report to compare with: of another recording, or (path NULL, where base_is_first_minute) of the first minute of this
	 * run, which replaces the report shown. Valid until the next hook is called.
	 */
	struct strobe_error *(*base)(void *ctx, const char *path, const struct report **ret);
	bool base_is_first_minute;
	const char *base_path;                  /* compared with from the start, or NULL */
	/* Samples one by one, as lines of text. */
	struct strobe_error *(*samples)(void *ctx, const struct listed_choice *which, enum listed_detail detail,
					struct listed_samples *ret);
	/* Whether a file looks like a recording. */
	bool (*is_recording)(void *ctx, const char *path);
};

/* The part with this event, else the first: indexes may change from report to report. */
uint32_t browser_part_named(const struct report *r, const char *name);

/* The report has at least one part. */
struct strobe_error *browse(struct screen *s, const struct report *report, const struct browse_hooks *hooks) _must_check_;
