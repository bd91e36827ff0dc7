/*
 * Works of the running kernel, aggregated in the kernel, until a command has ended or a signal arrives.
 *
 * One thread. Everything that the request points to must outlive the call. Names live as long as the works.
 */
#pragma once
#include "analysis/kwork/kwork_works.h"
#include "session/host.h"
#include "symbol/symbol.h"
#include "sys/sys.h"

struct kwork_live_request {
	const struct session_host *host;
	const struct sys *sys;
	char *const *command; /* NULL: none */
	struct symbols_options symbols;
	const struct kwork_question *question; /* but for lines */
	const char *cpus;
};

struct kwork_live;

/* *ret in any case. */
struct strobe_error *kwork_live_run(const struct kwork_live_request *q, struct kwork_live **ret) _must_check_;
void kwork_live_destroy(struct kwork_live *l);
struct kwork_works *kwork_live_works(struct kwork_live *l);
