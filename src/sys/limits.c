#include "sys/limits.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/* The value of /proc/sys/<name> ("kernel/perf_event_paranoid"), or `otherwise` if it cannot be read. */
static int64_t sys_sysctl(const struct sys *sys, const char *name, int64_t otherwise)
{
	_cleanup_free_ char *path = xasprintf("/proc/sys/%s", name);
	int64_t v;
	_cleanup_error_ struct strobe_error *err = sys_read_i64(sys, path, &v);
	return err ? otherwise : v;
}

int sys_perf_event_paranoid(const struct sys *sys)
{
	return (int)sys_sysctl(sys, "kernel/perf_event_paranoid", 2);
}

uint64_t sys_perf_event_mlock_kb(const struct sys *sys)
{
	return (uint64_t)sys_sysctl(sys, "kernel/perf_event_mlock_kb", 516);
}

uint64_t sys_perf_event_max_sample_rate(const struct sys *sys)
{
	return (uint64_t)sys_sysctl(sys, "kernel/perf_event_max_sample_rate", 100000);
}

unsigned sys_perf_event_max_stack(const struct sys *sys)
{
	return (unsigned)sys_sysctl(sys, "kernel/perf_event_max_stack", 127);
}

/* The text after "Key:" in /proc/self/status; owned, NULL: none. */
static char *status_field(const struct sys *sys, const char *key)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, "/proc/self/status", &text, 1 << 20);
	if (err)
		return NULL;
	size_t n = strlen(key);
	for (const char *line = strbuf_str(&text); *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, key, n) || line[n] != ':')
			continue;
		line += n + 1;
		line += strspn(line, " \t");
		return xstrndup(line, strcspn(line, "\n"));
	}
	return NULL;
}

bool sys_has_cap(const struct sys *sys, unsigned cap)
{
	_cleanup_free_ char *field = status_field(sys, "CapEff");
	return field && cap < 64 && strtoull(field, NULL, 16) >> cap & 1;
}

bool sys_is_perfmon(const struct sys *sys)
{
	return sys_has_cap(sys, CAP_SYS_ADMIN) || sys_has_cap(sys, CAP_PERFMON);
}

bool sys_has_seccomp(const struct sys *sys)
{
	_cleanup_free_ char *field = status_field(sys, "Seccomp");
	return field && *field == '2';
}

enum sys_lockdown sys_lockdown(const struct sys *sys)
{
	/* The current mode is in brackets. */
	_cleanup_free_ char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(sys, "/sys/kernel/security/lockdown", &line);
	if (err)
		return SYS_LOCKDOWN_NONE;
	if (strstr(line, "[confidentiality]"))
		return SYS_LOCKDOWN_CONFIDENTIALITY;
	return strstr(line, "[integrity]") ? SYS_LOCKDOWN_INTEGRITY : SYS_LOCKDOWN_NONE;
}

uint64_t sys_memlock_bytes(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

uint64_t sys_raise_nofile(uint64_t needed)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur >= needed)
		return limit.rlim_cur;
	struct rlimit higher = { .rlim_cur = needed, .rlim_max = limit.rlim_max > needed ? limit.rlim_max : needed };
	if (!setrlimit(RLIMIT_NOFILE, &higher))
		return needed;
	higher = (struct rlimit){ .rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max };
	return setrlimit(RLIMIT_NOFILE, &higher) ? limit.rlim_cur : limit.rlim_max;
}
