/*
 * The waits for locks of a recording: of lock:contention_begin and _end, or of the events of a kernel with lockdep.
 *
 *	err = lock_replay_run(&request, &r);    *ret in any case; on an error it holds the complete part
 *	lock_replay_destroy(r);
 *
 * One thread. What the request points to outlives it.
 */
#pragma once
#include "analysis/lock_choice.h"
#include "analysis/lock_waits.h"
#include "session/host.h"
#include "session/session.h"

struct lock_replay_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	bool force;
	bool with_lockdep; /* acquire, acquired, contended, release, too; else contention alone */
	struct sample_choice choice;
	struct symbols_options symbols;
	struct lock_question question;
};

struct lock_replay;

struct strobe_error *lock_replay_run(const struct lock_replay_request *q, struct lock_replay **ret) _must_check_;
void lock_replay_destroy(struct lock_replay *r);
const struct lock_waits *lock_replay_waits(const struct lock_replay *r);
const struct lock_symbols *lock_replay_symbols(const struct lock_replay *r);
/* Its last name, ":TID" where none was recorded; "" of a thread that had no events of locks. */
const char *lock_replay_comm(const struct lock_replay *r, uint32_t tid);
/* Threads that had events of locks, by ID: calls fn for each. */
void lock_replay_each_thread(const struct lock_replay *r, void (*fn)(void *ctx, uint32_t tid, const char *comm), void *ctx);
/* Says what was lost or damaged. */
void lock_replay_remarks(const struct lock_replay *r);
