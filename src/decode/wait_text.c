#include "decode/wait_text.h"

#include <stddef.h>
#include <string.h>

#include "arch/syscalls.h"
#include "record/wait_layout.h"

static const char *const states[WAIT_STATES] = { "sleeping", "blocked", "runnable", "stopped" };

static const char *const reasons[WAIT_REASONS] = {
	[WAIT_FOR_CPU] = "cpu",	      [WAIT_PREEMPTED] = "preempted",   [WAIT_THROTTLED] = "cgroup limit", [WAIT_FOR_FUTEX] = "futex",
	[WAIT_FOR_EPOLL] = "epoll",   [WAIT_FOR_POLL] = "poll",		[WAIT_FOR_TIME] = "sleep",	   [WAIT_FOR_CHILD] = "child",
	[WAIT_FOR_SIGNAL] = "signal", [WAIT_FOR_PIPE] = "pipe",		[WAIT_FOR_SOCKET] = "socket",	   [WAIT_FOR_PAGE] = "page fault",
	[WAIT_FOR_DISK] = "disk",
};

static const bool has_name[WAIT_REASONS] = { [WAIT_FOR_FILE] = true, [WAIT_FOR_DEVICE] = true, [WAIT_FOR_OTHER_FILE] = true };

static bool read_wait(const void *raw, uint32_t bytes, struct wait_raw *ret)
{
	if (!raw || bytes < sizeof(*ret))
		return false;
	memcpy(ret, raw, sizeof(*ret));
	ret->name[sizeof(ret->name) - 1] = ret->waker_comm[sizeof(ret->waker_comm) - 1] = '\0';
	return ret->magic == WAIT_MAGIC;
}

bool wait_part(enum wait_part part, const void *raw, uint32_t bytes, const void **ret, uint32_t *ret_bytes)
{
	size_t from = offsetof(struct wait_raw, state), to = offsetof(struct wait_raw, reason);
	struct wait_raw w;
	if (!read_wait(raw, bytes, &w))
		return false;
	if (part == WAIT_PART_REASON) {
		from = offsetof(struct wait_raw, reason);
		to = offsetof(struct wait_raw, object);
	} else if (part == WAIT_PART_WAKER) {
		from = offsetof(struct wait_raw, waker);
		to = offsetof(struct wait_raw, waker_pid);
	}
	*ret = (const char *)raw + from;
	*ret_bytes = (uint32_t)(to - from);
	return true;
}

void wait_waker_stack(const void *raw, uint32_t bytes, struct wait_waker_stack *ret)
{
	struct wait_raw w;
	*ret = (struct wait_waker_stack){};
	if (!read_wait(raw, bytes, &w) || w.waker != WAIT_WAKER_TASK)
		return;
	size_t fit = (bytes - sizeof(w)) / sizeof(*ret->ips), nr = w.waker_nr < WAIT_WAKER_MAX ? w.waker_nr : WAIT_WAKER_MAX;
	ret->pid = w.waker_pid;
	ret->tid = w.waker_tid;
	ret->nr = (uint32_t)(nr < fit ? nr : fit);
	memcpy(ret->ips, (const char *)raw + sizeof(w), ret->nr * sizeof(*ret->ips));
}

static const char *name_of_call(const struct arch *a, int number)
{
	size_t nr;
	const struct arch_syscall *calls = arch_syscalls(a, &nr);
	for (size_t i = 0; i < nr; i++)
		if (calls[i].number == number)
			return calls[i].name;
	return NULL;
}

/* Reasons other than the usual ones are named by the system call; files by the call and their names. */
static void reason_text(const struct arch *a, const struct wait_raw *w, struct strbuf *ret)
{
	const char *call = w->call >= 0 ? name_of_call(a, w->call) : NULL;
	if (w->reason < WAIT_REASONS && reasons[w->reason])
		strbuf_addstr(ret, reasons[w->reason]);
	else if (call)
		strbuf_addstr(ret, call);
	else if (w->call >= 0)
		strbuf_addf(ret, "call %d", w->call);
	else
		strbuf_addstr(ret, "unknown");
	if (*w->name && w->reason < WAIT_REASONS && has_name[w->reason])
		strbuf_addf(ret, " %s", w->name);
}

static void waker_text(const struct wait_raw *w, struct strbuf *ret)
{
	if (w->waker == WAIT_WAKER_TASK)
		strbuf_addstr(ret, w->waker_comm);
	else
		strbuf_addstr(ret, w->waker == WAIT_WAKER_INTERRUPT ? "[interrupt]" : "");
}

void wait_text(enum wait_part part, const struct arch *a, const void *raw, uint32_t bytes, struct strbuf *ret)
{
	struct wait_raw w;
	if (!read_wait(raw, bytes, &w)) {
		strbuf_addstr(ret, part == WAIT_PART_STATE ? "running" : "");
		return;
	}
	if (part == WAIT_PART_STATE)
		strbuf_addstr(ret, w.state < WAIT_STATES ? states[w.state] : "unknown");
	else if (part == WAIT_PART_REASON)
		reason_text(a, &w, ret);
	else
		waker_text(&w, ret);
}
