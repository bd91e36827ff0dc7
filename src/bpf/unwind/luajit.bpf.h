/*
 * Frames of LuaJIT: its virtual machine, in assembly, has a frame of fixed size on the native stack, which what it compiles, traces,
 * enlarges by its own slots. A frame has a pointer to the state of a coroutine, and the state one to its innermost frame.
 *
 * Sources: LuaJIT 2.1, lj_frame.h (CFRAME_*), lj_obj.h (struct lua_State), vm_x64.dasc (saveregs, BC_JLOOP, vm_exit_handler).
 */
#pragma once
#include "bpf/unwind/script.bpf.h"

#define LUAJIT_WORDS	   256 /* from the stack pointer on, searched: slots of a trace, and what is saved where it is left */
#define LUAJIT_FRAME_STATE 16  /* from a frame on: the state */
#define LUAJIT_STATE_FRAME 80  /* in a state, with two bits of flags */
#define LUAJIT_FRAME_FLAGS 3
#define LUAJIT_STATE_TYPE  9
#define LUAJIT_TYPE	   6   /* of objects that are states */
/* Saved, from a frame on: r14, r15, rbx, rbp, the return address; below, by traces: r13, r12. */
#define LUAJIT_SAVED_R14 40
#define LUAJIT_RETURN	 72
#define LUAJIT_EXIT	 64  /* what is left of a trace has more bytes than this below the frame */
#define LUAJIT_TRACE	 1   /* the code object of all of them */
#define LUAJIT_NAME	 "(trace)"

struct luajit_search {
	__u64 sp, frame; /* 0: not found */
};

static long luajit_search_word(__u32 i, struct luajit_search *s)
{
	__u64 at = s->sp + 8 * (__u64)i, state = 0, frame = 0;
	__u8 type = 0;
	if (bpf_probe_read_user(&state, sizeof(state), (void *)(at + LUAJIT_FRAME_STATE)))
		return 1;
	if (!state || state & 7 || bpf_probe_read_user(&frame, sizeof(frame), (void *)(state + LUAJIT_STATE_FRAME)) ||
	    (frame & ~(__u64)LUAJIT_FRAME_FLAGS) != at)
		return 0;
	bpf_probe_read_user(&type, sizeof(type), (void *)(state + LUAJIT_STATE_TYPE));
	s->frame = type == LUAJIT_TYPE ? at : 0;
	return s->frame != 0;
}

/* The virtual machine's frame, at the stack pointer or above; 0: none. */
GLOBAL __u64 luajit_frame_at(__u64 sp)
{
	struct luajit_search s = { .sp = sp };
	bpf_loop(LUAJIT_WORDS, luajit_search_word, &s, 0);
	return s.frame;
}

INLINE void keep_luajit_regs(struct walk *w, __u64 frame, _Bool has_trace)
{
	static const __u8 saved[] = { 14, 15, 3, 6 };
#pragma unroll
	for (int i = 0; i < NR(saved); i++)
		w->at[saved[i]] = frame + LUAJIT_SAVED_R14 + 8 * i;
	if (has_trace) {
		w->at[12] = frame;
		w->at[13] = frame - 8;
	}
}

/* A trace, whose native frame is replaced, or the virtual machine: goes on at the caller of the latter. 0: its frame is not there. */
GLOBAL int luajit_frame(__u32 which, __u32 is_trace)
{
	struct script_fresh trace = { .code = which + LUAJIT_TRACE }; /* not a constant, which would be among the settings */
	struct walk *w = this_walk(which);
	struct script_walk *s = this_script_walk();
	__u64 frame, pc = 0;
	if (!w || !s)
		return 0;
	frame = luajit_frame_at(w->out.reg[SP]);
	if (!frame || !read_user(frame + LUAJIT_RETURN, &pc) || !is_after_call(pc))
		return 0;
	s->native = w->out.stack.nr;
	if (put_frame(w))
		return 1;
	if (is_trace)
		add_frame(s, &trace, s->native << V8_NATIVE_SHIFT, 1);
	keep_luajit_regs(w, frame, is_trace || frame - w->out.reg[SP] > LUAJIT_EXIT);
	note_more(w);
	enter(w, pc, frame + LUAJIT_RETURN + 8, 0);
	return 1;
}

/* In place of step_on(). */
static long luajit_step(__u32 i, __u32 *which)
{
	struct walk *w = this_walk(*which);
	struct script_walk *s = this_script_walk();
	const struct known_mapping *m;
	_Bool is_trace, is_machine;
	__u64 ip;
	if (!w || !s)
		return 1;
	ip = w->out.pc - !w->exact;
	m = find_mapping(w, ip);
	is_trace = m && m->kind == UNWIND_CODE_BARE;
	is_machine = ip - s->process.luajit.start < s->process.luajit.bytes;
	if ((is_trace || is_machine) && luajit_frame(*which, is_trace))
		return w->out.stack.end != UNWIND_WALK_COPY;
	return step(*which) != 0;
}

INLINE int fill_luajit_code(struct script_walk *s, struct script_code_message *m, const struct script_fresh *fresh)
{
	__builtin_memcpy(m->name, LUAJIT_NAME, sizeof(LUAJIT_NAME));
	m->name_bytes = sizeof(LUAJIT_NAME) - 1;
	return 1;
}

/* Frames were found along with the native ones. */
INLINE int walk_luajit(struct script_walk *s)
{
	return 0;
}
