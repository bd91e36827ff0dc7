/*
 * The thread that compiles the tables of files in whose code the BPF program finds frames.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "bpf/unwind/stack_unwinder_priv.h"
#include "interp/interpreter.h"
#include "sys/priority.h"

#define REQUESTS_BYTES (256u << 10)
#define SEGMENT_LOAD 1 /* PT_LOAD */
#define SEGMENT_X    1 /* PF_X */

struct strobe_error *stack_unwinder_map_requests(struct stack_unwinder *u)
{
	return bpf_ring_map(u->loaded, "requests", REQUESTS_BYTES, &u->requests);
}

/* ---- tables ---- */

/* No table is kept twice: user space also walks by the program's copy of the tables. */
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
	const struct unwind_file *f = unwind_tables_find(u->tables, file);
	known->made = f->object;
	/* Stacks of 32-bit programs are walked in user space. */
	bool is_walked = f->table && f->table->is_64bit == (arch_native()->pointer_bytes == 8);
	known->object = f->table ? f->object : NULL;
	known->has_interpreter = u->scripts && f->object && interpreter_is_in(f->object);
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
		log_info("%s: stacks are unwound from copies: %s", file->path, err->message);
		u->is_full = true;
		error_destroy(err);
	} else {
		share(u, f->table, &known->table);
	}
	return known;
}

/* The object's address for the start of the mapping; false: the mapping has none of its code. */
static bool find_vaddr(const struct object *o, const struct unwind_request *w, uint64_t *ret_vaddr)
{
	uint64_t pgoff = w->key.pgoff;
	for (size_t i = 0; i < object_segments_count(o); i++) {
		const struct object_segment *s = object_segment(o, i);
		uint64_t first = s->offset > pgoff ? s->offset : pgoff;
		if (s->type != SEGMENT_LOAD || !(s->flags & SEGMENT_X) || first - pgoff >= w->end - w->start ||
		    first >= s->offset + s->file_bytes)
			continue;
		*ret_vaddr = s->vaddr - s->offset + pgoff;
		return true;
	}
	return false;
}

/* What the program has to do with code of the file. */
static struct unwind_file_code code_of(struct stack_unwinder *u, const struct mapped_file *file, const struct unwind_request *w)
{
	struct unwind_file_code bare = { .kind = UNWIND_CODE_BARE, .state = UNWIND_FILE_READY };
	if (file->kind != MAPPED_FILE && file->kind != MAPPED_VDSO)
		return bare;
	struct known_file *known = file_of(u, file);
	uint64_t vaddr;
	if (!known->made) /* the next process that maps it may live longer */
		bare.state = UNWIND_FILE_UNSURE;
	if (!known->object || !find_vaddr(known->object, w, &vaddr))
		return bare;
	if (!known->has_table)
		return (struct unwind_file_code){ .kind = UNWIND_CODE_USER, .state = UNWIND_FILE_READY,
						  .has_interpreter = known->has_interpreter };
	return (struct unwind_file_code){
		.delta = vaddr - known->table.base,
		.pages = known->table.pages,
		.pages_nr = known->table.pages_nr,
		.rows = known->table.rows,
		.kind = UNWIND_CODE_TABLE,
		.has_interpreter = known->has_interpreter,
		.state = UNWIND_FILE_READY,
	};
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

/*
 * The mapping of a request, as far as known; *ret_exact: exactly that mapping, not one that contains it. It may be shorter than recorded:
 * where a file's first segment is code, loaders map the whole file as code and then data over its end.
 */
static const struct map *find_map(struct stack_unwinder *u, const struct unwind_request *w, bool *ret_exact)
{
	struct machine *machine = live_maps_machine(u->live);
	const struct thread *t = machine_thread(machine, w->pid, w->pid, UINT64_MAX - 1);
	const struct map *map = machine_map(machine, t, PERF_RECORD_MISC_USER, w->start, UINT64_MAX - 1);
	if (!map || w->end > map->end || w->start - map->start + map->pgoff != w->key.pgoff)
		return NULL;
	*ret_exact = w->start == map->start;
	return map;
}

/* The file of a request; NULL: the process has ended or has other mappings by now. */
static const struct mapped_file *find_file(struct stack_unwinder *u, const struct unwind_request *w, bool *ret_sure)
{
	pthread_mutex_lock(&u->lock);
	live_maps_drain(u->live);
	(void)live_maps_complete(u->live, w->pid);
	const struct map *map = find_map(u, w, ret_sure);
	if (!map) { /* mremap(2) is not reported */
		live_maps_read(u->live, w->pid);
		map = find_map(u, w, ret_sure);
	}
	pthread_mutex_unlock(&u->lock);
	return map ? map->file : NULL;
}

static void answer(struct stack_unwinder *u, const struct unwind_request *w)
{
	bool is_sure;
	const struct mapped_file *file = find_file(u, w, &is_sure);
	if (!file)
		return; /* the next process that has it mapped requests it */
	struct unwind_file_code code = code_of(u, file, w);
	if (!is_sure)
		code.state = UNWIND_FILE_UNSURE;
	code.requested_ns = sys_clock_ns(u->options.sys, CLOCK_MONOTONIC);
	struct strobe_error *err = unwind_maps_set_file(u->maps, &w->key, &code);
	if (err)
		log_info("%s: stacks are unwound from copies: %s", file->path, err->message);
	error_destroy(err);
}

/*
 * Our own files come first: until they have tables, each sample of this thread is a copy of its stack. Then small files, which are ready
 * soon.
 */
static bool comes_before(const struct unwind_request *a, const struct unwind_request *b)
{
	bool a_is_ours = a->pid == (uint32_t)getpid(), b_is_ours = b->pid == (uint32_t)getpid();
	return a_is_ours != b_is_ours ? a_is_ours : a->end - a->start < b->end - b->start;
}

static struct unwind_request take_first(request_list *requests)
{
	struct unwind_request *first = requests->data;
	for (size_t i = 1; i < requests->len; i++)
		if (comes_before(&requests->data[i], first))
			first = &requests->data[i];
	struct unwind_request taken = *first;
	*first = requests->data[--requests->len];
	return taken;
}

/* Check for new requests, which may be for smaller files than the remaining ones. */
static void answer_all(struct stack_unwinder *u, request_list *requests)
{
	take_requests(u, requests);
	while (requests->len && !u->stopping) {
		struct unwind_request next = take_first(requests);
		answer(u, &next);
		take_requests(u, requests);
	}
}

/* One table that copies wait for, and that the program does not request (32-bit code), or has been given by now; false: none. */
static bool make_missing(struct stack_unwinder *u)
{
	const struct mapped_file *file = NULL;
	pthread_mutex_lock(&u->lock);
	if (u->missing.len)
		file = u->missing.data[--u->missing.len];
	pthread_mutex_unlock(&u->lock);
	if (file)
		(void)unwind_tables_find(u->tables, file);
	return file;
}

static void serve_once(struct stack_unwinder *u, request_list *requests)
{
	uint64_t times;
	ssize_t n = read(u->missing_fd, &times, sizeof(times));
	(void)n;
	do
		answer_all(u, requests);
	while (!u->stopping && make_missing(u));
	pthread_mutex_lock(&u->lock);
	live_maps_drain(u->live);
	if (!u->holders)
		live_maps_forget_ended(u->live);
	pthread_mutex_unlock(&u->lock);
}

void *stack_unwinder_serve(void *arg)
{
	struct stack_unwinder *u = arg;
	const int *changes;
	size_t changes_nr = live_maps_fds(u->live, &changes);
	VEC(struct pollfd) fds = {};
	vec_push(&fds, ((struct pollfd){ .fd = u->stop_fd, .events = POLLIN }));
	vec_push(&fds, ((struct pollfd){ .fd = bpf_map_of(u->loaded, "requests"), .events = POLLIN }));
	vec_push(&fds, ((struct pollfd){ .fd = u->missing_fd, .events = POLLIN }));
	for (size_t i = 0; i < changes_nr; i++)
		vec_push(&fds, ((struct pollfd){ .fd = changes[i], .events = POLLIN }));
	request_list requests = {};
	/* Every sample in code that the program does not know yet is a copy of its stack: without permission for real-time priority there
	 * are more. */
	(void)sys_set_realtime(1);
	while ((poll(fds.data, fds.len, -1) >= 0 || errno == EINTR) && !fds.data[0].revents)
		serve_once(u, &requests);
	vec_deinit(&requests);
	vec_deinit(&fds);
	return NULL;
}
