#include "analysis/sched/sched_map.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/sched/sched_bad.h"
#include "analysis/sched/sched_clock.h"
#include "analysis/sched/sched_threads.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

#define COLOUR_PIDS "\033[34m"
#define COLOUR_CPUS "\033[41m"
#define COLOUR_OFF  "\033[m"
#define NOBODY      UINT32_MAX

struct mapped {
	char name[3];
	bool has_new_comm;
	bool is_coloured;
};

struct cpu_bits {
	uint64_t words[SCHED_CPUS_MAX / 64];
};

struct sched_map {
	const struct sched_map_request *q;
	struct sched_source *source;
	struct sched_threads threads;
	VEC(struct mapped) mapped; /* by thread */
	VEC(uint32_t) pids;        /* of --color-pids */
	struct cpu_bits cpus, colour_cpus, known_cpus;
	uint32_t columns[SCHED_CPUS_MAX]; /* compact: CPUs in the order of their first events */
	uint32_t columns_nr;
	uint32_t current[SCHED_CPUS_MAX], left[SCHED_CPUS_MAX]; /* threads */
	char first, second;        /* of the next name */
	struct sched_bad bad;
	struct sched_rows rows;
	struct sched_clock clock;
	struct out *out;
};

static const char *const row_keys[] = { "time_ns", "cpu", "name", "comm", "tid", "prev_comm", "prev_tid", NULL };

/* ---- what is chosen ---- */

static bool add_cpu(void *ctx, uint32_t cpu)
{
	struct cpu_bits *b = ctx;
	b->words[cpu / 64] |= 1ULL << (cpu % 64);
	return true;
}

static bool has_cpu(const struct cpu_bits *b, uint32_t cpu)
{
	return b->words[cpu / 64] >> (cpu % 64) & 1;
}

static struct strobe_error *parse_cpus(const char *list, const char *option, struct cpu_bits *ret)
{
	if (list && !text_each_cpu(list, SCHED_CPUS_MAX - 1, add_cpu, ret))
		return error_create(ERROR_USAGE, "%s: '%s' is not a list of CPUs: e.g. 0-3,7", option, list);
	return NULL;
}

static struct strobe_error *parse_pids(struct sched_map *m, const char *list)
{
	for (const char *at = list; at && *at; at += *at == ',') {
		size_t n = strcspn(at, ",");
		_cleanup_free_ char *word = xstrndup(at, n);
		uint64_t pid;
		if (!text_to_u64(word, &pid) || pid > UINT32_MAX)
			return error_create(ERROR_USAGE, "--color-pids: '%s' is not a thread ID", word);
		vec_push(&m->pids, (uint32_t)pid);
		at += n;
	}
	return NULL;
}

static bool matches(const struct sched_map *m, uint32_t thread)
{
	const char *comm = m->threads.threads.data[thread].comm;
	for (const char *at = m->q->tasks; at && *at; at += *at == ',') {
		size_t n = strcspn(at, ",");
		if (m->q->is_fuzzy ? memmem(comm, strlen(comm), at, n) != NULL : !strncmp(comm, at, n) && !comm[n])
			return true;
		at += n;
	}
	return !m->q->tasks;
}

/* ---- names ---- */

static struct mapped *mapped_of(struct sched_map *m, uint32_t thread)
{
	while (m->mapped.len <= thread) {
		struct mapped new = {};
		for (size_t i = 0; i < m->pids.len; i++)
			new.is_coloured |= m->pids.data[i] == m->threads.threads.data[m->mapped.len].tid;
		vec_push(&m->mapped, new);
	}
	return &m->mapped.data[thread];
}

static void next_name(struct sched_map *m, char ret[3])
{
	ret[0] = m->first;
	ret[1] = m->second;
	if (m->first < 'Z') {
		m->first++;
		return;
	}
	m->first = 'A';
	m->second = m->second < '9' ? (char)(m->second + 1) : '0';
}

/* False: already named. */
static bool name_thread(struct sched_map *m, uint32_t thread)
{
	struct mapped *t = mapped_of(m, thread);
	if (t->name[0])
		return false;
	if (!strcmp(m->threads.threads.data[thread].comm, "swapper"))
		memcpy(t->name, ". ", 3);
	else if (matches(m, thread))
		next_name(m, t->name);
	else
		memcpy(t->name, "- ", 3);
	return true;
}

/* ---- lines ---- */

static void put_coloured(const struct sched_map *m, const char *colour, const char *text, size_t n)
{
	if (m->q->colour && colour)
		out_str(m->out, colour);
	out_write(m->out, text, n);
	if (m->q->colour && colour)
		out_str(m->out, COLOUR_OFF);
}

/* The CPU that switched is marked before its thread; '-' marks a leaving thread. */
static void put_cpu(struct sched_map *m, uint32_t cpu, uint32_t this_cpu, bool is_leaving)
{
	const char *mark_colour = cpu == this_cpu && m->q->colour_cpus && has_cpu(&m->colour_cpus, cpu) ? COLOUR_CPUS : NULL;
	const char *name_colour = NULL;
	uint32_t thread = is_leaving ? m->left[cpu] : m->current[cpu];
	char cell[4] = { cpu == this_cpu ? '*' : ' ', ' ', ' ', ' ' };
	if (thread != NOBODY && is_leaving && cpu == this_cpu) {
		cell[1] = '-';
	} else if (thread != NOBODY) {
		const struct mapped *t = mapped_of(m, m->current[cpu]);
		cell[1] = t->name[0] ? t->name[0] : ' ';
		cell[2] = t->name[1] ? t->name[1] : ' ';
		name_colour = t->is_coloured ? COLOUR_PIDS : NULL;
	}
	if (!m->q->colour) {
		out_write(m->out, cell, sizeof(cell));
		return;
	}
	put_coloured(m, mark_colour, cell, 1);
	put_coloured(m, name_colour, cell + 1, sizeof(cell) - 1);
}

static void put_line(struct sched_map *m, const struct sched_event *e, bool is_leaving)
{
	out_str(m->out, "  ");
	for (uint32_t i = 0; i < m->columns_nr; i++)
		put_cpu(m, m->q->compact ? m->columns[i] : i, e->cpu, is_leaving);
	out_str(m->out, "  ");
	sched_clock_put(&m->clock, m->out, e->time_ns, 12);
	out_str(m->out, " secs ");
}

static void put_legend(struct sched_map *m, uint32_t thread)
{
	const struct sched_thread *t = &m->threads.threads.data[thread];
	struct mapped *known = mapped_of(m, thread);
	const char *colour = m->q->colour && known->is_coloured ? COLOUR_PIDS : NULL;
	out_str(m->out, colour ? colour : "");
	out_str(m->out, known->name);
	out_str(m->out, " => ");
	out_text_str(m->out, t->comm);
	out_ch(m->out, ':');
	out_u64(m->out, t->tid);
	out_str(m->out, colour ? COLOUR_OFF : "");
	known->has_new_comm = false;
}

static void put_text(struct sched_map *m, const struct sched_event *e, uint32_t next, uint32_t prev, bool is_new, bool is_new_cpu)
{
	bool comes = matches(m, next), leaves = matches(m, prev);
	if (comes) {
		put_line(m, e, false);
		if (is_new || mapped_of(m, next)->has_new_comm || (m->q->verbose && e->next_pid))
			put_legend(m, next);
		if (m->q->compact && is_new_cpu)
			out_f(m->out, " (CPU %u)", e->cpu);
		out_ch(m->out, '\n');
	}
	if (leaves && m->q->tasks && mapped_of(m, prev)->name[0]) {
		put_line(m, e, true);
		out_ch(m->out, '\n');
	}
}

static void put_row(struct sched_map *m, const struct sched_event *e, uint32_t next, uint32_t prev)
{
	const struct sched_thread *in = &m->threads.threads.data[next], *out = &m->threads.threads.data[prev];
	if (!matches(m, next) && !matches(m, prev))
		return;
	sched_rows_u64(&m->rows, e->time_ns);
	sched_rows_u64(&m->rows, e->cpu);
	sched_rows_str(&m->rows, mapped_of(m, next)->name);
	sched_rows_str(&m->rows, in->comm);
	sched_rows_u64(&m->rows, in->tid);
	sched_rows_str(&m->rows, out->comm);
	sched_rows_u64(&m->rows, out->tid);
}

/* ---- records ---- */

static bool know_cpu(struct sched_map *m, uint32_t cpu)
{
	if (has_cpu(&m->known_cpus, cpu))
		return false;
	add_cpu(&m->known_cpus, cpu);
	if (m->q->compact)
		m->columns[m->columns_nr++] = cpu;
	else if (cpu >= m->columns_nr)
		m->columns_nr = cpu + 1;
	return true;
}

static struct strobe_error *take_event(void *ctx, const struct sched_event *e)
{
	struct sched_map *m = ctx;
	if (e->kind != SCHED_SWITCH || !sched_bad_switch(&m->bad, e))
		return NULL;
	bool is_new_cpu = know_cpu(m, e->cpu);
	uint32_t next = sched_threads_find(&m->threads, SCHED_PID_UNKNOWN, e->next_pid);
	uint32_t prev = sched_threads_find(&m->threads, SCHED_PID_UNKNOWN, e->prev_pid);
	m->current[e->cpu] = next;
	m->left[e->cpu] = prev;
	bool is_new = name_thread(m, next);
	if (m->q->cpus && !has_cpu(&m->cpus, e->cpu))
		return NULL;
	if (m->q->format == TABLE_AS_TEXT)
		put_text(m, e, next, prev, is_new, is_new_cpu);
	else
		put_row(m, e, next, prev);
	return out_failed(m->out) ? error_create(ERROR_STOPPED, "no more output") : NULL;
}

/* perf uses the thread in the record's trailer as the renamed one. */
static struct strobe_error *take_record(void *ctx, struct record r, const struct sample_tail *tail)
{
	struct sched_map *m = ctx;
	if (sched_threads_record(&m->threads, r) != UINT32_MAX && tail->present)
		mapped_of(m, sched_threads_find(&m->threads, tail->pid, tail->tid))->has_new_comm = true;
	return NULL;
}

static struct strobe_error *run(struct sched_map *m)
{
	const struct sched_map_request *q = m->q;
	struct sched_source_callbacks callbacks = { .event = take_event, .record = take_record, .ctx = m };
	TRY(parse_cpus(q->cpus, "--cpus", &m->cpus));
	TRY(parse_cpus(q->colour_cpus, "--color-cpus", &m->colour_cpus));
	TRY(parse_pids(m, q->colour_pids));
	struct sched_source_request source = q->source;
	source.skipped_kinds = ~(SCHED_BIT(SCHED_SWITCH) | SCHED_BIT(SCHED_UNRELATED));
	TRY(sched_source_open(&source, &m->source));
	uint32_t cpus = sched_source_env(m->source)->cpus_available;
	m->columns_nr = q->compact ? 0 : cpus < SCHED_CPUS_MAX ? cpus : SCHED_CPUS_MAX;
	if (q->format != TABLE_AS_TEXT)
		sched_rows_begin(&m->rows, m->out, q->format, "strobe-sched-map", row_keys);
	struct strobe_error *err = sched_source_run(m->source, &callbacks);
	if (q->format == TABLE_AS_TEXT)
		sched_bad_put(&m->bad, sched_source_counts(m->source), m->out);
	else
		sched_rows_end(&m->rows);
	sched_source_remarks(m->source);
	if (!error_is(err, ERROR_STOPPED))
		return err;
	error_destroy(err);
	return NULL;
}

struct strobe_error *sched_map_run(const struct sched_map_request *q, struct out *out)
{
	struct sched_map *m = xcalloc(1, sizeof(*m));
	m->q = q;
	m->out = out;
	m->first = 'A';
	m->second = '0';
	memset(m->current, 0xff, sizeof(m->current));
	memset(m->left, 0xff, sizeof(m->left));
	sched_threads_init(&m->threads, false);
	struct strobe_error *err = run(m);
	sched_source_close(m->source);
	sched_threads_deinit(&m->threads);
	vec_deinit(&m->mapped);
	vec_deinit(&m->pids);
	free(m);
	return err;
}
