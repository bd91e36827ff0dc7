/* The events of a plain `strobe stat`, as the reference has them. */
#include "base/strbuf.h"
#include "counter/counter.h"

static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

struct strobe_error *counter_defaults_detail(struct event_list *list, const struct sys *sys, unsigned detail)
{
	for (unsigned i = 0; i < detail && i < sizeof(details) / sizeof(*details); i++)
		TRY(event_parse(list, sys, details[i]));
	return NULL;
}

struct strobe_error *counter_defaults(struct event_list *list, const struct sys *sys, bool system_wide, unsigned detail)
{
	_cleanup_strbuf_ struct strbuf text = {};
	strbuf_addf(&text, "%s,context-switches,cpu-migrations,page-faults,cycles",
		    system_wide ? "cpu-clock" : "task-clock");
	/* Where the CPU's PMU does not name them, the kernel would refuse them or count something else. */
	if (sys_exists(sys, "/sys/bus/event_source/devices/cpu/events/stalled-cycles-frontend"))
		strbuf_addstr(&text, ",stalled-cycles-frontend");
	if (sys_exists(sys, "/sys/bus/event_source/devices/cpu/events/stalled-cycles-backend"))
		strbuf_addstr(&text, ",stalled-cycles-backend");
	strbuf_addstr(&text, ",instructions,branches,branch-misses");
	TRY(event_parse(list, sys, strbuf_str(&text)));
	return counter_defaults_detail(list, sys, detail);
}
