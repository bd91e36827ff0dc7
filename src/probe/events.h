/*
 * Events that are to be defined: named, as lines for tracefs, installed all or none.
 *
 * Where the kernel lets several probes make one event, those of one definition do; else they are NAME, NAME_1, NAME_2. Names that the
 * kernel has already are refused or, by force, get such a number.
 */
#pragma once
#include "base/arena.h"
#include "base/vector.h"
#include "probe/installed.h"
#include "probe/place.h"

struct probe_event {
	enum probe_kind kind;
	const char *group, *event;
	const char *line;    /* for tracefs */
	const char *target;  /* path of a program, name of a module; "" the kernel */
	const char *place;   /* as the user gave it: "mid%return", "b.c:6" */
	const char *arguments; /* as the user gave them, a blank before each; "" */
	size_t definition;   /* which one it is of, from 0 on */
	const char *resolver; /* the name of a function that only chooses another; or NULL */
	bool is_return;
	bool is_after_prologue; /* the function is compiled without optimisation */
};

struct probe_events {
	struct arena arena;
	VEC(struct probe_event) list;
	struct probe_list installed; /* what the kernel has; empty where nothing is to be installed */
	bool for_display;            /* no name is taken */
	bool shares_names;           /* several probes can make one event */
	bool has_force;              /* names that are taken get a number */
	size_t definitions;
};

/* As the kernel's state is now; for_display: nothing is to be installed, and no name is taken. */
struct strobe_error *probe_events_init(const struct sys *sys, bool for_display, bool has_force, struct probe_events *ret) _must_check_;
void probe_events_deinit(struct probe_events *e);
/* Adds those of a definition. */
struct strobe_error *probe_events_add(struct probe_events *e, struct probe_target *t, const struct probe_definition *d,
				      const struct probe_search *search) _must_check_;
/* Gives them to the kernel, with signals held back; on an error those that it took before are removed again. */
struct strobe_error *probe_events_install(const struct sys *sys, const struct probe_events *e) _must_check_;
