/*
 * From an open recording to a profile that can be shown: by run.c as text, by opened.c and preview.c on a screen. top prepares
 * its live profile by the same steps.
 *
 * r->source is open and r->env is known; o is r->o, which the recording's events complete. Damage is an error that leaves
 * a profile of what is whole, and is the caller's.
 */
#pragma once
#include "cmd/report/run.h"

/* Modes, columns, filters and resolver; nothing is read yet. */
struct strobe_error *report_prepare(struct report_run *r, struct report_options *o) _must_check_;
/* r->profile, its columns bound. */
struct strobe_error *report_aggregate(struct report_run *r, struct strobe_error **ret_damage) _must_check_;
/* Both. */
struct strobe_error *report_load(struct report_run *r, struct report_options *o, struct strobe_error **ret_damage) _must_check_;
