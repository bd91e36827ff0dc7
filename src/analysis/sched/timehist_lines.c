#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/sched/timehist_priv.h"
#include "base/strbuf.h"

#define DOTS "----------------------------------------------------------------------------------------------------------------------"

/* Milliseconds with three decimals, truncated, and a blank. */
void timehist_put_time(struct out *out, uint64_t ns, size_t width)
{
	sched_clock_put_span(out, ns, width);
	out_ch(out, ' ');
}

static void put_visual_header(struct timehist *t)
{
	out_ch(t->out, ' ');
	for (uint32_t i = 0; i <= t->max_cpu; i++)
		out_ch(t->out, "0123456789abcdef"[i % 16]);
	out_ch(t->out, ' ');
}

static void put_titles(struct timehist *t)
{
	struct out *o = t->out;
	out_f(o, "%15s %6s ", "time", "cpu");
	if (t->q->visual)
		put_visual_header(t);
	out_f(o, " %-*s", t->comm_width, "task name");
	if (t->q->prio)
		out_f(o, "  %-8s", "prio");
	out_f(o, "  %9s  %9s  %9s", "wait time", "sch delay", "run time");
	if (t->q->pre_migrations)
		out_f(o, "  %9s", "pre-mig time");
	out_str(o, t->q->state ? "  state\n" : "\n");
}

static void put_units(struct timehist *t)
{
	struct out *o = t->out;
	out_f(o, "%15s %-6s ", "", "");
	if (t->q->visual)
		out_fill(o, ' ', t->max_cpu + 3);
	out_f(o, " %-*s", t->comm_width, "[tid/pid]");
	if (t->q->prio)
		out_f(o, "  %-8s", "");
	out_f(o, "  %9s  %9s  %9s", "(msec)", "(msec)", "(msec)");
	if (t->q->pre_migrations)
		out_f(o, "  %9s", "(msec)");
	out_ch(o, '\n');
}

void timehist_header(struct timehist *t)
{
	struct out *o = t->out;
	int width = (int)t->max_cpu + 1 < (int)sizeof(DOTS) - 1 ? (int)t->max_cpu + 1 : (int)sizeof(DOTS) - 1;
	put_titles(t);
	put_units(t);
	out_f(o, "%.15s %.6s ", DOTS, DOTS);
	if (t->q->visual)
		out_f(o, " %.*s ", width, DOTS);
	out_f(o, " %.*s", t->comm_width, DOTS);
	if (t->q->prio)
		out_f(o, "  %.8s", DOTS);
	out_f(o, "  %.9s  %.9s  %.9s", DOTS, DOTS, DOTS);
	if (t->q->pre_migrations)
		out_f(o, "  %.9s", DOTS);
	out_str(o, t->q->state ? "  -----\n" : "\n");
}

/* ---- chains ---- */

static bool is_scheduler(const char *name)
{
	return !strcmp(name, "schedule") || !strcmp(name, "__schedule") || !strcmp(name, "preempt_schedule");
}

static const char *make_chain(struct timehist *t, const struct sched_event *e)
{
	_cleanup_strbuf_ struct strbuf b = {};
	uint64_t left = t->q->max_stack + 2; /* counts addresses, without inlined functions */
	for (uint32_t i = 0; i < e->chain_nr && left; i++) {
		const struct resolved_frame *f = &e->chain[i];
		const char *name = f->symbol ? dso_symbol_name(f->dso, f->symbol) : "[unknown]";
		left -= !f->inlined;
		if (!is_scheduler(name))
			strbuf_addf(&b, "%s%s%s", b.len ? " <- " : "", name, f->inlined ? " (inlined)" : "");
	}
	return arena_strdup(&t->arena, strbuf_str(&b));
}

const char *timehist_chain(struct timehist *t, const struct sched_event *e)
{
	bool is_new;
	uint64_t *at = u64map_put(&t->chains, e->chain_key, &is_new);
	if (is_new)
		*at = (uintptr_t)make_chain(t, e);
	return (const char *)(uintptr_t)*at;
}

/* ---- lines ---- */

static void put_begin(struct timehist *t, uint64_t time_ns, uint32_t cpu)
{
	sched_clock_put(&t->clock, t->out, time_ns, 15);
	if (cpu > 9) {
		out_str(t->out, " [");
		out_u64_width(t->out, cpu, 4, '0');
	} else {
		out_str(t->out, " [000");
		out_ch(t->out, (char)('0' + cpu));
	}
	out_str(t->out, "] ");
}

static void put_visual(struct timehist *t, uint32_t cpu, char mark, const char *around)
{
	out_str(t->out, around);
	for (uint32_t i = 0; i <= t->max_cpu; i++)
		out_ch(t->out, i == cpu ? mark : ' ');
	out_str(t->out, around);
}

static void put_comm(struct timehist *t, const struct timehist_subject *s)
{
	const struct timehist_label *label = timehist_label(t, s);
	out_ch(t->out, ' ');
	if (label->has_column)
		out_write(t->out, label->column, (size_t)t->comm_width);
	else
		out_text_left(t->out, label->text, (size_t)t->comm_width);
	out_ch(t->out, ' ');
}

static void put_prio(struct timehist *t, const struct sched_event *e, const struct timehist_times *times)
{
	char text[32];
	if (times->prio != e->prev_prio && times->prio != -1)
		snprintf(text, sizeof(text), "%d->%d", times->prio, e->prev_prio);
	else
		snprintf(text, sizeof(text), "%d", e->prev_prio);
	out_f(t->out, " %-8s ", text);
}

static void put_next(struct timehist *t, const struct sched_event *e)
{
	char text[30];
	int comm = (int)strnlen((const char *)e->next_comm.data, e->next_comm.data ? e->next_comm.bytes : 0);
	snprintf(text, sizeof(text), "next: %.*s[%" PRId32 "]", comm, (const char *)e->next_comm.data, (int32_t)e->next_pid);
	out_ch(t->out, ' ');
	out_text_left(t->out, text, (size_t)t->comm_width);
}

static void name_subject(struct timehist *t, const struct sched_event *e, const struct timehist_subject *s)
{
	if (s->thread != UINT32_MAX && !t->threads.threads.data[s->thread].has_comm && e->comm.data)
		sched_threads_name(&t->threads, s->thread, (const char *)e->comm.data, e->comm.bytes);
}

static void put_text(struct timehist *t, const struct sched_event *e, const struct timehist_subject *s, uint64_t shown_ns)
{
	const struct timehist_request *q = t->q;
	bool is_idle = s->thread == UINT32_MAX;
	put_begin(t, shown_ns, e->cpu);
	if (q->visual)
		put_visual(t, e->cpu, is_idle ? 'i' : 's', " ");
	put_comm(t, s);
	if (q->prio)
		put_prio(t, e, s->times);
	timehist_put_time(t->out, timehist_times_wait(s->times), 6);
	timehist_put_time(t->out, s->times->delay_ns, 6);
	timehist_put_time(t->out, s->times->run_ns, 6);
	if (q->pre_migrations)
		timehist_put_time(t->out, s->times->pre_migration_ns, 6);
	if (q->state)
		out_f(t->out, " %5c ", is_idle ? 'I' : e->letter);
	if (q->next)
		put_next(t, e);
	else if (q->wakeups)
		out_fill(t->out, ' ', (size_t)t->comm_width + 2);
	if (!is_idle && t->with_chains) {
		out_str(t->out, "   ");
		out_text_str(t->out, timehist_chain(t, e));
	}
	out_ch(t->out, '\n');
}

/* ---- data ---- */

static void put_row_begin(struct timehist *t, const char *kind, const struct sched_event *e, uint64_t time_ns,
			  const struct timehist_subject *s)
{
	const struct sched_thread *thread = s->thread == UINT32_MAX ? NULL : &t->threads.threads.data[s->thread];
	sched_rows_str(&t->rows, kind);
	sched_rows_u64(&t->rows, time_ns);
	sched_rows_u64(&t->rows, e->cpu);
	sched_rows_str(&t->rows, thread ? thread->comm : "<idle>");
	if (thread && thread->pid == SCHED_PID_UNKNOWN)
		sched_rows_str(&t->rows, NULL);
	else
		sched_rows_u64(&t->rows, thread ? thread->pid : 0);
	sched_rows_u64(&t->rows, thread ? thread->tid : 0);
}

static void put_row(struct timehist *t, const struct sched_event *e, const struct timehist_subject *s, uint64_t shown_ns)
{
	char state[2] = { s->thread == UINT32_MAX ? 'I' : e->letter, 0 };
	char next[SCHED_COMM_BYTES + 1] = "";
	size_t n = e->next_comm.bytes < SCHED_COMM_BYTES ? e->next_comm.bytes : SCHED_COMM_BYTES;
	if (e->next_comm.data)
		memcpy(next, e->next_comm.data, n);
	put_row_begin(t, "switch", e, shown_ns, s);
	sched_rows_u64(&t->rows, timehist_times_wait(s->times));
	sched_rows_u64(&t->rows, s->times->delay_ns);
	sched_rows_u64(&t->rows, s->times->run_ns);
	sched_rows_u64(&t->rows, s->times->pre_migration_ns);
	sched_rows_str(&t->rows, state);
	sched_rows_str(&t->rows, next);
	sched_rows_u64(&t->rows, e->next_pid);
	sched_rows_str(&t->rows, t->with_chains ? timehist_chain(t, e) : NULL);
}

static void put_other_row(struct timehist *t, const char *kind, const struct sched_event *e, const struct timehist_subject *by,
			  const struct timehist_subject *to)
{
	const struct sched_thread *other = &t->threads.threads.data[to->thread];
	put_row_begin(t, kind, e, e->time_ns, by);
	for (int i = 0; i < 5; i++)
		sched_rows_str(&t->rows, NULL);
	sched_rows_str(&t->rows, other->comm);
	sched_rows_u64(&t->rows, other->tid);
	sched_rows_str(&t->rows, NULL);
}

/* ---- */

void timehist_line(struct timehist *t, const struct sched_event *e, const struct timehist_subject *s, uint64_t shown_ns)
{
	if (!timehist_has_cpu(t, e->cpu))
		return;
	name_subject(t, e, s);
	if (t->q->format == TABLE_AS_TEXT)
		put_text(t, e, s, shown_ns);
	else
		put_row(t, e, s, shown_ns);
}

void timehist_wakeup_line(struct timehist *t, const struct sched_event *e, const struct timehist_subject *waker,
			  const struct timehist_subject *wakee)
{
	if (t->q->format != TABLE_AS_TEXT) {
		put_other_row(t, "wakeup", e, waker, wakee);
		return;
	}
	put_begin(t, e->time_ns, e->cpu);
	if (t->q->visual)
		out_fill(t->out, ' ', t->max_cpu + 3);
	put_comm(t, waker);
	out_f(t->out, "  %9s  %9s  %9s awakened: ", "", "", "");
	out_text_str(t->out, timehist_label(t, wakee)->text);
	out_ch(t->out, '\n');
}

void timehist_migration_line(struct timehist *t, const struct sched_event *e, const struct timehist_subject *waker,
			     const struct timehist_subject *migrant)
{
	if (t->q->format != TABLE_AS_TEXT) {
		put_other_row(t, "migration", e, waker, migrant);
		return;
	}
	put_begin(t, e->time_ns, e->cpu);
	if (t->q->visual)
		put_visual(t, e->cpu, 'm', "  ");
	put_comm(t, waker);
	out_f(t->out, "  %9s  %9s  %9s migrated: ", "", "", "");
	out_text_str(t->out, timehist_label(t, migrant)->text);
	out_f(t->out, " cpu %" PRId32 " => %" PRId32 "\n", (int32_t)e->from_cpu, (int32_t)e->to_cpu);
}

void timehist_lost_line(struct timehist *t, uint64_t lost, const struct sample_tail *tail)
{
	out_fixed(t->out, tail->time / 1000, 6, 15);
	out_f(t->out, " lost %" PRIu64 " events on cpu %" PRId32 "\n", lost, (int32_t)tail->cpu);
}
