/* Which processes run an interpreter: finds interpreters in files, each of which is searched once, and the address where a process has
 * mapped it. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/load/kernel.h"
#include "bpf/unwind/scripts_priv.h"
#include "capture/procmap.h"
#include "machine/machine.h"
#include "sys/process_files.h"

#define SEGMENT_LOAD 1 /* PT_LOAD */
#define SEGMENT_X    1 /* PF_X */
#define MINOR_BITS   20 /* of a device, as the kernel has it (include/linux/kdev_t.h) */

/* ---- files ---- */

static struct strobe_error *open_mapped(uint32_t pid, const struct synth_map *m, struct object **ret)
{
	_cleanup_close_ int fd = process_mapping_open(pid, m->start, m->end);
	_cleanup_close_ int other = fd < 0 ? process_file_open(pid, m->name) : -1;
	return object_open_fd(fd < 0 ? other : fd, m->name, ret);
}

/* The interpreter in a file, searched once for all processes that map it. */
static const struct script_file *file_of(struct scripts *s, uint32_t pid, const struct synth_map *m)
{
	for (size_t i = 0; i < s->files.len; i++) {
		const struct script_file *f = &s->files.data[i];
		if (f->ino == m->ino && f->maj == m->maj && f->min == m->min)
			return f;
	}
	struct script_file f = { .ino = m->ino, .maj = m->maj, .min = m->min };
	struct object *o;
	struct strobe_error *err = open_mapped(pid, m, &o);
	if (err) {
		error_destroy(err);
		return NULL;
	}
	interpreter_find(o, text_base_name(m->name), &f.interpreter);
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

/* ---- processes ---- */

struct search {
	struct scripts *s;
	uint32_t pid;
	uint64_t bias;
	uint32_t keys; /* of the C library */
	struct interpreter interpreter;
	struct hotspot_layout hotspot; /* of the process, for its kind */
};

static void note_unknown(struct scripts *s, const char *name, uint32_t pid)
{
	pthread_mutex_lock(&s->lock);
	if (!s->unknown && !s->has_reported)
		s->unknown = xasprintf("%s (pid %u)", name, pid);
	pthread_mutex_unlock(&s->lock);
}

/* Threads of Perl cannot be read before the C library is mapped. */
static bool is_complete(const struct search *search)
{
	return search->interpreter.kind && (search->interpreter.kind != SCRIPT_PERL || search->keys);
}

/* Returns false to stop when everything is found. */
static bool see_mapping(void *ctx, const struct synth_map *m)
{
	struct search *search = ctx;
	const struct script_file *f = m->name[0] == '/' && m->prot & PROT_EXEC ? file_of(search->s, search->pid, m) : NULL;
	if (!f)
		return true;
	if (f->interpreter.keys)
		search->keys = f->interpreter.keys;
	if (f->interpreter.kind && !f->interpreter.is_known)
		note_unknown(search->s, text_base_name(m->name), search->pid);
	if (f->interpreter.is_known && !search->interpreter.kind && find_bias(f, m, &search->bias))
		search->interpreter = f->interpreter;
	return !is_complete(search);
}

/*
 * Uses a mapping that the BPF program found, if its file is known from another process, as is the rule. False: the mappings of the
 * process have to be read.
 */
static bool find_known(struct search *search, const struct script_request *r)
{
	const struct synth_map m = { .start = r->start, .end = r->end, .pgoff = r->pgoff };
	for (size_t i = 0; i < search->s->files.len; i++) {
		const struct script_file *f = &search->s->files.data[i];
		if (f->ino != r->inode || (f->maj << MINOR_BITS | f->min) != r->device || !f->interpreter.is_known ||
		    f->interpreter.kind == SCRIPT_PERL || !find_bias(f, &m, &search->bias))
			continue;
		search->interpreter = f->interpreter;
		return true;
	}
	return false;
}

static struct script_python describe_python(const struct python_layout *l)
{
	return (struct script_python){
		.next_interpreter = l->next_interpreter, .threads = l->threads, .next_thread = l->next_thread, .thread_id = l->thread_id,
		.frame = l->frame, .cframe = l->cframe, .previous = l->previous, .code = l->code, .instruction = l->instruction,
		.entry = l->entry, .file_name = l->file_name, .name = l->name, .lines = l->lines, .first_line = l->first_line,
		.bytecode = l->bytecode, .text = l->text_compact, .minor = l->minor, .entries = l->entries,
		.index_scale = l->minor == 10 ? 2 : 1,
	};
}

static struct script_process describe(const struct search *search, uint64_t mm)
{
	const struct interpreter *i = &search->interpreter;
	struct script_process p = { .mm = mm, .kind = i->kind, .start = search->bias + i->start };
	switch (i->kind) {
	case SCRIPT_PYTHON:
		p.python = describe_python(&i->python);
		break;
	case SCRIPT_PHP:
		p.php = i->php;
		break;
	case SCRIPT_RUBY:
		p.ruby.layout = i->ruby;
		p.ruby.context.offset = i->context.offset;
		p.ruby.context.module = i->context.module ? search->bias + i->context.module : 0;
		break;
	case SCRIPT_V8:
		p.v8 = i->v8;
		break;
	case SCRIPT_HOTSPOT:
		p.hotspot = search->hotspot;
		break;
	case SCRIPT_LUAJIT:
		p.luajit.start = search->bias + i->loop[0].start;
		p.luajit.bytes = i->loop[0].end - i->loop[0].start;
		break;
	default:
		p.perl.layout = i->perl;
		p.perl.specific = search->keys;
	}
	return p;
}

static struct script_range range_of(const struct search *search, const struct interpreter_range *r)
{
	return (struct script_range){ search->bias + r->start, search->bias + r->end };
}

/* Loads the BPF program of an interpreter when the first process needs it; false: that failed, and stacks remain native. */
static bool load_program(struct scripts *s, enum script_kind kind)
{
	static const char *const names[SCRIPT_KINDS] = {
		[SCRIPT_PYTHON] = "walk_python_stack", [SCRIPT_PHP] = "walk_php_stack", [SCRIPT_RUBY] = "walk_ruby_stack",
		[SCRIPT_PERL] = "walk_perl_stack", [SCRIPT_V8] = "walk_v8_stack",
		[SCRIPT_HOTSPOT] = "walk_hotspot_stack", [SCRIPT_LUAJIT] = "walk_luajit_stack",
	};
	uint32_t at = kind;
	if (s->has_program[kind])
		return true;
	struct strobe_error *err = bpf_load_program(s->loaded, names[kind]);
	int fd = err ? -1 : bpf_program_of(s->loaded, names[kind]);
	if (!err)
		err = bpf_map_set(bpf_map_of(s->loaded, "script_programs"), &at, &fd);
	if (err)
		log_info("frames of scripts are not recorded: %s", err->message);
	s->has_program[kind] = !err;
	error_destroy(err);
	return s->has_program[kind];
}

/*
 * With the first process, creates the map of code objects that were sent. Inserting it takes the kernel a grace period (tens of
 * milliseconds), but the program can use it at once.
 */
static struct strobe_error *set_process(struct scripts *s, uint32_t pid, const struct script_process *process)
{
	static const struct bpf_map_shape shape = { BPF_MAP_TYPE_LRU_HASH, 2 * sizeof(uint64_t), sizeof(uint32_t), SCRIPT_CODES_SEEN, 0 };
	_cleanup_close_ int fd = -1;
	if (!s->has_codes)
		TRY(bpf_map_make(s->sys, "script_codes", shape, &fd));
	TRY(bpf_map_set(s->processes_fd, &pid, process));
	if (!s->has_codes)
		TRY(bpf_map_set(bpf_map_of(s->loaded, "script_codes"), &(uint32_t){ 0 }, &fd));
	s->has_codes = true;
	return NULL;
}

/* The program requests a process again until it has the answer, which may be on its way. */
static bool is_answered(struct scripts *s, const struct script_request *request)
{
	pthread_mutex_lock(&s->lock);
	bool is_answered = scripts_space(s, request->mm)->pid == request->pid;
	pthread_mutex_unlock(&s->lock);
	return !request->inode && is_answered;
}

/* An agent that writes a jitdump shows its path to recorders by mapping it. */
static bool see_jitdump(void *ctx, const struct synth_map *m)
{
	return !(*(bool *)ctx = machine_is_jitdump(m->name));
}

/* Whether the tables of a running JVM could be read; false: not yet. */
static bool read_hotspot(struct search *search)
{
	struct procmap_options o = { .sys = search->s->sys };
	struct build_id_cache *cache = build_id_cache_create();
	bool has_dump = false;
	pid_t process = (pid_t)search->pid;
	struct interp_memory memory = { .read = scripts_read_process, .ctx = &process };
	bool is_read = hotspot_read(&memory, &search->interpreter.hotspot, search->bias, &search->hotspot);
	if (is_read)
		procmap_each(process, &o, cache, see_jitdump, &has_dump);
	search->hotspot.has_dump = has_dump;
	build_id_cache_destroy(cache);
	return is_read;
}

static void answer(struct scripts *s, const struct script_request *request)
{
	struct search search = { .s = s, .pid = request->pid };
	struct procmap_options o = { .sys = s->sys };
	if (is_answered(s, request))
		return;
	if (!request->inode || !find_known(&search, request)) {
		struct build_id_cache *cache = build_id_cache_create();
		procmap_each((pid_t)request->pid, &o, cache, see_mapping, &search);
		build_id_cache_destroy(cache);
	}
	const struct interpreter *i = &search.interpreter;
	if (!is_complete(&search) || (i->kind == SCRIPT_HOTSPOT && !read_hotspot(&search)) || !load_program(s, i->kind))
		return;
	pthread_mutex_lock(&s->lock);
	struct script_space *space = scripts_space(s, request->mm);
	space->pid = request->pid;
	space->kind = i->kind;
	if (i->kind == SCRIPT_PYTHON)
		space->python = i->python;
	if (i->kind == SCRIPT_V8)
		space->v8 = i->v8;
	space->has_no_null = i->kind == SCRIPT_HOTSPOT && search.hotspot.has_no_null;
	for (int part = 0; part < 2; part++)
		space->loop[part] = range_of(&search, &i->loop[part]);
	space->mapped_rings = 0;
	pthread_mutex_unlock(&s->lock);
	struct script_process process = describe(&search, request->mm);
	error_destroy(set_process(s, request->pid, &process));
}

void *scripts_serve(void *arg)
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
