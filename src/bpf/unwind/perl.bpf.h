/*
 * Frames of Perl: its context stacks, innermost first. Contexts of subs, of eval STRING and of files are frames, those of blocks are not.
 * A context has the current statement of its caller. For interpreters built with threads, found by a key of the thread.
 */
#pragma once
#include "bpf/unwind/script.bpf.h"

#define PERL_FRAME_READ 104
/* struct stackinfo */
#define PERL_CONTEXTS	8
#define PERL_OUTER	16
#define PERL_LAST	32 /* index of the innermost context; the other half of the word is the capacity */
#define PERL_STACK_TYPE	44
#define PERL_STACK_READ	48
#define PERL_STACK_MAIN 1
/* PERL_CONTEXT */
#define PERL_STATEMENT	16 /* of the caller */
#define PERL_RETURN	48 /* 0: to C */
#define PERL_TYPE	15
#define PERL_SUB	9
#define PERL_FORMAT	10
#define PERL_EVAL	11
#define PERL_BLOCK	0x40 /* of an eval: eval {} */
#define PERL_FAKE	0x80 /* of a sub: the block of a regular expression in it */
/* COP */
#define PERL_OP_TYPE	32
#define PERL_OP_TYPES	0x1ff
#define PERL_LINE	36
/* CV, GV, HV and their bodies */
#define PERL_CODE_STASH	32
#define PERL_CODE_START	40
#define PERL_CODE_NAME	56
#define PERL_CODE_FLAGS	92
#define PERL_CODE_NAMED	0x8000 /* its name is text, and not a GV */
#define PERL_GV_NAME	32
#define PERL_GV_STASH	40
#define PERL_HASH_NAME	32
#define PERL_HASH_NAMES	60 /* not 0: name is a list of names; negative: use the second one */
/* HEK */
#define PERL_LENGTH	4
#define PERL_TEXT	8

/* ---- code ---- */

INLINE __u32 perl_text_bytes(__u64 text)
{
	__u32 length = text ? read_half_at(text + PERL_LENGTH) : 0;
	return length < SCRIPT_NAME_BYTES ? length : SCRIPT_NAME_BYTES;
}

INLINE __u64 perl_package(__u64 stash)
{
	__u64 body = read_word_at(stash), name;
	__s32 names;
	if (!stash || !body)
		return 0;
	name = read_word_at(body + PERL_HASH_NAME);
	names = (__s32)read_half_at(body + PERL_HASH_NAMES);
	return names ? read_word_at(name + (names < 0 ? 8 : 0)) : name;
}

/* Of the first statement of a sub; 0: unknown. */
INLINE __u32 perl_first_line(const struct script_walk *s, __u64 start)
{
	__u32 type = read_half_at(start + PERL_OP_TYPE) & PERL_OP_TYPES;
	if (type != s->process.perl.layout.statements[0] && type != s->process.perl.layout.statements[1])
		return 0;
	return read_half_at(start + PERL_LINE);
}

/* of->line is its enum perl_form; of->with is a statement in it, which has the file. */
APART int fill_perl_code(struct script_walk *s, struct script_code_message *m, const struct script_fresh *fresh)
{
	__u64 body = read_word_at(fresh->code), file = read_word_at(fresh->with + s->process.perl.layout.file), name, stash;
	long bytes = bpf_probe_read_user_str(m->file, SCRIPT_FILE_BYTES, (void *)file);
	m->form = fresh->line;
	m->first_line = 1;
	m->file_bytes = bytes > 1 ? (__u32)bytes - 1 : 0;
	if (fresh->line != PERL_FORM_SUB)
		return m->file_bytes != 0;
	m->first_line = perl_first_line(s, read_word_at(body + PERL_CODE_START));
	name = read_word_at(body + PERL_CODE_NAME);
	stash = read_word_at(body + PERL_CODE_STASH);
	if (!(read_half_at(body + PERL_CODE_FLAGS) & PERL_CODE_NAMED)) {
		body = read_word_at(name);
		name = read_word_at(body + PERL_GV_NAME);
		stash = read_word_at(body + PERL_GV_STASH);
	}
	stash = perl_package(stash);
	m->name_bytes = COPY_PART(m->name, SCRIPT_NAME_BYTES, perl_text_bytes(name), name + PERL_TEXT);
	m->rest_bytes = COPY_PART(m->rest, SCRIPT_NAME_BYTES, perl_text_bytes(stash), stash + PERL_TEXT);
	return m->name_bytes != 0;
}

/* ---- frames ---- */

INLINE void add_perl_sub(struct script_walk *s, __u64 code, _Bool is_entry)
{
	struct script_fresh of = { .code = code, .with = s->place, .line = PERL_FORM_SUB };
	__u64 start = read_word_at(read_word_at(code) + PERL_CODE_START);
	of.stamp = (__u32)(start >> 3);
	add_frame(s, &of, read_half_at(s->place + PERL_LINE), is_entry);
}

/* Code of files and of eval STRING is freed after it has run: the file name distinguishes it from later code at the same address. */
INLINE void add_perl_file(struct script_walk *s, __u64 code, enum perl_form what, _Bool is_entry)
{
	struct script_fresh of = { .code = code, .with = s->place, .line = what };
	__u64 text[4] = {}, hash = what;
	bpf_probe_read_user_str(text, sizeof(text), (void *)read_word_at(s->place + s->process.perl.layout.file));
#pragma unroll
	for (int i = 0; i < 4; i++)
		hash = (hash ^ text[i]) * 0x9e3779b97f4a7c15ULL;
	of.stamp = (__u32)(hash >> 32);
	add_frame(s, &of, read_half_at(s->place + PERL_LINE), is_entry);
}

INLINE void enter_perl_stack(struct script_walk *s, __u64 stack)
{
	__s32 last = 0;
	s->at = s->base = s->outer = 0;
	s->stack_bottom = 0;
	s->stack_first = s->stack.nr;
	if (!stack || bpf_probe_read_user(s->frame, PERL_STACK_READ, (void *)stack))
		return;
	last = (__s32)frame_word(s, PERL_LAST);
	s->base = frame_word(s, PERL_CONTEXTS);
	s->at = s->base + (__s64)last * s->process.perl.layout.context_bytes;
	s->outer = frame_word(s, PERL_OUTER);
	s->stack_type = (__u32)(frame_word(s, PERL_STACK_TYPE - 4) >> 32);
}

/*
 * The first contexts of a stack are run by a loop of their own, unless that belongs to a sub that returns to C; the loop has no frame if
 * it runs the code of a block, as of sort.
 */
INLINE long leave_perl_stack(struct script_walk *s)
{
	struct script_fresh none = {};
	_Bool is_last = s->stack_type == PERL_STACK_MAIN || !s->outer;
	if (is_last) {
		add_perl_file(s, s->interpreter, PERL_FORM_MAIN, 1);
		return 1;
	}
	if (s->stack_bottom == 2 && s->stack.nr > s->stack_first)
		mark_entry(s);
	else if (s->stack_bottom == 2)
		add_frame(s, &none, 0, 1);
	enter_perl_stack(s, s->outer);
	return !s->base;
}

static long perl_step(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	__u8 type;
	_Bool to_c;
	if (!s || s->stack.nr >= SCRIPT_FRAMES_MAX)
		return 1;
	if (s->at < s->base || s->at > s->base + (1U << 30))
		return leave_perl_stack(s);
	if (bpf_probe_read_user(s->frame, PERL_FRAME_READ, (void *)s->at))
		return 1;
	s->at -= s->process.perl.layout.context_bytes;
	type = s->frame[0];
	to_c = !frame_word(s, PERL_RETURN);
	s->stack_bottom = 2;
	if (((type & PERL_TYPE) == PERL_SUB || (type & PERL_TYPE) == PERL_FORMAT) && !(type & PERL_FAKE)) {
		s->stack_bottom = to_c ? 1 : 2;
		add_perl_sub(s, frame_word(s, s->process.perl.layout.sub), to_c);
	} else if ((type & PERL_TYPE) == PERL_EVAL && !(type & PERL_BLOCK)) {
		add_perl_file(s, frame_word(s, s->process.perl.layout.eval), PERL_FORM_FILE, 0);
	} else {
		return 0;
	}
	s->place = frame_word(s, PERL_STATEMENT);
	return 0;
}

APART int walk_perl(struct script_walk *s)
{
	const struct perl_layout *l = &s->process.perl.layout;
	__u32 key = read_half_at(s->process.start);
	__u64 block = read_word_at(s->self + s->process.perl.specific + (key >> 5) * 8);
	__u64 interpreter = block ? read_word_at(block + (key & 31) * 16 + 8) : 0;
	if (!interpreter)
		return 0;
	s->place = read_word_at(interpreter + l->place);
	s->interpreter = read_word_at(interpreter + l->main);
	enter_perl_stack(s, read_word_at(interpreter + l->stack));
	if (s->base)
		bpf_loop(SCRIPT_FRAMES_MAX * 8, perl_step, 0, 0);
	return 0;
}
