/*
 * How long compiling call frame information takes: the tables of all objects named, as a process that maps them needs them.
 *
 *	bench_unwind [-t THREADS] [-r REPEATS] FILE...
 *
 * Prints what each table holds, then the times of all together. Not installed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/pool.h"
#include "unwind/table.h"

struct job {
	struct object **objects;
	struct unwind_table **tables;
};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void compile(void *ctx, size_t i, unsigned thread)
{
	struct job *j = ctx;
	(void)thread;
	j->tables[i] = j->objects[i] ? unwind_table_of(j->objects[i], NULL) : NULL;
}

static void print_table(const char *path, const struct unwind_table *t)
{
	if (!t)
		printf("%s: no call frame information\n", path);
	else
		printf("%s: %u functions, %u rows, %u rules, %.1f MB\n", path, t->functions, t->rows_nr, t->rules_nr,
		       ((double)t->rows_nr * sizeof(*t->rows) + (double)t->pages_nr * sizeof(*t->pages)) / 1e6);
}

int main(int argc, char **argv)
{
	unsigned threads = 0, repeats = 5;
	for (int opt; (opt = getopt(argc, argv, "t:r:")) != -1;) {
		if (opt == 't')
			threads = (unsigned)atoi(optarg);
		else if (opt == 'r')
			repeats = (unsigned)atoi(optarg);
		else
			return 2;
	}
	size_t n = (size_t)(argc - optind);
	struct job j = { xcalloc(n + 1, sizeof(*j.objects)), xcalloc(n + 1, sizeof(*j.tables)) };
	for (size_t i = 0; i < n; i++) {
		struct strobe_error *err = object_open(argv[(size_t)optind + i], &j.objects[i]);
		if (err)
			fprintf(stderr, "%s\n", err->message);
		error_destroy(err);
	}
	for (unsigned r = 0; r < repeats; r++) {
		double from = now_ms();
		pool_run(n, threads, compile, &j);
		double ms = now_ms() - from;
		for (size_t i = 0; i < n; i++) {
			if (!r)
				print_table(argv[(size_t)optind + i], j.tables[i]);
			unwind_table_destroy(j.tables[i]);
		}
		printf("%.1f ms\n", ms);
	}
	for (size_t i = 0; i < n; i++)
		object_close(j.objects[i]);
	free(j.objects);
	free(j.tables);
	return 0;
}
