/*
 * Functions of a target, probes of the kernel, and definitions as tables.
 */
#pragma once
#include "probe/events.h"
#include "probe/filter.h"
#include "probe/variables.h"
#include "table/table.h"

/* Names, ascending, that match the filter. demangle: show demangled names, to which the filter is then applied. */
void probe_functions_table(const struct probe_target *t, const struct probe_filter *filter, bool demangle, struct table *ret);
/*
 * Probes of the kernel that match the filter, with source locations; for missing or unreadable files, an address.
 */
void probe_installed_table(const struct sys *sys, const struct probe_list *list, const struct probe_filter *filter,
			   const struct probe_files *files, struct table *ret);
/*
 * The variables that a definition can fetch, at each of its places: as text perf's lines, "\t@<mid+0>", "\t\tint\tn". In data a row per
 * variable.
 */
struct strobe_error *probe_variables_table(struct probe_target *t, const struct probe_definition *d, const struct probe_search *search,
					   const struct probe_filter *filter, struct probe_variable_options options, struct table *ret,
					   struct strbuf *text) _must_check_;
/* Events as lines for tracefs, or for a boot configuration, which only supports kernel probes. */
struct strobe_error *probe_events_table(const struct probe_events *e, bool for_boot, struct table *ret) _must_check_;
/* "probe_libc:malloc    (on malloc in /lib/libc.so.6 with size=%di)" */
void probe_event_text(const struct probe_event *e, struct strbuf *ret);
