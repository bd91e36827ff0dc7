/* The options of strobe probe. */
#pragma once
#include "base/vector.h"
#include "cli/options.h"
#include "probing/probing.h"
#include "table/format.h"

struct probe_options {
	/* The action: one of these. */
	VEC(struct probing_request) added, shown, variables, lines;
	VEC(const char *) removed, listed;
	bool has_list, has_functions;

	const char *exec, *module;
	bool target_is_used; /* by an earlier definition */
	const char *vmlinux, *source, *symfs, *filter, *format_name;
	bool force, dry_run, quiet, cache, bootconfig, no_inlines, externs, range;
	bool no_demangle, demangle_kernel;
	unsigned verbose;
	uint64_t max_probes, target_ns;
	enum table_format format; /* settled */
};

extern const struct option probe_option_table[];
void probe_options_release(void *options);
