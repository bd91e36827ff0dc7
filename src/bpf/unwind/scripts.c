#include "bpf/unwind/scripts.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/idset.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "bpf/load/kernel.h"
#include "bpf/load/ring.h"
#include "bpf/unwind/scripts_priv.h"
#include "capture/procmap.h"
#include "record/record.h"
#include "sys/process_files.h"

#define REQUESTS_BYTES (64u << 10)
#define SEGMENT_LOAD   1 /* PT_LOAD */
#define SEGMENT_X      1 /* PF_X */

/* ---- processes ---- */

static struct script_space *space_of(struct scripts *s, uint64_t mm)
{
	bool is_new;
	uint64_t *at = u64map_put(&s->by_mm, mm, &is_new);
	if (is_new) {
		*at = s->spaces.len;
		vec_push(&s->spaces, ((struct script_space){ .mm = mm }));
	}
	return &s->spaces.data[*at];
}

static struct script_process describe(const struct python *p, uint64_t mm, uint64_t bias)
{
	const struct python_layout *l = &p->layout;
	return (struct script_process){
		.mm = mm, .interpreters = bias + p->runtime + l->interpreters, .next_interpreter = l->next_interpreter,
		.threads = l->threads, .next_thread = l->next_thread, .thread_id = l->thread_id, .frame = l->frame, .cframe = l->cframe,
		.previous = l->previous, .code = l->code, .instruction = l->instruction, .entry = l->entry, .file_name = l->file_name,
		.name = l->name, .lines = l->lines, .first_line = l->first_line, .bytecode = l->bytecode, .text = l->text_compact,
		.minor = l->minor, .entries = l->entries, .index_scale = l->minor == 10 ? 2 : 1,
	};
}

struct search {
	struct scripts *s;
	uint32_t pid;
	uint64_t bias;
	bool is_found;
	struct python python;
};

static struct strobe_error *open_mapped(uint32_t pid, const char *path, struct object **ret)
{
	_cleanup_close_ int fd = process_mapped_file_open(pid, path);
	_cleanup_close_ int other = fd < 0 ? process_file_open(pid, path) : -1;
	return object_open_fd(fd < 0 ? other : fd, path, ret);
}

/* The interpreter in a file, which many processes have: its code was found once. */
static const struct script_file *file_of(struct scripts *s, uint32_t pid, const struct synth_map *m)
{
	for (size_t i = 0; i < s->files.len; i++) {
		const struct script_file *f = &s->files.data[i];
		if (f->ino == m->ino && f->maj == m->maj && f->min == m->min)
			return f;
	}
	struct script_file f = { .ino = m->ino, .maj = m->maj, .min = m->min };
	struct object *o;
	struct strobe_error *err = open_mapped(pid, m->name, &o);
	if (err) {
		error_destroy(err);
		return NULL;
	}
	f.is_known = python_find(o, text_base_name(m->name), &f.python);
	f.is_interpreter = f.python.runtime && f.python.loop;
	if (f.is_known)
		python_find_cold(o, &f.python);
	for (size_t i = 0; i < object_segments_count(o) && f.segments_nr < SCRIPT_FILE_SEGMENTS; i++) {
		const struct object_segment *segment = object_segment(o, i);
		if (segment->type == SEGMENT_LOAD && segment->flags & SEGMENT_X)
			f.segments[f.segments_nr++] = *segment;
	}
	object_close(o);
	vec_push(&s->files, f);
	return &vec_last(&s->files);
}

/* The difference between addresses in the process and in the file. */
static bool find_bias(const struct script_file *f, const struct synth_map *m, uint64_t *ret)
{
	for (unsigned i = 0; i < f->segments_nr; i++) {
		const struct object_segment *s = &f->segments[i];
		uint64_t first = s->offset > m->pgoff ? s->offset : m->pgoff;
		if (first - m->pgoff >= m->end - m->start || first >= s->offset + s->file_bytes)
			continue;
		*ret = m->start - (s->vaddr - s->offset + m->pgoff);
		return true;
	}
	return false;
}

static void see_mapping(void *ctx, const struct synth_map *m)
{
	struct search *search = ctx;
	struct scripts *s = search->s;
	const char *name = text_base_name(m->name);
	const struct script_file *f = search->is_found || !python_is_name(name) ? NULL : file_of(s, search->pid, m);
	if (!f)
		return;
	search->is_found = f->is_known && find_bias(f, m, &search->bias);
	search->python = f->python;
	pthread_mutex_lock(&s->lock);
	if (f->is_interpreter && !f->is_known && !s->unknown && !s->has_said)
		s->unknown = xasprintf("%s (pid %u)", name, search->pid);
	pthread_mutex_unlock(&s->lock);
}

static void answer(struct scripts *s, const struct script_request *request)
{
	struct search search = { .s = s, .pid = request->pid };
	struct procmap_options o = { .sys = s->sys };
	struct build_id_cache *cache = build_id_cache_create();
	procmap_each((pid_t)request->pid, &o, cache, see_mapping, &search);
	build_id_cache_destroy(cache);
	if (!search.is_found)
		return;
	const struct python *p = &search.python;
	pthread_mutex_lock(&s->lock);
	struct script_space *space = space_of(s, request->mm);
	space->layout = p->layout;
	space->loop[0] = (struct script_range){ search.bias + p->loop, search.bias + p->loop_end };
	space->loop[1] = (struct script_range){ search.bias + p->cold, p->cold ? search.bias + p->cold_end : search.bias };
	space->is_mapped = false;
	pthread_mutex_unlock(&s->lock);
	struct script_process process = describe(p, request->mm, search.bias);
	error_destroy(bpf_map_set(s->processes_fd, &request->pid, &process));
}

static void *serve(void *arg)
{
	struct scripts *s = arg;
	struct pollfd fds[] = { { .fd = s->stop_fd, .events = POLLIN }, { .fd = s->requests_fd, .events = POLLIN } };
	while ((poll(fds, 2, -1) >= 0 || errno == EINTR) && !fds[0].revents) {
		uint64_t at = *s->requests.consumer, end = __atomic_load_n(s->requests.producer, __ATOMIC_ACQUIRE);
		const void *record;
		uint32_t bytes;
		while ((record = bpf_ring_next(&s->requests, &at, end, &bytes))) {
			struct script_request request = {};
			if (bytes >= sizeof(request))
				memcpy(&request, record, sizeof(request));
			__atomic_store_n(s->requests.consumer, at, __ATOMIC_RELEASE);
			if (request.pid)
				answer(s, &request);
		}
	}
	return NULL;
}

struct strobe_error *scripts_create(const struct sys *sys, const struct bpf_loaded *loaded, struct scripts **ret)
{
	struct scripts *s = scripts_new(sys);
	s->processes_fd = bpf_map_of(loaded, "script_processes");
	s->requests_fd = bpf_map_of(loaded, "script_requests");
	struct strobe_error *err = bpf_ring_map(loaded, "script_requests", REQUESTS_BYTES, &s->requests);
	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!err && s->stop_fd < 0)
		err = error_errno(errno, "cannot make an eventfd");
	int e = err ? 0 : pthread_create(&s->thread, NULL, serve, s);
	if (e)
		err = error_errno(e, "cannot start the thread that finds interpreters");
	if (err) {
		scripts_destroy(s);
		return err;
	}
	s->is_serving = true;
	*ret = s;
	return NULL;
}

struct scripts *scripts_new(const struct sys *sys)
{
	struct scripts *s = xcalloc(1, sizeof(*s));
	s->sys = sys;
	s->stop_fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	strtab_init(&s->texts);
	return s;
}

void scripts_destroy(struct scripts *s)
{
	if (!s)
		return;
	uint64_t one = 1;
	if (s->is_serving && write(s->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(s->thread, NULL);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	bpf_ring_unmap(&s->requests);
	u64map_deinit(&s->by_mm);
	vec_deinit(&s->spaces);
	vec_deinit(&s->files);
	vec_deinit(&s->codes);
	idset_deinit(&s->index);
	strtab_deinit(&s->texts);
	pthread_mutex_destroy(&s->lock);
	free(s->unknown);
	free(s);
}

char *scripts_unknown(struct scripts *s)
{
	pthread_mutex_lock(&s->lock);
	char *unknown = s->unknown;
	s->unknown = NULL;
	s->has_said |= unknown != NULL;
	pthread_mutex_unlock(&s->lock);
	return unknown;
}

/* ---- code ---- */

struct code_key {
	uint64_t mm, code;
	uint32_t stamp;
};

static bool code_eq(const void *table, uint32_t id, const void *key)
{
	const struct script_known *a = &((const struct scripts *)table)->codes.data[id];
	const struct code_key *b = key;
	return a->mm == b->mm && a->code == b->code && a->stamp == b->stamp;
}

/* Its number: frames may come before the code itself, which another CPU sent. NULL where there are too many. */
static struct script_known *code_of(struct scripts *s, uint64_t mm, uint64_t code, uint32_t stamp, uint32_t *ret_number)
{
	struct code_key key = { mm, code, stamp };
	uint64_t hash = hash_combine(hash_combine(hash_u64(mm), code), stamp);
	if (s->codes.len >= SCRIPT_CODES_MAX)
		return NULL;
	*ret_number = idset_intern(&s->index, hash, code_eq, s, &key, s->codes.len);
	if (*ret_number == s->codes.len)
		vec_push(&s->codes, ((struct script_known){ .mm = mm, .code = code, .stamp = stamp }));
	return &s->codes.data[*ret_number];
}

static void take_code(struct scripts *s, const struct sample *message)
{
	struct script_code_message m = {};
	const size_t before = offsetof(struct script_code_message, lines);
	char text[SCRIPT_FILE_BYTES * 4];
	if (message->raw_bytes < before)
		return;
	size_t bytes = message->raw_bytes < sizeof(m) ? message->raw_bytes : sizeof(m);
	memcpy(&m, message->raw, bytes);
	uint32_t number, lines_bytes = m.lines_bytes <= bytes - before ? m.lines_bytes : (uint32_t)(bytes - before);
	pthread_mutex_lock(&s->lock);
	const struct script_space *space = space_of(s, m.mm);
	struct script_known *k = code_of(s, m.mm, m.code, m.stamp, &number);
	if (k && m.name_bytes <= sizeof(m.name) && python_text(&space->layout, m.name, m.name_bytes, text, sizeof(text)))
		k->name = strtab_add(&s->texts, text);
	if (k && m.file_bytes <= sizeof(m.file) && python_text(&space->layout, m.file, m.file_bytes, text, sizeof(text)))
		k->file = strtab_add(&s->texts, text);
	if (k && k->name) {
		k->first_line = m.first_line;
		k->lines = strtab_add_n(&s->texts, (const char *)m.lines, lines_bytes);
		k->minor = space->layout.minor;
	}
	pthread_mutex_unlock(&s->lock);
}

static void take_frames(const struct sample *message, struct script_pending *p)
{
	struct script_stack head;
	p->nr = 0;
	if (message->raw_bytes < sizeof(head))
		return;
	memcpy(&head, message->raw, sizeof(head));
	size_t fit = (message->raw_bytes - sizeof(head)) / sizeof(*p->frames);
	fit = fit < SCRIPT_FRAMES_MAX ? fit : SCRIPT_FRAMES_MAX;
	p->nr = head.nr < fit ? head.nr : (uint32_t)fit;
	p->tid = message->tid;
	p->mm = head.mm;
	p->is_cut = head.is_cut;
	memcpy(p->frames, (const char *)message->raw + sizeof(head), p->nr * sizeof(*p->frames));
}

bool scripts_take(struct scripts *s, const struct sample *message, struct script_pending *p)
{
	uint32_t kind;
	if (!s || message->raw_bytes < sizeof(kind))
		return false;
	memcpy(&kind, message->raw, sizeof(kind));
	if (kind == SCRIPT_MESSAGE_CODE)
		take_code(s, message);
	else if (kind == SCRIPT_MESSAGE_STACK)
		take_frames(message, p);
	return kind == SCRIPT_MESSAGE_CODE || kind == SCRIPT_MESSAGE_STACK;
}

void scripts_begin_file(struct scripts *s)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->spaces.len; i++)
		s->spaces.data[i].is_mapped = false;
	pthread_mutex_unlock(&s->lock);
}

/* ---- stacks ---- */

static bool is_loop(const struct script_space *space, uint64_t ip)
{
	for (int i = 0; i < 2; i++)
		if (ip >= space->loop[i].start && ip < space->loop[i].end)
			return true;
	return false;
}

/* Callers are looked up by the byte before their address: an instruction's is one more than its offset. */
static uint64_t address_of(struct scripts *s, uint64_t mm, const struct script_frame *f)
{
	uint32_t number = 0, offset = f->offset_flags >> 1;
	if (!code_of(s, mm, f->code, f->stamp, &number))
		return SCRIPT_BASE;
	if (offset > SCRIPT_CODE_BYTES - 2)
		offset = SCRIPT_CODE_BYTES - 2;
	return SCRIPT_BASE + ((uint64_t)number << SCRIPT_CODE_BITS) + offset + 1;
}

struct merge {
	uint64_t *to;
	size_t nr, max;
	bool is_full;
};

static void put(struct merge *m, uint64_t ip)
{
	if (m->nr < m->max)
		m->to[m->nr++] = ip;
	else
		m->is_full = true;
}

/* The frames of one call of the evaluation loop. */
static void put_segment(struct scripts *s, const struct script_pending *p, uint32_t *next, struct merge *m)
{
	while (*next < p->nr) {
		const struct script_frame *f = &p->frames[(*next)++];
		put(m, address_of(s, p->mm, f));
		if (f->offset_flags & SCRIPT_FRAME_ENTRY)
			break;
	}
}

static void merge_into(struct scripts *s, const struct script_space *space, const struct script_pending *p, const uint64_t *ips, size_t nr,
		       bool is_whole, struct merge *m)
{
	size_t loops = 0, segments = p->nr && !(p->frames[p->nr - 1].offset_flags & SCRIPT_FRAME_ENTRY);
	uint32_t next = 0;
	for (size_t i = 0; i < nr; i++)
		loops += is_loop(space, ips[i] - (i > 0));
	for (uint32_t i = 0; i < p->nr; i++)
		segments += p->frames[i].offset_flags & SCRIPT_FRAME_ENTRY;
	/*
	 * Outermost calls and segments belong together. Of the innermost call there may be no frame yet; and where it is in a part of the
	 * loop that has no name, its frames come after the first address.
	 */
	size_t without = is_whole && loops > segments ? loops - segments : 0, early = is_whole && segments > loops ? segments - loops : 0;
	for (size_t i = 0; i < nr; i++) {
		put(m, ips[i]);
		for (; !i && early; early--)
			put_segment(s, p, &next, m);
		if (!is_loop(space, ips[i] - (i > 0)))
			continue;
		if (without)
			without--;
		else
			put_segment(s, p, &next, m);
	}
}

size_t scripts_merge(struct scripts *s, struct script_pending *p, uint32_t tid, uint64_t *ips, size_t nr, size_t max, bool *cut)
{
	if (!s || !p->nr || p->tid != tid) {
		p->nr = 0;
		return nr;
	}
	struct merge m = { .to = xreallocarray(NULL, max, sizeof(*ips)), .max = max };
	pthread_mutex_lock(&s->lock);
	const struct script_space *space = space_of(s, p->mm);
	merge_into(s, space, p, ips, nr, !*cut && !p->is_cut, &m);
	pthread_mutex_unlock(&s->lock);
	memcpy(ips, m.to, m.nr * sizeof(*ips));
	free(m.to);
	*cut |= m.is_full || p->is_cut;
	p->nr = 0;
	return m.nr;
}

size_t scripts_map_record(struct scripts *s, uint64_t mm, uint32_t pid, const struct sample_layout *layout, const struct sample_tail *tail,
			  void *to, size_t cap)
{
	pthread_mutex_lock(&s->lock);
	struct script_space *space = space_of(s, mm);
	bool is_due = !space->is_mapped;
	space->is_mapped = true;
	pthread_mutex_unlock(&s->lock);
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t start, bytes, pgoff;
		uint32_t maj, min;
		uint64_t ino, ino_generation;
		uint32_t prot, flags;
		char name[16];
	} r = { .pid = pid, .tid = pid, .start = SCRIPT_BASE, .bytes = SCRIPT_SPACE_BYTES, .prot = 5, .flags = 2, .name = SCRIPT_FILE };
	if (!is_due || cap < sizeof(r))
		return 0;
	size_t tail_bytes = sample_tail_encode(layout, tail, (char *)to + sizeof(r), cap - sizeof(r));
	r.h = (struct perf_event_header){ PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, (uint16_t)(sizeof(r) + tail_bytes) };
	memcpy(to, &r, sizeof(r));
	return r.h.size;
}

bool scripts_write(struct scripts *s, struct strbuf *to)
{
	pthread_mutex_lock(&s->lock);
	uint32_t named = 0;
	for (size_t i = 0; i < s->codes.len; i++)
		named += s->codes.data[i].name != 0;
	script_table_put_head(to, named);
	for (size_t i = 0; i < s->codes.len; i++) {
		const struct script_known *k = &s->codes.data[i];
		struct script_code code = {
			.number = (uint32_t)i, .first_line = k->first_line, .lines_form = (uint8_t)python_lines_of(k->minor),
			.name = strtab_get(&s->texts, k->name), .name_bytes = (uint32_t)strtab_length(&s->texts, k->name),
			.file = strtab_get(&s->texts, k->file), .file_bytes = (uint32_t)strtab_length(&s->texts, k->file),
			.lines = strtab_get(&s->texts, k->lines), .lines_bytes = (uint32_t)strtab_length(&s->texts, k->lines),
		};
		if (k->name)
			script_table_put(to, &code);
	}
	pthread_mutex_unlock(&s->lock);
	return named;
}
