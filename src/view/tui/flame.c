#include "view/tui/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vector.h"
#include "view/tui/flame_tree.h"

#define MENU_MAX 1000u

/* A box: a node, or the rest of its children, those too narrow for a box. */
struct flame_place {
	uint32_t node;
	bool is_rest;
};

struct flame_box {
	struct flame_place of;
	uint64_t value;
	unsigned y, x, columns;
	unsigned parent_columns; /* of the box below */
	uint32_t rest_nr;        /* number of nodes in a rest */
	bool is_odd;             /* adjacent boxes alternate */
};

struct flame {
	struct ui *ui;
	const struct report_part *part;
	struct strbuf name;    /* of the event, by which the part is found */
	struct flame_tree tree;
	VEC(struct flame_box) boxes; /* as drawn last */
	uint32_t zoom;
	struct flame_place at;
	unsigned first; /* depth at the bottom row */
	struct strbuf search, message;
	bool done;
};

static const struct flame_node *node_of(const struct flame *f, uint32_t node)
{
	return &f->tree.nodes.data[node];
}

static void make_tree(struct flame *f)
{
	flame_tree_init(&f->tree, f->part->hist->profile, f->part->hist->options.events[0]);
}

/* ---- boxes ---- */

struct child {
	uint32_t node;
	uint64_t value, name;
};

typedef VEC(struct child) child_list;

/* Nodes of equal width have the same order in the next report. */
static int compare_children(const void *pa, const void *pb)
{
	const struct child *a = pa, *b = pb;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void sort_children(const struct flame *f, child_list *children)
{
	for (size_t i = 0; i < children->len; i++)
		children->data[i].name = flame_tree_name_hash(&f->tree, children->data[i].node);
	if (children->len)
		qsort(children->data, children->len, sizeof(*children->data), compare_children);
}

/* Sorts out the children that may get a box, and the rest, which are narrower than half a column. */
static void find_children(struct flame *f, uint32_t parent, unsigned columns, child_list *ret_wide, child_list *ret_narrow)
{
	for (uint32_t i = flame_tree_children(&f->tree, parent); i != PROFILE_NONE; i = node_of(f, i)->next) {
		struct child child = { .node = i, .value = node_of(f, i)->value };
		if ((double)child.value * columns * 2 >= (double)node_of(f, parent)->value)
			vec_push(ret_wide, child);
		else
			vec_push(ret_narrow, child);
	}
	sort_children(f, ret_wide);
}

static unsigned rows_of(const struct flame *f)
{
	unsigned n = screen_rows(f->ui->s);
	return n > 3 ? n - 3 : 1;
}

/* The cells of b, which begins at value `before` of the box below; false: none. */
static bool has_cells(struct flame_box *b, const struct flame_box *below, uint64_t before)
{
	double step = (double)below->columns / (double)below->value;
	unsigned from = (unsigned)((double)before * step + 0.5), to = (unsigned)((double)(before + b->value) * step + 0.5);
	b->x = below->x + from;
	b->columns = to - from;
	b->parent_columns = below->columns;
	return b->columns;
}

/* The boxes over one: the widest first, then the rest. Those below the first row of the screen are only needed for the boxes over them. */
static void add_boxes(struct flame *f, const struct flame_box *below, unsigned depth)
{
	child_list wide = {}, narrow = {};
	uint64_t before = 0;
	if (depth >= f->first + rows_of(f))
		return;
	find_children(f, below->of.node, below->columns, &wide, &narrow);
	for (size_t i = 0; i < wide.len; i++) {
		struct flame_box b = { .of.node = wide.data[i].node, .value = wide.data[i].value, .y = depth - f->first };
		bool is_shown = has_cells(&b, below, before);
		before += b.value;
		if (is_shown && depth >= f->first)
			vec_push(&f->boxes, b);
		if (is_shown)
			add_boxes(f, &b, depth + 1);
	}
	struct flame_box rest = { .of = { below->of.node, true }, .y = depth - f->first, .rest_nr = (uint32_t)narrow.len };
	for (size_t i = 0; i < narrow.len; i++)
		rest.value += narrow.data[i].value;
	if (depth >= f->first && has_cells(&rest, below, before))
		vec_push(&f->boxes, rest);
	vec_deinit(&wide);
	vec_deinit(&narrow);
}

/* Boxes of a row are in order from left to right, mixed with those of other rows. */
static void take_turns(struct flame *f)
{
	bool *odd = xcalloc(rows_of(f) + 1, sizeof(*odd));
	for (size_t i = 0; i < f->boxes.len; i++) {
		struct flame_box *b = &f->boxes.data[i];
		b->is_odd = odd[b->y];
		odd[b->y] = !odd[b->y];
	}
	free(odd);
}

static void make_boxes(struct flame *f)
{
	struct flame_box bottom = { .of.node = f->zoom, .value = node_of(f, f->zoom)->value, .columns = screen_columns(f->ui->s) };
	vec_clear(&f->boxes);
	if (!bottom.value)
		return;
	/* Keeps the last row of boxes: those above it are too narrow to be seen. */
	for (;; f->first--) {
		if (f->zoom && !f->first)
			vec_push(&f->boxes, bottom);
		add_boxes(f, &bottom, f->zoom ? 1 : 0);
		if (f->boxes.len || !f->first)
			break;
	}
	take_turns(f);
}

static bool is_same_place(struct flame_place a, struct flame_place b)
{
	return a.node == b.node && a.is_rest == b.is_rest;
}

/* NULL: not on the screen. */
static const struct flame_box *box_at(const struct flame *f)
{
	for (size_t i = 0; i < f->boxes.len; i++)
		if (is_same_place(f->boxes.data[i].of, f->at))
			return &f->boxes.data[i];
	return NULL;
}

/* The node on which a place is drawn. */
static uint32_t parent_of(const struct flame *f, struct flame_place place)
{
	return place.is_rest ? place.node : node_of(f, place.node)->parent;
}

static void add_frame_name(const struct flame *f, uint32_t node, struct strbuf *b)
{
	if (node == FLAME_ROOT)
		strbuf_addstr(b, "all");
	else if (node_of(f, node)->frame == PROFILE_NONE)
		strbuf_addstr(b, profile_str(f->part->hist->profile, node_of(f, node)->process));
	else
		report_frame_name(f->part->hist, node_of(f, node)->frame, false, b);
}

static void add_box_name(const struct flame *f, const struct flame_box *box, struct strbuf *b)
{
	if (box->of.is_rest)
		strbuf_addf(b, "%u more", box->rest_nr);
	else
		add_frame_name(f, box->of.node, b);
}

static enum ink ink_of(const struct flame *f, const struct flame_box *box, const char *name)
{
	if (box->of.is_rest)
		return INK_DIM;
	frame_id id = node_of(f, box->of.node)->frame;
	if (f->search.len && strstr(name, strbuf_str(&f->search)))
		return INK_FOUND;
	/* A function has the same tint everywhere, from the even or the odd half. */
	enum ink tint = hash_bytes(name, strlen(name)) % (SCREEN_TINTS / 2) * 2 + box->is_odd;
	if (id == PROFILE_NONE)
		return INK_OTHER + tint;
	const struct profile_frame *frame = &f->part->hist->profile->frames.data[id];
	if (frame->flags & FRAME_INLINED)
		return INK_INLINED + tint;
	switch ((enum mapping_space)frame->space) {
	case SPACE_USER: return INK_USER + tint;
	case SPACE_KERNEL: return INK_KERNEL + tint;
	default: return INK_OTHER + tint;
	}
}

static void draw_box(struct flame *f, const struct flame_box *box)
{
	struct screen *s = f->ui->s;
	unsigned bottom = screen_rows(s) - 3;
	if (box->y > bottom - 1 && bottom)
		return;
	unsigned y = bottom - box->y;
	struct strbuf name = {};
	add_box_name(f, box, &name);
	enum ink ink = is_same_place(box->of, f->at) ? INK_FLAME : ink_of(f, box, strbuf_str(&name));
	/* The first letters of a function's name are significant, the first digits of a number are not. */
	bool room = box->columns > (box->of.is_rest ? name.len + 1 : 3);
	unsigned used = screen_text(s, y, box->x, ink, box->of.is_rest ? "." : " ", 1, 1);
	if (room)
		used += screen_text(s, y, box->x + used, ink, strbuf_str(&name), name.len, box->columns - used - 1);
	screen_fill(s, y, box->x + used, ink, box->of.is_rest ? '.' : ' ', box->columns - used);
	strbuf_deinit(&name);
}

static void add_share(struct strbuf *b, const struct flame *f, uint64_t value)
{
	strbuf_addf(b, "  %.2f%% of all", report_percent(value, node_of(f, FLAME_ROOT)->value));
	if (f->zoom)
		strbuf_addf(b, ", %.2f%% of the zoomed frame", report_percent(value, node_of(f, f->zoom)->value));
}

static void draw_bottom(struct flame *f)
{
	struct strbuf b = {};
	const struct flame_box *here = box_at(f);
	unsigned rows = screen_rows(f->ui->s);
	if (f->at.is_rest && here) {
		strbuf_addf(&b, "%u functions too narrow to draw", here->rest_nr);
		add_share(&b, f, here->value);
		strbuf_addstr(&b, ": Enter lists them");
	} else {
		add_frame_name(f, f->at.node, &b);
		add_share(&b, f, node_of(f, f->at.node)->value);
	}
	screen_text(f->ui->s, rows - 2, 0, INK_NORMAL, strbuf_str(&b), b.len, screen_columns(f->ui->s));
	strbuf_deinit(&b);
	ui_bar(f->ui, rows - 1, f->message.len ? strbuf_str(&f->message) :
	       "arrows move, Enter zooms, Backspace zooms out, / searches, q closes");
}

static void draw(struct flame *f)
{
	struct strbuf title = {};
	screen_clear(f->ui->s);
	make_boxes(f);
	strbuf_addf(&title, "Flame graph of '%s'", f->part->event_name);
	if (f->zoom) {
		strbuf_addstr(&title, ", zoomed to ");
		add_frame_name(f, f->zoom, &title);
	}
	ui_bar(f->ui, 0, strbuf_str(&title));
	strbuf_deinit(&title);
	for (size_t i = 0; i < f->boxes.len; i++)
		draw_box(f, &f->boxes.data[i]);
	draw_bottom(f);
	screen_flush(f->ui->s);
}

/* ---- keys ---- */

/* The box beside, or over or under the selected one. */
static void move(struct flame *f, int dy, int dx)
{
	const struct flame_box *here = box_at(f), *best = NULL;
	if (!here) {
		f->at = f->boxes.len ? f->boxes.data[0].of : (struct flame_place){ f->zoom };
		return;
	}
	for (size_t i = 0; i < f->boxes.len; i++) {
		const struct flame_box *b = &f->boxes.data[i];
		bool is_over = !f->at.is_rest && parent_of(f, b->of) == f->at.node;
		bool is_under = !b->of.is_rest && parent_of(f, f->at) == b->of.node;
		if (dy && b->y == here->y + (unsigned)dy && (dy > 0 ? is_over : is_under) && (!best || b->columns > best->columns))
			best = b;
		if (dx > 0 && b->y == here->y && b->x > here->x && (!best || b->x < best->x))
			best = b;
		if (dx < 0 && b->y == here->y && b->x < here->x && (!best || b->x > best->x))
			best = b;
	}
	bool has_more = !f->at.is_rest && flame_tree_children(&f->tree, f->at.node) != PROFILE_NONE;
	if (best)
		f->at = best->of;
	else if (dy > 0 && has_more && here->y + 2 > rows_of(f))
		f->first++;
	else if (dy < 0 && f->first)
		f->first--;
}

static void zoom_to(struct flame *f, uint32_t node)
{
	f->zoom = node;
	f->at = (struct flame_place){ node };
	f->first = 0;
}

/* A menu of the nodes without a box. */
static void zoom_into_rest(struct flame *f, const struct flame_box *rest)
{
	child_list wide = {}, narrow = {};
	struct strbuf title = {};
	find_children(f, rest->of.node, rest->parent_columns, &wide, &narrow);
	sort_children(f, &narrow);
	unsigned n = narrow.len < MENU_MAX ? (unsigned)narrow.len : MENU_MAX;
	char **items = xcalloc(n + 1, sizeof(*items));
	for (unsigned i = 0; i < n; i++) {
		struct strbuf item = {};
		strbuf_addf(&item, "%6.2f%%  ", report_percent(narrow.data[i].value, node_of(f, FLAME_ROOT)->value));
		add_frame_name(f, narrow.data[i].node, &item);
		items[i] = strbuf_take(&item);
	}
	if (n < narrow.len)
		strbuf_addf(&title, "The widest %u of %zu", n, narrow.len);
	int chosen = ui_menu(f->ui, title.len ? strbuf_str(&title) : "Zoom to", (const char *const *)items, n);
	if (chosen >= 0)
		zoom_to(f, narrow.data[chosen].node);
	for (unsigned i = 0; i < n; i++)
		free(items[i]);
	free(items);
	strbuf_deinit(&title);
	vec_deinit(&wide);
	vec_deinit(&narrow);
}

static void zoom_in(struct flame *f)
{
	const struct flame_box *here = box_at(f);
	if (!f->at.is_rest)
		zoom_to(f, f->at.node);
	else if (here)
		zoom_into_rest(f, here);
}

static bool is_found(void *ctx, frame_id frame)
{
	struct flame *f = ctx;
	struct strbuf name = {};
	report_frame_name(f->part->hist, frame, false, &name);
	bool found = strstr(strbuf_str(&name), strbuf_str(&f->search));
	strbuf_deinit(&name);
	return found;
}

static void search_typed(void *ctx, const char *text)
{
	struct flame *f = ctx;
	strbuf_reset(&f->message);
	if (*text)
		strbuf_addf(&f->message, "'%s' has %.2f%%", text,
			    report_percent(flame_tree_sum(&f->tree, is_found, f), node_of(f, FLAME_ROOT)->value));
	draw(f);
}

/* Scrolls towards the leaves, or the root if negative; the limit is applied when boxes are made. */
static void scroll(struct flame *f, long rows)
{
	f->first = (unsigned)ui_scrolled(f->first, rows, UINT16_MAX);
}

static void click(struct flame *f, const struct screen_key *k)
{
	unsigned bottom = rows_of(f);
	for (size_t i = 0; i < f->boxes.len; i++) {
		const struct flame_box *b = &f->boxes.data[i];
		if (bottom - b->y != k->y || k->x < b->x || k->x >= b->x + b->columns)
			continue;
		if (is_same_place(f->at, b->of))
			zoom_in(f);
		else
			f->at = b->of;
		return;
	}
}

static const char help[] =
	"h, ?, F1                this page\n"
	"Up, Down, Left, Right   to the box above, below, next to it\n"
	"Enter, a second click   zoom to the box; in a box '100 more', choose from the functions too narrow to draw\n"
	"Backspace, u            zoom out by one;  Home, Esc: show all\n"
	"PgUp, PgDn, the wheel   scroll towards the leaves or the root, if stacks are deeper than the screen\n"
	"/                       highlight functions containing a text, as you type, and show their share\n"
	"q, g, Esc               back to the rows\n";

static void take_key(struct flame *f, const struct screen_key *k)
{
	strbuf_reset(&f->message);
	switch (k->key) {
	case KEY_IS_UP: move(f, 1, 0); break;
	case KEY_IS_DOWN: move(f, -1, 0); break;
	case KEY_IS_LEFT: move(f, 0, -1); break;
	case KEY_IS_RIGHT: move(f, 0, 1); break;
	case KEY_IS_ENTER: zoom_in(f); break;
	case KEY_IS_HOME: zoom_to(f, FLAME_ROOT); break;
	case KEY_IS_PAGE_UP: scroll(f, rows_of(f) / 2); break;
	case KEY_IS_PAGE_DOWN: scroll(f, -(long)(rows_of(f) / 2)); break;
	case KEY_IS_WHEEL_UP: scroll(f, 3); break;
	case KEY_IS_WHEEL_DOWN: scroll(f, -3); break;
	case 'h':
	case '?':
	case KEY_IS_F1: ui_text(f->ui, "Help", help); break;
	case KEY_IS_BACKSPACE:
	case 'u': zoom_to(f, f->zoom ? node_of(f, f->zoom)->parent : FLAME_ROOT); break;
	case '/':
		(void)ui_prompt(f->ui, "search", &f->search, search_typed, f);
		search_typed(f, strbuf_str(&f->search));
		break;
	case KEY_IS_CLICK: click(f, k); break;
	case KEY_IS_RESIZE: break;
	case KEY_IS_ESCAPE:
		if (f->zoom)
			zoom_to(f, FLAME_ROOT);
		else
			f->done = true;
		break;
	case KEY_NONE:
	case 'q':
	case 'g': f->done = true; break;
	default: strbuf_addstr(&f->message, "unknown key");
	}
}

/* Names from a node down to the root. */
typedef VEC(uint64_t) flame_path;

static flame_path path_of(const struct flame *f, uint32_t node)
{
	flame_path path = {};
	for (; node != FLAME_ROOT; node = node_of(f, node)->parent)
		vec_push(&path, flame_tree_name_hash(&f->tree, node));
	return path;
}

/* The node of the path, as far as the path still exists. */
static uint32_t follow(struct flame *f, flame_path *path)
{
	uint32_t node = FLAME_ROOT;
	for (size_t i = path->len; i-- > 0;) {
		uint32_t child = flame_tree_children(&f->tree, node);
		while (child != PROFILE_NONE && flame_tree_name_hash(&f->tree, child) != path->data[i])
			child = node_of(f, child)->next;
		if (child == PROFILE_NONE)
			break;
		node = child;
	}
	vec_deinit(path);
	return node;
}

/* Finds the same nodes in the new report, as far as they still exist. */
static void renew(struct flame *f)
{
	flame_path zoom = path_of(f, f->zoom), at = path_of(f, f->at.node);
	flame_tree_deinit(&f->tree);
	const struct report *report = ui_renew(f->ui);
	f->done = !report;
	if (!report) {
		vec_deinit(&zoom);
		vec_deinit(&at);
		return;
	}
	f->part = &report->parts[browser_part_named(report, strbuf_str(&f->name))];
	make_tree(f);
	f->zoom = follow(f, &zoom);
	f->at.node = follow(f, &at);
}

static void draw_flames(void *ctx)
{
	draw(ctx);
}

void flame_browse(struct ui *u, const struct report_part *part, struct strbuf *say)
{
	struct flame f = { .ui = u, .part = part };
	struct ui before = *u;
	u->draw_under = draw_flames;
	u->under = &f;
	strbuf_addstr(&f.name, part->event_name);
	make_tree(&f);
	f.done = !node_of(&f, FLAME_ROOT)->value;
	if (f.done)
		strbuf_addstr(say, "there are no samples to draw");
	while (!f.done) {
		draw(&f);
		struct screen_key k = ui_key(u, u->hooks->is_live);
		if (k.key == KEY_NONE && u->state == BROWSE_DUE)
			renew(&f);
		else
			take_key(&f, &k);
	}
	u->draw_under = before.draw_under;
	u->under = before.under;
	flame_tree_deinit(&f.tree);
	vec_deinit(&f.boxes);
	strbuf_deinit(&f.search);
	strbuf_deinit(&f.name);
	strbuf_deinit(&f.message);
}
