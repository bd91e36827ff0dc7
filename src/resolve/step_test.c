/* From a record to the samples that it stands for: each table of records below was worked out by hand. */
#include "base/testing.h"

#include <stdio.h>

#include "machine/record_builder.h"
#include "resolve/chain/chain.h"
#include "resolve/step.h"
#include "sys/perf_abi.h"

#define PLAIN (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU)

struct fixture {
	struct record_source source;
	struct env *env;
	struct record_builder b;
	struct resolver *r;
	struct sample_step step;
};

static const struct env *fixture_env(struct record_source *s)
{
	return ((struct fixture *)s)->env;
}

static const struct record_source_ops ops = { .env = fixture_env };

static void add_event(struct fixture *f, struct perf_event_attr attr, const char *name, uint64_t id)
{
	attr.size = PERF_ABI_ATTR_BYTES;
	attr.sample_id_all = 1;
	env_add_event(f->env, &attr, sizeof(attr), name, &id, 1);
}

static void init(struct fixture *f)
{
	*f = (struct fixture){ .source = { .ops = &ops }, .env = env_create() };
}

/* After the events. */
static void start(struct fixture *f, struct resolve_options o, bool decodes_full)
{
	f->r = resolver_create(&f->source, (struct symbols_options){}, o);
	resolver_start(f->r);
	f->step = (struct sample_step){
		.r = f->r, .decodes_full = decodes_full, .is_switched = f->r->is_switched, .events_max = 100, .hold_max = 8,
	};
	step_init(&f->step);
}

/* Its counts are in the stats of the resolver from then on. */
static const struct resolve_stats *finish(struct fixture *f)
{
	step_count(&f->step);
	return resolver_stats(f->r);
}

static void stop(struct fixture *f)
{
	step_deinit(&f->step);
	resolver_destroy(f->r);
	f->r = NULL;
}

static void deinit(struct fixture *f)
{
	env_destroy(f->env);
	vec_deinit(&f->b.bytes);
}

static struct record plain(struct fixture *f, uint64_t ip, uint32_t pid, uint32_t tid, uint64_t time, uint64_t id, uint32_t cpu)
{
	build_start(&f->b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	build_u64(&f->b, ip);
	build_u32s(&f->b, pid, tid);
	build_u64(&f->b, time);
	build_u64(&f->b, id);
	build_u32s(&f->b, cpu, 0);
	return build_end(&f->b);
}

/* The first sample of a record that passes: its event, or -1. */
static int event_of(struct fixture *f, struct record rec)
{
	struct step_sample x;
	struct sample full;
	return step_begin(&f->step, rec, 1, &full, &x) ? (int)x.event_index : -1;
}

static void samples_are_counted_by_event_and_filtered(void **state)
{
	struct fixture f;
	struct time_range range = { 200, 400 };
	const uint32_t pids[] = { 10, 11 }, cpus[] = { 1, 3 };
	init(&f);
	add_event(&f, (struct perf_event_attr){ .sample_type = PLAIN, .sample_period = 5 }, "a", 70);
	add_event(&f, (struct perf_event_attr){ .sample_type = PLAIN, .sample_period = 6 }, "b", 80);
	for (int full = 0; full < 2; full++) {
		start(&f, (struct resolve_options){ .filter = { .times = &range, .times_nr = 1, .pids = pids, .pids_nr = 2,
								.cpus = cpus, .cpus_nr = 2 } }, full);
		assert_int_equal(event_of(&f, plain(&f, 1, 10, 10, 200, 70, 1)), 0);
		assert_int_equal(event_of(&f, plain(&f, 1, 11, 12, 400, 80, 3)), 1);
		assert_int_equal(event_of(&f, plain(&f, 1, 12, 12, 300, 80, 3)), -1); /* another process */
		assert_int_equal(event_of(&f, plain(&f, 1, 10, 10, 300, 80, 2)), -1); /* another CPU */
		assert_int_equal(event_of(&f, plain(&f, 1, 10, 10, 401, 80, 3)), -1); /* too late */
		assert_int_equal(event_of(&f, plain(&f, 1, 10, 10, 300, 99, 3)), -1); /* of no event */
		struct record rec = plain(&f, 1, 10, 10, 300, 70, 3);
		((struct perf_event_header *)rec.hdr)->size -= 8;
		assert_int_equal(event_of(&f, rec), -1); /* too short */
		const struct resolve_stats *s = finish(&f);
		assert_int_equal(s->filtered_samples, 3);
		assert_int_equal(s->unknown_id_samples, 1);
		assert_int_equal(s->bad_samples, 1);
		assert_int_equal(s->events[0].samples, full ? 2 : 1); /* the damaged one, too */
		assert_int_equal(s->events[1].samples, 4);
		assert_int_equal(s->first_ns, 200);
		assert_int_equal(s->last_ns, 401);
		stop(&f);
	}
	deinit(&f);
}

static void what_is_decoded_is_the_same_in_part_and_in_full(void **state)
{
	struct fixture f;
	struct step_sample x;
	struct sample full;
	init(&f);
	add_event(&f, (struct perf_event_attr){ .sample_type = PLAIN, .sample_period = 5 }, "a", 70);
	start(&f, (struct resolve_options){}, false);
	assert_true(step_begin(&f.step, plain(&f, 0x123, 10, 11, 200, 70, 1), 7, &full, &x));
	assert_null(x.full);
	assert_int_equal(x.hot.ip, 0x123);
	assert_int_equal(x.hot.tid, 11);
	assert_int_equal(x.place, 7);
	assert_false(step_next(&f.step, &x));
	stop(&f);
	start(&f, (struct resolve_options){}, true);
	assert_true(step_begin(&f.step, plain(&f, 0x123, 10, 11, 200, 70, 1), 7, &full, &x));
	assert_ptr_equal(x.full, &full);
	assert_int_equal(full.ip, 0x123);
	assert_int_equal(full.tid, 11);
	assert_int_equal(full.period, 5); /* the record has none */
	stop(&f);
	deinit(&f);
}

static void events_switch_what_counts(void **state)
{
	struct fixture f;
	init(&f);
	add_event(&f, (struct perf_event_attr){ .sample_type = PLAIN }, "a", 70);
	add_event(&f, (struct perf_event_attr){ .sample_type = PLAIN }, "b", 80);
	start(&f, (struct resolve_options){ .switches = { .on = 2 } }, false); /* from b on */
	assert_int_equal(event_of(&f, plain(&f, 1, 10, 10, 100, 70, 0)), -1);
	assert_int_equal(event_of(&f, plain(&f, 1, 10, 10, 110, 80, 0)), -1);
	assert_int_equal(event_of(&f, plain(&f, 1, 10, 10, 120, 70, 0)), 0);
	const struct resolve_stats *s = finish(&f);
	assert_int_equal(s->filtered_samples, 2);
	assert_int_equal(s->events[0].samples, 2);
	stop(&f);
	deinit(&f);
}

/* Two events that are read together. */
static void init_group(struct fixture *f)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	init(f);
	add_event(f, attr, "a", 70);
	add_event(f, attr, "b", 80);
}

static struct record group(struct fixture *f, uint32_t tid, uint64_t leader, uint64_t member)
{
	build_start(&f->b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	build_u64(&f->b, 0x100);
	build_u32s(&f->b, tid, tid);
	build_u64(&f->b, 200); /* time */
	build_u64(&f->b, 70);
	build_u64(&f->b, 2);
	build_u64(&f->b, leader);
	build_u64(&f->b, 70);
	build_u64(&f->b, member);
	build_u64(&f->b, 80);
	return build_end(&f->b);
}

/* "event:period" of each sample, and how many there were. */
static const char *samples_of(struct fixture *f, struct record rec, char text[64])
{
	struct step_sample x;
	struct sample full;
	int at = 0;
	text[0] = '\0';
	for (bool more = step_begin(&f->step, rec, 1, &full, &x); more; more = step_next(&f->step, &x))
		at += snprintf(text + at, 64 - (size_t)at, "%u:%llu ", x.event_index, (unsigned long long)x.hot.period);
	return text;
}

static void a_group_is_a_sample_of_each_member(void **state)
{
	struct fixture f;
	char text[64];
	const uint32_t tids[] = { 10 };
	init_group(&f);
	for (int full = 0; full < 2; full++) {
		start(&f, (struct resolve_options){ .filter = { .tids = tids, .tids_nr = 1 } }, full);
		assert_string_equal(samples_of(&f, group(&f, 10, 100, 40), text), "0:100 1:40 ");
		assert_string_equal(samples_of(&f, group(&f, 10, 130, 40), text), "0:30 "); /* the other did not move */
		assert_string_equal(samples_of(&f, group(&f, 10, 130, 47), text), "1:7 ");
		assert_string_equal(samples_of(&f, group(&f, 11, 150, 50), text), ""); /* left out, and counted */
		const struct resolve_stats *s = finish(&f);
		assert_int_equal(s->events[0].samples, 3);
		assert_int_equal(s->events[1].samples, 3);
		assert_int_equal(s->filtered_samples, 2);
		stop(&f);
	}
	deinit(&f);
}

static void counting_alone_counts_members(void **state)
{
	struct fixture f;
	init_group(&f);
	start(&f, (struct resolve_options){}, false);
	resolver_count_samples(f.r, group(&f, 10, 100, 40), 200);
	resolver_count_samples(f.r, group(&f, 10, 130, 40), 210);
	const struct resolve_stats *s = finish(&f);
	assert_int_equal(s->events[0].samples, 2);
	assert_int_equal(s->events[1].samples, 1);
	assert_int_equal(s->first_ns, 200);
	assert_int_equal(s->last_ns, 210);
	stop(&f);
	deinit(&f);
}

static struct record chained(struct fixture *f, uint64_t time, const uint64_t *words, uint64_t n)
{
	build_start(&f->b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	build_u64(&f->b, 0x100);
	build_u32s(&f->b, 10, 10);
	build_u64(&f->b, time);
	build_u64(&f->b, n);
	build_bytes(&f->b, words, n * sizeof(*words));
	return build_end(&f->b);
}

static void a_part_that_came_later_is_joined(void **state)
{
	static const uint64_t words[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000, CHAIN_CONTEXT_USER_DEFERRED, 77 };
	static const uint64_t later[] = { PERF_CONTEXT_USER, 0x1000, 0x2000 };
	static const uint64_t whole[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000, PERF_CONTEXT_USER, 0x1000, 0x2000 };
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
		.size = PERF_ABI_ATTR_BYTES,
	};
	struct fixture f;
	struct step_sample x;
	struct sample full;
	init(&f);
	perf_abi_attr_set(&attr, PERF_ABI_ATTR_DEFER_CALLCHAIN, true);
	add_event(&f, attr, "a", 70);
	start(&f, (struct resolve_options){ .with_chains = true, .max_stack = 100 }, false);
	assert_int_equal(f.step.hold_max, 1); /* the next sample's words take the place of these */
	f.b.with_trailer = true;
	f.b.trailer[0] = 10 | 10ull << 32;
	build_start(&f.b, RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	build_u64(&f.b, 77);
	build_u64(&f.b, 3);
	build_bytes(&f.b, later, sizeof(later));
	deferred_note(&f.r->deferred, f.env, build_end(&f.b));
	assert_true(step_begin(&f.step, chained(&f, 100, words, 4), 1, &full, &x));
	assert_int_equal(x.hot.callchain_nr, 5);
	assert_memory_equal(x.hot.callchain, whole, sizeof(whole));
	assert_int_equal(x.full->callchain_nr, 4); /* as recorded */
	assert_null(x.joined);
	stop(&f);
	/* Where stacks are not kept, it stays in two. */
	start(&f, (struct resolve_options){}, false);
	assert_true(step_begin(&f.step, chained(&f, 100, words, 4), 1, &full, &x));
	assert_int_equal(x.hot.callchain_nr, 4);
	assert_int_equal(f.step.hold_max, 8);
	stop(&f);
	deinit(&f);
}

static struct record branched(struct fixture *f, uint32_t pid, uint64_t from)
{
	build_start(&f->b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	build_u64(&f->b, 0x100);
	build_u32s(&f->b, pid, pid);
	build_u64(&f->b, 100); /* time */
	build_u64(&f->b, 4);
	build_u64(&f->b, PERF_CONTEXT_KERNEL);
	build_u64(&f->b, 0xffffffff81000000);
	build_u64(&f->b, PERF_CONTEXT_USER);
	build_u64(&f->b, 0x30);
	build_u64(&f->b, 1);
	build_u64(&f->b, from);
	build_u64(&f->b, 0x400); /* to */
	build_u64(&f->b, 0);
	return build_end(&f->b);
}

static void calls_of_the_processor_are_the_users_part(void **state)
{
	static const uint64_t joined[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000, PERF_CONTEXT_USER, 0x400, 0x200 };
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK,
	};
	const uint32_t pids[] = { 10 };
	struct fixture f;
	struct step_sample x;
	struct sample full;
	init(&f);
	add_event(&f, attr, "a", 70);
	for (int decodes_full = 0; decodes_full < 2; decodes_full++) {
		start(&f, (struct resolve_options){ .with_chains = true, .max_stack = 100, .filter = { .pids = pids, .pids_nr = 1 } },
		      decodes_full);
		assert_int_equal(f.step.hold_max, 1);
		assert_true(step_begin(&f.step, branched(&f, 10, 0x200), 1, &full, &x));
		assert_int_equal(x.joined_nr, 5);
		assert_memory_equal(x.joined, joined, sizeof(joined));
		assert_int_equal(full.callchain_nr, 4); /* as recorded */
		assert_false(step_begin(&f.step, branched(&f, 11, 0x200), 1, &full, &x));
		stop(&f);
	}
	/* Without stacks there is nothing to join. */
	start(&f, (struct resolve_options){}, true);
	assert_true(step_begin(&f.step, branched(&f, 10, 0x200), 1, &full, &x));
	assert_null(x.joined);
	stop(&f);
	deinit(&f);
}

static void threads_are_looked_up_anew_when_the_machine_changes(void **state)
{
	struct fixture f;
	struct step_sample x;
	struct sample full;
	init(&f);
	add_event(&f, (struct perf_event_attr){ .sample_type = PLAIN }, "a", 70);
	start(&f, (struct resolve_options){ .filter = { .comms = (const char *const[]){ "late" }, .comms_nr = 1 } }, false);
	resolver_apply_in_order(f.r, true);
	assert_false(step_begin(&f.step, plain(&f, 1, 10, 10, 100, 70, 0), 1, &full, &x));
	resolver_side_band(f.r, build_comm(&f.b, 10, 10, "late", false), 150, false);
	step_machine_changed(&f.step);
	assert_true(step_begin(&f.step, plain(&f, 1, 10, 10, 200, 70, 0), 1, &full, &x));
	assert_int_equal(x.thread->view.thread->tid, 10);
	/* Of one that the step forgets nothing is left. */
	step_clear(&f.step);
	assert_int_equal(f.step.samples, 0);
	assert_true(step_begin(&f.step, plain(&f, 1, 10, 10, 200, 70, 0), 1, &full, &x));
	assert_int_equal(finish(&f)->events[0].samples, 1);
	stop(&f);
	deinit(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_counted_by_event_and_filtered),
		cmocka_unit_test(what_is_decoded_is_the_same_in_part_and_in_full),
		cmocka_unit_test(events_switch_what_counts),
		cmocka_unit_test(a_group_is_a_sample_of_each_member),
		cmocka_unit_test(counting_alone_counts_members),
		cmocka_unit_test(a_part_that_came_later_is_joined),
		cmocka_unit_test(calls_of_the_processor_are_the_users_part),
		cmocka_unit_test(threads_are_looked_up_anew_when_the_machine_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
