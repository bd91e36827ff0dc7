/*
 * Arithmetic of finished profiles: sums, scaling, negation, normalising, differences, and a profile joined with its base.
 *
 * Numbers of rows are signed (two's complement), as those of a difference are. A result that int64_t cannot hold becomes
 * INT64_MIN or INT64_MAX. Rows are matched by stack and labels, events by name and unit
 * (profile_find_event()). Each function that returns a profile makes a new one, which belongs to the caller and has tables of
 * its own; its operands stay as they are.
 */
#pragma once
#include "profile/profile.h"

/* The sum of the values of an event's rows; positive and negative values cancel out. */
int64_t profile_net_value(const struct profile *p, uint32_t event);
/* The sum of their absolute values: of a difference, all that changed. */
int64_t profile_gross_value(const struct profile *p, uint32_t event);

/* The same profile, with all of its mappings; functions, frames, stacks and label sets that no row needs are left out. */
struct profile *profile_copy(const struct profile *p);
/* factors: by event. Values are rounded, halves away from 0; numbers of samples and weights stay. */
struct profile *profile_scale(const struct profile *p, const double *factors);
/* All values by a divisor that is not 0; fractions are cut off, towards 0. */
struct profile *profile_divide(const struct profile *p, double divisor);
/* Values, numbers of samples and weights. */
struct profile *profile_negate(const struct profile *p);
/*
 * Each event that the base has too is scaled to the base's net value. One whose own net value is 0 cannot be scaled to
 * another: all its values become 0.
 */
struct profile *profile_normalize(const struct profile *p, const struct profile *base);
/* Without the rows whose value is 0. */
struct profile *profile_drop_zero(const struct profile *p);

struct profile_difference {
	const char *base_label; /* the base's rows get this label, "true", and are not joined with p's; NULL: none */
	bool match_single;      /* one event each, as `cycles` and `cycles:u`: compared even if their names differ */
	bool sums_durations;    /* false: the duration is that of p */
};
/*
 * p minus base. Rows that become 0 stay. An event's totals are those of p, as they were measured; an event that only the base
 * has gets those of the base, negated. The result has no time log: the values of the base in a span of p are unknown.
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
