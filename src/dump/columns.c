/* The columns before the event's own fields: task, CPU, time. */
#include <string.h>
#include <time.h>

#include "dump/dumper_priv.h"

#define NS_PER_S 1000000000ull

static void put_i32_width(struct out *out, int32_t v, size_t width, bool left)
{
	char digits[12];
	size_t n = 0;
	uint32_t u = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
	do
		digits[n++] = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		digits[n++] = '-';
	if (!left && n < width)
		out_fill(out, ' ', width - n);
	char *p = out_reserve(out, n);
	for (size_t i = 0; i < n; i++)
		p[i] = digits[n - 1 - i];
	out->len += n;
	if (left && n < width)
		out_fill(out, ' ', width - n);
}

static void put_comm(struct dumper *d, struct out *out, const struct env_event *e, uint64_t of, const char *comm)
{
	bool with_stack = d->options.show_chains && of & DUMP_FIELD(IP) && e && e->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	size_t n = strlen(comm), width = d->options.latency_columns ? 8 : with_stack ? 0 : 16;
	if (d->options.latency_columns && n > 8)
		n = 8;
	if (n < width)
		out_fill(out, ' ', width - n);
	out_text(out, comm, n);
	out_ch(out, ' ');
}

static void put_misc(struct out *out, const struct dump_task *t)
{
	char s[8];
	size_t n = 0;
	uint16_t m = t->misc;
	/* As the reference tests them: the modes are numbers, and a number's bits may hold another's. */
	static const struct {
		uint16_t mode;
		char letter;
	} modes[] = { { PERF_RECORD_MISC_KERNEL, 'K' },	      { PERF_RECORD_MISC_USER, 'U' }, { PERF_RECORD_MISC_HYPERVISOR, 'H' },
		      { PERF_RECORD_MISC_GUEST_KERNEL, 'G' }, { PERF_RECORD_MISC_GUEST_USER, 'g' } };
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if ((m & modes[i].mode) == modes[i].mode)
			s[n++] = modes[i].letter;
	if ((t->type == PERF_RECORD_MMAP || t->type == PERF_RECORD_MMAP2) && m & PERF_RECORD_MISC_MMAP_DATA)
		s[n++] = 'M';
	if (t->type == PERF_RECORD_COMM && m & PERF_RECORD_MISC_COMM_EXEC)
		s[n++] = 'E';
	if ((t->type == PERF_RECORD_SWITCH || t->type == PERF_RECORD_SWITCH_CPU_WIDE) && m & PERF_RECORD_MISC_SWITCH_OUT) {
		s[n++] = 'S';
		if (m & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			s[n++] = 'p';
	}
	out_write(out, s, n);
	out_fill(out, ' ', n < 6 ? 6 - n : 1);
}

/* Seconds right-aligned in 5, a point, and the rest to `digits` places, cut off and not rounded. */
static void put_seconds(struct dumper *d, struct out *out, uint64_t ns)
{
	out_u64_width(out, ns / NS_PER_S, 5, ' ');
	out_ch(out, '.');
	if (d->options.nanoseconds)
		out_u64_width(out, ns % NS_PER_S, 9, '0');
	else
		out_u64_width(out, ns % NS_PER_S / 1000, 6, '0');
}

bool dumper_has_wall_clock(const struct env *env)
{
	return env->clock_data.present;
}

static void put_tod(struct dumper *d, struct out *out, uint64_t ns)
{
	char date[32];
	uint64_t wall = d->env->clock_data.wall_ns + (ns - d->env->clock_data.clockid_ns);
	time_t s = (time_t)(wall / NS_PER_S);
	struct tm tm;
	if (!localtime_r(&s, &tm) || !strftime(date, sizeof(date), "%F %H:%M:%S", &tm))
		strcpy(date, "N/A");
	out_f(out, d->options.nanoseconds ? "%s.%09u" : "%s.%06u", date,
	      (unsigned)(wall % NS_PER_S / (d->options.nanoseconds ? 1 : 1000)));
	out_ch(out, ' ');
}

static void put_time(struct dumper *d, struct out *out, uint64_t ns)
{
	uint64_t shown = ns;
	if (!d->seen_time)
		d->first_ns = d->previous_ns = ns;
	if (d->options.relative_time)
		shown = ns - d->first_ns;
	else if (d->options.delta_time)
		shown = ns - d->previous_ns;
	d->seen_time = true;
	d->previous_ns = ns;
	put_seconds(d, out, shown);
	out_str(out, ": ");
}

void dump_columns(struct dumper *d, struct out *out, const struct env_event *e, const struct dump_task *t)
{
	uint64_t of = d->options.fields.of[e ? dump_kind(&e->attr) : PERF_TYPE_HARDWARE];
	bool latency = d->options.latency_columns;
	if (of & DUMP_FIELD(COMM))
		put_comm(d, out, e, of, t->comm);
	if (of & DUMP_FIELD(PID)) {
		put_i32_width(out, (int32_t)t->pid, 5, false);
		if (of & DUMP_FIELD(TID)) {
			out_ch(out, '/');
			put_i32_width(out, (int32_t)t->tid, 5, true);
		}
		out_ch(out, ' ');
	} else if (of & DUMP_FIELD(TID)) {
		put_i32_width(out, (int32_t)t->tid, 5, false);
		out_ch(out, ' ');
	}
	if (of & DUMP_FIELD(CPU)) {
		if (!latency)
			out_ch(out, '[');
		out_u64_width(out, t->cpu == SAMPLE_NO_CPU ? 0 : t->cpu, 3, latency ? ' ' : '0');
		out_str(out, latency ? " " : "] ");
	}
	if (of & DUMP_FIELD(MISC))
		put_misc(out, t);
	if (of & DUMP_FIELD(TOD))
		put_tod(d, out, t->time_ns);
	if (of & DUMP_FIELD(TIME))
		put_time(d, out, t->time_ns);
}
