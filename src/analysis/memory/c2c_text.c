#include "analysis/memory/c2c_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE         "================================================="
#define NAME_COLUMNS 30 /* of symbols and source lines, unless they are shown in full */
#define NODE_INFO_COLUMNS 21

/* ---- perf's tables: columns on the right, two lines of titles ---- */

#define GAP_COLUMNS 2

static const struct table_layout layout = { .head = "# ", .row = "  ", .rule = '.', .after_rule = "#", .has_right_titles = true,
					    .has_blank_ends = true };

/* The next cell of the last row. */
struct cells {
	struct table *table;
	size_t at;
};

static size_t add_column(struct table *t, const char *top, unsigned top_columns, const char *title, unsigned width)
{
	return table_column(t, (struct table_column){ .key = title, .type = TABLE_TEXT, .align = TABLE_ALIGN_RIGHT, .width = width,
						      .is_fixed = true, .top = top, .top_columns = top_columns });
}

/* As wide as its cells. */
static size_t add_name_column(struct table *t, const char *top, const char *title)
{
	return table_column(t, (struct table_column){ .key = title, .type = TABLE_TEXT, .top = top });
}

static struct cells add_row(struct table *t)
{
	table_row(t);
	return (struct cells){ .table = t };
}

static void add_cell(struct cells *c, const char *text)
{
	table_set_text(c->table, c->at++, text);
}

static void add_number(struct cells *c, uint64_t n)
{
	add_cell(c, arena_printf(&c->table->arena, "%" PRIu64, n));
}

static void add_share(struct cells *c, uint64_t part, uint64_t whole)
{
	add_cell(c, arena_printf(&c->table->arena, "%.2f%%", whole ? 100.0 * (double)part / (double)whole : 0));
}

/* A title of this width between dashes. */
static const char *dashed(struct arena *arena, const char *title, unsigned width)
{
	unsigned before = width / 2 - (unsigned)strlen(title) / 2, length = (unsigned)strlen(title) + 2;
	char *text = arena_printf(arena, "%*s", (int)width, "");
	memset(text, '-', width);
	memcpy(text + before, title, length - 2);
	text[before - 1] = text[before + length - 2] = ' ';
	return text;
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

static const char *nodes_text(struct arena *arena, const struct c2c_places *p)
{
	_cleanup_strbuf_ struct strbuf text = {};
	c2c_bits_text(&text, &p->nodes);
	return text.len ? arena_strdup(arena, strbuf_str(&text)) : "N/A";
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
static const char *cpu_nodes_text(struct arena *arena, const struct c2c_sums *s, const struct c2c_row *r, unsigned node_info)
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
	return arena_strdup(arena, strbuf_str(&text));
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
	out_f(out, RULE "\n%s\n" RULE "\n", title);
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

void c2c_text(struct out *out, const struct c2c_sums *s)
{
	put_sums(out, s);
	put_details(out, s);
}

/* ---- lines ---- */

struct count_column {
	const char *top;
	unsigned top_columns;
	const char *title;
	unsigned width;
	struct fact fact;
};

static const struct count_column line_counts[] = {
	{ "Total", 0, "records", 7, { NULL, access_classified, 0 } },
	{ "Total", 0, "Loads", 7, { NULL, access_classified_loads, 0 } },
	{ "Total", 0, "Stores", 7, { NULL, NULL, ACCESS_STORES } },
	{ "--------- Stores --------", 3, "L1Hit", 7, { NULL, NULL, ACCESS_STORES_L1_HIT } },
	{ NULL, 0, "L1Miss", 7, { NULL, NULL, ACCESS_STORES_L1_MISS } },
	{ NULL, 0, "N/A", 7, { NULL, NULL, ACCESS_STORES_UNKNOWN } },
	{ "----- Core Load Hit -----", 3, "FB", 7, { NULL, NULL, ACCESS_FILL_BUFFER } },
	{ NULL, 0, "L1", 7, { NULL, NULL, ACCESS_L1 } },
	{ NULL, 0, "L2", 7, { NULL, NULL, ACCESS_L2 } },
	{ "- LLC Load Hit --", 2, "LclHit", 8, { NULL, NULL, ACCESS_LLC } },
	{ NULL, 0, "LclHitm", 7, { NULL, NULL, ACCESS_LOCAL_MODIFIED } },
	{ "- RMT Load Hit --", 2, "RmtHit", 8, { NULL, NULL, ACCESS_REMOTE_HIT } },
	{ NULL, 0, "RmtHitm", 7, { NULL, NULL, ACCESS_REMOTE_MODIFIED } },
	{ "--- Load Dram ----", 2, "Lcl", 8, { NULL, NULL, ACCESS_LOCAL_MEMORY } },
	{ NULL, 0, "Rmt", 8, { NULL, NULL, ACCESS_REMOTE_MEMORY } },
};

#define ADDRESS_COLUMNS 3 /* address, nodes, changes of the physical address */
#define ADDRESS_WIDTH   18
#define NODES_WIDTH     4
#define CHANGES_WIDTH   6

/* Returns the first of them. */
static size_t add_address_columns(struct table *t, const char *title)
{
	size_t first = add_column(t, NULL, ADDRESS_COLUMNS, title, ADDRESS_WIDTH);
	size_t nodes = add_column(t, NULL, 0, "Node", NODES_WIDTH);
	t->columns.data[nodes].is_fixed = false;
	add_column(t, NULL, 0, "PA cnt", CHANGES_WIDTH);
	return first;
}

/* Once the cells of all nodes are there. */
static void title_addresses(struct table *t, size_t first, const char *title)
{
	size_t nodes = NODES_WIDTH;
	for (size_t row = 0; row < t->rows.len; row++) {
		size_t width = strlen(table_cell(t, row, first + 1)->text);
		nodes = width > nodes ? width : nodes;
	}
	size_t width = ADDRESS_WIDTH + nodes + CHANGES_WIDTH + (ADDRESS_COLUMNS - 1) * GAP_COLUMNS;
	t->columns.data[first].top = dashed(&t->arena, title, (unsigned)width);
}

static void add_address_cells(struct cells *c, uint64_t address, const struct c2c_places *p)
{
	add_cell(c, arena_printf(&c->table->arena, "0x%" PRIx64, address));
	add_cell(c, nodes_text(&c->table->arena, p));
	add_number(c, p->changes);
}

/* Returns the first of the address. */
static size_t add_line_columns(struct table *t, enum c2c_display display)
{
	static const char *const shares[][2] = { [C2C_TOTAL] = { "Tot", "Hitm" }, [C2C_LOCAL] = { "Lcl", "Hitm" },
						 [C2C_REMOTE] = { "Rmt", "Hitm" }, [C2C_PEER] = { "Peer", "Snoop" } };
	bool is_peer = display == C2C_PEER;
	add_column(t, NULL, 0, "Index", 5);
	size_t address = add_address_columns(t, "Address");
	add_column(t, shares[display][0], 0, shares[display][1], 7);
	add_column(t, is_peer ? "------- Load Peer -------" : "------- Load Hitm -------", 3, "Total", 7);
	add_column(t, NULL, 0, is_peer ? "Local" : "LclHitm", 7);
	add_column(t, NULL, 0, is_peer ? "Remote" : "RmtHitm", 7);
	for (size_t i = 0; i < sizeof(line_counts) / sizeof(*line_counts); i++)
		add_column(t, line_counts[i].top, line_counts[i].top_columns, line_counts[i].title, line_counts[i].width);
	return address;
}

static void add_line_row(struct table *t, const struct c2c_sums *s, size_t index, const struct c2c_line *line)
{
	const struct access_counts *n = &line->counts;
	bool is_peer = s->display == C2C_PEER;
	struct cells c = add_row(t);
	add_number(&c, index);
	add_address_cells(&c, line->address, &line->places);
	add_share(&c, c2c_displayed(s->display, n), c2c_displayed(s->display, &s->all));
	add_number(&c, is_peer ? access_peers(n) : access_modified(n));
	add_number(&c, n->n[is_peer ? ACCESS_LOCAL_PEER : ACCESS_LOCAL_MODIFIED]);
	add_number(&c, n->n[is_peer ? ACCESS_REMOTE_PEER : ACCESS_REMOTE_MODIFIED]);
	for (size_t i = 0; i < sizeof(line_counts) / sizeof(*line_counts); i++)
		add_number(&c, value_of(&line_counts[i].fact, n));
}

static void begin_table(struct table *t, const char *title)
{
	const char *lines[] = { "", RULE, title, RULE, "#" };
	table_init(t, NULL, 0);
	t->layout = layout;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		table_head(t, "%s", lines[i]);
}

void c2c_lines_table(struct table *t, const struct c2c_sums *s)
{
	begin_table(t, "           Shared Data Cache Line Table          ");
	size_t address = add_line_columns(t, s->display);
	for (size_t i = 0; i < s->shown.len; i++)
		add_line_row(t, s, i, &s->lines.data[s->shown.data[i]]);
	title_addresses(t, address, s->double_lines ? "Double-Cacheline" : "Cacheline");
}

/* ---- rows ---- */

static const enum access_count row_shares[][5] = {
	{ ACCESS_REMOTE_MODIFIED, ACCESS_LOCAL_MODIFIED, ACCESS_STORES_L1_HIT, ACCESS_STORES_L1_MISS, ACCESS_STORES_UNKNOWN },
	{ ACCESS_REMOTE_PEER, ACCESS_LOCAL_PEER, ACCESS_STORES_L1_HIT, ACCESS_STORES_L1_MISS, ACCESS_STORES_UNKNOWN },
};
#define SHARES	     5
#define NUMBER_WIDTH 5
#define SHARE_WIDTH  7

static void add_share_columns(struct table *t, bool is_peer)
{
	add_column(t, NULL, 0, "Num", NUMBER_WIDTH);
	add_column(t, is_peer ? "-- Peer Snoop --" : "----- HITM -----", 2, is_peer ? "Rmt" : "RmtHitm", SHARE_WIDTH);
	add_column(t, NULL, 0, is_peer ? "Lcl" : "LclHitm", SHARE_WIDTH);
	add_column(t, "------- Store Refs ------", 3, "L1 Hit", SHARE_WIDTH);
	add_column(t, NULL, 0, "L1 Miss", SHARE_WIDTH);
	add_column(t, NULL, 0, "N/A", SHARE_WIDTH);
}

static void add_cycle_columns(struct table *t, bool is_peer)
{
	add_column(t, "---------- cycles ----------", 3, is_peer ? "rmt peer" : "rmt hitm", 8);
	add_column(t, NULL, 0, is_peer ? "lcl peer" : "lcl hitm", 8);
	add_column(t, NULL, 0, "load", 8);
	add_column(t, "Total", 0, "records", 7);
	add_column(t, "cpu", 0, "cnt", 8);
}

/* Returns the first of the address. */
static size_t add_row_columns(struct table *t, const struct c2c_sums *s, unsigned node_info)
{
	static const char *const nodes[] = { "Node", "Node{cpus %hitms %stores}", "Node{cpu list}" };
	bool has_code = s->has_key[C2C_CODE];
	add_share_columns(t, s->display == C2C_PEER);
	size_t address = add_address_columns(t, "Offset");
	if (s->has_key[C2C_PID])
		add_column(t, NULL, 0, "Pid", 7);
	if (s->has_key[C2C_TID])
		add_name_column(t, NULL, "Tid");
	if (has_code)
		add_column(t, NULL, 0, "Code address", 18);
	add_cycle_columns(t, s->display == C2C_PEER);
	if (has_code)
		add_name_column(t, NULL, "Symbol");
	if (has_code || s->has_key[C2C_OBJECT])
		add_name_column(t, "Shared", "Object");
	if (s->has_source)
		add_name_column(t, NULL, "Source:Line");
	if (s->has_instructions)
		add_name_column(t, NULL, "Instruction");
	table_column(t, (struct table_column){ .key = nodes[node_info], .type = TABLE_TEXT, .width = 4, .is_ragged = true });
	return address;
}

static void add_mean(struct cells *c, const struct c2c_mean *m)
{
	add_cell(c, arena_printf(&c->table->arena, "%.0f", m->mean));
}

static void add_cycle_cells(struct cells *c, const struct c2c_row *r, bool is_peer)
{
	add_mean(c, is_peer ? &r->remote_peer : &r->remote);
	add_mean(c, is_peer ? &r->local_peer : &r->local);
	add_mean(c, &r->load);
	add_number(c, access_classified(&r->counts));
	add_number(c, count_bits(&r->cpus));
}

/* As much of a name as there is room for. */
static void add_name(struct cells *c, const char *name, bool is_full)
{
	add_cell(c, is_full ? name : arena_printf(&c->table->arena, "%.*s", NAME_COLUMNS, name));
}

static void add_row_cells(struct table *t, const struct c2c_sums *s, const struct c2c_row *r, const struct c2c_view *v)
{
	const struct access_counts *all = &s->lines.data[r->line].counts;
	bool is_peer = s->display == C2C_PEER, has_code = s->has_key[C2C_CODE];
	struct cells c = add_row(t);
	add_cell(&c, "");
	for (unsigned i = 0; i < SHARES; i++)
		add_share(&c, r->counts.n[row_shares[is_peer][i]], all->n[row_shares[is_peer][i]]);
	add_address_cells(&c, r->offset, &r->places);
	if (s->has_key[C2C_PID])
		add_number(&c, r->pid);
	if (s->has_key[C2C_TID])
		add_cell(&c, arena_printf(&t->arena, "%7" PRIu32 ":%s", r->tid, r->comm));
	if (has_code)
		add_cell(&c, arena_printf(&t->arena, "0x%" PRIx64, r->code));
	add_cycle_cells(&c, r, is_peer);
	if (has_code)
		add_name(&c, arena_printf(&t->arena, "[%c] %s", r->level, r->symbol), v->full_symbols);
	if (has_code || s->has_key[C2C_OBJECT])
		add_cell(&c, r->object);
	if (s->has_source)
		add_name(&c, r->source, v->full_symbols);
	if (s->has_instructions)
		add_cell(&c, r->instruction ? r->instruction : "?");
	add_cell(&c, cpu_nodes_text(&t->arena, s, r, v->node_info));
}

/* The call tree of a row, below it. */
static void add_tree(struct table *t, const struct c2c_trees *trees, uint32_t row)
{
	struct out text;
	size_t n;
	out_init_mem(&text);
	c2c_tree_text(trees, row, &text);
	const char *at = out_mem(&text, &n);
	for (const char *end = at + n; at < end;) {
		size_t bytes = strcspn(at, "\n");
		table_line(t, "%.*s", (int)bytes, at);
		at += bytes + 1;
	}
	error_destroy(out_close(&text)); /* memory does not fail */
}

/* What a line has in all, and the variable that is there, between two rules: below the titles, or below the row before. */
static void add_heading(struct table *t, const struct c2c_sums *s, size_t index)
{
	static const char rule[] = "  ----------------------------------------------------------------------";
	const struct c2c_line *line = &s->lines.data[s->shown.data[index]];
	_cleanup_strbuf_ struct strbuf text = {};
	strbuf_addf(&text, "  %*zu", NUMBER_WIDTH, index);
	for (unsigned i = 0; i < SHARES; i++)
		strbuf_addf(&text, "  %*" PRIu64, SHARE_WIDTH, line->counts.n[row_shares[s->display == C2C_PEER][i]]);
	const char *address = arena_printf(&t->arena, "0x%" PRIx64, line->address);
	strbuf_addf(&text, "  %*s%s%s", ADDRESS_WIDTH, address, line->variable ? "  " : "", line->variable ? line->variable : "");
	const char *lines[] = { "", rule, strbuf_str(&text), rule };
	for (size_t i = index ? 0 : 1; i < sizeof(lines) / sizeof(*lines); i++) {
		if (t->rows.len)
			table_line(t, "%s", lines[i]);
		else
			table_opening(t, "%s", lines[i]);
	}
}

void c2c_rows_table(struct table *t, const struct c2c_sums *s, const struct c2c_view *v)
{
	begin_table(t, "      Shared Cache Line Distribution Pareto      ");
	t->layout.has_no_titles = !s->shown.len;
	size_t address = add_row_columns(t, s, v->node_info);
	for (size_t i = 0; i < s->shown.len; i++) {
		const struct c2c_line *line = &s->lines.data[s->shown.data[i]];
		struct c2c_trees trees;
		c2c_trees_open(&trees, &s->stacks, s->shown.data[i]);
		add_heading(t, s, i);
		for (size_t n = 0; n < line->rows.len; n++)
			if (!s->rows.data[line->rows.data[n]].is_hidden) {
				add_row_cells(t, s, &s->rows.data[line->rows.data[n]], v);
				add_tree(t, &trees, line->rows.data[n]);
			}
		c2c_trees_close(&trees);
	}
	title_addresses(t, address, "Data address");
}
