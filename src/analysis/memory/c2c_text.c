#include "analysis/memory/c2c_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE         "=================================================\n"
#define NAME_COLUMNS 30 /* width of symbols and source lines, unless shown in full */
#define NODE_INFO_COLUMNS 21
#define LINE_RULE    70
#define COLUMNS_MAX  32

/* ---- a table with titles in two lines ---- */

struct column {
	const char *top, *bottom;
	unsigned span;  /* columns below the upper title */
	unsigned width;
	bool is_left;
};

struct grid {
	struct arena arena;
	struct column columns[COLUMNS_MAX];
	unsigned columns_nr;
	VEC(const char *) cells; /* row by row */
};

static void add_column(struct grid *g, struct column c)
{
	g->columns[g->columns_nr++] = c;
}

static void add_cell(struct grid *g, const char *text)
{
	vec_push(&g->cells, text);
}

static void add_number(struct grid *g, uint64_t n)
{
	add_cell(g, arena_printf(&g->arena, "%" PRIu64, n));
}

static void add_share(struct grid *g, uint64_t part, uint64_t whole)
{
	add_cell(g, arena_printf(&g->arena, "%.2f%%", whole ? 100.0 * (double)part / (double)whole : 0));
}

static void put_cell(struct out *out, const struct column *c, const char *text, bool is_last)
{
	if (!c->is_left)
		out_text_right(out, text, c->width);
	else if (is_last)
		out_text_str(out, text);
	else
		out_text_left(out, text, c->width);
	out_str(out, is_last ? "\n" : "  ");
}

static void put_titles(struct out *out, const struct grid *g)
{
	out_str(out, "# ");
	for (unsigned i = 0; i < g->columns_nr;) {
		const struct column *c = &g->columns[i];
		i += c->top && c->span ? c->span : 1;
		put_cell(out, &(struct column){ .width = c->width }, c->top ? c->top : "", i >= g->columns_nr);
	}
	out_str(out, "# ");
	for (unsigned i = 0; i < g->columns_nr; i++)
		put_cell(out, &(struct column){ .width = g->columns[i].width }, g->columns[i].bottom, i + 1 == g->columns_nr);
	out_str(out, "# ");
	for (unsigned i = 0; i < g->columns_nr; i++) {
		for (unsigned n = 0; n < g->columns[i].width; n++)
			out_ch(out, '.');
		out_str(out, i + 1 == g->columns_nr ? "\n#\n" : "  ");
	}
}

static void put_row(struct out *out, const struct grid *g, const char *const *cells)
{
	out_str(out, "  ");
	for (unsigned i = 0; i < g->columns_nr; i++)
		put_cell(out, &g->columns[i], cells[i], i + 1 == g->columns_nr);
}

static void fit(struct grid *g, unsigned column, unsigned limit)
{
	struct column *c = &g->columns[column];
	for (size_t i = column; i < g->cells.len; i += g->columns_nr)
		if (strlen(g->cells.data[i]) > c->width)
			c->width = (unsigned)strlen(g->cells.data[i]);
	if (c->width > limit)
		c->width = limit;
}

/* A title of this width between dashes. */
static const char *dashed(struct grid *g, const char *title, unsigned width)
{
	unsigned before = width / 2 - (unsigned)strlen(title) / 2, length = (unsigned)strlen(title) + 2;
	char *text = arena_printf(&g->arena, "%*s", (int)width, "");
	memset(text, '-', width);
	memcpy(text + before, title, length - 2);
	text[before - 1] = text[before + length - 2] = ' ';
	return text;
}

static void grid_deinit(struct grid *g)
{
	vec_deinit(&g->cells);
	arena_deinit(&g->arena);
}

/* ---- cells ---- */

void c2c_bits_text(struct strbuf *out, const c2c_bits *bits)
{
	uint32_t end = (uint32_t)bits->len * 64;
	size_t start = out->len;
	for (uint32_t i = 0; i < end; i++) {
		if (!c2c_has_bit(bits, i))
			continue;
		uint32_t first = i;
		while (i + 1 < end && c2c_has_bit(bits, i + 1))
			i++;
		strbuf_addf(out, "%s%" PRIu32, out->len > start ? "," : "", first);
		if (i > first)
			strbuf_addf(out, "-%" PRIu32, i);
	}
}

static unsigned count_bits(const c2c_bits *bits)
{
	unsigned n = 0;
	for (size_t i = 0; i < bits->len; i++)
		n += (unsigned)__builtin_popcountll(bits->data[i]);
	return n;
}

static const char *nodes_text(struct grid *g, const struct c2c_places *p)
{
	_cleanup_strbuf_ struct strbuf text = {};
	c2c_bits_text(&text, &p->nodes);
	return text.len ? arena_strdup(&g->arena, strbuf_str(&text)) : "N/A";
}

static void add_part(struct strbuf *out, uint64_t part, uint64_t whole)
{
	if (whole)
		strbuf_addf(out, "%5.1f%%", 100.0 * (double)part / (double)whole);
	else
		strbuf_addf(out, "%6s", "n/a");
}

/* The row's CPUs of a node. */
static void select_cpus(const struct c2c_sums *s, const struct c2c_row *r, uint32_t node, c2c_bits *ret)
{
	for (size_t i = 0; i < r->cpus.len; i++)
		vec_push(ret, 0);
	for (uint32_t cpu = 0; cpu < s->node_of_cpu.len; cpu++)
		if (s->node_of_cpu.data[cpu] == node && c2c_has_bit(&r->cpus, cpu))
			ret->data[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static void add_node(struct strbuf *out, const struct c2c_sums *s, const struct c2c_row *r, uint32_t node, const c2c_bits *cpus,
		     unsigned node_info)
{
	const struct access_counts none = {}, *own = node < r->nodes.len ? &r->nodes.data[node] : &none;
	strbuf_addf(out, "%2" PRIu32, s->env->numa.data[node].node);
	if (!node_info)
		return;
	strbuf_addch(out, '{');
	if (node_info == 1) {
		strbuf_addf(out, "%2u ", count_bits(cpus));
		add_part(out, c2c_displayed(s->display, own), c2c_displayed(s->display, &r->counts));
		strbuf_addch(out, ' ');
		add_part(out, own->n[ACCESS_STORES], r->counts.n[ACCESS_STORES]);
	} else {
		c2c_bits_text(out, cpus);
	}
	strbuf_addch(out, '}');
}

/* The nodes whose CPUs made the accesses. */
static const char *cpu_nodes_text(struct grid *g, const struct c2c_sums *s, const struct c2c_row *r, unsigned node_info)
{
	_cleanup_strbuf_ struct strbuf text = {};
	bool any = false;
	for (uint32_t node = 0; node < s->env->numa.len; node++) {
		c2c_bits cpus = {};
		select_cpus(s, r, node, &cpus);
		if (count_bits(&cpus)) {
			if (any)
				strbuf_addch(&text, ' ');
			add_node(&text, s, r, node, &cpus, node_info);
			any = true;
		} else if (node_info == 1) {
			strbuf_addf(&text, "%*s", NODE_INFO_COLUMNS, "");
		}
		vec_deinit(&cpus);
	}
	return arena_strdup(&g->arena, strbuf_str(&text));
}

/* ---- sums ---- */

struct fact {
	const char *title;
	uint64_t (*value)(const struct access_counts *c);
	enum access_count count; /* used if value is NULL */
};

static uint64_t all_llc_hits(const struct access_counts *c)
{
	return c->n[ACCESS_LLC] + c->n[ACCESS_LOCAL_MODIFIED];
}

static uint64_t all_blocked(const struct access_counts *c)
{
	return c->n[ACCESS_BLOCKED_BY_DATA] + c->n[ACCESS_BLOCKED_BY_ADDRESS];
}

static uint64_t modified_and_stores(const struct access_counts *c)
{
	return access_modified(c) + c->n[ACCESS_STORES];
}

static const struct fact loads[] = {
	{ "Total records", NULL, ACCESS_RECORDS },
	{ "Locked Load/Store Operations", NULL, ACCESS_LOCKED },
	{ "Load Operations", NULL, ACCESS_LOADS },
	{ "Loads - uncacheable", NULL, ACCESS_LOADS_UNCACHED },
	{ "Loads - IO", NULL, ACCESS_LOADS_IO },
	{ "Loads - Miss", NULL, ACCESS_LOADS_MISSED },
	{ "Loads - no mapping", NULL, ACCESS_LOADS_WITHOUT_ADDRESS },
	{ "Load Fill Buffer Hit", NULL, ACCESS_FILL_BUFFER },
	{ "Load L1D hit", NULL, ACCESS_L1 },
	{ "Load L2D hit", NULL, ACCESS_L2 },
	{ "Load LLC hit", all_llc_hits, 0 },
	{ "Load Local HITM", NULL, ACCESS_LOCAL_MODIFIED },
	{ "Load Remote HITM", NULL, ACCESS_REMOTE_MODIFIED },
	{ "Load Remote HIT", NULL, ACCESS_REMOTE_HIT },
	{ "Load Local DRAM", NULL, ACCESS_LOCAL_MEMORY },
	{ "Load Remote DRAM", NULL, ACCESS_REMOTE_MEMORY },
	{ "Load MESI State Exclusive", NULL, ACCESS_LOADS_EXCLUSIVE },
	{ "Load MESI State Shared", NULL, ACCESS_LOADS_SHARED },
	{ "Load LLC Misses", access_llc_misses, 0 },
	{ "Load access blocked by data", NULL, ACCESS_BLOCKED_BY_DATA },
	{ "Load access blocked by address", NULL, ACCESS_BLOCKED_BY_ADDRESS },
	{ "Load HIT Local Peer", NULL, ACCESS_LOCAL_PEER },
	{ "Load HIT Remote Peer", NULL, ACCESS_REMOTE_PEER },
	{},
};

static const struct fact misses[] = {
	{ "LLC Misses to Local DRAM", NULL, ACCESS_LOCAL_MEMORY },
	{ "LLC Misses to Remote DRAM", NULL, ACCESS_REMOTE_MEMORY },
	{ "LLC Misses to Remote cache (HIT)", NULL, ACCESS_REMOTE_HIT },
	{ "LLC Misses to Remote cache (HITM)", NULL, ACCESS_REMOTE_MODIFIED },
	{},
};

static const struct fact stores[] = {
	{ "Store Operations", NULL, ACCESS_STORES },
	{ "Store - uncacheable", NULL, ACCESS_STORES_UNCACHED },
	{ "Store - no mapping", NULL, ACCESS_STORES_WITHOUT_ADDRESS },
	{ "Store L1D Hit", NULL, ACCESS_STORES_L1_HIT },
	{ "Store L1D Miss", NULL, ACCESS_STORES_L1_MISS },
	{ "Store No available memory level", NULL, ACCESS_STORES_UNKNOWN },
	{ "No Page Map Rejects", NULL, ACCESS_UNMAPPED },
	{ "Unable to parse data source", NULL, ACCESS_NEITHER },
	{},
};

static const struct fact shared[] = {
	{ "Load HITs on shared lines", NULL, ACCESS_LOADS },
	{ "Fill Buffer Hits on shared lines", NULL, ACCESS_FILL_BUFFER },
	{ "L1D hits on shared lines", NULL, ACCESS_L1 },
	{ "L2D hits on shared lines", NULL, ACCESS_L2 },
	{ "LLC hits on shared lines", all_llc_hits, 0 },
	{ "Load hits on peer cache or nodes", access_peers, 0 },
	{ "Locked Access on shared lines", NULL, ACCESS_LOCKED },
	{ "Blocked Access on shared lines", all_blocked, 0 },
	{ "Store HITs on shared lines", NULL, ACCESS_STORES },
	{ "Store L1D hits on shared lines", NULL, ACCESS_STORES_L1_HIT },
	{ "Store No available memory level", NULL, ACCESS_STORES_UNKNOWN },
	{ "Total Merged records", modified_and_stores, 0 },
	{},
};

static uint64_t value_of(const struct fact *f, const struct access_counts *c)
{
	return f->value ? f->value(c) : c->n[f->count];
}

static void put_facts(struct out *out, const struct fact *facts, const struct access_counts *c)
{
	for (const struct fact *f = facts; f->title; f++)
		out_f(out, "  %-34s: %10" PRIu64 "\n", f->title, value_of(f, c));
}

static void put_misses(struct out *out, const struct access_counts *c)
{
	uint64_t all = access_llc_misses(c);
	for (const struct fact *f = misses; f->title; f++)
		out_f(out, "  %-34s: %10.1f%%\n", f->title, all ? 100.0 * (double)value_of(f, c) / (double)all : 0);
}

static void put_title(struct out *out, const char *title)
{
	out_str(out, RULE);
	out_f(out, "%s\n" RULE, title);
}

static void put_sums(struct out *out, const struct c2c_sums *s)
{
	put_title(out, "            Trace Event Information              ");
	put_facts(out, loads, &s->all);
	put_misses(out, &s->all);
	put_facts(out, stores, &s->all);
	out_ch(out, '\n');
	put_title(out, "    Global Shared Cache Line Event Information   ");
	out_f(out, "  %-34s: %10" PRIu64 "\n", "Total Shared Cache Lines", s->shared_lines);
	put_facts(out, shared, &s->shared);
}

static void put_details(struct out *out, const struct c2c_sums *s)
{
	static const char *const displays[] = { [C2C_TOTAL] = "Total HITMs", [C2C_LOCAL] = "Local HITMs", [C2C_REMOTE] = "Remote HITMs",
						[C2C_PEER] = "Peer Snoop" };
	out_ch(out, '\n');
	put_title(out, "                 c2c details                     ");
	for (size_t i = 0; i < s->env->events.len; i++) {
		out_f(out, "%-36s: ", i ? "" : "  Events");
		out_text_str(out, s->env->events.data[i].name);
		out_ch(out, '\n');
	}
	out_f(out, "  %-34s: %s\n", "Cachelines sort on", displays[s->display]);
	out_f(out, "  %-34s: ", "Cacheline data grouping");
	out_text_str(out, s->grouping);
	out_ch(out, '\n');
}

/* ---- lines ---- */

struct count_column {
	struct column column;
	struct fact fact;
};

static const struct count_column line_counts[] = {
	{ { "Total", "records", 0, 7, 0 }, { NULL, access_classified, 0 } },
	{ { "Total", "Loads", 0, 7, 0 }, { NULL, access_classified_loads, 0 } },
	{ { "Total", "Stores", 0, 7, 0 }, { NULL, NULL, ACCESS_STORES } },
	{ { "--------- Stores --------", "L1Hit", 3, 7, 0 }, { NULL, NULL, ACCESS_STORES_L1_HIT } },
	{ { NULL, "L1Miss", 0, 7, 0 }, { NULL, NULL, ACCESS_STORES_L1_MISS } },
	{ { NULL, "N/A", 0, 7, 0 }, { NULL, NULL, ACCESS_STORES_UNKNOWN } },
	{ { "----- Core Load Hit -----", "FB", 3, 7, 0 }, { NULL, NULL, ACCESS_FILL_BUFFER } },
	{ { NULL, "L1", 0, 7, 0 }, { NULL, NULL, ACCESS_L1 } },
	{ { NULL, "L2", 0, 7, 0 }, { NULL, NULL, ACCESS_L2 } },
	{ { "- LLC Load Hit --", "LclHit", 2, 8, 0 }, { NULL, NULL, ACCESS_LLC } },
	{ { NULL, "LclHitm", 0, 7, 0 }, { NULL, NULL, ACCESS_LOCAL_MODIFIED } },
	{ { "- RMT Load Hit --", "RmtHit", 2, 8, 0 }, { NULL, NULL, ACCESS_REMOTE_HIT } },
	{ { NULL, "RmtHitm", 0, 7, 0 }, { NULL, NULL, ACCESS_REMOTE_MODIFIED } },
	{ { "--- Load Dram ----", "Lcl", 2, 8, 0 }, { NULL, NULL, ACCESS_LOCAL_MEMORY } },
	{ { NULL, "Rmt", 0, 8, 0 }, { NULL, NULL, ACCESS_REMOTE_MEMORY } },
};

#define ADDRESS_COLUMNS 3 /* address, nodes, changes of the physical address */
#define ADDRESS_WIDTH   18

static void add_address_columns(struct grid *g, const char *title)
{
	add_column(g, (struct column){ NULL, title, ADDRESS_COLUMNS, ADDRESS_WIDTH, false });
	add_column(g, (struct column){ NULL, "Node", 0, 4, false });
	add_column(g, (struct column){ NULL, "PA cnt", 0, 6, false });
}

/* Once the width of nodes is known. */
static void title_addresses(struct grid *g, unsigned first, const char *title)
{
	unsigned width = g->columns[first].width + g->columns[first + 1].width + g->columns[first + 2].width + 4;
	g->columns[first].top = dashed(g, title, width);
}

static void add_address_cells(struct grid *g, uint64_t address, const struct c2c_places *p)
{
	add_cell(g, arena_printf(&g->arena, "0x%" PRIx64, address));
	add_cell(g, nodes_text(g, p));
	add_number(g, p->changes);
}

static void add_line_columns(struct grid *g, enum c2c_display display)
{
	static const char *const shares[][2] = { [C2C_TOTAL] = { "Tot", "Hitm" }, [C2C_LOCAL] = { "Lcl", "Hitm" },
						 [C2C_REMOTE] = { "Rmt", "Hitm" }, [C2C_PEER] = { "Peer", "Snoop" } };
	bool is_peer = display == C2C_PEER;
	add_column(g, (struct column){ NULL, "Index", 0, 5, false });
	add_address_columns(g, "Address");
	add_column(g, (struct column){ shares[display][0], shares[display][1], 0, 7, false });
	add_column(g, (struct column){ is_peer ? "------- Load Peer -------" : "------- Load Hitm -------", "Total", 3, 7, false });
	add_column(g, (struct column){ NULL, is_peer ? "Local" : "LclHitm", 0, 7, false });
	add_column(g, (struct column){ NULL, is_peer ? "Remote" : "RmtHitm", 0, 7, false });
	for (size_t i = 0; i < sizeof(line_counts) / sizeof(*line_counts); i++)
		add_column(g, line_counts[i].column);
}

static void add_line_cells(struct grid *g, const struct c2c_sums *s, size_t index, const struct c2c_line *line)
{
	const struct access_counts *c = &line->counts;
	bool is_peer = s->display == C2C_PEER;
	add_number(g, index);
	add_address_cells(g, line->address, &line->places);
	add_share(g, c2c_displayed(s->display, c), c2c_displayed(s->display, &s->all));
	add_number(g, is_peer ? access_peers(c) : access_modified(c));
	add_number(g, c->n[is_peer ? ACCESS_LOCAL_PEER : ACCESS_LOCAL_MODIFIED]);
	add_number(g, c->n[is_peer ? ACCESS_REMOTE_PEER : ACCESS_REMOTE_MODIFIED]);
	for (size_t i = 0; i < sizeof(line_counts) / sizeof(*line_counts); i++)
		add_number(g, value_of(&line_counts[i].fact, c));
}

static void put_lines(struct out *out, const struct c2c_sums *s)
{
	struct grid g = {};
	arena_init(&g.arena);
	add_line_columns(&g, s->display);
	for (size_t i = 0; i < s->shown.len; i++)
		add_line_cells(&g, s, i, &s->lines.data[s->shown.data[i]]);
	fit(&g, 2, UINT32_MAX);
	title_addresses(&g, 1, s->double_lines ? "Double-Cacheline" : "Cacheline");
	out_ch(out, '\n');
	put_title(out, "           Shared Data Cache Line Table          ");
	out_str(out, "#\n");
	put_titles(out, &g);
	for (size_t i = 0; i < g.cells.len; i += g.columns_nr)
		put_row(out, &g, &g.cells.data[i]);
	grid_deinit(&g);
}

/* ---- rows ---- */

static const enum access_count row_shares[][5] = {
	{ ACCESS_REMOTE_MODIFIED, ACCESS_LOCAL_MODIFIED, ACCESS_STORES_L1_HIT, ACCESS_STORES_L1_MISS, ACCESS_STORES_UNKNOWN },
	{ ACCESS_REMOTE_PEER, ACCESS_LOCAL_PEER, ACCESS_STORES_L1_HIT, ACCESS_STORES_L1_MISS, ACCESS_STORES_UNKNOWN },
};
#define SHARES 5

/* Indexes of the columns of names, which are as wide as their cells. */
struct row_columns {
	unsigned nodes, tid, symbol, object, source;
};

static unsigned add_name_column(struct grid *g, const char *top, const char *bottom, unsigned width)
{
	add_column(g, (struct column){ top, bottom, 0, width, true });
	return g->columns_nr - 1;
}

static void add_share_columns(struct grid *g, bool is_peer)
{
	add_column(g, (struct column){ NULL, "Num", 0, 5, false });
	add_column(g, (struct column){ is_peer ? "-- Peer Snoop --" : "----- HITM -----", is_peer ? "Rmt" : "RmtHitm", 2, 7, false });
	add_column(g, (struct column){ NULL, is_peer ? "Lcl" : "LclHitm", 0, 7, false });
	add_column(g, (struct column){ "------- Store Refs ------", "L1 Hit", 3, 7, false });
	add_column(g, (struct column){ NULL, "L1 Miss", 0, 7, false });
	add_column(g, (struct column){ NULL, "N/A", 0, 7, false });
}

static void add_cycle_columns(struct grid *g, bool is_peer)
{
	add_column(g, (struct column){ "---------- cycles ----------", is_peer ? "rmt peer" : "rmt hitm", 3, 8, false });
	add_column(g, (struct column){ NULL, is_peer ? "lcl peer" : "lcl hitm", 0, 8, false });
	add_column(g, (struct column){ NULL, "load", 0, 8, false });
	add_column(g, (struct column){ "Total", "records", 0, 7, false });
	add_column(g, (struct column){ "cpu", "cnt", 0, 8, false });
}

static struct row_columns add_row_columns(struct grid *g, const struct c2c_sums *s, unsigned node_info)
{
	static const char *const nodes[] = { "Node", "Node{cpus %hitms %stores}", "Node{cpu list}" };
	struct row_columns at = {};
	bool has_code = s->has_key[C2C_CODE];
	add_share_columns(g, s->display == C2C_PEER);
	at.nodes = g->columns_nr + 1;
	add_address_columns(g, "Offset");
	if (s->has_key[C2C_PID])
		add_column(g, (struct column){ NULL, "Pid", 0, 7, false });
	if (s->has_key[C2C_TID])
		at.tid = add_name_column(g, NULL, "Tid", 3);
	if (has_code)
		add_column(g, (struct column){ NULL, "Code address", 0, 18, false });
	add_cycle_columns(g, s->display == C2C_PEER);
	if (has_code)
		at.symbol = add_name_column(g, NULL, "Symbol", 6);
	if (has_code || s->has_key[C2C_OBJECT])
		at.object = add_name_column(g, "Shared", "Object", 6);
	if (s->has_source)
		at.source = add_name_column(g, NULL, "Source:Line", 11);
	add_name_column(g, NULL, nodes[node_info], 4);
	return at;
}

static void add_mean(struct grid *g, const struct c2c_mean *m)
{
	add_cell(g, arena_printf(&g->arena, "%.0f", m->mean));
}

static void add_cycle_cells(struct grid *g, const struct c2c_row *r, bool is_peer)
{
	add_mean(g, is_peer ? &r->remote_peer : &r->remote);
	add_mean(g, is_peer ? &r->local_peer : &r->local);
	add_mean(g, &r->load);
	add_number(g, access_classified(&r->counts));
	add_number(g, count_bits(&r->cpus));
}

/* The part of a name that fits. */
static const char *name_text(struct grid *g, const char *name, bool is_full)
{
	return is_full ? name : arena_printf(&g->arena, "%.*s", NAME_COLUMNS, name);
}

static void add_row_cells(struct grid *g, const struct c2c_sums *s, const struct c2c_row *r, const struct c2c_view *v)
{
	const struct access_counts *all = &s->lines.data[r->line].counts;
	bool is_peer = s->display == C2C_PEER, has_code = s->has_key[C2C_CODE];
	add_cell(g, "");
	for (unsigned i = 0; i < SHARES; i++)
		add_share(g, r->counts.n[row_shares[is_peer][i]], all->n[row_shares[is_peer][i]]);
	add_address_cells(g, r->offset, &r->places);
	if (s->has_key[C2C_PID])
		add_number(g, r->pid);
	if (s->has_key[C2C_TID])
		add_cell(g, arena_printf(&g->arena, "%7" PRIu32 ":%s", r->tid, r->comm));
	if (has_code)
		add_cell(g, arena_printf(&g->arena, "0x%" PRIx64, r->code));
	add_cycle_cells(g, r, is_peer);
	if (has_code)
		add_cell(g, name_text(g, arena_printf(&g->arena, "[%c] %s", r->level, r->symbol), v->full_symbols));
	if (has_code || s->has_key[C2C_OBJECT])
		add_cell(g, r->object);
	if (s->has_source)
		add_cell(g, name_text(g, r->source, v->full_symbols));
	add_cell(g, cpu_nodes_text(g, s, r, v->node_info));
}

static void put_rule(struct out *out)
{
	out_str(out, "  ");
	for (unsigned i = 0; i < LINE_RULE; i++)
		out_ch(out, '-');
	out_ch(out, '\n');
}

/* The totals of a line, and its variable. */
static void put_line(struct out *out, const struct grid *g, const struct c2c_sums *s, size_t index)
{
	const struct c2c_line *line = &s->lines.data[s->shown.data[index]];
	char address[ADDRESS_WIDTH + 1];
	put_rule(out);
	out_f(out, "  %*zu", (int)g->columns[0].width, index);
	for (unsigned i = 0; i < SHARES; i++)
		out_f(out, "  %*" PRIu64, (int)g->columns[i + 1].width, line->counts.n[row_shares[s->display == C2C_PEER][i]]);
	out_str(out, "  ");
	snprintf(address, sizeof(address), "0x%" PRIx64, line->address);
	out_text_right(out, address, ADDRESS_WIDTH);
	if (line->variable) {
		out_str(out, "  ");
		out_text_str(out, line->variable);
	}
	out_ch(out, '\n');
	put_rule(out);
}

static void fit_names(struct grid *g, struct row_columns at)
{
	const unsigned names[] = { at.nodes, at.tid, at.symbol, at.object, at.source };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i])
			fit(g, names[i], UINT32_MAX);
}

static void put_rows(struct out *out, const struct c2c_sums *s, const struct c2c_view *v)
{
	struct grid g = {};
	arena_init(&g.arena);
	struct row_columns at = add_row_columns(&g, s, v->node_info);
	for (size_t i = 0; i < s->shown.len; i++)
		for (size_t n = 0; n < s->lines.data[s->shown.data[i]].rows.len; n++) {
			const struct c2c_row *r = &s->rows.data[s->lines.data[s->shown.data[i]].rows.data[n]];
			if (!r->is_hidden)
				add_row_cells(&g, s, r, v);
		}
	fit_names(&g, at);
	title_addresses(&g, at.nodes - 1, "Data address");
	out_ch(out, '\n');
	put_title(out, "      Shared Cache Line Distribution Pareto      ");
	out_str(out, "#\n");
	if (s->shown.len)
		put_titles(out, &g);
	size_t cell = 0;
	for (size_t i = 0; i < s->shown.len; i++) {
		const struct c2c_line *line = &s->lines.data[s->shown.data[i]];
		if (i)
			out_ch(out, '\n');
		put_line(out, &g, s, i);
		for (size_t n = 0; n < line->rows.len; n++)
			if (!s->rows.data[line->rows.data[n]].is_hidden) {
				put_row(out, &g, &g.cells.data[cell]);
				cell += g.columns_nr;
			}
	}
	grid_deinit(&g);
}

void c2c_text(struct out *out, const struct c2c_sums *s, const struct c2c_view *v)
{
	put_sums(out, s);
	put_details(out, s);
	if (v->stats_only)
		return;
	put_lines(out, s);
	put_rows(out, s, v);
}
