/* perf's text for records other than samples: perf-script(1), --show-mmap-events and similar options. */
#include "dump/event_text.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cursor.h"

/* "0x1f", and "0" for zero, as %#lx writes it. */
static void put_hex(struct out *out, uint64_t v)
{
	if (v)
		out_str(out, "0x");
	out_hex(out, v);
}

static void put_name(struct out *out, const char *s)
{
	out_text(out, s, strlen(s));
}

static bool mmap_text(struct out *out, struct record r)
{
	struct record_mmap m;
	if (!record_decode_mmap(r, &m))
		return false;
	out_f(out, " %d/%d: [", (int)m.pid, (int)m.tid);
	put_hex(out, m.start);
	out_ch(out, '(');
	put_hex(out, m.len);
	out_str(out, ") @ ");
	put_hex(out, m.pgoff);
	if (!m.is_mmap2) {
		out_f(out, "]: %c ", m.is_data ? 'r' : 'x');
	} else {
		if (m.build_id_len) {
			out_str(out, " <");
			for (int i = 0; i < m.build_id_len; i++)
				out_hex_width(out, m.build_id[i], 2, '0');
			out_ch(out, '>');
		} else {
			out_f(out, " %02x:%02x %" PRIu64 " %" PRIu64, m.maj, m.min, m.ino, m.ino_generation);
		}
		out_f(out, "]: %c%c%c%c ", m.prot & PROT_READ ? 'r' : '-', m.prot & PROT_WRITE ? 'w' : '-',
		      m.prot & PROT_EXEC ? 'x' : '-', m.flags & MAP_SHARED ? 's' : 'p');
	}
	put_name(out, m.filename);
	return true;
}

static bool comm_text(struct out *out, struct record r)
{
	struct record_comm c;
	if (!record_decode_comm(r, &c))
		return false;
	out_str(out, c.exec ? " exec: " : ": ");
	put_name(out, c.comm);
	out_f(out, ":%d/%d", (int)c.pid, (int)c.tid);
	return true;
}

static bool task_text(struct out *out, struct record r)
{
	struct record_task t;
	if (!record_decode_task(r, &t))
		return false;
	out_f(out, "(%d:%d):(%d:%d)", (int)t.pid, (int)t.tid, (int)t.ppid, (int)t.ptid);
	return true;
}

static bool switch_text(struct out *out, struct record r)
{
	struct record_switch s;
	if (!record_decode_switch(r, &s))
		return false;
	const char *how = !s.out ? "IN         " : s.preempt ? "OUT preempt" : "OUT        ";
	if (s.cpu_wide)
		out_f(out, " %s  %s pid/tid: %5d/%-5d", how, s.out ? "next" : "prev", (int)s.next_prev_pid, (int)s.next_prev_tid);
	else
		out_f(out, " %s", how);
	return true;
}

static bool namespaces_text(struct out *out, struct record r)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct record_namespaces n;
	if (!record_decode_namespaces(r, &n))
		return false;
	out_f(out, " %d/%d - nr_namespaces: %" PRIu64 "\n\t\t[", (int)n.pid, (int)n.tid, n.nr);
	for (uint64_t i = 0; i < n.nr; i++) {
		if (i)
			out_str(out, i % 4 ? ", " : ", \n\t\t ");
		out_f(out, "%" PRIu64 "/%s: %" PRIu64 "/", i, i < 7 ? names[i] : "unknown", (uint64_t)n.links[i].dev);
		put_hex(out, n.links[i].ino);
	}
	out_ch(out, ']');
	return true;
}

static bool ksymbol_text(struct out *out, struct record r)
{
	struct record_ksymbol k;
	if (!record_decode_ksymbol(r, &k))
		return false;
	out_f(out, " addr %" PRIx64 " len %u type %u flags 0x%x name ", k.addr, k.len, k.ksym_type, k.flags);
	put_name(out, k.name);
	return true;
}

static bool cgroup_text(struct out *out, struct record r)
{
	struct record_cgroup c;
	if (!record_decode_cgroup(r, &c))
		return false;
	out_f(out, " cgroup: %" PRIu64 " ", c.id);
	put_name(out, c.path);
	return true;
}

static bool lost_text(struct out *out, struct record r)
{
	struct record_lost l;
	if (!record_decode_lost(r, &l))
		return false;
	out_f(out, " lost %" PRIu64, l.lost);
	return true;
}

/* A cursor after the header; records have native byte order. */
static struct cursor body_of(struct record r)
{
	return cursor_make((const char *)r.hdr + sizeof(*r.hdr), r.hdr->size - sizeof(*r.hdr), false);
}

static bool bpf_text(struct out *out, struct record r)
{
	struct cursor c = body_of(r);
	unsigned type = cursor_u16(&c), flags = cursor_u16(&c), id = cursor_u32(&c);
	if (c.bad)
		return false;
	out_f(out, " type %u, flags %u, id %u", type, flags, id);
	return true;
}

static bool aux_text(struct out *out, struct record r)
{
	struct cursor c = body_of(r);
	uint64_t offset = cursor_u64(&c), size = cursor_u64(&c), flags = cursor_u64(&c);
	if (c.bad)
		return false;
	out_str(out, " offset: ");
	put_hex(out, offset);
	out_str(out, " size: ");
	put_hex(out, size);
	out_str(out, " flags: ");
	put_hex(out, flags);
	out_f(out, " [%s%s%s]", flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "", flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
	      flags & PERF_AUX_FLAG_PARTIAL ? "P" : "");
	return true;
}

static bool itrace_start_text(struct out *out, struct record r)
{
	struct cursor c = body_of(r);
	unsigned pid = cursor_u32(&c), tid = cursor_u32(&c);
	if (c.bad)
		return false;
	out_f(out, " pid: %u tid: %u", pid, tid);
	return true;
}

static bool text_poke_text(struct out *out, struct record r)
{
	struct cursor c = body_of(r);
	uint64_t addr = cursor_u64(&c);
	unsigned old_bytes = cursor_u16(&c), new_bytes = cursor_u16(&c);
	const uint8_t *bytes = cursor_bytes(&c, (size_t)old_bytes + new_bytes);
	if (c.bad)
		return false;
	out_f(out, " %" PRIx64 " old len %u new len %u\n", addr, old_bytes, new_bytes);
	out_str(out, "            old bytes:");
	for (unsigned i = 0; i < old_bytes + new_bytes; i++) {
		if (i == old_bytes)
			out_str(out, "\n            new bytes:");
		out_ch(out, ' ');
		out_hex_width(out, bytes[i], 2, '0');
	}
	return true;
}

static void put_cpu_range(struct out *out, bool *any, uint32_t from, uint32_t to)
{
	out_f(out, from == to ? "%s%u" : "%s%u-%u", *any ? "," : "", from, to);
	*any = true;
}

/* Adjacent CPUs become ranges: 0-3,8. */
struct cpu_run {
	uint32_t from, to;
	bool open, any;
};

static void run_add(struct out *out, struct cpu_run *run, uint32_t cpu)
{
	if (run->open && cpu == run->to + 1) {
		run->to = cpu;
		return;
	}
	if (run->open)
		put_cpu_range(out, &run->any, run->from, run->to);
	run->from = run->to = cpu;
	run->open = true;
}

/* The words of a mask have the size of the recorded machine's long. */
static bool put_mask(struct out *out, struct cursor *c, struct cpu_run *run)
{
	uint16_t nr = cursor_u16(c), bytes = cursor_u16(c);
	if (bytes != 4 && bytes != 8)
		return false;
	if (bytes == 8)
		cursor_skip(c, 4); /* aligned */
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t word = bytes == 8 ? cursor_u64(c) : cursor_u32(c);
		for (; word && !c->bad; word &= word - 1)
			run_add(out, run, i * bytes * 8 + (uint32_t)__builtin_ctzll(word));
	}
	return true;
}

bool event_text_cpus(struct out *out, struct cursor *c)
{
	struct cpu_run run = { 0 };
	uint16_t type = cursor_u16(c);
	bool known = true;
	if (type == 0) { /* a list */
		uint16_t nr = cursor_u16(c);
		for (uint32_t i = 0; i < nr && !c->bad; i++) {
			uint16_t cpu = cursor_u16(c);
			if (cpu != UINT16_MAX && !c->bad)
				run_add(out, &run, cpu);
		}
	} else if (type == 1) {
		known = put_mask(out, c, &run);
	} else if (type == 2) { /* a range; whether it also means "any CPU" comes first */
		cursor_skip(c, 2);
		uint16_t from = cursor_u16(c), to = cursor_u16(c);
		run = (struct cpu_run){ .from = from, .to = to, .open = !c->bad };
	}
	if (run.open)
		put_cpu_range(out, &run.any, run.from, run.to);
	return known && !c->bad && type <= 2;
}

static bool user_text(struct out *out, struct record r)
{
	struct cursor c = body_of(r);
	switch (r.hdr->type) {
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		out_f(out, " hw_id: 0x%" PRIx64, cursor_u64(&c));
		return !c.bad;
	case RECORD_TIME_CONV: {
		uint64_t shift = cursor_u64(&c), mult = cursor_u64(&c), zero = cursor_u64(&c);
		if (c.bad)
			return false;
		out_f(out, "\n... Time Shift      %" PRIu64 "\n... Time Muliplier  %" PRIu64 "\n... Time Zero       %" PRIu64,
		      shift, mult, zero);
		uint64_t cycles = cursor_u64(&c), mask = cursor_u64(&c);
		bool zero_cap = cursor_u8(&c), short_cap = cursor_u8(&c);
		if (!c.bad)
			out_f(out, "\n... Time Cycles     %" PRIu64 "\n... Time Mask       %#" PRIx64 "\n... Cap Time Zero   %d\n"
				   "... Cap Time Short  %d",
			      cycles, mask, zero_cap, short_cap);
		return true;
	}
	case RECORD_CPU_MAP:
		out_str(out, ": ");
		return event_text_cpus(out, &c);
	case RECORD_THREAD_MAP: {
		uint64_t nr = cursor_u64(&c);
		bool one = nr == 1;
		out_f(out, " nr: %" PRIu64 " thread%s", nr, one ? ": " : "s: ");
		for (uint64_t i = 0; i < nr; i++) {
			uint64_t tid = cursor_u64(&c);
			cursor_skip(&c, 16);
			if (c.bad)
				return false;
			out_f(out, "%s%d", i ? ", " : "", (int)tid);
		}
		return true;
	}
	default:
		return true;
	}
}

void event_text(struct out *out, const struct env *env, struct record r)
{
	event_text_open(out, env, r);
	out_ch(out, '\n');
}

void event_text_open(struct out *out, const struct env *env, struct record r)
{
	const char *name = record_type_name(r.hdr->type);
	bool whole = true;
	(void)env;
	if (name)
		out_f(out, "PERF_RECORD_%s", name);
	else
		out_f(out, "PERF_RECORD_UNKNOWN(%u)", r.hdr->type);
	switch (r.hdr->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		whole = mmap_text(out, r);
		break;
	case PERF_RECORD_COMM:
		whole = comm_text(out, r);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		whole = task_text(out, r);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		whole = switch_text(out, r);
		break;
	case PERF_RECORD_NAMESPACES:
		whole = namespaces_text(out, r);
		break;
	case PERF_RECORD_KSYMBOL:
		whole = ksymbol_text(out, r);
		break;
	case PERF_RECORD_BPF_EVENT:
		whole = bpf_text(out, r);
		break;
	case PERF_RECORD_CGROUP:
		whole = cgroup_text(out, r);
		break;
	case PERF_RECORD_LOST:
		whole = lost_text(out, r);
		break;
	case PERF_RECORD_AUX:
		whole = aux_text(out, r);
		break;
	case PERF_RECORD_ITRACE_START:
		whole = itrace_start_text(out, r);
		break;
	case PERF_RECORD_TEXT_POKE:
		whole = text_poke_text(out, r);
		break;
	default:
		whole = user_text(out, r);
		break;
	}
	if (!whole)
		out_str(out, " (damaged)");
}
