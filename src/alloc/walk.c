#include "alloc/walk.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#include "alloc/cfi.h"
#include "alloc/layout.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define CACHE_BITS 15
#define FRAME_MOST ((uintptr_t)1 << 26) /* bytes of one frame */
#define GUESS_MOST ((uintptr_t)1 << 16) /* bytes of a frame that only its frame pointer describes */

static void (*report_object)(uintptr_t pc, const struct cfi_object *object);

/* Written rule first, pc last; a reader that reads pc, the rule, and the same pc again has a consistent pair. */
struct cached {
	uint64_t pc;
	union {
		struct cfi_rule rule;
		uint64_t word;
	};
};
static struct cached cache[1 << CACHE_BITS];

static uintptr_t left_out_start, left_out_bytes;

extern void *__libc_stack_end __attribute__((weak));

static inline struct cached *cached(uintptr_t pc)
{
	return &cache[(uint64_t)pc * 0x9e3779b97f4a7c15ull >> (64 - CACHE_BITS)];
}

void walk_report_objects(void (*fn)(uintptr_t pc, const struct cfi_object *object))
{
	report_object = fn;
}

void walk_leave_out(const void *start, const void *end)
{
	left_out_start = (uintptr_t)start;
	left_out_bytes = (uintptr_t)end - (uintptr_t)start;
}

void walk_forget(void)
{
	for (size_t i = 0; i < sizeof(cache) / sizeof(*cache); i++)
		__atomic_store_n(&cache[i].pc, 0, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) struct cfi_rule find_rule(uintptr_t pc, struct cached *c)
{
	struct cfi_object o;
	union {
		struct cfi_rule rule;
		uint64_t word;
	} u = { .rule = { .kind = CFI_NO_TABLE } };
	if (cfi_find_object(pc, &o)) {
		u.rule = cfi_rule_at(&o, pc);
		if (report_object)
			report_object(pc, &o);
	}
	__atomic_store_n(&c->pc, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&c->word, u.word, __ATOMIC_RELEASE);
	__atomic_store_n(&c->pc, pc, __ATOMIC_RELEASE);
	return u.rule;
}

static inline struct cfi_rule rule_of(uintptr_t pc)
{
	struct cached *c = cached(pc);
	union {
		struct cfi_rule rule;
		uint64_t word;
	} u;
	if (LIKELY(__atomic_load_n(&c->pc, __ATOMIC_ACQUIRE) == pc)) {
		u.word = __atomic_load_n(&c->word, __ATOMIC_ACQUIRE);
		if (LIKELY(__atomic_load_n(&c->pc, __ATOMIC_RELAXED) == pc))
			return u.rule;
	}
	return find_rule(pc, c);
}

static inline uintptr_t load(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

/* A handler returns to the kernel's trampoline; the interrupted registers are above it on the stack. */
static bool step_signal(struct walk *w)
{
#if defined(__x86_64__)
	const ucontext_t *u = (const ucontext_t *)w->sp;
	w->pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	w->sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
	w->fp = (uintptr_t)u->uc_mcontext.gregs[REG_RBP];
#elif defined(__aarch64__)
	const ucontext_t *u = (const ucontext_t *)(w->sp + sizeof(siginfo_t));
	w->pc = u->uc_mcontext.pc;
	w->sp = u->uc_mcontext.sp;
	w->fp = u->uc_mcontext.regs[29];
#else
	return false;
#endif
	return w->pc != 0;
}

/* Whether fp is on the same stack as sp, whose end is that of main()'s stack, or the start of the thread's TLS, if known. */
static bool is_on_stack(uintptr_t sp, uintptr_t fp)
{
	uintptr_t ends[] = { (uintptr_t)__builtin_thread_pointer(), &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0 };
	if (fp <= sp || fp - sp > GUESS_MOST || fp & (sizeof(uintptr_t) - 1))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (sp < ends[i] && ends[i] - sp < (uintptr_t)1 << 40 && fp + 2 * sizeof(uintptr_t) > ends[i])
			return false;
	return true;
}

/* A step by the frame pointer alone, if it is plausible. */
static bool step_guess(struct walk *w)
{
	if (!is_on_stack(w->sp, w->fp))
		return false;
	uintptr_t fp = w->fp;
	w->pc = load(fp + sizeof(uintptr_t)) & WALK_ADDRESS_BITS;
	w->fp = load(fp);
	w->sp = fp + 2 * sizeof(uintptr_t);
	return w->pc >= 4096;
}

/* A step to the caller; false at the end. */
static inline bool step(struct walk *w, struct cfi_rule r)
{
	uintptr_t cfa, fp = w->fp;
	if (LIKELY(r.kind == CFI_SP)) {
		cfa = w->sp + (uintptr_t)r.cfa;
	} else if (r.kind == CFI_FP || r.kind == CFI_FP_DEREF) {
		if (UNLIKELY(fp < w->sp || fp - w->sp > FRAME_MOST))
			return false;
		cfa = fp + (uintptr_t)r.cfa;
		if (r.kind == CFI_FP_DEREF) {
			cfa = load(cfa);
			fp = load(fp);
		}
	} else {
		return r.kind == CFI_NO_TABLE ? step_guess(w) : r.kind == CFI_SIGNAL ? step_signal(w) : false;
	}
	if (UNLIKELY(cfa <= w->sp || cfa - w->sp > FRAME_MOST || !r.ra))
		return false;
	w->pc = load(cfa + (uintptr_t)(r.ra * 8)) & WALK_ADDRESS_BITS;
	w->fp = r.fp == 0 ? fp : r.fp == CFI_FP_LOST ? 0 : load(cfa + (uintptr_t)(r.fp * 8));
	w->sp = cfa;
	return w->pc != 0;
}

void walk_stack(struct walk *w, uint64_t *frames, unsigned most)
{
	uint64_t hash = 0x243f6a8885a308d3ull, exact = w->is_exact ? ALLOC_FRAME_EXACT : 0;
	unsigned n = 0;
	struct cfi_rule r = { .kind = CFI_END };
	do {
		if (LIKELY(w->pc - left_out_start >= left_out_bytes)) {
			if (UNLIKELY(n == most)) {
				r.kind = CFI_UNKNOWN;
				break;
			}
			frames[n++] = w->pc | exact;
			hash = (hash ^ w->pc ^ exact) * 0x9fb21c651e98df25ull;
			hash ^= hash >> 32;
		}
		r = rule_of(exact ? w->pc : w->pc - 1);
		exact = r.kind == CFI_SIGNAL ? ALLOC_FRAME_EXACT : 0;
	} while (LIKELY(step(w, r)));
	w->hash = hash | 1;
	w->depth = n;
	/* The x86-64 psABI marks the outermost frame by a frame pointer of 0: the first function of the dynamic linker has no table. */
	w->truncated = r.kind != CFI_END && w->pc && !(r.kind == CFI_NO_TABLE && !w->fp);
}
