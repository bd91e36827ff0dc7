#include "analysis/task_states.h"

#include <stdlib.h>

#include "base/mem.h"

/* ---- names ---- */

enum task_state task_state_of(char letter)
{
	switch (letter) {
	case '\0':
	case 'S':
	case 'I': /* an idle kernel thread */
	case 'P': /* parked */
		return TASK_SLEEPING;
	case 'D':
		return TASK_UNINTERRUPTIBLE;
	case 'T':
	case 't':
		return TASK_STOPPED;
	case 'X':
	case 'Z':
		return TASK_DEAD;
	default:
		return TASK_RUNNABLE;
	}
}

const char *task_state_name(enum task_state state)
{
	static const char *const names[TASK_STATES] = { "unknown",	    "running", "runnable", "sleeping",
							"uninterruptible", "stopped", "dead" };
	return state < TASK_STATES ? names[state] : "unknown";
}

char task_state_letter(const char *letters, uint64_t prev_state)
{
	size_t bit = prev_state ? (size_t)__builtin_ctzll(prev_state) : SIZE_MAX;
	return bit < strlen(letters) ? letters[bit] : 'R';
}

/* … ? __print_flags(REC->prev_state & …, "|", { 0x00000001, "S" }, { 0x00000002, "D" }, …) : "R", … */
void task_state_letters(const char *print_fmt, char *ret, size_t n)
{
	size_t len = 0;
	const char *at = print_fmt ? strstr(print_fmt, "__print_flags") : NULL;
	for (uint64_t bit = 1; at && len + 1 < n; bit <<= 1) {
		const char *entry = strchr(at, '{');
		char *end;
		if (!entry || strtoull(entry + 1, &end, 0) != bit)
			break;
		at = strchr(end, '"');
		if (!at || !at[1] || at[2] != '"')
			break;
		ret[len++] = at[1];
		at += 3;
	}
	ret[len] = '\0';
	if (!len && n > 8)
		memcpy(ret, "SDTtXZPI", 9);
}

/* ---- threads and CPUs ---- */

void task_states_init(struct task_states *s, const struct task_states_options *o)
{
	*s = (struct task_states){ .options = *o };
}

void task_states_deinit(struct task_states *s)
{
	vec_deinit(&s->tasks);
	u64map_deinit(&s->by_tid);
	free(s->cpus);
	s->cpus = NULL;
	s->cpus_nr = 0;
}

static struct task_cpu *cpu_at(struct task_states *s, uint32_t cpu)
{
	if (cpu >= TASK_CPUS_MAX) {
		s->bad_cpus++;
		return NULL;
	}
	if (cpu >= s->cpus_nr) {
		uint32_t n = s->cpus_nr ? s->cpus_nr : 8;
		while (n <= cpu)
			n *= 2;
		s->cpus = xreallocarray(s->cpus, n, sizeof(*s->cpus));
		for (uint32_t i = s->cpus_nr; i < n; i++)
			s->cpus[i] = (struct task_cpu){ .current = TASK_NONE, .idle = TASK_NONE };
		s->cpus_nr = n;
	}
	return &s->cpus[cpu];
}

static uint32_t add_task(struct task_states *s, uint32_t tid)
{
	vec_push(&s->tasks, ((struct task){ .tid = tid, .cpu = TASK_NO_CPU, .waker = TASK_NONE, .early_waker = TASK_NONE }));
	return (uint32_t)s->tasks.len - 1;
}

uint32_t task_states_find(struct task_states *s, uint32_t tid, uint32_t cpu)
{
	bool is_new;
	if (!tid) {
		struct task_cpu *c = cpu_at(s, cpu < TASK_CPUS_MAX ? cpu : 0);
		if (c->idle == TASK_NONE)
			c->idle = add_task(s, 0);
		return c->idle;
	}
	uint64_t *at = u64map_put(&s->by_tid, tid, &is_new);
	if (is_new)
		*at = add_task(s, tid);
	return (uint32_t)*at;
}

static void take_time(struct task_states *s, struct task_cpu *c, uint64_t time_ns)
{
	if (!s->has_begun || time_ns < s->first_ns)
		s->first_ns = time_ns;
	if (!s->has_begun || time_ns > s->last_ns)
		s->last_ns = time_ns;
	s->has_begun = true;
	if (c && (!c->seen || time_ns > c->last_ns))
		c->last_ns = time_ns;
	if (c)
		c->seen = true;
}

/* ---- intervals ---- */

/* Ends the state at this time, but not before its start. The caller does not get empty intervals. */
static void end_state(struct task_states *s, uint32_t index, uint64_t time_ns, bool is_cut, uint32_t waker, uint64_t tag)
{
	struct task *t = &s->tasks.data[index];
	if (time_ns < t->since_ns) {
		s->backwards++;
		time_ns = t->since_ns;
	}
	t->ns[t->state] += time_ns - t->since_ns;
	t->last_ns = time_ns;
	if (!s->options.interval || time_ns == t->since_ns)
		return;
	struct task_interval i = {
		.task = index, .cpu = t->cpu, .waker = waker, .state = t->state, .letter = t->letter, .is_preempted = t->is_preempted,
		.is_cut = is_cut || t->is_cut, .start_ns = t->since_ns, .end_ns = time_ns, .tag = t->tag, .end_tag = tag,
	};
	s->options.interval(s->options.ctx, &i);
}

struct next_state {
	enum task_state state;
	char letter;
	bool is_preempted, is_cut;
	uint32_t waker;
	uint64_t tag;
};

static void begin_state(struct task *t, uint64_t time_ns, const struct next_state *n)
{
	if (!t->is_known)
		t->first_ns = t->since_ns = t->last_ns = time_ns;
	t->is_known = true;
	t->since_ns = time_ns > t->since_ns ? time_ns : t->since_ns;
	t->state = (uint8_t)n->state;
	t->letter = n->letter;
	t->is_preempted = n->is_preempted;
	t->is_cut = n->is_cut;
	t->waker = n->waker;
	t->tag = n->tag;
}

static void enter(struct task_states *s, uint32_t index, uint64_t time_ns, uint32_t by, const struct next_state *n)
{
	if (s->tasks.data[index].is_known)
		end_state(s, index, time_ns, false, by, n->tag);
	begin_state(&s->tasks.data[index], time_ns, n);
}

/* From then on the thread's state is unknown. */
static void lose(struct task_states *s, uint32_t index, uint64_t time_ns)
{
	struct task *t = &s->tasks.data[index];
	if (!t->is_known || t->state == TASK_UNKNOWN || t->state == TASK_DEAD)
		return;
	uint64_t from = time_ns > t->since_ns ? time_ns : t->since_ns;
	end_state(s, index, from, true, TASK_NONE, 0);
	begin_state(t, from, &(struct next_state){ .state = TASK_UNKNOWN, .waker = TASK_NONE, .is_cut = true });
	t->early_wake_ns = 0;
}

/* ---- events ---- */

/* A thread leaves a CPU on which it was not: its switch to it, after the CPU's last event, was missed. */
static void find_elsewhere(struct task_states *s, uint32_t index, uint64_t last_ns)
{
	const struct task *t = &s->tasks.data[index];
	if (!t->is_known)
		return;
	if (t->state != TASK_UNKNOWN)
		s->broken++;
	if (t->state == TASK_RUNNING && t->cpu < s->cpus_nr && s->cpus[t->cpu].current == index)
		s->cpus[t->cpu].current = TASK_NONE;
	lose(s, index, last_ns);
}

static void end_thread(struct task_states *s, uint32_t index)
{
	struct task *t = &s->tasks.data[index];
	t->has_ended = true;
	u64map_remove(&s->by_tid, t->tid);
}

static void leave(struct task_states *s, struct task_cpu *c, uint32_t index, const struct task_switch *e, uint64_t last_ns)
{
	struct next_state n = { .state = task_state_of(e->letter), .letter = e->letter, .waker = TASK_NONE, .tag = e->tag };
	if (c->current != index)
		find_elsewhere(s, index, last_ns);
	n.is_preempted = n.state == TASK_RUNNABLE;
	struct task *t = &s->tasks.data[index];
	if (!t->tid)
		n = (struct next_state){ .state = TASK_SLEEPING, .letter = 'I', .waker = TASK_NONE, .tag = e->tag };
	else if (t->is_exiting && !e->letter)
		n.state = TASK_DEAD;
	t->cpu = e->cpu;
	enter(s, index, e->time_ns, TASK_NONE, &n);
	if (n.state == TASK_DEAD)
		end_thread(s, index);
}

/* A sleeping thread is to run without a wake-up. */
static void find_asleep(struct task_states *s, uint32_t index)
{
	struct task *t = &s->tasks.data[index];
	if (!s->options.has_wakes || !t->tid)
		return;
	if (t->early_wake_ns) {
		t->state = TASK_RUNNABLE;
		t->letter = 'R';
		t->waker = t->early_waker;
		t->tag = t->early_tag;
	} else {
		s->broken++;
		t->state = TASK_UNKNOWN;
	}
}

static bool is_waiting(const struct task *t)
{
	return t->state == TASK_SLEEPING || t->state == TASK_UNINTERRUPTIBLE || t->state == TASK_STOPPED;
}

static void arrive(struct task_states *s, struct task_cpu *c, uint32_t index, const struct task_switch *e)
{
	struct task *t = &s->tasks.data[index];
	if (t->state == TASK_RUNNING && t->cpu < s->cpus_nr && s->cpus[t->cpu].current == index) {
		uint64_t last_ns = s->cpus[t->cpu].last_ns;
		s->broken++;
		s->cpus[t->cpu].current = TASK_NONE;
		lose(s, index, last_ns < e->time_ns ? last_ns : e->time_ns);
	} else if (is_waiting(t)) {
		find_asleep(s, index);
	}
	enter(s, index, e->time_ns, t->state == TASK_RUNNABLE ? t->waker : TASK_NONE,
	      &(struct next_state){ .state = TASK_RUNNING, .letter = 'R', .waker = TASK_NONE, .tag = e->tag });
	t->migrations += t->cpu != TASK_NO_CPU && t->cpu != e->cpu;
	t->cpu = e->cpu;
	t->early_wake_ns = 0;
	t->runs++;
	c->current = index;
}

void task_states_switch(struct task_states *s, const struct task_switch *e)
{
	struct task_cpu *c = cpu_at(s, e->cpu);
	if (!c)
		return;
	uint64_t last_ns = c->seen && c->last_ns < e->time_ns ? c->last_ns : e->time_ns;
	uint32_t current = c->current;
	bool is_current = current != TASK_NONE && s->tasks.data[current].tid == e->prev_tid;
	uint32_t prev = is_current ? current : task_states_find(s, e->prev_tid, e->cpu);
	uint32_t next = task_states_find(s, e->next_tid, e->cpu);
	if (current != TASK_NONE && current != prev) {
		s->broken++;
		lose(s, current, last_ns);
	}
	leave(s, c, prev, e, last_ns);
	arrive(s, c, next, e);
	take_time(s, c, e->time_ns);
}

/* The ID is reused: the end of its thread was missed. */
static void replace(struct task_states *s, uint32_t index)
{
	const struct task *t = &s->tasks.data[index];
	if (t->cpu < s->cpus_nr && s->cpus[t->cpu].current == index)
		s->cpus[t->cpu].current = TASK_NONE;
	lose(s, index, t->since_ns);
	end_thread(s, index);
}

/* From now on the ID belongs to a new thread. */
static void begin_thread(struct task_states *s, uint32_t tid)
{
	const uint64_t *at = u64map_get(&s->by_tid, tid);
	if (at && s->tasks.data[*at].is_known)
		replace(s, (uint32_t)*at);
}

/* A waker is running: if its switch was missed, from here on. */
static void find_running(struct task_states *s, struct task_cpu *c, uint32_t index, const struct task_wake *e)
{
	if (c->current == index)
		return;
	uint64_t last_ns = c->seen && c->last_ns < e->time_ns ? c->last_ns : e->time_ns;
	if (c->current != TASK_NONE) {
		s->broken++;
		lose(s, c->current, last_ns);
	}
	find_elsewhere(s, index, last_ns);
	enter(s, index, e->time_ns, TASK_NONE,
	      &(struct next_state){ .state = TASK_RUNNING, .letter = 'R', .is_cut = true, .waker = TASK_NONE });
	s->tasks.data[index].cpu = e->cpu;
	c->current = index;
}

void task_states_wake(struct task_states *s, const struct task_wake *e)
{
	struct task_cpu *c = cpu_at(s, e->cpu);
	if (!c || !e->tid)
		return;
	bool has_waker = !e->in_interrupt && e->waker_tid <= INT32_MAX;
	uint32_t waker = has_waker ? task_states_find(s, e->waker_tid, e->cpu) : TASK_NONE;
	if (waker != TASK_NONE)
		find_running(s, c, waker, e);
	if (e->is_new)
		begin_thread(s, e->tid);
	uint32_t index = task_states_find(s, e->tid, e->cpu);
	struct task *t = &s->tasks.data[index];
	take_time(s, c, e->time_ns);
	if (t->state == TASK_RUNNING) {
		t->early_wake_ns = e->time_ns;
		t->early_waker = waker;
		t->early_tag = e->tag;
	} else if (!t->is_known || is_waiting(t) || t->state == TASK_UNKNOWN) {
		enter(s, index, e->time_ns, waker,
		      &(struct next_state){ .state = TASK_RUNNABLE, .letter = 'R', .waker = waker, .tag = e->tag });
	}
}

void task_states_migrate(struct task_states *s, uint32_t tid, uint32_t cpu, uint64_t time_ns)
{
	take_time(s, cpu_at(s, cpu), time_ns);
	if (!tid)
		return;
	uint32_t index = task_states_find(s, tid, cpu);
	struct task *t = &s->tasks.data[index];
	if (t->state == TASK_UNKNOWN && !t->is_known)
		begin_state(t, time_ns, &(struct next_state){ .state = TASK_RUNNABLE, .letter = 'R', .waker = TASK_NONE, .is_cut = true });
}

void task_states_fork(struct task_states *s, uint32_t pid, uint32_t tid)
{
	if (!tid)
		return;
	begin_thread(s, tid);
	uint32_t index = task_states_find(s, tid, 0);
	s->tasks.data[index].pid = pid;
}

void task_states_exit(struct task_states *s, uint32_t tid)
{
	const uint64_t *at = tid ? u64map_get(&s->by_tid, tid) : NULL;
	if (at)
		s->tasks.data[*at].is_exiting = true;
}

void task_states_gap(struct task_states *s, uint32_t cpu, uint64_t time_ns)
{
	struct task_cpu *c = cpu == TASK_NO_CPU ? NULL : cpu_at(s, cpu);
	uint64_t from = c ? c->last_ns : s->last_ns;
	s->gaps++;
	if (from > time_ns)
		from = time_ns;
	for (size_t i = 0; i < s->tasks.len; i++) {
		const struct task *t = &s->tasks.data[i];
		bool is_elsewhere = t->state == TASK_RUNNING && c && t->cpu != cpu;
		bool is_idle_elsewhere = !t->tid && c && t->cpu != cpu;
		if (!is_elsewhere && !is_idle_elsewhere)
			lose(s, (uint32_t)i, from);
	}
	if (c)
		c->current = TASK_NONE;
	for (uint32_t i = 0; !c && i < s->cpus_nr; i++)
		s->cpus[i].current = TASK_NONE;
	take_time(s, c, time_ns);
}

void task_states_finish(struct task_states *s, uint64_t time_ns)
{
	if (time_ns > s->last_ns)
		s->last_ns = time_ns;
	for (size_t i = 0; i < s->tasks.len; i++) {
		const struct task *t = &s->tasks.data[i];
		if (t->is_known && !t->has_ended)
			end_state(s, (uint32_t)i, s->last_ns, true, TASK_NONE, 0);
	}
}

uint64_t task_time(const struct task *t)
{
	uint64_t sum = 0;
	for (int i = 0; i < TASK_STATES; i++)
		sum += t->ns[i];
	return sum;
}
