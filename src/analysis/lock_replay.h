/*
 * Waits for locks in a recording: from lock:contention_begin and _end, or from the events of a kernel with lockdep.
 *
 *	err = lock_replay_run(&request, &r);    *ret in any case; on an error it holds the complete part
 *	lock_replay_destroy(r);
 *
 * One thread. Everything that the request points to must outlive it.
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
/* Its last name; ":TID" if none was recorded; "" for a thread without lock events. */
const char *lock_replay_comm(const struct lock_replay *r, uint32_t tid);
/* Calls fn for each thread with lock events, by ID. */
void lock_replay_each_thread(const struct lock_replay *r, void (*fn)(void *ctx, uint32_t tid, const char *comm), void *ctx);
/* Reports lost or damaged records. */
void lock_replay_remarks(const struct lock_replay *r);
