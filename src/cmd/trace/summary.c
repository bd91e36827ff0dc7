#include "cmd/trace/summary.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cmd/trace/show.h"

struct strobe_error *trace_summary_open(struct trace_run *r, struct summary_tracer **ret)
{
	struct summary_options options = { .by = r->o->by, .errnos = r->o->errnos, .sched = r->o->sched };
	return summary_tracer_open(&r->whom, &options, ret);
}

static struct strobe_error *summary_open(struct trace_run *r)
{
	struct summary_tracer *s;
	TRY(trace_summary_open(r, &s));
	r->state = s;
	return NULL;
}

static void summary_enable(struct trace_run *r, bool on)
{
	summary_tracer_enable(r->state, on);
}

/* Names of calls that have none live as long as the statistics do. */
struct names {
	const struct trace_run *run;
	struct arena arena;
};

static const char *name_of(void *ctx, uint32_t call)
{
	struct names *n = ctx;
	const struct syscall_desc *d = trace_call_desc(n->run, call);
	uint32_t number = call % TRACE_NUMBERS;
	char name[24];
	if (d)
		return d->name;
	syscall_desc_unknown(NULL, number, &name);
	/* The kernel side counts the highest number and all above it as one. */
	return arena_printf(&n->arena, "%s%s", name, number == TRACE_NUMBERS - 1 ? "+" : "");
}

struct strobe_error *trace_summary_print(struct trace_run *r, struct summary_tracer *s)
{
	struct syscall_stats stats = {};
	struct names names = { .run = r };
	arena_init(&stats.arena);
	arena_init(&names.arena);
	summary_tracer_stop(s);
	struct strobe_error *err = summary_tracer_read(s, name_of, &names, &stats);
	if (!err)
		trace_print_stats(r, &stats);
	syscall_stats_deinit(&stats);
	arena_deinit(&names.arena);
	return err;
}

static struct strobe_error *summary_finish(struct trace_run *r)
{
	TRY(trace_summary_print(r, r->state));
	if (r->o->map_dump)
		summary_tracer_dump(r->state, r->o->map_dump, &r->out);
	return NULL;
}

static void summary_close(struct trace_run *r)
{
	summary_tracer_close(r->state);
}

const struct trace_hooks trace_summary_hooks = {
	.open = summary_open,
	.enable = summary_enable,
	.finish = summary_finish,
	.close = summary_close,
};
