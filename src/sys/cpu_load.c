#include "sys/cpu_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST ((size_t)1 << 20)

static struct strobe_error *read_times(const struct sys *sys, struct sys_cpu_load *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(sys_read(sys, "/proc/stat", &text, FILE_MOST));
	const char *p = strbuf_str(&text);
	int n = sscanf(p, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &ret->user,
		       &ret->nice, &ret->system, &ret->idle, &ret->iowait, &ret->irq, &ret->softirq, &ret->steal);
	/* A line for each CPU follows that of all. */
	for (p = strchr(p, '\n'); p && !strncmp(p, "\ncpu", 4); p = strchr(p + 1, '\n'))
		ret->cpus_nr++;
	return n < 4 ? error_create(ERROR_FORMAT, "/proc/stat: no times of CPUs") : NULL;
}

struct strobe_error *sys_cpu_load(const struct sys *sys, struct sys_cpu_load *ret)
{
	char *line;
	*ret = (struct sys_cpu_load){};
	TRY(read_times(sys, ret));
	TRY(sys_read_line(sys, "/proc/loadavg", &line));
	int end = 0;
	sscanf(line, "%*s %*s %*s%n %" SCNu32 "/%" SCNu32, &end, &ret->running, &ret->tasks);
	snprintf(ret->averages, sizeof(ret->averages), "%.*s", end, line);
	free(line);
	return NULL;
}

static uint64_t ticks(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0; /* idle times have been seen to run backwards */
}

void sys_cpu_load_text(const struct sys_cpu_load *from, const struct sys_cpu_load *to, struct strbuf *out)
{
	const struct {
		const char *name;
		uint64_t ticks;
	} parts[] = {
		{ "user", ticks(from->user, to->user) + ticks(from->nice, to->nice) },
		{ "system", ticks(from->system, to->system) },
		{ "interrupts", ticks(from->irq, to->irq) + ticks(from->softirq, to->softirq) },
		{ "I/O wait", ticks(from->iowait, to->iowait) },
		{ "stolen", ticks(from->steal, to->steal) },
		{ "idle", ticks(from->idle, to->idle) },
	};
	uint64_t all = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		all += parts[i].ticks;
	strbuf_addf(out, "%u CPU%s:", to->cpus_nr, to->cpus_nr == 1 ? "" : "s");
	for (size_t i = 0; all && i < sizeof(parts) / sizeof(*parts); i++)
		strbuf_addf(out, "%s %.1f%% %s", i ? "," : "", 100.0 * (double)parts[i].ticks / (double)all, parts[i].name);
	strbuf_addf(out, "; load %s; %u tasks, %u running", to->averages, to->tasks, to->running);
}
