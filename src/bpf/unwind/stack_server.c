/*
 * The thread that describes processes to the BPF program: their mappings, and the tables of what is mapped.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "bpf/unwind/stack_unwinder_priv.h"
#include "sys/priority.h"

#define REQUESTS_BYTES (256u << 10)
/* How long a new mapping at the address of an old one may be taken for it. */
#define LOOK_INTERVAL_MS 50
/* Between two looks into procfs for mappings that were not reported (by mremap(2)); what is missing is data, as a rule. */
#define MISSING_INTERVAL_NS 1000000000u
/* Between two words to the program while tables are compiled. */
#define SEND_INTERVAL_NS 3000000u
/* Code of which most is never sampled: its table is made when a walk leads there, here or in the program. */
#define LARGE_CODE_BYTES (4u << 20)
#define SEGMENT_LOAD 1 /* PT_LOAD */
#define SEGMENT_X    1 /* PF_X */

struct strobe_error *stack_unwinder_map_requests(struct stack_unwinder *u)
{
	return bpf_ring_map(u->loaded, "requests", REQUESTS_BYTES, &u->requests);
}

/* ---- mappings ---- */

struct mapped {
	uint64_t start, end, pgoff;
	const struct mapped_file *file;
};

typedef VEC(struct mapped) mapped_list;

static bool collect(void *ctx, const struct map *map)
{
	mapped_list *list = ctx;
	struct mapped m = { map->start, map->end, map->pgoff, map->file };
	if (!map->is_data)
		vec_push(list, m);
	return true;
}

static void list_maps(struct stack_unwinder *u, uint32_t pid, mapped_list *ret)
{
	struct machine *machine = live_maps_machine(u->live);
	const struct thread *t = machine_thread(machine, pid, pid, UINT64_MAX - 1);
	vec_clear(ret);
	machine_each_map(machine, t, UINT64_MAX - 1, collect, ret);
}

/* No table is kept twice: walks of copies, too, go along what the program has. */
static void share(struct stack_unwinder *u, struct unwind_table *t, const struct unwind_maps_table *at)
{
	pthread_mutex_lock(&u->lock);
	unwind_table_lend(t, at->pages_at, at->rows_at);
	pthread_mutex_unlock(&u->lock);
}

/* The table of a file, copied to the program on its first use. */
static struct known_file *file_of(struct stack_unwinder *u, const struct mapped_file *file)
{
	while (u->files.len <= file->id)
		vec_push(&u->files, ((struct known_file){}));
	struct known_file *known = &u->files.data[file->id];
	if (known->made)
		return known;
	known->made = true;
	if (file->kind != MAPPED_FILE && file->kind != MAPPED_VDSO)
		return known;
	const struct unwind_file *f = unwind_tables_find(u->tables, file);
	/* Of 32-bit programs stacks are walked in user space. */
	bool is_walked = f->table && f->table->is_64bit == (arch_native()->pointer_bytes == 8);
	known->object = f->table ? f->object : NULL;
	if (f->object) /* compiling has read most of it */
		object_rest(f->object);
	if (!is_walked || u->is_full)
		return known;
	uint64_t *first = u64map_put(&u->by_table, (uintptr_t)f, NULL);
	if (*first) { /* a file of the same build-id */
		known->has_table = u->files.data[*first - 1].has_table;
		known->table = u->files.data[*first - 1].table;
		return known;
	}
	*first = file->id + 1;
	struct strobe_error *err = unwind_maps_add_table(u->maps, f->table, &known->table);
	known->has_table = !err;
	if (err) {
		log_info("%s: stacks are walked from copies: %s", file->path, err->message);
		u->is_full = true;
		error_destroy(err);
	} else {
		share(u, f->table, &known->table);
	}
	return known;
}

static bool is_made(const struct stack_unwinder *u, const struct mapped_file *file)
{
	return file->id < u->files.len && u->files.data[file->id].made;
}

/* Where the code of an object that is mapped from pgoff on would begin in its table; false: nothing of it is there. */
static bool bias_of(const struct object *o, const struct mapped *m, uint64_t *ret_vaddr)
{
	for (size_t i = 0; i < object_segments_count(o); i++) {
		const struct object_segment *s = object_segment(o, i);
		uint64_t first = s->offset > m->pgoff ? s->offset : m->pgoff;
		if (s->type != SEGMENT_LOAD || !(s->flags & SEGMENT_X) || first - m->pgoff >= m->end - m->start ||
		    first >= s->offset + s->file_bytes)
			continue;
		*ret_vaddr = s->vaddr - s->offset + m->pgoff;
		return true;
	}
	return false;
}

/* False: this is for user space, which knows the table that the program could not take. */
static bool describe(struct stack_unwinder *u, const struct mapped *m, struct unwind_mapping *ret)
{
	struct known_file *known = file_of(u, m->file);
	*ret = (struct unwind_mapping){ .start = m->start, .bytes = m->end - m->start, .kind = UNWIND_MAPPING_BARE };
	if (m->file->kind != MAPPED_FILE && m->file->kind != MAPPED_VDSO)
		return true;
	struct object *object = known->object;
	uint64_t vaddr;
	if (!object) { /* it may be there by now */
		const struct unwind_file *f = unwind_tables_find(u->tables, m->file);
		object = f->table ? f->object : NULL;
	}
	if (!object || !bias_of(object, m, &vaddr))
		return true;
	if (!known->has_table)
		return false;
	ret->kind = UNWIND_MAPPING_TABLE;
	ret->bias = m->start - vaddr + known->table.base;
	ret->pages = known->table.pages;
	ret->pages_nr = known->table.pages_nr;
	ret->rows = known->table.rows;
	return true;
}

typedef VEC(struct unwind_mapping) mapping_list;

/* What is ready for the program: nothing of files that wait to be compiled, for which it then sends copies. */
static void send_process(struct stack_unwinder *u, uint32_t pid, uint64_t mm, const mapped_list *list, mapping_list *scratch)
{
	vec_clear(scratch);
	for (size_t i = 0; i < list->len; i++) {
		const struct mapped *m = &list->data[i];
		struct unwind_mapping mapping;
		if (is_made(u, m->file) && describe(u, m, &mapping))
			vec_push(scratch, mapping);
	}
	struct strobe_error *err = unwind_maps_set_process(u->maps, pid, mm, scratch->data, scratch->len);
	if (err)
		log_info("the stacks of process %u are walked from copies: %s", pid, err->message);
	error_destroy(err);
}

static uint64_t now_ns(const struct stack_unwinder *u)
{
	return sys_clock_ns(u->options.sys, CLOCK_MONOTONIC);
}

/* The file that a walk waits for, then others but large ones, the smallest first; with word to the program now and then. */
static void publish(struct stack_unwinder *u, uint32_t pid, uint64_t mm, uint64_t ip, bool read_again)
{
	mapped_list list = {};
	mapping_list scratch = {};
	pthread_mutex_lock(&u->lock);
	(void)live_maps_complete(u->live, pid);
	if (read_again)
		live_maps_read(u->live, pid);
	list_maps(u, pid, &list);
	if (!list.len) {
		live_maps_read(u->live, pid);
		list_maps(u, pid, &list);
	}
	pthread_mutex_unlock(&u->lock);
	send_process(u, pid, mm, &list, &scratch);
	uint64_t sent_ns = now_ns(u);
	bool is_news = false;
	for (;;) {
		const struct mapped *next = NULL;
		for (size_t i = 0; i < list.len; i++) {
			const struct mapped *m = &list.data[i];
			bool has_ip = ip - m->start < m->end - m->start;
			bool is_large = m->end - m->start > LARGE_CODE_BYTES;
			if (is_large && !has_ip && !unwind_tables_has(u->tables, m->file))
				continue;
			if (is_made(u, m->file) || (next && ip - next->start < next->end - next->start))
				continue;
			if (!next || m->end - m->start < next->end - next->start || ip - m->start < m->end - m->start)
				next = m;
		}
		if (!next)
			break;
		is_news |= file_of(u, next->file)->made;
		uint64_t ns = now_ns(u);
		if (ns - sent_ns < SEND_INTERVAL_NS)
			continue;
		send_process(u, pid, mm, &list, &scratch);
		sent_ns = ns;
		is_news = false;
	}
	if (is_news)
		send_process(u, pid, mm, &list, &scratch);
	vec_deinit(&list);
	vec_deinit(&scratch);
}

/* ---- requests ---- */

typedef VEC(struct unwind_request) request_list;

static void take_requests(struct stack_unwinder *u, request_list *ret)
{
	uint64_t at = *u->requests.consumer, end = __atomic_load_n(u->requests.producer, __ATOMIC_ACQUIRE);
	const void *record;
	uint32_t bytes;
	while ((record = bpf_ring_next(&u->requests, &at, end, &bytes))) {
		struct unwind_request request;
		if (bytes >= sizeof(request)) {
			memcpy(&request, record, sizeof(request));
			vec_push(ret, request);
		}
		__atomic_store_n(u->requests.consumer, at, __ATOMIC_RELEASE);
	}
}

struct serving {
	request_list requests;
	live_pids changed, gone;
	uint64_t looked_ns; /* when changes were reported last */
};

static void forget_pid(live_pids *list, uint32_t pid)
{
	for (size_t i = list->len; i-- > 0;) {
		if (list->data[i] != pid)
			continue;
		list->data[i] = vec_last(list);
		list->len--;
	}
}

/* A program that starts maps one file after the other: they are published together. */
static void send_changes(struct stack_unwinder *u, struct serving *s)
{
	uint64_t ns = now_ns(u);
	if (ns - s->looked_ns < LOOK_INTERVAL_MS * 1000000ull)
		return;
	s->looked_ns = ns;
	while (s->changed.len) {
		uint32_t pid = vec_last(&s->changed);
		uint64_t *mm = u64map_get(&u->processes, pid);
		forget_pid(&s->changed, pid);
		if (mm)
			publish(u, pid, *mm, 0, false);
	}
}

static bool is_known_code(struct stack_unwinder *u, uint32_t pid, uint64_t ip)
{
	struct machine *machine = live_maps_machine(u->live);
	const struct thread *t = machine_thread(machine, pid, pid, UINT64_MAX - 1);
	const struct map *map = machine_map(machine, t, PERF_RECORD_MISC_USER, ip, UINT64_MAX - 1);
	return map && !map->is_data;
}

/* Whether it is time to look for the mapping of an address that no record was about. */
static bool is_look_due(struct stack_unwinder *u, uint32_t pid)
{
	bool is_first;
	uint64_t ns = now_ns(u), *looked_ns = u64map_put(&u->missing, pid, &is_first);
	if (!is_first && ns - *looked_ns < MISSING_INTERVAL_NS)
		return false;
	*looked_ns = ns;
	return true;
}

static void answer(struct stack_unwinder *u, struct serving *s, const struct unwind_request *w)
{
	bool is_new;
	uint64_t *mm = u64map_put(&u->processes, w->pid, &is_new);
	if (is_new || *mm != w->mm)
		u64map_remove(&u->missing, w->pid);
	*mm = w->mm;
	/* Code where nothing was known: reported a moment ago, or missed. */
	size_t n = s->changed.len;
	forget_pid(&s->changed, w->pid);
	bool is_missed = w->ip && n == s->changed.len;
	if (is_missed) {
		pthread_mutex_lock(&u->lock);
		is_missed = !is_known_code(u, w->pid, w->ip);
		pthread_mutex_unlock(&u->lock);
		/* Without an answer, the program waits before it sends another. */
		if (is_missed && !is_look_due(u, w->pid))
			return;
	}
	publish(u, w->pid, w->mm, w->ip, is_missed);
}

static void serve_once(struct stack_unwinder *u, struct serving *s)
{
	vec_clear(&s->requests);
	vec_clear(&s->gone);
	take_requests(u, &s->requests);
	pthread_mutex_lock(&u->lock);
	live_maps_drain(u->live, &s->changed, &s->gone);
	live_maps_forget_ended(u->live);
	for (size_t i = 0; i < u->changed.len; i++)
		vec_push(&s->changed, u->changed.data[i]);
	vec_clear(&u->changed);
	pthread_mutex_unlock(&u->lock);
	for (size_t i = 0; i < s->requests.len; i++)
		answer(u, s, &s->requests.data[i]);
	for (size_t i = 0; i < s->gone.len; i++) {
		forget_pid(&s->changed, s->gone.data[i]);
		u64map_remove(&u->missing, s->gone.data[i]);
		if (!u64map_get(&u->processes, s->gone.data[i]))
			continue;
		u64map_remove(&u->processes, s->gone.data[i]);
		unwind_maps_forget_process(u->maps, s->gone.data[i]);
	}
	send_changes(u, s);
}

void *stack_unwinder_serve(void *arg)
{
	struct stack_unwinder *u = arg;
	struct serving s = {};
	/* Every sample of a process that the program does not know yet is a copy of its stack: without the right there are more. */
	(void)sys_set_realtime(1);
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = u->stop_fd, .events = POLLIN },
			{ .fd = bpf_map_of(u->loaded, "requests"), .events = POLLIN },
		};
		if (poll(fds, 2, LOOK_INTERVAL_MS) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			break;
		serve_once(u, &s);
	}
	vec_deinit(&s.requests);
	vec_deinit(&s.changed);
	vec_deinit(&s.gone);
	return NULL;
}
