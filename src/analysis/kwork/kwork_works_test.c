/* Requests, beginnings and ends of works by hand, for each report. */
#include "analysis/kwork/kwork_works.h"

#include "analysis/kwork/kwork_text.h"
#include "analysis/kwork/kwork_top.h"
#include "base/testing.h"

static struct kwork_question question(enum kwork_report report)
{
	struct kwork_question q = { .report = report };
	assert_ok(kwork_kinds_parse(NULL, &q));
	return q;
}

/* Two runs of 300 and 500 ns; a beginning without an end before, an end without a beginning after. */
static void test_runtime(void **state)
{
	struct kwork_works w = {};
	const struct kwork_question q = question(KWORK_RUNTIME);
	uint32_t rcu = kwork_works_find(&w, KWORK_SOFTIRQ, 1, 9, "RCU");
	kwork_raise(&w, &q, rcu, 50);
	kwork_entry(&w, &q, rcu, 100);
	kwork_entry(&w, &q, rcu, 1000);
	assert_true(kwork_exit(&w, &q, rcu, 1300));
	kwork_entry(&w, &q, rcu, 2000);
	assert_true(kwork_exit(&w, &q, rcu, 2500));
	assert_false(kwork_exit(&w, &q, rcu, 2600));
	assert_int_equal(w.works.data[rcu].count, 2);
	assert_int_equal(w.works.data[rcu].total_ns, 800);
	assert_int_equal(w.works.data[rcu].max_ns, 500);
	assert_int_equal(w.works.data[rcu].max_start_ns, 2000);
	assert_int_equal(w.skipped[KWORK_ENTRY], 1);
	assert_int_equal(w.works.data[rcu].unmatched[KWORK_EXIT], 1);
	kwork_works_deinit(&w);
}

/* Requested at 100, again at 150, begins at 400: it waited for 250. */
static void test_latency(void **state)
{
	struct kwork_works w = {};
	const struct kwork_question q = question(KWORK_LATENCY);
	uint32_t rcu = kwork_works_find(&w, KWORK_SOFTIRQ, 1, 9, "RCU");
	kwork_raise(&w, &q, rcu, 100);
	kwork_raise(&w, &q, rcu, 150);
	kwork_entry(&w, &q, rcu, 400);
	kwork_entry(&w, &q, rcu, 500);
	assert_int_equal(w.works.data[rcu].count, 1);
	assert_int_equal(w.works.data[rcu].total_ns, 250);
	assert_int_equal(w.skipped[KWORK_RAISE], 1);
	assert_int_equal(w.works.data[rcu].unmatched[KWORK_ENTRY], 1);
	kwork_works_deinit(&w);
}

/* Task 7 has 600 of CPU 0's 1000 ns and 100 on CPU 1; 200 of the 600 were an interrupt's. */
static void test_top(void **state)
{
	struct kwork_works w = {};
	struct kwork_top t;
	const struct kwork_question q = question(KWORK_TOP);
	uint32_t task = kwork_works_find(&w, KWORK_SCHED, 0, 7, "task"), idle = kwork_works_find(&w, KWORK_SCHED, 0, 0, "swapper/0");
	uint32_t irq = kwork_works_find(&w, KWORK_IRQ, 0, 7, NULL), other = kwork_works_find(&w, KWORK_SCHED, 1, 7, "other name");
	kwork_entry(&w, &q, task, 1000);
	kwork_entry(&w, &q, irq, 1100);
	assert_true(kwork_exit(&w, &q, irq, 1300));
	assert_true(kwork_exit(&w, &q, task, 1600));
	kwork_entry(&w, &q, idle, 1600);
	assert_true(kwork_exit(&w, &q, idle, 2000));
	kwork_entry(&w, &q, other, 2000);
	assert_true(kwork_exit(&w, &q, other, 2100));
	kwork_top_make(&t, &w, &q);
	assert_int_equal(t.rows.works.len, 2);
	assert_int_equal(t.rows.works.data[0].id, 7);
	assert_int_equal(t.rows.works.data[0].total_ns, 500);
	assert_int_equal(t.rows.works.data[0].usage, 4000 + 10000);
	assert_string_equal(t.rows.works.data[0].name, "other name");
	assert_int_equal(t.cpus.data[0].total_ns, 1000);
	assert_int_equal(t.cpus.data[0].irq_ns, 200);
	assert_int_equal(t.cpus.data[0].idle_ns, 400);
	assert_int_equal(t.cpus.data[0].load_ns, 400);
	kwork_top_deinit(&t);
	kwork_works_deinit(&w);
}

static void test_words(void **state)
{
	struct kwork_question q = { .report = KWORK_RUNTIME };
	assert_ok(kwork_kinds_parse("sched, irq,irq", &q));
	assert_int_equal(q.kinds_nr, 2);
	assert_int_equal(q.kinds[0], KWORK_SCHED);
	assert_fails(kwork_kinds_parse("irqs", &q), ERROR_USAGE);
	assert_fails(kwork_kinds_parse(",", &q), ERROR_USAGE);
	q.sort = "max,nothing";
	assert_fails(kwork_sort_check(&q), ERROR_USAGE);
}

static void test_names(void **state)
{
	char name[12];
	kwork_name(&(struct kwork_work){ .kind = KWORK_SOFTIRQ, .id = 9, .name = "RCU" }, name, sizeof(name));
	assert_string_equal(name, "(s)RCU:9");
	kwork_name(&(struct kwork_work){ .kind = KWORK_WORKQUEUE, .id = 0x1f }, name, sizeof(name));
	assert_string_equal(name, "(w)0x1f");
	kwork_name(&(struct kwork_work){ .kind = KWORK_WORKQUEUE, .name = "a_function_name" }, name, sizeof(name));
	assert_string_equal(name, "(w)a_functi");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtime), cmocka_unit_test(test_latency), cmocka_unit_test(test_top),
		cmocka_unit_test(test_words),   cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
