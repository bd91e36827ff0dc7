#include "bpf/unwind/chain_sink.h"

#include <string.h>

#include "base/mem.h"
#include "bpf/unwind/stack_unwinder_priv.h"
#include "interp/script_table.h"

#define RECORD_BYTES_MAX 65528
/* Four times the ring of a CPU, which copies of stacks fill in 20 to 100 ms: a large table takes some hundred. */
#define HELD_BYTES_EACH ((size_t)16 << 20)
#define HELD_BYTES_MAX	((size_t)256 << 20)
/* Of what is held, given at a time: a few ms of walks, in which no ring overflows. */
#define SLICE_BYTES ((size_t)1 << 20)

static const struct stack_stream *stream_of_id(const struct stack_unwinder *u, uint64_t id)
{
	uint64_t *found = u64map_get(&u->ids, id);
	return found ? &u->streams.data[*found - 1] : NULL;
}

static void append(struct chain_sink *s, const void *bytes, size_t n)
{
	vec_extend(&s->out, n);
	memcpy(s->out.data + s->out.len - n, bytes, n);
}

static bool take_frames(const struct sample *sample, const struct unwind_stack *head, struct waiting_stack *w)
{
	size_t fit = (sample->raw_bytes - sizeof(*head)) / sizeof(uint64_t);
	w->nr = (uint16_t)(head->nr < fit ? head->nr : fit);
	w->nr = w->nr < UNWIND_FRAMES_MAX ? w->nr : UNWIND_FRAMES_MAX;
	w->in_exec = head->end == UNWIND_WALK_EXEC;
	w->cut = head->end != UNWIND_WALK_WHOLE && !w->in_exec;
	memcpy(w->ips, (const char *)sample->raw + sizeof(*head), w->nr * sizeof(uint64_t));
	return true;
}

static bool take_more(struct cpu_stacks *cpu, const struct sample *sample)
{
	const size_t before = offsetof(struct unwind_more, memory);
	size_t n = sample->raw_bytes > before ? sample->raw_bytes - before : 0;
	cpu->more_tid = sample->tid;
	cpu->more_bytes = (uint32_t)(n < UNWIND_MORE_BYTES ? n & ~(UNWIND_COPY_PIECE - 1u) : UNWIND_MORE_BYTES);
	memcpy(cpu->memory + UNWIND_COPY_BYTES, (const char *)sample->raw + before, cpu->more_bytes);
	return false;
}

/* False, with s->lacks: not until there is a table. */
static bool take_copy(struct chain_sink *s, struct cpu_stacks *cpu, const struct sample *sample, struct waiting_stack *w,
		      uint64_t *ret_wait)
{
	const size_t before = offsetof(struct unwind_copy, memory);
	const struct unwind_copy *in_record = sample->raw;
	if (sample->raw_bytes < before)
		return false;
	size_t n = sample->raw_bytes - before;
	struct unwind_copy copy;
	memcpy(&copy, in_record, before);
	n = copy.bytes < n ? copy.bytes : n;
	n = n < UNWIND_COPY_BYTES ? n : UNWIND_COPY_BYTES;
	memcpy(cpu->memory, (const char *)sample->raw + before, n);
	copy.bytes = (uint32_t)n;
	if (n == UNWIND_COPY_BYTES && cpu->more_tid == sample->tid)
		copy.bytes += cpu->more_bytes;
	s->lacks = stack_unwinder_finish(s->unwinder, &copy, cpu->memory, sample->time, s->waits, w);
	if (s->lacks)
		return false;
	cpu->more_bytes = 0;
	*ret_wait = copy.wait;
	return true;
}

/* Merges frames of interpreters, which were sent before the stack to which they belong. */
static void merge_scripts(struct stack_unwinder *u, struct cpu_stacks *cpu, struct waiting_stack *w)
{
	uint64_t mm = cpu->scripts.mm;
	bool has_some = cpu->scripts.nr && cpu->scripts.tid == w->tid;
	w->nr = (uint16_t)scripts_merge(u->scripts, &cpu->scripts, w->tid, w->ips, w->nr, UNWIND_FRAMES_MAX, &w->cut);
	w->scripts_mm = has_some ? mm : 0;
}

/* Several threads may store their times at once: an approximate latest time is enough. */
static void note_time(struct stack_unwinder *u, uint64_t ns)
{
	if (ns > __atomic_load_n(&u->waits.last_ns, __ATOMIC_RELAXED))
		__atomic_store_n(&u->waits.last_ns, ns, __ATOMIC_RELAXED);
}

/* Passes code of scripts on at once, for consumers that cannot wait for the table at the end. */
static void give_script(struct stack_unwinder *u, const struct sample *message)
{
	struct strbuf table = {};
	if (u->options.take_script && scripts_write_one(u->scripts, message, &table))
		u->options.take_script(u->options.script_ctx, table.data, table.len);
	strbuf_deinit(&table);
}

/* A stack arrives, or a part of one. */
static void take_stack(struct chain_sink *s, uint32_t cpu_index, struct record r)
{
	struct stack_unwinder *u = s->unwinder;
	struct cpu_stacks *cpu = &u->cpus[cpu_index];
	struct sample sample;
	struct unwind_stack head = {};
	uint64_t wait = 0;
	bool is_whole = false;
	if (sample_decode(&u->output_layout, r, &sample) && sample.raw_bytes >= sizeof(head))
		memcpy(&head, sample.raw, sizeof(head));
	if (u->waits.layout)
		note_time(u, sample.time);
	if (head.message == UNWIND_MESSAGE_WAIT) {
		wait_samples_take(u, cpu_index, &sample, &s->out);
		return;
	}
	s->counts.records++;
	if (!head.message)
		return;
	if (scripts_take(u->scripts, &sample, &cpu->scripts)) {
		give_script(u, &sample);
		return;
	}
	if (cpu->nr == WAITING_MAX) {
		memmove(cpu->stacks, cpu->stacks + 1, (WAITING_MAX - 1) * sizeof(*cpu->stacks));
		cpu->nr--;
	}
	struct waiting_stack *w = &cpu->stacks[cpu->nr];
	w->pid = sample.pid;
	w->tid = sample.tid;
	w->in_exec = false;
	if (head.message == UNWIND_MESSAGE_STACK)
		is_whole = take_frames(&sample, &head, w);
	else if (head.message == UNWIND_MESSAGE_MORE)
		is_whole = take_more(cpu, &sample);
	else if (head.message == UNWIND_MESSAGE_COPY)
		s->counts.copied += is_whole = take_copy(s, cpu, &sample, w, &wait);
	s->counts.records -= s->lacks != NULL; /* it comes once more */
	if (is_whole)
		merge_scripts(u, cpu, w);
	if (is_whole && wait)
		wait_samples_take_stack(u, wait, w, &s->out);
	else
		cpu->nr += is_whole;
}

/* Removes and returns the last stack of this thread, and drops stacks after it. */
static const struct waiting_stack *give_stack(struct cpu_stacks *cpu, uint32_t pid, uint32_t tid)
{
	for (unsigned i = cpu->nr; i-- > 0;) {
		if (cpu->stacks[i].tid != tid || cpu->stacks[i].pid != pid)
			continue;
		cpu->nr = i;
		return &cpu->stacks[i];
	}
	return NULL;
}

/* A user's part of a chain. */
struct user_chain {
	const void *ips; /* unaligned words */
	uint64_t nr;
	bool cut, in_exec;
};

static void set_word(uint8_t *record, uint16_t offset, uint64_t word)
{
	if (offset != SAMPLE_NO_OFFSET)
		memcpy(record + offset, &word, sizeof(word));
}

/* For code compiled by V8, the sample's address becomes the place in the script, too, for readers that only look at the address. */
static void name_innermost(uint8_t *joined, const struct sample_layout *l, const struct sample_hot *sample, const void *ips)
{
	uint64_t ip = 0;
	if (!ips || (sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return;
	memcpy(&ip, ips, sizeof(ip));
	if (ip - SCRIPT_BASE < SCRIPT_SPACE_BYTES)
		set_word(joined, l->ip, ip);
}

static void count_chain(struct chain_sink *s, const struct stack_stream *stream, const struct user_chain *user, uint64_t words)
{
	s->counts.stacks += user->nr != 0;
	s->counts.cut += user->cut;
	s->counts.in_exec += user->in_exec;
	s->counts.deep += user->cut && (user->nr >= RECORD_CHAIN_WALKED_MAX || (stream->max && words >= stream->max));
}

/* Appends a sample to `out`: `bytes` of its record, with the user's chain after the kernel's. Returns its offset. */
static size_t join(struct chain_sink *s, const struct stack_stream *stream, struct record r, size_t bytes,
		   const struct sample_hot *sample, struct user_chain user)
{
	uint64_t kernel = sample->callchain_nr;
	uint64_t room = (RECORD_BYTES_MAX - bytes) / sizeof(uint64_t) - 1;
	room = stream->max && stream->max < room ? stream->max : room;
	if (user.nr + kernel > room) {
		user.nr = room > kernel ? room - kernel : 0;
		user.cut = true;
	}
	size_t before = (size_t)((const char *)sample->callchain - (const char *)r.hdr) + kernel * sizeof(uint64_t);
	struct perf_event_header h = *r.hdr;
	uint64_t words = kernel + (user.nr ? user.nr + 1 : 0), marker = PERF_CONTEXT_USER;
	h.size = (uint16_t)(bytes + (words - kernel) * sizeof(uint64_t));
	h.misc |= user.cut ? RECORD_MISC_CHAIN_CUT : 0;
	size_t at = s->out.len;
	append(s, r.hdr, before);
	memcpy(s->out.data + at, &h, sizeof(h));
	memcpy(s->out.data + at + before - (kernel + 1) * sizeof(uint64_t), &words, sizeof(words));
	if (user.nr) {
		append(s, &marker, sizeof(marker));
		append(s, user.ips, user.nr * sizeof(uint64_t));
	}
	append(s, (const char *)r.hdr + before, bytes - before);
	name_innermost(s->out.data + at, stream->layout, sample, user.nr ? user.ips : NULL);
	count_chain(s, stream, &user, words);
	return at;
}

/* Written before the sample, with a slightly earlier time: other CPUs have samples of the process, too. */
static void write_script_map(struct chain_sink *s, const struct stack_stream *stream, struct record r, const struct sample_hot *sample,
			     uint64_t mm)
{
	enum { EARLIER_NS = 1000000 };
	const struct sample_layout *l = stream->layout;
	char record[512];
	struct sample_tail tail = { .present = true, .pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu, .id = sample->id,
				    .stream_id = l->stream_id != SAMPLE_NO_OFFSET ? sample_word(r, l->stream_id) : 0,
				    .time = sample->time > EARLIER_NS ? sample->time - EARLIER_NS : 0 };
	if (stream->whole)
		tail.id = tail.stream_id = stream->id;
	append(s, record, scripts_map_record(s->unwinder->scripts, mm, stream->cpu, l, &tail, record, sizeof(record)));
}

/* ---- samples that came with their stacks ---- */

/* After the kernel's part of a chain: the RAW field, of 32 bits of its length, 32 of unwind_stack.with, and the user's part. */
struct whole_sample {
	struct sample_hot sample;
	size_t raw_at; /* in the record */
	uint64_t period;
	struct user_chain user;
};

static bool decode_whole(const struct stack_stream *stream, struct record r, struct whole_sample *ret)
{
	uint32_t head[2];
	if (!sample_decode_hot(stream->layout, r, &ret->sample) || !ret->sample.callchain)
		return false;
	const char *raw = (const char *)(ret->sample.callchain + ret->sample.callchain_nr), *end = (const char *)r.hdr + r.hdr->size;
	if (end - raw < (ptrdiff_t)sizeof(head))
		return false;
	memcpy(head, raw, sizeof(head));
	raw += sizeof(head);
	ret->raw_at = (size_t)(raw - (const char *)r.hdr) - sizeof(head);
	ret->period = head[1] >> 1;
	ret->user = (struct user_chain){ raw, (uint64_t)(end - raw) / sizeof(uint64_t), head[1] & 1 };
	return true;
}

/* What the program's event does not know. */
static void name_event(uint8_t *record, const struct stack_stream *stream, uint64_t period)
{
	const struct sample_layout *l = stream->layout;
	set_word(record, l->identifier, stream->id);
	set_word(record, l->id, stream->id);
	set_word(record, l->stream_id, stream->id);
	set_word(record, l->period, period);
}

/* A marker where the RAW field began makes its addresses a part of the chain. */
static void complete(struct chain_sink *s, const struct stack_stream *stream, struct record r, const struct whole_sample *w)
{
	const uint64_t marker = PERF_CONTEXT_USER, words = w->sample.callchain_nr + 1 + w->user.nr;
	struct perf_event_header h = *r.hdr;
	h.misc |= w->user.cut ? RECORD_MISC_CHAIN_CUT : 0;
	append(s, r.hdr, r.hdr->size);
	uint8_t *record = s->out.data + s->out.len - r.hdr->size;
	memcpy(record, &h, sizeof(h));
	memcpy(record + stream->layout->variable, &words, sizeof(words));
	memcpy(record + w->raw_at, &marker, sizeof(marker));
	name_event(record, stream, w->period);
	count_chain(s, stream, &w->user, words);
}

/* Frames of interpreters came before it. */
static struct user_chain merge_into_whole(struct chain_sink *s, const struct stack_stream *stream, struct record r,
					  const struct whole_sample *whole)
{
	struct cpu_stacks *cpu = &s->unwinder->cpus[stream->cpu];
	struct waiting_stack *w = &cpu->merged;
	w->tid = whole->sample.tid;
	w->nr = (uint16_t)(whole->user.nr < UNWIND_FRAMES_MAX ? whole->user.nr : UNWIND_FRAMES_MAX);
	w->cut = whole->user.cut;
	memcpy(w->ips, whole->user.ips, w->nr * sizeof(*w->ips));
	merge_scripts(s->unwinder, cpu, w);
	if (w->scripts_mm)
		write_script_map(s, stream, r, &whole->sample, w->scripts_mm);
	return (struct user_chain){ w->ips, w->nr, w->cut };
}

static void take_whole(struct chain_sink *s, const struct stack_stream *stream, struct record r)
{
	struct whole_sample w;
	if (!decode_whole(stream, r, &w))
		return;
	bool has_scripts = s->unwinder->cpus[stream->cpu].scripts.nr;
	bool fits = !stream->max || w.user.nr + w.sample.callchain_nr <= stream->max;
	if (!has_scripts && fits && w.user.nr) {
		complete(s, stream, r, &w);
		return;
	}
	struct user_chain user = has_scripts ? merge_into_whole(s, stream, r, &w) : w.user;
	size_t at = join(s, stream, r, w.raw_at, &w.sample, user);
	name_event(s->out.data + at, stream, w.period);
}

/* ---- samples ---- */

static const struct stack_stream *stream_of(struct chain_sink *s, struct record r)
{
	uint64_t id;
	if (r.hdr->size < sizeof(*r.hdr) + sizeof(id))
		return NULL;
	/* PERF_SAMPLE_IDENTIFIER: the first word. */
	memcpy(&id, r.hdr + 1, sizeof(id));
	if (!s->last_stream || s->last_id != id)
		s->last_stream = stream_of_id(s->unwinder, id);
	s->last_id = id;
	return s->last_stream;
}

/* The stack came before. */
static void take_walked(struct chain_sink *s, const struct stack_stream *stream, struct record r, const struct sample_hot *sample)
{
	const struct waiting_stack *w = give_stack(&s->unwinder->cpus[stream->cpu], sample->pid, sample->tid);
	if (w && w->scripts_mm)
		write_script_map(s, stream, r, sample, w->scripts_mm);
	bool in_user = (sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	struct user_chain user = { &sample->ip, in_user, in_user };
	if (w)
		user = (struct user_chain){ w->ips, w->nr, w->cut, w->in_exec };
	join(s, stream, r, r.hdr->size, sample, user);
}

static void take_sample(struct chain_sink *s, struct record r)
{
	const struct stack_unwinder *u = s->unwinder;
	const struct stack_stream *stream = stream_of(s, r);
	struct sample_hot sample;
	if (stream && stream->carries) {
		take_stack(s, stream->cpu, r);
		return;
	}
	if (stream && u->waits.layout && stream->layout && stream->layout->time != SAMPLE_NO_OFFSET &&
	    r.hdr->size >= stream->layout->variable)
		note_time(s->unwinder, sample_word(r, stream->layout->time));
	if (stream && stream->whole) {
		take_whole(s, stream, r);
	} else if (stream && stream->walked && sample_decode_hot(stream->layout, r, &sample) && sample.callchain) {
		take_walked(s, stream, r, &sample);
	} else {
		append(s, r.hdr, r.hdr->size);
	}
}

/* Losses of an event that is not in the file are recorded for one that is. */
static void append_lost(struct chain_sink *s, const struct cpu_stacks *cpu, const struct sample_layout *by, struct record r)
{
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
		uint8_t tail[64];
	} lost;
	struct sample_tail tail;
	if (!sample_tail_decode(by, r, &tail))
		return;
	memcpy(&lost, r.hdr, offsetof(typeof(lost), tail));
	tail.id = tail.stream_id = lost.id = cpu->id;
	tail.cpu = cpu->number;
	lost.h.size = (uint16_t)(offsetof(typeof(lost), tail) + sample_tail_encode(cpu->layout, &tail, lost.tail, sizeof(lost.tail)));
	append(s, &lost, lost.h.size);
}

/* A sample or its stack may have been lost: stacks that are waiting are dropped, so that none is joined with another sample. */
static void take_lost(struct chain_sink *s, struct record r)
{
	struct stack_unwinder *u = s->unwinder;
	uint64_t id;
	memcpy(&id, (const char *)r.hdr + r.hdr->size - sizeof(id), sizeof(id));
	const struct stack_stream *stream = stream_of_id(u, id);
	struct cpu_stacks *cpu = stream ? &u->cpus[stream->cpu] : NULL;
	if (cpu)
		cpu->nr = cpu->more_bytes = cpu->scripts.nr = 0;
	if (cpu && cpu->layout && (stream->carries || stream->whole))
		append_lost(s, cpu, stream->carries ? &u->output_layout : stream->layout, r);
	else
		append(s, r.hdr, r.hdr->size);
}

/* Other threads have sinks of their own. */
static void add_counts(struct chain_sink *s)
{
	struct stack_unwinder *u = s->unwinder;
	atomic_fetch_add_explicit(&u->stacks, s->counts.stacks, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->cut, s->counts.cut, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->deep, s->counts.deep, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->in_exec, s->counts.in_exec, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->copied, s->counts.copied, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->records, s->counts.records, memory_order_relaxed);
	s->counts = (struct stack_unwinder_totals){};
}

/* Takes records up to the first one that has to wait (s->lacks) or that begins at `most` bytes or later. Returns their bytes. */
static size_t take_records(struct chain_sink *s, const void *records, size_t bytes, size_t most)
{
	const char *at = records, *end = at + bytes;
	s->lacks = NULL;
	while ((size_t)(end - at) >= sizeof(struct perf_event_header)) {
		if ((size_t)(at - (const char *)records) >= most)
			return (size_t)(at - (const char *)records);
		struct record r = { .hdr = (const void *)at };
		if (r.hdr->size < sizeof(*r.hdr) || r.hdr->size > (size_t)(end - at))
			break;
		if (r.hdr->type == PERF_RECORD_SAMPLE)
			take_sample(s, r);
		else if (r.hdr->type == PERF_RECORD_LOST && r.hdr->size >= sizeof(*r.hdr) + 24)
			take_lost(s, r);
		else
			append(s, r.hdr, r.hdr->size);
		if (s->lacks)
			return (size_t)(at - (const char *)records);
		at += r.hdr->size;
	}
	return bytes;
}

static struct strobe_error *give_out(struct chain_sink *s)
{
	add_counts(s);
	struct strobe_error *err = s->out.len ? sink_write(s->to, s->out.data, s->out.len) : NULL;
	vec_clear(&s->out);
	return err;
}

static size_t held_bytes(const struct chain_sink *s)
{
	return s->held.len - s->held_taken;
}

static void hold(struct chain_sink *s, const void *records, size_t bytes)
{
	if (!s->held.len)
		atomic_fetch_add(&s->unwinder->holders, 1);
	memcpy(vec_extend(&s->held, bytes), records, bytes);
}

/* Moves what is left to the front once that is less than what it moves over. */
static void close_gap(struct chain_sink *s)
{
	size_t left = held_bytes(s);
	if (s->held_taken < left)
		return;
	memcpy(s->held.data, s->held.data + s->held_taken, left);
	s->held.len = left;
	s->held_taken = 0;
}

static void take_held(struct chain_sink *s, size_t most)
{
	s->held_taken += take_records(s, s->held.data + s->held_taken, held_bytes(s), most);
	if (held_bytes(s)) {
		close_gap(s);
		return;
	}
	vec_deinit(&s->held);
	s->held_taken = 0;
	atomic_fetch_sub(&s->unwinder->holders, 1);
}

/* waits: for tables. */
static struct strobe_error *give_held(struct chain_sink *s, bool waits, size_t most)
{
	if (!chain_sink_holds(s) || (!waits && s->lacks && !unwind_tables_is_tried(s->unwinder->tables, s->lacks)))
		return NULL;
	s->waits = waits;
	take_held(s, most);
	s->waits = false;
	return give_out(s);
}

struct strobe_error *chain_sink_settle(struct chain_sink *s, bool waits)
{
	return give_held(s, waits, waits ? SIZE_MAX : SLICE_BYTES);
}

bool chain_sink_holds(const struct chain_sink *s)
{
	return s->held.len;
}

static bool is_too_much(const struct chain_sink *s)
{
	size_t each = s->unwinder->cpus_nr * HELD_BYTES_EACH;
	return held_bytes(s) > (each < HELD_BYTES_MAX ? each : HELD_BYTES_MAX);
}

static struct strobe_error *write_records(struct record_sink *sink, const void *records, size_t bytes)
{
	struct chain_sink *s = (struct chain_sink *)sink;
	size_t taken = s->held.len ? 0 : take_records(s, records, bytes, SIZE_MAX);
	TRY(give_out(s));
	if (taken < bytes)
		hold(s, (const char *)records + taken, bytes - taken);
	return give_held(s, is_too_much(s), bytes + SLICE_BYTES);
}

void chain_sink_init(struct chain_sink *s, struct stack_unwinder *u, struct record_sink *to)
{
	*s = (struct chain_sink){ .sink.write = write_records, .unwinder = u, .to = to };
}

void chain_sink_deinit(struct chain_sink *s)
{
	vec_deinit(&s->out);
	vec_deinit(&s->held);
}
