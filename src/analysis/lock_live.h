/*
 * Waits for the kernel's locks on the running system, aggregated in the kernel: of a command, of tasks, or of all tasks.
 *
 *	err = lock_live_run(&request, &l);    until the command or the tasks have ended, or a signal arrives; *ret in any case
 *	lock_live_destroy(l);
 *
 * One thread. Everything that the request points to must outlive it.
 */
#pragma once
#include "analysis/lock_choice.h"
#include "analysis/lock_waits.h"
#include "capture/target.h"
#include "session/host.h"

struct lock_live_request {
	const struct session_host *host;
	const struct sys *sys;
	struct target target;
	char *const *command; /* NULL: none */
	uint64_t entries;     /* of each map in the kernel */
	struct symbols_options symbols;
	struct lock_question question;
};

struct lock_live;

struct strobe_error *lock_live_run(const struct lock_live_request *q, struct lock_live **ret) _must_check_;
void lock_live_destroy(struct lock_live *l);
const struct lock_waits *lock_live_waits(const struct lock_live *l);
const struct lock_symbols *lock_live_symbols(const struct lock_live *l);
/* "": unknown. */
const char *lock_live_comm(struct lock_live *l, uint32_t tid);
