/* Records built byte by byte, and their rewritten form: addresses, mappings and sleeps. */
#include "base/testing.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "decode/tracing_data_builder.h"
#include "machine/machine.h"
#include "machine/record_builder.h"
#include "rewrite/aslr.h"
#include "rewrite/injection.h"
#include "rewrite/mmap_ids.h"
#include "rewrite/sleeps.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)
#define ID          77

/* An empty recording, and the output. */
struct fixture {
	struct record_source source; /* first */
	struct record_sink sink;
	struct env *env;
	struct record_builder b;
	struct resolver *resolver;
	VEC(uint8_t) out;
};

static struct strobe_error *no_records(struct record_source *source, struct record *ret, bool *ret_end)
{
	*ret_end = true;
	return NULL;
}

static const struct env *env_of(struct record_source *source)
{
	return ((struct fixture *)source)->env;
}

static const struct record_source_ops source_ops = { .next = no_records, .env = env_of };

static struct strobe_error *keep(struct record_sink *sink, const void *records, size_t bytes)
{
	struct fixture *f = (struct fixture *)((char *)sink - offsetof(struct fixture, sink));
	memcpy(vec_extend(&f->out, bytes), records, bytes);
	return NULL;
}

static void set_up(struct fixture *f, uint64_t more_sample_type)
{
	const uint64_t id = ID;
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_type = SAMPLE_TYPE | more_sample_type, .sample_regs_user = 3 };
	*f = (struct fixture){ .source.ops = &source_ops, .sink.write = keep, .env = env_create() };
	env_add_event(f->env, &attr, sizeof(attr), "x", &id, 1);
	f->resolver = resolver_create(&f->source, (struct symbols_options){}, (struct resolve_options){ .threads = 1 });
}

static void tear_down(struct fixture *f)
{
	resolver_destroy(f->resolver);
	env_destroy(f->env);
	vec_deinit(&f->b.bytes);
	vec_deinit(&f->out);
}

static struct record map_file(struct fixture *f, uint64_t start, uint64_t len, uint64_t pgoff, const char *name)
{
	struct record r = build_mmap2(&f->b, PERF_RECORD_MISC_USER, 10, 10, start, len, pgoff, 0, name);
	machine_apply(resolver_machine(f->resolver), r, 1);
	return r;
}

static void start_sample(struct fixture *f, uint64_t ip, uint64_t time_ns)
{
	build_start(&f->b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	build_u64(&f->b, ID);
	build_u64(&f->b, ip);
	build_u32s(&f->b, 10, 10);
	build_u64(&f->b, time_ns);
	build_u64(&f->b, 5);
}

/* The only record of the output. */
static struct record only_record(struct fixture *f)
{
	const struct perf_event_header *h = (const struct perf_event_header *)f->out.data;
	assert_true(f->out.len >= sizeof(*h));
	assert_int_equal(h->size, f->out.len);
	return (struct record){ .hdr = h };
}

static uint64_t mapped_at(struct fixture *f, struct aslr *a, struct record r)
{
	struct record_mmap map;
	bool keeps = true;
	vec_clear(&f->out);
	assert_ok(aslr_record(a, r, &f->sink, &keeps));
	assert_false(keeps);
	assert_true(record_decode_mmap(only_record(f), &map));
	return map.start;
}

/* Consecutive from 4 GB and 2 MB on, or from 2 MB on, with a free page between: 2 MB + 2 pages + 1. */
static void mappings_and_samples_are_moved(void **state)
{
	struct fixture f;
	set_up(&f, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER);
	struct aslr *a = aslr_create(f.resolver, f.env);
	assert_int_equal(aslr_env(a)->events.data[0].attr.sample_type, SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN);
	assert_int_equal(mapped_at(&f, a, map_file(&f, 0x7f0000001000, 0x2000, 0x1000, "/a")), 0x100200000);
	assert_int_equal(mapped_at(&f, a, map_file(&f, 0x7f0000010000, 0x1000, 0, "/b")), 0x100203000);
	assert_int_equal(mapped_at(&f, a, map_file(&f, 0x8048000, 0x1000, 0, "/c")), 0x200000); /* of a 32-bit program */
	start_sample(&f, 0x7f0000001234, 2);
	build_u64(&f.b, 4);
	build_u64(&f.b, PERF_CONTEXT_USER);
	build_u64(&f.b, 0x7f0000001234);
	build_u64(&f.b, 0x7f0000010010);
	build_u64(&f.b, 0x1234); /* nothing is mapped there */
	build_u64(&f.b, 2);      /* registers: 64 bits, two of them */
	build_u64(&f.b, 0x7f0000001234);
	build_u64(&f.b, 0x7f0000010010);
	bool keeps = true;
	vec_clear(&f.out);
	assert_ok(aslr_record(a, build_end(&f.b), &f.sink, &keeps));
	assert_false(keeps);
	struct sample s;
	const uint64_t chain[] = { PERF_CONTEXT_USER, 0x100200234, 0x100203010, 0 };
	assert_true(env_decode_sample(aslr_env(a), only_record(&f), &s));
	assert_int_equal(s.ip, 0x100200234);
	assert_int_equal(s.period, 5);
	assert_int_equal(s.callchain_nr, 4);
	assert_memory_equal(s.callchain, chain, sizeof(chain));
	assert_int_equal(only_record(&f).hdr->size, 8 + 5 * 8 + 5 * 8); /* no registers */
	assert_int_equal(aslr_dropped(a), 0);
	aslr_destroy(a);
	tear_down(&f);
}

static void what_shows_memory_is_dropped(void **state)
{
	struct fixture f;
	set_up(&f, PERF_SAMPLE_PHYS_ADDR);
	struct aslr *a = aslr_create(f.resolver, f.env);
	bool keeps = true;
	start_sample(&f, 0x1000, 2);
	build_u64(&f.b, 0xabc000);
	assert_ok(aslr_record(a, build_end(&f.b), &f.sink, &keeps));
	assert_false(keeps);
	assert_int_equal(aslr_dropped(a), 1);
	keeps = true;
	build_start(&f.b, PERF_RECORD_TEXT_POKE, 0);
	build_u64(&f.b, 0xffffffff81000000);
	assert_ok(aslr_record(a, build_end(&f.b), &f.sink, &keeps));
	assert_false(keeps);
	keeps = false;
	assert_ok(aslr_record(a, build_comm(&f.b, 10, 10, "app", false), &f.sink, &keeps));
	assert_true(keeps);
	assert_int_equal(f.out.len, 0);
	aslr_destroy(a);
	tear_down(&f);
}

/* An MMAP record of older tools becomes an MMAP2: r-x, private. */
static void mappings_get_known_build_ids(void **state)
{
	struct fixture f;
	set_up(&f, 0);
	struct build_ids *ids = build_ids_create(f.resolver, f.env, false);
	assert_ok(build_ids_read_known(ids, "0a0b0c0d /nowhere/a,1122 /nowhere/b"));
	struct mmap_ids *m = mmap_ids_create(f.resolver, f.env, ids);
	struct record r = build_mmap(&f.b, PERF_RECORD_MISC_USER, 10, 0x1000, 0x2000, 0x3000, "/nowhere/a");
	machine_apply(resolver_machine(f.resolver), r, 1);
	struct record_mmap map;
	assert_true(mmap_ids_record(m, &r));
	assert_int_equal(r.hdr->type, PERF_RECORD_MMAP2);
	assert_int_equal(r.hdr->misc, PERF_RECORD_MISC_USER | 1 << 14); /* PERF_RECORD_MISC_MMAP_BUILD_ID */
	assert_true(record_decode_mmap(r, &map));
	assert_int_equal(map.start, 0x1000);
	assert_int_equal(map.pgoff, 0x3000);
	assert_int_equal(map.build_id_len, 4);
	assert_memory_equal(map.build_id, "\x0a\x0b\x0c\x0d", 4);
	assert_int_equal(map.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(map.flags, MAP_PRIVATE);
	assert_string_equal(map.filename, "/nowhere/a");
	struct record plain = map_file(&f, 0x10000, 0x1000, 0, "/nowhere/c"), before = plain; /* no such file, unknown build ID */
	assert_true(mmap_ids_record(m, &plain));
	assert_ptr_equal(plain.hdr, before.hdr);
	mmap_ids_destroy(m);
	build_ids_destroy(ids);
	tear_down(&f);
}

/* ---- sleeps ---- */

#define SWITCH_ID 101
#define STAT_ID   102

static const char stat_format[] =
	"name: sched_stat_sleep\nID: 9\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:pid_t pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"pid=%d\", REC->pid\n";

static void add_tracepoint(struct env *env, const char *name, uint64_t config, uint64_t id, uint64_t more)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT, .config = config,
					.sample_type = SAMPLE_TYPE | more };
	env_add_event(env, &attr, sizeof(attr), name, &id, 1);
}

static struct record switch_of(struct fixture *f, uint64_t time_ns)
{
	start_sample(f, 0x1000, time_ns);
	*(uint64_t *)(f->b.bytes.data + f->b.at + 8) = SWITCH_ID;
	return build_end(&f->b);
}

/* Task 10 has slept for slept_ns: recorded in another task, 99. */
static struct record stat_of(struct fixture *f, uint64_t time_ns, uint64_t slept_ns)
{
	start_sample(f, 0x2000, time_ns);
	uint64_t *words = (uint64_t *)(f->b.bytes.data + f->b.at);
	words[1] = STAT_ID;
	words[3] = (uint64_t)99 << 32 | 99; /* pid, tid */
	words[5] = slept_ns;
	build_u32s(&f->b, 12, 9); /* size of the raw data; it begins with common_type */
	build_u32s(&f->b, 10, 0); /* pid */
	return build_end(&f->b);
}

static void take(struct fixture *f, struct sleeps *s, struct record r)
{
	bool keeps = true;
	vec_clear(&f->out);
	assert_ok(sleeps_record(s, r, &f->sink, &keeps));
	assert_false(keeps);
}

static void a_sleep_is_at_its_switch(void **state)
{
	struct fixture f;
	struct bytes_builder formats = {};
	struct sleeps *s = NULL;
	struct sample x;
	set_up(&f, 0);
	struct strobe_error *err = sleeps_create(f.env, &s);
	assert_non_null(err); /* no such events */
	assert_int_equal(err->code, ERROR_NOT_FOUND);
	error_destroy(err);
	bytes_formats(&formats, "sched", (const char *const[]){ stat_format }, 1);
	f.env->tracing_data = formats.bytes.data;
	f.env->tracing_data_bytes = formats.bytes.len;
	add_tracepoint(f.env, "sched:sched_switch", 8, SWITCH_ID, 0);
	add_tracepoint(f.env, "sched:sched_stat_sleep", 9, STAT_ID, PERF_SAMPLE_RAW);
	assert_ok(sleeps_create(f.env, &s));
	take(&f, s, stat_of(&f, 50, 40)); /* without a switch before it */
	assert_int_equal(f.out.len, 0);
	take(&f, s, switch_of(&f, 100));
	assert_int_equal(f.out.len, 0);
	take(&f, s, switch_of(&f, 200));
	take(&f, s, stat_of(&f, 900, 700));
	assert_true(env_decode_sample(f.env, only_record(&f), &x));
	assert_int_equal(x.event, 1);
	assert_int_equal(x.tid, 10);
	assert_int_equal(x.ip, 0x1000);
	assert_int_equal(x.time, 900);
	assert_int_equal(x.period, 700);
	assert_int_equal(sleeps_joined(s), 1);
	bool keeps = true;
	assert_ok(sleeps_record(s, build_comm(&f.b, 10, 10, "app", false), &f.sink, &keeps));
	assert_true(keeps);
	sleeps_destroy(s);
	f.env->tracing_data = NULL;
	bytes_deinit(&formats);
	tear_down(&f);
}

static void assert_excluded(struct injection_options o, const char *message)
{
	struct strobe_error *err = injection_check(&o);
	assert_non_null(err);
	assert_int_equal(err->code, ERROR_USAGE);
	assert_non_null(strstr(err->message, message));
	error_destroy(err);
}

static void some_changes_exclude_others(void **state)
{
	assert_ok(injection_check(&(struct injection_options){ .build_ids = true, .jit = true, .sleeps = true }));
	assert_ok(injection_check(&(struct injection_options){ .aslr = true, .mmap_ids = true }));
	assert_excluded((struct injection_options){ .sleeps = true, .convert = true }, "-s cannot be combined");
	assert_excluded((struct injection_options){ .aslr = true, .convert = true }, "--aslr cannot be combined");
	assert_excluded((struct injection_options){ .aslr = true, .sleeps = true }, "--aslr cannot be combined");
	assert_excluded((struct injection_options){ .aslr = true, .jit = true }, "--aslr cannot be combined");
}

static void a_recording_that_is_not_there_is_an_error(void **state)
{
	const struct injection_options o = { .input = "/nowhere/in", .output = "/nowhere/out" };
	assert_fails(injection_run(&(const struct session_host){}, &o), ERROR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_and_samples_are_moved),
		cmocka_unit_test(what_shows_memory_is_dropped),
		cmocka_unit_test(mappings_get_known_build_ids),
		cmocka_unit_test(a_sleep_is_at_its_switch),
		cmocka_unit_test(some_changes_exclude_others),
		cmocka_unit_test(a_recording_that_is_not_there_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
