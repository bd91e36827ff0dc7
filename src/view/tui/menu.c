/* The browser's menus, and what they lead to. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/new_file.h"
#include "base/out.h"
#include "view/tui/browser_priv.h"
#include "view/tui/code.h"
#include "view/tui/flame.h"
#include "view/tui/samples.h"

/* ---- what a row is of ---- */

/* Whether the line has a single value of the column, which in a hierarchy needs its level. */
static bool has_one(const struct row_line *l, const struct browser *b, enum column_id id)
{
	if (rows_missing(&b->rows, l->entry))
		return false;
	for (uint32_t i = 0; l->level && i < b->rows.levels.nr; i++)
		if (b->rows.levels.keys[i]->column->id == id)
			return i <= l->depth;
	return !l->level || l->level->leaf;
}

/* The frame of a line of a call tree; NULL for other lines. */
static const struct profile_frame *frame_of(const struct row_line *l, const struct profile *p)
{
	return l->node ? &p->frames.data[l->node->frames[l->frame]] : NULL;
}

static const char *dso_of(const struct browser *b)
{
	const struct row_line *l = browser_line(b);
	const struct hist *h = browser_part(b)->hist;
	if (!l)
		return NULL;
	const struct profile_frame *frame = frame_of(l, h->profile);
	if (frame)
		return frame->mapping == PROFILE_NONE ? NULL : profile_str(h->profile, h->profile->mappings.data[frame->mapping].name);
	if (!has_one(l, b, COLUMN_DSO) && !has_one(l, b, COLUMN_SYMBOL))
		return NULL;
	const struct profile_mapping *m = hist_mapping(h, browser_entry(b));
	return m ? profile_str(h->profile, m->name) : NULL;
}

static const char *symbol_of(const struct browser *b)
{
	const struct row_line *l = browser_line(b);
	const struct hist *h = browser_part(b)->hist;
	if (!l)
		return NULL;
	const struct profile_frame *frame = frame_of(l, h->profile);
	if (frame)
		return frame->function == PROFILE_NONE ? NULL : profile_str(h->profile, h->profile->functions.data[frame->function].name);
	const struct profile_function *f = has_one(l, b, COLUMN_SYMBOL) ? hist_function(h, browser_entry(b)) : NULL;
	return f ? profile_str(h->profile, f->name) : NULL;
}

static bool has_field(const struct browser *b, enum column_id id)
{
	for (uint32_t i = 0; i < b->own.fields_nr; i++)
		if (b->own.fields[i].column->id == id)
			return browser_line(b) && has_one(browser_line(b), b, id);
	return false;
}

static bool thread_of(const struct browser *b, struct row_zoom *z, struct strbuf *ret_name)
{
	const struct hist *h = browser_part(b)->hist;
	const struct hist_entry *e = browser_entry(b);
	uint32_t comm = profile_find_column(h->profile, "comm"), tid = profile_find_column(h->profile, "tid");
	if (!e)
		return false;
	if ((has_field(b, COLUMN_PID) || has_field(b, COLUMN_TID)) && tid != PROFILE_NONE) {
		z->by_tid = true;
		z->tid = hist_label(h, e, tid, 0);
		const char *name = h->options.thread_name ? h->options.thread_name(h->options.thread_ctx, (uint32_t)z->tid) : NULL;
		z->name = name;
		strbuf_addf(ret_name, "%s(%llu)", name ? name : "", (unsigned long long)z->tid);
		return true;
	}
	if (!has_field(b, COLUMN_COMM) || comm == PROFILE_NONE)
		return false;
	z->comm = profile_str(h->profile, (str_id)hist_label(h, e, comm, 0));
	strbuf_addstr(ret_name, z->comm);
	return true;
}

static bool socket_of(const struct browser *b, uint64_t *ret)
{
	const struct hist *h = browser_part(b)->hist;
	uint32_t socket = profile_find_column(h->profile, "socket");
	if (!browser_entry(b) || !has_field(b, COLUMN_SOCKET) || socket == PROFILE_NONE)
		return false;
	*ret = hist_label(h, browser_entry(b), socket, 0);
	return true;
}

/* ---- zooming in, and out by the same key ---- */

void browser_zoom_dso(struct browser *b)
{
	const char *dso = dso_of(b);
	if (browser_zoom(b)->dso) {
		browser_pop_zoom(b);
	} else if (dso) {
		browser_push_zoom(b);
		browser_zoom(b)->dso = xstrdup(dso);
		browser_filter(b);
	} else {
		strbuf_addstr(&b->message, "this address is in an unknown object");
	}
}

void browser_zoom_thread(struct browser *b)
{
	struct row_zoom found = {};
	struct strbuf name = {};
	if (browser_zoom(b)->by_tid || browser_zoom(b)->comm) {
		browser_pop_zoom(b);
	} else if (thread_of(b, &found, &name)) {
		browser_push_zoom(b);
		struct row_zoom *z = browser_zoom(b);
		z->by_tid = found.by_tid;
		z->tid = found.tid;
		z->name = found.name ? xstrdup(found.name) : NULL;
		z->comm = found.comm ? xstrdup(found.comm) : NULL;
		browser_filter(b);
	} else {
		strbuf_addstr(&b->message, "rows are not grouped by thread: sort by comm, pid or tid");
	}
	strbuf_deinit(&name);
}

void browser_zoom_kernel(struct browser *b)
{
	if (browser_zoom(b)->kernel) {
		browser_pop_zoom(b);
		return;
	}
	browser_push_zoom(b);
	browser_zoom(b)->kernel = true;
	browser_filter(b);
}

void browser_zoom_socket(struct browser *b)
{
	uint64_t socket;
	if (browser_zoom(b)->by_socket) {
		browser_pop_zoom(b);
	} else if (socket_of(b, &socket)) {
		browser_push_zoom(b);
		browser_zoom(b)->by_socket = true;
		browser_zoom(b)->socket = socket;
		browser_filter(b);
	} else {
		strbuf_addstr(&b->message, "rows are not grouped by socket: sort by socket");
	}
}

/* ---- the menu of a row ---- */

/* The function of the row, or of the line in its call tree. */
static const struct profile_function *function_at(const struct browser *b)
{
	const struct row_line *l = browser_line(b);
	const struct hist *h = browser_part(b)->hist;
	if (!l || !l->node)
		return l && has_one(l, b, COLUMN_SYMBOL) ? hist_function(h, browser_entry(b)) : NULL;
	function_id f = h->profile->frames.data[l->node->frames[l->frame]].function;
	return f == PROFILE_NONE ? NULL : &h->profile->functions.data[f];
}

/* Before another page is shown, during which reports may be replaced. */
static struct browser_place leave_rows(struct browser *b)
{
	struct browser_place place = browser_place(b);
	if (b->ui.hooks->is_live)
		rows_forget(&b->rows);
	return place;
}

static void come_back(struct browser *b, struct browser_place place)
{
	if (b->ui.fresh)
		browser_set(b, b->ui.fresh, browser_part_named(b->ui.fresh, strbuf_str(&b->event)));
	else if (!b->rows.lines.len)
		browser_filter(b);
	b->ui.fresh = NULL;
	browser_go_to(b, place);
}

/* Selects the next row, up or down, with another function, and returns that function; if there is none, that of the current row. */
static const struct profile_function *next_function(struct browser *b, int step)
{
	const struct profile_function *here = function_at(b);
	size_t n = b->rows.lines.len, from = b->at;
	for (size_t i = from + (size_t)step; i < n; i += (size_t)step) {
		b->at = i;
		const struct profile_function *f = b->rows.lines.data[i].node ? NULL : function_at(b);
		if (f && f->mapping != PROFILE_NONE && f != here)
			return f;
	}
	b->at = from;
	return here;
}

static void show_code(struct browser *b, const struct profile_function *f)
{
	for (int step = 1; f && f->mapping != PROFILE_NONE && step;) {
		struct browser_place place = leave_rows(b);
		step = code_browse(&b->ui, browser_part(b), f->mapping, f->start, &b->message);
		come_back(b, place);
		f = step ? next_function(b, step) : NULL;
	}
}

void browser_flame(struct browser *b)
{
	struct browser_place place = leave_rows(b);
	flame_browse(&b->ui, browser_part(b), &b->message);
	come_back(b, place);
}

void browser_annotate(struct browser *b)
{
	const struct profile_function *f = function_at(b);
	if (!b->ui.hooks->listing)
		strbuf_addstr(&b->message, "code cannot be shown for this row");
	else if (!f || f->mapping == PROFILE_NONE)
		strbuf_addstr(&b->message, "no symbol: the bounds of its code are unknown");
	else
		show_code(b, f);
}

/* ---- samples one by one ---- */

/* The samples of a row, as far as its columns identify them; for all rows, those of the time range shown or selected. */
struct chosen {
	struct listed_choice which;
	struct strbuf thread;
};

static struct chosen choose_all(const struct browser *b)
{
	const struct row_zoom *z = browser_zoom_shown(b);
	struct time_range span = { z->from_ns, z->to_ns };
	if (b->strip.has_focus)
		span = strip_marked(b);
	return (struct chosen){ .which = { .from_ns = span.from_ns, .to_ns = span.to_ns } };
}

static void choose_thread(const struct browser *b, struct chosen *c)
{
	struct row_zoom z = {};
	if (!thread_of(b, &z, &c->thread))
		return;
	c->which.by_tid = z.by_tid;
	c->which.tid = z.tid;
	c->which.comm = z.comm;
}

static struct chosen choose_row(const struct browser *b)
{
	const struct hist *h = browser_part(b)->hist;
	struct chosen c = choose_all(b);
	uint32_t cpu = profile_find_column(h->profile, "cpu");
	c.which.symbol = symbol_of(b);
	if (!c.which.symbol)
		c.which.dso = dso_of(b);
	choose_thread(b, &c);
	if (has_field(b, COLUMN_CPU) && cpu != PROFILE_NONE) {
		c.which.by_cpu = true;
		c.which.cpu = hist_label(h, browser_entry(b), cpu, 0);
	}
	return c;
}

static void list_samples(struct browser *b, enum listed_detail detail)
{
	struct chosen c = choose_row(b);
	samples_browse(&b->ui, &c.which, detail, "Samples", &b->message);
	strbuf_deinit(&c.thread);
}

static void list_lines(struct browser *b)
{
	list_samples(b, DETAIL_LINES);
}

static void list_code(struct browser *b)
{
	list_samples(b, DETAIL_CODE);
}

static void list_source(struct browser *b)
{
	list_samples(b, DETAIL_SOURCE);
}

static void list_context(struct browser *b)
{
	list_samples(b, DETAIL_CONTEXT);
}

static void script_symbol(struct browser *b)
{
	struct chosen c = choose_all(b);
	c.which.symbol = symbol_of(b);
	samples_menu(&b->ui, &c.which, c.which.symbol, &b->message);
}

static void script_thread(struct browser *b)
{
	struct chosen c = choose_all(b);
	choose_thread(b, &c);
	samples_menu(&b->ui, &c.which, strbuf_str(&c.thread), &b->message);
	strbuf_deinit(&c.thread);
}

static void script_all(struct browser *b)
{
	struct chosen c = choose_all(b);
	samples_menu(&b->ui, &c.which, "Samples", &b->message);
}

static void leave(struct browser *b)
{
	b->done = true;
}

static const char *space_name(enum mapping_space s)
{
	static const char *const names[] = { "user", "kernel", "guest kernel", "guest user", "hypervisor", "unknown" };
	return names[s];
}

static void show_map(struct browser *b)
{
	const struct hist *h = browser_part(b)->hist;
	const struct profile *p = h->profile;
	const struct row_line *l = browser_line(b);
	const struct profile_mapping *m = browser_entry(b) ? hist_mapping(h, browser_entry(b)) : NULL;
	struct strbuf text = {};
	if (l && l->node) {
		mapping_id id = p->frames.data[l->node->frames[l->frame]].mapping;
		m = id == PROFILE_NONE ? NULL : &p->mappings.data[id];
	}
	if (!m)
		return;
	strbuf_addf(&text, "name      %s\npath      %s\nbuild-id  %s\nspace     %s\n\nfunctions with samples:\n\n", profile_str(p, m->name),
		    profile_str(p, m->path), profile_str(p, m->build_id), space_name(m->space));
	for (size_t i = 0; i < p->functions.len; i++) {
		const struct profile_function *f = &p->functions.data[i];
		if (f->mapping == (mapping_id)(m - p->mappings.data))
			strbuf_addf(&text, "%16llx-%-16llx %s\n", (unsigned long long)f->start, (unsigned long long)(f->start + f->size),
				    profile_str(p, f->name));
	}
	ui_text(&b->ui, profile_str(p, m->name), strbuf_str(&text));
	strbuf_deinit(&text);
}

struct menu {
	char *texts[24];
	void (*actions[24])(struct browser *b);
	unsigned n;
};

static void add_item(struct menu *m, void (*action)(struct browser *b), char *text)
{
	m->actions[m->n] = action;
	m->texts[m->n++] = text;
}

static void add_scripts(const struct browser *b, struct menu *m, const char *symbol, const char *thread)
{
	if (symbol)
		add_item(m, script_symbol, xasprintf("Run scripts for samples of symbol [%s]", symbol));
	if (*thread)
		add_item(m, script_thread, xasprintf("Run scripts for samples of thread [%s]", thread));
	add_item(m, script_all, xstrdup(b->strip.has_focus ? "Run scripts for samples of the span" : "Run scripts for all samples"));
}

static void add_items(struct browser *b, struct menu *m)
{
	const struct row_line *l = browser_line(b);
	const char *dso = dso_of(b), *symbol = symbol_of(b);
	const struct row_zoom *z = browser_zoom_shown(b);
	struct row_zoom found = {};
	struct strbuf thread = {};
	uint64_t socket;
	if (symbol && b->ui.hooks->listing)
		add_item(m, browser_annotate, xasprintf("Annotate %s", symbol));
	if (thread_of(b, &found, &thread))
		add_item(m, browser_zoom_thread, xasprintf("Zoom %s %s thread", z->by_tid || z->comm ? "out of" : "into",
							   strbuf_str(&thread)));
	if (dso)
		add_item(m, browser_zoom_dso, xasprintf("Zoom %s %s DSO (use the 'k' hotkey to zoom directly into the kernel)",
							z->dso ? "out of" : "into", dso));
	if (l && l->has_more)
		add_item(m, browser_toggle,
			 xasprintf("%s [%s] callchain (one level, same as '+' hotkey, use 'e'/'c' for the whole main level entry)",
				   l->is_open ? "Collapse" : "Expand", symbol ? symbol : "?"));
	if (dso)
		add_item(m, show_map, xstrdup("Browse map details"));
	if (b->ui.hooks->samples) {
		add_scripts(b, m, symbol, strbuf_str(&thread));
	}
	if (b->ui.hooks->samples && browser_entry(b)) {
		add_item(m, list_lines, xstrdup("Show individual samples"));
		add_item(m, list_code, xstrdup("Show individual samples with assembler"));
		add_item(m, list_source, xstrdup("Show individual samples with source"));
		add_item(m, list_context, xstrdup("Show context for individual samples"));
	}
	if (b->own.show_chains)
		add_item(m, browser_flame, xstrdup("Flame graph"));
	if (socket_of(b, &socket))
		add_item(m, browser_zoom_socket, xasprintf("Zoom %s Processor Socket %llu", z->by_socket ? "out of" : "into",
							   (unsigned long long)socket));
	if (b->given->parts_nr > 1)
		add_item(m, browser_events, xstrdup("Other events"));
	if (b->ui.hooks->times)
		add_item(m, strip_open, xstrdup("Samples over time"));
	add_item(m, browser_compare, xstrdup(b->has_base ? "Stop comparing" : "Compare"));
	if (b->ui.hooks->open)
		add_item(m, browser_files, xstrdup("Switch to another data file in PWD"));
	add_item(m, leave, xstrdup("Exit"));
	strbuf_deinit(&thread);
}

static void run_menu(struct browser *b, struct menu *m, const char *title)
{
	int chosen = ui_menu(&b->ui, title, (const char *const *)m->texts, m->n);
	/* It may open another prompt, which must not be drawn over the first. */
	browser_draw(b);
	if (chosen >= 0)
		m->actions[chosen](b);
	for (unsigned i = 0; i < m->n; i++)
		free(m->texts[i]);
}

void browser_menu(struct browser *b)
{
	struct menu m = {};
	add_items(b, &m);
	run_menu(b, &m, NULL);
}

void browser_scripts(struct browser *b)
{
	struct menu m = {};
	struct row_zoom found = {};
	struct strbuf thread = {};
	if (!samples_are_kept(&b->ui, &b->message))
		return;
	(void)thread_of(b, &found, &thread);
	add_scripts(b, &m, symbol_of(b), strbuf_str(&thread));
	run_menu(b, &m, "Individual samples");
	strbuf_deinit(&thread);
}

void browser_events(struct browser *b)
{
	uint32_t n = b->given->parts_nr;
	char **names = xcalloc(n + 1, sizeof(*names));
	for (uint32_t i = 0; i < n; i++)
		names[i] = xasprintf("%llu %s", (unsigned long long)b->given->parts[i].samples, b->given->parts[i].event_name);
	int chosen = ui_menu(&b->ui, "Available samples", (const char *const *)names, n);
	if (chosen >= 0 && (uint32_t)chosen != b->part)
		browser_show_part(b, (uint32_t)chosen);
	for (uint32_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/* ---- other files ---- */

#define FILES_MAX 512

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *browser_choose_file(struct browser *b)
{
	const struct browse_hooks *h = b->ui.hooks;
	VEC(char *) names = {};
	DIR *dir = opendir(".");
	for (struct dirent *d; dir && names.len < FILES_MAX && (d = readdir(dir));)
		if (d->d_type != DT_DIR && (!h->is_recording || h->is_recording(h->ctx, d->d_name)))
			vec_push(&names, xstrdup(d->d_name));
	if (dir)
		closedir(dir);
	if (names.len)
		qsort(names.data, names.len, sizeof(char *), compare_names);
	int chosen = names.len ? ui_menu(&b->ui, "Recordings here", (const char *const *)names.data, (unsigned)names.len) : -1;
	if (!names.len)
		strbuf_addstr(&b->message, "no recording in this directory");
	char *ret = chosen >= 0 ? xstrdup(names.data[chosen]) : NULL;
	for (size_t i = 0; i < names.len; i++)
		free(names.data[i]);
	vec_deinit(&names);
	return ret;
}

static void show_file(struct browser *b, const char *path)
{
	const struct report *report = NULL;
	rows_forget(&b->rows);
	struct strobe_error *err = b->ui.hooks->open(b->ui.hooks->ctx, path, &report);
	if (err) {
		strbuf_addstr(&b->message, err->message);
		error_destroy(err);
		browser_filter(b);
		return;
	}
	browser_forget_zooms(b);
	strip_forget(b);
	b->sort_field = -1;
	rows_forget_open(&b->rows);
	b->at = b->first = 0;
	browser_set(b, report, 0);
	browser_recompare(b);
}

void browser_files(struct browser *b)
{
	char *path = NULL;
	if (b->ui.hooks->open)
		path = browser_choose_file(b);
	else
		strbuf_addstr(&b->message, "cannot switch to another file here");
	if (path)
		show_file(b, path);
	free(path);
}

/* ---- pages ---- */

#define SAVED_MAX 10000

/* Writes all lines, in full width, as text to perf.hist.N, with the first free N. */
void browser_save(struct browser *b)
{
	char name[32];
	struct stat st;
	struct strbuf text = {};
	unsigned n = 0;
	do
		snprintf(name, sizeof(name), "perf.hist.%u", n);
	while (!lstat(name, &st) && ++n < SAVED_MAX);
	rows_look(&b->rows, 0, SIZE_MAX);
	browser_title(b, UINT_MAX, &text);
	strbuf_addch(&text, '\n');
	for (size_t i = 0; i < b->rows.lines.len; i++)
		browser_line_text(b, &b->rows.lines.data[i], &text);
	_cleanup_error_ struct strobe_error *err = new_file_write(name, strbuf_str(&text), text.len, 0600);
	strbuf_addf(&b->message, err ? "%s" : "%s written", err ? err->message : name);
	strbuf_deinit(&text);
}

static const char help[] =
	"h, ?, F1        this page\n"
	"Up, Down        move; PgUp, PgDn, Space: by pages; Home, End\n"
	"q, Ctrl-C       exit\n"
	"Esc, Left       zoom out, or exit\n"
	"Enter, Right, m menu of actions for the row\n"
	"Tab, Shift-Tab  other events\n"
	"\n"
	"+, -            expand or collapse one level of a call chain\n"
	"e               expand or collapse the whole entry; c: collapse it\n"
	"E, C            expand, collapse all entries\n"
	"\n"
	"a               annotated code of the row's function\n"
	"g               flame graph: arrows move, Enter zooms, Backspace zooms out, / searches\n"
	"d               zoom into the row's object (DSO), and out again\n"
	"t               zoom into its thread; S: into its processor socket\n"
	"k               only the kernel\n"
	"/               show only symbols containing a text, as you type\n"
	"L               hide rows below a percentage\n"
	"F               percentages of the filtered samples, or of all\n"
	"\n"
	"\\, Ctrl-F       search in all rows as you type; n, N: next, previous\n"
	"<, >            sort by the column to the left, to the right; a click on its name does the same\n"
	"0-9             sort by the event with this number, when the events of a group are shown side by side\n"
	"H               show or hide column names; V: objects in call chains\n"
	"P               write the rows to perf.hist.N\n"
	"T               samples over time: arrows move, Space starts a time range, Enter restricts the profile to it (or use "
	"the mouse); Esc returns\n"
	"D               compare: add a column of differences to the current profile, to another recording, or in top to the "
	"first minute; '<' marks rows only in the other one; D again ends it\n"
	"r               individual samples, as script prints them: of the row's symbol or thread, of all or of a time range of T\n"
	"i               header of the recording\n"
	"s               another recording in this directory\n"
	"Ctrl-L          redraw the screen\n";

void browser_help(struct browser *b)
{
	struct strbuf text = {};
	strbuf_addstr(&text, help);
	if (b->ui.hooks->help)
		strbuf_addf(&text, "\n%s", b->ui.hooks->help);
	ui_text(&b->ui, "Help", strbuf_str(&text));
	strbuf_deinit(&text);
}
