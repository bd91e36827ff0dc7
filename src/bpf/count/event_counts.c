#include "bpf/count/event_counts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "bpf/count/event_counts_shared.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "config.h"

#if HAVE_BPF_PROGRAMS
#include "event_counts.inc"
#else
static const struct bpf_image event_counts_image;
#endif

struct event_counts {
	struct bpf_loaded *loaded;
	struct event_counts_control *control;
	int counts_fd[EVENT_COUNTS_SIDES];
	uint32_t side; /* the table that programs add to while enabled */
	bool enabled;
};

static void write_side(struct event_counts *c)
{
	__atomic_store_n(&c->control->side, c->enabled ? c->side + 1 : 0, __ATOMIC_SEQ_CST);
}

static struct strobe_error *open_all(struct event_counts *c, const struct event_counts_options *o)
{
	const struct event_counts_settings settings = { .without_pid = o->without_pid };
	struct bpf_load_options load = {
		.sys = o->sys,
		.image = &event_counts_image,
		.settings = &settings,
		.settings_bytes = sizeof(settings),
	};
	void *control;
	TRY(bpf_check_pid_namespace(o->sys));
	TRY(bpf_load(&load, &c->loaded));
	TRY(bpf_map_memory(c->loaded, ".bss", sizeof(*c->control), &control));
	c->control = control;
	c->counts_fd[0] = bpf_map_of(c->loaded, "counts_0");
	c->counts_fd[1] = bpf_map_of(c->loaded, "counts_1");
	return bpf_attach_raw(c->loaded, "count_event", o->tracepoint);
}

struct strobe_error *event_counts_open(const struct event_counts_options *o, struct event_counts **ret)
{
	struct event_counts *c = xcalloc(1, sizeof(*c));
	struct strobe_error *err = open_all(c, o);
	if (err) {
		event_counts_close(c);
		return err;
	}
	*ret = c;
	return NULL;
}

void event_counts_close(struct event_counts *c)
{
	if (!c)
		return;
	bpf_unload(c->loaded);
	free(c);
}

void event_counts_enable(struct event_counts *c, bool on)
{
	c->enabled = on;
	write_side(c);
}

/* Hands out the counts of a side and empties it. Keys are taken from the front, as they go. */
static void empty(struct event_counts *c, unsigned side, void (*fn)(void *ctx, const struct event_count *e), void *ctx)
{
	struct event_count_key key;
	while (bpf_map_next(c->counts_fd[side], NULL, &key)) {
		struct event_count e = { .pid = key.pid, .tid = key.tid, .cpu = key.cpu };
		bool found = bpf_map_get(c->counts_fd[side], &key, &e.count);
		bpf_map_unset(c->counts_fd[side], &key);
		if (found)
			fn(ctx, &e);
	}
}

void event_counts_turn(struct event_counts *c)
{
	c->side = !c->side;
	write_side(c);
}

void event_counts_read(struct event_counts *c, void (*fn)(void *ctx, const struct event_count *e), void *ctx)
{
	empty(c, !c->side, fn, ctx);
}

uint64_t event_counts_lost(const struct event_counts *c)
{
	return __atomic_load_n(&c->control->lost, __ATOMIC_RELAXED);
}
