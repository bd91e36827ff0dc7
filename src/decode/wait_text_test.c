#include "base/testing.h"

#include <string.h>

#include "base/cleanup.h"
#include "decode/wait_text.h"
#include "record/wait_layout.h"

static struct wait_raw wait_of(enum wait_state state, enum wait_reason reason, int call, const char *name)
{
	struct wait_raw w = { .magic = WAIT_MAGIC, .state = (uint8_t)state, .reason = (uint8_t)reason, .call = (int16_t)call };
	strncpy(w.name, name, sizeof(w.name) - 1);
	return w;
}

static void check(enum wait_part part, const void *raw, uint32_t bytes, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = {};
	wait_text(part, &arch_x86_64, raw, bytes, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void texts(void **state)
{
	struct wait_raw w = wait_of(WAIT_BLOCKED, WAIT_FOR_FILE, 74, "data.db");
	check(WAIT_PART_STATE, &w, sizeof(w), "blocked");
	check(WAIT_PART_REASON, &w, sizeof(w), "fsync data.db");
	check(WAIT_PART_WAKER, &w, sizeof(w), "");
	w.waker = WAIT_WAKER_INTERRUPT;
	check(WAIT_PART_WAKER, &w, sizeof(w), "[interrupt]");
	w.waker = WAIT_WAKER_TASK;
	memcpy(w.waker_comm, "kworker/0:1", 12);
	check(WAIT_PART_WAKER, &w, sizeof(w), "kworker/0:1");
	/* A name is only that of a file if the reason is a file. */
	w = wait_of(WAIT_RUNNABLE, WAIT_FOR_CPU, 74, "data.db");
	check(WAIT_PART_REASON, &w, sizeof(w), "cpu");
	w = wait_of(WAIT_SLEEPING, WAIT_FOR_CALL, 240, "");
	check(WAIT_PART_REASON, &w, sizeof(w), "mq_open");
	w = wait_of(WAIT_SLEEPING, WAIT_FOR_CALL, WAIT_NO_CALL, "");
	check(WAIT_PART_REASON, &w, sizeof(w), "unknown");
}

static void others_run(void **state)
{
	check(WAIT_PART_STATE, NULL, 0, "running");
	check(WAIT_PART_REASON, NULL, 0, "");
	check(WAIT_PART_WAKER, NULL, 0, "");
}

static void what_is_damaged(void **state)
{
	const void *part;
	uint32_t bytes;
	struct wait_raw w = wait_of((enum wait_state)200, (enum wait_reason)250, 30000, "");
	memset(w.name, 'x', sizeof(w.name));
	check(WAIT_PART_STATE, &w, sizeof(w), "unknown");
	check(WAIT_PART_REASON, &w, sizeof(w), "call 30000");
	w.reason = WAIT_FOR_FILE;
	check(WAIT_PART_REASON, &w, sizeof(w), "call 30000 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	assert_true(wait_part(WAIT_PART_REASON, &w, sizeof(w), &part, &bytes));
	assert_true(part == (const void *)&w.reason && (const char *)part + bytes == (const char *)&w.object);
	assert_false(wait_part(WAIT_PART_REASON, &w, sizeof(w) - 1, &part, &bytes));
	w.magic++;
	assert_false(wait_part(WAIT_PART_STATE, &w, sizeof(w), &part, &bytes));
	check(WAIT_PART_STATE, &w, sizeof(w), "running");
}

static void stacks_of_wakers(void **state)
{
	struct {
		struct wait_raw raw;
		uint64_t ips[3];
	} w = {
		.raw = { .magic = WAIT_MAGIC, .waker = WAIT_WAKER_TASK, .waker_pid = 7, .waker_tid = 8, .waker_nr = 2 },
		.ips = { 10, 20, 30 },
	};
	struct wait_waker_stack s;
	wait_waker_stack(&w, sizeof(w), &s);
	assert_true(s.pid == 7 && s.tid == 8 && s.nr == 2 && s.ips[0] == 10 && s.ips[1] == 20);
	/* limited to the existing addresses, and to the maximum */
	wait_waker_stack(&w, sizeof(w.raw) + 12, &s);
	assert_int_equal(s.nr, 1);
	w.raw.waker_nr = UINT16_MAX;
	wait_waker_stack(&w, sizeof(w), &s);
	assert_int_equal(s.nr, 3);
	w.raw.waker = WAIT_WAKER_INTERRUPT;
	wait_waker_stack(&w, sizeof(w), &s);
	assert_int_equal(s.nr, 0);
	wait_waker_stack(NULL, 0, &s);
	assert_int_equal(s.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts), cmocka_unit_test(others_run), cmocka_unit_test(what_is_damaged),
		cmocka_unit_test(stacks_of_wakers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
