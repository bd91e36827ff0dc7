/* Frames of Ruby: control frames of the thread's execution context. Those of methods that are written in C are native ones. */
#pragma once
#include "bpf/unwind/script.bpf.h"

/* rb_control_frame_t */
#define RUBY_FRAME_READ	 48
#define RUBY_PC		 0
#define RUBY_ISEQ	 16
#define RUBY_ENVIRONMENT 32
/* In the first word of the environment: VM_FRAME_FLAG_FINISH; of a frame that runs nothing */
#define RUBY_FINISH	 0x20
#define RUBY_KIND	 0x7fff0001
#define RUBY_DUMMY	 0x79990001
/* rb_iseq_t, rb_iseq_constant_body */
#define RUBY_BODY	 16
#define RUBY_PATH	 64
#define RUBY_LABEL	 80
#define RUBY_FIRST_LINE	 88
#define RUBY_LINE_BYTES	 12 /* struct iseq_insn_info_entry */
/* Of positions: those in the first words, then blocks of 512. */
#define RUBY_POSITIONS_FIRST 54
#define RUBY_FIRST_BYTES     48
#define RUBY_BLOCK	     512
#define RUBY_BLOCK_BYTES     80
/* RBasic.flags */
#define RUBY_TYPE	 0x1f
#define RUBY_STRING	 5
#define RUBY_ARRAY	 7
#define RUBY_FLAG_1	 (1U << 13) /* strings: elsewhere; arrays: embedded */
#define RUBY_SHORT_SHIFT 14

struct ruby_context {
	__u64 stack, stack_words, frame;
};

struct ruby_code {
	__u32 type, size;
	__u64 instructions;
};

/* ---- code ---- */

struct ruby_text {
	__u64 at;
	__u32 bytes, unused;
};

INLINE _Bool is_ruby_string(__u64 value)
{
	return value && (read_word_at(value) & RUBY_TYPE) == RUBY_STRING;
}

INLINE struct ruby_text ruby_text_of(const struct ruby_layout *l, __u64 value)
{
	struct ruby_text text = {};
	__u64 flags = read_word_at(value), length = read_word_at(value + 16);
	if (!value || (flags & RUBY_TYPE) != RUBY_STRING)
		return text;
	text.at = value + l->embedded;
	if (flags & RUBY_FLAG_1)
		text.at = read_word_at(value + 24);
	else if (!l->has_length)
		length = flags >> RUBY_SHORT_SHIFT & 31;
	text.bytes = bounded(length);
	return text;
}

/* A path is a string, or an array of it as it was given and as it really is. */
INLINE __u64 ruby_path_of(__u64 value)
{
	__u64 flags = read_word_at(value), elements, real;
	if (!value || (flags & RUBY_TYPE) != RUBY_ARRAY)
		return value;
	elements = flags & RUBY_FLAG_1 ? value + 16 : read_word_at(value + 32);
	real = read_word_at(elements + 8);
	return is_ruby_string(real) ? real : read_word_at(elements);
}

APART int fill_ruby_code(struct script_walk *s, struct script_code_message *m, const struct script_fresh *fresh)
{
	const struct ruby_layout *l = &s->process.ruby.layout;
	__u64 body = fresh->code, positions = read_word_at(body + l->positions), lines = read_word_at(body + l->lines);
	__u64 first = read_word_at(body + RUBY_FIRST_LINE);
	struct ruby_text name = ruby_text_of(l, read_word_at(body + RUBY_LABEL));
	struct ruby_text file = ruby_text_of(l, ruby_path_of(read_word_at(body + RUBY_PATH)));
	__u32 blocks = 0;
	m->name_bytes = COPY_PART(m->name, SCRIPT_NAME_BYTES, name.bytes, name.at);
	m->file_bytes = COPY_PART(m->file, SCRIPT_FILE_BYTES, file.bytes, file.at);
	m->first_line = l->has_fixnum ? (__u32)(first >> 1) : (__u32)first;
	m->size = read_half_at(body + 4);
	m->lines_nr = read_half_at(body + l->lines_nr);
	if (m->size > RUBY_POSITIONS_FIRST)
		blocks = bounded((m->size - RUBY_POSITIONS_FIRST + RUBY_BLOCK - 1) / RUBY_BLOCK);
	COPY_PART(m->rest, SCRIPT_POSITIONS_BYTES, RUBY_FIRST_BYTES + blocks * RUBY_BLOCK_BYTES, positions);
	m->rest_bytes = SCRIPT_POSITIONS_BYTES + COPY_PART(m->rest + SCRIPT_POSITIONS_BYTES, SCRIPT_REST_BYTES,
							   bounded((__u64)m->lines_nr * RUBY_LINE_BYTES), lines);
	return m->name_bytes && m->file_bytes;
}

/* ---- frames ---- */

INLINE __u64 thread_local_at(const struct script_walk *s, const struct script_thread_local *l)
{
	__u64 vector, block;
	if (!l->module)
		return s->self + l->offset;
	vector = read_word_at(s->self + 8);
	block = read_word_at(vector + read_word_at(l->module) * 16);
	return block && block != ~0ULL ? block + l->offset : 0;
}

/* The counter is after the current instruction. */
INLINE void add_ruby_frame(struct script_walk *s, __u64 iseq, __u64 pc, _Bool is_entry)
{
	struct script_fresh of = { .code = read_word_at(iseq + RUBY_BODY) };
	struct ruby_code code = {};
	__u64 offset;
	if (!of.code || bpf_probe_read_user(&code, sizeof(code), (void *)of.code))
		return;
	offset = (pc - code.instructions) / 8;
	if (offset > code.size)
		return;
	of.stamp = (__u32)(read_word_at(of.code + RUBY_LABEL) >> 3);
	add_frame(s, &of, offset ? (__u32)offset - 1 : 0, is_entry);
}

static long ruby_step(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	__u64 pc, iseq, flags;
	if (!s || !s->at || s->at >= s->base || bpf_probe_read_user(s->frame, RUBY_FRAME_READ, (void *)s->at))
		return 1;
	s->at += s->process.ruby.layout.frame_bytes;
	pc = frame_word(s, RUBY_PC);
	iseq = frame_word(s, RUBY_ISEQ);
	flags = read_word_at(frame_word(s, RUBY_ENVIRONMENT));
	if (pc && iseq && (flags & RUBY_KIND) != RUBY_DUMMY)
		add_ruby_frame(s, iseq, pc, flags & RUBY_FINISH);
	return s->stack.nr >= SCRIPT_FRAMES_MAX;
}

APART int walk_ruby(struct script_walk *s)
{
	__u64 at = thread_local_at(s, &s->process.ruby.context);
	struct ruby_context context = {};
	if (!at || bpf_probe_read_user(&context, sizeof(context), (void *)read_word_at(at)))
		return 0;
	s->at = context.frame;
	s->base = context.stack + context.stack_words * 8;
	bpf_loop(SCRIPT_FRAMES_MAX * 4, ruby_step, 0, 0);
	return 0;
}
