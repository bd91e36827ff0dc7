/* The readers of rings: their priority, and threads of their own for --threads. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "recording/priv.h"
#include "sys/priority.h"

#define COMPRESS_LEVEL_QUICK 3

/* At normal priority a busy CPU delays the reader, and data is lost. */
struct strobe_error *recorder_raise_priority(const struct recorder *r)
{
	int requested = r->o.capture.rt_prio;
	/* Slow compression at real-time priority would block other tasks on this CPU. */
	if (!requested && r->o.compress_level > COMPRESS_LEVEL_QUICK)
		return NULL;
	int priority = requested ? requested : 1, refused = sys_set_realtime(priority);
	if (!refused) {
		log_info("reading at real-time priority %d", priority);
		return NULL;
	}
	if (!requested) {
		log_info("reading at normal priority: real-time priority is not permitted (CAP_SYS_NICE, ulimit -r)");
		return NULL;
	}
	return error_errno(refused, "-r %d: real-time priority is not permitted (requires CAP_SYS_NICE or ulimit -r)", requested);
}

static struct strobe_error *set_affinity(const sys_cpus *cpus)
{
	if (!cpus->len)
		return NULL;
	size_t bytes = CPU_ALLOC_SIZE(vec_last(cpus) + 1);
	cpu_set_t *set = xcalloc(1, bytes);
	for (size_t i = 0; i < cpus->len; i++)
		CPU_SET_S(cpus->data[i], bytes, set);
	int r = sched_setaffinity(0, bytes, set);
	free(set);
	return r ? error_errno(errno, "cannot run the reader on the requested CPUs") : NULL;
}

static void wake_main(const struct recorder *r)
{
	ssize_t n = write(r->stop_fd, &(uint64_t){ 1 }, 8);
	(void)n;
}

static void *read_rings(void *arg)
{
	struct reader_thread *t = arg;
	struct recorder *r = t->recorder;
	t->tid = (pid_t)syscall(SYS_gettid);
	t->error = set_affinity(&t->affinity);
	if (!t->error)
		t->error = recorder_raise_priority(r);
	sem_post(&r->ready);
	struct pollfd fds[] = {
		{ .fd = r->stop_fd, .events = POLLIN },
		{ .fd = capture_poll_fd(r->capture, t->reader), .events = POLLIN },
	};
	while (!t->error && poll(fds, 2, DRAIN_INTERVAL_MS) >= 0) {
		uint64_t bytes;
		if (fds[1].revents)
			capture_count_wakeup(r->capture, t->reader);
		bool gone = capture_tasks_gone(r->capture, t->reader);
		t->error = capture_drain(r->capture, t->reader, NULL, false, false, &bytes);
		if (gone) /* the main thread ends the recording */
			wake_main(r);
		if (fds[0].revents || gone)
			break;
	}
	if (t->error)
		wake_main(r);
	return NULL;
}

struct strobe_error *recorder_plan_threads(struct recorder *r)
{
	const struct target_map *map = capture_target(r->capture);
	sys_cpus used = {};
	for (size_t i = 0; i < map->cpus.len; i++)
		vec_push(&used, (uint32_t)map->cpus.data[i]);
	struct strobe_error *err = reader_masks_parse(r->o.threads, r->sys, &used, &r->masks);
	vec_deinit(&used);
	if (err)
		return error_prefix(err, "--threads");
	r->threads_nr = (unsigned)r->masks.masks.len;
	sys_cpus *lists = xcalloc(r->threads_nr, sizeof(*lists));
	for (unsigned i = 0; i < r->threads_nr; i++)
		memcpy(&lists[i], &r->masks.masks.data[i].read, sizeof(*lists));
	err = capture_split(r->capture, lists, r->threads_nr);
	free(lists);
	return err;
}

struct strobe_error *recorder_start_threads(struct recorder *r)
{
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->stop_fd < 0)
		return error_errno(errno, "cannot create an eventfd");
	r->parts_nr = (unsigned)r->output.parts.len;
	r->parts = xcalloc(r->parts_nr, sizeof(*r->parts));
	for (unsigned i = 0; i < r->parts_nr; i++) {
		struct record_path *path = &r->parts[i];
		const struct record_objects *objects = &r->path.objects;
		if (objects->on)
			record_objects_init(&path->objects, &capture_env(r->capture)->events.data[0].attr, objects->of, objects->kept.dir);
		capture_set_ring_sink(r->capture, i, recorder_path_sink(r, path, &r->output.parts.data[i]->sink));
	}
	r->threads = xcalloc(r->threads_nr, sizeof(*r->threads));
	sem_init(&r->ready, 0, 0);
	for (unsigned i = 0; i < r->threads_nr; i++) {
		struct reader_thread *t = &r->threads[i];
		t->recorder = r;
		t->reader = i;
		memcpy(&t->affinity, &r->masks.masks.data[i].affinity, sizeof(t->affinity));
		int e = pthread_create(&t->thread, NULL, read_rings, t);
		if (e) /* recorder_join_threads() ends those that were started */
			return error_errno(e, "cannot start reader thread %u", i);
		t->started = true;
	}
	for (unsigned i = 0; i < r->threads_nr; i++)
		while (sem_wait(&r->ready) && errno == EINTR)
			;
	for (unsigned i = 0; i < r->threads_nr; i++)
		capture_exclude_thread(r->capture, r->threads[i].tid);
	return NULL;
}

struct strobe_error *recorder_join_threads(struct recorder *r)
{
	struct strobe_error *err = NULL;
	if (!r->threads)
		return NULL;
	wake_main(r); /* in each thread, since the main thread does not read it */
	for (unsigned i = 0; i < r->threads_nr; i++) {
		struct reader_thread *t = &r->threads[i];
		if (!t->started)
			continue;
		pthread_join(t->thread, NULL);
		t->started = false;
		if (!err)
			err = t->error;
		else
			error_destroy(t->error);
		t->error = NULL;
	}
	return err;
}
