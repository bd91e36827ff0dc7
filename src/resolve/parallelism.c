#include "resolve/parallelism.h"

#include <linux/perf_event.h>

#include "record/record.h"
#include "record/sample.h"

#define MISC_FORK_MADE_UP (1 << 13) /* PERF_RECORD_MISC_FORK_EXEC: synthesized, for an existing thread */

static void set_running(struct parallelism *p, uint32_t tid, bool runs)
{
	if (!tid)
		return;
	uint64_t *was = u64map_put(&p->threads, tid, NULL);
	p->running += (uint32_t)runs - (uint32_t)*was;
	*was = runs;
}

/* The ID may have belonged to a thread whose end was missed: the state of the new one is unknown. */
static void forget(struct parallelism *p, uint32_t tid)
{
	set_running(p, tid, false);
	u64map_remove(&p->threads, tid);
}

static void note_switch(struct parallelism *p, const struct env *env, struct record r)
{
	struct record_switch sw;
	struct sample_tail tail;
	const struct sample_layout *layout = env_tail_layout(env);
	if (layout && layout->sample_type & PERF_SAMPLE_TID && record_decode_switch(r, &sw) && sample_tail_decode(layout, r, &tail))
		set_running(p, tail.tid, !sw.out);
}

void parallelism_note(struct parallelism *p, const struct env *env, struct record r)
{
	struct record_task task;
	struct record_comm comm;
	switch (r.hdr->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		note_switch(p, env, r);
		break;
	case PERF_RECORD_COMM: /* if events are enabled by exec, no record shows that the thread runs */
		if (record_decode_comm(r, &comm) && comm.exec)
			set_running(p, comm.tid, true);
		break;
	case PERF_RECORD_FORK:
		if (!(r.hdr->misc & MISC_FORK_MADE_UP) && record_decode_task(r, &task))
			forget(p, task.tid);
		break;
	case PERF_RECORD_EXIT: /* the last switch of a thread has no record */
		if (record_decode_task(r, &task))
			set_running(p, task.tid, false);
		break;
	default:
		break;
	}
}

uint32_t parallelism_at(struct parallelism *p, const struct env *env, uint32_t tid)
{
	uint32_t cpus = env->cpus_available;
	if (!u64map_get(&p->threads, tid))
		set_running(p, tid, true);
	if (!p->running)
		return 1;
	return cpus && p->running > cpus ? cpus : p->running;
}

void parallelism_deinit(struct parallelism *p)
{
	u64map_deinit(&p->threads);
	*p = (struct parallelism){};
}
