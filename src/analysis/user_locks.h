/*
 * Waits for futexes in a recording (`record --locks`, `record --wall`), by lock and caller, by lock, by thread, or by the thread that
 * held the lock when the wait began.
 *
 *	err = user_locks_run(&request, &u);    *ret in any case; on an error it holds the complete part
 *	user_locks_destroy(u);
 *
 * Locks are named by the symbol of their address, found through the program headers of mapped files. A row has the stacks of its longest
 * wait. One thread. Everything that the request points to must outlive it.
 */
#pragma once
#include "analysis/futex_kind.h"
#include "analysis/lock_replay.h"

enum user_stack { USER_STACK_WAIT, USER_STACK_OWNER, USER_STACK_WAKER, USER_STACKS };

struct user_stack_names {
	const uint64_t *ips;
	const char *const *names; /* innermost first; addresses for frames without a name */
	uint32_t nr;
};

/* Details of a row besides its values. */
struct user_lock {
	enum futex_kind kind;
	uint64_t address;       /* of the object */
	const char *lock;       /* "name", "name+0x10", "file+0x4010"; "": allocated memory */
	const char *caller;
	uint32_t tid, owner;    /* thread IDs; owner 0: unknown */
	const char *comm, *owner_comm, *waker;
	bool owner_waited;      /* the owner itself was waiting when the wait began: its stack is that of its wait */
	struct user_stack_names stacks[USER_STACKS]; /* with question.with_stacks */
};

struct user_locks;

struct strobe_error *user_locks_run(const struct lock_replay_request *q, struct user_locks **ret) _must_check_;
void user_locks_destroy(struct user_locks *u);
const struct lock_waits *user_locks_waits(const struct user_locks *u);
/* Reports lost or damaged records. */
void user_locks_remarks(const struct user_locks *u);
