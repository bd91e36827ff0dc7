/* Frames of CPython: the thread's state by its thread pointer, then frame by frame. */
#pragma once
#include "bpf/unwind/script.bpf.h"

#define SCRIPT_THREADS_MAX 1024
#define LENGTH_AT	   16 /* of an object of variable size */
#define STATE_AT	   32 /* of a str */
#define BYTES_HEAD	   32 /* of a bytes object */
#define OWNED_BY_NO_CODE   3 /* and above: a frame that the evaluation loop begins with */

struct script_thread_key {
	__u64 mm;
	__u64 self;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SCRIPT_PROCESSES);
	__type(key, struct script_thread_key);
	__type(value, __u64);
} script_threads SEC(".maps");

/* ---- the thread ---- */

static long look_at_python_thread(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	if (!s || !s->interpreter)
		return 1;
	if (!s->thread) {
		s->interpreter = read_word_at(s->interpreter + s->process.python.next_interpreter);
		s->thread = s->interpreter ? read_word_at(s->interpreter + s->process.python.threads) : 0;
		return 0;
	}
	if (read_word_at(s->thread + s->process.python.thread_id) == s->self) {
		s->found = s->thread;
		return 1;
	}
	s->thread = read_word_at(s->thread + s->process.python.next_thread);
	return 0;
}

/* The address where a thread's state was found last is tried first. */
INLINE __u64 find_python_thread(struct script_walk *s)
{
	struct script_thread_key key = { .mm = s->process.mm, .self = s->self };
	__u64 *known = bpf_map_lookup_elem(&script_threads, &key);
	__u64 found = known ? *known : 0;
	if (found && read_word_at(found + s->process.python.thread_id) == s->self)
		return found;
	s->found = 0;
	s->interpreter = read_word_at(s->process.start);
	s->thread = s->interpreter ? read_word_at(s->interpreter + s->process.python.threads) : 0;
	bpf_loop(SCRIPT_THREADS_MAX, look_at_python_thread, 0, 0);
	found = s->found;
	if (found)
		bpf_map_update_elem(&script_threads, &key, &found, BPF_ANY);
	return found;
}

/* ---- code objects ---- */

INLINE __u32 text_bytes(const struct script_python *p, __u64 object)
{
	__u64 length = read_word_at(object + LENGTH_AT);
	__u32 kind = read_half_at(object + STATE_AT) >> 2 & 7;
	if (length > SCRIPT_FILE_BYTES)
		length = SCRIPT_FILE_BYTES;
	return p->text + (__u32)length * kind;
}

APART int fill_python_code(struct script_walk *s, struct script_code_message *m, const struct script_fresh *fresh)
{
	const struct script_python *p = &s->process.python;
	__u64 name = read_word_at(fresh->code + p->name), file = read_word_at(fresh->code + p->file_name);
	m->name_bytes = COPY_PART(m->name, SCRIPT_NAME_BYTES, text_bytes(p, name), name);
	m->file_bytes = COPY_PART(m->file, SCRIPT_FILE_BYTES, text_bytes(p, file), file);
	m->rest_bytes = COPY_PART(m->rest, SCRIPT_REST_BYTES, bounded(read_word_at(fresh->with + LENGTH_AT)), fresh->with + BYTES_HEAD);
	m->first_line = read_half_at(fresh->code + p->first_line);
	return m->name_bytes && m->file_bytes;
}

/* ---- frames ---- */

INLINE __u32 python_offset(const struct script_walk *s, __u64 code)
{
	const struct script_python *p = &s->process.python;
	__u64 v = frame_word(s, p->instruction);
	v = p->bytecode ? v - code - p->bytecode : (__u64)(__s32)v * p->index_scale;
	return v < 1U << 30 ? (__u32)v : 0;
}

static long python_step(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	struct script_fresh of = {};
	const struct script_python *p;
	__u8 entry;
	if (!s || !s->at)
		return 1;
	if (bpf_probe_read_user(s->frame, sizeof(s->frame), (void *)s->at))
		return 1;
	p = &s->process.python;
	of.code = frame_word(s, p->code) & ~3ULL; /* the lowest bits may be a tag */
	entry = s->frame[p->entry & (SCRIPT_FRAME_BYTES - 1)];
	s->at = frame_word(s, p->previous);
	if (p->entries == 2 && entry >= OWNED_BY_NO_CODE) {
		mark_entry(s);
		return 0;
	}
	if (!of.code)
		return 1;
	of.with = read_word_at(of.code + p->lines);
	of.stamp = (__u32)(of.with >> 4);
	add_frame(s, &of, python_offset(s, of.code), p->entries == 0 || (p->entries == 1 && entry));
	return s->stack.nr >= SCRIPT_FRAMES_MAX;
}

APART int walk_python(struct script_walk *s)
{
	const struct script_python *p = &s->process.python;
	__u64 thread = find_python_thread(s);
	if (!thread)
		return 0;
	s->at = read_word_at(thread + p->frame);
	if (p->cframe >= 0 && s->at)
		s->at = read_word_at(s->at + p->cframe);
	bpf_loop(SCRIPT_FRAMES_MAX * 2, python_step, 0, 0);
	return 0;
}
