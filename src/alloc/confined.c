#include "alloc/confined.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc/real.h"

#define EXPORT __attribute__((visibility("default")))

struct confined confined;

static struct confined of_prctl(int option, unsigned long value)
{
	switch (option) {
	case PR_SET_SECCOMP:
		return (struct confined){ true, value == SECCOMP_MODE_STRICT };
	case PR_SET_TSC:
		return (struct confined){ false, value == PR_TSC_SIGSEGV };
	default:
		return (struct confined){};
	}
}

static struct confined of_syscall(long number, const long values[static 6])
{
	if (number == SYS_prctl)
		return of_prctl((int)values[0], (unsigned long)values[1]);
	if (number != SYS_seccomp || values[0] > SECCOMP_SET_MODE_FILTER)
		return (struct confined){};
	return (struct confined){ true, values[0] == SECCOMP_SET_MODE_STRICT };
}

/* Before the call, since other threads may go on within its filter. Returns what was. */
static struct confined begin(struct confined what)
{
	struct confined before = confined;
	if (what.calls)
		confined.calls = true;
	if (what.ticks)
		confined.ticks = true;
	if (!real.prctl || !real.syscall)
		real_find();
	return before;
}

/* After a call that failed. */
static void take_back(struct confined what, struct confined before)
{
	if (what.calls || what.ticks)
		confined = before;
}

EXPORT int prctl(int option, ...)
{
	unsigned long v[4];
	va_list ap;
	va_start(ap, option);
	for (unsigned i = 0; i < 4; i++)
		v[i] = va_arg(ap, unsigned long);
	va_end(ap);
	struct confined what = of_prctl(option, v[0]), before = begin(what);
	int ret = real.prctl(option, v[0], v[1], v[2], v[3]);
	if (ret < 0)
		take_back(what, before);
	return ret;
}

EXPORT long syscall(long number, ...)
{
	long v[6];
	va_list ap;
	va_start(ap, number);
	for (unsigned i = 0; i < 6; i++)
		v[i] = va_arg(ap, long);
	va_end(ap);
	struct confined what = of_syscall(number, v), before = begin(what);
	long ret = real.syscall(number, v[0], v[1], v[2], v[3], v[4], v[5]);
	if (ret < 0)
		take_back(what, before);
	return ret;
}
