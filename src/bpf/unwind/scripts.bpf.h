/*
 * Frames of interpreters, read at the time of a sample. Each kind has a program of its own, which replaces the rest of walk_stack() in
 * processes that run the interpreter, and is loaded when there is such a process.
 */
#pragma once
#include "bpf/unwind/hotspot.bpf.h"
#include "bpf/unwind/luajit.bpf.h"
#include "bpf/unwind/perl.bpf.h"
#include "bpf/unwind/php.bpf.h"
#include "bpf/unwind/python.bpf.h"
#include "bpf/unwind/ruby.bpf.h"
#include "bpf/unwind/v8.bpf.h"

/* ---- code objects ---- */

struct script_sending {
	void *ctx;
};

INLINE struct script_code_message *begin_message(void)
{
	__u32 zero = 0;
	struct script_code_message *m = bpf_map_lookup_elem(&script_parts, &zero);
	if (m)
		__builtin_memset(m, 0, __builtin_offsetof(struct script_code_message, name));
	return m;
}

/* Does not send the code object if a part of it could not be read; a later sample will try again. */
INLINE void end_message(void *ctx, struct script_walk *s, const struct script_fresh *fresh, struct script_code_message *m, int is_whole)
{
	struct script_code_key key = { .mm = s->process.mm, .code = fresh->code };
	__u32 bytes = m->rest_bytes;
	void *codes = this_script_codes();
	if (!codes)
		return;
	if (!is_whole) {
		bpf_map_delete_elem(codes, &key);
		return;
	}
	m->message = SCRIPT_MESSAGE_CODE;
	m->kind = s->process.kind;
	m->stamp = fresh->stamp;
	m->code = fresh->code;
	m->mm = s->process.mm;
	FORGET(bytes);
	if (bytes <= sizeof(m->rest))
		bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, m, __builtin_offsetof(struct script_code_message, rest) + bytes);
}

/* ---- programs ---- */

INLINE struct script_walk *begin_scripts(struct sample_context *ctx, const struct walk *w)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 pid = task->tgid;
	struct script_process *p = bpf_map_lookup_elem(&script_processes, &pid);
	struct script_walk *s = this_script_walk();
	if (!s || !p)
		return 0;
	s->process = *p;
	s->fresh_nr = 0;
	s->self = s->at = 0;
	s->instruction = w->regs.r15;
	bpf_probe_read_kernel(&s->self, sizeof(s->self), &task->thread.fsbase);
	s->stack.message = SCRIPT_MESSAGE_STACK;
	s->stack.nr = 0;
	s->stack.mm = p->mm;
	return s;
}

INLINE void end_scripts(struct sample_context *ctx, struct script_walk *s)
{
	__u32 bytes = s->stack.nr * (__u32)sizeof(struct script_frame);
	s->stack.is_cut = s->stack.nr >= SCRIPT_FRAMES_MAX;
	if (!s->stack.nr)
		return;
	FORGET(bytes);
	if (bytes <= sizeof(s->frames))
		bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, s, sizeof(struct script_stack) + bytes);
}

/* Messages about scripts come right before the stack to which they belong. */
#define SCRIPT_PROGRAM(kind, one_step)                                                                              \
	static long send_##kind##_code(__u32 i, struct script_sending *to)                                          \
	{                                                                                                           \
		struct script_walk *s = this_script_walk();                                                         \
		struct script_code_message *m = begin_message();                                                    \
		if (!s || !m || i >= SCRIPT_CODES_A_SAMPLE || i >= s->fresh_nr)                                     \
			return 1;                                                                                   \
		end_message(to->ctx, s, &s->fresh[i], m, fill_##kind##_code(s, m, &s->fresh[i]));                   \
		return 0;                                                                                           \
	}                                                                                                           \
	SEC("perf_event") int walk_##kind##_stack(struct sample_context *ctx)                                       \
	{                                                                                                           \
		struct script_sending sending = { ctx };                                                            \
		struct walk *w = this_walk(WALK_SAMPLE);                                                            \
		struct script_walk *s = w ? begin_scripts(ctx, w) : 0;                                              \
		if (!w)                                                                                             \
			return 1;                                                                                   \
		walk_from_regs_by(one_step, w, WALK_SAMPLE, settings.frames_max);                                   \
		if (s) {                                                                                            \
			walk_##kind(s);                                                                             \
			if (s->fresh_nr)                                                                            \
				bpf_loop(SCRIPT_CODES_A_SAMPLE, send_##kind##_code, &sending, 0);                   \
			end_scripts(ctx, s);                                                                        \
		}                                                                                                   \
		return give_stack(ctx, w);                                                                          \
	}

SCRIPT_PROGRAM(python, step_on)
SCRIPT_PROGRAM(php, step_on)
SCRIPT_PROGRAM(ruby, step_on)
SCRIPT_PROGRAM(perl, step_on)
SCRIPT_PROGRAM(v8, v8_step)
SCRIPT_PROGRAM(hotspot, hotspot_step)
SCRIPT_PROGRAM(luajit, luajit_step)
