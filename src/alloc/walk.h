/*
 * The call chain of the running thread, by unwinding rules that are remembered for each address.
 *
 * A walk takes no lock, allocates nothing, makes no system call and reads only its own stack: it may run in a signal handler, and
 * on any stack. Rules are kept in a table that all threads read and write without locks. Code without tables is passed by its
 * frame pointer where that is plausible.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct walk {
	uintptr_t pc, sp, fp; /* of the caller: where it returns to, its stack pointer then, its frame pointer */
	uint64_t hash;        /* of all addresses */
	unsigned depth;
	bool is_exact; /* set before: pc is the instruction that a signal interrupted, not one that a call returns to */
	bool truncated;
};

#define WALK_ADDRESS_BITS 0x0000ffffffffffffull /* without what signs return addresses on arm64 */

/* A function that is running. Its frame record is below its CFA, and how far is for the architecture and the compiler to say. */
struct walk_frame {
	const uintptr_t *record; /* frame pointer and return address of the caller */
	uintptr_t cfa;
};
#define WALK_FRAME ((struct walk_frame){ __builtin_frame_address(0), (uintptr_t)__builtin_dwarf_cfa() })

/* From its caller on. */
static inline struct walk walk_from(struct walk_frame f)
{
	return (struct walk){ .pc = f.record[1] & WALK_ADDRESS_BITS, .fp = f.record[0], .sp = f.cfa };
}

/*
 * Writes at most `most` frames, innermost first, from w->pc on: addresses that calls return to, or with ALLOC_FRAME_EXACT those that
 * signals interrupted.
 */
void walk_stack(struct walk *w, uint64_t *frames, unsigned most);

/* Frames of this code, the library's own, are left out. */
void walk_leave_out(const void *start, const void *end);
/* Rules of addresses may have changed: an object was unloaded. */
void walk_forget(void);
struct cfi_object;
/* fn is called with each object that a rule comes from, when that is first looked for. */
void walk_report_objects(void (*fn)(uintptr_t pc, const struct cfi_object *object));
