#include "record/wait.h"

#include <string.h>

bool wait_is_event(const struct env_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_BPF_OUTPUT && e->name &&
	       !strcmp(e->name, WAIT_EVENT);
}

bool env_has_waits(const struct env *env)
{
	for (uint32_t i = 0; i < env->events.len; i++)
		if (wait_is_event(&env->events.data[i]))
			return true;
	return false;
}

bool wait_payload_read(const void *raw, uint32_t bytes, struct wait_payload *ret)
{
	struct wait_raw *head = &ret->raw;
	ret->has_lock = false;
	ret->waker_nr = ret->owner_nr = 0;
	memset(&ret->lock, 0, sizeof(ret->lock));
	if (!raw || bytes < sizeof(*head))
		return false;
	memcpy(head, raw, sizeof(*head));
	head->name[sizeof(head->name) - 1] = head->waker_comm[sizeof(head->waker_comm) - 1] = '\0';
	if (head->magic != WAIT_MAGIC)
		return false;
	const char *at = (const char *)raw + sizeof(*head);
	size_t left = bytes - sizeof(*head), words = head->waker_nr * sizeof(*ret->waker);
	if (head->waker_nr > WAIT_WAKER_MAX || words > left)
		return true;
	memcpy(ret->waker, at, words);
	ret->waker_nr = head->waker_nr;
	left -= words;
	if (head->lock_bytes < sizeof(ret->lock) || head->lock_bytes > left)
		return true;
	memcpy(&ret->lock, at + words, sizeof(ret->lock));
	ret->has_lock = true;
	at += words + sizeof(ret->lock);
	words = ret->lock.owner_nr * sizeof(*ret->owner);
	if (ret->lock.owner_nr > WAIT_OWNER_MAX || words > head->lock_bytes - sizeof(ret->lock))
		return true;
	memcpy(ret->owner, at, words);
	ret->owner_nr = ret->lock.owner_nr;
	return true;
}

static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

struct wait_events wait_events_of(const struct env *env)
{
	struct wait_events none = { UINT32_MAX, UINT32_MAX }, ret = none;
	for (uint32_t i = 0; i < env->events.len; i++) {
		const struct env_event *e = &env->events.data[i];
		if (wait_is_event(e))
			ret.wait_event = i;
		else if (is_clock(&e->attr) && ret.clock_event == UINT32_MAX)
			ret.clock_event = i;
		else if (is_clock(&e->attr)) /* time that runs would count twice */
			return none;
	}
	return ret.wait_event == UINT32_MAX || ret.clock_event == UINT32_MAX ? none : ret;
}
