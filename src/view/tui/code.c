#include "view/tui/code.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/out.h"
#include "view/cells.h"
#include "view/tui/samples.h"

enum offsets { OFFSETS_OF_JUMPS, OFFSETS_OF_CALLS, OFFSETS_OF_ALL, OFFSETS_NR };

#define BACK_MAX 64

struct code {
	struct ui *ui;
	const struct report_part *part;
	mapping_id mapping;
	struct listing *l;
	struct listing_rows rows;
	size_t first, at;
	struct code_look look;
	enum offsets offsets;
	bool no_arrows, jump_counts, whole_addresses, cycle_ranges, done;
	int step; /* to the function of another row, when done */
	struct strbuf search, message;
	size_t came_from;        /* the row that the search began at */
	int search_step;         /* 1: down, -1: up */
	struct strbuf event;     /* by which the part is found */
	struct strbuf path;      /* of the mapping */
	uint64_t back[BACK_MAX]; /* addresses from which calls were followed */
	unsigned back_nr;
};

/* ---- rows ---- */

static uint32_t insn_at(const struct code *c)
{
	return c->at < c->rows.len ? c->rows.data[c->at].insn : LISTING_NONE;
}

static void go_to_insn(struct code *c, uint32_t insn)
{
	for (size_t i = 0; i < c->rows.len; i++)
		if (c->rows.data[i].kind == LISTING_ROW_INSN && c->rows.data[i].insn == insn) {
			c->at = i;
			return;
		}
}

static void make_rows(struct code *c)
{
	uint32_t insn = insn_at(c);
	c->rows.len = 0;
	listing_rows(c->l, (struct listing_rows_options){ .with_source = !c->look.no_source }, &c->rows);
	c->at = 0;
	if (insn != LISTING_NONE)
		go_to_insn(c, insn);
}

static double percent_of(const struct code *c, uint32_t insn, size_t event)
{
	return listing_percent(c->l, event, listing_value(c->l, insn, event), c->look.share);
}

/* The nth hottest instruction by the first event. */
static void go_to_hot(struct code *c, bool next)
{
	const struct listing *l = c->l;
	uint32_t from = insn_at(c), best = LISTING_NONE, hottest = LISTING_NONE;
	uint64_t here = from != LISTING_NONE ? listing_value(l, from, 0)->value : 0;
	for (uint32_t i = 0; i < l->insns.len; i++) {
		uint64_t v = listing_value(l, i, 0)->value;
		if (!v)
			continue;
		if (hottest == LISTING_NONE || v > listing_value(l, hottest, 0)->value)
			hottest = i;
		/* Less than here, or equal and further down. */
		if ((v < here || (v == here && i > from)) &&
		    (best == LISTING_NONE || v > listing_value(l, best, 0)->value))
			best = i;
	}
	if (hottest == LISTING_NONE)
		strbuf_addstr(&c->message, "no samples here");
	else
		go_to_insn(c, next && best != LISTING_NONE ? best : hottest);
}

/* ---- drawing ---- */

static const char *base_name(const struct code *c, const char *path)
{
	const char *slash = c->look.full_paths ? NULL : strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *arrow_of(const struct code *c, const struct listing_insn *insn)
{
	bool ascii = screen_is_ascii(c->ui->s);
	if (c->no_arrows)
		return "  ";
	switch ((enum listing_flow)insn->flow) {
	case LISTING_JUMP:
	case LISTING_BRANCH:
		if (insn->target_insn == LISTING_NONE)
			return ascii ? "> " : "→ ";
		if (c->l->insns.data[insn->target_insn].addr > insn->addr)
			return ascii ? "v " : "↓ ";
		return ascii ? "^ " : "↑ ";
	case LISTING_CALL: return ascii ? "> " : "→ ";
	case LISTING_RETURN: return ascii ? "< " : "← ";
	default: return "  ";
	}
}

static void add_target(const struct code *c, const struct listing_insn *insn, struct strbuf *b)
{
	if (insn->target_insn != LISTING_NONE)
		strbuf_addf(b, "%llx", (unsigned long long)(insn->target.addr - c->l->start));
	else if (!insn->target.name)
		strbuf_addf(b, "%#llx", (unsigned long long)insn->target.addr);
	else if (insn->target.offset)
		strbuf_addf(b, "%s+%#llx", insn->target.name, (unsigned long long)insn->target.offset);
	else
		strbuf_addstr(b, insn->target.name);
}

static void add_insn(const struct code *c, const struct listing_insn *insn, struct strbuf *b)
{
	bool offset = insn->jumps_here || c->offsets == OFFSETS_OF_ALL || (c->offsets == OFFSETS_OF_CALLS && insn->flow == LISTING_CALL);
	if (c->jump_counts)
		strbuf_addf(b, insn->jumps_here ? "%4u " : "     ", insn->jumps_here);
	if (c->look.raw) {
		strbuf_addf(b, "%8llx: ", (unsigned long long)insn->addr);
		for (unsigned i = 0; i < insn->bytes; i++)
			strbuf_addf(b, "%02x ", insn->code[i]);
		for (unsigned i = insn->bytes; i < 8; i++)
			strbuf_addstr(b, "   ");
		strbuf_addstr(b, insn->text);
		return;
	}
	if (c->whole_addresses)
		strbuf_addf(b, "%16llx: ", (unsigned long long)insn->addr);
	else if (offset)
		strbuf_addf(b, "%6llx: ", (unsigned long long)(insn->addr - c->l->start));
	else
		strbuf_addstr(b, "        ");
	strbuf_addstr(b, arrow_of(c, insn));
	if (insn->target_bytes) {
		strbuf_add(b, insn->text, insn->target_at);
		add_target(c, insn, b);
		strbuf_addstr(b, insn->text + insn->target_at + insn->target_bytes);
	} else {
		strbuf_addstr(b, insn->text);
	}
	if (insn->has_reference && insn->reference.name)
		strbuf_addf(b, "        # %s+%#llx", insn->reference.name, (unsigned long long)insn->reference.offset);
	if (c->look.types && insn->data_type)
		strbuf_addf(b, "    # data-type: %s", insn->data_type);
}

/* Everything of a row after its costs. */
static void add_text(const struct code *c, const struct listing_row *row, struct strbuf *b)
{
	const struct listing *l = c->l;
	const struct listing_insn *insn = row->insn < l->insns.len ? &l->insns.data[row->insn] : NULL;
	const struct listing_place *place = insn && insn->place != LISTING_NONE ? &l->places.data[insn->place] : NULL;
	size_t n;
	switch (row->kind) {
	case LISTING_ROW_SECTION: strbuf_addf(b, "Disassembly of section %s:", l->section); break;
	case LISTING_ROW_SYMBOL: strbuf_addf(b, "%016llx <%s>:", (unsigned long long)l->start, l->symbol); break;
	case LISTING_ROW_FUNCTION: strbuf_addf(b, "%s():", place && place->function ? place->function : l->symbol); break;
	case LISTING_ROW_PLACE: strbuf_addf(b, "%s:%u", base_name(c, l->files.data[row->file].path), row->line); break;
	case LISTING_ROW_SOURCE: {
		const char *text = lines_get(&l->files.data[row->file].text, row->line, &n);
		if (c->look.line_numbers || c->look.full_paths)
			strbuf_addf(b, "%s:%-4u ", c->look.full_paths ? l->files.data[row->file].path : "", row->line);
		/* Indentation often consists of tabs. */
		for (size_t i = 0; text && i < n; i++)
			strbuf_add(b, text[i] == '\t' ? "        " : text + i, text[i] == '\t' ? 8 : 1);
		break;
	}
	case LISTING_ROW_INSN: add_insn(c, insn, b); break;
	}
}

static unsigned cost_width(const struct code *c)
{
	return c->look.unit == CODE_PERIOD ? 13 : 8;
}

static unsigned put_cost(const struct code *c, unsigned y, unsigned x, uint32_t insn, size_t event, bool selected)
{
	struct strbuf b = {};
	const struct listing_value *v = listing_value(c->l, insn, event);
	double percent = percent_of(c, insn, event);
	switch (c->look.unit) {
	case CODE_PERCENT: strbuf_addf(&b, percent > 0 ? "%7.2f " : "        ", percent); break;
	case CODE_PERIOD: strbuf_addf(&b, v->value ? "%12llu " : "             ", (unsigned long long)v->value); break;
	default: strbuf_addf(&b, v->samples ? "%7llu " : "        ", (unsigned long long)v->samples); break;
	}
	enum ink ink = selected ? INK_SELECTED : screen_heat(c->ui->s, percent / 100);
	unsigned used = screen_text(c->ui->s, y, x, ink, strbuf_str(&b), b.len, screen_columns(c->ui->s));
	strbuf_deinit(&b);
	return used;
}

static int cycles_width(const struct code *c)
{
	return c->cycle_ranges ? 30 : 15; /* "1.33             12(5/20) ", "1.33     12 " */
}

/* Instructions per cycle, and cycles (mean, minimum and maximum), from branch records. */
static unsigned put_cycles(const struct code *c, unsigned y, unsigned x, const struct listing_row *row, bool selected)
{
	struct strbuf b = {}, cycles = {};
	if (!c->l->cycles.len)
		return 0;
	const struct listing_cycles none = {}, *k = row->kind == LISTING_ROW_INSN ? &c->l->cycles.data[row->insn] : &none;
	strbuf_addf(&b, k->per_cycle > 0 ? "%5.2f " : "      ", k->per_cycle);
	if (k->average)
		strbuf_addf(&cycles, "%llu", (unsigned long long)k->average);
	if (k->average && c->cycle_ranges)
		strbuf_addf(&cycles, "(%llu/%llu)", (unsigned long long)k->least, (unsigned long long)k->most);
	strbuf_addf(&b, "%*s ", cycles_width(c) - 7, strbuf_str(&cycles));
	unsigned used = screen_text(c->ui->s, y, x, selected ? INK_SELECTED : INK_NORMAL, strbuf_str(&b), b.len, screen_columns(c->ui->s));
	strbuf_deinit(&b);
	strbuf_deinit(&cycles);
	return used;
}

static void draw_row(const struct code *c, unsigned y, const struct listing_row *row, bool selected)
{
	struct screen *s = c->ui->s;
	unsigned x = 0, width = cost_width(c), columns = screen_columns(s);
	bool is_insn = row->kind == LISTING_ROW_INSN;
	for (size_t e = 0; e < c->l->events.len; e++) {
		if (is_insn)
			x += put_cost(c, y, x, row->insn, e, selected);
		else
			screen_fill(s, y, x, selected ? INK_SELECTED : INK_NORMAL, ' ', width), x += width;
	}
	x += put_cycles(c, y, x, row, selected);
	struct strbuf b = {};
	add_text(c, row, &b);
	bool found = c->search.len && strstr(strbuf_str(&b), strbuf_str(&c->search));
	x += screen_str(s, y, x, selected ? INK_SELECTED : INK_DIM, screen_is_ascii(s) ? "| " : "│ ");
	enum ink ink = selected ? INK_SELECTED : found ? INK_FOUND : is_insn ? INK_NORMAL : INK_NOTE;
	x += screen_line_text(s, y, x, ink, strbuf_str(&b), b.len);
	if (selected && x < columns)
		screen_fill(s, y, x, INK_SELECTED, ' ', columns - x);
	strbuf_deinit(&b);
}

/* A line of heads, below the title. */
static bool has_head(const struct code *c)
{
	return screen_rows(c->ui->s) > 4;
}

static void add_title(const struct code *c, struct strbuf *b)
{
	uint64_t samples = 0, value = 0;
	for (size_t e = 0; e < c->l->events.len; e++) {
		samples += c->l->events.data[e].samples;
		value += c->l->events.data[e].value;
	}
	char unit = cell_shorten(&samples);
	strbuf_addf(b, "Samples: %llu%c of event%s '%s'", (unsigned long long)samples, unit, c->part->is_group ? "s" : "",
		    c->part->event_name);
	strbuf_addf(b, ", [percent: %s]", listing_share_name(c->look.share));
	/* No number has more digits than this. */
	ui_add_count(b, value, b->len + strlen(", Event count (approx.): 18446744073709551615") > screen_columns(c->ui->s));
}

/* Names of the columns, and the function. */
static void draw_head(const struct code *c, unsigned y)
{
	static const char *const names[] = { [CODE_PERCENT] = "Percent", [CODE_PERIOD] = "Period", [CODE_SAMPLES] = "Samples" };
	struct strbuf b = {};
	for (size_t e = 0; e < c->l->events.len; e++)
		strbuf_addf(&b, "%*s ", (int)cost_width(c) - 1, names[c->look.unit]);
	if (c->l->cycles.len)
		strbuf_addf(&b, "%5s %*s ", "IPC", cycles_width(c) - 7, c->cycle_ranges ? "Cycle(min/max)" : "Cycle");
	strbuf_addf(&b, "%s %s  %s", screen_is_ascii(c->ui->s) ? "|" : "│", c->l->symbol, c->l->object_path);
	ui_line(c->ui, y, INK_HEAD, strbuf_str(&b));
	strbuf_deinit(&b);
}

/* Where rows begin. */
static unsigned top(const struct code *c)
{
	return 1 + has_head(c);
}

static size_t room(const struct code *c)
{
	unsigned rows = screen_rows(c->ui->s), other = 2 + has_head(c);
	return rows > other ? rows - other : 1;
}

static const struct ui_key_name key_names[] = {
	{ "h", "Help" }, { "Enter", "Follow" }, { "Tab", "Hottest" }, { "s", "Source" }, { "t", "Unit" }, { "o", "Bytes" },
	{ "j", "Jumps" }, { "/", "Search" }, { "P", "Save" }, { "q", "Back" },
};

static void draw(struct code *c)
{
	struct strbuf title = {};
	struct screen *s = c->ui->s;
	size_t n = room(c);
	screen_clear(s);
	add_title(c, &title);
	ui_bar(c->ui, 0, strbuf_str(&title));
	strbuf_deinit(&title);
	if (has_head(c))
		draw_head(c, 1);
	c->first = c->at < c->first ? c->at : c->at >= c->first + n ? c->at - n + 1 : c->first;
	for (size_t i = 0; i < n && c->first + i < c->rows.len; i++)
		draw_row(c, top(c) + (unsigned)i, &c->rows.data[c->first + i], c->first + i == c->at);
	if (c->message.len)
		ui_bar(c->ui, screen_rows(s) - 1, strbuf_str(&c->message));
	else
		ui_key_bar(c->ui, screen_rows(s) - 1, key_names, sizeof(key_names) / sizeof(*key_names));
	screen_flush(s);
}

/* ---- keys ---- */

static const char help[] =
	"h, F1           this page\n"
	"Up, Down        move; PgUp, PgDn, Space: by pages; Home, End\n"
	"q, Esc, Left    back\n"
	"Enter, Right    follow a jump or a call; Esc returns from a call\n"
	"<, >            the function of the row above, below\n"
	"H               go to the hottest instruction\n"
	"Tab, Shift-Tab  go to the next hottest, the previous\n"
	"\n"
	"s               source on and off\n"
	"k               line numbers; l: full paths of source files\n"
	"j               arrows for jumps; J: number of jumps to each target\n"
	"o               addresses and raw bytes, or the simple view\n"
	"O               offsets: for jump targets, also for calls, for all\n"
	"f               full addresses instead of offsets\n"
	"t               percent, period, samples\n"
	"p               percentages of the function (local) or of all samples (global)\n"
	"b               percentages by period or by number of samples\n"
	"T               types of data that instructions access, from debug information\n"
	"c               minimum and maximum cycles of blocks, if branch records have cycles\n"
	"\n"
	"/, ?            search down, up, as you type; n: again\n"
	"r               its individual samples, as script prints them\n"
	"P               write SYMBOL.annotation\n"
	"Ctrl-L          redraw the screen\n";

static void search(struct code *c, int step)
{
	struct strbuf line = {};
	for (size_t k = 1; c->search.len && k <= c->rows.len; k++) {
		size_t i = step > 0 ? (c->at + k) % c->rows.len : (c->at + c->rows.len - k) % c->rows.len;
		strbuf_reset(&line);
		add_text(c, &c->rows.data[i], &line);
		if (!strstr(strbuf_str(&line), strbuf_str(&c->search)))
			continue;
		c->at = i;
		strbuf_deinit(&line);
		return;
	}
	strbuf_deinit(&line);
	strbuf_addf(&c->message, "'%s' not found", strbuf_str(&c->search));
}

static void search_typed(void *ctx, const char *text)
{
	struct code *c = ctx;
	c->at = c->came_from;
	strbuf_reset(&c->message);
	search(c, c->search_step);
	draw(c);
}

static void prompt_search(struct code *c, int step)
{
	c->came_from = c->at;
	c->search_step = step;
	bool entered = ui_prompt(c->ui, "search", &c->search, search_typed, c);
	c->at = c->came_from;
	strbuf_reset(&c->message);
	if (entered)
		search(c, step);
}

static void name_types(struct code *c)
{
	const struct browse_hooks *h = c->ui->hooks;
	bool is_named = false;
	struct strobe_error *err = h->name_types ? h->name_types(h->ctx, c->mapping, c->l) :
						   error_create(ERROR_UNSUPPORTED, "types of data are shown for recordings only");
	for (size_t i = 0; i < c->l->insns.len && !is_named; i++)
		is_named = c->l->insns.data[i].data_type;
	if (err)
		strbuf_addstr(&c->message, err->message);
	else if (!is_named)
		strbuf_addstr(&c->message, "no types of data are known here: they require debug information (gcc -g)");
	error_destroy(err);
}

static bool load(struct code *c, uint64_t addr)
{
	const struct browse_hooks *h = c->ui->hooks;
	struct listing *l = NULL;
	struct strobe_error *err = h->listing(h->ctx, c->part, c->mapping, addr, &l);
	if (err) {
		strbuf_addstr(&c->message, err->message);
		error_destroy(err);
		return false;
	}
	listing_destroy(c->l);
	c->l = l;
	c->first = c->at = 0;
	c->rows.len = 0;
	make_rows(c);
	if (c->look.types)
		name_types(c);
	return true;
}

static void follow(struct code *c)
{
	uint32_t at = insn_at(c);
	const struct listing_insn *insn = at != LISTING_NONE && c->rows.data[c->at].kind == LISTING_ROW_INSN ? &c->l->insns.data[at] : NULL;
	uint64_t from = c->l->start, target = insn ? insn->target.addr : 0;
	if (insn && insn->target_insn != LISTING_NONE)
		go_to_insn(c, insn->target_insn);
	else if (!insn || !insn->has_target)
		strbuf_addstr(&c->message, "the target of this instruction is unknown");
	else if (c->back_nr == BACK_MAX)
		strbuf_addstr(&c->message, "too many nested calls");
	else if (load(c, target)) {
		c->back[c->back_nr++] = from;
		go_to_insn(c, listing_find(c->l, target));
	}
}

static void go_back(struct code *c)
{
	if (!c->back_nr || !load(c, c->back[--c->back_nr]))
		c->done = true;
}

static void save(struct code *c)
{
	struct strbuf name = {}, text = {};
	for (const char *p = c->l->symbol; *p && name.len < 100; p++)
		strbuf_addch(&name, isalnum((unsigned char)*p) || *p == '_' ? *p : '_');
	strbuf_addstr(&name, ".annotation");
	for (size_t i = 0; i < c->rows.len; i++) {
		const struct listing_row *row = &c->rows.data[i];
		for (size_t e = 0; e < c->l->events.len; e++) {
			double percent = row->kind == LISTING_ROW_INSN ? percent_of(c, row->insn, e) : 0;
			strbuf_addf(&text, percent > 0 ? "%7.2f " : "        ", percent);
		}
		add_text(c, row, &text);
		strbuf_addch(&text, '\n');
	}
	_cleanup_error_ struct strobe_error *err = new_file_write(strbuf_str(&name), strbuf_str(&text), text.len, 0600);
	strbuf_addf(&c->message, err ? "%s" : "%s written", err ? err->message : strbuf_str(&name));
	strbuf_deinit(&name);
	strbuf_deinit(&text);
}

static bool movement(struct code *c, const struct screen_key *k)
{
	long lines;
	if (ui_scrolls(k->key, room(c), &lines))
		c->at = ui_scrolled(c->at, lines, c->rows.len);
	else if (k->key == KEY_IS_CLICK && k->y >= top(c) && k->y < top(c) + room(c) && c->first + k->y - top(c) < c->rows.len)
		c->at = c->first + k->y - top(c);
	else
		return k->key == KEY_IS_RESIZE || k->key == KEY_IS_CLICK;
	return true;
}

static bool toggles(struct code *c, uint32_t key)
{
	switch (key) {
	case 's':
		c->look.no_source = !c->look.no_source;
		make_rows(c);
		return true;
	case 'o': c->look.raw = !c->look.raw; return true;
	case 'O': c->offsets = (c->offsets + 1) % OFFSETS_NR; return true;
	case 't': c->look.unit = (c->look.unit + 1) % CODE_UNITS_NR; return true;
	case 'k': c->look.line_numbers = !c->look.line_numbers; return true;
	case 'l': c->look.full_paths = !c->look.full_paths; return true;
	case 'j': c->no_arrows = !c->no_arrows; return true;
	case 'J': c->jump_counts = !c->jump_counts; return true;
	case 'f': c->whole_addresses = !c->whole_addresses; return true;
	case 'T':
		c->look.types = !c->look.types;
		if (c->look.types)
			name_types(c);
		return true;
	case 'c':
		c->cycle_ranges = !c->cycle_ranges;
		if (!c->l->cycles.len)
			strbuf_addstr(&c->message, "no cycle counts: they require branch records (record -b)");
		return true;
	/* Odd ones are global; the second pair is samples. */
	case 'p': c->look.share ^= 1; return true;
	case 'b': c->look.share ^= 2; return true;
	default: return false;
	}
}

static void take_key(struct code *c, const struct screen_key *k)
{
	if (k->key != KEY_NONE)
		strbuf_reset(&c->message);
	if (movement(c, k) || toggles(c, k->key))
		return;
	switch (k->key) {
	case 'q':
		if (c->ui->hooks->begins_with_code)
			c->ui->state = BROWSE_END;
		c->done = true;
		break;
	case KEY_NONE: c->done = true; break;
	case KEY_IS_ESCAPE:
	case KEY_IS_LEFT: go_back(c); break;
	case KEY_IS_ENTER:
	case KEY_IS_RIGHT: follow(c); break;
	case '<':
	case '>':
		c->step = k->key == '<' ? -1 : 1;
		c->done = true;
		break;
	case 'H': go_to_hot(c, false); break;
	case KEY_IS_TAB: go_to_hot(c, true); break;
	case KEY_IS_BACK_TAB: go_to_hot(c, false); break;
	case 'h':
	case KEY_IS_F1: ui_text(c->ui, "Help", help); break;
	case '/':
	case '?':
		prompt_search(c, k->key == '/' ? 1 : -1);
		break;
	case 'n': search(c, 1); break;
	case 'P': save(c); break;
	case 'r': samples_menu(c->ui, &(struct listed_choice){ .symbol = c->l->symbol }, c->l->symbol, &c->message); break;
	default: strbuf_addstr(&c->message, "unknown key: press 'h' for help");
	}
}

static mapping_id find_mapping(const struct code *c)
{
	const struct profile *p = c->part->hist->profile;
	for (mapping_id i = 0; i < p->mappings.len; i++)
		if (!strcmp(profile_str(p, p->mappings.data[i].path), strbuf_str(&c->path)))
			return i;
	return PROFILE_NONE;
}

/* Updates the values beside the same code. */
static void renew(struct code *c)
{
	uint32_t insn = insn_at(c);
	size_t first = c->first;
	const struct report *report = ui_renew(c->ui);
	c->done = !report;
	if (!report)
		return;
	c->part = &report->parts[browser_part_named(report, strbuf_str(&c->event))];
	c->mapping = find_mapping(c);
	if (c->mapping == PROFILE_NONE || !load(c, c->l->start))
		return;
	if (insn != LISTING_NONE)
		go_to_insn(c, insn);
	c->first = first;
}

static void draw_code(void *ctx)
{
	draw(ctx);
}

int code_browse(struct ui *u, const struct report_part *part, mapping_id mapping, uint64_t addr,
		struct strbuf *say)
{
	struct code c = { .ui = u, .part = part, .mapping = mapping, .look = u->hooks->code };
	const struct profile *p = part->hist->profile;
	struct ui before = *u;
	u->draw_under = draw_code;
	u->under = &c;
	strbuf_addstr(&c.event, part->event_name);
	strbuf_addstr(&c.path, profile_str(p, p->mappings.data[mapping].path));
	if (load(&c, addr))
		go_to_hot(&c, false);
	else
		strbuf_addstr(say, strbuf_str(&c.message));
	strbuf_reset(&c.message);
	while (c.l && !c.done) {
		draw(&c);
		struct screen_key k = ui_key(u, u->hooks->is_live);
		if (k.key == KEY_NONE && u->state == BROWSE_DUE)
			renew(&c);
		else
			take_key(&c, &k);
	}
	u->draw_under = before.draw_under;
	u->under = before.under;
	listing_destroy(c.l);
	vec_deinit(&c.rows);
	strbuf_deinit(&c.event);
	strbuf_deinit(&c.path);
	strbuf_deinit(&c.search);
	strbuf_deinit(&c.message);
	return c.step;
}
