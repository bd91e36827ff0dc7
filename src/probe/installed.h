/*
 * Probes of the running kernel: the lines of kprobe_events and uprobe_events in tracefs.
 *
 * A line of either is "p:GROUP/EVENT PLACE [NAME=FETCH …]", r or "r16" of a return; PLACE is "[MODULE:]SYMBOL+OFFSET",
 * "_text+OFFSET" or "0xADDRESS" in the kernel, "PATH:0xOFFSET[(0xSEMAPHORE)]" in a program. Events other than these ("t:", "e:")
 * are left alone. Source: the kernel's kprobetrace.rst and uprobetracer.rst.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "event/event.h"
#include "probe/filter.h"
#include "sys/sys.h"

enum probe_kind { PROBE_KERNEL, PROBE_PROGRAM };

struct probe_installed {
	enum probe_kind kind;
	bool is_return;
	const char *group, *event;
	const char *target;    /* path of a program, name of a module; "" of the kernel */
	const char *symbol;    /* kernel symbol that offset is relative to; "" in a program, and with an address */
	uint64_t offset;
	const char *arguments; /* the text after the place */
};

struct probe_list {
	struct arena arena;
	VEC(struct probe_installed) events; /* by group and event */
	bool exists[2];                     /* whether the kernel supports probes of a kind */
};

/* Parses a line of such a file; false: not a probe. */
bool probe_installed_parse(char *line, enum probe_kind kind, struct probe_installed *ret);

struct strobe_error *probe_list_read(const struct sys *sys, struct probe_list *ret) _must_check_;
void probe_list_deinit(struct probe_list *l);
/* NULL: no probe of that name. */
const struct probe_installed *probe_list_find(const struct probe_list *l, const char *group, const char *event);

/* The error for a kernel without support for probes of a kind. */
struct strobe_error *probe_missing(enum probe_kind kind) _must_check_;
/* Passes a definition, as above, to the kernel. Its error message becomes part of the error. */
struct strobe_error *probe_install(const struct sys *sys, enum probe_kind kind, const char *line) _must_check_;
struct strobe_error *probe_remove(const struct sys *sys, enum probe_kind kind, const char *group, const char *event) _must_check_;

/*
 * Logs a warning for each matching probe of a program that was replaced, or deleted, since: the kernel keeps a probe in the file that it
 * was defined for, and no program that is started by the path reaches it. The time of a definition is that of its directory in tracefs,
 * which the kernel may have made later, when it was first looked at: what is found is true, but not all is found.
 */
void probe_warn_replaced(const struct sys *sys, const struct probe_list *list, const struct probe_filter *filter);
/* For each that is an event of the list. */
void probe_warn_replaced_events(const struct sys *sys, const struct event_list *events);
