/* An event of this process: open, count, read samples. */
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "event/open.h"
#include "selftest/priv.h"

static bool open_attr(struct own_event *e, const struct event *event, struct selftest_outcome *ret)
{
	int fd = sys_perf_event_open_wide(sys_live(), &e->attr, event->config3, event->config4, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		*ret = selftest_of_error(event_open_error(event, -fd, sys_live(), 0, -1));
		event_list_deinit(&e->list);
		return false;
	}
	e->fd = fd;
	e->layout = sample_layout_compile(&e->attr);
	return true;
}

bool own_event_open(struct own_event *e, const char *text, void (*change)(struct perf_event_attr *attr), struct selftest_outcome *ret)
{
	*e = (struct own_event){ .fd = -1 };
	event_list_init(&e->list);
	struct strobe_error *err = event_parse(&e->list, sys_live(), text);
	if (err) {
		*ret = selftest_of_error(err);
		event_list_deinit(&e->list);
		return false;
	}
	struct event *event = &e->list.events.data[0];
	event->attr.disabled = 1;
	if (change)
		change(&event->attr);
	e->attr = event->attr;
	return open_attr(e, event, ret);
}

bool own_event_open_attr(struct own_event *e, const struct perf_event_attr *attr, const char *what, struct selftest_outcome *ret)
{
	struct event event = { .kind = EVENT_PMU, .name = what, .attr = *attr };
	*e = (struct own_event){ .fd = -1, .attr = *attr };
	event_list_init(&e->list);
	return open_attr(e, &event, ret);
}

bool own_event_map(struct own_event *e, uint64_t pages, struct selftest_outcome *ret)
{
	struct strobe_error *err =
		ring_map(&e->ring, sys_live(), e->fd, pages * (uint64_t)sysconf(_SC_PAGESIZE), -1, e->attr.write_backward);
	if (err)
		*ret = selftest_of_error(err);
	return !err;
}

void own_event_close(struct own_event *e)
{
	if (e->ring.page)
		ring_unmap(&e->ring);
	close(e->fd);
	event_list_deinit(&e->list);
}

void own_event_enable(const struct own_event *e, bool on)
{
	sys_ioctl(sys_live(), e->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

uint64_t own_event_count(const struct own_event *e)
{
	uint64_t words[8] = { 0 };
	return read(e->fd, words, sizeof(words)) > 0 ? words[0] : 0;
}

bool own_event_next(struct own_event *e, struct sample *ret, uint64_t *lost)
{
	struct record r;
	while (ring_next(&e->ring, &r)) {
		if (r.hdr->type == PERF_RECORD_SAMPLE)
			return sample_decode(&e->layout, r, ret);
		if (r.hdr->type == PERF_RECORD_LOST && lost) {
			uint64_t words[2]; /* id, lost */
			memcpy(words, r.hdr + 1, sizeof(words));
			*lost += words[1];
		}
	}
	return false;
}

struct selftest_outcome selftest_in_range(const char *what, uint64_t count, uint64_t least, uint64_t most)
{
	EXPECT(count >= least && count <= most, "%s: %" PRIu64 " counted, %" PRIu64 " to %" PRIu64 " expected", what, count, least,
	       most);
	return selftest_ok();
}

struct selftest_outcome selftest_count_load(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	if (!own_event_open(&e, t->text, NULL, &outcome))
		return outcome;
	own_event_enable(&e, true);
	t->load(t->n);
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	return selftest_in_range(t->text, counted, t->least, t->most);
}

/* Times that this thread has left its CPU. */
static uint64_t own_switches(void)
{
	struct rusage u;
	return getrusage(RUSAGE_THREAD, &u) ? 0 : (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

struct selftest_outcome selftest_count_switches(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	if (!own_event_open(&e, t->text, NULL, &outcome))
		return outcome;
	uint64_t outer = own_switches();
	own_event_enable(&e, true);
	uint64_t inner = own_switches();
	t->load(t->n);
	inner = own_switches() - inner;
	own_event_enable(&e, false);
	outer = own_switches() - outer;
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	EXPECT(inner, "getrusage: no switch in %" PRIu64 " sleeps", t->n);
	return selftest_in_range(t->text, counted, inner, outer);
}
