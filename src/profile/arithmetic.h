/*
 * Arithmetic of finished profiles: sums, scaling, negation, normalising, differences, and a profile joined with its base.
 *
 * Values of rows are signed (two's complement), since differences may be negative. Results saturate at INT64_MIN and
 * INT64_MAX. Rows are matched by stack and labels, events by name and unit (profile_find_event()). Each function that returns
 * a profile makes a new one with its own tables, owned by the caller; operands are unchanged.
 */
#pragma once
#include "profile/profile.h"

/* The sum of the values of an event's rows; positive and negative values cancel out. */
int64_t profile_net_value(const struct profile *p, uint32_t event);
/* The sum of their absolute values: for a difference, the total change. */
int64_t profile_gross_value(const struct profile *p, uint32_t event);

/* The same profile, with all of its mappings; functions, frames, stacks and label sets that no row needs are left out. */
struct profile *profile_copy(const struct profile *p);
/* factors: by event. Values are rounded, halves away from 0; sample counts and weights are unchanged. */
struct profile *profile_scale(const struct profile *p, const double *factors);
/* Divides all values by a divisor other than 0; fractions are truncated towards 0. */
struct profile *profile_divide(const struct profile *p, double divisor);
/* Negates values, sample counts and weights. */
struct profile *profile_negate(const struct profile *p);
/*
 * Scales each event that the base also has to the base's net value. If its own net value is 0, all its values become 0.
 */
struct profile *profile_normalize(const struct profile *p, const struct profile *base);
/* Without the rows whose value is 0. */
struct profile *profile_drop_zero(const struct profile *p);

struct profile_difference {
	const char *base_label; /* label of the base's rows, with value "true", so that they are not merged with p's; NULL: none */
	bool match_single;      /* if each has one event, such as `cycles` and `cycles:u`, compare them even if their names differ */
	bool sums_durations;    /* false: the duration is that of p */
};
/*
 * p minus base. Rows that become 0 are kept. Totals of an event are those of p; an event that only the base has gets those of the
 * base, negated. The result has no time log, since the values of the base in a span of p are unknown.
 */
struct profile *profile_subtract(const struct profile *p, const struct profile *base, const struct profile_difference *how);
/* The same into a profile that is still being built, as profile_merge() adds. */
void profile_merge_negative(struct profile *dst, const struct profile *base, const struct profile_difference *how);
/*
 * p with the base's rows added as further events: those of the base, in order, with the prefix before their names. Where
 * each has one event, the base's gets the name of p's. Log and duration are those of p. base_events: by event of the base,
 * its index in the result; may be NULL.
 */
struct profile *profile_join(const struct profile *p, const struct profile *base, const char *prefix, uint32_t *base_events);
