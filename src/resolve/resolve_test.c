#include "base/testing.h"

#include <stdio.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "machine/record_builder.h"
#include "perfdata/reader.h"
#include "resolve/chain/chain.h"
#include "resolve/dumps.h"
#include "resolve/members.h"
#include "resolve/resolve.h"
#include "sys/perf_abi.h"

#define USER   PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL
#define TEXT   0xffffffff81000000ull

/* ---- a recording in memory ---- */

struct recording {
	struct record_builder b; /* the records */
	struct perf_event_attr attr;
	VEC(uint8_t) file;
	struct record_source *source;
	char kallsyms[64];
};

static void recording_init(struct recording *f)
{
	*f = (struct recording){
		.attr = {
			.size = sizeof(f->attr),
			.type = PERF_TYPE_SOFTWARE,
			.sample_period = 7,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				       PERF_SAMPLE_CALLCHAIN,
			.sample_id_all = 1,
		},
		.kallsyms = "/tmp/strobe-resolve-XXXXXX",
	};
	/* Kernel symbols that no machine has, so that the truth is known. */
	int fd = mkstemp(f->kallsyms);
	assert_true(fd >= 0);
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000100 T sys_one\n"
				   "ffffffff81000200 T sys_two\nffffffff81000300 T last\nffffffff81000400 T _etext\n";
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
}

static void recording_deinit(struct recording *f)
{
	source_destroy(f->source);
	vec_deinit(&f->b.bytes);
	vec_deinit(&f->file);
	unlink(f->kallsyms);
}

static void trailer(struct recording *f, uint32_t pid, uint64_t time)
{
	if (!f->attr.sample_id_all)
		return;
	build_u32s(&f->b, pid, pid);
	build_u64(&f->b, time);
	build_u32s(&f->b, 0, 0);
	((struct perf_event_header *)(f->b.bytes.data + f->b.at))->size = (uint16_t)(f->b.bytes.len - f->b.at);
}

static void add_comm(struct recording *f, uint64_t time, uint32_t pid, const char *comm, bool exec)
{
	build_comm(&f->b, pid, pid, comm, exec);
	trailer(f, pid, time);
}

static void add_fork(struct recording *f, uint64_t time, uint32_t pid, uint32_t ppid)
{
	build_task(&f->b, PERF_RECORD_FORK, pid, ppid, pid, ppid, time);
	trailer(f, ppid, time);
}

static void add_map(struct recording *f, uint64_t time, uint32_t pid, uint64_t start, uint64_t end, const char *name)
{
	build_mmap2(&f->b, USER, pid, pid, start, end - start, 0, strlen(name), name);
	trailer(f, pid, time);
}

static void add_kernel(struct recording *f)
{
	build_mmap(&f->b, KERNEL, UINT32_MAX, TEXT, 0x400, TEXT, "[kernel.kallsyms]_text");
	trailer(f, 0, 0);
}

struct test_sample {
	uint64_t time;
	uint32_t pid, tid, cpu;
	uint16_t misc;
	uint64_t period;
	uint64_t chain[12]; /* ends with 0; ip is the first that is no marker */
	uint64_t ip;        /* where it is another */
};

static void add_sample(struct recording *f, struct test_sample s)
{
	uint64_t n = 0, ip = 0;
	while (n < 12 && s.chain[n])
		n++;
	for (uint64_t i = 0; i < n && !ip; i++)
		ip = s.chain[i] < PERF_CONTEXT_MAX ? s.chain[i] : 0;
	build_start(&f->b, PERF_RECORD_SAMPLE, s.misc ? s.misc : USER);
	if (f->attr.sample_type & PERF_SAMPLE_IP)
		build_u64(&f->b, s.ip ? s.ip : ip);
	build_u32s(&f->b, s.pid, s.tid ? s.tid : s.pid);
	if (f->attr.sample_type & PERF_SAMPLE_TIME)
		build_u64(&f->b, s.time);
	build_u32s(&f->b, s.cpu, 0);
	if (f->attr.sample_type & PERF_SAMPLE_PERIOD)
		build_u64(&f->b, s.period);
	if (f->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		build_u64(&f->b, n);
		for (uint64_t i = 0; i < n; i++)
			build_u64(&f->b, s.chain[i]);
	}
	build_end(&f->b);
}

static void add_round(struct recording *f)
{
	build_start(&f->b, RECORD_FINISHED_ROUND, 0);
	build_end(&f->b);
}

static void open_recording(struct recording *f)
{
	uint64_t attrs = 104, data = attrs + sizeof(f->attr) + 16;
	uint64_t header[13] = {
		0x32454c4946524550ull, 104, sizeof(f->attr) + 16, attrs, sizeof(f->attr) + 16, data, f->b.bytes.len,
	};
	memcpy(vec_extend(&f->file, sizeof(header)), header, sizeof(header));
	memcpy(vec_extend(&f->file, sizeof(f->attr)), &f->attr, sizeof(f->attr));
	memcpy(vec_extend(&f->file, 16), (uint64_t[]){ data, 0 }, 16);
	memcpy(vec_extend(&f->file, f->b.bytes.len), f->b.bytes.data, f->b.bytes.len);
	assert_ok(reader_open_mem(f->file.data, f->file.len, &f->source));
}

/* A source that gives what another gives and hides that it lies in memory: the other way in. */
struct hidden {
	struct record_source source;
	struct record_source *real;
};

static struct strobe_error *hidden_next(struct record_source *s, struct record *ret, bool *ret_end)
{
	return source_next(((struct hidden *)s)->real, ret, ret_end);
}

static const struct env *hidden_env(struct record_source *s)
{
	return source_env(((struct hidden *)s)->real);
}

static struct strobe_error *hidden_rewind(struct record_source *s)
{
	struct record_source *real = ((struct hidden *)s)->real;
	return real->ops->rewind(real);
}

static const struct record_source_ops hidden_ops = { .next = hidden_next, .env = hidden_env, .rewind = hidden_rewind };

/* ---- the answer as text: one line a row, "comm|outer;inner samples value", sorted ---- */

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_frame_text(struct strbuf *b, const struct profile *p, frame_id id)
{
	const struct profile_frame *f = &p->frames.data[id];
	if (f->mapping != PROFILE_NONE)
		strbuf_addf(b, "%s:", profile_str(p, p->mappings.data[f->mapping].name));
	if (f->function != PROFILE_NONE)
		strbuf_addstr(b, profile_str(p, p->functions.data[f->function].name));
	else
		strbuf_addf(b, "%llx", (unsigned long long)f->addr);
}

static void add_row_text(struct strbuf *b, const struct profile *p, const struct profile_row *row)
{
	VEC(frame_id) path = {};
	const uint64_t *labels = profile_label_values(p, row->labels);
	for (uint32_t i = 0; i < p->columns.len; i++) {
		enum column_type type = p->columns.data[i].type;
		if (type == COLUMN_STRING)
			strbuf_addstr(b, profile_str(p, (str_id)labels[i]));
		else
			strbuf_addf(b, "%llu", (unsigned long long)labels[i]);
		strbuf_addch(b, '|');
	}
	for (stack_id s = row->stack; s != PROFILE_NONE; s = p->stacks.data[s].caller)
		vec_push(&path, p->stacks.data[s].frame);
	for (size_t i = path.len; i-- > 0;) {
		add_frame_text(b, p, path.data[i]);
		if (i)
			strbuf_addch(b, ';');
	}
	strbuf_addf(b, " %llu %llu", (unsigned long long)row->samples, (unsigned long long)row->value);
	vec_deinit(&path);
}

static char *profile_text(const struct profile *p)
{
	char **lines = calloc(p->rows.len + 1, sizeof(*lines));
	struct strbuf all = {};
	for (size_t i = 0; i < p->rows.len; i++) {
		struct strbuf b = {};
		add_row_text(&b, p, &p->rows.data[i]);
		lines[i] = strbuf_take(&b);
	}
	qsort(lines, p->rows.len, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < p->rows.len; i++) {
		strbuf_addf(&all, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
	char *text = strdup(strbuf_str(&all));
	strbuf_deinit(&all);
	return text;
}

static struct symbols_options symbols_of(const struct recording *f)
{
	return (struct symbols_options){ .kallsyms = f->kallsyms, .ignore_vmlinux = true };
}

static char *aggregate(struct recording *f, struct record_source *source, struct resolve_options o,
		       struct resolve_stats *ret_stats)
{
	struct resolver *r = resolver_create(source, symbols_of(f), o);
	struct profile *p;
	assert_ok(resolve_aggregate(r, &p));
	char *text = profile_text(p);
	if (ret_stats)
		*ret_stats = *resolver_stats(r);
	profile_destroy(p);
	resolver_destroy(r);
	return text;
}

static const char *const comm_key[] = { "comm" };

/* All ways in must give `expected`. */
static void check(struct recording *f, struct resolve_options o, const char *expected)
{
	if (!o.label_keys) {
		o.label_keys = comm_key;
		o.label_keys_nr = 1;
	}
	if (!f->source)
		open_recording(f);
	struct hidden hidden = { .source = { .ops = &hidden_ops }, .real = f->source };
	char *by_span = aggregate(f, f->source, o, NULL);
	char *by_feed = aggregate(f, &hidden.source, o, NULL);
	assert_string_equal(by_span, expected);
	assert_string_equal(by_feed, expected);
	free(by_span);
	free(by_feed);
}

#define WITH_CHAINS ((struct resolve_options){ .with_chains = true })

/* ---- tests ---- */

static void equal_stacks_are_counted_together(void **state)
{
	struct recording f;
	recording_init(&f);
	add_kernel(&f);
	add_comm(&f, 0, 10, "app", false);
	add_map(&f, 0, 10, 0x1000, 0x2000, "/nowhere/app");
	struct test_sample s = { .pid = 10, .period = 5, .chain = { PERF_CONTEXT_USER, 0x1010, 0x1020 } };
	for (s.time = 10; s.time < 13; s.time++)
		add_sample(&f, s);
	add_sample(&f, (struct test_sample){ .time = 20, .pid = 10, .period = 1, .chain = { PERF_CONTEXT_USER, 0x1010 } });
	check(&f, WITH_CHAINS, "app|app:10 1 1\napp|app:20;app:10 3 15\n");
	check(&f, (struct resolve_options){ .with_chains = false }, "app|app:10 4 16\n");
	recording_deinit(&f);
}

static void markers_distinguish_kernel_and_user(void **state)
{
	struct recording f;
	recording_init(&f);
	add_kernel(&f);
	add_comm(&f, 0, 10, "app", false);
	add_map(&f, 0, 10, 0x1000, 0x2000, "/nowhere/app");
	struct test_sample s = { .time = 5, .pid = 10, .misc = KERNEL, .period = 1 };
	memcpy(s.chain, (uint64_t[]){ PERF_CONTEXT_KERNEL, TEXT + 0x180, TEXT + 0x210, PERF_CONTEXT_USER, 0x1010, TEXT + 0x180 }, 48);
	add_sample(&f, s);
	/* Another address in the same function is the same frame, unless frames are distinguished by address. */
	s.chain[2] = TEXT + 0x218;
	add_sample(&f, s);
	check(&f, WITH_CHAINS,
	      "app|ffffffff81000180;app:10;[kernel.kallsyms]:sys_two;[kernel.kallsyms]:sys_one 2 2\n");
	check(&f, (struct resolve_options){ .with_chains = true, .by_address = true },
	      "app|ffffffff81000180;app:10;[kernel.kallsyms]:sys_two;[kernel.kallsyms]:sys_one 1 1\n"
	      "app|ffffffff81000180;app:10;[kernel.kallsyms]:sys_two;[kernel.kallsyms]:sys_one 1 1\n");
	recording_deinit(&f);
}

static void a_caller_is_looked_up_where_calls_return_to(void **state)
{
	struct recording f;
	recording_init(&f);
	add_kernel(&f);
	add_comm(&f, 0, 10, "app", false);
	/* The call is the last instruction of sys_one: it returns to sys_two's first byte. */
	add_sample(&f, (struct test_sample){ .time = 5, .pid = 10, .misc = KERNEL, .period = 1,
					     .chain = { PERF_CONTEXT_KERNEL, TEXT + 0x310, TEXT + 0x200 } });
	check(&f, WITH_CHAINS, "app|[kernel.kallsyms]:sys_two;[kernel.kallsyms]:last 1 1\n");
	recording_deinit(&f);
}

static void fork_and_exec_name_and_map_by_time(void **state)
{
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "sh", false);
	add_map(&f, 0, 10, 0x1000, 0x2000, "/nowhere/sh");
	add_fork(&f, 100, 11, 10);
	struct test_sample s = { .pid = 11, .period = 1, .chain = { PERF_CONTEXT_USER, 0x1100 } };
	for (s.time = 110; s.time <= 310; s.time += 100)
		add_sample(&f, s);
	/* The side-band of another CPU's ring follows the samples it concerns. */
	add_comm(&f, 200, 11, "ls", true);
	add_map(&f, 300, 11, 0x1000, 0x3000, "/nowhere/ls");
	add_round(&f);
	/* Between the exec and the new image's maps an address is the old image's: of the call to execve itself. */
	check(&f, WITH_CHAINS, "ls|ls:100 1 1\nls|sh:100 1 1\nsh|sh:100 1 1\n");
	recording_deinit(&f);
}

static void a_library_loaded_late_is_not_there_before(void **state)
{
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "app", false);
	struct test_sample s = { .pid = 10, .period = 1, .chain = { PERF_CONTEXT_USER, 0x5100 } };
	for (s.time = 50; s.time <= 250; s.time += 100)
		add_sample(&f, s);
	add_map(&f, 100, 10, 0x5000, 0x6000, "/nowhere/late.so");
	add_map(&f, 200, 10, 0x4000, 0x8000, "/nowhere/over.so");
	add_round(&f);
	check(&f, WITH_CHAINS, "app|5100 1 1\napp|late.so:100 1 1\napp|over.so:1100 1 1\n");
	recording_deinit(&f);
}

static void samples_pass_filters_or_are_counted_as_left_out(void **state)
{
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "app", false);
	add_comm(&f, 0, 11, "other", false);
	for (uint32_t i = 0; i < 8; i++)
		add_sample(&f, (struct test_sample){ .time = 100 + i, .pid = 10 + i % 2, .cpu = i, .period = 1,
						     .chain = { PERF_CONTEXT_USER, 0x10 + i } });
	struct resolve_options o = { .with_chains = true };
	struct time_range range = { 102, 103 };
	o.filter = (struct resolve_filter){ .times = &range, .times_nr = 1 };
	check(&f, o, "app|12 1 1\nother|13 1 1\n");
	o.filter = (struct resolve_filter){ .cpus = (uint32_t[]){ 7, 0 }, .cpus_nr = 2 };
	check(&f, o, "app|10 1 1\nother|17 1 1\n");
	o.filter = (struct resolve_filter){ .cpus = (uint32_t[]){ 0, 1 }, .cpus_nr = 2 };
	o.filter.comms = (const char *const[]){ "other" };
	o.filter.comms_nr = 1;
	check(&f, o, "other|11 1 1\n");
	o.filter = (struct resolve_filter){ .pids = (uint32_t[]){ 10 }, .pids_nr = 1, .times = &range, .times_nr = 1 };
	check(&f, o, "app|12 1 1\n");
	o.filter = (struct resolve_filter){ .tids = (uint32_t[]){ 99 }, .tids_nr = 1 };
	check(&f, o, "");
	recording_deinit(&f);
}

static void labels_are_those_selected(void **state)
{
	static const char *const keys[] = { "cpu", "comm", "time", "no such key", "tid" };
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "app", false);
	struct test_sample s = { .time = 123, .pid = 10, .cpu = 3, .period = 1, .chain = { PERF_CONTEXT_USER, 0x10 } };
	add_sample(&f, s);
	s.time = 129;
	s.tid = 77;
	add_sample(&f, s);
	/* Those of the thread come first. */
	check(&f, (struct resolve_options){ .label_keys = keys, .label_keys_nr = 5, .time_quantum_ns = 10 },
	      ":77|77|3|120|10 1 1\napp|10|3|120|10 1 1\n");
	assert_true(resolve_key_known("trace:prev_comm"));
	assert_false(resolve_key_known("trace:"));
	assert_false(resolve_key_known("no such key"));
	recording_deinit(&f);
}

static void what_a_recording_lacks_has_a_stand_in(void **state)
{
	struct recording f;
	recording_init(&f);
	f.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
	f.attr.sample_id_all = 0;
	add_comm(&f, 0, 10, "first", false);
	add_sample(&f, (struct test_sample){ .pid = 10, .chain = { 0x10 } });
	add_comm(&f, 0, 10, "second", false);
	add_sample(&f, (struct test_sample){ .pid = 10, .chain = { 0x10 } });
	/* No time: the order of arrival; no period: that of the attr; no chain: the address. */
	check(&f, WITH_CHAINS, "first|10 1 7\nsecond|10 1 7\n");
	recording_deinit(&f);
}

static void long_stacks_are_cut_at_their_outer_end(void **state)
{
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "app", false);
	struct test_sample s = { .time = 1, .pid = 10, .period = 1, .chain = { PERF_CONTEXT_USER, 1, 2, 3, 4, 5 } };
	add_sample(&f, s);
	check(&f, (struct resolve_options){ .with_chains = true, .max_stack = 3 }, "app|3;2;1 1 1\n");
	recording_deinit(&f);
}

static void unresolved_frames_can_be_hidden(void **state)
{
	struct recording f;
	recording_init(&f);
	add_kernel(&f);
	add_comm(&f, 0, 10, "app", false);
	add_sample(&f, (struct test_sample){ .time = 1, .pid = 10, .misc = KERNEL, .period = 1,
					     .chain = { PERF_CONTEXT_KERNEL, TEXT + 0x110, 0x40, TEXT + 0x210 } });
	add_sample(&f, (struct test_sample){ .time = 1, .pid = 10, .period = 1, .chain = { PERF_CONTEXT_USER, 0x99 } });
	check(&f, (struct resolve_options){ .with_chains = true, .hide_unresolved = true },
	      "app|[kernel.kallsyms]:sys_two;[kernel.kallsyms]:sys_one 1 1\n");
	recording_deinit(&f);
}

/* Two branches newest first: to is where a row lies, from is a label; each counts one. */
static void each_branch_is_a_row(void **state)
{
	static const char *const keys[] = { "comm", "branch_from", "branch_to", "branch_cycles" };
	struct recording f;
	recording_init(&f);
	f.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_BRANCH_STACK;
	f.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	add_kernel(&f);
	add_comm(&f, 0, 10, "app", false);
	add_map(&f, 0, 10, 0x1000, 0x2000, "/nowhere/app");
	add_sample(&f, (struct test_sample){ .time = 5, .pid = 10, .chain = { 0x1010 } });
	struct perf_branch_entry branches[2] = { { .from = 0x1800, .to = TEXT + 0x110, .cycles = 9 }, { .from = 0x1810, .to = 0x1820 } };
	build_u64(&f.b, 2);
	build_bytes(&f.b, branches, sizeof(branches));
	build_end(&f.b);
	struct resolve_options o = { .branch_mode = true, .label_keys = keys, .label_keys_nr = 4 };
	open_recording(&f);
	struct resolver *r = resolver_create(f.source, symbols_of(&f), o);
	struct profile *p;
	assert_ok(resolve_aggregate(r, &p));
	assert_int_equal(p->rows.len, 2);
	assert_int_equal(p->events.data[0].value, 2);
	const struct profile_row *row = &p->rows.data[0];
	const struct profile_frame *leaf = &p->frames.data[p->stacks.data[row->stack].frame];
	assert_string_equal(profile_str(p, p->functions.data[leaf->function].name), "sys_one");
	assert_int_equal(leaf->space, SPACE_KERNEL);
	const uint64_t *labels = profile_label_values(p, row->labels);
	assert_int_equal(p->frames.data[labels[1]].addr, 0x800);
	assert_int_equal(p->frames.data[labels[2]].addr, TEXT + 0x110); /* exact, beside the row's function */
	assert_int_equal(labels[3], 9);
	assert_int_equal(row->weight, 9);
	leaf = &p->frames.data[p->stacks.data[p->rows.data[1].stack].frame];
	assert_int_equal(leaf->function, PROFILE_NONE);
	assert_int_equal(leaf->addr, 0x820);
	profile_destroy(p);
	resolver_destroy(r);
	recording_deinit(&f);
}

static void modules_are_shown_from_their_start(void **state)
{
	struct recording f;
	recording_init(&f);
	add_kernel(&f);
	build_mmap(&f.b, KERNEL, UINT32_MAX, 0xffffffffc0100000, 0x1000, 0, "/nowhere/snd-x.ko");
	trailer(&f, 0, 0);
	add_comm(&f, 0, 10, "app", false);
	add_sample(&f, (struct test_sample){ .time = 1, .pid = 10, .misc = KERNEL, .period = 1,
					     .chain = { PERF_CONTEXT_KERNEL, 0xffffffffc0100123 } });
	check(&f, WITH_CHAINS, "app|[snd_x]:123 1 1\n");
	recording_deinit(&f);
}

/* By four threads, by one, and record by record, which is a second source: the same rows and counts. */
static void check_ways(struct recording *f, struct resolve_options o, uint64_t samples)
{
	struct hidden hidden = { .source = { .ops = &hidden_ops }, .real = f->source };
	struct resolve_stats parallel, single, streamed;
	o.threads = 4;
	char *by_threads = aggregate(f, f->source, o, &parallel);
	o.threads = 1;
	char *by_one = aggregate(f, f->source, o, &single);
	char *by_feed = aggregate(f, &hidden.source, o, &streamed);
	assert_string_equal(by_threads, by_one);
	assert_string_equal(by_threads, by_feed);
	assert_int_equal(streamed.late_records, 0);
	assert_memory_equal(parallel.records, single.records, sizeof(single.records));
	assert_memory_equal(parallel.records, streamed.records, sizeof(single.records));
	assert_int_equal(parallel.records[PERF_RECORD_SAMPLE], samples);
	assert_int_equal(parallel.first_ns, streamed.first_ns);
	assert_int_equal(parallel.last_ns, streamed.last_ns);
	assert_int_equal(parallel.filtered_samples, streamed.filtered_samples);
	free(by_threads);
	free(by_one);
	free(by_feed);
}

/* Many threads, CPUs, execs and stacks, enough for several slices. */
static void slices_in_parallel_give_what_one_stream_gives(void **state)
{
	struct recording f;
	recording_init(&f);
	add_kernel(&f);
	srand(3);
	for (uint32_t pid = 10; pid < 20; pid++) {
		add_comm(&f, 0, pid, "start", false);
		add_map(&f, 0, pid, 0x1000, 0x9000, "/nowhere/start");
	}
	uint64_t time = 1000;
	for (uint32_t i = 0; i < 60000; i++) {
		struct test_sample s = { .pid = 10 + (uint32_t)rand() % 10, .cpu = (uint32_t)rand() % 4, .period = i % 7 + 1 };
		/* CPUs' rings follow each other within a round, so that times run back. */
		s.time = time + (uint64_t)(rand() % 100);
		s.chain[0] = PERF_CONTEXT_USER;
		for (int j = 1; j < 9; j++)
			s.chain[j] = 0x1000 + 0x100 * (uint64_t)(rand() % (j < 3 ? 100 : 3));
		add_sample(&f, s);
		if (i % 500 == 0) {
			add_comm(&f, time + (uint64_t)(rand() % 100), s.pid, i % 1000 ? "again" : "other", i % 1500 == 0);
			add_map(&f, time + 50, s.pid, 0x1000, 0x1000 + 0x1000 * (uint64_t)(1 + rand() % 8), "/nowhere/lib");
			add_fork(&f, time + 60, s.pid + 1, s.pid);
		}
		if (i % 100 == 99) {
			add_round(&f);
			time += 100;
		}
	}
	open_recording(&f);
	assert_true(f.file.len > (5u << 20));
	static const char *const keys[] = { "comm", "pid", "cpu" };
	struct resolve_options o = { .with_chains = true, .label_keys = keys, .label_keys_nr = 3 };
	check_ways(&f, o, 60000);
	/* Without stacks and labels of samples, equal samples are counted before their threads are known. */
	o = (struct resolve_options){ .label_keys = keys, .label_keys_nr = 2 };
	check_ways(&f, o, 60000);
	static const uint32_t pids[] = { 12, 17 };
	o.filter = (struct resolve_filter){ .pids = pids, .pids_nr = 2 };
	check_ways(&f, o, 60000);
	recording_deinit(&f);
}

/* Stacks of words that each look like a record: where a thread begins in the middle of the file, it finds those first. */
static void a_stack_that_looks_like_records_is_not_read_as_such(void **state)
{
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "app", false);
	const struct perf_event_header fake = { .type = PERF_RECORD_SWITCH, .size = sizeof(fake) };
	for (uint64_t i = 0; i < 40000; i++) {
		struct test_sample s = { .time = 1 + i, .pid = 10, .period = 1, .chain = { PERF_CONTEXT_USER, 1 + i % 50 } };
		for (size_t k = 2; k < sizeof(s.chain) / sizeof(*s.chain); k++)
			memcpy(&s.chain[k], &fake, sizeof(fake));
		add_sample(&f, s);
	}
	open_recording(&f);
	assert_true(f.file.len > (4u << 20));
	check_ways(&f, (struct resolve_options){}, 40000);
	recording_deinit(&f);
}

static void the_order_of_rows_does_not_depend_on_threads(void **state)
{
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "app", false);
	for (uint64_t i = 0; i < 50000; i++)
		add_sample(&f, (struct test_sample){ .time = i, .pid = 10, .period = 1,
						     .chain = { PERF_CONTEXT_USER, 1 + i * 7919 % 1000, 5, 6, 7 + i * 31 % 50 } });
	open_recording(&f);
	struct profile *p[2];
	for (unsigned i = 0; i < 2; i++) {
		struct resolve_options o = { .with_chains = true, .threads = i ? 4 : 1, .keep_time_log = true };
		struct resolver *r = resolver_create(f.source, symbols_of(&f), o);
		assert_ok(resolve_aggregate(r, &p[i]));
		resolver_destroy(r);
	}
	assert_int_equal(p[0]->rows.len, p[1]->rows.len);
	assert_memory_equal(p[0]->rows.data, p[1]->rows.data, p[0]->rows.len * sizeof(*p[0]->rows.data));
	assert_memory_equal(p[0]->stacks.data, p[1]->stacks.data, p[0]->stacks.len * sizeof(*p[0]->stacks.data));
	assert_int_equal(p[0]->log.len, 50000);
	assert_int_equal(p[1]->log.len, 50000);
	for (size_t i = 0; i < 50000; i++) {
		assert_int_equal(p[0]->log.data[i].time_ns, i);
		assert_int_equal(p[0]->log.data[i].row, p[1]->log.data[i].row);
	}
	profile_destroy(p[0]);
	profile_destroy(p[1]);
	recording_deinit(&f);
}

struct streamed {
	struct strbuf text;
	uint64_t last_ns, stop_after;
};

static struct strobe_error *stream_sample(void *ctx, const struct resolved_sample *s)
{
	struct streamed *out = ctx;
	assert_true(s->sample.time >= out->last_ns);
	out->last_ns = s->sample.time;
	strbuf_addf(&out->text, "%llu %s %u", (unsigned long long)s->sample.time, s->comm, s->thread->pid);
	for (uint32_t i = 0; i < s->chain_nr; i++) {
		const struct resolved_frame *f = &s->chain[i];
		const char *name = f->symbol ? f->symbol->raw_name : f->map ? f->map->file->name : "?";
		uint64_t from = f->symbol ? f->symbol->start : 0;
		strbuf_addf(&out->text, " %s+%llx", name, (unsigned long long)(f->addr - from));
	}
	strbuf_addch(&out->text, '\n');
	return out->stop_after && !--out->stop_after ? error_create(ERROR_STOPPED, "enough") : NULL;
}

static struct strobe_error *stream_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct streamed *out = ctx;
	strbuf_addf(&out->text, "%llu %s\n", (unsigned long long)time_ns, record_type_name(r.hdr->type));
	return NULL;
}

static void a_stream_is_in_order_and_resolved(void **state)
{
	struct recording f;
	recording_init(&f);
	add_kernel(&f);
	add_comm(&f, 0, 10, "app", false);
	add_sample(&f, (struct test_sample){ .time = 30, .pid = 10, .misc = KERNEL, .period = 1,
					     .chain = { PERF_CONTEXT_KERNEL, TEXT + 0x110, PERF_CONTEXT_USER, 0x1010 } });
	add_sample(&f, (struct test_sample){ .time = 10, .pid = 10, .misc = KERNEL, .period = 1,
					     .chain = { PERF_CONTEXT_KERNEL, TEXT + 0x110, PERF_CONTEXT_USER, 0x1010 } });
	add_map(&f, 20, 10, 0x1000, 0x2000, "/nowhere/app");
	add_round(&f);
	open_recording(&f);
	struct streamed out = { 0 };
	struct resolver *r = resolver_create(f.source, symbols_of(&f), WITH_CHAINS);
	assert_ok(resolve_stream(r, (struct resolve_callbacks){ .sample = stream_sample, .record = stream_record, .ctx = &out }));
	const char *from = strstr(strbuf_str(&out.text), "10 app");
	assert_non_null(from);
	assert_string_equal(from, "10 app 10 sys_one+10 ?+1010\n20 MMAP2\n30 app 10 sys_one+10 app+10\n");
	strbuf_deinit(&out.text);
	out = (struct streamed){ .stop_after = 1 };
	assert_ok(resolve_stream(r, (struct resolve_callbacks){ .sample = stream_sample, .ctx = &out }));
	assert_non_null(strstr(strbuf_str(&out.text), "10 app 10"));
	assert_null(strstr(strbuf_str(&out.text), "30 app"));
	strbuf_deinit(&out.text);
	resolver_destroy(r);
	recording_deinit(&f);
}

struct beside {
	struct streamed out; /* first: the context of stream_sample() */
	struct resolver *resolver;
};

static struct strobe_error *look_up_at_mapping(void *ctx, struct record r, uint64_t time_ns)
{
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, TEXT + 0x110, PERF_CONTEXT_USER, 0x1010 };
	struct beside *b = ctx;
	struct resolved_sample resolved;
	if (r.hdr->type != PERF_RECORD_MMAP2)
		return NULL;
	struct sample x = { .pid = 10, .tid = 10, .time = time_ns, .misc = USER, .ip = 0x1020, .callchain = chain, .callchain_nr = 4 };
	resolver_look_up(b->resolver, &x, &resolved);
	assert_null(resolved.event);
	assert_int_equal(resolved.leaf.addr, 0x20);
	return stream_sample(&b->out, &resolved);
}

/* The file is mapped by then: the chain of the sample before, which has the same words, had no name for its caller. */
static void what_is_no_record_is_looked_up_where_it_stands(void **state)
{
	struct recording f;
	recording_init(&f);
	add_kernel(&f);
	add_comm(&f, 0, 10, "app", false);
	add_sample(&f, (struct test_sample){ .time = 10, .pid = 10, .misc = KERNEL, .period = 1,
					     .chain = { PERF_CONTEXT_KERNEL, TEXT + 0x110, PERF_CONTEXT_USER, 0x1010 } });
	add_map(&f, 20, 10, 0x1000, 0x2000, "/nowhere/app");
	add_round(&f);
	open_recording(&f);
	struct beside b = { .resolver = resolver_create(f.source, symbols_of(&f), WITH_CHAINS) };
	assert_ok(resolve_stream(b.resolver, (struct resolve_callbacks){ .sample = stream_sample, .record = look_up_at_mapping,
									 .ctx = &b }));
	assert_string_equal(strbuf_str(&b.out.text), "10 app 10 sys_one+10 ?+1010\n20 app 10 sys_one+10 app+10\n");
	strbuf_deinit(&b.out.text);
	resolver_destroy(b.resolver);
	recording_deinit(&f);
}

static void a_users_chain_that_comes_later_is_joined(void **state)
{
	struct recording f;
	recording_init(&f);
	perf_abi_attr_set(&f.attr, PERF_ABI_ATTR_DEFER_CALLCHAIN, true);
	add_kernel(&f);
	add_comm(&f, 0, 10, "app", false);
	add_map(&f, 0, 10, 0x1000, 0x2000, "/nowhere/app");
	for (uint64_t time = 10; time < 12; time++)
		add_sample(&f, (struct test_sample){ .time = time, .pid = 10, .tid = 10, .misc = KERNEL, .period = 1,
						     .chain = { PERF_CONTEXT_KERNEL, TEXT + 0x110, CHAIN_CONTEXT_USER_DEFERRED, 99 } });
	build_start(&f.b, RECORD_CALLCHAIN_DEFERRED, USER);
	build_u64(&f.b, 99);
	build_u64(&f.b, 2);
	build_u64(&f.b, PERF_CONTEXT_USER);
	build_u64(&f.b, 0x1010);
	trailer(&f, 10, 20);
	add_round(&f);
	check(&f, WITH_CHAINS, "app|app:10;[kernel.kallsyms]:sys_one 2 2\n");
	struct streamed out = { 0 };
	struct resolver *r = resolver_create(f.source, symbols_of(&f), WITH_CHAINS);
	assert_ok(resolve_stream(r, (struct resolve_callbacks){ .sample = stream_sample, .ctx = &out }));
	assert_string_equal(strbuf_str(&out.text), "10 app 10 sys_one+10 app+10\n11 app 10 sys_one+10 app+10\n");
	strbuf_deinit(&out.text);
	resolver_destroy(r);
	recording_deinit(&f);
}

static void counting_alone_counts_all(void **state)
{
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "app", false);
	add_sample(&f, (struct test_sample){ .time = 5, .pid = 10, .period = 1, .chain = { 0x10 } });
	add_sample(&f, (struct test_sample){ .time = 4, .pid = 10, .period = 1, .chain = { 0x10 } });
	build_start(&f.b, PERF_RECORD_LOST, 0);
	build_u64(&f.b, 0);
	build_u64(&f.b, 33);
	build_end(&f.b);
	trailer(&f, 0, 6);
	build_start(&f.b, PERF_RECORD_LOST_SAMPLES, 0);
	build_u64(&f.b, 44);
	build_end(&f.b);
	trailer(&f, 0, 6);
	open_recording(&f);
	struct resolver *r = resolver_create(f.source, symbols_of(&f), WITH_CHAINS);
	assert_ok(resolve_count(r));
	const struct resolve_stats *s = resolver_stats(r);
	assert_int_equal(s->records[PERF_RECORD_SAMPLE], 2);
	assert_int_equal(s->records[PERF_RECORD_COMM], 1);
	assert_int_equal(s->records[PERF_RECORD_LOST], 1);
	assert_int_equal(s->lost_records, 33);
	assert_int_equal(s->lost_samples, 44);
	assert_int_equal(s->events_nr, 1);
	assert_int_equal(s->events[0].samples, 2);
	assert_int_equal(s->events[0].lost_samples, 44);
	assert_int_equal(s->first_ns, 4);
	assert_int_equal(s->last_ns, 5);
	resolver_destroy(r);
	recording_deinit(&f);
}

static void a_damaged_recording_gives_what_was_whole(void **state)
{
	struct recording f;
	recording_init(&f);
	add_comm(&f, 0, 10, "app", false);
	add_sample(&f, (struct test_sample){ .time = 5, .pid = 10, .period = 1, .chain = { 0x10 } });
	size_t whole = f.b.bytes.len;
	add_sample(&f, (struct test_sample){ .time = 6, .pid = 10, .period = 1, .chain = { 0x20 } });
	((struct perf_event_header *)(f.b.bytes.data + whole))->size = 4;
	open_recording(&f);
	struct resolve_options o = { .label_keys = comm_key, .label_keys_nr = 1 };
	struct resolver *r = resolver_create(f.source, symbols_of(&f), o);
	struct profile *p;
	assert_fails(resolve_aggregate(r, &p), ERROR_FORMAT);
	char *text = profile_text(p);
	assert_string_equal(text, "app|10 1 1\n");
	free(text);
	profile_destroy(p);
	resolver_destroy(r);
	recording_deinit(&f);
}

static void a_chain_that_lies_is_counted_as_bad(void **state)
{
	struct recording f;
	recording_init(&f);
	add_sample(&f, (struct test_sample){ .time = 5, .pid = 10, .period = 1, .chain = { 0x10, 0x20 } });
	uint64_t *words = (uint64_t *)(f.b.bytes.data + f.b.at);
	words[6] = UINT64_MAX; /* the chain's length */
	open_recording(&f);
	struct resolve_stats stats;
	char *text = aggregate(&f, f.source, WITH_CHAINS, &stats);
	assert_string_equal(text, "");
	assert_int_equal(stats.bad_samples, 1);
	free(text);
	recording_deinit(&f);
}

static struct strobe_error *plain_sample(void *ctx, const struct resolved_sample *s)
{
	assert_null(s->comm);
	strbuf_addf(ctx, "%u at %u of %u\n", (unsigned)s->sample.pid, (unsigned)s->sample.time, (unsigned)s->sample.event);
	return NULL;
}

static struct strobe_error *plain_record(void *ctx, struct record rec, uint64_t time_ns)
{
	strbuf_addf(ctx, "%u at %u\n", (unsigned)rec.hdr->type, (unsigned)time_ns);
	return NULL;
}

static void plain_records_are_ordered_and_counted(void **state)
{
	struct recording f;
	struct strbuf text = {};
	recording_init(&f);
	add_sample(&f, (struct test_sample){ .time = 7, .pid = 12, .period = 1 });
	add_comm(&f, 6, 11, "late", false);
	add_sample(&f, (struct test_sample){ .time = 5, .pid = 10, .period = 1 });
	build_start(&f.b, PERF_RECORD_LOST, 0);
	build_u64(&f.b, 0);
	build_u64(&f.b, 33);
	build_end(&f.b);
	trailer(&f, 0, 8);
	add_sample(&f, (struct test_sample){ .time = 9, .pid = 10, .period = 1, .chain = { 0x10, 0x20 } });
	((uint64_t *)(f.b.bytes.data + f.b.at))[6] = UINT64_MAX; /* the chain's length */
	open_recording(&f);
	struct resolver *r = resolver_create(f.source, symbols_of(&f), (struct resolve_options){});
	assert_ok(resolve_stream(r, (struct resolve_callbacks){ .sample = plain_sample, .record = plain_record, .is_plain = true,
								.ctx = &text }));
	assert_string_equal(strbuf_str(&text), "10 at 5 of 0\n3 at 6\n12 at 7 of 0\n2 at 8\n");
	assert_int_equal(resolver_stats(r)->records[PERF_RECORD_SAMPLE], 3);
	assert_int_equal(resolver_stats(r)->bad_samples, 1);
	assert_int_equal(resolver_stats(r)->lost_records, 33);
	strbuf_deinit(&text);
	resolver_destroy(r);
	recording_deinit(&f);
}

static void chains_are_read_marker_by_marker(void **state)
{
	struct chain_entry e[8];
	bool apart;
	const struct chain_options eight = { .max = 8 }, two = { .max = 2 }, outer_two = { .max = 2, .outermost = true };
	const uint64_t deferred = (uint64_t)-640, unknown = (uint64_t)-7;
	const uint64_t words[] = { PERF_CONTEXT_HV, 1, PERF_CONTEXT_KERNEL, 2, PERF_CONTEXT_USER, 3, deferred, 99, 4, unknown, 5 };
	assert_int_equal(chain_expand(words, 9, 1, PERF_RECORD_MISC_HYPERVISOR, eight, e, &apart), 4);
	assert_false(apart);
	assert_int_equal(e[0].cpumode, PERF_RECORD_MISC_HYPERVISOR);
	assert_int_equal(e[1].cpumode, KERNEL);
	assert_int_equal(e[2].cpumode, USER);
	assert_int_equal(e[3].ip, 4); /* after a deferred part's cookie */
	/* An unknown marker makes all of it worthless, where it is come to. */
	assert_int_equal(chain_expand(words, 11, 1, KERNEL, eight, e, &apart), 1);
	assert_true(apart);
	/* A sample beside its chain is its leaf. */
	assert_int_equal(chain_expand(words, 9, 42, KERNEL, two, e, &apart), 3);
	assert_true(apart);
	assert_int_equal(e[0].ip, 42);
	assert_int_equal(e[1].ip, 1);
	assert_int_equal(e[2].ip, 2);
	assert_int_equal(chain_expand(words, 0, 42, USER, eight, e, &apart), 1);
	assert_true(apart);
	assert_int_equal(chain_expand(words, 1, 0, USER, eight, e, &apart), 0);
	assert_false(apart);
	/* With callers first the outer ones are kept, and the sample's own place. */
	assert_int_equal(chain_expand(words, 9, 1, PERF_RECORD_MISC_HYPERVISOR, outer_two, e, &apart), 3);
	assert_true(apart);
	assert_int_equal(e[1].ip, 3);
	assert_int_equal(e[1].cpumode, USER);
	assert_int_equal(e[2].ip, 4);
}

static void a_cut_stack_goes_on_along_frame_pointers(void **state)
{
	/* Frame pointers pass over the frames 0x200 and 0x400, which keep none. */
	const uint64_t by_fp[] = { 0x100, 0x300, 0x500, 0x600 };
	uint64_t walked[8] = { 0x100, 0x1ff, 0x2ff, 0x3ff };
	uint32_t n = 4;
	(void)state;
	assert_true(dumps_continue(by_fp, 4, 1, walked, &n, 8));
	assert_int_equal(n, 6);
	assert_int_equal(walked[3], 0x3ff);
	assert_int_equal(walked[4], 0x4ff);
	assert_int_equal(walked[5], 0x5ff);
	/* Full, at its end, or without a common caller: it does not. */
	n = 4;
	assert_false(dumps_continue(by_fp, 4, 1, walked, &n, 4));
	assert_false(dumps_continue(by_fp, 2, 1, walked, &n, 8));
	assert_false(dumps_continue(by_fp, 1, 1, walked, &n, 8));
	assert_false(dumps_continue(by_fp, 0, 1, walked, &n, 8));
	assert_int_equal(n, 4);
}

static void a_stack_of_calls_is_joined_to_the_kernels_chain(void **state)
{
	const uint64_t words[] = { PERF_CONTEXT_KERNEL, 0x10, 0x20, PERF_CONTEXT_USER, 0x30, 0x40 };
	const struct perf_branch_entry calls[] = { { .from = 0x300, .to = 0x400 }, { .from = 0x200, .to = 0x290 } };
	const uint64_t joined[] = { PERF_CONTEXT_KERNEL, 0x10, 0x20, PERF_CONTEXT_USER, 0x400, 0x300, 0x200 };
	uint64_t out[10];
	assert_int_equal(chain_join_calls(words, 6, calls, 2, 127, out), 7);
	assert_memory_equal(out, joined, sizeof(joined));
	/* No user part within the limit: the chain stays. */
	assert_int_equal(chain_join_calls(words, 6, calls, 2, 3, out), 0);
	assert_int_equal(chain_join_calls(words, 3, calls, 2, 127, out), 0);
	assert_int_equal(chain_join_calls(words, 6, calls, 0, 127, out), 4);
}

static void branches_stand_before_the_stack_they_led_to(void **state)
{
	const uint64_t words[] = { PERF_CONTEXT_USER, 0x105, 0x210, 0x300 };
	/* Newest first: two rounds of a loop, the call from 0x20c, which returns to 0x210. */
	const struct perf_branch_entry b[] = {
		{ .from = 0x120, .to = 0x100 }, { .from = 0x120, .to = 0x100 }, { .from = 0x20c, .to = 0x100 },
	};
	const uint64_t joined[] = { CHAIN_CONTEXT_ANY, 0x100, 0x120, 0x100, 0x20c, PERF_CONTEXT_USER, 0x105, 0x210, 0x300 };
	uint64_t out[12];
	assert_int_equal(chain_join_branches(words, 4, b, 3, 127, out), 9);
	assert_memory_equal(out, joined, sizeof(joined));
	/* A caller next in line that a branch came from is left out. */
	const uint64_t beyond[] = { PERF_CONTEXT_USER, 0x210, 0x300 };
	assert_int_equal(chain_join_branches(beyond, 3, b + 2, 1, 127, out), 5);
	assert_int_equal(out[3], PERF_CONTEXT_USER);
	assert_int_equal(out[4], 0x300);
	/* No branches: the stack as it is. */
	assert_int_equal(chain_join_branches(words, 4, NULL, 0, 127, out), 4);
	assert_memory_equal(out, words, sizeof(words));
}

static void a_group_read_is_a_sample_of_each_member_that_moved(void **state)
{
	struct env *env = env_create();
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_ID,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	const uint64_t leader_id = 7, member_id = 9;
	env_add_event(env, &attr, sizeof(attr), "leader", &leader_id, 1);
	env_add_event(env, &attr, sizeof(attr), "member", &member_id, 1);
	assert_true(members_in(env));
	uint64_t counts[] = { 100, 7, 40, 9, 3, 8 };
	struct sample s = { .read = { .nr = 3, .values = counts, .read_format = attr.read_format } };
	struct members m = {};
	members_read(&m, env, &s);
	assert_int_equal(m.now.len, 2);
	assert_int_equal(m.now.data[0].period, 100);
	assert_int_equal(m.now.data[1].event, 1);
	assert_int_equal(m.now.data[1].period, 40);
	assert_int_equal(m.unknown, 1);
	counts[0] = 130;
	members_read(&m, env, &s);
	assert_int_equal(m.now.len, 1); /* what did not move has none */
	assert_int_equal(m.now.data[0].event, 0);
	assert_int_equal(m.now.data[0].period, 30);
	members_deinit(&m);
	env_destroy(env);
}

/* perf 7.2 does the same with such a file: each thread counts from 0. */
static void an_inherited_group_counts_in_each_thread(void **state)
{
	struct env *env = env_create();
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.inherit = 1,
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_ID | PERF_SAMPLE_TID,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	const uint64_t id = 7;
	env_add_event(env, &attr, sizeof(attr), "leader", &id, 1);
	static const struct {
		uint32_t tid;
		uint64_t count, period;
	} rows[] = { { 1, 100, 100 }, { 2, 40, 40 }, { 1, 130, 30 }, { 2, 90, 50 } };
	struct members m = {};
	uint64_t words[2] = { 0, id };
	struct sample s = { .read = { .nr = 1, .values = words, .read_format = attr.read_format } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		s.tid = rows[i].tid;
		words[0] = rows[i].count;
		members_read(&m, env, &s);
		assert_int_equal(m.now.len, 1);
		assert_int_equal(m.now.data[0].period, rows[i].period);
	}
	/* Its number is given to another thread. */
	members_end_thread(&m, 2);
	words[0] = 95;
	members_read(&m, env, &s);
	assert_int_equal(m.now.data[0].period, 95);
	members_deinit(&m);
	env_destroy(env);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_are_counted_together),
		cmocka_unit_test(markers_distinguish_kernel_and_user),
		cmocka_unit_test(a_caller_is_looked_up_where_calls_return_to),
		cmocka_unit_test(fork_and_exec_name_and_map_by_time),
		cmocka_unit_test(a_library_loaded_late_is_not_there_before),
		cmocka_unit_test(samples_pass_filters_or_are_counted_as_left_out),
		cmocka_unit_test(labels_are_those_selected),
		cmocka_unit_test(what_a_recording_lacks_has_a_stand_in),
		cmocka_unit_test(long_stacks_are_cut_at_their_outer_end),
		cmocka_unit_test(unresolved_frames_can_be_hidden),
		cmocka_unit_test(each_branch_is_a_row),
		cmocka_unit_test(modules_are_shown_from_their_start),
		cmocka_unit_test(slices_in_parallel_give_what_one_stream_gives),
		cmocka_unit_test(a_stack_that_looks_like_records_is_not_read_as_such),
		cmocka_unit_test(the_order_of_rows_does_not_depend_on_threads),
		cmocka_unit_test(a_stream_is_in_order_and_resolved), cmocka_unit_test(what_is_no_record_is_looked_up_where_it_stands),
		cmocka_unit_test(a_users_chain_that_comes_later_is_joined),
		cmocka_unit_test(counting_alone_counts_all),
		cmocka_unit_test(a_damaged_recording_gives_what_was_whole),
		cmocka_unit_test(a_chain_that_lies_is_counted_as_bad),
		cmocka_unit_test(plain_records_are_ordered_and_counted),
		cmocka_unit_test(chains_are_read_marker_by_marker),
		cmocka_unit_test(a_cut_stack_goes_on_along_frame_pointers),
		cmocka_unit_test(a_stack_of_calls_is_joined_to_the_kernels_chain),
		cmocka_unit_test(branches_stand_before_the_stack_they_led_to),
		cmocka_unit_test(a_group_read_is_a_sample_of_each_member_that_moved),
		cmocka_unit_test(an_inherited_group_counts_in_each_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
