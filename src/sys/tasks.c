#include "sys/tasks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

bool sys_task_times(const struct sys *sys, pid_t tid, uint64_t *ret_ran_ns, uint64_t *ret_waited_ns)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/schedstat", (int)tid);
	_cleanup_free_ char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(sys, path, &line);
	unsigned long long ran, waited;
	if (err || sscanf(line, "%llu %llu", &ran, &waited) != 2)
		return false;
	*ret_ran_ns = ran;
	*ret_waited_ns = waited;
	return true;
}

struct strobe_error *sys_read_maps(const struct sys *sys, pid_t pid, struct strbuf *ret)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", (int)pid);
	return sys_read(sys, path, ret, 0);
}
