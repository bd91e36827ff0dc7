#include "analysis/kvm/kvm_live.h"

#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/session.h"
#include "record/order.h"
#include "sys/signals.h"

#define TICK_MS    100  /* rings are read this often, however slowly they fill */
#define RING_PAGES 1024 /* an exit and its entry take some 150 bytes */

/* The rings as a source of records: it waits where they are empty, shows the table when that is due, and ends when the run does. */
struct kvm_live {
	struct record_source source;
	const struct kvm_live_request *q;
	struct event_set events;
	struct capture *capture;
	struct record_source *rings;
	struct signals signals;
	struct kvm *kvm; /* whose records these are */
	struct perf_event_header round;
	uint64_t due_ns; /* when the table is shown next */
	uint64_t lost;   /* up to the last table */
	bool has_begun;  /* records were given */
	bool is_waiting; /* the rings were read, and their round was given */
	bool has_ended;
};

/* ---- the table ---- */

static uint64_t now_ns(const struct kvm_live *l)
{
	return sys_clock_ns(l->q->sys, CLOCK_MONOTONIC);
}

static struct strobe_error *show(struct kvm_live *l)
{
	uint64_t lost = capture_totals(l->capture).lost_events;
	kvm_sort(l->kvm);
	struct strobe_error *err = l->q->show(l->q->kvm.ctx, kvm_exits(l->kvm), lost - l->lost);
	kvm_restart(l->kvm);
	l->lost = lost;
	return err;
}

/* ---- waiting ---- */

static bool key_ends(const struct kvm_live *l)
{
	char key;
	return read(l->q->key_fd, &key, 1) != 1 || key == 'q';
}

static void wait_for_events(struct kvm_live *l)
{
	struct pollfd fds[] = { { .fd = capture_poll_fd(l->capture, 0), .events = POLLIN }, { .fd = l->signals.fd, .events = POLLIN },
				{ .fd = l->q->key_fd, .events = POLLIN } };
	uint64_t now = now_ns(l), left_ms = l->due_ns > now ? (l->due_ns - now) / 1000000 + 1 : 0;
	int n = poll(fds, sizeof(fds) / sizeof(*fds), left_ms < TICK_MS ? (int)left_ms : TICK_MS);
	/* The events of a task hang up before it has ended. */
	l->has_ended = capture_tasks_gone(l->capture, 0) || (n > 0 && fds[1].revents && signals_next(&l->signals)) ||
		       (n > 0 && fds[2].revents && key_ends(l));
}

static struct strobe_error *wait_and_show(struct kvm_live *l)
{
	wait_for_events(l);
	if (l->has_ended)
		capture_disable(l->capture);
	if (l->has_ended || now_ns(l) < l->due_ns)
		return NULL;
	l->due_ns += l->q->interval_ns;
	return show(l);
}

/* ---- the source ---- */

static struct strobe_error *live_next(struct record_source *source, struct record *ret, bool *ret_end)
{
	struct kvm_live *l = (struct kvm_live *)source;
	bool is_empty = false;
	l->has_begun = true;
	*ret_end = l->is_waiting && l->has_ended;
	if (*ret_end)
		return NULL;
	if (l->is_waiting)
		TRY(wait_and_show(l));
	l->is_waiting = false;
	do
		TRY(source_next(l->rings, ret, &is_empty));
	while (!is_empty && ret->hdr->type == RECORD_FINISHED_ROUND);
	l->is_waiting = is_empty;
	if (is_empty) /* a round without records, too: what the order holds back is due */
		*ret = (struct record){ .hdr = &l->round };
	return NULL;
}

static const struct env *live_env(struct record_source *source)
{
	return source_env(((struct kvm_live *)source)->rings);
}

/* The resolver begins with it. */
static struct strobe_error *live_rewind(struct record_source *source)
{
	return ((struct kvm_live *)source)->has_begun ? error_create(ERROR_UNSUPPORTED, "live events can be read only once") : NULL;
}

static void live_destroy(struct record_source *source)
{
	(void)source; /* kvm_live_run() has it */
}

static const struct record_source_ops live_ops = { .next = live_next, .env = live_env, .rewind = live_rewind, .destroy = live_destroy };

/* ---- the run ---- */

static struct strobe_error *add_events(struct kvm_live *l)
{
	struct arena arena = {};
	struct recorded_events names = { .arena = &arena };
	struct event_list list;
	event_list_init(&list);
	struct strobe_error *err = kvm_recorded_events(l->q->sys, &names);
	for (size_t i = 0; !err && i < names.list.len; i++)
		err = event_parse(&list, l->q->sys, names.list.data[i]);
	event_set_init(&l->events, l->q->sys);
	event_set_add_list(&l->events, &list);
	event_list_deinit(&list);
	vec_deinit(&names.list);
	arena_deinit(&arena);
	if (err)
		event_set_deinit(&l->events);
	return err;
}

static struct strobe_error *open_rings(struct kvm_live *l)
{
	struct capture_options o;
	capture_options_init(&o);
	o.target = (struct target){ .pids = l->q->kvm.pids, .system_wide = !l->q->kvm.pids };
	o.freq_hz = 0;
	o.period = 1;
	o.period_set = true;
	o.raw_samples = o.sample_cpu = o.sample_identifier = o.no_bpf_event = true;
	o.synth_parts = SYNTH_NONE;
	o.proc_map_timeout_ms = l->q->map_timeout_ms;
	o.mmap_pages = l->q->mmap_pages ? l->q->mmap_pages : RING_PAGES;
	TRY(add_events(l));
	return capture_open(l->q->sys, &o, &l->events, 0, &l->capture);
}

static struct strobe_error *run(struct kvm_live *l)
{
	TRY(signals_open(&l->signals, NULL));
	TRY(open_rings(l));
	l->rings = capture_source(l->capture);
	l->due_ns = now_ns(l) + l->q->interval_ns;
	capture_start(l->capture);
	TRY(kvm_run_source(&l->q->kvm, order_create(&l->source), &l->kvm));
	return show(l);
}

struct strobe_error *kvm_live_run(const struct kvm_live_request *q)
{
	struct kvm_live l = { .source.ops = &live_ops, .q = q, .signals = SIGNALS_NONE,
			      .round = { .type = RECORD_FINISHED_ROUND, .size = sizeof(l.round) } };
	struct strobe_error *err = run(&l);
	kvm_destroy(l.kvm);
	source_destroy(l.rings);
	if (l.capture)
		capture_close_later(l.capture);
	capture_close(l.capture);
	signals_close(&l.signals);
	return err;
}
