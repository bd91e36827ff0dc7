/* The browser's insides, for the files that make it up: drawing, keys, menus. */
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
	unsigned columns;            /* of the screen, when times were requested */
	unsigned at, begin;          /* steps */
};

/*
 * Names and shares of another report. A row of it is as the screen shows those that it alone has.
 */
struct base {
	struct arena arena;
	VEC(struct row_missing) rows;
	struct hist_join *join;      /* numbers its rows as rows has them */
	uint32_t *of_entry;          /* of each entry that is shown: index + 1 of the base's row, 0: it has none */
};

struct browser {
	struct ui ui;
	const struct report *given;
	unsigned set_nr;             /* how many reports and parts were set so far */
	struct report own;           /* the report with the columns of this part, and what the user has changed */
	struct hist_key *fields;
	unsigned *widths;
	uint32_t part;
	struct strbuf event;         /* the part's: what it is found by in another report */
	struct rows rows;
	struct row_zoom zooms[ZOOMS_MAX]; /* the last is in force; strings are copies */
	unsigned zooms_nr;
	size_t first, at;            /* line at the top, selected line */
	size_t came_from;            /* the line that incremental search began at */
	struct strip strip;
	bool no_head, show_dso;
	int sort_field;              /* -1: as given */
	uint32_t sort_event;         /* of a group: whose values are sorted by */
	struct base base;            /* what the rows are compared with */
	bool has_base;
	struct strbuf base_name;     /* for the title */
	char *base_path;             /* NULL: it is no recording */
	struct strbuf filter, search;
	struct strbuf message;       /* of the last line, until the next key */
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

/* NULL: there is no line, or only the base has it. */
static inline const struct hist_entry *browser_entry(const struct browser *b)
{
	const struct row_line *l = browser_line(b);
	return l && !rows_missing(&b->rows, l->entry) ? &browser_part(b)->hist->entries.data[l->entry] : NULL;
}

/* A line by what it is of, and not by its number: that of an entry, and how many below its own. */
struct browser_place {
	uint64_t id;       /* of the entry or level, in any report */
	uint32_t entry;    /* its number, in the report that was the nth to be set */
	unsigned set_nr;
	bool is_missing;   /* in what is shown: the base has it */
	size_t nth;
};

/* browser.c */
struct browser_place browser_place(const struct browser *b);
/* Where that is gone, the cursor stays where it is. */
void browser_go_to(struct browser *b, struct browser_place place);
/* Columns, order and lines anew: of a new report, or of another part. */
void browser_set(struct browser *b, const struct report *report, uint32_t part);
/* After something about the zoom has changed; the selected entry stays selected where it is still there. */
void browser_filter(struct browser *b);
void browser_sort(struct browser *b, int field);
/* The order that the user has chosen; a hist comes in the order of the options. */
void browser_put_in_order(struct browser *b);
void browser_push_zoom(struct browser *b);
bool browser_pop_zoom(struct browser *b);
/* Forgets the last zoom, and shows nothing anew. */
void browser_drop_zoom(struct browser *b);
void browser_forget_zooms(struct browser *b);
/* One level of the selected line. */
void browser_toggle(struct browser *b);
/* How many lines of rows there is room for. */
unsigned browser_room(const struct browser *b);

/* In place of the report that is gone. */
void browser_renew(struct browser *b);

/* Another event of the same report. */
void browser_show_part(struct browser *b, uint32_t part);

/* compare.c */
/* What a row's share has more than in the base, in millionths; entry as in struct row_line. */
int64_t browser_delta(const struct browser *b, uint32_t entry);
/* Finds the base's rows in a report that is shown from now on, and those that only the base has. */
void browser_match(struct browser *b);
/* The column of differences counts as one after the others. */
bool browser_sorts_by_delta(const struct browser *b);
/* Entries and what only the base has, by their differences; what only the base has, after all others. */
void browser_order_by_delta(struct browser *b);
void browser_put_missing_last(struct browser *b);
/* The cell of a field in a row that only the base has; NULL: it has none. */
const char *browser_missing_cell(const struct browser *b, const struct row_missing *m, const struct hist_key *field);
/* For good. */
void browser_base_deinit(struct browser *b);
/* A prompt for what to compare with; ends it where it had begun. */
void browser_compare(struct browser *b);
/* With what the hook says of path (NULL: the first minute). */
void browser_compare_with(struct browser *b, const char *path, const char *name);
/* After another report or part was shown. */
void browser_compare_again(struct browser *b);

/* strip.c */
/* Rows of the screen that it takes. */
unsigned strip_height(const struct browser *b);
/* Requests the times where they are not known yet, and is closed where that fails: before anything is drawn. */
void strip_look(struct browser *b);
void strip_draw(struct browser *b, unsigned y);
/* False: the key means nothing to it. */
bool strip_key(struct browser *b, const struct screen_key *k);
/* Opens it, or closes it where it has the keys. */
void strip_open(struct browser *b);
/* What is marked, while it has the keys. */
struct time_range strip_marked(const struct browser *b);
/* Another report, another part: times are to be requested again. */
void strip_forget(struct browser *b);
/* What the keys do, and what is marked: for the last line, while it has the keys. */
void strip_status(const struct browser *b, struct strbuf *out);
/* Requests the report of a span, and shows it; false: the old one stays, and b->message says why. */
bool browser_narrow(struct browser *b, struct time_range span);

/* draw.c */
void browser_draw(struct browser *b);
/* A line as text, without marks of what is open: what P writes. */
void browser_line_text(struct browser *b, const struct row_line *l, struct strbuf *out);
/* In place of what was in *out; shorter where it does not fit into the columns. */
void browser_title(const struct browser *b, unsigned columns, struct strbuf *out);
/* The field whose column is at this cell, -1 for none. */
int browser_field_at(const struct browser *b, unsigned x);

/* menu.c */
void browser_menu(struct browser *b);
/* Samples one by one. */
void browser_scripts(struct browser *b);
void browser_events(struct browser *b);
void browser_files(struct browser *b);
/* A recording of this directory, the caller's; NULL: none. */
char *browser_choose_file(struct browser *b);
void browser_save(struct browser *b);
void browser_help(struct browser *b);
void browser_annotate(struct browser *b);
void browser_flame(struct browser *b);
void browser_zoom_dso(struct browser *b);
void browser_zoom_thread(struct browser *b);
void browser_zoom_kernel(struct browser *b);
void browser_zoom_socket(struct browser *b);
