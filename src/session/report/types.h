/*
 * Types of data: as labels of a report's profile, for the sort keys type, typeoff and typecln, and beside the instructions of a listing.
 * Private to session/report/.
 */
#pragma once
#include "session/report/report_session.h"
#include "table/listing.h"

/* Adds the labels to r->session.profile. Without a disassembler they stay empty, and the host's say() has the reason. */
void report_add_types(struct report_session *r);
/* For code of a mapping of r->session.profile. ERROR_UNSUPPORTED: no disassembler, or a profile of another program. */
struct strobe_error *report_name_types(struct report_session *r, mapping_id mapping, struct listing *l) _must_check_;
