#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sched/timehist_priv.h"
#include "base/mem.h"
#include "base/text.h"
#include "session/sample_choice.h"

static const char *const row_keys[] = { "event", "time_ns", "cpu", "comm", "pid", "tid", "wait_ns", "delay_ns", "run_ns",
					"pre_migration_ns", "state", "next_comm", "next_tid", "chain", NULL };

/* ---- threads ---- */

static struct timehist_cpu *cpu_of(struct timehist *t, uint32_t cpu)
{
	while (t->cpus.len <= cpu)
		vec_push(&t->cpus, ((struct timehist_cpu){ .idle = { .times.prio = -1, .last = UINT32_MAX } }));
	return &t->cpus.data[cpu];
}

static struct timehist_times *times_of(struct timehist *t, uint32_t thread)
{
	while (t->times.len <= thread)
		vec_push(&t->times, ((struct timehist_times){ .prio = -1 }));
	return &t->times.data[thread];
}

static struct timehist_subject subject_of(struct timehist *t, uint32_t pid, uint32_t tid)
{
	uint32_t thread = sched_threads_find(&t->threads, pid, tid);
	return (struct timehist_subject){ .thread = thread, .times = times_of(t, thread) };
}

static struct timehist_subject idle_of(struct timehist *t, uint32_t cpu)
{
	struct timehist_cpu *c = cpu_of(t, cpu);
	c->idle.exists = true;
	return (struct timehist_subject){ .thread = UINT32_MAX, .times = &c->idle.times };
}

static int write_label(const struct sched_thread *thread, char *ret, size_t bytes)
{
	int n;
	if (!thread->pid)
		n = snprintf(ret, bytes, "%s", thread->comm);
	else if (thread->tid != thread->pid)
		n = snprintf(ret, bytes, "%s[%" PRId32 "/%" PRId32 "]", thread->comm, (int32_t)thread->tid, (int32_t)thread->pid);
	else
		n = snprintf(ret, bytes, "%s[%" PRId32 "]", thread->comm, (int32_t)thread->tid);
	return n < (int)bytes ? n : (int)bytes - 1;
}

static void write_column(struct timehist_label *label)
{
	size_t n = strlen(label->text), column_bytes;
	struct out column;
	out_init_mem(&column);
	out_text_left(&column, label->text, sizeof(label->column));
	const char *text = out_mem(&column, &column_bytes);
	label->has_column = column_bytes == sizeof(label->column) && !memcmp(text, label->text, n);
	if (label->has_column)
		memcpy(label->column, text, sizeof(label->column));
	error_destroy(out_close(&column));
}

const struct timehist_label *timehist_label(struct timehist *t, const struct timehist_subject *s)
{
	static const struct timehist_label idle = { .has_column = true, .text = "<idle>", .column = "<idle>                         " };
	if (s->thread == UINT32_MAX)
		return &idle;
	const struct sched_thread *thread = &t->threads.threads.data[s->thread];
	while (t->labels.len <= s->thread)
		vec_push(&t->labels, (struct timehist_label){});
	struct timehist_label *label = &t->labels.data[s->thread];
	if (label->comm != thread->comm || label->pid != thread->pid) {
		int n = write_label(thread, label->text, sizeof(label->text));
		label->comm = thread->comm;
		label->pid = thread->pid;
		t->comm_width = n > t->comm_width ? n : t->comm_width;
		write_column(label);
	}
	return label;
}

/* ---- who is chosen ---- */

static bool is_listed(const uint32_t *list, uint32_t n, uint32_t value)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return !n;
}

bool timehist_has_thread(const struct timehist *t, uint32_t thread)
{
	const struct sched_thread *s = &t->threads.threads.data[thread];
	return is_listed(t->filter.pids, t->filter.pids_nr, s->pid) && is_listed(t->filter.tids, t->filter.tids_nr, s->tid);
}

bool timehist_has_cpu(const struct timehist *t, uint32_t cpu)
{
	return is_listed(t->filter.cpus, t->filter.cpus_nr, cpu);
}

static bool has_subject(const struct timehist *t, const struct timehist_subject *s)
{
	if (s->thread != UINT32_MAX)
		return timehist_has_thread(t, s->thread);
	return is_listed(t->filter.pids, t->filter.pids_nr, 0) && is_listed(t->filter.tids, t->filter.tids_nr, 0);
}

/* Whether a thread's part in an event is left out. */
static bool skips(struct timehist *t, const struct timehist_subject *s, const struct sched_event *e)
{
	bool is_switch = e->kind == SCHED_SWITCH;
	bool skip = !has_subject(t, s);
	int prio = s->times->prio != -1 ? s->times->prio : is_switch ? e->prev_prio : -1;
	t->skipped += skip;
	if (t->q->prios && prio != -1 && (prio < 0 || prio >= TIMEHIST_PRIOS || !t->prios[prio])) {
		skip = true;
		t->skipped++;
	}
	return skip || (t->q->idle && (!is_switch || (e->prev_pid && e->next_pid)));
}

/* ---- wake-ups and migrations ---- */

/* The waker's line, if waker or wakee is selected. */
static void take_wake(struct timehist *t, const struct sched_event *e)
{
	uint32_t wakee = subject_of(t, 0, e->wakee).thread;
	struct timehist_times *times = times_of(t, wakee);
	if (!times->ready_ns)
		times->ready_ns = e->time_ns;
	if (!t->q->wakeups || !sched_window_has(&t->window, e->time_ns))
		return;
	struct timehist_subject by = subject_of(t, e->pid, e->tid);
	struct timehist_subject woken = { .thread = wakee, .times = times_of(t, wakee) };
	if (skips(t, &by, e) && skips(t, &woken, e))
		return;
	timehist_wakeup_line(t, e, &by, &woken);
}

static void take_migration(struct timehist *t, const struct sched_event *e)
{
	uint32_t migrant = subject_of(t, 0, e->migrant).thread;
	struct timehist_times *times = times_of(t, migrant);
	times->migrations++;
	times->migrated_ns = e->time_ns;
	if (!t->q->migrations || t->q->summary_only)
		return;
	struct timehist_subject by = subject_of(t, e->pid, e->tid);
	struct timehist_subject moved = { .thread = migrant, .times = times_of(t, migrant) };
	if (skips(t, &by, e) && skips(t, &moved, e))
		return;
	timehist_migration_line(t, e, &by, &moved);
}

/* ---- switches ---- */

static void take_prio(struct timehist *t, const struct sched_event *e)
{
	if (!e->next_pid)
		idle_of(t, e->cpu).times->prio = e->next_prio;
	else
		subject_of(t, SCHED_PID_UNKNOWN, e->next_pid).times->prio = e->next_prio;
}

/* The thread after which a CPU became idle, and its stack. */
static void take_idle_cause(struct timehist *t, const struct sched_event *e, uint32_t thread)
{
	struct timehist_idle *idle = &cpu_of(t, e->cpu)->idle;
	idle->exists = true;
	idle->last = thread;
	if (e->next_pid || !t->with_chains || !e->chain_key)
		return;
	idle->chain_key = e->chain_key;
	idle->chain = timehist_chain(t, e);
}

static struct timehist_subject leaving(struct timehist *t, const struct sched_event *e)
{
	if (!e->prev_pid)
		return idle_of(t, e->cpu);
	struct timehist_subject s = subject_of(t, e->pid, e->tid ? e->tid : e->pid);
	if (t->q->idle)
		take_idle_cause(t, e, s.thread);
	return s;
}

static void add_idle_chain(struct timehist_idle *idle, uint64_t ns)
{
	bool is_new;
	uint64_t *at = u64map_put(&idle->by_key, idle->chain_key, &is_new);
	if (is_new) {
		*at = idle->chains.len;
		vec_push(&idle->chains, ((struct idle_chain){ .key = idle->chain_key, .text = idle->chain }));
	}
	idle->chains.data[*at].total_ns += ns;
	idle->chains.data[*at].count++;
}

static void add_stretch(const struct timehist *t, struct timehist_times *times, uint64_t time_ns, uint64_t came_ns)
{
	timehist_times_add(times, time_ns, came_ns);
	if (t->q->summary || t->q->summary_only)
		timehist_times_sum(times);
}

/* Attributes the idle time of the CPU to the thread before. False: none. */
static bool add_idle_time(struct timehist *t, const struct sched_event *e, uint64_t time_ns, uint64_t came_ns)
{
	struct timehist_idle *idle = &cpu_of(t, e->cpu)->idle;
	if (idle->last == UINT32_MAX)
		return false;
	struct timehist_times *last = times_of(t, idle->last);
	add_stretch(t, last, time_ns, came_ns);
	timehist_times_clear(last);
	if (idle->chain_key)
		add_idle_chain(idle, time_ns - came_ns);
	idle->last = UINT32_MAX;
	return true;
}

/* Cuts times to the range of --time. False: completely outside. */
static bool cut_to_window(const struct timehist *t, uint64_t *time_ns, uint64_t *came_ns)
{
	if (t->window.start_ns && t->window.start_ns > *time_ns)
		return false;
	if (*came_ns && t->window.start_ns > *came_ns)
		*came_ns = t->window.start_ns;
	if (!t->window.end_ns)
		return true;
	if (!*came_ns || *came_ns > t->window.end_ns)
		return false;
	if (*time_ns > t->window.end_ns)
		*time_ns = t->window.end_ns;
	return true;
}

static void count_switch(struct timehist *t, const struct sched_event *e, const struct timehist_subject *s, uint64_t *time_ns)
{
	uint64_t came_ns = cpu_of(t, e->cpu)->last_ns;
	if (!cut_to_window(t, time_ns, &came_ns))
		return;
	if (t->q->idle && s->thread != UINT32_MAX)
		return;
	if (timehist_has_cpu(t, e->cpu))
		add_stretch(t, s->times, *time_ns, came_ns);
	if (t->q->idle && !add_idle_time(t, e, *time_ns, came_ns))
		return;
	if (!t->q->summary_only)
		timehist_line(t, e, s, *time_ns);
}

static void take_switch(struct timehist *t, const struct sched_event *e)
{
	uint64_t shown_ns = e->time_ns;
	if (t->q->prio || t->q->prios)
		take_prio(t, e);
	struct timehist_subject s = leaving(t, e);
	bool is_skipped = skips(t, &s, e);
	if (!is_skipped)
		count_switch(t, e, &s, &shown_ns);
	if (!t->shown_start_ns && shown_ns >= t->window.start_ns)
		t->shown_start_ns = shown_ns;
	if (!t->window.end_ns || shown_ns <= t->window.end_ns)
		t->shown_end_ns = shown_ns;
	if (!is_skipped)
		timehist_times_leave(s.times, e->time_ns, e->letter, shown_ns);
	cpu_of(t, e->cpu)->last_ns = e->time_ns;
}

/* ---- records ---- */

static struct strobe_error *take_event(void *ctx, const struct sched_event *e)
{
	struct timehist *t = ctx;
	if (!t->is_ready)
		t->has_waking = sched_source_has(t->source, SCHED_WAKING);
	t->is_ready = true;
	if (e->cpu >= SCHED_CPUS_MAX)
		return NULL;
	if (e->cpu > t->max_cpu)
		t->max_cpu = e->cpu;
	if (e->kind == SCHED_SWITCH)
		take_switch(t, e);
	else if (e->kind == SCHED_WAKEUP_NEW || e->kind == (t->has_waking ? SCHED_WAKING : SCHED_WAKEUP))
		take_wake(t, e);
	else if (e->kind == SCHED_MIGRATE && (t->q->migrations || t->q->pre_migrations))
		take_migration(t, e);
	return out_failed(t->out) ? error_create(ERROR_STOPPED, "no more output") : NULL;
}

static struct strobe_error *take_record(void *ctx, struct record r, const struct sample_tail *tail)
{
	struct timehist *t = ctx;
	struct record_lost lost;
	sched_threads_record(&t->threads, r);
	if (r.hdr->type == PERF_RECORD_LOST && record_decode_lost(r, &lost) && t->q->format == TABLE_AS_TEXT)
		timehist_lost_line(t, lost.lost, tail);
	return NULL;
}

/* ---- options ---- */

static bool add_prio(void *ctx, uint32_t prio)
{
	((bool *)ctx)[prio] = true;
	return true;
}

static struct strobe_error *parse(struct timehist *t)
{
	const struct timehist_request *q = t->q;
	const struct sample_choice choice = { .pids = q->pids, .tids = q->tids, .cpus = q->cpus };
	if (q->prios && !text_each_cpu(q->prios, TIMEHIST_PRIOS - 1, add_prio, t->prios))
		return error_create(ERROR_USAGE, "--prio: '%s' is not a list of priorities from 0 to 139: e.g. 0-99,120", q->prios);
	TRY(sched_window_parse(q->times, &t->window));
	return sample_choice_parse(&choice, sched_source_env(t->source), &t->arena, &t->filter);
}

/* ---- the whole ---- */

/* To show the number of CPUs, the CPUs of all events count. */
static uint32_t unused_kinds(const struct timehist_request *q)
{
	if (q->visual || q->summary || q->summary_only)
		return 0;
	return SCHED_BIT(SCHED_RUNTIME) | SCHED_BIT(SCHED_FORK) | (q->migrations || q->pre_migrations ? 0 : SCHED_BIT(SCHED_MIGRATE));
}

static struct strobe_error *run(struct timehist *t)
{
	const struct timehist_request *q = t->q;
	struct sched_source_callbacks callbacks = { .event = take_event, .record = take_record, .ctx = t };
	struct sched_source_request source = q->source;
	source.skipped_kinds = unused_kinds(q);
	TRY(sched_source_open(&source, &t->source));
	TRY(parse(t));
	t->with_chains = q->source.with_chains && sched_source_has_chains(t->source);
	t->max_cpu = sched_source_env(t->source)->cpus_online;
	if (!t->max_cpu || t->max_cpu > SCHED_CPUS_MAX)
		t->max_cpu = 4;
	for (uint32_t i = 0; i < t->max_cpu; i++)
		idle_of(t, i);
	if (q->format != TABLE_AS_TEXT)
		sched_rows_begin(&t->rows, t->out, q->format, "strobe-sched-timehist", row_keys);
	else if (!q->summary_only)
		timehist_header(t);
	struct strobe_error *err = sched_source_run(t->source, &callbacks);
	if (q->format != TABLE_AS_TEXT)
		sched_rows_end(&t->rows);
	else if (q->summary || q->summary_only)
		timehist_summary(t);
	sched_source_remarks(t->source);
	if (!error_is(err, ERROR_STOPPED))
		return err;
	error_destroy(err);
	return NULL;
}

static void destroy(struct timehist *t)
{
	sched_source_close(t->source);
	sched_threads_deinit(&t->threads);
	for (size_t i = 0; i < t->cpus.len; i++) {
		vec_deinit(&t->cpus.data[i].idle.chains);
		u64map_deinit(&t->cpus.data[i].idle.by_key);
	}
	vec_deinit(&t->cpus);
	vec_deinit(&t->times);
	vec_deinit(&t->labels);
	u64map_deinit(&t->chains);
	arena_deinit(&t->arena);
	free(t);
}

struct strobe_error *timehist_run(const struct timehist_request *q, struct out *out)
{
	struct timehist *t = xcalloc(1, sizeof(*t));
	t->q = q;
	t->out = out;
	t->comm_width = 30;
	sched_threads_init(&t->threads, true);
	struct strobe_error *err = run(t);
	destroy(t);
	return err;
}
