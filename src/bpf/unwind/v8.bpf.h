/*
 * Frames of V8: functions of scripts have frames on the native stack, whether interpreted or compiled (baseline, optimised), which are
 * found by the frame pointer while the native stack is walked. Several native frames may have the same frame pointer, if the function
 * calls code without a frame. The last of them is the function's.
 */
#pragma once
#include "bpf/unwind/script.bpf.h"

#define V8_TAG	       1 /* of pointers to objects; HeapObjectTag */
#define V8_TAGS	       3
#define V8_SMI	       1 /* this bit is 0 in small integers, which are in the upper half of the word */
#define V8_NOT_STRING  128
#define V8_NOT_OBJECT  0xffff
#define V8_LOCALS_MAX  75 /* kScopeInfoMaxInlinedLocalNamesSize */
#define V8_SCOPE_WORDS 10 /* words of a ScopeInfo that are read after its variables */
#define V8_STRINGS     6  /* maximum number of strings in a concatenation */
#define V8_PART_BYTES  128
/* instance types of strings */
#define V8_STRING_KIND	   7
#define V8_STRING_FLAT	   0
#define V8_STRING_CONS	   1
#define V8_STRING_EXTERNAL 2
#define V8_STRING_SLICED   3
#define V8_STRING_THIN	   5
#define V8_STRING_ONE_BYTE 8

/* ---- objects ---- */

INLINE __u64 v8_field(__u64 object, __s16 offset)
{
	return read_word_at(object - V8_TAG + (__s64)offset);
}

INLINE __u32 v8_type(const struct script_walk *s, __u64 object)
{
	__u64 map;
	__u16 type;
	if ((object & V8_TAGS) != V8_TAG)
		return V8_NOT_OBJECT;
	map = v8_field(object, 0);
	if ((map & V8_TAGS) != V8_TAG ||
	    bpf_probe_read_user(&type, sizeof(type), (void *)(map - V8_TAG + (__s64)s->process.v8.map_type)))
		return V8_NOT_OBJECT;
	return type;
}

INLINE _Bool is_v8_smi(__u64 word)
{
	return !(word & V8_SMI);
}

INLINE __u32 v8_smi(__u64 word)
{
	return (__u32)(word >> 32);
}

/* Resolves one indirection of s->text; returns 1 when the characters are found, or there are none. */
static long v8_text_step(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	const struct v8_layout *l = s ? &s->process.v8 : 0;
	__u32 type, kind, nr;
	__u64 string;
	if (!s)
		return 1;
	string = s->text.string;
	type = v8_type(s, string);
	kind = type & V8_STRING_KIND;
	if (type >= V8_NOT_STRING)
		return 1;
	if (kind != V8_STRING_SLICED && !s->text.skipped)
		s->text.length = read_half_at(string - V8_TAG + (__s64)l->string_length);
	s->text.is_wide = !(type & V8_STRING_ONE_BYTE);
	s->text.at = kind == V8_STRING_EXTERNAL ? v8_field(string, l->external_data) : string - V8_TAG + (__u64)l->string_chars;
	if (kind == V8_STRING_FLAT || kind == V8_STRING_EXTERNAL) {
		s->text.at += (__u64)s->text.skipped << s->text.is_wide;
		s->text.bytes = bounded((__u64)s->text.length << s->text.is_wide);
		return 1;
	}
	if (kind == V8_STRING_SLICED) {
		s->text.skipped = v8_smi(v8_field(string, l->sliced_offset));
		s->text.length = read_half_at(string - V8_TAG + (__s64)l->string_length);
	}
	nr = s->text.after_nr;
	if (kind == V8_STRING_CONS && nr < V8_NAME_PARTS) {
		s->text.after[BELOW(V8_NAME_PARTS, nr)] = v8_field(string, l->cons_second);
		s->text.after_nr = nr + 1;
	}
	s->text.string = v8_field(string, l->string_chars);
	return 0;
}

/* Finds the characters of a string; of a concatenation those of the first part, with the others in s->text.after. */
APART int find_v8_text(struct script_walk *s, __u64 string)
{
	s->text.string = string;
	s->text.bytes = s->text.skipped = 0;
	bpf_loop(V8_STRINGS, v8_text_step, 0, 0);
	return s->text.bytes != 0;
}

/* ---- code ---- */

struct v8_scope {
	__u64 name;
	__u32 start, unused;
};

/*
 * The name and the start of a function: after the variables, a scope has names, the first of them the function's own, which may be empty,
 * and two numbers, the second of which is larger; in newer versions the numbers are at a fixed place, and the first word that has another
 * object ends the names. Other fields depend on flags, which differ between versions.
 */
APART int look_into_v8_scope(struct script_walk *s, __u64 scope, struct v8_scope *ret)
{
	const struct v8_layout *l = &s->process.v8;
	__u64 first = scope - V8_TAG + 8, at, before = V8_TAG;
	__u32 locals = v8_smi(read_word_at(first + 8 * (__u64)l->scope_locals)), length = 0;
	if (locals >= V8_LOCALS_MAX * 64)
		return 0;
	if (l->scope_start)
		ret->start = v8_smi(read_word_at(first + 8 * (__u64)l->scope_start));
	at = first + 8 * (__u64)l->scope_variables + (locals < V8_LOCALS_MAX ? 16 * (__u64)locals : 8 + 8 * (__u64)locals);
	for (int i = 0; i < V8_SCOPE_WORDS; i++) {
		__u64 word = read_word_at(at + 8 * i);
		if (!l->scope_start && is_v8_smi(word) && is_v8_smi(before) && v8_smi(before) < v8_smi(word)) {
			ret->start = v8_smi(before);
			return 1;
		}
		if (l->scope_start && !is_v8_smi(word) && v8_type(s, word) >= V8_NOT_STRING)
			return 1;
		if (!is_v8_smi(word) && !length && v8_type(s, word) < V8_NOT_STRING) {
			ret->name = word;
			length = read_half_at(word - V8_TAG + (__s64)l->string_length);
		}
		before = word;
	}
	return 0;
}

/*
 * The table of positions of a function's bytecode; with baseline code it is a field of the code. V8 creates it when it is first needed,
 * for the stack of an Error: 0 before.
 */
INLINE __u64 v8_positions_of(const struct script_walk *s, __u64 shared)
{
	const struct v8_layout *l = &s->process.v8;
	__u64 data = v8_field(shared, l->shared_data), positions;
	__u32 type = v8_type(s, data);
	if (type == (__u32)l->type_code) {
		data = v8_field(data, l->code_bytecode);
		type = v8_type(s, data);
	}
	if (type != (__u32)l->type_bytecode)
		return 0;
	positions = v8_field(data, l->bytecode_positions);
	return v8_type(s, positions) == (__u32)l->type_bytes ? positions : 0;
}

INLINE struct script_code_message *this_message(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&script_parts, &zero);
}

/*
 * Concatenates the parts of a name as far as there is room. Only one-byte strings are joined: otherwise the name is its first part.
 */
static long v8_name_step(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	struct script_code_message *m = this_message();
	__u32 bytes, at, nr;
	if (!s || !m || !s->text.after_nr)
		return 1;
	nr = s->text.after_nr - 1;
	s->text.after_nr = nr;
	if (!find_v8_text(s, s->text.after[BELOW(V8_NAME_PARTS, nr)]))
		return 0;
	if (s->text.is_wide || (!i && !s->text.after_nr)) {
		if (!i) {
			m->form |= s->text.is_wide ? V8_FORM_WIDE_NAME : 0;
			m->name_bytes = COPY_PART(m->name, SCRIPT_NAME_BYTES, s->text.bytes, s->text.at);
		}
		return 1;
	}
	bytes = s->text.bytes < V8_PART_BYTES - 1 ? s->text.bytes : V8_PART_BYTES - 1;
	FORGET(bytes);
	bytes = BELOW(V8_PART_BYTES, bytes);
	at = m->name_bytes;
	FORGET(at);
	if (at > SCRIPT_NAME_BYTES - V8_PART_BYTES || bpf_probe_read_user(m->name + at, bytes, (void *)s->text.at))
		return 1;
	m->name_bytes = at + bytes;
	return 0;
}

INLINE void fill_v8_name(struct script_walk *s, __u64 name)
{
	s->text.after[0] = name;
	s->text.after_nr = 1;
	bpf_loop(V8_NAME_PARTS * 2, v8_name_step, 0, 0);
}

/* m->source and m->size: the source and its length; m->first_line: the position where the function begins. */
APART int fill_v8_code(struct script_walk *s, struct script_code_message *m, const struct script_fresh *fresh)
{
	const struct v8_layout *l = &s->process.v8;
	__u64 name = v8_field(fresh->code, l->shared_name), positions;
	struct v8_scope scope = {};
	__u16 token = 0;
	if (v8_type(s, name) == (__u32)l->type_scope)
		look_into_v8_scope(s, name, &scope);
	else
		scope.name = name;
	bpf_probe_read_user(&token, sizeof(token), (void *)(fresh->code - V8_TAG + (__s64)l->shared_token));
	m->first_line = scope.start > token ? scope.start - token : scope.start;
	if (scope.name)
		fill_v8_name(s, scope.name);
	s->text.after_nr = 0;
	if (find_v8_text(s, v8_field(fresh->with, l->script_name))) {
		m->file_bytes = COPY_PART(m->file, SCRIPT_FILE_BYTES, s->text.bytes, s->text.at);
		m->form |= s->text.is_wide ? V8_FORM_WIDE_FILE : 0;
	}
	m->source = v8_field(fresh->with, l->script_source);
	m->size = read_half_at(m->source - V8_TAG + (__s64)l->string_length);
	positions = v8_positions_of(s, fresh->code);
	if (positions)
		m->rest_bytes = COPY_PART(m->rest, SCRIPT_REST_BYTES, bounded(v8_smi(v8_field(positions, l->array_length))),
					  positions - V8_TAG + (__s64)l->array_data);
	return 1;
}

/* ---- frames ---- */

INLINE _Bool is_v8_function(const struct script_walk *s, __u64 object)
{
	return v8_type(s, object) - (__u32)s->process.v8.type_function < (__u32)s->process.v8.function_types;
}

/* Whether pc is in the current code of a function. */
INLINE _Bool runs_v8_code(const struct script_walk *s, __u64 function, __u64 pc)
{
	const struct v8_layout *l = &s->process.v8;
	__u64 code = v8_field(function, l->function_code), start = code - V8_TAG + (__s64)l->code_instructions;
	if (v8_type(s, code) != (__u32)l->type_code)
		return 0;
	if (!l->code_is_inline)
		start = read_word_at(start);
	return pc - start < read_half_at(code - V8_TAG + (__s64)l->code_bytes);
}

INLINE void add_v8_function(struct script_walk *s, __u64 function, __u32 offset)
{
	const struct v8_layout *l = &s->process.v8;
	struct script_fresh of = { .code = v8_field(function, l->function_shared) };
	if (v8_type(s, of.code) != (__u32)l->type_shared)
		return;
	of.with = v8_field(of.code, l->shared_script);
	if (v8_type(s, of.with) != (__u32)l->type_script)
		return; /* it is a builtin, whose native code has its name */
	of.stamp = ((__u32)(v8_field(of.code, l->shared_name) >> 3) ^ (__u32)(of.with >> 3) * 31) << 1 | !v8_positions_of(s, of.code);
	offset = offset < V8_OFFSET_MAX ? offset : V8_OFFSET_MAX;
	add_frame(s, &of, s->native << V8_NATIVE_SHIFT | offset, s->is_bare);
}

struct v8_bytecode {
	__u64 array, offset;
};

/* The bytecode of the function of the frame at s->at; false: it is compiled. */
INLINE _Bool is_v8_interpreted(const struct script_walk *s, struct v8_bytecode *ret)
{
	const struct v8_layout *l = &s->process.v8;
	ret->array = read_word_at(s->at + (__s64)l->bytecode_array);
	ret->offset = read_word_at(s->at + (__s64)l->bytecode_offset);
	return !(__u32)ret->offset && v8_type(s, ret->array) == (__u32)l->type_bytecode;
}

/*
 * The offset in the bytecode of an interpreted function, in bytes. In the innermost frame it is in a register of the interpreter, which
 * may have been reused meanwhile.
 */
INLINE __u32 v8_bytecode_offset(const struct script_walk *s, const struct machine_regs *regs)
{
	const struct v8_layout *l = &s->process.v8;
	__u32 header = (__u32)l->bytecode_data - V8_TAG, at;
	struct v8_bytecode b;
	if (!is_v8_interpreted(s, &b))
		return 0;
	at = v8_smi(b.offset);
#if defined(__TARGET_ARCH_x86)
	if (s->is_innermost && regs->r12 == b.array && regs->r9 - header < v8_smi(v8_field(b.array, l->array_length)))
		at = (__u32)regs->r9;
#endif
	return at >= header ? at - header + V8_BYTECODE_AT : 0;
}

struct v8_slots {
	__u64 function, context;
};

/*
 * The function that the frame at s->at is of, if it is one's. Where code of run time begins it has no frame yet: the frame is its
 * caller's, and a register has the function.
 */
APART int add_v8_frame(struct script_walk *s, const struct machine_regs *regs)
{
	struct v8_slots slots = {};
	if (!s->at || s->at & 7 || bpf_probe_read_user(&slots, sizeof(slots), (void *)(s->at + (__s64)s->process.v8.function)))
		return 0;
#if defined(__TARGET_ARCH_x86)
	if (s->is_innermost && s->is_bare && is_v8_function(s, regs->rdi) && runs_v8_code(s, regs->rdi, regs->rip) &&
	    !(is_v8_function(s, slots.function) && runs_v8_code(s, slots.function, regs->rip)))
		add_v8_function(s, regs->rdi, 0);
#endif
	if (!is_v8_smi(slots.context) && is_v8_function(s, slots.function))
		add_v8_function(s, slots.function, s->is_bare ? 0 : v8_bytecode_offset(s, regs));
	return 0;
}

INLINE _Bool is_bare_code(const struct walk *w, __u64 pc)
{
	struct known_code *k = this_known();
	const struct known_mapping *m = k ? &k->mapping[w->mapping & (KNOWN_MAPPINGS - 1)] : 0;
	return m && is_inside(m, w->tag, pc) && m->kind == UNWIND_CODE_BARE;
}

/* In place of step_on(). */
static long v8_step(__u32 i, __u32 *which)
{
	struct walk *w = this_walk(*which);
	struct script_walk *s = this_script_walk();
	__u64 fp, pc;
	int has_ended;
	if (!w || !s)
		return 1;
	if (!reg_value(w, FP, &fp))
		fp = 0;
	if (fp != s->at)
		add_v8_frame(s, &w->regs);
	s->at = fp;
	s->native = w->out.stack.nr;
	s->is_innermost = !s->native;
	pc = w->out.pc;
	has_ended = step(*which);
	s->is_bare = is_bare_code(w, pc);
	return has_ended != 0;
}

/* Adds the return address of the frame at s->at. */
INLINE void add_v8_return(struct script_walk *s, __u64 pc)
{
	const struct script_fresh none = {};
	__u32 nr = s->stack.nr;
	add_frame(s, &none, V8_NATIVE_RETURN << V8_NATIVE_SHIFT, 0);
	if (nr < SCRIPT_FRAMES_MAX)
		s->frames[BELOW(SCRIPT_FRAMES_MAX, nr)].code = pc;
}

/* One frame pointer; 1 where it was the last. */
static long v8_chain_step(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	struct walk *w = this_walk(WALK_SAMPLE);
	struct v8_bytecode unused_bytecode;
	__u64 caller[2]; /* its frame pointer, and where it goes on */
	if (!s || !w || !s->at || s->at & 7 || bpf_probe_read_user(caller, sizeof(caller), (void *)s->at))
		return 1;
	s->is_bare = !is_v8_interpreted(s, &unused_bytecode);
	add_v8_frame(s, &w->regs);
	add_v8_return(s, caller[1]);
	if (caller[0] <= s->at)
		return 1;
	s->at = caller[0];
	s->is_innermost = 0;
	return 0;
}

/*
 * Frames were found along with the native ones, except the last. If user space continues the walk from a copy of the stack, the objects of
 * V8 still have to be read here: functions are found by the remaining frame pointers, which V8's own code always keeps.
 */
APART int walk_v8(struct script_walk *s)
{
	struct walk *w = this_walk(WALK_SAMPLE);
	if (!w)
		return 0;
	if (w->out.stack.end != UNWIND_WALK_COPY)
		return add_v8_frame(s, &w->regs);
	s->native = V8_NATIVE_OPEN;
	bpf_loop(SCRIPT_FRAMES_MAX / 2, v8_chain_step, 0, 0);
	return 0;
}
