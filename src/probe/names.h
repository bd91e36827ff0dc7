/*
 * Default names of probes, as in perf: "probe_libc:malloc", "probe:schedule_1", "myfunc__return".
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "probe/definition.h"

#define PROBE_NAME_MAX 63 /* maximum length of a group or event: the kernel's MAX_EVENT_NAME_LEN without the NUL */

/* "probe"; of a program "probe_" and the first word of its file's name. */
void probe_group_name(const char *path, struct strbuf *ret);
/*
 * The preferred name of an event: the user's or that of the function, without suffixes of compilers and linkers
 * (".constprop.0", "@GLIBC_2.2.5"); an address is "abs_1149", a line of a function "mid_L4". function may be NULL.
 */
void probe_event_name(const struct probe_definition *d, const char *function, struct strbuf *ret);
/*
 * Makes the name unique by "_1", "_2" …. ERROR_USAGE if it is taken and must not be changed, or too long.
 */
struct strobe_error *probe_unique_name(const char *group, struct strbuf *name, bool may_change,
				       bool (*taken)(void *ctx, const char *group, const char *event), void *ctx) _must_check_;
