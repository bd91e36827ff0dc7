/*
 * The lines of a browser: entries of one part of a report that pass its zoom, and below open ones the nodes of their trees.
 *
 * Call trees, and lines of entries that are open from the start, are created when they are first shown: opening 80,000 entries
 * costs only those on the screen. Open lines are identified by a 64-bit hash of the entry's index, or of its names if reports
 * follow each other, and the names of frames from there.
 */
#pragma once
#include "base/u64map.h"
#include "base/vector.h"
#include "report/report.h"
#include "view/levels.h"

/* A filter of entries; unset fields accept all. */
struct row_zoom {
	const char *dso;    /* short name */
	bool kernel;
	const char *comm, *name; /* name: of the thread, for the title */
	bool by_tid;
	uint64_t tid;
	bool by_socket;
	uint64_t socket;
	const char *symbol; /* part of its name */
	uint64_t from_ns, to_ns; /* the report has only this span (0: everything); for the title, and for going back */
};

/* A row that only the base of a comparison has: not an entry of the hist, but the cells of its names. Owned by the browser. */
struct row_missing {
	uint64_t id;             /* as rows_name_id() */
	const char *const *cells; /* of each sort key */
	const char *dso, *symbol, *comm; /* for filters; NULL: unknown */
	char level;
	uint64_t share;          /* in the base, in millionths */
	uint32_t at;             /* its place in the order of the hist */
};

struct row_line {
	uint32_t entry;     /* index in the hist; from its number of entries on: rows that only the base has */
	uint32_t frame;     /* of node->frames */
	uint32_t depth;     /* 0: the entry itself */
	const struct calltree_node *node; /* NULL: the entry itself */
	const struct level_node *level;   /* level of a hierarchy; NULL: flat rows, or a line of a call tree */
	uint64_t id;        /* for opening and closing; 0: cannot be opened */
	uint64_t whole;     /* 100 % for the lines below */
	bool has_more, is_open;
	bool is_known;   /* has_more is valid; for an entry it is computed when the line is shown */
	bool is_pending; /* open, but the lines below are added when it is shown */
};

enum row_set { ROW_AS_ALL, ROW_CLOSED, ROW_OPEN };

struct rows {
	const struct report *report;
	const struct report_part *part;
	bool by_name;
	VEC(struct row_missing) missing;  /* in their order */
	VEC(uint32_t) entries;            /* as in struct row_line */
	VEC(struct row_line) lines;
	struct u64map open;               /* lines whose state differs from all_open */
	bool all_open;
	uint8_t *set_entries;             /* state in `open` by entry (enum row_set), so that a key need not make 80,000 names */
	struct calltrees *trees;          /* those shown so far */
	struct levels levels;             /* if the report is a hierarchy */
	struct hist_total *totals;        /* by event of the part: shown_* of the entries that pass the zoom, as struct report's */
};

void rows_deinit(struct rows *r);
/* Drops trees and lines, before their report is freed. */
void rows_forget(struct rows *r);
/* Sets another report or part: trees are dropped, but open lines are remembered. */
void rows_set(struct rows *r, const struct report *report, const struct report_part *part);
/* Recomputes the entries, in the order of the hist, and the lines. */
void rows_filter(struct rows *r, const struct row_zoom *zoom);
void rows_make_lines(struct rows *r);
/*
 * Completes the n lines from first on, or those before at, for display: has_more of entries, and the lines below open ones, which are
 * inserted after the first one, or before at, whose new index is returned.
 */
void rows_look(struct rows *r, size_t first, size_t n);
size_t rows_look_back(struct rows *r, size_t at, size_t n);
/* Opens or closes one level, and puts its lines in or takes them out; *line may move. */
void rows_toggle(struct rows *r, struct row_line *line);
/* Opens or closes everything. Lines must be recomputed. */
void rows_set_all(struct rows *r, bool open);
/* Resets everything to the initial state. */
void rows_forget_open(struct rows *r);
/* Opens or closes the line's entry, or its level with all below. */
void rows_set_line(struct rows *r, const struct row_line *line, bool open);
bool rows_is_open(const struct rows *r, uint32_t entry);
/* NULL: an entry of the hist. */
const struct row_missing *rows_missing(const struct rows *r, uint32_t entry);
/* A hash of the names of its keys: equal in another report. */
uint64_t rows_name_id(const struct rows *r, uint32_t entry);
uint64_t rows_entry_id(const struct rows *r, uint32_t entry);
