/*
 * The code of functions of a report, with the values of instructions.
 *
 * Listings are owned by the caller and borrow nothing from the session. One thread: that of the session.
 */
#pragma once
#include "session/report/report_session.h"
#include "table/listing.h"

/* The events of a listing, in the arena: from env, with their totals in `counted`, which has the same event indexes. */
struct listing_event *report_listing_events(struct arena *arena, const struct env *env, const struct profile *counted,
					    const uint32_t *events, size_t n);
/*
 * The code at an address of a mapping of r->profile, with the values of each instruction for the events of the part. counted: a
 * profile of the same recording with frames distinguished by address.
 */
struct strobe_error *report_listing(struct report_session *r, const struct profile *counted, const struct report_part *part,
				    mapping_id mapping, uint64_t addr, struct listing **ret) _must_check_;
/* Whether a mapping of the profile is of this file: by name, since a live session numbers files anew. */
bool report_is_file_of(const struct mapped_file *f, const struct profile *p, const struct profile_mapping *m);
