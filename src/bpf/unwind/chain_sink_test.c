/* Stacks and samples as rings bring them, and the records that come out: word by word. */
#include "base/testing.h"

#include <stdlib.h>

#include "base/mem.h"
#include "bpf/unwind/chain_sink.h"
#include "bpf/unwind/stack_unwinder_priv.h"
#include "sys/faked.h"

#define STACKS_ID  70
#define WHOLE_ID   75
#define SAMPLES_ID 80

struct fixture {
	struct record_sink file; /* first */
	struct chain_sink sink;
	struct stack_unwinder u;
	struct sample_layout layout;
	uint64_t in[4096];
	size_t in_nr;
	uint64_t out[4096];
	size_t out_nr;
};

static struct strobe_error *take(struct record_sink *s, const void *records, size_t bytes)
{
	struct fixture *f = (struct fixture *)s;
	memcpy(f->out + f->out_nr, records, bytes);
	f->out_nr += bytes / 8;
	return NULL;
}

static size_t counted_bytes;
static uint64_t last_words[3]; /* of what was counted */

static struct strobe_error *count_bytes(struct record_sink *s, const void *records, size_t bytes)
{
	counted_bytes += bytes;
	memcpy(last_words, (const char *)records + bytes - sizeof(last_words), sizeof(last_words));
	return NULL;
}

static struct fixture *begin(void)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct perf_event_attr carrier = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							  PERF_SAMPLE_TIME | PERF_SAMPLE_RAW };
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT };
	f->file.write = take;
	f->u.output_layout = sample_layout_compile(&carrier);
	f->layout = sample_layout_compile(&attr);
	f->u.cpus_nr = 1;
	f->u.cpus = xcalloc(1, sizeof(*f->u.cpus));
	struct stack_stream stacks = { .carries = true }, samples = { .walked = true, .layout = &f->layout };
	vec_push(&f->u.streams, stacks);
	*u64map_put(&f->u.ids, STACKS_ID, NULL) = 1;
	vec_push(&f->u.streams, samples);
	*u64map_put(&f->u.ids, SAMPLES_ID, NULL) = 2;
	chain_sink_init(&f->sink, &f->u, &f->file);
	return f;
}

static void end(struct fixture *f)
{
	chain_sink_deinit(&f->sink);
	vec_deinit(&f->u.streams);
	u64map_deinit(&f->u.ids);
	free(f->u.cpus);
	free(f);
}

static void put(struct fixture *f, uint32_t type, uint16_t misc, const uint64_t *words, size_t n)
{
	struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)(8 + 8 * n) };
	memcpy(&f->in[f->in_nr++], &h, 8);
	memcpy(&f->in[f->in_nr], words, 8 * n);
	f->in_nr += n;
}

/* Two fields of a record in one word, in the order of memory. */
static uint64_t ids(uint32_t pid, uint32_t tid)
{
	uint64_t word;
	memcpy(&word, (const uint32_t[]){ pid, tid }, sizeof(word));
	return word;
}

/* RAW: 32 bits of size, then the bytes, padded to whole words together. Returns how many words it takes. */
static size_t put_raw_stack(uint64_t *words, struct unwind_stack head, const uint64_t *ips)
{
	uint32_t raw_bytes = (uint32_t)sizeof(head) + 8u * head.nr + 4;
	memcpy(words, &raw_bytes, 4);
	memcpy((char *)words + 4, &head, sizeof(head));
	memcpy((char *)words + 4 + sizeof(head), ips, 8u * head.nr);
	return 3u + head.nr;
}

static void put_stack(struct fixture *f, uint32_t tid, uint8_t why, const uint64_t *ips, uint16_t n)
{
	uint64_t words[64] = { STACKS_ID, 0x1000, ids(5, tid), 99 };
	struct unwind_stack head = { .message = UNWIND_MESSAGE_STACK, .nr = n, .end = why };
	put(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, 4 + put_raw_stack(words + 4, head, ips));
}

static void put_sample(struct fixture *f, uint32_t tid, uint16_t misc, const uint64_t *kernel, size_t n)
{
	uint64_t words[64] = { SAMPLES_ID, 0x1000, ids(5, tid), 100, n };
	memcpy(words + 5, kernel, 8 * n);
	words[5 + n] = 4242; /* the weight, after the chain */
	put(f, PERF_RECORD_SAMPLE, misc, words, 6 + n);
}

static void run(struct fixture *f)
{
	assert_ok(sink_write(&f->sink.sink, f->in, 8 * f->in_nr));
	f->in_nr = 0;
}

/* One sample came out: its misc, and its words from the chain's length on. */
static void expect(struct fixture *f, uint16_t misc, const uint64_t *words, size_t n)
{
	struct perf_event_header h;
	memcpy(&h, f->out, 8);
	assert_int_equal(h.size, 8 * f->out_nr);
	assert_int_equal(h.misc, misc);
	assert_int_equal(f->out_nr, 5 + n);
	assert_int_equal(f->out[1], SAMPLES_ID);
	assert_memory_equal(f->out + 5, words, 8 * n);
	f->out_nr = 0;
}

static void user_samples(void **state)
{
	struct fixture *f = begin();
	const uint64_t ips[] = { 0x1000, 0x2000, 0x3000 };
	put_stack(f, 6, UNWIND_WALK_WHOLE, ips, 3);
	put_sample(f, 6, PERF_RECORD_MISC_USER, NULL, 0);
	run(f);
	expect(f, PERF_RECORD_MISC_USER, (uint64_t[]){ 4, PERF_CONTEXT_USER, 0x1000, 0x2000, 0x3000, 4242 }, 6);
	/* The stack at the end of one write, the sample in the next. */
	put_stack(f, 6, UNWIND_WALK_BARE, ips, 2);
	run(f);
	assert_int_equal(f->out_nr, 0);
	put_sample(f, 6, PERF_RECORD_MISC_USER, NULL, 0);
	run(f);
	expect(f, PERF_RECORD_MISC_USER | RECORD_MISC_CHAIN_CUT, (uint64_t[]){ 3, PERF_CONTEXT_USER, 0x1000, 0x2000, 4242 }, 5);
	assert_int_equal(f->u.stacks, 2);
	assert_int_equal(f->u.cut, 1);
	assert_int_equal(f->u.records, 2);
	end(f);
}

static void kernel_samples(void **state)
{
	struct fixture *f = begin();
	const uint64_t kernel[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000, 0xffffffff82000000 }, ips[] = { 0x1000, 0x2000 };
	put_stack(f, 6, UNWIND_WALK_WHOLE, ips, 2);
	put_sample(f, 6, PERF_RECORD_MISC_KERNEL, kernel, 3);
	run(f);
	expect(f, PERF_RECORD_MISC_KERNEL,
	       (uint64_t[]){ 6, kernel[0], kernel[1], kernel[2], PERF_CONTEXT_USER, 0x1000, 0x2000, 4242 }, 8);
	/* The call of exec is all that is left of its stack. */
	put_stack(f, 6, UNWIND_WALK_EXEC, ips, 1);
	put_sample(f, 6, PERF_RECORD_MISC_KERNEL, kernel, 3);
	run(f);
	expect(f, PERF_RECORD_MISC_KERNEL, (uint64_t[]){ 5, kernel[0], kernel[1], kernel[2], PERF_CONTEXT_USER, 0x1000, 4242 }, 7);
	assert_int_equal(f->u.cut, 0);
	assert_int_equal(f->u.in_exec, 1);
	/* A kernel thread has no stack of a user, and nothing is missing. */
	put_sample(f, 7, PERF_RECORD_MISC_KERNEL, kernel, 3);
	run(f);
	expect(f, PERF_RECORD_MISC_KERNEL, (uint64_t[]){ 3, kernel[0], kernel[1], kernel[2], 4242 }, 5);
	end(f);
}

static void lost_records(void **state)
{
	struct fixture *f = begin();
	const uint64_t ips[] = { 0x1000, 0x2000 };
	/* A sample whose stack found no room has its own address, and is not whole. */
	put_sample(f, 6, PERF_RECORD_MISC_USER, NULL, 0);
	run(f);
	expect(f, PERF_RECORD_MISC_USER | RECORD_MISC_CHAIN_CUT, (uint64_t[]){ 2, PERF_CONTEXT_USER, 0x1000, 4242 }, 4);
	/* A stack whose sample was lost is not given to the next. */
	put_stack(f, 6, UNWIND_WALK_WHOLE, ips, 2);
	put(f, PERF_RECORD_LOST, 0, (uint64_t[]){ SAMPLES_ID, 1, ids(5, 6), 99, SAMPLES_ID }, 5);
	put_sample(f, 6, PERF_RECORD_MISC_USER, NULL, 0);
	run(f);
	memmove(f->out, f->out + 6, 8 * (f->out_nr - 6));
	f->out_nr -= 6;
	expect(f, PERF_RECORD_MISC_USER | RECORD_MISC_CHAIN_CUT, (uint64_t[]){ 2, PERF_CONTEXT_USER, 0x1000, 4242 }, 4);
	/* Of another thread. */
	put_stack(f, 6, UNWIND_WALK_WHOLE, ips, 2);
	put_sample(f, 8, PERF_RECORD_MISC_USER, NULL, 0);
	run(f);
	expect(f, PERF_RECORD_MISC_USER | RECORD_MISC_CHAIN_CUT, (uint64_t[]){ 2, PERF_CONTEXT_USER, 0x1000, 4242 }, 4);
	end(f);
}

/* Events that are not in the file lost something: in records, events that are did. */
static void losses_of_events_without_a_name(void **state)
{
	struct fixture *f = begin();
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN,
					.sample_id_all = 1 };
	const struct sample_layout in_file = sample_layout_compile(&attr);
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	f->u.output_layout = sample_layout_compile(&attr);
	f->u.cpus[0].layout = &in_file;
	f->u.cpus[0].id = SAMPLES_ID;
	f->u.cpus[0].number = 3;
	put(f, PERF_RECORD_LOST, 0, (uint64_t[]){ STACKS_ID, 17, ids(5, 6), 99, STACKS_ID }, 5);
	run(f);
	const uint64_t expected[] = { SAMPLES_ID, 17, ids(5, 6), 99, ids(3, 0), SAMPLES_ID };
	struct perf_event_header h;
	memcpy(&h, f->out, sizeof(h));
	assert_int_equal(h.type, PERF_RECORD_LOST);
	assert_int_equal(h.size, sizeof(h) + sizeof(expected));
	assert_int_equal(f->out_nr, 7);
	assert_memory_equal(f->out + 1, expected, sizeof(expected));
	end(f);
}

/* A sample that interrupts another between its stack and itself. */
static void nested_samples(void **state)
{
	struct fixture *f = begin();
	const uint64_t outer[] = { 0x1000, 0x2000 }, inner[] = { 0x1000, 0x3000 };
	put_stack(f, 6, UNWIND_WALK_WHOLE, outer, 2);
	put_stack(f, 6, UNWIND_WALK_WHOLE, inner, 2);
	put_sample(f, 6, PERF_RECORD_MISC_USER, NULL, 0);
	run(f);
	expect(f, PERF_RECORD_MISC_USER, (uint64_t[]){ 3, PERF_CONTEXT_USER, 0x1000, 0x3000, 4242 }, 5);
	put_sample(f, 6, PERF_RECORD_MISC_USER, NULL, 0);
	run(f);
	expect(f, PERF_RECORD_MISC_USER, (uint64_t[]){ 3, PERF_CONTEXT_USER, 0x1000, 0x2000, 4242 }, 5);
	end(f);
}

/*
 * One word after the other: as perf_event_open(2) has the fields of such samples, and the program's RAW: 32 bits of its length, 32 of the
 * period and whether it is cut, addresses.
 */
static void put_whole(struct fixture *f, uint16_t misc, const uint64_t *kernel, size_t n, const uint64_t *ips, uint32_t nr,
		      bool cut)
{
	uint64_t words[64] = { WHOLE_ID, 0x1000, ids(5, 6), 100, WHOLE_ID, 3, 0, n };
	const uint32_t head[] = { 4 + 8 * nr, 4321 << 1 | cut };
	memcpy(words + 8, kernel, 8 * n);
	memcpy(words + 8 + n, head, sizeof(head));
	memcpy(words + 9 + n, ips, 8 * nr);
	put(f, PERF_RECORD_SAMPLE, misc, words, 9 + n + nr);
}

static void expect_words(struct fixture *f, uint16_t misc, const uint64_t *words, size_t n)
{
	struct perf_event_header h;
	memcpy(&h, f->out, 8);
	assert_int_equal(h.type, PERF_RECORD_SAMPLE);
	assert_int_equal(h.size, 8 + 8 * n);
	assert_int_equal(h.misc, misc);
	assert_int_equal(f->out_nr, 1 + n);
	assert_memory_equal(f->out + 1, words, 8 * n);
	f->out_nr = 0;
}

static struct sample_layout layout_of_whole(void)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						       PERF_SAMPLE_CALLCHAIN };
	return sample_layout_compile(&attr);
}

/* A sample and its stack in one record, of the program's event: it becomes one of the samples' event. */
static void whole_samples(void **state)
{
	struct fixture *f = begin();
	struct sample_layout layout = layout_of_whole();
	struct stack_stream whole = { .whole = true, .id = SAMPLES_ID, .layout = &layout, .max = 6 };
	vec_push(&f->u.streams, whole);
	*u64map_put(&f->u.ids, WHOLE_ID, NULL) = f->u.streams.len;
	const uint64_t ips[] = { 0x1000, 0x2000, 0x3000 }, kernel[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000 };
	put_whole(f, PERF_RECORD_MISC_USER, NULL, 0, ips, 3, false);
	run(f);
	expect_words(f, PERF_RECORD_MISC_USER,
		     (uint64_t[]){ SAMPLES_ID, 0x1000, ids(5, 6), 100, SAMPLES_ID, 3, 4321, 4, PERF_CONTEXT_USER, 0x1000, 0x2000,
				   0x3000 }, 12);
	/* In the kernel, cut; and more than the event's chains may have. */
	put_whole(f, PERF_RECORD_MISC_KERNEL, kernel, 2, ips, 2, true);
	run(f);
	expect_words(f, PERF_RECORD_MISC_KERNEL | RECORD_MISC_CHAIN_CUT,
		     (uint64_t[]){ SAMPLES_ID, 0x1000, ids(5, 6), 100, SAMPLES_ID, 3, 4321, 5, kernel[0], kernel[1], PERF_CONTEXT_USER,
				   0x1000, 0x2000 }, 13);
	const uint64_t many[] = { 0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000, 0x7000 };
	put_whole(f, PERF_RECORD_MISC_USER, NULL, 0, many, 7, false);
	run(f);
	expect_words(f, PERF_RECORD_MISC_USER | RECORD_MISC_CHAIN_CUT,
		     (uint64_t[]){ SAMPLES_ID, 0x1000, ids(5, 6), 100, SAMPLES_ID, 3, 4321, 7, PERF_CONTEXT_USER, 0x1000, 0x2000,
				   0x3000, 0x4000, 0x5000, 0x6000 }, 15);
	/* None counts as a record that carries a stack. */
	assert_int_equal(f->u.records, 0);
	assert_int_equal(f->u.stacks, 3);
	assert_int_equal(f->u.cut, 2);
	/* With no room for the head of a stack, or a kernel's part beyond its end, it is nothing. */
	put(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, (uint64_t[]){ WHOLE_ID, 0x1000, ids(5, 6), 100, WHOLE_ID, 3, 0, 0 }, 8);
	put(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, (uint64_t[]){ WHOLE_ID, 0x1000, ids(5, 6), 100, WHOLE_ID, 3, 0, 9, 4 }, 9);
	run(f);
	assert_int_equal(f->out_nr, 0);
	end(f);
}

/* What says more than it holds, and what is not ours. */
static void others(void **state)
{
	struct fixture *f = begin();
	const uint64_t ips[] = { 0x1000, 0x2000 };
	put_stack(f, 6, UNWIND_WALK_WHOLE, ips, 2);
	struct unwind_stack head = { .message = UNWIND_MESSAGE_STACK, .nr = 400 };
	memcpy((char *)f->in + 44, &head, 8);
	put_sample(f, 6, PERF_RECORD_MISC_USER, NULL, 0);
	run(f);
	expect(f, PERF_RECORD_MISC_USER, (uint64_t[]){ 3, PERF_CONTEXT_USER, 0x1000, 0x2000, 4242 }, 5);
	const uint64_t other[] = { 99, 0x1000, ids(5, 6), 100, 0, 7 };
	put(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, other, 6);
	put(f, PERF_RECORD_EXIT, 0, other, 6);
	size_t n = f->in_nr;
	run(f);
	assert_int_equal(f->out_nr, n);
	assert_memory_equal(f->out, f->in, 8 * n);
	end(f);
}

#define WAITS_ID 90

/* The event of waits, on CPU 3. */
static struct fixture *begin_with_waits(struct sample_layout *layout)
{
	static const int cpus[] = { 3 };
	struct fixture *f = begin();
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW };
	*layout = sample_layout_compile(&attr);
	pthread_mutex_init(&f->u.waits.lock, NULL);
	f->u.waits.layout = layout;
	f->u.waits.frames_max = 4;
	f->u.waits.cpus = cpus;
	f->u.waits.ids = xcalloc(1, sizeof(uint64_t));
	f->u.waits.ids[0] = WAITS_ID;
	return f;
}

/* The record's RAW has room for so many words after the message. */
static void put_wait(struct fixture *f, const struct wait_message *m, const uint64_t *after, uint16_t n)
{
	uint64_t words[128] = { STACKS_ID, 0x1000, ids(1, 1), 500 };
	uint32_t raw_bytes = (uint32_t)sizeof(*m) + 8 * n + 4;
	char *at = (char *)&words[4];
	memcpy(at, &raw_bytes, 4);
	memcpy(at + 4, m, sizeof(*m));
	memcpy(at + 4 + sizeof(*m), after, 8 * n);
	put(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, 4 + sizeof(*m) / 8 + 1 + n);
}

static struct wait_message message(uint32_t nr, uint16_t waker_nr)
{
	return (struct wait_message){ .message = UNWIND_MESSAGE_WAIT, .pid = 5, .tid = 6, .ns = 777, .nr = nr,
				      .raw = { .magic = WAIT_MAGIC, .reason = WAIT_FOR_FUTEX, .waker_nr = waker_nr } };
}

/* The one sample that came out, which holds its words. */
static struct sample take_wait(struct fixture *f, const struct sample_layout *layout, uint16_t misc)
{
	struct sample s;
	struct record r = { .hdr = (const void *)f->out };
	assert_int_equal(r.hdr->size, 8 * f->out_nr);
	assert_int_equal(r.hdr->misc, misc);
	assert_true(sample_decode(layout, r, &s));
	f->out_nr = 0;
	assert_int_equal(s.id, WAITS_ID);
	assert_int_equal(s.pid, 5);
	assert_int_equal(s.tid, 6);
	assert_int_equal(s.cpu, 3);
	assert_int_equal(s.time, 500);
	assert_int_equal(s.period, 777);
	return s;
}

static void waits(void **state)
{
	struct sample_layout layout;
	struct fixture *f = begin_with_waits(&layout);
	const uint64_t ips[] = { 0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000 };
	struct wait_message m = message(2, 1);
	struct wait_raw raw;
	put_wait(f, &m, ips, 3);
	run(f);
	struct sample s = take_wait(f, &layout, PERF_RECORD_MISC_USER);
	assert_int_equal(s.ip, 0x1000);
	assert_int_equal(s.callchain_nr, 3);
	assert_memory_equal(s.callchain, ((uint64_t[]){ PERF_CONTEXT_USER, 0x1000, 0x2000 }), 24);
	memcpy(&raw, s.raw, sizeof(raw));
	assert_int_equal(raw.reason, WAIT_FOR_FUTEX);
	assert_memory_equal((const char *)s.raw + sizeof(raw), &ips[2], 8);
	/* More than the event's limit. */
	m = message(6, 0);
	put_wait(f, &m, ips, 6);
	run(f);
	assert_int_equal(take_wait(f, &layout, PERF_RECORD_MISC_USER | RECORD_MISC_CHAIN_CUT).callchain_nr, 5);
	/* More than it holds, by itself or together with the waker's, is nothing. */
	m = message(7, 0);
	put_wait(f, &m, ips, 6);
	m = message(3, 5);
	put_wait(f, &m, ips, 6);
	m = message(300, 0);
	put_wait(f, &m, ips, 6);
	run(f);
	assert_int_equal(f->out_nr, 0);
	/* A stack that user space walks may come before the end of its wait, or after it. */
	struct waiting_stack stack = { .pid = 5, .tid = 6, .nr = 2, .ips = { 0x7000, 0x8000 } };
	byte_list none = {};
	m = message(0, 1);
	m.flags = WAIT_COPIED;
	m.number = 42;
	wait_samples_take_stack(&f->u, 42, &stack, &none);
	assert_int_equal(none.len, 0);
	put_wait(f, &m, ips, 1);
	run(f);
	assert_int_equal(take_wait(f, &layout, PERF_RECORD_MISC_USER).ip, 0x7000);
	m.number = 43;
	put_wait(f, &m, ips, 1);
	run(f);
	assert_int_equal(f->out_nr, 0);
	wait_samples_take_stack(&f->u, 43, &stack, &none);
	memcpy(f->out, none.data, none.len);
	f->out_nr = none.len / 8;
	assert_int_equal(take_wait(f, &layout, PERF_RECORD_MISC_USER).callchain_nr, 3);
	vec_deinit(&none);
	wait_samples_deinit(&f->u);
	end(f);
}

/* ---- copies, whose tables may have to be made first ---- */

#define CODE 0x400000

static struct unwind_objects no_objects(void *ctx, const struct mapped_file *f)
{
	(*(unsigned *)ctx)++;
	return (struct unwind_objects){};
}

/* A process with code of a file that nothing is known of yet. */
static struct sys_faked *add_process(struct fixture *f, unsigned *opened)
{
	struct sys_faked *faked = sys_faked_create();
	sys_faked_file(faked, "/sys/devices/system/cpu/online", "0\n");
	assert_ok(live_maps_open(sys_faked_sys(faked), (struct live_clock){}, &f->u.live));
	f->u.tables = unwind_tables_create(no_objects, opened);
	f->u.unwinder = unwinder_create(live_maps_machine(f->u.live), f->u.tables);
	f->u.missing_fd = -1;
	pthread_mutex_init(&f->u.lock, NULL);
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, bytes, pgoff;
		char path[8];
	} map = { { PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(map) }, 5, 5, CODE, 0x1000, 0, "/prog" };
	machine_apply(live_maps_machine(f->u.live), (struct record){ .hdr = &map.header }, 10);
	return faked;
}

static void end_process(struct fixture *f, struct sys_faked *faked)
{
	vec_deinit(&f->u.missing);
	unwinder_destroy(f->u.unwinder);
	unwind_tables_destroy(f->u.tables);
	live_maps_close(f->u.live);
	pthread_mutex_destroy(&f->u.lock);
	sys_faked_destroy(faked);
}

static void put_copy(struct fixture *f, uint32_t tid)
{
	struct unwind_copy *copy = xcalloc(1, sizeof(*copy));
	const size_t raw_bytes = offsetof(struct unwind_copy, memory) + 512, n = (4 + raw_bytes + 7) / 8;
	uint64_t words[1024] = { STACKS_ID, CODE, ids(5, tid), 99 };
	*copy = (struct unwind_copy){ .message = UNWIND_MESSAGE_COPY, .bytes = 512, .pc = CODE + 16, .exact = 1, .stack.nr = 1 };
	copy->reg[arch_native()->dwarf_sp] = 0x7ff00010;
	memcpy(words + 4, &(uint32_t){ (uint32_t)(8 * n - 4) }, 4);
	memcpy((char *)(words + 4) + 4, copy, raw_bytes);
	put(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, 4 + n);
	free(copy);
}

static void put_copied_sample(struct fixture *f)
{
	put_copy(f, 6);
	put_sample(f, 6, PERF_RECORD_MISC_USER, NULL, 0);
}

/* The copied sample, whose walk ends in code without a table, and the name of a thread after it. */
static void expect_both(struct fixture *f)
{
	struct perf_event_header after;
	assert_int_equal(f->out_nr, 5 + 4 + 2);
	memcpy(&after, f->out + 9, 8);
	assert_int_equal(after.type, PERF_RECORD_COMM);
	f->out_nr -= 2;
	expect(f, PERF_RECORD_MISC_USER | RECORD_MISC_CHAIN_CUT, (uint64_t[]){ 2, PERF_CONTEXT_USER, CODE + 16, 4242 }, 4);
	assert_int_equal(f->u.copied, 1);
	assert_int_equal(f->u.records, 1);
	assert_int_equal(f->u.holders, 0);
}

static void held_until_there_is_a_table(void **state)
{
	struct fixture *f = begin();
	unsigned opened = 0;
	struct sys_faked *faked = add_process(f, &opened);
	put_copied_sample(f);
	run(f);
	put(f, PERF_RECORD_COMM, 0, (uint64_t[]){ ids(5, 5) }, 1);
	run(f);
	assert_ok(chain_sink_settle(&f->sink, false));
	assert_int_equal(f->out_nr, 0);
	assert_true(chain_sink_holds(&f->sink));
	assert_int_equal(opened, 0);
	assert_int_equal(f->u.holders, 1);
	/* What the thread does. */
	assert_int_equal(f->u.missing.len, 1);
	(void)unwind_tables_find(f->u.tables, f->u.missing.data[0]);
	assert_ok(chain_sink_settle(&f->sink, false));
	assert_false(chain_sink_holds(&f->sink));
	assert_int_equal(opened, 1);
	expect_both(f);
	/* From now on, at once. */
	put_copied_sample(f);
	run(f);
	assert_int_equal(f->out_nr, 9);
	end_process(f, faked);
	end(f);
}

static void given_at_the_end(void **state)
{
	struct fixture *f = begin();
	unsigned opened = 0;
	struct sys_faked *faked = add_process(f, &opened);
	put_copied_sample(f);
	put(f, PERF_RECORD_COMM, 0, (uint64_t[]){ ids(5, 5) }, 1);
	run(f);
	assert_int_equal(f->out_nr, 0);
	assert_ok(chain_sink_settle(&f->sink, true));
	assert_int_equal(opened, 1);
	expect_both(f);
	end_process(f, faked);
	end(f);
}

enum { HELD_RECORD_BYTES = 8 * 1025 };

/* Holds a stack that lacks its table, and `bytes` or more behind it. Returns what was held before some of it was given. */
static size_t hold_many(struct fixture *f, size_t bytes)
{
	size_t held = 0;
	counted_bytes = 0;
	f->file.write = count_bytes;
	put_copied_sample(f);
	run(f);
	for (; !counted_bytes && held < bytes; held += HELD_RECORD_BYTES) {
		put(f, PERF_RECORD_COMM, 0, (uint64_t[1024]){}, 1024);
		run(f);
	}
	return held;
}

/* Each CPU may hold 16 MB. */
static void held_up_to_a_limit(void **state)
{
	struct fixture *f = begin();
	unsigned opened = 0;
	struct sys_faked *faked = add_process(f, &opened);
	assert_in_range(hold_many(f, 20u << 20), (16u << 20) - 8192, 16u << 20);
	assert_int_equal(opened, 1);
	end_process(f, faked);
	end(f);
}

/* So that rings are read in between. */
static void given_in_slices(void **state)
{
	enum { SLICE = 1 << 20 };
	struct fixture *f = begin();
	unsigned opened = 0, slices = 0;
	struct sys_faked *faked = add_process(f, &opened);
	size_t held = hold_many(f, 4 * SLICE);
	assert_int_equal(counted_bytes, 0);
	(void)unwind_tables_find(f->u.tables, f->u.missing.data[0]);
	for (size_t before = 0; chain_sink_holds(&f->sink) && slices < 9; before = counted_bytes, slices++) {
		assert_ok(chain_sink_settle(&f->sink, false));
		assert_in_range(counted_bytes - before, 1, SLICE + HELD_RECORD_BYTES);
	}
	assert_int_equal(slices, 4);
	assert_in_range(counted_bytes - held, 8, 256); /* the sample */
	assert_int_equal(f->u.holders, 0);
	end_process(f, faked);
	end(f);
}

/* Records that arrive while slices are given come after all that was held, and what is held shrinks all the same. */
static void in_order_between_slices(void **state)
{
	struct fixture *f = begin();
	unsigned opened = 0, more = 0;
	struct sys_faked *faked = add_process(f, &opened);
	size_t held = hold_many(f, 3u << 20);
	(void)unwind_tables_find(f->u.tables, f->u.missing.data[0]);
	while (chain_sink_holds(&f->sink) && more++ < 9) {
		put(f, PERF_RECORD_COMM, 0, (uint64_t[]){ more, 0 }, 2);
		run(f);
	}
	assert_int_equal(more, 4);
	assert_in_range(counted_bytes - held, 4 * 24, 4 * 24 + 256);
	assert_int_equal(last_words[1], more);
	end_process(f, faked);
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_samples),
		cmocka_unit_test(kernel_samples),
		cmocka_unit_test(lost_records),
		cmocka_unit_test(losses_of_events_without_a_name),
		cmocka_unit_test(nested_samples),
		cmocka_unit_test(whole_samples),
		cmocka_unit_test(others),
		cmocka_unit_test(waits),
		cmocka_unit_test(held_until_there_is_a_table),
		cmocka_unit_test(given_at_the_end),
		cmocka_unit_test(held_up_to_a_limit),
		cmocka_unit_test(given_in_slices),
		cmocka_unit_test(in_order_between_slices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
