/*
 * The state of one parse, shared by the parts of the parser. Private to this room.
 */
#pragma once
#include "base/error.h"
#include "event/event.h"
#include "event/pmu.h"

struct parser {
	const char *text; /* the whole text, for columns */
	const char *at;
	const struct sys *sys;
	struct event_list *list;
	struct arena scratch; /* freed at the end of the parse */
	struct pmu_set pmus;
	char *tracefs;                      /* found once; NULL: not yet */
	struct strobe_error *tracefs_error; /* why it was not found */
};

/* One name=value between the slashes; strings in parser.scratch. */
struct term {
	const char *name;
	const char *value;         /* NULL: no = */
	const char *at, *value_at; /* in parser.text, for columns */
};

typedef VEC(struct term) term_list;

/* ERROR_USAGE that names the column of `at`. */
struct strobe_error *parse_fail(const struct parser *p, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), returns_nonnull)) _must_check_;

/* Reads terms from p->at, which is after the opening slash, to past the closing one. */
struct strobe_error *parse_term_list(struct parser *p, term_list *ret) _must_check_;
/* Terms of any event: period=, call-graph=, config= … */
struct strobe_error *parse_apply_common(struct parser *p, struct event *e, const term_list *terms) _must_check_;
/* Terms of a PMU event: also formats, named events and rNNN. */
struct strobe_error *parse_apply_pmu(struct parser *p, struct event *e, struct pmu *pmu,
				     const term_list *terms) _must_check_;
/* The scale, unit and terms of a PMU's named event; at is for errors. */
struct strobe_error *parse_apply_alias(struct parser *p, struct event *e, struct pmu *pmu,
				       const struct pmu_alias *alias, const term_list *terms,
				       const char *at) _must_check_;
/* "r1a8" or "r0x1a8" */
bool parse_raw(const char *s, size_t n, uint64_t *ret);

/* A probe at p->at, up to its arguments or, without any, its end. */
struct strobe_error *parse_probe_text(struct parser *p) _must_check_;

/* The name of this machine that is nearest to an unknown name; in p->scratch, or NULL. */
const char *suggest_event(struct parser *p, const char *name);
const char *suggest_tracepoint(struct parser *p, const char *system, const char *name);
/* The kernel option that a missing tracepoint requires, or NULL. */
const char *suggest_kernel_option(const char *system, const char *name);
