#include "dump/counts.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"

/* One line. */
struct reading {
	int cpu, tid;
	struct count_reading count;
	uint64_t time_ns;
};

static void print_line(struct out *out, const struct counter_event *e, const struct reading *r)
{
	out_f(out, "%3d %8d %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " ", r->cpu, r->tid, r->count.value,
	      r->count.enabled_ns, r->count.running_ns, r->time_ns);
	out_text(out, e->name, strlen(e->name));
	out_ch(out, '\n');
}

static void json_number(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_i64(j, value);
}

static void print_json(struct out *out, const struct counter_event *e, const struct reading *r)
{
	struct json j;
	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "record");
	json_str(&j, "count");
	json_key(&j, "event");
	json_str(&j, e->name);
	json_number(&j, "cpu", r->cpu);
	json_number(&j, "tid", r->tid);
	json_key(&j, "value");
	json_u64(&j, r->count.value);
	json_key(&j, "enabled_ns");
	json_u64(&j, r->count.enabled_ns);
	json_key(&j, "running_ns");
	json_u64(&j, r->count.running_ns);
	json_key(&j, "time_ns");
	json_u64(&j, r->time_ns);
	json_end(&j);
	out_ch(out, '\n');
}

/* With intervals, the counts of this one, as in perf 7.2. */
static struct count_reading count_of(const struct counter_slot *slot, bool is_interval)
{
	struct count_reading c = slot->now;
	if (is_interval) {
		c.value -= slot->before.value;
		c.enabled_ns -= slot->before.enabled_ns;
		c.running_ns -= slot->before.running_ns;
	}
	return c;
}

static void print_round(struct dump_counts *c, struct out *out, bool json)
{
	struct recording *r = &c->recording;
	if (!c->has_heading && !json)
		out_f(out, "%3s %8s %15s %15s %15s %15s %s\n", "CPU", "THREAD", "VAL", "ENA", "RUN", "TIME", "EVENT");
	c->has_heading = true;
	for (size_t i = 0; i < r->set.events.len; i++) {
		const struct counter_event *e = &r->set.events.data[i];
		for (uint32_t k = 0; k < e->slots_nr; k++) {
			struct counter_slot *slot = &r->set.slots.data[e->first_slot + k];
			struct reading line = {
				.cpu = slot->cpu,
				.tid = slot->thread < r->map.threads.len ? r->map.threads.data[slot->thread].tid : -1,
				.count = count_of(slot, r->interval_ms),
				.time_ns = r->time_ns,
			};
			(json ? print_json : print_line)(out, e, &line);
			slot->before = slot->now;
		}
	}
}

struct strobe_error *dump_counts_record(struct dump_counts *c, struct out *out, const struct env *env, struct record r, bool json)
{
	bool round;
	if (!c->is_open)
		recording_open(&c->recording);
	c->is_open = true;
	TRY(recording_take(&c->recording, r, env, &round));
	if (round)
		print_round(c, out, json);
	return NULL;
}

void dump_counts_close(struct dump_counts *c)
{
	if (c->is_open)
		recording_close(&c->recording);
	c->is_open = false;
}
