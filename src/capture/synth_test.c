/* synth, procmap, tracing_data: made-up processes by hand, and our own process by two ways that must agree. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/out.h"
#include "capture/procmap.h"
#include "capture/synth.h"
#include "capture/tracing_data.h"
#include "record/record.h"
#include "sys/faked.h"

struct collected {
	struct record_sink sink;
	struct out out;
};

static struct strobe_error *collect(struct record_sink *s, const void *records, size_t bytes)
{
	out_write(&((struct collected *)s)->out, records, bytes);
	return NULL;
}

static void start(struct collected *c)
{
	*c = (struct collected){ .sink.write = collect };
	out_init_mem(&c->out);
}

/* The n-th record of a type, or NULL. */
static const struct perf_event_header *nth(struct collected *c, uint32_t type, unsigned n)
{
	size_t bytes, at = 0;
	const char *p = out_mem(&c->out, &bytes);
	while (at < bytes) {
		const struct perf_event_header *h = (const void *)(p + at);
		assert_true(h->size >= 8 && h->size % 8 == 0 && h->size <= bytes - at);
		if (h->type == type && !n--)
			return h;
		at += h->size;
	}
	return NULL;
}

static void end(struct collected *c)
{
	error_destroy(out_close(&c->out));
}

static void made_up_processes(void **state)
{
	struct sys_faked *f = sys_faked_create();
	sys_faked_file(f, "/proc/7/stat", "7 (a) b) S 3 7 7 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 2 0 5 0 0\n");
	sys_faked_file(f, "/proc/7/task/7/comm", "a) b\n");
	sys_faked_file(f, "/proc/7/task/9/comm", "worker\n");
	sys_faked_file(f, "/proc/7/maps",
		       "00400000-00401000 r--p 00000000 08:01 42                 /bin/a\n"
		       "00401000-00405000 r-xp 00001000 08:01 42                 /bin/a b\n"
		       "7f0000000000-7f0000002000 rwxp 00000000 00:00 0\n"
		       "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0          [stack]\n");
	/* A kernel thread: PF_KTHREAD is 0x200000. */
	sys_faked_file(f, "/proc/2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n");
	struct synth_options o = { .sys = sys_faked_sys(f), .parts = SYNTH_ALL, .tail_bytes = 16 };
	struct synth_report report = {};
	struct collected c;
	start(&c);
	assert_ok(synth_all_tasks(&c.sink, &o, &report));

	struct record_task task;
	struct record_comm comm;
	struct record_mmap map;
	assert_true(record_decode_task((struct record){ .hdr = nth(&c, PERF_RECORD_FORK, 0)}, &task));
	assert_int_equal(task.pid, 2);
	assert_true(record_decode_task((struct record){ .hdr = nth(&c, PERF_RECORD_FORK, 1)}, &task));
	assert_int_equal(task.pid, 7);
	assert_int_equal(task.ppid, 3);
	assert_true(record_decode_task((struct record){ .hdr = nth(&c, PERF_RECORD_FORK, 2)}, &task));
	assert_int_equal(task.tid, 9);
	assert_int_equal(task.ptid, 7);
	assert_null(nth(&c, PERF_RECORD_FORK, 3));
	assert_true(record_decode_comm((struct record){ .hdr = nth(&c, PERF_RECORD_COMM, 1)}, &comm));
	assert_string_equal(comm.comm, "a) b");
	assert_true(record_decode_comm((struct record){ .hdr = nth(&c, PERF_RECORD_COMM, 2)}, &comm));
	assert_string_equal(comm.comm, "worker");
	assert_int_equal(comm.pid, 7);
	assert_int_equal(comm.tid, 9);

	/* Executable mappings alone; a name may hold blanks; code without a file is //anon. */
	assert_true(record_decode_mmap((struct record){ .hdr = nth(&c, PERF_RECORD_MMAP2, 0)}, &map));
	assert_string_equal(map.filename, "/bin/a b");
	assert_int_equal(map.start, 0x401000);
	assert_int_equal(map.len, 0x4000);
	assert_int_equal(map.pgoff, 0x1000);
	assert_int_equal(map.maj, 8);
	assert_int_equal(map.min, 1);
	assert_int_equal(map.ino, 42);
	assert_int_equal(map.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(map.flags, MAP_PRIVATE);
	assert_false(map.is_data);
	assert_true(record_decode_mmap((struct record){ .hdr = nth(&c, PERF_RECORD_MMAP2, 1)}, &map));
	assert_string_equal(map.filename, "//anon");
	assert_null(nth(&c, PERF_RECORD_MMAP2, 2));
	end(&c);

	/* With data mappings, three more; marked as such. */
	start(&c);
	o.data_maps = true;
	assert_ok(synth_all_tasks(&c.sink, &o, &report));
	assert_non_null(nth(&c, PERF_RECORD_MMAP2, 3));
	assert_true(record_decode_mmap((struct record){ .hdr = nth(&c, PERF_RECORD_MMAP2, 0)}, &map));
	assert_true(map.is_data);
	end(&c);
	assert_int_equal(report.maps_timed_out, 0);
	sys_faked_destroy(f);
}

static void made_up_kernel(void **state)
{
	struct sys_faked *f = sys_faked_create();
	struct synth_report report = {};
	struct collected c;
	struct record_mmap map;
	struct synth_options o = { .sys = sys_faked_sys(f), .build_ids = true };
	sys_faked_file(f, "/proc/kallsyms",
		       "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\nffffffff81000000 T _text\n");
	sys_faked_file(f, "/proc/iomem", "00001000-0009fbff : System RAM\n  01000000-02209987 : Kernel code\n");
	sys_faked_file(f, "/proc/modules",
		       "snd_pcm 196608 2 snd_hda, Live 0xffffffffc0400000\n"
		       "hidden 4096 0 - Live 0x0000000000000000\n");
	sys_faked_file(f, "/proc/sys/kernel/osrelease", "6.18.0\n");
	sys_faked_file(f, "/lib/modules/6.18.0/modules.dep",
		       "kernel/fs/ext4.ko: x.ko\nkernel/sound/core/snd-pcm.ko.xz: kernel/sound/core/snd.ko\n");
	start(&c);
	assert_ok(synth_kernel(&c.sink, &o, &report));
	assert_false(report.kernel_restricted);
	assert_true(record_decode_mmap((struct record){ .hdr = nth(&c, PERF_RECORD_MMAP2, 0)}, &map));
	assert_string_equal(map.filename, "[kernel.kallsyms]_text");
	assert_int_equal(map.start, 0xffffffff81000000);
	assert_int_equal(map.len, 0x1209988);
	assert_int_equal(map.pgoff, map.start);
	assert_int_equal(map.pid, UINT32_MAX);
	assert_true(record_decode_mmap((struct record){ .hdr = nth(&c, PERF_RECORD_MMAP2, 1)}, &map));
	assert_string_equal(map.filename, "/lib/modules/6.18.0/kernel/sound/core/snd-pcm.ko.xz");
	assert_int_equal(map.start, 0xffffffffc0400000);
	assert_int_equal(map.len, 196608);
	assert_null(nth(&c, PERF_RECORD_MMAP2, 2));
	end(&c);
	/* kptr_restrict: addresses are zero. */
	sys_faked_file(f, "/proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T _text\n");
	start(&c);
	assert_ok(synth_kernel(&c.sink, &o, &report));
	assert_true(report.kernel_restricted);
	end(&c);
	sys_faked_destroy(f);
}

static void lists_of_the_target(void **state)
{
	struct target_map m = {};
	struct collected c;
	for (int i = 0; i < 3000; i++) {
		struct thread_entry t = { .pid = i, .tid = i, .comm = "x" };
		vec_push(&m.threads, t);
	}
	vec_push(&m.cpus, 0);
	vec_push(&m.cpus, 5);
	start(&c);
	assert_ok(synth_thread_map(&c.sink, &m));
	assert_ok(synth_cpu_map(&c.sink, &m));
	/* More threads than one record holds. */
	uint64_t nr, total = 0;
	for (unsigned i = 0; nth(&c, RECORD_THREAD_MAP, i); i++) {
		memcpy(&nr, (const char *)nth(&c, RECORD_THREAD_MAP, i) + 8, 8);
		total += nr;
	}
	assert_int_equal(total, 3000);
	static const uint16_t cpu_map[] = { 0, 2, 0, 5 };
	assert_memory_equal((const char *)nth(&c, RECORD_CPU_MAP, 0) + 8, cpu_map, sizeof(cpu_map));
	end(&c);
	target_map_deinit(&m);
}

struct own_maps {
	struct synth_map maps[512];
	char names[512][256];
	size_t n;
};

static bool keep_map(void *ctx, const struct synth_map *m)
{
	struct own_maps *o = ctx;
	assert_true(o->n < 512);
	/* In the text alone: the page is no mapping of the process, and code never runs in it. */
	if (m->name_len == 10 && !memcmp(m->name, "[vsyscall]", 10))
		return true;
	o->maps[o->n] = *m;
	snprintf(o->names[o->n++], sizeof(o->names[0]), "%.*s", (int)m->name_len, m->name);
	return true;
}

static bool count_to_two(void *ctx, const struct synth_map *m)
{
	(void)m;
	return ++*(unsigned *)ctx < 2;
}

static void two_ways_to_our_own_maps(void **state)
{
	static struct own_maps by_ioctl, by_text;
	struct build_id_cache *cache = build_id_cache_create();
	struct procmap_options o = { .sys = sys_live(), .build_ids = true };
	assert_true(procmap_each(getpid(), &o, cache, keep_map, &by_ioctl));
	o.no_ioctl = true;
	assert_true(procmap_each(getpid(), &o, cache, keep_map, &by_text));
	assert_true(by_text.n >= 3); /* this program, the C library, the loader */
	for (int i = 0; i < 2; i++) {
		unsigned n = 0;
		o.no_ioctl = i;
		assert_true(procmap_each(getpid(), &o, cache, count_to_two, &n));
		assert_int_equal(n, 2);
	}
	assert_int_equal(by_ioctl.n, by_text.n);
	bool has_id = false;
	for (size_t i = 0; i < by_text.n; i++) {
		const struct synth_map *a = &by_ioctl.maps[i], *b = &by_text.maps[i];
		assert_int_equal(a->start, b->start);
		assert_int_equal(a->end, b->end);
		assert_int_equal(a->pgoff, b->pgoff);
		assert_int_equal(a->ino, b->ino);
		assert_int_equal(a->prot, b->prot);
		assert_int_equal(a->flags, b->flags);
		assert_string_equal(by_ioctl.names[i], by_text.names[i]);
		assert_int_equal(a->build_id_len, b->build_id_len);
		assert_memory_equal(a->build_id, b->build_id, b->build_id_len);
		has_id |= b->build_id_len == 20;
	}
	assert_true(has_id);
	build_id_cache_destroy(cache);
}

static void tracing_data(void **state)
{
	struct sys_faked *f = sys_faked_create();
	struct out o;
	out_init_mem(&o);
	sys_faked_tracepoint(f, "sched", "sched_switch", 314);
	sys_faked_tracepoint(f, "sched", "sched_wakeup", 315);
	sys_faked_tracepoint(f, "irq", "softirq_entry", 400);
	const struct tracepoint_ref refs[] = {
		{ "sched", "sched_switch" },
		{ "irq", "softirq_entry" },
		{ "sched", "sched_wakeup" },
		{ "sched", "sched_switch" },
	};
	assert_ok(tracing_data_build(sys_faked_sys(f), refs, 4, &o));
	size_t n, at;
	const char *p = out_mem(&o, &n);
	assert_memory_equal(p, "\27\10\104tracing0.6\0", 14);
	at = 16; /* byte order and size of long after the version */
	uint32_t v;
	memcpy(&v, p + at, 4);
	assert_int_equal(v, sysconf(_SC_PAGESIZE));
	at += 4;
	assert_string_equal(p + at, "header_page");
	at += 12 + 8; /* no such file here: length 0 */
	assert_string_equal(p + at, "header_event");
	at += 13 + 8;
	memcpy(&v, p + at, 4);
	assert_int_equal(v, 0); /* none of ftrace's own */
	memcpy(&v, p + at + 4, 4);
	assert_int_equal(v, 2); /* systems */
	at += 8;
	assert_string_equal(p + at, "sched");
	memcpy(&v, p + at + 6, 4);
	assert_int_equal(v, 2); /* named twice, reported once */
	error_destroy(out_close(&o));
	sys_faked_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_up_processes),   cmocka_unit_test(made_up_kernel),
		cmocka_unit_test(lists_of_the_target), cmocka_unit_test(two_ways_to_our_own_maps),
		cmocka_unit_test(tracing_data),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
