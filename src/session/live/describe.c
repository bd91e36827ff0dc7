#include "session/live/describe.h"

#include "record/wait.h"

static void add_events(const struct live_session *l, struct strbuf *b)
{
	const struct env *env = live_env(l);
	bool first = true;
	for (size_t i = 0; i < env->events.len; i++) {
		const struct perf_event_attr *a = &env->events.data[i].attr;
		if (l->events.events.data[i].is_dummy || wait_is_event(&env->events.data[i]))
			continue;
		strbuf_addstr(b, first ? "[" : ", ");
		if (a->freq)
			strbuf_addf(b, "%lluHz ", (unsigned long long)a->sample_freq);
		else if (a->sample_period != 1)
			strbuf_addf(b, "1/%llu ", (unsigned long long)a->sample_period);
		strbuf_addstr(b, env->events.data[i].name);
		first = false;
	}
	strbuf_addstr(b, l->o.with_waits ? ", waits]" : "]");
}

static void add_target(const struct live_session *l, struct strbuf *b)
{
	const struct target *target = &l->o.capture->target;
	size_t cpus = capture_target(l->capture)->cpus.len;
	if (target->pids)
		strbuf_addf(b, "(target_pid: %s", target->pids);
	else if (target->tids)
		strbuf_addf(b, "(target_tid: %s", target->tids);
	else if (target->uid)
		strbuf_addf(b, "(uid: %s", target->uid);
	else
		strbuf_addstr(b, "(all");
	if (target->cpus)
		strbuf_addf(b, ", CPU%s: %s)", cpus > 1 ? "s" : "", target->cpus);
	else if (target->pids || target->tids || target->uid)
		strbuf_addstr(b, ")");
	else
		strbuf_addf(b, ", %zu CPU%s)", cpus, cpus > 1 ? "s" : "");
}

static void add_losses(const struct report_refresh *f, struct strbuf *b)
{
	strbuf_addf(b, "lost: %llu/%llu drop: %llu/%llu", (unsigned long long)f->lost, (unsigned long long)f->lost_total,
		    (unsigned long long)f->dropped, (unsigned long long)f->dropped_total);
}

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static double rate(const struct report_refresh *f)
{
	return f->seconds > 0 ? (double)f->samples / f->seconds : 0;
}

void live_describe(const struct live_session *l, struct strbuf *b)
{
	const struct report_refresh *f = &l->refresh;
	strbuf_addf(b, "   PerfTop:%8.0f irqs/sec  kernel:%4.1f%%  exact: %4.1f%% ", rate(f), share(f->kernel_samples, f->samples),
		    share(f->exact_samples, f->samples));
	add_losses(f, b);
	strbuf_addstr(b, " ");
	add_events(l, b);
	strbuf_addstr(b, ",  ");
	add_target(l, b);
	strbuf_addstr(b, f->in_kernel ? " BPF" : "");
}

void live_describe_briefly(const struct live_session *l, bool with_rates, struct strbuf *b)
{
	const struct report_refresh *f = &l->refresh;
	const struct perf_event_attr *a = &live_env(l)->events.data[0].attr;
	if (with_rates)
		strbuf_addf(b, ", %.0f samples/s, kernel %.1f%%, %s", rate(f), share(f->kernel_samples, f->samples),
			    f->in_kernel ? "aggregated by BPF" : "by ring buffers");
	if (a->freq)
		strbuf_addf(b, ", %llu Hz", (unsigned long long)a->sample_freq);
	strbuf_addstr(b, ", ");
	add_losses(f, b);
}
