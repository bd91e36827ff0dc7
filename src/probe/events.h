/*
 * Events to be defined: names them, formats them for tracefs, and installs all or none.
 *
 * If the kernel supports several probes per event, those of a definition share one; else they are NAME, NAME_1, NAME_2. Existing names
 * are refused or, with force, get such a number.
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
	const char *place;   /* as typed: "mid%return", "b.c:6" */
	const char *arguments; /* as typed, each after a blank; or "" */
	size_t definition;   /* index of its definition */
	const char *resolver; /* the name of an ifunc resolver; or NULL */
	bool is_return;
	bool is_after_prologue; /* the function is compiled without optimisation */
};

struct probe_events {
	struct arena arena;
	VEC(struct probe_event) list;
	struct probe_list installed; /* the kernel's probes; empty if nothing is to be installed */
	bool for_display;            /* no name is taken */
	bool shares_names;           /* several probes can share an event */
	bool has_force;              /* existing names get a number */
	size_t definitions;
};

/* Reads the kernel's state; for_display: nothing will be installed, and no name is considered taken. */
struct strobe_error *probe_events_init(const struct sys *sys, bool for_display, bool has_force, struct probe_events *ret) _must_check_;
void probe_events_deinit(struct probe_events *e);
/* Adds the events of a definition. */
struct strobe_error *probe_events_add(struct probe_events *e, struct probe_target *t, const struct probe_definition *d,
				      const struct probe_search *search) _must_check_;
/* Installs them, with signals blocked; on an error those installed before are removed again. */
struct strobe_error *probe_events_install(const struct sys *sys, const struct probe_events *e) _must_check_;
