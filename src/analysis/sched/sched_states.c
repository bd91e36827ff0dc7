#include "analysis/sched/sched_states.h"

#include <inttypes.h>

void sched_states_event(struct task_states *s, const struct sched_event *e, bool has_waking, uint64_t tag)
{
	if (e->kind == SCHED_SWITCH)
		task_states_switch(s, &(struct task_switch){ .time_ns = e->time_ns, .cpu = e->cpu, .prev_tid = e->prev_pid,
							     .next_tid = e->next_pid, .letter = e->letter, .tag = tag });
	else if (e->kind == SCHED_MIGRATE)
		task_states_migrate(s, e->migrant, e->to_cpu, e->time_ns);
	else if (e->kind == SCHED_WAKEUP_NEW || e->kind == (has_waking ? SCHED_WAKING : SCHED_WAKEUP))
		task_states_wake(s, &(struct task_wake){ .time_ns = e->time_ns, .cpu = e->cpu, .tid = e->wakee, .waker_tid = e->tid,
							 .is_new = e->kind == SCHED_WAKEUP_NEW, .in_interrupt = e->in_interrupt,
							 .tag = tag });
}

void sched_states_record(struct task_states *s, struct record r, const struct sample_tail *tail)
{
	struct record_task task;
	if (r.hdr->type == PERF_RECORD_FORK && record_decode_task(r, &task))
		task_states_fork(s, task.pid, task.tid);
	else if (r.hdr->type == PERF_RECORD_EXIT && record_decode_task(r, &task))
		task_states_exit(s, task.tid);
	else if (r.hdr->type == PERF_RECORD_LOST && tail->present)
		task_states_gap(s, tail->cpu == SAMPLE_NO_CPU ? TASK_NO_CPU : tail->cpu, tail->time);
}

void sched_states_remarks(const struct task_states *s, const struct session_host *host)
{
	uint64_t unknown_ns = 0, all_ns = 0;
	for (size_t i = 0; i < s->tasks.len; i++) {
		unknown_ns += s->tasks.data[i].ns[TASK_UNKNOWN];
		all_ns += task_time(&s->tasks.data[i]);
	}
	if (unknown_ns)
		session_say(host, "the state is unknown for %.3f of %.3f ms of all threads, because of %" PRIu64 " gaps and %" PRIu64
				  " contradictory events",
			    (double)unknown_ns / 1e6, (double)all_ns / 1e6, s->gaps, s->broken);
	if (s->bad_cpus)
		session_say(host, "%" PRIu64 " events have no valid CPU: they were skipped", s->bad_cpus);
}
