/* Types of data as labels of a report's profile, for the sort keys type, typeoff and typecln. Private to session/report/. */
#pragma once
#include "session/report/report_session.h"

/* Adds the labels to r->session.profile. Without a disassembler they stay empty, and the host's say() has the reason. */
void report_add_types(struct report_session *r);
