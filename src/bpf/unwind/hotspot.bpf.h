/*
 * Frames of HotSpot: its code is in heaps of blobs, found by a map with a byte for each segment. Compiled methods and stubs keep no
 * frame pointer, but the header of their blob has the size of the frame; the interpreter keeps one, and the method beside it.
 *
 * Sources: JDK 17 and 25, code/codeBlob.hpp, memory/heap.cpp (CodeHeap::find_block_for), cpu/x86/frame_x86.hpp, frame_x86.inline.hpp,
 * macroAssembler_x86.cpp (verified_entry), oops/{method,constMethod,constantPool,symbol}.hpp.
 */
#pragma once
#include "bpf/unwind/script.bpf.h"

#define HOTSPOT_HOPS	128
#define HOTSPOT_FREE	0xff /* a segment */
#define HOTSPOT_PUSHED_MAX 2
#define HOTSPOT_INLINED_MAX  32
#define HOTSPOT_SEARCH_STEPS 20
#define HOTSPOT_PC_BYTES     16 /* of a PcDesc; its offset in the code is first */
#define HOTSPOT_PC_SCOPE     4
#define HOTSPOT_NUMBER_BYTES 5
#define HOTSPOT_NUMBER_LOW   192 /* lower bytes end a number */
/* The first 8 bytes of the name of a blob. */
#define HOTSPOT_INTERPRETER 0x6572707265746e49ULL /* "Interpreter" */
#define HOTSPOT_METHOD	    0x00646f6874656d6eULL /* "nmethod" */
#define HOTSPOT_NATIVE	    0x6e2065766974616eULL /* "native nmethod": calls a method in C */
#define HOTSPOT_ADAPTER	    0x204932432f433249ULL /* "I2C/C2I adapters" */
#define HOTSPOT_VTABLE	    0x6320656c62617476ULL /* "vtable chunks" */
/* In a frame of the interpreter, from its frame pointer on. */
#define HOTSPOT_SENDER_SP -8
#define HOTSPOT_OF_METHOD -24
#define HOTSPOT_BYTECODE  -64

/* The code of a method: bytecode, which follows its description. */
struct hotspot_bytecode {
	__u64 of, start;
	__u32 bytes, unused;
};

INLINE const struct hotspot_heap *hotspot_heap_of(const struct script_walk *s, __u64 pc)
{
	const struct hotspot_heap *heaps = s->process.hotspot.heaps;
#pragma unroll
	for (int i = 0; i < HOTSPOT_HEAPS; i++)
		if (pc - heaps[i].low < heaps[i].bytes)
			return &heaps[i];
	return 0;
}

INLINE __u32 read_short_at(__u64 at)
{
	__u16 v = 0;
	bpf_probe_read_user(&v, sizeof(v), (void *)at);
	return v;
}

/* The segment where the block with this segment begins: the map has the distances to one before. ~0: none. */
GLOBAL __u64 hotspot_first_segment(__u64 map, __u64 segment)
{
	for (int i = 0; i < HOTSPOT_HOPS; i++) {
		__u8 hop = HOTSPOT_FREE;
		bpf_probe_read_user(&hop, sizeof(hop), (void *)(map + segment));
		if (hop == HOTSPOT_FREE || hop > segment)
			return ~0ULL;
		if (!hop)
			return segment;
		segment -= hop;
	}
	return ~0ULL;
}

APART int find_hotspot_blob(struct script_walk *s, __u64 pc, struct hotspot_blob *ret)
{
	const struct hotspot_layout *l = &s->process.hotspot;
	const struct hotspot_heap *heap = hotspot_heap_of(s, pc);
	__u64 segment, block;
	__u32 bits = l->segment_bits & 31;
	if (!heap)
		return 0;
	segment = hotspot_first_segment(heap->segments, (pc - heap->low) >> bits);
	if (segment == ~0ULL)
		return 0;
	block = heap->low + (segment << bits);
	ret->at = block + l->header_bytes;
	ret->name = read_word_at(ret->at + l->blob_name);
	ret->text = read_word_at(ret->name);
	ret->frame_bytes = read_half_at(ret->at + l->blob_frame) * 8;
	ret->code = l->code_is_offset ? ret->at + read_half_at(ret->at + l->blob_code) : read_word_at(ret->at + l->blob_code);
	ret->complete = l->complete_is_short ? read_short_at(ret->at + l->blob_complete) : read_half_at(ret->at + l->blob_complete);
	return ret->text != 0;
}

/* ---- code ---- */

INLINE void find_hotspot_bytecode(const struct script_walk *s, __u64 method, struct hotspot_bytecode *ret)
{
	const struct hotspot_layout *l = &s->process.hotspot;
	ret->of = read_word_at(method + l->method_const);
	ret->start = ret->of + l->const_bytes;
	ret->bytes = read_short_at(ret->of + l->const_code_bytes);
}

/* ---- what was inlined ---- */

/* A compressed number without a sign (UNSIGNED5); *at moves past it. */
INLINE __u32 hotspot_number(__u64 *at, __u32 excluded)
{
	__u64 bytes = read_word_at(*at), sum = 0, goes_on = 1, used = 0;
#pragma unroll
	for (int i = 0; i < HOTSPOT_NUMBER_BYTES; i++) {
		__u64 byte = (bytes >> 8 * i & 0xff) - excluded;
		sum += byte << 6 * i & all_bits(goes_on);
		used += goes_on;
		goes_on &= ~is_less(byte, HOTSPOT_NUMBER_LOW - excluded);
	}
	*at += used;
	return (__u32)sum;
}

/* The scope at an offset in code, or where the instruction ends that contains it: the first described address from there on. */
GLOBAL __u32 hotspot_scope_at(__u64 pcs, __u32 n, __u32 offset)
{
	__u32 low = 0, nr = n;
	for (int i = 0; i < HOTSPOT_SEARCH_STEPS && n; i++) {
		__u32 half = n / 2, rest = n - half - 1;
		__u64 found = (__u64)(__s64)(__s32)read_half_at(pcs + HOTSPOT_PC_BYTES * (__u64)(low + half));
		__u32 is_before = (__u32)all_bits(is_less(found, offset));
		low += (half + 1) & is_before;
		n = half + ((rest - half) & is_before);
	}
	return low < nr ? read_half_at(pcs + HOTSPOT_PC_BYTES * (__u64)low + HOTSPOT_PC_SCOPE) : 0;
}

/* A symbol of a pool of constants, by its index. */
INLINE __u64 hotspot_symbol(const struct hotspot_layout *l, __u64 pool, __u32 index)
{
	return read_word_at(pool + l->pool_bytes + 8 * (__u64)index);
}

INLINE __u32 hotspot_symbol_bytes(const struct hotspot_layout *l, __u64 symbol)
{
	return symbol ? read_short_at(symbol + l->symbol_length) : 0;
}

/* with: the name of a blob that is not a method's. rest: the name of the class, then, from SCRIPT_POSITIONS_BYTES on, lines. */
APART int fill_hotspot_code(struct script_walk *s, struct script_code_message *m, const struct script_fresh *fresh)
{
	const struct hotspot_layout *l = &s->process.hotspot;
	struct hotspot_bytecode code = {};
	__u64 pool, name, class, file;
	if (fresh->with) {
		long bytes = bpf_probe_read_user_str(m->name, SCRIPT_NAME_BYTES, (void *)fresh->with);
		m->name_bytes = bytes > 1 ? bytes - 1 : 0;
		return m->name_bytes != 0;
	}
	find_hotspot_bytecode(s, fresh->code, &code);
	pool = read_word_at(code.of + l->const_pool);
	name = hotspot_symbol(l, pool, read_short_at(code.of + l->const_name));
	class = read_word_at(read_word_at(pool + l->pool_class) + l->class_name);
	file = hotspot_symbol(l, pool, read_short_at(pool + l->pool_file));
	m->name_bytes = COPY_PART(m->name, SCRIPT_NAME_BYTES, hotspot_symbol_bytes(l, name), name + l->symbol_text);
	m->size = COPY_PART(m->rest, SCRIPT_NAME_BYTES, hotspot_symbol_bytes(l, class), class + l->symbol_text);
	m->rest_bytes = SCRIPT_POSITIONS_BYTES;
	if (!read_short_at(pool + l->pool_file))
		return m->name_bytes && m->size;
	m->file_bytes = COPY_PART(m->file, SCRIPT_FILE_BYTES, hotspot_symbol_bytes(l, file), file + l->symbol_text);
	if (read_half_at(code.of + l->const_flags) & HOTSPOT_HAS_LINES)
		m->rest_bytes += COPY_PART(m->rest + SCRIPT_POSITIONS_BYTES, HOTSPOT_LINES_BYTES, HOTSPOT_LINES_BYTES,
					   code.start + code.bytes);
	return m->name_bytes && m->size;
}

/* ---- frames ---- */

INLINE void add_hotspot_method(struct script_walk *s, __u64 method, __u32 offset)
{
	struct script_fresh of = { .code = method, .stamp = (__u32)(read_word_at(method + s->process.hotspot.method_const) >> 3) };
	offset = offset < V8_OFFSET_MAX ? offset : V8_OFFSET_MAX;
	if (!s->process.hotspot.has_dump)
		add_frame(s, &of, s->native << V8_NATIVE_SHIFT | offset, 1);
}

/*
 * One scope: its caller's, its method and its bytecode, plus 1 (0: where the method begins). A method whose bytecode is another by now is
 * left to the blob.
 */
static long hotspot_scope(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	struct hotspot_scopes *c;
	struct hotspot_bytecode code = {};
	__u64 at, method = 0;
	__u32 next, index, bytecode, excluded;
	if (!s || !s->hotspot.scopes.next)
		return 1;
	c = &s->hotspot.scopes;
	at = c->at + c->next;
	excluded = s->process.hotspot.has_no_null & 1;
	next = hotspot_number(&at, excluded);
	index = hotspot_number(&at, excluded);
	bytecode = hotspot_number(&at, excluded);
	if (index)
		method = read_word_at(c->methods + 8 * (__u64)(index - 1));
	if (method)
		find_hotspot_bytecode(s, method, &code);
	if (bytecode > code.bytes)
		return 1;
	add_hotspot_method(s, method, bytecode ? bytecode - 1 + V8_BYTECODE_AT : 0);
	c->next = next;
	c->nr++;
	return 0;
}

INLINE void find_hotspot_scopes(const struct hotspot_layout *l, __u64 blob, struct hotspot_scopes *ret)
{
	__u64 apart = blob;
	__u32 pcs = read_half_at(blob + l->nmethod_pcs), end;
	if (l->scopes_form == HOTSPOT_SCOPES_APART) {
		apart = read_word_at(blob + l->nmethod_apart);
		end = read_half_at(blob + l->nmethod_scopes);
		ret->at = apart + end;
		ret->methods = read_word_at(blob + l->blob_mutable) + read_half_at(blob + l->blob_relocation);
	} else {
		end = read_half_at(blob + l->nmethod_pcs_end);
		ret->at = read_word_at(blob + l->nmethod_scopes);
		ret->methods = blob + read_half_at(blob + l->nmethod_metadata);
	}
	ret->pcs = apart + pcs;
	ret->pcs_nr = end > pcs ? (end - pcs) / HOTSPOT_PC_BYTES : 0;
}

/* The methods that run at an offset in the code of an nmethod, those that were inlined first. 0: not known, or no whole list. */
GLOBAL int add_hotspot_scopes(__u64 blob, __u32 offset)
{
	struct script_walk *s = this_script_walk();
	struct hotspot_scopes *scopes;
	__u32 nr;
	if (!s || s->process.hotspot.scopes_form == HOTSPOT_SCOPES_NONE)
		return 0;
	nr = s->stack.nr;
	scopes = &s->hotspot.scopes;
	find_hotspot_scopes(&s->process.hotspot, blob, scopes);
	scopes->next = hotspot_scope_at(scopes->pcs, scopes->pcs_nr, offset);
	scopes->nr = 0;
	bpf_loop(HOTSPOT_INLINED_MAX, hotspot_scope, NULL, 0);
	if (scopes->nr && !scopes->next)
		return 1;
	s->stack.nr = nr;
	return 0;
}

/* Code that is not a method's has the name of its blob. */
INLINE void add_hotspot_blob(struct script_walk *s, const struct hotspot_blob *blob)
{
	struct script_fresh of = { .code = blob->at, .with = blob->name, .stamp = (__u32)blob->name };
	if (!s->process.hotspot.has_dump)
		add_frame(s, &of, s->native << V8_NATIVE_SHIFT, 1);
}

/*
 * Continues at the return address at `slot`; rbp is saved before it, or still has its value. 0: none is there. What has the size of its
 * frame is only called by code of the heaps.
 */
INLINE int hotspot_return(struct script_walk *s, struct walk *w, __u64 slot, _Bool is_saved)
{
	__u64 pc = 0;
	if (!read_user(slot, &pc) || !hotspot_heap_of(s, pc))
		return 0;
	if (is_saved)
		w->at[FP] = slot - 8;
	enter(w, pc, slot + 8, 0);
	return 1;
}

/* The innermost frame, where it is not there yet, or not any more. 0: it is there. */
INLINE int hotspot_leaf(struct script_walk *s, struct walk *w, const struct hotspot_blob *blob)
{
	__u64 sp = w->out.reg[SP];
	__u8 code[8] = {};
	bpf_probe_read_user(code, sizeof(code), (void *)w->out.pc);
	/* ret; cmp of the stack pointer with a word of the thread, ja, before ret; push rbp */
	if (code[0] == 0xc3 || (code[0] == 0x49 && code[1] == 0x3b && (code[2] & 0x3f) == 0x27) ||
	    (code[0] == 0x0f && code[1] == 0x87 && code[6] == 0xc3) || code[0] == 0x55)
		return hotspot_return(s, w, sp, 0);
	/* pop rbp; mov rbp, rsp */
	if (code[0] == 0x5d || (code[0] == 0x48 && ((code[1] == 0x8b && code[2] == 0xec) || (code[1] == 0x89 && code[2] == 0xe5))))
		return hotspot_return(s, w, sp + 8, 1);
	if ((blob->frame_bytes && w->out.pc - blob->code < blob->complete) || blob->text == HOTSPOT_ADAPTER ||
	    blob->text == HOTSPOT_VTABLE)
		return hotspot_return(s, w, sp, 0) || hotspot_return(s, w, sp + 8, 1);
	return 0;
}

/* A frame of the interpreter: its caller, if that is compiled, goes on where the stack ended before the arguments. */
INLINE long by_hotspot_interpreter(struct script_walk *s, struct walk *w, const struct hotspot_blob *blob)
{
	struct hotspot_bytecode code = {};
	__u64 fp, next = 0, pc = 0, sp, method, at;
	if (!reg_value(w, FP, &fp) || fp < w->out.reg[SP] || fp & 7)
		return end(w, UNWIND_WALK_BARE);
	method = read_word_at(fp + HOTSPOT_OF_METHOD);
	at = read_word_at(fp + HOTSPOT_BYTECODE);
	find_hotspot_bytecode(s, method, &code);
#if defined(__TARGET_ARCH_x86)
	if (w->innermost && w->regs.r13 - code.start < code.bytes)
		at = w->regs.r13;
#endif
	if (at && at - code.start >= code.bytes) {
		/* Its frame is not there yet: where methods begin, the return address is at the top, then in a register. */
		add_hotspot_blob(s, blob);
		if (w->innermost && hotspot_return(s, w, w->out.reg[SP], 0))
			return 0;
		if (w->innermost && hotspot_heap_of(s, w->out.reg[0]))
			return enter(w, w->out.reg[0], w->out.reg[SP], 0);
		return by_fp(w, 1);
	}
	add_hotspot_method(s, method, at ? (__u32)(at - code.start) + V8_BYTECODE_AT : 0);
	if (!read_user(fp, &next) || !read_user(fp + 8, &pc))
		return end(w, UNWIND_WALK_LOST);
	sp = read_word_at(fp + HOTSPOT_SENDER_SP);
	w->out.reg[FP] = next;
	w->at[FP] = 0;
	return enter(w, pc, sp < fp + 16 ? fp + 16 : sp, 0);
}

/*
 * By the size of the frame. While compiled code compares or searches strings, words lie on top of it
 * (C2_MacroAssembler::string_compare).
 */
INLINE int is_hotspot_frame(struct script_walk *s, struct walk *w, const struct hotspot_blob *blob)
{
	__u64 slot = w->out.reg[SP] + blob->frame_bytes - 8;
	if (blob->frame_bytes < 16 || blob->frame_bytes >= 1U << 30)
		return 0;
#pragma unroll
	for (int words = 0; words <= HOTSPOT_PUSHED_MAX; words++)
		if ((!words || w->innermost) && hotspot_return(s, w, slot + 8 * words, 1))
			return 1;
	return 0;
}

/* Scopes are described where calls return and, of other instructions that have one, where they end. */
INLINE void add_hotspot_nmethod(struct script_walk *s, const struct walk *w, const struct hotspot_blob *blob)
{
	__u32 offset = (__u32)(w->out.pc - blob->code) + w->exact;
	if (blob->text != HOTSPOT_METHOD || !add_hotspot_scopes(blob->at, offset))
		add_hotspot_method(s, read_word_at(blob->at + s->process.hotspot.nmethod_method), 0);
}

INLINE long by_hotspot_blob(struct script_walk *s, struct walk *w, const struct hotspot_blob *blob)
{
	if (blob->text == HOTSPOT_INTERPRETER)
		return by_hotspot_interpreter(s, w, blob);
	if (blob->text == HOTSPOT_METHOD || blob->text == HOTSPOT_NATIVE)
		add_hotspot_nmethod(s, w, blob);
	else
		add_hotspot_blob(s, blob);
	if (w->innermost && hotspot_leaf(s, w, blob))
		return 0;
	return is_hotspot_frame(s, w, blob) ? 0 : by_fp(w, 1);
}

GLOBAL int hotspot_frame(__u32 which)
{
	struct walk *w = this_walk(which);
	struct script_walk *s = this_script_walk();
	struct hotspot_blob *blob;
	if (!w || !s)
		return 1;
	blob = &s->hotspot.blob;
	s->native = w->out.stack.nr;
	if (put_frame(w))
		return 1;
	if (!find_hotspot_blob(s, w->out.pc - !w->exact, blob))
		return by_fp(w, 1);
	return by_hotspot_blob(s, w, blob);
}

/* In place of step_on(). */
static long hotspot_step(__u32 i, __u32 *which)
{
	struct walk *w = this_walk(*which);
	struct script_walk *s = this_script_walk();
	if (!w || !s)
		return 1;
	return (hotspot_heap_of(s, w->out.pc - !w->exact) ? hotspot_frame(*which) : step(*which)) != 0;
}

/* Frames were found along with the native ones. */
INLINE int walk_hotspot(struct script_walk *s)
{
	return 0;
}
