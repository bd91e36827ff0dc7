/*
 * The lines of a browser: entries of one part of a report that pass its zoom, and below open ones the nodes of their trees.
 *
 * Call trees are made when they are first looked at, and so are the lines of entries that are open from the beginning: opening
 * 80,000 entries costs what the screen has of them. What is open is known by 64 bits of hash: of the entry's number, or of
 * its names where reports follow each other, and of the names of frames from there.
 */
#pragma once
#include "base/u64map.h"
#include "base/vector.h"
#include "report/report.h"
#include "view/levels.h"

/* Entries that are shown; unset fields let all through. */
struct row_zoom {
	const char *dso;    /* short name */
	bool kernel;
	const char *comm, *name; /* name: of the thread, for the title */
	bool by_tid;
	uint64_t tid;
	bool by_socket;
	uint64_t socket;
	const char *symbol; /* part of its name */
	uint64_t from_ns, to_ns; /* the report is of this span alone (0: of all); for the title, and for coming back */
};

/* What only the base of a comparison has: no entry of the hist, but the cells of its names. The browser's. */
struct row_missing {
	uint64_t id;             /* as rows_name_id() */
	const char *const *cells; /* of each sort key */
	const char *dso, *symbol, *comm; /* what filters go by; NULL where it is not known */
	char level;
	uint64_t share;          /* in the base, in millionths */
	uint32_t at;             /* its place in the order of the hist */
};

struct row_line {
	uint32_t entry;     /* of the hist; or, numbered after its entries, what only the base has */
	uint32_t frame;     /* of node->frames */
	uint32_t depth;     /* 0: the entry itself */
	const struct calltree_node *node; /* NULL: the entry itself */
	const struct level_node *level;   /* of a hierarchy, at this depth; NULL: rows are flat, or it is of a call tree */
	uint64_t id;        /* what is open or closed here; 0: nothing */
	uint64_t whole;     /* what shares below are of */
	bool has_more, is_open;
	bool is_known;   /* has_more: an entry's is found out when it is looked at */
	bool is_pending; /* open, and what is below it is put in when it is looked at */
};

enum row_set { ROW_AS_ALL, ROW_CLOSED, ROW_OPEN };

struct rows {
	const struct report *report;
	const struct report_part *part;
	bool by_name;
	VEC(struct row_missing) missing;  /* in their order */
	VEC(uint32_t) entries;            /* as in struct row_line */
	VEC(struct row_line) lines;
	struct u64map open;               /* what is open or closed, where that is not as all_open says */
	bool all_open;
	uint8_t *set_entries;             /* of each entry what `open` says (enum row_set): names are not made for 80,000 a key */
	struct calltrees *trees;          /* those that were looked at */
	struct levels levels;             /* where the report is a hierarchy */
	struct hist_total *totals;        /* by event of the part: shown_* of the entries that pass the zoom, as struct report's */
};

void rows_deinit(struct rows *r);
/* Trees and lines: before the report they are of goes away. */
void rows_forget(struct rows *r);
/* Another report, or another part of it: trees are forgotten, what is open is not. */
void rows_set(struct rows *r, const struct report *report, const struct report_part *part);
/* Entries anew, in the order of the hist; then lines. */
void rows_filter(struct rows *r, const struct row_zoom *zoom);
void rows_make_lines(struct rows *r);
/*
 * The n lines from first on, or those before at, come to be as they are shown: entries know whether they have more, and what is
 * below open ones is there. Lines are put in after the first one, or before at, whose new place is returned.
 */
void rows_look(struct rows *r, size_t first, size_t n);
size_t rows_look_back(struct rows *r, size_t at, size_t n);
/* Opens or closes one level, and puts its lines in or takes them out; *line may move. */
void rows_toggle(struct rows *r, struct row_line *line);
/* Opens or closes everything. Lines are to be made anew. */
void rows_set_all(struct rows *r, bool open);
/* Everything is as at first. */
void rows_forget_open(struct rows *r);
/* The line's entry, or its level with all below. */
void rows_set_line(struct rows *r, const struct row_line *line, bool open);
bool rows_is_open(const struct rows *r, uint32_t entry);
/* NULL: it is an entry of the hist. */
const struct row_missing *rows_missing(const struct rows *r, uint32_t entry);
/* By the names of its keys: the same in another report. */
uint64_t rows_name_id(const struct rows *r, uint32_t entry);
uint64_t rows_entry_id(const struct rows *r, uint32_t entry);
