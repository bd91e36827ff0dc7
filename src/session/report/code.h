/*
 * The code of functions of a report, and what each instruction cost.
 *
 * Listings are the caller's and borrow nothing of the session. One thread: that of the session.
 */
#pragma once
#include "session/report/report_session.h"
#include "table/listing.h"

/* The events of a listing, in the arena: of env, with their totals in counted, whose events have the same numbers. */
struct listing_event *report_listing_events(struct arena *arena, const struct env *env, const struct profile *counted,
					    const uint32_t *events, size_t n);
/*
 * The code at an address of a mapping of r->profile, and what each instruction cost by the events of the part. counted: a
 * profile of the same recording whose frames are separated by address.
 */
struct strobe_error *report_listing(struct report_session *r, const struct profile *counted, const struct report_part *part,
				    mapping_id mapping, uint64_t addr, struct listing **ret) _must_check_;
/* Whether a mapping of the profile is of this file: by name, since a live session numbers files anew. */
bool report_is_file_of(const struct mapped_file *f, const struct profile *p, const struct profile_mapping *m);
