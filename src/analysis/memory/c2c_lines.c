#include "analysis/memory/c2c_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/lists.h"

#define CPU_LIMIT     (1u << 16)
#define LEAST_SHARE   0.0005 /* minimum share of the displayed loads for a line to be shown */
#define LINE_BYTES_MAX 4096

/* ---- where CPUs and memory are ---- */

static void set_bit(c2c_bits *bits, uint32_t i)
{
	while (bits->len <= i / 64)
		vec_push(bits, 0);
	bits->data[i / 64] |= UINT64_C(1) << i % 64;
}

static void read_nodes(struct c2c_lines *l)
{
	const struct env *env = l->sums->env;
	for (uint32_t n = 0; n < env->numa.len; n++) {
		struct list_numbers cpus = {};
		error_destroy(list_cpus_parse(&l->arena, env->numa.data[n].cpus, &cpus));
		for (uint32_t c = 0; c < cpus.nr && cpus.data[c] < CPU_LIMIT; c++) {
			while (l->sums->node_of_cpu.len <= cpus.data[c])
				vec_push(&l->sums->node_of_cpu, UINT32_MAX);
			l->sums->node_of_cpu.data[cpus.data[c]] = n;
		}
	}
}

/* The index in env.numa of a physical address; UINT32_MAX: not in the recording. */
static uint32_t node_of_memory(const struct env *env, uint64_t physical)
{
	uint64_t block = env->mem_block_bytes ? physical / env->mem_block_bytes : 0;
	for (size_t i = 0; env->mem_block_bytes && i < env->mem_nodes.len; i++) {
		const struct env_mem_node *m = &env->mem_nodes.data[i];
		if (block >= m->bits || !(m->bitmap[block / 64] >> block % 64 & 1))
			continue;
		for (uint32_t n = 0; n < env->numa.len; n++)
			if (env->numa.data[n].node == m->node)
				return n;
	}
	return UINT32_MAX;
}

static void take_place(struct c2c_places *p, uint64_t physical, uint32_t node)
{
	if (node == UINT32_MAX)
		return;
	set_bit(&p->nodes, node);
	p->changes += p->last != physical;
	p->last = physical;
}

/* ---- lines and rows ---- */

static bool is_line(const void *table, uint32_t id, const void *key)
{
	const struct c2c_line *a = &((const struct c2c_lines *)table)->sums->lines.data[id], *b = key;
	return a->key == b->key && a->file == b->file && a->pid == b->pid && a->is_kernel == b->is_kernel;
}

static bool is_row(const void *table, uint32_t id, const void *key)
{
	const struct c2c_row *a = &((const struct c2c_lines *)table)->sums->rows.data[id], *b = key;
	return a->line == b->line && a->offset == b->offset && a->pid == b->pid && a->tid == b->tid && a->code == b->code &&
	       a->object_id == b->object_id;
}

static uint32_t find_line(struct c2c_lines *l, const struct c2c_access *a)
{
	struct c2c_sums *s = l->sums;
	const struct c2c_line key = { .address = a->address & ~(l->line_bytes - 1), .key = a->data_key & ~(l->line_bytes - 1),
				      .file = a->file, .pid = a->data_pid, .is_kernel = a->is_kernel };
	const uint64_t words[] = { key.key, key.file, key.pid, key.is_kernel };
	uint32_t id = idset_intern(&l->lines, hash_u64s(words, 4, 0), is_line, l, &key, s->lines.len);
	if (id == s->lines.len)
		vec_push(&s->lines, key);
	return id;
}

/* Fields outside of the key have the values of the first access. */
static uint32_t find_row(struct c2c_lines *l, const struct c2c_access *a, uint32_t line, bool *ret_new)
{
	struct c2c_sums *s = l->sums;
	struct c2c_row key = { .line = line, .offset = a->address & (l->line_bytes - 1) };
	if (s->has_key[C2C_PID])
		key.pid = a->pid;
	if (s->has_key[C2C_TID])
		key.tid = a->tid;
	if (s->has_key[C2C_CODE])
		key.code = a->code;
	if (s->has_key[C2C_OBJECT])
		key.object_id = a->object_id;
	const uint64_t words[] = { (uint64_t)key.pid << 32 | key.tid, key.offset << 32 | line, key.code, key.object_id };
	uint32_t id = idset_intern(&l->rows, hash_u64s(words, 4, 0), is_row, l, &key, s->rows.len);
	*ret_new = id == s->rows.len;
	if (*ret_new) {
		vec_push(&s->rows, key);
		vec_push(&s->lines.data[line].rows, id);
	}
	return id;
}

static void take_mean(struct c2c_mean *m, uint64_t v)
{
	m->nr++;
	m->mean += ((double)v - m->mean) / (double)m->nr;
}

static void take_weight(struct c2c_row *r, const struct access_counts *one, uint64_t weight)
{
	if (one->n[ACCESS_REMOTE_MODIFIED])
		take_mean(&r->remote, weight);
	else if (one->n[ACCESS_LOCAL_MODIFIED])
		take_mean(&r->local, weight);
	else if (one->n[ACCESS_REMOTE_PEER])
		take_mean(&r->remote_peer, weight);
	else if (one->n[ACCESS_LOCAL_PEER])
		take_mean(&r->local_peer, weight);
	else if (one->n[ACCESS_LOADS])
		take_mean(&r->load, weight);
}

static void take_cpu(struct c2c_lines *l, struct c2c_row *r, const struct access_counts *one, uint32_t cpu)
{
	uint32_t node = cpu < l->sums->node_of_cpu.len ? l->sums->node_of_cpu.data[cpu] : UINT32_MAX;
	if (cpu < CPU_LIMIT)
		set_bit(&r->cpus, cpu);
	if (node == UINT32_MAX)
		return;
	while (r->nodes.len <= node)
		vec_push(&r->nodes, (struct access_counts){});
	access_counts_add(&r->nodes.data[node], one);
}

struct c2c_row *c2c_lines_take(struct c2c_lines *l, const struct c2c_access *a, bool *ret_new)
{
	struct c2c_sums *s = l->sums;
	struct access_counts one = {};
	uint32_t line = find_line(l, a), memory = a->physical ? node_of_memory(s->env, a->physical) : UINT32_MAX;
	uint32_t row = find_row(l, a, line, ret_new);
	struct c2c_row *r = &s->rows.data[row];
	access_counts_take(&one, a->data_src, a->address, a->is_mapped);
	access_counts_add(&s->all, &one);
	access_counts_add(&s->lines.data[line].counts, &one);
	access_counts_add(&r->counts, &one);
	take_weight(r, &one, a->weight);
	take_cpu(l, r, &one, a->cpu);
	take_place(&s->lines.data[line].places, a->physical, memory);
	take_place(&r->places, a->physical, memory);
	return r;
}

/* ---- order ---- */

uint64_t c2c_displayed(enum c2c_display display, const struct access_counts *c)
{
	switch (display) {
	case C2C_LOCAL:
		return c->n[ACCESS_LOCAL_MODIFIED];
	case C2C_REMOTE:
		return c->n[ACCESS_REMOTE_MODIFIED];
	case C2C_PEER:
		return access_peers(c);
	default:
		return access_modified(c);
	}
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By descending number of loads; equal ones by mapped object and address. */
static int compare_lines(const void *x, const void *y, void *ctx)
{
	const struct c2c_sums *s = ctx;
	const struct c2c_line *a = &s->lines.data[*(const uint32_t *)x], *b = &s->lines.data[*(const uint32_t *)y];
	int order = compare(c2c_displayed(s->display, &b->counts), c2c_displayed(s->display, &a->counts));
	order = order ? order : (b->file != UINT32_MAX) - (a->file != UINT32_MAX);
	order = order ? order : compare(a->address, b->address);
	return order ? order : compare(*(const uint32_t *)x, *(const uint32_t *)y);
}

/* The loads of the other kind, if only one is displayed. */
static uint64_t displayed_less(enum c2c_display display, const struct access_counts *c)
{
	return display == C2C_LOCAL ? c->n[ACCESS_REMOTE_MODIFIED] : display == C2C_REMOTE ? c->n[ACCESS_LOCAL_MODIFIED] : 0;
}

static int compare_key(enum c2c_key key, const struct c2c_row *a, const struct c2c_row *b)
{
	switch (key) {
	case C2C_PID:
		return compare(a->pid, b->pid);
	case C2C_TID:
		return compare(a->tid, b->tid);
	case C2C_CODE:
		return compare(a->code, b->code);
	default:
		return a->object && b->object ? strcmp(a->object, b->object) : 0;
	}
}

static int compare_rows(const void *x, const void *y, void *ctx)
{
	const struct c2c_sums *s = ctx;
	const struct c2c_row *a = &s->rows.data[*(const uint32_t *)x], *b = &s->rows.data[*(const uint32_t *)y];
	int order = compare(a->offset, b->offset);
	order = order ? order : compare(c2c_displayed(s->display, &b->counts), c2c_displayed(s->display, &a->counts));
	order = order ? order : compare(displayed_less(s->display, &b->counts), displayed_less(s->display, &a->counts));
	for (unsigned i = 0; !order && i < s->keys_nr; i++)
		order = compare_key(s->keys[i], a, b);
	return order ? order : compare(*(const uint32_t *)x, *(const uint32_t *)y);
}

static void finish_line(struct c2c_sums *s, uint32_t id, bool show_all)
{
	struct c2c_line *line = &s->lines.data[id];
	uint64_t total = c2c_displayed(s->display, &s->shared), own = c2c_displayed(s->display, &line->counts);
	line->is_hidden = !show_all && (!total || (double)own / (double)total < LEAST_SHARE);
	for (size_t i = 0; i < line->rows.len; i++) {
		struct c2c_row *r = &s->rows.data[line->rows.data[i]];
		r->is_hidden = !c2c_displayed(s->display, &r->counts) && !r->counts.n[ACCESS_STORES];
	}
	if (line->is_hidden)
		return;
	vec_push(&s->shown, id);
	qsort_r(line->rows.data, line->rows.len, sizeof(*line->rows.data), compare_rows, s);
}

void c2c_lines_finish(struct c2c_lines *l, bool show_all)
{
	struct c2c_sums *s = l->sums;
	for (size_t i = 0; i < s->lines.len; i++)
		if (access_modified(&s->lines.data[i].counts) || access_peers(&s->lines.data[i].counts)) {
			s->shared_lines++;
			access_counts_add(&s->shared, &s->lines.data[i].counts);
		}
	for (uint32_t i = 0; i < s->lines.len; i++)
		finish_line(s, i, show_all);
	if (s->shown.len)
		qsort_r(s->shown.data, s->shown.len, sizeof(*s->shown.data), compare_lines, s);
}

void c2c_lines_init(struct c2c_lines *l, struct c2c_sums *sums)
{
	uint32_t bytes = sums->env->cache_line_bytes;
	bool is_usable = bytes >= sizeof(uint64_t) && bytes <= LINE_BYTES_MAX && !(bytes & (bytes - 1));
	*l = (struct c2c_lines){ .sums = sums, .line_bytes = is_usable ? bytes : C2C_LINE_BYTES };
	if (sums->double_lines)
		l->line_bytes *= 2;
	arena_init(&l->arena);
	read_nodes(l);
}

void c2c_lines_deinit(struct c2c_lines *l)
{
	idset_deinit(&l->lines);
	idset_deinit(&l->rows);
	arena_deinit(&l->arena);
}

void c2c_sums_deinit(struct c2c_sums *s)
{
	for (size_t i = 0; i < s->lines.len; i++) {
		vec_deinit(&s->lines.data[i].rows);
		vec_deinit(&s->lines.data[i].places.nodes);
	}
	for (size_t i = 0; i < s->rows.len; i++) {
		vec_deinit(&s->rows.data[i].cpus);
		vec_deinit(&s->rows.data[i].places.nodes);
		vec_deinit(&s->rows.data[i].nodes);
	}
	vec_deinit(&s->lines);
	vec_deinit(&s->rows);
	vec_deinit(&s->shown);
	vec_deinit(&s->node_of_cpu);
	c2c_stacks_deinit(&s->stacks);
}
