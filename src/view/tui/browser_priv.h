/* Shared by the files of the browser: drawing, keys, menus. */
#pragma once
#include "base/arena.h"
#include "profile/hist_join.h"
#include "view/tui/rows.h"
#include "view/tui/ui.h"

#define ZOOMS_MAX 32

/* Samples over time, above the rows. */
struct strip {
	bool is_shown, has_focus, begun; /* begun: a span goes from `begin` to `at` */
	struct time_counts times;
	unsigned columns;            /* width of the screen when times were requested */
	unsigned at, begin;          /* steps */
};

/*
 * Names and shares of another report; a row has the form in which the screen shows rows that only the base has.
 */
struct base {
	struct arena arena;
	VEC(struct row_missing) rows;
	struct hist_join *join;      /* numbers its rows as rows has them */
	uint32_t *of_entry;          /* by entry shown: 1 + index of the base's row; 0: none */
};

struct browser {
	struct ui ui;
	const struct report *given;
	unsigned set_nr;             /* number of reports and parts set so far */
	struct report own;           /* the report with the columns of this part and the user's changes */
	struct hist_key *fields;
	unsigned *widths;
	double *largest;             /* by field: the largest percentage, which a whole bar shows */
	uint32_t part;
	struct strbuf event;         /* of the part, by which it is found in another report */
	struct rows rows;
	struct row_zoom zooms[ZOOMS_MAX]; /* the last is in force; strings are copies */
	unsigned zooms_nr;
	size_t first, at;            /* line at the top, selected line */
	size_t came_from;            /* the line that incremental search began at */
	struct strip strip;
	bool no_head, show_dso;
	int sort_field;              /* -1: as given */
	uint32_t sort_event;         /* of a group: the event by which rows are sorted */
	struct base base;            /* what the rows are compared with */
	bool has_base;
	struct strbuf base_name;     /* for the title */
	char *base_path;             /* NULL: not a recording */
	struct strbuf filter, search;
	struct strbuf message;       /* shown in the last line until the next key */
	bool done;
};

static inline const struct report_part *browser_part(const struct browser *b)
{
	return &b->given->parts[b->part];
}

static inline const struct row_line *browser_line(const struct browser *b)
{
	return b->at < b->rows.lines.len ? &b->rows.lines.data[b->at] : NULL;
}

static inline const struct row_zoom *browser_zoom_shown(const struct browser *b)
{
	return &b->zooms[b->zooms_nr - 1];
}

/* To be changed. */
static inline struct row_zoom *browser_zoom(struct browser *b)
{
	return &b->zooms[b->zooms_nr - 1];
}

/* NULL: no line, or a row that only the base has. */
static inline const struct hist_entry *browser_entry(const struct browser *b)
{
	const struct row_line *l = browser_line(b);
	return l && !rows_missing(&b->rows, l->entry) ? &browser_part(b)->hist->entries.data[l->entry] : NULL;
}

/* A line identified by its entry and the number of lines below that, not by its index. */
struct browser_place {
	uint64_t id;       /* of the entry or level, in any report */
	uint32_t entry;    /* its number, in the report that was the nth to be set */
	unsigned set_nr;
	bool is_missing;   /* not in the report shown, only in the base */
	size_t nth;
};

/* browser.c */
struct browser_place browser_place(const struct browser *b);
/* If that no longer exists, the cursor stays where it is. */
void browser_go_to(struct browser *b, struct browser_place place);
/* Recomputes columns, order and lines for a new report or another part. */
void browser_set(struct browser *b, const struct report *report, uint32_t part);
/* Call it after a change of the zoom; the selected entry stays selected if it still exists. */
void browser_filter(struct browser *b);
void browser_sort(struct browser *b, int field);
/* Sorts by the order that the user has selected; a hist has the order of the options. */
void browser_put_in_order(struct browser *b);
void browser_push_zoom(struct browser *b);
bool browser_pop_zoom(struct browser *b);
/* Drops the last zoom, without a new display. */
void browser_drop_zoom(struct browser *b);
void browser_forget_zooms(struct browser *b);
/* One level of the selected line. */
void browser_toggle(struct browser *b);
/* The number of rows that fit. */
unsigned browser_room(const struct browser *b);
/* Lines above the strip: the title, and that on the system. */
unsigned browser_top(const struct browser *b);

/* Shows a new report in place of the one that was freed. */
void browser_renew(struct browser *b);

/* Another event of the same report. */
void browser_show_part(struct browser *b, uint32_t part);

/* compare.c */
/* The difference of a row's share to the base, in millionths; entry as in struct row_line. */
int64_t browser_delta(const struct browser *b, uint32_t entry);
/* Matches the base's rows with a new report, and finds those that only the base has. */
void browser_match(struct browser *b);
/* The column of differences has an index after the others. */
bool browser_sorts_by_delta(const struct browser *b);
/* Sorts entries by their differences, those that only the base has after all others. */
void browser_order_by_delta(struct browser *b);
void browser_put_missing_last(struct browser *b);
/* The cell of a field in a row that only the base has; NULL: none. */
const char *browser_missing_cell(const struct browser *b, const struct row_missing *m, const struct hist_key *field);
/* For good. */
void browser_base_deinit(struct browser *b);
/* Prompts for a recording to compare with; if a comparison is shown, ends it. */
void browser_compare(struct browser *b);
/* Compares with the hook's report for path (NULL: the first minute). */
void browser_compare_with(struct browser *b, const char *path, const char *name);
/* Call it after another report or part was shown. */
void browser_recompare(struct browser *b);

/* strip.c */
/* The height of the strip in rows. */
unsigned strip_height(const struct browser *b);
/* Requests the times if they are not known yet, before drawing; closes the strip if that fails. */
void strip_look(struct browser *b);
void strip_draw(struct browser *b, unsigned y);
/* False: not a key of the strip. */
bool strip_key(struct browser *b, const struct screen_key *k);
/* Opens the strip; closes it if it has the focus. */
void strip_open(struct browser *b);
/* The marked span, while the strip has the focus. */
struct time_range strip_marked(const struct browser *b);
/* Drops the times, after a change of the report or part. */
void strip_forget(struct browser *b);
/* Keys and marked span, for the last line, while the strip has the focus. */
void strip_status(const struct browser *b, struct strbuf *out);
/* Requests and shows the report of a span; false: the old one remains, and b->message says why. */
bool browser_narrow(struct browser *b, struct time_range span);

/* draw.c */
void browser_draw(struct browser *b);
/* A line as text, without marks for open rows, as written by P. */
void browser_line_text(struct browser *b, const struct row_line *l, struct strbuf *out);
/* Replaces the contents of *out; shortened to the given columns. */
void browser_title(const struct browser *b, unsigned columns, struct strbuf *out);
/* The field whose column is at this cell, -1 for none. */
int browser_field_at(const struct browser *b, unsigned x);

/* menu.c */
void browser_menu(struct browser *b);
/* Samples one by one. */
void browser_scripts(struct browser *b);
void browser_events(struct browser *b);
void browser_files(struct browser *b);
/* Lets the user choose a recording of this directory; the caller frees the path; NULL: none. */
char *browser_choose_file(struct browser *b);
void browser_save(struct browser *b);
void browser_help(struct browser *b);
void browser_annotate(struct browser *b);
void browser_flame(struct browser *b);
void browser_zoom_dso(struct browser *b);
void browser_zoom_thread(struct browser *b);
void browser_zoom_kernel(struct browser *b);
void browser_zoom_socket(struct browser *b);
