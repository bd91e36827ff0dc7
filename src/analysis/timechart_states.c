#include "analysis/timechart_states.h"

#include <stdlib.h>

#include "base/mem.h"

/* Bits of prev_state; the bit above these means preempted. */
#define STATE_BITS    0xff
#define STATE_BLOCKED 2
/* Greater values are damaged, as in perf. */
#define KHZ_MAX 8000000

void timechart_states_deinit(struct timechart_states *s)
{
	free(s->cpus);
	s->cpus = NULL;
}

void timechart_states_time(struct timechart_states *s, uint64_t time_ns)
{
	struct time_chart *c = s->chart;
	if (!c->first_ns || time_ns < c->first_ns)
		c->first_ns = time_ns;
	if (time_ns > c->last_ns)
		c->last_ns = time_ns;
}

static struct timechart_cpu *cpu_of(struct timechart_states *s, uint32_t cpu)
{
	if (cpu >= TIMECHART_CPUS_MAX)
		return NULL;
	if (!s->cpus)
		s->cpus = xcalloc(TIMECHART_CPUS_MAX, sizeof(*s->cpus));
	if (cpu >= s->chart->cpus_nr)
		s->chart->cpus_nr = cpu + 1;
	return &s->cpus[cpu];
}

/* ---- tasks ---- */

static void put_span(struct time_task *t, enum time_span_kind kind, uint32_t cpu, uint64_t end_ns,
		     const struct time_stack *stack)
{
	struct time_row *r = time_task_row(t);
	struct time_span span = { .start_ns = t->since_ns, .end_ns = end_ns, .cpu = cpu, .kind = (uint8_t)kind, .stack = stack };
	if (end_ns < t->since_ns)
		return;
	vec_push(&r->spans, span);
	if (kind == TIME_SPAN_RUNNING)
		r->running_ns += end_ns - t->since_ns;
	if (!r->start_ns || r->start_ns > t->since_ns)
		r->start_ns = t->since_ns;
}

static void set_state(struct time_task *t, enum time_span_kind state, uint64_t time_ns)
{
	t->state = (uint8_t)state;
	t->since_ns = time_ns;
}

void timechart_states_fork(struct timechart_states *s, int32_t pid, int32_t ppid, uint64_t time_ns)
{
	const struct time_task *parent = time_chart_task(s->chart, ppid);
	const char *name = parent->current ? parent->rows.data[parent->current - 1].name : NULL;
	struct time_task *t = time_chart_task(s->chart, pid);
	t->ppid = ppid;
	/* The ID of a task that has ended, or that only had switches, is reused. */
	if (name)
		time_chart_name(s->chart, pid, name);
	t = time_chart_task(s->chart, pid);
	set_state(t, TIME_SPAN_NONE, time_ns);
	t->end_ns = 0;
	if (t->current && !time_task_row(t)->start_ns)
		time_task_row(t)->start_ns = time_ns;
}

void timechart_states_exit(struct timechart_states *s, int32_t pid, uint64_t time_ns)
{
	struct time_task *t = time_chart_task(s->chart, pid);
	t->end_ns = time_ns;
	if (t->current)
		time_task_row(t)->end_ns = time_ns;
}

/* The idle tasks have no rows. */
static struct time_task *task_of(struct timechart_states *s, int32_t pid, const char *name)
{
	struct time_task *t = time_chart_task(s->chart, pid);
	if (!t->current && name && *name) {
		time_chart_name(s->chart, pid, name);
		t = time_chart_task(s->chart, pid);
	}
	return t;
}

void timechart_states_switch(struct timechart_states *s, const struct timechart_switch *e)
{
	(void)cpu_of(s, e->cpu);
	if (e->prev) {
		struct time_task *t = task_of(s, e->prev, e->prev_name);
		uint64_t state = e->prev_state & STATE_BITS;
		if (t->state != TIME_SPAN_NONE)
			put_span(t, TIME_SPAN_RUNNING, e->cpu, e->time_ns, e->stack);
		set_state(t, !state ? TIME_SPAN_WAITING : state & STATE_BLOCKED ? TIME_SPAN_BLOCKED : TIME_SPAN_NONE, e->time_ns);
	}
	if (e->next) {
		struct time_task *t = task_of(s, e->next, e->next_name);
		if (t->state != TIME_SPAN_NONE)
			put_span(t, (enum time_span_kind)t->state, e->cpu, e->time_ns, e->stack);
		set_state(t, TIME_SPAN_RUNNING, e->time_ns);
	}
}

void timechart_states_wake(struct timechart_states *s, const struct time_wake *e, uint32_t cpu)
{
	vec_push(&s->chart->wakes, *e);
	struct time_task *t = time_chart_task(s->chart, e->wakee);
	if (!e->wakee)
		return;
	if (t->state == TIME_SPAN_BLOCKED)
		put_span(t, TIME_SPAN_BLOCKED, cpu, e->time_ns, NULL);
	if (t->state == TIME_SPAN_BLOCKED || t->state == TIME_SPAN_NONE)
		set_state(t, TIME_SPAN_WAITING, e->time_ns);
}

/* ---- power ---- */

static void put_power(struct timechart_states *s, uint32_t cpu, bool is_frequency, uint64_t state, uint64_t since_ns, uint64_t end_ns)
{
	uint64_t start_ns = since_ns ? since_ns : s->chart->first_ns;
	struct time_power p = { .start_ns = start_ns, .end_ns = end_ns, .state = state, .cpu = cpu, .is_frequency = is_frequency };
	if (end_ns >= start_ns)
		vec_push(&s->chart->power, p);
}

void timechart_states_idle(struct timechart_states *s, uint32_t cpu, uint64_t state, bool ends, uint64_t time_ns)
{
	struct timechart_cpu *c = cpu_of(s, cpu);
	if (!c)
		return;
	if (ends && (c->is_idle || !c->has_ended_idle))
		put_power(s, cpu, false, c->idle_state, c->idle_since_ns, time_ns);
	if (ends)
		c->has_ended_idle = true;
	c->is_idle = !ends;
	c->idle_since_ns = time_ns;
	c->idle_state = state;
}

void timechart_states_speed(struct timechart_states *s, uint32_t cpu, uint64_t khz, uint64_t time_ns)
{
	struct time_chart *chart = s->chart;
	struct timechart_cpu *c = khz > KHZ_MAX ? NULL : cpu_of(s, cpu);
	if (!c)
		return;
	put_power(s, cpu, true, c->khz, c->speed_since_ns, time_ns);
	c->khz = khz;
	c->speed_since_ns = time_ns;
	s->has_speed = true;
	if (khz > chart->max_khz)
		chart->max_khz = khz;
	if (khz < chart->min_khz || !chart->min_khz)
		chart->min_khz = khz;
	if (khz + 1000 == chart->max_khz)
		chart->turbo_khz = chart->max_khz;
}

/* ---- input and output ---- */

void timechart_states_io_begin(struct timechart_states *s, int32_t pid, enum time_io_kind kind, int32_t fd, uint64_t time_ns)
{
	struct time_row *r = time_task_row(time_chart_task(s->chart, pid));
	/* The end of the previous one was missed. */
	if (r->ios.len && !vec_last(&r->ios).end_ns) {
		r->ios.len--;
		return;
	}
	struct time_io io = { .start_ns = time_ns, .fd = fd, .kind = (uint8_t)kind };
	vec_push(&r->ios, io);
	if (!r->start_ns || r->start_ns > time_ns)
		r->start_ns = time_ns;
}

static bool moves_bytes(enum time_io_kind kind)
{
	return kind != TIME_IO_SYNC && kind != TIME_IO_POLL;
}

/* Short calls are drawn longer, but without overlap. */
static void lengthen(const struct timechart_states *s, struct time_io *io, struct time_io *before)
{
	if (io->end_ns - io->start_ns < s->io_min_ns)
		io->end_ns = io->start_ns + s->io_min_ns;
	if (before && io->start_ns < before->end_ns) {
		if (before->error) /* errors are to be seen */
			io->start_ns = before->end_ns;
		else
			before->end_ns = io->start_ns;
	}
}

void timechart_states_io_end(struct timechart_states *s, int32_t pid, enum time_io_kind kind, int64_t result, uint64_t time_ns)
{
	struct time_row *r = time_task_row(time_chart_task(s->chart, pid));
	struct time_io *io = r->ios.len ? &vec_last(&r->ios) : NULL;
	if (!io || io->end_ns || io->kind != kind || time_ns < io->start_ns)
		return;
	struct time_io *before = r->ios.len > 1 ? io - 1 : NULL;
	io->end_ns = time_ns;
	lengthen(s, io, before);
	if (result < 0) {
		io->error = (int32_t)result;
	} else if (moves_bytes(kind)) {
		io->bytes = (uint64_t)result;
		r->bytes += io->bytes;
		r->bytes_max = io->bytes > r->bytes_max ? io->bytes : r->bytes_max;
	}
	s->chart->ios++;
	if (!before || before->kind != kind || before->error != io->error || before->fd != io->fd ||
	    before->end_ns + s->io_merge_ns < io->start_ns)
		return;
	before->end_ns = io->end_ns;
	before->bytes += io->bytes;
	before->merges++;
	if (!before->error && before->bytes > r->bytes_max)
		r->bytes_max = before->bytes;
	r->ios.len--;
}

/* ---- the end ---- */

void timechart_states_finish(struct timechart_states *s)
{
	struct time_chart *c = s->chart;
	for (size_t i = 0; i < c->tasks.len; i++) {
		struct time_task *t = &c->tasks.data[i];
		if (t->state != TIME_SPAN_NONE && t->current && !t->end_ns && c->last_ns > t->since_ns) {
			const struct time_row *r = time_task_row(t);
			put_span(t, (enum time_span_kind)t->state, r->spans.len ? vec_last(&r->spans).cpu : 0, c->last_ns, NULL);
		}
	}
	for (uint32_t i = 0; s->cpus && i < c->cpus_nr; i++) {
		if (s->cpus[i].is_idle && c->last_ns > s->cpus[i].idle_since_ns)
			put_power(s, i, false, s->cpus[i].idle_state, s->cpus[i].idle_since_ns, c->last_ns);
		if (s->has_speed)
			put_power(s, i, true, s->cpus[i].khz ? s->cpus[i].khz : c->min_khz, s->cpus[i].speed_since_ns, c->last_ns);
	}
}
