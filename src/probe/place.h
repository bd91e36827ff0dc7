/*
 * From a definition to the places it means, and to the lines that tracefs takes for them.
 *
 * A target is a program's file or the kernel (or one of its modules), with its functions. A glob means one place for each function
 * that it matches; a name that several functions have means all of them. Source: the kernel's kprobetrace.rst, uprobetracer.rst.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "probe/definition.h"
#include "probe/functions.h"
#include "probe/installed.h"

struct probe_target {
	enum probe_kind kind;
	const char *name;       /* of a program its full path, of a module its name; "" the kernel */
	struct object *object;  /* of a program; else NULL */
	struct probe_functions functions;
};

/* Both are for probe_target_close(). */
struct strobe_error *probe_target_program(const char *path, const char *symfs, struct probe_target *ret) _must_check_;
struct strobe_error *probe_target_kernel(const struct sys *sys, const char *module, struct probe_target *ret) _must_check_;
void probe_target_close(struct probe_target *t);

struct probe_place {
	const struct probe_function *function; /* lives with the target; NULL: an address */
	uint64_t address;                      /* as those of functions */
	uint64_t offset;                       /* of it in the function */
};
typedef VEC(struct probe_place) probe_places;

/* Appends at least one place, or says what hinders it. */
struct strobe_error *probe_places_find(const struct probe_target *t, const struct probe_definition *d, probe_places *ret) _must_check_;
/* "p:GROUP/EVENT PATH:0x114a n=%di:s64" */
struct strobe_error *probe_place_line(const struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
				      const char *group, const char *event, struct strbuf *ret) _must_check_;
/* The place that a probe is at which the kernel has: function and offset; false where no function is known there. */
bool probe_place_of_installed(const struct probe_target *t, const struct probe_installed *event, struct probe_place *ret);
/* "mid+4", "mid%return", "0x1149" */
void probe_place_text(const struct probe_place *p, bool is_return, struct strbuf *ret);
