/*
 * Functions of the running kernel that no probe may be at: those on its blacklist of kprobes, and those that cannot be traced (notrace),
 * which it refuses, too. A glob passes over them.
 *
 * Sources: Documentation/trace/kprobes.rst (debugfs: kprobes/blacklist), tracefs' available_filter_functions; of a kernel whose debugfs is
 * not mounted, the symbols _kbl_addr_NAME that NOKPROBE_SYMBOL() makes.
 */
#pragma once
#include "base/strbuf.h"
#include "base/vector.h"
#include "probe/functions.h"

typedef VEC(const char *) probe_names;

struct probe_forbidden {
	struct strbuf traceable_text, blacklist_text;
	probe_names traceable; /* ascending; none: not known */
	probe_names blacklist; /* ascending */
};

/* As far as it can be known. functions: of the kernel itself. */
void probe_forbidden_read(const struct sys *sys, const struct probe_functions *functions, struct probe_forbidden *ret);
void probe_forbidden_deinit(struct probe_forbidden *f);
bool probe_forbidden_has(const struct probe_forbidden *f, const char *name);
