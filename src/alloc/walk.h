/*
 * The call chain of the running thread, by unwinding rules that are cached by address.
 *
 * A walk takes no lock, allocates nothing, makes no system call and reads only its own stack: it may run in a signal handler, and on
 * any stack. Rules are kept in a lock-free table that all threads share. Code without tables is unwound by its frame pointer if
 * plausible.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct walk {
	uintptr_t pc, sp, fp; /* of the caller: return address, stack pointer after the return, frame pointer */
	uint64_t hash;        /* of all addresses */
	unsigned depth;
	bool is_exact; /* pc is an instruction that a signal interrupted, not a return address */
	bool truncated;
};

#define WALK_ADDRESS_BITS 0x0000ffffffffffffull /* without the signature of return addresses on arm64 */

/* A running function. The distance of its frame record below its CFA depends on the architecture and the compiler. */
struct walk_frame {
	const uintptr_t *record; /* frame pointer and return address of the caller */
	uintptr_t cfa;
};
#define WALK_FRAME ((struct walk_frame){ __builtin_frame_address(0), (uintptr_t)__builtin_dwarf_cfa() })

/* A walk that begins at its caller. */
static inline struct walk walk_from(struct walk_frame f)
{
	return (struct walk){ .pc = f.record[1] & WALK_ADDRESS_BITS, .fp = f.record[0], .sp = f.cfa };
}

/*
 * Writes at most `most` frames, innermost first, from w->pc on: return addresses, or with ALLOC_FRAME_EXACT instructions that
 * signals interrupted.
 */
void walk_stack(struct walk *w, uint64_t *frames, unsigned most);

/* Omits frames of this code, the library's own. */
void walk_leave_out(const void *start, const void *end);
/* Drops all rules, after an object was unloaded. */
void walk_forget(void);
struct cfi_object;
/* Sets a function that is called at the first look-up of each rule, with the rule's object. */
void walk_report_objects(void (*fn)(uintptr_t pc, const struct cfi_object *object));
