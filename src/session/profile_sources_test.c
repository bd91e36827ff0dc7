#include "base/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "profile/arithmetic.h"
#include "session/profile_sources.h"

/* Of work: 3 in A, 5 in B. Of main alone: 4 in A. Of idle: 6 in B. */
#define STACKS_A "main;work 3\nmain 4\n"
#define STACKS_B "main;work 5\nidle 6\n"

struct fixture {
	char dir[32], a[48], b[48], absent[48];
	unsigned said;
	char *last;
	struct session_host host;
	struct arena arena;
	struct merged_profile merged;
};

static void keep_line(void *ctx, const char *line)
{
	struct fixture *f = ctx;
	f->said++;
	free(f->last);
	f->last = xstrdup(line);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void set_up(struct fixture *f)
{
	*f = (struct fixture){ .dir = "/tmp/strobe-sources-XXXXXX" };
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->a, sizeof(f->a), "%s/a", f->dir);
	snprintf(f->b, sizeof(f->b), "%s/b", f->dir);
	snprintf(f->absent, sizeof(f->absent), "%s/absent", f->dir);
	write_file(f->a, STACKS_A);
	write_file(f->b, STACKS_B);
	f->host = (struct session_host){ .say = keep_line, .ctx = f };
	arena_init(&f->arena);
}

static void tear_down(struct fixture *f)
{
	merged_profile_deinit(&f->merged);
	arena_deinit(&f->arena);
	free(f->last);
	unlink(f->a);
	unlink(f->b);
	rmdir(f->dir);
}

/* The sum of all rows whose innermost function is this. */
static int64_t value_of(const struct profile *p, const char *function)
{
	int64_t sum = 0;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_frame *f = &p->frames.data[p->stacks.data[p->rows.data[i].stack].frame];
		if (!strcmp(profile_str(p, p->functions.data[f->function].name), function))
			sum += (int64_t)p->rows.data[i].value;
	}
	return sum;
}

static void assert_values(const struct profile *p, int64_t of_work, int64_t of_main, int64_t of_idle)
{
	assert_int_equal(value_of(p, "work"), of_work);
	assert_int_equal(value_of(p, "main"), of_main);
	assert_int_equal(value_of(p, "idle"), of_idle);
}

static struct strobe_error *read_all(struct fixture *f, const struct profile_sources *s)
{
	return profile_sources_read(&f->host, &f->arena, s, &f->merged);
}

static void several_files_are_merged(void **state)
{
	struct fixture f;
	set_up(&f);
	const char *names[] = { f.a, f.b };
	assert_ok(read_all(&f, &(struct profile_sources){ .nr = 2, .names = names }));
	assert_values(f.merged.profile, 8, 4, 6);
	assert_false(f.merged.has_base);
	assert_false(f.merged.was_fetched);
	assert_int_equal(f.said, 0);
	tear_down(&f);
}

static void one_of_several_that_cannot_be_read_is_passed_over(void **state)
{
	struct fixture f;
	set_up(&f);
	const char *names[] = { f.a, f.absent };
	assert_ok(read_all(&f, &(struct profile_sources){ .nr = 2, .names = names }));
	assert_values(f.merged.profile, 3, 4, 0);
	assert_int_equal(f.said, 1);
	assert_non_null(strstr(f.last, f.absent));
	tear_down(&f);
}

static void one_alone_that_cannot_be_read_is_an_error(void **state)
{
	struct fixture f;
	set_up(&f);
	const char *names[] = { f.absent };
	struct strobe_error *err = read_all(&f, &(struct profile_sources){ .nr = 1, .names = names });
	assert_non_null(err);
	assert_non_null(strstr(err->message, f.absent));
	error_destroy(err);
	assert_null(f.merged.profile);
	assert_int_equal(f.said, 0);
	tear_down(&f);
}

static void a_base_is_subtracted(void **state)
{
	struct fixture f;
	set_up(&f);
	const char *names[] = { f.a };
	struct profile_sources s = { .nr = 1, .names = names };
	vec_push(&s.bases, f.b);
	assert_ok(read_all(&f, &s));
	assert_values(f.merged.profile, 3 - 5, 4, -6);
	assert_true(f.merged.has_base);
	assert_null(f.merged.base_totals); /* percentages are of the profile */
	vec_deinit(&s.bases);
	tear_down(&f);
}

static void percentages_may_be_of_the_base(void **state)
{
	struct fixture f;
	set_up(&f);
	const char *names[] = { f.a };
	struct profile_sources s = { .nr = 1, .names = names, .is_diff_base = true };
	vec_push(&s.bases, f.b);
	assert_ok(read_all(&f, &s));
	assert_values(f.merged.profile, 3 - 5, 4, -6);
	assert_int_equal(f.merged.base_totals[0], 5 + 6);
	assert_int_not_equal(profile_find_column(f.merged.profile, PPROF_BASE_LABEL), PROFILE_NONE);
	vec_deinit(&s.bases);
	tear_down(&f);
}

static void a_base_without_difference_leaves_nothing(void **state)
{
	struct fixture f;
	set_up(&f);
	const char *names[] = { f.a };
	struct profile_sources s = { .nr = 1, .names = names };
	vec_push(&s.bases, f.a);
	assert_ok(read_all(&f, &s));
	assert_int_equal(f.merged.profile->rows.len, 0);
	vec_deinit(&s.bases);
	tear_down(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_files_are_merged),
		cmocka_unit_test(one_of_several_that_cannot_be_read_is_passed_over),
		cmocka_unit_test(one_alone_that_cannot_be_read_is_an_error),
		cmocka_unit_test(a_base_is_subtracted),
		cmocka_unit_test(percentages_may_be_of_the_base),
		cmocka_unit_test(a_base_without_difference_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
