/* perf's raw dump: perf-script(1), -D. */
#include "dump/raw.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cursor.h"
#include "dump/dumper_priv.h"
#include "dump/event_text.h"
#include "record/data_src.h"
#include "resolve/chain/chain.h"

#define BYTES_A_LINE 16

static void hex_lines(struct out *out, const uint8_t *p, size_t n)
{
	out_f(out, ".\n. ... raw event: size %zu bytes\n", n);
	for (size_t at = 0; at < n; at += BYTES_A_LINE) {
		out_str(out, ".  ");
		out_hex_width(out, at, 4, '0');
		out_str(out, ": ");
		for (size_t i = at; i < at + BYTES_A_LINE; i++) {
			out_ch(out, ' ');
			if (i < n)
				out_hex_width(out, p[i], 2, '0');
			else
				out_str(out, "  ");
		}
		out_str(out, "  ");
		for (size_t i = at; i < at + BYTES_A_LINE; i++)
			out_ch(out, i >= n ? ' ' : isprint(p[i]) ? (char)p[i] : '.');
		out_ch(out, '\n');
	}
	out_ch(out, '\n');
}

/* CPU and time in front of the record's name. */
static void stamp(struct out *out, const struct env *env, struct record r, uint32_t cpu, uint64_t time_ns)
{
	if (!env->events.len)
		return;
	const struct perf_event_attr *a = &env->events.data[0].attr;
	if (r.hdr->type != PERF_RECORD_SAMPLE && !a->sample_id_all) {
		out_str(out, "-1 -1 ");
		return;
	}
	if (a->sample_type & PERF_SAMPLE_CPU)
		out_f(out, "%u ", cpu == SAMPLE_NO_CPU ? 0 : cpu);
	if (a->sample_type & PERF_SAMPLE_TIME)
		out_f(out, "%" PRIu64 " ", time_ns);
}

/* Of a stream perf says where in it, after its header, a record is. */
#define STREAM_HEADER_BYTES 16

static void head(struct out *out, const struct env *env, const char *name, struct record r, uint32_t cpu, uint64_t time_ns)
{
	uint64_t offset = r.file_offset;
	if (env->is_pipe) {
		name = "pipe";
		offset -= offset >= STREAM_HEADER_BYTES ? STREAM_HEADER_BYTES : offset;
	}
	out_f(out, "\n%#" PRIx64 "@%s [%#x]: event: %u\n", offset, name, r.hdr->size, r.hdr->type);
	hex_lines(out, (const uint8_t *)r.hdr, r.hdr->size);
	stamp(out, env, r, cpu, time_ns);
	out_f(out, "%#" PRIx64 " [%#x]: ", offset, r.hdr->size);
}

/* ---- records ---- */

static void id_index(struct out *out, struct record r)
{
	struct record_id_index index = record_decode_id_index(r);
	out_f(out, " nr: %" PRIu64 "\n", index.nr);
	for (uint64_t i = 0; i < index.nr; i++) {
		const struct record_id_entry *e = &index.entries[i];
		out_f(out, " ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64, e->id, e->idx, (int64_t)e->cpu,
		      (int64_t)e->tid);
		if (index.guests)
			out_f(out, "  machine_pid: %" PRId64 "  vcpu: %" PRId64, (int64_t)index.guests[i].machine_pid,
			      (int64_t)index.guests[i].vcpu);
		out_ch(out, '\n');
	}
}

static void event_update(struct out *out, struct cursor c)
{
	uint64_t kind = cursor_u64(&c), id = cursor_u64(&c);
	out_f(out, "\n... id:    %" PRIu64 "\n", id);
	if (kind == 0 || kind == 2) {
		const char *s = cursor_cstr(&c);
		out_str(out, kind == 0 ? "... unit:  " : "... name:  ");
		out_text(out, s ? s : "", s ? strlen(s) : 0);
		out_ch(out, '\n');
	} else if (kind == 1) {
		uint64_t bits = cursor_u64(&c);
		double scale;
		memcpy(&scale, &bits, sizeof(scale));
		out_f(out, "... scale: %f\n", scale);
	} else if (kind == 3) {
		out_str(out, "... ");
		event_text_cpus(out, &c);
		out_ch(out, '\n');
	}
}

/* What perf ends with a remark of its own, or not at all: the empty line after it then is the end of its own line. */
static const char *line_end(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_FEATURE:
	case RECORD_HEADER_BUILD_ID:
		return "";
	case RECORD_TIME_CONV:
		return "\n: unhandled!\n";
	case RECORD_FINISHED_INIT:
		return ": unhandled!\n";
	default:
		return "\n";
	}
}

static void user_record(struct out *out, const struct env *env, struct record r)
{
	struct cursor c = cursor_make((const char *)r.hdr + sizeof(*r.hdr), r.hdr->size - sizeof(*r.hdr), false);
	switch (r.hdr->type) {
	case RECORD_ID_INDEX:
		out_str(out, "PERF_RECORD_ID_INDEX");
		id_index(out, r);
		break;
	case RECORD_EVENT_UPDATE:
		out_str(out, "PERF_RECORD_EVENT_UPDATE");
		event_update(out, c);
		break;
	default:
		event_text_open(out, env, r);
		out_str(out, line_end(r.hdr->type));
		break;
	}
}

static void lost_record(struct out *out, struct record r, uint64_t tail_id)
{
	struct record_lost l;
	if (!record_decode_lost(r, &l)) {
		out_str(out, " (damaged)\n");
		return;
	}
	if (r.hdr->type == PERF_RECORD_LOST)
		out_f(out, "PERF_RECORD_LOST: id:%" PRIu64 ": lost:%" PRIu64 "\n", l.id, l.lost);
	else
		out_f(out, "PERF_RECORD_LOST_SAMPLES: id:%" PRIu64 ": lost samples :%" PRIu64 "\n", tail_id, l.lost);
}

void raw_record(struct out *out, const struct env *env, const char *name, struct record r)
{
	struct sample_tail tail = { .cpu = 0 };
	const struct sample_layout *layout = env->events.len ? env_tail_layout(env) : NULL;
	if (r.hdr->type == RECORD_COMPRESSED || r.hdr->type == RECORD_COMPRESSED2)
		return; /* what is in it comes next */
	bool is_user = r.hdr->type >= RECORD_USER_FIRST;
	if (is_user || !layout || !sample_tail_decode(layout, r, &tail) || !tail.present)
		tail = (struct sample_tail){ 0 };
	head(out, env, name, r, tail.cpu, tail.time);
	if (is_user)
		user_record(out, env, r);
	else if (r.hdr->type == PERF_RECORD_LOST || r.hdr->type == PERF_RECORD_LOST_SAMPLES)
		lost_record(out, r, tail.id);
	else {
		event_text_open(out, env, r);
		out_str(out, line_end(r.hdr->type));
	}
}

/* ---- samples ---- */

/* What a word of a call chain says of those that follow it; "" where it is an address. */
static const char *context_text(uint64_t word)
{
	switch (word) {
	case PERF_CONTEXT_HV:
		return " (PERF_CONTEXT_HV)";
	case PERF_CONTEXT_KERNEL:
		return " (PERF_CONTEXT_KERNEL)";
	case PERF_CONTEXT_USER:
		return " (PERF_CONTEXT_USER)";
	case PERF_CONTEXT_GUEST:
		return " (PERF_CONTEXT_GUEST)";
	case PERF_CONTEXT_GUEST_KERNEL:
		return " (PERF_CONTEXT_GUEST_KERNEL)";
	case PERF_CONTEXT_GUEST_USER:
		return " (PERF_CONTEXT_GUEST_USER)";
	case CHAIN_CONTEXT_USER_DEFERRED:
		return " (PERF_CONTEXT_USER_DEFERRED)";
	default:
		return "";
	}
}

static void chain(struct out *out, const struct resolved_sample *s)
{
	out_f(out, "... FP chain: nr:%" PRIu64 "\n", s->recorded_callchain_nr);
	for (uint64_t i = 0; i < s->recorded_callchain_nr; i++)
		out_f(out, "..... %2" PRIu64 ": %016" PRIx64 "%s\n", i, s->recorded_callchain[i],
		      context_text(s->recorded_callchain[i]));
}

static void branches(struct out *out, const struct sample *s, bool callstack)
{
	out_f(out, "%s: nr:%" PRIu64 "\n", callstack ? "... branch callstack" : "... branch stack", s->branch_nr);
	for (uint64_t i = 0; i < s->branch_nr; i++) {
		const struct perf_branch_entry *b = &s->branches[i];
		if (callstack) {
			if (!i)
				out_f(out, "..... %2" PRIu64 ": %016" PRIx64 "\n", i, (uint64_t)b->to);
			out_f(out, "..... %2" PRIu64 ": %016" PRIx64 "\n", i + 1, (uint64_t)b->from);
			continue;
		}
		out_f(out, "..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64 " %u cycles %s%s%s%s %x %s\n", i, (uint64_t)b->from,
		      (uint64_t)b->to, (unsigned)b->cycles, b->mispred ? "M" : " ", b->predicted ? "P" : " ",
		      b->abort ? "A" : " ", b->in_tx ? "T" : " ", (unsigned)b->reserved, dump_branch_type(b));
	}
}

static void registers(struct out *out, const struct env *env, const char *which, const struct sample_regs *regs)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	const struct arch *arch = arch_or_native(env->arch);
	if (!regs->values)
		return;
	out_f(out, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", which, regs->mask, regs->abi < 3 ? abis[regs->abi] : "unknown");
	unsigned i = 0;
	for (uint64_t mask = regs->mask; mask; mask &= mask - 1, i++) {
		const char *name = arch ? arch_reg_name(arch, (unsigned)__builtin_ctzll(mask)) : NULL;
		out_f(out, ".... %-5s 0x%016" PRIx64 "\n", name ? name : "unknown", regs->values[i]);
	}
}

static void counts(struct out *out, const struct sample *s)
{
	uint64_t format = s->read.read_format;
	out_str(out, "... sample_read:\n");
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		out_f(out, "...... time enabled %016" PRIx64 "\n", s->read.time_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		out_f(out, "...... time running %016" PRIx64 "\n", s->read.time_running);
	out_str(out, format & PERF_FORMAT_GROUP ? ".... group nr " : "");
	if (format & PERF_FORMAT_GROUP)
		out_f(out, "%" PRIu64 "\n", s->read.nr);
	struct sample_read_value v;
	for (uint64_t i = 0; sample_read_get(s, i, &v); i++) {
		out_f(out, "..... id %016" PRIx64 ", value %016" PRIx64, v.id, v.value);
		if (format & PERF_FORMAT_LOST)
			out_f(out, ", lost %" PRIu64, v.lost);
		out_ch(out, '\n');
	}
}

/* For each sample that a record stands for. */
static void place(struct out *out, const struct resolved_sample *s)
{
	out_str(out, " ... thread: ");
	out_text(out, s->comm, strlen(s->comm));
	out_f(out, ":%d\n ...... dso: ", (int)s->thread->tid);
	const char *dso = s->leaf.map ? s->leaf.map->file->path : "<not found>";
	out_text(out, dso, strlen(dso));
	out_ch(out, '\n');
}

void raw_sample(struct out *out, const struct env *env, const char *name, const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	uint64_t type = s->event->attr.sample_type;
	if (s->repeated) {
		place(out, s);
		return;
	}
	head(out, env, name, s->record, x->cpu, x->time);
	out_f(out, "PERF_RECORD_SAMPLE(IP, 0x%x): %d/%d: ", x->misc, (int)x->pid, (int)x->tid);
	out_f(out, "%#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64 "\n", x->ip, s->recorded_period, x->addr);
	if (s->recorded_callchain)
		chain(out, s);
	if (x->branches)
		branches(out, x, s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	registers(out, env, "user", &x->user_regs);
	registers(out, env, "intr", &x->intr_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		out_f(out, "... ustack: size %" PRIu64 ", offset 0x%x\n", x->stack_dyn_bytes,
		      x->stack ? (unsigned)(x->stack - (const uint8_t *)s->record.hdr - sizeof(uint64_t)) : 0); /* of its size */
	if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		out_f(out, "... weight: %u,0x%x,0x%x\n", x->weight1, x->weight2, x->weight3);
	else if (type & PERF_SAMPLE_WEIGHT)
		out_f(out, "... weight: %" PRIu64 "\n", x->weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		out_f(out, " . data_src: 0x%" PRIx64 "\n", x->data_src);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		out_f(out, " .. phys_addr: 0x%" PRIx64 "\n", x->phys_addr);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		out_f(out, " .. data page size: %s\n", data_src_page_size(x->data_page_size));
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		out_f(out, " .. code page size: %s\n", data_src_page_size(x->code_page_size));
	if (type & PERF_SAMPLE_TRANSACTION)
		out_f(out, "... transaction: %" PRIx64 "\n", x->transaction);
	if (type & PERF_SAMPLE_READ)
		counts(out, x);
	place(out, s);
}

struct strobe_error *raw_all(struct out *out, struct record_source *source, const char *name)
{
	for (;;) {
		struct record r;
		bool end;
		TRY(source_next(source, &r, &end));
		if (end)
			return NULL;
		const struct env *env = source_env(source);
		struct resolved_sample s = { .record = r };
		if (r.hdr->type != PERF_RECORD_SAMPLE) {
			raw_record(out, env, name, r);
			continue;
		}
		if (!env_decode_sample(env, r, &s.sample))
			continue;
		head(out, env, name, r, s.sample.cpu, s.sample.time);
		out_str(out, "PERF_RECORD_SAMPLE\n");
	}
}
