#include "view/data/folded.h"

#include <stdlib.h>

#include "base/hash.h"
#include "view/view_testing.h"

static void check_with(const struct folded_options *o, const struct profile *p, const char *expected)
{
	struct out out;
	size_t bytes;
	out_init_mem(&out);
	assert_ok(view_folded(p, o, &out));
	out_ch(&out, 0);
	assert_string_equal(out_mem(&out, &bytes), expected);
	assert_ok(out_close(&out));
}

#define CHECK(expected, ...)                                                                    \
	do {                                                                                    \
		const struct test_sample samples_[] = { __VA_ARGS__ };                          \
		struct profile *p_ = test_profile(samples_, sizeof(samples_) / sizeof(*samples_)); \
		check_with(&(struct folded_options){}, p_, expected);                           \
		profile_destroy(p_);                                                            \
	} while (0)

static void equal_stacks_add_up(void **state)
{
	CHECK("sh;main;a 5\nsh;main;b 7\n", { "sh", "main>a", 2 }, { "sh", "main>b", 7 }, { "sh", "main>a", 3 });
	/* Two symbols that are one name when tidied. */
	CHECK("sh;f 3\n", { "sh", "f(int)", 1 }, { "sh", "f(long)", 2 });
	CHECK("a;x 1\nb;x 2\n", { "b", "x", 2 }, { "a", "x", 1 });
}

static void a_process_may_have_no_frame(void **state)
{
	CHECK("sh 4\nsh;main 1\n", { "sh", "", 4 }, { "sh", "main", 1 });
}

static void lines_are_sorted_by_their_bytes(void **state)
{
	/* ' ' < ':' < ';' < 'a': a name that goes on with a blank precedes the callees of the shorter one. */
	CHECK("p;f 1\np;f x 2\np;f x y 3\np;f x y;k 9\np;f x;k 4\np;f:g 5\np;f;k 6\np;fa 7\np;fa;k 8\n",
	      { "p", "f", 1 }, { "p", "f x", 2 }, { "p", "f x y", 3 }, { "p", "f x>k", 4 }, { "p", "f:g", 5 },
	      { "p", "f>k", 6 }, { "p", "fa", 7 }, { "p", "fa>k", 8 }, { "p", "f x y>k", 9 });
}

static void recursion_is_kept(void **state)
{
	CHECK("p;f 1\np;f;f 2\np;f;f;f 3\n", { "p", "f>f>f", 3 }, { "p", "f>f", 2 }, { "p", "f", 1 });
}

static void tracepoints_count_samples(void **state)
{
	struct profile *p = test_profile((struct test_sample[]){ { "sh", "main", 1000 } }, 1);
	profile_add(p, test_stack(p, "main>w"), 0, 1, 3, 3000, 0);
	check_with(&(struct folded_options){ .event = 1 }, p, "sh;main;w 3\n");
	check_with(&(struct folded_options){ .event = 0 }, p, "sh;main 1000\n");
	check_with(&(struct folded_options){ .event = 0, .count_samples = true }, p, "sh;main 1\n");
	profile_destroy(p);
}

static void an_event_that_is_not_there_is_an_error(void **state)
{
	struct profile *p = test_profile(NULL, 0);
	struct out out;
	out_init_mem(&out);
	assert_fails(view_folded(p, &(struct folded_options){ .event = 2 }, &out), ERROR_NOT_FOUND);
	assert_ok(out_close(&out));
	check_with(&(struct folded_options){}, p, "");
	profile_destroy(p);
}

static void a_profile_without_processes_begins_with_its_frames(void **state)
{
	struct profile *p = profile_create();
	uint32_t e = profile_event(p, "alloc", "bytes");
	labels_id none = profile_labels(p, NULL);
	profile_add(p, test_stack(p, "main>new"), none, e, 1, 64, 0);
	profile_add(p, PROFILE_NONE, none, e, 1, 8, 0);
	check_with(&(struct folded_options){}, p, "[unknown] 8\nmain;new 64\n");
	profile_destroy(p);
}

/* A second way to the same answer: whole lines as strings, added up and sorted as such. */
struct line {
	char text[128];
	uint64_t value;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

static void many_stacks_agree_with_sorted_lines(void **state)
{
	static const char *const names[] = { "a", "ab", "a b", "a:", "b", "b!", "ba", "a b c" };
	enum { LINES = 3000 };
	struct line *lines = calloc(LINES, sizeof(*lines));
	struct test_sample *samples = calloc(LINES, sizeof(*samples));
	char (*frames)[128] = calloc(LINES, sizeof(*frames));
	struct strbuf expected = {};
	for (uint64_t i = 0; i < LINES; i++) {
		uint64_t h = hash_u64(i);
		samples[i] = (struct test_sample){ names[h & 1], frames[i], i };
		strcpy(lines[i].text, names[h & 1]);
		for (unsigned depth = 1 + (h >> 1) % 5, d = 0; d < depth; d++) {
			const char *name = names[(h >> (8 + 4 * d)) & 7];
			strcat(strcat(frames[i], d ? ">" : ""), name);
			strcat(strcat(lines[i].text, ";"), name);
		}
		lines[i].value = i;
	}
	qsort(lines, LINES, sizeof(*lines), compare_lines);
	for (size_t i = 0, j; i < LINES; i = j) {
		uint64_t sum = 0;
		for (j = i; j < LINES && !strcmp(lines[i].text, lines[j].text); j++)
			sum += lines[j].value;
		strbuf_addf(&expected, "%s %llu\n", lines[i].text, (unsigned long long)sum);
	}
	struct profile *p = test_profile(samples, LINES);
	check_with(&(struct folded_options){}, p, strbuf_str(&expected));
	profile_destroy(p);
	strbuf_deinit(&expected);
	free(lines);
	free(samples);
	free(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_add_up),
		cmocka_unit_test(a_process_may_have_no_frame),
		cmocka_unit_test(lines_are_sorted_by_their_bytes),
		cmocka_unit_test(recursion_is_kept),
		cmocka_unit_test(tracepoints_count_samples),
		cmocka_unit_test(an_event_that_is_not_there_is_an_error),
		cmocka_unit_test(a_profile_without_processes_begins_with_its_frames),
		cmocka_unit_test(many_stacks_agree_with_sorted_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
