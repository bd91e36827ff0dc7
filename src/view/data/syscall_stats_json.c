#include "view/data/syscall_stats_json.h"

#include <string.h>

#include "base/json.h"

static void u64_of(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

static void write_errnos(struct json *j, const struct syscall_stat *row)
{
	json_key(j, "errnos");
	json_object(j);
	for (size_t i = 0; i < row->errnos.len; i++) {
		const char *name = strerrorname_np((int)row->errnos.data[i].errnum);
		u64_of(j, name ? name : "unknown", row->errnos.data[i].calls);
	}
	json_end(j);
}

static void write_row(struct json *j, const struct syscall_stat *row)
{
	unsigned slots = SYSCALL_STATS_SLOTS;
	json_object(j);
	json_key(j, "syscall");
	json_str(j, row->name);
	u64_of(j, "calls", row->calls);
	u64_of(j, "errors", row->errors);
	u64_of(j, "total_ns", row->total_ns);
	u64_of(j, "min_ns", row->min_ns);
	json_key(j, "mean_ns");
	json_f64(j, syscall_stat_mean_ns(row));
	u64_of(j, "max_ns", row->max_ns);
	json_key(j, "error_percent");
	json_f64(j, syscall_stat_error_percent(row));
	if (row->errnos.len)
		write_errnos(j, row);
	while (slots && !row->slot[slots - 1])
		slots--;
	json_key(j, "log2_ns");
	json_array(j);
	for (unsigned i = 0; i < slots; i++)
		json_u64(j, row->slot[i]);
	json_end(j);
	json_end(j);
}

static void write_thread(struct json *j, const struct syscall_stats *s, const struct syscall_thread *t)
{
	json_object(j);
	if (s->by == SYSCALL_STATS_BY_CGROUP) {
		json_key(j, "cgroup");
		json_str(j, t->cgroup ? t->cgroup : "");
	} else if (s->by == SYSCALL_STATS_BY_THREAD) {
		json_key(j, "comm");
		json_str(j, t->comm);
		u64_of(j, "tid", t->tid);
		u64_of(j, "pid", t->pid);
	}
	u64_of(j, "events", t->events);
	if (t->has_sched) {
		u64_of(j, "ran_ns", t->ran_ns);
		u64_of(j, "waited_ns", t->waited_ns);
	}
	json_key(j, "syscalls");
	json_array(j);
	for (size_t i = 0; i < t->rows.len; i++)
		write_row(j, &t->rows.data[i]);
	json_end(j);
	json_end(j);
}

static void write_members(struct json *j, const struct syscall_stats *s)
{
	static const char *const modes[] = { "thread", "total", "cgroup" };
	json_pair_str(j, "by", modes[s->by]);
	u64_of(j, "events", s->events);
	json_key(j, "rows");
	json_array(j);
	for (size_t i = 0; i < s->threads.len; i++)
		write_thread(j, s, &s->threads.data[i]);
	json_end(j);
}

void syscall_stats_json(struct out *out, const struct syscall_stats *s)
{
	struct json j;
	json_init(&j, out, true);
	json_object(&j);
	json_format(&j, "strobe-trace-summary", 1);
	write_members(&j, s);
	json_end(&j);
	out_ch(out, '\n');
}

void syscall_stats_json_line(struct out *out, const struct syscall_stats *s)
{
	struct json j;
	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "summary");
	json_object(&j);
	write_members(&j, s);
	json_end(&j);
	json_end(&j);
	out_ch(out, '\n');
}
