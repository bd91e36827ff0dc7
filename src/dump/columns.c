/* The columns before the event's own fields: task, CPU, time. */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "dump/dumper_priv.h"

/* Process IDs have up to 7 digits where there are many CPUs. */
#define ID_WIDTH 7

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
	/* In perf's order of tests: modes are numbers, and the bits of one may include another's. */
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

/* Writes v with exactly n digits to p. */
static void put_digits(char *p, uint32_t v, int n)
{
	while (n-- > 0) {
		p[n] = (char)('0' + v % 10);
		v /= 10;
	}
}

/* Seconds right-aligned in 5 columns, and 6 or 9 decimals, truncated. */
static void put_seconds(struct dumper *d, struct out *out, uint64_t ns)
{
	uint64_t seconds = ns / NS_PER_S;
	uint32_t rest = (uint32_t)(ns - seconds * NS_PER_S);
	int places = d->options.nanoseconds ? 9 : 6;
	if (seconds >= 100000) {
		out_u64(out, seconds);
	} else {
		char *p = out_reserve(out, 5);
		put_digits(p, (uint32_t)seconds, 5);
		for (int i = 0; i < 4 && p[i] == '0'; i++)
			p[i] = ' ';
		out->len += 5;
	}
	char *p = out_reserve(out, 12);
	p[0] = '.';
	put_digits(p + 1, places == 9 ? rest : rest / 1000, places);
	p[places + 1] = ':';
	p[places + 2] = ' ';
	out->len += (size_t)places + 3;
}

bool dumper_has_chains(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (env->events.data[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
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
}

void dumper_note_ids(struct dumper *d, struct record r)
{
	struct record_id_index index = record_decode_id_index(r);
	for (uint64_t i = 0; index.guests && i < index.nr; i++) {
		bool is_new;
		uint64_t pid = index.guests[i].machine_pid;
		if (pid)
			*u64map_put(&d->guests, index.entries[i].id, &is_new) = pid << 32 | (uint32_t)index.guests[i].vcpu;
	}
}

static uint64_t guest_of(const struct dumper *d, const struct dump_task *t)
{
	const uint64_t *guest = d->guests.used ? u64map_get(&d->guests, t->id) : NULL;
	return guest ? *guest : 0;
}

static void put_task(struct dumper *d, struct out *out, const struct env_event *e, const struct dump_task *t,
		     uint64_t guest)
{
	uint64_t of = d->options.fields.of[e ? dump_kind(&e->attr) : PERF_TYPE_HARDWARE];
	bool latency = d->options.latency_columns;
	if (guest && of & DUMP_FIELD(MACHINE_PID))
		out_f(out, "VM:%5d ", (int)(guest >> 32));
	if (guest && of & DUMP_FIELD(VCPU))
		out_f(out, "VCPU:%03d ", (int)(uint32_t)guest);
	if (of & DUMP_FIELD(COMM))
		put_comm(d, out, e, of, t->comm);
	if (of & DUMP_FIELD(PID)) {
		put_i32_width(out, (int32_t)t->pid, ID_WIDTH, false);
		if (of & DUMP_FIELD(TID)) {
			out_ch(out, '/');
			put_i32_width(out, (int32_t)t->tid, ID_WIDTH, true);
		}
		out_ch(out, ' ');
	} else if (of & DUMP_FIELD(TID)) {
		put_i32_width(out, (int32_t)t->tid, ID_WIDTH, false);
		out_ch(out, ' ');
	}
	if (of & DUMP_FIELD(CPU)) {
		if (!latency)
			out_ch(out, '[');
		out_u64_width(out, t->cpu == SAMPLE_NO_CPU ? 0 : t->cpu, 3, latency ? ' ' : '0');
		out_str(out, latency ? " " : "] ");
	}
}

/* Consecutive samples are mostly of the same task: its columns are formatted once for a run of them. */
static void put_task_again(struct dumper *d, struct out *out, const struct env_event *e, const struct dump_task *t)
{
	struct task_text *k = &d->task;
	uint64_t guest = guest_of(d, t);
	bool same = k->guest == guest && k->event == e && k->comm == t->comm && k->pid == t->pid && k->tid == t->tid && k->cpu == t->cpu;
	if (!same || !k->comm) {
		size_t n;
		d->scratch.len = 0;
		put_task(d, &d->scratch, e, t, guest);
		const char *text = out_mem(&d->scratch, &n);
		if (n > sizeof(k->text)) {
			out_write(out, text, n);
			k->comm = NULL;
			return;
		}
		*k = (struct task_text){ .event = e, .comm = t->comm, .guest = guest, .pid = t->pid, .tid = t->tid,
					 .cpu = t->cpu, .bytes = (uint32_t)n };
		memcpy(k->text, text, n);
	}
	out_write(out, k->text, k->bytes);
}

void dump_columns(struct dumper *d, struct out *out, const struct env_event *e, const struct dump_task *t)
{
	uint64_t of = d->options.fields.of[e ? dump_kind(&e->attr) : PERF_TYPE_HARDWARE];
	put_task_again(d, out, e, t);
	if (of & DUMP_FIELD(MISC))
		put_misc(out, t);
	if (of & DUMP_FIELD(TOD))
		put_tod(d, out, t->time_ns);
	if (of & DUMP_FIELD(TIME))
		put_time(d, out, t->time_ns);
}
