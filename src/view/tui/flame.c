#include "view/tui/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/idset.h"
#include "base/mem.h"
#include "base/vector.h"

/* A function in a place of the tree of calls; node 0 is the root. */
struct flame_node {
	uint32_t parent, first, next; /* PROFILE_NONE: none */
	uint32_t depth;
	frame_id frame;
	uint64_t id;    /* by the names from the root on: holds from one report to the next */
	uint64_t value; /* with what stands on it */
};

struct flame_box {
	uint32_t node;
	unsigned y, x, columns;
	bool is_odd; /* neighbours take turns */
};

struct flame {
	struct ui *ui;
	const struct report_part *part;
	struct strbuf name;    /* of the event: the part is found by */
	VEC(struct flame_node) nodes;
	struct idset index;
	VEC(struct flame_box) boxes; /* as drawn last */
	uint32_t zoom, at;
	unsigned first; /* depth at the bottom row */
	struct strbuf search, message;
	uint32_t event;
	bool done;
};

/* ---- the tree ---- */

static uint64_t name_hash(const struct profile *p, frame_id frame)
{
	const struct profile_frame *f = &p->frames.data[frame];
	if (f->function == PROFILE_NONE)
		return hash_u64(f->ip);
	const struct profile_function *fn = &p->functions.data[f->function];
	const char *name = profile_str(p, fn->name);
	return hash_bytes(name, strlen(name));
}

static bool same_id(const void *table, uint32_t id, const void *key)
{
	const struct flame *f = table;
	return f->nodes.data[id].id == *(const uint64_t *)key;
}

static uint32_t child_of(struct flame *f, uint32_t parent, frame_id frame)
{
	uint64_t id = hash_combine(f->nodes.data[parent].id, name_hash(f->part->hist->profile, frame));
	uint32_t found = idset_find(&f->index, id, same_id, f, &id);
	if (found != IDSET_NONE)
		return found;
	struct flame_node *above = &f->nodes.data[parent];
	struct flame_node n = { .parent = parent, .first = PROFILE_NONE, .next = above->first, .depth = above->depth + 1, .frame = frame,
				.id = id };
	found = (uint32_t)f->nodes.len;
	above->first = found;
	vec_push(&f->nodes, n);
	idset_insert(&f->index, id, found);
	return found;
}

/* Callers have lower ids than what they call, so that one pass makes the nodes of all stacks. */
static void make_tree(struct flame *f)
{
	const struct profile *p = f->part->hist->profile;
	uint64_t *values = xcalloc(p->stacks.len + 1, sizeof(*values));
	uint32_t *node_of = xcalloc(p->stacks.len + 1, sizeof(*node_of));
	vec_clear(&f->nodes);
	idset_deinit(&f->index);
	f->index = (struct idset){};
	idset_reserve(&f->index, (uint32_t)p->stacks.len);
	vec_push(&f->nodes, ((struct flame_node){ .parent = PROFILE_NONE, .first = PROFILE_NONE, .next = PROFILE_NONE, .id = 1 }));
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event == f->event && p->rows.data[i].stack != PROFILE_NONE)
			values[p->rows.data[i].stack] += p->rows.data[i].value;
	for (stack_id s = (stack_id)p->stacks.len; s-- > 0;)
		if (values[s] && p->stacks.data[s].caller != PROFILE_NONE)
			values[p->stacks.data[s].caller] += values[s];
	for (stack_id s = 0; s < p->stacks.len; s++) {
		const struct profile_stack *st = &p->stacks.data[s];
		if (!values[s])
			continue;
		node_of[s] = child_of(f, st->caller == PROFILE_NONE ? 0 : node_of[st->caller], st->frame);
		f->nodes.data[node_of[s]].value += values[s];
		if (st->caller == PROFILE_NONE)
			f->nodes.data[0].value += values[s];
	}
	free(values);
	free(node_of);
}

/* ---- boxes ---- */

static int compare_nodes(const void *pa, const void *pb)
{
	const struct flame_node *a = *(const struct flame_node *const *)pa, *b = *(const struct flame_node *const *)pb;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

typedef VEC(const struct flame_node *) node_list;

static unsigned rows_of(const struct flame *f)
{
	unsigned n = screen_rows(f->ui->s);
	return n > 3 ? n - 3 : 1;
}

/* Boxes over one: the widest first, and none that has no cell. Not deeper than the screen is high. */
static void add_boxes(struct flame *f, uint32_t parent, unsigned x, unsigned columns, unsigned depth)
{
	const struct flame_node *p = &f->nodes.data[parent];
	node_list kids = {};
	uint64_t before = 0;
	for (uint32_t i = p->first; i != PROFILE_NONE; i = f->nodes.data[i].next)
		vec_push(&kids, &f->nodes.data[i]);
	if (kids.len)
		qsort(kids.data, kids.len, sizeof(*kids.data), compare_nodes);
	for (size_t i = 0; i < kids.len; i++) {
		unsigned from = (unsigned)((double)before / (double)p->value * columns + 0.5);
		before += kids.data[i]->value;
		unsigned to = (unsigned)((double)before / (double)p->value * columns + 0.5);
		if (to == from)
			continue;
		uint32_t node = (uint32_t)(kids.data[i] - f->nodes.data);
		if (depth >= f->first)
			vec_push(&f->boxes, ((struct flame_box){ node, depth - f->first, x + from, to - from, false }));
		if (depth - f->first + 1 < rows_of(f) || depth < f->first)
			add_boxes(f, node, x + from, to - from, depth + 1);
	}
	vec_deinit(&kids);
}

/* Boxes of a row come from the left to the right, and those of other rows in between. */
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
	vec_clear(&f->boxes);
	if (!f->nodes.data[f->zoom].value)
		return;
	/* The last row of boxes stays: those above it are too narrow to be seen. */
	for (;; f->first--) {
		if (f->zoom && !f->first)
			vec_push(&f->boxes, ((struct flame_box){ f->zoom, 0, 0, screen_columns(f->ui->s), false }));
		add_boxes(f, f->zoom, 0, screen_columns(f->ui->s), f->zoom ? 1 : 0);
		if (f->boxes.len || !f->first)
			break;
	}
	take_turns(f);
}

static const struct flame_box *box_of(const struct flame *f, uint32_t node)
{
	for (size_t i = 0; i < f->boxes.len; i++)
		if (f->boxes.data[i].node == node)
			return &f->boxes.data[i];
	return NULL;
}

static void node_name(const struct flame *f, uint32_t node, struct strbuf *b)
{
	if (node)
		report_frame_name(f->part->hist, f->nodes.data[node].frame, false, b);
	else
		strbuf_addstr(b, "all");
}

static enum ink ink_of(const struct flame *f, const struct flame_box *box, const char *name)
{
	const struct profile_frame *frame = &f->part->hist->profile->frames.data[f->nodes.data[box->node].frame];
	if (f->search.len && strstr(name, strbuf_str(&f->search)))
		return INK_FOUND;
	/* A function has the same tint wherever it stands, of one half or the other. */
	enum ink tint = hash_bytes(name, strlen(name)) % (SCREEN_TINTS / 2) * 2 + box->is_odd;
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
	node_name(f, box->node, &name);
	enum ink ink = box->node == f->at ? INK_SELECTED : ink_of(f, box, strbuf_str(&name));
	/* A box of a few cells cannot be read: it is marked by its first letters all the same. */
	bool room = box->columns > 3;
	unsigned used = screen_text(s, y, box->x, ink, " ", 1, 1);
	if (room)
		used += screen_text(s, y, box->x + used, ink, strbuf_str(&name), name.len, box->columns - used - 1);
	screen_fill(s, y, box->x + used, ink, ' ', box->columns - used);
	strbuf_deinit(&name);
}

static void draw_bottom(struct flame *f)
{
	struct strbuf b = {};
	const struct flame_node *n = &f->nodes.data[f->at];
	unsigned rows = screen_rows(f->ui->s);
	uint64_t all = f->nodes.data[0].value, zoomed = f->nodes.data[f->zoom].value;
	node_name(f, f->at, &b);
	strbuf_addf(&b, "  %.2f%% of all", report_percent(n->value, all));
	if (f->zoom)
		strbuf_addf(&b, ", %.2f%% of what is zoomed to", report_percent(n->value, zoomed));
	screen_text(f->ui->s, rows - 2, 0, INK_NORMAL, strbuf_str(&b), b.len, screen_columns(f->ui->s));
	strbuf_deinit(&b);
	ui_bar(f->ui, rows - 1, f->message.len ? strbuf_str(&f->message) :
	       "arrows move, Enter zooms, Backspace zooms out, / searches, q goes back");
}

static void draw(struct flame *f)
{
	struct strbuf title = {};
	screen_clear(f->ui->s);
	make_boxes(f);
	strbuf_addf(&title, "Flame graph of '%s'", f->part->event_name);
	if (f->zoom) {
		strbuf_addstr(&title, ", zoomed to ");
		node_name(f, f->zoom, &title);
	}
	ui_bar(f->ui, 0, strbuf_str(&title));
	strbuf_deinit(&title);
	for (size_t i = 0; i < f->boxes.len; i++)
		draw_box(f, &f->boxes.data[i]);
	draw_bottom(f);
	screen_flush(f->ui->s);
}

/* ---- keys ---- */

/* The box beside, or over or under the one at hand. */
static void move(struct flame *f, int dy, int dx)
{
	const struct flame_box *here = box_of(f, f->at), *best = NULL;
	if (!here) {
		f->at = f->boxes.len ? f->boxes.data[0].node : f->zoom;
		return;
	}
	for (size_t i = 0; i < f->boxes.len; i++) {
		const struct flame_box *b = &f->boxes.data[i];
		if (dy && b->y == here->y + (unsigned)dy && (dy > 0 ? f->nodes.data[b->node].parent == f->at
								     : f->nodes.data[f->at].parent == b->node) &&
		    (!best || b->columns > best->columns))
			best = b;
		if (dx > 0 && b->y == here->y && b->x > here->x && (!best || b->x < best->x))
			best = b;
		if (dx < 0 && b->y == here->y && b->x < here->x && (!best || b->x > best->x))
			best = b;
	}
	if (best)
		f->at = best->node;
	else if (dy > 0 && f->nodes.data[f->at].first != PROFILE_NONE && here->y + 2 > rows_of(f))
		f->first++;
	else if (dy < 0 && f->first)
		f->first--;
}

static void zoom_to(struct flame *f, uint32_t node)
{
	f->zoom = f->at = node;
	f->first = 0;
}

static void search_typed(void *ctx, const char *text)
{
	struct flame *f = ctx;
	uint64_t sum = 0;
	struct strbuf name = {};
	/* Outermost matches alone: what stands on them is theirs. */
	bool *inside = xcalloc(f->nodes.len + 1, sizeof(*inside));
	for (uint32_t i = 1; *text && i < f->nodes.len; i++) {
		strbuf_reset(&name);
		node_name(f, i, &name);
		bool above = inside[f->nodes.data[i].parent];
		inside[i] = above || strstr(strbuf_str(&name), text);
		sum += inside[i] && !above ? f->nodes.data[i].value : 0;
	}
	free(inside);
	strbuf_deinit(&name);
	strbuf_reset(&f->message);
	if (*text)
		strbuf_addf(&f->message, "'%s' has %.2f%%", text, report_percent(sum, f->nodes.data[0].value));
	draw(f);
}

/* Towards the leaves, or with less than 0 towards the root; what is too far is found when boxes are made. */
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
		if (f->at == b->node)
			zoom_to(f, b->node);
		else
			f->at = b->node;
		return;
	}
}

static const char help[] =
	"Up, Down, Left, Right   to the box above, below, beside\n"
	"Enter, a second click   zoom to the box\n"
	"Backspace, u            zoom out by one;  Home, Esc: show all\n"
	"PgUp, PgDn, the wheel   towards the leaves, towards the root, where stacks are deeper than the screen\n"
	"/                       marks functions that contain a text, as it is typed, and tells their share\n"
	"q, g, Esc               back to the rows\n";

static void take_key(struct flame *f, const struct screen_key *k)
{
	strbuf_reset(&f->message);
	switch (k->key) {
	case KEY_IS_UP: move(f, 1, 0); break;
	case KEY_IS_DOWN: move(f, -1, 0); break;
	case KEY_IS_LEFT: move(f, 0, -1); break;
	case KEY_IS_RIGHT: move(f, 0, 1); break;
	case KEY_IS_ENTER: zoom_to(f, f->at); break;
	case KEY_IS_HOME: zoom_to(f, 0); break;
	case KEY_IS_PAGE_UP: scroll(f, rows_of(f) / 2); break;
	case KEY_IS_PAGE_DOWN: scroll(f, -(long)(rows_of(f) / 2)); break;
	case KEY_IS_WHEEL_UP: scroll(f, 3); break;
	case KEY_IS_WHEEL_DOWN: scroll(f, -3); break;
	case 'h':
	case '?':
	case KEY_IS_F1: ui_text(f->ui, "Help", help); break;
	case KEY_IS_BACKSPACE:
	case 'u': zoom_to(f, f->zoom ? f->nodes.data[f->zoom].parent : 0); break;
	case '/':
		if (!ui_prompt(f->ui, "search", &f->search, search_typed, f))
			strbuf_reset(&f->search);
		else
			search_typed(f, strbuf_str(&f->search));
		break;
	case KEY_IS_CLICK: click(f, k); break;
	case KEY_IS_RESIZE: break;
	case KEY_IS_ESCAPE:
		if (f->zoom)
			zoom_to(f, 0);
		else
			f->done = true;
		break;
	case KEY_NONE:
	case 'q':
	case 'g': f->done = true; break;
	default: strbuf_addstr(&f->message, "this key means nothing here");
	}
}

static uint32_t find_id(struct flame *f, uint64_t id)
{
	uint32_t found = id == 1 ? 0 : idset_find(&f->index, id, same_id, f, &id);
	return found == IDSET_NONE ? 0 : found;
}

/* The same places in what has been counted by now, where they are still there. */
static void renew(struct flame *f)
{
	const struct browse_hooks *h = f->ui->hooks;
	const struct report *report;
	uint64_t zoom = f->nodes.data[f->zoom].id, at = f->nodes.data[f->at].id;
	f->ui->state = BROWSE_ON;
	struct strobe_error *err = h->renew(h->ctx, &report);
	if (err) {
		error_destroy(err);
		f->ui->state = BROWSE_END;
		f->done = true;
		return;
	}
	f->ui->fresh = report;
	f->part = &report->parts[browser_part_named(report, strbuf_str(&f->name))];
	f->event = f->part->hist->options.events[0];
	make_tree(f);
	f->zoom = find_id(f, zoom);
	f->at = find_id(f, at);
}

static void draw_flames(void *ctx)
{
	draw(ctx);
}

void flame_browse(struct ui *u, const struct report_part *part, struct strbuf *say)
{
	struct flame f = { .ui = u, .part = part, .event = part->hist->options.events[0] };
	struct ui before = *u;
	u->draw_under = draw_flames;
	u->under = &f;
	strbuf_addstr(&f.name, part->event_name);
	make_tree(&f);
	if (!f.nodes.data[0].value)
		strbuf_addstr(say, "there are no samples to draw");
	f.done = !f.nodes.data[0].value;
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
	vec_deinit(&f.nodes);
	vec_deinit(&f.boxes);
	idset_deinit(&f.index);
	strbuf_deinit(&f.search);
	strbuf_deinit(&f.name);
	strbuf_deinit(&f.message);
}
