#include <inttypes.h>

#include "analysis/memory/c2c_text.h"

enum {
	LINE, VARIABLE, OFFSET, PID, TID, COMM, CODE, SYMBOL, OBJECT, SOURCE, INSTRUCTION, STACKS,
	MEMORY_NODES, CPUS, REMOTE_CYCLES, LOCAL_CYCLES, LOAD_CYCLES, COUNTS,
};

static const struct table_column row_columns[] = {
	[LINE] = { .key = "line", .type = TABLE_TEXT },
	[VARIABLE] = { .key = "variable", .type = TABLE_TEXT },
	[OFFSET] = { .key = "offset", .type = TABLE_COUNT, .is_optional = true },
	[PID] = { .key = "pid", .type = TABLE_COUNT, .is_optional = true },
	[TID] = { .key = "tid", .type = TABLE_COUNT, .is_optional = true },
	[COMM] = { .key = "comm", .type = TABLE_TEXT, .is_optional = true },
	[CODE] = { .key = "code", .type = TABLE_TEXT, .is_optional = true },
	[SYMBOL] = { .key = "symbol", .type = TABLE_TEXT, .is_optional = true },
	[OBJECT] = { .key = "object", .type = TABLE_TEXT, .is_optional = true },
	[SOURCE] = { .key = "source", .type = TABLE_TEXT, .is_optional = true },
	[INSTRUCTION] = { .key = "instruction", .type = TABLE_TEXT, .is_optional = true },
	[STACKS] = { .key = "stacks", .type = TABLE_ITEMS, .is_optional = true },
	[MEMORY_NODES] = { .key = "memory_nodes", .type = TABLE_TEXT, .is_optional = true },
	[CPUS] = { .key = "cpus", .type = TABLE_TEXT, .is_optional = true },
	[REMOTE_CYCLES] = { .key = "remote_hitm_cycles", .type = TABLE_NUMBER, .is_optional = true },
	[LOCAL_CYCLES] = { .key = "local_hitm_cycles", .type = TABLE_NUMBER, .is_optional = true },
	[LOAD_CYCLES] = { .key = "load_cycles", .type = TABLE_NUMBER, .is_optional = true },
};

static void set_counts(struct table *t, const struct access_counts *c)
{
	for (size_t i = 0; i < ACCESS_COUNTS_NR; i++)
		table_set_count(t, COUNTS + i, c->n[i]);
}

static void set_hex(struct table *t, size_t column, uint64_t value)
{
	table_set_text(t, column, arena_printf(&t->arena, "0x%" PRIx64, value));
}

static void set_bits(struct table *t, size_t column, const c2c_bits *bits)
{
	_cleanup_strbuf_ struct strbuf text = {};
	c2c_bits_text(&text, bits);
	if (text.len)
		table_set_text(t, column, strbuf_str(&text));
}

static void set_name(struct table *t, size_t column, const char *name)
{
	if (name)
		table_set_text(t, column, name);
}

static void set_cycles(struct table *t, size_t column, const struct c2c_mean *m)
{
	if (m->nr)
		table_set_number(t, column, m->mean);
}

static void set_keys(struct table *t, const struct c2c_sums *s, const struct c2c_row *r)
{
	if (s->has_key[C2C_PID])
		table_set_count(t, PID, r->pid);
	if (s->has_key[C2C_TID]) {
		table_set_count(t, TID, r->tid);
		table_set_text(t, COMM, r->comm);
	}
	if (s->has_key[C2C_CODE]) {
		set_hex(t, CODE, r->code);
		table_set_text(t, SYMBOL, r->symbol);
		set_name(t, SOURCE, r->source);
		set_name(t, INSTRUCTION, r->instruction);
	}
	if (s->has_key[C2C_CODE] || s->has_key[C2C_OBJECT])
		table_set_text(t, OBJECT, r->object);
}

struct items {
	struct arena *arena;
	VEC(struct table_item) list;
};

static void take_stack(void *ctx, const char *folded, uint64_t samples)
{
	struct items *i = ctx;
	vec_push(&i->list, ((struct table_item){ .name = arena_strdup(i->arena, folded), .count = samples }));
}

static void set_stacks(struct table *t, const struct c2c_trees *trees, uint32_t row)
{
	struct items items = { .arena = &t->arena };
	c2c_tree_stacks(trees, row, take_stack, &items);
	if (items.list.len)
		table_set_items(t, STACKS, items.list.data, (uint32_t)items.list.len);
	vec_deinit(&items.list);
}

static void add_row(struct table *t, const struct c2c_sums *s, const struct c2c_trees *trees, uint32_t id)
{
	const struct c2c_row *r = &s->rows.data[id];
	table_child(t, 1);
	set_hex(t, LINE, s->lines.data[r->line].address);
	set_name(t, VARIABLE, r->variable);
	table_set_count(t, OFFSET, r->offset);
	set_keys(t, s, r);
	set_bits(t, MEMORY_NODES, &r->places.nodes);
	set_bits(t, CPUS, &r->cpus);
	set_cycles(t, REMOTE_CYCLES, &r->remote);
	set_cycles(t, LOCAL_CYCLES, &r->local);
	set_cycles(t, LOAD_CYCLES, &r->load);
	set_counts(t, &r->counts);
	set_stacks(t, trees, id);
}

void c2c_table(struct table *t, const struct c2c_sums *s)
{
	table_init(t, "strobe-c2c", 1);
	t->rows_key = "lines";
	t->children_key = "accesses";
	for (size_t i = 0; i < COUNTS; i++)
		table_column(t, row_columns[i]);
	for (size_t i = 0; i < ACCESS_COUNTS_NR; i++) {
		table_column(t, (struct table_column){ .key = access_count_keys[i], .type = TABLE_COUNT });
		table_fact_number(t, access_count_keys[i], (double)s->all.n[i], "%" PRIu64, s->all.n[i]);
	}
	table_fact_number(t, "shared_lines", (double)s->shared_lines, "%" PRIu64, s->shared_lines);
	for (size_t i = 0; i < s->shown.len; i++) {
		const struct c2c_line *line = &s->lines.data[s->shown.data[i]];
		table_row(t);
		set_hex(t, LINE, line->address);
		set_name(t, VARIABLE, line->variable);
		set_bits(t, MEMORY_NODES, &line->places.nodes);
		set_counts(t, &line->counts);
		struct c2c_trees trees;
		c2c_trees_open(&trees, &s->stacks, s->shown.data[i]);
		for (size_t n = 0; n < line->rows.len; n++)
			if (!s->rows.data[line->rows.data[n]].is_hidden)
				add_row(t, s, &trees, line->rows.data[n]);
		c2c_trees_close(&trees);
	}
}
