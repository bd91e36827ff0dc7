/*
 * Walks the user stack at a sample by call frame information, which user space has compiled into maps. Writes the addresses with
 * the other sample fields into the ring in place of the sample or, if user space has to continue the walk or some fields are known
 * to the event only, right before the sample. bpf/unwind/chain_sink.c makes one record of either.
 *
 * The state of a walk is in a map, where the verifier does not track it: for the verifier the program is small,
 * however many frames there are. Registers of callers are read only when a rule needs one; until then their address is
 * kept.
 */
#include "bpf/followed.bpf.h"
#include "bpf/unwind/sljit.bpf.h"
#include "bpf/unwind/unwind_code.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define TASK_KERNEL 0x00200000 /* PF_KTHREAD */
#define SEARCH_STEPS 17
#define GOROUTINE_BYTES_MAX (1ULL << 30) /* of its stack: Go allows no more by itself */
#define HASH_FACTOR  0x9e3779b97f4a7c15ULL /* 2^64 / the golden ratio */
/* For a thread whose end of stack is unknown. */
#define UNWIND_STACK_REACH (UNWIND_COPY_BYTES + UNWIND_MORE_BYTES)

/* struct pt_regs as far as its layout is the same for programs and in the kernel. */
#if defined(__TARGET_ARCH_x86)
#define FP	 6
#define SP	 7
#define CS_32BIT 0x23
#define CS_USER	 3
struct machine_regs {
	__u64 r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax, rip, cs, flags, rsp, ss;
};
static const __u8 kept_regs[] = { 3, 6, 12, 13, 14, 15 };
/*
 * struct ucontext from sp on, its mcontext 40 bytes in: r8 to r15, di si bp bx dx ax cx sp ip. The index of the word of
 * each register.
 */
static const __u8 signal_words[] = { 18, 17, 19, 16, 14, 13, 15, 20, 5, 6, 7, 8, 9, 10, 11, 12 };
#define SIGNAL_SP_WORD 20
#define CALL_OF(r)     (r)->orig_rax
#define CALL_EXECVE    59
#define CALL_EXECVEAT  322
#define SIGNAL_PC_WORD 21
#define CODE_BITS      (~0ULL)
#elif defined(__TARGET_ARCH_arm64)
#define FP	   29
#define LR	   30
#define SP	   31
#define PSR_LEVEL  0xf  /* the exception level: 0 is user space */
#define PSR_MODE32 0x10 /* PSR_MODE32_BIT */
struct machine_regs {
	__u64 x[31], sp, pc, pstate;
};
static const __u8 kept_regs[] = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 };
/* 128 bytes of siginfo, then struct ucontext: 176 up to its mcontext, 8 of fault address, x0 to x30, sp, pc. */
static const __u8 signal_words[] = { 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,
				     55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69 };
#define SIGNAL_SP_WORD 70
#define SIGNAL_PC_WORD 71
#define CALL_OF(r)     (r)->x[8]
#define CALL_EXECVE    221
#define CALL_EXECVEAT  281
#define CODE_BITS      0xffffffffffffULL /* the other bits may have a signature (PAC) */
#else
#error "no layout of registers for this architecture"
#endif

/* struct bpf_perf_event_data, whose header would define struct pt_regs once more. */
struct sample_context {
	struct machine_regs regs;
	__u64 sample_period, addr;
};

/* Samples may be NMIs that interrupt a walk of another program. */
enum { WALK_SAMPLE, WALK_SWITCH, WALKS };

struct walk {
	struct unwind_copy out;
	__u64 at[UNWIND_WALK_REGS]; /* address where a register is saved; 0: its value is known */
	__u64 tag;     /* code_tag() */
	__u64 start_stack;
	__u64 cfa, base; /* of the frame: keep_regs() */
	__u32 pid;
	__u32 mapping; /* index of the last one in the cache */
	__u32 max;
	__u8 exact, innermost;
	__u64 hash; /* of the addresses */
	__u32 words_nr; /* more than there is room for: it cannot be said what the walk depends on */
	__u64 words_hash; /* of what is in words: hash_word() */
	__u64 words[WAIT_WORDS]; /* addresses of all that was read of the stack, besides code: 0: in the link register */
	struct machine_regs regs; /* user registers, at the sample or at kernel entry */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALKS);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_more);
} more SEC(".maps");

struct chunk {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_CHUNK_WORDS / 2); /* an element is 8 bytes or more */
	__type(key, __u32);
	__type(value, __u32[2]);
} words SEC(".maps");

/* From the second on. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_CHUNKS);
	__type(key, __u32);
	__array(values, struct chunk);
} chunks SEC(".maps");

struct rules {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_RULES_FIRST);
	__type(key, __u32);
	__type(value, struct unwind_code_rule);
} rules SEC(".maps");

/* Where there are more: the parts after the first. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_RULES / UNWIND_RULES_FIRST);
	__type(key, __u32);
	__array(values, struct rules);
} more_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1024); /* resized to the number of CPUs */
	__type(key, __u32);
	__type(value, __u32);
} outputs SEC(".maps");

/* Events whose records have the fields of the samples and a stack. Empty: each sample follows its stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1024); /* as of outputs */
	__type(key, __u32);
	__type(value, __u32);
} whole SEC(".maps");

GLOBAL __u32 word_at(__u32 i)
{
	__u32 chunk = i >> UNWIND_CHUNK_BITS, at = (i & (UNWIND_CHUNK_WORDS - 1)) / 2;
	__u32 *pair;
	if (!chunk) {
		pair = bpf_map_lookup_elem(&words, &at);
	} else {
		void *map = bpf_map_lookup_elem(&chunks, &chunk);
		pair = map ? bpf_map_lookup_elem(map, &at) : 0;
	}
	return pair ? pair[i & 1] : 0;
}

/* The rule number in the table for an offset, searched in rows [low, low + n). */
GLOBAL __u32 rule_in(__u32 low, __u32 n, __u32 offset)
{
	__u32 numbers = (1U << UNWIND_NUMBER_BITS) - 1, limit = offset << UNWIND_NUMBER_BITS | numbers;
	for (int i = 0; i < SEARCH_STEPS && n > 1; i++) {
		__u32 half = n / 2;
		low += half & all_bits(~is_less(limit, word_at(low + half)));
		n -= half;
	}
	return word_at(low) & numbers;
}

INLINE struct walk *this_walk(__u32 which)
{
	return bpf_map_lookup_elem(&walks, &which);
}

INLINE _Bool read_user(__u64 at, __u64 *ret)
{
	return !bpf_probe_read_user(ret, sizeof(*ret), (void *)at);
}

INLINE struct known_mapping *find_mapping(struct walk *w, __u64 ip)
{
	struct known_code *k = this_known();
	int i = w->mapping & (KNOWN_MAPPINGS - 1);
	if (!k)
		return 0;
	if (is_inside(&k->mapping[i], w->tag, ip))
		return &k->mapping[i];
	i = known_at(w->tag, ip, w->pid);
	w->out.is_data = i == CODE_NONE;
	if (i < 0)
		return 0;
	w->mapping = i & (KNOWN_MAPPINGS - 1);
	return &k->mapping[i & (KNOWN_MAPPINGS - 1)];
}

INLINE struct unwind_code_rule *rule_at(__u32 rule)
{
	__u32 part = rule / UNWIND_RULES_FIRST, at = rule % UNWIND_RULES_FIRST;
	void *map;
	if (!part)
		return bpf_map_lookup_elem(&rules, &at);
	map = bpf_map_lookup_elem(&more_rules, &part);
	return map ? bpf_map_lookup_elem(map, &at) : 0;
}

INLINE struct unwind_code_rule *find_rule(const struct known_mapping *m, __u64 ip)
{
	__u32 rule = 0;
	__u64 offset = ip - m->bias, page = offset >> UNWIND_CODE_BITS;
	if (page < m->pages_nr) {
		__u32 from = word_at(m->pages + (__u32)page) - 1, to = word_at(m->pages + (__u32)page + 1);
		rule = word_at(m->pages - 1 - rule_in(m->rows + from, to - from, offset));
	}
	return rule_at(rule);
}

/* Ends the walk. */
INLINE long end(struct walk *w, __u32 why)
{
	w->out.stack.end = why;
	return 1;
}

INLINE long enter(struct walk *w, __u64 pc, __u64 sp, _Bool interrupted)
{
	w->out.pc = pc = interrupted ? pc : pc & CODE_BITS;
	w->out.reg[SP] = sp;
	w->at[SP] = 0;
	w->exact = w->innermost = interrupted;
	return pc ? 0 : end(w, UNWIND_WALK_WHOLE);
}

INLINE __u64 hash_word(__u64 hash, __u64 word)
{
	return (hash ^ word) * HASH_FACTOR;
}

/* The walk depends on a word of the stack: it goes the same way again where all of them, pc, sp and fp are the same. */
INLINE void note_word(struct walk *w, __u64 at, __u64 value)
{
	__u32 nr = w->words_nr;
	w->words[BELOW(WAIT_WORDS, nr)] = at;
	w->words_nr = nr + 1;
	w->words_hash = hash_word(w->words_hash, value);
}

/* It depends on something else, too. */
INLINE void note_more(struct walk *w)
{
	w->words_nr = WAIT_WORDS + 1;
}

INLINE _Bool read_noted(struct walk *w, __u64 at, __u64 *ret)
{
	if (!read_user(at, ret))
		return 0;
	note_word(w, at, *ret);
	return 1;
}

INLINE _Bool reg_value(struct walk *w, __u32 reg, __u64 *ret)
{
	__u64 at;
	reg &= UNWIND_WALK_REGS - 1;
	at = w->at[reg];
	*ret = w->out.reg[reg];
	if (at)
		return read_noted(w, at, ret);
#ifdef LR
	if (reg == LR) {
		note_word(w, 0, *ret);
		return 1;
	}
#endif
	if (reg != SP && reg != FP)
		note_more(w);
	return 1;
}

/* Whether a call may end at pc: a relative one, or an indirect one of any length (unwind/call_site.c looks closer). */
GLOBAL int is_after_call(__u64 pc)
{
#if defined(__TARGET_ARCH_x86)
	__u8 code[8];
	__u64 found;
	if (bpf_probe_read_user(code, sizeof(code), (void *)(pc - sizeof(code))))
		return 0;
	found = is_less(code[3] ^ 0xe8, 1);
#pragma unroll
	for (int i = 1; i < 7; i++)
		found |= is_less((code[i] ^ 0xff) | ((code[i + 1] >> 3 & 7) ^ 2), 1);
	return found;
#else
	return pc != 0;
#endif
}

/* is_bare: in code without a file. */
INLINE long by_fp(struct walk *w, _Bool is_bare)
{
	__u64 fp, next = 0, pc = 0;
	if (!reg_value(w, FP, &fp))
		return end(w, UNWIND_WALK_LOST);
	/* The start of the program. */
	if (!fp && !w->innermost)
		return end(w, UNWIND_WALK_WHOLE);
	if (fp & 7)
		return end(w, UNWIND_WALK_BARE);
	/* In other code it is that of a callee, which did not restore it: the walk would come to the same callers again. */
	if (fp < w->out.reg[SP] && !is_bare)
		return end(w, UNWIND_WALK_LOST);
	if (!read_noted(w, fp, &next) || !read_noted(w, fp + 8, &pc))
		return end(w, fp < w->out.reg[SP] ? UNWIND_WALK_BARE : UNWIND_WALK_LOST);
	/* Code made at run time may have a stack of its own, as Erlang's, and call C on the thread's: a call made its frame. */
	if (fp < w->out.reg[SP] && ((next && next <= fp) || !is_after_call(pc)))
		return end(w, UNWIND_WALK_BARE);
	w->out.reg[FP] = next;
	w->at[FP] = 0;
	return enter(w, pc, fp + 16, 0);
}

#if defined(__TARGET_ARCH_x86)
/* Registers that the prologue pushes before the return address at `slot`; those below the stack pointer are not, or not any more. */
INLINE void keep_sljit_regs(struct walk *w, __u64 slot)
{
	static const __u8 pushes[SLJIT_PUSHES] = { 3, 15, 14, 13, FP };
#pragma unroll
	for (int i = 0; i < SLJIT_PUSHES; i++) {
		__u64 at = slot - 8 * (i + 1);
		w->at[pushes[i]] += (at - w->at[pushes[i]]) & all_bits(~is_less(at, w->out.reg[SP]));
	}
}

/* A regular expression of PCRE2, if the frame pointer does not lead to a caller. 0: it is none. */
GLOBAL int by_sljit(__u32 which)
{
	struct walk *w = this_walk(which);
	__u64 slot, pc = 0, fp = 0, start, bytes, pops = 0;
	if (!w || (reg_value(w, FP, &fp) && read_user(fp + 8, &pc) && is_after_call(pc)))
		return 0;
	start = sljit_start_of(w->out.pc - !w->exact);
	bytes = start ? sljit_bytes_at(start, w->out.pc) : ~0ULL;
	if (bytes == ~0ULL)
		return 0;
	slot = w->out.reg[SP] + bytes;
	if (w->innermost)
		pops = sljit_pops_at(w->out.pc);
	if (pops)
		slot = w->out.reg[SP] + 8 * (pops - 1);
	/* A call within the function has put its return address on top, and not yet, or not any more, taken it from there. */
	if (w->innermost && !(read_user(slot, &pc) && is_after_call(pc)))
		slot += 8;
	if (!read_user(slot, &pc) || !is_after_call(pc))
		return 0;
	keep_sljit_regs(w, slot);
	note_more(w);
	enter(w, pc, slot + 8, 0);
	return 1;
}
#else
INLINE int by_sljit(__u32 which)
{
	return 0;
}
#endif

INLINE long by_signal(struct walk *w)
{
	__u64 sp = w->out.reg[SP], pc, new_sp;
	if (!read_user(sp + 8 * SIGNAL_PC_WORD, &pc) || !read_user(sp + 8 * SIGNAL_SP_WORD, &new_sp))
		return end(w, UNWIND_WALK_LOST);
#pragma unroll
	for (int i = 0; i < NR(signal_words); i++)
		w->at[i] = sp + 8 * signal_words[i];
	note_more(w);
	return enter(w, pc, new_sp, 1);
}

INLINE void keep(struct walk *w, const struct unwind_code_rule *r, int kept, int reg)
{
	__u64 at = w->cfa + ((w->base - w->cfa) & all_bits(r->based >> kept)) + (__s64)r->at[kept];
	/* Below the stack pointer: already popped, which compilers do not describe before a return. */
	__u64 is_popped = w->innermost & is_less(at, w->out.reg[SP]);
	w->at[reg] += (at - w->at[reg]) & all_bits(r->kept >> kept & ~is_popped);
}

/*
 * By w->cfa and w->base, which the verifier does not track in the map's memory: however they were found, this is checked once. It
 * compares states where functions begin.
 */
APART long keep_regs(struct walk *w, const struct unwind_code_rule *r)
{
#pragma unroll
	for (int i = 0; i < NR(kept_regs); i++)
		keep(w, r, i, kept_regs[i]);
	return 0;
}

INLINE _Bool read_return_address(struct walk *w, const struct unwind_code_rule *r, __u64 cfa, __u64 *ret)
{
	if (r->kept >> UNWIND_KEPT_RA & 1)
		return read_noted(w, cfa + (__s64)r->at[UNWIND_KEPT_RA], ret);
#ifdef LR
	return w->innermost && reg_value(w, LR, ret);
#else
	return 0;
#endif
}

/* The caller of Go's asmcgocall, whose C runs on the thread's stack: by the end of the goroutine's. 0: it cannot be read. */
GLOBAL __u64 goroutine_cfa(__u64 g_at, __u64 depth_at)
{
	__u64 g, high, depth;
	if (!read_user(g_at, &g) || !read_user(g + 8, &high) || !read_user(depth_at, &depth) || depth > GOROUTINE_BYTES_MAX)
		return 0;
	return high - depth + 8;
}

/* The caller of its systemstack: where the thread's current goroutine was left. 0: as above. */
GLOBAL __u64 current_goroutine_cfa(__s32 place, __u32 offsets)
{
#if defined(__TARGET_ARCH_x86)
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 at = 0;
	bpf_probe_read_kernel(&at, sizeof(at), &task->thread.fsbase);
	if (!read_user(at + (__s64)place, &at) || !read_user(at + (offsets & 0xff), &at) ||
	    !read_user(at + (offsets >> 8 & 0xffff), &at) || !read_user(at + (offsets >> 24), &at))
		return 0;
	return at ? at + 8 : 0;
#else
	return 0;
#endif
}

/* A separate function: its stack frame, for which waits.bpf.c has little room, is not needed while a mapping is searched for. */
APART long by_rule(struct walk *w, const struct unwind_code_rule *r)
{
	_Bool is_elsewhere = r->kind == UNWIND_RULE_GO || r->kind == UNWIND_RULE_GO_SYSTEM; /* on another stack */
	__u64 cfa = 0, base = 0, pc;
	if (is_elsewhere)
		note_more(w);
	if (r->kind == UNWIND_RULE_GO) {
		cfa = goroutine_cfa(w->out.reg[SP] + (__s64)r->addend, w->out.reg[SP] + (__s64)r->value);
		if (!cfa)
			return end(w, UNWIND_WALK_LOST);
	} else if (r->kind == UNWIND_RULE_GO_SYSTEM) {
		cfa = current_goroutine_cfa(r->value, r->addend);
		if (!cfa)
			return end(w, UNWIND_WALK_LOST);
	} else if (r->kind == UNWIND_RULE_PLT) {
		cfa = w->out.reg[SP] + 8 + ((w->out.pc & 15) >= (__u32)r->value ? 8 : 0);
	} else {
		if (!reg_value(w, r->reg, &base))
			return end(w, UNWIND_WALK_LOST);
		cfa = base + (__s64)r->value;
		if (r->kind == UNWIND_RULE_DEREF) {
			if (!read_noted(w, cfa, &cfa))
				return end(w, UNWIND_WALK_LOST);
			cfa += (__s64)r->addend;
		}
	}
	if (!read_return_address(w, r, cfa, &pc))
		return end(w, UNWIND_WALK_LOST);
	if (r->is_analysed && !is_after_call(pc)) {
		__u64 fp = 1;
		return end(w, !w->innermost && reg_value(w, FP, &fp) && !fp ? UNWIND_WALK_WHOLE : UNWIND_WALK_COPY);
	}
	/* A leaf that keeps its return address in a register may have no frame at all. */
	if (!is_elsewhere && (cfa < w->out.reg[SP] || (cfa == w->out.reg[SP] && !w->innermost)))
		return end(w, UNWIND_WALK_LOOP);
	w->cfa = cfa;
	w->base = base;
	keep_regs(w, r);
	return enter(w, pc, w->cfa, 0);
}

/* Adds the current frame; 1: there are too many. */
INLINE long put_frame(struct walk *w)
{
	__u32 nr = w->out.stack.nr;
	if (nr >= w->max || nr >= UNWIND_FRAMES_MAX)
		return end(w, UNWIND_WALK_LIMIT);
	w->out.frames[nr] = w->out.pc;
	w->out.stack.nr = nr + 1;
	w->hash = (w->hash ^ w->out.pc) * HASH_FACTOR;
	return 0;
}

/* Until the new program begins, its process has the registers of the call, and nothing is mapped where that was. */
INLINE _Bool is_in_exec(const struct machine_regs *r)
{
	return CALL_OF(r) == CALL_EXECVE || CALL_OF(r) == CALL_EXECVEAT;
}

/* One frame; 1 where it was the last. */
GLOBAL int step(__u32 which)
{
	struct walk *w = this_walk(which);
	struct known_mapping *m;
	struct unwind_code_rule *r;
	__u32 nr;
	__u64 ip;
	if (!w)
		return 1;
	nr = w->out.stack.nr;
	if (put_frame(w))
		return 1;
	/* The first instructions of a program: its stack is as the kernel has made it. */
	if (!nr && w->out.reg[SP] == w->start_stack - sizeof(__u64))
		return end(w, UNWIND_WALK_WHOLE);
	ip = w->out.pc - !w->exact;
	m = find_mapping(w, ip);
	/* User space determines whether the previous frame was the outermost. */
	if (!m || m->kind == UNWIND_CODE_USER)
		return end(w, !w->out.is_data || nr ? UNWIND_WALK_COPY : is_in_exec(&w->regs) ? UNWIND_WALK_EXEC : UNWIND_WALK_LOST);
	r = find_rule(m, ip);
	if (!r)
		return end(w, UNWIND_WALK_COPY);
	switch (r->kind) {
	case UNWIND_RULE_NONE:
		return m->kind == UNWIND_CODE_BARE && by_sljit(which) ? 0 : by_fp(w, m->kind == UNWIND_CODE_BARE);
	case UNWIND_RULE_SIGNAL:
		return by_signal(w);
	case UNWIND_RULE_END:
		return end(w, UNWIND_WALK_WHOLE);
	case UNWIND_RULE_USER:
		return end(w, UNWIND_WALK_COPY);
	default:
		return by_rule(w, r);
	}
}

static long step_on(__u32 i, __u32 *which)
{
	return step(*which) != 0;
}

INLINE _Bool was_in_user_space(const struct sample_context *ctx)
{
#if defined(__TARGET_ARCH_x86)
	return (ctx->regs.cs & CS_USER) == CS_USER;
#else
	return !(ctx->regs.pstate & PSR_LEVEL);
#endif
}

/*
 * Reads all at once: for single fields of the context, compilers combine accesses in ways that the verifier forbids. In the
 * kernel, the context begins with a pointer to the registers.
 */
INLINE _Bool read_regs(struct sample_context *ctx, struct task_struct *task, struct walk *w)
{
	void *regs = 0;
	if (!was_in_user_space(ctx))
		regs = (void *)bpf_task_pt_regs(task);
	else if (bpf_probe_read_kernel(&regs, sizeof(regs), ctx))
		return 0;
	return !bpf_probe_read_kernel(&w->regs, sizeof(w->regs), regs);
}

INLINE void begin(struct walk *w, const struct machine_regs *r)
{
	__u64 *reg = w->out.reg;
#if defined(__TARGET_ARCH_x86)
	reg[0] = r->rax;
	reg[1] = r->rdx;
	reg[2] = r->rcx;
	reg[3] = r->rbx;
	reg[4] = r->rsi;
	reg[5] = r->rdi;
	reg[6] = r->rbp;
	reg[7] = r->rsp;
	reg[8] = r->r8;
	reg[9] = r->r9;
	reg[10] = r->r10;
	reg[11] = r->r11;
	reg[12] = r->r12;
	reg[13] = r->r13;
	reg[14] = r->r14;
	reg[15] = r->r15;
	w->out.pc = r->rip;
	w->out.is_32bit = (r->cs & 0xffff) == CS_32BIT;
#else
	__builtin_memcpy(reg, r->x, sizeof(r->x));
	reg[SP] = r->sp;
	w->out.pc = r->pc;
	w->out.is_32bit = (r->pstate & PSR_MODE32) != 0;
	if (w->out.is_32bit)
		reg[SP] = r->x[13];
#endif
}

/* The end of the mapping of sp: thread stacks begin near it. */
GLOBAL __u64 stack_end_of(__u64 sp)
{
	struct found_mapping f = {};
	return find_vma(sp, &f) ? ~0ULL : f.request.end;
}

/* The number of bytes from sp on that user space may need; if unknown, as many as there is room for. */
INLINE __u64 stack_bytes(const struct walk *w)
{
	__u64 sp = w->out.reg[SP], bytes = w->start_stack - sp;
	if (w->out.is_data)
		return 0;
	if (bytes > UNWIND_STACK_REACH)
		bytes = stack_end_of(sp) - sp;
	return bytes < UNWIND_STACK_REACH ? bytes : UNWIND_STACK_REACH;
}

/* A copy of the stack being made. */
struct copying {
	__u64 from, limit; /* limit: bytes that are to be copied */
	__u64 bytes; /* up to the last piece that could be read */
	__u32 which; /* walk */
};

/*
 * Copies one piece, which lies within a page; returns 1 if it was the last. Pages that were never written, such as those of large
 * arrays, cannot be read, but are zeros, which is what a failed read leaves.
 */
INLINE long copy_piece(__u8 *memory, __u32 i, struct copying *c)
{
	__u32 at = i * UNWIND_COPY_PIECE;
	if (at >= c->limit)
		return 1;
	if (!bpf_probe_read_user(memory + at, UNWIND_COPY_PIECE, (void *)(c->from + at)))
		c->bytes = at + UNWIND_COPY_PIECE;
	return 0;
}

/* For bpf_loop(), here and below: the verifier checks one iteration instead of all. */
static long copy_first(__u32 i, struct copying *c)
{
	struct walk *w = this_walk(c->which);
	return w && i < UNWIND_COPY_BYTES / UNWIND_COPY_PIECE ? copy_piece(w->out.memory, i, c) : 1;
}

INLINE struct unwind_more *this_more(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&more, &zero);
}

static long copy_more(__u32 i, struct copying *c)
{
	struct unwind_more *m = this_more();
	return m && i < UNWIND_MORE_BYTES / UNWIND_COPY_PIECE ? copy_piece(m->memory, i, c) : 1;
}

INLINE void give_more(void *ctx, __u64 from, __u64 limit)
{
	struct copying c = { .from = from, .limit = limit };
	struct unwind_more *m = this_more();
	if (!m)
		return;
	bpf_loop(UNWIND_MORE_BYTES / UNWIND_COPY_PIECE, copy_more, &c, 0);
	m->message = UNWIND_MESSAGE_MORE;
	m->bytes = c.bytes;
	if (c.bytes <= UNWIND_MORE_BYTES)
		bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, m, __builtin_offsetof(struct unwind_more, memory) + c.bytes);
}

static long read_reg(__u32 i, __u32 *which)
{
	struct walk *w = this_walk(*which);
	if (!w || i >= UNWIND_WALK_REGS)
		return 1;
	if (w->at[i])
		read_user(w->at[i], &w->out.reg[i]);
	return 0;
}

/* Sends a copy, from which user space continues the walk with all its tables. */
INLINE void give_copy(void *ctx, struct walk *w, __u32 which, __u64 wait)
{
	__u64 above = w->out.reg[SP] % UNWIND_COPY_PIECE;
	struct copying c = { .from = w->out.reg[SP] - above, .limit = stack_bytes(w) + above, .which = which };
	__u64 bytes;
	bpf_loop(UNWIND_WALK_REGS, read_reg, &which, 0);
	bpf_loop(UNWIND_COPY_BYTES / UNWIND_COPY_PIECE, copy_first, &c, 0);
	bytes = c.bytes;
	/* One walk may have a second piece. */
	if (which == WALK_SAMPLE && c.limit > UNWIND_COPY_BYTES) {
		bytes = UNWIND_COPY_BYTES;
		give_more(ctx, c.from + UNWIND_COPY_BYTES, c.limit - UNWIND_COPY_BYTES);
	}
	w->out.message = UNWIND_MESSAGE_COPY;
	w->out.wait = wait;
	w->out.bytes = bytes;
	w->out.exact = w->exact;
	if (bytes <= UNWIND_COPY_BYTES)
		bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, &w->out,
				      __builtin_offsetof(struct unwind_copy, memory) + bytes);
}

/* Read as bytes: for a typed pointer to a pointer the verifier searches all types of the kernel (1 ms each). */
INLINE struct mm_struct *mm_of(struct task_struct *task)
{
	struct mm_struct *mm = 0;
	bpf_probe_read_kernel(&mm, sizeof(mm), &task->mm);
	return mm;
}

/*
 * The start of the stack of a process's first thread, where argc is: since no call has put that there, user space recognises the
 * outermost frame of analysed code. Unknown for other threads.
 */
INLINE __u64 start_stack_of(struct task_struct *task, struct mm_struct *mm)
{
	__u64 start;
	if (task->pid != task->tgid || bpf_probe_read_kernel(&start, sizeof(start), &mm->start_stack))
		return ~0ULL;
	return start + sizeof(start);
}

/* False: no user stack. */
INLINE _Bool prepare_walk(struct walk *w, struct task_struct *task)
{
	struct mm_struct *mm = mm_of(task);
	if (!mm || task->flags & TASK_KERNEL)
		return 0;
	w->pid = task->tgid;
	w->tag = code_tag(task, mm);
	w->start_stack = start_stack_of(task, mm);
	w->out.is_data = 0;
	w->hash = 0;
	return 1;
}

/* Walks from w->regs on. If the end is UNWIND_WALK_COPY, user space can continue. */
INLINE void walk_from_regs_by(long (*one_step)(__u32, __u32 *), struct walk *w, __u32 which, __u32 max)
{
	begin(w, &w->regs);
	__builtin_memset(w->at, 0, sizeof(w->at));
	w->exact = w->innermost = 1;
	w->words_nr = 0;
	w->words_hash = 0;
	w->max = max;
	w->out.stack.message = UNWIND_MESSAGE_STACK;
	w->out.stack.nr = 0;
	w->out.stack.end = UNWIND_WALK_COPY;
	/* 32-bit code has other registers and rules: user space walks it from a copy. */
	if (!w->out.is_32bit) {
		bpf_loop(UNWIND_FRAMES_MAX + 1, one_step, &which, 0);
	} else {
		w->out.frames[0] = w->hash = w->out.pc;
		w->out.stack.nr = 1;
	}
}

INLINE void walk_from_regs(struct walk *w, __u32 which, __u32 max)
{
	walk_from_regs_by(step_on, w, which, max);
}

/* Returns 0 if the sample was written. If its ring is full, the kernel must count the loss for the event. */
INLINE int give_stack(struct sample_context *ctx, struct walk *w)
{
	__u32 nr = w->out.stack.nr;
	__u64 period = ctx->sample_period;
	long failed = -ENOENT;
	if (w->out.stack.end == UNWIND_WALK_COPY) {
		give_copy(ctx, w, WALK_SAMPLE, 0);
		return 1;
	}
	if (nr > UNWIND_FRAMES_MAX)
		return 1;
	w->out.stack.with = (__u32)period << 1 | (w->out.stack.end != UNWIND_WALK_WHOLE);
	if (!(period >> 31) && w->out.stack.end != UNWIND_WALK_EXEC)
		failed = bpf_perf_event_output(ctx, &whole, BPF_F_CURRENT_CPU, &w->out.stack.with, sizeof(__u32) + nr * 8);
	if (failed == -ENOENT)
		bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, &w->out.stack, sizeof(struct unwind_stack) + nr * 8);
	return failed != 0;
}

SEC("perf_event")
int walk_stack(struct sample_context *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct walk *w = this_walk(WALK_SAMPLE);
	if (settings.followed_words && !is_followed(task, settings.followed_words, settings.followed_by_thread))
		return 0;
	if (!w || !prepare_walk(w, task) || !read_regs(ctx, task, w))
		return 1;
	if (READS_SCRIPTS && settings.has_scripts)
		go_on_with_scripts(ctx, mm_of(task), w->pid);
	walk_from_regs(w, WALK_SAMPLE, settings.frames_max);
	return give_stack(ctx, w);
}

#if READS_SCRIPTS
#include "bpf/unwind/scripts.bpf.h"
#endif
