/*
 * Descriptions of generic events in one sentence, for `strobe list -d`.
 */
#pragma once
#include "event/names.h"

/* Without a full stop; NULL for tracepoints and events of PMUs, which only their vendors can describe. */
const char *event_describe(const struct event_name *name);
