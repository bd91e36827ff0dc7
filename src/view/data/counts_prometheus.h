/* A count listing in the text exposition format of Prometheus (version 0.0.4). */
#pragma once
#include "base/out.h"
#include "table/counts.h"

/* Counts so far as strobe_events_total, the rest as gauges; labels are event, unit, cgroup and the place. */
void counts_prometheus(struct out *out, const struct counts *c);
