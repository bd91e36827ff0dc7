/*
 * Functions of the running kernel that cannot be probed: those on its kprobes blacklist, and those that cannot be traced (notrace). Globs
 * skip them.
 *
 * Sources: Documentation/trace/kprobes.rst (debugfs: kprobes/blacklist), tracefs' available_filter_functions; without debugfs, the symbols
 * _kbl_addr_NAME made by NOKPROBE_SYMBOL().
 */
#pragma once
#include "base/strbuf.h"
#include "base/vector.h"
#include "probe/functions.h"

typedef VEC(const char *) probe_names;

struct probe_forbidden {
	struct strbuf traceable_text, blacklist_text;
	probe_names traceable; /* ascending; empty: unknown */
	probe_names blacklist; /* ascending */
};

/* Reads what is available. functions: of the kernel itself. */
void probe_forbidden_read(const struct sys *sys, const struct probe_functions *functions, struct probe_forbidden *ret);
void probe_forbidden_deinit(struct probe_forbidden *f);
bool probe_forbidden_has(const struct probe_forbidden *f, const char *name);
