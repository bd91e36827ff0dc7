/*
 * The options of `lock` that select and group waits, of a recording or of the running system.
 *
 * Strings are borrowed.
 */
#pragma once
#include "analysis/lock_kind.h"
#include "analysis/lock_symbols.h"
#include "base/arena.h"
#include "base/vector.h"

enum lock_by { LOCK_BY_CALLER, LOCK_BY_THREAD, LOCK_BY_LOCK, LOCK_BY_CGROUP };

struct lock_question {
	enum lock_by by;
	bool by_owner;            /* by the thread that holds the lock; on the running system, or for programs' locks */
	bool of_users;            /* locks of programs (futexes) */
	bool with_stacks;         /* show the first stack of each row */
	uint64_t max_stack;       /* frames */
	uint64_t skip;            /* minimum number of innermost frames that belong to the lock functions */
	const char *kinds;        /* -Y */
	const char *locks;        /* -L */
	const char *functions;    /* -S */
	const char *cgroups;      /* -G: of the running system */
};

typedef VEC(const char *) lock_word_list;

/* The same, parsed. A zeroed struct selects all. */
struct lock_choice {
	lock_flag_list kinds;
	VEC(uint64_t) addresses;
	lock_word_list names;     /* of locks, whose addresses are not known yet */
	lock_word_list functions; /* parts of their names */
	lock_word_list cgroups;   /* paths below the mount point */
	struct arena arena;
};

struct strobe_error *lock_choice_parse(const struct lock_question *q, struct lock_choice *ret) _must_check_;
void lock_choice_deinit(struct lock_choice *c);
/* Resolves names to addresses. ERROR_NOT_FOUND for an unknown symbol. */
struct strobe_error *lock_choice_find(struct lock_choice *c, const struct lock_symbols *symbols) _must_check_;
bool lock_choice_has(const struct lock_choice *c, uint64_t address, uint32_t flags);
/* Whether a function of -S is in the stack. */
bool lock_choice_has_stack(const struct lock_choice *c, const struct lock_symbols *symbols, const uint64_t *stack, size_t n);
