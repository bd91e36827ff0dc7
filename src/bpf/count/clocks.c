#include "bpf/count/clocks.h"

#include <errno.h>
#include <unistd.h>

#include "sys/perf_abi.h"

void count_clocks_close(struct count_clocks *c)
{
	for (size_t i = 0; i < c->fds.len; i++)
		if (c->fds.data[i] >= 0)
			close(c->fds.data[i]);
	vec_clear(&c->fds);
}

void count_clocks_deinit(struct count_clocks *c)
{
	count_clocks_close(c);
	vec_deinit(&c->fds);
}

struct strobe_error *count_clocks_open(struct count_clocks *c, const struct counter_set *set, const struct count_source *source)
{
	const struct counter_event *first = NULL;
	for (uint32_t i = 0; i < set->events.len && !first; i++)
		first = set->events.data[i].source == source ? &set->events.data[i] : NULL;
	struct perf_event_attr attr = first->attr;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.disabled = 1;
	attr.enable_on_exec = set->options.start == COUNTER_START_ON_EXEC;
	attr.sample_type = 0;
	for (uint32_t k = 0; k < first->slots_nr; k++) {
		const struct counter_slot *slot = &set->slots.data[first->first_slot + k];
		int fd = sys_perf_event_open(set->sys, &attr, set->map->threads.data[slot->thread].tid, slot->cpu, -1,
					     PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && fd != -ESRCH)
			return error_errno(-fd, "cannot open a dummy event for the time of counts");
		vec_push(&c->fds, fd < 0 ? -1 : fd);
	}
	return NULL;
}

void count_clocks_enable(const struct count_clocks *c, const struct sys *sys, bool on)
{
	for (size_t k = 0; k < c->fds.len; k++)
		if (c->fds.data[k] >= 0)
			sys_ioctl(sys, c->fds.data[k], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void count_clocks_read(const struct count_clocks *c, size_t slot, struct count_reading *ret)
{
	uint64_t words[3] = {};
	if (slot < c->fds.len && c->fds.data[slot] >= 0 && read(c->fds.data[slot], words, sizeof(words)) == sizeof(words)) {
		ret->enabled_ns = words[1];
		ret->running_ns = words[2];
	}
}
