/* Profiles of other tools by hand: the costs and times in the texts below are small enough to be added up in one's head. */
#include "base/testing.h"

#include <stdio.h>
#include <string.h>

#include "exchange/readers/readers.h"

/* The sum of all rows of an event below a path of functions, outermost first: "a;b"; NULL: of all. */
static uint64_t sum_of(const struct profile *p, uint32_t event, const char *way)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->rows.len; i++) {
		char names[256] = "";
		for (stack_id s = p->rows.data[i].stack; s != PROFILE_NONE; s = p->stacks.data[s].caller) {
			const struct profile_frame *f = &p->frames.data[p->stacks.data[s].frame];
			char before[256];
			snprintf(before, sizeof(before), "%s", names);
			snprintf(names, sizeof(names), "%.100s%s%.100s", profile_str(p, p->functions.data[f->function].name),
				 *before ? ";" : "", before);
		}
		if (p->rows.data[i].event == event && (!way || !strcmp(names, way)))
			sum += p->rows.data[i].value;
	}
	return sum;
}

static struct profile *read_text(const char *text, bool (*probe)(const uint8_t *p, size_t n),
				 struct strobe_error *(*read)(const uint8_t *p, size_t n, struct profile **ret))
{
	struct profile *p;
	assert_true(probe((const uint8_t *)text, strlen(text)));
	assert_null(read((const uint8_t *)text, strlen(text), &p));
	return p;
}

static void v8_times(void **state)
{
	struct profile *p = read_text(
		"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":-1},\"children\":[2]},"
		"{\"id\":2,\"callFrame\":{\"functionName\":\"f\",\"url\":\"file:///a.js\",\"lineNumber\":4},\"children\":[3]},"
		"{\"id\":3,\"callFrame\":{\"functionName\":\"\",\"url\":\"file:///a.js\",\"lineNumber\":9}}],"
		"\"startTime\":100,\"endTime\":160,\"samples\":[2,3,2],\"timeDeltas\":[10,20,5]}",
		cpuprofile_probe, cpuprofile_read);
	/* at 110, 130 and 135 us */
	assert_int_equal(sum_of(p, 0, "f"), 20000 + 25000);
	assert_int_equal(sum_of(p, 0, "f;(anonymous)"), 5000);
	assert_int_equal(p->duration_ns, 60000);
	assert_string_equal(profile_str(p, p->functions.data[0].file), "/a.js");
	assert_int_equal(p->frames.data[0].line, 5);
	assert_int_equal(p->log.data[1].time_ns, 130000);
	profile_destroy(p);
}

static void costs_by_callers(void **state)
{
	struct profile *p = read_text(
		"# callgrind format\nversion: 1\npositions: line\nevents: Ir Dr\nob=(1) /bin/a\nfl=(1) a.c\n"
		"fn=(1) main\n3 10 1\ncfn=(2) often\ncalls=3 9\n+1 75 6\ncfn=(3) seldom\ncalls=1 20\n* 25\n"
		"fn=(2)\n9 15 0\ncfn=(4) leaf\ncalls=3 30\n10 60 6\n"
		"fn=(3)\n20 5\ncfn=(4)\ncalls=1 30\n21 20\n"
		"fn=(4)\n30 50 6\n+2 30\n",
		callgrind_probe, callgrind_read);
	assert_int_equal(sum_of(p, 0, NULL), 110);
	assert_int_equal(sum_of(p, 0, "main"), 10);
	assert_int_equal(sum_of(p, 0, "main;often"), 15);
	assert_int_equal(sum_of(p, 0, "main;often;leaf"), 60); /* of 80, as 60 of 80 were spent in its calls */
	assert_int_equal(sum_of(p, 0, "main;seldom;leaf"), 20);
	assert_int_equal(sum_of(p, 1, "main;often;leaf"), 6);
	assert_int_equal(sum_of(p, 1, NULL), 7);
	profile_destroy(p);
}

/* Inclusive costs of a cycle contain each other: each function still keeps its own cost. */
static void circles(void **state)
{
	struct profile *p = read_text("version: 1\nevents: Ir\nfn=a\n1 10\ncfn=b\ncalls=1 1\n1 500\n"
				      "fn=b\n2 20\ncfn=a\ncalls=9 1\n2 480\n\nfn=c\n5 7\n",
				      callgrind_probe, callgrind_read);
	assert_int_equal(sum_of(p, 0, NULL), 37);
	assert_int_equal(sum_of(p, 0, "c"), 7);
	profile_destroy(p);
}

static void strace_lines(void **state)
{
	struct profile *p = read_text(
		"12 10:00:00.000001 execve(\"/bin/a\", [\"a\"], 0x7ffc /* 2 vars */) = 0 <0.000100>\n"
		"12 10:00:00.000200 clone(child_stack=NULL, flags=SIGCHLD) = 13 <0.000050>\n"
		" > /lib/libc.so.6(_Fork+0x27) [0xd5a57]\n"
		" > /bin/a(main+0x3) [0x1234]\n"
		"13 read(3,  <unfinished ...>\n"
		"12 wait4(-1) = 13 <0.000002>\n"
		"13 <... read resumed>\") = 1 <0.3>\", 1) = 1 <0.5>\n"
		"13 +++ exited with 0 +++\n"
		"[pid    13] close(3) = -1 EBADF (Bad file descriptor) <0.000001>\n",
		strace_probe, strace_read);
	assert_int_equal(sum_of(p, 0, "execve"), 100000);
	assert_int_equal(sum_of(p, 0, "main;_Fork;clone"), 50000);
	assert_int_equal(sum_of(p, 0, "read"), 500000000);
	assert_int_equal(sum_of(p, 0, "close"), 1000);
	uint32_t comm = profile_find_column(p, "comm"), tid = profile_find_column(p, "tid");
	for (size_t i = 0; i < p->rows.len; i++) {
		const uint64_t *labels = profile_label_values(p, p->rows.data[i].labels);
		assert_string_equal(profile_str(p, (str_id)labels[comm]), "a"); /* 13 is a child of 12 */
		assert_true(labels[tid] == 12 || labels[tid] == 13);
	}
	profile_destroy(p);
}

static void perf_trace_lines(void **state)
{
	struct profile *p = read_text("         ? (         ): ls/1  ... [continued]: execve())       = 0\n"
				      "     0.055 ( 0.016 ms): ls/1 brk()                              = 0x56197be19000\n"
				      "     0.540 (         ): ls/1 poll(ufds: 0x7f) ...\n"
				      "     0.574 ( 0.019 ms): read(fd: 3)                             = -1 EAGAIN (Resource)\n",
				      perf_trace_probe, perf_trace_read);
	assert_int_equal(sum_of(p, 0, "brk"), 16000);
	assert_int_equal(sum_of(p, 0, "read"), 19000);
	assert_int_equal(sum_of(p, 0, NULL), 35000);
	profile_destroy(p);
}

static void not_these(void **state)
{
	static const char folded[] = "main;f(int) 3\nmain;g 4\n";
	assert_false(strace_probe((const uint8_t *)folded, sizeof(folded) - 1));
	assert_false(perf_trace_probe((const uint8_t *)folded, sizeof(folded) - 1));
	assert_false(callgrind_probe((const uint8_t *)folded, sizeof(folded) - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v8_times),
		cmocka_unit_test(costs_by_callers),
		cmocka_unit_test(circles),
		cmocka_unit_test(strace_lines),
		cmocka_unit_test(perf_trace_lines),
		cmocka_unit_test(not_these),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
