/*
 * Common parts of the interpreters' readers: known processes, frames found, code objects to send. These are sent right before the stack
 * to which they belong. All data read is the traced process's own, and may change or be wrong: pointers are followed by
 * bpf_probe_read_user(), a limited number of times.
 */
#pragma once
#include "bpf/unwind/script_shared.h"
#include "bpf/unwind/unwind_mapping.bpf.h"

/*
 * On other architectures pthread_self() cannot be derived from the thread pointer alone; and before Linux 6.0 arm64 has no tail calls in
 * programs with several functions.
 */
#if defined(__TARGET_ARCH_x86)
#define READS_SCRIPTS 1
#else
#define READS_SCRIPTS 0
#endif

/* A code object that user space does not know. */
struct script_fresh {
	__u64 code, with; /* with: a second object that describes it */
	__u32 stamp, line; /* line: the first one, where it was read */
};

/* A string of V8 that is being read. */
#define V8_NAME_PARTS 4 /* of a concatenated name: "Module", ".", "_compile"; a power of two */
struct v8_text {
	__u64 string, at;	      /* at: its characters */
	__u64 after[V8_NAME_PARTS];   /* strings that follow, in reverse order */
	__u32 after_nr, length, skipped, bytes, is_wide, unused;
};

/* HotSpot: a blob of code. */
struct hotspot_blob {
	__u64 at, name, text; /* text: the beginning of its name */
	__u64 code;
	__u32 frame_bytes, complete; /* complete: offset in the code from which on the frame is there */
};

/* The scopes of an address in a compiled method, from the innermost on. */
struct hotspot_scopes {
	__u64 at, methods; /* where their descriptions and the pointers to methods are */
	__u64 pcs;	   /* descriptions of addresses, by address */
	__u32 pcs_nr;
	__u32 next, nr; /* offset of the next scope, 0: no more; how many were added */
};

/* In memory, since the stack of a chain of calls has 512 bytes only. */
struct hotspot_scratch {
	struct hotspot_blob blob;
	struct hotspot_scopes scopes;
};

struct script_walk {
	struct script_stack stack;
	struct script_frame frames[SCRIPT_FRAMES_MAX];
	__u8 frame[SCRIPT_FRAME_BYTES];
	struct script_process process;
	struct script_fresh fresh[SCRIPT_CODES_A_SAMPLE];
	__u64 self;                /* the thread pointer */
	__u64 at;                  /* the frame to read next (V8: its frame pointer) */
	__u64 base;                /* the beginning (Perl) or end (Ruby) of its stack */
	__u64 interpreter, thread; /* while searching for a thread (Python); the interpreter (Perl) */
	__u64 found;
	__u64 instruction;         /* from a register, if it is kept there (PHP) */
	__u64 place, outer;        /* Perl: the current statement of the next frame, the next stack */
	__u32 stack_type, stack_bottom, stack_first; /* Perl: of the stack; kind of its last context; frames before it */
	struct v8_text text;
	struct hotspot_scratch hotspot;
	__u32 native;	       /* V8: the current native frame, or V8_NATIVE_OPEN */
	__u32 is_bare, is_innermost; /* V8: a frame of compiled code; the innermost frame */
	__u32 fresh_nr;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCRIPT_PROCESSES);
	__type(key, __u32);
	__type(value, struct script_process);
} script_processes SEC(".maps");

struct script_code_key {
	__u64 mm;
	__u64 code;
};

struct script_codes {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 64); /* the map itself has SCRIPT_CODES_SEEN */
	__uint(key_size, sizeof(struct script_code_key));
	__uint(value_size, sizeof(__u32));
};

/* User space creates it when it finds the first interpreter, since it takes 3 MB and a millisecond. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct script_codes);
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

/* Programs by enum script_kind. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, SCRIPT_KINDS);
	__type(key, __u32);
	__type(value, __u32);
} script_programs SEC(".maps");

INLINE struct script_walk *this_script_walk(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&script_walks, &zero);
}

INLINE void *this_script_codes(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&script_codes, &zero);
}

INLINE __u64 read_word_at(__u64 at)
{
	__u64 v = 0;
	bpf_probe_read_user(&v, sizeof(v), (void *)at);
	return v;
}

INLINE __u32 read_half_at(__u64 at)
{
	__u32 v = 0;
	bpf_probe_read_user(&v, sizeof(v), (void *)at);
	return v;
}

INLINE __u64 frame_word(const struct script_walk *s, __u32 at)
{
	__u64 v = 0;
	at &= SCRIPT_FRAME_BYTES - 1;
	if (at <= SCRIPT_FRAME_BYTES - 8)
		__builtin_memcpy(&v, s->frame + at, sizeof(v));
	return v;
}

/* Returns the number of bytes copied; limit: the size of the part, a power of two. */
#define COPY_PART(part, limit, bytes, from)                                                         \
	({                                                                                          \
		__u32 copy_bytes = (bytes);                                                         \
		FORGET(copy_bytes);                                                                 \
		if (copy_bytes > (limit) - 1)                                                       \
			copy_bytes = (limit) - 1;                                                   \
		copy_bytes = BELOW(limit, copy_bytes);                                              \
		if (bpf_probe_read_user((part), copy_bytes, (void *)(from)))                        \
			copy_bytes = 0;                                                             \
		copy_bytes;                                                                         \
	})

/* Bounds a length read from the process, for COPY_PART(). */
INLINE __u32 bounded(__u64 length)
{
	return length < SCRIPT_REST_BYTES ? (__u32)length : SCRIPT_REST_BYTES;
}

INLINE void know_code(struct script_walk *s, const struct script_fresh *fresh)
{
	struct script_code_key key = { .mm = s->process.mm, .code = fresh->code };
	void *codes = this_script_codes();
	const __u32 *known = codes ? bpf_map_lookup_elem(codes, &key) : 0;
	__u32 nr = s->fresh_nr;
	if (!codes || (known && *known == fresh->stamp) || nr >= SCRIPT_CODES_A_SAMPLE)
		return;
	bpf_map_update_elem(codes, &key, &fresh->stamp, BPF_ANY);
	s->fresh[BELOW(SCRIPT_CODES_A_SAMPLE, nr)] = *fresh;
	s->fresh_nr = nr + 1;
}

INLINE void add_frame(struct script_walk *s, const struct script_fresh *of, __u32 offset, _Bool is_entry)
{
	__u32 nr = s->stack.nr;
	struct script_frame *f;
	if (nr >= SCRIPT_FRAMES_MAX)
		return;
	f = &s->frames[BELOW(SCRIPT_FRAMES_MAX, nr)];
	f->code = of->code;
	f->stamp = of->stamp;
	f->offset_flags = (offset < 1U << 30 ? offset << 1 : 0) | is_entry;
	s->stack.nr = nr + 1;
	if (of->code)
		know_code(s, of);
}

/* Marks the last frame as the first one of a call of the evaluation loop. */
INLINE void mark_entry(struct script_walk *s)
{
	if (s->stack.nr)
		s->frames[BELOW(SCRIPT_FRAMES_MAX, s->stack.nr - 1)].offset_flags |= SCRIPT_FRAME_ENTRY;
}

/* ---- processes ---- */

static const char interpreters[][8] = { "python", "php", "ruby", "perl", "node", "java", "luajit" };

/* Whether the program has the name of an interpreter. */
INLINE _Bool runs_scripts(struct mm_struct *mm)
{
	struct file *file = 0;
	struct dentry *dentry = 0;
	const unsigned char *name = 0;
	__u64 begin = 0;
	bpf_probe_read_kernel(&file, sizeof(file), &mm->exe_file);
	if (file)
		bpf_probe_read_kernel(&dentry, sizeof(dentry), &file->f_path.dentry);
	if (dentry)
		bpf_probe_read_kernel(&name, sizeof(name), &dentry->d_name.name);
	if (name)
		bpf_probe_read_kernel(&begin, 6, name);
#pragma unroll
	for (int i = 0; i < NR(interpreters); i++) {
		__u64 word = 0, mask = 0;
		__builtin_memcpy(&word, interpreters[i], sizeof(word));
#pragma unroll
		for (int j = 0; j < 8; j++)
			mask |= interpreters[i][j] ? 0xffULL << 8 * j : 0;
		if (!((begin ^ word) & mask))
			return 1;
	}
	return 0;
}

/* with: a mapping of an interpreter, or 0. */
INLINE void request_script_process(struct mm_struct *mm, __u32 pid, const struct found_mapping *with)
{
	struct script_request request = { .mm = (__u64)mm, .pid = pid };
	if (with) {
		request.device = with->request.key.device;
		request.inode = with->request.key.inode;
		request.start = with->request.start;
		request.end = with->request.end;
		request.pgoff = with->request.key.pgoff;
	}
	bpf_ringbuf_output(&script_requests, &request, sizeof(request), BPF_RB_FORCE_WAKEUP);
}

INLINE void request_again(struct mm_struct *mm, __u32 pid, struct script_process *known)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 requests = known->requests;
	if (requests >= SCRIPT_REQUESTS_MAX || now - known->requested_ns < SCRIPT_REQUEST_AGAIN_NS << (requests & 15))
		return;
	known->requests = requests + 1;
	known->requested_ns = now;
	request_script_process(mm, pid, 0);
}

INLINE void request_first(struct mm_struct *mm, __u32 pid, const struct found_mapping *with)
{
	struct script_walk *s = this_script_walk();
	struct script_process *fresh;
	if (!s)
		return;
	fresh = &s->process;
	__builtin_memset(fresh, 0, sizeof(*fresh));
	fresh->mm = (__u64)mm;
	fresh->requested_ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&script_processes, &pid, fresh, BPF_ANY);
	request_script_process(mm, pid, with);
}

/* The process has mapped a file with an interpreter, whatever the name of its program. */
static __attribute__((noinline)) int meet_interpreter(__u32 pid, const struct found_mapping *mapping)
{
	struct script_process *p = bpf_map_lookup_elem(&script_processes, &pid);
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct *mm = 0;
	bpf_probe_read_kernel(&mm, sizeof(mm), &task->mm);
	if (READS_SCRIPTS && settings.has_scripts && (!p || p->mm != (__u64)mm))
		request_first(mm, pid, mapping);
	return 0;
}

/* By where its program is mapped, which most interpreters are in; before Linux 6.1, where that takes a lock, by its ID alone. */
static __attribute__((noinline)) int meet_program(struct mm_struct *mm, __u32 pid)
{
	struct found_mapping f = {};
	__u64 code = 0;
	bpf_probe_read_kernel(&code, sizeof(code), &mm->start_code);
	if (!bpf_core_field_exists(mm->mm_mt) || find_vma(code, &f) || !f.is_of_file)
		f.request.key.inode = 0;
	request_first(mm, pid, &f);
	return 0;
}

static __attribute__((noinline)) int know_process(struct mm_struct *mm, __u32 pid, struct script_process *p)
{
	if (p && p->mm == (__u64)mm)
		request_again(mm, pid, p);
	else if (runs_scripts(mm))
		meet_program(mm, pid);
	return 0;
}

/* Tail-calls the program of the interpreter, if the process runs one, for the rest of the sample's walk; else returns. */
INLINE void go_on_with_scripts(void *ctx, struct mm_struct *mm, __u32 pid)
{
	struct script_process *p = bpf_map_lookup_elem(&script_processes, &pid);
	if (p && p->mm == (__u64)mm && p->start)
		bpf_tail_call(ctx, &script_programs, p->kind);
	else
		know_process(mm, pid, p);
}
