#include "recording/walked_stacks.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bpf/unwind/chain_sink.h"
#include "bpf/unwind/stack_unwinder.h"
#include "record/wait_layout.h"
#include "session/foreign_files.h"
#include "symbol/symbol.h"

struct walked_stacks {
	struct stack_unwinder *unwinder;
	struct chain_sink sink;
	struct symbols *symbols;
	struct env *env;
	struct foreign_files *foreign_files;
};

static struct unwind_objects objects_of(void *ctx, const struct mapped_file *file)
{
	struct walked_stacks *w = ctx;
	struct unwind_objects ret = {};
	struct dso *d = symbols_dso(w->symbols, file);
	if (d)
		ret.object = dso_object(d, &ret.debug);
	return ret;
}

/* glibc raises its mmap threshold, so that memory used to compile a large table would never be returned to the system. */
static void keep_little(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

bool walked_stacks_is_of_any(const struct event_set *events)
{
	for (size_t i = 0; i < events->events.len; i++)
		if (stack_unwinder_is_walked(&events->events.data[i]))
			return true;
	return false;
}

void walked_stacks_add_wait_event(struct event_set *events, const char *name)
{
	bool has_raw = !strcmp(name, WAIT_EVENT);
	struct capture_event e = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT, .freq = 1, .sample_period = 1,
			  .sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_CPU | (has_raw ? PERF_SAMPLE_RAW : 0) },
		.kind = EVENT_SOFTWARE,
		.name = name,
		.scale = 1,
		.leader = (uint32_t)events->events.len,
	};
	vec_push(&events->events, e);
}

struct strobe_error *walked_stacks_open(const struct walked_stacks_options *o, struct walked_stacks **ret)
{
	const struct capture_options *c = o->capture;
	TRY(stack_unwinder_check(o->events, c));
	keep_little();
	struct walked_stacks *w = xcalloc(1, sizeof(*w));
	struct symbols_options files = { .live = true, .no_symbols = true };
	w->env = env_create();
	w->foreign_files = foreign_files_create(w->env, NULL);
	foreign_files_serve(w->foreign_files, &files);
	w->symbols = symbols_create(w->env, files);
	struct stack_unwinder_options unwinder = {
		.sys = o->sys,
		.frames_max = c->callgraph.max_stack,
		.native = c->callgraph.native,
		.take_script = o->take_script,
		.script_ctx = o->script_ctx,
		.clock = { c->use_clockid, c->clockid },
		.no_samples = o->no_samples,
		.waits = o->waits,
		.followed = o->followed,
		.followed_map = o->followed_map,
		.objects_of = objects_of,
		.ctx = w,
	};
	struct strobe_error *err = stack_unwinder_create(&unwinder, &w->unwinder);
	if (err) {
		walked_stacks_close(w);
		return err;
	}
	*ret = w;
	return NULL;
}

struct strobe_error *walked_stacks_attach(struct walked_stacks *w, struct capture *c)
{
	return stack_unwinder_attach(w->unwinder, c);
}

struct stack_unwinder *walked_stacks_unwinder(struct walked_stacks *w)
{
	return w->unwinder;
}

struct record_sink *walked_stacks_sink(struct walked_stacks *w, struct record_sink *to)
{
	if (!w->sink.unwinder)
		chain_sink_init(&w->sink, w->unwinder, to);
	w->sink.to = to;
	return &w->sink.sink;
}

struct strobe_error *walked_stacks_settle(struct walked_stacks *w, bool waits, bool *ret_all)
{
	*ret_all = true;
	if (!w)
		return NULL;
	TRY(chain_sink_settle(&w->sink, waits));
	*ret_all = !chain_sink_holds(&w->sink);
	return NULL;
}

struct object *walked_stacks_object(struct walked_stacks *w, const char *hex)
{
	return w ? symbols_open_object(w->symbols, hex) : NULL;
}

void walked_stacks_close(struct walked_stacks *w)
{
	if (!w)
		return;
	chain_sink_deinit(&w->sink);
	stack_unwinder_destroy(w->unwinder);
	symbols_destroy(w->symbols);
	foreign_files_destroy(w->foreign_files);
	env_destroy(w->env);
	free(w);
}
