/*
 * Frames of CPython, read at the moment of a sample: the thread's state by its thread pointer, then frame by frame. Part of the program
 * that walks stacks, before it: what is sent here comes right before the stack. All that is read belongs to another process, and may
 * change or lie: pointers are followed by bpf_probe_read_user(), so many times at most.
 */
#pragma once
#include "bpf/unwind/script_shared.h"

#define SCRIPT_THREADS_MAX 1024
#define LENGTH_AT	   16 /* of an object of variable size */
#define STATE_AT	   32 /* of a str */
#define BYTES_HEAD	   32 /* of a bytes object */
#define OWNED_BY_NO_CODE   3 /* and above: a frame that the evaluation loop begins with */

/* A code object that user space does not know. */
struct script_fresh {
	__u64 code, lines;
	__u32 stamp, unused;
};

struct script_walk {
	struct script_stack stack;
	struct script_frame frames[SCRIPT_FRAMES_MAX];
	__u8 frame[SCRIPT_FRAME_BYTES];
	struct script_process process;
	struct script_fresh fresh[SCRIPT_CODES_A_SAMPLE];
	__u64 at;                  /* the frame, or the thread that is looked at */
	__u64 interpreter, thread; /* while a thread is looked for */
	__u64 self, found;
	__u32 fresh_nr, unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCRIPT_PROCESSES);
	__type(key, __u32);
	__type(value, struct script_process);
} script_processes SEC(".maps");

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

struct script_code_key {
	__u64 mm;
	__u64 code;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SCRIPT_CODES_SEEN);
	__type(key, struct script_code_key);
	__type(value, __u32);
} script_codes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct script_walk);
} script_walks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct script_code_message);
} script_parts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 10);
} script_requests SEC(".maps");

#if defined(__TARGET_ARCH_x86)
INLINE struct script_walk *this_script_walk(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&script_walks, &zero);
}

INLINE __u64 read_word_at(__u64 at)
{
	__u64 v = 0;
	bpf_probe_read_user(&v, sizeof(v), (void *)at);
	return v;
}

/* ---- the thread ---- */

static long look_at_thread(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	if (!s || !s->interpreter)
		return 1;
	if (!s->thread) {
		s->interpreter = read_word_at(s->interpreter + s->process.next_interpreter);
		s->thread = s->interpreter ? read_word_at(s->interpreter + s->process.threads) : 0;
		return 0;
	}
	if (read_word_at(s->thread + s->process.thread_id) == s->self) {
		s->found = s->thread;
		return 1;
	}
	s->thread = read_word_at(s->thread + s->process.next_thread);
	return 0;
}

/* Threads are few, or stay: where one was found is tried first. */
INLINE __u64 find_thread(struct script_walk *s)
{
	struct script_thread_key key = { .mm = s->process.mm, .self = s->self };
	__u64 *known = bpf_map_lookup_elem(&script_threads, &key);
	__u64 found = known ? *known : 0;
	if (found && read_word_at(found + s->process.thread_id) == s->self)
		return found;
	s->found = 0;
	s->interpreter = read_word_at(s->process.interpreters);
	s->thread = s->interpreter ? read_word_at(s->interpreter + s->process.threads) : 0;
	bpf_loop(SCRIPT_THREADS_MAX, look_at_thread, 0, 0);
	found = s->found;
	if (found)
		bpf_map_update_elem(&script_threads, &key, &found, BPF_ANY);
	return found;
}

/* ---- code objects ---- */

INLINE __u32 text_bytes(const struct script_process *p, __u64 object)
{
	__u64 length = read_word_at(object + LENGTH_AT);
	__u32 state = 0, kind;
	bpf_probe_read_user(&state, sizeof(state), (void *)(object + STATE_AT));
	kind = state >> 2 & 7;
	if (length > SCRIPT_FILE_BYTES)
		length = SCRIPT_FILE_BYTES;
	return p->text + (__u32)length * kind;
}

#define COPY_PART(part, limit, want, from)                                                          \
	({                                                                                          \
		__u32 copy_bytes = (want);                                                          \
		if (copy_bytes > (limit) - 1)                                                       \
			copy_bytes = (limit) - 1;                                                   \
		copy_bytes &= (limit) - 1;                                                          \
		if (bpf_probe_read_user((part), copy_bytes, (void *)(from)))                        \
			copy_bytes = 0;                                                             \
		copy_bytes;                                                                         \
	})

/* Not now where a part of it cannot be read at the moment. */
INLINE int send_code(void *ctx, struct script_walk *s, const struct script_fresh *fresh)
{
	__u32 zero = 0, bytes;
	struct script_code_message *m = bpf_map_lookup_elem(&script_parts, &zero);
	const struct script_process *p = &s->process;
	struct script_code_key key = { .mm = p->mm, .code = fresh->code };
	__u64 name, file, length;
	if (!m)
		return 0;
	name = read_word_at(fresh->code + p->name);
	file = read_word_at(fresh->code + p->file_name);
	length = read_word_at(fresh->lines + LENGTH_AT);
	if (length >= SCRIPT_LINES_BYTES)
		length = SCRIPT_LINES_BYTES - 1;
	m->name_bytes = COPY_PART(m->name, SCRIPT_NAME_BYTES, text_bytes(p, name), name);
	m->file_bytes = COPY_PART(m->file, SCRIPT_FILE_BYTES, text_bytes(p, file), file);
	bytes = COPY_PART(m->lines, SCRIPT_LINES_BYTES, (__u32)length, fresh->lines + BYTES_HEAD);
	if (!m->name_bytes || !m->file_bytes) {
		bpf_map_delete_elem(&script_codes, &key);
		return 0;
	}
	m->message = SCRIPT_MESSAGE_CODE;
	m->stamp = fresh->stamp;
	m->code = fresh->code;
	m->mm = p->mm;
	m->lines_bytes = bytes;
	m->first_line = 0;
	bpf_probe_read_user(&m->first_line, sizeof(m->first_line), (void *)(fresh->code + p->first_line));
	bytes = BELOW(SCRIPT_LINES_BYTES, bytes);
	bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, m, __builtin_offsetof(struct script_code_message, lines) + bytes);
	return 0;
}

struct script_sending {
	void *ctx;
};

static long send_fresh(__u32 i, struct script_sending *to)
{
	struct script_walk *s = this_script_walk();
	if (!s || i >= SCRIPT_CODES_A_SAMPLE || i >= s->fresh_nr)
		return 1;
	send_code(to->ctx, s, &s->fresh[i]);
	return 0;
}

INLINE void know_code(struct script_walk *s, __u64 code, __u32 stamp, __u64 lines)
{
	struct script_code_key key = { .mm = s->process.mm, .code = code };
	const __u32 *known = bpf_map_lookup_elem(&script_codes, &key);
	__u32 nr = s->fresh_nr;
	if ((known && *known == stamp) || nr >= SCRIPT_CODES_A_SAMPLE)
		return;
	bpf_map_update_elem(&script_codes, &key, &stamp, BPF_ANY);
	s->fresh[nr] = (struct script_fresh){ .code = code, .lines = lines, .stamp = stamp };
	s->fresh_nr = nr + 1;
}

/* ---- frames ---- */

INLINE __u64 frame_word(const struct script_walk *s, __u32 at)
{
	__u64 v = 0;
	at &= SCRIPT_FRAME_BYTES - 1;
	if (at <= SCRIPT_FRAME_BYTES - 8)
		__builtin_memcpy(&v, s->frame + at, sizeof(v));
	return v;
}

INLINE __u32 instruction_offset(const struct script_walk *s, __u64 code)
{
	const struct script_process *p = &s->process;
	__u64 v = frame_word(s, p->instruction), offset;
	offset = p->bytecode ? v - code - p->bytecode : (__u64)(__s32)v * p->index_scale;
	return offset < 1U << 30 ? (__u32)offset : 0;
}

INLINE void add_frame(struct script_walk *s, __u64 code, _Bool is_entry)
{
	__u64 lines = read_word_at(code + s->process.lines);
	__u32 nr = s->stack.nr, stamp = (__u32)(lines >> 4);
	if (nr >= SCRIPT_FRAMES_MAX)
		return;
	s->frames[nr].code = code;
	s->frames[nr].stamp = stamp;
	s->frames[nr].offset_flags = instruction_offset(s, code) << 1 | is_entry;
	s->stack.nr = nr + 1;
	know_code(s, code, stamp, lines);
}

static long script_step(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	__u64 code;
	__u8 entry;
	__u32 nr;
	if (!s || !s->at)
		return 1;
	if (bpf_probe_read_user(s->frame, sizeof(s->frame), (void *)s->at))
		return 1;
	code = frame_word(s, s->process.code) & ~3ULL; /* the lowest bits may be a tag */
	entry = s->frame[s->process.entry & (SCRIPT_FRAME_BYTES - 1)];
	s->at = frame_word(s, s->process.previous);
	if (s->process.entries == 2 && entry >= OWNED_BY_NO_CODE) {
		nr = s->stack.nr - 1;
		if (nr < SCRIPT_FRAMES_MAX)
			s->frames[nr].offset_flags |= SCRIPT_FRAME_ENTRY;
		return 0;
	}
	if (!code)
		return 1;
	add_frame(s, code, s->process.entries == 0 || (s->process.entries == 1 && entry));
	return s->stack.nr >= SCRIPT_FRAMES_MAX;
}

/* ---- the process ---- */

/* Whether its program is called python3 or the like. */
INLINE _Bool runs_python(struct mm_struct *mm)
{
	struct file *file = 0;
	struct dentry *dentry = 0;
	const unsigned char *name = 0;
	char begin[8] = {};
	bpf_probe_read_kernel(&file, sizeof(file), &mm->exe_file);
	if (file)
		bpf_probe_read_kernel(&dentry, sizeof(dentry), &file->f_path.dentry);
	if (dentry)
		bpf_probe_read_kernel(&name, sizeof(name), &dentry->d_name.name);
	if (name)
		bpf_probe_read_kernel(begin, 6, name);
	return begin[0] == 'p' && begin[1] == 'y' && begin[2] == 't' && begin[3] == 'h' && begin[4] == 'o' && begin[5] == 'n';
}

static __attribute__((noinline)) int request_script_process(struct mm_struct *mm, __u32 pid, struct script_process *known)
{
	struct script_request request = { .mm = (__u64)mm, .pid = pid };
	struct script_process *fresh;
	__u64 now = bpf_ktime_get_ns();
	struct script_walk *s = this_script_walk();
	if (known && known->mm == (__u64)mm) {
		__u32 requests = known->requests;
		if (requests >= SCRIPT_REQUESTS_MAX || now - known->requested_ns < SCRIPT_REQUEST_AGAIN_NS << (requests & 15))
			return 0;
		known->requests = requests + 1;
		known->requested_ns = now;
	} else {
		if (!s || !runs_python(mm))
			return 0;
		fresh = &s->process;
		__builtin_memset(fresh, 0, sizeof(*fresh));
		fresh->mm = (__u64)mm;
		fresh->requested_ns = now;
		bpf_map_update_elem(&script_processes, &pid, fresh, BPF_ANY);
	}
	bpf_ringbuf_output(&script_requests, &request, sizeof(request), BPF_RB_FORCE_WAKEUP);
	return 0;
}

INLINE void walk_scripts(void *ctx, struct task_struct *task, __u32 pid, struct mm_struct *mm)
{
	struct script_process *p = bpf_map_lookup_elem(&script_processes, &pid);
	struct script_walk *s;
	struct script_sending sending = { ctx };
	__u64 thread;
	__u32 bytes;
	if (!p || p->mm != (__u64)mm || !p->interpreters) {
		request_script_process(mm, pid, p);
		return;
	}
	s = this_script_walk();
	if (!s)
		return;
	s->process = *p;
	s->fresh_nr = 0;
	s->self = 0;
	bpf_probe_read_kernel(&s->self, sizeof(s->self), &task->thread.fsbase);
	s->stack.message = SCRIPT_MESSAGE_STACK;
	s->stack.nr = 0;
	s->stack.mm = (__u64)mm;
	thread = find_thread(s);
	if (!thread)
		return;
	s->at = read_word_at(thread + s->process.frame);
	if (s->process.cframe >= 0 && s->at)
		s->at = read_word_at(s->at + s->process.cframe);
	bpf_loop(SCRIPT_FRAMES_MAX * 2, script_step, 0, 0);
	s->stack.is_cut = s->stack.nr >= SCRIPT_FRAMES_MAX;
	if (s->fresh_nr)
		bpf_loop(SCRIPT_CODES_A_SAMPLE, send_fresh, &sending, 0);
	if (!s->stack.nr)
		return;
	bytes = s->stack.nr * (__u32)sizeof(struct script_frame);
	FORGET(bytes);
	if (bytes <= sizeof(s->frames))
		bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, s, sizeof(struct script_stack) + bytes);
}
#else
/* What pthread_self() is there cannot be known from the thread pointer alone. */
INLINE void walk_scripts(void *ctx, struct task_struct *task, __u32 pid, struct mm_struct *mm)
{
}
#endif
